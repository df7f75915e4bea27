/* Tapes: places of buffers, order, control flow, failures, threads. Kernels here are C functions on
 * int32 elements. */
#include "runtime/tape.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"

enum { N = 1000, BYTES = N * 4 };

static int32_t *ints(char *p)
{
    return (int32_t *)(void *)p;
}

/* buffers: a, b, sum */
static int32_t add(char *const *buffers, int64_t begin, int64_t end, char *scratch)
{
    (void)scratch;
    for (int64_t i = begin; i < end; i++)
        ints(buffers[2])[i] = ints(buffers[0])[i] + ints(buffers[1])[i];
    return 0;
}

/* a -> a + 1 */
static int32_t increase(char *const *buffers, int64_t begin, int64_t end, char *scratch)
{
    (void)scratch;
    for (int64_t i = begin; i < end; i++)
        ints(buffers[1])[i] = ints(buffers[0])[i] + 1;
    return 0;
}

/* a, b -> b, a */
static int32_t exchange(char *const *buffers, int64_t begin, int64_t end, char *scratch)
{
    (void)scratch;
    for (int64_t i = begin; i < end; i++) {
        const int32_t a = ints(buffers[0])[i], b = ints(buffers[1])[i];
        ints(buffers[2])[i] = b;
        ints(buffers[3])[i] = a;
    }
    return 0;
}

/* (i, limit) -> i < limit, one byte */
static int32_t less(char *const *buffers, int64_t begin, int64_t end, char *scratch)
{
    (void)begin;
    (void)end;
    (void)scratch;
    *buffers[2] = ints(buffers[0])[0] < ints(buffers[1])[0];
    return 0;
}

/* Fails with 7 when an element is negative, after it wrote. */
static int32_t only_positive(char *const *buffers, int64_t begin, int64_t end, char *scratch)
{
    int32_t code = 0;
    (void)scratch;
    for (int64_t i = begin; i < end; i++) {
        ints(buffers[1])[i] = ints(buffers[0])[i];
        code = ints(buffers[0])[i] < 0 ? 7 : code;
    }
    return code;
}

/* Sums in scratch memory of its own. */
static int32_t sum_rows(char *const *buffers, int64_t begin, int64_t end, char *scratch)
{
    int32_t *own = ints(scratch);
    for (int64_t i = begin; i < end; i++) {
        memset(own, 0, 64);
        for (int k = 0; k < 10; k++)
            own[k % 16] += ints(buffers[0])[i * 10 + k];
        ints(buffers[1])[i] = 0;
        for (int k = 0; k < 16; k++)
            ints(buffers[1])[i] += own[k];
    }
    return 0;
}

/* The functions of all executables here, by number. */
static exe_kernel *code[16];
static uint32_t n_code;

static uint32_t code_of(exe_kernel *kernel)
{
    uint32_t i = 0;
    while (i < n_code && code[i] != kernel)
        i++;
    if (i == n_code)
        code[n_code++] = kernel;
    return i;
}

static exe_host fail_on_host;
static exe_host *const calls[] = {fail_on_host};

/* X, finished and loaded. */
static tape *finish(executable *x)
{
    CHECK(exe_finish(x) == TN_OK);
    return tape_load(x, code, n_code, calls);
}

static void add_step(executable *t, uint32_t block, exe_kernel *kernel, int64_t extent,
                     uint32_t n_read, const exe_buffer *buffers, const uint32_t (*in_place)[2])
{
    const exe_step s = {.kind = EXE_KERNEL,
                        .name = "kernel",
                        .buffers = buffers,
                        .n_read = n_read,
                        .n_written = 1,
                        .code = code_of(kernel),
                        .may_fail = kernel == only_positive,
                        .extent = extent,
                        .grain = 100,
                        .scratch = kernel == sum_rows ? 64 : 0,
                        .in_place = in_place,
                        .n_in_place = in_place != NULL};
    exe_step_add(t, block, &s);
}

static void unary(executable *t, uint32_t block, exe_kernel *kernel, int64_t extent, exe_buffer in,
                  exe_buffer out, bool in_place)
{
    static const uint32_t first[][2] = {{0, 1}};
    add_step(t, block, kernel, extent, 1, (exe_buffer[]){in, out}, in_place ? first : NULL);
}

