/* PTIR's data model: what every form of a program says, as it says it. Readers of a form fill it,
 * lower.h makes the graph of it; raise.h makes it from a graph, for the writers. */
#ifndef PTIR_MODEL_H
#define PTIR_MODEL_H

#include "dialect/dialect.h"
#include "dialect/ptir/schema.h"

/* A list in an arena: struct { T *at; uint32_t n, cap; }. */
bool ptir_list_grow(arena *memory, void **at, uint32_t n, uint32_t *cap, size_t size);
#define PTIR_PUSH(memory, list, item)                                                              \
    (((list)->n < (list)->cap || ptir_list_grow((memory), (void **)&(list)->at, (list)->n,         \
                                                &(list)->cap, sizeof *(list)->at)) &&              \
     ((list)->at[(list)->n++] = (item), true))

/* The type of a value: a tensor, or a tuple of types. */
typedef struct ptir_type {
    const type *tensor; /* NULL: a tuple */
    uint32_t n;         /* items of a tuple */
    const struct ptir_type *items;
} ptir_type;

typedef enum ptir_operand_kind {
    PTIR_VALUE,
    PTIR_ELEMENT,
    PTIR_LITERAL,
    PTIR_FAULTY /* and that was reported */
} ptir_operand_kind;

typedef struct ptir_operand {
    ptir_operand_kind kind;
    uint32_t id;
    uint32_t index;         /* of PTIR_ELEMENT */
    const literal *literal; /* of PTIR_LITERAL */
    span at;
} ptir_operand;

typedef struct ptir_inst {
    uint32_t id;
    uint8_t op;      /* ptir_op; PTIR_OP_COUNT after a fault, which was reported */
    uint8_t word;    /* of an elementwise operation */
    uint8_t n_attrs; /* the fields that are there, in their order */
    uint32_t n_in;
    const attr *attrs; /* regions by their ids; a constant's literal under KEY_VALUE */
    const ptir_operand *in;
    ptir_type out;
    const char *name; /* in the text form, interned; NULL when it is the id */
    /* The value whose gradient this belongs to, for a comment; NULL: none is to be written. */
    const ptir_operand *belongs;
    span at, id_at, out_at;
} ptir_inst;

typedef VECTOR(ptir_type) ptir_types;
typedef VECTOR(uint32_t) ptir_ids;
typedef VECTOR(ptir_inst) ptir_insts;

typedef struct ptir_hint {
    uint32_t id;
    uint8_t kind, policy;
    ptir_ids inputs, exports;
    ptir_insts body;
    attr attrs; /* KEY_DICT */
    span at;
} ptir_hint;

/* A function or a region. */
typedef struct ptir_function {
    const char *name; /* of a function; interned */
    uint64_t region;  /* id of a region */
    ptir_types parameters, results;
    ptir_ids parameter_ids;               /* none for a region whose form does not store them */
    VECTOR(const char *) parameter_names; /* none unless the form has them */
    VECTOR(span) parameter_places;        /* of the ids; none unless the form has them */
    VECTOR(ptir_operand) result_ids;      /* likewise; in the text form also elements of tuples */
    ptir_insts body;
    VECTOR(ptir_hint) hints;
    ptir_ids gradients; /* pairs of ids: an input, its gradient; written, never read */
    bool stores_ids;    /* parameter_ids and result_ids are those of the text */
    span at;            /* the name or id, where there is one */
    span whole;         /* from there to its end; empty: not known */
} ptir_function;

typedef VECTOR(ptir_function) ptir_functions;

/* Where the region of an id is named by an operation that runs it. */
typedef struct ptir_region_use {
    span at;
    uint64_t region;
} ptir_region_use;
typedef VECTOR(ptir_region_use) ptir_region_uses;

typedef struct ptir_program {
    const char *entry; /* interned */
    span entry_at;
    ptir_functions functions, regions;
    ptir_region_uses region_uses; /* for editors; none unless one asks */
} ptir_program;

/* ---- shared by the readers ----------------------------------------------------------------- */

#define PTIR_VERSION "ptir.v0.4"
/* Before the text's number of a region in the name of its function. */
#define PTIR_REGION_PREFIX "region"

/* Order free attributes by name, as the binary form and every writer has them. */
void ptir_dict_sort(dict_entry *entries, uint32_t n);

/* The kind of a free attribute, as a number of ptir_attr_kind_words. */
uint32_t ptir_dict_kind(const dict_entry *e);

/* How the elements of a float dtype, or the parts of a complex one, are coded. */
float_format ptir_float_format(tn_dtype d);

/* The extent called NAME in ?NAME: a symbol, or an expression over symbols such as `(A+B)`, which
 * is how a writer names an extent that was inferred. DIM_NO_MEMORY on lack of memory. */
dim ptir_dim_by_name(module *m, const char *name, size_t length);
/* Tell an editor of the symbols in the name of D, which stands AT. */
void ptir_note_dim(const module *m, span at, dim d);
/* What stands for the extent N < 0, which was reported: an extent of which nothing is known, so
 * that nothing that follows from it is reported too. DIM_NO_MEMORY on lack of memory. */
dim ptir_dim_stand_in(module *m, int64_t n);
/* The text of a symbolic extent. In MEMORY; NULL on lack of memory. */
const char *ptir_dim_name(const module *m, dim d, arena *memory);

/* Is T one tensor, or a tuple without tuples in it? */
bool ptir_type_is_flat(const ptir_type *t);
/* Tensors in T. */
uint32_t ptir_type_leaves(const ptir_type *t);
/* Append them to LEAVES, in order. */
void ptir_type_flatten(const ptir_type *t, const type **leaves, uint32_t *n);

#endif
