/* Nests of kernels with reductions: for each row, or for each vector of neighbouring rows, pass
 * after pass over its elements. The order of every sum is that of docs/numerics.md, section 5. */
#include "eval/eval.h"
#include "loop/nest/map.h"
#include "loop/nest/rows_parts.h"

/* ---- one row ---- */

static void reduce_any_block(rows *s, uint32_t pass, const row_part *part, element *results)
{
    if (s->columns)
        rows_reduce_column_block(s, pass, part, results);
    else
        rows_reduce_block(s, pass, part, results);
}

void rows_emit_pass(rows *s, uint32_t pass, element *results)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const uint32_t mark = emit_mark(e);
    s->stored = 0;
    rows_hoist_operands(s, pass);
    if (rows_are_extrema(s, pass)) {
        const row_part all = rows_all(s);
        rows_reduce_extrema(s, pass, &all, results);
    } else if (rows_are_one_block(s)) {
        const row_part all = rows_all(s);
        reduce_any_block(s, pass, &all, results);
    } else {
        const loop_value before = rows_size(s, ROWS_BLOCKS, rows_blocks(s) - 1);
        const loop_value i = loop_for(b, loop_i64(b, 0), before, 1);
        const row_part block = rows_block(s, i);
        reduce_any_block(s, pass, &block, results);
        rows_store_partials(s, pass, i, results);
        loop_end(b);
        const row_part last = rows_last_block(s);
        reduce_any_block(s, pass, &last, results);
        rows_store_partials(s, pass, before, results);
        for (uint32_t r = 0; r < s->n; r++)
            if (s->r[r].pass == pass)
                results[r] = rows_combine_blocks(s, &s->r[r]);
    }
    for (uint32_t i = 0; i < e->n_kept; i++)
        e->kept[i].is_filled = e->kept[i].is_filled || (s->stored >> i & 1);
    emit_forget(e, mark);
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->r[i].pass != pass)
            continue;
        results[i] = rows_finish(s, &s->r[i], results[i]);
        emit_know(e, s->r[i].n->first_value, NULL, results[i]);
    }
}

/* ---- results ---- */

static void store_to_scratch(rows *s, element x)
{
    emitter *e = &s->e;
    const uint32_t align = (uint32_t)loop_elem_bytes(element_storage(x.dtype));
    const loop_value bytes =
        loop_binary(e->b, LOOP_IMUL, e->kept_at, loop_i64(e->b, (int64_t)dtype_bytes(x.dtype)));
    const loop_value to = loop_offset(e->b, s->out[0], bytes);
    x = element_splat(e->b, e->lanes, x);
    if (e->count != LOOP_NO_VALUE)
        element_store_first(e->b, to, x, e->count, align);
    else
        element_store(e->b, to, x, align);
}

void rows_store_vector(rows *s, bool nontemporal)
{
    emitter *e = &s->e;
    const uint32_t mark = emit_mark(e);
    e->kept_at =
        s->columns ? loop_binary(e->b, LOOP_IMUL, e->at[s->axis], loop_i64(e->b, (int64_t)e->lanes))
                   : e->at[s->axis];
    for (uint32_t i = 0; i < s->k->n_out; i++) {
        const kernel_output *out = &s->k->out[i];
        if (rows_is_row_value(s, out))
            continue;
        const element x = emit_value(e, out->value, out->from);
        if (s->in_scratch)
            store_to_scratch(s, x);
        else
            emit_store(e, out, s->out[i], x, nontemporal && map_may_store_nontemporal(e, out));
    }
    emit_forget(e, mark);
}

/* WHOLE elements (i64), which are whole vectors; large results by non-temporal stores if aligned.
 */
static void store_vectors(rows *s, loop_value whole, uint32_t lanes)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const loop_value aligned = s->columns || s->in_scratch ? LOOP_NO_VALUE : map_aligned(e, s->out);
    for (int nontemporal = aligned != LOOP_NO_VALUE; nontemporal >= 0; nontemporal--) {
        if (nontemporal)
            loop_if(b, aligned);
        e->at[s->axis] = loop_for(b, loop_i64(b, 0), whole, lanes);
        rows_store_vector(s, nontemporal);
        loop_end(b);
        if (nontemporal)
            loop_else(b);
    }
    if (aligned != LOOP_NO_VALUE)
        loop_end(b);
}

