/* Questions about constant data. */
#include "graph/literal.h"

const literal *literal_of(const node *n)
{
    return n->op == OP_CONSTANT ? attr_find(n->attrs, KEY_VALUE)->v.literal : NULL;
}

bool literal_is_normal(tn_dtype d)
{
    return d != TN_I1 && d != TN_SI4 && d != TN_UI4;
}

void literal_normalize(tn_dtype d, void *data, size_t n)
{
    if (!literal_is_normal(d))
        dtype_narrow(d, data, data, n);
}

bool literal_is_uniform(const literal *l)
{
    size_t size = dtype_bytes(l->type->dtype);
    if (l->splat)
        return l->type->count != 0;
    /* Equal to itself shifted by one element. */
    return l->bytes >= size && memcmp(l->data, (const char *)l->data + size, l->bytes - size) == 0;
}

bool literal_is_all(const literal *l, scalar wanted)
{
    unsigned char bits[16] = {0};
    (void)scalar_store(wanted, l->type->dtype, bits);
    return l->type->count != 0 && literal_is_uniform(l) &&
           memcmp(literal_element(l, 0), bits, dtype_bytes(l->type->dtype)) == 0;
}
