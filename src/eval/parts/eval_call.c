/* How a reference kernel reports, and asks whether it may go on. */

#include "eval/parts/eval_call.h"

#include <inttypes.h>
#include <stdio.h>

__attribute__((format(printf, 4, 0))) static tn_status
report(const eval_call *call, const char *op, diag_kind kind, const char *format, va_list args)
{
    if (call->run->quiet)
        return diag_kind_status(kind);
    return node_vreport(call->function, call->node, &call->run->cx->diag, op, kind, format, args);
}

tn_status eval_report(const eval_call *call, diag_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tn_status s = report(call, op_table[call->node->op].text, kind, format, args);
    va_end(args);
    return s;
}

tn_status eval_report_on(const eval_call *call, const char *op, diag_kind kind, const char *format,
                         ...)
{
    va_list args;
    va_start(args, format);
    tn_status s = report(call, op, kind, format, args);
    va_end(args);
    return s;
}

tn_status eval_on_time(const eval_call *call)
{
    const eval_run *run = call->run;
    if (run->cancel && run->cancel(run->cancel_user))
        return eval_report(call, DIAG_Cancelled, "the run was cancelled at '%s'",
                           op_table[call->node->op].text);
    if (run->deadline == 0 || clock_now() < run->deadline)
        return TN_OK;
    return eval_report(
        call, DIAG_Timeout, "the time limit of %" PRIu64 ".%09" PRIu64 " s was reached at '%s'",
        run->time_limit / 1000000000, run->time_limit % 1000000000, op_table[call->node->op].text);
}

tn_status eval_no_memory(const eval_call *call)
{
    char shape[512];
    if (call->n_out == 0)
        return eval_report(call, DIAG_AllocationFailure, "no memory left on backend cpu");
    eval_shape_text(call->out->type, shape, sizeof shape);
    return eval_report(call, DIAG_AllocationFailure,
                       "no memory left to compute %s%s on backend cpu",
                       dtype_name(call->out->type->dtype), shape);
}

void eval_shape_text(const type *t, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "[");
    for (uint32_t i = 0; i < t->rank && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%" PRId64, i ? ", " : "", t->dims[i]);
    if (n < size)
        (void)snprintf(text + n, size - n, "]");
}
