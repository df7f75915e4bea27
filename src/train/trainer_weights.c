/* Where weights begin: values from a file, or drawn by the seed. */
#include <math.h>
#include <string.h>

#include "base/memory/checked.h"
#include "io/input.h"
#include "train/trainer.h"

static bool is_known(const tn_type *t)
{
    for (uint32_t k = 0; k < t->rank; k++)
        if (t->dims[k] == TN_DIM_UNKNOWN)
            return false;
    return true;
}

/* The tensor of the file `init` for input I, as the program takes it; *FOUND: there is one. Not all
 * files can say what the element type is, so it is the program's when that is only carried. */
static tn_status load(tn_trainer *t, size_t i, tn_buffer *out, bool *found)
{
    size_t at;
    *found = t->init && tn_tensor_file_find(t->init, t->ports[i].name, &at);
    if (!*found)
        return TN_OK;
    tn_buffer b = {0};
    TN_TRY(tn_tensor_file_type(t->init, at, &b.type));
    TN_TRY(tn_program_check_input(t->gradient, i, &b, "the file of first values"));
    TN_TRY(tn_tensor_file_load(t->init, at, &b));
    TN_TRY(tn_program_check_input(t->gradient, i, &b, "the file of first values"));
    *out = b;
    return TN_OK;
}

/* ---- random values ---- */

/* Uniform in [-1, 1): element I of weight K, the same whoever asks. */
static double draw(uint64_t seed, uint64_t k, uint64_t i)
{
    const uint64_t bits = tn_leaf_seed(~tn_leaf_seed(seed, 0, k), 1, i);
    return (double)(int64_t)(bits >> 11) * 0x1p-52 - 1;
}

static tn_status draw_weight(const tn_trainer *t, size_t k, tn_buffer *b)
{
    enum { CHUNK = 256 };
    const tn_type *type = &b->type;
    const size_t size = dtype_bytes(type->dtype), n = b->bytes / size;
    int64_t width = 1;
    memset(b->data, 0, b->bytes);
    if (type->rank < 2 || n == 0)
        return TN_OK;
    (void)product_i64(type->dims, type->rank - 1, &width); /* a part of what fitted */
    const double scale = sqrt(6.0 / (double)width);
    for (size_t at = 0; at < n; at += CHUNK) {
        double values[CHUNK];
        const size_t m = n - at < CHUNK ? n - at : CHUNK;
        for (size_t i = 0; i < m; i++)
            values[i] = scale * draw(t->o.seed, k, at + i);
        (void)dtype_cast(TN_F64, values, type->dtype, (char *)b->data + at * size, m);
    }
    return TN_OK;
}

/* ---- all of them ---- */

static tn_status start_weight(tn_trainer *t, size_t k)
{
    weight *w = &t->weights[k];
    const tn_port *port = &t->ports[w->input];
    tn_buffer first = {0}, *own = &w->value;
    bool found;
    TN_TRY(load(t, w->input, &first, &found));
    own->type = found ? first.type : port->type;
    if (!is_known(&own->type))
        return trainer_fault(t->cx, DIAG_UnboundSymbol,
                             "the extents of '%s' are not known: the file of first values, or "
                             "bindings, give them",
                             port->name);
    TN_TRY(trainer_measure(t->cx, &own->type, &own->bytes));
    own->data = arena_alloc_aligned(&t->memory, own->bytes, 64);
    if (!own->data)
        return diag_no_memory(&t->cx->diag);
    if (found && own->bytes > 0)
        memcpy(own->data, first.data, own->bytes);
    t->in[w->input] = *own;
    return found ? TN_OK : draw_weight(t, k, own);
}

tn_status trainer_start_weights(tn_trainer *t)
{
    for (size_t k = 0; k < t->n_weights; k++)
        TN_TRY(start_weight(t, k));
    tn_status s = TN_OK;
    for (size_t i = 0; i < t->n_in; i++) {
        bool found;
        if (t->roles[i] != ROLE_FIXED)
            continue;
        TN_TRY(load(t, i, &t->in[i], &found));
        if (found)
            continue;
        s = trainer_fault(t->cx, DIAG_MissingInput,
                          "the input '%s' is not trained, and neither the data nor the file of "
                          "first values has it",
                          t->ports[i].name);
    }
    return s;
}
