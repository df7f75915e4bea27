/* Messages in frames: `Content-Length: N`, other headers, an empty line, N bytes. */
#include <stdlib.h>
#include <string.h>

#include "lsp/answers.h"
#include "lsp/server.h"

enum { MOST_HEADER = 1000 };
static const size_t most_bytes = (size_t)64 << 20;

/* One line of a header, without its end; what is too long is cut. False at the end of IN. */
static bool read_line(FILE *in, char line[MOST_HEADER])
{
    size_t n = 0;
    int c;
    while ((c = getc(in)) != EOF && c != '\n')
        if (n < MOST_HEADER - 1)
            line[n++] = (char)c;
    if (n > 0 && line[n - 1] == '\r')
        n--;
    line[n] = '\0';
    return c != EOF;
}

static bool starts_with(const char *line, const char *name)
{
    for (; *name; line++, name++)
        if ((*line >= 'A' && *line <= 'Z' ? *line + ('a' - 'A') : *line) != *name)
            return false;
    return true;
}

/* The length that LINE says, which is digits alone between blanks; false when it is no length. */
static bool read_length(const char *line, size_t *n)
{
    *n = 0;
    line += strspn(line, " \t");
    const char *digits = line;
    for (; *line >= '0' && *line <= '9'; line++)
        if (*n <= most_bytes)
            *n = *n * 10 + (size_t)(*line - '0');
    return line > digits && line[strspn(line, " \t")] == '\0' && *n <= most_bytes;
}

/* The headers of one message. False at the end, and when there is no length, which *WHY says: then
 * nobody knows where the next message begins. */
static bool read_headers(FILE *in, size_t *n, const char **why)
{
    static const char name[] = "content-length:";
    char line[MOST_HEADER];
    bool has_length = false;
    while (read_line(in, line)) {
        if (!*line) {
            *why = has_length ? NULL : "a message has no header 'Content-Length: N'";
            return has_length;
        }
        if (starts_with(line, name)) {
            if (!read_length(line + sizeof name - 1, n)) {
                *why = "the length of a message is no number, or above 64 MiB";
                return false;
            }
            has_length = true;
        }
    }
    return false;
}

int lsp_serve(lsp_server *s, FILE *in, const char **why)
{
    const tn_allocator *a = &s->cx->allocator;
    size_t n;
    bool more = true;
    *why = NULL;
    while (more && read_headers(in, &n, why)) {
        char *body = memory_alloc(a, n + 1);
        if (!body)
            break;
        body[n] = '\0';
        more = fread(body, 1, n, in) == n && lsp_take(s, body, n);
        memory_free(a, body, n + 1);
    }
    return lsp_exit_status(s);
}
