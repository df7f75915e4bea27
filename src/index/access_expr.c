/* Sums with quotients and remainders of axes: arithmetic and substitution. */
#include "index/access_parts.h"

#include <string.h>

#include "base/memory/checked.h"
#include "ops/shape.h"

/* What is composed of many reshapes and transposes doubles with each of them. */
enum { MAX_DEPTH = 16, MAX_ATOMS = 96 };

static bool same_atom(const access_term *a, const access_term *b)
{
    if (a->kind != b->kind)
        return false;
    return a->kind == ACCESS_AXIS ? a->axis == b->axis
                                  : a->by == b->by && access_same_expr(a->of, b->of);
}

bool access_same_expr(const access_expr *a, const access_expr *b)
{
    bool same = a == b || (a->constant == b->constant && a->n == b->n);
    for (uint32_t i = 0; a != b && same && i < a->n; i++)
        same = a->at[i].factor == b->at[i].factor && same_atom(&a->at[i], &b->at[i]);
    return same;
}

access_sum access_sum_of(sized constant)
{
    access_sum s;
    s.constant = constant.now;
    s.constant_other = constant.other;
    s.n = 0;
    s.fits = true;
    return s;
}

void access_add_constant(access_sum *s, sized x, sized factor)
{
    int64_t product;
    s->fits = s->fits && mul_i64(x.now, factor.now, &product) &&
              add_i64(s->constant, product, &s->constant);
    s->constant_other = other_add(s->constant_other, other_mul(x.other, factor.other));
}

static sized constant_of(const access_expr *e)
{
    return (sized){e->constant, e->constant_other};
}

static sized factor_of(const access_term *t)
{
    return (sized){t->factor, t->factor_other};
}

static sized by_of(const access_term *t)
{
    return (sized){t->by, t->by_other};
}

static void add_term(access_sum *s, const access_term *t, sized factor);

/* Is E the quotient of one expression and nothing else? It, or NULL. */
static const access_term *only_quotient(const access_expr *e)
{
    return e->n == 1 && e->constant == 0 && e->at[0].factor == 1 && e->at[0].kind == ACCESS_QUOTIENT
               ? &e->at[0]
               : NULL;
}

/* Is OUTER, with a factor FACTOR, the remainder by B of e // a, and OTHER either e % a (then this
 * is a * OUTER + OTHER = e % (a b)) or e // (a b) (OUTER + b * OTHER = e // a)? */
static bool completes(const access_term *outer, sized factor, const access_term *other,
                      sized other_factor, access_term *both)
{
    const access_term *q = outer->kind == ACCESS_REMAINDER ? only_quotient(outer->of) : NULL;
    int64_t by, scaled;
    if (!q || other->kind == ACCESS_AXIS || !mul_i64(q->by, outer->by, &by))
        return false;
    if (other->kind == ACCESS_REMAINDER) {
        if (other->by != q->by || !mul_i64(other_factor.now, q->by, &scaled) ||
            scaled != factor.now || !access_same_expr(other->of, q->of))
            return false;
        *both = *other;
        both->by = by;
        both->by_other = other_mul(q->by_other, outer->by_other);
        both->high = by - 1;
        both->factor = other_factor.now;
        both->factor_other = other_factor.other;
        return true;
    }
    if (other->by != by || !mul_i64(factor.now, outer->by, &scaled) || scaled != other_factor.now ||
        !access_same_expr(other->of, q->of))
        return false;
    *both = *q;
    both->factor = factor.now;
    both->factor_other = factor.other;
    return true;
}

/* A term that is one with another one of S takes its place. */
static bool joins_digits(access_sum *s, const access_term *t, sized factor)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const access_term p = s->at[i];
        access_term both;
        if (!completes(t, factor, &p, factor_of(&p), &both) &&
            !completes(&p, factor_of(&p), t, factor, &both))
            continue;
        s->at[i] = s->at[--s->n];
        add_term(s, &both, ACCESS_ONE); /* fewer terms: this ends */
        return true;
    }
    return false;
}

