/* The graph: a module of functions, each a flat list of nodes in SSA form. */
#ifndef GRAPH_MODULE_H
#define GRAPH_MODULE_H

#include "base/context/context.h"
#include "graph/op.h"

typedef uint32_t value_id;
#define NO_VALUE UINT32_MAX

/* One operation. Its results are the values first_value .. first_value + n_results - 1. */
typedef struct node {
    uint16_t op;       /* op_id */
    uint8_t spelling;  /* which of a dialect's spellings the text used; never affects meaning */
    uint8_t n_results; /* more than 255 results are refused */
    uint32_t n_in;
    value_id first_value;
    span at;            /* in the module's source */
    const value_id *in; /* owned by the module's arena */
    const attrs *attrs;
    const char *name; /* the text's own name, interned; NULL when it has none */
    const char *tag;  /* free remark that is kept, interned; NULL when there is none */
    /* In a gradient module: 1 + the primal value whose gradient this node helps to make; else 0. */
    uint32_t belongs;
    uint32_t place; /* 1 + the number of the instruction in the text; 0: it is not in the text */
} node;

typedef struct value_info {
    const type *type;
    uint32_t node; /* that defines it */
} value_info;

/* A remark that NODES, which compute EXPORTS from INPUTS, may run as one kernel (all by their index
 * in the function). Kinds and policies are numbers of the dialect. Forgotten when a pass changes
 * the function. */
typedef struct fusion_hint {
    uint32_t id;
    uint8_t kind, policy;
    uint32_t n_inputs, n_exports, n_nodes;
    const uint32_t *inputs, *exports, *nodes; /* owned by the module's arena */
    const attrs *attrs;                       /* DICT */
} fusion_hint;

/* A type that the text gives a value and that names extents otherwise than its type, which follows
 * from the operands. Once all symbols have values, both must be equal. */
typedef struct declared_type {
    value_id of;
    const type *type;
} declared_type;

/* Inputs FIRST .. that the text passes as one tuple: as many as NESTING, such as `(t(tt))`, has
 * tensors. */
typedef struct input_tuple {
    uint32_t first;
    const char *nesting; /* interned */
} input_tuple;

/* Nodes are in definition order: operands are smaller than results. Inputs are nodes too and are
 * listed, in interface order, in `inputs`; regions of control flow are functions. */
typedef struct function {
    const char *name;
    struct module *module;
    VECTOR(node) nodes;
    VECTOR(value_info) values;
    VECTOR(value_id) inputs;
    VECTOR(value_id) outputs;
    VECTOR(const char *) output_names; /* of as many outputs, interned, where the text names them */
    VECTOR(fusion_hint) hints;
    VECTOR(declared_type) declared; /* ascending */
    VECTOR(input_tuple) tuples;     /* ascending; remarks, which no pass looks at */
    bool is_region;
    /* While a compiler plans it: the same nodes with other sizes of the program. Numbers that
     * differ there depend on symbols. NULL: all are numbers of the program. */
    const struct function *like;
} function;

/* A symbol that the text itself gave a value, so that none of it is left. */
typedef struct written_size {
    const char *symbol;
    int64_t value;
} written_size;

/* The axes, as a mask, whose extents such symbols were. */
typedef struct written_axes {
    const char *input; /* its name */
    uint32_t axes;
} written_axes;

typedef struct module {
    context *cx;
    const tn_allocator *allocator;
    arena arena; /* operands, names, payloads, types, attributes */
    source source;
    payload *text_block; /* holds the source's text, where that is large; else NULL: it is in the
                            arena */
    char *own_text;      /* while it is read: the text, where it is in a block that nobody else
                            holds, so that its reader may move parts of it; else NULL */
    const char *dialect; /* of this module; NULL for a program built in memory */
    const char *lowered_from; /* the dialect that was read, where its text was lowered; else NULL */
    type_table types;
    attr_table attrs;
    VECTOR(const char *) strings;
    hash_index by_string;
    VECTOR(function *) functions; /* [entry] is the program; the others are regions */
    uint32_t n_nodes;             /* of all functions together */
    uint32_t entry;
    bool
        had_symbols; /* sizes that are numbers now (module_bind_here): other bindings have others */
    /* Pairs (primal, gradient) of the entry function, when the module is a gradient module. */
    VECTOR(value_id) gradients;
    VECTOR(written_size) written_sizes;
    VECTOR(written_axes) written_axes;
    VECTOR(payload *) payloads; /* of large constants: those it holds */
    /* Where constants made of its own are kept, for its copies, too; outlives them. NULL: nowhere.
     */
    struct derived_store *derived;
} module;

/* An empty module, without functions; NULL when there is no memory. */
module *module_new(context *cx);
void module_free(module *m);
/* Hold P as long as M lives. False without memory. */
bool module_hold(module *m, payload *p);
/* A deep copy that shares nothing but the context and payloads. NULL when there is no memory. */
module *module_copy(const module *m);
/* The same, living in another context: the copy shares only payloads with M. */
module *module_copy_to(const module *m, context *cx);

