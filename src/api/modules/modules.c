/* Modules: reading, checking and rewriting them. */
#include <inttypes.h>
#include <stdio.h>

#include "api/api.h"
#include "base/text/suggest.h"
#include "base/text/text.h"
#include "ops/infer.h"
#include "pass/conversions/differentiate.h"
#include "pass/pass.h"

/* ---- reading ---- */

static bool can_be_read(const dialect *d)
{
    return d->read;
}

static tn_status choose_dialect(context *cx, const tn_read_options *o, const source *s,
                                const dialect **out)
{
    if (o->dialect) {
        *out = dialect_by_name(o->dialect);
        if (*out)
            return TN_OK;
        tn_status status = dialect_unknown(&cx->diag, o->dialect);
        dialect_note_names(&cx->diag, can_be_read);
        return status;
    }
    *out = dialect_guess(s->name, s->text, s->length);
    if (*out)
        return TN_OK;
    return diag_report(&cx->diag, DIAG_Usage, s, NO_SPAN,
                       "neither the name nor the content tells the dialect of this text; %s names "
                       "it",
                       diag_setting_name(&cx->diag, SETTING_DIALECT));
}

/* Derivatives for readers whose language has them. */
static tn_status derive(module *m, const uint32_t *wrt, uint32_t n_wrt, bool core_only,
                        module **out)
{
    const dialect *d = dialect_by_name(m->dialect);
    grad_options options = {.wrt = wrt, .n_wrt = n_wrt, .style.core_only = core_only};
    options.style.spelling = d ? d->spelling : NULL;
    TN_TRY(pass_run(m, PASS_CANONICALIZE, false, NULL));
    return differentiate(m, &options, out);
}

/* The function NAME becomes the entry; NULL: that which is. */
static tn_status select_entry(module *m, const char *name)
{
    if (!name)
        return TN_OK;
    suggestion like;
    suggest_begin(&like, name, strlen(name));
    for (uint32_t i = 0; i < m->functions.n; i++) {
        const function *f = m->functions.at[i];
        if (f->is_region)
            continue;
        if (strcmp(f->name, name) == 0) {
            m->entry = i;
            return TN_OK;
        }
        suggest_name(&like, f->name, strlen(f->name));
    }
    tn_status s = diag_report(&m->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                              "the program has no function '%s'", name);
    diag_note(&m->cx->diag, NULL, NO_SPAN, "it has '%s'", module_entry(m)->name);
    suggest_fix(&like, &m->cx->diag, NO_SPAN, "");
    return s;
}

/* Let M hold the block that its text is in, and give back what ROOM held of it. */
static tn_status own_text(module *m, text_room *room)
{
    const bool held = !room->block || module_hold(m, room->block);
    payload_drop(room->block);
    m->text_block = room->block;
    m->own_text = room->own;
    return held ? TN_OK : module_no_memory(m);
}

tn_status api_check_known(context *cx, const char *what, const tn_known_input *known, size_t n,
                          bool needs_data)
{
    TN_TRY(options_list(&cx->diag, what, known, n));
    for (size_t i = 0; i < n; i++) {
        const tn_buffer *b = known[i].value;
        size_t bytes;
        const char *fault = !known[i].name || !b                   ? "has no name or no value"
                            : !public_type_bytes(&b->type, &bytes) ? "has no valid type"
                            : needs_data && (b->bytes < bytes || (bytes && !b->data))
                                ? "has fewer bytes than its type needs"
                                : NULL;
        if (fault)
            return diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN, "entry %zu of '%s' %s", i,
                               what, fault);
    }
    return TN_OK;
}

/* Behind the faults of a file whose text, not its name, told the dialect D. */
static void note_guess(const module *m, const tn_read_options *o, const dialect *d)
{
    const char *name = m->source.name;
    if (!o->dialect && name[0] != '<' && dialect_guess(name, "", 0) != d)
        diag_note(&m->cx->diag, NULL, NO_SPAN,
                  "the text looks like %s, and was read as that; %s names another dialect", d->name,
                  diag_setting_name(&m->cx->diag, SETTING_DIALECT));
}

static tn_status check_lists(diag_channel *d, const tn_read_options *o)
{
    TN_TRY(options_list(d, "inputs", o->inputs, o->n_inputs));
    TN_TRY(options_list(d, "bindings", o->bindings, o->n_bindings));
    TN_TRY(options_list(d, "shapes", o->shapes, o->n_shapes));
    return options_list(d, "results", o->results, o->n_results);
}

