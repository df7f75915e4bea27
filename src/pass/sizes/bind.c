/* Replacing symbolic sizes by numbers, all of them or those that are known. */
#include "pass/sizes/bind.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory/checked.h"
#include "base/text/text.h"
#include "ops/index_map.h"
#include "ops/infer.h"

typedef enum progress { WAITING, BINDING, BOUND } progress;

typedef struct binder {
    module *m;
    dim_values *values;
    dim *replaced;       /* by expression: what it became, or NOT_YET */
    bool partly;         /* symbols without a value stay */
    progress *functions; /* by index */
    arena scratch;
    const char *missing; /* a symbol without a value */
    const function *f;   /* what is being bound */
    const node *n;
} binder;

/* Reject the node being bound, or what stands at AT. */
__attribute__((format(printf, 4, 5))) static tn_status
refuse(const binder *b, span at, diag_kind kind, const char *format, ...)
{
    diag_channel *d = &b->m->cx->diag;
    va_list args;
    va_start(args, format);
    tn_status s = b->n ? node_vreport(b->f, b->n, d, op_table[b->n->op].text, kind, format, args)
                       : diag_vreport(d, kind, &b->m->source, at, format, args);
    va_end(args);
    return s;
}

/* The same of sizes that a program leaves open, but whose nodes were read as they are for most. */
__attribute__((format(printf, 3, 4))) static tn_status misfit(const binder *b, diag_kind kind,
                                                              const char *format, ...)
{
    diag_channel *d = &b->m->cx->diag;
    va_list args;
    va_start(args, format);
    const tn_status s = node_vreport(b->f, b->n, d, op_table[b->n->op].text, kind, format, args);
    va_end(args);
    if (b->m->lowered_from && strcmp(b->m->lowered_from, "onnx") == 0)
        diag_fix(d, NO_SPAN, NULL, "read the model with the shapes of its inputs (`shapes`)");
    return s;
}

static tn_status unbound(const binder *b, span at, const char *name)
{
    return refuse(b, at, DIAG_UnboundSymbol, "the symbolic size '%s' has no value", name);
}

/* D with the symbols that have a value replaced. NOT_A_SIZE: a part of it is too large, or a
 * divisor is not positive. */
#define NOT_A_SIZE (DIM_NO_MEMORY - 1)
#define NOT_YET (DIM_NO_MEMORY - 2)
static dim replace_known(const binder *b, dim d);

static dim replace_operands(const binder *b, dim d)
{
    type_table *types = &b->m->types;
    const dim_expr e = *dim_expr_of(types, d); /* which combining may move */
    if (e.op == DIM_SYM)
        return d;
    const dim left = replace_known(b, e.a), right = replace_known(b, e.b);
    const bool divides = e.op == DIM_FLOORDIV || e.op == DIM_MOD;
    if (left == NOT_A_SIZE || right == NOT_A_SIZE)
        return NOT_A_SIZE;
    if (!dim_is_expr(types, right) && (divides ? right <= 0 : !dim_is_expr(types, left)))
        return NOT_A_SIZE; /* two numbers that could be combined would have been */
    return dim_combine(types, e.op, left, right);
}

static dim replace_known(const binder *b, dim d)
{
    type_table *types = &b->m->types;
    int64_t known;
    if (!dim_is_expr(types, d))
        return d;
    if (dim_bind(types, d, b->values, &known))
        return known < NOT_YET ? known : NOT_A_SIZE;
    dim *entry = dim_index(d) < b->values->n ? &b->replaced[dim_index(d)] : NULL;
    if (entry && *entry != NOT_YET)
        return *entry;
    const dim made = replace_operands(b, d);
    if (entry)
        *entry = made;
    return made;
}

