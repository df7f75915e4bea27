/* Quantised tensors are tensors of their storage. Movement moves that; every other operation is
 * done on what the numbers mean, and its result is quantised. */
#include "base/memory/checked.h"
#include "base/text/text.h"
#include "dialect/mlir/hlo/lower.h"

#include <inttypes.h>

/* ---- which way ---- */

static const mir_quant *of_operand(const shlo_call *c, uint32_t k)
{
    return c->op->in[k]->type->quant;
}

static const mir_quant *of_result(const shlo_call *c, uint32_t k)
{
    return c->op->out[k].type->quant;
}

bool shlo_is_quantised(const shlo_call *c)
{
    if (c->r->lift.n > 0) /* in the body of one whose operands are what they mean already */
        return false;
    for (uint32_t k = 0; k < c->op->n_in; k++)
        if (of_operand(c, k))
            return true;
    for (uint32_t k = 0; k < c->op->n_out; k++)
        if (of_result(c, k))
            return true;
    return false;
}

/* Does the operation hand values on, whatever they are? */
static bool hands_on(mir_text name)
{
    static const char *const names[] = {
        "stablehlo.constant",       "func.call",      "call",
        "stablehlo.composite",      "stablehlo.case", "stablehlo.while",
        "stablehlo.custom_call",    "stablehlo.if",   "stablehlo.optimization_barrier",
        "stablehlo.tuple",          "tensor.cast",    "stablehlo.get_tuple_element",
        "stablehlo.bitcast_convert"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mir_is(name, names[i]))
            return true;
    return false;
}

/* Do results mean what the regions of the operation, or else its operands, give for them? */
static bool hands_on_alike(shlo_call *c)
{
    const mir_op *o = c->op;
    const bool loops = mir_is(o->name, "stablehlo.while");
    const bool passes = loops || mir_is(o->name, "stablehlo.optimization_barrier") ||
                        mir_is(o->name, "tensor.cast");
    bool same = true;
    for (uint32_t k = 0; passes && k < o->n_out && k < o->n_in; k++)
        same = same && mir_quants_agree(of_operand(c, k), of_result(c, k), false);
    for (uint32_t i = loops; i < o->n_regions; i++) { /* the first of a loop is its condition */
        const mir_region *region = &o->regions[i];
        const mir_op *last = region->n_ops ? region->ops[region->n_ops - 1] : NULL;
        for (uint32_t k = 0; last && shlo_is_return(last) && k < last->n_in && k < o->n_out; k++)
            same = same && last->in[k]->type &&
                   mir_quants_agree(last->in[k]->type->quant, of_result(c, k), false);
    }
    return same || shlo_refuse(c, DIAG_TypeMismatch,
                               "its results are quantised otherwise than what it hands on");
}

/* Does it move elements, and nothing else? */
static bool moves(mir_text name)
{
    static const char *const names[] = {"reshape",
                                        "transpose",
                                        "broadcast_in_dim",
                                        "broadcast",
                                        "slice",
                                        "reverse",
                                        "concatenate",
                                        "dynamic_slice",
                                        "dynamic_update_slice",
                                        "gather",
                                        "dynamic_gather",
                                        "dynamic_reshape",
                                        "select",
                                        "pad",
                                        "dynamic_broadcast_in_dim",
                                        "real_dynamic_slice"};
    const size_t skip = strlen("stablehlo.");
    if (name.n <= skip || memcmp(name.at, "stablehlo.", skip) != 0)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mir_is((mir_text){name.at + skip, name.n - skip}, names[i]))
            return true;
    return false;
}

/* How many elements the axes of T before AXIS have; -1: that is not known. */
static int64_t elements_before(const mir_type *t, int64_t axis)
{
    int64_t n = 1;
    for (int64_t i = 0; i < axis && i < (int64_t)t->rank; i++)
        if (t->dims[i] == MIR_UNKNOWN || !mul_i64(n, t->dims[i], &n))
            return -1;
    return n;
}

