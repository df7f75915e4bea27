func.func @main(%x: tensor<2x3xf32>, %v: tensor<f32>, %i: tensor<i32>, %j: tensor<ui64>)
    -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x4x2xf32>, tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<2x1xf32>, tensor<3x7xf32>, tensor<1x7xf32>, tensor<2x5xf32>, tensor<1x2xf32>, tensor<2x3xf32>, tensor<2x3xui8>, tensor<i32>, tensor<0x3xf32>) {
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x3xf32>) -> tensor<3x4x2xf32>
  %3 = stablehlo.broadcast %x, sizes = [2] : (tensor<2x3xf32>) -> tensor<2x2x3xf32>
  %4 = stablehlo.reverse %x, dims = [0, 1] : tensor<2x3xf32>
  %5 = stablehlo.slice %x [0:2, 1:3:2] : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %c = stablehlo.constant dense<-1.0> : tensor<f32>
  %6 = stablehlo.pad %x, %c, low = [1, -1], high = [0, 4], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x8xf32>
  %cut = stablehlo.slice %6 [0:3, 0:7] : (tensor<3x8xf32>) -> tensor<3x7xf32>
  %7 = stablehlo.pad %x, %v, low = [-1, 2], high = [0, 2], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x7xf32>
  %8 = stablehlo.concatenate %x, %5, %5, dim = 1 : (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x5xf32>
  %9 = stablehlo.dynamic_slice %x, %i, %j, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<ui64>) -> tensor<1x2xf32>
  %10 = stablehlo.dynamic_update_slice %x, %9, %i, %j : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<ui64>) -> tensor<2x3xf32>
  %11 = stablehlo.iota dim = 1 : tensor<2x3xui8>
  %12 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  %13 = "stablehlo.slice"(%x) <{start_indices = array<i64: 1, 0>, limit_indices = dense<[1, 3]> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}> : (tensor<2x3xf32>) -> tensor<0x3xf32>
  return %0, %1, %2, %3, %4, %5, %cut, %7, %8, %9, %10, %11, %12, %13 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x4x2xf32>, tensor<2x2x3xf32>, tensor<2x3xf32>, tensor<2x1xf32>, tensor<3x7xf32>, tensor<1x7xf32>, tensor<2x5xf32>, tensor<1x2xf32>, tensor<2x3xf32>, tensor<2x3xui8>, tensor<i32>, tensor<0x3xf32>
}
