/* Loading executables. */
#include "runtime/tape.h"

#include <string.h>

#include "runtime/tape_parts.h"

static tape *make(const tn_allocator *a, uint32_t n_code)
{
    const size_t bytes = sizeof(tape) + n_code * sizeof(exe_kernel *);
    tape *t = memory_alloc(a, bytes);
    if (!t)
        return NULL;
    memset(t, 0, sizeof *t);
    t->allocator = *a;
    t->bytes = bytes;
    t->code = (exe_kernel * _Atomic *)(void *)(t + 1);
    return t;
}

tape *tape_load(executable *x, exe_kernel *const *code, uint32_t n_code, exe_host *const *calls)
{
    tape *t = make(&x->allocator, n_code);
    if (!t) {
        exe_free(x);
        return NULL;
    }
    t->exe = x;
    t->calls = calls;
    for (uint32_t i = 0; i < n_code; i++)
        atomic_init(&t->code[i], code[i]);
    return t;
}

void tape_free(tape *t)
{
    if (!t)
        return;
    if (t->release)
        t->release(t->kept);
    tape_states_free(t);
    const tn_allocator a = t->allocator;
    exe_free(t->exe);
    memory_free(&a, t, t->bytes);
}

void tape_keep(tape *t, void (*release)(void *user), void *user)
{
    t->release = release;
    t->kept = user;
}

void *tape_kept(const tape *t)
{
    return t->kept;
}

void tape_exchange(tape *t, uint32_t code, exe_kernel *by)
{
    atomic_store_explicit(&t->code[code], by, memory_order_release);
}

const executable *tape_executable(const tape *t)
{
    return t->exe;
}
