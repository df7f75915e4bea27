/* Contractions: from the axes to a schedule and its programs. */
#include "loop/contract/contract.h"

#include "base/memory/checked.h"
#include "loop/contract/contract_multiply.h"
#include "loop/contract/direct/contract_direct.h"

enum { FAST = 8 /* operations in the time that a byte takes from memory */ };

static uint64_t times3(int64_t a, int64_t b, int64_t c)
{
    return (uint64_t)a * (uint64_t)b * (uint64_t)c;
}

/* What was chosen, by hand or here. */
static contract_schedule chosen(const problem *p, bool sweeps, int64_t group)
{
    static const contract_right rights[] = {
        [B_PANELS] = RIGHT_PANELS, [B_ROWS] = RIGHT_ROWS, [B_COLUMNS] = RIGHT_COLUMNS};
    const int64_t rows = most_rows(p), at_once = rows < p->at_once ? rows : p->at_once;
    return (contract_schedule){.rows = rows,
                               .vectors = sweeps ? contract_sweep_vectors(p) : p->nv,
                               .unroll = sweeps ? contract_sweep_streams(p)
                                                : contract_unroll(p, (uint32_t)at_once, p->nv),
                               .group = group,
                               .left = p->is_im2col                       ? LEFT_IM2COL
                                       : p->has_channels_last             ? LEFT_CHANNELS
                                       : p->a.buffer == CONTRACT_PACKED_A ? LEFT_PACKED
                                                                          : LEFT_IN_PLACE,
                               .right = p->is_tiled       ? RIGHT_TILES
                                        : sweeps          ? RIGHT_SWEPT
                                        : p->packs_inside ? RIGHT_INSIDE
                                                          : rights[p->b_form],
                               .products = p->has_quads   ? PRODUCTS_QUADS
                                           : p->has_pairs ? PRODUCTS_PAIRS
                                                          : PRODUCTS_ANY};
}

int64_t contract_grain(uint64_t operations, int64_t items)
{
    enum { WORTH = 1 << 18 }; /* some 2 us */
    return 1 + (int64_t)(WORTH / (operations / (uint64_t)items + 1));
}

static bool is_swept(const problem *p)
{
    const contract_right wanted = p->spec.wanted.right;
    return wanted == RIGHT_SWEPT ? contract_may_sweep(p) && !has_any_order(p)
                                 : wanted == RIGHT_ANY && contract_can_sweep(p);
}

contract_schedule contract_stage_schedule(const contract_stage *s, int64_t group)
{
    return chosen(&s->p, false, group);
}

/* Of what P->k counts. */
static uint64_t products_of_a_word(const problem *p)
{
    const uint64_t bytes = p->unpacked.from.is_three ? 3 : 4;
    return p->has_quads ? bytes : p->has_pairs ? 2 : 1;
}

/* A program that adds the sums of blocks, of which plan->packed_a_bytes lie between the programs.
 */
static bool add_blocks_later(const problem *p, const loop_program *program, int64_t work,
                             contract_plan *plan)
{
    const uint64_t sums = plan->packed_a_bytes / (uint64_t)p->bytes;
    plan->steps[plan->n_steps++] =
        (contract_step){.role = CONTRACT_ADDS,
                        .program = program,
                        .work = work,
                        .grain = 1 + (int64_t)((1 << 16) * (uint64_t)work / sums),
                        .flops = sums,
                        .bytes = plan->packed_a_bytes};
    return program != NULL;
}

static bool build(problem *p, const machine *m, arena *memory, contract_plan *plan,
                  const char **fault)
{
    const contract_spec *s = &p->spec;
    int64_t rows;
    p->has_any_rows = contract_serves_any_rows(p);
    contract_choose_pairs(p, m);
    if (!contract_choose(p, m, false, memory, plan, &rows, fault))
        return false;
    contract_split_rows(p, rows);
    if (p->is_tiled)
        contract_choose_tiles(p, m);
    else
        contract_choose_order(p, m);

    const uint64_t results = times3(p->batch, p->m, p->n);
    const bool sweeps = is_swept(p);
    p->is_apart = sweeps && plan->packed_a_bytes == 0 && contract_may_sweep_blocks(p);
    const int64_t blocks = p->is_tiled       ? contract_tile_count(p)
                           : p->is_apart     ? contract_sweep_blocks(p)
                           : sweeps          ? contract_sweep_tiles(p)
                           : p->packs_inside ? p->panels
                                             : p->outer * p->split * p->panels;
    contract_step *step = &plan->steps[plan->n_steps++];
    *step = (contract_step){.role = CONTRACT_MULTIPLIES,
                            .program = (p->is_tiled ? contract_tiles
                                        : sweeps    ? contract_sweep
                                                    : contract_multiply)(p, memory, fault),
                            .work = p->batch * blocks,
                            .flops = 2 * products_of_a_word(p) * results * (uint64_t)p->k,
                            .bytes = results * dtype_bytes(s->c) +
                                     times3(p->batch, p->m, p->k) * (uint64_t)(p->bytes) +
                                     times3(p->batch, p->n, p->k) * (uint64_t)(p->bytes)};
    const uint64_t read = contract_is_read_once(p) ? FAST * step->bytes : 0;
    step->grain = contract_grain(read > step->flops ? read : step->flops, step->work);
    plan->schedule = chosen(p, sweeps, p->is_tiled ? p->tiles.blocks : p->group);
    plan->how = p->has_quads            ? "B in panels, products in fours"
                : p->has_pairs          ? "B in panels, products in pairs"
                : p->is_tiled           ? "tiles"
                : sweeps                ? "B swept in place"
                : p->b_form == B_PANELS ? "B in panels"
                : p->b_form == B_ROWS   ? "B in place"
                : p->has_block_pairs    ? "B transposed, two blocks of products at once"
                                        : "B transposed";
    if (!step->program || !p->is_apart)
        return step->program != NULL;
    plan->packed_a_bytes = (uint64_t)blocks * contract_sweep_sum_bytes(p);
    return add_blocks_later(p, contract_sweep_total(p, memory, fault), contract_sweep_tiles(p),
                            plan);
}