/* An extent, or any number of an attribute. */
static tn_status bind_dim(const binder *b, span at, dim from, int64_t *to)
{
    if (!dim_is_expr(&b->m->types, from)) {
        *to = from;
        return TN_OK;
    }
    const char *name = dim_missing(&b->m->types, from, b->values);
    if (name && !b->partly)
        return unbound(b, at, name);
    if (name)
        *to = replace_known(b, from);
    else if (!dim_bind(&b->m->types, from, b->values, to) || *to >= NOT_YET)
        *to = NOT_A_SIZE;
    if (*to == DIM_NO_MEMORY)
        return module_no_memory(b->m);
    if (*to == NOT_A_SIZE)
        return refuse(b, at, DIAG_DimensionBinding, "with the sizes given an extent is too large");
    if (!dim_is_expr(&b->m->types, *to) && *to < 0)
        return refuse(b, at, DIAG_NegativeDimension, "with the sizes given an extent is %" PRId64,
                      *to);
    return TN_OK;
}

static tn_status bind_type(binder *b, span at, const type **t)
{
    if (type_is_static(*t))
        return TN_OK;
    int64_t *dims = ARENA_ARRAY(&b->scratch, int64_t, (*t)->rank);
    if (!dims)
        return module_no_memory(b->m);
    for (uint32_t i = 0; i < (*t)->rank; i++)
        TN_TRY(bind_dim(b, at, (*t)->dims[i], &dims[i]));
    *t = type_of(&b->m->types, (*t)->dtype, dims, (*t)->rank);
    return *t ? TN_OK : module_no_memory(b->m);
}

/* Attributes. */

/* Reject a reshape where one size of the result has no value, because the others rule out every
 * value. A is the shape, with its symbols. */
static tn_status check_reshape(const binder *b, const node *n, const attr *a)
{
    const int64_t count = value_type(b->f, n->in[0])->count;
    int64_t known = 1, extent;
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (!dim_bind(&b->m->types, a->v.ints[i], b->values, &extent))
            unknown++;
        else if (extent < 0 || !mul_i64(known, extent, &known))
            return TN_OK;
    if (unknown != 1 || count < 0 || (known ? count % known : count) == 0)
        return TN_OK;
    const char *shape = dims_text(&b->m->cx->diag.text, &b->m->types, a->v.ints, a->n);
    return refuse(b, n->at, DIAG_ElementCountMismatch,
                  "with the sizes given a tensor of %" PRId64 " element%s fits no shape %s", count,
                  plural((uint64_t)count), shape);
}

static tn_status bind_ints(binder *b, span at, attr *a)
{
    int64_t *own = ARENA_ARRAY(&b->scratch, int64_t, a->n);
    if (!own)
        return module_no_memory(b->m);
    for (uint32_t i = 0; i < a->n; i++)
        TN_TRY(bind_dim(b, at, a->v.ints[i], &own[i]));
    a->v.ints = own;
    return TN_OK;
}

static tn_status bind_types(binder *b, span at, attr *a)
{
    const type **own = ARENA_ARRAY(&b->scratch, const type *, a->n);
    if (!own)
        return module_no_memory(b->m);
    for (uint32_t i = 0; i < a->n; i++) {
        own[i] = a->v.types[i];
        TN_TRY(bind_type(b, at, &own[i]));
    }
    a->v.types = own;
    return TN_OK;
}

static bool value_of_name(void *user, const char *name, size_t length, int64_t *value)
{
    binder *b = user;
    const module *m = b->m;
    for (uint32_t i = 0; i < m->types.exprs.n; i++) {
        const dim_expr *e = &m->types.exprs.at[i];
        if (e->op == DIM_SYM && strncmp(e->name, name, length) == 0 && e->name[length] == '\0' &&
            i < b->values->n && b->values->at[i] >= 0) {
            *value = b->values->at[i];
            return true;
        }
    }
    if (!b->missing)
        b->missing = module_string(b->m, name, length);
    return false;
}

static tn_status bind_index_map(binder *b, span at, attr *a)
{
    b->missing = NULL;
    const char *text = index_map_bind(a->v.s, &b->scratch, value_of_name, b);
    if (b->missing && !b->partly)
        return unbound(b, at, b->missing);
    a->v.s = text ? module_string(b->m, text, strlen(text)) : NULL;
    return a->v.s ? TN_OK : module_no_memory(b->m);
}

/* A view without elements reads nothing, and its map may divide by the size that is 0: it becomes
 * one without sizes, which is as good. */
