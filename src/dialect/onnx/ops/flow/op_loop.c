/* Loop: a region that runs again and again where the types of what it carries stay the same, else
 * one copy of its graph after the other. */
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/onnx/ops/flow/op_flow.h"

/* Copies of a graph that are made at most. */
enum { MOST_COPIES = 4096 };

typedef struct loop {
    onnx_call *c;
    const onnx_graph *body;
    uint32_t n_states, n_stacked;
    bool has_count, count_is_known; /* how often it runs at most, which may be a size */
    dim count;
    bool may_start_is_known, may_start; /* the first condition */
    onnx_captures captures;
} loop;

/* ---- what is known before ---- */

static bool read_count(loop *l)
{
    onnx_call *c = l->c;
    const known_value *k = onnx_in_known(c, 0);
    l->has_count = onnx_has_in(c, 0);
    l->count_is_known = k && k->n == 1 && !dtype_is_float(k->dtype);
    if (l->count_is_known)
        l->count = k->at[0].is_size ? k->at[0].i : k->at[0].i < 0 ? 0 : k->at[0].i;
    const known_value *p = onnx_in_known(c, 1);
    l->may_start_is_known = !onnx_has_in(c, 1) || (p && p->n == 1 && !p->at[0].is_size);
    l->may_start = !p || !l->may_start_is_known || p->at[0].i;
    if (l->may_start_is_known && !l->may_start) {
        l->has_count = l->count_is_known = true;
        l->count = 0;
    }
    return !c->im->no_memory;
}

static bool read_loop(loop *l)
{
    onnx_call *c = l->c;
    l->body = onnx_inner_graph(c, "body");
    if (!l->body || !read_count(l))
        return false;
    if (c->n_in < 2 || c->n_out == 0)
        return onnx_refuse(c, DIAG_ArityMismatch,
                           "%" PRIu32 " input%s and %" PRIu32 " output%s, which is not what it has",
                           c->n_in, plural(c->n_in), c->n_out, plural(c->n_out));
    l->n_states = c->n_in - 2;
    for (uint32_t i = 2; i < c->n_in; i++)
        if (!onnx_has_in(c, i))
            return onnx_refuse(c, DIAG_ArityMismatch, "input %" PRIu32 " is left out", i);
    l->n_stacked = c->n_out > l->n_states ? c->n_out - l->n_states : 0;
    return true;
}

/* Is V known to be true, or known to be false? */
static bool is_known_as(onnx_call *c, onnx_value *v, bool truth)
{
    const known_value *k = onnx_value_known(c->im, v);
    return k && k->n == 1 && !k->at[0].is_size && (k->at[0].i != 0) == truth;
}

static bool known_scalar(onnx_call *c, tn_dtype d, int64_t n, onnx_value *out)
{
    known_value *k = known_new(&c->im->memory, d, NULL, 0);
    if (!k)
        return onnx_no_memory(c->im);
    k->at[0] = (known_number){.i = n};
    *out = (onnx_value){.known = k};
    return true;
}

/* ---- a region ---- */

/* The loop while it is made. Operands and parameters are the states, then what is captured, then
 * the number of the iteration; those of a while have the condition and the count behind them. */
typedef struct loop_region {
    tn_value *operands, *params, *results;
    uint32_t n; /* of them, before the number */
    tn_value number, go_on;
    bool goes_on; /* whenever it gets to its end */
} loop_region;

static bool read_region(loop *l, loop_region *r)
{
    onnx_call *c = l->c;
    tn_builder *b = c->b;
    const uint32_t n_args = 2 + l->n_states, n_results = 1 + l->n_states + l->n_stacked;
    onnx_value *args = ARENA_ARRAY(&c->im->memory, onnx_value, n_args);
    onnx_value *results = ARENA_ARRAY(&c->im->memory, onnx_value, n_results);
    onnx_scope around = {0};
    if (!args || !results)
        return onnx_no_memory(c->im);
    tn_region_begin(b, c->op->name);
    for (uint32_t i = 0; i < l->n_states; i++)
        args[2 + i].v = r->params[i] = tn_param_like(b, r->operands[i]);
    onnx_scope scope = {
        .outer = &around, .imports = c->scope->imports, .depth = c->scope->depth + 1};
    bool ok = onnx_enter(&l->captures, &around, r->params + l->n_states);
    args[0].v = r->number = tn_param(b, TN_SI64, (tn_ints){0});
    /* it runs because the condition holds */
    ok = ok && known_scalar(c, TN_I1, 1, &args[1]) &&
         onnx_read_body(c, &scope, l->body, args, n_args, results, n_results);
    onnx_scope_release(c->im, &scope);
    onnx_scope_release(c->im, &around);
    if (!ok)
        return false;
    r->goes_on = is_known_as(c, &results[0], true);
    if (!onnx_is_tensor(&results[0]) || is_known_as(c, &results[0], false))
        return onnx_refuse(c, DIAG_NotImplemented, "its condition never holds twice");
    r->go_on = onnx_scalar(c, onnx_data_of(c->im, &results[0]), TN_I1);
    memcpy(r->results, r->params, r->n * sizeof *r->results);
    tn_value *stacked = r->results + r->n;
    return onnx_all_data(c, results + 1, l->n_states, r->results) &&
           onnx_all_data(c, results + 1 + l->n_states, l->n_stacked, stacked) &&
           onnx_same_types(c, "carried value", r->results, r->operands, l->n_states);
}

