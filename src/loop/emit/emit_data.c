/* Reads at positions that are data (take, gather, dynamic_slice), and the window of an UPDATE. */
#include "loop/emit/emit_parts.h"
#include "ops/attr_rules.h"

bool emit_rest_of_map(emitter *e, const node *n, const access_map *map, access_map *rest)
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
static void add_position(emitter *e, emit_index *at, loop_value position, sized stride)
{
    loop_builder *b = e->b;
    position = emit_times(b, position, stride);
    if (loop_lanes(b, position) > 1)
        emit_add_lanes(e, at, position);
    else
        at->first = loop_binary(b, LOOP_IADD, at->first, position);
}

static sized extent_of(const emitter *e, value_id v, uint32_t axis)
{
    const access_extents x = access_extents_of(e->f, v);
    return (sized){x.now[axis], x.other[axis]};
}

static sized stride_of(const emitter *e, value_id v, uint32_t axis)
{
    const uint32_t rank = value_type(e->f, v)->rank;
    sized stride = sized_of(1);
    for (uint32_t i = axis + 1; i < rank; i++)
        stride = sized_mul(stride, extent_of(e, v, i));
    return stride;
}

/* Where a window of V in X can start along AXIS at most. */
static sized last_start(const emitter *e, value_id x, value_id v, uint32_t axis)
{
    return sized_add(extent_of(e, x, axis), sized_mul(sized_of(-1), extent_of(e, v, axis)));
}

/* A position of integer X as i64. */
static loop_value position_of(emitter *e, element x)
{
    return element_cast(e->b, x, TN_SI64).re;
}

/* POSITION, if it is one of EXTENT; else the run stops, and it is 0. */
static loop_value checked_position(emitter *e, loop_value position, sized extent)
{
    loop_builder *b = e->b;
    if (e->is_checked)
        return position;
    const uint32_t lanes = loop_lanes(b, position);
    const loop_type t = loop_value_type(b, position);
    const loop_value ok = loop_binary(b, LOOP_IULT, position, loop_sized_const(b, t, extent));
    loop_value fails = loop_unary(b, LOOP_NOT, ok);
    if (lanes > 1 && e->count != LOOP_NO_VALUE)
        fails = emit_both(b, fails, element_first(b, lanes, e->count));
    loop_fail(b, loop_any(b, fails), 1);
    return loop_select(b, ok, position, loop_const(b, t, 0));
}

/* Where a window starts that must lie inside: START between 0 and MOST. */
static loop_value clamped_position(emitter *e, element start, sized most)
{
    loop_builder *b = e->b;
    loop_value x = position_of(e, start); /* in all lanes where padding is among them */
    const loop_type t = loop_value_type(b, x);
    const loop_value zero = loop_const(b, t, 0), last = loop_sized_const(b, t, most);
    x = loop_select(b, loop_binary(b, LOOP_ILT, x, zero), zero, x);
    return loop_select(b, loop_binary(b, LOOP_ILT, last, x), last, x);
}

/* Where rows of a large operand lie, of which elements are met in any order, which the hardware
 * does not follow. */
typedef struct row_walk {
    int64_t bytes;   /* of a row */
    int64_t next;    /* bytes from each row to the next */
    int64_t each;    /* of a row for each position */
    bool is_settled; /* all rows are met at the same places */
} row_walk;

static void find_settled(void *user, const access_expr *expr, const emit_read *read)
{
    row_walk *w = user;
    int64_t first, strides[TN_MAX_RANK];
    (void)read;
    w->is_settled = w->is_settled && access_strides(expr, (uint32_t)w->next, &first, strides) &&
                    strides[w->next - 2] == 0;
}

/* Do the positions that N takes at MAP leave the row out of account? */
static bool is_settled(emitter *e, const node *n, const access_map *map)
{
    const access_map *from;
    row_walk w = {.next = e->k->rank, .is_settled = true};
    return emit_use_map(e, n, 1, 0, map, &from) &&
           emit_visit_reads(e, n->in[1], from, find_settled, &w) && w.is_settled;
}

/* N gathers along the last axis of its first operand, the rows of which begin at OFFSET. */
static bool find_rows(emitter *e, const node *n, const access_map *map, const access_expr *offset,
                      row_walk *w)
{
    enum { MOST = 256 << 10 };
    const type *x = value_type(e->f, n->in[0]);
    const uint32_t last = e->k->rank - 1;
    const int64_t size = (int64_t)dtype_bytes(x->dtype), positions = e->k->dims[last];
    int64_t place, strides[TN_MAX_RANK];
    if (n->op != OP_GATHER || resolve_axis(n->attrs, KEY_AXIS, x->rank) != x->rank - 1 ||
        x->count < EMIT_LARGE / size || !access_is_fixed(offset) ||
        !sized_is_fixed(extent_of(e, n->in[0], x->rank - 1)) ||
        !access_strides(offset, e->k->rank, &place, strides) || strides[last] != 0)
        return false;
    w->bytes = x->dims[x->rank - 1] * size;
    w->next = strides[last - 1] * size;
    w->each = (w->bytes + positions - 1) / positions;
    w->is_settled = w->each > LOOP_ALIGN && is_settled(e, n, map);
    return w->bytes <= MOST && w->next >= w->bytes;
}

