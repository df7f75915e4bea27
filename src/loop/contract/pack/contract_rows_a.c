/* The left operand of a convolution written out row by row: what a row of results multiplies lies
 * side by side, in the order of the products, so that the rest is a product of matrices. An element
 * is written as often as windows meet it. */
#include "base/memory/checked.h"
#include "loop/contract/contract_parts.h"

enum {
    NARROW = 15,        /* positions along a row of an image; blocks of rows of results end there */
    MOST_ROWS = 1024,   /* of results */
    FEW_PRODUCTS = 512, /* so that blocks of products are near without this */
    FEW_COLUMNS = 64,   /* uses of what is written */
    SHORT_RUN = 8,      /* elements of the innermost axis */
    /* Where the image itself is better read, as measured with Zen 4: */
    FAR = 4 << 20,       /* bytes of the right operand: more come from afar for each image, ... */
    ENOUGH_RESULTS = 36, /* ... which so many hide */
    FEW_USES = 160,      /* what is written costs more than short blocks */
    ENOUGH_ROWS = 9      /* of two blocks */
};

static bool is_windowed(const contract_spec *s, contract_list list, uint32_t axis)
{
    for (uint32_t i = 0; i < s->n_windows; i++)
        for (uint32_t j = 0; j < s->windows[i].n; j++)
            if (s->windows[i].walkers[j].list == list && s->windows[i].walkers[j].axis == axis)
                return true;
    return false;
}

static bool is_any_dynamic(const contract_axis *axes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (axis_is_dynamic(&axes[i]))
            return true;
    return false;
}

bool contract_may_write_rows(const problem *p)
{
    const contract_spec *s = &p->spec;
    return s->n_windows > 0 && s->n_m > 0 && s->n_k > 0 && p->parts == 1 && !p->a.load &&
           p->a.pair == 0 && !is_any_dynamic(s->batch, s->n_batch) &&
           !is_any_dynamic(s->m, s->n_m) && !is_any_dynamic(s->n, s->n_n) &&
           !is_any_dynamic(s->k, s->n_k) && s->m[s->n_m - 1].extent < NARROW && p->m <= MOST_ROWS &&
           p->k >= FEW_PRODUCTS && p->n >= FEW_COLUMNS && s->k[s->n_k - 1].extent >= SHORT_RUN &&
           !is_windowed(s, CONTRACT_K, s->n_k - 1);
}

/* Are blocks of rows that end with those of the image, and are ROWS at most, quick enough? With
 * many registers short ones are. */
static bool suits_short_blocks(const problem *p, const machine *m, int64_t rows)
{
    const int64_t extent = p->spec.m[p->spec.n_m - 1].extent;
    const int64_t blocks = (extent + rows - 1) / rows;
    const bool has_registers = m->registers > 16;
    if ((double)p->k * (double)p->n * (double)p->bytes > FAR)
        return has_registers && p->m >= ENOUGH_RESULTS && panel_bytes(p) <= m->l2 / 4 * 3;
    return has_registers || p->n <= FEW_USES || 2 * extent >= ENOUGH_ROWS * blocks;
}

bool contract_wants_rows(const problem *p, const machine *m, int64_t rows)
{
    return contract_may_write_rows(p) && !suits_short_blocks(p, m, rows);
}

/* Where an element is in A: its offset without windows, and the coordinate in each window. */
typedef struct place {
    loop_value at;
    loop_value coordinates[CONTRACT_MAX_WINDOWS];
} place;

/* Positions, of which NUMBER is the row-major one, along the first N axes of LIST. */
static void advance(loop_builder *b, const contract_spec *s, const contract_axis *axes, uint32_t n,
                    contract_list list, loop_value number, place *x)
{
    for (uint32_t i = n; i-- > 0;) {
        const loop_value here = i > 0 ? int_modulo(b, number, axes[i].extent) : number;
        number = i > 0 ? int_divided(b, number, axes[i].extent) : number;
        x->at = int_add(b, x->at, int_times(b, here, axes[i].a));
        for (uint32_t w = 0; w < s->n_windows; w++)
            for (uint32_t k = 0; k < s->windows[w].n; k++)
                if (s->windows[w].walkers[k].list == list && s->windows[w].walkers[k].axis == i)
                    x->coordinates[w] = int_add(b, x->coordinates[w],
                                                int_times(b, here, s->windows[w].walkers[k].by));
    }
}

/* COUNT elements that are one step of the innermost axis apart in A, from element FROM (not read
 * where INSIDE is false), to TO. */
