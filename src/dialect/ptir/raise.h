/* The graph to the model: the other way of lower.h, for the writers. */
#ifndef PTIR_RAISE_H
#define PTIR_RAISE_H

#include "dialect/ptir/model.h"

typedef struct raise_options {
    bool exchange;   /* only what the reference implementation knows: no LayerNorm, no Clamp */
    bool any_result; /* results may be any values and elements, as in the text form */
    bool comments;   /* say what the instructions of gradients belong to */
} raise_options;

/* Make *OUT, in MEMORY, of M. What PTIR cannot say is reported, all of it. */
tn_status ptir_raise(const module *m, const raise_options *options, arena *memory,
                     ptir_program *out);

/* ---- its parts ----------------------------------------------------------------------------- */

/* An input that a parameter of tuple type brings. */
typedef struct brought_input {
    const input_tuple *tuple; /* NULL: it is a parameter of its own */
    uint32_t leaf;
} brought_input;

typedef struct raising {
    const module *m;
    const raise_options *options;
    arena *memory;
    const uint32_t *region_ids; /* by function of the module */
    const function *f;
    ptir_function *to;
    uint32_t *ids;          /* by node; NO_VALUE: a literal operand */
    uint32_t *positions;    /* by node: its instruction in the body; NO_VALUE: none or several */
    brought_input *brought; /* by node; NULL: there are no tuples */
    const ptir_operand *belongs; /* of what is emitted now */
    span at;                     /* of it, in the module's source */
    uint32_t next_id;
    uint32_t faults;
    bool no_memory;
} raising;

__attribute__((format(printf, 4, 5))) void
ptir_raise_fault(raising *r, const node *n, diag_kind kind, const char *format, ...);

/* The operand that names V. */
ptir_operand ptir_raise_operand(raising *r, value_id v);
/* Append INST under the next id; returns the id. */
uint32_t ptir_raise_emit(raising *r, ptir_inst inst);
/* The fields of N as the operation OP has them. */
void ptir_raise_attrs(raising *r, const node *n, ptir_op op, ptir_inst *out);
/* Is N's value a tuple for PTIR? Its type. */
bool ptir_raise_is_tuple(const raising *r, const node *n);
ptir_type ptir_raise_type(raising *r, const node *n);

/* LayerNorm and Clamp as core operations; the id of the last. */
uint32_t ptir_raise_layer_norm(raising *r, const node *n);
uint32_t ptir_raise_clamp(raising *r, const node *n);
/* V, unchanged, as an instruction of its own. */
uint32_t ptir_raise_identity(raising *r, ptir_operand v, const type *t);

#endif
