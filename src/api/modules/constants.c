/* Inputs that get one value for good, and constants that become inputs. */
#include <inttypes.h>
#include <string.h>

#include "api/api.h"
#include "graph/literal.h"
#include "pass/sizes/bind.h"

__attribute__((format(printf, 5, 6))) static tn_status
report(const module *m, const node *n, const char *op, diag_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const tn_status s = node_vreport(module_entry(m), n, &m->cx->diag, op, kind, format, args);
    va_end(args);
    return s;
}

/* OP is "input" where the declared shape is at fault, for which some dialects have a code, and NULL
 * where the data is. */
static tn_status refuse_about(const module *m, const node *n, const char *op, diag_kind kind,
                              const char *why)
{
    return report(m, n, op, kind, "input '%s' cannot be made a constant: %s",
                  attr_string(n->attrs, KEY_NAME), why);
}

static tn_status refuse(const module *m, const node *n, diag_kind kind, const char *why)
{
    return refuse_about(m, n, op_table[n->op].text, kind, why);
}

static tn_status refuse_data(const module *m, const node *n, const char *why)
{
    return refuse_about(m, n, NULL, DIAG_InputMismatch, why);
}

static tn_status refuse_type(const module *m, const node *n, const tn_type *want,
                             const tn_type *given)
{
    diag_channel *d = &m->cx->diag;
    const bool only_extents = want->dtype == given->dtype && want->rank == given->rank;
    const tn_status s = refuse_about(m, n, only_extents ? op_table[n->op].text : NULL,
                                     DIAG_InputMismatch, "the tensor is of another type");
    diag_note(d, NULL, NO_SPAN, "declared %s", public_type_text(&d->text, want));
    diag_note(d, NULL, NO_SPAN, "given %s", public_type_text(&d->text, given));
    return s;
}

/* Memory of M's for the data of L, where M does not copy it when it is copied itself. */
static void *own_room(module *m, literal *l)
{
    void *room = NULL;
    if (l->bytes < PAYLOAD_FROM)
        return arena_alloc_aligned(&m->arena, l->bytes, 64);
    l->shared = payload_new(&m->cx->allocator, l->bytes, &room);
    return room;
}

/* The data of L become those of VALUE. */
static bool take_value(module *m, literal *l, const tn_buffer *value, bool is_borrowed)
{
    if (is_borrowed && l->bytes > 0) {
        l->shared = payload_of_others(&m->cx->allocator);
        l->data = value->data;
        return l->shared != NULL;
    }
    void *own = own_room(m, l);
    if (!own)
        return false;
    if (l->bytes)
        memcpy(own, value->data, l->bytes);
    l->data = own;
    return true;
}

/* The attributes of a constant that holds VALUE, which is of type T. */
static tn_status constant_attrs(module *m, const node *n, const type *t, const tn_buffer *value,
                                bool is_borrowed, const attrs **out)
{
    literal l = {.type = t};
    if (!type_bytes(t, &l.bytes) || l.bytes > m->cx->limits.literal_bytes)
        return refuse(m, n, DIAG_LimitExceeded, "it has more bytes than the limit on constants");
    if (value->bytes < l.bytes || (l.bytes && !value->data))
        return refuse_data(m, n, "the buffer is too small");
    if (is_borrowed && (uintptr_t)value->data % dtype_bytes(dtype_table[t->dtype].part) != 0)
        return refuse_data(m, n, "the buffer is not aligned for its elements");
    if (!dtype_holds(t->dtype, value->data, l.bytes))
        return refuse_data(m, n,
                           arena_printf(&m->cx->diag.text, "it has values out of range: %s",
                                        dtype_range(t->dtype)));
    bool ok = take_value(m, &l, value, is_borrowed) && (!l.shared || module_hold(m, l.shared));
    payload_drop(l.shared); /* M holds it */
    attr entry = {.key = KEY_VALUE, .v.literal = &l};
    *out = ok ? attrs_of(&m->attrs, &entry, 1) : NULL;
    return *out ? TN_OK : module_no_memory(m);
}

/* The inputs behind number INDEX move up; a tuple that loses one is a tuple no more. */
static void forget_input(function *f, uint32_t index)
{
    uint32_t kept = 0;
    for (uint32_t i = index; i + 1 < f->inputs.n; i++)
        f->inputs.at[i] = f->inputs.at[i + 1];
    f->inputs.n--;
    for (uint32_t i = 0; i < f->tuples.n; i++) {
        input_tuple t = f->tuples.at[i];
        uint32_t n = 0;
        for (const char *c = t.nesting; *c; c++)
            n += *c == 't';
        if (t.first <= index && index < t.first + n)
            continue;
        t.first -= t.first > index;
        f->tuples.at[kept++] = t;
    }
    f->tuples.n = kept;
    f->hints.n = 0;
}

static tn_status set_constant(module *m, size_t index, const tn_buffer *value, bool is_borrowed)
{
    function *f = module_entry(m);
    const value_id v = f->inputs.at[index];
    node *n = &f->nodes.at[f->values.at[v].node];
    const type *t = value_type(f, v);
    tn_type want;
    const attrs *a = NULL;
    public_type(t, &want);
    if (!type_is_static(t))
        return refuse(m, n, DIAG_UnboundSymbol, "its shape does not tell all sizes in it");
    if (!public_same_type(&value->type, &want))
        return refuse_type(m, n, &want, &value->type);
    TN_TRY(constant_attrs(m, n, t, value, is_borrowed, &a));
    const char *name = attr_string(n->attrs, KEY_NAME); /* by which it can be opened again */
    if (!n->name && name && !(n->name = module_string(m, name, strlen(name))))
        return module_no_memory(m);
    forget_input(f, (uint32_t)index);
    node_rewrite(n, OP_CONSTANT, n->in, 0, a);
    return TN_OK;
}

