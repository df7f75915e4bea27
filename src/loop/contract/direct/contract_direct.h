/* Contractions of few products and few columns, such as depthwise convolutions: computed as they
 * are, without packing. */
#ifndef LOOP_CONTRACT_CONTRACT_DIRECT_H
#define LOOP_CONTRACT_CONTRACT_DIRECT_H

#include "loop/contract/contract_parts.h"

/* Must, or should, SPEC be computed so? It must where an axis of N has steps in A. */
bool contract_is_direct(const contract_spec *spec, const machine *on);
/* The program, whose work items are counted in *WORK. NULL as of contract_multiply. */
const loop_program *contract_direct(const contract_spec *spec, const machine *on, arena *memory,
                                    int64_t *work, const char **fault);

#endif
