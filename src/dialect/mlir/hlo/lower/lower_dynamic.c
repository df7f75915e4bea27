/* Operations whose shapes are operands: with known ones they are what their static twins are. */
#include "base/text/text.h"
#include "dialect/mlir/hlo/lower.h"

#include <inttypes.h>

bool shlo_lower_get_dimension_size(shlo_call *c)
{
    int64_t axis;
    const type *t = shlo_in_type(c, 0);
    return t && shlo_int(c, "dimension", 0, &axis) &&
           shlo_are_axes(c, "dimension", &axis, 1, t->rank) &&
           shlo_give_known(c, 0, shlo_known_size(c->r, TN_SI32, t->dims[axis]));
}

bool shlo_lower_set_dimension_size(shlo_call *c)
{
    int64_t axis;
    const type *t = shlo_in_type(c, 0);
    const known_value *size = shlo_known(c, 1);
    if (!t || !shlo_int(c, "dimension", 0, &axis) ||
        !shlo_are_axes(c, "dimension", &axis, 1, t->rank))
        return false;
    if (!size || size->n != 1 || size->at[0].i != t->dims[axis] ||
        size->at[0].is_size != dim_is_symbolic(t->dims[axis]))
        return shlo_refuse(c, DIAG_NotImplemented,
                           "only the extent that the operand has can be set");
    return shlo_give_value(c, 0, shlo_value_of(c, 0));
}

/* The shape that operand K gives, which the declared type must allow. */
static bool shape_from(shlo_call *c, uint32_t k, dim *dims, uint32_t *rank)
{
    const mir_type *t = shlo_out_type(c, 0);
    if (!shlo_shape_in(c, k, "the shape", false, dims, rank))
        return false;
    bool fits = t->kind == MIR_TENSOR && t->rank == *rank;
    for (uint32_t i = 0; fits && i < *rank; i++) {
        fits = t->dims[i] == MIR_UNKNOWN || dim_is_symbolic(dims[i]) || t->dims[i] == dims[i];
        if (fits && t->dims[i] != MIR_UNKNOWN)
            dims[i] = t->dims[i];
    }
    return fits ||
           shlo_refuse(c, DIAG_TypeMismatch, "the shape is not that of %.*s", MIR_TEXT(t->text));
}

bool shlo_lower_dynamic_reshape(shlo_call *c)
{
    dim dims[TN_MAX_RANK];
    uint32_t rank;
    return shape_from(c, 1, dims, &rank) &&
           shlo_give(c, 0, tn_reshape(c->b, shlo_in(c, 0), (tn_ints){dims, rank}));
}

bool shlo_lower_dynamic_broadcast_in_dim(shlo_call *c)
{
    dim dims[TN_MAX_RANK];
    uint32_t rank;
    return shape_from(c, 1, dims, &rank) && shlo_broadcast_in_dim(c, dims, rank);
}

bool shlo_lower_dynamic_iota(shlo_call *c)
{
    dim dims[TN_MAX_RANK];
    uint32_t rank;
    int64_t axis;
    return shape_from(c, 0, dims, &rank) && shlo_int(c, "iota_dimension", 0, &axis) &&
           shlo_give(c, 0, tn_iota(c->b, shlo_out_type(c, 0)->dtype, (tn_ints){dims, rank}, axis));
}

/* Operands from FIRST on: N lists with an entry for each of RANK axes. */
static bool lists_from(shlo_call *c, uint32_t first, uint32_t n, uint32_t rank, bool is_signed,
                       int64_t (*out)[TN_MAX_RANK])
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t length;
        if (!shlo_shape_in(c, first + i, "a list of bounds", is_signed, out[i], &length))
            return false;
        if (length != rank)
            return shlo_refuse(c, DIAG_ArityMismatch, "%u bound%s for a tensor of rank %u",
                               (unsigned)length, plural(length), (unsigned)rank);
    }
    return true;
}

/* ---- real_dynamic_slice ---- */

static dim plus(shlo_call *c, dim a, dim b)
{
    return shlo_dim(c, DIM_ADD, a, b);
}

