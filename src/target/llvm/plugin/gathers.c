/* Which functions LLVM compiles without gather instructions. Where positions follow from the loops
 * alone, elements are loaded one by one from constant distances, of which LLVM makes vector loads
 * where they are neighbours: five times as fast on Zen 5 for windows of an image. Where positions
 * are data, each would be moved out of a vector first. */
#include "target/llvm/plugin/parts.h"

static bool is_data(const loop_inst *i)
{
    return i->op == LOOP_LOAD || i->op == LOOP_LOAD_FIRST || i->op == LOOP_LOAD_WHERE ||
           i->op == LOOP_GATHER;
}

/* Mark what depends on memory; true when a gather's distances do. */
static bool mark(const loop_program *p, bool *is_of_data)
{
    bool has_found = false;
    for (uint32_t v = 0; v < p->n; v++) {
        const loop_inst *i = &p->at[v];
        bool any = is_data(i);
        for (unsigned k = 0; k < 3; k++)
            any |= is_of_data[i->in[k]]; /* of operands that there are not: a parameter */
        has_found |= i->op == LOOP_GATHER && is_of_data[i->in[1]];
        is_of_data[v] |= any;
        if (i->op == LOOP_SET)
            is_of_data[i->in[0]] |= any;
    }
    return has_found;
}

bool gathers_follow_loops(const loop_program *p, const tn_allocator *a)
{
    bool has_any = false;
    for (uint32_t v = 0; v < p->n && !has_any; v++)
        has_any = p->at[v].op == LOOP_GATHER;
    bool *is_of_data = has_any ? a->resize(a->user, NULL, 0, p->n) : NULL;
    if (!is_of_data)
        return false;
    memset(is_of_data, 0, p->n);
    (void)mark(p, is_of_data); /* variables keep what a later iteration reads */
    const bool follows = !mark(p, is_of_data);
    (void)a->resize(a->user, is_of_data, p->n, 0);
    return follows;
}
