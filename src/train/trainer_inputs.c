/* What each input of the program gets, and the sizes that follow from it. */
#include <stdio.h>
#include <string.h>

#include "base/text/text.h"
#include "io/array.h"
#include "io/input.h"
#include "train/trainer.h"

enum { MOST_LEAVES = 16 /* where the caller leaves it open */ };

tn_status trainer_measure(context *cx, const tn_type *type, size_t *bytes)
{
    array a = {.dtype = type->dtype, .rank = type->rank};
    memcpy(a.dims, type->dims, a.rank * sizeof a.dims[0]);
    if (array_measure(&a, bytes) && *bytes <= cx->limits.run_bytes)
        return TN_OK;
    return trainer_fault(cx, DIAG_AllocationFailure,
                         "a tensor is larger than the limit run_bytes=%llu",
                         (unsigned long long)cx->limits.run_bytes);
}

/* ---- data ---- */

tn_type trainer_leaf_type(const loader_input *in, uint64_t n)
{
    tn_type t = in->column->type;
    t.dtype = in->dtype;
    t.dims[0] = (int64_t)n;
    return t;
}

/* The extents of a sample of T, such as [3, ?]. */
typedef struct extents {
    char text[256];
} extents;

static extents extents_of(const tn_type *t)
{
    extents e;
    size_t n = (size_t)snprintf(e.text, sizeof e.text, "[");
    for (uint32_t k = 1; k < t->rank && n < sizeof e.text - 32; k++) {
        const char *before = k > 1 ? ", " : "";
        n += (size_t)(t->dims[k] == TN_DIM_UNKNOWN
                          ? snprintf(e.text + n, 32, "%s?", before)
                          : snprintf(e.text + n, 32, "%s%lld", before, (long long)t->dims[k]));
    }
    (void)snprintf(e.text + n, 2, "]");
    return e;
}

/* May the samples of C be those of the input PORT? */
static tn_status check_column(const tn_trainer *t, const tn_port *port, const column *c)
{
    const tn_type *want = &port->type, *have = &c->type;
    if (want->rank == 0)
        return trainer_fault(t->cx, DIAG_InputMismatch,
                             "the input '%s' is a scalar, but the data has samples for it",
                             port->name);
    bool same = want->rank == have->rank;
    for (uint32_t k = 1; same && k < want->rank; k++)
        same = want->dims[k] == TN_DIM_UNKNOWN || want->dims[k] == have->dims[k];
    if (!same)
        return trainer_fault(t->cx, DIAG_InputMismatch,
                             "the samples of '%s' have another shape than its input: %s, where %s "
                             "is wanted",
                             port->name, extents_of(have).text, extents_of(want).text);
    if (!dataset_converts(have->dtype, want->dtype))
        return trainer_fault(t->cx, DIAG_InputMismatch,
                             "the data of '%s' is %s, which does not become %s without loss",
                             port->name, dtype_name(have->dtype), dtype_name(want->dtype));
    return TN_OK;
}

tn_status trainer_find_columns(const tn_trainer *t, const tn_dataset *data, loader_input *inputs,
                               uint64_t *samples)
{
    const column *first = NULL;
    for (size_t i = 0; i < t->n_inputs; i++) {
        const tn_port *port = &t->ports[t->input_at[i]];
        const column *c = dataset_column(data, port->name);
        if (!c)
            return trainer_fault(t->cx, DIAG_MissingInput, "the data has no '%s'", port->name);
        TN_TRY(check_column(t, port, c));
        if (first && first->samples != c->samples)
            return trainer_fault(t->cx, DIAG_InputMismatch,
                                 "the data has %llu sample%s of '%s', but %llu of '%s'",
                                 (unsigned long long)first->samples, plural(first->samples),
                                 first->name, (unsigned long long)c->samples, c->name);
        first = first ? first : c;
        inputs[i] = (loader_input){.column = c, .dtype = port->type.dtype};
    }
    *samples = first ? first->samples : 0;
    return TN_OK;
}

void trainer_note_columns(const tn_trainer *t)
{
    for (uint32_t i = 0; i < t->data->columns.n && i < 6; i++) {
        const char *name = t->data->columns.at[i].name;
        const io_text shown = io_printable(name, strlen(name));
        diag_note(&t->cx->diag, NULL, NO_SPAN, "the data has '%s'", shown.text);
    }
}

