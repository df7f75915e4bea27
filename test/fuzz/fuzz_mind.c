/* Any bytes as MIND Core IR. What is read verifies, prints to a text that gives itself back in
 * every style, and canonicalises to a fixed point. */
#include <stdio.h>
#include <stdlib.h>

#include "dialect/dialect.h"
#include "ops/infer.h"
#include "pass/pass.h"
#include "through.h"

enum { LITERAL_BYTES = 1 << 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok, const char *what)
{
    if (!ok) {
        (void)fprintf(stderr, "broken: %s\n", what);
        abort();
    }
}

/* Even sizes are read as the extended language, odd ones as Core v1. */
static module *read_module(context *cx, const char *text, size_t length, profile p)
{
    module *m = module_new(cx);
    const dialect *d = dialect_by_name("mind");
    read_options options = {.profile = p};
    if (!m)
        return NULL;
    m->source = (source){.name = "fuzz", .text = text, .length = length, .code_of = d->code_of};
    m->dialect = d->name;
    if (d->read(m, &options) == TN_OK)
        return m;
    require(cx->diag.n_errors > 0, "a rejected text without a diagnostic");
    diag_flush(&cx->diag);
    module_free(m);
    return NULL;
}

/* False when the module has something that only the graph can hold, computed symbolic sizes, or
 * would be too long: a style writes every element of a filled constant. */
static bool write_module(const module *m, const char *style, text_buffer *out)
{
    enum { TEXT_BYTES = 1 << 24 };
    write_options options = {.style = style};
    text_init(out, m->allocator);
    out->most = TEXT_BYTES;
    tn_status s = dialect_by_name("mind")->write(m, &options, out);
    diag_flush(&m->cx->diag);
    if (s == TN_OK && !out->failed)
        return true;
    require(out->failed || s == TN_ERR_NOMEM || m->types.exprs.n > 0,
            "a module that was read cannot be written");
    text_release(out);
    return false;
}

static bool same_text(const text_buffer *a, const text_buffer *b)
{
    return a->n == b->n && memcmp(a->at, b->at, a->n) == 0;
}

/* TEXT, in any style, is a module whose canonical text is WANT. */
static void check_again(context *cx, const text_buffer *text, const text_buffer *want, profile p,
                        const char *style)
{
    text_buffer again;
    module *m = read_module(cx, text->at, text->n, p);
    require(m != NULL, style);
    if (write_module(m, NULL, &again)) {
        require(same_text(&again, want), style);
        text_release(&again);
    }
    module_free(m);
}

static void check_styles(context *cx, const module *m, profile p)
{
    static const char *const styles[] = {"canonical", "positional", "tool", "records", "strict"};
    text_buffer canonical, other;
    if (!write_module(m, NULL, &canonical))
        return;
    for (size_t i = 0; i + 1 < sizeof styles / sizeof styles[0]; i++)
        if (write_module(m, styles[i], &other)) {
            check_again(cx, &other, &canonical, p, styles[i]);
            text_release(&other);
        }
    if (canonical.n < 1000 && write_module(m, "strict", &other)) {
        module *strict = read_module(cx, other.at, other.n, PROFILE_EXTENDED);
        require(strict != NULL || other.n > LITERAL_BYTES / 8, "strict");
        module_free(strict);
        text_release(&other);
    }
    text_release(&canonical);
}

static void check_canonical(context *cx, module *m, profile p)
{
    text_buffer once, twice;
    tn_status s = pass_run(m, PASS_CANONICALIZE, true, NULL);
    diag_flush(&cx->diag);
    require(s == TN_OK || s == TN_ERR_NOMEM, "canonicalize fails");
    if (s != TN_OK || !write_module(m, NULL, &once))
        return;
    module *again = read_module(cx, once.at, once.n, p);
    require(again != NULL, "the canonical module cannot be read");
    s = pass_run(again, PASS_CANONICALIZE, true, NULL);
    require(s == TN_OK || s == TN_ERR_NOMEM, "canonicalize fails the second time");
    if (s == TN_OK && write_module(again, NULL, &twice)) {
        require(same_text(&once, &twice), "canonicalize is no fixed point");
        text_release(&twice);
    }
    module_free(again);
    text_release(&once);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    context *cx = context_new(NULL, NULL);
    profile p = size % 2 ? PROFILE_CORE_V1 : PROFILE_EXTENDED;
    if (!cx)
        return 0;
    cx->limits.literal_bytes = LITERAL_BYTES;
    cx->limits.run_bytes = 1 << 20;
    module *m = read_module(cx, (const char *)data, size, p);
    if (m) {
        require(module_verify(m, NULL) == TN_OK, "a module that was read does not verify");
        check_styles(cx, m, p);
        fuzz_through(m, size);
        check_canonical(cx, m, p);
        module_free(m);
    }
    context_free(cx);
    return 0;
}
