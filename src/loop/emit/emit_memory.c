/* Loads and stores of a kernel: elements in memory at the numbers that index maps lead to. */
#include <string.h>

#include "loop/emit/emit_parts.h"

/* X - BY; NULL without memory. */
static const access_expr *moved_back(emitter *e, const access_expr *x, int64_t by)
{
    const size_t bytes = sizeof *x + x->n * sizeof x->at[0];
    access_expr *y = arena_alloc(e->memory, bytes);
    if (!y)
        return NULL;
    memcpy(y, x, bytes);
    y->constant -= by;
    y->constant_other = y->constant ? other_add(y->constant_other, -by) : 0;
    y->low -= by;
    y->high -= by;
    return y;
}

loop_value emit_address(emitter *e, loop_value base, loop_value index, tn_dtype d)
{
    return loop_offset(e->b, base, emit_scaled(e->b, index, (int64_t)dtype_bytes(d)));
}

static element gather(emitter *e, loop_value base, const emit_index *at, tn_dtype d,
                      loop_value mask)
{
    loop_builder *b = e->b;
    loop_value offsets = emit_all_lanes(e, at);
    if (at->is_short) /* processors gather faster by such numbers */
        offsets = loop_convert(b, LOOP_TRUNCATE, LOOP_I32, offsets);
    offsets = emit_scaled(b, offsets, (int64_t)dtype_bytes(d));
    if (at->is_short)
        offsets = loop_convert(b, LOOP_SEXT, LOOP_I64, offsets);
    if (e->count != LOOP_NO_VALUE) {
        const loop_value counts = element_first(b, e->lanes, e->count);
        mask = mask == LOOP_NO_VALUE ? counts : emit_both(b, mask, counts);
    }
    if (mask == LOOP_NO_VALUE)
        mask = loop_const(b, loop_type_of(LOOP_MASK, e->lanes), 1);
    return element_gather(b, d, base, offsets, loop_splat(b, e->lanes, mask));
}

/* Lanes with stride -1, all of which exist. */
static element load_backward(emitter *e, loop_value base, const emit_index *at, tn_dtype d)
{
    uint8_t table[LOOP_MAX_LANES];
    for (uint32_t i = 0; i < e->lanes; i++)
        table[i] = (uint8_t)(e->lanes - 1 - i);
    const loop_value last =
        loop_binary(e->b, LOOP_ISUB, at->first, loop_i64(e->b, (int64_t)e->lanes - 1));
    const element x =
        element_load(e->b, d, emit_address(e, base, last, d), e->lanes, emit_natural(d));
    return element_shuffle(e->b, x, x, table, e->lanes);
}

enum {
    LONGEST_STEP = 4, /* with which whole vectors beat gathering, */
    FEWEST_LANES = 8,
    RECORD = 8, /* or with which elements are fields of words of that many bytes */
    WIDEST = 2
};

bool emit_steps_shortly(const function *f, value_id v, int64_t step)
{
    const tn_dtype d = value_type(f, v)->dtype;
    const int64_t bytes = (int64_t)dtype_bytes(d);
    if (step <= 1 || dtype_is_complex(d))
        return step == 1;
    return step <= LONGEST_STEP || (bytes <= WIDEST && bytes * step == RECORD);
}

static bool steps_shortly(const emitter *e, const emit_index *at, tn_dtype d)
{
    return emit_is_strided(at) && at->step >= 1 && at->step <= LONGEST_STEP &&
           (at->step == 1 || e->lanes >= FEWEST_LANES) && !dtype_is_complex(d);
}

/* The vector at element START of the lanes with stride STEP, without elements behind the last lane.
 */
