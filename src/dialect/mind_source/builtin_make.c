/* The built-in functions that make constants. */
#include <string.h>

#include "base/memory/checked.h"
#include "dialect/mind_source/builtin.h"

enum { MOST_GENERATED = 1 << 20 };

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

value builtin_zeros(use *u)
{
    return make_fill(u, &zero, 1);
}

value builtin_ones(use *u)
{
    return make_fill(u, &one, 1);
}

value builtin_full(use *u)
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
    value v = lowering_list(u->l, items, n);
    literal_value lit = {.rank = 0};
    if (v.kind == V_BAD || !read_dtype(u, dtype_at, &lit))
        return BAD;
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

value builtin_eye(use *u)
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
value builtin_arange(use *u)
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
    if (!use_int(u, 0, "a start", &start) || !use_int(u, 1, "an end", &end) ||
        !use_int(u, 2, "a step", &step))
        return BAD;
    if (step == 0)
        return lowering_fault(u->l, DIAG_SliceStep, u->places[2], "the step of 'arange' is 0");
    if (!sub_i64(end, start, &span_of))
        return lowering_fault(u->l, DIAG_LimitExceeded, u->at, "'arange' makes too many entries");
    n = (span_of > 0) == (step > 0) && span_of ? (span_of - (step > 0 ? 1 : -1)) / step + 1 : 0;
    value *items = new_items(u, n);
    for (int64_t i = 0; items && i < n; i++)
        items[i] = lowering_number(u->l, lowering_int_number(start + i * step));
    return items ? finish_list(u, items, (uint32_t)n, 3) : BAD;
}

/* linspace(start, end, n), both ends included */
value builtin_linspace(use *u)
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
value builtin_tensor_of(use *u)
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