/* FROM, of another module, as attributes of TO. NULL when there is no memory. Regions keep their
 * numbers. */
const attrs *module_attrs_from(module *to, const attrs *from);

/* Is NAME, of a node, only the number that the text gives it, `%7`? Dialects whose values have
 * names count anew then. */
bool name_is_number(const char *name);
/* The interned copy of a text; equal texts are the same pointer. NULL when there is no memory. */
const char *module_string(module *m, const char *text, size_t length);
/* A new function at the end of the module, or NULL. */
function *module_add_function(module *m, const char *name, size_t length);
/* Free what F holds beside the module's arena; for functions that are taken off the module's list.
 */
void function_release(function *f);
static inline function *module_entry(const module *m)
{
    return m->functions.at[m->entry];
}

static inline const node *node_of(const function *f, value_id v)
{
    return &f->nodes.at[f->values.at[v].node];
}

/* Exchange what a node computes without moving it; its results keep their types. */
static inline void node_rewrite(node *n, op_id op, const value_id *in, uint32_t n_in,
                                const attrs *a)
{
    n->op = (uint16_t)op;
    n->in = in;
    n->n_in = n_in;
    n->attrs = a;
    n->spelling = 0;
}

static inline const type *value_type(const function *f, value_id v)
{
    return f->values.at[v].type;
}
/* The types of F's input K and output K. */
static inline const type *function_input_type(const function *f, uint32_t k)
{
    return value_type(f, f->inputs.at[k]);
}
static inline const type *function_output_type(const function *f, uint32_t k)
{
    return value_type(f, f->outputs.at[k]);
}

/* What to append. `in` is copied. */
typedef struct node_desc {
    op_id op;
    const value_id *in;
    uint32_t n_in;
    const attrs *attrs; /* NULL: none */
    span at;
    const char *name; /* interned */
    const char *tag;  /* interned */
    uint8_t spelling;
    uint32_t number; /* the text's own number, for diagnostics */
    uint32_t belongs;
    uint32_t place;
} node_desc;

/* N with the operands IN, as the text has it; what says where N stands is left out. */
static inline node_desc node_desc_of(const node *n, const value_id *in)
{
    return (node_desc){.op = (op_id)n->op,
                       .in = in,
                       .n_in = n->n_in,
                       .attrs = n->attrs,
                       .at = n->at,
                       .name = n->name,
                       .tag = n->tag,
                       .spelling = n->spelling};
}

/* Append with known result types, without inference: for readers' stand-ins and rewrites. */
tn_status function_add_typed(function *f, const node_desc *desc, const type *const *types,
                             uint32_t n, value_id *first);
/* The same with the types of the results of N, of the function FROM of this module. */
tn_status function_add_like(function *f, const node_desc *desc, const function *from, const node *n,
                            value_id *first);
tn_status function_add_output(function *f, value_id v);

/* Keep the N nodes listed in ORDER, in that order, and renumber densely. Every operand, input,
 * output and gradient of the result must be listed, operands before their uses. */
tn_status function_reorder(function *f, const uint32_t *order, uint32_t n);

/* The type of V as the text declares it. */
const type *value_declared_type(const function *f, value_id v);

/* One use of an op, as diagnostics see it: source.about. */
typedef struct use_site {
    const function *function; /* NULL: in none that is known */
    op_id op;
    uint32_t place; /* 1 + the number of the instruction in the text; 0: none */
    const type_table *types;
    const type *const *in;
    uint32_t n_in;
} use_site;

/* What the text calls V: its name, else its number as %7; in the memory of messages. */
const char *value_called(const function *f, value_id v);
/* Report about a node: its place and name. */
tn_status node_report(const function *f, const node *n, diag_kind kind, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same, with the name of the operation as it stands in the text ("add" where that has none). */
tn_status node_vreport(const function *f, const node *n, diag_channel *d, const char *op,
                       diag_kind kind, const char *format, va_list args)
    __attribute__((format(printf, 6, 0)));
/* The debug form of M: one line a node with every attribute and type, for dumps of any dialect. */
struct text_buffer;
void module_print(const module *m, struct text_buffer *out);
/* One line of it. */
void node_print(const function *f, const node *n, struct text_buffer *out);
/* A type, `f32[2, 3]`, and an element. */
void type_print(const module *m, const type *t, struct text_buffer *out);
void element_print(const scalar *s, struct text_buffer *out);
/* One attribute as it stands there: `axes=[0, 1]`. */
void attr_print(const module *m, const attr *a, struct text_buffer *out);

static inline tn_status module_no_memory(const module *m)
{
    return diag_no_memory(&m->cx->diag);
}

#endif
