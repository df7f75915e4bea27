/* Single results of many products: a lane has the chain of a block of 256 of these, and the sums of
 * the blocks are added in order. */
#include "loop/contract/contract_dots.h"

enum { NEAR = 256 << 10 }; /* bytes of each operand, which stay in the caches of a core */

bool dots_are_apart(const problem *p)
{
    return p->k * p->bytes > NEAR;
}

/* ---- how many ---- */

static int64_t chains_of(const dots *d)
{
    return (int64_t)d->nv * d->p->lanes;
}

/* The blocks of products behind those that fill all chains, and the products behind blocks. */
static int64_t last_blocks(const dots *d)
{
    return d->p->k / CONTRACT_BLOCK % chains_of(d);
}

static int64_t rest_of(const dots *d)
{
    return d->p->k % CONTRACT_BLOCK;
}

/* Times that blocks fill all chains. */
static int64_t groups_of(const dots *d)
{
    return d->p->k / CONTRACT_BLOCK / chains_of(d);
}

static bool has_end(const dots *d)
{
    return last_blocks(d) > 0 || rest_of(d) > 0;
}

int64_t dots_items(const dots *d)
{
    return groups_of(d) + has_end(d);
}

/* Bytes of what is stored for each item: its chains, and that of the products behind blocks. */
static int64_t bytes_of_group(const dots *d)
{
    return chains_of(d) * d->p->bytes;
}

uint64_t dots_sum_bytes(const dots *d)
{
    return (uint64_t)((groups_of(d) + 1) * bytes_of_group(d) + d->p->bytes);
}

/* ---- sums ---- */

/* The sums of the first COUNT chains are stored, or join the total, in order. */
static void keep_sums(dots *d, uint32_t count)
{
    const problem *p = d->p;
    loop_builder *b = d->b;
    for (uint32_t v = 0; v < d->nv && d->sums_at != LOOP_NO_VALUE; v++)
        element_store(b, loop_at(b, d->sums_at, (int64_t)v * p->lanes * p->bytes),
                      element_get(b, d->sums[v]), (uint32_t)p->bytes);
    if (d->sums_at != LOOP_NO_VALUE)
        return;
    element all = element_get(b, d->total);
    for (uint32_t i = 0; i < count; i++) {
        const element sum = element_get(b, d->sums[i / p->lanes]);
        all = element_combine(b, FOLD_SUM, all, element_lane(b, sum, i % p->lanes));
    }
    element_set(b, d->total, all);
}

/* CHAIN is that behind COUNT others. */
static void keep_chain(dots *d, uint32_t count, element chain)
{
    loop_builder *b = d->b;
    const element x = element_get(b, chain);
    if (d->sums_at != LOOP_NO_VALUE)
        element_store(b, loop_at(b, d->sums_at, count * d->p->bytes), x, (uint32_t)d->p->bytes);
    else
        element_set(b, d->total, element_combine(b, FOLD_SUM, element_get(b, d->total), x));
}

/* ---- blocks ---- */

/* The chains begin at the first products of the result's first MOST blocks; those of blocks that do
 * not exist repeat the last one. */
static void point_chains(dots *d, int64_t most)
{
    for (uint32_t i = 0; i < chains_of(d); i++) {
        const int64_t block = i < most ? i : most - 1;
        const loop_value at = loop_i64(d->b, block * CONTRACT_BLOCK);
        d->a_at[i] = dots_behind(d, &d->p->a, d->g.a, at);
        d->b_at[i] = dots_behind(d, &d->p->b, d->g.b_at, at);
    }
}

/* What is fetched during the products from number K (i64) of the blocks on, the first of which
 * begins at FIRST: a part of as many blocks behind them, in the order of memory. The chains are
 * more streams than the hardware follows. */
static void fetch_next(dots *d, const factors *from, loop_value start, loop_value first,
                       loop_value k)
{
    const problem *p = d->p;
    loop_builder *b = d->b;
    const int64_t chains = chains_of(d), bytes = (int64_t)dtype_bytes(from->dtype);
    if (!dots_are_apart(p) || from->load)
        return;
    const loop_value next = int_add(b, first, loop_i64(b, chains * CONTRACT_BLOCK));
    const loop_value at = dots_behind(d, from, start, int_add(b, next, int_times(b, k, chains)));
    for (int64_t i = 0; i < chains * p->lanes * bytes; i += LOOP_ALIGN)
        loop_prefetch_far(b, loop_at(b, at, i));
}

/* Blocks of all chains, the first of which begins at product FIRST. */
static void add_group(dots *d, loop_value first)
{
    loop_builder *b = d->b;
    dots_start_sums(d);
    const loop_value k = loop_for(b, loop_i64(b, 0), loop_i64(b, CONTRACT_BLOCK), d->p->lanes);
    fetch_next(d, &d->p->a, d->g.a, first, k);
    fetch_next(d, &d->p->b, d->g.b_at, first, k);
    dots_add_products(d, int_add(b, first, k), d->p->lanes);
    loop_end(b);
    keep_sums(d, (uint32_t)chains_of(d));
}

