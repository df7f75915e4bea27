/* The compact text form to the model: functions and statements. */
#include <inttypes.h>
#include <stdio.h>

#include "dialect/ptir/codes.h"
#include "dialect/ptir/formats/text_parts.h"

typedef struct named_id {
    const char *name;
    span at;
} named_id;

typedef struct reader {
    ptir_scan s;
    /* Names of the function in work, by the ids they stand for. */
    VECTOR(named_id) names;
    hash_index by_name;
    bool lost_names; /* of the function: two values have one, and others may mean the second */
    ptir_function *f;
    ptir_where where; /* for messages: m->source.reading */
} reader;

/* ---- names --------------------------------------------------------------------------------- */

static uint64_t name_hash(const char *name)
{
    return hash_mix(3, (uint64_t)(uintptr_t)name); /* interned */
}

/* The id of NAME, or NO_VALUE. */
static uint32_t find_name(const reader *r, const char *name)
{
    uint64_t h = name_hash(name);
    for (uint32_t p = hash_first(&r->by_name, h), k;
         (k = hash_at(&r->by_name, h, &p)) != HASH_NONE;)
        if (r->names.at[k].name == name)
            return k;
    return NO_VALUE;
}

/* A key as messages show it. */
static const char *bare(const char *key)
{
    return *key == '"' ? key + 1 : key;
}

/* The next id is called NAME, which stands AT. */
static bool add_name(reader *r, const char *name, span at)
{
    const tn_allocator *a = r->s.m->allocator;
    named_id added = {name, at};
    uint32_t earlier = find_name(r, name);
    if (earlier != NO_VALUE) {
        scan_fault(&r->s, DIAG_MultipleDefinitions, at, "'%%%s' is defined twice", bare(name));
        diag_note(&r->s.m->cx->diag, &r->s.m->source, r->names.at[earlier].at, "first here");
        r->lost_names = true;
    } else if (!hash_add(a, &r->by_name, name_hash(name), r->names.n)) {
        return scan_no_memory(&r->s);
    }
    return VECTOR_PUSH(a, &r->names, added) || scan_no_memory(&r->s);
}

/* What a value is called in the text. */
typedef struct text_name {
    const char *key; /* what finds it; of quoted ones that cannot stand bare, with a quote before */
    const char *name; /* NULL: a number, which is what values without a name are called */
    span at;
} text_name;

/* The key of a quoted name. */
static bool quoted_key(reader *r, text_name *out)
{
    text_buffer key;
    if (text_is_name(out->name)) {
        out->key = out->name;
        return true;
    }
    text_init(&key, r->s.m->allocator);
    text_putc(&key, '"');
    text_puts(&key, out->name);
    out->key = key.failed ? NULL : module_string(r->s.m, key.at, key.n);
    text_release(&key);
    return out->key || scan_no_memory(&r->s);
}

static bool read_name(reader *r, text_name *out)
{
    ptir_scan *s = &r->s;
    ptir_word_text word;
    if (scan_eat(s, "%") && *s->at == '"') {
        const char *from = s->at;
        if (!scan_string(s, &out->name))
            return false;
        out->at = scan_from(s, from);
        return quoted_key(r, out);
    }
    if (!scan_word(s, &word))
        return false;
    out->at = word.where;
    out->key = module_string(s->m, word.at, word.n);
    if (!out->key)
        return scan_no_memory(s);
    out->name = out->key[strspn(out->key, "0123456789")] ? out->key : NULL;
    return true;
}

/* ---- operands ------------------------------------------------------------------------------ */

/* The value called NAME at AT, or its element: NAME[INT]. */
static bool value_named(reader *r, const char *name, span at, bool elements, ptir_operand *out)
{
    ptir_scan *s = &r->s;
    out->at = at;
    out->id = find_name(r, name);
    if (out->id == NO_VALUE) {
        if (!r->lost_names)
            scan_fault(s, DIAG_UseBeforeDefinition, out->at,
                       "'%%%s' is not defined before this use", bare(name));
        out->kind = PTIR_FAULTY;
    }
    if (!elements || *s->at != '[')
        return true;
    s->at++;
    if (out->kind == PTIR_VALUE)
        out->kind = PTIR_ELEMENT;
    return scan_u32(s, &out->index) && scan_expect(s, "]");
}

