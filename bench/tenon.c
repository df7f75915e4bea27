/* Tenon as a contestant of peers.py (the protocol is in contestant.h): tenon THREADS [CPU]
 *
 *     open NAME FILE [CONSTANTS]   a program in a file; inputs named in CONSTANTS (a,b) become
 *                                  constants
 *     open NAME gpt2-prefill       124 million constant weights, a prompt of 128 tokens
 *     open NAME gpt2-decode        one token at position 128, with caches for 256
 *
 * or, for the time until a program is ready, in a process of its own: tenon ready
 * FILE|gpt2|gpt2-constants which prints the seconds from an empty builder, or the text in memory,
 * to a program that can run. */
#define _DEFAULT_SOURCE /* madvise */
#include <sys/mman.h>

#include "contestant.h"

#include "../examples/gpt2/gpt2.h"

enum { MOST_PORTS = 256, PROMPT = 128, ROOM = 256 };

static const char *cpu; /* that code is made for; NULL: this one */

typedef struct job {
    tn_context *cx;
    tn_module *module;
    tn_program *program;
    tn_buffer in[MOST_PORTS], out[MOST_PORTS];
    size_t n_in, n_out;
    bool is_in_place;     /* outputs but the first lie over the last inputs */
    gpt2_weights weights; /* empty but for GPT-2 */
} job;

static void tell(void *user, const tn_diagnostic *d)
{
    (void)user;
    (void)fprintf(stderr, "tenon: %s [%s]\n", d->message, d->code);
}

static void quiet(const char *what, size_t done, size_t all)
{
    (void)what;
    (void)done;
    (void)all;
}

static char *read_text(const char *path, size_t *length)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long n = -1;
    if (f && fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0)
        text = malloc((size_t)n + 1);
    if (text && fread(text, 1, (size_t)n, f) != (size_t)n) {
        free(text);
        text = NULL;
    }
    if (f)
        (void)fclose(f);
    *length = n < 0 ? 0 : (size_t)n;
    return text;
}

static bool room_for(tn_buffer *b, const tn_type *type)
{
    const size_t page = (size_t)1 << 21;
    *b = (tn_buffer){.type = *type, .bytes = tn_dtype_size(type->dtype)};
    for (uint32_t i = 0; i < type->rank; i++)
        b->bytes *= (size_t)type->dims[i];
    const size_t unit = b->bytes < page ? 64 : page;
    b->data = aligned_alloc(unit, (b->bytes + unit) / unit * unit);
    if (!b->data)
        return false;
    if (unit == page)
        (void)madvise(b->data, b->bytes, MADV_HUGEPAGE); /* as NumPy does */
    memset(b->data, 0, b->bytes);
    return true;
}

static bool named_in(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == '\0'))
            return true;
    return false;
}

/* Values for constants are those that the input would get at random. */
static bool make_constants(job *j, const char *names)
{
    tn_program *shape = NULL;
    bool ok =
        tn_program_compile(j->module, &(tn_compile_options){.engine = "ref"}, &shape) == TN_OK;
    for (size_t i = tn_module_input_count(j->module); ok && i-- > 0;) {
        tn_port port;
        tn_buffer value;
        if (tn_module_input(j->module, i, &port) != TN_OK || !named_in(names, port.name))
            continue;
        ok = room_for(&value, &port.type) &&
             tn_program_random_input(shape, i, 1, &value) == TN_OK &&
             tn_module_set_constant(j->module, i, &value) == TN_OK;
        free(value.data);
    }
    tn_program_free(shape);
    return ok;
}

static bool compile(job *j, int threads, const tn_binding *binding)
{
    const tn_compile_options options = {.size = sizeof options,
                                        .eager = true,
                                        .threads = (uint32_t)threads,
                                        .cpu = cpu,
                                        .bindings = binding,
                                        .n_bindings = binding ? 1 : 0};
    return tn_program_compile(j->module, &options, &j->program) == TN_OK;
}

/* The operands: random where nothing is given yet. */
static bool make_buffers(job *j)
{
    tn_port port;
    j->n_in = tn_program_input_count(j->program);
    j->n_out = tn_program_output_count(j->program);
    if (j->n_in > MOST_PORTS || j->n_out > MOST_PORTS)
        return false;
    for (size_t i = 0; i < j->n_in; i++)
        if (!j->in[i].data &&
            (tn_program_input(j->program, i, &port) != TN_OK || !room_for(&j->in[i], &port.type) ||
             tn_program_random_input(j->program, i, 1, &j->in[i]) != TN_OK))
            return false;
    for (size_t i = 0; i < j->n_out; i++) {
        if (j->is_in_place && i > 0)
            j->out[i] = j->in[j->n_in - j->n_out + i];
        else if (tn_program_output(j->program, i, &port) != TN_OK ||
                 !room_for(&j->out[i], &port.type))
            return false;
    }
    return true;
}

