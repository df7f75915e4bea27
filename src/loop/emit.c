/* Demand-driven emission: index arithmetic, loads, and the operations of a kernel's nodes. */
#include "loop/emit.h"

#include <stdlib.h>
#include <string.h>

#include "ops/attr_rules.h"
#include "ops/shape.h"

/* ---- what a kernel holds ---- */

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool emit_contains(const kernel *k, uint32_t node_index)
{
    return k->n_nodes &&
           bsearch(&node_index, k->nodes, k->n_nodes, sizeof *k->nodes, ascending) != NULL;
}

static uint32_t input_of(const kernel *k, value_id v)
{
    const value_id *at = k->n_in ? bsearch(&v, k->in, k->n_in, sizeof v, ascending) : NULL;
    return at ? (uint32_t)(at - k->in) : UINT32_MAX;
}

uint32_t emit_output_buffer(const kernel *k, uint32_t output)
{
    uint32_t n = k->n_in;
    for (uint32_t i = 0; i < output; i++) {
        bool is_first = true;
        for (uint32_t o = 0; o < i; o++)
            is_first = is_first && k->out[o].into != k->out[i].into;
        if (k->out[i].into == k->out[output].into)
            return n;
        n += is_first;
    }
    return n;
}

uint32_t emit_buffer_count(const kernel *k)
{
    uint32_t n = k->n_in;
    for (uint32_t i = 0; i < k->n_out; i++) {
        const uint32_t buffer = emit_output_buffer(k, i);
        n = buffer >= n ? buffer + 1 : n;
    }
    return n + k->draws;
}

void emit_find_seed(emitter *e, uint32_t first)
{
    if (e->k->draws)
        e->seed = loop_load(e->b, loop_type_of(LOOP_I64, 1),
                            loop_buffer(e->b, first + emit_buffer_count(e->k) - 1), 8);
}

static void find_window(emitter *e);

bool emit_init(emitter *e, loop_builder *b, const function *f, const kernel *k, arena *memory)
{
    *e = (emitter){.b = b, .f = f, .k = k, .memory = memory, .lanes = 1, .count = LOOP_NO_VALUE};
    e->in = ARENA_ARRAY(memory, loop_value, k->n_in);
    for (uint32_t i = 0; e->in && i < k->n_in; i++)
        e->in[i] = loop_buffer(b, i);
    e->failed = !e->in;
    emit_find_seed(e, 0);
    if (k->kind == KERNEL_UPDATE)
        find_window(e);
    return !e->failed;
}

static element nothing(emitter *e, tn_dtype d)
{
    e->failed = true;
    return element_zero(e->b, d, 1);
}

/* ---- what is known ---- */

void emit_know(emitter *e, value_id v, const access_map *map, element x)
{
    if (e->n_known == e->cap_known) {
        const uint32_t cap = e->cap_known ? 2 * e->cap_known : 64;
        emit_known *known = ARENA_ARRAY(e->memory, emit_known, cap);
        if (!known) {
            e->failed = true;
            return;
        }
        if (e->n_known)
            memcpy(known, e->known, e->n_known * sizeof *known);
        e->known = known;
        e->cap_known = cap;
    }
    e->known[e->n_known++] = (emit_known){v, map, x};
}

static const emit_known *find_known(const emitter *e, value_id v, const access_map *map)
{
    for (uint32_t i = e->n_known; i-- > 0;) {
        const emit_known *k = &e->known[i];
        if (k->v == v && (!k->map || access_same(k->map, map)))
            return k;
    }
    return NULL;
}

/* ---- numbers ---- */

static bool is_line(const emit_index *x)
{
    return x->lanes == LOOP_NO_VALUE;
}

/* The numbers of all lanes. */
static loop_value all_lanes(emitter *e, const emit_index *x)
{
    loop_builder *b = e->b;
    loop_value v = loop_splat(b, e->lanes, x->first);
    if (e->lanes == 1)
        return v;
    if (x->step != 0) {
        const loop_value step = loop_splat(b, e->lanes, loop_i64(b, x->step));
        v = loop_binary(b, LOOP_IADD, v,
                        loop_binary(b, LOOP_IMUL, loop_ramp(b, LOOP_I64, e->lanes), step));
    }
    return is_line(x) ? v : loop_binary(b, LOOP_IADD, v, x->lanes);
}

static loop_value scaled(loop_builder *b, loop_value x, int64_t factor)
{
    if (factor == 1)
        return x;
    const loop_type t = loop_value_type(b, x);
    return loop_binary(b, LOOP_IMUL, x, loop_const(b, t, (uint64_t)factor));
}

static unsigned log2_exact(int64_t by)
{
    unsigned n = 0;
    while (n < 63 && (INT64_C(1) << n) < by)
        n++;
    return (INT64_C(1) << n) == by ? n : 64;
}

