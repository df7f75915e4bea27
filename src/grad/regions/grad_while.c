/* The derivative of while.
 *
 * With y(0) = cond(operands) and y(t + 1) = cond(body(y(t))), the result is y(N) for N iterations:
 * a loop over one step. When N follows from constants the step runs under two scans: one that
 * records every y(t), in the place of the loop, and one that goes back. Otherwise the loop counts
 * its iterations, and each step back computes its y(t) again from the start: no memory that grows
 * with N, but N * N / 2 steps. */
#include "grad/derivatives.h"
#include "grad/regions/grad_control.h"
#include "graph/literal.h"

typedef struct loop {
    const function *cond, *body;
    uint32_t n;         /* carries */
    bool passes;        /* the condition gives its parameters on as they are */
    const value_id *y0; /* in the function of the call */
    const value_id *g;
    const bool *wanted; /* by carry */
    value_id *out;      /* gradients of y0 */
} loop;

/* ---- how many iterations ------------------------------------------------------------------------
 */

enum { MOST_ITERATIONS = 1 << 20 }; /* that are recorded */

/* The one integer that V is, seen through broadcasts. */
static bool constant_of(const function *f, value_id v, int64_t *out)
{
    const node *n = node_of(f, v);
    while (n->op == OP_BROADCAST || n->op == OP_RESHAPE || n->op == OP_STOP_GRADIENT)
        n = node_of(f, n->in[0]);
    const literal *l = literal_of(n);
    if (!l || !dtype_is_signed(l->type->dtype) || !literal_is_uniform(l))
        return false;
    *out = scalar_load(l->type->dtype, l->data).i;
    return true;
}

/* The number of the parameter that V is, or the number of parameters. */
static uint32_t parameter_of(const function *f, value_id v)
{
    uint32_t k = 0;
    while (node_of(f, v)->op == OP_STOP_GRADIENT || node_of(f, v)->op == OP_RESHAPE)
        v = node_of(f, v)->in[0];
    while (k < f->inputs.n && f->inputs.at[k] != v)
        k++;
    return k;
}

static bool holds(direction d, int64_t a, int64_t b)
{
    switch (d) {
    case DIR_LT:
        return a < b;
    case DIR_LE:
        return a <= b;
    case DIR_EQ:
        return a == b;
    case DIR_GE:
        return a >= b;
    case DIR_GT:
        return a > b;
    case DIR_NE:
        return a != b;
    }
    return false;
}

/* The type of the integers on both sides of the comparison P. */
static tn_dtype counted_in(const loop *l, const node *p)
{
    return value_type(l->cond, p->in[0])->dtype;
}

/* *AT grows by STEP, which integers of D can hold: others wrap. */
static bool grows(tn_dtype d, int64_t *at, int64_t step)
{
    return !__builtin_add_overflow(*at, step, at) && *at >= dtype_int_min(d) &&
           *at <= (int64_t)dtype_int_max(d);
}

/* Carry K grows by *STEP every iteration. */
static bool step_of(const loop *l, uint32_t k, int64_t *step)
{
    const node *n = node_of(l->body, l->body->outputs.at[k]);
    if (parameter_of(l->body, l->body->outputs.at[k]) == k) {
        *step = 0;
        return true;
    }
    while (n->op == OP_RESHAPE || n->op == OP_STOP_GRADIENT)
        n = node_of(l->body, n->in[0]);
    if (n->op == OP_ADD && parameter_of(l->body, n->in[1]) == k)
        return constant_of(l->body, n->in[0], step);
    if ((n->op != OP_ADD && n->op != OP_SUB) || parameter_of(l->body, n->in[0]) != k ||
        !constant_of(l->body, n->in[1], step))
        return false;
    if (*step == INT64_MIN)
        return false;
    *step = n->op == OP_SUB ? -*step : *step;
    return true;
}

/* A side of the comparison: where it starts, and what every iteration adds. */
static bool side_of(const grad_call *c, const loop *l, value_id v, int64_t *start, int64_t *step)
{
    uint32_t k = parameter_of(l->cond, v);
    *step = 0;
    if (k == l->n)
        return constant_of(l->cond, v, start);
    return constant_of(c->b.f, c->n.in[k], start) && step_of(l, k, step);
}

/* The number of iterations, when it follows from constants and is not too large; else -1. */
static int64_t known_iterations(const grad_call *c, const loop *l)
{
    const node *p = node_of(l->cond, l->cond->outputs.at[0]);
    int64_t a, b, da, db, iterations = 0;
    while (p->op == OP_RESHAPE || p->op == OP_STOP_GRADIENT)
        p = node_of(l->cond, p->in[0]);
    if (!l->passes || p->op != OP_COMPARE || !side_of(c, l, p->in[0], &a, &da) ||
        !side_of(c, l, p->in[1], &b, &db))
        return -1;
    const direction d = (direction)attr_int(p->attrs, KEY_DIRECTION, 0);
    const tn_dtype counted = counted_in(l, p);
    while (holds(d, a, b)) {
        if (++iterations > MOST_ITERATIONS || !grows(counted, &a, da) || !grows(counted, &b, db))
            return -1;
    }
    return iterations;
}

