/* A RESHAPE that looks like a transpose: its named axes say something else than its elements. */
#include "dialect/tiny/read/reader.h"

#include <inttypes.h>

/* The axes of X whose extent is not 1. */
static uint32_t long_axes(const reader *r, const value *x, uint32_t *out)
{
    const type *t = type_at(r, x->v);
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        if (t->dims[i] != 1)
            out[n++] = i;
    return n;
}

static int position_of(const value *x, const uint32_t *at, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (x->axes[at[i]].name == name)
            return (int)i;
    return -1;
}

static void report(reader *r, const entry *e, const value *from, const char *what)
{
    const entry *made_by = NULL;
    const type *t = type_at(r, from->v);
    warn(r, e, DIAG_SuspiciousReshape, e->at,
         "%s; RESHAPE keeps the order of elements and moves no axis", what);
    diag_channel *d = &r->m->cx->diag;
    diag_note(d, NULL, NO_SPAN, "the source has shape %s",
              dims_text(&d->text, &r->m->types, t->dims, t->rank));
    for (uint32_t i = 0; i < r->entries.n; i++)
        if (r->entries.at[i].done && r->entries.at[i].value.v == from->v)
            made_by = &r->entries.at[i];
    if (made_by && made_by->uop && made_by->uop->kind == TINY_PERMUTE)
        diag_fix(d, NO_SPAN, NULL, "drop the PERMUTE '%s' and reshape its source", made_by->id);
    else
        diag_fix(d, NO_SPAN, NULL, "use PERMUTE to reorder axes");
}

void lint_reshape(reader *r, const entry *e, const value *from, const value *to)
{
    uint32_t a[TN_MAX_RANK], b[TN_MAX_RANK];
    const uint32_t n_a = long_axes(r, from, a), n_b = long_axes(r, to, b);
    int last = -1;
    for (uint32_t i = 0; i < n_b; i++) {
        const char *name = to->axes[b[i]].name;
        const int at = name ? position_of(from, a, n_a, name) : -1;
        if (at < 0)
            continue;
        if (at < last) {
            report(r, e, from,
                   arena_printf(&r->memory, "axis '%s' stands elsewhere than in the source", name));
            return;
        }
        last = at;
    }
    for (uint32_t i = 0; n_a == n_b && i < n_a; i++) {
        const char *was = from->axes[a[i]].name, *is = to->axes[b[i]].name;
        if (was && is && was != is) {
            report(r, e, from,
                   arena_printf(&r->memory, "axis '%s' is called '%s' in the source", is, was));
            return;
        }
    }
}