static dim minus(shlo_call *c, dim a, dim b)
{
    return plus(c, a, shlo_dim(c, DIM_MUL, b, -1));
}

/* Elements START, START + STEP, ... below END along AXIS, some of which are sizes. */
static bool slice_axis(shlo_call *c, tn_value *x, int64_t axis, dim start, dim end, dim step)
{
    const type *t = shlo_type_of(c, *x);
    if (!t)
        return false;
    const dim extent = t->dims[axis], behind = minus(c, extent, end);
    if (dim_is_symbolic(step) || step < 1)
        return shlo_unknown_shape(c, "a stride");
    if (start == 0 && behind == 0 && step == 1)
        return true;
    if (!dim_is_symbolic(start) && !dim_is_symbolic(end) && step == 1 && end >= start) {
        *x = tn_slice_axis(c->b, *x, axis, start, end - start);
        return tn_is_value(*x);
    }
    dim count = minus(c, end, start);
    if (step > 1)
        count = shlo_dim(c, DIM_FLOORDIV, plus(c, count, step - 1), step);
    if (!dim_is_symbolic(start)) {
        *x = known_part(c->b, *x, axis, start, step, count);
    } else if (!dim_is_symbolic(behind) && step == 1) { /* the last ones */
        *x = tn_reverse(c->b, *x, TN_INTS(axis));
        *x = known_part(c->b, *x, axis, behind, 1, count);
        *x = tn_reverse(c->b, *x, TN_INTS(axis));
    } else {
        return shlo_unknown_shape(c, "where a slice starts");
    }
    return tn_is_value(*x);
}

/* A slice that begins where data says and ends as many elements later as its sizes, which are
 * known: JAX adds them. *DONE: it was one. */
static bool slice_at_data(shlo_call *c, const type *t, bool *done)
{
    tn_builder *b = c->b;
    const known_value *step = shlo_known(c, 3);
    const mir_op *end = shlo_known(c, 1) ? NULL : mir_maker(&c->frame->f->body, c->op->in[2]);
    *done = false;
    if (!end || !mir_is(end->name, "stablehlo.add") || end->n_in != 2 || !step ||
        step->n != t->rank)
        return true;
    for (uint32_t i = 0; i < t->rank; i++)
        if (step->at[i].is_size || step->at[i].i != 1)
            return true;
    for (uint32_t k = 0; k < 2; k++) {
        if (end->in[k] != c->op->in[1])
            continue;
        mir_op op = *c->op;
        const mir_value *in[] = {end->in[1 - k]};
        shlo_call other = *c;
        dim sizes[TN_MAX_RANK];
        uint32_t n;
        op.in = in;
        op.n_in = 1;
        other.op = &op;
        if (!shlo_known(&other, 0))
            continue;
        *done = true;
        if (!shlo_shape_in(&other, 0, "the shape of a slice", false, sizes, &n))
            return false;
        if (n != t->rank)
            return shlo_refuse(c, DIAG_ArityMismatch, "%u bound%s for a tensor of rank %u",
                               (unsigned)n, plural(n), (unsigned)t->rank);
        const tn_value start = tn_cast(b, shlo_in(c, 1), TN_SI64);
        return shlo_give(c, 0, tn_dynamic_slice(b, shlo_in(c, 0), start, (tn_ints){sizes, n}));
    }
    return true;
}

bool shlo_lower_real_dynamic_slice(shlo_call *c)
{
    enum { START, END, STEP, LISTS };
    int64_t by[LISTS][TN_MAX_RANK];
    bool done = false;
    const type *t = shlo_in_type(c, 0);
    if (!t || !slice_at_data(c, t, &done))
        return false;
    if (done)
        return true;
    if (!lists_from(c, 1, LISTS, t->rank, false, by))
        return false;
    bool is_plain = true;
    for (uint32_t i = 0; i < t->rank; i++)
        for (uint32_t k = 0; k < LISTS; k++)
            is_plain = is_plain && !dim_is_symbolic(by[k][i]);
    if (is_plain)
        return shlo_slice(c, by[START], by[END], by[STEP]);
    tn_value x = shlo_in(c, 0);
    for (uint32_t i = 0; i < t->rank; i++)
        if (!slice_axis(c, &x, i, by[START][i], by[END][i], by[STEP][i]))
            return false;
    return shlo_give(c, 0, x);
}

