/* Offsets of elements by their row-major numbers, and squares of vectors transposed. */
#include "base/memory/checked.h"
#include "loop/contract/contract_parts.h"

int64_t axes_positions(const contract_axis *axes, uint32_t n)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < n; i++)
        if (!mul_i64(count, axes[i].extent, &count))
            return INT64_MAX;
    return count;
}

void walk_init(walk *w)
{
    w->n = 0;
    w->dynamic = 0;
    w->count = 1;
}

sized axes_count(const contract_axis *axes, uint32_t n)
{
    sized count = sized_of(1);
    for (uint32_t i = 0; i < n; i++) {
        count = (sized){(int64_t)((uint64_t)count.now * (uint64_t)axes[i].extent),
                        other_mul(count.other, axes[i].extent_other)};
    }
    return count;
}

void walk_add(walk *w, sized extent, sized step)
{
    w->count *= extent.now;
    if (!sized_is_fixed(extent) && (extent.now != 1 || w->n > 0))
        w->dynamic |= UINT32_C(1) << (extent.now == 1 ? w->n - 1 : w->n);
    if (extent.now == 1)
        return;
    const bool joins = w->n > 0 && w->step[w->n - 1] == extent.now * step.now;
    if (joins) {
        const uint32_t last = w->n - 1;
        w->dynamic = (w->dynamic | (w->dynamic >> w->n & 1) << last) & ((UINT32_C(1) << w->n) - 1);
        w->extent[last] *= extent.now;
        w->extent_other[last] = other_mul(w->extent_other[last], extent.other);
    } else {
        w->extent[w->n] = extent.now;
        w->extent_other[w->n++] = extent.other;
    }
    w->step[w->n - 1] = step.now;
    w->step_other[w->n - 1] = step.other;
}

sized walk_at(const walk *w, int64_t number)
{
    sized at = sized_of(0);
    for (uint32_t i = w->n; i-- > 0;) {
        const sized here = sized_of(i > 0 ? number % w->extent[i] : number);
        at = sized_add(at, sized_mul(here, (sized){w->step[i], w->step_other[i]}));
        number /= w->extent[i];
    }
    return at;
}

sized walk_along(const walk *w, int64_t number)
{
    sized at = sized_of(0);
    for (uint32_t i = w->n; i-- > 0;) {
        const bool is_last = i == 0 || (w->dynamic >> i & 1);
        const sized here = sized_of(is_last ? number : number % w->extent[i]);
        at = sized_add(at, sized_mul(here, (sized){w->step[i], w->step_other[i]}));
        if (is_last)
            break;
        number /= w->extent[i];
    }
    return at;
}

loop_value walk_emit(loop_builder *b, const walk *w, loop_value number)
{
    loop_value at = 0;
    bool any = false;
    for (uint32_t i = w->n; i-- > 0;) {
        const loop_value extent =
            i > 0 ? loop_sized(b, (sized){w->extent[i], w->extent_other[i]}) : 0;
        loop_value here = i > 0 ? loop_binary(b, LOOP_UREM, number, extent) : number;
        if (w->step[i] != 0) {
            here = int_times_sized(b, here, (sized){w->step[i], w->step_other[i]});
            at = any ? int_add(b, at, here) : here;
            any = true;
        }
        if (i > 0)
            number = loop_binary(b, LOOP_UDIV, number, extent);
    }
    return any ? at : loop_i64(b, 0);
}

/* Is X that number whatever the sizes are? */
static bool is_always(sized x, int64_t number)
{
    return x.now == number && sized_is_fixed(x);
}

loop_value int_times(loop_builder *b, loop_value x, int64_t by)
{
    return int_times_sized(b, x, sized_of(by));
}

loop_value int_times_sized(loop_builder *b, loop_value x, sized by)
{
    return is_always(by, 1) ? x : loop_binary(b, LOOP_IMUL, x, loop_sized(b, by));
}

