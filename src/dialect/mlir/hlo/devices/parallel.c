/* `interpreter.run_parallel`: functions of the text as the programs of processes that run side by
 * side. All are read into the place of the operation. Each goes on until it meets the others: then
 * the next one does, until all wait. */
#include "base/text/text.h"
#include "dialect/mlir/hlo/devices/devices.h"
#include "dialect/mlir/hlo/lower.h"

#include <inttypes.h>

typedef struct running {
    mir_function *f;
    shlo_frame frame;
    shlo_process self;
    uint32_t at; /* the operation that comes next */
    bool is_open;
} running;

/* What was sent and not yet received. */
typedef struct parcel {
    int64_t channel;
    const mir_op *op;
    const shlo_value *values;
    bool is_taken;
} parcel;

typedef struct parallel {
    shlo_call *c; /* of run_parallel */
    running *all;
    uint32_t n, n_fed;
    VECTOR(parcel) parcels;
    bool failed; /* which was reported */
} parallel;

/* ---- the programs ---- */

static mir_function *function_named(shlo_call *c, const mir_attr *a)
{
    mir_function *f = a->kind == MIR_SYMBOL ? mir_function_named(&c->r->model, a->text) : NULL;
    if (!f || !f->has_body)
        (void)shlo_refuse(c, DIAG_UndefinedName, "there is no function '@%.*s' with a body",
                          MIR_TEXT(a->text));
    return f && f->has_body ? f : NULL;
}

static bool open_one(parallel *p, const mir_attr *name, uint32_t *first)
{
    running *q = &p->all[p->n];
    q->f = function_named(p->c, name);
    if (!q->f)
        return false;
    const uint32_t n = q->f->body.n_args;
    if (p->c->op->n_in - *first < n || q->f->body.n_ops == 0 ||
        !shlo_is_return(q->f->body.ops[q->f->body.n_ops - 1]))
        return shlo_refuse(p->c, DIAG_ArityMismatch,
                           "its operands are not those of its programs, or one does not return");
    shlo_value *args = ARENA_ARRAY(&p->c->r->memory, shlo_value, n + 1);
    if (!args)
        return shlo_no_memory(p->c->r);
    for (uint32_t i = 0; i < n; i++)
        args[i] = *shlo_value_of(p->c, *first + i);
    *first += n;
    p->n++;
    q->is_open = true;
    return shlo_frame_open(p->c->r, q->f, args, &q->frame);
}

/* The programs are rows of partitions, one row for each replica. */
static bool open_all(parallel *p)
{
    const mir_attr *rows = shlo_attr(p->c, "programs");
    uint32_t first = 0;
    if (!rows || rows->kind != MIR_LIST || rows->n == 0 || rows->items[0].kind != MIR_LIST ||
        (uint64_t)rows->n * rows->items[0].n > SHLO_MOST_PROCESSES)
        return shlo_refuse(p->c, DIAG_InvalidAttribute,
                           "its programs are not a table of functions, or more than %d",
                           SHLO_MOST_PROCESSES);
    const uint32_t columns = rows->items[0].n;
    p->all = ARENA_ARRAY(&p->c->r->memory, running, (size_t)rows->n * columns + 1);
    if (!p->all)
        return shlo_no_memory(p->c->r);
    memset(p->all, 0, ((size_t)rows->n * columns + 1) * sizeof *p->all);
    for (uint32_t i = 0; i < rows->n; i++)
        for (uint32_t k = 0; k < columns; k++) {
            if (rows->items[i].kind != MIR_LIST || rows->items[i].n != columns)
                return shlo_refuse(p->c, DIAG_InvalidAttribute, "its programs are not a table");
            p->all[p->n].self = (shlo_process){rows->n, columns, i, k};
            if (!open_one(p, &rows->items[i].items[k], &first))
                return false;
        }
    return true;
}

/* ---- operations that meet others ---- */

static const mir_op *next_of(const running *q)
{
    return q->f->body.ops[q->at];
}

static bool is_transfer(const mir_op *op)
{
    return op->row && op->row->lower == shlo_lower_transfer;
}

