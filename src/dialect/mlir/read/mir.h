/* MLIR text as it was read: functions of operations with operands, attributes, regions and types,
 * in an arena. What stands here points into the text. The same for pretty and generic forms. */
#ifndef DIALECT_MLIR_READ_MIR_H
#define DIALECT_MLIR_READ_MIR_H

#include "base/context/context.h"
#include "base/memory/hash.h"
#include "scalar/dtype.h"

typedef struct mir_text {
    const char *at;
    size_t n;
} mir_text;

static inline bool mir_is(mir_text t, const char *word)
{
    return t.n == strlen(word) && (t.n == 0 || memcmp(t.at, word, t.n) == 0);
}
static inline bool mir_same(mir_text a, mir_text b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}
/* For %.*s; long texts are cut. */
#define MIR_TEXT(t) ((t).n < 200 ? (int)(t).n : 200), (t).n ? (t).at : ""

/* ---- types ---- */

typedef enum mir_type_kind {
    MIR_TENSOR,
    MIR_ELEMENT, /* an element type alone */
    MIR_TOKEN,
    MIR_TUPLE,
    MIR_FUNCTION,
    MIR_REFUSED /* of values that cannot be had */
} mir_type_kind;

#define MIR_UNKNOWN INT64_C(-1) /* an extent `?` */

/* How numbers are quantised: (stored - zero) * scale. */
typedef struct mir_quant {
    tn_dtype storage;
    int64_t low, high; /* of what is stored */
    int64_t axis;      /* with a scale for each position along it; -1: there is none such */
    uint32_t rank;     /* of a table of scales, each for a block of the tensor; 0: it is none */
    int64_t *dims;     /* of that table */
    uint32_t n;
    double *scales;
    int64_t *zeros;
} mir_quant;

typedef struct mir_type {
    mir_type_kind kind;
    mir_text text;          /* empty for a made one */
    const char *refused;    /* why, of MIR_REFUSED */
    tn_dtype dtype;         /* of quantised numbers: what they mean */
    const mir_quant *quant; /* NULL: they are not quantised */
    uint32_t rank;
    const int64_t *dims;
    const struct mir_type *const *parts; /* of a tuple; operands, then results of a function */
    uint32_t n_parts, n_in;
} mir_type;

/* The element type of the data. */
static inline tn_dtype mir_stored(const mir_type *t)
{
    return t->quant ? t->quant->storage : t->dtype;
}

/* Can values of the types A and B be one value? Extents `?` may be any. (types.c) */
bool mir_agree(const mir_type *a, const mir_type *b);
/* Do the same stored numbers mean the same? The axis of scales may differ where they HAVE_MOVED. */
bool mir_quants_agree(const mir_quant *a, const mir_quant *b, bool have_moved);

typedef struct mir_types {
    const mir_type **at;
    uint32_t n, cap;
} mir_types;

/* ---- attributes ---- */

typedef enum mir_attr_kind {
    MIR_UNIT,
    MIR_BOOL,
    MIR_INT,
    MIR_FLOAT,
    MIR_STRING,
    MIR_WORD, /* a bare word of a pretty form */
    MIR_LIST,
    MIR_DICT,
    MIR_TYPE,
    MIR_SYMBOL,
    MIR_DENSE,    /* text: what stands between the brackets */
    MIR_RESOURCE, /* the same of dense_resource */
    MIR_CUSTOM    /* #stablehlo.name<text>, #stablehlo<name text>; the text may be empty */
} mir_attr_kind;

typedef struct mir_field {
    mir_text name;
    const struct mir_attr *value;
} mir_field;

typedef struct mir_fields {
    mir_field *at;
    uint32_t n, cap;
} mir_fields;

typedef struct mir_attr {
    mir_attr_kind kind;
    mir_text text;                /* decoded, of a string */
    int64_t i;                    /* INT, BOOL */
    bool fits;                    /* an INT is no larger than I can hold */
    mir_text name;                /* of a CUSTOM one */
    const struct mir_attr *items; /* of a LIST */
    uint32_t n;
    mir_text whole;       /* as it is written; empty: of the words of short forms */
    mir_fields fields;    /* of a DICT */
    const mir_type *type; /* of a TYPE, of dense elements; NULL: none was written */
} mir_attr;

/* ---- operations ---- */

typedef struct mir_value {
    mir_text name; /* without the sigil */
    const mir_type *type;
    uint32_t number; /* in its function */
    uint32_t depth;  /* of the region that it belongs to */
    mir_text loc;    /* of an argument: what stands in loc(...) */
} mir_value;

struct mir_op;
typedef struct mir_region {
    mir_value *args;
    uint32_t n_args;
    struct mir_op **ops;
    uint32_t n_ops;
    uint32_t depth; /* regions around it */
} mir_region;

