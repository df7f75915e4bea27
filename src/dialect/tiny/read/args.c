/* The values of attributes. */
#include "dialect/tiny/read/reader.h"

#include <inttypes.h>
#include <math.h>

#include "base/text/suggest.h"
#include "base/text/text.h"

static bool is_field(const tiny_uop *u, json_text key)
{
    for (uint32_t i = 0; i < u->n_fields; i++)
        if (json_is(key, u->fields[i].name))
            return true;
    return false;
}

static bool unknown_key(reader *r, const entry *e, json_text key)
{
    const tiny_uop *u = e->uop;
    text_buffer takes;
    suggestion like;
    text_init(&takes, r->m->allocator);
    suggest_begin(&like, key.at, key.n);
    for (uint32_t i = 0; i < u->n_fields; i++) {
        text_puts(&takes, i ? " " : "");
        text_puts(&takes, u->fields[i].name);
        if (!json_member_of(e->arg, u->fields[i].name))
            suggest_name(&like, u->fields[i].name, strlen(u->fields[i].name));
    }
    const char *list = u->n_fields ? text_c_string(&takes) : NULL;
    (void)fault(r, e, DIAG_InvalidAttribute, key.where,
                "'%s' has no attribute '%.*s'; it takes: %s", u->name,
                key.n < 100 ? (int)key.n : 100, key.at, list ? list : "none");
    suggest_fix(&like, &r->m->cx->diag, key.where, "\"");
    text_release(&takes);
    return false;
}

bool check_keys(reader *r, entry *e, const char *more)
{
    const json_value *arg = e->arg;
    for (uint32_t i = 0; arg && i < arg->n; i++)
        if (!is_field(e->uop, arg->keys[i]) && !(more && json_is(arg->keys[i], more)))
            return unknown_key(r, e, arg->keys[i]);
    return true;
}

const json_value *need(reader *r, entry *e, const char *key)
{
    const json_value *v = json_member_of(e->arg, key);
    if (!v)
        (void)fault(r, e, DIAG_MissingAttribute, e->at, "'%s' needs the attribute '%s'",
                    e->uop->name, key);
    return v;
}

static bool wrong(reader *r, entry *e, const json_value *v, const char *key, const char *wants)
{
    return fault(r, e, DIAG_InvalidAttribute, v->at, "'%s' of '%s' must be %s", key, e->uop->name,
                 wants);
}

bool read_size(reader *r, entry *e, const json_value *v, const char *key, int64_t least, dim *out,
               const char **name)
{
    const char *why = NULL;
    if (name)
        *name = NULL;
    if (v->kind == JSON_NUMBER && v->number.is_integer && v->number.fits_i64) {
        *out = v->number.i;
    } else if (v->kind == JSON_STRING) {
        if (!size_parse(r, v->text.at, v->text.n, out, &why))
            return r->no_memory
                       ? false
                       : fault(r, e, DIAG_InvalidAttribute, v->at, "'%.*s' in '%s' of '%s' %s",
                               v->text.n < 200 ? (int)v->text.n : 200, v->text.at, key,
                               e->uop->name, why);
        if (name && is_name(v->text.at, v->text.n)) {
            *name = module_string(r->m, v->text.at, v->text.n);
            if (!*name)
                return out_of_memory(r);
        }
    } else {
        return wrong(r, e, v, key, "made of whole numbers, symbols and expressions of these");
    }
    /* Numbers far below zero look like symbols. */
    if ((v->kind == JSON_NUMBER || !dim_is_expr(&r->m->types, *out)) && *out < least)
        return fault(r, e, DIAG_InvalidAttribute, v->at,
                     "%" PRId64 " in '%s' of '%s' is too small; the least is %" PRId64, *out, key,
                     e->uop->name, least);
    return true;
}

static bool is_list(reader *r, entry *e, const json_value *list, const char *key)
{
    if (list->kind != JSON_ARRAY)
        return wrong(r, e, list, key, "a list");
    if (list->n > TN_MAX_RANK)
        return fault(r, e, DIAG_LimitExceeded, list->at,
                     "'%s' of '%s' has %" PRIu32 " entr%s; the limit on the rank is %d", key,
                     e->uop->name, list->n, plural_as(list->n, "y", "ies"), TN_MAX_RANK);
    return true;
}

bool read_sizes(reader *r, entry *e, const json_value *list, const char *key, int64_t least,
                dim *out, const char **names, uint32_t *n)
{
    if (!is_list(r, e, list, key))
        return false;
    *n = list->n;
    for (uint32_t i = 0; i < list->n; i++)
        if (!read_size(r, e, &list->items[i], key, least, &out[i], names ? &names[i] : NULL))
            return false;
    return true;
}

bool read_numbers(reader *r, entry *e, const json_value *list, const char *key, int64_t *out,
                  uint32_t *n)
{
    if (!is_list(r, e, list, key))
        return false;
    *n = list->n;
    for (uint32_t i = 0; i < list->n; i++) {
        const json_value *v = &list->items[i];
        if (v->kind != JSON_NUMBER || !v->number.is_integer || !v->number.fits_i64)
            return wrong(r, e, v, key, "a list of whole numbers");
        out[i] = v->number.i;
    }
    return true;
}

