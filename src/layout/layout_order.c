/* The order in layers: each cell goes to the median of what it is linked to, layer after layer,
 * down and up; the best order met is kept. */
#include <stdlib.h>
#include <string.h>

#include "layout/layout_parts.h"

enum { SWEEPS = 4 };

typedef struct sort_key {
    uint64_t median; /* twice the place, so that the middle of two is exact */
    uint32_t place, cell;
} sort_key;

typedef struct orderer {
    layout_cells *c;
    sort_key *keys;
    uint32_t *places, *counts, *best; /* scratch, by cell */
} orderer;

static int compare_keys(const void *a, const void *b)
{
    const sort_key *x = a, *y = b;
    if (x->median != y->median)
        return x->median < y->median ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int compare_places(const void *a, const void *b)
{
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* The places of what cell I is linked to, ascending; returns how many. */
static uint32_t places_of(const orderer *o, const cell_links *l, uint32_t i)
{
    const uint32_t n = l->first[i + 1] - l->first[i];
    for (uint32_t k = 0; k < n; k++)
        o->places[k] = o->c->at[l->at[l->first[i] + k]].place;
    if (n > 1)
        qsort(o->places, n, sizeof *o->places, compare_places);
    o->c->g->work += n;
    return n;
}

static void sort_layer(const orderer *o, uint32_t layer, const cell_links *l)
{
    layout_cells *c = o->c;
    const uint32_t begin = c->first[layer], n = c->first[layer + 1] - begin;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t own = c->order[begin + i], m = places_of(o, l, own);
        const uint64_t median =
            m ? (uint64_t)o->places[(m - 1) / 2] + o->places[m / 2] : 2 * (uint64_t)i;
        o->keys[i] = (sort_key){median, i, own};
    }
    qsort(o->keys, n, sizeof *o->keys, compare_keys);
    for (uint32_t i = 0; i < n; i++) {
        c->order[begin + i] = o->keys[i].cell;
        c->at[o->keys[i].cell].place = i;
    }
    c->g->work += n;
}

/* Pairs of lines between LAYER and the next that cross: inversions, counted in a tree of sums. */
static uint64_t crossings_below(const orderer *o, uint32_t layer)
{
    const layout_cells *c = o->c;
    const uint32_t size = c->first[layer + 2] - c->first[layer + 1];
    uint64_t seen = 0, crossings = 0;
    memset(o->counts, 0, ((size_t)size + 1) * sizeof *o->counts);
    for (uint32_t i = c->first[layer]; i < c->first[layer + 1]; i++) {
        const uint32_t n = places_of(o, &c->below, c->order[i]);
        for (uint32_t k = 0; k < n; k++) {
            uint64_t not_right = 0;
            for (uint32_t at = o->places[k] + 1; at > 0; at -= at & (0 - at))
                not_right += o->counts[at];
            crossings += seen - not_right;
        }
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t at = o->places[k] + 1; at <= size; at += at & (0 - at))
                o->counts[at]++;
        seen += n;
    }
    return crossings;
}

static uint64_t count_crossings(const orderer *o)
{
    uint64_t n = 0;
    for (uint32_t l = 0; l + 1 < o->c->n_layers; l++)
        n += crossings_below(o, l);
    return n;
}

void layout_count_places(layout_cells *c)
{
    for (uint32_t l = 0; l < c->n_layers; l++)
        for (uint32_t i = c->first[l]; i < c->first[l + 1]; i++)
            c->at[c->order[i]].place = i - c->first[l];
}

bool layout_order(layout_cells *c)
{
    arena *memory = c->g->memory;
    orderer o = {.c = c,
                 .keys = ARENA_ARRAY(memory, sort_key, c->n),
                 .places = ARENA_ARRAY(memory, uint32_t, (size_t)c->n_links + 1),
                 .counts = ARENA_ARRAY(memory, uint32_t, (size_t)c->n + 1),
                 .best = ARENA_ARRAY(memory, uint32_t, c->n)};
    if (!o.keys || !o.places || !o.counts || !o.best)
        return false;
    c->g->crossings = count_crossings(&o);
    memcpy(o.best, c->order, c->n * sizeof *o.best);
    for (int sweep = 0; sweep < SWEEPS && c->g->crossings > 0; sweep++) {
        for (uint32_t l = 1; sweep % 2 == 0 && l < c->n_layers; l++)
            sort_layer(&o, l, &c->above);
        for (uint32_t l = c->n_layers - 1; sweep % 2 == 1 && l-- > 0;)
            sort_layer(&o, l, &c->below);
        const uint64_t crossings = count_crossings(&o);
        if (crossings >= c->g->crossings)
            continue;
        c->g->crossings = crossings;
        memcpy(o.best, c->order, c->n * sizeof *o.best);
    }
    memcpy(c->order, o.best, c->n * sizeof *o.best);
    layout_count_places(c);
    return true;
}