tn_status api_read_text(module *m, const tn_read_options *o, const char *shown,
                        struct check_list *checks)
{
    const dialect *d = NULL;
    m->source.name = arena_copy_text(&m->arena, shown, strlen(shown));
    if (!m->source.name)
        return module_no_memory(m);
    TN_TRY(check_lists(&m->cx->diag, o));
    TN_TRY(api_check_known(m->cx, "known", o->known, o->n_known, true));
    TN_TRY(api_check_known(m->cx, "weights", o->weights, o->n_weights, true));
    TN_TRY(choose_dialect(m->cx, o, &m->source, &d));
    m->source.code_of = d->code_of;
    m->source.number = context_new_text(m->cx);
    m->dialect = d->name;
    if (!d->read)
        return diag_report(&m->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                           "programs can be written to '%s' but not read from it", d->name);
    if (o->n_results && !d->takes_results)
        return diag_report(&m->cx->diag, DIAG_Usage, NULL, NO_SPAN,
                           "results inside of a program can be named in ONNX models only, not in "
                           "'%s'",
                           d->name);
    read_options options = {
        .profile = o->profile == TN_PROFILE_CORE_V1 ? PROFILE_CORE_V1 : PROFILE_EXTENDED,
        .slice_clamp = o->slice_negative == TN_SLICE_CLAMP,
        .strict = o->strict,
        .max_pieces = o->max_pieces,
        .entry = o->entry,
        .inputs = o->inputs,
        .n_inputs = o->n_inputs,
        .differentiate = derive,
        .bindings = o->bindings,
        .n_bindings = o->n_bindings,
        .known = o->known,
        .n_known = o->n_known,
        .external = o->external,
        .external_user = o->external_user,
        .shapes = o->shapes,
        .n_shapes = o->n_shapes,
        .weights = o->weights,
        .n_weights = o->n_weights,
        .processes = o->processes,
        .checks = checks,
        .results = o->results,
        .n_results = o->n_results,
    };
    const tn_status status = d->read(m, &options);
    m->own_text = NULL; /* from now on what was read may be elsewhere too */
    if (status == TN_ERR_REJECTED)
        note_guess(m, o, d);
    TN_TRY(status);
    api_note_sizes(m);
    if (!d->lowers_to)
        return select_entry(m, o->entry);
    m->dialect = d->lowers_to;
    m->lowered_from = d->name;
    return pass_run(m, PASS_TIDY, false, NULL); /* weights stay what may be trained */
}

/* Wrap M, or free it when S says that it did not come about. */
static tn_status finish_read(context *cx, module *m, tn_status s, tn_module **out)
{
    if (s == TN_OK) {
        *out = memory_alloc(&cx->allocator, sizeof **out);
        if (*out)
            (*out)->graph = m;
        else
            s = diag_no_memory(&cx->diag);
    }
    if (s != TN_OK)
        module_free(m);
    return context_done(cx, s);
}

tn_status tn_module_read(tn_context *cx, const tn_read_options *options, const char *text,
                         size_t length, tn_module **out)
{
    tn_read_options o;
    *out = NULL;
    if (OPTIONS_READ(&cx->diag, tn_read_options, n_results, &o, options) != TN_OK)
        return context_done(cx, TN_ERR_USAGE);
    if (length >= UINT32_MAX)
        return context_done(cx, diag_report(&cx->diag, DIAG_LimitExceeded, NULL, NO_SPAN,
                                            "a text of %zu byte%s; programs must be below 4 GiB",
                                            length, plural(length)));
    if (length && !text)
        return context_done(cx,
                            diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN, "the text is NULL"));
    module *m = module_new(cx);
    if (!m)
        return context_done(cx, diag_no_memory(&cx->diag));
    text_room room = {.arena = &m->arena, .may_block = true};
    char *copy = text_room_for(cx, &room, length);
    if (copy && length)
        memcpy(copy, text, length);
    m->source.text = copy;
    m->source.length = length;
    tn_status s = copy ? own_text(m, &room) : module_no_memory(m);
    if (s == TN_OK)
        s = api_read_text(m, &o, o.file ? o.file : "<memory>", NULL);
    return finish_read(cx, m, s, out);
}

tn_status tn_module_read_file(tn_context *cx, const tn_read_options *options, const char *path,
                              tn_module **out)
{
    tn_read_options o;
    *out = NULL;
    if (OPTIONS_READ(&cx->diag, tn_read_options, n_results, &o, options) != TN_OK)
        return context_done(cx, TN_ERR_USAGE);
    if (!path)
        return context_done(cx,
                            diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN, "the path is NULL"));
    module *m = module_new(cx);
    if (!m)
        return context_done(cx, diag_no_memory(&cx->diag));
    const char *shown = o.file ? o.file : strcmp(path, "-") == 0 ? "<stdin>" : path;
    text_room room = {.arena = &m->arena, .may_block = true};
    tn_status s = text_file_read(cx, &room, path, &m->source.text, &m->source.length);
    const tn_status owned = own_text(m, &room);
    if (s == TN_OK)
        s = owned;
    if (s == TN_OK)
        s = api_read_text(m, &o, shown, NULL);
    return finish_read(cx, m, s, out);
}

tn_status tn_module_copy(const tn_module *m, tn_module **copy)
{
    context *cx = m->graph->cx;
    *copy = memory_alloc(&cx->allocator, sizeof **copy);
    module *graph = *copy ? module_copy(m->graph) : NULL;
    if (graph) {
        (*copy)->graph = graph;
        return TN_OK;
    }
    memory_free(&cx->allocator, *copy, sizeof **copy);
    *copy = NULL;
    return context_done(cx, diag_no_memory(&cx->diag));
}