typedef struct mir_op {
    mir_text name;
    const struct mir_row *row; /* NULL: none is known of this name */
    const mir_value **in;
    uint32_t n_in;
    mir_value *out;
    uint32_t n_out;
    mir_fields attrs;
    mir_region *regions;
    uint32_t n_regions;
    span at;
    mir_text loc;   /* what stands in loc(...) */
    bool is_unread; /* an unknown pretty form, which was skipped */
} mir_op;

typedef struct mir_function {
    mir_text name;
    span at;
    bool is_private;
    bool was_lowered;
    bool is_open;    /* it is being lowered: a call of it now is a recursion */
    bool has_checks; /* itself, or functions that it calls; set where that is asked */
    bool is_called;  /* the same */
    mir_region body; /* no operations: a declaration */
    bool has_body;
    const mir_type **results;
    uint32_t n_results;
    const mir_attr *arg_attrs;    /* a list of dictionaries, or NULL */
    const mir_attr *result_attrs; /* the same */
    uint32_t n_values;
} mir_function;

/* `#name = ...` or `!name = ...` */
typedef struct mir_alias {
    char sigil;
    mir_text name;
    mir_text text; /* of a location: what stands in its parentheses */
    const mir_attr *attr;
    const mir_type *type;
} mir_alias;

typedef struct mir_resource {
    mir_text name, data; /* the string, hexadecimal */
} mir_resource;

typedef struct mir_model {
    VECTOR(mir_function *) functions;
    VECTOR(mir_alias) aliases;
    VECTOR(mir_resource) resources;
    mir_fields attrs;   /* of the module */
    hash_index by_name; /* functions */
    hash_index by_alias;
} mir_model;

/* ---- the table of operations ---- */

/* How the pretty form of an operation reads, behind its name. */
typedef enum mir_form {
    FORM_PLAIN,    /* %a, %b, word = value, ... {attributes} : types */
    FORM_VALUES,   /* the same; the types are those of the results, too */
    FORM_COMPARE,  /* LT, %a, %b, FLOAT */
    FORM_CONSTANT, /* {attributes} dense<..> : type */
    FORM_SLICE,    /* %a [0:4, 2:9:3] */
    FORM_ELEMENT,  /* %t[0] */
    FORM_CONV,
    FORM_REDUCE,
    FORM_WHILE,
    FORM_SCAN,
    FORM_MANUAL,    /* (%a) word=<anything> ... (%x: T) { .. } */
    FORM_CALL,      /* @f(%a) */
    FORM_COMPOSITE, /* "name" %a */
    FORM_PAREN,     /* (%a, word = value) */
    FORM_EXPECT,    /* %a, dense<..> : T, word = value */
    FORM_IDENTITY,  /* %a <anything> : type */
    FORM_NONE       /* it has none */
} mir_form;

struct shlo_call;
typedef struct mir_row {
    const char *name;
    mir_form form;
    uint32_t min_in, max_in;
    int32_t n_out; /* -1: as many as the text says */
    uint32_t n_regions;
    const char *attrs; /* their names, `word=name` where the pretty form has a word for it */
    bool (*lower)(struct shlo_call *c);
    int arg; /* what tells apart those that share the function */
} mir_row;

#define MIR_ANY UINT32_MAX

/* Read SRC into MODEL, in MEMORY. False after an error, which is reported. FIND: the row for the
 * name of an operation, or NULL. */
typedef const mir_row *mir_find(const void *rows, mir_text name);
bool mir_read(context *cx, const source *src, const tn_allocator *allocator, arena *memory,
              mir_find *find, const void *rows, mir_model *model);
void mir_release(const tn_allocator *allocator, mir_model *model);

/* The attribute NAME, or NULL. */
const mir_attr *mir_attr_named(const mir_fields *list, const char *name);
/* The operation in REGION, or in regions of it, that makes V as its only result; NULL: none. */
const mir_op *mir_maker(const mir_region *region, const mir_value *v);
mir_function *mir_function_named(const mir_model *m, mir_text name);
const mir_alias *mir_alias_named(const mir_model *m, char sigil, mir_text name);
/* The name that the location LOC gives something, such as `x` of loc("x"); empty: none. */
mir_text mir_loc_name(const mir_model *m, mir_text loc);
/* What the location LOC says: the outermost name, such as that of an operation of JAX, and the
 * innermost place, a file and `:line:column`. Empty: it says none. */
typedef struct mir_place {
    mir_text name, file, position;
} mir_place;
void mir_loc_place(const mir_model *m, mir_text loc, mir_place *out);

/* The body of a custom attribute as a dictionary: `a = [1], b = 2`; NULL when it is none. SRC is
 * that of the text. */
const mir_attr *mir_read_struct(context *cx, const source *src, arena *memory, mir_text body);

#endif
