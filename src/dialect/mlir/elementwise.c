/* Elementwise ops as arith and math: on whole tensors where one op says it and shapes agree, else
 * inside a linalg.generic that broadcasts. */
#include <math.h>

#include "dialect/mlir/linalg.h"

/* The one op for floats, signed and unsigned integers; NULL: there is none. */
typedef struct arith_row {
    const char *on_float, *on_signed, *on_unsigned;
} arith_row;

static const arith_row *arith_row_of(op_id op)
{
    static const arith_row rows[OP_COUNT] = {
#define ARITH(op, text, on_float, on_signed, on_unsigned, hlo, put, takes)                         \
    [OP_##op] = {on_float, on_signed, on_unsigned},
#include "dialect/mlir/ops.def"
    };
    return &rows[op];
}

const char *mlir_arith_name(op_id op, tn_dtype d)
{
    const arith_row *row = arith_row_of(op);
    return dtype_is_float(d)                              ? row->on_float
           : dtype_is_signed(d)                           ? row->on_signed
           : dtype_is_complex(d)                          ? NULL
           : dtype_is_unsigned(d)                         ? row->on_unsigned
           : op == OP_ADD || op == OP_SUB || op == OP_MUL ? NULL /* arithmetic has no i1 */
                                                          : row->on_unsigned;
}

/* ---- the scalar forms: from %x, %y, %z to %r ---- */

static void local_constant(mlir_text *w, const char *name, tn_dtype d, scalar value)
{
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%%%s = arith.constant ", name);
    put_number(w, d, value);
    if (d == TN_I1)
        put(w, "\n");
    else
        put(w, " : %e\n", d);
}

static scalar one_of(tn_dtype d)
{
    scalar one = scalar_of_int(1), out = one;
    (void)scalar_cast(one, d, &out);
    return out;
}

/* Toward zero; 0 where the divisor is 0 and, without overflow, the negative where it is -1. */
static void integer_division(mlir_text *w, tn_dtype d)
{
    bool is_signed = dtype_is_signed(d);
    local_constant(w, "zero", d, zero_of(d));
    local_constant(w, "one", d, one_of(d));
    line(w, "%%none = arith.cmpi eq, %%y, %%zero : %e", d);
    if (!is_signed) {
        line(w, "%%safe = arith.select %%none, %%one, %%y : %e", d);
        line(w, "%%q = arith.divui %%x, %%safe : %e", d);
        line(w, "%%r = arith.select %%none, %%zero, %%q : %e", d);
        return;
    }
    local_constant(w, "less", d, scalar_of_int(-1));
    line(w, "%%minus = arith.cmpi eq, %%y, %%less : %e", d);
    line(w, "%%odd = arith.ori %%none, %%minus : i1");
    line(w, "%%safe = arith.select %%odd, %%one, %%y : %e", d);
    line(w, "%%q = arith.divsi %%x, %%safe : %e", d);
    line(w, "%%n = arith.subi %%zero, %%x : %e", d);
    line(w, "%%m = arith.select %%minus, %%n, %%q : %e", d);
    line(w, "%%r = arith.select %%none, %%zero, %%m : %e", d);
}

/* A number wins over NaN, or NaN over numbers; of two zeros the one that the op prefers. */
static void float_extremum(mlir_text *w, op_id op, tn_dtype d)
{
    const bool is_max = op == OP_MAXIMUM || op == OP_MAXIMUM_NAN;
    const char *const deciding = op == OP_MAXIMUM || op == OP_MINIMUM ? "y" : "x";
    line(w, "%%first = arith.cmpf %s, %%x, %%y : %e", is_max ? "ogt" : "olt", d);
    line(w, "%%lone = arith.cmpf uno, %%%s, %%%s : %e", deciding, deciding, d);
    line(w, "%%take = arith.ori %%first, %%lone : i1");
    line(w, "%%m = arith.select %%take, %%x, %%y : %e", d);
    local_constant(w, "zero", d, zero_of(d));
    line(w, "%%xz = arith.cmpf oeq, %%x, %%zero : %e", d);
    line(w, "%%yz = arith.cmpf oeq, %%y, %%zero : %e", d);
    line(w, "%%zeros = arith.andi %%xz, %%yz : i1");
    if (is_max) { /* 0 + -0 is 0 */
        line(w, "%%sum = arith.addf %%x, %%y : %e", d);
    } else { /* -(-x + -y): -0 unless both are 0 */
        line(w, "%%nx = arith.negf %%x : %e", d);
        line(w, "%%ny = arith.negf %%y : %e", d);
        line(w, "%%ns = arith.addf %%nx, %%ny : %e", d);
        line(w, "%%sum = arith.negf %%ns : %e", d);
    }
    line(w, "%%r = arith.select %%zeros, %%sum, %%m : %e", d);
}

static void comparison(mlir_text *w, const node *n, tn_dtype d)
{
    static const char *const floats[] = {"olt", "ole", "oeq", "oge", "ogt", "une"};
    static const char *const ints[] = {"slt", "sle", "eq", "sge", "sgt", "ne"};
    static const char *const naturals[] = {"ult", "ule", "eq", "uge", "ugt", "ne"};
    int64_t k = attr_int(n->attrs, KEY_DIRECTION, 0);
    bool is_float = dtype_is_float(d);
    const char *how = is_float ? floats[k] : dtype_is_signed(d) ? ints[k] : naturals[k];
    line(w, "%%r = arith.cmp%s %s, %%x, %%y : %e", is_float ? "f" : "i", how, d);
}

/* The op that converts exactly or with one rounding; NULL when none does, because the conversion
 * saturates. To i1 a comparison does it. */
static const char *conversion_name(tn_dtype from, tn_dtype to)
{
    uint32_t bits = dtype_table[from].bits, wanted = dtype_table[to].bits;
    bool from_float = dtype_is_float(from), to_float = dtype_is_float(to);
    if (from_float && to_float)
        return bits < wanted ? "extf" : bits > wanted ? "truncf" : NULL;
    if (from_float)
        return NULL;
    if (to_float)
        return dtype_is_signed(from) ? "sitofp" : "uitofp";
    if (bits >= wanted)
        return NULL;
    if (dtype_is_signed(from))
        return dtype_is_signed(to) ? "extsi" : NULL;
    return "extui";
}

/* The low bits, or more of them; NULL where all bits stay. */
static const char *wrapping_name(tn_dtype from, tn_dtype to)
{
    const uint32_t bits = dtype_table[from].bits, wanted = dtype_table[to].bits;
    return bits > wanted           ? "trunci"
           : bits == wanted        ? NULL
           : dtype_is_signed(from) ? "extsi"
                                   : "extui";
}

static void conversion(mlir_text *w, tn_dtype from, tn_dtype to)
{
    if (to == TN_I1) {
        local_constant(w, "zero", from, zero_of(from));
        line(w, "%%r = arith.%s, %%x, %%zero : %e", dtype_is_float(from) ? "cmpf une" : "cmpi ne",
             from);
    } else {
        line(w, "%%r = arith.%s %%x : %e to %e", conversion_name(from, to), from, to);
    }
}

/* arith leaves open what a shift by the width or more gives. */
static void shift(mlir_text *w, op_id op, tn_dtype d)
{
    const int64_t bits = dtype_table[d].bits;
    local_constant(w, "width", d, scalar_of_int(bits));
    line(w, "%%p = arith.cmpi ult, %%y, %%width : %e", d);
    if (op == OP_SHIFT_RIGHT_ARITHMETIC) {
        local_constant(w, "most", d, scalar_of_int(bits - 1));
        line(w, "%%b = arith.select %%p, %%y, %%most : %e", d);
        line(w, "%%r = arith.shrsi %%x, %%b : %e", d);
        return;
    }
    local_constant(w, "zero", d, zero_of(d));
    line(w, "%%s = arith.%s %%x, %%y : %e", op == OP_SHIFT_LEFT ? "shli" : "shrui", d);
    line(w, "%%r = arith.select %%p, %%s, %%zero : %e", d);
}

static void against_infinity(mlir_text *w, const char *how, tn_dtype d)
{
    local_constant(w, "top", d, scalar_of_float((double)INFINITY));
    line(w, "%%a = math.absf %%x : %e", d);
    line(w, "%%r = arith.cmpf %s, %%a, %%top : %e", how, d);
}

static void scalar_form(mlir_text *w, const node *n, tn_dtype d, tn_dtype result)
{
    const char *name = mlir_arith_name((op_id)n->op, d);
    switch (n->op) {
    case OP_RELU: /* not a maximum: NaN gives 0 */
    case OP_RELU_GRAD:
        local_constant(w, "zero", d, zero_of(d));
        line(w, "%%p = arith.cmpf ogt, %%%s, %%zero : %e", n->op == OP_RELU ? "x" : "y", d);
        line(w, "%%r = arith.select %%p, %%x, %%zero : %e", d);
        return;
    case OP_NEG:
        if (dtype_is_float(d))
            break;
        local_constant(w, "zero", d, zero_of(d));
        line(w, "%%r = arith.subi %%zero, %%x : %e", d);
        return;
    case OP_SIGN: /* zeros and NaN stay */
        local_constant(w, "zero", d, zero_of(d));
        local_constant(w, "one", d, one_of(d));
        line(w, "%%p = arith.cmpf one, %%x, %%zero : %e", d);
        line(w, "%%u = math.copysign %%one, %%x : %e", d);
        line(w, "%%r = arith.select %%p, %%u, %%x : %e", d);
        return;
    case OP_SHIFT_LEFT:
    case OP_SHIFT_RIGHT_LOGICAL:
    case OP_SHIFT_RIGHT_ARITHMETIC:
        shift(w, (op_id)n->op, d);
        return;
    case OP_IS_NAN:
        line(w, "%%r = arith.cmpf uno, %%x, %%x : %e", d);
        return;
    case OP_IS_INF:
        against_infinity(w, "oeq", d);
        return;
    case OP_IS_FINITE:
        against_infinity(w, "olt", d);
        return;
    case OP_RECIPROCAL:
        local_constant(w, "one", d, one_of(d));
        line(w, "%%r = arith.divf %%one, %%x : %e", d);
        return;
    case OP_NOT:
        local_constant(w, "ones", d,
                       d == TN_I1           ? scalar_of_bool(true)
                       : dtype_is_signed(d) ? scalar_of_int(-1)
                                            : scalar_of_uint(dtype_int_max(d)));
        line(w, "%%r = arith.xori %%x, %%ones : %e", d);
        return;
    case OP_DIV:
        if (dtype_is_int(d)) {
            integer_division(w, d);
            return;
        }
        break;
    case OP_MAXIMUM:
    case OP_MINIMUM:
        if (dtype_is_float(d)) {
            float_extremum(w, (op_id)n->op, d);
            return;
        }
        break;
    case OP_BITCAST:
        line(w, "%%r = arith.bitcast %%x : %e to %e", d, result);
        return;
    case OP_MAXIMUM_NAN:
    case OP_MINIMUM_NAN:
        float_extremum(w, (op_id)n->op, d);
        return;
    case OP_COMPARE:
        comparison(w, n, d);
        return;
    case OP_CAST:
        conversion(w, d, result);
        return;
    case OP_WRAP:
        line(w, "%%r = arith.%s %%x : %e to %e", wrapping_name(d, result), d, result);
        return;
    default:
        break;
    }
    if (n->n_in == 1)
        line(w, "%%r = %s %%x : %e", name, d);
    else if (n->n_in == 2)
        line(w, "%%r = %s %%x, %%y : %e", name, d);
    else
        line(w, "%%r = %s %%x, %%y, %%z : %e", name, result);
}

/* ---- on tensors ---- */

/* Is one op all that N is? */
static bool is_one_op(const node *n, tn_dtype d)
{
    if (dtype_is_float(d) ? n->op == OP_MAXIMUM || n->op == OP_MINIMUM : n->op == OP_DIV)
        return false;
    return mlir_arith_name((op_id)n->op, n->op == OP_SELECT ? TN_F32 : d) != NULL;
}

static void whole_tensors(mlir_text *w, const node *n, const tensor *out)
{
    const char *name = mlir_arith_name((op_id)n->op, n->op == OP_SELECT ? TN_F32 : out->dtype);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%v = %s ", n->first_value, name);
    for (uint32_t k = 0; k < n->n_in; k++)
        put(w, "%s%v", k ? ", " : "", n->in[k]);
    if (n->op == OP_SELECT) {
        tensor chosen = type_of_value(w, n->in[0]);
        put(w, " : %t, %t\n", &chosen, out);
    } else {
        put(w, " : %t\n", out);
    }
}

static bool is_known(const node *n, tn_dtype d)
{
    switch (n->op) {
    case OP_RELU:
    case OP_RELU_GRAD:
    case OP_RECIPROCAL:
    case OP_SIGN:
    case OP_SHIFT_LEFT:
    case OP_SHIFT_RIGHT_LOGICAL:
    case OP_SHIFT_RIGHT_ARITHMETIC:
    case OP_IS_NAN:
    case OP_IS_INF:
    case OP_IS_FINITE:
    case OP_NOT:
    case OP_COMPARE:
    case OP_SELECT:
    case OP_DIV:
    case OP_WRAP:
    case OP_BITCAST:
    case OP_MAXIMUM_NAN:
    case OP_MINIMUM_NAN:
        return true;
    case OP_NEG:
    case OP_MAXIMUM:
    case OP_MINIMUM:
        return d != TN_I1;
    default:
        return mlir_arith_name((op_id)n->op, d) != NULL;
    }
}

/* Is the result the operand, under another name? */
static bool is_alias(const node *n, tn_dtype from, tn_dtype to)
{
    return n->op == OP_STOP_GRADIENT || (n->op == OP_CAST && from == to) ||
           (n->op == OP_WRAP && !wrapping_name(from, to)) ||
           (n->op == OP_BITCAST && dtype_is_int(from) && dtype_is_int(to));
}

/* Of operand and result that set the form. */
static tn_dtype dtype_of_form(const function *f, const node *n)
{
    return value_type(f, n->in[n->n_in > 2 ? 1 : 0])->dtype;
}

bool mlir_takes_elementwise(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    tn_dtype d = dtype_of_form(f, n), out = value_type(f, n->first_value)->dtype;
    if (is_alias(n, d, out))
        return true;
    if (n->op == OP_CAST && !dtype_is_complex(d) && !dtype_is_complex(out))
        return out == TN_I1 || conversion_name(d, out) ||
               object(why, "a conversion from %s to %s saturates, and arith has none that does",
                      dtype_name(d), dtype_name(out));
    if (dtype_is_complex(d) || dtype_is_complex(out) || !is_known(n, d))
        return object(why, "arith and math have no form of it for %s", dtype_name(d));
    if (n->op == OP_DIV && dtype_is_int(d) &&
        attr_int(n->attrs, KEY_ON_ZERO, ON_ZERO_ERROR) == ON_ZERO_ERROR)
        return object(why, "arith has no integer division that fails on a divisor of 0");
    return true;
}

void mlir_elementwise(mlir_text *w, const node *n)
{
    tensor out = type_of_value(w, n->first_value);
    operand in[3];
    bool is_equal = true;
    tn_dtype d = dtype_of_form(w->f, n);
    if (is_alias(n, d, out.dtype)) {
        name_as(w, n->first_value, n->in[0]);
        return;
    }
    for (uint32_t k = 0; k < n->n_in; k++) {
        in[k] = operand_of(w, n->in[k]);
        tensor shaped = type_like(&in[k].type, out.dtype);
        is_equal = is_equal && types_equal(&shaped, &out);
        map_broadcast(&in[k], out.dims, out.rank);
    }
    if (is_equal && is_one_op(n, d)) {
        whole_tensors(w, n, &out);
        return;
    }
    operand e = put_empty(w, n->first_value, &out), r = operand_made("", n->first_value, &out);
    generic_open(w, r.name, in, n->n_in, &e, out.rank, 0);
    scalar_form(w, n, d, out.dtype);
    generic_close(w, "%r", &e);
}
