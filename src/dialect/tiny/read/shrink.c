/* SHRINK. Bounds that depend on symbols make a view, with the bounds beside its map: the writer
 * prints these, and binding makes it the slice that it is, once they are numbers. */
#include <inttypes.h>

#include "dialect/tiny/read/reader.h"
#include "ops/index_map.h"

typedef struct cut {
    dim lo[TN_MAX_RANK], hi[TN_MAX_RANK], step[TN_MAX_RANK];
    bool stepped;  /* some axis */
    bool symbolic; /* some bound, of more than whole axes */
} cut;

static dim difference(type_table *types, dim a, dim b)
{
    return dim_combine(types, DIM_ADD, a, dim_combine(types, DIM_MUL, b, -1));
}

/* Is A > B whatever the symbols are? */
static bool exceeds(type_table *types, dim a, dim b)
{
    const dim by = difference(types, a, b);
    return by != DIM_NO_MEMORY && !dim_is_expr(types, by) && by > 0;
}

static bool read_axis(reader *r, entry *e, const type *t, cut *c, uint32_t i)
{
    type_table *types = &r->m->types;
    const dim extent = t->dims[i];
    if (exceeds(types, c->lo[i], c->hi[i]) || exceeds(types, c->hi[i], extent) ||
        exceeds(types, c->lo[i], extent)) {
        const dim bounds[] = {c->lo[i], c->hi[i]};
        return fault(r, e, DIAG_InvalidAttribute, e->arg->at,
                     "axis %" PRIu32 " of shape %s cannot be cut to the bounds %s", i,
                     dims_text(&r->memory, types, t->dims, t->rank),
                     dims_text(&r->memory, types, bounds, 2));
    }
    const bool whole = c->lo[i] == 0 && c->hi[i] == extent && c->step[i] == 1;
    c->stepped = c->stepped || c->step[i] != 1;
    c->symbolic =
        c->symbolic || (!whole && (dim_is_symbolic(c->lo[i]) || dim_is_symbolic(c->hi[i]) ||
                                   dim_is_symbolic(c->step[i])));
    return true;
}

static bool read_cut(reader *r, entry *e, const value *x, cut *c)
{
    const type *t = type_at(r, x->v);
    const json_value *lo = need(r, e, "lo"), *hi = lo ? need(r, e, "hi") : NULL;
    const json_value *step = json_member_of(e->arg, "step");
    uint32_t n_lo, n_hi, n_step = t->rank;
    if (!hi || !read_sizes(r, e, lo, "lo", 0, c->lo, NULL, &n_lo) ||
        !read_sizes(r, e, hi, "hi", 0, c->hi, NULL, &n_hi) ||
        (step && !read_sizes(r, e, step, "step", 1, c->step, NULL, &n_step)))
        return false;
    if (n_lo != t->rank || n_hi != t->rank || n_step != t->rank)
        return fault(r, e, DIAG_InvalidAttribute, e->arg->at,
                     "'lo', 'hi' and 'step' need one entry for each axis of shape %s",
                     dims_text(&r->memory, &r->m->types, t->dims, t->rank));
    for (uint32_t i = 0; i < t->rank; i++) {
        if (!step)
            c->step[i] = 1;
        if (!read_axis(r, e, t, c, i))
            return false;
    }
    return true;
}

/* A size in an expression. */
static void put_part(text_buffer *out, const type_table *types, dim d)
{
    const bool computed = dim_is_expr(types, d) && dim_expr_of(types, d)->op != DIM_SYM;
    if (computed)
        text_putc(out, '(');
    size_print_bare(out, types, d);
    if (computed)
        text_putc(out, ')');
}

/* The map of the view names the bounds. */
static bool check_names(reader *r, entry *e, const cut *c, uint32_t rank)
{
    for (uint32_t i = 0; i < rank; i++) {
        const char *lo = index_axis_like(&r->m->types, c->lo[i]);
        const char *name = lo ? lo : index_axis_like(&r->m->types, c->step[i]);
        if (name)
            return fault(r, e, DIAG_InvalidAttribute, e->arg->at,
                         "a bound of 'SHRINK' cannot depend on a size called '%.100s', which is "
                         "the name of an axis",
                         name);
    }
    return true;
}

/* Position lo + step * i of each axis. */
static void put_positions(text_buffer *map, const type_table *types, const cut *c, uint32_t rank)
{
    for (uint32_t i = 0; i < rank; i++) {
        if (i)
            text_putc(map, ';');
        if (c->lo[i] != 0) {
            put_part(map, types, c->lo[i]);
            text_puts(map, " + ");
        }
        if (c->step[i] != 1) {
            put_part(map, types, c->step[i]);
            text_putc(map, '*');
        }
        text_printf(map, "i%" PRIu32, i);
    }
}

static bool add_cut_view(reader *r, entry *e, const value *x, const cut *c)
{
    type_table *types = &r->m->types;
    const uint32_t rank = type_at(r, x->v)->rank;
    dim dims[TN_MAX_RANK];
    text_buffer map;
    bool ok = true;
    if (!check_names(r, e, c, rank))
        return false;
    text_init(&map, r->m->allocator);
    for (uint32_t i = 0; i < rank; i++) {
        const dim length = difference(types, c->hi[i], c->lo[i]);
        const dim most = dim_combine(types, DIM_ADD, c->step[i], -1);
        const dim upward = dim_combine(types, DIM_ADD, length, most);
        dims[i] = dim_combine(types, DIM_FLOORDIV, upward, c->step[i]);
        ok = ok && dims[i] != DIM_NO_MEMORY;
    }
    put_positions(&map, types, c, rank);
    const char *own = map.failed ? NULL : module_string(r->m, map.at ? map.at : "", map.n);
    text_release(&map);
    if (!own || !ok)
        return out_of_memory(r);
    attr list[] = {{.key = KEY_SHAPE, .n = rank, .v.ints = dims},
                   {.key = KEY_INDEX_MAP, .v.s = own},
                   {.key = KEY_CUT_FROM, .n = rank, .v.ints = c->lo},
                   {.key = KEY_CUT_TO, .n = rank, .v.ints = c->hi},
                   {.key = KEY_CUT_STEP, .n = rank, .v.ints = c->step}};
    return add_entry(r, e, OP_VIEW, &x->v, 1, list, sizeof list / sizeof *list);
}

static bool add_slice(reader *r, entry *e, const value *x, const cut *c)
{
    const type *t = type_at(r, x->v);
    int64_t ends[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        ends[i] = dim_is_symbolic(c->hi[i]) ? INT64_MAX : c->hi[i]; /* then the axis is whole */
    attr list[] = {{.key = KEY_STARTS, .n = t->rank, .v.ints = c->lo},
                   {.key = KEY_ENDS, .n = t->rank, .v.ints = ends},
                   {.key = KEY_STEPS, .n = t->rank, .v.ints = c->step}};
    return add_entry(r, e, OP_SLICE, &x->v, 1, list, 3);
}

bool read_shrink(reader *r, entry *e, const value *x)
{
    cut c = {.stepped = false};
    if (!check_keys(r, e, NULL) || !read_cut(r, e, x, &c))
        return false;
    pieces_of_shrink(r, x, c.lo, c.hi, c.stepped, &e->value.pieces);
    return (c.symbolic ? add_cut_view(r, e, x, &c) : add_slice(r, e, x, &c)) &&
           keep_equal_axes(r, e, x) && check_pieces(r, e, x);
}
