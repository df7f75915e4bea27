/* Sequences and optional values. They exist while the file is read: of how many elements a sequence
 * has is always known, and no data of a run. */
#include <inttypes.h>
#include <string.h>

#include "base/text/text.h"
#include "dialect/onnx/ops/flow/op_flow.h"

/* The elements of input K; NULL, refused, when it is no sequence. */
static const onnx_items *items_in(onnx_call *c, uint32_t k)
{
    if (onnx_has_in(c, k) && c->in[k]->items)
        return c->in[k]->items;
    (void)onnx_refuse(c, DIAG_Sequence, "input %" PRIu32 " must be a sequence", k);
    return NULL;
}

onnx_value *onnx_new_items(onnx_call *c, uint32_t k, uint32_t n)
{
    onnx_value *at = onnx_items_room(c, n);
    onnx_items *items = at ? ARENA_NEW(&c->im->memory, onnx_items) : NULL;
    if (!items) {
        if (at)
            (void)onnx_no_memory(c->im);
        return NULL;
    }
    *items = (onnx_items){at, n};
    (void)onnx_give_value(c, k, &(onnx_value){.items = items});
    return at;
}

/* Input K, which must be a tensor. */
static bool tensor_in(onnx_call *c, uint32_t k)
{
    return onnx_is_tensor(c->in[k]) ||
           onnx_refuse(c, DIAG_Sequence, "input %" PRIu32 " must be a tensor", k);
}

bool onnx_op_sequence_construct(onnx_call *c)
{
    for (uint32_t i = 0; i < c->n_in; i++)
        if (!onnx_has_in(c, i) || !tensor_in(c, i))
            return onnx_refuse(c, DIAG_ArityMismatch, "input %" PRIu32 " is no tensor", i);
    onnx_value *at = onnx_new_items(c, 0, c->n_in);
    for (uint32_t i = 0; at && i < c->n_in; i++)
        at[i] = *c->in[i];
    return at != NULL;
}

bool onnx_op_sequence_empty(onnx_call *c)
{
    return onnx_new_items(c, 0, 0) != NULL;
}

static bool give_int(onnx_call *c, tn_dtype d, int64_t n)
{
    known_value *k = known_new(&c->im->memory, d, NULL, 0);
    if (k)
        k->at[0].i = n;
    return onnx_give_known(c, 0, k);
}

bool onnx_op_sequence_length(onnx_call *c)
{
    const onnx_items *s = items_in(c, 0);
    return s && give_int(c, TN_SI64, s->n);
}

/* Input K, a position in a sequence of N elements, counted from the front; one may be BEHIND the
 * last. OTHERWISE when it is left out. */
static bool position_in(onnx_call *c, uint32_t k, uint32_t n, uint32_t behind, int64_t otherwise,
                        uint32_t *out)
{
    int64_t at;
    uint32_t given;
    if (!onnx_in_ints(c, k, false, 1, &at, &given))
        return false;
    if (!given)
        at = otherwise;
    const int64_t from_front = at < 0 ? at + (int64_t)n : at;
    if (from_front < 0 || from_front >= (int64_t)n + behind)
        return onnx_refuse(c, DIAG_InvalidAttribute,
                           "position %" PRId64 " in a sequence of %" PRIu32 " element%s", at, n,
                           plural(n));
    *out = (uint32_t)from_front;
    return true;
}

/* Element P of the sequence, where P is data: they must be of one type. */
static bool select_item(onnx_call *c, const onnx_items *s)
{
    tn_value *parts = onnx_room(c, s->n);
    if (!parts || s->n == 0)
        return parts && onnx_refuse(c, DIAG_InvalidAttribute, "the sequence is empty");
    if (!onnx_all_data(c, s->at, s->n, parts))
        return false;
    for (uint32_t i = 1; i < s->n; i++)
        if (!onnx_same_types(c, "an element of the sequence, with the number", &parts[i], parts, 1))
            return false;
    for (uint32_t i = 0; i < s->n; i++)
        parts[i] = tn_expand_dims(c->b, parts[i], TN_INTS(0));
    const tn_value all = tn_concat(c->b, (tn_values){parts, s->n}, 0);
    const tn_value p = onnx_from_front(c, onnx_scalar(c, onnx_in(c, 1), TN_SI64), s->n);
    return onnx_give(c, 0, tn_take(c->b, all, p));
}

