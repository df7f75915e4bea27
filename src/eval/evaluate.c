/* The reference evaluator: one node after the other, each result freed after its last use. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text/text.h"
#include "eval/eval.h"
#include "eval/kernels/kernels.h"
#include "eval/kernels/stream.h"

/* Who owns the memory of a value. */
typedef enum owner {
    OWNER_NONE,  /* not computed (yet), or freed */
    OWNER_OTHER, /* an input or a literal of the module */
    OWNER_RUN,
    OWNER_STREAM /* not held: computed where it is read, from operands that stay alive for it */
} owner;

typedef struct slot {
    void *data;
    uint32_t uses; /* uses that are still to come, outputs included; dead nodes do not count */
    owner owner;
} slot;

typedef struct state {
    eval_run *run;
    const function *f;
    const value_id *wanted; /* the outputs of F, or others */
    uint32_t n_wanted;
    slot *slots;  /* by value */
    bool *needed; /* by node */
    bool *lazy;   /* by value: not held */
    const tensor *inputs;
    arena scratch;
} state;

static void release_use(state *s, value_id v);

static void drop(state *s, value_id v)
{
    slot *sl = &s->slots[v];
    /* Trees of streams have a bounded depth, and so has this recursion. */
    if (sl->owner == OWNER_STREAM) {
        const node *n = node_of(s->f, v);
        sl->owner = OWNER_NONE;
        for (uint32_t k = 0; k < n->n_in; k++)
            release_use(s, n->in[k]);
    }
    if (sl->owner == OWNER_RUN) {
        const size_t bytes = type_known_bytes(value_type(s->f, v));
        memory_free(&s->run->cx->allocator, sl->data, bytes);
        s->run->bytes_alive -= bytes;
    }
    sl->data = NULL;
    sl->owner = OWNER_NONE;
}

/* *BYTES of a tensor of type T made by N, if there is room for them besides ALIVE others. */
static tn_status find_room(const state *s, const node *n, const type *t, uint64_t alive,
                           size_t *bytes)
{
    eval_run *run = s->run;
    const eval_call call = {.run = run, .function = s->f, .node = n};
    char shape[512];
    if (t->count == TYPE_COUNT_UNKNOWN)
        return eval_report(&call, DIAG_UnboundSymbol,
                           "a symbolic size has no value yet; bind it to run the program");
    if (type_bytes(t, bytes) && *bytes <= PTRDIFF_MAX / 2 && *bytes <= run->bytes_limit - alive)
        return TN_OK;
    eval_shape_text(t, shape, sizeof shape);
    return eval_report(&call, DIAG_AllocationFailure,
                       "%s%s would exceed the limit run_bytes=%" PRIu64 ", with %" PRIu64
                       " byte%s in use, on backend cpu",
                       dtype_name(t->dtype), shape, run->bytes_limit, alive, plural(alive));
}

/* Memory for a tensor of type T made by NODE, within the limit of the run. */
static tn_status new_tensor(state *s, const node *n, const type *t, void **data)
{
    eval_run *run = s->run;
    tensor out = {t, NULL};
    eval_call call = {.run = run, .function = s->f, .node = n, .out = &out, .n_out = 1};
    char shape[512];
    size_t bytes;
    TN_TRY(find_room(s, n, t, run->bytes_alive, &bytes));
    eval_shape_text(t, shape, sizeof shape);
    *data = memory_alloc(&run->cx->allocator, bytes);
    if (!*data)
        return eval_report(&call, DIAG_AllocationFailure,
                           "%zu byte%s for %s%s cannot be had on backend cpu", bytes, plural(bytes),
                           dtype_name(t->dtype), shape);
    run->bytes_alive += bytes;
    if (run->bytes_alive > run->bytes_peak)
        run->bytes_peak = run->bytes_alive;
    return TN_OK;
}

