/* What PTIR can express of an op that it has. */
#include "dialect/ptir/legal.h"

#include <stdio.h>

#include "dialect/ptir/schema.h"
#include "ops/shape.h"

static bool refuse(char why[OBJECTION_SIZE], const char *what)
{
    (void)snprintf(why, OBJECTION_SIZE, "%s", what);
    return false;
}

/* A slice is a start and a size for each axis. */
static bool takes_slice(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *t = value_type(f, n->in[0]);
    slice_range ranges[TN_MAX_RANK];
    shape out;
    bool ok = resolve_slices(n->attrs, t->dims, t->rank, ranges, &out).kind == SHAPE_OK;
    for (uint32_t i = 0; ok && i < t->rank; i++)
        ok = ranges[i].count >= 0 && (ranges[i].step == 1 || ranges[i].count <= 1);
    return ok || refuse(why, "its slices have steps of 1 and known bounds");
}

/* Only shapes have symbols. */
static bool takes_numbers(const function *f, const attr *a, char why[OBJECTION_SIZE])
{
    if (!attr_holds_sizes((attr_key)a->key) || a->key == KEY_SHAPE)
        return true;
    for (uint32_t i = 0; i < a->n; i++)
        if (dim_is_expr(&f->module->types, a->v.ints[i])) {
            (void)snprintf(why, OBJECTION_SIZE, "'%s' takes numbers", attr_keys[a->key].name);
            return false;
        }
    return true;
}

/* Enumerations of the graph may have more members than PTIR has words for. */
static bool takes_words(const node *n, char why[OBJECTION_SIZE])
{
    uint32_t word;
    const ptir_op op = ptir_op_of(n->op, &word);
    for (uint32_t i = 0; op != PTIR_OP_COUNT && i < ptir_ops[op].n_fields; i++) {
        const ptir_field *field = &ptir_ops[op].fields[i];
        const attr *a = field->kind == PTIR_WORD ? attr_find(n->attrs, field->key) : NULL;
        size_t length = 0;
        if (!a)
            continue;
        (void)ptir_word(field->words, (uint32_t)a->v.i, &length);
        if (length == 0) {
            (void)snprintf(why, OBJECTION_SIZE, "'%s' is none of %s", attr_keys[a->key].name,
                           field->words);
            return false;
        }
    }
    return true;
}

static bool ptir_takes(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    for (uint32_t i = 0; i < n->attrs->n; i++) {
        const attr *a = &n->attrs->at[i];
        bool is_plain = a->key == KEY_ON_ZERO && a->v.i == ON_ZERO_ERROR;
        if (!is_plain && (a->key == KEY_INIT || a->key == KEY_ON_ZERO || a->key == KEY_DIMS)) {
            (void)snprintf(why, OBJECTION_SIZE, "its operation for '%s' has no '%s'",
                           op_table[n->op].text, attr_keys[a->key].name);
            return false;
        }
        if (!takes_numbers(f, a, why))
            return false;
    }
    if (op_table[n->op].traits & T_REDUCES && n->op != OP_ARG_MAX &&
        !attr_find(n->attrs, KEY_AXES) && attr_int(n->attrs, KEY_KEEPDIMS, 0))
        return refuse(why, "a reduction over all axes that keeps them would keep its rank");
    return takes_words(n, why) && (n->op != OP_SLICE || takes_slice(f, n, why));
}

const expressible ptir_expressible = {
    .family = "ptir",
    .dtypes = (1U << TN_DTYPE_COUNT) - 1,
    .explicit_broadcast = true,
    .symbols = true,
    .many_functions = true,
    .takes = ptir_takes,
};
