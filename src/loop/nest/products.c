/* Nests of contractions: which axis of each operand is a batch, row, column or product axis, and
 * how the rest of the kernel makes operands and what it does with the results. */
#include <string.h>

#include "loop/nest/products.h"

/* Elements of what is computed: fewer stay in a cache. What has fewer than there are results is
 * read several times, and is little beside the arithmetic. */
enum { MANY = 256 << 10 };

/* ---- the axes ---- */

static uint32_t input_number(const kernel *k, value_id v)
{
    uint32_t i = 0;
    while (i < k->n_in && k->in[i] != v)
        i++;
    return i;
}

static void add_windows(const contraction *p, uint32_t o, const uint32_t *number, contract_spec *s)
{
    static const contract_list lists[] = {[CONTRACTION_BATCH] = CONTRACT_BATCH,
                                          [CONTRACTION_ROWS] = CONTRACT_M,
                                          [CONTRACTION_COLUMNS] = CONTRACT_M, /* exchanged */
                                          [CONTRACTION_SUM] = CONTRACT_K};
    for (uint32_t i = 0; i < p->operand[o].n_windows; i++) {
        const contraction_window *w = &p->operand[o].windows[i];
        contract_window *to = &s->windows[s->n_windows++];
        *to = (contract_window){.n = w->n,
                                .low = w->low,
                                .extent = w->extent,
                                .step = w->step,
                                .low_other = w->low_other,
                                .extent_other = w->extent_other,
                                .step_other = w->step_other};
        for (uint32_t k = 0; k < w->n; k++) {
            to->walkers[k].list = lists[p->loops[w->walkers[k].loop].part];
            to->walkers[k].axis = number[w->walkers[k].loop];
            to->walkers[k].by = w->walkers[k].by;
            to->walkers[k].by_other = w->walkers[k].by_other;
        }
    }
}

/* Operand O of P as A, the other one as B. */
static void set_axes(const contraction *p, uint32_t o, contract_spec *s)
{
    uint32_t number[TN_MAX_RANK];
    for (uint32_t i = 0; i < p->n_loops; i++) {
        const contraction_loop *x = &p->loops[i];
        contract_axis *list = s->batch;
        uint32_t *n = &s->n_batch;
        if (x->part == CONTRACTION_SUM) {
            list = s->k;
            n = &s->n_k;
        } else if (x->part != CONTRACTION_BATCH) {
            const bool is_m = ((x->part == CONTRACTION_ROWS) != p->is_exchanged) == (o == 0);
            list = is_m ? s->m : s->n;
            n = is_m ? &s->n_m : &s->n_n;
        }
        number[i] = *n;
        contract_axis_add(list, n, x->extent, x->step[o], x->step[1 - o], x->c);
        contract_axis *axis = &list[*n - 1];
        axis->extent_other = x->extent_other;
        axis->a_other = x->step_other[o];
        axis->b_other = x->step_other[1 - o];
        axis->c_other = x->c_other;
    }
    add_windows(p, o, number, s);
    s->is_transposed = (o == 1) != p->is_exchanged;
}

/* Do the windows of operand 0 meet no element twice, and lie in runs in memory? Then they become
 * plain steps: as columns, packed run by run, they have results that are contiguous. */
static bool has_patches(const contraction *p)
{
    const contraction_operand *x = &p->operand[0];
    bool has_runs = false;
    for (uint32_t i = 0; i < x->n_windows; i++) {
        const contraction_window *w = &x->windows[i];
        int64_t apart = INT64_MAX, reach = 1;
        for (uint32_t k = 0; k < w->n; k++) {
            const contraction_loop *loop = &p->loops[w->walkers[k].loop];
            const int64_t by = w->walkers[k].by;
            if (loop->extent != loop->extent_other)
                return false;
            if (loop->part != CONTRACTION_SUM) {
                apart = by;
                continue;
            }
            reach += (loop->extent - 1) * by;
            has_runs = has_runs || (w->step == 1 && by == 1 && loop->extent >= CONTRACT_LEAST_RUN);
        }
        if (apart < reach)
            return false;
    }
    return has_runs && p->is_exchanged && !p->is_direct && !x->is_guarded;
}

