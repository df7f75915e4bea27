/* Executables as text, for dumps. */
#include <inttypes.h>

#include "base/text/text.h"
#include "program/exe_parts.h"

static void print_buffer(const exe_block_info *b, uint32_t v, text_buffer *out)
{
    static const char *const kinds[] = {[IS_INPUT] = "input",
                                        [IS_OUTPUT] = "output",
                                        [IS_CONSTANT] = "constant",
                                        [IS_TEMP] = "temporary",
                                        [IS_VIEW] = "view"};
    const exe_buffer_info *i = &b->buffers.at[v];
    text_printf(out, "  b%" PRIu32 " %s", v, kinds[i->kind]);
    if (i->kind == IS_INPUT || i->kind == IS_OUTPUT)
        text_printf(out, " %" PRIu32, i->index);
    if (i->kind == IS_VIEW)
        text_printf(out, " of b%" PRIu32 " from %" PRIu64, i->index, i->offset);
    if (i->kind == IS_TEMP)
        text_printf(out, " at %" PRIu64, b->frame + i->offset);
    text_printf(out, ", %" PRIu64 " bytes", i->bytes);
    if (i->first != NEVER)
        text_printf(out, ", steps %" PRIu32 "..%" PRIu32, i->first, i->last);
    text_puts(out, "\n");
}

static void print_step(uint32_t number, const exe_step *s, text_buffer *out)
{
    static const char *const kinds[] = {
        [EXE_KERNEL] = "kernel", [EXE_HOST] = "reference", [EXE_COPY] = "copy",
        [EXE_COND] = "cond",     [EXE_WHILE] = "while",    [EXE_SCAN] = "scan"};
    text_printf(out, "  %" PRIu32 ": %s %s (", number, kinds[s->kind], s->name ? s->name : "");
    for (uint32_t i = 0; i < s->n_read; i++)
        text_printf(out, "%sb%" PRIu32, i ? ", " : "", s->buffers[i]);
    text_puts(out, ") -> (");
    for (uint32_t i = 0; i < s->n_written; i++)
        text_printf(out, "%sb%" PRIu32, i ? ", " : "", s->buffers[s->n_read + i]);
    text_puts(out, ")");
    if (s->kind == EXE_KERNEL)
        text_printf(out, ", %" PRId64 " items by %" PRId64, s->extent, s->grain);
    if (s->kind == EXE_COND || s->kind == EXE_WHILE)
        text_printf(out, ", blocks %" PRIu32 " and %" PRIu32, s->region[0], s->region[1]);
    if (s->kind == EXE_SCAN)
        text_printf(out, ", block %" PRIu32 " %" PRId64 " times", s->region[0], s->iterations);
    if (s->scratch > 0)
        text_printf(out, ", scratch %" PRIu64, s->scratch);
    text_puts(out, "\n");
}

void exe_print(const executable *x, text_buffer *out)
{
    for (uint32_t i = 0; i < x->blocks.n; i++) {
        const exe_block_info *b = &x->blocks.at[i];
        text_printf(out, "block %" PRIu32 ": %" PRIu32 " inputs, %" PRIu32 " outputs\n", i,
                    b->n_inputs, b->n_outputs);
        for (uint32_t v = 0; v < b->buffers.n; v++)
            print_buffer(b, v, out);
        for (uint32_t s = 0; s < b->steps.n; s++)
            print_step(s, &b->steps.at[s].as, out);
        for (uint32_t o = 0; b->has_passes && o < b->n_outputs; o++)
            if (b->pass[o] != NEVER)
                text_printf(out, "  output %" PRIu32 " is input %" PRIu32 "\n", o, b->pass[o]);
    }
    text_printf(out, "memory %" PRIu64 " bytes, scratch %" PRIu64 " bytes a thread\n", x->memory,
                x->scratch);
}
