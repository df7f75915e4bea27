/* Positions that are data, in memory or computed in order from what is, are checked by a step of
 * their own, before the kernel writes anything. What it writes can be a result of the run at once
 * then; results of what may still fail are kept aside and copied at the end. */
#include <string.h>

#include "loop/nest/nest.h"
#include "ops/attr_rules.h"
#include "ops/node_facts.h"
#include "ops/scatter.h"

enum {
    PIECE = 4096, /* positions of one work item */
    LANES = 16,   /* that are looked at together */
    MOST = 4,     /* kinds of them in a kernel */
    STEPS = 32    /* nodes that compute them: each is looked at for all who read it */
};

/* The elements of V: N for each of COMPONENTS, STEP apart, which are below EXTENT. */
typedef struct positions {
    value_id v;
    sized n, step;
    uint32_t components;
    sized extent[TN_MAX_RANK];
} positions;

static sized extent_of(const function *f, value_id v, uint32_t axis)
{
    const access_extents x = access_extents_of(f, v);
    return (sized){x.now[axis], x.other[axis]};
}

/* The extents that windows of a scatter_add leave for the components of an index vector. */
static void find_extents(const function *f, const node *n, positions *out)
{
    const type *x = value_type(f, n->in[0]), *i = value_type(f, n->in[1]),
               *u = value_type(f, n->in[2]);
    sized window[TN_MAX_RANK];
    scatter_axes axes;
    find_scatter_axes(n->attrs, x, i, u, &axes);
    for (uint32_t a = 0, d = 0; a < x->rank; a++) {
        window[a] = sized_of(1);
        if (axes.inserted_mask >> a & 1)
            continue;
        while (!(axes.window_mask >> d & 1))
            d++;
        window[a] = extent_of(f, n->in[2], d++);
    }
    out->components = axes.n_components;
    out->n = axes.n_components ? sized_div(out->n, sized_of(axes.n_components)) : sized_of(0);
    out->step = kernel_elements_from(f, n->in[1], axes.vector + 1);
    for (uint32_t c = 0; c < axes.n_components; c++) {
        const uint32_t a = axes.component_axis[c];
        const sized last = sized_add(extent_of(f, n->in[0], a), sized_mul(window[a], sized_of(-1)));
        out->extent[c] = sized_add(last, sized_of(1));
    }
}

/* Does N have the elements of its operand, all of them, perhaps several times? */
static bool repeats(const node *n)
{
    return n->op == OP_BROADCAST || n->op == OP_RESHAPE;
}

/* Is V as large as LIKE, or one number? */
static bool fits(const type *v, const type *like)
{
    return v->count == 1 ||
           (v->rank == like->rank && memcmp(v->dims, like->dims, v->rank * sizeof *v->dims) == 0);
}

/* Is V in memory, or does K compute its elements cheaply, each from those of the same number and
 * from single ones? *LEFT: nodes that may still be looked at. */
static bool is_known(const function *f, const kernel *k, value_id v, uint32_t *left)
{
    const type *t = value_type(f, v);
    const node *n = node_of(f, v);
    if (emit_input(k, v) != UINT32_MAX || kernel_is_uniform(n))
        return true;
    if (*left == 0 || k->draws || !emit_contains(k, f->values.at[v].node) || node_may_fail(f, n) ||
        kernel_reads_by_data(n))
        return false;
    --*left;
    const bool is_spread = n->op == OP_BROADCAST && value_type(f, n->in[0])->count == 1;
    bool is_ok = is_spread || kernel_is_one_step(n);
    for (uint32_t i = 0; i < n->n_in && is_ok; i++)
        is_ok = fits(value_type(f, n->in[i]), t) && is_known(f, k, n->in[i], left);
    return is_ok;
}

/* What N, of K, looks at; false where that is not to be seen before. */
static bool positions_of(const function *f, const kernel *k, const node *n, positions *out)
{
    uint32_t left = STEPS;
    if (n->n_in < 2)
        return false;
    value_id at = n->in[1];
    while ((n->op == OP_GATHER || n->op == OP_SCATTER_REDUCE) && emit_input(k, at) == UINT32_MAX &&
           repeats(node_of(f, at)))
        at = node_of(f, at)->in[0]; /* repeated ones are looked at once */
    if (!is_known(f, k, at, &left))
        return false;
    const uint32_t rank = value_type(f, n->in[0])->rank;
    *out = (positions){
        .v = at, .n = kernel_elements_from(f, at, 0), .step = sized_of(1), .components = 1};
    switch ((int)n->op) {
    case OP_TAKE:
        out->extent[0] = extent_of(f, n->in[0], 0);
        return true;
    case OP_GATHER:
    case OP_SCATTER_REDUCE:
        out->extent[0] = extent_of(f, n->in[0], resolve_axis(n->attrs, KEY_AXIS, rank));
        return true;
    case OP_SCATTER_ROWS:
    case OP_SEGMENT_REDUCE:
        out->extent[0] = extent_of(f, n->first_value, 0);
        return true;
    case OP_SCATTER_ADD:
        find_extents(f, n, out);
        return true;
    default:
        return false;
    }
}

/* What the step is written with. */
typedef struct check {
    loop_builder b;
    const function *f;
    const kernel *k;
    arena *memory;
    bool failed;
} check;

