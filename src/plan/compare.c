/* Kernels of one program for two choices of its symbolic sizes. */
#include <string.h>

#include "plan/kernel.h"

static bool is_same_value(const kernel_output *a, const kernel_output *b)
{
    return a->value == b->value && a->into == b->into && a->is_window == b->is_window;
}

/* Do they compute the same from the same? */
static bool is_alike(const kernel *a, const kernel *b)
{
    if (a->kind != b->kind || a->rank != b->rank || a->reduced != b->reduced ||
        a->node != b->node || a->draws != b->draws || a->is_split != b->is_split ||
        a->n_nodes != b->n_nodes || a->n_in != b->n_in || a->n_out != b->n_out ||
        a->n_stages != b->n_stages ||
        (a->n_nodes && memcmp(a->nodes, b->nodes, a->n_nodes * sizeof *a->nodes) != 0) ||
        (a->n_in && memcmp(a->in, b->in, a->n_in * sizeof *a->in) != 0))
        return false;
    for (uint32_t i = 0; i < a->n_out; i++)
        if (!is_same_value(&a->out[i], &b->out[i]))
            return false;
    return true;
}

static bool compare(const kernel *a, const kernel *b, const function *like, arena *memory,
                    kernel *out)
{
    if (!is_alike(a, b))
        return false;
    *out = *a;
    out->like = like;
    out->dynamic = 0;
    for (uint32_t i = 0; i < a->rank; i++)
        out->dynamic |= (uint32_t)(a->dims[i] != b->dims[i]) << i;
    if (a->n_stages == 0)
        return true;
    kernel *stages = ARENA_ARRAY(memory, kernel, a->n_stages); /* which have no stages */
    for (uint32_t i = 0; stages && i < a->n_stages; i++)
        if (a->stages[i].n_stages > 0 ||
            !compare(&a->stages[i], &b->stages[i], like, memory, &stages[i]))
            return false;
    out->stages = stages;
    return stages != NULL;
}

static bool has_same_nodes(const function *f, const function *like)
{
    if (f->nodes.n != like->nodes.n || f->values.n != like->values.n)
        return false;
    for (uint32_t i = 0; i < f->nodes.n; i++) {
        const node *a = &f->nodes.at[i], *b = &like->nodes.at[i];
        if (a->op != b->op || a->n_in != b->n_in || a->first_value != b->first_value ||
            (a->n_in && memcmp(a->in, b->in, a->n_in * sizeof *a->in) != 0))
            return false;
    }
    return true;
}

/* By value: 1 + the kernel of LIST whose first output it is; 0: none. */
static uint32_t *index_kernels(const kernel_list *list, uint32_t n_values, arena *memory)
{
    uint32_t *number = ARENA_ARRAY(memory, uint32_t, n_values);
    for (uint32_t i = 0; number && i < list->n; i++)
        if (list->at[i].n_out)
            number[list->at[i].out[0].into] = i + 1;
    return number;
}

const kernel_pair *kernels_compare(const function *f, const kernel_list *list, const function *like,
                                   const kernel_list *other, arena *memory)
{
    if (!has_same_nodes(f, like))
        return NULL;
    const uint32_t *number = index_kernels(other, like->values.n, memory);
    kernel_pair *pairs = number ? ARENA_ARRAY(memory, kernel_pair, list->n) : NULL;
    for (uint32_t i = 0; pairs && i < list->n; i++) {
        const kernel *k = &list->at[i];
        const uint32_t there = k->n_out ? number[k->out[0].into] : 0;
        if (there == 0)
            continue;
        const kernel *o = &other->at[there - 1];
        pairs[i].is_alike =
            compare(k, o, like, memory, &pairs[i].own) && compare(o, k, f, memory, &pairs[i].other);
    }
    return pairs;
}
