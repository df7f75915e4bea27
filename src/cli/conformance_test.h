/* One test of a MIND conformance suite: a YAML file with a program and what must come of it. */
#ifndef CLI_CONFORMANCE_TEST_H
#define CLI_CONFORMANCE_TEST_H

#include "base/context.h"
#include "base/text.h"

typedef enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_SKIP } verdict;

typedef struct conformance_result {
    verdict verdict;
    const char *category;    /* "" when the file does not say */
    const char *description; /* likewise */
    text_buffer detail;      /* why it failed, with the difference, or was skipped */
} conformance_result;

/* Run the test in the file PATH. GPU: tests of that profile run; else they are skipped. Texts live
 * in MEMORY, the detail until text_release. CX gives memory only; no diagnostic of the test reaches
 * its sink. Fails only without memory. */
tn_status conformance_run(context *cx, const char *path, bool gpu, arena *memory,
                          conformance_result *out);

#endif
