/* Records of elements and positions: made, and sorted by counting or digit by digit. */
#include "loop/nest/loops/records.h"

enum {
    LANES = 16,
    MOST_COUNTED = 128, /* records that are compared each with each */
    FEW_DIGIT = 8,      /* bits of a digit, */
    MANY_DIGIT = 11,    /* and of one when clearing the counts is cheap beside the records */
    LEAST_OF_MANY = 1 << 13,
    POSITION_BITS = 32
};

/* The bits of a float of D, held as f32, below which all depend on the others. */
static uint32_t idle_bits(tn_dtype d)
{
    switch ((int)d) {
    case TN_BF16:
        return 16;
    case TN_F16:
        return 13;
    case TN_FP8_E4M3:
        return 20;
    case TN_FP8_E5M2:
        return 21;
    default:
        return 0;
    }
}

/* Digits of at most MOST bits. */
static void choose_digits(records *r, uint32_t most)
{
    const uint32_t differ = r->high - r->low;
    r->passes = (differ + most - 1) / most;
    r->digit = (differ + r->passes - 1) / r->passes;
}

static uint64_t bytes_of_counts(const records *r)
{
    return ((uint64_t)r->passes << r->digit) * sizeof(int32_t);
}

static void choose_by_room(records *r)
{
    choose_digits(r, r->room < LEAST_OF_MANY ? FEW_DIGIT : MANY_DIGIT);
    r->counts = loop_scratch(&r->l->b, bytes_of_counts(r));
}

/* Memory for each way to sort. */
static void make_any_counts(records *r)
{
    uint64_t most = (MOST_COUNTED + LANES) * sizeof(int64_t);
    const uint32_t bits[] = {FEW_DIGIT, MANY_DIGIT};
    for (int i = 0; i < 2; i++) {
        choose_digits(r, bits[i]);
        most = bytes_of_counts(r) > most ? bytes_of_counts(r) : most;
    }
    r->counts = loop_scratch(&r->l->b, most);
}

void records_init(records *r, loops *l, tn_dtype dtype, bool largest, sized length)
{
    const int64_t room = length.now;
    loop_builder *b = &l->b;
    const element zero = element_zero(b, dtype, 1);
    const loop_value key = loops_order_key(b, zero, largest);
    const uint32_t bits = loop_value_bits(b, key);
    *r = (records){.l = l, .dtype = dtype, .largest = largest, .is_wide = bits == 64, .room = room};
    r->low = (r->is_wide ? 0 : POSITION_BITS) + idle_bits(dtype);
    r->high = bits + (r->is_wide ? 0 : POSITION_BITS);
    const sized bytes = sized_mul(sized_add(length, sized_of(LANES)), sized_of(sizeof(int64_t)));
    r->keys = loop_sized_scratch(b, bytes);
    r->spare_keys = loop_sized_scratch(b, bytes);
    r->positions = r->is_wide ? loop_sized_scratch(b, bytes) : LOOP_NO_VALUE;
    r->spare_positions = r->is_wide ? loop_sized_scratch(b, bytes) : LOOP_NO_VALUE;
    r->any_length = !sized_is_fixed(length);
    if (r->any_length)
        make_any_counts(r);
    else if (room <= MOST_COUNTED)
        r->counts = loop_sized_scratch(b, bytes);
    else
        choose_by_room(r);
}

bool records_init_bare(records *r, loops *l, tn_dtype dtype, bool largest, int64_t room)
{
    const uint32_t bits = dtype_table[dtype].bits;
    if (!records_has_inverse(dtype) || room <= MOST_COUNTED)
        return false;
    *r = (records){.l = l,
                   .dtype = dtype,
                   .largest = largest,
                   .is_wide = bits == 64,
                   .is_bare = true,
                   .high = bits,
                   .room = room,
                   .positions = LOOP_NO_VALUE,
                   .spare_positions = LOOP_NO_VALUE};
    r->keys = loop_scratch(&l->b, (uint64_t)(room + LANES) * bits / 8);
    r->spare_keys = loop_scratch(&l->b, (uint64_t)(room + LANES) * bits / 8);
    choose_by_room(r);
    return true;
}

