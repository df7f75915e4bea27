/* A dense copy of the left operand of a contraction: converted, with the border of a convolution,
 * and with rows padded so that they do not fall into few sets of a cache. */
#include "base/memory/checked.h"
#include "loop/contract/pack/packing.h"

/* One axis of A in memory; the axes of batch, M and K that walk it. */
typedef struct memory_axis {
    sized step;          /* in A */
    sized extent;        /* in the copy */
    sized first;         /* A's coordinate at the copy's 0 */
    sized low, high;     /* the copy's coordinates that exist in A */
    sized new_step;      /* in the copy */
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
static sized window_last(contract_spec *s, const contract_window *w)
{
    sized last = {-w->low, other_mul(-1, w->low_other)};
    for (uint32_t i = 0; i < w->n; i++) {
        const sized by = {w->walkers[i].by, w->walkers[i].by_other};
        const sized extent = axis_extent(window_axis(s, w, i));
        last = sized_add(last, sized_mul(sized_add(extent, sized_of(-1)), by));
    }
    return last;
}

bool window_has_border(contract_spec *s, const contract_window *w)
{
    return w->low > 0 || window_last(s, w).now >= w->extent;
}

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

static sized clamp_to(sized x, sized high)
{
    return (sized){clamp(x.now, 0, high.now), clamp(x.other, 0, high.other)};
}

static void add_plain(memory_axes *list, contract_axis *axes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (axes[i].a != 0 && axes[i].extent > 1)
            list->at[list->n++] = (memory_axis){.step = axis_a(&axes[i]),
                                                .extent = axis_extent(&axes[i]),
                                                .high = axis_extent(&axes[i]),
                                                .user = &axes[i]};
}

static int64_t size_of_step(const memory_axis *x)
{
    return x->step.now < 0 ? -x->step.now : x->step.now;
}

/* The axis of USER becomes the innermost one. */
static void put_last(memory_axes *list, const contract_axis *user)
{
    uint32_t at = 0;
    while (at + 1 < list->n && list->at[at].user != user)
        at++;
    const memory_axis x = list->at[at];
    for (; at + 1 < list->n; at++)
        list->at[at] = list->at[at + 1];
    list->at[at] = x;
}

bool contract_copies_once(const problem *p)
{
    return p->spec.a_is_constant && p->spec.n_windows == 0 && p->parts == 1 && !p->a.load &&
           p->a.pair == 0;
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
        const sized low = {w->low, w->low_other}, all = {w->extent, w->extent_other};
        const sized extent = sized_add(sized_add(window_last(s, w), low), sized_of(1));
        list->at[list->n++] = (memory_axis){.step = {w->step, w->step_other},
                                            .extent = extent,
                                            .first = sized_mul(low, sized_of(-1)),
                                            .low = clamp_to(low, extent),
                                            .high = clamp_to(sized_add(all, low), extent),
                                            .window = w};
    }
    for (uint32_t i = 1; i < list->n; i++)
        for (uint32_t j = i; j > 0 && size_of_step(&list->at[j]) > size_of_step(&list->at[j - 1]);
             j--) {
            const memory_axis x = list->at[j];
            list->at[j] = list->at[j - 1];
            list->at[j - 1] = x;
        }
    if (p->has_channels_last)
        put_last(list, &s->k[s->n_k - 1]);
    /* What is copied once may as well have the order in which it is read. */
    for (uint32_t i = 0; contract_copies_once(p) && i < s->n_k; i++)
        if (s->k[i].a != 0 && s->k[i].extent > 1)
            put_last(list, &s->k[i]);
}

/* The innermost part of the copy, contiguous there and in A, where neighbours are UNIT elements
 * apart: LENGTH elements, of which LOW .. HIGH - 1 are A's. */
typedef struct row {
    uint32_t outer; /* axes outside of it */
    sized length, low, high, step;
} row;

enum { SHORT_ROW = 64, LONG_ROW = 8192 };

/* Positions side by side, with all of their channels. */
static row find_positions(const memory_axes *list)
{
    const memory_axis *x = &list->at[list->n - 2], *channels = &list->at[list->n - 1];
    return (row){.outer = list->n - 2,
                 .length = sized_mul(x->extent, channels->extent),
                 .low = sized_mul(x->low, channels->extent),
                 .high = sized_mul(x->high, channels->extent),
                 .step = channels->step};
}

static row find_row(const memory_axes *list, const factors *a)
{
    const int64_t unit = factors_unit(a);
    row r = {.outer = list->n, .length = {1, 1}, .high = {1, 1}, .step = {1, 1}};
    while (r.outer > 0) {
        const memory_axis *x = &list->at[r.outer - 1];
        const bool is_first = r.outer == list->n;
        if (a->load && !is_first)
            break; /* computed operands come in vectors along one axis */
        const bool is_whole = r.low.now == 0 && r.high.now == r.length.now;
        int64_t both;
        if (!mul_i64(r.length.now, x->extent.now, &both))
            break;
        /* A row of any length stands alone. */
        const bool is_short = sized_is_fixed(r.length) && r.length.now < SHORT_ROW;
        const bool is_wanted = x->window ? both <= LONG_ROW : is_short;
        if (!is_first && !(is_whole && is_wanted && factors_are_side_by_side(a, r.step.now) &&
                           x->step.now == r.length.now * unit))
            break;
        if (is_first)
            r.step = x->step;
        r.low = sized_mul(x->low, r.length);
        r.high = sized_mul(x->high, r.length);
        r.length = sized_mul(r.length, x->extent);
        r.outer--;
    }
    return r;
}

