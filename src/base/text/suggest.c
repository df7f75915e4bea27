/* Finding the name that was probably meant. */
#include "base/text/suggest.h"

#include <stdio.h>
#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

enum { FAR = 2 * SUGGEST_LONGEST }; /* as many edits, or more */

static size_t distance(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

/* How many insertions, removals, replacements and exchanges of neighbours lead from A to B, letter
 * case aside; more than MOST when those are not enough. Both are at most SUGGEST_LONGEST long. What
 * is more than MOST places apart is not compared: readers offer thousands of names for each fault.
 */
static size_t count_edits(const char *a, size_t n_a, const char *b, size_t n_b, size_t most)
{
    size_t rows[3][SUGGEST_LONGEST + 2];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    if (distance(n_a, n_b) > most)
        return FAR;
    for (size_t j = 0; j <= n_b; j++)
        row[j] = j;
    for (size_t i = 1; i <= n_a; i++) {
        const size_t from = i > most ? i - most : 1, to = least(i + most, n_b);
        size_t *const oldest = before;
        before = last;
        last = row;
        row = oldest;
        row[from - 1] = from == 1 ? i : FAR;
        row[to + 1] = FAR;
        for (size_t j = from; j <= to; j++) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = least(last[j - 1] + !same, least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return row[n_b];
}

void suggest_begin(suggestion *s, const char *text, size_t length)
{
    *s = (suggestion){text, length, length > 4 ? 2 : 1, "", ""};
}

static void take_name(suggestion *s, size_t edits, const char *name, size_t length)
{
    if (edits == s->edits && s->name[0]) {
        if (strncmp(s->name, name, length) != 0 || s->name[length])
            (void)snprintf(s->second, sizeof s->second, "%.*s", (int)length, name);
        return;
    }
    s->edits = edits;
    s->second[0] = '\0';
    (void)snprintf(s->name, sizeof s->name, "%.*s", (int)length, name);
}

void suggest_name(suggestion *s, const char *name, size_t length)
{
    if (s->length > SUGGEST_LONGEST || length > SUGGEST_LONGEST)
        return;
    const size_t edits = count_edits(s->text, s->length, name, length, s->edits);
    /* a name in which every character differs is not alike */
    if (edits <= s->edits && edits < s->length && edits < length)
        take_name(s, edits, name, length);
}

void suggest_alias(suggestion *s, const char *alias, const char *name)
{
    if (strlen(alias) == s->length && memcmp(alias, s->text, s->length) == 0)
        take_name(s, 0, name, least(strlen(name), SUGGEST_LONGEST));
}

void suggest_words(suggestion *s, const char *words)
{
    while (*words) {
        const size_t n = strcspn(words, " ");
        suggest_name(s, words, n);
        words += n + (words[n] == ' ');
    }
}

void suggest_fix(const suggestion *s, diag_channel *d, span at, const char *quote)
{
    char edit[sizeof s->name + 2];
    if (!s->name[0])
        return;
    if (s->second[0]) {
        diag_fix(d, NO_SPAN, NULL, "did you mean '%s' or '%s'?", s->name, s->second);
        return;
    }
    (void)snprintf(edit, sizeof edit, "%s%s%s", quote, s->name, quote);
    if (at.length)
        diag_fix(d, at, edit, "write '%s'", s->name);
    else
        diag_fix(d, NO_SPAN, NULL, "did you mean '%s'?", s->name);
}
