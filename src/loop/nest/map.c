/* Nests of kernels in which each position is on its own: loops over the outer axes, the innermost
 * axis in vectors. */
#include "loop/nest/map.h"

enum {
    PIECE = 4096,     /* positions of a long axis that make one work item */
    LONG_LINE = 512,  /* positions for which it pays to look where they are stored */
    AHEAD = 512,      /* elements that operands are prefetched before they are needed, */
    MOST_WAITING = 32 /* by kernels of at most this cost: others do not wait for memory */
};

/* Does every line of OUT begin on a cache line, if its buffer does? Of a kernel for all sizes, only
 * what holds for all. */
static bool lines_are_aligned(const emitter *e, const kernel_output *out)
{
    const kernel *k = e->k;
    const uint32_t last = k->rank - 1;
    const type *t = value_type(e->f, out->into);
    const access_expr *to = access_offset(out->to, access_extents_of(e->f, out->into), e->memory);
    const int64_t bytes = (int64_t)dtype_bytes(t->dtype);
    int64_t first, strides[TN_MAX_RANK], dense = 1;
    if (!to || !access_strides(to, k->rank, &first, strides))
        return false;
    if (e->looks_at_lines)
        return strides[last] == 1;
    if (e->moved_to)
        first -= e->moved_to[out - k->out];
    const bool is_fixed = access_is_fixed(to);
    if (first * bytes % LOOP_ALIGN || (!is_fixed && first != 0) ||
        (last > 0 && (nest_is_dynamic(k, last) || k->dims[last] % LOOP_ALIGN)))
        return false;
    for (uint32_t i = last; i-- > 0;) {
        dense *= k->dims[i + 1];
        if (strides[i] * bytes % LOOP_ALIGN || (!is_fixed && strides[i] != dense))
            return false;
    }
    return true;
}

bool map_may_store_nontemporal(const emitter *e, const kernel_output *out)
{
    const type *t = value_type(e->f, out->into);
    return type_known_bytes(t) >= e->cached && !out->is_window &&
           e->lanes * dtype_bytes(t->dtype) >= LOOP_ALIGN && lines_are_aligned(e, out);
}

/* Are the outputs of K neighbours of each other, at each position along its last axis and from one
 * to the next? */
static bool are_woven(const emitter *e)
{
    const kernel *k = e->k;
    int64_t first = 0;
    for (uint32_t i = 0; i < k->n_out; i++) {
        const kernel_output *out = &k->out[i];
        int64_t place, strides[TN_MAX_RANK] = {0};
        const access_expr *to =
            access_offset(out->to, access_extents_of(e->f, out->into), e->memory);
        if (out->into != k->out[0].into || out->is_window || !to ||
            !access_strides(to, k->rank, &place, strides) || strides[k->rank - 1] != k->n_out)
            return false;
        first = i == 0 ? place : first;
        if (place != first + (int64_t)i)
            return false;
    }
    return k->n_out > 1;
}

/* How many lanes of woven vector J there are. */
static loop_value woven_count(const emitter *e, uint32_t j)
{
    loop_builder *b = e->b;
    const loop_value all = loop_binary(b, LOOP_IMUL, e->count, loop_i64(b, e->k->n_out)),
                     before = loop_min(b, all, loop_i64(b, (int64_t)j * e->lanes));
    return loop_min(b, loop_binary(b, LOOP_ISUB, all, before), loop_i64(b, e->lanes));
}

