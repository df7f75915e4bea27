/* The built-in functions that differentiate. */
#include "dialect/mind_source/builtin.h"

/* One tensor to differentiate by. Numbers have no identity, so they need a type first. */
static bool read_wrt(use *u, const value *v, span at, value_id *out)
{
    if (v->kind == V_TENSOR) {
        const type *t = value_type(u->l->f, v->u.id);
        *out = v->u.id;
        if (!dtype_is_float(t->dtype))
            (void)lowering_fault(u->l, DIAG_NotDifferentiable, at,
                                 "what to differentiate by is %s: only floating-point values have "
                                 "gradients",
                                 type_words(u->l, t));
        return dtype_is_float(t->dtype);
    }
    if (v->kind == V_NUMBER || v->kind == V_FILL)
        (void)lowering_fault(u->l, DIAG_CannotInfer, at,
                             "what to differentiate by needs a type; annotate where it is defined");
    else if (v->kind != V_BAD)
        (void)lowering_fault(u->l, DIAG_NotDifferentiable, at,
                             "expected a tensor to differentiate by, found %s",
                             value_words(u->l, v));
    return false;
}

/* A loss is one floating-point number, or a tensor of one element. */
static bool check_loss(use *u, value_id loss)
{
    const type *t = value_type(u->l->f, loss);
    if (!dtype_is_float(t->dtype))
        (void)lowering_fault(u->l, DIAG_NotDifferentiable, u->places[0],
                             "the loss is %s: only floating-point values have gradients",
                             type_words(u->l, t));
    else if (t->count != 1)
        (void)lowering_fault(u->l, DIAG_GradientShape, u->places[0],
                             "the loss is %s, but a loss is one number", type_words(u->l, t));
    return dtype_is_float(t->dtype) && t->count == 1;
}

/* The gradients of a value by other values: a tuple, or one tensor for one. */
value builtin_gradient_of(use *u)
{
    const value *wrt = &u->values[1];
    bool is_list = wrt->kind == V_ARRAY || wrt->kind == V_TUPLE;
    uint32_t n = is_list ? wrt->n : 1;
    value_id loss = use_tensor(u, 0), loss_out;
    value_id *by = ARENA_ARRAY(&u->l->s->memory, value_id, n);
    value_id *out = ARENA_ARRAY(&u->l->s->memory, value_id, n);
    value *items = ARENA_ARRAY(&u->l->s->memory, value, n);
    if (!by || !out || !items)
        return lowering_no_memory(u->l);
    if (loss == NO_VALUE || !check_loss(u, loss))
        return BAD;
    for (uint32_t i = 0; i < n; i++)
        if (!read_wrt(u, is_list ? &wrt->u.items[i] : wrt, u->places[1], &by[i]))
            return BAD;
    if (n == 0)
        return (value){.kind = V_UNIT};
    if (!lowering_gradients(u->l, loss, by, n, by, u->at, &loss_out, out))
        return BAD;
    for (uint32_t i = 0; i < n; i++)
        items[i] = tensor_value(out[i]);
    return is_list ? (value){.kind = V_TUPLE, .n = n, .u.items = items} : items[0];
}

value builtin_grad(use *u)
{
    if (u->values[0].kind == V_BAD)
        return BAD;
    bool again = u->values[0].kind == V_GRADIENT;
    if (u->values[0].kind != V_FUNCTION && !again) {
        if (u->given[1])
            return builtin_gradient_of(u);
        return lowering_fault(u->l, DIAG_TypeMismatch, u->places[0],
                              "expected a function, or a value and 'wrt', found %s",
                              value_words(u->l, &u->values[0]));
    }
    if (u->given[1])
        return lowering_fault(
            u->l, DIAG_InvalidAttribute, u->places[1],
            "the gradient of a function is by its first argument; 'wrt' goes with "
            "values");
    closure *c = ARENA_NEW(&u->l->s->memory, closure);
    if (!c)
        return lowering_no_memory(u->l);
    *c = *u->values[0].u.closure;
    c->of = again ? u->values[0].u.closure : NULL;
    if (c->order++ == LOWERING_ORDERS)
        return lowering_fault(u->l, DIAG_LimitExceeded, u->at,
                              "more than %d gradients of gradients", LOWERING_ORDERS);
    c->with_value = u->b->op != 0;
    return (value){.kind = V_GRADIENT, .u.closure = c};
}
