/* Types of MLIR text. Each text of a tensor type is read once. */
#include "dialect/mlir/read/reader.h"

/* ---- element types ---- */

static const struct {
    const char *name;
    tn_dtype dtype;
} elements[] = {
    {"i1", TN_I1},           {"f32", TN_F32},
    {"i32", TN_SI32},        {"i64", TN_SI64},
    {"f64", TN_F64},         {"f16", TN_F16},
    {"bf16", TN_BF16},       {"ui8", TN_UI8},
    {"ui32", TN_UI32},       {"i8", TN_SI8},
    {"i16", TN_SI16},        {"i4", TN_SI4},
    {"ui4", TN_UI4},         {"ui16", TN_UI16},
    {"ui64", TN_UI64},       {"si4", TN_SI4},
    {"si8", TN_SI8},         {"si16", TN_SI16},
    {"si32", TN_SI32},       {"si64", TN_SI64},
    {"index", TN_SI64},      {"f8E4M3FN", TN_FP8_E4M3},
    {"f8E5M2", TN_FP8_E5M2},
};

/* Those that MLIR has and the vocabulary has not. */
static const char *const refused[] = {
    "i2",        "ui2",      "f8E4M3",   "f8E3M4",   "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ",
    "f8E8M0FNU", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN", "tf32",       "none",
};

bool mir_find_element(mir_text t, mir_type *out)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (mir_is(t, elements[i].name)) {
            out->dtype = elements[i].dtype;
            return true;
        }
    return false;
}

static bool refuse(mir_reader *r, mir_type *out, mir_text t, const char *why)
{
    out->refused = arena_printf(r->memory, "'%.*s': %s", MIR_TEXT(t), why);
    if (!out->refused)
        return mir_no_memory(r);
    out->kind = MIR_REFUSED;
    return true;
}

/* `complex<f32>`, behind the word. */
static bool read_complex(mir_reader *r, mir_type *out)
{
    mir_text part;
    if (!mir_expect(r, '<') || !mir_word(r, &part) || !mir_expect(r, '>'))
        return false;
    if (mir_is(part, "f32") || mir_is(part, "f64")) {
        out->dtype = mir_is(part, "f32") ? TN_CF32 : TN_CF64;
        return true;
    }
    return refuse(r, out, part, "complex numbers have parts of f32 or f64");
}

/* The element type of OUT. */
static bool read_element(mir_reader *r, mir_type *out)
{
    const char *from = r->at;
    mir_text t;
    if (mir_next(r) == '!') {
        if (!mir_sigil(r, '!', &t))
            return false;
        if (mir_is(t, "quant.uniform"))
            return mir_read_quant(r, out);
        if (mir_next(r) == '<' && !mir_skip_brackets(r))
            return false;
        t = (mir_text){from, (size_t)(r->at - from)};
        return refuse(r, out, t, "elements of this type are not read");
    }
    if (!mir_word(r, &t))
        return false;
    if (mir_find_element(t, out))
        return true;
    if (mir_is(t, "complex"))
        return read_complex(r, out);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (mir_is(t, refused[i]))
            return refuse(r, out, t,
                          t.n > 2 && memcmp(t.at, "f8", 2) == 0
                              ? "of the floats of 8 bits there are f8E4M3FN and f8E5M2"
                              : "there is no such element type");
    return mir_fail(r, DIAG_UnknownDType, mir_span(r, t), "'%.*s' is no element type", MIR_TEXT(t));
}

/* ---- tensors ---- */

/* `2x?x`, extents with an x behind each. */
static bool read_extents(mir_reader *r, mir_type *out)
{
    int64_t dims[TN_MAX_RANK];
    for (;;) {
        const char c = mir_next(r);
        if (c != '?' && (c < '0' || c > '9'))
            break;
        int64_t extent = c == '?' ? MIR_UNKNOWN : 0;
        if (c == '?')
            r->at++;
        for (; c != '?' && r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
            if (extent > (INT64_MAX - 9) / 10)
                return mir_fail(r, DIAG_InvalidDimension, mir_here(r), "this extent is too large");
            extent = extent * 10 + (*r->at - '0');
        }
        if (out->rank == TN_MAX_RANK)
            return mir_fail(r, DIAG_RankMismatch, mir_here(r), "the highest rank is %d",
                            TN_MAX_RANK);
        dims[out->rank++] = extent;
        if (!mir_expect(r, 'x'))
            return false;
    }
    int64_t *own = ARENA_ARRAY(r->memory, int64_t, out->rank);
    if (!own)
        return mir_no_memory(r);
    for (uint32_t i = 0; i < out->rank; i++)
        own[i] = dims[i];
    out->dims = own;
    return true;
}

