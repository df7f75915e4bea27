/* The op table made from ops.def. */
#include "graph/op.h"

#include <string.h>

/* An entry before the attributes keeps the lists of ops without attributes from being empty. */
#define R(key)                                                                                     \
    {                                                                                              \
        KEY_##key, true                                                                            \
    }
#define O(key)                                                                                     \
    {                                                                                              \
        KEY_##key, false                                                                           \
    }
#define ATTRS(...)                                                                                 \
    {                                                                                              \
        {KEY_COUNT, false}, __VA_ARGS__                                                            \
    }
#define OP(id, text, min_in, max_in, attrs, traits, infer, eval, grad, lower, help)                \
    static const attr_spec specs_##id[] = attrs;
#include "graph/ops.def"
#undef OP

const op_info op_table[OP_COUNT] = {
#define OP(id, text, min_in, max_in, attrs, traits, infer, eval, grad, lower, help)                \
    [OP_##id] = {text,           min_in, max_in, sizeof specs_##id / sizeof specs_##id[0] - 1,     \
                 specs_##id + 1, traits, #infer, #eval,                                            \
                 #grad,          #lower, help},
#include "graph/ops.def"
#undef OP
};

op_id op_by_name(const char *text, size_t length)
{
    for (int op = 0; op < OP_COUNT; op++)
        if (strlen(op_table[op].text) == length && memcmp(op_table[op].text, text, length) == 0)
            return (op_id)op;
    return OP_COUNT;
}
