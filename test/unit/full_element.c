/* Elements in loop programs against the evaluator, interpreted and compiled. */
#include "element_cases.h"

static void test_refusals(void)
{
    arena memory;
    loop_builder b;
    element r;
    loop_value fails;
    arena_init(&memory, &memory_system);
    loop_init(&b, &memory);
    const element x = element_zero(&b, TN_F32, 4), c = element_zero(&b, TN_CF32, 4);
    CHECK(!element_op(&b, OP_SUM, &attrs_none, &x, 1, TN_F32, &r, &fails));
    CHECK(!element_op(&b, OP_INPUT, &attrs_none, NULL, 0, TN_F32, &r, &fails));
    CHECK(!element_op(&b, OP_CAST, &attrs_none, &c, 1, TN_F32, &r, &fails));
    CHECK(!element_identity(&b, FOLD_PROD, TN_CF64, 4, &r));
    CHECK(!loop_failed(&b));
    arena_release(&memory);
}

/* An allocator that gives nothing after some requests. */
typedef struct stingy {
    int left;
} stingy;

static void *stingy_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    stingy *s = user;
    if (new_size > 0 && s->left-- <= 0)
        return NULL;
    return memory_system.resize(memory_system.user, block, old_size, new_size);
}

static void test_no_memory(void)
{
    bool done = false;
    for (int left = 0; !done && CHECK(left < 100); left++) {
        stingy s = {left};
        const tn_allocator allocator = {stingy_resize, &s};
        arena memory;
        loop_builder b;
        element r[3] = {{0}};
        loop_value fails;
        arena_init(&memory, &allocator);
        loop_init(&b, &memory);
        const element x = element_load(&b, TN_CF32, loop_buffer(&b, 0), 64, 8);
        (void)element_op(&b, OP_DIV, &attrs_none, (const element[]){x, x}, 2, TN_CF32, r, &fails);
        element_store(&b, loop_buffer(&b, 1), r[0], 8);
        const element y = element_load(&b, TN_F16, loop_buffer(&b, 2), 16, 2);
        (void)element_op(&b, OP_TANH, &attrs_none, &y, 1, TN_F16, &r[1], &fails);
        element_store(&b, loop_buffer(&b, 3), r[1], 2);
        const element_draws from = {.seed = loop_i64(&b, 1)};
        r[2] = element_normal(&b, TN_F64, &from, loop_ramp(&b, LOOP_I64, 8));
        element_stream(&b, loop_buffer(&b, 4), r[2]);
        done = loop_finish(&b) != NULL;
        arena_release(&memory);
    }
}

int main(void)
{
    job_list l;
    jobs_init(&l);
    add_everything(&l);
    jobs_interpret(&l);
    /* Compiled, one in a few programs, others for each processor; test/long/elements.c takes all.
     */
    for (uint32_t c = 0; c < JOB_CPUS; c++)
        jobs_compile(&l, job_cpus[c], 8 * c, 29);
    jobs_free(&l);
    test_refusals();
    test_no_memory();
    return check_result();
}