/* The row at FIRST is met now: the next one is fetched, as much of it as belongs to e->row_ahead of
 * the positions along the last axis, from this one on. */
static void fetch_next_row(emitter *e, const row_walk *w, loop_value row)
{
    enum { FEW = 4 /* lines for each position */ };
    loop_builder *b = e->b;
    if (w->each > (int64_t)FEW * LOOP_ALIGN)
        return;
    const loop_value at =
        loop_offset(b, row, loop_binary(b, LOOP_IMUL, e->at[e->k->rank - 1], loop_i64(b, w->each)));
    for (int64_t i = 0; i < w->each * e->row_ahead; i += LOOP_ALIGN)
        loop_prefetch_far(b, loop_at(b, at, w->next + i));
}

/* Those of a later row that lie as the lanes AT from BASE on. */
static void fetch_same_places(emitter *e, const row_walk *w, loop_value base, const emit_index *at,
                              int64_t size)
{
    enum { ON_THEIR_WAY = 128 };
    loop_builder *b = e->b;
    const int64_t positions = e->k->dims[e->k->rank - 1];
    const int64_t rows = (ON_THEIR_WAY + positions - 1) / positions;
    const loop_value from = loop_at(b, base, rows * w->next);
    const loop_value lanes = emit_scaled(b, emit_all_lanes(e, at), size);
    for (uint32_t i = 0; i < e->lanes; i++)
        loop_prefetch(b, loop_offset(b, from, e->lanes > 1 ? loop_lane(b, lanes, i) : lanes));
}

element emit_by_data(emitter *e, const node *n, const access_map *map)
{
    const type *x = value_type(e->f, n->in[0]), *t = value_type(e->f, n->first_value);
    const uint32_t place = emit_input(e->k, n->in[0]);
    access_map rest;
    const access_expr *offset =
        emit_rest_of_map(e, n, map, &rest)
            ? access_offset(&rest, access_extents_of(e->f, n->in[0]), e->memory)
            : NULL;
    if (!offset || place == UINT32_MAX)
        return emit_nothing(e, t->dtype);
    emit_index at = emit_expr(e, offset);
    row_walk rows = {0};
    const bool fetches = e->fetches_rows && find_rows(e, n, map, offset, &rows);
    if (fetches && !rows.is_settled && e->row_ahead > 0)
        fetch_next_row(e, &rows, emit_address(e, e->in[place], at.first, x->dtype));
    const uint32_t uses = kernel_operand_uses(e->f, n, 1);
    for (uint32_t u = 0; u < uses; u++) {
        const access_map *from;
        if (!emit_use_map(e, n, 1, u, map, &from))
            return emit_nothing(e, t->dtype);
        const element i = emit_value(e, n->in[1], from);
        const uint32_t axis = n->op == OP_GATHER ? resolve_axis(n->attrs, KEY_AXIS, x->rank) : u;
        add_position(e, &at,
                     n->op == OP_DYNAMIC_SLICE
                         ? clamped_position(e, i, last_start(e, n->in[0], n->first_value, axis))
                         : checked_position(e, position_of(e, i), extent_of(e, n->in[0], axis)),
                     stride_of(e, n->in[0], axis));
    }
    const loop_value ok = emit_all_hold(e, map, 0);
    loop_value base = e->in[place];
    e->gathers = e->gathers || !emit_is_strided(&at);
    if (fetches && rows.is_settled)
        fetch_same_places(e, &rows, e->in[place], &at, (int64_t)dtype_bytes(x->dtype));
    if (ok == LOOP_NO_VALUE && !emit_is_strided(&at)) { /* what is the same in all lanes */
        base = emit_address(e, base, at.first, t->dtype);
        at.first = loop_i64(e->b, 0);
        at.is_short = sized_is_fixed(kernel_elements_from(e->f, n->in[0], 0)) &&
                      x->count <= INT32_MAX / (int64_t)dtype_bytes(t->dtype);
    }
    return emit_load_at(e, base, emit_dtype(e, t->dtype), at, ok, NULL, NULL);
}

void emit_find_window(emitter *e)
{
    const node *n = &e->f->nodes.at[e->k->node];
    emit_index at = {loop_i64(e->b, 0), 0, LOOP_NO_VALUE, 0, false};
    for (uint32_t u = 0; u < kernel_operand_uses(e->f, n, 2) && !e->failed; u++) {
        access_map own;
        const access_map *from = kernel_operand_map(e->f, n, 2, u, e->memory, &own)
                                     ? access_copy(&own, e->memory)
                                     : NULL;
        if (from)
            add_position(e, &at,
                         clamped_position(e, emit_value(e, n->in[2], from),
                                          last_start(e, n->in[0], n->in[1], u)),
                         stride_of(e, n->in[0], u));
        e->failed = e->failed || !from;
    }
    e->window = at.first;
}
