/* Declared types against inferred ones, and what symbolic extents are found to be. */
#include "dialect/ptir/lower.h"

static bool reserve_symbols(lowering *l)
{
    uint32_t n = l->m->types.exprs.n;
    if (n <= l->n_symbols)
        return true;
    uint32_t wide = 2 * n;
    bool *is_given = ARENA_ARRAY(l->memory, bool, wide);
    bool *has_meaning = ARENA_ARRAY(l->memory, bool, wide);
    dim *meaning = ARENA_ARRAY(l->memory, dim, wide);
    uint32_t *searched = ARENA_ARRAY(l->memory, uint32_t, wide);
    if (!is_given || !has_meaning || !meaning || !searched)
        return false;
    if (l->n_symbols) {
        memcpy(is_given, l->is_given, l->n_symbols * sizeof *is_given);
        memcpy(has_meaning, l->has_meaning, l->n_symbols * sizeof *has_meaning);
        memcpy(meaning, l->meaning, l->n_symbols * sizeof *meaning);
    }
    l->is_given = is_given;
    l->has_meaning = has_meaning;
    l->meaning = meaning;
    l->searched = searched;
    l->n_symbols = wide;
    return true;
}

static bool give_dim(lowering *l, dim d)
{
    if (!dim_is_symbolic(d))
        return true;
    if (!reserve_symbols(l))
        return false;
    dim_expr e = *dim_expr_of(&l->m->types, d);
    if (e.op != DIM_SYM)
        return give_dim(l, e.a) && give_dim(l, e.b);
    l->is_given[dim_index(d)] = true;
    return true;
}

bool ptir_lower_give_symbols(lowering *l, const ptir_type *t)
{
    for (uint32_t i = 0; t->tensor && i < t->tensor->rank; i++)
        if (!give_dim(l, t->tensor->dims[i]))
            return false;
    for (uint32_t i = 0; !t->tensor && i < t->n; i++)
        if (!ptir_lower_give_symbols(l, &t->items[i]))
            return false;
    return true;
}

dim ptir_lower_dim(lowering *l, dim d)
{
    if (!dim_is_expr(&l->m->types, d))
        return d;
    dim_expr e = *dim_expr_of(&l->m->types, d);
    if (e.op != DIM_SYM) {
        const dim a = ptir_lower_dim(l, e.a), b = ptir_lower_dim(l, e.b);
        return dim_combine(&l->m->types, e.op, a, b);
    }
    return dim_index(d) < l->n_symbols && l->has_meaning[dim_index(d)] ? l->meaning[dim_index(d)]
                                                                       : d;
}

const type *ptir_lower_type(lowering *l, const type *t)
{
    dim dims[TN_MAX_RANK];
    if (type_is_static(t))
        return t;
    for (uint32_t i = 0; i < t->rank; i++)
        if ((dims[i] = ptir_lower_dim(l, t->dims[i])) == DIM_NO_MEMORY)
            return NULL;
    return type_of(&l->m->types, t->dtype, dims, t->rank);
}

/* Each expression is looked at once in a search, for many share what they are made of. */
static bool find_symbol(lowering *l, dim d, dim symbol)
{
    if (!dim_is_symbolic(d) || l->searched[dim_index(d)] == l->searches)
        return false;
    const dim_expr *e = dim_expr_of(&l->m->types, d);
    l->searched[dim_index(d)] = l->searches;
    return d == symbol ||
           (e->op != DIM_SYM && (find_symbol(l, e->a, symbol) || find_symbol(l, e->b, symbol)));
}

static bool mentions(lowering *l, dim d, dim symbol)
{
    l->searches++;
    return find_symbol(l, d, symbol);
}

/* Can an extent declared as D be the inferred T? A symbol that nothing has named yet becomes T. */
static bool agree(lowering *l, dim d, dim t)
{
    const type_table *types = &l->m->types;
    d = ptir_lower_dim(l, d);
    if (d == t)
        return true;
    if (!dim_is_symbolic(d))
        return dim_is_symbolic(t);
    if (dim_expr_of(types, d)->op == DIM_SYM && reserve_symbols(l) && !l->is_given[dim_index(d)] &&
        !mentions(l, t, d)) {
        l->has_meaning[dim_index(d)] = true;
        l->meaning[dim_index(d)] = t;
    }
    return true;
}