/* What may follow an element type: `, #stablehlo.bounds<4, ?>`, which says nothing that is needed.
 */
static bool read_encoding(mir_reader *r, mir_type *out)
{
    mir_text name;
    if (!mir_accept(r, ','))
        return true;
    if (!mir_sigil(r, '#', &name) || (mir_next(r) == '<' && !mir_skip_brackets(r)))
        return false;
    if (mir_is(name, "stablehlo.bounds") || mir_is(name, "stablehlo.type_extensions") ||
        mir_is(name, "mhlo.type_extensions"))
        return true;
    return refuse(r, out, name, "tensors with this encoding are not read");
}

static bool read_tensor(mir_reader *r, mir_type *out)
{
    out->kind = MIR_TENSOR;
    if (mir_next(r) == '*')
        return mir_fail(r, DIAG_RankMismatch, mir_here(r), "the rank of this tensor is not known");
    return read_extents(r, out) && read_element(r, out) && read_encoding(r, out) &&
           mir_expect(r, '>');
}

/* Behind `tensor<`: the type of the same text, if it was read already. LENGTH: of what is left. */
static const mir_type *known_type(mir_reader *r, mir_text t, uint64_t *hash)
{
    *hash = hash_bytes(0, t.at, t.n);
    for (uint32_t p = hash_first(&r->type_index, *hash), i;
         (i = hash_at(&r->type_index, *hash, &p)) != HASH_NONE;)
        if (mir_same(r->types.at[i]->text, t))
            return r->types.at[i];
    return NULL;
}

static const mir_type *keep(mir_reader *r, const mir_type *t)
{
    mir_type *own = ARENA_NEW(r->memory, mir_type);
    if (own)
        *own = *t;
    else
        (void)mir_no_memory(r);
    return own;
}

/* `<...>` behind `tensor`. */
static bool tensor_type(mir_reader *r, const char *from, const mir_type **out)
{
    mir_type t = {.kind = MIR_TENSOR};
    uint64_t hash = 0;
    if (!mir_expect(r, '<'))
        return false;
    const char *p = r->at;
    while (p < r->end && *p != '>' && *p != '<' && *p != '\n')
        p++;
    const bool is_plain = p < r->end && *p == '>';
    t.text = (mir_text){from, (size_t)(p - from) + 1};
    if (is_plain && (*out = known_type(r, t.text, &hash))) {
        r->at = p + 1;
        return true;
    }
    if (!read_tensor(r, &t))
        return false;
    t.text = (mir_text){from, (size_t)(r->at - from)};
    *out = keep(r, &t);
    if (!*out || !is_plain)
        return *out != NULL;
    return VECTOR_PUSH_INDEXED(r->allocator, &r->types, *out, &r->type_index, hash) ||
           mir_no_memory(r);
}

/* ---- what agrees ---- */

bool mir_quants_agree(const mir_quant *a, const mir_quant *b, bool have_moved)
{
    if (!a || !b)
        return a == b;
    bool same = a->storage == b->storage && a->low == b->low && a->high == b->high &&
                a->n == b->n && a->rank == b->rank &&
                (have_moved ? (a->axis < 0) == (b->axis < 0) : a->axis == b->axis);
    for (uint32_t i = 0; same && !have_moved && i < a->rank; i++)
        same = a->dims[i] == b->dims[i];
    for (uint32_t i = 0; same && i < a->n; i++)
        same = a->scales[i] == b->scales[i] && a->zeros[i] == b->zeros[i];
    return same;
}

static bool tensors_agree(const mir_type *a, const mir_type *b)
{
    bool same =
        a->dtype == b->dtype && a->rank == b->rank && mir_quants_agree(a->quant, b->quant, false);
    for (uint32_t k = 0; same && k < a->rank; k++)
        same = a->dims[k] == b->dims[k] || a->dims[k] == MIR_UNKNOWN || b->dims[k] == MIR_UNKNOWN;
    return same;
}

/* LEFT: how many more pairs may be compared. Types that consist of more, which aliases make of
 * short texts, agree with none. */
