/* The parts of the comparison of two programs. */
#ifndef API_PROGRAMS_EQUIVALENCE_H
#define API_PROGRAMS_EQUIVALENCE_H

#include "api/api.h"
#include "pass/sizes/bind.h"
#include "tenon/convert.h"

typedef struct comparison {
    context *cx;
    const module *a, *b;
    const tn_equiv_options *options;
    context *silent;            /* where programs are made whose sizes may not fit */
    module *own[2];             /* A and B there */
    bool is_free;               /* some size has no value: each run makes programs of its own */
    const dim_values *sizes[2]; /* of the symbols of A and of B in this run */
    tn_program *pa, *pb;
    tn_buffer *in, *out_a, *out_b;
    text_buffer tried; /* the sizes of each run */
    arena memory;      /* of one run */
} comparison;

/* ---- the two programs (equivalence_programs.c) ---- */

/* Every size that the caller gives is one of A or B. */
tn_status equiv_check_bindings(const comparison *c);
/* The programs of RUN. *FITS is false when no sizes were found that fit both. */
tn_status equiv_make_programs(comparison *c, uint32_t run, bool *fits);
void equiv_release_programs(comparison *c);
/* The symbols of M that have a value, as bindings; NULL without memory. */
tn_binding *equiv_bindings(comparison *c, const module *m, const dim_values *values, size_t *n);

/* ---- their data (equivalence_data.c) ---- */

/* Fill BUFFER, of input INDEX of P, for run number RUN: random numbers in the first run, then
 * special ones alone or among them. POSITIONS > 0: valid are the integers below. */
void equiv_fill(const tn_program *p, size_t index, uint64_t seed, uint32_t run, int64_t positions,
                tn_buffer *buffer);

/* Compare two tensors of one type. Returns the first element that differs by more than ALLOWED, or
 * -1. R->equal becomes false with the first bit that differs, and R->largest_ulp grows to the
 * largest difference. */
int64_t equiv_compare(const tn_buffer *a, const tn_buffer *b, const tn_equiv_options *allowed,
                      tn_equiv_result *r);

/* Is X a finite number, 0 or more? */
bool equiv_is_tolerance(double x);

#endif
