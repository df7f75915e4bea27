/* Running tapes. */
#include <string.h>

#include "base/system/clock.h"
#include "runtime/tape_parts.h"

/* One run. Everything it writes is in the state that it took. */
typedef struct run {
    const tape *t;
    const tape_run_options *o;
    run_state *s;
    uint32_t threads;
    void *const *outputs; /* of the caller */
    tape_result result;
} run;

static bool stop(run *r, tape_outcome outcome, const exe_step_info *s)
{
    r->result.outcome = outcome;
    r->result.step = s ? &s->as : NULL;
    return false;
}

/* Each of these is false when the run must end; r->result then says why. */

enum { STOPPED = INT32_MIN }; /* of a kernel that polled */

static int32_t never_over(const exe_watch *w)
{
    (void)w;
    return 0;
}

static int32_t is_over(const exe_watch *w)
{
    return (w->cancel && w->cancel(w->user)) || (w->deadline && clock_now() >= w->deadline)
               ? STOPPED
               : 0;
}

static bool is_watched(const run *r)
{
    return r->o->deadline != 0 || r->o->cancel;
}

static bool on_time(run *r, const exe_step_info *s)
{
    return r->s->watch.stop(&r->s->watch) == 0 || stop(r, TAPE_STOPPED, s);
}

static bool run_block(run *r, const exe_block_info *b, char **in, char *const *out);

/* ---- kernels and copies ---- */

typedef struct shared_kernel {
    exe_kernel *kernel;
    char *const *buffers;
    char *scratch;
    uint64_t scratch_each;
    const exe_watch *watch; /* NULL: none */
    int64_t first;          /* items of the first piece, where it is watched */
    tape_span *spans;       /* NULL: not asked for */
    atomic_int code;
} shared_kernel;

enum { SHORT = 1000000, LONG = 8000000 }; /* ns */

/* Few bytes and operations take as long as a nanosecond each. */
static int64_t first_piece(const exe_step *s)
{
    const double all = (double)s->bytes + (double)s->flops;
    const double brief = all > 0 ? (double)s->extent * LONG / all : 0;
    const int64_t grain = s->grain > 0 ? s->grain : 1;
    return brief >= (double)s->extent ? s->extent : brief > (double)grain ? (int64_t)brief : grain;
}

/* Work on [BEGIN, END) in pieces of a few milliseconds. */
static int32_t run_watched(const shared_kernel *k, char *scratch, int64_t begin, int64_t end)
{
    int64_t piece = k->first;
    int32_t code = 0;
    for (int64_t at = begin, next; at < end; at = next) {
        if (k->watch->stop(k->watch) != 0)
            return STOPPED;
        const int64_t start = clock_now();
        next = end - at > piece ? at + piece : end;
        const int32_t own = k->kernel(k->buffers, at, next, scratch);
        if (own == STOPPED)
            return own;
        code = own != 0 ? own : code;
        const int64_t took = clock_now() - start;
        if (took < SHORT && piece < INT64_MAX / 2)
            piece *= 2;
        else if (took > LONG && piece > 1)
            piece /= 2;
    }
    return code;
}

static void add_time(tape_span *s, int64_t begin)
{
    const int64_t now = clock_now();
    s->begin = s->begin ? s->begin : begin;
    s->end = now;
    s->busy += now - begin;
}

static void run_share(void *user, int64_t begin, int64_t end, uint32_t worker)
{
    shared_kernel *k = user;
    char *scratch = k->scratch ? k->scratch + worker * k->scratch_each : NULL;
    const int64_t start = k->spans ? clock_now() : 0;
    const int32_t code =
        k->watch ? run_watched(k, scratch, begin, end) : k->kernel(k->buffers, begin, end, scratch);
    if (code != 0)
        atomic_store_explicit(&k->code, code, memory_order_relaxed);
    if (k->spans)
        add_time(&k->spans[worker], start);
}

static bool kernel_ended(run *r, const exe_step_info *s, int32_t code)
{
    if (code == STOPPED)
        return stop(r, TAPE_STOPPED, s);
    r->result.code = code;
    return code == 0 || stop(r, TAPE_KERNEL_FAILED, s);
}

static exe_kernel *code_of(const run *r, const exe_step_info *s)
{
    return atomic_load_explicit(&r->t->code[s->as.code], memory_order_acquire);
}

