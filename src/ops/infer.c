/* Checking one application of an op against the op table, and rejecting it. */
#include "ops/infer.h"
#include "base/text/text.h"

#include <inttypes.h>
#include <stdio.h>

const char *infer_dims_text(const infer_call *call, const dim *dims, uint32_t rank)
{
    return dims_text(&call->module->cx->diag.text, &call->module->types, dims, rank);
}

/* What a rule finds wrong with extents that come from the sizes given to symbols. */
static diag_kind kind_when_binding(diag_kind kind)
{
    switch ((int)kind) {
    case DIAG_BroadcastMismatch:
    case DIAG_ShapeMismatch:
    case DIAG_DimensionMismatch:
    case DIAG_ElementCountMismatch:
    case DIAG_SqueezeExtent:
    case DIAG_ChannelMismatch:
    case DIAG_RegionSignature:
        return DIAG_DimensionBinding;
    default:
        return kind;
    }
}

tn_status infer_reject(const infer_call *call, diag_kind kind, const char *format, ...)
{
    module *m = call->module;
    diag_channel *d = &m->cx->diag;
    va_list args;
    const use_site site = {call->function, call->op, call->place, &m->types, call->in, call->n_in};
    source from = m->source;
    from.about = &site;
    d->op = op_table[call->op].text;
    const char *refusal = d->refusal; /* a rule fails because of this, whatever it makes of it */
    d->refusal = NULL;
    va_start(args, format);
    tn_status s = refusal ? diag_report(d, d->refused, &from, call->at, "%s", refusal)
                          : diag_vreport(d, call->binding ? kind_when_binding(kind) : kind, &from,
                                         call->at, format, args);
    va_end(args);
    char number[16];
    (void)snprintf(number, sizeof number, "%%%" PRIu32, call->number);
    diag_node(d, call->name ? call->name : number);
    for (uint32_t i = 0; i < call->n_in && i < 4 && !from.says_operands; i++)
        diag_note(d, NULL, NO_SPAN, "operand %" PRIu32 " is %s", i,
                  type_text(&d->text, &m->types, call->in[i]));
    return s;
}

tn_status infer_result(infer_call *call, const type *result)
{
    if (!result)
        return module_no_memory(call->module);
    if (result->count == TYPE_COUNT_HUGE)
        return infer_reject(call, DIAG_InvalidDimension,
                            "the result %s has more elements than can be counted",
                            infer_dims_text(call, result->dims, result->rank));
    *call->out = result;
    return TN_OK;
}

/* Report all that are missing: one at a time would take a run for each. */
static tn_status missing_attributes(const infer_call *call, const op_info *op)
{
    char names[256];
    size_t n = 0, used = 0;
    for (uint32_t i = 0; i < op->n_attrs; i++) {
        const attr_key key = op->attrs[i].key;
        if (!op->attrs[i].required || attr_find(call->attrs, key) || used >= sizeof names)
            continue;
        used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", n ? ", " : "",
                                 attr_keys[key].name);
        n++;
    }
    return infer_reject(call, DIAG_MissingAttribute, "'%s' needs the attribute%s %s", op->text,
                        plural(n), names);
}

static tn_status check_attributes(const infer_call *call, const op_info *op)
{
    uint32_t matched = 0;
    for (uint32_t i = 0; i < op->n_attrs; i++) {
        if (attr_find(call->attrs, op->attrs[i].key))
            matched++;
        else if (op->attrs[i].required)
            return missing_attributes(call, op);
    }
    if (matched == call->attrs->n)
        return TN_OK;
    for (uint32_t i = 0; i < call->attrs->n; i++) {
        bool known = false;
        for (uint32_t k = 0; k < op->n_attrs; k++)
            known = known || op->attrs[k].key == call->attrs->at[i].key;
        if (!known)
            return infer_reject(call, DIAG_InvalidAttribute, "'%s' has no attribute '%s'", op->text,
                                attr_keys[call->attrs->at[i].key].name);
    }
    return TN_OK;
}

static tn_status reject_count(const infer_call *call, const op_info *op)
{
    if (op->max_in == ARITY_ANY)
        return infer_reject(call, DIAG_ArityMismatch,
                            "'%s' takes at least %d operand%s, not %" PRIu32, op->text, op->min_in,
                            plural(op->min_in), call->n_in);
    if (op->min_in < op->max_in)
        return infer_reject(call, DIAG_ArityMismatch, "'%s' takes %d to %d operand%s, not %" PRIu32,
                            op->text, op->min_in, op->max_in, plural((uint64_t)op->max_in),
                            call->n_in);
    return infer_reject(call, DIAG_ArityMismatch, "'%s' takes %d operand%s, not %" PRIu32, op->text,
                        op->min_in, plural(op->min_in), call->n_in);
}

tn_status infer_types(infer_call *call)
{
    const op_info *op = &op_table[call->op];
    if (call->n_in < op->min_in || (op->max_in != ARITY_ANY && call->n_in > op->max_in))
        return reject_count(call, op);
    if (op->n_attrs || call->attrs->n)
        TN_TRY(check_attributes(call, op));
    return op_rules[call->op](call);
}
