/* Weights to files, and what they look like from outside. */
#include <string.h>

#include "io/safetensors.h"
#include "tenon/files.h"
#include "train/sha256.h"
#include "train/trainer.h"

tn_status tn_trainer_write(const tn_trainer *t, const char *path)
{
    arena memory;
    tn_file_set *set;
    arena_init(&memory, &t->cx->allocator);
    const char **names = ARENA_ARRAY(&memory, const char *, t->n_weights);
    tn_buffer *values = ARENA_ARRAY(&memory, tn_buffer, t->n_weights);
    tn_status s = names && values ? tn_file_set_begin(t->cx, &set)
                                  : context_done(t->cx, diag_no_memory(&t->cx->diag));
    if (s == TN_OK) {
        for (size_t k = 0; k < t->n_weights; k++) {
            names[k] = t->weights[k].name;
            values[k] = t->weights[k].value;
        }
        s = tn_file_set_add_tensors(set, path, names, values, t->n_weights);
        s = tn_file_set_end(set, s);
    }
    arena_release(&memory);
    return s;
}

static bool hash(void *user, const void *bytes, size_t n)
{
    sha256_add(user, bytes, n);
    return true;
}

tn_status tn_trainer_digest(const tn_trainer *t, char digest[65])
{
    arena memory;
    sha256 h;
    const safetensors_sink sink = {hash, &h};
    arena_init(&memory, &t->cx->allocator);
    sha256_init(&h);
    const char **names = ARENA_ARRAY(&memory, const char *, t->n_weights);
    array *arrays = ARENA_ARRAY(&memory, array, t->n_weights);
    tn_status s = names && arrays ? TN_OK : diag_no_memory(&t->cx->diag);
    for (size_t k = 0; s == TN_OK && k < t->n_weights; k++) {
        const tn_buffer *b = &t->weights[k].value;
        names[k] = t->weights[k].name;
        arrays[k] = (array){
            .dtype = b->type.dtype, .rank = b->type.rank, .data = b->data, .bytes = b->bytes};
        memcpy(arrays[k].dims, b->type.dims, b->type.rank * sizeof b->type.dims[0]);
    }
    if (s == TN_OK)
        s = safetensors_emit(t->cx, "weights", names, arrays, t->n_weights, &sink);
    sha256_end(&h, digest);
    arena_release(&memory);
    return context_done(t->cx, s);
}
