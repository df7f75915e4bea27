/* What the parts of the Core IR reader share: a cursor over the text, the values defined so far,
 * and the instruction being read.
 *
 * Functions that return a tn_status have reported what is wrong: TN_ERR_REJECTED leaves the rest of
 * the line unread and reading goes on with the next one; anything else ends reading. */
#ifndef DIALECT_MIND_READER_H
#define DIALECT_MIND_READER_H

#include "dialect/dialect.h"
#include "dialect/mind/ids.h"
#include "dialect/mind/spelling.h"

enum {
    MAX_DEPTH = 32,     /* of lists in lists */
    KEPT_OPERANDS = 16, /* of one instruction; more are only counted: no opcode takes them */
    N_CACHED = 64,
    ATTRS_CACHED_LENGTH = 120 /* longest text of attributes that is remembered */
};

typedef struct operand {
    text_id id;
    value_id value; /* NO_VALUE: not defined */
} operand;

/* What was read for a slot. Which fields speak follows from the slot's kind. */
typedef struct slot_value {
    int64_t number;    /* BOOL; PADDING as padding_mode; DTYPE as tn_dtype; OPERATOR as op_id */
    uint32_t first, n; /* INTS, SHAPE, and the amounts of PADDING: entries of reader.ints */
    const char *text;  /* STRING, interned */
    span at;           /* NUMBER, DATA, FILL: the text, read once the dtype is known */
} slot_value;

/* The first fault of the attributes, kept until its turn in the order of checks. */
typedef struct slot_fault {
    diag_kind kind;
    span at;           /* of the argument or value */
    const char *issue; /* NULL: no fault */
    const char *name;  /* of the attribute; not NUL-terminated */
    int name_length;
    bool is_unknown; /* the instruction has no attribute of that name */
} slot_fault;

typedef enum type_fault { TYPE_GOOD, TYPE_BAD_DTYPE, TYPE_BAD_EXTENT } type_fault;

typedef struct instr {
    text_id id;
    span opcode;
    span at;             /* opcode to the end of operands and attributes */
    const spelling *how; /* NULL: unknown */
    op_id op;
    operand operands[KEPT_OPERANDS];
    uint32_t n_operands;
    uint32_t n_arguments; /* that are no operands */
    uint32_t given;       /* bit set of slots */
    bool maybe_ranges;    /* the argument `[]` of a slice can be a list of no ranges */
    slot_value slots[MAX_SLOTS];
    slot_fault fault;
    span braces;        /* `{...}`, when it holds all attributes; else empty */
    const attrs *attrs; /* known already because the same text was read before; else NULL */
    /* The declared type; NULL with a fault. */
    const type *type;
    span type_at;
    type_fault type_fault;
    span type_fault_at;
    uint32_t bad_axis;
    int64_t bad_extent;
} instr;

/* An opcode is at most 16 bytes long, so its ends are all of it. */
typedef struct opcode_cache {
    uint64_t first, last;
    uint32_t length;
    const spelling *how;
} opcode_cache;

typedef struct type_cache {
    uint32_t at, length;
    const type *type;
} type_cache;

typedef struct attr_cache {
    uint32_t at, length;
    const spelling *how;
    const attrs *attrs;
    op_id op;
} attr_cache;

typedef struct reader {
    const char *text;
    const char *at;
    const char *end;
    bool is_json;          /* records: line ends are white space, words and types are strings */
    bool stop;             /* a limit was reached */
    bool is_torn;          /* something of the line could not be read, not even its form */
    bool may_hide_outputs; /* a line that could not be read may have held the outputs */
    uint32_t max_depth;
    uint32_t errors_before;
    module *m;
    function *f;
    const read_options *options;
    ids ids;
    VECTOR(int64_t) ints; /* of the instruction being read */
    text_buffer string;   /* the string read last */
    hash_index input_names;
    VECTOR(text_id) outputs;
    VECTOR(text_id) gradients;
    span outputs_line; /* NO_SPAN until there is one */
    span gradients_line;
    span last_id; /* of the definition read last */
    uint64_t literal_bytes;
    opcode_cache opcodes[N_CACHED];
    type_cache types[N_CACHED];
    attr_cache attrs[N_CACHED];
} reader;

/* ---- the cursor (lexer.c) ------------------------------------------------------------------ */

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* ASCII letters; those beyond are rare and handled where they can stand. */
static inline bool is_letter(char c)
{
    return (unsigned char)((c | 32) - 'a') < 26 || c == '_';
}

/* The next byte, or NUL at the end. */
static inline char peek(const reader *r)
{
    return r->at < r->end ? *r->at : '\0';
}

static inline uint32_t offset_of(const reader *r, const char *p)
{
    return (uint32_t)(p - r->text);
}

static inline span span_from(const reader *r, const char *begin)
{
    return (span){offset_of(r, begin), (uint32_t)(r->at - begin)};
}

static inline const char *span_text(const reader *r, span s)
{
    return r->text + s.at;
}

static inline void skip_space(reader *r)
{
    while (r->at < r->end &&
           (*r->at == ' ' || *r->at == '\t' || (r->is_json && (*r->at == '\n' || *r->at == '\r'))))
        r->at++;
}

