/* How the operands of a contraction are read: directly, or through the movement that made them. */
#include "plan/contraction_parts.h"

#include <string.h>

#include "base/memory/checked.h"
#include "eval/parts/fold.h"
#include "index/access.h"
#include "plan/group.h"

enum {
    MOST_MOVES = 64, /* that are looked through */
    MOST_CUTS = 8,   /* of a loop */
    MOST_VISITS = 4096
};

/* ---- from loops to memory ---- */

static uint32_t extents(const contraction *p, int64_t *dims)
{
    for (uint32_t i = 0; i < p->n_loops; i++)
        dims[i] = p->loops[i].extent;
    return p->n_loops;
}

/* The operand as the op names it, with a border where it is read beyond its ends. */
static bool first_map(form *s, uint32_t o, const reading *r)
{
    const type *t = value_type(s->f, s->n->in[o]);
    access_map *map = &s->map[o];
    int64_t dims[TN_MAX_RANK];
    const uint32_t n = extents(&s->p, dims);
    if (!access_of_steps(dims, n, t->rank, r->constant, r->by, s->memory, map))
        return false;
    for (uint32_t i = 0; i < t->rank; i++)
        if (map->at[i]->low < 0 || map->at[i]->high >= t->dims[i])
            map->guards[map->n_guards++] =
                access_guard_of(map->at[i], sized_of(0), sized_of(t->dims[i]), NO_VALUE);
    return true;
}

/* What FILL has beyond the ends of its operand: zero, or any integer. False: something else. */
static bool find_fill(const form *s, uint32_t fill, int64_t *border)
{
    static const char zeros[16];
    _Alignas(16) char value[16] = {0};
    *border = 0;
    if (fill == NO_VALUE) /* a border that no node made */
        return true;
    const tn_dtype d = value_type(s->f, fill)->dtype;
    const scalar *given = attr_find(node_of(s->f, fill)->attrs, KEY_PAD_VALUE)->v.scalar;
    (void)scalar_store(*given, d, value);
    if (memcmp(value, zeros, sizeof value) == 0)
        return true;
    const scalar x = scalar_load(d, value);
    *border = x.kind == DTYPE_SIGNED ? x.i : (int64_t)x.u;
    return dtype_is_int(d) && dtype_table[d].bits <= 32;
}

/* All guards of MAP have the border *BORDER. */
static bool find_border(const form *s, const access_map *map, int64_t *border)
{
    int64_t x;
    *border = 0;
    for (uint32_t g = 0; g < map->n_guards; g++) {
        if (!find_fill(s, map->guards[g].fill, &x) || (g > 0 && x != *border))
            return false;
        *border = x;
    }
    return true;
}

/* Is X = Y + *APART? Of numbers only equal ones are taken so: they may belong to different axes. */
static bool is_shifted(const access_expr *x, const access_expr *y, int64_t *apart)
{
    bool same = x->n == y->n && sub_i64(x->constant, y->constant, apart);
    same = same && (x->n > 0 || *apart == 0);
    for (uint32_t i = 0; same && i < x->n; i++)
        same = x->at[i].kind == ACCESS_AXIS && y->at[i].kind == ACCESS_AXIS &&
               x->at[i].axis == y->at[i].axis && x->at[i].factor == y->at[i].factor;
    return same;
}

/* The part LOW .. HIGH - 1 of axis AXIS of MAP's target in which no guard on the axis fails; these
 * guards are marked in MET. */
static bool guarded_part(const access_map *map, uint32_t axis, int64_t *low, int64_t *high,
                         uint32_t *met)
{
    for (uint32_t g = 0; g < map->n_guards; g++) {
        const access_guard *x = &map->guards[g];
        int64_t apart;
        if (!is_shifted(x->of, map->at[axis], &apart))
            continue;
        *low = x->low - apart > *low ? x->low - apart : *low;
        *high = x->high - apart < *high ? x->high - apart : *high;
        *met |= UINT32_C(1) << g;
    }
    return *low < *high;
}

/* Do loops of several parts walk this axis? */
static bool is_mixed(const contraction *p, const access_expr *e)
{
    for (uint32_t i = 1; i < e->n; i++)
        if (p->loops[e->at[i].axis].part != p->loops[e->at[0].axis].part)
            return true;
    return false;
}

/* Steps and windows of operand O of P in the memory of V, to which MAP leads. False when they do
 * not have this form. */
