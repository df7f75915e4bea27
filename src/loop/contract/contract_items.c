/* Work items of products whose operands are read in place or in panels: which block of rows meets
 * which panel, in what order, and what is fetched meanwhile. */
#include "loop/contract/contract_multiply.h"

/* Is it worth prefetching the next panel of B during the work on this one? Its rows are short and
 * far apart, so the hardware prefetcher does not see them. */
static bool is_fetched_ahead(const problem *p)
{
    const walk *k = &p->unpacked.k, *n = &p->unpacked.n;
    const int64_t row = columns_of(p) * p->bytes;
    return k->n == 1 && n->n == 1 && n->step[0] == 1 && k->step[0] * p->bytes > 2 * row &&
           !p->unpacked.from.load && p->unpacked.from.dtype == p->form && p->parts == 1 &&
           p->products.n == 1 && p->panels > 1;
}

/* Items are panels. */
static void emit_panel_item(multiplier *g, loop_value item)
{
    problem *p = g->p;
    loop_builder *b = g->b;
    const loop_value panel = int_modulo_sized(b, item, all_panels(p));
    g->batch = int_divided_sized(b, item, all_panels(p));
    const loop_value from =
        int_add(b, walk_emit(b, &p->unpacked.batch, g->batch), loop_i64(b, p->unpacked.first));
    contract_emit_panel(b, p, from, panel, loop_i64(b, 0), loop_i64(b, p->k), g->all_b,
                        LOOP_NO_VALUE);
    multiplier_panel(g, panel);
    if (is_fetched_ahead(p)) {
        const loop_value next =
            loop_min(b, int_add(b, panel, loop_i64(b, 1)), multiplier_last_panel(g));
        const loop_value at = int_add(b, from, int_times(b, next, columns_of(p)));
        const int64_t row = columns_of(p) * p->bytes;
        g->next_row = walk_step(&p->unpacked.k) * p->bytes;
        /* Rows may begin within lines, which this panel has then: the ends of lines are fetched. */
        g->next = loop_at(b, loop_offset(b, p->unpacked.from.base, int_times(b, at, p->bytes)),
                          (row < LOOP_ALIGN ? row : LOOP_ALIGN) - p->bytes);
    }
    g->block = loop_for(b, loop_i64(b, 0), size_of(b, p, SIZE_BLOCKS, p->outer * p->split), 1);
    multiplier_block(g, g->block, panel);
    loop_end(b);
}

/* Each group of blocks reads all panels. Its first block misses the cache for each panel, so it
 * prefetches the next panel meanwhile. BLOCK is the number in the group. */
static void fetch_next_panel(multiplier *g, loop_value block, loop_value panel)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    if (p->b_form != B_PANELS || p->parts == 2 || p->products.n > 1 || p->group < 2 ||
        panels_of(p) == 1 || has_any_order(p))
        return;
    const loop_value is_last = loop_binary(b, LOOP_IEQ, panel, multiplier_last_panel(g));
    g->next_row = columns_of(p) * p->bytes;
    g->next = loop_offset(b, g->b_at,
                          loop_select(b, is_last, loop_i64(b, 0), loop_i64(b, panel_bytes(p))));
    g->block = block;
}

/* The order of emit_item, where the numbers are those of any sizes. */
static void order_of_any(multiplier *g, loop_value item, loop_value *block, loop_value *panel)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const loop_value size = loop_size(b, SIZE_GROUP, p->group);
    const loop_value all =
        loop_binary(b, LOOP_IMUL, size, columns_size(b, p, SIZE_PANELS, p->panels));
    const loop_value group = loop_binary(b, LOOP_UDIV, item, all);
    const loop_value first = loop_binary(b, LOOP_IMUL, group, size);
    const loop_value in = loop_binary(b, LOOP_UREM, item, all);
    const loop_value blocks = loop_size(b, SIZE_BLOCKS, p->outer * p->split);
    /* The last group may have fewer blocks. */
    const loop_value n = loop_min(b, size, loop_binary(b, LOOP_ISUB, blocks, first));
    *panel = loop_binary(b, LOOP_UDIV, in, n);
    *block = int_add(b, first, loop_binary(b, LOOP_UREM, in, n));
}

/* Items are blocks of rows and columns. */
static void emit_item(multiplier *g, loop_value item)
{
    const problem *p = g->p;
    loop_builder *b = g->b;
    const int64_t blocks = p->outer * p->split;
    const sized panels = all_panels(p);
    const bool is_dynamic = p->is_dynamic || has_any_order(p);
    loop_value block, panel, in_group = 0;
    if (is_dynamic && p->batch == 1) {
        g->batch = loop_i64(b, 0);
    } else {
        const loop_value items = is_dynamic ? loop_size(b, SIZE_ITEMS, blocks * p->panels)
                                            : multiplier_panels(g, blocks);
        g->batch = loop_binary(b, LOOP_UDIV, item, items);
        item = loop_binary(b, LOOP_UREM, item, items);
    }
    if (has_any_order(p)) {
        order_of_any(g, item, &block, &panel);
    } else if ((p->group == 1 || panels_of(p) == 1) && p->sides > 1) {
        panel = loop_binary(b, LOOP_UREM, item, multiplier_panels(g, 1));
        block = loop_binary(b, LOOP_UDIV, item, multiplier_panels(g, 1));
    } else if (p->group == 1 || panels_of(p) == 1) {
        panel = int_modulo_sized(b, item, panels);
        block = int_divided_sized(b, item, panels);
    } else if (!p->is_dynamic && p->group >= blocks) {
        block = in_group = int_modulo(b, item, blocks);
        panel = int_divided(b, item, blocks);
    } else {
        /* The last group may have fewer blocks. */
        const loop_value all = multiplier_panels(g, p->group);
        const loop_value group = loop_binary(b, LOOP_UDIV, item, all);
        const loop_value first = int_times(b, group, p->group);
        const loop_value in = loop_binary(b, LOOP_UREM, item, all);
        const loop_value left =
            loop_binary(b, LOOP_ISUB, size_of(b, p, SIZE_BLOCKS, blocks), first);
        const loop_value n = loop_min(b, loop_i64(b, p->group), left);
        panel = loop_binary(b, LOOP_UDIV, in, n);
        in_group = loop_binary(b, LOOP_UREM, in, n);
        block = int_add(b, first, in_group);
    }
    multiplier_panel(g, panel);
    fetch_next_panel(g, in_group, panel);
    multiplier_block(g, block, panel);
}

const loop_program *contract_multiply(problem *p, arena *memory, const char **fault)
{
    sized row_at[64];
    element sums[MULTIPLIER_SUMS];
    loop_builder b;
    multiplier g = {.b = &b, .p = p, .row_at = row_at, .sums = sums, .totals = LOOP_NO_VALUE};
    loop_init(&b, memory);
    g.all_a = loop_buffer(&b, p->a.buffer);
    if (p->packs_inside) {
        contract_begin_unpacked(&b, p);
        g.all_b = loop_scratch(&b, (uint64_t)panel_bytes(p));
    } else {
        g.all_b = loop_buffer(&b, p->b.buffer);
    }
    g.c = p->spec.finish ? 0 : loop_buffer(&b, CONTRACT_C);
    multiplier_begin(&g);
    const loop_value item =
        loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1);
    (p->packs_inside ? emit_panel_item : emit_item)(&g, item);
    loop_end(&b);
    *fault = b.fault;
    return loop_finish_or_fault(&b);
}
