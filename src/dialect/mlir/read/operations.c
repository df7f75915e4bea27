/* One operation of MLIR text, in its generic or its pretty form, and regions of them. */
#include "base/text/text.h"
#include "dialect/mlir/read/reader.h"

/* ---- results ---- */

/* A name on the left, and how many values it stands for. */
typedef struct result_name {
    mir_text name;
    uint32_t n;
} result_name;

typedef struct result_names {
    result_name *at;
    uint32_t n, cap, total;
} result_names;

/* `%a, %b:2 =`, if that is next. */
static bool read_results(mir_reader *r, result_names *out)
{
    enum { MOST = 255 };
    if (mir_next(r) != '%')
        return true;
    do {
        result_name one = {.n = 1};
        int64_t n = 1;
        bool fits = true;
        if (!mir_sigil(r, '%', &one.name))
            return false;
        if (mir_accept(r, ':') && !mir_integer(r, &n, &fits))
            return false;
        if (!fits || n < 1 || n > MOST || out->total + n > MOST)
            return mir_fail(r, DIAG_LimitExceeded, mir_span(r, one.name),
                            "an operation has up to %d results", MOST);
        one.n = (uint32_t)n;
        out->total += one.n;
        if (!MIR_PUSH(r, out, one))
            return false;
    } while (mir_accept(r, ','));
    return mir_expect(r, '=');
}

static bool define_results(mir_reader *r, mir_op *o, const result_names *names,
                           const mir_types *types)
{
    if (o->is_unread) /* its results are what the left side says */
        o->n_out = names->total;
    else
        o->n_out = types->n;
    if (!o->is_unread && names->total != types->n)
        return mir_fail(r, DIAG_ArityMismatch, o->at, "%u name%s of results, and %u type%s of them",
                        (unsigned)names->total, plural(names->total), (unsigned)types->n,
                        plural(types->n));
    o->out = ARENA_ARRAY(r->memory, mir_value, o->n_out);
    if (!o->out)
        return mir_no_memory(r);
    uint32_t k = 0;
    for (uint32_t i = 0; i < names->n; i++) {
        const uint32_t first = k;
        for (uint32_t j = 0; j < names->at[i].n; j++, k++)
            o->out[k] = mir_new_value(r, names->at[i].name, o->is_unread ? NULL : types->at[k]);
        if (!mir_define(r, names->at[i].name, &o->out[first], names->at[i].n))
            return false;
    }
    return true;
}

/* ---- the generic form ---- */

bool mir_add_regions(mir_reader *r, mir_op *o, uint32_t n)
{
    mir_region *more = ARENA_ARRAY(r->memory, mir_region, (size_t)o->n_regions + n);
    if (!more)
        return mir_no_memory(r);
    if (o->n_regions)
        memcpy(more, o->regions, o->n_regions * sizeof *more);
    o->regions = more;
    o->n_regions += n;
    return true;
}

/* `({...}, {...})` */
static bool read_regions(mir_reader *r, mir_op *o)
{
    if (!mir_expect(r, '('))
        return false;
    do {
        mir_region one = {0};
        if (!mir_read_region(r, &one, NULL, 0) || !mir_add_regions(r, o, 1))
            return false;
        o->regions[o->n_regions - 1] = one;
    } while (mir_accept(r, ','));
    return mir_expect(r, ')');
}

/* The types of the text against those that the operands have. */
static bool check_operands(mir_reader *r, const mir_op *o, const mir_type *const *types, uint32_t n)
{
    if (n != o->n_in)
        return mir_fail(r, DIAG_ArityMismatch, o->at, "%u operand%s, and %u type%s of operands",
                        (unsigned)o->n_in, plural(o->n_in), (unsigned)n, plural(n));
    for (uint32_t i = 0; i < n; i++) {
        const mir_type *a = o->in[i]->type, *b = types[i];
        if (a && !mir_agree(a, b))
            return mir_fail(r, DIAG_TypeMismatch, o->at,
                            "operand %u has the type %.*s, and %.*s is written", (unsigned)i,
                            MIR_TEXT(a->text), MIR_TEXT(b->text));
    }
    return true;
}

