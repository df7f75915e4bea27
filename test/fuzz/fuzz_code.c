/* Any bytes as an object file. What loads can be searched for names, and taken apart; it is not
 * run.
 */
#include "runtime/code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    code *c;
    text_buffer part;
    if (code_load(&memory_system, data, size, &c) == TN_OK) {
        (void)code_find(c, "answer");
        (void)code_find(c, "");
        (void)code_only(c);
    }
    code_free(c);
    text_init(&part, &memory_system);
    if (code_part(&memory_system, data, size, "answer", &part)) {
        (void)code_load(&memory_system, part.at, part.n, &c);
        code_free(c);
    }
    text_release(&part);
    return 0;
}
