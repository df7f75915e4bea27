/* Runs programs in every way there is and compares each with the reference evaluator, bit by bit.
 *
 * Standard input has one program a line, its fields separated by tabs:
 *
 *     file=PATH  dialect=NAME  profile=core-v1  strict  entry=NAME  dim=SYM=N
 *     in=NAME=PATH.npy   an input, by name or position; others are random
 *     lib=LEVEL=SYMBOL=PATH   a shared object made ahead of time at -O LEVEL: its entry, and the
 *                             bytes of workspace behind a colon: SYMBOL:BYTES
 *     levels=DIGITS           of -O; else 012
 *     spread=SEED             fewer ways, which go on with SEED (ways.h); else all
 *     random=SEED             of the inputs that are
 *     save=PATH               write the inputs to PATH.in, and to PATH.out the results of -O0
 *                             behind a status of four bytes, 0 or 1
 *     nans                    all bits of NaNs count; else one is as good as another
 *     draw=SEED               only write a random program to PATH, as the text of PTIR
 *
 * An argument names a folder for the code of a program while it is judged, so that what is the same
 * at several levels is compiled once.
 *
 * For each line `ok RUNS` or `fault WHAT` is printed. The engine runs at every level, for every
 * processor that this one can stand for and several numbers of threads, with work cut into the
 * smallest pieces; then each kernel with guard pages before and behind all its memory. The
 * evaluator runs once more without streams, and at -O1 has the results of the program as it is
 * written. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/programs/programs.h"
#include "drawn.h"
#include "guarded.h"
#include "io/npy.h"
#include "runtime/tape_parts.h"
#include "runtime/workers.h"
#include "scalar/dtype.h"
#include "ways.h"

enum { MOST = 64, LEVELS = 3, MOST_THREADS = 8 };

static const uint32_t threads[] = {1, 2, 3, MOST_THREADS};

typedef struct given {
    const char *name, *path;
} given;

typedef struct library {
    int level;
    const char *symbol, *path;
    size_t workspace;
} library;

typedef struct job {
    tn_read_options read;
    const char *file;
    given inputs[MOST];
    tn_binding dims[MOST];
    library libraries[MOST];
    uint32_t n_inputs, n_dims, n_libraries;
    const char *save;
    ways ways;
    uint64_t seed, drawn;
    bool nans_count, is_drawn;
    char fault[512];
    unsigned runs;
} job;

/* What all programs share. */
typedef struct shared {
    const char *folders[2]; /* of optimised and of baseline code, which would not be made where the
                               cache has the former; NULL: nothing is kept */
    workers *workers;       /* MOST_THREADS */
} shared;

/* A program and its data; the results of the evaluator at one level. */
typedef struct state {
    job *j;
    const shared *all;
    tn_module *m;
    context *cx;
    tn_buffer *in, *want;
    array arrays[MOST];
    size_t n_in, n_out;
    tn_status status; /* of the evaluator */
} state;

#define FAULT(job, ...) ((void)snprintf((job)->fault, sizeof(job)->fault, __VA_ARGS__), false)

/* ---- one line ---- */

static bool read_field(job *j, char *field)
{
    char *value = strchr(field, '=');
    char *second = value ? strchr(value + 1, '=') : NULL;
    if (value)
        *value++ = '\0';
    if (strcmp(field, "strict") == 0) {
        j->read.strict = true;
    } else if (value && strcmp(field, "file") == 0) {
        j->file = value;
    } else if (value && strcmp(field, "dialect") == 0) {
        j->read.dialect = value;
    } else if (value && strcmp(field, "profile") == 0) {
        j->read.profile = TN_PROFILE_CORE_V1;
    } else if (value && strcmp(field, "entry") == 0) {
        j->read.entry = value;
    } else if (value && strcmp(field, "levels") == 0) {
        j->ways.levels = value;
    } else if (value && strcmp(field, "spread") == 0) {
        j->ways.seed = strtoull(value, NULL, 10);
        j->ways.is_spread = true;
    } else if (value && strcmp(field, "save") == 0) {
        j->save = value;
    } else if (value && strcmp(field, "random") == 0) {
        j->seed = strtoull(value, NULL, 10);
    } else if (value && strcmp(field, "draw") == 0) {
        j->drawn = strtoull(value, NULL, 10);
        j->is_drawn = true;
    } else if (strcmp(field, "nans") == 0) {
        j->nans_count = true;
    } else if (second && strcmp(field, "in") == 0 && j->n_inputs < MOST) {
        *second = '\0';
        j->inputs[j->n_inputs++] = (given){value, second + 1};
    } else if (second && strcmp(field, "dim") == 0 && j->n_dims < MOST) {
        *second = '\0';
        j->dims[j->n_dims++] = (tn_binding){value, strtoll(second + 1, NULL, 10)};
    } else if (second && strcmp(field, "lib") == 0 && j->n_libraries < MOST) {
        char *path = strchr(second + 1, '='), *bytes = strchr(second + 1, ':');
        if (!path || !bytes)
            return false;
        *second = *path = *bytes = '\0';
        j->libraries[j->n_libraries++] =
            (library){atoi(value), second + 1, path + 1, (size_t)strtoull(bytes + 1, NULL, 10)};
    } else {
        return false;
    }
    return true;
}

