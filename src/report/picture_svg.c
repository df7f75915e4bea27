/* Graphs as an SVG document, for pages that are light or dark. */
#include <inttypes.h>

#include "base/text/utf8.h"
#include "report/picture.h"

enum { MARGIN = 16, HEADING = 28, COLOURS = 8 };

static const char style[] =
    "text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1b1f24}"
    ".t{font-weight:700}.n{fill:#59636e}.h{font-size:14px}"
    ".b{stroke:#59636e;fill:#f6f8fa}.e{fill:none;stroke:#8c959f;stroke-width:1.2}"
    ".f{stroke-dasharray:3 4;opacity:.6}.i{stroke-dasharray:4 2}"
    ".k0{fill:#dbeafe}.k1{fill:#dcfce7}.k2{fill:#fef3c7}.k3{fill:#fce7f3}"
    ".k4{fill:#ede9fe}.k5{fill:#ffedd5}.k6{fill:#cffafe}.k7{fill:#e7e5e4}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.n{fill:#9da7b3}"
    ".b{stroke:#768390;fill:#22272e}.e{stroke:#768390}"
    ".k0{fill:#1e3a5f}.k1{fill:#1a4731}.k2{fill:#54420f}.k3{fill:#5b2144}"
    ".k4{fill:#40327a}.k5{fill:#5c3310}.k6{fill:#114a57}.k7{fill:#44403c}}";

/* May a document of XML 1.0 have this character? */
static bool is_character(uint32_t code)
{
    return code == '\t' || code == '\n' || (code >= 0x20 && code < 0xfffe) || code > 0xffff;
}

/* What XML cannot say becomes U+FFFD. */
static void put_escaped(text_buffer *out, const char *text)
{
    const size_t n = strlen(text);
    for (size_t at = 0, step; at < n; at += step) {
        uint32_t code = 0;
        const size_t bytes = utf8_decode(text + at, n - at, &code);
        step = bytes ? bytes : 1;
        if (bytes == 0 || !is_character(code))
            text_puts(out, "\xef\xbf\xbd");
        else if (code == '<')
            text_puts(out, "&lt;");
        else if (code == '>')
            text_puts(out, "&gt;");
        else if (code == '&')
            text_puts(out, "&amp;");
        else if (code == '"')
            text_puts(out, "&quot;");
        else
            text_put(out, text + at, bytes);
    }
}

static void put_text(text_buffer *out, int32_t x, int32_t y, const char *class, const char *text)
{
    text_printf(out, "<text x=\"%" PRId32 "\" y=\"%" PRId32 "\"%s>", x, y, class);
    put_escaped(out, text);
    text_puts(out, "</text>");
}

static void put_edge(const layout *g, const layout_edge *e, int32_t top, text_buffer *out)
{
    const layout_box *from = &g->boxes[e->from], *to = &g->boxes[e->to];
    layout_point at = {from->x + from->width / 2 + MARGIN, from->y + from->height + top};
    text_printf(out, "<path class=\"e%s\" d=\"M%" PRId32 " %" PRId32, e->is_far ? " f" : "", at.x,
                at.y);
    for (uint32_t i = 0; i <= e->n_bends; i++) {
        const layout_point end = {to->x + to->width / 2 + MARGIN, to->y + top};
        const layout_point next =
            i < e->n_bends ? (layout_point){e->bends[i].x + MARGIN, e->bends[i].y + top} : end;
        const int32_t middle = at.y + (next.y - at.y) / 2;
        if (at.x == next.x)
            text_printf(out, "V%" PRId32, next.y);
        else
            text_printf(out,
                        "C%" PRId32 " %" PRId32 " %" PRId32 " %" PRId32 " %" PRId32 " %" PRId32,
                        at.x, middle, next.x, middle, next.x, next.y);
        at = next;
    }
    text_puts(out, "\"/>\n");
}

static void put_box(const picture *p, uint32_t i, int32_t top, text_buffer *out)
{
    const picture_box *b = &p->boxes[i];
    const layout_box *at = &p->g.boxes[i];
    const int32_t x = at->x + MARGIN, y = at->y + top;
    const bool is_end = b->kind == PICTURE_INPUT || b->kind == PICTURE_OUTPUT;
    text_puts(out, is_end ? "<rect class=\"b i\"" : "<rect class=\"b");
    if (!is_end && b->kernel > 0)
        text_printf(out, " k%" PRIu32, (b->kernel - 1) % COLOURS);
    text_puts(out, is_end ? "" : "\"");
    text_printf(out,
                " x=\"%" PRId32 "\" y=\"%" PRId32 "\" width=\"%" PRId32 "\" height=\"%" PRId32
                "\" rx=\"%d\"/>",
                x, y, at->width, at->height, is_end ? 14 : 4);
    put_text(out, x + 10, y + 21, " class=\"t\"", b->title);
    if (b->text[0])
        put_text(out, x + 10, y + 37, "", b->text);
    if (b->note[0])
        put_text(out, x + 10, y + 53, " class=\"n\"", b->note);
    text_puts(out, "\n");
}

static void put_picture(const picture *p, int32_t top, text_buffer *out)
{
    for (uint32_t e = 0; e < p->g.n_edges; e++)
        put_edge(&p->g, &p->g.edges[e], top, out);
    for (uint32_t i = 0; i < p->g.n_boxes; i++)
        put_box(p, i, top, out);
}

/* Below each other, each function with its name where there are several. */
static void put_all(const picture *all, uint32_t n, const char *title, text_buffer *out)
{
    const int32_t heading = n > 1 ? HEADING : 0;
    int32_t width = 0, height = MARGIN;
    for (uint32_t i = 0; i < n; i++) {
        width = all[i].g.width > width ? all[i].g.width : width;
        height += all[i].g.height + MARGIN + heading;
    }
    width += 2 * MARGIN;
    text_printf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %" PRId32 " %" PRId32
                "\" width=\"%" PRId32 "\" height=\"%" PRId32 "\" role=\"img\">\n<title>",
                width, height, width, height);
    put_escaped(out, title);
    text_printf(out, "</title>\n<style>%s</style>\n", style);
    for (uint32_t i = 0, top = MARGIN; i < n; i++) {
        const char *name = all[i].f->name ? all[i].f->name : "main";
        if (heading)
            put_text(out, MARGIN, (int32_t)top + 14, " class=\"t h\"", name);
        put_picture(&all[i], (int32_t)top + heading, out);
        top += (uint32_t)(all[i].g.height + MARGIN + heading);
    }
    text_puts(out, "</svg>\n");
}

bool picture_svg(const jit_plan *plan, const char *title, text_buffer *out, const char **why)
{
    uint32_t n = 0;
    arena memory;
    arena_init(&memory, plan->allocator);
    picture *all = ARENA_ARRAY(&memory, picture, plan->m->functions.n);
    bool ok = all != NULL;
    *why = NULL;
    for (uint32_t i = 0; ok && i < plan->m->functions.n; i++) {
        const function_plan *p = &plan->functions[i];
        if (p->role == FUNCTION_UNUSED)
            continue;
        const bool of_kernels = !picture_can(p, false);
        if (of_kernels && !picture_can(p, true))
            *why = "it has too many kernels for a picture";
        ok = !*why && picture_make(p, of_kernels, &memory, &all[n++]);
    }
    if (ok)
        put_all(all, n, title, out);
    arena_release(&memory);
    return ok;
}
