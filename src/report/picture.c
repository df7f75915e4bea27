/* From a function and its kernels to boxes and lines. */
#include "report/picture.h"

#include <inttypes.h>

#include "base/text/utf8.h"
#include "graph/literal.h"
#include "ops/node_facts.h"

enum {
    CHARACTER = 7, /* pixels of the monospaced letters that texts are drawn with */
    PADDING = 20,
    LINE = 16,
    MOST_SHOWN = 36, /* characters of a text that is wider are left out */
    MOST_CONSTANTS = 3
};

typedef struct drawing {
    const function_plan *p;
    const function *f;
    arena *memory;
    picture *out;
    uint32_t *box_of; /* by value: 1 + its box; 0: a constant, or nothing draws it */
    uint32_t *taken;  /* by box: 1 + the box that a line from it leads to last */
    uint32_t cap_edges;
} drawing;

/* ---- texts ---- */

/* What TEXT holds, in memory of the drawing, cut where it is too wide; NULL without memory. */
static const char *keep_text(const drawing *d, text_buffer *text)
{
    const char *at = text_c_string(text);
    if (!at)
        return NULL;
    size_t n = 0, characters = 0;
    while (n < text->n && characters < MOST_SHOWN) {
        uint32_t code;
        const size_t step = utf8_decode(at + n, text->n - n, &code);
        n += step ? step : 1;
        characters++;
    }
    return n < text->n ? arena_printf(d->memory, "%.*s\xe2\x80\xa6", (int)n, at)
                       : arena_copy_text(d->memory, at, n);
}

static const char *keep_type(const drawing *d, value_id v, text_buffer *text)
{
    text_reset(text);
    type_print(d->f->module, value_type(d->f, v), text);
    return keep_text(d, text);
}

/* The constants among the operands of N: numbers as such, others by their types. */
static void put_constants(const drawing *d, const node *n, text_buffer *text)
{
    uint32_t shown = 0;
    text_reset(text);
    for (uint32_t i = 0; i < n->n_in; i++) {
        const literal *l = literal_of(node_of(d->f, n->in[i]));
        if (!l)
            continue;
        if (shown == MOST_CONSTANTS) {
            text_puts(text, ", \xe2\x80\xa6");
            return;
        }
        text_puts(text, shown++ ? ", " : "with ");
        if (l->type->count > 0 && literal_is_uniform(l)) {
            const scalar s = scalar_load(l->type->dtype, literal_element(l, 0));
            element_print(&s, text);
        } else
            type_print(d->f->module, l->type, text);
    }
}

/* The regions that N runs, by their names, which stand above their pictures. */
static void put_regions(const drawing *d, const node *n, text_buffer *text)
{
    bool any = false;
    for (uint32_t i = 0; i < n->attrs->n; i++) {
        const attr *a = &n->attrs->at[i];
        if (attr_keys[a->key].kind != ATTR_FUNCTION)
            continue;
        const function *region = d->f->module->functions.at[a->v.i];
        text_puts(text, any ? ", " : text->n ? "; runs " : "runs ");
        text_puts(text, region->name ? region->name : "a region");
        any = true;
    }
}

static void put_amount(text_buffer *text, uint64_t x, const char *unit)
{
    static const char prefixes[] = " kMGTPE";
    uint32_t p = 0;
    uint64_t rest = 0;
    for (; x >= 1000; p++, x /= 1000)
        rest = x % 1000;
    if (p > 0 && x < 100)
        text_printf(text, "%" PRIu64 ".%" PRIu64 " %c%s", x, rest / 100, prefixes[p], unit);
    else if (p > 0)
        text_printf(text, "%" PRIu64 " %c%s", x, prefixes[p], unit);
    else
        text_printf(text, "%" PRIu64 " %s", x, unit);
}

/* ---- boxes and lines ---- */

static int32_t width_of(const char *text)
{
    return text ? CHARACTER * (int32_t)utf8_count(text, strlen(text)) : 0;
}

