/* Lowering: composite ops become the primitives that they are, bit for bit, so that what makes
 * kernels knows only these. The column `lower` of ops.def names the functions. */
#ifndef PASS_LOWER_H
#define PASS_LOWER_H

#include "pass/expand.h"

typedef struct lower_call lower_call;
/* Rewrites one use of an op to primitives. */
typedef tn_status lower_fn(lower_call *call);

/* One use of a composite op. A lower_fn sets `result` to what stands for its result, or leaves it
 * when this use stays as it is (one of an empty tensor, say). */
struct lower_call {
    expand_call use;
    value_id result;
};

/* Does M have uses of composite ops? */
bool module_has_composites(const module *m);
/* Write them with primitives, in all functions. Generators keep their order, and functions their
 * numbers. M is static.
 *
 * keeps   types and bits of outputs, order
 * breaks  fusion hints; what lowered nodes were made of may be left without uses */
tn_status module_lower(module *m);

#endif
