/* Index expressions as sums with quotients. */
#include "index/quasi.h"

#include "base/memory/checked.h"

typedef struct range {
    int64_t low, high;
} range;

static int64_t times(quasi_work *w, int64_t a, int64_t b)
{
    int64_t r = 0;
    if (!mul_i64(a, b, &r))
        w->too_large = true;
    return r;
}

static int64_t plus(quasi_work *w, int64_t a, int64_t b)
{
    int64_t r = 0;
    if (!add_i64(a, b, &r))
        w->too_large = true;
    return r;
}

/* TO += FACTOR * X */
static void add_quasi(quasi_work *w, quasi *to, const quasi *x, int64_t factor)
{
    to->line.offset = plus(w, to->line.offset, times(w, factor, x->line.offset));
    for (uint32_t k = 0; k < TN_MAX_RANK; k++)
        to->line.factors[k] = plus(w, to->line.factors[k], times(w, factor, x->line.factors[k]));
    for (uint32_t i = 0; i < x->n; i++) {
        if (to->n == QUASI_TERMS) {
            w->too_large = true;
            return;
        }
        to->terms[to->n].q = x->terms[i].q;
        to->terms[to->n++].factor = times(w, factor, x->terms[i].factor);
    }
}

static void add_quotient(quasi_work *w, quasi *to, const quasi *inner, int64_t divisor,
                         int64_t factor)
{
    quotient *q = ARENA_NEW(w->memory, quotient);
    if (!q || to->n == QUASI_TERMS) {
        w->no_memory = w->no_memory || !q;
        w->too_large = true;
        return;
    }
    *q = (quotient){*inner, divisor};
    to->terms[to->n].q = q;
    to->terms[to->n++].factor = factor;
}

/* OUT += FACTOR * E; the depth of E is bounded by its reader. */
static void add_expr(quasi_work *w, const index_expr *e, int64_t factor, quasi *out)
{
    quasi a = {.n = 0};
    int64_t b = 0;
    if (!quasi_fine(w))
        return;
    switch (e->op) {
    case INDEX_NUMBER:
        out->line.offset = plus(w, out->line.offset, times(w, factor, e->value));
        return;
    case INDEX_AXIS:
        out->line.factors[e->value] = plus(w, out->line.factors[e->value], factor);
        return;
    case INDEX_SYMBOL:
        w->too_large = true;
        return;
    case INDEX_ADD:
    case INDEX_SUB:
        add_expr(w, e->a, factor, out);
        add_expr(w, e->b, e->op == INDEX_ADD ? factor : times(w, factor, -1), out);
        return;
    case INDEX_MUL:
        if (e->a->axes)
            add_expr(w, e->a, times(w, factor, index_value(e->b, NULL)), out);
        else
            add_expr(w, e->b, times(w, factor, index_value(e->a, NULL)), out);
        return;
    case INDEX_FLOORDIV:
    case INDEX_MOD: /* a - b * (a // b) */
        b = index_value(e->b, NULL);
        add_expr(w, e->a, 1, &a);
        if (e->op == INDEX_MOD) {
            a.line.offset = rest_i64(a.line.offset, b);
            add_quasi(w, out, &a, factor);
        }
        add_quotient(w, out, &a, b, e->op == INDEX_MOD ? times(w, factor, -b) : factor);
        return;
    }
}

void quasi_of(quasi_work *w, const index_expr *e, quasi *out)
{
    *out = (quasi){.n = 0};
    if (e->symbolic)
        w->too_large = true;
    else
        add_expr(w, e, 1, out);
}

/* ---- other axes ---------------------------------------------------------------------------- */

/* A copy of a quotient, to be rewritten. */
static quotient *copy_of(quasi_work *w, const quotient *q)
{
    quotient *copy = ARENA_NEW(w->memory, quotient);
    if (copy)
        *copy = *q;
    else
        w->no_memory = true;
    return copy;
}

void quasi_change(quasi_work *w, quasi *x, const axis_change *change)
{
    int64_t f = x->line.factors[change->axis];
    x->line.offset = plus(w, x->line.offset, times(w, f, change->shift));
    x->line.factors[change->axis] = times(w, f, change->keep);
    if (change->scale)
        x->line.factors[change->other] = times(w, f, change->scale);
    for (uint32_t i = 0; i < x->n && quasi_fine(w); i++) {
        quotient *q = copy_of(w, x->terms[i].q);
        if (!q)
            return;
        quasi_change(w, &q->inner, change);
        x->terms[i].q = q;
    }
}

