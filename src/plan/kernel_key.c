/* Keys of kernels. */
#include "plan/kernel_key.h"

enum { DEEPEST = 256 /* movements one after the other outside of a kernel */ };

typedef struct writer {
    const function *f;
    value_numbers *numbers;
    text_buffer *out;
    uint32_t depth;
    bool has_no_key;
} writer;

static void put(writer *w, const void *bytes, size_t n)
{
    text_put(w->out, bytes, n);
}

static void put_u64(writer *w, uint64_t x)
{
    put(w, &x, sizeof x);
}

static void put_pointer(writer *w, const void *p)
{
    put_u64(w, (uintptr_t)p);
}

static void put_value(writer *w, value_id v);

/* Everything of N but its place. */
static void put_node(writer *w, const node *n)
{
    put_u64(w, n->op);
    put_u64(w, n->n_in);
    put_u64(w, n->n_results);
    put_pointer(w, n->attrs);
    for (uint32_t i = 0; i < n->n_in; i++)
        put_value(w, n->in[i]);
}

/* The number of V. When it is new also its type, the op that makes it, and as much of what is
 * before that as nests look at: movement and constants of one number. */
static void put_value(writer *w, value_id v)
{
    value_numbers *numbers = w->numbers;
    if (v == NO_VALUE || numbers->of[v]) {
        put_u64(w, v == NO_VALUE ? UINT64_MAX : numbers->of[v]);
        return;
    }
    const node *n = node_of(w->f, v);
    numbers->met[numbers->n++] = v;
    numbers->of[v] = numbers->n;
    put_u64(w, 0);
    put_pointer(w, value_type(w->f, v));
    if (w->f->like)
        put_pointer(w, value_type(w->f->like, v));
    put_u64(w, n->op);
    put_u64(w, v - n->first_value);
    if (!access_is_movement(n) && !kernel_is_uniform(n))
        return;
    if (++w->depth > DEEPEST)
        w->has_no_key = true;
    else
        put_node(w, n);
    w->depth--;
}

static void put_expr(writer *w, const access_expr *e)
{
    put_u64(w, (uint64_t)e->constant);
    put_u64(w, e->n);
    for (uint32_t i = 0; i < e->n; i++) {
        const access_term *t = &e->at[i];
        put_u64(w, (uint64_t)t->factor);
        put_u64(w, t->kind);
        put_u64(w, t->axis);
        if (t->kind == ACCESS_AXIS)
            continue;
        put_u64(w, (uint64_t)t->by);
        put_expr(w, t->of);
    }
}

static void put_map(writer *w, const access_map *map)
{
    put_u64(w, map != NULL);
    if (!map)
        return;
    put_u64(w, map->rank);
    put(w, map->dims, map->rank * sizeof map->dims[0]);
    put_u64(w, map->n_source);
    for (uint32_t i = 0; i < map->n_source; i++)
        put_expr(w, map->at[i]);
    put_u64(w, map->n_guards);
    for (uint32_t i = 0; i < map->n_guards; i++) {
        const access_guard *g = &map->guards[i];
        put_expr(w, g->of);
        put_u64(w, (uint64_t)g->low);
        put_u64(w, (uint64_t)g->high);
        put_value(w, g->fill);
    }
}

static void put_kernel(writer *w, const kernel *k)
{
    const bool has_node = k->kind != KERNEL_MAP && k->kind != KERNEL_ROWS;
    w->has_no_key = w->has_no_key || k->draws;
    put_u64(w, k->kind);
    put_u64(w, k->rank);
    put(w, k->dims, k->rank * sizeof k->dims[0]);
    put_u64(w, k->reduced);
    put_u64(w, k->is_split);
    put_map(w, k->operands);
    if (has_node && k->kind != KERNEL_STAGES) {
        put_node(w, &w->f->nodes.at[k->node]);
        put_value(w, w->f->nodes.at[k->node].first_value);
    }
    put_u64(w, k->n_nodes);
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        put_node(w, &w->f->nodes.at[k->nodes[i]]);
        put_value(w, w->f->nodes.at[k->nodes[i]].first_value);
    }
    put_u64(w, k->n_in);
    for (uint32_t i = 0; i < k->n_in; i++)
        put_value(w, k->in[i]);
    put_u64(w, k->n_out);
    for (uint32_t i = 0; i < k->n_out; i++) {
        const kernel_output *out = &k->out[i];
        put_value(w, out->value);
        put_value(w, out->into);
        put_u64(w, out->is_window);
        put_map(w, out->from);
        put_u64(w, out->to == out->from);
        if (out->to != out->from)
            put_map(w, out->to);
    }
    put_u64(w, k->n_stages);
    for (uint32_t i = 0; i < k->n_stages; i++)
        put_kernel(w, &k->stages[i]);
}

bool value_numbers_init(value_numbers *numbers, const function *f, arena *memory)
{
    *numbers = (value_numbers){.of = ARENA_ARRAY(memory, uint32_t, f->values.n),
                               .met = ARENA_ARRAY(memory, value_id, f->values.n)};
    return numbers->of && numbers->met;
}

bool kernel_key(const function *f, const kernel *k, value_numbers *numbers, text_buffer *out)
{
    writer w = {.f = f, .numbers = numbers, .out = out};
    put_kernel(&w, k);
    for (uint32_t i = 0; i < numbers->n; i++)
        numbers->of[numbers->met[i]] = 0;
    numbers->n = 0;
    return !w.has_no_key;
}
