/* Expressions to values. */
#include <string.h>

#include "base/memory/checked.h"
#include "dialect/mind_source/lower.h"

enum { DEEPEST = 1000 }; /* expressions and calls in each other, over all inlined functions */

/* ---- arithmetic on numbers that have no element type yet ---- */

static number as_float(const number *n)
{
    number f = *n;
    f.is_int = false;
    if (n->is_int && n->negative) {
        f.f32 = -f.f32;
        f.f64 = -f.f64;
    }
    return f;
}

number lowering_int_number(int64_t i)
{
    number n = {.is_int = true, .negative = i < 0};
    n.magnitude = i < 0 ? 0 - (uint64_t)i : (uint64_t)i;
    n.f32 = (float)n.magnitude;
    n.f64 = (double)n.magnitude;
    return n;
}

static bool fold_ints(op_id op, int64_t a, int64_t b, int64_t *out)
{
    if (op == OP_ADD)
        return add_i64(a, b, out);
    if (op == OP_SUB)
        return sub_i64(a, b, out);
    if (op == OP_MUL)
        return mul_i64(a, b, out);
    if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
    *out = a / b;
    return true;
}

/* False when the result is not a number of the language, or would not be that of execution. */
static bool fold(lowering *l, op_id op, const value *x, const value *y, number *out)
{
    const number *a = &x->u.literal->number, *b = &y->u.literal->number;
    int64_t i, k, r;
    if (a->is_int && b->is_int) {
        if (!value_is_int(l, x, &i) || !value_is_int(l, y, &k) || !fold_ints(op, i, k, &r))
            return false;
        *out = lowering_int_number(r);
        return true;
    }
    number f = as_float(a), g = as_float(b);
    *out = (number){0};
    switch ((int)op) {
    case OP_ADD:
        out->f32 = f.f32 + g.f32;
        out->f64 = f.f64 + g.f64;
        break;
    case OP_SUB:
        out->f32 = f.f32 - g.f32;
        out->f64 = f.f64 - g.f64;
        break;
    case OP_MUL:
        out->f32 = f.f32 * g.f32;
        out->f64 = f.f64 * g.f64;
        break;
    default:
        out->f32 = f.f32 / g.f32;
        out->f64 = f.f64 / g.f64;
        break;
    }
    return out->f64 - out->f64 == 0;
}

static value negate(lowering *l, value v, span at)
{
    if (v.kind == V_NUMBER) {
        number n = v.u.literal->number;
        if (n.is_int) {
            n.negative = n.magnitude && !n.negative;
        } else {
            n.f32 = -n.f32;
            n.f64 = -n.f64;
        }
        return lowering_number(l, n);
    }
    value_id id = lowering_tensor(l, v, at, TN_DTYPE_COUNT);
    return tensor_value(lowering_node(l, OP_NEG, &id, 1, NULL, 0, at));
}

/* ---- operators ---- */

static const char *operator_word(token_kind kind)
{
    switch ((int)kind) {
    case T_PERCENT:
        return "the operator '%'";
    case T_NOT:
        return "the operator '!'";
    case T_AND:
        return "the operator '&&'";
    case T_OR:
        return "the operator '||'";
    default:
        return "a comparison";
    }
}

static op_id operator_op(token_kind kind)
{
    switch ((int)kind) {
    case T_PLUS:
        return OP_ADD;
    case T_MINUS:
        return OP_SUB;
    case T_STAR:
        return OP_MUL;
    case T_SLASH:
        return OP_DIV;
    default:
        return OP_COUNT;
    }
}

/* The dtype of the operand that has one; else that of both together. */
static tn_dtype common_dtype(const lowering *l, const value *x, const value *y)
{
    tn_dtype a = lowering_own_dtype(l, x), b = lowering_own_dtype(l, y);
    if (x->kind == V_TENSOR || x->kind == V_FILL)
        return a;
    if (y->kind == V_TENSOR || y->kind == V_FILL)
        return b;
    return a == TN_F32 || b == TN_F32 ? TN_F32 : TN_SI64;
}

