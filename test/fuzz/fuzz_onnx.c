/* Any bytes as an ONNX model. What is read verifies, also when it is canonical. Files that it names
 * are below its folder, and only what they have is looked at. */
#include <string.h>

#include "dialect/onnx/onnx.h"
#include "read.h"

static const char *external(void *user, const char *location, uint64_t offset, uint64_t length,
                            const void **data)
{
    static const uint8_t file[4096] = {1};
    const char *up = strstr(location, "..");
    (void)user;
    if (!*location || *location == '/' ||
        (up && (up == location || up[-1] == '/') && (!up[2] || up[2] == '/')))
        abort();
    if (offset > sizeof file || length > sizeof file - offset)
        return "it is too short";
    *data = file + offset;
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const tn_binding bindings[] = {{"N", 2}};
    static const char *const results[] = {"y"};
    const read_options options = {.bindings = bindings,
                                  .n_bindings = size % 2,
                                  .external = size % 4 < 2 ? external : NULL,
                                  .results = results,
                                  .n_results = size % 8 == 3};
    context *cx = context_new(NULL, NULL);
    if (!cx)
        return 0;
    cx->limits.literal_bytes = 1 << 20;
    module *m;
    if (fuzz_read(cx, &dialect_onnx, &options, (const char *)data, size, &m))
        fuzz_check(m, size);
    module_free(m);
    context_free(cx);
    return 0;
}