record records_of(const records *r, loop_value key, loop_value position)
{
    loop_builder *b = &r->l->b;
    const loop_type t = loop_value_type(b, key), wide = loop_type_of(LOOP_I64, t.lanes);
    if (!dtype_is_bool(r->dtype)) { /* which has no sign */
        const uint64_t sign = UINT64_C(1) << (loop_value_bits(b, key) - 1);
        key = loop_binary(b, LOOP_XOR, key, loop_const(b, t, sign));
    }
    if (r->is_wide || r->is_bare)
        return (record){key, r->is_bare ? (loop_value)LOOP_NO_VALUE : position};
    key = loop_convert(b, LOOP_ZEXT, LOOP_I64, key);
    key = loop_binary(b, LOOP_SHL, key, loop_const(b, wide, POSITION_BITS));
    return (record){loop_binary(b, LOOP_OR, key, position), LOOP_NO_VALUE};
}

/* What lists of keys and positions hold. */
static tn_dtype listed(const records *r)
{
    return r->is_bare && !r->is_wide ? TN_SI32 : TN_SI64;
}

static loop_value load(const records *r, loop_value list, loop_value index, uint32_t lanes)
{
    return loops_load(r->l, listed(r), list, index, lanes, LOOP_NO_VALUE).re;
}

static void store(const records *r, loop_value list, loop_value index, loop_value x)
{
    loops_store(r->l, list, index, (element){listed(r), x, LOOP_NO_VALUE}, LOOP_NO_VALUE);
}

static bool has_positions(const records *r)
{
    return r->is_wide && !r->is_bare;
}

record records_get(const records *r, loop_value index)
{
    const loop_value key = load(r, r->keys, index, 1);
    return (record){key, has_positions(r) ? load(r, r->positions, index, 1) : LOOP_NO_VALUE};
}

void records_put(const records *r, loop_value index, record x)
{
    store(r, r->keys, index, x.key);
    if (has_positions(r))
        store(r, r->positions, index, x.position);
}

static void put_spare(const records *r, loop_value index, record x)
{
    store(r, r->spare_keys, index, x.key);
    if (has_positions(r))
        store(r, r->spare_positions, index, x.position);
}

static void change_places(records *r)
{
    const loop_value keys = r->keys, positions = r->positions;
    r->keys = r->spare_keys;
    r->positions = r->spare_positions;
    r->spare_keys = keys;
    r->spare_positions = positions;
}

loop_value records_position(const records *r, loop_value index, uint32_t lanes)
{
    loop_builder *b = &r->l->b;
    if (r->is_wide)
        return load(r, r->positions, index, lanes);
    const loop_value key = load(r, r->keys, index, lanes);
    return loop_binary(b, LOOP_AND, key,
                       loop_const(b, loop_value_type(b, key), (UINT64_C(1) << POSITION_BITS) - 1));
}

void records_read(const records *r, loop_value base, loop_value first, sized stride, sized n)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    const bool is_close = stride.now == 1 && sized_is_fixed(stride);
    const int64_t whole = is_close ? n.now / LANES * LANES : 0;
    const bool any = r->any_length && is_close;
    const loop_value end = nest_number(b, any, LINE_WHOLE, whole);
    if (any || whole > 0) {
        const loop_value k = loop_for(b, loop_i64(b, 0), end, LANES);
        const element x =
            loops_load(l, r->dtype, base, loops_add(l, first, k), LANES, LOOP_NO_VALUE);
        const loop_value ramp = loop_ramp(b, LOOP_I64, LANES);
        records_put(r, k,
                    records_of(r, loops_order_key(b, x, r->largest),
                               loop_binary(b, LOOP_IADD, loop_splat(b, LANES, k), ramp)));
        loop_end(b);
    }
    if (r->any_length || whole < n.now) {
        const loop_value k = loop_for(b, end, loop_sized(b, n), 1);
        const loop_value at = loops_add(l, first, loops_times_sized(l, k, stride));
        const element x = loops_load(l, r->dtype, base, at, 1, LOOP_NO_VALUE);
        records_put(r, k, records_of(r, loops_order_key(b, x, r->largest), k));
        loop_end(b);
    }
}

/* ---- keys alone ---- */

static uint64_t sign_of(const records *r)
{
    return UINT64_C(1) << (r->is_wide ? 63 : 31);
}

bool records_has_inverse(tn_dtype d)
{
    return (dtype_is_int(d) || d == TN_F32 || d == TN_F64) &&
           (dtype_table[d].bits == 32 || dtype_table[d].bits == 64);
}

