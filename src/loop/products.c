/* Nests of contractions: which axis of each operand is a batch, row, column or product axis, and
 * what the rest of the kernel does with the results. */
#include <string.h>

#include "loop/contract.h"
#include "loop/nest.h"
#include "ops/fold.h"
#include "ops/shape.h"

/* ---- operands ---- */

/* An operand and how far one step along each of its axes goes in memory. */
typedef struct operand {
    value_id base; /* what lies in memory */
    const type *type;
    int64_t first; /* the element at position 0 */
    int64_t strides[TN_MAX_RANK];
} operand;

static uint32_t input_number(const kernel *k, value_id v)
{
    uint32_t i = 0;
    while (i < k->n_in && k->in[i] != v)
        i++;
    return i;
}

/* False without memory: also when there was none to find the same place as the grouping did. */
static bool find_operand(const function *f, const kernel *k, value_id v, arena *memory, operand *o)
{
    access_map map;
    o->type = value_type(f, v);
    o->base = kernel_operand_base(f, v, memory, &map);
    if (map.rank != o->type->rank || input_number(k, o->base) == k->n_in)
        return false;
    const access_expr *offset = access_offset(&map, value_type(f, o->base)->dims, memory);
    return offset && access_strides(offset, o->type->rank, &o->first, o->strides);
}

/* ---- axes of each op ---- */

typedef struct product {
    contract_spec spec;
    const node *n;
    operand a, b;
} product;

/* The row-major strides of the result. */
static void result_strides(const type *t, int64_t *c)
{
    type_strides(t, c);
}

static void matrix_axes(product *p, const type *out)
{
    contract_spec *s = &p->spec;
    const type *a = p->a.type, *b = p->b.type;
    int64_t c[TN_MAX_RANK];
    result_strides(out, c);
    const bool has_m = a->rank >= 2, has_n = b->rank >= 2;
    const uint32_t n_batch = out->rank - has_m - has_n;
    for (uint32_t i = 0; i < n_batch; i++) {
        /* Leading axes align from the right. */
        const uint32_t from_end = n_batch - i;
        const bool in_a = a->rank >= 2 + from_end, in_b = b->rank >= 2 + from_end;
        const uint32_t at_a = a->rank - 2 - from_end, at_b = b->rank - 2 - from_end;
        contract_axis_add(s->batch, &s->n_batch, out->dims[i],
                          in_a && a->dims[at_a] > 1 ? p->a.strides[at_a] : 0,
                          in_b && b->dims[at_b] > 1 ? p->b.strides[at_b] : 0, c[i]);
    }
    if (has_m)
        contract_axis_add(s->m, &s->n_m, a->dims[a->rank - 2], p->a.strides[a->rank - 2], 0,
                          c[n_batch]);
    if (has_n)
        contract_axis_add(s->n, &s->n_n, b->dims[b->rank - 1], 0, p->b.strides[b->rank - 1],
                          c[out->rank - 1]);
    contract_axis_add(s->k, &s->n_k, a->dims[a->rank - 1], p->a.strides[a->rank - 1],
                      p->b.strides[has_n ? b->rank - 2 : b->rank - 1], 0);
}

/* The axes of list KEY, added to MASK. */
static uint32_t listed_axes(const attrs *given, attr_key key, uint32_t rank, uint32_t *axes,
                            uint32_t *mask)
{
    uint32_t n;
    const int64_t *list = attr_ints(given, key, &n);
    for (uint32_t i = 0; i < n; i++) {
        axes[i] = (uint32_t)(list[i] < 0 ? list[i] + rank : list[i]);
        *mask |= UINT32_C(1) << axes[i];
    }
    return n;
}

static void general_axes(product *p, const type *out)
{
    contract_spec *s = &p->spec;
    const attrs *given = p->n->attrs;
    uint32_t axes_a[TN_MAX_RANK], axes_b[TN_MAX_RANK], mask_a = 0, mask_b = 0, at = 0;
    int64_t c[TN_MAX_RANK];
    result_strides(out, c);
    uint32_t n = listed_axes(given, KEY_BATCH_LHS, p->a.type->rank, axes_a, &mask_a);
    (void)listed_axes(given, KEY_BATCH_RHS, p->b.type->rank, axes_b, &mask_b);
    for (uint32_t i = 0; i < n; i++, at++)
        contract_axis_add(s->batch, &s->n_batch, out->dims[at], p->a.strides[axes_a[i]],
                          p->b.strides[axes_b[i]], c[at]);
    n = listed_axes(given, KEY_CONTRACT_LHS, p->a.type->rank, axes_a, &mask_a);
    (void)listed_axes(given, KEY_CONTRACT_RHS, p->b.type->rank, axes_b, &mask_b);
    for (uint32_t i = 0; i < n; i++)
        contract_axis_add(s->k, &s->n_k, p->a.type->dims[axes_a[i]], p->a.strides[axes_a[i]],
                          p->b.strides[axes_b[i]], 0);
    for (uint32_t i = 0; i < p->a.type->rank; i++)
        if (!(mask_a >> i & 1)) {
            contract_axis_add(s->m, &s->n_m, out->dims[at], p->a.strides[i], 0, c[at]);
            at++;
        }
    for (uint32_t i = 0; i < p->b.type->rank; i++)
        if (!(mask_b >> i & 1)) {
            contract_axis_add(s->n, &s->n_n, out->dims[at], 0, p->b.strides[i], c[at]);
            at++;
        }
}

