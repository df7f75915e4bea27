/* The guard pages of tests: what lies beside a piece cannot be touched. */
#include "../equality/guards.c"
#include "check.h"

typedef struct place {
    volatile char *at;
    char seen;
} place;

static void touch(void *user)
{
    place *p = user;
    p->seen = *p->at;
}

static bool can_touch(char *at)
{
    place p = {at, 0};
    return guards_call(touch, &p);
}

static void test_both_sides(void)
{
    guards g;
    CHECK(guards_init(&g));
    for (int side = 0; side < 2; side++) {
        g.at_end = side == 0;
        for (size_t bytes = 1; bytes < 9000; bytes = bytes * 3 + 1) {
            char *at = guards_take(&g, bytes, 1);
            CHECK(can_touch(at) && can_touch(at + bytes - 1));
            CHECK(!can_touch(g.at_end ? at + bytes : at - 1));
        }
        guards_clear(&g);
    }
    guards_release(&g);
}

static void test_alignment(void)
{
    guards g;
    CHECK(guards_init(&g));
    char *at = guards_take(&g, 70, 64);
    CHECK((uintptr_t)at % 64 == 0 && can_touch(at + 127) && !can_touch(at + 128));
    CHECK(!can_touch(guards_take(&g, 0, 64)));
    guards_clear(&g);
    CHECK(!can_touch(at));
    guards_release(&g);
}

int main(void)
{
    test_both_sides();
    test_alignment();
    return check_result();
}