bool rows_hoist_results(rows *s)
{
    emitter *e = &s->e;
    bool any = false;
    for (uint32_t i = 0; i < s->k->n_out; i++) {
        const kernel_output *out = &s->k->out[i];
        if (rows_is_row_value(s, out))
            continue;
        any = true;
        emit_hoist(e, out->value, out->from,
                   UINT32_C(1) << s->axis | (s->columns ? UINT32_C(1) << e->vector_axis : 0));
    }
    return any;
}

static void store_elements(rows *s)
{
    emitter *e = &s->e;
    const uint32_t lanes = s->columns ? 1 : e->lanes;
    const uint32_t mark = emit_mark(e);
    if (rows_hoist_results(s)) {
        const row_part all = rows_all(s);
        loop_value rest;
        const loop_value whole = rows_whole(s, &all, lanes, &rest);
        if (s->is_dynamic || s->length >= lanes)
            store_vectors(s, whole, lanes);
        if (rest != LOOP_NO_VALUE) {
            const loop_value count = e->count;
            rows_open_rest(s, &all, rest);
            e->at[s->axis] = whole;
            e->count = rest;
            rows_store_vector(s, false);
            e->count = count;
            rows_close_rest(s, &all);
        }
    }
    emit_forget(e, mark);
}

void rows_store_row_values(rows *s)
{
    emitter *e = &s->e;
    const uint32_t lanes = e->lanes;
    if (!s->columns)
        e->lanes = 1;
    e->at[s->axis] = e->kept_at = loop_i64(e->b, 0); /* kept values of rows of one element */
    for (uint32_t i = 0; i < s->k->n_out; i++) {
        const kernel_output *out = &s->k->out[i];
        if (rows_is_row_value(s, out))
            emit_store(e, out, s->out[i], emit_value(e, out->value, out->from), false);
    }
    e->lanes = lanes;
}

void rows_emit_stores(rows *s)
{
    if (!s->stores_early)
        store_elements(s);
    rows_store_row_values(s);
}

void rows_emit_row(rows *s)
{
    element results[KERNEL_REDUCTIONS];
    const uint32_t mark = emit_mark(&s->e);
    for (uint32_t i = 0; i < s->e.n_kept; i++)
        s->e.kept[i].is_filled = s->e.kept[i].is_given;
    for (uint32_t pass = 1; pass <= s->passes; pass++)
        rows_emit_pass(s, pass, results);
    rows_emit_stores(s);
    emit_forget(&s->e, mark);
}

/* ---- the nest ---- */

typedef struct walks {
    const function *f;
    uint32_t row_axis, column_axis;
    bool is_short;                        /* each row: what all columns read alike is nothing */
    uint32_t along_rows, along_columns;   /* reads that step shortly there, */
    uint32_t across_rows, across_columns; /* and those that jump there */
} walks;

/* The stride of E along AXIS; 0: none, or not the same everywhere and for all sizes. Quotients and
 * remainders of other axes do not matter. */
static int64_t stride_along(const access_expr *e, uint32_t axis)
{
    int64_t stride = 0;
    for (uint32_t i = 0; i < e->n; i++)
        if (e->at[i].kind != ACCESS_AXIS && (access_expr_axes(e->at[i].of) >> axis & 1))
            return 0;
        else if (e->at[i].kind == ACCESS_AXIS && e->at[i].axis == axis &&
                 sized_is_fixed((sized){e->at[i].factor, e->at[i].factor_other}))
            stride = e->at[i].factor;
    return stride;
}

/* Are lanes of V with that STRIDE as good as neighbours? Four wide floats in a row are a vector
 * themselves. */
static bool steps_shortly(const function *f, value_id v, int64_t stride)
{
    enum { ROW = 4 };
    const tn_dtype d = value_type(f, v)->dtype;
    const bool is_vector = stride == ROW && (d == TN_F32 || d == TN_F64);
    return emit_steps_shortly(f, v, stride) && !is_vector;
}

