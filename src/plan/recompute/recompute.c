/* Choosing and changing, until kernels need little enough memory. */
#include "plan/recompute/recompute.h"

enum { MOST_ROUNDS = 4 /* other nodes make other kernels */ };

static tn_status one_round(module *m, uint64_t limit, bool *changed)
{
    function *f = module_entry(m);
    arena memory;
    kernel_list list;
    recomputations what = {0};
    arena_init(&memory, m->allocator);
    tn_status s = kernels_of(f, &memory, &list) ? TN_OK : module_no_memory(m);
    if (s == TN_OK)
        s = recompute_choose(f, &list, limit, &memory, &what);
    *changed = s == TN_OK && what.n > 0;
    if (*changed)
        s = recompute_apply(f, &list, &what, &memory);
    VECTOR_RELEASE(m->allocator, &what);
    arena_release(&memory);
    return s;
}

tn_status recompute(module *m, uint64_t limit, bool *changed)
{
    bool again = true;
    *changed = false;
    m->gradients.n = 0; /* which would keep values alive */
    for (int i = 0; again && i < MOST_ROUNDS; i++) {
        TN_TRY(one_round(m, limit, &again));
        *changed = *changed || again;
    }
    return TN_OK;
}
