/* Movement: reshapes, transposes, slices and pads as ops of tensor, the rest as a linalg.generic
 * that copies. */
#include "dialect/mlir/linalg.h"

#include <stdio.h>

#include "ops/shape.h"

/* A generic that yields its one input. */
static void put_copy(mlir_text *w, const node *n, const operand *in, const tensor *out)
{
    operand e = put_empty(w, n->first_value, out), r = operand_made("", n->first_value, out);
    generic_open(w, r.name, in, 1, &e, out->rank, 0);
    generic_close(w, "%x", &e);
}

/* ---- shapes ---- */

static void put_changed_axes(mlir_text *w, const node *n, const operand *in, const tensor *out)
{
    uint32_t n_axes;
    axis_list list;
    const int64_t *axes = attr_ints(n->attrs, KEY_AXES, &n_axes);
    if (n->op == OP_EXPAND_DIMS) {
        (void)resolve_expand_dims(axes, n_axes, in->type.rank, &list);
        put_new_axes(w, n->first_value, in, out, list.mask);
    } else {
        (void)resolve_squeeze(axes, n_axes, in->type.dims, in->type.rank, &list);
        put_fewer_axes(w, n->first_value, in, out, list.mask);
    }
}

static void put_transposed(mlir_text *w, const node *n, const operand *in, const tensor *out)
{
    uint32_t rank;
    const int64_t *perm = attr_ints(n->attrs, KEY_PERM, &rank);
    operand e = put_empty(w, n->first_value, out);
    line(w, "%v = linalg.transpose ins(%s : %t) outs(%s : %t) permutation = %l", n->first_value,
         in->name, &in->type, e.name, out, perm, rank);
}

static void put_broadcast(mlir_text *w, const node *n, operand *in, const tensor *out)
{
    uint32_t map[TN_MAX_RANK];
    int64_t axes[TN_MAX_RANK];
    shape s;
    const type *t = value_type(w->f, n->in[0]);
    (void)resolve_broadcast(n->attrs, t, &s, map);
    for (uint32_t i = 0; i < t->rank; i++)
        axes[i] = t->dims[i] == 1 && out->dims[map[i]] != 1 ? -1 : (int64_t)map[i];
    map_axes(in, axes);
    put_copy(w, n, in, out);
}

static void put_tiles(mlir_text *w, const node *n, operand *in, const tensor *out)
{
    in->map[0] = '\0';
    for (uint32_t i = 0; i < in->type.rank; i++)
        map_add(in, in->type.dims[i] == out->dims[i] ? "d%u" : "d%u mod %lld", i,
                (long long)in->type.dims[i]);
    put_copy(w, n, in, out);
}

/* ---- slices ---- */

