/* Dynamic extents in StableHLO: shapes that are operands, computed from the extents of inputs. What
 * is computed stands at the start of @main, each size and shape once, as lists of i64. */
#include "dialect/mlir/stablehlo.h"

#include <stdio.h>

typedef struct hlo_shape {
    const dim *dims;
    uint32_t rank;
} hlo_shape;

struct hlo_sizes {
    text_buffer text;         /* what computes them */
    arena memory;             /* of the shapes */
    VECTOR(dim) known;        /* %sizeN is known.at[N], a list of one element */
    VECTOR(hlo_shape) shapes; /* %shapeN */
    size_t at;                /* where the text goes */
    bool no_memory;
};

/* ---- sizes ---- */

static value_name name_of(const char *prefix, size_t number)
{
    return (value_name){0, (value_id)number, prefix};
}

static const tensor one_size = {.dtype = TN_SI64, .rank = 1, .dims = {1}};

static void put_binary(mlir_text *w, const value_name *to, const char *op, const value_name *x,
                       const value_name *y)
{
    line(w, "%w = \"stablehlo.%s\"(%w, %w) : (%t, %t) -> %t", to, op, x, y, &one_size, &one_size,
         &one_size);
}

static value_name size_of(mlir_text *w, dim d);

/* `%negativeN`: is X below zero? */
static value_name put_sign(mlir_text *w, size_t n, const value_name *x)
{
    const value_name zero = size_of(w, 0), p = name_of("negative", n);
    const tensor truth = type_like(&one_size, TN_I1);
    line(w,
         "%w = \"stablehlo.compare\"(%w, %w) {comparison_direction = "
         "#stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>} "
         ": (%t, %t) -> %t",
         &p, x, &zero, &one_size, &one_size, &truth);
    return p;
}

/* Sizes round down where StableHLO rounds toward zero, which differs where X is below zero: the
 * quotient is one less then, and the remainder Y more. */
static void put_division(mlir_text *w, const value_name *to, const dim_expr *e, const value_name *x,
                         const value_name *y)
{
    const size_t n = to->number;
    const bool divides = e->op == DIM_FLOORDIV;
    const value_name rest = name_of("rest", n), whole = name_of("whole", n);
    const tensor truth = type_like(&one_size, TN_I1);
    put_binary(w, &rest, "remainder", x, y);
    const value_name p = put_sign(w, n, &rest), other = name_of("other", n);
    const value_name *first = divides ? &whole : &rest;
    const value_name one = divides ? size_of(w, 1) : *y;
    if (divides)
        put_binary(w, &whole, "divide", x, y);
    put_binary(w, &other, divides ? "subtract" : "add", first, &one);
    line(w, "%w = \"stablehlo.select\"(%w, %w, %w) : (%t, %t, %t) -> %t", to, &p, &other, first,
         &truth, &one_size, &one_size, &one_size);
}

/* The list of one i64 that V, an integer of type T and rank 0, is. */
static void put_as_size(mlir_text *w, const value_name *to, const value_name *v, tn_dtype d)
{
    const tensor given = type_of_scalar(d), wide = type_of_scalar(TN_SI64);
    const value_name number = name_of("number", to->number);
    if (d != TN_SI64)
        line(w, "%w = \"stablehlo.convert\"(%w) : (%t) -> %t", &number, v, &given, &wide);
    line(w, "%w = \"stablehlo.reshape\"(%w) : (%t) -> %t", to, d == TN_SI64 ? v : &number, &wide,
         &one_size);
}

/* D is the symbol WANTED but for at most two sums or products with numbers: with WRITES, write what
 * undoes them, and let *V, which is D, name the result. False: it is something else. */
static bool undo(mlir_text *w, dim d, dim wanted, value_name *v, size_t n, bool writes)
{
    static const char *const names[] = {"less", "part"};
    uint32_t step = 0;
    while (d != wanted) {
        if (!dim_is_symbolic(d))
            return false;
        const dim_expr *e = dim_expr_of(&w->m->types, d);
        const bool adds = e->op == DIM_ADD, first = dim_is_symbolic(e->a);
        const dim number = first ? e->b : e->a;
        if ((!adds && e->op != DIM_MUL) || dim_is_symbolic(number) || step == 2 ||
            (!adds && number == 0))
            return false;
        if (writes) {
            const value_name by = size_of(w, number), to = name_of(names[step], n);
            put_binary(w, &to, adds ? "subtract" : "divide", v, &by);
            *v = to;
        }
        step++;
        d = first ? e->a : e->b;
    }
    return true;
}

/* The symbol D as an extent of an input of the program, or else as the number that an input of the
 * same name holds. */
