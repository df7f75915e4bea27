/* Finding values for symbolic sizes: from the shapes of inputs, declared types and reshapes. */
#include <inttypes.h>

#include "base/memory/checked.h"
#include "pass/sizes/regroup.h"
#include "pass/sizes/solver.h"

bool module_has_symbols(const module *m)
{
    return m->types.exprs.n > 0;
}

int64_t *size_of_symbol(const module *m, dim_values *values, const char *name)
{
    const dim d = dim_symbol_called(&m->types, name);
    return d ? &values->at[dim_index(d)] : NULL;
}

const int64_t *written_size_of(const module *m, const char *name)
{
    for (uint32_t i = 0; i < m->written_sizes.n; i++)
        if (strcmp(m->written_sizes.at[i].symbol, name) == 0)
            return &m->written_sizes.at[i].value;
    return NULL;
}

void suggest_symbols(suggestion *s, const module *m)
{
    for (uint32_t i = 0; i < m->types.exprs.n; i++) {
        const dim_expr *e = &m->types.exprs.at[i];
        if (e->op == DIM_SYM)
            suggest_name(s, e->name, strlen(e->name));
    }
}

solution solve_size(solver *s, dim d, int64_t wanted)
{
    int64_t known;
    if (dim_bind(s->t, d, s->values, &known))
        return known == wanted ? FITS : CONTRADICTS;
    const dim_expr *e = dim_expr_of(s->t, d);
    if (e->op == DIM_SYM) {
        if (wanted < 0)
            return CONTRADICTS;
        s->values->at[dim_index(d)] = wanted;
        s->progress = true;
        return FITS;
    }
    dim unknown = e->a;
    if (!dim_bind(s->t, e->b, s->values, &known)) {
        unknown = e->b;
        if (!dim_bind(s->t, e->a, s->values, &known))
            return OPEN;
    }
    int64_t rest;
    if (e->op == DIM_ADD)
        return sub_i64(wanted, known, &rest) ? solve_size(s, unknown, rest) : CONTRADICTS;
    if (e->op != DIM_MUL || known == 0 || (known == -1 && wanted == INT64_MIN))
        return OPEN;
    return wanted % known == 0 ? solve_size(s, unknown, wanted / known) : CONTRADICTS;
}

tn_status solver_begin(solver *s, const module *m, dim_values *values)
{
    const function *f = module_entry(m);
    const type_table *t = &m->types;
    *s = (solver){.m = m, .t = t, .values = values};
    s->of_inputs = memory_alloc(m->allocator, t->exprs.n + 1);
    if (!s->of_inputs)
        return module_no_memory(m);
    memset(s->of_inputs, 0, t->exprs.n);
    for (uint32_t k = 0; k < f->inputs.n; k++) {
        const type *ty = value_type(f, f->inputs.at[k]);
        for (uint32_t i = 0; i < ty->rank; i++)
            if (dim_is_symbolic(ty->dims[i]))
                s->of_inputs[dim_index(ty->dims[i])] = true;
    }
    for (uint32_t i = t->exprs.n; i-- > 0;) { /* from expressions to the symbols in them */
        const dim_expr *e = &t->exprs.at[i];
        if (e->op == DIM_SYM || !s->of_inputs[i])
            continue;
        if (dim_is_symbolic(e->a))
            s->of_inputs[dim_index(e->a)] = true;
        if (dim_is_symbolic(e->b))
            s->of_inputs[dim_index(e->b)] = true;
    }
    for (uint32_t i = 0; i < t->exprs.n; i++) { /* and to all that depend on these */
        const dim_expr *e = &t->exprs.at[i];
        if (e->op != DIM_SYM)
            s->of_inputs[i] = (dim_is_symbolic(e->a) && s->of_inputs[dim_index(e->a)]) ||
                              (dim_is_symbolic(e->b) && s->of_inputs[dim_index(e->b)]);
    }
    return TN_OK;
}