static void count_walk(void *user, const access_expr *expr, const emit_read *read)
{
    walks *w = user;
    if (!read || read->v == NO_VALUE)
        return;
    const uint32_t axes = access_expr_axes(expr);
    const bool is_row = stride_along(expr, w->row_axis) == 1;
    const bool is_column = steps_shortly(w->f, read->v, stride_along(expr, w->column_axis));
    w->along_rows += is_row && (!w->is_short || (axes >> w->column_axis & 1));
    w->along_columns += is_column;
    w->across_rows += !is_row && (axes >> w->row_axis & 1 || read->is_by_data);
    w->across_columns += !is_column && (axes >> w->column_axis & 1);
}

/* Vectors lie where fewer reads jump from lane to lane: one that is the same in all lanes costs
 * nothing. */
static bool prefers_columns(rows *s)
{
    enum { SHORT = SUM_LANES }; /* of a row, which would be part of one vector */
    const kernel *k = s->k;
    walks w = {.f = s->e.f, .row_axis = s->axis, .column_axis = s->axis - 1};
    w.is_short = !s->is_dynamic && s->length < SHORT;
    if (s->axis == 0 || s->length == 1 ||
        (k->dims[s->axis - 1] < 8 && !nest_is_dynamic(k, s->axis - 1)))
        return false;
    for (uint32_t i = 0; i < s->n; i++)
        (void)emit_visit_reads(&s->e, s->r[i].n->in[0], k->operands, count_walk, &w);
    if (w.across_columns != w.across_rows)
        return w.across_columns < w.across_rows;
    if (w.along_columns != w.along_rows)
        return w.along_columns > w.along_rows;
    /* a window that moves along a line */
    return w.along_rows > 0 && w.is_short && s->length < k->dims[s->axis - 1];
}

static void note_uneven(void *user, const access_expr *expr, const emit_read *read)
{
    walks *w = user;
    (void)read;
    w->across_rows +=
        (access_expr_axes(expr) >> w->row_axis & 1) && !stride_along(expr, w->row_axis);
}

/* Extrema are formed in any order, unless there are so few that it is not worth finding out where
 * their elements are: those of windows, which have no stride, are found for each row. */
static bool is_any_order(rows *s)
{
    enum { FEW = 256 };
    if (!s->columns || !rows_may_be_any_order(s))
        return false;
    walks w = {.f = s->e.f, .row_axis = s->axis};
    for (uint32_t i = 0; i < s->n; i++)
        (void)emit_visit_reads(&s->e, s->r[i].n->in[0], s->k->operands, note_uneven, &w);
    return w.across_rows == 0 || s->is_dynamic || s->length >= FEW ||
           s->k->dims[s->e.vector_axis] >= FEW;
}

static bool start(rows *s, loop_builder *b, const function *f, const kernel *k,
                  const nest_options *o, arena *memory)
{
    *s = (rows){.k = k, .strip_size = LOOP_NO_VALUE};
    loop_init(b, memory);
    if (k->n_out > KERNEL_OUTPUTS || !emit_init(&s->e, b, f, k, memory))
        return false;
    s->axis = k->rank - 1;
    s->length = k->dims[s->axis];
    s->is_dynamic = nest_is_dynamic(k, s->axis);
    s->e.rank = k->rank;
    s->e.cached = o->on.cached;
    s->has_mask_registers = o->on.level >= LEVEL_AVX512;
    s->e.is_checked = nest_is_checked_before(f, k);
    return rows_find_passes(s);
}

void rows_open_buffers(rows *s)
{
    for (uint32_t i = 0; i < s->k->n_out; i++)
        s->out[i] = loop_buffer(s->e.b, emit_output_buffer(s->k, i));
}

/* The lanes of the law of bits, or fewer where there are fewer elements. */
uint32_t rows_lanes(const rows *s)
{
    uint32_t lanes = SUM_LANES;
    while (!s->is_dynamic && lanes > 1 && (int64_t)lanes / 2 >= s->length)
        lanes /= 2;
    return lanes;
}

/* Does K compute functions of many instructions? Their values need the registers that longer
 * vectors, and elements that are computed side by side, would take. */
bool rows_are_costly(const function *f, const kernel *k)
{
    for (uint32_t i = 0; i < k->n_nodes; i++)
        if (op_is_costly(f->nodes.at[k->nodes[i]].op))
            return true;
    return false;
}

