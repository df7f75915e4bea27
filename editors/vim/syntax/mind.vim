" MIND. Written by tools/gen_editors.py; a test compares.
if exists("b:current_syntax")
  finish
endif

syntax keyword mindKeyword defer else export fn for if import let match mut return struct trait type where while
syntax keyword mindType Tensor bool diff f32 f64 i32 i64 unit
syntax keyword mindConstant Custom Same Valid false true
syntax match mindNumber '\<\d[0-9A-Za-z_]*\%(\.\d*\)\?\%([eE][+-]\?\d\+\)\?'
syntax match mindOp '\<\%(add\|arange\|backward\|conv2d\|dot\|exp\|expand_dims\|eye\|flatten\|full\|gather\|grad\|index\|linspace\|log\|matmul\|mean\|mean_all\|mul\|neg\|ones\|relu\|reshape\|slice\|squeeze\|sub\|sum\|sum_all\|tensor\|transpose\|value_and_grad\|zeros\)\>\ze\s*('
syntax region mindString start='"' skip='\\.' end='"' oneline
syntax match mindComment '//.*$'
syntax region mindBlock start='/\*' end='\*/' contains=mindBlock

highlight default link mindOp Function
highlight default link mindKeyword Keyword
highlight default link mindAttribute Identifier
highlight default link mindType Type
highlight default link mindConstant Constant
highlight default link mindNumber Number
highlight default link mindValue Special
highlight default link mindString String
highlight default link mindComment Comment
highlight default link mindBlock Comment

let b:current_syntax = "mind"
