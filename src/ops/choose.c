/* Comparing, choosing and converting elements: compare, select, clamp, cast. */
#include <string.h>

#include "ops/cells.h"
#include "ops/flat.h"
#include "ops/rules.h"

/* Type rules. */

tn_status infer_compare(infer_call *call)
{
    const type *a = call->in[0], *b = call->in[1];
    const int64_t which = attr_int(call->attrs, KEY_DIRECTION, -1);
    shape s;
    if (which < DIR_LT || which > DIR_NE)
        return infer_reject(call, DIAG_InvalidAttribute, "'direction' must be a comparison");
    TN_TRY(rule_same_dtype(call, 0));
    if (dtype_is_complex(a->dtype) && which != DIR_EQ && which != DIR_NE)
        return infer_reject(call, DIAG_DTypeNotSupported,
                            "complex numbers have no order; '%s' takes only eq and ne for %s",
                            rule_op(call), dtype_name(a->dtype));
    TN_TRY(rule_broadcast(call, a->dims, a->rank, b->dims, b->rank, &s));
    return rule_result(call, TN_I1, &s);
}

tn_status infer_select(infer_call *call)
{
    const type *p = call->in[0], *a = call->in[1], *b = call->in[2];
    shape both, all;
    TN_TRY(rule_dtype(call, 0, ALLOW_BOOL));
    TN_TRY(rule_same_dtype(call, 1));
    TN_TRY(rule_broadcast(call, a->dims, a->rank, b->dims, b->rank, &both));
    TN_TRY(rule_broadcast(call, p->dims, p->rank, both.dims, both.rank, &all));
    return rule_result(call, a->dtype, &all);
}

tn_status infer_clamp(infer_call *call)
{
    const type *x = call->in[0], *low = call->in[1], *high = call->in[2];
    shape some, all;
    TN_TRY(rule_same_dtype(call, 0));
    TN_TRY(rule_same_dtype(call, 1));
    TN_TRY(rule_dtype(call, 0, ALLOW_REAL));
    TN_TRY(rule_broadcast(call, x->dims, x->rank, low->dims, low->rank, &some));
    TN_TRY(rule_broadcast(call, some.dims, some.rank, high->dims, high->rank, &all));
    return rule_result(call, x->dtype, &all);
}

tn_status infer_cast(infer_call *call)
{
    const int64_t to = attr_int(call->attrs, KEY_DTYPE, -1);
    const tn_dtype from = call->in[0]->dtype;
    if (to < 0 || to >= TN_DTYPE_COUNT)
        return infer_reject(call, DIAG_InvalidAttribute, "'dtype' must be an element type");
    if (!dtype_can_cast(from, (tn_dtype)to))
        return infer_reject(call, DIAG_DTypeNotSupported, "'%s' cannot convert %s to %s",
                            rule_op(call), dtype_name(from), dtype_name((tn_dtype)to));
    return infer_result(call, type_with_dtype(&call->module->types, call->in[0], (tn_dtype)to));
}

/* Kernels. */

#define COMPARE(type, op)                                                                          \
    do {                                                                                           \
        const type *x = args->in[0], *y = args->in[1];                                             \
        uint8_t *restrict out = args->out;                                                         \
        for (size_t i = 0; i < args->n; i++)                                                       \
            out[i] = x[i] op y[i];                                                                 \
    } while (0)
/* IEEE comparisons: all are false with NaN, except ne. */
#define DIRECTIONS(dtype, type)                                                                    \
    case dtype:                                                                                    \
        switch ((direction)args->mode) {                                                           \
        case DIR_LT:                                                                               \
            COMPARE(type, <);                                                                      \
            break;                                                                                 \
        case DIR_LE:                                                                               \
            COMPARE(type, <=);                                                                     \
            break;                                                                                 \
        case DIR_EQ:                                                                               \
            COMPARE(type, ==);                                                                     \
            break;                                                                                 \
        case DIR_GE:                                                                               \
            COMPARE(type, >=);                                                                     \
            break;                                                                                 \
        case DIR_GT:                                                                               \
            COMPARE(type, >);                                                                      \
            break;                                                                                 \
        case DIR_NE:                                                                               \
            COMPARE(type, !=);                                                                     \
            break;                                                                                 \
        }                                                                                          \
        break;
/* Equal when both parts are. */
#define COMPARE_COMPLEX(dtype, type)                                                               \
    case dtype: {                                                                                  \
        const type *x = args->in[0], *y = args->in[1];                                             \
        uint8_t *out = args->out;                                                                  \
        for (size_t i = 0; i < args->n; i++) {                                                     \
            const bool equal = x[2 * i] == y[2 * i] && x[2 * i + 1] == y[2 * i + 1];               \
            out[i] = equal == (args->mode == DIR_EQ);                                              \
        }                                                                                          \
        break;                                                                                     \
    }

bool flat_compare(const flat_args *args)
{
    switch ((int)args->dtype) {
        DIRECTIONS(TN_SI8, int8_t)
        DIRECTIONS(TN_UI8, uint8_t)
        DIRECTIONS(TN_SI16, int16_t)
        DIRECTIONS(TN_UI16, uint16_t)
        DIRECTIONS(TN_SI32, int32_t)
        DIRECTIONS(TN_UI32, uint32_t)
        DIRECTIONS(TN_SI64, int64_t)
        DIRECTIONS(TN_UI64, uint64_t)
        DIRECTIONS(TN_F32, float)
        DIRECTIONS(TN_F64, double)
        COMPARE_COMPLEX(TN_CF32, float)
        COMPARE_COMPLEX(TN_CF64, double)
    }
    return true;
}

/* Elements are moved as they are: what is not chosen never shows. */
#define SELECT(size)                                                                               \
    for (size_t i = 0; i < args->n; i++)                                                           \
        memcpy(out + i * (size), (p[i] ? a : b) + i * (size), (size));                             \
    break

bool flat_select(const flat_args *args)
{
    const uint8_t *p = args->in[0];
    const char *a = args->in[1], *b = args->in[2];
    char *restrict out = args->out;
    switch (args->mode) {
    case 1:
        SELECT(1);
    case 2:
        SELECT(2);
    case 4:
        SELECT(4);
    case 8:
        SELECT(8);
    default:
        SELECT(16);
    }
    return true;
}

bool flat_cast(const flat_args *args)
{
    return dtype_cast((tn_dtype)(args->mode >> 8), args->in[0], (tn_dtype)(args->mode & 255),
                      args->out, args->n);
}
