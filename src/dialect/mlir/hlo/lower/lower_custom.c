/* Custom calls: what is an operation in another form, and what a kernel of the caller's runs. */
#include "dialect/mlir/hlo/algebra/lapack.h"
#include "dialect/mlir/hlo/lower.h"
#include "eval/custom_set.h"
#include "graph/literal.h"

/* `@mhlo.topk` and the like: operations in an older form. NULL: TARGET is none of them. */
static const mir_row *older_form(shlo_call *c, mir_text target)
{
    const size_t skip = strlen("mhlo.");
    if (target.n <= skip || memcmp(target.at, "mhlo.", skip) != 0)
        return NULL;
    const mir_text name = mir_is(target, "mhlo.topk")
                              ? (mir_text){"top_k", strlen("top_k")}
                              : (mir_text){target.at + skip, target.n - skip};
    const mir_row *row = shlo_row_named(c, "chlo", name);
    return row ? row : shlo_row_named(c, "stablehlo", name);
}

/* The same, by its attributes. */
static bool lower_older(shlo_call *c, const mir_row *row)
{
    const mir_attr *given = shlo_attr(c, "mhlo.attributes");
    const mir_fields none = {0};
    const mir_fields *list = given && given->kind == MIR_DICT ? &given->fields : &none;
    const mir_attr *largest = mir_attr_named(list, "largest");
    if (largest && !largest->i)
        return shlo_refuse(c, DIAG_NotImplemented, "only the largest elements are read");
    return shlo_lower_as(c, row, list);
}

/* ---- kernels of the caller's ---- */

/* Does TARGET stand for code of a library or a device, or for a function of the process that wrote
 * the text? Such calls run only where somebody has a kernel for them. In the list, `*` stands for
 * any ending. */
static bool is_foreign(mir_text target)
{
    static const char *const names[] = {
        "lapack_*", "blas_*",     "cublas*",   "cusolver*", "cusparse*",    "cudnn*",
        "cu_*",     "hipsolver*", "hipblas*",  "ducc_*",    "xla_python_*", "xla_ffi_*",
        "tpu_*",    "__gpu$*",    "__cublas*", "__cudnn*",  "triton*",      "mosaic*",
        "Qr",       "Eigh",       "TopK",      "ApproxTopK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strcspn(names[i], "*");
        if ((names[i][n] ? target.n >= n : target.n == n) && memcmp(target.at, names[i], n) == 0)
            return true;
    }
    return false;
}

static bool is_registered(const shlo_call *c, const char *target)
{
    const custom_set *known = c->r->m->cx->custom;
    return known && custom_find(&known->registry, target);
}

/* Values of one kind, in the memory of the reader. */
typedef struct custom_values {
    int64_t *ints;
    double *floats;
    bool *bools;
    const char **texts;
} custom_values;

static bool make_values(shlo_call *c, uint32_t n, custom_values *out)
{
    arena *memory = &c->r->memory;
    *out = (custom_values){
        ARENA_ARRAY(memory, int64_t, (size_t)n + 1), ARENA_ARRAY(memory, double, (size_t)n + 1),
        ARENA_ARRAY(memory, bool, (size_t)n + 1), ARENA_ARRAY(memory, const char *, (size_t)n + 1)};
    return (out->ints && out->floats && out->bools && out->texts) || shlo_no_memory(c->r);
}

/* What A, one value, is among the attributes of a custom call; false: nothing. */
static bool kind_of(const mir_attr *a, tn_attribute_kind *kind)
{
    switch ((int)a->kind) {
    case MIR_INT:
        *kind = TN_ATTRIBUTE_INT;
        return a->fits;
    case MIR_FLOAT:
        *kind = TN_ATTRIBUTE_FLOAT;
        return true;
    case MIR_BOOL:
        *kind = TN_ATTRIBUTE_BOOL;
        return true;
    case MIR_STRING:
        *kind = TN_ATTRIBUTE_STRING;
        return true;
    default:
        return false;
    }
}

/* The kind of the elements of LIST, whose type says it where one was written. */
static bool kind_of_list(const mir_attr *list, tn_attribute_kind *kind)
{
    if (list->type) {
        const tn_dtype d = list->type->dtype;
        *kind = dtype_is_float(d)  ? TN_ATTRIBUTE_FLOAT
                : dtype_is_bool(d) ? TN_ATTRIBUTE_BOOL
                                   : TN_ATTRIBUTE_INT;
        return true;
    }
    *kind = TN_ATTRIBUTE_STRING;
    return list->n == 0 || kind_of(&list->items[0], kind);
}