/* Add a box, with its size; what was found no memory for is NULL in it. */
static bool add_box(drawing *d, picture_box b)
{
    layout *g = &d->out->g;
    if (!b.title || !b.text || !b.note)
        return false;
    int32_t width = width_of(b.title);
    width = width_of(b.text) > width ? width_of(b.text) : width;
    width = width_of(b.note) > width ? width_of(b.note) : width;
    g->boxes[g->n_boxes] =
        (layout_box){.width = width + PADDING,
                     .height = PADDING + LINE * (1 + (b.text[0] != 0) + (b.note[0] != 0))};
    d->out->boxes[g->n_boxes++] = b;
    return true;
}

/* A line from what holds V to the last box, once. */
static bool add_edge(drawing *d, value_id v)
{
    layout *g = &d->out->g;
    const uint32_t from = d->box_of[v], to = g->n_boxes - 1;
    if (from == 0 || from - 1 >= to || d->taken[from - 1] == to + 1)
        return true;
    d->taken[from - 1] = to + 1;
    if (g->n_edges == d->cap_edges) {
        const uint32_t cap = 2 * d->cap_edges + 64;
        layout_edge *edges = ARENA_ARRAY(d->memory, layout_edge, cap);
        if (!edges)
            return false;
        if (g->n_edges > 0)
            memcpy(edges, g->edges, g->n_edges * sizeof *edges);
        g->edges = edges;
        d->cap_edges = cap;
    }
    g->edges[g->n_edges++] = (layout_edge){.from = from - 1, .to = to};
    return true;
}

static value_id root_of(const drawing *d, value_id v)
{
    const value_id *same_as = d->p->kernels.same_as;
    while (d->out->is_of_kernels && same_as[v] != v)
        v = same_as[v];
    return v;
}

static bool add_input(drawing *d, const node *n, text_buffer *text)
{
    const char *name = attr_string(n->attrs, KEY_NAME);
    picture_box b = {.kind = PICTURE_INPUT, .note = "", .value = n->first_value};
    text_reset(text);
    text_puts(text, name ? name : "input");
    b.title = keep_text(d, text);
    b.text = keep_type(d, n->first_value, text);
    if (!add_box(d, b))
        return false;
    d->box_of[n->first_value] = d->out->g.n_boxes;
    return true;
}

static bool add_op(drawing *d, const node *n, uint32_t in_kernel, text_buffer *text)
{
    picture_box b = {.kind = PICTURE_OP,
                     .title = op_table[n->op].text,
                     .kernel = in_kernel,
                     .value = n->first_value};
    b.text = n->n_results ? keep_type(d, n->first_value, text) : "";
    put_constants(d, n, text);
    put_regions(d, n, text);
    b.note = keep_text(d, text);
    if (!add_box(d, b))
        return false;
    for (uint32_t i = 0; i < n->n_in; i++)
        if (!add_edge(d, n->in[i]))
            return false;
    for (uint32_t i = 0; i < n->n_results; i++)
        d->box_of[n->first_value + i] = d->out->g.n_boxes;
    return true;
}

static bool add_kernel(drawing *d, uint32_t i, text_buffer *text)
{
    const kernel *k = &d->p->kernels.at[i];
    const kernel_plan *plan = &d->p->plans[i];
    picture_box b = {.kind = PICTURE_KERNEL, .kernel = 1 + i, .value = NO_VALUE};
    b.title = arena_printf(d->memory, "kernel %" PRIu32 ": %s", i,
                           kernel_kind_name(plan->by_reference ? KERNEL_REFERENCE : k->kind));
    text_reset(text);
    text_puts(text, jit_kernel_name(d->f, k, d->memory));
    b.text = keep_text(d, text);
    text_reset(text);
    if (!plan->by_reference) {
        put_amount(text, plan->nest->bytes, "B, ");
        put_amount(text, plan->nest->flops, "flop");
    }
    b.note = keep_text(d, text);
    if (!add_box(d, b))
        return false;
    for (uint32_t v = 0; v < k->n_in; v++)
        if (!add_edge(d, root_of(d, k->in[v])))
            return false;
    for (uint32_t o = 0; o < k->n_out; o++)
        d->box_of[root_of(d, k->out[o].into)] = d->out->g.n_boxes;
    return true;
}

