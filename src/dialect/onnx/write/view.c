/* Views and windows of dynamic extents: slices where they are such, else every element is gathered
 * from its place, which is computed. Of known extents they are written with other ops. */
#include "base/memory/checked.h"
#include "dialect/onnx/write/writer.h"
#include "ops/index_map.h"

bool onnx_takes_places(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const bool open =
        !type_is_static(value_type(f, n->in[0])) || !type_is_static(value_type(f, n->first_value));
    return open || onnx_objection(why, "it has no operation for '%s'", op_table[n->op].text);
}

/* The elements of operand 0 at these places along its axes, as tensors that broadcast to the
 * result: the place of a row-major list. */
static void put_gathered(onnx_writer *w, const node *n, const onnx_id *at)
{
    const type *in = onnx_operand_type(w, n, 0), *out = onnx_result_type(w, n);
    const int64_t whole = -1;
    onnx_id place = onnx_int(&w->out, TN_SI64, 0);
    for (uint32_t i = 0; i < in->rank; i++) {
        if (i) {
            const onnx_id extent = onnx_size(w, n, in->dims[i]);
            place = onnx_2(w, "Mul", place, extent);
            place = onnx_2(w, "Add", place, at[i]);
        } else {
            place = at[i];
        }
    }
    place = onnx_expand(w, n, place, out->dims, out->rank);
    const onnx_id x = onnx_operand(w, n, 0);
    const onnx_id flat[] = {x, onnx_list_of(&w->out, &whole, 1)};
    const onnx_id list = onnx_make(&w->out, "Reshape", in->dtype, flat, 2, NULL, 0);
    const onnx_id pair[] = {list, place};
    onnx_result(w, n, onnx_make(&w->out, "Gather", in->dtype, pair, 2, NULL, 0));
}

/* ---- windows ---- */

/* The windows stand behind the axes that they move along. */
void onnx_put_pool(onnx_writer *w, const node *n)
{
    const type *in = onnx_operand_type(w, n, 0), *out = onnx_result_type(w, n);
    onnx_id at[TN_MAX_RANK];
    uint32_t count;
    const int64_t *strides = attr_ints(n->attrs, KEY_STRIDES, &count);
    const int64_t *dilation = attr_ints(n->attrs, KEY_DILATION, &count);
    const uint32_t lead = in->rank - count;
    for (uint32_t i = 0; i < in->rank; i++) {
        at[i] = onnx_counted(w, n, out, i, TN_SI64);
        if (i < lead)
            continue;
        const onnx_id step = onnx_size(w, n, strides[i - lead]);
        const onnx_id first = onnx_2(w, "Mul", at[i], step);
        const onnx_id inner = onnx_counted(w, n, out, count + i, TN_SI64);
        const onnx_id apart = onnx_size(w, n, dilation[i - lead]);
        const onnx_id within = onnx_2(w, "Mul", inner, apart);
        at[i] = onnx_2(w, "Add", first, within);
    }
    put_gathered(w, n, at);
}

/* ---- index maps ---- */

typedef struct places {
    onnx_writer *w;
    const node *n;
    bool first;                 /* all axes are 0 */
    VECTOR(const char *) names; /* of symbols, as they stand in the map */
    uint32_t next;              /* the one that comes now */
} places;

static bool note_symbol(void *user, const char *name, size_t length)
{
    places *p = user;
    const char *own = arena_copy_text(&p->w->out.memory, name, length);
    return own && VECTOR_PUSH(p->w->m->allocator, &p->names, own);
}

static onnx_id place_of(places *p, const index_expr *e)
{
    static const int64_t zeros[TN_MAX_RANK] = {0};
    static const char *const ops[] = {
        [INDEX_ADD] = "Add", [INDEX_SUB] = "Sub", [INDEX_MUL] = "Mul", [INDEX_MOD] = "Mod"};
    onnx_writer *w = p->w;
    if (!e->symbolic && (e->axes == 0 || p->first))
        return onnx_int(&w->out, TN_SI64, index_value(e, zeros));
    if (e->op == INDEX_AXIS)
        return onnx_counted(w, p->n, onnx_result_type(w, p->n), (uint32_t)e->value, TN_SI64);
    if (e->op == INDEX_SYMBOL)
        return onnx_size(w, p->n, dim_symbol_called(&w->m->types, p->names.at[p->next++]));
    const onnx_id a = place_of(p, e->a), b = place_of(p, e->b);
    return e->op == INDEX_FLOORDIV ? onnx_floor_quotient(w, a, b) : onnx_2(w, ops[e->op], a, b);
}

