/* From kernels to loop programs. */
#ifndef LOOP_NEST_NEST_H
#define LOOP_NEST_NEST_H

#include "loop/contract/contract_schedule.h"
#include "loop/emit/emit.h"
#include "machine/machine.h"

enum {
    NEST_STEPS = 5,
    NEST_TEMPS = 4,
    NEST_PACKED = 1,    /* of the two of a contraction: the right operand */
    NEST_BUFFERS = 160, /* more than a full kernel reads and writes */
    NEST_PAIRS = 32,
    NEST_MOVES = 10
};

/* Number AT of a list of buffers begins so many BYTES into a tensor. */
typedef struct nest_move {
    uint32_t at;
    uint64_t bytes;
} nest_move;

/* One program of a kernel; they run in order. */
typedef struct nest_step {
    const loop_program *program;
    uint32_t n_buffers; /* of its own list; 0: it takes all buffers of the nest as they stand */
    uint32_t n_read;    /* the first so many of its list are read */
    bool is_once;       /* it reads only a constant, and writes a temporary */
    uint32_t constant;  /* the number of that constant in its list */
    uint32_t packs;     /* the number of that temporary */
    bool is_checked;    /* a step before it has found whether it fails */
    uint32_t buffers[NEST_BUFFERS];
    nest_move moved[NEST_MOVES]; /* of its list */
    uint32_t n_moved;
    /* Buffers that may alias: pairs of one that is read and one that is written. */
    uint32_t in_place[NEST_PAIRS][2], n_in_place;
    int64_t work;          /* items for the threads */
    int64_t grain;         /* fewest items worth a thread */
    uint64_t flops, bytes; /* for profiles; 0: not known */
    const char *how;       /* a few words for people */
} nest_step;

/* The buffers: what the kernel reads, what it writes (emit_output_buffer), then temporaries. */
typedef struct nest {
    nest_step steps[NEST_STEPS];
    uint32_t n_steps;
    uint64_t temps[NEST_TEMPS]; /* bytes; contents need not survive */
    uint32_t n_temps;
    bool reads_old;        /* UPDATE: the programs read the operand that they update a copy of */
    uint64_t flops, bytes; /* what the kernel has to compute and to move, however it does that */
    /* Flops that take as long: a function counts as what it consists of. */
    uint64_t work;
    uint64_t cycles; /* more, by a model: what is ordered, drawn or scattered; sixty-fourths */
    bool is_open;    /* one turn of a loop that data end counts */
    contract_schedule schedules[KERNEL_STAGES_MOST]; /* of its contractions */
    uint32_t n_schedules;
} nest;

/* What nests are made for. */
typedef struct nest_options {
    machine on;                 /* to be fast on */
    contract_schedule schedule; /* of contractions, as far as it is asked for */
} nest_options;

/* The programs for K, in MEMORY. False without memory, or when the kernel is beyond what index maps
 * can express; it can be run by reference kernels then. */
bool nest_of_kernel(const function *f, const kernel *k, const nest_options *o, arena *memory,
                    nest *out);

/* Private to the nests of each kind. */

/* K over other positions: MAP leads from those to the ones of K, and their extents are OTHER with
 * other sizes. In MEMORY; false without memory. */
bool nest_rebase(const kernel *k, const access_map *map, const int64_t *other, uint32_t reduced,
                 arena *memory, kernel *out);
/* K over as few axes as its accesses allow: adjacent axes are merged where all accesses have
 * compatible strides, axes of extent 1 vanish, and for ROWS all reduced axes become one, the last.
 */
bool nest_simplify(const function *f, const kernel *k, arena *memory, kernel *out);
/* K over two axes as one, in the order in which the last one comes first. *APPLIES: everything that
 * OPERAND is computed from is read one after the other so. False without memory. */
bool nest_flatten(const function *f, const kernel *k, value_id operand, arena *memory, kernel *out,
                  bool *applies);
