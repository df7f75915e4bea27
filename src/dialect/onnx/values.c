/* Known values: their storage, and arithmetic on their elements. */
#include "dialect/onnx/values.h"

#include <math.h>
#include <string.h>

#include "base/memory/checked.h"
#include "scalar/dtype.h"

onnx_known *onnx_known_new(arena *memory, tn_dtype dtype, const int64_t *dims, uint32_t rank)
{
    int64_t n;
    if (rank > TN_MAX_RANK || !onnx_keeps(dtype) || !product_i64(dims, rank, &n) || n < 0 ||
        n > ONNX_MOST_KNOWN)
        return NULL;
    onnx_known *k = ARENA_NEW(memory, onnx_known);
    if (!k)
        return NULL;
    k->dtype = dtype;
    k->rank = rank;
    if (rank)
        memcpy(k->dims, dims, rank * sizeof *dims);
    k->n = (uint32_t)n;
    k->at = ARENA_ARRAY(memory, onnx_number, (size_t)n);
    return k->at ? k : NULL;
}

onnx_known *onnx_known_shaped(arena *memory, const onnx_known *k, const int64_t *dims,
                              uint32_t rank)
{
    onnx_known *out = ARENA_NEW(memory, onnx_known);
    if (!out)
        return NULL;
    *out = *k;
    out->rank = rank;
    memcpy(out->dims, dims, rank * sizeof *dims);
    return out;
}

onnx_known *onnx_known_load(arena *memory, tn_dtype dtype, const int64_t *dims, uint32_t rank,
                            const void *data)
{
    onnx_known *k = onnx_known_new(memory, dtype, dims, rank);
    if (!k)
        return NULL;
    for (uint32_t i = 0; i < k->n; i++) {
        const scalar s = scalar_load(dtype, (const char *)data + i * dtype_bytes(dtype));
        if (dtype_is_float(dtype))
            k->at[i].f = s.f;
        else
            k->at[i].i = dtype_is_signed(dtype) ? s.i : (int64_t)s.u;
    }
    return k;
}

void onnx_known_store(const onnx_known *k, void *data)
{
    for (uint32_t i = 0; i < k->n; i++) {
        const scalar s =
            dtype_is_float(k->dtype) ? scalar_of_float(k->at[i].f) : scalar_of_int(k->at[i].i);
        (void)scalar_store(s, k->dtype, (char *)data + i * dtype_bytes(k->dtype));
    }
}

bool onnx_known_has_sizes(const onnx_known *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        if (k->at[i].is_size)
            return true;
    return false;
}

/* ---- arithmetic ---- */

static bool is_true(tn_dtype d, onnx_number x)
{
    return dtype_is_float(d) ? x.f != 0 : x.i != 0;
}

static onnx_number truth(bool b)
{
    return (onnx_number){.i = b};
}

static bool is_comparison(onnx_arithmetic how)
{
    return how >= ONNX_EQUAL && how <= ONNX_GREATER_OR_EQUAL;
}

/* Integers wrap as the elements of D do. */
static int64_t wrapped(tn_dtype d, uint64_t bits)
{
    const uint32_t shift = 64 - dtype_table[d].bits;
    if (d == TN_I1)
        return (int64_t)(bits & 1);
    bits <<= shift;
    return dtype_is_signed(d) ? (int64_t)bits >> shift : (int64_t)(bits >> shift);
}

static bool compare_order(onnx_arithmetic how, int order, onnx_number *out)
{
    *out = truth(how == ONNX_EQUAL           ? order == 0
                 : how == ONNX_LESS          ? order < 0
                 : how == ONNX_LESS_OR_EQUAL ? order <= 0
                 : how == ONNX_GREATER       ? order > 0
                                             : order >= 0);
    return true;
}

