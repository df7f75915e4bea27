/* How Core IR spells the vocabulary. */
#include "dialect/mind/spelling.h"

#define INTS(name, key, position)                                                                  \
    {                                                                                              \
        name, SLOT_INTS, KEY_##key, position, false, NULL                                          \
    }
#define INTS_OR(name, key, position, synonyms)                                                     \
    {                                                                                              \
        name, SLOT_INTS, KEY_##key, position, false, synonyms                                      \
    }
#define PADDING(position)                                                                          \
    {                                                                                              \
        "padding", SLOT_PADDING, KEY_PADDING, position, false, "pad"                               \
    }
#define VALUE                                                                                      \
    {                                                                                              \
        "value", SLOT_NUMBER, KEY_VALUE, 0, false, NULL                                            \
    }

/* clang-format off */
const spelling spellings[] = {
    {"Input", OP_INPUT, 0, false, false, TN_F32, 1,
     {{"name", SLOT_STRING, KEY_NAME, NO_POSITION, false, NULL}}},
    {"ConstI64", OP_CONSTANT, 0, false, false, TN_SI64, 1, {VALUE}},
    {"ConstF32", OP_CONSTANT, 0, false, false, TN_F32, 1, {VALUE}},
    {"ConstF64", OP_CONSTANT, 0, false, false, TN_F64, 1, {VALUE}},
    {"ConstTensor", OP_CONSTANT, 0, false, false, TN_DTYPE_COUNT, 4,
     {{"data", SLOT_DATA, KEY_VALUE, 0, true, "value"},
      {"dtype", SLOT_DTYPE, KEY_COUNT, NO_POSITION, true, NULL},
      {"fill", SLOT_FILL, KEY_COUNT, NO_POSITION, true, NULL},
      {"shape", SLOT_SHAPE, KEY_COUNT, NO_POSITION, true, NULL}}},
    {"BinOp", OP_COUNT, 2, false, false, TN_F32, 1,
     {{"op", SLOT_OPERATOR, KEY_COUNT, 0, false, NULL}}},
    {"Add", OP_ADD, 2, false, true, TN_F32, 0, {{0}}},
    {"Sub", OP_SUB, 2, false, true, TN_F32, 0, {{0}}},
    {"Mul", OP_MUL, 2, false, true, TN_F32, 0, {{0}}},
    {"Div", OP_DIV, 2, true, true, TN_F32, 0, {{0}}},
    {"Sum", OP_SUM, 1, false, false, TN_F32, 2,
     {INTS("axes", AXES, 0), {"keepdims", SLOT_BOOL, KEY_KEEPDIMS, 1, false, NULL}}},
    {"Mean", OP_MEAN, 1, false, false, TN_F32, 2,
     {INTS("axes", AXES, 0), {"keepdims", SLOT_BOOL, KEY_KEEPDIMS, 1, false, NULL}}},
    {"Reshape", OP_RESHAPE, 1, false, false, TN_F32, 1, {INTS_OR("new_shape", SHAPE, 0, "shape")}},
    {"Transpose", OP_TRANSPOSE, 1, false, false, TN_F32, 1,
     {INTS_OR("permutation", PERM, 0, "perm axes")}},
    {"ExpandDims", OP_EXPAND_DIMS, 1, false, false, TN_F32, 1, {INTS("axes", AXES, 0)}},
    {"Squeeze", OP_SQUEEZE, 1, false, false, TN_F32, 1, {INTS("axes", AXES, 0)}},
    {"Index", OP_INDEX, 1, false, false, TN_F32, 1, {INTS("indices", INDICES, 0)}},
    {"Slice", OP_SLICE, 1, false, false, TN_F32, 3,
     {INTS("ends", ENDS, 1), {"starts", SLOT_RANGES, KEY_STARTS, 0, false, NULL},
      INTS("steps", STEPS, 2)}},
    {"Gather", OP_TAKE, 2, false, false, TN_F32, 0, {{0}}},
    {"Dot", OP_DOT, 2, false, false, TN_F32, 0, {{0}}},
    {"MatMul", OP_MATMUL, 2, false, false, TN_F32, 0, {{0}}},
    {"Conv2d", OP_CONV2D, 2, false, false, TN_F32, 2, {PADDING(1), INTS("strides", STRIDES, 0)}},
    {"Relu", OP_RELU, 1, false, false, TN_F32, 0, {{0}}},
    {"Neg", OP_NEG, 1, false, false, TN_F32, 0, {{0}}},
    {"Exp", OP_EXP, 1, false, false, TN_F32, 0, {{0}}},
    {"Log", OP_LOG, 1, false, false, TN_F32, 0, {{0}}},
    {"ReluGrad", OP_RELU_GRAD, 2, true, false, TN_F32, 0, {{0}}},
    {"ScatterAdd", OP_SCATTER_ROWS, 2, true, false, TN_F32, 1, {INTS("shape", SHAPE, 0)}},
    {"SliceGrad", OP_SLICE_GRAD, 1, true, false, TN_F32, 4,
     {INTS("ends", ENDS, 2), INTS("shape", SHAPE, 0),
      {"starts", SLOT_RANGES, KEY_STARTS, 1, false, NULL}, INTS("steps", STEPS, 3)}},
    {"Broadcast", OP_BROADCAST, 1, true, false, TN_F32, 1, {INTS("shape", SHAPE, 0)}},
    {"Conv2dGradInput", OP_CONV2D_GRAD_INPUT, 2, true, false, TN_F32, 3,
     {INTS("input_shape", INPUT_SHAPE, 0), PADDING(2), INTS("strides", STRIDES, 1)}},
    {"Conv2dGradFilter", OP_CONV2D_GRAD_FILTER, 2, true, false, TN_F32, 3,
     {INTS("filter_shape", FILTER_SHAPE, 0), PADDING(2), INTS("strides", STRIDES, 1)}},
};
/* clang-format on */
const uint32_t n_spellings = sizeof spellings / sizeof spellings[0];

