/* What the loop nests of all kinds of kernels share: the axes they run over. */
#include "loop/nest/nest.h"

#include <string.h>

/* ---- other positions ---- */

static const access_map *rebased(const access_map *map, const access_map *by, arena *memory)
{
    access_map out;
    return access_compose(by, map, memory, &out) ? access_copy(&out, memory) : NULL;
}

bool nest_rebase(const kernel *k, const access_map *map, const int64_t *other, uint32_t reduced,
                 arena *memory, kernel *out)
{
    kernel_output *outputs = ARENA_ARRAY(memory, kernel_output, k->n_out);
    if (!outputs)
        return false;
    kernel r = *k;
    r.rank = map->rank;
    memcpy(r.dims, map->dims, map->rank * sizeof *map->dims);
    r.reduced = reduced;
    memcpy(r.other, other, map->rank * sizeof *other);
    for (uint32_t i = 0; i < k->n_out; i++) {
        outputs[i] = k->out[i];
        outputs[i].from = rebased(k->out[i].from, map, memory);
        outputs[i].to =
            k->out[i].to == k->out[i].from ? outputs[i].from : rebased(k->out[i].to, map, memory);
        if (!outputs[i].from || !outputs[i].to)
            return false;
    }
    r.out = outputs;
    if (k->operands && !(r.operands = rebased(k->operands, map, memory)))
        return false;
    *out = r;
    return true;
}

/* A mask over axes when AXIS and AXIS + 1 become one, which is what either was. */
static uint32_t joined_mask(uint32_t mask, uint32_t axis)
{
    const uint32_t low = mask & ((UINT32_C(1) << axis) - 1);
    return low | (mask >> axis & 1) << axis | mask >> (axis + 1) << axis;
}

/* K with its positions as N axes of the extents X. */
static bool reshape(const kernel *k, const sized *x, uint32_t n, uint32_t reduced, arena *memory,
                    kernel *out)
{
    const access_extents own = {k->rank, k->dims, k->other};
    int64_t dims[TN_MAX_RANK], other[TN_MAX_RANK];
    access_map map;
    for (uint32_t i = 0; i < n; i++) {
        dims[i] = x[i].now;
        other[i] = x[i].other;
    }
    return access_of_reshape((access_extents){n, dims, other}, own, memory, &map) &&
           nest_rebase(k, &map, other, reduced, memory, out);
}

/* Axes AXIS and AXIS + 1 as one. */
static bool join(const kernel *k, uint32_t axis, arena *memory, kernel *out)
{
    sized x[TN_MAX_RANK];
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->rank; i++) {
        if (i == axis + 1)
            x[n - 1] = sized_mul(x[n - 1], nest_extent(k, i));
        else
            x[n++] = nest_extent(k, i);
    }
    return reshape(k, x, n, joined_mask(k->reduced, axis), memory, out);
}

/* Which pairs of neighbouring axes everything walks as one. */
typedef struct joins {
    const kernel *k;
    uint32_t possible; /* mask: axis i with axis i + 1 */
} joins;

static uint32_t hidden_axes(const access_expr *e)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < e->n; i++)
        if (e->at[i].kind == ACCESS_AXIS)
            mask |= UINT32_C(1) << e->at[i].axis;
        else
            mask |= hidden_axes(e->at[i].of);
    return mask;
}

enum { SHORT = 64 }; /* lines shorter than that are joined although a guard tells them apart */

/* Does the guard E say of an axis alone where it is? It then says so of what the axis and the next
 * one are joined to. */
static bool guards_axis(const access_expr *e, uint32_t axis)
{
    return e->n == 1 && e->at[0].kind == ACCESS_AXIS && e->at[0].axis == axis &&
           e->at[0].factor == 1 && e->at[0].factor_other == 1;
}

static void look(void *user, const access_expr *expr, const emit_read *read)
{
    joins *j = user;
    int64_t strides[TN_MAX_RANK] = {0};
    uint32_t hidden = 0;
    const bool is_guard = read && read->v == NO_VALUE;
    for (uint32_t i = 0; i < expr->n; i++)
        if (expr->at[i].kind == ACCESS_AXIS)
            strides[expr->at[i].axis] = expr->at[i].factor;
        else
            hidden |= hidden_axes(expr->at[i].of);
    for (uint32_t i = 0; i + 1 < j->k->rank; i++)
        if (is_guard && j->k->dims[i + 1] < SHORT && !nest_is_dynamic(j->k, i + 1) &&
            guards_axis(expr, i))
            continue;
        else if ((hidden >> i & 3) || strides[i] != strides[i + 1] * j->k->dims[i + 1])
            j->possible &= ~(UINT32_C(1) << i);
}