static loop_value load_between(emitter *e, loop_value p, tn_dtype d, uint32_t start, uint32_t step,
                               loop_value mask)
{
    loop_builder *b = e->b;
    const uint32_t lanes = e->lanes;
    const loop_value from = loop_at(b, p, (int64_t)start * (int64_t)dtype_bytes(d));
    if (mask == LOOP_NO_VALUE)
        return loop_load(b, loop_type_of(element_storage(d), lanes), from, emit_natural(d));
    if (step > 1) {
        uint8_t table[LOOP_MAX_LANES];
        for (uint32_t i = 0; i < lanes; i++)
            table[i] = (uint8_t)((start + i) % step ? lanes : (start + i) / step);
        mask = loop_shuffle(b, mask, loop_const(b, loop_value_type(b, mask), 0), table, lanes);
    }
    return loop_load_where(b, element_storage(d), from, mask);
}

/* Lanes with a small stride: load whole vectors, the last of which ends with the last lane, and
 * shuffle them as they are stored. MASK: only these lanes exist; LOOP_NO_VALUE: all. */
static element load_steps(emitter *e, loop_value base, const emit_index *at, tn_dtype d,
                          loop_value mask)
{
    const uint32_t lanes = e->lanes, step = (uint32_t)at->step, last = (lanes - 1) * (step - 1);
    const loop_value p = emit_address(e, base, at->first, d);
    loop_value x = load_between(e, p, d, 0, step, mask);
    for (uint32_t k = 1; k < step; k++) {
        uint8_t table[LOOP_MAX_LANES];
        const uint32_t start = k + 1 < step ? k * lanes : last;
        for (uint32_t i = 0; i < lanes; i++) { /* lanes of vectors to come are anything */
            const uint32_t place = i * step - start;
            if (i * step < k * lanes)
                table[i] = (uint8_t)(k == 1 ? i * step : i);
            else
                table[i] = (uint8_t)(lanes + (place < lanes ? place : 0));
        }
        x = loop_shuffle(e->b, x, load_between(e, p, d, start, step, mask), table, lanes);
    }
    return element_stored(e->b, d, x);
}

/* Lanes of which some may not exist. */
static element load_some(emitter *e, loop_value base, const emit_index *at, tn_dtype d,
                         loop_value mask)
{
    if (mask == LOOP_NO_VALUE || loop_lanes(e->b, mask) != e->lanes || !steps_shortly(e, at, d))
        return gather(e, base, at, d, mask);
    if (e->count != LOOP_NO_VALUE)
        mask = emit_both(e->b, mask, element_first(e->b, e->lanes, e->count));
    return load_steps(e, base, at, d, mask);
}

/* Are all lanes one element, whatever the sizes? */
static bool is_one(const emit_index *at)
{
    return emit_is_strided(at) && at->step == 0 && sized_is_fixed((sized){0, at->step_other});
}

static element load_one(emitter *e, loop_value base, loop_value first, tn_dtype d)
{
    const element x = element_load(e->b, d, emit_address(e, base, first, d), 1, emit_natural(d));
    return element_splat(e->b, e->lanes, x);
}

/* Lanes that mostly are a few elements, each several times: load those where that holds, and gather
 * elsewhere. */
static bool load_few(emitter *e, loop_value base, tn_dtype d, const access_expr *offset,
                     const access_map *map, const emit_index *at, element *x)
{
    loop_builder *b = e->b;
    loop_value fits = loop_const(b, loop_type_of(LOOP_MASK, 1), 1), first;
    uint8_t table[LOOP_MAX_LANES];
    uint32_t n = 0;
    if (e->count == LOOP_NO_VALUE && map->n_guards == 0)
        n = emit_few(e, offset, &first, &fits, table);
    if (n == 0)
        return false;
    const element var = element_var(b, element_zero(b, d, e->lanes));
    loop_if(b, fits);
    const element few = element_load(b, d, emit_address(e, base, first, d), n, emit_natural(d));
    element_set(b, var, element_shuffle(b, few, few, table, e->lanes));
    loop_else(b);
    element_set(b, var, gather(e, base, at, d, LOOP_NO_VALUE));
    loop_end(b);
    *x = element_get(b, var);
    return true;
}

/* All lanes, which are pieces of EACH elements APART elements from each other, from element FIRST
 * on. */
