/* Creating and freeing contexts. */
#include "base/context/context.h"

#include "base/system/clock.h"

const limits limits_default = {
    .nodes = 1 << 23, /* 2 to 4 GiB */
    .nesting = 128,
    .errors = 100,
    .literal_bytes = (uint64_t)4 << 30,
    .output_bytes = (uint64_t)1 << 30,
    .run_bytes = (uint64_t)16 << 30,
    .memory_bytes = (uint64_t)8 << 30,
};

bool context_is_stopped(context *cx)
{
    const bool late = cx->deadline && clock_now() >= cx->deadline;
    const bool ends = late || (cx->cancel && cx->cancel(cx->cancel_user));
    if (ends)
        diag_refuse(&cx->diag, late ? DIAG_Timeout : DIAG_Cancelled,
                    late ? "the time limit was reached" : "the work was cancelled");
    return ends;
}

/* As tn_allocator.resize. */
static void *metered_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    context *cx = user;
    if (new_size > old_size) {
        const uint64_t bytes = atomic_load_explicit(&cx->metered_bytes, memory_order_relaxed);
        const uint64_t most = cx->limits.memory_bytes, more = new_size - old_size;
        if (bytes > most || more > most - bytes) {
            diag_refuse_unless(&cx->diag, DIAG_LimitExceeded,
                               "the program takes more memory than the limit", SETTING_LIMIT,
                               "memory_bytes=N permits more");
            return NULL;
        }
        if (context_is_stopped(cx))
            return NULL;
    }
    void *moved = cx->allocator.resize(cx->allocator.user, block, old_size, new_size);
    if (moved || new_size == 0) {
        atomic_fetch_add_explicit(&cx->metered_bytes, new_size, memory_order_relaxed);
        atomic_fetch_sub_explicit(&cx->metered_bytes, old_size, memory_order_relaxed);
    }
    return moved;
}

context *context_new(const tn_allocator *allocator, const tn_diagnostic_sink *sink)
{
    const tn_allocator *a = allocator ? allocator : &memory_system;
    context *cx = memory_alloc(a, sizeof *cx);
    if (!cx)
        return NULL;
    *cx = (context){.allocator = *a, .limits = limits_default};
    cx->metered = (tn_allocator){metered_resize, cx};
    diag_init(&cx->diag, &cx->allocator, sink ? *sink : (tn_diagnostic_sink){0});
    return cx;
}

void context_bounds_from(context *to, const context *from)
{
    to->limits = from->limits;
    to->diag.names = from->diag.names;
    to->diag.n_names = from->diag.n_names;
}

void context_limits_from(context *to, const context *from)
{
    context_bounds_from(to, from);
    to->deadline = from->deadline;
    to->cancel = from->cancel;
    to->cancel_user = from->cancel_user;
}

void context_free(context *cx)
{
    if (!cx)
        return;
    tn_allocator a = cx->allocator;
    if (cx->release_targets)
        cx->release_targets(cx);
    diag_release(&cx->diag);
    memory_free(&a, cx, sizeof *cx);
}
