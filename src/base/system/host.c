/* What the machine must be that this library is compiled for: texts, files and results would not be
 * the same elsewhere. */
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "Tenon needs a little-endian machine: tensors and files are taken as they lie in memory"
#endif
#if __FLT_EVAL_METHOD__ + 0 != 0 && __FLT_EVAL_METHOD__ + 0 != 16
#error                                                                                             \
    "Tenon needs results without extra precision: on 32-bit x86, compile with -msse2 -mfpmath=sse"
#endif
#if defined(__FAST_MATH__) || __FINITE_MATH_ONLY__ + 0 != 0
#error "Tenon needs IEEE 754: compile without -ffast-math"
#endif

extern const char host_is_fit; /* ISO C wants a declaration in each file */
