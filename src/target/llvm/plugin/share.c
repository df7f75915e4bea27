/* The function by which a program shares out a kernel over threads of the caller's. */
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <string.h>

#include "target/llvm/plugin/parts.h"

/* What put_share of target/c/file.c writes in C, for machines of 64 bits. A shared kernel is its
 * function, buffers, extent, number of parts, slots and the bytes of a slot. */
static const char text[] =
    "%threads = type { ptr, i32, ptr }\n" /* tn_thread_pool */
    "%shared = type { ptr, ptr, i64, i64, ptr, i64 }\n"

    "define internal void @run_part(ptr %k, i32 %index) {\n"
    "  %all = load %shared, ptr %k\n"
    "  %kernel = extractvalue %shared %all, 0\n"
    "  %buffers = extractvalue %shared %all, 1\n"
    "  %extent = extractvalue %shared %all, 2\n"
    "  %parts = extractvalue %shared %all, 3\n"
    "  %slots = extractvalue %shared %all, 4\n"
    "  %slot_bytes = extractvalue %shared %all, 5\n"
    "  %i = zext i32 %index to i64\n"
    "  %each = udiv i64 %extent, %parts\n"
    "  %more = urem i64 %extent, %parts\n"
    "  %is_longer = icmp ult i64 %i, %more\n"
    "  %longer = zext i1 %is_longer to i64\n"
    "  %before = select i1 %is_longer, i64 %i, i64 %more\n"
    "  %start = mul i64 %i, %each\n"
    "  %begin = add i64 %start, %before\n"
    "  %shorter_end = add i64 %begin, %each\n"
    "  %end = add i64 %shorter_end, %longer\n"
    "  %offset = mul i64 %i, %slot_bytes\n"
    "  %slot = getelementptr i8, ptr %slots, i64 %offset\n"
    "  %scratch = getelementptr i8, ptr %slot, i64 64\n"
    "  %status = call i32 %kernel(ptr %buffers, i64 %begin, i64 %end, ptr %scratch)\n"
    "  store i32 %status, ptr %slot\n"
    "  ret void\n"
    "}\n"

    "define i32 @share(ptr %threads, ptr %kernel, ptr %buffers, i64 %extent, i64 %most,"
    " ptr %slots, i64 %slot_bytes) {\n"
    "start:\n"
    "  %k = alloca %shared\n"
    "  %is_alone = icmp eq ptr %threads, null\n"
    "  br i1 %is_alone, label %alone, label %together\n"
    "together:\n"
    "  %pool = load %threads, ptr %threads\n"
    "  %user = extractvalue %threads %pool, 0\n"
    "  %n32 = extractvalue %threads %pool, 1\n"
    "  %run = extractvalue %threads %pool, 2\n"
    "  %n = zext i32 %n32 to i64\n"
    "  %is_less = icmp slt i64 %n, %most\n"
    "  %parts = select i1 %is_less, i64 %n, i64 %most\n"
    "  %is_one = icmp slt i64 %parts, 2\n"
    "  br i1 %is_one, label %alone, label %shared\n"
    "alone:\n"
    "  %scratch = getelementptr i8, ptr %slots, i64 64\n"
    "  %own = call i32 %kernel(ptr %buffers, i64 0, i64 %extent, ptr %scratch)\n"
    "  ret i32 %own\n"
    "shared:\n"
    "  %k0 = insertvalue %shared undef, ptr %kernel, 0\n"
    "  %k1 = insertvalue %shared %k0, ptr %buffers, 1\n"
    "  %k2 = insertvalue %shared %k1, i64 %extent, 2\n"
    "  %k3 = insertvalue %shared %k2, i64 %parts, 3\n"
    "  %k4 = insertvalue %shared %k3, ptr %slots, 4\n"
    "  %k5 = insertvalue %shared %k4, i64 %slot_bytes, 5\n"
    "  store %shared %k5, ptr %k\n"
    "  %parts32 = trunc i64 %parts to i32\n"
    "  call void %run(ptr %user, ptr @run_part, ptr %k, i32 %parts32)\n"
    "  br label %next\n"
    "next:\n" /* the status of the first part that failed */
    "  %i = phi i64 [ %parts, %shared ], [ %before, %next ]\n"
    "  %status = phi i32 [ 0, %shared ], [ %first, %next ]\n"
    "  %before = sub i64 %i, 1\n"
    "  %offset = mul i64 %before, %slot_bytes\n"
    "  %slot = getelementptr i8, ptr %slots, i64 %offset\n"
    "  %of_part = load i32, ptr %slot\n"
    "  %is_good = icmp eq i32 %of_part, 0\n"
    "  %first = select i1 %is_good, i32 %status, i32 %of_part\n"
    "  %is_last = icmp eq i64 %before, 0\n"
    "  br i1 %is_last, label %done, label %next\n"
    "done:\n"
    "  ret i32 %first\n"
    "}\n";
_Static_assert(TARGET_ALIGN == 64, "the scratch memory of a part lies 64 bytes behind its status");

LLVMValueRef add_share(const translation *t)
{
    char *error = NULL;
    LLVMModuleRef m = NULL;
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text, sizeof text - 1, "share");
    LLVMContextSetDiscardValueNames(t->context, false); /* the parser wants them */
    const bool failed = LLVMParseIRInContext(t->context, buffer, &m, &error); /* takes the buffer */
    LLVMContextSetDiscardValueNames(t->context, true);
    LLVMDisposeMessage(error);
    if (failed)
        return NULL;
    LLVMSetTarget(m, LLVMGetTarget(t->module));
    LLVMSetModuleDataLayout(m, t->layout);
    if (LLVMLinkModules2(t->module, m)) /* takes M */
        return NULL;
    LLVMValueRef share = LLVMGetNamedFunction(t->module, "share");
    LLVMSetLinkage(share, LLVMInternalLinkage); /* nothing internal is linked unless it is used */
    set_attributes(t, share);
    set_attributes(t, LLVMGetNamedFunction(t->module, "run_part"));
    return share;
}
