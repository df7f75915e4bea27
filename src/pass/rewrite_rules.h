/* Algebraic rewrite rules: what a rule is given, and what rules share. rules.def lists them. */
#ifndef PASS_REWRITE_RULES_H
#define PASS_REWRITE_RULES_H

#include "ops/node_facts.h"
#include "pass/pass.h"

typedef struct rule_call {
    pass_context *cx;
    function *f;
    node *n; /* operands already point at the replacements of what they named */
    tn_status status;
    const failing *stops; /* of the values before N */
} rule_call;

/* A rule answers with the value that N's result equals, or NO_VALUE when it does not apply. A rule
 * that improves N in place answers with N's own result. */
typedef value_id rule_fn(rule_call *call);

#define RULE(op, function, class, label) rule_fn rule_##function;
#include "pass/rules.def"
#undef RULE

/* The node that makes operand I. */
const node *rule_operand(const rule_call *c, uint32_t i);
/* N's result is its operand I, provided that broadcasting did not change the type. */
value_id rule_is_operand(const rule_call *c, uint32_t i);
/* That, unless no longer computing operand LEFT_OUT might let a run go on that was to stop. */
value_id rule_is_operand_alone(const rule_call *c, uint32_t i, uint32_t left_out);
/* N's result is its operand I when the other one is a constant of WANTED everywhere. */
value_id rule_neutral(const rule_call *c, uint32_t i, scalar wanted);
/* N with the operand of its operand, and other attributes (NULL: there was no memory). */
value_id rule_skip_operand(rule_call *c, const attrs *a);

#endif
