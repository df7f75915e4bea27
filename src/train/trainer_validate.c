/* The loss and the right answers on data that nothing is learnt from. */
#include <math.h>
#include <string.h>

#include "base/context/options.h"
#include "base/text/text.h"
#include "train/trainer.h"

/* What one validation needs. */
typedef struct pass {
    tn_trainer *t;
    loader_input *inputs;
    uint64_t samples, most; /* at once */
    uint64_t *order;
    void *room;
    tn_buffer *in, *out;
    size_t n_out;
    size_t scores; /* the output; SIZE_MAX: none */
    size_t labels; /* which of the data inputs */
    arena memory;
} pass;

/* ---- scores and labels ---- */

static tn_status find_scores(pass *p, const char *name)
{
    tn_port port;
    p->scores = SIZE_MAX;
    for (size_t i = 0; name && p->scores == SIZE_MAX && i < p->n_out; i++) {
        TN_TRY(tn_program_output(p->t->forward, i, &port));
        if (trainer_is_called(name, &port, i))
            p->scores = i;
    }
    if (!name)
        return TN_OK;
    if (p->scores == SIZE_MAX)
        return trainer_fault(p->t->cx, DIAG_Usage, "the program has no output '%s'", name);
    if (port.type.rank != 2 || !dtype_is_float(port.type.dtype))
        return trainer_fault(p->t->cx, DIAG_Usage,
                             "scores are floats [samples, classes], which the output '%s' is not",
                             name);
    return TN_OK;
}

/* How many the scores of a sample are, or TN_DIM_UNKNOWN. The program of gradients, whose first
 * outputs are those of the forward one, has all sizes. */
static tn_status count_classes(const pass *p, int64_t *classes)
{
    tn_port scores;
    TN_TRY(tn_program_output(p->t->gradient, p->scores, &scores));
    *classes = scores.type.dims[1];
    return TN_OK;
}

/* Integers [samples], or numbers of the shape of the scores. */
static bool can_be_labels(const tn_type *t)
{
    return (t->rank == 1 && dtype_is_int(t->dtype)) ||
           (t->rank == 2 && (dtype_is_float(t->dtype) || dtype_is_int(t->dtype)));
}

/* As far as is known before a run: see count_right. */
static bool has_classes(const tn_type *t, int64_t classes)
{
    return t->rank != 2 || classes == TN_DIM_UNKNOWN || t->dims[1] == TN_DIM_UNKNOWN ||
           t->dims[1] == classes;
}

static bool can_be_labels_of(const tn_port *port, int64_t classes)
{
    return can_be_labels(&port->type) && has_classes(&port->type, classes);
}

/* Data input I. */
static const tn_port *data_port(const tn_trainer *t, size_t i)
{
    return &t->ports[t->input_at[i]];
}

static tn_status labels_named(pass *p, const char *name, int64_t classes)
{
    const tn_trainer *t = p->t;
    for (size_t i = 0; i < t->n_inputs; i++) {
        const tn_port *port = data_port(t, i);
        if (strcmp(name, port->name) != 0 || !can_be_labels(&port->type))
            continue;
        p->labels = i;
        return has_classes(&port->type, classes)
                   ? TN_OK
                   : trainer_fault(t->cx, DIAG_Usage, "scores and labels have different shapes");
    }
    return trainer_fault(t->cx, DIAG_Usage,
                         "labels are integers [samples] or rows of scores, which no data input "
                         "'%s' is",
                         name);
}

/* The only data input that can be the labels. */
static tn_status labels_unnamed(pass *p, int64_t classes)
{
    const tn_trainer *t = p->t;
    size_t n = 0;
    for (size_t i = 0; i < t->n_inputs; i++)
        if (can_be_labels_of(data_port(t, i), classes)) {
            p->labels = i;
            n++;
        }
    if (n == 1)
        return TN_OK;
    const tn_status s =
        trainer_fault(t->cx, DIAG_Usage,
                      "%s data input can be the labels, integers [samples] or rows of scores%s",
                      n == 0 ? "no" : "more than one", n == 0 ? "" : ": which one is it?");
    for (size_t i = 0; n > 0 && i < t->n_inputs; i++)
        if (can_be_labels_of(data_port(t, i), classes))
            diag_note(&t->cx->diag, NULL, NO_SPAN, "one is '%s'", data_port(t, i)->name);
    return s;
}

static tn_status find_labels(pass *p, const char *name)
{
    int64_t classes;
    if (p->scores == SIZE_MAX)
        return TN_OK;
    TN_TRY(count_classes(p, &classes));
    return name ? labels_named(p, name, classes) : labels_unnamed(p, classes);
}

/* The position of the first largest element of a row; -1: one of them is NaN, or there is none. */
static int64_t largest(tn_dtype d, const char *row, size_t n)
{
    double best = 0;
    int64_t at = -1;
    for (size_t i = 0; i < n; i++) {
        double x = 0;
        (void)dtype_cast(d, row + i * dtype_bytes(d), TN_F64, &x, 1);
        if (isnan(x))
            return -1;
        if (i == 0 || x > best) {
            best = x;
            at = (int64_t)i;
        }
    }
    return at;
}

