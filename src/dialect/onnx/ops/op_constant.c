/* Constants, shapes, and what only passes values on. */
#include <inttypes.h>

#include "base/memory/checked.h"
#include "dialect/onnx/ops/op.h"

static bool give_number(onnx_call *c, tn_dtype d, uint32_t rank, int64_t n,
                        const known_number *numbers)
{
    known_value *k = known_new(&c->im->memory, d, &n, rank);
    if (k && k->n)
        memcpy(k->at, numbers, k->n * sizeof *k->at);
    return onnx_give_known(c, 0, k);
}

/* A list that is too long to be known: as data. */
static bool give_list(onnx_call *c, const onnx_attribute *a, bool is_float)
{
    const uint32_t n = is_float ? a->floats.n : a->ints.n;
    const tn_dtype d = is_float ? TN_F32 : TN_SI64;
    if (n > KNOWN_MOST)
        return onnx_give(
            c, 0, tn_constant(c->b, d, TN_INTS((int64_t)n), is_float ? a->floats.at : a->ints.at));
    known_number numbers[KNOWN_MOST];
    const float *floats = a->floats.at;
    const int64_t *ints = a->ints.at;
    for (uint32_t i = 0; i < n; i++)
        numbers[i] =
            is_float ? (known_number){.f = (double)floats[i]} : (known_number){.i = ints[i]};
    return give_number(c, d, 1, n, numbers);
}

bool onnx_op_constant(onnx_call *c)
{
    const onnx_attribute *a;
    if ((a = onnx_attr(c, "value")) && a->t)
        return onnx_give_tensor(c, 0, a->t);
    if ((a = onnx_attr(c, "sparse_value")) && a->sparse) {
        const onnx_tensor *dense = onnx_dense(c->im, a->sparse);
        return dense && onnx_give_tensor(c, 0, dense);
    }
    if ((a = onnx_attr_of(c, "value_float", ONNX_FLOAT)))
        return give_number(c, TN_F32, 0, 1, &(known_number){.f = (double)a->f});
    if ((a = onnx_attr_of(c, "value_int", ONNX_INT)))
        return give_number(c, TN_SI64, 0, 1, &(known_number){.i = a->i});
    if ((a = onnx_attr_of(c, "value_floats", ONNX_FLOATS)))
        return give_list(c, a, true);
    if ((a = onnx_attr_of(c, "value_ints", ONNX_INTS)))
        return give_list(c, a, false);
    if (onnx_attr(c, "value_string") || onnx_attr(c, "value_strings"))
        return onnx_refuse(c, DIAG_UnknownDType, "texts are not read");
    return onnx_refuse(c, DIAG_MissingAttribute, "it has no value that is read");
}

/* The one element that the attribute `value` holds, or 0 of type f32. */
static bool fill_value(onnx_call *c, tn_dtype *d, scalar *s)
{
    unsigned char one[2 * sizeof(double)] = {0};
    const onnx_attribute *a = onnx_attr_of(c, "value", ONNX_TENSOR);
    onnx_tensor_facts f;
    *d = TN_F32;
    *s = scalar_of_float(0);
    if (!a)
        return true;
    const char *why = a->t ? onnx_tensor_type_of(a->t, &f) : "it is no tensor";
    if (!why && f.count != 1)
        why = "it does not have one element";
    if (!why)
        why = onnx_tensor_store(a->t, &f, one);
    if (why)
        return onnx_refuse(c, DIAG_InvalidAttribute, "'value' cannot be read: %s", why);
    *d = f.dtype;
    *s = scalar_load(f.dtype, one);
    return true;
}

bool onnx_op_constant_of_shape(onnx_call *c)
{
    int64_t dims[TN_MAX_RANK];
    uint32_t n;
    tn_dtype d;
    scalar s;
    if (!onnx_in_ints(c, 0, true, TN_MAX_RANK, dims, &n) || !fill_value(c, &d, &s))
        return false;
    unsigned char one[2 * sizeof(double)];
    (void)scalar_store(s, d, one);
    const tn_value x = tn_constant(c->b, d, (tn_ints){0}, one);
    return onnx_give(c, 0, tn_broadcast(c->b, x, (tn_ints){dims, n}));
}

