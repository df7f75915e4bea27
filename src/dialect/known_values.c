/* Known values: their storage, and arithmetic on their elements. */
#include "dialect/known_values.h"

#include <math.h>
#include <string.h>

#include "base/memory/checked.h"
#include "scalar/dtype.h"

known_value *known_new(arena *memory, tn_dtype dtype, const int64_t *dims, uint32_t rank)
{
    int64_t n;
    if (rank > TN_MAX_RANK || !known_keeps(dtype) || !product_i64(dims, rank, &n) || n < 0 ||
        n > KNOWN_MOST)
        return NULL;
    known_value *k = ARENA_NEW(memory, known_value);
    if (!k)
        return NULL;
    k->dtype = dtype;
    k->rank = rank;
    if (rank)
        memcpy(k->dims, dims, rank * sizeof *dims);
    k->n = (uint32_t)n;
    k->at = ARENA_ARRAY(memory, known_number, (size_t)n);
    return k->at ? k : NULL;
}

known_value *known_shaped(arena *memory, const known_value *k, const int64_t *dims, uint32_t rank)
{
    known_value *out = ARENA_NEW(memory, known_value);
    if (!out)
        return NULL;
    *out = *k;
    out->rank = rank;
    if (rank)
        memcpy(out->dims, dims, rank * sizeof *dims);
    return out;
}

