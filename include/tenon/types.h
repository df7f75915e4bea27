/* The plain types of the public interface: status codes, element types, memory, tensors. */
#ifndef TENON_TYPES_H
#define TENON_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a caller branches on. Details go to the diagnostic sink of the context. */
typedef enum tn_status {
    TN_OK = 0,
    TN_ERR_REJECTED,    /* the program breaks a rule; at least one diagnostic says which */
    TN_ERR_USAGE,       /* the call itself is wrong: unknown name, missing argument */
    TN_ERR_INPUT,       /* the data given to a run is missing or does not fit */
    TN_ERR_RUN,         /* execution stopped: out of bounds, division by zero, ... */
    TN_ERR_NOMEM,       /* the allocator returned NULL, or a limit on memory was reached */
    TN_ERR_IO,          /* a file cannot be opened, read, written or understood */
    TN_ERR_UNAVAILABLE, /* the requested device or engine is not there */
    TN_ERR_INTERNAL     /* a defect in this library; please report it */
} tn_status;

/* Element types, in the order of PTIR v0.4. The values are stable. */
typedef enum tn_dtype {
    TN_I1 = 0,
    TN_SI4,
    TN_UI4,
    TN_SI8,
    TN_UI8,
    TN_SI16,
    TN_UI16,
    TN_SI32,
    TN_UI32,
    TN_SI64,
    TN_UI64,
    TN_FP8_E4M3, /* OCP "FN" variant: no infinity, largest finite 448 */
    TN_FP8_E5M2,
    TN_BF16,
    TN_F16,
    TN_F32,
    TN_F64,
    TN_CF32, /* real then imaginary part, each f32 */
    TN_CF64,
    TN_DTYPE_COUNT
} tn_dtype;

#define TN_MAX_RANK 32

/* Where the library takes memory from. `resize` follows realloc, with the old size given:
 * (NULL, 0, n) allocates, (p, old, 0) frees and returns NULL, otherwise the block is moved or
 * grown. Returned blocks are aligned for any scalar type. A NULL result means "no memory"; the
 * library then unwinds and returns TN_ERR_NOMEM. Must be safe to call from the threads that use it.
 */
typedef struct tn_allocator {
    void *(*resize)(void *user, void *block, size_t old_size, size_t new_size);
    void *user;
} tn_allocator;

/* Threads of the caller's own. `run` calls task(arg, i) once for each i below N, on any threads and
 * in any order, some of them at the same time, and returns when all calls have returned. N is at
 * most `threads`. Must be safe to call from several threads at once if programs are run so. */
typedef struct tn_thread_pool {
    void *user;
    unsigned threads;
    void (*run)(void *user, void (*task)(void *arg, unsigned index), void *arg, unsigned n);
} tn_thread_pool;

typedef enum tn_severity { TN_NOTE = 0, TN_WARNING, TN_ERROR } tn_severity;

/* A place in a source text. Lines and columns count from 1; columns and lengths count code points.
 * line 0 means "no place". `file` is never NULL. */
typedef struct tn_place {
    const char *file;
    uint32_t line;
    uint32_t column;
    uint32_t length;
} tn_place;

/* One replacement of text that would correct the program. Offsets are bytes in the source. */
typedef struct tn_fix {
    const char *title; /* what the edit does; NULL when there is no fix */
    size_t offset;
    size_t length;
    const char *replacement; /* NULL when the fix is only described */
} tn_fix;

typedef struct tn_note {
    const char *message;
    tn_place place; /* line 0 when the note has no place of its own */
} tn_note;

/* What a caller calls a setting that messages name (tn_context_name_settings). */
typedef struct tn_setting_name {
    const char *setting;
    const char *name;
} tn_setting_name;

/* A diagnostic as data. All strings are borrowed and valid only during the call of the sink. */
typedef struct tn_diagnostic {
    tn_severity severity;
    uint32_t source_line_column; /* of the first character of source_line; 0 is 1 */
    const char *kind;            /* the library's own name of the error, e.g. "BroadcastMismatch" */
    const char *code; /* the dialect's code, e.g. "E3001"; equal to `kind` where it has none */
    const char *message;
    tn_place place;
    const char *source_line; /* text of the line, without its end; of a line that goes on for more
                                than 1 KiB before the place or 3 KiB behind it, that much. NULL
                                when there is no place */
    size_t source_line_length;
    const char *node; /* the node it is about, as the dialect spells it; "" when none */
    const tn_note *notes;
    size_t n_notes;
    tn_fix fix;
} tn_diagnostic;

/* Receives every diagnostic of a context, in order, on the thread that caused it. */
typedef struct tn_diagnostic_sink {
    void (*report)(void *user, const tn_diagnostic *diagnostic);
    void *user;
} tn_diagnostic_sink;

#ifdef __cplusplus
}
#endif
#endif
