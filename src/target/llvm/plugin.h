/* What libtenon and the module libtenon-llvm.so, which alone links LLVM, say to each other. The
 * module is compiled with the same headers but shares no symbol with the library. */
#ifndef TARGET_LLVM_PLUGIN_H
#define TARGET_LLVM_PLUGIN_H

#include "target/target_program.h"

/* Rises whenever this file changes, or what the module takes from loop/ or makes of it: what is
 * cached is found by it. */
enum { LLVM_PLUGIN_VERSION = 10 };
#define LLVM_PLUGIN_ENTRY "tenon_llvm_plugin"

typedef enum llvm_outcome {
    LLVM_DONE = 0,
    LLVM_UNAVAILABLE, /* the CPU or the triple is not known to LLVM, or not this machine's */
    LLVM_NO_MEMORY,
    LLVM_BROKEN /* LLVM refused the code: a defect */
} llvm_outcome;

typedef struct llvm_request {
    const target_function *functions;
    size_t n;
    const target_program *program; /* instead of functions; NULL: none */
    const target_used *used;       /* of the program */
    const target_options *options; /* not NULL */
    const tn_allocator *allocator;
    /* Takes the result, in one piece. */
    void (*put)(void *user, const char *bytes, size_t n);
    void *user;
    void **machine;    /* NULL; or where a machine is kept from one request to the next */
    char message[256]; /* why the outcome is not LLVM_DONE */
} llvm_request;

typedef struct llvm_plugin {
    uint32_t version;   /* LLVM_PLUGIN_VERSION */
    uint32_t inst_size; /* sizeof(loop_inst) */
    uint32_t op_count;  /* LOOP_OP_COUNT */
    llvm_outcome (*compile)(llvm_request *r);
    void (*forget)(void *machine); /* NULL is nothing */
} llvm_plugin;

typedef const llvm_plugin *llvm_plugin_entry(void);

#endif
