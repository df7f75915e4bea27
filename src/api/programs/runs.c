/* Running programs: checks the tensors, then runs the program on an engine. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "api/programs/programs.h"
#include "base/memory/checked.h"
#include "base/system/clock.h"
#include "base/system/float_modes.h"
#include "compile/check.h"
#include "eval/custom_set.h"
#include "io/array.h"
#include "runtime/result.h"

/* What one run owns: a context of its own around the program's allocator, and the tensors. */
typedef struct run {
    const tn_program *p;
    const module *graph;    /* what runs: all extents are numbers */
    const tn_port *outputs; /* its outputs */
    tape *tape;             /* made of it; NULL: none */
    context cx;
    tensor *tensors; /* inputs, then outputs */
    uint64_t seed;
    bool discards;
    const tn_profiler *profiler; /* NULL: none */
    uint32_t threads;
    uint64_t time_limit; /* in ns; 0: none */
    int64_t deadline;    /* of clock_now */
    bool (*cancel)(void *user);
    void *cancel_user;
    void (*written)(void *user, size_t output); /* NULL: no one is told */
    void *written_user;
    const tn_buffer *out; /* of the caller */
    bool has_told;        /* `written` was called */
} run;

/* A hook that is asked now and then only. */
typedef struct slow_hook {
    bool (*cancel)(void *user);
    void *user;
    pthread_t caller;
    int64_t interval, next; /* of clock_now; the caller's own */
    atomic_bool is_cancelled;
} slow_hook;

static const source *source_of(const run *r)
{
    return &r->p->graph->source;
}

/* GIVEN: what was given for an input, where only its extents are wrong. */
static tn_status misfit(run *r, const char *what, size_t index, const tn_port *port,
                        const tn_type *given, const char *problem)
{
    char message[512];
    (void)snprintf(message, sizeof message, "%s %zu ('%s') %s", what, index, port->name, problem);
    return report_input_misfit(&r->cx.diag, r->p, index, given, message);
}

static tn_status other_type(run *r, const char *what, size_t index, const tn_port *port,
                            const tn_type *want, const tn_type *given)
{
    const bool only_extents =
        port == &r->p->inputs[index] && given->dtype == want->dtype && given->rank == want->rank;
    tn_status s = misfit(r, what, index, port, only_extents ? given : NULL,
                         "has another type than the program declares");
    diag_note(&r->cx.diag, NULL, NO_SPAN, "declared %s", public_type_text(&r->cx.diag.text, want));
    diag_note(&r->cx.diag, NULL, NO_SPAN, "given %s", public_type_text(&r->cx.diag.text, given));
    return s;
}

static tn_status check_buffer(run *r, const char *what, size_t index, const tn_port *port,
                              const type *t, const tn_buffer *b)
{
    tn_type want;
    public_type(t, &want);
    if (!public_same_type(&b->type, &want))
        return other_type(r, what, index, port, &want, &b->type);
    size_t bytes;
    if (!type_bytes(t, &bytes) || b->bytes < bytes)
        return misfit(r, what, index, port, NULL, "has a buffer that is too small");
    if (bytes == 0)
        return TN_OK;
    size_t part = dtype_bytes(dtype_table[t->dtype].part);
    if (!b->data || (uintptr_t)b->data % part != 0)
        return misfit(r, what, index, port, NULL, "has no data, or data that is not aligned");
    return TN_OK;
}

/* An i1 or a 4-bit integer fills a byte, which has room for values that it does not have. */
static tn_status check_range(run *r, size_t index, const type *t, const tn_buffer *b)
{
    char why[64];
    size_t bytes;
    if (!dtype_has_gaps(t->dtype) || !type_bytes(t, &bytes) ||
        dtype_holds(t->dtype, b->data, bytes))
        return TN_OK;
    (void)snprintf(why, sizeof why, "has values out of range: %s", dtype_range(t->dtype));
    return misfit(r, "input", index, &r->p->inputs[index], NULL, why);
}