static bool share_kernel(run *r, const exe_step_info *s, char *const *buffers, uint32_t *threads)
{
    shared_kernel k = {.kernel = code_of(r, s),
                       .buffers = buffers,
                       .scratch = r->s->scratch,
                       .scratch_each = r->t->exe->scratch,
                       .watch = is_watched(r) ? &r->s->watch : NULL,
                       .first = first_piece(&s->as),
                       .spans = r->o->profile ? r->o->profile->spans : NULL};
    if (k.spans)
        memset(k.spans, 0, r->threads * sizeof *k.spans);
    atomic_init(&k.code, 0);
    *threads = workers_run(r->o->workers, r->threads, run_share, &k, s->as.extent, s->as.grain);
    return kernel_ended(r, s, atomic_load_explicit(&k.code, memory_order_relaxed));
}

static bool run_kernel(run *r, const exe_step_info *s, char *const *buffers, uint32_t *threads)
{
    if (s->as.extent <= 0)
        return true;
    if (s->pieces > 1 && (r->threads > 1 || is_watched(r)))
        return share_kernel(r, s, buffers, threads);
    return kernel_ended(r, s, code_of(r, s)(buffers, 0, s->as.extent, r->s->scratch));
}

typedef struct shared_copy {
    char *to;
    const char *from;
    tape_span *spans; /* NULL: not asked for */
} shared_copy;

static void copy_share(void *user, int64_t begin, int64_t end, uint32_t worker)
{
    const shared_copy *c = user;
    const int64_t start = c->spans ? clock_now() : 0;
    memcpy(c->to + begin, c->from + begin, (size_t)(end - begin));
    if (c->spans)
        add_time(&c->spans[worker], start);
}

/* A long one that is watched goes a few milliseconds at a time. It can end the run at step S,
 * unless that is NULL. */
static bool copy(run *r, const exe_step_info *s, char *to, const char *from, uint64_t bytes,
                 uint32_t *threads)
{
    enum { PIECE = 8 << 20 };
    const bool in_pieces = s && is_watched(r) && bytes > PIECE;
    tape_span *spans = r->o->profile ? r->o->profile->spans : NULL;
    if (to == from)
        return true;
    if (spans)
        memset(spans, 0, r->threads * sizeof *spans);
    for (uint64_t at = 0, n; at < bytes; at += n) {
        shared_copy c = {to + at, from + at, spans};
        n = in_pieces && bytes - at > PIECE ? PIECE : bytes - at;
        if (in_pieces && !on_time(r, s))
            return false;
        *threads = workers_run(r->o->workers, r->threads, copy_share, &c, (int64_t)n, COPY_GRAIN);
    }
    return true;
}

/* ---- control flow ---- */

static bool run_cond(run *r, const exe_step_info *s, char **at)
{
    const uint32_t n = s->as.n_read - 1;
    char **in = at + s->as.n_read + s->as.n_written;
    memcpy(in, at + 1, n * sizeof *in);
    return run_block(r, &r->t->exe->blocks.at[s->as.region[*(const uint8_t *)at[0] ? 0 : 1]], in,
                     at + s->as.n_read);
}

/* Where the next iteration writes value K of a WHILE, which is at NOW. Another place, unless the
 * body updates it in place, or passes it on and the condition does not write there again. */
static char *next_place(const exe_block_info *body, uint32_t k, char *at_now, char *operand,
                        char *result, char *spare, char *checked)
{
    if (body->pass[k] == k && at_now != checked)
        return at_now;
    if (body->update[k] == k)
        return at_now == operand || at_now == checked ? result : at_now;
    return at_now == result ? spare : result;
}

static bool run_while(run *r, const exe_step_info *s, char **at)
{
    const exe_block_info *cond = &r->t->exe->blocks.at[s->as.region[0]];
    const exe_block_info *body = &r->t->exe->blocks.at[s->as.region[1]];
    const uint32_t n = s->as.n_read;
    char **operands = at, **results = at + n, **spare = results + n, **copies = spare + n;
    char *go_on = copies[n];
    char **value = copies + n + 1, **checked = value + n, **next = checked + n + 1;
    memcpy(value, operands, n * sizeof *value);
    for (;;) {
        if (!on_time(r, s))
            return false;
        checked[0] = go_on;
        for (uint32_t k = 0; k < n; k++)
            checked[1 + k] = cond->pass[1 + k] == k ? value[k] : copies[k];
        if (!run_block(r, cond, value, checked))
            return false;
        if (!*(const uint8_t *)go_on)
            break;
        for (uint32_t k = 0; k < n; k++)
            next[k] =
                next_place(body, k, checked[1 + k], operands[k], results[k], spare[k], copies[k]);
        if (!run_block(r, body, checked + 1, next))
            return false;
        memcpy(value, next, n * sizeof *value);
    }
    for (uint32_t k = 0, threads; k < n; k++)
        if (!copy(r, s, results[k], checked[1 + k], body->output_bytes[k], &threads))
            return false;
    return true;
}

