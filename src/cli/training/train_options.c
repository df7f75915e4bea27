/* The options of `tenon train`. */
#include <string.h>
#include <unistd.h>

#include "cli/training/train.h"

enum {
    OPTION_LOSS = OPTION_OWN,
    OPTION_WRT,
    OPTION_DATA,
    OPTION_BATCH,
    OPTION_EPOCHS,
    OPTION_STEPS,
    OPTION_OPTIMIZER,
    OPTION_RATE,
    OPTION_SCHEDULE,
    OPTION_WARMUP,
    OPTION_DECAY,
    OPTION_MOMENTUM,
    OPTION_CLIP,
    OPTION_UPDATE,
    OPTION_SHOW,
    OPTION_INVALID,
    OPTION_SEED,
    OPTION_LEAVES,
    OPTION_INIT,
    OPTION_VALIDATE,
    OPTION_METRIC,
    OPTION_CHECKPOINT,
    OPTION_EVERY,
    OPTION_KEEP,
    OPTION_RESUME,
    OPTION_OUTPUT,
    OPTION_LOG,
    OPTION_STEP_TIMEOUT,
    OPTION_DIM,
    OPTION_LEVEL,
    OPTION_ENGINE,
    OPTION_THREADS,
    OPTION_CPU,
    OPTION_MEMORY,
    OPTION_RECOMPUTE
};

const option train_option_list[] = {
    {OPTION_LOSS, "--loss", "INDEX|NAME", "the output to make small (the first)"},
    {OPTION_WRT, "--wrt", "A,B", "the inputs that are trained: the weights"},
    {OPTION_DATA, "--data", "PATH",
     "inputs by name, samples first: .npz, .safetensors, .npy (or NAME=X.npy), a folder of them"},
    {OPTION_BATCH, "--batch", "N", "samples of a step"},
    {OPTION_EPOCHS, "--epochs", "N", "passes over the data (1)"},
    {OPTION_STEPS, "--steps", "N", "steps, instead of epochs"},
    {OPTION_OPTIMIZER, "--optimizer", "NAME", "sgd, momentum, adam (adam) or adamw"},
    {OPTION_RATE, "--lr", "X", "the learning rate (0.001)"},
    {OPTION_SCHEDULE, "--schedule", "constant|cosine|step",
     "how the rate goes on: cosine to 0; step to a tenth at half, a hundredth at three quarters"},
    {OPTION_WARMUP, "--warmup", "N", "steps in which the rate grows to its full height"},
    {OPTION_DECAY, "--weight-decay", "X", "how strongly weights are drawn to 0 (0)"},
    {OPTION_MOMENTUM, "--momentum", "X", "of momentum (0.9)"},
    {OPTION_CLIP, "--clip-norm", "X", "scale longer gradients to this norm"},
    {OPTION_UPDATE, "--update", "FILE",
     "the program that changes weights, instead of an optimizer"},
    {OPTION_SHOW, "--show-update", NULL, "print that program and end"},
    {OPTION_INVALID, "--invalid", "stop|skip",
     "what a loss or gradient that is NaN or infinite does"},
    {OPTION_SEED, "--seed", "N", "of weights, order and random generators (0)"},
    {OPTION_LEAVES, "--leaves", "N",
     "parts of a batch, whose gradients one tree adds (at most 16)"},
    {OPTION_INIT, "--init", "FILE", "first values of weights, and of inputs that are no data"},
    {OPTION_VALIDATE, "--validate", "PATH", "data to judge by after each epoch, as --data"},
    {OPTION_METRIC, "--metric", "accuracy=SCORES[:LABELS]",
     "count the largest scores that are at the label"},
    {OPTION_CHECKPOINT, "--checkpoint", "DIR", "write checkpoints there"},
    {OPTION_EVERY, "--every", "K", "steps from one checkpoint to the next; else only at the end"},
    {OPTION_KEEP, "--keep", "M", "how many checkpoints stay (3)"},
    {OPTION_RESUME, "--resume", NULL, "go on from the newest checkpoint, if there is one"},
    {OPTION_OUTPUT, "--output", "FILE", "the weights: .safetensors, .npz or .npy"},
    {OPTION_LOG, "--log", "FILE", "a line of JSON for each step"},
    {OPTION_STEP_TIMEOUT, "--step-timeout", "SECONDS",
     "give up when a step computes for longer, such as in a loop that does not end"},
    {OPTION_MEMORY, "--memory", "BYTES",
     "what a run of the gradients may hold of values, such as 500M: some are computed again"},
    {OPTION_RECOMPUTE, "--recompute", "none|auto",
     "auto: as --memory of half the machine's memory, where that is not given"},
    {OPTION_DIM, "--dim", "SYM=N", "the value of a symbolic size"},
    {OPTION_LEVEL, "-O", "0|1|2", "passes before running: none, exact ones, all (2)"},
    {OPTION_ENGINE, "--engine", "jit|ref", "what runs it; never changes a result"},
    {OPTION_THREADS, "--threads", "N", "threads to use; never changes a result"},
    {OPTION_CPU, "--cpu", "NAME", "the processor that machine code is for (native)"},
    {0},
};