bool mir_read_signature(mir_reader *r, mir_op *o, mir_types *results)
{
    mir_types list = {0};
    if (!mir_expect(r, ':'))
        return false;
    if (mir_next(r) == '(') {
        const mir_type *t;
        if (!mir_read_type(r, &t) || !check_operands(r, o, t->parts, t->n_in))
            return false;
        const mir_type *const *behind = t->n_in ? t->parts + t->n_in : t->parts; /* may be NULL */
        *results = (mir_types){(const mir_type **)(uintptr_t)behind, t->n_parts - t->n_in, 0};
        return true;
    }
    do {
        const mir_type *t;
        if (!mir_read_type(r, &t) || !MIR_PUSH(r, &list, t))
            return false;
    } while (mir_accept(r, ','));
    if (mir_accept_arrow(r) || mir_accept_word(r, "to")) /* a cast says the latter */
        return check_operands(r, o, list.at, list.n) && mir_read_types(r, results);
    if (o->row &&
        o->row->form == FORM_VALUES) { /* no results of their own, or those of the operands */
        if (o->row->n_out != 0)
            *results = list;
        return check_operands(r, o, list.at, list.n);
    }
    const int32_t n = o->row ? o->row->n_out : 1;
    for (int32_t i = 0; i < n; i++) /* the last type is that of all results */
        if (!MIR_PUSH(r, results, list.at[list.n - 1]))
            return false;
    return true;
}

bool mir_read_attrs(mir_reader *r, mir_op *o)
{
    return mir_next(r) != '{' || mir_read_dict(r, &o->attrs);
}

bool mir_read_generic(mir_reader *r, mir_op *o, mir_types *results)
{
    mir_operands in = {0};
    if (!mir_expect(r, '(') || !mir_read_operands(r, &in) || !mir_expect(r, ')'))
        return false;
    o->in = in.at;
    o->n_in = in.n;
    if (mir_next(r) == '[')
        return mir_fail(r, DIAG_NotImplemented, mir_here(r), "branches to blocks are not read");
    if (mir_accept(r, '<') && (!mir_read_dict(r, &o->attrs) || !mir_expect(r, '>')))
        return false;
    if (mir_next(r) == '(' && !read_regions(r, o))
        return false;
    if (!mir_read_attrs(r, o))
        return false;
    return mir_read_signature(r, o, results);
}

/* ---- operations ---- */

/* An unknown pretty form ends with its line, but for what stands in brackets. */
static bool skip_unread(mir_reader *r, mir_op *o)
{
    o->is_unread = true;
    while (r->at < r->end && *r->at != '\n' && *r->at != '}') {
        const char c = *r->at;
        mir_text text;
        if (c == '"'                                       ? !mir_string(r, &text)
            : c == '(' || c == '[' || c == '{' || c == '<' ? !mir_skip_brackets(r)
                                                           : false)
            return false;
        if (c == '/' && r->end - r->at > 1 && r->at[1] == '/')
            break;
        if (c != '"' && c != '(' && c != '[' && c != '{' && c != '<')
            r->at++;
    }
    return true;
}

bool mir_rename_older(mir_reader *r, mir_text *name)
{
    static const char older[] = "mhlo.";
    const size_t skip = sizeof older - 1;
    if (name->n <= skip || memcmp(name->at, older, skip) != 0)
        return true;
    const char *own =
        arena_printf(r->memory, "stablehlo.%.*s",
                     (int)(name->n - skip < 200 ? name->n - skip : 200), name->at + skip);
    if (!own)
        return mir_no_memory(r);
    const mir_text renamed = {own, strlen(own)};
    if (r->find(r->rows, renamed))
        *name = renamed;
    return true;
}

