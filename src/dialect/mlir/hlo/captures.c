/* Regions in the graph see nothing but their parameters: what those of the text read of the values
 * around them becomes operands of the operation. Constants, and what is known, are made again where
 * they are used. */
#include "dialect/mlir/hlo/shlo.h"

static bool push(shlo_call *c, shlo_captures *s, const mir_value *v)
{
    shlo_reader *r = c->r;
    if (s->n == s->cap) {
        const uint32_t cap = s->cap ? 2 * s->cap : 8;
        const mir_value **at = ARENA_ARRAY(&r->memory, const mir_value *, cap);
        shlo_value *before = ARENA_ARRAY(&r->memory, shlo_value, cap);
        if (!at || !before)
            return shlo_no_memory(r);
        if (s->n) {
            memcpy(at, s->at, s->n * sizeof *at);
            memcpy(before, s->before, s->n * sizeof *before);
        }
        s->at = at;
        s->before = before;
        s->cap = cap;
    }
    s->at[s->n] = v;
    s->before[s->n++] = c->frame->values[v->number];
    return true;
}

/* V is read inside of a region. */
static bool look_at(shlo_call *c, shlo_captures *s, const mir_value *v, uint32_t depth)
{
    shlo_frame *f = c->frame;
    if (v->depth > depth || f->seen[v->number] == f->searches)
        return true;
    f->seen[v->number] = f->searches;
    const shlo_value *own = &f->values[v->number];
    if (own->parts)
        return shlo_refuse(c, DIAG_NotImplemented, "a region reads a tuple from outside");
    s->is_faulty = s->is_faulty || own->is_faulty;
    return own->dense || own->known || own->is_token || own->is_faulty || push(c, s, v);
}

static bool look_in(shlo_call *c, shlo_captures *s, const mir_region *region, uint32_t depth)
{
    for (uint32_t i = 0; i < region->n_ops; i++) {
        const mir_op *o = region->ops[i];
        for (uint32_t k = 0; k < o->n_in; k++)
            if (!look_at(c, s, o->in[k], depth))
                return false;
        for (uint32_t k = 0; k < o->n_regions; k++)
            if (!look_in(c, s, &o->regions[k], depth))
                return false;
    }
    return true;
}

bool shlo_capture(shlo_call *c, shlo_captures *s)
{
    const mir_op *o = c->op;
    *s = (shlo_captures){0};
    c->frame->searches++;
    for (uint32_t i = 0; i < o->n_regions; i++)
        if (!look_in(c, s, &o->regions[i], o->regions[i].depth - 1))
            return false;
    return !s->is_faulty;
}

void shlo_enter(shlo_call *c, const shlo_captures *s, tn_value *params)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const tn_value p = tn_param_like(c->b, s->before[i].v);
        c->frame->values[s->at[i]->number] = (shlo_value){.v = p};
        if (params)
            params[i] = p;
    }
}

void shlo_leave(shlo_call *c, const shlo_captures *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        c->frame->values[s->at[i]->number] = s->before[i];
}
