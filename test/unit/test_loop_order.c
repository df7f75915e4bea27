/* Finished loop programs do not depend on the order in which their values were built, as far as it
 * was free. */
#include "check.h"
#include "loop/ir/loop.h"
#include "loop_random.h"

static bool only_makes_a_value(const loop_inst *i)
{
    return loop_op_has_value((loop_op)i->op) && i->op != LOOP_FOR && i->op != LOOP_PARAM;
}

static bool uses(const loop_inst *i, loop_value v)
{
    for (unsigned k = 0; k < loop_op_operands((loop_op)i->op); k++)
        if (i->in[k] == v)
            return true;
    return false;
}

/* Build instruction V + 1 before instruction V, if that was possible. */
static bool swap(loop_builder *b, loop_value v)
{
    const loop_inst first = b->at[v], second = b->at[v + 1];
    if (!only_makes_a_value(&first) || !only_makes_a_value(&second) || uses(&second, v))
        return false;
    b->at[v] = second;
    b->at[v + 1] = first;
    for (uint32_t k = v; k < b->n; k++)
        for (unsigned o = 0; o < loop_op_operands((loop_op)b->at[k].op); o++) {
            loop_value *in = &b->at[k].in[o];
            if (*in == v || *in == v + 1)
                *in = 2 * v + 1 - *in;
        }
    return true;
}

static void check_seed(uint64_t seed, unsigned *swaps)
{
    static uint8_t elems[RANDOM_BYTES];
    arena memory;
    loop_builder b;
    size_t bytes = 0, bytes_after = 0;
    arena_init(&memory, &memory_system);
    const loop_program *p = random_program(&b, &memory, seed, 60, elems);
    const void *key = p ? loop_key(p, &memory, &bytes) : NULL;
    for (uint64_t k = 0, at = seed; p && k < 2000; k++) {
        at = at * 6364136223846793005U + 1442695040888963407U;
        *swaps += swap(&b, (loop_value)((at >> 33) % (b.n - 1)));
    }
    p = p ? loop_finish(&b) : NULL;
    const void *key_after = p ? loop_key(p, &memory, &bytes_after) : NULL;
    if (CHECK(key && key_after) &&
        !CHECK(bytes == bytes_after && memcmp(key, key_after, bytes) == 0))
        printf("    seed %u\n", (unsigned)seed);
    arena_release(&memory);
}

int main(void)
{
    unsigned swaps = 0;
    for (uint64_t seed = 1; seed <= 200 && check_failed == 0; seed++)
        check_seed(seed, &swaps);
    CHECK(swaps > 10000);
    printf("%u swaps\n", swaps);
    return check_result();
}
