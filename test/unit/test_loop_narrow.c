/* Programs taken apart for narrower registers do what they did: random programs in the
 * interpreter. */
#include "check.h"
#include "loop/ir/narrow.h"
#include "loop_interpreter.h"
#include "loop_random.h"

enum { N_RANDOM = 1500 };

/* The widest vector of P; masks aside, which have no width of their own. */
static size_t widest(const loop_program *p)
{
    size_t most = 0;
    for (loop_value v = 0; v < p->n; v++) {
        const loop_type t = p->at[v].type;
        const size_t bytes = t.lanes * loop_elem_bytes((loop_elem)t.elem);
        if (t.elem != LOOP_MASK && t.elem < LOOP_PTR && t.lanes > 1 && bytes > most)
            most = bytes;
    }
    return most;
}

typedef struct result {
    _Alignas(512) char out[RANDOM_BYTES];
    int32_t status;
} result;

static void run(const loop_program *p, result *r)
{
    static _Alignas(512) char in[2][RANDOM_BYTES];
    for (size_t k = 0; k < sizeof in; k++)
        ((char *)in)[k] = (char)(k * 131 + k / 64 % 7);
    memset(r->out, 0x33, RANDOM_BYTES);
    char *buffers[] = {in[0], in[1], r->out};
    const char *fault = loop_interpret(p, buffers, 0, 3, NULL, &r->status);
    if (!CHECK(fault == NULL))
        printf("    %s\n", fault);
}

static bool same(const uint8_t *elems, const result *want, const result *have)
{
    for (size_t k = 0; k < RANDOM_BYTES; k++) {
        const loop_elem e = (loop_elem)elems[k];
        const size_t first = k / loop_elem_bytes(e) * loop_elem_bytes(e);
        double a = 0, b = 0;
        if (want->out[k] == have->out[k])
            continue;
        if (e == LOOP_F32) {
            float x[2];
            memcpy(&x[0], want->out + first, 4);
            memcpy(&x[1], have->out + first, 4);
            a = (double)x[0];
            b = (double)x[1];
        } else if (e == LOOP_F64) {
            memcpy(&a, want->out + first, 8);
            memcpy(&b, have->out + first, 8);
        }
        if (!isnan(a) || !isnan(b))
            return false;
    }
    return want->status == have->status;
}

static void check_seed(uint64_t seed, unsigned *taken_apart)
{
    static uint8_t elems[RANDOM_BYTES];
    static result want, have;
    arena memory;
    loop_builder b;
    arena_init(&memory, &memory_system);
    const loop_program *p = random_program(&b, &memory, seed, 40, elems);
    if (CHECK(p != NULL))
        run(p, &want);
    for (uint32_t bytes = 16; p && bytes <= 64; bytes *= 2) {
        const loop_program *narrow = loop_narrow(p, bytes, &memory);
        if (!CHECK(narrow && widest(narrow) <= bytes)) {
            printf("    seed %u, %u bytes\n", (unsigned)seed, (unsigned)bytes);
            continue;
        }
        *taken_apart += narrow != p;
        run(narrow, &have);
        if (!CHECK(same(elems, &want, &have)))
            printf("    seed %u, %u bytes\n", (unsigned)seed, (unsigned)bytes);
    }
    arena_release(&memory);
}

int main(void)
{
    unsigned taken_apart = 0;
    for (uint64_t seed = 1; seed <= N_RANDOM; seed++)
        check_seed(seed, &taken_apart);
    CHECK(taken_apart > N_RANDOM);
    return check_result();
}
