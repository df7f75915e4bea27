/* What the parts of lowering share: values, scopes, and the function that is being made.
 *
 * Lowering evaluates the tree once, with tensors as nodes of the graph and everything else (numbers
 * that have no element type yet, lists, tuples, functions) as values that exist only while reading.
 * Calls are inlined. A value of kind V_BAD stands for what was reported already and spreads without
 * a further report. */
#ifndef DIALECT_MIND_SOURCE_LOWER_H
#define DIALECT_MIND_SOURCE_LOWER_H

#include "base/text/suggest.h"
#include "dialect/mind_source/surface.h"
#include "ops/build.h"

typedef enum value_kind {
    V_BAD,
    V_UNIT,
    V_NUMBER, /* a literal without an element type */
    V_FILL,   /* zeros, ones, full: every element is one number */
    V_ARRAY,  /* a list, which may become a tensor */
    V_BOOL,
    V_STRING,
    V_DTYPE,
    V_TENSOR,
    V_TUPLE,
    V_FUNCTION,
    V_GRADIENT /* grad(f) or value_and_grad(f), to be called */
} value_kind;

typedef struct value value;

enum { N_DTYPES = 4 }; /* of the language: i32, i64, f32, f64 */

/* A literal that may become a constant of one dtype or another; each is made once. */
typedef struct literal_value {
    number number; /* V_NUMBER and V_FILL */
    bool has_shape, has_dtype;
    tn_dtype dtype; /* V_FILL */
    const dim *dims;
    uint32_t rank;
    value_id made[N_DTYPES]; /* NO_VALUE: not made */
    const type *made_type[N_DTYPES];
} literal_value;

typedef struct binding {
    const char *name;
    span at;
    value *value;
    uint32_t owner; /* the call that bound it; assignments come from the same one */
} binding;

/* What names mean at one place: a search tree by the hash of names, which never changes. Binding a
 * name makes a new one that shares all but the path to it. */
typedef struct scope {
    uint64_t hash;
    const binding *binding;
    const struct scope *below[2];
} scope;

/* Gradients of gradients, by name or by calls; each multiplies the work. */
enum { LOWERING_ORDERS = 16 };

typedef struct closure {
    function_decl *decl;
    const scope *scope;       /* what its body sees, itself included */
    bool with_value;          /* of V_GRADIENT: value_and_grad */
    uint32_t order;           /* of V_GRADIENT: how many gradients in each other */
    const struct closure *of; /* of V_GRADIENT: the gradient that it differentiates, if it does */
} closure;

struct value {
    uint8_t kind;
    bool truth;    /* V_BOOL */
    uint8_t dtype; /* V_DTYPE */
    uint32_t n;    /* items; V_STRING: bytes */
    union {
        value_id id;            /* V_TENSOR */
        literal_value *literal; /* V_NUMBER, V_FILL */
        const value *items;     /* V_ARRAY, V_TUPLE */
        const char *bytes;      /* V_STRING */
        const closure *closure; /* V_FUNCTION, V_GRADIENT */
    } u;
    literal_value *list; /* V_ARRAY: what it became; its number is an integer if all in it are */
};

/* One call that is being lowered. */
typedef struct frame {
    const function_decl *decl; /* NULL: the script */
    bool returned;
    value result;
    uint32_t owner;
} frame;

typedef struct lowering {
    surface *s;
    tree *tree;
    function *f;
    const scope *scope;
    bool is_script;          /* the entry is: --input can declare free variables */
    const scope *globals;    /* what functions of the top level see */
    value_id *option_inputs; /* by option: its input; NO_VALUE: not needed so far */
    frame *frame;
    uint32_t depth;  /* of expressions and calls */
    uint32_t orders; /* of gradients that are being made, in each other */
    uint32_t n_owners;
    uint64_t steps;
    hash_index by_content; /* nodes that a gradient may share, up to n_hashed */
    uint32_t n_hashed;
    hash_index inputs; /* by name */
} lowering;

#define BAD ((value){.kind = V_BAD})

static inline value tensor_value(value_id id)
{
    return id == NO_VALUE ? BAD : (value){.kind = V_TENSOR, .u.id = id};
}

static inline const type *tensor_type(const lowering *l, const value *v)
{
    return value_type(l->f, v->u.id);
}

