/* Modules and functions of MLIR text, and what stands beside them. */
#include "dialect/mlir/read/reader.h"

/* ---- functions ---- */

static bool add_function(mir_reader *r, mir_function *f)
{
    f->n_values = r->n_values;
    if (mir_function_named(r->model, f->name))
        return mir_fail(r, DIAG_MultipleDefinitions, f->at, "there are two functions '@%.*s'",
                        MIR_TEXT(f->name));
    return VECTOR_PUSH_INDEXED(r->allocator, &r->model->functions, f, &r->model->by_name,
                               hash_bytes(0, f->name.at, f->name.n)) ||
           mir_no_memory(r);
}

const mir_op *mir_maker(const mir_region *region, const mir_value *v)
{
    for (uint32_t i = 0; i < region->n_ops; i++) {
        const mir_op *o = region->ops[i];
        if (o->n_out == 1 && &o->out[0] == v)
            return o;
        for (uint32_t k = 0; k < o->n_regions; k++) {
            const mir_op *inner = mir_maker(&o->regions[k], v);
            if (inner)
                return inner;
        }
    }
    return NULL;
}

mir_function *mir_function_named(const mir_model *m, mir_text name)
{
    const uint64_t h = hash_bytes(0, name.at, name.n);
    for (uint32_t p = hash_first(&m->by_name, h), i;
         (i = hash_at(&m->by_name, h, &p)) != HASH_NONE;)
        if (mir_same(m->functions.at[i]->name, name))
            return m->functions.at[i];
    return NULL;
}

/* Dictionaries of arguments or results, as a list. */
typedef struct dicts {
    mir_attr *at;
    uint32_t n, cap;
} dicts;

static bool read_dict(mir_reader *r, dicts *list)
{
    mir_attr one = {.kind = MIR_DICT};
    return (mir_next(r) != '{' || mir_read_dict(r, &one.fields)) && MIR_PUSH(r, list, one);
}

static bool take_dicts(mir_reader *r, const dicts *list, const mir_attr **out)
{
    mir_attr *own = ARENA_NEW(r->memory, mir_attr);
    if (!own)
        return mir_no_memory(r);
    *own = (mir_attr){.kind = MIR_LIST, .items = list->at, .n = list->n};
    *out = own;
    return true;
}

/* `(%arg0: T {a = 1} loc("x"), ...)`; a declaration may leave the names out. */
static bool read_params(mir_reader *r, mir_function *f)
{
    struct {
        mir_value *at;
        uint32_t n, cap;
    } args = {0};
    dicts attrs = {0};
    if (!mir_expect(r, '('))
        return false;
    while (mir_next(r) != ')') {
        mir_text name = {0};
        const mir_type *t;
        if (*r->at == '%' && (!mir_sigil(r, '%', &name) || !mir_expect(r, ':')))
            return false;
        if (!mir_read_type(r, &t) || !MIR_PUSH(r, &args, mir_new_value(r, name, t)) ||
            !read_dict(r, &attrs) || !mir_read_loc(r, &args.at[args.n - 1].loc))
            return false;
        if (!mir_accept(r, ','))
            break;
    }
    f->body.args = args.at;
    f->body.n_args = args.n;
    return mir_expect(r, ')') && take_dicts(r, &attrs, &f->arg_attrs);
}

/* `-> T`, `-> (T {a}, T)` */
static bool read_results(mir_reader *r, mir_function *f)
{
    mir_types types = {0};
    dicts attrs = {0};
    if (!mir_accept_arrow(r))
        return true;
    if (!mir_accept(r, '(')) {
        if (!mir_read_types(r, &types))
            return false;
    } else {
        while (mir_next(r) != ')') {
            const mir_type *t;
            if (!mir_read_type(r, &t) || !MIR_PUSH(r, &types, t) || !read_dict(r, &attrs))
                return false;
            if (!mir_accept(r, ','))
                break;
        }
        if (!mir_expect(r, ')'))
            return false;
    }
    f->results = types.at;
    f->n_results = types.n;
    return take_dicts(r, &attrs, &f->result_attrs);
}

