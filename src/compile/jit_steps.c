/* The steps of kernels: their programs in order, on the buffers of values. */
#include "compile/jit_steps.h"

#include <stdatomic.h>
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
    size_t bytes = 0;
    (void)type_bytes(value_type(b->f, n->first_value), &bytes);
    exe_step s = exe_block_step(b, EXE_COPY, n);
    s.name = "copy";
    s.buffers = both;
    s.n_read = s.n_written = 1;
    s.bytes = bytes;
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
    size_t bytes = 0;
    (void)type_bytes(value_type(f, v), &bytes);
    return bytes > offset ? bytes - offset : 0;
}

uint64_t jit_packed_bytes(const jit_plan *plan)
{
    uint64_t all = 0, each;
    for (uint32_t i = 0; i < plan->m->functions.n; i++) {
        const function_plan *p = &plan->functions[i];
        for (uint32_t k = 0; p->plans && k < p->kernels.n; k++)
            for (uint32_t s = 0; s < p->plans[k].nest.n_steps; s++)
                if (p->plans[k].nest.steps[s].is_once &&
                    (!exe_rounded(p->plans[k].nest.temps[p->plans[k].nest.steps[s].packs], &each) ||
                     __builtin_add_overflow(all, each, &all)))
                    return UINT64_MAX;
    }
    return all;
}

/* BYTES of the memory for what all kernels make of constants: one piece, so that it lies in large
 * pages. NULL when there is none. */
static char *packed_room(jit_steps *j, exe_block *b, uint64_t bytes)
{
    uint64_t rounded;
    if (!exe_rounded(bytes, &rounded))
        return NULL;
    if (!j->room) {
        const uint64_t all = jit_packed_bytes(j->plan);
        j->room = all < PTRDIFF_MAX / 2 ? exe_large(b->t, all) : NULL;
        j->left = j->room ? all : 0;
    }
    if (rounded > j->left)
        return NULL;
    char *at = j->room;
    j->room += rounded;
    j->left -= rounded;
    return at;
}

typedef struct packing {
    exe_kernel *run;
    char **buffers;
    char *scratch;
    uint64_t scratch_each;
    atomic_bool failed;
} packing;

static void pack_share(void *user, int64_t begin, int64_t end, uint32_t worker)
{
    packing *p = user;
    if (p->run(p->buffers, begin, end, p->scratch + worker * p->scratch_each) != 0)
        atomic_store_explicit(&p->failed, true, memory_order_relaxed);
}

/* Bytes into its tensor where buffer number AT of STEP's list begins. */
static uint64_t offset_of(const nest_step *step, uint32_t at)
{
    for (uint32_t i = 0; i < step->n_moved; i++)
        if (step->moved[i].at == at)
            return step->moved[i].bytes;
    return 0;
}

/* Run the packing STEP, number WHICH, of a constant operand now: its result becomes a constant.
 * EXE_NO_BUFFER when that is not possible. */
static exe_buffer pack_constant(jit_steps *j, exe_block *b, const kernel *k,
                                const kernel_plan *plan, uint32_t which)
{
    enum { SECOND = 1 };
    const nest_step *step = &plan->nest.steps[which];
    const node *n = node_of(b->f, k->in[step->buffers[SECOND]]);
    const literal *l = attr_find(n->attrs, KEY_VALUE)->v.literal;
    const uint64_t bytes = plan->nest.temps[step->packs];
    packing p = {.run = j->code[plan->unit[which]]};
    arena memory;
    arena_init(&memory, j->plan->allocator);
    char *buffers[NEST_BUFFERS] = {NULL};
    uint64_t scratch;
    if (exe_rounded(plan->scratch[which], &p.scratch_each) &&
        !__builtin_mul_overflow(p.scratch_each, workers_count(j->workers), &scratch))
        p.scratch = arena_alloc_aligned(&memory, (size_t)scratch, EXE_ALIGN);
    char *packed = p.run && p.scratch && !l->splat && bytes > 0 ? packed_room(j, b, bytes) : NULL;
    bool ok = packed != NULL;
    if (ok) {
        buffers[SECOND] = (char *)(uintptr_t)l->data + offset_of(step, SECOND); /* only read */
        for (uint32_t i = 0; i < step->n_buffers; i++)
            if (step->buffers[i] == emit_buffer_count(k) + step->packs)
                buffers[i] = packed;
        if (plan->n_numbers[which])
            buffers[step->n_buffers] = (char *)(uintptr_t)plan->numbers[which]; /* only read */
        p.buffers = buffers;
        atomic_init(&p.failed, false);
        (void)workers_run(j->workers, 0, pack_share, &p, step->work, step->grain);
        ok = !atomic_load_explicit(&p.failed, memory_order_relaxed);
    }
    arena_release(&memory);
    return ok ? exe_constant(b->t, b->block, packed, bytes) : EXE_NO_BUFFER;
}