/* ---- the step ------------------------------------------------------------------------------ */

/* cond's carries of Y; Y itself when it passes them on. */
static void after_cond(builder *b, grad_call *c, const loop *l, const value_id *y, value_id *out)
{
    value_id *all = region_ids(c, l->n + 1);
    if (!all)
        return;
    if (!l->passes)
        region_inline(b, c, l->cond, y, all);
    for (uint32_t k = 0; k < l->n; k++)
        out[k] = l->passes ? y[k] : all[k + 1];
}

static void params_like(grad_call *c, region *r, const loop *l, value_id *out)
{
    for (uint32_t k = 0; k < l->n; k++)
        out[k] = region_param(r, value_type(c->b.f, l->y0[k]));
}

static const function *build_step(grad_call *c, const loop *l, bool for_scan)
{
    region r = region_new(c, "while_step");
    value_id *y = region_ids(c, l->n), *out = region_ids(c, l->n);
    if (!region_is_fine(c))
        return NULL;
    params_like(c, &r, l, y);
    if (for_scan)
        (void)region_param(&r, type_scalar(&c->b.f->module->types, TN_SI64));
    region_inline(&r.b, c, l->body, y, out);
    after_cond(&r.b, c, l, out, out);
    for (uint32_t k = 0; k < l->n; k++)
        region_output(&r, out[k]);
    region_done(&r);
    return region_is_fine(c) ? r.b.f : NULL;
}

/* What is asked about L, with room for MORE words. */
static question question_of(const grad_call *c, const loop *l, enum question_kind kind,
                            uint32_t more)
{
    question q = region_question(c, kind, 2 + l->n + more);
    question_region(&q, l->cond);
    question_region(&q, l->body);
    for (uint32_t k = 0; k < l->n; k++)
        question_type(&q, value_type(c->b.f, l->y0[k]));
    return q;
}

/* y to cond(body(y)); with an operand at the end that nothing reads, for scan. NULL after a
 * failure. */
static const function *make_step(grad_call *c, const loop *l, bool for_scan)
{
    question q = question_of(c, l, ASKS_STEP, 1);
    question_add(&q, for_scan);
    const function *step = region_recall(c, &q);
    if (!step) {
        step = build_step(c, l, for_scan);
        region_remember(c, &q, step);
    }
    return step;
}

static void with_iterations(grad_call *c, const loop *l, int64_t iterations)
{
    const function *step = make_step(c, l, true);
    value_id *in = region_ids(c, l->n + 1), *out = region_ids(c, l->n + 1);
    value_id *primal_in = region_ids(c, l->n + 1);
    bool *wanted = region_flags(c, l->n + 1);
    uint32_t first_node = c->b.f->nodes.n;
    if (!region_is_fine(c))
        return;
    for (uint32_t k = 0; k < l->n; k++) {
        in[k] = l->y0[k];
        primal_in[k] = region_operands(c)[k]; /* a loop with a known number passes them on */
        wanted[k] = l->wanted[k];
    }
    in[l->n] = primal_in[l->n] = build_splat(&c->b, TN_SI64, &iterations, 1, scalar_of_int(0));
    scan_job j = {step, l->n, 1, in, primal_in, first_node, l->g, wanted, out};
    if (region_is_fine(c))
        grad_scan_job(c, &j);
    for (uint32_t k = 0; k < l->n; k++)
        l->out[k] = out[k];
}

/* ---- without a known number of iterations -------------------------------------------------------
 */

static value_id number(builder *b, int64_t i)
{
    return build_scalar(b, TN_SI64, scalar_of_int(i));
}

/* The regions of a while that is made. */
typedef struct loop_regions {
    int64_t cond, body;
} loop_regions;

static loop_regions regions_done(region *cond, region *body)
{
    region_done(cond);
    region_done(body);
    return (loop_regions){cond->index, body->index};
}

static value_id emit_while(builder *b, const grad_call *c, loop_regions r, const value_id *in,
                           uint32_t n)
{
    if (b->status == TN_OK)
        b->status = c->b.status;
    attr entries[] = {attr_of_int(KEY_COND_REGION, r.cond), attr_of_int(KEY_BODY_REGION, r.body)};
    return build_node(b, OP_WHILE, in, n, entries, 2);
}

