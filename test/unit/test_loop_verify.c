/* loop_verify accepts what the builder makes and names what no builder would make. */
#include "loop/ir/loop.h"

#include <string.h>

#include "check.h"

/* for (i = begin; i < end; i++) c[i] = a[i] + 1 where a[i] < 4; fails when end < begin */
static const loop_program *make(arena *memory)
{
    loop_builder b;
    loop_init(&b, memory);
    const loop_type t = loop_type_of(LOOP_F32, 8);
    const loop_value first = loop_param_value(&b, LOOP_BEGIN);
    const loop_value end = loop_param_value(&b, LOOP_END_AT);
    const loop_value i = loop_for(&b, first, end, 1);
    const loop_value bytes = loop_binary(&b, LOOP_IMUL, i, loop_i64(&b, 32));
    const loop_value from = loop_offset(&b, loop_buffer(&b, 0), bytes);
    const loop_value to = loop_offset(&b, loop_buffer(&b, 1), bytes);
    const loop_value x = loop_load(&b, t, from, 4);
    const loop_value y = loop_binary(&b, LOOP_FADD, x, loop_float(&b, t, 1));
    const loop_value less = loop_binary(&b, LOOP_FLT, x, loop_float(&b, t, 4));
    static const uint8_t reversed[] = {7, 6, 5, 4, 3, 2, 1, 0};
    const loop_value z = loop_select(&b, less, y, loop_shuffle(&b, x, x, reversed, 8));
    loop_store(&b, to, z, 4);
    loop_end(&b);
    loop_fail(&b, loop_binary(&b, LOOP_ILT, end, first), 1);
    return loop_finish(&b);
}

static uint32_t find(const loop_program *p, loop_op op)
{
    for (uint32_t v = 0; v < p->n; v++)
        if (p->at[v].op == op)
            return v;
    return 0;
}

/* The fault of the program with one instruction changed. */
#define BROKEN(op, change)                                                                         \
    do {                                                                                           \
        arena memory;                                                                              \
        arena_init(&memory, &memory_system);                                                       \
        const loop_program *whole = make(&memory);                                                 \
        loop_program p = *whole;                                                                   \
        loop_inst *at = ARENA_ARRAY(&memory, loop_inst, p.n);                                      \
        memcpy(at, p.at, p.n * sizeof *at);                                                        \
        p.at = at;                                                                                 \
        loop_inst *i = &at[find(&p, op)];                                                          \
        change;                                                                                    \
        CHECK(loop_verify(whole, &memory_system) == NULL);                                         \
        CHECK(loop_verify(&p, &memory_system) != NULL);                                            \
        arena_release(&memory);                                                                    \
    } while (0)

int main(void)
{
    BROKEN(LOOP_FADD, i->in[1] = p.n - 1);         /* defined later */
    BROKEN(LOOP_FADD, i->in[0] = LOOP_BUFFERS);    /* a pointer */
    BROKEN(LOOP_FADD, i->type.lanes = 4);          /* another type */
    BROKEN(LOOP_FADD, i->op = LOOP_IADD);          /* of floats */
    BROKEN(LOOP_FADD, i->op = LOOP_OP_COUNT);      /* none */
    BROKEN(LOOP_SELECT, i->in[0] = i->in[1]);      /* no mask */
    BROKEN(LOOP_STORE, i->in[0] = i->in[1]);       /* no address */
    BROKEN(LOOP_SHUFFLE, i->imm = 1);              /* past the table */
    BROKEN(LOOP_END, i->op = LOOP_ELSE);           /* of no condition */
    BROKEN(LOOP_FOR, i->imm = 0);                  /* never ends */
    BROKEN(LOOP_END, p.n = (uint32_t)(i - at));    /* stays open */
    BROKEN(LOOP_FAIL, i->op = LOOP_LEAVE);         /* of no loop */
    BROKEN(LOOP_PARAM, i->imm = LOOP_SCRATCH + 1); /* none */
    return check_result();
}
