/* Interning of tensor types and dimension expressions. */
#include "graph/type.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"

void type_table_init(type_table *t, arena *memory, const tn_allocator *allocator)
{
    *t = (type_table){.arena = memory, .allocator = allocator};
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
    return product_i64(dims, rank, &count) ? count : TYPE_COUNT_HUGE;
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
    if (!VECTOR_PUSH(t->allocator, &t->types, fresh))
        return NULL;
    if (!hash_add(t->allocator, &t->by_shape, h, t->types.n - 1)) {
        t->types.n--;
        return NULL;
    }
    return fresh;
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
    if (!VECTOR_PUSH(t->allocator, &t->exprs, e))
        return DIM_NO_MEMORY;
    if (!hash_add(t->allocator, &t->by_expr, h, t->exprs.n - 1)) {
        t->exprs.n--;
        return DIM_NO_MEMORY;
    }
    return INT64_MIN + (dim)(t->exprs.n - 1);
}

dim dim_symbol(type_table *t, const char *name)
{
    return intern_expr(t, (dim_expr){DIM_SYM, 0, 0, name});
}

static bool fold_dims(dim_op op, int64_t a, int64_t b, int64_t *out)
{
    switch (op) {
    case DIM_ADD:
        return add_i64(a, b, out);
    case DIM_MUL:
        return mul_i64(a, b, out);
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
            return rest == DIM_NO_MEMORY ? rest : intern_expr(t, (dim_expr){op, rest, top.b, NULL});
        }
    } else if (item < chain) {
        return intern_expr(t, (dim_expr){op, item, chain, NULL});
    }
    return intern_expr(t, (dim_expr){op, chain, item, NULL});
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
    if (rest == DIM_NO_MEMORY || !add_i64(factor, more, &sum))
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
        const dim_expr top = is_sum ? *dim_expr_of(t, chain) : (dim_expr){DIM_ADD, 0, chain, NULL};
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
        return intern_expr(t, (dim_expr){op, a, b, NULL});
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

bool dim_bind(const type_table *t, dim d, const int64_t *values, int64_t *out)
{
    if (!dim_is_symbolic(d)) {
        *out = d;
        return true;
    }
    const dim_expr *e = dim_expr_of(t, d);
    if (e->op == DIM_SYM) {
        *out = values[dim_index(d)];
        return *out >= 0;
    }
    int64_t a, b;
    return dim_bind(t, e->a, values, &a) && dim_bind(t, e->b, values, &b) &&
           fold_dims(e->op, a, b, out);
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

static const char *dim_text(arena *a, const type_table *t, dim d)
{
    if (!dim_is_expr(t, d))
        return arena_printf(a, "%" PRId64, d);
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
