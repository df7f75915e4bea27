/* What the regions of reductions, windows and scatters compute, where it is a known combination. */
#include "dialect/mlir/hlo/bodies/bodies.h"
#include "dialect/mlir/hlo/lower.h"

#include <math.h>

static const struct {
    const char *name;
    shlo_combine how;
} combines[] = {
    {"stablehlo.add", SHLO_ADD},         {"stablehlo.multiply", SHLO_MULTIPLY},
    {"stablehlo.maximum", SHLO_MAXIMUM}, {"stablehlo.minimum", SHLO_MINIMUM},
    {"stablehlo.and", SHLO_AND},         {"stablehlo.or", SHLO_OR},
    {"stablehlo.xor", SHLO_XOR},         {"stablehlo.subtract", SHLO_SUBTRACT},
};

/* The operation of REGION that has V as a result; NULL: none. */
static const mir_op *maker(const mir_region *region, const mir_value *v)
{
    for (uint32_t i = 0; i < region->n_ops; i++)
        for (uint32_t k = 0; k < region->ops[i]->n_out; k++)
            if (&region->ops[i]->out[k] == v)
                return region->ops[i];
    return NULL;
}

/* Is each number of type FROM one of type TO? */
static bool holds_all(tn_dtype to, tn_dtype from)
{
    const dtype_info *t = &dtype_table[to], *f = &dtype_table[from];
    if (to == from)
        return true;
    if (!dtype_is_float(from) && !dtype_is_complex(from))
        return t->precision ? f->bits <= t->precision : dtype_holds_ints(to, from);
    return t->precision >= f->precision && dtype_float_max(to) >= dtype_float_max(from) &&
           (dtype_is_complex(to) || dtype_is_float(from));
}

static const mir_op *converter(const mir_region *region, const mir_value *v)
{
    const mir_op *o = maker(region, v);
    return o && mir_is(o->name, "stablehlo.convert") && o->n_in == 1 ? o : NULL;
}

/* V, behind conversions that keep every number. */
static const mir_value *unconverted(const mir_region *region, const mir_value *v)
{
    for (;;) {
        const mir_op *o = converter(region, v);
        if (!o || !holds_all(mir_stored(v->type), mir_stored(o->in[0]->type)))
            return v;
        v = o->in[0];
    }
}

/* What V, a result of a region, was before it became the type D of an accumulator again. */
static const mir_value *before_result(const mir_region *region, const mir_value *v, tn_dtype d)
{
    const mir_op *o = converter(region, v);
    return o && mir_stored(v->type) == d && holds_all(mir_stored(o->in[0]->type), d) ? o->in[0] : v;
}

/* An extremum of A and B in which NaN loses, as Tenon writes it. */
static shlo_combine number_wins(const mir_region *region, const mir_value *v, const mir_value *a,
                                const mir_value *b)
{
    const mir_value *args[] = {a, b};
    if (!dtype_is_float(a->type->dtype))
        return SHLO_OTHER;
    return shlo_matches(region, v,
                        "(select (compare.NE a a) b (select (compare.NE b b) a (maximum a b)))",
                        args)
               ? SHLO_MAXIMUM_NUMBER
           : shlo_matches(region, v,
                          "(select (compare.NE a a) b (select (compare.NE b b) a (minimum a b)))",
                          args)
               ? SHLO_MINIMUM_NUMBER
               : SHLO_OTHER;
}

/* A call of a function that is such a body itself: JAX prints those. */
static shlo_combine called(shlo_call *c, const mir_region *region, const mir_op *o, uint32_t k,
                           uint32_t n, tn_dtype *d)
{
    const mir_attr *callee = mir_attr_named(&o->attrs, "callee");
    const mir_function *f = callee ? mir_function_named(&c->r->model, callee->text) : NULL;
    if (!f || f->body.n_args != region->n_args || o->n_in != region->n_args || f->is_open)
        return SHLO_OTHER;
    for (uint32_t i = 0; i < o->n_in; i++)
        if (o->in[i] != &region->args[i])
            return SHLO_OTHER;
    /* one level: functions that call others are not looked into */
    for (uint32_t i = 0; i < f->body.n_ops; i++)
        if (mir_attr_named(&f->body.ops[i]->attrs, "callee"))
            return SHLO_OTHER;
    return shlo_body(c, &f->body, k, n, d);
}

