/* Any bytes as a MIND surface program. What is read verifies, canonicalises, prints as Core IR, and
 * that text is the same module. */
#include <stdio.h>
#include <stdlib.h>

#include "dialect/dialect.h"
#include "ops/infer.h"
#include "pass/conversions/differentiate.h"
#include "pass/pass.h"
#include "through.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok, const char *what)
{
    if (!ok) {
        (void)fprintf(stderr, "broken: %s\n", what);
        abort();
    }
}

static tn_status derive(module *m, const uint32_t *wrt, uint32_t n_wrt, bool core_only,
                        module **out)
{
    grad_options options = {.wrt = wrt, .n_wrt = n_wrt, .style.core_only = core_only};
    options.style.spelling = dialect_by_name("mind")->spelling;
    tn_status s = pass_run(m, PASS_CANONICALIZE, true, NULL);
    require(s == TN_OK || s == TN_ERR_NOMEM, "the loss is no valid module");
    return s == TN_OK ? differentiate(m, &options, out) : s;
}

static module *read_module(context *cx, const char *dialect_name, const char *text, size_t length,
                           profile p)
{
    static const char *const inputs[] = {"x=f32[2,3]"};
    module *m = module_new(cx);
    const dialect *d = dialect_by_name(dialect_name);
    read_options options = {.profile = p, .inputs = inputs, .n_inputs = 1, .differentiate = derive};
    if (!m)
        return NULL;
    m->source = (source){.name = "fuzz", .text = text, .length = length, .code_of = d->code_of};
    m->dialect = "mind";
    if (d->read(m, &options) == TN_OK)
        return m;
    require(cx->diag.n_errors > 0, "a rejected text without a diagnostic");
    diag_flush(&cx->diag);
    module_free(m);
    return NULL;
}

static bool write_module(const module *m, text_buffer *out)
{
    write_options options = {.style = NULL};
    text_init(out, m->allocator);
    tn_status s = dialect_by_name("mind")->write(m, &options, out);
    require(s == TN_OK || s == TN_ERR_NOMEM, "a lowered module cannot be written");
    return s == TN_OK && !out->failed;
}

static void check(context *cx, module *m, profile p)
{
    text_buffer text, again;
    require(module_verify(m, NULL) == TN_OK, "what was read does not verify");
    tn_status s = pass_run(m, PASS_CANONICALIZE, true, NULL);
    require(s == TN_OK || s == TN_ERR_NOMEM, "canonicalize fails");
    if (s != TN_OK || module_entry(m)->outputs.n == 0)
        return;
    if (write_module(m, &text)) {
        module *back = read_module(cx, "mind", text.at, text.n, p);
        require(back != NULL, "the Core IR cannot be read");
        if (write_module(back, &again))
            require(again.n == text.n && memcmp(again.at, text.at, text.n) == 0,
                    "the Core IR is not read as it was written");
        text_release(&again);
        module_free(back);
    }
    text_release(&text);
    fuzz_through(m, m->source.length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    context *cx = context_new(NULL, NULL);
    profile p = size % 2 ? PROFILE_CORE_V1 : PROFILE_EXTENDED;
    if (!cx)
        return 0;
    cx->limits.literal_bytes = 1 << 16;
    cx->limits.run_bytes = 1 << 20;
    cx->limits.nodes = 20000;
    /* readers rely on a byte behind the text */
    char *text = malloc(size + 1);
    if (text) {
        memcpy(text, data, size);
        text[size] = '\0';
        module *m = read_module(cx, "mind-source", text, size, p);
        if (m)
            check(cx, m, p);
        module_free(m);
    }
    context_free(cx);
    free(text);
    return 0;
}