/* Which operand is A? The one with windows, as B has none. */
static uint32_t left_operand(const contraction *p)
{
    if (p->operand[0].is_guarded || p->operand[1].is_guarded)
        return p->operand[1].is_guarded;
    if (p->is_exchanged && !p->is_direct && p->operand[0].n_windows == 0)
        return 1; /* the results of positions side by side are contiguous */
    return p->operand[0].n_windows == 0 && p->operand[1].n_windows > 0;
}

/* What is computed, with operand O as A. */
static void find_spec(const function *f, const node *n, contraction *p, uint32_t o,
                      contract_spec *s)
{
    s->a = value_type(f, p->operand[o].base)->dtype;
    s->b = value_type(f, p->operand[1 - o].base)->dtype;
    s->c = value_type(f, n->first_value)->dtype;
    s->sum = contraction_sum(f, n);
    s->b_is_first = o == 1;
    s->a_is_constant = node_of(f, p->operand[o].base)->op == OP_CONSTANT;
    s->b_is_constant = node_of(f, p->operand[1 - o].base)->op == OP_CONSTANT;
    contraction_drop_windows(p, 1 - o);
    set_axes(p, o, s);
    s->a_border = p->operand[o].border;
}

/* ---- what is before ---- */

/* Stand at PLACE. What is computed of the position is then known to be the same, or one further,
 * for neighbouring rows. */
static void go_to(emitter *e, loop_builder *b, const contract_place *place)
{
    const uint32_t n = e->rank;
    const kernel *k = e->k;
    const bool steps = place->of > 1 && n > 1 && k->dims[n - 2] % place->of == 0 &&
                       nest_extent(k, n - 2).now == nest_extent(k, n - 2).other;
    loop_value at = place->at;
    if (place->rows > 0 && !steps)
        at = loop_binary(b, LOOP_IADD, at,
                         loop_binary(b, LOOP_IMUL, loop_i64(b, place->rows),
                                     loop_sized(b, nest_extent(k, n - 1))));
    nest_decode(e, at, n);
    if (steps) /* a multiple of OF, which is a power of two */
        e->at[n - 2] = loop_binary(
            b, LOOP_IADD, loop_binary(b, LOOP_AND, e->at[n - 2], loop_i64(b, -(int64_t)place->of)),
            loop_i64(b, place->rows));
    if (place->along != LOOP_NO_VALUE && n > 0)
        e->at[n - 1] = loop_binary(b, LOOP_IADD, e->at[n - 1], place->along);
}

/* Vectors stay in a row of the kernel's positions: see plan/prologues.c. */
static element load_computed(void *user, loop_builder *b, const contract_place *place,
                             uint32_t lanes, loop_value count)
{
    prologue *x = user;
    emitter *e = &x->e;
    e->b = b;
    for (uint32_t i = 0; i < x->k.n_in; i++)
        e->in[i] = loop_buffer(b, x->numbers[i]);
    e->lanes = lanes;
    e->count = count;
    e->vector_axis = lanes > 1 ? e->rank - 1 : e->rank;
    e->ahead = place->ahead;
    e->lanes_before = place->before;
    go_to(e, b, place);
    const uint32_t mark = emit_mark(e);
    const element value = emit_value(e, x->k.out[0].value, x->k.out[0].from);
    emit_forget(e, mark);
    return element_splat(b, lanes, value);
}

