/* Conversion targets that callers add: held by the context, in the order of their names. */
#include "api/api.h"
#include "tenon/convert.h"

typedef struct target_registry {
    VECTOR(tn_target) targets; /* ascending by name, whose texts are copies */
} target_registry;

static void free_text(const tn_allocator *a, const char *text)
{
    memory_free(a, (void *)(uintptr_t)text, strlen(text) + 1);
}

static char *copy_text(const tn_allocator *a, const char *text)
{
    const size_t n = strlen(text) + 1;
    char *own = memory_alloc(a, n);
    if (own)
        memcpy(own, text, n);
    return own;
}

static void release_registry(context *cx)
{
    target_registry *r = cx->targets;
    if (!r)
        return;
    for (uint32_t i = 0; i < r->targets.n; i++) {
        free_text(&cx->allocator, r->targets.at[i].name);
        free_text(&cx->allocator, r->targets.at[i].extension);
    }
    VECTOR_RELEASE(&cx->allocator, &r->targets);
    memory_free(&cx->allocator, r, sizeof *r);
    cx->targets = NULL;
}

static target_registry *registry_of(context *cx)
{
    if (cx->targets)
        return cx->targets;
    target_registry *r = memory_alloc(&cx->allocator, sizeof *r);
    if (!r)
        return NULL;
    *r = (target_registry){0};
    cx->targets = r;
    cx->release_targets = release_registry;
    return r;
}

/* Where NAME stands or belongs. */
static uint32_t place_of(const target_registry *r, const char *name, bool *is_there)
{
    uint32_t i = 0;
    int order = 1;
    while (i < r->targets.n && (order = strcmp(r->targets.at[i].name, name)) < 0)
        i++;
    *is_there = i < r->targets.n && order == 0;
    return i;
}

tn_status tn_target_register(tn_context *cx, const tn_target *target)
{
    bool is_there;
    tn_target own;
    if (OPTIONS_READ(&cx->diag, tn_target, user, &own, target) != TN_OK)
        return context_done(cx, TN_ERR_USAGE);
    if (!own.name || !own.name[0] || !own.convert)
        return context_done(cx, diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                            "a target needs a name and a way to convert"));
    target_registry *r = registry_of(cx);
    const char *extension = own.extension ? own.extension : "";
    own.name = r ? copy_text(&cx->allocator, own.name) : NULL;
    own.extension = own.name ? copy_text(&cx->allocator, extension) : NULL;
    if (!own.extension || !VECTOR_RESERVE(&cx->allocator, &r->targets, 1)) {
        if (own.name)
            free_text(&cx->allocator, own.name);
        if (own.extension)
            free_text(&cx->allocator, own.extension);
        return context_done(cx, diag_no_memory(&cx->diag));
    }
    uint32_t at = place_of(r, own.name, &is_there);
    if (is_there) {
        free_text(&cx->allocator, r->targets.at[at].name);
        free_text(&cx->allocator, r->targets.at[at].extension);
    } else {
        memmove(r->targets.at + at + 1, r->targets.at + at,
                (r->targets.n - at) * sizeof *r->targets.at);
        r->targets.n++;
    }
    r->targets.at[at] = own;
    return TN_OK;
}

size_t tn_target_count(const tn_context *cx)
{
    const target_registry *r = cx->targets;
    return r ? r->targets.n : 0;
}

const tn_target *tn_target_at(const tn_context *cx, size_t index)
{
    const target_registry *r = cx->targets;
    return r && index < r->targets.n ? &r->targets.at[index] : NULL;
}

const tn_target *tn_target_find(const tn_context *cx, const char *name)
{
    bool is_there;
    const target_registry *r = cx->targets;
    if (!r)
        return NULL;
    uint32_t at = place_of(r, name, &is_there);
    return is_there ? &r->targets.at[at] : NULL;
}

tn_status tn_target_convert(const tn_module *m, const char *name, const tn_target_options *options,
                            const tn_writer *writer)
{
    tn_target_options o;
    context *cx = m->graph->cx;
    if (OPTIONS_READ(&cx->diag, tn_target_options, own, &o, options) != TN_OK)
        return context_done(cx, TN_ERR_USAGE);
    const tn_target *found = tn_target_find(cx, name);
    if (!found)
        return context_done(cx, diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                            "there is no conversion target '%s'", name));
    const tn_target t = *found; /* a copy: what is called may register others */
    tn_status s = t.check ? t.check(t.user, m, &o) : TN_OK;
    if (s == TN_OK)
        s = t.convert(t.user, m, &o, writer);
    return context_done(cx, s);
}
