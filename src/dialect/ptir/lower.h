/* The model to the graph: names are resolved, attributes translated, PTIR's own rules checked. */
#ifndef PTIR_LOWER_H
#define PTIR_LOWER_H

#include "dialect/ptir/codes.h"

/* Fill the fresh module M with P. FAULTS were found while reading; a module with faults is rejected
 * when all of it was looked at. Scratch lives in MEMORY. */
tn_status ptir_lower(module *m, const ptir_program *p, arena *memory, uint32_t faults);

/* ---- its parts ----------------------------------------------------------------------------- */

/* From the ids of a function to numbers below their count. */
typedef struct ptir_id_map {
    const tn_allocator *allocator;
    uint32_t *dense; /* by id; NO_VALUE is free */
    uint32_t n_dense;
    hash_index sparse;    /* the others */
    VECTOR(uint32_t) ids; /* by number */
} ptir_id_map;

bool ptir_ids_init(ptir_id_map *map, const tn_allocator *allocator, arena *memory, uint32_t largest,
                   uint32_t count);
void ptir_ids_release(ptir_id_map *map);
/* The number of ID, or NO_VALUE. */
uint32_t ptir_ids_find(const ptir_id_map *map, uint32_t id);
/* Give ID, which is not there, the next number. */
bool ptir_ids_add(ptir_id_map *map, uint32_t id);

/* What an id stands for. */
typedef struct lowered {
    value_id first; /* results first .. first + n - 1 */
    uint32_t n;
    uint32_t node;
    const ptir_type *type;
    const ptir_inst *inst; /* NULL: a parameter */
    span at;
    bool faulty; /* a stand-in; faults that follow from it are not reported */
} lowered;

typedef struct lower_scope {
    const ptir_function *from;
    function *f;
    ptir_id_map ids;
    VECTOR(lowered) values;
    bool lost_ids; /* a value had no id of its own, which was reported: others may mean that one */
} lower_scope;

typedef enum region_state { REGION_NEW, REGION_OPEN, REGION_DONE, REGION_FAULTY } region_state;

typedef struct lowering {
    module *m;
    const ptir_program *p;
    arena *memory;
    ptir_where where; /* m->source.reading while lowering */
    lower_scope *scope;
    region_state *regions;
    hash_index region_ids;
    bool lost_regions; /* the same for regions */
    uint32_t depth;
    uint32_t faults;
    uint32_t stand_ins; /* for faulty instructions, those included that could not be read */
    /* Symbols, by the index of their expression: those that parameters bring along, and for the
     * others the extent that they were found to name (0 at first: none). */
    uint32_t n_symbols;
    bool *is_given;
    dim *meaning;
    bool *has_meaning;
    uint32_t *searched; /* the last search that looked at the expression */
    uint32_t searches;
} lowering;

/* Report a fault about the instruction in work; OP is the op it is about, or NULL. */
__attribute__((format(printf, 5, 6))) void
ptir_lower_fault(lowering *l, diag_kind kind, const char *op, span at, const char *format, ...);
tn_status ptir_lower_no_memory(lowering *l);
/* Is there reason to go on after so many faults? */
tn_status ptir_lower_enough(const lowering *l);
/* A status that ends everything; a rejection was counted where it was reported. */
bool ptir_lower_is_fatal(tn_status s);

/* ID, which stands at ID_AT, is V from now on. */
tn_status ptir_lower_add(lowering *l, uint32_t id, span id_at, lowered v);
/* ID is a value of the declared type, so that what uses it can be looked at. */
tn_status ptir_lower_stand_in(lowering *l, uint32_t id, span id_at, lowered v);
/* Make the inputs of the function in work. */
tn_status ptir_lower_parameters(lowering *l);

/* node.spelling of what PTIR can spell in two ways. */
enum {
    PTIR_INLINE = 1,   /* a constant: a literal operand of the instruction after it */
    PTIR_ONE_TUPLE = 1 /* anything else: one result, declared as a tuple of one */
};

/* The op and attributes of INST on operands of the types IN. *OUT is NULL when they are faulty,
 * which was reported. */
tn_status ptir_lower_attrs(lowering *l, const ptir_inst *inst, const type *const *in, uint32_t n_in,
                           op_id *op, const attrs **out);
/* PTIR's constraints beyond those of the vocabulary: no implicit broadcasting, for one. */
bool ptir_lower_check(lowering *l, const ptir_inst *inst, op_id op, const type *const *in,
                      uint32_t n_in);
/* Does the type of instruction INST, as declared, agree with its results FIRST ..? */
tn_status ptir_lower_declared(lowering *l, const ptir_inst *inst, op_id op, value_id first,
                              uint32_t n, bool *ok);
/* Does DECLARED agree with the values FIRST .. (N of them) of a parameter, result or region? */
bool ptir_lower_types_agree(lowering *l, const ptir_type *declared, value_id first, uint32_t n);
/* T with symbols replaced by what they were found to name. NULL: no memory. */
const type *ptir_lower_type(lowering *l, const type *t);
dim ptir_lower_dim(lowering *l, dim d);
/* The symbols of T come with a parameter. */
bool ptir_lower_give_symbols(lowering *l, const ptir_type *t);

/* Is VALUE well-formed? Its bytes are normalised. Reports at AT. */
bool ptir_lower_literal(lowering *l, const literal *value, span at);
/* Index of the region with an id, or NO_VALUE. */
uint32_t ptir_lower_find_region(const lowering *l, uint64_t id);
/* Make the function of region K, which is used at AT, unless that is done. */
tn_status ptir_lower_region(lowering *l, uint32_t k, span at);

/* How T nests: `(t(tt))` for a tuple of a tensor and a tuple of two. NULL: no memory. */
const char *ptir_lower_nesting(arena *memory, const ptir_type *t);

/* Keep the hints of the function in work. */
tn_status ptir_lower_hints(lowering *l);
/* *NAME of the value that is added next: `%7` if the text numbers it so and the graph otherwise. */
tn_status ptir_lower_number(lowering *l, uint32_t id, const char **name);

#endif
