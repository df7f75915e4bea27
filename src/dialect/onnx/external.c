/* Data of tensors that lies in files beside the model: which bytes of which file, from the caller.
 */
#include <inttypes.h>

#include "dialect/onnx/import.h"

/* Where the file says that the data of a tensor lies. */
typedef struct data_place {
    const char *location;
    uint64_t offset, length;
    bool has_length;
} data_place;

/* All of T as a number in decimal digits. */
static bool decimal(onnx_bytes t, uint64_t *out)
{
    uint64_t n = 0;
    for (size_t i = 0; i < t.n; i++) {
        const uint64_t digit = (uint64_t)(unsigned char)t.at[i] - '0';
        if (digit > 9 || n > (UINT64_MAX - digit) / 10)
            return false;
        n = 10 * n + digit;
    }
    *out = n;
    return t.n > 0;
}

/* What is wrong with LOCATION as the name of a file below the model's folder, or NULL. */
static const char *bad_location(onnx_bytes location)
{
    if (location.n == 0)
        return "it has no name";
    if (memchr(location.at, '\0', location.n))
        return "its name holds a NUL";
    if (location.at[0] == '/')
        return "its name is absolute, and only files below the model's folder are read";
    for (size_t i = 0; i < location.n;) {
        const char *part = location.at + i;
        const char *slash = memchr(part, '/', location.n - i);
        const size_t n = slash ? (size_t)(slash - part) : location.n - i;
        if (n == 2 && part[0] == '.' && part[1] == '.')
            return "its name has '..' in it, and only files below the model's folder are read";
        i += n + 1;
    }
    return NULL;
}

static bool refuse(importer *im, const onnx_tensor *t, const char *location, const char *why)
{
    const char *about = why ? arena_printf(&im->memory, "%s\n%s", location, why) : NULL;
    if (!about)
        return onnx_no_memory(im);
    return onnx_refuse_file(
        im, DIAG_ExternalData, about,
        "the data of the tensor '%.*s' lies in the file '%.200s', which cannot be had: %s (byte "
        "%zu)",
        ONNX_TEXT(t->name), location, why, (size_t)(t->message.bytes.at - im->m->source.text));
}

/* The entries of T; of one that stands twice the last counts. */
static bool read_place(importer *im, const onnx_tensor *t, data_place *out)
{
    const onnx_pair *pairs = t->external.at;
    onnx_bytes location = {0};
    const char *bad = NULL;
    *out = (data_place){0};
    for (uint32_t i = 0; i < t->external.n; i++) {
        if (onnx_is(pairs[i].key, "location"))
            location = pairs[i].value;
        else if (onnx_is(pairs[i].key, "offset") && !decimal(pairs[i].value, &out->offset))
            bad = "its offset is no number";
        else if (onnx_is(pairs[i].key, "length")) {
            out->has_length = true;
            bad = decimal(pairs[i].value, &out->length) ? bad : "its length is no number";
        }
    }
    out->location = onnx_text(im, location);
    if (im->no_memory)
        return false;
    if (!bad)
        bad = bad_location(location);
    return !bad || refuse(im, t, out->location, bad);
}

/* The BYTES of T's data. */
static bool fetch(importer *im, const onnx_tensor *t, size_t bytes, onnx_bytes *out)
{
    const read_options *o = im->options;
    data_place place;
    const void *data = NULL;
    if (!read_place(im, t, &place))
        return false;
    if (place.has_length && place.length != bytes)
        return refuse(im, t, place.location,
                      arena_printf(&im->memory,
                                   "its length is %" PRIu64 ", and the tensor's type takes %zu",
                                   place.length, bytes));
    const char *why = "nobody gives files to the reader";
    if (place.offset > UINT64_MAX - bytes)
        why = "it ends before the tensor does";
    else if (o->external)
        why = o->external(o->external_user, place.location, place.offset, bytes, &data);
    if (!why && bytes > 0 && !data)
        why = "it was not given";
    *out = (onnx_bytes){bytes ? data : "", bytes};
    return !why || refuse(im, t, place.location, why);
}

const onnx_tensor *onnx_with_data(importer *im, const onnx_tensor *t)
{
    onnx_tensor_facts facts;
    if (!onnx_tensor_is_external(t) || onnx_tensor_type_of(t, &facts) != NULL)
        return t;
    onnx_tensor *own = ARENA_NEW(&im->memory, onnx_tensor);
    if (!own) {
        (void)onnx_no_memory(im);
        return NULL;
    }
    *own = *t;
    own->message.present |= 1u << ONNX_TENSOR_RAW;
    return fetch(im, t, onnx_raw_bytes(&facts), &own->raw) ? own : NULL;
}
