/* Names of operations in lists of spellings, and the dialect that a document is in. */
#include "lsp/words.h"

bool word_has(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool word_next(const char **rest, word *out)
{
    while (**rest) {
        const char *at = *rest;
        size_t n = 0;
        while (word_has(at[n]))
            n++;
        const char *end = at + strcspn(at, ",");
        *rest = *end ? end + 1 + (end[1] == ' ') : end;
        if (n > 0 &&
            (at + n == end || strncmp(at + n, " {", 2) == 0 || strncmp(at + n, " (", 2) == 0)) {
            *out = (word){at, n};
            return true;
        }
    }
    return false;
}

size_t word_operation(size_t from, const char *dialect, word w)
{
    word name;
    for (; from < tn_op_count(); from++) {
        const char *rest = tn_op_spelling(from, dialect);
        while (rest && word_next(&rest, &name))
            if (name.n == w.n && memcmp(name.at, w.at, w.n) == 0)
                return from;
    }
    return from;
}

const char *document_dialect(const document *d)
{
    tn_dialect_info info;
    const char *found = d->dialect;
    const size_t n = strlen(d->uri);
    size_t longest = 0;
    for (size_t i = 0; !d->dialect && tn_dialect_at(i, &info); i++)
        for (const char *e = info.extensions; *e;) {
            const size_t m = strcspn(e, " ");
            if (m > longest && m <= n && memcmp(d->uri + n - m, e, m) == 0) {
                longest = m;
                found = info.name;
            }
            e += m + (e[m] == ' ');
        }
    return found;
}
