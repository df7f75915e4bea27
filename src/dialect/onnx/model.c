/* From the wire to the data model, by tables: what each field of a message is and where it goes.
 * A message is walked twice: first its lists are counted, then everything is put in place. */
#include "dialect/onnx/model.h"

#include <string.h>

#include "dialect/onnx/tensors.h"
#include "graph/payload.h"

typedef enum field_kind {
    FIELD_SKIPPED = 0,
    FIELD_INT,
    FIELD_FLOAT,
    FIELD_BYTES,
    FIELD_INTS,
    FIELD_FLOATS,
    FIELD_TEXTS,
    FIELD_MESSAGE,
    FIELD_MESSAGES
} field_kind;

struct message_rule;
typedef struct field_rule {
    field_kind kind;
    uint32_t offset;
    const struct message_rule *of;
} field_rule;

enum { MOST_FIELDS = 32 };

typedef struct message_rule {
    const char *name;
    size_t size;
    field_rule fields[MOST_FIELDS];
} message_rule;

#define AT(type, member) (uint32_t) offsetof(type, member)
#define INT(type, member)                                                                          \
    {                                                                                              \
        FIELD_INT, AT(type, member), NULL                                                          \
    }
#define FLOAT(type, member)                                                                        \
    {                                                                                              \
        FIELD_FLOAT, AT(type, member), NULL                                                        \
    }
#define BYTES(type, member)                                                                        \
    {                                                                                              \
        FIELD_BYTES, AT(type, member), NULL                                                        \
    }
#define INTS(type, member)                                                                         \
    {                                                                                              \
        FIELD_INTS, AT(type, member), NULL                                                         \
    }
#define FLOATS(type, member)                                                                       \
    {                                                                                              \
        FIELD_FLOATS, AT(type, member), NULL                                                       \
    }
#define TEXTS(type, member)                                                                        \
    {                                                                                              \
        FIELD_TEXTS, AT(type, member), NULL                                                        \
    }
#define ONE(type, member, rule)                                                                    \
    {                                                                                              \
        FIELD_MESSAGE, AT(type, member), &(rule)                                                   \
    }
#define MANY(type, member, rule)                                                                   \
    {                                                                                              \
        FIELD_MESSAGES, AT(type, member), &(rule)                                                  \
    }

static const message_rule import_rule = {
    "OperatorSetIdProto",
    sizeof(onnx_import),
    {[1] = BYTES(onnx_import, domain), [2] = INT(onnx_import, version)}};

static const message_rule pair_rule = {
    "StringStringEntryProto",
    sizeof(onnx_pair),
    {[1] = BYTES(onnx_pair, key), [2] = BYTES(onnx_pair, value)}};

static const message_rule tensor_rule = {"TensorProto",
                                         sizeof(onnx_tensor),
                                         {[1] = INTS(onnx_tensor, dims),
                                          [2] = INT(onnx_tensor, data_type),
                                          [8] = BYTES(onnx_tensor, name),
                                          [9] = BYTES(onnx_tensor, raw),
                                          [13] = MANY(onnx_tensor, external, pair_rule),
                                          [14] = INT(onnx_tensor, location)}};

static const message_rule sparse_rule = {"SparseTensorProto",
                                         sizeof(onnx_sparse),
                                         {[1] = ONE(onnx_sparse, values, tensor_rule),
                                          [2] = ONE(onnx_sparse, indices, tensor_rule),
                                          [3] = INTS(onnx_sparse, dims)}};

static const message_rule dim_rule = {
    "Dimension", sizeof(onnx_dim), {[1] = INT(onnx_dim, value), [2] = BYTES(onnx_dim, param)}};

static const message_rule shape_rule = {
    "TensorShapeProto", sizeof(onnx_shape), {[1] = MANY(onnx_shape, dims, dim_rule)}};

static const message_rule tensor_type_rule = {
    "TypeProto.Tensor",
    sizeof(onnx_tensor_type),
    {[1] = INT(onnx_tensor_type, elem_type), [2] = ONE(onnx_tensor_type, shape, shape_rule)}};