bool quasi_fold(quasi_work *w, quasi *x, const affine *form, uint32_t to, bool dry)
{
    int64_t multiple = 0;
    for (uint32_t k = 0; k < TN_MAX_RANK; k++)
        if (form->factors[k] && x->line.factors[k]) {
            multiple = x->line.factors[k] / form->factors[k];
            break;
        }
    for (uint32_t k = 0; k < TN_MAX_RANK; k++)
        if (form->factors[k] && x->line.factors[k] != times(w, multiple, form->factors[k]))
            return false;
    for (uint32_t k = 0; k < TN_MAX_RANK && !dry; k++)
        if (form->factors[k])
            x->line.factors[k] = k == to ? multiple : 0;
    for (uint32_t i = 0; i < x->n && quasi_fine(w); i++) {
        quotient *q = copy_of(w, x->terms[i].q);
        if (!q || !quasi_fold(w, &q->inner, form, to, dry))
            return false;
        x->terms[i].q = dry ? x->terms[i].q : q;
    }
    return quasi_fine(w);
}

/* ---- simpler ------------------------------------------------------------------------------- */

static range range_of(quasi_work *w, const quasi *x);

static void add_range(quasi_work *w, range *to, int64_t factor, range r)
{
    int64_t a = times(w, factor, r.low), b = times(w, factor, r.high);
    to->low = plus(w, to->low, a < b ? a : b);
    to->high = plus(w, to->high, a < b ? b : a);
}

static range range_of(quasi_work *w, const quasi *x)
{
    range all = {x->line.offset, x->line.offset};
    for (uint32_t k = 0; k < TN_MAX_RANK; k++)
        if (x->line.factors[k])
            add_range(w, &all, x->line.factors[k], (range){0, w->extents[k] - 1});
    for (uint32_t i = 0; i < x->n && quasi_fine(w); i++) {
        range r = range_of(w, &x->terms[i].q->inner);
        int64_t d = x->terms[i].q->divisor;
        add_range(w, &all, x->terms[i].factor, (range){floor_i64(r.low, d), floor_i64(r.high, d)});
    }
    return all;
}

/* What D divides in X, divided by it, goes to *WHOLE; the rest stays, with an offset below D. */
static void take_out(quasi *x, int64_t d, quasi *whole)
{
    uint32_t n = 0;
    *whole = (quasi){.line.offset = floor_i64(x->line.offset, d)};
    x->line.offset = rest_i64(x->line.offset, d);
    for (uint32_t k = 0; k < TN_MAX_RANK; k++)
        if (x->line.factors[k] % d == 0) {
            whole->line.factors[k] = x->line.factors[k] / d;
            x->line.factors[k] = 0;
        }
    for (uint32_t i = 0; i < x->n; i++) {
        if (x->terms[i].factor % d == 0) {
            whole->terms[whole->n] = x->terms[i];
            whole->terms[whole->n++].factor /= d;
        } else {
            x->terms[n++] = x->terms[i];
        }
    }
    x->n = n;
}

/* floor((d A + R) / (d m)) is floor(A / m) when 0 <= R < d. Looks for such a d. */
static bool reduce(quasi_work *w, quasi *x, int64_t *divisor)
{
    for (uint32_t k = 0; k < TN_MAX_RANK + x->n; k++) {
        int64_t f = k < TN_MAX_RANK ? x->line.factors[k] : x->terms[k - TN_MAX_RANK].factor;
        int64_t d = f ? common_divisor(f, *divisor) : 1;
        if (d < 2)
            continue;
        quasi rest = *x, whole;
        take_out(&rest, d, &whole);
        range r = range_of(w, &rest);
        if (!quasi_fine(w) || r.low < 0 || r.high >= d)
            continue;
        *x = whole;
        *divisor /= d;
        return true;
    }
    return false;
}

void quasi_simplify(quasi_work *w, quasi *x)
{
    quasi out = {.line = x->line};
    for (uint32_t i = 0; i < x->n && quasi_fine(w); i++) {
        quasi inner = x->terms[i].q->inner, whole;
        int64_t d = x->terms[i].q->divisor, factor = x->terms[i].factor;
        quasi_simplify(w, &inner);
        if (!quasi_fine(w))
            return;
        do {
            take_out(&inner, d, &whole);
            add_quasi(w, &out, &whole, factor);
        } while (d > 1 && reduce(w, &inner, &d));
        range r = range_of(w, &inner);
        if (!quasi_fine(w))
            return;
        if (floor_i64(r.low, d) == floor_i64(r.high, d))
            out.line.offset = plus(w, out.line.offset, times(w, factor, floor_i64(r.low, d)));
        else
            add_quotient(w, &out, &inner, d, factor);
    }
    *x = out;
}

const quotient *quasi_innermost(const quasi *x, const quotient *best)
{
    for (uint32_t i = 0; i < x->n; i++) {
        const quotient *q = x->terms[i].q;
        if (q->inner.n)
            best = quasi_innermost(&q->inner, best);
        else if (!best || q->divisor < best->divisor)
            best = q;
    }
    return best;
}
