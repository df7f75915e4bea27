/* A file as a whole: the model, the inputs, the nodes, the outputs. */
#include <inttypes.h>
#include <stdio.h>

#include "base/memory/checked.h"
#include "base/text/suggest.h"
#include "dialect/onnx/graph.h"
#include "dialect/onnx/misnamed.h"
#include "dialect/onnx/onnx.h"
#include "scalar/dtype.h"

static tn_status report_malformed(module *m, const onnx_fault *f)
{
    if (!f->what)
        return module_no_memory(m);
    const onnx_misnamed is = onnx_misnamed_find((onnx_bytes){m->source.text, m->source.length});
    diag_channel *diag = &m->cx->diag;
    const tn_status status = is.what
                                 ? diag_report(diag, DIAG_SyntaxError, &m->source, NO_SPAN,
                                               "this is no ONNX model, but %s", is.what)
                                 : diag_report(diag, DIAG_SyntaxError, &m->source, NO_SPAN,
                                               "this is no ONNX model: %s (%s, byte %zu)", f->what,
                                               f->message, (size_t)(f->at - m->source.text));
    if (is.help)
        diag_fix(diag, NO_SPAN, NULL, "%s", is.help);
    return status;
}

/* ---- inputs ---- */

static bool find_size(const tn_binding *list, size_t n, const char *name, int64_t *out)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].symbol, name) == 0) {
            *out = list[i].extent;
            return true;
        }
    return false;
}

/* The size NAME: what it is bound to, or follows from shapes, else a symbol. */
static bool size_called(importer *im, const char *name, size_t n, dim *out)
{
    const char *own = module_string(im->m, name, n);
    const uint32_t errors = im->m->cx->diag.n_errors;
    int64_t found = -1;
    if (!own)
        return onnx_no_memory(im);
    (void)find_size(im->found.at, im->found.n, own, &found);
    return given_size(im->m, im->options, own, found, out) || im->m->cx->diag.n_errors > errors ||
           onnx_no_memory(im);
}

static bool is_number(const onnx_dim *d)
{
    return d->param.n == 0 && onnx_has(&d->message, ONNX_DIM_VALUE) && d->value >= 0;
}

/* What the extent D, which is no number, of axis AXIS of an input is called. */
static const char *size_name(importer *im, const char *input, uint32_t axis, const onnx_dim *d)
{
    return d->param.n ? onnx_text(im, d->param)
                      : arena_printf(&im->memory, "%s.%" PRIu32, input, axis);
}

static bool read_dim(importer *im, const char *input, uint32_t axis, const onnx_dim *d, dim *out)
{
    *out = d->value;
    if (is_number(d))
        return true;
    const char *name = size_name(im, input, axis, d);
    return name ? size_called(im, name, strlen(name), out) : onnx_no_memory(im);
}

/* ---- shapes of inputs that are known ---- */

/* How many sizes INPUT.0, INPUT.1, ... the options give. */
static uint32_t count_sizes(importer *im, const char *input)
{
    const read_options *o = im->options;
    int64_t size;
    for (uint32_t rank = 0; rank <= TN_MAX_RANK; rank++) {
        const char *name = arena_printf(&im->memory, "%s.%" PRIu32, input, rank);
        if (!name || !find_size(o->bindings, o->n_bindings, name, &size))
            return rank;
    }
    return TN_MAX_RANK + 1;
}

/* The extents of INPUT as the file has them; where it does not say how many there are, as many open
 * ones as the options give, and only their number if it is above TN_MAX_RANK. False when nothing
 * says. */
static bool extents_of(importer *im, const char *input, uint32_t position,
                       const onnx_tensor_type *t, onnx_list *out)
{
    if (t->shape) {
        *out = t->shape->dims;
        return true;
    }
    const tn_input_shape *shape = given_shape_of(im->options, input, position);
    const tn_buffer *value = given_value(im->options, input, position);
    const uint32_t sizes = count_sizes(im, input);
    *out = (onnx_list){.n = shape ? shape->rank : value ? value->type.rank : sizes};
    if (!shape && !value && sizes == 0)
        return false;
    if (out->n > TN_MAX_RANK)
        return true; /* it is refused for that */
    out->at = arena_calloc(&im->memory, out->n + (size_t)1, sizeof(onnx_dim));
    return out->at || onnx_no_memory(im);
}

