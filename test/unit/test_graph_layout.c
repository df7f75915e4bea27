/* Layouts: places are the same each time, boxes stay apart, lines run downwards past boxes, and the
 * work for large graphs stays in proportion. */
#include <stdlib.h>

#include "check.h"
#include "layout/graph_layout.h"

typedef struct drawn {
    arena memory;
    layout g;
} drawn;

static uint32_t draw_number(uint64_t *state, uint32_t below)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)((*state >> 33) % below);
}

/* N boxes of different widths; each takes from up to DEGREE of the SPAN boxes before it. */
static bool draw_random(drawn *d, uint32_t n, uint32_t degree, uint32_t span, uint64_t seed)
{
    arena_init(&d->memory, &memory_system);
    d->g = (layout){.memory = &d->memory, .n_boxes = n};
    d->g.boxes = ARENA_ARRAY(&d->memory, layout_box, n);
    d->g.edges = ARENA_ARRAY(&d->memory, layout_edge, (size_t)n * degree);
    for (uint32_t b = 0; b < n; b++) {
        d->g.boxes[b].width = 40 + (int32_t)draw_number(&seed, 160);
        d->g.boxes[b].height = 24 + (int32_t)draw_number(&seed, 24);
        const uint32_t taken = b ? draw_number(&seed, degree + 1) : 0;
        for (uint32_t i = 0; i < taken; i++) {
            const uint32_t back = 1 + draw_number(&seed, b < span ? b : span);
            d->g.edges[d->g.n_edges++] = (layout_edge){.from = b - back, .to = b};
        }
    }
    return CHECK(layout_graph(&d->g));
}

static int compare_boxes(const void *a, const void *b)
{
    const layout_box *x = a, *y = b;
    return x->layer != y->layer ? (x->layer > y->layer) - (x->layer < y->layer)
                                : (x->x > y->x) - (x->x < y->x);
}

static void check_boxes(const layout *g)
{
    layout_box *sorted = malloc(g->n_boxes * sizeof *sorted);
    if (!CHECK(sorted != NULL))
        return;
    memcpy(sorted, g->boxes, g->n_boxes * sizeof *sorted);
    qsort(sorted, g->n_boxes, sizeof *sorted, compare_boxes);
    bool are_apart = true, are_inside = true;
    for (uint32_t i = 0; i < g->n_boxes; i++) {
        const layout_box *b = &sorted[i], *before = i ? b - 1 : NULL;
        are_inside = are_inside && b->x >= 0 && b->y >= 0 && b->x + b->width <= g->width &&
                     b->y + b->height <= g->height;
        if (before && before->layer == b->layer)
            are_apart = are_apart && before->x + before->width < b->x;
        else if (before)
            are_apart = are_apart && before->y + before->height < b->y;
    }
    CHECK(are_apart);
    CHECK(are_inside);
    free(sorted);
}

static bool is_in_box(const layout *g, layout_point p, uint32_t layer)
{
    for (uint32_t b = 0; b < g->n_boxes; b++)
        if (g->boxes[b].layer == layer && p.x >= g->boxes[b].x &&
            p.x <= g->boxes[b].x + g->boxes[b].width)
            return true;
    return false;
}

static void check_edges(const layout *g)
{
    bool run_down = true, pass_boxes = true;
    for (uint32_t e = 0; e < g->n_edges; e++) {
        const layout_edge *edge = &g->edges[e];
        const layout_box *from = &g->boxes[edge->from], *to = &g->boxes[edge->to];
        const uint32_t span = to->layer - from->layer;
        int32_t y = from->y + from->height;
        run_down = run_down && from->layer < to->layer && y < to->y;
        run_down = run_down && edge->n_bends == (edge->is_far ? 0 : 2 * (span - 1));
        for (uint32_t i = 0; i < edge->n_bends; i++) {
            run_down = run_down && edge->bends[i].y >= y;
            y = edge->bends[i].y;
            pass_boxes = pass_boxes && !is_in_box(g, edge->bends[i], from->layer + 1 + i / 2);
        }
        run_down = run_down && y <= to->y;
    }
    CHECK(run_down);
    CHECK(pass_boxes);
}

