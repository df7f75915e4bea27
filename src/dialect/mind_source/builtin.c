/* The functions of the language that are instructions, constants or derivatives. */
#include <string.h>

#include "base/checked.h"
#include "dialect/mind_source/lower.h"

enum { MOST_ARGUMENTS = 8, MOST_GENERATED = 1 << 20 };

typedef struct builtin builtin;

/* One use of a built-in function, with its arguments in the places of its parameters. */
typedef struct use {
    lowering *l;
    const builtin *b;
    span at; /* the whole call */
    value values[MOST_ARGUMENTS];
    span places[MOST_ARGUMENTS];
    const expr *exprs[MOST_ARGUMENTS]; /* NULL: the object of a method */
    bool given[MOST_ARGUMENTS];
} use;

struct builtin {
    const char *name;
    const char
        *parameters; /* space-separated; `a|b`: two names for one; behind `*`: not evaluated */
    uint8_t n_required;
    uint8_t op; /* op_id of the plain ones */
    value (*lower)(use *u);
};

static value_id tensor_at(use *u, uint32_t i)
{
    return lowering_tensor(u->l, u->values[i], u->places[i], TN_DTYPE_COUNT);
}

/* ---- elementwise and contractions ---- */

static value lower_neg(use *u)
{
    value_id x = tensor_at(u, 0);
    return tensor_value(lowering_node(u->l, OP_NEG, &x, 1, NULL, 0, u->at));
}

/* Relu, Exp and Log, of floats only. */
static value lower_float(use *u)
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

static value lower_arithmetic(use *u)
{
    return lowering_binary(u->l, (op_id)u->b->op, u->values[0], u->places[0], u->values[1],
                           u->places[1], u->at, u->at);
}

static value lower_product(use *u)
{
    tn_dtype own[2] = {lowering_own_dtype(u->l, &u->values[0]),
                       lowering_own_dtype(u->l, &u->values[1])};
    tn_dtype like = u->values[0].kind == V_ARRAY ? own[1] : own[0];
    value_id in[2];
    for (uint32_t i = 0; i < 2; i++)
        in[i] = lowering_tensor(u->l, u->values[i], u->places[i], like);
    return tensor_value(lowering_node(u->l, (op_id)u->b->op, in, 2, NULL, 0, u->at));
}

static value lower_take(use *u)
{
    value_id in[] = {tensor_at(u, 0), lowering_tensor(u->l, u->values[1], u->places[1], TN_SI64)};
    return tensor_value(lowering_node(u->l, OP_TAKE, in, 2, NULL, 0, u->at));
}

/* ---- reductions ---- */

