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

/* The axes of the products by their steps in memory, ascending; false where these leave gaps. */
static bool sort_products(const walk *k, uint32_t *axes)
{
    int64_t step = 1;
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t axis = 0;
        while (axis < k->n && k->step[axis] != step)
            axis++;
        if (axis == k->n)
            return false;
        axes[i] = axis;
        step *= k->extent[axis];
    }
    return true;
}

/* Are all products of a column side by side, in another order than they have in the panel, which is
 * packed as a whole? So are the filters of a convolution, with their channels outermost. */
static bool is_permuted(const problem *p)
{
    const walk *k = &p->unpacked.k;
    uint32_t axes[CONTRACT_MAX_AXES];
    return p->packs_inside && !packing_has_rows(p) && k->n > 1 && k->dynamic == 0 &&
           !p->has_dynamic_k && p->parts == 1 && !p->unpacked.from.load &&
           p->unpacked.from.pair == 0 && sort_products(k, axes);
}

bool packing_has_squares(const problem *p)
{
    return is_transposed(p) || is_permuted(p);
}

/* The number in the panel of the product that is number I in memory. */
static loop_value number_of(const packing *k, loop_value i)
{
    const walk *w = &k->p->unpacked.k;
    loop_builder *b = k->b;
    uint32_t axes[CONTRACT_MAX_AXES];
    loop_value number = loop_i64(b, 0);
    (void)sort_products(w, axes);
    for (uint32_t n = 0; n < w->n; n++) {
        const int64_t extent = w->extent[axes[n]];
        int64_t each = 1; /* products from one position to the next */
        for (uint32_t inner = axes[n] + 1; inner < w->n; inner++)
            each *= w->extent[inner];
        const loop_value at = n + 1 < w->n ? int_modulo(b, i, extent) : i;
        number = int_add(b, number, int_times(b, at, each));
        i = int_divided(b, i, extent);
    }
    return number;
}

/* Where COUNT products go, from number I in memory on. */
static void find_rows(packing *k, loop_value i, int64_t count)
{
    loop_builder *b = k->b;
    const loop_value first = packing_row(k, i);
    for (int64_t r = 0; r < count; r++)
        k->rows[r] = is_permuted(k->p) ? packing_row(k, number_of(k, int_add(b, i, loop_i64(b, r))))
                                       : loop_at(b, first, r * packing_row_bytes(k->p));
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

void packing_emit_squares(packing *k, loop_value i, int64_t products, int64_t count)
{
    loop_builder *b = k->b;
    const int64_t side = packing_side(k->p), whole = count - count % side;
    const int64_t zeros = whole + (whole < count ? side : 0);
    find_rows(k, i, products);
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
