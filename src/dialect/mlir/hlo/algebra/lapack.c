/* The calls of LAPACK and BLAS that JAX writes for processors, as the operations that they stand
 * for: Cholesky's factors (potrf) and triangular systems (trsm). Their options are letters in
 * `mhlo.backend_config`, or, in texts before 2025, numbers that are operands. */
#include "dialect/mlir/hlo/algebra/lapack.h"
#include "dialect/mlir/hlo/lower.h"

/* ---- names ---- */

/* `lapack_spotrf_ffi`, `lapack_cpotrf` and so on: PREFIX, a letter for the element type, NAME. */
static bool is_called(mir_text target, const char *prefix, const char *name)
{
    const size_t before = strlen(prefix), n = strlen(name);
    return target.n == before + 1 + n && memcmp(target.at, prefix, before) == 0 &&
           memchr("sdcz", target.at[before], 4) && memcmp(target.at + before + 1, name, n) == 0;
}

/* ---- options ---- */

/* The letter of the option NAME; 0, refused: there is none. */
static int64_t letter_of(shlo_call *c, const char *name)
{
    const mir_attr *config = shlo_attr(c, "mhlo.backend_config");
    if (!config)
        config = shlo_attr(c, "backend_config");
    const mir_attr *a =
        config && config->kind == MIR_DICT ? mir_attr_named(&config->fields, name) : NULL;
    if (a && a->kind == MIR_INT && a->i)
        return a->i;
    (void)shlo_refuse(c, DIAG_InvalidAttribute, "the call has no option '%s'", name);
    return 0;
}

/* Operand K as a number that the text gives. */
static bool number_of(shlo_call *c, uint32_t k, int64_t *out)
{
    scalar s;
    if (!shlo_uniform(c, k, &s))
        return shlo_refuse(c, DIAG_NotImplemented, "operand %u is no constant", (unsigned)k);
    *out = s.i;
    return true;
}

/* ---- operations ---- */

/* The operation NAME of StableHLO with operands from FIRST on, N of them, as result 0 of C. */
static bool lower_operation(shlo_call *c, const char *name, uint32_t first, uint32_t n,
                            mir_field *given, uint32_t n_given)
{
    mir_op op = *c->op;
    shlo_call other = *c;
    const mir_fields list = {.at = given, .n = n_given};
    const mir_row *row = shlo_find_row(c->r, (mir_text){name, strlen(name)});
    op.in += first;
    op.n_in = n;
    op.n_out = 1;
    other.op = &op;
    return row && shlo_lower_as(&other, row, &list);
}

static mir_attr flag(bool holds)
{
    return (mir_attr){.kind = MIR_BOOL, .i = holds};
}

#define FIELD(name, value)                                                                         \
    {                                                                                              \
        {name, sizeof name - 1}, &(value)                                                          \
    }

/* Integers of type D: 0 where all pivots of the factor L, of type T, are positive, else the number
 * of the first that is not, from 1 on. */
static tn_value first_fault(shlo_call *c, tn_value l, const type *t, tn_dtype d)
{
    tn_builder *b = c->b;
    const uint32_t rank = t->rank;
    const int64_t n = t->dims[rank - 1];
    if (dtype_is_complex(t->dtype))
        l = tn_real(b, l);
    const tn_value row = tn_iota(b, d, TN_INTS(n, n), 0), column = tn_iota(b, d, TN_INTS(n, n), 1);
    const tn_value zero = tn_scalar_like(b, l, 0), none = tn_scalar_int(b, d, 0);
    const tn_value is_own = tn_compare(b, TN_EQ, row, column);
    const tn_value is_good = tn_compare(b, TN_GT, l, zero);
    const tn_value at_fault = tn_and(b, is_own, tn_not(b, is_good));
    const tn_value left = tn_sub(b, tn_scalar_int(b, d, n), column);
    const tn_value wide = tn_broadcast(b, left, shlo_dims(shlo_type_of(c, at_fault)));
    const tn_value score = tn_select(b, at_fault, wide, none);
    const tn_value most = tn_reduce(b, TN_REDUCE_MAX, score, TN_INTS(rank - 2, rank - 1), false,
                                    TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT, NULL);
    const tn_value is_none = tn_compare(b, TN_EQ, most, none);
    const tn_value number = tn_sub(b, tn_scalar_int(b, d, n + 1), most);
    return tn_select(b, is_none, none, number);
}

