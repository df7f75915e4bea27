/* Facts of nodes. */
#include "ops/node_facts.h"

#include "graph/literal.h"

const literal *node_shown_literal(const function *f, const node *n)
{
    enum { FARTHEST = 8 };
    for (int i = 0; i < FARTHEST; i++) {
        if (n->op != OP_BROADCAST && n->op != OP_RESHAPE && n->op != OP_EXPAND_DIMS &&
            n->op != OP_SQUEEZE && n->op != OP_TRANSPOSE)
            return literal_of(n);
        n = node_of(f, n->in[0]);
    }
    return NULL;
}

bool node_has_known_windows(const node *n)
{
    static const attr_key keys[] = {KEY_WINDOW, KEY_STRIDES, KEY_PADS, KEY_BASE_DILATION,
                                    KEY_DILATION};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        uint32_t count;
        const int64_t *list = attr_ints(n->attrs, keys[k], &count);
        for (uint32_t i = 0; i < count; i++)
            if (dim_is_symbolic(list[i]))
                return false;
    }
    return true;
}

bool node_draws(const node *n)
{
    return op_table[n->op].class == K_DRAWS;
}

/* Is V, of integers, one number other than 0 in all its elements? */
static bool is_not_zero(const function *f, value_id v)
{
    const literal *l = node_shown_literal(f, node_of(f, v));
    return l && literal_is_single(l) && !literal_is_all(l, scalar_of_int(0));
}

bool node_may_fail(const function *f, const node *n)
{
    if (!(op_table[n->op].traits & T_MAY_FAIL))
        return false;
    if (n->op != OP_DIV && n->op != OP_MOD)
        return true;
    return dtype_is_int(value_type(f, n->first_value)->dtype) &&
           attr_int(n->attrs, KEY_ON_ZERO, ON_ZERO_ERROR) == ON_ZERO_ERROR &&
           !is_not_zero(f, n->in[1]);
}

bool *function_needed_nodes(const function *f, arena *memory)
{
    bool *needed = ARENA_ARRAY(memory, bool, f->nodes.n);
    for (uint32_t k = 0; needed && k < f->outputs.n; k++)
        needed[f->values.at[f->outputs.at[k]].node] = true;
    for (uint32_t i = f->nodes.n; needed && i-- > 0;)
        for (uint32_t k = 0; needed[i] && k < f->nodes.at[i].n_in; k++)
            needed[f->values.at[f->nodes.at[i].in[k]].node] = true;
    return needed;
}

enum { OTHERS = 63 }; /* the bit of all nodes that have none of their own */

bool failing_init(failing *x, const function *f, arena *memory)
{
    *x = (failing){.of = ARENA_ARRAY(memory, uint64_t, f->values.n)};
    return x->of != NULL;
}

void failing_add(failing *x, const function *f, const node *n)
{
    uint64_t all = 0;
    if (node_may_fail(f, n)) {
        all = UINT64_C(1) << x->n;
        x->n += x->n < OTHERS;
    }
    for (uint32_t k = 0; k < n->n_in; k++)
        all |= x->of[n->in[k]];
    for (uint32_t r = 0; r < n->n_results; r++)
        x->of[n->first_value + r] = all;
}

bool failing_covers(uint64_t kept, uint64_t dropped)
{
    return (dropped & ~kept) == 0 && dropped >> OTHERS == 0;
}