/* A number of at least 1. */
static tn_status read_count(session *s, const char *name, const char *text, uint64_t *number)
{
    int64_t n;
    TN_TRY(read_number(s, name, text, 1, INT64_MAX, &n));
    *number = (uint64_t)n;
    return TN_OK;
}

/* Bytes, as 1000000, 500M or 2G. */
static tn_status read_memory(session *s, const char *text, uint64_t *bytes)
{
    static const char units[] = "KMG";
    const size_t n = strlen(text);
    const char *unit = n > 1 ? strchr(units, text[n - 1]) : NULL;
    char number[24];
    int64_t value;
    if (unit && n <= sizeof number) {
        memcpy(number, text, n - 1);
        number[n - 1] = '\0';
        TN_TRY(read_number(s, "--memory", number, 1, INT64_MAX >> 30, &value));
        *bytes = (uint64_t)value << (10 * (unit - units + 1));
        return TN_OK;
    }
    return read_count(s, "--memory", text, bytes);
}

/* A number that is not negative. */
static tn_status read_real(session *s, const char *name, const char *text, double *number)
{
    if (number_f64(text, number) && *number >= 0 && *number <= 1e300)
        return TN_OK;
    return usage_error(s, "%s takes a number from 0 to 1e300, not '%s'", name, text);
}

static tn_status read_schedule(session *s, const char *text, tn_schedule *schedule)
{
    static const char *const names[] = {"constant", "cosine", "step"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *schedule = (tn_schedule)i;
            return TN_OK;
        }
    advise_name(s, text, strlen(text), names, sizeof names / sizeof *names);
    return usage_error(s, "--schedule takes constant, cosine or step, not '%s'", text);
}

/* accuracy=SCORES[:LABELS] */
static tn_status read_metric(session *s, const char *text, train_options *o)
{
    static const char before[] = "accuracy=";
    const size_t n = sizeof before - 1;
    if (strncmp(text, before, n) != 0 || !text[n] || text[n] == ':')
        return usage_error(s, "--metric takes accuracy=SCORES[:LABELS], not '%s'", text);
    const char *colon = strrchr(text, ':');
    o->labels = colon && colon[1] ? colon + 1 : NULL;
    o->scores =
        cli_copy(&s->memory, text + n, colon ? (size_t)(colon - text) - n : strlen(text) - n);
    return o->scores ? TN_OK : no_memory(s);
}

static tn_status read_name(session *s, const char *name, const char *value, const char **to)
{
    *to = value;
    return value[0] ? TN_OK : usage_error(s, "%s needs a name", name);
}

/* How weights change. */
static tn_status read_rule(session *s, const given *g, train_options *o)
{
    int choice;
    switch (g->id) {
    case OPTION_OPTIMIZER:
        o->optimizer.name = g->value;
        return TN_OK;
    case OPTION_RATE:
        TN_TRY(read_real(s, "--lr", g->value, &o->train.rate));
        return o->train.rate > 0 ? TN_OK : usage_error(s, "--lr: nothing is learnt at the rate 0");
    case OPTION_SCHEDULE:
        return read_schedule(s, g->value, &o->train.schedule);
    case OPTION_WARMUP:
        return read_count(s, "--warmup", g->value, &o->train.warmup);
    case OPTION_DECAY:
        return read_real(s, "--weight-decay", g->value, &o->optimizer.weight_decay);
    case OPTION_MOMENTUM:
        TN_TRY(read_real(s, "--momentum", g->value, &o->optimizer.momentum));
        if (o->optimizer.momentum == 0)
            o->optimizer.momentum = TN_OPTIMIZER_ZERO;
        return TN_OK;
    case OPTION_CLIP:
        return read_real(s, "--clip-norm", g->value, &o->train.clip_norm);
    case OPTION_UPDATE:
        return read_name(s, "--update", g->value, &o->update);
    case OPTION_SHOW:
        o->show_update = true;
        return TN_OK;
    default:
        TN_TRY(read_choice(s, "--invalid", g->value, "stop", "skip", &choice));
        o->train.skip = choice != 0;
        return TN_OK;
    }
}

