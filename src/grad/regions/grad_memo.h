/* What derivatives made for one use of a region, for the next use that asks the same. Regions are
 * shared by their uses, which may double from each level of nesting to the next; so are the regions
 * of their derivatives. */
#ifndef GRAD_REGIONS_GRAD_MEMO_H
#define GRAD_REGIONS_GRAD_MEMO_H

#include "grad/grad_replace.h"

/* What is asked, as words: which rule, which regions, which of their values matter, and the types
 * of what comes from outside of them. */
typedef struct question {
    uint64_t *words;
    uint32_t n, most;
} question;

enum question_kind {
    ASKS_BRANCH,   /* the derivative of a branch of cond */
    ASKS_BACKWARD, /* the backward step of a scan */
    ASKS_RECORD,   /* a body that gives its carries too */
    ASKS_STEP,     /* one step of a while */
    ASKS_COUNTED,  /* a while that counts its iterations */
    ASKS_BACK      /* the backward step of a while */
};

typedef struct grad_answer {
    question asked;
    const void *answer;
} grad_answer;

/* What one differentiation keeps for all its walks. */
typedef struct grad_work {
    replacement_list replacements;
    VECTOR(grad_answer) answers;
    hash_index by_question;
} grad_work;

void grad_work_release(const tn_allocator *a, grad_work *w);

/* A question with room for MOST further words, in MEMORY; no room at all without memory, which
 * makes a question without words: it has no answer, and takes none. */
question question_new(arena *memory, enum question_kind kind, uint32_t most);
static inline void question_add(question *q, uint64_t word)
{
    if (q->n < q->most)
        q->words[q->n++] = word;
}

/* NULL: it is asked for the first time. */
const void *grad_recall(const grad_work *w, const question *q);
/* False when there is no memory. */
bool grad_remember(const tn_allocator *a, grad_work *w, const question *q, const void *answer);

#endif
