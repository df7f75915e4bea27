/* Between two instructions with side effects is a run of instructions that only compute values.
 * Runs are ordered from the last to the first, so that the users of a run's values already have
 * their places: depth first, from the value that is used first to the one that is used last. */
#include "loop/ir/order.h"

#include <stdlib.h>

typedef struct sorter {
    const loop_builder *b;
    const bool *needed;
    uint32_t *first_use; /* by value: the larger, the earlier its first use; 0: none yet */
    uint32_t uses;       /* counted so far */
    uint32_t *list;      /* filled from the end; the first free place is `at` - 1 */
    uint32_t at;
    uint32_t begin, end; /* the run */
    uint32_t *found;     /* the values of the run, in order, n of them */
    uint32_t n;
    uint32_t *stack;
    bool *placed;
} sorter;

static bool stays(loop_op op)
{
    return !loop_op_has_value(op) || op == LOOP_FOR || op == LOOP_PARAM;
}

/* Put V before everything that has a place. */
static void put(sorter *s, uint32_t v)
{
    const loop_inst *i = &s->b->at[v];
    s->list[--s->at] = v;
    for (unsigned k = loop_op_operands((loop_op)i->op); k-- > 0;)
        s->first_use[i->in[k]] = ++s->uses;
}

static bool is_waiting(const sorter *s, uint32_t v)
{
    return v >= s->begin && v < s->end && !s->placed[v];
}

/* V of the run, after the values of the run that it needs. */
static void find(sorter *s, uint32_t v)
{
    uint32_t depth = 0;
    s->stack[depth++] = v;
    while (depth) {
        v = s->stack[depth - 1];
        const loop_inst *i = &s->b->at[v];
        const unsigned operands = loop_op_operands((loop_op)i->op);
        unsigned k = 0;
        while (k < operands && !is_waiting(s, i->in[k]))
            k++;
        if (k < operands) {
            s->stack[depth++] = i->in[k];
            continue;
        }
        depth--;
        s->placed[v] = true;
        s->found[s->n++] = v;
    }
}

typedef struct root {
    uint32_t use, value;
} root;

static int earlier(const void *x, const void *y)
{
    const uint32_t a = ((const root *)x)->use, b = ((const root *)y)->use;
    return a > b ? -1 : a < b;
}

static void put_run(sorter *s, uint32_t begin, uint32_t end, root *roots)
{
    size_t n_roots = 0;
    for (uint32_t v = begin; v < end; v++)
        if (s->needed[v] && s->first_use[v])
            roots[n_roots++] = (root){s->first_use[v], v};
    qsort(roots, n_roots, sizeof *roots, earlier);
    s->begin = begin;
    s->end = end;
    s->n = 0;
    for (size_t r = 0; r < n_roots; r++)
        if (is_waiting(s, roots[r].value))
            find(s, roots[r].value);
    for (uint32_t k = s->n; k-- > 0;)
        put(s, s->found[k]);
}

const uint32_t *loop_order(const loop_builder *b, const bool *needed, uint32_t *count)
{
    sorter s = {.b = b, .needed = needed, .at = b->n};
    s.first_use = ARENA_ARRAY(b->arena, uint32_t, b->n);
    s.list = ARENA_ARRAY(b->arena, uint32_t, b->n);
    s.found = ARENA_ARRAY(b->arena, uint32_t, b->n);
    s.stack = ARENA_ARRAY(b->arena, uint32_t, b->n);
    s.placed = ARENA_ARRAY(b->arena, bool, b->n);
    root *roots = ARENA_ARRAY(b->arena, root, b->n);
    if (!s.first_use || !s.list || !s.found || !s.stack || !s.placed || !roots)
        return NULL;
    uint32_t end = b->n;
    for (uint32_t v = b->n; v-- > 0;) {
        if (!stays((loop_op)b->at[v].op))
            continue;
        put_run(&s, v + 1, end, roots);
        put(&s, v);
        end = v;
    }
    put_run(&s, 0, end, roots);
    *count = b->n - s.at;
    return s.list + s.at;
}