/* Is the code for a column, which computes SUM_LANES elements one after the other and more, long?
 * It takes as much longer to compile as vectors have registers. Where columns are short, they come
 * from a cache, which needs no longer pieces of rows. */
static bool is_long(const rows *s)
{
    enum { CHEAP = 4, SHORT = 256 };
    return !s->is_dynamic && s->length <= SHORT && nest_cost(s->e.f, s->k) > CHEAP;
}

enum { FEW_LANES = 16 };

/* Are the columns side by side known only when the program runs? */
static bool has_any_columns(const rows *s)
{
    return s->columns && nest_is_dynamic(s->k, s->e.vector_axis);
}

/* The lanes of vectors of WIDTH columns. Where columns are short (windows) what is read is near,
 * and longer vectors only take the registers. */
static uint32_t column_lanes(const rows *s, int64_t width)
{
    enum { SHORT = 64 };
    const bool is_short = !s->is_dynamic && s->length <= SHORT;
    uint32_t lanes = nest_lanes(s->e.f, s->k, width);
    if ((s->is_costly || is_long(s)) && lanes > FEW_LANES)
        lanes = FEW_LANES;
    else if (width >= 2 * (int64_t)lanes && !is_short && !(s->is_any_order && rows_notes_nans(s)))
        lanes *= 2; /* longer pieces of each row */
    while (lanes > width)
        lanes /= 2; /* two vectors of which the second begins within the first */
    return lanes;
}

/* Where there is any number of columns, fewer than those of a vector make such vectors, whose last
 * lanes may count for nothing. */
static int64_t narrow_lanes(const rows *s)
{
    return s->e.lanes < FEW_LANES ? s->e.lanes : FEW_LANES;
}

void rows_choose_vectors(rows *s)
{
    emitter *e = &s->e;
    s->is_costly = rows_are_costly(e->f, s->k);
    s->columns = prefers_columns(s);
    e->vector_axis = s->columns ? s->axis - 1 : s->axis;
    const int64_t width = s->k->dims[e->vector_axis];
    const bool any = has_any_columns(s);
    s->stores_early = s->columns && rows_can_store_early(s);
    s->is_any_order = is_any_order(s);
    e->lanes = s->columns ? column_lanes(s, any ? INT64_MAX / 2 : width) : rows_lanes(s);
    s->strip = rows_strip(s, width, e->lanes);
    if (any && width < e->lanes && rows_have_strips(s))
        s->strip = nest_parts(sized_of(width), narrow_lanes(s)).now;
    for (uint32_t i = 0; s->columns && !s->is_any_order && i < s->n; i++)
        rows_use_keys(&s->r[i]);
    if (!s->columns)
        rows_use_short_lanes(s);
}

uint64_t rows_slot_bytes(const rows *s, const reduction *r, int64_t strip)
{
    return dtype_bytes(r->sum) * (s->columns ? s->e.lanes : 1) * (uint64_t)strip;
}

uint64_t rows_places(const rows *s)
{
    return s->is_any_order ? rows_any_order_places() : SUM_LANES;
}

void rows_make_room(rows *s)
{
    loop_builder *b = s->e.b;
    const bool any = has_any_columns(s);
    const int64_t strip = !s->columns ? 1 : any ? rows_most_strip(s) : s->strip;
    const uint64_t places = rows_places(s);
    for (uint32_t i = 0; s->columns && any && i < s->n; i++)
        s->r[i].lanes = loop_scratch(b, rows_slot_bytes(s, &s->r[i], strip) * places);
    for (uint32_t i = 0; i < s->n; i++) {
        reduction *r = &s->r[i];
        const uint64_t size = rows_slot_bytes(s, r, strip);
        if (s->columns && !any)
            r->lanes = loop_scratch(b, size * places);
        if (!rows_are_one_block(s) && !s->is_any_order)
            r->partials =
                loop_sized_scratch(b, sized_mul(sized_of((int64_t)size), rows_sized_blocks(s)));
    }
    rows_keep_room(s);
}

static uint64_t row_cost(const rows *s)
{
    return (uint64_t)nest_cost(s->e.f, s->k) * (uint64_t)s->length;
}