/* %NAME, %NAME[INT]; ELEMENTS: the second is allowed. */
static bool read_value(reader *r, bool elements, ptir_operand *out)
{
    text_name name;
    *out = (ptir_operand){.kind = PTIR_VALUE};
    if (!scan_at(&r->s, "%"))
        return scan_unexpected(&r->s, "a value");
    if (!read_name(r, &name))
        return false;
    name.at.at--; /* with the percent sign */
    name.at.length++;
    return value_named(r, name.key, name.at, elements, out);
}

static bool read_operand(reader *r, bool bare, ptir_operand *out)
{
    ptir_scan *s = &r->s;
    *out = (ptir_operand){.at = scan_here(s)};
    if (!bare && scan_eat(s, "literal<"))
        return text_read_literal(s, out);
    return read_value(r, !bare, out);
}

static bool read_operands(reader *r, ptir_inst *out)
{
    ptir_scan *s = &r->s;
    VECTOR(ptir_operand) in = {0};
    bool bare = scan_at(s, "%");
    if (bare || (scan_eat(s, "(") && !scan_eat(s, ")"))) {
        do {
            ptir_operand operand;
            if (!read_operand(r, bare, &operand))
                return false;
            if (!PTIR_PUSH(s->memory, &in, operand))
                return scan_no_memory(s);
        } while (scan_eat(s, ","));
        if (!bare && !scan_expect(s, ")"))
            return false;
    }
    out->in = in.at;
    out->n_in = in.n;
    return !s->failed;
}

/* ---- operations ---------------------------------------------------------------------------- */

/* Look for the op called WORD among the words of an elementwise operation. */
static bool find_elementwise(ptir_word_text word, const char *words, ptir_op op, ptir_inst *out)
{
    for (uint32_t i = 0;; i++) {
        size_t n;
        const char *known = ptir_word(words, i, &n);
        if (n == 0)
            return false;
        if (ptir_same_word(known, n, word.at, word.n)) {
            out->op = (uint8_t)op;
            out->word = (uint8_t)i;
            return true;
        }
    }
}

/* Also the kind of a reduction, which is part of its name: *KIND, else -1. */
static bool find_op(ptir_word_text word, ptir_inst *out, int *kind)
{
    static const char prefix[] = "reduce_";
    const size_t n = sizeof prefix - 1;
    *kind = -1;
    if (word.n > n && memcmp(word.at, prefix, n) == 0) {
        out->op = PTIR_REDUCE;
        for (uint32_t i = 0;; i++) {
            size_t length;
            const char *known = ptir_word(ptir_reduce_words(), i, &length);
            if (length == 0)
                break;
            if (ptir_same_word(known, length, word.at + n, word.n - n)) {
                *kind = (int)i;
                return true;
            }
        }
    }
    if (find_elementwise(word, ptir_unary_words, PTIR_UNARY, out) ||
        find_elementwise(word, ptir_binary_words, PTIR_BINARY, out))
        return true;
    for (int op = 0; op < PTIR_OP_COUNT; op++)
        if (ptir_ops[op].form != PTIR_FORM_UNARY && ptir_ops[op].form != PTIR_FORM_BINARY &&
            op != PTIR_REDUCE &&
            ptir_same_word(ptir_ops[op].name, strlen(ptir_ops[op].name), word.at, word.n)) {
            out->op = (uint8_t)op;
            return true;
        }
    return false;
}

/* The fields of one statement as they are found. */
typedef struct found_fields {
    attr at[PTIR_MAX_FIELDS];
    uint32_t seen;
    const char *data; /* behind the bracket of a constant's elements */
    span data_at;
    bool fill;
} found_fields;

static int field_index(const ptir_op_info *op, const char *name, size_t n)
{
    for (uint32_t i = 0; i < op->n_fields; i++)
        if (strlen(op->fields[i].name) == n && memcmp(op->fields[i].name, name, n) == 0)
            return (int)i;
    return -1;
}