static loop_regions build_counting(grad_call *c, const loop *l)
{
    const type *index = type_scalar(&c->b.f->module->types, TN_SI64);
    region cond = region_new(c, "while_counted"), body = region_new(c, "while_counting");
    value_id *y = region_ids(c, l->n + 1), *out = region_ids(c, l->n + 1);
    if (!region_is_fine(c))
        return (loop_regions){0, 0};
    value_id i = region_param(&cond, index);
    params_like(c, &cond, l, y);
    region_inline(&cond.b, c, l->cond, y, out);
    region_output(&cond, out[0]);
    region_output(&cond, i);
    for (uint32_t k = 0; k < l->n; k++)
        region_output(&cond, out[k + 1]);

    i = region_param(&body, index);
    params_like(c, &body, l, y);
    region_inline(&body.b, c, l->body, y, out);
    region_output(&body, build_binary(&body.b, OP_ADD, i, number(&body.b, 1)));
    for (uint32_t k = 0; k < l->n; k++)
        region_output(&body, out[k]);
    return regions_done(&cond, &body);
}

static loop_regions make_counting(grad_call *c, const loop *l)
{
    question q = question_of(c, l, ASKS_COUNTED, 0);
    int64_t known[2];
    if (region_recall_indices(c, &q, known, 2))
        return (loop_regions){known[0], known[1]};
    const loop_regions r = build_counting(c, l);
    region_remember_indices(c, &q, (int64_t[]){r.cond, r.body}, 2);
    return r;
}

/* The primal loop with a counter in front of the carries, in the place of the one without. */
static value_id count_iterations(grad_call *c, const loop *l)
{
    const loop_regions counting = make_counting(c, l);
    value_id *in = region_ids(c, l->n + 1);
    if (!in)
        return NO_VALUE;
    uint32_t first_node = c->b.f->nodes.n;
    in[0] = number(&c->b, 0);
    for (uint32_t k = 0; k < l->n; k++)
        in[k + 1] = region_operands(c)[k];
    value_id first = emit_while(&c->b, c, counting, in, l->n + 1);
    region_replace(c, first_node, first + 1);
    return first;
}

/* In B: y after ITERATIONS steps from Y0, in OUT. */
static void replay(builder *b, grad_call *c, const loop *l, const function *step,
                   value_id iterations, const value_id *y0, value_id *out)
{
    const type *index = type_scalar(&c->b.f->module->types, TN_SI64);
    region cond = region_new(c, "replay_cond"), body = region_new(c, "replay_body");
    value_id *y = region_ids(c, l->n), *in = region_ids(c, l->n + 2);
    if (!region_is_fine(c)) {
        b->status = c->b.status;
        return;
    }
    value_id j = region_param(&cond, index), end = region_param(&cond, index);
    params_like(c, &cond, l, y);
    region_output(&cond, build_compare(&cond.b, DIR_LT, j, end));
    region_output(&cond, j);
    region_output(&cond, end);
    for (uint32_t k = 0; k < l->n; k++)
        region_output(&cond, y[k]);

    j = region_param(&body, index);
    end = region_param(&body, index);
    params_like(c, &body, l, y);
    region_inline(&body.b, c, step, y, y);
    region_output(&body, build_binary(&body.b, OP_ADD, j, number(&body.b, 1)));
    region_output(&body, end);
    for (uint32_t k = 0; k < l->n; k++)
        region_output(&body, y[k]);
    in[0] = number(b, 0);
    in[1] = iterations;
    for (uint32_t k = 0; k < l->n; k++)
        in[k + 2] = y0[k];
    const loop_regions replaying = regions_done(&cond, &body);
    value_id first = emit_while(b, c, replaying, in, l->n + 2);
    for (uint32_t k = 0; k < l->n; k++)
        out[k] = first == NO_VALUE ? NO_VALUE : first + 2 + k;
}

/* One step back: computes y again from the start, and takes G back through STEP. */
static loop_regions build_back(grad_call *c, const loop *l, const function *step,
                               const bool *active)
{
    const type *index = type_scalar(&c->b.f->module->types, TN_SI64);
    region cond = region_new(c, "back_cond"), body = region_new(c, "back_body");
    value_id *y0 = region_ids(c, l->n), *y = region_ids(c, l->n), *g = region_ids(c, l->n);
    value_id *out = region_ids(c, l->n);
    if (!region_is_fine(c))
        return (loop_regions){0, 0};
    value_id left = region_param(&cond, index);
    region_output(&cond, build_compare(&cond.b, DIR_LT, number(&cond.b, 0), left));
    region_output(&cond, left);
    for (uint32_t k = 0; k < l->n; k++)
        region_output(&cond, region_param(&cond, value_type(c->b.f, l->y0[k])));
    for (uint32_t k = 0; k < l->n; k++)
        if (active[k])
            region_output(&cond, region_param(&cond, value_type(c->b.f, l->y0[k])));

    left = region_param(&body, index);
    params_like(c, &body, l, y0);
    for (uint32_t k = 0; k < l->n; k++)
        if (active[k])
            g[k] = region_param(&body, value_type(c->b.f, l->y0[k]));
    left = build_binary(&body.b, OP_SUB, left, number(&body.b, 1));
    replay(&body.b, c, l, step, left, y0, y);
    if (body.b.status == TN_OK)
        region_vjp(&body.b, c, step, y, g, active, out);
    region_output(&body, left);
    for (uint32_t k = 0; k < l->n; k++)
        region_output(&body, y0[k]);
    for (uint32_t k = 0; k < l->n; k++)
        region_output(&body, out[k]);
    return regions_done(&cond, &body);
}