static bool same(const char *known, const char *text, size_t length)
{
    return strncmp(known, text, length) == 0 && known[length] == '\0';
}

const spelling *spelling_find(const char *text, size_t length)
{
    for (uint32_t i = 0; i < n_spellings; i++)
        if (same(spellings[i].text, text, length))
            return &spellings[i];
    return NULL;
}

const spelling *spelling_to_write(op_id op)
{
    for (uint32_t i = 0; i < n_spellings; i++)
        if (spellings[i].op == op && !spellings[i].is_synonym)
            return &spellings[i];
    return NULL;
}

static bool is_listed(const char *list, const char *text, size_t length)
{
    while (list && *list) {
        size_t n = strcspn(list, " ");
        if (n == length && memcmp(list, text, n) == 0)
            return true;
        list += n + (list[n] == ' ');
    }
    return false;
}

uint32_t spelling_slot(const spelling *s, const char *name, size_t length)
{
    for (uint32_t i = 0; i < s->n_slots; i++)
        if (same(s->slots[i].name, name, length))
            return i;
    for (uint32_t i = 0; i < s->n_slots; i++)
        if (is_listed(s->slots[i].synonyms, name, length))
            return i;
    return s->n_slots;
}

uint32_t spelling_position(const spelling *s, uint32_t position)
{
    uint32_t i = 0;
    while (i < s->n_slots && (s->slots[i].position != position || position == NO_POSITION))
        i++;
    return i;
}

static const op_id operators[] = {OP_ADD, OP_SUB, OP_MUL, OP_DIV};
static const char *const operator_names[] = {"Add", "Sub", "Mul", "Div"};
enum { N_OPERATORS = sizeof operators / sizeof operators[0] };

op_id operator_by_name(const char *text, size_t length)
{
    for (uint32_t i = 0; i < N_OPERATORS; i++)
        if (same(operator_names[i], text, length))
            return operators[i];
    return OP_COUNT;
}

const char *operator_name(op_id op)
{
    for (uint32_t i = 0; i < N_OPERATORS; i++)
        if (operators[i] == op)
            return operator_names[i];
    return NULL;
}

const char *spelling_of_op(op_id op)
{
    static const char *const binary[] = {"BinOp {op=Add}", "BinOp {op=Sub}", "BinOp {op=Mul}",
                                         "BinOp {op=Div} (extension)"};
    for (uint32_t i = 0; i < N_OPERATORS; i++)
        if (operators[i] == op)
            return binary[i];
    if (op == OP_CONSTANT)
        return "ConstI64, ConstF32, ConstF64, ConstTensor";
    const spelling *s = spelling_to_write(op);
    return s ? s->text : NULL;
}

bool spelling_field(op_id op, uint32_t index, dialect_field *out)
{
    const spelling *s = spelling_to_write(op);
    if (!s || op == OP_CONSTANT || index >= s->n_slots)
        return false;
    const slot_spec *slot = &s->slots[index];
    *out = (dialect_field){.name = slot->name, .optional = slot->is_optional};
    if (slot->key != KEY_COUNT)
        out->attribute = attr_keys[slot->key].name;
    return true;
}

static const tn_dtype dtypes[] = {TN_SI32, TN_SI64, TN_F32, TN_F64};
static const char *const dtype_names[] = {"i32", "i64", "f32", "f64"};
enum { N_DTYPES = sizeof dtypes / sizeof dtypes[0] };

bool mind_dtype(const char *text, size_t length, tn_dtype *dtype)
{
    for (uint32_t i = 0; i < N_DTYPES; i++)
        if (length == 3 && memcmp(dtype_names[i], text, 3) == 0) {
            *dtype = dtypes[i];
            return true;
        }
    return false;
}

const char *mind_dtype_name(tn_dtype dtype)
{
    for (uint32_t i = 0; i < N_DTYPES; i++)
        if (dtypes[i] == dtype)
            return dtype_names[i];
    return NULL;
}
