/* What programs of several devices call: the ranks of a transport pass each other their operands.
 */
#include <string.h>

#include "base/context/context.h"
#include "scalar/dtype.h"
#include "tenon/train.h"

enum { MOST_RANKS = 64 };

static const tn_custom_attribute *attribute(const tn_custom_use *u, const char *name, size_t n)
{
    for (size_t i = 0; i < u->n_attributes; i++)
        if (strcmp(u->attributes[i].name, name) == 0)
            return u->attributes[i].kind == TN_ATTRIBUTE_INT && u->attributes[i].n == n
                       ? &u->attributes[i]
                       : NULL;
    return NULL;
}

/* The row of rank OWN in the table ROWS: each of its members has the same row, is in it once, and
 * OWN is one of them. Or nobody is in it. */
static bool is_group(const int64_t *rows, int64_t size, uint32_t ranks, uint32_t own)
{
    bool is_in[MOST_RANKS] = {false}, has_any = false;
    const int64_t *row = rows + size * own;
    for (int64_t k = 0; k < size; k++) {
        if (row[k] < -1 || row[k] >= ranks)
            return false;
        if (row[k] < 0)
            continue;
        if (is_in[row[k]] || memcmp(row, rows + size * row[k], (size_t)size * sizeof *row) != 0)
            return false;
        is_in[row[k]] = has_any = true;
    }
    return is_in[own] || !has_any;
}

/* The groups of all ranks, rows of SIZE places, some of which may be -1; NULL: it is no exchange of
 * so many ranks. */
static const int64_t *groups_of(const tn_transport *t, const tn_custom_use *u, int64_t *size)
{
    const tn_custom_attribute *n = attribute(u, "size", 1);
    if (!n || n->ints[0] < 1 || n->ints[0] > t->ranks)
        return NULL;
    *size = n->ints[0];
    const tn_custom_attribute *groups = attribute(u, "groups", (size_t)*size * t->ranks);
    return groups ? groups->ints : NULL;
}

static bool has_groups(const tn_transport *t, const tn_custom_use *u, int64_t *size)
{
    const int64_t *rows = groups_of(t, u, size);
    for (uint32_t r = 0; rows && r < t->ranks; r++)
        if (!is_group(rows, *size, t->ranks, r))
            return false;
    return rows != NULL;
}

static size_t bytes_of(const tn_buffer *b)
{
    size_t n = dtype_bytes(b->type.dtype);
    for (uint32_t i = 0; i < b->type.rank; i++)
        n *= (size_t)b->type.dims[i];
    return n;
}

static const char *check(void *user, const tn_custom_use *u)
{
    int64_t size;
    const bool has_shape = u->n_in == 1 && u->n_out == 2 &&
                           u->out[0].type.rank == u->in[0].type.rank + 1 &&
                           u->out[1].type.rank == 0 && u->out[1].type.dtype == TN_SI64;
    if (!has_shape || !has_groups(user, u, &size) || !attribute(u, "number", 1) ||
        u->out[0].type.dims[0] != size || u->out[0].type.dtype != u->in[0].type.dtype ||
        memcmp(u->out[0].type.dims + 1, u->in[0].type.dims,
               u->in[0].type.rank * sizeof *u->in[0].type.dims) != 0)
        return "the program was read for another number of processes, or its types are not those "
               "of an exchange";
    return NULL;
}

/* Which operation of the program it is, and of how many bytes. */
typedef struct turn {
    uint64_t number, bytes;
} turn;

/* Do all do the same? */
static const char *agree(const tn_transport *t, const turn *mine)
{
    const uint32_t own = t->rank;
    turn turns[MOST_RANKS];
    tn_message messages[MOST_RANKS];
    for (uint32_t i = 0; i < t->ranks; i++)
        messages[i] =
            i == own ? (tn_message){0} : (tn_message){mine, sizeof *mine, &turns[i], sizeof *mine};
    const char *why = t->exchange(t->user, messages);
    for (uint32_t i = 0; !why && i < t->ranks; i++)
        if (i != own && (turns[i].number != mine->number || turns[i].bytes != mine->bytes))
            why = "the processes do different operations";
    return why;
}

static const char *run(void *user, const tn_custom_use *u)
{
    const tn_transport *t = user;
    int64_t size = 0, place = -1;
    tn_message messages[MOST_RANKS];
    const int64_t *rows = groups_of(t, u, &size), *group = rows + size * t->rank;
    const size_t bytes = bytes_of(&u->in[0]);
    char *out = u->out[0].data;
    const turn mine = {(uint64_t)attribute(u, "number", 1)->ints[0], bytes};
    const char *why = agree(t, &mine);
    if (why)
        return why;
    for (uint32_t i = 0; i < t->ranks; i++)
        messages[i] = (tn_message){0};
    for (int64_t k = 0; k < size; k++) {
        if (group[k] == t->rank) {
            place = k;
            if (bytes)
                memcpy(out + (size_t)k * bytes, u->in[0].data, bytes);
        } else if (group[k] >= 0) {
            messages[group[k]] = (tn_message){u->in[0].data, bytes, out + (size_t)k * bytes, bytes};
        } else if (bytes) {
            memset(out + (size_t)k * bytes, 0, bytes);
        }
    }
    memcpy(u->out[1].data, &place, sizeof place);
    return t->exchange(t->user, messages);
}

static const char *check_rank(void *user, const tn_custom_use *u)
{
    (void)user;
    return u->n_in == 0 && u->n_out == 1 && u->out[0].type.rank == 0 &&
                   u->out[0].type.dtype == TN_SI64
               ? NULL
               : "the number of a process is one si64";
}

static const char *run_rank(void *user, const tn_custom_use *u)
{
    const tn_transport *t = user;
    const int64_t rank = t->rank;
    memcpy(u->out[0].data, &rank, sizeof rank);
    return NULL;
}

tn_status tn_context_register_exchange(tn_context *cx, const tn_transport *transport)
{
    if (transport->ranks > MOST_RANKS)
        return context_done(cx, diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                            "programs run on at most %d processes", MOST_RANKS));
    tn_custom_kernel kernel = {
        .size = sizeof kernel, .target = "tenon.exchange", .check = check, .run = run};
    memcpy(&kernel.user, &transport, sizeof transport); /* is not changed */
    TN_TRY(tn_context_register_custom(cx, &kernel));
    kernel.target = "tenon.rank";
    kernel.check = check_rank;
    kernel.run = run_rank;
    return tn_context_register_custom(cx, &kernel);
}
