/* From a module to an executable. */
#include "compile/jit_executable.h"

#include <string.h>

#include "eval/kernels/kernels.h"
#include "eval/kernels/stream.h"
#include "graph/literal.h"
#include "ops/node_facts.h"

/* ---- running a node ---- */

exe_host *const host_calls[CALL_COUNT] = {[CALL_REFERENCE] = host_reference,
                                          [CALL_SEED] = host_seed,
                                          [CALL_JUDGE] = host_judge,
                                          [CALL_COMPARE] = host_compare};

tn_status host_reference(const void *what, char *const *buffers, void *host)
{
    const step_origin *o = what;
    jit_host *h = host;
    const uint32_t n_in = o->n->n_in, n_out = o->n->n_results;
    tensor *all = ARENA_ARRAY(&h->scratch, tensor, (size_t)n_in + n_out);
    if (!all)
        return TN_ERR_NOMEM;
    for (uint32_t k = 0; k < n_in; k++)
        all[k] = (tensor){value_type(o->f, o->n->in[k]), buffers[k]};
    for (uint32_t k = 0; k < n_out; k++)
        all[n_in + k] = (tensor){value_type(o->f, o->n->first_value + k), buffers[n_in + k]};
    eval_call call = {.run = h->run,
                      .function = o->f,
                      .node = o->n,
                      .attrs = o->n->attrs,
                      .in = all,
                      .n_in = n_in,
                      .out = all + n_in,
                      .n_out = n_out,
                      .scratch = &h->scratch};
    const tn_status s = op_kernels[o->n->op](&call);
    arena_reset(&h->scratch);
    return s;
}

/* ---- values ---- */

static uint64_t bytes_of(const function *f, value_id v)
{
    size_t bytes = SIZE_MAX; /* too large for any buffer */
    (void)type_bytes(value_type(f, v), &bytes);
    return bytes;
}

static value_id root_of(const exe_block *b, value_id v)
{
    while (b->same_as[v] != v)
        v = b->same_as[v];
    return v;
}

value_id *exe_plain_aliases(const function *f, arena *memory)
{
    value_id *same = ARENA_ARRAY(memory, value_id, f->values.n);
    for (value_id v = 0; same && v < f->values.n; v++) {
        const node *n = node_of(f, v);
        same[v] = op_kernels[n->op] == eval_copy ? n->in[0] : v;
    }
    return same;
}

static void add_copy(exe_block *b, const node *n, exe_buffer from, exe_buffer to, uint64_t bytes)
{
    const exe_buffer both[] = {from, to};
    exe_step s = exe_block_step(b, EXE_COPY, n);
    s.name = "copy";
    s.buffers = both;
    s.n_read = s.n_written = 1;
    s.bytes = bytes;
    exe_step_add(b->t, b->block, &s);
}

bool exe_block_begin(exe_block *b, const value_id *same_as)
{
    const function *f = b->f;
    arena *a = exe_memory(b->t);
    b->same_as = same_as;
    b->buffer = ARENA_ARRAY(a, exe_buffer, f->values.n);
    b->parameter = ARENA_ARRAY(a, uint32_t, f->values.n);
    if (!same_as || !b->buffer || !b->parameter)
        return false;
    memset(b->buffer, 0xff, f->values.n * sizeof *b->buffer);
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        const value_id v = f->inputs.at[i];
        b->parameter[v] = 1 + i;
        b->buffer[v] = exe_input(b->t, b->block, i, bytes_of(f, v));
    }
    for (uint32_t k = 0; k < f->outputs.n; k++) {
        const value_id v = root_of(b, f->outputs.at[k]);
        if (b->parameter[v])
            exe_pass(b->t, b->block, k, b->parameter[v] - 1);
        else if (b->buffer[v] == EXE_NO_BUFFER && node_of(f, v)->op != OP_CONSTANT)
            b->buffer[v] = exe_output(b->t, b->block, k, bytes_of(f, v));
    }
    return true;
}

/* Copy to outputs what has its memory elsewhere. */
static void finish_outputs(exe_block *b)
{
    const function *f = b->f;
    bool *filled = ARENA_ARRAY(exe_memory(b->t), bool, f->values.n);
    if (!filled)
        exe_fail(b->t);
    for (uint32_t k = 0; filled && k < f->outputs.n; k++) {
        const value_id v = root_of(b, f->outputs.at[k]);
        const uint64_t bytes = bytes_of(f, v);
        if (b->parameter[v])
            continue;
        if (filled[v] || node_of(f, v)->op == OP_CONSTANT)
            add_copy(b, node_of(f, v), exe_block_value(b, v), exe_output(b->t, b->block, k, bytes),
                     bytes);
        filled[v] = true;
    }
}

