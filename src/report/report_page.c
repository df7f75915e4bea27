/* The page of a report: one file of HTML with its style, its script and its data. */
#include <inttypes.h>

#include "report/report.h"

/* Rows of the table for browsers without scripts. */
enum { MOST_ROWS = 500 };

/* TEXT as text of HTML, wherever it stands. */
static void put_escaped(text_buffer *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<':
            text_puts(out, "&lt;");
            break;
        case '>':
            text_puts(out, "&gt;");
            break;
        case '&':
            text_puts(out, "&amp;");
            break;
        case '"':
            text_puts(out, "&quot;");
            break;
        default:
            text_putc(out, *text);
        }
}

/* What stands for the character that ends at TEXT[END - 1] where scripts are, and its N bytes
 * there; NULL: it may stand there itself. */
static const char *escape_of(const char *text, size_t end, size_t *n)
{
    const char *at = text + end - 1;
    *n = 1;
    if (*at == '<')
        return "\\u003c";
    if ((*at & ~1) != '\xa8' || end < 3 || memcmp(at - 2, "\xe2\x80", 2) != 0)
        return NULL;
    *n = 3;
    return *at & 1 ? "\\u2029" : "\\u2028";
}

/* The data from START on become what may stand where scripts stand: nothing in them ends the
 * element, and they are text of one line in any language that reads them. A '<' of JSON is always
 * part of a string. In place, from the end on: they are the largest part of a page. */
static void escape_data(text_buffer *out, size_t start)
{
    enum { ESCAPED = 6 };
    const size_t length = out->failed ? 0 : out->n - start;
    size_t more = 0, n = 1;
    for (size_t end = length; end > 0; end -= n)
        if (escape_of(out->at + start, end, &n))
            more += ESCAPED - n;
    if (more == 0 || !text_reserve(out, more))
        return;
    char *text = out->at + start, *to = text + length + more;
    for (size_t end = length; end > 0; end -= n) {
        const char *escaped = escape_of(text, end, &n);
        to -= escaped ? ESCAPED : 1;
        if (escaped)
            memcpy(to, escaped, ESCAPED);
        else
            *to = text[end - 1];
    }
    out->n += more;
}

static void put_row(const function_plan *p, uint32_t i, arena *memory, text_buffer *out)
{
    const kernel *k = &p->kernels.at[i];
    const kernel_plan *plan = &p->plans[i];
    text_puts(out, "<tr><td>");
    put_escaped(out, p->f->name ? p->f->name : "main");
    text_printf(out, "</td><td>%" PRIu32 "</td><td>%s</td><td>", i,
                kernel_kind_name(plan->by_reference ? KERNEL_REFERENCE : k->kind));
    put_escaped(out, jit_kernel_name(p->f, k, memory));
    text_printf(out, "</td><td>%" PRIu64 "</td><td>%" PRIu64 "</td><td>", plan->nest->bytes,
                plan->nest->flops);
    for (uint32_t e = 0; e < k->n_edges; e++) {
        text_printf(out, "%s%%%" PRIu32 ": ", e ? "; " : "", k->edges[e].value);
        put_escaped(out, k->edges[e].why);
    }
    text_puts(out, "</td></tr>\n");
}

/* The kernels as a table, which needs no script. */
static void put_kernels(const report *r, text_buffer *out)
{
    const jit_plan *plan = &r->made->plan;
    uint32_t shown = 0, all = 0;
    arena memory;
    arena_init(&memory, &r->p->allocator);
    text_puts(out, "<table><thead><tr><th scope=\"col\">function</th><th scope=\"col\">kernel</th>"
                   "<th scope=\"col\">kind</th><th scope=\"col\">computes</th>"
                   "<th scope=\"col\">bytes</th><th scope=\"col\">flops</th>"
                   "<th scope=\"col\">not fused</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < plan->m->functions.n; i++) {
        const function_plan *p = &plan->functions[i];
        for (uint32_t k = 0; p->plans && k < p->kernels.n; k++, all++)
            if (shown < MOST_ROWS) {
                put_row(p, k, &memory, out);
                shown++;
            }
    }
    text_puts(out, "</tbody></table>\n");
    if (shown < all)
        text_printf(out, "<p>and %" PRIu32 " more</p>\n", all - shown);
    arena_release(&memory);
}

static void put_lines(const char *const *lines, text_buffer *out)
{
    for (; *lines; lines++)
        text_puts(out, *lines);
}

/* Lines of the frame that stand for something else begin with '@'. */
tn_status report_page(const report *r, text_buffer *out)
{
    for (const char *const *line = report_html; *line; line++)
        if (strcmp(*line, "@title\n") == 0)
            put_escaped(out, r->title);
        else if (strcmp(*line, "@style\n") == 0)
            put_lines(report_css, out);
        else if (strcmp(*line, "@script\n") == 0)
            put_lines(report_js, out);
        else if (strcmp(*line, "@kernels\n") == 0)
            put_kernels(r, out);
        else if (strcmp(*line, "@data\n") == 0) {
            const size_t start = out->n;
            TN_TRY(report_data(r, out));
            escape_data(out, start);
        } else
            text_puts(out, *line);
    return TN_OK;
}
