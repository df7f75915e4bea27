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

/* DATA where scripts stand: nothing in it ends the element, and it is text of one line in any
 * language that reads it. A '<' of JSON is always part of a string. */
static void put_data(const text_buffer *data, text_buffer *out)
{
    static const char separator[] = "\xe2\x80\xa8"; /* U+2028, and U+2029 but for the last bit */
    for (size_t i = 0; i < data->n; i++) {
        const char *at = data->at + i;
        if (*at == '<')
            text_puts(out, "\\u003c");
        else if (data->n - i > 2 && memcmp(at, separator, 2) == 0 && (at[2] & ~1) == separator[2]) {
            text_puts(out, at[2] & 1 ? "\\u2029" : "\\u2028");
            i += 2;
        } else
            text_putc(out, *at);
    }
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
void report_page(const report *r, const text_buffer *data, text_buffer *out)
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
        else if (strcmp(*line, "@data\n") == 0)
            put_data(data, out);
        else
            text_puts(out, *line);
}
