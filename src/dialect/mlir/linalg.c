/* linalg.generic and what surrounds it: operands, maps, destinations. */
#include "dialect/mlir/linalg.h"

#include <stdio.h>

/* ---- operands ---- */

void map_add(operand *o, const char *format, ...)
{
    size_t at = strlen(o->map);
    if (at && at + 3 < MAP_TEXT) {
        memcpy(o->map + at, ", ", 3);
        at += 2;
    }
    va_list args;
    va_start(args, format);
    (void)vsnprintf(o->map + at, MAP_TEXT - at, format, args);
    va_end(args);
}

void map_axes(operand *o, const int64_t *axes)
{
    o->map[0] = '\0';
    for (uint32_t i = 0; i < o->type.rank; i++)
        if (axes[i] < 0)
            map_add(o, "0");
        else
            map_add(o, "d%d", (int)axes[i]);
}

void map_identity(operand *o)
{
    int64_t axes[TN_MAX_RANK];
    for (uint32_t i = 0; i < o->type.rank; i++)
        axes[i] = i;
    map_axes(o, axes);
}

void map_broadcast(operand *o, const int64_t *loops, uint32_t n_loops)
{
    int64_t axes[TN_MAX_RANK];
    uint32_t shift = n_loops - o->type.rank;
    for (uint32_t i = 0; i < o->type.rank; i++)
        axes[i] = o->type.dims[i] == 1 && loops[i + shift] != 1 ? -1 : (int64_t)i + shift;
    map_axes(o, axes);
}

operand operand_made(const char *prefix, value_id v, const tensor *t)
{
    operand o = {.type = *t};
    (void)snprintf(o.name, sizeof o.name, "%%%s%u", prefix, v);
    map_identity(&o);
    return o;
}

operand operand_of(const mlir_text *w, value_id v)
{
    tensor t = type_of_value(w, v);
    return operand_made("", w->names[v].number, &t);
}

/* ---- destinations ---- */

operand put_empty(mlir_text *w, value_id v, const tensor *t)
{
    operand o = operand_made("e", v, t);
    line(w, "%s = tensor.empty() : %t", o.name, t);
    return o;
}

scalar zero_of(tn_dtype d)
{
    scalar zero = scalar_of_int(0), out = zero;
    (void)scalar_cast(zero, d, &out);
    return out;
}

void put_scalar_constant(mlir_text *w, const char *prefix, value_id v, tn_dtype d, scalar value)
{
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    if (dtype_is_complex(d)) {
        tn_dtype part = dtype_table[d].part;
        (void)scalar_cast(value, d, &value);
        put(w, "%%%s%u = complex.constant [", prefix, v);
        put_number(w, part, scalar_of_float(value.f));
        put(w, " : %e, ", part);
        put_number(w, part, scalar_of_float(value.im));
        put(w, " : %e] : %e\n", part, d);
        return;
    }
    put(w, "%%%s%u = arith.constant ", prefix, v);
    put_number(w, d, value);
    if (d != TN_I1)
        put(w, " : %e", d);
    text_putc(w->out, '\n');
}

operand put_filled(mlir_text *w, value_id v, const tensor *t, scalar value)
{
    operand o = operand_made("f", v, t);
    put_scalar_constant(w, "z", v, t->dtype, value);
    operand e = put_empty(w, v, t);
    line(w, "%s = linalg.fill ins(%%z%u : %e) outs(%s : %t) -> %t", o.name, v, t->dtype, e.name, t,
         t);
    return o;
}

/* ---- linalg.generic ---- */

static void put_map(mlir_text *w, const operand *o, uint32_t n_loops)
{
    put(w, "affine_map<(");
    for (uint32_t i = 0; i < n_loops; i++)
        put(w, i ? ", d%u" : "d%u", i);
    put(w, ") -> (%s)>", o->map);
}

