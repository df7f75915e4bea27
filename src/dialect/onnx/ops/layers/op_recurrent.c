/* Recurrent layers: RNN, GRU, LSTM, as a scan over the steps. The products with the inputs are
 * computed for all steps at once before it. The weights of an LSTM may be quantised: then what they
 * are multiplied with is, too, over its own range. */
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/onnx/ops/layers/activations.h"
#include "dialect/onnx/ops/op_quantize.h"

enum { MOST_GATES = 4, MOST_DIRECTIONS = 2 };

/* One direction of a layer. Values in the scan are those of its region. */
typedef struct cell {
    onnx_call *c;
    onnx_cell_kind kind;
    uint32_t n_gates;
    int64_t hidden;
    double clip; /* 0: none */
    bool input_forget, linear_before_reset;
    bool is_transposed; /* R is, for the scan: one row is multiplied faster so; transposing takes
                           longer than one step */
    activation f[MOST_ACTIVATIONS];
} cell;

/* ---- one step ---- */

/* Function K of the cell, behind its clipping. */
static tn_value activated(const cell *l, uint32_t k, tn_value x)
{
    if (l->clip > 0)
        x = onnx_limited(l->c, x, -l->clip, l->clip);
    return onnx_activated(l->c, &l->f[k], x);
}

/* Columns of gate K of all[batch, gates * hidden]. */
static tn_value gate(const cell *l, tn_value all, uint32_t k)
{
    return tn_slice_axis(l->c->b, all, 1, k * l->hidden, l->hidden);
}

/* The last axis of X, of rank RANK, times axis AXIS of the matrix W. */
static tn_value times_axis(tn_builder *b, tn_value x, int64_t rank, tn_value w, int64_t axis)
{
    return tn_dot_general(b, x, w, TN_INTS(), TN_INTS(), TN_INTS(rank - 1), TN_INTS(axis),
                          TN_DTYPE_DEFAULT, TN_DTYPE_DEFAULT);
}

static tn_value times_rows(tn_builder *b, tn_value x, int64_t rank, tn_value w)
{
    return times_axis(b, x, rank, w, 1);
}

/* The same for a W that is quantised as Q says, each row or all of it. */
static tn_value times_quantised(onnx_call *c, tn_value x, int64_t rank, tn_value w,
                                const onnx_quantised *q)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, x);
    if (!t)
        return x;
    const tn_dtype d = t->dtype;
    const onnx_quantised own = onnx_dynamic_range(c, x);
    const tn_value bytes = tn_cast(b, onnx_quantise(c, x, &own, TN_UI8), TN_SI32);
    const tn_value left = tn_sub(b, bytes, tn_cast(b, own.zero, TN_SI32));
    const tn_value sums = times_rows(b, left, rank, onnx_centred(c, w, q->zero, 0));
    const tn_value real = tn_cast(b, sums, d), by = tn_mul(b, own.scale, q->scale);
    return tn_mul(b, real, by);
}

/* H times the rows FROM to FROM + N, counted in gates, of R, transposed. */
static tn_value recurrent(const cell *l, tn_value h, tn_value r, uint32_t from, uint32_t n)
{
    tn_builder *b = l->c->b;
    const int64_t gates = l->is_transposed ? 1 : 0;
    const tn_value part = tn_slice_axis(b, r, gates, from * l->hidden, n * l->hidden);
    return times_axis(b, h, 2, part, 1 - gates);
}

/* The states before and behind a step, and what all steps share. */
typedef struct step {
    tn_value x;       /* of the inputs and biases: [batch, gates * hidden] */
    tn_value h, c;    /* [batch, hidden]; c of LSTM */
    tn_value r;       /* [gates * hidden, hidden], or transposed */
    onnx_quantised q; /* of R; its scale may be no value */
    tn_value rb;      /* GRU: the bias of the last gate's recurrent product, [hidden] */
    tn_value p;       /* LSTM: peepholes, [3 * hidden]; may be no value */
} step;

