/* Ops with positions given by data, written with others. */
#include <inttypes.h>

#include "base/text/text.h"
#include "eval/eval.h"
#include "graph/literal.h"
#include "ops/attr_rules.h"
#include "pass/expand/expand.h"

enum { MOST_POSITIONS = 1 << 20, MOST_SLICES = 256 };

/* ---- positions ----------------------------------------------------------------------------- */

/* The elements of a constant of positions: COUNT numbers in the call's memory, all inside EXTENT;
 * NULL when V is no such constant. */
static int64_t *constant_positions(const expand_call *c, value_id v, int64_t extent)
{
    const literal *l = constant_behind(c, v);
    const type *t = build_type(c->b, v);
    if (!l || (!l->splat && l->type->count != t->count) || t->count <= 0 ||
        t->count > MOST_POSITIONS)
        return NULL;
    int64_t *at = ARENA_ARRAY(c->memory, int64_t, (size_t)t->count);
    if (!at) {
        c->b->status = module_no_memory(c->b->f->module);
        return NULL;
    }
    for (int64_t i = 0; i < t->count; i++) {
        at[i] = scalar_load(l->type->dtype, literal_element(l, i)).i;
        if (at[i] < 0 || at[i] >= extent)
            return NULL; /* it fails when it runs */
    }
    return at;
}

/* Where a take or a gather looks: AT, a list of N positions along AXIS of its first operand. */
typedef struct places {
    uint32_t axis;
    int64_t *at;
    int64_t n;
} places;

/* Positions of a type T are those of a list along axis A, if they are the same along all others. */
static bool shorten(places *p, const type *t, uint32_t a)
{
    int64_t inner = 1;
    p->n = t->dims[a];
    for (uint32_t i = a + 1; i < t->rank; i++)
        inner *= t->dims[i];
    for (int64_t i = 0; i < t->count; i++)
        if (p->at[i] != p->at[i / inner % p->n * inner])
            return false;
    for (int64_t k = 0; k < p->n; k++)
        p->at[k] = p->at[k * inner];
    return true;
}

/* False where they are not constants inside, or another list for each line of a gather. */
static bool find_places(const expand_call *c, places *p)
{
    const type *x = operand_type_of(c, 0);
    if (!is_static_call(c))
        return false;
    if (c->n->op != OP_GATHER) {
        p->axis = 0;
        p->n = operand_type_of(c, 1)->count;
        p->at = constant_positions(c, c->in[1], x->dims[0]);
        return p->at != NULL;
    }
    p->axis = resolve_axis(c->n->attrs, KEY_AXIS, x->rank);
    for (uint32_t i = 0; i < x->rank; i++)
        if (i != p->axis && c->out->dims[i] != x->dims[i])
            return false;
    const node *n = maker(c, c->in[1]);
    const bool spreads = n->op == OP_BROADCAST && !attr_find(n->attrs, KEY_DIMS);
    const value_id at = spreads ? n->in[0] : c->in[1];
    const type *t = build_type(c->b, at);
    const uint32_t new_axes = c->out->rank - t->rank;
    if (p->axis < new_axes || t->dims[p->axis - new_axes] != c->out->dims[p->axis])
        return false;
    p->at = constant_positions(c, at, x->dims[p->axis]);
    return p->at && shorten(p, t, p->axis - new_axes);
}

/* Positions as at[0] + sum of steps[k] * digit k, where the digits count through an extent each. */
typedef struct digits {
    uint32_t rank;
    int64_t dims[TN_MAX_RANK], steps[TN_MAX_RANK];
} digits;

/* Do N positions consist of rows of LENGTH that all go on in steps of STEP? */
static bool has_rows(const int64_t *at, int64_t n, int64_t length, int64_t step)
{
    if (n % length) /* few lengths are left then, of which each is tried */
        return false;
    for (int64_t i = 0; i < n; i++)
        if (i % length && at[i] - at[i - 1] != step)
            return false;
    return true;
}

