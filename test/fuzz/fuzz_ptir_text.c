/* Any bytes as a PTIR program in the compact text form, or a dump. */
#include "ptir_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return ptir_check(&dialect_ptir_text, data, size);
}
