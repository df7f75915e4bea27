/* Appending a node whose types the rules work out. */
#include "ops/infer.h"

/* Enough for every op but the widest; those allocate. */
enum { FEW_OPERANDS = 8 };

/* Operand types of a use, in FEW when they fit, else in the module's arena. */
static const type *const *operand_types(const function *f, const value_id *in, uint32_t n,
                                        const type **few)
{
    const type **types = few;
    if (n > FEW_OPERANDS) {
        types = arena_alloc(&f->module->arena, n * sizeof(const type *));
        if (!types)
            return NULL;
    }
    for (uint32_t i = 0; i < n; i++)
        types[i] = value_type(f, in[i]);
    return types;
}

tn_status function_add(function *f, const node_desc *desc, value_id *first)
{
    const type *few[FEW_OPERANDS], *one = NULL;
    infer_call call = {
        .module = f->module,
        .op = desc->op,
        .in = operand_types(f, desc->in, desc->n_in, few),
        .n_in = desc->n_in,
        .attrs = desc->attrs ? desc->attrs : &attrs_none,
        .out = &one,
        .n_out = 1,
        .function = f,
        .place = desc->place,
        .at = desc->at,
        .name = desc->name,
        .number = desc->number,
    };
    if (!call.in)
        return module_no_memory(f->module);
    TN_TRY(infer_types(&call));
    return function_add_typed(f, desc, call.out, call.n_out, first);
}
