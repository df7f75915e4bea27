/* A training that several ranks share: the same weights for any number of them and any sequence of
 * restarts, and an end for all when one gives up. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "tenon/build.h"
#include "tenon/files.h"
#include "tenon/train.h"

enum { SAMPLES = 70, WIDTH = 5, HIDDEN = 7, LARGE = 20000, MOST_RANKS = 8, STEPS = 11 };

/* The mean square of (relu(x w1 + b1) w2 - y), in bf16 where the weight is `w2`; IS_LARGE: and of
 * `w3`, which is too large for small messages. */
static tn_status build(tn_context *cx, bool is_large, tn_module **m)
{
    tn_builder *b = tn_builder_new(cx);
    const int64_t n = tn_dim(b, "n");
    const tn_value x = tn_input(b, "x", TN_F32, TN_INTS(n, WIDTH));
    const tn_value y = tn_input(b, "y", TN_F32, TN_INTS(n, 1));
    const tn_value w1 = tn_input(b, "w1", TN_F32, TN_INTS(WIDTH, HIDDEN));
    const tn_value b1 = tn_input(b, "b1", TN_F32, TN_INTS(HIDDEN));
    const tn_value w2 = tn_input(b, "w2", TN_BF16, TN_INTS(HIDDEN, 1));
    const tn_value noise = tn_rng_uniform(b, TN_F32, TN_INTS(n, HIDDEN));
    const tn_value a = tn_add(b, tn_matmul(b, x, w1), b1);
    const tn_value h = tn_mul(b, tn_relu(b, a), noise);
    const tn_value p = tn_matmul(b, h, tn_cast(b, w2, TN_F32));
    const tn_value d = tn_sub(b, p, y);
    tn_value loss = tn_mean(b, tn_mul(b, d, d), tn_all_axes(), false);
    if (is_large) {
        const tn_value w3 = tn_input(b, "w3", TN_F32, TN_INTS(2, LARGE / 2));
        loss = tn_add(b, loss, tn_mean(b, tn_mul(b, w3, w3), tn_all_axes(), false));
    }
    return tn_builder_finish(b, &loss, 1, m);
}

static bool write_data(const char *path, int step)
{
    static float x[SAMPLES * WIDTH], y[SAMPLES];
    static const char *const names[] = {"x", "y"};
    for (int i = 0; i < SAMPLES * WIDTH; i++)
        x[i] = (float)((i * step + 11) % 101) / 50 - 1;
    for (int i = 0; i < SAMPLES; i++)
        y[i] = x[i * WIDTH] - x[i * WIDTH + 3];
    const tn_buffer tensors[] = {{x, sizeof x, {TN_F32, 2, {SAMPLES, WIDTH}}},
                                 {y, sizeof y, {TN_F32, 2, {SAMPLES, 1}}}};
    tn_context *cx = tn_context_new(NULL, NULL);
    tn_file_set *set;
    bool ok = tn_file_set_begin(cx, &set) == TN_OK;
    ok = ok && tn_file_set_end(set, tn_file_set_add_tensors(set, path, names, tensors, 2)) == TN_OK;
    tn_context_free(cx);
    return ok;
}

/* A transport that damages one message on its way, and counts calls on other threads than that of
 * the training. */
typedef struct noisy {
    tn_transport inner;
    int left; /* calls before that; negative: it has done so */
    pthread_t own;
    int elsewhere;
} noisy;

static const char *exchange_noisily(void *user, const tn_message *messages)
{
    noisy *n = user;
    const char *why = n->inner.exchange(n->inner.user, messages);
    n->elsewhere += !pthread_equal(n->own, pthread_self());
    const tn_message *from = &messages[n->inner.rank == 0];
    if (!why && n->left-- <= 0 && from->receive_bytes > 0)
        ((unsigned char *)from->receive)[from->receive_bytes / 2] ^= 4;
    return why;
}

static void leave_noisily(void *user)
{
    noisy *n = user;
    n->inner.leave(n->inner.user);
}

/* What one rank is to do, and what came of it. */
typedef struct job {
    const char *data, *folder; /* of checkpoints; NULL: none */
    tn_transport transport;
    bool has_transport, resume, is_large;
    bool forks; /* a child of rank 0 frees its trainer, whose thread it has not */
    int noise;  /* rank 0 damages what it receives after so many exchanges; 0: never */
    uint64_t until, seed, epochs, message_bytes;
    tn_status status;
    int elsewhere; /* messages of rank 0 that were passed on while it computed */
    char digest[65];
} job;

