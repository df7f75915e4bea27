/* Movement: RESHAPE, PERMUTE, EXPAND, PAD, FLIP, POOL. */
#include "dialect/tiny/read/reader.h"

#include <inttypes.h>

#include "ops/index_map.h"

static const type *type_in(const reader *r, const value *x)
{
    return type_at(r, x->v);
}

static const char *shape_in(reader *r, const value *x)
{
    const type *t = type_in(r, x);
    return dims_text(&r->memory, &r->m->types, t->dims, t->rank);
}

/* ---- RESHAPE ---- */

/* Axes of extent 1 between the same long ones: as many as before are the same, and otherwise those
 * that are called the same. */
static void keep_short_axes(const axis *from, uint32_t n_from, axis *to, uint32_t n_to)
{
    for (uint32_t k = 0; k < n_to; k++)
        for (uint32_t i = 0; i < n_from; i++)
            if (n_from == n_to ? i == k : to[k].name && to[k].name == from[i].name)
                to[k].id = from[i].id;
}

static uint32_t ones_from(const type *t, uint32_t i)
{
    uint32_t n = 0;
    while (i + n < t->rank && t->dims[i + n] == 1)
        n++;
    return n;
}

/* Axes that only lose or gain neighbours of extent 1 stay what they are. */
static void keep_long_axes(const value *x, const type *from, axis *axes, const type *to)
{
    uint32_t i = 0;
    for (uint32_t pass = 0, k = 0; pass < 2; pass++, i = k = 0)
        for (;;) {
            const uint32_t n_from = ones_from(from, i), n_to = ones_from(to, k);
            if (pass == 1)
                keep_short_axes(x->axes + i, n_from, axes + k, n_to);
            i += n_from;
            k += n_to;
            if (i == from->rank || k == to->rank) {
                if (i != from->rank || k != to->rank)
                    return;
                break;
            }
            if (from->dims[i] != to->dims[k])
                return;
            if (pass == 1)
                axes[k].id = x->axes[i].id;
            i++;
            k++;
        }
}

static bool read_reshape(reader *r, entry *e, const value *x)
{
    dim dims[TN_MAX_RANK];
    const char *names[TN_MAX_RANK] = {0};
    uint32_t n;
    const json_value *list;
    if (!check_keys(r, e, NULL) || !(list = need(r, e, "result_shape")) ||
        !read_sizes(r, e, list, "result_shape", -1, dims, names, &n))
        return false;
    attr shape = {.key = KEY_SHAPE, .n = n, .v.ints = dims};
    axis *axes = new_axes(r, n);
    if (!axes || !add_entry(r, e, OP_RESHAPE, &x->v, 1, &shape, 1))
        return false;
    for (uint32_t i = 0; i < n; i++)
        axes[i].name = names[i];
    keep_long_axes(x, type_in(r, x), axes, type_in(r, &e->value));
    e->value.axes = axes;
    e->value.pieces = pieces_fixed(x, 0);
    lint_reshape(r, e, x, &e->value);
    return true;
}

/* ---- PERMUTE, FLIP ---- */

static bool move_pieces(reader *r, entry *e, const value *x, const int64_t *to, uint32_t rank,
                        uint32_t out_rank)
{
    dim *by = ARENA_ARRAY(&r->memory, dim, 2 * (size_t)out_rank);
    if (!by)
        return out_of_memory(r);
    for (uint32_t i = 0; i < rank && x->pieces.low_by; i++) {
        by[to[i]] = x->pieces.low_by[i];
        by[out_rank + to[i]] = x->pieces.high_by[i];
    }
    pieces_permute(x, to, rank, by, by + out_rank, &e->value.pieces);
    return true;
}

static bool read_permute(reader *r, entry *e, const value *x)
{
    const type *t = type_in(r, x);
    int64_t perm[TN_MAX_RANK], to[TN_MAX_RANK];
    uint32_t n, mask = 0;
    if (!check_keys(r, e, "dims"))
        return false;
    const json_value *list = json_member_of(e->arg, "perm"), *old = json_member_of(e->arg, "dims");
    if (list && old)
        return fault(r, e, DIAG_InvalidAttribute, old->at,
                     "'dims' is an older spelling of 'perm', which stands there too");
    if (!list && old) {
        remark(r, e, old->at, "'dims' is an older spelling of 'perm'");
        offer_name(r, e->arg, "dims", "perm");
    }
    if (!list && !old)
        return need(r, e, "perm") != NULL;
    if (!read_numbers(r, e, list ? list : old, "perm", perm, &n))
        return false;
    bool fits = n == t->rank;
    for (uint32_t i = 0; fits && i < n; i++) {
        fits = perm[i] >= 0 && perm[i] < (int64_t)n && !(mask >> perm[i] & 1);
        if (fits) {
            mask |= (uint32_t)1 << perm[i];
            to[perm[i]] = i;
        }
    }
    if (!fits) {
        (void)fault(r, e, DIAG_InvalidPermutation, (list ? list : old)->at,
                    "'perm' must name every axis of shape %s exactly once", shape_in(r, x));
        return false;
    }
    axis *axes = new_axes(r, n);
    if (!axes)
        return false;
    for (uint32_t i = 0; i < n; i++)
        axes[i] = x->axes[perm[i]];
    e->value.axes = axes;
    attr given = {.key = KEY_PERM, .n = n, .v.ints = perm};
    return move_pieces(r, e, x, to, n, n) && add_entry(r, e, OP_TRANSPOSE, &x->v, 1, &given, 1);
}