static void binary(executable *t, uint32_t block, exe_kernel *kernel, int64_t extent, exe_buffer a,
                   exe_buffer b, exe_buffer out)
{
    add_step(t, block, kernel, extent, 2, (exe_buffer[]){a, b, out}, NULL);
}

static tape_result run_on(tape *t, const void *in, void *out, workers *w)
{
    return tape_run(t, &in, &out, &(tape_run_options){.workers = w});
}

static void count_up(int32_t *x)
{
    for (int32_t i = 0; i < N; i++)
        x[i] = i;
}

/* ---- one block ---- */

/* A chain of steps needs two places without in-place steps and one with them; none when it ends in
 * the output. */
static void test_places(void)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        executable *t = exe_new(&memory_system);
        const uint32_t block = exe_block_add(t, 1, 1);
        int32_t x[N], y[N];
        exe_buffer last = exe_input(t, block, 0, BYTES), first = EXE_NO_BUFFER;
        for (int k = 0; k < 9; k++) {
            const exe_buffer next = exe_temp(t, block, BYTES);
            unary(t, block, increase, N, last, next, in_place);
            first = first == EXE_NO_BUFFER ? next : first;
            last = next;
        }
        unary(t, block, increase, N, last, exe_output(t, block, 0, BYTES), in_place);
        tape *run = finish(t);
        CHECK_INT(exe_bytes(t, 1) / BYTES, in_place ? 0 : 2);
        CHECK((exe_place_of(t, block, first) == UINT64_MAX) == in_place);
        CHECK_INT(exe_step_count(t, block), 10);
        CHECK_TEXT(exe_step_at(t, block, 3)->name, "kernel");
        count_up(x);
        CHECK_INT(run_on(run, x, y, NULL).outcome, TAPE_DONE);
        CHECK_INT(y[0], 10);
        CHECK_INT(y[N - 1], N + 9);
        tape_free(run);
    }
}

/* Random steps on random buffers, against the same with every buffer apart. */
static void test_random_places(void)
{
    enum { STEPS = 60, WIDE = 200 };
    unsigned seed = 1;
    for (int round = 0; round < 30; round++) {
        executable *t = exe_new(&memory_system);
        const uint32_t block = exe_block_add(t, 1, 1);
        exe_buffer made[STEPS + 1];
        int64_t width[STEPS + 1];
        int32_t *want[STEPS + 1], x[WIDE];
        made[0] = exe_input(t, block, 0, sizeof x);
        width[0] = WIDE;
        for (int i = 0; i < WIDE; i++)
            x[i] = i * 7;
        want[0] = x;
        for (int k = 1; k <= STEPS; k++) {
            const int a = rand_r(&seed) % k, b = rand_r(&seed) % k;
            const int64_t least = width[a] < width[b] ? width[a] : width[b];
            width[k] = k == STEPS ? 1 : 1 + rand_r(&seed) % least;
            want[k] = malloc((size_t)width[k] * 4);
            if (!CHECK(want[k]))
                return;
            made[k] = k == STEPS ? exe_output(t, block, 0, 4)
                                 : exe_temp(t, block, (uint64_t)width[k] * 4);
            for (int64_t i = 0; i < width[k]; i++) {
                const uint32_t s =
                    (uint32_t)want[a][i] + (a == b || k % 3 == 0 ? 1U : (uint32_t)want[b][i]);
                want[k][i] = (int32_t)s;
            }
            if (a == b || k % 3 == 0)
                unary(t, block, increase, width[k], made[a], made[k], k % 2);
            else
                binary(t, block, add, width[k], made[a], made[b], made[k]);
        }
        int32_t y = 0;
        tape *run = finish(t);
        for (int again = 0; again < 2; again++) {
            y = 0;
            CHECK_INT(run_on(run, x, &y, NULL).outcome, TAPE_DONE);
            CHECK_INT(y, want[STEPS][0]);
        }
        for (int k = 1; k <= STEPS; k++)
            free(want[k]);
        tape_free(run);
    }
}