static tn_status steps(job *j, tn_trainer *t)
{
    tn_trainer_info info = {.size = sizeof info};
    tn_status s = tn_trainer_get_info(t, &info);
    for (uint64_t i = info.step; s == TN_OK && i < j->until; i++) {
        tn_train_step done = {.size = sizeof done};
        s = tn_trainer_step(t, &done);
    }
    if (s == TN_OK && j->folder)
        s = tn_trainer_save(t, j->folder, 2);
    return s == TN_OK ? tn_trainer_digest(t, j->digest) : s;
}

/* Does a child of fork free T? */
static bool is_freed_in_child(tn_trainer *t)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(100);
        tn_trainer_free(t);
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void *run(void *arg)
{
    job *j = arg;
    static const char *const wrt[] = {"w1", "b1", "w2", "w3"};
    const tn_compile_options ref = {.engine = "ref"};
    const tn_train_options o = {.size = sizeof o,
                                .wrt = wrt,
                                .n_wrt = j->is_large ? 4 : 3,
                                .batch = 16,
                                .leaves = 16,
                                .seed = j->seed,
                                .steps = STEPS,
                                .epochs = j->epochs,
                                .rate = 0.01,
                                .clip_norm = 0.5,
                                .compile = &ref,
                                .transport = j->has_transport ? &j->transport : NULL,
                                .message_bytes = j->message_bytes};
    noisy wrapped = {j->transport, j->noise ? j->noise : INT_MAX, pthread_self(), 0};
    if (j->has_transport && j->transport.rank == 0) {
        j->transport.exchange = exchange_noisily;
        j->transport.leave = leave_noisily;
        j->transport.user = &wrapped;
    }
    tn_context *cx = tn_context_new(NULL, NULL);
    tn_module *m = NULL;
    tn_dataset *data = NULL;
    tn_trainer *t = NULL;
    bool found = true;
    tn_status s = cx ? build(cx, j->is_large, &m) : TN_ERR_NOMEM;
    if (s == TN_OK)
        s = tn_dataset_open(cx, &j->data, 1, &data);
    if (s == TN_OK)
        s = tn_trainer_new(cx, m, data, &o, &t);
    if (s == TN_OK && j->resume)
        s = tn_trainer_resume(t, j->folder, &found);
    if (s == TN_OK)
        s = found ? steps(j, t) : TN_ERR_INTERNAL;
    if (s == TN_OK && j->forks && j->transport.rank == 0 && !is_freed_in_child(t))
        s = TN_ERR_INTERNAL;
    j->status = s;
    tn_trainer_free(t);
    tn_dataset_close(data);
    tn_module_free(m);
    tn_context_free(cx);
    j->elsewhere = wrapped.elsewhere;
    return NULL;
}

/* RANKS threads of this job; rank 1 does ODD unless that is NULL. True when all end with STATUS. */
static bool run_ranks(job *j, uint32_t ranks, const job *odd, tn_status status)
{
    tn_rank_group *group = tn_rank_group_new(ranks);
    pthread_t threads[MOST_RANKS];
    job jobs[MOST_RANKS];
    bool ok = group != NULL;
    for (uint32_t r = 0; ok && r < ranks; r++) {
        jobs[r] = odd && r == 1 ? *odd : *j;
        jobs[r].has_transport = tn_rank_group_transport(group, r, &jobs[r].transport);
        if (pthread_create(&threads[r], NULL, run, &jobs[r]) != 0)
            exit(1);
    }
    for (uint32_t r = 0; ok && r < ranks; r++)
        (void)pthread_join(threads[r], NULL);
    for (uint32_t r = 0; ok && r < ranks; r++)
        ok = jobs[r].status == status && strcmp(jobs[r].digest, jobs[0].digest) == 0;
    if (ok)
        memcpy(j->digest, jobs[0].digest, sizeof j->digest);
    j->elsewhere = ok ? jobs[0].elsewhere : 0;
    tn_rank_group_free(group);
    return ok;
}

static void remove_folder(const char *folder)
{
    char path[128];
    for (int step = 0; step <= STEPS; step++)
        for (int k = 0; k < 2; k++) {
            (void)snprintf(path, sizeof path, "%s/step-%08d.%s", folder, step,
                           k ? "json" : "safetensors");
            (void)unlink(path);
        }
    (void)rmdir(folder);
}

/* Four ranks to step 3, three to 7, one to 9, eight to the end. */
static void test_restarts(const char *data, const char *want, const char *folder)
{
    const struct {
        uint32_t ranks;
        uint64_t until;
    } parts[] = {{4, 3}, {3, 7}, {1, 9}, {8, STEPS}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        job j = {.data = data, .folder = folder, .resume = i > 0, .until = parts[i].until};
        CHECK(run_ranks(&j, parts[i].ranks, NULL, TN_OK));
        CHECK(strcmp(j.digest, want) == 0 || i < 3);
    }
}