static element join_pieces(emitter *e, loop_value base, tn_dtype d, loop_value first, uint32_t each,
                           int64_t apart)
{
    loop_builder *b = e->b;
    element part[LOOP_MAX_LANES];
    uint8_t table[LOOP_MAX_LANES];
    uint32_t n = e->lanes / each;
    const loop_value p = emit_address(e, base, first, d);
    const int64_t bytes = apart * (int64_t)dtype_bytes(d);
    for (uint32_t k = 0; k < n; k++)
        part[k] = element_load(b, d, loop_at(b, p, k * bytes), each, emit_natural(d));
    for (uint32_t i = 0; i < e->lanes; i++)
        table[i] = (uint8_t)i;
    for (; n > 1; n /= 2)
        for (uint32_t k = 0; k < n / 2; k++)
            part[k] = element_shuffle(b, part[2 * k], part[2 * k + 1], table, 2 * e->lanes / n);
    return part[0];
}

/* Lanes that mostly are lines of several elements, as windows of images have them: load these where
 * that holds, and gather elsewhere. */
static bool load_pieces(emitter *e, loop_value base, tn_dtype d, const access_expr *offset,
                        const access_map *map, const emit_index *at, element *x)
{
    enum { SHORTEST = 4 };
    loop_builder *b = e->b;
    loop_value fits = loop_const(b, loop_type_of(LOOP_MASK, 1), 1), first;
    int64_t apart = 0;
    uint32_t each = 0;
    if (e->count == LOOP_NO_VALUE && map->n_guards == 0)
        each = emit_pieces(e, offset, &first, &apart, &fits);
    if (each < SHORTEST)
        return false;
    const element var = element_var(b, element_zero(b, d, e->lanes));
    loop_if(b, fits);
    element_set(b, var, join_pieces(e, base, d, first, each, apart));
    loop_else(b);
    element_set(b, var, gather(e, base, at, d, LOOP_NO_VALUE));
    loop_end(b);
    *x = element_get(b, var);
    return true;
}

/* The value of EXPR for the lane BY positions further. */
static loop_value number_ahead(emitter *e, const access_expr *expr, int64_t by)
{
    const loop_value here = e->at[e->vector_axis];
    const uint32_t lanes = e->lanes;
    e->lanes = 1;
    e->at[e->vector_axis] = loop_binary(e->b, LOOP_IADD, here, loop_i64(e->b, by));
    const emit_index then = emit_expr(e, expr);
    e->at[e->vector_axis] = here;
    e->lanes = lanes;
    return then.first;
}

/* The lanes at P of which those of MASK are wanted; all of them can be read unless NEEDS_MASK. */
static element load_part(emitter *e, loop_value p, tn_dtype d, loop_value mask, bool needs_mask)
{
    return needs_mask ? element_load_where(e->b, d, p, mask)
                      : element_load(e->b, d, p, e->lanes, emit_natural(d));
}

/* Lanes that go on by one, but for a gap somewhere: two vectors, of the lanes up to it and of those
 * behind. Where the elements behind the gap lie behind in memory, too, both vectors lie between the
 * first lane and the last, and can be loaded whole. */
static bool load_around_gap(emitter *e, loop_value base, tn_dtype d, const access_expr *offset,
                            loop_value first, element *x)
{
    loop_builder *b = e->b;
    const int64_t others = (int64_t)e->lanes - 1;
    bool goes_back;
    const loop_value n =
        dtype_is_complex(d) ? LOOP_NO_VALUE : emit_first_part(e, offset, &goes_back);
    if (n == LOOP_NO_VALUE)
        return false;
    const loop_value is_before = element_first(b, e->lanes, n);
    const loop_value last = number_ahead(e, offset, others);
    const loop_value behind = loop_binary(b, LOOP_ISUB, last, loop_i64(b, others));
    const element low = load_part(e, emit_address(e, base, first, d), d, is_before, goes_back);
    const element high = load_part(e, emit_address(e, base, behind, d), d,
                                   loop_unary(b, LOOP_NOT, is_before), goes_back);
    *x = element_select(b, is_before, low, high);
    return true;
}