element records_element_of(loop_builder *b, tn_dtype d, bool largest, loop_value key)
{
    const loop_type t = loop_value_type(b, key);
    const uint32_t top = loop_value_bits(b, key) - 1;
    loop_value x = largest ? loop_unary(b, LOOP_NOT, key) : key;
    if (dtype_is_unsigned(d))
        x = loop_binary(b, LOOP_XOR, x, loop_const(b, t, UINT64_C(1) << top));
    if (!dtype_is_float(d))
        return (element){d, x, LOOP_NO_VALUE};
    const loop_value sign = loop_binary(b, LOOP_ASHR, x, loop_const(b, t, top));
    const loop_value others = loop_const(b, t, (UINT64_C(1) << top) - 1);
    x = loop_binary(b, LOOP_XOR, x, loop_binary(b, LOOP_AND, sign, others));
    x = loop_convert(b, LOOP_BITCAST, d == TN_F64 ? LOOP_F64 : LOOP_F32, x);
    return (element){d, x, LOOP_NO_VALUE};
}

element records_element(const records *r, loop_value index, uint32_t lanes)
{
    loop_builder *b = &r->l->b;
    const loop_value x = load(r, r->keys, index, lanes);
    const loop_value sign = loop_const(b, loop_value_type(b, x), sign_of(r));
    return records_element_of(b, r->dtype, r->largest, loop_binary(b, LOOP_XOR, x, sign));
}

loop_value records_before(const records *r, loop_value key, int64_t n)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    const loop_type t = loop_value_type(b, key);
    const loop_value found = loop_var(b, loop_i64(b, 0));
    int64_t half = 1;
    while (half <= n / 2)
        half *= 2;
    for (; half > 0; half /= 2) {
        const loop_value next = loops_add(l, loop_get(b, found), loop_i64(b, half));
        loop_if(b, loops_less(l, next, loop_i64(b, n + 1)));
        const loop_value other = load(r, r->keys, loops_add(l, next, loop_i64(b, -1)), 1);
        const loop_value as_key = loop_binary(b, LOOP_XOR, other, loop_const(b, t, sign_of(r)));
        loop_set(b, found, loop_select(b, loops_less(l, as_key, key), next, loop_get(b, found)));
        loop_end(b);
    }
    return loop_get(b, found);
}

/* ---- by counting ---- */

/* Each of the first N records goes to the place whose number is how many come before it. */
static void sort_by_counting(records *r, loop_value n)
{
    loop_builder *b = &r->l->b;
    const loop_type lanes = loop_type_of(LOOP_I64, LANES);
    const loop_value top = loop_const(b, lanes, UINT64_C(1) << 63), zero = loop_i64(b, 0);
    loop_value i = loop_for(b, zero, n, LANES); /* signed numbers compare in fewer instructions */
    const loop_value own = loop_binary(b, LOOP_XOR, load(r, r->keys, i, LANES), top);
    const loop_value places =
        loop_binary(b, LOOP_IADD, loop_splat(b, LANES, i), loop_ramp(b, LOOP_I64, LANES));
    const loop_value sum = loop_var(b, loop_const(b, lanes, 0));
    const loop_value j = loop_for(b, zero, n, 1);
    const loop_value other =
        loop_binary(b, LOOP_XOR, loop_splat(b, LANES, load(r, r->keys, j, 1)), top);
    loop_value before = loop_binary(b, LOOP_ILT, other, own);
    if (r->is_wide) { /* equal keys in the order of the list; other records differ */
        const loop_value earlier = loop_binary(b, LOOP_ILT, loop_splat(b, LANES, j), places);
        const loop_value equal = loop_binary(b, LOOP_IEQ, other, own);
        before = loop_binary(b, LOOP_OR, before, loop_binary(b, LOOP_AND, equal, earlier));
    }
    loop_set(
        b, sum,
        loop_binary(b, LOOP_IADD, loop_get(b, sum), loop_convert(b, LOOP_ZEXT, LOOP_I64, before)));
    loop_end(b);
    store(r, r->counts, i, loop_get(b, sum));
    loop_end(b);
    i = loop_for(b, zero, n, 1);
    put_spare(r, load(r, r->counts, i, 1), records_get(r, i));
    loop_end(b);
    change_places(r);
}

/* ---- by digits ---- */

static loop_value place_of_count(const records *r, uint32_t pass, loop_value digit)
{
    loop_builder *b = &r->l->b;
    const loop_value list = loop_at(b, r->counts, (int64_t)((uint64_t)pass << r->digit) * 4);
    return loop_offset(b, list, loops_times(r->l, digit, 4));
}

/* Digit number PASS of a key, from the lowest on. */
static loop_value digit_of(const records *r, loop_value key, uint32_t pass)
{
    loop_builder *b = &r->l->b;
    const loop_type t = loop_value_type(b, key);
    const loop_value down =
        loop_binary(b, LOOP_LSHR, key, loop_const(b, t, r->low + pass * r->digit));
    const loop_value digit =
        loop_binary(b, LOOP_AND, down, loop_const(b, t, (UINT64_C(1) << r->digit) - 1));
    return t.elem == LOOP_I64 ? digit : loop_convert(b, LOOP_ZEXT, LOOP_I64, digit);
}

