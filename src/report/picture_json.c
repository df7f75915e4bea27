/* Graphs as JSON, for the page that draws them. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/picture.h"

/* Where the lines of a text begin. */
typedef struct line_table {
    const source *s;
    uint32_t n;
    uint32_t *at;
} line_table;

static bool find_lines(const source *s, arena *memory, line_table *out)
{
    uint32_t n = 1;
    *out = (line_table){.s = s};
    if (!s->text)
        return true;
    for (size_t i = 0; i < s->length; i++)
        n += s->text[i] == '\n';
    out->at = ARENA_ARRAY(memory, uint32_t, n);
    if (!out->at)
        return false;
    out->n = 1;
    for (size_t i = 0; i < s->length; i++)
        if (s->text[i] == '\n')
            out->at[out->n++] = (uint32_t)i + 1;
    return true;
}

/* The line of byte AT, from 1. */
static uint32_t line_of(const line_table *lines, uint32_t at)
{
    uint32_t low = 0, high = lines->n;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (lines->at[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low + 1;
}

static void put_string(text_buffer *out, const char *key, const char *text)
{
    text_printf(out, "\"%s\":", key);
    text_json_string(out, text, strlen(text));
}

static void put_box(const picture *p, uint32_t i, text_buffer *out)
{
    static const char *const kinds[] = {[PICTURE_INPUT] = "input",
                                        [PICTURE_OP] = "op",
                                        [PICTURE_KERNEL] = "kernel",
                                        [PICTURE_OUTPUT] = "output"};
    const picture_box *b = &p->boxes[i];
    const layout_box *at = &p->g.boxes[i];
    text_puts(out, i ? ",\n{" : "\n{");
    put_string(out, "kind", kinds[b->kind]);
    text_puts(out, ",");
    put_string(out, "title", b->title);
    text_puts(out, ",");
    put_string(out, "text", b->text);
    if (b->note[0]) {
        text_puts(out, ",");
        put_string(out, "note", b->note);
    }
    if (b->kernel > 0)
        text_printf(out, ",\"kernel\":%" PRIu32, b->kernel - 1);
    if (b->value != NO_VALUE)
        text_printf(out, ",\"value\":%" PRIu32, b->value);
    text_printf(out, ",\"at\":[%" PRId32 ",%" PRId32 ",%" PRId32 ",%" PRId32 "]}", at->x, at->y,
                at->width, at->height);
}

static void put_edge(const layout_edge *e, text_buffer *out)
{
    text_printf(out, "[%" PRIu32 ",%" PRIu32, e->from, e->to);
    for (uint32_t i = 0; i < e->n_bends; i++)
        text_printf(out, ",%" PRId32 ",%" PRId32, e->bends[i].x, e->bends[i].y);
    text_puts(out, e->is_far ? ",null]" : "]");
}

static void put_picture(const picture *p, text_buffer *out)
{
    text_printf(out, "{\"of\":\"%s\",\"width\":%" PRId32 ",\"height\":%" PRId32 ",\"boxes\":[",
                p->is_of_kernels ? "kernels" : "operations", p->g.width, p->g.height);
    for (uint32_t i = 0; i < p->g.n_boxes; i++)
        put_box(p, i, out);
    text_puts(out, "],\"edges\":[");
    for (uint32_t e = 0; e < p->g.n_edges; e++) {
        text_puts(out, e ? "," : "");
        put_edge(&p->g.edges[e], out);
    }
    text_puts(out, "]}");
}

/* Each node: its first value, its operation, 1 + its kernel, and its lines in the text. */
static bool put_nodes(const function_plan *p, const line_table *lines, arena *memory,
                      text_buffer *out)
{
    const uint32_t *kernels = picture_kernels(p, memory);
    for (uint32_t i = 0; kernels && i < p->f->nodes.n; i++) {
        const node *n = &p->f->nodes.at[i];
        text_printf(out, "%s[%" PRIu32 ",\"%s\",%" PRIu32, i ? "," : "", n->first_value,
                    op_table[n->op].text, kernels[i]);
        if (lines->n > 0 && n->at.at < lines->s->length)
            text_printf(out, ",%" PRIu32 ",%" PRIu32, line_of(lines, n->at.at),
                        line_of(lines, n->at.at + (n->at.length ? n->at.length - 1 : 0)));
        text_puts(out, "]");
    }
    return kernels != NULL;
}

static bool put_function(const function_plan *p, const line_table *lines, arena *memory,
                         text_buffer *out)
{
    bool is_first = true;
    text_puts(out, "{");
    put_string(out, "name", p->f->name ? p->f->name : "main");
    text_printf(out, ",\"region\":%s,\"nodes\":[", p->f->is_region ? "true" : "false");
    if (!put_nodes(p, lines, memory, out))
        return false;
    text_puts(out, "],\"pictures\":[");
    for (int of_kernels = 0; of_kernels < 2; of_kernels++) {
        picture made;
        if (!picture_can(p, of_kernels))
            continue;
        if (!picture_make(p, of_kernels, memory, &made))
            return false;
        text_puts(out, is_first ? "" : ",");
        put_picture(&made, out);
        is_first = false;
    }
    text_puts(out, "]}");
    return true;
}

bool picture_json(const jit_plan *plan, text_buffer *out)
{
    line_table lines;
    arena memory;
    arena_init(&memory, plan->allocator);
    bool ok = find_lines(&plan->m->source, &memory, &lines);
    text_printf(out, "{\"entry\":%" PRIu32 ",\"functions\":[", plan->m->entry);
    for (uint32_t i = 0; ok && i < plan->m->functions.n; i++) {
        text_puts(out, i ? ",\n" : "");
        ok = put_function(&plan->functions[i], &lines, &memory, out);
    }
    text_puts(out, "]}");
    arena_release(&memory);
    return ok;
}
