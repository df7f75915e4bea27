/* Movement as text. What has no uop of its own is a VIEW. */
#include <inttypes.h>

#include "dialect/tiny/writer.h"
#include "ops/index_map.h"

static void put_numbers(writer *w, const char *key, const int64_t *numbers, uint32_t n)
{
    text_printf(w->out, "\"%s\": [", key);
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            text_puts(w->out, ", ");
        text_i64(w->out, numbers[i]);
    }
    text_putc(w->out, ']');
}

static void begin(writer *w, const node *n, const char *uop)
{
    writer_open(w, w->ids[n->first_value], uop);
    writer_src(w, w->ids[n->in[0]]);
}

static void end(writer *w, const node *n)
{
    text_putc(w->out, '}');
    writer_close(w, n);
}

static void put_result(writer *w, const node *n)
{
    const type *t = value_type(w->f, n->first_value);
    writer_dims(w, "result_shape", t->dims, t->rank);
}

static void put_reshape(writer *w, const node *n)
{
    begin(w, n, "RESHAPE");
    put_result(w, n);
    end(w, n);
}

static void put_permute(writer *w, const node *n)
{
    uint32_t rank;
    const int64_t *perm = attr_ints(n->attrs, KEY_PERM, &rank);
    begin(w, n, "PERMUTE");
    put_numbers(w, "perm", perm, rank);
    end(w, n);
}

static void put_flip(writer *w, const node *n)
{
    uint32_t n_axes;
    const int64_t *given = attr_ints(n->attrs, KEY_AXES, &n_axes);
    axis_list axes;
    int64_t numbers[TN_MAX_RANK];
    (void)resolve_axes(given, n_axes, value_type(w->f, n->first_value)->rank, &axes);
    for (uint32_t i = 0; i < axes.n; i++)
        numbers[i] = axes.at[i];
    begin(w, n, "FLIP");
    put_numbers(w, "axes", numbers, axes.n);
    end(w, n);
}

static void put_pad(writer *w, const node *n)
{
    const type *t = value_type(w->f, n->in[0]);
    uint32_t rank;
    const int64_t *low = attr_ints(n->attrs, KEY_LOW, &rank);
    const int64_t *high = attr_ints(n->attrs, KEY_HIGH, &rank);
    scalar s;
    begin(w, n, "PAD");
    text_puts(w->out, "\"pad\": [");
    for (uint32_t i = 0; i < rank; i++) {
        text_puts(w->out, i ? ", [" : "[");
        size_print(w->out, &w->m->types, low[i]);
        text_puts(w->out, ", ");
        size_print(w->out, &w->m->types, high[i]);
        text_putc(w->out, ']');
    }
    text_puts(w->out, "], \"value\": ");
    (void)scalar_cast(*attr_find(n->attrs, KEY_PAD_VALUE)->v.scalar, t->dtype, &s);
    writer_scalar(w, s, t->dtype, false);
    end(w, n);
}

static void put_shrink(writer *w, const node *n, const dim *lo, const dim *hi, const dim *step,
                       uint32_t rank)
{
    begin(w, n, "SHRINK");
    writer_dims(w, "lo", lo, rank);
    text_puts(w->out, ", ");
    writer_dims(w, "hi", hi, rank);
    text_puts(w->out, ", ");
    writer_dims(w, "step", step, rank);
    end(w, n);
}

/* ---- views ---- */

static void begin_view(writer *w, const node *n)
{
    const type *t = value_type(w->f, n->first_value);
    begin(w, n, "VIEW");
    put_result(w, n);
    text_puts(w->out, ", \"index_map\": {\"out\": [");
    for (uint32_t i = 0; i < t->rank; i++)
        text_printf(w->out, "%s\"i%" PRIu32 "\"", i ? ", " : "", i);
    text_puts(w->out, "], \"in\": [");
}

static void end_view(writer *w, const node *n)
{
    text_puts(w->out, "]}");
    end(w, n);
}

/* A view that is a SHRINK between sizes. */
static void put_cut(writer *w, const node *n)
{
    uint32_t rank;
    const int64_t *lo = attr_ints(n->attrs, KEY_CUT_FROM, &rank);
    const int64_t *hi = attr_ints(n->attrs, KEY_CUT_TO, &rank);
    const int64_t *step = attr_ints(n->attrs, KEY_CUT_STEP, &rank);
    put_shrink(w, n, lo, hi, step, rank);
}

static void put_view(writer *w, const node *n)
{
    const char *at = attr_string(n->attrs, KEY_INDEX_MAP);
    if (attr_find(n->attrs, KEY_CUT_FROM)) {
        put_cut(w, n);
        return;
    }
    begin_view(w, n);
    for (bool first = true; *at; first = false) {
        const size_t length = strcspn(at, ";");
        if (!first)
            text_puts(w->out, ", ");
        text_json_string(w->out, at, length);
        at += length + (at[length] == ';');
    }
    end_view(w, n);
}

/* `factor*axis`, without a factor of 1. */
static void put_product(writer *w, dim factor, uint32_t of)
{
    const bool symbolic = dim_is_expr(&w->m->types, factor);
    if (symbolic)
        text_putc(w->out, '(');
    if (factor != 1)
        size_print_bare(w->out, &w->m->types, factor);
    text_puts(w->out, symbolic ? ")*" : factor != 1 ? "*" : "");
    text_printf(w->out, "i%" PRIu32, of);
}

