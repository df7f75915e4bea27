module @jit_loss attributes {jax.uses_shape_polymorphism = true} {
  func.func public @main(%w: tensor<3x4xf32>, %b: tensor<4xf32>, %x: tensor<?x3xf32>, %y: tensor<?xi32>) -> tensor<f32> {
    %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
    %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
    %c4 = stablehlo.constant dense<4> : tensor<1xi32>
    %s = stablehlo.concatenate %1, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
    %3 = stablehlo.dynamic_broadcast_in_dim %b, %s, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
    %4 = stablehlo.add %2, %3 : tensor<?x4xf32>
    %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %ninf) applies stablehlo.maximum across dimensions = [1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
    %6 = stablehlo.dynamic_broadcast_in_dim %5, %s, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x4xf32>
    %7 = stablehlo.subtract %4, %6 : tensor<?x4xf32>
    %8 = stablehlo.exponential %7 : tensor<?x4xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
    %10 = stablehlo.log %9 : tensor<?xf32>
    %11 = stablehlo.dynamic_broadcast_in_dim %10, %s, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x4xf32>
    %12 = stablehlo.subtract %7, %11 : tensor<?x4xf32>
    %13 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi32>) -> tensor<?x4xi32>
    %14 = stablehlo.dynamic_broadcast_in_dim %y, %s, dims = [0] : (tensor<?xi32>, tensor<2xi32>) -> tensor<?x4xi32>
    %15 = stablehlo.compare EQ, %13, %14 : (tensor<?x4xi32>, tensor<?x4xi32>) -> tensor<?x4xi1>
    %16 = stablehlo.dynamic_broadcast_in_dim %z, %s, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>
    %17 = stablehlo.select %15, %12, %16 : tensor<?x4xi1>, tensor<?x4xf32>
    %18 = stablehlo.reduce(%17 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<f32>
    %19 = stablehlo.convert %0 : (tensor<i32>) -> tensor<f32>
    %20 = stablehlo.divide %18, %19 : tensor<f32>
    %21 = stablehlo.negate %20 : tensor<f32>
    return %21 : tensor<f32>
  }
}
