/* The right operand of a contraction packed into panels: for a block of columns, the factors of all
 * products in order, so that the multiplier reads whole vectors sequentially. Columns that do not
 * exist are zeros. Real and imaginary parts are in separate vectors. */
#include "base/memory/checked.h"
#include "loop/contract/pack/packing.h"

enum {
    CHUNK = 256, /* products in a work item */
};

int64_t packing_row_bytes(const problem *p)
{
    return columns_of(p) * p->parts * p->bytes;
}

bool packing_has_rows(const problem *p)
{
    const walk *n = &p->unpacked.n;
    return n->n == 0 ||
           (n->step[n->n - 1] == 1 && (n->n == 1 || n->extent[n->n - 1] % p->lanes == 0));
}

/* A square has many addresses. If LLVM knows how they are related, it takes long to compile. */
static bool has_offsets(const problem *p)
{
    return p->unpacked.n.n > 1 || packing_has_squares(p);
}

loop_value packing_offset(packing *k, loop_value j)
{
    loop_builder *b = k->b;
    if (has_offsets(k->p))
        return loop_load(b, loop_type_of(LOOP_I64, 1),
                         loop_offset(b, k->p->unpacked.offsets, int_times(b, j, 8)), 8);
    const walk *n = &k->p->unpacked.n;
    return int_times_sized(b, int_add(b, k->column, j), n->n ? walk_sized_step(n) : sized_of(1));
}

/* Divided once for the panel, not for each product. Those of columns that do not exist are read
 * only where the number of columns is not known (emit_any_columns): they stand for the last one. */
static void note_offsets(packing *k)
{
    const problem *p = k->p;
    loop_builder *b = k->b;
    const loop_value j = loop_for(b, loop_i64(b, 0), loop_i64(b, columns_of(p)), 1);
    loop_value column = int_add(b, k->column, j);
    if (p->has_dynamic_n) {
        const loop_value n = loop_size(b, SIZE_COLUMNS, p->n);
        column = loop_min(b, column, loop_binary(b, LOOP_ISUB, n, loop_i64(b, 1)));
    }
    loop_store(b, loop_offset(b, p->unpacked.offsets, int_times(b, j, 8)),
               walk_emit(b, &p->unpacked.n, column), 8);
    loop_end(b);
}

loop_value packing_row(packing *k, loop_value i)
{
    loop_builder *b = k->b;
    if (k->first != LOOP_NO_VALUE)
        i = loop_binary(b, LOOP_ISUB, i, k->first);
    return loop_offset(b, k->to, int_times(b, i, packing_row_bytes(k->p)));
}

void packing_put(packing *k, loop_value to, element x, int64_t column)
{
    const problem *p = k->p;
    const uint32_t lanes = element_lanes(k->b, x);
    const uint32_t align = lanes == 1 ? (uint32_t)p->bytes : (uint32_t)p->bytes * lanes;
    loop_store(k->b, loop_at(k->b, to, column * p->bytes), x.re, align);
    if (p->parts == 2)
        loop_store(k->b, loop_at(k->b, to, (columns_of(p) + column) * p->bytes), x.im, align);
}

/* LANES columns from number FIRST of the panel on, as many of them as exist. FROM is where the
 * product begins. */
static element load_some(packing *k, loop_value from, int64_t first)
{
    const problem *p = k->p;
    loop_builder *b = k->b;
    const loop_value left = loop_binary(b, LOOP_ISUB, k->columns, loop_i64(b, first));
    return factors_load_left(b, p, &p->unpacked.from, from, packing_offset(k, loop_i64(b, first)),
                             p->lanes, loop_min(b, left, loop_i64(b, p->lanes)));
}

/* COUNT columns of product number I, side by side in B; -1: as many as K->columns says. */
static void emit_row(packing *k, loop_value i, int64_t count)
{
    const problem *p = k->p;
    loop_builder *b = k->b;
    const loop_value to = packing_row(k, i);
    const loop_value from = int_add(b, k->from, walk_emit(b, &p->unpacked.k, i));
    for (uint32_t v = 0; v < p->nv; v++) {
        const int64_t first = (int64_t)v * p->lanes, left = count - first;
        const loop_value at =
            left > 0 ? int_add(b, from, packing_offset(k, loop_i64(b, first))) : from;
        element x;
        if (count < 0)
            x = load_some(k, from, first);
        else if (left >= p->lanes)
            x = factors_load(b, p, &p->unpacked.from, at, p->lanes, LOOP_NO_VALUE);
        else if (left > 0)
            x = factors_load(b, p, &p->unpacked.from, at, p->lanes, loop_i64(b, left));
        else
            x = element_zero(b, p->form, p->lanes);
        packing_put(k, to, x, first);
    }
}