/* The position that input I of G may be named by; none where that is the name of another one. */
static uint32_t position_of(const importer *im, const onnx_graph *g, uint32_t i)
{
    const onnx_value_info *inputs = g->inputs.at;
    char number[16];
    if (!given_by_position(im->options, i))
        return i;
    (void)snprintf(number, sizeof number, "%" PRIu32, i);
    for (uint32_t k = 0; k < g->inputs.n; k++)
        if (k != i && onnx_is(inputs[k].name, number))
            return UINT32_MAX;
    return i;
}

/* The sizes that follow from the shapes that the options give. */
static bool find_sizes(importer *im, const onnx_graph *g)
{
    for (uint32_t i = 0; i < g->inputs.n; i++) {
        const onnx_value_info *info = &((const onnx_value_info *)g->inputs.at)[i];
        const onnx_tensor_type *t = info->type ? info->type->tensor : NULL;
        const char *name = onnx_text(im, info->name);
        const uint32_t position = position_of(im, g, i);
        const tn_input_shape *given = given_shape_of(im->options, name, position);
        onnx_list extents;
        if (!given || !t || !extents_of(im, name, position, t, &extents) ||
            extents.n != given->rank || extents.n > TN_MAX_RANK)
            continue;
        const onnx_dim *dims = extents.at;
        for (uint32_t a = 0; a < given->rank; a++) {
            if (is_number(&dims[a]) || given->dims[a] < 0)
                continue;
            const tn_binding size = {size_name(im, name, a, &dims[a]), given->dims[a]};
            if (!size.symbol || !VECTOR_PUSH(im->m->allocator, &im->found, size))
                return onnx_no_memory(im);
        }
    }
    return true;
}

/* ---- inputs that are known ---- */

/* B, given for the input NAME of type DTYPE[DIMS], as the value V. */
static bool take_known(importer *im, const char *name, const tn_buffer *b, tn_dtype dtype,
                       const dim *dims, uint32_t rank, onnx_value *v)
{
    int64_t shape[TN_MAX_RANK], count;
    const type *t = type_of(&im->m->types, dtype, dims, rank);
    const void *data = t ? given_data(&im->memory, b, t, shape, &im->no_memory) : NULL;
    if (!t || im->no_memory)
        return onnx_no_memory(im);
    if (!data)
        return onnx_refuse_file(im, DIAG_InputMismatch, name,
                                "the value given for '%s' does not fit its type", name);
    if (known_keeps(dtype) && product_i64(shape, rank, &count) && count <= KNOWN_MOST)
        v->known = known_load(&im->memory, dtype, shape, rank, data);
    else
        v->v = tn_constant(&im->b, dtype, (tn_ints){shape, rank}, data);
    if (tn_is_value(v->v))
        onnx_name_weight(im, v);
    return v->known || tn_is_value(v->v) || onnx_no_memory(im);
}

static void refuse_rank(importer *im, const char *input)
{
    (void)onnx_refuse_file(im, DIAG_ShapeUnknown, input, "the rank of the input '%s' is not known",
                           input);
    const char *setting = diag_setting_name(&im->m->cx->diag, SETTING_BINDINGS);
    onnx_advise_file(im, "give its extents: %s %s.0=N %s %s.1=N, and so on", setting, input,
                     setting, input);
}

