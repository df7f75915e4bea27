/* Trains the network of net.ir on handwritten digits: train GRADIENT.ir DATA.npz [STEPS]
 *
 * GRADIENT.ir is what `tenon grad net.ir --wrt w1,b1,w2,b2` made: it gives the loss, the scores of
 * all images and the gradient of each weight. DATA.npz holds `images` and `one_hot`. Adam (Kingma
 * and Ba, 2015) changes the weights from one run of the program to the next. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tenon/files.h"

enum { N_DATA = 2, N_WEIGHTS = 4, N_INPUTS = N_DATA + N_WEIGHTS, N_OUTPUTS = 2 + N_WEIGHTS };
enum { IMAGES = 1797, DIGITS = 10 };

typedef struct training {
    tn_context *cx;
    tn_module *module;
    tn_program *program;
    tn_tensor_file *data;
    tn_buffer in[N_INPUTS];                     /* images, one_hot, then the weights */
    tn_buffer out[N_OUTPUTS];                   /* loss, scores, then the gradients */
    float *mean[N_WEIGHTS], *square[N_WEIGHTS]; /* running moments of the gradients */
} training;

static void show(void *user, const tn_diagnostic *d)
{
    (void)user;
    fprintf(stderr, "train: %s:%u:%u: %s [%s]\n", d->place.file, d->place.line, d->place.column,
            d->message, d->code);
}

static char *read_file(const char *path, size_t *length)
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
        fclose(f);
    *length = (size_t)n;
    return text;
}

static tn_status load_program(training *t, const char *path)
{
    size_t length;
    char *text = read_file(path, &length);
    tn_read_options options = {.dialect = "mind", .file = path};
    if (!text) {
        fprintf(stderr, "train: %s cannot be read\n", path);
        return TN_ERR_IO;
    }
    tn_status s = tn_module_read(t->cx, &options, text, length, &t->module);
    free(text);
    if (s == TN_OK)
        s = tn_program_compile(t->module, NULL, &t->program);
    if (s == TN_OK && (tn_program_input_count(t->program) != N_INPUTS ||
                       tn_program_output_count(t->program) != N_OUTPUTS)) {
        fprintf(stderr, "train: %s has another interface than the gradient of net.ir\n", path);
        return TN_ERR_INPUT;
    }
    return s;
}

static tn_status load_data(training *t, const char *path)
{
    static const char *const names[N_DATA] = {"images", "one_hot"};
    tn_status s = tn_tensor_file_open(t->cx, path, &t->data);
    for (size_t k = 0; s == TN_OK && k < N_DATA; k++) {
        size_t index;
        if (!tn_tensor_file_find(t->data, names[k], &index)) {
            fprintf(stderr, "train: %s holds no '%s'\n", path, names[k]);
            return TN_ERR_INPUT;
        }
        s = tn_tensor_file_load(t->data, index, &t->in[k]);
    }
    return s;
}

static size_t count_of(const tn_buffer *b)
{
    return b->bytes / sizeof(float);
}

static tn_buffer new_buffer(tn_type type)
{
    tn_buffer b = {.type = type, .bytes = sizeof(float)};
    for (uint32_t i = 0; i < type.rank; i++)
        b.bytes *= (size_t)type.dims[i];
    b.data = calloc(1, b.bytes);
    return b;
}

/* Uniform in [-1, 1), the same on every machine. */
static float draw(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (float)(*state >> 40) * 0x1p-23F - 1.0F;
}

/* Weights start at random by the scale of He et al. (2015), biases at 0. */
static bool make_buffers(training *t)
{
    uint64_t state = 20260101;
    tn_port port;
    for (size_t k = 0; k < N_OUTPUTS; k++) {
        if (tn_program_output(t->program, k, &port) != TN_OK)
            return false;
        t->out[k] = new_buffer(port.type);
        if (!t->out[k].data)
            return false;
    }
    for (size_t k = 0; k < N_WEIGHTS; k++) {
        if (tn_program_input(t->program, N_DATA + k, &port) != TN_OK)
            return false;
        tn_buffer *w = &t->in[N_DATA + k];
        *w = new_buffer(port.type);
        t->mean[k] = calloc(count_of(w), sizeof(float));
        t->square[k] = calloc(count_of(w), sizeof(float));
        if (!w->data || !t->mean[k] || !t->square[k])
            return false;
        float scale = port.type.rank == 2 ? sqrtf(6.0F / (float)port.type.dims[0]) : 0;
        for (size_t i = 0; i < count_of(w); i++)
            ((float *)w->data)[i] = scale * draw(&state);
    }
    return true;
}