/* Product I, element by element. */
static void emit_elements(packing *k, loop_value i)
{
    const problem *p = k->p;
    loop_builder *b = k->b;
    const loop_value to = packing_row(k, i);
    const loop_value from = int_add(b, k->from, walk_emit(b, &p->unpacked.k, i));
    const loop_value j = loop_for(b, loop_i64(b, 0), loop_i64(b, columns_of(p)), 1);
    const loop_value here = loop_offset(b, to, int_times(b, j, p->bytes));
    const loop_value column = int_add(b, k->column, j);
    loop_if(b, loop_binary(b, LOOP_ILT, column, columns_size(b, p, SIZE_COLUMNS, p->n)));
    const loop_value offset =
        has_offsets(p) ? loop_load(b, loop_type_of(LOOP_I64, 1),
                                   loop_offset(b, p->unpacked.offsets, int_times(b, j, 8)), 8)
                       : walk_emit(b, &p->unpacked.n, column);
    packing_put(k, here,
                factors_load(b, p, &p->unpacked.from, int_add(b, from, offset), 1, LOOP_NO_VALUE),
                0);
    loop_else(b);
    packing_put(k, here, element_zero(b, p->form, 1), 0);
    loop_end(b);
    loop_end(b);
}

/* Is B packed once, in less time than compiling the code for squares takes? Element by element, one
 * program does for constants of most shapes. */
static bool is_small_constant(const problem *p)
{
    enum { MOST = 1 << 20 };
    int64_t n;
    return p->spec.b_is_constant && mul_i64(p->n, p->k, &n) &&
           mul_i64(n, p->unpacked.own_batch.count, &n) && n <= MOST;
}

/* Products LOW .. HIGH - 1 of a panel with COUNT columns. */
static void emit_chunk(packing *k, loop_value low, loop_value high, int64_t count)
{
    const problem *p = k->p;
    loop_builder *b = k->b;
    if (packing_has_rows(p)) {
        emit_row(k, loop_for(b, low, high, 1), count);
        loop_end(b);
    } else if (packing_has_squares(p) && !is_small_constant(p)) {
        packing_emit_squares(k, low, high, count);
        if (p->has_dynamic_k) {
            emit_elements(k, loop_for(b, packing_whole_squares(k, high), high, 1));
            loop_end(b);
        }
    } else {
        emit_elements(k, loop_for(b, low, high, 1));
        loop_end(b);
    }
}

/* Products LOW .. HIGH - 1 of a panel that may be the last one, of any number of columns. */
static void emit_any_columns(packing *k, loop_value low, loop_value high)
{
    const problem *p = k->p;
    loop_builder *b = k->b;
    if (!packing_has_rows(
            p)) { /* columns that do not exist are looked at, or repeat the last one */
        emit_chunk(k, low, high, columns_of(p));
        return;
    }
    k->columns = loop_binary(b, LOOP_ISUB, loop_size(b, SIZE_COLUMNS, p->n), k->column);
    loop_if(b, loop_binary(b, LOOP_ILT, k->columns, loop_i64(b, columns_of(p))));
    emit_chunk(k, low, high, -1);
    loop_else(b);
    emit_chunk(k, low, high, columns_of(p));
    loop_end(b);
}

void contract_emit_panel(loop_builder *b, problem *p, loop_value from, loop_value panel,
                         loop_value low, loop_value high, loop_value to, loop_value first)
{
    packing k = {.b = b, .p = p, .from = from, .to = to, .first = first, .columns = LOOP_NO_VALUE};
    const int64_t rest = p->n % columns_of(p);
    k.column = int_times(b, panel, columns_of(p));
    if (has_offsets(p))
        note_offsets(&k);
    if (p->has_dynamic_n) {
        emit_any_columns(&k, low, high);
    } else if (rest > 0 && p->panels > 1) {
        loop_if(b, loop_binary(b, LOOP_ILT, panel,
                               loop_sized(b, sized_add(all_panels(p), sized_of(-1)))));
        emit_chunk(&k, low, high, columns_of(p));
        loop_else(b);
        emit_chunk(&k, low, high, rest);
        loop_end(b);
    } else {
        emit_chunk(&k, low, high, rest > 0 ? rest : columns_of(p));
    }
}

