/* Between files, texts and modules: what the command line needs beyond the public interface. */
#ifndef DRIVER_PROGRAMS_H
#define DRIVER_PROGRAMS_H

#include "base/context.h"
#include "base/text.h"
#include "tenon/tenon.h"

/* Read all of PATH, or of standard input when it is "-", into TO; a NUL follows the text. Texts of
 * 4 GiB or more are refused. */
tn_status file_read(context *cx, arena *to, const char *path, const char **text, size_t *length);

/* As tn_module_read, with the text from PATH. options->file is what diagnostics show; NULL: PATH.
 */
tn_status read_program(context *cx, const tn_read_options *options, const char *path,
                       tn_module **out);

/* Make the function called NAME the one that compiles; NULL leaves that to the program. Reports a
 * usage error when there is none. */
tn_status select_entry(tn_module *m, const char *name);

/* As tn_module_write, appending to OUT. What is reported is not flushed yet. */
tn_status write_program(const tn_module *m, const char *dialect_name, const char *style,
                        text_buffer *out);

#endif
