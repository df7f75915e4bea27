/* The tracer's dump to the model: operations stand there as Rust prints them for debugging. */
#include "dialect/ptir/formats/text_parts.h"

typedef VECTOR(int64_t) int_list;

/* ---- types --------------------------------------------------------------------------------- */

/* tensor<F32 x 2x3>, tensor<Si32 x []>, tuple<a, b> */
static bool read_type(ptir_scan *s, ptir_type *out)
{
    tn_dtype dtype = TN_I1;
    ptir_types items = {0};
    *out = (ptir_type){0};
    if (scan_eat(s, "tuple<")) {
        if (!scan_enter(s))
            return false;
        while (!scan_eat(s, ">")) {
            ptir_type item;
            if ((items.n && !scan_expect(s, ",")) || !read_type(s, &item))
                return false;
            if (!PTIR_PUSH(s->memory, &items, item))
                return scan_no_memory(s);
        }
        s->depth--;
        out->n = items.n;
        out->items = items.at;
        return true;
    }
    return scan_expect(s, "tensor<") && scan_dtype(s, &dtype) && scan_expect(s, "x") &&
           text_read_extents(s, dtype, !scan_eat(s, "[]"), &out->tensor);
}

/* ---- values as Rust prints them ------------------------------------------------------------- */

/* Static(2) or Dynamic(DimSymbol("B")) */
static bool read_dim(ptir_scan *s, dim *out)
{
    const char *name = "";
    uint32_t which = 0;
    if (!scan_variant(s, "Static Dynamic", "a dimension", &which) || !scan_expect(s, "("))
        return false;
    if (which == 0) {
        if (!text_read_extent(s, out))
            return false;
    } else {
        bool wrapped = scan_eat_word(s, "DimSymbol") && scan_expect(s, "(");
        if (!scan_string(s, &name) || (wrapped && !scan_expect(s, ")")))
            return false;
        *out = ptir_dim_by_name(s->m, name, strlen(name));
        if (*out == DIM_NO_MEMORY)
            return scan_no_memory(s);
    }
    return scan_expect(s, ")");
}

/* One entry of a list of KIND; pairs are two. */
static bool read_entry(ptir_scan *s, ptir_kind kind, int_list *out)
{
    int64_t entry = -1;
    bool ok = true;
    if (kind == PTIR_SHAPE) {
        ok = read_dim(s, &entry);
    } else if (kind == PTIR_NEW_SHAPE) {
        if (!scan_eat_word(s, "Infer"))
            ok = scan_eat_word(s, "Explicit") && scan_expect(s, "(") && read_dim(s, &entry) &&
                 scan_expect(s, ")");
    } else if (kind == PTIR_PAIRS) {
        ok = scan_expect(s, "(") && scan_size(s, &entry) &&
             (PTIR_PUSH(s->memory, out, entry) || scan_no_memory(s)) && scan_expect(s, ",") &&
             scan_size(s, &entry) && scan_expect(s, ")");
    } else {
        ok = kind == PTIR_AXES ? scan_i64(s, &entry) : scan_size(s, &entry);
    }
    if (!ok)
        return s->failed ? false : scan_unexpected(s, "an entry of this list");
    return PTIR_PUSH(s->memory, out, entry) || scan_no_memory(s);
}

static bool read_list(ptir_scan *s, ptir_kind kind, int_list *out)
{
    if (!scan_expect(s, "["))
        return false;
    while (!scan_eat(s, "]"))
        if ((out->n && !scan_expect(s, ",")) || !read_entry(s, kind, out))
            return false;
    return !s->failed;
}

/* Shape { dims: [..] } */
static bool read_shape(ptir_scan *s, int_list *out)
{
    return scan_expect(s, "Shape") && scan_expect(s, "{") && scan_expect(s, "dims:") &&
           read_list(s, PTIR_SHAPE, out) && scan_expect(s, "}");
}

