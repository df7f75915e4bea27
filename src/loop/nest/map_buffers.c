/* Where the buffers of kernels lie in which each position is on its own: results in the place of
 * operands, and buffers that begin where the kernel begins. */
#include "loop/nest/map.h"

#include <string.h>

/* ---- results in the place of operands ---- */

typedef struct overlay {
    emitter *e;
    uint32_t in, out; /* of the kernel */
    int64_t first, steps[TN_MAX_RANK];
    bool fits, is_read;
} overlay;

/* Everything that is read of the operand is what the same position writes. */
static void compare_read(void *user, const access_expr *expr, const emit_read *read)
{
    overlay *o = user;
    int64_t first, steps[TN_MAX_RANK];
    if (!read || read->v != o->e->k->in[o->in])
        return;
    o->is_read = true;
    o->fits = o->fits && !read->is_by_data && read->map->n_guards == 0 &&
              access_strides(expr, o->e->k->rank, &first, steps) && first == o->first &&
              memcmp(steps, o->steps, o->e->k->rank * sizeof *steps) == 0;
}

static bool can_overlay(overlay *o)
{
    emitter *e = o->e;
    const kernel *k = e->k;
    const type *in = value_type(e->f, k->in[o->in]), *out = value_type(e->f, k->out[o->out].into);
    const access_expr *to =
        access_offset(k->out[o->out].to, access_extents_of(e->f, k->out[o->out].into), e->memory);
    if (in->count != out->count || dtype_bytes(in->dtype) != dtype_bytes(out->dtype) || !to ||
        !access_strides(to, k->rank, &o->first, o->steps))
        return false;
    o->fits = true;
    o->is_read = false;
    for (uint32_t i = 0; i < k->n_out; i++)
        if (!emit_visit_reads(e, k->out[i].value, k->out[i].from, compare_read, o))
            return false;
    return o->fits && o->is_read;
}

void map_find_overlays(emitter *e, nest_step *step)
{
    for (uint32_t out = 0; out < e->k->n_out; out++)
        for (uint32_t in = 0; in < e->k->n_in && step->n_in_place < NEST_PAIRS; in++) {
            overlay o = {.e = e, .in = in, .out = out};
            if (!can_overlay(&o))
                continue;
            step->in_place[step->n_in_place][0] = in;
            step->in_place[step->n_in_place++][1] = emit_output_buffer(e->k, out);
        }
}

/* ---- buffers that begin where the kernel begins ---- */

/* By buffer of the kernel, the elements before the first one that it uses; -1: nothing is known
 * yet. */
typedef struct first_uses {
    const kernel *k;
    int64_t *at;
} first_uses;

static void note_first(first_uses *u, uint32_t buffer, const access_expr *offset)
{
    int64_t *known = &u->at[buffer];
    const int64_t first = offset && offset->low > 0 && access_is_fixed(offset) ? offset->low : 0;
    *known = *known < 0 || first < *known ? first : *known;
}

static void note_read(void *user, const access_expr *offset, const emit_read *read)
{
    first_uses *u = user;
    for (uint32_t i = 0; read && i < u->k->n_in; i++)
        if (u->k->in[i] == read->v)
            note_first(u, i, read->is_by_data || read->map->n_guards ? NULL : offset);
}

bool map_move_buffers(emitter *e, nest_step *step)
{
    const kernel *k = e->k;
    const uint32_t n = emit_buffer_count(k);
    first_uses u = {k, ARENA_ARRAY(e->memory, int64_t, n)};
    int64_t *moved_to = ARENA_ARRAY(e->memory, int64_t, k->n_out);
    if (!u.at || !moved_to)
        return false;
    for (uint32_t i = 0; i < n; i++)
        u.at[i] = -1;
    for (uint32_t i = 0; i < k->n_out; i++) {
        note_first(&u, emit_output_buffer(k, i),
                   access_offset(k->out[i].to, access_extents_of(e->f, k->out[i].into), e->memory));
        if (!emit_visit_reads(e, k->out[i].value, k->out[i].from, note_read, &u))
            return !e->failed;
    }
    for (uint32_t p = 0; p < step->n_in_place; p++)
        for (uint32_t side = 0; side < 2; side++)
            u.at[step->in_place[p][side]] = 0;
    for (uint32_t i = 0; i < n; i++) {
        const value_id v = emit_buffer_value(k, i);
        const size_t bytes = v == NO_VALUE ? 0 : dtype_bytes(value_type(e->f, v)->dtype);
        if (u.at[i] < 0 || !nest_moves(step, i, (uint64_t)u.at[i] * bytes))
            u.at[i] = 0;
    }
    for (uint32_t i = 0; i < k->n_out; i++)
        moved_to[i] = u.at[emit_output_buffer(k, i)];
    e->moved = u.at;
    e->moved_to = moved_to;
    return true;
}