/* ---- dynamic_pad ---- */

/* SIZE elements, a size, of VALUE in front of X along AXIS, or behind it. */
static tn_value with_size(shlo_call *c, tn_value x, tn_value value, uint32_t axis, dim size,
                          bool in_front)
{
    dim dims[TN_MAX_RANK];
    const type *t = shlo_type_of(c, x);
    if (!t)
        return x;
    memcpy(dims, t->dims, t->rank * sizeof *dims);
    dims[axis] = size;
    const tn_value more = tn_broadcast(c->b, value, (tn_ints){dims, t->rank});
    const tn_value parts[] = {in_front ? more : x, in_front ? x : more};
    return tn_concat(c->b, (tn_values){parts, 2}, axis);
}

bool shlo_lower_dynamic_pad(shlo_call *c)
{
    enum { LOW, HIGH, INTERIOR, LISTS };
    int64_t by[LISTS][TN_MAX_RANK], low[TN_MAX_RANK], high[TN_MAX_RANK];
    const type *t = shlo_in_type(c, 0);
    if (!t || !lists_from(c, 2, LISTS, t->rank, true, by))
        return false;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (dim_is_symbolic(by[INTERIOR][i]))
            return shlo_unknown_shape(c, "the padding between elements");
        low[i] = dim_is_symbolic(by[LOW][i]) ? 0 : by[LOW][i];
        high[i] = dim_is_symbolic(by[HIGH][i]) ? 0 : by[HIGH][i];
    }
    tn_value x = shlo_pad(c, low, high, by[INTERIOR]);
    const tn_value value = shlo_in(c, 1);
    for (uint32_t i = 0; i < t->rank && tn_is_value(x); i++) {
        if (dim_is_symbolic(by[LOW][i]))
            x = with_size(c, x, value, i, by[LOW][i], true);
        if (dim_is_symbolic(by[HIGH][i]))
            x = with_size(c, x, value, i, by[HIGH][i], false);
    }
    return shlo_give(c, 0, x);
}

/* ---- assertions on shapes ---- */

/* MESSAGE, in which {0}, {1}, ... stand for the operands behind the condition. */
static const char *assertion_text(shlo_call *c, mir_text message)
{
    text_buffer out;
    text_init(&out, c->r->m->allocator);
    for (size_t i = 0; i < message.n; i++) {
        const char *p = message.at + i;
        int64_t value;
        const bool is_place = i + 2 < message.n && p[0] == '{' && p[1] >= '0' && p[1] <= '9' &&
                              p[2] == '}' && (uint32_t)(p[1] - '0') + 1 < c->op->n_in;
        if (is_place && shlo_known_number(c, (uint32_t)(p[1] - '0') + 1, &value)) {
            text_printf(&out, "%" PRId64, value);
            i += 2;
        } else {
            text_printf(&out, "%c", *p);
        }
    }
    const char *text = text_c_string(&out);
    const char *own = text ? shlo_text(c->r, (mir_text){text, strlen(text)}) : "";
    text_release(&out);
    return own;
}

bool shlo_shape_assertion(shlo_call *c)
{
    int64_t holds;
    const mir_attr *message = shlo_attr(c, "error_message");
    if (c->op->n_in == 0 || c->op->n_out != 0)
        return shlo_refuse(c, DIAG_ArityMismatch, "it takes a condition, and has no results");
    if (shlo_known_number(c, 0, &holds))
        return holds || shlo_refuse(c, DIAG_InputMismatch, "%s",
                                    message && message->kind == MIR_STRING
                                        ? assertion_text(c, message->text)
                                        : "the shapes are not what the program takes");
    /* what it says of sizes is left to the operations that depend on it */
    return shlo_value_of(c, 0)->is_of_sizes ||
           shlo_refuse(c, DIAG_NotImplemented, "the assertion depends on data");
}