static bool read_job(job *j, char *line)
{
    *j = (job){.ways = {.levels = "012"}, .seed = 7};
    for (char *field = strtok(line, "\t\n"); field; field = strtok(NULL, "\t\n"))
        if (!read_field(j, field))
            return FAULT(j, "field '%s' is not known", field);
    return j->file || FAULT(j, "no file");
}

/* ---- data ---- */

static tn_program *compile(const state *s, const char *name, const char *cpu, int level, bool eager)
{
    const char *folder = s->all->folders[!eager];
    const tn_cache_options kept = {.size = sizeof kept, .folder = folder, .off = !folder};
    static const tn_level levels[] = {TN_LEVEL_0, TN_LEVEL_1, TN_LEVEL_2};
    const tn_compile_options o = {.size = sizeof o,
                                  .level = levels[level],
                                  .engine = name,
                                  .cpu = cpu,
                                  .threads = 1, /* one module of LLVM for many kernels */
                                  .cache = &kept,
                                  .bindings = s->j->dims,
                                  .n_bindings = s->j->n_dims,
                                  .eager = eager};
    tn_program *p = NULL;
    if (tn_program_compile(s->m, &o, &p) != TN_OK)
        return NULL;
    p->engine->threads = MOST_THREADS;
    atomic_store(&p->engine->workers, s->all->workers); /* lent, since threads take long to start */
    return p;
}

static void forget(tn_program *p)
{
    if (p)
        atomic_store(&p->engine->workers, NULL);
    tn_program_free(p);
}

static const char *path_of(const job *j, const tn_program *p, size_t i)
{
    char number[24];
    tn_port own;
    (void)snprintf(number, sizeof number, "%zu", i);
    if (tn_program_input(p, i, &own) != TN_OK)
        return NULL;
    for (uint32_t k = 0; k < j->n_inputs; k++)
        if (strcmp(j->inputs[k].name, own.name) == 0 || strcmp(j->inputs[k].name, number) == 0)
            return j->inputs[k].path;
    return NULL;
}

static bool load_input(state *s, const tn_program *p, size_t i)
{
    const char *path = path_of(s->j, p, i);
    array *a = &s->arrays[i];
    tn_port own;
    if (tn_program_input(p, i, &own) != TN_OK)
        return FAULT(s->j, "no input %zu", i);
    *a = (array){.dtype = own.type.dtype, .rank = own.type.rank};
    memcpy(a->dims, own.type.dims, a->rank * sizeof *a->dims);
    if (path ? npy_read(s->cx, path, a) != TN_OK : array_alloc(s->cx, "input", a) != TN_OK)
        return FAULT(s->j, "input %s has no data", own.name);
    s->in[i] = (tn_buffer){.data = a->data, .bytes = a->bytes, .type = own.type};
    memcpy(s->in[i].type.dims, a->dims, a->rank * sizeof *a->dims);
    if (!path && tn_program_random_input(p, i, s->j->seed, &s->in[i]) != TN_OK)
        return FAULT(s->j, "input %s cannot be random", own.name);
    return true;
}

