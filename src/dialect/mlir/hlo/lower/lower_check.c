/* Checks: the values that they compare become outputs of the program, when it is read for them. */
#include "dialect/mlir/checks.h"
#include "dialect/mlir/hlo/lower.h"

#include <inttypes.h>

/* What NAME, the target of a custom call, expects; false: it is no check. */
static bool custom_check(mir_text name, text_check *out)
{
    if (mir_is(name, "check.expect_eq"))
        *out = (text_check){.kind = CHECK_EQUAL};
    else if (mir_is(name, "check.expect_almost_eq"))
        *out = (text_check){.kind = CHECK_NEAR, .tolerance = 1e-3};
    else if (mir_is(name, "check.expect_close"))
        *out = (text_check){.kind = CHECK_ULP, .most_ulp = 3};
    else
        return false;
    return true;
}

/* GOT and WANT as outputs. */
static bool add(shlo_call *c, const text_check *check, tn_value got, tn_value want)
{
    const char *names[] = {"value", "expected"};
    const tn_value values[] = {got, want};
    shlo_reader *r = c->r;
    function *f = module_entry(r->m);
    const type *a = shlo_type_of(c, got), *b = shlo_type_of(c, want);
    if (!a || !b)
        return false;
    if (a->dtype != b->dtype || a->rank != b->rank)
        return shlo_refuse(c, DIAG_TypeMismatch, "%s is compared with %s",
                           type_text(&r->memory, &r->m->types, a),
                           type_text(&r->memory, &r->m->types, b));
    if (r->b.scopes.n != 1)
        return shlo_refuse(c, DIAG_NotImplemented, "checks inside of regions are not run");
    for (int i = 0; i < 2; i++)
        if (function_add_output(f, values[i].id) != TN_OK ||
            !VECTOR_PUSH(r->m->allocator, &f->output_names, names[i]))
            return shlo_no_memory(r);
    return VECTOR_PUSH(&r->m->cx->allocator, &r->options->checks->all, *check) || shlo_no_memory(r);
}

/* The text's constant that operand 0 is compared with. */
static tn_value constant(shlo_call *c)
{
    literal l;
    const mir_attr *a = shlo_attr(c, "value");
    const type *t = NULL;
    if (!a || (a->kind != MIR_DENSE && a->kind != MIR_RESOURCE))
        (void)shlo_refuse(c, DIAG_InvalidConstant, "its value is no constant tensor");
    else
        t = shlo_static_type(c->r, a->type, c->op->at);
    return t && shlo_dense(c->r, a, t, c->op->at, &l) ? shlo_constant(c->r, &l) : tn_no_value();
}

static bool put(shlo_call *c, text_check *check)
{
    if (!c->r->options->checks) /* nothing depends on it */
        return true;
    check->line = source_place(&c->r->m->source, c->op->at, &c->r->check_at).line;
    const tn_value got = shlo_in(c, 0);
    const tn_value want = c->op->n_in == 2 ? shlo_in(c, 1) : constant(c);
    return tn_is_value(got) && tn_is_value(want) && add(c, check, got, want);
}

/* ARG: the kind. */
bool shlo_lower_check(shlo_call *c)
{
    int64_t least, most;
    text_check check = {.kind = (check_kind)c->arg, .tolerance = shlo_float(c, "tolerance", 1e-4)};
    if (!shlo_int(c, "min_ulp_difference", 0, &least) ||
        !shlo_int(c, "max_ulp_difference", 1, &most))
        return false;
    check.least_ulp = (uint64_t)least;
    check.most_ulp = (uint64_t)most;
    return put(c, &check);
}

bool shlo_lower_check_file(shlo_call *c)
{
    return !c->r->options->checks ||
           shlo_refuse(c, DIAG_NotImplemented, "it compares with a file of another program");
}

/* What is only shown. */
bool shlo_lower_nothing(shlo_call *c)
{
    (void)c;
    return true;
}

