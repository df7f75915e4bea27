/* Elements of a line as numbers with their positions, and sorting them (docs/numerics.md,
 * section 9). */
#ifndef LOOP_NEST_LOOPS_RECORDS_H
#define LOOP_NEST_LOOPS_RECORDS_H

#include "loop/nest/loops/loops.h"

/* One element: its key, which ascends as an unsigned number in the wanted order, and its position,
 * both i64. A key of 32 bits or fewer stands above its position in one number, and `position` is
 * LOOP_NO_VALUE. Bare records are keys alone. */
typedef struct record {
    loop_value key, position;
} record;

/* A list of records in scratch memory, and as much again to sort with. */
typedef struct records {
    loops *l;
    tn_dtype dtype;     /* of the elements */
    bool largest;       /* the order: largest first */
    bool is_wide;       /* keys have 64 bits */
    bool is_bare;       /* records are keys of as many bits as elements have, 32 or 64 */
    uint32_t low, high; /* the bits of a key that differ are low .. high - 1 */
    int64_t room;       /* records that fit */
    bool any_length;    /* code for any number of records, with every way to sort them */
    loop_value keys, positions, spare_keys, spare_positions;
    loop_value counts;      /* of digits, or of the records before each */
    uint32_t digit, passes; /* bits of a digit, and how many of them; 0: each with each */
} records;

/* The memory for ROOM records, at most INT32_MAX. */
void records_init(records *r, loops *l, tn_dtype dtype, bool largest, sized length);
/* The same for keys alone, which tell all of an element but the sign of zero and the bits of a NaN.
 * False: there are none of DTYPE, or other records are as fast for so few. */
bool records_init_bare(records *r, loops *l, tn_dtype dtype, bool largest, int64_t room);
/* Do keys of D tell the element, but for the sign of zero and the bits of a NaN? Then it is that of
 * KEY (loops_order_key). */
bool records_has_inverse(tn_dtype d);
element records_element_of(loop_builder *b, tn_dtype d, bool largest, loop_value key);
/* Of bare records: the element of record INDEX, LANES from there on; and how many come before the
 * place of KEY (loops_order_key) among the first N, i64. */
element records_element(const records *r, loop_value index, uint32_t lanes);
loop_value records_before(const records *r, loop_value key, int64_t n);
/* The record, or records in lanes, of KEY (loops_order_key) at POSITION. */
record records_of(const records *r, loop_value key, loop_value position);
record records_get(const records *r, loop_value index);
void records_put(const records *r, loop_value index, record x);
/* The position of record INDEX; of LANES records from there on. */
loop_value records_position(const records *r, loop_value index, uint32_t lanes);
/* Records 0 .. N of the elements from number FIRST at BASE on, STRIDE apart. */
void records_read(const records *r, loop_value base, loop_value first, sized stride, sized n);
/* The first N (i64) records into their order; of equal keys the earlier record stays first. The
 * list changes places with its spare one perhaps. */
void records_sort(records *r, loop_value n);

#endif
