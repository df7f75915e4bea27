/* LLVM in a process of its own. Where memory is limited LLVM, which ends its process when it gets
 * none, must not run in that of the caller. */
#ifndef TARGET_LLVM_PROCESS_H
#define TARGET_LLVM_PROCESS_H

#include "base/text/text.h"
#include "target/llvm/plugin.h"

/* Can requests for memory fail here: is the process limited, or does the system promise no more
 * than it has? */
bool llvm_memory_is_limited(void);

/* R in the program at PATH; its `put` and `user` get the result. LLVM_UNAVAILABLE also where the
 * process ends without an answer, which is how LLVM runs out of memory. */
llvm_outcome llvm_in_process(const char *path, llvm_request *r);

#endif
