/* The reference evaluator: one node after the other, each result freed after its last use. */
#include "ops/eval.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ops/cells.h"

tn_status eval_report(const eval_call *call, diag_kind kind, const char *format, ...)
{
    const node *n = call->node;
    diag_channel *d = &call->run->cx->diag;
    if (call->run->quiet)
        return TN_ERR_RUN;
    va_list args;
    va_start(args, format);
    d->op = op_table[n->op].text;
    tn_status s = diag_vreport(d, kind, &call->function->module->source, n->at, format, args);
    va_end(args);
    char number[16];
    (void)snprintf(number, sizeof number, "%%%" PRIu32, n->first_value);
    diag_node(d, n->name ? n->name : number);
    return s;
}

tn_status eval_no_memory(const eval_call *call)
{
    char shape[512];
    if (call->n_out == 0)
        return eval_report(call, DIAG_AllocationFailure, "no memory left on backend cpu");
    eval_shape_text(call->out->type, shape, sizeof shape);
    return eval_report(call, DIAG_AllocationFailure,
                       "no memory left to compute %s%s on backend cpu",
                       dtype_name(call->out->type->dtype), shape);
}

void eval_shape_text(const type *t, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "[");
    for (uint32_t i = 0; i < t->rank && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%" PRId64, i ? ", " : "", t->dims[i]);
    if (n < size)
        (void)snprintf(text + n, size - n, "]");
}

/* Who owns the memory of a value. */
typedef enum owner {
    OWNER_NONE,  /* not computed (yet), or freed */
    OWNER_OTHER, /* an input or a literal of the module */
    OWNER_RUN
} owner;

typedef struct slot {
    void *data;
    uint32_t uses; /* still to come, the outputs included; dead nodes count nothing */
    owner owner;
} slot;

typedef struct state {
    eval_run *run;
    const function *f;
    slot *slots;  /* by value */
    bool *needed; /* by node */
    const tensor *inputs;
    arena scratch;
} state;

static size_t bytes_of(const type *t)
{
    size_t bytes = 0;
    (void)type_bytes(t, &bytes);
    return bytes;
}

static void drop(state *s, value_id v)
{
    slot *sl = &s->slots[v];
    if (sl->owner == OWNER_RUN) {
        const size_t bytes = bytes_of(value_type(s->f, v));
        memory_free(&s->run->cx->allocator, sl->data, bytes);
        s->run->bytes_alive -= bytes;
    }
    sl->data = NULL;
    sl->owner = OWNER_NONE;
}

/* Memory for a tensor of type T made by NODE, within the limit of the run. */
static tn_status new_tensor(state *s, const node *n, const type *t, void **data)
{
    eval_run *run = s->run;
    tensor out = {t, NULL};
    eval_call call = {.run = run, .function = s->f, .node = n, .out = &out, .n_out = 1};
    char shape[512];
    size_t bytes;

    eval_shape_text(t, shape, sizeof shape);
    if (t->count == TYPE_COUNT_UNKNOWN)
        return eval_report(&call, DIAG_UnboundSymbol,
                           "a symbolic size has no value yet; bind it to run the program");
    if (!type_bytes(t, &bytes) || bytes > PTRDIFF_MAX / 2 ||
        bytes > run->bytes_limit - run->bytes_alive)
        return eval_report(&call, DIAG_AllocationFailure,
                           "%s%s would exceed the memory limit of %" PRIu64 " bytes, with %" PRIu64
                           " in use, on backend cpu",
                           dtype_name(t->dtype), shape, run->bytes_limit, run->bytes_alive);
    *data = memory_alloc(&run->cx->allocator, bytes);
    if (!*data)
        return eval_report(&call, DIAG_AllocationFailure,
                           "%zu bytes for %s%s cannot be had on backend cpu", bytes,
                           dtype_name(t->dtype), shape);
    run->bytes_alive += bytes;
    if (run->bytes_alive > run->bytes_peak)
        run->bytes_peak = run->bytes_alive;
    return TN_OK;
}