bool onnx_op_sequence_at(onnx_call *c)
{
    const onnx_items *s = items_in(c, 0);
    uint32_t at = 0;
    if (!s)
        return false;
    if (!onnx_in_known(c, 1))
        return select_item(c, s);
    return position_in(c, 1, s->n, 0, 0, &at) && onnx_give_value(c, 0, &s->at[at]);
}

bool onnx_op_sequence_insert(onnx_call *c)
{
    const onnx_items *s = items_in(c, 0);
    uint32_t at = 0;
    if (!s || !tensor_in(c, 1) || !position_in(c, 2, s->n, 1, s->n, &at))
        return false;
    onnx_value *all = onnx_new_items(c, 0, s->n + 1);
    for (uint32_t i = 0; all && i <= s->n; i++)
        all[i] = i < at ? s->at[i] : i == at ? *c->in[1] : s->at[i - 1];
    return all != NULL;
}

bool onnx_op_sequence_erase(onnx_call *c)
{
    const onnx_items *s = items_in(c, 0);
    uint32_t at = 0;
    if (!s || !position_in(c, 1, s->n, 0, -1, &at))
        return false;
    onnx_value *all = onnx_new_items(c, 0, s->n - 1);
    for (uint32_t i = 0; all && i + 1 < s->n; i++)
        all[i] = s->at[i < at ? i : i + 1];
    return all != NULL;
}

bool onnx_op_concat_from_sequence(onnx_call *c)
{
    const onnx_items *s = items_in(c, 0);
    const bool fresh = onnx_attr_int(c, "new_axis", 0);
    tn_value *parts = s ? onnx_room(c, s->n) : NULL;
    if (!parts || !onnx_all_data(c, s->at, s->n, parts))
        return false;
    const type *t = s->n ? onnx_type_of(c, parts[0]) : NULL;
    int64_t axis = onnx_attr_int(c, "axis", 0);
    if (!t)
        return s->n == 0 && onnx_refuse(c, DIAG_ShapeUnknown, "the sequence is empty");
    if (!onnx_axis(c, axis, t->rank + fresh, &axis))
        return false;
    for (uint32_t i = 0; fresh && i < s->n; i++)
        parts[i] = tn_expand_dims(c->b, parts[i], TN_INTS(axis));
    return onnx_give(c, 0, s->n == 1 ? parts[0] : tn_concat(c->b, (tn_values){parts, s->n}, axis));
}

/* ---- SplitToSequence ---- */

/* Parts of an axis: SIZES, or equal ones of EACH and a last one that may be smaller. */
typedef struct parts {
    const known_value *sizes;
    int64_t each, extent;
    int64_t n;
} parts;

/* Are there SIZES for all elements of an axis of EXTENT? */
static bool sizes_fit(const known_value *sizes, int64_t extent)
{
    int64_t left = extent;
    for (uint32_t i = 0; i < sizes->n; i++) {
        if (sizes->at[i].i < 0 || sizes->at[i].i > left)
            return false;
        left -= sizes->at[i].i;
    }
    return left == 0;
}

static bool read_parts(onnx_call *c, int64_t extent, parts *p)
{
    const known_value *k = onnx_in_known(c, 1);
    *p = (parts){.each = 1, .extent = extent};
    if (onnx_has_in(c, 1) && !k)
        return onnx_refuse(c, DIAG_DataDependentShape, "the sizes of the parts must be known");
    if (k && (k->rank > 1 || known_has_sizes(k)))
        return onnx_refuse(c, DIAG_ShapeUnknown, "the sizes of the parts must be numbers");
    if (k && dtype_is_float(k->dtype))
        return onnx_refuse(c, DIAG_InvalidAttribute, "the sizes of the parts must be integers");
    if (k && k->rank == 1) {
        p->sizes = k;
        p->n = k->n;
        return sizes_fit(k, extent) ||
               onnx_refuse(c, DIAG_DimensionMismatch,
                           "the parts do not make up the axis of %" PRId64, extent);
    }
    if (k)
        p->each = k->at[0].i;
    if (p->each < 1)
        return onnx_refuse(c, DIAG_InvalidAttribute, "parts of %" PRId64, p->each);
    p->n = extent / p->each + (extent % p->each != 0);
    return p->n <= KNOWN_MOST ||
           onnx_refuse(c, DIAG_LimitExceeded, "the sequence would have %" PRId64 " element%s", p->n,
                       plural((uint64_t)p->n));
}