/* Add 1 to the count of a digit, which is returned as it was. */
static loop_value count(const records *r, uint32_t pass, loop_value key)
{
    loop_builder *b = &r->l->b;
    const loop_type t = loop_type_of(LOOP_I32, 1);
    const loop_value at = place_of_count(r, pass, digit_of(r, key, pass));
    const loop_value old = loop_load(b, t, at, 4);
    loop_store(b, at, loop_binary(b, LOOP_IADD, old, loop_i32(b, 1)), 4);
    return old;
}

/* How often each digit is met, of all passes; then how many records have smaller ones. */
static void count_digits(const records *r, loop_value n)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    const int64_t all = (int64_t)r->passes << r->digit, each = (int64_t)1 << r->digit;
    const loop_value zero = loop_i64(b, 0);
    const loop_value c = loop_for(b, zero, loop_i64(b, all), LANES);
    loop_store(b, loop_offset(b, r->counts, loops_times(l, c, 4)),
               loop_const(b, loop_type_of(LOOP_I32, LANES), 0), 4);
    loop_end(b);
    const loop_value k = loop_for(b, zero, n, 1), key = load(r, r->keys, k, 1);
    for (uint32_t pass = 0; pass < r->passes; pass++)
        (void)count(r, pass, key);
    loop_end(b);
    for (uint32_t pass = 0; pass < r->passes; pass++) {
        const loop_value sum = loop_var(b, loop_i32(b, 0));
        const loop_value at = place_of_count(r, pass, loop_for(b, zero, loop_i64(b, each), 1));
        const loop_value have = loop_load(b, loop_type_of(LOOP_I32, 1), at, 4);
        const loop_value before = loop_get(b, sum);
        loop_store(b, at, before, 4);
        loop_set(b, sum, loop_binary(b, LOOP_IADD, before, have));
        loop_end(b);
    }
}

static void distribute(records *r, loop_value n, uint32_t pass)
{
    loop_builder *b = &r->l->b;
    const loop_value k = loop_for(b, loop_i64(b, 0), n, 1);
    const record x = records_get(r, k);
    put_spare(r, loop_convert(b, LOOP_ZEXT, LOOP_I64, count(r, pass, x.key)), x);
    loop_end(b);
    change_places(r);
}

static void sort_by_digits(records *r, loop_value n)
{
    count_digits(r, n);
    for (uint32_t pass = 0; pass < r->passes; pass++)
        distribute(r, n, pass);
}

enum { RECORDS_SPARE = LINE_PARTS + 1 }; /* the name of whether they end in the spare list */

/* By digits of at most MOST bits; IS_NOW: so many records there are now. *IN_SPARE: they end there.
 */
static void sort_by_any_digits(const records *r, loop_value n, uint32_t most, bool is_now,
                               bool *in_spare)
{
    records way = *r;
    choose_digits(&way, most);
    sort_by_digits(&way, n);
    if (is_now)
        *in_spare = way.passes % 2;
}

/* The way that suits N, which is chosen when the program runs. */
static void sort_any(records *r, loop_value n)
{
    loops *l = r->l;
    loop_builder *b = &l->b;
    bool in_spare = true;
    records way = *r;
    const loop_value most = loop_i64(b, MOST_COUNTED);
    loop_if(b, loops_less(l, n, loop_i64(b, MOST_COUNTED + 1)));
    sort_by_counting(&way, loop_min(b, n, most)); /* no more: then loops need no polls */
    loop_else(b);
    loop_if(b, loops_less(l, n, loop_i64(b, LEAST_OF_MANY)));
    sort_by_any_digits(r, n, FEW_DIGIT, r->room > MOST_COUNTED && r->room < LEAST_OF_MANY,
                       &in_spare);
    loop_else(b);
    sort_by_any_digits(r, n, MANY_DIGIT, r->room >= LEAST_OF_MANY, &in_spare);
    loop_end(b);
    loop_end(b);
    const loop_value is_spare =
        loops_less(l, loop_i64(b, 0), loop_size(b, RECORDS_SPARE, in_spare));
    r->keys = loop_select(b, is_spare, r->spare_keys, r->keys);
    if (has_positions(r))
        r->positions = loop_select(b, is_spare, r->spare_positions, r->positions);
}

void records_sort(records *r, loop_value n)
{
    if (r->any_length)
        sort_any(r, n);
    else if (r->passes == 0)
        sort_by_counting(r, n);
    else
        sort_by_digits(r, n);
}