static bool load_inputs(state *s)
{
    tn_program *p = compile(s, "ref", NULL, 0, true);
    bool ok = p != NULL;
    if (!p)
        return FAULT(s->j, "cannot be compiled for the evaluator");
    s->n_in = tn_program_input_count(p);
    s->n_out = tn_program_output_count(p);
    s->in = calloc(s->n_in + 1, sizeof *s->in);
    s->want = calloc(s->n_out + 1, sizeof *s->want);
    if (!s->in || !s->want || s->n_in > MOST)
        ok = FAULT(s->j, "too many inputs");
    for (size_t i = 0; ok && i < s->n_in; i++)
        ok = load_input(s, p, i);
    forget(p);
    return ok;
}

/* ---- comparing ---- */

static bool is_nan(tn_dtype part, const char *at)
{
    const scalar x = scalar_load(part, at);
    return x.kind == DTYPE_FLOAT && isnan(x.f);
}

static bool same(const job *j, const tn_type *t, const char *a, const char *b, size_t bytes,
                 size_t *at)
{
    const tn_dtype part = dtype_table[t->dtype].part;
    const size_t size = dtype_bytes(part);
    if (memcmp(a, b, bytes) == 0)
        return true;
    for (*at = 0; *at < bytes; *at += size)
        if (memcmp(a + *at, b + *at, size) != 0 &&
            !(!j->nans_count && is_nan(part, a + *at) && is_nan(part, b + *at)))
            return false;
    return true;
}

static bool judge(state *s, tn_status status, const tn_buffer *got, const char *what)
{
    size_t at = 0;
    s->j->runs++;
    if ((status == TN_OK) != (s->status == TN_OK))
        return FAULT(s->j, "%s: status %d, the evaluator's is %d", what, (int)status,
                     (int)s->status);
    for (size_t k = 0; status == TN_OK && k < s->n_out; k++)
        if (got[k].bytes < s->want[k].bytes ||
            !same(s->j, &s->want[k].type, got[k].data, s->want[k].data, s->want[k].bytes, &at))
            return FAULT(s->j, "%s: output %zu differs at byte %zu", what, k, at);
    return true;
}

static void drop(const tn_program *p, tn_buffer *out, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (out[k].data)
            tn_buffer_release(p, &out[k]);
}

/* ---- by the evaluator, without its streams ---- */

/* Streams read through the index maps that plans and loops use, too, so they may not be the only
 * judge: here every value is held, and moved by kernels of its own. P is for the evaluator. What no
 * memory holds is passed over. */
static bool run_held(state *s, tn_program *p, int level)
{
    enum { HELD = 1 << 28 };
    char what[64];
    const function *f = module_entry(p->graph);
    const bool fits = !p->cache && s->n_in == f->inputs.n && s->n_out == f->outputs.n;
    tensor *all = calloc(s->n_in + s->n_out + 1, sizeof *all), *out = all ? all + s->n_in : NULL;
    tn_buffer *got = calloc(s->n_out + 1, sizeof *got);
    eval_run run = {.cx = s->cx, .seed = 5, .bytes_limit = HELD, .quiet = true, .holds_all = true};
    for (size_t i = 0; all && fits && i < s->n_in; i++)
        all[i] = (tensor){value_type(f, f->inputs.at[i]), s->in[i].data};
    const tn_status status = all && got && fits ? evaluate(&run, f, all, out) : TN_ERR_NOMEM;
    for (size_t k = 0; status == TN_OK && k < s->n_out; k++) {
        size_t bytes = 0;
        (void)type_bytes(out[k].type, &bytes);
        got[k] = (tn_buffer){.data = out[k].data, .bytes = bytes, .type = s->want[k].type};
    }
    (void)snprintf(what, sizeof what, "-O%d, the evaluator without streams", level);
    const bool ok = status == TN_ERR_NOMEM || judge(s, status, got, what);
    for (size_t k = 0; status == TN_OK && k < s->n_out; k++)
        memory_free(&s->cx->allocator, out[k].data, got[k].bytes);
    free(got);
    free(all);
    return ok;
}

/* ---- by the engine ---- */

