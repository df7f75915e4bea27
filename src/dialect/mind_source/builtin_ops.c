/* The built-in functions that are instructions. */
#include <string.h>

#include "dialect/mind_source/builtin.h"

/* ---- elementwise and contractions ---- */

value builtin_neg(use *u)
{
    value_id x = use_tensor(u, 0);
    return tensor_value(lowering_node(u->l, OP_NEG, &x, 1, NULL, 0, u->at));
}

/* Relu, Exp and Log, of floats only. */
value builtin_float(use *u)
{
    value v = u->values[0];
    tn_dtype like = v.kind == V_NUMBER || v.kind == V_ARRAY ? TN_F32 : TN_DTYPE_COUNT;
    value_id x = lowering_tensor(u->l, v, u->places[0], like);
    if (x == NO_VALUE)
        return BAD;
    const type *t = value_type(u->l->f, x);
    if (!dtype_is_float(t->dtype))
        return lowering_fault(u->l, DIAG_DTypeNotSupported, u->at,
                              "'%s' takes floats, f32 or f64, not %s", u->b->name,
                              type_words(u->l, t));
    return tensor_value(lowering_node(u->l, (op_id)u->b->op, &x, 1, NULL, 0, u->at));
}

value builtin_arithmetic(use *u)
{
    return lowering_binary(u->l, (op_id)u->b->op, u->values[0], u->places[0], u->values[1],
                           u->places[1], u->at, u->at);
}

value builtin_product(use *u)
{
    tn_dtype own[2] = {lowering_own_dtype(u->l, &u->values[0]),
                       lowering_own_dtype(u->l, &u->values[1])};
    tn_dtype like = u->values[0].kind == V_ARRAY ? own[1] : own[0];
    value_id in[2];
    for (uint32_t i = 0; i < 2; i++)
        in[i] = lowering_tensor(u->l, u->values[i], u->places[i], like);
    return tensor_value(lowering_node(u->l, (op_id)u->b->op, in, 2, NULL, 0, u->at));
}

value builtin_take(use *u)
{
    value_id in[] = {use_tensor(u, 0), lowering_tensor(u->l, u->values[1], u->places[1], TN_SI64)};
    return tensor_value(lowering_node(u->l, OP_TAKE, in, 2, NULL, 0, u->at));
}

/* ---- reductions ---- */

value builtin_reduce(use *u)
{
    int64_t axes[TN_MAX_RANK];
    uint32_t n = 0;
    value_id x = use_tensor(u, 0);
    if (x == NO_VALUE ||
        (u->given[1] && !lowering_ints(u->l, &u->values[1], u->places[1], "an axis", axes, &n)))
        return BAD;
    if (u->given[2] && u->values[2].kind != V_BOOL)
        return lowering_fault(u->l, DIAG_TypeMismatch, u->places[2],
                              "expected true or false as keepdims, found %s",
                              value_words(u->l, &u->values[2]));
    /* no axes are all axes, which the graph says by leaving them out; then nothing is kept */
    attr entries[] = {attr_of_ints(KEY_AXES, axes, n),
                      attr_of_int(KEY_KEEPDIMS, n && u->given[2] && u->values[2].truth)};
    return tensor_value(
        lowering_node(u->l, (op_id)u->b->op, &x, 1, n ? entries : entries + 1, n ? 2 : 1, u->at));
}

/* ---- movement ---- */

static value with_ints(use *u, value_id x, op_id op, attr_key key, const int64_t *ints, uint32_t n)
{
    attr entry = attr_of_ints(key, ints, n);
    return tensor_value(lowering_node(u->l, op, &x, 1, &entry, 1, u->at));
}

/* An op with a list of WHAT as its second argument. */
static value with_list(use *u, op_id op, attr_key key, const char *what)
{
    int64_t list[TN_MAX_RANK];
    uint32_t n;
    value_id x = use_tensor(u, 0);
    if (x == NO_VALUE || !lowering_ints(u->l, &u->values[1], u->places[1], what, list, &n))
        return BAD;
    return with_ints(u, x, op, key, list, n);
}

value builtin_reshape(use *u)
{
    return with_list(u, OP_RESHAPE, KEY_SHAPE, "an extent");
}

value builtin_flatten(use *u)
{
    static const int64_t inferred = -1;
    value_id x = use_tensor(u, 0);
    return x == NO_VALUE ? BAD : with_ints(u, x, OP_RESHAPE, KEY_SHAPE, &inferred, 1);
}

value builtin_transpose(use *u)
{
    int64_t perm[TN_MAX_RANK];
    uint32_t n;
    value_id x = use_tensor(u, 0);
    if (x == NO_VALUE)
        return BAD;
    if (u->given[1]) {
        if (!lowering_ints(u->l, &u->values[1], u->places[1], "an axis", perm, &n))
            return BAD;
    } else {
        n = value_type(u->l->f, x)->rank;
        for (uint32_t i = 0; i < n; i++)
            perm[i] = n - 1 - i;
    }
    return with_ints(u, x, OP_TRANSPOSE, KEY_PERM, perm, n);
}

