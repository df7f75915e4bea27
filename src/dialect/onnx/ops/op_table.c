/* The table of operators, and finding a row. */
#include "dialect/onnx/ops/op.h"

const onnx_op onnx_ops[] = {
#define ONNX(domain, name, first, last, min_in, max_in, max_out, function, arg, known, attributes) \
    {domain,     #name,                                                                            \
     first,      last,                                                                             \
     min_in,     max_in,                                                                           \
     max_out,    onnx_op_##function,                                                               \
     (int)(arg), onnx_known_##known,                                                               \
     attributes},
#include "dialect/onnx/ops/ops.def"
#undef ONNX
};

const uint32_t onnx_n_ops = sizeof onnx_ops / sizeof onnx_ops[0];

static const onnx_refused refused[] = {
#define REFUSED(domain, name, why, help) {domain, #name, why, help},
#include "dialect/onnx/ops/refused.def"
#undef REFUSED
};

const onnx_refused *onnx_refused_find(onnx_bytes domain, onnx_bytes name)
{
    for (uint32_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (onnx_is(domain, refused[i].domain) &&
            (onnx_is(name, refused[i].name) || strcmp(refused[i].name, "*") == 0))
            return &refused[i];
    return NULL;
}

static uint64_t hash_of(onnx_bytes name)
{
    return hash_bytes(0, name.at, name.n);
}

bool onnx_op_index(importer *im)
{
    const tn_allocator *a = im->m->allocator;
    if (!hash_reserve(a, &im->op_index, onnx_n_ops))
        return onnx_no_memory(im);
    for (uint32_t i = 0; i < onnx_n_ops; i++) {
        const onnx_bytes name = {onnx_ops[i].name, strlen(onnx_ops[i].name)};
        if (!hash_add(a, &im->op_index, hash_of(name), i))
            return onnx_no_memory(im);
    }
    return true;
}

const onnx_op *onnx_op_find(const importer *im, onnx_bytes domain, onnx_bytes name, int64_t version,
                            const onnx_op **near)
{
    const uint64_t h = hash_of(name);
    *near = NULL;
    for (uint32_t p = hash_first(&im->op_index, h), i;
         (i = hash_at(&im->op_index, h, &p)) != HASH_NONE;) {
        const onnx_op *op = &onnx_ops[i];
        if (!onnx_is(name, op->name) || !onnx_is(domain, op->domain))
            continue;
        if (version >= op->first && version <= op->last)
            return op;
        *near = op;
    }
    return NULL;
}