/* TensorLiteral { spec: TensorSpec { dtype: F32, shape: Shape {..} }, bytes: [0, 0] } */
static bool read_literal(ptir_scan *s, const literal **out)
{
    literal *l = ARENA_NEW(&s->m->arena, literal);
    int_list dims = {0};
    tn_dtype dtype = TN_I1;
    if (!l)
        return scan_no_memory(s);
    span where = scan_here(s);
    if (!scan_expect(s, "TensorLiteral") || !scan_expect(s, "{") || !scan_expect(s, "spec:") ||
        !scan_expect(s, "TensorSpec") || !scan_expect(s, "{") || !scan_expect(s, "dtype:") ||
        !scan_dtype(s, &dtype) || !scan_expect(s, ",") || !scan_expect(s, "shape:") ||
        !read_shape(s, &dims) || !scan_expect(s, "}") || !scan_expect(s, ",") ||
        !scan_expect(s, "bytes:"))
        return false;
    if (dims.n > TN_MAX_RANK)
        return scan_fail(s, DIAG_LimitExceeded, where, "the rank is above the limit of %d",
                         TN_MAX_RANK);
    s->strings.at = s->at; /* a list of bytes is JSON's too */
    if (!json_bytes(&s->strings, &s->m->arena, &l->data, &l->bytes)) {
        s->no_memory = s->strings.no_memory;
        s->failed = true;
        return false;
    }
    s->at = s->strings.at;
    s->literal_bytes += l->bytes;
    if (s->literal_bytes > s->m->cx->limits.literal_bytes)
        return scan_fail(s, DIAG_LimitExceeded, where, "more constant data than the limit allows");
    l->type = type_of(&s->m->types, dtype, dims.at, dims.n);
    *out = l;
    return l->type ? scan_expect(s, "}") : scan_no_memory(s);
}

static bool read_scalar(ptir_scan *s, const scalar **out)
{
    scalar *v = ARENA_NEW(s->memory, scalar);
    uint32_t which = 0;
    bool truth, ok = false;
    if (!v)
        return scan_no_memory(s);
    *out = v;
    if (!scan_variant(s, ptir_scalar_words, "a literal", &which))
        return false;
    v->kind = (dtype_class)which;
    if (v->kind == DTYPE_COMPLEX)
        return scan_expect(s, "{") && scan_expect(s, "re:") && scan_f64(s, &v->f) &&
               scan_expect(s, ",") && scan_expect(s, "im:") && scan_f64(s, &v->im) &&
               scan_expect(s, "}");
    if (!scan_expect(s, "("))
        return false;
    if (v->kind == DTYPE_BOOL) {
        ok = scan_bool(s, &truth);
        v->u = ok && truth;
    } else if (v->kind == DTYPE_SIGNED) {
        ok = scan_i64(s, &v->i);
    } else if (v->kind == DTYPE_UNSIGNED) {
        ok = scan_u64(s, &v->u);
    } else {
        ok = scan_f64(s, &v->f);
    }
    return ok && scan_expect(s, ")");
}

/* ---- free attributes ----------------------------------------------------------------------- */

/* Kind(value) or KindArray([values]) */
static bool read_dict_values(ptir_scan *s, dict_entry *e)
{
    static const attr_kind kinds[] = {ATTR_INT, ATTR_FLOAT, ATTR_BOOL, ATTR_STRING};
    VECTOR(uint64_t) words = {0};
    uint32_t which = 0;
    if (!scan_variant(s, ptir_attr_kind_words, "a kind of attribute", &which) ||
        !scan_expect(s, "("))
        return false;
    e->kind = kinds[which & 3U];
    e->is_array = which >= 4;
    if (e->is_array && !scan_expect(s, "["))
        return false;
    while (e->is_array ? !scan_eat(s, "]") : words.n == 0) {
        union {
            uint64_t word;
            int64_t i;
            double f;
            const char *text;
        } v = {0};
        bool truth = false;
        if (words.n && !scan_expect(s, ","))
            return false;
        if (!(e->kind == ATTR_INT     ? scan_i64(s, &v.i)
              : e->kind == ATTR_FLOAT ? scan_f64(s, &v.f)
              : e->kind == ATTR_BOOL  ? scan_bool(s, &truth)
                                      : scan_string(s, &v.text)))
            return false;
        v.word |= truth;
        if (!PTIR_PUSH(s->memory, &words, v.word))
            return scan_no_memory(s);
    }
    for (uint32_t i = 0; e->kind == ATTR_BOOL && i < words.n; i++)
        ((bool *)words.at)[i] = words.at[i] != 0; /* narrower, so from the front */
    e->n = words.n;
    e->values = words.at;
    return scan_expect(s, ")");
}

