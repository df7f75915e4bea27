/* Derivatives of cond and scan: a region that computes its iteration again and goes back through
 * it. */
#include "grad/regions/grad_control.h"
#include "grad/derivatives.h"

/* The end of a rule that fills `shared` for all operands. */
static tn_status give_shared(grad_call *c)
{
    return grad_gives(c, c->b.status == TN_OK ? c->shared[c->operand] : NO_VALUE);
}

/* ---- cond ---------------------------------------------------------------------------------- */

static int64_t make_branch(grad_call *c, const function *f, const char *name)
{
    region r = region_new(c, name);
    value_id *args = region_ids(c, f->inputs.n), *g = region_ids(c, f->outputs.n);
    value_id *out = region_ids(c, f->inputs.n);
    if (!region_is_fine(c))
        return 0;
    for (uint32_t k = 0; k < f->inputs.n; k++)
        args[k] = region_param(&r, value_type(f, f->inputs.at[k]));
    for (uint32_t k = 0; k < f->outputs.n; k++)
        if (c->g[k] != NO_VALUE)
            g[k] = region_param(&r, value_type(c->b.f, c->g[k]));
    region_vjp(&r.b, c, f, args, g, c->wanted + 1, out);
    for (uint32_t k = 0; k < f->inputs.n; k++)
        region_output(&r, out[k]);
    region_done(&r);
    return r.index;
}

/* The derivative of one branch, as a region of the arguments and the gradients of the results. */
static int64_t branch(grad_call *c, attr_key key, const char *name)
{
    const function *f = region_of_node(c, key);
    question q = region_question(c, ASKS_BRANCH, 1 + f->inputs.n + f->outputs.n);
    int64_t index = 0;
    question_region(&q, f);
    for (uint32_t k = 0; k < f->inputs.n; k++)
        question_add(&q, c->wanted[k + 1]);
    for (uint32_t k = 0; k < f->outputs.n; k++)
        question_type(&q, c->g[k] == NO_VALUE ? NULL : value_type(c->b.f, c->g[k]));
    if (region_recall_indices(c, &q, &index, 1))
        return index;
    index = make_branch(c, f, name);
    region_remember_indices(c, &q, &index, 1);
    return index;
}

tn_status grad_cond(grad_call *c)
{
    if (*c->is_shared)
        return give_shared(c);
    *c->is_shared = true;
    attr entries[2];
    entries[0] = attr_of_int(KEY_TRUE_REGION, branch(c, KEY_TRUE_REGION, "true_gradient"));
    entries[1] = attr_of_int(KEY_FALSE_REGION, branch(c, KEY_FALSE_REGION, "false_gradient"));
    value_id *in = region_ids(c, c->n.n_in + c->n.n_results);
    if (!region_is_fine(c))
        return c->b.status;
    uint32_t n = 0;
    for (uint32_t k = 0; k < c->n.n_in; k++)
        in[n++] = c->n.in[k];
    for (uint32_t k = 0; k < c->n.n_results; k++)
        if (c->g[k] != NO_VALUE)
            in[n++] = c->g[k];
    value_id next = build_node(&c->b, OP_COND, in, n, entries, 2);
    for (uint32_t k = 0; k < c->n.n_in; k++)
        c->shared[k] = c->wanted[k] && next != NO_VALUE ? next++ : NO_VALUE;
    return give_shared(c);
}

/* ---- scan ---------------------------------------------------------------------------------- */

/* The parameters of the backward body: gradients of active carries, carries of the primal iteration
 * that every iteration passes on unchanged, its other carries and slices, the gradients of stacked
 * results. The first two are carries, the rest is scanned. */
typedef struct backward {
    region r;
    bool *active;        /* by parameter of the body */
    bool *kept;          /* by place in `order`: the parameter is needed */
    uint32_t *order;     /* parameters of the body, the unchanging ones first */
    uint32_t n_carries;  /* active ones */
    uint32_t n_slices;   /* active scanned operands */
    uint32_t n_constant; /* unchanging */
    uint32_t n_carried;  /* of these, those that are needed */
} backward;