static void test_views(void)
{
    executable *t = exe_new(&memory_system);
    const uint32_t block = exe_block_add(t, 1, 2);
    static const int32_t ones[N / 2] = {1, 1, 1};
    int32_t x[N], y[N], z[N / 2];
    const exe_buffer in = exe_input(t, block, 0, BYTES), out = exe_output(t, block, 0, BYTES);
    const exe_buffer low = exe_view(t, block, out, 0, BYTES / 2);
    const exe_buffer high = exe_view(t, block, out, BYTES / 2, BYTES / 2);
    const exe_buffer part = exe_view(t, block, exe_view(t, block, in, 8, BYTES - 8), 8, 400);
    const exe_buffer temp = exe_temp(t, block, BYTES);
    unary(t, block, increase, N, in, temp, false);
    unary(t, block, increase, N / 2, exe_view(t, block, temp, 0, BYTES / 2), high, true);
    binary(t, block, add, N / 2, exe_constant(t, block, ones, sizeof ones),
           exe_view(t, block, temp, BYTES / 2, BYTES / 2), low);
    unary(t, block, increase, 100, part, exe_output(t, block, 1, BYTES / 2), false);
    tape *run = finish(t);
    count_up(x);
    const void *inputs[] = {x};
    void *outputs[] = {y, z};
    CHECK_INT(tape_run(run, inputs, outputs, &(tape_run_options){0}).outcome, TAPE_DONE);
    CHECK_INT(y[N / 2], 2);
    CHECK_INT(y[0], N / 2 + 2);
    CHECK_INT(y[5], N / 2 + 6);
    CHECK_INT(z[0], 5);
    tape_free(run);
}

static void test_scratch_and_threads(void)
{
    executable *t = exe_new(&memory_system);
    const uint32_t block = exe_block_add(t, 1, 1);
    static int32_t x[N * 10], y[N];
    unary(t, block, sum_rows, N, exe_input(t, block, 0, sizeof x),
          exe_output(t, block, 0, sizeof y), false);
    tape *run = finish(t);
    CHECK_INT(exe_bytes(t, 3) - exe_bytes(t, 1), 128);
    for (int i = 0; i < N * 10; i++)
        x[i] = i;
    for (uint32_t n = 1; n < 9; n += n) {
        workers *w = workers_new(&memory_system, n);
        memset(y, 0, sizeof y);
        CHECK_INT(run_on(run, x, y, w).outcome, TAPE_DONE);
        bool right = true;
        for (int i = 0; i < N; i++)
            right = right && y[i] == 100 * i + 45;
        CHECK(right);
        workers_free(w);
    }
    tape_free(run);
}

/* ---- failures ---- */

static tn_status fail_on_host(const void *what, char *const *buffers, void *host)
{
    (void)buffers;
    return host ? TN_OK : *(const tn_status *)what;
}

static void test_failures(void)
{
    static const tn_status status = TN_ERR_RUN;
    int32_t x[N], y[2][N], kept[N];
    executable *t = exe_new(&memory_system);
    const uint32_t block = exe_block_add(t, 1, 2);
    const exe_buffer in = exe_input(t, block, 0, BYTES), out = exe_output(t, block, 0, BYTES);
    unary(t, block, increase, N, in, out, false);
    unary(t, block, only_positive, N, in, exe_output(t, block, 1, BYTES), false);
    const exe_step host = {.kind = EXE_HOST, .what = &status, .call = 0};
    exe_step_add(t, block, &host);
    tape *run = finish(t);
    const void *inputs[] = {x};
    void *outputs[] = {y[0], y[1]};
    const bool guarded[] = {true, true};
    tape_run_options o = {.guarded = guarded};
    count_up(x);
    memset(y, 0x55, sizeof y);
    memset(kept, 0x55, sizeof kept);
    tape_result r = tape_run(run, inputs, outputs, &o);
    CHECK_INT(r.outcome, TAPE_HOST_FAILED);
    CHECK_INT(r.status, TN_ERR_RUN);
    CHECK(r.step && r.step->what == &status);
    x[N / 2] = -1;
    r = tape_run(run, inputs, outputs, &o);
    CHECK_INT(r.outcome, TAPE_KERNEL_FAILED);
    CHECK_INT(r.code, 7);
    CHECK(memcmp(y[0], kept, BYTES) == 0 && memcmp(y[1], kept, BYTES) == 0);
    o.discards = true; /* then they may, without memory to hold them */
    r = tape_run(run, inputs, outputs, &o);
    CHECK_INT(r.outcome, TAPE_KERNEL_FAILED);
    CHECK(y[0][3] == 4 && y[1][3] == 3);
    o.discards = false;
    x[N / 2] = 5;
    o.host = x;
    CHECK_INT(tape_run(run, inputs, outputs, &o).outcome, TAPE_DONE);
    CHECK(y[0][N / 2] == 6 && y[1][N / 2] == 5);

    /* an output over the input */
    outputs[1] = x;
    CHECK_INT(tape_run(run, inputs, outputs, &o).outcome, TAPE_DONE);
    CHECK(y[0][3] == 4 && x[3] == 3);
    o.deadline = 1;
    CHECK_INT(tape_run(run, inputs, outputs, &o).outcome, TAPE_STOPPED);
    tape_free(run);
}

