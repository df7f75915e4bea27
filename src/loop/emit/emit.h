/* Values of a kernel, computed on demand at the positions where a loop nest stands.
 *
 * A loop nest opens loops over the axes of the positions, says in an emitter where it stands, and
 * asks for values; index maps lead from the positions to the elements of each operand. One axis may
 * be spread over the lanes of vectors. What does not vary along it is computed once, in one lane.
 */
#ifndef LOOP_EMIT_EMIT_H
#define LOOP_EMIT_EMIT_H

#include "loop/element/element.h"
#include "plan/kernel.h"

typedef struct emit_known {
    value_id v;
    const access_map *map; /* NULL: at every position */
    element x;
} emit_known;

/* What a walk over values has found out. */
typedef struct emit_seen {
    value_id v;
    const access_map *map;
    bool varies;
} emit_seen;

/* A value that is kept in scratch memory, one element for each position along the reduced axis, in
 * vectors when the vector axis is another. */
typedef struct emit_kept {
    value_id v;
    const access_map *map;
    tn_dtype dtype;
    loop_value memory;
    bool is_filled;
    bool is_given; /* by who computed it before */
} emit_kept;

enum { EMIT_KEPT = 8 };

typedef struct emitter {
    loop_builder *b;
    const function *f;
    const kernel *k;
    arena *memory;
    uint32_t rank;
    loop_value at[TN_MAX_RANK]; /* i64: the position; of the vector axis that of the first lane */
    uint32_t vector_axis;       /* `rank`: none */
    uint32_t lanes;             /* along it; 1 without one */
    loop_value count;           /* i64: so many lanes count; LOOP_NO_VALUE: all */
    loop_value *in;             /* by position in k->in: where the value lies */
    const int64_t *moved;       /* likewise: elements of it before that place; NULL: none */
    const int64_t *moved_to;    /* by output of k: elements before where its buffer begins; NULL */
    loop_value seed;            /* i64: of the run, where the kernel draws */
    loop_value window;          /* i64: elements before the window of an UPDATE */
    emit_known *known;          /* a stack: what was computed in the loops that are open */
    uint32_t n_known, cap_known;
    emit_seen *seen; /* of the walk that goes on */
    uint32_t n_seen, cap_seen;
    emit_kept kept[EMIT_KEPT];
    uint32_t n_kept;
    loop_value kept_at; /* i64: elements (or vectors) from the start of what is kept */
    int64_t ahead;      /* large operands are prefetched so many elements before they are loaded
                           along the lanes; 0: not */
    int64_t least;      /* ... which have so many elements; 0: 2 MB */
    uint32_t
        lanes_before;    /* ... and so many elements are loaded just before, from the same lines */
    int64_t lines_ahead; /* large operands whose lines along the last axis lie apart are fetched so
                            many lines before; 0: not */
    bool fetches_rows;   /* of operands whose elements come from positions that are data, rows are
                            fetched before they are met */
    uint32_t
        row_ahead; /* ... of all of the next one, its part for so many positions now; 0: none */
    int64_t stored_next; /* not 0: the lines so many elements after a vector that is stored are
                            fetched into the second-level cache, and those `ahead`, too */
    uint64_t cached;     /* bytes of an output up to which its stores are temporal */
    bool looks_at_lines; /* is it asked for each line of outputs whether a cache line begins it? */
    bool carries;        /* the kernel only moves elements: narrow floats are their bits */
    bool is_checked;     /* positions that are data were looked at by a step before */
    bool gathers;        /* lanes were loaded from positions that are data, each from its own */
    bool failed;         /* no memory, or what emit_can refuses */
} emitter;

/* The buffers of the program are k->in, then the outputs, each value that is stored into once. */
bool emit_init(emitter *e, loop_builder *b, const function *f, const kernel *k, arena *memory);
/* What elements of D are held as. */
tn_dtype emit_dtype(const emitter *e, tn_dtype d);
/* The number of the buffer that the output goes to. */
uint32_t emit_output_buffer(const kernel *k, uint32_t output);
/* The value whose memory buffer number BUFFER is; NO_VALUE: the seed. */
value_id emit_buffer_value(const kernel *k, uint32_t buffer);
/* How many buffers a program of K has. The last one holds the seed of the run, if K draws. */
uint32_t emit_buffer_count(const kernel *k);

/* V at the position that MAP leads to; of one lane when it does not vary, else of e->lanes. */
element emit_value(emitter *e, value_id v, const access_map *map);
/* The LANES elements of V from number INDEX on, of which COUNT (i64; LOOP_NO_VALUE: all) count. V
 * is dense, and so is what it is computed from, element by element. E is one of its own. */
element emit_numbered(emitter *e, value_id v, loop_value index, uint32_t lanes, loop_value count);
/* Compute now, before further loops begin, what V needs that does not vary along the AXES (a mask).
 */
void emit_hoist(emitter *e, value_id v, const access_map *map, uint32_t axes);
/* Make X known as V at the current positions, inside the current loops. */
void emit_know(emitter *e, value_id v, const access_map *map, element x);
/* A mark for emit_forget, which forgets everything that became known after it, when a loop ends. */
static inline uint32_t emit_mark(const emitter *e)
{
    return e->n_known;
}
static inline void emit_forget(emitter *e, uint32_t mark)
{
    e->n_known = mark;
}

/* The value of EXPR at the first lane and its stride from lane to lane; when it has no constant
 * stride, the values of all lanes are in `lanes`. */
typedef struct emit_index {
    loop_value first;
    int64_t step;
    loop_value lanes; /* i64, or LOOP_NO_VALUE */
    int64_t step_other;
    bool is_short; /* as numbers of bytes, all lanes fit into 32 bits, with a sign */
} emit_index;
emit_index emit_expr(emitter *e, const access_expr *expr);

/* Store X, spread over the lanes, at the position of OUT. NONTEMPORAL: by non-temporal stores. */
void emit_store(emitter *e, const kernel_output *out, loop_value buffer, element x,
                bool nontemporal);

/* Elements that are in memory and that a value is computed from. */
typedef struct emit_read {
    value_id v;
    const access_map *map;
    tn_dtype dtype;
    bool is_by_data; /* the expression is only what data add to */
} emit_read;

/* Are lanes that are elements of V with stride STEP loaded as whole vectors? */
bool emit_steps_shortly(const function *f, value_id v, int64_t step);
/* Load what READ reads at the position, LANES neighbours along AXIS, where its step is one. */
element emit_load_along(emitter *e, const emit_read *read, uint32_t axis, uint32_t lanes);

/* The places that V under MAP reads from, as expressions over the positions: offsets in what is in
 * memory (READ), guards (READ of NO_VALUE) and coordinates that count (READ is NULL). For each,
 * VISIT is called. */
typedef void emit_visit(void *user, const access_expr *expr, const emit_read *read);
bool emit_visit_reads(emitter *e, value_id v, const access_map *map, emit_visit *visit, void *user);

/* Load the seed, with the first buffer of the kernel being number FIRST of the program. */
void emit_find_seed(emitter *e, uint32_t first);

/* Is G the same with other sizes, along axes that are as long as now? */
bool emit_is_fixed_guard(const kernel *k, const access_guard *g);

/* Is N computed in the kernel, not read? */
bool emit_contains(const kernel *k, uint32_t node_index);
/* The place of V in k->in; UINT32_MAX when it is not read. */
uint32_t emit_input(const kernel *k, value_id v);

#endif