static bool read_flip(reader *r, entry *e, const value *x)
{
    int64_t axes[TN_MAX_RANK];
    uint32_t n;
    const json_value *list;
    if (!check_keys(r, e, NULL) || !(list = need(r, e, "axes")) ||
        !read_axes(r, e, list, "axes", x, axes, &n))
        return false;
    pieces p = x->pieces;
    const uint32_t rank = type_in(r, x)->rank;
    if (p.low_by) {
        dim *by = ARENA_ARRAY(&r->memory, dim, 2 * (size_t)rank);
        if (!by)
            return out_of_memory(r);
        memcpy(by, p.low_by, rank * sizeof *by);
        memcpy(by + rank, p.high_by, rank * sizeof *by);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t bit = (uint32_t)1 << axes[i];
            const uint32_t low = p.low & bit, high = p.high & bit;
            p.low = (p.low & ~bit) | high;
            p.high = (p.high & ~bit) | low;
            by[axes[i]] = p.high_by[axes[i]];
            by[rank + axes[i]] = p.low_by[axes[i]];
        }
        p.low_by = by;
        p.high_by = by + rank;
    }
    e->value.axes = x->axes;
    e->value.pieces = p;
    attr given = {.key = KEY_AXES, .n = n, .v.ints = axes};
    return add_entry(r, e, OP_REVERSE, &x->v, 1, &given, 1);
}

/* ---- EXPAND ---- */

static bool wrong_axes(reader *r, entry *e, span at, const value *x, const char *what)
{
    return fault(r, e, DIAG_BroadcastMismatch, at, "'broadcast_dimensions' %s, for source shape %s",
                 what, shape_in(r, x));
}

/* Where the source's axes go. With equal ranks the list names the axes that carry the source. */
static bool expand_map(reader *r, entry *e, const value *x, uint32_t n, int64_t *map)
{
    const type *t = type_in(r, x);
    const json_value *list = json_member_of(e->arg, "broadcast_dimensions");
    int64_t given[TN_MAX_RANK];
    uint32_t n_given = 0, mask = 0;
    if (list && !read_numbers(r, e, list, "broadcast_dimensions", given, &n_given))
        return false;
    if (t->rank > n)
        return fault(r, e, DIAG_BroadcastMismatch, e->at,
                     "shape %s cannot be expanded to rank %" PRIu32, shape_in(r, x), n);
    for (uint32_t i = 0; i < n_given; i++) {
        if (given[i] < 0 || given[i] >= (int64_t)n)
            return wrong_axes(r, e, list->at, x, "names an axis that the result does not have");
        if (i > 0 && given[i] <= given[i - 1])
            return wrong_axes(r, e, list->at, x, "must ascend");
        mask |= (uint32_t)1 << given[i];
    }
    if (t->rank < n && list && n_given != t->rank)
        return wrong_axes(r, e, list->at, x, "needs one entry for each axis of the source");
    for (uint32_t i = 0; i < t->rank; i++)
        map[i] = t->rank == n ? i : list ? given[i] : n - t->rank + i;
    for (uint32_t i = 0; list && t->rank == n && i < n; i++)
        if (!(mask >> i & 1) && t->dims[i] != 1)
            return wrong_axes(r, e, list->at, x, "leaves out an axis whose extent is not 1");
    return true;
}