/* by * (e // by) + e % by is e: a term that completes such a pair is replaced, with the other one,
 * by e. */
static bool joins_partner(access_sum *s, const access_term *t, sized factor)
{
    if (t->kind == ACCESS_AXIS)
        return false;
    const bool is_quotient = t->kind == ACCESS_QUOTIENT;
    for (uint32_t i = 0; i < s->n; i++) {
        const access_term p = s->at[i];
        int64_t whole;
        if (p.kind != (is_quotient ? ACCESS_REMAINDER : ACCESS_QUOTIENT) || p.by != t->by ||
            !mul_i64(is_quotient ? p.factor : factor.now, t->by, &whole) ||
            whole != (is_quotient ? factor.now : p.factor) || !access_same_expr(p.of, t->of))
            continue;
        s->at[i] = s->at[--s->n];
        const sized each = is_quotient ? factor_of(&p) : factor;
        access_add_constant(s, constant_of(t->of), each);
        for (uint32_t k = 0; k < t->of->n && s->fits; k++) /* less deep than T: this ends */
            add_term(s, &t->of->at[k], each);
        return true;
    }
    return false;
}

static void add_term(access_sum *s, const access_term *t, sized factor)
{
    sized product = {.other = other_mul(t->factor_other, factor.other)};
    if (!mul_i64(t->factor, factor.now, &product.now)) {
        s->fits = false;
        return;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        if (!same_atom(&s->at[i], t))
            continue;
        s->fits = s->fits && add_i64(s->at[i].factor, product.now, &s->at[i].factor);
        s->at[i].factor_other = other_add(s->at[i].factor_other, product.other);
        if (s->at[i].factor == 0)
            s->at[i] = s->at[--s->n];
        return;
    }
    if (product.now == 0 || joins_partner(s, t, product) || joins_digits(s, t, product))
        return;
    if (s->n == MAX_TERMS) {
        s->fits = false;
        return;
    }
    s->at[s->n] = *t;
    s->at[s->n].factor = product.now;
    s->at[s->n++].factor_other = product.other;
}

void access_add(access_sum *s, const access_expr *e, sized factor)
{
    if (!e) {
        s->fits = false;
        return;
    }
    access_add_constant(s, constant_of(e), factor);
    for (uint32_t i = 0; i < e->n && s->fits; i++)
        add_term(s, &e->at[i], factor);
}

/* Axes first, in order; the rest as they came. Small insertion sort. */
static void sort_terms(access_sum *s)
{
    for (uint32_t i = 1; i < s->n; i++)
        for (uint32_t k = i; k > 0; k--) {
            const access_term *a = &s->at[k - 1], *b = &s->at[k];
            const bool ordered = a->kind != b->kind ? a->kind < b->kind
                                                    : a->kind != ACCESS_AXIS || a->axis < b->axis;
            if (ordered)
                break;
            const access_term t = s->at[k];
            s->at[k] = s->at[k - 1];
            s->at[k - 1] = t;
        }
}

const access_expr *access_finish(access_sum *s, arena *memory)
{
    if (!s->fits)
        return NULL;
    sort_terms(s);
    access_expr *e = arena_alloc(memory, sizeof *e + s->n * sizeof *e->at);
    if (!e)
        return NULL;
    *e = (access_expr){.constant = s->constant,
                       .constant_other = s->constant_other,
                       .low = s->constant,
                       .high = s->constant,
                       .n = s->n};
    if (s->n)
        memcpy(e->at, s->at, s->n * sizeof *e->at);
    for (uint32_t i = 0; i < s->n; i++) {
        const access_term *t = &s->at[i];
        int64_t a, b;
        if (!mul_i64(t->factor, t->low, &a) || !mul_i64(t->factor, t->high, &b) ||
            !add_i64(e->low, a < b ? a : b, &e->low) || !add_i64(e->high, a < b ? b : a, &e->high))
            return NULL;
    }
    return e;
}