/* An output may be written straight over an input only where every step allows it. */
static void test_over_input(void)
{
    for (int is_read_later = 0; is_read_later < 2; is_read_later++) {
        executable *t = exe_new(&memory_system);
        const uint32_t block = exe_block_add(t, 1, 2);
        const exe_buffer in = exe_input(t, block, 0, BYTES), temp = exe_temp(t, block, BYTES);
        const exe_buffer out = exe_output(t, block, 0, BYTES);
        const exe_buffer other = exe_output(t, block, 1, BYTES);
        unary(t, block, increase, N, in, temp, true);
        unary(t, block, increase, N, temp, out, true);
        unary(t, block, increase, N, is_read_later ? in : out, other, false);
        tape *run = finish(t);
        int32_t x[N], y[N];
        const void *inputs[] = {x};
        void *outputs[] = {x, y};
        const bool guarded[] = {true, true};
        count_up(x);
        CHECK_INT(tape_run(run, inputs, outputs, &(tape_run_options){.guarded = guarded}).outcome,
                  TAPE_DONE);
        CHECK(x[0] == 2 && x[N - 1] == N + 1 && y[0] == (is_read_later ? 1 : 3));
        tape_free(run);
    }
}

typedef struct told {
    int32_t (*outputs)[N];
    int n, order[8], last[8]; /* which, and its last element then */
} told;

static void note_written(void *user, size_t output)
{
    told *t = user;
    t->last[t->n] = t->outputs[output][N - 1];
    t->order[t->n++] = (int)output;
}

/* Outputs are told of when no step names them any more: 1 at once, 0 after it was read; what is
 * copied at the end, 2 and what lay over the input, last. */
static void test_written(void)
{
    for (int is_over = 0; is_over < 2; is_over++) {
        executable *t = exe_new(&memory_system);
        const uint32_t block = exe_block_add(t, 1, 4);
        const exe_buffer in = exe_input(t, block, 0, BYTES), temp = exe_temp(t, block, BYTES);
        exe_buffer out[4];
        for (uint32_t k = 0; k < 4; k += k == 1 ? 2 : 1)
            out[k] = exe_output(t, block, k, BYTES);
        exe_pass(t, block, 2, 0);
        unary(t, block, increase, N, in, out[1], false);
        unary(t, block, increase, N, in, out[0], false);
        unary(t, block, increase, N, out[0], temp, false);
        unary(t, block, increase, N, temp, out[3], false);
        tape *run = finish(t);
        static int32_t y[4][N];
        told what = {.outputs = y};
        int32_t x[N];
        int32_t *from = is_over ? y[3] : x;
        const void *inputs[] = {from};
        void *outputs[] = {y[0], y[1], y[2], y[3]};
        const bool guarded[] = {true, true, true, true};
        const tape_run_options o = {
            .guarded = guarded, .discards = true, .written = note_written, .written_user = &what};
        count_up(from);
        CHECK_INT(tape_run(run, inputs, outputs, &o).outcome, TAPE_DONE);
        const int order[2][4] = {{1, 0, 3, 2}, {1, 0, 2, 3}};
        const int last[2][4] = {{N + 1, N + 1, N + 3, N}, {N + 1, N + 1, N, N + 3}};
        CHECK_INT(what.n, 4);
        for (int i = 0; i < 4; i++) {
            CHECK_INT(what.order[i], order[is_over][i]);
            CHECK_INT(what.last[i], last[is_over][i] - 1);
        }
        tape_free(run);
    }
}

static void *count_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    *(size_t *)user += new_size;
    return memory_system.resize(memory_system.user, block, old_size, new_size);
}

