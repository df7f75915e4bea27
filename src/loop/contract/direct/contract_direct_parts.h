/* What the files of direct contractions share: contract_direct.c says how they go. */
#ifndef LOOP_CONTRACT_CONTRACT_DIRECT_PARTS_H
#define LOOP_CONTRACT_CONTRACT_DIRECT_PARTS_H

#include "loop/contract/direct/contract_direct.h"

enum {
    DIRECT_PRODUCTS = 64, /* of a result, at most: all are unrolled */
    DIRECT_COLUMNS = 4,   /* of N, where vectors go along M */
    DIRECT_BODY = 256,    /* multiply-adds of a block */
    NO_AXIS = CONTRACT_MAX_AXES
};

/* An axis of M whose results are neighbours in a block, and the axis of K that walks a window
 * together with it. */
typedef struct direct_side {
    uint32_t axis;        /* of M; NO_AXIS: a block has one */
    int64_t extent;       /* in a block */
    uint32_t slides;      /* axis of K; NO_AXIS: none walks the window of `axis` */
    uint32_t in;          /* that window, or n_windows */
    int64_t by, slide_by; /* the steps of both in it */
} direct_side;

/* One place in A, as it is known while the program is made: elements, and coordinates of windows.
 */
typedef struct direct_place {
    int64_t at, in[CONTRACT_MAX_WINDOWS];
} direct_place;

typedef struct direct {
    const contract_spec *s;
    loop_builder *b;
    tn_dtype form;
    uint32_t lanes;
    bool by_columns;          /* vectors go along N */
    bool stores_parts_slowly; /* without mask registers, partial vectors are stored in parts */
    uint32_t vector;          /* their axis, of N or M */
    uint32_t vector_in;       /* the window that they walk, or n_windows */
    int64_t vector_by;        /* ... and their step in it, or in A */
    direct_side rows;         /* of a block */
    direct_side lines; /* of rows, where vectors go along N: what more is next to each other */
    int64_t columns;   /* of a block: N, where vectors go along M, else 1 */
    bool is_bounded[CONTRACT_MAX_WINDOWS]; /* windows that reach beyond A */
    loop_value a, b_at, c, zeros;
    loop_value in[CONTRACT_MAX_WINDOWS];  /* coordinates of the block's first element */
    loop_value from;                      /* the address of it in A */
    bool is_guarded;                      /* some elements may lie outside */
    bool streams;                         /* all columns of a block come before the next rows */
    bool fetches_a, fetches_c;            /* what the next block reads, and writes, is fetched */
    loop_value factors_at, factors_count; /* where those of B are that are loaded when needed */
    bool is_loaded[DIRECT_PRODUCTS];
    element factor[DIRECT_PRODUCTS * DIRECT_COLUMNS];
    element sums[DIRECT_BODY];
    bool has_pair; /* two vectors of A were loaded from `pair_at` on */
    direct_place pair_at;
    element pair[2];
    loop_value batch, batch_at[CONTRACT_MAX_AXES],
        m[CONTRACT_MAX_AXES]; /* of the item; M without the rows and the vector, the first line */
    loop_value row, at;       /* the first ones of the block */
    contract_spec plane;      /* as `s`, of what an item has copied of A */
    int64_t plane_size;       /* elements of that; 0: it is not copied */
    loop_value plane_at;
} direct;

/* The form of SPEC; false if it has none. */
bool direct_init(direct *d, const contract_spec *s, const machine *on);
/* The window that axis AXIS of LIST walks, and by what; n_windows where it walks none. */
uint32_t direct_window_of(const contract_spec *s, contract_list list, uint32_t axis, int64_t *by);
/* How many places of its window N results of SIDE reach over; N where it has none. */
int64_t direct_places(const direct *d, const direct_side *side, int64_t n);

/* ---- contract_direct_load.c ---- */

/* Where product K of row ROW of line LINE is, from the block's first element. */
direct_place direct_place_of(const direct *d, const int64_t *k, int64_t line, int64_t row);
/* The vector of A at P, of which COUNT lanes exist. */
element direct_load_a(direct *d, const direct_place *p, loop_value count);
/* B's factor of product K and of the columns at N, from the address FROM on. */
element direct_load_factor(const direct *d, loop_value from, const int64_t *k, const int64_t *n,
                           loop_value count);
/* All of them, before the loops over the results: COLUMN by product. */
void direct_load_factors(direct *d, loop_value from, loop_value count);
/* The position after AT along axes LOW .. HIGH - 1, the last one first; false behind the last one,
 * where it is 0 again. */
bool direct_next_position(int64_t *at, const contract_axis *axes, uint32_t low, uint32_t high);

/* ---- contract_direct_fetch.c ---- */

/* Are D's blocks to fetch what the next one needs? */
void direct_choose_fetches(direct *d);
/* Fetch the vectors of A that the block after one of ROWS rows reads beyond those of this one. */
void direct_fetch_a(const direct *d, int64_t rows);

/* ---- contract_direct_plane.c ---- */

/* Is the part of A that an item reads copied? D->plane says how that lies then. */
bool direct_choose_plane(direct *d, const machine *on);
/* Its memory, with its border: before the items. */
void direct_open_plane(direct *d);
/* The code that copies it, for an item whose part of A begins at element FROM. */
void direct_copy_plane(direct *d, loop_value from);

#endif
