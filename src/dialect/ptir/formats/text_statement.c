/* Statements of the compact text form: an operation with its operands, its fields and its type. */
#include <inttypes.h>
#include <stdio.h>

#include "dialect/ptir/formats/text_parts.h"
#include "dialect/ptir/formats/text_reader.h"

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

static bool unknown_field(text_reader *r, const ptir_op_info *op, ptir_word_text name,
                          uint32_t seen)
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

static bool read_one_field(text_reader *r, const ptir_op_info *op, ptir_word_text name,
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

static bool read_fields(text_reader *r, const ptir_op_info *op, found_fields *found)
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

static bool keep_fields(text_reader *r, found_fields *found, ptir_inst *out, int kind)
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

static bool read_constant(text_reader *r, const found_fields *found, ptir_inst *out)
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

static bool end_line(text_reader *r)
{
    scan_blank(&r->s);
    if (*r->s.at == '\n' || *r->s.at == '}' || r->s.at >= r->s.end)
        return true;
    return scan_unexpected(&r->s, "the end of the line");
}

/* Skip to the type of a statement whose operation is not known: behind the last arrow of its line
 * that is in no text and no comment. */
static bool skip_unknown(text_reader *r)
{
    ptir_scan *s = &r->s;
    const char *arrow = NULL;
    bool in_text = false;
    for (const char *p = s->at; p < s->end && *p != '\n'; p++) {
        if (!in_text && scan_comment_end(s, p) > p)
            break;
        in_text = in_text != (*p == '"');
        if (in_text && *p == '\\')
            p++;
        else if (!in_text && p[0] == '-' && p[1] == '>')
            arrow = p;
    }
    if (!arrow)
        return scan_unexpected(s, "'->'");
    s->at = arrow;
    return true;
}

static void unknown_op(text_reader *r, ptir_word_text word)
{
    suggestion like;
    suggest_begin(&like, word.at, word.n);
    ptir_suggest_op(&like, true);
    scan_fault(&r->s, DIAG_UnknownOp, word.where, "there is no operation '%.*s'",
               word.n > 60 ? 60 : (int)word.n, word.at);
    suggest_fix(&like, &r->s.m->cx->diag, word.where, "");
}

bool text_read_statement(text_reader *r)
{
    ptir_scan *s = &r->s;
    ptir_inst inst = {.id = r->names.n};
    ptir_word_text word;
    found_fields found = {.seen = 0};
    text_name name;
    int kind = -1;
    if (!text_read_name(r, &name) || !scan_expect(s, "=") ||
        !scan_word_for(s, "the name of an operation", &word))
        return false;
    inst.id_at = name.at;
    inst.name = name.name;
    inst.at = word.where;
    r->where.index = r->f->body.n;
    r->where.inst = &inst;
    if (find_op(word, &inst, &kind)) {
        if (!text_read_operands(r, &inst))
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
    if (!text_add_name(r, name.key, name.at))
        return false;
    r->where.inst = NULL;
    return PTIR_PUSH(s->memory, &r->f->body, inst) || scan_no_memory(s);
}