/* Do scales along an axis of the operand go with it to that of the result? */
static bool scales_follow(shlo_call *c)
{
    const mir_quant *from = of_operand(c, 0), *to = of_result(c, 0);
    const mir_text name = c->op->name;
    int64_t list[TN_MAX_RANK];
    uint32_t n;
    if (!from || from->axis < 0 || to->axis < 0)
        return false;
    if (mir_is(name, "stablehlo.transpose"))
        return shlo_ints(c, "permutation", TN_MAX_RANK, list, &n) && to->axis < n &&
               list[to->axis] == from->axis;
    if (mir_is(name, "stablehlo.broadcast_in_dim") ||
        mir_is(name, "stablehlo.dynamic_broadcast_in_dim"))
        return shlo_ints(c, "broadcast_dimensions", TN_MAX_RANK, list, &n) && from->axis < n &&
               list[from->axis] == to->axis;
    const int64_t before = elements_before(c->op->in[0]->type, from->axis);
    return (mir_is(name, "stablehlo.reshape") || mir_is(name, "stablehlo.dynamic_reshape")) &&
           before >= 0 && before == elements_before(c->op->out[0].type, to->axis);
}

/* Does what is stored mean the same where it is moved to? With several scales that is the question
 * where each goes. */
static bool all_mean_the_same(shlo_call *c)
{
    const mir_quant *first = of_result(c, 0);
    bool same = first && (first->n == 1 || scales_follow(c));
    for (uint32_t k = 0; same && k < c->op->n_in; k++)
        same = !of_operand(c, k) || mir_quants_agree(of_operand(c, k), first, true);
    return same;
}

/* ---- from storage and back ---- */

/* The table X of scales, one for each block of a tensor of type T, with an element for each of
 * its elements. */
static tn_value of_blocks(shlo_call *c, const mir_quant *q, tn_value x, const type *t)
{
    int64_t apart[TN_MAX_RANK], whole[TN_MAX_RANK];
    bool suits = t->rank == q->rank && 2 * q->rank <= TN_MAX_RANK && type_is_static(t);
    for (uint32_t i = 0; suits && i < q->rank; i++) {
        suits = t->dims[i] > 0 && t->dims[i] % q->dims[i] == 0;
        apart[2 * i] = whole[2 * i] = q->dims[i];
        apart[2 * i + 1] = 1;
        whole[2 * i + 1] = t->dims[i] / q->dims[i];
    }
    if (!suits) {
        (void)shlo_refuse(c, DIAG_ShapeMismatch,
                          "the blocks of a quantised type do not suit the shape");
        return tn_no_value();
    }
    const size_t n = 2 * (size_t)q->rank;
    x = tn_reshape(c->b, x, (tn_ints){apart, n});
    x = tn_broadcast(c->b, x, (tn_ints){whole, n});
    return tn_reshape(c->b, x, shlo_dims(t));
}

/* One of the lists of Q as a tensor of type D that goes with tensors of type T. */
static tn_value parameter(shlo_call *c, const mir_quant *q, bool scales, tn_dtype d, const type *t)
{
    tn_builder *b = c->b;
    const int64_t n = q->n, axis = q->axis;
    char *data = arena_alloc_aligned(&c->r->memory, (size_t)n * dtype_bytes(d), 16);
    if (!data) {
        (void)shlo_no_memory(c->r);
        return tn_no_value();
    }
    for (uint32_t i = 0; i < q->n; i++)
        (void)scalar_store(scales ? scalar_of_float(q->scales[i]) : scalar_of_int(q->zeros[i]), d,
                           data + i * dtype_bytes(d));
    if (q->rank)
        return of_blocks(c, q, tn_constant(b, d, (tn_ints){q->dims, q->rank}, data), t);
    if (axis < 0)
        return tn_constant(b, d, TN_INTS(), data);
    if (axis >= (int64_t)t->rank || (!dim_is_symbolic(t->dims[axis]) && t->dims[axis] != n)) {
        (void)shlo_refuse(c, DIAG_ShapeMismatch,
                          "a quantised type has %" PRId64
                          " scale%s, which is not what axis %" PRId64 " needs",
                          n, plural((uint64_t)n), axis);
        return tn_no_value();
    }
    const tn_value list = tn_constant(b, d, (tn_ints){&n, 1}, data);
    return tn_broadcast_axes(b, list, shlo_dims(t), (tn_ints){&axis, 1});
}

