/* Any bytes as Tiny IR, read as it is and to the letter. What is read verifies, and prints to a
 * text that gives itself back. */
#include <string.h>

#include "dialect/tiny/tiny.h"
#include "read.h"

static module *read_module(context *cx, const char *text, size_t n, bool strict)
{
    const read_options options = {.strict = strict};
    module *m;
    if (fuzz_read(cx, &dialect_tiny, &options, text, n, &m))
        return m;
    module_free(m);
    return NULL;
}

/* The text of M is read and printed again. */
static void check_text(context *cx, const module *m, const char *style)
{
    const write_options options = {.style = style};
    text_buffer first, second;
    text_init(&first, &cx->allocator);
    text_init(&second, &cx->allocator);
    if (tiny_write(m, &options, &first) == TN_OK) {
        module *again = read_module(cx, first.at, first.n, false);
        if (!again || module_verify(again, NULL) != TN_OK ||
            tiny_write(again, &options, &second) != TN_OK || first.n != second.n ||
            memcmp(first.at, second.at, first.n) != 0)
            abort();
        module_free(again);
    }
    text_release(&first);
    text_release(&second);
}

static void check(context *cx, const uint8_t *data, size_t size, bool strict)
{
    module *m = read_module(cx, (const char *)data, size, strict);
    if (!m)
        return;
    if (module_verify(m, NULL) != TN_OK)
        abort();
    check_text(cx, m, "canonical");
    check_text(cx, m, "view");
    fuzz_through(m, size);
    if (pass_run(m, PASS_CANONICALIZE, true, NULL) == TN_OK)
        check_text(cx, m, "canonical");
    module_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    context *cx = context_new(NULL, NULL);
    if (!cx)
        return 0;
    cx->limits.literal_bytes = 1 << 20;
    check(cx, data, size, false);
    check(cx, data, size, true);
    context_free(cx);
    return 0;
}
