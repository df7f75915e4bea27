/* Type rules of control flow: cond, while, scan run regions, which are functions of the module. */
#include <inttypes.h>
#include <string.h>

#include "base/text/text.h"
#include "ops/rules/rules.h"

static tn_status find_region(const infer_call *call, attr_key key, const function **out)
{
    const int64_t index = attr_int(call->attrs, key, -1);
    const module *m = call->module;
    if (index < 0 || index >= (int64_t)m->functions.n || !m->functions.at[index]->is_region)
        return infer_reject(call, DIAG_RegionSignature, "'%s' of '%s' names no region: %" PRId64,
                            attr_keys[key].name, rule_op(call), index);
    *out = m->functions.at[index];
    return TN_OK;
}

/* Can both be the type of one value? */
static bool may_be_same(const type *a, const type *b)
{
    bool same = a->dtype == b->dtype && a->rank == b->rank;
    for (uint32_t i = 0; same && i < a->rank; i++)
        same = dims_may_equal(a->dims[i], b->dims[i]);
    return same;
}

/* What both are known to be; NULL when there is no memory. */
static const type *joined(const infer_call *call, const type *a, const type *b)
{
    shape s;
    if (a == b || a->rank > TN_MAX_RANK)
        return a;
    for (uint32_t i = 0; i < a->rank; i++)
        s.dims[i] = dims_join(a->dims[i], b->dims[i]);
    return type_of(&call->module->types, a->dtype, s.dims, a->rank);
}

static tn_status check_count(const infer_call *call, attr_key key, const char *what, uint32_t have,
                             uint32_t want)
{
    if (have == want)
        return TN_OK;
    return infer_reject(call, DIAG_RegionSignature,
                        "'%s' of '%s' has %" PRIu32 " %s where %" PRIu32 " are needed",
                        attr_keys[key].name, rule_op(call), have, what, want);
}

static tn_status check_type(const infer_call *call, attr_key key, const char *what, uint32_t k,
                            const type *have, const type *want)
{
    if (may_be_same(have, want))
        return TN_OK;
    tn_status s = infer_reject(call, DIAG_RegionSignature,
                               "%s %" PRIu32 " of '%s' of '%s' has a type that does not fit", what,
                               k, attr_keys[key].name, rule_op(call));
    diag_channel *d = &call->module->cx->diag;
    diag_note(d, NULL, NO_SPAN, "it is %s", type_text(&d->text, &call->module->types, have));
    diag_note(d, NULL, NO_SPAN, "needed is %s", type_text(&d->text, &call->module->types, want));
    return s;
}

/* Parameters of F take operands FROM .. of the call. */
static tn_status check_parameters(const infer_call *call, attr_key key, const function *f,
                                  uint32_t from)
{
    TN_TRY(check_count(call, key, "parameters", f->inputs.n, call->n_in - from));
    for (uint32_t k = 0; k < f->inputs.n; k++)
        TN_TRY(
            check_type(call, key, "parameter", k, function_input_type(f, k), call->in[from + k]));
    return TN_OK;
}

/* Room for N result types. */
static tn_status make_results(infer_call *call, uint32_t n)
{
    module *m = call->module;
    call->out = ARENA_ARRAY(&m->arena, const type *, n);
    call->n_out = n;
    return call->out ? TN_OK : module_no_memory(m);
}

tn_status infer_cond(infer_call *call)
{
    const function *yes = NULL, *no = NULL;
    TN_TRY(find_region(call, KEY_TRUE_REGION, &yes));
    TN_TRY(find_region(call, KEY_FALSE_REGION, &no));
    TN_TRY(rule_dtype(call, 0, ALLOW_BOOL));
    TN_TRY(rule_rank(call, 0, 0, 0));
    TN_TRY(check_parameters(call, KEY_TRUE_REGION, yes, 1));
    TN_TRY(check_parameters(call, KEY_FALSE_REGION, no, 1));
    TN_TRY(check_count(call, KEY_FALSE_REGION, "results", no->outputs.n, yes->outputs.n));
    TN_TRY(make_results(call, yes->outputs.n));
    for (uint32_t k = 0; k < yes->outputs.n; k++) {
        TN_TRY(check_type(call, KEY_FALSE_REGION, "result", k, function_output_type(no, k),
                          function_output_type(yes, k)));
        call->out[k] = joined(call, function_output_type(yes, k), function_output_type(no, k));
        if (!call->out[k])
            return module_no_memory(call->module);
    }
    return TN_OK;
}

/* Results FROM .. of F are carried values, whose types stay as operands 0 .. N - 1 have them. */
static tn_status check_carry(const infer_call *call, attr_key key, const function *f, uint32_t from,
                             uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        TN_TRY(check_type(call, key, "result", from + k, function_output_type(f, from + k),
                          call->in[k]));
    return TN_OK;
}