static bool binary_ints(onnx_arithmetic how, tn_dtype d, int64_t x, int64_t y, onnx_number *out)
{
    if (is_comparison(how))
        return compare_order(how, (x > y) - (x < y), out);
    switch ((int)how) {
    case ONNX_ADD:
        out->i = wrapped(d, (uint64_t)x + (uint64_t)y);
        return true;
    case ONNX_SUB:
        out->i = wrapped(d, (uint64_t)x - (uint64_t)y);
        return true;
    case ONNX_MUL:
        out->i = wrapped(d, (uint64_t)x * (uint64_t)y);
        return true;
    case ONNX_DIV:
        if (y == 0 || (x == INT64_MIN && y == -1))
            return false;
        out->i = wrapped(d, (uint64_t)(x / y));
        return true;
    case ONNX_MOD: /* with the sign of the divisor */
        if (y == 0 || y == -1)
            return false;
        out->i = x % y + (x % y != 0 && (x % y < 0) != (y < 0) ? y : 0);
        return true;
    case ONNX_MIN:
        out->i = x < y ? x : y;
        return true;
    case ONNX_MAX:
        out->i = x > y ? x : y;
        return true;
    case ONNX_AND:
        out->i = x != 0 && y != 0;
        return true;
    case ONNX_OR:
        out->i = x != 0 || y != 0;
        return true;
    default:
        return false;
    }
}

/* Rounded to the type; a sum, product or quotient of two f32 that is rounded to f64 first has the
 * same bits. */
static double rounded(tn_dtype d, double x)
{
    return d == TN_F32 ? (double)(float)x : x;
}

static bool binary_floats(onnx_arithmetic how, tn_dtype d, double x, double y, onnx_number *out)
{
    if (isnan(x) || isnan(y))
        return false;
    if (is_comparison(how))
        return compare_order(how, (x > y) - (x < y), out);
    switch ((int)how) {
    case ONNX_ADD:
        out->f = rounded(d, x + y);
        break;
    case ONNX_SUB:
        out->f = rounded(d, x - y);
        break;
    case ONNX_MUL:
        out->f = rounded(d, x * y);
        break;
    case ONNX_DIV:
        out->f = rounded(d, x / y);
        break;
    case ONNX_MIN:
    case ONNX_MAX:
        if (x == 0 && y == 0) /* of either sign */
            return false;
        out->f = (x < y) == (how == ONNX_MIN) ? x : y;
        break;
    default:
        return false;
    }
    return !isnan(out->f);
}

/* A size keeps its form whatever the type of the elements: floats stand for the same number, as
 * long as it is whole. */
static bool whole_of(tn_dtype d, onnx_number x, dim *out)
{
    if (x.is_size || !dtype_is_float(d)) {
        *out = x.i;
        return x.is_size || x.i > DIM_SYMBOLIC;
    }
    if (!(fabs(x.f) < (double)(1 << 30)) || x.f != trunc(x.f))
        return false;
    *out = (int64_t)x.f;
    return true;
}

static bool size_result(onnx_number *out, tn_dtype d, dim found)
{
    if (found == DIM_NO_MEMORY)
        return false;
    if (dim_is_symbolic(found) || !dtype_is_float(d))
        *out = onnx_number_of(found);
    else
        *out = (onnx_number){.f = (double)found};
    return true;
}

/* Comparisons of sizes: equal expressions are equal, and extents are never negative. */
static bool compare_sizes(onnx_arithmetic how, dim x, dim y, onnx_number *out)
{
    if (x == y)
        return compare_order(how, 0, out);
    const bool below = dim_is_symbolic(y) && !dim_is_symbolic(x) && x < 0;
    const bool above = dim_is_symbolic(x) && !dim_is_symbolic(y) && y < 0;
    return (below || above) && compare_order(how, below ? -1 : 1, out);
}

static bool is_plain_size(const type_table *types, dim d)
{
    return !dim_is_symbolic(d) || dim_expr_of(types, d)->op == DIM_SYM;
}