static const message_rule type_rule = {
    "TypeProto", sizeof(onnx_type), {[1] = ONE(onnx_type, tensor, tensor_type_rule)}};

static const message_rule value_info_rule = {
    "ValueInfoProto",
    sizeof(onnx_value_info),
    {[1] = BYTES(onnx_value_info, name), [2] = ONE(onnx_value_info, type, type_rule)}};

static const message_rule graph_rule;

static const message_rule attribute_rule = {"AttributeProto",
                                            sizeof(onnx_attribute),
                                            {[1] = BYTES(onnx_attribute, name),
                                             [2] = FLOAT(onnx_attribute, f),
                                             [3] = INT(onnx_attribute, i),
                                             [4] = BYTES(onnx_attribute, s),
                                             [5] = ONE(onnx_attribute, t, tensor_rule),
                                             [6] = ONE(onnx_attribute, g, graph_rule),
                                             [7] = FLOATS(onnx_attribute, floats),
                                             [8] = INTS(onnx_attribute, ints),
                                             [9] = TEXTS(onnx_attribute, strings),
                                             [10] = MANY(onnx_attribute, tensors, tensor_rule),
                                             [11] = MANY(onnx_attribute, graphs, graph_rule),
                                             [20] = INT(onnx_attribute, type),
                                             [21] = BYTES(onnx_attribute, refers),
                                             [22] = ONE(onnx_attribute, sparse, sparse_rule)}};

static const message_rule node_rule = {"NodeProto",
                                       sizeof(onnx_node),
                                       {[1] = TEXTS(onnx_node, inputs),
                                        [2] = TEXTS(onnx_node, outputs),
                                        [3] = BYTES(onnx_node, name),
                                        [4] = BYTES(onnx_node, op),
                                        [5] = MANY(onnx_node, attributes, attribute_rule),
                                        [7] = BYTES(onnx_node, domain),
                                        [8] = BYTES(onnx_node, overload)}};

static const message_rule graph_rule = {
    "GraphProto",
    sizeof(onnx_graph),
    {[1] = MANY(onnx_graph, nodes, node_rule),
     [2] = BYTES(onnx_graph, name),
     [5] = MANY(onnx_graph, initializers, tensor_rule),
     [11] = MANY(onnx_graph, inputs, value_info_rule),
     [12] = MANY(onnx_graph, outputs, value_info_rule),
     [13] = MANY(onnx_graph, value_infos, value_info_rule),
     [15] = MANY(onnx_graph, sparse_initializers, sparse_rule)}};

static const message_rule function_rule = {"FunctionProto",
                                           sizeof(onnx_function),
                                           {[1] = BYTES(onnx_function, name),
                                            [4] = TEXTS(onnx_function, inputs),
                                            [5] = TEXTS(onnx_function, outputs),
                                            [6] = TEXTS(onnx_function, attributes),
                                            [7] = MANY(onnx_function, nodes, node_rule),
                                            [9] = MANY(onnx_function, imports, import_rule),
                                            [10] = BYTES(onnx_function, domain),
                                            [11] = MANY(onnx_function, defaults, attribute_rule),
                                            [13] = BYTES(onnx_function, overload)}};

static const message_rule model_rule = {"ModelProto",
                                        sizeof(onnx_model),
                                        {[1] = INT(onnx_model, ir_version),
                                         [2] = BYTES(onnx_model, producer),
                                         [7] = ONE(onnx_model, graph, graph_rule),
                                         [8] = MANY(onnx_model, imports, import_rule),
                                         [25] = MANY(onnx_model, functions, function_rule)}};

typedef struct reader {
    arena *memory;
    onnx_fault *fault;
    uint32_t nesting;
    const char *text; /* all of it */
    char *own;        /* the same where it may be changed, or NULL */
} reader;

static bool read_message(reader *r, const message_rule *rule, onnx_bytes bytes, uint32_t depth,
                         void *out);

static bool fail(reader *r, const message_rule *rule, const char *at, const char *what)
{
    *r->fault = (onnx_fault){what, rule->name, at};
    return false;
}