const known_value *onnx_known_constant_of_shape(onnx_call *c)
{
    const known_value *shape = onnx_in_known(c, 0);
    int64_t dims[TN_MAX_RANK], n;
    tn_dtype d;
    scalar s;
    if (shape->n > TN_MAX_RANK || known_has_sizes(shape) || dtype_is_float(shape->dtype) ||
        !fill_value(c, &d, &s) || !known_keeps(d))
        return NULL;
    for (uint32_t i = 0; i < shape->n; i++)
        if ((dims[i] = shape->at[i].i) < 0)
            return NULL;
    if (!product_i64(dims, shape->n, &n) || n > KNOWN_MOST)
        return NULL;
    known_value *k = known_new(&c->im->memory, d, dims, shape->n);
    for (uint32_t i = 0; k && i < k->n; i++)
        if (dtype_is_float(d))
            k->at[i].f = s.f;
        else
            k->at[i].i = s.i;
    return k;
}

bool onnx_op_identity(onnx_call *c)
{
    return onnx_give_in(c, 0, 0);
}

/* As it is when the model is used: nothing is dropped. */
bool onnx_op_dropout(onnx_call *c)
{
    const known_value *training = onnx_in_known(c, 2);
    if (onnx_has_in(c, 2) && !(training && training->n == 1))
        return onnx_refuse(c, DIAG_DataDependentShape, "whether this is training must be known");
    if (training && training->at[0].i) {
        double ratio;
        if (!onnx_in_float(c, 1, 0.5, &ratio))
            return false;
        if (ratio != 0) {
            (void)onnx_refuse(c, DIAG_NotImplemented, "training draws random numbers");
            onnx_advise(c, "export the model as it is used, or with a ratio of 0");
            return false;
        }
    }
    const type *t = onnx_in_type(c, 0);
    if (onnx_wants_out(c, 1) && t) {
        const tn_dtype mask = c->version < 10 ? t->dtype : TN_I1;
        if (!onnx_give(c, 1, tn_splat(c->b, mask, onnx_dims(t), 1)))
            return false;
    }
    return onnx_give_in(c, 0, 0);
}

/* The extents from `start` up to `end`, both clamped. */
bool onnx_op_shape(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    if (!t)
        return false;
    const int64_t rank = (int64_t)t->rank;
    int64_t from = onnx_attr_int(c, "start", 0), to = onnx_attr_int(c, "end", rank);
    from += from < 0 ? rank : 0;
    to += to < 0 ? rank : 0;
    from = from < 0 ? 0 : from > rank ? rank : from;
    to = to < from ? from : to > rank ? rank : to;
    known_number numbers[TN_MAX_RANK];
    for (int64_t i = from; i < to; i++)
        numbers[i - from] = known_extent(t->dims[i]);
    return give_number(c, TN_SI64, 1, to - from, numbers);
}

bool onnx_op_size(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    dim n = 1;
    if (!t)
        return false;
    for (uint32_t i = 0; i < t->rank; i++)
        n = tn_dim_mul(c->b, n, t->dims[i]);
    const known_number number = known_number_of(n);
    return give_number(c, TN_SI64, 0, 1, &number);
}

enum { MOST_BITS_OF_RANGE = 40 }; /* of the number of its elements */

/* How many integers there are from FROM on by BY before TO. */
static bool int_count(int64_t from, int64_t to, int64_t by, int64_t *count)
{
    const bool up = by > 0;
    const uint64_t way = up ? (uint64_t)to - (uint64_t)from : (uint64_t)from - (uint64_t)to;
    const uint64_t step = up ? (uint64_t)by : -(uint64_t)by;
    const uint64_t n = (up ? from >= to : from <= to) ? 0 : (way - 1) / step + 1;
    *count = (int64_t)n;
    return n >> MOST_BITS_OF_RANGE == 0;
}

/* start, start + delta, ... : as many as fit before limit. */
static bool range_count(onnx_call *c, int64_t *count)
{
    const known_value *first = onnx_in_known(c, 0);
    known_number x[3];
    for (uint32_t i = 0; i < 3; i++) {
        const known_value *k = onnx_in_known(c, i);
        if (!first || !k || k->n != 1 || k->at[0].is_size || k->dtype != first->dtype)
            return false;
        x[i] = k->at[0];
    }
    const bool is_float = dtype_is_float(first->dtype);
    if (is_float ? x[2].f == 0 : x[2].i == 0)
        return false;
    if (!is_float)
        return int_count(x[0].i, x[1].i, x[2].i, count);
    const double n = (x[1].f - x[0].f) / x[2].f;
    if (!(n < (double)((int64_t)1 << MOST_BITS_OF_RANGE)))
        return false;
    *count = n > 0 ? (int64_t)n + ((double)(int64_t)n < n) : 0;
    return true;
}

