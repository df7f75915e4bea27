/* The verifier: everything a module promises to passes, writers and engines. */
#include "base/text/text.h"
#include "ops/infer.h"

/* How faults are reported: as the program's own, or as a defect of the pass that made them. */
typedef struct check {
    const function *f;
    const char *whose;
    uint32_t n_faults;
    bool no_memory;
} check;

__attribute__((format(printf, 4, 5))) static void fault(check *c, const node *n, diag_kind kind,
                                                        const char *format, ...)
{
    module *m = c->f->module;
    va_list args;
    va_start(args, format);
    if (c->whose)
        kind = DIAG_InternalError;
    if (n)
        (void)node_vreport(c->f, n, &m->cx->diag, op_table[n->op].text, kind, format, args);
    else
        (void)diag_vreport(&m->cx->diag, kind, &m->source, NO_SPAN, format, args);
    va_end(args);
    if (c->whose)
        diag_note(&m->cx->diag, NULL, NO_SPAN, "the pass '%s' left the module ill-formed",
                  c->whose);
    c->n_faults++;
}

static bool operands_are_defined(check *c, const node *n)
{
    for (uint32_t k = 0; k < n->n_in; k++)
        if (n->in[k] >= n->first_value) {
            fault(c, n, DIAG_UseBeforeDefinition, "operand %u uses a value defined later", k);
            return false;
        }
    return true;
}

static void check_types(check *c, const node *n)
{
    enum { FEW = 16 };
    const type *few[FEW], *one = NULL, **types = few;
    module *m = c->f->module;
    const tn_allocator *a = m->allocator;

    if (n->n_in > FEW && !(types = memory_alloc(a, n->n_in * sizeof(const type *)))) {
        (void)module_no_memory(m);
        c->no_memory = true;
        return;
    }
    for (uint32_t k = 0; k < n->n_in; k++)
        types[k] = value_type(c->f, n->in[k]);
    infer_call call = {.module = m,
                       .op = (op_id)n->op,
                       .in = types,
                       .n_in = n->n_in,
                       .attrs = n->attrs,
                       .out = &one,
                       .n_out = 1,
                       .function = c->f,
                       .place = n->place,
                       .at = n->at,
                       .name = n->name,
                       .number = n->first_value};
    tn_status s = infer_types(&call);
    if (s == TN_ERR_NOMEM) {
        c->no_memory = true;
    } else if (s != TN_OK) {
        if (c->whose)
            diag_note(&m->cx->diag, NULL, NO_SPAN, "the pass '%s' made this node", c->whose);
        c->n_faults++;
    } else if (call.n_out != n->n_results) {
        fault(c, n, DIAG_TypeMismatch, "'%s' has %u result%s, not %u", op_table[n->op].text,
              call.n_out, plural(call.n_out), n->n_results);
    } else {
        for (uint32_t r = 0; r < call.n_out; r++)
            if (call.out[r] != value_type(c->f, n->first_value + r))
                fault(c, n, DIAG_TypeMismatch, "result %u of '%s' has another type than follows", r,
                      op_table[n->op].text);
    }
    if (types != few)
        memory_free(a, types, n->n_in * sizeof(const type *));
}

static void check_function(check *c)
{
    const function *f = c->f;
    uint32_t next_value = 0, next_input = 0;

    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        if (n->first_value != next_value)
            fault(c, n, DIAG_MultipleDefinitions, "results are not numbered densely");
        for (uint32_t r = 0; r < n->n_results; r++)
            if (next_value + r >= f->values.n || f->values.at[next_value + r].node != i)
                fault(c, n, DIAG_MultipleDefinitions, "a result does not know its node");
        next_value += n->n_results;
        if (n->op == OP_INPUT &&
            (next_input >= f->inputs.n || f->inputs.at[next_input++] != n->first_value))
            fault(c, n, DIAG_InvalidInput, "the input is not listed, or not in order");
        const bool has_values = n->first_value + n->n_results <= f->values.n;
        if (operands_are_defined(c, n) && has_values)
            check_types(c, n);
    }
    if (next_value != f->values.n || next_input != f->inputs.n)
        fault(c, NULL, DIAG_MultipleDefinitions, "values or inputs without a node");
    for (uint32_t i = 0; i < f->outputs.n; i++)
        if (f->outputs.at[i] >= f->values.n)
            fault(c, NULL, DIAG_UndefinedOutput, "output %u does not exist", i);
}

tn_status module_verify(module *m, const char *whose)
{
    uint32_t n_faults = 0;
    bool no_memory = false;
    for (uint32_t i = 0; i < m->functions.n; i++) {
        check c = {.f = m->functions.at[i], .whose = whose};
        check_function(&c);
        n_faults += c.n_faults;
        no_memory = no_memory || c.no_memory;
    }
    if (m->functions.n == 0 || m->entry >= m->functions.n)
        return diag_report(&m->cx->diag, DIAG_InternalError, &m->source, NO_SPAN,
                           "the module has no entry function");
    if (no_memory)
        return TN_ERR_NOMEM;
    return n_faults == 0 ? TN_OK : whose ? TN_ERR_INTERNAL : TN_ERR_REJECTED;
}
