/* The three dialects of PTIR: one model, one graph mapping, three forms. */
#include "dialect/ptir/ptir.h"

#include <inttypes.h>

#include "dialect/ptir/codes.h"
#include "dialect/ptir/forms.h"
#include "dialect/ptir/lower.h"
#include "dialect/ptir/raise.h"

typedef tn_status form_read(module *m, arena *memory, ptir_program *out, uint32_t *faults);

static tn_status read_form(module *m, form_read *form)
{
    arena memory;
    ptir_program program;
    uint32_t faults = 0;
    m->source.restate = ptir_restate;
    arena_init(&memory, m->allocator);
    tn_status s = form(m, &memory, &program, &faults);
    if (s == TN_OK)
        s = ptir_lower(m, &program, &memory, faults);
    arena_release(&memory);
    return s;
}

static bool is_style(const write_options *options, const char *name)
{
    return options && options->style && strcmp(options->style, name) == 0;
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static tn_status json_read(module *m, const read_options *options)
{
    (void)options;
    return read_form(m, ptir_json_read);
}

static tn_status json_write(const module *m, const write_options *options, text_buffer *out)
{
    raise_options raise = {.exchange = is_style(options, "exchange")};
    ptir_program program;
    arena memory;
    arena_init(&memory, m->allocator);
    tn_status s = ptir_raise(m, &raise, &memory, &program);
    if (s == TN_OK)
        s = ptir_json_write(m, &program, out);
    arena_release(&memory);
    return s;
}

/* Does WORD, quoted, stand in the first part of an object? */
static bool json_looks_like(const char *text, size_t length)
{
    static const char *const words[] = {"\"spec_version\"", "\"functions\"", "\"regions\""};
    enum { FIRST = 1 << 16 };
    size_t n = length < FIRST ? length : FIRST, from = 0;
    while (from < n && (text[from] == ' ' || text[from] == '\n' || text[from] == '\t' ||
                        text[from] == '\r'))
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
    static const char *const unary[] = {
        "ElementwiseUnary(Neg)",  "ElementwiseUnary(Abs)", "ElementwiseUnary(Exp)",
        "ElementwiseUnary(Log)",  "ElementwiseUnary(Tanh)", "ElementwiseUnary(Erf)",
        "ElementwiseUnary(Rsqrt)", "ElementwiseUnary(Reciprocal)"};
    static const char *const binary[] = {
        "ElementwiseBinary(Add)", "ElementwiseBinary(Sub)",     "ElementwiseBinary(Mul)",
        "ElementwiseBinary(Div)", "ElementwiseBinary(Maximum)", "ElementwiseBinary(Minimum)"};
    static const char *const reduce[] = {"Reduce(Sum)", "Reduce(Max)", "Reduce(Min)"};
    uint32_t word;
    ptir_op found = ptir_op_of(op, &word);
    if (op == OP_INPUT)
        return "parameter";
    return found == PTIR_OP_COUNT ? NULL
           : found == PTIR_UNARY  ? unary[word]
           : found == PTIR_BINARY ? binary[word]
           : found == PTIR_REDUCE ? reduce[word]
                                  : ptir_ops[found].name;
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
};