static value lower_reduce(use *u)
{
    int64_t axes[TN_MAX_RANK];
    uint32_t n = 0;
    value_id x = tensor_at(u, 0);
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

static value lower_reshape(use *u)
{
    int64_t dims[TN_MAX_RANK];
    uint32_t n;
    value_id x = tensor_at(u, 0);
    if (x == NO_VALUE || !lowering_ints(u->l, &u->values[1], u->places[1], "an extent", dims, &n))
        return BAD;
    return with_ints(u, x, OP_RESHAPE, KEY_SHAPE, dims, n);
}

static value lower_flatten(use *u)
{
    static const int64_t inferred = -1;
    value_id x = tensor_at(u, 0);
    return x == NO_VALUE ? BAD : with_ints(u, x, OP_RESHAPE, KEY_SHAPE, &inferred, 1);
}

static value lower_transpose(use *u)
{
    int64_t perm[TN_MAX_RANK];
    uint32_t n;
    value_id x = tensor_at(u, 0);
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

static value lower_expand_dims(use *u)
{
    int64_t axes[TN_MAX_RANK];
    uint32_t n;
    value_id x = tensor_at(u, 0);
    if (x == NO_VALUE || !lowering_ints(u->l, &u->values[1], u->places[1], "an axis", axes, &n))
        return BAD;
    return with_ints(u, x, OP_EXPAND_DIMS, KEY_AXES, axes, n);
}

static value lower_squeeze(use *u)
{
    int64_t axes[TN_MAX_RANK];
    uint32_t n = 0;
    value_id x = tensor_at(u, 0);
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

/* index(x, [i, j]), or index(x, axis=a, i=k): row k along an axis. */
static value lower_index(use *u)
{
    int64_t at[TN_MAX_RANK], axis = 0, i = 0;
    uint32_t n;
    value_id x = tensor_at(u, 0);
    if (x == NO_VALUE)
        return BAD;
    if (u->given[1]) {
        if (!lowering_ints(u->l, &u->values[1], u->places[1], "a position", at, &n))
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

static bool optional_int(use *u, uint32_t i, const char *what, int64_t *out)
{
    return !u->given[i] || lowering_int(u->l, &u->values[i], u->places[i], what, out);
}

/* slice(x, starts, ends, steps), or slice(x, axis=a, start=s, end=e, step=k). */
static value lower_slice(use *u)
{
    int64_t bounds[3][TN_MAX_RANK], axis = 0, start = 0, step = 1;
    uint32_t n[3] = {0};
    value_id x = tensor_at(u, 0);
    if (x == NO_VALUE)
        return BAD;
    const type *t = value_type(u->l->f, x);
    for (uint32_t i = 0; i < 3; i++)
        if (u->given[1 + i] && !lowering_ints(u->l, &u->values[1 + i], u->places[1 + i],
                                              "the bound of a slice", bounds[i], &n[i]))
            return BAD;
    if (u->given[1] != u->given[2] || (u->given[3] && !u->given[1]))
        return lowering_fault(u->l, DIAG_ArityMismatch, u->at, "'slice' needs its starts and ends");
    if (!u->given[1]) {
        if (!optional_int(u, 4, "an axis", &axis))
            return BAD;
        if (axis < 0 || axis >= t->rank)
            return lowering_fault(u->l, DIAG_InvalidAxis, u->given[4] ? u->places[4] : u->at,
                                  "axis %" PRId64 " of 'slice' is out of range for rank %" PRIu32,
                                  axis, t->rank);
        int64_t end = t->dims[axis];
        if (!optional_int(u, 5, "a start", &start) || !optional_int(u, 6, "an end", &end) ||
            !optional_int(u, 7, "a step", &step))
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
    if (e->kind == X_FIELD && e->token == T_PATH) /* Padding::Same */
        e = &(expr){.kind = X_NAME, .name = e->name, .at = e->at};
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

static value lower_conv2d(use *u)
{
    int64_t strides[TN_MAX_RANK] = {1, 1}, pads[4] = {0};
    uint32_t n = 2;
    padding_mode mode;
    value_id in[] = {tensor_at(u, 0), tensor_at(u, 1)};
    if ((u->given[2] &&
         !lowering_ints(u->l, &u->values[2], u->places[2], "a stride", strides, &n)) ||
        !read_padding(u, &mode, pads))
        return BAD;
    attr entries[] = {attr_of_ints(KEY_STRIDES, strides, n), attr_of_int(KEY_PADDING, mode),
                      attr_of_ints(KEY_PADS, pads, 4)};
    return tensor_value(
        lowering_node(u->l, OP_CONV2D, in, 2, entries, mode == PADDING_CUSTOM ? 3 : 2, u->at));
}

/* ---- constants ---- */

static const number zero = {.is_int = true};
static const number one = {.is_int = true, .magnitude = 1, .f32 = 1, .f64 = 1};

static bool read_dtype(use *u, uint32_t i, literal_value *lit)
{
    if (!u->given[i])
        return true;
    if (u->values[i].kind != V_DTYPE) {
        (void)lowering_fault(u->l, DIAG_TypeMismatch, u->places[i],
                             "expected an element type as dtype, found %s",
                             value_words(u->l, &u->values[i]));
        return false;
    }
    lit->has_dtype = true;
    lit->dtype = (tn_dtype)u->values[i].dtype;
    return true;
}

/* The shape in place I, of positive extents. */
static bool read_shape(use *u, uint32_t i, literal_value *lit)
{
    int64_t dims[TN_MAX_RANK];
    if (!lowering_ints(u->l, &u->values[i], u->places[i], "an extent", dims, &lit->rank))
        return false;
    for (uint32_t k = 0; k < lit->rank; k++)
        if (dims[k] <= 0 || dims[k] > INT64_MAX / 2) {
            (void)lowering_fault(u->l, DIAG_InvalidDimension, u->places[i],
                                 "dimension %" PRIu32 " is %" PRId64
                                 "; an extent is a positive integer",
                                 k, dims[k]);
            return false;
        }
    dim *own = ARENA_ARRAY(&u->l->s->memory, dim, lit->rank);
    if (!own) {
        surface_no_memory(u->l->s);
        return false;
    }
    if (lit->rank)
        memcpy(own, dims, lit->rank * sizeof *own);
    lit->dims = own;
    lit->has_shape = true;
    return true;
}

static void exchange(use *u, uint32_t i, uint32_t k)
{
    value v = u->values[i];
    span at = u->places[i];
    bool given = u->given[i];
    u->values[i] = u->values[k];
    u->places[i] = u->places[k];
    u->given[i] = u->given[k];
    u->values[k] = v;
    u->places[k] = at;
    u->given[k] = given;
}

/* zeros(shape, dtype); also zeros(dtype, shape). */
static value make_fill(use *u, const number *n, uint32_t dtype_at)
{
    value v = lowering_number(u->l, *n);
    if (v.kind == V_BAD)
        return v;
    v.kind = V_FILL;
    if (u->given[0] && u->values[0].kind == V_DTYPE)
        exchange(u, 0, dtype_at);
    if (!read_dtype(u, dtype_at, v.u.literal) || (u->given[0] && !read_shape(u, 0, v.u.literal)))
        return BAD;
    return v;
}

static value lower_zeros(use *u)
{
    return make_fill(u, &zero, 1);
}

static value lower_ones(use *u)
{
    return make_fill(u, &one, 1);
}

static value lower_full(use *u)
{
    if (u->values[1].kind == V_BAD)
        return BAD;
    if (u->values[1].kind != V_NUMBER)
        return lowering_fault(u->l, DIAG_TypeMismatch, u->places[1],
                              "expected a number to fill the tensor with, found %s",
                              value_words(u->l, &u->values[1]));
    number n = u->values[1].u.literal->number;
    return make_fill(u, &n, 2);
}

/* A list that is made here, or the constant that it is when a dtype is given. */
static value finish_list(use *u, value *items, uint32_t n, uint32_t dtype_at)
{
    value list = lowering_number(u->l, zero);
    literal_value lit = {.rank = 0};
    if (list.kind == V_BAD || !read_dtype(u, dtype_at, &lit))
        return BAD;
    value v = {.kind = V_ARRAY, .n = n, .u.items = items, .list = list.u.literal};
    return lit.has_dtype ? tensor_value(lowering_tensor(u->l, v, u->at, lit.dtype)) : v;
}

/* False, reported, when a list of N entries is too long. */
static value *new_items(use *u, int64_t n)
{
    if (n < 1 || n > MOST_GENERATED) {
        (void)lowering_fault(u->l, n < 1 ? DIAG_InvalidDimension : DIAG_LimitExceeded, u->at,
                             "'%s' makes 1 to %d entries, not %" PRId64, u->b->name, MOST_GENERATED,
                             n);
        return NULL;
    }
    value *items = ARENA_ARRAY(&u->l->s->memory, value, (size_t)n);
    if (!items)
        surface_no_memory(u->l->s);
    return items;
}

static number number_of_int(int64_t i)
{
    number n = {.is_int = true, .negative = i < 0};
    n.magnitude = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    n.f32 = (float)n.magnitude;
    n.f64 = (double)n.magnitude;
    return n;
}

static value lower_eye(use *u)
{
    int64_t n, count;
    if (!lowering_int(u->l, &u->values[0], u->places[0], "an extent", &n))
        return BAD;
    if (!mul_i64(n, n, &count))
        count = INT64_MAX;
    value *rows = new_items(u, n < 1 ? n : count);
    literal_value lit = {.has_dtype = true, .dtype = TN_F32};
    if (!rows || !read_dtype(u, 1, &lit))
        return BAD;
    const type *t = type_of(&u->l->s->m->types, lit.dtype, (dim[]){n, n}, 2);
    size_t size = dtype_bytes(lit.dtype);
    char *data = t ? arena_calloc(&u->l->s->memory, (size_t)count, size) : NULL;
    if (!data)
        return lowering_no_memory(u->l);
    for (int64_t i = 0; i < n; i++)
        (void)scalar_store(scalar_of_int(1), lit.dtype, data + (size_t)(i * n + i) * size);
    return tensor_value(lowering_constant(u->l, t, data, false, u->at));
}

static bool any_float(const use *u)
{
    bool any = false;
    for (uint32_t i = 0; i < 3; i++)
        any = any || (u->given[i] && u->values[i].kind == V_NUMBER &&
                      !u->values[i].u.literal->number.is_int);
    return any;
}

static double float_of(const number *n)
{
    return n->is_int && n->negative ? -n->f64 : n->f64;
}

static value float_item(lowering *l, double f)
{
    return lowering_number(l, (number){.f32 = (float)f, .f64 = f});
}

static bool are_numbers(use *u, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (u->given[i] && u->values[i].kind != V_NUMBER) {
            if (u->values[i].kind != V_BAD)
                (void)lowering_fault(u->l, DIAG_TypeMismatch, u->places[i],
                                     "expected a number, found %s",
                                     value_words(u->l, &u->values[i]));
            return false;
        }
    return true;
}

/* arange(end), arange(start, end), arange(start, end, step) */
static value lower_arange(use *u)
{
    int64_t start = 0, end = 0, step = 1, span_of, n;
    if (!are_numbers(u, 3))
        return BAD;
    if (!u->given[1]) {
        exchange(u, 0, 1);
        u->given[0] = false;
    }
    if (any_float(u)) {
        double a = u->given[0] ? float_of(&u->values[0].u.literal->number) : 0;
        double b = float_of(&u->values[1].u.literal->number);
        double k = u->given[2] ? float_of(&u->values[2].u.literal->number) : 1;
        double many = k == 0 ? -1 : (b - a) / k;
        n = many > 0 && many < (double)MOST_GENERATED * 2 ? (int64_t)many
            : many > 0                                    ? INT64_MAX
                                                          : 0;
        n += many > 0 && n < INT64_MAX && (double)n < many;
        value *items = new_items(u, n);
        for (int64_t i = 0; items && i < n; i++)
            items[i] = float_item(u->l, a + (double)i * k);
        return items ? finish_list(u, items, (uint32_t)n, 3) : BAD;
    }
    if (!optional_int(u, 0, "a start", &start) || !optional_int(u, 1, "an end", &end) ||
        !optional_int(u, 2, "a step", &step))
        return BAD;
    if (step == 0)
        return lowering_fault(u->l, DIAG_SliceStep, u->places[2], "the step of 'arange' is 0");
    if (!sub_i64(end, start, &span_of))
        return lowering_fault(u->l, DIAG_LimitExceeded, u->at, "'arange' makes too many entries");
    n = (span_of > 0) == (step > 0) && span_of ? (span_of - (step > 0 ? 1 : -1)) / step + 1 : 0;
    value *items = new_items(u, n);
    for (int64_t i = 0; items && i < n; i++)
        items[i] = lowering_number(u->l, number_of_int(start + i * step));
    return items ? finish_list(u, items, (uint32_t)n, 3) : BAD;
}

/* linspace(start, end, n), both ends included */
static value lower_linspace(use *u)
{
    int64_t n;
    if (!are_numbers(u, 2) || !lowering_int(u->l, &u->values[2], u->places[2], "a count", &n))
        return BAD;
    double a = float_of(&u->values[0].u.literal->number);
    double b = float_of(&u->values[1].u.literal->number);
    value *items = new_items(u, n);
    for (int64_t i = 0; items && i < n; i++)
        items[i] =
            float_item(u->l, i && i == n - 1 ? b : a + (double)i * ((b - a) / (double)(n - 1)));
    if (items && n == 1)
        items[0] = float_item(u->l, a);
    return items ? finish_list(u, items, (uint32_t)n, 3) : BAD;
}

/* tensor(literal, dtype: f64) */
static value lower_tensor_of(use *u)
{
    literal_value lit = {.rank = 0};
    if (!read_dtype(u, 1, &lit))
        return BAD;
    if (lit.has_dtype && u->values[0].kind != V_TENSOR && u->values[0].kind != V_FILL &&
        !dtype_is_float(lit.dtype) &&
        dtype_is_float(lowering_own_dtype(u->l, &u->values[0]) == TN_F32 ? TN_F32 : TN_SI64))
        return lowering_fault(u->l, DIAG_TypeMismatch, u->places[0],
                              "a float cannot become an integer");
    value_id v = lowering_tensor(u->l, u->values[0], u->places[0],
                                 lit.has_dtype ? lit.dtype : TN_DTYPE_COUNT);
    if (v == NO_VALUE)
        return BAD;
    const type *t = value_type(u->l->f, v);
    if (lit.has_dtype && t->dtype != lit.dtype)
        return lowering_fault(u->l, DIAG_TypeMismatch, u->at,
                              "the element type is given twice: %s, and in dtype",
                              type_words(u->l, t));
    return tensor_value(v);
}

/* ---- derivatives ---- */

/* One tensor to differentiate by. Numbers have no identity, so they need a type first. */
static bool read_wrt(use *u, const value *v, span at, value_id *out)
{
    if (v->kind == V_TENSOR) {
        *out = v->u.id;
        return true;
    }
    if (v->kind == V_NUMBER || v->kind == V_FILL)
        (void)lowering_fault(u->l, DIAG_CannotInfer, at,
                             "what to differentiate by needs a type; annotate where it is defined");
    else if (v->kind != V_BAD)
        (void)lowering_fault(u->l, DIAG_NotDifferentiable, at,
                             "expected a tensor to differentiate by, found %s",
                             value_words(u->l, v));
    return false;
}

/* The gradients of a value by other values: a tuple, or one tensor for one. */
static value lower_gradient_of(use *u)
{
    const value *wrt = &u->values[1];
    bool is_list = wrt->kind == V_ARRAY || wrt->kind == V_TUPLE;
    uint32_t n = is_list ? wrt->n : 1;
    value_id loss = tensor_at(u, 0), loss_out;
    value_id *by = ARENA_ARRAY(&u->l->s->memory, value_id, n);
    value_id *out = ARENA_ARRAY(&u->l->s->memory, value_id, n);
    value *items = ARENA_ARRAY(&u->l->s->memory, value, n);
    if (!by || !out || !items)
        return lowering_no_memory(u->l);
    if (loss == NO_VALUE)
        return BAD;
    for (uint32_t i = 0; i < n; i++)
        if (!read_wrt(u, is_list ? &wrt->u.items[i] : wrt, u->places[1], &by[i]))
            return BAD;
    if (n == 0)
        return (value){.kind = V_UNIT};
    if (!lowering_gradients(u->l, loss, by, n, by, u->at, &loss_out, out))
        return BAD;
    for (uint32_t i = 0; i < n; i++)
        items[i] = tensor_value(out[i]);
    return is_list ? (value){.kind = V_TUPLE, .n = n, .u.items = items} : items[0];
}

static value lower_grad(use *u)
{
    if (u->values[0].kind == V_BAD)
        return BAD;
    if (u->values[0].kind != V_FUNCTION) {
        if (u->given[1])
            return lower_gradient_of(u);
        return lowering_fault(u->l, DIAG_TypeMismatch, u->places[0],
                              "expected a function, or a value and 'wrt', found %s",
                              value_words(u->l, &u->values[0]));
    }
    if (u->given[1])
        return lowering_fault(
            u->l, DIAG_InvalidAttribute, u->places[1],
            "the gradient of a function is by its first argument; 'wrt' goes with "
            "values");
    closure *c = ARENA_NEW(&u->l->s->memory, closure);
    if (!c)
        return lowering_no_memory(u->l);
    *c = *u->values[0].u.closure;
    c->with_value = u->b->op != 0;
    return (value){.kind = V_GRADIENT, .u.closure = c};
}

/* ---- the table ---- */

static const builtin builtins[] = {
    {"add", "x y", 2, OP_ADD, lower_arithmetic},
    {"sub", "x y", 2, OP_SUB, lower_arithmetic},
    {"mul", "x y", 2, OP_MUL, lower_arithmetic},
    {"sum", "x axes|axis keepdims", 1, OP_SUM, lower_reduce},
    {"sum_all", "x", 1, OP_SUM, lower_reduce},
    {"mean", "x axes|axis keepdims", 1, OP_MEAN, lower_reduce},
    {"mean_all", "x", 1, OP_MEAN, lower_reduce},
    {"reshape", "x shape|new_shape", 2, 0, lower_reshape},
    {"flatten", "x", 1, 0, lower_flatten},
    {"transpose", "x permutation|perm|axes", 1, 0, lower_transpose},
    {"expand_dims", "x axes|axis", 2, 0, lower_expand_dims},
    {"squeeze", "x axes|axis", 1, 0, lower_squeeze},
    {"index", "x indices axis i", 1, 0, lower_index},
    {"slice", "x starts ends steps axis start end step", 1, 0, lower_slice},
    {"gather", "x indices|i|index", 2, 0, lower_take},
    {"dot", "x y", 2, OP_DOT, lower_product},
    {"matmul", "x y", 2, OP_MATMUL, lower_product},
    {"conv2d", "x w|filter|weights strides|stride *padding|pad", 2, 0, lower_conv2d},
    {"relu", "x", 1, OP_RELU, lower_float},
    {"neg", "x", 1, 0, lower_neg},
    {"exp", "x", 1, OP_EXP, lower_float},
    {"log", "x", 1, OP_LOG, lower_float},
    {"zeros", "shape dtype", 0, 0, lower_zeros},
    {"ones", "shape dtype", 0, 0, lower_ones},
    {"full", "shape value dtype", 2, 0, lower_full},
    {"eye", "n dtype", 1, 0, lower_eye},
    {"arange", "start end step dtype", 1, 0, lower_arange},
    {"linspace", "start end n dtype", 3, 0, lower_linspace},
    {"tensor", "value dtype", 1, 0, lower_tensor_of},
    {"grad", "f wrt", 1, 0, lower_grad},
    {"value_and_grad", "f", 1, 1, lower_grad},
    {"backward", "loss wrt|x", 2, 0, lower_gradient_of},
};

static const builtin *find_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}

bool is_builtin(const char *name)
{
    return find_builtin(name) != NULL;
}

/* ---- arguments ---- */

static uint32_t count_parameters(const builtin *b)
{
    uint32_t n = 1;
    for (const char *p = b->parameters; *p; p++)
        n += *p == ' ';
    return n;
}

/* The number of the parameter called LABEL; *RAW: it is not evaluated. */
static uint32_t find_parameter(const builtin *b, const char *label)
{
    uint32_t at = 0;
    size_t n = strlen(label);
    for (const char *p = b->parameters; *p;) {
        p += *p == '*';
        size_t m = strcspn(p, " |");
        if (m == n && memcmp(p, label, n) == 0)
            return at;
        at += p[m] == ' ';
        p += m + (p[m] != '\0');
    }
    return UINT32_MAX;
}

static bool is_raw(const builtin *b, uint32_t at)
{
    const char *p = b->parameters;
    for (; at && *p; p++)
        at -= *p == ' ';
    return *p == '*';
}

static bool place_argument(use *u, const expr *e, uint32_t to)
{
    if (u->given[to]) {
        (void)lowering_fault(u->l, DIAG_InvalidAttribute, e->at,
                             "an argument of '%s' is given twice", u->b->name);
        return false;
    }
    u->given[to] = true;
    u->exprs[to] = e;
    u->places[to] = e->at;
    if (!is_raw(u->b, to))
        u->values[to] = lowering_expr(u->l, e);
    return is_raw(u->b, to) || u->values[to].kind != V_BAD;
}

bool lowering_builtin(lowering *l, const expr *e, const char *name, span at, const value *self,
                      span self_at, value *out)
{
    const builtin *b = find_builtin(name);
    use u = {.l = l, .b = b, .at = e->at};
    bool ok = true;
    if (!b)
        return false;
    uint32_t n_parameters = count_parameters(b), n_given = e->n - 1 + (self != NULL), next = 0;
    uint32_t n_required = 0;
    *out = BAD;
    if (self) {
        u.values[0] = *self;
        u.places[0] = self_at;
        u.given[0] = true;
        next = 1;
        ok = self->kind != V_BAD;
    }
    if (n_given > n_parameters) {
        *out = lowering_fault(l, DIAG_ArityMismatch, at,
                              "'%s' takes at most %" PRIu32 " argument%s, "
                              "not %" PRIu32,
                              name, n_parameters, n_parameters == 1 ? "" : "s", n_given);
        return true;
    }
    for (const expr *a = e->first->next; a; a = a->next) {
        uint32_t to = a->label ? find_parameter(b, a->label) : next++;
        if (to >= n_parameters) {
            *out = a->label ? lowering_fault(l, DIAG_InvalidAttribute, a->label_at,
                                             "'%s' has no parameter '%.100s'", name, a->label)
                            : lowering_fault(l, DIAG_ArityMismatch, a->at,
                                             "'%s' takes fewer arguments", name);
            ok = false;
        } else {
            ok = place_argument(&u, a, to) && ok;
        }
    }
    for (uint32_t i = 0; i < b->n_required; i++)
        n_required += u.given[i];
    if (ok && n_required < b->n_required)
        *out = lowering_fault(l, DIAG_ArityMismatch, at, "'%s' takes %s%d argument%s, not %" PRIu32,
                              name, n_parameters > b->n_required ? "at least " : "", b->n_required,
                              b->n_required == 1 ? "" : "s", n_given);
    else if (ok && !surface_stopped(l->s))
        *out = b->lower(&u);
    return true;
}
