/* A strict scanner for the JSON header of a .safetensors file: the caller says what must come next.
 * Unlike base/text/json.h it reads untrusted bytes of any encoding, and what it reports are defects
 * of a data file, by byte, not of a program. Each function skips white space first. */
#ifndef IO_HEADER_SCAN_H
#define IO_HEADER_SCAN_H

#include "io/input.h"

typedef struct header_scan {
    context *cx;
    const char *name; /* of the file, for messages */
    const char *text;
    size_t n, at;
    uint64_t base; /* where text[0] stands in the file */
} header_scan;

/* Report WHAT at the current byte. */
tn_status header_bad(header_scan *h, const char *what);

/* Whether X comes next; it is then skipped. */
bool header_take(header_scan *h, char x);
tn_status header_expect(header_scan *h, char x);
/* A string, decoded to well-formed UTF-8 in MEMORY and NUL-terminated; it has no NUL inside. */
tn_status header_string(header_scan *h, arena *memory, const char **out);
/* A whole number from 0 to INT64_MAX. */
tn_status header_whole(header_scan *h, int64_t *out);
/* Nothing but white space is left. */
tn_status header_end(header_scan *h);

#endif