/* The one element of input K, a size or a whole number. */
static bool whole_number(onnx_call *c, uint32_t k, known_number *out)
{
    const known_value *x = onnx_in_known(c, k);
    if (!x || x->n != 1)
        return false;
    *out = x->at[0];
    if (x->at[0].is_size || !dtype_is_float(x->dtype))
        return true;
    const double f = x->at[0].f, most = (double)((int64_t)1 << MOST_BITS_OF_RANGE);
    if (!(f > -most && f < most) || f != (double)(int64_t)f)
        return false;
    out->i = (int64_t)f;
    return true;
}

/* Between bounds of which one is a size, by a step that is a number. */
static bool size_range(onnx_call *c, dim *count)
{
    const known_room room = onnx_known_room(c);
    known_number from, to, by, n;
    if (!whole_number(c, 0, &from) || !whole_number(c, 1, &to) || !whole_number(c, 2, &by) ||
        by.is_size || by.i == 0 || by.i == INT64_MIN)
        return false;
    const bool up = by.i > 0;
    const known_number step = {.i = up ? by.i : -by.i}, rest = {.i = step.i - 1};
    if (!known_number_binary(&room, KNOWN_SUB, TN_SI64, up ? to : from, up ? from : to, &n))
        return false;
    if (step.i > 1 && !(known_number_binary(&room, KNOWN_ADD, TN_SI64, n, rest, &n) &&
                        known_number_binary(&room, KNOWN_DIV, TN_SI64, n, step, &n)))
        return false;
    *count = n.i;
    return n.is_size || n.i >= 0;
}

/* Are all inputs of a Range known, with sizes among them? */
static bool waits_for_sizes(onnx_call *c)
{
    bool any = false;
    for (uint32_t k = 0; k < 3; k++) {
        const known_value *x = onnx_in_known(c, k);
        if (!x)
            return false;
        any = any || known_has_sizes(x);
    }
    return any;
}

bool onnx_op_range(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    int64_t n;
    if (!t)
        return false;
    const known_value *by = onnx_in_known(c, 2);
    if (by && by->n == 1 && !by->at[0].is_size &&
        (dtype_is_float(by->dtype) ? by->at[0].f == 0 : by->at[0].i == 0))
        return onnx_refuse(c, DIAG_InvalidAttribute, "its step is 0");
    if (!range_count(c, &n) && !size_range(c, &n))
        return onnx_refuse(c, waits_for_sizes(c) ? DIAG_ShapeUnknown : DIAG_DataDependentShape,
                           "how many elements it has must be known");
    const tn_value i = tn_iota(c->b, t->dtype, TN_INTS(n), 0);
    const tn_value from = onnx_in(c, 0), step = onnx_in(c, 2);
    return onnx_give(c, 0, tn_add(c->b, from, tn_mul(c->b, i, step)));
}

const known_value *onnx_known_range(onnx_call *c)
{
    const known_value *from = onnx_in_known(c, 0), *by = onnx_in_known(c, 2);
    int64_t n;
    if (dtype_is_float(from->dtype) || !range_count(c, &n) || n > KNOWN_MOST)
        return NULL;
    known_value *k = known_new(&c->im->memory, from->dtype, &n, 1);
    for (uint32_t i = 0; k && i < k->n; i++)
        k->at[i].i = (int64_t)((uint64_t)from->at[0].i + i * (uint64_t)by->at[0].i);
    return k;
}

bool onnx_op_eye_like(onnx_call *c)
{
    const type *t = onnx_in_type(c, 0);
    tn_dtype d;
    if (!t)
        return false;
    if (t->rank != 2)
        return onnx_refuse(c, DIAG_RankMismatch, "it takes matrices");
    d = t->dtype;
    if (onnx_attr(c, "dtype") && !onnx_dtype(onnx_attr_int(c, "dtype", 0), &d))
        return onnx_refuse(c, DIAG_UnknownDType,
                           "there is no element type %" PRId64 ", the 'dtype'",
                           onnx_attr_int(c, "dtype", 0));
    const tn_value row = tn_iota(c->b, TN_SI64, onnx_dims(t), 0);
    const tn_value column = tn_iota(c->b, TN_SI64, onnx_dims(t), 1);
    const tn_value k = tn_scalar_int(c->b, TN_SI64, onnx_attr_int(c, "k", 0));
    const tn_value on = tn_compare(c->b, TN_EQ, column, tn_add(c->b, row, k));
    return onnx_give(c, 0, tn_cast(c->b, on, d));
}
