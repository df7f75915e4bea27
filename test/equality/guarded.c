#include "guarded.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Buffers that overlap, as in place, stay together. */
typedef struct piece {
    char *from, *end; /* where they lie in the run */
    char *at;         /* between guard pages */
    bool is_written;
} piece;

/* A kernel of the tape and one call of it. */
typedef struct guarded_kernel {
    guarded_tape *g;
    exe_step step;
    exe_kernel *run;
    uint64_t *bytes; /* by buffer */
    uint32_t n;
    piece *pieces;
    uint32_t n_pieces;
    char **buffers;
    char *scratch;
    int32_t code;
} guarded_kernel;

static int32_t go_on(const exe_watch *w)
{
    (void)w;
    return 0;
}

static void run_kernel(void *user)
{
    enum { MOST = 1000 };
    guarded_kernel *k = user;
    const int64_t extent = k->step.extent;
    const int64_t by = k->g->in_pieces ? extent / MOST + 1 : extent;
    for (int64_t at = 0, next; at < extent; at = next) {
        next = extent - at > by ? at + by : extent;
        const int32_t code = k->run(k->buffers, at, next, k->scratch);
        k->code = code ? code : k->code;
    }
}

/* The piece that buffer I is part of, which may join several. */
static void add_piece(guarded_kernel *k, char *from, uint64_t bytes, bool is_written)
{
    piece p = {from, from + bytes, NULL, is_written};
    for (uint32_t i = 0; i < k->n_pieces;) {
        const piece q = k->pieces[i];
        if (p.from >= q.end || q.from >= p.end) {
            i++;
            continue;
        }
        p.from = q.from < p.from ? q.from : p.from;
        p.end = q.end > p.end ? q.end : p.end;
        p.is_written |= q.is_written;
        k->pieces[i] = k->pieces[--k->n_pieces];
        i = 0;
    }
    k->pieces[k->n_pieces++] = p;
}

/* Where what lies at FROM lies between guard pages; buffers of no bytes lie at the end of one. */
static char *moved(const guarded_kernel *k, char *from, uint64_t bytes)
{
    for (uint32_t i = 0; i < k->n_pieces; i++) {
        const piece *p = &k->pieces[i];
        if (bytes > 0 && from >= p->from && from < p->end)
            return p->at + (from - p->from);
    }
    return from ? guards_take(&k->g->memory, 0, EXE_ALIGN) : NULL;
}

static bool move_all(guarded_kernel *k, char *const *buffers)
{
    guards *memory = &k->g->memory;
    k->n_pieces = 0;
    for (uint32_t i = 0; i < k->n; i++)
        if (buffers[i] && k->bytes[i] > 0)
            add_piece(k, buffers[i], k->bytes[i], i >= k->step.n_read);
    for (uint32_t i = 0; i < k->n_pieces; i++) {
        piece *p = &k->pieces[i];
        const size_t bytes = (size_t)(p->end - p->from);
        p->at = guards_take(memory, bytes, 1);
        if (!p->at)
            return false;
        memcpy(p->at, p->from, bytes);
    }
    for (uint32_t i = 0; i < k->n; i++)
        k->buffers[i] = moved(k, buffers[i], k->bytes[i]);
    k->scratch = guards_take(memory, (size_t)k->step.scratch, EXE_ALIGN);
    return k->scratch != NULL;
}

static tn_status finish(guarded_kernel *k)
{
    for (uint32_t i = 0; i < k->n_pieces; i++) {
        const piece *p = &k->pieces[i];
        const size_t bytes = (size_t)(p->end - p->from);
        if (p->is_written)
            memcpy(p->from, p->at, bytes);
        else if (memcmp(p->from, p->at, bytes) != 0)
            (void)snprintf(k->g->fault, sizeof k->g->fault, "kernel %s writes an operand",
                           k->step.name ? k->step.name : "?");
    }
    return k->code == 0 ? TN_OK : TN_ERR_RUN;
}

static tn_status run_guarded(const void *what, char *const *buffers, void *host)
{
    guarded_kernel *k = *(guarded_kernel *const *)what;
    const exe_watch watch = {.stop = go_on};
    uint32_t n = k->n;
    tn_status status = TN_ERR_NOMEM;
    (void)host;
    k->code = 0;
    if (k->step.extent <= 0)
        return TN_OK;
    if (move_all(k, buffers)) {
        if (k->step.numbers)
            k->buffers[n++] = (char *)(uintptr_t)k->step.numbers;
        if (k->step.polls)
            k->buffers[n++] = (char *)(uintptr_t)&watch;
        if (guards_call(run_kernel, k))
            status = finish(k);
        else
            (void)snprintf(
                k->g->fault, sizeof k->g->fault, "kernel %s touches memory %s its buffers",
                k->step.name ? k->step.name : "?", k->g->memory.at_end ? "behind" : "before");
    } else {
        (void)snprintf(k->g->fault, sizeof k->g->fault, "no room between guard pages");
    }
    guards_clear(&k->g->memory);
    return status;
}

static bool guard_step(guarded_tape *g, tape *t, const exe_block_info *b, exe_step_info *s)
{
    const uint32_t n = s->as.n_read + s->as.n_written;
    guarded_kernel *k = ARENA_ARRAY(&t->exe->arena, guarded_kernel, 1);
    guarded_kernel **what = ARENA_ARRAY(&t->exe->arena, guarded_kernel *, 1);
    if (!k || !what)
        return false;
    *k = (guarded_kernel){.g = g, .step = s->as, .run = t->code[s->as.code], .n = n};
    k->bytes = ARENA_ARRAY(&t->exe->arena, uint64_t, n + 1);
    k->pieces = ARENA_ARRAY(&t->exe->arena, piece, n + 1);
    k->buffers = ARENA_ARRAY(&t->exe->arena, char *, n + 3);
    if (!k->bytes || !k->pieces || !k->buffers)
        return false;
    for (uint32_t i = 0; i < n; i++)
        k->bytes[i] = b->buffers.at[s->as.buffers[i]].bytes;
    *what = k;
    s->as.kind = EXE_HOST;
    s->as.call = CALL_COUNT;
    s->as.what = what;
    return true;
}

bool guarded_tape_init(guarded_tape *g, tape *t)
{
    *g = (guarded_tape){0};
    if (!guards_init(&g->memory))
        return false;
    memcpy(g->calls, host_calls, sizeof host_calls);
    g->calls[CALL_COUNT] = run_guarded;
    if (t)
        t->calls = g->calls;
    for (uint32_t i = 0; t && i < t->exe->blocks.n; i++) {
        const exe_block_info *b = &t->exe->blocks.at[i];
        for (uint32_t s = 0; s < b->steps.n; s++)
            if (b->steps.at[s].as.kind == EXE_KERNEL && !guard_step(g, t, b, &b->steps.at[s]))
                return false;
    }
    return true;
}
