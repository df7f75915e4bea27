/* What the files that make executables share. */
#ifndef PROGRAM_EXE_PARTS_H
#define PROGRAM_EXE_PARTS_H

#include "base/context/context.h"
#include "program/executable.h"

enum { MOST_REGIONS_DEEP = 2 * LIMIT_MOST_NESTING };

/* From where to where each buffer of BLOCK is used, and which outputs are made in place: of
 * temporaries, or of carries. Results of loops that are their operands become views of these. */
void exe_find_lives(const executable *x, exe_block_info *block);
/* Give the temporaries of BLOCK places from 0 on. TN_ERR_NOMEM, or TN_ERR_UNAVAILABLE when they are
 * larger than memory can be. */
tn_status exe_place_block(executable *x, exe_block_info *block);

#endif
