/* The walk over a graph: names, the order of nodes, and one node at a time. */
#include <inttypes.h>

#include "base/text/suggest.h"
#include "base/text/text.h"
#include "base/text/utf8.h"
#include "dialect/onnx/graph.h"
#include "dialect/onnx/ops/op.h"

/* ---- names ---- */

static uint64_t hash_name(onnx_bytes name)
{
    return hash_bytes(0, name.at, name.n);
}

static onnx_value *find_here(const onnx_scope *scope, onnx_bytes name)
{
    const uint64_t h = hash_name(name);
    for (uint32_t p = hash_first(&scope->by_name, h), i;
         (i = hash_at(&scope->by_name, h, &p)) != HASH_NONE;)
        if (onnx_same(scope->values.at[i]->name, name))
            return scope->values.at[i];
    return NULL;
}

onnx_value *onnx_find(const onnx_scope *scope, onnx_bytes name)
{
    for (; scope; scope = scope->outer) {
        onnx_value *v = find_here(scope, name);
        if (v)
            return v;
    }
    return NULL;
}

bool onnx_define(importer *im, onnx_scope *scope, const onnx_value *v)
{
    const tn_allocator *a = im->m->allocator;
    if (v->name.n == 0)
        return onnx_refuse_file(im, DIAG_InvalidInput, "", "an input or initializer has no name");
    if (utf8_invalid_at(v->name.at, v->name.n) < v->name.n || memchr(v->name.at, 0, v->name.n))
        return onnx_refuse_file(im, DIAG_InvalidUtf8, "",
                                "the name of a value is not UTF-8, or holds U+0000");
    if (find_here(scope, v->name))
        return onnx_refuse_file(im, DIAG_MultipleDefinitions, onnx_text(im, v->name),
                                "the name '%.*s' is given to two values", ONNX_TEXT(v->name));
    onnx_value *own = ARENA_NEW(&im->memory, onnx_value);
    if (!own || !VECTOR_PUSH_INDEXED(a, &scope->values, own, &scope->by_name, hash_name(v->name)))
        return onnx_no_memory(im);
    *own = *v;
    return true;
}

void onnx_scope_release(importer *im, onnx_scope *scope)
{
    hash_release(im->m->allocator, &scope->by_name);
    VECTOR_RELEASE(im->m->allocator, &scope->values);
}

/* ---- versions ---- */

/* `ai.onnx` is the default domain's other name. */
static onnx_bytes plain_domain(onnx_bytes domain)
{
    return onnx_is(domain, "ai.onnx") ? (onnx_bytes){"", 0} : domain;
}

static int64_t version_of(const onnx_scope *scope, onnx_bytes domain)
{
    const onnx_import *imports = scope->imports.at;
    int64_t version = -1;
    for (uint32_t i = 0; i < scope->imports.n; i++)
        if (onnx_same(plain_domain(imports[i].domain), domain))
            version = imports[i].version;
    return version;
}

bool onnx_check_imports(importer *im, onnx_list imports)
{
    const onnx_import *all = imports.at;
    hash_index seen = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < imports.n; i++) {
        const onnx_bytes domain = plain_domain(all[i].domain);
        const uint64_t h = hash_name(domain);
        uint32_t p = hash_first(&seen, h), k;
        while ((k = hash_at(&seen, h, &p)) != HASH_NONE &&
               !onnx_same(plain_domain(all[k].domain), domain))
            continue;
        if (k == HASH_NONE)
            ok = hash_add(im->m->allocator, &seen, h, i) || onnx_no_memory(im);
        else if (all[k].version != all[i].version)
            (void)onnx_refuse_file(im, DIAG_UnsupportedVersion, onnx_text(im, domain),
                                   "the domain '%.*s' is imported in version %" PRId64
                                   " and in version %" PRId64,
                                   ONNX_TEXT(domain), all[k].version, all[i].version);
    }
    hash_release(im->m->allocator, &seen);
    return ok;
}

/* ---- one node ---- */

static void suggest_op(onnx_call *c, onnx_bytes domain)
{
    const onnx_bytes name = c->node->op;
    suggestion like;
    suggest_begin(&like, name.at, name.n);
    for (uint32_t i = 0; i < onnx_n_ops; i++)
        if (onnx_is(domain, onnx_ops[i].domain))
            suggest_name(&like, onnx_ops[i].name, strlen(onnx_ops[i].name));
    if (like.name[0])
        onnx_advise(c, "did you mean '%s'?", like.name);
}

