/* Numbers and lists become constants of a dtype, and values become what they are given to. */
#include <string.h>

#include "base/text/text.h"
#include "dialect/mind_source/lower.h"

static const tn_dtype dtypes[N_DTYPES] = {TN_SI32, TN_SI64, TN_F32, TN_F64};

static uint32_t dtype_index(tn_dtype d)
{
    for (uint32_t i = 0; i < N_DTYPES; i++)
        if (dtypes[i] == d)
            return i;
    return 0;
}

/* ---- words for messages ---- */

static const char *dtype_word(tn_dtype d)
{
    static const char *const words[N_DTYPES] = {"i32", "i64", "f32", "f64"};
    return words[dtype_index(d)];
}

const char *type_words(lowering *l, const type *t)
{
    const char *text =
        t->rank == 0 ? dtype_word(t->dtype)
                     : arena_printf(&l->s->memory, "Tensor<%s, %s>", dtype_word(t->dtype),
                                    dims_text(&l->s->memory, &l->s->m->types, t->dims, t->rank));
    return text ? text : "a tensor";
}

const char *ref_words(lowering *l, const type_ref *t)
{
    switch ((type_kind)t->kind) {
    case TYPE_TENSOR:
        return type_words(l, t->tensor);
    case TYPE_BOOL:
        return "bool";
    case TYPE_UNIT:
        return "unit";
    case TYPE_TUPLE:
    case TYPE_BAD:
        break;
    }
    const char *text = arena_printf(&l->s->memory, "a tuple of %" PRIu32, t->n);
    return text ? text : "a tuple";
}

const char *value_words(lowering *l, const value *v)
{
    const char *text = NULL;
    switch ((value_kind)v->kind) {
    case V_TENSOR:
        return type_words(l, tensor_type(l, v));
    case V_NUMBER:
        return v->u.literal->number.is_int ? "an integer" : "a float";
    case V_FILL:
        return "a tensor without a declared type";
    case V_ARRAY:
        text = arena_printf(&l->s->memory, "a list of %" PRIu32, v->n);
        return text ? text : "a list";
    case V_TUPLE:
        text = arena_printf(&l->s->memory, "a tuple of %" PRIu32, v->n);
        return text ? text : "a tuple";
    case V_BOOL:
        return "a truth value";
    case V_STRING:
        return "a string";
    case V_DTYPE:
        return "an element type";
    case V_FUNCTION:
    case V_GRADIENT:
        return "a function";
    case V_BAD:
    case V_UNIT:
        break;
    }
    return "unit";
}

/* ---- one number ---- */

value lowering_number(lowering *l, number n)
{
    literal_value *lit = ARENA_NEW(&l->s->memory, literal_value);
    if (!lit)
        return lowering_no_memory(l);
    lit->number = n;
    for (uint32_t i = 0; i < N_DTYPES; i++)
        lit->made[i] = NO_VALUE;
    return (value){.kind = V_NUMBER, .u.literal = lit};
}

static bool number_int(const number *n, int64_t *out)
{
    uint64_t most = (uint64_t)INT64_MAX + (n->negative ? 1 : 0);
    if (!n->is_int || n->magnitude > most)
        return false;
    *out = n->negative ? (int64_t)(0 - n->magnitude) : (int64_t)n->magnitude;
    return true;
}