/* RESULT[i, j] = IN[first + i * step, ...]: for steps below 0, which tensor.extract_slice lacks. */
static void put_walk(mlir_text *w, value_id v, const char *result, const operand *in,
                     const tensor *out, const slice_range *r)
{
    operand e = put_empty(w, v, out);
    generic_open(w, result, NULL, 0, &e, out->rank, 0);
    for (uint32_t i = 0; i < out->rank; i++) {
        line(w, "%%i%u = linalg.index %u : index", i, i);
        line(w, "%%a%u = arith.constant %d : index", i, r[i].start);
        line(w, "%%b%u = arith.constant %d : index", i, r[i].step);
        line(w, "%%g%u = arith.muli %%i%u, %%b%u : index", i, i, i);
        line(w, "%%h%u = arith.addi %%g%u, %%a%u : index", i, i, i);
    }
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%%x = tensor.extract %s[", in->name);
    for (uint32_t i = 0; i < out->rank; i++)
        put(w, i ? ", %%h%u" : "%%h%u", i);
    put(w, "] : %t\n", &in->type);
    generic_close(w, "%x", &e);
}

/* The ranges of a slice, or of a reverse. */
static void find_ranges(const node *n, const tensor *in, slice_range *r)
{
    uint32_t n_axes;
    shape out;
    axis_list list;
    const int64_t *axes = attr_ints(n->attrs, KEY_AXES, &n_axes);
    if (n->op != OP_REVERSE) {
        (void)resolve_slices(n->attrs, in->dims, in->rank, r, &out);
        return;
    }
    (void)resolve_axes(axes, n_axes, in->rank, &list);
    for (uint32_t i = 0; i < in->rank; i++) {
        bool reverses = list.mask >> i & 1;
        r[i] = (slice_range){reverses ? in->dims[i] - 1 : 0, reverses ? -1 : 1, in->dims[i]};
    }
}

/* Offsets, sizes and steps as the brackets of tensor.extract_slice. */
static void put_ranges(mlir_text *w, const slice_range *r, uint32_t rank)
{
    int64_t starts[TN_MAX_RANK], counts[TN_MAX_RANK], steps[TN_MAX_RANK];
    for (uint32_t i = 0; i < rank; i++) {
        starts[i] = r[i].start;
        counts[i] = r[i].count;
        steps[i] = r[i].step;
    }
    put(w, "%l %l %l", starts, rank, counts, rank, steps, rank);
}

static void put_slice(mlir_text *w, const node *n, const operand *in, const tensor *out)
{
    slice_range r[TN_MAX_RANK];
    bool is_forward = true;
    find_ranges(n, &in->type, r);
    for (uint32_t i = 0; i < in->type.rank; i++)
        is_forward = is_forward && r[i].step > 0;
    if (!is_forward) {
        operand result = operand_made("", n->first_value, out);
        put_walk(w, n->first_value, result.name, in, out, r);
        return;
    }
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%v = tensor.extract_slice %s", n->first_value, in->name);
    put_ranges(w, r, in->type.rank);
    put(w, " : %t to %t\n", &in->type, out);
}

static void put_inserted(mlir_text *w, const char *result, const operand *in, const operand *into,
                         const slice_range *r)
{
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%s = tensor.insert_slice %s into %s", result, in->name, into->name);
    put_ranges(w, r, into->type.rank);
    put(w, " : %t into %t\n", &in->type, &into->type);
}

/* Into zeros; a range that goes backwards is reversed first. */
static void put_slice_grad(mlir_text *w, const node *n, const operand *in, const tensor *out)
{
    value_id v = n->first_value;
    slice_range r[TN_MAX_RANK], reversed_range[TN_MAX_RANK];
    bool reverses = false;
    operand from = *in, result = operand_made("", v, out);
    find_ranges(n, out, r);
    for (uint32_t i = 0; i < out->rank; i++) {
        bool is_back = r[i].step < 0;
        reversed_range[i] =
            (slice_range){is_back ? r[i].count - 1 : 0, is_back ? -1 : 1, r[i].count};
        reverses = reverses || is_back;
        if (is_back && r[i].count > 0)
            r[i].start += (r[i].count - 1) * r[i].step;
        if (is_back)
            r[i].step = -r[i].step;
    }
    put_scalar_constant(w, "z", v, out->dtype, zero_of(out->dtype));
    operand all = operand_made("f", v, out);
    line(w, "%%c%u = tensor.empty() : %t", v, out);
    line(w, "%s = linalg.fill ins(%%z%u : %e) outs(%%c%u : %t) -> %t", all.name, v, out->dtype, v,
         out, out);
    if (reverses) {
        from = operand_made("r", v, &in->type);
        put_walk(w, v, from.name, in, &in->type, reversed_range);
    }
    put_inserted(w, result.name, &from, &all, r);
}

static void put_pad(mlir_text *w, const node *n, const operand *in, const tensor *out)
{
    uint32_t rank;
    const int64_t *low = attr_ints(n->attrs, KEY_LOW, &rank);
    const int64_t *interior = attr_ints(n->attrs, KEY_INTERIOR, &rank);
    const attr *value = attr_find(n->attrs, KEY_PAD_VALUE);
    slice_range r[TN_MAX_RANK];
    scalar with = zero_of(out->dtype);
    for (uint32_t i = 0; i < rank; i++)
        r[i] = (slice_range){low[i], interior[i] + 1, in->type.dims[i]};
    if (value)
        (void)scalar_cast(*value->v.scalar, out->dtype, &with);
    operand all = put_filled(w, n->first_value, out, with);
    operand result = operand_made("", n->first_value, out);
    put_inserted(w, result.name, in, &all, r);
}

static void put_concat(mlir_text *w, const node *n, const tensor *out)
{
    value_id v = n->first_value;
    int64_t axis = attr_int(n->attrs, KEY_AXIS, 0);
    slice_range r[TN_MAX_RANK];
    operand last = put_empty(w, v, out);
    axis += axis < 0 ? out->rank : 0;
    for (uint32_t i = 0; i < out->rank; i++)
        r[i] = (slice_range){0, 1, out->dims[i]};
    for (uint32_t k = 0; k < n->n_in; k++) {
        operand in = operand_of(w, n->in[k]), next = operand_made("", v, out);
        r[axis].count = in.type.dims[axis];
        if (k + 1 < n->n_in)
            (void)snprintf(next.name, sizeof next.name, "%%r%un%u", k, v);
        put_inserted(w, next.name, &in, &last, r);
        r[axis].start += r[axis].count;
        last = next;
    }
}

bool mlir_takes_move(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    uint32_t rank;
    const int64_t *low = attr_ints(n->attrs, KEY_LOW, &rank);
    const int64_t *high = attr_ints(n->attrs, KEY_HIGH, &rank);
    (void)f;
    for (uint32_t i = 0; n->op == OP_PAD && i < rank; i++)
        if (low[i] < 0 || high[i] < 0)
            return object(why, "padding that cuts elements off is a slice first");
    return true;
}

void mlir_move(mlir_text *w, const node *n)
{
    operand in = operand_of(w, n->in[0]);
    tensor out = type_of_value(w, n->first_value);
    if (types_equal(&in.type, &out) &&
        (n->op == OP_RESHAPE || (n->op == OP_TRANSPOSE && out.rank < 2) ||
         n->op == OP_EXPAND_DIMS || n->op == OP_SQUEEZE || n->op == OP_BROADCAST)) {
        name_as(w, n->first_value, n->in[0]);
        return;
    }
    switch (n->op) {
    case OP_RESHAPE:
        put_reshape(w, n->first_value, &in, &out);
        return;
    case OP_EXPAND_DIMS:
    case OP_SQUEEZE:
        put_changed_axes(w, n, &in, &out);
        return;
    case OP_TRANSPOSE:
        put_transposed(w, n, &in, &out);
        return;
    case OP_BROADCAST:
        put_broadcast(w, n, &in, &out);
        return;
    case OP_TILE:
        put_tiles(w, n, &in, &out);
        return;
    case OP_SLICE:
    case OP_REVERSE:
        put_slice(w, n, &in, &out);
        return;
    case OP_SLICE_GRAD:
        put_slice_grad(w, n, &in, &out);
        return;
    case OP_PAD:
        put_pad(w, n, &in, &out);
        return;
    default: /* OP_CONCAT */
        put_concat(w, n, &out);
    }
}
