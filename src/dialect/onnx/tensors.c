/* TensorProto: element types, and elements from raw bytes or from lists of numbers. */
#include "dialect/onnx/tensors.h"

#include <string.h>

#include "base/memory/checked.h"
#include "scalar/dtype.h"

#define ABSENT TN_DTYPE_COUNT

static const struct {
    const char *name;
    tn_dtype dtype; /* ABSENT: the library has no such type */
    onnx_data list; /* the field that holds elements when they are not raw */
} element_types[] = {
    {"undefined", ABSENT, 0},
    {"float", TN_F32, ONNX_DATA_FLOAT},
    {"uint8", TN_UI8, ONNX_DATA_INT32},
    {"int8", TN_SI8, ONNX_DATA_INT32},
    {"uint16", TN_UI16, ONNX_DATA_INT32},
    {"int16", TN_SI16, ONNX_DATA_INT32},
    {"int32", TN_SI32, ONNX_DATA_INT32},
    {"int64", TN_SI64, ONNX_DATA_INT64},
    {"string", ABSENT, ONNX_DATA_STRING},
    {"bool", TN_I1, ONNX_DATA_INT32},
    {"float16", TN_F16, ONNX_DATA_INT32},
    {"double", TN_F64, ONNX_DATA_DOUBLE},
    {"uint32", TN_UI32, ONNX_DATA_UINT64},
    {"uint64", TN_UI64, ONNX_DATA_UINT64},
    {"complex64", TN_CF32, ONNX_DATA_FLOAT},
    {"complex128", TN_CF64, ONNX_DATA_DOUBLE},
    {"bfloat16", TN_BF16, ONNX_DATA_INT32},
    {"float8e4m3fn", TN_FP8_E4M3, ONNX_DATA_INT32},
    {"float8e4m3fnuz", ABSENT, ONNX_DATA_INT32},
    {"float8e5m2", TN_FP8_E5M2, ONNX_DATA_INT32},
    {"float8e5m2fnuz", ABSENT, ONNX_DATA_INT32},
    {"uint4", TN_UI4, ONNX_DATA_INT32},
    {"int4", TN_SI4, ONNX_DATA_INT32},
    {"float4e2m1", ABSENT, ONNX_DATA_INT32},
    {"float8e8m0", ABSENT, ONNX_DATA_INT32},
    {"uint2", ABSENT, ONNX_DATA_INT32},
    {"int2", ABSENT, ONNX_DATA_INT32},
};

enum { N_TYPES = sizeof element_types / sizeof element_types[0] };

bool onnx_dtype(int64_t number, tn_dtype *out)
{
    if (number < 0 || number >= N_TYPES || element_types[number].dtype == ABSENT)
        return false;
    *out = element_types[number].dtype;
    return true;
}

const char *onnx_dtype_name(int64_t number)
{
    return number > 0 && number < N_TYPES ? element_types[number].name : NULL;
}

int64_t onnx_dtype_number(tn_dtype d)
{
    for (int64_t i = 1; i < N_TYPES; i++)
        if (element_types[i].dtype == d)
            return i;
    return 0;
}

size_t onnx_element_align(int64_t number)
{
    tn_dtype d;
    return onnx_dtype(number, &d) ? dtype_bytes(dtype_table[d].part) : 1;
}

const char *onnx_tensor_type_of(const onnx_tensor *t, onnx_tensor_facts *out)
{
    *out = (onnx_tensor_facts){.rank = t->dims.n};
    if (!onnx_dtype(t->data_type, &out->dtype))
        return "it has an element type that is not read";
    if (t->dims.n > TN_MAX_RANK)
        return "its rank is too high";
    const int64_t *dims = t->dims.at;
    for (uint32_t i = 0; i < t->dims.n; i++) {
        if (dims[i] < 0)
            return "an extent is negative";
        out->dims[i] = dims[i];
    }
    if (!product_i64(out->dims, out->rank, &out->count) ||
        !mul_size((size_t)out->count, dtype_bytes(out->dtype), &out->bytes))
        return "it has more elements than can be counted";
    return NULL;
}