/* Which nodes the wanted values need, and how often each value is used by those. */
static void count_uses(state *s)
{
    const function *f = s->f;
    for (uint32_t i = 0; i < s->n_wanted; i++)
        s->slots[s->wanted[i]].uses++;
    for (uint32_t i = f->nodes.n; i-- > 0;) {
        const node *n = &f->nodes.at[i];
        for (uint32_t r = 0; r < n->n_results; r++)
            s->needed[i] = s->needed[i] || s->slots[n->first_value + r].uses > 0;
        for (uint32_t k = 0; s->needed[i] && k < n->n_in; k++)
            s->slots[n->in[k]].uses++;
    }
}

static void release_use(state *s, value_id v)
{
    if (--s->slots[v].uses == 0)
        drop(s, v);
}

/* Can the result of N be the memory of its operand, which nothing else uses any more? */
static bool takes_operand(const state *s, const node *n)
{
    return op_kernels[n->op] == eval_copy && s->slots[n->in[0]].uses == 1 &&
           s->slots[n->in[0]].owner != OWNER_STREAM;
}

/* A result that needs no computation: an input, a constant as it stands in the module, or the
 * operand itself where nothing else uses it any more. */
static bool take_over(state *s, const node *n, uint32_t *next_input)
{
    slot *out = &s->slots[n->first_value];
    if (n->op == OP_INPUT) {
        void *data = s->inputs[(*next_input)++].data;
        *out = (slot){data ? data : (void *)(uintptr_t) "", out->uses, OWNER_OTHER};
        return true;
    }
    if (n->op == OP_CONSTANT) {
        const literal *l = attr_find(n->attrs, KEY_VALUE)->v.literal;
        if (l->splat)
            return false;
        /* Operands are only read. */
        *out = (slot){(void *)(uintptr_t)l->data, out->uses, OWNER_OTHER};
        return true;
    }
    if (takes_operand(s, n)) {
        slot *in = &s->slots[n->in[0]];
        *out = (slot){in->data, out->uses, in->owner};
        *in = (slot){NULL, 0, OWNER_NONE};
        return true;
    }
    return false;
}

/* ---- memory ahead of time ---- */

/* The memory of the tensors of a run, as far as their types tell; without those that are not held,
 * and without those of regions. */
typedef struct forecast {
    const state *s;
    uint32_t *uses; /* by value: still to come */
    size_t *bytes;  /* by value: held now */
    uint64_t alive;
} forecast;

static void forget(forecast *p, value_id v)
{
    p->alive -= p->bytes[v];
    p->bytes[v] = 0;
}

static tn_status forecast_node(forecast *p, const node *n)
{
    const state *s = p->s;
    const bool is_there =
        n->op == OP_INPUT || n->op == OP_CONSTANT || (n->n_results == 1 && s->lazy[n->first_value]);
    const bool moves = op_kernels[n->op] == eval_copy && p->uses[n->in[0]] == 1;
    for (uint32_t r = 0; r < n->n_results && !is_there && !moves; r++) {
        const value_id v = n->first_value + r;
        TN_TRY(find_room(s, n, value_type(s->f, v), p->alive, &p->bytes[v]));
        p->alive += p->bytes[v];
    }
    if (moves) {
        p->bytes[n->first_value] = p->bytes[n->in[0]];
        p->bytes[n->in[0]] = 0;
    }
    for (uint32_t k = 0; k < n->n_in; k++)
        if (--p->uses[n->in[k]] == 0)
            forget(p, n->in[k]);
    for (uint32_t r = 0; r < n->n_results; r++)
        if (p->uses[n->first_value + r] == 0)
            forget(p, n->first_value + r);
    return TN_OK;
}

