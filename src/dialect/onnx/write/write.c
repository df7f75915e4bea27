/* A module as a model: the table of operations, one function at a time, names, and sizes. */
#include <inttypes.h>
#include <stdio.h>

#include "dialect/onnx/onnx.h"
#include "dialect/onnx/write/writer.h"

/* ---- the vocabulary ---- */

const onnx_row *onnx_row_of(op_id op)
{
    static const onnx_row rows[OP_COUNT] = {
#define PLAIN(op, name, direct) [OP_##op] = {name, onnx_put_plain, NULL, name, direct},
#define WRITE(op, text, put, takes) [OP_##op] = {text, onnx_put_##put, onnx_takes_##takes, NULL, 0},
#include "dialect/onnx/write/ops.def"
    };
    return &rows[op];
}

const char *onnx_spelling(op_id op)
{
    return onnx_row_of(op)->text;
}

static bool takes(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const onnx_row *row = onnx_row_of((op_id)n->op);
    return !row->takes || row->takes(f, n, why);
}

bool onnx_takes_any(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    (void)f;
    (void)n;
    (void)why;
    return true;
}

/* A size that is computed would be another size to whom the model is given. */
bool onnx_takes_input(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *t = value_type(f, n->first_value);
    for (uint32_t i = 0; i < t->rank && !f->is_region; i++)
        if (dim_is_symbolic(t->dims[i]) &&
            dim_expr_of(&f->module->types, t->dims[i])->op != DIM_SYM)
            return onnx_objection(why, "its extent %" PRIu32 " is computed from sizes", i);
    return true;
}

const expressible onnx_expressible = {
    .family = "onnx",
    .dtypes = ONNX_BIT(TN_I1) | ONNX_BIT(TN_SI8) | ONNX_BIT(TN_UI8) | ONNX_BIT(TN_SI16) |
              ONNX_BIT(TN_UI16) | ONNX_BIT(TN_SI32) | ONNX_BIT(TN_UI32) | ONNX_BIT(TN_SI64) |
              ONNX_BIT(TN_UI64) | ONNX_BIT(TN_BF16) | ONNX_FLOAT_BITS,
    .implicit_broadcast = true,
    .symbols = true,
    .takes = takes,
};

/* ---- what the other files use ---- */

bool onnx_objection(char why[OBJECTION_SIZE], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(why, OBJECTION_SIZE, format, args);
    va_end(args);
    return false;
}

void onnx_write_fault(onnx_writer *w, const node *n, diag_kind kind, const char *format, ...)
{
    char text[OBJECTION_SIZE];
    va_list args;
    if (w->status != TN_OK)
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    w->status = node_report(w->f, n, kind, "%s", text);
}

onnx_id onnx_test(onnx_writer *w, const char *op, onnx_id x, onnx_id y)
{
    const onnx_id in[] = {x, y};
    return onnx_make(&w->out, op, TN_I1, in, y == ONNX_NOTHING ? 1 : 2, NULL, 0);
}

onnx_id onnx_where(onnx_writer *w, onnx_id p, onnx_id x, onnx_id y)
{
    const onnx_id in[] = {p, x, y};
    return onnx_make(&w->out, "Where", onnx_dtype_of_id(&w->out, x), in, 3, NULL, 0);
}

/* ONNX Runtime 1.30 compares only the lower halves of integers of 64 bits in Max, Min and Clip. */
onnx_id onnx_extreme_of(onnx_writer *w, const char *op, onnx_id x, onnx_id y)
{
    if (onnx_dtype_of_id(&w->out, x) != TN_SI64)
        return onnx_2(w, op, x, y);
    const bool largest = strcmp(op, "Max") == 0;
    return onnx_where(w, onnx_test(w, largest ? "Less" : "Greater", x, y), y, x);
}

onnx_id onnx_with(onnx_writer *w, const char *op, onnx_id x, onnx_setting setting)
{
    return onnx_make(&w->out, op, onnx_dtype_of_id(&w->out, x), &x, 1, &setting, 1);
}

/* ---- sizes ---- */

/* The extent of an input that is the symbol D. */
static onnx_id measured(onnx_writer *w, dim d)
{
    const function *f = module_entry(w->m);
    for (uint32_t k = 0; k < f->inputs.n; k++) {
        const type *t = function_input_type(f, k);
        for (uint32_t i = 0; i < t->rank; i++) {
            if (t->dims[i] != d)
                continue;
            const onnx_id id = w->out.top->inputs.at[k].id;
            const onnx_setting part[] = {ONNX_INT_SET("start", i), ONNX_INT_SET("end", i + 1)};
            return onnx_make(&w->out, "Shape", TN_SI64, &id, 1, part, 2);
        }
    }
    return ONNX_NOTHING;
}