loop_value int_behind(loop_builder *b, loop_value p, sized bytes)
{
    return is_always(bytes, 0) ? p : loop_offset(b, p, loop_sized(b, bytes));
}

loop_value int_divided(loop_builder *b, loop_value x, int64_t by)
{
    return int_divided_sized(b, x, sized_of(by));
}

loop_value int_divided_sized(loop_builder *b, loop_value x, sized by)
{
    return is_always(by, 1) ? x : loop_binary(b, LOOP_UDIV, x, loop_sized(b, by));
}

sized all_panels(const problem *p)
{
    const sized width = sized_of(columns_of(p)), n = axes_count(p->spec.n, p->spec.n_n);
    return (sized){p->panels, sized_div(sized_add(n, sized_add(width, sized_of(-1))), width).other};
}

loop_value int_modulo(loop_builder *b, loop_value x, int64_t by)
{
    return int_modulo_sized(b, x, sized_of(by));
}

loop_value int_modulo_sized(loop_builder *b, loop_value x, sized by)
{
    return is_always(by, 1) ? loop_i64(b, 0) : loop_binary(b, LOOP_UREM, x, loop_sized(b, by));
}

loop_value panel_of(loop_builder *b, const problem *p, loop_value x)
{
    return p->has_dynamic_n ? loop_binary(b, LOOP_UREM, x, loop_size(b, SIZE_PANELS, p->panels))
                            : int_modulo_sized(b, x, all_panels(p));
}

loop_value before_panels(loop_builder *b, const problem *p, loop_value x)
{
    return p->has_dynamic_n ? loop_binary(b, LOOP_UDIV, x, loop_size(b, SIZE_PANELS, p->panels))
                            : int_divided_sized(b, x, all_panels(p));
}

loop_value int_max(loop_builder *b, loop_value x, loop_value y)
{
    return loop_select(b, loop_binary(b, LOOP_ILT, x, y), y, x);
}

/* X, of bf16, as the integer that its bits are. */
static element bits_of_bf16(loop_builder *b, element x)
{
    const loop_value wide = loop_convert(b, LOOP_BITCAST, LOOP_I32, element_cast(b, x, TN_F32).re);
    const loop_value sixteen = loop_const(b, loop_value_type(b, wide), 16);
    return (element){TN_SI32, loop_binary(b, LOOP_LSHR, wide, sixteen), LOOP_NO_VALUE};
}

element factors_load_at(loop_builder *b, const problem *p, const factors *from, loop_value at,
                        uint32_t lanes, loop_value count)
{
    const tn_dtype dtype = from->is_bf16 ? TN_SI16 : from->dtype;
    element x;
    if (from->load) {
        x = from->load(from->user, b, &(contract_place){.at = at, .along = LOOP_NO_VALUE}, lanes,
                       count);
        if (from->is_bf16)
            x = bits_of_bf16(b, x);
    } else {
        const uint32_t bytes = (uint32_t)dtype_bytes(dtype);
        const uint32_t align = dtype_is_complex(dtype) ? bytes / 2 : bytes;
        x = count == LOOP_NO_VALUE ? element_load(b, dtype, at, lanes, align)
                                   : element_load_first(b, dtype, at, lanes, count, align);
    }
    return element_cast(b, x, from->is_bf16 ? TN_SI32 : p->form);
}

/* Single elements from element number AT. */
static element load_elements(loop_builder *b, const problem *p, const factors *from, loop_value at,
                             uint32_t lanes, loop_value count)
{
    if (!from->load)
        at = loop_offset(b, from->base, int_times(b, at, (int64_t)dtype_bytes(from->dtype)));
    return factors_load_at(b, p, from, at, lanes, count);
}

/* X as the low and Y as the high halves. */
static loop_value halves(loop_builder *b, loop_value x, loop_value y)
{
    const loop_type t = loop_value_type(b, x);
    const loop_value low = loop_binary(b, LOOP_AND, x, loop_const(b, t, 0xffff));
    return loop_binary(b, LOOP_OR, low, loop_binary(b, LOOP_SHL, y, loop_const(b, t, 16)));
}

