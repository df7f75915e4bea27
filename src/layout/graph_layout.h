/* Places for the boxes and lines of a drawn graph: layers from top to bottom, few crossings, lines
 * as straight as the boxes allow. Equal graphs get equal places on every machine. */
#ifndef LAYOUT_GRAPH_LAYOUT_H
#define LAYOUT_GRAPH_LAYOUT_H

#include "base/memory/memory.h"

typedef struct layout_point {
    int32_t x, y;
} layout_point;

typedef struct layout_box {
    int32_t width, height; /* given, in pixels: at most LAYOUT_MOST_SIDE */
    int32_t x, y;          /* made: the upper left corner */
    uint32_t layer;        /* made: from the top */
} layout_box;

typedef struct layout_edge {
    uint32_t from, to; /* given: numbers of boxes, from < to */
    /* Made: the points between the middle of the lower side of FROM and that of the upper side of
     * TO. None for an edge that is far: so long that it would push boxes aside on its way. */
    uint32_t n_bends;
    const layout_point *bends;
    bool is_far;
} layout_edge;

enum { LAYOUT_MOST_SIDE = 1 << 12, LAYOUT_MOST_BOXES = 1 << 16 };

typedef struct layout {
    arena *memory; /* that bends and everything temporary come from */
    uint32_t n_boxes, n_edges;
    layout_box *boxes;
    layout_edge *edges;
    /* made */
    int32_t width, height; /* of the rectangle from (0, 0) that holds everything */
    uint64_t crossings;    /* of lines, between neighbouring layers */
    uint64_t work;         /* places looked at: what the time is proportional to */
} layout;

/* Fill in what is made, of at most LAYOUT_MOST_BOXES boxes. Time and memory grow with n log n of
 * the number of boxes and edges together. False without memory, and for more boxes. */
bool layout_graph(layout *g);

#endif