/* X // BY or X % BY, rounded down; X lies in LOW .. HIGH. */
static loop_value quotient(emitter *e, loop_value x, int64_t low, int64_t high, int64_t by,
                           bool remainder)
{
    loop_builder *b = e->b;
    const unsigned shift = log2_exact(by);
    const bool is_narrow =
        loop_lanes(b, x) > 1 && low >= INT32_MIN && high <= INT32_MAX && by <= INT32_MAX;
    if (is_narrow) /* vectors of 32-bit numbers divide well, others do not */
        x = loop_convert(b, LOOP_TRUNCATE, LOOP_I32, x);
    const loop_type t = loop_value_type(b, x);
    const loop_value d = loop_const(b, t, (uint64_t)by);
    loop_value r;
    if (shift < 64 && remainder) {
        r = loop_binary(b, LOOP_AND, x, loop_const(b, t, (uint64_t)by - 1));
    } else if (shift < 64) {
        r = loop_binary(b, LOOP_ASHR, x, loop_const(b, t, shift));
    } else if (low >= 0) {
        r = loop_binary(b, remainder ? LOOP_UREM : LOOP_UDIV, x, d);
    } else {
        const loop_value zero = loop_const(b, t, 0);
        const loop_value rest = loop_binary(b, LOOP_SREM, x, d);
        const loop_value below = loop_binary(b, LOOP_ILT, rest, zero);
        if (remainder)
            r = loop_binary(b, LOOP_IADD, rest, loop_select(b, below, d, zero));
        else
            r = loop_binary(b, LOOP_ISUB, loop_binary(b, LOOP_SDIV, x, d),
                            loop_convert(b, LOOP_ZEXT, (loop_elem)t.elem, below));
    }
    return is_narrow ? loop_convert(b, LOOP_SEXT, LOOP_I64, r) : r;
}

static void add_lanes(emitter *e, emit_index *sum, loop_value lanes)
{
    sum->lanes = is_line(sum) ? lanes : loop_binary(e->b, LOOP_IADD, sum->lanes, lanes);
}

emit_index emit_expr(emitter *e, const access_expr *expr)
{
    loop_builder *b = e->b;
    emit_index sum = {LOOP_NO_VALUE, 0, LOOP_NO_VALUE};
    loop_value first = LOOP_NO_VALUE;
    for (uint32_t i = 0; i < expr->n; i++) {
        const access_term *t = &expr->at[i];
        loop_value x;
        if (t->kind == ACCESS_AXIS) {
            x = e->at[t->axis];
            if (t->axis == e->vector_axis && e->lanes > 1)
                sum.step += t->factor;
        } else {
            const bool remainder = t->kind == ACCESS_REMAINDER;
            const emit_index of = emit_expr(e, t->of);
            if (e->lanes > 1 && (of.step != 0 || !is_line(&of))) {
                x = quotient(e, all_lanes(e, &of), t->of->low, t->of->high, t->by, remainder);
                add_lanes(e, &sum, scaled(b, x, t->factor));
                continue;
            }
            x = quotient(e, of.first, t->of->low, t->of->high, t->by, remainder);
        }
        x = scaled(b, x, t->factor);
        first = first == LOOP_NO_VALUE ? x : loop_binary(b, LOOP_IADD, first, x);
    }
    if (first == LOOP_NO_VALUE)
        first = loop_i64(b, expr->constant);
    else if (expr->constant != 0)
        first = loop_binary(b, LOOP_IADD, first, loop_i64(b, expr->constant));
    sum.first = first;
    return sum;
}

/* ---- loads ---- */

static loop_value both(loop_builder *b, loop_value x, loop_value y)
{
    const uint32_t lanes_x = loop_lanes(b, x), lanes_y = loop_lanes(b, y);
    const uint32_t lanes = lanes_x > lanes_y ? lanes_x : lanes_y;
    return loop_binary(b, LOOP_AND, loop_splat(b, lanes, x), loop_splat(b, lanes, y));
}

/* Whether LOW <= expr < HIGH, in one lane or in all. */
static loop_value holds(emitter *e, const access_guard *g)
{
    loop_builder *b = e->b;
    const emit_index x = emit_expr(e, g->of);
    const bool varies = e->lanes > 1 && (x.step != 0 || !is_line(&x));
    const loop_value v = varies ? all_lanes(e, &x) : x.first;
    const loop_type t = loop_value_type(b, v);
    loop_value ok = LOOP_NO_VALUE;
    if (g->of->low < g->low)
        ok = loop_unary(b, LOOP_NOT,
                        loop_binary(b, LOOP_ILT, v, loop_const(b, t, (uint64_t)g->low)));
    if (g->of->high >= g->high) {
        const loop_value below = loop_binary(b, LOOP_ILT, v, loop_const(b, t, (uint64_t)g->high));
        ok = ok == LOOP_NO_VALUE ? below : both(b, ok, below);
    }
    return ok == LOOP_NO_VALUE ? loop_const(b, loop_type_of(LOOP_MASK, 1), 1) : ok;
}

