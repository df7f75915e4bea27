/* The arguments of the program: inputs, constants that were given for them, and sizes. */
#include <inttypes.h>

#include "base/text/suggest.h"
#include "dialect/given.h"
#include "dialect/mlir/hlo/shlo.h"
#include "graph/dim_name.h"

/* ---- names ---- */

static const mir_attr *attr_in(const mir_attr *dicts, uint32_t i, const char *key)
{
    return dicts && dicts->kind == MIR_LIST && i < dicts->n && dicts->items[i].kind == MIR_DICT
               ? mir_attr_named(&dicts->items[i].fields, key)
               : NULL;
}

mir_text shlo_name_in(const mir_attr *dicts, uint32_t i, const char *key)
{
    const mir_attr *a = attr_in(dicts, i, key);
    return a && a->kind == MIR_STRING ? a->text : (mir_text){0};
}

/* The names of the arguments before one, by their hashes. */
typedef struct names_given {
    hash_index index;
    const char *const *names;
} names_given;

static bool is_taken(const names_given *g, const char *name)
{
    const uint64_t hash = hash_bytes(0, name, strlen(name));
    for (uint32_t p = hash_first(&g->index, hash), i;
         (i = hash_at(&g->index, hash, &p)) != HASH_NONE;)
        if (strcmp(g->names[i], name) == 0)
            return true;
    return false;
}

/* NULL without memory. */
static const char *find_name(shlo_reader *r, const mir_function *f, uint32_t i,
                             const names_given *given)
{
    const mir_value *arg = &f->body.args[i];
    mir_text name = shlo_name_in(f->arg_attrs, i, "jax.arg_info");
    if (!name.n)
        name = mir_loc_name(&r->model, arg->loc);
    const char *own = shlo_text(r, name.n ? name : arg->name);
    if (own && name.n && is_taken(given, own))
        own = shlo_text(r, arg->name);
    const char *stem = own; /* which an argument before may have been given as its name */
    for (uint32_t k = 1; own && is_taken(given, own); k++)
        own = arena_printf(&r->memory, "%s_%" PRIu32, stem, k);
    return own;
}

/* Each argument has a name of its own. */
static bool name_arguments(shlo_reader *r, const mir_function *f)
{
    const tn_allocator *memory = r->memory.allocator;
    const char **names = ARENA_ARRAY(&r->memory, const char *, f->body.n_args + 1);
    names_given given = {.names = names};
    bool ok = names != NULL;
    for (uint32_t i = 0; ok && i < f->body.n_args; i++) {
        names[i] = find_name(r, f, i, &given);
        ok = names[i] &&
             hash_add(memory, &given.index, hash_bytes(0, names[i], strlen(names[i])), i);
    }
    hash_release(memory, &given.index);
    r->argument_names = names;
    return ok || shlo_no_memory(r);
}

/* ---- types ---- */

/* The size called NAME; OTHERWISE as for given_size. */
static dim size_called(shlo_reader *r, const char *name, int64_t otherwise)
{
    const char *own = name ? module_string(r->m, name, strlen(name)) : NULL;
    const uint32_t errors = r->m->cx->diag.n_errors;
    dim size = 1;
    if (!own ||
        (!given_size(r->m, r->options, own, otherwise, &size) && r->m->cx->diag.n_errors == errors))
        (void)shlo_no_memory(r);
    return size < 0 && !dim_is_symbolic(size) ? 1 : size;
}

/* ---- shapes as Tenon writes them ---- */

static dim find_size(void *user, const char *name, size_t n)
{
    shlo_reader *r = user;
    return size_called(r, shlo_text(r, (mir_text){name, n}), -1);
}

/* The shape that is written as an attribute of argument I; NULL: there is none. */
static const mir_attr *own_shape(const mir_function *f, uint32_t i)
{
    const mir_attr *a = attr_in(f->arg_attrs, i, "tenon.shape");
    return a && a->kind == MIR_LIST ? a : NULL;
}

/* The size that OWN says of axis K, in *OUT. */
static bool own_size(shlo_reader *r, const mir_attr *own, uint32_t k, dim *out)
{
    const mir_attr *a = own && k < own->n ? &own->items[k] : NULL;
    if (!a || a->kind != MIR_STRING)
        return false;
    return dim_unspell(&r->m->types, a->text.at, a->text.n, find_size, r, out) &&
           (dim_is_symbolic(*out) || *out >= 0);
}