value lowering_binary(lowering *l, op_id op, value x, span x_at, value y, span y_at, span at,
                      span sign)
{
    number n;
    if (x.kind == V_BAD || y.kind == V_BAD)
        return BAD;
    if (op == OP_DIV && l->s->options->profile == PROFILE_CORE_V1)
        return lowering_fault(l, DIAG_UnknownOp, at, "division");
    if (x.kind == V_NUMBER && y.kind == V_NUMBER && fold(l, op, &x, &y, &n))
        return lowering_number(l, n);
    tn_dtype common = common_dtype(l, &x, &y);
    value_id in[2];
    in[0] = lowering_tensor(l, x, x_at, common);
    in[1] = lowering_tensor(l, y, y_at, common);
    if (in[0] == NO_VALUE || in[1] == NO_VALUE)
        return BAD;
    attr zero = attr_of_int(KEY_ON_ZERO, ON_ZERO_ZERO);
    bool int_div = op == OP_DIV && dtype_is_int(value_type(l->f, in[0])->dtype);
    uint32_t errors = surface_errors(l->s);
    value_id v = lowering_node(l, op, in, 2, &zero, int_div, at);
    if (surface_errors(l->s) > errors && !surface_stopped(l->s))
        diag_note(&l->s->m->cx->diag, &l->s->m->source, sign, "the operator is here");
    return tensor_value(v);
}

/* A chain a + b - c is as deep as it is long: it is walked without recursion. */
static value lower_chain(lowering *l, const expr *e)
{
    uint32_t n = 0;
    const expr *leftmost = e;
    for (; leftmost->kind == X_BINARY; leftmost = leftmost->first)
        n++;
    const expr **chain = ARENA_ARRAY(&l->s->memory, const expr *, n);
    if (!chain)
        return lowering_no_memory(l);
    for (uint32_t i = n; i-- > 0; e = e->first)
        chain[i] = e;
    value x = lowering_expr(l, leftmost);
    span x_at = leftmost->at;
    for (uint32_t i = 0; i < n; i++) {
        const expr *b = chain[i], *right = b->first->next;
        op_id op = operator_op((token_kind)b->token);
        value y = lowering_expr(l, right);
        if (op == OP_COUNT)
            x = lowering_fault(l, DIAG_UnknownOp, b->op, "%s", operator_word((token_kind)b->token));
        else
            x = lowering_binary(l, op, x, x_at, y, right->at, b->at, b->op);
        x_at = b->at;
    }
    return x;
}

static value lower_unary(lowering *l, const expr *e)
{
    value v = lowering_expr(l, e->first);
    if (e->token == T_NOT)
        return lowering_fault(l, DIAG_UnknownOp, e->op, "%s", operator_word(T_NOT));
    return v.kind == V_BAD ? v : negate(l, v, e->at);
}

/* ---- names ---- */

static const struct {
    const char *name;
    tn_dtype dtype;
} dtype_names[] = {{"i32", TN_SI32}, {"i64", TN_SI64}, {"f32", TN_F32}, {"f64", TN_F64}};

/* A free variable of a script whose type an option gives: `x=f32[2,3]`. */
static bool find_option_input(lowering *l, const char *name, span at, value *out)
{
    const read_options *o = l->s->options;
    size_t n = strlen(name);
    for (size_t i = 0; l->is_script && i < o->n_inputs; i++) {
        const char *given = o->inputs[i];
        if (strncmp(given, name, n) != 0 || given[n] != '=')
            continue;
        const type *t = surface_type_words(l->s, given + n + 1);
        if (!t) {
            *out = lowering_fault(l, DIAG_InvalidInput, at,
                                  "'%.100s' does not give a type, such as %.60s=f32[2,3]", given,
                                  name);
            return true;
        }
        if (l->option_inputs[i] == NO_VALUE)
            l->option_inputs[i] = lowering_input(l, name, t, at);
        *out = tensor_value(l->option_inputs[i]);
        return true;
    }
    return false;
}

static value lower_name(lowering *l, const expr *e)
{
    value v;
    const binding *b = lowering_use(l, e->name, e->at);
    if (b)
        return *b->value;
    for (size_t i = 0; i < sizeof dtype_names / sizeof dtype_names[0]; i++)
        if (strcmp(dtype_names[i].name, e->name) == 0)
            return (value){.kind = V_DTYPE, .dtype = (uint8_t)dtype_names[i].dtype};
    if (find_option_input(l, e->name, e->at, &v))
        return v;
    if (l->tree->lost_function || l->tree->script_has_errors)
        return BAD; /* what could not be read may define it */
    if (is_builtin(e->name))
        return lowering_fault(l, DIAG_TypeMismatch, e->at,
                              "the built-in function '%s' can only be called", e->name);
    return lowering_fault(l, DIAG_UndefinedName, e->at, "the name '%.100s' is not defined",
                          e->name);
}