/* Find the digits, innermost first: the longest rows, then the same for where these start. AT is
 * used up. */
static bool find_digits(int64_t *at, int64_t n, digits *d)
{
    d->rank = 0;
    while (n > 1) {
        const int64_t step = at[1] - at[0];
        int64_t length = 2;
        while (length < n && at[length] - at[length - 1] == step)
            length++;
        while (length > 1 && !has_rows(at, n, length, step))
            length--;
        if (length == 1 || d->rank == TN_MAX_RANK / 2)
            return false;
        d->dims[d->rank] = length;
        d->steps[d->rank++] = step;
        n /= length;
        for (int64_t i = 0; i < n; i++)
            at[i] = at[i * length];
    }
    for (uint32_t i = 0, k = d->rank; i + 1 < k; i++) { /* outermost first */
        const int64_t dim_i = d->dims[i], step_i = d->steps[i];
        k--;
        d->dims[i] = d->dims[k];
        d->steps[i] = d->steps[k];
        d->dims[k] = dim_i;
        d->steps[k] = step_i;
    }
    return true;
}

/* COUNT positions of X along AXIS, from START on in steps of STEP. */
static value_id run_of(expand_call *c, value_id x, uint32_t axis, int64_t start, int64_t step,
                       int64_t count)
{
    const type *t = build_type(c->b, x);
    int64_t starts[TN_MAX_RANK] = {0}, ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++) {
        ends[i] = t->dims[i];
        steps[i] = 1;
    }
    const int64_t behind = start + (count - 1) * step + (step < 0 ? -1 : 1);
    starts[axis] = start;
    ends[axis] = behind < 0 ? -1 - t->dims[axis] : behind;
    steps[axis] = step ? step : 1;
    return build_slice(c->b, x, starts, ends, steps, t->rank);
}

/* START + sum of steps[k] * digit k for AXIS, whose digits are axes AXIS and following; the other
 * axes as they are. NULL without memory. */
static const char *map_of_digits(expand_call *c, uint32_t axis, int64_t start, const digits *d,
                                 uint32_t rank)
{
    text_buffer text;
    text_init(&text, c->b->f->module->allocator);
    for (uint32_t i = 0; i < rank; i++) {
        text_puts(&text, i ? "; " : "");
        if (i != axis) {
            text_printf(&text, "i%" PRIu32, i < axis ? i : d->rank + i - 1);
            continue;
        }
        text_i64(&text, start);
        for (uint32_t k = 0; k < d->rank; k++)
            if (d->steps[k])
                text_printf(&text, " %c %" PRId64 "*i%" PRIu32, d->steps[k] < 0 ? '-' : '+',
                            d->steps[k] < 0 ? -d->steps[k] : d->steps[k], axis + k);
    }
    const char *map =
        text_c_string(&text) ? module_string(c->b->f->module, text_c_string(&text), text.n) : NULL;
    text_release(&text);
    return map;
}

/* Do digits of the last axis count through few elements that do not touch? To compute where each
 * lies takes longer than to read it from the list. */
static bool has_short_rows(const digits *d, const places *p, const type *x)
{
    enum { SHORT = 16 };
    const uint32_t last = d->rank - 1;
    return p->axis + 1 == x->rank && d->rank > 1 && d->dims[last] < SHORT &&
           (d->steps[last] < -1 || d->steps[last] > 1);
}