/* The position that argument I may be named by; none where that is the name of another one. */
static uint32_t position_of(shlo_reader *r, const mir_function *f, uint32_t i)
{
    const bool is_asked = given_by_position(r->options, i);
    for (uint32_t k = 0; is_asked && k < f->body.n_args; k++)
        if (k != i && given_is_position(r->argument_names[k], i))
            return UINT32_MAX;
    return i;
}

/* The extents of argument I, where each `?` is a symbol of its own, unless its name is written. */
static const type *input_type(shlo_reader *r, const mir_function *f, uint32_t i, const char *name)
{
    const mir_type *t = f->body.args[i].type;
    const tn_input_shape *given = given_shape_of(r->options, name, position_of(r, f, i));
    dim dims[TN_MAX_RANK];
    if (t->kind != MIR_TENSOR)
        return shlo_static_type(r, t, f->at);
    for (uint32_t k = 0; k < t->rank; k++) {
        dims[k] = t->dims[k];
        if (dims[k] != MIR_UNKNOWN)
            continue;
        const char *symbol = arena_printf(&r->memory, "%s_%" PRIu32, name, k);
        const int64_t extent = given && given->rank == t->rank ? given->dims[k] : -1;
        if (own_size(r, own_shape(f, i), k, &dims[k])) {
            const bool is_known = !dim_is_symbolic(dims[k]);
            const dim_expr *e = is_known ? NULL : dim_expr_of(&r->m->types, dims[k]);
            if (e && extent >= 0)
                dims[k] = e->op == DIM_SYM ? size_called(r, e->name, extent) : extent;
            continue;
        }
        dims[k] = size_called(r, symbol, extent);
    }
    const type *own = type_of(&r->m->types, mir_stored(t), dims, t->rank);
    if (!own)
        (void)shlo_no_memory(r);
    return own;
}

/* ---- values ---- */

/* What was GIVEN for the input NAME of type T. */
static bool take_known(shlo_reader *r, const char *name, const type *t, const tn_buffer *given,
                       shlo_value *v)
{
    int64_t dims[TN_MAX_RANK];
    const void *data = given_data(&r->memory, given, t, dims, &r->no_memory);
    if (r->no_memory)
        return false;
    if (!data)
        return shlo_refuse_at(r, DIAG_InputMismatch, name, NO_SPAN,
                              "the value that is given for it does not fit its type");
    if (known_keeps(t->dtype) && t->rank <= 1 && (t->rank == 0 || dims[0] <= TN_MAX_RANK))
        v->known = known_load(&r->memory, t->dtype, dims, t->rank, data);
    v->v = tn_constant(&r->b, t->dtype, (tn_ints){dims, t->rank}, data);
    return tn_is_value(v->v);
}

/* Does argument I say a size? JAX calls these by `jax.global_constant`; its older versions put them
 * in front of the others. */
static bool is_size(const mir_function *f, uint32_t i)
{
    bool before = false, open = false;
    for (uint32_t k = 0; k < f->body.n_args; k++) {
        const mir_type *t = f->body.args[k].type;
        if (t->kind != MIR_TENSOR)
            continue;
        if (t->rank == 0 && (t->dtype == TN_SI32 || t->dtype == TN_SI64) && !own_shape(f, k)) {
            before = before || k == i;
            if (k == i && shlo_name_in(f->arg_attrs, i, "jax.global_constant").n)
                return true;
            continue;
        }
        if (k < i)
            return false;
        for (uint32_t d = 0; d < t->rank; d++)
            open = open || t->dims[d] == MIR_UNKNOWN;
    }
    return before && open;
}

/* Argument I as a size. It stays an input, so that the program takes what its text says. */
static bool size_input(shlo_reader *r, const mir_function *f, uint32_t i, const char *name,
                       shlo_value *v)
{
    const mir_text global = shlo_name_in(f->arg_attrs, i, "jax.global_constant");
    const tn_dtype d = f->body.args[i].type->dtype;
    if (mir_is(global, "_platform_index")) { /* the first one */
        v->known = shlo_known_size(r, d, 0);
        return v->known;
    }
    const char *symbol = global.n ? shlo_text(r, global) : name;
    v->known = shlo_known_size(r, d, size_called(r, symbol, -1));
    v->is_of_sizes = true;
    return v->known && tn_is_value(tn_input(&r->b, name, d, TN_INTS()));
}