static void step_rnn(const cell *l, step *s)
{
    s->h = activated(l, 0, tn_add(l->c->b, s->x, recurrent(l, s->h, s->r, 0, 1)));
}

static void step_gru(const cell *l, step *s)
{
    tn_builder *b = l->c->b;
    const tn_value both = recurrent(l, s->h, s->r, 0, 2);
    const tn_value z = activated(l, 0, tn_add(b, gate(l, s->x, 0), gate(l, both, 0)));
    const tn_value r = activated(l, 0, tn_add(b, gate(l, s->x, 1), gate(l, both, 1)));
    tn_value other;
    if (l->linear_before_reset) {
        other = tn_add(b, recurrent(l, s->h, s->r, 2, 1), s->rb);
        other = tn_mul(b, r, other);
    } else {
        other = recurrent(l, tn_mul(b, r, s->h), s->r, 2, 1);
        other = tn_add(b, other, s->rb);
    }
    const tn_value fresh = activated(l, 1, tn_add(b, gate(l, s->x, 2), other));
    const tn_value rest = tn_sub(b, tn_scalar_like(b, z, 1), z);
    const tn_value taken = tn_mul(b, rest, fresh);
    s->h = tn_add(b, taken, tn_mul(b, z, s->h));
}

/* X plus what peephole K sees of the state C. */
static tn_value peeped(const cell *l, const step *s, tn_value x, uint32_t k, tn_value state)
{
    tn_builder *b = l->c->b;
    if (!tn_is_value(s->p))
        return x;
    const tn_value weights = tn_slice_axis(b, s->p, 0, k * l->hidden, l->hidden);
    return tn_add(b, x, tn_mul(b, weights, state));
}

static void step_lstm(const cell *l, step *s)
{
    tn_builder *b = l->c->b;
    enum { INPUT, OUTPUT, FORGET, CELL };
    const tn_value h = tn_is_value(s->q.scale) ? times_quantised(l->c, s->h, 2, s->r, &s->q)
                                               : recurrent(l, s->h, s->r, 0, MOST_GATES);
    const tn_value all = tn_add(b, s->x, h);
    const tn_value i = activated(l, 0, peeped(l, s, gate(l, all, INPUT), 0, s->c));
    const tn_value f = l->input_forget
                           ? tn_sub(b, tn_scalar_like(b, i, 1), i)
                           : activated(l, 0, peeped(l, s, gate(l, all, FORGET), 2, s->c));
    const tn_value fresh = activated(l, 1, gate(l, all, CELL));
    const tn_value kept = tn_mul(b, f, s->c);
    s->c = tn_add(b, kept, tn_mul(b, i, fresh));
    const tn_value o = activated(l, 0, peeped(l, s, gate(l, all, OUTPUT), 1, s->c));
    /* clipping is of what enters gates, not of the state */
    s->h = tn_mul(b, o, onnx_activated(l->c, &l->f[2], s->c));
}

/* ---- one direction ---- */

/* What a direction is given: tensors of the layer without the axis of directions. */
typedef struct one_direction {
    tn_value x;              /* [steps, batch, width] */
    tn_value w, r, b;        /* b may be no value */
    onnx_quantised w_q, r_q; /* their scales may be no values */
    tn_value h, c, p;
    tn_value lengths; /* [batch], si64; may be no value */
    bool reverse;
} one_direction;

/* The first elements of each sequence of X[steps, batch, ...] in the opposite order. */
static tn_value reversed(onnx_call *c, tn_value x, tn_value lengths)
{
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, x);
    if (!t || !tn_is_value(lengths))
        return tn_reverse(b, x, TN_INTS(0));
    const tn_value at = tn_iota(b, TN_SI64, onnx_dims(t), 0);
    const tn_value n = tn_broadcast_axes(b, lengths, onnx_dims(t), TN_INTS(1));
    const tn_value last = tn_sub(b, n, tn_scalar_int(b, TN_SI64, 1));
    const tn_value inside = tn_compare(b, TN_LT, at, n);
    return tn_gather(b, x, tn_select(b, inside, tn_sub(b, last, at), at), 0);
}

