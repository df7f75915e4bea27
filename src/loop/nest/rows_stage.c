/* Rows as a stage of a larger program, wherever the program wants them.
 *
 * Some rows go through each pass before the next pass begins, and finally through the stores: while
 * the result of one row is being formed, which takes as long as its operations take one after the
 * other, the processor is at the next rows. What is kept from pass to pass then overwrites the rows
 * that the stage before left. */
#include "loop/nest/rows_stage.h"

#include "loop/nest/rows_parts.h"

enum {
    NEAR = 16 << 10, /* bytes of rows that stay in the first-level cache from phase to phase */
    MOST_TOGETHER = 8,
    FEW_TOGETHER = 4, /* where the length is known when the program runs */
    SLOT = 16         /* bytes of a result */
};

struct rows_stage {
    rows r;
    kernel k; /* over as few axes as can be */
    uint32_t n_given;
    int64_t group;    /* rows */
    uint32_t filled;  /* mask over kept values: what the phases of these rows have stored */
    loop_value slots; /* results of reductions, for the rows of a group */
};

/* Looks for the places at which the value is read that an earlier stage left. */
typedef struct given {
    emitter *e;
    value_id v;
    bool fits;
} given;

static void find_given(void *user, const access_expr *expr, const emit_read *read)
{
    given *x = user;
    emitter *e = x->e;
    (void)expr;
    if (!read || read->v != x->v)
        return;
    for (uint32_t i = 0; i < e->n_kept; i++)
        if (access_same(e->kept[i].map, read->map))
            return;
    x->fits = x->fits && e->n_kept < EMIT_KEPT && !read->is_by_data;
    if (x->fits)
        e->kept[e->n_kept++] = (emit_kept){.v = read->v,
                                           .map = read->map,
                                           .dtype = read->dtype,
                                           .is_filled = true,
                                           .is_given = true};
}

static bool find_reads(rows_stage *s, value_id v)
{
    emitter *e = &s->r.e;
    given x = {e, v, true};
    for (uint32_t i = 0; i < s->r.n; i++)
        if (!emit_visit_reads(e, s->r.r[i].n->in[0], s->k.operands, find_given, &x))
            return false;
    for (uint32_t i = 0; i < s->k.n_out; i++)
        if (!emit_visit_reads(e, s->k.out[i].value, s->k.out[i].from, find_given, &x))
            return false;
    s->n_given = e->n_kept;
    return x.fits;
}

/* Is what the stage before left read to compute V, once the first value that is kept is? True where
 * that takes too long to find out. */
static bool reads_given(const rows_stage *s, value_id v, uint32_t *budget)
{
    const emitter *e = &s->r.e;
    const uint32_t i = e->f->values.at[v].node;
    if (v == e->kept[0].v)
        return true;
    if (v == e->kept[s->n_given].v || !emit_contains(&s->k, i))
        return false;
    if (*budget == 0)
        return true;
    --*budget;
    const node *n = &e->f->nodes.at[i];
    for (uint32_t o = 0; o < n->n_in && !rows_reduces(n); o++)
        if (reads_given(s, n->in[o], budget))
            return true;
    return false;
}

/* Can the only value that is kept overwrite the one that is given? That is then read in the pass
 * that stores it for the last time, at the same positions. */
static bool can_overwrite(const rows_stage *s)
{
    const rows *r = &s->r;
    const emit_kept *before = &r->e.kept[0], *kept = &r->e.kept[s->n_given];
    uint32_t budget = 256;
    if (s->n_given != 1 || r->e.n_kept != 2 || !access_same(before->map, kept->map) ||
        dtype_bytes(before->dtype) != dtype_bytes(kept->dtype))
        return false;
    const uint32_t in = rows_passes_with(r, r->e.f->values.at[kept->v].node) & ~UINT32_C(1);
    const uint32_t pass = in ? (uint32_t)__builtin_ctz(in) : 0;
    bool can = pass > 0 && !rows_are_extrema(r, pass);
    for (uint32_t i = 0; i < r->n && can; i++)
        can = r->r[i].pass <= pass || !reads_given(s, r->r[i].n->in[0], &budget);
    for (uint32_t i = 0; i < s->k.n_out && can; i++)
        can = !reads_given(s, s->k.out[i].value, &budget);
    return can;
}

/* How many of MOST rows go through the phases together. */
static int64_t choose_group(const rows_stage *s, int64_t most)
{
    const rows *r = &s->r;
    const bool keeps = r->e.n_kept > s->n_given;
    const type *t = value_type(r->e.f, r->r[0].n->in[0]);
    const int64_t bytes = r->length * (int64_t)dtype_bytes(t->dtype);
    int64_t group = FEW_TOGETHER;
    if (!r->is_dynamic)
        group = bytes > NEAR ? 1 : NEAR / (bytes + 1);
    group = group > MOST_TOGETHER ? MOST_TOGETHER : group > most ? most : group;
    return group < 1 || (keeps && !can_overwrite(s)) ? 1 : group;
}

