/* Programs that differ only in constants become one, which reads these from numbers. */
#include <string.h>

#include "check.h"
#include "loop/ir/numbers.h"
#include "loop_interpreter.h"

enum { LANES = 4, NUMBERS_AT = 2 };

/* y = x * SCALE + SHIFT, COUNT times a vector, by an address of STRIDE bytes. */
static const loop_program *make(arena *memory, float scale, float shift, int64_t count,
                                int64_t stride)
{
    loop_builder b;
    loop_init(&b, memory);
    const loop_type t = loop_type_of(LOOP_F32, LANES);
    uint32_t bits[2];
    memcpy(&bits[0], &scale, sizeof scale);
    memcpy(&bits[1], &shift, sizeof shift);
    const loop_value i = loop_for(&b, loop_i64(&b, 0), loop_i64(&b, count), 1);
    const loop_value at = loop_binary(&b, LOOP_IMUL, i, loop_i64(&b, stride));
    const loop_value x = loop_load(&b, t, loop_offset(&b, loop_buffer(&b, 0), at), 4);
    const loop_value y = loop_binary(&b, LOOP_FMUL, x, loop_const(&b, t, bits[0]));
    loop_store(&b, loop_offset(&b, loop_buffer(&b, 1), at),
               loop_binary(&b, LOOP_FADD, y, loop_const(&b, t, bits[1])), 4);
    loop_end(&b);
    return loop_finish(&b);
}

/* The program that all share gives what each of them gives. */
static void check_same(const loop_program *own, const loop_program *shared, loop_numbers *numbers)
{
    float x[3 * LANES], want[3 * LANES] = {0}, have[3 * LANES] = {0};
    for (int i = 0; i < 3 * LANES; i++)
        x[i] = (float)i;
    char *const own_buffers[] = {(char *)x, (char *)want};
    char *const buffers[] = {(char *)x, (char *)have, (char *)numbers->at};
    int32_t status = 0;
    CHECK(loop_interpret(own, own_buffers, 0, 1, NULL, &status) == NULL);
    CHECK(loop_interpret(shared, buffers, 0, 1, NULL, &status) == NULL);
    CHECK(memcmp(want, have, sizeof want) == 0);
}

static void test_shared(arena *memory)
{
    const loop_program *all[] = {make(memory, 2, 2, 3, 16), make(memory, 5, 5, 2, 16),
                                 make(memory, 7, 7, 1, 16)};
    const loop_program *shared;
    loop_numbers numbers[3];
    CHECK(loop_shape_hash(all[0]) == loop_shape_hash(all[2]));
    CHECK(loop_with_numbers(all, 3, NUMBERS_AT, memory, &shared, numbers));
    CHECK(shared && shared != all[0] && shared->n_buffers == 3);
    if (!shared)
        return;
    CHECK(loop_verify(shared, &memory_system) == NULL);
    for (int i = 0; i < 3; i++) {
        CHECK_INT(numbers[i].n, 2); /* scale and shift are equal in each, the stride is in all */
        check_same(all[i], shared, &numbers[i]);
    }
    /* In one of four they are not. */
    const loop_program *more[] = {all[0], all[1], all[2], make(memory, 7, 8, 1, 16)};
    loop_numbers each[4];
    CHECK(loop_with_numbers(more, 4, NUMBERS_AT, memory, &shared, each));
    CHECK(shared != NULL);
    for (int i = 0; i < 4 && shared; i++) {
        CHECK_INT(each[i].n, 3);
        check_same(more[i], shared, &each[i]);
    }
}

/* Sums of ROWS numbers, PITCH bytes apart, for each of COUNT columns. */
static const loop_program *columns(arena *memory, int64_t rows, int64_t pitch, int64_t count)
{
    loop_builder b;
    loop_init(&b, memory);
    const loop_type t = loop_type_of(LOOP_I32, 1);
    const loop_value j = loop_for(&b, loop_i64(&b, 0), loop_i64(&b, count), 1);
    const loop_value column = loop_binary(&b, LOOP_IMUL, j, loop_i64(&b, 4));
    const loop_value from = loop_offset(&b, loop_buffer(&b, 0), column);
    loop_value sum = loop_load(&b, t, from, 4);
    for (int64_t r = 1; r < rows; r++)
        sum = loop_binary(&b, LOOP_IADD, sum, loop_load(&b, t, loop_at(&b, from, r * pitch), 4));
    loop_store(&b, loop_offset(&b, loop_buffer(&b, 1), column), sum, 4);
    loop_end(&b);
    return loop_finish(&b);
}

