/* Any bytes as a checkpoint: the description up to the first zero byte, then the file of tensors.
 * What a training goes on from, it writes as a checkpoint of the same weights. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tenon/build.h"
#include "tenon/files.h"
#include "tenon/train.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A training of w [3] and b [] on eight samples, in a folder of its own. */
typedef struct training {
    char folder[32];
    tn_context *cx;
    tn_module *program;
    tn_dataset *data;
    tn_trainer *trainer;
} training;

static void need(bool ok)
{
    if (!ok)
        abort();
}

static void path_in(const training *t, const char *name, char path[static 64])
{
    (void)snprintf(path, 64, "%s/%s", t->folder, name);
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    need(f && fwrite(data, 1, size, f) == size);
    need(fclose(f) == 0);
}

static tn_status build(tn_context *cx, tn_module **m)
{
    tn_builder *b = tn_builder_new(cx);
    const int64_t n = tn_dim(b, "n");
    const tn_value x = tn_input(b, "x", TN_F32, TN_INTS(n, 3));
    const tn_value w = tn_input(b, "w", TN_F32, TN_INTS(3));
    const tn_value bias = tn_input(b, "b", TN_BF16, TN_INTS());
    const tn_value p = tn_add(b, tn_mul(b, x, w), tn_cast(b, bias, TN_F32));
    const tn_value d = tn_sub(b, p, tn_scalar(b, TN_F32, 1));
    const tn_value loss = tn_mean(b, tn_mul(b, d, d), tn_all_axes(), false);
    return tn_builder_finish(b, &loss, 1, m);
}

static void write_samples(const training *t, const char *path)
{
    float x[24] = {1, 2, 3};
    static const char *const names[] = {"x"};
    const tn_buffer samples = {x, sizeof x, {TN_F32, 2, {8, 3}}};
    tn_file_set *set;
    need(tn_file_set_begin(t->cx, &set) == TN_OK);
    need(tn_file_set_end(set, tn_file_set_add_tensors(set, path, names, &samples, 1)) == TN_OK);
}

/* A trainer that has done no step. */
static void start(training *t)
{
    static const char *const wrt[] = {"w", "b"};
    const tn_compile_options ref = {.engine = "ref"};
    const tn_train_options o = {
        .size = sizeof o, .wrt = wrt, .n_wrt = 2, .batch = 4, .leaves = 2, .compile = &ref};
    need(tn_trainer_new(t->cx, t->program, t->data, &o, &t->trainer) == TN_OK);
}

static void begin(training *t)
{
    char path[64];
    const char *list[] = {path};
    (void)strcpy(t->folder, "/tmp/tenon-fuzz-XXXXXX");
    need(mkdtemp(t->folder) != NULL);
    t->cx = tn_context_new(NULL, NULL);
    need(t->cx && tn_context_set_limit(t->cx, "run_bytes", 1 << 24) == TN_OK);
    path_in(t, "x.safetensors", path);
    write_samples(t, path);
    need(build(t->cx, &t->program) == TN_OK && tn_dataset_open(t->cx, list, 1, &t->data) == TN_OK);
    start(t);
}

static void end(training *t)
{
    static const char *const names[] = {"x.safetensors", "step-00000002.json",
                                        "step-00000002.safetensors"};
    char path[64];
    tn_trainer_free(t->trainer);
    tn_dataset_close(t->data);
    tn_module_free(t->program);
    tn_context_free(t->cx);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        path_in(t, names[i], path);
        (void)unlink(path);
    }
    need(rmdir(t->folder) == 0);
}

/* What was read is written, and read again by another trainer. */
static void check_again(training *t)
{
    char before[65], after[65];
    bool found;
    tn_trainer_info info = {.size = sizeof info};
    need(tn_trainer_get_info(t->trainer, &info) == TN_OK && info.step == 2);
    need(tn_trainer_digest(t->trainer, before) == TN_OK);
    need(tn_trainer_save(t->trainer, t->folder, 1) == TN_OK);
    tn_trainer_free(t->trainer);
    start(t);
    need(tn_trainer_resume(t->trainer, t->folder, &found) == TN_OK && found);
    need(tn_trainer_digest(t->trainer, after) == TN_OK && strcmp(before, after) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    training t = {.cx = NULL};
    char text[64], tensors[64];
    bool found;
    const uint8_t *zero = size > 0 ? memchr(data, 0, size) : NULL;
    const size_t n = zero ? (size_t)(zero - data) : size;
    begin(&t);
    path_in(&t, "step-00000002.json", text);
    path_in(&t, "step-00000002.safetensors", tensors);
    write_file(text, data, n);
    write_file(tensors, data + n + (zero != NULL), size - n - (zero != NULL));
    if (tn_trainer_resume(t.trainer, t.folder, &found) == TN_OK)
        check_again(&t);
    end(&t);
    return 0;
}
