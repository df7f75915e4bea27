/* Trees of index maps and elementwise kernels, evaluated in pieces. */
#include "eval/kernels/stream.h"

#include <string.h>

#include "eval/kernels/kernels.h"
#include "eval/parts/fill.h"
#include "eval/parts/view.h"
#include "index/border.h"
#include "ops/node_facts.h"

enum {
    MOST_COST = 64, /* nodes of one tree, which also bounds its depth */
    MOST_USES = 4,  /* a value is computed again for each */
    SMALL = 1 << 20 /* bytes that may as well be held */
};
static const uint64_t large = (uint64_t)1
                              << 40; /* bytes that nobody waits for: refused when held */

struct stream {
    char *buffer;
    size_t size; /* of an element */
    /* Elements that are there: a view, or positions that are computed one by one. */
    bool is_view, is_gather;
    view v;
    const char *data;
    const access_expr *offset;
    uint32_t rank;
    int64_t dims[TN_MAX_RANK];
    border *border; /* padding among them; NULL: none */
    /* Elements that a kernel makes. */
    flat_kernel kernel;
    stream *in[FLAT_OPERANDS];
};

static bool is_elementwise(const function *f, const node *n)
{
    const op_info *op = &op_table[n->op];
    return (op->traits & T_ELEMENTWISE) && n->op != OP_STOP_GRADIENT /* a copy: no flat kernel */ &&
           n->n_in <= FLAT_OPERANDS && !node_may_fail(f, n);
}

static bool is_movement(const node *n)
{
    uint32_t rank = 0;
    const int64_t *interior = n->op == OP_PAD ? attr_ints(n->attrs, KEY_INTERIOR, &rank) : NULL;
    for (uint32_t i = 0; i < rank; i++)
        if (interior[i] != 0)
            return false;
    return access_is_movement(n);
}

static bool is_reduction(const node *n)
{
    return (op_table[n->op].traits & T_REDUCES) && n->op != OP_ARG_MAX;
}

/* ---- making ---- */

static stream *new_stream(const stream_values *values, tn_dtype d, const access_map *map,
                          arena *memory)
{
    stream *s = ARENA_NEW(memory, stream);
    if (!s)
        return NULL;
    s->size = dtype_bytes(d);
    s->buffer = arena_alloc_aligned(memory, FLAT_CHUNK * s->size, 64);
    if (map->n_guards && !(s->border = border_of(values->f, map, d, memory)))
        return NULL;
    return s->buffer ? s : NULL;
}

static stream *stream_of_data(const stream_values *values, const type *t, const void *data,
                              const access_map *map, arena *memory)
{
    int64_t constant, strides[TN_MAX_RANK];
    stream *s = new_stream(values, t->dtype, map, memory);
    const access_expr *offset =
        access_offset(map, (access_extents){t->rank, t->dims, t->dims}, memory);
    if (!s || !offset)
        return NULL;
    s->is_view = access_strides(offset, map->rank, &constant, strides);
    s->is_gather = !s->is_view;
    s->data = data;
    s->offset = offset;
    s->rank = map->rank;
    memcpy(s->dims, map->dims, map->rank * sizeof *s->dims);
    if (s->is_view) /* with padding, position 0 may lie outside; as an address it is not used then
                     */
        view_init(&s->v, (const char *)((uintptr_t)data + (uintptr_t)(constant * (int64_t)s->size)),
                  s->size, map->dims, strides, map->rank);
    return s;
}

static stream *stream_of_kernel(const stream_values *values, const node *n, const access_map *map,
                                arena *memory)
{
    const type *out = value_type(values->f, n->first_value), *types[FLAT_OPERANDS];
    stream *s = new_stream(values, out->dtype, map, memory);
    access_map *broadcast = ARENA_NEW(memory, access_map), *both = ARENA_NEW(memory, access_map);
    if (!s || !broadcast || !both)
        return NULL;
    for (uint32_t k = 0; k < n->n_in; k++) {
        types[k] = value_type(values->f, n->in[k]);
        if (!access_of_broadcast(types[k], out->dims, out->rank, memory, broadcast) ||
            !access_compose(map, broadcast, memory, both) ||
            !(s->in[k] = stream_of(values, n->in[k], both, memory)))
            return NULL;
    }
    return flat_kernel_init(&s->kernel, (op_id)n->op, n->attrs, types, n->n_in, out->dtype, memory)
               ? s
               : NULL;
}

stream *stream_of_node(const stream_values *values, value_id v, const access_map *map,
                       arena *memory)
{
    const function *f = values->f;
    const node *n = node_of(f, v);
    if (is_elementwise(f, n))
        return stream_of_kernel(values, n, map, memory);
    access_map *own = ARENA_NEW(memory, access_map), *both = ARENA_NEW(memory, access_map);
    if (!is_movement(n) || !own || !both || !access_of_node(f, n, memory, own) ||
        !access_compose(map, own, memory, both))
        return NULL;
    return stream_of(values, n->in[0], both, memory);
}

