/* What the files that compute values of a kernel share. */
#ifndef LOOP_EMIT_EMIT_PARTS_H
#define LOOP_EMIT_EMIT_PARTS_H

#include "loop/emit/emit.h"

/* Bytes of an operand from which on it is worth fetching; smaller ones are in the cache anyway. */
enum { EMIT_LARGE = 2 << 20 };

/* A placeholder for a value that cannot be computed: the emitter has failed. */
element emit_nothing(emitter *e, tn_dtype d);
/* What is known of V under MAP, or NULL; the same for what is kept in scratch memory. */
const emit_known *emit_find_known(const emitter *e, value_id v, const access_map *map);
const emit_kept *emit_find_kept(const emitter *e, value_id v, const access_map *map);

/* From the positions to use USE of operand K of N, whose result is at MAP. */
bool emit_use_map(emitter *e, const node *n, uint32_t k, uint32_t use, const access_map *map,
                  const access_map **out);
static inline bool emit_operand_map(emitter *e, const node *n, uint32_t k, const access_map *map,
                                    const access_map **out)
{
    return emit_use_map(e, n, k, 0, map, out);
}

/* Numbers: see emit_index. */
static inline bool emit_is_strided(const emit_index *x)
{
    return x->lanes == LOOP_NO_VALUE;
}
static inline bool emit_varies(const emitter *e, const emit_index *x)
{
    return e->lanes > 1 && (x->step != 0 || !emit_is_strided(x));
}
loop_value emit_all_lanes(emitter *e, const emit_index *x);
/* SUM plus the number of each lane. */
void emit_add_lanes(emitter *e, emit_index *sum, loop_value lanes);
loop_value emit_scaled(loop_builder *b, loop_value x, int64_t factor);
loop_value emit_times(loop_builder *b, loop_value x, sized factor);
/* Both masks, of which one may have one lane. */
loop_value emit_both(loop_builder *b, loop_value x, loop_value y);
/* All guards of MAP number FROM and on; LOOP_NO_VALUE when there are none. */
loop_value emit_all_hold(emitter *e, const access_map *map, uint32_t from);
/* EXPR with a constant stride, which it has if no quotient or remainder in it changes within the
 * lanes: the mask *FITS says whether. False when it has none even then. */
bool emit_unwrapped(emitter *e, const access_expr *expr, emit_index *line, loop_value *fits);
/* Where lanes that go on by one are cut in two at most, each part of elements side by side: how
 * many (i64) the first one has, as many as there are lanes or more if it is the only one; else
 * LOOP_NO_VALUE. *GOES_BACK: the second may lie before the end of the first. */
loop_value emit_first_part(emitter *e, const access_expr *expr, bool *goes_back);
/* Are the lanes of EXPR, where *FITS, a few elements from number *FIRST on, each several times? How
 * many, else 0, and in TABLE which of them each lane is. */
uint32_t emit_few(emitter *e, const access_expr *expr, loop_value *first, loop_value *fits,
                  uint8_t *table);
/* Are the lanes of EXPR, where *FITS, pieces of elements side by side, all as long, the first from
 * element *FIRST on, and each *APART elements after the one before? How long, else 0. */
uint32_t emit_pieces(emitter *e, const access_expr *expr, loop_value *first, int64_t *apart,
                     loop_value *fits);
/* Adds to *FITS that all lanes are within the guards of MAP. */
bool emit_all_within(emitter *e, const access_map *map, loop_value *fits);

/* Memory. The address of element INDEX, and how elements are aligned. */
loop_value emit_address(emitter *e, loop_value base, loop_value index, tn_dtype d);
static inline uint32_t emit_natural(tn_dtype d)
{
    return (uint32_t)loop_elem_bytes(element_storage(d));
}
/* The element number AT of what lies at BASE; 0 where OK, when there is such, does not hold. OFFSET
 * and MAP, unless they are NULL, are where AT comes from. */
element emit_load_at(emitter *e, loop_value base, tn_dtype d, emit_index at, loop_value ok,
                     const access_expr *offset, const access_map *map);
/* The element of input number I, dense and of type T; 0 where a guard of MAP does not hold. */
element emit_load(emitter *e, uint32_t i, const access_map *map);

/* Positions given by data. REST is where the first operand of N is read for a result at MAP, with 0
 * on the axes whose position is data. */
bool emit_rest_of_map(emitter *e, const node *n, const access_map *map, access_map *rest);
element emit_by_data(emitter *e, const node *n, const access_map *map);
/* Where the window of an UPDATE starts. */
void emit_find_window(emitter *e);

#endif
