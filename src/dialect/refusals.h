/* What a text or file is refused for. Readers go on after most faults and refuse it whole: one
 * diagnostic for each reason, with its first place and how often it occurs. */
#ifndef DIALECT_REFUSALS_H
#define DIALECT_REFUSALS_H

#include "base/context/context.h"

/* Texts live as long as the reader. */
typedef struct refusal {
    diag_kind kind;
    const char *about;  /* what it has in common with its likes, such as an operation */
    const char *format; /* of the message: the same one is the same reason */
    const char *message, *fix, *note;
    const char *node, *place; /* where it is, in words; NULL: AT says so */
    span at;
    bool is_named; /* ABOUT stands in front of the message */
    uint32_t count;
} refusal;

typedef struct refusals {
    VECTOR(refusal) list;
    uint32_t last; /* the one that was given or counted last */
} refusals;

/* The refusal for this reason, counted once more; a new one has no message yet, and count 1. NULL
 * without memory, or when there are as many reasons as LIMIT. *IS_FULL tells these apart. */
refusal *refusal_for(refusals *r, const tn_allocator *a, uint32_t limit, diag_kind kind,
                     const char *about, const char *format, bool *is_full);
/* Report all as warnings, for texts that are read all the same. */
void refusals_warn(const refusals *r, diag_channel *d, const source *src);
/* Report all. TN_OK when there are none, else TN_ERR_REJECTED. */
tn_status refusals_report(const refusals *r, diag_channel *d, const source *src);

#endif