/* Operand V of K, which K computes. */
static prologue *prologue_of(const function *f, const kernel *k, value_id v, arena *memory)
{
    prologue *x = ARENA_NEW(memory, prologue);
    kernel_output *out = ARENA_NEW(memory, kernel_output);
    loop_builder unused;
    access_map all;
    const type *t = value_type(f, v);
    loop_init(&unused, memory);
    if (!x || !out || !access_identity(t->dims, t->rank, memory, &all))
        return NULL;
    const access_map *map = access_copy(&all, memory);
    *out = (kernel_output){v, v, map, map, false};
    kernel own = {.kind = KERNEL_MAP,
                  .rank = t->rank,
                  .n_nodes = k->n_nodes,
                  .nodes = k->nodes,
                  .n_in = k->n_in,
                  .in = k->in,
                  .n_out = 1,
                  .out = out};
    memcpy(own.dims, t->dims, t->rank * sizeof *t->dims);
    memcpy(own.other, access_extents_of(f, v).other, t->rank * sizeof *t->dims);
    if (!map || !nest_simplify(f, &own, memory, &x->k) ||
        !emit_init(&x->e, &unused, f, &x->k, memory))
        return NULL;
    x->e.rank = x->k.rank;
    x->e.least = t->count > MANY ? t->count : MANY;
    return x;
}

/* The operands of P that K computes. False without memory. */
static bool set_prologues(const function *f, const kernel *k, arena *memory, product *p)
{
    for (uint32_t i = 0; i < 2; i++) {
        const value_id v = (i == 0 ? product_a(p) : product_b(p))->base;
        if (input_number(k, v) < k->n_in)
            continue;
        p->operands[i] = prologue_of(f, k, v, memory);
        if (!p->operands[i])
            return false;
        *(i == 0 ? &p->spec.load_a : &p->spec.load_b) = load_computed;
        *(i == 0 ? &p->spec.user_a : &p->spec.user_b) = p->operands[i];
        const kernel *own = &p->operands[i]->k;
        *(i == 0 ? &p->spec.row_a : &p->spec.row_b) = own->rank ? own->dims[own->rank - 1] : 0;
    }
    return true;
}

/* ---- what follows ---- */

static sized extent_of(const contract_axis *axes, uint32_t n)
{
    sized extent = sized_of(1);
    for (uint32_t i = 0; i < n; i++)
        extent = sized_mul(extent, (sized){axes[i].extent, axes[i].extent_other});
    return extent;
}

/* Nothing reads a value here that exists only in scratch memory. */
static loop_value own_buffer(const follow_up *u, loop_builder *b, uint32_t number)
{
    if (u->numbers && u->numbers[number] == UINT32_MAX)
        return LOOP_NO_VALUE;
    return loop_buffer(b, u->numbers ? u->numbers[number] : CONTRACT_MORE + number);
}

/* Store X at the position of PART in the rows at TO. */
static void store_to_scratch(loop_builder *b, const contract_part *part, loop_value to, element x)
{
    const int64_t bytes = (int64_t)dtype_bytes(x.dtype);
    const loop_value at =
        loop_offset(b, to, loop_binary(b, LOOP_IMUL, part->at, loop_i64(b, bytes)));
    x = element_splat(b, part->lanes, x);
    if (part->count == LOOP_NO_VALUE)
        element_store(b, at, x, (uint32_t)loop_elem_bytes(element_storage(x.dtype)));
    else
        element_store_first(b, at, x, part->count,
                            (uint32_t)loop_elem_bytes(element_storage(x.dtype)));
}

/* Called anew in each program, perhaps several times: buffers are loaded where they are used. */
static void finish(void *user, loop_builder *b, const contract_part *part)
{
    follow_up *u = user;
    emitter *e = &u->e;
    const kernel *k = &u->k;
    e->b = b;
    for (uint32_t i = 0; i < k->n_in; i++)
        e->in[i] = own_buffer(u, b, i);
    emit_find_seed(e, CONTRACT_MORE); /* stages draw nothing */
    e->lanes = part->lanes;
    e->count = part->count;
    e->vector_axis = part->is_column ? 0 : 1;
    e->at[0] =
        loop_binary(b, LOOP_IADD, part->m,
                    loop_binary(b, LOOP_IMUL, part->batch, loop_sized(b, nest_extent(k, 0))));
    e->at[1] = part->n;
    e->stored_next = e->ahead = part->next;
    const uint32_t mark = emit_mark(e);
    emit_know(e, u->result, NULL, part->value);
    for (uint32_t i = 0; i < k->n_out; i++) {
        const kernel_output *out = &k->out[i];
        const element x = emit_value(e, out->value, out->from);
        if (u->scratch != LOOP_NO_VALUE)
            store_to_scratch(b, part, u->scratch, x);
        else
            emit_store(e, out, own_buffer(u, b, emit_output_buffer(k, i)), x, false);
    }
    emit_forget(e, mark);
}

