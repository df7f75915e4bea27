/* Any text as a tensor that is written in place of a file, for every element type. */
#include <stdlib.h>
#include <string.h>

#include "cli/arguments/in_place.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *user, const tn_diagnostic *d)
{
    size_t *n = user;
    *n += d->message[0] != '\0';
}

static void check_count(const tn_buffer *b)
{
    size_t n = 1;
    for (uint32_t k = 0; k < b->type.rank; k++)
        n *= (size_t)b->type.dims[k];
    if (n * tn_dtype_size(b->type.dtype) != b->bytes)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t said = 0;
    const tn_diagnostic_sink sink = {count, &said};
    session s = {.instead = &sink};
    char *text = malloc(size + 1);
    in_place read;
    tn_buffer b;
    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    (void)in_place_is(&s, text);
    if (in_place_read(&s, "x", text, &read) != TN_OK) {
        if (!said)
            abort();
    } else if (in_place_plain(&s, &read, &b) == TN_OK) {
        check_count(&b);
        for (int d = 0; d < TN_DTYPE_COUNT; d++) {
            const tn_type declared = {.dtype = (tn_dtype)d, .rank = 2, .dims = {1, 1}};
            said = 0;
            if (in_place_tensor(&s, "x", &read, &declared, &b) == TN_OK)
                check_count(&b);
            else if (!said)
                abort();
        }
    }
    free(text);
    cli_pool_release(&s.memory);
    return 0;
}