/* N as an element of DTYPE at OUT; false, reported, when it does not fit. */
static bool store_number(lowering *l, const number *n, tn_dtype dtype, span at, char *out)
{
    int64_t wide = 0;
    if (dtype == TN_F32) {
        float f = n->is_int && n->negative ? -n->f32 : n->f32;
        memcpy(out, &f, sizeof f);
        if (n->is_int || n->f64 - n->f64 != 0 || f - f == 0)
            return true;
        (void)lowering_fault(l, DIAG_InvalidNumber, at, "the number is beyond the range of f32");
        return false;
    }
    if (dtype == TN_F64) {
        double f = n->is_int && n->negative ? -n->f64 : n->f64;
        memcpy(out, &f, sizeof f);
        return true;
    }
    if (!n->is_int) {
        (void)lowering_fault(l, DIAG_TypeMismatch, at,
                             "expected %s, found a float; a float cannot become an integer",
                             dtype_word(dtype));
        return false;
    }
    if (!number_int(n, &wide) || (dtype == TN_SI32 && (wide < INT32_MIN || wide > INT32_MAX))) {
        (void)lowering_fault(l, DIAG_InvalidNumber, at, "the number is beyond the range of %s",
                             dtype_word(dtype));
        return false;
    }
    int32_t narrow = (int32_t)wide;
    if (dtype == TN_SI32)
        memcpy(out, &narrow, sizeof narrow);
    else
        memcpy(out, &wide, sizeof wide);
    return true;
}

value_id lowering_constant(lowering *l, const type *t, const void *data, bool splat, span at)
{
    module *m = l->s->m;
    size_t size = dtype_bytes(t->dtype), bytes = size;
    if (!splat && (!type_bytes(t, &bytes) || bytes > m->cx->limits.literal_bytes)) {
        (void)lowering_fault(l, DIAG_LimitExceeded, at,
                             "the constant has more than %" PRIu64 " byte%s",
                             m->cx->limits.literal_bytes, plural(m->cx->limits.literal_bytes));
        return NO_VALUE;
    }
    char *copy = arena_alloc_aligned(&m->arena, bytes ? bytes : 1, bytes < 64 ? 8 : 64);
    if (!copy) {
        surface_no_memory(l->s);
        return NO_VALUE;
    }
    if (bytes)
        memcpy(copy, data, bytes);
    literal lit = {.type = t, .data = copy, .bytes = bytes, .splat = splat};
    attr entry = {.key = KEY_VALUE, .v.literal = &lit};
    return lowering_node(l, OP_CONSTANT, NULL, 0, &entry, 1, at);
}

/* One number as a constant of type T; of any shape, as Core v1 writes all elements out. */
static value_id fill_constant(lowering *l, const number *n, const type *t, span at)
{
    char element[8];
    size_t size = dtype_bytes(t->dtype), bytes;
    if (!store_number(l, n, t->dtype, at, element))
        return NO_VALUE;
    if (l->s->options->profile != PROFILE_CORE_V1 || t->count == 1)
        return lowering_constant(l, t, element, t->count != 1, at);
    if (!type_bytes(t, &bytes) || bytes > l->s->m->cx->limits.literal_bytes) {
        (void)lowering_fault(l, DIAG_LimitExceeded, at,
                             "the constant is too large to be written out");
        return NO_VALUE;
    }
    char *all = arena_alloc(&l->s->memory, bytes);
    if (!all) {
        surface_no_memory(l->s);
        return NO_VALUE;
    }
    for (size_t i = 0; i < bytes; i += size)
        memcpy(all + i, element, size);
    return lowering_constant(l, t, all, false, at);
}

/* LIT as T, made once for each dtype. */
static value_id number_as(lowering *l, literal_value *lit, const type *t, span at)
{
    uint32_t k = dtype_index(t->dtype);
    if (lit->made[k] != NO_VALUE && lit->made_type[k] == t)
        return lit->made[k];
    value_id v = fill_constant(l, &lit->number, t, at);
    if (v != NO_VALUE) {
        lit->made[k] = v;
        lit->made_type[k] = t;
    }
    return v;
}

/* ---- lists ---- */

static bool holds_float(const value *v)
{
    return v->kind == V_NUMBER  ? !v->u.literal->number.is_int
           : v->kind == V_ARRAY ? !v->list->number.is_int
                                : false;
}

