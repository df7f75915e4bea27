/* `tenon convert -o DIR/`: the converted program, and beside it what it is called. */
#ifndef CLI_COMMANDS_CONVERT_FOLDER_H
#define CLI_COMMANDS_CONVERT_FOLDER_H

#include "cli/session/cli.h"

/* Does PATH end with a slash? */
bool names_folder(const char *path);
/* The text of meta.json: TARGET, and the entry of M with its symbol, which NAME may override. */
tn_status describe_entry(session *s, const tn_module *m, const char *target, const char *name,
                         cli_text *out);
/* Write FOLDER/program with the extension of DIALECT, and FOLDER/meta.json. */
tn_status folder_write(session *s, const char *folder, const char *dialect, const cli_text *program,
                       const cli_text *meta);

#endif
