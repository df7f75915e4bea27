/* The tables of operations, passes and dialects as callers see them. */
#include "api/api.h"
#include "base/text/suggest.h"
#include "pass/pass.h"

/* In the order of attr_kind, which tn_attribute_kind repeats. */
static const char *const kind_names[] = {"int",     "bool",   "float",  "ints", "word",
                                         "dtype",   "string", "scalar", "type", "types",
                                         "literal", "region", "dict"};
_Static_assert((int)TN_ATTRIBUTE_DICT == (int)ATTR_DICT, "the two enumerations go together");
_Static_assert(sizeof kind_names / sizeof kind_names[0] == ATTR_DICT + 1, "one name a kind");

static const struct {
    op_traits trait;
    const char *name;
} trait_names[] = {
    {T_SOURCE, "source"},     {T_ELEMENTWISE, "elementwise"}, {T_COMMUTES, "commutes"},
    {T_MOVES, "moves"},       {T_REDUCES, "reduces"},         {T_CONTRACTS, "contracts"},
    {T_INDEXES, "indexes"},   {T_REGIONS, "regions"},         {T_MAY_FAIL, "may-fail"},
    {T_UNSTABLE, "unstable"},
};

const char *tn_closest_name(const char *text, size_t length, const char *const *names, size_t n,
                            const char **second)
{
    const char *first = NULL;
    suggestion like;
    *second = NULL;
    suggest_begin(&like, text, length);
    for (size_t i = 0; i < n; i++)
        suggest_name(&like, names[i], strlen(names[i]));
    for (size_t i = 0; like.name[0] && i < n; i++)
        if (!first && strcmp(names[i], like.name) == 0)
            first = names[i];
        else if (strcmp(names[i], like.second) == 0)
            *second = names[i];
    return first;
}

size_t tn_op_count(void)
{
    return OP_COUNT;
}

bool tn_op_at(size_t op, tn_op_info *info)
{
    if (op >= OP_COUNT)
        return false;
    const op_info *o = &op_table[op];
    *info = (tn_op_info){
        .name = o->text,
        .help = o->help,
        .min_operands = o->min_in,
        .max_operands = o->max_in == ARITY_ANY ? TN_ARITY_ANY : o->max_in,
        .n_attributes = o->n_attrs,
        .type_rule = o->infer_name,
        .kernel = o->eval_name,
        .derivative = o->grad_name,
        .lowering = o->lower_name,
    };
    return true;
}

bool tn_op_attribute(size_t op, size_t index, tn_op_attribute_info *info)
{
    if (op >= OP_COUNT || index >= op_table[op].n_attrs)
        return false;
    const attr_spec *spec = &op_table[op].attrs[index];
    const attr_key_info *key = &attr_keys[spec->key];
    *info = (tn_op_attribute_info){
        .name = key->name,
        .kind = (tn_attribute_kind)key->kind,
        .kind_name = kind_names[key->kind],
        .words = key->words,
        .help = key->help,
        .required = spec->required,
    };
    return true;
}

const char *tn_op_trait(size_t op, size_t index)
{
    if (op >= OP_COUNT)
        return NULL;
    for (size_t i = 0; i < sizeof trait_names / sizeof trait_names[0]; i++)
        if (op_table[op].traits & (uint32_t)trait_names[i].trait && index-- == 0)
            return trait_names[i].name;
    return NULL;
}

const char *tn_op_spelling(size_t op, const char *dialect_name)
{
    const dialect *d = op < OP_COUNT ? dialect_by_name(dialect_name) : NULL;
    return d ? d->spelling((op_id)op) : NULL;
}

bool tn_op_field(size_t op, const char *dialect_name, size_t index, tn_op_field_info *info)
{
    const dialect *d = op < OP_COUNT ? dialect_by_name(dialect_name) : NULL;
    dialect_field f;
    if (!d || !d->field_at || index > UINT32_MAX || !d->field_at((op_id)op, (uint32_t)index, &f))
        return false;
    *info = (tn_op_field_info){f.name, f.type, f.attribute, f.words, !f.optional};
    return true;
}

size_t tn_pass_count(void)
{
    return PASS_COUNT;
}

bool tn_pass_at(size_t pass, tn_pass_info *info)
{
    if (pass >= PASS_COUNT)
        return false;
    const pass_info *p = &pass_table[pass];
    *info = (tn_pass_info){p->name, p->class == PASS_EXACT, p->class == PASS_RELAXED, p->level,
                           p->contract};
    return true;
}

size_t tn_dialect_count(void)
{
    size_t n = 0;
    while (dialects[n])
        n++;
    return n;
}

bool tn_dialect_at(size_t dialect_index, tn_dialect_info *info)
{
    if (dialect_index >= tn_dialect_count())
        return false;
    const dialect *d = dialects[dialect_index];
    *info = (tn_dialect_info){d->name, d->extensions, d->styles};
    return true;
}
