/* Types and ports as callers see them. */
#include "graph/public.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory/checked.h"
#include "base/text/decimal.h"

void public_type(const type *from, tn_type *to)
{
    *to = (tn_type){.dtype = from->dtype, .rank = from->rank};
    for (uint32_t i = 0; i < from->rank && i < TN_MAX_RANK; i++)
        to->dims[i] = dim_is_symbolic(from->dims[i]) ? TN_DIM_UNKNOWN : from->dims[i];
}

const char *public_type_text(arena *memory, const tn_type *t)
{
    char text[TN_MAX_RANK * 24];
    size_t n = 0;
    for (uint32_t i = 0; i < t->rank && i < TN_MAX_RANK; i++) {
        if (i)
            text[n++] = ',', text[n++] = ' ';
        if (t->dims[i] == TN_DIM_UNKNOWN)
            text[n++] = '?';
        else
            n += decimal_print_i64(t->dims[i], text + n);
    }
    text[n] = '\0';
    const char *name = (unsigned)t->dtype < TN_DTYPE_COUNT ? dtype_name(t->dtype) : "?";
    const char *whole = arena_printf(memory, "%s[%s]", name, text);
    return whole ? whole : "a tensor";
}

bool public_type_is_valid(const tn_type *t, bool unknown_ok)
{
    if ((unsigned)t->dtype >= TN_DTYPE_COUNT || t->rank > TN_MAX_RANK)
        return false;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] < 0 && !(unknown_ok && t->dims[i] == TN_DIM_UNKNOWN))
            return false;
    return true;
}

bool public_type_bytes(const tn_type *t, size_t *bytes)
{
    int64_t count, total;
    if (!public_type_is_valid(t, false) || !product_i64(t->dims, t->rank, &count) ||
        !mul_i64(count, (int64_t)dtype_bytes(t->dtype), &total) || (uint64_t)total > SIZE_MAX)
        return false;
    *bytes = (size_t)total;
    return true;
}

bool public_same_type(const tn_type *a, const tn_type *b)
{
    return a->dtype == b->dtype && a->rank == b->rank && public_type_is_valid(a, false) &&
           memcmp(a->dims, b->dims, a->rank * sizeof a->dims[0]) == 0;
}

bool public_type_fits(const tn_type *t, const tn_type *want)
{
    if (!public_type_is_valid(t, false) || t->dtype != want->dtype || t->rank != want->rank)
        return false;
    for (uint32_t i = 0; i < t->rank; i++)
        if (want->dims[i] != TN_DIM_UNKNOWN && t->dims[i] != want->dims[i])
            return false;
    return true;
}

/* FIRST, else SECOND, else the number of V. */
static void name_port(module *m, value_id v, const char *first, const char *second, tn_port *port)
{
    char text[16];
    public_type(value_type(module_entry(m), v), &port->type);
    port->name = first ? first : second;
    if (port->name)
        return;
    int length = snprintf(text, sizeof text, "%%%" PRIu32, v);
    port->name = module_string(m, text, (size_t)length);
}

void public_input(module *m, value_id v, tn_port *port)
{
    const node *n = node_of(module_entry(m), v);
    name_port(m, v, attr_string(n->attrs, KEY_NAME), n->name, port);
}

void public_output(module *m, uint32_t index, tn_port *port)
{
    const function *f = module_entry(m);
    const value_id v = f->outputs.at[index];
    const node *n = node_of(f, v);
    const char *given = index < f->output_names.n ? f->output_names.at[index] : NULL;
    name_port(m, v, given ? given : n->name,
              n->op == OP_INPUT ? attr_string(n->attrs, KEY_NAME) : NULL, port);
}