/* A `check.eq`: a truth value, whether all elements are equal or, of floats, within 1e-4. */
static bool equals(shlo_call *c)
{
    tn_builder *b = c->b;
    const type *t = shlo_in_type(c, 0);
    int64_t axes[TN_MAX_RANK];
    if (!t || !shlo_same_shape(c, 0))
        return false;
    const tn_value x = shlo_in(c, 0), y = shlo_in(c, 1);
    tn_value same = tn_compare(b, TN_EQ, x, y);
    if (dtype_is_float(t->dtype)) {
        const tn_value apart = tn_abs(b, tn_sub(b, x, y));
        const tn_value is_near = tn_compare(b, TN_LE, apart, tn_scalar_like(b, apart, 1e-4));
        same = tn_or(b, same, is_near);
    }
    for (uint32_t i = 0; i < t->rank; i++)
        axes[i] = i;
    return shlo_give(c, 0, shlo_reduced(c, SHLO_AND, same, (tn_ints){axes, t->rank}));
}

bool shlo_custom_check(shlo_call *c, mir_text target, bool *is_check)
{
    text_check check;
    *is_check = true;
    if (mir_is(target, "check.eq") && c->op->n_in == 2 && c->op->n_out == 1)
        return equals(c);
    *is_check = c->op->n_in == 2 && c->op->n_out == 0 && custom_check(target, &check);
    return *is_check && put(c, &check);
}

/* ---- which functions have checks ---- */

static bool is_check(const mir_op *o)
{
    static const char prefix[] = "check.";
    mir_text name = o->name;
    if (mir_is(name, "stablehlo.custom_call")) {
        const mir_attr *target = mir_attr_named(&o->attrs, "call_target_name");
        name = target ? target->text : (mir_text){0};
    }
    return name.n > strlen(prefix) && memcmp(name.at, prefix, strlen(prefix)) == 0;
}

/* Does REGION have checks, or call functions that have? Notes what it calls. */
static bool look_in(const mir_model *m, const mir_region *region)
{
    bool found = false;
    for (uint32_t i = 0; i < region->n_ops; i++) {
        const mir_op *o = region->ops[i];
        const mir_attr *name = mir_attr_named(&o->attrs, "callee");
        mir_function *callee = name ? mir_function_named(m, name->text) : NULL;
        found = found || is_check(o) || (callee && callee->has_checks);
        if (callee)
            callee->is_called = true;
        for (uint32_t k = 0; k < o->n_regions; k++)
            found = look_in(m, &o->regions[k]) || found;
    }
    return found;
}

/* Find the functions that have checks; calls deeper than MOST are refused in any case. */
static void survey(const mir_model *m, uint32_t most)
{
    bool grows = true;
    for (uint32_t turn = 0; grows && turn < most; turn++) {
        grows = false;
        for (uint32_t i = 0; i < m->functions.n; i++) {
            mir_function *f = m->functions.at[i];
            if (!f->has_checks)
                grows = (f->has_checks = look_in(m, &f->body)) || grows;
        }
    }
}

static bool list(shlo_reader *r, checked_functions *out)
{
    survey(&r->model, r->m->cx->limits.nesting);
    for (uint32_t i = 0; i < r->model.functions.n; i++) {
        const mir_function *f = r->model.functions.at[i];
        const checked_function one = {.name = arena_copy_text(&r->m->arena, f->name.at, f->name.n),
                                      .at = f->at,
                                      .line = source_place(&r->m->source, f->at, &r->check_at).line,
                                      .has_inputs = f->body.n_args > 0};
        if (!f->has_checks || (one.has_inputs && f->is_called))
            continue;
        if (!one.name || !VECTOR_PUSH(&r->m->cx->allocator, &out->all, one))
            return false;
    }
    return true;
}

tn_status stablehlo_checked_functions(module *m, checked_functions *out)
{
    shlo_reader r;
    tn_status s = shlo_open(&r, m, NULL);
    if (s == TN_OK && !list(&r, out))
        s = module_no_memory(m);
    shlo_close(&r);
    return s;
}
