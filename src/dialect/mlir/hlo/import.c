/* From a text to a module: the function that is the program, its inputs and its outputs. */
#include <inttypes.h>
#include <stdio.h>

#include "base/text/text.h"
#include "base/text/utf8.h"
#include "dialect/mlir/hlo/shlo.h"
#include "dialect/mlir/mlir.h"

/* ---- which function ---- */

static mir_function *only(const mir_model *m, bool is_public)
{
    mir_function *found = NULL;
    for (uint32_t i = 0; i < m->functions.n; i++) {
        mir_function *f = m->functions.at[i];
        if (is_public && f->is_private)
            continue;
        if (found)
            return NULL;
        found = f;
    }
    return found;
}

static mir_function *entry_of(shlo_reader *r)
{
    const char *name = r->options->entry;
    mir_function *f = NULL;
    if (name) {
        f = mir_function_named(&r->model, (mir_text){name, strlen(name)});
        if (!f)
            (void)shlo_refuse_at(r, DIAG_Usage, "", NO_SPAN, "the text has no function '%.200s'",
                                 name);
    } else {
        f = mir_function_named(&r->model, (mir_text){"main", 4});
        f = f ? f : only(&r->model, false);
        f = f ? f : only(&r->model, true);
        if (!f && r->model.functions.n == 0)
            (void)shlo_refuse_at(r, DIAG_MissingOutputs, "", NO_SPAN, "the text has no function");
        else if (!f) {
            (void)shlo_refuse_at(r, DIAG_Usage, "", NO_SPAN,
                                 "the text has several functions, and none of them is '@main'");
            shlo_advise(r, arena_printf(&r->memory, "say which one is the program with %s",
                                        diag_setting_name(&r->m->cx->diag, SETTING_ENTRY)));
        }
    }
    if (f && !f->has_body) {
        (void)shlo_refuse_at(r, DIAG_UndefinedName, "", f->at, "the function '@%.*s' has no body",
                             MIR_TEXT(f->name));
        return NULL;
    }
    return f;
}

/* ---- outputs ---- */

/* V as outputs, the parts of a tuple one after the other. */
static bool add_output(shlo_reader *r, shlo_value *v, mir_text info, const char *name)
{
    function *f = module_entry(r->m);
    if (v->parts) {
        for (uint32_t i = 0; i < v->n_parts; i++) {
            shlo_value part = v->parts[i];
            const char *own = arena_printf(&r->memory, "%s.%" PRIu32, name, i);
            if (!own || !add_output(r, &part, (mir_text){0}, own))
                return false;
        }
        return true;
    }
    if (v->is_token)
        return true;
    const tn_value data = shlo_data_of(r, v);
    const char *own =
        info.n ? module_string(r->m, info.at, info.n) : module_string(r->m, name, strlen(name));
    if (!tn_is_value(data))
        return false;
    return (own && function_add_output(f, data.id) == TN_OK &&
            VECTOR_PUSH(r->m->allocator, &f->output_names, own)) ||
           shlo_no_memory(r);
}

static bool read_outputs(shlo_reader *r, const mir_function *f, shlo_value *results)
{
    char name[24];
    for (uint32_t k = 0; k < f->n_results; k++) {
        (void)snprintf(name, sizeof name, "output%" PRIu32, k);
        if (!add_output(r, &results[k], shlo_name_in(f->result_attrs, k, "jax.result_info"), name))
            return false;
    }
    return true;
}

