/* A text is refused whole, with one diagnostic for each operation and reason. */
#include "dialect/mlir/hlo/shlo.h"

#include <inttypes.h>
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

__attribute__((format(printf, 5, 0))) static bool
refuse(shlo_reader *r, diag_kind kind, const char *about, span at, const char *format, va_list args)
{
    if (r->no_memory)
        return false;
    for (uint32_t i = 0; i < r->refusals.n; i++) {
        shlo_refusal *known = &r->refusals.at[i];
        if (known->kind == kind && known->format == format && strcmp(known->about, about) == 0) {
            known->count++;
            return false;
        }
    }
    if (r->refusals.n >= r->m->cx->limits.errors)
        return false; /* as many as are reported */
    const shlo_refusal fresh = {.kind = kind,
                                .about = about,
                                .format = format,
                                .message = arena_vprintf(&r->memory, format, args),
                                .at = at,
                                .count = 1};
    if (!fresh.message || !VECTOR_PUSH(r->m->allocator, &r->refusals, fresh))
        return shlo_no_memory(r);
    return false;
}

bool shlo_refuse(shlo_call *c, diag_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)refuse(c->r, kind, shlo_text(c->r, c->op->name), c->op->at, format, args);
    va_end(args);
    return false;
}

bool shlo_refuse_at(shlo_reader *r, diag_kind kind, const char *about, span at, const char *format,
                    ...)
{
    va_list args;
    va_start(args, format);
    (void)refuse(r, kind, about, at, format, args);
    va_end(args);
    return false;
}

void shlo_advise(shlo_reader *r, const char *fix)
{
    if (r->refusals.n && !r->refusals.at[r->refusals.n - 1].fix)
        r->refusals.at[r->refusals.n - 1].fix = fix;
}

tn_status shlo_report_refusals(shlo_reader *r)
{
    diag_channel *d = &r->m->cx->diag;
    tn_status s = TN_OK;
    for (uint32_t i = 0; i < r->refusals.n; i++) {
        const shlo_refusal *one = &r->refusals.at[i];
        const char *colon = one->about[0] ? ": " : "";
        s = TN_ERR_REJECTED;
        if (one->count == 1)
            (void)diag_report(d, one->kind, &r->m->source, one->at, "%s%s%s", one->about, colon,
                              one->message);
        else
            (void)diag_report(d, one->kind, &r->m->source, one->at,
                              "%s%s%s; this is the first of %" PRIu32 " places", one->about, colon,
                              one->message, one->count);
        if (one->fix)
            diag_fix(d, NO_SPAN, NULL, "%s", one->fix);
    }
    return s;
}