void rows_add_step(rows *s, nest *out, int64_t items, uint64_t each, const char *how)
{
    out->steps[out->n_steps++] =
        (nest_step){.program = s->e.failed ? NULL : loop_finish_or_fault(s->e.b),
                    .work = items,
                    .grain = nest_grain(each),
                    .how = how};
}

/* Work items of one strip of columns for each position of the OUTER axes. Where the columns are not
 * a multiple of the vector, the last one overlaps the one before; it is an item of its own, unless
 * extrema are formed in any order. */
static int64_t emit_columns(rows *s, loop_value begin, loop_value end, uint32_t outer)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const int64_t width = s->k->dims[e->vector_axis], lanes = (int64_t)e->lanes,
                  rest = width % lanes, full = width / lanes + (s->is_any_order && rest);
    const bool is_apart = rest && !s->is_any_order;
    const int64_t strips = (full + s->strip - 1) / s->strip, items = strips + is_apart;
    const loop_value item = loop_for(b, begin, end, 1);
    const loop_value all = loop_i64(b, items), last = loop_i64(b, width - lanes);
    const loop_value strip = loop_binary(b, LOOP_UREM, item, all);
    const loop_value first = loop_binary(b, LOOP_IMUL, strip, loop_i64(b, s->strip));
    nest_decode(e, loop_binary(b, LOOP_UDIV, item, all), outer);
    const loop_value low = loop_binary(b, LOOP_IMUL, first, loop_i64(b, lanes));
    if (s->strip == 1 && !s->is_any_order) {
        e->at[e->vector_axis] = rest ? loop_min(b, low, last) : low;
        rows_emit_row(s);
        loop_end(b);
        return items;
    }
    if (is_apart) {
        loop_if(b, loop_binary(b, LOOP_IEQ, strip, loop_i64(b, strips)));
        const int64_t own = s->strip;
        s->strip = 1;
        e->at[e->vector_axis] = last;
        rows_emit_row(s);
        s->strip = own;
        loop_else(b);
    }
    const loop_value left = loop_binary(b, LOOP_ISUB, loop_i64(b, full), first);
    const rows_columns c = {low, loop_min(b, left, loop_i64(b, s->strip)),
                            rest && !is_apart ? last : (loop_value)LOOP_NO_VALUE};
    rows_reduce_strip(s, &c, rows_store_row_values);
    if (is_apart)
        loop_end(b);
    loop_end(b);
    return items;
}

/* The names (loop_size) of numbers of columns. */
enum {
    COLUMNS = ROWS_LEVELS + 1,
    COLUMN_ITEMS,
    COLUMN_STRIP,
    COLUMN_VECTORS,
    COLUMN_LAST,
    COLUMN_COUNT
};

/* Vectors of columns from number FIRST on, up to LEFT of them, none further than LAST. */
static void emit_any_strip(rows *s, loop_value first, loop_value left, loop_value last)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const loop_value low = loop_binary(b, LOOP_IMUL, first, loop_i64(b, e->lanes));
    if (rows_have_strips(s)) {
        const rows_columns c = {low, loop_min(b, left, s->strip_size), last};
        rows_reduce_strip(s, &c, rows_store_row_values);
    } else {
        e->at[e->vector_axis] = loop_min(b, low, last);
        rows_emit_row(s);
    }
}

/* The same for any number of columns. Where there are enough for a vector, the last one overlaps
 * the one before; fewer make narrow vectors. */
static int64_t emit_any_columns(rows *s, loop_value begin, loop_value end, uint32_t outer)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    const uint32_t wide = e->lanes;
    const int64_t width = s->k->dims[e->vector_axis], narrow = narrow_lanes(s),
                  lanes = width < wide ? narrow : wide;
    const int64_t vectors = (width + lanes - 1) / lanes,
                  items = (vectors + s->strip - 1) / s->strip;
    const loop_value item = loop_for(b, begin, end, 1);
    const loop_value all = loop_size(b, COLUMN_ITEMS, items),
                     last = loop_size(b, COLUMN_LAST, width < lanes ? 0 : width - lanes);
    /* The smaller of it and what it is at most, which is known: so loops over it need no polls. */
    s->strip_size =
        loop_min(b, loop_size(b, COLUMN_STRIP, s->strip), loop_i64(b, rows_most_strip(s)));
    const loop_value first =
        loop_binary(b, LOOP_IMUL, loop_binary(b, LOOP_UREM, item, all), s->strip_size);
    const loop_value left = loop_binary(b, LOOP_ISUB, loop_size(b, COLUMN_VECTORS, vectors), first);
    nest_decode(e, loop_binary(b, LOOP_UDIV, item, all), outer);
    loop_if(b, loop_binary(b, LOOP_ILT, loop_size(b, COLUMNS, width), loop_i64(b, wide)));
    e->lanes = (uint32_t)narrow;
    e->count = loop_size(b, COLUMN_COUNT, width < narrow ? width : narrow);
    emit_any_strip(s, first, left, last);
    e->lanes = wide;
    e->count = LOOP_NO_VALUE;
    loop_else(b);
    emit_any_strip(s, first, left, last);
    loop_end(b);
    loop_end(b);
    return items;
}