const access_expr *access_constant(int64_t value, arena *memory)
{
    access_sum s = access_sum_of(sized_of(value));
    return access_finish(&s, memory);
}

const access_expr *access_sized_axis(uint32_t axis, int64_t extent, sized factor, arena *memory)
{
    access_sum s = access_sum_of(sized_of(0));
    const access_term t = {.factor = 1,
                           .factor_other = 1,
                           .kind = ACCESS_AXIS,
                           .axis = axis,
                           .low = 0,
                           .high = extent - 1};
    if (extent > 1)
        add_term(&s, &t, factor);
    return access_finish(&s, memory);
}

const access_expr *access_axis_at(uint32_t axis, int64_t extent, int64_t factor, int64_t constant,
                                  arena *memory)
{
    access_sum s = access_sum_of(sized_of(constant));
    access_add(&s, access_sized_axis(axis, extent, sized_of(factor), memory), ACCESS_ONE);
    return access_finish(&s, memory);
}

/* Split E into BY * whole + rest, with all multiples of BY in `whole`. */
static bool split(const access_expr *e, sized by, arena *memory, access_sum *whole,
                  const access_expr **rest)
{
    const sized above = {floor_i64(e->constant, by.now), other_div(e->constant_other, by.other)};
    const int64_t other =
        other_add(e->constant_other, other_mul(other_mul(-1, above.other), by.other));
    access_sum r = access_sum_of((sized){rest_i64(e->constant, by.now), other});
    *whole = access_sum_of(above);
    for (uint32_t i = 0; i < e->n; i++) {
        access_term t = e->at[i];
        const sized factor = factor_of(&t);
        t.factor = t.factor_other = 1;
        if (factor.now % by.now == 0)
            add_term(whole, &t, (sized){factor.now / by.now, other_div(factor.other, by.other)});
        else
            add_term(&r, &t, factor);
    }
    *rest = access_finish(&r, memory);
    return *rest != NULL;
}

static uint32_t depth_of(const access_expr *e)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < e->n; i++)
        depth = e->at[i].depth > depth ? e->at[i].depth : depth;
    return depth;
}

/* At most MAX_ATOMS for each term. */
static uint32_t atoms_of(const access_expr *e)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n; i++)
        n += e->at[i].atoms;
    return n;
}

/* E = G * large + small with 0 <= small < G for a G > 1 that divides BY, the largest of its kind:
 * then E // BY is large // (BY / G), and E % BY is G * (large % (BY / G)) + small. 1 without one.
 */
static sized common_part(const access_expr *e, sized by, arena *memory, const access_expr **large,
                         const access_expr **small)
{
    sized best = ACCESS_ONE;
    for (uint32_t i = 0; i < e->n; i++) {
        const bool is_least = e->at[i].factor == INT64_MIN;
        const sized g = {is_least ? 1 : common_divisor(e->at[i].factor, by.now),
                         is_least || e->at[i].factor_other == INT64_MIN
                             ? 1
                             : common_divisor(e->at[i].factor_other, by.other)};
        const access_expr *rest;
        access_sum whole;
        if (g.now <= best.now || !split(e, g, memory, &whole, &rest) || rest->low < 0 ||
            rest->high >= g.now)
            continue;
        const access_expr *above = access_finish(&whole, memory);
        if (!above)
            continue;
        best = g;
        *large = above;
        *small = rest;
    }
    return best;
}