/* Part K of the biases. */
static tn_value bias_part(const cell *l, tn_value bias, uint32_t from, uint32_t n)
{
    return tn_slice_axis(l->c->b, bias, 0, from * l->hidden, n * l->hidden);
}

/* X W' and the biases that do not depend on the state, for all steps. */
static tn_value inputs_of(const cell *l, const one_direction *d)
{
    tn_builder *b = l->c->b;
    const uint32_t n = l->n_gates;
    tn_value x = tn_is_value(d->w_q.scale) ? times_quantised(l->c, d->x, 3, d->w, &d->w_q)
                                           : times_rows(b, d->x, 3, d->w);
    if (!tn_is_value(d->b))
        return x;
    x = tn_add(b, x, bias_part(l, d->b, 0, n));
    if (l->kind != ONNX_CELL_GRU)
        return tn_add(b, x, bias_part(l, d->b, n, n));
    const tn_value gates = bias_part(l, d->b, n, 2);
    return tn_add(b, x, tn_pad(b, gates, TN_INTS(0), TN_INTS(l->hidden), TN_INTS(0), 0));
}

/* FRESH where STEP lies within the sequences, OLD behind their ends. */
static tn_value within(onnx_call *c, tn_value at, tn_value lengths, tn_value fresh, tn_value old)
{
    const tn_value inside = tn_compare(c->b, TN_LT, at, lengths);
    return tn_select(c->b, tn_expand_dims(c->b, inside, TN_INTS(1)), fresh, old);
}

/* What the scan over the steps carries. */
enum { H, RECURRENT, C, LAST_BIAS, PEEPS, ENDS, SCALE, ZERO, N_CARRIED };

/* Those of VALUES whose carry is GIVEN, in order, into OUT; returns how many. */
static uint32_t carried_of(const tn_value given[N_CARRIED], const tn_value values[N_CARRIED],
                           tn_value *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < N_CARRIED; i++)
        if (tn_is_value(given[i]))
            out[n++] = values[i];
    return n;
}

/* A step as the body of the scan: from the carries IN, which become the next ones, and from X, its
 * part of the inputs. NUMBER is its own where sequences have lengths, else no value. Returns the
 * state that it shows. */
static tn_value run_step(const cell *l, tn_value in[N_CARRIED], tn_value x, tn_value number)
{
    step s = {.x = x,
              .h = in[H],
              .c = in[C],
              .r = in[RECURRENT],
              .q = {.scale = in[SCALE], .zero = in[ZERO]},
              .rb = in[LAST_BIAS],
              .p = in[PEEPS]};
    (l->kind == ONNX_CELL_RNN ? step_rnn : l->kind == ONNX_CELL_GRU ? step_gru : step_lstm)(l, &s);
    tn_value shown = s.h;
    if (tn_is_value(number)) {
        const tn_value zero = tn_scalar_like(l->c->b, s.h, 0);
        shown = within(l->c, number, in[ENDS], s.h, zero);
        s.h = within(l->c, number, in[ENDS], s.h, in[H]);
        if (tn_is_value(s.c))
            s.c = within(l->c, number, in[ENDS], s.c, in[C]);
    }
    in[H] = s.h;
    in[C] = s.c;
    return shown;
}