static bool overlaps(const tn_buffer *a, const tn_buffer *b)
{
    uintptr_t p = (uintptr_t)a->data, q = (uintptr_t)b->data;
    return p && q && p < q + b->bytes && q < p + a->bytes;
}

static tn_status check_counts(run *r, const tn_buffer *in, size_t n_in, const tn_buffer *out,
                              size_t n_out)
{
    const tn_program *p = r->p;
    if (p->engine->plan_only)
        return diag_report(&r->cx.diag, DIAG_Usage, source_of(r), NO_SPAN,
                           "the program was compiled with plan_only: there is no code to run");
    if (n_in < p->n_inputs)
        return diag_report(&r->cx.diag, DIAG_MissingInput, source_of(r), NO_SPAN,
                           "the program has %" PRIu32 " input%s, but %zu are given; input %zu is "
                           "'%s'",
                           p->n_inputs, plural(p->n_inputs), n_in, n_in, p->inputs[n_in].name);
    if (n_in > p->n_inputs || n_out != p->n_outputs)
        return diag_report(&r->cx.diag, DIAG_InputMismatch, source_of(r), NO_SPAN,
                           "%zu input%s and %zu output%s are given; the program has %" PRIu32
                           " and %" PRIu32,
                           n_in, plural(n_in), n_out, plural(n_out), p->n_inputs, p->n_outputs);
    if ((n_in > 0 && !in) || (n_out > 0 && !out))
        return diag_report(&r->cx.diag, DIAG_Usage, source_of(r), NO_SPAN, "the %s are NULL",
                           n_in > 0 && !in ? "inputs" : "outputs");
    return TN_OK;
}

/* What must hold before the extents of inputs can be looked at. */
static tn_status check_open_types(run *r, const tn_buffer *in)
{
    const tn_program *p = r->p;
    for (uint32_t i = 0; i < p->n_inputs; i++) {
        const tn_type *t = &in[i].type, *want = &p->inputs[i].type;
        const bool same_rank = t->rank == want->rank && t->dtype == want->dtype;
        for (uint32_t k = 0; same_rank && k < t->rank; k++) {
            if (t->dims[k] >= 0)
                continue;
            (void)diag_report(&r->cx.diag, DIAG_NegativeDimension, source_of(r), NO_SPAN,
                              "axis %" PRIu32 " of input %" PRIu32
                              " ('%s') is given with extent %" PRId64,
                              k, i, p->inputs[i].name, t->dims[k]);
            return TN_ERR_INPUT; /* the program itself is well-formed */
        }
        if (!public_type_fits(t, want))
            return other_type(r, "input", i, &p->inputs[i], want, t);
    }
    return TN_OK;
}

static tn_status check_buffers(run *r, const tn_buffer *in, const tn_buffer *out)
{
    const tn_program *p = r->p;
    const function *f = module_entry(r->graph);
    for (uint32_t i = 0; i < p->n_inputs; i++) {
        const type *t = value_type(f, f->inputs.at[i]);
        TN_TRY(check_buffer(r, "input", i, &p->inputs[i], t, &in[i]));
        TN_TRY(check_range(r, i, t, &in[i]));
    }
    for (uint32_t i = 0; i < p->n_outputs; i++) {
        const tn_port *port = &r->outputs[i];
        if (!out[i].data)
            continue;
        TN_TRY(check_buffer(r, "output", i, port, value_type(f, f->outputs.at[i]), &out[i]));
        for (uint32_t k = 0; k < i; k++)
            if (overlaps(&out[i], &out[k]))
                return misfit(r, "output", i, port, NULL, "overlaps another output");
    }
    return TN_OK;
}

static void drop(run *r, const tensor *results)
{
    for (uint32_t i = 0; i < r->p->n_outputs; i++)
        memory_free(&r->cx.allocator, results[i].data, type_known_bytes(results[i].type));
}

/* The caller's memory has all of output K. */
static void tell_written(void *user, size_t k)
{
    run *r = user;
    if (!r->out[k].data)
        return;
    r->has_told = true;
    r->written(r->written_user, k);
}