static bool read_body(mir_reader *r, mir_op *o, bool is_generic, mir_types *types)
{
    if (!mir_rename_older(r, &o->name))
        return false;
    o->row = r->find(r->rows, o->name);
    if (is_generic)
        return mir_read_generic(r, o, types);
    if (!o->row || o->row->form == FORM_NONE)
        return skip_unread(r, o);
    return mir_read_form(r, o, types);
}

static bool read_op(mir_reader *r)
{
    result_names names = {0};
    mir_types types = {0};
    mir_op *o = ARENA_NEW(r->memory, mir_op);
    if (!o)
        return mir_no_memory(r);
    if (!read_results(r, &names))
        return false;
    const bool is_generic = mir_next(r) == '"';
    const char *from = r->at;
    if (is_generic ? !mir_string(r, &o->name) : !mir_word(r, &o->name))
        return false;
    o->at = mir_span(r, (mir_text){from, (size_t)(r->at - from)});
    o->n_out = names.total;
    return read_body(r, o, is_generic, &types) && mir_read_loc(r, &o->loc) &&
           define_results(r, o, &names, &types) &&
           (VECTOR_PUSH(r->allocator, &r->ops, o) || mir_no_memory(r));
}

bool mir_skip_op(mir_reader *r)
{
    mir_op o = {0};
    return skip_unread(r, &o);
}

/* ---- regions ---- */

/* `^bb0(%a: T loc(..), %b: T):` */
static bool read_header(mir_reader *r, mir_region *out)
{
    struct {
        mir_value *at;
        uint32_t n, cap;
    } args = {0};
    mir_text name;
    if (!mir_sigil(r, '^', &name))
        return false;
    if (mir_accept(r, '(') && !mir_accept(r, ')')) {
        do {
            const mir_type *t;
            if (!mir_sigil(r, '%', &name) || !mir_expect(r, ':') || !mir_read_type(r, &t) ||
                !MIR_PUSH(r, &args, mir_new_value(r, name, t)) ||
                !mir_read_loc(r, &args.at[args.n - 1].loc))
                return false;
        } while (mir_accept(r, ','));
        if (!mir_expect(r, ')'))
            return false;
    }
    out->args = args.at;
    out->n_args = args.n;
    return mir_expect(r, ':');
}

static bool read_block(mir_reader *r, mir_region *out, mir_value *named, uint32_t n_named)
{
    const uint32_t first = r->ops.n;
    out->args = named;
    out->n_args = n_named;
    out->depth = r->n_regions;
    for (uint32_t i = 0; i < n_named; i++)
        named[i].depth = r->n_regions;
    if (mir_next(r) == '^' && !named && !read_header(r, out))
        return false;
    for (uint32_t i = 0; i < out->n_args; i++)
        if (!mir_define(r, out->args[i].name, &out->args[i], 1))
            return false;
    while (mir_next(r) != '}') {
        if (*r->at == '^')
            return mir_fail(r, DIAG_NotImplemented, mir_here(r),
                            "regions of several blocks are not read");
        if (!read_op(r))
            return false;
    }
    out->n_ops = r->ops.n - first;
    out->ops = ARENA_ARRAY(r->memory, mir_op *, out->n_ops);
    if (!out->ops)
        return mir_no_memory(r);
    if (out->n_ops)
        memcpy(out->ops, &r->ops.at[first], out->n_ops * sizeof *out->ops);
    r->ops.n = first;
    return mir_expect(r, '}');
}

bool mir_read_region(mir_reader *r, mir_region *out, mir_value *named, uint32_t n_named)
{
    const uint32_t mark = r->undo.n;
    if (!mir_expect(r, '{') || !mir_enter(r))
        return false;
    r->n_regions++;
    const bool ok = read_block(r, out, named, n_named);
    r->n_regions--;
    mir_forget(r, mark);
    mir_leave(r);
    return ok;
}
