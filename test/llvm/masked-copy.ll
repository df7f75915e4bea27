; LLVM 19 ends the process over this with AVX2: the whole register is loaded, since its ends are, but as an access of
; unknown size, and what looks for stores that hold up such loads asks for the size.

define void @copy(ptr noalias %p, ptr noalias %q) {
  %x = call <8 x i32> @llvm.masked.load.v8i32.p0(ptr %p, i32 4, <8 x i1> <i1 1, i1 0, i1 0, i1 0, i1 1, i1 0, i1 0, i1 1>, <8 x i32> poison)
  store <8 x i32> %x, ptr %q, align 4
  ret void
}