/* The types that a function declares for its results. */
static bool check_results(shlo_reader *r, const mir_function *f, shlo_value *results)
{
    const mir_op *last = f->body.ops[f->body.n_ops - 1]; /* which returned them */
    for (uint32_t k = 0; k < f->n_results; k++) {
        const mir_type *declared = f->results[k];
        const shlo_value *v = &results[k];
        const type *t = shlo_value_type(r, v);
        if (!t)
            continue;
        bool same = declared->kind == MIR_TENSOR && mir_stored(declared) == t->dtype &&
                    declared->rank == t->rank &&
                    mir_quants_agree(last->in[k]->type->quant, declared->quant, false);
        for (uint32_t i = 0; same && i < t->rank; i++)
            same = declared->dims[i] == t->dims[i] || declared->dims[i] == MIR_UNKNOWN ||
                   dim_is_symbolic(t->dims[i]);
        if (!same)
            return shlo_refuse_at(r, DIAG_TypeMismatch, "", f->at,
                                  "result %u of '@%.*s' has the type %s, and %.*s is declared",
                                  (unsigned)k, MIR_TEXT(f->name),
                                  type_text(&r->memory, &r->m->types, t), MIR_TEXT(declared->text));
    }
    return true;
}

/* ---- the module ---- */

/* How many devices run the program, as its attributes say; without any, as many as there are. A
 * program of one device runs alone in each process. */
static bool find_devices(shlo_reader *r)
{
    enum { MOST = 64 };
    static const char *const names[] = {"mhlo.num_replicas", "mhlo.num_partitions"};
    uint32_t n[] = {1, 1};
    bool says = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const mir_attr *a = mir_attr_named(&r->model.attrs, names[i]);
        if (!a || a->kind != MIR_INT)
            continue;
        says = true;
        if (a->i < 1 || a->i > INT16_MAX)
            return shlo_refuse_at(r, DIAG_InvalidAttribute, "", NO_SPAN, "'%s' is %" PRId64,
                                  names[i], a->i);
        n[i] = (uint32_t)a->i;
    }
    const uint32_t ranks = r->options->processes, all = n[0] * n[1];
    if (ranks > 1 && says && all > 1 && all != ranks)
        return shlo_refuse_at(r, DIAG_InputMismatch, "", NO_SPAN,
                              "the program is for %u replica%s of %u partition%s, and %u processes "
                              "run it",
                              (unsigned)n[0], plural(n[0]), (unsigned)n[1], plural(n[1]),
                              (unsigned)ranks);
    r->n_ranks = ranks > 1 && (!says || all > 1) ? ranks : 1;
    if (r->n_ranks > MOST)
        return shlo_refuse_at(r, DIAG_LimitExceeded, "", NO_SPAN,
                              "%u processes run the program, and %d is the most",
                              (unsigned)r->n_ranks, MOST);
    r->all = (shlo_process){says ? n[0] : r->n_ranks, n[1], 0, 0};
    return true;
}

static bool read_program(shlo_reader *r)
{
    mir_function *f = find_devices(r) ? entry_of(r) : NULL;
    if (!f)
        return false;
    shlo_value *args = ARENA_ARRAY(&r->memory, shlo_value, f->body.n_args);
    shlo_value *results = ARENA_ARRAY(&r->memory, shlo_value, f->n_results);
    if (!args || !results)
        return shlo_no_memory(r);
    const bool has_inputs = shlo_inputs(r, f, args);
    if (r->no_memory || r->b.status != TN_OK || !shlo_function(r, f, args, results) || !has_inputs)
        return false;
    return r->options->checks || (check_results(r, f, results) && read_outputs(r, f, results));
}

/* ---- texts of other kinds ---- */

/* Where the magic number of MLIR's bytecode stands in the first bytes, or NULL. */
static const char *bytecode_in(const source *s)
{
    enum { LOOK_AT = 4096 };
    const size_t n = s->length < LOOK_AT ? s->length : LOOK_AT;
    for (size_t i = 0; i + 4 <= n; i++)
        if (memcmp(s->text + i, "ML\xEFR", 4) == 0)
            return s->text + i;
    return NULL;
}

