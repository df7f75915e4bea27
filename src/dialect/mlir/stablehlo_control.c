/* Control flow in StableHLO: the functions that are regions are written in their place. */
#include "dialect/mlir/stablehlo.h"

#include <stdio.h>

enum { MAX_DEPTH = 128 };

static const function *region_of(const function *f, const node *n, attr_key key)
{
    return f->module->functions.at[attr_int(n->attrs, key, 0)];
}

/* ---- scopes -------------------------------------------------------------------------------- */

/* What W was about before a region was entered. */
typedef struct outside {
    const function *f;
    value_name *names;
    uint32_t scope;
} outside;

/* Write about the region KEY of N from now on. False, with a report, when that is not possible. */
static bool enter(mlir_text *w, const node *n, attr_key key, outside *back)
{
    *back = (outside){w->f, w->names, w->scope};
    if (w->depth > MAX_DEPTH) {
        w->n_errors++;
        w->status = node_report(w->f, n, DIAG_LimitExceeded, "regions are nested too deeply");
        return false;
    }
    uint32_t scope = 1 + (uint32_t)attr_int(n->attrs, key, 0);
    tn_status s = text_begin(w, region_of(w->f, n, key), scope);
    if (s == TN_OK)
        return true;
    w->status = s;
    w->f = back->f;
    w->names = back->names;
    w->scope = back->scope;
    return false;
}

static void leave(mlir_text *w, const outside *back)
{
    text_end(w);
    w->f = back->f;
    w->names = back->names;
    w->scope = back->scope;
}

static void indent(mlir_text *w)
{
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
}

/* Of the list of values LIST, or else those from FIRST on: names or types, with commas. */
static void put_names(mlir_text *w, uint32_t n, const value_id *list, value_id first)
{
    for (uint32_t i = 0; i < n; i++)
        put(w, "%s%v", i ? ", " : "", list ? list[i] : first + i);
}

static void put_types(mlir_text *w, uint32_t n, const value_id *list, value_id first)
{
    for (uint32_t i = 0; i < n; i++) {
        tensor t = type_of_value(w, list ? list[i] : first + i);
        put(w, "%s%t", i ? ", " : "", &t);
    }
}

static void put_return(mlir_text *w, uint32_t n, const value_id *list)
{
    indent(w);
    put(w, "\"stablehlo.return\"(");
    put_names(w, n, list, 0);
    put(w, ") : (");
    put_types(w, n, list, 0);
    put(w, ") -> ()\n");
}

/* `^bb0(..):` with the inputs of w->f. */
static void put_block(mlir_text *w)
{
    const function *f = w->f;
    indent(w);
    put(w, "^bb0(");
    for (uint32_t i = 0; i < f->inputs.n; i++) {
        tensor t = type_of_value(w, f->inputs.at[i]);
        put(w, "%s%v: %t", i ? ", " : "", f->inputs.at[i], &t);
    }
    put(w, "):\n");
}

/* The inputs of w->f go by the names that LIST has in BACK. */
static void name_inputs(mlir_text *w, const outside *back, const value_id *list)
{
    for (uint32_t i = 0; i < w->f->inputs.n; i++)
        w->names[w->f->inputs.at[i]] = back->names[list[i]];
}

/* ---- cond ---------------------------------------------------------------------------------- */

static void put_branch(mlir_text *w, const node *n, attr_key key)
{
    outside back;
    if (!enter(w, n, key, &back))
        return;
    name_inputs(w, &back, n->in + 1);
    w->depth++;
    hlo_nodes(w);
    put_return(w, n->n_results, w->f->outputs.at);
    w->depth--;
    leave(w, &back);
}

void hlo_cond(mlir_text *w, const node *n)
{
    tensor p = type_of_scalar(TN_I1);
    indent(w);
    put_names(w, n->n_results, NULL, n->first_value);
    put(w, "%s\"stablehlo.if\"(%v) ({\n", n->n_results ? " = " : "", n->in[0]);
    put_branch(w, n, KEY_TRUE_REGION);
    line(w, "}, {");
    put_branch(w, n, KEY_FALSE_REGION);
    indent(w);
    put(w, "}) : (%t) -> (", &p);
    put_types(w, n->n_results, NULL, n->first_value);
    put(w, ")\n");
}

