/* A softmax takes the largest element of each row away before it exponentiates: d = x - m,
 * e = exp(d), and the sum s of e along the rows, along which m is the same everywhere. Of these it
 * makes e / s, or d - log(s), which do not depend on m: what m contributes cancels. */
#include "grad/grad_shift.h"
#include "ops/shape.h"

enum { MOST_STEPS = 8 /* from a sum to where it is used */ };

typedef struct shift {
    const reverse_walk *w;
    value_id d, e, s;
    uint32_t along; /* bit a: the sum goes along axis a */
} shift;

/* ---- who uses what ---- */

static tn_status list_users(reverse_walk *w)
{
    arena *memory = &w->f->module->arena;
    uint32_t n = 0;
    w->first_user = ARENA_ARRAY(memory, uint32_t, (size_t)w->n_values + 2);
    if (!w->first_user)
        return module_no_memory(w->f->module);
    for (uint32_t i = w->first_node; i < w->end_node; i++)
        for (uint32_t k = 0; k < w->f->nodes.at[i].n_in; k++, n++)
            w->first_user[w->f->nodes.at[i].in[k] + 2]++;
    for (uint32_t v = 0; v < w->n_values; v++)
        w->first_user[v + 2] += w->first_user[v + 1];
    w->users = ARENA_ARRAY(memory, uint32_t, (size_t)n + 1);
    if (!w->users)
        return module_no_memory(w->f->module);
    for (uint32_t i = w->first_node; i < w->end_node; i++)
        for (uint32_t k = 0; k < w->f->nodes.at[i].n_in; k++)
            w->users[w->first_user[w->f->nodes.at[i].in[k] + 1]++] = i;
    return TN_OK;
}

static uint32_t n_users(const shift *h, value_id v)
{
    return h->w->first_user[v + 1] - h->w->first_user[v];
}

static const node *user(const shift *h, value_id v, uint32_t i)
{
    return &h->w->f->nodes.at[h->w->users[h->w->first_user[v] + i]];
}

/* The result of the one OP among the users of V; NO_VALUE: there is none, or several. */
static value_id result_of(const shift *h, value_id v, op_id op)
{
    value_id found = NO_VALUE;
    uint32_t n = 0;
    for (uint32_t i = 0; i < n_users(h, v); i++)
        if (user(h, v, i)->op == op) {
            found = user(h, v, i)->first_value;
            n++;
        }
    return n == 1 ? found : NO_VALUE;
}

/* ---- rows ---- */

/* The axes that the sum goes along. */
static bool find_axes(shift *h)
{
    const node *n = node_of(h->w->f, h->s);
    uint32_t count;
    axis_list axes;
    bool keep;
    const int64_t *list = attr_ints(n->attrs, KEY_AXES, &count);
    if (attr_find(n->attrs, KEY_INIT) ||
        resolve_reduction(attr_find(n->attrs, KEY_AXES) ? list : NULL, count,
                          attr_int(n->attrs, KEY_KEEPDIMS, 0) != 0, value_type(h->w->f, h->e)->rank,
                          &axes, &keep)
                .kind != SHAPE_OK)
        return false;
    h->along = axes.mask;
    return true;
}

/* Has T one element for each row, and the axes of the rows? */
static bool has_rows(const shift *h, const type *t)
{
    const type *x = value_type(h->w->f, h->d);
    bool has = t->rank == x->rank;
    for (uint32_t i = 0; has && i < x->rank; i++)
        has = t->dims[i] == (h->along >> i & 1 ? 1 : x->dims[i]);
    return has;
}

