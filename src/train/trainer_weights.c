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
    const tn_buffer *own = trainer_opened(t, t->ports[i].name);
    *found = t->init && tn_tensor_file_find(t->init, t->ports[i].name, &at);
    if (!*found && own)
        *out = *own;
    if (!*found) {
        *found = own != NULL;
        return TN_OK;
    }
    tn_buffer b = {0};
    TN_TRY(tn_tensor_file_type(t->init, at, &b.type));
    TN_TRY(tn_program_check_input(t->gradient, i, &b, "the file of first values"));
    TN_TRY(tn_tensor_file_load(t->init, at, &b));
    TN_TRY(tn_program_check_input(t->gradient, i, &b, "the file of first values"));
    *out = b;
    return TN_OK;
}

/* Does the file `init` have a value for any input that takes one from there? */
static tn_status check_init(const tn_trainer *t)
{
    size_t at;
    for (size_t i = 0; t->init && i < t->n_in; i++)
        if (t->roles[i] != ROLE_DATA && tn_tensor_file_find(t->init, t->ports[i].name, &at))
            return TN_OK;
    if (!t->init)
        return TN_OK;
    const char *first = tn_tensor_file_count(t->init) ? tn_tensor_file_name(t->init, 0) : "";
    return trainer_fault(t->cx, DIAG_MissingInput,
                         "no tensor in the file of first values has the name of a weight or of "
                         "another input that gets no samples%s%s%s",
                         first[0] ? ": its first is '" : "", first, first[0] ? "'" : "");
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

/* ---- memory ---- */

/* Sizes of gradients, and where they lie in a block of all. */
static tn_status lay_out(tn_trainer *t)
{
    t->is_like_gradients = true;
    for (size_t k = 0; k < t->n_weights; k++) {
        weight *w = &t->weights[k];
        w->sum = dtype_compute(w->value.type.dtype);
        w->n = w->value.bytes / dtype_bytes(w->value.type.dtype);
        t->is_like_gradients = t->is_like_gradients && w->sum == w->value.type.dtype;
        if (w->sum != w->value.type.dtype)
            w->narrow = arena_alloc_aligned(&t->memory, w->value.bytes, 64);
    }
    TN_TRY(ranks_deal(t));
    t->losses = ARENA_ARRAY(&t->memory, double, (size_t)t->o.leaves);
    t->squares = ARENA_ARRAY(&t->memory, double, t->n_weights);
    return t->memory.failed ? diag_no_memory(&t->cx->diag) : TN_OK;
}

/* Memory for the weights: one block, if it can be as those of gradients are, which ranks pass on
 * as it is. */
static tn_status make_room(tn_trainer *t)
{
    t->values = t->is_like_gradients ? arena_alloc_aligned(&t->memory, t->block, 64) : NULL;
    if (t->values)
        memset(t->values, 0, t->block);
    for (size_t k = 0; k < t->n_weights; k++) {
        weight *w = &t->weights[k];
        w->value.data =
            t->values ? t->values + w->at : arena_alloc_aligned(&t->memory, w->value.bytes, 64);
    }
    return t->memory.failed ? diag_no_memory(&t->cx->diag) : TN_OK;
}

/* ---- all of them ---- */

/* The type of weight K; FIRST: its first value, without data when it is to be drawn. */
static tn_status find_type(tn_trainer *t, size_t k, tn_buffer *first)
{
    weight *w = &t->weights[k];
    const tn_port *port = &t->ports[w->input];
    bool found;
    TN_TRY(load(t, w->input, first, &found));
    w->is_given = found;
    w->value.type = found ? first->type : port->type;
    if (!is_known(&w->value.type))
        return trainer_fault(t->cx, DIAG_UnboundSymbol,
                             "the extents of '%s' are not known: the file of first values, or "
                             "bindings, give them",
                             port->name);
    return trainer_measure(t->cx, &w->value.type, &w->value.bytes);
}

static tn_status start_weight(tn_trainer *t, size_t k, const tn_buffer *first)
{
    weight *w = &t->weights[k];
    t->in[w->input] = w->value;
    if (!w->is_given)
        return draw_weight(t, k, &w->value);
    if (w->value.bytes > 0)
        memcpy(w->value.data, first->data, w->value.bytes);
    return TN_OK;
}

static tn_status start_fixed(tn_trainer *t, size_t i)
{
    bool found;
    TN_TRY(load(t, i, &t->in[i], &found));
    if (found)
        return TN_OK;
    const tn_status s = trainer_fault(t->cx, DIAG_MissingInput,
                                      "the input '%s' is not trained, and neither the data nor the "
                                      "file of first values has it",
                                      t->ports[i].name);
    trainer_note_columns(t);
    return s;
}

tn_status trainer_start_weights(tn_trainer *t)
{
    tn_buffer *first = ARENA_ARRAY(&t->memory, tn_buffer, t->n_weights);
    if (!first)
        return diag_no_memory(&t->cx->diag);
    for (size_t k = 0; k < t->n_weights; k++)
        TN_TRY(find_type(t, k, &first[k]));
    TN_TRY(check_init(t));
    TN_TRY(lay_out(t));
    TN_TRY(make_room(t));
    for (size_t k = 0; k < t->n_weights; k++)
        TN_TRY(start_weight(t, k, &first[k]));
    for (size_t i = 0; i < t->n_in; i++)
        if (t->roles[i] == ROLE_FIXED)
            TN_TRY(start_fixed(t, i));
    return TN_OK;
}
