/* Layers by longest path, places for lines that pass layers, and the points of all lines. */
#include "layout/graph_layout.h"

#include <math.h>

#include "layout/layout_parts.h"

/* Lines that pass layers get at most this many places, a box and edge; the longest go without. */
enum { PLACES_EACH = 6 };

typedef struct link {
    uint32_t upper, lower;
} link;

typedef struct links {
    uint32_t n;
    link *at;
} links;

/* The edges of each box: `edge[first[b]]` .. before `edge[first[b + 1]]` leave box B. */
typedef struct outgoing {
    uint32_t *first, *edge;
} outgoing;

static bool find_outgoing(const layout *g, outgoing *out)
{
    out->first = ARENA_ARRAY(g->memory, uint32_t, (size_t)g->n_boxes + 2);
    out->edge = ARENA_ARRAY(g->memory, uint32_t, g->n_edges);
    if (!out->first || !out->edge)
        return false;
    for (uint32_t e = 0; e < g->n_edges; e++)
        out->first[g->edges[e].from + 2]++;
    for (uint32_t b = 0; b < g->n_boxes; b++)
        out->first[b + 2] += out->first[b + 1];
    for (uint32_t e = 0; e < g->n_edges; e++)
        out->edge[out->first[g->edges[e].from + 1]++] = e;
    return true;
}

/* Each box as high as what it comes from allows; what comes from nothing moves down to its use. */
static uint32_t assign_layers(layout *g, const outgoing *out)
{
    uint32_t n_layers = 0;
    bool *has_source = ARENA_ARRAY(g->memory, bool, g->n_boxes);
    if (!has_source)
        return 0;
    for (uint32_t b = 0; b < g->n_boxes; b++)
        g->boxes[b].layer = 0;
    for (uint32_t b = 0; b < g->n_boxes; b++)
        for (uint32_t i = out->first[b]; i < out->first[b + 1]; i++) {
            layout_box *to = &g->boxes[g->edges[out->edge[i]].to];
            has_source[g->edges[out->edge[i]].to] = true;
            to->layer = to->layer > g->boxes[b].layer ? to->layer : g->boxes[b].layer + 1;
        }
    for (uint32_t b = 0; b < g->n_boxes; b++) {
        uint32_t nearest = UINT32_MAX;
        for (uint32_t i = out->first[b]; !has_source[b] && i < out->first[b + 1]; i++) {
            const uint32_t layer = g->boxes[g->edges[out->edge[i]].to].layer;
            nearest = layer < nearest ? layer : nearest;
        }
        if (nearest != UINT32_MAX)
            g->boxes[b].layer = nearest - 1;
        n_layers = n_layers > g->boxes[b].layer ? n_layers : g->boxes[b].layer + 1;
    }
    g->work += 2 * ((uint64_t)g->n_boxes + g->n_edges);
    return n_layers;
}

static uint32_t span_of(const layout *g, uint32_t edge)
{
    return g->boxes[g->edges[edge].to].layer - g->boxes[g->edges[edge].from].layer;
}

/* The longest span at which all edges together still fit the places there may be. Lines from one
 * box share their places, which this counts as if they did not. */
static uint32_t longest_span(const layout *g, uint32_t n_layers)
{
    uint64_t left = PLACES_EACH * ((uint64_t)g->n_boxes + g->n_edges);
    uint32_t *n = ARENA_ARRAY(g->memory, uint32_t, (size_t)n_layers + 1), span = 1;
    if (!n)
        return 0;
    for (uint32_t e = 0; e < g->n_edges; e++)
        n[span_of(g, e)]++;
    for (uint32_t s = 2; s < n_layers; s++) {
        if (left < (uint64_t)n[s] * (s - 1))
            return span;
        left -= (uint64_t)n[s] * (s - 1);
        span = s;
    }
    return span;
}

static uint32_t add_line_cell(layout_cells *c, uint32_t layer)
{
    c->at[c->n] = (cell){.layer = layer, .is_line = true};
    return c->n++;
}

/* The cells through which the lines of box B pass, one a layer: in CHAIN, from the layer below. */
static void add_chain(layout_cells *c, const outgoing *out, uint32_t b, uint32_t longest,
                      uint32_t *chain, links *all)
{
    const layout *g = c->g;
    uint32_t n = 0;
    for (uint32_t i = out->first[b]; i < out->first[b + 1]; i++) {
        layout_edge *e = &g->edges[out->edge[i]];
        const uint32_t span = span_of(g, out->edge[i]);
        e->is_far = span > longest;
        if (e->is_far)
            continue;
        for (; n + 1 < span; n++) {
            chain[n] = add_line_cell(c, g->boxes[b].layer + 1 + n);
            all->at[all->n++] = (link){n ? chain[n - 1] : b, chain[n]};
        }
        all->at[all->n++] = (link){span > 1 ? chain[span - 2] : b, e->to};
    }
}

/* The links as lists by cell, in both directions. */
static bool make_lists(layout_cells *c, const links *all)
{
    arena *memory = c->g->memory;
    cell_links *lists[] = {&c->above, &c->below};
    c->n_links = all->n;
    for (int down = 0; down < 2; down++) {
        cell_links *l = lists[down];
        l->first = ARENA_ARRAY(memory, uint32_t, (size_t)c->n + 2);
        l->at = ARENA_ARRAY(memory, uint32_t, all->n);
        if (!l->first || !l->at)
            return false;
        for (uint32_t i = 0; i < all->n; i++)
            l->first[(down ? all->at[i].upper : all->at[i].lower) + 2]++;
        for (uint32_t i = 0; i < c->n; i++)
            l->first[i + 2] += l->first[i + 1];
        for (uint32_t i = 0; i < all->n; i++) {
            const uint32_t own = down ? all->at[i].upper : all->at[i].lower;
            l->at[l->first[own + 1]++] = down ? all->at[i].lower : all->at[i].upper;
        }
    }
    c->g->work += 2 * ((uint64_t)c->n + all->n);
    return true;
}

