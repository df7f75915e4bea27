/* Tensors written in place of a file: numbers, `true`, `false`, `inf`, `nan`, and lists of them in
 * each other. */
#ifndef CLI_ARGUMENTS_IN_PLACE_H
#define CLI_ARGUMENTS_IN_PLACE_H

#include "cli/session/cli.h"

typedef enum in_place_kind {
    IN_PLACE_WHOLE, /* i, and f near it */
    IN_PLACE_WIDE,  /* u, above what i can be */
    IN_PLACE_FLOAT  /* f */
} in_place_kind;

typedef struct in_place_number {
    in_place_kind kind;
    int64_t i;
    uint64_t u;
    double f;
} in_place_number;

/* What was read, and where the reader stands. */
typedef struct in_place {
    session *s;
    const char *at, *fault, *fault_at;
    in_place_number *numbers;
    size_t n, cap;
    int64_t dims[TN_MAX_RANK];
    bool known[TN_MAX_RANK + 1];
    uint32_t rank;
    bool all_whole, no_memory;
} in_place;

/* Is TEXT such a tensor, or meant to be, and no name of a file? A list, or one number. */
bool in_place_is(session *s, const char *text);
/* Read TEXT, the value of the input NAME. */
tn_status in_place_read(session *s, const char *name, const char *text, in_place *out);
/* The tensor as si64, or f64 where not all is whole. */
tn_status in_place_plain(session *s, const in_place *r, tn_buffer *out);
/* The tensor with elements of the type DECLARED, which must have all of them: floats are rounded.
 * Whether the shape fits is for others to ask; a single number has as many axes as DECLARED. */
tn_status in_place_tensor(session *s, const char *name, const in_place *r, const tn_type *declared,
                          tn_buffer *out);

#endif
