/* Kernels for custom calls. */
#include "api/api.h"
#include "base/context/options.h"
#include "compile/compiled.h"
#include "eval/custom_set.h"

tn_status tn_context_register_custom(tn_context *cx, const tn_custom_kernel *kernel)
{
    tn_custom_kernel own;
    if (OPTIONS_READ(&cx->diag, tn_custom_kernel, user, &own, kernel) != TN_OK)
        return context_done(cx, TN_ERR_USAGE);
    if (!own.target || !own.run)
        return context_done(cx, diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                            "a kernel for custom calls needs a target and 'run'"));
    if (!custom_set_add(&cx->custom, &cx->allocator, &own))
        return context_done(cx, diag_no_memory(&cx->diag));
    return TN_OK;
}