/* Stores X, the outputs, which are vectors, woven into one another. */
static void store_woven(emitter *e, const loop_value *buffers, element *x)
{
    loop_builder *b = e->b;
    const kernel_output *out = &e->k->out[0];
    const tn_dtype d = x[0].dtype;
    const access_expr *to = access_offset(out->to, access_extents_of(e->f, out->into), e->memory);
    if (!to) {
        e->failed = true;
        return;
    }
    loop_value first = emit_expr(e, to).first;
    if (e->moved_to)
        first = loop_binary(b, LOOP_ISUB, first, loop_i64(b, e->moved_to[0]));
    const int64_t bytes = (int64_t)dtype_bytes(d);
    const loop_value p =
        loop_offset(b, buffers[0], loop_binary(b, LOOP_IMUL, first, loop_i64(b, bytes)));
    for (uint32_t i = 0; i < e->k->n_out; i++)
        x[i] = element_splat(b, e->lanes, x[i]);
    for (uint32_t j = 0; j < e->k->n_out; j++) {
        const loop_value at = loop_at(b, p, (int64_t)(j * e->lanes) * bytes);
        const element y = map_woven(b, x, e->k->n_out, j, e->lanes);
        const uint32_t align = (uint32_t)loop_elem_bytes(element_storage(d));
        if (e->count == LOOP_NO_VALUE)
            element_store(b, at, y, align);
        else
            element_store_first(b, at, y, woven_count(e, j), align);
    }
}

void map_body(emitter *e, const loop_value *buffers, bool nontemporal)
{
    const kernel *k = e->k;
    element x[KERNEL_OUTPUTS];
    for (uint32_t i = 0; i < k->n_out; i++) /* before any store: outputs may lie over operands */
        x[i] = emit_value(e, k->out[i].value, k->out[i].from);
    if (e->lanes > 1 && e->vector_axis == k->rank - 1 && are_woven(e)) {
        store_woven(e, buffers, x);
        return;
    }
    for (uint32_t i = 0; i < k->n_out; i++)
        emit_store(e, &k->out[i], buffers[i], x[i],
                   nontemporal && map_may_store_nontemporal(e, &k->out[i]));
}

/* Where the part of a line of output NUMBER begins that the emitter stands at; its buffer, where
 * lines lie alike. */
static loop_value line_of(emitter *e, uint32_t number, loop_value buffer)
{
    const kernel_output *out = &e->k->out[number];
    const type *t = value_type(e->f, out->into);
    const access_expr *to = access_offset(out->to, access_extents_of(e->f, out->into), e->memory);
    if (!e->looks_at_lines || !to)
        return buffer;
    loop_builder *b = e->b;
    const int64_t moved = e->moved_to ? e->moved_to[number] : 0;
    const loop_value first = loop_binary(b, LOOP_ISUB, emit_expr(e, to).first, loop_i64(b, moved));
    const int64_t bytes = (int64_t)dtype_bytes(t->dtype);
    return loop_offset(b, buffer, loop_binary(b, LOOP_IMUL, first, loop_i64(b, bytes)));
}

loop_value map_aligned(emitter *e, const loop_value *buffers)
{
    loop_builder *b = e->b;
    loop_value bits = LOOP_NO_VALUE;
    for (uint32_t i = 0; i < e->k->n_out; i++) {
        if (!map_may_store_nontemporal(e, &e->k->out[i]))
            continue;
        const loop_value address = loop_address(b, line_of(e, i, buffers[i]));
        bits = bits == LOOP_NO_VALUE ? address : loop_binary(b, LOOP_OR, bits, address);
    }
    if (bits == LOOP_NO_VALUE)
        return bits;
    bits = loop_binary(b, LOOP_AND, bits, loop_i64(b, LOOP_ALIGN - 1));
    return loop_binary(b, LOOP_IEQ, bits, loop_i64(b, 0));
}

/* Does K go along rows of a known length? */
static bool has_rows(const kernel *k)
{
    return k->rank > 1 && !nest_is_dynamic(k, k->rank - 1);
}

/* How many lines before they are needed those of operands are fetched: enough that what comes is on
 * its way, of lines that are too short for the hardware to follow each. */
