/* Downloads go wrong in a few ways, and other formats are given the name of this one: files are
 * told apart by how they begin. */
#include "dialect/onnx/misnamed.h"

#include <string.h>

typedef struct beginning {
    uint32_t at, n;
    const char *bytes;
    onnx_misnamed is;
} beginning;

#define BEGINS(at, bytes, ...)                                                                     \
    {                                                                                              \
        at, sizeof bytes - 1, bytes,                                                               \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define PAGE "a web page", "fetch the file itself: its address gave a page about it"
#define PACKED "compressed", "uncompress it first"
#define TO_BINARY "write it in the binary form: onnx.save of Python's onnx does that"

static const beginning beginnings[] = {
    BEGINS(0, "version https://git-lfs", "a pointer of Git LFS, which stands for it",
           "fetch the file: git lfs pull"),
    BEGINS(0, "<!DOCTYPE", PAGE),
    BEGINS(0, "<!doctype", PAGE),
    BEGINS(0, "<html", PAGE),
    BEGINS(0, "<HTML", PAGE),
    BEGINS(0, "<ir_version", "one as text", TO_BINARY),
    BEGINS(0, "ir_version", "one as text", TO_BINARY),
    BEGINS(0, "{", "JSON", TO_BINARY),
    BEGINS(0, "PK\3\4", "a ZIP archive, such as PyTorch saves",
           "unpack it, or export the program in it: torch.onnx.export"),
    BEGINS(0, "\x80\x02", "a file of Python's pickle, such as PyTorch saves",
           "export the program in it: torch.onnx.export"),
    BEGINS(0, "\x1f\x8b", PACKED),
    BEGINS(0, "BZh", PACKED),
    BEGINS(0,
           "\xfd"
           "7zXZ",
           PACKED),
    BEGINS(0, "\x28\xb5\x2f\xfd", PACKED),
    BEGINS(257, "ustar", "an archive of tar", "unpack it first"),
    BEGINS(4, "ORTM", "a model in the form of ONNX Runtime alone (.ort)",
           "take the .onnx file that it was made from"),
    BEGINS(4, "TFL3", "a model of TensorFlow Lite", "convert it with tf2onnx"),
    BEGINS(0, "\x89HDF", "an HDF5 file, such as Keras saves", "convert it with tf2onnx"),
    BEGINS(0, "GGUF", "weights in the form GGUF, without a program", NULL),
    BEGINS(8, "{\"", "weights in the form safetensors, without a program", NULL),
    BEGINS(0, "\x93NUMPY", "an array of NumPy", NULL),
};

/* Do fields of a model stand there, the last of which ends behind the file? */
static bool is_cut_off(onnx_bytes bytes)
{
    enum { VERSION = 0x08, LAST_FIELD = 26 };
    wire w = wire_over(bytes);
    wire_field f;
    if (bytes.n < 2 || bytes.at[0] != VERSION)
        return false;
    while (wire_next(&w, &f))
        if (f.number > LAST_FIELD)
            return false;
    return w.is_short;
}

onnx_misnamed onnx_misnamed_find(onnx_bytes bytes)
{
    for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++) {
        const beginning *b = &beginnings[i];
        if (bytes.n >= (size_t)b->at + b->n && memcmp(bytes.at + b->at, b->bytes, b->n) == 0)
            return b->is;
    }
    if (is_cut_off(bytes))
        return (onnx_misnamed){NULL, "the end of the file is missing: fetch it once more"};
    return (onnx_misnamed){0};
}
