/* What Core IR can express of an op that it has. */
#include "dialect/mind/legal.h"

#include <inttypes.h>
#include <stdio.h>

#include "dialect/mind/spelling.h"

/* Does Core IR have a place for this attribute of N? Those without one would be lost. */
static bool has_place(const node *n, const attr *a)
{
    if ((n->op == OP_INPUT && (a->key == KEY_TYPE || a->key == KEY_NAME)) ||
        (n->op == OP_CONSTANT && a->key == KEY_VALUE) || a->key == KEY_ON_ZERO ||
        (a->key == KEY_PADS && attr_find(n->attrs, KEY_PADDING)))
        return true;
    const spelling *s = spelling_to_write((op_id)n->op);
    for (uint32_t i = 0; s && i < s->n_slots; i++)
        if (s->slots[i].key == (attr_key)a->key)
            return true;
    return false;
}

static bool takes_positions(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *t = value_type(f, n->in[1]);
    if (t->dtype == TN_SI32 || t->dtype == TN_SI64)
        return true;
    (void)snprintf(why, OBJECTION_SIZE, "positions are i32 or i64, not %s", dtype_name(t->dtype));
    return false;
}

/* Inputs and constants have elements; three functions are for floats only. */
static bool takes_type(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *t = value_type(f, n->first_value);
    if ((n->op == OP_RELU || n->op == OP_EXP || n->op == OP_LOG) && !dtype_is_float(t->dtype)) {
        (void)snprintf(why, OBJECTION_SIZE, "its '%s' takes f32 and f64", op_table[n->op].text);
        return false;
    }
    for (uint32_t i = 0; n->n_in == 0 && i < t->rank; i++)
        if (t->dims[i] == 0) {
            (void)snprintf(why, OBJECTION_SIZE, "inputs and constants have no extent of 0");
            return false;
        }
    if (n->op == OP_CONSTANT && !type_is_static(t)) {
        (void)snprintf(why, OBJECTION_SIZE, "every extent of a constant must be a number");
        return false;
    }
    return true;
}

static bool mind_takes(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    for (uint32_t i = 0; i < n->attrs->n; i++) {
        const attr *a = &n->attrs->at[i];
        if (!has_place(n, a)) {
            (void)snprintf(why, OBJECTION_SIZE, "its '%s' has no attribute '%s'",
                           op_table[n->op].text, attr_keys[a->key].name);
            return false;
        }
        for (uint32_t k = 0; attr_holds_sizes((attr_key)a->key) && k < a->n; k++)
            if (dim_is_expr(&f->module->types, a->v.ints[k])) {
                (void)snprintf(why, OBJECTION_SIZE, "'%s' takes numbers", attr_keys[a->key].name);
                return false;
            }
    }
    if (!takes_type(f, n, why))
        return false;
    const attr *axes = attr_find(n->attrs, KEY_AXES);
    if ((n->op == OP_SUM || n->op == OP_MEAN) && axes && axes->n == 0 &&
        value_type(f, n->in[0])->rank > 0) {
        (void)snprintf(why, OBJECTION_SIZE, "'axes=[]' means all axes, not none");
        return false;
    }
    if (n->op == OP_DIV && dtype_is_int(value_type(f, n->first_value)->dtype) &&
        attr_int(n->attrs, KEY_ON_ZERO, ON_ZERO_ERROR) != ON_ZERO_ZERO) {
        (void)snprintf(why, OBJECTION_SIZE,
                       "its integer division gives 0 for a divisor of 0, and "
                       "never fails");
        return false;
    }
    return (n->op != OP_TAKE && n->op != OP_SCATTER_ROWS) || takes_positions(f, n, why);
}

const expressible mind_expressible = {
    .family = "mind",
    .dtypes = 1U << TN_SI32 | 1U << TN_SI64 | 1U << TN_F32 | 1U << TN_F64,
    .explicit_broadcast = false,
    .implicit_broadcast = true,
    .symbols = false,
    .own_symbols = true,
    .many_functions = false,
    .takes = mind_takes,
};