static void test_random(void)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        drawn a, b;
        const uint32_t n = 1 + (uint32_t)(seed * 7), span = seed % 3 ? 8 : n;
        if (!draw_random(&a, n, 1 + (uint32_t)seed % 4, span, seed) ||
            !draw_random(&b, n, 1 + (uint32_t)seed % 4, span, seed))
            return;
        check_boxes(&a.g);
        check_edges(&a.g);
        CHECK(memcmp(a.g.boxes, b.g.boxes, n * sizeof *a.g.boxes) == 0);
        CHECK_INT(a.g.crossings, b.g.crossings);
        arena_release(&a.memory);
        arena_release(&b.memory);
    }
}

/* Ten thousand operations: places looked at for each box and edge, of which a second has time for
 * thousands. */
static void test_large(void)
{
    static const uint32_t spans[] = {1, 4, 40, 1000, 10000};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        drawn d;
        if (!draw_random(&d, 10000, 3, spans[i], 9))
            return;
        CHECK(d.g.work < 400 * ((uint64_t)d.g.n_boxes + d.g.n_edges));
        check_boxes(&d.g);
        arena_release(&d.memory);
    }
}

/* One value that everything uses: its lines share their way, and the longest take none. */
static void test_wide_use(void)
{
    enum { N = 3000 };
    drawn d;
    arena_init(&d.memory, &memory_system);
    d.g = (layout){.memory = &d.memory, .n_boxes = N, .n_edges = 2 * N - 3};
    d.g.boxes = ARENA_ARRAY(&d.memory, layout_box, N);
    d.g.edges = ARENA_ARRAY(&d.memory, layout_edge, 2 * N - 3);
    for (uint32_t b = 0; b < N; b++)
        d.g.boxes[b] = (layout_box){.width = 80, .height = 30};
    for (uint32_t b = 1; b < N; b++)
        d.g.edges[b - 1] = (layout_edge){.from = b - 1, .to = b};
    for (uint32_t b = 2; b < N; b++)
        d.g.edges[N - 1 + b - 2] = (layout_edge){.from = 0, .to = b};
    if (CHECK(layout_graph(&d.g))) {
        check_boxes(&d.g);
        CHECK(!d.g.edges[N - 1].is_far);
        CHECK(d.g.edges[2 * N - 4].is_far);
        CHECK(d.g.work < 400 * ((uint64_t)d.g.n_boxes + d.g.n_edges));
        CHECK_INT(d.g.crossings, 0);
    }
    arena_release(&d.memory);
}

/* Two chains whose boxes come in an order that crosses them: they are taken apart, and straight. */
static void test_chains(void)
{
    static const uint32_t edges[][2] = {{0, 3}, {1, 2}, {2, 5}, {3, 4}, {4, 7}, {5, 6}};
    drawn d;
    arena_init(&d.memory, &memory_system);
    d.g = (layout){.memory = &d.memory, .n_boxes = 8, .n_edges = 6};
    d.g.boxes = ARENA_ARRAY(&d.memory, layout_box, 8);
    d.g.edges = ARENA_ARRAY(&d.memory, layout_edge, 6);
    for (uint32_t b = 0; b < 8; b++)
        d.g.boxes[b] = (layout_box){.width = 60, .height = 30};
    for (uint32_t e = 0; e < 6; e++)
        d.g.edges[e] = (layout_edge){.from = edges[e][0], .to = edges[e][1]};
    if (CHECK(layout_graph(&d.g))) {
        CHECK_INT(d.g.crossings, 0);
        for (uint32_t e = 0; e < 6; e++)
            CHECK_INT(d.g.boxes[edges[e][0]].x, d.g.boxes[edges[e][1]].x);
    }
    arena_release(&d.memory);
}

static void test_empty(void)
{
    drawn d;
    arena_init(&d.memory, &memory_system);
    d.g = (layout){.memory = &d.memory};
    CHECK(layout_graph(&d.g));
    CHECK_INT(d.g.width, 0);
    d.g.n_boxes = LAYOUT_MOST_BOXES + 1;
    CHECK(!layout_graph(&d.g));
    arena_release(&d.memory);
}

int main(void)
{
    test_empty();
    test_chains();
    test_random();
    test_wide_use();
    test_large();
    return check_result();
}
