/* Nodes that read or write no element, but fail where a position is out of bounds. */
#include "loop/nest/loops/loops.h"
#include "ops/attr_rules.h"

/* How many positions are looked at, and how many places there are for each. */
typedef struct positions {
    int64_t n, extent;
} positions;

static positions positions_of(const loops *l)
{
    const type *x = loops_type(l, 0), *t = loops_result(l, 0);
    switch ((int)l->n->op) {
    case OP_TAKE:
        return (positions){loops_type(l, 1)->count, x->dims[0]};
    case OP_GATHER: /* none is looked at for nothing */
        return (positions){t->count > 0 ? loops_type(l, 1)->count : 0, 0};
    case OP_SCATTER_ROWS:
    case OP_SEGMENT_REDUCE:
        return (positions){loops_type(l, 1)->count, t->dims[0]};
    case OP_SCATTER_ADD:
    case OP_SCATTER_REDUCE: /* into nothing */
        return (positions){loops_type(l, 2)->count > 0, 0};
    default: /* index */
        return (positions){1, 0};
    }
}

bool loops_of_checks(loops *l)
{
    loop_builder *b = &l->b;
    const positions p = positions_of(l);
    const loop_value item = loops_items(l);
    loop_value ok = loop_const(b, loop_type_of(LOOP_MASK, 1), 0);
    if (p.extent > 0)
        ok = loop_binary(b, LOOP_IULT, loops_position(l, 1, item), loop_i64(b, p.extent));
    loop_fail(b, loop_unary(b, LOOP_NOT, ok), 1);
    loop_end(b);
    return loops_step(l, p.n, 1, "positions are checked, nothing is moved");
}