static bool no_memory(reader *r)
{
    *r->fault = (onnx_fault){0};
    return false;
}

static const field_rule *rule_of(const message_rule *rule, const wire_field *f)
{
    static const field_rule skipped = {0};
    return f->number < MOST_FIELDS ? &rule->fields[f->number] : &skipped;
}

/* Of an element of a list; 0 for what is no list. */
static size_t element_size(const field_rule *f)
{
    static const size_t sizes[] = {[FIELD_INTS] = sizeof(int64_t),
                                   [FIELD_FLOATS] = sizeof(float),
                                   [FIELD_TEXTS] = sizeof(onnx_bytes),
                                   [FIELD_MESSAGES] = 0};
    return f->kind == FIELD_MESSAGES ? f->of->size : sizes[f->kind];
}

/* How many elements F adds to a list; false when it does not have the encoding of one. */
static bool count_elements(const field_rule *rule, const wire_field *f, uint64_t *n)
{
    const bool packed = f->kind == WIRE_BYTES;
    *n = 1;
    if (rule->kind == FIELD_FLOATS) {
        if (packed)
            *n = f->bytes.n / sizeof(float);
        return packed ? f->bytes.n % sizeof(float) == 0 : f->kind == WIRE_FIXED32;
    }
    if (rule->kind == FIELD_TEXTS || rule->kind == FIELD_MESSAGES)
        return packed;
    if (!packed)
        return f->kind == WIRE_VARINT;
    wire w = wire_over(f->bytes);
    uint64_t value;
    for (*n = 0; wire_varint(&w, &value);)
        ++*n;
    return !w.fault;
}

static onnx_list *list_at(void *out, const field_rule *rule)
{
    return (onnx_list *)(void *)((char *)out + rule->offset);
}

/* Room for the lists of OUT. */
static bool make_room(reader *r, const message_rule *rule, onnx_bytes bytes, void *out)
{
    uint32_t counts[MOST_FIELDS] = {0};
    wire w = wire_over(bytes);
    for (wire_field f; wire_next(&w, &f);) {
        const field_rule *field = rule_of(rule, &f);
        uint64_t n;
        if (element_size(field) == 0)
            continue;
        if (!count_elements(field, &f, &n))
            return fail(r, rule, w.at, "a field does not have the encoding of its list");
        if (n > UINT32_MAX - counts[f.number])
            return fail(r, rule, w.at, "a list is too long");
        counts[f.number] += (uint32_t)n;
    }
    if (w.fault)
        return fail(r, rule, w.at, w.fault);
    for (uint32_t i = 0; i < MOST_FIELDS; i++)
        if (counts[i]) {
            onnx_list *list = list_at(out, &rule->fields[i]);
            list->at = arena_calloc(r->memory, counts[i], element_size(&rule->fields[i]));
            if (!list->at)
                return no_memory(r);
        }
    return true;
}

static void put_ints(onnx_list *list, const wire_field *f)
{
    int64_t *to = list->at;
    uint64_t value;
    if (f->kind == WIRE_VARINT) {
        to[list->n++] = (int64_t)f->value;
        return;
    }
    wire w = wire_over(f->bytes);
    while (wire_varint(&w, &value))
        to[list->n++] = (int64_t)value;
}

static bool put_message(reader *r, const field_rule *rule, const wire_field *f, uint32_t depth,
                        void *out)
{
    void *one = arena_calloc(r->memory, 1, rule->of->size);
    if (!one)
        return no_memory(r);
    memcpy((char *)out + rule->offset, &one, sizeof one);
    return read_message(r, rule->of, f->bytes, depth + 1, one);
}