/* COUNT products of a single chain, from product K (i64) on. */
static void add_to_chain(dots *d, element chain, loop_value k, uint32_t count)
{
    const problem *p = d->p;
    loop_builder *b = d->b;
    element sum = element_get(b, chain);
    for (uint32_t i = 0; i < count; i++) {
        const loop_value at = int_add(b, k, loop_i64(b, i));
        const element x =
            factors_load_at(b, p, &p->a, dots_behind(d, &p->a, d->g.a, at), 1, LOOP_NO_VALUE);
        const element y =
            factors_load_at(b, p, &p->b, dots_behind(d, &p->b, d->g.b_at, at), 1, LOOP_NO_VALUE);
        sum = contract_product(p, b, x, y, sum);
    }
    element_set(b, chain, sum);
}

/* The blocks behind groups, and the products behind blocks, of which the chain is computed beside
 * the others. */
static void add_end(dots *d)
{
    loop_builder *b = d->b;
    const uint32_t lanes = d->p->lanes, count = (uint32_t)last_blocks(d);
    const int64_t rest = rest_of(d), even = rest - rest % lanes;
    const int64_t first = groups_of(d) * chains_of(d) * CONTRACT_BLOCK,
                  behind = first + (int64_t)count * CONTRACT_BLOCK;
    const loop_value start = loop_i64(b, first);
    const element chain = element_var(b, element_zero(b, d->p->form, 1));
    point_chains(d, count > 0 ? count : 1);
    dots_start_sums(d);
    loop_value k = loop_for(b, loop_i64(b, 0), loop_i64(b, even), lanes);
    if (count > 0)
        dots_add_products(d, int_add(b, start, k), lanes);
    add_to_chain(d, chain, int_add(b, loop_i64(b, behind), k), lanes);
    loop_end(b);
    if (count > 0) {
        k = loop_for(b, loop_i64(b, even), loop_i64(b, CONTRACT_BLOCK), lanes);
        dots_add_products(d, int_add(b, start, k), lanes);
        loop_end(b);
        keep_sums(d, count);
    }
    if (rest > 0) {
        add_to_chain(d, chain, loop_i64(b, behind + even), (uint32_t)(rest % lanes));
        keep_chain(d, count, chain);
    }
}

/* ---- the programs ---- */

static void find_operands(dots *d, loop_value batch)
{
    const problem *p = d->p;
    loop_builder *b = d->b;
    d->g.a = dots_place(d, &p->a,
                        int_add(b, walk_emit(b, &p->a_batch, batch), loop_i64(b, p->spec.a_first)));
    d->g.b_at = dots_place(
        d, &p->b, int_add(b, walk_emit(b, &p->b_batch, batch), loop_i64(b, p->spec.b_first)));
}

static void begin_total(dots *d, loop_value batch)
{
    loop_builder *b = d->b;
    d->g.batch = batch;
    d->g.c_batch = int_add(b, walk_emit(b, &d->p->c_batch, batch), loop_i64(b, d->p->spec.c_first));
    d->total = element_var(b, dots_start_of_total(d, 1));
}

static void finish_total(dots *d)
{
    const loop_value zero = loop_i64(d->b, 0);
    contract_finish_vector(&d->g, element_get(d->b, d->total), zero, zero, LOOP_NO_VALUE);
}

void dots_emit_batch(dots *d, loop_value batch)
{
    loop_builder *b = d->b;
    const int64_t size = chains_of(d) * CONTRACT_BLOCK;
    find_operands(d, batch);
    begin_total(d, batch);
    if (groups_of(d) > 0) {
        point_chains(d, chains_of(d));
        add_group(d, loop_for(b, loop_i64(b, 0), loop_i64(b, groups_of(d) * size), size));
        loop_end(b);
    }
    if (has_end(d))
        add_end(d);
    finish_total(d);
}

void dots_emit_blocks(dots *d, loop_value item)
{
    loop_builder *b = d->b;
    const loop_value items = loop_i64(b, dots_items(d));
    const loop_value batch = loop_binary(b, LOOP_UDIV, item, items),
                     group = loop_binary(b, LOOP_UREM, item, items);
    find_operands(d, batch);
    d->sums_at = loop_offset(b, d->sums_at, int_times(b, batch, (int64_t)dots_sum_bytes(d)));
    d->sums_at = loop_offset(b, d->sums_at, int_times(b, group, bytes_of_group(d)));
    if (has_end(d)) {
        loop_if(b, loop_binary(b, LOOP_IEQ, group, loop_i64(b, groups_of(d))));
        add_end(d);
        loop_else(b);
    }
    point_chains(d, chains_of(d));
    add_group(d, int_times(b, group, chains_of(d) * CONTRACT_BLOCK));
    if (has_end(d))
        loop_end(b);
}

void dots_emit_total(dots *d, loop_value batch)
{
    loop_builder *b = d->b;
    const int64_t bytes = d->p->bytes, blocks = (d->p->k + CONTRACT_BLOCK - 1) / CONTRACT_BLOCK;
    const loop_value sums =
        loop_offset(b, d->sums_at, int_times(b, batch, (int64_t)dots_sum_bytes(d)));
    begin_total(d, batch);
    const loop_value i = loop_for(b, loop_i64(b, 0), loop_i64(b, blocks), 1);
    const loop_value at = loop_offset(b, sums, int_times(b, i, bytes));
    const element x = element_load(b, d->p->form, at, 1, (uint32_t)bytes);
    element_set(b, d->total, element_combine(b, FOLD_SUM, element_get(b, d->total), x));
    loop_end(b);
    finish_total(d);
}