/* A step that may write its results over any of its operands does so without other memory. */
static void test_over_several(void)
{
    static const uint32_t pairs[][2] = {{0, 2}, {1, 2}, {0, 3}, {1, 3}};
    size_t taken = 0;
    const tn_allocator counting = {.user = &taken, .resize = count_resize};
    executable *t = exe_new(&counting);
    const uint32_t block = exe_block_add(t, 2, 2);
    const exe_buffer of[] = {exe_input(t, block, 0, BYTES), exe_input(t, block, 1, BYTES),
                             exe_output(t, block, 0, BYTES), exe_output(t, block, 1, BYTES)};
    exe_step_add(t, block,
                 &(exe_step){.kind = EXE_KERNEL,
                             .code = code_of(exchange),
                             .buffers = of,
                             .n_read = 2,
                             .n_written = 2,
                             .in_place = pairs,
                             .n_in_place = 4,
                             .extent = N});
    tape *run = finish(t);
    int32_t x[N], y[N];
    const void *inputs[] = {x, y};
    const bool guarded[] = {true, true};
    count_up(x);
    memset(y, 0, sizeof y);
    for (int i = 0; i < 2; i++) { /* each over the one, then over the other */
        void *outputs[] = {i ? y : x, i ? x : y};
        const size_t before = taken;
        CHECK_INT(tape_run(run, inputs, outputs, &(tape_run_options){.guarded = guarded}).outcome,
                  TAPE_DONE);
        CHECK(taken - before < BYTES);
    }
    CHECK(x[7] == 0 && y[7] == 7);
    tape_free(run);
}

static void test_malformed(void)
{
    executable *t = exe_new(&memory_system);
    CHECK(exe_finish(t) == TN_ERR_INTERNAL); /* no block */
    exe_free(t);

    t = exe_new(&memory_system);
    (void)exe_block_add(t, 0, 1);
    CHECK(exe_finish(t) == TN_ERR_INTERNAL); /* nothing fills the output */
    exe_free(t);

    t = exe_new(&memory_system);
    uint32_t block = exe_block_add(t, 1, 0);
    const exe_buffer in = exe_input(t, block, 0, 64);
    (void)exe_view(t, block, in, 60, 5);
    CHECK(exe_finish(t) == TN_ERR_INTERNAL);
    exe_free(t);

    t = exe_new(&memory_system);
    block = exe_block_add(t, 0, 0);
    (void)exe_temp(t, block, UINT64_MAX);
    CHECK(exe_finish(t) == TN_ERR_UNAVAILABLE); /* larger than memory can be */
    exe_free(t);

    t = exe_new(&memory_system); /* a region inside itself */
    (void)exe_block_add(t, 0, 0);
    block = exe_block_add(t, 0, 0);
    const exe_step scan = {.kind = EXE_SCAN, .region = {block}, .iterations = 1};
    exe_step_add(t, 0, &scan);
    exe_step_add(t, block, &scan);
    CHECK(exe_finish(t) == TN_ERR_INTERNAL);
    exe_free(t);
    tape_free(NULL);
}

/* ---- control flow ---- */

/* while (i < limit) { x = x + x (or x + 1 in place); i = i + 1 }, on carries i, limit, x */
static void test_while(bool in_place)
{
    executable *t = exe_new(&memory_system);
    const uint32_t block = exe_block_add(t, 3, 2);
    const uint32_t cond = exe_block_add(t, 3, 4), body = exe_block_add(t, 3, 3);
    exe_buffer b[6];
    for (uint32_t k = 0; k < 3; k++)
        b[k] = exe_input(t, block, k, k == 2 ? BYTES : 4);
    b[3] = exe_output(t, block, 0, 4);
    b[4] = exe_temp(t, block, 4);
    b[5] = exe_output(t, block, 1, BYTES);
    const exe_step loop = {
        .kind = EXE_WHILE, .buffers = b, .n_read = 3, .n_written = 3, .region = {cond, body}};
    exe_step_add(t, block, &loop);

    exe_buffer i = exe_input(t, cond, 0, 4), limit = exe_input(t, cond, 1, 4);
    (void)exe_input(t, cond, 2, BYTES);
    binary(t, cond, less, 1, i, limit, exe_output(t, cond, 0, 1));
    for (uint32_t k = 0; k < 3; k++)
        if (k != 2 || in_place)
            exe_pass(t, cond, 1 + k, k);
    if (!in_place) /* the condition changes x as well */
        unary(t, cond, increase, N, 2, exe_output(t, cond, 3, BYTES), true);

    i = exe_input(t, body, 0, 4);
    (void)exe_input(t, body, 1, 4);
    exe_pass(t, body, 1, 1);
    const exe_buffer x = exe_input(t, body, 2, BYTES), twice = exe_temp(t, body, BYTES);
    unary(t, body, increase, 1, i, exe_output(t, body, 0, 4), true);
    if (in_place) {
        unary(t, body, increase, N, x, twice, true);
        unary(t, body, increase, N, twice, exe_output(t, body, 2, BYTES), true);
    } else {
        binary(t, body, add, N, x, x, exe_output(t, body, 2, BYTES));
    }
    tape *run = finish(t);
    CHECK(exe_place_of(t, block, b[4]) == UINT64_MAX); /* the limit where it is, not copied */
    for (int32_t turns = 0; turns < 6; turns++) {
        int32_t start = 0, result = -1, in[N], out[N];
        count_up(in);
        const void *inputs[] = {&start, &turns, in};
        void *outputs[] = {&result, out};
        CHECK_INT(tape_run(run, inputs, outputs, &(tape_run_options){0}).outcome, TAPE_DONE);
        CHECK_INT(result, turns);
        int32_t want = 7 + (in_place ? 0 : 1);
        for (int32_t k = 0; k < turns; k++)
            want = in_place ? want + 2 : 2 * want + 1;
        CHECK_INT(out[7], want);
        CHECK_INT(in[7], 7); /* the caller's */
    }
    tape_free(run);
}