/* 2 LANES contiguous elements, of which the first 2 COUNT exist: the first and second one of each
 * pair. */
static void load_neighbours(loop_builder *b, const problem *p, const factors *from, loop_value at,
                            uint32_t lanes, loop_value count, loop_value *first, loop_value *second)
{
    uint8_t even[LOOP_MAX_LANES], odd[LOOP_MAX_LANES];
    const loop_value some = loop_i64(b, lanes), none = loop_i64(b, 0);
    loop_value next = int_add(b, at, some), count_x = LOOP_NO_VALUE, count_y = LOOP_NO_VALUE;
    if (count != LOOP_NO_VALUE) {
        const loop_value all = int_times(b, count, 2);
        const loop_value rest = int_max(b, loop_binary(b, LOOP_ISUB, all, some), none);
        count_x = loop_min(b, all, some);
        next = loop_select(b, loop_binary(b, LOOP_ILT, none, rest), next, at);
        count_y = rest;
    }
    const loop_value x = load_elements(b, p, from, at, lanes, count_x).re;
    const loop_value y = load_elements(b, p, from, next, lanes, count_y).re;
    for (uint32_t i = 0; i < lanes; i++) {
        even[i] = (uint8_t)(2 * i);
        odd[i] = (uint8_t)(2 * i + 1);
    }
    *first = loop_shuffle(b, x, y, even, lanes);
    *second = loop_shuffle(b, x, y, odd, lanes);
}

/* Words of four bytes, COUNT of them where that is not LOOP_NO_VALUE. */
static loop_value load_quads(loop_builder *b, const problem *p, const factors *from, loop_value at,
                             uint32_t lanes, loop_value count)
{
    enum { THREE = 3, BYTES = 4, BITS = 8 };
    const loop_type t = loop_type_of(LOOP_I32, lanes);
    const bool are_words = from->pair == 1 && !from->is_three;
    const uint32_t bytes = from->is_three ? THREE : BYTES;
    loop_value all = LOOP_NO_VALUE;
    if (are_words) {
        at = loop_offset(b, from->base, at);
        all = count == LOOP_NO_VALUE ? loop_load(b, t, at, 1) : loop_load_first(b, t, at, count, 1);
    }
    for (uint32_t i = 0; i < bytes && !are_words; i++) {
        const loop_value next = int_add(b, at, loop_i64(b, i * from->pair));
        loop_value x = load_elements(b, p, from, next, lanes, count).re;
        x = loop_binary(b, LOOP_AND, x, loop_const(b, t, 0xff));
        x = loop_binary(b, LOOP_SHL, x, loop_const(b, t, (uint64_t)BITS * i));
        all = i == 0 ? x : loop_binary(b, LOOP_OR, all, x);
    }
    return from->offset ? loop_binary(b, LOOP_XOR, all, loop_const(b, t, from->offset)) : all;
}

/* Words of two bf16 that are contiguous in memory. */
static loop_value load_words(loop_builder *b, const factors *from, loop_value at, uint32_t lanes,
                             loop_value count)
{
    const loop_type t = loop_type_of(LOOP_F32, lanes);
    const uint32_t bytes = (uint32_t)dtype_bytes(TN_BF16);
    at = loop_offset(b, from->base, int_times(b, at, bytes));
    return count == LOOP_NO_VALUE ? loop_load(b, t, at, bytes)
                                  : loop_load_first(b, t, at, count, bytes);
}

