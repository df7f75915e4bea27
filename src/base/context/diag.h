/* Diagnostics as data: collected here, delivered to the caller's sink, printed by diag_text.h. */
#ifndef BASE_CONTEXT_DIAG_H
#define BASE_CONTEXT_DIAG_H

#include "base/context/source.h"
#include "base/memory/memory.h"

typedef enum diag_kind {
#define KIND(name, status, help) DIAG_##name,
#include "base/context/diag.def"
#undef KIND
    DIAG_COUNT
} diag_kind;

/* What a message advises the caller to set. */
typedef enum diag_setting {
#define SETTING(id, name) SETTING_##id,
#include "base/context/settings.def"
#undef SETTING
    SETTING_COUNT
} diag_setting;

const char *diag_kind_name(diag_kind kind);
const char *diag_kind_help(diag_kind kind);
/* What a report of KIND returns. */
tn_status diag_kind_status(diag_kind kind);

/* One context's channel of diagnostics. A report stays open until the next one, so that notes and
 * a fix can be added to it; diag_flush delivers the last one. What is open has copies of all its
 * texts, so that the program it is about may be freed before. Out of memory drops text, never the
 * report itself. */
typedef struct diag_channel {
    tn_diagnostic_sink sink;
    arena text; /* of the open diagnostic; arguments of the next report may live here too */
    tn_diagnostic open;
    tn_note notes[8];
    source_cursor at, noted_at; /* where the last report was, and the last note */
    bool is_open;
    const char *op; /* what the next report is about; set just before it, NULL after it */
    const tn_setting_name *names; /* of settings, in the caller's words; borrowed */
    size_t n_names;
    uint32_t n_errors;
    /* Why something was not made that callers take for a lack of memory; NULL: that is all it is.
     */
    const char *refusal, *permits;
    diag_setting permitted_by;
    diag_kind refused;
    tn_status refused_with; /* what that meant when it was reported; TN_OK: nothing was */
} diag_channel;

void diag_init(diag_channel *d, const tn_allocator *allocator, tn_diagnostic_sink sink);
void diag_release(diag_channel *d);

/* Open an error about AT in SRC (both may be absent: NULL, NO_SPAN) and return its kind's status.
 */
tn_status diag_report(diag_channel *d, diag_kind kind, const source *src, span at,
                      const char *format, ...) __attribute__((format(printf, 5, 6)));
tn_status diag_vreport(diag_channel *d, diag_kind kind, const source *src, span at,
                       const char *format, va_list args) __attribute__((format(printf, 5, 0)));
/* The same with severity "warning". */
void diag_warn(diag_channel *d, diag_kind kind, const source *src, span at, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* With the severity "warning" or "note". */
void diag_vmild(diag_channel *d, tn_severity severity, diag_kind kind, const source *src, span at,
                const char *format, va_list args) __attribute__((format(printf, 6, 0)));

/* What the caller calls SETTING. */
const char *diag_setting_name(const diag_channel *d, diag_setting setting);

/* Additions to the open diagnostic; without one they do nothing. */
void diag_node(diag_channel *d, const char *node);
void diag_note(diag_channel *d, const source *src, span at, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* REPLACEMENT NULL: only a description of what to do. */
void diag_fix(diag_channel *d, span at, const char *replacement, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

void diag_flush(diag_channel *d);

/* The report for a NULL from the allocator; or for what diag_refuse said. */
tn_status diag_no_memory(diag_channel *d);
/* Give the reason for which something that is as good as memory is not to be had: a limit is
 * reached, or the time is up. The caller then fails as it does without memory, and what
 * diag_no_memory reports is this. WHY is static. */
void diag_refuse(diag_channel *d, diag_kind kind, const char *why);
/* The same, and what the caller can do: "WHY; SETTING PERMITS", both static. */
void diag_refuse_unless(diag_channel *d, diag_kind kind, const char *why, diag_setting setting,
                        const char *permits);

#endif