/* All guards of MAP from FIRST on; LOOP_NO_VALUE when there are none. */
static loop_value all_hold(emitter *e, const access_map *map, uint32_t from)
{
    loop_value ok = LOOP_NO_VALUE;
    for (uint32_t i = from; i < map->n_guards; i++) {
        const loop_value one = holds(e, &map->guards[i]);
        ok = ok == LOOP_NO_VALUE ? one : both(e->b, ok, one);
    }
    return ok;
}

static loop_value address(emitter *e, loop_value base, loop_value index, tn_dtype d)
{
    return loop_offset(e->b, base, scaled(e->b, index, (int64_t)dtype_bytes(d)));
}

static uint32_t natural(tn_dtype d)
{
    return (uint32_t)loop_elem_bytes(element_storage(d));
}

static element gather(emitter *e, loop_value base, const emit_index *at, tn_dtype d,
                      loop_value mask)
{
    loop_builder *b = e->b;
    const loop_value offsets = scaled(b, all_lanes(e, at), (int64_t)dtype_bytes(d));
    if (e->count != LOOP_NO_VALUE) {
        const loop_value counts = element_first(b, e->lanes, e->count);
        mask = mask == LOOP_NO_VALUE ? counts : both(b, mask, counts);
    }
    if (mask == LOOP_NO_VALUE)
        mask = loop_const(b, loop_type_of(LOOP_MASK, e->lanes), 1);
    return element_gather(b, d, base, offsets, loop_splat(b, e->lanes, mask));
}

/* Lanes that run backward through memory, all of them there. */
static element load_backward(emitter *e, loop_value base, const emit_index *at, tn_dtype d)
{
    uint8_t table[LOOP_MAX_LANES];
    for (uint32_t i = 0; i < e->lanes; i++)
        table[i] = (uint8_t)(e->lanes - 1 - i);
    const loop_value last =
        loop_binary(e->b, LOOP_ISUB, at->first, loop_i64(e->b, (int64_t)e->lanes - 1));
    const element x = element_load(e->b, d, address(e, base, last, d), e->lanes, natural(d));
    return element_shuffle(e->b, x, x, table, e->lanes);
}

/* EXPR as a line, which it is while no quotient or remainder in it comes to its next number within
 * the lanes: *FITS, one mask, says whether. False when it is no line even so. */
static bool unwrapped(emitter *e, const access_expr *expr, emit_index *line, loop_value *fits)
{
    loop_builder *b = e->b;
    loop_value first = loop_i64(b, expr->constant);
    int64_t step = 0;
    for (uint32_t i = 0; i < expr->n; i++) {
        const access_term *t = &expr->at[i];
        loop_value x;
        if (t->kind == ACCESS_AXIS) {
            x = e->at[t->axis];
            step += t->axis == e->vector_axis ? t->factor : 0;
        } else {
            const bool remainder = t->kind == ACCESS_REMAINDER;
            emit_index of;
            if (!unwrapped(e, t->of, &of, fits) || of.step < 0 || of.step > t->by)
                return false;
            x = quotient(e, of.first, t->of->low, t->of->high, t->by, remainder);
            if (of.step > 0) {
                const loop_value rest = quotient(e, of.first, t->of->low, t->of->high, t->by, true);
                const int64_t most = t->by - of.step * ((int64_t)e->lanes - 1);
                *fits = both(b, *fits, loop_binary(b, LOOP_ILT, rest, loop_i64(b, most)));
                step += remainder ? t->factor * of.step : 0;
            }
        }
        first = loop_binary(b, LOOP_IADD, first, scaled(b, x, t->factor));
    }
    *line = (emit_index){first, step, LOOP_NO_VALUE};
    return true;
}

/* Adds to *FITS that all lanes are within the guards of MAP. */
static bool all_within(emitter *e, const access_map *map, loop_value *fits)
{
    loop_builder *b = e->b;
    for (uint32_t i = 0; i < map->n_guards; i++) {
        const access_guard *g = &map->guards[i];
        emit_index x;
        if (!unwrapped(e, g->of, &x, fits))
            return false;
        const int64_t reach = x.step * ((int64_t)e->lanes - 1);
        const int64_t low = g->low - (reach < 0 ? reach : 0),
                      high = g->high - (reach > 0 ? reach : 0);
        const loop_value below = loop_binary(b, LOOP_ILT, x.first, loop_i64(b, low));
        *fits = both(b, *fits, loop_unary(b, LOOP_NOT, below));
        *fits = both(b, *fits, loop_binary(b, LOOP_ILT, x.first, loop_i64(b, high)));
    }
    return true;
}

