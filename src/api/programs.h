/* Between files, texts and modules: what the command line needs beyond the public interface. */
#ifndef API_PROGRAMS_H
#define API_PROGRAMS_H

#include "base/context.h"
#include "base/text.h"
#include "tenon/convert.h"

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

/* The name of the function that compiles. */
const char *entry_name(const tn_module *m);

/* Can M be written as what it was read from? A usage error when that dialect is only read. */
tn_status check_formattable(const tn_module *m);

/* As tn_module_write, appending to OUT. What is reported is not flushed yet. */
tn_status write_program(const tn_module *m, const char *dialect_name, const char *style,
                        text_buffer *out);
/* The same for a gradient module in its dialect; COMMENTS and MAP as in write_options. Without MAP
 * its map is forgotten. */
tn_status write_gradient(tn_module *m, bool comments, bool map, text_buffer *out);

/* M, which was converted to MLIR, with a function @entry that runs it on INPUTS, one block of
 * row-major elements for each input, and prints the outputs. */
tn_status write_mlir_entry(const tn_module *m, const void *const *inputs, text_buffer *out);

/* Drop the other functions, so that dialects with one function can take the program. */
tn_status keep_entry(tn_module *m);

/* Give every symbol of M the extent that a binding names; nothing without bindings. */
tn_status bind_program(tn_module *m, const tn_binding *bindings, size_t n);

/* Append the names, in quotes, of the symbols without a value that the extents of input INDEX of P
 * depend on. */
void unknown_sizes(const tn_program *p, size_t index, text_buffer *names);

/* Report that no tensor is given for input INDEX of P. */
tn_status report_input_missing(diag_channel *d, const tn_program *p, size_t index);
/* Report that a tensor does not suit input INDEX of P: it is of another type or, when GIVEN is its
 * type, of the right dtype and rank but of another shape. */
tn_status report_input_misfit(diag_channel *d, const tn_program *p, size_t index,
                              const tn_type *given, const char *message);

/* As tn_module_convert and tn_module_check_legal. What is reported is not flushed yet. */
tn_status convert_module(tn_module *m, const char *dialect_name, const tn_convert_options *options);
tn_status check_module_legal(const tn_module *m, const char *dialect_name);

#endif
