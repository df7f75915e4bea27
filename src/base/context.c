/* Creating and freeing contexts. */
#include "base/context.h"

const limits limits_default = {
    .nodes = INT32_MAX,
    .nesting = 128,
    .errors = 100,
    .literal_bytes = (uint64_t)16 << 30,
    .output_bytes = (uint64_t)4 << 30, /* what is larger could not be read again */
    .run_bytes = (uint64_t)64 << 30,
};

context *context_new(const tn_allocator *allocator, const tn_diagnostic_sink *sink)
{
    const tn_allocator *a = allocator ? allocator : &memory_system;
    context *cx = memory_alloc(a, sizeof *cx);
    if (!cx)
        return NULL;
    cx->allocator = *a;
    cx->limits = limits_default;
    cx->custom = NULL;
    cx->targets = NULL;
    cx->release_targets = NULL;
    diag_init(&cx->diag, &cx->allocator, sink ? *sink : (tn_diagnostic_sink){0});
    return cx;
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
