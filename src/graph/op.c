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
#define OP(id, text, min_in, max_in, attrs, traits, infer, eval, grad, lower, class, help)         \
    static const attr_spec specs_##id[] = attrs;
#define ELEMENTWISE(id, text, n_in, attrs, traits, infer, kernel, cost, grad, help)                \
    static const attr_spec specs_##id[] = attrs;
#include "graph/ops.def"

#define SPECS(id) .n_attrs = sizeof specs_##id / sizeof specs_##id[0] - 1, .attrs = specs_##id + 1

const op_info op_table[OP_COUNT] = {
#define OP(id, text_, min_in_, max_in_, attrs_, traits_, infer, eval, grad, lower, class_, help_)  \
    [OP_##id] = {.text = text_,                                                                    \
                 .min_in = min_in_,                                                                \
                 .max_in = max_in_,                                                                \
                 SPECS(id),                                                                        \
                 .traits = traits_,                                                                \
                 .class = K_##class_,                                                              \
                 .cost = 1,                                                                        \
                 .infer_name = #infer,                                                             \
                 .eval_name = #eval,                                                               \
                 .grad_name = #grad,                                                               \
                 .lower_name = #lower,                                                             \
                 .help = help_},
#define ELEMENTWISE(id, text_, n_in, attrs_, traits_, infer, kernel, cost_, grad, help_)           \
    [OP_##id] = {.text = text_,                                                                    \
                 .min_in = n_in,                                                                   \
                 .max_in = n_in,                                                                   \
                 SPECS(id),                                                                        \
                 .traits = T_ELEMENTWISE | (traits_),                                              \
                 .class = K_ELEMENTWISE,                                                           \
                 .cost = cost_,                                                                    \
                 .infer_name = #infer,                                                             \
                 .eval_name = #kernel,                                                             \
                 .grad_name = #grad,                                                               \
                 .lower_name = "none",                                                             \
                 .help = help_},
#include "graph/ops.def"
};

op_id op_by_name(const char *text, size_t length)
{
    for (int op = 0; op < OP_COUNT; op++)
        if (strlen(op_table[op].text) == length && memcmp(op_table[op].text, text, length) == 0)
            return (op_id)op;
    return OP_COUNT;
}