/* ---- while --------------------------------------------------------------------------------- */

/* Does the condition hand on the values that it was given? */
static bool only_decides(const function *cond)
{
    for (uint32_t i = 0; i + 1 < cond->outputs.n; i++)
        if (i >= cond->inputs.n || cond->outputs.at[i + 1] != cond->inputs.at[i])
            return false;
    return true;
}

/* StableHLO's condition only decides. One that also changes the values is computed again at the
 * start of each iteration, and once behind the loop for the values that the loop returns. */
static void put_iteration(mlir_text *w, const node *n, bool again)
{
    outside back, inner;
    if (!enter(w, n, again ? KEY_COND_REGION : KEY_BODY_REGION, &back))
        return;
    put_block(w);
    w->depth++;
    if (!again) {
        hlo_nodes(w);
        put_return(w, n->n_in, w->f->outputs.at);
    } else {
        hlo_nodes(w);
        const function *cond = w->f, *outer = back.f;
        inner = (outside){cond, w->names, w->scope};
        tn_status s = text_begin(w, region_of(outer, n, KEY_BODY_REGION),
                                 1 + (uint32_t)attr_int(n->attrs, KEY_BODY_REGION, 0));
        if (s == TN_OK) {
            name_inputs(w, &inner, cond->outputs.at + 1);
            hlo_nodes(w);
            put_return(w, n->n_in, w->f->outputs.at);
            text_end(w);
        } else {
            w->status = s;
        }
        w->f = inner.f;
        w->names = inner.names;
        w->scope = inner.scope;
    }
    w->depth--;
    leave(w, &back);
}

/* What the condition makes of the values that the loop `%lN` left. */
static void put_last_condition(mlir_text *w, const node *n)
{
    outside back;
    value_id v = n->first_value;
    if (!enter(w, n, KEY_COND_REGION, &back))
        return;
    const function *cond = w->f;
    w->scope = w->n_scopes++;
    for (uint32_t i = 0; i < cond->values.n; i++)
        w->names[i].scope = w->scope;
    for (uint32_t i = 0; i < cond->inputs.n; i++)
        w->names[cond->inputs.at[i]] = (value_name){back.scope, v + i, "l"};
    hlo_nodes(w);
    for (uint32_t i = 0; i < n->n_results; i++)
        back.names[v + i] = w->names[cond->outputs.at[i + 1]];
    leave(w, &back);
}

void hlo_while(mlir_text *w, const node *n)
{
    outside back;
    bool plain = only_decides(region_of(w->f, n, KEY_COND_REGION));
    if (plain) {
        hlo_open(w, n, "while");
    } else {
        indent(w);
        for (uint32_t i = 0; i < n->n_results; i++)
            put(w, "%s%n", i ? ", " : "", "l", n->first_value + i);
        put(w, "%s\"stablehlo.while\"(", n->n_results ? " = " : "");
        put_names(w, n->n_in, n->in, 0);
        put(w, ")");
    }
    put(w, " ({\n");
    if (enter(w, n, KEY_COND_REGION, &back)) {
        put_block(w);
        w->depth++;
        hlo_nodes(w);
        put_return(w, 1, w->f->outputs.at);
        w->depth--;
        leave(w, &back);
    }
    line(w, "}, {");
    put_iteration(w, n, !plain);
    indent(w);
    hlo_close(w, n, "})");
    if (!plain)
        put_last_condition(w, n);
}

/* ---- scan ---------------------------------------------------------------------------------- */

/* A loop that carries a counter, the carries, the stacked results and what is scanned. Its own
 * names are %wN_.., with a number N that nothing else has. */
typedef struct scan_loop {
    const node *n;
    const function *f, *body; /* around and inside */
    uint32_t id, carries, scanned, stacked;
    tensor index; /* of the counter */
} scan_loop;