element factors_load(loop_builder *b, const problem *p, const factors *from, loop_value at,
                     uint32_t lanes, loop_value count)
{
    if (from->is_bf16 && from->pair == 1 && !from->load)
        return (element){p->form, load_words(b, from, at, lanes, count), LOOP_NO_VALUE};
    if (from->is_quad)
        return (element){p->form, load_quads(b, p, from, at, lanes, count), LOOP_NO_VALUE};
    if (from->pair == 0)
        return load_elements(b, p, from, at, lanes, count);
    loop_value first, second;
    if (from->pair == 1 && lanes > 1) {
        load_neighbours(b, p, from, at, lanes, count, &first, &second);
    } else {
        const loop_value next =
            int_add(b, at, loop_sized(b, (sized){from->pair, from->pair_other}));
        first = load_elements(b, p, from, at, lanes, count).re;
        second = load_elements(b, p, from, next, lanes, count).re;
    }
    loop_value words = halves(b, first, second);
    if (from->is_bf16)
        words = loop_convert(b, LOOP_BITCAST, LOOP_F32, words);
    return (element){p->form, words, LOOP_NO_VALUE};
}

element factors_load_left(loop_builder *b, const problem *p, const factors *from, loop_value first,
                          loop_value at, uint32_t lanes, loop_value left)
{
    const loop_value none = loop_i64(b, 0);
    const loop_value offset = loop_select(b, loop_binary(b, LOOP_ILT, none, left), at, none);
    return factors_load(b, p, from, int_add(b, first, offset), lanes, int_max(b, left, none));
}

/* One stage: LOW takes the even and HIGH the odd blocks of SIZE lanes, alternating between X and Y
 * (IS_MIXED) or those of X before those of Y. Inside of 16 bytes the former, and across them the
 * latter, is a single instruction on x86-64. */
static void pick(uint8_t *low, uint8_t *high, uint32_t lanes, uint32_t size, uint32_t group)
{
    /* Blocks of SIZE lanes in each group of GROUP lanes: unpack low and high halves. */
    for (uint32_t g = 0; g < lanes; g += group)
        for (uint32_t i = 0; i < group; i++) {
            const uint32_t block = i / size, half = block / 2, in = i % size;
            const uint32_t from = g + half * size + in + (block % 2 ? lanes : 0);
            low[g + i] = (uint8_t)from;
            high[g + i] = (uint8_t)(from + group / 2);
        }
}

static void pick_blocks(uint8_t *low, uint8_t *high, uint32_t lanes, uint32_t size)
{
    const uint32_t blocks = lanes / size;
    for (uint32_t i = 0; i < lanes; i++) {
        const uint32_t block = i / size, in = i % size;
        const uint32_t from_y = block >= blocks / 2;
        const uint32_t from = (block % (blocks / 2)) * 2 * size + in + from_y * lanes;
        low[i] = (uint8_t)from;
        high[i] = (uint8_t)(from + size);
    }
}

/* Which row and column each lane of a vector now holds. */
typedef struct held {
    uint8_t row[LOOP_MAX_LANES], column[LOOP_MAX_LANES];
} held;

static held shuffled(const held *x, const held *y, const uint8_t *table, uint32_t lanes)
{
    held out;
    for (uint32_t i = 0; i < lanes; i++) {
        const held *from = table[i] < lanes ? x : y;
        out.row[i] = from->row[table[i] % lanes];
        out.column[i] = from->column[table[i] % lanes];
    }
    return out;
}

/* N vectors, the rows of squares that lie side by side, each N lanes wide. Where N lanes are more
 * than 16 bytes, but not a whole vector, the rows of a square must not be in order: the last stages
 * take every second block of 16 bytes, from each vector and then from one in the other half. */
