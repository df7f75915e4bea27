;;; tenon.el --- Modes for programs that Tenon reads -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Written by tools/gen_editors.py; a test compares.

;;; Code:

(defconst tenon-mind-ir-font-lock
  `((,(concat "=[ \t]*" (regexp-opt '("Add" "BinOp" "Broadcast" "ConstF32" "ConstF64" "ConstI64" "ConstTensor" "Conv2d" "Conv2dGradFilter" "Conv2dGradInput" "Div" "Dot" "Exp" "ExpandDims" "Gather" "Index" "Input" "Log" "MatMul" "Mean" "Mul" "Neg" "Relu" "ReluGrad" "Reshape" "ScatterAdd" "Slice" "SliceGrad" "Squeeze" "Sub" "Sum" "Transpose") t) "\\_>") 1 font-lock-function-name-face)
    (,(concat "\\_<" (regexp-opt '("axes" "data" "dtype" "ends" "fill" "filter_shape" "indices" "input_shape" "keepdims" "name" "new_shape" "op" "pad" "padding" "perm" "permutation" "shape" "starts" "steps" "strides" "value") t) "[ \t]*[[=:]") 1 font-lock-preprocessor-face)
    ("[%@][[:alnum:]_.]+" . font-lock-variable-name-face)
    (,(regexp-opt '("gradients" "outputs") 'symbols) . font-lock-keyword-face)
    (,(regexp-opt '("Tensor" "f32" "f64" "i32" "i64" "tensor") 'symbols) . font-lock-type-face)
    (,(regexp-opt '("Custom" "False" "Same" "True" "Valid" "false" "inf" "nan" "true") 'symbols) . font-lock-constant-face))
  "What is coloured in MIND Core IR.")

(defvar tenon-mind-ir-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?% "'" table)
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    table)
  "Classes of characters of MIND Core IR.")

;;;###autoload
(define-derived-mode tenon-mind-ir-mode prog-mode "MIND Core IR"
  "Major mode for MIND Core IR."
  :syntax-table tenon-mind-ir-syntax-table
  (setq-local comment-start "# ")
  (setq-local font-lock-defaults '(tenon-mind-ir-font-lock)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ir\\'" . tenon-mind-ir-mode))
(add-to-list 'auto-mode-alist '("\\.mind-ir\\'" . tenon-mind-ir-mode))

(defconst tenon-mind-font-lock
  `((,(concat "\\_<" (regexp-opt '("add" "arange" "backward" "conv2d" "dot" "exp" "expand_dims" "eye" "flatten" "full" "gather" "grad" "index" "linspace" "log" "matmul" "mean" "mean_all" "mul" "neg" "ones" "relu" "reshape" "slice" "squeeze" "sub" "sum" "sum_all" "tensor" "transpose" "value_and_grad" "zeros") t) "[ \t]*(") 1 font-lock-function-name-face)
    (,(regexp-opt '("defer" "else" "export" "fn" "for" "if" "import" "let" "match" "mut" "return" "struct" "trait" "type" "where" "while") 'symbols) . font-lock-keyword-face)
    (,(regexp-opt '("Tensor" "bool" "diff" "f32" "f64" "i32" "i64" "unit") 'symbols) . font-lock-type-face)
    (,(regexp-opt '("Custom" "Same" "Valid" "false" "true") 'symbols) . font-lock-constant-face))
  "What is coloured in MIND.")

(defvar tenon-mind-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?% "'" table)
    (modify-syntax-entry ?/ ". 124" table)
    (modify-syntax-entry ?* ". 23bn" table)
    (modify-syntax-entry ?\n ">" table)
    table)
  "Classes of characters of MIND.")

;;;###autoload
(define-derived-mode tenon-mind-mode prog-mode "MIND"
  "Major mode for MIND."
  :syntax-table tenon-mind-syntax-table
  (setq-local comment-start "// ")
  (setq-local font-lock-defaults '(tenon-mind-font-lock)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.mind\\'" . tenon-mind-mode))

(defconst tenon-ptir-font-lock
  `((,(concat "=[ \t]*" (regexp-opt '("abs" "acos" "acosh" "add" "arg_max" "argsort" "asin" "asinh" "atan" "atan2" "atanh" "bitcast" "broadcast_to" "cast" "cbrt" "ceil" "clamp" "compare" "complex" "concat" "cond" "constant" "convolution" "cosh" "count_leading_zeros" "cumulative" "custom_call" "dequantize" "div" "dot_general" "dynamic_slice" "dynamic_update_slice" "erf" "exp" "expm1" "extract_patches" "floor" "gather" "imag" "iota" "is_finite" "is_inf" "is_nan" "layer_norm" "log" "log1p" "maximum" "maximum_nan" "minimum" "minimum_nan" "mul" "neg" "pad" "popcount" "quantize" "real" "reciprocal" "reduce_max" "reduce_max_nan" "reduce_min" "reduce_min_nan" "reduce_sum" "reduce_window" "requantize" "reshape" "rng_normal" "rng_uniform" "round_even" "rsqrt" "scan" "scatter_add" "scatter_reduce" "segment_reduce" "select" "shift_left" "shift_right_arithmetic" "shift_right_logical" "sigmoid" "sign" "sinh" "slice" "sort" "stop_gradient" "sub" "take" "tan" "tanh" "tile" "top_k" "transpose" "while" "wrap") t) "\\_>") 1 font-lock-function-name-face)
    (,(concat "\\_<" (regexp-opt '("accum_dtype" "attrs" "axes" "axis" "base_dilation" "batch" "batch_groups" "batch_lhs" "batch_rhs" "body_region" "carry_count" "cond_region" "contract_lhs" "contract_rhs" "descending" "dilation" "dtype" "epsilon" "exclusive" "false_region" "feature_axis" "fill" "groups" "high" "index_vector_dim" "indices_are_sorted" "indices_dtype" "inserted_window_dims" "interior" "k" "keepdims" "kind" "largest" "lhs_axes" "low" "new_shape" "num_segments" "op" "out_axes" "out_dtype" "output_dtype" "pad_value" "padding" "perm" "reduce" "repeats" "result_shape" "reverse" "rhs_axes" "scan_output_count" "scatter_dims_to_operand_dims" "shape" "sizes" "starts" "strides" "target" "true_region" "unique" "update_window_dims" "value" "window" "window_dilation" "window_dims") t) "[ \t]*[[=:]") 1 font-lock-preprocessor-face)
    ("[%@][[:alnum:]_.]+" . font-lock-variable-name-face)
    (,(regexp-opt '("entry" "func" "function" "region" "return") 'symbols) . font-lock-keyword-face)
    (,(regexp-opt '("bf16" "cf32" "cf64" "f16" "f32" "f64" "fp8_e4m3" "fp8_e5m2" "i1" "si16" "si32" "si4" "si64" "si8" "tensor" "ui16" "ui32" "ui4" "ui64" "ui8") 'symbols) . font-lock-type-face)
    (,(regexp-opt '("equal" "false" "greater" "greaterequal" "inf" "infer" "less" "lessequal" "literal" "max" "maxnan" "min" "minnan" "nan" "notequal" "prod" "replace" "sum" "true") 'symbols) . font-lock-constant-face))
  "What is coloured in PTIR.")

(defvar tenon-ptir-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?% "'" table)
    (modify-syntax-entry ?/ ". 12" table)
    (modify-syntax-entry ?\n ">" table)
    table)
  "Classes of characters of PTIR.")

;;;###autoload
(define-derived-mode tenon-ptir-mode prog-mode "PTIR"
  "Major mode for PTIR."
  :syntax-table tenon-ptir-syntax-table
  (setq-local comment-start "// ")
  (setq-local font-lock-defaults '(tenon-ptir-font-lock)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.ptir\\'" . tenon-ptir-mode))

(provide 'tenon)
;;; tenon.el ends here
