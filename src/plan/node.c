/* What the grouping wants to know about single nodes. */
#include "graph/literal.h"
#include "ops/attr_rules.h"
#include "plan/group.h"

bool node_is_copy(const node *n) /* the same elements in row-major order */
{
    return n->op == OP_RESHAPE || n->op == OP_EXPAND_DIMS || n->op == OP_SQUEEZE;
}

bool kernel_is_uniform(const node *n)
{
    const literal *l = literal_of(n);
    return l && literal_is_single(l);
}

bool node_is_splat(const function *f, const node *n)
{
    const literal *l = node_shown_literal(f, n);
    return l && literal_is_single(l);
}

bool type_has_elements(const type *t)
{
    return type_is_static(t) && t->count > 0;
}

sized kernel_elements_from(const function *f, value_id v, uint32_t axis)
{
    const access_extents x = access_extents_of(f, v);
    sized n = sized_of(1);
    for (uint32_t i = axis; i < x.rank; i++)
        n = sized_mul(n, (sized){x.now[i], x.other[i]});
    return n;
}

value_id kernel_row_positions(const function *f, const node *n)
{
    if (n->op != OP_SCATTER_REDUCE || node_of(f, n->in[1])->op != OP_BROADCAST)
        return NO_VALUE;
    const node *spread = node_of(f, n->in[1]);
    const access_extents all = access_extents_of(f, n->in[1]);
    const access_extents x = access_extents_of(f, spread->in[0]);
    const uint32_t axis = resolve_axis(n->attrs, KEY_AXIS, all.rank);
    bool are_rows = !attr_find(spread->attrs, KEY_DIMS) && x.rank == all.rank;
    for (uint32_t i = 0; are_rows && i < all.rank; i++)
        are_rows =
            x.now[i] == (i > axis ? 1 : all.now[i]) && x.other[i] == (i > axis ? 1 : all.other[i]);
    return are_rows ? spread->in[0] : NO_VALUE;
}

bool kernel_can_contain(const function *f, const node *n)
{
    if (n->n_results != 1 || !type_has_elements(value_type(f, n->first_value)))
        return false;
    for (uint32_t k = 0; k < n->n_in; k++)
        if (!type_has_elements(value_type(f, n->in[k])))
            return false;
    switch (op_table[n->op].class) {
    case K_ELEMENTWISE:
    case K_MOVES:
    case K_DRAWS:
    case K_LOOKS_UP:
        return true;
    case K_NONE:
    case K_REDUCES:
    case K_CONTRACTS:
    case K_LOOPS:
        break;
    }
    return kernel_is_uniform(n);
}

bool kernel_is_reduction(const function *f, const node *n)
{
    if (op_table[n->op].class != K_REDUCES ||
        (n->op == OP_REDUCE_PROD && dtype_is_complex(value_type(f, n->in[0])->dtype)))
        return false;
    uint32_t n_axes;
    const attr *axes = attr_find(n->attrs, KEY_AXES);
    (void)attr_ints(n->attrs, KEY_AXES, &n_axes);
    return type_has_elements(value_type(f, n->in[0])) && value_type(f, n->in[0])->rank > 0 &&
           (!axes || n_axes > 0);
}

static bool follows_from_position(const function *f, const node *n, int steps)
{
    if (kernel_is_uniform(n) || n->op == OP_IOTA)
        return true;
    if (steps == 0 || n->n_results != 1 ||
        (!(op_table[n->op].traits & T_CHEAP) && n->op != OP_BROADCAST && n->op != OP_TRANSPOSE &&
         !node_is_copy(n)))
        return false;
    for (uint32_t k = 0; k < n->n_in; k++)
        if (!follows_from_position(f, node_of(f, n->in[k]), steps - 1))
            return false;
    return n->n_in > 0;
}

bool node_reads_nothing(const function *f, const node *n)
{
    enum { MOST_STEPS = 4 };
    return follows_from_position(f, n, MOST_STEPS);
}

bool node_is_cheap(const function *f, const node *n)
{
    value_id varying = NO_VALUE; /* the only operand that has to be loaded */
    if (!(op_table[n->op].traits & T_CHEAP))
        return kernel_is_uniform(n) || n->op == OP_IOTA || access_is_movement(n);
    for (uint32_t k = 0; k < n->n_in; k++) {
        if (node_is_splat(f, node_of(f, n->in[k])) || n->in[k] == varying)
            continue;
        if (varying != NO_VALUE)
            return false;
        varying = n->in[k];
    }
    return true;
}

bool kernel_is_one_step(const node *n)
{
    const op_info *op = &op_table[n->op];
    return (op->traits & T_ELEMENTWISE) && ((op->traits & T_CHEAP) || op->cost == 1);
}

bool node_contracts(const node *n)
{
    return op_table[n->op].class == K_CONTRACTS;
}
