/* One element each of neighbouring records of eight bytes. What several fields have in common is
 * written for each of them, and LLVM and C compilers do it once. */
#include "loop/element/element_parts.h"

enum { RECORD_BYTES = 8, PIECE_BYTES = 16 };

typedef struct record_reader {
    loop_builder *b;
    loop_elem elem;
    loop_value at;
    uint32_t lanes, piece, fields; /* elements of a vector, of a piece of it, of a record */
} record_reader;

/* ---- by interleaving records until all elements of one field lie together ---- */

/* Processors interleave within pieces of 16 bytes and slowly across them, so each vector is loaded
 * as pieces, such that the records come out in order: LANES elements, which are pieces whose
 * numbers are FIRST, FIRST + `fields`, ... */
static loop_value load_pieces(const record_reader *r, uint32_t first, uint32_t lanes)
{
    uint8_t table[LOOP_MAX_LANES];
    const uint32_t bytes = (uint32_t)loop_elem_bytes(r->elem);
    if (lanes == r->piece)
        return loop_load(r->b, loop_type_of(r->elem, lanes),
                         loop_at(r->b, r->at, (int64_t)first * r->piece * bytes), bytes);
    const uint32_t half = lanes / 2;
    const loop_value low = load_pieces(r, first, half);
    const loop_value high = load_pieces(r, first + half / r->piece * r->fields, half);
    for (uint32_t i = 0; i < lanes && i < LOOP_MAX_LANES; i++)
        table[i] = (uint8_t)i;
    return loop_shuffle(r->b, low, high, table, lanes);
}

/* Vector number FIRST, in each piece of which the first elements of its records lie side by side,
 * then the second ones. */
static loop_value load_vector(const record_reader *r, uint32_t first)
{
    uint8_t table[LOOP_MAX_LANES];
    const loop_value x = load_pieces(r, first, r->lanes);
    const uint32_t count = r->piece / r->fields;
    for (uint32_t i = 0; i < r->lanes && i < LOOP_MAX_LANES; i++) {
        const uint32_t within = i % r->piece;
        table[i] = (uint8_t)(i - within + within % count * r->fields + within / count);
    }
    return count > 1 ? loop_shuffle(r->b, x, x, table, r->lanes) : x;
}

/* COUNT vectors from number FIRST on, of which in each piece only the fields are left that share
 * the upper digits of FIELD: of so many records their first elements side by side, and so on. */
static loop_value interleave(const record_reader *r, uint32_t first, uint32_t count, uint32_t field)
{
    uint8_t table[LOOP_MAX_LANES];
    if (count == 1)
        return load_vector(r, first);
    const loop_value x = interleave(r, first, count / 2, field);
    const loop_value y = interleave(r, first + count / 2, count / 2, field);
    const uint32_t unit = count / 2 * (r->piece / r->fields);
    const uint32_t from = field / (r->fields / count) % 2 * (r->piece / 2);
    for (uint32_t i = 0; i < r->lanes && i < LOOP_MAX_LANES; i++) {
        const uint32_t within = i % r->piece, number = within / unit;
        const uint32_t at = i - within + from + number / 2 * unit + within % unit;
        table[i] = (uint8_t)(at + number % 2 * r->lanes);
    }
    return loop_shuffle(r->b, x, y, table, r->lanes);
}

static loop_value interleaved(loop_builder *b, loop_elem e, loop_value p, uint32_t lanes,
                              uint32_t field)
{
    const uint32_t bytes = (uint32_t)loop_elem_bytes(e), most = PIECE_BYTES / bytes;
    const record_reader r = {.b = b,
                             .elem = e,
                             .at = p,
                             .lanes = lanes,
                             .piece = lanes < most ? lanes : most,
                             .fields = RECORD_BYTES / bytes};
    return interleave(&r, 0, r.fields, field);
}

/* ---- by shifts, which leave a field where longer numbers lie ---- */

static loop_value shifted(loop_builder *b, loop_elem e, loop_value p, uint32_t lanes,
                          uint32_t field)
{
    const loop_type t = loop_type_of(LOOP_I64, lanes);
    const uint32_t bytes = (uint32_t)loop_elem_bytes(e);
    loop_value x = loop_load(b, t, p, bytes);
    if (field)
        x = loop_binary(b, LOOP_LSHR, x, loop_const(b, t, (uint64_t)field * 8 * bytes));
    return loop_convert(b, LOOP_TRUNCATE, e, x);
}

element element_load_field(loop_builder *b, tn_dtype d, loop_value p, uint32_t lanes,
                           uint32_t field, bool stays_short)
{
    const loop_elem e = element_storage(d);
    return element_stored(
        b, d, stays_short ? interleaved(b, e, p, lanes, field) : shifted(b, e, p, lanes, field));
}
