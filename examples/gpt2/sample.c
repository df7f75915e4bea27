/* Choosing the next token from logits. */
#include <math.h>

#include "gpt2.h"

/* splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014). */
uint64_t gpt2_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

/* Does token A come before B? Equal logits keep the order of the tokens. */
static bool before(const float *logits, int32_t a, int32_t b)
{
    return logits[a] > logits[b] || (logits[a] == logits[b] && a < b);
}

/* Let the entry at AT, of N, sink to its place in a heap with the last token on top. */
static void sink(const float *logits, int32_t *heap, int64_t n, int64_t at)
{
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= n)
            return;
        if (child + 1 < n && before(logits, heap[child], heap[child + 1]))
            child++;
        if (!before(logits, heap[at], heap[child]))
            return;
        int32_t moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
        at = child;
    }
}

/* The K likeliest tokens into ORDER, the likeliest first. */
static void find_top(const float *logits, int64_t vocab, int64_t k, int32_t *order)
{
    for (int64_t i = 0; i < k; i++)
        order[i] = (int32_t)i;
    for (int64_t i = k / 2; i-- > 0;)
        sink(logits, order, k, i);
    for (int64_t i = k; i < vocab; i++) {
        if (!before(logits, (int32_t)i, order[0]))
            continue;
        order[0] = (int32_t)i;
        sink(logits, order, k, 0);
    }
    for (int64_t n = k; n > 1;) { /* the last goes to the end, and so on */
        int32_t last = order[0];
        order[0] = order[--n];
        order[n] = last;
        sink(logits, order, n, 0);
    }
}

int32_t gpt2_choose(const float *logits, int64_t vocab, int64_t top_k, uint64_t *state,
                    int32_t *order)
{
    int64_t k = top_k < vocab ? top_k : vocab;
    double total = 0;
    find_top(logits, vocab, k, order);
    if (k <= 1)
        return order[0];
    double most = (double)logits[order[0]];
    for (int64_t i = 0; i < k; i++)
        total += exp((double)logits[order[i]] - most);
    double drawn = (double)(gpt2_random(state) >> 11) * 0x1p-53 * total;
    for (int64_t i = 0; i < k; i++) {
        drawn -= exp((double)logits[order[i]] - most);
        if (drawn < 0)
            return order[i];
    }
    return order[k - 1];
}