static bool run_scan(run *r, const exe_step_info *s, char **at)
{
    const exe_block_info *body = &r->t->exe->blocks.at[s->as.region[0]];
    const uint32_t n_in = s->as.n_read, n_out = s->as.n_written, n = s->as.n_carries;
    char **results = at + n_in, **spare = results + n_out;
    char **in = spare + n, **out = in + n_in, **value = spare + n;
    memcpy(in, at, n * sizeof *in);
    for (int64_t iteration = 0; iteration < s->as.iterations; iteration++) {
        if (!on_time(r, s))
            return false;
        for (uint32_t k = 0; k < n; k++) {
            const bool is_result = body->update[k] == k || (s->as.iterations - iteration) % 2 == 1;
            out[k] = body->pass[k] == k ? value[k] : is_result ? results[k] : spare[k];
        }
        for (uint32_t k = n; k < n_in; k++)
            in[k] = at[k] + (uint64_t)iteration * body->input_bytes[k];
        for (uint32_t k = n; k < n_out; k++)
            out[k] = results[k] + (uint64_t)iteration * body->output_bytes[k];
        if (!run_block(r, body, in, out))
            return false;
        memcpy(value, out, n * sizeof *value);
    }
    for (uint32_t k = 0, threads; k < n; k++)
        if (!copy(r, s, results[k], value[k], body->output_bytes[k], &threads))
            return false;
    return true;
}

/* ---- blocks ---- */

static bool run_step(run *r, const exe_step_info *s, char **at, uint32_t *threads)
{
    tn_status status;
    switch (s->as.kind) {
    case EXE_KERNEL:
        return run_kernel(r, s, at, threads);
    case EXE_COPY:
        return copy(r, s, at[1], at[0], s->as.bytes, threads);
    case EXE_COND:
        return run_cond(r, s, at);
    case EXE_WHILE:
        return run_while(r, s, at);
    case EXE_SCAN:
        return run_scan(r, s, at);
    case EXE_HOST:
    default:
        status = r->t->calls[s->as.call](s->as.what, at, r->o->host);
        if (status == TN_OK)
            return true;
        r->result.status = status;
        return stop(r, TAPE_HOST_FAILED, s);
    }
}

/* Does output K of the program lie in the caller's memory, with all its bytes after some step? */
static bool is_direct(const run *r, uint32_t k)
{
    const uint32_t n_inputs = r->t->exe->blocks.at[0].n_inputs;
    return r->t->exe->last_step[k] != NEVER && r->s->given[n_inputs + k] == r->outputs[k];
}

/* Tell of the outputs that have all their bytes after step I of B, the last that names them. */
static void tell_written(const run *r, const exe_block_info *b, uint32_t i)
{
    const executable *x = r->t->exe;
    for (uint32_t k = 0; b == &x->blocks.at[0] && k < b->n_outputs; k++)
        if (x->last_step[k] == i && is_direct(r, k))
            r->o->written(r->o->written_user, k);
}

static bool run_steps_watched(run *r, const exe_block_info *b, char **table)
{
    const tape_profile *profile = r->o->profile;
    for (uint32_t i = 0; i < b->steps.n; i++) {
        const exe_step_info *s = &b->steps.at[i];
        uint32_t threads = 1;
        const int64_t begin = profile ? clock_now() : 0;
        if (!on_time(r, s) || !run_step(r, s, table + s->table, &threads))
            return false;
        if (profile)
            profile->step(profile->user, &s->as, begin, clock_now(), threads);
        if (r->o->written)
            tell_written(r, b, i);
    }
    return true;
}

static bool run_steps(run *r, const exe_block_info *b, char **table)
{
    uint32_t threads;
    for (uint32_t i = 0; i < b->steps.n; i++)
        if (!run_step(r, &b->steps.at[i], table + b->steps.at[i].table, &threads))
            return false;
    return true;
}

/* Where an output is an input updated in place, both use the memory of the output, and IN is
 * changed accordingly. Outputs that are inputs are copied, unless they have the same memory. */
