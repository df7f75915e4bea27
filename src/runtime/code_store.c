/* Code by what it was made of, as long as it has users. */
#include "runtime/code_store.h"

#include <pthread.h>
#include <string.h>

#include "base/memory/hash.h"

struct stored_code {
    stored_code *next; /* of the same chain */
    uint64_t hash;
    code *code;
    code_function *run;
    uint32_t users;
    size_t n;
    unsigned char key[];
};

enum { CHAINS = 256 };

struct code_store {
    tn_allocator allocator;
    pthread_mutex_t lock;
    stored_code *chains[CHAINS];
};

code_store *code_store_new(const tn_allocator *allocator)
{
    code_store *s = memory_alloc(allocator, sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->allocator = *allocator;
    if (pthread_mutex_init(&s->lock, NULL) == 0)
        return s;
    memory_free(allocator, s, sizeof *s);
    return NULL;
}

void code_store_free(code_store *s)
{
    if (!s)
        return;
    const tn_allocator allocator = s->allocator;
    (void)pthread_mutex_destroy(&s->lock);
    memory_free(&allocator, s, sizeof *s);
}

/* The lock is held. */
static stored_code *find(const code_store *s, uint64_t hash, const void *key, size_t n)
{
    stored_code *c = s->chains[hash % CHAINS];
    while (c && !(c->hash == hash && c->n == n && memcmp(c->key, key, n) == 0))
        c = c->next;
    if (c)
        c->users++;
    return c;
}

stored_code *code_store_take(code_store *s, const void *key, size_t n)
{
    const uint64_t hash = hash_bytes(0, key, n);
    (void)pthread_mutex_lock(&s->lock); /* fails only where it is misused */
    stored_code *c = find(s, hash, key, n);
    (void)pthread_mutex_unlock(&s->lock);
    return c;
}

static void release(const code_store *s, stored_code *c)
{
    code_free(c->code);
    memory_free(&s->allocator, c, sizeof *c + c->n);
}

stored_code *code_store_put(code_store *s, const void *key, size_t n, code *made,
                            code_function *run)
{
    const uint64_t hash = hash_bytes(0, key, n);
    stored_code *c = memory_alloc(&s->allocator, sizeof *c + n);
    if (!c) {
        code_free(made);
        return NULL;
    }
    *c = (stored_code){.hash = hash, .code = made, .run = run, .users = 1, .n = n};
    memcpy(c->key, key, n);
    (void)pthread_mutex_lock(&s->lock);
    stored_code *faster = find(s, hash, key, n);
    if (!faster) {
        c->next = s->chains[hash % CHAINS];
        s->chains[hash % CHAINS] = c;
    }
    (void)pthread_mutex_unlock(&s->lock);
    if (!faster)
        return c;
    release(s, c);
    return faster;
}

void code_store_give_back(code_store *s, stored_code *c)
{
    if (!c)
        return;
    (void)pthread_mutex_lock(&s->lock);
    const bool is_free = --c->users == 0;
    stored_code **at = &s->chains[c->hash % CHAINS];
    while (is_free && *at != c)
        at = &(*at)->next;
    if (is_free)
        *at = c->next;
    (void)pthread_mutex_unlock(&s->lock);
    if (is_free)
        release(s, c);
}

code_function *stored_code_run(const stored_code *c)
{
    return c->run;
}
