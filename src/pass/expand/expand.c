/* What expansions share. */
#include "pass/expand/expand.h"

#include "graph/literal.h"

/* Does the broadcast N put axes of its operand into another order? */
static bool changes_order(const node *n)
{
    uint32_t rank, i = 1;
    const int64_t *dims = attr_ints(n->attrs, KEY_DIMS, &rank);
    while (i < rank && dims[i] > dims[i - 1])
        i++;
    return i < rank;
}

const literal *constant_behind(const expand_call *c, value_id v)
{
    for (bool in_order = true;;) {
        const node *n = maker(c, v);
        if (n->op == OP_CONSTANT)
            return in_order || literal_of(n)->splat ? literal_of(n) : NULL;
        if (n->op != OP_BROADCAST && n->op != OP_RESHAPE && n->op != OP_EXPAND_DIMS &&
            n->op != OP_SQUEEZE)
            return NULL;
        in_order = in_order && !(n->op == OP_BROADCAST && changes_order(n));
        v = n->in[0];
    }
}

static scalar number_of(tn_dtype d, double number)
{
    return dtype_is_float(d) || dtype_is_complex(d) ? scalar_of_float(number)
                                                    : scalar_of_int((int64_t)number);
}

bool is_everywhere(const expand_call *c, value_id v, double number)
{
    const literal *l = constant_behind(c, v);
    return l && !dtype_is_complex(l->type->dtype) &&
           literal_is_all(l, number_of(l->type->dtype, number));
}

value_id expand_number(expand_call *c, tn_dtype d, double number)
{
    return build_scalar(c->b, d, number_of(d, number));
}

value_id expand_filled(expand_call *c, const type *like, double number)
{
    return build_broadcast(c->b, expand_number(c, like->dtype, number), like->dims, like->rank);
}

value_id expand_to_result(expand_call *c, value_id x)
{
    return build_reshape(c->b, x, c->out->dims, c->out->rank);
}

bool is_static_call(const expand_call *c)
{
    bool known = type_is_static(c->out);
    for (uint32_t i = 0; i < c->n->n_in; i++)
        known = known && type_is_static(operand_type_of(c, i));
    return known;
}