/* Distances of rows are multiples of one; odd ones take a number each. */
static void test_multiples(arena *memory)
{
    enum { ROWS = 17, MOST = 6, INTS = 128 };
    const loop_program *all[] = {columns(memory, ROWS, 16, 3), columns(memory, ROWS, 20, 4),
                                 columns(memory, ROWS, 24, MOST)};
    const loop_program *shared;
    loop_numbers numbers[3];
    CHECK(loop_with_numbers(all, 3, NUMBERS_AT, memory, &shared, numbers));
    CHECK(shared && shared != all[0] && loop_verify(shared, &memory_system) == NULL);
    int32_t x[INTS], status = 0;
    for (int i = 0; i < INTS; i++)
        x[i] = i * i;
    for (int i = 0; shared && i < 3; i++) {
        int32_t want[MOST] = {0}, have[MOST] = {0};
        char *const own_buffers[] = {(char *)x, (char *)want};
        char *const buffers[] = {(char *)x, (char *)have, (char *)numbers[i].at};
        /* The count; 1, 3 .. 15 rows, and 16 rows, as 8 times 2 would be two steps. */
        CHECK_INT(numbers[i].n, 1 + 8 + 1);
        CHECK_INT(numbers[i].n_inside, 1 + 8 + 1);
        CHECK(loop_interpret(all[i], own_buffers, 0, 1, NULL, &status) == NULL);
        CHECK(loop_interpret(shared, buffers, 0, 1, NULL, &status) == NULL);
        CHECK(memcmp(want, have, sizeof want) == 0);
    }
}

/* What is a multiple by chance, with the sizes of now, is not with others. */
static void test_sizes(arena *memory)
{
    loop_builder b;
    loop_init(&b, memory);
    for (uint32_t i = 0; i < 3; i++)
        loop_store(&b, loop_at(&b, loop_buffer(&b, 1), 8 * i), loop_size(&b, i + 1, 5 << i), 8);
    const loop_program *one = loop_finish(&b), *shared;
    loop_numbers numbers;
    CHECK(loop_with_numbers(&one, 1, NUMBERS_AT, memory, &shared, &numbers));
    CHECK(shared && shared != one);
    CHECK_INT(numbers.n, 3);
    CHECK_INT(numbers.n_inside, 0); /* there is no loop */
}

static void test_others(arena *memory)
{
    const loop_program *one = make(memory, 2, 3, 3, 16), *shared;
    const loop_program *twice[] = {one, make(memory, 2, 3, 3, 16)};
    loop_numbers numbers[2];
    CHECK(loop_with_numbers(twice, 2, NUMBERS_AT, memory, &shared, numbers));
    CHECK(shared == one && numbers[0].n == 0);
    loop_builder b; /* another operation */
    loop_init(&b, memory);
    loop_store(&b, loop_buffer(&b, 1), loop_i64(&b, 1), 8);
    const loop_program *other[] = {one, loop_finish(&b)};
    CHECK(loop_shape_hash(one) != loop_shape_hash(other[1]));
    CHECK(loop_with_numbers(other, 2, NUMBERS_AT, memory, &shared, numbers));
    CHECK(shared == NULL && numbers[0].n == 0);
}

/* N stores of constants that all differ. */
static const loop_program *many(arena *memory, int64_t n, int64_t by)
{
    loop_builder b;
    loop_init(&b, memory);
    for (int64_t i = 0; i < n; i++)
        loop_store(&b, loop_at(&b, loop_buffer(&b, 1), 8 * i), loop_i64(&b, 1000 + by * i), 8);
    return loop_finish(&b);
}

static void test_too_many(arena *memory)
{
    for (int64_t n = LOOP_NUMBERS; n <= LOOP_NUMBERS + 1; n++) {
        const loop_program *both[] = {many(memory, n + 1, 8), many(memory, n + 1, 16)}, *shared;
        loop_numbers numbers[2]; /* the first is 1000 in both */
        CHECK(loop_with_numbers(both, 2, NUMBERS_AT, memory, &shared, numbers));
        CHECK((shared != NULL) == (n == LOOP_NUMBERS));
        CHECK_INT(numbers[0].n, shared ? LOOP_NUMBERS : 0);
    }
}

int main(void)
{
    arena memory;
    arena_init(&memory, &memory_system);
    test_shared(&memory);
    test_multiples(&memory);
    test_sizes(&memory);
    test_others(&memory);
    test_too_many(&memory);
    arena_release(&memory);
    return check_result();
}