static void choose(grad_call *c, const scan_job *j, backward *b)
{
    uint32_t n = j->carries + j->scanned, at = 0;
    for (uint32_t k = 0; k < n; k++)
        b->active[k] = j->wanted[k];
    region_spread(c, j->body, j->carries, b->active);
    for (uint32_t k = 0; k < n; k++)
        *(k < j->carries ? &b->n_carries : &b->n_slices) += b->active[k];
    for (uint32_t k = 0; k < j->carries; k++)
        if (region_passes(j->body, k))
            b->order[b->n_constant++] = k;
    at = b->n_constant;
    for (uint32_t k = 0; k < n; k++)
        if (k >= j->carries || !region_passes(j->body, k))
            b->order[at++] = k;
}

/* The unchanging parameters that are needed are results behind those of the other carries. */
static void pass_on(backward *b)
{
    function *f = b->r.b.f;
    for (uint32_t i = 0; i < b->n_constant; i++)
        b->n_carried += b->kept[i];
    uint32_t n = b->n_carried, first = b->n_carries;
    for (uint32_t i = 0; i < n; i++)
        region_output(&b->r, f->inputs.at[first + i]);
    if (b->r.b.status != TN_OK || n == 0)
        return;
    for (uint32_t i = f->outputs.n; i-- > first + n;)
        f->outputs.at[i] = f->outputs.at[i - n];
    for (uint32_t i = 0; i < n; i++)
        f->outputs.at[first + i] = f->inputs.at[first + i];
}

static void build_backward(grad_call *c, const scan_job *j, backward *b)
{
    const function *body = j->body;
    uint32_t n = j->carries + j->scanned;
    value_id *args = region_ids(c, n), *out = region_ids(c, n);
    value_id *g = region_ids(c, body->outputs.n);
    b->active = region_flags(c, n);
    b->kept = region_flags(c, n);
    b->order = region_ids(c, n);
    b->r = region_new(c, "scan_gradient");
    if (!region_is_fine(c))
        return;
    choose(c, j, b);
    for (uint32_t k = 0; k < j->carries; k++)
        if (b->active[k])
            g[k] = region_param(&b->r, value_type(body, body->inputs.at[k]));
    for (uint32_t i = 0; i < n; i++)
        args[b->order[i]] = region_param(&b->r, value_type(body, body->inputs.at[b->order[i]]));
    for (uint32_t k = j->carries; k < body->outputs.n; k++)
        if (j->g[k] != NO_VALUE)
            g[k] = region_param(&b->r, value_type(body, body->outputs.at[k]));
    region_vjp(&b->r.b, c, body, args, g, b->active, out);
    for (uint32_t k = 0; k < n; k++)
        region_output(&b->r, out[k]);
    region_prune(&b->r, b->n_carries, n, b->n_constant, b->kept);
    pass_on(b);
    region_done(&b->r);
}

static void make_backward(grad_call *c, const scan_job *j, backward *b)
{
    const uint32_t n = j->carries + j->scanned, n_stacked = j->body->outputs.n - j->carries;
    question q = region_question(c, ASKS_BACKWARD, 2 + n + n_stacked);
    question_region(&q, j->body);
    question_add(&q, j->carries);
    for (uint32_t k = 0; k < n; k++)
        question_add(&q, j->wanted[k]);
    for (uint32_t k = j->carries; k < j->body->outputs.n; k++)
        question_add(&q, j->g[k] != NO_VALUE);
    const backward *known = region_recall(c, &q);
    if (known) {
        *b = *known;
        return;
    }
    build_backward(c, j, b);
    backward *own = ARENA_NEW(&c->b.f->module->arena, backward);
    if (own)
        *own = *b;
    region_remember(c, &q, own);
}

static int64_t make_recording(grad_call *c, const scan_job *j, const backward *b)
{
    const function *body = j->body;
    const uint32_t n = j->carries + j->scanned;
    region r = region_new(c, "scan_recorded");
    value_id *args = region_ids(c, n), *out = region_ids(c, body->outputs.n);
    if (!region_is_fine(c))
        return 0;
    for (uint32_t k = 0; k < n; k++)
        args[k] = region_param(&r, value_type(body, body->inputs.at[k]));
    region_inline(&r.b, c, body, args, out);
    for (uint32_t k = 0; k < body->outputs.n; k++)
        region_output(&r, out[k]);
    for (uint32_t i = b->n_constant; i < j->carries; i++)
        if (b->kept[i])
            region_output(&r, args[b->order[i]]);
    region_done(&r);
    return r.index;
}