/* Element I of VALUES is A; false: it is of another kind. IN_LIST: the type of a list's elements,
 * or NULL. */
static bool take_value(shlo_call *c, const mir_attr *a, const mir_type *in_list,
                       tn_attribute_kind kind, const custom_values *values, uint32_t i)
{
    tn_attribute_kind own;
    if (!kind_of(a, &own) ||
        (own != kind && !(kind == TN_ATTRIBUTE_FLOAT && own == TN_ATTRIBUTE_INT)))
        return false;
    if (kind == TN_ATTRIBUTE_INT)
        values->ints[i] = a->i;
    else if (kind == TN_ATTRIBUTE_BOOL)
        values->bools[i] = a->i != 0;
    else if (kind == TN_ATTRIBUTE_FLOAT)
        values->floats[i] = shlo_float_of(a, a->type ? a->type : in_list);
    else
        return (values->texts[i] = shlo_text(c->r, a->text)) != NULL;
    return true;
}

/* The attribute NAME with the elements of the tensor A: a list, or one value where the rank is 0.
 */
static bool take_dense(shlo_call *c, mir_text name, const mir_attr *a, tn_custom_attribute *out)
{
    const type *t = a->type ? shlo_static_type(c->r, a->type, c->op->at) : NULL;
    literal l;
    custom_values values;
    if (a->type && !t)
        return false;
    if (!t || t->rank > 1 || dtype_is_complex(t->dtype))
        return shlo_refuse(c, DIAG_InvalidAttribute,
                           "its attribute '%.*s' is a tensor, and no list of real numbers or truth "
                           "values",
                           MIR_TEXT(name));
    if (!shlo_dense(c->r, a, t, c->op->at, &l) || !make_values(c, (uint32_t)t->count, &values))
        return false;
    const tn_attribute_kind kind = dtype_is_float(t->dtype)  ? TN_ATTRIBUTE_FLOAT
                                   : dtype_is_bool(t->dtype) ? TN_ATTRIBUTE_BOOL
                                                             : TN_ATTRIBUTE_INT;
    for (int64_t i = 0; i < t->count; i++) {
        const scalar x = scalar_load(t->dtype, literal_element(&l, i));
        values.bools[i] = kind == TN_ATTRIBUTE_BOOL && x.u != 0;
        if (kind == TN_ATTRIBUTE_FLOAT)
            (void)scalar_store(x, TN_F64, &values.floats[i]);
        else
            (void)scalar_store(x, TN_SI64, &values.ints[i]);
        if (t->dtype == TN_UI64 && x.u > INT64_MAX)
            return shlo_refuse(c, DIAG_InvalidAttribute,
                               "its attribute '%.*s' has a number of more than 63 bits",
                               MIR_TEXT(name));
    }
    *out =
        (tn_custom_attribute){shlo_text(c->r, name), kind,          t->rank == 1, (size_t)t->count,
                              values.ints,           values.floats, values.bools, values.texts};
    return out->name != NULL;
}

/* The attribute NAME with the value A. */
static bool take_attribute(shlo_call *c, mir_text name, const mir_attr *a, tn_custom_attribute *out)
{
    if (a->kind == MIR_DENSE)
        return take_dense(c, name, a, out);
    const bool is_array = a->kind == MIR_LIST;
    const uint32_t n = is_array ? a->n : 1;
    custom_values values;
    tn_attribute_kind kind;
    if (!make_values(c, n, &values))
        return false;
    bool ok = is_array ? kind_of_list(a, &kind) : kind_of(a, &kind);
    for (uint32_t i = 0; ok && i < n; i++)
        ok = take_value(c, is_array ? &a->items[i] : a, a->type, kind, &values, i);
    if (!ok)
        return shlo_refuse(
            c, DIAG_InvalidAttribute,
            "its attribute '%.*s' is no number, truth value or text, and no list of one kind",
            MIR_TEXT(name));
    *out = (tn_custom_attribute){shlo_text(c->r, name), kind,          is_array,     n,
                                 values.ints,           values.floats, values.bools, values.texts};
    return out->name != NULL;
}

