/* Where contained nodes read their operands. */
#include "ops/attr_rules.h"
#include "ops/shape.h"
#include "plan/kernel.h"

bool kernel_reads_by_data(const node *n)
{
    return op_table[n->op].class == K_LOOKS_UP;
}

bool kernel_has_loops(const node *n)
{
    return (op_table[n->op].class == K_LOOPS && n->n_results <= KERNEL_OUTPUTS) ||
           n->op == OP_REDUCE_PROD; /* of complex numbers: they have no neutral one */
}

uint32_t kernel_operand_uses(const function *f, const node *n, uint32_t k)
{
    if (n->op == OP_DYNAMIC_UPDATE_SLICE)
        return k == 0 ? 0 : k == 1 ? 1 : value_type(f, n->in[0])->rank;
    if (!kernel_reads_by_data(n))
        return 1;
    if (k == 0)
        return 0;
    return n->op == OP_DYNAMIC_SLICE ? value_type(f, n->in[0])->rank : 1;
}

/* A list of one position, which is always AT. */
static bool one_position(int64_t at, const type *t, arena *memory, access_map *out)
{
    const int64_t one = 1;
    access_map zero, shifted;
    if (!access_identity(&one, 1, memory, &zero) ||
        !access_shifted(&zero, 0, sized_of(at), memory, &shifted) ||
        !access_identity(t->dims, t->rank, memory, out))
        return false;
    out->n_source = 1;
    out->at[0] = shifted.at[0];
    return true;
}

bool kernel_operand_map(const function *f, const node *n, uint32_t k, uint32_t use, arena *memory,
                        access_map *out)
{
    const type *in = value_type(f, n->in[k]), *t = value_type(f, n->first_value);
    if (op_table[n->op].traits & T_MOVES)
        return access_of_node(f, n, memory, out);
    switch ((int)n->op) {
    case OP_TAKE:
        if (!access_identity(t->dims, t->rank, memory, out))
            return false;
        out->n_source = in->rank; /* the axes of the positions come first */
        return true;
    case OP_GATHER:
        return access_identity(t->dims, t->rank, memory, out);
    case OP_DYNAMIC_SLICE:
        return one_position(use, t, memory, out);
    case OP_DYNAMIC_UPDATE_SLICE: /* from the positions of the window */
        t = value_type(f, n->in[1]);
        return k == 2 ? one_position(use, t, memory, out)
                      : access_identity(t->dims, t->rank, memory, out);
    case OP_QUANTIZE:
    case OP_DEQUANTIZE:
        if (!access_identity(t->dims, t->rank, memory, out))
            return false;
        if (k > 0 && in->rank == 1)
            out->at[0] = out->at[resolve_axis(n->attrs, KEY_AXIS, t->rank)];
        out->n_source = in->rank;
        return true;
    default:
        return access_of_broadcast(in, t->dims, t->rank, memory, out);
    }
}
