/* What the files that make contractions share: the problem in a form of few axes, and the schedule
 * that was chosen for it. */
#ifndef LOOP_CONTRACT_CONTRACT_PARTS_H
#define LOOP_CONTRACT_CONTRACT_PARTS_H

#include "eval/eval.h"
#include "loop/contract/contract.h"

/* Bytes of matrices that the second-level cache does not keep: what the next block needs is worth
 * fetching. */
enum { CONTRACT_LARGE = 1 << 20 };

/* From a row-major number over some axes to an offset. Adjacent axes with compatible strides are
 * merged, and extents of 1 are left out. */
typedef struct walk {
    uint32_t n;
    int64_t count;
    int64_t extent[CONTRACT_MAX_AXES], step[CONTRACT_MAX_AXES]; /* outermost first */
    int64_t extent_other[CONTRACT_MAX_AXES], step_other[CONTRACT_MAX_AXES];
    uint32_t dynamic; /* mask: extents that are known when the program runs */
} walk;

static inline sized axis_extent(const contract_axis *x)
{
    return (sized){x->extent, x->extent_other};
}
static inline sized axis_a(const contract_axis *x)
{
    return (sized){x->a, x->a_other};
}
static inline sized axis_b(const contract_axis *x)
{
    return (sized){x->b, x->b_other};
}
static inline sized axis_c(const contract_axis *x)
{
    return (sized){x->c, x->c_other};
}
static inline bool axis_is_dynamic(const contract_axis *x)
{
    return !sized_is_fixed(axis_extent(x));
}
/* The product of extents. */
sized axes_count(const contract_axis *axes, uint32_t n);
/* What it is now; INT64_MAX where that is too large. */
int64_t axes_positions(const contract_axis *axes, uint32_t n);

void walk_init(walk *w);
/* One axis more, inside of the others. */
void walk_add(walk *w, sized extent, sized step);
sized walk_at(const walk *w, int64_t number);
/* The same where the innermost axis with a dynamic extent is so long that NUMBER is on it. */
sized walk_along(const walk *w, int64_t number);
/* The same in a program. */
loop_value walk_emit(loop_builder *b, const walk *w, loop_value number);
/* The step of a walk with at most one axis. */
static inline int64_t walk_step(const walk *w)
{
    return w->n ? w->step[0] : 0;
}
static inline sized walk_sized_step(const walk *w)
{
    return w->n ? (sized){w->step[0], w->step_other[0]} : sized_of(0);
}

/* The axes of K, each with its steps in both operands, joined where both allow it. */
typedef struct product_axes {
    uint32_t n; /* at least 1 */
    int64_t extent[CONTRACT_MAX_AXES], a[CONTRACT_MAX_AXES], b[CONTRACT_MAX_AXES];
    int64_t extent_other[CONTRACT_MAX_AXES], a_other[CONTRACT_MAX_AXES], b_other[CONTRACT_MAX_AXES];
} product_axes;

static inline sized products_a(const product_axes *k, uint32_t i)
{
    return (sized){k->a[i], k->a_other[i]};
}
static inline sized products_b(const product_axes *k, uint32_t i)
{
    return (sized){k->b[i], k->b_other[i]};
}

/* Where the elements of an operand come from now. */
typedef struct factors {
    tn_dtype dtype;
    uint32_t buffer;
    contract_load *load; /* NULL: from the buffer */
    void *user;
    int64_t row; /* of what is loaded so: see contract_spec */
    /* Not 0: it has words of two or four elements, so many elements apart, as halves of 16 bits or
     * as bytes. The number of a word is that of its first element. */
    int64_t pair, pair_other;
    bool is_quad;
    bool is_three;   /* ... whose fourth byte is 0, where products come in threes */
    bool is_bf16;    /* ... pairs of bf16: words are the bits of f32 */
    uint32_t offset; /* what the bits of a word are changed by: a sign becomes an offset */
    loop_value base; /* its address, in the program being built */
} factors;
/* Elements between neighbours, where these are contiguous. */
static inline int64_t factors_unit(const factors *from)
{
    return from->pair != 1 ? 1 : from->is_quad ? 4 : 2;
}
/* Do elements, or words, STEP elements apart lie side by side? */
static inline bool factors_are_side_by_side(const factors *from, int64_t step)
{
    return !from->is_three && step == factors_unit(from);
}
/* Begin a program that reads FROM: its address is found once. */
static inline void factors_open(loop_builder *b, factors *from)
{
    from->base = loop_buffer(b, from->buffer);
}

