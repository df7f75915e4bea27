/* Access maps: where an element of a value that movement made comes from.
 *
 * A map leads from positions in a result to positions in a source. Each source axis has an
 * expression over the result's axes: a sum of numbers, of axes times numbers, and of quotients and
 * remainders of such sums by positive numbers, rounded down. Guards say where the result does not
 * come from the source at all but is padding. Maps compose, and are kept simple: what the ranges of
 * the axes decide is decided.
 *
 * Beside each number of a map stands what it is with other sizes (sized.h). Ranges, and all that is
 * decided, are those of now.
 *
 * Expressions are immutable and live in an arena. Static shapes only, all extents above 0. */
#ifndef INDEX_ACCESS_H
#define INDEX_ACCESS_H

#include "base/text/text.h"
#include "graph/module.h"
#include "graph/sized.h"

typedef struct access_expr access_expr;

typedef enum access_atom_kind { ACCESS_AXIS, ACCESS_QUOTIENT, ACCESS_REMAINDER } access_atom_kind;

/* factor * axis, factor * (of // by), or factor * (of % by). */
typedef struct access_term {
    int64_t factor;
    access_atom_kind kind;
    uint32_t axis;
    uint32_t depth; /* of quotients and remainders in it */
    uint32_t atoms; /* that it consists of, itself included, as often as they stand there */
    const access_expr *of;
    int64_t by;
    int64_t low, high; /* of the atom, without the factor */
    int64_t factor_other, by_other;
} access_term;

struct access_expr {
    int64_t constant, constant_other;
    int64_t low, high; /* values lie between these */
    uint32_t n;
    access_term at[];
};

/* LOW <= of < HIGH must hold; else the element is the padding number `fill`. */
typedef struct access_guard {
    const access_expr *of;
    int64_t low, high;
    uint32_t fill;
    int64_t low_other, high_other;
} access_guard;

static inline access_guard access_guard_of(const access_expr *of, sized low, sized high,
                                           uint32_t fill)
{
    return (access_guard){of, low.now, high.now, fill, low.other, high.other};
}

enum { ACCESS_GUARDS = 20 }; /* a map with more of them is none */

typedef struct access_map {
    uint32_t rank; /* of the result */
    int64_t dims[TN_MAX_RANK];
    uint32_t n_source; /* axes of the source */
    const access_expr *at[TN_MAX_RANK];
    uint32_t n_guards; /* looked at in order */
    access_guard guards[ACCESS_GUARDS];
} access_map;

/* What cannot be expressed, overflows or is too large has no map: these return false (or NULL).
 * Lack of memory too; callers then do without the map. */

/* Position i leads to position i. */
bool access_identity(const int64_t *dims, uint32_t rank, arena *memory, access_map *out);
/* Result axis k is axis ORDER[k] of a source with these extents. */
bool access_of_order(const int64_t *dims, const uint32_t *order, uint32_t rank, arena *memory,
                     access_map *out);
/* Source axis i is at CONSTANT[i] + the sum of BY[i][k] * axis k, which may be outside of it. */
bool access_of_steps(const int64_t *dims, uint32_t rank, uint32_t n_source, const int64_t *constant,
                     const int64_t (*by)[TN_MAX_RANK], arena *memory, access_map *map);
/* A list of extents, and what they are with other sizes. */
typedef struct access_extents {
    uint32_t rank;
    const int64_t *now, *other;
} access_extents;
/* The extents of V, of F. */
access_extents access_extents_of(const function *f, value_id v);

/* A result of the extents DIMS has the elements of a source of extents FROM in row-major order. */
bool access_of_reshape(access_extents dims, access_extents from, arena *memory, access_map *map);
/* The ops that have such a map: each result element is an element of the operand, or padding. */
bool access_is_movement(const node *n);
/* The map of a movement node of F, whose types are static. Padding has the number of its result. */
bool access_of_node(const function *f, const node *n, arena *memory, access_map *map);
/* An operand that is broadcast from the right to a result. */
bool access_of_broadcast(const type *in, const int64_t *dims, uint32_t rank, arena *memory,
                         access_map *map);
/* First OUTER, from the result to something in between; then INNER from there to the source. */
bool access_compose(const access_map *outer, const access_map *inner, arena *memory,
                    access_map *out);

/* Guards of MAP, from number FROM on, that ask for a quotient ask for what is divided instead. */
void access_plain_guards(access_map *map, uint32_t from);

/* MAP with SHIFT added to source axis AXIS. */
bool access_shifted(const access_map *map, uint32_t axis, sized shift, arena *memory,
                    access_map *out);
/* MAP in MEMORY, as small as it can be: only to be read. NULL without memory. */
const access_map *access_copy(const access_map *map, arena *memory);
/* TO becomes FROM, which may be such a copy. */
void access_assign(access_map *to, const access_map *from);
/* Do both maps lead to the same element everywhere, as far as their form tells? */
bool access_same(const access_map *a, const access_map *b);

/* The offset, in elements of a dense row-major source of shape DIMS. */
const access_expr *access_offset(const access_map *map, access_extents dims, arena *memory);
/* E as constant + sum of strides[k] * axis k; false when it has quotients or remainders. */
bool access_strides(const access_expr *e, uint32_t rank, int64_t *constant, int64_t *strides);
/* Mask of the axes of the positions on which E depends; on which MAP does, its guards included. */
uint32_t access_expr_axes(const access_expr *e);
uint32_t access_axes(const access_map *map);
/* Has E the same numbers with other sizes? Its axes may be longer or shorter then. */
bool access_is_fixed(const access_expr *e);
/* The value of E at a position. */
int64_t access_value(const access_expr *e, const int64_t *at);
/* The padding at a position, or -1: the element comes from the source. */
int64_t access_padding(const access_map *map, const int64_t *at);

/* MAP on one line, for dumps: axes of the result are i0, i1, ... */
void access_print(const access_map *map, text_buffer *out);

#endif
