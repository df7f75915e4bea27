/* The two programs of a comparison: the sizes of a run, and the programs for them. */
#include "api/programs/equivalence.h"

#include <inttypes.h>

#include "base/context/options.h"
#include "eval/custom_set.h"

enum {
    DEFAULT_TURNS = 100000, /* of simple loops a fraction of a second */
    MAX_ATTEMPTS = 64,      /* at sizes for a run */
    MAX_MADE = 8            /* pairs of programs made for them */
};

/* ---- sizes ---------------------------------------------------------------------------------- */

static bool is_symbol(const module *m, uint32_t i)
{
    return m->types.exprs.at[i].op == DIM_SYM;
}

static bool is_named(const module *m, const char *symbol)
{
    for (uint32_t i = 0; i < m->types.exprs.n; i++)
        if (is_symbol(m, i) && strcmp(m->types.exprs.at[i].name, symbol) == 0)
            return true;
    return false;
}

static bool has_unknown(const module *m, const dim_values *values)
{
    for (uint32_t i = 0; i < m->types.exprs.n; i++)
        if (is_symbol(m, i) && values->at[i] < 0)
            return true;
    return false;
}

tn_binding *equiv_bindings(comparison *c, const module *m, const dim_values *values, size_t *n)
{
    tn_binding *list = ARENA_ARRAY(&c->memory, tn_binding, (size_t)m->types.exprs.n + 1);
    *n = 0;
    for (uint32_t i = 0; list && i < m->types.exprs.n; i++)
        if (is_symbol(m, i) && values->at[i] >= 0)
            list[(*n)++] = (tn_binding){m->types.exprs.at[i].name, values->at[i]};
    return list;
}

/* Values for the symbols of M: those that the caller gives. NULL: no memory. */
static dim_values *given_sizes(comparison *c, const module *m)
{
    dim_values *values = dim_values_new(&m->types, &c->memory);
    for (size_t i = 0; values && i < c->options->n_bindings; i++) {
        int64_t *value = size_of_symbol(m, values, c->options->bindings[i].symbol);
        if (value)
            *value = c->options->bindings[i].extent;
    }
    return values;
}

static tn_status unknown_symbol(const comparison *c, const char *symbol)
{
    suggestion like;
    suggest_begin(&like, symbol, strlen(symbol));
    suggest_symbols(&like, c->a);
    suggest_symbols(&like, c->b);
    const tn_status status = diag_report(&c->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                         "neither program has a symbolic size called '%s'", symbol);
    suggest_fix(&like, &c->cx->diag, NO_SPAN, "");
    return status;
}

tn_status equiv_check_bindings(const comparison *c)
{
    TN_TRY(options_list(&c->cx->diag, "bindings", c->options->bindings, c->options->n_bindings));
    for (size_t i = 0; i < c->options->n_bindings; i++) {
        const tn_binding *b = &c->options->bindings[i];
        const int64_t *in_a = written_size_of(c->a, b->symbol);
        const int64_t *in_b = written_size_of(c->b, b->symbol);
        if (!is_named(c->a, b->symbol) && !is_named(c->b, b->symbol) && !in_a && !in_b)
            return unknown_symbol(c, b->symbol);
        if ((in_a && *in_a != b->extent) || (in_b && *in_b != b->extent))
            return diag_report(&c->cx->diag, DIAG_DimensionBinding, NULL, NO_SPAN,
                               "the size '%s' is %" PRId64 " in a program, and cannot be %" PRId64,
                               b->symbol, in_a && *in_a != b->extent ? *in_a : *in_b, b->extent);
        if (b->extent < 0)
            return diag_report(&c->cx->diag, DIAG_NegativeDimension, NULL, NO_SPAN,
                               "the size '%s' cannot be %" PRId64, b->symbol, b->extent);
    }
    return TN_OK;
}

/* Sizes of B, which is M, from the shapes of A's inputs in this run, and from equal names. */
static tn_status sizes_of_b(comparison *c, const module *m, dim_values *values)
{
    const uint32_t n = module_entry(m)->inputs.n;
    given_shape *shapes = ARENA_ARRAY(&c->memory, given_shape, (size_t)n + 1);
    if (!shapes)
        return diag_no_memory(&c->cx->diag);
    for (uint32_t i = 0; i < n; i++) {
        const tn_type *t = &c->pa->inputs[i].type;
        shapes[i] = (given_shape){t->rank, t->dims};
    }
    if (!module_has_symbols(m))
        return TN_OK;
    TN_TRY(sizes_partly_from_inputs(m, shapes, values));
    for (uint32_t k = 0; k < c->a->types.exprs.n; k++) {
        int64_t *value =
            is_symbol(c->a, k) ? size_of_symbol(m, values, c->a->types.exprs.at[k].name) : NULL;
        if (value && *value < 0)
            *value = c->sizes[0]->at[k];
    }
    return TN_OK;
}

/* ---- programs ------------------------------------------------------------------------------- */

static tn_status make(comparison *c, const module *m, const dim_values *values, tn_program **out)
{
    tn_compile_options o = {.level = c->options->level ? c->options->level : TN_LEVEL_0};
    o.engine = "ref"; /* which defines what programs mean */
    o.bindings = equiv_bindings(c, m, values, &o.n_bindings);
    if (!o.bindings)
        return diag_no_memory(&c->cx->diag);
    TN_TRY(tn_program_compile(&(tn_module){(module *)(uintptr_t)m}, &o, out)); /* it copies */
    (*out)->turns = c->options->turns ? c->options->turns : DEFAULT_TURNS;
    return TN_OK;
}