/* Lanes that are mostly side by side: load them so where they are, gather them elsewhere. */
static bool load_mostly_dense(emitter *e, loop_value base, tn_dtype d, const access_expr *offset,
                              const access_map *map, const emit_index *at, loop_value ok,
                              element *x)
{
    loop_builder *b = e->b;
    loop_value fits = loop_const(b, loop_type_of(LOOP_MASK, 1), 1);
    emit_index line;
    if (e->count != LOOP_NO_VALUE || !unwrapped(e, offset, &line, &fits) || line.step != 1 ||
        !all_within(e, map, &fits))
        return false;
    const element var = element_var(b, element_zero(b, d, e->lanes));
    loop_if(b, fits);
    element_set(b, var, element_load(b, d, address(e, base, line.first, d), e->lanes, natural(d)));
    loop_else(b);
    element_set(b, var, gather(e, base, at, d, ok));
    loop_end(b);
    *x = element_get(b, var);
    return true;
}

/* The element number AT of what lies at BASE; 0 where OK, when there is such, does not hold. OFFSET
 * and MAP, unless they are NULL, are where AT comes from. */
static element load_at(emitter *e, loop_value base, tn_dtype d, emit_index at, loop_value ok,
                       const access_expr *offset, const access_map *map)
{
    loop_builder *b = e->b;
    const bool spread = e->lanes > 1 && (at.step != 0 || !is_line(&at));
    const bool ok_varies = ok != LOOP_NO_VALUE && loop_lanes(b, ok) > 1;
    if (!spread && !ok_varies) {
        if (ok != LOOP_NO_VALUE) /* an address that is there in any case */
            at.first = loop_select(b, ok, at.first, loop_i64(b, 0));
        return element_load(b, d, address(e, base, at.first, d), 1, natural(d));
    }
    if (!is_line(&at) || at.step != 1 || ok_varies) {
        if (is_line(&at) && at.step == -1 && ok == LOOP_NO_VALUE && e->count == LOOP_NO_VALUE)
            return load_backward(e, base, &at, d);
        element x;
        if (offset && load_mostly_dense(e, base, d, offset, map, &at, ok, &x))
            return x;
        return gather(e, base, &at, d, ok);
    }
    loop_value count = e->count;
    if (ok != LOOP_NO_VALUE) {
        const loop_value all = count == LOOP_NO_VALUE ? loop_i64(b, e->lanes) : count;
        count = loop_select(b, ok, all, loop_i64(b, 0));
        at.first = loop_select(b, ok, at.first, loop_i64(b, 0));
    }
    const loop_value p = address(e, base, at.first, d);
    return count == LOOP_NO_VALUE ? element_load(b, d, p, e->lanes, natural(d))
                                  : element_load_first(b, d, p, e->lanes, count, natural(d));
}

/* The element of what lies at BASE, dense and of shape DIMS; 0 where a guard of MAP does not hold.
 */
static element load(emitter *e, loop_value base, tn_dtype d, const int64_t *dims,
                    const access_map *map)
{
    const access_expr *offset = access_offset(map, dims, e->memory);
    return offset ? load_at(e, base, d, emit_expr(e, offset), all_hold(e, map, 0), offset, map)
                  : nothing(e, d);
}

element emit_load_along(emitter *e, const emit_read *read, uint32_t axis, uint32_t lanes)
{
    const uint32_t i = input_of(e->k, read->v);
    if (i == UINT32_MAX)
        return nothing(e, read->dtype);
    const uint32_t own_axis = e->vector_axis, own_lanes = e->lanes;
    e->vector_axis = axis;
    e->lanes = lanes;
    const element x = load(e, e->in[i], read->dtype, value_type(e->f, read->v)->dims, read->map);
    e->vector_axis = own_axis;
    e->lanes = own_lanes;
    return x;
}

/* ---- values ---- */

static bool moves(const node *n)
{
    return (op_table[n->op].traits & T_MOVES) != 0;
}

/* From the positions to operand K of N, whose result is at MAP. */
static bool use_map(emitter *e, const node *n, uint32_t k, uint32_t use, const access_map *map,
                    const access_map **out)
{
    const type *in = value_type(e->f, n->in[k]), *t = value_type(e->f, n->first_value);
    access_map own, whole;
    *out = map;
    if (!moves(n) && !kernel_reads_by_data(n) && in->rank == t->rank &&
        memcmp(in->dims, t->dims, t->rank * sizeof *t->dims) == 0)
        return true; /* element by element */
    if (!kernel_operand_map(e->f, n, k, use, e->memory, &own) ||
        !access_compose(map, &own, e->memory, &whole))
        return false;
    *out = access_copy(&whole, e->memory);
    return *out != NULL;
}