/* An argument of the type T, a tuple: an input for each of its parts, NAME.0 and so on. */
static bool tuple_input(shlo_reader *r, const mir_type *t, span at, const char *name, int depth,
                        shlo_value *v)
{
    enum { MOST_DEPTH = 64 };
    shlo_value *parts = ARENA_ARRAY(&r->memory, shlo_value, t->n_parts + 1);
    if (!parts || depth == MOST_DEPTH)
        return shlo_no_memory(r);
    memset(parts, 0, (t->n_parts + 1) * sizeof *parts);
    for (uint32_t k = 0; k < t->n_parts; k++) {
        const mir_type *part = t->parts[k];
        const char *own = arena_printf(&r->memory, "%s.%" PRIu32, name, k);
        if (!own)
            return shlo_no_memory(r);
        if (part->kind == MIR_TUPLE) {
            if (!tuple_input(r, part, at, own, depth + 1, &parts[k]))
                return false;
            continue;
        }
        if (part->kind == MIR_TOKEN) {
            parts[k].is_token = true;
            continue;
        }
        const type *tensor = shlo_static_type(r, part, at);
        if (!tensor)
            return false;
        parts[k].v = tn_input(&r->b, own, tensor->dtype, shlo_dims(tensor));
    }
    v->parts = parts;
    v->n_parts = t->n_parts;
    return r->b.status == TN_OK;
}

static bool read_input(shlo_reader *r, const mir_function *f, uint32_t i, shlo_value *v)
{
    const char *name = r->argument_names[i];
    if (f->body.args[i].type->kind == MIR_TUPLE)
        return tuple_input(r, f->body.args[i].type, f->at, name, 0, v);
    const tn_buffer *given = given_value(r->options, name, position_of(r, f, i));
    if (is_size(f, i) && !given)
        return size_input(r, f, i, name, v);
    const type *t = input_type(r, f, i, name);
    if (t && given)
        return take_known(r, name, t, given, v);
    v->v = t ? tn_input(&r->b, name, t->dtype, shlo_dims(t)) : tn_no_value();
    return tn_is_value(v->v);
}

/* Is one of the inputs meant by NAME? */
static void suggest_input(shlo_reader *r, const mir_function *f, const char *name)
{
    suggestion like;
    suggest_begin(&like, name, strlen(name));
    for (uint32_t i = 0; i < f->body.n_args; i++) {
        const char *own = r->argument_names[i];
        suggest_name(&like, own, strlen(own));
    }
    if (like.name[0])
        shlo_advise(r, arena_printf(&r->memory, "did you mean '%s'?", like.name));
}

/* Values that are given by name for inputs that there are not. */
static bool check_given(shlo_reader *r, const mir_function *f)
{
    enum { MOST_SUGGESTED = 8 };
    const read_options *o = r->options;
    uint32_t n_wrong = 0;
    bool ok = true;
    for (size_t k = 0; k < o->n_known; k++) {
        uint32_t i = 0;
        while (i < f->body.n_args && strcmp(r->argument_names[i], o->known[k].name) != 0 &&
               !given_is_position(o->known[k].name, position_of(r, f, i)))
            i++;
        ok = ok && i < f->body.n_args;
        if (i < f->body.n_args)
            continue;
        (void)shlo_refuse_at(r, DIAG_UndefinedName, o->known[k].name, NO_SPAN,
                             "a value is given for '%.200s', which is no input", o->known[k].name);
        if (n_wrong++ < MOST_SUGGESTED)
            suggest_input(r, f, o->known[k].name);
    }
    return ok;
}

bool shlo_inputs(shlo_reader *r, const mir_function *f, shlo_value *args)
{
    const mir_attr *a = mir_attr_named(&r->model.attrs, "jax.uses_shape_polymorphism");
    bool ok = true;
    if (a && (a->kind == MIR_UNIT || a->i)) /* sizes of JAX are not 0 */
        r->least_size = 1;
    if (!name_arguments(r, f))
        return false;
    for (uint32_t i = 0; i < f->body.n_args; i++) {
        r->b.at = f->at;
        if (f->body.args[i].type->kind == MIR_TOKEN) {
            args[i].is_token = true;
            continue;
        }
        args[i].is_faulty = !read_input(r, f, i, &args[i]);
        ok = ok && !args[i].is_faulty;
        if (r->no_memory || r->b.status != TN_OK)
            return false;
    }
    return check_given(r, f) && ok;
}
