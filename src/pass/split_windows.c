/* split-windows: an extreme of windows along several axes is that of windows along one, of those
 * along the next.
 *
 * needs   verified types; definitions before uses
 * keeps   types, order, the bits of every output: maximum and minimum give the same in any order
 *         (docs/numerics.md, section 5), and what is beyond the ends is the lowest, or highest,
 *         each time
 * breaks  nothing
 *
 * A window of 5 x 5 that moves by one compares 10 elements in place of 25.
 */
#include "ops/attr_rules.h"
#include "pass/expand/substitute.h"
#include "pass/passes.h"

/* The windows of a node, by axis. */
typedef struct windows {
    uint32_t rank;
    const int64_t *extent, *strides, *dilation, *base, *pads;
} windows;

static windows windows_of(const node *n)
{
    windows w;
    uint32_t count;
    w.extent = attr_ints(n->attrs, KEY_WINDOW, &w.rank);
    w.strides = attr_ints(n->attrs, KEY_STRIDES, &count);
    w.dilation = attr_ints(n->attrs, KEY_DILATION, &count);
    w.base = attr_ints(n->attrs, KEY_BASE_DILATION, &count);
    w.pads = attr_ints(n->attrs, KEY_PADS, &count);
    return w;
}

/* The axes along which windows of W have several elements, those first that leave least to the
 * next. */
static uint32_t find_axes(const windows *w, uint32_t *axes)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->rank; i++) {
        uint32_t k = n;
        if (w->extent[i] == 1)
            continue;
        for (; k > 0 && w->strides[axes[k - 1]] < w->strides[i]; k--)
            axes[k] = axes[k - 1];
        axes[k] = i;
        n++;
    }
    return n;
}

/* Are enough comparisons saved by taking one of the N axes after the other? What is between them is
 * written and read. */
static bool is_worth_it(const windows *w, const uint32_t *axes, uint32_t n)
{
    double at_once = 1, in_turn = 0, left = 1; /* of an element of the result */
    for (uint32_t k = n; k-- > 0;) {
        at_once *= (double)w->extent[axes[k]];
        in_turn += (double)w->extent[axes[k]] * left;
        left *= (double)w->strides[axes[k]];
    }
    return n > 1 && 4 * at_once >= 5 * in_turn;
}

/* X reduced as N is, along AXIS alone; the FIRST one has the axes without windows, too. */
static value_id along(expand_call *c, value_id x, const windows *w, uint32_t axis, bool first)
{
    int64_t extent[TN_MAX_RANK], strides[TN_MAX_RANK], dilation[TN_MAX_RANK], base[TN_MAX_RANK];
    int64_t pads[2 * TN_MAX_RANK];
    for (uint32_t i = 0; i < w->rank; i++) {
        const bool own = i == axis || (first && w->extent[i] == 1);
        extent[i] = own ? w->extent[i] : 1;
        strides[i] = own ? w->strides[i] : 1;
        dilation[i] = own ? w->dilation[i] : 1;
        base[i] = own ? w->base[i] : 1;
        pads[2 * i] = own ? w->pads[2 * i] : 0;
        pads[2 * i + 1] = own ? w->pads[2 * i + 1] : 0;
    }
    attr entries[] = {attr_of_ints(KEY_WINDOW, extent, w->rank),
                      attr_of_ints(KEY_STRIDES, strides, w->rank),
                      attr_of_ints(KEY_DILATION, dilation, w->rank),
                      attr_of_ints(KEY_BASE_DILATION, base, w->rank),
                      attr_of_ints(KEY_PADS, pads, 2 * w->rank),
                      attr_of_int(KEY_COMBINE, attr_int(c->n->attrs, KEY_COMBINE, -1))};
    return build_node(c->b, OP_REDUCE_WINDOW, &x, 1, entries, sizeof entries / sizeof *entries);
}

static tn_status split(expand_call *c, value_id *result)
{
    const node *n = c->n;
    uint32_t axes[TN_MAX_RANK];
    if (n->op != OP_REDUCE_WINDOW || attr_int(n->attrs, KEY_COMBINE, -1) == COMBINE_ADD ||
        attr_find(n->attrs, KEY_ACCUM_DTYPE))
        return TN_OK;
    const windows w = windows_of(n);
    const uint32_t count = find_axes(&w, axes);
    if (!is_worth_it(&w, axes, count))
        return TN_OK;
    value_id v = c->now[n->in[0]];
    for (uint32_t k = 0; k < count && c->b->status == TN_OK; k++)
        v = along(c, v, &w, axes[k], k == 0);
    *result = v;
    return c->b->status;
}

tn_status pass_split_windows(pass_context *cx, module *m)
{
    for (uint32_t i = 0; i < m->functions.n; i++)
        TN_TRY(function_substitute(m->functions.at[i], split, NULL, &cx->n_changed));
    return TN_OK;
}
