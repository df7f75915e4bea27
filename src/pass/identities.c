/* identities: apply the exact rules of rules.def.
 *
 * needs   verified types; definitions before uses
 * keeps   types, order, the bits of every output
 * breaks  use counts: inner nodes may become dead; dce removes them
 * source  MIND Core IR, "Canonicalisation": what is safe and what is not
 */
#include "graph/literal.h"
#include "pass/passes.h"
#include "pass/rewrite_rules.h"

const node *rule_operand(const rule_call *c, uint32_t i)
{
    return node_of(c->f, c->n->in[i]);
}

/* N's result is its operand I, provided that broadcasting did not change the type. */
value_id rule_is_operand(const rule_call *c, uint32_t i)
{
    return value_type(c->f, c->n->in[i]) == value_type(c->f, c->n->first_value) ? c->n->in[i]
                                                                                : NO_VALUE;
}

value_id rule_is_operand_alone(const rule_call *c, uint32_t i, uint32_t left_out)
{
    const uint64_t *of = c->stops->of;
    return failing_covers(of[c->n->in[i]], of[c->n->in[left_out]]) ? rule_is_operand(c, i)
                                                                   : NO_VALUE;
}

/* N's result is its operand I when the other one is a constant of WANTED everywhere. */
value_id rule_neutral(const rule_call *c, uint32_t i, scalar wanted)
{
    const literal *l = node_shown_literal(c->f, rule_operand(c, 1 - i));
    return l && literal_is_all(l, wanted) ? rule_is_operand(c, i) : NO_VALUE;
}

static bool is_float_result(const rule_call *c)
{
    return dtype_is_float(value_type(c->f, c->n->first_value)->dtype);
}

static bool is_real(const rule_call *c)
{
    return !dtype_is_complex(value_type(c->f, c->n->first_value)->dtype);
}

value_id rule_add_zero(rule_call *c)
{
    scalar zero = is_float_result(c) ? scalar_of_float(-0.0) : scalar_of_int(0);
    if (!is_real(c))
        return NO_VALUE;
    value_id v = rule_neutral(c, 0, zero);
    return v != NO_VALUE ? v : rule_neutral(c, 1, zero);
}

value_id rule_sub_zero(rule_call *c)
{
    return is_real(c) ? rule_neutral(c, 0, scalar_of_int(0)) : NO_VALUE;
}

value_id rule_mul_one(rule_call *c)
{
    if (!is_real(c))
        return NO_VALUE;
    value_id v = rule_neutral(c, 0, scalar_of_int(1));
    return v != NO_VALUE ? v : rule_neutral(c, 1, scalar_of_int(1));
}

value_id rule_div_one(rule_call *c)
{
    return is_real(c) ? rule_neutral(c, 0, scalar_of_int(1)) : NO_VALUE;
}

value_id rule_double_negation(rule_call *c)
{
    return rule_operand(c, 0)->op == OP_NEG ? rule_operand(c, 0)->in[0] : NO_VALUE;
}

/* The operand is this op already. */
static value_id twice(rule_call *c)
{
    return rule_operand(c, 0)->op == c->n->op ? c->n->in[0] : NO_VALUE;
}

value_id rule_relu_twice(rule_call *c)
{
    return twice(c);
}

value_id rule_abs_twice(rule_call *c)
{
    return is_real(c) ? twice(c) : NO_VALUE;
}

value_id rule_same_type(rule_call *c)
{
    return rule_is_operand(c, 0);
}

value_id rule_whole_slice(rule_call *c)
{
    uint32_t rank;
    const int64_t *steps = attr_ints(c->n->attrs, KEY_STEPS, &rank);
    for (uint32_t i = 0; i < rank; i++)
        if (steps[i] != 1)
            return NO_VALUE;
    return rule_is_operand(c, 0); /* unit steps and equal extents leave no other choice */
}

/* Unlike other takes this one cannot fail when it runs, so it may be rewritten. */
value_id rule_whole_take(rule_call *c)
{
    enum { MOST = 4096 }; /* positions that are looked at */
    const literal *l = literal_of(rule_operand(c, 1));
    if (!l || l->type->rank != 1 || l->type->dims[0] > MOST)
        return NO_VALUE;
    for (int64_t i = 0; i < l->type->dims[0]; i++)
        if (scalar_load(l->type->dtype, literal_element(l, i)).i != i)
            return NO_VALUE;
    return rule_is_operand(c, 0); /* equal extents: there are no other rows */
}

