/* Elementwise nodes, constants, and immediates. */
#include "base/text/text.h"
#include "dialect/tiny/read/reader.h"

#include <inttypes.h>

bool read_operands(reader *r, entry *e, operand *out)
{
    const uint32_t n = e->src ? e->src->n : 0;
    bool ok = true;
    if (n != e->uop->n_src)
        return fault(r, e, DIAG_ArityMismatch, e->src ? e->src->at : e->at,
                     "'%s' takes %u source%s, not %" PRIu32, e->uop->name, e->uop->n_src,
                     plural(e->uop->n_src), n);
    for (uint32_t k = 0; k < n; k++) {
        const json_value *v = &e->src->items[k];
        out[k] = (operand){.text = v};
        if (v->kind != JSON_STRING)
            continue;
        out[k].of = entry_by_id(r, v->text.at, v->text.n);
        ok = ok && out[k].of && out[k].of->value.v != NO_VALUE; /* reported where it is faulty */
    }
    return ok;
}

bool add_immediate(reader *r, const entry *e, scalar s, tn_dtype d, value_id *v)
{
    module *m = r->m;
    void *data = arena_alloc_aligned(&m->arena, 16, 16);
    if (!data)
        return out_of_memory(r);
    (void)scalar_store(s, d, data);
    const literal l = {.type = type_scalar(&m->types, d), .data = data, .bytes = dtype_bytes(d)};
    if (!l.type)
        return out_of_memory(r);
    attr given = {.key = KEY_VALUE, .v.literal = &l};
    const attrs *own = attrs_of(&m->attrs, &given, 1);
    node_desc desc = {.op = OP_CONSTANT, .attrs = own, .at = e->at, .spelling = 1};
    return own ? add_node(r, &desc, v) : out_of_memory(r);
}

static bool only_immediates(const operand *in, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (in[k].of)
            return false;
    return true;
}

/* The element type that the immediates from operand FIRST on take: that of the tensors beside
 * them, or `dtype`. */
static bool immediate_dtype(reader *r, entry *e, const operand *in, uint32_t first, uint32_t n,
                            tn_dtype *d)
{
    for (uint32_t k = first; k < n; k++)
        if (in[k].of) {
            *d = type_at(r, in[k].of->value.v)->dtype;
            return true;
        }
    const json_value *v = json_member_of(e->arg, "dtype");
    if (!v)
        return fault(r, e, DIAG_MissingAttribute, e->at,
                     "'%s' has only immediates here and needs the attribute 'dtype'", e->uop->name);
    return read_dtype(r, e, v, "dtype", d);
}

/* Immediates become constants; WHERE's condition has a type of its own. */
static bool add_immediates(reader *r, entry *e, operand *in, uint32_t n, value_id *v)
{
    const bool where = e->uop->kind == TINY_WHERE;
    tn_dtype d = TN_I1;
    for (uint32_t k = 0; k < n; k++) {
        if (in[k].of)
            continue;
        const bool condition = where && k == 0;
        if (condition)
            d = TN_I1;
        else if (!immediate_dtype(r, e, in, where ? 1 : 0, n, &d))
            return false;
        if (condition && in[k].text->kind != JSON_BOOL)
            return fault(r, e, DIAG_InvalidImmediate, in[k].text->at,
                         "a condition is a bool, never a number");
        if (!read_scalar(r, e, in[k].text, d, DIAG_InvalidImmediate, &in[k].immediate) ||
            !add_immediate(r, e, in[k].immediate, d, &v[k]))
            return false;
    }
    return true;
}

/* Of the operands that are values already. */
static bool check_domain(reader *r, entry *e, const operand *in, uint32_t n, const value_id *v)
{
    const bool where = e->uop->kind == TINY_WHERE;
    for (uint32_t k = 0; k < n; k++) {
        if (v[k] == NO_VALUE)
            continue;
        const tn_dtype d = type_at(r, v[k])->dtype;
        if (where && k == 0 && d != TN_I1)
            return fault(r, e, DIAG_DTypeMismatch, in[k].text->at,
                         "the condition of 'WHERE' must be bool, not %s", tiny_dtype_name(d));
        if (!(e->uop->domain & tiny_domain(d)))
            return fault(r, e, DIAG_DTypeMismatch, in[k].text->at, "'%s' does not take %s",
                         e->uop->name, tiny_dtype_name(d));
    }
    return true;
}

static uint32_t own_attributes(const entry *e, tn_dtype to, attr *out)
{
    static const struct {
        const char *name;
        direction way;
    } ways[] = {{"CMPLT", DIR_LT}, {"CMPEQ", DIR_EQ}, {"CMPNE", DIR_NE}};
    if (e->uop->kind == TINY_CAST) {
        *out = (attr){.key = KEY_DTYPE, .v.i = to};
        return 1;
    }
    for (size_t i = 0; e->uop->kind == TINY_COMPARE && i < 3; i++)
        if (strcmp(ways[i].name, e->uop->name) == 0) {
            *out = (attr){.key = KEY_DIRECTION, .v.i = ways[i].way};
            return 1;
        }
    return 0;
}

