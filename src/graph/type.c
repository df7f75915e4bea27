/* Interning of tensor types and dimension expressions. */
#include "graph/type.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/memory/checked.h"

void type_table_init(type_table *t, arena *memory, const tn_allocator *allocator,
                     diag_channel *diag)
{
    *t = (type_table){.arena = memory, .allocator = allocator, .diag = diag};
}

void type_table_release(type_table *t)
{
    VECTOR_RELEASE(t->allocator, &t->types);
    VECTOR_RELEASE(t->allocator, &t->exprs);
    hash_release(t->allocator, &t->by_shape);
    hash_release(t->allocator, &t->by_expr);
}

static int64_t count_elements(const dim *dims, uint32_t rank)
{
    int64_t count;
    for (uint32_t i = 0; i < rank; i++)
        if (dim_is_symbolic(dims[i]))
            return TYPE_COUNT_UNKNOWN;
    /* Where addresses have 32 bits, sizes in bytes of what can be counted must fit them. */
    const int64_t most = sizeof(size_t) < sizeof count ? PTRDIFF_MAX / 16 : INT64_MAX;
    return product_i64(dims, rank, &count) && count <= most ? count : TYPE_COUNT_HUGE;
}

const type *type_of(type_table *t, tn_dtype dtype, const dim *dims, uint32_t rank)
{
    uint64_t h = hash_mix((uint64_t)dtype, rank);
    for (uint32_t i = 0; i < rank; i++)
        h = hash_mix(h, (uint64_t)dims[i]);
    for (uint32_t p = hash_first(&t->by_shape, h), i;
         (i = hash_at(&t->by_shape, h, &p)) != HASH_NONE;) {
        const type *known = t->types.at[i];
        if (known->dtype == dtype && known->rank == rank &&
            (rank == 0 || memcmp(known->dims, dims, rank * sizeof *dims) == 0))
            return known;
    }

    type *fresh = arena_alloc(t->arena, sizeof *fresh + rank * sizeof *dims);
    if (!fresh)
        return NULL;
    fresh->dtype = dtype;
    fresh->rank = rank;
    fresh->count = count_elements(dims, rank);
    if (rank)
        memcpy(fresh->dims, dims, rank * sizeof *dims);
    return VECTOR_PUSH_INDEXED(t->allocator, &t->types, fresh, &t->by_shape, h) ? fresh : NULL;
}

const type *type_scalar(type_table *t, tn_dtype dtype)
{
    dim none = 0;
    return type_of(t, dtype, &none, 0);
}

const type *type_with_dtype(type_table *t, const type *like, tn_dtype dtype)
{
    return like->dtype == dtype ? like : type_of(t, dtype, like->dims, like->rank);
}

const dim_expr *dim_expr_of(const type_table *t, dim d)
{
    return &t->exprs.at[dim_index(d)];
}

/* Depth and terms of an operand. */
static void measure(const type_table *t, dim d, dim_expr *e)
{
    const dim_expr *from = dim_is_symbolic(d) ? dim_expr_of(t, d) : NULL;
    const uint32_t terms = from ? from->terms : 1;
    e->depth = from && from->depth >= e->depth ? from->depth + 1 : e->depth;
    e->terms = e->terms > UINT32_MAX - terms ? UINT32_MAX : e->terms + terms;
}

static dim intern_expr(type_table *t, dim_expr e)
{
    uint64_t h = hash_mix(hash_mix(hash_mix((uint64_t)e.op, (uint64_t)e.a), (uint64_t)e.b),
                          (uint64_t)(uintptr_t)e.name);
    for (uint32_t p = hash_first(&t->by_expr, h), i;
         (i = hash_at(&t->by_expr, h, &p)) != HASH_NONE;) {
        const dim_expr *k = &t->exprs.at[i];
        if (k->op == e.op && k->a == e.a && k->b == e.b && k->name == e.name)
            return INT64_MIN + (dim)i;
    }
    e.depth = 1;
    e.terms = e.op == DIM_SYM;
    if (e.op != DIM_SYM) {
        measure(t, e.a, &e);
        measure(t, e.b, &e);
    }
    if (e.depth > DIM_MOST_DEPTH)
        diag_refuse(t->diag, DIAG_LimitExceeded,
                    "a symbolic extent is nested deeper than 1000 operations");
    if (e.depth > DIM_MOST_DEPTH ||
        !VECTOR_PUSH_INDEXED(t->allocator, &t->exprs, e, &t->by_expr, h))
        return DIM_NO_MEMORY;
    return INT64_MIN + (dim)(t->exprs.n - 1);
}