/* Rows and columns of an image: axis M of the results and axis K of the window walk it together. */
static void add_window(contract_spec *s, uint32_t m, uint32_t k, int64_t stride, int64_t dilation,
                       int64_t low, int64_t extent, int64_t step)
{
    s->windows[s->n_windows++] = (contract_window){.m = m,
                                                   .k = k,
                                                   .stride = stride,
                                                   .dilation = dilation,
                                                   .low = low,
                                                   .extent = extent,
                                                   .step = step};
}

static bool conv_axes(product *p, const type *out)
{
    contract_spec *s = &p->spec;
    conv_geometry g;
    int64_t c[TN_MAX_RANK];
    const int64_t *x = p->a.strides, *w = p->b.strides;
    result_strides(out, c);
    if (resolve_conv(p->n->attrs, p->a.type->dims, p->b.type->dims, &g).kind != SHAPE_OK)
        return false;
    contract_axis_add(s->m, &s->n_m, g.n, x[0], 0, c[0]);
    contract_axis_add(s->m, &s->n_m, g.ho, 0, 0, c[1]);
    contract_axis_add(s->m, &s->n_m, g.wo, 0, 0, c[2]);
    contract_axis_add(s->n, &s->n_n, g.co, 0, w[3], c[3]);
    contract_axis_add(s->k, &s->n_k, g.kh, 0, w[0], 0);
    contract_axis_add(s->k, &s->n_k, g.kw, 0, w[1], 0);
    contract_axis_add(s->k, &s->n_k, g.ci, x[3], w[2], 0);
    add_window(s, 1, 0, g.stride_h, 1, g.top, g.h, x[1]);
    add_window(s, 2, 1, g.stride_w, 1, g.left, g.w, x[2]);
    return true;
}

/* dw[kh, kw, ci, co]: the rows are taps and channels, the products run over the image. */
static bool filter_axes(product *p, const type *out)
{
    contract_spec *s = &p->spec;
    conv_geometry g;
    int64_t c[TN_MAX_RANK];
    const int64_t *x = p->a.strides, *dy = p->b.strides;
    result_strides(out, c);
    if (resolve_conv(p->n->attrs, p->a.type->dims, out->dims, &g).kind != SHAPE_OK)
        return false;
    contract_axis_add(s->m, &s->n_m, g.kh, 0, 0, c[0]);
    contract_axis_add(s->m, &s->n_m, g.kw, 0, 0, c[1]);
    contract_axis_add(s->m, &s->n_m, g.ci, x[3], 0, c[2]);
    contract_axis_add(s->n, &s->n_n, g.co, 0, dy[3], c[3]);
    contract_axis_add(s->k, &s->n_k, g.n, x[0], dy[0], 0);
    contract_axis_add(s->k, &s->n_k, g.ho, 0, dy[1], 0);
    contract_axis_add(s->k, &s->n_k, g.wo, 0, dy[2], 0);
    add_window(s, 0, 1, 1, g.stride_h, g.top, g.h, x[1]);
    add_window(s, 1, 2, 1, g.stride_w, g.left, g.w, x[2]);
    return true;
}

static bool find_axes(product *p, const function *f)
{
    const type *out = value_type(f, p->n->first_value);
    contract_spec *s = &p->spec;
    s->a = p->a.type->dtype;
    s->b = p->b.type->dtype;
    s->c = out->dtype;
    s->sum = (tn_dtype)attr_int(p->n->attrs, KEY_ACCUM_DTYPE, (int64_t)accumulator_of(s->a));
    switch ((int)p->n->op) {
    case OP_DOT:
    case OP_MATMUL:
        matrix_axes(p, out);
        return true;
    case OP_DOT_GENERAL:
        general_axes(p, out);
        return true;
    case OP_CONV2D:
        return conv_axes(p, out);
    case OP_CONV2D_GRAD_FILTER:
        return filter_axes(p, out);
    default: /* the taps of conv2d_grad_input are not the same for all results */
        return false;
    }
}

/* ---- what follows ---- */

typedef struct follow_up {
    emitter e;
    kernel k; /* over rows and columns of results */
    value_id result;
} follow_up;

static int64_t extent_of(const contract_axis *axes, uint32_t n)
{
    int64_t extent = 1;
    for (uint32_t i = 0; i < n; i++)
        extent *= axes[i].extent;
    return extent;
}