/* The value of one field, in OUT. */
static bool put_field(reader *r, const message_rule *in, const field_rule *rule,
                      const wire_field *f, const char *at, uint32_t depth, void *out)
{
    static const wire_kind kinds[] = {[FIELD_INT] = WIRE_VARINT,
                                      [FIELD_FLOAT] = WIRE_FIXED32,
                                      [FIELD_BYTES] = WIRE_BYTES,
                                      [FIELD_MESSAGE] = WIRE_BYTES};
    char *to = (char *)out + rule->offset;
    onnx_list *list = list_at(out, rule);
    if (element_size(rule) == 0 && f->kind != kinds[rule->kind])
        return fail(r, in, at, "a field has another encoding than its kind");
    switch (rule->kind) {
    case FIELD_SKIPPED:
        return true;
    case FIELD_INT:
        memcpy(to, &f->value, sizeof f->value);
        return true;
    case FIELD_FLOAT:
        memcpy(to, f->bytes.at, sizeof(float));
        return true;
    case FIELD_BYTES:
        memcpy(to, &f->bytes, sizeof f->bytes);
        return true;
    case FIELD_INTS:
        put_ints(list, f);
        return true;
    case FIELD_FLOATS:
        if (f->bytes.n)
            memcpy((float *)list->at + list->n, f->bytes.at, f->bytes.n);
        list->n += (uint32_t)(f->bytes.n / sizeof(float));
        return true;
    case FIELD_TEXTS:
        ((onnx_bytes *)list->at)[list->n++] = f->bytes;
        return true;
    case FIELD_MESSAGE:
        if (onnx_has(out, f->number))
            return fail(r, in, at, "a message that may stand once stands twice");
        return put_message(r, rule, f, depth, out);
    case FIELD_MESSAGES:
        return read_message(r, rule->of, f->bytes, depth + 1,
                            (char *)list->at + (size_t)list->n++ * rule->of->size);
    }
    return true;
}

/* Move the data of T, which is read, to where it may stay: down over its own length, which takes
 * three bytes or more where the data is large, and the number of the field. */
static void align_data(const reader *r, onnx_tensor *t)
{
    enum { HEAD = 4 };
    const size_t off = (uintptr_t)t->raw.at % onnx_element_align(t->data_type);
    if (t->raw.n < PAYLOAD_FROM || off == 0 || off > HEAD)
        return;
    char *to = r->own + (t->raw.at - r->text) - off;
    memmove(to, t->raw.at, t->raw.n);
    t->raw.at = to;
}

static bool read_message(reader *r, const message_rule *rule, onnx_bytes bytes, uint32_t depth,
                         void *out)
{
    onnx_message *head = out;
    if (depth > r->nesting)
        return fail(r, rule, bytes.at, "messages stand too deep inside each other");
    head->bytes = bytes;
    if (!make_room(r, rule, bytes, out))
        return false;
    wire w = wire_over(bytes);
    const char *at = w.at;
    for (wire_field f; wire_next(&w, &f); at = w.at) {
        const field_rule *field = rule_of(rule, &f);
        if (field->kind != FIELD_SKIPPED && !put_field(r, rule, field, &f, at, depth, out))
            return false;
        if (f.number < MOST_FIELDS)
            head->present |= (uint32_t)1 << f.number;
    }
    if (rule == &tensor_rule && r->own)
        align_data(r, out);
    return true;
}

const onnx_model *onnx_model_read(arena *memory, onnx_bytes bytes, char *own, uint32_t nesting,
                                  onnx_fault *fault)
{
    reader r = {.memory = memory, .fault = fault, .nesting = nesting, .text = bytes.at, .own = own};
    onnx_model *m = ARENA_NEW(memory, onnx_model);
    if (m)
        return read_message(&r, &model_rule, bytes, 1, m) ? m : NULL;
    (void)no_memory(&r);
    return NULL;
}

const onnx_tensor *onnx_tensor_read(arena *memory, onnx_bytes bytes, onnx_fault *fault)
{
    enum { DEEPEST = 4 };
    reader r = {.memory = memory, .fault = fault, .nesting = DEEPEST};
    onnx_tensor *t = ARENA_NEW(memory, onnx_tensor);
    if (t)
        return read_message(&r, &tensor_rule, bytes, 1, t) ? t : NULL;
    (void)no_memory(&r);
    return NULL;
}
