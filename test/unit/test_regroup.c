/* Unknown extents of reshapes. */
#include "check.h"
#include "pass/sizes/regroup.h"

/* Symbols as a type table would number them; numbers stand for themselves. */
#define SYM(k) (INT64_MIN + (k))

static void expect(const grouped *from, uint32_t n_from, grouped *to, uint32_t n_to,
                   const int64_t *want)
{
    regroup(from, n_from, to, n_to);
    for (uint32_t i = 0; i < n_to; i++)
        CHECK_INT(to[i].extent, want[i]);
}

int main(void)
{
    enum { N = 0, H, W, G, R, C };
    { /* [N, 6, 5, 7] to [N, G, 3, H, W] */
        const grouped from[] = {{SYM(N), 2}, {6, 6}, {5, 5}, {7, 7}};
        grouped to[] = {{SYM(N), 2}, {SYM(G), -1}, {3, 3}, {SYM(H), -1}, {SYM(W), -1}};
        expect(from, 4, to, 5, (const int64_t[]){2, 2, 3, 5, 7});
    }
    { /* two unknowns for one extent stay unknown */
        const grouped from[] = {{8, 8}, {SYM(C), 3}, {SYM(H), 3}};
        grouped to[] = {{SYM(G), -1}, {SYM(R), -1}, {SYM(C), 3}, {SYM(H), 3}};
        expect(from, 3, to, 4, (const int64_t[]){-1, -1, 3, 3});
    }
    { /* several extents make one */
        const grouped from[] = {{2, 2}, {3, 3}, {4, 4}};
        grouped to[] = {{SYM(G), -1}, {4, 4}};
        expect(from, 3, to, 2, (const int64_t[]){6, 4});
    }
    { /* extents of 1 come and go */
        const grouped from[] = {{1, 1}, {5, 5}};
        grouped to[] = {{SYM(G), -1}, {1, 1}, {1, 1}};
        expect(from, 2, to, 3, (const int64_t[]){5, 1, 1});
    }
    { /* what does not divide is left alone */
        const grouped from[] = {{7, 7}};
        grouped to[] = {{SYM(G), -1}, {2, 2}};
        expect(from, 1, to, 2, (const int64_t[]){-1, 2});
    }
    { /* rank 0 */
        grouped to[] = {{1, 1}};
        expect(NULL, 0, to, 1, (const int64_t[]){1});
    }
    return check_result();
}