/* Rows of the table have the operator, but none for the version that is imported. */
static bool unknown_version(onnx_call *c, onnx_bytes domain)
{
    int32_t first = INT32_MAX, last = 0, latest = 0;
    for (uint32_t i = 0; i < onnx_n_ops; i++) {
        const onnx_op *op = &onnx_ops[i];
        latest = op->last > latest ? op->last : latest;
        if (!onnx_is(c->node->op, op->name) || !onnx_is(domain, op->domain))
            continue;
        first = op->first < first ? op->first : first;
        last = op->last > last ? op->last : last;
    }
    (void)onnx_refuse(c, DIAG_UnsupportedVersion,
                      "version %" PRId64 " of this operator is not read", c->version);
    if (c->version < first)
        onnx_advise(c, "it is read from version %" PRId32 " on: write the model in that one",
                    first);
    else if (last < latest)
        onnx_advise(c,
                    "ONNX has it up to version %" PRId32
                    ": write the model in that one, or in the words of a later one",
                    last);
    else
        onnx_advise(c, "versions up to %" PRId32 " are known: write the model in one of them",
                    last);
    return false;
}

static bool unknown_op(onnx_call *c, const onnx_op *near, onnx_bytes domain)
{
    const onnx_refused *refused = onnx_refused_find(domain, c->node->op);
    if (c->version < 0)
        return onnx_refuse(c, DIAG_UnknownOp, "the file imports no version of the domain '%.*s'",
                           ONNX_TEXT(domain));
    if (near)
        return unknown_version(c, domain);
    if (refused) {
        (void)onnx_refuse(c, DIAG_UnknownOp, "%s", refused->why);
        onnx_advise(c, "%s", refused->help);
        return false;
    }
    (void)onnx_refuse(c, DIAG_UnknownOp, "there is no operator of this name in the domain '%.*s'",
                      ONNX_TEXT(domain));
    suggest_op(c, domain);
    return false;
}

/* Inputs of C by name. *OK: none of them is faulty. False without memory. */
static bool find_inputs(onnx_call *c, bool *ok)
{
    const onnx_bytes *names = c->node->inputs.at;
    c->in = ARENA_ARRAY(&c->im->memory, onnx_value *, c->n_in);
    if (!c->in)
        return onnx_no_memory(c->im);
    for (uint32_t i = 0; i < c->n_in; i++) {
        if (names[i].n == 0)
            continue;
        c->in[i] = onnx_find(c->scope, names[i]);
        if (!c->in[i])
            (void)onnx_refuse_file(c->im, DIAG_UndefinedName, onnx_text(c->im, names[i]),
                                   "nothing defines '%.*s', which '%.*s' reads (byte %zu)",
                                   ONNX_TEXT(names[i]), ONNX_TEXT(c->node->op),
                                   (size_t)(c->node->message.bytes.at - c->im->m->source.text));
        *ok = *ok && c->in[i] && !c->in[i]->is_faulty;
        if (c->in[i] && c->in[i]->is_absent)
            c->in[i] = NULL;
    }
    return !c->im->no_memory;
}

/* There are N inputs, and C takes LEAST to MOST of them. */
static bool refuse_inputs(onnx_call *c, uint32_t n, uint32_t least, uint32_t most)
{
    if (least == most)
        return onnx_refuse(c, DIAG_ArityMismatch, "it takes %" PRIu32 " input%s, not %" PRIu32,
                           least, plural(least), n);
    if (n < least)
        return onnx_refuse(c, DIAG_ArityMismatch,
                           "it takes at least %" PRIu32 " input%s, not %" PRIu32, least,
                           plural(least), n);
    return onnx_refuse(c, DIAG_ArityMismatch, "it takes at most %" PRIu32 " input%s, not %" PRIu32,
                       most, plural(most), n);
}

static bool right_arity(onnx_call *c)
{
    const onnx_op *op = c->op;
    if (c->n_in < op->min_in || c->n_in > op->max_in)
        return refuse_inputs(c, c->n_in, op->min_in, op->max_in);
    for (uint32_t i = 0; i < op->min_in; i++)
        if (!c->in[i])
            return onnx_refuse(c, DIAG_ArityMismatch, "input %" PRIu32 " is left out", i);
    for (uint32_t i = 0; op->known != onnx_known_items && i < c->n_in; i++)
        if (c->in[i] && !onnx_is_tensor(c->in[i]))
            return onnx_refuse(c, DIAG_Sequence,
                               "input %" PRIu32 " is a sequence, or an optional value that holds "
                               "nothing",
                               i);
    return c->n_out <= op->max_out ||
           onnx_refuse(c, DIAG_ArityMismatch, "it has at most %" PRIu32 " output%s, not %" PRIu32,
                       op->max_out, plural(op->max_out), c->n_out);
}

/* Is everything known of all inputs? Those that are data are looked for first: they cost nothing.
 */
