/* The forms of PTIR: readers from a text to the model, writers from the model to a text. */
#ifndef PTIR_FORMATS_H
#define PTIR_FORMATS_H

#include "dialect/ptir/model.h"

/* Each reads m->source into OUT; lists live in MEMORY, names, types and constants in M. A text that
 * does not follow the form is rejected at its first fault; *FAULTS counts what else was reported.
 */
tn_status ptir_json_read(module *m, arena *memory, ptir_program *out, uint32_t *faults);
tn_status ptir_bincode_read(module *m, arena *memory, ptir_program *out, uint32_t *faults);
tn_status ptir_text_read(module *m, arena *memory, ptir_program *out, uint32_t *faults);
/* The tracer's form, which starts with the word `program`; only read. */
tn_status ptir_dump_read(module *m, arena *memory, ptir_program *out, uint32_t *faults);

/* Append P. M is where types and names of extents live. */
tn_status ptir_json_write(const module *m, const ptir_program *p, text_buffer *out);
tn_status ptir_bincode_write(const module *m, const ptir_program *p, text_buffer *out);
/* COMPATIBLE: only what the reference implementation reads; anything else is reported. */
tn_status ptir_text_write(const module *m, const ptir_program *p, bool compatible,
                          text_buffer *out);

#endif