value_id expand_take_as_view(expand_call *c)
{
    const type *x = operand_type_of(c, 0);
    dim dims[TN_MAX_RANK];
    uint32_t rank = 0;
    places p;
    digits d;
    if (!find_places(c, &p))
        return NO_VALUE;
    const int64_t start = p.at[0];
    if (!find_digits(p.at, p.n, &d) || d.rank + x->rank - 1 > TN_MAX_RANK ||
        (!c->to && has_short_rows(&d, &p, x)))
        return NO_VALUE;
    if (d.rank == 0 || (d.rank == 1 && d.steps[0]))
        return expand_to_result(c,
                                run_of(c, c->in[0], p.axis, start, d.rank ? d.steps[0] : 1, p.n));
    for (uint32_t i = 0; i < x->rank; i++) {
        if (i != p.axis)
            dims[rank++] = x->dims[i];
        for (uint32_t k = 0; i == p.axis && k < d.rank; k++)
            dims[rank++] = d.dims[k];
    }
    const char *map = map_of_digits(c, p.axis, start, &d, x->rank);
    if (!map) {
        c->b->status = module_no_memory(c->b->f->module);
        return NO_VALUE;
    }
    attr entries[] = {attr_of_ints(KEY_SHAPE, dims, rank), {.key = KEY_INDEX_MAP, .v.s = map}};
    return expand_to_result(c, build_node(c->b, OP_VIEW, c->in, 1, entries, 2));
}

/* X, one position along AXIS, COUNT times. */
static value_id repeated(expand_call *c, value_id x, uint32_t axis, int64_t count)
{
    const type *t = build_type(c->b, x);
    dim dims[TN_MAX_RANK];
    for (uint32_t i = 0; i < t->rank; i++)
        dims[i] = i == axis ? count : t->dims[i];
    return build_broadcast(c->b, x, dims, t->rank);
}

/* P as at most MOST runs of even steps beside each other; a step of 0 is a run if REPEATS. */
static value_id as_runs(expand_call *c, const places *p, uint32_t most, bool repeats)
{
    value_id parts[MOST_SLICES];
    uint32_t n_parts = 0;
    for (int64_t i = 0; i < p->n;) {
        const int64_t step = i + 1 < p->n ? p->at[i + 1] - p->at[i] : 0;
        int64_t end = i + 1;
        while ((step || repeats) && end < p->n && p->at[end] - p->at[end - 1] == step)
            end++;
        if (n_parts == most)
            return NO_VALUE;
        value_id run = run_of(c, c->in[0], p->axis, p->at[i], step, step ? end - i : 1);
        if (step == 0 && end - i > 1)
            run = repeated(c, run, p->axis, end - i);
        parts[n_parts++] = run;
        i = end;
    }
    attr entry = attr_of_int(KEY_AXIS, p->axis);
    return expand_to_result(
        c, n_parts == 1 ? parts[0] : build_node(c->b, OP_CONCAT, parts, n_parts, &entry, 1));
}

value_id expand_take_as_slices(expand_call *c)
{
    places p;
    return find_places(c, &p) ? as_runs(c, &p, MOST_SLICES, false) : NO_VALUE;
}

value_id expand_take_as_runs(expand_call *c)
{
    enum { MOST = 8, LONG = 8 };
    places p;
    if (!find_places(c, &p))
        return NO_VALUE;
    return as_runs(c, &p, (uint32_t)(p.n / LONG < MOST ? p.n / LONG : MOST), true);
}

/* The start is moved so that the window lies inside. */
value_id expand_dynamic_slice_as_slice(expand_call *c)
{
    const type *x = operand_type_of(c, 0);
    const literal *l = constant_behind(c, c->in[1]);
    int64_t starts[TN_MAX_RANK], ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    if (!l || !is_static_call(c) || (!l->splat && maker(c, c->in[1])->op != OP_CONSTANT))
        return NO_VALUE;
    for (uint32_t i = 0; i < x->rank; i++) {
        const int64_t most = x->dims[i] - c->out->dims[i];
        const scalar s = scalar_load(l->type->dtype, literal_element(l, i));
        const bool beyond = dtype_is_unsigned(l->type->dtype) ? s.u > (uint64_t)most : s.i > most;
        starts[i] = beyond ? most : dtype_is_unsigned(l->type->dtype) || s.i > 0 ? s.i : 0;
        ends[i] = starts[i] + c->out->dims[i];
        steps[i] = 1;
    }
    return build_slice(c->b, c->in[0], starts, ends, steps, x->rank);
}

