/* Locations: which name and which place in a file stand in `loc(...)`. */
#include "base/text/chars.h"
#include "dialect/mlir/read/mir.h"

/* Over white space and the bytes of WORD, if they are next in T. */
static bool accept(mir_text *t, const char *word)
{
    const size_t n = strlen(word);
    size_t i = 0;
    while (i < t->n && (t->at[i] == ' ' || t->at[i] == '\n' || t->at[i] == '\t'))
        i++;
    if (t->n - i < n || memcmp(t->at + i, word, n) != 0)
        return false;
    t->at += i + n;
    t->n -= i + n;
    return true;
}

/* What stands up to the END of the string whose quotation mark was read; escapes stay. */
static mir_text rest_of_string(mir_text *t)
{
    size_t n = 0;
    while (n < t->n && t->at[n] != '"')
        n += t->at[n] == '\\' && n + 1 < t->n ? 2 : 1;
    const mir_text out = {t->at, n < t->n ? n : t->n};
    const size_t over = n < t->n ? n + 1 : t->n;
    t->at += over;
    t->n -= over;
    return out;
}

/* `:3` or `:3:7`, as text. */
static mir_text line_and_column(mir_text t)
{
    size_t n = 0;
    while (n < t.n && (char_is_digit(t.at[n]) ||
                       (t.at[n] == ':' && n + 1 < t.n && char_is_digit(t.at[n + 1]))))
        n++;
    return (mir_text){t.at, n};
}

/* Over `<...>`. */
static void skip_angles(mir_text *t)
{
    uint32_t depth = 1;
    while (t->n && depth) {
        depth += t->at[0] == '<';
        depth -= t->at[0] == '>';
        t->at++;
        t->n--;
    }
}

/* The location that T begins with. A loop, since each form leads to one other at most: of a call
 * the callee, of several the first. */
void mir_loc_place(const mir_model *m, mir_text loc, mir_place *out)
{
    enum { MOST_STEPS = 64 }; /* aliases may lead in a circle */
    *out = (mir_place){0};
    for (uint32_t i = 0; i < MOST_STEPS && loc.n; i++) {
        if (accept(&loc, "#")) {
            size_t n = 0;
            while (n < loc.n && loc.at[n] != ' ' && loc.at[n] != ')' && loc.at[n] != ',' &&
                   loc.at[n] != ']')
                n++;
            const mir_alias *a = mir_alias_named(m, '#', (mir_text){loc.at, n});
            loc = a ? a->text : (mir_text){0};
        } else if (accept(&loc, "\"")) {
            const mir_text string = rest_of_string(&loc);
            if (loc.n && loc.at[0] == ':') {
                out->file = string;
                out->position = line_and_column(loc);
                return;
            }
            if (!out->name.n)
                out->name = string;
            if (!accept(&loc, "("))
                return;
        } else if (accept(&loc, "fused")) {
            if (accept(&loc, "<"))
                skip_angles(&loc);
            if (!accept(&loc, "["))
                return;
        } else if (!accept(&loc, "callsite") || !accept(&loc, "(")) {
            return;
        }
    }
}
