/* Contractions: the named ops of linalg where they fit, else products in a linalg.generic. */
#include "dialect/mlir/linalg.h"

#include "ops/shape.h"

static void put_named(mlir_text *w, const node *n, const char *name, const operand *a,
                      const operand *b, const operand *to)
{
    line(w, "%v = linalg.%s ins(%s, %s : %t, %t) outs(%s : %t) -> %t", n->first_value, name,
         a->name, b->name, &a->type, &b->type, to->name, &to->type, &to->type);
}

/* Batch axes align from the right; one that is 1 in the operand alone stays at 0. */
static void map_matrix(operand *o, const tensor *out, int64_t row, int64_t column)
{
    int64_t axes[TN_MAX_RANK];
    uint32_t n_batch = o->type.rank - 2, shift = out->rank - o->type.rank;
    for (uint32_t i = 0; i < n_batch; i++)
        axes[i] = o->type.dims[i] == 1 && out->dims[i + shift] != 1 ? -1 : (int64_t)i + shift;
    axes[n_batch] = row;
    axes[n_batch + 1] = column;
    map_axes(o, axes);
}

static void put_matmul(mlir_text *w, const node *n, operand *a, operand *b, const operand *to)
{
    const tensor *out = &to->type;
    if (a->type.rank == 2 && b->type.rank == 2) {
        put_named(w, n, "matmul", a, b, to);
        return;
    }
    if (a->type.rank == 3 && b->type.rank == 3 && a->type.dims[0] == b->type.dims[0]) {
        put_named(w, n, "batch_matmul", a, b, to);
        return;
    }
    operand r = operand_made("", n->first_value, out);
    uint32_t k = out->rank; /* the loop that reduces comes last */
    map_matrix(a, out, (int64_t)k - 2, k);
    map_matrix(b, out, k, (int64_t)k - 1);
    put_products(w, r.name, a, b, to, k + 1, 1U << k);
}

static void put_dot(mlir_text *w, const node *n, operand *a, operand *b, const operand *to)
{
    if (a->type.rank == 2 && b->type.rank == 2)
        put_named(w, n, "matmul", a, b, to);
    else
        put_named(w, n,
                  a->type.rank == 2   ? "matvec"
                  : b->type.rank == 2 ? "vecmat"
                                      : "dot",
                  a, b, to);
}

/* Give the listed axes the loops from FIRST on. */
static void assign(int64_t *loops, const int64_t *axes, uint32_t n, uint32_t rank, int64_t first)
{
    for (uint32_t i = 0; i < n; i++)
        loops[axes[i] < 0 ? axes[i] + rank : axes[i]] = first + i;
}

static uint32_t assign_rest(int64_t *loops, uint32_t rank, uint32_t next)
{
    for (uint32_t i = 0; i < rank; i++)
        if (loops[i] < 0)
            loops[i] = next++;
    return next;
}

static void put_general(mlir_text *w, const node *n, operand *a, operand *b, const operand *to)
{
    uint32_t n_batch, n_contract, n_loops = to->type.rank;
    const int64_t *batch_a = attr_ints(n->attrs, KEY_BATCH_LHS, &n_batch);
    const int64_t *batch_b = attr_ints(n->attrs, KEY_BATCH_RHS, &n_batch);
    const int64_t *contract_a = attr_ints(n->attrs, KEY_CONTRACT_LHS, &n_contract);
    const int64_t *contract_b = attr_ints(n->attrs, KEY_CONTRACT_RHS, &n_contract);
    int64_t loops_a[TN_MAX_RANK], loops_b[TN_MAX_RANK];
    for (uint32_t i = 0; i < TN_MAX_RANK; i++)
        loops_a[i] = loops_b[i] = -1;
    assign(loops_a, batch_a, n_batch, a->type.rank, 0);
    assign(loops_b, batch_b, n_batch, b->type.rank, 0);
    assign(loops_a, contract_a, n_contract, a->type.rank, n_loops);
    assign(loops_b, contract_b, n_contract, b->type.rank, n_loops);
    uint32_t next = assign_rest(loops_a, a->type.rank, n_batch);
    (void)assign_rest(loops_b, b->type.rank, next);
    map_axes(a, loops_a);
    map_axes(b, loops_b);
    uint32_t reduced = 0;
    for (uint32_t i = 0; i < n_contract; i++)
        reduced |= 1U << (n_loops + i);
    operand r = operand_made("", n->first_value, &to->type);
    put_products(w, r.name, a, b, to, n_loops + n_contract, reduced);
}

bool mlir_takes_contract(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    tn_dtype d = value_type(f, n->first_value)->dtype;
    if (dtype_is_complex(d) || d == TN_I1)
        return object(why, "linalg has no form of it for %s", dtype_name(d));
    if (value_type(f, n->in[0])->dtype != d || attr_int(n->attrs, KEY_ACCUM_DTYPE, d) != (int64_t)d)
        return object(why, "it accumulates in another element type; cast first");
    if (value_type(f, n->in[0])->rank + value_type(f, n->in[1])->rank >= TN_MAX_RANK)
        return object(why, "it takes more than %d loops", TN_MAX_RANK - 1);
    return true;
}

void mlir_contract(mlir_text *w, const node *n)
{
    operand a = operand_of(w, n->in[0]), b = operand_of(w, n->in[1]);
    tensor out = type_of_value(w, n->first_value);
    tn_dtype d = out.dtype;
    operand to = put_filled(w, n->first_value, &out, zero_of(d));
    if (n->op == OP_MATMUL)
        put_matmul(w, n, &a, &b, &to);
    else if (n->op == OP_DOT)
        put_dot(w, n, &a, &b, &to);
    else
        put_general(w, n, &a, &b, &to);
}