/* How B reaches the multiplier. */
typedef enum b_form {
    B_PANELS, /* packed, `columns` wide */
    B_ROWS,   /* in place, N contiguous, or in strips of whole blocks */
    B_COLUMNS /* in place, K contiguous: transposed in registers */
} b_form;

typedef struct problem {
    /* A copy of the caller's, perhaps with its operands exchanged; packing changes the steps of
     * its axes to those of the packed operand. */
    contract_spec spec;
    tn_dtype form;  /* what is computed in */
    loop_elem elem; /* of a part of it */
    uint32_t parts; /* 2 for complex numbers */
    int64_t bytes;  /* of a part */
    bool
        has_pairs; /* what `k` counts are pairs of products of integers, once operands are packed */
    bool has_quads;      /* ... or four of bytes */
    bool has_bf16_pairs; /* ... or pairs of bf16 */
    bool b_is_unsigned;  /* ... of which those of B have no sign, those of A one */
    uint32_t offset;     /* not 0: A's bytes are packed with this changed, as numbers without a sign
                            that are 128 more */
    int64_t batch, m, n, k;
    factors a, b;
    walk a_batch, a_m, b_batch, b_n, c_batch, c_m, c_n;
    product_axes products;

    /* B as it was, where it is packed. */
    struct {
        factors from;
        int64_t first, first_other;
        walk batch, own_batch, n, k; /* own_batch: without the axes that B does not have */
        loop_value offsets;          /* of a panel's columns (i64), where N is several axes */
    } unpacked;

    /* the schedule */
    uint32_t lanes;          /* of a vector */
    bool has_many_registers; /* more than 16 vectors */
    uint32_t nv;             /* vectors side by side in a block */
    /* ... and in a packed panel, of which a block meets `side`. Constants are packed into panels
     * whose width does not depend on the number of rows, so that they are packed once for all. */
    uint32_t panel_nv, side;
    b_form b_form;
    bool has_block_pairs; /* two blocks of products of a vector of columns at once */
    /* Items go through the batch, groups of blocks of rows, panels, blocks of the group. */
    int64_t group;
    bool packs_inside; /* items are panels, which are packed into scratch memory first */
    /* Rows: `outer` times `split` blocks, of base + 1 (the first `longer` ones) or base units of
     * `unit` rows. */
    int64_t outer, split, base, longer, unit;
    /* So many rows of a block at most are computed at once. */
    int64_t at_once;
    /* Shorter blocks are computed as high as the others, with the last unit of the block before. */
    bool has_one_height;
    /* The number of blocks is dynamic. Where `least` is above 0, their height is, too: from that to
     * `most` units, or up to `few` where there are fewer rows. */
    bool is_dynamic;
    int64_t least, most, few;
    /* The code is for any number of rows, few ones, too. Blocks of up to `few` units meet up to
     * `sides` times as many panels of a constant, since they have few chains; not in a stage. How
     * many they meet now is `side_now`. */
    bool has_any_rows, is_stage;
    uint32_t sides, side_now;
    int64_t panels;
    /* The number of columns, and of products, is known when the program runs: `n`, `k`, `panels`
     * and what follows from them are those of now. */
    bool has_dynamic_n, has_dynamic_k;
    /* Items are the blocks of products of the law, whose sums a second program adds. */
    bool is_apart;
    bool is_im2col;         /* A is written out, row by row */
    bool has_channels_last; /* it is copied so that the channels of a position are side by side */
    /* Items are tiles of results, of so many blocks and panels at most, for which chunks of both
     * operands are near. */
    bool is_tiled;
    struct {
        int64_t blocks, panels;
        int64_t near; /* blocks whose chunk of A stays in the second-level cache */
        bool packs_a; /* ... after it was packed, so many numbers for each product */
        int64_t height;
        factors a_from; /* A as it was, then */
        walk a_k;
    } tiles;
} problem;

/* Numbers that depend on dynamic extents. */
enum {
    SIZE_SPLIT = 16,
    SIZE_BASE,
    SIZE_LONGER,
    SIZE_BLOCKS,
    SIZE_ITEMS,
    SIZE_GROUP,
    SIZE_COLUMNS,
    SIZE_PANELS,
    SIZE_PRODUCTS,
    SIZE_CHUNKS,
    SIZE_SQUARES,
    SIZE_OUTER_ROWS,
    SIZE_SIDE
};
/* SUM + one product, or pair of products, of an element of A and one of B, in the order of the op's
 * operands. */
