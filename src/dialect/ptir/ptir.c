/* The three dialects of PTIR: one model, one graph mapping, three forms. */
#include "dialect/ptir/ptir.h"

#include <inttypes.h>

#include "dialect/ptir/codes.h"
#include "dialect/ptir/formats/formats.h"
#include "dialect/ptir/legal.h"
#include "dialect/ptir/lower.h"
#include "dialect/ptir/names.h"
#include "dialect/ptir/raise.h"

typedef tn_status form_read(module *m, arena *memory, ptir_program *out, uint32_t *faults);

static tn_status read_form(module *m, form_read *form)
{
    arena memory;
    ptir_program program;
    uint32_t faults = 0;
    m->source.restate = ptir_restate;
    m->source.says_operands = true;
    arena_init(&memory, m->allocator);
    program = (ptir_program){0};
    tn_status s = form(m, &memory, &program, &faults);
    const tn_status noted = ptir_note_names(m, &program, &memory);
    s = noted == TN_OK ? s : noted;
    if (s == TN_OK)
        s = ptir_lower(m, &program, &memory, faults);
    arena_release(&memory);
    return s;
}

static bool is_style(const write_options *options, const char *name)
{
    return options && options->style && strcmp(options->style, name) == 0;
}

typedef tn_status form_write(const module *m, const ptir_program *p, text_buffer *out);

