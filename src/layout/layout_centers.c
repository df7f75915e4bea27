/* Where cells stand in their layers: each wants to stand in the middle of what it is linked to, and
 * all of a layer together come as near to that, in squares, as the order and the gaps allow. */
#include "layout/layout_parts.h"

enum { SWEEPS = 8 };

/* Cells that push each other: they stand at one place, once the gaps before them are taken off. */
typedef struct cluster {
    double place, weight;
    uint32_t n;
} cluster;

typedef struct placer {
    layout_cells *c;
    double *offset; /* by place in the layer: the gaps before it */
    cluster *clusters;
} placer;

/* Between the centers of neighbours. */
static double gap_between(const cell *a, const cell *b)
{
    const double room = a->is_line || b->is_line ? LINE_GAP : BOX_GAP;
    return (a->width + b->width) / 2.0 + room;
}

/* The middle of what cell I is linked to; *N: how much that is. */
static double middle_of(const layout_cells *c, const cell_links *l, uint32_t i, uint32_t *n)
{
    double sum = 0;
    for (uint32_t k = l->first[i]; k < l->first[i + 1]; k++)
        sum += c->at[l->at[k]].center;
    *n = l->first[i + 1] - l->first[i];
    c->g->work += *n;
    return *n ? sum / *n : c->at[i].center;
}

/* Long lines are to be straight before all else; what has no link yields. */
static double weight_of(const layout_cells *c, const cell_links *l, uint32_t i, uint32_t n)
{
    if (n == 0)
        return 0.01;
    const bool is_inner = c->at[i].is_line && c->at[l->at[l->first[i]]].is_line;
    return is_inner ? 8 : 1;
}

static void place_layer(const placer *p, uint32_t layer, const cell_links *l)
{
    layout_cells *c = p->c;
    const uint32_t *order = &c->order[c->first[layer]];
    const uint32_t n = c->first[layer + 1] - c->first[layer];
    uint32_t n_clusters = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t n_links;
        p->offset[i] =
            i ? p->offset[i - 1] + gap_between(&c->at[order[i - 1]], &c->at[order[i]]) : 0;
        const double want = middle_of(c, l, order[i], &n_links) - p->offset[i];
        cluster last = {want, weight_of(c, l, order[i], n_links), 1};
        for (; n_clusters && p->clusters[n_clusters - 1].place > last.place; n_clusters--) {
            const cluster *before = &p->clusters[n_clusters - 1];
            const double weight = before->weight + last.weight;
            last.place = (before->place * before->weight + last.place * last.weight) / weight;
            last.weight = weight;
            last.n += before->n;
        }
        p->clusters[n_clusters++] = last;
    }
    for (uint32_t k = 0, i = 0; k < n_clusters; k++)
        for (uint32_t end = i + p->clusters[k].n; i < end; i++)
            c->at[order[i]].center = p->clusters[k].place + p->offset[i];
    c->g->work += n;
}

/* Side by side, the middle of each layer at 0. */
static void pack(layout_cells *c)
{
    for (uint32_t l = 0; l < c->n_layers; l++) {
        double x = 0;
        for (uint32_t i = c->first[l]; i < c->first[l + 1]; i++) {
            cell *own = &c->at[c->order[i]];
            x += i > c->first[l] ? gap_between(&c->at[c->order[i - 1]], own) : 0;
            own->center = x;
        }
        for (uint32_t i = c->first[l]; i < c->first[l + 1]; i++)
            c->at[c->order[i]].center -= x / 2;
    }
}

bool layout_centers(layout_cells *c)
{
    arena *memory = c->g->memory;
    const placer p = {c, ARENA_ARRAY(memory, double, c->n), ARENA_ARRAY(memory, cluster, c->n)};
    if (!p.offset || !p.clusters)
        return false;
    pack(c);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (uint32_t l = 1; sweep % 2 == 0 && l < c->n_layers; l++)
            place_layer(&p, l, &c->above);
        for (uint32_t l = c->n_layers - 1; sweep % 2 == 1 && l-- > 0;)
            place_layer(&p, l, &c->below);
    }
    return true;
}
