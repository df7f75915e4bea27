/* Views of dynamic extents in StableHLO: slices where they are such, else every element is gathered
 * from its place, which is computed. */
#include "dialect/mlir/stablehlo.h"

#include <stdio.h>

#include "ops/index_map.h"

/* ---- places ---- */

/* Places of one view: values %vK_N of the type of the places. */
typedef struct places {
    mlir_text *w;
    value_id v;
    tensor t; /* si64, of the shape of the result */
    uint32_t n;
    const char *symbols[TN_MAX_RANK]; /* those of the map, as they stand in it */
    uint32_t n_symbols, next;         /* NEXT: the one that comes now */
} places;

typedef struct place_name {
    char prefix[16];
} place_name;

static place_name new_name(places *p)
{
    place_name name;
    (void)snprintf(name.prefix, sizeof name.prefix, "v%u_", p->n++);
    return name;
}

static value_name named(const places *p, const place_name *name)
{
    return (value_name){p->w->scope, p->v, name->prefix};
}

static place_name put_two(places *p, const char *op, place_name a, place_name b)
{
    const place_name r = new_name(p);
    const value_name to = named(p, &r), x = named(p, &a), y = named(p, &b);
    line(p->w, "%w = \"stablehlo.%s\"(%w, %w) : (%t, %t) -> %t", &to, op, &x, &y, &p->t, &p->t,
         &p->t);
    return r;
}

static place_name put_number_of(places *p, int64_t value)
{
    const place_name r = new_name(p);
    hlo_put_full(p->w, named(p, &r), &p->t, scalar_of_int(value));
    return r;
}

static place_name put_symbol(places *p)
{
    const place_name r = new_name(p);
    const char *name = p->symbols[p->next++];
    const int64_t axis = 0;
    const tensor list = hlo_shape_type(1), one = type_of_scalar(TN_SI64);
    place_name scalar_name = new_name(p);
    /* the type rule has made it a size of the module */
    const value_name size = hlo_size(p->w, dim_symbol_called(&p->w->m->types, name));
    const value_name number = named(p, &scalar_name);
    line(p->w, "%w = \"stablehlo.reshape\"(%w) : (%t) -> %t", &number, &size, &list, &one);
    hlo_put_broadcast(p->w, named(p, &r), number, &axis, &one, &p->t);
    return r;
}

/* Rounded down; B is positive. */
static place_name put_division(places *p, bool divides, place_name a, place_name b)
{
    const place_name rest = put_two(p, "remainder", a, b), zero = put_number_of(p, 0);
    const place_name first = divides ? put_two(p, "divide", a, b) : rest;
    const place_name by = divides ? put_number_of(p, 1) : b;
    const place_name other = put_two(p, divides ? "subtract" : "add", first, by);
    const place_name sign = new_name(p), r = new_name(p);
    const value_name below = named(p, &sign), to = named(p, &r), x = named(p, &rest),
                     y = named(p, &zero), one = named(p, &other), two = named(p, &first);
    const tensor truth = type_like(&p->t, TN_I1);
    line(p->w,
         "%w = \"stablehlo.compare\"(%w, %w) {comparison_direction = "
         "#stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>} "
         ": (%t, %t) -> %t",
         &below, &x, &y, &p->t, &p->t, &truth);
    line(p->w, "%w = \"stablehlo.select\"(%w, %w, %w) : (%t, %t, %t) -> %t", &to, &below, &one,
         &two, &truth, &p->t, &p->t, &p->t);
    return r;
}

static place_name put_expression(places *p, const index_expr *e)
{
    if (e->op == INDEX_NUMBER)
        return put_number_of(p, e->value);
    if (e->op == INDEX_SYMBOL)
        return put_symbol(p);
    if (e->op == INDEX_AXIS) {
        const place_name r = new_name(p);
        hlo_put_iota(p->w, named(p, &r), (uint32_t)e->value, &p->t);
        return r;
    }
    const place_name a = put_expression(p, e->a);
    const place_name b = put_expression(p, e->b);
    if (e->op == INDEX_FLOORDIV || e->op == INDEX_MOD)
        return put_division(p, e->op == INDEX_FLOORDIV, a, b);
    return put_two(p,
                   e->op == INDEX_ADD   ? "add"
                   : e->op == INDEX_SUB ? "subtract"
                                        : "multiply",
                   a, b);
}

/* ---- views ---- */

typedef struct view_symbols {
    arena *memory;
    places *p;
} view_symbols;

static bool note_symbol(void *user, const char *name, size_t length)
{
    view_symbols *s = user;
    if (s->p->n_symbols == TN_MAX_RANK)
        return false;
    const char *own = arena_printf(s->memory, "%.*s", (int)length, name);
    s->p->symbols[s->p->n_symbols++] = own;
    return own != NULL;
}

static bool parse_view(const function *f, const node *n, arena *memory, index_map *map)
{
    size_t where;
    const uint32_t rank = value_type(f, n->first_value)->rank;
    return index_map_parse(attr_string(n->attrs, KEY_INDEX_MAP), rank, memory, map, &where) ==
           INDEX_FINE;
}

/* Does MAP take a slice of each axis? Then where it starts, and its steps. */
static bool is_slice(const index_map *map, uint32_t rank, int64_t *starts, int64_t *steps)
{
    int64_t factors[TN_MAX_RANK];
    if (map->n != rank)
        return false;
    for (uint32_t i = 0; i < rank; i++) {
        if (!index_affine(map->at[i], rank, &starts[i], factors) || starts[i] < 0)
            return false;
        for (uint32_t k = 0; k < rank; k++)
            if (k != i && factors[k] != 0)
                return false;
        steps[i] = factors[i];
        if (steps[i] < 1)
            return false;
    }
    return true;
}

