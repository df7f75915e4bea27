/* The graph of a function as boxes and lines with places. */
#ifndef REPORT_PICTURE_H
#define REPORT_PICTURE_H

#include "compile/jit_plan.h"
#include "layout/graph_layout.h"

/* Functions of more nodes are drawn as kernels, of more kernels than a layout takes not at all. */
enum { PICTURE_MOST_NODES = 400 };

typedef enum picture_kind {
    PICTURE_INPUT,
    PICTURE_OP,
    PICTURE_KERNEL,
    PICTURE_OUTPUT
} picture_kind;

/* A constant has no box: what uses it says so. Texts are UTF-8 if the program's names are. */
typedef struct picture_box {
    picture_kind kind;
    const char *title; /* the operation, the number and kind of a kernel, or a name */
    const char *text;  /* the type of a result, or what a kernel computes */
    const char *note;  /* the constants it takes, or what a kernel moves; "": nothing */
    uint32_t kernel;   /* 1 + its number; 0: in none */
    value_id value;    /* NO_VALUE: of a kernel */
} picture_box;

typedef struct picture {
    const function *f;
    bool is_of_kernels;
    picture_box *boxes; /* as in the layout */
    layout g;
} picture;

/* 1 + the kernel that computes each node of P's function, by node; 0: none does. NULL without
 * memory. */
uint32_t *picture_kernels(const function_plan *p, arena *memory);
/* Can P be drawn in this way? */
bool picture_can(const function_plan *p, bool of_kernels);
/* Draw P, which can be drawn so; all in MEMORY. False without memory. */
bool picture_make(const function_plan *p, bool of_kernels, arena *memory, picture *out);

/* As an SVG document: every function of PLAN in the way that suits its size. False without memory,
 * and when *WHY, then not NULL, says what cannot be drawn. */
bool picture_svg(const jit_plan *plan, const char *title, text_buffer *out, const char **why);
/* As one JSON object: every function, with its nodes, in all ways that suit its size. */
bool picture_json(const jit_plan *plan, text_buffer *out);

#endif
