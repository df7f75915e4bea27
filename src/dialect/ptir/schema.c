/* What PTIR's operations are called, and the fields of each. */
#include "dialect/ptir/schema.h"

#define F(name, kind, key, words)                                                                  \
    {                                                                                              \
        name, PTIR_##kind, KEY_##key, words, false                                                 \
    }
#define G(name, kind, key, words)                                                                  \
    {                                                                                              \
        name, PTIR_##kind, KEY_##key, words, true                                                  \
    }
/* An entry before the fields keeps lists without fields from being empty. */
#define FIELDS(...)                                                                                \
    {                                                                                              \
        {NULL, PTIR_UINTS, KEY_COUNT, NULL, false}, __VA_ARGS__                                    \
    }
#define PTIR(id, name, form, op, fields) static const ptir_field fields_##id[] = fields;
#include "schema.def"
#undef PTIR

const ptir_op_info ptir_ops[PTIR_OP_COUNT] = {
#define PTIR(id, name, form, op, fields)                                                           \
    [PTIR_##id] = {name, PTIR_FORM_##form, OP_##op, fields_##id + 1,                               \
                   sizeof fields_##id / sizeof fields_##id[0] - 1},
#include "schema.def"
#undef PTIR
};

/* Each word with a space before it, but for the first. */
const char *const ptir_unary_words = &
#define UNARY(word, op) " " #word
#include "dialect/ptir/words.def"
                                     [1];
const char *const ptir_binary_words = &
#define BINARY(word, op) " " #word
#include "dialect/ptir/words.def"
                                      [1];
const char ptir_dtype_words[] = "I1 Si4 Ui4 Si8 Ui8 Si16 Ui16 Si32 Ui32 Si64 Ui64 Fp8E4M3 Fp8E5M2 "
                                "Bf16 F16 F32 F64 Cf32 Cf64";
const char ptir_scalar_words[] = "I1 Signed Unsigned Float Complex";
const char ptir_attr_kind_words[] = "I64 F64 Bool String I64Array F64Array BoolArray StringArray";
const char ptir_hint_words[] = "ElementwiseDag DotEpilogue ReductionChain";
const char ptir_policy_words[] = "Optional Preferred Required";

static const op_id unary_ops[] = {
#define UNARY(word, op) OP_##op,
#include "dialect/ptir/words.def"
};
static const op_id binary_ops[] = {
#define BINARY(word, op) OP_##op,
#include "dialect/ptir/words.def"
};
static const op_id reduce_ops[] = {
#define REDUCE(word, op) OP_##op,
#include "dialect/ptir/words.def"
};

/* How JSON spells the ops that a word selects. */
static const char *const word_spellings[OP_COUNT] = {
#define UNARY(word, op) [OP_##op] = "ElementwiseUnary(" #word ")",
#define BINARY(word, op) [OP_##op] = "ElementwiseBinary(" #word ")",
#define REDUCE(word, op) [OP_##op] = "Reduce(" #word ")",
#include "dialect/ptir/words.def"
};

const char *ptir_spelling(op_id op)
{
    uint32_t word;
    const ptir_op found = ptir_op_of(op, &word);
    return word_spellings[op] || found == PTIR_OP_COUNT ? word_spellings[op] : ptir_ops[found].name;
}

bool ptir_is_extension(op_id op)
{
    static const bool extensions[OP_COUNT] = {
#define UNARY(word, op)
#define BINARY(word, op)
#define MORE_UNARY(word, op) [OP_##op] = true,
#define MORE_BINARY(word, op) [OP_##op] = true,
#define MORE_REDUCE(word, op) [OP_##op] = true,
#include "dialect/ptir/words.def"
        [OP_COUNT - 1] = false, /* the list may be empty */
    };
    uint32_t word;
    const ptir_op found = ptir_op_of(op, &word);
    return extensions[op] || (found > PTIR_CLAMP && found < PTIR_OP_COUNT);
}

size_t ptir_snake_case(const char *word, size_t length, char out[PTIR_MAX_WORD + 1])
{
    size_t n = 0;
    for (size_t i = 0; i < length && n + 1 < PTIR_MAX_WORD; i++) {
        const bool upper = word[i] >= 'A' && word[i] <= 'Z';
        if (upper && i)
            out[n++] = '_';
        out[n++] = (char)(upper ? word[i] - 'A' + 'a' : word[i]);
    }
    out[n] = '\0';
    return n;
}

static void suggest_word(suggestion *s, const char *word, size_t length, bool snake_case)
{
    char own[PTIR_MAX_WORD + 1];
    if (snake_case) {
        length = ptir_snake_case(word, length, own);
        word = own;
    }
    suggest_name(s, word, length);
}

void ptir_suggest_words(suggestion *s, const char *words, bool snake_case)
{
    size_t n;
    for (uint32_t i = 0; *ptir_word(words, i, &n); i++)
        suggest_word(s, ptir_word(words, i, &n), n, snake_case);
}

void ptir_suggest_op(suggestion *s, bool snake_case)
{
    if (snake_case) { /* the text form names what JSON selects by a word */
        ptir_suggest_words(s, ptir_unary_words, true);
        ptir_suggest_words(s, ptir_binary_words, true);
        suggest_words(s, "reduce_sum reduce_max reduce_min reduce_max_nan reduce_min_nan");
    }
    for (int op = 0; op < PTIR_OP_COUNT; op++) {
        const bool by_word = ptir_ops[op].form == PTIR_FORM_UNARY ||
                             ptir_ops[op].form == PTIR_FORM_BINARY || op == PTIR_REDUCE;
        if (!snake_case || !by_word)
            suggest_word(s, ptir_ops[op].name, strlen(ptir_ops[op].name), snake_case);
    }
}

void ptir_suggest_field(suggestion *s, const ptir_op_info *op, uint32_t seen)
{
    for (uint32_t i = 0; i < op->n_fields; i++) {
        const ptir_field *field = &op->fields[i];
        if (seen >> i & 1)
            continue;
        suggest_alias(s, attr_keys[field->key].name, field->name);
        suggest_name(s, field->name, strlen(field->name));
    }
}

ptir_op ptir_op_by_name(const char *name, size_t length)
{
    for (int op = 0; op < PTIR_OP_COUNT; op++)
        if (strlen(ptir_ops[op].name) == length && memcmp(ptir_ops[op].name, name, length) == 0)
            return (ptir_op)op;
    return PTIR_OP_COUNT;
}

int ptir_word_index(const char *words, const char *word, size_t length)
{
    for (int i = 0; *words; i++) {
        size_t n = strcspn(words, " ");
        if (n == length && memcmp(words, word, n) == 0)
            return i;
        words += n + (words[n] == ' ');
    }
    return -1;
}

const char *ptir_word(const char *words, uint32_t index, size_t *length)
{
    while (index-- > 0 && *words) {
        words += strcspn(words, " ");
        words += *words == ' ';
    }
    *length = strcspn(words, " ");
    return words;
}

op_id ptir_unary_op(uint32_t index)
{
    return unary_ops[index];
}

op_id ptir_binary_op(uint32_t index)
{
    return binary_ops[index];
}

op_id ptir_reduce_op(uint32_t index)
{
    return reduce_ops[index];
}

bool ptir_converts(ptir_op op)
{
    return op == PTIR_CAST || op == PTIR_WRAP || op == PTIR_BITCAST;
}

bool ptir_text_may_omit(ptir_op op, const ptir_field *field)
{
    const bool makes = op == PTIR_IOTA || op == PTIR_RNG_UNIFORM || op == PTIR_RNG_NORMAL;
    return field->optional || field->kind == PTIR_BOOL || field->kind == PTIR_DICT ||
           field->kind == PTIR_SHAPE ||
           (field->kind == PTIR_DTYPE && (makes || ptir_converts(op))) ||
           field->key == KEY_BATCH_LHS || field->key == KEY_BATCH_RHS;
}

const char *ptir_kind_text(ptir_kind kind)
{
    static const char *const texts[] = {
        [PTIR_UINTS] = "integers",        [PTIR_AXES] = "axes",
        [PTIR_UINT] = "integer",          [PTIR_AXIS] = "axis",
        [PTIR_INT_AXIS] = "axis",         [PTIR_BOOL] = "bool",
        [PTIR_FLOAT] = "float",           [PTIR_WORD] = "word",
        [PTIR_DTYPE] = "dtype",           [PTIR_SHAPE] = "extents",
        [PTIR_NEW_SHAPE] = "new extents", [PTIR_PAIRS] = "pairs",
        [PTIR_SCALAR] = "scalar",         [PTIR_REGION] = "region",
        [PTIR_STRING] = "string",         [PTIR_DICT] = "free attributes"};
    return texts[kind];
}

static bool is_one_of(const op_id *list, uint32_t n, op_id op, uint32_t *index)
{
    for (*index = 0; *index < n; ++*index)
        if (list[*index] == op)
            return true;
    return false;
}

ptir_op ptir_op_of(op_id op, uint32_t *word)
{
    if (is_one_of(unary_ops, sizeof unary_ops / sizeof unary_ops[0], op, word))
        return PTIR_UNARY;
    if (is_one_of(binary_ops, sizeof binary_ops / sizeof binary_ops[0], op, word))
        return PTIR_BINARY;
    if (is_one_of(reduce_ops, sizeof reduce_ops / sizeof reduce_ops[0], op, word))
        return PTIR_REDUCE;
    *word = 0;
    for (int i = 0; i < PTIR_OP_COUNT; i++)
        if (ptir_ops[i].op == op)
            return (ptir_op)i;
    return PTIR_OP_COUNT;
}