static bool is_word(ptir_word_text name, const char *word)
{
    return name.n == strlen(word) && memcmp(name.at, word, name.n) == 0;
}

static bool unknown_field(reader *r, const ptir_op_info *op, ptir_word_text name, uint32_t seen)
{
    char fields[200];
    size_t n = 0;
    suggestion like;
    suggest_begin(&like, name.at, name.n);
    ptir_suggest_field(&like, op, seen);
    *fields = '\0';
    for (uint32_t i = 0; i < op->n_fields && n < sizeof fields - 1; i++)
        n += (size_t)snprintf(fields + n, sizeof fields - n, "%s%s", i ? ", " : "",
                              op->fields[i].name);
    (void)scan_fail(&r->s, DIAG_SyntaxError, name.where,
                    n || op->form == PTIR_FORM_LITERAL ? "'%s' has no field '%.*s', but %s"
                                                       : "'%s' has no field '%.*s'%s",
                    op->name, name.n > 60 ? 60 : (int)name.n, name.at,
                    n                               ? fields
                    : op->form == PTIR_FORM_LITERAL ? "value and fill"
                                                    : "; it takes none");
    suggest_fix(&like, &r->s.m->cx->diag, name.where, "");
    return false;
}

static bool read_one_field(reader *r, const ptir_op_info *op, ptir_word_text name,
                           found_fields *found)
{
    ptir_scan *s = &r->s;
    int i = field_index(op, name.at, name.n);
    if (i < 0 && op->op == OP_BROADCAST && is_word(name, "shape"))
        i = 0;
    if (i < 0)
        return unknown_field(r, op, name, found->seen);
    if (found->seen >> i & 1)
        return scan_fail(s, DIAG_DuplicateKey, name.where, "the field '%.*s' stands twice",
                         (int)name.n, name.at);
    found->seen |= 1U << i;
    return text_read_field(s, &op->fields[i], &found->at[i]);
}

/* Has the statement's line come to its end, where its type is still to come? */
static bool lacks_type(ptir_scan *s)
{
    const char *end = s->at;
    scan_blank(s);
    if (*s->at != '\n' && s->at < s->end)
        return false;
    const span where = {(uint32_t)(end - s->m->source.text), 1};
    if (scan_at(s, "->"))
        return false;
    (void)scan_fail(s, DIAG_SyntaxError, where,
                    "expected '->' and the type of the result, found the end of the line");
    return true;
}

static bool read_fields(reader *r, const ptir_op_info *op, found_fields *found)
{
    ptir_scan *s = &r->s;
    while (!lacks_type(s) && !scan_at(s, "->") && !s->failed) {
        ptir_word_text name;
        if (!scan_word(s, &name))
            return false;
        if (!scan_eat(s, "["))
            return scan_unexpected(s, "'[' behind the name of a field, or '->' and the type of the "
                                      "result");
        bool is_fill = is_word(name, "fill");
        if (op->form == PTIR_FORM_LITERAL && (is_fill || is_word(name, "value"))) {
            if (found->data)
                return scan_fail(s, DIAG_DuplicateKey, name.where,
                                 "this constant has its elements already");
            found->data = s->at;
            found->data_at = name.where;
            found->fill = is_fill;
            if (!text_skip_brackets(s)) /* read when the type is known */
                return false;
        } else if (op->op == OP_DOT_GENERAL && is_word(name, "batch")) {
            if (found->seen & 3)
                return scan_fail(s, DIAG_DuplicateKey, name.where,
                                 "'batch' stands for 'batch_lhs' and 'batch_rhs', one of which is "
                                 "given already");
            if (!text_read_field(s, &op->fields[0], &found->at[0]))
                return false;
            found->at[1] = found->at[0];
            found->at[1].key = KEY_BATCH_RHS;
            found->seen |= 3;
        } else if (!read_one_field(r, op, name, found)) {
            return false;
        }
    }
    return !s->failed;
}

