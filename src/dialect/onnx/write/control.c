/* Control flow: regions become graphs, which see the values around them. */
#include "dialect/onnx/write/writer.h"

enum { MAX_DEPTH = 64 };

static const function *region_of(const function *f, const node *n, attr_key key)
{
    return f->module->functions.at[attr_int(n->attrs, key, 0)];
}

/* What W was about before a region was entered. */
typedef struct outside {
    const function *f;
    onnx_id *ids;
} outside;

/* Write about REGION of N from now on; false when that is not possible. */
static bool enter(onnx_writer *w, const node *n, const function *region, outside *back)
{
    onnx_id *ids = ARENA_ARRAY(&w->out.memory, onnx_id, region->values.n);
    *back = (outside){w->f, w->ids};
    if (!ids)
        w->out.no_memory = true;
    else if (w->depth >= MAX_DEPTH)
        onnx_write_fault(w, n, DIAG_LimitExceeded, "regions are nested too deeply");
    if (!ids || w->depth >= MAX_DEPTH)
        return false;
    for (uint32_t i = 0; i < region->values.n; i++)
        ids[i] = ONNX_NOTHING;
    w->f = region;
    w->ids = ids;
    w->depth++;
    return true;
}

static void leave(onnx_writer *w, const outside *back)
{
    w->f = back->f;
    w->ids = back->ids;
    w->depth--;
}

/* The nodes of REGION, whose inputs are IN, at the end of the graph; its results at OUT. */
static void inlined(onnx_writer *w, const node *n, const function *region, const onnx_id *in,
                    onnx_id *out)
{
    outside back;
    for (uint32_t k = 0; k < region->outputs.n; k++)
        out[k] = ONNX_NOTHING;
    if (!enter(w, n, region, &back))
        return;
    for (uint32_t k = 0; k < region->inputs.n; k++)
        w->ids[region->inputs.at[k]] = in[k];
    onnx_write_nodes(w);
    for (uint32_t k = 0; k < region->outputs.n; k++)
        out[k] = w->ids[region->outputs.at[k]];
    leave(w, &back);
}

static onnx_id *list_of_ids(onnx_writer *w, uint32_t n)
{
    onnx_id *list = ARENA_ARRAY(&w->out.memory, onnx_id, n);
    w->out.no_memory = w->out.no_memory || !list;
    return list;
}

/* The node OP with the results of N, and their types. */
static void put_results(onnx_writer *w, const node *n, const char *op, const onnx_id *in,
                        uint32_t n_in, const onnx_setting *settings, uint32_t n_settings)
{
    tn_dtype *types = ARENA_ARRAY(&w->out.memory, tn_dtype, n->n_results);
    if (!types) {
        w->out.no_memory = true;
        return;
    }
    for (uint32_t k = 0; k < n->n_results; k++)
        types[k] = value_type(w->f, n->first_value + k)->dtype;
    const onnx_id first =
        onnx_make_all(&w->out, op, types, n->n_results, in, n_in, settings, n_settings);
    for (uint32_t k = 0; k < n->n_results && first != ONNX_NOTHING; k++)
        w->ids[n->first_value + k] = first + k;
}

/* ---- cond ---- */

static const onnx_new_graph *branch(onnx_writer *w, const node *n, attr_key key, const char *name)
{
    const function *region = region_of(w->f, n, key);
    onnx_new_graph *outer = w->out.g, *g = onnx_graph_begin(&w->out, name);
    onnx_id *in = list_of_ids(w, n->n_in), *out = list_of_ids(w, region->outputs.n);
    if (!g || !in || !out)
        return NULL;
    for (uint32_t k = 1; k < n->n_in; k++)
        in[k - 1] = onnx_operand(w, n, k);
    w->out.g = g;
    inlined(w, n, region, in, out);
    for (uint32_t k = 0; k < region->outputs.n; k++)
        (void)onnx_graph_output(&w->out, g, out[k], function_output_type(region, k));
    w->out.g = outer;
    return g;
}

