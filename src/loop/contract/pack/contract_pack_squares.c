/* Panels of a right operand whose products lie side by side: squares are transposed in registers.
 */
#include "loop/contract/pack/packing.h"

enum {
    MOST_SIDE = 32,     /* of a square transposed in registers; larger ones are too much code */
    UNROLLED_SIDE = 16, /* up to so many squares are written out, without a loop */
};

/* Are the products of a column contiguous, so that squares are transposed? */
static bool is_transposed(const problem *p)
{
    return !packing_has_rows(p) && p->unpacked.k.n <= 1 &&
           factors_are_side_by_side(&p->unpacked.from, walk_step(&p->unpacked.k));
}

/* The products that lie side by side in memory, along the first `n` of `axes`, innermost first. The
 * other axes follow, in the order of the products. */
typedef struct run {
    uint32_t n, axes[CONTRACT_MAX_AXES];
    int64_t length;
} run;

static run find_run(const walk *k)
{
    run r = {.n = 0, .length = 1};
    bool is_taken[CONTRACT_MAX_AXES] = {false};
    uint32_t axis = 0;
    while (axis < k->n) {
        const bool is_next = !is_taken[axis] && k->step[axis] == r.length;
        if (is_next) {
            is_taken[axis] = true;
            r.axes[r.n++] = axis;
            r.length *= k->extent[axis];
        }
        axis = is_next ? 0 : axis + 1; /* any may follow */
    }
    uint32_t n = r.n;
    for (axis = 0; axis < k->n; axis++)
        if (!is_taken[axis])
            r.axes[n++] = axis;
    return r;
}

/* Do the products of a column have another order than in the panel, which is packed as a whole, and
 * lie in runs? So do the filters of a convolution whose channels are outermost, and what meets
 * them. */
static bool is_permuted(const problem *p)
{
    const walk *k = &p->unpacked.k;
    if (!p->packs_inside || packing_has_rows(p) || k->n <= 1 || k->dynamic != 0 ||
        p->has_dynamic_k || p->parts != 1 || p->unpacked.from.load || p->unpacked.from.pair != 0)
        return false;
    const run r = find_run(k);
    return r.n == k->n || r.length >= CONTRACT_LEAST_RUN;
}

bool packing_has_squares(const problem *p)
{
    return is_transposed(p) || is_permuted(p);
}

/* How far it is from position to position along an axis of the products. */
typedef int64_t distance_fn(const walk *k, uint32_t axis);

static int64_t in_memory(const walk *k, uint32_t axis)
{
    return k->step[axis];
}

static int64_t in_panel(const walk *k, uint32_t axis)
{
    int64_t each = 1;
    for (uint32_t inner = axis + 1; inner < k->n; inner++)
        each *= k->extent[inner];
    return each;
}

/* How far it is to position number I of the N axes AXES, of which the first is the innermost. */
static loop_value find_distance(const packing *k, const uint32_t *axes, uint32_t n, loop_value i,
                                distance_fn *distance)
{
    const walk *w = &k->p->unpacked.k;
    loop_builder *b = k->b;
    loop_value sum = loop_i64(b, 0);
    for (uint32_t a = 0; a < n; a++) {
        const int64_t extent = w->extent[axes[a]];
        const loop_value at = a + 1 < n ? int_modulo(b, i, extent) : i;
        sum = int_add(b, sum, int_times(b, at, distance(w, axes[a])));
        i = int_divided(b, i, extent);
    }
    return sum;
}

/* Where COUNT products go, from number I on: in the panel or, where R is not NULL, in a run, whose
 * first one has number FIRST in the panel. */
static void find_rows(packing *k, const run *r, loop_value first, loop_value i, int64_t count)
{
    loop_builder *b = k->b;
    const loop_value here = r ? (loop_value)LOOP_NO_VALUE : packing_row(k, i);
    for (int64_t n = 0; n < count; n++) {
        if (!r) {
            k->rows[n] = loop_at(b, here, n * packing_row_bytes(k->p));
            continue;
        }
        const loop_value at =
            find_distance(k, r->axes, r->n, int_add(b, i, loop_i64(b, n)), in_panel);
        k->rows[n] = packing_row(k, int_add(b, first, at));
    }
}

/* Are these elements in memory, in the form that is computed with? */
static bool is_plain(const problem *p, const factors *x)
{
    return !x->load && x->pair == 0 && x->dtype == p->form && p->parts == 1 &&
           dtype_table[p->form].bits >= 8;
}

uint32_t packing_side(const problem *p)
{
    return p->lanes < MOST_SIDE ? p->lanes : MOST_SIDE;
}

loop_value packing_whole_squares(const packing *k, loop_value high)
{
    const problem *p = k->p;
    return loop_min(k->b, high,
                    products_size(k->b, p, SIZE_SQUARES, p->k - p->k % packing_side(p)));
}

/* Where columns J to J + COUNT - 1 begin, FROM the panel's first element; J counts in the panel. */
static void find_columns(packing *k, loop_value from, loop_value j, int64_t count, loop_value *at)
{
    loop_builder *b = k->b;
    for (int64_t r = 0; r < count; r++)
        at[r] = int_add(b, from, packing_offset(k, int_add(b, j, loop_i64(b, r))));
}

