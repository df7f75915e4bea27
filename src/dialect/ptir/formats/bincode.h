/* Values in bincode (default options: little endian, fixed width), read as untrusted data. */
#ifndef PTIR_BINCODE_H
#define PTIR_BINCODE_H

#include "dialect/ptir/model.h"

/* The bytes from AT to END of the source of M. */
typedef struct bincode {
    module *m;
    arena *memory;
    const char *at, *end;
    uint64_t literal_bytes;
    uint32_t depth;
    bool failed, no_memory;
} bincode;

typedef VECTOR(int64_t) bincode_int_list;

/* Each of the following is false after a fault, which was reported, and without memory. */

/* Report the first fault. A binary file has no lines: the message names the byte. */
__attribute__((format(printf, 3, 4))) bool bincode_fail(bincode *r, diag_kind kind,
                                                        const char *format, ...);
bool bincode_no_memory(bincode *r);
/* N bytes as they are. */
bool bincode_take(bincode *r, void *to, size_t n);
bool bincode_u32(bincode *r, uint32_t *out);
bool bincode_u64(bincode *r, uint64_t *out);
bool bincode_f64(bincode *r, double *out);
/* Also whether an optional value is there. */
bool bincode_bool(bincode *r, bool *out);
/* A usize, as far as the library counts. */
bool bincode_index(bincode *r, int64_t *out);
/* The length of a list whose elements take SIZE bytes or more. */
bool bincode_length(bincode *r, size_t size, uint32_t *out);
/* The number of a variant of WHAT, which has COUNT; of one of WORDS, which spaces separate. */
bool bincode_variant(bincode *r, uint32_t count, const char *what, uint32_t *out);
bool bincode_word(bincode *r, const char *words, uint32_t *out);
/* A text as a name of the module. */
bool bincode_string(bincode *r, const char **out);
bool bincode_ints(bincode *r, bincode_int_list *out);
bool bincode_push(bincode *r, bincode_int_list *list, int64_t item);
bool bincode_ids(bincode *r, ptir_ids *out);

#endif
