/* Control flow: cond, while, scan run regions, which are functions of the module that see nothing
 * but their parameters. */
#include <inttypes.h>
#include <string.h>

#include "base/text/text.h"
#include "eval/eval.h"
#include "eval/kernels/kernels.h"
#include "eval/parts/pieces.h"
#include "ops/rules/rules.h"

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
    if (run->most_iterations && run->iterations++ == run->most_iterations)
        return eval_report(call, DIAG_LimitExceeded, "regions run more than %" PRIu64 " times",
                           run->most_iterations);
    TN_TRY(eval_on_time(call)); /* also in loops whose bodies compute nothing */
    run->depth++;
    const tn_status s = evaluate(run, f, in, out);
    run->depth--;
    return s;
}

static tn_status copy_all(const eval_call *call, const tensor *from, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        TN_TRY(eval_copy_bytes(call, call->out[k].data, from[k].data,
                               type_known_bytes(call->out[k].type)));
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
        const size_t bytes = type_known_bytes(like[b->n].type);
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
        memory_free(&call->run->cx->allocator, b->at[k].data, type_known_bytes(b->at[k].type));
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
static tn_status while_iteration(const eval_call *call, tensor *carry, tensor *checked)
{
    const function *cond = region_of(call, KEY_COND_REGION);
    const function *body = region_of(call, KEY_BODY_REGION);
    const tensor *now = call->in;
    eval_run *run = call->run;
    uint8_t go_on = 0;
    checked[0].data = &go_on;
    for (;;) {
        TN_TRY(run_region(call, cond, now, checked));
        if (!go_on)
            break;
        if (run->most_turns && run->turns++ == run->most_turns)
            return eval_report(call, DIAG_LimitExceeded,
                               "loops take more than %" PRIu64 " turn%s in a run", run->most_turns,
                               plural(run->most_turns));
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
        s = while_iteration(call, carry.at, checked);
    }
    buffers_release(&carry, call);
    buffers_release(&copy, call);
    return s;
}

/* Iteration K reads slice K of what is scanned in place, and writes slice K of what is stacked.
 * Carries alternate between two sets of buffers, one of them the results. */
static tn_status scan_iterations(const eval_call *call, uint32_t carries, tensor *spare)
{
    const function *body = region_of(call, KEY_BODY_REGION);
    const int64_t iterations = call->in[carries].type->dims[0];
    tensor *in = ARENA_ARRAY(call->scratch, tensor, call->n_in);
    tensor *out = ARENA_ARRAY(call->scratch, tensor, call->n_out);
    if (!in || !out)
        return eval_no_memory(call);
    memcpy(in, call->in, call->n_in * sizeof *in);
    memcpy(out, call->out, call->n_out * sizeof *out);
    for (uint32_t k = carries; k < call->n_in; k++)
        in[k].type = function_input_type(body, k);
    for (int64_t iteration = 0; iteration < iterations; iteration++) {
        /* The last iteration writes the results. */
        const tensor *to = (iterations - iteration) % 2 == 1 ? call->out : spare;
        for (uint32_t k = 0; k < carries; k++)
            out[k].data = to[k].data;
        TN_TRY(run_region(call, body, in, out));
        for (uint32_t k = 0; k < carries; k++)
            in[k].data = to[k].data;
        for (uint32_t k = carries; k < call->n_in; k++)
            in[k].data = (char *)in[k].data + type_known_bytes(in[k].type);
        for (uint32_t k = carries; k < call->n_out; k++)
            out[k].data = (char *)out[k].data + type_known_bytes(function_output_type(body, k));
    }
    return iterations == 0 ? copy_all(call, call->in, carries) : TN_OK;
}

tn_status eval_scan(eval_call *call)
{
    const uint32_t carries = (uint32_t)attr_int(call->attrs, KEY_CARRY_COUNT, 0);
    buffers spare;
    tn_status s = buffers_init(&spare, call, call->out, carries);
    if (s == TN_OK)
        s = scan_iterations(call, carries, spare.at);
    buffers_release(&spare, call);
    return s;
}