static bool read_input(importer *im, onnx_scope *scope, const onnx_value_info *info,
                       uint32_t position)
{
    const char *name = onnx_text(im, info->name);
    const onnx_tensor_type *t = info->type ? info->type->tensor : NULL;
    dim dims[TN_MAX_RANK];
    tn_dtype dtype;
    onnx_list extents = {0};
    onnx_value v = {.name = info->name, .is_faulty = true};
    if (!info->type)
        (void)onnx_refuse_file(im, DIAG_UnknownDType, name, "the input '%s' has no type", name);
    else if (!t)
        (void)onnx_refuse_file(im, DIAG_Sequence, name,
                               "the input '%s' is a sequence, a map or an optional value, which "
                               "are not read",
                               name);
    else if (!onnx_dtype(t->elem_type, &dtype))
        (void)onnx_refuse_file(im, DIAG_UnknownDType, name,
                               "the input '%s' has the element type %s, which is not read", name,
                               onnx_dtype_name(t->elem_type) ? onnx_dtype_name(t->elem_type)
                                                             : "of no known number");
    else if (!extents_of(im, name, position, t, &extents))
        refuse_rank(im, name);
    else if (extents.n > TN_MAX_RANK)
        (void)onnx_refuse_file(im, DIAG_RankMismatch, name,
                               "the rank of the input '%s' is too high", name);
    else
        v.is_faulty = false;
    const onnx_dim *list = extents.at;
    for (uint32_t i = 0; !v.is_faulty && i < extents.n; i++)
        v.is_faulty = !read_dim(im, name, i, &list[i], &dims[i]);
    const tn_buffer *given = given_value(im->options, name, position);
    if (!v.is_faulty && given) {
        v.is_faulty = !take_known(im, name, given, dtype, dims, extents.n, &v);
    } else if (!v.is_faulty) {
        v.v = tn_input(&im->b, name, dtype, (tn_ints){dims, extents.n});
        v.is_faulty = !tn_is_value(v.v);
    }
    return !im->no_memory && (onnx_define(im, scope, &v) || !im->no_memory);
}

/* Initializers of the model's graph have names in the program, and may be given other values. */
static bool read_weights(importer *im, onnx_scope *scope, const onnx_graph *g)
{
    for (uint32_t i = 0; i < onnx_n_initializers(g); i++) {
        onnx_value *v = onnx_find(scope, onnx_initializer_name(g, i));
        const char *name = onnx_text(im, onnx_initializer_name(g, i));
        const tn_buffer *given = given_initializer(im->options, name);
        onnx_tensor_facts facts;
        if (!v || v->is_faulty)
            continue;
        const char *why = onnx_tensor_type_of(v->tensor, &facts);
        v->is_weight = v->name.n > 0;
        v->is_trainable = v->is_weight && !why && dtype_is_float(facts.dtype);
        if (!given)
            continue;
        v->is_faulty = why || !take_known(im, name, given, facts.dtype, facts.dims, facts.rank, v);
        v->tensor = NULL;
    }
    return !im->no_memory;
}

/* Of the names that the model has: is one meant by NAME? */
static void suggest_given(importer *im, const onnx_scope *scope, const onnx_graph *g,
                          const char *name)
{
    const onnx_value_info *inputs = g->inputs.at;
    suggestion like;
    suggest_begin(&like, name, strlen(name));
    for (uint32_t i = 0; i < g->inputs.n; i++)
        suggest_name(&like, inputs[i].name.at, inputs[i].name.n);
    for (uint32_t i = 0; i < scope->values.n; i++)
        if (scope->values.at[i]->is_weight)
            suggest_name(&like, scope->values.at[i]->name.at, scope->values.at[i]->name.n);
    if (like.name[0])
        onnx_advise_file(im, "did you mean '%s'?", like.name);
}

/* An initializer of the same name is what the input is when nobody gives it: it stays that. */
static bool read_inputs(importer *im, onnx_scope *scope, const onnx_graph *g, const bool *needed)
{
    const onnx_value_info *inputs = g->inputs.at;
    for (uint32_t i = 0; i < g->inputs.n; i++) {
        if (needed && !needed[i])
            continue;
        const onnx_value *v = onnx_find(scope, inputs[i].name);
        if (!v && !read_input(im, scope, &inputs[i], position_of(im, g, i)))
            return false;
        if (v && !v->tensor && !v->is_weight && !v->is_faulty)
            (void)onnx_refuse_file(im, DIAG_MultipleDefinitions, onnx_text(im, inputs[i].name),
                                   "two inputs are called '%.*s'", ONNX_TEXT(inputs[i].name));
    }
    enum { MOST_SUGGESTED = 8 };
    const read_options *o = im->options;
    uint32_t n_wrong = 0;
    for (size_t k = 0; k < o->n_known; k++) {
        uint32_t i = 0;
        while (i < g->inputs.n && !onnx_is(inputs[i].name, o->known[k].name) &&
               !given_is_position(o->known[k].name, position_of(im, g, i)))
            i++;
        const char *name = o->known[k].name;
        const onnx_value *v = onnx_find(scope, (onnx_bytes){name, strlen(name)});
        if (i < g->inputs.n || (v && v->is_weight))
            continue;
        (void)onnx_refuse_file(
            im, DIAG_UndefinedName, name,
            "a value is given for '%.200s', which is no input and no initializer", name);
        if (n_wrong++ < MOST_SUGGESTED)
            suggest_given(im, scope, g, name);
    }
    return true;
}