value builtin_expand_dims(use *u)
{
    return with_list(u, OP_EXPAND_DIMS, KEY_AXES, "an axis");
}

value builtin_squeeze(use *u)
{
    int64_t axes[TN_MAX_RANK];
    uint32_t n = 0;
    value_id x = use_tensor(u, 0);
    if (x == NO_VALUE)
        return BAD;
    const type *t = value_type(u->l->f, x);
    if (u->given[1] && !lowering_ints(u->l, &u->values[1], u->places[1], "an axis", axes, &n))
        return BAD;
    for (uint32_t i = 0; i < n; i++)
        if (axes[i] < 0)
            return lowering_fault(u->l, DIAG_InvalidAxis, u->places[1],
                                  "axis %" PRId64 " of 'squeeze' is out of range for rank %" PRIu32,
                                  axes[i], t->rank);
    for (uint32_t i = 0; !u->given[1] && i < t->rank; i++)
        if (t->dims[i] == 1)
            axes[n++] = i;
    return with_ints(u, x, OP_SQUEEZE, KEY_AXES, axes, n);
}

/* ---- positions ---- */

/* Of the two forms of a function both are used: arguments WHAT of the first, and then one of the
 * places from FROM up to TO. */
static bool is_mixed(use *u, const char *what, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (u->given[i]) {
            (void)lowering_fault(u->l, DIAG_InvalidAttribute, u->places[i],
                                 "'%s' takes %s, or what it does along one axis, not both",
                                 u->b->name, what);
            return true;
        }
    return false;
}

/* index(x, [i, j]), or index(x, axis=a, i=k): row k along an axis. */
value builtin_index(use *u)
{
    int64_t at[TN_MAX_RANK], axis = 0, i = 0;
    uint32_t n;
    value_id x = use_tensor(u, 0);
    if (x == NO_VALUE)
        return BAD;
    if (u->given[1]) {
        if (is_mixed(u, "positions", 2, 4) ||
            !lowering_ints(u->l, &u->values[1], u->places[1], "a position", at, &n))
            return BAD;
        return with_ints(u, x, OP_INDEX, KEY_INDICES, at, n);
    }
    const type *t = value_type(u->l->f, x);
    if (!u->given[3])
        return lowering_fault(u->l, DIAG_ArityMismatch, u->at, "'index' needs its positions");
    if ((u->given[2] && !lowering_int(u->l, &u->values[2], u->places[2], "an axis", &axis)) ||
        !lowering_int(u->l, &u->values[3], u->places[3], "a position", &i))
        return BAD;
    if (axis < 0 || axis >= t->rank)
        return lowering_fault(u->l, DIAG_InvalidAxis, u->given[2] ? u->places[2] : u->at,
                              "axis %" PRId64 " of 'index' is out of range for rank %" PRIu32, axis,
                              t->rank);
    if (i < 0 || i >= t->dims[axis])
        return lowering_fault(u->l, DIAG_IndexOutOfBounds, u->places[3],
                              "position %" PRId64 " is outside dimension %" PRId64
                              ", which has extent %" PRId64,
                              i, axis, t->dims[axis]);
    int64_t starts[TN_MAX_RANK] = {0}, ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    for (uint32_t k = 0; k < t->rank; k++) {
        ends[k] = t->dims[k];
        steps[k] = 1;
    }
    starts[axis] = i;
    ends[axis] = i + 1;
    attr entries[] = {attr_of_ints(KEY_STARTS, starts, t->rank),
                      attr_of_ints(KEY_ENDS, ends, t->rank),
                      attr_of_ints(KEY_STEPS, steps, t->rank)};
    x = lowering_node(u->l, OP_SLICE, &x, 1, entries, 3, u->at);
    return x == NO_VALUE ? BAD : with_ints(u, x, OP_SQUEEZE, KEY_AXES, &axis, 1);
}