static void adam(training *t, int step)
{
    const float rate = 0.003F, keep1 = 0.9F, keep2 = 0.999F, tiny = 1e-8F;
    float scale1 = 1 / (1 - powf(keep1, (float)step)), scale2 = 1 / (1 - powf(keep2, (float)step));
    for (size_t k = 0; k < N_WEIGHTS; k++) {
        float *w = t->in[N_DATA + k].data;
        const float *g = t->out[2 + k].data;
        for (size_t i = 0; i < count_of(&t->in[N_DATA + k]); i++) {
            t->mean[k][i] = keep1 * t->mean[k][i] + (1 - keep1) * g[i];
            t->square[k][i] = keep2 * t->square[k][i] + (1 - keep2) * g[i] * g[i];
            w[i] -= rate * t->mean[k][i] * scale1 / (sqrtf(t->square[k][i] * scale2) + tiny);
        }
    }
}

/* How many images from FIRST on, every second one, have their largest score at their digit. */
static int count_right(const training *t, int first)
{
    const float *scores = t->out[1].data, *truth = t->in[1].data;
    int right = 0;
    for (int i = first; i < IMAGES; i += 2) {
        int best = 0;
        for (int k = 1; k < DIGITS; k++)
            if (scores[i * DIGITS + k] > scores[i * DIGITS + best])
                best = k;
        right += truth[i * DIGITS + best] == 1.0F;
    }
    return right;
}

/* A bar on a terminal; elsewhere, such as in a log, ten lines in all. */
static void show_progress(const training *t, int step, int steps, bool is_terminal)
{
    int done = 30 * step / steps;
    if (!is_terminal) {
        if (step == steps || 10 * step / steps > 10 * (step - 1) / steps)
            fprintf(stderr, "step %3d of %d, loss %.4f\n", step, steps,
                    (double)*(const float *)t->out[0].data);
        return;
    }
    fprintf(stderr, "\r[%.*s%*s] step %3d of %d, loss %.4f", done, "##############################",
            30 - done, "", step, steps, (double)*(const float *)t->out[0].data);
}

static tn_status train(training *t, int steps)
{
    const bool is_terminal = isatty(STDERR_FILENO) == 1;
    for (int step = 1; step <= steps; step++) {
        tn_status s = tn_program_run(t->program, t->in, N_INPUTS, t->out, N_OUTPUTS, NULL);
        if (s != TN_OK)
            return s;
        if (step < steps) /* the last run only scores */
            adam(t, step);
        show_progress(t, step, steps, is_terminal);
    }
    if (is_terminal)
        fputc('\n', stderr);
    return TN_OK;
}

static void release(training *t)
{
    for (size_t k = 0; k < N_WEIGHTS; k++) {
        free(t->in[N_DATA + k].data);
        free(t->mean[k]);
        free(t->square[k]);
    }
    for (size_t k = 0; k < N_OUTPUTS; k++)
        free(t->out[k].data);
    tn_tensor_file_close(t->data);
    tn_program_free(t->program);
    tn_module_free(t->module);
    tn_context_free(t->cx);
}

int main(int argc, char **argv)
{
    int steps = argc == 4 ? atoi(argv[3]) : 300;
    training t = {.cx = tn_context_new(NULL, &(tn_diagnostic_sink){.report = show})};
    if (argc < 3 || argc > 4 || steps < 1) {
        fprintf(stderr, "usage: train GRADIENT.ir DATA.npz [STEPS]\n");
        return 2;
    }
    bool ok = t.cx && load_program(&t, argv[1]) == TN_OK && load_data(&t, argv[2]) == TN_OK &&
              make_buffers(&t) && train(&t, steps) == TN_OK;
    if (ok) {
        int seen = count_right(&t, 0), unseen = count_right(&t, 1);
        printf("even-numbered images, learnt from: %d of %d right, %.1f %%\n", seen,
               (IMAGES + 1) / 2, 100.0 * seen / ((IMAGES + 1) / 2));
        printf("odd-numbered images, never seen: %d of %d right, %.1f %%\n", unseen, IMAGES / 2,
               100.0 * unseen / (IMAGES / 2));
    }
    release(&t);
    return ok ? 0 : 1;
}
