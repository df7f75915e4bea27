/* The attributes of `convolution`, read and written. */
#include "ops/convolution.h"

/* The list KEY as an order of RANK axes; without entries it is 0, 1, ... */
static bool read_axes(const attrs *given, attr_key key, uint32_t rank, uint32_t *out)
{
    uint32_t n;
    const int64_t *list = attr_ints(given, key, &n);
    if (n > 0 && resolve_permutation(list, n, rank).kind != SHAPE_OK)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        out[i] = n > 0 ? (uint32_t)list[i] : i;
    return true;
}

bool convolution_resolve(const attrs *given, uint32_t rank, convolution *out, attr_key *fault)
{
    uint32_t n;
    const int64_t *strides = attr_ints(given, KEY_STRIDES, &n);
    const int64_t *pads = attr_ints(given, KEY_PADS, &n);
    const int64_t *base = attr_ints(given, KEY_BASE_DILATION, &n);
    const int64_t *dilation = attr_ints(given, KEY_DILATION, &n);
    *out = (convolution){.spatial = rank - 2,
                         .groups = attr_int(given, KEY_GROUPS, 1),
                         .batch_groups = attr_int(given, KEY_BATCH_GROUPS, 1)};
    for (uint32_t i = 0; i < out->spatial; i++)
        out->at[i] =
            (convolution_axis){strides[i], pads[2 * i], pads[2 * i + 1], base[i], dilation[i]};
    *fault = KEY_LHS_AXES;
    if (!read_axes(given, KEY_LHS_AXES, rank, out->lhs))
        return false;
    *fault = KEY_RHS_AXES;
    if (!read_axes(given, KEY_RHS_AXES, rank, out->rhs))
        return false;
    *fault = KEY_OUT_AXES;
    return read_axes(given, KEY_OUT_AXES, rank, out->out);
}

convolution convolution_of_attrs(const attrs *given, uint32_t rank)
{
    convolution c;
    attr_key fault;
    (void)convolution_resolve(given, rank, &c, &fault);
    return c;
}

bool convolution_has_words(const attrs *given, const type *filter)
{
    enum { PICTURE = 3, WORD = 4 };
    const convolution c = convolution_of_attrs(given, filter->rank);
    const int64_t channels = filter->dims[c.rhs[CONVOLUTION_FROM]];
    return channels % WORD == 0 || channels == PICTURE;
}

void convolution_in_order(convolution *c)
{
    for (uint32_t i = 0; i < 2 + c->spatial; i++)
        c->lhs[i] = c->rhs[i] = c->out[i] = i;
}

/* AXES as attribute KEY, unless they are in order. */
static uint32_t put_axes(attr_key key, const uint32_t *axes, uint32_t rank, int64_t *own, attr *to)
{
    bool in_order = true;
    for (uint32_t i = 0; i < rank; i++) {
        own[i] = axes[i];
        in_order = in_order && axes[i] == i;
    }
    if (in_order)
        return 0;
    *to = attr_of_ints(key, own, rank);
    return 1;
}

value_id build_convolution(builder *b, value_id x, value_id w, const convolution *c,
                           const attr *dtypes, uint32_t n_dtypes)
{
    const uint32_t rank = 2 + c->spatial;
    int64_t strides[CONVOLUTION_SPATIAL], pads[2 * CONVOLUTION_SPATIAL], base[CONVOLUTION_SPATIAL];
    int64_t dilation[CONVOLUTION_SPATIAL], axes[3][2 + CONVOLUTION_SPATIAL];
    attr entries[11];
    value_id in[] = {x, w};
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->spatial; i++) {
        strides[i] = c->at[i].stride;
        pads[2 * i] = c->at[i].low;
        pads[2 * i + 1] = c->at[i].high;
        base[i] = c->at[i].base;
        dilation[i] = c->at[i].dilation;
    }
    entries[n++] = attr_of_ints(KEY_STRIDES, strides, c->spatial);
    entries[n++] = attr_of_ints(KEY_PADS, pads, 2 * c->spatial);
    entries[n++] = attr_of_ints(KEY_BASE_DILATION, base, c->spatial);
    entries[n++] = attr_of_ints(KEY_DILATION, dilation, c->spatial);
    if (c->groups > 1)
        entries[n++] = attr_of_int(KEY_GROUPS, c->groups);
    if (c->batch_groups > 1)
        entries[n++] = attr_of_int(KEY_BATCH_GROUPS, c->batch_groups);
    n += put_axes(KEY_LHS_AXES, c->lhs, rank, axes[0], &entries[n]);
    n += put_axes(KEY_RHS_AXES, c->rhs, rank, axes[1], &entries[n]);
    n += put_axes(KEY_OUT_AXES, c->out, rank, axes[2], &entries[n]);
    for (uint32_t i = 0; i < n_dtypes; i++)
        entries[n++] = dtypes[i];
    return build_node(b, OP_CONVOLUTION, in, 2, entries, n);
}