/* A small constant of one element, written out. NULL when there is no memory. */
static const void *spread(exe_block *b, const literal *l, uint64_t bytes)
{
    const size_t size = dtype_bytes(l->type->dtype);
    char *data = arena_alloc_aligned(exe_memory(b->t), (size_t)bytes, EXE_ALIGN);
    for (uint64_t i = 0; data && i < bytes; i += size)
        memcpy(data + i, l->data, size);
    return data;
}

exe_buffer exe_block_value(exe_block *b, value_id v)
{
    enum { SMALL = 4096 };
    const uint64_t most = b->f->is_region ? LITERAL_SPREAD : SMALL;
    v = root_of(b, v);
    if (b->buffer[v] != EXE_NO_BUFFER)
        return b->buffer[v];
    const node *n = node_of(b->f, v);
    const uint64_t bytes = bytes_of(b->f, v);
    if (n->op != OP_CONSTANT)
        return b->buffer[v] = exe_temp(b->t, b->block, bytes);
    const literal *l = attr_find(n->attrs, KEY_VALUE)->v.literal;
    const void *data = !l->splat ? l->data : bytes <= most ? spread(b, l, bytes) : NULL;
    if (data || bytes == 0)
        return b->buffer[v] = exe_constant(b->t, b->block, data ? data : "", bytes);
    b->buffer[v] = exe_temp(b->t, b->block, bytes);
    exe_block_reference(b, n);
    return b->buffer[v];
}

/* ---- steps ---- */

exe_step exe_block_step(exe_block *b, exe_kind kind, const node *n)
{
    exe_step s = {.kind = kind, .name = op_table[n->op].text};
    step_origin *o = ARENA_NEW(exe_memory(b->t), step_origin);
    if (o)
        *o = (step_origin){.f = b->f, .n = n, .kernel = b->kernel};
    else
        exe_fail(b->t);
    s.what = o;
    return s;
}

tn_status host_seed(const void *what, char *const *buffers, void *host)
{
    const jit_host *h = host;
    (void)what;
    memcpy(buffers[0], &h->run->seed, sizeof h->run->seed);
    return TN_OK;
}

exe_buffer exe_block_seed(exe_block *b, const node *n)
{
    if (b->seed)
        return b->seed - 1;
    const exe_buffer seed = exe_temp(b->t, b->block, sizeof(uint64_t));
    exe_step s = exe_block_step(b, EXE_HOST, n);
    s.name = "seed";
    s.call = CALL_SEED;
    s.buffers = &seed;
    s.n_written = 1;
    s.bytes = sizeof(uint64_t);
    exe_step_add(b->t, b->block, &s);
    b->seed = 1 + seed;
    return seed;
}

bool exe_is_seed(const exe_step *s)
{
    return s->kind == EXE_HOST && s->call == CALL_SEED;
}

/* The block of function F, which is added when a step runs it. */
static uint32_t block_of(exe_maker *k, uint32_t f)
{
    const function *fn = k->m->functions.at[f];
    if (!k->block_of[f]) {
        k->list[k->n++] = f;
        k->block_of[f] = k->n;
        (void)exe_block_add(k->t, fn->inputs.n, fn->outputs.n);
    }
    return k->block_of[f] - 1;
}

static uint32_t region(const exe_block *b, const node *n, attr_key key)
{
    return block_of(b->maker, (uint32_t)attr_int(n->attrs, key, 0));
}

static void add_control(const exe_block *b, const node *n, exe_step *s)
{
    switch ((int)n->op) {
    case OP_COND:
        s->kind = EXE_COND;
        s->region[0] = region(b, n, KEY_TRUE_REGION);
        s->region[1] = region(b, n, KEY_FALSE_REGION);
        break;
    case OP_WHILE:
        s->kind = EXE_WHILE;
        s->region[0] = region(b, n, KEY_COND_REGION);
        s->region[1] = region(b, n, KEY_BODY_REGION);
        break;
    default:
        s->kind = EXE_SCAN;
        s->region[0] = region(b, n, KEY_BODY_REGION);
        s->n_carries = (uint32_t)attr_int(n->attrs, KEY_CARRY_COUNT, 0);
        s->iterations = value_type(b->f, n->in[s->n_carries])->dims[0];
        break;
    }
}

