/* Scalar programs inside loop programs give what they give alone, also where parts of them are
 * seldom computed. */
#include <string.h>

#include "check.h"
#include "loop_interpreter.h"

enum { LANES = 8 };

/* Two operations that are seldom done share a value that nothing else needs; the second is inside
 * what a third one seldom needs, and the mask of the fourth depends on the first. */
static const scalar_program *make(arena *memory)
{
    scalar_builder b;
    sb_init(&b, memory);
    const scalar_value x = sb_arg(&b, SCALAR_F32), y = sb_arg(&b, SCALAR_F32);
    const scalar_value zero = sb_f32(&b, 0), sum = sb_fadd(&b, x, y);
    const scalar_value shared = sb_fmul(&b, sb_fsub(&b, x, y), sum);
    const scalar_value first = sb_seldom(&b, sb_flt(&b, x, zero), shared, sum);
    const scalar_value inner =
        sb_seldom(&b, sb_flt(&b, y, zero), sb_fneg(&b, shared), sb_fmul(&b, shared, shared));
    const scalar_value second = sb_seldom(&b, sb_flt(&b, sum, zero), inner, first);
    const scalar_value same = sb_seldom(&b, sb_flt(&b, x, y), sum, second);
    return sb_finish(&b, sb_seldom(&b, sb_flt(&b, first, zero), sb_fabs(&b, shared), same));
}

static void check(const float *x, const float *y)
{
    arena memory;
    arena_init(&memory, &memory_system);
    const scalar_program *alone = make(&memory);
    loop_builder b;
    loop_init(&b, &memory);
    const loop_type t = loop_type_of(LOOP_F32, LANES);
    const loop_value args[] = {loop_load(&b, t, loop_buffer(&b, 0), 4),
                               loop_load(&b, t, loop_buffer(&b, 1), 4)};
    loop_store(&b, loop_buffer(&b, 2), loop_inline(&b, alone, args), 4);
    const loop_program *p = loop_finish(&b);
    CHECK(p && loop_verify(p, &memory_system) == NULL);

    float in[2][LANES], want[LANES], have[LANES];
    memcpy(in[0], x, sizeof in[0]);
    memcpy(in[1], y, sizeof in[1]);
    char *const buffers[] = {(char *)in[0], (char *)in[1], (char *)have};
    int32_t status = 0;
    scalar_run(alone, (const void *const[]){x, y}, want, LANES);
    CHECK(loop_interpret(p, buffers, 0, 1, NULL, &status) == NULL);
    CHECK_INT(status, 0);
    CHECK(memcmp(want, have, sizeof want) == 0);
    arena_release(&memory);
}

int main(void)
{
    /* No mask is true, some are in some lanes, all are. */
    const float plain[LANES] = {3, 4, 5, 6, 7, 8, 9, 10}, small[LANES] = {1, 2, 3, 1, 2, 3, 1, 2};
    const float mixed[LANES] = {3, -4, 5, -6, 0, 8, -0.5f, 2},
                other[LANES] = {1, 2, -7, -3, 0, -9, 1, 2};
    const float minus[LANES] = {-1, -2, -3, -4, -5, -6, -7, -8};
    check(plain, small);
    check(mixed, other);
    check(other, mixed);
    check(plain, mixed);
    check(minus, other);
    check(minus, minus);
    return check_result();
}