/* STEP elements, or a line more where parts that are STEP apart fall into few sets of a cache. */
static int64_t spread(int64_t step, int64_t bytes)
{
    const bool is_few = step <= INT64_MAX / 2 / bytes && step * bytes % 1024 == 0;
    return is_few ? step + LOOP_ALIGN / bytes : step;
}

/* The elements from row to row of STEP elements: rows are aligned to cache lines, and padded so
 * that they do not fall into few sets of a cache. */
static int64_t padded(int64_t step, int64_t bytes)
{
    const int64_t line = LOOP_ALIGN / bytes;
    return spread(step > INT64_MAX / 2 / bytes ? step : (step + line - 1) / line * line, bytes);
}

enum { LEAST_PADDED = 256 }; /* bytes */

/* Steps in the copy, and its size in elements; false on overflow. */
static bool lay_out(memory_axes *list, const row *r, int64_t bytes, int64_t *size)
{
    sized step = sized_of(1);
    for (uint32_t i = list->n; i-- > 0;) {
        memory_axis *x = &list->at[i];
        x->new_step = step;
        step.other = other_mul(step.other, x->extent.other);
        if (!mul_i64(step.now, x->extent.now, &step.now))
            return false;
        const bool is_any = !sized_is_fixed(step);
        if (i > 0 && i <= r->outer && (is_any || step.now * bytes >= LEAST_PADDED)) {
            int64_t (*const pad)(int64_t, int64_t) = i == r->outer ? padded : spread;
            step.now = pad(step.now, bytes);
            step.other = pad(step.other, bytes);
            step = is_any ? sized_apart(step) : step;
        }
    }
    *size = step.now;
    return step.now <= INT64_MAX / 64;
}

static void use_copy(problem *p, const memory_axes *list)
{
    contract_spec *s = &p->spec;
    for (uint32_t i = 0; i < list->n; i++)
        if (!list->at[i].window) {
            list->at[i].user->a = list->at[i].new_step.now;
            list->at[i].user->a_other = list->at[i].new_step.other;
        }
    for (uint32_t i = 0; i < list->n; i++) {
        const contract_window *w = list->at[i].window;
        for (uint32_t k = 0; w && k < w->n; k++) {
            const sized by = {w->walkers[k].by, w->walkers[k].by_other};
            contract_axis *x = window_axis(s, w, k);
            const sized a = sized_add(axis_a(x), sized_mul(list->at[i].new_step, by));
            x->a = a.now;
            x->a_other = a.other;
        }
    }
    s->n_windows = 0;
    s->a_first = s->a_first_other = 0;
    p->a = (factors){.dtype = p->form, .buffer = CONTRACT_PACKED_A};
}

/* So many of N elements make whole vectors. */
static sized whole_vectors(sized n, uint32_t lanes)
{
    const sized whole = sized_mul(sized_div(n, sized_of(lanes)), sized_of(lanes));
    return sized_is_fixed(n) ? whole : sized_apart(whole);
}

/* The border to the elements LOW .. HIGH - 1 of the row at TO. */
static void emit_border(loop_builder *b, const problem *p, loop_value to, sized low, sized high)
{
    const int64_t bytes = p->bytes * p->parts;
    const element border = packed_border(b, p, p->lanes);
    const sized n = sized_add(high, sized_mul(low, sized_of(-1)));
    const sized vectors = whole_vectors(n, p->lanes);
    const sized whole = sized_add(low, vectors);
    if (low.now < whole.now) {
        const loop_value i = loop_for(b, loop_sized(b, low), loop_sized(b, whole), p->lanes);
        element_store(b, loop_offset(b, to, int_times(b, i, bytes)), border, (uint32_t)p->bytes);
        loop_end(b);
    }
    if (whole.now < high.now)
        element_store_first(b, int_behind(b, to, sized_mul(whole, sized_of(bytes))), border,
                            loop_sized(b, sized_add(n, sized_mul(vectors, sized_of(-1)))),
                            (uint32_t)p->bytes);
}