/* Refuse a run that exceeds the limit in any case, before anything runs. */
static tn_status check_limit(state *s)
{
    const function *f = s->f;
    forecast p = {.s = s,
                  .uses = ARENA_ARRAY(&s->scratch, uint32_t, f->values.n),
                  .bytes = ARENA_ARRAY(&s->scratch, size_t, f->values.n),
                  .alive = s->run->bytes_alive};
    if (!p.uses || !p.bytes)
        return diag_no_memory(&s->run->cx->diag);
    for (value_id v = 0; v < f->values.n; v++)
        p.uses[v] = s->slots[v].uses;
    for (uint32_t i = 0; i < f->nodes.n; i++)
        if (s->needed[i])
            TN_TRY(forecast_node(&p, &f->nodes.at[i]));
    arena_reset(&s->scratch);
    return TN_OK;
}

/* ---- operands that are not held ---- */

static const void *data_of(const void *user, value_id v)
{
    const state *s = user;
    return s->slots[v].data;
}

static bool reads_streams(const state *s, const node *n)
{
    for (uint32_t k = 0; k < n->n_in; k++)
        if (s->slots[n->in[k]].owner == OWNER_STREAM)
            return true;
    return false;
}

/* The stream that gives the result of N or, for a reduction, its operand. */
static stream *open_stream(state *s, const node *n, const stream_values *values)
{
    const bool reduces = (op_table[n->op].traits & T_REDUCES) != 0;
    const value_id v = reduces ? n->in[0] : n->first_value;
    const type *t = value_type(s->f, v);
    access_map map;
    if (!access_identity(t->dims, t->rank, &s->scratch, &map))
        return NULL;
    return reduces ? stream_of(values, v, &map, &s->scratch)
                   : stream_of_node(values, v, &map, &s->scratch);
}

static tn_status write_stream(stream *from, const eval_call *call)
{
    const type *t = call->out->type;
    const size_t size = dtype_bytes(t->dtype);
    char *to = call->out->data;
    for (int64_t start = 0; start < t->count; start += FLAT_CHUNK) {
        const int64_t left = t->count - start;
        const size_t n = left < FLAT_CHUNK ? (size_t)left : FLAT_CHUNK;
        memcpy(to + (size_t)start * size, stream_read(from, start, n), n * size);
        TN_TRY(eval_tick(call, n));
    }
    return TN_OK;
}

static tn_status run_node(state *s, const node *n);

/* Compute the operands of N that were to be streamed, where no stream can be made. */
static tn_status hold_operands(state *s, const node *n)
{
    for (uint32_t k = 0; k < n->n_in; k++) {
        slot *in = &s->slots[n->in[k]];
        if (in->owner != OWNER_STREAM)
            continue;
        const node *made_by = node_of(s->f, n->in[k]);
        TN_TRY(hold_operands(s, made_by));
        TN_TRY(run_node(s, made_by));
        for (uint32_t i = 0; i < made_by->n_in; i++)
            release_use(s, made_by->in[i]);
    }
    return TN_OK;
}

static tn_status run_node(state *s, const node *n)
{
    enum { FEW = 8 }; /* operands and results whose list needs no memory of the arena */
    const function *f = s->f;
    const stream_values values = {f, s, data_of};
    stream *streams = reads_streams(s, n) ? open_stream(s, n, &values) : NULL;
    if (!streams)
        TN_TRY(hold_operands(s, n));
    const uint32_t n_all = n->n_in + n->n_results;
    tensor few[FEW];
    tensor *all = n_all <= FEW ? few : ARENA_ARRAY(&s->scratch, tensor, n_all);
    if (!all)
        return diag_no_memory(&s->run->cx->diag);
    TN_TRY(eval_on_time(&(eval_call){.run = s->run, .function = f, .node = n}));
    for (uint32_t k = 0; k < n->n_in; k++)
        all[k] = (tensor){value_type(f, n->in[k]), s->slots[n->in[k]].data};
    for (uint32_t r = 0; r < n->n_results; r++) {
        slot *out = &s->slots[n->first_value + r];
        const type *t = value_type(f, n->first_value + r);
        TN_TRY(new_tensor(s, n, t, &out->data));
        out->owner = OWNER_RUN;
        all[n->n_in + r] = (tensor){t, out->data};
    }
    eval_call call = {.run = s->run,
                      .function = f,
                      .node = n,
                      .attrs = n->attrs,
                      .in = all,
                      .n_in = n->n_in,
                      .out = all + n->n_in,
                      .n_out = n->n_results,
                      .scratch = &s->scratch,
                      .values = &values};
    if (!streams || op_table[n->op].traits & T_REDUCES)
        return op_kernels[n->op](&call);
    return write_stream(streams, &call);
}