/* Axes of results, each with its step there. */
typedef struct result_axes {
    uint32_t n;
    int64_t extent[TN_MAX_RANK], other[TN_MAX_RANK], c[TN_MAX_RANK];
} result_axes;

static void list_axes(const contract_axis *axes, uint32_t n, result_axes *out)
{
    for (uint32_t i = 0; i < n; i++) {
        if (axes[i].extent == 1)
            continue;
        out->extent[out->n] = axes[i].extent;
        out->other[out->n] = axes[i].extent_other;
        out->c[out->n++] = axes[i].c;
    }
}

/* From the positions of A, in their order, to the row-major ones of results of shape DIMS. */
static bool map_to_results(const result_axes *a, access_extents dims, arena *memory,
                           access_map *out)
{
    uint32_t place[TN_MAX_RANK]; /* in the result */
    int64_t sorted[TN_MAX_RANK], other[TN_MAX_RANK];
    access_map order, shape;
    for (uint32_t i = 0; i < a->n; i++) {
        place[i] = 0;
        for (uint32_t k = 0; k < a->n; k++)
            place[i] += a->c[k] > a->c[i];
        sorted[place[i]] = a->extent[i];
        other[place[i]] = a->other[i];
    }
    return access_of_order(sorted, place, a->n, memory, &order) &&
           access_of_reshape((access_extents){a->n, sorted, other}, dims, memory, &shape) &&
           access_compose(&order, &shape, memory, out);
}

/* The kernel over two axes: the rows of all batches, and the columns. */
static bool two_axes(const contract_spec *s, const kernel *k, arena *memory, kernel *out)
{
    const sized m = extent_of(s->m, s->n_m), n = extent_of(s->n, s->n_n);
    const sized batch = extent_of(s->batch, s->n_batch);
    const sized rows = s->is_transposed ? n : m, columns = s->is_transposed ? m : n;
    const sized all = sized_mul(batch, rows);
    const int64_t dims[2] = {all.now, columns.now}, other[2] = {all.other, columns.other};
    result_axes axes = {.n = 0};
    access_map map, to_axes, to_results;
    list_axes(s->batch, s->n_batch, &axes);
    list_axes(s->is_transposed ? s->n : s->m, s->is_transposed ? s->n_n : s->n_m, &axes);
    list_axes(s->is_transposed ? s->m : s->n, s->is_transposed ? s->n_m : s->n_n, &axes);
    if (!access_of_reshape((access_extents){2, dims, other},
                           (access_extents){axes.n, axes.extent, axes.other}, memory, &to_axes) ||
        !map_to_results(&axes, (access_extents){k->rank, k->dims, k->other}, memory, &to_results) ||
        !access_compose(&to_axes, &to_results, memory, &map) ||
        !nest_rebase(k, &map, other, 0, memory, out))
        return false;
    out->dims[0] = rows.now; /* of one batch */
    out->other[0] = rows.other;
    return true;
}

static bool stores_plainly(const kernel *k, const node *n)
{
    return k->n_out == 1 && k->out[0].value == n->first_value && k->out[0].into == n->first_value;
}

/* The only node of K that reads input I beside its contraction; NULL: there are more or none. */
static const node *only_reader(const function *f, const kernel *k, uint32_t i)
{
    const node *reader = NULL;
    for (uint32_t j = 0; j < k->n_nodes; j++) {
        const node *of = &f->nodes.at[k->nodes[j]];
        for (uint32_t o = 0; o < of->n_in && k->nodes[j] != k->node; o++) {
            if (of->in[o] == k->in[i] && reader)
                return NULL;
            reader = of->in[o] == k->in[i] ? of : reader;
        }
    }
    for (uint32_t o = 0; o < k->n_out; o++)
        if (k->out[o].value == k->in[i])
            return NULL;
    return reader;
}

