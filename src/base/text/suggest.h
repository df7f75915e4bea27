/* "Did you mean ...?": which of the names that exist are most like one that does not. */
#ifndef BASE_TEXT_SUGGEST_H
#define BASE_TEXT_SUGGEST_H

#include "base/context/diag.h"

enum { SUGGEST_LONGEST = 63 }; /* longer names are neither looked at nor suggested */

/* The name that was written, and those most like it among the names offered so far. */
typedef struct suggestion {
    const char *text; /* what was written; borrowed */
    size_t length;
    size_t edits;                     /* that lead from it to `name`; more are not considered */
    char name[SUGGEST_LONGEST + 1];   /* "" while nothing is alike */
    char second[SUGGEST_LONGEST + 1]; /* another that is as much alike, or "" */
} suggestion;

void suggest_begin(suggestion *s, const char *text, size_t length);
/* Offer a name. Letter case does not count as a difference. */
void suggest_name(suggestion *s, const char *name, size_t length);
/* Offer NAME to whoever wrote ALIAS, another word for it. */
void suggest_alias(suggestion *s, const char *alias, const char *name);
/* Offer every word of WORDS, which spaces separate. */
void suggest_words(suggestion *s, const char *words);

/* Add the suggestion, if there is one, to the open diagnostic as its fix. AT is the written name in
 * the diagnostic's source: the fix is an edit, unless two names are equally alike. NO_SPAN: there
 * is nothing to edit. QUOTE ("" or "\"") stands on both sides of the name in the source. */
void suggest_fix(const suggestion *s, diag_channel *d, span at, const char *quote);

#endif