static void transpose_parts(loop_builder *b, loop_value *rows, uint32_t n, uint32_t lanes,
                            int64_t bytes)
{
    held at[LOOP_MAX_LANES];
    uint8_t low[LOOP_MAX_LANES], high[LOOP_MAX_LANES];
    uint32_t group = (uint32_t)(16 / bytes); /* lanes of 16 bytes */
    group = group > lanes ? lanes : group;
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t i = 0; i < lanes; i++) {
            at[r].row[i] = (uint8_t)r;
            at[r].column[i] = (uint8_t)i;
        }
    for (uint32_t apart = 1; apart < n; apart *= 2) {
        if (apart < group)
            pick(low, high, lanes, apart, group);
        else
            pick_blocks(low, high, lanes, group);
        for (uint32_t i = 0; i < n; i++) {
            if (i & apart)
                continue;
            const loop_value x = rows[i], y = rows[i + apart];
            const held hx = at[i], hy = at[i + apart];
            rows[i] = loop_shuffle(b, x, y, low, lanes);
            rows[i + apart] = loop_shuffle(b, x, y, high, lanes);
            at[i] = shuffled(&hx, &hy, low, lanes);
            at[i + apart] = shuffled(&hx, &hy, high, lanes);
        }
    }
    /* Each vector holds one column with its rows in order; sort the vectors. */
    loop_value sorted[LOOP_MAX_LANES];
    for (uint32_t i = 0; i < n; i++)
        sorted[at[i].column[0]] = rows[i];
    for (uint32_t i = 0; i < n; i++)
        rows[i] = sorted[i];
}

void transpose_square(loop_builder *b, loop_value *rows, uint32_t lanes, int64_t bytes)
{
    transpose_parts(b, rows, lanes, lanes, bytes);
}

/* The N lanes of X, then those of Y. */
static loop_value join(loop_builder *b, loop_value x, loop_value y, uint32_t n)
{
    uint8_t table[LOOP_MAX_LANES];
    for (uint32_t i = 0; i < 2 * n; i++)
        table[i] = (uint8_t)i;
    return loop_shuffle(b, x, y, table, 2 * n);
}

/* Pieces of 16 bytes: a vector takes them from every fourth row (of floats) at once, so that only
 * the squares inside of 16 bytes are left to transpose. Vectors of 64 bytes take two pieces of 32
 * instead, because four small loads take longer than the shuffles that they save, and more rows
 * than a set of the first-level cache has places are read in two passes rather than four. */
enum { BLOCK = 16, LONG = 64 };

static uint32_t block_lanes(loop_elem elem, uint32_t lanes)
{
    const uint32_t block = BLOCK / (uint32_t)loop_elem_bytes(elem);
    return block < lanes ? block : lanes;
}

uint32_t transposed_at_once(loop_elem elem, uint32_t lanes)
{
    const uint32_t group = block_lanes(elem, lanes);
    return lanes * (uint32_t)loop_elem_bytes(elem) >= LONG ? 2 * group : group;
}

void load_some_transposed(loop_builder *b, const loop_value *rows, uint32_t from, loop_elem elem,
                          uint32_t lanes, loop_value *columns)
{
    const uint32_t bytes = (uint32_t)loop_elem_bytes(elem);
    const uint32_t group = block_lanes(elem, lanes);
    const uint32_t piece = transposed_at_once(elem, lanes), pieces = lanes / piece;
    for (uint32_t i = 0; i < piece; i++) {
        /* The last stage takes blocks of 16 bytes from vector i and then i + group. */
        const uint32_t first = i % group + i / group * pieces * group;
        loop_value part[LOOP_MAX_LANES];
        for (uint32_t k = 0; k < pieces; k++)
            part[k] = loop_load(b, loop_type_of(elem, piece),
                                loop_at(b, rows[k * group + first], from * bytes), bytes);
        for (uint32_t n = pieces, width = piece; n > 1; n /= 2, width *= 2)
            for (uint32_t k = 0; k < n / 2; k++)
                part[k] = join(b, part[2 * k], part[2 * k + 1], width);
        columns[i] = part[0];
    }
    transpose_parts(b, columns, piece, lanes, (int64_t)bytes);
}

void load_transposed(loop_builder *b, const loop_value *rows, loop_elem elem, uint32_t lanes,
                     loop_value *columns)
{
    const uint32_t piece = transposed_at_once(elem, lanes);
    for (uint32_t from = 0; from < lanes; from += piece)
        load_some_transposed(b, rows, from, elem, lanes, columns + from);
}