/* Run the direction: all states, and the last ones. */
static bool run_direction(const cell *l, const one_direction *d, tn_value *all, tn_value *last_h,
                          tn_value *last_c)
{
    onnx_call *c = l->c;
    tn_builder *b = c->b;
    const type *t = onnx_type_of(c, d->x);
    tn_value carried[N_CARRIED], in[N_CARRIED], out[N_CARRIED + 1], xs[2];
    if (!t || !tn_is_value(d->h))
        return false;
    tn_value last_bias = tn_no_value();
    if (l->kind == ONNX_CELL_GRU)
        last_bias = tn_is_value(d->b) ? bias_part(l, d->b, 5, 1)
                                      : tn_splat(b, t->dtype, TN_INTS(l->hidden), 0);
    const tn_value r = l->is_transposed ? tn_transpose(b, d->r, TN_INTS(1, 0)) : d->r;
    const tn_value given[N_CARRIED] = {d->h, r,          d->c,         last_bias,
                                       d->p, d->lengths, d->r_q.scale, d->r_q.zero};
    const uint32_t n = carried_of(given, given, carried);
    xs[0] = inputs_of(l, d);
    if (d->reverse)
        xs[0] = reversed(c, xs[0], d->lengths);
    uint32_t n_xs = 1;
    if (tn_is_value(d->lengths))
        xs[n_xs++] = tn_iota(b, TN_SI64, TN_INTS(t->dims[0]), 0);

    tn_region_begin(b, c->op->name);
    for (uint32_t i = 0; i < N_CARRIED; i++)
        in[i] = tn_is_value(given[i]) ? tn_param_like(b, given[i]) : tn_no_value();
    const tn_value x = tn_param_slice(b, xs[0]);
    const tn_value shown = run_step(l, in, x, n_xs > 1 ? tn_param_slice(b, xs[1]) : tn_no_value());
    tn_value results[N_CARRIED + 1];
    results[carried_of(given, in, results)] = shown;
    const tn_region body = tn_region_end(b, (tn_values){results, n + 1});
    tn_scan(b, body, (tn_values){carried, n}, (tn_values){xs, n_xs}, 1, out, n + 1);

    *all = out[n];
    *last_h = out[H]; /* the first of those that are carried, and C is behind RECURRENT */
    *last_c = tn_is_value(d->c) ? out[C] : tn_no_value();
    if (d->reverse && tn_is_value(*all))
        *all = reversed(c, *all, d->lengths);
    return tn_is_value(*all);
}

/* ---- the layer ---- */

enum { X, W, R, B, LENGTHS, FIRST_H, FIRST_C, PEEPHOLES, W_SCALE, W_ZERO, R_SCALE, R_ZERO };

typedef struct layer {
    onnx_call *c;
    onnx_cell_kind kind;
    bool is_quantised; /* the weights, which have the gates last then */
    cell cells[MOST_DIRECTIONS];
    uint32_t n_directions;
    bool batch_first, first_is_reverse;
} layer;

static bool read_directions(layer *l)
{
    onnx_call *c = l->c;
    const bool both = onnx_attr_is(c, "direction", "bidirectional", false);
    l->first_is_reverse = onnx_attr_is(c, "direction", "reverse", false);
    if (!both && !l->first_is_reverse && !onnx_attr_is(c, "direction", "forward", true))
        return onnx_refuse(c, DIAG_InvalidAttribute,
                           "'direction' is forward, reverse or bidirectional");
    l->n_directions = both ? 2 : 1;
    return true;
}

/* Do input K, a scale or a zero point of the weights, and the shape agree: one for each direction,
 * or for each of its N rows? */
static bool fits_weights(const layer *l, uint32_t k, int64_t n)
{
    const type *t = onnx_in_type(l->c, k);
    if (!onnx_has_in(l->c, k))
        return onnx_refuse(l->c, DIAG_ArityMismatch, "input %" PRIu32 " is left out", k);
    return t && t->rank == 2 ? onnx_in_fits(l->c, k, TN_INTS(l->n_directions, n))
                             : onnx_in_fits(l->c, k, TN_INTS(l->n_directions));
}

/* N for each direction. */
static bool read_activations(layer *l, uint32_t n)
{
    activation all[MOST_DIRECTIONS * MOST_ACTIVATIONS];
    if (!onnx_activations_read(l->c, l->kind, l->n_directions, n, all))
        return false;
    for (uint32_t d = 0; d < l->n_directions; d++)
        memcpy(l->cells[d].f, all + (size_t)d * n, n * sizeof *all);
    return true;
}

