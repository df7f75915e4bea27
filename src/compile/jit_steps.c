/* The steps of kernels: their programs in order, on the buffers of values. */
#include "compile/jit_steps.h"

#include <string.h>

#include "compile/check.h"

/* The operand of an update that the result is a changed copy of. */
static value_id old_of(const exe_block *b, const kernel *k)
{
    return b->f->nodes.at[k->node].in[0];
}

static exe_buffer kernel_buffer(exe_block *b, const kernel *k, const exe_buffer *temps,
                                uint32_t number, bool reads_old)
{
    if (number < k->n_in && k->kind == KERNEL_UPDATE && !reads_old &&
        exe_block_value(b, k->in[number]) == exe_block_value(b, old_of(b, k)))
        return exe_block_value(b, b->f->nodes.at[k->node].first_value);
    const value_id v = emit_buffer_value(k, number);
    if (v != NO_VALUE)
        return exe_block_value(b, v);
    if (k->draws && number + 1 == emit_buffer_count(k))
        return exe_block_seed(b, &b->f->nodes.at[k->node]);
    return temps[number - emit_buffer_count(k)];
}

/* Copy what an update does not change, unless the result may take the operand's place. */
static void add_copy(exe_block *b, const kernel *k)
{
    static const uint32_t in_place[][2] = {{0, 1}};
    const node *n = &b->f->nodes.at[k->node];
    const exe_buffer both[] = {exe_block_value(b, old_of(b, k)),
                               exe_block_value(b, n->first_value)};
    exe_step s = exe_block_step(b, EXE_COPY, n);
    s.name = "copy";
    s.buffers = both;
    s.n_read = s.n_written = 1;
    s.bytes = type_known_bytes(value_type(b->f, n->first_value));
    s.in_place = in_place;
    s.n_in_place = 1;
    exe_step_add(b->t, b->block, &s);
}

static bool contains(const loop_program *p, loop_op op)
{
    for (uint32_t v = 0; v < p->n; v++)
        if (p->at[v].op == op)
            return true;
    return false;
}

/* The bytes of V from OFFSET on. */
static uint64_t rest_of(const function *f, value_id v, uint64_t offset)
{
    const size_t bytes = type_known_bytes(value_type(f, v));
    return bytes > offset ? bytes - offset : 0;
}

/* A buffer of STEP's list becomes its part from where the step begins. */
static void move_buffer(exe_block *b, const kernel *k, const nest_step *step, const nest_move *m,
                        exe_buffer *buffers)
{
    const value_id v = emit_buffer_value(k, step->n_buffers ? step->buffers[m->at] : m->at);
    buffers[m->at] = exe_view(b->t, b->block, buffers[m->at], m->bytes, rest_of(b->f, v, m->bytes));
}

/* What the step MADE reads behind its buffers, as long as the tape lives; NULL without memory. */
static const void *kept_numbers(exe_block *b, const step_plan *made)
{
    uint64_t *at = ARENA_ARRAY(exe_memory(b->t), uint64_t, made->n_numbers);
    for (uint32_t i = 0; at && i < made->n_numbers; i++)
        at[i] = made->numbers[i];
    return at;
}

/* Step I of the kernel K, on the values of K and on TEMPS. False without memory. */
static bool add_step(exe_block *b, const kernel *k, const kernel_plan *plan, uint32_t i,
                     const exe_buffer *temps, const char *name)
{
    const nest_step *from = &plan->nest->steps[i];
    const step_plan *made = &plan->steps[i];
    const uint32_t n =
        from->n_buffers ? from->n_buffers : emit_buffer_count(k) + plan->nest->n_temps;
    exe_buffer *buffers = ARENA_ARRAY(exe_memory(b->t), exe_buffer, n);
    exe_step s = exe_block_step(b, EXE_KERNEL, &b->f->nodes.at[k->node]);
    if (!buffers || !s.what)
        return false;
    for (uint32_t o = 0; o < n; o++)
        buffers[o] = kernel_buffer(b, k, temps, from->n_buffers ? from->buffers[o] : o,
                                   plan->nest->reads_old);
    for (uint32_t o = 0; o < from->n_moved; o++)
        move_buffer(b, k, from, &made->moved[o], buffers);
    if (made->n_numbers > 0 && !(s.numbers = kept_numbers(b, made)))
        return false;
    s.name = name;
    s.may_fail = !from->is_checked && contains(made->program, LOOP_FAIL);
    s.polls = contains(made->program, LOOP_POLL);
    s.buffers = buffers;
    s.n_read = from->n_buffers ? from->n_read : k->n_in;
    s.n_written = n - s.n_read;
    s.in_place = (const uint32_t(*)[2])from->in_place;
    s.n_in_place = from->n_in_place;
    s.code = made->unit;
    s.extent = from->work;
    s.grain = from->grain;
    s.scratch = made->scratch;
    s.bytes = from->bytes;
    s.flops = from->flops;
    exe_step_add(b->t, b->block, &s);
    return true;
}

static void add_kernel(exe_block *b, const kernel *k, const kernel_plan *plan)
{
    exe_buffer temps[NEST_TEMPS];
    const char *name = jit_kernel_name(b->f, k, exe_memory(b->t));
    for (uint32_t i = 0; i < plan->nest->n_temps; i++)
        temps[i] = exe_temp(b->t, b->block, plan->nest->temps[i]);
    if (k->kind == KERNEL_UPDATE)
        add_copy(b, k);
    for (uint32_t i = 0; i < plan->nest->n_steps; i++) {
        const uint32_t packs = plan->nest->steps[i].packs;
        if (plan->steps[i].packed) {
            temps[packs] =
                exe_constant(b->t, b->block, plan->steps[i].packed, plan->nest->temps[packs]);
        } else if (!add_step(b, k, plan, i, temps, name)) {
            exe_fail(b->t);
            return;
        }
    }
}

tn_status jit_add_steps(void *user, exe_block *b)
{
    const jit_steps *j = user;
    const function_plan *p = NULL;
    for (uint32_t i = 0; i < j->plan->m->functions.n; i++)
        if (j->plan->functions[i].f == b->f)
            p = &j->plan->functions[i];
    if (!p || !p->plans)
        return exe_reference_steps(NULL, b);
    value_id *same_as = ARENA_ARRAY(exe_memory(b->t), value_id, b->f->values.n);
    if (!same_as)
        return TN_ERR_NOMEM;
    memcpy(same_as, p->kernels.same_as, b->f->values.n * sizeof *same_as);
    if (!exe_block_begin(b, same_as))
        return TN_ERR_NOMEM;
    const check_block *check = j->checks ? check_before(b, p, j->plan) : NULL;
    if (j->checks && !check)
        return TN_ERR_NOMEM;
    for (uint32_t i = 0; i < p->kernels.n; i++) {
        const kernel *k = &p->kernels.at[i];
        b->kernel = 1 + i;
        if (p->plans[i].by_reference)
            exe_block_reference(b, &b->f->nodes.at[k->node]);
        else
            add_kernel(b, k, &p->plans[i]);
        if (check)
            check_behind(b, check, i);
    }
    return TN_OK;
}