tn_status infer_while(infer_call *call)
{
    const function *cond = NULL, *body = NULL;
    TN_TRY(find_region(call, KEY_COND_REGION, &cond));
    TN_TRY(find_region(call, KEY_BODY_REGION, &body));
    TN_TRY(check_parameters(call, KEY_COND_REGION, cond, 0));
    TN_TRY(check_parameters(call, KEY_BODY_REGION, body, 0));
    TN_TRY(check_count(call, KEY_COND_REGION, "results", cond->outputs.n, call->n_in + 1));
    TN_TRY(check_count(call, KEY_BODY_REGION, "results", body->outputs.n, call->n_in));
    const type *predicate = function_output_type(cond, 0);
    if (predicate->dtype != TN_I1 || predicate->rank != 0)
        return infer_reject(call, DIAG_RegionSignature,
                            "the first result of 'cond_region' of '%s' must be i1[]",
                            rule_op(call));
    TN_TRY(check_carry(call, KEY_COND_REGION, cond, 1, call->n_in));
    TN_TRY(check_carry(call, KEY_BODY_REGION, body, 0, call->n_in));
    TN_TRY(make_results(call, call->n_in));
    for (uint32_t k = 0; k < call->n_in; k++) {
        call->out[k] = joined(call, call->in[k], function_output_type(cond, k + 1));
        if (!call->out[k])
            return module_no_memory(call->module);
    }
    return TN_OK;
}

/* T without its first axis, or behind an axis of extent LENGTH. */
static const type *without_first(const infer_call *call, const type *t)
{
    return type_of(&call->module->types, t->dtype, t->dims + 1, t->rank - 1);
}

static const type *stacked(const infer_call *call, const type *t, dim length)
{
    shape s = {.rank = t->rank + 1};
    s.dims[0] = length;
    memcpy(s.dims + 1, t->dims, t->rank * sizeof *s.dims);
    return type_of(&call->module->types, t->dtype, s.dims, s.rank);
}

/* The operands behind the carries have a first axis of one common length, and the body takes their
 * slices. */
static tn_status check_scanned(const infer_call *call, const function *body, uint32_t carries,
                               dim *length)
{
    *length = 0;
    for (uint32_t k = carries; k < call->n_in; k++) {
        TN_TRY(rule_rank(call, k, 1, TN_MAX_RANK));
        const dim own = call->in[k]->dims[0];
        if (k > carries && !dims_may_equal(own, *length))
            return infer_reject(call, DIAG_RegionSignature,
                                "operand %" PRIu32 " of '%s' has shape %s, of another length than "
                                "the operands before",
                                k, rule_op(call), rule_shape_text(call, k));
        *length = k > carries ? dims_join(*length, own) : own;
        const type *slice = without_first(call, call->in[k]);
        if (!slice)
            return module_no_memory(call->module);
        TN_TRY(
            check_type(call, KEY_BODY_REGION, "parameter", k, function_input_type(body, k), slice));
    }
    return TN_OK;
}

tn_status infer_scan(infer_call *call)
{
    const int64_t carries = attr_int(call->attrs, KEY_CARRY_COUNT, 0);
    const int64_t outputs = attr_int(call->attrs, KEY_OUTPUT_COUNT, 0);
    const function *body = NULL;
    dim length;
    if (carries < 0 || carries >= (int64_t)call->n_in)
        return infer_reject(call, DIAG_InvalidAttribute,
                            "'%s' with %" PRIu32 " operand%s and a carry count of %" PRId64
                            " has nothing to scan",
                            rule_op(call), call->n_in, plural(call->n_in), carries);
    TN_TRY(find_region(call, KEY_BODY_REGION, &body));
    const uint32_t n = (uint32_t)carries;
    if (outputs < 0 || outputs > (int64_t)body->outputs.n)
        return infer_reject(call, DIAG_RegionSignature,
                            "'%s' cannot stack %" PRId64 " of %" PRIu32 " result%s", rule_op(call),
                            outputs, body->outputs.n, plural(body->outputs.n));
    TN_TRY(check_count(call, KEY_BODY_REGION, "parameters", body->inputs.n, call->n_in));
    TN_TRY(check_count(call, KEY_BODY_REGION, "results", body->outputs.n, n + (uint32_t)outputs));
    for (uint32_t k = 0; k < n; k++)
        TN_TRY(check_type(call, KEY_BODY_REGION, "parameter", k, function_input_type(body, k),
                          call->in[k]));
    TN_TRY(check_carry(call, KEY_BODY_REGION, body, 0, n));
    TN_TRY(check_scanned(call, body, n, &length));
    TN_TRY(make_results(call, body->outputs.n));
    const type **results = call->out;
    for (uint32_t k = 0; k < body->outputs.n; k++) {
        const type *own = function_output_type(body, k);
        if (k >= n && own->rank >= TN_MAX_RANK)
            return infer_reject(call, DIAG_LimitExceeded,
                                "a stacked result of '%s' has rank %" PRIu32
                                ", above the limit of %d",
                                rule_op(call), own->rank + 1, TN_MAX_RANK);
        call->out = &results[k];
        TN_TRY(infer_result(call,
                            k < n ? joined(call, call->in[k], own) : stacked(call, own, length)));
    }
    call->out = results;
    return TN_OK;
}