/* Every item may go to another thread. */
static void cut_small(tape *t)
{
    for (uint32_t b = 0; t && b < t->exe->blocks.n; b++)
        for (uint32_t i = 0; i < t->exe->blocks.at[b].steps.n; i++) {
            exe_step_info *step = &t->exe->blocks.at[b].steps.at[i];
            if (step->as.kind != EXE_KERNEL || step->as.extent < 2)
                continue;
            step->as.grain = 1;
            step->pieces = step->as.extent;
            t->exe->uses_threads = true;
        }
}

/* All kernels between guard pages, which changes P for good. */
static bool run_guarded(state *s, tn_program *p, tn_buffer *got, const char *what)
{
    guarded_tape g = {0};
    const tn_run_options o = {.threads = 1, .seed = 5};
    bool ok = !p->tape || guarded_tape_init(&g, p->tape) || FAULT(s->j, "no guard pages");
    for (int side = 0; ok && p->tape && side < 2; side++) {
        g.memory.at_end = side == 0;
        g.in_pieces = side == 1;
        const tn_status status = tn_program_run(p, s->in, s->n_in, got, s->n_out, &o);
        ok = !*g.fault || FAULT(s->j, "%s: %s", what, g.fault);
        ok = ok && judge(s, status, got, what);
        drop(p, got, s->n_out);
    }
    guards_release(&g.memory);
    return ok;
}

/* A run that is asked whether to stop does its work in pieces. */
static bool never(void *user)
{
    (void)user;
    return false;
}

/* Code that is compiled in little time, which stays. */
static bool run_baseline(state *s, int level, const char *cpu)
{
    char what[64];
    const tn_run_options o = {.threads = MOST_THREADS, .seed = 5};
    cpu = cpu ? cpu : "native";
    tn_program *p = compile(s, "jit", cpu, level, false);
    tn_buffer *got = calloc(s->n_out + 1, sizeof *got);
    bool ok = p && got;
    (void)snprintf(what, sizeof what, "-O%d %s, baseline code", level, cpu);
    if (!ok)
        (void)FAULT(s->j, "%s: does not compile", what);
    if (ok) {
        p->engine->eager = true; /* nothing is exchanged */
        cut_small(p->tape);
        const tn_status status = tn_program_run(p, s->in, s->n_in, got, s->n_out, &o);
        ok = judge(s, status, got, what);
        drop(p, got, s->n_out);
    }
    ok = ok && run_guarded(s, p, got, what);
    free(got);
    forget(p);
    return ok;
}

static bool run_engine(state *s, int level, const char *cpu)
{
    char what[64];
    cpu = cpu ? cpu : "native";
    tn_program *p = compile(s, "jit", cpu, level, true);
    tn_buffer *got = calloc(s->n_out + 1, sizeof *got);
    bool ok = p && got;
    if (!ok)
        (void)FAULT(s->j, "-O%d %s: does not compile", level, cpu);
    if (ok)
        cut_small(p->tape);
    for (size_t k = 0; ok && k < sizeof threads / sizeof *threads; k++) {
        const tn_run_options o = {
            .threads = threads[k], .seed = 5, .cancel = threads[k] == 2 ? never : NULL};
        (void)snprintf(what, sizeof what, "-O%d %s, %u threads", level, cpu, (unsigned)threads[k]);
        const tn_status status = tn_program_run(p, s->in, s->n_in, got, s->n_out, &o);
        ok = judge(s, status, got, what);
        drop(p, got, s->n_out);
    }
    (void)snprintf(what, sizeof what, "-O%d %s, guarded", level, cpu);
    ok = ok && run_guarded(s, p, got, what);
    free(got);
    forget(p);
    return ok;
}

/* ---- ahead of time ---- */

typedef int entry(const void *const *inputs, void *const *outputs, void *workspace);

/* A call of an entry. */
typedef struct entry_call {
    entry *run;
    const void **in;
    void **out;
    void *work;
    int status;
} entry_call;

static void call_entry(void *user)
{
    entry_call *c = user;
    c->status = c->run(c->in, c->out, c->work);
}

/* C has the room for pointers; all memory is between guard pages, with no more than its alignment.
 */
