/* Nests of kernels whose results have few neighbours along the innermost axis, which lie far apart
 * in an operand (an image whose channels become the last axis), in another order (the colours of a
 * pixel) or are repeated: vectors go along another axis, on which the operand is contiguous or has
 * short steps, one for each position of the innermost axis, and are woven into one another before
 * they are stored. */
#include "loop/nest/map.h"

enum {
    MOST_WOVEN = 15, /* positions of the innermost axis: from 16 on there are tiles */
    STRETCH = 4096,  /* positions of one work item along the other axis */
    WHOLE = 8,       /* the name (loop_size) of those that make whole vectors, beside those of
                        lines (map.c) */
    MOST_STEP = 4,   /* along the first axis: whole vectors are loaded then (emit_memory.c) */
    FEWEST_LANES = 4,
    MOST_LANES = 32,
    NO_AXIS = TN_MAX_RANK,
};

typedef struct weave {
    emitter e;
    const kernel *k;
    uint32_t across, last; /* vectors go along the first, their lanes are woven along the last */
    uint32_t n;            /* positions of the last */
    loop_value buffers[KERNEL_OUTPUTS];
    uint32_t bytes; /* of the widest elements that are read or stored */
    bool is_possible;
    bool is_repeated; /* nothing varies along the axis before the last one */
    bool is_turned;   /* something lies apart along the last axis */
    uint32_t far;     /* mask: axes along which something lies further apart than short steps */
} weave;

static void note_bytes(weave *w, tn_dtype d)
{
    const uint32_t bytes = (uint32_t)dtype_bytes(d);
    w->bytes = bytes > w->bytes ? bytes : w->bytes;
}

/* The axis other than the last one along which what STRIDES are of is contiguous, or else has a
 * short step; the last one: none. */
static uint32_t axis_of(const weave *w, const int64_t *strides)
{
    for (int64_t step = 1; step <= MOST_STEP; step++)
        for (uint32_t axis = 0; axis < w->last; axis++)
            if (strides[axis] == step)
                return axis;
    return w->last;
}

/* All reads are strided; one at least goes on along `across`, and is not contiguous along `last`,
 * or all are the same along the axis before the last one. */
static void look_at(void *user, const access_expr *expr, const emit_read *read)
{
    weave *w = user;
    int64_t constant, strides[TN_MAX_RANK] = {0};
    if (!read || read->v == NO_VALUE || read->is_by_data || read->map->n_guards > 0 ||
        !access_strides(expr, w->k->rank, &constant, strides)) {
        w->is_possible = false;
        return;
    }
    note_bytes(w, read->dtype);
    w->is_repeated = w->is_repeated && strides[w->last - 1] == 0;
    w->is_turned = w->is_turned || (strides[w->last] != 0 && strides[w->last] != 1);
    for (uint32_t i = 0; i < w->last; i++)
        if (strides[i] < 0 || strides[i] > MOST_STEP)
            w->far |= UINT32_C(1) << i;
    if (strides[w->last] == 1)
        return;
    const uint32_t axis = axis_of(w, strides);
    if (strides[w->last] == 0 && axis == w->last)
        return;
    if (axis == w->last || (w->across != NO_AXIS && w->across != axis))
        w->is_possible = false;
    else
        w->across = axis;
}

/* Do all positions of the last axis stand side by side in OUT, and those of the next position along
 * `across` behind them? */
static bool is_woven(const weave *w, const kernel_output *out)
{
    int64_t first, strides[TN_MAX_RANK] = {0};
    const access_expr *to =
        access_offset(out->to, access_extents_of(w->e.f, out->into), w->e.memory);
    return to && !out->is_window && access_strides(to, w->k->rank, &first, strides) &&
           strides[w->last] == 1 && strides[w->across] == w->n;
}

