/* Any bytes as StableHLO. What is read verifies, also when it is canonical. The functions that have
 * checks are read once more for these. */
#include "dialect/mlir/checks.h"
#include "dialect/mlir/mlir.h"
#include "read.h"

/* The text of M, of which the function NAME is read with its checks. */
static void read_checks(context *cx, const module *m, const char *name)
{
    check_list checks = {0};
    const read_options options = {.entry = name, .checks = &checks};
    module *own = module_new(cx);
    if (!own)
        abort();
    own->source = m->source;
    own->dialect = m->dialect;
    if (stablehlo_read(own, &options) == TN_OK && module_entry(own)->outputs.n != 2 * checks.all.n)
        abort();
    VECTOR_RELEASE(&cx->allocator, &checks.all);
    module_free(own);
}

static void read_all_checks(context *cx, const source *text)
{
    checked_functions list = {0};
    module *m = module_new(cx);
    if (!m)
        abort();
    m->source = *text;
    m->dialect = dialect_stablehlo.name;
    if (stablehlo_checked_functions(m, &list) == TN_OK)
        for (uint32_t i = 0; i < list.all.n && i < 4; i++)
            read_checks(cx, m, list.all.at[i].name);
    VECTOR_RELEASE(&cx->allocator, &list.all);
    module_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const read_options options = {0};
    context *cx = context_new(NULL, NULL);
    if (!cx)
        return 0;
    cx->limits.literal_bytes = 1 << 20;
    module *m;
    if (fuzz_read(cx, &dialect_stablehlo, &options, (const char *)data, size, &m))
        fuzz_check(m, size);
    read_all_checks(cx, &m->source);
    module_free(m);
    context_free(cx);
    return 0;
}
