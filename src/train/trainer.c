/* Making a trainer from a program, data and options. */
#include "train/trainer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "base/context/options.h"
#include "base/memory/hash.h"
#include "base/text/text.h"
#include "graph/public.h"
#include "train/facts.h"
#include "train/rank_sums.h"

tn_status trainer_fault(context *cx, diag_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const tn_status s = diag_vreport(&cx->diag, kind, NULL, NO_SPAN, format, args);
    va_end(args);
    return s;
}

/* ---- options ---- */

static tn_status check_options(context *cx, tn_train_options *o)
{
    if (o->n_wrt == 0)
        return trainer_fault(cx, DIAG_Usage, "no input is to be trained");
    TN_TRY(options_list(&cx->diag, "wrt", o->wrt, o->n_wrt));
    if (o->steps && o->epochs)
        return trainer_fault(cx, DIAG_Usage, "steps and epochs exclude each other");
    if (o->rate == 0)
        o->rate = 0.001;
    if (!(o->rate > 0 && isfinite(o->rate)))
        return trainer_fault(cx, DIAG_Usage, "the learning rate is %g; it lies above 0", o->rate);
    if (!(o->clip_norm >= 0 && isfinite(o->clip_norm)))
        return trainer_fault(cx, DIAG_Usage, "gradients cannot be clipped to the norm %g",
                             o->clip_norm);
    if ((unsigned)o->schedule > TN_SCHEDULE_STEP)
        return trainer_fault(cx, DIAG_Usage, "there is no such schedule");
    if (o->leaves & (o->leaves - 1))
        return trainer_fault(cx, DIAG_Usage, "%llu lea%s: their number is a power of two",
                             (unsigned long long)o->leaves, plural_as(o->leaves, "f", "ves"));
    return TN_OK;
}

/* ---- the program of gradients ---- */

/* What tells two programs apart. */
tn_status trainer_hash(context *cx, const tn_module *m, uint64_t *hash)
{
    text_buffer text;
    text_init(&text, &cx->allocator);
    module_print(m->graph, &text);
    *hash = text.failed ? 0 : hash_bytes(0, text.at, text.n);
    const tn_status s = text.failed ? diag_no_memory(&cx->diag) : TN_OK;
    text_release(&text);
    return s;
}

bool trainer_is_called(const char *name, const tn_port *port, size_t position)
{
    char number[24];
    (void)snprintf(number, sizeof number, "%zu", position);
    return strcmp(name, port->name) == 0 || strcmp(name, number) == 0 ||
           (port->name[0] == '%' && strcmp(name, port->name + 1) == 0) || /* as in Core IR */
           (name[0] == '%' && strcmp(name + 1, port->name) == 0);
}

/* How many inputs NAME stands for: the one that is called so, or else those of a structure, as
 * "w.a" is one of "w". Their names go to AT, unless it is NULL. */
static size_t inputs_called(const tn_trainer *t, const char *name, const char **at)
{
    const size_t length = strlen(name);
    size_t n = 0;
    const bool is_one = api_find_input(t->module->graph, name) < t->n_in;
    for (size_t i = 0; !is_one && i < t->n_in; i++) {
        const char *whole = t->ports[i].name;
        if (strncmp(name, whole, length) != 0 || whole[length] != '.')
            continue;
        if (at)
            at[n] = whole;
        n++;
    }
    if (n == 0 && at)
        at[0] = name; /* also one that no input has, of which differentiation tells */
    return n > 0 ? n : 1;
}

/* Let O name the inputs that are trained one by one. */
static tn_status name_weights(tn_trainer *t, tn_train_options *o)
{
    size_t n = 0;
    for (size_t k = 0; k < o->n_wrt; k++)
        n += inputs_called(t, o->wrt[k], NULL);
    const char **names = ARENA_ARRAY(&t->memory, const char *, n);
    if (!names)
        return diag_no_memory(&t->cx->diag);
    n = 0;
    for (size_t k = 0; k < o->n_wrt; k++)
        n += inputs_called(t, o->wrt[k], names + n);
    o->wrt = names;
    o->n_wrt = t->n_weights = n;
    t->weights = ARENA_ARRAY(&t->memory, weight, n);
    return t->weights ? TN_OK : diag_no_memory(&t->cx->diag);
}

