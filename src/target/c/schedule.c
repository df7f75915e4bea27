/* The order of instructions for compilers that keep it. Between two that change memory or
 * variables, arithmetic goes step by step over all chains at once, and what it reads stands right
 * before it: so the rows of a product share the loads of one step, and few values wait. */
#include <stdlib.h>
#include <string.h>

#include "target/c/print.h"

/* Instructions stand by step, then by whom they are for, then as they did. */
typedef struct place {
    uint32_t step, user, self;
} place;

static int compare(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    if (x->user != y->user)
        return x->user < y->user ? -1 : 1;
    return x->self < y->self ? -1 : x->self > y->self;
}

/* Only makes a value. */
static bool is_pure(const loop_inst *i)
{
    return loop_op_has_value((loop_op)i->op) && i->op != LOOP_FOR && i->op != LOOP_VAR &&
           i->op != LOOP_PARAM && i->op != LOOP_LOCAL;
}

/* A step of a chain; all else stands where it is first read. */
static bool is_step(const loop_inst *i)
{
    return i->type.lanes > 1 &&
           ((i->op >= LOOP_FADD && i->op <= LOOP_F_TO_U) || i->op == LOOP_SHUFFLE);
}

/* Put the instructions from BEGIN to END, which only make values, in order. */
static void arrange(const loop_program *p, uint32_t begin, uint32_t end, place *places)
{
    for (uint32_t v = begin; v < end; v++) {
        const loop_inst *i = &p->at[v];
        uint32_t step = 0;
        for (unsigned k = 0; k < loop_op_operands((loop_op)i->op); k++)
            if (i->in[k] >= begin && places[i->in[k]].step > step)
                step = places[i->in[k]].step;
        places[v] = (place){step + is_step(i), v, v};
    }
    for (uint32_t v = begin; v < end; v++)
        if (!is_step(&p->at[v]))
            places[v].step = places[v].user = UINT32_MAX; /* until something reads it */
    for (uint32_t v = end; v-- > begin;) {
        const loop_inst *i = &p->at[v];
        for (unsigned k = 0; k < loop_op_operands((loop_op)i->op); k++) {
            if (i->in[k] < begin || is_step(&p->at[i->in[k]]))
                continue;
            place *from = &places[i->in[k]];
            const place here = {places[v].step, places[v].user, from->self};
            if (compare(&here, from) < 0)
                *from = here;
        }
    }
    qsort(places + begin, end - begin, sizeof *places, compare);
}

const loop_program *c_schedule(const loop_program *p, arena *memory)
{
    place *places = ARENA_ARRAY(memory, place, p->n);
    loop_inst *at = ARENA_ARRAY(memory, loop_inst, p->n);
    uint32_t *number = ARENA_ARRAY(memory, uint32_t, p->n);
    loop_program *made = ARENA_NEW(memory, loop_program);
    if (!places || !at || !number || !made)
        return NULL;
    for (uint32_t v = 0, end; v < p->n; v = end) {
        for (end = v; end < p->n && is_pure(&p->at[end]);)
            end++;
        if (end > v)
            arrange(p, v, end, places);
        else
            places[end++].self = v;
    }
    for (uint32_t v = 0; v < p->n; v++) {
        at[v] = p->at[places[v].self];
        for (unsigned k = 0; k < loop_op_operands((loop_op)at[v].op); k++)
            at[v].in[k] = number[at[v].in[k]];
        number[places[v].self] = v;
    }
    *made = *p;
    made->at = at;
    return made;
}
