/* Counting guards: how many cases a chain of movement distinguishes. */
#include "base/text/text.h"
#include "dialect/tiny/read/reader.h"

#include <inttypes.h>

enum { MANY = 16, MOST = 64 };

static uint32_t bits(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

uint32_t pieces_count(const pieces *p)
{
    return p->fixed + bits(p->low) + bits(p->high);
}

pieces pieces_fixed(const value *x, uint32_t more)
{
    return (pieces){.fixed = pieces_count(&x->pieces) + more};
}

/* The sides of AXES axes that are padded by LOW and HIGH; amounts that are not known count. */
static bool set_sides(reader *r, pieces *p, const dim *low, const dim *high, uint32_t rank)
{
    dim *by = ARENA_ARRAY(&r->memory, dim, 2 * (size_t)rank);
    if (!by)
        return out_of_memory(r);
    p->low = p->high = 0;
    for (uint32_t i = 0; i < rank; i++) {
        by[i] = low[i];
        by[rank + i] = high[i];
        p->low |= (uint32_t)(low[i] != 0) << i;
        p->high |= (uint32_t)(high[i] != 0) << i;
    }
    p->low_by = by;
    p->high_by = by + rank;
    return true;
}

bool pieces_of_pad(reader *r, const value *x, const dim *low, const dim *high, scalar by,
                   pieces *out)
{
    const uint32_t rank = type_at(r, x->v)->rank;
    const pieces *p = &x->pieces;
    dim both[2][TN_MAX_RANK];
    const bool merges = (p->low | p->high) && scalar_equal(p->value, by);
    for (uint32_t i = 0; i < rank; i++) {
        both[0][i] = merges ? dim_combine(&r->m->types, DIM_ADD, p->low_by[i], low[i]) : low[i];
        both[1][i] = merges ? dim_combine(&r->m->types, DIM_ADD, p->high_by[i], high[i]) : high[i];
    }
    *out = merges ? (pieces){.fixed = p->fixed} : pieces_fixed(x, 0);
    out->value = by;
    return set_sides(r, out, both[0], both[1], rank);
}

/* Is a border of BY elements cut away when CUT are? */
static bool covers(dim cut, dim by)
{
    return cut == by || (!dim_is_symbolic(cut) && !dim_is_symbolic(by) && cut >= by);
}

/* The borders that a cut to [lo, hi) takes away; false when it leaves some of one, which is then no
 * longer known exactly enough to be taken back. */
static bool cut_borders(const reader *r, const type *t, const dim *lo, const dim *hi, pieces *p)
{
    type_table *table = &r->m->types;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (!((p->low | p->high) >> i & 1))
            continue;
        const dim cut =
            dim_combine(table, DIM_ADD, t->dims[i], dim_combine(table, DIM_MUL, hi[i], -1));
        if (covers(lo[i], p->low_by[i]))
            p->low &= ~((uint32_t)1 << i);
        if (covers(cut, p->high_by[i]))
            p->high &= ~((uint32_t)1 << i);
        if ((p->low >> i & 1 && lo[i] != 0) || (p->high >> i & 1 && cut != 0))
            return false;
    }
    return true;
}

void pieces_of_shrink(const reader *r, const value *x, const dim *lo, const dim *hi, bool stepped,
                      pieces *out)
{
    *out = x->pieces;
    const bool exact = cut_borders(r, type_at(r, x->v), lo, hi, out);
    if (!exact || stepped || !(out->low | out->high))
        *out = (pieces){.fixed = pieces_count(out) + stepped};
}

void pieces_permute(const value *x, const int64_t *to, uint32_t rank, const dim *low,
                    const dim *high, pieces *out)
{
    *out = x->pieces;
    out->low = out->high = 0;
    for (uint32_t i = 0; i < rank; i++) {
        out->low |= (x->pieces.low >> i & 1) << to[i];
        out->high |= (x->pieces.high >> i & 1) << to[i];
    }
    out->low_by = low;
    out->high_by = high;
}

bool check_pieces(reader *r, entry *e, const value *x)
{
    const uint32_t most = r->options->max_pieces ? r->options->max_pieces : MOST;
    const uint32_t have = pieces_count(&e->value.pieces), had = pieces_count(&x->pieces);
    if (have > most && had <= most) {
        (void)fault(r, e, DIAG_ExcessivePiecewise, e->at,
                    "%" PRIu32 " piece%s in one chain of movement; the limit is %" PRIu32, have,
                    plural(have), most);
        diag_fix(&r->m->cx->diag, NO_SPAN, NULL, "pad once, at the end of the chain, or raise %s",
                 diag_setting_name(&r->m->cx->diag, SETTING_MAX_PIECES));
        return false;
    }
    if (have > MANY && had <= MANY && have <= most) {
        warn(r, e, DIAG_ExcessivePiecewise, e->at,
             "%" PRIu32
             " piece%s in one chain of movement; more than %d are slow, more than %" PRIu32
             " are an error",
             have, plural(have), MANY, most);
        diag_fix(&r->m->cx->diag, NO_SPAN, NULL, "pad once, at the end of the chain");
    }
    return true;
}
