/* The dialect's row. */
#include "dialect/onnx/onnx.h"

#include "dialect/onnx/wire.h"

/* The first field is the version of the format, a small number, and what follows are fields of a
 * model. */
static bool looks_like(const char *text, size_t length)
{
    enum { LAST_FIELD = 26, LOOK_AT = 8 };
    wire w = wire_over((onnx_bytes){text, length});
    wire_field f;
    if (length < 2 || text[0] != 0x08 || !wire_next(&w, &f) || f.value == 0 || f.value > 1000)
        return false;
    for (uint32_t i = 0; i < LOOK_AT && wire_next(&w, &f); i++)
        if (f.number > LAST_FIELD)
            return false;
    return !w.fault;
}

static const char *code_of(int kind)
{
    (void)kind;
    return NULL;
}

const dialect dialect_onnx = {
    .name = "onnx",
    .extensions = ".onnx",
    .styles = "canonical",
    .read = onnx_read,
    .lowers_to = "ptir",
    .write = onnx_write,
    .code_of = code_of,
    .looks_like = looks_like,
    .spelling = onnx_spelling,
    .can = &onnx_expressible,
    .canonical = true,
    .takes_results = true,
};
