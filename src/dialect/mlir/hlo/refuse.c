/* A text is refused whole, with one diagnostic for each operation and reason. */
#include "dialect/mlir/hlo/shlo.h"

#include <stdarg.h>

bool shlo_no_memory(shlo_reader *r)
{
    r->no_memory = true;
    return false;
}

const char *shlo_text(shlo_reader *r, mir_text t)
{
    const char *own = t.n ? arena_copy_text(&r->memory, t.at, t.n) : "";
    if (own)
        return own;
    (void)shlo_no_memory(r);
    return "";
}

const char *shlo_origin(shlo_call *c)
{
    mir_place p;
    if (!c->op->loc.n)
        return NULL;
    mir_loc_place(&c->r->model, c->op->loc, &p);
    if (!p.name.n && !p.file.n)
        return NULL;
    const char *own =
        arena_printf(&c->r->memory, "%.*s%s%.*s%.*s", MIR_TEXT(p.name),
                     p.name.n && p.file.n ? " at " : "", MIR_TEXT(p.file), MIR_TEXT(p.position));
    if (!own)
        (void)shlo_no_memory(c->r);
    return own;
}

__attribute__((format(printf, 6, 0))) static bool refuse(shlo_reader *r, diag_kind kind,
                                                         const char *about, const char *place,
                                                         span at, const char *format, va_list args)
{
    if (r->no_memory)
        return false;
    bool is_full;
    refusal *one = refusal_for(&r->refusals, r->m->allocator, r->m->cx->limits.errors, kind, about,
                               format, &is_full);
    if (!one)
        return is_full ? false : shlo_no_memory(r);
    if (one->count > 1)
        return false;
    one->message = arena_vprintf(&r->memory, format, args);
    one->is_named = true;
    one->place = place;
    one->at = at;
    return one->message ? false : shlo_no_memory(r);
}

bool shlo_refuse(shlo_call *c, diag_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)refuse(c->r, kind, shlo_text(c->r, c->op->name), shlo_origin(c), c->op->at, format, args);
    va_end(args);
    return false;
}

bool shlo_refuse_at(shlo_reader *r, diag_kind kind, const char *about, span at, const char *format,
                    ...)
{
    va_list args;
    va_start(args, format);
    (void)refuse(r, kind, about, NULL, at, format, args);
    va_end(args);
    return false;
}

void shlo_advise(shlo_reader *r, const char *fix)
{
    if (r->refusals.list.n && !r->refusals.list.at[r->refusals.last].fix)
        r->refusals.list.at[r->refusals.last].fix = fix;
}