static tensor type_in(const function *f, value_id v)
{
    const type *t = value_type(f, v);
    return type_made(t->dtype, t->dims, t->rank);
}

static tensor type_of_stack(const scan_loop *s, uint32_t k)
{
    return type_in(s->f, s->n->first_value + s->carries + k);
}

static tensor type_of_scanned(const scan_loop *s, uint32_t k)
{
    return type_in(s->f, s->n->in[s->carries + k]);
}

/* The types of all that is carried. */
static void put_carried(mlir_text *w, const scan_loop *s)
{
    put(w, "%t", &s->index);
    for (uint32_t k = 0; k < s->carries; k++) {
        tensor t = type_in(s->f, s->n->first_value + k);
        put(w, ", %t", &t);
    }
    for (uint32_t k = 0; k < s->stacked; k++) {
        tensor t = type_of_stack(s, k);
        put(w, ", %t", &t);
    }
    for (uint32_t k = 0; k < s->scanned; k++) {
        tensor t = type_of_scanned(s, k);
        put(w, ", %t", &t);
    }
}

/* `^bb0` of either region. In that of the body, W is about the body and carries are its inputs. */
static void put_scan_block(mlir_text *w, const scan_loop *s)
{
    indent(w);
    put(w, "^bb0(%%w%u_i: %t", s->id, &s->index);
    for (uint32_t k = 0; k < s->carries; k++) {
        tensor t = type_in(s->f, s->n->first_value + k);
        if (w->f == s->body)
            put(w, ", %v: %t", s->body->inputs.at[k], &t);
        else
            put(w, ", %%w%u_c%u: %t", s->id, k, &t);
    }
    for (uint32_t k = 0; k < s->stacked; k++) {
        tensor t = type_of_stack(s, k);
        put(w, ", %%w%u_o%u: %t", s->id, k, &t);
    }
    for (uint32_t k = 0; k < s->scanned; k++) {
        tensor t = type_of_scanned(s, k);
        put(w, ", %%w%u_x%u: %t", s->id, k, &t);
    }
    put(w, "):\n");
}

/* %wN_PREFIX and the number K, none for NO_NUMBER; the text goes to ROOM. */
static value_name own_name(const scan_loop *s, char room[24], const char *prefix, uint32_t k)
{
    (void)snprintf(room, 24, "w%u_%s", s->id, prefix);
    return (value_name){0, k, room};
}

static void put_index(mlir_text *w, const scan_loop *s, const char *name, dim i)
{
    if (dim_is_symbolic(i)) {
        const value_name size = hlo_size(w, i);
        const tensor list = hlo_shape_type(1);
        line(w, "%%w%u_%s = \"stablehlo.reshape\"(%w) : (%t) -> %t", s->id, name, &size, &list,
             &s->index);
        return;
    }
    line(w, "%%w%u_%s = \"stablehlo.constant\"() {value = dense<%d> : %t} : () -> %t", s->id, name,
         i, &s->index, &s->index);
}

/* `, %i, %zero, ..` for RANK axes. */
static void put_position(mlir_text *w, const scan_loop *s, uint32_t rank)
{
    put(w, ", %%w%u_i", s->id);
    for (uint32_t i = 1; i < rank; i++)
        put(w, ", %%w%u_zero", s->id);
}

static void put_position_types(mlir_text *w, const scan_loop *s, uint32_t rank)
{
    for (uint32_t i = 0; i < rank; i++)
        put(w, ", %t", &s->index);
}

/* One slice of what is scanned, as an input of the body. */
static void put_slice(mlir_text *w, const scan_loop *s, uint32_t k)
{
    value_id to = s->body->inputs.at[s->carries + k];
    tensor x = type_of_scanned(s, k), row = x, part = type_of_value(w, to);
    char names[4][24];
    value_name starts[TN_MAX_RANK];
    row.dims[0] = 1;
    for (uint32_t i = 0; i < x.rank; i++)
        starts[i] = own_name(s, names[i != 0], i ? "zero" : "i", NO_NUMBER);
    const value_name from = own_name(s, names[2], "x", k), window = own_name(s, names[3], "y", k);
    hlo_put_window(w, window, from, starts, &s->index, &x, &row);
    hlo_put_reshape(w, w->names[to], window, &row, &part);
}