static onnx_id size_of(onnx_writer *w, dim d);

onnx_id onnx_floor_quotient(onnx_writer *w, onnx_id a, onnx_id b)
{
    const onnx_id rest = onnx_2(w, "Mod", a, b);
    const onnx_id whole = onnx_2(w, "Sub", a, rest);
    return onnx_2(w, "Div", whole, b);
}

static onnx_id computed(onnx_writer *w, const dim_expr *e)
{
    static const char *const ops[] = {[DIM_ADD] = "Add", [DIM_MUL] = "Mul", [DIM_MOD] = "Mod"};
    const onnx_id a = size_of(w, e->a), b = size_of(w, e->b);
    if (a == ONNX_NOTHING || b == ONNX_NOTHING)
        return ONNX_NOTHING;
    return e->op == DIM_FLOORDIV ? onnx_floor_quotient(w, a, b) : onnx_2(w, ops[e->op], a, b);
}

/* D as a list of one number. Sizes are computed once, in the outermost graph: before what is
 * written now, which may stand in an inner one. */
static onnx_id size_of(onnx_writer *w, dim d)
{
    if (!dim_is_symbolic(d))
        return onnx_list_of(&w->out, &d, 1);
    const uint32_t at = dim_index(d);
    while (w->sizes.n <= at && !w->out.no_memory)
        w->out.no_memory = !VECTOR_PUSH(w->m->allocator, &w->sizes, ONNX_NOTHING);
    if (w->out.no_memory || w->sizes.at[at] != ONNX_NOTHING)
        return w->out.no_memory ? ONNX_NOTHING : w->sizes.at[at];
    onnx_new_graph *inner = w->out.g;
    const dim_expr *e = dim_expr_of(&w->m->types, d);
    w->out.g = w->out.top;
    const onnx_id id = e->op == DIM_SYM ? measured(w, d) : computed(w, e);
    w->out.g = inner;
    w->sizes.at[at] = id;
    return id;
}

onnx_id onnx_extents(onnx_writer *w, const node *n, const dim *dims, uint32_t rank)
{
    onnx_id parts[2 * TN_MAX_RANK];
    bool is_known = true;
    for (uint32_t i = 0; i < rank; i++)
        is_known = is_known && !dim_is_symbolic(dims[i]);
    if (is_known)
        return onnx_list_of(&w->out, dims, rank);
    for (uint32_t i = 0; i < rank; i++) {
        parts[i] = size_of(w, dims[i]);
        if (parts[i] == ONNX_NOTHING && !w->out.no_memory) {
            onnx_write_fault(w, n, DIAG_NotExpressible,
                             "onnx cannot express '%s': a size of it is no extent of an input",
                             op_table[n->op].text);
            return ONNX_NOTHING;
        }
    }
    const onnx_setting axis = ONNX_INT_SET("axis", 0);
    return rank == 1 ? parts[0] : onnx_make(&w->out, "Concat", TN_SI64, parts, rank, &axis, 1);
}

onnx_id onnx_size(onnx_writer *w, const node *n, dim d)
{
    return dim_is_symbolic(d) ? onnx_reshape(w, n, onnx_extents(w, n, &d, 1), NULL, 0)
                              : onnx_int(&w->out, TN_SI64, d);
}

/* ---- functions ---- */

void onnx_put_nothing(onnx_writer *w, const node *n)
{
    (void)w;
    (void)n;
}

/* A constant of type T. One that has a name is a weight, which may be given another value: it does
 * not share what it is with others. */
static void put_data(onnx_writer *w, const node *n, const type *t, const void *data, size_t bytes)
{
    onnx_result(w, n,
                n->name ? onnx_weight(&w->out, t->dtype, t->dims, t->rank, data, bytes)
                        : onnx_constant(&w->out, t->dtype, t->dims, t->rank, data, bytes));
}

/* An initializer of the model that was read is looked for by its name, and had all of its elements
 * there. */
static bool is_own_weight(const onnx_writer *w, const node *n)
{
    return n->name && w->m->lowered_from && strcmp(w->m->lowered_from, "onnx") == 0;
}