static bool give_all(loop *l, const tn_value *states, const tn_value *stacked)
{
    for (uint32_t i = 0; i < l->c->n_out; i++)
        if (!onnx_give(l->c, i, i < l->n_states ? states[i] : stacked[i - l->n_states]))
            return false;
    return true;
}

/* As often as COUNT says. */
static bool end_counted(loop *l, loop_region *r)
{
    tn_builder *b = l->c->b;
    const uint32_t n_out = r->n + l->n_stacked;
    tn_value *out = onnx_room(l->c, n_out);
    if (!out)
        return false;
    const tn_region body = tn_region_end(b, (tn_values){r->results, n_out});
    const tn_value numbers = tn_iota(b, TN_SI64, TN_INTS(l->count), 0);
    tn_scan(b, body, (tn_values){r->operands, r->n}, (tn_values){&numbers, 1}, l->n_stacked, out,
            n_out);
    return give_all(l, out, out + r->n);
}

/* As long as the condition holds. */
static bool end_while(loop *l, loop_region *r)
{
    onnx_call *c = l->c;
    tn_builder *b = c->b;
    enum { NUMBER, GO_ON, COUNT, MOST };
    const bool counts = l->has_count;
    const uint32_t n = r->n + (counts ? MOST : COUNT);
    tn_value *params = onnx_room(c, n + 1), *out = onnx_room(c, n);
    if (!params || !out)
        return false;
    (void)tn_param(b, TN_I1, (tn_ints){0});
    tn_value *last = r->results + r->n;
    last[NUMBER] = tn_add(b, r->number, tn_scalar_int(b, TN_SI64, 1));
    last[GO_ON] = r->go_on;
    if (counts)
        last[COUNT] = tn_param(b, TN_SI64, (tn_ints){0});
    const tn_region body = tn_region_end(b, (tn_values){r->results, n});

    last = r->operands + r->n;
    last[NUMBER] = tn_scalar_int(b, TN_SI64, 0);
    last[GO_ON] =
        onnx_has_in(c, 1) ? onnx_scalar(c, onnx_in(c, 1), TN_I1) : tn_scalar_int(b, TN_I1, 1);
    if (counts)
        last[COUNT] = l->count_is_known ? known_size_data(c->b, TN_SI64, l->count)
                                        : onnx_scalar(c, onnx_in(c, 0), TN_SI64);
    tn_region_begin(b, "LoopTest");
    for (uint32_t i = 0; i < n; i++)
        params[1 + i] = tn_param_like(b, r->operands[i]);
    last = params + 1 + r->n;
    params[0] = last[GO_ON];
    if (counts) {
        const tn_value below = tn_compare(b, TN_LT, last[NUMBER], last[COUNT]);
        params[0] = tn_and(b, params[0], below);
    }
    const tn_region test = tn_region_end(b, (tn_values){params, n + 1});
    tn_while(b, test, body, (tn_values){r->operands, n}, out, n);
    return give_all(l, out, NULL);
}

/* What keeps the loop from being a region that runs as often as the data say. */
static bool is_bounded(loop *l, bool goes_on)
{
    onnx_call *c = l->c;
    if (goes_on && !l->has_count)
        return onnx_refuse(c, DIAG_InvalidAttribute, "it never ends");
    if (l->n_stacked && !(goes_on && l->count_is_known && l->may_start_is_known))
        return onnx_refuse(c, DIAG_DataDependentShape,
                           "how often it runs must be known, since it stacks results");
    return true;
}

static bool run_region(loop *l)
{
    onnx_call *c = l->c;
    loop_region r = {.n = l->n_states + l->captures.data.n};
    const uint32_t room = r.n + l->n_stacked + 3;
    r.operands = onnx_room(c, room);
    r.params = onnx_room(c, room);
    r.results = onnx_room(c, room);
    if (!r.operands || !r.params || !r.results)
        return false;
    for (uint32_t i = 0; i < l->n_states; i++)
        if (!onnx_all_data(c, c->in[2 + i], 1, &r.operands[i]))
            return false;
    if (l->captures.data.n)
        memcpy(r.operands + l->n_states, l->captures.data.at,
               l->captures.data.n * sizeof *r.operands);
    if (!read_region(l, &r) || !is_bounded(l, r.goes_on))
        return false;
    const bool counted = r.goes_on && l->count_is_known && l->may_start_is_known;
    return counted ? end_counted(l, &r) : end_while(l, &r);
}