static bool operand_map(emitter *e, const node *n, uint32_t k, const access_map *map,
                        const access_map **out)
{
    return use_map(e, n, k, 0, map, out);
}

/* Movement computes nothing, but where it pads. */
static element emit_moved(emitter *e, const node *n, const access_map *map)
{
    const tn_dtype d = value_type(e->f, n->first_value)->dtype;
    const access_map *from;
    if (!operand_map(e, n, 0, map, &from))
        return nothing(e, d);
    element x = emit_value(e, n->in[0], from);
    const loop_value ok = all_hold(e, from, map->n_guards);
    if (ok == LOOP_NO_VALUE)
        return x;
    const scalar *value = attr_find(n->attrs, KEY_PAD_VALUE)->v.scalar;
    const uint32_t lanes_x = element_lanes(e->b, x), lanes_ok = loop_lanes(e->b, ok);
    const uint32_t lanes = lanes_x > lanes_ok ? lanes_x : lanes_ok;
    return element_select(e->b, loop_splat(e->b, lanes, ok), element_splat(e->b, lanes, x),
                          element_number(e->b, d, lanes, *value));
}

static element emit_iota(emitter *e, const node *n, const access_map *map)
{
    const type *t = value_type(e->f, n->first_value);
    int64_t axis = attr_int(n->attrs, KEY_AXIS, 0);
    axis += axis < 0 ? t->rank : 0;
    const emit_index at = emit_expr(e, map->at[axis]);
    const bool varies = e->lanes > 1 && (at.step != 0 || !is_line(&at));
    return element_iota(e->b, t->dtype, varies ? all_lanes(e, &at) : at.first);
}

/* ---- positions that are data ---- */

/* The axes of the first operand of N at which data give the position, and the rest of where it is
 * read for a result at MAP. */
static bool rest_of_map(emitter *e, const node *n, const access_map *map, access_map *rest)
{
    const type *x = value_type(e->f, n->in[0]);
    const int64_t one = 1;
    access_map zero;
    access_assign(rest, map);
    rest->n_source = x->rank;
    if (n->op == OP_DYNAMIC_SLICE)
        return true;
    if (!access_identity(&one, 1, e->memory, &zero))
        return false;
    const uint32_t axis = n->op == OP_GATHER ? resolve_axis(n->attrs, KEY_AXIS, x->rank) : 0;
    const uint32_t lead = n->op == OP_TAKE ? value_type(e->f, n->in[1])->rank : 1;
    for (uint32_t i = 0; i < x->rank; i++)
        if (n->op == OP_TAKE && i > 0)
            rest->at[i] = map->at[lead + i - 1];
    rest->at[axis] = zero.at[0];
    return true;
}

/* AT, and POSITION times STRIDE further. */
static void add_position(emitter *e, emit_index *at, loop_value position, int64_t stride)
{
    loop_builder *b = e->b;
    position = scaled(b, position, stride);
    if (loop_lanes(b, position) > 1)
        add_lanes(e, at, position);
    else
        at->first = loop_binary(b, LOOP_IADD, at->first, position);
}

static int64_t stride_of(const type *t, uint32_t axis)
{
    int64_t stride = 1;
    for (uint32_t i = axis + 1; i < t->rank; i++)
        stride *= t->dims[i];
    return stride;
}

/* A position of integer X as i64. */
static loop_value position_of(emitter *e, element x)
{
    return element_cast(e->b, x, TN_SI64).re;
}

/* POSITION, if it is one of EXTENT; else the run stops, and it is 0. */
static loop_value checked_position(emitter *e, loop_value position, int64_t extent)
{
    loop_builder *b = e->b;
    const uint32_t lanes = loop_lanes(b, position);
    const loop_type t = loop_value_type(b, position);
    const loop_value ok = loop_binary(b, LOOP_IULT, position, loop_const(b, t, (uint64_t)extent));
    loop_value fails = loop_unary(b, LOOP_NOT, ok);
    if (lanes > 1 && e->count != LOOP_NO_VALUE)
        fails = both(b, fails, element_first(b, lanes, e->count));
    loop_fail(b, element_any(b, fails), 1);
    return loop_select(b, ok, position, loop_const(b, t, 0));
}

/* Where a window starts that must lie inside: START between 0 and MOST. */
static loop_value clamped_position(emitter *e, element start, int64_t most)
{
    loop_builder *b = e->b;
    loop_value x = position_of(e, start); /* in all lanes where padding is among them */
    const loop_type t = loop_value_type(b, x);
    const loop_value zero = loop_const(b, t, 0), last = loop_const(b, t, (uint64_t)most);
    x = loop_select(b, loop_binary(b, LOOP_ILT, x, zero), zero, x);
    return loop_select(b, loop_binary(b, LOOP_ILT, last, x), last, x);
}

