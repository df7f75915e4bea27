/* scan, where the body computes element by element: a vector of elements stays in registers through
 * all iterations. */
#include "loop/emit/emit.h"
#include "loop/nest/loops.h"

typedef struct scanning {
    loops *l;
    const function *body;
    uint32_t n_carries;
    int64_t iterations, elements; /* of the scanned axis; of the largest value of the body */
    emitter e;
    loop_value first, count; /* the elements of this item; LOOP_NO_VALUE: all lanes count */
    loop_value iteration;
} scanning;

/* The body as a kernel that reads nothing: its parameters are made known to it. */
static bool begin(scanning *s)
{
    loops *l = s->l;
    kernel *k = ARENA_NEW(l->memory, kernel);
    uint32_t *nodes = ARENA_ARRAY(l->memory, uint32_t, s->body->nodes.n);
    if (!k || !nodes)
        return false;
    *k = (kernel){.kind = KERNEL_LOOPS, .nodes = nodes};
    for (uint32_t i = 0; i < s->body->nodes.n; i++)
        if (s->body->nodes.at[i].op != OP_INPUT)
            nodes[k->n_nodes++] = i;
    return emit_init(&s->e, &l->b, s->body, k, l->memory);
}

/* The part of a value of type T that the item has: element FROM and what follows, when T has all.
 */
static element load(const scanning *s, const type *t, loop_value base, loop_value from)
{
    return t->count == 1 ? loops_load(s->l, t->dtype, base, from, 1, LOOP_NO_VALUE)
                         : loops_load(s->l, t->dtype, base, loops_add(s->l, from, s->first),
                                      s->e.lanes, s->count);
}

/* What has one element is stored by the first item. */
static void store(const scanning *s, const type *t, loop_value base, loop_value from, element x)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    if (t->count > 1) {
        loops_store(l, base, loops_add(l, from, s->first), x, s->count);
        return;
    }
    const bool is_shared = s->elements > 1;
    if (is_shared)
        loop_if(b, loops_less(l, s->first, loop_i64(b, 1)));
    loops_store(l, base, from, x, LOOP_NO_VALUE);
    if (is_shared)
        loop_end(b);
}

static loop_value slice_start(const scanning *s, const type *t)
{
    return loops_times(s->l, s->iteration, t->count);
}

/* Output NUMBER of the body, in as many lanes as its type wants. */
static element output(scanning *s, uint32_t number)
{
    const value_id v = s->body->outputs.at[number];
    const type *t = value_type(s->body, v);
    const int64_t all = s->elements;
    access_map map;
    const access_map *at = NULL;
    if (t->count == 1) {
        const int64_t zero[TN_MAX_RANK] = {0}, none[TN_MAX_RANK][TN_MAX_RANK] = {{0}};
        if (access_of_steps(&all, 1, t->rank, zero, none, s->l->memory, &map))
            at = access_copy(&map, s->l->memory);
    } else if (access_of_reshape(&all, 1, t->dims, t->rank, s->l->memory, &map)) {
        at = access_copy(&map, s->l->memory);
    }
    if (!at) {
        s->e.failed = true;
        return element_zero(&s->l->b, t->dtype, 1);
    }
    return element_splat(&s->l->b, t->count == 1 ? 1 : s->e.lanes, emit_value(&s->e, v, at));
}

static void run_body(scanning *s, const element *carries, element *out)
{
    loops *l = s->l;
    for (uint32_t k = 0; k < s->body->inputs.n; k++) {
        const value_id v = s->body->inputs.at[k];
        const type *t = value_type(s->body, v);
        const element x = k < s->n_carries ? element_get(&l->b, carries[k])
                                           : load(s, t, loops_in(l, k), slice_start(s, t));
        emit_know(&s->e, v, NULL, x);
    }
    for (uint32_t k = 0; k < s->body->outputs.n; k++)
        out[k] = output(s, k);
}

/* All iterations for the elements of one item. */
static void run_item(scanning *s)
{
    loops *l = s->l;
    loop_builder *b = &l->b;
    const loop_value zero = loop_i64(b, 0);
    element carries[KERNEL_OUTPUTS], out[KERNEL_OUTPUTS];
    for (uint32_t k = 0; k < s->n_carries; k++)
        carries[k] = element_var(b, load(s, loops_type(l, k), loops_in(l, k), zero));
    s->iteration = loop_for(b, zero, loop_i64(b, s->iterations), 1);
    const uint32_t mark = emit_mark(&s->e);
    run_body(s, carries, out);
    for (uint32_t k = 0; k < s->body->outputs.n; k++) {
        const type *t = function_output_type(s->body, k);
        if (k < s->n_carries)
            element_set(b, carries[k], out[k]);
        else
            store(s, t, loops_out(l, k), slice_start(s, t), out[k]);
    }
    emit_forget(&s->e, mark);
    loop_end(b);
    for (uint32_t k = 0; k < s->n_carries; k++)
        store(s, loops_result(l, k), loops_out(l, k), zero, element_get(b, carries[k]));
}

static uint64_t cost_of(const scanning *s)
{
    return (uint64_t)s->iterations * nest_cost(s->body, s->e.k) * s->e.lanes;
}

bool loops_of_scan(loops *l)
{
    loop_builder *b = &l->b;
    scanning s = {.l = l,
                  .body = kernel_scan_body(l->f, l->n),
                  .n_carries = (uint32_t)attr_int(l->n->attrs, KEY_CARRY_COUNT, 0),
                  .elements = 1,
                  .count = LOOP_NO_VALUE};
    uint32_t lanes = 16;
    s.iterations = loops_type(l, s.n_carries)->dims[0];
    for (value_id v = 0; v < s.body->values.n; v++) {
        const type *t = value_type(s.body, v);
        s.elements = t->count > s.elements ? t->count : s.elements;
        lanes = dtype_bytes(t->dtype) > 4 ? 8 : lanes;
    }
    while (lanes > 1 && lanes / 2 >= s.elements)
        lanes /= 2;
    if (!begin(&s))
        return false;
    s.first = loops_times(l, loops_items(l), lanes);
    if (s.elements % lanes)
        s.count = loop_min(b, loop_binary(b, LOOP_ISUB, loop_i64(b, s.elements), s.first),
                           loop_i64(b, lanes));
    s.e.rank = 1;
    s.e.at[0] = s.first;
    s.e.vector_axis = lanes > 1 ? 0 : 1;
    s.e.lanes = lanes;
    s.e.count = s.count;
    run_item(&s);
    loop_end(b);
    return !s.e.failed && loops_step(l, (s.elements + lanes - 1) / lanes, cost_of(&s),
                                     "all iterations for some elements");
}