static bool look_at_all(const function *f, const kernel *k, joins *j, arena *memory)
{
    loop_builder b;
    emitter e;
    loop_init(&b, memory);
    if (!emit_init(&e, &b, f, k, memory))
        return false;
    e.rank = k->rank;
    for (uint32_t i = 0; i < k->n_out; i++) {
        const access_expr *to =
            access_offset(k->out[i].to, access_extents_of(f, k->out[i].into), memory);
        if (!to || !emit_visit_reads(&e, k->out[i].value, k->out[i].from, look, j))
            return false;
        look(j, to, NULL);
    }
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        const node *n = &f->nodes.at[k->nodes[i]];
        if ((op_table[n->op].traits & T_REDUCES) &&
            !emit_visit_reads(&e, n->in[0], k->operands, look, j))
            return false;
    }
    return true;
}

bool nest_flatten(const function *f, const kernel *k, value_id operand, arena *memory, kernel *out,
                  bool *applies)
{
    static const uint32_t order[] = {1, 0};
    const int64_t other[] = {k->other[1], k->other[0]};
    loop_builder b;
    emitter e;
    access_map turned;
    kernel swapped;
    *applies = false;
    if (k->rank != 2 || !k->operands || nest_is_dynamic(k, 0) || nest_is_dynamic(k, 1))
        return true;
    loop_init(&b, memory);
    if (!access_of_order(k->dims, order, 2, memory, &turned) ||
        !nest_rebase(k, &turned, other, k->reduced >> 1 & 1, memory, &swapped) ||
        !emit_init(&e, &b, f, &swapped, memory))
        return false;
    joins j = {.k = &swapped, .possible = UINT32_MAX};
    e.rank = swapped.rank;
    if (!emit_visit_reads(&e, operand, swapped.operands, look, &j))
        return false;
    *applies = j.possible & 1;
    return !*applies || join(&swapped, 0, memory, out);
}

/* Without axes of extent 1, but with at least one axis, and one that is reduced in ROWS. */
static bool drop_ones(const kernel *k, arena *memory, kernel *out)
{
    sized x[TN_MAX_RANK];
    uint32_t n = 0, reduced = 0;
    for (uint32_t i = 0; i < k->rank; i++) {
        if (k->dims[i] == 1)
            continue;
        reduced |= (k->reduced >> i & 1) << n;
        x[n++] = nest_extent(k, i);
    }
    if (n == 0 || (k->kind == KERNEL_ROWS && !reduced)) {
        reduced = k->kind == KERNEL_ROWS ? UINT32_C(1) << n : 0;
        x[n++] = sized_of(1);
    }
    return reshape(k, x, n, reduced, memory, out);
}

static bool reduced_last(const kernel *k, arena *memory, kernel *out)
{
    uint32_t order[TN_MAX_RANK], n = 0, kept;
    int64_t dims[TN_MAX_RANK], other[TN_MAX_RANK];
    access_map map;
    for (uint32_t i = 0; i < k->rank; i++)
        if (!(k->reduced >> i & 1))
            order[n++] = i;
    kept = n;
    for (uint32_t i = 0; i < k->rank; i++)
        if (k->reduced >> i & 1)
            order[n++] = i;
    memcpy(dims, k->dims, sizeof dims);
    for (uint32_t i = 0; i < n; i++)
        other[i] = k->other[order[i]];
    const uint32_t all = n == 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1;
    return access_of_order(dims, order, n, memory, &map) &&
           nest_rebase(k, &map, other, all & ~((UINT32_C(1) << kept) - 1), memory, out);
}

bool nest_simplify(const function *f, const kernel *k, arena *memory, kernel *out)
{
    kernel now, next;
    (void)f;
    if (!drop_ones(k, memory, &now))
        return false;
    if (k->kind == KERNEL_ROWS && !(reduced_last(&now, memory, &next) && (now = next, true)))
        return false;
    for (;;) {
        joins j = {.k = &now, .possible = UINT32_MAX};
        uint32_t axis = 0;
        if (now.rank < 2)
            break;
        if (!look_at_all(f, &now, &j, memory))
            return false;
        for (; axis + 1 < now.rank; axis++) {
            const uint32_t pair = now.reduced >> axis & 3;
            if (pair == 3 || (pair == 0 && (j.possible >> axis & 1)))
                break;
        }
        if (axis + 1 >= now.rank)
            break;
        if (!join(&now, axis, memory, &next))
            return false;
        now = next;
    }
    *out = now;
    return true;
}

/* ---- sizes ---- */

static uint32_t lane_bytes(const function *f, const kernel *k)
{
    uint32_t most = 4;
    for (uint32_t i = 0; i < k->n_nodes; i++) {
        const node *n = &f->nodes.at[k->nodes[i]];
        const dtype_info *d = &dtype_table[value_type(f, n->first_value)->dtype];
        if (dtype_table[d->part].bytes > most)
            most = dtype_table[d->part].bytes;
    }
    return most;
}