/* PRODUCTS of the panel's products from I on, of as many columns from J on as a square has; COLUMNS
 * of them exist. The products of a column are side by side. */
static void emit_square(packing *k, loop_value i, int64_t products, loop_value j, int64_t columns)
{
    const problem *p = k->p;
    loop_builder *b = k->b;
    const uint32_t side = packing_side(p);
    const element zero = element_zero(b, p->form, side);
    const loop_value column = int_times(b, j, p->bytes);
    loop_value at[LOOP_MAX_LANES], re[LOOP_MAX_LANES], im[LOOP_MAX_LANES];
    const loop_value first = int_add(b, k->from, int_times(b, i, factors_unit(&p->unpacked.from)));
    find_columns(k, first, j, columns, at);
    if (products == side && columns == side && is_plain(p, &p->unpacked.from)) {
        for (uint32_t r = 0; r < side; r++)
            at[r] = loop_offset(b, p->unpacked.from.base, int_times(b, at[r], p->bytes));
        load_transposed(b, at, p->elem, side, re);
    } else {
        const loop_value some = products < side ? loop_i64(b, products) : (loop_value)LOOP_NO_VALUE;
        for (uint32_t r = 0; r < side; r++) {
            const element x =
                r < columns ? factors_load(b, p, &p->unpacked.from, at[r], side, some) : zero;
            re[r] = x.re;
            im[r] = x.im;
        }
        if (columns > 0) {
            transpose_square(b, re, side, p->bytes);
            if (p->parts == 2)
                transpose_square(b, im, side, p->bytes);
        }
    }
    for (int64_t r = 0; r < products; r++)
        packing_put(k, loop_offset(b, k->rows[r], column),
                    (element){p->form, re[r], p->parts == 2 ? im[r] : LOOP_NO_VALUE}, 0);
}

/* PRODUCTS of the panel's products, from I on, of all columns, of which COUNT exist. They go where
 * find_rows said. */
static void emit_squares(packing *k, loop_value i, int64_t products, int64_t count)
{
    loop_builder *b = k->b;
    const int64_t side = packing_side(k->p), whole = count - count % side;
    const int64_t zeros = whole + (whole < count ? side : 0);
    /* Constants are packed once, which takes less time than to compile more code. */
    const bool is_unrolled = side <= UNROLLED_SIDE && products == side && !k->p->spec.b_is_constant;
    for (int64_t j = 0; is_unrolled && j < whole; j += side)
        emit_square(k, i, products, loop_i64(b, j), side);
    if (!is_unrolled && whole > 0) {
        const loop_value j = loop_for(b, loop_i64(b, 0), loop_i64(b, whole), side);
        emit_square(k, i, products, j, side);
        loop_end(b);
    }
    if (whole < count)
        emit_square(k, i, products, loop_i64(b, whole), count - whole);
    if (zeros < columns_of(k->p)) {
        const loop_value j = loop_for(b, loop_i64(b, zeros), loop_i64(b, columns_of(k->p)), side);
        emit_square(k, i, products, j, 0);
        loop_end(b);
    }
}

/* All products of a panel, run by run. */
static void emit_runs(packing *k, int64_t count)
{
    const walk *w = &k->p->unpacked.k;
    loop_builder *b = k->b;
    const run r = find_run(w);
    const uint32_t n = w->n - r.n;
    const int64_t side = packing_side(k->p), rest = r.length % side;
    const loop_value from = k->from;
    uint32_t outer[CONTRACT_MAX_AXES] = {0}; /* innermost first */
    for (uint32_t i = 0; i < n; i++)
        outer[i] = r.axes[w->n - 1 - i];
    const loop_value number = loop_for(b, loop_i64(b, 0), loop_i64(b, k->p->k / r.length), 1);
    const loop_value first = find_distance(k, outer, n, number, in_panel);
    k->from = int_add(b, from, find_distance(k, outer, n, number, in_memory));
    if (r.length >= side) {
        const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, r.length - rest), side);
        find_rows(k, &r, first, i, side);
        emit_squares(k, i, side, count);
        loop_end(b);
    }
    if (rest > 0) {
        const loop_value i = loop_i64(b, r.length - rest);
        find_rows(k, &r, first, i, rest);
        emit_squares(k, i, rest, count);
    }
    loop_end(b);
    k->from = from;
}

/* COUNT products from number I on. */
static void emit_some(packing *k, loop_value i, int64_t products, int64_t count)
{
    find_rows(k, NULL, LOOP_NO_VALUE, i, products);
    emit_squares(k, i, products, count);
}

void packing_emit_squares(packing *k, loop_value low, loop_value high, int64_t count)
{
    const problem *p = k->p;
    loop_builder *b = k->b;
    const int64_t side = packing_side(p), rest = p->k % side;
    if (is_permuted(p)) {
        emit_runs(k, count);
        return;
    }
    /* Whole squares, then what K leaves over, which is in the last chunk. */
    const loop_value whole = packing_whole_squares(k, high);
    emit_some(k, loop_for(b, low, whole, side), side, count);
    loop_end(b);
    if (rest > 0 && !p->has_dynamic_k) {
        loop_if(b, loop_binary(b, LOOP_IEQ, high, loop_i64(b, p->k)));
        emit_some(k, loop_i64(b, p->k - rest), rest, count);
        loop_end(b);
    }
}