/* One message between two ranks that expect other sizes of it. */
typedef struct peer {
    tn_transport transport;
    size_t sends, wants;
    const char *why;
} peer;

static void *pass_one(void *arg)
{
    enum { MOST = 16 };
    peer *p = arg;
    char given[MOST] = {0}, taken[MOST];
    tn_message messages[2] = {{NULL, 0, NULL, 0}, {NULL, 0, NULL, 0}};
    messages[p->transport.rank == 0] = (tn_message){given, p->sends, taken, p->wants};
    p->why = p->transport.exchange(p->transport.user, messages);
    return NULL;
}

static void test_sizes(size_t sends, size_t wants)
{
    pthread_t other;
    peer peers[2] = {{.sends = sends, .wants = 8}, {.sends = 8, .wants = wants}};
    tn_rank_group *group = tn_rank_group_new(2);
    if (!CHECK(group && tn_rank_group_transport(group, 0, &peers[0].transport) &&
               tn_rank_group_transport(group, 1, &peers[1].transport) &&
               pthread_create(&other, NULL, pass_one, &peers[1]) == 0))
        return;
    (void)pass_one(&peers[0]);
    (void)pthread_join(other, NULL);
    CHECK(!peers[0].why);
    CHECK((peers[1].why != NULL) == (sends != wants));
    tn_rank_group_free(group);
}

int main(void)
{
    char folder[] = "/tmp/tenon-ranks-XXXXXX", data[64], other[64], checkpoints[64];
    if (!CHECK(mkdtemp(folder)))
        return check_result();
    (void)snprintf(data, sizeof data, "%s/data.safetensors", folder);
    (void)snprintf(checkpoints, sizeof checkpoints, "%s/ck", folder);
    (void)snprintf(other, sizeof other, "%s/other.safetensors", folder);
    CHECK(write_data(data, 37) && write_data(other, 38));
    job alone = {.data = data, .until = STEPS};
    (void)run(&alone);
    CHECK_INT(alone.status, TN_OK);
    for (uint32_t ranks = 1; ranks <= MOST_RANKS; ranks++)
        for (uint64_t bytes = 0; bytes <= 120; bytes += 40) { /* from one message to one a weight */
            job j = {.data = data, .until = STEPS, .message_bytes = bytes, .forks = ranks == 2};
            CHECK(run_ranks(&j, ranks, NULL, TN_OK));
            CHECK_TEXT(j.digest, alone.digest);
            CHECK((j.elsewhere > 0) == (ranks > 1 && (bytes > 0 || (16 % ranks != 0))));
        }
    job large = {.data = data, .until = 2, .is_large = true};
    (void)run(&large);
    for (uint32_t ranks = 2; ranks <= 3; ranks++) {
        job j = {.data = data, .until = 2, .is_large = true};
        CHECK(run_ranks(&j, ranks, NULL, TN_OK));
        CHECK_TEXT(j.digest, large.digest);
    }
    test_restarts(data, alone.digest, checkpoints);
    job usual = {.data = data, .until = STEPS};
    const job odd[] = {{.data = data, .until = STEPS, .seed = 1},
                       {.data = data, .until = STEPS, .message_bytes = 40},
                       {.data = other, .until = STEPS},
                       {.data = data, .until = STEPS, .is_large = true}};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        CHECK(run_ranks(&usual, 2, &odd[i], TN_ERR_INPUT));
    for (int noise = 1; noise < 12; noise++) {
        job damaged = {.data = data, .until = STEPS, .noise = noise, .is_large = noise % 2};
        CHECK(run_ranks(&damaged, 2, NULL, TN_ERR_UNAVAILABLE));
    }
    job both = {.data = data, .until = STEPS, .epochs = 1};
    (void)run(&both);
    CHECK_INT(both.status, TN_ERR_USAGE); /* steps and epochs */
    test_sizes(8, 8);
    test_sizes(9, 8);
    test_sizes(8, 9);
    test_sizes(0, 8);
    tn_transport none;
    tn_rank_group *group = tn_rank_group_new(2);
    CHECK(group && !tn_rank_group_transport(group, 2, &none));
    tn_rank_group_free(group);
    CHECK(!tn_rank_group_new(0));
    remove_folder(checkpoints);
    (void)unlink(data);
    (void)unlink(other);
    (void)rmdir(folder);
    return check_result();
}