/* Can a map name the sizes of LIST? */
static bool has_names(const writer *w, const int64_t *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (index_axis_like(&w->m->types, list[i]))
            return false;
    return true;
}

static void put_pool(writer *w, const node *n)
{
    const type *t = value_type(w->f, n->in[0]);
    uint32_t k;
    const int64_t *window = attr_ints(n->attrs, KEY_WINDOW, &k);
    const int64_t *strides = attr_ints(n->attrs, KEY_STRIDES, &k);
    const int64_t *dilation = attr_ints(n->attrs, KEY_DILATION, &k);
    if (!w->views || !has_names(w, strides, k) || !has_names(w, dilation, k)) {
        begin(w, n, "POOL");
        writer_dims(w, "kernel", window, k);
        text_puts(w->out, ", ");
        writer_dims(w, "stride", strides, k);
        text_puts(w->out, ", ");
        writer_dims(w, "dilation", dilation, k);
        end(w, n);
        return;
    }
    begin_view(w, n);
    for (uint32_t i = 0; i < t->rank; i++) {
        const uint32_t lead = t->rank - k;
        text_puts(w->out, i ? ", \"" : "\"");
        put_product(w, i < lead ? 1 : strides[i - lead], i);
        if (i >= lead) {
            text_puts(w->out, " + ");
            put_product(w, dilation[i - lead], i + k);
        }
        text_putc(w->out, '"');
    }
    end_view(w, n);
}

static void put_slice(writer *w, const node *n)
{
    const type *t = value_type(w->f, n->in[0]);
    slice_range ranges[TN_MAX_RANK];
    shape s;
    dim lo[TN_MAX_RANK], hi[TN_MAX_RANK], step[TN_MAX_RANK];
    bool backward = false;
    (void)resolve_slices(n->attrs, t->dims, t->rank, ranges, &s);
    for (uint32_t i = 0; i < t->rank; i++) {
        const slice_range *r = &ranges[i];
        lo[i] = r->start;
        step[i] = r->step;
        hi[i] = r->count < 0    ? t->dims[i]
                : r->count == 0 ? r->start
                                : r->start + (r->count - 1) * r->step + 1;
        if (r->count >= 0 && r->count <= 1)
            step[i] = 1; /* and no bound can be exceeded */
        backward = backward || step[i] < 0;
    }
    if (!backward) {
        put_shrink(w, n, lo, hi, step, t->rank);
        return;
    }
    begin_view(w, n);
    for (uint32_t i = 0; i < t->rank; i++) {
        text_puts(w->out, i ? ", \"" : "\"");
        if (lo[i])
            text_printf(w->out, "%" PRId64 " %c ", lo[i], step[i] < 0 ? '-' : '+');
        put_product(w, step[i] < 0 && lo[i] ? -step[i] : step[i], i);
        text_putc(w->out, '"');
    }
    end_view(w, n);
}

static void put_expand(writer *w, const node *n)
{
    const type *t = value_type(w->f, n->in[0]), *to = value_type(w->f, n->first_value);
    uint32_t map[TN_MAX_RANK] = {0};
    bool ascends = true;
    shape s;
    (void)resolve_broadcast(n->attrs, t, &s, map);
    for (uint32_t i = 1; i < t->rank; i++)
        ascends = ascends && map[i] > map[i - 1];
    if (ascends) {
        begin(w, n, "EXPAND");
        put_result(w, n);
        text_puts(w->out, ", \"broadcast_dimensions\": [");
        for (uint32_t i = 0; i < t->rank; i++)
            text_printf(w->out, "%s%" PRIu32, i ? ", " : "", map[i]);
        text_putc(w->out, ']');
        end(w, n);
        return;
    }
    begin_view(w, n);
    for (uint32_t i = 0; i < t->rank; i++) {
        text_puts(w->out, i ? ", \"" : "\"");
        if (t->dims[i] == 1 && to->dims[map[i]] != 1)
            text_putc(w->out, '0');
        else
            text_printf(w->out, "i%" PRIu32, map[i]);
        text_putc(w->out, '"');
    }
    end_view(w, n);
}

static void put_tile(writer *w, const node *n)
{
    const type *t = value_type(w->f, n->in[0]);
    begin_view(w, n);
    for (uint32_t i = 0; i < t->rank; i++) {
        text_printf(w->out, "%s\"i%" PRIu32 "%%(", i ? ", " : "", i);
        size_print_bare(w->out, &w->m->types, t->dims[i] == 0 ? 1 : t->dims[i]);
        text_puts(w->out, ")\"");
    }
    end_view(w, n);
}

void write_movement(writer *w, const node *n)
{
    switch ((int)n->op) {
    case OP_RESHAPE:
    case OP_EXPAND_DIMS:
    case OP_SQUEEZE:
        put_reshape(w, n);
        break;
    case OP_TRANSPOSE:
        put_permute(w, n);
        break;
    case OP_BROADCAST:
        put_expand(w, n);
        break;
    case OP_PAD:
        put_pad(w, n);
        break;
    case OP_SLICE:
        put_slice(w, n);
        break;
    case OP_REVERSE:
        put_flip(w, n);
        break;
    case OP_VIEW:
        put_view(w, n);
        break;
    case OP_POOL:
        put_pool(w, n);
        break;
    case OP_TILE:
        put_tile(w, n);
        break;
    default: /* tiny_expressible has no others */
        break;
    }
}
