" PTIR. Written by tools/gen_editors.py; a test compares.
if exists("b:current_syntax")
  finish
endif

syntax keyword ptirKeyword entry func function region return
syntax keyword ptirType bf16 cf32 cf64 f16 f32 f64 fp8_e4m3 fp8_e5m2 i1 si16 si32 si4 si64 si8 tensor ui16 ui32 ui4 ui64 ui8
syntax keyword ptirConstant equal false greater greaterequal inf infer less lessequal literal max maxnan min minnan nan notequal prod replace sum true
syntax match ptirNumber '\<\d[0-9A-Za-z_]*\%(\.\d*\)\?\%([eE][+-]\?\d\+\)\?'
syntax match ptirValue '[%@]\%([0-9A-Za-z_.]\+\|"\%([^"\\]\|\\.\)*"\)'
syntax match ptirAttribute '\<\%(accum_dtype\|attrs\|axes\|axis\|base_dilation\|batch\|batch_groups\|batch_lhs\|batch_rhs\|body_region\|carry_count\|cond_region\|contract_lhs\|contract_rhs\|descending\|dilation\|dtype\|epsilon\|exclusive\|false_region\|feature_axis\|fill\|groups\|high\|index_vector_dim\|indices_are_sorted\|indices_dtype\|inserted_window_dims\|interior\|k\|keepdims\|kind\|largest\|lhs_axes\|low\|new_shape\|num_segments\|op\|out_axes\|out_dtype\|output_dtype\|pad_value\|padding\|perm\|reduce\|repeats\|result_shape\|reverse\|rhs_axes\|scan_output_count\|scatter_dims_to_operand_dims\|shape\|sizes\|starts\|strides\|target\|true_region\|unique\|update_window_dims\|value\|window\|window_dilation\|window_dims\)\>\ze\s*[[=:]'
syntax match ptirOp '\%(=\s*\)\@<=\%(abs\|acos\|acosh\|add\|arg_max\|argsort\|asin\|asinh\|atan\|atan2\|atanh\|bitcast\|broadcast_to\|cast\|cbrt\|ceil\|clamp\|compare\|complex\|concat\|cond\|constant\|convolution\|cosh\|count_leading_zeros\|cumulative\|custom_call\|dequantize\|div\|dot_general\|dynamic_slice\|dynamic_update_slice\|erf\|exp\|expm1\|extract_patches\|floor\|gather\|imag\|iota\|is_finite\|is_inf\|is_nan\|layer_norm\|log\|log1p\|maximum\|maximum_nan\|minimum\|minimum_nan\|mul\|neg\|pad\|popcount\|quantize\|real\|reciprocal\|reduce_max\|reduce_max_nan\|reduce_min\|reduce_min_nan\|reduce_sum\|reduce_window\|requantize\|reshape\|rng_normal\|rng_uniform\|round_even\|rsqrt\|scan\|scatter_add\|scatter_reduce\|segment_reduce\|select\|shift_left\|shift_right_arithmetic\|shift_right_logical\|sigmoid\|sign\|sinh\|slice\|sort\|stop_gradient\|sub\|take\|tan\|tanh\|tile\|top_k\|transpose\|while\|wrap\)\>'
syntax region ptirString start='"' skip='\\.' end='"' oneline
syntax match ptirComment '//.*$'

highlight default link ptirOp Function
highlight default link ptirKeyword Keyword
highlight default link ptirAttribute Identifier
highlight default link ptirType Type
highlight default link ptirConstant Constant
highlight default link ptirNumber Number
highlight default link ptirValue Special
highlight default link ptirString String
highlight default link ptirComment Comment

let b:current_syntax = "ptir"