const access_expr *access_divide(const access_expr *e, sized by, bool remainder, arena *memory)
{
    access_sum s;
    const access_expr *rest, *large, *small;
    if (!e || by.now <= 0 || !split(e, by, memory, &s, &rest))
        return NULL;
    const sized g = common_part(rest, by, memory, &large, &small);
    if (g.now > 1) { /* each step makes BY smaller */
        const sized less = {by.now / g.now, other_div(by.other, g.other)};
        const access_expr *part = access_divide(large, less, remainder, memory);
        if (remainder)
            s = access_sum_of(sized_of(0));
        access_add(&s, part, remainder ? g : ACCESS_ONE);
        if (remainder)
            access_add(&s, small, ACCESS_ONE);
        return access_finish(&s, memory);
    }
    const access_term *inner = remainder ? NULL : only_quotient(rest);
    int64_t product;
    if (inner && mul_i64(inner->by, by.now, &product)) { /* (e // a) // b */
        const sized all = {product, other_mul(inner->by_other, by.other)};
        access_add(&s, access_divide(inner->of, all, false, memory), ACCESS_ONE);
        return access_finish(&s, memory);
    }
    const int64_t low = floor_i64(rest->low, by.now), high = floor_i64(rest->high, by.now);
    if (remainder)
        s = access_sum_of(sized_of(0));
    if (low == high && remainder) { /* rest - low * by */
        access_add(&s, rest, ACCESS_ONE);
        access_add_constant(&s, sized_of(-low), by);
    } else if (low == high) {
        access_add_constant(&s, sized_of(low), ACCESS_ONE);
    } else {
        const access_term t = {.factor = 1,
                               .factor_other = 1,
                               .kind = remainder ? ACCESS_REMAINDER : ACCESS_QUOTIENT,
                               .depth = depth_of(rest) + 1,
                               .atoms = atoms_of(rest) + 1,
                               .of = rest,
                               .by = by.now,
                               .by_other = by.other,
                               .low = remainder ? 0 : low,
                               .high = remainder ? by.now - 1 : high};
        if (t.depth > MAX_DEPTH || t.atoms > MAX_ATOMS)
            return NULL;
        add_term(&s, &t, ACCESS_ONE);
    }
    return access_finish(&s, memory);
}

const access_expr *access_substitute(const access_expr *e, const access_expr *const *axes,
                                     arena *memory)
{
    access_sum s = access_sum_of(constant_of(e));
    for (uint32_t i = 0; i < e->n && s.fits; i++) {
        const access_term *t = &e->at[i];
        if (t->kind == ACCESS_AXIS) {
            access_add(&s, axes[t->axis], factor_of(t));
            continue;
        }
        const access_expr *of = access_substitute(t->of, axes, memory);
        access_add(&s, of ? access_divide(of, by_of(t), t->kind == ACCESS_REMAINDER, memory) : NULL,
                   factor_of(t));
    }
    return access_finish(&s, memory);
}

uint32_t access_expr_axes(const access_expr *e)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < e->n; i++)
        mask |= e->at[i].kind == ACCESS_AXIS ? UINT32_C(1) << e->at[i].axis
                                             : access_expr_axes(e->at[i].of);
    return mask;
}

bool access_strides(const access_expr *e, uint32_t rank, int64_t *constant, int64_t *strides)
{
    *constant = e->constant;
    for (uint32_t k = 0; k < rank; k++)
        strides[k] = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        if (e->at[i].kind != ACCESS_AXIS)
            return false;
        strides[e->at[i].axis] = e->at[i].factor;
    }
    return true;
}

bool access_is_fixed(const access_expr *e)
{
    bool is_fixed = e->constant == e->constant_other;
    for (uint32_t i = 0; i < e->n && is_fixed; i++) {
        const access_term *t = &e->at[i];
        is_fixed = t->factor == t->factor_other &&
                   (t->kind == ACCESS_AXIS || (t->by == t->by_other && access_is_fixed(t->of)));
    }
    return is_fixed;
}

int64_t access_value(const access_expr *e, const int64_t *at)
{
    int64_t total = e->constant;
    for (uint32_t i = 0; i < e->n; i++) {
        const access_term *t = &e->at[i];
        int64_t v;
        if (t->kind == ACCESS_AXIS) {
            v = at[t->axis];
        } else {
            const int64_t of = access_value(t->of, at);
            v = t->kind == ACCESS_QUOTIENT ? floor_i64(of, t->by) : rest_i64(of, t->by);
        }
        total += t->factor * v;
    }
    return total;
}