rows_stage *rows_stage_new(const function *f, const kernel *k, const uint32_t *numbers,
                           value_id from, int64_t most, const nest_options *o, loop_builder *b,
                           arena *memory)
{
    rows_stage *s = ARENA_NEW(memory, rows_stage);
    if (!s || !nest_simplify(f, k, memory, &s->k) || s->k.n_out > KERNEL_OUTPUTS)
        return NULL;
    rows *r = &s->r;
    emitter *e = &r->e;
    r->k = &s->k;
    if (!emit_init(e, b, f, &s->k, memory))
        return NULL;
    for (uint32_t i = 0; i < s->k.n_in; i++)
        e->in[i] = s->k.in[i] == from ? LOOP_NO_VALUE : loop_buffer(b, numbers[i]);
    for (uint32_t i = 0; i < s->k.n_out; i++) {
        const uint32_t number = numbers[emit_output_buffer(&s->k, i)];
        r->in_scratch = number == UINT32_MAX;
        r->out[i] = r->in_scratch ? LOOP_NO_VALUE : loop_buffer(b, number);
    }
    r->axis = s->k.rank - 1;
    r->length = s->k.dims[r->axis];
    r->is_dynamic = nest_is_dynamic(&s->k, r->axis);
    e->rank = s->k.rank;
    e->cached = o->on.cached;
    if (!rows_find_passes(r) || !find_reads(s, from))
        return NULL;
    e->vector_axis = r->axis;
    e->lanes = rows_lanes(r);
    rows_use_short_lanes(r);
    rows_plan_kept(r);
    s->group = choose_group(s, most);
    r->is_lent = s->group > 1;
    rows_make_room(r);
    if (s->group > 1)
        s->slots = loop_scratch(b, (uint64_t)s->group * r->n * SLOT);
    return s;
}

int64_t rows_stage_group(const rows_stage *s)
{
    return s->group;
}

uint32_t rows_stage_phases(const rows_stage *s)
{
    return s->group > 1 ? s->r.passes + 1 : 1;
}

uint64_t rows_stage_cost(const rows_stage *s)
{
    return (uint64_t)nest_cost(s->r.e.f, &s->k) * (uint64_t)s->r.length;
}

/* Where the result of reduction I for row IN_GROUP of the group is. */
static loop_value slot_of(const rows_stage *s, uint32_t i, loop_value in_group)
{
    loop_builder *b = s->r.e.b;
    const loop_value number = loop_binary(b, LOOP_IADD, in_group, loop_i64(b, i * s->group));
    return loop_offset(b, s->slots, loop_binary(b, LOOP_IMUL, number, loop_i64(b, SLOT)));
}

static uint32_t slot_align(const reduction *r)
{
    return (uint32_t)loop_elem_bytes(element_storage(r->out));
}

static void emit_phase(rows_stage *s, uint32_t phase, loop_value in_group)
{
    rows *r = &s->r;
    emitter *e = &r->e;
    element results[KERNEL_REDUCTIONS];
    const uint32_t mark = emit_mark(e), pass = phase + 1;
    if (phase == 0)
        s->filled = 0;
    for (uint32_t i = 0; i < e->n_kept; i++)
        e->kept[i].is_filled = e->kept[i].is_given || (s->filled >> i & 1);
    for (uint32_t i = 0; i < r->n; i++)
        if (r->r[i].pass < pass)
            emit_know(
                e, r->r[i].n->first_value, NULL,
                element_load(e->b, r->r[i].out, slot_of(s, i, in_group), 1, slot_align(&r->r[i])));
    if (pass <= r->passes)
        rows_emit_pass(r, pass, results);
    else
        rows_emit_stores(r);
    for (uint32_t i = 0; i < r->n; i++)
        if (r->r[i].pass == pass)
            element_store(e->b, slot_of(s, i, in_group), results[i], slot_align(&r->r[i]));
    for (uint32_t i = 0; i < e->n_kept; i++)
        s->filled |= (uint32_t)e->kept[i].is_filled << i;
    emit_forget(e, mark);
}

void rows_stage_emit(rows_stage *s, uint32_t phase, loop_value in_group, loop_value row,
                     loop_value from, loop_value to)
{
    rows *r = &s->r;
    for (uint32_t i = 0; i < r->e.n_kept; i++)
        if (r->e.kept[i].is_given || r->is_lent)
            r->e.kept[i].memory = from;
    if (r->in_scratch)
        r->out[0] = to;
    nest_decode(&r->e, row, r->axis);
    if (s->group > 1)
        emit_phase(s, phase, in_group);
    else
        rows_emit_row(r);
}

bool rows_stage_failed(const rows_stage *s)
{
    return s->r.e.failed;
}