static bool whole_rows_as_started(rows *s, nest *out)
{
    emitter *e = &s->e;
    loop_builder *b = e->b;
    int64_t items = 1;
    rows_open_buffers(s);
    rows_choose_vectors(s);
    rows_plan_kept(s);
    rows_make_room(s);
    const uint32_t outer = s->columns ? s->axis - 1 : s->axis;
    for (uint32_t i = 0; i < outer; i++)
        items *= s->k->dims[i];
    const loop_value begin = loop_param_value(b, LOOP_BEGIN),
                     end = loop_param_value(b, LOOP_END_AT);
    uint64_t each = row_cost(s);
    if (rows_can_pipeline(s, items)) {
        rows_emit_pipeline(s, begin, end);
        rows_add_step(s, out, items, each, "pipelined rows");
        out->steps[0].grain = rows_pipeline_grain(out->steps[0].grain);
        return out->steps[0].program != NULL;
    }
    if (!s->columns) {
        const bool is_fast = !s->is_dynamic && rows_may_be_streams(s);
        const loop_value first = is_fast ? rows_emit_streams(s, begin, end) : begin;
        nest_decode(e, loop_for(b, first, end, 1), outer);
        rows_emit_row(s);
        loop_end(b);
        rows_add_step(s, out, items, each, "row by row");
        return out->steps[0].program != NULL;
    }
    items *= has_any_columns(s) ? emit_any_columns(s, begin, end, outer)
                                : emit_columns(s, begin, end, outer);
    each *= e->lanes * (uint64_t)s->strip;
    rows_add_step(s, out, items, each, "columns side by side");
    return out->steps[0].program != NULL;
}

static bool whole_rows(rows *s, const nest_options *o, nest *out, arena *memory)
{
    const nest empty = *out;
    if (whole_rows_as_started(s, out))
        return true;
    *out = empty; /* one after the other, where values depend on each other in other ways */
    if (!start(s, s->e.b, s->e.f, s->k, o, memory))
        return false;
    s->is_sequential = true;
    return whole_rows_as_started(s, out);
}

bool nest_of_rows(const function *f, const kernel *k, const nest_options *o, arena *memory,
                  nest *out)
{
    loop_builder b;
    rows *s = ARENA_NEW(memory, rows);
    if (!s || !start(s, &b, f, k, o, memory))
        return false;
    if (!k->is_split || s->n != 1) {
        rows_open_buffers(s);
        rows_choose_vectors(s);
        const bool is_apart = rows_may_split_strips(s);
        if (is_apart && !rows_split_strips(s, out))
            return false;
        if (!start(s, &b, f, k, o, memory))
            return false;
        return is_apart ? rows_split_strip_results(s, out) : whole_rows(s, o, out, memory);
    }
    kernel flat;
    bool is_narrow;
    if (!nest_flatten(f, k, s->r[0].n->in[0], memory, &flat, &is_narrow))
        return false;
    if (is_narrow) {
        if (!start(s, &b, f, &flat, o, memory) || !rows_split_columns(s, out, k->dims[0]) ||
            !start(s, &b, f, k, o, memory))
            return false;
        rows_use_keys(&s->r[0]);
        return rows_split_results(s, out);
    }
    if (!rows_split_blocks(s, out) || !start(s, &b, f, k, o, memory))
        return false;
    return rows_split_results(s, out);
}
