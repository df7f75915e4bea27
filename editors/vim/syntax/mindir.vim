" MIND Core IR. Written by tools/gen_editors.py; a test compares.
if exists("b:current_syntax")
  finish
endif

syntax keyword mindirKeyword gradients outputs
syntax keyword mindirType Tensor f32 f64 i32 i64 tensor
syntax keyword mindirConstant Custom False Same True Valid false inf nan true
syntax match mindirNumber '\<\d[0-9A-Za-z_]*\%(\.\d*\)\?\%([eE][+-]\?\d\+\)\?'
syntax match mindirValue '[%@]\%([0-9A-Za-z_.]\+\|"\%([^"\\]\|\\.\)*"\)'
syntax match mindirAttribute '\<\%(axes\|data\|dtype\|ends\|fill\|filter_shape\|indices\|input_shape\|keepdims\|name\|new_shape\|op\|pad\|padding\|perm\|permutation\|shape\|starts\|steps\|strides\|value\)\>\ze\s*[[=:]'
syntax match mindirOp '\%(=\s*\)\@<=\%(Add\|BinOp\|Broadcast\|ConstF32\|ConstF64\|ConstI64\|ConstTensor\|Conv2d\|Conv2dGradFilter\|Conv2dGradInput\|Div\|Dot\|Exp\|ExpandDims\|Gather\|Index\|Input\|Log\|MatMul\|Mean\|Mul\|Neg\|Relu\|ReluGrad\|Reshape\|ScatterAdd\|Slice\|SliceGrad\|Squeeze\|Sub\|Sum\|Transpose\)\>'
syntax region mindirString start='"' skip='\\.' end='"' oneline
syntax match mindirComment '#.*$'

highlight default link mindirOp Function
highlight default link mindirKeyword Keyword
highlight default link mindirAttribute Identifier
highlight default link mindirType Type
highlight default link mindirConstant Constant
highlight default link mindirNumber Number
highlight default link mindirValue Special
highlight default link mindirString String
highlight default link mindirComment Comment

let b:current_syntax = "mindir"