static bool read_dict(ptir_scan *s, attr *out)
{
    VECTOR(dict_entry) entries = {0};
    span where = scan_here(s);
    if (!scan_expect(s, "{"))
        return false;
    while (!scan_eat(s, "}")) {
        dict_entry e = {0};
        if ((entries.n && !scan_expect(s, ",")) || !scan_string(s, &e.key) ||
            !scan_expect(s, ":") || !read_dict_values(s, &e))
            return false;
        if (!PTIR_PUSH(s->memory, &entries, e))
            return scan_no_memory(s);
    }
    ptir_dict_sort(entries.at, entries.n);
    for (uint32_t i = 1; i < entries.n; i++)
        if (entries.at[i].key == entries.at[i - 1].key)
            return scan_fail(s, DIAG_DuplicateKey, where, "'%s' stands twice", entries.at[i].key);
    out->v.dict = entries.at;
    out->n = entries.n;
    return !s->failed;
}

/* ---- operations ---------------------------------------------------------------------------- */

static bool read_value(ptir_scan *s, const ptir_field *field, attr *out)
{
    int_list ints = {0};
    tn_dtype dtype = TN_I1;
    uint32_t word;
    bool truth, ok = false;
    switch (field->kind) {
    case PTIR_UINTS:
    case PTIR_AXES:
    case PTIR_NEW_SHAPE:
    case PTIR_PAIRS:
        ok = read_list(s, field->kind, &ints);
        break;
    case PTIR_SHAPE:
        ok = read_shape(s, &ints);
        break;
    case PTIR_UINT:
        return scan_size(s, &out->v.i);
    case PTIR_AXIS:
    case PTIR_INT_AXIS:
        return scan_i64(s, &out->v.i);
    case PTIR_REGION:
        if (!scan_eat_word(s, "RegionId"))
            return scan_size(s, &out->v.i);
        return scan_expect(s, "(") && scan_size(s, &out->v.i) && scan_expect(s, ")");
    case PTIR_BOOL:
        ok = scan_bool(s, &truth);
        out->v.i = ok && truth;
        return ok;
    case PTIR_FLOAT:
        return scan_f64(s, &out->v.f);
    case PTIR_WORD:
        ok = scan_variant(s, field->words, "a word of this field", &word);
        out->v.i = ok ? word : 0;
        return ok;
    case PTIR_DTYPE:
        ok = scan_dtype(s, &dtype);
        out->v.i = ok ? (int64_t)dtype : 0;
        return ok;
    case PTIR_SCALAR:
        return read_scalar(s, &out->v.scalar);
    case PTIR_STRING:
        return scan_string(s, &out->v.s);
    case PTIR_DICT:
        return read_dict(s, out);
    }
    out->v.ints = ints.at;
    out->n = ints.n;
    return ok;
}

/* SpecName { field: value, .. }: all fields, in their order. */
static bool read_fields(ptir_scan *s, const ptir_op_info *op, ptir_inst *out)
{
    ptir_word_text spec;
    attr *own = arena_alloc(s->memory, ((size_t)op->n_fields + 1) * sizeof *own);
    if (!own)
        return scan_no_memory(s);
    out->attrs = own;
    if (!scan_word(s, &spec) || !scan_expect(s, "{"))
        return false;
    for (uint32_t i = 0; i < op->n_fields; i++) {
        const ptir_field *field = &op->fields[i];
        span where = scan_here(s);
        if ((i && !scan_expect(s, ",")))
            return false;
        if (!scan_eat_word(s, field->name))
            return scan_fail(s, DIAG_SyntaxError, where, "expected the field '%s'", field->name);
        if (!scan_expect(s, ":"))
            return false;
        if (field->optional && scan_eat_word(s, "None"))
            continue;
        bool some = field->optional && scan_eat_word(s, "Some") && scan_expect(s, "(");
        attr *a = &own[out->n_attrs++];
        *a = (attr){.key = (uint8_t)field->key};
        if (!read_value(s, field, a) || (some && !scan_expect(s, ")")))
            return false;
    }
    return scan_expect(s, "}");
}

static bool unknown_op(ptir_scan *s, ptir_word_text name)
{
    suggestion like;
    suggest_begin(&like, name.at, name.n);
    ptir_suggest_op(&like, false);
    (void)scan_fail(s, DIAG_UnknownOp, name.where, "there is no operation '%.*s'",
                    name.n > 60 ? 60 : (int)name.n, name.at);
    suggest_fix(&like, &s->m->cx->diag, name.where, "");
    return false;
}