/* `func.func` in its pretty form, behind the name. */
static bool read_function(mir_reader *r)
{
    mir_function *f = ARENA_NEW(r->memory, mir_function);
    mir_fields attrs = {0};
    mir_text loc;
    if (!f)
        return mir_no_memory(r);
    if (mir_accept_word(r, "private") || mir_accept_word(r, "nested"))
        f->is_private = true;
    else
        (void)mir_accept_word(r, "public");
    f->at = mir_here(r);
    if (!mir_sigil(r, '@', &f->name) || !read_params(r, f) || !read_results(r, f))
        return false;
    if (mir_accept_word(r, "attributes") && !mir_read_dict(r, &attrs))
        return false;
    f->has_body = mir_next(r) == '{';
    if (f->has_body && !mir_read_region(r, &f->body, f->body.args, f->body.n_args))
        return false;
    return mir_read_loc(r, &loc) && add_function(r, f);
}

/* The generic form of a function, behind its name. */
static bool read_generic_function(mir_reader *r, span at)
{
    mir_op o = {.at = at};
    mir_types types = {0};
    mir_text loc;
    mir_function *f = ARENA_NEW(r->memory, mir_function);
    if (!f)
        return mir_no_memory(r);
    if (!mir_read_generic(r, &o, &types) || !mir_read_loc(r, &loc))
        return false;
    const mir_attr *name = mir_attr_named(&o.attrs, "sym_name");
    const mir_attr *type = mir_attr_named(&o.attrs, "function_type");
    const mir_attr *visibility = mir_attr_named(&o.attrs, "sym_visibility");
    if (!name || !type || !type->type || type->type->kind != MIR_FUNCTION || o.n_regions != 1)
        return mir_fail(r, DIAG_MissingAttribute, at, "a function has a name, a type and a region");
    f->name = name->text;
    f->at = at;
    f->is_private = visibility && mir_is(visibility->text, "private");
    f->body = o.regions[0];
    f->has_body = f->body.n_ops > 0;
    f->results = (const mir_type **)(uintptr_t)(type->type->parts + type->type->n_in);
    f->n_results = type->type->n_parts - type->type->n_in;
    f->arg_attrs = mir_attr_named(&o.attrs, "arg_attrs");
    f->result_attrs = mir_attr_named(&o.attrs, "res_attrs");
    return add_function(r, f);
}

/* ---- what stands beside functions ---- */

static bool read_items(mir_reader *r, char close);

static bool read_module(mir_reader *r)
{
    mir_text name;
    if (mir_next(r) == '@' && !mir_sigil(r, '@', &name))
        return false;
    if (mir_accept_word(r, "attributes") && !mir_read_dict(r, &r->model->attrs))
        return false;
    return mir_expect(r, '{') && mir_enter(r) && read_items(r, '}') && (mir_leave(r), true);
}

/* `"builtin.module"() <{..}> ({ ... }) : () -> ()`, behind the name. */
static bool read_generic_module(mir_reader *r)
{
    mir_text name;
    mir_op rest = {0};
    mir_types types = {0};
    if (!mir_expect(r, '(') || !mir_expect(r, ')'))
        return false;
    if (mir_accept(r, '<') && (!mir_read_dict(r, &r->model->attrs) || !mir_expect(r, '>')))
        return false;
    if (!mir_expect(r, '(') || !mir_expect(r, '{') || !mir_enter(r))
        return false;
    if (mir_next(r) == '^' && (!mir_sigil(r, '^', &name) || !mir_accept(r, ':')))
        return false;
    if (!read_items(r, '}') || !mir_expect(r, ')'))
        return false;
    mir_leave(r);
    return (mir_next(r) != '{' || mir_read_dict(r, &r->model->attrs)) &&
           mir_read_signature(r, &rest, &types);
}