static bool read_axis(reader *r, entry *e, const json_value *v, const char *key, const value *of,
                      int64_t *out)
{
    const type *t = type_at(r, of->v);
    if (v->kind == JSON_NUMBER && v->number.is_integer && v->number.fits_i64) {
        *out = v->number.i < 0 ? v->number.i + t->rank : v->number.i;
        if (*out >= 0 && *out < (int64_t)t->rank)
            return true;
        return fault(r, e, DIAG_InvalidAxis, v->at,
                     "axis %" PRId64 " of '%s' is out of range for shape %s", v->number.i, key,
                     dims_text(&r->memory, &r->m->types, t->dims, t->rank));
    }
    if (v->kind != JSON_STRING)
        return wrong(r, e, v, key, "a list of axes, by number or name");
    uint32_t found = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        if (of->axes[i].name && json_is(v->text, of->axes[i].name)) {
            *out = i;
            found++;
        }
    if (found == 1)
        return true;
    return fault(r, e, DIAG_InvalidAxis, v->at, "%s axis of shape %s is called '%.*s'",
                 found ? "more than one" : "no",
                 dims_text(&r->memory, &r->m->types, t->dims, t->rank),
                 v->text.n < 100 ? (int)v->text.n : 100, v->text.at);
}

bool read_axes(reader *r, entry *e, const json_value *list, const char *key, const value *of,
               int64_t *out, uint32_t *n)
{
    uint32_t mask = 0;
    if (!is_list(r, e, list, key))
        return false;
    for (uint32_t i = 0; i < list->n; i++) {
        int64_t at = 0;
        if (!read_axis(r, e, &list->items[i], key, of, &at))
            return false;
        if (mask >> at & 1)
            return fault(r, e, DIAG_InvalidAxis, list->items[i].at,
                         "axis %" PRId64 " stands twice in '%s'", at, key);
        mask |= (uint32_t)1 << at;
    }
    *n = 0;
    for (uint32_t i = 0; i < TN_MAX_RANK; i++)
        if (mask >> i & 1)
            out[(*n)++] = i;
    return true;
}

void suggest_word(reader *r, const json_value *v, const char *words)
{
    suggestion like;
    if (v->kind != JSON_STRING)
        return;
    suggest_begin(&like, v->text.at, v->text.n);
    suggest_words(&like, words);
    suggest_fix(&like, &r->m->cx->diag, v->at, "\"");
}

bool read_dtype(reader *r, entry *e, const json_value *v, const char *key, tn_dtype *out)
{
    if (v->kind != JSON_STRING)
        return wrong(r, e, v, key, "the name of an element type");
    if (tiny_dtype(v->text, out))
        return true;
    (void)fault(r, e, DIAG_UnknownDType, v->at,
                "'%.*s' is no element type; there are fp16, bf16, fp32, i32 and bool",
                v->text.n < 100 ? (int)v->text.n : 100, v->text.at);
    suggest_word(r, v, "fp16 bf16 fp32 i32 bool");
    return false;
}

/* `inf`, `-inf` and `nan`, also in capitals. */
static bool special(json_text t, double *out)
{
    static const struct {
        const char *text;
        double value;
    } words[] = {{"inf", (double)INFINITY}, {"-inf", -(double)INFINITY}, {"nan", (double)NAN}};
    for (size_t i = 0; i < 3; i++) {
        bool same = t.n == strlen(words[i].text);
        for (size_t k = 0; same && k < t.n; k++)
            same = t.at[k] == words[i].text[k] ||
                   (t.at[k] >= 'A' && t.at[k] <= 'Z' && t.at[k] - 'A' + 'a' == words[i].text[k]);
        if (same) {
            *out = words[i].value;
            return true;
        }
    }
    return false;
}

bool read_scalar(reader *r, entry *e, const json_value *v, tn_dtype d, diag_kind kind, scalar *out)
{
    const char *name = tiny_dtype_name(d);
    scalar s = scalar_of_bool(v->truth);
    bool fits = false;
    if (v->kind == JSON_BOOL) {
        fits = d == TN_I1;
    } else if (v->kind == JSON_NUMBER) {
        const bool whole = v->number.is_integer && v->number.fits_i64;
        s = whole ? scalar_of_int(v->number.i) : scalar_of_float(v->number.f);
        if (dtype_is_float(d))
            fits = scalar_cast(s, d, &s);
        else if (d == TN_I1)
            fits = kind != DIAG_InvalidImmediate && whole &&
                   (v->number.i == 0 || v->number.i == 1) && scalar_cast(s, d, &s);
        else if (!whole && v->number.f >= -2147483648.0 && v->number.f <= 2147483647.0 &&
                 v->number.f == (double)(int64_t)v->number.f)
            fits = scalar_cast(scalar_of_int((int64_t)v->number.f), d, &s);
        else
            fits = whole && scalar_is_exact(s, d) && scalar_cast(s, d, &s);
    } else if (v->kind == JSON_STRING && dtype_is_float(d)) {
        double f = 0;
        fits = special(v->text, &f);
        s = scalar_of_float(f);
    } else if (v->kind == JSON_OBJECT && v->n == 1 && json_is(v->keys[0], "const")) {
        return read_scalar(r, e, &v->items[0], d, kind, out);
    }
    *out = s;
    if (fits)
        return true;
    return fault(r, e, kind, v->at, "this is no value of element type %s", name ? name : "");
}