/* Lanes that mostly exist and have a small stride, or none: load vectors where that holds, and
 * single elements or masked vectors elsewhere. */
static bool load_mostly_dense(emitter *e, loop_value base, tn_dtype d, const access_expr *offset,
                              const access_map *map, const emit_index *at, loop_value ok,
                              element *x)
{
    loop_builder *b = e->b;
    loop_value fits = loop_const(b, loop_type_of(LOOP_MASK, 1), 1);
    emit_index line;
    if (e->count != LOOP_NO_VALUE || !emit_unwrapped(e, offset, &line, &fits) ||
        !(is_one(&line) || steps_shortly(e, &line, d)) || !emit_all_within(e, map, &fits))
        return false;
    const element var = element_var(b, element_zero(b, d, e->lanes));
    loop_if(b, fits);
    element_set(b, var,
                is_one(&line) ? load_one(e, base, line.first, d)
                              : load_steps(e, base, &line, d, LOOP_NO_VALUE));
    loop_else(b);
    element rest;
    if (ok != LOOP_NO_VALUE || line.step != 1 || line.step_other != 1 ||
        !load_around_gap(e, base, d, offset, line.first, &rest))
        rest = load_some(e, base, at, d, ok);
    element_set(b, var, rest);
    loop_end(b);
    *x = element_get(b, var);
    return true;
}

element emit_load_at(emitter *e, loop_value base, tn_dtype d, emit_index at, loop_value ok,
                     const access_expr *offset, const access_map *map)
{
    loop_builder *b = e->b;
    const bool spread = emit_varies(e, &at);
    const bool ok_varies = ok != LOOP_NO_VALUE && loop_lanes(b, ok) > 1;
    if (!spread && !ok_varies) {
        if (ok != LOOP_NO_VALUE) /* an address that is there in any case */
            at.first = loop_select(b, ok, at.first, loop_i64(b, 0));
        return element_load(b, d, emit_address(e, base, at.first, d), 1, emit_natural(d));
    }
    if (!emit_is_strided(&at) || at.step != 1 || ok_varies) {
        if (emit_is_strided(&at) && at.step == -1 && ok == LOOP_NO_VALUE &&
            e->count == LOOP_NO_VALUE)
            return load_backward(e, base, &at, d);
        if (steps_shortly(e, &at, d) && ok == LOOP_NO_VALUE && e->count == LOOP_NO_VALUE)
            return load_steps(e, base, &at, d, LOOP_NO_VALUE);
        element x;
        if (offset && ok == LOOP_NO_VALUE && load_few(e, base, d, offset, map, &at, &x))
            return x;
        if (offset && ok == LOOP_NO_VALUE && load_pieces(e, base, d, offset, map, &at, &x))
            return x;
        if (offset && load_mostly_dense(e, base, d, offset, map, &at, ok, &x))
            return x;
        return load_some(e, base, &at, d, ok);
    }
    element var = {0};
    if (ok != LOOP_NO_VALUE) {
        var = element_var(b, element_zero(b, d, e->lanes));
        loop_if(b, ok);
    }
    const loop_value p = emit_address(e, base, at.first, d);
    const element x = e->count == LOOP_NO_VALUE
                          ? element_load(b, d, p, e->lanes, emit_natural(d))
                          : element_load_first(b, d, p, e->lanes, e->count, emit_natural(d));
    if (ok == LOOP_NO_VALUE)
        return x;
    element_set(b, var, x);
    loop_end(b);
    return element_get(b, var);
}

/* Prefetch the elements e->ahead positions behind the lanes at AT, which is OFFSET, each line once.
 * Small operands are in the cache anyway. */
