/* What the fuzzers of PTIR's forms check: whatever reads, verifies, and prints as a fixed point in
 * every form. */
#ifndef TEST_FUZZ_PTIR_CHECK_H
#define TEST_FUZZ_PTIR_CHECK_H

#include <string.h>

#include "dialect/ptir/ptir.h"
#include "read.h"

static module *ptir_check_read(context *cx, const dialect *d, const char *text, size_t n)
{
    static const read_options options = {0};
    module *m;
    if (fuzz_read(cx, d, &options, text, n, &m))
        return m;
    module_free(m);
    return NULL;
}

/* M in the form D, which must be readable and give the same text again. */
static void ptir_check_form(context *cx, const module *m, const dialect *d)
{
    static const write_options options = {0};
    text_buffer first, second;
    text_init(&first, &cx->allocator);
    text_init(&second, &cx->allocator);
    if (d->write(m, &options, &first) == TN_OK) {
        module *again = ptir_check_read(cx, d, first.at, first.n);
        if (!again || module_verify(again, NULL) != TN_OK ||
            d->write(again, &options, &second) != TN_OK || first.n != second.n ||
            memcmp(first.at, second.at, first.n) != 0)
            abort();
        module_free(again);
    }
    text_release(&first);
    text_release(&second);
}

static inline int ptir_check(const dialect *d, const uint8_t *data, size_t size)
{
    context *cx = context_new(NULL, NULL);
    if (!cx)
        return 0;
    cx->limits.literal_bytes = 1 << 20;
    module *m = ptir_check_read(cx, d, (const char *)data, size);
    if (m) {
        if (module_verify(m, NULL) != TN_OK)
            abort();
        ptir_check_form(cx, m, &dialect_ptir);
        ptir_check_form(cx, m, &dialect_ptir_text);
        ptir_check_form(cx, m, &dialect_ptir_bincode);
        fuzz_through(m, size);
        if (pass_run(m, PASS_CANONICALIZE, true, NULL) == TN_OK)
            ptir_check_form(cx, m, d);
        module_free(m);
    }
    context_free(cx);
    return 0;
}

#endif