void generic_open(mlir_text *w, const char *result, const operand *in, uint32_t n_in,
                  const operand *out, uint32_t n_loops, uint32_t reduced)
{
    static const char *const names[] = {"x", "y", "z"};
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%s = linalg.generic {indexing_maps = [", result);
    for (uint32_t i = 0; i < n_in; i++) {
        put_map(w, &in[i], n_loops);
        put(w, ", ");
    }
    put_map(w, out, n_loops);
    put(w, "], iterator_types = [");
    for (uint32_t i = 0; i < n_loops; i++)
        put(w, "%s\"%s\"", i ? ", " : "", reduced >> i & 1 ? "reduction" : "parallel");
    put(w, "]}");
    for (uint32_t i = 0; i < n_in; i++)
        put(w, "%s%s", i ? ", " : " ins(", in[i].name);
    for (uint32_t i = 0; i < n_in; i++)
        put(w, "%s%t", i ? ", " : " : ", &in[i].type);
    put(w, "%s outs(%s : %t) {\n", n_in ? ")" : "", out->name, &out->type);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "^bb0(");
    for (uint32_t i = 0; i < n_in; i++)
        put(w, "%%%s: %e, ", names[i], in[i].type.dtype);
    put(w, "%%o: %e):\n", out->type.dtype);
    w->depth++;
}

void generic_close(mlir_text *w, const char *yielded, const operand *out)
{
    line(w, "linalg.yield %s : %e", yielded, out->type.dtype);
    w->depth--;
    line(w, "} -> %t", &out->type);
}

void put_products(mlir_text *w, const char *result, const operand *a, const operand *b,
                  const operand *out, uint32_t n_loops, uint32_t reduced)
{
    tn_dtype d = out->type.dtype;
    operand in[2] = {*a, *b};
    generic_open(w, result, in, 2, out, n_loops, reduced);
    line(w, "%%p = %s %%x, %%y : %e", mlir_arith_name(OP_MUL, d), d);
    line(w, "%%s = %s %%o, %%p : %e", mlir_arith_name(OP_ADD, d), d);
    generic_close(w, "%s", out);
}

/* ---- reshapes ---- */

/* `[[0, 1, 2]]`, or `[]` for rank 0: all axes in one group. */
static void put_one_group(mlir_text *w, uint32_t rank)
{
    put(w, rank ? "[[" : "[");
    for (uint32_t i = 0; i < rank; i++)
        put(w, i ? ", %u" : "%u", i);
    put(w, rank ? "]]" : "]");
}

static void put_regrouped(mlir_text *w, const char *result, const char *how, const operand *from,
                          const tensor *to, uint32_t rank)
{
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%s = tensor.%s %s ", result, how, from->name);
    put_one_group(w, rank);
    put(w, " : %t into %t\n", &from->type, to);
}

void put_reshape(mlir_text *w, value_id v, const operand *from, const tensor *to)
{
    operand last = *from, result = operand_made("", v, to);
    int64_t count = 1;
    for (uint32_t i = 0; i < to->rank; i++)
        count *= to->dims[i];
    tensor flat = type_made(to->dtype, &count, 1);
    if (from->type.rank != 1) {
        bool is_last = to->rank == 1;
        operand c = operand_made("c", v, &flat);
        bool expands = from->type.rank == 0;
        put_regrouped(w, is_last ? result.name : c.name,
                      expands ? "expand_shape" : "collapse_shape", from, &flat,
                      expands ? 0 : from->type.rank);
        if (is_last)
            return;
        last = c;
    }
    bool collapses = to->rank == 0;
    put_regrouped(w, result.name, collapses ? "collapse_shape" : "expand_shape", &last, to,
                  collapses ? 0 : to->rank);
}

/* The axes of a tensor of rank RANK in groups with one axis outside MASK each. */
static void put_groups(mlir_text *w, uint32_t rank, uint32_t mask)
{
    bool has_one = false;
    put(w, "[");
    for (uint32_t i = 0; i < rank && mask != (uint32_t)((UINT64_C(1) << rank) - 1); i++) {
        bool is_new = mask >> i & 1;
        bool opens = i == 0 || (!is_new && has_one);
        put(w, opens ? (i ? "], [%u" : "[%u") : ", %u", i);
        has_one = has_one || !is_new;
        if (i + 1 == rank)
            put(w, "]");
    }
    put(w, "]");
}

void put_new_axes(mlir_text *w, value_id v, const operand *from, const tensor *to, uint32_t mask)
{
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%v = tensor.expand_shape %s ", v, from->name);
    put_groups(w, to->rank, mask);
    put(w, " : %t into %t\n", &from->type, to);
}

void put_fewer_axes(mlir_text *w, value_id v, const operand *from, const tensor *to, uint32_t mask)
{
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%v = tensor.collapse_shape %s ", v, from->name);
    put_groups(w, from->type.rank, mask);
    put(w, " : %t into %t\n", &from->type, to);
}