static inline element contract_product(const problem *p, loop_builder *b, element of_a,
                                       element of_b, element sum)
{
    if (p->has_quads) {
        sum.re = p->b_is_unsigned ? loop_dot_quads(b, of_b.re, of_a.re, sum.re)
                                  : loop_dot_quads(b, of_a.re, of_b.re, sum.re);
        return sum;
    }
    if (p->has_bf16_pairs) {
        sum.re = loop_dot_bf16(b, of_a.re, of_b.re, sum.re);
        return sum;
    }
    if (p->has_pairs) {
        sum.re = loop_dot_pairs(b, of_a.re, of_b.re, sum.re);
        return sum;
    }
    return p->spec.b_is_first ? element_fma(b, of_b, of_a, sum) : element_fma(b, of_a, of_b, sum);
}

/* What zeros of A are once they are packed. */
static inline element packed_zero(loop_builder *b, const problem *p, uint32_t lanes)
{
    element zero = element_zero(b, p->form, lanes);
    if (p->offset)
        zero.re = loop_const(b, loop_type_of(p->elem, lanes), p->offset);
    return zero;
}

/* What is beyond the ends of A's windows, packed. */
static inline element packed_border(loop_builder *b, const problem *p, uint32_t lanes)
{
    const uint64_t x = (uint64_t)p->spec.a_border;
    element border = packed_zero(b, p, lanes);
    if (x != 0)
        border.re = loop_const(b, loop_type_of(p->elem, lanes),
                               p->has_quads   ? (x & 0xff) * 0x01010101 ^ p->offset
                               : p->has_pairs ? (x & 0xffff) * 0x00010001
                                              : x);
    return border;
}

/* A number of blocks, which is dynamic if the rows are. */
static inline loop_value size_of(loop_builder *b, const problem *p, uint32_t name, int64_t x)
{
    return p->is_dynamic ? loop_size(b, name, x) : loop_i64(b, x);
}
/* Numbers of columns and panels, and of products. */
static inline loop_value columns_size(loop_builder *b, const problem *p, uint32_t name, int64_t x)
{
    return p->has_dynamic_n ? loop_size(b, name, x) : loop_i64(b, x);
}
static inline loop_value products_size(loop_builder *b, const problem *p, uint32_t name, int64_t x)
{
    return p->has_dynamic_k ? loop_size(b, name, x) : loop_i64(b, x);
}
/* Is the order of blocks and panels that of any sizes? */
static inline bool has_any_order(const problem *p)
{
    return p->has_dynamic_n || p->has_dynamic_k;
}
/* ---- contract_problem.c ---- */

