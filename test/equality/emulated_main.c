/* Runs programs compiled ahead of time, for another machine perhaps, with guard pages around their
 * memory.
 *
 * The table is made by full_emulated.py, which links this with it. Standard input has the inputs of
 * all programs one after the other, and so has standard output the results; the status of each
 * program, four bytes, stands before its results. */
#include "emulated.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guards.h"

enum { MOST = 64 };

typedef struct call {
    const emulated *e;
    const void *in[MOST];
    void *out[MOST];
    void *work;
    int32_t status;
} call;

static void run(void *user)
{
    call *c = user;
    c->status = c->e->run(c->in, c->out, c->work);
}

static char *need(char *p)
{
    if (!p)
        exit(3);
    return p;
}

/* INPUTS hold what the program takes; false when it touches what is not its own. */
static bool run_once(const emulated *e, guards *g, char *const *inputs, FILE *to)
{
    call c = {.e = e, .work = need(guards_take(g, e->workspace, 64))};
    for (size_t i = 0; i < e->n_in; i++) {
        char *at = need(guards_take(g, e->bytes[i], 1));
        memcpy(at, inputs[i], e->bytes[i]);
        c.in[i] = at;
    }
    for (size_t k = 0; k < e->n_out; k++)
        c.out[k] = need(guards_take(g, e->bytes[e->n_in + k], 1));
    if (!guards_call(run, &c)) {
        (void)fprintf(stderr, "%s touches memory %s its own\n", e->name,
                      g->at_end ? "behind" : "before");
        return false;
    }
    if (to) {
        (void)fwrite(&c.status, sizeof c.status, 1, to);
        for (size_t k = 0; k < e->n_out; k++)
            (void)fwrite(c.out[k], 1, e->bytes[e->n_in + k], to);
    }
    guards_clear(g);
    return true;
}

int main(void)
{
    guards g;
    if (!guards_init(&g))
        return 3;
    for (const emulated *e = emulated_programs; e->run; e++) {
        char *inputs[MOST];
        for (size_t i = 0; i < e->n_in; i++) {
            inputs[i] = need(malloc(e->bytes[i] + 1));
            if (fread(inputs[i], 1, e->bytes[i], stdin) != e->bytes[i])
                return 3;
        }
        for (int side = 0; side < 2; side++) {
            g.at_end = side == 0;
            if (!run_once(e, &g, inputs, side == 0 ? NULL : stdout))
                return 4;
        }
        for (size_t i = 0; i < e->n_in; i++)
            free(inputs[i]);
    }
    guards_release(&g);
    return 0;
}