/* Elements of input number I of K before the slice of it, if that is all that is read of it. */
static int64_t moved_by(const function *f, const kernel *k, uint32_t i)
{
    const node *reader = only_reader(f, k, i);
    const type *t = value_type(f, k->in[i]);
    int64_t strides[TN_MAX_RANK], first = 0;
    uint32_t n, rank;
    if (!reader || reader->op != OP_SLICE)
        return 0;
    const int64_t *starts = attr_ints(reader->attrs, KEY_STARTS, &n);
    const int64_t *steps = attr_ints(reader->attrs, KEY_STEPS, &rank);
    type_strides(t, strides);
    for (uint32_t axis = 0; axis < n && axis < t->rank; axis++) {
        if (starts[axis] < 0 || axis >= rank || steps[axis] < 0)
            return 0;
        first += starts[axis] * strides[axis];
    }
    return first < t->count ? first : 0;
}

/* Buffers that the epilogue reads begin at their slices: the offset is an argument of the step, so
 * that programs that differ only there are equal. False without memory. */
static bool move_operands(const function *f, const kernel *k, arena *memory, follow_up *u)
{
    enum { OPERANDS = 2 }; /* which begin where they do already */
    int64_t *moved = ARENA_ARRAY(memory, int64_t, k->n_in);
    for (uint32_t i = 0, n = OPERANDS; moved && i < k->n_in && n < NEST_MOVES; i++) {
        moved[i] = moved_by(f, k, i);
        n += moved[i] > 0;
    }
    u->e.moved = moved;
    return moved != NULL;
}

/* The inputs of the epilogue come before the operands of the contraction among the caller's own
 * buffers, so that equal programs get equal numbers for them. *ORDER: the inputs of K in this
 * order. False without memory. */
static bool order_inputs(const kernel *k, const product *p, arena *memory, const uint32_t **order)
{
    const uint32_t own = emit_buffer_count(k);
    const value_id a = product_a(p)->base, b = product_b(p)->base;
    uint32_t *numbers = ARENA_ARRAY(memory, uint32_t, own),
             *list = ARENA_ARRAY(memory, uint32_t, k->n_in);
    uint32_t n = 0;
    if (!numbers || !list)
        return false;
    for (int operands = 0; operands < 2; operands++)
        for (uint32_t i = 0; i < k->n_in; i++)
            if ((k->in[i] == a || k->in[i] == b) == operands)
                list[n++] = i;
    for (uint32_t i = 0; i < own; i++)
        numbers[i < k->n_in ? list[i] : i] = CONTRACT_MORE + i;
    if (p->follow)
        p->follow->numbers = numbers;
    for (uint32_t i = 0; i < 2; i++)
        if (p->operands[i]) {
            p->operands[i]->numbers = numbers;
            p->operands[i]->e.moved = p->follow ? p->follow->e.moved : NULL;
        }
    *order = list;
    return true;
}

static uint64_t element_bytes(const product *p, value_id v)
{
    return dtype_bytes(value_type(p->follow->e.f, v)->dtype);
}

/* Buffers of a contraction, in the numbers of the nest. */
static void list_buffers(const kernel *k, const product *p, const uint32_t *order, nest_step *step)
{
    const int64_t *moved = p->follow ? p->follow->e.moved : NULL;
    const uint32_t own = emit_buffer_count(k);
    const contraction_operand *a = product_a(p), *b = product_b(p);
    uint32_t n = 0;
    (void)nest_moves(step, 0, (uint64_t)a->first * dtype_bytes(p->spec.a));
    (void)nest_moves(step, 1, (uint64_t)b->first * dtype_bytes(p->spec.b));
    step->buffers[n++] = input_number(k, a->base);
    step->buffers[n++] = input_number(k, b->base);
    step->buffers[n++] = k->n_in; /* unused when something follows, but a valid place */
    step->buffers[n++] = own;
    step->buffers[n++] = own + NEST_PACKED;
    for (uint32_t i = 0; order && !step->is_once && i < own; i++) {
        const uint32_t from = i < k->n_in ? order[i] : i;
        if (i < k->n_in && moved)
            (void)nest_moves(step, n, (uint64_t)moved[from] * element_bytes(p, k->in[from]));
        step->buffers[n++] = from;
    }
    step->n_buffers = n;
    step->n_read = 2;
}

