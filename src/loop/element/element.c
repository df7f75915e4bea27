/* Elements in memory and in variables. */
#include <string.h>

#include "loop/element/element_parts.h"

loop_elem element_storage(tn_dtype d)
{
    switch (dtype_bytes(dtype_table[d].part)) {
    case 1:
        return LOOP_I8;
    case 2:
        return LOOP_I16;
    case 4:
        return dtype_is_int(d) ? LOOP_I32 : LOOP_F32;
    default:
        return dtype_is_int(d) ? LOOP_I64 : LOOP_F64;
    }
}

loop_elem element_compute(tn_dtype d)
{
    if (d == TN_I1)
        return LOOP_MASK;
    return element_is_narrow(d) ? LOOP_F32 : element_storage(d);
}

tn_dtype element_carrier(tn_dtype d)
{
    if (d == TN_CF64)
        return d;
    switch (dtype_bytes(d)) {
    case 1:
        return TN_UI8;
    case 2:
        return TN_UI16;
    case 4:
        return TN_UI32;
    default:
        return TN_UI64;
    }
}

static size_t part_bytes(tn_dtype d)
{
    return dtype_bytes(dtype_table[d].part);
}

/* ---- complex numbers in memory ---- */

/* LANES complex elements are 2 * LANES parts in memory: one vector, or two when there are too many.
 */
typedef struct pairs {
    loop_value low, high; /* the same when one is enough */
} pairs;

static bool is_two(uint32_t lanes)
{
    return 2 * lanes > LOOP_MAX_LANES;
}

static uint32_t pair_lanes(uint32_t lanes)
{
    return is_two(lanes) ? lanes : 2 * lanes;
}

/* Every second part from FIRST. */
static loop_value every_second(loop_builder *b, pairs p, uint32_t first, uint32_t lanes)
{
    uint8_t table[LOOP_MAX_LANES] = {0};
    for (uint32_t i = 0; i < lanes && i < LOOP_MAX_LANES; i++)
        table[i] = (uint8_t)(2 * i + first);
    return loop_shuffle(b, p.low, p.high, table, lanes);
}

static element apart(loop_builder *b, tn_dtype d, pairs p, uint32_t lanes)
{
    const loop_value re = every_second(b, p, 0, lanes);
    return (element){d, re, every_second(b, p, 1, lanes)};
}

/* The parts side by side, from complex element FIRST on. */
static loop_value interleave(loop_builder *b, element x, uint32_t first)
{
    uint8_t table[LOOP_MAX_LANES];
    const uint32_t lanes = element_lanes(b, x), n = pair_lanes(lanes);
    for (uint32_t i = 0; i < n && i < LOOP_MAX_LANES; i++)
        table[i] = (uint8_t)(first + i / 2 + (i & 1 ? lanes : 0));
    return loop_shuffle(b, x.re, x.im, table, n);
}

static pairs together(loop_builder *b, element x)
{
    const uint32_t lanes = element_lanes(b, x);
    const loop_value low = interleave(b, x, 0);
    return (pairs){low, is_two(lanes) ? interleave(b, x, lanes / 2) : low};
}

static loop_value clamp_count(loop_builder *b, loop_value n, int64_t low, int64_t high)
{
    const loop_value l = loop_i64(b, low), h = loop_i64(b, high);
    n = loop_select(b, loop_binary(b, LOOP_ILT, n, l), l, n);
    return loop_select(b, loop_binary(b, LOOP_ILT, h, n), h, n);
}

/* How many of the first N complex elements' parts are in each vector. */
static pairs counts(loop_builder *b, loop_value n, uint32_t lanes)
{
    const loop_value parts = loop_binary(b, LOOP_IADD, n, n);
    if (!is_two(lanes))
        return (pairs){parts, parts};
    const loop_value rest = loop_binary(b, LOOP_ISUB, parts, loop_i64(b, LOOP_MAX_LANES));
    return (pairs){clamp_count(b, parts, 0, LOOP_MAX_LANES),
                   clamp_count(b, rest, 0, LOOP_MAX_LANES)};
}

static uint32_t least(uint32_t a, uint64_t c)
{
    return a < c ? a : (uint32_t)c;
}

/* The address and the alignment of the second vector, or of the imaginary part of one element. */
static loop_value second(loop_builder *b, loop_value p, tn_dtype d, uint32_t lanes)
{
    return loop_at(b, p, (int64_t)(lanes * part_bytes(d)));
}
static uint32_t second_align(tn_dtype d, uint32_t lanes, uint32_t align)
{
    return least(align, lanes * part_bytes(d));
}

