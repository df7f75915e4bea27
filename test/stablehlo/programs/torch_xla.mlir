module @IrToHlo.42 attributes {mhlo.cross_program_prefetches = [], mhlo.input_output_alias = [], mhlo.is_dynamic = false, mhlo.use_auto_spmd_partitioning = false} {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<2x4xf32>, %arg3: tensor<2xi64>) -> (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>) {
    %0 = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %4 = stablehlo.transpose %arg1, dims = [1, 0] {result_layout = dense<[0, 1]> : tensor<2xindex>, xla_shape = "f32[4,3]{0,1}"} : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %5 = stablehlo.dot %arg2, %4, precision = [DEFAULT, DEFAULT] : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
    %6 = stablehlo.reshape %arg0 : (tensor<3xf32>) -> tensor<1x3xf32>
    %7 = "stablehlo.broadcast_in_dim"(%6) {broadcast_dimensions = dense<[0, 1]> : tensor<2xi64>} : (tensor<1x3xf32>) -> tensor<1x3xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x3xf32>) -> tensor<3xf32>
    %9 = "stablehlo.broadcast_in_dim"(%8) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<3xf32>) -> tensor<2x3xf32>
    %10 = stablehlo.add %5, %9 : tensor<2x3xf32>
    %11 = stablehlo.reduce(%10 init: %1) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
     reducer(%arg4: tensor<f32>, %arg5: tensor<f32>)  {
      %30 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
      stablehlo.return %30 : tensor<f32>
    }
    %12 = "stablehlo.broadcast_in_dim"(%11) {broadcast_dimensions = dense<0> : tensor<1xi64>} : (tensor<2xf32>) -> tensor<2x3xf32>
    %13 = stablehlo.subtract %10, %12 : tensor<2x3xf32>
    %14 = stablehlo.exponential %13 : tensor<2x3xf32>
    %15 = stablehlo.reduce(%14 init: %2) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
     reducer(%arg4: tensor<f32>, %arg5: tensor<f32>)  {
      %30 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %30 : tensor<f32>
    }
    %16 = stablehlo.log %15 : tensor<2xf32>
    %17 = "stablehlo.broadcast_in_dim"(%16) {broadcast_dimensions = dense<0> : tensor<1xi64>} : (tensor<2xf32>) -> tensor<2x3xf32>
    %18 = stablehlo.subtract %13, %17 : tensor<2x3xf32>
    %19 = stablehlo.compare  LT, %arg3, %arg3 : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %20 = stablehlo.select %19, %arg3, %arg3 : tensor<2xi1>, tensor<2xi64>
    %21 = stablehlo.iota dim = 0 : tensor<2x1xi64>
    %22 = stablehlo.reshape %20 : (tensor<2xi64>) -> tensor<2x1xi64>
    %23 = stablehlo.concatenate %21, %22, dim = 1 : (tensor<2x1xi64>, tensor<2x1xi64>) -> tensor<2x2xi64>
    %24 = "stablehlo.gather"(%18, %23) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = dense<1> : tensor<2xi64>} : (tensor<2x3xf32>, tensor<2x2xi64>) -> tensor<2xf32>
    %25 = stablehlo.reduce(%24 init: %2) across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg4: tensor<f32>, %arg5: tensor<f32>)  {
      %30 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %30 : tensor<f32>
    }
    %26 = stablehlo.multiply %25, %3 : tensor<f32>
    %27 = stablehlo.iota dim = 1 : tensor<2x3xi64>
    %28:2 = stablehlo.reduce(%18 init: %1), (%27 init: %0) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<f32>, tensor<i64>) -> (tensor<2xf32>, tensor<2xi64>)
     reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<i64>, %arg7: tensor<i64>)  {
      %30 = stablehlo.compare  GE, %arg4, %arg6,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %31 = stablehlo.select %30, %arg4, %arg6 : tensor<i1>, tensor<f32>
      %32 = stablehlo.compare  EQ, %arg4, %arg6,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %33 = stablehlo.minimum %arg5, %arg7 : tensor<i64>
      %34 = stablehlo.select %30, %arg5, %arg7 : tensor<i1>, tensor<i64>
      %35 = stablehlo.select %32, %33, %34 : tensor<i1>, tensor<i64>
      stablehlo.return %31, %35 : tensor<f32>, tensor<i64>
    }
    return %18, %26, %28#1 : tensor<2x3xf32>, tensor<f32>, tensor<2xi64>
  }
}