static bool agree(const mir_type *a, const mir_type *b, uint32_t *left)
{
    if (a == b || a->kind == MIR_REFUSED || b->kind == MIR_REFUSED)
        return true; /* what is refused is refused where it is used */
    if (a->kind != b->kind || *left == 0)
        return false;
    --*left;
    if (a->kind == MIR_TENSOR)
        return tensors_agree(a, b);
    bool same = a->n_parts == b->n_parts && a->n_in == b->n_in;
    for (uint32_t i = 0; same && i < a->n_parts; i++) /* as deep as types are read */
        same = agree(a->parts[i], b->parts[i], left);
    return same;
}

bool mir_agree(const mir_type *a, const mir_type *b)
{
    uint32_t left = 1 << 16;
    return agree(a, b, &left);
}

/* ---- all types ---- */

/* T of the LIST of parts, the first N_IN of which are operands. */
static bool made_type(mir_reader *r, mir_type *t, const mir_types *list, uint32_t n_in,
                      const mir_type **out)
{
    t->parts = list->at;
    t->n_parts = list->n;
    t->n_in = n_in;
    *out = keep(r, t);
    return *out != NULL;
}

static bool read_list(mir_reader *r, char close, mir_types *out)
{
    if (mir_accept(r, close))
        return true;
    do {
        const mir_type *t;
        if (!mir_read_type(r, &t) || !MIR_PUSH(r, out, t))
            return false;
    } while (mir_accept(r, ','));
    return mir_expect(r, close);
}

bool mir_read_types(mir_reader *r, mir_types *out)
{
    const mir_type *t;
    if (mir_accept(r, '('))
        return read_list(r, ')', out);
    return mir_read_type(r, &t) && MIR_PUSH(r, out, t);
}

/* `!stablehlo.token`, `!alias`, and types of other dialects. */
static bool dialect_type(mir_reader *r, mir_type *t, const mir_type **out)
{
    const char *from = r->at;
    mir_text name;
    if (!mir_sigil(r, '!', &name))
        return false;
    const mir_alias *alias = mir_alias_named(r->model, '!', name);
    if (alias) {
        *out = alias->type;
        return true;
    }
    if (mir_next(r) == '<' && !mir_skip_brackets(r))
        return false;
    t->text = (mir_text){from, (size_t)(r->at - from)};
    t->kind = MIR_TOKEN;
    if (!mir_is(name, "stablehlo.token") && !mir_is(name, "mhlo.token") &&
        !refuse(r, t, t->text, "values of this type are not read"))
        return false;
    *out = keep(r, t);
    return *out != NULL;
}

static bool word_type(mir_reader *r, mir_type *t, const mir_type **out)
{
    const char *from = r->at;
    mir_types parts = {0};
    mir_text word;
    if (mir_accept_word(r, "tuple")) {
        t->kind = MIR_TUPLE;
        return mir_expect(r, '<') && read_list(r, '>', &parts) && made_type(r, t, &parts, 0, out);
    }
    if (mir_accept_word(r, "memref") || mir_accept_word(r, "vector")) {
        if (!mir_skip_brackets(r))
            return false;
        word = (mir_text){from, (size_t)(r->at - from)};
        if (!refuse(r, t, word, "values of this type are not read"))
            return false;
    } else {
        t->kind = MIR_ELEMENT;
        if (!read_element(r, t))
            return false;
    }
    t->text = (mir_text){from, (size_t)(r->at - from)};
    *out = keep(r, t);
    return *out != NULL;
}

bool mir_read_type(mir_reader *r, const mir_type **out)
{
    mir_type t = {0};
    const char c = mir_next(r);
    const char *from = r->at;
    if (mir_accept_word(r, "tensor"))
        return tensor_type(r, from, out);
    if (!mir_enter(r))
        return false;
    bool ok;
    if (c == '(') {
        mir_types parts = {0};
        t.kind = MIR_FUNCTION;
        ok = mir_read_types(r, &parts);
        const uint32_t n_in = parts.n;
        ok = ok && (mir_accept_arrow(r) || mir_expected(r, "'->'")) && mir_read_types(r, &parts) &&
             made_type(r, &t, &parts, n_in, out);
    } else if (c == '!') {
        ok = dialect_type(r, &t, out);
    } else if (mir_at_word(r)) {
        ok = word_type(r, &t, out);
    } else {
        ok = mir_expected(r, "a type");
    }
    mir_leave(r);
    return ok;
}