/* ---- memory ---- */

element element_load(loop_builder *b, tn_dtype d, loop_value p, uint32_t lanes, uint32_t align)
{
    const loop_elem e = element_storage(d);
    const loop_type t = loop_type_of(e, lanes);
    if (!dtype_is_complex(d))
        return element_of(d, element_decode(b, d, loop_load(b, t, p, align)));
    if (lanes == 1) {
        const loop_value re = loop_load(b, t, p, align);
        return (element){d, re, loop_load(b, t, second(b, p, d, 1), second_align(d, 1, align))};
    }
    const loop_type both = loop_type_of(e, pair_lanes(lanes));
    pairs v;
    v.low = v.high = loop_load(b, both, p, align);
    if (is_two(lanes))
        v.high = loop_load(b, both, second(b, p, d, lanes), second_align(d, lanes, align));
    return apart(b, d, v, lanes);
}

element element_load_first(loop_builder *b, tn_dtype d, loop_value p, uint32_t lanes, loop_value n,
                           uint32_t align)
{
    const loop_elem e = element_storage(d);
    const loop_type t = loop_type_of(e, lanes);
    if (!dtype_is_complex(d))
        return element_of(d, element_decode(b, d, loop_load_first(b, t, p, n, align)));
    if (lanes == 1) {
        const loop_value re = loop_load_first(b, t, p, n, align);
        return (element){d, re,
                         loop_load_first(b, t, second(b, p, d, 1), n, second_align(d, 1, align))};
    }
    const loop_type both = loop_type_of(e, pair_lanes(lanes));
    const pairs count = counts(b, n, lanes);
    pairs v;
    v.low = v.high = loop_load_first(b, both, p, count.low, align);
    if (is_two(lanes))
        v.high = loop_load_first(b, both, second(b, p, d, lanes), count.high,
                                 second_align(d, lanes, align));
    return apart(b, d, v, lanes);
}

element element_stored(loop_builder *b, tn_dtype d, loop_value x)
{
    return element_of(d, element_decode(b, d, x));
}

element element_load_where(loop_builder *b, tn_dtype d, loop_value p, loop_value mask)
{
    return element_of(d, element_decode(b, d, loop_load_where(b, element_storage(d), p, mask)));
}

element element_gather(loop_builder *b, tn_dtype d, loop_value p, loop_value offsets,
                       loop_value mask)
{
    const loop_elem e = element_storage(d);
    const loop_value re = loop_gather(b, e, p, offsets, mask);
    if (!dtype_is_complex(d))
        return element_of(d, element_decode(b, d, re));
    return (element){d, re, loop_gather(b, e, second(b, p, d, 1), offsets, mask)};
}

void element_store(loop_builder *b, loop_value p, element x, uint32_t align)
{
    const tn_dtype d = x.dtype;
    const uint32_t lanes = element_lanes(b, x);
    if (!dtype_is_complex(d)) {
        loop_store(b, p, element_encode(b, d, x.re), align);
    } else if (lanes == 1) {
        loop_store(b, p, x.re, align);
        loop_store(b, second(b, p, d, 1), x.im, second_align(d, 1, align));
    } else {
        const pairs v = together(b, x);
        loop_store(b, p, v.low, align);
        if (is_two(lanes))
            loop_store(b, second(b, p, d, lanes), v.high, second_align(d, lanes, align));
    }
}

void element_store_first(loop_builder *b, loop_value p, element x, loop_value n, uint32_t align)
{
    const tn_dtype d = x.dtype;
    const uint32_t lanes = element_lanes(b, x);
    if (!dtype_is_complex(d)) {
        loop_store_first(b, p, element_encode(b, d, x.re), n, align);
    } else if (lanes == 1) {
        loop_store_first(b, p, x.re, n, align);
        loop_store_first(b, second(b, p, d, 1), x.im, n, second_align(d, 1, align));
    } else {
        const pairs v = together(b, x), count = counts(b, n, lanes);
        loop_store_first(b, p, v.low, count.low, align);
        if (is_two(lanes))
            loop_store_first(b, second(b, p, d, lanes), v.high, count.high,
                             second_align(d, lanes, align));
    }
}

void element_stream(loop_builder *b, loop_value p, element x)
{
    const tn_dtype d = x.dtype;
    const uint32_t lanes = element_lanes(b, x);
    if (!dtype_is_complex(d)) {
        loop_store_nontemporal(b, p, element_encode(b, d, x.re));
    } else if (lanes == 1) {
        loop_store_nontemporal(b, p, x.re);
        loop_store_nontemporal(b, second(b, p, d, 1), x.im);
    } else {
        const pairs v = together(b, x);
        loop_store_nontemporal(b, p, v.low);
        if (is_two(lanes))
            loop_store_nontemporal(b, second(b, p, d, lanes), v.high);
    }
}

