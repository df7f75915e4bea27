/* A stand-in for libtenon-llvm.so that fails as the environment variable FAKE_LLVM says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/llvm/plugin.h"

llvm_plugin_entry tenon_llvm_plugin;

static llvm_outcome compile(llvm_request *r)
{
    const char *how = getenv("FAKE_LLVM");
    (void)snprintf(r->message, sizeof r->message, "made to fail");
    if (how && strcmp(how, "broken") == 0)
        return LLVM_BROKEN;
    if (how && strcmp(how, "memory") == 0)
        return LLVM_NO_MEMORY;
    if (how && strcmp(how, "nonsense") == 0) {
        r->put(r->user, "no object", 9);
        return LLVM_DONE;
    }
    return LLVM_UNAVAILABLE;
}

static void forget(void *machine)
{
    (void)machine;
}

__attribute__((visibility("default"))) const llvm_plugin *tenon_llvm_plugin(void)
{
    static const llvm_plugin plugin = {LLVM_PLUGIN_VERSION, sizeof(loop_inst), LOOP_OP_COUNT,
                                       compile, forget};
    return &plugin;
}