static bool types_agree(lowering *l, const type *declared, const type *have)
{
    bool ok = declared->dtype == have->dtype && declared->rank == have->rank;
    for (uint32_t i = 0; ok && i < have->rank; i++)
        ok = agree(l, declared->dims[i], have->dims[i]);
    return ok;
}

bool ptir_lower_types_agree(lowering *l, const ptir_type *declared, value_id first, uint32_t n)
{
    if (ptir_type_leaves(declared) != n)
        return false;
    const type *leaves[256];
    uint32_t k = 0;
    ptir_type_flatten(declared, leaves, &k);
    for (uint32_t i = 0; i < n; i++)
        if (!types_agree(l, leaves[i], value_type(l->scope->f, first + i)))
            return false;
    return true;
}

/* Is the declared type of the shape that so many results of OP have? */
static bool has_form(const ptir_type *declared, op_id op, uint32_t n)
{
    if (declared->tensor)
        return n == 1;
    bool may_wrap = op_table[op].traits & T_REGIONS || op == OP_CUSTOM_CALL;
    return (op == OP_CUSTOM_CALL || (ptir_type_is_flat(declared) && declared->n == n)) &&
           (n != 1 || may_wrap);
}

enum { MOST_TYPES_SHOWN = 8 };

/* As it is written in messages; NULL without memory. */
static const char *declared_text(lowering *l, const ptir_type *t)
{
    if (t->tensor)
        return type_text(l->memory, &l->m->types, t->tensor);
    const char *text = "";
    for (uint32_t i = 0; text && i < t->n && i < MOST_TYPES_SHOWN; i++) {
        const char *item = declared_text(l, &t->items[i]);
        text = item ? arena_printf(l->memory, "%s%s%s", text, i ? ", " : "", item) : NULL;
    }
    return text ? arena_printf(l->memory, "(%s%s)", text, t->n > MOST_TYPES_SHOWN ? ", ..." : "")
                : NULL;
}

static void type_fault(lowering *l, const ptir_inst *inst, op_id op, value_id first, uint32_t n)
{
    const function *f = l->scope->f;
    arena_mark here = arena_here(l->memory);
    ptir_type results[MOST_TYPES_SHOWN + 1];
    for (uint32_t i = 0; i < n && i <= MOST_TYPES_SHOWN; i++)
        results[i] = (ptir_type){.tensor = value_type(f, first + i)};
    const ptir_type result = n == 1 ? results[0] : (ptir_type){.n = n, .items = results};
    const char *declared = declared_text(l, &inst->out), *made = declared_text(l, &result);
    diag_kind kind = op_table[op].traits & T_REGIONS ? DIAG_RegionSignature : DIAG_TypeMismatch;
    ptir_lower_fault(l, kind, op_table[op].text, inst->out_at,
                     "the declared output type is %s, but the result is %s",
                     declared ? declared : "another", made ? made : "of another type");
    arena_rewind(l->memory, here);
}

tn_status ptir_lower_declared(lowering *l, const ptir_inst *inst, op_id op, value_id first,
                              uint32_t n, bool *ok)
{
    function *f = l->scope->f;
    uint32_t k = 0;
    const type *leaves[256];
    *ok = has_form(&inst->out, op, n) && ptir_lower_types_agree(l, &inst->out, first, n);
    if (op == OP_CONSTANT) /* says its type itself, and must say the same */
        *ok = inst->out.tensor == value_type(l->scope->f, first);
    if (!*ok) {
        type_fault(l, inst, op, first, n);
        return TN_OK;
    }
    ptir_type_flatten(&inst->out, leaves, &k);
    for (uint32_t i = 0; i < n; i++) {
        declared_type d = {first + i, leaves[i]};
        if (leaves[i] != value_type(f, first + i) && !VECTOR_PUSH(l->m->allocator, &f->declared, d))
            return ptir_lower_no_memory(l);
    }
    return TN_OK;
}