/* ---- convolutions ---- */

/* X with rows and columns of zeros around it; X itself when there are none. */
static operand put_padded(mlir_text *w, value_id v, const operand *x, const conv_geometry *g)
{
    if (!g->top && !g->bottom && !g->left && !g->right)
        return *x;
    tensor t = x->type;
    t.dims[1] += g->top + g->bottom;
    t.dims[2] += g->left + g->right;
    operand p = operand_made("p", v, &t);
    int64_t low[4] = {0, g->top, g->left, 0}, high[4] = {0, g->bottom, g->right, 0};
    line(w, "%s = tensor.pad %s low%l high%l {", p.name, x->name, low, 4U, high, 4U);
    line(w, "^bb0(%%i: index, %%j: index, %%k: index, %%l: index):");
    line(w, "  tensor.yield %%z%u : %e", v, t.dtype);
    line(w, "} : %t to %t", &x->type, &t);
    return p;
}

static void map_windows(operand *o, const conv_geometry *g)
{
    o->map[0] = '\0';
    map_add(o, "d0");
    map_add(o, "d1 * %lld + d3", (long long)g->stride_h);
    map_add(o, "d2 * %lld + d4", (long long)g->stride_w);
    map_add(o, "d5");
}

/* The operands of a convolution: x, w and y in terms of n, ho, wo, kh, kw, ci, co. */
enum { N_CONV_LOOPS = 7 };

static void map_filter(operand *o)
{
    map_axes(o, (const int64_t[]){3, 4, 5, 6});
}

static void map_result(operand *o)
{
    map_axes(o, (const int64_t[]){0, 1, 2, 6});
}

static void put_conv(mlir_text *w, const node *n, const conv_geometry *g)
{
    value_id v = n->first_value;
    operand x = operand_of(w, n->in[0]), filter = operand_of(w, n->in[1]);
    tensor out = type_of_value(w, v);
    operand to = put_filled(w, v, &out, zero_of(out.dtype));
    operand p = put_padded(w, v, &x, g);
    int64_t strides[2] = {g->stride_h, g->stride_w};
    line(w,
         "%v = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = "
         "dense<%l> : tensor<2xi64>} ins(%s, %s : %t, %t) outs(%s : %t) -> %t",
         v, strides, 2U, p.name, filter.name, &p.type, &filter.type, to.name, &out, &out);
}

/* Every product dy * w goes to where its x was; the padding is cut off at the end. */
static void put_conv_grad_input(mlir_text *w, const node *n, const conv_geometry *g)
{
    value_id v = n->first_value;
    operand dy = operand_of(w, n->in[0]), filter = operand_of(w, n->in[1]);
    tensor out = type_of_value(w, v), all = out;
    int64_t rows = (g->ho - 1) * g->stride_h + g->kh, columns = (g->wo - 1) * g->stride_w + g->kw;
    all.dims[1] = rows > g->top + g->h ? rows : g->top + g->h;
    all.dims[2] = columns > g->left + g->w ? columns : g->left + g->w;
    bool cuts = !types_equal(&all, &out);
    operand to = put_filled(w, v, &all, zero_of(out.dtype));
    operand r = operand_made(cuts ? "p" : "", v, &all);
    map_result(&dy);
    map_filter(&filter);
    map_windows(&to, g);
    put_products(w, r.name, &dy, &filter, &to, N_CONV_LOOPS,
                 1U << 1 | 1U << 2 | 1U << 3 | 1U << 4 | 1U << 6);
    int64_t at[4] = {0, g->top, g->left, 0}, steps[4] = {1, 1, 1, 1};
    if (cuts)
        line(w, "%v = tensor.extract_slice %s%l %l %l : %t to %t", v, r.name, at, 4U, out.dims, 4U,
             steps, 4U, &all, &out);
}

static void put_conv_grad_filter(mlir_text *w, const node *n, const conv_geometry *g)
{
    value_id v = n->first_value;
    operand x = operand_of(w, n->in[0]), dy = operand_of(w, n->in[1]);
    tensor out = type_of_value(w, v);
    operand to = put_filled(w, v, &out, zero_of(out.dtype));
    operand p = put_padded(w, v, &x, g), r = operand_made("", v, &out);
    map_windows(&p, g);
    map_result(&dy);
    map_filter(&to);
    put_products(w, r.name, &p, &dy, &to, N_CONV_LOOPS, 1U << 0 | 1U << 1 | 1U << 2);
}

bool mlir_takes_conv(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    tn_dtype d = value_type(f, n->first_value)->dtype;
    if (dtype_is_complex(d) || d == TN_I1)
        return object(why, "linalg has no form of it for %s", dtype_name(d));
    return true;
}

void mlir_conv(mlir_text *w, const node *n)
{
    conv_geometry g;
    tensor x = type_of_value(w, n->op == OP_CONV2D_GRAD_INPUT ? n->first_value : n->in[0]);
    tensor filter = type_of_value(w, n->op == OP_CONV2D_GRAD_FILTER ? n->first_value : n->in[1]);
    (void)resolve_conv(n->attrs, x.dims, filter.dims, &g);
    if (n->op == OP_CONV2D)
        put_conv(w, n, &g);
    else if (n->op == OP_CONV2D_GRAD_INPUT)
        put_conv_grad_input(w, n, &g);
    else
        put_conv_grad_filter(w, n, &g);
}