static bool find_steps(const form *s, contraction *p, uint32_t o, value_id v, const access_map *map)
{
    const type *t = value_type(s->f, v);
    contraction_operand *x = &p->operand[o];
    int64_t strides[TN_MAX_RANK];
    uint32_t met = 0;
    type_strides(t, strides);
    *x = (contraction_operand){.base = v, .is_guarded = map->n_guards > 0};
    if (!find_border(s, map, &x->border))
        return false;
    for (uint32_t i = 0; i < p->n_loops; i++)
        p->loops[i].step[o] = 0;
    for (uint32_t i = 0; i < map->n_source; i++) {
        const access_expr *e = map->at[i];
        int64_t low = 0, high = t->dims[i];
        uint32_t own = 0;
        for (uint32_t k = 0; k < e->n; k++)
            if (e->at[k].kind != ACCESS_AXIS || e->at[k].factor <= 0)
                return false;
        if (!guarded_part(map, i, &low, &high, &own))
            return false;
        met |= own;
        const bool is_guarded = own != 0;
        if (is_guarded && (x->n_windows == CONTRACTION_WINDOWS || e->n > CONTRACTION_WALKERS))
            return false;
        if (!is_guarded && (!is_mixed(p, e) || x->n_windows == CONTRACTION_WINDOWS ||
                            e->n > CONTRACTION_WALKERS)) {
            x->first += e->constant * strides[i];
            for (uint32_t k = 0; k < e->n; k++)
                p->loops[e->at[k].axis].step[o] += e->at[k].factor * strides[i];
            continue;
        }
        contraction_window *w = &x->windows[x->n_windows++];
        *w = (contraction_window){
            .n = e->n, .low = low - e->constant, .extent = high - low, .step = strides[i]};
        for (uint32_t k = 0; k < e->n; k++) {
            w->walkers[k].loop = e->at[k].axis;
            w->walkers[k].by = e->at[k].factor;
        }
        x->first += low * strides[i];
    }
    return met == (map->n_guards ? UINT32_MAX >> (32 - map->n_guards) : 0);
}

/* ---- cutting loops ---- */

/* Where loops must be split so that their quotients and remainders are loops of their own. */
typedef struct cuts {
    uint32_t n[TN_MAX_RANK];
    int64_t at[TN_MAX_RANK][MOST_CUTS]; /* ascending; each divides the next one and the extent */
    uint32_t visits;                    /* of terms: bounds the work for complicated maps */
} cuts;

static void add_cut(cuts *c, uint32_t loop, int64_t extent, int64_t at)
{
    int64_t *list = c->at[loop];
    uint32_t i = 0;
    if (at <= 1 || at >= extent || extent % at != 0 || c->n[loop] == MOST_CUTS)
        return;
    while (i < c->n[loop] && list[i] < at)
        i++;
    if ((i < c->n[loop] && list[i] % at != 0) || (i > 0 && at % list[i - 1] != 0) ||
        (i < c->n[loop] && list[i] == at))
        return;
    memmove(&list[i + 1], &list[i], (c->n[loop]++ - i) * sizeof *list);
    list[i] = at;
}

/* Note the splits that E needs, which is divided by BY (0: it is not). */
static void find_cuts(const contraction *p, const access_expr *e, int64_t by, cuts *c)
{
    for (uint32_t i = 0; i < e->n && c->visits++ < MOST_VISITS; i++) {
        const access_term *t = &e->at[i];
        const int64_t own = by % t->factor == 0 ? by / t->factor : 0;
        int64_t more;
        if (t->kind == ACCESS_AXIS) {
            add_cut(c, t->axis, p->loops[t->axis].extent, own < 0 ? -own : own);
            continue;
        }
        find_cuts(p, t->of, t->by, c);
        if (t->kind == ACCESS_REMAINDER)
            find_cuts(p, t->of, own, c);
        else if (mul_i64(own, t->by, &more))
            find_cuts(p, t->of, more, c);
    }
}

/* P with its loops split, and the map from the new loops to the old ones. */
static bool cut_loops(const contraction *p, const cuts *c, arena *memory, contraction *out,
                      access_map *map)
{
    reading r = {{0}, {{0}}};
    int64_t dims[TN_MAX_RANK];
    *out = *p;
    out->n_loops = 0;
    for (uint32_t i = 0; i < p->n_loops; i++) {
        int64_t size = p->loops[i].extent;
        for (uint32_t k = c->n[i] + 1; k-- > 0;) {
            const int64_t unit = k > 0 ? c->at[i][k - 1] : 1;
            if (out->n_loops == TN_MAX_RANK)
                return false;
            r.by[i][contraction_add_loop(out, p->loops[i].part, size / unit,
                                         p->loops[i].c * unit)] = unit;
            size = unit;
        }
    }
    const uint32_t n = extents(out, dims);
    return access_of_steps(dims, n, p->n_loops, r.constant, (const int64_t(*)[TN_MAX_RANK])r.by,
                           memory, map);
}