/* The inputs of the program as it was given, and which of them are trained. */
static tn_status find_ports(tn_trainer *t, tn_train_options *o)
{
    t->n_in = tn_module_input_count(t->module);
    t->ports = ARENA_ARRAY(&t->memory, tn_port, t->n_in);
    t->roles = ARENA_ARRAY(&t->memory, role, t->n_in);
    t->in = ARENA_ARRAY(&t->memory, tn_buffer, t->n_in);
    t->inputs = ARENA_ARRAY(&t->memory, loader_input, t->n_in);
    t->input_at = ARENA_ARRAY(&t->memory, size_t, t->n_in);
    if (t->memory.failed)
        return diag_no_memory(&t->cx->diag);
    for (size_t i = 0; i < t->n_in; i++)
        TN_TRY(tn_module_input(t->module, i, &t->ports[i]));
    TN_TRY(name_weights(t, o));
    for (size_t k = 0; k < o->n_wrt; k++) {
        const uint32_t i = api_find_input(t->module->graph, o->wrt[k]);
        if (i < t->n_in)
            t->roles[i] = ROLE_WEIGHT;
    }
    return TN_OK;
}

/* Give symbolic sizes their values: derivatives of means need them. */
static tn_status differentiate(tn_trainer *t, const tn_train_options *o)
{
    tn_module *bound, *gradient = NULL;
    tn_compile_options compile = t->compile;
    const tn_gradient_options g = {
        .size = sizeof g, .loss = o->loss, .wrt = o->wrt, .n_wrt = o->n_wrt};
    compile.bindings = NULL;
    compile.n_bindings = 0;
    t->loss = o->loss ? api_find_output(t->module->graph, o->loss) : 0;
    TN_TRY(tn_module_copy(t->module, &bound));
    tn_status s = trainer_bind_sizes(t, bound);
    if (s == TN_OK)
        s = tn_module_gradient(bound, &g, &gradient);
    tn_module_free(bound);
    if (s != TN_OK)
        return s;
    for (size_t k = 0; k < o->n_wrt; k++)
        (void)tn_module_gradient_at(gradient, k, &t->weights[k].input, &t->weights[k].output);
    tn_module_forget_gradients(gradient);
    s = trainer_hash(t->cx, gradient, &t->program_hash);
    if (s == TN_OK)
        s = tn_program_compile(gradient, &compile, &t->gradient);
    tn_module_free(gradient);
    return s;
}

/* The same inputs as the program of gradients has them. */
static tn_status find_gradients(tn_trainer *t)
{
    t->n_out = tn_program_output_count(t->gradient);
    t->out = ARENA_ARRAY(&t->memory, tn_buffer, t->n_out);
    t->weight_of = ARENA_ARRAY(&t->memory, size_t, t->n_out);
    bool *seen = ARENA_ARRAY(&t->memory, bool, t->n_in);
    if (!t->out || !t->weight_of || !seen)
        return diag_no_memory(&t->cx->diag);
    if (tn_program_input_count(t->gradient) != t->n_in)
        return trainer_fault(t->cx, DIAG_InternalError, "a gradient has other inputs");
    for (size_t i = 0; i < t->n_in; i++)
        TN_TRY(tn_program_input(t->gradient, i, &t->ports[i]));
    for (size_t k = 0; k < t->n_weights; k++) {
        weight *w = &t->weights[k];
        w->name = t->ports[w->input].name;
        t->weight_of[w->output] = 1 + k;
        if (seen[w->input])
            return trainer_fault(t->cx, DIAG_Usage, "the input '%s' is to be trained twice",
                                 w->name);
        seen[w->input] = true;
    }
    return TN_OK;
}

/* ---- all of it ---- */

static tn_status prepare(tn_trainer *t, const tn_module *program, tn_train_options *o)
{
    TN_TRY(tn_module_copy(program, &t->module));
    TN_TRY(options_list(&t->cx->diag, "bindings", t->compile.bindings, t->compile.n_bindings));
    if (o->init)
        TN_TRY(tn_tensor_file_open(t->cx, o->init, &t->init));
    TN_TRY(trainer_open_constants(t, o));
    TN_TRY(find_ports(t, o));
    TN_TRY(trainer_bind(t));
    TN_TRY(differentiate(t, o));
    TN_TRY(find_gradients(t));
    TN_TRY(trainer_start_weights(t));
    TN_TRY(trainer_make_rules(t, o->optimizer, o->update));
    return facts_begin(t);
}

