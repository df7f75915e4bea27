/* Lowering: composite ops become primitives with the same bits, so that planning knows only
 * primitives. The column `lower` of ops.def names the functions. */
#ifndef PASS_CONVERSIONS_LOWER_H
#define PASS_CONVERSIONS_LOWER_H

#include "pass/expand/expand.h"

typedef struct lower_call lower_call;
/* Rewrites one use of an op to primitives. */
typedef tn_status lower_fn(lower_call *call);

/* One use of a composite op. A lower_fn sets `result` to the replacement of its result, or leaves
 * it when this use stays (for example with an empty tensor). */
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
