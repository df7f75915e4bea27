/* Rows as a stage of a larger program: one row at a time, wherever the program wants it. */
#include "loop/nest/rows_stage.h"

#include "loop/nest/rows_parts.h"

struct rows_stage {
    rows r;
    kernel k; /* over as few axes as can be */
    uint32_t n_given;
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

rows_stage *rows_stage_new(const function *f, const kernel *k, const uint32_t *numbers,
                           value_id from, const nest_options *o, loop_builder *b, arena *memory)
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
    rows_make_room(r);
    return s;
}

uint64_t rows_stage_cost(const rows_stage *s)
{
    return (uint64_t)nest_cost(s->r.e.f, &s->k) * (uint64_t)s->r.length;
}

void rows_stage_emit(rows_stage *s, loop_value row, loop_value from, loop_value to)
{
    rows *r = &s->r;
    for (uint32_t i = 0; i < s->n_given; i++)
        r->e.kept[i].memory = from;
    if (r->in_scratch)
        r->out[0] = to;
    nest_decode(&r->e, row, r->axis);
    rows_emit_row(r);
}

bool rows_stage_failed(const rows_stage *s)
{
    return s->r.e.failed;
}
