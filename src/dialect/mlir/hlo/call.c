/* What an operation is given, and where its results go. */
#include <inttypes.h>

#include "dialect/mlir/hlo/shlo.h"

#include "graph/literal.h"

/* ---- operands ---- */

static shlo_value *operand(const shlo_call *c, uint32_t k)
{
    return &c->frame->values[c->op->in[k]->number];
}

const shlo_value *shlo_value_of(const shlo_call *c, uint32_t k)
{
    return operand(c, k);
}

tn_value shlo_data_of(shlo_reader *r, shlo_value *v)
{
    const uint32_t here = builder_scope(&r->b);
    literal l;
    if ((!v->dense && !v->known) || v->v.scope == here)
        return v->v;
    v->v = tn_no_value();
    if (!v->dense)
        v->v = shlo_known_data(r, v->known);
    else if (v->type && shlo_dense(r, v->dense, v->type, r->b.at, &l))
        v->v = shlo_constant(r, &l);
    return v->v;
}

tn_value shlo_lifted(shlo_reader *r, tn_value v)
{
    const type *t = r->lift.n ? builder_type(&r->b, v) : NULL;
    return t && t->rank == 0 ? tn_broadcast(&r->b, v, r->lift) : v;
}

tn_value shlo_in(shlo_call *c, uint32_t k)
{
    shlo_value *v = operand(c, k);
    const tn_value data = shlo_data_of(c->r, v);
    if (!tn_is_value(data) && c->b->status == TN_OK) { /* refused: nothing is built with it */
        v->is_faulty = true;
        c->b->status = TN_ERR_REJECTED;
    }
    return shlo_lifted(c->r, data);
}

const type *shlo_value_type(shlo_reader *r, const shlo_value *v)
{
    if (v->dense)
        return v->type;
    if (v->known)
        return type_of(&r->m->types, v->known->dtype, v->known->dims, v->known->rank);
    return tn_is_value(v->v) ? builder_type(&r->b, v->v) : NULL;
}

const type *shlo_in_type(shlo_call *c, uint32_t k)
{
    const type *t = shlo_value_type(c->r, operand(c, k));
    if (!t)
        (void)shlo_refuse(c, DIAG_TypeMismatch, "operand %u is no tensor", (unsigned)k);
    if (t && t->rank == 0 && c->r->lift.n)
        return type_of(&c->r->m->types, t->dtype, c->r->lift.at, (uint32_t)c->r->lift.n);
    return t;
}

bool shlo_uniform(shlo_call *c, uint32_t k, scalar *out)
{
    const shlo_value *v = operand(c, k);
    literal l;
    if (!v->dense || !v->type || !shlo_dense(c->r, v->dense, v->type, c->op->at, &l) ||
        !literal_is_uniform(&l))
        return false;
    *out = scalar_load(l.type->dtype, l.data);
    return true;
}

/* ---- results ---- */

const mir_type *shlo_out_type(const shlo_call *c, uint32_t k)
{
    return c->op->out[k].type;
}

bool shlo_give_value(shlo_call *c, uint32_t k, const shlo_value *v)
{
    c->frame->values[c->op->out[k].number] = *v;
    return true;
}

bool shlo_give(shlo_call *c, uint32_t k, tn_value v)
{
    const shlo_value own = {.v = v};
    return shlo_give_value(c, k, &own) && tn_is_value(v);
}

/* ---- shapes ---- */

tn_value shlo_spread(shlo_call *c, tn_value v, const type *like)
{
    const type *t = shlo_type_of(c, v);
    return t && t->rank == 0 && like->rank > 0 ? tn_broadcast(c->b, v, shlo_dims(like)) : v;
}

bool shlo_same_shape(shlo_call *c, uint32_t first)
{
    return shlo_same_shape_of(c, first, c->op->n_in);
}

bool shlo_same_shape_of(shlo_call *c, uint32_t first, uint32_t end)
{
    const type *t = first < end ? shlo_in_type(c, first) : NULL;
    for (uint32_t k = first + 1; t && k < end; k++) {
        const type *other = shlo_in_type(c, k);
        if (!other)
            return false;
        bool same = other->rank == t->rank;
        for (uint32_t i = 0; same && i < t->rank; i++)
            same = t->dims[i] == other->dims[i] || dim_is_symbolic(t->dims[i]) ||
                   dim_is_symbolic(other->dims[i]);
        if (!same)
            return shlo_refuse(c, DIAG_ShapeMismatch,
                               "its operands have different shapes: number %" PRIu32 " is %s, "
                               "number %" PRIu32 " %s",
                               first, type_text(&c->r->memory, &c->r->m->types, t), k,
                               type_text(&c->r->memory, &c->r->m->types, other));
    }
    return t != NULL;
}
