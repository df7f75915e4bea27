/* Words of a text, and the names that a dialect has for operations. */
#ifndef LSP_WORDS_H
#define LSP_WORDS_H

#include "lsp/answers.h"

/* A name in a list of spellings, such as `ConstI64, ConstF32` or `BinOp {op=Add}`. */
typedef struct word {
    const char *at;
    size_t n;
} word;

/* Can C stand in the name of an operation? */
bool word_has(char c);
/* The next name of the list *REST, which moves behind it; what is no name, such as `a literal` and
 * `+`, is passed over. */
bool word_next(const char **rest, word *out);
/* The first operation from FROM on whose names in DIALECT hold W; tn_op_count() if there is none.
 */
size_t word_operation(size_t from, const char *dialect, word w);

#endif