static bool add_output(drawing *d, uint32_t i, text_buffer *text)
{
    const function *f = d->f;
    const char *name = i < f->output_names.n ? f->output_names.at[i] : NULL;
    picture_box b = {.kind = PICTURE_OUTPUT, .note = "", .value = f->outputs.at[i]};
    text_reset(text);
    if (name)
        text_puts(text, name);
    else
        text_printf(text, "output %" PRIu32, i);
    b.title = keep_text(d, text);
    b.text = keep_type(d, f->outputs.at[i], text);
    return add_box(d, b) && add_edge(d, root_of(d, f->outputs.at[i]));
}

/* ---- functions ---- */

uint32_t *picture_kernels(const function_plan *p, arena *memory)
{
    uint32_t *of = ARENA_ARRAY(memory, uint32_t, p->f->nodes.n);
    for (uint32_t k = 0; of && p->plans && k < p->kernels.n; k++)
        for (uint32_t i = 0; i < p->kernels.at[k].n_nodes; i++)
            of[p->kernels.at[k].nodes[i]] = 1 + k;
    return of;
}

bool picture_can(const function_plan *p, bool of_kernels)
{
    const uint64_t ends = (uint64_t)p->f->inputs.n + p->f->outputs.n;
    if (of_kernels)
        return p->plans && p->kernels.n + ends <= LAYOUT_MOST_BOXES;
    return p->f->nodes.n + ends <= (p->plans ? PICTURE_MOST_NODES : LAYOUT_MOST_BOXES);
}

static bool add_nodes(drawing *d, text_buffer *text)
{
    const uint32_t *kernels = picture_kernels(d->p, d->memory);
    const bool *is_needed = function_needed_nodes(d->f, d->memory);
    if (!kernels || !is_needed)
        return false;
    for (uint32_t i = 0; i < d->f->nodes.n; i++) {
        const node *n = &d->f->nodes.at[i];
        if (n->op == OP_INPUT ? !add_input(d, n, text)
                              : is_needed[i] && !literal_of(n) && !add_op(d, n, kernels[i], text))
            return false;
    }
    return true;
}

static bool add_kernels(drawing *d, text_buffer *text)
{
    for (uint32_t i = 0; i < d->f->inputs.n; i++)
        if (!add_input(d, node_of(d->f, d->f->inputs.at[i]), text))
            return false;
    for (uint32_t i = 0; i < d->p->kernels.n; i++)
        if (!add_kernel(d, i, text))
            return false;
    return true;
}

static bool add_all(drawing *d, text_buffer *text)
{
    if (d->out->is_of_kernels ? !add_kernels(d, text) : !add_nodes(d, text))
        return false;
    for (uint32_t i = 0; i < d->f->outputs.n; i++)
        if (!add_output(d, i, text))
            return false;
    return true;
}

bool picture_make(const function_plan *p, bool of_kernels, arena *memory, picture *out)
{
    const function *f = p->f;
    const uint32_t inner = of_kernels ? p->kernels.n + f->inputs.n : f->nodes.n;
    const size_t most = (size_t)inner + f->outputs.n;
    drawing d = {.p = p, .f = f, .memory = memory, .out = out};
    text_buffer text;
    *out = (picture){.f = f, .is_of_kernels = of_kernels, .g = {.memory = memory}};
    out->boxes = ARENA_ARRAY(memory, picture_box, most);
    out->g.boxes = ARENA_ARRAY(memory, layout_box, most);
    d.box_of = ARENA_ARRAY(memory, uint32_t, f->values.n);
    d.taken = ARENA_ARRAY(memory, uint32_t, most);
    text_init(&text, memory->allocator);
    const bool ok = out->boxes && out->g.boxes && d.box_of && d.taken && add_all(&d, &text);
    text_release(&text);
    return ok && layout_graph(&out->g);
}