/* X, by the NAME of loop_size where it is dynamic. */
static inline loop_value nest_number(loop_builder *b, bool is_dynamic, uint32_t name, int64_t x)
{
    return is_dynamic ? loop_size(b, name, x) : loop_i64(b, x);
}
static inline sized nest_extent(const kernel *k, uint32_t axis)
{
    return (sized){k->dims[axis], k->other[axis]};
}
/* Is the extent of axis AXIS known only when the program runs? Then loops end at a number that the
 * step gives (loop_size), and no code is left out because of its value. */
static inline bool nest_is_dynamic(const kernel *k, uint32_t axis)
{
    return !sized_is_fixed(nest_extent(k, axis));
}
static inline uint64_t nest_elements(const function *f, value_id v)
{
    return (uint64_t)value_type(f, v)->count;
}
/* How many lanes suit the values of K, of which there are at most EXTENT. */
uint32_t nest_lanes(const function *f, const kernel *k, int64_t extent);
/* Items worth a thread of their own, when each costs EACH cheap operations. */
int64_t nest_grain(uint64_t each);
/* Roughly what one position costs, in cheap operations. */
uint32_t nest_cost(const function *f, const kernel *k);
/* Is N worth keeping, where its result is wanted again later? */
bool nest_is_expensive(const node *n);
/* Arithmetic operations: two for each multiply-add of a contraction, one for each element of an
 * elementwise operation or of what is reduced. Movement and conversion are none. */
uint64_t nest_flops(const function *f, const kernel *k);
/* Work of OUT, whose schedules are known: each addition of a function, such as exp, counts as a
 * multiply-add, and numbers of 64 bits count twice. What is not arithmetic becomes cycles. */
void nest_count_work(const function *f, const kernel *k, nest *out);
/* Bytes of all that K reads and writes. */
uint64_t nest_bytes(const function *f, const kernel *k);
/* Does READ, which may be NULL, read V, under one of the names that it has? */
bool nest_is_read_of(const function *f, value_id v, const emit_read *read);
/* Bytes that K must read and write: each once, and of an input only the elements that it uses. */
uint64_t nest_traffic(const function *f, const kernel *k, arena *memory);
/* Lane j of x[i] becomes lane i of x[j], for SIDE vectors of as many lanes. */
void nest_transpose(loop_builder *b, element *x, uint32_t side);
/* Set the coordinates of axes 0 .. N-1 from the row-major number ITEM. */
void nest_decode(emitter *e, loop_value item, uint32_t n);
/* How many parts of SIZE, a number of the program, EXTENT has. */
sized nest_parts(sized extent, int64_t size);
/* Part NUMBER, of SIZE, of EXTENT positions. */
void nest_part(loop_builder *b, loop_value number, int64_t size, sized extent, loop_value *low,
               loop_value *high);
/* Buffer number AT of STEP's list begins BYTES into its tensor; false when there are too many. */
static inline bool nest_moves(nest_step *step, uint32_t at, uint64_t bytes)
{
    if (bytes == 0 || step->n_moved == NEST_MOVES)
        return bytes == 0;
    step->moved[step->n_moved++] = (nest_move){at, bytes};
    return true;
}
/* Where that is possible, a step more before those of K's nest OUT, which sees whether they fail.
 * False without memory. */
bool nest_check_before(const function *f, const kernel *k, arena *memory, nest *out);
/* Does that step look at all positions of K that are data? */
bool nest_is_checked_before(const function *f, const kernel *k);
bool nest_of_map(const function *f, const kernel *k, const nest_options *o, arena *memory,
                 nest *out);
bool nest_of_products(const function *f, const kernel *k, const nest_options *o, arena *memory,
                      nest *out);
/* One node that has loops of its own (KERNEL_LOOPS), on everything in memory. */
bool nest_of_loops(const function *f, const kernel *k, const nest_options *o, arena *memory,
                   nest *out);
bool nest_of_rows(const function *f, const kernel *k, const nest_options *o, arena *memory,
                  nest *out);
bool nest_of_stages(const function *f, const kernel *k, const nest_options *o, arena *memory,
                    nest *out);

#endif
