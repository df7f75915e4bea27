/* Writing a module as an ONNX model: what the functions that write operations share.
 *
 * A row of ops.def names the function that writes an op, put_X: it appends nodes and gives the
 * value that is the result. ONNX broadcasts operands of elementwise operators by itself. */
#ifndef DIALECT_ONNX_WRITE_WRITER_H
#define DIALECT_ONNX_WRITE_WRITER_H

#include "dialect/dialect.h"
#include "dialect/onnx/write/out.h"

typedef struct onnx_writer {
    onnx_new_model out;
    const module *m;
    const function *f; /* that is written now */
    onnx_id *ids;      /* by value of f */
    /* by expression of the module: a list of its one value, or ONNX_NOTHING; others were not asked
     */
    VECTOR(onnx_id) sizes;
    uint32_t depth; /* of regions */
    tn_status status;
} onnx_writer;

typedef bool onnx_takes_fn(const function *f, const node *n, char why[OBJECTION_SIZE]);
/* Writes N: its results are given to onnx_writer.ids. */
typedef void onnx_put_fn(onnx_writer *w, const node *n);

typedef struct onnx_row {
    const char *text; /* the operators, for documents; NULL: ONNX lacks the op */
    onnx_put_fn *put;
    onnx_takes_fn *takes; /* NULL: always */
    const char *op;       /* of plain operators */
    uint32_t direct;      /* of plain operators: the element types that they compute in */
} onnx_row;

const onnx_row *onnx_row_of(op_id op);

/* write.c */
void onnx_write_nodes(onnx_writer *w);
/* Report N, and write nothing at the end. */
void onnx_write_fault(onnx_writer *w, const node *n, diag_kind kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The numbers DIMS, at most 2 * TN_MAX_RANK, as a list, computed from the inputs where they are
 * sizes. */
onnx_id onnx_extents(onnx_writer *w, const node *n, const dim *dims, uint32_t rank);
/* One of them as a tensor of rank 0. */
onnx_id onnx_size(onnx_writer *w, const node *n, dim d);
/* A / B, rounded down, as sizes are divided. */
onnx_id onnx_floor_quotient(onnx_writer *w, onnx_id a, onnx_id b);
/* Write WHY and be false. */
bool onnx_objection(char why[OBJECTION_SIZE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline onnx_id onnx_operand(const onnx_writer *w, const node *n, uint32_t k)
{
    return w->ids[n->in[k]];
}
static inline const type *onnx_operand_type(const onnx_writer *w, const node *n, uint32_t k)
{
    return value_type(w->f, n->in[k]);
}
static inline const type *onnx_result_type(const onnx_writer *w, const node *n)
{
    return value_type(w->f, n->first_value);
}
static inline void onnx_result(onnx_writer *w, const node *n, onnx_id id)
{
    w->ids[n->first_value] = id;
}

/* Nodes whose result has the type of the first operand, in their order. */
static inline onnx_id onnx_1(onnx_writer *w, const char *op, onnx_id x)
{
    return onnx_make(&w->out, op, onnx_dtype_of_id(&w->out, x), &x, 1, NULL, 0);
}
static inline onnx_id onnx_2(onnx_writer *w, const char *op, onnx_id x, onnx_id y)
{
    const onnx_id in[] = {x, y};
    return onnx_make(&w->out, op, onnx_dtype_of_id(&w->out, x), in, 2, NULL, 0);
}
/* A comparison or a predicate; Y may be ONNX_NOTHING. */
onnx_id onnx_test(onnx_writer *w, const char *op, onnx_id x, onnx_id y);
onnx_id onnx_where(onnx_writer *w, onnx_id p, onnx_id x, onnx_id y);
/* OP, Max or Min, of two tensors. */
onnx_id onnx_extreme_of(onnx_writer *w, const char *op, onnx_id x, onnx_id y);
/* With one attribute. */
onnx_id onnx_with(onnx_writer *w, const char *op, onnx_id x, onnx_setting setting);

/* types.c: element types */
#define ONNX_BIT(d) (1U << (d))
#define ONNX_FLOAT_BITS (ONNX_BIT(TN_F16) | ONNX_BIT(TN_F32) | ONNX_BIT(TN_F64))
#define ONNX_COMMON_BITS (ONNX_FLOAT_BITS | ONNX_BIT(TN_SI32) | ONNX_BIT(TN_SI64))
/* The type in which values of D are computed when DIRECT are those that an operator computes in:
 * one that holds them all, and D itself where there is none. */
tn_dtype onnx_carrier(tn_dtype d, uint32_t direct);
/* The operator Cast alone: for values that TO can hold, and between floats. */
onnx_id onnx_cast_plain(onnx_writer *w, onnx_id x, tn_dtype to);
/* As `cast` converts. */
onnx_id onnx_cast(onnx_writer *w, onnx_id x, tn_dtype to);
/* X, computed in the carrier of D, as D: integers wrap, floats are rounded. */
onnx_id onnx_narrow(onnx_writer *w, onnx_id x, tn_dtype d);
/* Operand K in the carrier. */
onnx_id onnx_carried(onnx_writer *w, const node *n, uint32_t k, uint32_t direct);

/* move.c */
onnx_id onnx_reshape(onnx_writer *w, const node *n, onnx_id x, const dim *dims, uint32_t rank);
/* A transposition, or X itself where that changes nothing. */
onnx_id onnx_permute(onnx_writer *w, onnx_id x, const int64_t *perm, uint32_t rank);
onnx_id onnx_expand(onnx_writer *w, const node *n, onnx_id x, const dim *dims, uint32_t rank);
/* 0, 1, ... as a list of D. */
onnx_id onnx_numbers(onnx_writer *w, const node *n, dim extent, tn_dtype d);
/* 0, 1, ... along AXIS of T as elements of D, in a shape that broadcasts to T's. */
onnx_id onnx_counted(onnx_writer *w, const node *n, const type *t, uint32_t axis, tn_dtype d);

/* reduce.c: the least value of D, or the greatest. */
onnx_id onnx_end_of(onnx_writer *w, tn_dtype d, bool least);

/* fold.c: X, in the type that folds are computed in, with the updates of N, which scatters extremes
 * along AXIS. */
onnx_id onnx_scattered_extremes(onnx_writer *w, const node *n, onnx_id x, uint32_t axis);
/* What segments without rows are, for all of them. */
onnx_id onnx_least_rows(onnx_writer *w, const node *n);

/* The functions of the rows. */
#define PLAIN(op, name, direct)
#define WRITE(op, text, put, takes)                                                                \
    onnx_put_fn onnx_put_##put;                                                                    \
    onnx_takes_fn onnx_takes_##takes;
#include "dialect/onnx/write/ops.def"
onnx_put_fn onnx_put_plain;

#endif
