/* The pages of docs/errors by code. */
#include "api/contexts/error_pages.h"

#include "base/context/diag.h"
#include "tenon/tenon.h"

#include <ctype.h>
#include <string.h>

/* Does WORD stand among the words of TEXT before END? */
static bool has_word(const char *text, const char *end, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = text; at < end;) {
        const char *start = at;
        while (at < end && isalnum((unsigned char)*at))
            at++;
        if ((size_t)(at - start) == n && n > 0 && memcmp(start, word, n) == 0)
            return true;
        at += at == start;
    }
    return false;
}

/* The title is the kind; the paragraph below it begins with "Codes:" and says which dialect has
 * which code. A code has at least five characters and begins with a capital letter; no other word
 * of that paragraph does both. */
static bool is_about(const char *page, const char *code)
{
    const char *codes = strstr(page, "\nCodes: ");
    const char *end = codes ? strchr(codes + 1, '\n') : NULL;
    return end && isupper((unsigned char)code[0]) && strlen(code) > 4 &&
           (has_word(page, codes, code) || has_word(codes + strlen("\nCodes: "), end, code));
}

const char *tn_error_page(const char *code, size_t index)
{
    for (int kind = 0; kind < DIAG_COUNT; kind++)
        if ((!code || is_about(error_pages[kind], code)) && index-- == 0)
            return error_pages[kind];
    return NULL;
}