/* A buffer of STEP's list becomes its part from where the step begins. */
static void move_buffer(exe_block *b, const kernel *k, const nest_step *step, const nest_move *m,
                        exe_buffer *buffers)
{
    const value_id v = emit_buffer_value(k, step->n_buffers ? step->buffers[m->at] : m->at);
    buffers[m->at] = exe_view(b->t, b->block, buffers[m->at], m->bytes, rest_of(b->f, v, m->bytes));
}

/* What step WHICH reads behind its buffers, as long as the tape lives; NULL without memory. */
static const void *kept_numbers(exe_block *b, const kernel_plan *plan, uint32_t which)
{
    const uint32_t n = plan->n_numbers[which];
    uint64_t *at = ARENA_ARRAY(exe_memory(b->t), uint64_t, n);
    for (uint32_t i = 0; at && i < n; i++)
        at[i] = plan->numbers[which][i];
    return at;
}

static void add_kernel(jit_steps *j, exe_block *b, const kernel *k, const kernel_plan *plan)
{
    const uint32_t n_own = emit_buffer_count(k);
    arena *memory = exe_memory(b->t);
    exe_buffer temps[NEST_TEMPS];
    const char *name = jit_kernel_name(b->f, k, memory);
    for (uint32_t i = 0; i < plan->nest.n_temps; i++)
        temps[i] = exe_temp(b->t, b->block, plan->nest.temps[i]);
    if (k->kind == KERNEL_UPDATE)
        add_copy(b, k);
    for (uint32_t i = 0; i < plan->nest.n_steps; i++) {
        const nest_step *from = &plan->nest.steps[i];
        const exe_buffer packed = from->is_once ? pack_constant(j, b, k, plan, i) : EXE_NO_BUFFER;
        if (packed != EXE_NO_BUFFER) {
            temps[from->packs] = packed;
            continue;
        }
        const uint32_t n = from->n_buffers ? from->n_buffers : n_own + plan->nest.n_temps;
        exe_buffer *buffers = ARENA_ARRAY(memory, exe_buffer, n);
        exe_step s = exe_block_step(b, EXE_KERNEL, &b->f->nodes.at[k->node]);
        if (!buffers || !s.what) {
            exe_fail(b->t);
            return;
        }
        for (uint32_t o = 0; o < n; o++)
            buffers[o] = kernel_buffer(b, k, temps, from->n_buffers ? from->buffers[o] : o,
                                       plan->nest.reads_old);
        for (uint32_t o = 0; o < from->n_moved; o++)
            move_buffer(b, k, from, &from->moved[o], buffers);
        if (plan->n_numbers[i] > 0 && !(s.numbers = kept_numbers(b, plan, i))) {
            exe_fail(b->t);
            return;
        }
        s.name = name;
        s.may_fail = !from->is_checked && contains(from->program, LOOP_FAIL);
        s.polls = contains(from->program, LOOP_POLL);
        s.buffers = buffers;
        s.n_read = from->n_buffers ? from->n_read : k->n_in;
        s.n_written = n - s.n_read;
        s.in_place = (const uint32_t(*)[2])from->in_place;
        s.n_in_place = from->n_in_place;
        s.code = plan->unit[i];
        s.extent = from->work;
        s.grain = from->grain;
        s.scratch = plan->scratch[i];
        s.bytes = from->bytes;
        s.flops = from->flops;
        exe_step_add(b->t, b->block, &s);
    }
}

tn_status jit_add_steps(void *user, exe_block *b)
{
    jit_steps *j = user;
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
            add_kernel(j, b, k, &p->plans[i]);
        if (check)
            check_behind(b, check, i);
    }
    return TN_OK;
}