/* What stays, and how it runs. */
static tn_status read_other(session *s, const given *g, train_options *o)
{
    int choice;
    int64_t number;
    switch (g->id) {
    case OPTION_CHECKPOINT:
        return read_name(s, "--checkpoint", g->value, &o->folder);
    case OPTION_EVERY:
        return read_count(s, "--every", g->value, &o->every);
    case OPTION_KEEP:
        o->has_keep = true;
        return read_count(s, "--keep", g->value, &o->keep);
    case OPTION_RESUME:
        o->resume = true;
        return TN_OK;
    case OPTION_OUTPUT:
        return read_name(s, "--output", g->value, &o->output);
    case OPTION_LOG:
        return read_name(s, "--log", g->value, &o->log);
    case OPTION_STEP_TIMEOUT:
        return read_timeout(s, "--step-timeout", g->value, &o->train.step_timeout_ns);
    case OPTION_LEVEL:
        return read_level(s, g->value, &o->compile.level);
    case OPTION_ENGINE:
        o->compile.engine = g->value;
        return read_choice(s, "--engine", g->value, "jit", "ref", &choice);
    case OPTION_THREADS:
        TN_TRY(read_number(s, "--threads", g->value, 1, 65536, &number));
        o->compile.threads = (uint32_t)number;
        return TN_OK;
    case OPTION_CPU:
        o->compile.cpu = g->value;
        return TN_OK;
    case OPTION_MEMORY:
        return read_memory(s, g->value, &o->compile.memory_bytes);
    case OPTION_RECOMPUTE:
        TN_TRY(read_choice(s, "--recompute", g->value, "none", "auto", &choice));
        o->recompute = choice ? RECOMPUTE_AUTO : RECOMPUTE_NONE;
        return TN_OK;
    default: /* --dim is read with all of its kind */
        return TN_OK;
    }
}

static tn_status read_one(session *s, const given *g, train_options *o)
{
    tn_train_options *t = &o->train;
    switch (g->id) {
    case OPTION_LOSS:
        t->loss = g->value;
        return TN_OK;
    case OPTION_WRT:
        return read_names(s, g->value, &t->wrt, &t->n_wrt);
    case OPTION_DATA:
        o->data[o->n_data++] = g->value;
        return TN_OK;
    case OPTION_VALIDATE:
        o->validate[o->n_validate++] = g->value;
        return TN_OK;
    case OPTION_BATCH:
        return read_count(s, "--batch", g->value, &t->batch);
    case OPTION_EPOCHS:
        return read_count(s, "--epochs", g->value, &t->epochs);
    case OPTION_STEPS:
        return read_count(s, "--steps", g->value, &t->steps);
    case OPTION_SEED:
        return read_seed(s, "--seed", g->value, &t->seed);
    case OPTION_LEAVES:
        return read_count(s, "--leaves", g->value, &t->leaves);
    case OPTION_INIT:
        return read_name(s, "--init", g->value, &t->init);
    case OPTION_METRIC:
        return read_metric(s, g->value, o);
    default:
        return g->id <= OPTION_INVALID ? read_rule(s, g, o) : read_other(s, g, o);
    }
}

/* Of this machine; 0 where that is not known. */
static uint64_t half_of_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (uint64_t)pages / 2 * (uint64_t)bytes : 0;
}

/* What only makes sense together. */
static tn_status check(session *s, const train_options *o)
{
    if (o->show_update && o->update)
        return usage_error(s,
                           "--show-update shows the program of an optimizer, not that of --update");
    if (o->show_update)
        return TN_OK;
    if (o->train.n_wrt == 0)
        return usage_error(s, "which inputs are trained? --wrt A,B names them");
    if (o->n_data == 0)
        return usage_error(s, "what is learnt from? --data names files");
    if (o->train.steps && o->train.epochs)
        return usage_error(s, "--steps and --epochs exclude each other");
    if (o->update && o->optimizer.name)
        return usage_error(s, "--update and --optimizer exclude each other");
    if (o->update && (o->optimizer.momentum != 0 || o->optimizer.weight_decay != 0))
        return usage_error(s, "%s is of an optimizer, and --update takes its place",
                           o->optimizer.momentum != 0 ? "--momentum" : "--weight-decay");
    if (o->scores && o->n_validate == 0)
        return usage_error(s, "--metric judges the data of --validate");
    if (!o->folder && (o->every || o->resume || o->has_keep))
        return usage_error(s, "%s needs --checkpoint DIR",
                           o->every    ? "--every"
                           : o->resume ? "--resume"
                                       : "--keep");
    if (o->recompute == RECOMPUTE_NONE && o->compile.memory_bytes)
        return usage_error(s,
                           "--memory has values computed again, which --recompute none excludes");
    if (is_same_file(s, o->output, o->log))
        return usage_error(s, "--output and --log need a file each");
    return TN_OK;
}

tn_status train_options_read(session *s, const arguments *args, train_options *o)
{
    *o = (train_options){.keep = 3};
    o->train.size = sizeof o->train;
    o->compile.size = sizeof o->compile;
    o->data = cli_alloc(&s->memory, (size_t)args->n_options, sizeof *o->data);
    o->validate = cli_alloc(&s->memory, (size_t)args->n_options, sizeof *o->validate);
    if (!o->data || !o->validate)
        return no_memory(s);
    for (int i = 0; i < args->n_options; i++)
        TN_TRY(read_one(s, &args->options[i], o));
    TN_TRY(read_bindings(s, args, OPTION_DIM, &o->compile.bindings, &o->compile.n_bindings));
    if (o->recompute == RECOMPUTE_AUTO && !o->compile.memory_bytes)
        o->compile.memory_bytes = half_of_memory();
    o->train.optimizer = &o->optimizer;
    o->train.compile = &o->compile;
    s->n_programs += o->update != NULL;
    if (!o->show_update || args->n_files > 0)
        TN_TRY(arguments_one_file(s, args, &o->file));
    return check(s, o);
}
