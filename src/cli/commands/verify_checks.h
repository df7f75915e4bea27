/* Files that check themselves: StableHLO texts with `check.expect_eq` and the like. */
#ifndef CLI_COMMANDS_VERIFY_CHECKS_H
#define CLI_COMMANDS_VERIFY_CHECKS_H

#include "cli/session/cli.h"

/* Is PATH such a file? */
bool has_checks(const session *s, const char *path);
/* Run its functions and print a line for each. TN_ERR_REJECTED unless all passed. */
tn_status verify_checks(session *s, const char *path, const tn_compile_options *compile);

#endif