static tn_status bind_empty_view(binder *b, const node *n, attr *entries)
{
    const uint32_t rank = value_type(b->f, n->in[0])->rank;
    bool empty = false;
    attr *map = NULL;
    for (uint32_t i = 0; i < n->attrs->n; i++) {
        const attr *a = &entries[i];
        for (uint32_t k = 0; a->key == KEY_SHAPE && k < a->n; k++)
            empty = empty || a->v.ints[k] == 0;
        if (a->key == KEY_INDEX_MAP && strcmp(a->v.s, n->attrs->at[i].v.s) != 0)
            map = &entries[i];
    }
    if (!empty || !map)
        return TN_OK;
    char text[2 * TN_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        memcpy(text + 2 * i, "0;", 2);
    map->v.s = module_string(b->m, text, rank ? 2 * rank - 1 : 0);
    return map->v.s ? TN_OK : module_no_memory(b->m);
}

static tn_status bind_attributes(binder *b, node *n)
{
    attr entries[KEY_COUNT];
    for (uint32_t i = 0; i < n->attrs->n; i++) {
        attr *a = &entries[i];
        *a = n->attrs->at[i];
        if (n->op == OP_RESHAPE && a->key == KEY_SHAPE && !b->partly)
            TN_TRY(check_reshape(b, n, a));
        if (attr_holds_sizes((attr_key)a->key))
            TN_TRY(bind_ints(b, n->at, a));
        else if (attr_keys[a->key].kind == ATTR_TYPE)
            TN_TRY(bind_type(b, n->at, &a->v.type));
        else if (attr_keys[a->key].kind == ATTR_TYPES)
            TN_TRY(bind_types(b, n->at, a));
        else if (a->key == KEY_INDEX_MAP)
            TN_TRY(bind_index_map(b, n->at, a));
    }
    if (n->op == OP_VIEW)
        TN_TRY(bind_empty_view(b, n, entries));
    const attrs *fresh = attrs_of(&b->m->attrs, entries, n->attrs->n);
    if (!fresh)
        return module_no_memory(b->m);
    n->attrs = fresh;
    return TN_OK;
}

/* A view with the bounds of a SHRINK becomes the slice that it is as soon as they are numbers. */
static tn_status bind_cut(binder *b, const function *f, node *n)
{
    static const attr_key keys[] = {KEY_CUT_FROM, KEY_CUT_TO, KEY_CUT_STEP};
    static const attr_key becomes[] = {KEY_STARTS, KEY_ENDS, KEY_STEPS};
    const type *in = value_type(f, n->in[0]);
    int64_t bounds[3][TN_MAX_RANK];
    attr entries[3];
    bool known = type_is_static(in);
    for (uint32_t k = 0; k < 3; k++) {
        const int64_t *from = attr_ints(n->attrs, keys[k], &entries[k].n);
        for (uint32_t i = 0; i < in->rank; i++) {
            TN_TRY(bind_dim(b, n->at, from[i], &bounds[k][i]));
            known = known && !dim_is_expr(&b->m->types, bounds[k][i]);
        }
        entries[k] = (attr){.key = (uint8_t)becomes[k], .n = in->rank, .v.ints = bounds[k]};
    }
    for (uint32_t i = 0; known && i < in->rank; i++)
        if (bounds[0][i] > bounds[1][i] || bounds[1][i] > in->dims[i] || bounds[2][i] < 1)
            return refuse(b, n->at, DIAG_InvalidAttribute,
                          "with the sizes given axis %" PRIu32 " of extent %" PRId64
                          " is cut to [%" PRId64 ", %" PRId64 ") with step %" PRId64,
                          i, in->dims[i], bounds[0][i], bounds[1][i], bounds[2][i]);
    if (!known)
        return TN_OK;
    const attrs *fresh = attrs_of(&b->m->attrs, entries, 3);
    if (!fresh)
        return module_no_memory(b->m);
    node_rewrite(n, OP_SLICE, n->in, 1, fresh);
    return TN_OK;
}

/* A slice of an axis whose extent was a symbol was taken to lie inside. BEFORE is the operand's
 * type then. */
static tn_status check_slice(const binder *b, const node *n, const type *before)
{
    uint32_t rank;
    const int64_t *ends = attr_ints(n->attrs, KEY_ENDS, &rank);
    const type *in = value_type(b->f, n->in[0]);
    for (uint32_t i = 0; i < before->rank && i < rank; i++)
        if (dim_is_symbolic(before->dims[i]) && !dim_is_symbolic(in->dims[i]) &&
            ends[i] != INT64_MAX && ends[i] > in->dims[i])
            return misfit(b, DIAG_InvalidAttribute,
                          "with the sizes given axis %" PRIu32 " of extent %" PRId64
                          " is cut at %" PRId64,
                          i, in->dims[i], ends[i]);
    return TN_OK;
}

/* Types. */

/* In elementwise ops only extents that are written as 1 broadcast: a symbol stands for the extent
 * of the result. BEFORE are the types of all values with symbols. */
static tn_status check_broadcast(const binder *b, const node *n, const type *const *before)
{
    const type *result = value_type(b->f, n->first_value);
    for (uint32_t k = 0; k < n->n_in; k++) {
        const type *t = value_type(b->f, n->in[k]), *old = before[n->in[k]];
        for (uint32_t i = 0; i < t->rank; i++) {
            const dim own = t->dims[i], all = result->dims[result->rank - t->rank + i];
            if (!dim_is_symbolic(old->dims[i]) || own == all)
                continue;
            if (!dim_is_symbolic(own) && !dim_is_symbolic(all))
                return misfit(b, DIAG_DimensionBinding,
                              "'%s' meets extents %" PRId64 " and %" PRId64 " with the sizes given",
                              op_table[n->op].text, own, all);
            if (own == 1) /* which would count as written once the other is known */
                return unbound(b, n->at, dim_missing(&b->m->types, all, b->values));
        }
    }
    return TN_OK;
}

static tn_status bind_results(binder *b, function *f, node *n, const type *const *before)
{
    module *m = b->m;
    const type *one = NULL;
    const type **in = ARENA_ARRAY(&b->scratch, const type *, n->n_in);
    if (!in)
        return module_no_memory(m);
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = value_type(f, n->in[k]);
    infer_call call = {.module = m,
                       .op = (op_id)n->op,
                       .in = in,
                       .n_in = n->n_in,
                       .attrs = n->attrs,
                       .out = &one,
                       .n_out = 1,
                       .binding = true,
                       .function = f,
                       .place = n->place,
                       .at = n->at,
                       .name = n->name,
                       .number = n->first_value};
    TN_TRY(infer_types(&call));
    if (call.n_out != n->n_results)
        return node_report(f, n, DIAG_DimensionBinding, "'%s' has %" PRIu32 " result%s, not %u",
                           op_table[n->op].text, call.n_out, plural(call.n_out), n->n_results);
    for (uint32_t r = 0; r < call.n_out; r++)
        f->values.at[n->first_value + r].type = call.out[r];
    return op_table[n->op].traits & T_ELEMENTWISE ? check_broadcast(b, n, before) : TN_OK;
}

static bool has_values(const binder *b, const type *t)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (dim_missing(&b->m->types, t->dims[i], b->values))
            return false;
    return true;
}