/* Deliver the results: into the caller's memory where it gave some, else in memory that the caller
 * receives. */
static tn_status deliver(run *r, const tensor *results, tn_buffer *out)
{
    const tn_allocator *a = &r->cx.allocator;
    const size_t size = r->p->n_outputs * sizeof(void *);
    void **fresh = memory_alloc(a, size);
    bool ok = fresh != NULL;
    for (uint32_t i = 0; ok && i < r->p->n_outputs; i++) {
        fresh[i] = out[i].data ? NULL : result_new(a, type_known_bytes(results[i].type));
        ok = out[i].data || fresh[i];
        for (uint32_t k = i; !ok && k-- > 0;)
            result_free(a, fresh[k], type_known_bytes(results[k].type));
    }
    for (uint32_t i = 0; ok && i < r->p->n_outputs; i++) {
        const size_t bytes = type_known_bytes(results[i].type);
        if (fresh[i])
            out[i] = (tn_buffer){fresh[i], bytes, r->outputs[i].type};
        if (bytes > 0)
            memcpy(out[i].data, results[i].data, bytes);
        if (!fresh[i] && r->written)
            tell_written(r, i);
    }
    memory_free(a, fresh, size);
    drop(r, results);
    return ok ? TN_OK : diag_no_memory(&r->cx.diag);
}

/* OUT NULL: only to see whether it can be done. */
static tn_status evaluate_run(run *r, eval_run *state, const tn_buffer *in, tn_buffer *out)
{
    const tn_program *p = r->p;
    const function *f = module_entry(r->graph);
    size_t count = (size_t)p->n_inputs + p->n_outputs, size;
    if (!mul_size(count, sizeof(tensor), &size))
        return diag_no_memory(&r->cx.diag);
    r->tensors = memory_alloc(&r->cx.allocator, size);
    if (!r->tensors)
        return diag_no_memory(&r->cx.diag);
    memset(r->tensors, 0, size);
    for (uint32_t i = 0; i < p->n_inputs; i++)
        r->tensors[i] = (tensor){value_type(f, f->inputs.at[i]), in[i].data};
    tensor *results = r->tensors + p->n_inputs;
    tn_status s = evaluate(state, f, r->tensors, results);
    if (s == TN_OK && out)
        s = deliver(r, results, out);
    else if (s == TN_OK)
        drop(r, results);
    memory_free(&r->cx.allocator, r->tensors, size);
    return s;
}

/* ---- runs that are compared with the evaluator ---- */

/* The outputs of a run: their types, which are known before anything is written, and the caller's
 * memory. */
typedef struct expected {
    tensor *want;     /* NULL: not known */
    tn_buffer *given; /* OUT as it was */
    size_t n;
} expected;

static void expected_release(const run *r, expected *x)
{
    const tn_allocator *a = &r->cx.allocator;
    for (size_t i = 0; x->want && i < x->n; i++)
        memory_free(a, x->want[i].data, type_known_bytes(x->want[i].type));
    memory_free(a, x->want, x->n * sizeof *x->want);
    memory_free(a, x->given, x->n * sizeof *x->given);
}

/* What the evaluator makes of the inputs IN, and a copy of OUT. Where the evaluator fails nothing
 * is reported, and no results are expected: the run fails in the same way, and says why. */
