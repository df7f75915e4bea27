/* The problem of a contraction, in which operands may be exchanged: what its axes and windows come
 * to. */
#include <string.h>

#include "base/memory/checked.h"
#include "loop/contract/contract_parts.h"

bool contract_count_axes(const contract_axis *axes, uint32_t n, int64_t *count)
{
    int64_t extents[CONTRACT_MAX_AXES];
    for (uint32_t i = 0; i < n; i++)
        extents[i] = axes[i].extent;
    return product_i64(extents, n, count);
}

walk contract_walk_of(const contract_axis *axes, uint32_t n, size_t field, size_t other)
{
    walk w;
    walk_init(&w);
    for (uint32_t i = 0; i < n; i++) {
        sized step;
        memcpy(&step.now, (const char *)&axes[i] + field, sizeof step.now);
        memcpy(&step.other, (const char *)&axes[i] + other, sizeof step.other);
        walk_add(&w, axis_extent(&axes[i]), step);
    }
    return w;
}

static void exchange_axes(contract_axis *axes, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const sized a = axis_a(&axes[i]);
        axes[i].a = axes[i].b;
        axes[i].a_other = axes[i].b_other;
        axes[i].b = a.now;
        axes[i].b_other = a.other;
    }
}

/* Exchange the operands. Which of them a product takes first stays. */
void contract_exchange(problem *p)
{
    const factors a = p->a;
    const int64_t rows = p->m;
    contract_spec *s = &p->spec;
    contract_axis m[CONTRACT_MAX_AXES];
    const contract_spec old = *s;
    exchange_axes(s->batch, s->n_batch);
    exchange_axes(s->m, s->n_m);
    exchange_axes(s->n, s->n_n);
    exchange_axes(s->k, s->n_k);
    memcpy(m, s->m, sizeof m);
    memcpy(s->m, s->n, sizeof m);
    memcpy(s->n, m, sizeof m);
    s->n_m = old.n_n;
    s->n_n = old.n_m;
    s->a = old.b;
    s->b = old.a;
    s->a_first = old.b_first;
    s->b_first = old.a_first;
    s->a_first_other = old.b_first_other;
    s->b_first_other = old.a_first_other;
    s->load_a = old.load_b;
    s->load_b = old.load_a;
    s->user_a = old.user_b;
    s->user_b = old.user_a;
    s->row_a = old.row_b;
    s->row_b = old.row_a;
    s->a_is_constant = s->b_is_constant = false;
    s->is_transposed = !s->is_transposed;
    s->b_is_first = !s->b_is_first;
    p->a = p->b;
    p->b = a;
    p->m = p->n;
    p->n = rows;
}

bool contract_has_dynamic(const contract_axis *axes, uint32_t n)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++)
        any = any || axis_is_dynamic(&axes[i]);
    return any;
}

bool contract_problem_init(problem *p, const contract_spec *spec, const machine *on)
{
    int64_t all;
    *p = (problem){.spec = *spec};
    contract_spec *s = &p->spec;
    p->form = dtype_compute(s->sum);
    p->elem = element_compute(p->form);
    p->parts = dtype_is_complex(p->form) ? 2 : 1;
    p->bytes = (int64_t)loop_elem_bytes(p->elem);
    if (!contract_count_axes(s->batch, s->n_batch, &p->batch) ||
        !contract_count_axes(s->m, s->n_m, &p->m) || !contract_count_axes(s->n, s->n_n, &p->n) ||
        !contract_count_axes(s->k, s->n_k, &p->k) ||
        !product_i64((const int64_t[]){p->batch, p->m, p->n}, 3, &all) ||
        p->k > INT64_MAX / (1 << 16))
        return false;
    p->a = (factors){.dtype = s->a, .buffer = CONTRACT_A, .load = s->load_a, .user = s->user_a};
    p->b = (factors){.dtype = s->b, .buffer = CONTRACT_B, .load = s->load_b, .user = s->user_b};
    p->a.row = s->row_a;
    p->b.row = s->row_b;
    const int64_t lanes = on->vector_bytes / p->bytes;
    p->lanes = (uint32_t)(lanes > LOOP_MAX_LANES ? LOOP_MAX_LANES : lanes < 1 ? 1 : lanes);
    /* A result of one column becomes one row, whose elements are contiguous. Not for complex
     * numbers: their chains distinguish the factors. */
    if (p->n == 1 && p->m > 1 && p->parts == 1 && s->n_windows == 0 && !contract_is_dots(s, on))
        contract_exchange(p);
    p->has_many_registers = on->registers > 16;
    p->has_dynamic_n = contract_has_dynamic(s->n, s->n_n);
    p->has_dynamic_k = contract_has_dynamic(s->k, s->n_k);
    /* A constant is packed for as many columns as there are now, which is too few panels where
     * their number is dynamic: then it is packed by the kernel. */
    s->b_is_constant = s->b_is_constant && !p->has_dynamic_n;
    return true;
}

bool contract_has_border(problem *p)
{
    contract_spec *s = &p->spec;
    for (uint32_t i = 0; i < s->n_windows; i++)
        if (window_has_border(s, &s->windows[i]))
            return true;
    return false;
}

void contract_drop_windows(problem *p)
{
    contract_spec *s = &p->spec;
    for (uint32_t i = 0; i < s->n_windows; i++) {
        const contract_window *w = &s->windows[i];
        for (uint32_t k = 0; k < w->n; k++) {
            contract_axis *x = window_axis(s, w, k);
            x->a += w->walkers[k].by * w->step;
            x->a_other = other_add(x->a_other, other_mul(w->walkers[k].by_other, w->step_other));
        }
        s->a_first -= w->low * w->step;
        s->a_first_other = other_add(s->a_first_other, other_mul(-w->low_other, w->step_other));
    }
    s->n_windows = 0;
}

void contract_join_products(problem *p)
{
    const contract_spec *s = &p->spec;
    product_axes *k = &p->products;
    k->n = 0;
    for (uint32_t i = 0; i < s->n_k; i++) {
        const contract_axis *x = &s->k[i];
        if (x->extent == 1)
            continue;
        if (k->n > 0 && k->a[k->n - 1] == x->extent * x->a && k->b[k->n - 1] == x->extent * x->b) {
            const uint32_t last = k->n - 1;
            k->extent[last] *= x->extent;
            k->extent_other[last] = other_mul(k->extent_other[last], x->extent_other);
        } else {
            k->extent[k->n] = x->extent;
            k->extent_other[k->n++] = x->extent_other;
        }
        k->a[k->n - 1] = x->a;
        k->b[k->n - 1] = x->b;
        k->a_other[k->n - 1] = x->a_other;
        k->b_other[k->n - 1] = x->b_other;
    }
    if (k->n == 0) {
        k->n = 1;
        k->extent[0] = k->extent_other[0] = p->k > 0 ? p->k : 1;
        k->a[0] = k->b[0] = k->a_other[0] = k->b_other[0] = 0;
    }
}
