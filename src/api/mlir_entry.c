/* Programs as MLIR that can be run. */
#include "api/api.h"
#include "api/programs.h"
#include "dialect/mlir/mlir.h"

tn_status write_mlir_entry(const tn_module *m, const void *const *inputs, text_buffer *out)
{
    write_options o = {.entry = true, .inputs = inputs};
    TN_TRY(dialect_mlir.write(m->graph, &o, out));
    return out->failed ? module_no_memory(m->graph) : TN_OK;
}
