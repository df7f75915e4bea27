/* Products of short integers or of bf16, of which two or four are summed by one instruction. */
#include "loop/contract/contract_parts.h"

enum {
    FEW_ROWS = 4, /* B is read so rarely that packing it does not pay, even if it is constant */
    ROWS_OF_PAIRS = 12 /* with fewer, making pairs of B does not pay, unless B is constant */
};

/* Do 16 bits with a sign hold all numbers of D? */
static bool is_short(tn_dtype d)
{
    return dtype_is_int(d) && dtype_holds_ints(TN_SI16, d);
}

static bool has_window(const contract_spec *s, uint32_t k)
{
    for (uint32_t i = 0; i < s->n_windows; i++)
        for (uint32_t j = 0; j < s->windows[i].n; j++)
            if (s->windows[i].walkers[j].list == CONTRACT_K && s->windows[i].walkers[j].axis == k)
                return true;
    return false;
}

static bool is_bytes(tn_dtype d)
{
    return d == TN_SI8 || d == TN_UI8;
}

/* Can products be summed in fours? The instruction takes one factor without a sign and one with a
 * sign. */
static bool may_be_quads(const problem *p, const machine *m)
{
    const contract_spec *s = &p->spec;
    const contract_products wanted = s->wanted.products;
    return m->has_byte_dots && (wanted == PRODUCTS_ANY || wanted == PRODUCTS_QUADS) &&
           p->form == TN_SI32 && is_bytes(s->a) && is_bytes(s->b) &&
           (s->a == TN_SI8 || s->b == TN_SI8) && !s->load_a && !s->load_b;
}

/* Can products of bf16 be summed in pairs, whose rounding is the machine's? */
static bool may_be_bf16(const problem *p, const machine *m)
{
    const contract_spec *s = &p->spec;
    return m->has_bf16_dots && p->form == TN_F32 && s->a == TN_BF16 && s->b == TN_BF16;
}

/* ... those of short integers? Wrapping sums may be in any order. */
static bool may_be_pairs(const problem *p)
{
    return dtype_is_int(p->form) && dtype_table[p->form].bits == 32 && is_short(p->spec.a) &&
           is_short(p->spec.b);
}

/* EACH products along an axis of K, if one has them, become one word of WIDTH elements. */
static bool join_products(problem *p, int64_t each, int64_t width)
{
    contract_spec *s = &p->spec;
    for (uint32_t i = s->n_k; i-- > 0;) {
        contract_axis *k = &s->k[i];
        const bool fits = each == width ? k->extent % each == 0 : k->extent == each;
        if (!fits || k->a == 0 || k->b == 0 || has_window(s, i))
            continue;
        p->a.pair = k->a;
        p->a.pair_other = k->a_other;
        p->b.pair = k->b;
        p->b.pair_other = k->b_other;
        p->a.is_three = p->b.is_three = each < width;
        k->extent /= each;
        k->extent_other /= each;
        k->a *= each;
        k->a_other = other_mul(k->a_other, each);
        k->b *= each;
        k->b_other = other_mul(k->b_other, each);
        p->k /= each;
        p->has_pairs = true;
        return true;
    }
    return false;
}

/* Products are summed in pairs or fours, by one instruction, where both operands can be packed so.
 */
void contract_choose_pairs(problem *p, const machine *m)
{
    contract_spec *s = &p->spec;
    const contract_products wanted = s->wanted.products;
    const bool may_be_four = may_be_quads(p, m);
    const int64_t least = wanted == PRODUCTS_PAIRS || wanted == PRODUCTS_QUADS ? 0
                          : s->b_is_constant                                   ? FEW_ROWS
                                                                               : ROWS_OF_PAIRS;
    const bool is_bf16 = may_be_bf16(p, m);
    if (p->lanes < 4 || (p->m <= least && !p->has_any_rows) || wanted == PRODUCTS_SINGLE ||
        p->has_dynamic_k || (!is_bf16 && !may_be_pairs(p)))
        return;
    if (may_be_four && (join_products(p, 4, 4) || join_products(p, 3, 4))) {
        p->has_quads = p->a.is_quad = p->b.is_quad = true;
        p->b_is_unsigned = s->b == TN_UI8;
        p->offset = p->a.offset = s->a == TN_SI8 && s->b == TN_SI8 ? UINT32_C(0x80808080) : 0;
    } else if (join_products(p, 2, 2)) {
        p->has_bf16_pairs = p->a.is_bf16 = p->b.is_bf16 = is_bf16;
    }
}
