/* Core IR text to graph: the module and its lines. One pass, without tokens in memory; places are
 * byte offsets. */
#include <inttypes.h>
#include <stdio.h>

#include "base/text/utf8.h"
#include "dialect/mind/mind.h"
#include "dialect/mind/reader.h"

/* ---- instructions -------------------------------------------------------------------------- */

void set_opcode(reader *r, instr *in, span opcode)
{
    const char *text = span_text(r, opcode);
    text_ends e = ends_of(text, opcode.length);
    opcode_cache *known = &r->opcodes[hash_mix(e.first, e.last) % N_CACHED];
    if (known->first == e.first && known->last == e.last && known->length == e.length) {
        in->how = known->how;
    } else {
        in->how = spelling_find(text, opcode.length);
        if (in->how)
            *known = (opcode_cache){e.first, e.last, e.length, in->how};
    }
    in->op = in->how ? in->how->op : OP_COUNT;
    in->opcode = in->at = opcode;
    in->n_operands = in->n_arguments = in->given = 0;
    in->maybe_ranges = false;
    in->fault.issue = NULL;
    in->braces = (span){0, 0};
    in->attrs = NULL;
    r->ints.n = 0;
}

static tn_status read_arguments(reader *r, instr *in)
{
    r->at++;
    while (!accept(r, ')')) {
        TN_TRY(read_argument(r, in));
        if (peek_token(r) != ')' && !accept(r, ','))
            return syntax_error(r, "',' or ')'");
    }
    return TN_OK;
}

/* Attributes that were read before, by their text. */
static bool recall_attributes(reader *r, instr *in)
{
    size_t left = (size_t)(r->end - r->at);
    if (!in->how || in->n_arguments || in->op == OP_INPUT || in->op == OP_CONSTANT)
        return false;
    const char *close = memchr(r->at, '}', left < ATTRS_CACHED_LENGTH ? left : ATTRS_CACHED_LENGTH);
    if (!close)
        return false;
    span braces = {offset_of(r, r->at), (uint32_t)(close + 1 - r->at)};
    const attr_cache *known = attr_cache_at(r, in->how, braces);
    if (known->how != in->how || known->length != braces.length ||
        memcmp(r->text + known->at, r->at, braces.length) != 0)
        return false;
    in->op = known->op;
    in->attrs = known->attrs;
    r->at = close + 1;
    return true;
}

static tn_status read_attributes(reader *r, instr *in)
{
    const char *begin = r->at;
    if (recall_attributes(r, in))
        return TN_OK;
    r->at++;
    while (!accept(r, '}')) {
        TN_TRY(read_attribute(r, in));
        if (peek_token(r) != '}' && !accept(r, ','))
            return syntax_error(r, "',' or '}'");
    }
    in->braces = span_from(r, begin);
    return TN_OK;
}

/* The operator of a BinOp is known once its slot is. */
static void choose_operator(instr *in)
{
    if (in->how && in->how->op == OP_COUNT && !in->attrs && (in->given & 1U))
        in->op = (op_id)in->slots[0].number;
}

static tn_status end_of_line(reader *r, const char *expected)
{
    skip_space(r);
    return at_line_end(r) ? TN_OK : syntax_error(r, expected);
}

static tn_status read_alias(reader *r, const text_id *id)
{
    text_id other;
    TN_TRY(read_id(r, &other));
    TN_TRY(end_of_line(r, "the end of the line"));
    const id_entry *e = use_id(r, &other);
    if (!e)
        return report_undefined(r, id, &other);
    return define_id(r, id, e->value);
}

static tn_status read_instr(reader *r, instr *in)
{
    span word;
    skip_space(r);
    const char *begin = r->at;
    if (!read_word(r, &word))
        return syntax_error(r, "an opcode or a value");
    set_opcode(r, in, word);
    if (peek_token(r) == '(') {
        TN_TRY(read_arguments(r, in));
        in->at = span_from(r, begin);
    }
    if (peek_token(r) == '{') {
        TN_TRY(read_attributes(r, in));
        in->at = span_from(r, begin);
    }
    choose_operator(in);
    TN_TRY(expect(r, ':', in->at.length == word.length ? "'(', '{' or ':'" : "':' and a type"));
    skip_space(r);
    TN_TRY(read_type(r, in));
    TN_TRY(end_of_line(r, "the end of the line"));
    return finish_instr(r, in);
}

/* Were there too many errors, or was memory refused, which every line would tell again? */
static bool has_ended(const reader *r)
{
    const diag_channel *d = &r->m->cx->diag;
    return d->refused_with != TN_OK || d->n_errors - r->errors_before >= r->m->cx->limits.errors;
}