/* The next byte that is not white space. */
static inline char peek_token(reader *r)
{
    skip_space(r);
    return peek(r);
}

static inline bool accept(reader *r, char c)
{
    if (peek_token(r) != c || r->at == r->end)
        return false;
    r->at++;
    return true;
}

/* Is the cursor at the end of its line, or at a comment? */
bool at_line_end(const reader *r);
/* Report the token at the cursor, which is not what was EXPECTED. */
tn_status syntax_error(reader *r, const char *expected);
static inline tn_status expect(reader *r, char c, const char *expected)
{
    return accept(r, c) ? TN_OK : syntax_error(r, expected);
}

/* Read an identifier; false, without a report, when there is none. */
bool read_word(reader *r, span *word);
bool span_is(const reader *r, span s, const char *word);
/* Read a string into r->string, or only past it. */
tn_status read_string(reader *r);
/* Length of the token's beginning that a message quotes: whole code points, SHOWN bytes at most. */
int shown_length(const reader *r, span token);
enum { SHOWN = 40 };
/* Report a number that is none, or too large. */
tn_status number_error(reader *r, span number, const char *issue);
/* What is said of a number that is none. */
#define NUMBER_FORM "numbers are written as -12, 0.5 or 2.5e-3"
/* The text of the number at the cursor: all that could be meant to belong to it. */
span number_extent(const reader *r);
/* Is this text a number of the grammar; is it one without point and exponent? */
bool is_number(const char *text, size_t n);
bool is_integer(const char *text, size_t n);
/* Read an integer. *IS_ONE is false, and nothing is read, when something else stands there. */
tn_status read_integer(reader *r, int64_t *value, bool *is_one);
/* Read past any value, checking only its form. */
tn_status skip_value(reader *r, uint32_t depth);

/* ---- what was read before ------------------------------------------------------------------ */

/* The first and the last bytes of a text: all of it up to 16 bytes. */
typedef struct text_ends {
    uint64_t first, last;
    uint32_t length;
} text_ends;

static inline uint64_t load_bytes(const char *p, uint32_t n)
{
    uint64_t word = 0;
    if (n >= 8) {
        memcpy(&word, p, 8);
    } else if (n >= 4) {
        uint32_t low, high;
        memcpy(&low, p, 4);
        memcpy(&high, p + n - 4, 4);
        word = low | (uint64_t)high << 32;
    } else {
        for (uint32_t i = 0; i < n; i++)
            word = word << 8 | (unsigned char)p[i];
    }
    return word;
}

static inline text_ends ends_of(const char *text, uint32_t n)
{
    return (text_ends){load_bytes(text, n), n > 8 ? load_bytes(text + n - 8, 8) : 0, n};
}

/* Enough to find repeated texts. */
static inline uint64_t hash_ends(const char *text, uint32_t n)
{
    text_ends e = ends_of(text, n);
    return hash_mix(e.first + n, e.last);
}

/* Where the attributes `{...}` of HOW are remembered. */
static inline attr_cache *attr_cache_at(reader *r, const spelling *how, span braces)
{
    uint64_t h = hash_ends(span_text(r, braces), braces.length);
    return &r->attrs[(h ^ (uint64_t)(how - spellings)) % N_CACHED];
}

/* ---- parts of an instruction --------------------------------------------------------------- */

static inline bool at_id(reader *r)
{
    return peek_token(r) == '%';
}
tn_status read_id(reader *r, text_id *id);
tn_status read_type(reader *r, instr *in);
/* The argument or `key = value` at the cursor. */
tn_status read_argument(reader *r, instr *in);
tn_status read_attribute(reader *r, instr *in);
void fault_of(instr *in, diag_kind kind, span at, const char *name, size_t length,
              const char *issue);
/* Look the opcode up; IN->at starts with it. */
void set_opcode(reader *r, instr *in, span opcode);

/* The constant of IN, whose declared type is known and static. */
tn_status read_constant(reader *r, const instr *in, const attrs **out);

/* Everything is read: check it, in the order of the reference, and append it. */
tn_status finish_instr(reader *r, instr *in);
/* Define the value of IN, which is rejected, unless its id is defined already. Its type is the
 * declared one if that was read; without a type, uses of the value are not checked further. */
tn_status stand_in(reader *r, const instr *in);
/* The definition of ID, which is used here; NULL: there is none so far. */
const id_entry *use_id(reader *r, const text_id *id);
/* Define ID as VALUE; E4002 when it is defined already. */
tn_status define_id(reader *r, const text_id *id, value_id value);
/* Report about the definition of ID. */
tn_status reject(reader *r, const text_id *id, diag_kind kind, span at, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
tn_status report_undefined(reader *r, const text_id *user, const text_id *id);

/* `tensor<f32>[2, 3]` and `[2, 3]`, cut off at TYPE_TEXT_MAX bytes, NUL included. */
enum { TYPE_TEXT_MAX = 1024 };
void put_type_text(char out[TYPE_TEXT_MAX], const module *m, const type *t);
void put_dims_text(char out[TYPE_TEXT_MAX], const module *m, const dim *dims, uint32_t n);

/* The records as JSON (records.c). */
tn_status read_records(reader *r);

#endif
