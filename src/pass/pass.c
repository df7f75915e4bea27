/* Running passes: every pass is run, checked and shown in the same way. */
#include "pass/passes.h"

#include "base/system/float_modes.h"
#include "ops/infer.h"

const pass_info pass_table[PASS_COUNT] = {
#define PASS(id, function, name, class, level, contract)                                           \
    [PASS_##id] = {name, PASS_##class, level, contract, pass_##function},
#include "pass/passes.def"
#undef PASS
};

pass_id pass_by_name(const char *name, size_t length)
{
    for (int id = 0; id < PASS_COUNT; id++)
        if (strlen(pass_table[id].name) == length && memcmp(pass_table[id].name, name, length) == 0)
            return (pass_id)id;
    return PASS_COUNT;
}

/* Development builds check after every pass, whoever runs it. */
#ifdef NDEBUG
static const bool always_verifies = false;
#else
static const bool always_verifies = true;
#endif

static tn_status run_counted(module *m, pass_id id, bool verify, const pass_observer *observer,
                             uint32_t *n_changed)
{
    pass_context cx = {.n_changed = 0};
    arena_init(&cx.scratch, m->allocator);
    float_modes modes;
    float_modes_set(&modes);
    tn_status s = pass_table[id].run(&cx, m);
    float_modes_restore(&modes);
    arena_release(&cx.scratch);
    if (s != TN_OK)
        return s;
    *n_changed += cx.n_changed;
    for (uint32_t i = 0; cx.n_changed && i < m->functions.n; i++)
        m->functions.at[i]->hints.n = 0;
    if (observer && observer->after)
        observer->after(observer->user, m, id, cx.n_changed);
    return verify || always_verifies ? module_verify(m, pass_table[id].name) : TN_OK;
}

tn_status pass_run(module *m, pass_id id, bool verify, const pass_observer *observer)
{
    uint32_t n_changed = 0;
    return run_counted(m, id, verify, observer, &n_changed);
}

static bool is_of_level(const pass_info *p, int level, bool relaxed)
{
    return p->class == PASS_RELAXED ? relaxed && level > 0 : p->level <= level;
}

tn_status pass_run_level(module *m, int level, bool relaxed, bool verify,
                         const pass_observer *observer)
{
    enum { MAX_ROUNDS = 16 }; /* every rewrite simplifies, so this is never reached in practice */
    uint32_t n_changed = 1;
    for (int round = 0; round < MAX_ROUNDS && n_changed; round++) {
        n_changed = 0;
        for (int id = 0; id < PASS_COUNT; id++)
            if (is_of_level(&pass_table[id], level, relaxed))
                TN_TRY(run_counted(m, (pass_id)id, verify, observer, &n_changed));
    }
    return TN_OK;
}
