/* A dense copy of the left operand of a contraction: converted, with the border of a convolution,
 * and with rows padded so that they do not fall into few sets of a cache. */
#include "base/memory/checked.h"
#include "loop/contract/contract_parts.h"

/* One axis of A in memory; the axes of batch, M and K that walk it. */
typedef struct memory_axis {
    int64_t step;        /* in A */
    int64_t extent;      /* in the copy */
    int64_t first;       /* A's coordinate at the copy's 0 */
    int64_t low, high;   /* the copy's coordinates that exist in A */
    int64_t new_step;    /* in the copy */
    contract_axis *user; /* of one step each; NULL: those of the window */
    const contract_window *window;
} memory_axis;

typedef struct memory_axes {
    uint32_t n;
    memory_axis at[3 * CONTRACT_MAX_AXES];
} memory_axes;

contract_axis *window_axis(contract_spec *s, const contract_window *w, uint32_t i)
{
    contract_axis *const lists[] = {
        [CONTRACT_BATCH] = s->batch, [CONTRACT_M] = s->m, [CONTRACT_N] = s->n, [CONTRACT_K] = s->k};
    return &lists[w->walkers[i].list][w->walkers[i].axis];
}

/* The furthest coordinate of a window; low <= that + 1. */
static int64_t window_last(contract_spec *s, const contract_window *w)
{
    int64_t last = -w->low;
    for (uint32_t i = 0; i < w->n; i++)
        last += (window_axis(s, w, i)->extent - 1) * w->walkers[i].by;
    return last;
}

bool window_has_border(contract_spec *s, const contract_window *w)
{
    return w->low > 0 || window_last(s, w) >= w->extent;
}

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static void add_plain(memory_axes *list, contract_axis *axes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (axes[i].a != 0 && axes[i].extent > 1)
            list->at[list->n++] = (memory_axis){.step = axes[i].a,
                                                .extent = axes[i].extent,
                                                .high = axes[i].extent,
                                                .user = &axes[i]};
}

static int64_t size_of_step(const memory_axis *x)
{
    return x->step < 0 ? -x->step : x->step;
}

/* In the order of memory: the shortest steps last. */
static void collect(problem *p, memory_axes *list)
{
    contract_spec *s = &p->spec;
    list->n = 0;
    add_plain(list, s->batch, s->n_batch);
    add_plain(list, s->m, s->n_m);
    add_plain(list, s->k, s->n_k);
    for (uint32_t i = 0; i < s->n_windows; i++) {
        const contract_window *w = &s->windows[i];
        const int64_t extent = window_last(s, w) + w->low + 1;
        list->at[list->n++] = (memory_axis){.step = w->step,
                                            .extent = extent,
                                            .first = -w->low,
                                            .low = clamp(w->low, 0, extent),
                                            .high = clamp(w->extent + w->low, 0, extent),
                                            .window = w};
    }
    for (uint32_t i = 1; i < list->n; i++)
        for (uint32_t j = i; j > 0 && size_of_step(&list->at[j]) > size_of_step(&list->at[j - 1]);
             j--) {
            const memory_axis x = list->at[j];
            list->at[j] = list->at[j - 1];
            list->at[j - 1] = x;
        }
}

/* The innermost part of the copy, contiguous there and in A, where neighbours are UNIT elements
 * apart: LENGTH elements, of which LOW .. HIGH - 1 are A's. */
typedef struct row {
    uint32_t outer; /* axes outside of it */
    int64_t length, low, high, step;
} row;

enum { SHORT_ROW = 64, LONG_ROW = 8192 };

static row find_row(const memory_axes *list, const factors *a)
{
    const int64_t unit = factors_unit(a);
    row r = {.outer = list->n, .length = 1, .high = 1, .step = 1};
    while (r.outer > 0) {
        const memory_axis *x = &list->at[r.outer - 1];
        const bool is_first = r.outer == list->n;
        if (a->load && !is_first)
            break; /* computed operands come in vectors along one axis */
        const bool is_whole = r.low == 0 && r.high == r.length;
        int64_t both;
        if (!mul_i64(r.length, x->extent, &both))
            break;
        const bool is_wanted = x->window ? both <= LONG_ROW : r.length < SHORT_ROW;
        if (!is_first && !(is_whole && is_wanted && r.step == unit && x->step == r.length * unit))
            break;
        if (is_first)
            r.step = x->step;
        r.low = x->low * r.length;
        r.high = x->high * r.length;
        r.length = both;
        r.outer--;
    }
    return r;
}

/* Steps in the copy, and its size in elements; false on overflow. */
static bool lay_out(memory_axes *list, const row *r, int64_t bytes, int64_t *size)
{
    int64_t step = 1;
    for (uint32_t i = list->n; i-- > 0;) {
        memory_axis *x = &list->at[i];
        x->new_step = step;
        if (!mul_i64(step, x->extent, &step))
            return false;
        if (i == r->outer && i > 0 && step * bytes >= 256) {
            /* Rows are aligned to cache lines, and padded so that they do not fall into few sets of
             * a cache. */
            const int64_t line = LOOP_ALIGN / bytes;
            step = (step + line - 1) / line * line;
            if (step * bytes % 1024 == 0)
                step += line;
        }
    }
    *size = step;
    return step <= INT64_MAX / 64;
}

static void use_copy(problem *p, const memory_axes *list)
{
    contract_spec *s = &p->spec;
    for (uint32_t i = 0; i < list->n; i++)
        if (!list->at[i].window)
            list->at[i].user->a = list->at[i].new_step;
    for (uint32_t i = 0; i < list->n; i++) {
        const contract_window *w = list->at[i].window;
        for (uint32_t k = 0; w && k < w->n; k++)
            window_axis(s, w, k)->a += list->at[i].new_step * w->walkers[k].by;
    }
    s->n_windows = 0;
    s->a_first = 0;
    p->a = (factors){.dtype = p->form, .buffer = CONTRACT_PACKED_A};
}

