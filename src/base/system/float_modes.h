/* How floats are rounded, and whether denormals count, on the calling thread. The law of bits wants
 * the modes that a process starts with; libraries linked with -ffast-math, for example, take
 * denormals for 0 in the thread that loads them. */
#ifndef BASE_SYSTEM_FLOAT_MODES_H
#define BASE_SYSTEM_FLOAT_MODES_H

#include <fenv.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

/* The modes that a thread had before, which it is given back. */
typedef struct float_modes {
#if defined(__SSE2__)
    unsigned control; /* of the SSE unit, which computes all floats */
#else
    fenv_t environment;
#endif
} float_modes;

/* Set those of the law. On x86 they are only read where they hold already. */
static inline void float_modes_set(float_modes *before)
{
#if defined(__SSE2__)
    enum { FLAGS = 0x3f, USUAL = 0x1f80 }; /* to nearest, with denormals, without traps */
    before->control = _mm_getcsr();
    if ((before->control & ~(unsigned)FLAGS) != USUAL)
        _mm_setcsr(USUAL);
#else
    (void)fegetenv(&before->environment);
    (void)fesetenv(FE_DFL_ENV);
#endif
}

static inline void float_modes_restore(const float_modes *before)
{
#if defined(__SSE2__)
    if (_mm_getcsr() != before->control)
        _mm_setcsr(before->control);
#else
    (void)fesetenv(&before->environment);
#endif
}

#endif