/* ---- one copy after the other ---- */

/* The results of all copies that are stacked, in the order in which they are made. */
typedef struct copies {
    VECTOR(tn_value) stacked;
    uint32_t n;
} copies;

static bool keep_stacked(loop *l, onnx_value *results, copies *all)
{
    onnx_call *c = l->c;
    for (uint32_t i = 0; i < l->n_stacked; i++) {
        tn_value x;
        if (!onnx_all_data(c, &results[i], 1, &x))
            return false;
        x = tn_expand_dims(c->b, x, TN_INTS(0));
        if (!VECTOR_PUSH(c->im->m->allocator, &all->stacked, x))
            return onnx_no_memory(c->im);
    }
    return true;
}

static bool give_stacked(loop *l, const copies *all)
{
    onnx_call *c = l->c;
    tn_value *parts = onnx_room(c, all->n);
    if (!parts)
        return false;
    for (uint32_t i = 0; i < l->n_stacked; i++) {
        for (uint32_t k = 0; k < all->n; k++)
            parts[k] = all->stacked.at[k * l->n_stacked + i];
        const tn_value joined =
            all->n == 1 ? parts[0] : tn_concat(c->b, (tn_values){parts, all->n}, 0);
        if (!onnx_give(c, l->n_states + i, joined))
            return false;
    }
    return true;
}

static bool make_copies(loop *l, copies *all)
{
    onnx_call *c = l->c;
    const bool bounded = l->has_count && !dim_is_symbolic(l->count);
    const uint32_t n_args = 2 + l->n_states, n_results = 1 + l->n_states + l->n_stacked;
    onnx_value *args = ARENA_ARRAY(&c->im->memory, onnx_value, n_args);
    onnx_value *results = ARENA_ARRAY(&c->im->memory, onnx_value, n_results);
    if (!args || !results || !known_scalar(c, TN_I1, 1, &args[1]))
        return onnx_no_memory(c->im);
    for (uint32_t i = 0; i < l->n_states; i++)
        args[2 + i] = *c->in[2 + i];
    for (bool goes_on = true; goes_on && !(bounded && all->n >= l->count); all->n++) {
        if (all->n == MOST_COPIES)
            return onnx_refuse(c, DIAG_LimitExceeded,
                               "it would run more than %d times, as copies of its graph",
                               MOST_COPIES);
        if (!known_scalar(c, TN_SI64, all->n, &args[0]) ||
            !onnx_inline(c, l->body, args, n_args, results, n_results) ||
            !keep_stacked(l, results + 1 + l->n_states, all))
            return false;
        goes_on = !is_known_as(c, &results[0], false);
        if (goes_on && !is_known_as(c, &results[0], true))
            return onnx_refuse(c, DIAG_DataDependentShape, "its condition must be known");
        for (uint32_t i = 0; i < l->n_states; i++)
            args[2 + i] = results[1 + i];
    }
    if (all->n == 0 && l->n_stacked)
        return onnx_refuse(c, DIAG_DataDependentShape,
                           "it stacks the results of no iteration, whose types are not known");
    for (uint32_t i = 0; i < l->n_states; i++)
        (void)onnx_give_value(c, i, &args[2 + i]);
    return give_stacked(l, all);
}

static bool copy_graph(loop *l)
{
    copies all = {0};
    const bool ok = make_copies(l, &all);
    VECTOR_RELEASE(l->c->im->m->allocator, &all.stacked);
    return ok;
}

/* ---- which of them ---- */

/* A region is tried first, unless there is but one iteration: it can be copied where it is known
 * how often it runs, or may turn out to be. */
static bool run_loop(loop *l)
{
    onnx_call *c = l->c;
    onnx_trial trial;
    const bool can_copy = l->may_start_is_known && (!l->has_count || l->count_is_known) &&
                          !(l->has_count && dim_is_symbolic(l->count));
    if (can_copy && l->has_count && l->count == 1)
        return copy_graph(l);
    if (!onnx_capture(&l->captures, l->body))
        return false;
    if (!can_copy) {
        const bool is_region = run_region(l);
        if (!is_region)
            onnx_advise_known(c, "a number of iterations that is known lets copies of the graph "
                                 "take its place");
        return is_region;
    }
    if (!onnx_trial_begin(&trial, c->im))
        return false;
    const bool ok = run_region(l);
    return onnx_trial_end(&trial, ok) && (ok || copy_graph(l));
}

bool onnx_op_loop(onnx_call *c)
{
    loop l = {.c = c, .captures.c = c};
    const bool ok = onnx_in_is_one(c, 0, TN_SI64) && onnx_in_is_one(c, 1, TN_I1) && read_loop(&l) &&
                    run_loop(&l);
    onnx_captures_release(&l.captures);
    return ok;
}
