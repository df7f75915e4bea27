/* Times the way from text to a canonical module through the public interface.
 *
 *     frontend module N     one generated module of about N instructions, phase by phase
 *     frontend network      a small classifier of twelve operations, many times
 *
 * Prints `key value` lines for frontend.py. Times are in nanoseconds: the best of several rounds in
 * processor time (module), the median of many on the clock (network). */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tenon/tenon.h"

enum { NETWORK_ROUNDS = 4001 };
enum phase { READ, VERIFY, CANONICALIZE, WRITE, PHASES };
static const char *const phase_names[PHASES] = {"read", "verify", "canonicalize", "write"};

/* ---- text ---- */

typedef struct growing {
    char *at;
    size_t n, cap;
} growing;

static void put(growing *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(growing *t, const char *format, ...)
{
    va_list args;

    if (t->cap - t->n < 1024) {
        t->cap = t->cap ? 2 * t->cap : 1 << 16;
        t->at = realloc(t->at, t->cap);
        if (!t->at) {
            fputs("frontend: no memory\n", stderr);
            exit(1);
        }
    }
    va_start(args, format);
    t->n += (size_t)vsnprintf(t->at + t->n, t->cap - t->n, format, args);
    va_end(args);
}

/* Layers of ten instructions, one of which is dead: what front ends of networks produce, with
 * operands out of order, negative axes and inferred extents for the canonical form to mend. */
static growing make_module(uint32_t instructions)
{
    growing t = {0};
    uint32_t x = 0, id = 1;

    put(&t, "%%0 = Input () {name=\"x\"} : tensor<f32>[32, 64]\n");
    for (uint32_t layer = 0; id + 10 <= instructions; layer++, id += 10) {
        put(&t,
            "%%%" PRIu32 " = ConstTensor () {dtype=f32, fill=%" PRIu32 ".5, shape=[64, 64]}"
            " : tensor<f32>[64, 64]\n",
            id, layer % 1000);
        put(&t,
            "%%%" PRIu32 " = ConstTensor () {data=[[%" PRIu32 ".25, 2.0, -3.0, 0.125]], dtype=f32,"
            " shape=[1, 4]} : tensor<f32>[1, 4]\n",
            id + 1, layer % 997);
        put(&t, "%%%" PRIu32 " = MatMul (%%%" PRIu32 ", %%%" PRIu32 ") : tensor<f32>[32, 64]\n",
            id + 2, x, id);
        put(&t,
            "%%%" PRIu32 " = Mean (%%%" PRIu32 ") {axes=[-1], keepdims=true}"
            " : tensor<f32>[32, 1]\n",
            id + 3, id + 2);
        put(&t,
            "%%%" PRIu32 " = BinOp (%%%" PRIu32 ", %%%" PRIu32 ") {op=Sub}"
            " : tensor<f32>[32, 64]\n",
            id + 4, id + 2, id + 3);
        put(&t,
            "%%%" PRIu32 " = Reshape (%%%" PRIu32 ") {new_shape=[-1, 4]}"
            " : tensor<f32>[512, 4]\n",
            id + 5, id + 4);
        put(&t,
            "%%%" PRIu32 " = BinOp (%%%" PRIu32 ", %%%" PRIu32 ") {op=Add}"
            " : tensor<f32>[512, 4]\n",
            id + 6, id + 5, id + 1);
        put(&t, "%%%" PRIu32 " = Relu (%%%" PRIu32 ") : tensor<f32>[512, 4]\n", id + 7, id + 6);
        put(&t, "%%%" PRIu32 " = Exp (%%%" PRIu32 ") : tensor<f32>[512, 4]\n", id + 8, id + 6);
        put(&t,
            "%%%" PRIu32 " = Reshape (%%%" PRIu32 ") {new_shape=[32, 64]}"
            " : tensor<f32>[32, 64]\n",
            id + 9, id + 7);
        x = id + 9;
    }
    put(&t, "outputs: %%%" PRIu32 "\n", x);
    return t;
}

/* 784-512-256-10 on a batch of 128: three layers and the logarithm of softmax. */
static const char network[] = "%0 = Input () {name=\"x\"} : tensor<f32>[128, 784]\n"
                              "%1 = Input () {name=\"w1\"} : tensor<f32>[784, 512]\n"
                              "%2 = Input () {name=\"b1\"} : tensor<f32>[512]\n"
                              "%3 = Input () {name=\"w2\"} : tensor<f32>[512, 256]\n"
                              "%4 = Input () {name=\"b2\"} : tensor<f32>[256]\n"
                              "%5 = Input () {name=\"w3\"} : tensor<f32>[256, 10]\n"
                              "%6 = Input () {name=\"b3\"} : tensor<f32>[10]\n"
                              "%7 = MatMul (%0, %1) : tensor<f32>[128, 512]\n"
                              "%8 = BinOp (%7, %2) {op=Add} : tensor<f32>[128, 512]\n"
                              "%9 = Relu (%8) : tensor<f32>[128, 512]\n"
                              "%10 = MatMul (%9, %3) : tensor<f32>[128, 256]\n"
                              "%11 = BinOp (%10, %4) {op=Add} : tensor<f32>[128, 256]\n"
                              "%12 = Relu (%11) : tensor<f32>[128, 256]\n"
                              "%13 = MatMul (%12, %5) : tensor<f32>[128, 10]\n"
                              "%14 = BinOp (%13, %6) {op=Add} : tensor<f32>[128, 10]\n"
                              "%15 = Exp (%14) : tensor<f32>[128, 10]\n"
                              "%16 = Sum (%15) {axes=[1], keepdims=true} : tensor<f32>[128, 1]\n"
                              "%17 = Log (%16) : tensor<f32>[128, 1]\n"
                              "%18 = BinOp (%14, %17) {op=Sub} : tensor<f32>[128, 10]\n"
                              "outputs: %18\n";

/* ---- measuring ---- */

typedef struct meter {
    size_t alive, peak, alive_read; /* alive_read: held once reading is done */
    size_t written;
    clockid_t clock;
} meter;

static void *metered_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    meter *m = user;
    void *out = NULL;

    if (new_size)
        out = realloc(block, new_size);
    else
        free(block);
    if (out || !new_size)
        m->alive += new_size - old_size;
    if (m->alive > m->peak)
        m->peak = m->alive;
    return out;
}

