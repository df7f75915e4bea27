/* What the phases of a layout share. */
#ifndef LAYOUT_LAYOUT_PARTS_H
#define LAYOUT_LAYOUT_PARTS_H

#include "layout/graph_layout.h"

enum {
    BOX_GAP = 24,  /* between boxes of a layer */
    LINE_GAP = 12, /* beside a line that passes a layer */
    LAYER_GAP = 36 /* between layers */
};

/* What has a place in a layer: a box, or the place where lines from one box pass. */
typedef struct cell {
    uint32_t layer;
    uint32_t place; /* in the layer, from the left */
    int32_t width;
    bool is_line;
    double center;
} cell;

/* Cells that others are linked to in the layer above or below: `at[first[c]]` .. before
 * `at[first[c + 1]]`. */
typedef struct cell_links {
    uint32_t *first, *at;
} cell_links;

typedef struct layout_cells {
    layout *g;
    uint32_t n; /* the boxes of G come first */
    cell *at;
    uint32_t n_layers;
    uint32_t *first; /* by layer, and behind the last: where it begins in `order` */
    uint32_t *order; /* cells by layer, from the left */
    uint32_t n_links;
    cell_links above, below;
} layout_cells;

/* Tell each cell its place in `order`. */
void layout_count_places(layout_cells *c);
/* Change the order in layers so that few lines cross. False without memory. */
bool layout_order(layout_cells *c);
/* Give each cell its center, keeping the order and the gaps. False without memory. */
bool layout_centers(layout_cells *c);

#endif