static bool all_known(onnx_call *c)
{
    if (c->op->known == onnx_known_none || c->op->known == onnx_known_items)
        return false;
    for (uint32_t i = 0; i < c->n_in; i++)
        if (c->in[i] && !c->in[i]->known && !c->in[i]->tensor)
            return false;
    for (uint32_t i = 0; i < c->n_in; i++)
        if (c->in[i] && !onnx_value_known(c->im, c->in[i]))
            return false;
    return true;
}

/* Does an input have floats that training may change? */
static bool is_trainable(const onnx_call *c)
{
    for (uint32_t i = 0; i < c->n_in; i++)
        if (c->in[i] && c->in[i]->is_trainable)
            return true;
    return false;
}

/* The result, of which KNOWN is known. */
static bool give(onnx_call *c, const known_value *known)
{
    if (!dtype_is_float(known->dtype) || !is_trainable(c))
        return onnx_give_known(c, 0, known);
    if (!c->op->lower(c))
        return false;
    c->out[0].known = known;
    c->out[0].is_trainable = true;
    return true;
}

static bool lower(onnx_call *c)
{
    const known_value *known = all_known(c) ? c->op->known(c) : NULL;
    if (known ? !give(c, known) : c->im->no_memory || !c->op->lower(c))
        return false;
    if (c->asked->misread)
        return onnx_refuse_misread(c);
    return onnx_check_attributes(c, NULL);
}

/* The builder reported a fault of this node; others can be read all the same. */
static void recover(importer *im)
{
    if (im->b.status == TN_ERR_NOMEM)
        im->no_memory = true;
    im->b.status = TN_OK;
}

/* What the node is called in the graph: by its name, else by its first output. */
static const char *label_of(importer *im, const onnx_node *n)
{
    const onnx_bytes *outputs = n->outputs.at;
    onnx_bytes name = n->name;
    for (uint32_t i = 0; name.n == 0 && i < n->outputs.n; i++)
        name = outputs[i];
    return name.n ? module_string(im->m, name.at, name.n) : NULL;
}

static bool run(onnx_call *c)
{
    importer *im = c->im;
    const onnx_bytes domain = plain_domain(c->node->domain);
    const onnx_op *near = NULL;
    bool ok = true;
    c->version = version_of(c->scope, domain);
    if (c->version >= 0)
        c->op = onnx_op_find(im, domain, c->node->op, c->version, &near);
    if (!find_inputs(c, &ok))
        return false;
    const onnx_function *f = onnx_function_of(c);
    if (f)
        return ok && onnx_call_function(c, f) && onnx_check_attributes(c, f);
    if (!c->op)
        return unknown_op(c, near, domain);
    if (!ok || !right_arity(c) || !onnx_has_needed_attributes(c))
        return false;
    const char *outer = im->b.label;
    const uint32_t n_scopes = im->b.scopes.n;
    im->b.label = label_of(im, c->node);
    ok = lower(c) && im->b.status == TN_OK;
    im->b.scopes.n = n_scopes; /* regions that a failure left open */
    if (im->b.status != TN_OK)
        recover(im);
    else if (!ok && im->refusals.list.n == 0 && !im->no_memory && im->m->cx->diag.n_errors == 0)
        (void)onnx_refuse(c, DIAG_InternalError, "it was refused without a reason");
    im->b.label = outer;
    return ok;
}

/* A value of an inner graph may not be called like one that it sees of a graph around it. Inputs
 * and initializers of inner graphs, which then hide that, are read as checkers and runtimes do. */
static bool hides_outer(onnx_call *c, onnx_bytes name)
{
    if (!c->scope->outer || !onnx_find(c->scope->outer, name))
        return false;
    (void)onnx_refuse(c, DIAG_MultipleDefinitions,
                      "its output '%.*s' has the name of a value of the graph around it",
                      ONNX_TEXT(name));
    return true;
}

static bool define_outputs(onnx_call *c, bool ok)
{
    const onnx_bytes *names = c->node->outputs.at;
    for (uint32_t i = 0; i < c->n_out; i++) {
        onnx_value *v = &c->out[i];
        if (names[i].n == 0)
            continue;
        v->name = names[i];
        v->is_faulty = !ok || !(onnx_is_tensor(v) || v->items || v->is_empty);
        if (ok && v->is_faulty)
            (void)onnx_refuse(c, DIAG_NotImplemented, "output %" PRIu32 " is not computed", i);
        v->is_faulty = hides_outer(c, v->name) || v->is_faulty;
        if (!onnx_define(c->im, c->scope, v) && c->im->no_memory)
            return false;
    }
    return true;
}

/* Functions that call others twice, and so on, stand for many nodes in a short file: they get a
 * part of the limit. */
