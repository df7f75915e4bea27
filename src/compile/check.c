/* Comparing kernels with the reference evaluator. */
#include "compile/check.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct check_block {
    const function *f;
    const function_plan *p;
    const jit_unit *units;
    /* What kernels leave in memory, by the kernel that completes it. */
    value_id *wanted;
    uint32_t n;
    uint32_t *first; /* by kernel, and behind the last: where its values begin */
};

struct check_values {
    check_values *next;
    const check_block *of;
    bool is_known;
    tensor at[]; /* as `wanted` */
};

/* ---- comparing ---- */

static bool same_element(tn_dtype d, const char *a, const char *b)
{
    return scalar_equal(scalar_load(d, a), scalar_load(d, b));
}

bool check_same(const type *t, const void *a, const void *b, int64_t *at, int64_t *n)
{
    const size_t size = dtype_bytes(t->dtype);
    *n = 0;
    if (memcmp(a, b, (size_t)t->count * size) == 0)
        return true;
    for (int64_t i = 0; i < t->count; i++) {
        const size_t offset = (size_t)i * size;
        if (same_element(t->dtype, (const char *)a + offset, (const char *)b + offset))
            continue;
        if ((*n)++ == 0)
            *at = i;
    }
    return *n == 0;
}

/* An element as a number and as its bytes, the highest first. */
static void put_element(text_buffer *out, const type *t, const void *data, int64_t at)
{
    const size_t size = dtype_bytes(t->dtype);
    const unsigned char *bytes = (const unsigned char *)data + (size_t)at * size;
    const scalar s = scalar_load(t->dtype, bytes);
    element_print(&s, out);
    text_puts(out, " (0x");
    for (size_t k = size; k-- > 0;)
        text_printf(out, "%02x", bytes[k]);
    text_puts(out, ")");
}

static void put_position(text_buffer *out, const type *t, int64_t at)
{
    int64_t rest = t->count;
    text_puts(out, "[");
    for (uint32_t k = 0; k < t->rank; k++) {
        rest /= t->dims[k];
        text_printf(out, "%s%" PRId64, k ? ", " : "", at / rest);
        at %= rest;
    }
    text_puts(out, "]");
}

/* Adds OUT to the open diagnostic, and empties it. */
static void add_note(diag_channel *d, text_buffer *out)
{
    const char *text = text_c_string(out);
    diag_note(d, NULL, NO_SPAN, "%s", text ? text : "no memory to say more");
    text_release(out);
}

void check_note(diag_channel *d, const module *m, const char *name, const type *t, const void *have,
                const void *want, int64_t at, int64_t n)
{
    text_buffer out;
    text_init(&out, m->allocator);
    text_printf(&out, "%s: ", name);
    type_print(m, t, &out);
    text_printf(&out, ": %" PRId64 " of %" PRId64 " element%s differ; the first is ", n, t->count,
                plural((uint64_t)t->count));
    put_position(&out, t, at);
    text_puts(&out, ": have ");
    put_element(&out, t, have, at);
    text_puts(&out, ", want ");
    put_element(&out, t, want, at);
    add_note(d, &out);
}

/* ---- what is reported of a kernel ---- */

static void note_place(diag_channel *d, const checker *k, uint64_t seed)
{
    diag_note(d, NULL, NO_SPAN,
              "code for the CPU '%s', on at most %" PRIu32 " thread%s, random seed %" PRIu64,
              k->cpu ? k->cpu : "native", k->threads, plural(k->threads), seed);
}

static void note_graph(const check_block *c, diag_channel *d, const kernel *k)
{
    const module *m = c->f->module;
    text_buffer out;
    text_init(&out, m->allocator);
    text_puts(&out, "it reads");
    for (uint32_t i = 0; i < k->n_in; i++) {
        text_printf(&out, "\n  %%%" PRIu32 ": ", k->in[i]);
        type_print(m, value_type(c->f, k->in[i]), &out);
    }
    text_puts(&out, k->n_in ? "\nand computes" : " nothing, and computes");
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        text_puts(&out, "\n");
        node_print(c->f, &c->f->nodes.at[k->nodes[i]], &out);
        out.n -= out.n > 0 && out.at[out.n - 1] == '\n';
    }
    add_note(d, &out);
}

