/* The parts of the comparison of two programs. */
#ifndef API_PROGRAMS_EQUIVALENCE_H
#define API_PROGRAMS_EQUIVALENCE_H

#include "api/api.h"
#include "tenon/convert.h"

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
