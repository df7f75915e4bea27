/* Lines of kernels whose operands are padded: the parts of a line that the borders of the padding
 * make, in each of which everything comes from an operand or nothing does. */
#include <string.h>

#include "loop/nest/map.h"

enum {
    MOST_CUTS = 8,
    SHORT = 128 /* lines for which masks take less time than more loops, where there are masks of
                   all elements */
};

/* Where guards begin or end to hold along the last axis, ascending. */
typedef struct cuts {
    const kernel *k;
    int64_t at[MOST_CUTS];
    uint32_t n;
    bool is_possible;
} cuts;

static void add_cut(cuts *c, int64_t at)
{
    uint32_t i = c->n;
    if (at <= 0 || at >= c->k->dims[c->k->rank - 1])
        return;
    while (i > 0 && c->at[i - 1] > at)
        i--;
    if (i > 0 && c->at[i - 1] == at)
        return;
    if (c->n == MOST_CUTS) {
        c->is_possible = false;
        return;
    }
    memmove(&c->at[i + 1], &c->at[i], (c->n - i) * sizeof *c->at);
    c->at[i] = at;
    c->n++;
}

static void look_at(void *user, const access_expr *expr, const emit_read *read)
{
    cuts *c = user;
    const uint32_t last = c->k->rank - 1;
    (void)expr;
    for (uint32_t i = 0; read && i < read->map->n_guards; i++) {
        const access_guard *g = &read->map->guards[i];
        const access_term *t = g->of->at;
        if (!(access_expr_axes(g->of) >> last & 1))
            continue;
        if (g->of->n != 1 || t->kind != ACCESS_AXIS || t->factor != 1 ||
            !emit_is_fixed_guard(c->k, g)) {
            c->is_possible = false;
            continue;
        }
        add_cut(c, g->low - g->of->constant);
        add_cut(c, g->high - g->of->constant);
    }
}

/* Each part may end with a vector of which some lanes do not exist. Where elements take longer than
 * masks, parts must have as many as a vector on average. */
static bool are_few(const emitter *e, const cuts *c)
{
    enum { CHEAP = 32 };
    const int64_t extent = c->k->dims[c->k->rank - 1], lanes = nest_lanes(e->f, c->k, extent);
    return nest_cost(e->f, c->k) <= CHEAP || lanes * (c->n + 1) <= extent;
}

/* False: the borders are not as simple, there are none, or they are too many. */
static bool find_cuts(emitter *e, const nest_options *o, cuts *c)
{
    const kernel *k = e->k;
    *c = (cuts){.k = k, .is_possible = !k->draws && !nest_is_dynamic(k, k->rank - 1)};
    if (o->on.level == LEVEL_AVX512 && k->dims[k->rank - 1] < SHORT)
        return false;
    for (uint32_t i = 0; i < k->n_out && c->is_possible; i++)
        if (!emit_visit_reads(e, k->out[i].value, k->out[i].from, look_at, c))
            return false;
    return c->is_possible && c->n > 0 && are_few(e, c);
}

/* The positions LOW .. HIGH of the last axis of K. */
static const kernel *part_of(const kernel *k, int64_t low, int64_t high, arena *memory)
{
    const uint32_t last = k->rank - 1;
    int64_t dims[TN_MAX_RANK], other[TN_MAX_RANK], constant[TN_MAX_RANK] = {0};
    int64_t(*by)[TN_MAX_RANK] = arena_calloc(memory, TN_MAX_RANK, sizeof *by);
    kernel *part = ARENA_NEW(memory, kernel);
    access_map map;
    if (!by || !part)
        return NULL;
    for (uint32_t i = 0; i <= last; i++) {
        dims[i] = i < last ? k->dims[i] : high - low;
        other[i] = i < last ? k->other[i] : high - low;
        by[i][i] = 1;
    }
    constant[last] = low;
    return access_of_steps(dims, k->rank, k->rank, constant, (const int64_t(*)[TN_MAX_RANK])by,
                           memory, &map) &&
                   nest_rebase(k, &map, other, 0, memory, part)
               ? part
               : NULL;
}

bool map_parts(emitter *e, const nest_options *o, const loop_value *buffers)
{
    const uint32_t last = e->k->rank - 1;
    cuts c;
    if (!find_cuts(e, o, &c))
        return false;
    for (uint32_t i = 0; i <= c.n; i++) {
        const int64_t low = i > 0 ? c.at[i - 1] : 0, high = i < c.n ? c.at[i] : e->k->dims[last];
        const kernel *part = part_of(e->k, low, high, e->memory);
        emitter own;
        if (!part || !emit_init(&own, e->b, e->f, part, e->memory)) {
            e->failed = true;
            break;
        }
        own.rank = part->rank;
        own.cached = e->cached;
        own.vector_axis = last;
        own.lanes = nest_lanes(e->f, part, high - low);
        own.is_checked = e->is_checked;
        own.moved = e->moved;
        own.moved_to = e->moved_to;
        memcpy(own.at, e->at, last * sizeof *own.at);
        map_line(&own, loop_i64(e->b, 0), loop_i64(e->b, high - low), buffers);
        e->failed = e->failed || own.failed;
    }
    return true;
}