static bool read_layer(layer *l)
{
    static const uint32_t n_gates[] = {1, 3, 4}, n_functions[] = {1, 2, 3};
    onnx_call *c = l->c;
    const onnx_cell_kind kind = l->kind;
    const type *t = onnx_in_type(c, X), *r = onnx_in_type(c, R), *w = onnx_in_type(c, W);
    if (!t || !r || !w || !read_directions(l))
        return false;
    l->batch_first = onnx_attr_int(c, "layout", 0);
    const uint32_t gates_at = l->is_quantised ? 2 : 1, width_at = l->is_quantised ? 1 : 2;
    const int64_t hidden = r->rank == 3 ? r->dims[width_at] : 0;
    if (t->rank != 3 || r->rank != 3 || w->rank != 3)
        return onnx_refuse(c, DIAG_RankMismatch, "input and weights must have rank 3");
    if (dim_is_symbolic(hidden) || hidden <= 0 || hidden > INT32_MAX ||
        w->dims[gates_at] != hidden * n_gates[kind] ||
        r->dims[gates_at] != hidden * n_gates[kind] || w->dims[0] != l->n_directions ||
        r->dims[0] != l->n_directions)
        return onnx_refuse(c, DIAG_DimensionMismatch,
                           "the weights have the shapes %s and %s, and with %" PRIu32
                           " gates of one width and %" PRId64 " direction%s these do not fit",
                           onnx_shape_text(c, (tn_ints){w->dims, w->rank}),
                           onnx_shape_text(c, (tn_ints){r->dims, r->rank}), n_gates[kind],
                           (int64_t)l->n_directions, plural((uint64_t)l->n_directions));
    const int64_t named = onnx_attr_int(c, "hidden_size", hidden);
    if (named != hidden)
        return onnx_refuse(c, DIAG_InvalidAttribute,
                           "'hidden_size' is %" PRId64 ", and the weights are for %" PRId64, named,
                           hidden);
    const dim n = l->n_directions, batch = t->dims[l->batch_first ? 0 : 1];
    const dim rows = hidden * n_gates[kind];
    const tn_ints state = l->batch_first ? TN_INTS(batch, n, hidden) : TN_INTS(n, batch, hidden);
    for (uint32_t k = W_SCALE; l->is_quantised && k <= R_ZERO; k++)
        if (!fits_weights(l, k, rows))
            return false;
    if (!onnx_in_fits(
            c, W, l->is_quantised ? TN_INTS(n, t->dims[2], rows) : TN_INTS(n, rows, t->dims[2])) ||
        !onnx_in_fits(c, B, TN_INTS(n, 2 * hidden * n_gates[kind])) ||
        !onnx_in_fits(c, LENGTHS, TN_INTS(batch)) || !onnx_in_fits(c, FIRST_H, state) ||
        (kind == ONNX_CELL_LSTM &&
         (!onnx_in_fits(c, FIRST_C, state) || !onnx_in_fits(c, PEEPHOLES, TN_INTS(n, 3 * hidden)))))
        return false;
    for (uint32_t d = 0; d < l->n_directions; d++)
        l->cells[d] = (cell){.c = c,
                             .kind = kind,
                             .n_gates = n_gates[kind],
                             .hidden = hidden,
                             .clip = onnx_attr_float(c, "clip", 0),
                             .is_transposed = !l->is_quantised && batch == 1 &&
                                              t->dims[l->batch_first ? 1 : 0] != 1,
                             .input_forget = onnx_attr_int(c, "input_forget", 0),
                             .linear_before_reset = onnx_attr_int(c, "linear_before_reset", 0)};
    return read_activations(l, n_functions[kind]);
}

/* Direction D of input K, which has their axis at AXIS; no value when it is left out. */
static tn_value part_of(onnx_call *c, uint32_t k, uint32_t d, int64_t axis)
{
    const tn_value v = onnx_in(c, k);
    if (!tn_is_value(v))
        return v;
    return tn_squeeze(c->b, tn_slice_axis(c->b, v, axis, d, 1), TN_INTS(axis));
}

