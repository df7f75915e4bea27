/* Any bytes as an object file. What loads can be searched for names; it is not run. */
#include "runtime/code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    code *c;
    if (code_load(&memory_system, data, size, &c) == TN_OK) {
        (void)code_find(c, "answer");
        (void)code_find(c, "");
    }
    code_free(c);
    return 0;
}