/* Read operand O in V, to which AT leads from the loops, if that is possible. */
static bool read_in(form *s, uint32_t o, value_id v, const access_map *at)
{
    cuts c = {.n = {0}};
    contraction p;
    access_map cut, map[2];
    uint32_t any = 0;
    for (uint32_t i = 0; i < at->n_source; i++)
        find_cuts(&s->p, at->at[i], 0, &c);
    for (uint32_t i = 0; i < at->n_guards; i++)
        find_cuts(&s->p, at->guards[i].of, 0, &c);
    for (uint32_t i = 0; i < s->p.n_loops; i++)
        any += c.n[i];
    access_assign(&map[o], at);
    access_assign(&map[1 - o], &s->map[1 - o]);
    p = s->p;
    if (any > 0 && (!cut_loops(&s->p, &c, s->memory, &p, &cut) ||
                    !access_compose(&cut, &map[0], s->memory, &map[0]) ||
                    !access_compose(&cut, &map[1], s->memory, &map[1])))
        return false;
    if (map[0].n_guards > 0 && map[1].n_guards > 0)
        return false;
    if (!find_steps(s, &p, o, v, &map[o]) ||
        !find_steps(s, &p, 1 - o, s->p.operand[1 - o].base, &map[1 - o]))
        return false;
    s->p = p;
    access_assign(&s->map[0], &map[0]);
    access_assign(&s->map[1], &map[1]);
    return true;
}

/* The step of operand O along the innermost sum of S, if that is short. */
static int64_t short_step(const form *s, uint32_t o)
{
    enum { SHORT = 8 };
    for (uint32_t i = s->p.n_loops; i-- > 0;)
        if (s->p.loops[i].part == CONTRACTION_SUM && s->p.loops[i].extent > 1)
            return s->p.loops[i].extent < SHORT ? s->p.loops[i].step[o] : 0;
    return 0;
}

/* Do windows read few channels next to each other in operand O of S, and far apart in that of
 * AFTER? Then the image is better transposed once than read so. */
static bool scatters_channels(const form *s, const form *after, uint32_t o)
{
    return s->n->op == OP_CONVOLUTION && o == 0 && short_step(s, o) == 1 &&
           short_step(after, o) != 1;
}

/* Are elements of N bytes that were widened to 16 bits? Products read them as they are stored. */
static bool is_widened(const form *s, const node *n)
{
    const tn_dtype from = n->n_in == 1 ? value_type(s->f, n->in[0])->dtype : TN_F32;
    return n->op == OP_CAST && (from == TN_UI8 || from == TN_SI8) &&
           value_type(s->f, n->first_value)->dtype == TN_SI16;
}

/* Operand O, to which AT leads from the loops, in the bytes that its elements V are cast from. */
static bool read_bytes(form *s, uint32_t o, value_id v, const access_map *at)
{
    const tn_dtype d = value_type(s->f, v)->dtype;
    int64_t border;
    return find_border(s, at, &border) && border >= dtype_int_min(d) &&
           border <= (int64_t)dtype_int_max(d) && read_in(s, o, v, at);
}

/* As far through movement as that goes. */
static void look_through(form *s, uint32_t o)
{
    access_map at, own;
    value_id v = s->n->in[o];
    access_assign(&at, &s->map[o]);
    for (uint32_t moves = 0; moves < MOST_MOVES; moves++) {
        const node *n = node_of(s->f, v);
        if (is_widened(s, n)) {
            v = n->in[0];
            if (s->p.operand[o].base != n->first_value || !read_bytes(s, o, v, &at))
                return;
            access_assign(&at, &s->map[o]);
            continue;
        }
        if (!access_is_movement(n))
            return;
        const value_id in = n->in[0];
        if (!access_of_node(s->f, n, s->memory, &own) || !access_compose(&at, &own, s->memory, &at))
            return;
        v = in;
        form next = *s;
        if (!read_in(&next, o, v, &at))
            continue;
        if (scatters_channels(s, &next, o))
            return;
        *s = next;
        access_assign(&at, &s->map[o]);
    }
}

