/* Known values as data of the graph. */
#include <inttypes.h>

#include "base/text/text.h"
#include "dialect/known_values.h"

tn_value known_size_data(tn_builder *b, tn_dtype dtype, dim d)
{
    if (!dim_is_symbolic(d))
        return tn_scalar_int(b, dtype, d);
    const tn_value ones = tn_splat(b, TN_SI64, (tn_ints){&d, 1}, 1);
    const tn_value sum = tn_sum(b, ones, TN_INTS(0), false);
    return tn_cast(b, sum, dtype);
}

tn_value known_sizes_data(tn_builder *b, arena *memory, const known_value *k)
{
    tn_value *parts = ARENA_ARRAY(memory, tn_value, k->n);
    if (!parts) {
        builder_no_memory(b);
        return tn_no_value();
    }
    for (uint32_t i = 0; i < k->n; i++) {
        const known_number x = k->at[i];
        const tn_value one = dtype_is_float(k->dtype) && !x.is_size
                                 ? tn_scalar(b, k->dtype, x.f)
                                 : known_size_data(b, k->dtype, x.i);
        parts[i] = tn_expand_dims(b, one, TN_INTS(0));
    }
    const tn_value all = k->n == 1 ? parts[0] : tn_concat(b, (tn_values){parts, k->n}, 0);
    return tn_reshape(b, all, (tn_ints){k->dims, k->rank});
}

tn_value known_part(tn_builder *b, tn_value x, int64_t axis, int64_t start, int64_t step, dim count)
{
    const type *t = builder_type(b, x);
    dim dims[TN_MAX_RANK];
    text_buffer map;
    text_init(&map, b->m->allocator);
    for (uint32_t i = 0; t && i < t->rank; i++) {
        dims[i] = i == axis ? count : t->dims[i];
        text_printf(&map, "%si%" PRIu32, i ? "; " : "", i);
        if (i == axis && step != 1)
            text_printf(&map, " * %" PRId64, step);
        if (i == axis)
            text_printf(&map, " + %" PRId64, start);
    }
    const char *text = text_c_string(&map);
    const tn_value out = t && text ? tn_view(b, x, (tn_ints){dims, t->rank}, text) : tn_no_value();
    if (!text)
        builder_no_memory(b);
    text_release(&map);
    return out;
}
