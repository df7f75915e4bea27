/* scan and while, where the regions compute element by element: a vector of elements stays in
 * registers through all iterations. */
#include "loop/emit/emit.h"
#include "loop/nest/loops/loops.h"

/* The elements of an item: those from FIRST on of values that have as many as the largest. */
typedef struct part {
    loops *l;
    int64_t elements; /* of the largest value */
    int64_t elements_other;
    uint32_t lanes;
    loop_value first, count; /* LOOP_NO_VALUE: all lanes count */
} part;

/* A region as a kernel that reads nothing: its parameters are made known to it. */
typedef struct region {
    const function *f;
    emitter e;
} region;

static void begin_part(loops *l, part *p)
{
    enum { ELEMENTS = 1 }; /* the name of their number (loop_size) */
    static const attr_key keys[] = {KEY_BODY_REGION, KEY_COND_REGION};
    loop_builder *b = &l->b;
    *p = (part){.l = l,
                .elements = kernel_region_elements(l->f, l->n),
                .lanes = 16,
                .count = LOOP_NO_VALUE};
    for (uint32_t r = 0; r < 1 + (l->n->op == OP_WHILE); r++) {
        const function *f = kernel_region(l->f, l->n, keys[r]);
        for (value_id v = 0; v < f->values.n; v++)
            if (dtype_bytes(value_type(f, v)->dtype) > 4)
                p->lanes = 8;
    }
    while (p->lanes > 1 && p->lanes / 2 >= p->elements)
        p->lanes /= 2;
    p->first = loops_times(l, loops_items(l), p->lanes);
    const node *other = l->f->like ? node_of(l->f->like, l->n->first_value) : NULL;
    p->elements_other = other ? kernel_region_elements(l->f->like, other) : p->elements;
    const bool is_dynamic = p->elements != p->elements_other;
    if (is_dynamic || p->elements % p->lanes) {
        const loop_value all = nest_number(b, is_dynamic, ELEMENTS, p->elements);
        p->count = loop_min(b, loop_binary(b, LOOP_ISUB, all, p->first), loop_i64(b, p->lanes));
    }
}

static bool begin_region(const part *p, const function *f, region *r)
{
    loops *l = p->l;
    kernel *k = ARENA_NEW(l->memory, kernel);
    uint32_t *nodes = ARENA_ARRAY(l->memory, uint32_t, f->nodes.n);
    r->f = f;
    if (!k || !nodes)
        return false;
    *k = (kernel){.kind = KERNEL_LOOPS, .nodes = nodes};
    for (uint32_t i = 0; i < f->nodes.n; i++)
        if (f->nodes.at[i].op != OP_INPUT)
            nodes[k->n_nodes++] = i;
    if (!emit_init(&r->e, &l->b, f, k, l->memory))
        return false;
    r->e.rank = 1;
    r->e.at[0] = p->first;
    r->e.vector_axis = p->lanes > 1 ? 0 : 1;
    r->e.lanes = p->lanes;
    r->e.count = p->count;
    return true;
}

/* What the item has of a value of type T that starts at element FROM of BASE. */
static element load(const part *p, const type *t, loop_value base, loop_value from)
{
    return t->count == 1 ? loops_load(p->l, t->dtype, base, from, 1, LOOP_NO_VALUE)
                         : loops_load(p->l, t->dtype, base, loops_add(p->l, from, p->first),
                                      p->lanes, p->count);
}

/* What has one element is stored by the first item. */
static void store(const part *p, const type *t, loop_value base, loop_value from, element x)
{
    loops *l = p->l;
    loop_builder *b = &l->b;
    if (t->count > 1) {
        loops_store(l, base, loops_add(l, from, p->first), x, p->count);
        return;
    }
    const bool is_shared = p->elements > 1;
    if (is_shared)
        loop_if(b, loops_less(l, p->first, loop_i64(b, 1)));
    loops_store(l, base, from, x, LOOP_NO_VALUE);
    if (is_shared)
        loop_end(b);
}

/* The map from the elements to a value of type T. NULL without memory. */
static const access_map *places(const part *p, const function *f, value_id v)
{
    const type *t = value_type(f, v);
    const int64_t zero[TN_MAX_RANK] = {0}, none[TN_MAX_RANK][TN_MAX_RANK] = {{0}};
    const access_extents all = {1, &p->elements, &p->elements_other};
    arena *memory = p->l->memory;
    access_map map;
    const bool ok = t->count == 1
                        ? access_of_steps(&p->elements, 1, t->rank, zero, none, memory, &map)
                        : access_of_reshape(all, access_extents_of(f, v), memory, &map);
    return ok ? access_copy(&map, memory) : NULL;
}

/* The results of R for parameters IN, each in as many lanes as its type wants. */
static void run_region(const part *p, region *r, const element *in, element *out)
{
    const uint32_t mark = emit_mark(&r->e);
    for (uint32_t k = 0; k < r->f->inputs.n; k++)
        emit_know(&r->e, r->f->inputs.at[k], NULL, in[k]);
    for (uint32_t k = 0; k < r->f->outputs.n; k++) {
        const value_id v = r->f->outputs.at[k];
        const type *t = value_type(r->f, v);
        const access_map *at = places(p, r->f, v);
        r->e.failed = r->e.failed || !at;
        const element x = at ? emit_value(&r->e, v, at) : element_zero(&p->l->b, t->dtype, 1);
        out[k] = element_splat(&p->l->b, t->count == 1 ? 1 : p->lanes, x);
    }
    emit_forget(&r->e, mark);
}

