/* Kernels whose results are reshaped: where an operand is read at quotients and remainders of an
 * axis, the axis becomes two, until every operand is read along plain strides. */
#include "loop/nest/map.h"

typedef struct splits {
    const kernel *k;
    uint32_t lanes; /* of its vectors, if it stays as it is */
    uint32_t axis;  /* to be split, rank when there is none, ... */
    int64_t by; /* ... so that the inner one has so many positions, the fewest that are asked for */
    bool is_possible, has_quotients;
    bool is_worthwhile; /* something is more than a few elements, each several times, or the same
                           few over and over, which are loaded once and spread (emit_memory.c) */
} splits;

/* Does E go along the last axis over few elements, as many of which make a vector? */
static bool is_spread(const splits *s, const access_expr *e)
{
    const uint32_t last = s->k->rank - 1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        const access_term *t = &e->at[i];
        if (t->kind == ACCESS_AXIS && t->axis == last)
            return false;
        if (t->kind == ACCESS_AXIS || !(access_expr_axes(t->of) >> last & 1))
            continue;
        if (n++ > 0 || t->factor != 1 || t->by >= s->lanes || s->lanes % t->by != 0)
            return false;
    }
    return n > 0;
}

/* Where E divides an axis alone, which has whole parts of that length. */
static void find_axis(splits *s, const access_expr *e)
{
    for (uint32_t i = 0; i < e->n; i++) {
        const access_term *t = &e->at[i], *inner = t->kind == ACCESS_AXIS ? NULL : t->of->at;
        if (!inner)
            continue;
        s->has_quotients = true;
        find_axis(s, t->of);
        if (t->of->n != 1 || t->of->constant != 0 || inner->kind != ACCESS_AXIS ||
            inner->factor != 1 || t->by != t->by_other || !access_is_fixed(t->of) ||
            nest_is_dynamic(s->k, inner->axis) || s->k->dims[inner->axis] % t->by != 0)
            continue;
        if (s->axis == s->k->rank || t->by < s->by) {
            s->axis = inner->axis;
            s->by = t->by;
        }
    }
}

static void look_at(void *user, const access_expr *expr, const emit_read *read)
{
    splits *s = user;
    const bool had = s->has_quotients;
    s->is_possible = s->is_possible && !(read && read->is_by_data);
    s->has_quotients = false;
    find_axis(s, expr);
    s->is_worthwhile = s->is_worthwhile || (s->has_quotients && !is_spread(s, expr));
    s->has_quotients = s->has_quotients || had;
}

static bool look(const function *f, const kernel *k, arena *memory, splits *s)
{
    loop_builder b;
    emitter e;
    *s = (splits){.k = k,
                  .lanes = nest_lanes(f, k, k->dims[k->rank - 1]),
                  .axis = k->rank,
                  .is_possible = true};
    loop_init(&b, memory);
    if (!emit_init(&e, &b, f, k, memory))
        return false;
    e.rank = k->rank;
    for (uint32_t i = 0; i < k->n_out; i++)
        if (!emit_visit_reads(&e, k->out[i].value, k->out[i].from, look_at, s))
            return false;
    return true;
}

/* Axis s->axis of K as two. */
static bool split_axis(const kernel *k, const splits *s, arena *memory, kernel *out)
{
    int64_t dims[TN_MAX_RANK], other[TN_MAX_RANK];
    access_map map;
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->rank; i++) {
        const int64_t by = i == s->axis ? s->by : 1;
        dims[n] = k->dims[i] / by;
        other[n++] = k->other[i] / by;
        if (i == s->axis)
            dims[n] = other[n] = by;
        n += i == s->axis;
    }
    const access_extents own = {k->rank, k->dims, k->other};
    return access_of_reshape((access_extents){n, dims, other}, own, memory, &map) &&
           nest_rebase(k, &map, other, 0, memory, out);
}

bool nest_split(const function *f, const kernel *k, arena *memory, kernel *out, bool *applies)
{
    splits s;
    kernel now = *k;
    *applies = false;
    if (k->kind != KERNEL_MAP)
        return true;
    for (;;) {
        kernel next;
        if (!look(f, &now, memory, &s))
            return false;
        if (!s.is_possible || s.axis == now.rank || now.rank == TN_MAX_RANK ||
            (now.rank == k->rank && !s.is_worthwhile))
            break;
        if (!split_axis(&now, &s, memory, &next))
            return true; /* the maps grow too large */
        now = next;
    }
    *applies = s.is_possible && !s.has_quotients && now.rank > k->rank;
    return !*applies || nest_simplify(f, &now, memory, out);
}