static element emit_by_data(emitter *e, const node *n, const access_map *map)
{
    const type *x = value_type(e->f, n->in[0]), *t = value_type(e->f, n->first_value);
    const uint32_t place = input_of(e->k, n->in[0]);
    access_map rest;
    const access_expr *offset =
        rest_of_map(e, n, map, &rest) ? access_offset(&rest, x->dims, e->memory) : NULL;
    if (!offset || place == UINT32_MAX)
        return nothing(e, t->dtype);
    emit_index at = emit_expr(e, offset);
    const uint32_t uses = kernel_operand_uses(e->f, n, 1);
    for (uint32_t u = 0; u < uses; u++) {
        const access_map *from;
        if (!use_map(e, n, 1, u, map, &from))
            return nothing(e, t->dtype);
        const element i = emit_value(e, n->in[1], from);
        const uint32_t axis = n->op == OP_GATHER ? resolve_axis(n->attrs, KEY_AXIS, x->rank) : u;
        add_position(e, &at,
                     n->op == OP_DYNAMIC_SLICE
                         ? clamped_position(e, i, x->dims[axis] - t->dims[axis])
                         : checked_position(e, position_of(e, i), x->dims[axis]),
                     stride_of(x, axis));
    }
    return load_at(e, e->in[place], t->dtype, at, all_hold(e, map, 0), NULL, NULL);
}

/* Where the window of an UPDATE starts. */
static void find_window(emitter *e)
{
    const node *n = &e->f->nodes.at[e->k->node];
    const type *x = value_type(e->f, n->in[0]), *t = value_type(e->f, n->in[1]);
    emit_index at = {loop_i64(e->b, 0), 0, LOOP_NO_VALUE};
    for (uint32_t u = 0; u < kernel_operand_uses(e->f, n, 2) && !e->failed; u++) {
        access_map own;
        const access_map *from = kernel_operand_map(e->f, n, 2, u, e->memory, &own)
                                     ? access_copy(&own, e->memory)
                                     : NULL;
        if (from)
            add_position(
                e, &at, clamped_position(e, emit_value(e, n->in[2], from), x->dims[u] - t->dims[u]),
                stride_of(x, u));
        e->failed = e->failed || !from;
    }
    e->window = at.first;
}

/* ---- random numbers ---- */

static element emit_draw(emitter *e, const node *n, const access_map *map)
{
    const type *t = value_type(e->f, n->first_value);
    const module *m = e->f->module;
    const access_expr *offset = access_offset(map, t->dims, e->memory);
    element_draws from = {.seed = e->seed};
    if (!offset)
        return nothing(e, t->dtype);
    while (from.function < m->functions.n && m->functions.at[from.function] != e->f)
        from.function++;
    for (const node *before = e->f->nodes.at; before < n; before++)
        from.stream += kernel_draws(before);
    const emit_index at = emit_expr(e, offset);
    const bool varies = e->lanes > 1 && (at.step != 0 || !is_line(&at));
    const loop_value position = varies ? all_lanes(e, &at) : at.first;
    return n->op == OP_RNG_UNIFORM ? element_uniform(e->b, t->dtype, &from, position)
                                   : element_normal(e->b, t->dtype, &from, position);
}

enum { FEW_OPERANDS = 3 };

static element emit_op(emitter *e, const node *n, const access_map *map)
{
    loop_builder *b = e->b;
    const tn_dtype d = value_type(e->f, n->first_value)->dtype;
    element in[FEW_OPERANDS], x;
    uint32_t lanes = 1;
    loop_value fails;
    if (n->n_in > FEW_OPERANDS)
        return nothing(e, d);
    for (uint32_t k = 0; k < n->n_in; k++) {
        const access_map *from;
        if (!operand_map(e, n, k, map, &from))
            return nothing(e, d);
        in[k] = emit_value(e, n->in[k], from);
        lanes = element_lanes(b, in[k]) > lanes ? element_lanes(b, in[k]) : lanes;
    }
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = element_splat(b, lanes, in[k]);
    if (e->failed || !element_op(b, (op_id)n->op, n->attrs, in, n->n_in, d, &x, &fails))
        return nothing(e, d);
    if (fails != LOOP_NO_VALUE) {
        if (lanes > 1 && e->count != LOOP_NO_VALUE)
            fails = both(b, fails, element_first(b, lanes, e->count));
        loop_fail(b, element_any(b, fails), 1);
    }
    return x;
}

static const emit_kept *find_kept(const emitter *e, value_id v, const access_map *map)
{
    for (uint32_t i = 0; i < e->n_kept; i++)
        if (e->kept[i].v == v && e->kept[i].is_filled && access_same(e->kept[i].map, map))
            return &e->kept[i];
    return NULL;
}