/* Which nodes the outputs need, and how often each value is used by those. */
static void count_uses(state *s)
{
    const function *f = s->f;
    for (uint32_t i = 0; i < f->outputs.n; i++)
        s->slots[f->outputs.at[i]].uses++;
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
    if (op_table[n->op].eval == eval_copy && s->slots[n->in[0]].uses == 1) {
        slot *in = &s->slots[n->in[0]];
        *out = (slot){in->data, out->uses, in->owner};
        *in = (slot){NULL, 0, OWNER_NONE};
        return true;
    }
    return false;
}

enum { FEW = 8 };

static tn_status run_node(state *s, const node *n)
{
    const function *f = s->f;
    const uint32_t n_all = n->n_in + n->n_results;
    tensor few[FEW];
    tensor *all = n_all <= FEW ? few : ARENA_ARRAY(&s->scratch, tensor, n_all);
    if (!all)
        return diag_no_memory(&s->run->cx->diag);
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
                      .scratch = &s->scratch};
    return op_table[n->op].eval(&call);
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
        const bool moved =
            n->n_in == 1 && op_table[n->op].eval == eval_copy && s->slots[n->in[0]].uses == 1;
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

/* The last use of a value hands its memory over; otherwise it is copied. */
static tn_status deliver(state *s, uint32_t i, tensor *out)
{
    const value_id v = s->f->outputs.at[i];
    slot *sl = &s->slots[v];
    out->type = value_type(s->f, v);
    const size_t bytes = bytes_of(out->type);
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
    const function *f = s->f;
    const size_t n = f->outputs.n;
    bool *ours = ARENA_ARRAY(&s->scratch, bool, n);
    tn_status status = ours ? TN_OK : diag_no_memory(&s->run->cx->diag);
    size_t done = 0;
    for (; done < n && status == TN_OK; done++) {
        ours[done] = !outputs[done].data;
        status = deliver(s, (uint32_t)done, &outputs[done]);
    }
    for (size_t i = 0; status != TN_OK && i < done; i++)
        if (ours[i]) {
            memory_free(&s->run->cx->allocator, outputs[i].data, bytes_of(outputs[i].type));
            outputs[i].data = NULL;
        }
    return status;
}

tn_status evaluate(eval_run *run, const function *f, const tensor *inputs, tensor *outputs)
{
    const tn_allocator *a = &run->cx->allocator;
    state s = {.run = run, .f = f, .inputs = inputs};
    arena memory;
    arena_init(&memory, a);
    arena_init(&s.scratch, a);
    s.slots = ARENA_ARRAY(&memory, slot, f->values.n);
    s.needed = ARENA_ARRAY(&memory, bool, f->nodes.n);
    tn_status status = TN_OK;
    if (!s.slots || !s.needed)
        status = diag_no_memory(&run->cx->diag);
    if (status == TN_OK) {
        count_uses(&s);
        status = run_nodes(&s);
    }
    if (status == TN_OK)
        status = deliver_all(&s, outputs);
    for (value_id v = 0; s.slots && v < f->values.n; v++)
        drop(&s, v);
    arena_release(&s.scratch);
    arena_release(&memory);
    return status;
}

bool evaluate_node_quietly(const function *f, const node *n, const tensor *in, tensor *out,
                           arena *memory)
{
    eval_run run = {.cx = f->module->cx, .bytes_limit = UINT64_MAX, .quiet = true};
    for (uint32_t r = 0; r < n->n_results; r++) {
        const type *t = value_type(f, n->first_value + r);
        size_t bytes;
        if (!type_bytes(t, &bytes) || bytes > PTRDIFF_MAX / 2)
            return false;
        out[r] = (tensor){t, arena_alloc_aligned(memory, bytes, 16)};
        if (!out[r].data)
            return false;
    }
    arena scratch;
    arena_init(&scratch, memory->allocator);
    eval_call call = {.run = &run,
                      .function = f,
                      .node = n,
                      .attrs = n->attrs,
                      .in = in,
                      .n_in = n->n_in,
                      .out = out,
                      .n_out = n->n_results,
                      .scratch = &scratch};
    const tn_status status = op_table[n->op].eval(&call);
    arena_release(&scratch);
    return status == TN_OK;
}