/* From now on B is the panels: it has steps along K only, within one panel. */
void contract_use_panels(problem *p)
{
    contract_spec *s = &p->spec;
    p->unpacked.from = p->b;
    p->unpacked.first = s->b_first;
    p->unpacked.first_other = s->b_first_other;
    walk_init(&p->unpacked.batch);
    walk_init(&p->unpacked.own_batch);
    walk_init(&p->unpacked.n);
    walk_init(&p->unpacked.k);
    for (uint32_t i = 0; i < s->n_batch; i++) {
        walk_add(&p->unpacked.batch, axis_extent(&s->batch[i]), axis_b(&s->batch[i]));
        if (s->batch[i].b != 0)
            walk_add(&p->unpacked.own_batch, axis_extent(&s->batch[i]), axis_b(&s->batch[i]));
    }
    for (uint32_t i = 0; i < s->n_n; i++)
        walk_add(&p->unpacked.n, axis_extent(&s->n[i]), axis_b(&s->n[i]));
    for (uint32_t i = 0; i < s->n_k; i++)
        walk_add(&p->unpacked.k, axis_extent(&s->k[i]), axis_b(&s->k[i]));
    sized step = sized_of(columns_of(p) * p->parts), batch = all_panels(p);
    for (uint32_t i = s->n_k; i-- > 0;) {
        s->k[i].b = step.now;
        s->k[i].b_other = step.other;
        step = sized_mul(step, axis_extent(&s->k[i]));
    }
    for (uint32_t i = s->n_batch; i-- > 0;) {
        if (s->batch[i].b == 0)
            continue;
        s->batch[i].b = batch.now; /* counted in panels */
        s->batch[i].b_other = batch.other;
        batch = sized_mul(batch, axis_extent(&s->batch[i]));
    }
    s->b_first = s->b_first_other = 0;
    p->b = (factors){.dtype = p->form, .buffer = CONTRACT_PACKED_B};
}

/* Room for an offset of each column; as much for all small constants, so that they share code. */
static uint64_t offsets_bytes(const problem *p)
{
    enum { USUAL = 256 };
    const uint64_t columns = (uint64_t)columns_of(p);
    return 8 * (is_small_constant(p) && columns < USUAL ? USUAL : columns);
}

void contract_begin_unpacked(loop_builder *b, problem *p)
{
    factors_open(b, &p->unpacked.from);
    if (has_offsets(p))
        p->unpacked.offsets = loop_local(b, offsets_bytes(p));
}

bool contract_pack_b(problem *p, arena *memory, contract_step *step, uint64_t *bytes,
                     const char **fault)
{
    loop_builder b;
    const walk *batch = &p->unpacked.own_batch;
    const int64_t chunks = (p->k + CHUNK - 1) / CHUNK;
    int64_t size;
    if (!mul_i64(packing_row_bytes(p), p->k, &size) || !mul_i64(size, p->panels, &size) ||
        !mul_i64(size, batch->count, &size))
        return false;
    loop_init(&b, memory);
    contract_begin_unpacked(&b, p);
    const loop_value panels = loop_buffer(&b, CONTRACT_PACKED_B);
    const loop_value item =
        loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1);
    /* The number of the panel, over all batches, and which products. */
    const loop_value n_chunks = products_size(&b, p, SIZE_CHUNKS, chunks);
    const loop_value number = p->has_dynamic_k ? loop_binary(&b, LOOP_UDIV, item, n_chunks)
                                               : int_divided(&b, item, chunks);
    const loop_value chunk = p->has_dynamic_k ? loop_binary(&b, LOOP_UREM, item, n_chunks)
                                              : int_modulo(&b, item, chunks);
    const loop_value low = int_times(&b, chunk, CHUNK);
    const loop_value high = loop_min(&b, int_add(&b, low, loop_i64(&b, CHUNK)),
                                     products_size(&b, p, SIZE_PRODUCTS, p->k));
    const loop_value from =
        int_add(&b, walk_emit(&b, batch, before_panels(&b, p, number)),
                loop_sized(&b, (sized){p->unpacked.first, p->unpacked.first_other}));
    contract_emit_panel(&b, p, from, panel_of(&b, p, number), low, high,
                        loop_offset(&b, panels, int_times_sized(&b, number, panel_sized_bytes(p))),
                        LOOP_NO_VALUE);
    loop_end(&b);
    *bytes = (uint64_t)size;
    *step =
        (contract_step){.role = CONTRACT_PACKS_B,
                        .program = loop_finish_or_fault(&b),
                        .is_once = p->spec.b_is_constant,
                        .work = chunks * p->panels * batch->count,
                        .grain = 1 + 65536 / (packing_row_bytes(p) * (p->k < CHUNK ? p->k : CHUNK)),
                        .bytes = 2 * *bytes};
    *fault = b.fault;
    return step->program != NULL;
}