static void prefetch(emitter *e, loop_value base, const type *t, const emit_index *at,
                     const access_expr *offset)
{
    const int64_t size = (int64_t)dtype_bytes(t->dtype), lanes = size * (int64_t)e->lanes;
    const bool is_strided = emit_is_strided(at);
    void (*const fetch)(loop_builder *, loop_value) =
        e->stored_next != 0 ? loop_prefetch_far : loop_prefetch;
    if (t->count < (e->least ? e->least : EMIT_LARGE / size) || e->lanes == 1 ||
        (is_strided && at->step != 1) || e->lanes_before * size % LOOP_ALIGN != 0)
        return;
    const loop_value first = is_strided ? at->first : number_ahead(e, offset, e->ahead);
    const loop_value p = emit_address(e, base, first, t->dtype);
    for (int64_t i = 0; i < lanes; i += LOOP_ALIGN)
        fetch(e->b, loop_at(e->b, p, (is_strided ? e->ahead * size : 0) + i));
}

/* The same of a line that comes e->lines_ahead lines later, where lines do not follow one another:
 * the hardware sees only their beginnings. */
static void prefetch_line(emitter *e, loop_value base, const type *t, const emit_index *at,
                          const access_expr *offset)
{
    const uint32_t last = e->k->rank - 1;
    const int64_t size = (int64_t)dtype_bytes(t->dtype);
    int64_t first, strides[TN_MAX_RANK];
    if (t->count < EMIT_LARGE / size || e->lanes == 1 || !emit_is_strided(at) || at->step != 1 ||
        !access_strides(offset, e->k->rank, &first, strides) || !access_is_fixed(offset) ||
        strides[last - 1] == e->k->dims[last] || strides[last - 1] * size < LOOP_ALIGN)
        return;
    const loop_value p = emit_address(e, base, at->first, t->dtype);
    for (int64_t i = 0; i < size * (int64_t)e->lanes; i += LOOP_ALIGN)
        loop_prefetch_far(e->b, loop_at(e->b, p, strides[last - 1] * e->lines_ahead * size + i));
}

/* How far into its record of EACH elements OFFSET is at every position; -1: not always as far. */
static int64_t field_of(const emitter *e, const access_expr *offset, int64_t each)
{
    int64_t field = offset->constant % each, place;
    for (uint32_t i = 0; i < offset->n; i++) {
        if (offset->at[i].factor % each == 0)
            continue;
        if (offset->at[i].kind != ACCESS_AXIS ||
            !loop_is_i64(e->b, e->at[offset->at[i].axis], &place))
            return -1;
        field += offset->at[i].factor % each * (place % each);
    }
    return offset->low < 0 ? -1 : (field % each + each) % each;
}

/* Is nothing longer made at once of elements of D? Truth values become masks, and f16 is converted
 * from vectors of its own. */
static bool stays_short(const emitter *e, tn_dtype d)
{
    if (d == TN_I1 || d == TN_F16)
        return true;
    for (uint32_t i = 0; i < e->k->n_nodes; i++)
        if (dtype_bytes(value_type(e->f, e->f->nodes.at[e->k->nodes[i]].first_value)->dtype) >
            WIDEST)
            return false;
    return !dtype_is_float(d);
}

/* Lanes that are one element each of neighbouring records of eight bytes: these are loaded, which
 * several fields share. */
static bool load_field(emitter *e, uint32_t i, const access_map *map, const access_expr *offset,
                       const emit_index *at, element *x)
{
    const type *t = value_type(e->f, e->k->in[i]);
    const tn_dtype d = emit_dtype(e, t->dtype);
    const int64_t each = RECORD / (int64_t)emit_natural(d);
    if (e->lanes < FEWEST_LANES || !access_is_fixed(offset) || e->count != LOOP_NO_VALUE ||
        map->n_guards > 0 || (e->moved && e->moved[i] != 0) || dtype_is_complex(d) ||
        emit_natural(d) > WIDEST || !emit_is_strided(at) || at->step != each ||
        t->count % each != 0)
        return false;
    const int64_t field = field_of(e, offset, each);
    const access_expr *record = field < 0 ? NULL : moved_back(e, offset, field);
    if (!record)
        return false;
    const loop_value p = emit_address(e, e->in[i], emit_expr(e, record).first, d);
    *x = element_load_field(e->b, d, p, e->lanes, (uint32_t)field, stays_short(e, d));
    return true;
}

