/* The trace of --profile-trace: JSON in the trace event format that browsers and Perfetto show. */
#include <string.h>

#include "cli/run.h"

enum { MOST_BYTES = 1 << 30 }; /* of a trace; what happens after that is left out */

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

static void put_event(void *user, const tn_profile_event *e)
{
    text_buffer *text = user;
    const int64_t ns = e->end_ns - e->begin_ns;
    if (text->n > MOST_BYTES)
        return;
    text_puts(text, text->n > 0 ? ",\n" : "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    text_puts(text, "{\"name\":");
    text_json_string(text, e->name, strlen(e->name));
    text_puts(text, ",\"cat\":");
    text_json_string(text, e->kind, strlen(e->kind));
    text_puts(text, ",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":");
    put_microseconds(text, e->begin_ns);
    text_puts(text, ",\"dur\":");
    put_microseconds(text, ns);
    text_printf(text, ",\"args\":{\"threads\":%u", (unsigned)e->threads);
    put_amount(text, "bytes", e->bytes);
    put_amount(text, "flops", e->flops);
    put_rate(text, "GB/s", e->bytes, ns);
    put_rate(text, "GFLOP/s", e->flops, ns);
    text_puts(text, "}}");
}

tn_profiler trace_profiler(text_buffer *text)
{
    return (tn_profiler){put_event, text};
}

tn_status trace_write(session *s, const char *path, text_buffer *text)
{
    text_puts(text, text->n > 0 ? "\n]}\n" : "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[]}\n");
    return output_text(s, path, text);
}