static element load_kept(emitter *e, const emit_kept *kept)
{
    const loop_value p = address(e, kept->memory, e->kept_at, kept->dtype);
    return element_load(e->b, kept->dtype, p, e->lanes, natural(kept->dtype));
}

/* The recursion ends at what is in memory, after at most as many steps as the kernel has nodes. */
element emit_value(emitter *e, value_id v, const access_map *map)
{
    const type *t = value_type(e->f, v);
    const node *n = node_of(e->f, v);
    const emit_known *known = find_known(e, v, map);
    if (known)
        return known->x;
    if (e->failed)
        return element_zero(e->b, t->dtype, 1);
    const emit_kept *kept = find_kept(e, v, map);
    element x;
    if (kept) {
        x = load_kept(e, kept);
    } else if (kernel_is_uniform(n)) {
        x = element_const(e->b, t->dtype, 1, attr_find(n->attrs, KEY_VALUE)->v.literal->data);
    } else if (!emit_contains(e->k, e->f->values.at[v].node)) {
        const uint32_t i = input_of(e->k, v);
        x = i == UINT32_MAX ? nothing(e, t->dtype) : load(e, e->in[i], t->dtype, t->dims, map);
    } else if (n->op == OP_IOTA) {
        x = emit_iota(e, n, map);
    } else if (kernel_draws(n)) {
        x = emit_draw(e, n, map);
    } else if (kernel_reads_by_data(n)) {
        x = emit_by_data(e, n, map);
    } else {
        x = moves(n) ? emit_moved(e, n, map) : emit_op(e, n, map);
    }
    emit_know(e, v, map, x);
    return x;
}

/* ---- walks ---- */

static const emit_seen *find_seen(const emitter *e, value_id v, const access_map *map)
{
    for (uint32_t i = e->n_seen; i-- > 0;)
        if (e->seen[i].v == v && access_same(e->seen[i].map, map))
            return &e->seen[i];
    return NULL;
}

static void note_seen(emitter *e, value_id v, const access_map *map, bool varies)
{
    if (e->n_seen == e->cap_seen) {
        const uint32_t cap = e->cap_seen ? 2 * e->cap_seen : 64;
        emit_seen *seen = ARENA_ARRAY(e->memory, emit_seen, cap);
        if (!seen) {
            e->failed = true;
            return;
        }
        if (e->n_seen)
            memcpy(seen, e->seen, e->n_seen * sizeof *seen);
        e->seen = seen;
        e->cap_seen = cap;
    }
    e->seen[e->n_seen++] = (emit_seen){v, map, varies};
}

/* ---- what is computed ahead ---- */

/* True when V does not vary along AXES; then it is known now. */
static bool hoist(emitter *e, value_id v, const access_map *map, uint32_t axes)
{
    const node *n = node_of(e->f, v);
    const emit_seen *seen = find_seen(e, v, map);
    if (e->failed || (seen && seen->varies))
        return false;
    if (find_known(e, v, map) || kernel_is_uniform(n))
        return true;
    bool varies = false;
    if (find_kept(e, v, map)) {
        varies = true;
    } else if (!emit_contains(e->k, e->f->values.at[v].node) || n->op == OP_IOTA ||
               kernel_draws(n)) {
        varies = (access_axes(map) & axes) != 0;
    } else if (kernel_reads_by_data(n)) {
        for (uint32_t u = 0; u < kernel_operand_uses(e->f, n, 1); u++) {
            const access_map *from;
            if (!use_map(e, n, 1, u, map, &from))
                return false;
            (void)hoist(e, n->in[1], from, axes);
        }
        varies = (access_axes(map) & axes) != 0;
    } else if (op_table[n->op].traits & T_REDUCES) {
        varies = true; /* not known yet */
    } else {
        for (uint32_t k = 0; k < n->n_in; k++) {
            const access_map *from;
            if (!operand_map(e, n, k, map, &from))
                return false;
            varies = !hoist(e, n->in[k], from, axes) || varies;
            varies = varies || (from->n_guards && (access_axes(from) & axes));
        }
    }
    if (!varies)
        (void)emit_value(e, v, map);
    note_seen(e, v, map, varies);
    return !varies;
}

void emit_hoist(emitter *e, value_id v, const access_map *map, uint32_t axes)
{
    const uint32_t lanes = e->lanes;
    const loop_value count = e->count;
    e->lanes = 1; /* nothing of it varies along the vector axis */
    e->count = LOOP_NO_VALUE;
    e->n_seen = 0;
    (void)hoist(e, v, map, axes);
    e->lanes = lanes;
    e->count = count;
}

/* ---- stores ---- */