static const gpt2_config gpt2_small = {12, 768, 12, 50257, 1024};

/* The module of GPT-2 with its weights as constants, or as inputs that W serves. */
static bool build_gpt2(job *j, bool is_decode, bool are_constants)
{
    if ((is_decode ? gpt2_build_decode(j->cx, &gpt2_small, ROOM, &j->module)
                   : gpt2_build_prefill(j->cx, &gpt2_small, &j->module)) != TN_OK)
        return false;
    for (size_t i = j->weights.n; i-- > 0;)
        if (are_constants) {
            if (tn_module_set_constant(j->module, 2 + i, &j->weights.at[i]) != TN_OK)
                return false;
        } else {
            j->in[2 + i] = j->weights.at[i];
        }
    return true;
}

static bool start_gpt2(job *j, int threads, bool is_decode)
{
    const tn_binding length = {"S", PROMPT};
    if (!gpt2_generate(&gpt2_small, 1, &j->weights, quiet) || !build_gpt2(j, is_decode, true) ||
        !compile(j, threads, is_decode ? NULL : &length))
        return false;
    gpt2_release(&j->weights);
    j->is_in_place = is_decode;
    if (!make_buffers(j))
        return false;
    *(int32_t *)j->in[1].data = is_decode ? PROMPT : PROMPT - 1;
    return true;
}

static bool start_file(job *j, int threads, const char *path, const char *constants)
{
    size_t length;
    char *text = read_text(path, &length);
    const tn_read_options options = {.file = path};
    const bool ok = text && tn_module_read(j->cx, &options, text, length, &j->module) == TN_OK &&
                    (!constants[0] || make_constants(j, constants)) && compile(j, threads, NULL) &&
                    make_buffers(j);
    free(text);
    return ok;
}

static void stop(job *j)
{
    for (size_t i = 0; i < j->n_in; i++)
        free(j->in[i].data);
    for (size_t i = 0; i < (j->is_in_place ? 1 : j->n_out); i++)
        free(j->out[i].data);
    gpt2_release(&j->weights);
    tn_program_free(j->program);
    tn_module_free(j->module);
    tn_context_free(j->cx);
    *j = (job){0};
}

static bool start(job *j, int threads, const char *what, const char *constants)
{
    const tn_diagnostic_sink sink = {tell, NULL};
    j->cx = tn_context_new(NULL, &sink);
    if (!j->cx)
        return false;
    if (strncmp(what, "gpt2-", 5) == 0)
        return start_gpt2(j, threads, strcmp(what, "gpt2-decode") == 0);
    return start_file(j, threads, what, constants);
}

static bool run(void *user)
{
    job *j = user;
    return tn_program_run(j->program, j->in, j->n_in, j->out, j->n_out, NULL) == TN_OK;
}

/* Seconds until the program is ready, with weights in memory. */
static int say_ready(const char *what)
{
    const tn_diagnostic_sink sink = {tell, NULL};
    const tn_binding length = {"S", PROMPT};
    const bool is_gpt2 = strncmp(what, "gpt2", 4) == 0;
    job j = {.cx = tn_context_new(NULL, &sink)};
    size_t n = 0;
    char *text = is_gpt2 ? NULL : read_text(what, &n);
    bool ok = j.cx && (is_gpt2 ? gpt2_generate(&gpt2_small, 1, &j.weights, quiet) : text != NULL);
    const double begin = clock_of(CLOCK_MONOTONIC), busy = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    if (is_gpt2)
        ok = ok && build_gpt2(&j, false, strcmp(what, "gpt2-constants") == 0);
    else
        ok = ok &&
             tn_module_read(j.cx, &(tn_read_options){.file = what}, text, n, &j.module) == TN_OK;
    const double built = clock_of(CLOCK_MONOTONIC);
    ok = ok && compile(&j, 0, is_gpt2 ? &length : NULL);
    const double end = clock_of(CLOCK_MONOTONIC);
    if (ok)
        printf("%.9g %.9g %.9g\n", end - begin, built - begin,
               clock_of(CLOCK_PROCESS_CPUTIME_ID) - busy);
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    static job j;
    char line[4096], name[64], what[2048], constants[1024];
    const int threads = argc > 1 ? atoi(argv[1]) : 1;
    if (argc > 2 && strcmp(argv[1], "ready") == 0)
        return say_ready(argv[2]);
    cpu = argc > 2 ? argv[2] : NULL;
    while (fgets(line, sizeof line, stdin)) {
        constants[0] = '\0';
        if (sscanf(line, "open %63s %2047s %1023s", name, what, constants) >= 2)
            puts(start(&j, threads, what, constants) ? "ready" : "!cannot be started");
        else if (strncmp(line, "go", 2) == 0)
            contestant_go(line + 2, threads, run, &j);
        else {
            stop(&j);
            puts("closed");
        }
        (void)fflush(stdout);
    }
    return 0;
}