/* From START in steps of STEP as many as the result has. The end is one behind the last. */
static void put_view_slice(mlir_text *w, const node *n, const int64_t *starts, const int64_t *steps)
{
    const value_id v = n->first_value;
    const tensor in = type_of_value(w, n->in[0]), out = type_of_value(w, v);
    const tensor list = hlo_shape_type(in.rank);
    static const char *const names[] = {"va", "vb", "vc"};
    value_name end = hlo_shape_of(w, &out); /* how many, first */
    int64_t behind[TN_MAX_RANK];
    bool has_steps = false, moves = false;
    for (uint32_t i = 0; i < in.rank; i++) {
        behind[i] = 1 - steps[i] + starts[i];
        has_steps = has_steps || steps[i] != 1;
        moves = moves || behind[i] != 0;
    }
    const int64_t *const given[] = {starts, steps, behind};
    for (uint32_t k = 0; k < 2U + moves; k++)
        line(w, "%n = \"stablehlo.constant\"() {value = dense<%l> : %t} : () -> %t", names[k], v,
             given[k], in.rank, &list, &list);
    if (has_steps) {
        line(w, "%n = \"stablehlo.multiply\"(%w, %n) : (%t, %t) -> %t", "vd", v, &end, "vb", v,
             &list, &list, &list);
        end = (value_name){w->scope, v, "vd"};
    }
    if (moves) {
        line(w, "%n = \"stablehlo.add\"(%w, %n) : (%t, %t) -> %t", "ve", v, &end, "vc", v, &list,
             &list, &list);
        end = (value_name){w->scope, v, "ve"};
    }
    line(w, "%v = \"stablehlo.real_dynamic_slice\"(%v, %n, %w, %n) : (%t, %t, %t, %t) -> %t", v,
         n->in[0], "va", v, &end, "vb", v, &in, &list, &list, &list, &out);
}

static void put_view_gather(places *p, const node *n, const index_map *map)
{
    mlir_text *w = p->w;
    const tensor in = type_of_value(w, n->in[0]), out = type_of_value(w, p->v);
    place_name parts[TN_MAX_RANK], start;
    int64_t axes[TN_MAX_RANK], ones[TN_MAX_RANK];
    tensor wide = p->t, all;
    wide.dims[wide.rank++] = 1;
    all = wide;
    all.dims[out.rank] = in.rank;
    for (uint32_t i = 0; i < in.rank; i++) {
        const place_name at = put_expression(p, map->at[i]);
        parts[i] = new_name(p);
        hlo_put_reshape(w, named(p, &parts[i]), named(p, &at), &p->t, &wide);
        axes[i] = i;
        ones[i] = 1;
    }
    start = new_name(p);
    const value_name places_name = named(p, &start);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "%w = \"stablehlo.concatenate\"(", &places_name);
    for (uint32_t i = 0; i < in.rank; i++) {
        const value_name part = named(p, &parts[i]);
        put(w, "%s%w", i ? ", " : "", &part);
    }
    put(w, ") {dimension = %u : i64} : (", out.rank);
    for (uint32_t i = 0; i < in.rank; i++)
        put(w, "%s%t", i ? ", " : "", &wide);
    put(w, ") -> %t\n", &all);
    line(w,
         "%v = \"stablehlo.gather\"(%v, %w) {dimension_numbers = #stablehlo.gather<offset_dims = "
         "[], collapsed_slice_dims = %l, start_index_map = %l, index_vector_dim = %u>, slice_sizes "
         "= %i, indices_are_sorted = false, tenon.inside} : (%t, %t) -> %t",
         p->v, n->in[0], &places_name, axes, in.rank, axes, in.rank, out.rank, ones, in.rank, &in,
         &all, &out);
}

bool hlo_takes_view(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const type *in = value_type(f, n->in[0]), *out = value_type(f, n->first_value);
    if (type_is_static(in) && type_is_static(out))
        return object(why, "it has no operation for 'view'");
    return (in->rank > 0 && out->rank < TN_MAX_RANK) ||
           object(why, "its rank leaves no room for vectors of positions");
}

void hlo_view(mlir_text *w, const node *n)
{
    const value_id v = n->first_value;
    const type *out = value_type(w->f, v);
    int64_t starts[TN_MAX_RANK], steps[TN_MAX_RANK];
    places p = {.w = w, .v = v, .t = type_made(TN_SI64, out->dims, out->rank)};
    arena memory;
    index_map map;
    arena_init(&memory, w->m->allocator);
    view_symbols symbols = {&memory, &p};
    if (!parse_view(w->f, n, &memory, &map) ||
        !index_map_symbols(attr_string(n->attrs, KEY_INDEX_MAP), note_symbol, &symbols)) {
        w->n_errors++;
        w->status = node_report(w->f, n, DIAG_NotExpressible,
                                "stablehlo cannot express 'view': its map has too many sizes");
    } else if (value_type(w->f, n->in[0])->rank == out->rank &&
               is_slice(&map, out->rank, starts, steps)) {
        put_view_slice(w, n, starts, steps);
    } else {
        put_view_gather(&p, n, &map);
    }
    arena_release(&memory);
}
