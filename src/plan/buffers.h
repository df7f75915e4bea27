/* Which tensors of a program need memory, for how long, and which can share it. */
#ifndef PLAN_BUFFERS_H
#define PLAN_BUFFERS_H

#include "graph/module.h"

enum { BUFFER_PARAMETER = 1, BUFFER_RESULT = 2, BUFFER_TEMPORARY = 4, BUFFER_CONSTANT = 8 };

typedef enum buffer_alias {
    ALIAS_NONE,
    ALIAS_IDENTITY, /* the same bytes as the operand: reshape, stop_gradient */
    ALIAS_VIEW      /* some of the operand's bytes, or in another order: slice, transpose */
} buffer_alias;

#define NO_SLOT UINT32_MAX
#define BYTES_UNKNOWN (-1)

typedef struct planned_buffer {
    uint32_t function;
    value_id value;
    const type *type;
    int64_t bytes; /* BYTES_UNKNOWN with symbols, for 4-bit integers and fp8 */
    uint32_t usage;
    uint32_t begin, end; /* parameters at 0, instruction i at i + 1; both ends included */
    buffer_alias alias;
    uint32_t source; /* index of the aliased buffer; its own without alias */
    uint32_t group;  /* buffers that alias each other, however far */
    uint32_t slot;   /* NO_SLOT: parameters, results, constants, views, unknown sizes */
} planned_buffer;

typedef struct buffer_slot {
    int64_t offset;          /* in one block of memory for all slots, aligned */
    uint32_t of_class, next; /* while a function is planned */
} buffer_slot;

typedef struct buffer_plan {
    const tn_allocator *allocator;
    VECTOR(planned_buffer) buffers; /* by function, then value */
    VECTOR(buffer_slot) slots;
    int64_t slot_bytes; /* of the block of slots */
    int64_t peak;       /* most bytes of temporaries alive at one time, also inside of regions */
} buffer_plan;

enum { BUFFER_ALIGNMENT = 64 };

/* Plan M. Parameters live through the whole function; temporaries from their instruction to the
 * last that reads them or an alias of them. Temporaries of one function, dtype and size whose
 * lifetimes do not overlap share a slot; of the free slots the one that became free last is taken.
 * Rejects (InvalidDimension) sizes that overflow. */
tn_status plan_buffers(const module *m, buffer_plan *out);
void buffer_plan_release(buffer_plan *p);

#endif
