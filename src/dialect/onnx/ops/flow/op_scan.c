/* Scan: a graph for each position along an axis. */
#include <inttypes.h>

#include "dialect/onnx/ops/flow/op_flow.h"

typedef struct scan {
    onnx_call *c;
    const onnx_graph *body;
    uint32_t first; /* input of the operator: behind the lengths of older versions */
    uint32_t n_states, n_xs, n_stacked;
    onnx_captures captures;
} scan;

static bool read_scan(scan *s)
{
    onnx_call *c = s->c;
    const int64_t n_xs = onnx_attr_int(c, "num_scan_inputs", 0);
    s->body = onnx_inner_graph(c, "body");
    if (!s->body)
        return false;
    if (c->n_out == 0)
        return onnx_refuse(c, DIAG_ArityMismatch, "it has no outputs");
    if (n_xs < 1 || c->n_in < s->first || n_xs > (int64_t)(c->n_in - s->first))
        return onnx_refuse(c, DIAG_InvalidAttribute,
                           "'num_scan_inputs' must be from 1 to the number of inputs");
    s->n_xs = (uint32_t)n_xs;
    s->n_states = c->n_in - s->first - s->n_xs;
    s->n_stacked = c->n_out > s->n_states ? c->n_out - s->n_states : 0;
    for (uint32_t i = s->first; i < c->n_in; i++)
        if (!onnx_has_in(c, i))
            return onnx_refuse(c, DIAG_ArityMismatch, "input %" PRIu32 " is left out", i);
    return true;
}

/* Entry K of the list NAME, or 0. */
static int64_t entry_of(onnx_call *c, const char *name, uint32_t k)
{
    uint32_t n;
    const int64_t *list = onnx_attr_ints(c, name, &n);
    return k < n ? list[k] : 0;
}

/* Scan XS from their first axes, beginning with STATES: OUT receives the last states, what was
 * captured, and the stacked results. The lists have room for what is captured. */
static bool run_scan(scan *s, tn_value *states, const tn_value *xs, const tn_value *captured,
                     tn_value *out)
{
    onnx_call *c = s->c;
    tn_builder *b = c->b;
    arena *memory = &c->im->memory;
    const uint32_t n_captured = s->captures.data.n, n = s->n_states + n_captured;
    const uint32_t n_args = s->n_states + s->n_xs, n_results = s->n_states + s->n_stacked;
    onnx_value *args = ARENA_ARRAY(memory, onnx_value, n_args);
    onnx_value *values = ARENA_ARRAY(memory, onnx_value, (size_t)n_results + 1);
    tn_value *params = onnx_room(c, n), *results = onnx_room(c, n + s->n_stacked);
    onnx_scope around = {0};
    if (!args || !values || !params || !results)
        return onnx_no_memory(c->im);
    for (uint32_t i = 0; i < n_captured; i++)
        states[s->n_states + i] = captured[i];
    tn_region_begin(b, c->op->name);
    for (uint32_t i = 0; i < s->n_states; i++)
        args[i].v = params[i] = tn_param_like(b, states[i]);
    onnx_scope scope = {
        .outer = &around, .imports = c->scope->imports, .depth = c->scope->depth + 1};
    bool ok = onnx_enter(&s->captures, &around, params + s->n_states);
    for (uint32_t i = 0; i < s->n_xs; i++)
        args[s->n_states + i].v = tn_param_slice(b, xs[i]);
    ok = ok && onnx_read_body(c, &scope, s->body, args, n_args, values, n_results);
    onnx_scope_release(c->im, &scope);
    onnx_scope_release(c->im, &around);
    memcpy(results, params, n * sizeof *results);
    if (!ok || !onnx_all_data(c, values, s->n_states, results) ||
        !onnx_all_data(c, values + s->n_states, s->n_stacked, results + n) ||
        !onnx_same_types(c, "carried value", results, states, s->n_states))
        return false;
    const tn_region body = tn_region_end(b, (tn_values){results, n + s->n_stacked});
    tn_scan(b, body, (tn_values){states, n}, (tn_values){xs, s->n_xs}, s->n_stacked, out,
            n + s->n_stacked);
    return b->status == TN_OK;
}

/* Input I of those that are scanned, from its first axis. */
static tn_value scanned(onnx_call *c, uint32_t k, uint32_t i)
{
    const type *t = onnx_in_type(c, k);
    int64_t axis = entry_of(c, "scan_input_axes", i);
    if (!t || !onnx_axis(c, axis, t->rank, &axis))
        return tn_no_value();
    const tn_value x = onnx_move_axis(c, onnx_in(c, k), axis, 0);
    return entry_of(c, "scan_input_directions", i) ? tn_reverse(c->b, x, TN_INTS(0)) : x;
}