/* The shape of VALUE gives symbols their values in M. */
static tn_status bind_by_shape(module *m, size_t index, const tn_buffer *value)
{
    const given_shape given = {value->type.rank, value->type.dims};
    dim_values *sizes = dim_values_new(&m->types, &m->arena);
    if (!sizes)
        return module_no_memory(m);
    TN_TRY(sizes_from_input(m, (uint32_t)index, &given, sizes));
    TN_TRY(sizes_demanded(m, sizes));
    return module_bind_partly(m, sizes);
}

/* Replaces the module, so that a failure leaves it as it was. */
static tn_status bind_and_set(tn_module *tm, size_t index, const tn_buffer *value, bool is_borrowed)
{
    module *bound = module_copy(tm->graph);
    if (!bound)
        return module_no_memory(tm->graph);
    tn_status s = bind_by_shape(bound, index, value);
    if (s == TN_OK)
        s = set_constant(bound, index, value, is_borrowed);
    module_free(s == TN_OK ? tm->graph : bound);
    if (s == TN_OK)
        tm->graph = bound;
    return s;
}

static tn_status give_constant(tn_module *tm, size_t index, const tn_buffer *value,
                               bool is_borrowed)
{
    module *m = tm->graph;
    const function *f = module_entry(m);
    if (!value)
        return diag_report(&m->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                           "the value of input %zu is NULL", index);
    if (index >= f->inputs.n)
        return diag_report(&m->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                           "input %zu of a module with %" PRIu32, index, f->inputs.n);
    const value_id v = f->inputs.at[index];
    if (type_is_static(value_type(f, v)))
        return set_constant(m, index, value, is_borrowed);
    if (!public_type_is_valid(&value->type, false))
        return refuse_data(m, node_of(f, v), "the tensor has no valid type");
    return bind_and_set(tm, index, value, is_borrowed);
}

tn_status tn_module_set_constant(tn_module *tm, size_t input, const tn_buffer *value)
{
    return context_done(tm->graph->cx, give_constant(tm, input, value, false));
}

tn_status tn_module_borrow_constant(tn_module *tm, size_t input, const tn_buffer *value)
{
    return context_done(tm->graph->cx, give_constant(tm, input, value, true));
}

/* ---- the opposite ---- */

/* The constant called NAME; NULL, and reported, unless there is one, and no such input. */
static node *find_constant(module *m, const char *name)
{
    function *f = module_entry(m);
    node *found = NULL;
    uint32_t n_found = 0;
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        node *n = &f->nodes.at[i];
        const char *own = n->op == OP_INPUT ? attr_string(n->attrs, KEY_NAME) : n->name;
        if ((n->op != OP_CONSTANT && n->op != OP_INPUT) || !own || strcmp(own, name) != 0)
            continue;
        found = n;
        n_found++;
    }
    if (n_found == 1 && found->op == OP_CONSTANT)
        return found;
    (void)diag_report(&m->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                      n_found == 0               ? "no constant is called '%.200s'"
                      : found->op == OP_CONSTANT ? "several constants are called '%.200s'"
                                                 : "'%.200s' is an input",
                      name);
    return NULL;
}

/* List V among the inputs, in the order of their nodes. */
static bool list_input(function *f, value_id v)
{
    if (!VECTOR_PUSH(f->module->allocator, &f->inputs, v))
        return false;
    uint32_t at = f->inputs.n - 1;
    for (; at > 0 && f->inputs.at[at - 1] > v; at--)
        f->inputs.at[at] = f->inputs.at[at - 1];
    f->inputs.at[at] = v;
    for (uint32_t i = 0; i < f->tuples.n; i++)
        f->tuples.at[i].first += f->tuples.at[i].first >= at;
    f->hints.n = 0;
    return true;
}

/* All elements of L, which holds a single one where it is a splat. */
static tn_status whole_data(module *m, const literal *l, tn_buffer *out)
{
    const size_t size = dtype_bytes(l->type->dtype);
    const size_t count = (size_t)l->type->count;
    *out = (tn_buffer){.data = (void *)(uintptr_t)l->data, .bytes = l->bytes};
    public_type(l->type, &out->type);
    if (!l->splat)
        return TN_OK;
    if (count > m->cx->limits.literal_bytes / size)
        return diag_report(&m->cx->diag, DIAG_LimitExceeded, NULL, NO_SPAN,
                           "written out, the constant has more bytes than the limit literal_bytes");
    out->bytes = count * size;
    out->data = arena_alloc_aligned(&m->arena, out->bytes, 64);
    if (!out->data)
        return module_no_memory(m);
    for (size_t i = 0; i < count; i++)
        memcpy((char *)out->data + i * size, l->data, size);
    return TN_OK;
}

static tn_status open_constant(module *m, const char *name, tn_buffer *value)
{
    function *f = module_entry(m);
    node *n = find_constant(m, name);
    tn_buffer whole;
    if (!n)
        return TN_ERR_USAGE;
    if (value)
        TN_TRY(whole_data(m, literal_of(n), &whole));
    const type *t = value_type(f, n->first_value);
    attr entries[] = {{.key = KEY_NAME, .v.s = n->name}, {.key = KEY_TYPE, .v.type = t}};
    const attrs *a = attrs_of(&m->attrs, entries, 2);
    if (!a || !list_input(f, n->first_value))
        return module_no_memory(m);
    if (value)
        *value = whole;
    node_rewrite(n, OP_INPUT, n->in, 0, a);
    return TN_OK;
}

tn_status tn_module_open_constant(tn_module *tm, const char *name, tn_buffer *value)
{
    return context_done(tm->graph->cx, open_constant(tm->graph, name, value));
}
