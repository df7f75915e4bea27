/* Control flow: cond, while, scan run regions, which are functions of the module that see nothing
 * but their parameters. */
#include <inttypes.h>
#include <string.h>

#include "ops/cells.h"
#include "ops/pieces.h"
#include "ops/rules.h"

/* Type rules. */

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

static const type *parameter_type(const function *f, uint32_t k)
{
    return value_type(f, f->inputs.at[k]);
}

static const type *output_type(const function *f, uint32_t k)
{
    return value_type(f, f->outputs.at[k]);
}

/* Parameters of F take operands FROM .. of the call. */
static tn_status check_parameters(const infer_call *call, attr_key key, const function *f,
                                  uint32_t from)
{
    TN_TRY(check_count(call, key, "parameters", f->inputs.n, call->n_in - from));
    for (uint32_t k = 0; k < f->inputs.n; k++)
        TN_TRY(check_type(call, key, "parameter", k, parameter_type(f, k), call->in[from + k]));
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
        TN_TRY(check_type(call, KEY_FALSE_REGION, "result", k, output_type(no, k),
                          output_type(yes, k)));
        call->out[k] = joined(call, output_type(yes, k), output_type(no, k));
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
        TN_TRY(check_type(call, key, "result", from + k, output_type(f, from + k), call->in[k]));
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
    const type *predicate = output_type(cond, 0);
    if (predicate->dtype != TN_I1 || predicate->rank != 0)
        return infer_reject(call, DIAG_RegionSignature,
                            "the first result of 'cond_region' of '%s' must be i1[]",
                            rule_op(call));
    TN_TRY(check_carry(call, KEY_COND_REGION, cond, 1, call->n_in));
    TN_TRY(check_carry(call, KEY_BODY_REGION, body, 0, call->n_in));
    TN_TRY(make_results(call, call->n_in));
    for (uint32_t k = 0; k < call->n_in; k++) {
        call->out[k] = joined(call, call->in[k], output_type(cond, k + 1));
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
        TN_TRY(check_type(call, KEY_BODY_REGION, "parameter", k, parameter_type(body, k), slice));
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
                            "'%s' with %" PRIu32 " operands and a carry count of %" PRId64
                            " has nothing to scan",
                            rule_op(call), call->n_in, carries);
    TN_TRY(find_region(call, KEY_BODY_REGION, &body));
    const uint32_t n = (uint32_t)carries;
    if (outputs < 0 || outputs > (int64_t)body->outputs.n)
        return infer_reject(call, DIAG_RegionSignature,
                            "'%s' cannot stack %" PRId64 " of %" PRIu32 " results", rule_op(call),
                            outputs, body->outputs.n);
    TN_TRY(check_count(call, KEY_BODY_REGION, "parameters", body->inputs.n, call->n_in));
    TN_TRY(check_count(call, KEY_BODY_REGION, "results", body->outputs.n, n + (uint32_t)outputs));
    for (uint32_t k = 0; k < n; k++)
        TN_TRY(check_type(call, KEY_BODY_REGION, "parameter", k, parameter_type(body, k),
                          call->in[k]));
    TN_TRY(check_carry(call, KEY_BODY_REGION, body, 0, n));
    TN_TRY(check_scanned(call, body, n, &length));
    TN_TRY(make_results(call, body->outputs.n));
    const type **results = call->out;
    for (uint32_t k = 0; k < body->outputs.n; k++) {
        const type *own = output_type(body, k);
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

/* Kernels. */

static const function *region_of(const eval_call *call, attr_key key)
{
    return call->function->module->functions.at[attr_int(call->attrs, key, 0)];
}

static tn_status run_region(const eval_call *call, const function *f, const tensor *in, tensor *out)
{
    eval_run *run = call->run;
    if (run->depth >= run->cx->limits.nesting)
        return eval_report(call, DIAG_LimitExceeded,
                           "regions are nested deeper than the limit of %" PRIu32,
                           run->cx->limits.nesting);
    if (run->most_turns && run->turns++ == run->most_turns)
        return eval_report(call, DIAG_LimitExceeded, "regions run more than %" PRIu64 " times",
                           run->most_turns);
    TN_TRY(eval_on_time(call)); /* also in loops whose bodies compute nothing */
    run->depth++;
    const tn_status s = evaluate(run, f, in, out);
    run->depth--;
    return s;
}

static size_t bytes_of(const type *t)
{
    size_t bytes = 0;
    (void)type_bytes(t, &bytes);
    return bytes;
}

static tn_status copy_all(const eval_call *call, const tensor *from, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        TN_TRY(eval_copy_bytes(call, call->out[k].data, from[k].data, bytes_of(call->out[k].type)));
    return TN_OK;
}

/* Buffers like the N tensors of LIKE, counted against the limit of the run until buffers_release;
 * nothing is held after a failure. */
typedef struct buffers {
    tensor *at;
    uint32_t n;
    uint64_t bytes;
} buffers;

static tn_status buffers_init(buffers *b, const eval_call *call, const tensor *like, uint32_t n)
{
    eval_run *run = call->run;
    *b = (buffers){ARENA_ARRAY(call->scratch, tensor, n), 0, 0};
    if (!b->at)
        return eval_no_memory(call);
    for (; b->n < n; b->n++) {
        const size_t bytes = bytes_of(like[b->n].type);
        void *data = NULL;
        if (bytes <= run->bytes_limit - run->bytes_alive)
            data = memory_alloc(&run->cx->allocator, bytes);
        if (!data)
            return eval_no_memory(call); /* the caller releases */
        b->at[b->n] = (tensor){like[b->n].type, data};
        b->bytes += bytes;
        run->bytes_alive += bytes;
        if (run->bytes_alive > run->bytes_peak)
            run->bytes_peak = run->bytes_alive;
    }
    return TN_OK;
}

static void buffers_release(buffers *b, const eval_call *call)
{
    for (uint32_t k = 0; k < b->n; k++)
        memory_free(&call->run->cx->allocator, b->at[k].data, bytes_of(b->at[k].type));
    call->run->bytes_alive -= b->bytes;
    b->n = 0;
    b->bytes = 0;
}

tn_status eval_cond(eval_call *call)
{
    const bool taken = *(const uint8_t *)call->in[0].data != 0;
    return run_region(call, region_of(call, taken ? KEY_TRUE_REGION : KEY_FALSE_REGION),
                      call->in + 1, call->out);
}

/* The condition reads the carry and writes its own copy behind the predicate; the body reads that
 * copy and writes the carry. */
static tn_status turn_while(const eval_call *call, tensor *carry, tensor *checked)
{
    const function *cond = region_of(call, KEY_COND_REGION);
    const function *body = region_of(call, KEY_BODY_REGION);
    const tensor *now = call->in;
    uint8_t go_on = 0;
    checked[0].data = &go_on;
    for (;;) {
        TN_TRY(run_region(call, cond, now, checked));
        if (!go_on)
            break;
        TN_TRY(run_region(call, body, checked + 1, carry));
        now = carry;
    }
    return copy_all(call, checked + 1, call->n_out);
}

tn_status eval_while(eval_call *call)
{
    buffers carry, copy = {0};
    tensor *checked = ARENA_ARRAY(call->scratch, tensor, (size_t)call->n_in + 1);
    if (!checked)
        return eval_no_memory(call);
    tn_status s = buffers_init(&carry, call, call->out, call->n_out);
    if (s == TN_OK)
        s = buffers_init(&copy, call, call->out, call->n_out);
    if (s == TN_OK) {
        memcpy(checked + 1, copy.at, call->n_in * sizeof *checked);
        s = turn_while(call, carry.at, checked);
    }
    buffers_release(&carry, call);
    buffers_release(&copy, call);
    return s;
}

/* Turn K reads slice K of what is scanned in place, and writes slice K of what is stacked. Carries
 * alternate between two sets of buffers, one of them the results. */
static tn_status turn_scan(const eval_call *call, uint32_t carries, tensor *spare)
{
    const function *body = region_of(call, KEY_BODY_REGION);
    const int64_t turns = call->in[carries].type->dims[0];
    tensor *in = ARENA_ARRAY(call->scratch, tensor, call->n_in);
    tensor *out = ARENA_ARRAY(call->scratch, tensor, call->n_out);
    if (!in || !out)
        return eval_no_memory(call);
    memcpy(in, call->in, call->n_in * sizeof *in);
    memcpy(out, call->out, call->n_out * sizeof *out);
    for (uint32_t k = carries; k < call->n_in; k++)
        in[k].type = parameter_type(body, k);
    for (int64_t turn = 0; turn < turns; turn++) {
        /* The last turn writes the results. */
        const tensor *to = (turns - turn) % 2 == 1 ? call->out : spare;
        for (uint32_t k = 0; k < carries; k++)
            out[k].data = to[k].data;
        TN_TRY(run_region(call, body, in, out));
        for (uint32_t k = 0; k < carries; k++)
            in[k].data = to[k].data;
        for (uint32_t k = carries; k < call->n_in; k++)
            in[k].data = (char *)in[k].data + bytes_of(in[k].type);
        for (uint32_t k = carries; k < call->n_out; k++)
            out[k].data = (char *)out[k].data + bytes_of(output_type(body, k));
    }
    return turns == 0 ? copy_all(call, call->in, carries) : TN_OK;
}

tn_status eval_scan(eval_call *call)
{
    const uint32_t carries = (uint32_t)attr_int(call->attrs, KEY_CARRY_COUNT, 0);
    buffers spare;
    tn_status s = buffers_init(&spare, call, call->out, carries);
    if (s == TN_OK)
        s = turn_scan(call, carries, spare.at);
    buffers_release(&spare, call);
    return s;
}
