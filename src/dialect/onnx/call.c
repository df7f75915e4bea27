/* What operators ask for: inputs, attributes, places for results. */
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/onnx/import.h"

/* ---- inputs ---- */

bool onnx_has_in(const onnx_call *c, uint32_t k)
{
    return k < c->n_in && c->in[k];
}

/* Input K as a tensor; NULL when it is left out, or refused because it is none. */
static onnx_value *tensor_in(onnx_call *c, uint32_t k)
{
    if (!onnx_has_in(c, k))
        return NULL;
    if (onnx_is_tensor(c->in[k]))
        return c->in[k];
    (void)onnx_refuse(c, DIAG_Sequence,
                      "input %" PRIu32 " is a sequence, or an optional value that holds nothing",
                      k);
    return NULL;
}

tn_value onnx_in(onnx_call *c, uint32_t k)
{
    onnx_value *v = tensor_in(c, k);
    return v ? onnx_data_of(c->im, v) : tn_no_value();
}

const type *onnx_in_type(onnx_call *c, uint32_t k)
{
    const onnx_value *v = tensor_in(c, k);
    return v ? onnx_value_type(c->im, v) : NULL;
}

const known_value *onnx_in_known(onnx_call *c, uint32_t k)
{
    return onnx_has_in(c, k) ? onnx_value_known(c->im, c->in[k]) : NULL;
}

bool onnx_in_ints(onnx_call *c, uint32_t k, bool symbols, uint32_t most, int64_t *out, uint32_t *n)
{
    const known_value *known = onnx_in_known(c, k);
    *n = 0;
    if (!onnx_has_in(c, k))
        return true;
    if (!known)
        return onnx_refuse(c, DIAG_DataDependentShape,
                           "input %" PRIu32 " must be known while the file is read", k);
    if (known->rank > 1 || known->n > most || dtype_is_float(known->dtype))
        return onnx_refuse(c, DIAG_InvalidAttribute,
                           "input %" PRIu32 " must be a list of at most %" PRIu32 " integer%s", k,
                           most, plural(most));
    for (uint32_t i = 0; i < known->n; i++) {
        if (known->at[i].is_size && !symbols)
            return onnx_refuse(c, DIAG_ShapeUnknown, "input %" PRIu32 " depends on the size '%s'",
                               k, dims_text(&c->im->memory, &c->im->m->types, &known->at[i].i, 1));
        out[i] = known->at[i].i;
        if (!known->at[i].is_size)
            out[i] = known_plain_number(out[i]);
    }
    *n = known->n;
    return true;
}

bool onnx_in_int(onnx_call *c, uint32_t k, bool symbols, int64_t *out)
{
    uint32_t n;
    if (!onnx_in_ints(c, k, symbols, 1, out, &n))
        return false;
    return n == 1 ||
           onnx_refuse(c, DIAG_InvalidAttribute, "input %" PRIu32 " must be one integer", k);
}

bool onnx_in_float(onnx_call *c, uint32_t k, double otherwise, double *out)
{
    const known_value *known = onnx_in_known(c, k);
    *out = otherwise;
    if (!onnx_has_in(c, k))
        return true;
    if (!known || known->n != 1 || known->at[0].is_size)
        return onnx_refuse(c, DIAG_DataDependentShape,
                           "input %" PRIu32 " must be one number that is known", k);
    *out = dtype_is_float(known->dtype) ? known->at[0].f : (double)known->at[0].i;
    return true;
}

/* ---- attributes ---- */

const onnx_attribute *onnx_attr(const onnx_call *c, const char *name)
{
    const onnx_attribute *list = c->node->attributes.at;
    for (uint32_t i = 0; i < c->node->attributes.n; i++)
        if (onnx_is(list[i].name, name)) {
            c->asked->read |= i < 64 ? (uint64_t)1 << i : 0;
            return list[i].refers.n ? onnx_referred(c->scope, &list[i]) : &list[i];
        }
    return NULL;
}

const onnx_attribute *onnx_attr_of(const onnx_call *c, const char *name, onnx_attribute_kind wanted)
{
    const onnx_attribute *a = onnx_attr(c, name);
    /* Files of the first versions do not say what an attribute holds. */
    if (a && a->type != ONNX_NO_ATTRIBUTE && a->type != (int64_t)wanted && !c->asked->misread) {
        c->asked->misread = a;
        c->asked->wanted = wanted;
    }
    return a;
}