static bool count_bytes(void *user, const char *bytes, size_t n)
{
    (void)bytes;
    ((meter *)user)->written += n;
    return true;
}

static void print_diagnostic(void *user, const tn_diagnostic *d)
{
    (void)user;
    fprintf(stderr, "frontend: %s:%" PRIu32 ": %s\n", d->place.file, d->place.line, d->message);
}

static uint64_t now(clockid_t clock)
{
    struct timespec t;

    (void)clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* Take TEXT from bytes to canonical form once; the time of each phase goes to NS. */
static bool round_trip(tn_context *cx, const char *text, size_t n, meter *m, uint64_t ns[PHASES])
{
    tn_module *module = NULL;
    const tn_writer writer = {count_bytes, m};
    tn_status s;
    uint64_t start = now(m->clock), end;

    s = tn_module_read(cx, &(tn_read_options){.dialect = "mind"}, text, n, &module);
    end = now(m->clock);
    ns[READ] = end - start;
    if (s != TN_OK)
        return false;
    m->alive_read = m->alive;
    start = now(m->clock);
    s = tn_module_verify(module);
    end = now(m->clock);
    ns[VERIFY] = end - start;
    if (s == TN_OK) {
        start = now(m->clock);
        s = tn_module_run_passes(module, "canonicalize", NULL);
        end = now(m->clock);
        ns[CANONICALIZE] = end - start;
    }
    if (s == TN_OK) {
        start = now(m->clock);
        s = tn_module_write(module, NULL, NULL, &writer);
        end = now(m->clock);
        ns[WRITE] = end - start;
    }
    tn_module_free(module);
    return s == TN_OK;
}

static int time_module(uint32_t instructions)
{
    growing t = make_module(instructions);
    uint64_t best[PHASES] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    const int rounds = instructions >= 500000 ? 5 : 9;
    /* Large modules take longer than the machine's other work leaves alone: count own time. */
    meter m = {.clock = CLOCK_THREAD_CPUTIME_ID};
    const tn_allocator allocator = {metered_resize, &m};
    const tn_diagnostic_sink sink = {print_diagnostic, NULL};

    for (int round = 0; round < rounds; round++) {
        uint64_t ns[PHASES] = {0};
        tn_context *cx = tn_context_new(&allocator, &sink);
        bool ok = cx && round_trip(cx, t.at, t.n, &m, ns);

        tn_context_free(cx);
        if (!ok) {
            free(t.at);
            return 1;
        }
        for (int p = 0; p < PHASES; p++)
            best[p] = ns[p] < best[p] ? ns[p] : best[p];
    }
    for (int p = 0; p < PHASES; p++)
        printf("%s %" PRIu64 "\n", phase_names[p], best[p]);
    printf("bytes %zu\npeak %zu\nread_bytes %zu\nleaked %zu\n", t.n, m.peak, m.alive_read, m.alive);
    free(t.at);
    return 0;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static int time_network(void)
{
    static uint64_t ns[PHASES + 1][NETWORK_ROUNDS];
    meter m = {.clock = CLOCK_MONOTONIC}; /* cheap to read */
    const tn_allocator allocator = {metered_resize, &m};
    const tn_diagnostic_sink sink = {print_diagnostic, NULL};
    tn_context *cx = tn_context_new(&allocator, &sink);

    for (int round = 0; cx && round < NETWORK_ROUNDS; round++) {
        uint64_t one[PHASES] = {0};

        if (!round_trip(cx, network, sizeof network - 1, &m, one)) {
            tn_context_free(cx);
            return 1;
        }
        for (int p = 0; p < PHASES; p++)
            ns[p][round] = one[p];
        ns[PHASES][round] = one[READ] + one[VERIFY] + one[CANONICALIZE];
    }
    if (!cx)
        return 1;
    tn_context_free(cx);
    for (int p = 0; p <= PHASES; p++) {
        qsort(ns[p], NETWORK_ROUNDS, sizeof ns[p][0], by_size);
        printf("%s %" PRIu64 "\n", p < PHASES ? phase_names[p] : "total",
               ns[p][NETWORK_ROUNDS / 2]);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "module"))
        return time_module((uint32_t)strtoul(argv[2], NULL, 10));
    if (argc == 2 && !strcmp(argv[1], "network"))
        return time_network();
    fputs("usage: frontend module N | frontend network\n", stderr);
    return 2;
}