/* What the body gives for stack K, put into it. */
static void put_row(mlir_text *w, const scan_loop *s, uint32_t k)
{
    value_id from = s->body->outputs.at[s->carries + k];
    tensor stack = type_of_stack(s, k), row = stack, part = type_of_value(w, from);
    row.dims[0] = 1;
    char name[24];
    hlo_put_reshape(w, own_name(s, name, "r", k), w->names[from], &part, &row);
    indent(w);
    put(w, "%%w%u_p%u = \"stablehlo.dynamic_update_slice\"(%%w%u_o%u, %%w%u_r%u", s->id, k, s->id,
        k, s->id, k);
    put_position(w, s, stack.rank);
    put(w, ") : (%t, %t", &stack, &row);
    put_position_types(w, s, stack.rank);
    put(w, ") -> %t\n", &stack);
}

static void put_scan_iteration(mlir_text *w, const scan_loop *s)
{
    outside back;
    if (!enter(w, s->n, KEY_BODY_REGION, &back))
        return;
    put_scan_block(w, s);
    w->depth++;
    put_index(w, s, "zero", 0);
    for (uint32_t k = 0; k < s->scanned; k++)
        put_slice(w, s, k);
    hlo_nodes(w);
    for (uint32_t k = 0; k < s->stacked; k++)
        put_row(w, s, k);
    put_index(w, s, "one", 1);
    line(w, "%%w%u_next = \"stablehlo.add\"(%%w%u_i, %%w%u_one) : (%t, %t) -> %t", s->id, s->id,
         s->id, &s->index, &s->index, &s->index);
    indent(w);
    put(w, "\"stablehlo.return\"(%%w%u_next", s->id);
    for (uint32_t k = 0; k < s->carries; k++)
        put(w, ", %v", s->body->outputs.at[k]);
    for (uint32_t k = 0; k < s->stacked; k++)
        put(w, ", %%w%u_p%u", s->id, k);
    for (uint32_t k = 0; k < s->scanned; k++)
        put(w, ", %%w%u_x%u", s->id, k);
    put(w, ") : (");
    put_carried(w, s);
    put(w, ") -> ()\n");
    w->depth--;
    leave(w, &back);
}

static void put_scan_condition(mlir_text *w, const scan_loop *s)
{
    tensor p = type_of_scalar(TN_I1);
    put_scan_block(w, s);
    w->depth++;
    put_index(w, s, "n", type_of_scanned(s, 0).dims[0]);
    line(
        w,
        "%%w%u_p = \"stablehlo.compare\"(%%w%u_i, %%w%u_n) {comparison_direction = "
        "#stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type SIGNED>} : "
        "(%t, %t) -> %t",
        s->id, s->id, s->id, &s->index, &s->index, &p);
    line(w, "\"stablehlo.return\"(%%w%u_p) : (%t) -> ()", s->id, &p);
    w->depth--;
}