/* `backend_config` is a dictionary, or a text, which becomes an attribute of that name. */
static bool take_attributes(shlo_call *c, tn_custom_attribute **out, size_t *n)
{
    static const char key[] = "backend_config";
    const mir_attr *config = shlo_attr(c, key), *older = shlo_attr(c, "mhlo.backend_config");
    if (!config || (config->kind == MIR_STRING && config->text.n == 0))
        config = older;
    *n = 0;
    *out = NULL;
    if (!config)
        return true;
    const bool is_dict = config->kind == MIR_DICT;
    *n = is_dict ? config->fields.n : 1;
    *out = ARENA_ARRAY(&c->r->memory, tn_custom_attribute, *n + 1);
    if (!*out)
        return shlo_no_memory(c->r);
    if (!is_dict)
        return take_attribute(c, (mir_text){key, sizeof key - 1}, config, *out);
    for (size_t i = 0; i < *n; i++)
        if (!take_attribute(c, config->fields.at[i].name, config->fields.at[i].value, *out + i))
            return false;
    return true;
}

static bool take_types(shlo_call *c, tn_type *types)
{
    for (uint32_t k = 0; k < c->op->n_out; k++) {
        const mir_type *declared = shlo_out_type(c, k);
        const type *t = declared ? shlo_static_type(c->r, declared, c->op->at) : NULL;
        if (!t)
            return false;
        types[k] = (tn_type){.dtype = t->dtype, .rank = t->rank};
        memcpy(types[k].dims, t->dims, t->rank * sizeof *t->dims);
    }
    return true;
}

/* A call of the kernel that is registered for TARGET where the program runs. */
static bool lower_registered(shlo_call *c, mir_text target)
{
    const uint32_t n_in = c->op->n_in, n_out = c->op->n_out;
    const char *name = shlo_text(c->r, target);
    tn_custom_attribute *attributes;
    size_t n;
    tn_value *in = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)n_in + 1),
             *out = ARENA_ARRAY(&c->r->memory, tn_value, (size_t)n_out + 1);
    tn_type *types = ARENA_ARRAY(&c->r->memory, tn_type, (size_t)n_out + 1);
    if (!name || !in || !out || !types)
        return shlo_no_memory(c->r);
    if (is_foreign(target) && !is_registered(c, name))
        return shlo_refuse(c, DIAG_UnknownTarget,
                           "the custom call '@%.*s' is code that is not in the text",
                           MIR_TEXT(target));
    if (n_out == 0 || shlo_flag(c, "has_side_effect", false))
        return shlo_refuse(c, DIAG_UnknownTarget,
                           "the custom call '@%.*s' does more than to give results",
                           MIR_TEXT(target));
    if (!take_attributes(c, &attributes, &n) || !take_types(c, types))
        return false;
    for (uint32_t k = 0; k < n_in; k++)
        in[k] = shlo_in(c, k);
    tn_custom_call(c->b, name, (tn_values){in, n_in}, types, attributes, n, out, n_out);
    bool ok = c->b->status == TN_OK;
    for (uint32_t k = 0; ok && k < n_out; k++)
        ok = shlo_give(c, k, out[k]);
    return ok;
}

bool shlo_lower_custom_call(shlo_call *c)
{
    static const char *const identities[] = {"Sharding",
                                             "SPMDFullToShardShape",
                                             "SPMDShardToFullShape",
                                             "annotate_device_placement",
                                             "LayoutConstraint",
                                             "stablehlo.shape_refinement_operand_wrapper"};
    const mir_attr *a = shlo_attr(c, "call_target_name");
    const mir_text target = a ? a->text : (mir_text){0};
    bool is_check;
    const bool ok = shlo_custom_check(c, target, &is_check);
    if (is_check)
        return ok;
    for (size_t i = 0; i < sizeof identities / sizeof *identities; i++)
        if (mir_is(target, identities[i]) && c->op->n_in > 0 && c->op->n_out == 1)
            return shlo_give_value(c, 0, shlo_value_of(c, 0));
    if (mir_is(target, "shape_assertion"))
        return shlo_shape_assertion(c);
    bool is_known;
    const bool is_solved = shlo_lapack(c, target, &is_known);
    if (is_known)
        return is_solved;
    const bool is_dynamic = shlo_dynamic_target(c, target, &is_known);
    if (is_known)
        return is_dynamic;
    const mir_row *row = older_form(c, target);
    return row ? lower_older(c, row) : lower_registered(c, target);
}
