/* The dialect as a whole: reading a file, and recognising one. */
#include "dialect/mind_source/mind_source.h"

#include <string.h>

#include "dialect/mind_codes.h"
#include "dialect/mind_source/lower.h"
#include "dialect/reword.h"

void surface_report(surface *s, diag_kind kind, span at, const char *format, ...)
{
    va_list args;
    if (surface_stopped(s)) {
        diag_flush(&s->m->cx->diag); /* nothing adds to the last report now */
        return;
    }
    va_start(args, format);
    (void)diag_vreport(&s->m->cx->diag, kind, &s->m->source, at, format, args);
    va_end(args);
    if (surface_errors(s) >= s->m->cx->limits.errors)
        s->status = TN_ERR_REJECTED;
}

void surface_no_memory(surface *s)
{
    if (!surface_stopped(s))
        s->status = module_no_memory(s->m);
}

/* As source.restate: what type rules say, in the words of the language. */
static void restate(const source *src, int kind, const char *op, tn_diagnostic *d, arena *memory)
{
    static const char *const words[][2] = {
        {"si32", "i32"}, {"si64", "i64"}, {"'take'", "'gather'"}};
    (void)src;
    for (size_t i = 0; *op && i < sizeof words / sizeof words[0]; i++)
        d->message = reword(memory, d->message, words[i][0], words[i][1]);
    mind_entitle(kind, d, memory);
}

tn_status mind_source_read(module *m, const read_options *options)
{
    surface s = {.m = m, .options = options, .errors_before = m->cx->diag.n_errors};
    m->source.restate = restate;
    arena_init(&s.memory, m->allocator);
    surface_scan(&s);
    tree *t = surface_stopped(&s) ? NULL : surface_parse(&s);
    if (t && !surface_stopped(&s))
        lowering_tree(&s, t);
    VECTOR_RELEASE(m->allocator, &s.tokens);
    arena_release(&s.memory);
    if (s.status != TN_OK)
        return s.status;
    return surface_errors(&s) ? TN_ERR_REJECTED : TN_OK;
}

enum { LOOK_AT = 4096 }; /* bytes that decide what a text is */

/* The first word that is not a comment is a keyword of the language. */
static bool looks_like(const char *text, size_t length)
{
    static const char *const words[] = {"fn ", "let ", "import ", "export "};
    size_t at = 0, n = length < LOOK_AT ? length : LOOK_AT;
    while (at < n && (strchr(" \t\r\n", text[at]) ||
                      (text[at] == '/' && text[at + 1 < n ? at + 1 : at] == '/'))) {
        if (text[at] == '/')
            while (at + 1 < n && text[at + 1] != '\n')
                at++;
        at++;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (n - at > strlen(words[i]) && memcmp(text + at, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

static const char *spelling(op_id op)
{
    static const char *const names[OP_COUNT] = {[OP_ADD] = "+",
                                                [OP_SUB] = "-",
                                                [OP_MUL] = "*",
                                                [OP_DIV] = "/",
                                                [OP_SUM] = "sum",
                                                [OP_MEAN] = "mean",
                                                [OP_RESHAPE] = "reshape",
                                                [OP_TRANSPOSE] = "transpose",
                                                [OP_EXPAND_DIMS] = "expand_dims",
                                                [OP_SQUEEZE] = "squeeze",
                                                [OP_INDEX] = "index",
                                                [OP_SLICE] = "slice",
                                                [OP_TAKE] = "gather",
                                                [OP_DOT] = "dot",
                                                [OP_MATMUL] = "matmul",
                                                [OP_CONV2D] = "conv2d",
                                                [OP_RELU] = "relu",
                                                [OP_NEG] = "neg",
                                                [OP_EXP] = "exp",
                                                [OP_LOG] = "log",
                                                [OP_INPUT] = "a parameter",
                                                [OP_CONSTANT] = "a literal"};
    return op < OP_COUNT ? names[op] : NULL;
}

const dialect dialect_mind_source = {
    .name = "mind-source",
    .extensions = ".mind",
    .styles = "",
    .read = mind_source_read,
    .lowers_to = "mind",
    .code_of = mind_code_of,
    .looks_like = looks_like,
    .spelling = spelling,
};