/* The state that input K begins with: zeros when it is left out. */
static tn_value first_state(const layer *l, uint32_t k, uint32_t d, dim batch, tn_dtype dtype)
{
    const tn_value v = part_of(l->c, k, d, l->batch_first ? 1 : 0);
    if (tn_is_value(v))
        return v;
    return tn_splat(l->c->b, dtype, TN_INTS(batch, l->cells[d].hidden), 0);
}

/* PARTS, one for each direction, joined along a new axis. */
static tn_value joined(const layer *l, const tn_value *parts, int64_t axis)
{
    tn_value wide[2];
    for (uint32_t d = 0; d < l->n_directions; d++)
        wide[d] = tn_expand_dims(l->c->b, parts[d], TN_INTS(axis));
    return l->n_directions == 1 ? wide[0] : tn_concat(l->c->b, (tn_values){wide, 2}, axis);
}

/* The weights of direction D, inputs W and R, and how they are quantised. */
static void give_weights(const layer *l, uint32_t d, one_direction *out)
{
    onnx_call *c = l->c;
    out->w = part_of(c, W, d, 0);
    out->r = part_of(c, R, d, 0);
    if (!l->is_quantised)
        return;
    out->w = tn_transpose(c->b, out->w, TN_INTS(1, 0));
    out->r = tn_transpose(c->b, out->r, TN_INTS(1, 0));
    out->w_q = (onnx_quantised){.scale = part_of(c, W_SCALE, d, 0)};
    out->w_q.zero = part_of(c, W_ZERO, d, 0);
    out->r_q = (onnx_quantised){.scale = part_of(c, R_SCALE, d, 0)};
    out->r_q.zero = part_of(c, R_ZERO, d, 0);
}

static bool give_layer(layer l)
{
    onnx_call *c = l.c;
    tn_builder *b = c->b;
    tn_value all[2], h[2], state[2];
    if (!read_layer(&l))
        return false;
    const bool is_lstm = l.kind == ONNX_CELL_LSTM;
    tn_value x = onnx_in(c, X), lengths = onnx_in(c, LENGTHS);
    if (l.batch_first)
        x = tn_transpose(b, x, TN_INTS(1, 0, 2));
    if (tn_is_value(lengths))
        lengths = tn_cast(b, lengths, TN_SI64);
    const type *t = onnx_type_of(c, x);
    if (!t)
        return false;
    for (uint32_t d = 0; d < l.n_directions; d++) {
        one_direction one = {.x = x, .lengths = lengths, .reverse = l.first_is_reverse || d == 1};
        give_weights(&l, d, &one);
        one.b = part_of(c, B, d, 0);
        one.h = first_state(&l, FIRST_H, d, t->dims[1], t->dtype);
        if (is_lstm) {
            one.c = first_state(&l, FIRST_C, d, t->dims[1], t->dtype);
            one.p = part_of(c, PEEPHOLES, d, 0);
        }
        if (!run_direction(&l.cells[d], &one, &all[d], &h[d], &state[d]))
            return false;
    }
    tn_value y = joined(&l, all, 1); /* steps, directions, batch, hidden */
    if (l.batch_first)
        y = tn_transpose(b, y, TN_INTS(2, 0, 1, 3));
    const int64_t axis = l.batch_first ? 1 : 0;
    return onnx_give(c, 0, y) && (!onnx_wants_out(c, 1) || onnx_give(c, 1, joined(&l, h, axis))) &&
           (!is_lstm || !onnx_wants_out(c, 2) || onnx_give(c, 2, joined(&l, state, axis)));
}

bool onnx_op_recurrent(onnx_call *c)
{
    return give_layer((layer){.c = c, .kind = (onnx_cell_kind)c->op->arg});
}

bool onnx_op_dynamic_quantize_lstm(onnx_call *c)
{
    return give_layer((layer){.c = c, .kind = ONNX_CELL_LSTM, .is_quantised = true});
}
