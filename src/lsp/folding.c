/* What can be folded away: brackets of several lines, and comments of several lines. */
#include "lsp/answers.h"

typedef struct fold_scan {
    const document *d;
    text_buffer *out;
    VECTOR(uint32_t) open; /* lines of brackets that are not closed so far */
    uint32_t comment;      /* the first line of the comments up to here */
    uint32_t n_comments;   /* lines of them */
    uint32_t first, last;  /* of the fold that was put last */
    bool any, failed;
} fold_scan;

static void put_fold(fold_scan *f, uint32_t first, uint32_t last, bool is_comment)
{
    if (last <= first || (f->any && first == f->first && last == f->last))
        return;
    text_printf(f->out, "%s{\"startLine\":%u,\"endLine\":%u%s}", f->any ? "," : "", (unsigned)first,
                (unsigned)last, is_comment ? ",\"kind\":\"comment\"" : "");
    f->any = true;
    f->first = first;
    f->last = last;
}

static void end_comments(fold_scan *f)
{
    if (f->n_comments > 1)
        put_fold(f, f->comment, f->comment + f->n_comments - 1, true);
    f->n_comments = 0;
}

/* One line from AT to END, without its end. */
static void scan_line(fold_scan *f, uint32_t line, const char *at, const char *end, bool is_core)
{
    bool in_string = false, is_first = true;
    for (; at < end; at++) {
        const char c = *at;
        const bool comments = is_core ? c == '#' : c == '/' && at + 1 < end && at[1] == '/';
        if (c == ' ' || c == '\t')
            continue;
        if (!in_string && comments) {
            if (is_first) {
                f->comment = f->n_comments ? f->comment : line;
                f->n_comments++;
                return;
            }
            break;
        }
        is_first = false;
        if (in_string && c == '\\')
            at++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '{' || c == '[' || c == '('))
            f->failed = f->failed || !VECTOR_PUSH(f->d->allocator, &f->open, line);
        else if (!in_string && (c == '}' || c == ']' || c == ')') && f->open.n)
            put_fold(f, f->open.at[--f->open.n], line ? line - 1 : 0, false);
    }
    end_comments(f);
}

bool answer_folds(const document *d, text_buffer *out)
{
    const char *dialect = document_dialect(d);
    fold_scan f = {.d = d, .out = out};
    text_putc(out, '[');
    for (uint32_t line = 0; line < d->lines.n; line++) {
        const size_t end = line + 1 < d->lines.n ? d->lines.at[line + 1] : d->n;
        size_t last = end;
        while (last > d->lines.at[line] && (d->text[last - 1] == '\n' || d->text[last - 1] == '\r'))
            last--;
        scan_line(&f, line, d->text + d->lines.at[line], d->text + last,
                  dialect && strcmp(dialect, "mind") == 0);
    }
    end_comments(&f);
    text_putc(out, ']');
    VECTOR_RELEASE(d->allocator, &f.open);
    return !f.failed && !out->failed;
}
