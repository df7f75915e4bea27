/* Programs with other sizes than they are bound to. */
#include "driver/other_sizes.h"

#include <string.h>

#include "base/checked.h"
#include "pass/bind.h"
#include "pass/pass.h"

/* What a size becomes, number I of them: all differ, or equal ones stay equal; with another
 * remainder by any small number, or with the same. */
typedef enum change { APART, TOGETHER, DOUBLED, CHANGES } change;

static bool changed(int64_t size, change c, uint32_t i, int64_t *out)
{
    return mul_i64(size, 2, out) && add_i64(*out,
                                            c == DOUBLED    ? 0
                                            : c == TOGETHER ? 1
                                                            : 1 + 2 * (int64_t)i,
                                            out);
}

static bool change_all(const module *m, const int64_t *values, change c, int64_t *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->types.exprs.n; i++) {
        out[i] = values[i];
        if (m->types.exprs.at[i].op != DIM_SYM || values[i] < 0)
            continue;
        if (values[i] == 0 || !changed(values[i], c, n++, &out[i]))
            return false;
    }
    return n > 0;
}

static module *make(const module *m, const int64_t *values, change c, const sizes_options *o,
                    context *cx)
{
    module *copy = module_copy_to(m, cx);
    int64_t *sizes = copy ? sizes_new(copy, &copy->arena) : NULL;
    if (sizes && change_all(copy, values, c, sizes) && module_bind_here(copy, sizes) == TN_OK &&
        pass_run_level(copy, o->level, o->relaxed, false, NULL) == TN_OK)
        return copy;
    module_free(copy);
    return NULL;
}

void other_sizes_make(const module *m, const int64_t *values, const sizes_options *o,
                      other_sizes *out)
{
    *out = (other_sizes){NULL, NULL};
    for (int c = 0; c < CHANGES && !out->graph && module_has_symbols(m); c++) {
        out->cx = context_new(m->allocator, NULL); /* one that a rejection was told to ends */
        if (!out->cx)
            return;
        out->cx->limits = m->cx->limits;
        out->graph = make(m, values, (change)c, o, out->cx);
        if (!out->graph)
            other_sizes_release(out);
    }
}

void other_sizes_release(other_sizes *o)
{
    module_free(o->graph);
    context_free(o->cx);
    *o = (other_sizes){NULL, NULL};
}