/* Elements FROM .. FROM + N - 1 of a list that is known. */
static const known_value *known_list_part(onnx_call *c, const known_value *list, int64_t from,
                                          int64_t n)
{
    known_value *k = known_new(&c->im->memory, list->dtype, &n, 1);
    if (k && n)
        memcpy(k->at, list->at + from, (size_t)n * sizeof *k->at);
    return k;
}

bool onnx_op_split_to_sequence(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    int64_t axis = onnx_attr_int(c, "axis", 0);
    const bool keep = onnx_has_in(c, 1) || onnx_attr_int(c, "keepdims", 1);
    parts p;
    if (!t || !onnx_axis(c, axis, t->rank, &axis))
        return false;
    if (dim_is_symbolic(t->dims[axis]))
        return onnx_refuse(c, DIAG_ShapeUnknown, "the extent of the axis must be a number");
    if (!read_parts(c, t->dims[axis], &p))
        return false;
    onnx_value *at = onnx_new_items(c, 0, (uint32_t)p.n);
    const known_value *list = t->rank == 1 && keep ? onnx_in_known(c, 0) : NULL;
    const tn_value x = list ? tn_no_value() : onnx_in(c, 0);
    int64_t from = 0;
    for (int64_t i = 0; at && i < p.n; i++) {
        const int64_t rest = p.extent - from;
        const int64_t n = p.sizes ? p.sizes->at[i].i : rest < p.each ? rest : p.each;
        if (list) {
            at[i] = (onnx_value){.known = known_list_part(c, list, from, n)};
            if (!at[i].known)
                return onnx_no_memory(c->im);
        } else {
            const tn_value part = tn_slice_axis(c->b, x, axis, from, n);
            at[i] = (onnx_value){.v = keep ? part : tn_squeeze(c->b, part, TN_INTS(axis))};
        }
        from += n;
    }
    return at && (list || tn_is_value(x));
}

/* ---- SequenceMap ---- */

/* The graph once for each element; other inputs are sequences of the same length, or tensors. */
bool onnx_op_sequence_map(onnx_call *c)
{
    const onnx_items *s = items_in(c, 0);
    const onnx_graph *body = onnx_inner_graph(c, "body");
    onnx_value *args = ARENA_ARRAY(&c->im->memory, onnx_value, c->n_in);
    onnx_value *results = ARENA_ARRAY(&c->im->memory, onnx_value, c->n_out);
    onnx_value **all = ARENA_ARRAY(&c->im->memory, onnx_value *, c->n_out);
    if (!s || !body)
        return false;
    if (!args || !results || !all)
        return onnx_no_memory(c->im);
    for (uint32_t i = 0; i < c->n_in; i++)
        if (!c->in[i] || (c->in[i]->items && c->in[i]->items->n != s->n))
            return onnx_refuse(c, DIAG_DimensionMismatch,
                               "input %" PRIu32 " is no sequence of the same length", i);
    for (uint32_t i = 0; i < c->n_out; i++)
        if (!(all[i] = onnx_new_items(c, i, s->n)))
            return false;
    for (uint32_t k = 0; k < s->n; k++) {
        for (uint32_t i = 0; i < c->n_in; i++)
            args[i] = c->in[i]->items ? c->in[i]->items->at[k] : *c->in[i];
        if (!onnx_inline(c, body, args, c->n_in, results, c->n_out))
            return false;
        for (uint32_t i = 0; i < c->n_out; i++)
            all[i][k] = results[i];
    }
    return true;
}

/* ---- optional values ---- */

bool onnx_op_optional(onnx_call *c)
{
    if (onnx_has_in(c, 0))
        return onnx_give_in(c, 0, 0);
    return onnx_give_value(c, 0, &(onnx_value){.is_empty = true});
}

bool onnx_op_optional_has_element(onnx_call *c)
{
    return give_int(c, TN_I1, onnx_has_in(c, 0) && !c->in[0]->is_empty);
}

bool onnx_op_optional_get_element(onnx_call *c)
{
    if (c->in[0]->is_empty)
        return onnx_refuse(c, DIAG_Sequence, "the optional value holds nothing");
    return onnx_give_in(c, 0, 0);
}