/* A swap of two carries beside a sum of rows; stacks the rows too. */
static void test_scan(void)
{
    enum { ROWS = 5, WIDE = 4 };
    executable *t = exe_new(&memory_system);
    const uint32_t block = exe_block_add(t, 4, 4), body = exe_block_add(t, 4, 4);
    exe_buffer b[8];
    for (uint32_t k = 0; k < 4; k++) {
        const uint64_t bytes = (k < 3 ? 1 : ROWS) * WIDE * 4;
        b[k] = exe_input(t, block, k, bytes);
        b[4 + k] = exe_output(t, block, k, bytes);
    }
    const exe_step loop = {.kind = EXE_SCAN,
                           .buffers = b,
                           .n_read = 4,
                           .n_written = 4,
                           .region = {body},
                           .n_carries = 3,
                           .iterations = ROWS};
    exe_step_add(t, block, &loop);
    for (uint32_t k = 0; k < 4; k++)
        b[k] = exe_input(t, body, k, WIDE * 4);
    exe_pass(t, body, 0, 1);
    exe_pass(t, body, 1, 0);
    binary(t, body, add, WIDE, b[2], b[3], exe_output(t, body, 2, WIDE * 4));
    exe_pass(t, body, 3, 3);
    tape *run = finish(t);
    int32_t in[4][ROWS * WIDE], out[4][ROWS * WIDE];
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < ROWS * WIDE; i++)
            in[k][i] = 100 * k + i;
    const void *inputs[] = {in[0], in[1], in[2], in[3]};
    void *outputs[] = {out[0], out[1], out[2], out[3]};
    CHECK_INT(tape_run(run, inputs, outputs, &(tape_run_options){0}).outcome, TAPE_DONE);
    CHECK_INT(out[0][2], 102); /* an odd number of swaps */
    CHECK_INT(out[1][2], 2);
    CHECK_INT(out[2][1], 201 + 5 * 301 + (0 + 1 + 2 + 3 + 4) * 4);
    CHECK(memcmp(out[3], in[3], sizeof in[3]) == 0);
    tape_free(run);
}

static void test_cond(void)
{
    executable *t = exe_new(&memory_system);
    const uint32_t block = exe_block_add(t, 2, 1);
    const uint32_t yes = exe_block_add(t, 1, 1), no = exe_block_add(t, 1, 1);
    const exe_buffer b[] = {exe_input(t, block, 0, 1), exe_input(t, block, 1, BYTES),
                            exe_output(t, block, 0, BYTES)};
    const exe_step cond = {
        .kind = EXE_COND, .buffers = b, .n_read = 2, .n_written = 1, .region = {yes, no}};
    exe_step_add(t, block, &cond);
    unary(t, yes, increase, N, exe_input(t, yes, 0, BYTES), exe_output(t, yes, 0, BYTES), true);
    (void)exe_input(t, no, 0, BYTES);
    exe_pass(t, no, 0, 0);
    tape *run = finish(t);
    for (uint8_t p = 0; p < 2; p++) {
        int32_t x[N], y[N];
        count_up(x);
        const void *inputs[] = {&p, x};
        void *outputs[] = {y};
        CHECK_INT(tape_run(run, inputs, outputs, &(tape_run_options){0}).outcome, TAPE_DONE);
        CHECK_INT(y[9], 9 + p);
        CHECK_INT(x[9], 9);
    }
    tape_free(run);
}