void tn_module_free(tn_module *m)
{
    if (!m)
        return;
    context *cx = m->graph->cx;
    module_free(m->graph);
    memory_free(&cx->allocator, m, sizeof *m);
}

/* ---- the entry ---- */

/* Random numbers depend on how many functions stand before theirs: docs/numerics.md, 11. */
static void tell_of_generators(const module *m)
{
    const function *f = module_entry(m);
    for (uint32_t i = 0; m->entry > 0 && i < f->nodes.n; i++)
        if (op_table[f->nodes.at[i].op].traits & T_UNSTABLE) {
            diag_warn(&m->cx->diag, DIAG_Advice, &m->source, f->nodes.at[i].at,
                      "without the functions before it '%s' draws other random numbers", f->name);
            return;
        }
}

/* Drop all functions but the entry and, where they belong to it, regions. */
static void drop_others(module *m)
{
    const function *entry = module_entry(m);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->functions.n; i++)
        if (m->functions.at[i]->is_region && !entry->is_region)
            return; /* regions are named by their place */
    tell_of_generators(m);
    for (uint32_t i = 0; i < m->functions.n; i++) {
        function *f = m->functions.at[i];
        if (f == entry)
            m->functions.at[kept++] = f;
        else
            function_release(f);
    }
    m->functions.n = kept;
    m->entry = 0;
}

tn_status tn_module_select_entry(tn_module *m, const char *name, bool only)
{
    const tn_status s = select_entry(m->graph, name);
    if (s == TN_OK && only)
        drop_others(m->graph);
    return context_done(m->graph->cx, s);
}

/* ---- checking and rewriting ---- */

tn_status tn_module_verify(tn_module *m)
{
    return context_done(m->graph->cx, module_verify(m->graph, NULL));
}

/* Hands the internal observer's calls to the public one. */
typedef struct observer_bridge {
    const tn_module *m;
    const tn_pass_observer *to;
} observer_bridge;

static void after_pass(void *user, const module *m, pass_id id, uint32_t n_changed)
{
    const observer_bridge *b = user;
    (void)m;
    b->to->after(b->to->user, b->m, pass_table[id].name, n_changed);
}

/* The next name of a comma-separated list; false at the end. Empty entries are names too. */
static bool next_name(const char **list, const char **name, size_t *length)
{
    if (!*list)
        return false;
    const char *comma = strchr(*list, ',');
    *name = *list;
    *length = comma ? (size_t)(comma - *list) : strlen(*list);
    *list = comma ? comma + 1 : NULL;
    return true;
}

static tn_status unknown_pass(context *cx, const char *name, size_t n)
{
    suggestion like;
    suggest_begin(&like, name, n);
    for (int i = 0; i < PASS_COUNT; i++)
        suggest_name(&like, pass_table[i].name, strlen(pass_table[i].name));
    const tn_status status = diag_report(
        &cx->diag, DIAG_Usage, NULL, NO_SPAN, "there is no pass called '%.*s'; %s lists them",
        n < 100 ? (int)n : 100, name, diag_setting_name(&cx->diag, SETTING_PASSES));
    suggest_fix(&like, &cx->diag, NO_SPAN, "");
    return status;
}

static tn_status check_passes(context *cx, const char *passes)
{
    const char *name;
    size_t n;
    while (next_name(&passes, &name, &n))
        if (pass_by_name(name, n) == PASS_COUNT)
            return unknown_pass(cx, name, n);
    return TN_OK;
}

tn_status tn_module_run_passes(tn_module *m, const char *passes, const tn_pass_observer *observer)
{
    context *cx = m->graph->cx;
    observer_bridge bridge = {m, observer};
    pass_observer inner = {after_pass, &bridge};
    tn_status s = check_passes(cx, passes);
    const char *name;
    size_t n;
    while (s == TN_OK && next_name(&passes, &name, &n))
        s = pass_run(m->graph, pass_by_name(name, n), true, observer ? &inner : NULL);
    return context_done(cx, s);
}

static tn_status optimize(tn_module *m, tn_level level, bool relaxed,
                          const tn_pass_observer *observer)
{
    context *cx = m->graph->cx;
    observer_bridge bridge = {m, observer};
    pass_observer inner = {after_pass, &bridge};
    if ((unsigned)level > TN_LEVEL_2)
        return context_done(cx, diag_report(&cx->diag, DIAG_Usage, NULL, NO_SPAN,
                                            "%d is no level of optimisation", (int)level));
    return context_done(
        cx, pass_run_level(m->graph, api_level(level), relaxed, true, observer ? &inner : NULL));
}

tn_status tn_module_optimize(tn_module *m, tn_level level, const tn_pass_observer *observer)
{
    return optimize(m, level, false, observer);
}

tn_status tn_module_optimize_relaxed(tn_module *m, tn_level level, const tn_pass_observer *observer)
{
    return optimize(m, level, true, observer);
}
