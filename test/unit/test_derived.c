/* Constants made of constants (graph/derived.h): the store, and programs with symbolic sizes whose
 * weights are constants. These are transposed, decoded and packed for the first binding; others
 * find what they need, on any thread, and what no binding needs any more goes. */
#include <pthread.h>

#include "api_fixture.h"
#include "compile/compiled.h"
#include "graph/derived.h"
#include "target/target.h"

/* ---- the store ---- */

static derived part_of(payload *whole, const char *data)
{
    return (derived){data, payload_part(whole)};
}

static void key_for(derived_key *key, uint64_t number, const literal *l)
{
    derived_key_init(key, &memory_system);
    derived_key_number(key, number);
    if (l)
        derived_key_literal(key, l);
}

static void test_store(void)
{
    static const type byte = {.dtype = TN_UI8, .count = 1};
    meter m = {0};
    const tn_allocator counting = {metered, &m};
    void *room;
    derived_store *s = derived_store_new(&counting);
    payload *whole = payload_large(&counting, 5 << 20, &room);
    derived a = part_of(whole, room), b = part_of(whole, (char *)room + 64), found;
    payload_drop(whole);
    const literal of_a = {.type = &byte, .data = a.data, .bytes = 1, .shared = a.held};
    derived_key one, two, other;
    key_for(&one, 1, NULL);
    key_for(&two, 2, &of_a);
    key_for(&other, 3, &of_a);
    derived_lock(s);
    CHECK(!derived_find(s, &one, &found));
    derived_add(s, &one, &a);
    derived_add(s, &two, &b);
    CHECK(derived_find(s, &one, &found) && found.data == a.data);
    payload_drop(found.held);
    CHECK(derived_find(s, &two, &found) && found.data == b.data);
    CHECK(!derived_find(s, &other, &found));
    derived_unlock(s);

    /* what somebody holds stays, and what it is made of */
    payload_drop(a.held);
    payload_drop(b.held);
    derived_sweep(s);
    CHECK_INT(derived_kept(s), 2);
    payload_drop(found.held);
    derived_sweep(s);
    CHECK_INT(derived_kept(s), 0);
    CHECK_INT(derived_added(s), 2);
    derived_lock(s);
    CHECK(!derived_find(s, &one, &found));
    derived_unlock(s);
    derived_key_release(&one);
    derived_key_release(&two);
    derived_key_release(&other);
    derived_store_free(s);
    CHECK_INT(m.alive, 0);
    CHECK_INT(m.wrong, 0);
}

/* The store loses nothing that is left, and finds nothing else, whatever goes. */
static void test_sweep(void)
{
    enum { N = 40 };
    void *room;
    derived made[N], found;
    derived_key key;
    derived_store *s = derived_store_new(&memory_system);
    for (uint64_t i = 0; i < N; i++) {
        made[i] = (derived){.held = payload_new(&memory_system, 1, &room)};
        made[i].data = room;
        key_for(&key, i, NULL);
        derived_add(s, &key, &made[i]);
        derived_key_release(&key);
    }
    for (int i = 0; i < N; i += 3)
        payload_drop(made[i].held);
    derived_sweep(s);
    for (uint64_t i = 0; i < N; i++) {
        key_for(&key, i, NULL);
        const bool is_there = derived_find(s, &key, &found);
        CHECK(is_there == (i % 3 != 0));
        if (is_there) {
            CHECK(found.data == made[i].data);
            payload_drop(found.held);
            payload_drop(made[i].held);
        }
        derived_key_release(&key);
    }
    derived_store_free(s);
}

/* ---- programs ---- */

/* Of U, [outputs, inputs] in 16 bits, a transposition is made, then decoded, then packed. */
static const char layers[] =
    "func @main(%x: tensor<f32, ?Bx256>, %w: tensor<f32, 256x160>, %u: tensor<f16, 96x640>, %v: "
    "tensor<f32, 160x640>) -> tensor<f32, ?Bx96> {\n"
    "  %p = dot_general(%x, %w) contract_lhs[1] contract_rhs[0] -> tensor<f32, ?Bx160>\n"
    "  %h = tanh(%p) -> tensor<f32, ?Bx160>\n"
    "  %q = dot_general(%h, %v) contract_lhs[1] contract_rhs[0] -> tensor<f32, ?Bx640>\n"
    "  %c = cast(%u) dtype[f32] -> tensor<f32, 96x640>\n"
    "  %t = transpose(%c) perm[1, 0] -> tensor<f32, 640x96>\n"
    "  %y = dot_general(%q, %t) contract_lhs[1] contract_rhs[0] -> tensor<f32, ?Bx96>\n"
    "  return %y\n}\n";

enum { WIDTH = 256, OUT = 96, MOST_ROWS = 300 };

static void fill_f32(float *x, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1664525 + 1013904223;
        x[i] = (float)(seed >> 16) / 65536 - 0.5F;
    }
}