/* ---- outputs ---- */

/* V as the output NAME; the elements of a sequence as NAME.0, NAME.1, ... */
static bool add_output(importer *im, onnx_value *v, const char *name)
{
    function *f = module_entry(im->m);
    for (uint32_t i = 0; v->items && i < v->items->n; i++) {
        const char *own = arena_printf(&im->memory, "%s.%" PRIu32, name, i);
        if (!own || !add_output(im, &v->items->at[i], own))
            return onnx_no_memory(im);
    }
    if (v->items)
        return true;
    if (v->is_empty)
        return onnx_refuse_file(im, DIAG_Sequence, name,
                                "the output '%s' is an optional value that holds nothing", name) ||
               !im->no_memory;
    const tn_value data = onnx_data_of(im, v);
    const char *own = module_string(im->m, name, strlen(name));
    return !tn_is_value(data) ||
           (own && function_add_output(f, data.id) == TN_OK &&
            VECTOR_PUSH(im->m->allocator, &f->output_names, own)) ||
           onnx_no_memory(im);
}

/* Those that the options name instead. */
static bool read_results(importer *im, const onnx_scope *scope, const onnx_graph *g)
{
    const read_options *o = im->options;
    for (size_t i = 0; i < o->n_results; i++) {
        const char *name = o->results[i];
        onnx_value *v = onnx_find(scope, (onnx_bytes){name, strlen(name)});
        if (!v)
            (void)onnx_refuse_result(im, g, name);
        if (v && !v->is_faulty && !add_output(im, v, name))
            return false;
    }
    return true;
}

/* Is what the file says of the output NAME true of V? Other engines refuse the file unless. */
static bool check_output(importer *im, const onnx_value_info *info, const onnx_value *v,
                         const char *name)
{
    const onnx_tensor_type *t = info->type ? info->type->tensor : NULL;
    tn_dtype declared;
    if (!t || !onnx_is_tensor(v) || !onnx_dtype(t->elem_type, &declared))
        return true;
    const type *is = onnx_value_type(im, v);
    if (!is)
        return !im->no_memory;
    const char *text = type_text(&im->memory, &im->m->types, is);
    if (declared != is->dtype)
        return onnx_warn_file(im, name, "the output '%s' is said to be of %s, and is %s", name,
                              dtype_name(declared), text);
    if (t->shape && t->shape->dims.n != is->rank)
        return onnx_warn_file(im, name,
                              "the output '%s' is said to be of rank %" PRIu32 ", and is %s", name,
                              t->shape->dims.n, text);
    const onnx_dim *dims = t->shape ? t->shape->dims.at : NULL;
    for (uint32_t i = 0; dims && i < is->rank; i++)
        if (is_number(&dims[i]) && !dim_is_symbolic(is->dims[i]) && dims[i].value != is->dims[i])
            return onnx_warn_file(im, name,
                                  "axis %" PRIu32 " of the output '%s' is said to have the extent "
                                  "%" PRId64 ", and it is %s",
                                  i, name, dims[i].value, text);
    return true;
}