static bool meets(const mir_op *op)
{
    return is_transfer(op) || shlo_is_exchange(op);
}

static shlo_call call_of(parallel *p, running *q)
{
    return (shlo_call){.r = p->c->r, .b = p->c->b, .frame = &q->frame, .op = next_of(q)};
}

/* Q goes on; its operation has the results VALUES. */
static bool go_on(parallel *p, running *q, const shlo_value *values)
{
    p->c->r->given = values;
    p->c->r->process = &q->self;
    const bool ok = shlo_lower_op(p->c->r, &q->frame, q->f->body.ops[q->at++]);
    p->c->r->given = NULL;
    return ok;
}

static int64_t channel_of(shlo_call *c)
{
    const mir_fields *f = shlo_attr(c, "channel_handle") ? shlo_struct(c, "channel_handle") : NULL;
    const mir_attr *handle = f ? mir_attr_named(f, "handle") : NULL;
    return handle && handle->kind == MIR_INT ? handle->i : 0;
}

static shlo_value *results_for(parallel *p, const mir_op *op)
{
    shlo_value *out = ARENA_ARRAY(&p->c->r->memory, shlo_value, op->n_out + 1);
    p->failed = p->failed || !out;
    if (!out)
        (void)shlo_no_memory(p->c->r);
    for (uint32_t k = 0; out && k < op->n_out; k++)
        out[k] = (shlo_value){.is_token = true};
    return out;
}

static bool send(parallel *p, shlo_call *c)
{
    shlo_value *values = ARENA_ARRAY(&p->c->r->memory, shlo_value, c->op->n_in);
    if (!values)
        return shlo_no_memory(p->c->r);
    for (uint32_t k = 0; k < c->op->n_in; k++)
        values[k] = *shlo_value_of(c, k);
    const parcel sent = {.channel = channel_of(c), .op = c->op, .values = values};
    return VECTOR_PUSH(p->c->r->m->allocator, &p->parcels, sent) || shlo_no_memory(p->c->r);
}

/* The first parcel on the channel into OUT; false: there is none. */
static bool receive(parallel *p, shlo_call *c, shlo_value *out)
{
    for (uint32_t i = 0; i < p->parcels.n; i++) {
        parcel *one = &p->parcels.at[i];
        if (one->is_taken || one->channel != channel_of(c) || one->op->n_in != c->op->n_out)
            continue;
        memcpy(out, one->values, (c->op->n_out - 1) * sizeof *out);
        one->is_taken = true;
        return true;
    }
    return false;
}

/* What the next function of the list `infeed` gives. */
static bool feed(parallel *p, shlo_call *c, shlo_value *out)
{
    const mir_attr *queue = shlo_attr(p->c, "infeed");
    if (!queue || queue->kind != MIR_LIST || p->n_fed >= queue->n)
        return shlo_refuse(c, DIAG_ArityMismatch, "nothing is left to be fed in");
    mir_function *f = function_named(p->c, &queue->items[p->n_fed++]);
    if (!f)
        return false;
    if (f->body.n_args || f->n_results + 1 != c->op->n_out || f->is_open)
        return shlo_refuse(c, DIAG_ArityMismatch, "what is fed in are other values");
    return shlo_function(p->c->r, f, NULL, out);
}

/* The transfer of Q; false: it waits, or has failed. */
static bool transfer(parallel *p, running *q)
{
    shlo_call c = call_of(p, q);
    shlo_value *out = results_for(p, c.op);
    if (!out)
        return false;
    bool ok = true;
    if (mir_is(c.op->name, "stablehlo.send"))
        p->failed = !send(p, &c);
    else if (mir_is(c.op->name, "stablehlo.recv"))
        ok = c.op->n_out > 0 && receive(p, &c, out);
    else if (mir_is(c.op->name, "stablehlo.infeed"))
        p->failed = !feed(p, &c, out);
    return ok && !p->failed && go_on(p, q, out);
}

/* Do both do one operation? Those of one program are at the same, those of others at its like. */
static bool belongs(shlo_call *one, shlo_call *other, bool is_same_program)
{
    if (is_same_program)
        return one->op == other->op;
    return mir_same(one->op->name, other->op->name) && one->op->n_in == other->op->n_in &&
           one->op->n_out == other->op->n_out && channel_of(one) == channel_of(other);
}