value_id expand_index_as_slice(expand_call *c)
{
    const type *x = operand_type_of(c, 0);
    int64_t ends[TN_MAX_RANK], steps[TN_MAX_RANK];
    uint32_t n;
    const int64_t *at = attr_ints(c->n->attrs, KEY_INDICES, &n);
    for (uint32_t i = 0; i < n; i++) {
        if (dim_is_symbolic(x->dims[i]) || at[i] < 0 || at[i] >= x->dims[i])
            return NO_VALUE; /* a take fails when it runs, which a slice cannot */
        ends[i] = at[i] + 1;
        steps[i] = 1;
    }
    value_id v = n ? build_slice(c->b, c->in[0], at, ends, steps, n) : c->in[0];
    return expand_to_result(c, v);
}

value_id expand_scatter_rows_as_add(expand_call *c)
{
    const uint32_t n_places = operand_type_of(c, 1)->rank;
    const int64_t first = 0;
    int64_t window[TN_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = n_places; i < operand_type_of(c, 0)->rank; i++)
        window[n++] = i;
    value_id in[] = {expand_filled(c, c->out, 0), c->in[1], c->in[0]};
    attr entries[] = {attr_of_ints(KEY_UPDATE_WINDOW_DIMS, window, n),
                      attr_of_ints(KEY_INSERTED_WINDOW_DIMS, &first, 1),
                      attr_of_ints(KEY_SCATTER_DIMS, &first, 1)};
    return build_node(c->b, OP_SCATTER_ADD, in, 3, entries, 3);
}

static bool is_list(const attrs *a, attr_key key, uint32_t from, uint32_t n_wanted)
{
    uint32_t n;
    const int64_t *list = attr_ints(a, key, &n);
    for (uint32_t i = 0; i < n; i++)
        if (list[i] != (int64_t)from + i)
            return false;
    return n == n_wanted;
}

value_id expand_scatter_add_as_rows(expand_call *c)
{
    const attrs *a = c->n->attrs;
    const uint32_t n_places = operand_type_of(c, 1)->rank, rank = operand_type_of(c, 2)->rank;
    if (!is_everywhere(c, c->in[0], 0) || n_places > rank ||
        attr_int(a, KEY_INDEX_VECTOR_DIM, n_places) != (int64_t)n_places ||
        !is_list(a, KEY_UPDATE_WINDOW_DIMS, n_places, rank - n_places) ||
        !is_list(a, KEY_INSERTED_WINDOW_DIMS, 0, 1) || !is_list(a, KEY_SCATTER_DIMS, 0, 1))
        return NO_VALUE;
    for (uint32_t i = 1; i < c->out->rank; i++) /* windows may be smaller than rows */
        if (operand_type_of(c, 2)->dims[n_places + i - 1] != c->out->dims[i])
            return NO_VALUE;
    value_id in[] = {c->in[2], c->in[1]};
    attr entry = attr_of_ints(KEY_SHAPE, c->out->dims, c->out->rank);
    return build_node(c->b, OP_SCATTER_ROWS, in, 2, &entry, 1);
}

value_id expand_gather_as_take(expand_call *c)
{
    return operand_type_of(c, 0)->rank == 1 ? build_binary(c->b, OP_TAKE, c->in[0], c->in[1])
                                            : NO_VALUE;
}

value_id expand_iota_as_constant(expand_call *c)
{
    tensor out = {0};
    if (!is_static_call(c) || c->out->count > MOST_POSITIONS || c->out->count == 0 ||
        !evaluate_node_quietly(c->f, c->n, NULL, 1, &out, c->memory))
        return NO_VALUE;
    return build_constant(c->b, c->out->dtype, c->out->dims, c->out->rank, out.data);
}