/* What V has for each row, in their order; NO_VALUE: it is no such value. */
static value_id of_rows(const shift *h, value_id v)
{
    const function *f = h->w->f;
    const type *x = value_type(f, h->d);
    const node *n = node_of(f, v);
    uint32_t map[TN_MAX_RANK], carried = 0;
    shape out;
    if (has_rows(h, value_type(f, v)))
        return v;
    if (n->op != OP_BROADCAST)
        return NO_VALUE;
    const type *from = value_type(f, n->in[0]);
    if (resolve_broadcast(n->attrs, from, &out, map).kind != SHAPE_OK || out.rank != x->rank)
        return NO_VALUE;
    for (uint32_t k = 0; k < from->rank; k++) {
        const bool is_along = h->along >> map[k] & 1;
        if (from->dims[k] != (is_along ? 1 : x->dims[map[k]]))
            return NO_VALUE;
        carried |= UINT32_C(1) << map[k];
    }
    for (uint32_t i = 0; i < x->rank; i++)
        if (!((carried | h->along) >> i & 1))
            return NO_VALUE;
    return n->in[0];
}

/* Does N, a movement, give the elements of its operand in their order, each of them once? */
static bool keeps_elements(const function *f, const node *n)
{
    if (n->op != OP_BROADCAST)
        return n->op == OP_RESHAPE || n->op == OP_EXPAND_DIMS;
    const type *from = value_type(f, n->in[0]), *to = value_type(f, n->first_value);
    uint32_t k = 0;
    for (uint32_t i = 0; i < to->rank; i++) {
        while (k < from->rank && from->dims[k] == 1)
            k++;
        if (to->dims[i] != 1 && (k == from->rank || from->dims[k++] != to->dims[i]))
            return false;
    }
    return true;
}

/* Is V the sum, or its logarithm, of the row of each element? */
static bool is_of_sum(const shift *h, value_id v, bool is_log)
{
    const function *f = h->w->f;
    bool has_log = false, has_spread = false;
    for (uint32_t step = 0; step < MOST_STEPS; step++) {
        const value_id row = has_spread ? NO_VALUE : of_rows(h, v);
        const node *n = node_of(f, v);
        if (row != NO_VALUE) {
            has_spread = true;
            v = row;
        } else if (v == h->s) {
            return has_spread && has_log == is_log;
        } else if (n->op == OP_LOG && !has_log) {
            has_log = true;
            v = n->in[0];
        } else if (has_spread && keeps_elements(f, n)) {
            v = n->in[0];
        } else {
            return false;
        }
    }
    return false;
}

/* ---- uses ---- */

/* Is N the softmax or its logarithm? */
static bool is_result(const shift *h, const node *n)
{
    return (n->op == OP_DIV && n->in[0] == h->e && is_of_sum(h, n->in[1], false)) ||
           (n->op == OP_SUB && n->in[0] == h->d && is_of_sum(h, n->in[1], true));
}

/* Is nothing else made of V than results, and values of ALSO? */
static bool has_no_more_users(const shift *h, value_id v, value_id also)
{
    for (uint32_t i = 0; i < n_users(h, v); i++)
        if (user(h, v, i)->first_value != also && !is_result(h, user(h, v, i)))
            return false;
    return !h->w->has_seed[v];
}

/* The same of V, which is made of the sum, where it may be moved on the way. */
static bool only_leads_there(const shift *h, value_id v, uint32_t step)
{
    if (step == MOST_STEPS || h->w->has_seed[v])
        return false;
    for (uint32_t i = 0; i < n_users(h, v); i++) {
        const node *n = user(h, v, i);
        const bool passes = n->op == OP_BROADCAST || n->op == OP_RESHAPE ||
                            n->op == OP_EXPAND_DIMS || n->op == OP_LOG;
        if (passes ? !only_leads_there(h, n->first_value, step + 1) : !is_result(h, n))
            return false;
    }
    return true;
}

tn_status grad_shift_cancels(reverse_walk *w, const node *n, bool *cancels)
{
    shift h = {.w = w, .d = n->first_value};
    *cancels = false;
    if (!w->users)
        TN_TRY(list_users(w));
    h.e = result_of(&h, h.d, OP_EXP);
    h.s = h.e == NO_VALUE ? NO_VALUE : result_of(&h, h.e, OP_SUM);
    *cancels = h.s != NO_VALUE && find_axes(&h) && of_rows(&h, n->in[1]) != NO_VALUE &&
               has_no_more_users(&h, h.d, h.e) && has_no_more_users(&h, h.e, h.s) &&
               only_leads_there(&h, h.s, 0);
    return TN_OK;
}
