/* Control flow in StableHLO: the functions that are regions are written in their place. */
#include "dialect/mlir/stablehlo.h"

enum { MAX_DEPTH = 128 };

static const function *region_of(const function *f, const node *n, attr_key key)
{
    return f->module->functions.at[attr_int(n->attrs, key, 0)];
}

/* The body of the region KEY of N. Its inputs are the operands from FIRST on, or, with BLOCK, the
 * arguments of its own. Of its outputs, N_YIELDED are returned. */
static void put_region(mlir_text *w, const node *n, attr_key key, uint32_t first, bool block,
                       uint32_t n_yielded)
{
    const function *outer = w->f, *f = region_of(outer, n, key);
    value_name *names = w->names;
    uint32_t scope = w->scope;
    if (w->depth > MAX_DEPTH) {
        w->n_errors++;
        w->status = node_report(outer, n, DIAG_LimitExceeded, "regions are nested too deeply");
        return;
    }
    tn_status s = text_begin(w, f, 1 + (uint32_t)attr_int(n->attrs, key, 0));
    if (s != TN_OK) {
        w->status = s;
        w->f = outer;
        w->names = names;
        w->scope = scope;
        return;
    }
    for (uint32_t i = 0; i < f->inputs.n && !block; i++)
        w->names[f->inputs.at[i]] = names[n->in[first + i]];
    if (block) {
        text_fill(w->out, ' ', 2 * (size_t)w->depth);
        put(w, "^bb0(");
        for (uint32_t i = 0; i < f->inputs.n; i++) {
            tensor t = type_of_value(w, f->inputs.at[i]);
            put(w, "%s%v: %t", i ? ", " : "", f->inputs.at[i], &t);
        }
        put(w, "):\n");
    }
    w->depth++;
    hlo_nodes(w);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "\"stablehlo.return\"(");
    for (uint32_t i = 0; i < n_yielded; i++)
        put(w, "%s%v", i ? ", " : "", f->outputs.at[i]);
    put(w, ") : (");
    for (uint32_t i = 0; i < n_yielded; i++) {
        tensor t = type_of_value(w, f->outputs.at[i]);
        put(w, "%s%t", i ? ", " : "", &t);
    }
    put(w, ") -> ()\n");
    w->depth--;
    text_end(w);
    w->f = outer;
    w->names = names;
    w->scope = scope;
}

static void put_types(mlir_text *w, uint32_t n, const value_id *list, value_id first)
{
    for (uint32_t i = 0; i < n; i++) {
        tensor t = type_of_value(w, list ? list[i] : first + i);
        put(w, "%s%t", i ? ", " : "", &t);
    }
}

void hlo_cond(mlir_text *w, const node *n)
{
    tensor p = type_of_scalar(TN_I1);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    for (uint32_t i = 0; i < n->n_results; i++)
        put(w, "%s%v", i ? ", " : "", n->first_value + i);
    put(w, "%s\"stablehlo.if\"(%v) ({\n", n->n_results ? " = " : "", n->in[0]);
    put_region(w, n, KEY_TRUE_REGION, 1, false, n->n_results);
    line(w, "}, {");
    put_region(w, n, KEY_FALSE_REGION, 1, false, n->n_results);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    put(w, "}) : (%t) -> (", &p);
    put_types(w, n->n_results, NULL, n->first_value);
    put(w, ")\n");
}

/* The carried values that our condition hands to the body must be those it was given. */
bool hlo_takes_while(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const function *cond = region_of(f, n, KEY_COND_REGION);
    for (uint32_t i = 0; i + 1 < cond->outputs.n; i++)
        if (i >= cond->inputs.n || cond->outputs.at[i + 1] != cond->inputs.at[i])
            return object(why, "its condition decides and changes nothing");
    return true;
}

void hlo_while(mlir_text *w, const node *n)
{
    hlo_open(w, n, "while");
    put(w, " ({\n");
    put_region(w, n, KEY_COND_REGION, 0, true, 1);
    line(w, "}, {");
    put_region(w, n, KEY_BODY_REGION, 0, true, n->n_in);
    text_fill(w->out, ' ', 2 * (size_t)w->depth);
    hlo_close(w, n, "})");
}

bool hlo_takes_custom(const function *f, const node *n, char why[OBJECTION_SIZE])
{
    const attr *dict = attr_find(n->attrs, KEY_DICT);
    (void)f;
    if (dict && dict->n)
        return object(why, "the attributes of a custom call have no common form");
    return true;
}

void hlo_custom_call(mlir_text *w, const node *n)
{
    const char *target = attr_string(n->attrs, KEY_TARGET);
    hlo_open(w, n, "custom_call");
    put(w, " {call_target_name = ");
    text_json_string(w->out, target ? target : "", target ? strlen(target) : 0);
    hlo_close(w, n, ", has_side_effect = false, api_version = 1 : i32}");
}
