/* A file is refused whole, with one diagnostic for each operator and reason. */
#include <inttypes.h>
#include <string.h>

#include "dialect/onnx/import.h"

bool onnx_no_memory(importer *im)
{
    im->no_memory = true;
    return false;
}

const char *onnx_text(importer *im, onnx_bytes t)
{
    const char *own = t.n ? arena_copy_text(&im->memory, t.at, t.n) : "";
    if (own)
        return own;
    (void)onnx_no_memory(im);
    return "";
}

static size_t byte_of(const importer *im, const onnx_message *m)
{
    return (size_t)(m->bytes.at - im->m->source.text);
}

/* Node names may be empty, or stand twice: the first output is what tells a node for certain. */
static void place_node(onnx_call *c, refusal *r)
{
    arena *memory = &c->im->memory;
    const onnx_bytes *outputs = c->node->outputs.at;
    const onnx_bytes none = {0}, output = c->node->outputs.n ? outputs[0] : none;
    r->node = c->node->name.n
                  ? arena_printf(memory, "%.*s", ONNX_TEXT(c->node->name))
                  : arena_printf(memory, "#%" PRIu32 " %.*s", c->number, ONNX_TEXT(c->node->op));
    const size_t byte = byte_of(c->im, &c->node->message);
    r->place = c->version < 0
                   ? arena_printf(memory, "output \"%.*s\", byte %zu", ONNX_TEXT(output), byte)
                   : arena_printf(memory, "opset %" PRId64 ", output \"%.*s\", byte %zu",
                                  c->version, ONNX_TEXT(output), byte);
}

/* The refusal for this reason when it is a new one, without a message; NULL otherwise, also when
 * there are as many as the limit on errors lets be told. */
static refusal *fresh(importer *im, diag_kind kind, const char *about, const char *format)
{
    bool is_full;
    if (im->no_memory)
        return NULL;
    refusal *r = refusal_for(&im->refusals, im->m->allocator, im->m->cx->limits.errors, kind, about,
                             format, &is_full);
    if (!r && !is_full)
        (void)onnx_no_memory(im);
    return r && r->count == 1 ? r : NULL;
}

bool onnx_refuse_misread(onnx_call *c)
{
    static const char *const held[] = {"nothing",  "a float", "an integer", "a text",
                                       "a tensor", "a graph", "floats",     "integers",
                                       "texts",    "tensors", "graphs"};
    const onnx_attribute *a = c->asked->misread;
    c->asked->misread = NULL;
    return onnx_refuse(c, DIAG_InvalidAttribute, "the attribute '%.*s' holds %s, not %s",
                       ONNX_TEXT(a->name),
                       a->type > 0 && a->type <= ONNX_GRAPHS ? held[a->type] : "something unknown",
                       held[c->asked->wanted]);
}

bool onnx_refuse(onnx_call *c, diag_kind kind, const char *format, ...)
{
    va_list args;
    if (c->asked->misread) /* what is refused follows from that */
        return onnx_refuse_misread(c);
    refusal *r = fresh(c->im, kind, onnx_text(c->im, c->node->op), format);
    if (!r)
        return false;
    va_start(args, format);
    r->message = arena_vprintf(&c->im->memory, format, args);
    va_end(args);
    r->is_named = true;
    place_node(c, r);
    return r->message && r->node && r->place ? false : onnx_no_memory(c->im);
}

enum { MOST_WARNINGS = 100 };

/* The warning about ABOUT, if it is the first of its kind, with its message. *OK: there was memory.
 */
__attribute__((format(printf, 3, 0))) static refusal *
first_warning(importer *im, const char *about, const char *format, va_list args, bool *ok)
{
    bool is_full;
    refusal *r = refusal_for(&im->warnings, im->m->allocator, MOST_WARNINGS, DIAG_Advice, about,
                             format, &is_full);
    const bool is_first = r && r->count == 1;
    if (is_first)
        r->message = arena_vprintf(&im->memory, format, args);
    *ok = (is_first ? r->message != NULL : r || is_full) || onnx_no_memory(im);
    return is_first && *ok ? r : NULL;
}

bool onnx_warn(onnx_call *c, onnx_bytes attribute, const char *format, ...)
{
    va_list args;
    importer *im = c->im;
    bool ok;
    const char *about =
        arena_printf(&im->memory, "%.*s '%.*s'", ONNX_TEXT(c->node->op), ONNX_TEXT(attribute));
    if (!about)
        return onnx_no_memory(im);
    va_start(args, format);
    refusal *r = first_warning(im, about, format, args, &ok);
    va_end(args);
    if (!r)
        return ok;
    place_node(c, r);
    return (r->node && r->place) || onnx_no_memory(im);
}

__attribute__((format(printf, 2, 0))) static void advise(importer *im, const char *format,
                                                         va_list args)
{
    if (im->refusals.list.n == 0)
        return;
    refusal *r = &im->refusals.list.at[im->refusals.last];
    if (!r->fix)
        r->fix = arena_vprintf(&im->memory, format, args);
}

void onnx_advise(onnx_call *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    advise(c->im, format, args);
    va_end(args);
}

void onnx_advise_file(importer *im, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    advise(im, format, args);
    va_end(args);
}

/* ---- advice ---- */

enum { MOST_OPEN = 8 /* sizes that are named */ };