/* ---- aggregates ---- */

static value lower_items(lowering *l, const expr *e, value_kind kind)
{
    value *items = ARENA_ARRAY(&l->s->memory, value, e->n);
    uint32_t n = 0;
    bool bad = false;
    if (!items)
        return lowering_no_memory(l);
    for (const expr *item = e->first; item; item = item->next) {
        items[n] = lowering_expr(l, item);
        bad = bad || items[n].kind == V_BAD;
        n++;
    }
    if (bad)
        return BAD;
    if (kind == V_TUPLE && n == 0)
        return (value){.kind = V_UNIT};
    return kind == V_ARRAY ? lowering_list(l, items, n)
                           : (value){.kind = (uint8_t)kind, .n = n, .u.items = items};
}

static value shape_of(lowering *l, const value *v, span at)
{
    if (v->kind != V_TENSOR)
        return lowering_fault(l, DIAG_TypeMismatch, at, "%s has no shape", value_words(l, v));
    const type *t = tensor_type(l, v);
    value *items = ARENA_ARRAY(&l->s->memory, value, t->rank);
    if (!items)
        return lowering_no_memory(l);
    for (uint32_t i = 0; i < t->rank; i++) {
        items[i] = lowering_number(l, lowering_int_number(t->dims[i]));
        if (items[i].kind == V_BAD)
            return BAD;
    }
    return lowering_list(l, items, t->rank);
}

static value lower_field(lowering *l, const expr *e)
{
    value base = lowering_expr(l, e->first);
    if (base.kind == V_BAD)
        return base;
    if (strcmp(e->name, "shape") == 0)
        return shape_of(l, &base, e->at);
    if (base.kind == V_TUPLE && e->name[0] >= '0' && e->name[0] <= '9') {
        uint64_t i = 0;
        decimal_result r = decimal_read_u64(e->name, strlen(e->name), &i);
        if (!r.overflow && i < base.n)
            return base.u.items[i];
        return lowering_fault(l, DIAG_TypeMismatch, e->op, "%s has no part %.40s",
                              value_words(l, &base), e->name);
    }
    return lowering_fault(l, DIAG_UnknownOp, e->op, "the field '%.100s' of %s", e->name,
                          value_words(l, &base));
}

static value lower_closure(lowering *l, const expr *e)
{
    closure *c = ARENA_NEW(&l->s->memory, closure);
    if (!c)
        return lowering_no_memory(l);
    c->decl = e->u.function;
    c->scope = l->scope;
    return (value){.kind = V_FUNCTION, .u.closure = c};
}

static value lower_kind(lowering *l, const expr *e)
{
    switch ((expr_kind)e->kind) {
    case X_BAD:
    case X_NONE:
    case X_RANGE:
        return BAD;
    case X_NUMBER:
        return lowering_number(l, e->u.number);
    case X_STRING:
        return (value){
            .kind = V_STRING, .n = (uint32_t)e->u.string.n, .u.bytes = e->u.string.bytes};
    case X_BOOL:
        return (value){.kind = V_BOOL, .truth = e->truth};
    case X_NAME:
        return lower_name(l, e);
    case X_FIELD:
        return lower_field(l, e);
    case X_TUPLE:
        return lower_items(l, e, V_TUPLE);
    case X_ARRAY:
        return lower_items(l, e, V_ARRAY);
    case X_BLOCK:
        return lowering_block(l, e->u.body);
    case X_CLOSURE:
        return lower_closure(l, e);
    case X_CALL:
        return lowering_call_expr(l, e);
    case X_INDEX:
        return lowering_subscripts(l, e);
    case X_UNARY:
        return lower_unary(l, e);
    case X_BINARY:
        return lower_chain(l, e);
    }
    return BAD;
}

value lowering_expr(lowering *l, const expr *e)
{
    if (!lowering_step(l, e->at))
        return BAD;
    if (l->depth >= DEEPEST) {
        (void)lowering_fault(l, DIAG_LimitExceeded, e->at,
                             "more than %d expressions and calls in each other", DEEPEST);
        l->s->status = TN_ERR_REJECTED;
        return BAD;
    }
    l->depth++;
    value v = lower_kind(l, e);
    l->depth--;
    return v;
}