/* Are the nodes of K so few instructions that they may stand once for each vector of a tile? Those
 * that move or name values are none. */
static bool is_small(const function *f, const kernel *k)
{
    enum { FEW = 3 };
    uint32_t computing = 0;
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        const node *n = &f->nodes.at[k->nodes[i]];
        if (op_is_costly(n->op))
            return false;
        computing += !(op_table[n->op].traits & T_MOVES) && !kernel_is_uniform(n);
    }
    return computing <= FEW;
}

/* The rest of the kernel takes the results of P. */
static bool set_follow_up(const function *f, const kernel *k, arena *memory, product *p)
{
    follow_up *u = ARENA_NEW(memory, follow_up);
    loop_builder unused;
    loop_init(&unused, memory);
    if (!u || emit_buffer_count(k) + CONTRACT_MORE > NEST_BUFFERS ||
        !two_axes(&p->spec, k, memory, &u->k) || !emit_init(&u->e, &unused, f, &u->k, memory))
        return false;
    u->e.rank = 2;
    u->result = f->nodes.at[k->node].first_value;
    u->scratch = LOOP_NO_VALUE;
    p->follow = u;
    p->spec.finish = finish;
    p->spec.user_finish = u;
    p->spec.finish_is_small = is_small(f, k);
    return true;
}

bool product_begin(const function *f, const kernel *k, bool keeps_sides, arena *memory, product *p)
{
    const node *n = &f->nodes.at[k->node];
    *p = (product){.left = 0};
    if (!contraction_of(f, n, memory, &p->loops))
        return false;
    if (!keeps_sides && has_patches(&p->loops))
        contraction_drop_windows(&p->loops, 0);
    p->left = keeps_sides ? 0 : left_operand(&p->loops);
    find_spec(f, n, &p->loops, p->left, &p->spec);
    if (!set_prologues(f, k, memory, p))
        return false;
    if (!keeps_sides)
        contract_batch_to_rows(&p->spec);
    return stores_plainly(k, n) || set_follow_up(f, k, memory, p);
}

static bool has_failed(const product *p)
{
    return (p->follow && p->follow->e.failed) || (p->operands[0] && p->operands[0]->e.failed) ||
           (p->operands[1] && p->operands[1]->e.failed);
}

bool nest_of_products(const function *f, const kernel *k, const nest_options *o, arena *memory,
                      nest *out)
{
    product *p = ARENA_NEW(memory, product);
    contract_plan plan;
    const char *fault = NULL;
    if (!p || !product_begin(f, k, false, memory, p) ||
        (p->follow && !move_operands(f, k, memory, p->follow)))
        return false;
    p->spec.wanted = o->schedule;
    const uint32_t *order = NULL;
    if ((p->follow || p->operands[0] || p->operands[1]) && !order_inputs(k, p, memory, &order))
        return false;
    if (!contract_build(&p->spec, &o->on, memory, &plan, &fault) || has_failed(p))
        return false;
    out->n_temps = 2;
    out->temps[0] = plan.packed_a_bytes;
    out->temps[NEST_PACKED] = plan.packed_b_bytes;
    if (plan.schedule.rows > 0) /* direct ones and dots have none */
        out->schedules[out->n_schedules++] = plan.schedule;
    for (uint32_t i = 0; i < plan.n_steps; i++) {
        const contract_step *from = &plan.steps[i];
        nest_step *step = &out->steps[out->n_steps++];
        *step = (nest_step){.program = from->program,
                            .work = from->work,
                            .grain = from->grain,
                            .flops = from->flops,
                            .bytes = from->bytes,
                            .is_once = from->is_once,
                            .constant = from->role == CONTRACT_PACKS_A ? CONTRACT_A : CONTRACT_B,
                            .packs = from->role == CONTRACT_PACKS_A ? 0 : NEST_PACKED,
                            .how = contract_how(&plan, i)};
        list_buffers(k, p, order, step);
    }
    return out->n_steps > 0;
}