static int64_t lines_ahead(const emitter *e)
{
    enum { SHORT = 256, ON_ITS_WAY = 2048 }; /* elements */
    const kernel *k = e->k;
    const uint32_t last = k->rank - 1;
    if (!has_rows(k) || nest_is_dynamic(k, last - 1) || k->dims[last] > SHORT ||
        nest_cost(e->f, k) > MOST_WAITING)
        return 0;
    const int64_t lines = (ON_ITS_WAY + k->dims[last] - 1) / k->dims[last];
    return lines <= k->dims[last - 1] ? lines : 0;
}

/* The names (loop_size) of the numbers of a line whose extent is dynamic. */
enum { EXTENT = 1, WHOLE, REST };

void map_line(emitter *e, loop_value low, loop_value high, const loop_value *buffers)
{
    loop_builder *b = e->b;
    const uint32_t axis = e->k->rank - 1, lanes = e->lanes;
    const bool is_dynamic = nest_is_dynamic(e->k, axis);
    const int64_t extent = e->k->dims[axis];
    /* Where whatever extent may come, the last vector may be whole. */
    const int64_t rest = is_dynamic ? (extent - 1) % lanes + 1 : extent % lanes;
    const uint32_t mark = emit_mark(e);
    for (uint32_t i = 0; i < e->k->n_out; i++)
        emit_hoist(e, e->k->out[i].value, e->k->out[i].from, UINT32_C(1) << axis);
    const uint32_t inner = emit_mark(e);
    if (is_dynamic || extent >= lanes) {
        loop_value whole = high;
        if (rest) { /* the last positions make no whole vector */
            const loop_value last = nest_number(b, is_dynamic, WHOLE, extent - rest);
            whole = loop_select(b, loop_binary(b, LOOP_ILT, high, last), high, last);
        }
        e->at[axis] = low;
        e->looks_at_lines = is_dynamic && axis > 0 && extent >= LONG_LINE;
        const loop_value aligned = map_aligned(e, buffers);
        for (int nontemporal = aligned != LOOP_NO_VALUE; nontemporal >= 0; nontemporal--) {
            if (nontemporal)
                loop_if(b, aligned);
            e->at[axis] = loop_for(b, low, whole, lanes);
            e->ahead = nontemporal && nest_cost(e->f, e->k) <= MOST_WAITING ? AHEAD : 0;
            e->lines_ahead = lines_ahead(e);
            e->fetches_rows = has_rows(e->k);
            e->row_ahead = lanes;
            map_body(e, buffers, nontemporal);
            e->ahead = e->lines_ahead = 0;
            e->fetches_rows = false;
            emit_forget(e, inner);
            loop_end(b);
            if (nontemporal)
                loop_else(b);
        }
        e->looks_at_lines = false;
        if (aligned != LOOP_NO_VALUE)
            loop_end(b);
    }
    if (rest) {
        loop_if(b, loop_binary(b, LOOP_IEQ, high, nest_number(b, is_dynamic, EXTENT, extent)));
        e->at[axis] = nest_number(b, is_dynamic, WHOLE, extent - rest);
        e->count = nest_number(b, is_dynamic, REST, rest);
        map_body(e, buffers, false);
        e->count = LOOP_NO_VALUE;
        emit_forget(e, inner);
        loop_end(b);
    }
    emit_forget(e, mark);
}

/* Does the last axis depend on sizes, and is it long enough for whole vectors, or the kernel so
 * small that this does not matter? */
static bool is_for_any_length(const kernel *k)
{
    enum { SHORT = 8, FEW = 4096 };
    const uint32_t last = k->rank - 1;
    int64_t rows = 1;
    for (uint32_t i = 0; i < last && rows <= FEW; i++)
        rows *= k->dims[i];
    return nest_is_dynamic(k, last) && (last == 0 || k->dims[last] >= SHORT || rows <= FEW);
}