static tn_status read_definition(reader *r)
{
    instr in;
    TN_TRY(read_id(r, &in.id));
    r->last_id = in.id.at;
    in.type = NULL;
    tn_status s = expect(r, '=', "'='");
    if (s == TN_OK)
        s = at_id(r) ? read_alias(r, &in.id) : read_instr(r, &in);
    if (s == TN_ERR_REJECTED && !r->stop && !has_ended(r)) {
        tn_status defined = stand_in(r, &in);
        return defined == TN_OK ? s : defined;
    }
    return s;
}

/* ---- outputs and gradients ----------------------------------------------------------------- */

/* `outputs` and `gradients` stand once; LINE is where. */
static tn_status begin_list(reader *r, span word, span *line)
{
    if (line->at != NO_SPAN.at) {
        tn_status s = diag_report(&r->m->cx->diag, DIAG_SyntaxError, &r->m->source, word,
                                  "found a second '%.*s', expected one", (int)word.length,
                                  span_text(r, word));
        diag_note(&r->m->cx->diag, &r->m->source, *line, "the first is here");
        return s;
    }
    *line = word;
    return expect(r, ':', "':'");
}

static tn_status push_id(reader *r, const text_id *id, bool is_output)
{
    const tn_allocator *a = r->m->allocator;
    bool done = is_output ? VECTOR_PUSH(a, &r->outputs, *id) : VECTOR_PUSH(a, &r->gradients, *id);
    return done ? TN_OK : module_no_memory(r->m);
}

static tn_status read_outputs(reader *r, span word)
{
    text_id id;
    TN_TRY(begin_list(r, word, &r->outputs_line));
    do {
        TN_TRY(read_id(r, &id));
        TN_TRY(push_id(r, &id, true));
    } while (accept(r, ',') && at_id(r));
    return end_of_line(r, "',' or the end of the line");
}

static tn_status read_gradients(reader *r, span word)
{
    text_id primal, gradient;
    TN_TRY(begin_list(r, word, &r->gradients_line));
    do {
        TN_TRY(read_id(r, &primal));
        if (!accept(r, '-') || peek(r) != '>') {
            r->at -= peek(r) != '>' && r->at > r->text && r->at[-1] == '-';
            return syntax_error(r, "'->'");
        }
        r->at++;
        TN_TRY(read_id(r, &gradient));
        TN_TRY(push_id(r, &primal, false));
        TN_TRY(push_id(r, &gradient, false));
    } while (accept(r, ',') && at_id(r));
    return end_of_line(r, "',' or the end of the line");
}

/* ---- lines --------------------------------------------------------------------------------- */

static tn_status read_line(reader *r)
{
    span word;
    if (at_id(r))
        return read_definition(r);
    if (at_line_end(r))
        return TN_OK;
    const char *begin = r->at;
    if (read_word(r, &word)) {
        if (span_is(r, word, "outputs"))
            return read_outputs(r, word);
        if (span_is(r, word, "gradients"))
            return read_gradients(r, word);
        r->at = begin;
    }
    return syntax_error(r, "an instruction, 'outputs:' or 'gradients:'");
}

/* Make room for about as many instructions as the beginning of a long text promises. Without the
 * memory the arrays grow as they are needed. */
static void make_room(reader *r)
{
    enum { SAMPLE = 1 << 16, SHORTEST_LINE = 24 };
    uint64_t length = (uint64_t)(r->end - r->at), lines = 0;
    if (length < SAMPLE)
        return;
    for (const char *p = r->at; (p = memchr(p, '\n', (size_t)(r->at + SAMPLE - p))) != NULL; p++)
        lines++;
    uint64_t n = lines * (length / SAMPLE + 1);
    n += n / 32;
    if (n > length / SHORTEST_LINE)
        n = length / SHORTEST_LINE;
    (void)(VECTOR_RESERVE(r->m->allocator, &r->f->nodes, n) &&
           VECTOR_RESERVE(r->m->allocator, &r->f->values, n) &&
           VECTOR_RESERVE(r->m->allocator, &r->ids.near, n));
}

static tn_status read_lines(reader *r)
{
    make_room(r);
    while (r->at < r->end) {
        char first = peek_token(r);
        r->is_torn = false;
        tn_status s = read_line(r);
        if (s != TN_OK && (s != TN_ERR_REJECTED || r->stop || has_ended(r)))
            return s;
        /* A misspelt `outputs` line is one fault, not two. */
        r->may_hide_outputs |= r->is_torn && first != '%';
        if (r->at < r->end && *r->at == '\n') {
            r->at++;
            continue;
        }
        const char *line_end = memchr(r->at, '\n', (size_t)(r->end - r->at));
        r->at = line_end ? line_end + 1 : r->end;
    }
    return TN_OK;
}

/* ---- the module ---------------------------------------------------------------------------- */