/* The program with W, U and V as constants. */
static tn_program *compile_layers(tn_context *cx, const tn_compile_options *o)
{
    static float w[WIDTH * 160], v[160 * 640];
    static uint16_t u[OUT * 640];
    const tn_buffer values[] = {{w, sizeof w, {TN_F32, 2, {WIDTH, 160}}},
                                {u, sizeof u, {TN_F16, 2, {OUT, 640}}},
                                {v, sizeof v, {TN_F32, 2, {160, 640}}}};
    tn_module *m = NULL;
    tn_program *p = NULL;
    const tn_read_options read = {.dialect = "ptir-text"};
    fill_f32(w, sizeof w / sizeof *w, 1);
    fill_f32(v, sizeof v / sizeof *v, 2);
    for (size_t i = 0; i < sizeof u / sizeof *u; i++)
        u[i] = (uint16_t)(0x3000 + i * 37 % 0x800);
    CHECK_INT(tn_module_read(cx, &read, layers, strlen(layers), &m), TN_OK);
    for (size_t i = 3; m && i-- > 0;)
        CHECK_INT(tn_module_set_constant(m, 1 + i, &values[i]), TN_OK);
    CHECK_INT(tn_program_compile(m, o, &p), TN_OK);
    tn_module_free(m);
    return p;
}

static int run_layers(const tn_program *p, int64_t rows, float *y)
{
    float *x = malloc(sizeof *x * WIDTH * (size_t)rows);
    const tn_buffer in = {x, sizeof *x * WIDTH * (size_t)rows, {TN_F32, 2, {rows, WIDTH}}};
    tn_buffer out = {y, sizeof *y * OUT * (size_t)rows, {TN_F32, 2, {rows, OUT}}};
    fill_f32(x, WIDTH * (size_t)rows, (uint32_t)rows);
    const tn_status s = tn_program_run(p, &in, 1, &out, 1, NULL);
    free(x);
    return s != TN_OK;
}

/* Does P give the bits of the evaluator for a program with ROWS rows only? */
static void check_rows(tn_context *cx, const tn_program *p, int64_t rows)
{
    static float y[OUT * MOST_ROWS], z[OUT * MOST_ROWS];
    const tn_binding b = {"B", rows};
    tn_program *ref =
        compile_layers(cx, &(tn_compile_options){.engine = "ref", .bindings = &b, .n_bindings = 1});
    CHECK_INT(run_layers(p, rows, y), 0);
    CHECK_INT(run_layers(ref, rows, z), 0);
    CHECK(memcmp(y, z, sizeof *y * OUT * (size_t)rows) == 0);
    tn_program_free(ref);
}

static void test_bindings(tn_context *cx, const char *by, uint64_t fewest)
{
    static const int64_t rows[] = {70, 300, 1, 100, 3, 71};
    tn_program *p = compile_layers(cx, &(tn_compile_options){.engine = by});
    derived_store *s = p->engine->derived;
    check_rows(cx, p, 128);
    const uint64_t made = derived_added(s);
    CHECK(made >= fewest);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_rows(cx, p, rows[i]);
        CHECK_INT(derived_added(s), made);
    }
    tn_program_free(p);
}

typedef struct job {
    const tn_program *p;
    int64_t rows;
    int wrong;
} job;

static void *run_job(void *user)
{
    static const int more = 7;
    job *j = user;
    float *y = malloc(sizeof *y * OUT * MOST_ROWS);
    for (int i = 0; i < more; i++)
        j->wrong += run_layers(j->p, j->rows + i, y);
    free(y);
    return NULL;
}

static void test_threads(tn_context *cx)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    job jobs[THREADS];
    tn_program *once = compile_layers(cx, NULL), *p = compile_layers(cx, NULL);
    check_rows(cx, once, 128);
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (job){.p = p, .rows = 70 + 50 * i};
        CHECK_INT(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_INT(pthread_join(threads[i], NULL), 0);
        CHECK_INT(jobs[i].wrong, 0);
    }
    CHECK_INT(derived_added(p->engine->derived), derived_added(once->engine->derived));
    check_rows(cx, p, 128);
    tn_program_free(p);
    tn_program_free(once);
}

/* One row, with which the program has other nodes, wants the panels that many do; these outlive the
 * bindings that were not used for longest. */
static void test_eviction(tn_context *cx)
{
    static float y[OUT * MOST_ROWS];
    tn_program *p = compile_layers(cx, NULL);
    derived_store *s = p->engine->derived;
    CHECK_INT(run_layers(p, 128, y), 0);
    const uint32_t needed = derived_kept(s);
    CHECK_INT(run_layers(p, 1, y), 0);
    CHECK_INT(derived_kept(s), needed);
    for (int i = 0; i < MOST_VARIANTS; i++)
        CHECK_INT(run_layers(p, 129 + i, y), 0);
    CHECK_INT(derived_kept(s), needed);
    check_rows(cx, p, 128);
    tn_program_free(p);
}

int main(void)
{
    test_store();
    test_sweep();
    tn_context *cx = tn_context_new(NULL, NULL);
    test_bindings(cx, "ref", 1);
    if (target_llvm_is_installed())
        test_bindings(cx, "jit", 4);
    test_threads(cx);
    test_eviction(cx);
    tn_context_free(cx);
    return check_result();
}
