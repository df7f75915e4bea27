/* fold: evaluate add, sub, mul and div of constants.
 *
 * needs   verified types
 * keeps   types, order, the bits of every result
 * breaks  use counts: operands may become dead; dce removes them
 * source  MIND Core IR, "Canonicalisation": folding must be safe
 *
 * Not folded: integer arithmetic that overflows, integer division, float results with a NaN, and
 * results that are larger than both 4096 elements and the larger operand, or than 4 million
 * elements when an operand is stored as one.
 */
#include "base/memory/checked.h"
#include "eval/eval.h"
#include "graph/literal.h"
#include "pass/passes.h"

enum {
    FOLD_ALWAYS = 4096,   /* elements of a result that is folded whatever its operands are */
    FOLD_NEVER = 1 << 22, /* and of one that is too large to write out what was one element */
};

static bool is_foldable(const function *f, const node *n, const literal *const in[2])
{
    tn_dtype dtype = in[0]->type->dtype;
    const type *result = value_type(f, n->first_value);
    int64_t largest =
        in[0]->type->count > in[1]->type->count ? in[0]->type->count : in[1]->type->count;
    bool is_splat = literal_is_uniform(in[0]) && literal_is_uniform(in[1]);
    if (n->op == OP_DIV && !dtype_is_float(dtype))
        return false;
    if (!is_splat && (in[0]->splat || in[1]->splat) && result->count > FOLD_NEVER)
        return false;
    return result->count > 0 &&
           (is_splat || result->count <= FOLD_ALWAYS || result->count <= largest);
}

/* Does OP on these two integers leave their dtype? */
static bool overflows(op_id op, tn_dtype dtype, scalar a, scalar b)
{
    int64_t i = 0;
    uint64_t u = 0;
    bool lost;
    if (a.kind == DTYPE_SIGNED) {
        lost = op == OP_ADD   ? !add_i64(a.i, b.i, &i)
               : op == OP_SUB ? !sub_i64(a.i, b.i, &i)
                              : !mul_i64(a.i, b.i, &i);
        return lost || i < dtype_int_min(dtype) || i > (int64_t)dtype_int_max(dtype);
    }
    lost = op == OP_ADD   ? __builtin_add_overflow(a.u, b.u, &u)
           : op == OP_SUB ? __builtin_sub_overflow(a.u, b.u, &u)
                          : __builtin_mul_overflow(a.u, b.u, &u);
    return lost || u > dtype_int_max(dtype);
}

/* Element of an operand that meets element INDEX of a result, both broadcast from the right. */
static int64_t broadcast_index(const type *operand, const type *result, int64_t index)
{
    int64_t at = 0, stride = 1;
    for (uint32_t k = 0; k < operand->rank; k++) {
        int64_t extent = operand->dims[operand->rank - 1 - k];
        int64_t out_extent = result->dims[result->rank - 1 - k];
        if (extent != 1)
            at += index % out_extent * stride;
        index /= out_extent;
        stride *= extent;
    }
    return at;
}

/* Is the result safe: no integer overflow, no NaN? */
static bool is_safe(op_id op, const literal *const in[2], const tensor *result)
{
    tn_dtype dtype = result->type->dtype;
    for (int64_t i = 0; i < result->type->count; i++) {
        if (dtype_is_int(dtype)) {
            scalar pair[2];
            for (int k = 0; k < 2; k++)
                pair[k] = scalar_load(
                    dtype, literal_element(in[k], broadcast_index(in[k]->type, result->type, i)));
            if (overflows(op, dtype, pair[0], pair[1]))
                return false;
            continue;
        }
        scalar x = scalar_load(dtype, (const char *)result->data + (size_t)i * dtype_bytes(dtype));
        if (x.f != x.f || (x.kind == DTYPE_COMPLEX && x.im != x.im))
            return false;
    }
    return true;
}

/* The result in scratch memory. Uniform operands are evaluated as scalars: OUT holds one element.
 */
static bool compute(pass_context *cx, function *f, const node *n, const literal *const in[2],
                    tensor *out)
{
    module *m = f->module;
    bool uniform = literal_is_uniform(in[0]) && literal_is_uniform(in[1]);
    literal one[2] = {*in[0], *in[1]};
    const literal *used[2] = {in[0], in[1]};
    tensor operands[2];

    for (int k = 0; k < 2; k++) {
        if (uniform) {
            one[k].type = type_scalar(&m->types, in[k]->type->dtype);
            one[k].splat = false;
            used[k] = &one[k];
        } else if (in[k]->splat) {
            size_t size = dtype_bytes(in[k]->type->dtype);
            char *all = arena_alloc_aligned(&cx->scratch, (size_t)in[k]->type->count * size, 16);
            for (int64_t i = 0; all && i < in[k]->type->count; i++)
                memcpy(all + (size_t)i * size, in[k]->data, size);
            one[k].data = all;
            one[k].splat = false;
            used[k] = &one[k];
        }
        if (!used[k]->type || !used[k]->data)
            return false;
        operands[k] = (tensor){used[k]->type, (void *)(uintptr_t)used[k]->data};
    }
    const bool done = uniform ? evaluate_element(f, n, operands, out, &cx->scratch)
                              : evaluate_node_quietly(f, n, operands, 1, out, &cx->scratch);
    return done && is_safe((op_id)n->op, used, out);
}

static tn_status fold_node(pass_context *cx, function *f, node *n)
{
    if (n->op != OP_ADD && n->op != OP_SUB && n->op != OP_MUL && n->op != OP_DIV)
        return TN_OK;
    const literal *in[2] = {literal_of(node_of(f, n->in[0])), literal_of(node_of(f, n->in[1]))};
    if (!in[0] || !in[1] || !is_foldable(f, n, in))
        return TN_OK;

    module *m = f->module;
    tensor out = {0};
    if (!compute(cx, f, n, in, &out))
        return TN_OK;
    literal l = {.type = value_type(f, n->first_value),
                 .bytes = (size_t)out.type->count * dtype_bytes(out.type->dtype)};
    void *data = arena_alloc_aligned(&m->arena, l.bytes, 64);
    if (!data)
        return module_no_memory(m);
    memcpy(data, out.data, l.bytes);
    l.data = data;
    l.splat = l.type->count != 1 && out.type->count == 1;
    attr entry = {.key = KEY_VALUE, .v.literal = &l};
    const attrs *a = attrs_of(&m->attrs, &entry, 1);
    if (!a)
        return module_no_memory(m);
    node_rewrite(n, OP_CONSTANT, n->in, 0, a);
    cx->n_changed++;
    return TN_OK;
}

tn_status pass_fold(pass_context *cx, module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++) {
        function *f = m->functions.at[i];
        for (uint32_t k = 0; k < f->nodes.n; k++)
            TN_TRY(fold_node(cx, f, &f->nodes.at[k]));
    }
    return TN_OK;
}
