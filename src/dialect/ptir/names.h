/* The names of a PTIR program, for editors. */
#ifndef PTIR_NAMES_H
#define PTIR_NAMES_H

#include "dialect/ptir/model.h"

/* Note the functions and values of P, which may have been read only in part, in the table of M's
 * context if there is one. Scratch lives in MEMORY. */
tn_status ptir_note_names(const module *m, const ptir_program *p, arena *memory);

#endif