uint32_t nest_lanes(const function *f, const kernel *k, int64_t extent)
{
    uint32_t lanes = lane_bytes(f, k) > 4 ? 16 : 32;
    while (lanes > 1 && lanes / 2 >= extent)
        lanes /= 2;
    return lanes;
}

void nest_decode(emitter *e, loop_value item, uint32_t n)
{
    loop_builder *b = e->b;
    for (uint32_t i = n; i-- > 0;) {
        const loop_value extent = loop_sized(b, nest_extent(e->k, i));
        e->at[i] = i == 0 ? item : loop_binary(b, LOOP_UREM, item, extent);
        if (i > 0)
            item = loop_binary(b, LOOP_UDIV, item, extent);
    }
}

sized nest_parts(sized extent, int64_t size)
{
    return sized_div(sized_add(extent, sized_of(size - 1)), sized_of(size));
}

void nest_part(loop_builder *b, loop_value number, int64_t size, sized extent, loop_value *low,
               loop_value *high)
{
    *low = loop_binary(b, LOOP_IMUL, number, loop_i64(b, size));
    *high = loop_min(b, loop_binary(b, LOOP_IADD, *low, loop_i64(b, size)), loop_sized(b, extent));
}

typedef struct search {
    const function *f;
    value_id v;
    bool found;
} search;

bool nest_is_read_of(const function *f, value_id v, const emit_read *read)
{
    while (read && read->v != v) {
        const node *n = node_of(f, v);
        if (n->op != OP_RESHAPE && n->op != OP_EXPAND_DIMS && n->op != OP_SQUEEZE)
            return false;
        v = n->in[0];
    }
    return read != NULL;
}

static void find_read(void *user, const access_expr *expr, const emit_read *read)
{
    search *s = user;
    (void)expr;
    s->found = s->found || nest_is_read_of(s->f, s->v, read);
}

/* Does the update K compute with the tensor that it changes? True when that is too hard to see. */
static bool reads_old(const function *f, const kernel *k, arena *memory)
{
    loop_builder b;
    emitter e;
    const node *n = &f->nodes.at[k->node];
    search s = {.f = f, .v = n->in[0]};
    loop_init(&b, memory);
    if (!emit_init(&e, &b, f, k, memory))
        return true;
    e.rank = k->rank;
    for (uint32_t i = 0; i < k->n_out; i++)
        if (!emit_visit_reads(&e, k->out[i].value, k->out[i].from, find_read, &s))
            return true;
    for (uint32_t u = 0; u < kernel_operand_uses(f, n, 2); u++) {
        access_map own;
        const access_map *from =
            kernel_operand_map(f, n, 2, u, memory, &own) ? access_copy(&own, memory) : NULL;
        if (!from || !emit_visit_reads(&e, n->in[2], from, find_read, &s))
            return true;
    }
    return s.found;
}

static bool make(const function *f, const kernel *k, const nest_options *o, arena *memory,
                 nest *out)
{
    kernel simple;
    if (k->kind == KERNEL_REFERENCE)
        return false;
    if (k->kind == KERNEL_LOOPS)
        return nest_of_loops(f, k, o, memory, out);
    if (k->kind == KERNEL_CONTRACT)
        return nest_of_products(f, k, o, memory, out);
    if (k->kind == KERNEL_STAGES)
        return nest_of_stages(f, k, o, memory, out);
    if (!nest_simplify(f, k, memory, &simple))
        return false;
    switch (k->kind) {
    case KERNEL_UPDATE:
        out->reads_old = reads_old(f, &simple, memory);
        return nest_of_map(f, &simple, o, memory, out);
    case KERNEL_MAP:
        return nest_of_map(f, &simple, o, memory, out);
    case KERNEL_ROWS:
        return nest_of_rows(f, &simple, o, memory, out);
    case KERNEL_CONTRACT:
    case KERNEL_STAGES:
    case KERNEL_LOOPS:
    case KERNEL_REFERENCE:
        break; /* not reached */
    }
    return false;
}

bool nest_of_kernel(const function *f, const kernel *k, const nest_options *o, arena *memory,
                    nest *out)
{
    *out = (nest){0};
    if (!make(f, k, o, memory, out))
        return false;
    out->flops = nest_flops(f, k);
    nest_count_work(f, k, out);
    out->bytes = nest_traffic(f, k, memory);
    /* The last step of contractions does the work, what packs says what it moves itself; elsewhere
     * the first does it. */
    const bool is_last = k->kind == KERNEL_CONTRACT || k->kind == KERNEL_STAGES;
    nest_step *step = out->n_steps > 0 ? &out->steps[is_last ? out->n_steps - 1 : 0] : NULL;
    if (step) {
        step->flops = out->is_open ? 0 : out->flops; /* of one turn of who knows how many */
        step->bytes = out->bytes;
    }
    return nest_check_before(f, k, memory, out);
}
