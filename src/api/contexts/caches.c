/* The cache of compiled kernels, for those who want to look at it. */
#include "api/api.h"
#include "base/context/options.h"
#include "runtime/cache.h"

bool warn_of_cache(context *cx, const cache_place *place)
{
    const char *text = cache_wrong_limit(place);
    if (text)
        diag_warn(
            &cx->diag, DIAG_Usage, NULL, NO_SPAN,
            "TENON_CACHE_BYTES is '%.100s', which is no number of bytes: compiled kernels are "
            "not kept",
            text);
    return text != NULL;
}

static tn_status visit(context *cx, const tn_cache_options *options, tn_cache_state *state,
                       bool clears)
{
    tn_cache_options given;
    tn_cache_state now;
    memset(&now, 0, sizeof now);
    TN_TRY(OPTIONS_READ(&cx->diag, tn_cache_options, off, &given, options));
    TN_TRY(OPTIONS_ROOM(&cx->diag, tn_cache_state, is_off, state));
    const cache_place place = {given.folder, given.bytes, given.off};
    (void)warn_of_cache(cx, &place);
    cache *c = cache_open(&cx->allocator, &place);
    if (!cache_path(&place, now.folder))
        now.folder[0] = 0;
    now.is_off = !cache_is_on(&place);
    if (c) {
        const cache_state s = cache_get_state(c);
        now.is_used = true;
        now.files = s.files;
        now.bytes = s.bytes;
        now.limit = s.limit;
    }
    if (c && clears)
        cache_clear(c);
    cache_close(c);
    if (state)
        OPTIONS_GIVE(tn_cache_state, is_off, state, &now);
    return TN_OK;
}

tn_status tn_cache_get_state(tn_context *cx, const tn_cache_options *options, tn_cache_state *state)
{
    return context_done(cx, visit(cx, options, state, false));
}

tn_status tn_cache_clear(tn_context *cx, const tn_cache_options *options, tn_cache_state *state)
{
    return context_done(cx, visit(cx, options, state, true));
}