/* Lane l is lane PLACE[l] of X[FROM[l]], of which there are N. */
static element collect(loop_builder *b, const element *x, uint32_t n, const uint32_t *from,
                       const uint32_t *place, uint32_t lanes)
{
    element y = {0};
    uint8_t own[LOOP_MAX_LANES]; /* where lanes of the result are in Y */
    for (uint32_t c = 0, joined = 0; c < n; c++) {
        uint8_t table[LOOP_MAX_LANES];
        bool is_needed = false;
        for (uint32_t l = 0; l < lanes; l++) {
            own[l] = (uint8_t)(joined < 2 ? place[l] : l);
            table[l] = (uint8_t)(from[l] == c ? lanes + place[l] : own[l]);
            is_needed = is_needed || from[l] == c;
        }
        if (!is_needed)
            continue;
        y = joined == 0 ? x[c] : element_shuffle(b, y, x[c], table, lanes);
        joined++;
    }
    return y;
}

element map_woven(loop_builder *b, const element *x, uint32_t n, uint32_t j, uint32_t lanes)
{
    uint32_t from[LOOP_MAX_LANES], place[LOOP_MAX_LANES];
    for (uint32_t l = 0; l < lanes; l++) {
        from[l] = (j * lanes + l) % n;
        place[l] = (j * lanes + l) / n;
    }
    return collect(b, x, n, from, place, lanes);
}

element map_unwoven(loop_builder *b, const element *x, uint32_t n, uint32_t j, uint32_t lanes)
{
    uint32_t from[LOOP_MAX_LANES], place[LOOP_MAX_LANES];
    for (uint32_t l = 0; l < lanes; l++) {
        from[l] = (l * n + j) / lanes;
        place[l] = (l * n + j) % lanes;
    }
    return collect(b, x, n, from, place, lanes);
}

/* The positions from ROW on, as many as there are lanes. */
static void whole_vectors(weave *w, loop_value row)
{
    emitter *e = &w->e;
    loop_builder *b = e->b;
    const uint32_t lanes = e->lanes;
    element x[KERNEL_OUTPUTS][MOST_WOVEN];
    e->at[w->across] = row;
    for (uint32_t c = 0; c < w->n; c++) {
        const uint32_t mark = emit_mark(e);
        e->at[w->last] = loop_i64(b, c);
        for (uint32_t i = 0; i < w->k->n_out; i++)
            x[i][c] = element_splat(b, lanes, emit_value(e, w->k->out[i].value, w->k->out[i].from));
        emit_forget(e, mark);
    }
    e->at[w->last] = loop_i64(b, 0);
    for (uint32_t i = 0; i < w->k->n_out; i++) {
        const kernel_output *out = &w->k->out[i];
        const access_expr *to =
            access_offset(out->to, access_extents_of(e->f, out->into), e->memory);
        const uint32_t bytes = (uint32_t)dtype_bytes(x[i][0].dtype);
        if (!to) {
            e->failed = true;
            return;
        }
        const loop_value p =
            loop_offset(b, w->buffers[i],
                        loop_binary(b, LOOP_IMUL, emit_expr(e, to).first, loop_i64(b, bytes)));
        for (uint32_t j = 0; j < w->n; j++)
            element_store(b, loop_at(b, p, (int64_t)j * lanes * bytes),
                          map_woven(b, x[i], w->n, j, lanes),
                          (uint32_t)loop_elem_bytes(element_storage(x[i][0].dtype)));
    }
}

/* Positions LOW .. HIGH along `across`, of which HIGH may be its end. */
static void emit_stretch(weave *w, loop_value low, loop_value high)
{
    emitter *e = &w->e;
    loop_builder *b = e->b;
    const int64_t rows = w->k->dims[w->across];
    const bool any_rows = nest_is_dynamic(w->k, w->across);
    const loop_value end =
        loop_min(b, high, nest_number(b, any_rows, WHOLE, rows - rows % e->lanes));
    const uint32_t lanes = e->lanes;
    const loop_value row = loop_for(b, low, end, lanes);
    whole_vectors(w, row);
    loop_end(b);
    if (any_rows || rows % lanes) {
        e->vector_axis = w->last;
        e->lanes = nest_lanes(e->f, w->k, w->n);
        e->at[w->across] = loop_for(b, end, high, 1);
        map_line(e, loop_i64(b, 0), loop_i64(b, w->n), w->buffers);
        loop_end(b);
    }
}