void solver_end(solver *s)
{
    if (s->of_inputs)
        memory_free(s->m->allocator, s->of_inputs, s->t->exprs.n + 1);
    s->of_inputs = NULL;
}

static const char *dim_words(const module *m, dim d)
{
    return dims_text(&m->cx->diag.text, &m->types, &d, 1);
}

static const char *input_name(const node *n)
{
    const char *name = attr_string(n->attrs, KEY_NAME);
    return name ? name : "";
}

static tn_status contradiction(const solver *s, const function *f, const node *n, uint32_t axis,
                               int64_t value, dim d)
{
    const bool is_input = n->op == OP_INPUT;
    const char *name = is_input ? input_name(n) : n->name ? n->name : "";
    const char *size = dim_words(s->m, d);
    int64_t bound = -1;
    const bool known = dim_bind(s->t, d, s->values, &bound);
    return node_report(
        f, n, DIAG_DimensionBinding,
        known ? "axis %" PRIu32 " of %s '%s' has extent %" PRId64 ", but its size %s is %" PRId64
              : "axis %" PRIu32 " of %s '%s' has extent %" PRId64 ", which its size %s cannot be",
        axis, is_input ? "input" : "value", name, value, size, bound);
}

static tn_status solve_input(solver *s, uint32_t index, const given_shape *given)
{
    const function *f = module_entry(s->m);
    const type *t = value_type(f, f->inputs.at[index]);
    const node *n = node_of(f, f->inputs.at[index]);
    for (uint32_t i = 0; i < t->rank; i++)
        if (solve_size(s, t->dims[i], given->dims[i]) == CONTRADICTS)
            return contradiction(s, f, n, i, given->dims[i], t->dims[i]);
    return TN_OK;
}

/* Does the given shape have the rank of input INDEX, and its extents where these are numbers? */
static tn_status check_input(const module *m, uint32_t index, const given_shape *given)
{
    const function *f = module_entry(m);
    const type *t = value_type(f, f->inputs.at[index]);
    const node *n = node_of(f, f->inputs.at[index]);
    bool fits = t->rank == given->rank;
    for (uint32_t i = 0; fits && i < t->rank; i++)
        fits = given->dims[i] >= 0 && (dim_is_symbolic(t->dims[i]) || t->dims[i] == given->dims[i]);
    if (fits)
        return TN_OK;
    arena *texts = &m->cx->diag.text;
    const char *have = dims_text(texts, &m->types, given->dims, given->rank);
    const char *want = dims_text(texts, &m->types, t->dims, t->rank);
    if (t->rank == given->rank)
        m->cx->diag.op = op_table[OP_INPUT].text; /* of these alone: the rank is right */
    return diag_report(&m->cx->diag, DIAG_InputMismatch, &m->source, n->at,
                       "input '%s' has shape %s and is given a tensor of shape %s", input_name(n),
                       want, have);
}

static tn_status check_inputs(const module *m, const given_shape *given)
{
    for (uint32_t k = 0; k < module_entry(m)->inputs.n; k++)
        TN_TRY(check_input(m, k, &given[k]));
    return TN_OK;
}

/* What a symbol is equal to because the text declares a value's extent by it. */
static tn_status solve_declared(solver *s, const function *f)
{
    for (uint32_t k = 0; k < f->declared.n; k++) {
        const declared_type *d = &f->declared.at[k];
        const type *t = value_type(f, d->of);
        for (uint32_t i = 0; i < t->rank && i < d->type->rank; i++) {
            int64_t value;
            if (dim_bind(s->t, t->dims[i], s->values, &value) &&
                solve_size(s, d->type->dims[i], value) == CONTRADICTS)
                return contradiction(s, f, node_of(f, d->of), i, value, d->type->dims[i]);
        }
    }
    return TN_OK;
}

static bool is_of_input(const solver *s, dim d)
{
    return s->of_inputs && dim_is_symbolic(d) && s->of_inputs[dim_index(d)];
}