/* What a field is that the text leaves away: the declared type says it, or there is a default. */
static bool default_field(const ptir_inst *inst, const ptir_field *field, attr *out)
{
    const type *t = inst->out.tensor;
    *out = (attr){.key = (uint8_t)field->key};
    if (!ptir_text_may_omit((ptir_op)inst->op, field))
        return false;
    if (!t)
        return field->kind != PTIR_DTYPE && field->kind != PTIR_SHAPE;
    if (field->kind == PTIR_DTYPE)
        out->v.i = t->dtype;
    if (field->kind == PTIR_SHAPE) {
        out->n = t->rank;
        out->v.ints = t->dims;
    }
    return true;
}

static bool keep_fields(reader *r, found_fields *found, ptir_inst *out, int kind)
{
    const ptir_op_info *op = &ptir_ops[out->op];
    attr *own = arena_alloc(r->s.memory, ((size_t)op->n_fields + 1) * sizeof *own);
    if (!own)
        return scan_no_memory(&r->s);
    out->attrs = own;
    for (uint32_t i = 0; i < op->n_fields; i++) {
        const ptir_field *field = &op->fields[i];
        if (kind >= 0 && field->key == KEY_COMBINE)
            own[out->n_attrs++] = (attr){.key = KEY_COMBINE, .v.i = kind};
        else if (found->seen >> i & 1)
            own[out->n_attrs++] = found->at[i];
        else if (!field->optional && !default_field(out, field, &own[out->n_attrs++]))
            return scan_fail(&r->s, DIAG_SyntaxError, out->at, "missing field '%s'", field->name);
    }
    return true;
}

static bool read_constant(reader *r, const found_fields *found, ptir_inst *out)
{
    ptir_scan *s = &r->s;
    attr *own = ARENA_NEW(s->memory, attr);
    const char *after = s->at;
    bool ok;
    if (!own)
        return scan_no_memory(s);
    if (!found->data)
        return scan_fail(s, DIAG_SyntaxError, out->at, "missing field 'value' or 'fill'");
    if (!out->out.tensor) {
        scan_fault(s, DIAG_InvalidConstant, out->out_at, "a constant is no tuple");
        out->op = PTIR_OP_COUNT;
        return true;
    }
    own->key = KEY_VALUE;
    out->attrs = own;
    out->n_attrs = 1;
    s->at = found->data;
    if (!text_read_data(s, out->out.tensor, found->fill, &own->v.literal, &ok))
        return false;
    s->at = after;
    if (!ok)
        out->op = PTIR_OP_COUNT;
    return true;
}

/* ---- statements ---------------------------------------------------------------------------- */

static bool end_line(reader *r)
{
    scan_blank(&r->s);
    if (*r->s.at == '\n' || *r->s.at == '}' || r->s.at >= r->s.end)
        return true;
    return scan_unexpected(&r->s, "the end of the line");
}

/* Skip to the type of a statement whose operation is not known. */
static bool skip_unknown(reader *r)
{
    ptir_scan *s = &r->s;
    const char *line_end = memchr(s->at, '\n', (size_t)(s->end - s->at));
    const char *stop = line_end ? line_end : s->end;
    const char *arrow = NULL;
    for (const char *p = s->at; p + 1 < stop; p++)
        if (p[0] == '-' && p[1] == '>')
            arrow = p;
    if (!arrow)
        return scan_unexpected(s, "'->'");
    s->at = arrow;
    return true;
}

static void unknown_op(reader *r, ptir_word_text word)
{
    suggestion like;
    suggest_begin(&like, word.at, word.n);
    ptir_suggest_op(&like, true);
    scan_fault(&r->s, DIAG_UnknownOp, word.where, "there is no operation '%.*s'",
               word.n > 60 ? 60 : (int)word.n, word.at);
    suggest_fix(&like, &r->s.m->cx->diag, word.where, "");
}