/* Is E the axis AXIS times the number *STEP, and something that does not depend on axes? */
static bool is_stepped(const index_expr *e, uint32_t axis, int64_t *step)
{
    int64_t a, b;
    *step = e->op == INDEX_AXIS;
    if (e->axes == 0 || e->op == INDEX_AXIS)
        return e->axes == 0 || e->value == axis;
    if (e->op == INDEX_FLOORDIV || e->op == INDEX_MOD || !is_stepped(e->a, axis, &a) ||
        !is_stepped(e->b, axis, &b))
        return false;
    if (e->op != INDEX_MUL)
        return e->op == INDEX_ADD ? add_i64(a, b, step) : mul_i64(b, -1, &b) && add_i64(a, b, step);
    static const int64_t zeros[TN_MAX_RANK] = {0};
    const index_expr *by = e->a->axes ? e->b : e->a;
    return !by->symbolic && mul_i64(index_value(by, zeros), e->a->axes ? a : b, step);
}

/* Does MAP take a slice of each axis, forwards? */
static bool is_slice(const index_map *map, const type *in, const type *out, int64_t *steps)
{
    bool all = in->rank == out->rank && in->rank > 0;
    for (uint32_t i = 0; all && i < map->n; i++)
        all = is_stepped(map->at[i], i, &steps[i]) && steps[i] > 0;
    return all;
}

/* From the first places, as far as the result has steps. */
static void put_slice_of(places *p, const index_map *map, const int64_t *steps)
{
    onnx_writer *w = p->w;
    const type *in = onnx_operand_type(w, p->n, 0), *out = onnx_result_type(w, p->n);
    onnx_id starts[TN_MAX_RANK], ends[TN_MAX_RANK];
    int64_t axes[TN_MAX_RANK], by[TN_MAX_RANK];
    uint32_t count = 0;
    const onnx_setting front = ONNX_INT_SET("axis", 0);
    p->first = true;
    for (uint32_t i = 0; i < map->n; i++) {
        const index_expr *e = map->at[i];
        if (e->op == INDEX_AXIS && out->dims[i] == in->dims[i])
            continue;
        const onnx_id start = place_of(p, e), extent = onnx_size(w, p->n, out->dims[i]);
        const onnx_id way = onnx_2(w, "Mul", extent, onnx_int(&w->out, TN_SI64, steps[i]));
        const onnx_id end = onnx_2(w, "Add", start, way);
        const dim one = 1;
        starts[count] = onnx_reshape(w, p->n, start, &one, 1);
        ends[count] = onnx_reshape(w, p->n, end, &one, 1);
        axes[count] = i;
        by[count++] = steps[i];
    }
    if (count == 0) {
        onnx_result(w, p->n, onnx_operand(w, p->n, 0));
        return;
    }
    const onnx_id from = onnx_make(&w->out, "Concat", TN_SI64, starts, count, &front, 1);
    const onnx_id to = onnx_make(&w->out, "Concat", TN_SI64, ends, count, &front, 1);
    const onnx_id along = onnx_list_of(&w->out, axes, count);
    const onnx_id x[] = {onnx_operand(w, p->n, 0), from, to, along,
                         onnx_list_of(&w->out, by, count)};
    onnx_result(w, p->n, onnx_make(&w->out, "Slice", in->dtype, x, 5, NULL, 0));
}

void onnx_put_view(onnx_writer *w, const node *n)
{
    const type *in = onnx_operand_type(w, n, 0), *out = onnx_result_type(w, n);
    const char *text = attr_string(n->attrs, KEY_INDEX_MAP);
    places p = {.w = w, .n = n};
    int64_t steps[TN_MAX_RANK];
    onnx_id at[TN_MAX_RANK];
    index_map map;
    size_t where;
    const bool ok = index_map_parse(text, out->rank, &w->out.memory, &map, &where) == INDEX_FINE &&
                    index_map_symbols(text, note_symbol, &p);
    w->out.no_memory = w->out.no_memory || !ok; /* it was read before */
    if (ok && is_slice(&map, in, out, steps)) {
        put_slice_of(&p, &map, steps);
    } else if (ok) {
        for (uint32_t i = 0; i < map.n; i++)
            at[i] = place_of(&p, map.at[i]);
        put_gathered(w, n, at);
    }
    VECTOR_RELEASE(w->m->allocator, &p.names);
}
