/* Custom calls by which JAX writes operations whose attributes are operands. */
#include "base/text/text.h"
#include "dialect/mlir/hlo/lower.h"

#define FIELD(name, value)                                                                         \
    {                                                                                              \
        {name, sizeof name - 1}, &(value)                                                          \
    }

/* The operation NAME, with the first N_IN operands and the attributes GIVEN. */
static bool lower_named(shlo_call *c, const char *name, const mir_op *like, mir_field *given,
                        uint32_t n_given)
{
    shlo_call other = *c;
    const mir_fields list = {.at = given, .n = n_given};
    const mir_row *row = shlo_find_row(c->r, (mir_text){name, strlen(name)});
    other.op = like;
    return row && shlo_lower_as(&other, row, &list);
}

/* `(x, k)` */
static bool lower_top_k(shlo_call *c)
{
    mir_op op = *c->op;
    int64_t k;
    if (op.n_in != 2 || op.n_out != 2)
        return shlo_refuse(c, DIAG_ArityMismatch, "it takes a tensor and a number");
    if (!shlo_known_number(c, 1, &k))
        return shlo_unknown_shape(c, "the number of elements");
    const mir_attr number = {.kind = MIR_INT, .i = k, .fits = true};
    mir_field given[] = {FIELD("k", number)};
    op.n_in = 1;
    return lower_named(c, "chlo.top_k", &op, given, 1);
}

/* `(state, shape)` */
static bool lower_random_bits(shlo_call *c)
{
    int64_t dims[TN_MAX_RANK];
    uint32_t rank;
    mir_op op = *c->op;
    mir_value *out = ARENA_ARRAY(&c->r->memory, mir_value, 2);
    mir_type *to = ARENA_NEW(&c->r->memory, mir_type);
    if (op.n_in != 2 || op.n_out != 2)
        return shlo_refuse(c, DIAG_ArityMismatch, "it takes a state and a shape");
    if (!out || !to)
        return shlo_no_memory(c->r);
    if (!shlo_shape_in(c, 1, "the shape", false, dims, &rank))
        return false;
    for (uint32_t i = 0; i < rank; i++)
        if (dim_is_symbolic(dims[i]))
            return shlo_unknown_shape(c, "the number of random bits");
    memcpy(out, op.out, 2 * sizeof *out);
    *to = *out[1].type;
    to->rank = rank;
    to->dims = dims;
    out[1].type = to;
    op.n_in = 1;
    op.out = out;
    return lower_named(c, "stablehlo.rng_bit_generator", &op, op.attrs.at, op.attrs.n);
}

/* Operand K as N numbers or sizes, as a list or as pairs. A number must not look like a size. */
static bool numbers_in(shlo_call *c, uint32_t k, uint32_t n, dim *out)
{
    const known_value *known = shlo_known(c, k);
    if (!known)
        return shlo_unknown_shape(c, "a window");
    if (known->n != n)
        return shlo_refuse(c, DIAG_ArityMismatch, "a window has %u number%s where %u are needed",
                           (unsigned)known->n, plural(known->n), (unsigned)n);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = known->at[i].i;
        if (!known->at[i].is_size && (out[i] < INT32_MIN || out[i] > INT32_MAX * INT64_C(1024)))
            return shlo_refuse(c, DIAG_InvalidAttribute, "a number of a window is out of range");
    }
    return true;
}

enum { SIZE, STRIDES, BASE, DILATION, PADS, LISTS };

/* Is the window of X the whole of one open axis up to each element? Then the axis. */
static int64_t open_totals(shlo_call *c, const type *x, dim (*by)[2 * TN_MAX_RANK], bool *reverse)
{
    int64_t axis = -1;
    for (uint32_t i = 0; i < x->rank; i++) {
        const dim low = by[PADS][2 * i], high = by[PADS][2 * i + 1];
        const dim rest = shlo_dim(c, DIM_ADD, x->dims[i], -1);
        if (by[STRIDES][i] != 1 || by[BASE][i] != 1 || by[DILATION][i] != 1)
            return -1;
        if (by[SIZE][i] == 1 && low == 0 && high == 0)
            continue;
        if (axis >= 0 || by[SIZE][i] != x->dims[i] ||
            !((low == rest && high == 0) || (low == 0 && high == rest)))
            return -1;
        axis = i;
        *reverse = high == rest;
    }
    return axis;
}

static mir_attr list_of(shlo_call *c, const dim *numbers, uint32_t n)
{
    mir_attr *items = ARENA_ARRAY(&c->r->memory, mir_attr, n + 1);
    for (uint32_t i = 0; items && i < n; i++)
        items[i] = (mir_attr){.kind = MIR_INT, .i = numbers[i], .fits = true};
    if (!items)
        (void)shlo_no_memory(c->r);
    return (mir_attr){.kind = MIR_LIST, .items = items, .n = items ? n : 0};
}

/* `(x, init, sizes, strides, base dilations, dilations, padding)`; the body is a function. */
static bool lower_windows(shlo_call *c)
{
    dim by[LISTS][2 * TN_MAX_RANK];
    const type *x = shlo_in_type(c, 0);
    const mir_attr *called = shlo_attr(c, "called_computations");
    mir_function *f = called && called->kind == MIR_LIST && called->n == 1
                          ? mir_function_named(&c->r->model, called->items[0].text)
                          : NULL;
    mir_op op = *c->op;
    bool reverse = false, is_open = false;
    tn_dtype d;
    if (!x)
        return false;
    if (op.n_in != 2 + LISTS || op.n_out != 1 || !f || !f->has_body)
        return shlo_refuse(c, DIAG_ArityMismatch, "it takes a tensor, its windows and a function");
    for (uint32_t k = 0; k < LISTS; k++) {
        const uint32_t n = k == PADS ? 2 * x->rank : x->rank;
        if (!numbers_in(c, 2 + k, n, by[k]))
            return false;
        for (uint32_t i = 0; i < n; i++)
            is_open = is_open || dim_is_symbolic(by[k][i]);
    }
    op.n_in = 2;
    op.regions = &f->body;
    op.n_regions = 1;
    if (is_open) {
        const int64_t axis = open_totals(c, x, by, &reverse);
        const shlo_combine how = shlo_body(c, &f->body, 0, 1, &d);
        shlo_call other = *c;
        other.op = &op;
        return axis < 0 ? shlo_unknown_shape(c, "a window")
                        : shlo_totals(&other, how, axis, reverse);
    }
    const mir_attr size = list_of(c, by[SIZE], x->rank), strides = list_of(c, by[STRIDES], x->rank),
                   base = list_of(c, by[BASE], x->rank),
                   dilation = list_of(c, by[DILATION], x->rank),
                   pads = list_of(c, by[PADS], 2 * x->rank);
    mir_field given[] = {FIELD("window_dimensions", size), FIELD("window_strides", strides),
                         FIELD("base_dilations", base), FIELD("window_dilations", dilation),
                         FIELD("padding", pads)};
    return lower_named(c, "stablehlo.reduce_window", &op, given, 5);
}

bool shlo_dynamic_target(shlo_call *c, mir_text target, bool *is_known)
{
    static const struct {
        const char *name;
        bool (*lower)(shlo_call *c);
    } rows[] = {{"stablehlo.dynamic_top_k", lower_top_k},
                {"stablehlo.dynamic_rng_bit_generator", lower_random_bits},
                {"stablehlo.dynamic_reduce_window", lower_windows}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mir_is(target, rows[i].name)) {
            *is_known = true;
            return rows[i].lower(c);
        }
    *is_known = false;
    return false;
}