/* ---- a deadline inside of a kernel ---- */

static int64_t now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Copies items; the first one lasts until the deadline, which its buffer begins with. */
static int32_t last_until(char *const *buffers, int64_t begin, int64_t end, char *scratch)
{
    int64_t deadline;
    (void)scratch;
    memcpy(&deadline, buffers[0], sizeof deadline);
    while (begin == 0 && now() < deadline)
        (void)nanosleep(&(struct timespec){0, 1000000}, NULL);
    for (int64_t i = begin; i < end; i++)
        ints(buffers[1])[i] = ints(buffers[0])[i];
    return 0;
}

static void test_deadline(void)
{
    executable *t = exe_new(&memory_system);
    const uint32_t block = exe_block_add(t, 1, 1);
    const exe_buffer both[] = {exe_input(t, block, 0, BYTES), exe_output(t, block, 0, BYTES)};
    const exe_step s = {.kind = EXE_KERNEL,
                        .buffers = both,
                        .n_read = 1,
                        .n_written = 1,
                        .code = code_of(last_until),
                        .extent = N};
    exe_step_add(t, block, &s);
    tape *run = finish(t);
    int32_t x[N], y[N];
    const void *inputs[] = {x};
    void *outputs[] = {y};
    tape_result r;
    int64_t delay = 1000000; /* twice as much each time until a busy machine begins in time */
    do {
        const int64_t deadline = now() + delay;
        count_up(x);
        memcpy(x, &deadline, sizeof deadline);
        memset(y, 0x77, sizeof y);
        r = tape_run(run, inputs, outputs, &(tape_run_options){.deadline = deadline});
        delay *= 2;
    } while (r.outcome == TAPE_STOPPED && y[0] == 0x77777777);
    CHECK_INT(r.outcome, TAPE_STOPPED);
    CHECK(r.step && r.step->code == code_of(last_until) && y[0] == x[0] && y[N - 1] == 0x77777777);
    tape_free(run);
}

/* ---- profiles ---- */

typedef struct seen {
    uint32_t steps;
    bool in_order;
    int64_t last;
} seen;

static void see(void *user, const exe_step *step, int64_t begin, int64_t end, uint32_t threads)
{
    seen *s = user;
    s->steps++;
    s->in_order = s->in_order && step->name && begin >= s->last && end >= begin && threads == 1;
    s->last = end;
}

static void test_profile(void)
{
    executable *t = exe_new(&memory_system);
    const uint32_t block = exe_block_add(t, 1, 1);
    const exe_buffer temp = exe_temp(t, block, BYTES);
    unary(t, block, increase, N, exe_input(t, block, 0, BYTES), temp, false);
    unary(t, block, increase, N, temp, exe_output(t, block, 0, BYTES), false);
    tape *run = finish(t);
    int32_t x[N], y[N];
    seen s = {.in_order = true};
    const tape_profile profile = {&s, see, NULL};
    const void *inputs[] = {x};
    void *outputs[] = {y};
    count_up(x);
    (void)tape_run(run, inputs, outputs, &(tape_run_options){.profile = &profile});
    CHECK_INT(s.steps, 2);
    CHECK(s.in_order);
    tape_free(run);
}

/* Adds 1, and does not end before two threads are at it. */
static int32_t increase_together(char *const *buffers, int64_t begin, int64_t end, char *scratch)
{
    static atomic_int inside;
    (void)atomic_fetch_add(&inside, 1);
    for (long tries = 0; atomic_load(&inside) < 2 && tries < 1000000000; tries++)
        (void)sched_yield();
    return increase(buffers, begin, end, scratch);
}

typedef struct seen_spans {
    const tape_span *spans;
    bool ok;
} seen_spans;

static void see_spans(void *user, const exe_step *step, int64_t begin, int64_t end,
                      uint32_t threads)
{
    seen_spans *s = user;
    s->ok = step->name && threads == 2;
    for (int i = 0; i < 2; i++) {
        const tape_span *a = &s->spans[i];
        s->ok = s->ok && begin <= a->begin && a->begin <= a->end && a->end <= end && a->busy >= 0 &&
                a->busy <= a->end - a->begin;
    }
}