static bool read_expand(reader *r, entry *e, const value *x)
{
    const type *t = type_in(r, x);
    dim dims[TN_MAX_RANK];
    const char *names[TN_MAX_RANK] = {0};
    int64_t map[TN_MAX_RANK];
    uint32_t n;
    const json_value *list;
    if (!check_keys(r, e, NULL) || !(list = need(r, e, "result_shape")) ||
        !read_sizes(r, e, list, "result_shape", 0, dims, names, &n) || !expand_map(r, e, x, n, map))
        return false;
    axis *axes = new_axes(r, n);
    if (!axes)
        return false;
    for (uint32_t i = 0; i < n; i++)
        axes[i].name = names[i];
    for (uint32_t i = 0; i < t->rank; i++) {
        const dim d = t->dims[i], to = dims[map[i]];
        if (d != 1 && d != to && !dim_is_symbolic(d) && !dim_is_symbolic(to))
            return fault(r, e, DIAG_BroadcastMismatch, list->at,
                         "axis %" PRIu32 " of shape %s cannot be expanded to extent %" PRId64, i,
                         shape_in(r, x), to);
        if (d == 1 && to != 1)
            continue;
        axes[map[i]].id = x->axes[i].id;
        if (!names[map[i]])
            axes[map[i]].name = x->axes[i].name;
    }
    e->value.axes = axes;
    attr given[] = {{.key = KEY_SHAPE, .n = n, .v.ints = dims},
                    {.key = KEY_DIMS, .n = t->rank, .v.ints = map}};
    return move_pieces(r, e, x, map, t->rank, n) &&
           add_entry(r, e, OP_BROADCAST, &x->v, 1, given, 2);
}

/* ---- PAD ---- */

/* Pairs, or the older flat list of as many numbers. */
static bool read_pads(reader *r, entry *e, const value *x, dim *low, dim *high)
{
    const uint32_t rank = type_in(r, x)->rank;
    const json_value *list = need(r, e, "pad");
    if (!list)
        return false;
    const bool flat = list->kind == JSON_ARRAY && list->n == 2 * rank && list->n > 0 &&
                      list->items[0].kind != JSON_ARRAY;
    if (list->kind != JSON_ARRAY || (!flat && list->n != rank))
        return fault(r, e, DIAG_InvalidAttribute, list->at,
                     "'pad' needs a pair for each axis of shape %s", shape_in(r, x));
    if (flat) {
        remark(r, e, list->at, "a flat 'pad' is an older spelling of a list of pairs");
        offer_pairs(r, list);
    }
    for (uint32_t i = 0; i < rank; i++) {
        const json_value *pair = flat ? list : &list->items[i];
        if (!flat && (pair->kind != JSON_ARRAY || pair->n != 2))
            return fault(r, e, DIAG_InvalidAttribute, pair->at,
                         "an entry of 'pad' is a pair: before and behind");
        const json_value *at = &pair->items[flat ? 2 * i : 0];
        if (!read_size(r, e, &at[0], "pad", 0, &low[i], NULL) ||
            !read_size(r, e, &at[1], "pad", 0, &high[i], NULL))
            return false;
    }
    return true;
}

bool keep_equal_axes(reader *r, entry *e, const value *x)
{
    const type *from = type_in(r, x), *to = type_in(r, &e->value);
    axis *axes = new_axes(r, to->rank);
    if (!axes)
        return false;
    for (uint32_t i = 0; i < to->rank; i++)
        if (from->dims[i] == to->dims[i])
            axes[i] = x->axes[i];
    e->value.axes = axes;
    return true;
}

static bool read_pad(reader *r, entry *e, const value *x)
{
    const type *t = type_in(r, x);
    dim low[TN_MAX_RANK], high[TN_MAX_RANK];
    int64_t none[TN_MAX_RANK] = {0};
    const json_value *given = json_member_of(e->arg, "value");
    scalar by = scalar_of_int(0);
    (void)scalar_cast(by, t->dtype, &by);
    if (!check_keys(r, e, NULL) || !read_pads(r, e, x, low, high) ||
        (given && !read_scalar(r, e, given, t->dtype, DIAG_InvalidAttribute, &by)))
        return false;
    attr list[] = {{.key = KEY_LOW, .n = t->rank, .v.ints = low},
                   {.key = KEY_HIGH, .n = t->rank, .v.ints = high},
                   {.key = KEY_INTERIOR, .n = t->rank, .v.ints = none},
                   {.key = KEY_PAD_VALUE, .v.scalar = &by}};
    return pieces_of_pad(r, x, low, high, by, &e->value.pieces) &&
           add_entry(r, e, OP_PAD, &x->v, 1, list, 4) && keep_equal_axes(r, e, x) &&
           check_pieces(r, e, x);
}

/* ---- POOL ---- */