static void store_lanes(emitter *e, loop_value buffer, const emit_index *at, element x)
{
    loop_builder *b = e->b;
    const loop_value to = all_lanes(e, at);
    for (uint32_t i = 0; i < e->lanes; i++) {
        if (e->count != LOOP_NO_VALUE)
            loop_if(b, loop_binary(b, LOOP_ILT, loop_i64(b, i), e->count));
        element_store(b, address(e, buffer, loop_lane(b, to, i), x.dtype), element_lane(b, x, i),
                      natural(x.dtype));
        if (e->count != LOOP_NO_VALUE)
            loop_end(b);
    }
}

static void stream(emitter *e, loop_value p, element x)
{
    const uint32_t size = (uint32_t)dtype_bytes(x.dtype), most = LOOP_ALIGN / size;
    for (uint32_t i = 0; i < e->lanes; i += most) {
        const uint32_t lanes = e->lanes - i < most ? e->lanes - i : most;
        element_stream(e->b, loop_at(e->b, p, (int64_t)i * size), element_part(e->b, x, i, lanes));
    }
}

void emit_store(emitter *e, const kernel_output *out, loop_value buffer, element x, bool streams)
{
    const access_expr *offset =
        access_offset(out->to, value_type(e->f, out->into)->dims, e->memory);
    if (!offset) {
        e->failed = true;
        return;
    }
    emit_index at = emit_expr(e, offset);
    if (out->is_window)
        at.first = loop_binary(e->b, LOOP_IADD, at.first, e->window);
    x = element_splat(e->b, e->lanes, x);
    if (e->lanes > 1 && (!is_line(&at) || at.step != 1)) {
        store_lanes(e, buffer, &at, x);
        return;
    }
    const loop_value p = address(e, buffer, at.first, x.dtype);
    if (e->lanes > 1 && e->count != LOOP_NO_VALUE)
        element_store_first(e->b, p, x, e->count, natural(x.dtype));
    else if (streams && e->lanes * dtype_bytes(x.dtype) >= LOOP_ALIGN)
        stream(e, p, x);
    else
        element_store(e->b, p, x, natural(x.dtype));
}

/* ---- looking ahead ---- */

static bool visit_reads(emitter *e, value_id v, const access_map *map, emit_visit *visit,
                        void *user);

static bool visit_by_data(emitter *e, const node *n, const access_map *map, emit_visit *visit,
                          void *user)
{
    access_map rest;
    const type *x = value_type(e->f, n->in[0]);
    const access_expr *offset =
        rest_of_map(e, n, map, &rest) ? access_offset(&rest, x->dims, e->memory) : NULL;
    if (!offset)
        return false;
    visit(user, offset, &(emit_read){n->in[0], map, x->dtype, true});
    for (uint32_t u = 0; u < kernel_operand_uses(e->f, n, 1); u++) {
        const access_map *from;
        if (!use_map(e, n, 1, u, map, &from) || !visit_reads(e, n->in[1], from, visit, user))
            return false;
    }
    return !e->failed;
}

static bool visit_reads(emitter *e, value_id v, const access_map *map, emit_visit *visit,
                        void *user)
{
    const node *n = node_of(e->f, v);
    if (find_seen(e, v, map))
        return true;
    note_seen(e, v, map, false);
    const type *t = value_type(e->f, v);
    const access_map *from;
    for (uint32_t i = 0; i < map->n_guards; i++)
        visit(user, map->guards[i].of, NULL);
    if (kernel_is_uniform(n))
        return true;
    if (!emit_contains(e->k, e->f->values.at[v].node)) {
        const access_expr *offset = access_offset(map, t->dims, e->memory);
        if (offset)
            visit(user, offset, &(emit_read){v, map, t->dtype, false});
        return offset != NULL;
    }
    if (n->op == OP_IOTA) {
        int64_t axis = attr_int(n->attrs, KEY_AXIS, 0);
        axis += axis < 0 ? t->rank : 0;
        visit(user, map->at[axis], NULL);
        return true;
    }
    if (kernel_draws(n)) {
        const access_expr *number = access_offset(map, t->dims, e->memory);
        if (number)
            visit(user, number, NULL);
        return number != NULL;
    }
    if (op_table[n->op].traits & T_REDUCES)
        return true; /* asked for on its own */
    if (kernel_reads_by_data(n))
        return visit_by_data(e, n, map, visit, user);
    for (uint32_t k = 0; k < n->n_in; k++)
        if (!operand_map(e, n, k, map, &from) || !visit_reads(e, n->in[k], from, visit, user))
            return false;
    return !e->failed;
}

bool emit_visit_reads(emitter *e, value_id v, const access_map *map, emit_visit *visit, void *user)
{
    e->n_seen = 0;
    return visit_reads(e, v, map, visit, user);
}