static bool put_symbol(mlir_text *w, const value_name *to, dim d)
{
    const function *f = module_entry(w->m);
    const value_name extent = name_of("extent", to->number);
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        const value_id v = f->inputs.at[i];
        const type *t = value_type(f, v);
        for (uint32_t k = 0; k < t->rank; k++) {
            const value_name arg = {0, v, NULL};
            value_name whole = name_of("whole", to->number);
            if (!undo(w, t->dims[k], d, &whole, to->number, false))
                continue;
            const tensor in = type_made(t->dtype, t->dims, t->rank), i32 = type_of_scalar(TN_SI32);
            line(w, "%w = \"stablehlo.get_dimension_size\"(%w) {dimension = %u : i64} : (%t) -> %t",
                 &extent, &arg, k, &in, &i32);
            put_as_size(w, t->dims[k] == d ? to : &whole, &extent, TN_SI32);
            if (t->dims[k] == d)
                return true;
            (void)undo(w, t->dims[k], d, &whole, to->number, true);
            line(w, "%w = \"stablehlo.reshape\"(%w) : (%t) -> %t", to, &whole, &one_size,
                 &one_size);
            return true;
        }
    }
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        const value_id v = f->inputs.at[i];
        if (hlo_says_size(w, v) == d) {
            put_as_size(w, to, &(value_name){0, v, NULL}, value_type(f, v)->dtype);
            return true;
        }
    }
    return false;
}

dim hlo_says_size(const mlir_text *w, value_id v)
{
    const function *f = module_entry(w->m);
    const type *t = value_type(f, v);
    const char *name = attr_string(node_of(f, v)->attrs, KEY_NAME);
    if (t->rank || !name || (t->dtype != TN_SI32 && t->dtype != TN_SI64))
        return 0;
    return dim_symbol_called(&w->m->types, name);
}

static value_name put_size(mlir_text *w, dim d)
{
    struct hlo_sizes *s = w->sizes;
    value_name a = {0}, b = {0};
    const dim_expr *e = dim_is_symbolic(d) ? dim_expr_of(&w->m->types, d) : NULL;
    if (e && e->op != DIM_SYM) {
        a = size_of(w, e->a);
        b = size_of(w, e->b);
    }
    const value_name to = name_of("size", s->known.n);
    if (!VECTOR_PUSH(w->m->allocator, &s->known, d))
        s->no_memory = true;
    if (!e)
        line(w, "%w = \"stablehlo.constant\"() {value = dense<%d> : %t} : () -> %t", &to, d,
             &one_size, &one_size);
    else if (e->op == DIM_ADD || e->op == DIM_MUL)
        put_binary(w, &to, e->op == DIM_ADD ? "add" : "multiply", &a, &b);
    else if (e->op != DIM_SYM)
        put_division(w, &to, e, &a, &b);
    else if (!put_symbol(w, &to, d)) {
        w->n_errors++;
        w->status = diag_report(&w->m->cx->diag, DIAG_NotExpressible, &w->m->source, NO_SPAN,
                                "stablehlo cannot express the size '%.200s', which is no extent of "
                                "an input",
                                e->name);
        diag_fix(&w->m->cx->diag, NO_SPAN, NULL, "give it a value (%s)",
                 diag_setting_name(&w->m->cx->diag, SETTING_BINDINGS));
    }
    return to;
}

static value_name size_of(mlir_text *w, dim d)
{
    struct hlo_sizes *s = w->sizes;
    for (uint32_t i = 0; i < s->known.n; i++)
        if (s->known.at[i] == d)
            return name_of("size", i);
    return put_size(w, d);
}

/* ---- shapes ---- */

typedef struct hlo_place {
    text_buffer *out;
    uint32_t depth;
} hlo_place;

/* Write at the start of @main from now on. */
static hlo_place go_to_sizes(mlir_text *w)
{
    const hlo_place back = {w->out, w->depth};
    w->out = &w->sizes->text;
    w->depth = 2;
    return back;
}

static void go_back(mlir_text *w, hlo_place back)
{
    w->out = back.out;
    w->depth = back.depth;
}

value_name hlo_size(mlir_text *w, dim d)
{
    const hlo_place back = go_to_sizes(w);
    const value_name name = size_of(w, d);
    go_back(w, back);
    return name;
}

static void put_shape(mlir_text *w, const value_name *to, const tensor *t)
{
    const int64_t n = t->rank;
    const tensor list = type_made(TN_SI64, &n, 1);
    for (uint32_t i = 0; i < t->rank; i++)
        (void)size_of(w, t->dims[i]);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%w = \"stablehlo.concatenate\"(", to);
    for (uint32_t i = 0; i < t->rank; i++) {
        const value_name name = size_of(w, t->dims[i]);
        put(w, "%s%w", i ? ", " : "", &name);
    }
    put(w, ") {dimension = 0 : i64} : (");
    for (uint32_t i = 0; i < t->rank; i++)
        put(w, "%s%t", i ? ", " : "", &one_size);
    put(w, ") -> %t\n", &list);
}