/* The window of a VIEW that does the same, as a fix; none where sizes are called like its axes. */
static void offer_view(reader *r, const entry *e, uint32_t lead, uint32_t n, const attr *list)
{
    const type *t = type_in(r, &e->value);
    const char *src = r->m->source.text;
    text_buffer b;
    for (uint32_t i = 0; i < n; i++)
        if (index_axis_like(&r->m->types, list[1].v.ints[i]) ||
            index_axis_like(&r->m->types, list[2].v.ints[i]))
            return;
    text_init(&b, r->m->allocator);
    text_puts(&b, "{\"id\":");
    text_json_string(&b, e->id, strlen(e->id));
    text_puts(&b, ",\"uop\":\"VIEW\",\"src\":");
    text_put(&b, src + e->src->at.at, e->src->at.length);
    text_puts(&b, ",\"arg\":{\"result_shape\":[");
    for (uint32_t i = 0; i < t->rank; i++) {
        if (i)
            text_putc(&b, ',');
        size_print_named(r, &b, t->dims[i], e->value.axes[i].name);
    }
    text_puts(&b, "],\"index_map\":{\"out\":[");
    for (uint32_t i = 0; i < t->rank; i++)
        text_printf(&b, "%s\"i%" PRIu32 "\"", i ? "," : "", i);
    text_puts(&b, "],\"in\":[");
    for (uint32_t i = 0; i < lead; i++)
        text_printf(&b, "%s\"i%" PRIu32 "\"", i ? "," : "", i);
    for (uint32_t i = 0; i < n; i++) {
        text_puts(&b, lead + i ? ",\"(" : "\"(");
        size_print_bare(&b, &r->m->types, list[1].v.ints[i]);
        text_printf(&b, ")*i%" PRIu32 " + (", lead + i);
        size_print_bare(&b, &r->m->types, list[2].v.ints[i]);
        text_printf(&b, ")*i%" PRIu32 "\"", lead + n + i);
    }
    text_puts(&b, "]}}");
    if (e->tag) {
        text_puts(&b, ",\"tag\":");
        text_json_string(&b, e->tag, strlen(e->tag));
    }
    text_putc(&b, '}');
    const char *replacement = text_c_string(&b);
    if (replacement)
        diag_fix(&r->m->cx->diag, e->at, replacement, "write it as a VIEW");
    text_release(&b);
}

static bool read_pool(reader *r, entry *e, const value *x)
{
    const type *t = type_in(r, x);
    dim window[TN_MAX_RANK], strides[TN_MAX_RANK], dilation[TN_MAX_RANK];
    const char *names[TN_MAX_RANK] = {0};
    uint32_t n, n_strides, n_dilation;
    const json_value *list;
    if (!check_keys(r, e, NULL) || !(list = need(r, e, "kernel")) ||
        !read_sizes(r, e, list, "kernel", 1, window, names, &n))
        return false;
    const json_value *by = json_member_of(e->arg, "stride");
    const json_value *apart = json_member_of(e->arg, "dilation");
    for (uint32_t i = 0; i < n; i++)
        strides[i] = dilation[i] = 1;
    n_strides = n_dilation = n;
    if ((by && !read_sizes(r, e, by, "stride", 1, strides, NULL, &n_strides)) ||
        (apart && !read_sizes(r, e, apart, "dilation", 1, dilation, NULL, &n_dilation)))
        return false;
    if (n_strides != n || n_dilation != n)
        return fault(r, e, DIAG_InvalidAttribute, e->arg->at,
                     "'stride' and 'dilation' need as many entries as 'kernel'");
    attr given[] = {{.key = KEY_WINDOW, .n = n, .v.ints = window},
                    {.key = KEY_STRIDES, .n = n, .v.ints = strides},
                    {.key = KEY_DILATION, .n = n, .v.ints = dilation}};
    attr kept[] = {given[0], given[1], given[2]};
    if (!add_entry(r, e, OP_POOL, &x->v, 1, given, 3))
        return false;
    const uint32_t lead = t->rank - n;
    axis *axes = new_axes(r, t->rank + n);
    if (!axes)
        return false;
    for (uint32_t i = 0; i < lead; i++)
        axes[i] = x->axes[i];
    for (uint32_t i = 0; i < n; i++)
        axes[t->rank + i].name = names[i];
    e->value.axes = axes;
    e->value.pieces = pieces_fixed(x, 0);
    if (is_strict(r)) {
        extension(r, e, e->at, "'POOL'");
        offer_view(r, e, lead, n, kept);
    }
    return true;
}

bool read_movement(reader *r, entry *e, const value *x)
{
    e->value.from_reduce = x->from_reduce;
    switch (e->uop->kind) {
    case TINY_RESHAPE:
        return read_reshape(r, e, x);
    case TINY_PERMUTE:
        return read_permute(r, e, x);
    case TINY_EXPAND:
        return read_expand(r, e, x);
    case TINY_PAD:
        return read_pad(r, e, x);
    case TINY_SHRINK:
        return read_shrink(r, e, x);
    case TINY_FLIP:
        return read_flip(r, e, x);
    case TINY_VIEW:
        return read_view(r, e, x);
    case TINY_POOL:
        return read_pool(r, e, x);
    case TINY_INPUT:
    case TINY_CONST:
    case TINY_MAP:
    case TINY_CAST:
    case TINY_COMPARE:
    case TINY_WHERE:
    case TINY_REDUCE:
        break;
    }
    return false;
}