static bool sort_into_layers(layout_cells *c)
{
    arena *memory = c->g->memory;
    c->first = ARENA_ARRAY(memory, uint32_t, (size_t)c->n_layers + 2);
    c->order = ARENA_ARRAY(memory, uint32_t, c->n);
    if (!c->first || !c->order)
        return false;
    for (uint32_t i = 0; i < c->n; i++)
        c->first[c->at[i].layer + 2]++;
    for (uint32_t l = 0; l < c->n_layers; l++)
        c->first[l + 2] += c->first[l + 1];
    for (uint32_t i = 0; i < c->n; i++)
        c->order[c->first[c->at[i].layer + 1]++] = i;
    layout_count_places(c);
    return true;
}

static bool make_cells(layout_cells *c, const outgoing *out, links *all)
{
    layout *g = c->g;
    const uint64_t most = (PLACES_EACH + 1) * ((uint64_t)g->n_boxes + g->n_edges);
    const uint32_t longest = longest_span(g, c->n_layers);
    uint32_t *chain = ARENA_ARRAY(g->memory, uint32_t, (size_t)c->n_layers + 1);
    c->at = ARENA_ARRAY(g->memory, cell, (size_t)most);
    all->at = ARENA_ARRAY(g->memory, link, (size_t)most);
    if (longest == 0 || !chain || !c->at || !all->at)
        return false;
    for (; c->n < g->n_boxes; c->n++)
        c->at[c->n] = (cell){.layer = g->boxes[c->n].layer, .width = g->boxes[c->n].width};
    for (uint32_t b = 0; b < g->n_boxes; b++)
        add_chain(c, out, b, longest, chain, all);
    return make_lists(c, all) && sort_into_layers(c);
}

/* Corners of boxes, and where each layer begins and ends. */
static bool place_boxes(layout_cells *c, int32_t **top, int32_t **bottom)
{
    layout *g = c->g;
    double left = 0, right = 0;
    int32_t y = 0;
    *top = ARENA_ARRAY(g->memory, int32_t, c->n_layers);
    *bottom = ARENA_ARRAY(g->memory, int32_t, c->n_layers);
    if (!*top || !*bottom)
        return false;
    for (uint32_t i = 0; i < c->n; i++) {
        const double half = c->at[i].width / 2.0;
        left = c->at[i].center - half < left ? c->at[i].center - half : left;
    }
    for (uint32_t l = 0; l < c->n_layers; l++) {
        int32_t height = 0;
        for (uint32_t i = c->first[l]; i < c->first[l + 1]; i++)
            if (c->order[i] < g->n_boxes && g->boxes[c->order[i]].height > height)
                height = g->boxes[c->order[i]].height;
        (*top)[l] = y;
        (*bottom)[l] = y + height;
        y += height + LAYER_GAP;
    }
    for (uint32_t i = 0; i < c->n; i++) {
        c->at[i].center -= left;
        const double end = c->at[i].center + c->at[i].width / 2.0;
        right = end > right ? end : right;
        if (i >= g->n_boxes)
            continue;
        layout_box *b = &g->boxes[i];
        b->x = (int32_t)floor(c->at[i].center - b->width / 2.0 + 0.5);
        b->y = (*top)[b->layer] + ((*bottom)[b->layer] - (*top)[b->layer] - b->height) / 2;
    }
    g->width = (int32_t)ceil(right) + 1;
    g->height = c->n_layers ? y - LAYER_GAP : 0;
    return true;
}

/* A line passes a layer straight down. */
static bool route(layout_cells *c, const outgoing *out, const int32_t *top, const int32_t *bottom)
{
    layout *g = c->g;
    uint32_t next = g->n_boxes; /* of the cells for lines, which are in the order of the boxes */
    for (uint32_t b = 0; b < g->n_boxes; b++) {
        uint32_t longest = 1;
        for (uint32_t i = out->first[b]; i < out->first[b + 1]; i++) {
            layout_edge *e = &g->edges[out->edge[i]];
            const uint32_t span = span_of(g, out->edge[i]);
            e->n_bends = 0;
            e->bends = NULL;
            if (e->is_far || span < 2)
                continue;
            layout_point *bends = ARENA_ARRAY(g->memory, layout_point, 2 * ((size_t)span - 1));
            if (!bends)
                return false;
            for (uint32_t k = 0; k + 1 < span; k++) {
                const int32_t x = (int32_t)floor(c->at[next + k].center + 0.5);
                const uint32_t layer = g->boxes[b].layer + 1 + k;
                bends[e->n_bends++] = (layout_point){x, top[layer]};
                bends[e->n_bends++] = (layout_point){x, bottom[layer]};
            }
            e->bends = bends;
            longest = span > longest ? span : longest;
        }
        next += longest - 1;
    }
    return true;
}

bool layout_graph(layout *g)
{
    outgoing out;
    links all = {0};
    layout_cells c = {.g = g};
    int32_t *top, *bottom;
    g->work = g->crossings = 0;
    g->width = g->height = 0;
    if (g->n_boxes > LAYOUT_MOST_BOXES || !find_outgoing(g, &out))
        return false;
    if (g->n_boxes == 0)
        return true;
    c.n_layers = assign_layers(g, &out);
    return c.n_layers > 0 && make_cells(&c, &out, &all) && layout_order(&c) && layout_centers(&c) &&
           place_boxes(&c, &top, &bottom) && route(&c, &out, top, bottom);
}
