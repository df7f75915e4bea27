/* Attributes of operations, in all the ways in which they are written. */
#include "dialect/mlir/hlo/shlo.h"

#include <inttypes.h>

#include "base/text/decimal.h"
#include "base/text/text.h"
#include "graph/literal.h"

const mir_attr *shlo_attr(const shlo_call *c, const char *name)
{
    return mir_attr_named(&c->op->attrs, name);
}

static bool bad(shlo_call *c, const char *name, const char *what)
{
    return shlo_refuse(c, DIAG_InvalidAttribute, "'%s' is not %s", name, what);
}

/* ---- numbers ---- */

bool shlo_int(shlo_call *c, const char *name, int64_t otherwise, int64_t *out)
{
    const mir_attr *a = shlo_attr(c, name);
    *out = otherwise;
    if (!a)
        return true;
    if (a->kind != MIR_INT || !a->fits)
        return bad(c, name, "a whole number");
    *out = known_plain_number(a->i);
    return true;
}

bool shlo_flag(const shlo_call *c, const char *name, bool otherwise)
{
    const mir_attr *a = shlo_attr(c, name);
    return a ? a->kind == MIR_UNIT || a->i != 0 : otherwise;
}

double shlo_float_of(const mir_attr *a, const mir_type *t)
{
    uint64_t bits;
    const float_format f = t && t->dtype == TN_F32 ? format_f32 : format_f64;
    if (a->text.n > 2 && a->text.at[1] == 'x')
        bits = (uint64_t)a->i;
    else
        (void)decimal_read(f, a->text.at, a->text.n, &bits);
    return scalar_load(f.bits == 32 ? TN_F32 : TN_F64, &bits).f;
}

double shlo_float(const shlo_call *c, const char *name, double otherwise)
{
    const mir_attr *a = shlo_attr(c, name);
    return a && (a->kind == MIR_FLOAT || a->kind == MIR_INT) ? shlo_float_of(a, a->type)
                                                             : otherwise;
}

/* ---- lists ---- */

/* Whole numbers of a `dense` attribute. */
static bool dense_ints(shlo_call *c, const char *name, const mir_attr *a, uint32_t most,
                       int64_t *out, uint32_t *n)
{
    literal l;
    const type *t = shlo_static_type(c->r, a->type, c->op->at);
    if (!t || !shlo_dense(c->r, a, t, c->op->at, &l))
        return false;
    if (t->count < 0 || t->count > most || dtype_is_float(t->dtype) || dtype_is_complex(t->dtype))
        return bad(c, name, "a list of as many whole numbers as are needed");
    for (int64_t i = 0; i < t->count; i++)
        out[i] = known_plain_number(scalar_load(t->dtype, literal_element(&l, i)).i);
    *n = (uint32_t)t->count;
    return true;
}

/* Lists in lists are read one after the other. */
static bool list_ints(shlo_call *c, const char *name, const mir_attr *a, uint32_t most,
                      int64_t *out, uint32_t *n)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const mir_attr *item = &a->items[i];
        if (item->kind == MIR_LIST && item->n && item->items[0].kind != MIR_LIST) {
            if (!list_ints(c, name, item, most, out, n))
                return false;
            continue;
        }
        if ((item->kind != MIR_INT && item->kind != MIR_BOOL) || *n == most ||
            (item->kind == MIR_INT && !item->fits && item->text.n))
            return bad(c, name, "a list of as many whole numbers as are needed");
        out[(*n)++] = known_plain_number(item->i);
    }
    return true;
}

bool shlo_ints_of(shlo_call *c, const char *name, const mir_attr *a, uint32_t most, int64_t *out,
                  uint32_t *n)
{
    *n = 0;
    if (!a)
        return true;
    if (a->kind == MIR_DENSE)
        return dense_ints(c, name, a, most, out, n);
    return a->kind == MIR_LIST ? list_ints(c, name, a, most, out, n) : bad(c, name, "a list");
}

bool shlo_ints(shlo_call *c, const char *name, uint32_t most, int64_t *out, uint32_t *n)
{
    return shlo_ints_of(c, name, shlo_attr(c, name), most, out, n);
}

bool shlo_ints_or(shlo_call *c, const char *name, uint32_t n, int64_t otherwise, int64_t *out)
{
    uint32_t found;
    if (!shlo_ints(c, name, n, out, &found))
        return false;
    if (!shlo_attr(c, name)) {
        for (uint32_t i = 0; i < n; i++)
            out[i] = otherwise;
        return true;
    }
    return found == n ||
           shlo_refuse(c, DIAG_InvalidAttribute, "'%s' has %u entr%s instead of %u", name,
                       (unsigned)found, plural_as(found, "y", "ies"), (unsigned)n);
}

bool shlo_are_axes(shlo_call *c, const char *name, const int64_t *axes, uint32_t n, uint32_t rank)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (axes[i] < 0 || axes[i] >= (int64_t)rank)
            return shlo_refuse(c, DIAG_InvalidAxis,
                               "'%s' names axis %" PRId64 " of a tensor of rank %u", name, axes[i],
                               (unsigned)rank);
        if (seen >> axes[i] & 1)
            return shlo_refuse(c, DIAG_DuplicateAxis, "'%s' names axis %" PRId64 " twice", name,
                               axes[i]);
        seen |= UINT64_C(1) << axes[i];
    }
    return true;
}

bool shlo_axes(shlo_call *c, const char *name, uint32_t rank, int64_t *out, uint32_t *n)
{
    return shlo_ints(c, name, TN_MAX_RANK, out, n) && shlo_are_axes(c, name, out, *n, rank);
}

/* ---- words and structures ---- */

mir_text shlo_word_of(const mir_attr *a)
{
    mir_text t = a->text;
    while (t.n && shlo_is_space(*t.at))
        t = (mir_text){t.at + 1, t.n - 1};
    while (t.n && shlo_is_space(t.at[t.n - 1]))
        t.n--;
    return t;
}

mir_text shlo_word(const shlo_call *c, const char *name)
{
    const mir_attr *a = shlo_attr(c, name);
    return a ? shlo_word_of(a) : (mir_text){0};
}

const mir_fields *shlo_struct(shlo_call *c, const char *name)
{
    const mir_attr *a = shlo_attr(c, name);
    const mir_attr *s = NULL;
    if (a && a->kind == MIR_DICT)
        return &a->fields;
    if (a && a->kind == MIR_CUSTOM)
        s = mir_read_struct(c->r->m->cx, &c->r->m->source, &c->r->memory, a->text);
    if (!s) {
        (void)bad(c, name, "a structure");
        return NULL;
    }
    return &s->fields;
}
