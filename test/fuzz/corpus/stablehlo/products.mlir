func.func @main(%a: tensor<2x3x4xf32>, %b: tensor<2x4x5xf32>, %v: tensor<3xf32>, %m: tensor<3x2xf32>, %p: tensor<2x3xi8>, %q: tensor<3x2xi8>, %h: tensor<3x2xbf16>)
    -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<3x2x2x5xf32>, tensor<2xf32>, tensor<f32>, tensor<2x2xi32>, tensor<2x2xf32>, tensor<2xf32>, tensor<3x2x3xf32>) {
  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = "stablehlo.dot_general"(%a, %b) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %t = stablehlo.transpose %a, dims = [1, 0, 2] : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32>
  %2 = stablehlo.dot_general %t, %b, contracting_dims = [2] x [1] : (tensor<3x2x4xf32>, tensor<2x4x5xf32>) -> tensor<3x2x2x5xf32>
  %3 = stablehlo.dot %v, %m : (tensor<3xf32>, tensor<3x2xf32>) -> tensor<2xf32>
  %4 = stablehlo.dot %v, %v, precision = [HIGHEST, HIGHEST] : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  %5 = stablehlo.dot_general %p, %q, contracting_dims = [1] x [0] : (tensor<2x3xi8>, tensor<3x2xi8>) -> tensor<2x2xi32>
  %6 = stablehlo.dot_general %h, %h, contracting_dims = [0] x [0] : (tensor<3x2xbf16>, tensor<3x2xbf16>) -> tensor<2x2xf32>
  %7 = stablehlo.dot_general %v, %h, contracting_dims = [0] x [0] : (tensor<3xf32>, tensor<3x2xbf16>) -> tensor<2xf32>
  %8 = stablehlo.dot_general %m, %v, contracting_dims = [] x [] : (tensor<3x2xf32>, tensor<3xf32>) -> tensor<3x2x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<3x2x2x5xf32>, tensor<2xf32>, tensor<f32>, tensor<2x2xi32>, tensor<2x2xf32>, tensor<2xf32>, tensor<3x2x3xf32>
}