/* `(a) {uplo}`, or before 2025 `(lower, batch, n, a)`; the factor and where it failed. */
static bool lower_potrf(shlo_call *c, bool is_older)
{
    const uint32_t at = is_older ? 3 : 0;
    int64_t lower = 0;
    if (c->op->n_in != at + 1 || c->op->n_out != 2)
        return shlo_refuse(c, DIAG_ArityMismatch, "this is not what the call takes and gives");
    if (is_older ? !number_of(c, 0, &lower) : (lower = letter_of(c, "uplo")) == 0)
        return false;
    const mir_attr is_lower = flag(is_older ? lower != 0 : lower == 'L');
    mir_field given[] = {FIELD("lower", is_lower)};
    const type *t = shlo_in_type(c, at);
    const mir_type *info = shlo_out_type(c, 1);
    if (!t || !info || !shlo_are_matrices(c, t, true) ||
        !lower_operation(c, "stablehlo.cholesky", at, 1, given, 1))
        return false;
    if (!dtype_is_int(info->dtype))
        return shlo_refuse(c, DIAG_DTypeNotSupported, "its second result is an integer");
    const tn_value l = c->frame->values[c->op->out[0].number].v;
    return shlo_give(c, 1, first_fault(c, l, t, info->dtype));
}

/* `(a, b) {side, uplo, trans_x, diag}`, or before 2025 `(left, lower, trans, unit, m, n, batch,
 * alpha, a, b)`. Either may have the factor alpha, which is 1. */
static bool lower_trsm(shlo_call *c, bool is_older)
{
    int64_t left = 0, lower = 0, turned = 0, unit = 0;
    const uint32_t n_in = c->op->n_in, alpha = is_older ? 7 : 2, at = is_older ? 8 : 0;
    scalar factor;
    if ((is_older ? n_in != 10 : n_in != 2 && n_in != 3) || c->op->n_out != 1)
        return shlo_refuse(c, DIAG_ArityMismatch, "this is not what the call takes and gives");
    if (alpha < n_in && !(shlo_uniform(c, alpha, &factor) && factor.f == 1))
        return shlo_refuse(c, DIAG_NotImplemented, "its factor is not 1");
    if (is_older) {
        if (!number_of(c, 0, &left) || !number_of(c, 1, &lower) || !number_of(c, 2, &turned) ||
            !number_of(c, 3, &unit))
            return false;
    } else {
        if (!(left = letter_of(c, "side")) || !(lower = letter_of(c, "uplo")) ||
            !(turned = letter_of(c, "trans_x")) || !(unit = letter_of(c, "diag")))
            return false;
        left = left == 'L';
        lower = lower == 'L';
        turned = turned == 'T' ? 1 : turned == 'C' ? 2 : 0;
        unit = unit == 'U';
    }
    static const char *const words[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
    const char *word = words[turned == 1 || turned == 2 ? turned : 0];
    const mir_attr is_left = flag(left != 0), is_lower = flag(lower != 0),
                   is_unit = flag(unit != 0);
    const mir_attr transpose = {.kind = MIR_WORD, .text = {word, strlen(word)}};
    mir_field given[] = {FIELD("left_side", is_left), FIELD("lower", is_lower),
                         FIELD("unit_diagonal", is_unit), FIELD("transpose_a", transpose)};
    return lower_operation(c, "stablehlo.triangular_solve", at, 2, given, 4);
}

/* `(a) {mode, uplo}`. */
static bool lower_evd(shlo_call *c)
{
    int64_t uplo;
    if (c->op->n_in != 1 || c->op->n_out != 3)
        return shlo_refuse(c, DIAG_ArityMismatch, "this is not what the call takes and gives");
    return (uplo = letter_of(c, "uplo")) != 0 && shlo_lower_eigh(c, uplo == 'L');
}

/* `(a) {mode}`; what has the mode N has results for U and V', too. */
static bool lower_gesdd(shlo_call *c)
{
    if (c->op->n_in != 1 || c->op->n_out != 5)
        return shlo_refuse(c, DIAG_ArityMismatch, "this is not what the call takes and gives");
    return letter_of(c, "mode") != 0 && shlo_lower_svd(c);
}

bool shlo_lapack(shlo_call *c, mir_text target, bool *is_known)
{
    *is_known = true;
    if (is_called(target, "lapack_", "potrf_ffi"))
        return lower_potrf(c, false);
    if (is_called(target, "lapack_", "potrf"))
        return lower_potrf(c, true);
    if (is_called(target, "lapack_", "trsm_ffi") || is_called(target, "blas_", "trsm_ffi"))
        return lower_trsm(c, false);
    if (is_called(target, "blas_", "trsm"))
        return lower_trsm(c, true);
    if (is_called(target, "lapack_", "getrf_ffi"))
        return shlo_lower_getrf(c);
    if (is_called(target, "lapack_", "syevd_ffi") || is_called(target, "lapack_", "heevd_ffi"))
        return lower_evd(c);
    if (is_called(target, "lapack_", "gesdd_ffi"))
        return lower_gesdd(c);
    if (is_called(target, "lapack_", "geqrf_ffi"))
        return shlo_lower_geqrf(c);
    if (is_called(target, "lapack_", "orgqr_ffi") || is_called(target, "lapack_", "ungqr_ffi"))
        return shlo_lower_orgqr(c);
    *is_known = false;
    return false;
}