static bool run_block(run *r, const exe_block_info *b, char **in, char *const *out)
{
    char **table = r->s->table + b->table;
    const exe_step_info *some = b->steps.n > 0 ? b->steps.at : NULL;
    uint32_t threads;
    for (uint32_t k = 0; b->has_updates && k < b->n_outputs; k++) {
        if (b->update[k] == NEVER)
            continue;
        if (!copy(r, some, out[k], in[b->update[k]], b->output_bytes[k], &threads))
            return false;
        in[b->update[k]] = out[k];
    }
    for (uint32_t i = 0; i < b->ports.n; i++) {
        const exe_port *p = &b->ports.at[i];
        char *base = p->is_output ? out[p->index] : in[p->index];
        table[p->at] = p->offset ? base + p->offset : base; /* nothing may lie nowhere */
    }
    if (!(r->o->profile || r->o->written || is_watched(r) ? run_steps_watched : run_steps)(r, b,
                                                                                           table))
        return false;
    for (uint32_t k = 0; b->has_passes && k < b->n_outputs; k++)
        if (b->pass[k] != NEVER &&
            !copy(r, some, out[k], in[b->pass[k]], b->output_bytes[k], &threads))
            return false;
    return true;
}

/* ---- the program ---- */

static bool overlaps_input(const exe_block_info *b, uint32_t k, const void *const *in,
                           const char *out)
{
    const uint64_t bytes = b->output_bytes[k];
    for (uint32_t i = 0; i < b->n_inputs; i++)
        if (!((b->over[k] & exe_input_bit(i)) && out == (const char *)in[i]) &&
            (uintptr_t)out < (uintptr_t)in[i] + b->input_bytes[i] &&
            (uintptr_t)in[i] < (uintptr_t)out + bytes)
            return true;
    return false;
}

/* Put guarded outputs that must not be written before the end into memory of the run. */
static bool stage_outputs(run *r, const void *const *inputs, char **out)
{
    const exe_block_info *b = &r->t->exe->blocks.at[0];
    run_state *s = r->s;
    uint64_t total = 0;
    for (uint32_t k = 0; k < b->n_outputs; k++) {
        uint64_t bytes;
        const bool is_early = r->t->exe->is_early[k] && !r->o->discards;
        const bool staged = r->o->guarded[k] && (is_early || overlaps_input(b, k, inputs, out[k]));
        if (!staged || !exe_rounded(b->output_bytes[k], &bytes))
            continue;
        out[k] = NULL;
        if (__builtin_add_overflow(total, bytes, &total) || total > PTRDIFF_MAX / 2)
            return false;
    }
    if (total == 0)
        return true;
    if (s->staged_bytes < total + EXE_ALIGN) {
        const tn_allocator *a = &r->t->allocator;
        memory_free(a, s->staged_block, s->staged_bytes);
        s->staged_bytes = 0;
        s->staged_block = memory_alloc(a, (size_t)total + EXE_ALIGN);
        if (!s->staged_block)
            return false;
        s->staged_bytes = (size_t)total + EXE_ALIGN;
    }
    char *at = (char *)s->staged_block + (-(uintptr_t)s->staged_block & (EXE_ALIGN - 1));
    for (uint32_t k = 0; k < b->n_outputs; k++) {
        uint64_t bytes = 0;
        if (out[k] || !exe_rounded(b->output_bytes[k], &bytes))
            continue;
        out[k] = at;
        at += bytes;
    }
    return true;
}

static void run_program(run *r, const void *const *inputs, void *const *outputs)
{
    const exe_block_info *b = &r->t->exe->blocks.at[0];
    char **in = r->s->given, **out = in + b->n_inputs;
    for (uint32_t i = 0; i < b->n_inputs; i++)
        in[i] = (char *)(uintptr_t)inputs[i];
    for (uint32_t k = 0; k < b->n_outputs; k++)
        out[k] = outputs[k];
    if (r->o->guarded && !stage_outputs(r, inputs, out)) {
        (void)stop(r, TAPE_NO_MEMORY, NULL);
        return;
    }
    if (!run_block(r, b, in, out))
        return;
    for (uint32_t k = 0, threads; r->o->guarded && k < b->n_outputs; k++)
        (void)copy(r, NULL, outputs[k], out[k], b->output_bytes[k], &threads);
    for (uint32_t k = 0; r->o->written && k < b->n_outputs; k++)
        if (!is_direct(r, k))
            r->o->written(r->o->written_user, k);
}

tape_result tape_run(tape *t, const void *const *inputs, void *const *outputs,
                     const tape_run_options *options)
{
    run r = {.t = t, .o = options, .outputs = outputs, .threads = workers_count(options->workers)};
    if (options->threads > 0 && options->threads < r.threads)
        r.threads = options->threads;
    r.s = tape_state_take(t, r.threads);
    if (!r.s) {
        r.result.outcome = TAPE_NO_MEMORY;
        return r.result;
    }
    r.s->watch = (exe_watch){.stop = is_watched(&r) ? is_over : never_over,
                             .deadline = options->deadline,
                             .cancel = options->cancel,
                             .user = options->cancel_user};
    run_program(&r, inputs, outputs);
    tape_state_give_back(t, r.s);
    return r.result;
}