tensor hlo_shape_type(uint32_t rank)
{
    const int64_t n = rank;
    return type_made(TN_SI64, &n, 1);
}

value_name hlo_shape_of(mlir_text *w, const tensor *t)
{
    struct hlo_sizes *s = w->sizes;
    const size_t bytes = t->rank * sizeof *t->dims;
    for (uint32_t i = 0; i < s->shapes.n; i++)
        if (s->shapes.at[i].rank == t->rank && memcmp(s->shapes.at[i].dims, t->dims, bytes) == 0)
            return name_of("shape", i);
    const value_name to = name_of("shape", s->shapes.n);
    dim *dims = ARENA_ARRAY(&s->memory, dim, t->rank + 1);
    if (dims)
        memcpy(dims, t->dims, bytes);
    if (!dims || !VECTOR_PUSH(w->m->allocator, &s->shapes, ((hlo_shape){dims, t->rank})))
        s->no_memory = true;
    const hlo_place back = go_to_sizes(w);
    put_shape(w, &to, t);
    go_back(w, back);
    return to;
}

bool hlo_is_open(const tensor *t)
{
    for (uint32_t i = 0; i < t->rank; i++)
        if (dim_is_symbolic(t->dims[i]))
            return true;
    return false;
}

/* ---- operations that take a shape where it is open ---- */

void hlo_put_reshape(mlir_text *w, value_name to, value_name from, const tensor *in,
                     const tensor *out)
{
    if (!hlo_is_open(out)) {
        line(w, "%w = \"stablehlo.reshape\"(%w) : (%t) -> %t", &to, &from, in, out);
        return;
    }
    const value_name shape = hlo_shape_of(w, out);
    const tensor list = hlo_shape_type(out->rank);
    line(w, "%w = \"stablehlo.dynamic_reshape\"(%w, %w) : (%t, %t) -> %t", &to, &from, &shape, in,
         &list, out);
}

void hlo_put_broadcast(mlir_text *w, value_name to, value_name from, const int64_t *axes,
                       const tensor *in, const tensor *out)
{
    if (!hlo_is_open(out)) {
        line(w, "%w = \"stablehlo.broadcast_in_dim\"(%w) {broadcast_dimensions = %i} : (%t) -> %t",
             &to, &from, axes, in->rank, in, out);
        return;
    }
    const value_name shape = hlo_shape_of(w, out);
    const tensor list = hlo_shape_type(out->rank);
    line(w,
         "%w = \"stablehlo.dynamic_broadcast_in_dim\"(%w, %w) {broadcast_dimensions = %i} : (%t, "
         "%t) -> %t",
         &to, &from, &shape, axes, in->rank, in, &list, out);
}

void hlo_put_iota(mlir_text *w, value_name to, uint32_t axis, const tensor *t)
{
    if (!hlo_is_open(t)) {
        line(w, "%w = \"stablehlo.iota\"() {iota_dimension = %u : i64} : () -> %t", &to, axis, t);
        return;
    }
    const value_name shape = hlo_shape_of(w, t);
    const tensor list = hlo_shape_type(t->rank);
    line(w, "%w = \"stablehlo.dynamic_iota\"(%w) {iota_dimension = %u : i64} : (%t) -> %t", &to,
         &shape, axis, &list, t);
}

void hlo_put_full(mlir_text *w, value_name to, const tensor *t, scalar value)
{
    const bool is_open = hlo_is_open(t);
    const tensor written = is_open ? type_of_scalar(t->dtype) : *t;
    char prefix[32];
    (void)snprintf(prefix, sizeof prefix, "%sf", to.prefix ? to.prefix : "");
    const value_name one = {to.scope, to.number, prefix};
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%w = \"stablehlo.constant\"() {value = dense<", is_open ? &one : &to);
    put_number(w, t->dtype, value);
    put(w, "> : %t} : () -> %t\n", &written, &written);
    if (is_open)
        hlo_put_broadcast(w, to, one, NULL, &written, t);
}

void hlo_put_slice(mlir_text *w, value_name to, value_name from, const hlo_bounds *by,
                   const tensor *in, const tensor *out)
{
    tensor lists[3] = {hlo_shape_type(in->rank), hlo_shape_type(in->rank),
                       hlo_shape_type(in->rank)};
    value_name names[3];
    const int64_t *const bounds[] = {by->starts, by->ends, by->steps};
    bool is_open = false;
    for (uint32_t i = 0; i < in->rank; i++)
        is_open = is_open || dim_is_symbolic(by->ends[i]);
    if (!is_open) {
        line(w,
             "%w = \"stablehlo.slice\"(%w) {start_indices = %i, limit_indices = %i, strides = %i} "
             ": (%t) -> %t",
             &to, &from, by->starts, in->rank, by->ends, in->rank, by->steps, in->rank, in, out);
        return;
    }
    for (uint32_t k = 0; k < 3; k++) {
        const tensor bound = type_made(TN_SI64, bounds[k], in->rank);
        names[k] = hlo_shape_of(w, &bound);
    }
    line(w, "%w = \"stablehlo.real_dynamic_slice\"(%w, %w, %w, %w) : (%t, %t, %t, %t) -> %t", &to,
         &from, &names[0], &names[1], &names[2], in, &lists[0], &lists[1], &lists[2], out);
}