/* P for SPEC; false when sizes overflow. */
bool contract_problem_init(problem *p, const contract_spec *spec, const machine *on);
/* Exchange the operands, and rows with columns. Which operand a product takes first stays. */
void contract_exchange(problem *p);
/* The product of the extents of AXES, in *COUNT; false when it overflows. */
bool contract_count_axes(const contract_axis *axes, uint32_t n, int64_t *count);
bool contract_has_dynamic(const contract_axis *axes, uint32_t n);
/* The axis field at offset FIELD, and what it is with other sizes at OTHER. */
walk contract_walk_of(const contract_axis *axes, uint32_t n, size_t field, size_t other);
#define WALK(axes, n, field)                                                                       \
    contract_walk_of(axes, n, offsetof(contract_axis, field),                                      \
                     offsetof(contract_axis, field##_other))
/* Does a window reach beyond A? */
bool contract_has_border(problem *p);
/* Windows that stay inside of A become strides. */
void contract_drop_windows(problem *p);
/* P->products: axes of K that are one for both operands are joined. */
void contract_join_products(problem *p);

/* ---- contract_choose.c ---- */

/* Few rows times a B so large that reading it dominates. */
bool contract_is_read_once(const problem *p);
/* Can and should the code for P be that for any number of rows? Of a stage it cannot. */
bool contract_serves_any_rows(const problem *p);
/* The schedule without the cut of rows into blocks; packing programs become steps of PLAN. *ROWS:
 * how many rows of a block stay in registers. */
bool contract_choose(problem *p, const machine *m, bool is_stage, arena *memory,
                     contract_plan *plan, int64_t *rows, const char **fault);
/* Vectors of columns of B that are read in place, and how many of them are side by side. */
void contract_choose_squares(problem *p, const machine *m);
/* For problems whose rows are cut into blocks. Where all of B stays in the cache, each block of
 * rows is multiplied by all panels. Otherwise each panel is multiplied by a group of row blocks
 * that stays in the cache. */
void contract_choose_order(problem *p, const machine *m);

/* ---- rows and columns ---- */

/* Blocks of nearly equal heights, at most ROWS, in which rows have the same offsets from the first
 * row. */
void contract_split_rows(problem *p, int64_t rows);
/* The most rows that a block may have. */
int64_t most_rows(const problem *p);
/* How many products an iteration of the inner loop takes for blocks of so many ROWS and VECTORS. */
uint32_t contract_unroll(const problem *p, uint32_t rows, uint32_t vectors);

static inline int64_t columns_of(const problem *p) /* of a block */
{
    return (int64_t)p->nv * p->lanes;
}
static inline int64_t panel_columns_of(const problem *p) /* of a packed panel */
{
    return (int64_t)p->panel_nv * p->lanes;
}
static inline sized panel_sized_bytes(const problem *p) /* of a packed panel */
{
    const sized k = {p->k, axes_count(p->spec.k, p->spec.n_k).other};
    return sized_mul(k, sized_of(panel_columns_of(p) * p->parts * p->bytes));
}
static inline int64_t panel_bytes(const problem *p) /* of what a block meets */
{
    return p->k * columns_of(p) * p->parts * p->bytes;
}

/* How many of what a block meets there are. */
static inline int64_t panels_of(const problem *p)
{
    return (p->n + columns_of(p) - 1) / columns_of(p);
}

/* Integers in programs. */
static inline loop_value int_add(loop_builder *b, loop_value x, loop_value y)
{
    return loop_binary(b, LOOP_IADD, x, y);
}
loop_value int_times(loop_builder *b, loop_value x, int64_t by);
loop_value int_times_sized(loop_builder *b, loop_value x, sized by);
/* BYTES behind the address P. */
loop_value int_behind(loop_builder *b, loop_value p, sized bytes);
loop_value int_divided(loop_builder *b, loop_value x, int64_t by); /* x >= 0 */
loop_value int_modulo(loop_builder *b, loop_value x, int64_t by);
loop_value int_divided_sized(loop_builder *b, loop_value x, sized by);
loop_value int_modulo_sized(loop_builder *b, loop_value x, sized by);
/* The panels of all columns. */
sized all_panels(const problem *p);
/* Which panel, and what is before the panels, X is, a number that counts panels last. */
loop_value panel_of(loop_builder *b, const problem *p, loop_value x);
loop_value before_panels(loop_builder *b, const problem *p, loop_value x);
loop_value int_max(loop_builder *b, loop_value x, loop_value y);

/* LANES elements from AT, as P->form; AT is an address, or, when somebody else loads, the number of
 * the element. Not of pairs. */
element factors_load_at(loop_builder *b, const problem *p, const factors *from, loop_value at,
                        uint32_t lanes, loop_value count);
/* The same from element number AT; pairs, where FROM has them. */
element factors_load(loop_builder *b, const problem *p, const factors *from, loop_value at,
                     uint32_t lanes, loop_value count);
/* The same from element number FIRST + AT, where LEFT (i64) are left, LANES at most: none, too, or
 * less. Element FIRST exists, and none are loaded from there: what is the same in all lanes is read
 * whatever their count (emit_memory.c). */
element factors_load_left(loop_builder *b, const problem *p, const factors *from, loop_value first,
                          loop_value at, uint32_t lanes, loop_value left);

/* N = LANES vectors, the rows of a square, become its columns. */
void transpose_square(loop_builder *b, loop_value *rows, uint32_t lanes, int64_t bytes);
/* The columns of the square of LANES rows of ELEM in memory at ROWS. */
void load_transposed(loop_builder *b, const loop_value *rows, loop_elem elem, uint32_t lanes,
                     loop_value *columns);
/* The same in parts: so many columns at once, from column FROM on. */
uint32_t transposed_at_once(loop_elem elem, uint32_t lanes);
void load_some_transposed(loop_builder *b, const loop_value *rows, uint32_t from, loop_elem elem,
                          uint32_t lanes, loop_value *columns);

/* May the channels of a position of A be side by side in a copy, where they are apart in A? */
bool contract_may_join_channels(const problem *p);
/* ... and is that better? */
bool contract_wants_channels(const problem *p, const machine *m);
/* Is A a constant, of which a copy has the products of a row side by side? */
bool contract_copies_once(const problem *p);
/* A as a dense tensor of P->form with its border, in CONTRACT_PACKED_A, channels side by side where
 * P->has_channels_last; P reads that one from then on. False when sizes overflow, or when there is
 * no program. */
bool contract_pack_a(problem *p, arena *memory, contract_step *step, uint64_t *bytes,
                     const char **fault);
/* May A be written out row by row, each as its products need it? Few and narrow images, and many
 * products: blocks of rows would end where a row of the image does. */
bool contract_may_write_rows(const problem *p);
/* ... and is that better than such blocks, of at most ROWS rows? */
bool contract_wants_rows(const problem *p, const machine *m, int64_t rows);
/* The same as contract_pack_a for that. */
bool contract_write_rows(problem *p, arena *memory, contract_step *step, uint64_t *bytes,
                         const char **fault);
/* P->b is to be read in panels: as it is now goes to P->unpacked. */
void contract_use_panels(problem *p);
/* Begin a program that packs panels. */
void contract_begin_unpacked(loop_builder *b, problem *p);
/* The program that packs all panels, into CONTRACT_PACKED_B. */
bool contract_pack_b(problem *p, arena *memory, contract_step *step, uint64_t *bytes,
                     const char **fault);
/* Code for products LOW .. HIGH - 1 of panel PANEL, of B's element FROM on, to the address TO,
 * which is that of product number FIRST (LOOP_NO_VALUE: 0). */
void contract_emit_panel(loop_builder *b, problem *p, loop_value from, loop_value panel,
                         loop_value low, loop_value high, loop_value to, loop_value first);
/* Is P, of which A walks as A_M and A_K, better computed in tiles? Before B has a form. */
bool contract_can_tile(const problem *p, const machine *m, const walk *a_m, const walk *a_k);
/* ... and may it be? */
bool contract_may_tile(const problem *p, const walk *a_m, const walk *a_k);
/* The tiles pack A, whose blocks have ROWS rows at most: P's axes are then those of the packed one.
 */
void contract_tile_a(problem *p, int64_t rows);
/* For problems whose rows are cut into blocks. */
void contract_choose_tiles(problem *p, const machine *m);
int64_t contract_tile_count(const problem *p); /* of each batch */
const loop_program *contract_tiles(problem *p, arena *memory, const char **fault);
/* Few rows and a large B that lies in rows: is it better swept, an item being one of so many tiles
 * of columns of each batch? For problems whose axes are final. */
bool contract_can_sweep(const problem *p);
/* ... and may it be? */
bool contract_may_sweep(const problem *p);
int64_t contract_sweep_tiles(const problem *p);
/* The blocks of the law; may these be the items, nothing of A being packed? */
int64_t contract_sweep_blocks(const problem *p);
bool contract_may_sweep_blocks(const problem *p);
/* So many rows of B at a time, and vectors of each side by side. */
int64_t contract_sweep_streams(const problem *p);
int64_t contract_sweep_vectors(const problem *p);
const loop_program *contract_sweep(problem *p, arena *memory, const char **fault);
/* What adds the blocks where they are apart, and the bytes of the sums of one. */
const loop_program *contract_sweep_total(problem *p, arena *memory, const char **fault);
uint64_t contract_sweep_sum_bytes(const problem *p);
const loop_program *contract_multiply(problem *p, arena *memory, const char **fault);

/* Sum products in pairs or fours where that can and should be: K counts these from then on. */
void contract_choose_pairs(problem *p, const machine *m);
/* Is S sums of products of rows with rows? It is where rows have elements of both operands. */
bool contract_is_dots(const contract_spec *s, const machine *on);
/* Lanes of a vector of chains. */
uint32_t contract_dot_lanes(const problem *p);
/* The program, whose work items are counted in *WORK. Where PLAN then has memory between programs,
 * another one adds what that one left there, an item for each batch. */
const loop_program *contract_dots(problem *p, arena *memory, contract_plan *plan, int64_t *work,
                                  const char **fault);
const loop_program *contract_dots_total(problem *p, arena *memory, const char **fault);

/* The axis that is number I of those that walk W. */
contract_axis *window_axis(contract_spec *s, const contract_window *w, uint32_t i);
/* Can a window reach outside of A? */
bool window_has_border(contract_spec *s, const contract_window *w);

#endif