/* Report; always BAD. */
value lowering_fault(lowering *l, diag_kind kind, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
value lowering_no_memory(lowering *l);
/* Count one step of work; false once reading stops. */
bool lowering_step(lowering *l, span at);

/* lower.c: everything; the entry of the module is complete afterwards. */
void lowering_tree(surface *s, tree *t);

/* expr.c */
value lowering_expr(lowering *l, const expr *e);
/* X op Y, where the operator stands at SIGN. OP is add, sub, mul or div. */
value lowering_binary(lowering *l, op_id op, value x, span x_at, value y, span y_at, span at,
                      span sign);

/* scope.c */
/* Bind NAME in the current scope; its binding, or NULL. */
const binding *lowering_bind(lowering *l, const char *name, span at, value v);
const binding *lowering_find(const lowering *l, const char *name);
/* The same of a use of NAME at AT, of which editors hear. */
const binding *lowering_use(const lowering *l, const char *name, span at);

/* statement.c */
value lowering_block(lowering *l, const stmt *first);
/* One statement of a script, whose bindings stay. */
value lowering_top_statement(lowering *l, const stmt *s);

/* call.c */
value lowering_call_expr(lowering *l, const expr *e);
/* C applied to N values that stand at AT[i]. */
value lowering_apply(lowering *l, const closure *c, const value *arguments, const span *at,
                     uint32_t n, span call);
/* The entry C with its inputs. */
value lowering_entry_call(lowering *l, const closure *c, const value *arguments);
/* Where the result of D stands. */
span lowering_result_place(const function_decl *d);
/* Check the body of C with arguments of which only the types are known, once. */
bool lowering_checked(lowering *l, const closure *c);
/* Note, for an editor, what names mean in the body of C, which has syntax errors, as far as it
 * could be read. Nothing is reported. */
void lowering_note_names(lowering *l, const closure *c);

/* literal.c */
/* V as a tensor; numbers and lists take the dtype LIKE, or TN_DTYPE_COUNT: their own. */
value_id lowering_tensor(lowering *l, value v, span at, tn_dtype like);
/* V as T, which is the type of what it is given to; FILLS: a number can fill a tensor. */
value lowering_as(lowering *l, value v, const type_ref *t, span at, bool fills);
/* An integer as the text would have it. */
number lowering_int_number(int64_t i);
value lowering_number(lowering *l, number n);
/* ITEMS, which stay where they are, as a list. */
value lowering_list(lowering *l, const value *items, uint32_t n);
/* The dtype V has, or takes when nothing else decides. TN_DTYPE_COUNT when it can be no tensor. */
tn_dtype lowering_own_dtype(const lowering *l, const value *v);
/* A constant of type T and dense data, copied. */
value_id lowering_constant(lowering *l, const type *t, const void *data, bool splat, span at);
/* V as one integer, or as a list of integers, that is known while reading. */
bool lowering_int(lowering *l, const value *v, span at, const char *what, int64_t *out);
bool lowering_ints(lowering *l, const value *v, span at, const char *what, int64_t *out,
                   uint32_t *n);
bool value_is_int(const lowering *l, const value *v, int64_t *out);
/* How messages call V and T. */
const char *value_words(lowering *l, const value *v);
const char *type_words(lowering *l, const type *t);
const char *ref_words(lowering *l, const type_ref *t);

/* node.c */
/* A new input of the module; NO_VALUE, reported, when there is one of this name. */
value_id lowering_input(lowering *l, const char *name, const type *t, span at);
value_id lowering_node(lowering *l, op_id op, const value_id *in, uint32_t n_in, attr *entries,
                       uint32_t n, span at);

/* subscript.c */
value lowering_subscripts(lowering *l, const expr *e);

/* builtin.c */
/* The built-in function NAME applied to the arguments of E; SELF, if any, comes first. False when
 * there is no built-in function of this name. */
bool lowering_builtin(lowering *l, const expr *e, const char *name, span at, const value *self,
                      span self_at, value *out);
bool is_builtin(const char *name);
/* Offer the names of all of them. */
void builtin_suggest(suggestion *s);

/* gradient.c */
/* The gradients of LOSS with respect to WRT, each a value of the function, as new values. */
bool lowering_gradients(lowering *l, value_id loss, const value_id *wrt, uint32_t n_wrt,
                        const value_id *replaced_by, span at, value_id *loss_out, value_id *out);
value lowering_apply_gradient(lowering *l, const closure *c, const value *arguments, const span *at,
                              uint32_t n, span call);

#endif