/* ---- constants ---- */

/* The bits of one part as held: SIZE bytes at AT. */
static uint64_t bits_at(const void *at, size_t size)
{
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    switch (size) {
    case 1:
        memcpy(&u8, at, sizeof u8);
        return u8;
    case 2:
        memcpy(&u16, at, sizeof u16);
        return u16;
    case 4:
        memcpy(&u32, at, sizeof u32);
        return u32;
    default:
        memcpy(&u64, at, sizeof u64);
        return u64;
    }
}

element element_const(loop_builder *b, tn_dtype d, uint32_t lanes, const void *stored)
{
    const loop_type t = loop_type_of(element_compute(d), lanes);
    const size_t size = part_bytes(dtype_compute(d));
    char held[16];
    dtype_widen(d, stored, held, 1);
    element x = element_of(d, loop_const(b, t, bits_at(held, size)));
    if (dtype_is_complex(d))
        x.im = loop_const(b, t, bits_at(held + size, size));
    return x;
}

element element_number(loop_builder *b, tn_dtype d, uint32_t lanes, scalar value)
{
    char stored[16] = {0};
    (void)scalar_store(value, d, stored);
    return element_const(b, d, lanes, stored);
}

/* ---- both parts ---- */

element element_splat(loop_builder *b, uint32_t lanes, element x)
{
    x.re = loop_splat(b, lanes, x.re);
    if (dtype_is_complex(x.dtype))
        x.im = loop_splat(b, lanes, x.im);
    return x;
}

element element_lane(loop_builder *b, element x, uint32_t lane)
{
    x.re = loop_lane(b, x.re, lane);
    if (dtype_is_complex(x.dtype))
        x.im = loop_lane(b, x.im, lane);
    return x;
}

element element_part(loop_builder *b, element x, uint32_t first, uint32_t lanes)
{
    x.re = loop_part(b, x.re, first, lanes);
    if (dtype_is_complex(x.dtype))
        x.im = loop_part(b, x.im, first, lanes);
    return x;
}

element element_shuffle(loop_builder *b, element x, element y, const uint8_t *table, uint32_t lanes)
{
    x.re = loop_shuffle(b, x.re, y.re, table, lanes);
    if (dtype_is_complex(x.dtype))
        x.im = loop_shuffle(b, x.im, y.im, table, lanes);
    return x;
}

void element_align(loop_builder *b, element *x, uint32_t n)
{
    uint32_t lanes = 1;
    for (uint32_t i = 0; i < n; i++)
        if (element_lanes(b, x[i]) > lanes)
            lanes = element_lanes(b, x[i]);
    for (uint32_t i = 0; i < n; i++)
        x[i] = element_splat(b, lanes, x[i]);
}

element element_select(loop_builder *b, loop_value mask, element yes, element no)
{
    element all[3] = {element_of(TN_I1, mask), yes, no};
    element_align(b, all, 3);
    yes.re = loop_select(b, all[0].re, all[1].re, all[2].re);
    if (dtype_is_complex(yes.dtype))
        yes.im = loop_select(b, all[0].re, all[1].im, all[2].im);
    return yes;
}

element element_var(loop_builder *b, element first)
{
    first.re = loop_var(b, first.re);
    if (dtype_is_complex(first.dtype))
        first.im = loop_var(b, first.im);
    return first;
}

element element_get(loop_builder *b, element var)
{
    var.re = loop_get(b, var.re);
    if (dtype_is_complex(var.dtype))
        var.im = loop_get(b, var.im);
    return var;
}

void element_set(loop_builder *b, element var, element x)
{
    loop_set(b, var.re, x.re);
    if (dtype_is_complex(var.dtype))
        loop_set(b, var.im, x.im);
}

/* ---- masks ---- */

loop_value element_first(loop_builder *b, uint32_t lanes, loop_value n)
{
    if (lanes == 1)
        return loop_binary(b, LOOP_ILT, loop_i64(b, 0), n);
    n = loop_convert(b, LOOP_TRUNCATE, LOOP_I32, clamp_count(b, n, 0, lanes));
    return loop_binary(b, LOOP_ILT, loop_ramp(b, LOOP_I32, lanes), loop_splat(b, lanes, n));
}
