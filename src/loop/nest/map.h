/* Nests in which each position is on its own: the parts that lines and tiles share. */
#ifndef LOOP_NEST_MAP_H
#define LOOP_NEST_MAP_H

#include "loop/nest/nest.h"

/* One vector of positions along the innermost axis, where E stands; BUFFERS by output. NONTEMPORAL:
 * large outputs are written by non-temporal stores. */
void map_body(emitter *e, const loop_value *buffers, bool nontemporal);
/* Positions LOW .. HIGH of the innermost axis, of which HIGH may be its end. */
void map_line(emitter *e, loop_value low, loop_value high, const loop_value *buffers);
/* Is output OUT so large that it should be written by non-temporal stores, if it is aligned? */
bool map_may_store_nontemporal(const emitter *e, const kernel_output *out);
/* Are all outputs aligned for which non-temporal stores are wanted? A value of the program;
 * LOOP_NO_VALUE when there are none. */
loop_value map_aligned(emitter *e, const loop_value *buffers);

/* The outputs of E that may lie over operands, in STEP. */
void map_find_overlays(emitter *e, nest_step *step);
/* Where the kernel reads and writes parts of tensors, their offsets become arguments of STEP, so
 * that programs that differ in nothing else are equal. Those that may lie over one another stay.
 * False without memory. */
bool map_move_buffers(emitter *e, nest_step *step);

/* A nest of square tiles, for kernels that read along another axis than they write; APPLIES tells
 * whether K is such. False without memory. */
bool nest_of_tiles(const function *f, const kernel *k, const nest_options *o, arena *memory,
                   nest *out, bool *applies);

/* K over more axes, where everything is read along plain strides. *APPLIES: there are such, and
 * they are not those of K. False without memory. */
bool nest_split(const function *f, const kernel *k, arena *memory, kernel *out, bool *applies);

/* A whole line where E stands, in the parts that the borders of padding make. False: there are
 * none, or they are of no use, and nothing was done. */
bool map_parts(emitter *e, const nest_options *o, const loop_value *buffers);

/* Vector number J of those, of LANES lanes, that X[0 .. n-1] are woven into. */
element map_woven(loop_builder *b, const element *x, uint32_t n, uint32_t j, uint32_t lanes);
/* The other way: number J of those that were woven into X[0 .. n-1]. */
element map_unwoven(loop_builder *b, const element *x, uint32_t n, uint32_t j, uint32_t lanes);

/* A nest of vectors that are woven into one another, for kernels whose results have few neighbours
 * along the innermost axis; likewise. */
bool nest_of_weave(const function *f, const kernel *k, const nest_options *o, arena *memory,
                   nest *out, bool *applies);

#endif