/* Called anew in each program, perhaps several times: buffers are loaded where they are used. */
static void finish(void *user, loop_builder *b, const contract_part *part)
{
    follow_up *u = user;
    emitter *e = &u->e;
    const kernel *k = &u->k;
    e->b = b;
    for (uint32_t i = 0; i < k->n_in; i++)
        e->in[i] = loop_buffer(b, CONTRACT_MORE + i);
    emit_find_seed(e, CONTRACT_MORE);
    e->lanes = part->lanes;
    e->count = part->count;
    e->vector_axis = part->is_column ? 0 : 1;
    e->at[0] = loop_binary(b, LOOP_IADD, part->m,
                           loop_binary(b, LOOP_IMUL, part->batch, loop_i64(b, k->dims[0])));
    e->at[1] = part->n;
    const uint32_t mark = emit_mark(e);
    emit_know(e, u->result, NULL, part->value);
    for (uint32_t i = 0; i < k->n_out; i++) {
        const kernel_output *out = &k->out[i];
        const loop_value to = loop_buffer(b, CONTRACT_MORE + emit_output_buffer(k, i));
        emit_store(e, out, to, emit_value(e, out->value, out->from), false);
    }
    emit_forget(e, mark);
}

/* The kernel over two axes: the rows of all batches, and the columns. */
static bool two_axes(const contract_spec *s, const kernel *k, arena *memory, kernel *out)
{
    const int64_t m = extent_of(s->m, s->n_m), n = extent_of(s->n, s->n_n);
    const int64_t batch = extent_of(s->batch, s->n_batch);
    const int64_t dims[2] = {batch * m, n};
    access_map map;
    return access_of_reshape(dims, 2, k->dims, k->rank, memory, &map) &&
           nest_rebase(k, &map, 0, memory, out);
}

static bool stores_plainly(const kernel *k, const node *n)
{
    return k->n_nodes == 1 && k->n_out == 1 && k->out[0].value == n->first_value &&
           k->out[0].into == n->first_value;
}

/* Buffers of a contraction, in the numbers of the nest. */
static void list_buffers(const kernel *k, const product *p, bool follows, nest_step *step)
{
    const uint32_t own = emit_buffer_count(k);
    uint32_t n = 0;
    step->buffers[n++] = input_number(k, p->a.base);
    step->buffers[n++] = input_number(k, p->b.base);
    step->buffers[n++] = k->n_in; /* unused when something follows, but a valid place */
    step->buffers[n++] = own;
    step->buffers[n++] = own + NEST_PACKED;
    for (uint32_t i = 0; follows && i < own; i++)
        step->buffers[n++] = i;
    step->n_buffers = n;
    step->n_read = 2;
    step->offset[0] = (uint64_t)p->a.first * dtype_bytes(p->spec.a);
    step->offset[1] = (uint64_t)p->b.first * dtype_bytes(p->spec.b);
}

/* Has this machine vectors of 512 bits? */
static bool is_wide(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
}

bool nest_of_products(const function *f, const kernel *k, const char *cpu, arena *memory, nest *out)
{
    product *p = ARENA_NEW(memory, product);
    follow_up *u = ARENA_NEW(memory, follow_up);
    contract_plan plan;
    const char *fault = NULL;
    if (!p || !u)
        return false;
    p->n = &f->nodes.at[k->node];
    if (!find_operand(f, k, p->n->in[0], memory, &p->a) ||
        !find_operand(f, k, p->n->in[1], memory, &p->b) || !find_axes(p, f))
        return false;
    const bool follows = !stores_plainly(k, p->n);
    if (follows) {
        if (emit_buffer_count(k) + CONTRACT_MORE > NEST_BUFFERS ||
            !two_axes(&p->spec, k, memory, &u->k))
            return false;
        u->k.dims[0] /= extent_of(p->spec.batch, p->spec.n_batch); /* rows of one batch */
        loop_builder unused;
        loop_init(&unused, memory);
        if (!emit_init(&u->e, &unused, f, &u->k, memory))
            return false;
        u->e.rank = 2;
        u->result = p->n->first_value;
        p->spec.finish = finish;
        p->spec.user_finish = u;
        p->spec.finish_is_small = k->n_nodes <= 4;
    }
    p->spec.b_is_constant = node_of(f, p->b.base)->op == OP_CONSTANT;
    const contract_machine machine = contract_machine_of(cpu, is_wide());
    if (!contract_build(&p->spec, &machine, memory, &plan, &fault) || u->e.failed)
        return false;
    out->n_temps = 2;
    out->temps[0] = plan.packed_a_bytes;
    out->temps[NEST_PACKED] = plan.packed_b_bytes;
    for (uint32_t i = 0; i < plan.n_steps; i++) {
        nest_step *step = &out->steps[out->n_steps++];
        *step =
            (nest_step){.program = plan.steps[i].program,
                        .work = plan.steps[i].work,
                        .grain = plan.steps[i].grain,
                        .flops = plan.steps[i].flops,
                        .bytes = plan.steps[i].bytes,
                        .is_once = p->spec.b_is_constant && plan.steps[i].role == CONTRACT_PACKS_B,
                        .how = plan.how};
        list_buffers(k, p, follows, step);
    }
    return out->n_steps > 0;
}