element emit_load(emitter *e, uint32_t i, const access_map *map)
{
    const loop_value base = e->in[i];
    const value_id v = e->k->in[i];
    const type *t = value_type(e->f, v);
    const access_expr *offset = access_offset(map, access_extents_of(e->f, v), e->memory);
    if (offset && e->moved && e->moved[i] != 0)
        offset = moved_back(e, offset, e->moved[i]);
    if (!offset)
        return emit_nothing(e, t->dtype);
    const emit_index at = emit_expr(e, offset);
    if (e->ahead)
        prefetch(e, base, t, &at, offset);
    else if (e->lines_ahead)
        prefetch_line(e, base, t, &at, offset);
    element x;
    if (load_field(e, i, map, offset, &at, &x))
        return x;
    return emit_load_at(e, base, emit_dtype(e, t->dtype), at, emit_all_hold(e, map, 0), offset,
                        map);
}

element emit_load_along(emitter *e, const emit_read *read, uint32_t axis, uint32_t lanes)
{
    const uint32_t i = emit_input(e->k, read->v);
    if (i == UINT32_MAX)
        return emit_nothing(e, read->dtype);
    const uint32_t own_axis = e->vector_axis, own_lanes = e->lanes;
    e->vector_axis = axis;
    e->lanes = lanes;
    const element x = emit_load(e, i, read->map);
    e->vector_axis = own_axis;
    e->lanes = own_lanes;
    return x;
}
/* ---- stores ---- */

static void store_lanes(emitter *e, loop_value buffer, const emit_index *at, element x)
{
    loop_builder *b = e->b;
    const loop_value to = emit_all_lanes(e, at);
    for (uint32_t i = 0; i < e->lanes; i++) {
        if (e->count != LOOP_NO_VALUE)
            loop_if(b, loop_binary(b, LOOP_ILT, loop_i64(b, i), e->count));
        element_store(b, emit_address(e, buffer, loop_lane(b, to, i), x.dtype),
                      element_lane(b, x, i), emit_natural(x.dtype));
        if (e->count != LOOP_NO_VALUE)
            loop_end(b);
    }
}

static void store_nontemporal(emitter *e, loop_value p, element x)
{
    const uint32_t size = (uint32_t)dtype_bytes(x.dtype), most = LOOP_ALIGN / size;
    for (uint32_t i = 0; i < e->lanes; i += most) {
        const uint32_t lanes = e->lanes - i < most ? e->lanes - i : most;
        element_stream(e->b, loop_at(e->b, p, (int64_t)i * size), element_part(e->b, x, i, lanes));
    }
}

void emit_store(emitter *e, const kernel_output *out, loop_value buffer, element x,
                bool nontemporal)
{
    const access_expr *offset =
        access_offset(out->to, access_extents_of(e->f, out->into), e->memory);
    if (offset && e->moved_to && e->moved_to[out - e->k->out] != 0)
        offset = moved_back(e, offset, e->moved_to[out - e->k->out]);
    if (!offset) {
        e->failed = true;
        return;
    }
    emit_index at = emit_expr(e, offset);
    if (out->is_window)
        at.first = loop_binary(e->b, LOOP_IADD, at.first, e->window);
    x = element_splat(e->b, e->lanes, x);
    if (e->lanes > 1 && (!emit_is_strided(&at) || at.step != 1)) {
        store_lanes(e, buffer, &at, x);
        return;
    }
    const loop_value p = emit_address(e, buffer, at.first, x.dtype);
    if (e->stored_next != 0)
        loop_prefetch_far(e->b, loop_at(e->b, p, e->stored_next * (int64_t)dtype_bytes(x.dtype)));
    if (e->lanes > 1 && e->count != LOOP_NO_VALUE)
        element_store_first(e->b, p, x, e->count, emit_natural(x.dtype));
    else if (nontemporal && e->lanes * dtype_bytes(x.dtype) >= LOOP_ALIGN)
        store_nontemporal(e, p, x);
    else
        element_store(e->b, p, x, emit_natural(x.dtype));
}
