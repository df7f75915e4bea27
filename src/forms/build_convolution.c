/* The public builder: convolution. */
#include "forms/building.h"
#include "ops/convolution.h"

/* FROM, or where it is empty N times 1. */
static void add_or_ones(attr_list *l, attr_key key, tn_ints from, uint32_t n)
{
    static const int64_t ones[] = {1, 1, 1, 1};
    add_ints(l, key, from.n > 0 ? from : (tn_ints){ones, n});
}

tn_value tn_convolution(tn_builder *b, tn_value x, tn_value w, const tn_convolved *how,
                        tn_dtype accum, tn_dtype out)
{
    static const int64_t zeros[2 * CONVOLUTION_SPATIAL];
    static const tn_convolved usual;
    const type *t = builder_type(b, x);
    attr_list l = attrs_for(b, OP_CONVOLUTION);
    const uint32_t n = !t || t->rank < 2                   ? 0
                       : t->rank - 2 < CONVOLUTION_SPATIAL ? t->rank - 2
                                                           : CONVOLUTION_SPATIAL;
    how = how ? how : &usual;
    add_or_ones(&l, KEY_STRIDES, how->strides, n);
    add_ints(&l, KEY_PADS, how->pads.n > 0 ? how->pads : (tn_ints){zeros, 2 * (size_t)n});
    add_or_ones(&l, KEY_BASE_DILATION, how->base_dilation, n);
    add_or_ones(&l, KEY_DILATION, how->dilation, n);
    if (how->groups != 0 && how->groups != 1)
        add_int(&l, KEY_GROUPS, how->groups);
    if (how->batch_groups != 0 && how->batch_groups != 1)
        add_int(&l, KEY_BATCH_GROUPS, how->batch_groups);
    if (how->lhs_axes.n)
        add_ints(&l, KEY_LHS_AXES, how->lhs_axes);
    if (how->rhs_axes.n)
        add_ints(&l, KEY_RHS_AXES, how->rhs_axes);
    if (how->out_axes.n)
        add_ints(&l, KEY_OUT_AXES, how->out_axes);
    add_dtype(&l, KEY_ACCUM_DTYPE, accum);
    add_dtype(&l, KEY_OUT_DTYPE, out);
    return append_2(&l, x, w);
}