/* Stacked result I, with its axis where it is wanted. */
static bool give_stacked(scan *s, uint32_t i, tn_value x)
{
    onnx_call *c = s->c;
    const type *t = onnx_type_of(c, x);
    int64_t axis = entry_of(c, "scan_output_axes", i);
    if (!t || !onnx_axis(c, axis, t->rank, &axis))
        return false;
    if (entry_of(c, "scan_output_directions", i))
        x = tn_reverse(c->b, x, TN_INTS(0));
    return onnx_give(c, s->n_states + i, onnx_move_axis(c, x, 0, axis));
}

static bool lower_scan(scan *s)
{
    onnx_call *c = s->c;
    if (!read_scan(s) || !onnx_capture(&s->captures, s->body))
        return false;
    const uint32_t n_captured = s->captures.data.n, n = s->n_states + n_captured;
    tn_value *states = onnx_room(c, n), *xs = onnx_room(c, s->n_xs);
    tn_value *out = onnx_room(c, n + s->n_stacked);
    if (!states || !xs || !out)
        return false;
    for (uint32_t i = 0; i < s->n_states; i++)
        if (!onnx_all_data(c, c->in[i], 1, &states[i]))
            return false;
    for (uint32_t i = 0; i < s->n_xs; i++)
        if (!tn_is_value(xs[i] = scanned(c, s->n_states + i, i)))
            return false;
    if (!run_scan(s, states, xs, s->captures.data.at, out))
        return false;
    for (uint32_t i = 0; i < s->n_states; i++)
        if (!onnx_give(c, i, out[i]))
            return false;
    for (uint32_t i = 0; i < s->n_stacked; i++)
        if (!give_stacked(s, i, out[n + i]))
            return false;
    return true;
}

bool onnx_op_scan(onnx_call *c)
{
    scan s = {.c = c, .captures.c = c};
    const bool ok = lower_scan(&s);
    onnx_captures_release(&s.captures);
    return ok;
}

/* ---- version 8: each batch is scanned for itself, along the second axis ---- */

/* The scan of one batch, as the region of a scan over the batches, which carries what is captured.
 * WIDE: states and inputs with their batches. */
static bool scan_batch(scan *s, const tn_value *wide, tn_region *region)
{
    onnx_call *c = s->c;
    tn_builder *b = c->b;
    const uint32_t n_captured = s->captures.data.n, n = s->n_states + n_captured;
    tn_value *captured = onnx_room(c, n_captured), *states = onnx_room(c, n);
    tn_value *xs = onnx_room(c, s->n_xs), *out = onnx_room(c, n + s->n_stacked);
    tn_value *results = onnx_room(c, n + s->n_stacked);
    if (!captured || !states || !xs || !out || !results)
        return false;
    tn_region_begin(b, "ScanBatch");
    for (uint32_t i = 0; i < n_captured; i++)
        results[i] = captured[i] = tn_param_like(b, s->captures.data.at[i]);
    for (uint32_t i = 0; i < s->n_states; i++)
        states[i] = tn_param_slice(b, wide[i]);
    for (uint32_t i = 0; i < s->n_xs; i++) {
        xs[i] = tn_param_slice(b, wide[s->n_states + i]);
        if (entry_of(c, "directions", i))
            xs[i] = tn_reverse(b, xs[i], TN_INTS(0));
    }
    if (!run_scan(s, states, xs, captured, out))
        return false;
    for (uint32_t i = 0; i < s->n_states; i++)
        results[n_captured + i] = out[i];
    for (uint32_t i = 0; i < s->n_stacked; i++)
        results[n + i] = out[n + i];
    *region = tn_region_end(b, (tn_values){results, n + s->n_stacked});
    return b->status == TN_OK;
}

static bool lower_batches(scan *s)
{
    onnx_call *c = s->c;
    tn_region body;
    if (onnx_has_in(c, 0))
        return onnx_refuse(c, DIAG_NotImplemented, "lengths of sequences are not read");
    if (!read_scan(s) || !onnx_capture(&s->captures, s->body))
        return false;
    const uint32_t n_captured = s->captures.data.n, n_wide = s->n_states + s->n_xs;
    const uint32_t n_out = s->n_states + s->n_stacked;
    tn_value *wide = onnx_room(c, n_wide), *out = onnx_room(c, n_captured + n_out);
    if (!wide || !out)
        return false;
    for (uint32_t i = 0; i < n_wide; i++)
        if (!onnx_all_data(c, c->in[1 + i], 1, &wide[i]))
            return false;
    if (!scan_batch(s, wide, &body))
        return false;
    tn_scan(c->b, body, (tn_values){s->captures.data.at, n_captured}, (tn_values){wide, n_wide},
            n_out, out, n_captured + n_out);
    for (uint32_t i = 0; i < c->n_out && i < n_out; i++)
        if (!onnx_give(c, i, out[n_captured + i]))
            return false;
    return true;
}

bool onnx_op_scan_batches(onnx_call *c)
{
    scan s = {.c = c, .first = 1, .captures.c = c};
    const bool ok = lower_batches(&s);
    onnx_captures_release(&s.captures);
    return ok;
}
