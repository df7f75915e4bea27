/* The trace of --profile-trace: JSON in the trace event format that browsers and Perfetto show. */
#include <string.h>

#include "cli/run.h"

enum {
    SINGLE_EVENTS = 100,   /* of each step; its later ones are folded into one */
    MOST_BYTES = 64 << 20, /* of single events; all after them are folded */
    FIRST_FOLDED_TRACK = 2 /* single events nest on track 1; folded ones would not */
};

static void put_microseconds(text_buffer *text, int64_t ns)
{
    text_printf(text, "%lld.%03d", (long long)(ns / 1000), (int)(ns % 1000));
}

/* AMOUNT / NS in units of a billion a second, with two decimals. */
static void put_rate(text_buffer *text, const char *name, uint64_t amount, int64_t ns)
{
    const double rate = 100.0 * (double)amount / (double)(ns > 0 ? ns : 1);
    if (amount == 0 || !(rate < 1e18))
        return;
    const uint64_t hundredths = (uint64_t)rate;
    text_printf(text, ",\"%s\":%llu.%02u", name, (unsigned long long)(hundredths / 100),
                (unsigned)(hundredths % 100));
}

static void put_amount(text_buffer *text, const char *name, uint64_t amount)
{
    if (amount > 0)
        text_printf(text, ",\"%s\":%llu", name, (unsigned long long)amount);
}

static void put_head(text_buffer *text, const char *name, const char *kind, unsigned track,
                     int64_t begin, int64_t end)
{
    text_puts(text, text->n > 0 ? ",\n" : "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    text_puts(text, "{\"name\":");
    text_json_string(text, name, strlen(name));
    text_puts(text, ",\"cat\":");
    text_json_string(text, kind, strlen(kind));
    text_printf(text, ",\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":", track);
    put_microseconds(text, begin);
    text_puts(text, ",\"dur\":");
    put_microseconds(text, end - begin);
}

static void put_work(text_buffer *text, uint32_t threads, uint64_t bytes, uint64_t flops,
                     int64_t ns)
{
    text_printf(text, ",\"args\":{\"threads\":%u", (unsigned)threads);
    put_amount(text, "bytes", bytes);
    put_amount(text, "flops", flops);
    put_rate(text, "GB/s", bytes, ns);
    put_rate(text, "GFLOP/s", flops, ns);
}

static void put_single(text_buffer *text, const tn_profile_event *e)
{
    put_head(text, e->name, e->kind, 1, e->begin_ns, e->end_ns);
    put_work(text, e->threads, e->bytes, e->flops, e->end_ns - e->begin_ns);
    text_puts(text, "}}");
}

/* What was folded of a step: how often, from when to when, and how much of that time it ran. */
static void put_folded(text_buffer *text, const trace_step *s, unsigned track)
{
    put_head(text, s->name, s->kind, track, s->begin_ns, s->end_ns);
    put_work(text, s->threads, s->bytes, s->flops, s->busy_ns);
    put_amount(text, "folded", s->folded);
    text_puts(text, ",\"busy\":");
    put_microseconds(text, s->busy_ns);
    text_puts(text, "}}");
}

/* The step of an event, or NULL without memory. Addresses may be used again when a program is gone,
 * so names count too. */
static trace_step *step_of(trace *t, const tn_profile_event *e)
{
    const void *key = e->step ? e->step : e->name;
    const uint64_t hash = hash_mix((uint64_t)(uintptr_t)key, 0);
    for (uint32_t p = hash_first(&t->by_step, hash), i;
         (i = hash_at(&t->by_step, hash, &p)) != HASH_NONE;)
        if (t->steps.at[i].key == key && strcmp(t->steps.at[i].name, e->name) == 0)
            return &t->steps.at[i];
    trace_step fresh = {
        .key = key, .kind = e->kind, .name = arena_copy_text(&t->memory, e->name, strlen(e->name))};
    const tn_allocator *a = t->memory.allocator;
    if (!fresh.name || !VECTOR_PUSH(a, &t->steps, fresh) ||
        !hash_add(a, &t->by_step, hash, t->steps.n - 1))
        return NULL;
    return &t->steps.at[t->steps.n - 1];
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
        put_single(&t->text, e);
    } else
        fold(s, e);
}

void trace_init(trace *t, const tn_allocator *allocator)
{
    *t = (trace){.profiler = {note_event, t}};
    arena_init(&t->memory, allocator);
    text_init(&t->text, allocator);
}

void trace_release(trace *t)
{
    const tn_allocator *a = t->memory.allocator;
    VECTOR_RELEASE(a, &t->steps);
    hash_release(a, &t->by_step);
    arena_release(&t->memory);
    text_release(&t->text);
}

tn_status trace_write(session *s, const char *path, trace *t)
{
    text_buffer *text = &t->text;
    for (uint32_t i = 0, track = FIRST_FOLDED_TRACK; i < t->steps.n; i++)
        if (t->steps.at[i].folded > 0)
            put_folded(text, &t->steps.at[i], track++);
    text_puts(text, text->n > 0 ? "\n]}\n" : "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}\n");
    return output_text(s, path, text);
}
