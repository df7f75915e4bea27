/* The trace of --profile-trace: JSON in the trace event format that browsers and Perfetto show. */
#include <string.h>

#include "cli/running/run.h"
#include "tenon/report.h"

enum {
    SINGLE_EVENTS = 100,    /* of each step; its later ones are folded into one */
    MOST_BYTES = 64 << 20,  /* of single events; all after them are folded */
    FIRST_FOLDED_TRACK = 2, /* single events nest on track 1; folded ones would not */
    FIRST_THREAD_TRACK = 1000000
};

static void put_microseconds(cli_text *text, int64_t ns)
{
    cli_printf(text, "%lld.%03d", (long long)(ns / 1000), (int)(ns % 1000));
}

/* AMOUNT / NS in units of a billion a second, with two decimals. */
static void put_rate(cli_text *text, const char *name, uint64_t amount, int64_t ns)
{
    const double rate = 100.0 * (double)amount / (double)(ns > 0 ? ns : 1);
    if (amount == 0 || !(rate < 1e18))
        return;
    const uint64_t hundredths = (uint64_t)rate;
    cli_printf(text, ",\"%s\":%llu.%02u", name, (unsigned long long)(hundredths / 100),
               (unsigned)(hundredths % 100));
}

static void put_amount(cli_text *text, const char *name, uint64_t amount)
{
    if (amount > 0)
        cli_printf(text, ",\"%s\":%llu", name, (unsigned long long)amount);
}

