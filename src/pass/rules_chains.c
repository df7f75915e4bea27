/* Rules on chains of casts and movement, and on operands that are the same. */
#include "base/memory/checked.h"
#include "graph/literal.h"
#include "ops/shape.h"
#include "pass/rewrite_rules.h"

/* Does every value of FROM have the same value in TO, so that a cast by way of TO loses nothing? */
static bool holds_all(tn_dtype from, tn_dtype to)
{
    const dtype_info *a = &dtype_table[from], *b = &dtype_table[to];
    if (from == to || dtype_is_bool(from))
        return true;
    if (dtype_is_bool(to) || dtype_is_complex(from) || dtype_is_complex(to))
        return false;
    if (dtype_is_float(from)) /* bf16 and f16 do not hold each other; f32 and f64 hold all below */
        return (to == TN_F32 || to == TN_F64) && b->bits > a->bits;
    const unsigned digits = a->bits - (dtype_is_signed(from) ? 1U : 0U);
    if (dtype_is_float(to))
        return b->precision >= digits && dtype_float_max(to) > (double)dtype_int_max(from);
    return digits <= b->bits - (dtype_is_signed(to) ? 1U : 0U) &&
           (!dtype_is_signed(from) || dtype_is_signed(to));
}

value_id rule_cast_cast(rule_call *c)
{
    const node *inner = rule_operand(c, 0);
    if (inner->op != OP_CAST)
        return NO_VALUE;
    tn_dtype from = value_type(c->f, inner->in[0])->dtype;
    return holds_all(from, value_type(c->f, c->n->in[0])->dtype) ? rule_skip_operand(c, c->n->attrs)
                                                                 : NO_VALUE;
}

/* Aligned from the right, both of them. */
value_id rule_broadcast_broadcast(rule_call *c)
{
    const node *inner = rule_operand(c, 0);
    if (inner->op != OP_BROADCAST || attr_find(inner->attrs, KEY_DIMS) ||
        attr_find(c->n->attrs, KEY_DIMS))
        return NO_VALUE;
    return rule_skip_operand(c, c->n->attrs);
}

/* A slice of a slice, where both run forwards and every extent is known. */
value_id rule_slice_slice(rule_call *c)
{
    const node *inner = rule_operand(c, 0);
    slice_range a[TN_MAX_RANK], b[TN_MAX_RANK];
    int64_t lists[3][TN_MAX_RANK];
    shape middle, out;
    if (inner->op != OP_SLICE)
        return NO_VALUE;
    const type *x = value_type(c->f, inner->in[0]), *y = value_type(c->f, c->n->in[0]);
    if (!type_is_static(x) ||
        resolve_slices(inner->attrs, x->dims, x->rank, a, &middle).kind != SHAPE_OK ||
        resolve_slices(c->n->attrs, y->dims, y->rank, b, &out).kind != SHAPE_OK)
        return NO_VALUE;
    for (uint32_t i = 0; i < x->rank; i++) {
        if (a[i].step < 1 || b[i].step < 1)
            return NO_VALUE;
        const bool few = b[i].count <= 1;
        lists[0][i] = b[i].count ? a[i].start + b[i].start * a[i].step : 0;
        lists[2][i] = few ? 1 : a[i].step * b[i].step;
        lists[1][i] = b[i].count ? lists[0][i] + (b[i].count - 1) * lists[2][i] + 1 : 0;
    }
    static const attr_key keys[] = {KEY_STARTS, KEY_ENDS, KEY_STEPS};
    attr entries[3];
    for (uint32_t k = 0; k < 3; k++)
        entries[k] = (attr){.key = (uint8_t)keys[k], .n = x->rank, .v.ints = lists[k]};
    return rule_skip_operand(c, attrs_of(&c->f->module->attrs, entries, 3));
}

static bool same_attribute(const node *a, const node *b, attr_key key)
{
    uint32_t n, m;
    const int64_t *x = attr_ints(a->attrs, key, &n), *y = attr_ints(b->attrs, key, &m);
    return n == m && (n == 0 || memcmp(x, y, n * sizeof *x) == 0);
}

value_id rule_reverse_reverse(rule_call *c)
{
    const node *inner = rule_operand(c, 0);
    return inner->op == OP_REVERSE && same_attribute(inner, c->n, KEY_AXES) ? inner->in[0]
                                                                            : NO_VALUE;
}

value_id rule_not_not(rule_call *c)
{
    const node *inner = rule_operand(c, 0);
    return inner->op == OP_NOT ? inner->in[0] : NO_VALUE;
}