value lowering_list(lowering *l, const value *items, uint32_t n)
{
    /* Its own number says what sort of elements it has: lists that share parts can have too many
     * elements to look at all of them. */
    value list = lowering_number(l, (number){.is_int = true});
    if (list.kind == V_BAD)
        return BAD;
    for (uint32_t i = 0; i < n; i++)
        list.u.literal->number.is_int = list.u.literal->number.is_int && !holds_float(&items[i]);
    return (value){.kind = V_ARRAY, .n = n, .u.items = items, .list = list.u.literal};
}

tn_dtype lowering_own_dtype(const lowering *l, const value *v)
{
    switch ((value_kind)v->kind) {
    case V_TENSOR:
        return tensor_type(l, v)->dtype;
    case V_FILL:
        return v->u.literal->has_dtype ? v->u.literal->dtype : TN_F32;
    case V_NUMBER:
    case V_ARRAY:
        return holds_float(v) ? TN_F32 : TN_SI64;
    case V_BAD:
    case V_UNIT:
    case V_BOOL:
    case V_STRING:
    case V_DTYPE:
    case V_TUPLE:
    case V_FUNCTION:
    case V_GRADIENT:
        break;
    }
    return TN_DTYPE_COUNT;
}

typedef struct list_writer {
    lowering *l;
    span at;
    dim dims[TN_MAX_RANK];
    uint32_t rank;
    tn_dtype dtype;
    char *out;
    size_t n, cap;
} list_writer;

/* The shape of the first element at every level. */
static bool list_shape(list_writer *w, const value *v)
{
    while (v->kind == V_ARRAY) {
        if (w->rank == TN_MAX_RANK) {
            (void)lowering_fault(w->l, DIAG_LimitExceeded, w->at,
                                 "a tensor has at most %d dimensions", TN_MAX_RANK);
            return false;
        }
        if (v->n == 0) {
            (void)lowering_fault(w->l, DIAG_InvalidDimension, w->at,
                                 "dimension %" PRIu32 " of the list is 0", w->rank);
            return false;
        }
        w->dims[w->rank++] = v->n;
        v = v->u.items;
    }
    return true;
}

static bool put_level(list_writer *w, const value *v, uint32_t axis)
{
    size_t size = dtype_bytes(w->dtype);
    if (v->kind == V_BAD)
        return false;
    if (axis < w->rank && (v->kind != V_ARRAY || (dim)v->n != w->dims[axis])) {
        (void)lowering_fault(w->l, DIAG_LiteralShape, w->at,
                             "the list is not rectangular: %s in dimension %" PRIu32
                             ", where the first has %" PRId64,
                             value_words(w->l, v), axis, w->dims[axis]);
        return false;
    }
    if (axis < w->rank) {
        for (uint32_t i = 0; i < v->n; i++)
            if (!put_level(w, &v->u.items[i], axis + 1))
                return false;
        return true;
    }
    if (v->kind == V_TENSOR) {
        (void)lowering_fault(w->l, DIAG_UnknownOp, w->at, "a list of tensors (stacking)");
        return false;
    }
    if (v->kind != V_NUMBER) {
        (void)lowering_fault(w->l, v->kind == V_ARRAY ? DIAG_LiteralShape : DIAG_TypeMismatch,
                             w->at, "the list is not rectangular: %s among its numbers",
                             value_words(w->l, v));
        return false;
    }
    if (w->n + size > w->cap)
        return false;
    if (!store_number(w->l, &v->u.literal->number, w->dtype, w->at, w->out + w->n))
        return false;
    w->n += size;
    return true;
}