dim dim_symbol(type_table *t, const char *name)
{
    return intern_expr(t, (dim_expr){.op = DIM_SYM, .name = name});
}

dim dim_symbol_called(const type_table *t, const char *name)
{
    for (uint32_t i = 0; i < t->exprs.n; i++)
        if (t->exprs.at[i].op == DIM_SYM && strcmp(t->exprs.at[i].name, name) == 0)
            return INT64_MIN + (dim)i;
    return 0;
}

/* False also where the result is among the numbers that stand for symbolic sizes. */
static bool fold_dims(dim_op op, int64_t a, int64_t b, int64_t *out)
{
    switch (op) {
    case DIM_ADD:
        return add_i64(a, b, out) && !dim_is_symbolic(*out);
    case DIM_MUL:
        return mul_i64(a, b, out) && !dim_is_symbolic(*out);
    case DIM_FLOORDIV:
    case DIM_MOD: {
        if (b == 0 || (a == INT64_MIN && b == -1))
            return false;
        int64_t q = a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
        *out = op == DIM_FLOORDIV ? q : a - q * b;
        return true;
    }
    case DIM_SYM:
        break;
    }
    return false;
}

/* Sums and products are kept as left-leaning chains of operands in ascending order, with the
 * constant (numbers are larger than any symbolic dim) last and folded. */
static dim chain_insert(type_table *t, dim_op op, dim chain, dim item)
{
    int64_t identity = op == DIM_MUL ? 1 : 0, folded;
    if (!dim_is_symbolic(chain) && !dim_is_symbolic(item))
        return fold_dims(op, chain, item, &folded) ? folded : DIM_NO_MEMORY;
    if (chain == identity)
        return item;
    if (item == identity)
        return chain;
    if (op == DIM_MUL && (chain == 0 || item == 0))
        return 0;
    if (!dim_is_symbolic(chain))
        return chain_insert(t, op, item, chain);
    dim_expr top = *dim_expr_of(t, chain);
    if (top.op == op) {
        if (!dim_is_symbolic(item) && !dim_is_symbolic(top.b))
            return fold_dims(op, top.b, item, &folded) ? chain_insert(t, op, top.a, folded)
                                                       : DIM_NO_MEMORY;
        if (item < top.b) {
            dim rest = chain_insert(t, op, top.a, item);
            return rest == DIM_NO_MEMORY
                       ? rest
                       : intern_expr(t, (dim_expr){.op = op, .a = rest, .b = top.b});
        }
    } else if (item < chain) {
        return intern_expr(t, (dim_expr){.op = op, .a = item, .b = chain});
    }
    return intern_expr(t, (dim_expr){.op = op, .a = chain, .b = item});
}

/* A term as BASE times a number. */
static dim base_of(const type_table *t, dim term, int64_t *factor)
{
    const dim_expr *e = dim_expr_of(t, term);
    const bool scaled = e->op == DIM_MUL && !dim_is_symbolic(e->b);
    *factor = scaled ? e->b : 1;
    return scaled ? e->a : term;
}

/* Is a multiple of BASE a term of the sum CHAIN? Then *REST is the sum without it. */
static bool take_like(type_table *t, dim chain, dim base, dim *rest, int64_t *factor)
{
    if (!dim_is_symbolic(chain))
        return false;
    const dim_expr top = *dim_expr_of(t, chain);
    *rest = top.op == DIM_ADD ? top.a : 0;
    const dim last = top.op == DIM_ADD ? top.b : chain;
    if (dim_is_symbolic(last) && base_of(t, last, factor) == base)
        return true;
    dim left;
    if (top.op != DIM_ADD || !take_like(t, top.a, base, &left, factor))
        return false;
    *rest = left == DIM_NO_MEMORY ? left : chain_insert(t, DIM_ADD, left, top.b);
    return true;
}