/* Options that give what the inputs leave open. */
typedef struct open_inputs {
    importer *im;
    const char *text; /* "": nothing is open */
    uint32_t n;       /* sizes in it */
    dim seen[MOST_OPEN];
} open_inputs;

static void add_setting(open_inputs *all, diag_setting setting, const char *name, const char *value)
{
    const char *own = diag_setting_name(&all->im->m->cx->diag, setting);
    const char *more = arena_printf(&all->im->memory, "%s %s %s=%s", all->text, own, name, value);
    if (more)
        all->text = more;
    else
        (void)onnx_no_memory(all->im);
}

/* The size D, unless it is computed from others, or was seen before. */
static void add_size(open_inputs *all, dim d)
{
    arena *memory = &all->im->memory;
    const char *text = dims_text(memory, &all->im->m->types, &d, 1); /* `[name]` */
    for (uint32_t i = 0; i < all->n; i++)
        if (all->seen[i] == d)
            return;
    if (all->n == MOST_OPEN || text[1] == '(')
        return;
    all->seen[all->n++] = d;
    char *name = arena_copy_text(memory, text + 1, strlen(text) - 2);
    if (name)
        add_setting(all, SETTING_BINDINGS, name, "N");
    else
        (void)onnx_no_memory(all->im);
}

/* Integers, or a list of a few floats. */
static bool may_be_sizes(const type *t)
{
    enum { MOST_FLOATS = 16 };
    if (!dtype_is_float(t->dtype))
        return t->rank < 2;
    return t->rank == 1 && !dim_is_symbolic(t->dims[0]) && t->dims[0] <= MOST_FLOATS;
}

/* Settings that give the sizes of the inputs values, and for VALUES also those inputs that may be
 * sizes themselves; "" where nothing is open. */
static const char *options_of_inputs(importer *im, bool values)
{
    open_inputs all = {.im = im, .text = ""};
    const function *f = im->m->functions.at[0];
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        const value_id v = f->inputs.at[i];
        const type *t = value_type(f, v);
        const char *name = attr_string(node_of(f, v)->attrs, KEY_NAME);
        for (uint32_t k = 0; k < t->rank; k++)
            if (dim_is_symbolic(t->dims[k]))
                add_size(&all, t->dims[k]);
        if (values && name && may_be_sizes(t))
            add_setting(&all, SETTING_KNOWN, name, "VALUE");
    }
    return all.text;
}

void onnx_advise_known(onnx_call *c, const char *what)
{
    const refusals *all = &c->im->refusals;
    const diag_kind kind = all->list.n ? all->list.at[all->last].kind : DIAG_UnknownOp;
    if (kind != DIAG_DataDependentShape && kind != DIAG_ShapeUnknown && kind != DIAG_Sequence)
        return;
    const char *options = options_of_inputs(c->im, true);
    if (*options)
        onnx_advise(c, "%s:%s", what, options);
}

/* Mark the values of F that V, a value of it, is computed from. */
static void mark_sources(const function *f, value_id v, bool *seen)
{
    seen[v] = true;
    for (value_id k = v + 1; k-- > 0;) { /* operands stand below */
        if (!seen[k])
            continue;
        const node *n = node_of(f, k);
        for (uint32_t i = 0; i < n->n_in; i++)
            seen[n->in[i]] = true;
    }
}

void onnx_advise_values(onnx_call *c, uint32_t n)
{
    importer *im = c->im;
    const function *f = im->m->functions.at[0];
    open_inputs all = {.im = im, .text = ""};
    bool *seen = ARENA_ARRAY(&im->memory, bool, (size_t)f->values.n + 1);
    if (!seen) {
        (void)onnx_no_memory(im);
        return;
    }
    for (uint32_t k = 0; k < n && im->b.scopes.n == 1; k++)
        if (onnx_has_in(c, k) && !onnx_in_known(c, k) && tn_is_value(c->in[k]->v))
            mark_sources(f, c->in[k]->v.id, seen);
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        const char *name = attr_string(node_of(f, f->inputs.at[i])->attrs, KEY_NAME);
        if (name && seen[f->inputs.at[i]])
            add_setting(&all, SETTING_KNOWN, name, "VALUE");
    }
    if (*all.text)
        onnx_advise(c, "give values to what that is computed from:%s", all.text);
}

void onnx_advise_sizes(importer *im)
{
    for (uint32_t i = 0; i < im->refusals.list.n && !im->no_memory; i++) {
        refusal *r = &im->refusals.list.at[i];
        const bool values = r->kind == DIAG_DataDependentShape;
        if (r->fix || (r->kind != DIAG_ShapeUnknown && !values))
            continue;
        const char *options = options_of_inputs(im, values);
        if (*options)
            r->fix = arena_printf(&im->memory, "make known what the inputs leave open:%s", options);
    }
}

/* ---- files ---- */

bool onnx_refuse_file(importer *im, diag_kind kind, const char *about, const char *format, ...)
{
    va_list args;
    refusal *r = fresh(im, kind, about, format);
    if (!r)
        return false;
    va_start(args, format);
    r->message = arena_vprintf(&im->memory, format, args);
    va_end(args);
    return r->message ? false : onnx_no_memory(im);
}

bool onnx_warn_file(importer *im, const char *about, const char *format, ...)
{
    va_list args;
    bool ok;
    va_start(args, format);
    (void)first_warning(im, about, format, args, &ok);
    va_end(args);
    return ok;
}