static void test_profile_of_threads(void)
{
    executable *t = exe_new(&memory_system);
    const uint32_t block = exe_block_add(t, 1, 1);
    unary(t, block, increase_together, N, exe_input(t, block, 0, BYTES),
          exe_output(t, block, 0, BYTES), false);
    tape *run = finish(t);
    workers *w = workers_new(&memory_system, 2);
    int32_t x[N], y[N];
    tape_span spans[2];
    memset(spans, 0x55, sizeof spans);
    seen_spans s = {.spans = spans};
    const tape_profile profile = {&s, see_spans, spans};
    const void *inputs[] = {x};
    void *outputs[] = {y};
    count_up(x);
    (void)tape_run(run, inputs, outputs, &(tape_run_options){.workers = w, .profile = &profile});
    CHECK(s.ok && y[N - 1] == N);
    workers_free(w);
    tape_free(run);
}

/* ---- several threads, and no memory ---- */

typedef struct runner {
    tape *t;
    workers *w;
    int32_t from;
    bool right;
} runner;

static void *run_often(void *user)
{
    runner *r = user;
    int32_t *x = malloc(BYTES), *y = malloc(BYTES);
    r->right = x && y;
    for (int k = 0; r->right && k < 500; k++) {
        for (int32_t i = 0; i < N; i++)
            x[i] = r->from + i + k;
        r->right = run_on(r->t, x, y, r->w).outcome == TAPE_DONE;
        for (int32_t i = 0; i < N; i++)
            r->right = r->right && y[i] == 2 * (x[i] + 2);
    }
    free(x);
    free(y);
    return NULL;
}

static tape *small_tape(const tn_allocator *a)
{
    executable *t = exe_new(a);
    if (!t)
        return NULL;
    const uint32_t block = exe_block_add(t, 1, 1);
    const exe_buffer p = exe_temp(t, block, BYTES), q = exe_temp(t, block, BYTES);
    unary(t, block, increase, N, exe_input(t, block, 0, BYTES), p, true);
    unary(t, block, increase, N, p, q, true);
    binary(t, block, add, N, q, q, exe_output(t, block, 0, BYTES));
    if (exe_finish(t) == TN_OK)
        return tape_load(t, code, n_code, calls);
    exe_free(t);
    return NULL;
}

static void test_concurrent_runs(void)
{
    enum { RUNNERS = 6 };
    runner runners[RUNNERS];
    pthread_t threads[RUNNERS];
    tape *t = small_tape(&memory_system);
    workers *w = workers_new(&memory_system, 3);
    for (int i = 0; i < RUNNERS; i++) {
        runners[i] = (runner){t, w, 1000 * i, false};
        if (!CHECK_INT(pthread_create(&threads[i], NULL, run_often, &runners[i]), 0))
            return;
    }
    for (int i = 0; i < RUNNERS; i++) {
        CHECK_INT(pthread_join(threads[i], NULL), 0);
        CHECK(runners[i].right);
    }
    tape_free(t);
    workers_free(w);
}

typedef struct budget {
    int left;
    long long bytes;
} budget;

static void *resize_until(void *user, void *block, size_t old_size, size_t new_size)
{
    budget *b = user;
    if (new_size > 0 && b->left-- <= 0)
        return NULL;
    b->bytes += (long long)new_size - (long long)old_size;
    return memory_system.resize(memory_system.user, block, old_size, new_size);
}

static void test_no_memory(void)
{
    bool done = false;
    for (int n = 0; n < 100 && !done; n++) {
        budget b = {n, 0};
        const tn_allocator a = {resize_until, &b};
        int32_t x[N], y[N];
        count_up(x);
        tape *t = small_tape(&a);
        if (t) {
            const tape_outcome outcome = run_on(t, x, y, NULL).outcome;
            CHECK(outcome == TAPE_DONE || outcome == TAPE_NO_MEMORY);
            done = outcome == TAPE_DONE && y[5] == 14;
        }
        tape_free(t);
        CHECK_INT(b.bytes, 0);
    }
    CHECK(done);
}

int main(void)
{
    test_places();
    test_random_places();
    test_views();
    test_scratch_and_threads();
    test_failures();
    test_over_input();
    test_written();
    test_over_several();
    test_malformed();
    test_while(false);
    test_while(true);
    test_scan();
    test_cond();
    test_deadline();
    test_profile();
    test_profile_of_threads();
    test_concurrent_runs();
    test_no_memory();
    return check_result();
}
