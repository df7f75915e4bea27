/* Operations of chlo, those that broadcast among them, and operations that stand in other forms. */
#include "dialect/mlir/hlo/lower.h"

#include <math.h>

#include "ops/shape.h"

bool shlo_lower_square(shlo_call *c)
{
    const tn_value x = shlo_in(c, 0);
    return shlo_give(c, 0, tn_mul(c->b, x, x));
}

bool shlo_lower_is_one_inf(shlo_call *c)
{
    const tn_value x = shlo_in(c, 0);
    const tn_value inf = tn_scalar_like(c->b, x, c->arg * (double)INFINITY);
    return shlo_give(c, 0, tn_compare(c->b, TN_EQ, x, inf));
}

bool shlo_lower_conj(shlo_call *c)
{
    tn_builder *b = c->b;
    const type *t = shlo_in_type(c, 0);
    if (!t)
        return false;
    if (!dtype_is_complex(t->dtype))
        return shlo_give_value(c, 0, shlo_value_of(c, 0));
    const tn_value x = shlo_in(c, 0);
    const tn_value re = tn_real(b, x), im = tn_imag(b, x);
    return shlo_give(c, 0, tn_complex(b, re, tn_neg(b, im)));
}

/* One number in the shape of the operand. */
bool shlo_lower_constant_like(shlo_call *c)
{
    const mir_attr *a = shlo_attr(c, "value");
    const type *t = shlo_in_type(c, 0);
    if (!t)
        return false;
    if (!a || (a->kind != MIR_INT && a->kind != MIR_FLOAT))
        return shlo_refuse(c, DIAG_InvalidConstant, "its value is no number");
    const double x = a->kind == MIR_INT ? (double)a->i : shlo_float(c, "value", 0);
    return shlo_give(c, 0, tn_splat(c->b, t->dtype, shlo_dims(t), x));
}

/* ---- in the form of another operation ---- */

const mir_row *shlo_row_named(const shlo_call *c, const char *prefix, mir_text name)
{
    const char *whole = arena_printf(&c->r->memory, "%s.%.*s", prefix, MIR_TEXT(name));
    const mir_row *row = whole ? shlo_find_row(c->r, (mir_text){whole, strlen(whole)}) : NULL;
    const bool fits = row && c->op->n_in >= row->min_in && c->op->n_in <= row->max_in &&
                      row->n_regions == 0 &&
                      (row->n_out < 0 || c->op->n_out == (uint32_t)row->n_out);
    return fits ? row : NULL;
}

bool shlo_lower_as(shlo_call *c, const mir_row *row, const mir_fields *list)
{
    mir_op op = *c->op;
    op.row = row;
    op.attrs = *list;
    shlo_call other = *c;
    other.op = &op;
    other.arg = row->arg;
    return row->lower(&other);
}

/* ---- chlo.broadcast_* ---- */

/* The extents of the result: those that are declared, and else those of the operands. */
static bool result_shape(shlo_call *c, shape *out)
{
    const mir_type *to = shlo_out_type(c, 0);
    const uint32_t n = c->op->n_in; /* the predicate of a select is in front */
    const type *x = shlo_in_type(c, n - 2), *y = shlo_in_type(c, n - 1);
    shape both;
    if (!x || !y || to->kind != MIR_TENSOR)
        return false;
    const bool goes = broadcast_shapes(x->dims, x->rank, y->dims, y->rank, &both).kind == SHAPE_OK;
    out->rank = to->rank;
    for (uint32_t i = 0; i < to->rank; i++) {
        out->dims[i] = to->dims[i];
        if (to->dims[i] != MIR_UNKNOWN)
            continue;
        if (!goes || both.rank != to->rank)
            return shlo_unknown_shape(c, "an extent of the result");
        out->dims[i] = both.dims[i];
    }
    return true;
}

/* Operand K broadcast to TO, by the axes that the attribute names for that of lower rank. */
static tn_value broadcast_operand(shlo_call *c, uint32_t k, const shape *to, const int64_t *axes,
                                  uint32_t n)
{
    const tn_value x = shlo_in(c, k);
    const type *t = shlo_type_of(c, x);
    const tn_ints dims = {to->dims, to->rank};
    if (t && n == t->rank && n < to->rank)
        return tn_broadcast_axes(c->b, x, dims, (tn_ints){axes, n});
    return tn_broadcast(c->b, x, dims);
}

bool shlo_lower_chlo_broadcast(shlo_call *c)
{
    enum { MOST_OPERANDS = 3 };
    const size_t skip = strlen("chlo.broadcast_");
    const mir_text name = {c->op->name.at + skip, c->op->name.n - skip};
    const mir_row *row = shlo_row_named(c, "stablehlo", name);
    shlo_value before[MOST_OPERANDS];
    tn_value in[MOST_OPERANDS];
    int64_t axes[TN_MAX_RANK];
    uint32_t n;
    shape to;
    row = row ? row : shlo_row_named(c, "chlo", name);
    if (!row)
        return shlo_refuse(c, DIAG_UnknownOp, "this operation is not read");
    if (!result_shape(c, &to) || !shlo_axes(c, "broadcast_dimensions", to.rank, axes, &n))
        return false;
    for (uint32_t k = 0; k < c->op->n_in; k++) {
        before[k] = *shlo_value_of(c, k);
        in[k] = broadcast_operand(c, k, &to, axes, n);
        if (!tn_is_value(in[k]))
            return false;
    }
    for (uint32_t k = 0; k < c->op->n_in; k++)
        c->frame->values[c->op->in[k]->number] = (shlo_value){.v = in[k]};
    const bool ok = shlo_lower_as(c, row, &c->op->attrs);
    for (uint32_t k = 0; k < c->op->n_in; k++)
        c->frame->values[c->op->in[k]->number] = before[k];
    return ok;
}