static bool binary_sizes(type_table *types, onnx_arithmetic how, tn_dtype d, onnx_number x,
                         onnx_number y, onnx_number *out)
{
    dim a, b, r = 0;
    if (!whole_of(d, x, &a) || !whole_of(d, y, &b))
        return false;
    if (is_comparison(how)) /* what is computed may be negative */
        return (a == b || (is_plain_size(types, a) && is_plain_size(types, b))) &&
               compare_sizes(how, a, b, out);
    switch ((int)how) {
    case ONNX_ADD:
        r = dim_combine(types, DIM_ADD, a, b);
        break;
    case ONNX_SUB:
        r = dim_combine(types, DIM_MUL, b, -1);
        r = r == DIM_NO_MEMORY ? r : dim_combine(types, DIM_ADD, a, r);
        break;
    case ONNX_MUL:
        r = dim_combine(types, DIM_MUL, a, b);
        break;
    case ONNX_DIV: /* rounds down, which is the same for what is not negative */
        if (b == 0 || (!dim_is_symbolic(b) && b < 0) || (dtype_is_float(d) && b != 1 && a != b))
            return false;
        r = dim_combine(types, DIM_FLOORDIV, a, b);
        break;
    case ONNX_MOD:
        if (b == 0 || (!dim_is_symbolic(b) && b < 0))
            return false;
        r = dim_combine(types, DIM_MOD, a, b);
        break;
    case ONNX_MIN:
    case ONNX_MAX:
        if (a != b)
            return false;
        r = a;
        break;
    default:
        return false;
    }
    return size_result(out, d, r);
}

bool onnx_number_binary(type_table *types, onnx_arithmetic how, tn_dtype d, onnx_number x,
                        onnx_number y, onnx_number *out)
{
    *out = (onnx_number){0};
    if (x.is_size || y.is_size)
        return binary_sizes(types, how, d, x, y, out);
    return dtype_is_float(d) ? binary_floats(how, d, x.f, y.f, out)
                             : binary_ints(how, d, x.i, y.i, out);
}

bool onnx_number_unary(type_table *types, onnx_arithmetic how, tn_dtype d, onnx_number x,
                       onnx_number *out)
{
    const bool is_float = dtype_is_float(d);
    *out = x;
    switch ((int)how) {
    case ONNX_NOT:
        *out = truth(!is_true(d, x));
        return !x.is_size;
    case ONNX_NEG:
        if (x.is_size)
            return size_result(out, d, dim_combine(types, DIM_MUL, x.i, -1));
        if (is_float)
            out->f = -x.f;
        else
            out->i = wrapped(d, -(uint64_t)x.i);
        return true;
    case ONNX_ABS:
        if (x.is_size)
            return is_plain_size(types, x.i);
        if (is_float)
            out->f = fabs(x.f);
        else
            out->i = x.i < 0 ? wrapped(d, -(uint64_t)x.i) : x.i;
        return true;
    case ONNX_FLOOR:
        out->f = x.is_size ? x.f : floor(x.f);
        return is_float;
    case ONNX_CEIL:
        out->f = x.is_size ? x.f : ceil(x.f);
        return is_float;
    case ONNX_ROUND:
        out->f = x.is_size ? x.f : rint(x.f);
        return is_float;
    case ONNX_SQRT:
        out->f = rounded(d, sqrt(x.f));
        return is_float && !x.is_size && x.f >= 0;
    default:
        return false;
    }
}

bool onnx_number_cast(tn_dtype from, onnx_number x, tn_dtype to, onnx_number *out)
{
    unsigned char bytes[sizeof(int64_t)];
    *out = x;
    if (!onnx_keeps(to))
        return false;
    if (x.is_size) /* as long as it is small enough, which sizes are */
        return to == TN_SI64 || to == TN_SI32 || dtype_is_float(to);
    if (dtype_is_int(from) && dtype_is_int(to)) {
        dtype_wrap(TN_SI64, &x.i, to, bytes, 1);
        const scalar low = scalar_load(to, bytes);
        out->i = dtype_is_signed(to) ? low.i : (int64_t)low.u;
        return true;
    }
    const scalar s = dtype_is_float(from) ? scalar_of_float(x.f) : scalar_of_int(x.i);
    if (!scalar_store(s, to, bytes))
        return false;
    const scalar r = scalar_load(to, bytes);
    if (dtype_is_float(to))
        out->f = r.f;
    else
        out->i = dtype_is_signed(to) ? r.i : (int64_t)r.u;
    return true;
}