shlo_combine shlo_body(shlo_call *c, const mir_region *region, uint32_t k, uint32_t n, tn_dtype *d)
{
    const mir_op *last = region->n_ops ? region->ops[region->n_ops - 1] : NULL;
    if (region->n_ops > SHLO_MOST_BODY || region->n_args != 2 * n || !last ||
        !shlo_is_return(last) || last->n_in != n)
        return SHLO_OTHER;
    const mir_value *a = &region->args[k], *b = &region->args[n + k];
    const mir_value *v = unconverted(region, last->in[k]);
    *d = a->type->dtype;
    if (v == a || v == b)
        return v == a ? SHLO_FIRST : SHLO_SECOND;
    const mir_op *o = maker(region, before_result(region, last->in[k], *d));
    if (!o)
        return SHLO_OTHER;
    if (mir_is(o->name, "func.call") || mir_is(o->name, "call"))
        return last->in[k] == &o->out[k < o->n_out ? k : 0] ? called(c, region, o, k, n, d)
                                                            : SHLO_OTHER;
    if (o->n_in == 3)
        return number_wins(region, last->in[k], a, b);
    if (o->n_in != 2 || o->n_out != 1 || o->n_regions)
        return SHLO_OTHER;
    const mir_value *x = unconverted(region, o->in[0]), *y = unconverted(region, o->in[1]);
    *d = o->out[0].type->dtype;
    for (size_t i = 0; i < sizeof combines / sizeof *combines; i++) {
        const bool swapped = x == b && y == a && combines[i].how != SHLO_SUBTRACT;
        const bool orders = combines[i].how == SHLO_MAXIMUM || combines[i].how == SHLO_MINIMUM;
        if (mir_is(o->name, combines[i].name) && ((x == a && y == b) || swapped))
            return orders && dtype_is_complex(*d) ? SHLO_OTHER : combines[i].how;
    }
    return SHLO_OTHER;
}

bool shlo_refuse_body(shlo_call *c, const mir_region *region)
{
    enum { MOST_SHOWN = 8 };
    const char *text = "";
    for (uint32_t i = 0; i < region->n_ops && i < MOST_SHOWN && text; i++)
        text = arena_printf(&c->r->memory, "%s%s%.*s", text, i ? "; " : "",
                            MIR_TEXT(region->ops[i]->name));
    if (!text)
        return shlo_no_memory(c->r);
    (void)shlo_refuse(c, DIAG_ReducerNotSupported,
                      "its body is `%s`, which is no combination that is known", text);
    shlo_advise(c->r, "known are add, multiply, maximum, minimum, and, or, xor, one of the two "
                      "values, and the pairs of argmax and argmin");
    return false;
}

static tn_value plain(tn_builder *b, op_id op, tn_value x, tn_value y)
{
    attr_list l = attrs_for(b, op);
    const tn_value in[] = {x, y};
    return append_elementwise(&l, in, 2);
}

tn_value shlo_combined(shlo_call *c, shlo_combine how, tn_value x, tn_value y)
{
    const type *t = shlo_type_of(c, x);
    const bool is_truth = t && t->dtype == TN_I1;
    switch (how) {
    case SHLO_ADD:
        return plain(c->b, is_truth ? OP_OR : OP_ADD, x, y);
    case SHLO_MULTIPLY:
        return plain(c->b, is_truth ? OP_AND : OP_MUL, x, y);
    case SHLO_MAXIMUM:
        return shlo_maximum(c->b, x, y, true);
    case SHLO_MINIMUM:
        return shlo_maximum(c->b, x, y, false);
    case SHLO_MAXIMUM_NUMBER:
        return plain(c->b, OP_MAXIMUM, x, y);
    case SHLO_MINIMUM_NUMBER:
        return plain(c->b, OP_MINIMUM, x, y);
    case SHLO_AND:
        return plain(c->b, OP_AND, x, y);
    case SHLO_OR:
        return plain(c->b, OP_OR, x, y);
    case SHLO_XOR:
        return plain(c->b, OP_XOR, x, y);
    case SHLO_SUBTRACT:
        return plain(c->b, OP_SUB, x, y);
    case SHLO_FIRST:
        return x;
    case SHLO_SECOND:
        return y;
    case SHLO_OTHER:
        break;
    }
    return tn_no_value();
}

bool shlo_is_neutral(shlo_combine how, tn_dtype d, scalar s)
{
    const bool is_float = dtype_is_float(d);
    switch (how) {
    case SHLO_ADD: /* -0 is the neutral one, but a sum starts with +0 in any case */
        return dtype_is_complex(d) ? s.f == 0 && s.im == 0 : is_float ? s.f == 0 : s.u == 0;
    case SHLO_OR:
    case SHLO_XOR:
        return s.u == 0;
    case SHLO_MULTIPLY:
        return dtype_is_complex(d) ? s.f == 1 && s.im == 0 : is_float ? s.f == 1 : s.u == 1;
    case SHLO_AND:
        return d == TN_I1 ? s.u == 1 : dtype_is_signed(d) ? s.i == -1 : s.u == dtype_int_max(d);
    case SHLO_MAXIMUM:
    case SHLO_MAXIMUM_NUMBER:
        return is_float             ? s.f == -(double)INFINITY
               : dtype_is_signed(d) ? s.i == dtype_int_min(d)
                                    : s.u == 0;
    case SHLO_MINIMUM:
    case SHLO_MINIMUM_NUMBER:
        return is_float             ? s.f == (double)INFINITY
               : dtype_is_signed(d) ? s.i == (int64_t)dtype_int_max(d)
                                    : s.u == dtype_int_max(d);
    case SHLO_FIRST:
    case SHLO_SECOND:
    case SHLO_SUBTRACT:
    case SHLO_OTHER:
        break;
    }
    return false;
}