/* `{-# dialect_resources: { builtin: { w: "0x04.." } } #-}`: every name in front of a string. */
static bool read_resources(mir_reader *r)
{
    while (mir_next(r) != '#') {
        mir_resource one;
        const char c = *r->at;
        if (c == '{' || c == '}' || c == ',' || c == ':') {
            r->at++;
            continue;
        }
        if (c == '"' ? !mir_string(r, &one.name) : !mir_word(r, &one.name))
            return false;
        if (mir_accept(r, ':') && mir_next(r) == '"') {
            if (!mir_string(r, &one.data))
                return false;
            if (!VECTOR_PUSH(r->allocator, &r->model->resources, one))
                return mir_no_memory(r);
        }
    }
    return mir_expect(r, '#') && mir_expect(r, '-') && mir_expect(r, '}');
}

/* A function, a module or the like. */
static bool read_item(mir_reader *r)
{
    mir_text name;
    const bool is_generic = mir_next(r) == '"';
    const char *from = r->at;
    if (is_generic ? !mir_string(r, &name) : !mir_word(r, &name))
        return false;
    const span at = mir_span(r, (mir_text){from, (size_t)(r->at - from)});
    r->n_values = 0;
    if (mir_is(name, "func.func"))
        return is_generic ? read_generic_function(r, at) : read_function(r);
    if (mir_is(name, "builtin.module") || mir_is(name, "module"))
        return is_generic ? read_generic_module(r) : read_module(r);
    if (mir_is(name, "sdy.mesh"))
        return mir_skip_op(r);
    if (mir_is(name, "HloModule"))
        return mir_fail(r, DIAG_WrongDialect, at,
                        "this is the text of HLO, which is another language than StableHLO");
    return mir_fail(r, DIAG_SyntaxError, at, "expected a function instead of '%.*s'",
                    MIR_TEXT(name));
}

static bool read_items(mir_reader *r, char close)
{
    mir_text loc;
    for (;;) {
        const char c = mir_next(r);
        if (c == close)
            break;
        const bool has_two = r->end - r->at > 2;
        if (c == '#' || c == '!') {
            if (!mir_read_alias(r))
                return false;
        } else if (c == '{' && has_two && r->at[1] == '-' && r->at[2] == '#') {
            r->at += 3;
            if (!read_resources(r))
                return false;
        } else if (!read_item(r)) {
            return false;
        }
    }
    if (close == '\0')
        return r->at == r->end ||
               mir_fail(r, DIAG_InvalidCharacter, mir_here(r), "a byte 0 stands here");
    return mir_expect(r, close) && mir_read_loc(r, &loc);
}

/* ---- the text ---- */

bool mir_read(context *cx, const source *src, const tn_allocator *allocator, arena *memory,
              mir_find *find, const void *rows, mir_model *model)
{
    mir_reader r = {.cx = cx,
                    .src = src,
                    .allocator = allocator,
                    .memory = memory,
                    .model = model,
                    .find = find,
                    .rows = rows,
                    .at = src->text + source_mark_length(src->text, src->length),
                    .end = src->text + src->length};
    const bool ok = read_items(&r, '\0');
    hash_release(allocator, &r.type_index);
    VECTOR_RELEASE(allocator, &r.types);
    hash_release(allocator, &r.name_index);
    VECTOR_RELEASE(allocator, &r.names);
    VECTOR_RELEASE(allocator, &r.undo);
    VECTOR_RELEASE(allocator, &r.ops);
    return ok;
}

void mir_release(const tn_allocator *allocator, mir_model *model)
{
    VECTOR_RELEASE(allocator, &model->functions);
    VECTOR_RELEASE(allocator, &model->aliases);
    VECTOR_RELEASE(allocator, &model->resources);
    hash_release(allocator, &model->by_name);
    hash_release(allocator, &model->by_alias);
}