/* What X, stored as Q says, means, as D. */
static tn_value meant(shlo_call *c, tn_value x, const mir_quant *q, tn_dtype d)
{
    tn_builder *b = c->b;
    const tn_dtype wide = dtype_table[q->storage].bits < 32 ? TN_SI32 : TN_SI64;
    const type *t = shlo_type_of(c, x);
    if (!t)
        return x;
    const tn_value zero = parameter(c, q, false, wide, t), scale = parameter(c, q, true, d, t);
    if (!tn_is_value(zero) || !tn_is_value(scale))
        return tn_no_value();
    const tn_value from = tn_sub(b, tn_cast(b, x, wide), zero);
    return tn_mul(b, tn_cast(b, from, d), scale);
}

/* X as numbers that are stored as Q says. */
static tn_value stored(shlo_call *c, tn_value x, const mir_quant *q)
{
    tn_builder *b = c->b;
    const type *t = shlo_type_of(c, x);
    if (!t || !dtype_is_float(t->dtype))
        return tn_no_value();
    const tn_value scale = parameter(c, q, true, t->dtype, t);
    const tn_value zero = parameter(c, q, false, t->dtype, t);
    if (!tn_is_value(zero) || !tn_is_value(scale))
        return tn_no_value();
    const tn_value at = tn_add(b, tn_div(b, x, scale), zero);
    const tn_value low = tn_scalar(b, t->dtype, (double)q->low);
    const tn_value high = tn_scalar(b, t->dtype, (double)q->high);
    const tn_value inside = tn_minimum(b, tn_maximum(b, at, low), high);
    return tn_cast(b, tn_round_even(b, inside), q->storage);
}

/* ---- operations ---- */

/* Operands become what they mean, in the frame; BEFORE: what they were. */
static bool open_operands(shlo_call *c, shlo_value *before)
{
    for (uint32_t k = 0; k < c->op->n_in; k++)
        before[k] = *shlo_value_of(c, k);
    for (uint32_t k = 0; k < c->op->n_in; k++) {
        const mir_quant *q = of_operand(c, k);
        bool is_open = !q; /* the same value may stand twice */
        for (uint32_t i = 0; i < k; i++)
            is_open = is_open || c->op->in[i]->number == c->op->in[k]->number;
        if (is_open)
            continue;
        const tn_value v = meant(c, shlo_in(c, k), q, c->op->in[k]->type->dtype);
        if (!tn_is_value(v))
            return false;
        c->frame->values[c->op->in[k]->number] = (shlo_value){.v = v};
    }
    return true;
}

static bool close_results(shlo_call *c)
{
    for (uint32_t k = 0; k < c->op->n_out; k++) {
        shlo_value *v = &c->frame->values[c->op->out[k].number];
        if (!of_result(c, k) || v->is_token)
            continue;
        const tn_value q = stored(c, shlo_data_of(c->r, v), of_result(c, k));
        if (!shlo_give(c, k, q))
            return shlo_refuse(c, DIAG_TypeMismatch, "result %u is nothing to quantise",
                               (unsigned)k);
    }
    return true;
}

bool shlo_lower_quantised(shlo_call *c)
{
    const mir_op *o = c->op;
    if (hands_on(o->name))
        return hands_on_alike(c) && o->row->lower(c);
    if (moves(o->name) && all_mean_the_same(c))
        return o->row->lower(c);
    shlo_value *before = ARENA_ARRAY(&c->r->memory, shlo_value, o->n_in);
    if (!before)
        return shlo_no_memory(c->r);
    const bool ok = open_operands(c, before) && o->row->lower(c);
    for (uint32_t k = 0; k < o->n_in; k++)
        c->frame->values[o->in[k]->number] = before[k];
    return ok && close_results(c);
}