static bool read_operation(ptir_scan *s, ptir_inst *out)
{
    ptir_word_text name;
    uint32_t word;
    const uint32_t faults = s->faults;
    if (!scan_word(s, &name))
        return false;
    out->at = name.where;
    ptir_op op = ptir_op_by_name(name.at, name.n);
    if (op == PTIR_OP_COUNT)
        return unknown_op(s, name);
    const ptir_op_info *info = &ptir_ops[op];
    out->op = (uint8_t)op;
    if (info->form == PTIR_FORM_NONE)
        return true;
    if (!scan_expect(s, "("))
        return false;
    if (info->form == PTIR_FORM_STRUCT) {
        if (!read_fields(s, info, out))
            return false;
    } else if (info->form == PTIR_FORM_LITERAL) {
        attr *own = ARENA_NEW(s->memory, attr);
        if (!own)
            return scan_no_memory(s);
        own->key = KEY_VALUE;
        out->attrs = own;
        out->n_attrs = 1;
        if (!read_literal(s, &own->v.literal))
            return false;
    } else {
        if (!scan_variant(s, info->form == PTIR_FORM_UNARY ? ptir_unary_words : ptir_binary_words,
                          "an elementwise operation", &word))
            return false;
        out->word = (uint8_t)word;
    }
    if (s->faults != faults) /* and that was reported */
        out->op = PTIR_OP_COUNT;
    return scan_expect(s, ")");
}

/* ---- instructions -------------------------------------------------------------------------- */

static bool read_id(ptir_scan *s, uint32_t *id, span *at)
{
    *at = scan_here(s);
    if (!scan_expect(s, "%") || !scan_u32(s, id))
        return false;
    *at = scan_from(s, s->m->source.text + at->at);
    return true;
}

static bool read_operand(ptir_scan *s, ptir_operand *out)
{
    *out = (ptir_operand){.kind = PTIR_VALUE, .at = scan_here(s)};
    if (scan_eat(s, "literal(")) {
        scan_fault(s, DIAG_InvalidConstant, out->at,
                   "the dump leaves out the data of literal operands; read the JSON dump");
        out->kind = PTIR_FAULTY;
        while (s->at < s->end && *s->at != ')' && *s->at != '\n')
            s->at++;
        return scan_expect(s, ")");
    }
    if (!read_id(s, &out->id, &out->at))
        return false;
    if (!scan_eat(s, "["))
        return true;
    out->kind = PTIR_ELEMENT;
    return scan_u32(s, &out->index) && scan_expect(s, "]");
}

static bool read_instruction(ptir_scan *s, ptir_inst *out)
{
    VECTOR(ptir_operand) in = {0};
    *out = (ptir_inst){0};
    if (!read_id(s, &out->id, &out->id_at) || !scan_expect(s, "=") || !read_operation(s, out))
        return false;
    if (scan_eat(s, "("))
        while (!scan_eat(s, ")")) {
            ptir_operand operand;
            if ((in.n && !scan_expect(s, ",")) || !read_operand(s, &operand))
                return false;
            if (!PTIR_PUSH(s->memory, &in, operand))
                return scan_no_memory(s);
        }
    out->in = in.at;
    out->n_in = in.n;
    if (!scan_expect(s, "->"))
        return false;
    out->out_at = scan_here(s);
    return read_type(s, &out->out);
}

/* ---- functions ----------------------------------------------------------------------------- */

/* `%0 : type` lines; a region's are called %arg0 and %res0, which says nothing. */
static bool read_ports(ptir_scan *s, bool region, ptir_function *f, bool results)
{
    while (scan_at(s, "%")) {
        ptir_operand o = {.kind = PTIR_VALUE};
        ptir_word_text name;
        ptir_type t;
        if (region ? !(scan_expect(s, "%") && scan_word(s, &name)) : !read_id(s, &o.id, &o.at))
            return false;
        if (!scan_expect(s, ":") || !read_type(s, &t))
            return false;
        bool ok = results ? PTIR_PUSH(s->memory, &f->results, t)
                          : PTIR_PUSH(s->memory, &f->parameters, t);
        if (ok && !region)
            ok = results ? PTIR_PUSH(s->memory, &f->result_ids, o)
                         : PTIR_PUSH(s->memory, &f->parameter_ids, o.id) &&
                               PTIR_PUSH(s->memory, &f->parameter_places, o.at);
        if (!ok)
            return scan_no_memory(s);
    }
    return !s->failed;
}