static bool start(weave *w, loop_builder *b, const function *f, const kernel *k,
                  const nest_options *o, arena *memory)
{
    *w = (weave){
        .k = k, .last = k->rank - 1, .across = NO_AXIS, .is_possible = true, .is_repeated = true};
    w->n = (uint32_t)k->dims[w->last];
    loop_init(b, memory);
    if (!emit_init(&w->e, b, f, k, memory))
        return false;
    w->e.rank = k->rank;
    w->e.cached = o->on.cached;
    for (uint32_t i = 0; i < k->n_out; i++)
        if (!emit_visit_reads(&w->e, k->out[i].value, k->out[i].from, look_at, w))
            return false;
    if (w->across == NO_AXIS && w->is_repeated) /* vectors that are made once */
        w->across = w->last - 1;
    w->is_possible = w->is_possible && w->across != NO_AXIS &&
                     (w->is_turned || !(w->far >> w->across & 1)); /* else lines are better */
    for (uint32_t i = 0; i < k->n_out && w->is_possible; i++) {
        w->is_possible = is_woven(w, &k->out[i]);
        note_bytes(w, value_type(f, k->out[i].into)->dtype);
    }
    return true;
}

static uint32_t lanes_of(const weave *w, const nest_options *o)
{
    const uint32_t lanes = o->on.vector_bytes / w->bytes;
    return lanes > MOST_LANES ? MOST_LANES : lanes < FEWEST_LANES ? FEWEST_LANES : lanes;
}

bool nest_of_weave(const function *f, const kernel *k, const nest_options *o, arena *memory,
                   nest *out, bool *applies)
{
    loop_builder b;
    *applies = false;
    if (k->kind != KERNEL_MAP || k->rank < 2 || k->n_out > KERNEL_OUTPUTS ||
        nest_is_dynamic(k, k->rank - 1) || k->dims[k->rank - 1] < 2 ||
        k->dims[k->rank - 1] > MOST_WOVEN)
        return true;
    weave *w = ARENA_NEW(memory, weave);
    if (!w || !start(w, &b, f, k, o, memory))
        return false;
    w->e.vector_axis = w->across;
    w->e.lanes = w->is_possible ? lanes_of(w, o) : 1;
    *applies = w->is_possible && k->dims[w->across] >= w->e.lanes;
    if (!*applies)
        return true;
    const sized stretches = nest_parts(nest_extent(k, w->across), STRETCH);
    int64_t outer = 1;
    for (uint32_t i = 0; i < w->last; i++)
        outer *= i == w->across ? 1 : k->dims[i];
    for (uint32_t i = 0; i < k->n_out; i++)
        w->buffers[i] = loop_buffer(&b, emit_output_buffer(k, i));
    const loop_value item =
        loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1);
    const loop_value of_stretches = loop_sized(&b, stretches);
    loop_value rest = loop_binary(&b, LOOP_UDIV, item, of_stretches), low, high;
    for (uint32_t i = w->last; i-- > 0;) {
        const loop_value extent = loop_sized(&b, nest_extent(k, i));
        if (i == w->across)
            continue;
        w->e.at[i] = loop_binary(&b, LOOP_UREM, rest, extent);
        rest = loop_binary(&b, LOOP_UDIV, rest, extent);
    }
    nest_part(&b, loop_binary(&b, LOOP_UREM, item, of_stretches), STRETCH,
              nest_extent(k, w->across), &low, &high);
    emit_stretch(w, low, high);
    loop_end(&b);
    const int64_t rows = k->dims[w->across];
    const uint64_t each =
        (uint64_t)nest_cost(f, k) * w->n * (uint64_t)(rows < STRETCH ? rows : STRETCH);
    out->steps[0] = (nest_step){.program = w->e.failed ? NULL : loop_finish_or_fault(&b),
                                .work = outer * stretches.now,
                                .grain = nest_grain(each),
                                .how = "vectors that are woven into one another"};
    out->n_steps = 1;
    return out->steps[0].program != NULL;
}
