/* canonicalize: the canonical form of MIND Core IR, as a fixed point of its steps. tidy: all but
 * folding, which takes weights out of reach.
 *
 * needs   verified types
 * keeps   types, every input and output, the bits of every result
 * breaks  nothing
 * source  MIND Core IR, "Canonicalisation"
 *
 * Folding can make constants dead and dropping them renumbers, which can change which operand has
 * the lower id; a second round settles that, because renumbering keeps the order of what stays.
 */
#include "pass/passes.h"

static tn_status settle(pass_context *cx, module *m, pass_fn *const *steps, size_t n)
{
    uint32_t before;
    do {
        before = cx->n_changed;
        for (size_t i = 0; i < n; i++)
            TN_TRY(steps[i](cx, m));
    } while (cx->n_changed != before);
    return TN_OK;
}

tn_status pass_tidy(pass_context *cx, module *m)
{
    static pass_fn *const steps[] = {pass_normalize, pass_dce, pass_inputs_first,
                                     pass_sort_operands};
    return settle(cx, m, steps, sizeof steps / sizeof steps[0]);
}

tn_status pass_canonicalize(pass_context *cx, module *m)
{
    static pass_fn *const steps[] = {pass_tidy, pass_fold};
    return settle(cx, m, steps, sizeof steps / sizeof steps[0]);
}