/* slice(x, starts, ends, steps), or slice(x, axis=a, start=s, end=e, step=k). */
value builtin_slice(use *u)
{
    int64_t bounds[3][TN_MAX_RANK], axis = 0, start = 0, step = 1;
    uint32_t n[3] = {0};
    value_id x = use_tensor(u, 0);
    if (x == NO_VALUE)
        return BAD;
    const type *t = value_type(u->l->f, x);
    for (uint32_t i = 0; i < 3; i++)
        if (u->given[1 + i] && !lowering_ints(u->l, &u->values[1 + i], u->places[1 + i],
                                              "the bound of a slice", bounds[i], &n[i]))
            return BAD;
    if (u->given[1] != u->given[2] || (u->given[3] && !u->given[1]))
        return lowering_fault(u->l, DIAG_ArityMismatch, u->at, "'slice' needs its starts and ends");
    if (u->given[1] && is_mixed(u, "starts and ends", 4, 8))
        return BAD;
    if (!u->given[1]) {
        if (!use_int(u, 4, "an axis", &axis))
            return BAD;
        if (axis < 0 || axis >= t->rank)
            return lowering_fault(u->l, DIAG_InvalidAxis, u->given[4] ? u->places[4] : u->at,
                                  "axis %" PRId64 " of 'slice' is out of range for rank %" PRIu32,
                                  axis, t->rank);
        int64_t end = t->dims[axis];
        if (!use_int(u, 5, "a start", &start) || !use_int(u, 6, "an end", &end) ||
            !use_int(u, 7, "a step", &step))
            return BAD;
        for (uint32_t i = 0; i < t->rank; i++) {
            bounds[0][i] = i == axis ? start : 0;
            bounds[1][i] = i == axis ? end : t->dims[i];
            bounds[2][i] = i == axis ? step : 1;
        }
        n[0] = n[1] = n[2] = t->rank;
    } else if (!u->given[3]) {
        for (; n[2] < n[0]; n[2]++)
            bounds[2][n[2]] = 1;
    }
    for (uint32_t i = 0; u->l->s->options->slice_clamp && i < n[0] && i < n[1] && i < n[2]; i++)
        for (uint32_t k = 0; k < 2; k++)
            if (bounds[2][i] > 0 && bounds[k][i] < 0)
                bounds[k][i] = 0;
    attr entries[] = {attr_of_ints(KEY_STARTS, bounds[0], n[0]),
                      attr_of_ints(KEY_ENDS, bounds[1], n[1]),
                      attr_of_ints(KEY_STEPS, bounds[2], n[2])};
    return tensor_value(lowering_node(u->l, OP_SLICE, &x, 1, entries, 3, u->at));
}

/* ---- convolution ---- */

static bool word_is(const char *text, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if ((text[i] | 32) != word[i])
            return false;
    return word[n] == '\0';
}

/* [[t, b], [l, r]] */
static bool read_pads(use *u, const value *v, span at, int64_t pads[4])
{
    if (v->kind == V_BAD)
        return false;
    bool ok = (v->kind == V_ARRAY || v->kind == V_TUPLE) && v->n == 2;
    for (uint32_t i = 0; ok && i < 2; i++) {
        const value *pair = &v->u.items[i];
        ok = (pair->kind == V_ARRAY || pair->kind == V_TUPLE) && pair->n == 2 &&
             value_is_int(u->l, &pair->u.items[0], &pads[2 * i]) &&
             value_is_int(u->l, &pair->u.items[1], &pads[2 * i + 1]) && pads[2 * i] >= 0 &&
             pads[2 * i + 1] >= 0;
    }
    if (!ok)
        (void)lowering_fault(u->l, DIAG_InvalidPadding, at,
                             "padding is Valid, Same or Custom([[top, bottom], [left, right]])");
    return ok;
}

static bool read_padding(use *u, padding_mode *mode, int64_t pads[4])
{
    const expr *e = u->exprs[3];
    *mode = PADDING_VALID;
    if (!u->given[3] || !e)
        return true;
    const expr member = {.kind = X_NAME, .name = e->name, .at = e->at};
    if (e->kind == X_FIELD && e->token == T_PATH) /* Padding::Same */
        e = &member;
    const char *word = e->kind == X_NAME ? e->name : e->u.string.bytes;
    if (e->kind == X_NAME || e->kind == X_STRING) {
        size_t n = e->kind == X_NAME ? strlen(word) : e->u.string.n;
        if (word_is(word, n, "valid"))
            return true;
        *mode = PADDING_SAME;
        if (word_is(word, n, "same"))
            return true;
    }
    *mode = PADDING_CUSTOM;
    if (e->kind == X_CALL && e->n == 2 && e->first->kind == X_NAME &&
        word_is(e->first->name, strlen(e->first->name), "custom")) {
        value v = lowering_expr(u->l, e->first->next);
        return read_pads(u, &v, e->at, pads);
    }
    value v = e->kind == X_STRING ? (value){.kind = V_STRING} : lowering_expr(u->l, e);
    return read_pads(u, &v, e->at, pads);
}

value builtin_conv2d(use *u)
{
    int64_t strides[TN_MAX_RANK] = {1, 1}, pads[4] = {0};
    uint32_t n = 2;
    padding_mode mode;
    value_id in[] = {use_tensor(u, 0), use_tensor(u, 1)};
    if ((u->given[2] &&
         !lowering_ints(u->l, &u->values[2], u->places[2], "a stride", strides, &n)) ||
        !read_padding(u, &mode, pads))
        return BAD;
    attr entries[] = {attr_of_ints(KEY_STRIDES, strides, n), attr_of_int(KEY_PADDING, mode),
                      attr_of_ints(KEY_PADS, pads, 4)};
    return tensor_value(
        lowering_node(u->l, OP_CONV2D, in, 2, entries, mode == PADDING_CUSTOM ? 3 : 2, u->at));
}
