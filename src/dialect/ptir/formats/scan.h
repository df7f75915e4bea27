/* The tokens of PTIR's text forms. The first error is reported and makes every later call fail. */
#ifndef PTIR_SCAN_H
#define PTIR_SCAN_H

#include "base/text/json.h"
#include "dialect/ptir/formats/formats.h"

typedef struct ptir_scan {
    module *m;
    arena *memory;
    const char *at, *end; /* a NUL stands at the end */
    json strings;         /* quoted strings are JSON's */
    uint64_t literal_bytes;
    ptir_region_uses region_uses;
    uint32_t depth;  /* of brackets */
    uint32_t faults; /* reported without stopping */
    bool failed, no_memory;
} ptir_scan;

typedef struct ptir_word_text {
    const char *at;
    size_t n;
    span where;
} ptir_word_text;

tn_status scan_init(ptir_scan *s, module *m, arena *memory);
tn_status scan_end(ptir_scan *s, uint32_t *faults);

span scan_here(ptir_scan *s);
static inline span scan_from(const ptir_scan *s, const char *from)
{
    return (span){(uint32_t)(from - s->m->source.text), (uint32_t)(s->at - from)};
}

/* Always false. */
bool scan_fail(ptir_scan *s, diag_kind kind, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool scan_no_memory(ptir_scan *s);
bool scan_unexpected(ptir_scan *s, const char *expected);
/* A fault that does not stop the reading. */
void scan_fault(ptir_scan *s, diag_kind kind, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Skip space, line ends and comments; space and comments within a line. */
void scan_space(ptir_scan *s);
void scan_blank(ptir_scan *s);
/* Where the comment ends that begins at AT; AT where none does. */
const char *scan_comment_end(const ptir_scan *s, const char *at);
/* Is this next? It is consumed. */
bool scan_eat(ptir_scan *s, const char *token);
bool scan_expect(ptir_scan *s, const char *token);
bool scan_at(ptir_scan *s, const char *token); /* not consumed */
/* Letters, digits and underscores; dots too inside of names. */
bool scan_word(ptir_scan *s, ptir_word_text *out);
/* The same; without one, WHAT was expected. */
bool scan_word_for(ptir_scan *s, const char *what, ptir_word_text *out);
/* The word is next, as a whole. It is consumed. */
bool scan_eat_word(ptir_scan *s, const char *word);

bool scan_i64(ptir_scan *s, int64_t *out);
/* Below 0 it is a fault of the attribute that it belongs to. */
bool scan_size(ptir_scan *s, int64_t *out);
bool scan_u64(ptir_scan *s, uint64_t *out);
bool scan_u32(ptir_scan *s, uint32_t *out);
bool scan_f64(ptir_scan *s, double *out); /* also inf, nan */
bool scan_bool(ptir_scan *s, bool *out);
/* "quoted", interned. */
bool scan_string(ptir_scan *s, const char **out);
/* One of WORDS, in any case and with or without underscores. */
bool scan_variant(ptir_scan *s, const char *words, const char *what, uint32_t *index);
bool scan_dtype(ptir_scan *s, tn_dtype *out);

/* Words in any case, underscores ignored. */
bool ptir_same_word(const char *a, size_t n_a, const char *b, size_t n_b);

/* Enter and leave nested brackets; false beyond the limit. */
bool scan_enter(ptir_scan *s);

#endif