/* The list V as a constant of DTYPE. WANT, if any, is the type it must have. */
static value_id list_as(lowering *l, const value *v, tn_dtype dtype, const type *want, span at)
{
    list_writer w = {.l = l, .at = at, .dtype = dtype};
    uint32_t k = dtype_index(dtype);
    if (v->list->made[k] != NO_VALUE && (!want || want == v->list->made_type[k]))
        return v->list->made[k];
    if (!list_shape(&w, v))
        return NO_VALUE;
    const type *t = type_of(&l->s->m->types, dtype, w.dims, w.rank);
    if (!t) {
        surface_no_memory(l->s);
        return NO_VALUE;
    }
    if (want && want != t) {
        (void)lowering_fault(l, DIAG_LiteralShape, at, "the literal has shape %s, expected %s",
                             dims_text(&l->s->memory, &l->s->m->types, t->dims, t->rank),
                             type_words(l, want));
        return NO_VALUE;
    }
    if (!type_bytes(t, &w.cap) || w.cap > l->s->m->cx->limits.literal_bytes) {
        (void)lowering_fault(l, DIAG_LimitExceeded, at, "the list is too large");
        return NO_VALUE;
    }
    /* A list that is not rectangular may claim more than it holds; stop at a bound first. */
    if (w.cap > ((size_t)l->s->m->source.length + 1) * 8 + ((size_t)1 << 26)) {
        (void)lowering_fault(l, DIAG_LiteralShape, at, "the list is not rectangular");
        return NO_VALUE;
    }
    w.out = arena_alloc(&l->s->memory, w.cap);
    if (!w.out) {
        surface_no_memory(l->s);
        return NO_VALUE;
    }
    if (!put_level(&w, v, 0))
        return NO_VALUE;
    value_id id = lowering_constant(l, t, w.out, false, at);
    v->list->made[k] = id;
    v->list->made_type[k] = t;
    return id;
}

/* ---- as a tensor ---- */

static value_id fill_as(lowering *l, const value *v, const type *want, span at)
{
    literal_value *lit = v->u.literal;
    tn_dtype dtype = lit->has_dtype ? lit->dtype : want ? want->dtype : TN_F32;
    if (!lit->has_shape && !want) {
        (void)lowering_fault(l, DIAG_CannotInfer, at,
                             "the shape is not known; give it, or annotate the type");
        return NO_VALUE;
    }
    const type *t = lit->has_shape ? type_of(&l->s->m->types, dtype, lit->dims, lit->rank)
                                   : type_with_dtype(&l->s->m->types, want, dtype);
    if (!t) {
        surface_no_memory(l->s);
        return NO_VALUE;
    }
    return number_as(l, lit, t, at);
}

value_id lowering_tensor(lowering *l, value v, span at, tn_dtype like)
{
    tn_dtype own = lowering_own_dtype(l, &v);
    switch ((value_kind)v.kind) {
    case V_TENSOR:
        return v.u.id;
    case V_FILL:
        return fill_as(l, &v, NULL, at);
    case V_NUMBER:
    case V_ARRAY:
        if (like == TN_DTYPE_COUNT || (holds_float(&v) && !dtype_is_float(like)))
            like = own; /* the type rule of the operator will say what is wrong */
        if (v.kind == V_ARRAY)
            return list_as(l, &v, like, NULL, at);
        const type *t = type_scalar(&l->s->m->types, like);
        if (!t) {
            surface_no_memory(l->s);
            return NO_VALUE;
        }
        return number_as(l, v.u.literal, t, at);
    case V_BAD:
        return NO_VALUE;
    case V_STRING:
    case V_BOOL:
        (void)lowering_fault(l, DIAG_UnknownOp, at, "computing with %s",
                             v.kind == V_BOOL ? "truth values" : "strings");
        return NO_VALUE;
    case V_UNIT:
    case V_DTYPE:
    case V_TUPLE:
    case V_FUNCTION:
    case V_GRADIENT:
        break;
    }
    (void)lowering_fault(l, DIAG_TypeMismatch, at, "expected a tensor, found %s",
                         value_words(l, &v));
    return NO_VALUE;
}

static value mismatch(lowering *l, const value *v, const type_ref *t, span at)
{
    const char *wanted = ref_words(l, t), *found = value_words(l, v);
    value bad = lowering_fault(l, DIAG_TypeMismatch, at, "expected %s, found %s", wanted, found);
    diag_note(&l->s->m->cx->diag, &l->s->m->source, t->at, "the type is declared here");
    return bad;
}