static bool read_body(ptir_scan *s, ptir_function *f)
{
    while (scan_at(s, "%")) {
        ptir_inst inst;
        if (!read_instruction(s, &inst))
            return false;
        if (!PTIR_PUSH(s->memory, &f->body, inst))
            return scan_no_memory(s);
    }
    return !s->failed;
}

/* Hints do not belong to what a program computes; those of a dump are passed over. */
static bool skip_hints(ptir_scan *s, span at)
{
    uint32_t open = 0;
    diag_warn(&s->m->cx->diag, DIAG_Advice, &s->m->source, at, "the hints of a dump are not read");
    for (;;) {
        const char *ignored;
        scan_space(s);
        if (s->at >= s->end || (open == 0 && (scan_at(s, "results:") || scan_at(s, "}"))))
            break;
        if (*s->at == '"') {
            if (!scan_string(s, &ignored))
                return false;
            continue;
        }
        open += *s->at == '{';
        open -= *s->at == '}' && open;
        s->at++;
    }
    return true;
}

static bool read_function(ptir_scan *s, bool region, ptir_function *f)
{
    f->stores_ids = !region;
    if (!scan_expect(s, "{"))
        return false;
    while (!scan_eat(s, "}")) {
        span at = scan_here(s);
        bool ok = scan_eat(s, "params:")    ? read_ports(s, region, f, false)
                  : scan_eat(s, "results:") ? read_ports(s, region, f, true)
                  : scan_eat(s, "body:")    ? read_body(s, f)
                  : scan_eat(s, "hints:")   ? skip_hints(s, at)
                                            : scan_unexpected(s, "a section");
        if (!ok)
            return false;
    }
    return true;
}

/* @NAME, up to the next space. */
static bool read_function_name(ptir_scan *s, const char **out, span *at)
{
    if (!scan_expect(s, "@"))
        return false;
    const char *from = s->at;
    while (s->at < s->end && *s->at != ' ' && *s->at != '\n')
        s->at++;
    *at = scan_from(s, from);
    *out = module_string(s->m, from, (size_t)(s->at - from));
    return *out || scan_no_memory(s);
}

static bool read_program(ptir_scan *s, ptir_program *out)
{
    ptir_word_text version;
    *out = (ptir_program){0};
    if (!scan_expect(s, "program") || !read_function_name(s, &out->entry, &out->entry_at) ||
        !scan_expect(s, "(") || !scan_expect(s, "spec_version") || !scan_expect(s, "=") ||
        !scan_word(s, &version))
        return false;
    if (version.n != strlen(PTIR_VERSION) || memcmp(version.at, PTIR_VERSION, version.n) != 0)
        return scan_fail(s, DIAG_UnsupportedVersion, version.where,
                         "version '%.*s' is not read, only '" PTIR_VERSION "'",
                         version.n > 60 ? 60 : (int)version.n, version.at);
    if (!scan_expect(s, ")") || !scan_expect(s, "{"))
        return false;
    while (!scan_eat(s, "}")) {
        ptir_function f = {0};
        bool region = scan_eat_word(s, "region");
        if (region) {
            f.at = scan_here(s);
            if (!scan_expect(s, "^r") || !scan_u64(s, &f.region) || !read_function(s, true, &f))
                return false;
        } else if (!scan_expect(s, "func") || !read_function_name(s, &f.name, &f.at) ||
                   !read_function(s, false, &f)) {
            return false;
        }
        f.whole = scan_from(s, s->m->source.text + f.at.at);
        if (!(region ? PTIR_PUSH(s->memory, &out->regions, f)
                     : PTIR_PUSH(s->memory, &out->functions, f)))
            return scan_no_memory(s);
    }
    scan_space(s);
    return s->at >= s->end || scan_unexpected(s, "the end of the text");
}

tn_status ptir_dump_read(module *m, arena *memory, ptir_program *out, uint32_t *faults)
{
    ptir_scan s;
    TN_TRY(scan_init(&s, m, memory));
    (void)read_program(&s, out);
    return scan_end(&s, faults);
}
