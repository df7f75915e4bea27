/* A request to LLVM as bytes, for a process of its own: one walk over what it leads to, which
 * writes it and reads it again. Both sides are built from the same headers. */
#ifndef TARGET_LLVM_WIRE_H
#define TARGET_LLVM_WIRE_H

#include <stdint.h>
#include <string.h>

#include "target/llvm/plugin.h"

typedef struct wire {
    bool reads; /* else it writes */
    /* Moves N bytes between AT and the wire. */
    void (*move)(struct wire *w, void *at, size_t n);
    /* READS: memory for N bytes, as long as the request; NULL when there is none. */
    void *(*room)(struct wire *w, size_t n);
    bool failed; /* no memory, or too few bytes; nothing is moved any more */
    void *user;
} wire;

/* What both must agree on. */
typedef struct wire_head {
    uint32_t version, inst_size, op_count, is_program;
    uint64_t n;
} wire_head;

/* What comes back; the code follows. */
typedef struct wire_answer {
    uint32_t outcome; /* llvm_outcome */
    char message[256];
} wire_answer;

static inline void *wire_block(wire *w, const void *at, size_t n)
{
    uint8_t is_there = at != NULL;
    void *to = (void *)(uintptr_t)at; /* a writer only looks at it */
    w->move(w, &is_there, sizeof is_there);
    if (w->failed || !is_there)
        return NULL;
    if (w->reads)
        to = w->room(w, n ? n : 1);
    w->failed = !to;
    if (n > 0 && to)
        w->move(w, to, n);
    return to;
}

/* The N elements that FIELD, a member of something that a reader may change, leads to; they can be
 * changed by a reader, too. */
#define WIRE_ARRAY(w, field, n)                                                                    \
    do {                                                                                           \
        void *block = wire_block((w), (field), (size_t)(n) * sizeof *(field));                     \
        if ((w)->reads)                                                                            \
            (field) = block;                                                                       \
    } while (0)

static inline void wire_text(wire *w, const char **text)
{
    uint64_t n = !w->reads && *text ? strlen(*text) + 1 : 0;
    w->move(w, &n, sizeof n);
    WIRE_ARRAY(w, *text, n);
}

static inline void wire_functions(wire *w, const target_function *list, uint64_t n)
{
    target_function *f = (target_function *)(uintptr_t)list;
    for (uint64_t i = 0; i < n && !w->failed; i++) {
        wire_text(w, &f[i].name);
        WIRE_ARRAY(w, f[i].program, 1);
        loop_program *p = (loop_program *)(uintptr_t)f[i].program;
        if (!p || w->failed)
            continue;
        WIRE_ARRAY(w, p->at, p->n);
        WIRE_ARRAY(w, p->tables, p->n_tables);
    }
}

static inline void wire_ports(wire *w, const target_port *list, uint32_t n)
{
    target_port *p = (target_port *)(uintptr_t)list;
    for (uint32_t i = 0; i < n && !w->failed; i++) {
        wire_text(w, &p[i].name);
        WIRE_ARRAY(w, p[i].dims, p[i].rank);
    }
}

static inline void wire_block_steps(wire *w, target_block *b)
{
    wire_text(w, &b->note);
    WIRE_ARRAY(w, b->steps, b->n_steps);
    target_step *s = (target_step *)(uintptr_t)b->steps;
    for (uint32_t i = 0; i < b->n_steps && !w->failed; i++) {
        WIRE_ARRAY(w, s[i].buffers, s[i].n_buffers);
        wire_text(w, &s[i].note);
    }
}

static inline void wire_program(wire *w, target_program *p)
{
    wire_text(w, &p->name);
    wire_text(w, &p->note);
    WIRE_ARRAY(w, p->functions, p->n_functions);
    wire_functions(w, p->functions, p->n_functions);
    WIRE_ARRAY(w, p->inputs, p->n_inputs);
    wire_ports(w, p->inputs, p->n_inputs);
    WIRE_ARRAY(w, p->outputs, p->n_outputs);
    wire_ports(w, p->outputs, p->n_outputs);
    WIRE_ARRAY(w, p->buffers, p->n_buffers);
    WIRE_ARRAY(w, p->constants, p->n_constants);
    target_constant *c = (target_constant *)(uintptr_t)p->constants;
    for (uint32_t i = 0; i < p->n_constants && !w->failed; i++) {
        void *bytes = wire_block(w, c[i].bytes, (size_t)c[i].n_bytes);
        if (w->reads)
            c[i].bytes = bytes;
        wire_text(w, &c[i].note);
    }
    WIRE_ARRAY(w, p->blocks, p->n_blocks);
    target_block *b = (target_block *)(uintptr_t)p->blocks;
    for (uint32_t i = 0; i < p->n_blocks && !w->failed; i++)
        wire_block_steps(w, &b[i]);
}

/* R without its allocator, where results go and the machine. A reader's HEAD is checked before; it
 * may end with less than all, and then has failed. */
static inline void wire_request(wire *w, const wire_head *head, llvm_request *r)
{
    WIRE_ARRAY(w, r->options, 1);
    if (w->failed)
        return;
    target_options *o = (target_options *)(uintptr_t)r->options;
    if (w->reads)
        o->kept = NULL;
    wire_text(w, &o->triple);
    wire_text(w, &o->cpu);
    if (!head->is_program) {
        WIRE_ARRAY(w, r->functions, head->n);
        if (!w->failed)
            wire_functions(w, r->functions, head->n);
        return;
    }
    WIRE_ARRAY(w, r->program, 1);
    target_program *p = (target_program *)(uintptr_t)r->program;
    if (!w->failed)
        wire_program(w, p);
    WIRE_ARRAY(w, r->used, 1);
    target_used *used = (target_used *)(uintptr_t)r->used;
    if (w->failed)
        return;
    WIRE_ARRAY(w, used->blocks, p->n_blocks);
    WIRE_ARRAY(w, used->functions, p->n_functions);
    WIRE_ARRAY(w, used->constants, p->n_constants);
}

#endif