static void free_programs(comparison *c)
{
    tn_program_free(c->pa);
    tn_program_free(c->pb);
    c->pa = c->pb = NULL;
}

/* Copies whose faults nobody hears of. */
static tn_status make_silent(comparison *c)
{
    if (c->silent)
        return TN_OK;
    c->silent = context_new(&c->cx->allocator, NULL);
    if (!c->silent)
        return diag_no_memory(&c->cx->diag);
    context_limits_from(c->silent, c->cx);
    c->silent->custom = custom_set_copy(&c->cx->allocator, c->cx->custom);
    for (uint32_t k = 0; k < 2 && c->silent->custom; k++)
        c->own[k] = module_copy_to(k ? c->b : c->a, c->silent);
    return c->own[0] && c->own[1] ? TN_OK : diag_no_memory(&c->cx->diag);
}

/* Choose the sizes of M that have no value in VALUES. *FITS is false when nothing was found. */
static tn_status choose(comparison *c, const module *m, uint32_t run, uint32_t attempt,
                        dim_values *values, bool *fits)
{
    *fits = true;
    if (!has_unknown(m, values))
        return TN_OK;
    c->is_free = true;
    return sizes_guess(m, run, attempt, values, fits);
}

/* Sizes of A from the inputs of B that have no symbols. What does not fit comes out later. */
static tn_status sizes_of_a(comparison *c, dim_values *values)
{
    const function *f = module_entry(c->b);
    for (uint32_t i = 0; has_unknown(c->a, values) && i < f->inputs.n; i++) {
        const type *t = value_type(f, f->inputs.at[i]);
        const given_shape shape = {t->rank, t->dims};
        if (type_is_static(t)) {
            TN_TRY(make_silent(c));
            if (sizes_from_input(c->own[0], i, &shape, values) == TN_ERR_NOMEM)
                return diag_no_memory(&c->cx->diag);
        }
    }
    return TN_OK;
}

/* Do the sizes chosen for B give its inputs the types of those of A? Ranks and dtypes are no matter
 * of sizes, and looked at elsewhere. */
static bool same_inputs(const comparison *c)
{
    for (uint32_t i = 0; i < c->pa->n_inputs; i++) {
        const tn_type *a = &c->pa->inputs[i].type, *b = &c->pb->inputs[i].type;
        for (uint32_t k = 0; a->rank == b->rank && k < a->rank; k++)
            if (a->dims[k] != b->dims[k])
                return false;
    }
    return true;
}

/* Both programs for sizes of this ATTEMPT. *FITS is false when it chose some that do not fit. */
static tn_status make_pair(comparison *c, uint32_t run, uint32_t attempt, bool *fits)
{
    dim_values *values = given_sizes(c, c->a);
    if (!values)
        return diag_no_memory(&c->cx->diag);
    TN_TRY(sizes_of_a(c, values));
    TN_TRY(choose(c, c->a, run, attempt, values, fits));
    c->sizes[0] = values;
    if (!*fits)
        return TN_OK;
    const bool is_chosen = c->is_free;
    tn_status s = is_chosen ? make_silent(c) : TN_OK;
    if (s == TN_OK)
        s = make(c, is_chosen ? c->own[0] : c->a, values, &c->pa);
    const module *b = is_chosen ? c->own[1] : c->b;
    values = given_sizes(c, c->b);
    c->sizes[1] = values;
    if (s == TN_OK)
        s = values ? sizes_of_b(c, b, values) : diag_no_memory(&c->cx->diag);
    if (s == TN_OK)
        s = choose(c, c->b, run, attempt, values, fits);
    if (s == TN_OK && c->is_free && *fits)
        s = make_silent(c);
    if (s == TN_OK && *fits)
        s = make(c, c->is_free ? c->own[1] : c->b, values, &c->pb);
    if (s == TN_ERR_NOMEM)
        return diag_no_memory(&c->cx->diag);
    if (!c->is_free || (s == TN_OK && (!*fits || same_inputs(c))))
        return s;
    *fits = false;
    return TN_OK;
}

/* The sizes of this run as a line: those of A, and those that only B has. */
static void note_sizes(comparison *c)
{
    bool first = true;
    for (uint32_t k = 0; k < 2; k++) {
        const module *m = k ? c->b : c->a;
        for (uint32_t i = 0; i < m->types.exprs.n; i++) {
            if (!is_symbol(m, i) || c->sizes[k]->at[i] < 0 ||
                (k && is_named(c->a, m->types.exprs.at[i].name)))
                continue;
            text_printf(&c->tried, "%s%s=%" PRId64, first ? "" : " ", m->types.exprs.at[i].name,
                        c->sizes[k]->at[i]);
            first = false;
        }
    }
    text_putc(&c->tried, '\n');
}

tn_status equiv_make_programs(comparison *c, uint32_t run, bool *fits)
{
    uint32_t made = 0;
    *fits = false;
    for (uint32_t attempt = 0; !*fits && attempt < MAX_ATTEMPTS && made < MAX_MADE; attempt++) {
        free_programs(c);
        c->is_free = false;
        TN_TRY(make_pair(c, run, attempt, fits));
        made += c->pa != NULL;
        if (!c->is_free)
            break;
    }
    if (*fits && c->is_free)
        note_sizes(c);
    return TN_OK;
}

void equiv_release_programs(comparison *c)
{
    free_programs(c);
    for (uint32_t k = 0; k < 2; k++)
        if (c->own[k])
            module_free(c->own[k]);
    tn_context_free(c->silent);
}