static value tuple_as(lowering *l, value v, const type_ref *t, span at)
{
    if (v.kind != V_TUPLE || v.n != t->n)
        return mismatch(l, &v, t, at);
    value *items = ARENA_ARRAY(&l->s->memory, value, v.n);
    const type_ref *part = t->first;
    if (!items)
        return lowering_no_memory(l);
    for (uint32_t i = 0; i < v.n; i++, part = part->next) {
        items[i] = lowering_as(l, v.u.items[i], part, at, false);
        if (items[i].kind == V_BAD)
            return BAD;
    }
    v.u.items = items;
    return v;
}

value lowering_as(lowering *l, value v, const type_ref *t, span at, bool fills)
{
    if (v.kind == V_BAD || t->kind == TYPE_BAD)
        return BAD;
    if (t->kind == TYPE_TUPLE)
        return tuple_as(l, v, t, at);
    if (t->kind != TYPE_TENSOR) {
        bool same = t->kind == TYPE_UNIT ? v.kind == V_UNIT : v.kind == V_BOOL;
        return same ? v : mismatch(l, &v, t, at);
    }
    switch ((value_kind)v.kind) {
    case V_TENSOR:
        return tensor_type(l, &v) == t->tensor ? v : mismatch(l, &v, t, at);
    case V_NUMBER:
        if (t->tensor->rank && !fills)
            return mismatch(l, &v, t, at);
        return tensor_value(number_as(l, v.u.literal, t->tensor, at));
    case V_ARRAY:
        return tensor_value(list_as(l, &v, t->tensor->dtype, t->tensor, at));
    case V_FILL: {
        value_id id = fill_as(l, &v, t->tensor, at);
        if (id == NO_VALUE)
            return BAD;
        value made = tensor_value(id);
        return value_type(l->f, id) == t->tensor ? made : mismatch(l, &made, t, at);
    }
    case V_BAD:
    case V_UNIT:
    case V_BOOL:
    case V_STRING:
    case V_DTYPE:
    case V_TUPLE:
    case V_FUNCTION:
    case V_GRADIENT:
        break;
    }
    return mismatch(l, &v, t, at);
}

/* ---- integers that are known while reading ---- */

/* Also scalar constants that were given a type: `let n: i64 = 3`. */
bool value_is_int(const lowering *l, const value *v, int64_t *out)
{
    if (v->kind == V_NUMBER)
        return number_int(&v->u.literal->number, out);
    if (v->kind != V_TENSOR)
        return false;
    const node *n = node_of(l->f, v->u.id);
    const type *t = tensor_type(l, v);
    if (n->op != OP_CONSTANT || t->rank || dtype_is_float(t->dtype))
        return false;
    *out = scalar_load(t->dtype, attr_find(n->attrs, KEY_VALUE)->v.literal->data).i;
    return true;
}

bool lowering_int(lowering *l, const value *v, span at, const char *what, int64_t *out)
{
    if (v->kind == V_BAD)
        return false;
    if (value_is_int(l, v, out))
        return true;
    (void)lowering_fault(l, DIAG_TypeMismatch, at,
                         "expected an integer known while compiling as %s, found %s", what,
                         value_words(l, v));
    return false;
}

bool lowering_ints(lowering *l, const value *v, span at, const char *what, int64_t *out,
                   uint32_t *n)
{
    *n = 0;
    if (v->kind != V_ARRAY && v->kind != V_TUPLE && v->kind != V_UNIT) {
        if (!lowering_int(l, v, at, what, out))
            return false;
        *n = 1;
        return true;
    }
    if (v->kind != V_UNIT && v->n > TN_MAX_RANK) {
        (void)lowering_fault(l, DIAG_LimitExceeded, at, "%s has more than %d entries", what,
                             TN_MAX_RANK);
        return false;
    }
    for (uint32_t i = 0; v->kind != V_UNIT && i < v->n; i++)
        if (!lowering_int(l, &v->u.items[i], at, what, &out[(*n)++]))
            return false;
    return true;
}