static bool read_outputs(importer *im, const onnx_scope *scope, const onnx_graph *g)
{
    const onnx_value_info *outputs = g->outputs.at;
    if (g->outputs.n == 0)
        return onnx_refuse_file(im, DIAG_MissingOutputs, "", "the graph has no outputs");
    for (uint32_t i = 0; i < g->outputs.n; i++) {
        onnx_value *v = onnx_find(scope, outputs[i].name);
        const char *name = onnx_text(im, outputs[i].name);
        if (!v)
            (void)onnx_refuse_file(im, DIAG_UndefinedOutput, name,
                                   "nothing defines the output '%.*s'", ONNX_TEXT(outputs[i].name));
        if (v && !v->is_faulty &&
            (!add_output(im, v, name) || !check_output(im, &outputs[i], v, name)))
            return false;
    }
    return true;
}

/* ---- the file ---- */

static bool read_graph(importer *im, const onnx_graph *g)
{
    onnx_needed needed;
    bool ok = onnx_find_needed(im, g, &needed);
    onnx_scope scope = {.imports = im->model->imports, .needed = needed.nodes};
    ok = ok && find_sizes(im, g) && onnx_define_initializers(im, &scope, g) &&
         read_weights(im, &scope, g) && read_inputs(im, &scope, g, needed.inputs) &&
         onnx_read_nodes(im, &scope, g->nodes.at, g->nodes.n) && onnx_note_results(im, &scope, g) &&
         (im->options->n_results ? read_results : read_outputs)(im, &scope, g);
    onnx_scope_release(im, &scope);
    return ok;
}

static tn_status read_model(importer *im)
{
    module *m = im->m;
    onnx_fault fault = {0};
    const onnx_bytes bytes = {m->source.text, m->source.length};
    im->model = onnx_model_read(&im->memory, bytes, m->own_text, m->cx->limits.nesting, &fault);
    if (!im->model)
        return report_malformed(m, &fault);
    if (!im->model->graph)
        return diag_report(&m->cx->diag, DIAG_SyntaxError, &m->source, NO_SPAN,
                           "this is no ONNX model: it has no graph");
    if (im->options->entry && strcmp(im->options->entry, "main") != 0) {
        (void)diag_report(&m->cx->diag, DIAG_Usage, NULL, NO_SPAN, "the model has no function '%s'",
                          im->options->entry);
        diag_note(&m->cx->diag, NULL, NO_SPAN, "its graph is called 'main'");
        return TN_ERR_USAGE;
    }
    if (!module_add_function(m, "main", 4) || !VECTOR_PUSH(&m->cx->allocator, &im->b.scopes, 0) ||
        !onnx_op_index(im))
        return module_no_memory(m);
    const uint32_t errors = m->cx->diag.n_errors;
    if (!onnx_check_imports(im, im->model->imports) || !onnx_function_index(im))
        return module_no_memory(m);
    const bool ok = read_graph(im, im->model->graph);
    if (im->no_memory)
        return module_no_memory(m);
    if (im->b.status == TN_ERR_NOMEM)
        return TN_ERR_NOMEM;
    refusals_warn(&im->warnings, &m->cx->diag, &m->source);
    onnx_advise_sizes(im);
    if (im->no_memory)
        return module_no_memory(m);
    TN_TRY(refusals_report(&im->refusals, &m->cx->diag, &m->source));
    if (im->b.status != TN_OK)
        return TN_ERR_REJECTED;
    if (!ok && m->cx->diag.n_errors == errors)
        return module_no_memory(m); /* or the time is up */
    return m->cx->diag.n_errors == errors ? TN_OK : TN_ERR_REJECTED;
}

tn_status onnx_read(module *m, const read_options *options)
{
    importer im = {.m = m, .options = options, .b = {.cx = m->cx, .m = m, .at = NO_SPAN}};
    arena_init(&im.memory, m->allocator);
    const tn_status s = read_model(&im);
    hash_release(m->allocator, &im.op_index);
    hash_release(m->allocator, &im.functions);
    hash_release(m->allocator, &im.odd_nodes);
    VECTOR_RELEASE(m->allocator, &im.odd);
    VECTOR_RELEASE(m->allocator, &im.refusals.list);
    VECTOR_RELEASE(m->allocator, &im.warnings.list);
    VECTOR_RELEASE(m->allocator, &im.found);
    VECTOR_RELEASE(&m->cx->allocator, &im.b.scopes);
    hash_release(&m->cx->allocator, &im.b.inputs);
    arena_release(&im.memory);
    return s;
}