/* The exchange of Q with the others of its group, if all of them have come to it. */
static bool exchange(parallel *p, running *q)
{
    shlo_call calls[SHLO_MOST_PROCESSES], own = call_of(p, q);
    shlo_group g;
    const mir_op *op = own.op;
    p->c->r->process = &q->self;
    p->failed = !shlo_group_of(&own, &g);
    if (p->failed)
        return false;
    for (uint32_t i = 0; i < g.n; i++) {
        running *other = &p->all[g.at[i]];
        calls[i] = call_of(p, other);
        if (!belongs(&calls[i], &own, other->f == q->f))
            return false;
    }
    if (g.n == 0) { /* it is in no group, and gets zeros */
        shlo_value *none = results_for(p, op);
        for (uint32_t k = 0; none && k < op->n_out; k++)
            none[k] = (shlo_value){.v = shlo_zeros(&own, shlo_in(&own, k))};
        return none && go_on(p, q, none);
    }
    shlo_value *out = ARENA_ARRAY(&p->c->r->memory, shlo_value, (size_t)g.n * op->n_out + 1);
    if (op->n_in != op->n_out + shlo_flag(&own, "has_dynamic_root", false))
        p->failed =
            !shlo_refuse(&own, DIAG_ArityMismatch, "it has as many results as operands with data");
    p->failed = p->failed || !out || !shlo_exchange(calls, &g, out);
    for (uint32_t i = 0; !p->failed && i < g.n; i++)
        p->failed = !go_on(p, &p->all[g.at[i]], out + i * op->n_out);
    return !p->failed;
}

/* ---- all of them ---- */

static bool is_done(const running *q)
{
    return q->at + 1 == q->f->body.n_ops;
}

/* Q goes on as far as it can. Did it? */
static bool advance(parallel *p, running *q)
{
    const uint32_t from = q->at;
    while (!p->failed && !is_done(q)) {
        const mir_op *op = next_of(q);
        const bool goes = !meets(op)        ? go_on(p, q, NULL)
                          : is_transfer(op) ? transfer(p, q)
                                            : exchange(p, q);
        p->failed = p->failed || p->c->r->no_memory || p->c->b->status != TN_OK;
        if (!goes)
            break;
    }
    return q->at > from;
}

static bool run_all(parallel *p)
{
    for (;;) {
        bool moves = false, all_done = true;
        for (uint32_t i = 0; i < p->n && !p->failed; i++) {
            moves = advance(p, &p->all[i]) || moves;
            all_done = all_done && is_done(&p->all[i]);
        }
        if (p->failed)
            return false;
        if (all_done)
            return true;
        if (!moves)
            return shlo_refuse(p->c, DIAG_Cycle, "its programs wait for each other");
    }
}

static bool give_results(parallel *p)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const mir_op *last = next_of(&p->all[i]);
        for (uint32_t j = 0; j < last->n_in; j++, k++) {
            const shlo_value *v = &p->all[i].frame.values[last->in[j]->number];
            if (k < p->c->op->n_out && v->is_faulty)
                return false;
            if (k < p->c->op->n_out)
                (void)shlo_give_value(p->c, k, v);
        }
    }
    return k == p->c->op->n_out ||
           shlo_refuse(p->c, DIAG_ArityMismatch, "its programs give %u result%s, and not %u",
                       (unsigned)k, plural(k), (unsigned)p->c->op->n_out);
}

bool shlo_lower_run_parallel(shlo_call *c)
{
    parallel p = {.c = c};
    if (c->r->process) /* which is one of those that another started */
        return shlo_refuse(c, DIAG_NotImplemented, "programs start no others");
    const bool ok = open_all(&p) && run_all(&p) && give_results(&p);
    c->r->process = NULL;
    for (uint32_t i = 0; i < p.n; i++)
        if (p.all[i].is_open)
            shlo_frame_close(c->r, p.all[i].f, &p.all[i].frame);
    VECTOR_RELEASE(c->r->m->allocator, &p.parcels);
    return ok;
}