static tn_status count_right(const pass *p, uint64_t n, uint64_t *right)
{
    const tn_buffer *scores = &p->out[p->scores];
    const tn_buffer *labels = &p->in[p->t->input_at[p->labels]];
    const size_t classes = (size_t)scores->type.dims[1];
    const size_t width = labels->type.rank == 2 ? (size_t)labels->type.dims[1] : 1;
    if (scores->type.dims[0] != (int64_t)n || (labels->type.rank == 2 && width != classes))
        return trainer_fault(p->t->cx, DIAG_Usage, "scores and labels have different shapes");
    for (uint64_t i = 0; i < n; i++) {
        const tn_dtype a = scores->type.dtype, b = labels->type.dtype;
        const char *row = (const char *)scores->data + i * classes * dtype_bytes(a);
        const char *label = (const char *)labels->data + i * width * dtype_bytes(b);
        int64_t want = 0;
        if (labels->type.rank == 1)
            (void)dtype_cast(b, label, TN_SI64, &want, 1);
        else
            want = largest(b, label, width);
        const int64_t found = largest(a, row, classes);
        *right += found >= 0 && found == want;
    }
    return TN_OK;
}

/* ---- runs ---- */

static tn_status run(pass *p, uint64_t begin, uint64_t n, tn_validation *v)
{
    const tn_trainer *t = p->t;
    dataset_fault fault;
    double loss;
    const tn_run_options o = {.size = sizeof o, .threads = t->compile.threads};
    for (uint64_t i = 0; i < n; i++)
        p->order[i] = begin + i;
    for (size_t i = 0; i < t->n_inputs; i++) {
        tn_buffer *b = &p->in[t->input_at[i]];
        b->type = trainer_leaf_type(&p->inputs[i], n);
        if (!dataset_read(p->inputs[i].column, p->order, (size_t)n, p->inputs[i].dtype, b->data,
                          p->room, &fault))
            return dataset_report(t->cx, &fault);
    }
    memset(p->out, 0, p->n_out * sizeof *p->out);
    TN_TRY(tn_program_run(t->forward, p->in, t->n_in, p->out, p->n_out, &o));
    (void)dtype_cast(p->out[t->loss].type.dtype, p->out[t->loss].data, TN_F64, &loss, 1);
    v->loss += loss * (double)n;
    v->samples += n;
    tn_status s = p->scores == SIZE_MAX ? TN_OK : count_right(p, n, &v->right);
    for (size_t i = 0; i < p->n_out; i++)
        tn_buffer_release(t->forward, &p->out[i]);
    return s;
}

static tn_status make_rooms(pass *p)
{
    const tn_trainer *t = p->t;
    p->order = ARENA_ARRAY(&p->memory, uint64_t, (size_t)p->most);
    p->in = ARENA_ARRAY(&p->memory, tn_buffer, t->n_in);
    p->out = ARENA_ARRAY(&p->memory, tn_buffer, p->n_out);
    uint64_t longest = 1;
    if (!p->in)
        return diag_no_memory(&t->cx->diag);
    memcpy(p->in, t->in, t->n_in * sizeof *p->in);
    for (size_t i = 0; i < t->n_inputs; i++) {
        tn_buffer *b = &p->in[t->input_at[i]];
        b->type = trainer_leaf_type(&p->inputs[i], p->most);
        TN_TRY(trainer_measure(t->cx, &b->type, &b->bytes));
        b->data = arena_alloc_aligned(&p->memory, b->bytes, 64);
        longest = p->inputs[i].column->row > longest ? p->inputs[i].column->row : longest;
    }
    p->room = arena_alloc_aligned(&p->memory, (size_t)longest, 64);
    return p->memory.failed ? diag_no_memory(&t->cx->diag) : TN_OK;
}

static tn_status validate(pass *p, const tn_dataset *data, tn_validation *v)
{
    tn_trainer *t = p->t;
    if (!t->forward)
        TN_TRY(tn_program_compile(t->module, &t->compile, &t->forward));
    p->n_out = tn_program_output_count(t->forward);
    p->most = t->o.batch / t->o.leaves;
    p->inputs = ARENA_ARRAY(&p->memory, loader_input, t->n_inputs);
    if (!p->inputs)
        return diag_no_memory(&t->cx->diag);
    TN_TRY(trainer_find_columns(t, data, p->inputs, &p->samples));
    TN_TRY(find_scores(p, v->scores));
    TN_TRY(find_labels(p, v->labels));
    if (p->samples == 0 || (p->samples < p->most && t->extent != TN_DIM_UNKNOWN))
        return trainer_fault(
            t->cx, DIAG_InputMismatch, "the data has %llu sample%s, fewer than a run of %llu",
            (unsigned long long)p->samples, plural(p->samples), (unsigned long long)p->most);
    if ((v->size == 0 || v->size >= OPTIONS_FIRST(tn_validation, only_check)) && v->only_check)
        return TN_OK;
    TN_TRY(make_rooms(p));
    v->samples = v->right = 0;
    v->loss = 0;
    for (uint64_t at = 0; at < p->samples; at += p->most) {
        const uint64_t n = p->samples - at < p->most ? p->samples - at : p->most;
        if (n < p->most && t->extent != TN_DIM_UNKNOWN)
            break;
        TN_TRY(run(p, at, n, v));
    }
    v->loss /= (double)v->samples;
    return TN_OK;
}

tn_status tn_trainer_validate(tn_trainer *t, const tn_dataset *data, tn_validation *v)
{
    pass p = {.t = t};
    if (v->size && v->size < OPTIONS_FIRST(tn_validation, loss))
        return context_done(t->cx, trainer_fault(t->cx, DIAG_Usage, "the size of the validation"));
    arena_init(&p.memory, &t->cx->allocator);
    const tn_status s = validate(&p, data, v);
    arena_release(&p.memory);
    return context_done(t->cx, s);
}
