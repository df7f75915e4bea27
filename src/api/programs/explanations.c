/* What the compiler made of a program, for people. */
#include <string.h>

#include "api/api.h"
#include "compile/explain/dump.h"
#include "compile/explain/explain.h"

tn_status tn_program_explain(const tn_program *p, bool json, const tn_writer *writer)
{
    text_buffer text;
    api_text(p->cx, &text);
    const tn_status s = program_explain(p, json, &text);
    return api_deliver(p->cx, &text, writer, s);
}

static tn_status unknown_stage(const tn_program *p, const char *name)
{
    return diag_report(
        &p->cx->diag, DIAG_Usage, NULL, NO_SPAN,
        "there is no stage '%s'; the stages are graph, lowered, kernels, loops, program "
        "and all",
        name);
}

tn_status tn_program_dump(const tn_program *p, const char *stage, int64_t number,
                          const tn_writer *writer)
{
    text_buffer text;
    int which = 0;
    while (which < DUMP_STAGES && strcmp(stage, dump_stage_name((dump_stage)which)) != 0)
        which++;
    if (which == DUMP_STAGES && strcmp(stage, "all") != 0)
        return context_done(p->cx, unknown_stage(p, stage));
    api_text(p->cx, &text);
    const tn_status s = program_dump(p, (dump_stage)which, number, &text);
    return api_deliver(p->cx, &text, writer, s);
}