static void emit_run(loop_builder *b, const problem *p, loop_value from, loop_value inside,
                     loop_value to)
{
    const contract_axis *inner = &p->spec.k[p->spec.n_k - 1];
    const uint32_t lanes = inner->a == 1 ? p->lanes : 1;
    const int64_t whole = inner->extent / lanes * lanes;
    const element border = packed_border(b, p, lanes);
    const uint32_t align = (uint32_t)p->bytes;
    for (int part = 0; part < 2; part++) { /* vectors, then what is left */
        if (part == 0 ? whole == 0 : whole == inner->extent)
            continue;
        const loop_value i =
            part == 0 ? loop_for(b, loop_i64(b, 0), loop_i64(b, whole), lanes) : loop_i64(b, whole);
        const loop_value count =
            part == 0 ? (loop_value)LOOP_NO_VALUE : loop_i64(b, inner->extent - whole);
        const loop_value here = loop_offset(b, to, int_times(b, i, p->bytes));
        loop_if(b, inside);
        const loop_value at = int_add(b, from, int_times(b, i, inner->a));
        const element x = factors_load(b, p, &p->a, at, lanes, count);
        if (part == 0)
            element_store(b, here, x, align);
        else
            element_store_first(b, here, x, count, align);
        loop_else(b);
        if (part == 0)
            element_store(b, here, border, align);
        else
            element_store_first(b, here, border, count, align);
        loop_end(b);
        if (part == 0)
            loop_end(b);
    }
}

/* Row ITEM of the copy, over the positions of batch and M. */
static void emit_row(loop_builder *b, const problem *p, loop_value item, loop_value row)
{
    const contract_spec *s = &p->spec;
    const int64_t run = s->k[s->n_k - 1].extent;
    place first = {.at = loop_i64(b, s->a_first)};
    for (uint32_t w = 0; w < s->n_windows; w++)
        first.coordinates[w] = loop_i64(b, -s->windows[w].low);
    const loop_value m = int_modulo(b, item, p->m), batch = int_divided(b, item, p->m);
    advance(b, s, s->batch, s->n_batch, CONTRACT_BATCH, batch, &first);
    advance(b, s, s->m, s->n_m, CONTRACT_M, m, &first);
    const loop_value outer = loop_for(b, loop_i64(b, 0), loop_i64(b, p->k / run), 1);
    place x = first;
    advance(b, s, s->k, s->n_k - 1, CONTRACT_K, outer, &x);
    loop_value inside = 0;
    for (uint32_t w = 0; w < s->n_windows; w++) {
        /* 0 <= coordinate < extent as one unsigned comparison */
        const loop_value here =
            loop_binary(b, LOOP_IULT, x.coordinates[w], loop_i64(b, s->windows[w].extent));
        inside = w > 0 ? loop_binary(b, LOOP_AND, inside, here) : here;
        x.at = int_add(b, x.at, int_times(b, x.coordinates[w], s->windows[w].step));
    }
    emit_run(b, p, x.at, inside, loop_offset(b, row, int_times(b, outer, run * p->bytes)));
    loop_end(b);
}

/* Steps along AXES, outermost first, in a dense tensor; *STEP is that of the innermost, and then of
 * what is outside of them. */
static bool lay_out(contract_axis *axes, uint32_t n, int64_t *step)
{
    for (uint32_t i = n; i-- > 0;) {
        axes[i].a = *step;
        if (!mul_i64(*step, axes[i].extent, step))
            return false;
    }
    return true;
}

bool contract_write_rows(problem *p, arena *memory, contract_step *step, uint64_t *bytes,
                         const char **fault)
{
    contract_spec *s = &p->spec;
    const int64_t line = LOOP_ALIGN / p->bytes;
    int64_t row = (p->k + line - 1) / line * line; /* rows begin with lines of memory, ... */
    if (row * p->bytes % 1024 == 0)
        row += line; /* ... which do not fall into few sets of a cache */
    int64_t size = row;
    contract_spec after = *s;
    int64_t products = 1;
    if (!lay_out(after.k, s->n_k, &products) || !lay_out(after.m, s->n_m, &size) ||
        !lay_out(after.batch, s->n_batch, &size) || size > INT64_MAX / 64)
        return false;
    loop_builder b;
    loop_init(&b, memory);
    factors_open(&b, &p->a);
    const loop_value copy = loop_buffer(&b, CONTRACT_PACKED_A);
    const loop_value item =
        loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1);
    emit_row(&b, p, item, loop_offset(&b, copy, int_times(&b, item, row * p->bytes)));
    loop_end(&b);
    *bytes = (uint64_t)size * (uint64_t)p->bytes;
    *step = (contract_step){.role = CONTRACT_PACKS_A,
                            .program = loop_finish_or_fault(&b),
                            .work = p->batch * p->m,
                            .grain = 1 + 65536 / (row * p->bytes),
                            .bytes = 2 * *bytes};
    *fault = b.fault;
    after.n_windows = 0;
    after.a_first = 0;
    *s = after;
    p->a = (factors){.dtype = p->form, .buffer = CONTRACT_PACKED_A};
    return step->program != NULL;
}