/* The body of the scan, giving also the carries that are needed. */
static int64_t recording_body(grad_call *c, const scan_job *j, const backward *b)
{
    question q = region_question(c, ASKS_RECORD, 2 + j->carries);
    int64_t index = 0;
    question_region(&q, j->body);
    question_add(&q, j->carries);
    for (uint32_t i = b->n_constant; i < j->carries; i++)
        if (b->kept[i])
            question_add(&q, b->order[i]);
    if (region_recall_indices(c, &q, &index, 1))
        return index;
    index = make_recording(c, j, b);
    region_remember_indices(c, &q, &index, 1);
    return index;
}

/* The primal scan, giving also the carries that every iteration began with, of those that are
 * needed, which takes the primal scan's place. The result is the first of these. */
static value_id record(grad_call *c, const scan_job *j, const backward *b)
{
    const function *body = j->body;
    uint32_t n = j->carries + j->scanned, n_recorded = 0;
    if (!region_is_fine(c))
        return NO_VALUE;
    for (uint32_t i = b->n_constant; i < j->carries; i++)
        n_recorded += b->kept[i];
    if (n_recorded == 0)
        return NO_VALUE;
    const int64_t recorded = recording_body(c, j, b);
    if (!region_is_fine(c))
        return NO_VALUE;
    attr entries[] = {attr_of_int(KEY_BODY_REGION, recorded),
                      attr_of_int(KEY_CARRY_COUNT, j->carries),
                      attr_of_int(KEY_OUTPUT_COUNT, body->outputs.n - j->carries + n_recorded)};
    value_id first = build_node(&c->b, OP_SCAN, j->primal_in, n, entries, 3);
    region_replace(c, j->first_node, first);
    return first == NO_VALUE ? NO_VALUE : first + body->outputs.n;
}

void grad_scan_job(grad_call *c, const scan_job *j)
{
    const function *body = j->body;
    uint32_t n = j->carries + j->scanned, n_in = 0;
    backward b = {.n_carries = 0};
    if (!region_is_fine(c))
        return;
    if (dim_is_symbolic(grad_type(c, j->in[j->carries])->dims[0]) && !grad_has(c, OP_REVERSE)) {
        c->b.status = grad_refuse_symbolic(c, "the number of iterations");
        return;
    }
    make_backward(c, j, &b);
    value_id recorded = record(c, j, &b);
    value_id *in = region_ids(c, 2 * n + body->outputs.n);
    if (!region_is_fine(c))
        return;
    for (uint32_t k = 0; k < j->carries; k++)
        if (b.active[k])
            in[n_in++] = j->g[k] != NO_VALUE ? j->g[k] : grad_zeros(c, j->in[k]);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = b.order[i];
        if (b.kept[i])
            in[n_in++] = i < b.n_constant ? j->in[k]
                                          : grad_flip(c, k < j->carries ? recorded++ : j->in[k], 0);
    }
    for (uint32_t k = j->carries; k < body->outputs.n; k++)
        if (j->g[k] != NO_VALUE)
            in[n_in++] = grad_flip(c, j->g[k], 0);
    attr entries[] = {attr_of_int(KEY_BODY_REGION, b.r.index),
                      attr_of_int(KEY_CARRY_COUNT, b.n_carries + b.n_carried),
                      attr_of_int(KEY_OUTPUT_COUNT, b.n_slices)};
    value_id next = build_node(&c->b, OP_SCAN, in, n_in, entries, 3);
    for (uint32_t k = 0; k < n && region_is_fine(c); k++) {
        if (k == j->carries)
            next += b.n_carried;
        if (!b.active[k])
            continue;
        value_id v = next++;
        j->out[k] = k < j->carries ? v : grad_flip(c, v, 0);
    }
}

tn_status grad_scan(grad_call *c)
{
    if (*c->is_shared)
        return give_shared(c);
    *c->is_shared = true;
    scan_job j = {.body = region_of_node(c, KEY_BODY_REGION),
                  .carries = (uint32_t)attr_int(c->n.attrs, KEY_CARRY_COUNT, 0),
                  .in = c->n.in,
                  .primal_in = region_operands(c),
                  .first_node = c->b.f->nodes.n,
                  .g = c->g,
                  .wanted = c->wanted,
                  .out = c->shared};
    j.scanned = c->n.n_in - j.carries;
    grad_scan_job(c, &j);
    return give_shared(c);
}
