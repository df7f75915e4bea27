/* One test of a MIND conformance suite: a YAML file with a program and what must come of it. */
#ifndef CLI_CONFORMANCE_CONFORMANCE_TEST_H
#define CLI_CONFORMANCE_CONFORMANCE_TEST_H

#include "cli/session/cli.h"

typedef enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_SKIP } verdict;

typedef struct conformance_result {
    verdict verdict;
    const char *category;    /* "" when the file does not say */
    const char *description; /* likewise */
    cli_text detail;         /* why it failed, with the difference, or was skipped */
} conformance_result;

/* Run the test in the file PATH. GPU: tests of that profile run; else they are skipped. Texts live
 * in the session's memory, the detail until cli_text_release. No diagnostic of the test is shown.
 * Fails only without memory. */
tn_status conformance_run(session *s, const char *path, bool gpu, conformance_result *out);

#endif
