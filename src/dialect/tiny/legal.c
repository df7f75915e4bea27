/* What Tiny IR can express of an op that it has. */
#include "dialect/tiny/legal.h"

#include <stdio.h>
#include <string.h>

#include "base/text/chars.h"
#include "dialect/tiny/uops.h"
#include "ops/index_map.h"

static bool refuse(char why[OBJECTION_SIZE], const char *text)
{
    (void)snprintf(why, OBJECTION_SIZE, "%s", text);
    return false;
}

static bool takes_compare(const node *n, char why[OBJECTION_SIZE])
{
    const int64_t way = attr_int(n->attrs, KEY_DIRECTION, DIR_LT);
    return (way != DIR_LE && way != DIR_GE) || refuse(why, "it has no <= and >=");
}

static bool takes_pad(const node *n, char why[OBJECTION_SIZE])
{
    uint32_t rank;
    const int64_t *interior = attr_ints(n->attrs, KEY_INTERIOR, &rank);
    for (uint32_t i = 0; i < rank; i++)
        if (interior[i] != 0)
            return refuse(why, "it does not pad between elements");
    return true;
}

static bool takes_reduce(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const tn_dtype from = value_type(f, n->in[0])->dtype;
    const tn_dtype sum =
        (tn_dtype)attr_int(n->attrs, KEY_ACCUM_DTYPE, (int64_t)dtype_compute(from));
    if (!(tiny_expressible.dtypes >> sum & 1))
        return refuse(why, "it has no such accumulator");
    return dtype_is_int(sum) || dtype_is_float(sum) || n->op == OP_REDUCE_MAX ||
           n->op == OP_REDUCE_MIN || refuse(why, "it cannot add in bool");
}

/* A VIEW repeats the axes, which names their sizes. */
static bool takes_tile(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *t = value_type(f, n->in[0]);
    for (uint32_t i = 0; i < t->rank; i++) {
        const char *name = index_axis_like(&f->module->types, t->dims[i]);
        if (!name)
            continue;
        (void)snprintf(why, OBJECTION_SIZE,
                       "its VIEW names sizes, and '%.100s' is the name of an axis", name);
        return false;
    }
    return true;
}

/* The symbol of D whose name no size can have, or NULL. What has too many terms is not written. */
static const char *odd_symbol(const type_table *t, dim d)
{
    const dim_expr *e = dim_is_expr(t, d) ? dim_expr_of(t, d) : NULL;
    if (!e || e->terms > DIM_MOST_TERMS)
        return NULL;
    if (e->op == DIM_SYM)
        return size_name_length(e->name, SIZE_MAX) == strlen(e->name) && *e->name ? NULL : e->name;
    const char *odd = odd_symbol(t, e->a);
    return odd ? odd : odd_symbol(t, e->b);
}

static bool takes_extents(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    for (uint32_t i = 0; i < n->n_results; i++) {
        const type *t = value_type(f, n->first_value + i);
        for (uint32_t k = 0; k < t->rank; k++) {
            const char *odd = odd_symbol(&f->module->types, t->dims[k]);
            if (!odd)
                continue;
            (void)snprintf(why, OBJECTION_SIZE,
                           "a size is called by letters and digits, and not '%.100s'", odd);
            return false;
        }
    }
    return true;
}

static bool tiny_takes(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    if (attr_int(n->attrs, KEY_ON_ZERO, ON_ZERO_ERROR) != ON_ZERO_ERROR &&
        dtype_is_int(value_type(f, n->first_value)->dtype))
        return refuse(why, "its integer division fails for a divisor of 0");
    if (!takes_extents(f, n, why))
        return false;
    if (op_table[n->op].traits & T_ELEMENTWISE && n->op != OP_STOP_GRADIENT &&
        !tiny_uop_of((op_id)n->op, value_type(f, n->in[n->op == OP_SELECT])->dtype))
        return refuse(why, "it has no such operation on this element type");
    switch ((int)n->op) {
    case OP_COMPARE:
        return takes_compare(n, why);
    case OP_PAD:
        return takes_pad(n, why);
    case OP_TILE:
        return takes_tile(f, n, why);
    case OP_SUM:
    case OP_REDUCE_MAX:
    case OP_REDUCE_MIN:
    case OP_REDUCE_PROD:
        return takes_reduce(f, n, why);
    default:
        return true;
    }
}

const expressible tiny_expressible = {
    .family = "tiny",
    .dtypes = 1U << TN_F16 | 1U << TN_BF16 | 1U << TN_F32 | 1U << TN_SI32 | 1U << TN_I1,
    .explicit_broadcast = false, /* the writer inserts what is missing */
    .symbols = true,
    .many_functions = false,
    .takes = tiny_takes,
};