static tn_status run_nodes(state *s)
{
    const function *f = s->f;
    uint32_t next_input = 0;
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        if (!s->needed[i]) {
            next_input += n->op == OP_INPUT;
            continue;
        }
        if (n->n_results == 1 && s->lazy[n->first_value]) {
            s->slots[n->first_value].owner = OWNER_STREAM;
            continue;
        }
        const bool moved = takes_operand(s, n);
        if (!take_over(s, n, &next_input)) {
            TN_TRY(run_node(s, n));
            arena_reset(&s->scratch);
        }
        for (uint32_t k = 0; k < n->n_in && !moved; k++)
            release_use(s, n->in[k]);
        for (uint32_t r = 0; r < n->n_results; r++)
            if (s->slots[n->first_value + r].uses == 0)
                drop(s, n->first_value + r);
    }
    return TN_OK;
}

/* The last use of a value takes over its memory; other uses copy it. */
static tn_status deliver(state *s, uint32_t i, tensor *out)
{
    const value_id v = s->wanted[i];
    slot *sl = &s->slots[v];
    out->type = value_type(s->f, v);
    const size_t bytes = type_known_bytes(out->type);
    if (!out->data && sl->owner == OWNER_RUN && sl->uses == 1) {
        out->data = sl->data;
        s->run->bytes_alive -= bytes;
        *sl = (slot){NULL, 0, OWNER_NONE};
        return TN_OK;
    }
    if (!out->data) {
        TN_TRY(new_tensor(s, node_of(s->f, v), out->type, &out->data));
        s->run->bytes_alive -= bytes;
    }
    if (bytes > 0)
        memcpy(out->data, sl->data, bytes);
    release_use(s, v);
    return TN_OK;
}

static tn_status deliver_all(state *s, tensor *outputs)
{
    const size_t n = s->n_wanted;
    bool *ours = ARENA_ARRAY(&s->scratch, bool, n);
    tn_status status = ours ? TN_OK : diag_no_memory(&s->run->cx->diag);
    size_t done = 0;
    for (; done < n && status == TN_OK; done++) {
        ours[done] = !outputs[done].data;
        status = deliver(s, (uint32_t)done, &outputs[done]);
    }
    for (size_t i = 0; status != TN_OK && i < done; i++)
        if (ours[i]) {
            memory_free(&s->run->cx->allocator, outputs[i].data, type_known_bytes(outputs[i].type));
            outputs[i].data = NULL;
        }
    return status;
}

static tn_status plan_streams(state *s)
{
    const uint32_t n = s->f->values.n;
    uint32_t *uses = ARENA_ARRAY(&s->scratch, uint32_t, n);
    for (value_id v = 0; uses && v < n; v++)
        uses[v] = s->slots[v].uses;
    const bool ok =
        uses && stream_plan(s->f, s->wanted, s->n_wanted, s->needed, uses, s->lazy, &s->scratch);
    arena_reset(&s->scratch);
    return ok ? TN_OK : diag_no_memory(&s->run->cx->diag);
}

