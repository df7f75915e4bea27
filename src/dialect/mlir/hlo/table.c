/* The rows of operations, found by name. */
#include "dialect/mlir/checks.h"
#include "dialect/mlir/hlo/lower.h"
#include "dialect/mlir/stablehlo.h"

static const mir_row own_rows[] = {
#define HLO(name, form, min_in, max_in, n_out, n_regions, attrs, lower, arg)                       \
    {name, FORM_##form, min_in, max_in, n_out, n_regions, attrs, shlo_lower_##lower, arg},
#include "dialect/mlir/hlo/ops.def"
};

static const mir_row *find(const shlo_reader *r, mir_text name, uint64_t h)
{
    for (uint32_t p = hash_first(&r->row_index, h), i;
         (i = hash_at(&r->row_index, h, &p)) != HASH_NONE;)
        if (mir_is(name, r->rows.at[i]->name))
            return r->rows.at[i];
    return NULL;
}

const mir_row *shlo_find_row(const void *reader, mir_text name)
{
    return find(reader, name, hash_bytes(0, name.at, name.n));
}

/* Unless there is a row of this name. */
static bool add_row(shlo_reader *r, const mir_row *row)
{
    const mir_text name = {row->name, strlen(row->name)};
    const uint64_t h = hash_bytes(0, name.at, name.n);
    return find(r, name, h) ||
           VECTOR_PUSH_INDEXED(r->m->allocator, &r->rows, row, &r->row_index, h);
}

/* What the writer spells as one operation, to the letter. */
static bool add_spelt(shlo_reader *r, op_id op)
{
    const char *name = stablehlo_plain_name(op);
    mir_row *row = name ? ARENA_NEW(&r->memory, mir_row) : NULL;
    if (!name)
        return true;
    if (!row)
        return false;
    *row = (mir_row){.name = name,
                     .form = FORM_PLAIN,
                     .min_in = op_table[op].min_in,
                     .max_in = op_table[op].max_in,
                     .n_out = 1,
                     .attrs = "",
                     .lower = shlo_lower_elementwise,
                     .arg = (int)op};
    return add_row(r, row);
}

bool shlo_index_rows(shlo_reader *r)
{
    for (size_t i = 0; i < sizeof own_rows / sizeof *own_rows; i++)
        if (!add_row(r, &own_rows[i]))
            return false;
    for (uint32_t op = 0; op < OP_COUNT; op++)
        if (!add_spelt(r, (op_id)op))
            return false;
    return true;
}