static loop_regions make_back(grad_call *c, const loop *l, const function *step, const bool *active)
{
    question q = question_of(c, l, ASKS_BACK, l->n);
    int64_t known[2];
    for (uint32_t k = 0; k < l->n; k++)
        question_add(&q, active[k]);
    if (region_recall_indices(c, &q, known, 2))
        return (loop_regions){known[0], known[1]};
    const loop_regions r = build_back(c, l, step, active);
    region_remember_indices(c, &q, (int64_t[]){r.cond, r.body}, 2);
    return r;
}

static void with_replays(grad_call *c, const loop *l)
{
    value_id iterations = count_iterations(c, l);
    const function *step = make_step(c, l, false);
    bool *active = region_flags(c, l->n);
    value_id *in = region_ids(c, 2 * l->n + 1);
    uint32_t n = 0;
    if (!region_is_fine(c))
        return;
    for (uint32_t k = 0; k < l->n; k++)
        active[k] = l->wanted[k];
    region_spread(c, step, l->n, active);
    const loop_regions back = make_back(c, l, step, active);
    in[n++] = iterations;
    for (uint32_t k = 0; k < l->n; k++)
        in[n++] = l->y0[k];
    for (uint32_t k = 0; k < l->n; k++)
        if (active[k])
            in[n++] = l->g[k] != NO_VALUE ? l->g[k] : grad_zeros(c, l->y0[k]);
    value_id next = emit_while(&c->b, c, back, in, n);
    if (next == NO_VALUE)
        return;
    next += 1 + l->n;
    for (uint32_t k = 0; k < l->n; k++)
        l->out[k] = active[k] ? next++ : NO_VALUE;
}

/* ---- the rule ------------------------------------------------------------------------------ */

/* Fill `shared`: the gradients of y(0), taken back through the condition. */
static tn_status fill(grad_call *c)
{
    loop l = {.cond = region_of_node(c, KEY_COND_REGION),
              .body = region_of_node(c, KEY_BODY_REGION),
              .n = c->n.n_in,
              .passes = true,
              .g = c->g};
    value_id *y0 = region_ids(c, l.n);
    bool *wanted = region_flags(c, l.n);
    reverse_walk w;
    l.out = region_ids(c, l.n);
    if (!region_is_fine(c))
        return c->b.status;
    for (uint32_t k = 0; k < l.n; k++)
        l.passes = l.passes && l.cond->outputs.at[k + 1] == l.cond->inputs.at[k];
    uint32_t first = c->b.f->nodes.n;
    after_cond(&c->b, c, &l, c->n.in, y0);
    if (!region_is_fine(c))
        return c->b.status;
    TN_TRY(reverse_init(&w, c->b.f, first, c->style, c->depth, c->work));
    for (uint32_t k = 0; k < l.n; k++)
        if (c->wanted[k])
            w.depends[c->n.in[k]] = true;
    reverse_mark(&w);
    for (uint32_t k = 0; k < l.n; k++)
        wanted[k] = reverse_wants(&w, y0[k]);
    l.y0 = y0;
    l.wanted = wanted;
    int64_t iterations = known_iterations(c, &l);
    if (iterations == 0)
        memcpy(l.out, l.g, l.n * sizeof *l.out);
    else if (iterations > 0)
        with_iterations(c, &l, iterations);
    else
        with_replays(c, &l);
    for (uint32_t k = 0; k < l.n && region_is_fine(c); k++)
        if (wanted[k])
            TN_TRY(reverse_add(&w, &c->b, y0[k], l.out[k]));
    if (region_is_fine(c))
        c->b.status = reverse_run(&w);
    /* An operand that stands twice has one gradient, which is given once. */
    for (uint32_t k = 0; k < l.n && region_is_fine(c); k++) {
        c->shared[k] = c->wanted[k] ? w.grads[c->n.in[k]] : NO_VALUE;
        if (c->wanted[k])
            w.grads[c->n.in[k]] = NO_VALUE;
    }
    return c->b.status;
}

tn_status grad_while(grad_call *c)
{
    if (!*c->is_shared) {
        *c->is_shared = true;
        TN_TRY(fill(c));
    }
    return grad_gives(c, c->shared[c->operand]);
}
