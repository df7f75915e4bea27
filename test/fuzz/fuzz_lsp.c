/* Any bytes as what an editor sends to the language server. Its answers are dropped. */
#include <stdlib.h>
#include <string.h>

#include "lsp/server.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool drop(void *user, const char *bytes, size_t n)
{
    (void)user;
    (void)bytes;
    (void)n;
    return true;
}

/* What begins with a frame is a stream; of anything else each line is a message to a server that is
 * initialized. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char first[] = "{\"id\":0,\"method\":\"initialize\"}";
    const tn_writer out = {drop, NULL};
    lsp_server *s = lsp_new(NULL, &out, "file:///pages");
    FILE *in = NULL;
    if (s && size > 0 && data[0] == 'C') {
        char *copy = malloc(size);
        if (copy)
            in = fmemopen(memcpy(copy, data, size), size, "r");
        if (in) {
            const char *why;
            (void)lsp_serve(s, in, &why);
            (void)fclose(in);
        }
        free(copy);
    } else if (s) {
        bool more = lsp_take(s, first, sizeof first - 1);
        for (size_t at = 0; more && at < size;) {
            const uint8_t *end = memchr(data + at, '\n', size - at);
            const size_t n = end ? (size_t)(end - data) - at : size - at;
            char *line = malloc(n + 1);
            if (!line)
                break;
            memcpy(line, data + at, n);
            line[n] = '\0';
            more = lsp_take(s, line, n);
            free(line);
            at += n + 1;
        }
    }
    lsp_free(s);
    return 0;
}