/* The elements of A from FROM (which belongs to place LOW) to LOW .. HIGH - 1 of the row at TO. */
static void emit_copy(loop_builder *b, const problem *p, const row *r, loop_value from,
                      loop_value to)
{
    const int64_t bytes = p->bytes * p->parts;
    const sized n = sized_add(r->high, sized_mul(r->low, sized_of(-1)));
    const uint32_t lanes = factors_are_side_by_side(&p->a, r->step.now) ? p->lanes : 1;
    const bool is_any = !sized_is_fixed(n); /* then none are left out, though there may be none */
    const sized whole = lanes == 1 ? n : whole_vectors(n, lanes);
    to = int_behind(b, to, sized_mul(r->low, sized_of(bytes)));
    if (is_any || whole.now > 0) {
        const loop_value i = loop_for(b, loop_i64(b, 0), loop_sized(b, whole), lanes);
        const loop_value at = int_add(b, from, int_times_sized(b, i, r->step));
        const element x = factors_load(b, p, &p->a, at, lanes, LOOP_NO_VALUE);
        element_store(b, loop_offset(b, to, int_times(b, i, bytes)), x, (uint32_t)p->bytes);
        loop_end(b);
    }
    if (lanes > 1 && (is_any || whole.now < n.now)) {
        const sized rest = sized_add(n, sized_mul(whole, sized_of(-1)));
        const loop_value left = loop_sized(b, is_any ? sized_apart(rest) : rest);
        const element x = factors_load_left(b, p, &p->a, from,
                                            loop_sized(b, sized_mul(whole, r->step)), lanes, left);
        element_store_first(b, int_behind(b, to, sized_mul(whole, sized_of(bytes))), x, left,
                            (uint32_t)p->bytes);
    }
}

/* The same where channels are transposed. */
static void emit_channels(loop_builder *b, const problem *p, const memory_axes *list,
                          loop_value from, loop_value to)
{
    const memory_axis *x = &list->at[list->n - 2], *channels = x + 1;
    const packing_positions all = {
        .width = sized_add(x->high, sized_mul(x->low, sized_of(-1))),
        .channels = channels->extent.now,
        .step = channels->step,
    };
    to = int_behind(b, to, sized_mul(x->low, sized_of(all.channels * p->bytes)));
    packing_copy_channels(b, p, &all, from, to);
}

/* Fill row number ITEM of the copy at the address COPY. */
static void emit_row(loop_builder *b, const problem *p, const memory_axes *list, const row *r,
                     loop_value copy, loop_value item)
{
    const int64_t bytes = p->bytes * p->parts;
    loop_value from = loop_sized(b, (sized){p->spec.a_first, p->spec.a_first_other}),
               to = loop_i64(b, 0), inside = 0;
    bool is_guarded = false;
    for (uint32_t i = r->outer; i-- > 0;) {
        const memory_axis *x = &list->at[i];
        const loop_value extent = loop_sized(b, x->extent);
        const loop_value at = i > 0 ? loop_binary(b, LOOP_UREM, item, extent) : item;
        item = i > 0 ? loop_binary(b, LOOP_UDIV, item, extent) : item;
        from = int_add(b, from, int_times_sized(b, at, x->step));
        from = int_add(b, from, loop_sized(b, sized_mul(x->first, x->step)));
        to = int_add(b, to, int_times_sized(b, at, sized_mul(x->new_step, sized_of(bytes))));
        if (x->low.now > 0 || x->high.now < x->extent.now) {
            /* low <= at < high as one unsigned comparison */
            const sized before = sized_mul(x->low, sized_of(-1));
            const loop_value here = loop_binary(b, LOOP_IULT, int_add(b, at, loop_sized(b, before)),
                                                loop_sized(b, sized_add(x->high, before)));
            inside = is_guarded ? loop_binary(b, LOOP_AND, inside, here) : here;
            is_guarded = true;
        }
    }
    for (uint32_t i = r->outer; i < list->n; i++) { /* the row begins at its place LOW */
        const memory_axis *x = &list->at[i];
        from = int_add(b, from, loop_sized(b, sized_mul(sized_add(x->first, x->low), x->step)));
    }
    const loop_value at = loop_offset(b, copy, to);
    if (is_guarded)
        loop_if(b, inside);
    const sized none = sized_of(0);
    if (r->high.now > r->low.now) {
        emit_border(b, p, at, none, r->low);
        if (p->has_channels_last)
            emit_channels(b, p, list, from, at);
        else
            emit_copy(b, p, r, from, at);
        emit_border(b, p, at, r->high, r->length);
    } else {
        emit_border(b, p, at, none, r->length);
    }
    if (is_guarded) {
        loop_else(b);
        emit_border(b, p, at, none, r->length);
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
    const row r = p->has_channels_last ? find_positions(&list) : find_row(&list, &p->a);
    if (!lay_out(&list, &r, p->bytes * p->parts, &size))
        return false;
    for (uint32_t i = 0; i < r.outer; i++)
        rows *= list.at[i].extent.now;
    loop_init(&b, memory);
    factors_open(&b, &p->a);
    const loop_value copy = loop_buffer(&b, CONTRACT_PACKED_A);
    const loop_value item =
        loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1);
    emit_row(&b, p, &list, &r, copy, item);
    loop_end(&b);
    const int64_t row_bytes = r.length.now * p->bytes * p->parts;
    *bytes = (uint64_t)size * (uint64_t)(p->bytes * p->parts);
    *step = (contract_step){.role = CONTRACT_PACKS_A,
                            .program = loop_finish_or_fault(&b),
                            .is_once = p->spec.a_is_constant,
                            .work = rows,
                            .grain = 1 + 65536 / row_bytes,
                            .bytes = 2 * *bytes};
    *fault = b.fault;
    use_copy(p, &list);
    return step->program != NULL;
}
