/* The syntax tree of a surface program: what the parser makes and lowering walks. Everything lives
 * in one arena and is freed at once; names are interned, so that equal names are equal pointers. */
#ifndef DIALECT_MIND_SOURCE_TREE_H
#define DIALECT_MIND_SOURCE_TREE_H

#include "base/context/source.h"
#include "graph/module.h"

typedef enum token_kind {
    T_END,
    T_BAD, /* reported already */
    T_NAME,
    T_NUMBER,
    T_STRING,
    /* keywords, in the order of their list in lexer.c */
    T_FN,
    T_LET,
    T_TYPE,
    T_STRUCT,
    T_TRAIT,
    T_IF,
    T_ELSE,
    T_MATCH,
    T_WHILE,
    T_FOR,
    T_RETURN,
    T_DEFER,
    T_IMPORT,
    T_EXPORT,
    T_WHERE,
    T_TRUE,
    T_FALSE,
    /* operators, in the order of their list in lexer.c */
    T_EQUAL,
    T_UNEQUAL,
    T_AT_MOST,
    T_AT_LEAST,
    T_AND,
    T_OR,
    T_ADD_TO,
    T_SUB_FROM,
    T_MUL_BY,
    T_DIV_BY,
    T_ARROW,
    T_FAT_ARROW,
    T_DEFINE,
    T_PATH,
    T_PLUS,
    T_MINUS,
    T_STAR,
    T_SLASH,
    T_PERCENT,
    T_LESS,
    T_MORE,
    T_NOT,
    T_ASSIGN,
    T_DOT,
    T_AT,
    T_CARET,
    T_BAR,
    T_OPEN,
    T_CLOSE,
    T_OPEN_BRACE,
    T_CLOSE_BRACE,
    T_OPEN_BRACKET,
    T_CLOSE_BRACKET,
    T_COMMA,
    T_SEMICOLON,
    T_COLON
} token_kind;

typedef struct token {
    uint8_t kind;
    bool after_newline; /* a line end stands between it and the token before */
    span at;
} token;

/* A literal number as written, without a sign; exact for integers, rounded once for each float type
 * otherwise. Its element type is decided where it is used. */
typedef struct number {
    bool is_int;
    bool negative;      /* of an integer */
    uint64_t magnitude; /* of an integer */
    float f32;
    double f64;
} number;

typedef struct expr expr;
typedef struct stmt stmt;
typedef struct function_decl function_decl;

typedef enum expr_kind {
    X_BAD, /* reported already */
    X_NUMBER,
    X_STRING,
    X_BOOL,
    X_NAME,
    X_FIELD, /* first . name, or first :: name when token is T_PATH */
    X_TUPLE,
    X_ARRAY,
    X_BLOCK,
    X_CLOSURE,
    X_CALL,  /* the callee, then the arguments */
    X_INDEX, /* what is indexed, then the subscripts */
    X_RANGE, /* start, end, step, each of which may be X_NONE */
    X_NONE,
    X_UNARY,
    X_BINARY
} expr_kind;

struct expr {
    uint8_t kind;
    uint8_t token; /* the operator */
    bool truth;    /* of X_BOOL */
    uint32_t n;    /* children */
    span at;
    span op;           /* the operator's own place */
    const char *name;  /* of X_NAME and X_FIELD */
    const char *label; /* of an argument; NULL: positional */
    span label_at;
    expr *first, *next;
    union {
        number number;
        struct {
            const char *bytes;
            size_t n;
        } string;
        stmt *body;              /* X_BLOCK */
        function_decl *function; /* X_CLOSURE */
    } u;
};

typedef enum type_kind { TYPE_TENSOR, TYPE_BOOL, TYPE_UNIT, TYPE_TUPLE, TYPE_BAD } type_kind;

typedef struct type_ref {
    uint8_t kind;
    uint32_t n; /* members of a tuple */
    span at;
    const type *tensor;
    struct type_ref *first, *next;
} type_ref;

typedef struct pattern {
    const char *name; /* NULL: `_`, or a tuple when n is not 0 */
    uint32_t n;
    span at;
    struct pattern *first, *next;
} pattern;

typedef enum stmt_kind { S_LET, S_DECLARE, S_ASSIGN, S_EXPR, S_RETURN, S_FUNCTION } stmt_kind;

struct stmt {
    uint8_t kind;
    uint8_t token; /* of S_ASSIGN: T_ASSIGN, or the operator of `+=` and its kind */
    bool is_value; /* S_EXPR without a semicolon: the value of its block */
    bool is_bad;   /* a part of it was reported already */
    span at, op;
    pattern *to;
    type_ref *type; /* NULL: none */
    expr *value;
    function_decl *function;
    stmt *next;
};

typedef struct param {
    const char *name;
    span at;
    type_ref *type; /* NULL: that of the argument, in closures */
    struct param *next;
} param;

typedef enum check_state { UNCHECKED, CHECKING, CLEAN, FAULTY } check_state;

struct function_decl {
    const char *name; /* NULL: a closure */
    span at;          /* of the name */
    param *params;
    uint32_t n_params;
    type_ref *result; /* NULL: that of the body */
    stmt *body;       /* of a function */
    span body_at;
    expr *value; /* of a closure */
    bool has_syntax_errors;
    uint8_t state;   /* check_state */
    uint32_t active; /* calls being lowered */
    function_decl *next;
};

/* All of a file. */
typedef struct tree {
    function_decl *functions; /* of the top level, in order */
    stmt *script;             /* statements of the top level */
    bool script_has_errors;   /* some statement, or a name, could not be read */
    bool lost_function;       /* the name of some function is not known */
} tree;

#endif
