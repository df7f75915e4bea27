/* Reasons for which a text is refused, each once. */
#include "dialect/refusals.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <stdio.h>
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

/* What is said of R, in the parts of a report; the first place of several, where there are. */
static void report(const refusal *r, bool is_error, diag_channel *d, const source *src)
{
    const char *about = r->is_named ? r->about : "", *colon = about[0] ? ": " : "";
    const char *place = r->place ? r->place : "";
    const char *open = place[0] ? " (" : "", *close = place[0] ? ")" : "";
    char places[64] = "";
    if (r->count > 1)
        (void)snprintf(places, sizeof places, "; this is the first of %" PRIu32 " place%s",
                       r->count, plural(r->count));
    if (is_error)
        (void)diag_report(d, r->kind, src, r->at, "%s%s%s%s%s%s%s", about, colon, r->message,
                          places, open, place, close);
    else
        diag_warn(d, r->kind, src, r->at, "%s%s%s%s%s%s%s", about, colon, r->message, places, open,
                  place, close);
    if (r->node)
        diag_node(d, r->node);
    if (r->note)
        diag_note(d, NULL, NO_SPAN, "%s", r->note);
    if (r->fix)
        diag_fix(d, NO_SPAN, NULL, "%s", r->fix);
}

void refusals_warn(const refusals *r, diag_channel *d, const source *src)
{
    for (uint32_t i = 0; i < r->list.n; i++)
        if (r->list.at[i].message)
            report(&r->list.at[i], false, d, src);
}

tn_status refusals_report(const refusals *r, diag_channel *d, const source *src)
{
    tn_status s = TN_OK;
    for (uint32_t i = 0; i < r->list.n; i++) {
        if (!r->list.at[i].message)
            continue;
        report(&r->list.at[i], true, d, src);
        s = TN_ERR_REJECTED;
    }
    return s;
}