/* CHAIN OP ITEM, which is no such chain itself; in sums multiples of one term come together. */
static dim add_to_chain(type_table *t, dim_op op, dim chain, dim item)
{
    int64_t factor, more, sum;
    dim rest;
    if (op != DIM_ADD || !dim_is_symbolic(item))
        return chain_insert(t, op, chain, item);
    const dim base = base_of(t, item, &factor);
    if (!take_like(t, chain, base, &rest, &more))
        return chain_insert(t, op, chain, item);
    if (rest == DIM_NO_MEMORY || !fold_dims(DIM_ADD, factor, more, &sum))
        return DIM_NO_MEMORY;
    item = sum == 0 ? 0 : chain_insert(t, DIM_MUL, base, sum);
    return item == DIM_NO_MEMORY ? item : chain_insert(t, op, rest, item);
}

/* The negative of a sum, term by term. */
static dim negative_of(type_table *t, dim chain)
{
    dim total = 0;
    while (chain != 0 && total != DIM_NO_MEMORY) {
        const bool is_sum = dim_is_symbolic(chain) && dim_expr_of(t, chain)->op == DIM_ADD;
        const dim_expr top =
            is_sum ? *dim_expr_of(t, chain) : (dim_expr){.op = DIM_ADD, .b = chain};
        const dim term = chain_insert(t, DIM_MUL, top.b, -1);
        total = term == DIM_NO_MEMORY ? term : chain_insert(t, DIM_ADD, total, term);
        chain = top.a;
    }
    return total;
}

dim dim_combine(type_table *t, dim_op op, dim a, dim b)
{
    int64_t folded;
    if (a == DIM_NO_MEMORY || b == DIM_NO_MEMORY)
        return DIM_NO_MEMORY;
    if (!dim_is_symbolic(a) && !dim_is_symbolic(b))
        return fold_dims(op, a, b, &folded) ? folded : DIM_NO_MEMORY;
    if (op == DIM_FLOORDIV || op == DIM_MOD) {
        if (b == 1)
            return op == DIM_MOD ? 0 : a;
        if (a == b)
            return op == DIM_MOD ? 0 : 1;
        return intern_expr(t, (dim_expr){.op = op, .a = a, .b = b});
    }
    for (uint32_t k = 0; op == DIM_MUL && k < 2; k++)
        if ((k ? a : b) == -1 && dim_expr_of(t, k ? b : a)->op == DIM_ADD)
            return negative_of(t, k ? b : a);
    /* Insert the operands of chain b one by one into chain a. */
    while (dim_is_symbolic(b) && dim_expr_of(t, b)->op == op) {
        dim_expr top = *dim_expr_of(t, b);
        a = add_to_chain(t, op, a, top.b);
        if (a == DIM_NO_MEMORY)
            return a;
        b = top.a;
    }
    return add_to_chain(t, op, a, b);
}

static uint32_t terms_of(const type_table *t, dim d)
{
    return dim_is_expr(t, d) ? dim_expr_of(t, d)->terms : 1;
}

bool dim_is_writable(const type_table *t, dim d)
{
    if (terms_of(t, d) <= DIM_MOST_TERMS)
        return true;
    diag_refuse_unless(t->diag, DIAG_LimitExceeded,
                       "a symbolic extent has more than 2000 terms, which is too long to be "
                       "written",
                       SETTING_BINDINGS, "gives its sizes values");
    return false;
}

/* Entries of expressions that are no symbols. */
#define NOT_FOUND INT64_MIN
#define TOO_LARGE (INT64_MIN + 1)

dim_values *dim_values_new(const type_table *t, arena *memory)
{
    dim_values *v = arena_alloc(memory, sizeof *v + t->exprs.n * sizeof v->at[0]);
    if (!v)
        return NULL;
    v->n = t->exprs.n;
    for (uint32_t i = 0; i < v->n; i++)
        v->at[i] = -1;
    dim_values_forget(t, v);
    return v;
}