tn_status evaluate_values(eval_run *run, const function *f, const value_id *wanted, uint32_t n,
                          const tensor *inputs, tensor *values)
{
    const tn_allocator *a = &run->cx->allocator;
    state s = {.run = run, .f = f, .wanted = wanted, .n_wanted = n, .inputs = inputs};
    arena memory;
    arena_init(&memory, a);
    arena_init(&s.scratch, a);
    s.slots = ARENA_ARRAY(&memory, slot, f->values.n);
    s.needed = ARENA_ARRAY(&memory, bool, f->nodes.n);
    s.lazy = ARENA_ARRAY(&memory, bool, f->values.n);
    const bool has_memory = s.slots && s.needed && s.lazy;
    tn_status status = has_memory ? TN_OK : diag_no_memory(&run->cx->diag);
    if (status == TN_OK) {
        count_uses(&s);
        status = run->holds_all ? TN_OK : plan_streams(&s);
    }
    if (status == TN_OK && run->depth == 0) /* not at each iteration of a loop */
        status = check_limit(&s);
    if (status == TN_OK)
        status = run_nodes(&s);
    if (status == TN_OK)
        status = deliver_all(&s, values);
    for (value_id v = 0; s.slots && v < f->values.n; v++) {
        if (s.slots[v].owner == OWNER_STREAM)
            s.slots[v].owner = OWNER_NONE; /* each operand has its own copy */
        drop(&s, v);
    }
    arena_release(&s.scratch);
    arena_release(&memory);
    return status;
}

tn_status evaluate(eval_run *run, const function *f, const tensor *inputs, tensor *outputs)
{
    return evaluate_values(run, f, f->outputs.at, f->outputs.n, inputs, outputs);
}

static bool make_result(const type *t, tensor *out, arena *memory)
{
    size_t bytes;
    if (!t || !type_bytes(t, &bytes) || bytes > PTRDIFF_MAX / 2)
        return false;
    *out = (tensor){t, arena_alloc_aligned(memory, bytes, 16)};
    return out->data != NULL;
}

static bool call_kernel(eval_run *run, const function *f, const node *n, const tensor *in,
                        tensor *out, const arena *memory)
{
    arena scratch;
    arena_init(&scratch, memory->allocator);
    eval_call call = {.run = run,
                      .function = f,
                      .node = n,
                      .attrs = n->attrs,
                      .in = in,
                      .n_in = n->n_in,
                      .out = out,
                      .n_out = n->n_results,
                      .scratch = &scratch};
    const tn_status status = op_kernels[n->op](&call);
    arena_release(&scratch);
    return status == TN_OK;
}

static bool evaluate_quietly(eval_run *run, const function *f, const node *n, const tensor *in,
                             tensor *out, arena *memory)
{
    for (uint32_t r = 0; r < n->n_results; r++)
        if (!make_result(value_type(f, n->first_value + r), &out[r], memory))
            return false;
    return call_kernel(run, f, n, in, out, memory);
}

bool evaluate_element(const function *f, const node *n, const tensor *in, tensor *out,
                      arena *memory)
{
    eval_run run = {.cx = f->module->cx, .bytes_limit = UINT64_MAX, .quiet = true};
    const type *t = type_scalar(&f->module->types, value_type(f, n->first_value)->dtype);
    return make_result(t, out, memory) && call_kernel(&run, f, n, in, out, memory);
}

bool evaluate_node_quietly(const function *f, const node *n, const tensor *in, uint64_t iterations,
                           tensor *out, arena *memory)
{
    eval_run run = {.cx = f->module->cx,
                    .bytes_limit = UINT64_MAX,
                    .quiet = true,
                    .most_iterations = iterations};
    return evaluate_quietly(&run, f, n, in, out, memory);
}

bool evaluate_node_in_time(const function *f, const node *n, const tensor *in, uint64_t iterations,
                           tensor *out, arena *memory)
{
    context *cx = f->module->cx;
    eval_run run = {.cx = cx,
                    .bytes_limit = UINT64_MAX,
                    .deadline = cx->deadline,
                    .cancel = cx->cancel,
                    .cancel_user = cx->cancel_user,
                    .quiet = true,
                    .most_iterations = iterations};
    return evaluate_quietly(&run, f, n, in, out, memory);
}