bool read_elementwise(reader *r, entry *e)
{
    operand in[3] = {0};
    value_id v[3] = {NO_VALUE, NO_VALUE, NO_VALUE};
    const uint32_t n = e->uop->n_src;
    const bool cast = e->uop->kind == TINY_CAST;
    tn_dtype to = TN_F32;
    attr own[1];
    if (!read_operands(r, e, in))
        return false;
    const uint32_t typed = e->uop->kind == TINY_WHERE ? 1 : 0;
    const bool constant = only_immediates(in + typed, n - typed);
    if (!check_keys(r, e, constant ? "dtype" : NULL))
        return false;
    if (cast) {
        const json_value *target = need(r, e, "to");
        if (!target || !read_dtype(r, e, target, "to", &to))
            return false;
    }
    const axis *axes = NULL;
    if (!align_operands(r, e, in, n, typed, v, &axes) || !check_domain(r, e, in, n, v) ||
        !add_immediates(r, e, in, n, v) || !check_domain(r, e, in, n, v))
        return false;
    op_id op = e->uop->op;
    if (type_at(r, v[n - 1])->dtype == TN_I1 && (op == OP_MAXIMUM || op == OP_MINIMUM)) {
        op = op == OP_MAXIMUM ? OP_OR : OP_AND; /* the larger truth value is "or" */
        e->spelling = 1;
    }
    for (uint32_t k = 0; k < n; k++)
        e->value.from_reduce = e->value.from_reduce || (in[k].of && in[k].of->value.from_reduce);
    e->value.axes = axes;
    return add_entry(r, e, op, v, n, own, own_attributes(e, to, own));
}

/* ---- CONST ---- */

static bool fill_literal(reader *r, entry *e, const json_value *v, tn_dtype d, int64_t count,
                         char *data, int64_t *at)
{
    const size_t size = dtype_bytes(d);
    if (v->kind == JSON_ARRAY) {
        for (uint32_t i = 0; i < v->n; i++)
            if (!fill_literal(r, e, &v->items[i], d, count, data, at))
                return false;
        return true;
    }
    scalar s;
    if (!read_scalar(r, e, v, d, DIAG_InvalidConstant, &s))
        return false;
    if (*at < count)
        (void)scalar_store(s, d, data + (size_t)*at * size);
    ++*at;
    return true;
}

/* Are the lists of V those of a tensor of these extents? */
static bool is_nested(const json_value *v, const dim *dims, uint32_t rank)
{
    if (rank == 0 || v->kind != JSON_ARRAY || v->n != dims[0])
        return rank == 0 && v->kind != JSON_ARRAY;
    for (uint32_t i = 0; i < v->n; i++)
        if (!is_nested(&v->items[i], dims + 1, rank - 1))
            return false;
    return true;
}

/* One list of all elements, row by row? */
static bool is_flat(const json_value *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (v->items[i].kind == JSON_ARRAY)
            return false;
    return true;
}

bool read_const(reader *r, entry *e)
{
    module *m = r->m;
    dim dims[TN_MAX_RANK];
    const char *names[TN_MAX_RANK] = {0};
    uint32_t rank = 0;
    tn_dtype d;
    int64_t at = 0;
    operand none[1];
    if (!read_operands(r, e, none) || !check_keys(r, e, NULL))
        return false;
    const json_value *v = need(r, e, "value"), *dt = v ? need(r, e, "dtype") : NULL;
    const json_value *shape = json_member_of(e->arg, "shape");
    if (!dt || !read_dtype(r, e, dt, "dtype", &d) ||
        (shape && !read_sizes(r, e, shape, "shape", 0, dims, names, &rank)))
        return false;
    literal l = {.splat = v->kind != JSON_ARRAY && rank > 0};
    l.type = type_of(&m->types, d, dims, rank);
    if (!l.type)
        return out_of_memory(r);
    if (!type_is_static(l.type))
        return fault(r, e, DIAG_InvalidAttribute, shape->at,
                     "'shape' of 'CONST' must be made of numbers");
    if (v->kind == JSON_ARRAY && !is_flat(v) && !is_nested(v, dims, rank))
        return fault(r, e, DIAG_InvalidConstant, v->at,
                     "the lists in 'value' are not those of shape %s",
                     dims_text(&r->memory, &m->types, dims, rank));
    size_t bytes;
    if (!type_bytes(l.type, &bytes) || bytes > m->cx->limits.literal_bytes)
        return fault(r, e, DIAG_LimitExceeded, e->at, "a constant of this size is above the limit");
    l.splat = l.splat && l.type->count != 1;
    l.bytes = l.splat ? dtype_bytes(d) : bytes;
    char *data = arena_alloc_aligned(&m->arena, l.bytes, 64);
    if (!data)
        return out_of_memory(r);
    const int64_t count = l.splat ? 1 : l.type->count;
    if (!fill_literal(r, e, v, d, count, data, &at))
        return false;
    if (at != count)
        return fault(r, e, DIAG_InvalidConstant, v->at,
                     "%" PRId64 " value%s given for %" PRId64 " element%s", at,
                     plural((uint64_t)at), count, plural((uint64_t)count));
    l.data = data;
    axis *axes = new_axes(r, rank);
    attr given = {.key = KEY_VALUE, .v.literal = &l};
    if (!axes)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        axes[i].name = names[i];
    e->value.axes = axes;
    return add_entry(r, e, OP_CONSTANT, NULL, 0, &given, 1);
}