void onnx_put_constant(onnx_writer *w, const node *n)
{
    enum { SPREAD_FROM = 1024 }; /* elements from which on equal ones are written once */
    const literal *l = attr_find(n->attrs, KEY_VALUE)->v.literal;
    const type *t = l->type;
    const size_t size = dtype_bytes(t->dtype);
    if (!l->splat || t->count <= 0) {
        put_data(w, n, t, l->data, t->count ? l->bytes : 0);
        return;
    }
    if (t->count > SPREAD_FROM && !is_own_weight(w, n)) {
        const onnx_id one = onnx_constant(&w->out, t->dtype, NULL, 0, l->data, size);
        onnx_result(w, n, onnx_expand(w, n, one, t->dims, t->rank));
        return;
    }
    char *all = onnx_model_room(&w->out, (size_t)t->count * size);
    for (int64_t i = 0; all && i < t->count; i++)
        memcpy(all + (size_t)i * size, l->data, size);
    if (all)
        put_data(w, n, t, all, (size_t)t->count * size);
}

void onnx_write_nodes(onnx_writer *w)
{
    const function *f = w->f;
    for (uint32_t i = 0; i < f->nodes.n && w->status == TN_OK && !w->out.no_memory; i++) {
        const node *n = &f->nodes.at[i];
        char why[OBJECTION_SIZE];
        const onnx_row *row = onnx_row_of((op_id)n->op);
        if (!row->put || !takes(f, n, why)) {
            onnx_write_fault(w, n, DIAG_NotExpressible, "onnx cannot express '%s': %s",
                             op_table[n->op].text, row->put ? why : "it has no such operation");
            return;
        }
        row->put(w, n);
        const onnx_id id = n->n_results == 1 ? w->ids[n->first_value] : ONNX_NOTHING;
        if (n->name && id != ONNX_NOTHING && !w->out.values.at[id].wish)
            w->out.values.at[id].wish = n->name;
    }
}

/* ---- the module ---- */

static void write_inputs(onnx_writer *w, onnx_new_graph *g)
{
    const function *f = w->f;
    for (uint32_t k = 0; k < f->inputs.n && !w->out.no_memory; k++) {
        const node *n = node_of(f, f->inputs.at[k]);
        const char *name = attr_string(n->attrs, KEY_NAME);
        const onnx_id id = onnx_graph_input(&w->out, g, value_type(f, f->inputs.at[k]));
        w->ids[f->inputs.at[k]] = id;
        if (name && name[0]) {
            onnx_name(&w->out, id, name);
        } else {
            char text[32];
            (void)snprintf(text, sizeof text, "input_%" PRIu32, k);
            onnx_name(&w->out, id, n->name ? n->name : text);
        }
    }
}

/* Outputs keep their names; those without one are called as their value is, or numbered. They come
 * before all other values, which have the names that are left. */
static void write_outputs(onnx_writer *w, onnx_new_graph *g)
{
    const function *f = w->f;
    for (uint32_t k = 0; k < f->outputs.n && !w->out.no_memory; k++) {
        const value_id v = f->outputs.at[k];
        const char *name = k < f->output_names.n ? f->output_names.at[k] : NULL;
        char text[32];
        const onnx_id id = onnx_graph_output(&w->out, g, w->ids[v], value_type(f, v));
        (void)snprintf(text, sizeof text, "output_%" PRIu32, k);
        if (!name || !name[0])
            name = node_of(f, v)->op != OP_INPUT ? node_of(f, v)->name : NULL;
        onnx_name(&w->out, id, name ? name : text);
    }
    for (onnx_id id = 0; id < w->out.values.n && !w->out.no_memory; id++)
        if (w->out.values.at[id].wish)
            onnx_name(&w->out, id, w->out.values.at[id].wish);
}

static tn_status write_entry(onnx_writer *w)
{
    w->f = module_entry(w->m);
    w->ids = ARENA_ARRAY(&w->out.memory, onnx_id, w->f->values.n);
    if (!w->ids)
        return module_no_memory(w->m);
    for (uint32_t i = 0; i < w->f->values.n; i++)
        w->ids[i] = ONNX_NOTHING;
    write_inputs(w, w->out.top);
    onnx_write_nodes(w);
    if (w->status == TN_OK)
        write_outputs(w, w->out.top);
    return w->status;
}

tn_status onnx_write(const module *m, const write_options *options, text_buffer *out)
{
    onnx_writer w = {.m = m};
    const onnx_external external = {options->external_location, options->external};
    tn_status s = onnx_model_begin(&w.out, m) ? write_entry(&w) : module_no_memory(m);
    if (s == TN_OK && !w.out.no_memory)
        onnx_model_write(&w.out, &external, out);
    if (s == TN_OK && w.out.no_memory)
        s = module_no_memory(m);
    VECTOR_RELEASE(m->allocator, &w.sizes);
    onnx_model_release(&w.out);
    return s;
}
