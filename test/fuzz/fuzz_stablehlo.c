/* Any bytes as StableHLO. What is read verifies, also when it is canonical. */
#include <stdlib.h>

#include "dialect/mlir/mlir.h"
#include "ops/infer.h"
#include "pass/pass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const read_options options = {0};
    context *cx = context_new(NULL, NULL);
    if (!cx)
        return 0;
    cx->limits.literal_bytes = 1 << 20;
    module *m = module_new(cx);
    char *own = m ? arena_copy_text(&m->arena, (const char *)data, size) : NULL;
    if (!own)
        abort();
    m->source = (source){.name = "fuzz", .text = own, .length = size};
    m->dialect = dialect_stablehlo.name;
    const tn_status s = stablehlo_read(m, &options);
    if (s != TN_OK && cx->diag.n_errors == 0)
        abort();
    if (s == TN_OK &&
        (module_verify(m, NULL) != TN_OK ||
         (pass_run(m, PASS_CANONICALIZE, true, NULL) != TN_OK && cx->diag.n_errors == 0)))
        abort();
    module_free(m);
    context_free(cx);
    return 0;
}