void exe_block_reference(exe_block *b, const node *n)
{
    static const uint32_t first_in_place[][2] = {{0, 3}};
    const uint32_t n_all = n->n_in + n->n_results;
    exe_buffer *all = ARENA_ARRAY(exe_memory(b->t), exe_buffer, n_all);
    exe_step s = exe_block_step(b, EXE_HOST, n);
    if (!all || !s.what) {
        exe_fail(b->t);
        return;
    }
    for (uint32_t k = 0; k < n->n_in; k++) {
        all[k] = exe_block_value(b, n->in[k]);
        s.bytes += bytes_of(b->f, n->in[k]);
    }
    for (uint32_t r = 0; r < n->n_results; r++) {
        all[n->n_in + r] = exe_block_value(b, n->first_value + r);
        s.bytes += bytes_of(b->f, n->first_value + r);
    }
    s.buffers = all;
    s.n_read = n->n_in;
    s.n_written = n->n_results;
    if (op_table[n->op].traits & T_REGIONS) {
        add_control(b, n, &s);
    } else {
        s.call = CALL_REFERENCE;
        if (n->op == OP_DYNAMIC_UPDATE_SLICE) {
            s.in_place = first_in_place;
            s.n_in_place = 1;
        }
    }
    exe_step_add(b->t, b->block, &s);
}

/* ---- functions ---- */

/* Can every value be held in memory? TN_ERR_UNAVAILABLE where some are better computed where they
 * are read, by the evaluator or by kernels. */
static tn_status hold_everything(const function *f, const bool *needed, arena *memory)
{
    uint32_t *uses = ARENA_ARRAY(memory, uint32_t, f->values.n);
    bool *lazy = ARENA_ARRAY(memory, bool, f->values.n);
    for (uint32_t i = 0; uses && i < f->nodes.n; i++)
        for (uint32_t k = 0; needed[i] && k < f->nodes.at[i].n_in; k++)
            uses[f->nodes.at[i].in[k]]++;
    for (uint32_t k = 0; uses && k < f->outputs.n; k++)
        uses[f->outputs.at[k]]++;
    if (!uses || !lazy || !stream_plan(f, f->outputs.at, f->outputs.n, needed, uses, lazy, memory))
        return TN_ERR_NOMEM;
    for (value_id v = 0; v < f->values.n; v++)
        if (lazy[v])
            return TN_ERR_UNAVAILABLE;
    return TN_OK;
}

tn_status exe_reference_steps(void *user, exe_block *b)
{
    arena *a = exe_memory(b->t);
    const bool *needed = function_needed_nodes(b->f, a);
    (void)user;
    if (!needed)
        return TN_ERR_NOMEM;
    TN_TRY(hold_everything(b->f, needed, a));
    if (!exe_block_begin(b, exe_plain_aliases(b->f, a)))
        return TN_ERR_NOMEM;
    for (uint32_t i = 0; i < b->f->nodes.n; i++) {
        const node *n = &b->f->nodes.at[i];
        if (needed[i] && n->op != OP_INPUT && n->op != OP_CONSTANT &&
            op_kernels[n->op] != eval_copy)
            exe_block_reference(b, n);
    }
    return TN_OK;
}

/* From the entry on: steps of one block add others behind it. */
static tn_status add_blocks(exe_maker *k, exe_steps_fn *steps, void *user)
{
    arena *a = exe_memory(k->t);
    k->list = ARENA_ARRAY(a, uint32_t, k->m->functions.n);
    k->block_of = ARENA_ARRAY(a, uint32_t, k->m->functions.n);
    if (!k->list || !k->block_of)
        return TN_ERR_NOMEM;
    (void)block_of(k, k->m->entry);
    for (uint32_t i = 0; i < k->n; i++) {
        exe_block b = {.maker = k, .t = k->t, .f = k->m->functions.at[k->list[i]], .block = i};
        TN_TRY((steps ? steps : exe_reference_steps)(user, &b));
        finish_outputs(&b);
    }
    return TN_OK;
}

tn_status executable_of_module(const module *m, const tn_allocator *allocator, exe_steps_fn *steps,
                               void *user, executable **out)
{
    exe_maker k = {.t = exe_new(allocator), .m = m};
    tn_status s = k.t ? add_blocks(&k, steps, user) : TN_ERR_NOMEM;
    if (s == TN_OK)
        s = exe_finish(k.t);
    if (s != TN_OK)
        exe_free(k.t);
    *out = s == TN_OK ? k.t : NULL;
    return s;
}