value_id rule_identity_transpose(rule_call *c)
{
    uint32_t rank;
    const int64_t *perm = attr_ints(c->n->attrs, KEY_PERM, &rank);
    for (uint32_t i = 0; i < rank; i++)
        if (perm[i] != (int64_t)i)
            return NO_VALUE;
    return c->n->in[0];
}

/* N with the operand of its operand, and other attributes. */
value_id rule_skip_operand(rule_call *c, const attrs *a)
{
    if (!a) {
        c->status = module_no_memory(c->f->module);
        return NO_VALUE;
    }
    value_id *in = (value_id *)(uintptr_t)c->n->in; /* this node's own list */
    in[0] = rule_operand(c, 0)->in[0];
    c->n->attrs = a;
    return c->n->first_value;
}

value_id rule_transpose_transpose(rule_call *c)
{
    if (rule_operand(c, 0)->op != OP_TRANSPOSE)
        return NO_VALUE;
    uint32_t rank;
    int64_t perm[TN_MAX_RANK];
    const int64_t *outer = attr_ints(c->n->attrs, KEY_PERM, &rank);
    const int64_t *inner = attr_ints(rule_operand(c, 0)->attrs, KEY_PERM, &rank);
    for (uint32_t i = 0; i < rank; i++)
        perm[i] = inner[outer[i]];
    attr entry = {.key = KEY_PERM, .n = rank, .v.ints = perm};
    return rule_skip_operand(c, attrs_of(&c->f->module->attrs, &entry, 1));
}

value_id rule_reshape_reshape(rule_call *c)
{
    op_id inner = (op_id)rule_operand(c, 0)->op;
    bool keeps_order = inner == OP_RESHAPE || inner == OP_EXPAND_DIMS || inner == OP_SQUEEZE;
    return keeps_order ? rule_skip_operand(c, c->n->attrs) : NO_VALUE;
}

static const struct {
    op_id op;
    pass_class class;
    rule_fn *apply;
} rules[] = {
#define EXACT PASS_EXACT
#define RELAXED PASS_RELAXED
#define RULE(op, function, class, label) {OP_##op, class, rule_##function},
#include "pass/rules.def"
#undef RULE
#undef EXACT
#undef RELAXED
};

/* Apply rules to N until none does; the value that stands for its result. */
static value_id simplify(rule_call *c, pass_class class)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].op != c->n->op || rules[i].class != class)
            continue;
        value_id v = rules[i].apply(c);
        if (v == NO_VALUE)
            continue;
        c->cx->n_changed++;
        if (v != c->n->first_value)
            return v;
        i = (size_t)-1; /* improved in place: try all rules again */
    }
    return c->n->first_value;
}

static tn_status rewrite(pass_context *cx, function *f, pass_class class)
{
    value_id *now = ARENA_ARRAY(&cx->scratch, value_id, f->values.n);
    failing stops;
    if (!now || !failing_init(&stops, f, &cx->scratch))
        return module_no_memory(f->module);
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        rule_call call = {cx, f, &f->nodes.at[i], TN_OK, &stops};
        value_id *in = (value_id *)(uintptr_t)call.n->in;
        for (uint32_t k = 0; k < call.n->n_in; k++)
            in[k] = now[in[k]];
        for (uint32_t r = 0; r < call.n->n_results; r++)
            now[call.n->first_value + r] = call.n->first_value + r;
        if (call.n->n_results == 1)
            now[call.n->first_value] = simplify(&call, class);
        TN_TRY(call.status);
        failing_add(&stops, f, call.n);
    }
    for (uint32_t i = 0; i < f->outputs.n; i++)
        f->outputs.at[i] = now[f->outputs.at[i]];
    if (f == module_entry(f->module))
        for (uint32_t i = 0; i < f->module->gradients.n; i++)
            f->module->gradients.at[i] = now[f->module->gradients.at[i]];
    return TN_OK;
}

static tn_status rewrite_all(pass_context *cx, module *m, pass_class class)
{
    for (uint32_t i = 0; i < m->functions.n; i++)
        TN_TRY(rewrite(cx, m->functions.at[i], class));
    return TN_OK;
}

tn_status pass_identities(pass_context *cx, module *m)
{
    return rewrite_all(cx, m, PASS_EXACT);
}

/* relax: the rows that are not exact. What they change: docs/numerics.md, "Passes". */
tn_status pass_relax(pass_context *cx, module *m)
{
    return rewrite_all(cx, m, PASS_RELAXED);
}