static void note_program(const check_block *c, diag_channel *d, const kernel_plan *plan, uint32_t i)
{
    text_buffer out;
    text_init(&out, c->f->module->allocator);
    text_printf(&out, "program %" PRIu32 " of %" PRIu32 ", %s, on %" PRId64 " item%s\n", i + 1,
                plan->nest->n_steps, plan->nest->steps[i].how, plan->nest->steps[i].work,
                plural((uint64_t)plan->nest->steps[i].work));
    loop_print(c->units[plan->steps[i].unit].program, &out);
    out.n -= out.n > 0 && out.at[out.n - 1] == '\n';
    add_note(d, &out);
}

static void report(const check_block *c, uint32_t index, const checker *k, const eval_run *run,
                   value_id v, const void *have, const void *want, int64_t at, int64_t n)
{
    const kernel *of = &c->p->kernels.at[index];
    const kernel_plan *plan = &c->p->plans[index];
    diag_channel *d = &run->cx->diag;
    char name[24];
    arena memory;
    arena_init(&memory, &k->allocator);
    (void)snprintf(name, sizeof name, "%%%" PRIu32, v);
    (void)diag_report(d, DIAG_InternalError, &c->f->module->source, NO_SPAN,
                      "kernel %" PRIu32 " of %s %s (%s) differs from the reference evaluator",
                      index, c->f->is_region ? "region" : "function",
                      c->f->name ? c->f->name : "main", jit_kernel_name(c->f, of, &memory));
    check_note(d, c->f->module, name, value_type(c->f, v), have, want, at, n);
    note_place(d, k, run->seed);
    note_graph(c, d, of);
    for (uint32_t i = 0; !plan->by_reference && i < plan->nest->n_steps; i++)
        note_program(c, d, plan, i);
    arena_release(&memory);
}

/* ---- the values of one run ---- */

static void forget(const checker *k, check_values *v)
{
    for (uint32_t i = 0; v->is_known && i < v->of->n; i++)
        memory_free(&k->allocator, v->at[i].data, type_known_bytes(v->at[i].type));
    v->is_known = false;
}

static size_t values_bytes(const check_block *c)
{
    return sizeof(check_values) + c->n * sizeof(tensor);
}

/* NULL without memory. */
static check_values *values_of(checker *k, const check_block *c)
{
    check_values *v = k->values;
    while (v && v->of != c)
        v = v->next;
    if (v)
        return v;
    v = memory_alloc(&k->allocator, values_bytes(c));
    if (!v)
        return NULL;
    memset(v, 0, values_bytes(c));
    v->of = c;
    v->next = k->values;
    return k->values = v;
}

void checker_release(checker *k)
{
    for (check_values *v = k->values, *next; v; v = next) {
        next = v->next;
        forget(k, v);
        memory_free(&k->allocator, v, values_bytes(v->of));
    }
    k->values = NULL;
}

/* ---- steps ---- */

/* BUFFERS: the parameters of the block. */
tn_status host_judge(const void *what, char *const *buffers, void *host)
{
    const check_block *c = ((const step_origin *)what)->check;
    jit_host *h = host;
    checker *k = h->checker;
    check_values *v = values_of(k, c);
    tensor *in = ARENA_ARRAY(&h->scratch, tensor, c->f->inputs.n);
    tn_status s = TN_ERR_NOMEM;
    if (v)
        forget(k, v); /* those of the last iteration, also where there is no memory for these */
    if (v && in) {
        eval_run run = *h->run;
        run.bytes_limit = UINT64_MAX;
        memset(v->at, 0, c->n * sizeof *v->at);
        for (uint32_t i = 0; i < c->f->inputs.n; i++)
            in[i] = (tensor){value_type(c->f, c->f->inputs.at[i]), buffers[i]};
        s = evaluate_values(&run, c->f, c->wanted, c->n, in, v->at);
        v->is_known = s == TN_OK;
    }
    if (s != TN_OK)
        k->lack = s; /* most likely the program fails; then the run does so, too */
    arena_reset(&h->scratch);
    return TN_OK;
}

typedef struct check_site {
    const check_block *of;
    uint32_t kernel;
} check_site;

