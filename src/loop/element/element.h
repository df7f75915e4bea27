/* Arithmetic on elements in loop programs: the counterpart of the evaluator's elementwise kernels,
 * with the same bits for every op and dtype (docs/numerics.md).
 *
 * An element is one value per lane, of a dtype, held in the form that is computed with:
 *
 *   i1                    a mask
 *   integers              their own width; 4-bit ones in i8, sign- or zero-extended
 *   fp8, bf16, f16        f32 that is already rounded to the dtype (NaNs: such that the stored form
 *                         is a NaN, too)
 *   f32, f64              themselves
 *   cf32, cf64            two values, the real and the imaginary part
 *
 * Every function takes elements of any number of lanes; those that take several want the same
 * number in all of them, or 1, which is repeated. Faults of the builder stay in the builder. */
#ifndef LOOP_ELEMENT_ELEMENT_H
#define LOOP_ELEMENT_ELEMENT_H

#include "eval/parts/fold.h"
#include "graph/op.h"
#include "loop/ir/loop.h"

typedef struct element {
    tn_dtype dtype;
    loop_value re;
    loop_value im; /* of complex dtypes; else LOOP_NO_VALUE */
} element;

/* How one part of an element of D lies in memory, and how it is held. */
loop_elem element_storage(tn_dtype d);
loop_elem element_compute(tn_dtype d);
/* A dtype of the same size and with the cheapest loads and stores, for values that are only moved:
 * every bit stays as it is. */
tn_dtype element_carrier(tn_dtype d);
static inline uint32_t element_lanes(const loop_builder *b, element x)
{
    return loop_lanes(b, x.re);
}

/* Memory. P points at elements as stored, side by side; ALIGN, a power of two, divides P. Any
 * non-zero byte is read as a true i1, and only the low four bits of a 4-bit integer count; to move
 * such bytes as they are, load and store their carrier. */
element element_load(loop_builder *b, tn_dtype d, loop_value p, uint32_t lanes, uint32_t align);
/* The first N (i64, 0 .. lanes) elements; the others are 0 and their memory is not touched. */
element element_load_first(loop_builder *b, tn_dtype d, loop_value p, uint32_t lanes, loop_value n,
                           uint32_t align);
/* The elements of D, which is not complex, that are X in memory. */
element element_stored(loop_builder *b, tn_dtype d, loop_value x);
/* Element number FIELD of each of the records of eight bytes at P. STAYS_SHORT: nothing longer is
 * made of it at once; it is the same element in any case. */
element element_load_field(loop_builder *b, tn_dtype d, loop_value p, uint32_t lanes,
                           uint32_t field, bool stays_short);
/* The elements where MASK, of all lanes, holds; the others are 0 and their memory is not touched.
 * Not of complex numbers. */
element element_load_where(loop_builder *b, tn_dtype d, loop_value p, loop_value mask);
/* Lane i from P + OFFSETS[i] bytes (i64) where MASK[i], else 0. */
element element_gather(loop_builder *b, tn_dtype d, loop_value p, loop_value offsets,
                       loop_value mask);
void element_store(loop_builder *b, loop_value p, element x, uint32_t align);
void element_store_first(loop_builder *b, loop_value p, element x, loop_value n, uint32_t align);
/* A non-temporal store; P is aligned to the size of all of it. */
void element_stream(loop_builder *b, loop_value p, element x);

/* Values. STORED is one element of D as stored. */
element element_const(loop_builder *b, tn_dtype d, uint32_t lanes, const void *stored);
/* VALUE converted to D as by cast; real unless D is complex. */
element element_number(loop_builder *b, tn_dtype d, uint32_t lanes, scalar value);
static inline element element_zero(loop_builder *b, tn_dtype d, uint32_t lanes)
{
    return element_number(b, d, lanes, scalar_of_int(0));
}

/* The loop operations of these names on both parts. */
element element_splat(loop_builder *b, uint32_t lanes, element x);
element element_lane(loop_builder *b, element x, uint32_t lane);
element element_part(loop_builder *b, element x, uint32_t first, uint32_t lanes);
element element_shuffle(loop_builder *b, element x, element y, const uint8_t *table,
                        uint32_t lanes);
element element_select(loop_builder *b, loop_value mask, element yes, element no);
/* A variable: what element_var returns is only for get and set. */
element element_var(loop_builder *b, element first);
element element_get(loop_builder *b, element var);
void element_set(loop_builder *b, element var, element x);

/* LANES lanes, of which the first N (i64, any value) are true. */
loop_value element_first(loop_builder *b, uint32_t lanes, loop_value n);

/* X, which is held as f32, rounded once to the float D that computes in f32. */
loop_value element_round(loop_builder *b, tn_dtype d, loop_value x);
/* Cast; not from complex to real numbers, for which the result is 0. */
element element_cast(loop_builder *b, element x, tn_dtype to);

/* One op with T_ELEMENTWISE, or quantize, dequantize, requantize with scales and zero points spread
 * to the lanes of the operand. OUT is the dtype of the result; op, attributes and dtypes have
 * passed the type rule. *FAILS is a mask of the lanes in which the op stops the run (a division of
 * integers by zero; the result is 0 there), or LOOP_NO_VALUE for ops that cannot. Lanes that do not
 * count must be taken out by the caller. False: not such an op; all of them are supported for every
 * dtype. */
bool element_op(loop_builder *b, op_id op, const attrs *given, const element *in, uint32_t n_in,
                tn_dtype out, element *result, loop_value *fails);

/* Folds, in the accumulator's dtype, which is that of the operands. A narrow float is rounded, a
 * 4-bit integer wrapped each time; on i1 the maximum is "or" and the minimum "and". */
element element_combine(loop_builder *b, fold_kind kind, element acc, element x);
/* E with combine(E, x) = x for every x, NaN included; false for products of complex numbers, which
 * have none. E is -0 for sums, NaN for maximum and minimum of floats. */
bool element_identity(loop_builder *b, fold_kind kind, tn_dtype d, uint32_t lanes, element *e);
/* The result for no elements, see fold_empty. */
element element_empty(loop_builder *b, fold_kind kind, tn_dtype d, tn_dtype out, uint32_t lanes);
/* f32 and f64 as signed integers whose extremum is that of the floats: +0 is the larger zero, and
 * NaN loses. What changes nothing among the integers is a NaN. */
element element_fold_key(loop_builder *b, fold_kind kind, element x);
element element_of_fold_key(loop_builder *b, fold_kind kind, tn_dtype d, element key);
/* X divided by COUNT as a mean is, see fold_divide. */
element element_divide_count(loop_builder *b, element x, sized count);

/* P with one product more, as contractions form them: fused for floats; complex numbers take four
 * fused steps; integers wrap. All three have the dtype of P; narrow floats are not rounded (chains
 * run in f32, so widen first with element_cast to f32, which costs nothing). */
element element_fma(loop_builder *b, element x, element y, element p);

/* Generators. COORDINATE and POSITION are i64: the coordinate along the axis, and the number of the
 * element in row-major order. SEED is one i64; FUNCTION and STREAM are those of docs/numerics.md.
 */
element element_iota(loop_builder *b, tn_dtype d, loop_value coordinate);
typedef struct element_draws {
    loop_value seed;
    uint32_t function, stream;
} element_draws;
element element_uniform(loop_builder *b, tn_dtype d, const element_draws *from,
                        loop_value position);
element element_normal(loop_builder *b, tn_dtype d, const element_draws *from, loop_value position);

#endif