/* Positions LOW .. HIGH of the last axis, one element after the other, some in each iteration. */
static void map_elements(emitter *e, loop_value low, loop_value high, const loop_value *buffers)
{
    enum { TOGETHER = 8 };
    loop_builder *b = e->b;
    const uint32_t axis = e->k->rank - 1, mark = emit_mark(e);
    for (uint32_t i = 0; i < e->k->n_out; i++)
        emit_hoist(e, e->k->out[i].value, e->k->out[i].from, UINT32_C(1) << axis);
    const uint32_t inner = emit_mark(e);
    const loop_value n = loop_binary(b, LOOP_ISUB, high, low);
    const loop_value rest = loop_binary(b, LOOP_AND, n, loop_i64(b, TOGETHER - 1));
    const loop_value whole = loop_binary(b, LOOP_ISUB, high, rest);
    for (int64_t step = TOGETHER; step > 0; step -= TOGETHER - 1) {
        const loop_value at =
            step > 1 ? loop_for(b, low, whole, step) : loop_for(b, whole, high, 1);
        for (int64_t i = 0; i < step; i++) {
            e->at[axis] = loop_binary(b, LOOP_IADD, at, loop_i64(b, i));
            e->fetches_rows = has_rows(e->k);
            e->row_ahead = i == 0 ? (uint32_t)step : 0;
            map_body(e, buffers, false);
            e->fetches_rows = false;
            emit_forget(e, inner);
        }
        loop_end(b);
    }
    emit_forget(e, mark);
}

/* The axes over which work items go: all but the last, and without the one before where its lines
 * are short and there are enough items without it, since it takes time to see where an item is. */
static uint32_t outer_axes(const kernel *k)
{
    enum { SHORT_LINE = 256, FEWEST = 64, MOST = 4096 };
    const uint32_t last = k->rank - 1;
    int64_t items = 1;
    if (last < 2 || nest_is_dynamic(k, last) || nest_is_dynamic(k, last - 1) ||
        k->dims[last] > SHORT_LINE || k->dims[last] * k->dims[last - 1] > MOST)
        return last;
    for (uint32_t i = 0; i + 1 < last; i++) {
        if (nest_is_dynamic(k,
                            i)) /* one answer for all sizes; an item is little work in any case */
            return last - 1;
        items *= k->dims[i];
    }
    return items < FEWEST ? last : last - 1;
}

/* Has K functions whose operations wait for each other so long that more vectors at once than
 * usual are faster, and ON enough registers for them? */
static bool has_long_chain(const function *f, const kernel *k, const machine *on)
{
    enum { LONG_F64 = 12, LONG_F32 = 100, MANY = 32 };
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        const node *n = &f->nodes.at[k->nodes[i]];
        const tn_dtype d = value_type(f, n->first_value)->dtype;
        const uint32_t cost = op_table[n->op].cost;
        if ((d == TN_F64 && cost >= LONG_F64) || (d == TN_F32 && cost >= LONG_F32))
            return on->registers >= MANY && on->vector_bytes >= LOOP_ALIGN;
    }
    return false;
}

static uint32_t map_lanes(const function *f, const kernel *k, const machine *on)
{
    enum { LONG = 1024 }; /* what is left of a line takes as long as a whole vector */
    const uint32_t last = k->rank - 1;
    const int64_t extent = k->dims[last];
    const uint32_t lanes = nest_lanes(f, k, is_for_any_length(k) ? INT64_MAX : extent);
    return extent >= LONG && has_long_chain(f, k, on) ? 2 * lanes : lanes;
}

/* A loop over the positions. Where elements come from positions that are data and only move,
 * *GATHERS becomes true: instructions that gather take longer than ELEMENTS, one after the other.
 */
