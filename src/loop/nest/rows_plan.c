/* What the passes over a row are, and what each keeps in scratch memory for later ones. */
#include <string.h>

#include "eval/eval.h"
#include "loop/nest/rows_parts.h"
#include "ops/fold_ops.h"

enum {
    MOST_KEPT = 1 << 18 /* bytes of one row of a value worth keeping between passes */
};

/* ---- passes ---- */

static uint32_t place_of(const kernel *k, uint32_t node_index)
{
    uint32_t low = 0, high = k->n_nodes;
    while (low < high) {
        const uint32_t mid = (low + high) / 2;
        if (k->nodes[mid] < node_index)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* The last pass whose results V needs; 0 for none. Nodes are in order, so operands come first. */
static uint32_t level_of(const rows *s, value_id v)
{
    const uint32_t i = s->e.f->values.at[v].node;
    return emit_contains(s->k, i) ? s->levels[place_of(s->k, i)] : 0;
}

/* V is computed in the passes of MASK. */
static void note_passes(rows *s, value_id v, uint32_t mask)
{
    const uint32_t i = s->e.f->values.at[v].node;
    if (emit_contains(s->k, i))
        s->computed[place_of(s->k, i)] |= mask;
}

/* Users come before what they use; operands of reductions belong to the passes of these alone. */
static void find_computed(rows *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        note_passes(s, s->r[i].n->in[0], UINT32_C(1) << s->r[i].pass);
    for (uint32_t i = 0; i < s->k->n_out; i++)
        note_passes(s, s->k->out[i].value, 1);
    for (uint32_t i = s->k->n_nodes; i-- > 0;) {
        const node *n = &s->e.f->nodes.at[s->k->nodes[i]];
        for (uint32_t o = 0; o < n->n_in && !rows_reduces(n); o++)
            note_passes(s, n->in[o], s->computed[i]);
    }
}

bool rows_find_passes(rows *s)
{
    const function *f = s->e.f;
    s->levels = ARENA_ARRAY(s->e.memory, uint8_t, s->k->n_nodes);
    s->computed = ARENA_ARRAY(s->e.memory, uint32_t, s->k->n_nodes);
    if (!s->levels || !s->computed)
        return false;
    for (uint32_t i = 0; i < s->k->n_nodes; i++) {
        const node *n = &f->nodes.at[s->k->nodes[i]];
        uint32_t level = 0;
        for (uint32_t o = 0; o < n->n_in; o++)
            level = level_of(s, n->in[o]) > level ? level_of(s, n->in[o]) : level;
        if (rows_reduces(n)) {
            if (s->n == KERNEL_REDUCTIONS)
                return false;
            const tn_dtype in = value_type(f, n->in[0])->dtype;
            const tn_dtype sum =
                (tn_dtype)attr_int(n->attrs, KEY_ACCUM_DTYPE, (int64_t)accumulator_of(in));
            s->r[s->n++] = (reduction){.n = n,
                                       .kind = fold_of_reduction((op_id)n->op),
                                       .in = in,
                                       .sum = sum,
                                       .x = n->in[0],
                                       .lane = sum,
                                       .block = sum,
                                       .out = value_type(f, n->first_value)->dtype,
                                       .keyed = TN_I1,
                                       .pass = ++level};
        }
        s->levels[i] = (uint8_t)level;
        s->passes = level > s->passes ? level : s->passes;
    }
    find_computed(s);
    return true;
}

/* ---- sums of short integers ---- */

enum { SHORT_BITS = 8, HALF_BITS = 16 };

/* Is each integer of FROM the same number in TO? */
static bool keeps_ints(tn_dtype to, tn_dtype from)
{
    if (!dtype_is_int(from) && from != TN_I1)
        return false;
    return dtype_is_int(to)
               ? dtype_holds_ints(to, from)
               : (to == TN_F32 || to == TN_F64) && dtype_table[from].bits <= SHORT_BITS;
}

/* What V is made of by casts in the kernel that keep every number. */
static value_id before_casts(const rows *s, value_id v)
{
    const function *f = s->e.f;
    for (;;) {
        const uint32_t i = f->values.at[v].node;
        if (!emit_contains(s->k, i) || f->nodes.at[i].op != OP_CAST)
            return v;
        const value_id x = f->nodes.at[i].in[0];
        if (!keeps_ints(value_type(f, v)->dtype, value_type(f, x)->dtype))
            return v;
        v = x;
    }
}

size_t rows_widest(const rows *s)
{
    size_t widest = 1;
    for (uint32_t i = 0; i < s->k->n_in; i++) {
        const size_t bytes = dtype_bytes(value_type(s->e.f, s->k->in[i])->dtype);
        widest = bytes > widest ? bytes : widest;
    }
    return widest;
}

/* The shortest integers that hold the sum of 32 with so many BITS. */
static tn_dtype lane_of(unsigned bits)
{
    return bits == 1 ? TN_UI8 : bits <= SHORT_BITS ? TN_SI16 : TN_SI32;
}

/* A sum of integers is the same in any order while each part of it is exact. A lane of a block has
 * at most 32 elements, so that those of a sum of truth values may be bytes. What comparisons of
 * longer numbers make is as long as these in the registers of most machines. */
void rows_use_short_lanes(rows *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        reduction *r = &s->r[i];
        const value_id x = before_casts(s, r->n->in[0]);
        const tn_dtype from = value_type(s->e.f, x)->dtype;
        const unsigned bits = dtype_table[from].bits;
        if (r->kind != FOLD_SUM || !keeps_ints(r->sum, from) || bits > HALF_BITS)
            continue;
        tn_dtype lane = lane_of(bits);
        while (dtype_bytes(lane) < rows_widest(s) && lane != TN_SI32)
            lane = lane_of(8 * (unsigned)dtype_bytes(lane));
        if (dtype_bytes(lane) >= dtype_bytes(r->sum))
            continue;
        r->x = x;
        r->lane = lane;
        r->block = bits == 1 && lane != TN_SI32 ? TN_SI16 : TN_SI32;
    }
}

bool rows_are_within(const rows *s, uint64_t bytes)
{
    bool is_fixed = true;
    for (uint32_t i = 0; i < s->k->rank; i++)
        is_fixed = is_fixed && !nest_is_dynamic(s->k, i);
    return is_fixed && nest_bytes(s->e.f, s->k) < bytes;
}

bool rows_runs_ahead(const rows *s, uint32_t pass)
{
    enum { LONG = 8192 };
    bool is_only = s->passes == 1;
    if (rows_are_within(s, s->e.cached)) /* caches are fast enough without prefetching */
        return false;
    for (uint32_t i = 0; i < s->k->n_out; i++)
        is_only = is_only && rows_is_row_value(s, &s->k->out[i]);
    return pass == 1 && !s->columns && (is_only || (!s->is_dynamic && s->length > LONG));
}

bool rows_can_store_early(const rows *s)
{
    bool can = s->passes == 1 && !s->in_scratch;
    for (uint32_t i = 0; i < s->k->n_out; i++)
        can = can && (rows_is_row_value(s, &s->k->out[i]) || level_of(s, s->k->out[i].value) == 0);
    return can;
}

/* ---- values kept from pass to pass ---- */

uint32_t rows_passes_with(const rows *s, uint32_t node_index)
{
    return emit_contains(s->k, node_index) ? s->computed[place_of(s->k, node_index)] : 0;
}

/* One element for each position, as the operands of the reductions have. */
static bool is_like_operand(const rows *s, const type *t)
{
    const type *in = value_type(s->e.f, s->r[0].n->in[0]);
    return t->rank == in->rank && memcmp(t->dims, in->dims, t->rank * sizeof *t->dims) == 0;
}

static bool is_several(uint32_t mask)
{
    return (mask & (mask - 1)) != 0;
}

void rows_plan_kept(rows *s)
{
    emitter *e = &s->e;
    if (s->stores_early)
        return; /* in the only pass */
    for (uint32_t i = 0; i < s->k->n_nodes && e->n_kept < EMIT_KEPT; i++) {
        const node *n = &e->f->nodes.at[s->k->nodes[i]];
        const type *t = value_type(e->f, n->first_value);
        const int64_t bytes =
            s->length * (int64_t)dtype_bytes(t->dtype) * (s->columns ? (int64_t)e->lanes : 1);
        if (!nest_is_expensive(n) || !is_like_operand(s, t) || bytes > MOST_KEPT ||
            !is_several(rows_passes_with(s, s->k->nodes[i])) || t->rank != s->k->operands->n_source)
            continue;
        e->kept[e->n_kept++] = (emit_kept){
            .v = n->first_value, .map = s->k->operands, .dtype = t->dtype, .memory = LOOP_NO_VALUE};
    }
}

void rows_keep_room(rows *s)
{
    emitter *e = &s->e;
    for (uint32_t i = 0; i < e->n_kept && !s->is_lent; i++) {
        if (e->kept[i].is_given)
            continue;
        /* Whole vectors are stored, also at the end of a row. */
        const int64_t each = (int64_t)dtype_bytes(e->kept[i].dtype), end = LOOP_MAX_LANES * each;
        const sized of_all = sized_mul(nest_extent(s->k, s->axis),
                                       sized_of(each * (s->columns ? (int64_t)e->lanes : 1)));
        e->kept[i].memory = loop_sized_scratch(e->b, sized_add(of_all, sized_of(end)));
    }
}

/* Store the values of this pass that a later pass needs. */
void rows_keep(rows *s)
{
    emitter *e = &s->e;
    for (uint32_t i = 0; i < e->n_kept; i++) {
        const emit_kept *kept = &e->kept[i];
        for (uint32_t at = e->n_known; at-- > 0 && !kept->is_filled;) {
            const emit_known *known = &e->known[at];
            if (known->v != kept->v || !known->map || !access_same(known->map, kept->map))
                continue;
            const loop_value bytes = loop_binary(e->b, LOOP_IMUL, e->kept_at,
                                                 loop_i64(e->b, (int64_t)dtype_bytes(kept->dtype)));
            element_store(e->b, loop_offset(e->b, kept->memory, bytes),
                          element_splat(e->b, e->lanes, known->x),
                          (uint32_t)loop_elem_bytes(element_storage(kept->dtype)));
            s->stored |= UINT32_C(1) << i;
            break;
        }
    }
}