static tn_status expect(const run *r, const eval_run *state, const tn_buffer *in,
                        const tn_buffer *out, expected *x)
{
    const function *f = module_entry(r->graph);
    const tn_allocator *a = &r->cx.allocator;
    const size_t n_in = f->inputs.n;
    eval_run quiet = *state;
    quiet.quiet = true;
    x->n = f->outputs.n;
    tensor *inputs = memory_alloc(a, n_in * sizeof *inputs);
    x->want = memory_alloc(a, x->n * sizeof *x->want);
    x->given = memory_alloc(a, x->n * sizeof *x->given);
    tn_status s = inputs && x->want && x->given ? TN_OK : TN_ERR_NOMEM;
    for (size_t i = 0; s == TN_OK && i < n_in; i++)
        inputs[i] = (tensor){value_type(f, f->inputs.at[i]), in[i].data};
    if (s == TN_OK) {
        memset(x->want, 0, x->n * sizeof *x->want);
        memcpy(x->given, out, x->n * sizeof *x->given);
        s = evaluate(&quiet, f, inputs, x->want);
    }
    memory_free(a, inputs, n_in * sizeof *inputs);
    if (s != TN_OK) {
        memory_free(a, x->want, x->n * sizeof *x->want);
        x->want = NULL;
    }
    return s == TN_ERR_NOMEM ? s : TN_OK;
}

/* Every kernel was right. If the results are not, the steps between the kernels are wrong. */
static tn_status compare(run *r, const expected *x, tn_buffer *out)
{
    tn_status s = TN_OK;
    for (size_t i = 0; x->want && i < x->n && s == TN_OK; i++) {
        int64_t at = 0, n;
        if (check_same(x->want[i].type, out[i].data, x->want[i].data, &at, &n))
            continue;
        s = diag_report(&r->cx.diag, DIAG_InternalError, source_of(r), NO_SPAN,
                        "output %zu differs from the reference evaluator, and no kernel does", i);
        check_note(&r->cx.diag, r->graph, r->outputs[i].name, x->want[i].type, out[i].data,
                   x->want[i].data, at, n);
    }
    for (size_t i = 0; s != TN_OK && i < x->n; i++)
        if (!x->given[i].data) {
            result_free(&r->cx.allocator, out[i].data, out[i].bytes);
            out[i] = x->given[i];
        }
    return s;
}

/* As engine_run; with `checks` its results are compared with the evaluator's, too. */
static engine_outcome run_engine(run *r, eval_run *state, const tn_buffer *in, tn_buffer *out,
                                 tn_status *s)
{
    engine *e = r->p->engine;
    expected x = {.want = NULL};
    engine_outcome outcome = ENGINE_FAILED;
    if (e->checks)
        *s = expect(r, state, in, out, &x);
    if (*s == TN_OK)
        outcome = engine_run(e, r->tape, r->graph, state, r->threads, r->profiler, in, out,
                             r->outputs, s);
    else
        *s = diag_no_memory(&r->cx.diag);
    if (outcome == ENGINE_DONE && e->checks && (*s = compare(r, &x, out)) != TN_OK)
        outcome = ENGINE_FAILED;
    expected_release(r, &x);
    return outcome;
}

static tn_status run_checked(run *r, const tn_buffer *in, tn_buffer *out)
{
    const tn_program *p = r->p;
    eval_run state = {.cx = &r->cx,
                      .seed = r->seed,
                      .discards = r->discards,
                      .bytes_limit = r->cx.limits.run_bytes,
                      .most_turns = p->turns,
                      .custom = &p->custom->registry,
                      .deadline = r->deadline,
                      .time_limit = r->time_limit,
                      .cancel = r->cancel,
                      .cancel_user = r->cancel_user,
                      .written = r->written ? tell_written : NULL,
                      .written_user = r};
    tn_status s = TN_OK;
    engine_outcome outcome = ENGINE_RETREAT;
    if (r->tape)
        outcome = run_engine(r, &state, in, out, &s);
    if (outcome == ENGINE_DONE || outcome == ENGINE_FAILED)
        return s;
    const bool only_asks = outcome == ENGINE_DEFECT || r->has_told;
    s = evaluate_run(r, &state, in, only_asks ? NULL : out);
    if (s == TN_OK && only_asks && outcome == ENGINE_RETREAT)
        return diag_no_memory(&r->cx.diag);
    if (s == TN_OK && only_asks)
        return diag_report(&r->cx.diag, DIAG_InternalError, source_of(r), NO_SPAN,
                           "compiled code failed where the reference evaluator does not");
    return s;
}