static bool read_statement(reader *r)
{
    ptir_scan *s = &r->s;
    ptir_inst inst = {.id = r->names.n};
    ptir_word_text word;
    found_fields found = {.seen = 0};
    text_name name;
    int kind = -1;
    if (!read_name(r, &name) || !scan_expect(s, "=") ||
        !scan_word_for(s, "the name of an operation", &word))
        return false;
    inst.id_at = name.at;
    inst.name = name.name;
    inst.at = word.where;
    r->where.index = r->f->body.n;
    r->where.inst = &inst;
    if (find_op(word, &inst, &kind)) {
        if (!read_operands(r, &inst))
            return false;
        const uint32_t faults = s->faults;
        if (!read_fields(r, &ptir_ops[inst.op], &found))
            return false;
        if (s->faults != faults)
            inst.op = PTIR_OP_COUNT;
    } else {
        unknown_op(r, word);
        inst.op = PTIR_OP_COUNT;
        if (!skip_unknown(r))
            return false;
    }
    if (!scan_expect(s, "->"))
        return false;
    inst.out_at = scan_here(s);
    if (!text_read_type(s, &inst.out) || !end_line(r))
        return false;
    if (inst.op == PTIR_CONSTANT ? !read_constant(r, &found, &inst)
                                 : inst.op < PTIR_OP_COUNT && !keep_fields(r, &found, &inst, kind))
        return false;
    if (!add_name(r, name.key, name.at))
        return false;
    r->where.inst = NULL;
    return PTIR_PUSH(s->memory, &r->f->body, inst) || scan_no_memory(s);
}

/* ---- functions ----------------------------------------------------------------------------- */

static bool read_parameters(reader *r)
{
    ptir_scan *s = &r->s;
    if (!scan_expect(s, "("))
        return false;
    if (scan_eat(s, ")"))
        return true;
    do {
        text_name name;
        uint32_t id = r->names.n;
        ptir_type t;
        if (!read_name(r, &name) || !scan_expect(s, ":") || !text_read_type(s, &t) ||
            !add_name(r, name.key, name.at))
            return false;
        if (!PTIR_PUSH(s->memory, &r->f->parameters, t) ||
            !PTIR_PUSH(s->memory, &r->f->parameter_ids, id) ||
            !PTIR_PUSH(s->memory, &r->f->parameter_places, name.at) ||
            !PTIR_PUSH(s->memory, &r->f->parameter_names, name.name))
            return scan_no_memory(s);
    } while (scan_eat(s, ","));
    return scan_expect(s, ")");
}

static bool read_return(reader *r)
{
    ptir_scan *s = &r->s;
    scan_blank(s);
    if (*s->at == '\n' || *s->at == ';' || *s->at == '}' || s->at == s->end)
        return true;
    do {
        ptir_operand operand = {.kind = PTIR_VALUE};
        text_name name;
        if (scan_at(s, "%")
                ? !read_value(r, true, &operand)
                : !read_name(r, &name) || !value_named(r, name.key, name.at, true, &operand))
            return false;
        if (!PTIR_PUSH(s->memory, &r->f->result_ids, operand))
            return scan_no_memory(s);
    } while (scan_eat(s, ","));
    return true;
}

/* One type, or a tuple of the types of all results. One returned tuple may stand for its elements.
 */
static bool keep_results(reader *r, const ptir_type *declared)
{
    ptir_function *f = r->f;
    bool one = declared->tensor || (f->result_ids.n == 1 && declared->n != 1);
    if (one && !PTIR_PUSH(r->s.memory, &f->results, *declared))
        return scan_no_memory(&r->s);
    for (uint32_t i = 0; !one && i < declared->n; i++)
        if (!PTIR_PUSH(r->s.memory, &f->results, declared->items[i]))
            return scan_no_memory(&r->s);
    return true;
}

/* Behind the name and the parameters. */
static bool read_function_body(reader *r)
{
    ptir_scan *s = &r->s;
    ptir_type results;
    if (!scan_expect(s, "->") || !text_read_type(s, &results) || !scan_expect(s, "{"))
        return false;
    while (!scan_eat_word(s, "return")) {
        if (scan_at(s, "}") || s->at >= s->end)
            return scan_unexpected(s, "'return'");
        if (!read_statement(r))
            return false;
    }
    if (!read_return(r))
        return false;
    (void)scan_eat(s, ";");
    return scan_expect(s, "}") && keep_results(r, &results);
}