/* The text's own types for values must be what came out. A symbol without a value stands only in
 * such types, as a name for what came out. */
static tn_status check_declared(binder *b, function *f)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->declared.n; i++) {
        declared_type *d = &f->declared.at[i];
        const node *n = node_of(f, d->of);
        if (!b->partly && !has_values(b, d->type))
            continue;
        TN_TRY(bind_type(b, n->at, &d->type));
        if (!type_is_static(d->type))
            f->declared.at[kept++] = *d;
        if (!type_is_static(d->type) || d->type == value_type(f, d->of))
            continue;
        tn_status s = node_report(f, n, DIAG_DimensionBinding,
                                  "a value has another type with the sizes given than is declared");
        diag_channel *c = &b->m->cx->diag;
        diag_note(c, NULL, NO_SPAN, "declared is %s", type_text(&c->text, &b->m->types, d->type));
        diag_note(c, NULL, NO_SPAN, "it has %s",
                  type_text(&c->text, &b->m->types, value_type(f, d->of)));
        return s;
    }
    f->declared.n = kept;
    return TN_OK;
}

static tn_status bind_function(binder *b, uint32_t index, uint32_t depth);

/* The regions of N come first: its type rule looks at their signatures. */
static tn_status bind_regions(binder *b, const node *n, uint32_t depth)
{
    for (uint32_t i = 0; i < n->attrs->n; i++) {
        const attr *a = &n->attrs->at[i];
        if (attr_keys[a->key].kind != ATTR_FUNCTION || a->v.i < 0 ||
            a->v.i >= (int64_t)b->m->functions.n)
            continue;
        TN_TRY(bind_function(b, (uint32_t)a->v.i, depth + 1));
    }
    return TN_OK;
}