/* Solve the sizes of TO that follow from FROM. A reshape that is wrong solves nothing here: the
 * type rule reports it. */
static void solve_reshape(solver *s, const type *from, const type *to)
{
    grouped have[TN_MAX_RANK], want[TN_MAX_RANK];
    uint32_t n_unknown = 0;
    for (uint32_t k = 0; k < from->rank; k++) {
        have[k].written = from->dims[k];
        if (!dim_bind(s->t, from->dims[k], s->values, &have[k].extent) || have[k].extent <= 0)
            return;
    }
    for (uint32_t j = 0; j < to->rank; j++) {
        want[j].written = to->dims[j];
        if (!dim_bind(s->t, to->dims[j], s->values, &want[j].extent)) {
            want[j].extent = -1;
            n_unknown++;
        }
    }
    const bool is_guess = n_unknown > 1; /* else it follows */
    regroup(have, from->rank, want, to->rank);
    for (uint32_t j = 0; j < to->rank; j++)
        if (want[j].extent >= 0 && !(is_guess && is_of_input(s, to->dims[j])))
            (void)solve_size(s, to->dims[j], want[j].extent);
}

void solve_reshapes(solver *s, const function *f)
{
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        if (n->op != OP_RESHAPE)
            continue;
        const type *to = value_type(f, n->first_value);
        if (!type_is_static(to))
            solve_reshape(s, value_type(f, n->in[0]), to);
    }
}

/* One round over all functions; reshapes only when nothing else helps. */
static tn_status solve_rest(solver *s)
{
    const module *m = s->m;
    for (uint32_t k = 0; k < m->functions.n; k++)
        TN_TRY(solve_declared(s, m->functions.at[k]));
    for (uint32_t k = 0; !s->progress && k < m->functions.n; k++)
        solve_reshapes(s, m->functions.at[k]);
    return TN_OK;
}

/* Until nothing more follows: of the shapes GIVEN for the N inputs from FIRST on, and of the rest.
 */
static tn_status follow(const module *m, const given_shape *given, uint32_t first, uint32_t n,
                        dim_values *values)
{
    solver s;
    tn_status status = solver_begin(&s, m, values);
    s.progress = true;
    while (status == TN_OK && s.progress) {
        s.progress = false;
        for (uint32_t k = 0; status == TN_OK && k < n; k++)
            status = solve_input(&s, first + k, &given[k]);
        if (status == TN_OK)
            status = solve_rest(&s);
    }
    solver_end(&s);
    return status;
}

tn_status sizes_that_follow(const module *m, dim_values *values)
{
    return follow(m, NULL, 0, 0, values);
}

tn_status sizes_from_input(const module *m, uint32_t input, const given_shape *given,
                           dim_values *values)
{
    TN_TRY(check_input(m, input, given));
    return follow(m, given, input, 1, values);
}

tn_status sizes_partly_from_inputs(const module *m, const given_shape *given, dim_values *values)
{
    TN_TRY(check_inputs(m, given));
    return follow(m, given, 0, module_entry(m)->inputs.n, values);
}

tn_status sizes_from_inputs(const module *m, const given_shape *given, dim_values *values)
{
    const function *f = module_entry(m);
    TN_TRY(sizes_partly_from_inputs(m, given, values));
    for (uint32_t k = 0; k < f->inputs.n; k++) {
        const type *t = value_type(f, f->inputs.at[k]);
        int64_t known;
        for (uint32_t i = 0; i < t->rank; i++)
            if (!dim_bind(&m->types, t->dims[i], values, &known))
                return diag_report(
                    &m->cx->diag, DIAG_UnboundSymbol, &m->source, node_of(f, f->inputs.at[k])->at,
                    "the inputs do not determine the size %s of input '%s'",
                    dim_words(m, t->dims[i]), input_name(node_of(f, f->inputs.at[k])));
    }
    return TN_OK;
}