static bool of_positions(const function *f, const kernel *k, const nest_options *o, arena *memory,
                         bool elements, nest *out, bool *gathers)
{
    loop_builder b;
    emitter e;
    loop_value buffers[KERNEL_OUTPUTS];
    const int64_t extent = k->dims[k->rank - 1];
    const uint32_t outer = outer_axes(k);
    int64_t rows = 1, items;
    loop_init(&b, memory);
    if (k->n_out > KERNEL_OUTPUTS || !emit_init(&e, &b, f, k, memory))
        return false;
    for (uint32_t i = 0; i < k->n_out; i++)
        buffers[i] = loop_buffer(&b, emit_output_buffer(k, i));
    e.rank = k->rank;
    e.cached = o->on.cached;
    e.vector_axis = k->rank - 1;
    e.lanes = elements ? 1 : map_lanes(f, k, &o->on);
    e.is_checked = nest_is_checked_before(f, k);
    for (uint32_t i = 0; i < outer; i++)
        rows *= k->dims[i];
    nest_step step = {.n_buffers = 0};
    if (k->kind == KERNEL_MAP)
        map_find_overlays(&e, &step);
    if (k->kind == KERNEL_MAP && !map_move_buffers(&e, &step))
        return false;
    void (*const map_some)(emitter *, loop_value, loop_value, const loop_value *) =
        elements ? map_elements : map_line;
    const loop_value begin = loop_param_value(&b, LOOP_BEGIN),
                     end = loop_param_value(&b, LOOP_END_AT);
    if (k->rank == 1) {
        items = (extent + PIECE - 1) / PIECE;
        const loop_value piece = loop_i64(&b, PIECE);
        map_some(
            &e, loop_binary(&b, LOOP_IMUL, begin, piece),
            loop_min(&b, loop_binary(&b, LOOP_IMUL, end, piece), loop_sized(&b, nest_extent(k, 0))),
            buffers);
    } else {
        items = rows;
        const loop_value item = loop_for(&b, begin, end, 1);
        nest_decode(&e, item, outer);
        if (outer + 1 < k->rank)
            e.at[outer] = loop_for(&b, loop_i64(&b, 0), loop_i64(&b, k->dims[outer]), 1);
        if (elements || !map_parts(&e, o, buffers))
            map_some(&e, loop_i64(&b, 0), loop_sized(&b, nest_extent(k, k->rank - 1)), buffers);
        if (outer + 1 < k->rank)
            loop_end(&b);
        loop_end(&b);
    }
    const uint64_t cost = nest_cost(f, k);
    const uint64_t each = cost * (uint64_t)(k->rank == 1 ? PIECE : extent) *
                          (uint64_t)(k->rank > 1 && outer + 1 < k->rank ? k->dims[outer] : 1);
    step.program = e.failed ? NULL : loop_finish_or_fault(&b);
    step.work = items;
    step.grain = nest_grain(each);
    step.how = "a loop over the positions";
    *gathers = e.gathers && e.carries;
    out->steps[0] = step;
    out->n_steps = 1;
    return out->steps[0].program != NULL;
}

static bool of_vectors(const function *f, const kernel *k, const nest_options *o, arena *memory,
                       nest *out, bool *applies)
{
    return nest_of_tiles(f, k, o, memory, out, applies) &&
           (*applies || nest_of_weave(f, k, o, memory, out, applies));
}

/* The same over more axes, where their lines are long enough for vectors. */
static bool of_split(const function *f, const kernel *k, const nest_options *o, arena *memory,
                     nest *out, bool *applies)
{
    enum { LONG = 16 };
    kernel split;
    bool gathers;
    if (!nest_split(f, k, memory, &split, applies))
        return false;
    if (!*applies)
        return true;
    if (!of_vectors(f, &split, o, memory, out, applies))
        return false;
    if (*applies)
        return true;
    *applies = split.dims[split.rank - 1] >= LONG;
    return !*applies || of_positions(f, &split, o, memory, false, out, &gathers);
}

bool nest_of_map(const function *f, const kernel *k, const nest_options *o, arena *memory,
                 nest *out)
{
    bool applies, gathers;
    if (!of_vectors(f, k, o, memory, out, &applies) ||
        (!applies && !of_split(f, k, o, memory, out, &applies)))
        return false;
    return applies || (of_positions(f, k, o, memory, false, out, &gathers) &&
                       (!gathers || of_positions(f, k, o, memory, true, out, &gathers)));
}