value_id rule_pad_nothing(rule_call *c)
{
    static const attr_key keys[] = {KEY_LOW, KEY_HIGH, KEY_INTERIOR};
    for (size_t k = 0; k < 3; k++) {
        uint32_t n;
        const int64_t *amounts = attr_ints(c->n->attrs, keys[k], &n);
        for (uint32_t i = 0; i < n; i++)
            if (amounts[i])
                return NO_VALUE;
    }
    return rule_is_operand(c, 0);
}

static bool has_interior(const node *n)
{
    uint32_t rank;
    const int64_t *interior = attr_ints(n->attrs, KEY_INTERIOR, &rank);
    for (uint32_t i = 0; i < rank; i++)
        if (interior[i] != 0)
            return true;
    return false;
}

/* Two pads outside of the elements, with one value. */
value_id rule_pad_pad(rule_call *c)
{
    static const attr_key sides[] = {KEY_LOW, KEY_HIGH};
    const node *inner = rule_operand(c, 0);
    int64_t amounts[2][TN_MAX_RANK], none[TN_MAX_RANK] = {0};
    attr entries[4];
    uint32_t rank = 0;
    if (inner->op != OP_PAD || has_interior(inner) || has_interior(c->n))
        return NO_VALUE;
    const attr *fill = attr_find(c->n->attrs, KEY_PAD_VALUE);
    if (!scalar_equal(*fill->v.scalar, *attr_find(inner->attrs, KEY_PAD_VALUE)->v.scalar))
        return NO_VALUE;
    for (unsigned k = 0; k < 2; k++) {
        const int64_t *a = attr_ints(inner->attrs, sides[k], &rank);
        const int64_t *b = attr_ints(c->n->attrs, sides[k], &rank);
        for (uint32_t i = 0; i < rank; i++)
            if (a[i] < 0 || b[i] < 0 || !add_i64(a[i], b[i], &amounts[k][i]))
                return NO_VALUE; /* what is cut off is lost; sizes are no numbers */
        entries[k] = (attr){.key = (uint8_t)sides[k], .n = rank, .v.ints = amounts[k]};
    }
    entries[2] = (attr){.key = KEY_INTERIOR, .n = rank, .v.ints = none};
    entries[3] = *fill;
    return rule_skip_operand(c, attrs_of(&c->f->module->attrs, entries, 4));
}

value_id rule_concat_one(rule_call *c)
{
    return c->n->n_in == 1 ? c->n->in[0] : NO_VALUE;
}

/* f(x, x) is x for maximum, minimum, and, or. */
value_id rule_both_same(rule_call *c)
{
    return c->n->in[0] == c->n->in[1] ? c->n->in[0] : NO_VALUE;
}

value_id rule_select_same(rule_call *c)
{
    return c->n->in[1] == c->n->in[2] ? rule_is_operand_alone(c, 1, 0) : NO_VALUE;
}

/* A condition that is a constant everywhere. */
value_id rule_select_known(rule_call *c)
{
    const literal *p = literal_of(rule_operand(c, 0));
    if (!p || p->type->count < 1 || !literal_is_uniform(p))
        return NO_VALUE;
    const uint32_t chosen = scalar_load(TN_I1, literal_element(p, 0)).u ? 1 : 2;
    return rule_is_operand_alone(c, chosen, 3 - chosen);
}

/* ---- not exact ------------------------------------------------------------------------------ */

/* -0 + 0 is +0, which this forgets. */
value_id rule_add_any_zero(rule_call *c)
{
    const scalar zeros[] = {scalar_of_float(0.0), scalar_of_float(-0.0)};
    if (!dtype_is_float(value_type(c->f, c->n->first_value)->dtype))
        return NO_VALUE;
    for (uint32_t k = 0; k < 4; k++) {
        value_id v = rule_neutral(c, k / 2, zeros[k % 2]);
        if (v != NO_VALUE)
            return v;
    }
    return NO_VALUE;
}

value_id rule_sub_any_zero(rule_call *c)
{
    if (!dtype_is_float(value_type(c->f, c->n->first_value)->dtype))
        return NO_VALUE;
    return rule_neutral(c, 0, scalar_of_float(-0.0));
}

/* Infinities and NaN times 0, and the sign of the zero, are forgotten. */
value_id rule_mul_zero(rule_call *c)
{
    if (!dtype_is_float(value_type(c->f, c->n->first_value)->dtype))
        return NO_VALUE;
    for (uint32_t k = 0; k < 2; k++) {
        const literal *l = literal_of(rule_operand(c, k));
        if (l && literal_is_all(l, scalar_of_float(0)))
            return rule_is_operand_alone(c, k, 1 - k);
    }
    return NO_VALUE;
}
