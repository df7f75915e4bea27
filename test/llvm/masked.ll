; What LLVM 19 makes wrong of masked loads with AVX2; see src/target/llvm/plugin/masks.c.

; The lanes from 8 on are never loaded, and their memory may not be there: `vmovups 32(%rdi)` is the fault.
define <16 x float> @half(ptr %p, i1 %c) {
  %first = insertelement <16 x i1> poison, i1 %c, i32 0
  %all = shufflevector <16 x i1> %first, <16 x i1> poison, <16 x i32> zeroinitializer
  %mask = and <16 x i1> %all, <i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1, i1 1,
                               i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0>
  %x = call <16 x float> @llvm.masked.load.v16f32.p0(ptr %p, i32 4, <16 x i1> %mask, <16 x float> zeroinitializer)
  ret <16 x float> %x
}
