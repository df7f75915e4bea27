/* custom_call, and the registry it looks in. */
#include "eval/custom.h"

#include <inttypes.h>
#include <string.h>

#include "eval/kernels/kernels.h"
#include "ops/rules/rules.h"

void custom_registry_init(custom_registry *r, const tn_allocator *allocator)
{
    *r = (custom_registry){.allocator = allocator};
}

void custom_registry_release(custom_registry *r)
{
    VECTOR_RELEASE(r->allocator, &r->kernels);
}

bool custom_register(custom_registry *r, const custom_kernel *kernel)
{
    for (uint32_t i = 0; i < r->kernels.n; i++)
        if (strcmp(r->kernels.at[i].target, kernel->target) == 0) {
            r->kernels.at[i] = *kernel;
            return true;
        }
    return VECTOR_PUSH(r->allocator, &r->kernels, *kernel);
}

const custom_kernel *custom_find(const custom_registry *r, const char *target)
{
    for (uint32_t i = 0; r && i < r->kernels.n; i++)
        if (strcmp(r->kernels.at[i].target, target) == 0)
            return &r->kernels.at[i];
    return NULL;
}

const dict_entry *custom_attribute(const custom_use *use, const char *key)
{
    for (uint32_t i = 0; i < use->n_attrs; i++)
        if (strcmp(use->attrs[i].key, key) == 0)
            return &use->attrs[i];
    return NULL;
}

const char custom_no_memory[] = "out of memory";

static tn_status failed(const eval_call *call, diag_kind kind, const char *wrong)
{
    if (wrong == custom_no_memory)
        return eval_no_memory(call);
    const char *target = attr_string(call->attrs, KEY_TARGET);
    return eval_report_on(call, target, kind, "%s: %s", target, wrong);
}

/* What a kernel wrote comes from outside. */
static tn_status check_results(const eval_call *call, const char *target)
{
    for (uint32_t i = 0; i < call->n_out; i++) {
        const tensor *t = &call->out[i];
        if (!dtype_holds(t->type->dtype, t->data,
                         (size_t)t->type->count * dtype_bytes(t->type->dtype)))
            return eval_report_on(call, target, DIAG_InvalidValue,
                                  "%s: result %" PRIu32 " has values out of range: %s", target, i,
                                  dtype_range(t->type->dtype));
    }
    return TN_OK;
}

tn_status eval_custom_call(eval_call *call)
{
    const char *target = attr_string(call->attrs, KEY_TARGET);
    const custom_kernel *kernel = custom_find(call->run->custom, target);
    const attr *dict = attr_find(call->attrs, KEY_DICT);
    const custom_use use = {.in = call->in,
                            .n_in = call->n_in,
                            .out = call->out,
                            .n_out = call->n_out,
                            .attrs = dict ? dict->v.dict : NULL,
                            .n_attrs = dict ? dict->n : 0,
                            .scratch = call->scratch};
    if (!kernel)
        return eval_report_on(call, target, DIAG_NotImplemented,
                              "no kernel is registered for the custom call '%s'", target);
    const char *wrong = kernel->check ? kernel->check(kernel->user, &use) : NULL;
    if (wrong)
        return failed(call, DIAG_InvalidAttribute, wrong);
    wrong = kernel->run(kernel->user, &use);
    return wrong ? failed(call, DIAG_InvalidValue, wrong) : check_results(call, target);
}