/* Extents of the inputs that are symbols with a binding. */
static tn_status bind_extents(tn_trainer *t)
{
    for (size_t i = 0; i < t->n_in; i++) {
        tn_type *type = &t->ports[i].type;
        for (uint32_t k = 0; k < type->rank; k++) {
            const char *text = tn_module_input_extent(t->module, i, k);
            if (!text)
                return TN_ERR_NOMEM;
            for (size_t b = 0; b < t->compile.n_bindings; b++)
                if (type->dims[k] == TN_DIM_UNKNOWN && t->compile.bindings[b].extent >= 0 &&
                    strcmp(text, t->compile.bindings[b].symbol) == 0)
                    type->dims[k] = t->compile.bindings[b].extent;
        }
    }
    return TN_OK;
}

/* All inputs that the data has, and that are not trained. */
static tn_status find_data(tn_trainer *t)
{
    t->extent = TN_DIM_UNKNOWN;
    for (size_t i = 0; i < t->n_in; i++) {
        const tn_type *type = &t->ports[i].type;
        if (t->roles[i] == ROLE_WEIGHT || !dataset_column(t->data, t->ports[i].name))
            continue;
        t->roles[i] = ROLE_DATA;
        t->input_at[t->n_inputs++] = i;
        const int64_t extent = type->rank > 0 ? type->dims[0] : TN_DIM_UNKNOWN;
        if (extent == TN_DIM_UNKNOWN)
            continue;
        if (t->extent != TN_DIM_UNKNOWN && t->extent != extent)
            return trainer_fault(t->cx, DIAG_InputMismatch,
                                 "the program takes %lld sample%s of one input and %lld of '%s'",
                                 (long long)t->extent, plural((uint64_t)((long long)t->extent)),
                                 (long long)extent, t->ports[i].name);
        t->extent = extent;
    }
    if (t->n_inputs == 0) {
        const tn_status s = trainer_fault(t->cx, DIAG_MissingInput,
                                          "no tensor of the data is called as an input is");
        trainer_note_columns(t);
        for (size_t i = 0, shown = 0; i < t->n_in && shown < 6; i++)
            if (t->roles[i] != ROLE_WEIGHT && ++shown)
                diag_note(&t->cx->diag, NULL, NO_SPAN, "the program has the input '%s'",
                          t->ports[i].name);
        return s;
    }
    return trainer_find_columns(t, t->data, t->inputs, &t->samples);
}

/* ---- sizes ---- */

/* The largest power of two that divides N, at most MOST. */
static uint64_t leaves_of(uint64_t n, uint64_t most)
{
    uint64_t leaves = 1;
    while (leaves < most && n % (leaves * 2) == 0)
        leaves *= 2;
    return leaves;
}

/* A program of fixed extents says how many samples a leaf has. */
static tn_status fix_leaves(tn_trainer *t)
{
    tn_train_options *o = &t->o;
    const uint64_t leaf = (uint64_t)t->extent;
    if (leaf == 0)
        return trainer_fault(t->cx, DIAG_Usage, "the program takes no sample");
    if (o->batch == 0 && __builtin_mul_overflow(leaf, o->leaves ? o->leaves : 1, &o->batch))
        return trainer_fault(t->cx, DIAG_Usage, "the batch is too large");
    if (o->leaves == 0 && o->batch % leaf == 0)
        o->leaves = o->batch / leaf;
    if (o->leaves == 0 || o->leaves & (o->leaves - 1) || o->batch % o->leaves != 0 ||
        o->batch / o->leaves != leaf)
        return trainer_fault(
            t->cx, DIAG_Usage,
            "the program takes %llu sample%s in a run: the batch is that times the "
            "number of leaves, a power of two",
            (unsigned long long)leaf, plural(leaf));
    return TN_OK;
}

