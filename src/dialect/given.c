/* Sizes, shapes and values that are given for inputs. */
#include "dialect/given.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/memory/checked.h"

bool given_size(module *m, const read_options *o, const char *name, int64_t otherwise, dim *out)
{
    written_size size = {name, otherwise};
    bool is_given = otherwise >= 0;
    for (size_t i = o->n_bindings; i-- > 0;) /* the first one counts */
        if (strcmp(o->bindings[i].symbol, name) == 0) {
            size.value = o->bindings[i].extent;
            is_given = true;
        }
    if (!is_given) {
        *out = dim_symbol(&m->types, name);
        return *out != DIM_NO_MEMORY;
    }
    *out = size.value;
    if (size.value < 0) {
        (void)diag_report(&m->cx->diag, DIAG_NegativeDimension, &m->source, NO_SPAN,
                          "the size '%s' is given as %" PRId64, name, size.value);
        return false;
    }
    for (uint32_t i = 0; i < m->written_sizes.n; i++)
        if (m->written_sizes.at[i].symbol == name)
            return true;
    return VECTOR_PUSH(m->allocator, &m->written_sizes, size);
}

bool given_is_position(const char *name, uint32_t position)
{
    char number[16];
    if (*name < '0' || *name > '9')
        return false;
    (void)snprintf(number, sizeof number, "%" PRIu32, position);
    return strcmp(name, number) == 0;
}

bool given_by_position(const read_options *o, uint32_t position)
{
    for (size_t i = 0; i < o->n_shapes; i++)
        if (given_is_position(o->shapes[i].name, position))
            return true;
    for (size_t i = 0; i < o->n_known; i++)
        if (given_is_position(o->known[i].name, position))
            return true;
    return false;
}

const tn_input_shape *given_shape_of(const read_options *o, const char *name, uint32_t position)
{
    for (size_t i = 0; i < o->n_shapes; i++)
        if (strcmp(o->shapes[i].name, name) == 0)
            return &o->shapes[i];
    for (size_t i = 0; i < o->n_shapes; i++)
        if (given_is_position(o->shapes[i].name, position))
            return &o->shapes[i];
    return NULL;
}

/* ---- values ---- */

/* Behind what separates the steps of a path, which are names and numbers. */
static const char *next_step(const char *path)
{
    return path + strspn(path, "[]'\"./");
}

static size_t step_length(const char *path)
{
    return strcspn(path, "[]'\"./");
}

/* Have A and B the same steps? */
static bool is_same_path(const char *a, const char *b)
{
    for (;;) {
        a = next_step(a);
        b = next_step(b);
        const size_t n = step_length(a);
        if (n != step_length(b) || memcmp(a, b, n) != 0)
            return false;
        if (n == 0)
            return true;
        a += n;
        b += n;
    }
}

/* What is left of PATH without its first step. */
static const char *without_first(const char *path)
{
    path = next_step(path);
    return next_step(path + step_length(path));
}

static const tn_buffer *find_weight(const read_options *o, const char *path)
{
    for (size_t i = 0; *path && i < o->n_weights; i++)
        if (is_same_path(o->weights[i].name, path))
            return o->weights[i].value;
    return NULL;
}

const tn_buffer *given_initializer(const read_options *o, const char *name)
{
    for (size_t i = 0; i < o->n_known; i++)
        if (strcmp(o->known[i].name, name) == 0)
            return o->known[i].value;
    for (size_t i = 0; i < o->n_weights; i++)
        if (strcmp(o->weights[i].name, name) == 0)
            return o->weights[i].value;
    return NULL;
}

const tn_buffer *given_value(const read_options *o, const char *name, uint32_t position)
{
    char number[16];
    const tn_buffer *found = given_initializer(o, name);
    if (!found)
        found = find_weight(o, name);
    const char *rest = without_first(name);
    if (!found && rest[strspn(rest, "0123456789")]) /* a number alone is a position */
        found = find_weight(o, rest);
    (void)snprintf(number, sizeof number, "%" PRIu32, position);
    for (size_t i = 0; !found && i < o->n_known; i++)
        if (given_is_position(o->known[i].name, position))
            found = o->known[i].value;
    return found ? found : find_weight(o, number);
}

/* The elements of B as elements of D; NULL when they do not fit. */
static void *converted(arena *memory, const tn_buffer *b, tn_dtype d, int64_t count,
                       bool *no_memory)
{
    char *to = arena_alloc_aligned(memory, (size_t)count * dtype_bytes(d) + 1, 16);
    const char *from = b->data;
    *no_memory = *no_memory || !to;
    for (int64_t i = 0; to && i < count; i++) {
        const scalar s = scalar_load(b->type.dtype, from + (size_t)i * dtype_bytes(b->type.dtype));
        const bool exact = scalar_is_exact(s, d) || dtype_is_float(d);
        if (!exact || !scalar_store(s, d, to + (size_t)i * dtype_bytes(d)))
            return NULL;
    }
    return to;
}

const void *given_data(arena *memory, const tn_buffer *given, const type *t, int64_t *dims,
                       bool *no_memory)
{
    const uint32_t rank = given->type.rank;
    int64_t count = 1;
    bool fits = product_i64(given->type.dims, rank, &count) && (rank == t->rank || count == 1);
    for (uint32_t i = 0; fits && i < t->rank; i++) {
        dims[i] = rank == t->rank ? given->type.dims[i] : 1;
        fits = dim_is_symbolic(t->dims[i]) || t->dims[i] == dims[i];
    }
    fits = fits && dtype_holds(given->type.dtype, given->data,
                               (size_t)count * dtype_bytes(given->type.dtype));
    return fits ? converted(memory, given, t->dtype, count, no_memory) : NULL;
}