tn_status tn_trainer_new(tn_context *cx, const tn_module *program, tn_dataset *data,
                         const tn_train_options *options, tn_trainer **out)
{
    tn_train_options o;
    *out = NULL;
    tn_status s = OPTIONS_READ(&cx->diag, tn_train_options, message_bytes, &o, options);
    if (s == TN_OK)
        s = check_options(cx, &o);
    tn_trainer *t = s == TN_OK ? memory_alloc(&cx->allocator, sizeof *t) : NULL;
    if (s == TN_OK && !t)
        s = diag_no_memory(&cx->diag);
    if (s != TN_OK)
        return context_done(cx, s);
    *t = (tn_trainer){.cx = cx, .data = data, .o = o};
    arena_init(&t->memory, &cx->allocator);
    t->transport.ranks = 1;
    if (o.transport)
        s = OPTIONS_READ(&cx->diag, tn_transport, concurrent, &t->transport, o.transport);
    if (t->transport.ranks == 0 || t->transport.rank >= t->transport.ranks)
        s = trainer_fault(cx, DIAG_Usage, "rank %u of %u rank%s", t->transport.rank,
                          t->transport.ranks, plural(t->transport.ranks));
    if (o.compile)
        (void)OPTIONS_READ(&cx->diag, tn_compile_options, plan_only, &t->compile, o.compile);
    t->compile.size = sizeof t->compile;
    t->compile.eager = true; /* there are many runs */
    t->folders = ARENA_ARRAY(&t->memory, own_folders, 1);
    if (s == TN_OK)
        s = t->folders ? prepare(t, program, &o) : diag_no_memory(&cx->diag);
    t->o.loss = t->o.init = NULL;
    t->o.wrt = NULL;
    if (ranks_leave(t, s) == TN_OK)
        *out = t;
    else
        tn_trainer_free(t);
    return context_done(cx, s);
}

void tn_trainer_free(tn_trainer *t)
{
    if (!t)
        return;
    const tn_allocator *memory = &t->cx->allocator;
    loader_free(t->loader);
    sums_free(t->sums);
    for (size_t k = 0; t->out && k < t->n_weights; k++)
        t->out[t->weights[k].output].data = NULL; /* in a block */
    for (size_t i = 0; t->out && i < t->n_out; i++)
        if (t->out[i].data)
            tn_buffer_release(t->gradient, &t->out[i]);
    for (size_t i = 0; i < t->n_nodes; i++)
        memory_free(memory, t->nodes[i].block, t->block);
    for (size_t i = 0; i < t->n_free; i++)
        memory_free(memory, t->free[i], t->block);
    for (size_t i = 0; i < t->n_rules; i++)
        tn_program_free(t->rules[i].program);
    tn_program_free(t->gradient);
    tn_program_free(t->forward);
    tn_module_free(t->module);
    tn_tensor_file_close(t->init);
    if (t->folders)
        VECTOR_RELEASE(memory, t->folders);
    arena_release(&t->memory);
    memory_free(memory, t, sizeof *t);
}

tn_status tn_trainer_get_info(const tn_trainer *t, tn_trainer_info *info)
{
    const tn_trainer_info now = {.batch = t->o.batch,
                                 .leaves = t->o.leaves,
                                 .samples = t->samples,
                                 .epoch = t->samples / t->o.batch,
                                 .steps = t->o.steps,
                                 .step = t->step};
    if (!OPTIONS_HAS_ROOM(tn_trainer_info, step, info))
        return TN_ERR_USAGE;
    OPTIONS_GIVE(tn_trainer_info, step, info, &now);
    return TN_OK;
}

bool tn_trainer_weight(const tn_trainer *t, size_t index, const char **name, tn_buffer *value)
{
    if (index >= t->n_weights)
        return false;
    *name = t->weights[index].name;
    *value = t->weights[index].value;
    return true;
}