/* Fails where one of LANES positions at element AT, of component C, is none. */
static void check_at(check *s, const positions *p, loop_value at, uint32_t c, uint32_t lanes)
{
    loop_builder *b = &s->b;
    emitter e;
    s->failed = s->failed || !emit_init(&e, b, s->f, s->k, s->memory);
    if (s->failed)
        return;
    const element position = emit_numbered(&e, p->v, at, lanes, LOOP_NO_VALUE);
    const loop_value x = element_cast(b, position, TN_SI64).re;
    const loop_value ok =
        loop_binary(b, LOOP_IULT, x, loop_splat(b, lanes, loop_sized(b, p->extent[c])));
    loop_fail(b, loop_any(b, loop_unary(b, LOOP_NOT, ok)), 1);
    s->failed = e.failed;
}

/* Positions LOW .. HIGH - 1. */
static void emit_check(check *s, const positions *p, loop_value low, loop_value high)
{
    loop_builder *b = &s->b;
    const loop_value step = loop_sized(b, p->step);
    const sized all = sized_mul(p->step, sized_of(p->components));
    if (p->components == 1) { /* one after the other: in vectors, and what is left */
        const loop_value whole = loop_binary(b, LOOP_AND, loop_binary(b, LOOP_ISUB, high, low),
                                             loop_i64(b, -(int64_t)LANES));
        const loop_value end = loop_binary(b, LOOP_IADD, low, whole);
        check_at(s, p, loop_for(b, low, end, LANES), 0, LANES);
        loop_end(b);
        low = end;
    }
    const loop_value number = loop_for(b, low, high, 1);
    loop_value first = number;
    if (p->components > 1) /* of the index vector */
        first = loop_binary(
            b, LOOP_IADD,
            loop_binary(b, LOOP_IMUL, loop_binary(b, LOOP_UDIV, number, step), loop_sized(b, all)),
            loop_binary(b, LOOP_UREM, number, step));
    for (uint32_t c = 0; c < p->components; c++) {
        const sized place = sized_mul(p->step, sized_of(c));
        check_at(s, p, loop_binary(b, LOOP_IADD, first, loop_sized(b, place)), c, 1);
    }
    loop_end(b);
}

/* Loops look at each position again when they use it. Where the results of the run are much smaller
 * than the N positions of P, these are rather kept aside and copied than all positions read twice.
 */
static bool is_checked_late(const function *f, const kernel *k, const positions *p)
{
    enum { TIMES = 8 };
    if (k->kind != KERNEL_LOOPS || f->is_region)
        return false;
    const uint64_t all =
        (uint64_t)p->n.now * p->components * dtype_bytes(value_type(f, p->v)->dtype);
    uint64_t results = 0;
    for (uint32_t i = 0; i < f->outputs.n; i++) {
        size_t bytes = 0;
        if (!type_bytes(value_type(f, f->outputs.at[i]), &bytes))
            return false;
        results += bytes;
    }
    return results < all / TIMES;
}

/* The positions that K looks at, or 0 where some are not to be seen before; the most of one kind in
 * *MOST. */
static uint32_t find_positions(const function *f, const kernel *k, positions *all, int64_t *most)
{
    uint32_t n = 0;
    *most = 0;
    if (k->n_in > NEST_BUFFERS || kernel_only_checks(f, &f->nodes.at[k->node]))
        return 0;
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        const node *at = &f->nodes.at[k->nodes[i]];
        if (!node_may_fail(f, at))
            continue;
        if (n == MOST || !positions_of(f, k, at, &all[n]) || is_checked_late(f, k, &all[n]))
            return 0;
        *most = all[n].n.now > *most ? all[n].n.now : *most;
        n++;
    }
    return *most > 0 ? n : 0;
}

bool nest_is_checked_before(const function *f, const kernel *k)
{
    positions all[MOST];
    int64_t most;
    return find_positions(f, k, all, &most) > 0;
}

bool nest_check_before(const function *f, const kernel *k, arena *memory, nest *out)
{
    positions all[MOST];
    int64_t most;
    const uint32_t n = find_positions(f, k, all, &most);
    check s = {.f = f, .k = k, .memory = memory};
    loop_builder *b = &s.b;
    if (n == 0 || out->n_steps == 0 || out->n_steps == NEST_STEPS)
        return true;
    loop_init(b, memory);
    const loop_value item =
        loop_for(b, loop_param_value(b, LOOP_BEGIN), loop_param_value(b, LOOP_END_AT), 1);
    const loop_value low = loop_binary(b, LOOP_IMUL, item, loop_i64(b, PIECE));
    const loop_value past = loop_binary(b, LOOP_IADD, low, loop_i64(b, PIECE));
    for (uint32_t i = 0; i < n; i++)
        emit_check(&s, &all[i], low, loop_min(b, past, loop_sized(b, all[i].n)));
    loop_end(b);
    for (uint32_t i = out->n_steps++; i > 0; i--) {
        out->steps[i] = out->steps[i - 1];
        out->steps[i].is_checked = true;
    }
    nest_step *first = &out->steps[0];
    *first = (nest_step){.program = loop_finish_or_fault(b),
                         .n_buffers = k->n_in,
                         .n_read = k->n_in,
                         .work = (most + PIECE - 1) / PIECE,
                         .grain = nest_grain(PIECE),
                         .how = "positions are checked"};
    for (uint32_t i = 0; i < k->n_in; i++)
        first->buffers[i] = i;
    return first->program != NULL && !s.failed;
}
