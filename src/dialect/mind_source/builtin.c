/* The functions of the language that are instructions, constants or derivatives. */
#include "dialect/mind_source/builtin.h"

#include <string.h>

value_id use_tensor(use *u, uint32_t i)
{
    return lowering_tensor(u->l, u->values[i], u->places[i], TN_DTYPE_COUNT);
}

bool use_int(use *u, uint32_t i, const char *what, int64_t *out)
{
    return !u->given[i] || lowering_int(u->l, &u->values[i], u->places[i], what, out);
}

/* ---- the table ---- */

static const builtin builtins[] = {
    {"add", "x y", 2, OP_ADD, builtin_arithmetic},
    {"sub", "x y", 2, OP_SUB, builtin_arithmetic},
    {"mul", "x y", 2, OP_MUL, builtin_arithmetic},
    {"sum", "x axes|axis keepdims", 1, OP_SUM, builtin_reduce},
    {"sum_all", "x", 1, OP_SUM, builtin_reduce},
    {"mean", "x axes|axis keepdims", 1, OP_MEAN, builtin_reduce},
    {"mean_all", "x", 1, OP_MEAN, builtin_reduce},
    {"reshape", "x shape|new_shape", 2, 0, builtin_reshape},
    {"flatten", "x", 1, 0, builtin_flatten},
    {"transpose", "x permutation|perm|axes", 1, 0, builtin_transpose},
    {"expand_dims", "x axes|axis", 2, 0, builtin_expand_dims},
    {"squeeze", "x axes|axis", 1, 0, builtin_squeeze},
    {"index", "x indices axis i", 1, 0, builtin_index},
    {"slice", "x starts ends steps axis start end step", 1, 0, builtin_slice},
    {"gather", "x indices|i|index", 2, 0, builtin_take},
    {"dot", "x y", 2, OP_DOT, builtin_product},
    {"matmul", "x y", 2, OP_MATMUL, builtin_product},
    {"conv2d", "x w|filter|weights strides|stride *padding|pad", 2, 0, builtin_conv2d},
    {"relu", "x", 1, OP_RELU, builtin_float},
    {"neg", "x", 1, 0, builtin_neg},
    {"exp", "x", 1, OP_EXP, builtin_float},
    {"log", "x", 1, OP_LOG, builtin_float},
    {"zeros", "shape dtype", 0, 0, builtin_zeros},
    {"ones", "shape dtype", 0, 0, builtin_ones},
    {"full", "shape value dtype", 2, 0, builtin_full},
    {"eye", "n dtype", 1, 0, builtin_eye},
    {"arange", "start end step dtype", 1, 0, builtin_arange},
    {"linspace", "start end n dtype", 3, 0, builtin_linspace},
    {"tensor", "value dtype", 1, 0, builtin_tensor_of},
    {"grad", "f wrt", 1, 0, builtin_grad},
    {"value_and_grad", "f", 1, 1, builtin_grad},
    {"backward", "loss wrt|x", 2, 0, builtin_gradient_of},
};

static const builtin *find_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        if (strcmp(builtins[i].name, name) == 0)
            return &builtins[i];
    return NULL;
}

bool is_builtin(const char *name)
{
    return find_builtin(name) != NULL;
}

void builtin_suggest(suggestion *s)
{
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        suggest_name(s, builtins[i].name, strlen(builtins[i].name));
}

/* ---- arguments ---- */

static uint32_t count_parameters(const builtin *b)
{
    uint32_t n = 1;
    for (const char *p = b->parameters; *p; p++)
        n += *p == ' ';
    return n;
}

/* The number of the parameter called LABEL, by any of its names; UINT32_MAX: there is none. */
static uint32_t find_parameter(const builtin *b, const char *label)
{
    uint32_t at = 0;
    size_t n = strlen(label);
    for (const char *p = b->parameters; *p;) {
        p += *p == '*';
        size_t m = strcspn(p, " |");
        if (m == n && memcmp(p, label, n) == 0)
            return at;
        at += p[m] == ' ';
        p += m + (p[m] != '\0');
    }
    return UINT32_MAX;
}

/* Is the argument of parameter AT left as it is written, not evaluated? */
static bool is_raw(const builtin *b, uint32_t at)
{
    const char *p = b->parameters;
    for (; at && *p; p++)
        at -= *p == ' ';
    return *p == '*';
}

static bool place_argument(use *u, const expr *e, uint32_t to)
{
    if (u->given[to]) {
        (void)lowering_fault(u->l, DIAG_InvalidAttribute, e->at,
                             "an argument of '%s' is given twice", u->b->name);
        return false;
    }
    u->given[to] = true;
    u->exprs[to] = e;
    u->places[to] = e->at;
    if (!is_raw(u->b, to))
        u->values[to] = lowering_expr(u->l, e);
    return is_raw(u->b, to) || u->values[to].kind != V_BAD;
}

static value unknown_parameter(lowering *l, const builtin *b, const expr *a)
{
    suggestion like;
    suggest_begin(&like, a->label, strlen(a->label));
    for (const char *p = b->parameters; *p; p += strcspn(p, " "), p += *p == ' ') {
        p += *p == '*';
        suggest_name(&like, p, strcspn(p, " |")); /* without the synonyms behind it */
    }
    const value fault = lowering_fault(l, DIAG_InvalidAttribute, a->label_at,
                                       "'%s' has no parameter '%.100s'", b->name, a->label);
    suggest_fix(&like, &l->s->m->cx->diag, a->label_at, "");
    return fault;
}

bool lowering_builtin(lowering *l, const expr *e, const char *name, span at, const value *self,
                      span self_at, value *out)
{
    const builtin *b = find_builtin(name);
    use u = {.l = l, .b = b, .at = e->at};
    bool ok = true;
    if (!b)
        return false;
    uint32_t n_parameters = count_parameters(b), n_given = e->n - 1 + (self != NULL), next = 0;
    uint32_t n_required = 0;
    *out = BAD;
    if (self) {
        u.values[0] = *self;
        u.places[0] = self_at;
        u.given[0] = true;
        next = 1;
        ok = self->kind != V_BAD;
    }
    if (n_given > n_parameters) {
        *out = lowering_fault(l, DIAG_ArityMismatch, at,
                              "'%s' takes at most %" PRIu32 " argument%s, "
                              "not %" PRIu32,
                              name, n_parameters, plural(n_parameters), n_given);
        return true;
    }
    for (const expr *a = e->first->next; a; a = a->next) {
        uint32_t to = a->label ? find_parameter(b, a->label) : next++;
        if (to >= n_parameters) {
            *out = a->label ? unknown_parameter(l, b, a)
                            : lowering_fault(l, DIAG_ArityMismatch, a->at,
                                             "'%s' takes fewer arguments", name);
            ok = false;
        } else {
            ok = place_argument(&u, a, to) && ok;
        }
    }
    for (uint32_t i = 0; i < b->n_required; i++)
        n_required += u.given[i];
    if (ok && n_required < b->n_required)
        *out = lowering_fault(l, DIAG_ArityMismatch, at, "'%s' takes %s%d argument%s, not %" PRIu32,
                              name, n_parameters > b->n_required ? "at least " : "", b->n_required,
                              plural(b->n_required), n_given);
    else if (ok && !surface_stopped(l->s))
        *out = b->lower(&u);
    return true;
}