void dim_values_forget(const type_table *t, dim_values *values)
{
    for (uint32_t i = 0; i < values->n; i++)
        if (t->exprs.at[i].op != DIM_SYM)
            values->at[i] = NOT_FOUND;
}

/* The entry of D, which is an expression, or NULL when it was made after VALUES. Such an expression
 * holds a symbol without a value in every operand that is not a number, or that would have become
 * one: the walk down to one is short. */
static int64_t *entry_of(dim_values *values, dim d)
{
    return dim_index(d) < values->n ? &values->at[dim_index(d)] : NULL;
}

static bool is_too_large(dim_values *values, dim d)
{
    const int64_t *entry = dim_is_symbolic(d) ? entry_of(values, d) : NULL;
    return entry && *entry == TOO_LARGE;
}

bool dim_bind(const type_table *t, dim d, dim_values *values, int64_t *out)
{
    *out = d;
    if (!dim_is_symbolic(d))
        return true;
    const dim_expr *e = dim_expr_of(t, d);
    int64_t *entry = entry_of(values, d), a, b;
    *out = entry ? *entry : -1;
    if (e->op == DIM_SYM)
        return *out >= 0;
    if (entry && *entry != NOT_FOUND)
        return *entry != TOO_LARGE;
    const bool known = dim_bind(t, e->a, values, &a) && dim_bind(t, e->b, values, &b);
    const bool fits = known && fold_dims(e->op, a, b, out) && *out > TOO_LARGE;
    if (entry && (known || is_too_large(values, e->a) || is_too_large(values, e->b)))
        *entry = fits ? *out : TOO_LARGE;
    return fits;
}

const char *dim_missing(const type_table *t, dim d, dim_values *values)
{
    int64_t value;
    while (!dim_bind(t, d, values, &value) && !is_too_large(values, d)) {
        const dim_expr *e = dim_expr_of(t, d);
        if (e->op == DIM_SYM)
            return e->name;
        d = dim_bind(t, e->a, values, &value) || is_too_large(values, e->a) ? e->b : e->a;
    }
    return NULL;
}

bool type_bytes(const type *t, size_t *out)
{
    size_t bytes;
    if (t->count < 0 || !mul_size((size_t)t->count, dtype_bytes(t->dtype), &bytes))
        return false;
    *out = bytes;
    return true;
}

void type_strides(const type *t, int64_t *strides)
{
    int64_t stride = 1;
    for (uint32_t i = t->rank; i-- > 0;) {
        strides[i] = stride;
        if (t->dims[i] > 1 && !mul_i64(stride, t->dims[i], &stride))
            stride = 0; /* the tensor is empty */
    }
}

enum { SHOWN_TERMS = 100 };

static const char *dim_text(arena *a, const type_table *t, dim d)
{
    if (!dim_is_expr(t, d))
        return arena_printf(a, "%" PRId64, d);
    if (terms_of(t, d) > SHOWN_TERMS)
        return "...";
    const dim_expr *e = dim_expr_of(t, d);
    if (e->op == DIM_SYM)
        return e->name;
    static const char *const infix[] = {"", "+", "*", "//", "%"};
    const char *left = dim_text(a, t, e->a), *right = dim_text(a, t, e->b);
    return left && right ? arena_printf(a, "(%s%s%s)", left, infix[e->op], right) : NULL;
}

const char *dims_text(arena *a, const type_table *t, const dim *dims, uint32_t rank)
{
    const char *text = "[";
    for (uint32_t i = 0; i < rank && text; i++) {
        const char *d = dim_text(a, t, dims[i]);
        text = d ? arena_printf(a, "%s%s%s", text, i ? ", " : "", d) : NULL;
    }
    text = text ? arena_printf(a, "%s]", text) : NULL;
    return text ? text : "[...]";
}

const char *type_text(arena *a, const type_table *t, const type *ty)
{
    const char *text =
        arena_printf(a, "%s%s", dtype_name(ty->dtype), dims_text(a, t, ty->dims, ty->rank));
    return text ? text : dtype_name(ty->dtype);
}