void hlo_scan(mlir_text *w, const node *n)
{
    value_id v = n->first_value;
    scan_loop s = {.n = n,
                   .f = w->f,
                   .body = region_of(w->f, n, KEY_BODY_REGION),
                   .id = w->n_scopes++,
                   .carries = (uint32_t)attr_int(n->attrs, KEY_CARRY_COUNT, 0),
                   .index = type_of_scalar(TN_SI64)};
    s.scanned = n->n_in - s.carries;
    s.stacked = n->n_results - s.carries;
    if (type_of_scanned(&s, 0).dims[0] == 0) { /* no iteration, whose slices would be too large */
        for (uint32_t k = 0; k < s.carries; k++)
            name_as(w, v + k, n->in[k]);
        for (uint32_t k = 0; k < s.stacked; k++)
            hlo_nothing(w, v + s.carries + k);
        return;
    }
    put_index(w, &s, "first", 0);
    for (uint32_t k = 0; k < s.stacked; k++) {
        tensor t = type_of_stack(&s, k), one = type_of_scalar(t.dtype);
        hlo_scalar(w, "z", v + s.carries + k, t.dtype, scalar_of_int(0));
        char name[24];
        hlo_put_broadcast(w, own_name(&s, name, "s", k),
                          (value_name){w->scope, v + s.carries + k, "z"}, NULL, &one, &t);
    }
    indent(w);
    put(w, "%%w%u_last", s.id);
    for (uint32_t k = 0; k < n->n_results; k++)
        put(w, ", %v", v + k);
    for (uint32_t k = 0; k < s.scanned; k++)
        put(w, ", %%w%u_l%u", s.id, k);
    put(w, " = \"stablehlo.while\"(%%w%u_first", s.id);
    for (uint32_t k = 0; k < s.carries; k++)
        put(w, ", %v", n->in[k]);
    for (uint32_t k = 0; k < s.stacked; k++)
        put(w, ", %%w%u_s%u", s.id, k);
    for (uint32_t k = 0; k < s.scanned; k++)
        put(w, ", %v", n->in[s.carries + k]);
    put(w, ") ({\n");
    put_scan_condition(w, &s);
    line(w, "}, {");
    put_scan_iteration(w, &s);
    indent(w);
    put(w, "}) : (");
    put_carried(w, &s);
    put(w, ") -> (");
    put_carried(w, &s);
    put(w, ")\n");
}

/* ---- custom calls -------------------------------------------------------------------------- */

static void put_entry(mlir_text *w, const dict_entry *e, uint32_t i)
{
    if (e->kind == ATTR_INT) {
        text_i64(w->out, ((const int64_t *)e->values)[i]);
    } else if (e->kind == ATTR_BOOL) {
        text_puts(w->out, ((const bool *)e->values)[i] ? "true" : "false");
    } else if (e->kind == ATTR_FLOAT) {
        put_number(w, TN_F64, scalar_of_float(((const double *)e->values)[i]));
    } else {
        put_string(w, ((const char *const *)e->values)[i]);
    }
}

/* An attribute of the call as one of MLIR: `3 : i64`, `array<f64: 1.0>`, `["a"]`. */
static void put_free_attribute(mlir_text *w, const dict_entry *e)
{
    bool is_text = e->kind != ATTR_INT && e->kind != ATTR_BOOL && e->kind != ATTR_FLOAT;
    const char *element = e->kind == ATTR_INT ? "i64" : e->kind == ATTR_BOOL ? "i1" : "f64";
    put_string(w, e->key);
    put(w, " = ");
    if (!e->is_array) {
        put_entry(w, e, 0);
        if (!is_text && e->kind != ATTR_BOOL)
            put(w, " : %s", element);
        return;
    }
    if (is_text)
        put(w, "[");
    else
        put(w, "array<%s%s", element, e->n ? ": " : "");
    for (uint32_t i = 0; i < e->n; i++) {
        put(w, i ? ", " : "");
        put_entry(w, e, i);
    }
    put(w, is_text ? "]" : ">");
}

void hlo_custom_call(mlir_text *w, const node *n)
{
    const char *target = attr_string(n->attrs, KEY_TARGET);
    const attr *dict = attr_find(n->attrs, KEY_DICT);
    hlo_open(w, n, "custom_call");
    put(w, " {call_target_name = ");
    put_string(w, target ? target : "");
    if (!dict || dict->n == 0) {
        hlo_close(w, n, ", has_side_effect = false, api_version = 1 : i32}");
        return;
    }
    put(w, ", has_side_effect = false, backend_config = {");
    for (uint32_t i = 0; i < dict->n; i++) {
        put(w, i ? ", " : "");
        put_free_attribute(w, &dict->v.dict[i]);
    }
    hlo_close(w, n, "}, api_version = 4 : i32}");
}