/* BUFFERS: what the kernel completes. */
tn_status host_compare(const void *what, char *const *buffers, void *host)
{
    const check_site *site = ((const step_origin *)what)->check;
    const check_block *c = site->of;
    const jit_host *h = host;
    checker *k = h->checker;
    const check_values *v = values_of(k, c);
    const uint32_t first = c->first[site->kernel], end = c->first[site->kernel + 1];
    for (uint32_t i = first; v && v->is_known && i < end; i++) {
        int64_t at = 0, n;
        if (check_same(v->at[i].type, buffers[i - first], v->at[i].data, &at, &n))
            continue;
        report(c, site->kernel, k, h->run, c->wanted[i], buffers[i - first], v->at[i].data, at, n);
        k->has_found = true;
        return TN_ERR_INTERNAL;
    }
    return TN_OK;
}

static void add_step(exe_block *b, const node *n, const char *name, host_call call,
                     const void *check, const exe_buffer *buffers, uint32_t n_buffers)
{
    exe_step s = exe_block_step(b, EXE_HOST, n);
    step_origin *o = (step_origin *)(uintptr_t)s.what;
    if (!o)
        return;
    o->check = check;
    s.name = name;
    s.call = call;
    s.is_certain = true;
    s.buffers = buffers;
    s.n_read = n_buffers;
    exe_step_add(b->t, b->block, &s);
}

/* ---- what there is to compare ---- */

static value_id root_of(const function_plan *p, value_id v)
{
    while (p->kernels.same_as[v] != v)
        v = p->kernels.same_as[v];
    return v;
}

/* Several kernels may fill parts of one value: the last of them completes it. */
static bool find_wanted(check_block *c, arena *memory)
{
    const function_plan *p = c->p;
    uint32_t *last = ARENA_ARRAY(memory, uint32_t, c->f->values.n);
    c->wanted = ARENA_ARRAY(memory, value_id, c->f->values.n);
    c->first = ARENA_ARRAY(memory, uint32_t, (size_t)p->kernels.n + 1);
    if (!last || !c->wanted || !c->first)
        return false;
    for (uint32_t i = 0; i < p->kernels.n; i++)
        for (uint32_t o = 0; o < p->kernels.at[i].n_out; o++)
            last[root_of(p, p->kernels.at[i].out[o].into)] = 1 + i;
    for (uint32_t i = 0; i < p->kernels.n; i++) {
        for (uint32_t o = 0; o < p->kernels.at[i].n_out; o++) {
            const value_id v = root_of(p, p->kernels.at[i].out[o].into);
            if (last[v] != 1 + i)
                continue;
            last[v] = 0;
            c->wanted[c->n++] = v;
        }
        c->first[i + 1] = c->n;
    }
    return true;
}

const check_block *check_before(exe_block *b, const function_plan *p, const jit_plan *plan)
{
    arena *memory = exe_memory(b->t);
    check_block *c = ARENA_NEW(memory, check_block);
    exe_buffer *inputs = ARENA_ARRAY(memory, exe_buffer, b->f->inputs.n);
    if (!c || !inputs)
        return NULL;
    *c = (check_block){.f = b->f, .p = p, .units = plan->units.at};
    if (!find_wanted(c, memory))
        return NULL;
    for (uint32_t i = 0; i < b->f->inputs.n; i++)
        inputs[i] = exe_block_value(b, b->f->inputs.at[i]);
    if (c->n > 0)
        add_step(b, b->f->nodes.at, "judge", CALL_JUDGE, c, inputs, b->f->inputs.n);
    return c;
}

void check_behind(exe_block *b, const check_block *c, uint32_t index)
{
    arena *memory = exe_memory(b->t);
    const uint32_t first = c->first[index], n = c->first[index + 1] - first;
    if (n == 0)
        return;
    check_site *site = ARENA_NEW(memory, check_site);
    exe_buffer *buffers = ARENA_ARRAY(memory, exe_buffer, n);
    if (!site || !buffers) {
        exe_fail(b->t);
        return;
    }
    *site = (check_site){c, index};
    for (uint32_t i = 0; i < n; i++)
        buffers[i] = exe_block_value(b, c->wanted[first + i]);
    add_step(b, &b->f->nodes.at[c->p->kernels.at[index].node], "compare", CALL_COMPARE, site,
             buffers, n);
}
