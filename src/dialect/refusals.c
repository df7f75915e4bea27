/* Reasons for which a text is refused, each once. */
#include "dialect/refusals.h"

#include <inttypes.h>
#include <string.h>

refusal *refusal_for(refusals *r, const tn_allocator *a, uint32_t limit, diag_kind kind,
                     const char *about, const char *format, bool *is_full)
{
    for (uint32_t i = 0; i < r->list.n; i++) {
        refusal *one = &r->list.at[i];
        if (one->kind == kind && one->format == format && strcmp(one->about, about) == 0) {
            r->last = i;
            one->count++;
            return one;
        }
    }
    *is_full = r->list.n >= limit;
    const refusal fresh = {
        .kind = kind, .about = about, .format = format, .at = NO_SPAN, .count = 1};
    if (*is_full || !VECTOR_PUSH(a, &r->list, fresh))
        return NULL;
    r->last = r->list.n - 1;
    return &r->list.at[r->last];
}

tn_status refusals_report(const refusals *r, diag_channel *d, const source *src)
{
    tn_status s = TN_OK;
    for (uint32_t i = 0; i < r->list.n; i++) {
        const refusal *one = &r->list.at[i];
        const char *about = one->is_named ? one->about : "", *colon = about[0] ? ": " : "";
        const char *place = one->place ? one->place : "";
        if (!one->message)
            continue;
        s = TN_ERR_REJECTED;
        if (one->count == 1)
            (void)diag_report(d, one->kind, src, one->at, "%s%s%s%s%s%s", about, colon,
                              one->message, place[0] ? " (" : "", place, place[0] ? ")" : "");
        else
            (void)diag_report(d, one->kind, src, one->at,
                              "%s%s%s; this is the first of %" PRIu32 " places%s%s%s", about, colon,
                              one->message, one->count, place[0] ? " (" : "", place,
                              place[0] ? ")" : "");
        if (one->node)
            diag_node(d, one->node);
        if (one->fix)
            diag_fix(d, NO_SPAN, NULL, "%s", one->fix);
    }
    return s;
}