static bool build_directly(const contract_spec *s, const machine *on, arena *memory,
                           contract_plan *plan, const char **fault)
{
    int64_t batch, m, n, k, all;
    if (!contract_count_axes(s->batch, s->n_batch, &batch) ||
        !contract_count_axes(s->m, s->n_m, &m) || !contract_count_axes(s->n, s->n_n, &n) ||
        !contract_count_axes(s->k, s->n_k, &k) ||
        !product_i64((const int64_t[]){batch, m, n}, 3, &all))
        return false;
    if (all == 0)
        return true;
    contract_step *step = &plan->steps[plan->n_steps++];
    *step = (contract_step){.role = CONTRACT_MULTIPLIES};
    step->program = contract_direct(s, on, memory, &step->work, fault);
    if (!step->program)
        return false;
    step->flops = 2 * times3(batch, m, n) * (uint64_t)k;
    step->bytes = times3(batch, m, n) * (dtype_bytes(s->c) + dtype_bytes(s->a));
    step->grain = contract_grain(step->flops, step->work);
    plan->how = "directly";
    return true;
}

/* As dots of rows. P has its axes as they are. */
static bool build_dots(problem *p, arena *memory, contract_plan *plan, const char **fault)
{
    const contract_spec *s = &p->spec;
    contract_step *step = &plan->steps[plan->n_steps++];
    p->a_batch = WALK(s->batch, s->n_batch, a);
    p->b_batch = WALK(s->batch, s->n_batch, b);
    p->c_batch = WALK(s->batch, s->n_batch, c);
    p->a_m = WALK(s->m, s->n_m, a);
    p->c_m = WALK(s->m, s->n_m, c);
    walk_init(&p->c_n);
    p->lanes = contract_dot_lanes(p);
    const uint64_t products = times3(p->batch, p->m, p->k);
    *step = (contract_step){.role = CONTRACT_MULTIPLIES,
                            .flops = 2 * products,
                            .bytes = products * (dtype_bytes(s->a) + dtype_bytes(s->b))};
    step->program = contract_dots(p, memory, plan, &step->work, fault);
    if (!step->program)
        return false;
    step->grain = contract_grain(FAST * step->flops, step->work);
    plan->how = "dots of rows";
    return plan->packed_a_bytes == 0 ||
           add_blocks_later(p, contract_dots_total(p, memory, fault), p->batch, plan);
}

bool contract_build(const contract_spec *spec, const machine *on, arena *memory,
                    contract_plan *plan, const char **fault)
{
    problem *p = ARENA_NEW(memory, problem);
    const bool is_dots = contract_is_dots(spec, on);
    *plan = (contract_plan){.how = "nothing to do"};
    *fault = NULL;
    if (contract_is_direct(spec, on))
        return build_directly(spec, on, memory, plan, fault);
    if (!p || !contract_problem_init(p, spec, on))
        return false;
    if (p->batch == 0 || p->m == 0 || p->n == 0)
        return true;
    if (is_dots && p->k > 0 && p->lanes > 1)
        return build_dots(p, memory, plan, fault);
    return build(p, on, memory, plan, fault);
}

const char *contract_how(const contract_plan *plan, uint32_t i)
{
    switch (plan->steps[i].role) {
    case CONTRACT_PACKS_A:
        return plan->steps[i].is_once ? "A into panels, once" : "A into panels";
    case CONTRACT_PACKS_B:
        return plan->steps[i].is_once ? "B into panels, once" : "B into panels";
    case CONTRACT_ADDS:
        return "the sums of the blocks";
    case CONTRACT_MULTIPLIES:
        break;
    }
    return plan->how;
}

/* ---- as a part of a larger program ---- */

contract_stage *contract_stage_new(const contract_spec *spec, const machine *on, arena *memory,
                                   contract_plan *plan, const char **fault)
{
    contract_stage *s = ARENA_NEW(memory, contract_stage);
    *plan = (contract_plan){.how = "blocks of rows"};
    *fault = NULL;
    if (!s || !contract_problem_init(&s->p, spec, on) || s->p.spec.is_transposed)
        return NULL;
    s->p.has_any_rows = contract_serves_any_rows(&s->p);
    s->p.is_stage = true;
    if (!contract_choose(&s->p, on, true, memory, plan, &s->rows, fault))
        return NULL;
    if (s->p.spec.a_in_scratch && s->p.a.buffer != CONTRACT_A)
        return NULL; /* an operand that is made while the program runs cannot be packed before */
    return s;
}

void contract_stage_split(contract_stage *s, int64_t rows)
{
    contract_split_rows(&s->p, rows < s->rows ? rows : s->rows);
}

void contract_stage_split_like(contract_stage *s, const contract_stage *other)
{
    const problem *from = &other->p;
    s->p.outer = from->outer;
    s->p.split = from->split;
    s->p.base = from->base;
    s->p.longer = from->longer;
    s->p.has_one_height = from->has_one_height && !s->p.spec.a_in_scratch;
    s->p.unit = from->unit;
    s->p.is_dynamic = from->is_dynamic;
    s->p.least = from->least;
    s->p.most = from->most;
    s->p.few = from->few;
    s->p.has_any_rows = from->has_any_rows;
    s->p.sides = s->p.side_now = 1;
}