int64_t onnx_attr_int(const onnx_call *c, const char *name, int64_t otherwise)
{
    const onnx_attribute *a = onnx_attr_of(c, name, ONNX_INT);
    return a ? a->i : otherwise;
}

double onnx_attr_float(const onnx_call *c, const char *name, double otherwise)
{
    const onnx_attribute *a = onnx_attr_of(c, name, ONNX_FLOAT);
    return a ? (double)a->f : otherwise;
}

bool onnx_attr_is(const onnx_call *c, const char *name, const char *text, bool otherwise)
{
    const onnx_attribute *a = onnx_attr_of(c, name, ONNX_STRING);
    return a ? onnx_is(a->s, text) : otherwise;
}

bool onnx_choose(onnx_call *c, const char *name, const char *const *words, uint32_t n,
                 uint32_t otherwise, int *out)
{
    for (uint32_t i = 0; i < n; i++)
        if (onnx_attr_is(c, name, words[i], i == otherwise)) {
            *out = (int)i;
            return true;
        }
    arena *memory = &c->im->memory;
    const char *list = words[0];
    for (uint32_t i = 1; i < n && list; i++)
        list = arena_printf(memory, "%s%s%s", list, i + 1 < n ? ", " : " or ", words[i]);
    return list ? onnx_refuse(c, DIAG_InvalidAttribute, "'%s' is %s", name, list)
                : onnx_no_memory(c->im);
}

const int64_t *onnx_attr_ints(const onnx_call *c, const char *name, uint32_t *n)
{
    const onnx_attribute *a = onnx_attr_of(c, name, ONNX_INTS);
    *n = a ? a->ints.n : 0;
    return a ? a->ints.at : NULL;
}

bool onnx_ints_of(onnx_call *c, const char *name, uint32_t k, uint32_t most, int64_t *out,
                  uint32_t *n, bool *is_given)
{
    const onnx_attribute *a = onnx_attr_of(c, name, ONNX_INTS);
    *is_given = a || onnx_has_in(c, k);
    if (!a)
        return onnx_in_ints(c, k, false, most, out, n);
    *n = a->ints.n;
    if (*n > most)
        return onnx_refuse(c, DIAG_InvalidAttribute, "'%s' has %" PRIu32 " entr%s", name, *n,
                           plural_as(*n, "y", "ies"));
    const int64_t *given = a->ints.at;
    for (uint32_t i = 0; i < *n; i++)
        out[i] = known_plain_number(given[i]);
    return true;
}

bool onnx_axis(onnx_call *c, int64_t axis, uint32_t rank, int64_t *out)
{
    *out = axis < 0 ? axis + (int64_t)rank : axis;
    return (*out >= 0 && *out < (int64_t)rank) ||
           onnx_refuse(c, DIAG_InvalidAxis, "axis %" PRId64 " of a tensor of rank %" PRIu32, axis,
                       rank);
}

bool onnx_axes(onnx_call *c, int64_t *axes, uint32_t n, uint32_t rank)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!onnx_axis(c, axes[i], rank, &axes[i]))
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (axes[k] == axes[i])
                return onnx_refuse(c, DIAG_DuplicateAxis, "axis %" PRId64 " stands twice", axes[i]);
    }
    return true;
}

/* ---- results ---- */

bool onnx_give(onnx_call *c, uint32_t k, tn_value v)
{
    if (k < c->n_out && tn_is_value(v))
        c->out[k] = (onnx_value){.name = c->out[k].name, .v = v};
    return tn_is_value(v);
}

bool onnx_give_known(onnx_call *c, uint32_t k, const known_value *known)
{
    if (!known)
        return onnx_no_memory(c->im);
    if (k < c->n_out)
        c->out[k] = (onnx_value){.name = c->out[k].name, .known = known};
    return true;
}

bool onnx_give_tensor(onnx_call *c, uint32_t k, const onnx_tensor *t)
{
    const onnx_tensor *own = onnx_with_data(c->im, t);
    if (k < c->n_out)
        c->out[k] = (onnx_value){.name = c->out[k].name, .tensor = own};
    return own != NULL;
}

bool onnx_give_value(onnx_call *c, uint32_t k, const onnx_value *v)
{
    if (k < c->n_out) {
        const onnx_bytes name = c->out[k].name;
        c->out[k] = *v;
        c->out[k].name = name;
    }
    return true;
}

bool onnx_give_in(onnx_call *c, uint32_t k, uint32_t i)
{
    return onnx_give_value(c, k, c->in[i]);
}
