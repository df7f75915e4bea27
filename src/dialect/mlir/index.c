/* Positions given by data or in the program: index, take, scatter_rows; and iota. Positions are not
 * checked: outside their tensor, the behaviour of the text is undefined. */
#include "dialect/mlir/linalg.h"

/* One element at a place that is known. */
static void put_index(mlir_text *w, const node *n)
{
    value_id v = n->first_value;
    operand in = operand_of(w, n->in[0]);
    tensor out = type_of_value(w, v);
    uint32_t rank;
    const int64_t *at = attr_ints(n->attrs, KEY_INDICES, &rank);
    for (uint32_t i = 0; i < rank; i++)
        line(w, "%%k%un%u = arith.constant %d : index", i, v, at[i]);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%%s%u = tensor.extract %s[", v, in.name);
    for (uint32_t i = 0; i < rank; i++)
        put(w, i ? ", %%k%un%u" : "%%k%un%u", i, v);
    put(w, "] : %t\n", &in.type);
    line(w, "%v = tensor.from_elements %%s%u : %t", v, v, &out);
}

/* Rows: a generic over the result, with the positions as input. */
static void put_take(mlir_text *w, const node *n)
{
    value_id v = n->first_value;
    operand in = operand_of(w, n->in[0]), positions = operand_of(w, n->in[1]);
    tensor out = type_of_value(w, v);
    operand e = put_empty(w, v, &out), r = operand_made("", v, &out);
    uint32_t first = positions.type.rank; /* the loop of the second axis of a row */
    map_identity(&positions);
    generic_open(w, r.name, &positions, 1, &e, out.rank, 0);
    line(w, "%%k = arith.index_cast %%x : %e to index", positions.type.dtype);
    for (uint32_t i = 1; i < in.type.rank; i++)
        line(w, "%%i%u = linalg.index %u : index", i, first + i - 1);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%%v = tensor.extract %s[%%k", in.name);
    for (uint32_t i = 1; i < in.type.rank; i++)
        put(w, ", %%i%u", i);
    put(w, "] : %t\n", &in.type);
    generic_close(w, "%v", &e);
}

/* `[%i0, %i1]`: the loops FROM up to TO, behind HEAD when there is one. */
static void put_places(mlir_text *w, const char *head, uint32_t from, uint32_t to)
{
    put(w, "[%s", head);
    for (uint32_t i = from; i < to; i++)
        put(w, "%s%%i%u", i > from || head[0] ? ", " : "", i);
    put(w, "]");
}

/* Loops over all elements of the rows, in order: each adds one. */
static void put_scatter_rows(mlir_text *w, const node *n)
{
    value_id v = n->first_value;
    operand g = operand_of(w, n->in[0]), positions = operand_of(w, n->in[1]);
    tensor out = type_of_value(w, v);
    tn_dtype d = out.dtype;
    operand all = put_filled(w, v, &out, zero_of(d));
    uint32_t n_loops = g.type.rank, n_places = positions.type.rank;
    if (n_loops == 0) { /* one loop around one element */
        n_loops = 1;
        g.type.dims[0] = 1;
    }
    line(w, "%%c%ua = arith.constant 0 : index", v);
    line(w, "%%c%ub = arith.constant 1 : index", v);
    for (uint32_t i = 0; i < n_loops; i++) {
        line(w, "%%n%un%u = arith.constant %d : index", i, v, g.type.dims[i]);
        text_fill(w->out, ' ', 2 * (size_t)w->depth);
        if (i == 0)
            put(w, "%v", v);
        else
            put(w, "%%t%u", i);
        put(w, " = scf.for %%i%u = %%c%ua to %%n%un%u step %%c%ub iter_args(%%a%u = ", i, v, i, v,
            v, i);
        if (i == 0)
            put(w, "%s", all.name);
        else
            put(w, "%%a%u", i - 1);
        put(w, ") -> (%t) {\n", &out);
        w->depth++;
    }
    uint32_t last = n_loops - 1;
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%%p = tensor.extract %s", positions.name);
    put_places(w, "", 0, n_places);
    put(w, " : %t\n", &positions.type);
    line(w, "%%k = arith.index_cast %%p : %e to index", positions.type.dtype);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%%x = tensor.extract %s", g.name);
    put_places(w, "", 0, g.type.rank);
    put(w, " : %t\n", &g.type);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%%y = tensor.extract %%a%u", last);
    put_places(w, "%k", n_places, g.type.rank);
    put(w, " : %t\n", &out);
    line(w, "%%s = %s %%y, %%x : %e", mlir_arith_name(OP_ADD, d), d);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%%r = tensor.insert %%s into %%a%u", last);
    put_places(w, "%k", n_places, g.type.rank);
    put(w, " : %t\n", &out);
    for (uint32_t i = n_loops; i-- > 0;) {
        if (i == last)
            line(w, "scf.yield %%r : %t", &out);
        else
            line(w, "scf.yield %%t%u : %t", i + 1, &out);
        w->depth--;
        line(w, "}");
    }
}

static void put_iota(mlir_text *w, const node *n)
{
    value_id v = n->first_value;
    tensor out = type_of_value(w, v);
    int64_t axis = attr_int(n->attrs, KEY_AXIS, 0);
    operand e = put_empty(w, v, &out), r = operand_made("", v, &out);
    bool is_float = dtype_is_float(out.dtype);
    generic_open(w, r.name, NULL, 0, &e, out.rank, 0);
    line(w, "%%i = linalg.index %d : index", axis < 0 ? axis + out.rank : axis);
    line(w, "%%k = arith.index_cast %%i : index to %e", is_float ? TN_SI64 : out.dtype);
    if (is_float)
        line(w, "%%x = arith.sitofp %%k : i64 to %e", out.dtype);
    generic_close(w, is_float ? "%x" : "%k", &e);
}

bool mlir_takes_index(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    tn_dtype d = value_type(f, n->first_value)->dtype;
    uint32_t rank = 0;
    const int64_t *at = n->op == OP_INDEX ? attr_ints(n->attrs, KEY_INDICES, &rank) : NULL;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t extent = value_type(f, n->in[0])->dims[i];
        if (at[i] < 0 || (!dim_is_symbolic(extent) && at[i] >= extent))
            return object(why, "position %lld lies outside axis %u, which has %lld",
                          (long long)at[i], i, (long long)extent);
    }
    if ((n->op == OP_SCATTER_ROWS || n->op == OP_IOTA) && (dtype_is_complex(d) || d == TN_I1))
        return object(why, "arith has no form of it for %s", dtype_name(d));
    return true;
}

void mlir_index(mlir_text *w, const node *n)
{
    if (n->op == OP_INDEX)
        put_index(w, n);
    else if (n->op == OP_TAKE)
        put_take(w, n);
    else if (n->op == OP_SCATTER_ROWS)
        put_scatter_rows(w, n);
    else
        put_iota(w, n);
}
