/* The tables of the vocabulary. */
#include "dialect/tiny/uops.h"

#define F TINY_FLOAT
#define I TINY_INT
#define B TINY_BOOL
#define FIELD(name, attribute)                                                                     \
    {                                                                                              \
        name, attribute, false                                                                     \
    }
#define MAYBE(name, attribute)                                                                     \
    {                                                                                              \
        name, attribute, true                                                                      \
    }
#define NO_FIELD                                                                                   \
    {                                                                                              \
        NULL, NULL, false                                                                          \
    }
/* An entry before the fields keeps lists without fields from beginning with a comma. */
#define FIELDS(...)                                                                                \
    {                                                                                              \
        NO_FIELD, __VA_ARGS__                                                                      \
    }
#define UOP(name, kind, op, n, domain, published, fields)                                          \
    static const tiny_field fields_##name[] = fields;
#include "dialect/tiny/uops.def"
#undef UOP

static const tiny_uop uops[] = {
#define UOP(name, kind, op, n, domain, published, fields)                                          \
    {#name,  TINY_##kind, OP_##op,           n,                                                    \
     domain, published,   fields_##name + 1, sizeof fields_##name / sizeof fields_##name[0] - 1},
#include "dialect/tiny/uops.def"
#undef UOP
};
#undef F
#undef I
#undef B

enum { N_UOPS = sizeof uops / sizeof uops[0] };

const tiny_uop *tiny_uop_by_name(json_text name)
{
    for (size_t i = 0; i < N_UOPS; i++)
        if (json_is(name, uops[i].name))
            return &uops[i];
    return NULL;
}

void tiny_suggest_uop(suggestion *s)
{
    for (size_t i = 0; i < N_UOPS; i++)
        suggest_name(s, uops[i].name, strlen(uops[i].name));
}

const tiny_uop *tiny_uop_of(op_id op, tn_dtype d)
{
    for (size_t i = 0; i < N_UOPS; i++)
        if (uops[i].op == op && (uops[i].n_src == 0 || uops[i].domain & tiny_domain(d)))
            return &uops[i];
    return NULL;
}

static const struct {
    const char *name;
    tn_dtype dtype;
} dtypes[] = {
    {"fp16", TN_F16}, {"bf16", TN_BF16}, {"fp32", TN_F32}, {"i32", TN_SI32}, {"bool", TN_I1},
};

enum { N_DTYPES = sizeof dtypes / sizeof dtypes[0] };

const char *tiny_dtype_name(tn_dtype d)
{
    for (size_t i = 0; i < N_DTYPES; i++)
        if (dtypes[i].dtype == d)
            return dtypes[i].name;
    return NULL;
}

bool tiny_dtype(json_text name, tn_dtype *d)
{
    for (size_t i = 0; i < N_DTYPES; i++)
        if (json_is(name, dtypes[i].name)) {
            *d = dtypes[i].dtype;
            return true;
        }
    return false;
}

unsigned tiny_domain(tn_dtype d)
{
    return dtype_is_float(d) ? TINY_FLOAT : d == TN_SI32 ? TINY_INT : d == TN_I1 ? TINY_BOOL : 0;
}
