/* Any bytes as a program of a dialect, for the fuzzers of readers. */
#ifndef TEST_FUZZ_READ_H
#define TEST_FUZZ_READ_H

#include <stdlib.h>

#include "dialect/dialect.h"
#include "ops/infer.h"
#include "pass/pass.h"
#include "through.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The N bytes at TEXT as a module, which holds a copy of them, in *OUT: true when D reads them.
 * What is refused is reported. */
static inline bool fuzz_read(context *cx, const dialect *d, const read_options *options,
                             const char *text, size_t n, module **out)
{
    module *m = module_new(cx);
    char *own = m ? arena_copy_text(&m->arena, text, n) : NULL;
    if (!own)
        abort();
    m->source = (source){.name = "fuzz", .text = own, .length = n, .code_of = d->code_of};
    m->dialect = d->name;
    *out = m;
    const uint32_t errors = cx->diag.n_errors;
    if (d->read(m, options) == TN_OK)
        return true;
    if (cx->diag.n_errors == errors)
        abort();
    diag_flush(&cx->diag);
    return false;
}

/* What was read verifies, also when it is canonical, and goes on (through.h). */
static inline void fuzz_check(module *m, size_t choice)
{
    if (module_verify(m, NULL) != TN_OK ||
        (pass_run(m, PASS_CANONICALIZE, true, NULL) != TN_OK && m->cx->diag.n_errors == 0))
        abort();
    fuzz_through(m, choice);
}

#endif
