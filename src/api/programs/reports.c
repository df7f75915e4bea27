/* Pictures of programs. */
#include "tenon/report.h"

#include <string.h>

#include "api/api.h"
#include "compile/explain/explain.h"
#include "report/picture.h"

/* Of the program, without its folder. */
static const char *file_name(const tn_program *p)
{
    const char *path = p->graph->source.name ? p->graph->source.name : "program";
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

tn_status tn_program_picture(const tn_program *p, const char *title, const tn_writer *writer)
{
    pipeline made;
    text_buffer text;
    const char *why;
    tn_status s = program_plan(p, &made);
    if (s != TN_OK)
        return context_done(p->cx, s);
    text_init(&text, &p->allocator);
    if (!title)
        title = file_name(p);
    if (!picture_svg(&made.plan, title, &text, &why))
        s = why ? diag_report(&p->cx->diag, DIAG_NotImplemented, NULL, NO_SPAN, "%s", why)
                : diag_no_memory(&p->cx->diag);
    pipeline_release(&made);
    return api_deliver(p->cx, &text, writer, s);
}