/* ---- carries ---- */

static void begin_carries(const part *p, uint32_t n, element *carries)
{
    loops *l = p->l;
    for (uint32_t k = 0; k < n; k++)
        carries[k] =
            element_var(&l->b, load(p, loops_type(l, k), loops_in(l, k), loop_i64(&l->b, 0)));
}

static void get_carries(const part *p, uint32_t n, const element *carries, element *x)
{
    for (uint32_t k = 0; k < n; k++)
        x[k] = element_get(&p->l->b, carries[k]);
}

static void set_carries(const part *p, uint32_t n, const element *carries, const element *x)
{
    for (uint32_t k = 0; k < n; k++)
        element_set(&p->l->b, carries[k], x[k]);
}

static void end_carries(const part *p, uint32_t n, const element *carries)
{
    loops *l = p->l;
    for (uint32_t k = 0; k < n; k++)
        store(p, loops_result(l, k), loops_out(l, k), loop_i64(&l->b, 0),
              element_get(&l->b, carries[k]));
}

static bool finish(const part *p, const region *r, uint64_t iterations)
{
    const uint64_t cost = iterations * nest_cost(r->f, r->e.k) * p->lanes;
    return !r->e.failed && loops_step(p->l, (p->elements + p->lanes - 1) / p->lanes, cost,
                                      "all iterations for some elements");
}

/* ---- the ops ---- */

bool loops_of_scan(loops *l)
{
    enum { MOST = 64 }; /* parameters of the body */
    loop_builder *b = &l->b;
    const uint32_t n = (uint32_t)attr_int(l->n->attrs, KEY_CARRY_COUNT, 0);
    const access_extents over = access_extents_of(l->f, l->n->in[n]);
    const int64_t iterations = over.now[0];
    element carries[KERNEL_OUTPUTS], in[MOST], out[KERNEL_OUTPUTS];
    part p;
    region body;
    begin_part(l, &p);
    if (l->n->n_in > MOST || !begin_region(&p, kernel_region(l->f, l->n, KEY_BODY_REGION), &body))
        return false;
    begin_carries(&p, n, carries);
    const loop_value iteration =
        loop_for(b, loop_i64(b, 0), loop_sized(b, (sized){iterations, over.other[0]}), 1);
    get_carries(&p, n, carries, in);
    for (uint32_t k = n; k < l->n->n_in; k++) {
        const type *t = function_input_type(body.f, k);
        const sized each = kernel_elements_from(body.f, body.f->inputs.at[k], 0);
        in[k] = load(&p, t, loops_in(l, k), loops_times_sized(l, iteration, each));
    }
    run_region(&p, &body, in, out);
    set_carries(&p, n, carries, out);
    for (uint32_t k = n; k < body.f->outputs.n; k++) {
        const type *t = function_output_type(body.f, k);
        const sized each = kernel_elements_from(body.f, body.f->outputs.at[k], 0);
        store(&p, t, loops_out(l, k), loops_times_sized(l, iteration, each), out[k]);
    }
    loop_end(b);
    end_carries(&p, n, carries);
    loop_end(b);
    return finish(&p, &body, (uint64_t)iterations);
}

/* Two loops, of which only the outer one polls, so that short iterations need not. */
bool loops_of_while(loops *l)
{
    enum { INNER = 1024, FEW = 64 /* iterations are expected */ };
    loop_builder *b = &l->b;
    const uint32_t n = l->n->n_in;
    element carries[KERNEL_OUTPUTS], x[1 + KERNEL_OUTPUTS] = {{0}};
    part p;
    region cond, body;
    begin_part(l, &p);
    if (!begin_region(&p, kernel_region(l->f, l->n, KEY_COND_REGION), &cond) ||
        !begin_region(&p, kernel_region(l->f, l->n, KEY_BODY_REGION), &body))
        return false;
    begin_carries(&p, n, carries);
    const loop_value is_over = loop_var(b, loop_const(b, loop_type_of(LOOP_MASK, 1), 0));
    (void)loop_for(b, loop_i64(b, 0), loop_i64(b, INT64_C(1) << 50), 1);
    (void)loop_for(b, loop_i64(b, 0), loop_i64(b, INNER), 1);
    get_carries(&p, n, carries, x);
    run_region(&p, &cond, x, x);
    set_carries(&p, n, carries, x + 1);
    const loop_value ends = loop_unary(b, LOOP_NOT, x[0].re);
    loop_set(b, is_over, ends);
    loop_leave(b, ends);
    run_region(&p, &body, x + 1, x);
    set_carries(&p, n, carries, x);
    loop_end(b);
    loop_leave(b, loop_get(b, is_over));
    loop_end(b);
    end_carries(&p, n, carries);
    loop_end(b);
    return !cond.e.failed && finish(&p, &body, FEW);
}