/* Behind the name. */
static bool read_function(reader *r, ptir_function *f)
{
    ptir_scan *s = &r->s;
    r->f = f;
    r->names.n = 0;
    r->lost_names = false;
    if (r->by_name.cap > 1024) /* as large as an earlier function needed */
        hash_release(s->m->allocator, &r->by_name);
    else
        hash_clear(&r->by_name);
    f->stores_ids = true;
    r->where = (ptir_where){.m = s->m, .function = f->name, .is_region = !f->name};
    if (!f->name)
        r->where.function = arena_printf(s->memory, "%" PRIu64, f->region);
    const bool ok = read_parameters(r) && read_function_body(r);
    /* of what cannot be read, nobody knows where it ends */
    f->whole = (span){f->at.at, (uint32_t)((ok ? s->at : s->end) - s->m->source.text) - f->at.at};
    return ok;
}

static bool read_function_name(reader *r, ptir_function *f)
{
    ptir_scan *s = &r->s;
    ptir_word_text word;
    (void)scan_eat(s, "@");
    f->at = scan_here(s);
    if (scan_at(s, "\"")) {
        const bool ok = scan_string(s, &f->name);
        f->at.length = ok ? (uint32_t)(s->at - s->m->source.text) - f->at.at : f->at.length;
        return ok;
    }
    if (!scan_word(s, &word))
        return false;
    f->name = module_string(s->m, word.at, word.n);
    return f->name || scan_no_memory(s);
}

/* Read F, whose name was read, and keep it in TO, also when only a part of it can be read: editors
 * ask for its names. */
static bool keep_function(reader *r, ptir_function *f, ptir_functions *to)
{
    const bool ok = read_function(r, f);
    return (PTIR_PUSH(r->s.memory, to, *f) || scan_no_memory(&r->s)) && ok;
}

/* The text of a program in MLIR begins with `module` or `func.func`. */
static bool is_of_mlir(const ptir_scan *s)
{
    static const char *const words[] = {"func.func", "module ", "module{", "module@"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t n = strlen(words[i]);
        found = found || ((size_t)(s->end - s->at) >= n && memcmp(s->at, words[i], n) == 0);
    }
    return found;
}

static bool of_mlir(ptir_scan *s)
{
    const span at = scan_here(s);
    (void)scan_fail(s, DIAG_SyntaxError, at, "this is text of MLIR, and that of PTIR is expected");
    diag_fix(&s->m->cx->diag, at, NULL, "read it as the dialect stablehlo (a file .mlir)");
    return false;
}

static bool read_program(reader *r, ptir_program *out)
{
    ptir_scan *s = &r->s;
    *out = (ptir_program){0};
    for (scan_space(s); s->at < s->end; scan_space(s)) {
        ptir_function f = {0};
        bool is_entry = scan_eat_word(s, "entry");
        if (!is_entry && scan_eat_word(s, "region")) {
            (void)scan_eat(s, "@");
            f.at = scan_here(s);
            if (!scan_u64(s, &f.region) || !keep_function(r, &f, &out->regions))
                return false;
            continue;
        }
        if (!scan_eat_word(s, "func") && !scan_eat_word(s, "function"))
            return is_of_mlir(s)
                       ? of_mlir(s)
                       : scan_unexpected(s, out->functions.n ? "'func', 'entry func' or 'region'"
                                                             : "'func'");
        if (!read_function_name(r, &f))
            return false;
        if (is_entry || !out->entry) {
            out->entry = f.name;
            out->entry_at = f.at;
        }
        if (!keep_function(r, &f, &out->functions))
            return false;
    }
    if (out->functions.n == 0)
        return scan_unexpected(s, "'func'");
    return !s->failed;
}

tn_status ptir_text_read(module *m, arena *memory, ptir_program *out, uint32_t *faults)
{
    reader r = {.f = NULL};
    TN_TRY(scan_init(&r.s, m, memory));
    m->source.reading = &r.where;
    (void)read_program(&r, out);
    m->source.reading = NULL;
    out->region_uses = r.s.region_uses;
    VECTOR_RELEASE(m->allocator, &r.names);
    hash_release(m->allocator, &r.by_name);
    return scan_end(&r.s, faults);
}
