/* Loop programs to LLVM IR. */
#ifndef TARGET_LLVM_PLUGIN_TRANSLATE_H
#define TARGET_LLVM_PLUGIN_TRANSLATE_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "machine/machine.h"
#include "target/target_program.h"

typedef enum intrinsic {
    INTRINSIC_FMA = 0,
    INTRINSIC_SQRT,
    INTRINSIC_FABS,
    INTRINSIC_RINT,
    INTRINSIC_TRUNC,
    INTRINSIC_FENCE,     /* what is before it and behind it are not simplified together */
    INTRINSIC_SCALE_F32, /* of 512 bits, with a mask */
    INTRINSIC_SCALE_F64,
    INTRINSIC_DOT_PAIRS, /* of 128, 256 and 512 bits */
    INTRINSIC_DOT_PAIRS_LAST = INTRINSIC_DOT_PAIRS + 2,
    INTRINSIC_DOT_QUADS, /* likewise */
    INTRINSIC_DOT_QUADS_LAST = INTRINSIC_DOT_QUADS + 2,
    INTRINSIC_DOT_BF16, /* likewise */
    INTRINSIC_DOT_BF16_LAST = INTRINSIC_DOT_BF16 + 2,
    INTRINSIC_HIGH, /* halves of products of 16 bits, in 128, 256 and 512 bits */
    INTRINSIC_HIGH_LAST = INTRINSIC_HIGH + 2,
    INTRINSIC_HIGH_SIGNED, /* likewise */
    INTRINSIC_HIGH_SIGNED_LAST = INTRINSIC_HIGH_SIGNED + 2,
    INTRINSIC_LOOKUP, /* of f32 in 512 bits */
    INTRINSIC_MASKED_LOAD,
    INTRINSIC_MASKED_STORE,
    INTRINSIC_GATHER,
    INTRINSIC_PREFETCH,
    INTRINSIC_SFENCE,
    INTRINSIC_AVX_LOAD, /* with a mask, of f32 and f64 in 128 and 256 bits; then the stores */
    INTRINSIC_AVX_LOAD_LAST = INTRINSIC_AVX_LOAD + 7,
    INTRINSIC_COUNT
} intrinsic;

/* What the functions of one module share. */
typedef struct translation {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMBuilderRef heads; /* at the end of the entry block, which holds the allocas */
    const tn_allocator *allocator;
    const char *cpu, *features;
    bool is_x86;
    bool is_baseline; /* it is to be compiled in little time */
    bool is_apart;    /* each function is in a section of its own */
    bool is_program;  /* functions are called by code of the same module */
    LLVMTargetDataRef layout;
    cpu_level level;
    bool has_byte_dots, has_bf16_dots, has_halves; /* instructions for these */
    LLVMTypeRef elems[LOOP_NONE];
    LLVMTypeRef function_type;
    LLVMValueRef fma; /* a function of the module, once something needs it */
    LLVMTypeRef fma_type;
    unsigned intrinsics[INTRINSIC_COUNT];
    unsigned kind_nontemporal, kind_invariant, kind_weights;
    LLVMValueRef mark_nontemporal, mark_invariant, mark_likely;
} translation;

/* The context, module and builders are given; makes the rest. */
void translation_init(translation *t);
/* Add FUNCTION to the module; false when there is no memory. */
bool translate(translation *t, const target_function *function);
/* Add what P uses, which USED says, and its entry; false when there is no memory. */
bool translate_program(translation *t, const target_program *p, const target_used *used);
/* Write masked loads and stores as LLVM gets them right; after the passes. */
void write_masks(const translation *t);

#endif
