/* Operations on single numbers, lowered on tensors: each becomes the elementwise one. */
#include "dialect/mlir/hlo/bodies/bodies.h"
#include "dialect/mlir/hlo/lower.h"

static bool is_elementwise(const mir_row *row)
{
    static shlo_lower *const all[] = {
        shlo_lower_elementwise, shlo_lower_binary,     shlo_lower_divide,
        shlo_lower_power,       shlo_lower_extremum,   shlo_lower_clamp,
        shlo_lower_compare,     shlo_lower_select,     shlo_lower_negate,
        shlo_lower_sign,        shlo_lower_convert,    shlo_lower_round_afz,
        shlo_lower_square,      shlo_lower_is_one_inf, shlo_lower_bitcast_convert,
        shlo_lower_part,        shlo_lower_constant,   shlo_lower_reduce_precision,
        shlo_lower_return,      shlo_lower_special,    shlo_lower_zeta,
        shlo_lower_next_after,  shlo_lower_atan2,
    };
    for (size_t i = 0; row && i < sizeof all / sizeof *all; i++)
        if (row->lower == all[i])
            return true;
    return false;
}

static bool is_number(const mir_type *t)
{
    return t && t->kind == MIR_TENSOR && t->rank == 0;
}

static bool can_lift(const shlo_call *c, const mir_region *region, uint32_t depth)
{
    enum { MOST_CALLS = 8 };
    for (uint32_t i = 0; i < region->n_ops; i++) {
        const mir_op *o = region->ops[i];
        const mir_attr *callee = mir_attr_named(&o->attrs, "callee");
        const mir_function *f = callee ? mir_function_named(&c->r->model, callee->text) : NULL;
        bool ok = f ? depth < MOST_CALLS && can_lift(c, &f->body, depth + 1)
                    : is_elementwise(o->row) && o->n_regions == 0;
        for (uint32_t k = 0; k < o->n_in; k++)
            ok = ok && is_number(o->in[k]->type);
        for (uint32_t k = 0; k < o->n_out; k++)
            ok = ok && is_number(o->out[k].type);
        if (!ok)
            return false;
    }
    return true;
}

bool shlo_can_lift(const shlo_call *c, const mir_region *region)
{
    return can_lift(c, region, 0);
}

bool shlo_apply(shlo_call *c, const mir_region *region, const tn_value *args, tn_ints shape,
                tn_value *out, uint32_t n)
{
    shlo_reader *r = c->r;
    const tn_ints before = r->lift;
    shlo_value *results = ARENA_ARRAY(&r->memory, shlo_value, n + 1);
    if (!results)
        return shlo_no_memory(r);
    if (shape.n && !shlo_can_lift(c, region))
        return shlo_refuse_body(c, region);
    for (uint32_t i = 0; i < region->n_args; i++)
        c->frame->values[region->args[i].number] = (shlo_value){.v = args[i]};
    r->lift = shape;
    bool ok = shlo_region(r, c->frame, region, c->op->at, results, n);
    for (uint32_t k = 0; ok && k < n; k++) {
        out[k] = shlo_lifted(r, shlo_data_of(r, &results[k]));
        ok = tn_is_value(out[k]);
    }
    r->lift = before;
    return ok;
}