void onnx_put_cond(onnx_writer *w, const node *n)
{
    const onnx_new_graph *yes = branch(w, n, KEY_TRUE_REGION, "then");
    const onnx_new_graph *no = branch(w, n, KEY_FALSE_REGION, "else");
    const onnx_setting branches[] = {ONNX_GRAPH_SET("else_branch", no),
                                     ONNX_GRAPH_SET("then_branch", yes)};
    const onnx_id p = onnx_operand(w, n, 0);
    if (yes && no)
        put_results(w, n, "If", &p, 1, branches, 2);
}

/* ---- while ---- */

/* What is carried is what the condition hands on: it is asked before the loop, and after the body
 * of each iteration. */
static const onnx_new_graph *loop_body(onnx_writer *w, const node *n)
{
    const function *cond = region_of(w->f, n, KEY_COND_REGION);
    const function *body = region_of(w->f, n, KEY_BODY_REGION);
    onnx_new_graph *outer = w->out.g, *g = onnx_graph_begin(&w->out, "body");
    onnx_id *carried = list_of_ids(w, n->n_in), *made = list_of_ids(w, n->n_in);
    onnx_id *asked = list_of_ids(w, n->n_in + 1);
    type_table *types = (type_table *)(uintptr_t)&w->m->types;
    const type *count = type_scalar(types, TN_SI64), *truth = type_scalar(types, TN_I1);
    if (!g || !carried || !made || !asked || !count || !truth) {
        w->out.no_memory = true;
        return NULL;
    }
    (void)onnx_graph_input(&w->out, g, count);
    (void)onnx_graph_input(&w->out, g, truth);
    for (uint32_t k = 0; k < n->n_in; k++)
        carried[k] = onnx_graph_input(&w->out, g, function_input_type(body, k));
    w->out.g = g;
    inlined(w, n, body, carried, made);
    inlined(w, n, cond, made, asked);
    for (uint32_t k = 0; k <= n->n_in; k++)
        (void)onnx_graph_output(&w->out, g, asked[k], function_output_type(cond, k));
    w->out.g = outer;
    return g;
}

void onnx_put_while(onnx_writer *w, const node *n)
{
    const function *cond = region_of(w->f, n, KEY_COND_REGION);
    onnx_id *in = list_of_ids(w, n->n_in), *asked = list_of_ids(w, n->n_in + 2);
    if (!in || !asked)
        return;
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = onnx_operand(w, n, k);
    asked[0] = ONNX_NOTHING; /* as often as the condition says */
    inlined(w, n, cond, in, asked + 1);
    const onnx_new_graph *body = loop_body(w, n);
    const onnx_setting setting = ONNX_GRAPH_SET("body", body);
    if (body && n->n_results)
        put_results(w, n, "Loop", asked, n->n_in + 2, &setting, 1);
}

/* ---- scan ---- */

void onnx_put_scan(onnx_writer *w, const node *n)
{
    const function *body = region_of(w->f, n, KEY_BODY_REGION);
    const int64_t scanned = n->n_in - attr_int(n->attrs, KEY_CARRY_COUNT, 0);
    onnx_new_graph *outer = w->out.g, *g = onnx_graph_begin(&w->out, "body");
    onnx_id *in = list_of_ids(w, n->n_in), *given = list_of_ids(w, n->n_in);
    onnx_id *made = list_of_ids(w, body->outputs.n);
    if (!g || !in || !given || !made)
        return;
    for (uint32_t k = 0; k < n->n_in; k++) {
        given[k] = onnx_operand(w, n, k);
        in[k] = onnx_graph_input(&w->out, g, function_input_type(body, k));
    }
    w->out.g = g;
    inlined(w, n, body, in, made);
    for (uint32_t k = 0; k < body->outputs.n; k++)
        (void)onnx_graph_output(&w->out, g, made[k], function_output_type(body, k));
    w->out.g = outer;
    const onnx_setting settings[] = {ONNX_GRAPH_SET("body", g),
                                     ONNX_INT_SET("num_scan_inputs", scanned)};
    if (n->n_results)
        put_results(w, n, "Scan", given, n->n_in, settings, 2);
}