static tn_status bind_nodes(binder *b, function *f, uint32_t depth)
{
    const type **before = ARENA_ARRAY(&b->m->arena, const type *, f->values.n);
    if (!before)
        return module_no_memory(b->m);
    for (uint32_t i = 0; i < f->values.n; i++)
        before[i] = f->values.at[i].type;
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        node *n = &f->nodes.at[i];
        if (op_table[n->op].traits & T_REGIONS)
            TN_TRY(bind_regions(b, n, depth));
        b->f = f;
        b->n = n;
        if (n->op == OP_VIEW && attr_find(n->attrs, KEY_CUT_FROM))
            TN_TRY(bind_cut(b, f, n));
        if (n->attrs->n)
            TN_TRY(bind_attributes(b, n));
        if (n->op == OP_SLICE)
            TN_TRY(check_slice(b, n, before[n->in[0]]));
        TN_TRY(bind_results(b, f, n, before));
        arena_reset(&b->scratch);
    }
    b->n = NULL;
    return TN_OK;
}

static tn_status bind_function(binder *b, uint32_t index, uint32_t depth)
{
    function *f = b->m->functions.at[index];
    if (b->functions[index] == BOUND)
        return TN_OK;
    if (b->functions[index] == BINDING || depth > b->m->cx->limits.nesting)
        return diag_report(
            &b->m->cx->diag, DIAG_LimitExceeded, &b->m->source, NO_SPAN,
            "regions reach themselves, or are nested deeper than the limit of %" PRIu32,
            b->m->cx->limits.nesting);
    b->functions[index] = BINDING;
    TN_TRY(bind_nodes(b, f, depth));
    TN_TRY(check_declared(b, f));
    b->functions[index] = BOUND;
    return TN_OK;
}

static tn_status bind_module(module *m, dim_values *values, bool partly)
{
    binder b = {.m = m, .values = values, .partly = partly};
    tn_status s = TN_OK;
    if (!module_has_symbols(m))
        return TN_OK;
    b.functions = ARENA_ARRAY(&m->arena, progress, m->functions.n);
    b.replaced = ARENA_ARRAY(&m->arena, dim, values->n);
    if (!b.functions || !b.replaced)
        return module_no_memory(m);
    for (uint32_t i = 0; i < values->n; i++)
        b.replaced[i] = NOT_YET;
    arena_init(&b.scratch, m->allocator);
    for (uint32_t i = 0; s == TN_OK && i < m->functions.n; i++)
        s = bind_function(&b, i, 0);
    arena_release(&b.scratch);
    return s;
}

tn_status module_bind_here(module *m, dim_values *values)
{
    m->had_symbols = m->had_symbols || module_has_symbols(m);
    return bind_module(m, values, false);
}

tn_status module_bind_partly(module *m, dim_values *values)
{
    return bind_module(m, values, true);
}

tn_status module_bind(const module *m, dim_values *values, module **bound)
{
    *bound = NULL;
    module *copy = module_copy(m);
    if (!copy)
        return module_no_memory(m);
    const tn_status s = module_bind_here(copy, values);
    if (s != TN_OK) {
        module_free(copy);
        return s;
    }
    *bound = copy;
    return TN_OK;
}