static bool run_entry(state *s, const library *l, guards *g, entry_call *c, tn_buffer *got)
{
    bool ok = (c->work = guards_take(g, l->workspace, 64)) != NULL;
    for (size_t i = 0; ok && i < s->n_in; i++) {
        char *to = guards_take(g, s->in[i].bytes, 1);
        ok = to != NULL;
        if (ok && s->in[i].bytes)
            memcpy(to, s->in[i].data, s->in[i].bytes);
        c->in[i] = to;
    }
    for (size_t k = 0; ok && k < s->n_out; k++) {
        c->out[k] = guards_take(g, s->want[k].bytes, 1);
        got[k] = (tn_buffer){c->out[k], s->want[k].bytes, s->want[k].type};
        ok = c->out[k] != NULL;
    }
    if (!ok)
        return FAULT(s->j, "no room between guard pages");
    if (!guards_call(call_entry, c))
        return FAULT(s->j, "%s: touches memory beside its buffers", l->path);
    return judge(s, c->status == 0 ? TN_OK : TN_ERR_RUN, got, l->path);
}

static bool run_library(state *s, const library *l)
{
    void *handle = dlopen(l->path, RTLD_NOW | RTLD_LOCAL);
    void *symbol = handle ? dlsym(handle, l->symbol) : NULL;
    const size_t n = s->n_in + s->n_out + 1;
    entry_call c = {.in = calloc(n, sizeof *c.in), .out = calloc(n, sizeof *c.out)};
    tn_buffer *got = calloc(n, sizeof *got);
    guards g = {0};
    bool ok = symbol && c.in && c.out && got && guards_init(&g);
    if (!ok)
        (void)FAULT(s->j, "%s: %s", l->path, symbol ? "no memory" : dlerror());
    if (ok)
        memcpy(&c.run, &symbol, sizeof c.run);
    for (int side = 0; ok && side < 2; side++) {
        g.at_end = side == 0;
        ok = run_entry(s, l, &g, &c, got);
        guards_clear(&g);
    }
    guards_release(&g);
    free(c.in);
    free(c.out);
    free(got);
    if (handle)
        (void)dlclose(handle);
    return ok;
}

/* ---- all ---- */

/* Code made ahead of time writes outputs also where the evaluator fails and makes none. */
static void size_output(state *s, const tn_program *p, size_t k)
{
    tn_port own;
    if (tn_program_output(p, k, &own) != TN_OK)
        return;
    s->want[k] = (tn_buffer){.bytes = tn_dtype_size(own.type.dtype), .type = own.type};
    for (uint32_t i = 0; i < own.type.rank; i++)
        s->want[k].bytes *= own.type.dims[i] > 0 ? (size_t)own.type.dims[i] : 0;
}

/* Is a program endless? Questions are counted, so that no machine is too slow. */
static bool has_had_enough(void *user)
{
    enum { ENOUGH = 1 << 22 };
    unsigned *asked = user;
    return ++*asked >= ENOUGH;
}

/* The N tensors AT, behind STATUS where that is not NULL. */
static bool save(state *s, const char *extension, const int32_t *status, const tn_buffer *at,
                 size_t n)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s.%s", s->j->save, extension);
    FILE *f = fopen(path, "wb");
    bool ok = f && (!status || fwrite(status, sizeof *status, 1, f) == 1);
    for (size_t k = 0; ok && k < n; k++)
        ok = fwrite(at[k].data, 1, at[k].bytes, f) == at[k].bytes;
    ok = f && fclose(f) == 0 && ok;
    return ok || FAULT(s->j, "cannot write %.400s", path);
}

static bool save_all(state *s)
{
    tn_program *p = compile(s, "ref", NULL, 0, true);
    const tn_run_options o = {.seed = 5};
    bool ok = p != NULL;
    if (!ok)
        return FAULT(s->j, "does not compile");
    const tn_status ended = tn_program_run(p, s->in, s->n_in, s->want, s->n_out, &o);
    const int32_t status = ended != TN_OK;
    ok = save(s, "in", NULL, s->in, s->n_in) &&
         save(s, "out", &status, s->want, status ? 0 : s->n_out);
    drop(p, s->want, s->n_out);
    forget(p);
    return ok;
}

/* The program as it is written, by the evaluator, against the results at another level, which may
 * only leave out what fails. */