/* The variant for the extents of IN, held while the run uses it. */
static tn_status run_variant(run *r, const tn_buffer *in, tn_buffer *out)
{
    variant *v = NULL;
    if (!r->p->cache) {
        r->graph = r->p->graph;
        r->outputs = r->p->outputs;
        r->tape = r->p->tape;
    } else {
        TN_TRY(check_open_types(r, in));
        TN_TRY(variant_take(r->p, in, r->cx.diag.sink, r->profiler, r->deadline == 0, &v));
        r->graph = v->graph;
        r->outputs = v->outputs;
        r->tape = v->tape;
    }
    const int64_t start = v ? clock_now() : 0;
    tn_status s = check_buffers(r, in, out);
    if (s == TN_OK)
        s = run_checked(r, in, out);
    if (v)
        variant_give_back(r->p, v, clock_now() - start);
    return s;
}

static bool ask_slow_hook(void *user)
{
    slow_hook *h = user;
    if (pthread_equal(h->caller, pthread_self())) {
        const int64_t now = clock_now();
        if (now >= h->next) {
            h->next = now + h->interval;
            if (h->cancel(h->user))
                atomic_store_explicit(&h->is_cancelled, true, memory_order_relaxed);
        }
    }
    return atomic_load_explicit(&h->is_cancelled, memory_order_relaxed);
}

static void start_slow_hook(run *r, uint64_t interval, slow_hook *h)
{
    const int64_t now = clock_now();
    h->cancel = r->cancel;
    h->user = r->cancel_user;
    h->caller = pthread_self();
    h->interval =
        interval < (uint64_t)(INT64_MAX - now) / 2 ? (int64_t)interval : (INT64_MAX - now) / 2;
    h->next = now + h->interval;
    r->cancel = ask_slow_hook;
    r->cancel_user = h;
}

static void start_clock(run *r, uint64_t limit)
{
    const int64_t now = limit ? clock_now() : 0;
    r->time_limit = limit;
    if (limit)
        r->deadline = limit < (uint64_t)(INT64_MAX - now) ? now + (int64_t)limit : INT64_MAX;
}

tn_status tn_program_run(const tn_program *p, const tn_buffer *in, size_t n_in, tn_buffer *out,
                         size_t n_out, const tn_run_options *options)
{
    tn_run_options o;
    const bool known = OPTIONS_TAKE(tn_run_options, written_user, &o, options);
    const tn_diagnostic_sink *sink = known && o.sink ? o.sink : &p->sink;
    run r = {.p = p,
             .cx = {.allocator = p->allocator, .limits = p->cx->limits},
             .seed = o.seed,
             .discards = o.discards,
             .threads = o.threads,
             .profiler = o.profiler,
             .cancel = o.cancel,
             .cancel_user = o.cancel_user,
             .written = o.discards ? o.written : NULL,
             .written_user = o.written_user,
             .out = out};
    slow_hook slow = {.is_cancelled = false};
    const int64_t begin = r.profiler ? clock_now() : 0;
    start_clock(&r, o.timeout_ns);
    if (o.cancel && o.cancel_interval_ns)
        start_slow_hook(&r, o.cancel_interval_ns, &slow);
    diag_init(&r.cx.diag, &r.cx.allocator, *sink);
    tn_status s =
        known ? TN_OK : OPTIONS_READ(&r.cx.diag, tn_run_options, written_user, &o, options);
    if (s == TN_OK)
        s = check_counts(&r, in, n_in, out, n_out);
    float_modes modes;
    float_modes_set(&modes);
    if (s == TN_OK)
        s = run_variant(&r, in, out);
    float_modes_restore(&modes);
    if (r.profiler)
        engine_tell(r.profiler, "run", "run", begin);
    diag_release(&r.cx.diag);
    return s;
}

void tn_buffer_release(const tn_program *p, tn_buffer *buffer)
{
    result_free(&p->allocator, buffer->data, buffer->bytes);
    *buffer = (tn_buffer){0};
}