static bool is_packed(tn_dtype d) /* two elements in a byte */
{
    return d == TN_SI4 || d == TN_UI4;
}

size_t onnx_raw_bytes(const onnx_tensor_facts *f)
{
    return is_packed(f->dtype) ? f->bytes / 2 + f->bytes % 2 : f->bytes;
}

static void unpack(tn_dtype d, uint8_t byte, int64_t at, int64_t count, char *to)
{
    for (uint32_t k = 0; k < 2 && at + k < count; k++) {
        const uint8_t low = k ? byte >> 4 : byte & 15;
        to[at + k] = (char)(d == TN_SI4 && low >= 8 ? low | 0xf0 : low);
    }
}

static const char *const wrong_length = "its data does not have as many elements as its shape";

static const char *store_raw(const onnx_tensor *t, const onnx_tensor_facts *f, char *to)
{
    const size_t want = t->is_stored ? f->bytes : onnx_raw_bytes(f);
    if (t->raw.n != want)
        return wrong_length;
    if (is_packed(f->dtype) && !t->is_stored) {
        for (size_t i = 0; i < want; i++)
            unpack(f->dtype, (uint8_t)t->raw.at[i], (int64_t)(2 * i), f->count, to);
        return NULL;
    }
    if (want)
        memcpy(to, t->raw.at, want);
    for (int64_t i = 0; f->dtype == TN_I1 && i < f->count; i++)
        to[i] = to[i] != 0;
    return NULL;
}

/* Where the next number of a list goes. */
typedef struct filler {
    const onnx_tensor_facts *facts;
    char *to;
    int64_t done; /* parts: a complex element has two */
    int64_t parts;
} filler;

static bool put_number(filler *f, uint64_t value)
{
    const tn_dtype d = f->facts->dtype;
    const size_t size = dtype_bytes(dtype_table[d].part);
    if (f->done >= f->parts)
        return false;
    if (is_packed(d)) {
        unpack(d, (uint8_t)value, f->done, f->parts, f->to);
        f->done += f->parts - f->done > 1 ? 2 : 1;
        return true;
    }
    if (d == TN_I1)
        value = value != 0;
    memcpy(f->to + (size_t)f->done++ * size, &value, size); /* little-endian, as the file is */
    return true;
}

static bool put_list(filler *f, const wire_field *field, size_t width)
{
    if (field->kind != WIRE_BYTES)
        return put_number(f, field->value);
    if (width == 0) {
        wire w = wire_over(field->bytes);
        for (uint64_t value; wire_varint(&w, &value);)
            if (!put_number(f, value))
                return false;
        return !w.fault;
    }
    const size_t n = field->bytes.n / width;
    if (field->bytes.n % width || n > (uint64_t)(f->parts - f->done))
        return false;
    if (n)
        memcpy(f->to + (size_t)f->done * width, field->bytes.at, n * width);
    f->done += (int64_t)n;
    return true;
}

static const char *store_list(const onnx_tensor *t, const onnx_tensor_facts *facts, char *to)
{
    const onnx_data list = element_types[t->data_type].list;
    const size_t width = list == ONNX_DATA_FLOAT ? 4 : list == ONNX_DATA_DOUBLE ? 8 : 0;
    filler f = {.facts = facts, .to = to, .parts = facts->count};
    f.parts *= dtype_is_complex(facts->dtype) ? 2 : 1;
    wire w = wire_over(t->message.bytes);
    for (wire_field field; wire_next(&w, &field);)
        if (field.number == (uint32_t)list && !put_list(&f, &field, width))
            return wrong_length;
    return f.done == f.parts ? NULL : wrong_length;
}

const char *onnx_tensor_store(const onnx_tensor *t, const onnx_tensor_facts *facts, void *to)
{
    return onnx_has(&t->message, ONNX_TENSOR_RAW) ? store_raw(t, facts, to)
                                                  : store_list(t, facts, to);
}
