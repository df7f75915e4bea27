/* Bodies as Tenon writes them: expressions of operations on single numbers, compared with what a
 * region computes. */
#include <ctype.h>

#include "dialect/mlir/hlo/bodies/bodies.h"

/* A place in a pattern, and what its letters stand for. */
typedef struct matcher {
    const mir_region *region;
    const mir_value *const *args;
    const char *at;
} matcher;

const mir_op *shlo_made_by(const mir_region *region, const mir_value *v, const char *name,
                           uint32_t n)
{
    const mir_op *o = mir_maker(region, v);
    return o && mir_is(o->name, name) && o->n_in == n ? o : NULL;
}

static mir_text next_word(matcher *m)
{
    const char *from = m->at;
    while (isalpha((unsigned char)*m->at) || *m->at == '_')
        m->at++;
    return (mir_text){from, (size_t)(m->at - from)};
}

/* Is O the operation that the pattern names here: `maximum`, or `compare.LT`? */
static bool is_named(matcher *m, const mir_op *o)
{
    static const char family[] = "stablehlo.";
    const size_t n = sizeof family - 1;
    const mir_text name = next_word(m);
    if (!o || o->name.n != n + name.n || memcmp(o->name.at, family, n) != 0 ||
        memcmp(o->name.at + n, name.at, name.n) != 0)
        return false;
    if (*m->at != '.')
        return true;
    m->at++;
    const mir_text order = next_word(m);
    const mir_attr *a = mir_attr_named(&o->attrs, "comparison_direction");
    const mir_attr *kind = mir_attr_named(&o->attrs, "compare_type");
    return a && mir_same(shlo_word_of(a), order) &&
           !(kind && mir_is(shlo_word_of(kind), "TOTALORDER"));
}

static bool matches(matcher *m, const mir_value *v)
{
    if (*m->at != '(')
        return v == m->args[*m->at++ - 'a'];
    const mir_op *o = mir_maker(m->region, v);
    m->at++;
    if (!is_named(m, o))
        return false;
    for (uint32_t k = 0; k < o->n_in; k++)
        if (*m->at++ != ' ' || !matches(m, o->in[k]))
            return false;
    return *m->at++ == ')';
}

bool shlo_matches(const mir_region *region, const mir_value *v, const char *pattern,
                  const mir_value *const *args)
{
    matcher m = {region, args, pattern};
    return matches(&m, v);
}