/* Recursion ends at values that are held, after at most MOST_COST nodes. */
stream *stream_of(const stream_values *values, value_id v, const access_map *map, arena *memory)
{
    const void *data = values->data(values->user, v);
    return data ? stream_of_data(values, value_type(values->f, v), data, map, memory)
                : stream_of_node(values, v, map, memory);
}

/* ---- reading ---- */

static void gather(const stream *s, int64_t start, size_t n, char *to)
{
    int64_t at[TN_MAX_RANK];
    for (uint32_t k = s->rank; k-- > 0;) {
        at[k] = start % s->dims[k];
        start /= s->dims[k];
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(to + i * s->size, s->data + access_value(s->offset, at) * (int64_t)s->size, s->size);
        for (uint32_t k = s->rank; k-- > 0;) {
            if (++at[k] < s->dims[k])
                break;
            at[k] = 0;
        }
    }
}

/* Elements that are there, none of them padding. */
static void read_data(const stream *s, int64_t start, size_t n, char *to)
{
    if (s->is_view)
        view_read(&s->v, start, n, to);
    else
        gather(s, start, n, to);
}

/* Padding over what a kernel made, or between the elements that are there. */
static void read_bordered(stream *s, int64_t start, size_t n)
{
    const bool has_data = s->is_view || s->is_gather;
    border_seek(s->border, start);
    for (size_t done = 0; done < n;) {
        const void *fill;
        const size_t run = border_next(s->border, n - done, &fill);
        char *to = s->buffer + done * s->size;
        if (fill)
            fill_elements(to, fill, s->size, run);
        else if (has_data)
            read_data(s, start + (int64_t)done, run, to);
        done += run;
    }
}

const void *stream_read(stream *s, int64_t start, size_t n)
{
    const bool has_data = s->is_view || s->is_gather;
    if (s->is_view && !s->border && view_is_dense(&s->v))
        return s->v.data + start * (int64_t)s->size;
    if (!has_data) {
        const void *in[FLAT_OPERANDS] = {NULL};
        for (uint32_t k = 0; k < s->kernel.n_in; k++)
            in[k] = stream_read(s->in[k], start, n);
        (void)flat_kernel_run(&s->kernel, in, s->buffer, n); /* none that can fail is a stream */
    }
    if (s->border)
        read_bordered(s, start, n);
    else if (has_data)
        read_data(s, start, n, s->buffer);
    return s->buffer;
}

/* ---- deciding ---- */

typedef struct plan {
    uint64_t *held; /* by value: bytes that must be held to compute it, at most UINT64_MAX */
    uint32_t *cost; /* by value: nodes of its tree */
    bool *fixed;    /* by value: something must have it in memory */
} plan;

static uint64_t add_up(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

static void fix_values(const function *f, const bool *needed, plan *p)
{
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        if (!needed[i] || is_elementwise(f, n) || is_movement(n) || is_reduction(n))
            continue;
        for (uint32_t k = 0; k < n->n_in; k++)
            p->fixed[n->in[k]] = true;
    }
}

bool stream_plan(const function *f, const value_id *held, uint32_t n_held, const bool *needed,
                 const uint32_t *uses, bool *lazy, arena *memory)
{
    plan p = {.held = ARENA_ARRAY(memory, uint64_t, f->values.n),
              .cost = ARENA_ARRAY(memory, uint32_t, f->values.n),
              .fixed = ARENA_ARRAY(memory, bool, f->values.n)};
    if (!p.held || !p.cost || !p.fixed)
        return false;
    for (uint32_t i = 0; i < n_held; i++)
        p.fixed[held[i]] = true;
    fix_values(f, needed, &p);
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *n = &f->nodes.at[i];
        uint64_t sources = 0;
        uint32_t cost = 1;
        for (uint32_t k = 0; k < n->n_in; k++) {
            sources = add_up(sources, p.held[n->in[k]]);
            cost += lazy[n->in[k]] ? p.cost[n->in[k]] : 0;
        }
        for (uint32_t r = 0; r < n->n_results; r++) {
            const value_id v = n->first_value + r;
            const type *t = value_type(f, v);
            size_t bytes;
            const bool known = type_bytes(t, &bytes);
            p.held[v] = known ? bytes : UINT64_MAX;
            /* Every read must look for padding, so not holding a padded value must save enough
             * memory. */
            const uint64_t least = n->op == OP_PAD ? add_up(sources, sources) : sources;
            lazy[v] = needed[i] && (is_elementwise(f, n) || is_movement(n)) && t->count > 0 &&
                      p.held[v] > SMALL && p.held[v] <= large && p.held[v] > least &&
                      uses[v] <= MOST_USES && cost <= MOST_COST && !p.fixed[v];
            if (!lazy[v])
                continue;
            p.held[v] = sources;
            p.cost[v] = cost;
        }
    }
    return true;
}