/* Zeros to the elements LOW .. HIGH - 1 of the row at TO. */
static void emit_zeros(loop_builder *b, const problem *p, loop_value to, int64_t low, int64_t high)
{
    const int64_t bytes = p->bytes * p->parts;
    const element zeros = packed_zero(b, p, p->lanes);
    const int64_t whole = low + (high - low) / p->lanes * p->lanes;
    if (low < whole) {
        const loop_value i = loop_for(b, loop_i64(b, low), loop_i64(b, whole), p->lanes);
        element_store(b, loop_offset(b, to, int_times(b, i, bytes)), zeros, (uint32_t)p->bytes);
        loop_end(b);
    }
    if (whole < high)
        element_store_first(b, loop_at(b, to, whole * bytes), zeros, loop_i64(b, high - whole),
                            (uint32_t)p->bytes);
}

/* The elements of A from FROM (which belongs to place LOW) to LOW .. HIGH - 1 of the row at TO. */
static void emit_copy(loop_builder *b, const problem *p, const row *r, loop_value from,
                      loop_value to)
{
    const int64_t bytes = p->bytes * p->parts, n = r->high - r->low;
    const uint32_t lanes = r->step == factors_unit(&p->a) ? p->lanes : 1;
    const int64_t whole = n / lanes * lanes;
    to = loop_at(b, to, r->low * bytes);
    if (whole > 0) {
        const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, whole), lanes);
        const loop_value at = int_add(b, from, int_times(b, i, r->step));
        const element x = factors_load(b, p, &p->a, at, lanes, LOOP_NO_VALUE);
        element_store(b, loop_offset(b, to, int_times(b, i, bytes)), x, (uint32_t)p->bytes);
        loop_end(b);
    }
    if (whole < n) {
        const loop_value left = loop_i64(b, n - whole);
        const loop_value at = int_add(b, from, loop_i64(b, whole * r->step));
        const element x = factors_load(b, p, &p->a, at, lanes, left);
        element_store_first(b, loop_at(b, to, whole * bytes), x, left, (uint32_t)p->bytes);
    }
}

/* Fill row number ITEM of the copy at the address COPY. */
static void emit_row(loop_builder *b, const problem *p, const memory_axes *list, const row *r,
                     loop_value copy, loop_value item)
{
    const int64_t bytes = p->bytes * p->parts;
    loop_value from = loop_i64(b, p->spec.a_first), to = loop_i64(b, 0), inside = 0;
    bool is_guarded = false;
    for (uint32_t i = r->outer; i-- > 0;) {
        const memory_axis *x = &list->at[i];
        const loop_value at = i > 0 ? int_modulo(b, item, x->extent) : item;
        item = i > 0 ? int_divided(b, item, x->extent) : item;
        from = int_add(b, from, int_times(b, at, x->step));
        from = int_add(b, from, loop_i64(b, x->first * x->step));
        to = int_add(b, to, int_times(b, at, x->new_step * bytes));
        if (x->low > 0 || x->high < x->extent) {
            /* low <= at < high as one unsigned comparison */
            const loop_value here = loop_binary(b, LOOP_IULT, int_add(b, at, loop_i64(b, -x->low)),
                                                loop_i64(b, x->high - x->low));
            inside = is_guarded ? loop_binary(b, LOOP_AND, inside, here) : here;
            is_guarded = true;
        }
    }
    for (uint32_t i = r->outer; i < list->n; i++) { /* the row begins at its place LOW */
        const memory_axis *x = &list->at[i];
        from = int_add(b, from, loop_i64(b, (x->first + x->low) * x->step));
    }
    const loop_value at = loop_offset(b, copy, to);
    if (is_guarded)
        loop_if(b, inside);
    if (r->high > r->low) {
        emit_zeros(b, p, at, 0, r->low);
        emit_copy(b, p, r, from, at);
        emit_zeros(b, p, at, r->high, r->length);
    } else {
        emit_zeros(b, p, at, 0, r->length);
    }
    if (is_guarded) {
        loop_else(b);
        emit_zeros(b, p, at, 0, r->length);
        loop_end(b);
    }
}

bool contract_pack_a(problem *p, arena *memory, contract_step *step, uint64_t *bytes,
                     const char **fault)
{
    memory_axes list;
    int64_t size, rows = 1;
    loop_builder b;
    collect(p, &list);
    const row r = find_row(&list, &p->a);
    if (!lay_out(&list, &r, p->bytes * p->parts, &size))
        return false;
    for (uint32_t i = 0; i < r.outer; i++)
        rows *= list.at[i].extent;
    loop_init(&b, memory);
    factors_open(&b, &p->a);
    const loop_value copy = loop_buffer(&b, CONTRACT_PACKED_A);
    const loop_value item =
        loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1);
    emit_row(&b, p, &list, &r, copy, item);
    loop_end(&b);
    const int64_t row_bytes = r.length * p->bytes * p->parts;
    *bytes = (uint64_t)size * (uint64_t)(p->bytes * p->parts);
    *step = (contract_step){.role = CONTRACT_PACKS_A,
                            .program = loop_finish_or_fault(&b),
                            .work = rows,
                            .grain = 1 + 65536 / row_bytes,
                            .bytes = 2 * *bytes};
    *fault = b.fault;
    use_copy(p, &list);
    return step->program != NULL;
}