static void put_head(cli_text *text, const char *name, const char *kind, unsigned track,
                     int64_t begin, int64_t end)
{
    cli_puts(text, text->n > 0 ? ",\n" : "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    cli_puts(text, "{\"name\":");
    cli_put_json(text, name, strlen(name));
    cli_puts(text, ",\"cat\":");
    cli_put_json(text, kind, strlen(kind));
    cli_printf(text, ",\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":", track);
    put_microseconds(text, begin);
    cli_puts(text, ",\"dur\":");
    put_microseconds(text, end - begin);
}

static void put_work(cli_text *text, uint32_t threads, uint64_t bytes, uint64_t flops, int64_t ns)
{
    cli_printf(text, ",\"args\":{\"threads\":%u", (unsigned)threads);
    put_amount(text, "bytes", bytes);
    put_amount(text, "flops", flops);
    put_rate(text, "GB/s", bytes, ns);
    put_rate(text, "GFLOP/s", flops, ns);
}

static void put_kernel(cli_text *text, const char *function, uint32_t kernel)
{
    if (!function)
        return;
    cli_puts(text, ",\"function\":");
    cli_put_json(text, function, strlen(function));
    cli_printf(text, ",\"kernel\":%u", (unsigned)kernel);
}

/* What each thread did of a step in which several took part, on a track of its own. */
static void put_threads(cli_text *text, const tn_profile_event *e, const trace_step *s)
{
    const uint32_t n = tn_profile_event_threads(e);
    for (uint32_t i = 0; i < n; i++) {
        int64_t begin, end, busy;
        if (!tn_profile_event_thread(e, i, &begin, &end, &busy))
            continue;
        put_head(text, e->name, "thread", FIRST_THREAD_TRACK + i, begin, end);
        cli_printf(text, ",\"args\":{\"thread\":%u", (unsigned)i);
        put_kernel(text, s->function, s->kernel);
        cli_puts(text, ",\"busy\":");
        put_microseconds(text, busy);
        cli_puts(text, "}}");
    }
}

static void put_single(cli_text *text, const tn_profile_event *e, const trace_step *s)
{
    put_head(text, e->name, e->kind, 1, e->begin_ns, e->end_ns);
    put_work(text, e->threads, e->bytes, e->flops, e->end_ns - e->begin_ns);
    put_kernel(text, s->function, s->kernel);
    cli_puts(text, "}}");
    put_threads(text, e, s);
}

/* What was folded of a step: how often, from when to when, and how much of that time it ran. */
static void put_folded(cli_text *text, const trace_step *s, unsigned track)
{
    put_head(text, s->name, s->kind, track, s->begin_ns, s->end_ns);
    put_work(text, s->threads, s->bytes, s->flops, s->busy_ns);
    put_kernel(text, s->function, s->kernel);
    put_amount(text, "folded", s->folded);
    cli_puts(text, ",\"busy\":");
    put_microseconds(text, s->busy_ns);
    cli_puts(text, "}}");
}

static uint64_t hash_of(const void *key)
{
    uint64_t h = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15U;
    return h ^ h >> 32;
}

/* Where the step with this key and name stands in the table, or would: it has room. */
static uint32_t *place_of(const trace *t, const void *key, const char *name)
{
    for (size_t i = (size_t)(hash_of(key) % t->n_table);; i = (i + 1) % t->n_table) {
        uint32_t *place = &t->table[i];
        if (!*place ||
            (t->steps[*place - 1].key == key && strcmp(t->steps[*place - 1].name, name) == 0))
            return place;
    }
}

/* A table with at least twice as many places as there are steps. */
static bool have_table(trace *t)
{
    if (t->n_table > 2 * t->n_steps)
        return true;
    const size_t n = 4 * t->n_steps + 64;
    uint32_t *table = cli_alloc(&t->memory, n, sizeof *table);
    if (!table)
        return false;
    t->table = table;
    t->n_table = n;
    for (uint32_t i = 0; i < t->n_steps; i++)
        *place_of(t, t->steps[i].key, t->steps[i].name) = i + 1;
    return true;
}

/* The step of an event, or NULL without memory. Addresses may be used again when a program is gone,
 * so names count too. */
static trace_step *step_of(trace *t, const tn_profile_event *e)
{
    const void *key = e->step ? e->step : e->name;
    if (!have_table(t))
        return NULL;
    uint32_t *place = place_of(t, key, e->name);
    if (*place)
        return &t->steps[*place - 1];
    trace_step *steps = cli_grow(&t->memory, t->steps, &t->cap_steps, t->n_steps, sizeof *steps);
    const char *name = cli_copy(&t->memory, e->name, strlen(e->name)), *function = NULL;
    uint32_t kernel = 0;
    if (tn_profile_event_kernel(e, &function, &kernel))
        function = cli_copy(&t->memory, function, strlen(function));
    if (!steps || !name)
        return NULL;
    t->steps = steps;
    steps[t->n_steps] = (trace_step){
        .key = key, .kind = e->kind, .name = name, .function = function, .kernel = kernel};
    *place = (uint32_t)++t->n_steps;
    return &steps[*place - 1];
}

static void fold(trace_step *s, const tn_profile_event *e)
{
    if (s->folded == 0)
        s->begin_ns = e->begin_ns;
    s->folded++;
    s->end_ns = e->end_ns;
    s->busy_ns += e->end_ns - e->begin_ns;
    s->bytes += e->bytes;
    s->flops += e->flops;
    s->threads = e->threads > s->threads ? e->threads : s->threads;
}

static void note_event(void *user, const tn_profile_event *e)
{
    trace *t = user;
    trace_step *s = step_of(t, e);
    if (!s)
        t->text.failed = true;
    else if (s->singles < SINGLE_EVENTS && t->text.n < MOST_BYTES) {
        s->singles++;
        put_single(&t->text, e, s);
    } else
        fold(s, e);
}

void trace_init(trace *t)
{
    *t = (trace){.profiler = {note_event, t}};
}

void trace_release(trace *t)
{
    cli_pool_release(&t->memory);
    cli_text_release(&t->text);
}

void trace_finish(trace *t)
{
    cli_text *text = &t->text;
    for (uint32_t i = 0, track = FIRST_FOLDED_TRACK; i < t->n_steps; i++)
        if (t->steps[i].folded > 0)
            put_folded(text, &t->steps[i], track++);
    cli_puts(text, text->n > 0 ? "\n]}\n" : "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}\n");
}

tn_status trace_write(session *s, const char *path, trace *t)
{
    trace_finish(t);
    return output_text(s, path, &t->text);
}
