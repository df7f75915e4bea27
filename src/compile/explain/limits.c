/* Probes: chains of fused multiply-adds, and a sweep over more memory than caches hold. */
#include "compile/explain/limits.h"

#include "compile/jit.h"
#include "loop/ir/loop.h"

enum {
    CHAINS = 12, /* of vectors: more than the latency of an operation needs, and kept in registers
                    where there are 16 */
    ITERATIONS = 200000,
    SWEEP = 64 << 20, /* bytes read, and as many written */
    NEAR = 4 << 20,   /* of a sweep within the caches */
    LATENCY = 4,      /* cycles of a fused multiply-add, on most processors */
    TRIES = 5
};

/* COUNT chains, which start from data: the compiler would merge equal chains. */
static const loop_program *fma_probe(uint32_t count, uint32_t lanes, arena *memory)
{
    loop_builder b;
    loop_value chain[CHAINS];
    const loop_type t = loop_type_of(LOOP_F32, lanes);
    loop_init(&b, memory);
    const loop_value to = loop_buffer(&b, 0), half = loop_float(&b, t, 0.5);
    for (uint32_t i = 0; i < count; i++)
        chain[i] = loop_var(&b, loop_load(&b, t, loop_at(&b, to, i * 4 * lanes), 4));
    (void)loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1);
    for (uint32_t i = 0; i < count; i++)
        loop_set(&b, chain[i], loop_fma(&b, loop_get(&b, chain[i]), half, half));
    loop_end(&b);
    for (uint32_t i = 0; i < count; i++) {
        const loop_value at = loop_at(&b, to, i * 4 * lanes);
        loop_store(&b, at, loop_get(&b, chain[i]), 4);
    }
    return loop_finish(&b);
}

/* Buffer 1 becomes buffer 0 with every bit flipped; items are 64 bytes. */
static const loop_program *sweep_probe(arena *memory, bool is_near)
{
    loop_builder b;
    const loop_type t = loop_type_of(LOOP_I32, 16);
    loop_init(&b, memory);
    const loop_value from = loop_buffer(&b, 0), to = loop_buffer(&b, 1);
    const loop_value i =
        loop_for(&b, loop_param_value(&b, LOOP_BEGIN), loop_param_value(&b, LOOP_END_AT), 1);
    const loop_value at = loop_binary(&b, LOOP_IMUL, i, loop_i64(&b, 64));
    const loop_value x = loop_load(&b, t, loop_offset(&b, from, at), 64);
    const loop_value flipped = loop_unary(&b, LOOP_NOT, x);
    if (is_near)
        loop_store(&b, loop_offset(&b, to, at), flipped, 64);
    else
        loop_store_nontemporal(&b, loop_offset(&b, to, at), flipped);
    loop_end(&b);
    return loop_finish(&b);
}

/* The least ns that a call takes. */
static int64_t least_ns(code_function *run, char *const *buffers, int64_t items)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        const int64_t begin = clock_now();
        (void)run(buffers, 0, items, NULL);
        const int64_t ns = clock_now() - begin;
        least = ns < least ? ns : least;
    }
    return least > 0 ? least : 1;
}

bool machine_measure(const engine *e, machine_limits *out)
{
    arena memory;
    const uint32_t lanes = e->on.vector_bytes / 4; /* of f32 */
    if (e->is_foreign)
        return false;
    code *codes[4] = {NULL, NULL, NULL, NULL};
    char *data = memory_alloc(&memory_system, 2 * (size_t)SWEEP);
    arena_init(&memory, &e->allocator);
    code_function *fma = jit_compile_one(e, fma_probe(CHAINS, lanes, &memory), &codes[0]);
    code_function *sweep = fma ? jit_compile_one(e, sweep_probe(&memory, false), &codes[1]) : NULL;
    code_function *near = sweep ? jit_compile_one(e, sweep_probe(&memory, true), &codes[2]) : NULL;
    code_function *chain =
        near ? jit_compile_one(e, fma_probe(1, lanes, &memory), &codes[3]) : NULL;
    const bool ok = data && chain;
    if (ok) {
        char *buffers[] = {data, data + SWEEP};
        memset(data, 1, 2 * (size_t)SWEEP);
        out->flops =
            2.0 * lanes * CHAINS * ITERATIONS / ((double)least_ns(fma, buffers, ITERATIONS) * 1e-9);
        out->clock =
            1.0 * LATENCY * ITERATIONS / ((double)least_ns(chain, buffers, ITERATIONS) * 1e-9);
        out->bytes = 2.0 * SWEEP / ((double)least_ns(sweep, buffers, SWEEP / 64) * 1e-9);
        buffers[1] = data + NEAR;
        out->near = 2.0 * NEAR / ((double)least_ns(near, buffers, NEAR / 64) * 1e-9);
        out->near = out->near > out->bytes ? out->near : out->bytes;
    }
    for (uint32_t i = 0; i < sizeof codes / sizeof *codes; i++)
        code_free(codes[i]);
    memory_free(&memory_system, data, 2 * (size_t)SWEEP);
    arena_release(&memory);
    return ok;
}