static bool find(const function *f, const node *n, arena *memory, contraction *out)
{
    reading r[2] = {{{0}, {{0}}}};
    form s = {.f = f, .n = n, .memory = memory};
    if (!contraction_find_loops(&s, r) || !first_map(&s, 0, &r[0]) || !first_map(&s, 1, &r[1]))
        return false;
    for (uint32_t o = 0; o < 2; o++)
        if (!find_steps(&s, &s.p, o, n->in[o], &s.map[o]))
            return false;
    if (!s.p.is_direct) { /* such read one axis of columns */
        look_through(&s, 0);
        look_through(&s, 1);
    }
    *out = s.p;
    return true;
}

/* Have both one form, in which only numbers may differ? */
static bool is_like(const contraction *p, const contraction *q)
{
    bool same = p->n_loops == q->n_loops && p->is_exchanged == q->is_exchanged &&
                p->is_direct == q->is_direct;
    for (uint32_t i = 0; same && i < p->n_loops; i++)
        same = p->loops[i].part == q->loops[i].part;
    for (uint32_t o = 0; same && o < 2; o++) {
        const contraction_operand *x = &p->operand[o], *y = &q->operand[o];
        same = x->base == y->base && x->n_windows == y->n_windows && x->border == y->border;
        for (uint32_t i = 0; same && i < x->n_windows; i++) {
            same = x->windows[i].n == y->windows[i].n;
            for (uint32_t k = 0; same && k < x->windows[i].n; k++)
                same = x->windows[i].walkers[k].loop == y->windows[i].walkers[k].loop;
        }
    }
    return same;
}

/* The numbers of LIKE become those that P has with other sizes. */
static void put_beside(contraction *p, const contraction *like)
{
    for (uint32_t i = 0; i < p->n_loops; i++) {
        contraction_loop *x = &p->loops[i];
        const contraction_loop *other = &like->loops[i];
        x->extent_other = other->extent;
        memcpy(x->step_other, other->step, sizeof x->step_other);
        x->c_other = other->c;
    }
    for (uint32_t o = 0; o < 2; o++) {
        contraction_operand *x = &p->operand[o];
        x->first_other = like->operand[o].first;
        for (uint32_t i = 0; i < x->n_windows; i++) {
            contraction_window *w = &x->windows[i];
            const contraction_window *other = &like->operand[o].windows[i];
            w->low_other = other->low;
            w->extent_other = other->extent;
            w->step_other = other->step;
            for (uint32_t k = 0; k < w->n; k++)
                w->walkers[k].by_other = other->walkers[k].by;
        }
    }
}

bool contraction_of(const function *f, const node *n, arena *memory, contraction *out)
{
    contraction like;
    if (!find(f, n, memory, out))
        return false;
    if (f->like && find(f->like, node_of(f->like, n->first_value), memory, &like) &&
        is_like(out, &like))
        put_beside(out, &like);
    else
        put_beside(out, out);
    return true;
}

tn_dtype contraction_sum(const function *f, const node *n)
{
    const tn_dtype in = value_type(f, n->in[0])->dtype;
    return (tn_dtype)attr_int(n->attrs, KEY_ACCUM_DTYPE, (int64_t)accumulator_of(in));
}

bool contraction_is_in_order(const contraction *p)
{
    static const contraction_part inner[] = {CONTRACTION_COLUMNS, CONTRACTION_ROWS,
                                             CONTRACTION_BATCH};
    int64_t step = 1;
    if (p->is_exchanged || p->is_direct)
        return false;
    for (uint32_t part = 0; part < 3; part++)
        for (uint32_t i = p->n_loops; i-- > 0;) {
            const contraction_loop *x = &p->loops[i];
            if (x->part != inner[part] || x->extent == 1)
                continue;
            if (x->c != step)
                return false;
            step *= x->extent;
        }
    return true;
}

void contraction_drop_windows(contraction *p, uint32_t o)
{
    contraction_operand *x = &p->operand[o];
    for (uint32_t i = 0; i < x->n_windows; i++) {
        const contraction_window *w = &x->windows[i];
        for (uint32_t k = 0; k < w->n; k++) {
            contraction_loop *loop = &p->loops[w->walkers[k].loop];
            loop->step[o] += w->walkers[k].by * w->step;
            loop->step_other[o] =
                other_add(loop->step_other[o], other_mul(w->walkers[k].by_other, w->step_other));
        }
        x->first -= w->low * w->step;
        x->first_other = other_add(x->first_other, other_mul(-w->low_other, w->step_other));
    }
    x->n_windows = 0;
}
