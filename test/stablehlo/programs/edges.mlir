// What is rare: each function checks itself.
func.func @tokens_in_regions() {
  %t = stablehlo.create_token : !stablehlo.token
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:3 = stablehlo.while(%u = %t, %i = %zero, %s = %one) : !stablehlo.token, tensor<i32>, tensor<i32>
  cond {
    %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %v = stablehlo.after_all %u, %t : !stablehlo.token
    %n = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.add %s, %s : tensor<i32>
    stablehlo.return %v, %n, %d : !stablehlo.token, tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %r#2, dense<8> : tensor<i32>
  %c:2 = "stablehlo.case"(%r#1) ({
    stablehlo.return %r#2, %r#0 : tensor<i32>, !stablehlo.token
  }, {
    stablehlo.return %one, %t : tensor<i32>, !stablehlo.token
  }, {
    stablehlo.return %three, %t : tensor<i32>, !stablehlo.token
  }) : (tensor<i32>) -> (tensor<i32>, !stablehlo.token)
  check.expect_eq_const %c#0, dense<3> : tensor<i32>
  %p = stablehlo.compare GT, %c#0, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %b:2 = "stablehlo.if"(%p) ({
    stablehlo.return %c#1, %r#2 : !stablehlo.token, tensor<i32>
  }, {
    stablehlo.return %t, %one : !stablehlo.token, tensor<i32>
  }) : (tensor<i1>) -> (!stablehlo.token, tensor<i32>)
  check.expect_eq_const %b#1, dense<8> : tensor<i32>
  return
}
// -----
func.func @products_of_truths() {
  %x = stablehlo.constant dense<[[true, true, false], [false, false, true]]> : tensor<2x3xi1>
  %y = stablehlo.constant dense<[[true, false], [true, false], [false, false]]> : tensor<3x2xi1>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xi1>, tensor<3x2xi1>) -> tensor<2x2xi1>
  check.expect_eq_const %0, dense<[[true, false], [false, false]]> : tensor<2x2xi1>
  %1 = stablehlo.dot %x, %y : (tensor<2x3xi1>, tensor<3x2xi1>) -> tensor<2x2xi32>
  check.expect_eq_const %1, dense<[[2, 0], [0, 0]]> : tensor<2x2xi32>
  %k = stablehlo.constant dense<[[[true]], [[true]]]> : tensor<2x1x1xi1>
  %i = stablehlo.reshape %x : (tensor<2x3xi1>) -> tensor<2x3x1xi1>
  %2 = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x1xi1>, tensor<2x1x1xi1>) -> tensor<2x3x1xi1>
  check.expect_eq_const %2, dense<[[[true], [true], [false]], [[false], [true], [true]]]> : tensor<2x3x1xi1>
  return
}
// -----
func.func @bits() {
  %z = stablehlo.constant dense<[(0x3FF0000000000000, 0xC008000000000000), (0x400921FB54442D18, 0xC0F8000000000000)]> : tensor<2xcomplex<f64>>
  %0 = stablehlo.bitcast_convert %z : (tensor<2xcomplex<f64>>) -> tensor<2x2xcomplex<f32>>
  %1 = stablehlo.real %0 : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xf32>
  %2 = stablehlo.imag %0 : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xf32>
  %3 = stablehlo.bitcast_convert %1 : (tensor<2x2xf32>) -> tensor<2x2xui32>
  %4 = stablehlo.bitcast_convert %2 : (tensor<2x2xf32>) -> tensor<2x2xui32>
  check.expect_eq_const %3, dense<[[0, 0], [0x54442D18, 0]]> : tensor<2x2xui32>
  check.expect_eq_const %4, dense<[[0x3FF00000, 0xC0080000], [0x400921FB, 0xC0F80000]]> : tensor<2x2xui32>
  %q = stablehlo.constant() {value = dense<[1, -2]> : tensor<2xi8>} : () -> tensor<2x!quant.uniform<i8:f32, 2.0:1>>
  %5 = stablehlo.bitcast_convert %q : (tensor<2x!quant.uniform<i8:f32, 2.0:1>>) -> tensor<2xui8>
  check.expect_eq_const %5, dense<[1, 254]> : tensor<2xui8>
  %6 = stablehlo.bitcast_convert %5 : (tensor<2xui8>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  %7 = stablehlo.uniform_dequantize %6 : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>
  check.expect_eq_const %7, dense<[0.5, -1.0]> : tensor<2xf32>
  return
}
// -----
func.func @one_number_like_another() {
  %x = stablehlo.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %i = stablehlo.constant dense<[1, 2]> : tensor<2xi8>
  %0 = "chlo.constant_like"(%x) {value = 2.5 : f32} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %1 = "chlo.constant_like"(%i) <{value = -3 : i8}> : (tensor<2xi8>) -> tensor<2xi8>
  check.expect_eq_const %0, dense<2.5> : tensor<1x2xf32>
  check.expect_eq_const %1, dense<-3> : tensor<2xi8>
  return
}
// -----
func.func @products_of_groups() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %w = stablehlo.constant dense<[[[1.0], [0.0]], [[0x7F800000], [1.0]], [[0.0], [10.0]]]> : tensor<3x2x1xf32>
  %n = stablehlo.constant dense<[1, 0, 2]> : tensor<3xi32>
  %0 = "chlo.ragged_dot"(%x, %w, %n) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [],
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>,
      precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} : (tensor<4x2xf32>, tensor<3x2x1xf32>, tensor<3xi32>) -> tensor<4x1xf32>
  check.expect_eq_const %0, dense<[[1.0], [40.0], [60.0], [0.0]]> : tensor<4x1xf32>
  %y = stablehlo.constant dense<[[1.0, 0.0, 2.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0x7FC00000, 0.0, 0.0]]> : tensor<4x3xf32>
  %1 = "chlo.ragged_dot"(%x, %y, %n) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>}>
      : (tensor<4x2xf32>, tensor<4x3xf32>, tensor<3xi32>) -> tensor<3x2x3xf32>
  check.expect_eq_const %1, dense<[[[1.0, 0.0, 2.0], [2.0, 0.0, 4.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[3.0, 8.0, 5.0], [4.0, 10.0, 6.0]]]> : tensor<3x2x3xf32>
  %a = stablehlo.reshape %x : (tensor<4x2xf32>) -> tensor<2x2x2xf32>
  %b = stablehlo.constant dense<[[[1.0], [1.0]], [[2.0], [0.0]]]> : tensor<2x2x1xf32>
  %m = stablehlo.constant dense<[1, 1]> : tensor<2xi64>
  %2 = "chlo.ragged_dot"(%a, %b, %m) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0],
      lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = []>}
      : (tensor<2x2x2xf32>, tensor<2x2x1xf32>, tensor<2xi64>) -> tensor<2x2x1xf32>
  check.expect_eq_const %2, dense<[[[3.0], [7.0]], [[10.0], [14.0]]]> : tensor<2x2x1xf32>
  %u = stablehlo.constant dense<[[[[1.0], [0.0]], [[0.0], [1.0]]], [[[1.0], [1.0]], [[2.0], [0.0]]]]> : tensor<2x2x2x1xf32>
  %3 = "chlo.ragged_dot"(%a, %u, %m) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0],
      lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [1]>}
      : (tensor<2x2x2xf32>, tensor<2x2x2x1xf32>, tensor<2xi64>) -> tensor<2x2x1xf32>
  check.expect_eq_const %3, dense<[[[1.0], [4.0]], [[11.0], [14.0]]]> : tensor<2x2x1xf32>
  return
}
// -----
func.func @scales_of_blocks() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [-1.0, -2.0, -3.0, -4.0]]> : tensor<3x4xf32>
  %q = stablehlo.uniform_quantize %x : (tensor<3x4xf32>) -> tensor<3x4x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5, 1.0:1}, {0.25:-4, 2.0}, {1.0, 4.0:5}}>>
  %s = stablehlo.bitcast_convert %q : (tensor<3x4x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5, 1.0:1}, {0.25:-4, 2.0}, {1.0, 4.0:5}}>>) -> tensor<3x4xi8>
  check.expect_eq_const %s, dense<[[2, 4, 4, 5], [0, 4, 2, 2], [-1, -2, 4, 4]]> : tensor<3x4xi8>
  %y = stablehlo.uniform_dequantize %q : (tensor<3x4x!quant.uniform<i8:f32:{0:1, 1:2}, {{0.5, 1.0:1}, {0.25:-4, 2.0}, {1.0, 4.0:5}}>>) -> tensor<3x4xf32>
  check.expect_eq_const %y, dense<[[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 4.0, 4.0], [-1.0, -2.0, -4.0, -4.0]]> : tensor<3x4xf32>
  return
}