/* The value of an id of a list at the end; a value that does not exist is E4003. */
static tn_status resolve(reader *r, const text_id *id, const char *list, uint32_t index,
                         value_id *v)
{
    const id_entry *e = use_id(r, id);
    if (e) {
        *v = e->value;
        return TN_OK;
    }
    return reject(r, NULL, DIAG_UndefinedOutput, id->at,
                  "%s %" PRIu32 " is '%s%.*s', which is not defined", list, index,
                  r->is_json ? "%" : "", id->at.length < 100 ? (int)id->at.length : 100,
                  span_text(r, id->at));
}

static tn_status missing_outputs(reader *r)
{
    bool has_line_end = r->end > r->text && r->end[-1] == '\n';
    char line[160];
    int n = r->last_id.length < 100 ? (int)r->last_id.length : 100;
    tn_status s = reject(r, NULL, DIAG_MissingOutputs, r->last_id,
                         "the module has no outputs: it must say which values it computes");
    if (r->last_id.length && !r->is_json) {
        (void)snprintf(line, sizeof line, "%soutputs: %.*s\n", has_line_end ? "" : "\n", n,
                       span_text(r, r->last_id));
        diag_fix(&r->m->cx->diag, (span){(uint32_t)r->m->source.length, 0}, line,
                 "add the line 'outputs: %.*s'", n, span_text(r, r->last_id));
    }
    return s;
}

static tn_status finish_module(reader *r)
{
    module *m = r->m;
    value_id v = 0;
    if (r->outputs_line.at == NO_SPAN.at && !r->may_hide_outputs && !has_ended(r))
        (void)missing_outputs(r);
    for (uint32_t i = 0; i < r->outputs.n && !has_ended(r); i++)
        if (resolve(r, &r->outputs.at[i], "output", i, &v) == TN_OK)
            TN_TRY(function_add_output(r->f, v));
    for (uint32_t i = 0; i < r->gradients.n && !has_ended(r); i++)
        if (resolve(r, &r->gradients.at[i], "gradient", i / 2, &v) == TN_OK &&
            !VECTOR_PUSH(m->allocator, &m->gradients, v))
            return module_no_memory(m);
    return m->cx->diag.n_errors == r->errors_before ? TN_OK : TN_ERR_REJECTED;
}

/* Ill-formed UTF-8 anywhere spoils the whole text. */
static tn_status check_utf8(const module *m)
{
    const source *s = &m->source;
    size_t at = utf8_invalid_at(s->text, s->length);
    char hex[16] = "";
    if (at == s->length)
        return TN_OK;
    for (size_t i = 0; i < 4 && at + i < s->length; i++)
        (void)snprintf(hex + 3 * i, sizeof hex - 3 * i,
                       i + 1 < 4 && at + i + 1 < s->length ? "%02x " : "%02x",
                       (unsigned)(unsigned char)s->text[at + i]);
    const bool is_utf16 =
        at == 0 && s->length >= 2 &&
        (memcmp(s->text, "\xff\xfe", 2) == 0 || memcmp(s->text, "\xfe\xff", 2) == 0);
    return diag_report(&m->cx->diag, DIAG_InvalidUtf8, s, (span){(uint32_t)at, 1},
                       "invalid UTF-8 at byte %zu: %s%s", at, hex,
                       is_utf16 ? ": the text is UTF-16, and read is UTF-8" : "");
}

static tn_status read_text(reader *r)
{
    r->at += source_mark_length(r->at, (size_t)(r->end - r->at));
    const char *begin = r->at;
    r->is_json = true; /* to skip line ends */
    char first = peek_token(r);
    r->is_json = first == '{' || first == '[';
    if (!r->is_json)
        r->at = begin;
    TN_TRY(r->is_json ? read_records(r) : read_lines(r));
    return finish_module(r);
}

tn_status mind_read(module *m, const read_options *options)
{
    m->source.restate = mind_restate;
    TN_TRY(check_utf8(m));
    uint32_t nesting = m->cx->limits.nesting;
    reader r = {
        .text = m->source.text,
        .at = m->source.text,
        .end = m->source.text + m->source.length,
        .max_depth = nesting < MAX_DEPTH ? nesting : MAX_DEPTH,
        .errors_before = m->cx->diag.n_errors,
        .m = m,
        .f = module_add_function(m, "main", 4),
        .options = options,
        .outputs_line = NO_SPAN,
        .gradients_line = NO_SPAN,
    };
    if (!r.f)
        return module_no_memory(m);
    ids_init(&r.ids, m->allocator, r.text);
    text_init(&r.string, m->allocator);

    tn_status s = read_text(&r);

    ids_release(&r.ids);
    text_release(&r.string);
    hash_release(m->allocator, &r.input_names);
    VECTOR_RELEASE(m->allocator, &r.ints);
    VECTOR_RELEASE(m->allocator, &r.outputs);
    VECTOR_RELEASE(m->allocator, &r.gradients);
    return s;
}
