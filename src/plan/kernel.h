/* Kernels: which nodes of a function run together, over which positions, and what they leave in
 * memory. A kernel reads values that are in memory, computes its own on demand through index maps,
 * and writes its outputs; nothing else of it ever has an address. */
#ifndef PLAN_KERNEL_H
#define PLAN_KERNEL_H

#include "graph/module.h"
#include "index/access.h"

typedef enum kernel_kind {
    KERNEL_MAP,      /* each position on its own */
    KERNEL_ROWS,     /* also reductions along axes of the positions, and what depends on them */
    KERNEL_CONTRACT, /* one contraction; the others make its operands or finish its result */
    KERNEL_UPDATE,   /* as MAP, over the window of a dynamic_update_slice */
    KERNEL_STAGES,   /* several of ROWS and CONTRACT, one after the other on blocks of rows */
    KERNEL_LOOPS, /* one node, by loops of its own; others make its operands element by element */
    KERNEL_REFERENCE /* one node, by its reference kernel */
} kernel_kind;

/* What one kernel holds at most. */
enum {
    KERNEL_OUTPUTS = 16,
    KERNEL_REDUCTIONS = 16,
    KERNEL_STAGES_MOST = 4,
    KERNEL_CONTRACTIONS_MOST = 2
};

/* VALUE, computed at the position `from` of it, goes to the position `to` of INTO, for each
 * position of the kernel (of the kept axes alone, when neither depends on the reduced ones).
 * REFERENCE: VALUE as a whole, and both maps are NULL. */
typedef struct kernel_output {
    value_id value, into;
    const access_map *from, *to;
    bool is_window; /* UPDATE: `to` counts from where the window of the kernel's node starts */
} kernel_output;

/* A value that a kernel reads, and why it is not computed in the kernel. */
typedef struct kernel_edge {
    value_id value;
    const char *why; /* a sentence */
} kernel_edge;

typedef struct kernel {
    kernel_kind kind;
    uint32_t rank; /* the positions */
    int64_t dims[TN_MAX_RANK];
    int64_t other[TN_MAX_RANK]; /* the same with other sizes (function.like) */
    uint32_t reduced;           /* ROWS: mask of the axes that its reductions run over */
    const access_map
        *operands; /* ROWS: from positions to those of the operands of its reductions */
    uint32_t node; /* all but MAP and ROWS: which */
    bool draws;    /* it has random generators, so it is told the seed of the run */
    bool is_split; /* ROWS: few and long rows, whose blocks are distributed over threads */
    uint32_t
        n_nodes; /* computed here, ascending; a constant or movement may be in several kernels */
    const uint32_t *nodes;
    uint32_t n_in; /* values it reads, ascending */
    const value_id *in;
    uint32_t n_out;
    const kernel_output *out;
    uint32_t n_edges;
    const kernel_edge *edges;
    /* STAGES: in the order in which they run. All have the same rows, in row-major order. A stage
     * stores one value, row by row, which only the next one reads, row by row, and which is never
     * in memory as a whole. The kernel itself reads and writes the rest, and has the positions of
     * the last stage. */
    uint32_t n_stages;
    const struct kernel *stages;
    /* Its programs are to be those for other sizes of the program, too (function.like): what
     * depends on these is a number of the step, and no code is left out because of it. */
    bool is_generic;
} kernel;

/* The kernels of F in an order in which they can run. What only moves elements without changing
 * their row-major order has no kernel: `same_as` of such a value is the value whose memory it is.
 */
typedef struct kernel_list {
    uint32_t n;
    const kernel *at;
    const value_id *same_as; /* by value; its own number in other cases */
} kernel_list;

/* Group the nodes of F, whose types are static, that its outputs need. All in MEMORY; false without
 * memory. */
bool kernels_of(const function *f, arena *memory, kernel_list *out);

/* What the extents of K, of F, which is complete, are with other sizes. */
void kernel_set_sizes(const function *f, kernel *k);
/* Has LIKE the nodes of F, perhaps with other extents? */
bool function_is_resized(const function *f, const function *like);

/* Is N elementwise or movement, so that a kernel can compute it at any position? */
bool kernel_can_contain(const function *f, const node *n);
/* Is N a constant of one number, which is known wherever it is wanted? */
bool kernel_is_uniform(const node *n);
/* The elements of V, from axis AXIS on. */
sized kernel_elements_from(const function *f, value_id v, uint32_t axis);
/* Is N elementwise, and an instruction or two for each element? */
bool kernel_is_one_step(const node *n);
/* Is N a reduction that KERNEL_ROWS takes? */
bool kernel_is_reduction(const function *f, const node *n);
/* Is N run by loops of its own (KERNEL_LOOPS)? */
bool kernel_has_loops(const node *n);
/* Is N a scan or while whose regions compute element by element: every value has one element, or as
 * many as the largest, and element i comes of elements i? */
bool kernel_runs_regions(const function *f, const node *n);
/* The elements of the largest value in the regions of such a node. */
int64_t kernel_region_elements(const function *f, const node *n);
/* The region of N, of F, that attribute KEY names. */
const function *kernel_region(const function *f, const node *n, attr_key key);
/* Does N move no elements, so that only its check of positions is left? */
bool kernel_only_checks(const function *f, const node *n);
/* Where a scatter_reduce N has the same position for all that lies behind its axis: what its
 * positions repeat, one for each such row. NO_VALUE: they may differ. */
value_id kernel_row_positions(const function *f, const node *n);
/* Does N read its first operand, which is in memory, at positions that the other operands give? */
bool kernel_reads_by_data(const node *n);
/* At how many places N, which is contained, needs operand K for each position of its result; 0 when
 * it is read in memory, at positions that data give. */
uint32_t kernel_operand_uses(const function *f, const node *n, uint32_t k);
/* The map from the positions of N's result to one such place. False: there is none. */
bool kernel_operand_map(const function *f, const node *n, uint32_t k, uint32_t use, arena *memory,
                        access_map *out);

/* The word for a kind: "map", "rows", ... */
const char *kernel_kind_name(kernel_kind kind);
/* K, of F, for dumps: what it computes, reads and writes, and through which maps. */
void kernel_print(const function *f, const kernel *k, text_buffer *out);

#endif