static tn_status refuse_bytecode(const module *m, const char *at)
{
    const char *end = m->source.text + m->source.length, *p = at + 5;
    int n = 0;
    while (p + n < end && n < 64 && p[n] >= ' ' && p[n] < 127)
        n++;
    diag_channel *d = &m->cx->diag;
    const tn_status s =
        diag_report(d, DIAG_Bytecode, &m->source, NO_SPAN,
                    "this is bytecode of MLIR ('%.*s'), and text is read", n, p < end ? p : "");
    diag_fix(d, NO_SPAN, NULL,
             "convert it: `stablehlo-translate --deserialize FILE > FILE.mlir`, or in Python "
             "`jax.export.deserialize(data).mlir_module()`");
    return s;
}

/* ---- reading ---- */

tn_status shlo_open(shlo_reader *r, module *m, const read_options *options)
{
    *r = (shlo_reader){.m = m, .options = options, .b = {.cx = m->cx, .m = m, .at = NO_SPAN}};
    arena_init(&r->memory, m->allocator);
    const char *bytecode = bytecode_in(&m->source);
    if (bytecode)
        return refuse_bytecode(m, bytecode);
    const size_t bad = utf8_invalid_at(m->source.text, m->source.length);
    if (bad < m->source.length)
        return diag_report(&m->cx->diag, DIAG_InvalidUtf8, &m->source, (span){(uint32_t)bad, 1},
                           "the text is not UTF-8 at byte %zu (0x%02x)", bad,
                           (unsigned)(unsigned char)m->source.text[bad]);
    if (!shlo_index_rows(r))
        return module_no_memory(m);
    const uint32_t errors = r->n_errors = m->cx->diag.n_errors;
    if (mir_read(m->cx, &m->source, m->allocator, &r->memory, shlo_find_row, r, &r->model))
        return TN_OK;
    return m->cx->diag.n_errors > errors ? TN_ERR_REJECTED : module_no_memory(m);
}

void shlo_close(shlo_reader *r)
{
    mir_release(r->m->allocator, &r->model);
    hash_release(r->m->allocator, &r->row_index);
    VECTOR_RELEASE(r->m->allocator, &r->rows);
    VECTOR_RELEASE(r->m->allocator, &r->refusals.list);
    VECTOR_RELEASE(&r->m->cx->allocator, &r->b.scopes);
    hash_release(&r->m->cx->allocator, &r->b.inputs);
    arena_release(&r->memory);
}

static tn_status read_all(shlo_reader *r)
{
    module *m = r->m;
    if (!module_add_function(m, "main", 4) || !VECTOR_PUSH(&m->cx->allocator, &r->b.scopes, 0))
        return module_no_memory(m);
    const bool ok = read_program(r);
    if (r->no_memory)
        return module_no_memory(m);
    if (r->b.status == TN_ERR_NOMEM)
        return TN_ERR_NOMEM;
    TN_TRY(refusals_report(&r->refusals, &m->cx->diag, &m->source));
    if (!ok && m->cx->diag.n_errors == r->n_errors)
        return module_no_memory(m); /* or the time is up */
    return m->cx->diag.n_errors == r->n_errors ? TN_OK : TN_ERR_REJECTED;
}

tn_status stablehlo_read(module *m, const read_options *options)
{
    shlo_reader r;
    tn_status s = shlo_open(&r, m, options);
    if (s == TN_OK)
        s = read_all(&r);
    shlo_close(&r);
    return s;
}

bool stablehlo_looks_like(const char *text, size_t length)
{
    static const char *const begins[] = {
        "module ",       "module{", "module @",  "func.func ", "\"builtin.module\"",
        "\"func.func\"", "#loc",    "sdy.mesh ", "ML\xEFR",    "HloModule "};
    size_t at = 0;
    for (;;) {
        while (at < length && shlo_is_space(text[at]))
            at++;
        if (length - at < 2 || text[at] != '/' || text[at + 1] != '/')
            break;
        while (at < length && text[at] != '\n')
            at++;
    }
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        const size_t n = strlen(begins[i]);
        if (length - at > n && memcmp(text + at, begins[i], n) == 0)
            return true;
    }
    return false;
}
