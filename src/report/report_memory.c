/* Steps and buffers of an executable, for a map of memory over time. */
#include <inttypes.h>

#include "compile/jit_executable.h"
#include "program/exe_parts.h"
#include "report/report.h"

static const char *function_name(const step_origin *o)
{
    return o->f->name ? o->f->name : "main";
}

/* Each step: its name, and the kernel it belongs to, or null. */
static void put_steps(const exe_block_info *b, text_buffer *out)
{
    const step_origin *first = b->steps.n ? b->steps.at[0].as.what : NULL;
    if (first) {
        text_puts(out, "\"function\":");
        text_json_string(out, function_name(first), strlen(function_name(first)));
        text_puts(out, ",");
    }
    text_puts(out, "\"steps\":[");
    for (uint32_t i = 0; i < b->steps.n; i++) {
        const exe_step *s = &b->steps.at[i].as;
        const step_origin *o = s->what;
        const char *name = s->name ? s->name : "";
        text_puts(out, i ? ",[" : "[");
        text_json_string(out, name, strlen(name));
        if (o->kernel > 0)
            text_printf(out, ",%" PRIu32 "]", o->kernel - 1);
        else
            text_puts(out, ",null]");
    }
    text_puts(out, "]");
}

/* Each buffer that steps use: kind, place among the temporaries, bytes, first and last step. */
static void put_buffers(const exe_block_info *b, text_buffer *out)
{
    static const char *const kinds[] = {[IS_INPUT] = "input",
                                        [IS_OUTPUT] = "output",
                                        [IS_CONSTANT] = "constant",
                                        [IS_TEMP] = "temporary",
                                        [IS_VIEW] = "view"};
    bool is_first = true;
    text_puts(out, ",\"buffers\":[");
    for (uint32_t v = 0; v < b->buffers.n; v++) {
        const exe_buffer_info *i = &b->buffers.at[v];
        if (i->kind == IS_VIEW || i->first == NEVER)
            continue;
        const uint64_t at = i->kind == IS_TEMP ? b->frame + i->offset : 0;
        text_printf(out, "%s[\"%s\",%" PRIu64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 "]",
                    is_first ? "" : ",", kinds[i->kind], at, i->bytes, i->first, i->last);
        is_first = false;
    }
    text_puts(out, "]");
}

void report_memory(const report *r, text_buffer *out)
{
    const executable *x = program_executable(r->p);
    if (!x) {
        text_puts(out, "null");
        return;
    }
    text_printf(out, "{\"bytes\":%" PRIu64 ",\"scratch\":%" PRIu64 ",\"blocks\":[", x->memory,
                x->scratch);
    for (uint32_t i = 0; i < x->blocks.n; i++) {
        text_puts(out, i ? ",\n{" : "\n{");
        put_steps(&x->blocks.at[i], out);
        put_buffers(&x->blocks.at[i], out);
        text_puts(out, "}");
    }
    text_puts(out, "]}");
}