static bool is_too_large(importer *im, const onnx_scope *scope)
{
    enum { PART = 32 };
    const uint32_t most = im->m->cx->limits.nodes;
    while (scope && !scope->function)
        scope = scope->outer;
    im->n_called += scope != NULL;
    if (im->n_nodes++ < most && im->n_called <= most / PART)
        return false;
    if (!im->is_over)
        (void)onnx_refuse_file(im, DIAG_LimitExceeded, "",
                               scope ? "its functions stand for more nodes than the limit allows"
                                     : "it has more nodes than the limit");
    im->is_over = true;
    return true;
}

static bool read_node(importer *im, onnx_scope *scope, const onnx_node *n, uint32_t number)
{
    if (is_too_large(im, scope))
        return false;
    onnx_asked asked = {0};
    onnx_call c = {.im = im,
                   .scope = scope,
                   .asked = &asked,
                   .b = &im->b,
                   .node = n,
                   .number = number,
                   .n_in = n->inputs.n,
                   .n_out = n->outputs.n};
    c.out = ARENA_ARRAY(&im->memory, onnx_value, c.n_out);
    if (!c.out)
        return onnx_no_memory(im);
    const bool ok = run(&c);
    return !im->no_memory && define_outputs(&c, ok) && !context_is_stopped(im->m->cx);
}

bool onnx_read_nodes(importer *im, onnx_scope *scope, const onnx_node *nodes, uint32_t n)
{
    const uint32_t *order = onnx_order(im, nodes, n);
    for (uint32_t i = 0; order && i < n; i++)
        if ((!scope->needed || scope->needed[order[i]]) &&
            !read_node(im, scope, &nodes[order[i]], order[i]))
            return false;
    return order != NULL;
}

/* ---- graphs ---- */

bool onnx_define_initializers(importer *im, onnx_scope *scope, const onnx_graph *g)
{
    const onnx_tensor *tensors = g->initializers.at;
    const onnx_sparse *sparse = g->sparse_initializers.at;
    const uint32_t n = g->initializers.n;
    for (uint32_t i = 0; i < onnx_n_initializers(g); i++) {
        onnx_value v = {.name = onnx_initializer_name(g, i),
                        .tensor = i < n ? onnx_with_data(im, &tensors[i])
                                        : onnx_dense(im, &sparse[i - n])};
        v.is_faulty = !v.tensor;
        if (!onnx_define(im, scope, &v) && im->no_memory)
            return false;
    }
    return true;
}

bool onnx_give_named(onnx_call *c, uint32_t k, const onnx_scope *inner, onnx_bytes name)
{
    const onnx_value *v = onnx_find(inner, name);
    if (!v || v->is_absent)
        return onnx_refuse(c, DIAG_UndefinedOutput, "nothing defines '%.*s' inside of it",
                           ONNX_TEXT(name));
    if (v->is_faulty)
        return false;
    return onnx_give_value(c, k, v);
}

bool onnx_read_body(onnx_call *c, onnx_scope *scope, const onnx_graph *g, const onnx_value *args,
                    uint32_t n_args, onnx_value *results, uint32_t n)
{
    importer *im = c->im;
    const onnx_value_info *inputs = g->inputs.at, *outputs = g->outputs.at;
    if (g->inputs.n != n_args || g->outputs.n < n)
        return onnx_refuse(c, DIAG_RegionSignature,
                           "an inner graph with %" PRIu32 " input%s and %" PRIu32
                           " output%s does not fit: it is given %" PRIu32 ", and gives %" PRIu32,
                           g->inputs.n, plural(g->inputs.n), g->outputs.n, plural(g->outputs.n),
                           n_args, n);
    for (uint32_t i = 0; i < n_args; i++) {
        onnx_value v = args[i];
        v.name = inputs[i].name;
        if (!onnx_define(im, scope, &v))
            return false;
    }
    if (!onnx_define_initializers(im, scope, g) ||
        !onnx_read_nodes(im, scope, g->nodes.at, g->nodes.n))
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const onnx_value *v = onnx_find(scope, outputs[i].name);
        if (!v || v->is_absent)
            return onnx_refuse(c, DIAG_UndefinedOutput, "nothing defines '%.*s' inside of it",
                               ONNX_TEXT(outputs[i].name));
        if (v->is_faulty)
            return false;
        results[i] = *v;
    }
    return true;
}

bool onnx_inline(onnx_call *c, const onnx_graph *g, const onnx_value *args, uint32_t n_args,
                 onnx_value *results, uint32_t n)
{
    onnx_scope inner = {
        .outer = c->scope, .imports = c->scope->imports, .depth = c->scope->depth + 1};
    const bool ok = onnx_read_body(c, &inner, g, args, n_args, results, n);
    onnx_scope_release(c->im, &inner);
    return ok;
}
