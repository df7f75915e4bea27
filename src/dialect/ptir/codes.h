/* PTIR's error codes and its wording of messages. */
#ifndef PTIR_CODES_H
#define PTIR_CODES_H

#include "dialect/ptir/model.h"

/* Where the reader stands: what the detail of an error says. */
typedef struct ptir_where {
    const module *m;
    const char *function;  /* NULL: nowhere */
    const ptir_inst *inst; /* NULL: in no instruction */
    uint32_t index;        /* of the instruction */
    bool is_region;
    const type *const *in; /* operand types, as far as they are known */
    uint32_t n_in;
} ptir_where;

/* The code of KIND about the op OP ("": none); NULL when PTIR has none and the kind is the code. */
const char *ptir_code(int kind, const char *op);
const char *ptir_code_of(int kind);

/* As source.restate: the code, and `SpecError: text (detail)`. s->reading is a ptir_where. */
void ptir_restate(const source *s, int kind, const char *op, tn_diagnostic *d, arena *memory);

#endif