static bool run_written(state *s)
{
    tn_program *p = compile(s, "ref", NULL, 0, true);
    tn_buffer *got = calloc(s->n_out + 1, sizeof *got);
    unsigned asked = 0;
    const tn_run_options o = {
        .seed = 5, .threads = 1, .cancel = has_had_enough, .cancel_user = &asked};
    const tn_status status =
        p && got ? tn_program_run(p, s->in, s->n_in, got, s->n_out, &o) : TN_ERR_NOMEM;
    const bool ok = status != TN_OK || judge(s, status, got, "-O0 against -O1, the evaluator");
    if (status == TN_OK)
        drop(p, got, s->n_out);
    free(got);
    forget(p);
    return ok;
}

static bool judge_level(state *s, int level)
{
    tn_program *p = compile(s, "ref", NULL, level, true);
    unsigned asked = 0;
    const tn_run_options o = {
        .seed = 5, .threads = 1, .cancel = has_had_enough, .cancel_user = &asked};
    if (!p)
        return FAULT(s->j, "-O%d: does not compile", level);
    s->status = tn_program_run(p, s->in, s->n_in, s->want, s->n_out, &o);
    for (size_t k = 0; s->status != TN_OK && k < s->n_out; k++)
        size_output(s, p, k);
    bool ok =
        s->status == TN_OK || !has_had_enough(&asked) || FAULT(s->j, "-O%d: does not end", level);
    if (ok && s->status == TN_ERR_NOMEM) /* kernels may never have to hold it */
        ok = FAULT(s->j, "-O%d: too large to hold", level);
    ok = ok && run_held(s, p, level) && (level != 1 || run_written(s));
    for (size_t c = 0; ok && c < ways_cpus(); c++)
        ok = (!ways_takes(&s->j->ways, level, c, false) || run_engine(s, level, ways_cpu(c))) &&
             (!ways_takes(&s->j->ways, level, c, true) || run_baseline(s, level, ways_cpu(c)));
    for (uint32_t k = 0; ok && k < s->j->n_libraries; k++)
        if (s->j->libraries[k].level == level)
            ok = run_library(s, &s->j->libraries[k]);
    drop(p, s->want, s->n_out);
    forget(p);
    return ok;
}

/* The folders keep nothing for the next program. */
static void clear(context *cx, const shared *all)
{
    for (int i = 0; cx && i < 2; i++) {
        const tn_cache_options o = {.size = sizeof o, .folder = all->folders[i]};
        tn_cache_state left = {.size = sizeof left};
        if (o.folder)
            (void)tn_cache_clear(cx, &o, &left);
    }
}

static bool judge_job(job *j, const shared *all)
{
    state s = {.j = j, .all = all, .cx = context_new(NULL, NULL)};
    bool ok = s.cx && tn_module_read_file(s.cx, &j->read, j->file, &s.m) == TN_OK;
    if (!ok)
        (void)FAULT(j, "cannot be read");
    ok = ok && load_inputs(&s) && (!j->save || save_all(&s));
    for (int level = 0; ok && level < LEVELS; level++)
        ok = !ways_has_level(&j->ways, level) || judge_level(&s, level);
    for (size_t i = 0; s.cx && i < MOST; i++)
        array_release(s.cx, &s.arrays[i]);
    free(s.in);
    free(s.want);
    tn_module_free(s.m);
    clear(s.cx, all);
    context_free(s.cx);
    return ok;
}

static bool draw_job(job *j)
{
    return drawn_write(j->drawn, j->file) || FAULT(j, "the program has no text as PTIR");
}

int main(int argc, char **argv)
{
    static char line[1 << 16], optimised[4096], baseline[4096];
    shared all = {.workers = workers_new(&memory_system, MOST_THREADS)};
    job j;
    if (argc > 1) {
        (void)snprintf(optimised, sizeof optimised, "%s/optimised", argv[1]);
        (void)snprintf(baseline, sizeof baseline, "%s/baseline", argv[1]);
        all.folders[0] = optimised;
        all.folders[1] = baseline;
    }
    while (fgets(line, sizeof line, stdin)) {
        if (read_job(&j, line) && (j.is_drawn ? draw_job(&j) : judge_job(&j, &all)))
            printf("ok %u\n", j.runs);
        else
            printf("fault %s\n", j.fault);
        (void)fflush(stdout);
    }
    workers_free(all.workers);
    return 0;
}