known_value *known_load(arena *memory, tn_dtype dtype, const int64_t *dims, uint32_t rank,
                        const void *data)
{
    known_value *k = known_new(memory, dtype, dims, rank);
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

void known_store(const known_value *k, void *data)
{
    for (uint32_t i = 0; i < k->n; i++) {
        const scalar s =
            dtype_is_float(k->dtype) ? scalar_of_float(k->at[i].f) : scalar_of_int(k->at[i].i);
        (void)scalar_store(s, k->dtype, (char *)data + i * dtype_bytes(k->dtype));
    }
}

bool known_has_sizes(const known_value *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        if (k->at[i].is_size)
            return true;
    return false;
}

/* ---- arithmetic ---- */

static bool is_true(tn_dtype d, known_number x)
{
    return dtype_is_float(d) ? x.f != 0 : x.i != 0;
}

static known_number truth(bool b)
{
    return (known_number){.i = b};
}

static bool is_comparison(known_arithmetic how)
{
    return how >= KNOWN_EQUAL && how <= KNOWN_GREATER_OR_EQUAL;
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

static bool compare_order(known_arithmetic how, int order, known_number *out)
{
    *out = truth(how == KNOWN_EQUAL           ? order == 0
                 : how == KNOWN_NOT_EQUAL     ? order != 0
                 : how == KNOWN_LESS          ? order < 0
                 : how == KNOWN_LESS_OR_EQUAL ? order <= 0
                 : how == KNOWN_GREATER       ? order > 0
                                              : order >= 0);
    return true;
}

static bool binary_ints(known_arithmetic how, tn_dtype d, int64_t x, int64_t y, known_number *out)
{
    if (is_comparison(how))
        return compare_order(how, (x > y) - (x < y), out);
    switch ((int)how) {
    case KNOWN_ADD:
        out->i = wrapped(d, (uint64_t)x + (uint64_t)y);
        return true;
    case KNOWN_SUB:
        out->i = wrapped(d, (uint64_t)x - (uint64_t)y);
        return true;
    case KNOWN_MUL:
        out->i = wrapped(d, (uint64_t)x * (uint64_t)y);
        return true;
    case KNOWN_DIV:
        if (y == 0 || (x == INT64_MIN && y == -1))
            return false;
        out->i = wrapped(d, (uint64_t)(x / y));
        return true;
    case KNOWN_MOD: /* with the sign of the divisor */
        if (y == 0 || y == -1)
            return false;
        out->i = x % y + (x % y != 0 && (x % y < 0) != (y < 0) ? y : 0);
        return true;
    case KNOWN_REM:
        if (y == 0 || y == -1)
            return false;
        out->i = x % y;
        return true;
    case KNOWN_MIN:
        out->i = x < y ? x : y;
        return true;
    case KNOWN_MAX:
        out->i = x > y ? x : y;
        return true;
    case KNOWN_AND:
        out->i = x != 0 && y != 0;
        return true;
    case KNOWN_OR:
        out->i = x != 0 || y != 0;
        return true;
    default:
        return false;
    }
}

/* Rounded to the type; a sum, product or quotient of two f32 that is rounded to f64 first has the
 * same bits. Narrower floats are computed in f32. */
static double rounded(tn_dtype d, double x)
{
    unsigned char bits[sizeof(double)];
    if (d == TN_F64)
        return x;
    (void)scalar_store(scalar_of_float((double)(float)x), d, bits);
    return scalar_load(d, bits).f;
}

static bool binary_floats(known_arithmetic how, tn_dtype d, double x, double y, known_number *out)
{
    if (isnan(x) || isnan(y))
        return false;
    if (is_comparison(how))
        return compare_order(how, (x > y) - (x < y), out);
    switch ((int)how) {
    case KNOWN_ADD:
        out->f = rounded(d, x + y);
        break;
    case KNOWN_SUB:
        out->f = rounded(d, x - y);
        break;
    case KNOWN_MUL:
        out->f = rounded(d, x * y);
        break;
    case KNOWN_DIV:
        out->f = rounded(d, x / y);
        break;
    case KNOWN_MIN:
    case KNOWN_MAX:
        if (x == 0 && y == 0) /* of either sign */
            return false;
        out->f = (x < y) == (how == KNOWN_MIN) ? x : y;
        break;
    default:
        return false;
    }
    return !isnan(out->f);
}

/* A size keeps its form whatever the type of the elements: floats stand for the same number, as
 * long as it is whole. */
static bool whole_of(tn_dtype d, known_number x, dim *out)
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

static bool size_result(known_number *out, tn_dtype d, dim found)
{
    if (found == DIM_NO_MEMORY)
        return false;
    if (dim_is_symbolic(found) || !dtype_is_float(d))
        *out = known_number_of(found);
    else
        *out = (known_number){.f = (double)found};
    return true;
}

/* ---- bounds of sizes ---- */

enum { NO_BOUND = INT32_MIN };

/* A number that D is not below; NO_BOUND where none is found. DEPTH: how far to look. */
static int64_t least_of(const known_room *room, dim d, int depth)
{
    if (!dim_is_symbolic(d))
        return d > NO_BOUND && d < INT32_MAX ? d : NO_BOUND;
    const dim_expr *e = dim_expr_of(room->types, d);
    if (e->op == DIM_SYM)
        return room->least;
    if (depth == 0)
        return NO_BOUND;
    const int64_t a = least_of(room, e->a, depth - 1), b = least_of(room, e->b, depth - 1);
    const bool positive = a >= 0 && b >= 0;
    int64_t r = NO_BOUND;
    if (e->op == DIM_ADD && a != NO_BOUND && b != NO_BOUND)
        r = a + b;
    else if (e->op == DIM_MUL && positive)
        r = a * b;
    else if (e->op == DIM_FLOORDIV && a >= 0 && !dim_is_symbolic(e->b) && e->b > 0)
        r = a / e->b;
    else if (e->op == DIM_MOD && b > 0)
        r = 0;
    return r < NO_BOUND ? NO_BOUND : r > INT32_MAX ? INT32_MAX : r;
}

enum { LOOK_INTO = 16 }; /* expressions in each other, for bounds */

static bool is_at_least(const known_room *room, dim d, int64_t low)
{
    return least_of(room, d, LOOK_INTO) >= low;
}

static dim minus(type_table *types, dim a, dim b)
{
    const dim r = dim_combine(types, DIM_MUL, b, -1);
    return r == DIM_NO_MEMORY ? r : dim_combine(types, DIM_ADD, a, r);
}

/* By the bounds of what lies between them. */
static bool compare_sizes(const known_room *room, known_arithmetic how, dim x, dim y,
                          known_number *out)
{
    const dim up = minus(room->types, x, y), down = minus(room->types, y, x);
    if (up == DIM_NO_MEMORY || down == DIM_NO_MEMORY)
        return false;
    const int64_t above = least_of(room, up, LOOK_INTO), below = least_of(room, down, LOOK_INTO);
    if (above > 0 || below > 0 || (above == 0 && below == 0))
        return compare_order(how, above > 0 ? 1 : below > 0 ? -1 : 0, out);
    *out = truth(how == KNOWN_GREATER_OR_EQUAL || how == KNOWN_LESS_OR_EQUAL);
    if (above == 0 && (how == KNOWN_GREATER_OR_EQUAL || how == KNOWN_LESS))
        return true;
    return below == 0 && (how == KNOWN_LESS_OR_EQUAL || how == KNOWN_GREATER);
}

/* The same for known numbers X and Y, whose whole values are A and B. An extent is greater than any
 * negative number. */
static bool compare_known(const known_room *room, known_arithmetic how, known_number x,
                          known_number y, dim a, dim b, known_number *out)
{
    if (x.is_extent && !y.is_size && b < 0)
        return compare_order(how, 1, out);
    if (y.is_extent && !x.is_size && a < 0)
        return compare_order(how, -1, out);
    return compare_sizes(room, how, a, b, out);
}

/* Divisions of sizes round down, which is the same as toward zero for what is not negative. */
static bool binary_sizes(const known_room *room, known_arithmetic how, tn_dtype d, known_number x,
                         known_number y, known_number *out)
{
    type_table *types = room->types;
    known_number order;
    dim a, b, r = 0;
    if (!whole_of(d, x, &a) || !whole_of(d, y, &b))
        return false;
    if (is_comparison(how))
        return compare_known(room, how, x, y, a, b, out);
    switch ((int)how) {
    case KNOWN_ADD:
        r = dim_combine(types, DIM_ADD, a, b);
        break;
    case KNOWN_SUB:
        r = minus(types, a, b);
        break;
    case KNOWN_MUL:
        r = dim_combine(types, DIM_MUL, a, b);
        break;
    case KNOWN_DIV:
        if (b == 0 || (!dim_is_symbolic(b) && b < 0) || (dtype_is_float(d) && b != 1 && a != b))
            return false;
        r = dim_combine(types, DIM_FLOORDIV, a, b);
        break;
    case KNOWN_MOD:
    case KNOWN_REM:
        if (b == 0 || (!dim_is_symbolic(b) && b < 0))
            return false;
        r = dim_combine(types, DIM_MOD, a, b);
        break;
    case KNOWN_MIN:
    case KNOWN_MAX:
        if (!compare_sizes(room, KNOWN_GREATER_OR_EQUAL, a, b, &order))
            return false;
        r = order.i == (how == KNOWN_MAX) ? a : b;
        break;
    default:
        return false;
    }
    return size_result(out, d, r);
}

bool known_number_binary(const known_room *room, known_arithmetic how, tn_dtype d, known_number x,
                         known_number y, known_number *out)
{
    *out = (known_number){0};
    if (x.is_size || y.is_size)
        return binary_sizes(room, how, d, x, y, out);
    return dtype_is_float(d) ? binary_floats(how, d, x.f, y.f, out)
                             : binary_ints(how, d, x.i, y.i, out);
}

bool known_number_unary(const known_room *room, known_arithmetic how, tn_dtype d, known_number x,
                        known_number *out)
{
    const bool is_float = dtype_is_float(d);
    *out = x;
    switch ((int)how) {
    case KNOWN_NOT:
        *out = truth(!is_true(d, x));
        return !x.is_size;
    case KNOWN_NEG:
        if (x.is_size)
            return size_result(out, d, dim_combine(room->types, DIM_MUL, x.i, -1));
        if (is_float)
            out->f = -x.f;
        else
            out->i = wrapped(d, -(uint64_t)x.i);
        return true;
    case KNOWN_SIGN:
        if (x.is_size ? !is_at_least(room, x.i, 1) : is_float)
            return false;
        *out = (known_number){.i = x.is_size ? 1 : (x.i > 0) - (x.i < 0)};
        return !is_float;
    case KNOWN_ABS:
        if (x.is_size)
            return x.is_extent || is_at_least(room, x.i, 0);
        if (is_float)
            out->f = fabs(x.f);
        else
            out->i = x.i < 0 ? wrapped(d, -(uint64_t)x.i) : x.i;
        return true;
    case KNOWN_FLOOR:
        out->f = x.is_size ? x.f : floor(x.f);
        return is_float;
    case KNOWN_CEIL:
        out->f = x.is_size ? x.f : ceil(x.f);
        return is_float;
    case KNOWN_ROUND:
        out->f = x.is_size ? x.f : rint(x.f);
        return is_float;
    case KNOWN_SQRT:
        out->f = rounded(d, sqrt(x.f));
        return is_float && !x.is_size && x.f >= 0;
    default:
        return false;
    }
}

bool known_number_cast(tn_dtype from, known_number x, tn_dtype to, known_number *out)
{
    unsigned char bytes[sizeof(int64_t)];
    *out = x;
    if (!known_keeps(to))
        return false;
    if (x.is_size) /* as long as it is small enough, which sizes are */
        return to == TN_SI64 || to == TN_SI32 || to == TN_F32 || to == TN_F64;
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
