/* Any bytes as a PTIR program in the JSON form. */
#include "ptir_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return ptir_check(&dialect_ptir, data, size);
}