/* The forms that carry bytes as they are: JSON and bincode. */
static tn_status write_form(const module *m, const write_options *options, form_write *form,
                            text_buffer *out)
{
    raise_options raise = {.exchange = is_style(options, "exchange"),
                           .comments = options && options->comments};
    ptir_program program;
    arena memory;
    arena_init(&memory, m->allocator);
    tn_status s = ptir_raise(m, &raise, &memory, &program);
    if (s == TN_OK)
        s = form(m, &program, out);
    arena_release(&memory);
    return s;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static tn_status json_read(module *m, const read_options *options)
{
    (void)options;
    return read_form(m, ptir_json_read);
}

static tn_status json_write(const module *m, const write_options *options, text_buffer *out)
{
    return write_form(m, options, ptir_json_write, out);
}

/* Does WORD, quoted, stand in the first part of an object? */
static bool json_looks_like(const char *text, size_t length)
{
    static const char *const words[] = {"\"spec_version\"", "\"functions\"", "\"regions\""};
    enum { FIRST = 1 << 16 };
    size_t n = length < FIRST ? length : FIRST, from = 0;
    while (from < n &&
           (text[from] == ' ' || text[from] == '\n' || text[from] == '\t' || text[from] == '\r'))
        from++;
    if (from == n || text[from] != '{')
        return false;
    for (size_t w = 0; w < sizeof words / sizeof words[0]; w++) {
        size_t k = strlen(words[w]);
        for (size_t i = from; i + k <= n; i++)
            if (text[i] == '"' && memcmp(text + i, words[w], k) == 0)
                return true;
    }
    return false;
}

static const char *json_spelling(op_id op)
{
    return op == OP_INPUT ? "parameter" : ptir_spelling(op);
}

bool ptir_field_at(op_id op, uint32_t index, dialect_field *out)
{
    uint32_t word;
    const ptir_op found = ptir_op_of(op, &word);
    if (found == PTIR_OP_COUNT || index >= ptir_ops[found].n_fields)
        return false;
    const ptir_field *f = &ptir_ops[found].fields[index];
    const bool selects_op = found == PTIR_REDUCE && f->key == KEY_COMBINE;
    *out = (dialect_field){f->name, ptir_kind_text(f->kind),
                           selects_op ? NULL : attr_keys[f->key].name, f->words, f->optional};
    return true;
}

const dialect dialect_ptir = {
    .name = "ptir",
    .extensions = ".ptir.json",
    .styles = "canonical exchange",
    .read = json_read,
    .write = json_write,
    .code_of = ptir_code_of,
    .looks_like = json_looks_like,
    .spelling = json_spelling,
    .field_at = ptir_field_at,
    .can = &ptir_expressible,
};

/* ---- compact text, and the dump ------------------------------------------------------------ */

static bool starts_with(const char *text, size_t length, const char *word)
{
    size_t n = strlen(word), i = 0;
    for (;;) { /* behind space and comments */
        while (i < length &&
               (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r'))
            i++;
        if (i + 1 >= length || text[i] != '/' || text[i + 1] != '/')
            break;
        while (i < length && text[i] != '\n')
            i++;
    }
    return length - i > n && memcmp(text + i, word, n) == 0 &&
           (text[i + n] == ' ' || text[i + n] == '\t' || text[i + n] == '\n');
}

static tn_status text_read(module *m, const read_options *options)
{
    (void)options;
    const size_t mark = source_mark_length(m->source.text, m->source.length);
    bool is_dump = starts_with(m->source.text + mark, m->source.length - mark, "program");
    return read_form(m, is_dump ? ptir_dump_read : ptir_text_read);
}

static tn_status text_write(const module *m, const write_options *options, text_buffer *out)
{
    raise_options raise = {.any_result = true, .comments = options && options->comments};
    ptir_program program;
    arena memory;
    arena_init(&memory, m->allocator);
    tn_status s = ptir_raise(m, &raise, &memory, &program);
    if (s == TN_OK)
        s = ptir_text_write(m, &program, is_style(options, "compat"), out);
    arena_release(&memory);
    return s;
}

static bool text_looks_like(const char *text, size_t length)
{
    return starts_with(text, length, "func") || starts_with(text, length, "function") ||
           starts_with(text, length, "entry") || starts_with(text, length, "region") ||
           starts_with(text, length, "program");
}

static const char *text_spelling(op_id op)
{
    static const char *const names[OP_COUNT] = {
        [OP_BROADCAST] = "broadcast_to", [OP_SUM] = "reduce_sum", [OP_INPUT] = "parameter"};
    uint32_t word;
    if (names[op])
        return names[op];
    return ptir_op_of(op, &word) == PTIR_OP_COUNT ? NULL : op_table[op].text;
}

/* The kind of a reduction is part of its name here. */
static bool text_field_at(op_id op, uint32_t index, dialect_field *out)
{
    uint32_t word;
    const ptir_op found = ptir_op_of(op, &word);
    index += found == PTIR_REDUCE;
    if (!ptir_field_at(op, index, out))
        return false;
    out->optional = ptir_text_may_omit(found, &ptir_ops[found].fields[index]);
    return true;
}

const dialect dialect_ptir_text = {
    .name = "ptir-text",
    .extensions = ".ptir",
    .styles = "canonical compat",
    .read = text_read,
    .write = text_write,
    .code_of = ptir_code_of,
    .looks_like = text_looks_like,
    .spelling = text_spelling,
    .field_at = text_field_at,
    .can = &ptir_expressible,
};

/* ---- bincode ------------------------------------------------------------------------------- */

static tn_status bincode_read(module *m, const read_options *options)
{
    (void)options;
    return read_form(m, ptir_bincode_read);
}

static tn_status bincode_write(const module *m, const write_options *options, text_buffer *out)
{
    if (options && (options->comments || options->map))
        return diag_report(&m->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                           "the binary form of PTIR has no place for comments and maps");
    return write_form(m, options, ptir_bincode_write, out);
}

/* The length of the version, and the version. */
static bool bincode_looks_like(const char *text, size_t length)
{
    static const char start[] = {sizeof PTIR_VERSION - 1, 0, 0, 0, 0, 0, 0, 0};
    return length > sizeof start + sizeof PTIR_VERSION && memcmp(text, start, sizeof start) == 0 &&
           memcmp(text + sizeof start, PTIR_VERSION, sizeof PTIR_VERSION - 1) == 0;
}

const dialect dialect_ptir_bincode = {
    .name = "ptir-bincode",
    .extensions = ".bincode",
    .styles = "canonical exchange",
    .read = bincode_read,
    .write = bincode_write,
    .code_of = ptir_code_of,
    .looks_like = bincode_looks_like,
    .spelling = json_spelling,
    .field_at = ptir_field_at,
    .can = &ptir_expressible,
};

/* ---- names of compiled programs ------------------------------------------------------------ */

/* Functions are called by their numbers; values and regions are numbered in order already. */
static tn_status drop_names(arena *memory, ptir_program *p)
{
    const char *entry = p->entry;
    for (uint32_t i = 0; i < p->functions.n; i++) {
        ptir_function *f = &p->functions.at[i];
        const bool is_entry = f->name == entry;
        f->name = arena_printf(memory, "f%" PRIu32, i);
        if (!f->name)
            return TN_ERR_NOMEM;
        if (is_entry)
            p->entry = f->name;
    }
    return TN_OK;
}

static tn_status hash_program(const module *m, bool named, uint64_t *hash)
{
    const raise_options raise = {0};
    ptir_program program;
    arena memory;
    text_buffer bytes;
    text_init(&bytes, m->allocator);
    arena_init(&memory, m->allocator);
    tn_status s = ptir_raise(m, &raise, &memory, &program);
    if (s == TN_OK && !named && drop_names(&memory, &program) != TN_OK)
        s = module_no_memory(m);
    if (s == TN_OK)
        s = ptir_bincode_write(m, &program, &bytes);
    if (s == TN_OK && bytes.failed)
        s = module_no_memory(m);
    *hash = 0xcbf29ce484222325U;
    for (size_t i = 0; s == TN_OK && i < bytes.n; i++)
        *hash = (*hash ^ (unsigned char)bytes.at[i]) * 0x100000001b3U;
    arena_release(&memory);
    text_release(&bytes);
    return s;
}

tn_status ptir_program_hash(const module *m, uint64_t *hash)
{
    return hash_program(m, true, hash);
}

tn_status ptir_canonical_hash(const module *m, uint64_t *hash)
{
    return hash_program(m, false, hash);
}

tn_status ptir_entry_symbol(const module *m, const char *name, text_buffer *out)
{
    uint64_t hash;
    const char *p = name ? name : module_entry(m)->name;
    TN_TRY(ptir_program_hash(m, &hash));
    if (*p >= '0' && *p <= '9')
        text_putc(out, '_');
    if (!*p)
        text_puts(out, "entry");
    for (; *p; p++) {
        bool plain =
            (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9');
        if (((unsigned char)*p & 0xc0U) != 0x80U) /* one underscore for a character */
            text_putc(out, plain ? *p : '_');
    }
    text_printf(out, "__%016" PRIx64, hash);
    return TN_OK;
}