static tn_status fix_sizes(tn_trainer *t)
{
    tn_train_options *o = &t->o;
    if (t->extent != TN_DIM_UNKNOWN)
        TN_TRY(fix_leaves(t));
    if (o->batch == 0) {
        diag_channel *d = &t->cx->diag;
        const tn_status s = trainer_fault(
            t->cx, DIAG_Usage, "the program takes any number of samples: how many are a batch?");
        diag_fix(d, NO_SPAN, NULL, "say it (%s)", diag_setting_name(d, SETTING_BATCH));
        return s;
    }
    if (o->leaves == 0)
        o->leaves = leaves_of(o->batch, MOST_LEAVES);
    if (o->batch % o->leaves != 0)
        return trainer_fault(t->cx, DIAG_Usage,
                             "a batch of %llu sample%s cannot be cut into %llu lea%s",
                             (unsigned long long)o->batch, plural(o->batch),
                             (unsigned long long)o->leaves, plural_as(o->leaves, "f", "ves"));
    if (t->samples < o->batch)
        return trainer_fault(
            t->cx, DIAG_InputMismatch, "the data has %llu sample%s, fewer than a batch of %llu",
            (unsigned long long)t->samples, plural(t->samples), (unsigned long long)o->batch);
    o->epochs = o->epochs ? o->epochs : 1;
    if (o->steps == 0 && __builtin_mul_overflow(o->epochs, t->samples / o->batch, &o->steps))
        return trainer_fault(t->cx, DIAG_Usage, "there are too many steps");
    return TN_OK;
}

tn_status trainer_bind(tn_trainer *t)
{
    if (t->compile.n_bindings > 0)
        TN_TRY(bind_extents(t));
    TN_TRY(find_data(t));
    TN_TRY(fix_sizes(t));
    for (size_t i = 0; i < t->n_inputs; i++) {
        const tn_type type = trainer_leaf_type(&t->inputs[i], t->o.batch / t->o.leaves);
        TN_TRY(trainer_measure(t->cx, &type, &t->inputs[i].bytes));
        t->in[t->input_at[i]] = (tn_buffer){.bytes = t->inputs[i].bytes, .type = type};
    }
    return TN_OK;
}

/* ---- symbolic sizes ---- */

typedef struct sizes {
    tn_binding *at;
    size_t n;
} sizes;

/* The symbol TEXT has this value, unless it has one already. What is no symbol is passed over. */
static void add_size(const tn_module *m, sizes *list, const char *text, int64_t extent)
{
    bool is_symbol = false;
    const char *symbol;
    for (size_t i = 0; !is_symbol && (symbol = tn_module_symbol(m, i)); i++)
        is_symbol = strcmp(symbol, text) == 0;
    for (size_t i = 0; i < list->n; i++)
        is_symbol = is_symbol && strcmp(list->at[i].symbol, text) != 0;
    if (is_symbol)
        list->at[list->n++] = (tn_binding){text, extent};
}

/* Those of the inputs whose tensors are known: data, and what the file of first values has. */
static tn_status add_sizes(const tn_trainer *t, const tn_module *m, sizes *list)
{
    for (size_t i = 0; i < t->n_in; i++) {
        tn_type type = t->in[i].type;
        size_t at;
        if (t->roles[i] != ROLE_DATA) {
            if (!t->init || !tn_tensor_file_find(t->init, t->ports[i].name, &at))
                continue;
            TN_TRY(tn_tensor_file_type(t->init, at, &type));
        }
        for (uint32_t k = 0; type.rank == t->ports[i].type.rank && k < type.rank; k++) {
            const char *text = tn_module_input_extent(m, i, k);
            if (!text)
                return TN_ERR_NOMEM;
            add_size(m, list, text, type.dims[k]);
        }
    }
    return TN_OK;
}

tn_status trainer_bind_sizes(const tn_trainer *t, tn_module *m)
{
    arena memory;
    size_t n = t->compile.n_bindings, symbols = 0;
    while (tn_module_symbol(m, symbols))
        symbols++;
    arena_init(&memory, &t->cx->allocator);
    sizes list = {ARENA_ARRAY(&memory, tn_binding, n + symbols), n};
    tn_status s = list.at ? TN_OK : diag_no_memory(&t->cx->diag);
    if (s == TN_OK && n > 0)
        memcpy(list.at, t->compile.bindings, n * sizeof *list.at);
    if (s == TN_OK)
        s = add_sizes(t, m, &list);
    if (s == TN_OK && symbols > 0)
        s = tn_module_bind(m, list.at, list.n);
    arena_release(&memory);
    return s;
}