void hlo_put_window(mlir_text *w, value_name to, value_name from, const value_name *starts,
                    const tensor *index, const tensor *in, const tensor *out)
{
    const bool is_open = hlo_is_open(out);
    const int64_t one = 1;
    const tensor part = type_made(index->dtype, &one, 1);
    tensor list = part;
    char prefix[TN_MAX_RANK][32];
    list.dims[0] = in->rank;
    if (!is_open || in->rank == 0) {
        text_fill(w->out, ' ', 2 * (size_t)w->depth);
        put(w, "%w = \"stablehlo.dynamic_slice\"(%w", &to, &from);
        for (uint32_t i = 0; i < in->rank; i++)
            put(w, ", %w", &starts[i]);
        put(w, ") {slice_sizes = %i} : (%t", out->dims, out->rank, in);
        for (uint32_t i = 0; i < in->rank; i++)
            put(w, ", %t", index);
        put(w, ") -> %t\n", out);
        return;
    }
    /* a gather of one window, whose start is clamped likewise */
    int64_t axes[TN_MAX_RANK];
    for (uint32_t i = 0; i < in->rank; i++) {
        axes[i] = i;
        (void)snprintf(prefix[i], sizeof prefix[i], "%sw%u_", to.prefix ? to.prefix : "", i);
        const value_name element = {to.scope, to.number, prefix[i]};
        hlo_put_reshape(w, element, starts[i], index, &part);
    }
    char all[32];
    (void)snprintf(all, sizeof all, "%sw", to.prefix ? to.prefix : "");
    const value_name start = {to.scope, to.number, all}, sizes = hlo_shape_of(w, out);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%w = \"stablehlo.concatenate\"(", &start);
    for (uint32_t i = 0; i < in->rank; i++) {
        const value_name element = {to.scope, to.number, prefix[i]};
        put(w, "%s%w", i ? ", " : "", &element);
    }
    put(w, ") {dimension = 0 : i64} : (");
    for (uint32_t i = 0; i < in->rank; i++)
        put(w, "%s%t", i ? ", " : "", &part);
    put(w, ") -> %t\n", &list);
    const tensor shape = hlo_shape_type(out->rank);
    line(w,
         "%w = \"stablehlo.dynamic_gather\"(%w, %w, %w) {dimension_numbers = "
         "#stablehlo.gather<offset_dims = %l, start_index_map = %l>, indices_are_sorted = false} : "
         "(%t, %t, %t) -> %t",
         &to, &from, &start, &sizes, axes, in->rank, axes, in->rank, in, &list, &shape, out);
}

/* ---- the start and the end of @main ---- */

tn_status hlo_sizes_begin(mlir_text *w)
{
    struct hlo_sizes *s = memory_alloc(w->m->allocator, sizeof *s);
    if (!s)
        return module_no_memory(w->m);
    memset(s, 0, sizeof *s);
    text_init(&s->text, w->m->allocator);
    arena_init(&s->memory, w->m->allocator);
    s->at = w->out->n;
    w->sizes = s;
    return TN_OK;
}

void hlo_sizes_here(mlir_text *w)
{
    w->sizes->at = w->out->n;
}

/* Put the text of the sizes where it belongs, before what was written since. */
static void insert_sizes(mlir_text *w)
{
    struct hlo_sizes *s = w->sizes;
    text_buffer *out = w->out;
    const size_t behind = out->n - s->at;
    if (s->no_memory || s->text.failed) {
        w->status = module_no_memory(w->m);
        return;
    }
    if (s->text.n == 0 || !text_reserve(out, s->text.n))
        return;
    memmove(out->at + s->at + s->text.n, out->at + s->at, behind);
    memcpy(out->at + s->at, s->text.at, s->text.n);
    out->n += s->text.n;
}

void hlo_sizes_end(mlir_text *w)
{
    struct hlo_sizes *s = w->sizes;
    if (!w->out->failed && w->status == TN_OK)
        insert_sizes(w);
    text_release(&s->text);
    arena_release(&s->memory);
    VECTOR_RELEASE(w->m->allocator, &s->known);
    VECTOR_RELEASE(w->m->allocator, &s->shapes);
    memory_free(w->m->allocator, s, sizeof *s);
    w->sizes = NULL;
}
