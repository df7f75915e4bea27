/* The answers of one differentiation, by what was asked. */
#include "grad/regions/grad_memo.h"

#include <string.h>

void grad_work_release(const tn_allocator *a, grad_work *w)
{
    VECTOR_RELEASE(a, &w->replacements);
    VECTOR_RELEASE(a, &w->answers);
    hash_release(a, &w->by_question);
}

question question_new(arena *memory, enum question_kind kind, uint32_t most)
{
    question q = {.words = ARENA_ARRAY(memory, uint64_t, (size_t)most + 1)};
    q.most = q.words ? most + 1 : 0;
    question_add(&q, kind);
    return q;
}

static uint64_t hash_of(const question *q)
{
    return hash_bytes(3, q->words, q->n * sizeof *q->words);
}

const void *grad_recall(const grad_work *w, const question *q)
{
    const uint64_t h = hash_of(q);
    for (uint32_t p = hash_first(&w->by_question, h), i;
         q->n && (i = hash_at(&w->by_question, h, &p)) != HASH_NONE;) {
        const grad_answer *known = &w->answers.at[i];
        if (known->asked.n == q->n &&
            memcmp(known->asked.words, q->words, q->n * sizeof *q->words) == 0)
            return known->answer;
    }
    return NULL;
}

bool grad_remember(const tn_allocator *a, grad_work *w, const question *q, const void *answer)
{
    const grad_answer one = {*q, answer};
    return q->n == 0 || !answer ||
           VECTOR_PUSH_INDEXED(a, &w->answers, one, &w->by_question, hash_of(q));
}
