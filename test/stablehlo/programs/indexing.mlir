// Gathers and scatters of every geometry, with results from the definitions.
// -----
module @gather_0_f32 {
  func.func public @gather_0_f32() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xf32>, tensor<3x1xi32>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
    %want0 = call @expected() : () -> tensor<3x4xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x4xf32>, tensor<3x4xf32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf32>, tensor<3x1xi32>) {
    %0 = stablehlo.constant dense<[[30.0, 12.0, 48.0, 47.0], [3.0, 9.0, 9.0, 8.0], [29.0, 17.0, 24.0, 11.0], [47.0, 33.0, 33.0, 5.0], [7.0, 44.0, 15.0, 42.0]]> : tensor<5x4xf32>
    %1 = stablehlo.constant dense<[[6], [-2], [3]]> : tensor<3x1xi32>
    return %0, %1 : tensor<5x4xf32>, tensor<3x1xi32>
  }
  func.func private @expected() -> (tensor<3x4xf32>) {
    %0 = stablehlo.constant dense<[[7.0, 44.0, 15.0, 42.0], [30.0, 12.0, 48.0, 47.0], [47.0, 33.0, 33.0, 5.0]]> : tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module @gather_0_bf16 {
  func.func public @gather_0_bf16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xbf16>, tensor<3x1xi64>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xbf16>, tensor<3x1xi64>) -> tensor<3x4xbf16>
    %want0 = call @expected() : () -> tensor<3x4xbf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x4xbf16>, tensor<3x4xbf16>
    return
  }
  func.func private @inputs() -> (tensor<5x4xbf16>, tensor<3x1xi64>) {
    %0 = stablehlo.constant dense<[[27.0, 23.0, 5.0, 35.0], [12.0, 17.0, 20.0, 14.0], [22.0, 41.0, 23.0, 37.0], [46.0, 10.0, 12.0, 27.0], [9.0, 34.0, 33.0, 33.0]]> : tensor<5x4xbf16>
    %1 = stablehlo.constant dense<[[8], [2], [8]]> : tensor<3x1xi64>
    return %0, %1 : tensor<5x4xbf16>, tensor<3x1xi64>
  }
  func.func private @expected() -> (tensor<3x4xbf16>) {
    %0 = stablehlo.constant dense<[[9.0, 34.0, 33.0, 33.0], [22.0, 41.0, 23.0, 37.0], [9.0, 34.0, 33.0, 33.0]]> : tensor<3x4xbf16>
    return %0 : tensor<3x4xbf16>
  }
}
// -----
module @dyngather_0 {
  func.func public @dyngather_0() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xf32>, tensor<3x1xi32>)
    %c = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
    %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true}> : (tensor<5x4xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x4xf32>
    %want0 = call @expected() : () -> tensor<3x4xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x4xf32>, tensor<3x4xf32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf32>, tensor<3x1xi32>) {
    %0 = stablehlo.constant dense<[[48.0, 44.0, 15.0, 3.0], [43.0, 46.0, 16.0, 32.0], [8.0, 43.0, 42.0, 20.0], [39.0, 10.0, 48.0, 39.0], [40.0, 33.0, 2.0, 38.0]]> : tensor<5x4xf32>
    %1 = stablehlo.constant dense<[[5], [0], [7]]> : tensor<3x1xi32>
    return %0, %1 : tensor<5x4xf32>, tensor<3x1xi32>
  }
  func.func private @expected() -> (tensor<3x4xf32>) {
    %0 = stablehlo.constant dense<[[40.0, 33.0, 2.0, 38.0], [48.0, 44.0, 15.0, 3.0], [40.0, 33.0, 2.0, 38.0]]> : tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module @gather_1_i1 {
  func.func public @gather_1_i1() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xi1>, tensor<3x1xui8>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xi1>, tensor<3x1xui8>) -> tensor<4x3xi1>
    %want0 = call @expected() : () -> tensor<4x3xi1>
    check.expect_eq %0, %want0 : tensor<4x3xi1>
    return
  }
  func.func private @inputs() -> (tensor<5x4xi1>, tensor<3x1xui8>) {
    %0 = stablehlo.constant dense<[[false, false, true, true], [false, false, true, true], [false, false, true, false], [false, false, false, true], [false, true, true, true]]> : tensor<5x4xi1>
    %1 = stablehlo.constant dense<[[8], [0], [6]]> : tensor<3x1xui8>
    return %0, %1 : tensor<5x4xi1>, tensor<3x1xui8>
  }
  func.func private @expected() -> (tensor<4x3xi1>) {
    %0 = stablehlo.constant dense<[[false, false, false], [true, false, true], [true, true, true], [true, true, true]]> : tensor<4x3xi1>
    return %0 : tensor<4x3xi1>
  }
}
// -----
module @gather_1_complex_f32_ {
  func.func public @gather_1_complex_f32_() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xcomplex<f32>>, tensor<3x1xi8>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xcomplex<f32>>, tensor<3x1xi8>) -> tensor<4x3xcomplex<f32>>
    %want0 = call @expected() : () -> tensor<4x3xcomplex<f32>>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<4x3xcomplex<f32>>, tensor<4x3xcomplex<f32>>
    return
  }
  func.func private @inputs() -> (tensor<5x4xcomplex<f32>>, tensor<3x1xi8>) {
    %0 = stablehlo.constant dense<[[(44.0, 0.0), (30.0, 0.0), (27.0, 0.0), (35.0, 0.0)], [(36.0, 0.0), (26.0, 0.0), (26.0, 0.0), (27.0, 0.0)], [(36.0, 0.0), (45.0, 0.0), (40.0, 0.0), (14.0, 0.0)], [(43.0, 0.0), (11.0, 0.0), (32.0, 0.0), (47.0, 0.0)], [(48.0, 0.0), (47.0, 0.0), (39.0, 0.0), (23.0, 0.0)]]> : tensor<5x4xcomplex<f32>>
    %1 = stablehlo.constant dense<[[-1], [6], [7]]> : tensor<3x1xi8>
    return %0, %1 : tensor<5x4xcomplex<f32>>, tensor<3x1xi8>
  }
  func.func private @expected() -> (tensor<4x3xcomplex<f32>>) {
    %0 = stablehlo.constant dense<[[(44.0, 0.0), (48.0, 0.0), (48.0, 0.0)], [(30.0, 0.0), (47.0, 0.0), (47.0, 0.0)], [(27.0, 0.0), (39.0, 0.0), (39.0, 0.0)], [(35.0, 0.0), (23.0, 0.0), (23.0, 0.0)]]> : tensor<4x3xcomplex<f32>>
    return %0 : tensor<4x3xcomplex<f32>>
  }
}
// -----
module @dyngather_1 {
  func.func public @dyngather_1() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xf32>, tensor<3x1xi32>)
    %c = stablehlo.constant dense<[1, 4]> : tensor<2xi64>
    %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true}> : (tensor<5x4xf32>, tensor<3x1xi32>, tensor<2xi64>) -> tensor<4x3xf32>
    %want0 = call @expected() : () -> tensor<4x3xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<4x3xf32>, tensor<4x3xf32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf32>, tensor<3x1xi32>) {
    %0 = stablehlo.constant dense<[[37.0, 28.0, 47.0, 17.0], [4.0, 48.0, 44.0, 34.0], [25.0, 47.0, 22.0, 47.0], [34.0, 48.0, 30.0, 15.0], [21.0, 30.0, 14.0, 6.0]]> : tensor<5x4xf32>
    %1 = stablehlo.constant dense<[[8], [6], [7]]> : tensor<3x1xi32>
    return %0, %1 : tensor<5x4xf32>, tensor<3x1xi32>
  }
  func.func private @expected() -> (tensor<4x3xf32>) {
    %0 = stablehlo.constant dense<[[21.0, 21.0, 21.0], [30.0, 30.0, 30.0], [14.0, 14.0, 14.0], [6.0, 6.0, 6.0]]> : tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// -----
module @gather_2_f32 {
  func.func public @gather_2_f32() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xf32>, tensor<3x2xi32>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<5x4xf32>, tensor<3x2xi32>) -> tensor<3xf32>
    %want0 = call @expected() : () -> tensor<3xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf32>, tensor<3x2xi32>) {
    %0 = stablehlo.constant dense<[[23.0, 5.0, 45.0, 20.0], [6.0, 38.0, 18.0, 43.0], [30.0, 48.0, 7.0, 12.0], [48.0, 44.0, 49.0, 34.0], [49.0, 3.0, 40.0, 10.0]]> : tensor<5x4xf32>
    %1 = stablehlo.constant dense<[[-2, 0], [0, -2], [2, 5]]> : tensor<3x2xi32>
    return %0, %1 : tensor<5x4xf32>, tensor<3x2xi32>
  }
  func.func private @expected() -> (tensor<3xf32>) {
    %0 = stablehlo.constant dense<[23.0, 23.0, 12.0]> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module @gather_2_bf16 {
  func.func public @gather_2_bf16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xbf16>, tensor<3x2xi64>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<5x4xbf16>, tensor<3x2xi64>) -> tensor<3xbf16>
    %want0 = call @expected() : () -> tensor<3xbf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3xbf16>, tensor<3xbf16>
    return
  }
  func.func private @inputs() -> (tensor<5x4xbf16>, tensor<3x2xi64>) {
    %0 = stablehlo.constant dense<[[33.0, 15.0, 23.0, 34.0], [37.0, 4.0, 34.0, 43.0], [8.0, 34.0, 12.0, 39.0], [13.0, 30.0, 13.0, 22.0], [36.0, 9.0, 8.0, 47.0]]> : tensor<5x4xbf16>
    %1 = stablehlo.constant dense<[[6, -1], [4, 3], [2, -1]]> : tensor<3x2xi64>
    return %0, %1 : tensor<5x4xbf16>, tensor<3x2xi64>
  }
  func.func private @expected() -> (tensor<3xbf16>) {
    %0 = stablehlo.constant dense<[36.0, 47.0, 8.0]> : tensor<3xbf16>
    return %0 : tensor<3xbf16>
  }
}
// -----
module @dyngather_2 {
  func.func public @dyngather_2() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xf32>, tensor<3x2xi32>)
    %c = stablehlo.constant dense<[1, 1]> : tensor<2xi32>
    %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %c) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = true}> : (tensor<5x4xf32>, tensor<3x2xi32>, tensor<2xi32>) -> tensor<3xf32>
    %want0 = call @expected() : () -> tensor<3xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf32>, tensor<3x2xi32>) {
    %0 = stablehlo.constant dense<[[22.0, 5.0, 30.0, 34.0], [24.0, 44.0, 35.0, 23.0], [46.0, 39.0, 10.0, 42.0], [21.0, 26.0, 13.0, 38.0], [39.0, 14.0, 24.0, 7.0]]> : tensor<5x4xf32>
    %1 = stablehlo.constant dense<[[-1, 0], [1, -2], [2, -2]]> : tensor<3x2xi32>
    return %0, %1 : tensor<5x4xf32>, tensor<3x2xi32>
  }
  func.func private @expected() -> (tensor<3xf32>) {
    %0 = stablehlo.constant dense<[22.0, 24.0, 46.0]> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module @gather_3_i1 {
  func.func public @gather_3_i1() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xi1>, tensor<2x3x2xui8>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> : (tensor<5x4xi1>, tensor<2x3x2xui8>) -> tensor<2x3x2xi1>
    %want0 = call @expected() : () -> tensor<2x3x2xi1>
    check.expect_eq %0, %want0 : tensor<2x3x2xi1>
    return
  }
  func.func private @inputs() -> (tensor<5x4xi1>, tensor<2x3x2xui8>) {
    %0 = stablehlo.constant dense<[[true, true, false, true], [false, false, false, true], [true, true, false, true], [true, false, false, false], [false, true, true, false]]> : tensor<5x4xi1>
    %1 = stablehlo.constant dense<[[[7, 6], [5, 1], [2, 0]], [[1, 8], [4, 0], [7, 1]]]> : tensor<2x3x2xui8>
    return %0, %1 : tensor<5x4xi1>, tensor<2x3x2xui8>
  }
  func.func private @expected() -> (tensor<2x3x2xi1>) {
    %0 = stablehlo.constant dense<[[[true, false], [false, true], [false, true]], [[true, true], [false, true], [false, true]]]> : tensor<2x3x2xi1>
    return %0 : tensor<2x3x2xi1>
  }
}
// -----
module @gather_3_complex_f32_ {
  func.func public @gather_3_complex_f32_() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xcomplex<f32>>, tensor<2x3x2xi8>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> : (tensor<5x4xcomplex<f32>>, tensor<2x3x2xi8>) -> tensor<2x3x2xcomplex<f32>>
    %want0 = call @expected() : () -> tensor<2x3x2xcomplex<f32>>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x3x2xcomplex<f32>>, tensor<2x3x2xcomplex<f32>>
    return
  }
  func.func private @inputs() -> (tensor<5x4xcomplex<f32>>, tensor<2x3x2xi8>) {
    %0 = stablehlo.constant dense<[[(30.0, 0.0), (2.0, 0.0), (36.0, 0.0), (0.0, 0.0)], [(29.0, 0.0), (6.0, 0.0), (21.0, 0.0), (46.0, 0.0)], [(33.0, 0.0), (34.0, 0.0), (47.0, 0.0), (20.0, 0.0)], [(12.0, 0.0), (0.0, 0.0), (40.0, 0.0), (41.0, 0.0)], [(25.0, 0.0), (24.0, 0.0), (10.0, 0.0), (42.0, 0.0)]]> : tensor<5x4xcomplex<f32>>
    %1 = stablehlo.constant dense<[[[6, 3], [5, -2], [8, -2]], [[-1, 6], [4, 0], [1, -1]]]> : tensor<2x3x2xi8>
    return %0, %1 : tensor<5x4xcomplex<f32>>, tensor<2x3x2xi8>
  }
  func.func private @expected() -> (tensor<2x3x2xcomplex<f32>>) {
    %0 = stablehlo.constant dense<[[[(40.0, 0.0), (41.0, 0.0)], [(36.0, 0.0), (0.0, 0.0)], [(36.0, 0.0), (0.0, 0.0)]], [[(25.0, 0.0), (24.0, 0.0)], [(36.0, 0.0), (0.0, 0.0)], [(2.0, 0.0), (36.0, 0.0)]]]> : tensor<2x3x2xcomplex<f32>>
    return %0 : tensor<2x3x2xcomplex<f32>>
  }
}
// -----
module @dyngather_3 {
  func.func public @dyngather_3() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xf32>, tensor<2x3x2xi32>)
    %c = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = true}> : (tensor<5x4xf32>, tensor<2x3x2xi32>, tensor<2xi64>) -> tensor<2x3x2xf32>
    %want0 = call @expected() : () -> tensor<2x3x2xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x3x2xf32>, tensor<2x3x2xf32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf32>, tensor<2x3x2xi32>) {
    %0 = stablehlo.constant dense<[[35.0, 20.0, 24.0, 13.0], [25.0, 13.0, 17.0, 39.0], [11.0, 23.0, 18.0, 49.0], [13.0, 4.0, 38.0, 14.0], [7.0, 44.0, 35.0, 21.0]]> : tensor<5x4xf32>
    %1 = stablehlo.constant dense<[[[0, 6], [2, 2], [7, 2]], [[3, 7], [1, 1], [3, 4]]]> : tensor<2x3x2xi32>
    return %0, %1 : tensor<5x4xf32>, tensor<2x3x2xi32>
  }
  func.func private @expected() -> (tensor<2x3x2xf32>) {
    %0 = stablehlo.constant dense<[[[7.0, 44.0], [18.0, 49.0], [18.0, 49.0]], [[35.0, 21.0], [13.0, 17.0], [35.0, 21.0]]]> : tensor<2x3x2xf32>
    return %0 : tensor<2x3x2xf32>
  }
}
// -----
module @gather_4_f32 {
  func.func public @gather_4_f32() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<2x5x4xf32>, tensor<2x3x1xi32>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<2x5x4xf32>, tensor<2x3x1xi32>) -> tensor<2x3x4xf32>
    %want0 = call @expected() : () -> tensor<2x3x4xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x5x4xf32>, tensor<2x3x1xi32>) {
    %0 = stablehlo.constant dense<[[[10.0, 28.0, 44.0, 2.0], [13.0, 4.0, 40.0, 11.0], [28.0, 0.0, 19.0, 34.0], [41.0, 28.0, 14.0, 17.0], [13.0, 20.0, 45.0, 2.0]], [[40.0, 20.0, 0.0, 42.0], [9.0, 1.0, 48.0, 32.0], [17.0, 34.0, 23.0, 10.0], [3.0, 14.0, 6.0, 8.0], [22.0, 28.0, 0.0, 18.0]]]> : tensor<2x5x4xf32>
    %1 = stablehlo.constant dense<[[[7], [-1], [6]], [[1], [6], [0]]]> : tensor<2x3x1xi32>
    return %0, %1 : tensor<2x5x4xf32>, tensor<2x3x1xi32>
  }
  func.func private @expected() -> (tensor<2x3x4xf32>) {
    %0 = stablehlo.constant dense<[[[13.0, 20.0, 45.0, 2.0], [10.0, 28.0, 44.0, 2.0], [13.0, 20.0, 45.0, 2.0]], [[9.0, 1.0, 48.0, 32.0], [22.0, 28.0, 0.0, 18.0], [40.0, 20.0, 0.0, 42.0]]]> : tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
}
// -----
module @gather_4_bf16 {
  func.func public @gather_4_bf16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<2x5x4xbf16>, tensor<2x3x1xi64>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 4>}> : (tensor<2x5x4xbf16>, tensor<2x3x1xi64>) -> tensor<2x3x4xbf16>
    %want0 = call @expected() : () -> tensor<2x3x4xbf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x3x4xbf16>, tensor<2x3x4xbf16>
    return
  }
  func.func private @inputs() -> (tensor<2x5x4xbf16>, tensor<2x3x1xi64>) {
    %0 = stablehlo.constant dense<[[[34.0, 49.0, 25.0, 30.0], [44.0, 23.0, 37.0, 24.0], [23.0, 28.0, 46.0, 49.0], [12.0, 19.0, 2.0, 2.0], [44.0, 9.0, 25.0, 0.0]], [[44.0, 10.0, 49.0, 30.0], [5.0, 12.0, 24.0, 41.0], [5.0, 47.0, 24.0, 6.0], [29.0, 40.0, 15.0, 33.0], [8.0, 49.0, 32.0, 9.0]]]> : tensor<2x5x4xbf16>
    %1 = stablehlo.constant dense<[[[-1], [6], [3]], [[1], [7], [0]]]> : tensor<2x3x1xi64>
    return %0, %1 : tensor<2x5x4xbf16>, tensor<2x3x1xi64>
  }
  func.func private @expected() -> (tensor<2x3x4xbf16>) {
    %0 = stablehlo.constant dense<[[[34.0, 49.0, 25.0, 30.0], [44.0, 9.0, 25.0, 0.0], [12.0, 19.0, 2.0, 2.0]], [[5.0, 12.0, 24.0, 41.0], [8.0, 49.0, 32.0, 9.0], [44.0, 10.0, 49.0, 30.0]]]> : tensor<2x3x4xbf16>
    return %0 : tensor<2x3x4xbf16>
  }
}
// -----
module @dyngather_4 {
  func.func public @dyngather_4() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<2x5x4xf32>, tensor<2x3x1xi32>)
    %c = stablehlo.constant dense<[1, 1, 4]> : tensor<3xi32>
    %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = true}> : (tensor<2x5x4xf32>, tensor<2x3x1xi32>, tensor<3xi32>) -> tensor<2x3x4xf32>
    %want0 = call @expected() : () -> tensor<2x3x4xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x5x4xf32>, tensor<2x3x1xi32>) {
    %0 = stablehlo.constant dense<[[[37.0, 12.0, 47.0, 46.0], [26.0, 23.0, 25.0, 21.0], [12.0, 43.0, 1.0, 42.0], [27.0, 44.0, 40.0, 1.0], [4.0, 49.0, 16.0, 34.0]], [[11.0, 45.0, 5.0, 40.0], [19.0, 44.0, 27.0, 44.0], [16.0, 32.0, 16.0, 6.0], [38.0, 33.0, 35.0, 1.0], [46.0, 17.0, 28.0, 14.0]]]> : tensor<2x5x4xf32>
    %1 = stablehlo.constant dense<[[[-2], [1], [-2]], [[6], [4], [7]]]> : tensor<2x3x1xi32>
    return %0, %1 : tensor<2x5x4xf32>, tensor<2x3x1xi32>
  }
  func.func private @expected() -> (tensor<2x3x4xf32>) {
    %0 = stablehlo.constant dense<[[[37.0, 12.0, 47.0, 46.0], [26.0, 23.0, 25.0, 21.0], [37.0, 12.0, 47.0, 46.0]], [[46.0, 17.0, 28.0, 14.0], [46.0, 17.0, 28.0, 14.0], [46.0, 17.0, 28.0, 14.0]]]> : tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
}
// -----
module @gather_5_i1 {
  func.func public @gather_5_i1() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<3x2x5xi1>, tensor<2x3x4x1xui8>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [1, 0], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<3x2x5xi1>, tensor<2x3x4x1xui8>) -> tensor<2x3x4xi1>
    %want0 = call @expected() : () -> tensor<2x3x4xi1>
    check.expect_eq %0, %want0 : tensor<2x3x4xi1>
    return
  }
  func.func private @inputs() -> (tensor<3x2x5xi1>, tensor<2x3x4x1xui8>) {
    %0 = stablehlo.constant dense<[[[true, true, false, true, true], [true, true, false, true, false]], [[false, true, false, false, true], [false, true, true, true, false]], [[false, true, true, true, true], [false, true, false, true, true]]]> : tensor<3x2x5xi1>
    %1 = stablehlo.constant dense<[[[[1], [2], [1], [0]], [[8], [1], [3], [4]], [[4], [0], [2], [0]]], [[[8], [1], [7], [7]], [[8], [8], [6], [1]], [[8], [5], [8], [6]]]]> : tensor<2x3x4x1xui8>
    return %0, %1 : tensor<3x2x5xi1>, tensor<2x3x4x1xui8>
  }
  func.func private @expected() -> (tensor<2x3x4xi1>) {
    %0 = stablehlo.constant dense<[[[true, false, true, true], [true, true, false, true], [true, false, true, false]], [[false, true, false, false], [false, false, false, true], [true, true, true, true]]]> : tensor<2x3x4xi1>
    return %0 : tensor<2x3x4xi1>
  }
}
// -----
module @gather_5_complex_f32_ {
  func.func public @gather_5_complex_f32_() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<3x2x5xcomplex<f32>>, tensor<2x3x4x1xi8>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [1, 0], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<3x2x5xcomplex<f32>>, tensor<2x3x4x1xi8>) -> tensor<2x3x4xcomplex<f32>>
    %want0 = call @expected() : () -> tensor<2x3x4xcomplex<f32>>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x3x4xcomplex<f32>>, tensor<2x3x4xcomplex<f32>>
    return
  }
  func.func private @inputs() -> (tensor<3x2x5xcomplex<f32>>, tensor<2x3x4x1xi8>) {
    %0 = stablehlo.constant dense<[[[(9.0, 0.0), (3.0, 0.0), (8.0, 0.0), (44.0, 0.0), (37.0, 0.0)], [(37.0, 0.0), (21.0, 0.0), (34.0, 0.0), (35.0, 0.0), (24.0, 0.0)]], [[(24.0, 0.0), (39.0, 0.0), (11.0, 0.0), (41.0, 0.0), (20.0, 0.0)], [(14.0, 0.0), (15.0, 0.0), (11.0, 0.0), (18.0, 0.0), (49.0, 0.0)]], [[(29.0, 0.0), (24.0, 0.0), (3.0, 0.0), (20.0, 0.0), (33.0, 0.0)], [(46.0, 0.0), (19.0, 0.0), (36.0, 0.0), (8.0, 0.0), (37.0, 0.0)]]]> : tensor<3x2x5xcomplex<f32>>
    %1 = stablehlo.constant dense<[[[[4], [6], [5], [7]], [[7], [5], [2], [8]], [[7], [6], [8], [7]]], [[[-2], [7], [1], [-2]], [[4], [8], [-2], [6]], [[4], [-2], [6], [5]]]]> : tensor<2x3x4x1xi8>
    return %0, %1 : tensor<3x2x5xcomplex<f32>>, tensor<2x3x4x1xi8>
  }
  func.func private @expected() -> (tensor<2x3x4xcomplex<f32>>) {
    %0 = stablehlo.constant dense<[[[(37.0, 0.0), (37.0, 0.0), (37.0, 0.0), (37.0, 0.0)], [(20.0, 0.0), (20.0, 0.0), (11.0, 0.0), (20.0, 0.0)], [(33.0, 0.0), (33.0, 0.0), (33.0, 0.0), (33.0, 0.0)]], [[(37.0, 0.0), (24.0, 0.0), (21.0, 0.0), (37.0, 0.0)], [(49.0, 0.0), (49.0, 0.0), (14.0, 0.0), (49.0, 0.0)], [(37.0, 0.0), (46.0, 0.0), (37.0, 0.0), (37.0, 0.0)]]]> : tensor<2x3x4xcomplex<f32>>
    return %0 : tensor<2x3x4xcomplex<f32>>
  }
}
// -----
module @dyngather_5 {
  func.func public @dyngather_5() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<3x2x5xf32>, tensor<2x3x4x1xi32>)
    %c = stablehlo.constant dense<[1, 1, 1]> : tensor<3xi64>
    %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %c) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [1, 0], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = true}> : (tensor<3x2x5xf32>, tensor<2x3x4x1xi32>, tensor<3xi64>) -> tensor<2x3x4xf32>
    %want0 = call @expected() : () -> tensor<2x3x4xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
    return
  }
  func.func private @inputs() -> (tensor<3x2x5xf32>, tensor<2x3x4x1xi32>) {
    %0 = stablehlo.constant dense<[[[35.0, 35.0, 32.0, 24.0, 22.0], [15.0, 33.0, 26.0, 36.0, 8.0]], [[10.0, 19.0, 36.0, 31.0, 27.0], [35.0, 40.0, 27.0, 7.0, 44.0]], [[32.0, 44.0, 36.0, 45.0, 21.0], [29.0, 10.0, 12.0, 18.0, 2.0]]]> : tensor<3x2x5xf32>
    %1 = stablehlo.constant dense<[[[[1], [4], [6], [3]], [[6], [-2], [6], [-1]], [[3], [8], [4], [6]]], [[[4], [7], [7], [1]], [[6], [2], [8], [4]], [[3], [2], [2], [-2]]]]> : tensor<2x3x4x1xi32>
    return %0, %1 : tensor<3x2x5xf32>, tensor<2x3x4x1xi32>
  }
  func.func private @expected() -> (tensor<2x3x4xf32>) {
    %0 = stablehlo.constant dense<[[[35.0, 22.0, 22.0, 24.0], [27.0, 10.0, 27.0, 10.0], [45.0, 21.0, 21.0, 21.0]], [[8.0, 8.0, 8.0, 33.0], [44.0, 27.0, 44.0, 44.0], [18.0, 12.0, 12.0, 29.0]]]> : tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
}
// -----
module @gather_6_f32 {
  func.func public @gather_6_f32() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xf32>, tensor<3xi32>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xf32>, tensor<3xi32>) -> tensor<3x4xf32>
    %want0 = call @expected() : () -> tensor<3x4xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x4xf32>, tensor<3x4xf32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf32>, tensor<3xi32>) {
    %0 = stablehlo.constant dense<[[31.0, 23.0, 35.0, 33.0], [49.0, 17.0, 26.0, 46.0], [4.0, 46.0, 29.0, 1.0], [24.0, 20.0, 29.0, 30.0], [23.0, 20.0, 28.0, 48.0]]> : tensor<5x4xf32>
    %1 = stablehlo.constant dense<[-1, 1, 5]> : tensor<3xi32>
    return %0, %1 : tensor<5x4xf32>, tensor<3xi32>
  }
  func.func private @expected() -> (tensor<3x4xf32>) {
    %0 = stablehlo.constant dense<[[31.0, 23.0, 35.0, 33.0], [49.0, 17.0, 26.0, 46.0], [23.0, 20.0, 28.0, 48.0]]> : tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module @gather_6_bf16 {
  func.func public @gather_6_bf16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xbf16>, tensor<3xi64>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<5x4xbf16>, tensor<3xi64>) -> tensor<3x4xbf16>
    %want0 = call @expected() : () -> tensor<3x4xbf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x4xbf16>, tensor<3x4xbf16>
    return
  }
  func.func private @inputs() -> (tensor<5x4xbf16>, tensor<3xi64>) {
    %0 = stablehlo.constant dense<[[44.0, 0.0, 17.0, 2.0], [44.0, 3.0, 5.0, 26.0], [42.0, 32.0, 42.0, 47.0], [28.0, 14.0, 15.0, 39.0], [19.0, 21.0, 6.0, 21.0]]> : tensor<5x4xbf16>
    %1 = stablehlo.constant dense<[1, 5, 3]> : tensor<3xi64>
    return %0, %1 : tensor<5x4xbf16>, tensor<3xi64>
  }
  func.func private @expected() -> (tensor<3x4xbf16>) {
    %0 = stablehlo.constant dense<[[44.0, 3.0, 5.0, 26.0], [19.0, 21.0, 6.0, 21.0], [28.0, 14.0, 15.0, 39.0]]> : tensor<3x4xbf16>
    return %0 : tensor<3x4xbf16>
  }
}
// -----
module @dyngather_6 {
  func.func public @dyngather_6() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xf32>, tensor<3xi32>)
    %c = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
    %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true}> : (tensor<5x4xf32>, tensor<3xi32>, tensor<2xi32>) -> tensor<3x4xf32>
    %want0 = call @expected() : () -> tensor<3x4xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x4xf32>, tensor<3x4xf32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf32>, tensor<3xi32>) {
    %0 = stablehlo.constant dense<[[7.0, 26.0, 9.0, 23.0], [31.0, 43.0, 35.0, 10.0], [12.0, 39.0, 42.0, 43.0], [17.0, 17.0, 48.0, 2.0], [33.0, 41.0, 28.0, 36.0]]> : tensor<5x4xf32>
    %1 = stablehlo.constant dense<[-1, 3, 5]> : tensor<3xi32>
    return %0, %1 : tensor<5x4xf32>, tensor<3xi32>
  }
  func.func private @expected() -> (tensor<3x4xf32>) {
    %0 = stablehlo.constant dense<[[7.0, 26.0, 9.0, 23.0], [17.0, 17.0, 48.0, 2.0], [33.0, 41.0, 28.0, 36.0]]> : tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module @gather_7_i1 {
  func.func public @gather_7_i1() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xi1>, tensor<2x3xui8>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1]>, indices_are_sorted = false, slice_sizes = array<i64: 2, 2>}> : (tensor<5x4xi1>, tensor<2x3xui8>) -> tensor<3x2x2xi1>
    %want0 = call @expected() : () -> tensor<3x2x2xi1>
    check.expect_eq %0, %want0 : tensor<3x2x2xi1>
    return
  }
  func.func private @inputs() -> (tensor<5x4xi1>, tensor<2x3xui8>) {
    %0 = stablehlo.constant dense<[[true, false, false, true], [true, false, true, false], [false, false, true, false], [false, false, false, true], [false, true, true, true]]> : tensor<5x4xi1>
    %1 = stablehlo.constant dense<[[6, 0, 0], [8, 5, 0]]> : tensor<2x3xui8>
    return %0, %1 : tensor<5x4xi1>, tensor<2x3xui8>
  }
  func.func private @expected() -> (tensor<3x2x2xi1>) {
    %0 = stablehlo.constant dense<[[[false, true], [true, true]], [[false, true], [true, false]], [[true, false], [true, false]]]> : tensor<3x2x2xi1>
    return %0 : tensor<3x2x2xi1>
  }
}
// -----
module @gather_7_complex_f32_ {
  func.func public @gather_7_complex_f32_() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xcomplex<f32>>, tensor<2x3xi8>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1]>, indices_are_sorted = false, slice_sizes = array<i64: 2, 2>}> : (tensor<5x4xcomplex<f32>>, tensor<2x3xi8>) -> tensor<3x2x2xcomplex<f32>>
    %want0 = call @expected() : () -> tensor<3x2x2xcomplex<f32>>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x2x2xcomplex<f32>>, tensor<3x2x2xcomplex<f32>>
    return
  }
  func.func private @inputs() -> (tensor<5x4xcomplex<f32>>, tensor<2x3xi8>) {
    %0 = stablehlo.constant dense<[[(6.0, 0.0), (47.0, 0.0), (19.0, 0.0), (24.0, 0.0)], [(48.0, 0.0), (38.0, 0.0), (13.0, 0.0), (37.0, 0.0)], [(5.0, 0.0), (2.0, 0.0), (46.0, 0.0), (20.0, 0.0)], [(10.0, 0.0), (27.0, 0.0), (29.0, 0.0), (6.0, 0.0)], [(13.0, 0.0), (46.0, 0.0), (47.0, 0.0), (40.0, 0.0)]]> : tensor<5x4xcomplex<f32>>
    %1 = stablehlo.constant dense<[[6, 4, 6], [7, -1, 2]]> : tensor<2x3xi8>
    return %0, %1 : tensor<5x4xcomplex<f32>>, tensor<2x3xi8>
  }
  func.func private @expected() -> (tensor<3x2x2xcomplex<f32>>) {
    %0 = stablehlo.constant dense<[[[(29.0, 0.0), (6.0, 0.0)], [(47.0, 0.0), (40.0, 0.0)]], [[(10.0, 0.0), (27.0, 0.0)], [(13.0, 0.0), (46.0, 0.0)]], [[(29.0, 0.0), (6.0, 0.0)], [(47.0, 0.0), (40.0, 0.0)]]]> : tensor<3x2x2xcomplex<f32>>
    return %0 : tensor<3x2x2xcomplex<f32>>
  }
}
// -----
module @dyngather_7 {
  func.func public @dyngather_7() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<5x4xf32>, tensor<2x3xi32>)
    %c = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
    %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1]>, indices_are_sorted = true}> : (tensor<5x4xf32>, tensor<2x3xi32>, tensor<2xi64>) -> tensor<3x2x2xf32>
    %want0 = call @expected() : () -> tensor<3x2x2xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x2x2xf32>, tensor<3x2x2xf32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf32>, tensor<2x3xi32>) {
    %0 = stablehlo.constant dense<[[18.0, 32.0, 42.0, 21.0], [14.0, 8.0, 5.0, 44.0], [42.0, 23.0, 13.0, 37.0], [29.0, 49.0, 9.0, 33.0], [6.0, 30.0, 24.0, 21.0]]> : tensor<5x4xf32>
    %1 = stablehlo.constant dense<[[5, 2, 6], [1, 8, -2]]> : tensor<2x3xi32>
    return %0, %1 : tensor<5x4xf32>, tensor<2x3xi32>
  }
  func.func private @expected() -> (tensor<3x2x2xf32>) {
    %0 = stablehlo.constant dense<[[[49.0, 9.0], [30.0, 24.0]], [[13.0, 37.0], [9.0, 33.0]], [[29.0, 49.0], [6.0, 30.0]]]> : tensor<3x2x2xf32>
    return %0 : tensor<3x2x2xf32>
  }
}
// -----
module @gather_8_f32 {
  func.func public @gather_8_f32() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<6xf32>, tensor<i32>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 3>}> : (tensor<6xf32>, tensor<i32>) -> tensor<3xf32>
    %want0 = call @expected() : () -> tensor<3xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
    return
  }
  func.func private @inputs() -> (tensor<6xf32>, tensor<i32>) {
    %0 = stablehlo.constant dense<[25.0, 16.0, 34.0, 15.0, 15.0, 0.0]> : tensor<6xf32>
    %1 = stablehlo.constant dense<7> : tensor<i32>
    return %0, %1 : tensor<6xf32>, tensor<i32>
  }
  func.func private @expected() -> (tensor<3xf32>) {
    %0 = stablehlo.constant dense<[15.0, 15.0, 0.0]> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module @gather_8_bf16 {
  func.func public @gather_8_bf16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<6xbf16>, tensor<i64>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 3>}> : (tensor<6xbf16>, tensor<i64>) -> tensor<3xbf16>
    %want0 = call @expected() : () -> tensor<3xbf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3xbf16>, tensor<3xbf16>
    return
  }
  func.func private @inputs() -> (tensor<6xbf16>, tensor<i64>) {
    %0 = stablehlo.constant dense<[20.0, 17.0, 29.0, 1.0, 34.0, 10.0]> : tensor<6xbf16>
    %1 = stablehlo.constant dense<0> : tensor<i64>
    return %0, %1 : tensor<6xbf16>, tensor<i64>
  }
  func.func private @expected() -> (tensor<3xbf16>) {
    %0 = stablehlo.constant dense<[20.0, 17.0, 29.0]> : tensor<3xbf16>
    return %0 : tensor<3xbf16>
  }
}
// -----
module @dyngather_8 {
  func.func public @dyngather_8() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<6xf32>, tensor<i32>)
    %c = stablehlo.constant dense<[3]> : tensor<1xi32>
    %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0]>, indices_are_sorted = true}> : (tensor<6xf32>, tensor<i32>, tensor<1xi32>) -> tensor<3xf32>
    %want0 = call @expected() : () -> tensor<3xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
    return
  }
  func.func private @inputs() -> (tensor<6xf32>, tensor<i32>) {
    %0 = stablehlo.constant dense<[7.0, 7.0, 31.0, 40.0, 7.0, 22.0]> : tensor<6xf32>
    %1 = stablehlo.constant dense<3> : tensor<i32>
    return %0, %1 : tensor<6xf32>, tensor<i32>
  }
  func.func private @expected() -> (tensor<3xf32>) {
    %0 = stablehlo.constant dense<[40.0, 7.0, 22.0]> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module @gather_9_i1 {
  func.func public @gather_9_i1() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<4x3x2xi1>, tensor<2x2xui8>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [1], start_index_map = [1, 2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 4, 1, 1>}> : (tensor<4x3x2xi1>, tensor<2x2xui8>) -> tensor<2x4x1xi1>
    %want0 = call @expected() : () -> tensor<2x4x1xi1>
    check.expect_eq %0, %want0 : tensor<2x4x1xi1>
    return
  }
  func.func private @inputs() -> (tensor<4x3x2xi1>, tensor<2x2xui8>) {
    %0 = stablehlo.constant dense<[[[false, false], [true, true], [false, false]], [[false, false], [true, false], [true, false]], [[false, true], [true, true], [false, true]], [[true, false], [true, true], [true, true]]]> : tensor<4x3x2xi1>
    %1 = stablehlo.constant dense<[[7, 8], [5, 8]]> : tensor<2x2xui8>
    return %0, %1 : tensor<4x3x2xi1>, tensor<2x2xui8>
  }
  func.func private @expected() -> (tensor<2x4x1xi1>) {
    %0 = stablehlo.constant dense<[[[false], [false], [true], [true]], [[false], [false], [true], [true]]]> : tensor<2x4x1xi1>
    return %0 : tensor<2x4x1xi1>
  }
}
// -----
module @gather_9_complex_f32_ {
  func.func public @gather_9_complex_f32_() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<4x3x2xcomplex<f32>>, tensor<2x2xi8>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [1], start_index_map = [1, 2], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 4, 1, 1>}> : (tensor<4x3x2xcomplex<f32>>, tensor<2x2xi8>) -> tensor<2x4x1xcomplex<f32>>
    %want0 = call @expected() : () -> tensor<2x4x1xcomplex<f32>>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x4x1xcomplex<f32>>, tensor<2x4x1xcomplex<f32>>
    return
  }
  func.func private @inputs() -> (tensor<4x3x2xcomplex<f32>>, tensor<2x2xi8>) {
    %0 = stablehlo.constant dense<[[[(29.0, 0.0), (0.0, 0.0)], [(10.0, 0.0), (30.0, 0.0)], [(4.0, 0.0), (12.0, 0.0)]], [[(13.0, 0.0), (34.0, 0.0)], [(1.0, 0.0), (6.0, 0.0)], [(3.0, 0.0), (28.0, 0.0)]], [[(22.0, 0.0), (38.0, 0.0)], [(40.0, 0.0), (28.0, 0.0)], [(6.0, 0.0), (15.0, 0.0)]], [[(28.0, 0.0), (37.0, 0.0)], [(26.0, 0.0), (46.0, 0.0)], [(9.0, 0.0), (13.0, 0.0)]]]> : tensor<4x3x2xcomplex<f32>>
    %1 = stablehlo.constant dense<[[-2, -1], [6, 2]]> : tensor<2x2xi8>
    return %0, %1 : tensor<4x3x2xcomplex<f32>>, tensor<2x2xi8>
  }
  func.func private @expected() -> (tensor<2x4x1xcomplex<f32>>) {
    %0 = stablehlo.constant dense<[[[(29.0, 0.0)], [(13.0, 0.0)], [(22.0, 0.0)], [(28.0, 0.0)]], [[(12.0, 0.0)], [(28.0, 0.0)], [(15.0, 0.0)], [(13.0, 0.0)]]]> : tensor<2x4x1xcomplex<f32>>
    return %0 : tensor<2x4x1xcomplex<f32>>
  }
}
// -----
module @dyngather_9 {
  func.func public @dyngather_9() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<4x3x2xf32>, tensor<2x2xi32>)
    %c = stablehlo.constant dense<[4, 1, 1]> : tensor<3xi64>
    %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [1], start_index_map = [1, 2], index_vector_dim = 1>, indices_are_sorted = true}> : (tensor<4x3x2xf32>, tensor<2x2xi32>, tensor<3xi64>) -> tensor<2x4x1xf32>
    %want0 = call @expected() : () -> tensor<2x4x1xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x4x1xf32>, tensor<2x4x1xf32>
    return
  }
  func.func private @inputs() -> (tensor<4x3x2xf32>, tensor<2x2xi32>) {
    %0 = stablehlo.constant dense<[[[36.0, 20.0], [36.0, 19.0], [15.0, 47.0]], [[27.0, 12.0], [5.0, 2.0], [41.0, 0.0]], [[6.0, 24.0], [31.0, 13.0], [45.0, 24.0]], [[9.0, 34.0], [4.0, 16.0], [48.0, 6.0]]]> : tensor<4x3x2xf32>
    %1 = stablehlo.constant dense<[[1, 8], [0, 0]]> : tensor<2x2xi32>
    return %0, %1 : tensor<4x3x2xf32>, tensor<2x2xi32>
  }
  func.func private @expected() -> (tensor<2x4x1xf32>) {
    %0 = stablehlo.constant dense<[[[19.0], [2.0], [13.0], [16.0]], [[36.0], [27.0], [6.0], [9.0]]]> : tensor<2x4x1xf32>
    return %0 : tensor<2x4x1xf32>
  }
}
// -----
module @gather_10_f32 {
  func.func public @gather_10_f32() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<4x6xf32>, tensor<3x2xi32>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 2, 3>}> : (tensor<4x6xf32>, tensor<3x2xi32>) -> tensor<3x2x3xf32>
    %want0 = call @expected() : () -> tensor<3x2x3xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x2x3xf32>, tensor<3x2x3xf32>
    return
  }
  func.func private @inputs() -> (tensor<4x6xf32>, tensor<3x2xi32>) {
    %0 = stablehlo.constant dense<[[41.0, 15.0, 6.0, 1.0, 31.0, 30.0], [40.0, 11.0, 20.0, 37.0, 18.0, 21.0], [37.0, 41.0, 36.0, 16.0, 28.0, 39.0], [1.0, 3.0, 15.0, 17.0, 32.0, 16.0]]> : tensor<4x6xf32>
    %1 = stablehlo.constant dense<[[1, 2], [-1, 0], [1, 1]]> : tensor<3x2xi32>
    return %0, %1 : tensor<4x6xf32>, tensor<3x2xi32>
  }
  func.func private @expected() -> (tensor<3x2x3xf32>) {
    %0 = stablehlo.constant dense<[[[20.0, 37.0, 18.0], [36.0, 16.0, 28.0]], [[41.0, 15.0, 6.0], [40.0, 11.0, 20.0]], [[11.0, 20.0, 37.0], [41.0, 36.0, 16.0]]]> : tensor<3x2x3xf32>
    return %0 : tensor<3x2x3xf32>
  }
}
// -----
module @gather_10_bf16 {
  func.func public @gather_10_bf16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<4x6xbf16>, tensor<3x2xi64>)
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 2, 3>}> : (tensor<4x6xbf16>, tensor<3x2xi64>) -> tensor<3x2x3xbf16>
    %want0 = call @expected() : () -> tensor<3x2x3xbf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x2x3xbf16>, tensor<3x2x3xbf16>
    return
  }
  func.func private @inputs() -> (tensor<4x6xbf16>, tensor<3x2xi64>) {
    %0 = stablehlo.constant dense<[[26.0, 48.0, 2.0, 4.0, 6.0, 24.0], [41.0, 45.0, 9.0, 23.0, 4.0, 22.0], [28.0, 26.0, 39.0, 6.0, 26.0, 10.0], [2.0, 35.0, 32.0, 29.0, 21.0, 11.0]]> : tensor<4x6xbf16>
    %1 = stablehlo.constant dense<[[3, 3], [0, 8], [4, 0]]> : tensor<3x2xi64>
    return %0, %1 : tensor<4x6xbf16>, tensor<3x2xi64>
  }
  func.func private @expected() -> (tensor<3x2x3xbf16>) {
    %0 = stablehlo.constant dense<[[[6.0, 26.0, 10.0], [29.0, 21.0, 11.0]], [[4.0, 6.0, 24.0], [23.0, 4.0, 22.0]], [[28.0, 26.0, 39.0], [2.0, 35.0, 32.0]]]> : tensor<3x2x3xbf16>
    return %0 : tensor<3x2x3xbf16>
  }
}
// -----
module @dyngather_10 {
  func.func public @dyngather_10() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<4x6xf32>, tensor<3x2xi32>)
    %c = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
    %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %c) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = true}> : (tensor<4x6xf32>, tensor<3x2xi32>, tensor<2xi32>) -> tensor<3x2x3xf32>
    %want0 = call @expected() : () -> tensor<3x2x3xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x2x3xf32>, tensor<3x2x3xf32>
    return
  }
  func.func private @inputs() -> (tensor<4x6xf32>, tensor<3x2xi32>) {
    %0 = stablehlo.constant dense<[[9.0, 39.0, 16.0, 46.0, 49.0, 27.0], [28.0, 8.0, 47.0, 23.0, 15.0, 39.0], [14.0, 33.0, 21.0, 42.0, 42.0, 25.0], [10.0, 0.0, 27.0, 1.0, 39.0, 39.0]]> : tensor<4x6xf32>
    %1 = stablehlo.constant dense<[[8, 3], [8, 8], [-2, 7]]> : tensor<3x2xi32>
    return %0, %1 : tensor<4x6xf32>, tensor<3x2xi32>
  }
  func.func private @expected() -> (tensor<3x2x3xf32>) {
    %0 = stablehlo.constant dense<[[[42.0, 42.0, 25.0], [1.0, 39.0, 39.0]], [[42.0, 42.0, 25.0], [1.0, 39.0, 39.0]], [[46.0, 49.0, 27.0], [23.0, 15.0, 39.0]]]> : tensor<3x2x3xf32>
    return %0 : tensor<3x2x3xf32>
  }
}
// -----
module @scatter_0_add {
  func.func public @scatter_0_add() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<5x4xf32>
    %want0 = call @expected() : () -> tensor<5x4xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xf32>, tensor<5x4xf32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) {
    %0 = stablehlo.constant dense<[[4.0, 3.0, 1.0, 2.0], [1.0, 3.0, 0.0, 0.0], [2.0, 1.0, 3.0, 3.0], [4.0, 2.0, 0.0, 0.0], [0.0, 1.0, 2.0, 0.0]]> : tensor<5x4xf32>
    %1 = stablehlo.constant dense<[[2], [1], [1]]> : tensor<3x1xi32>
    %2 = stablehlo.constant dense<[[3.0, 4.0, 1.0, 0.0], [3.0, 3.0, 1.0, 0.0], [2.0, 0.0, 0.0, 0.0]]> : tensor<3x4xf32>
    return %0, %1, %2 : tensor<5x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>
  }
  func.func private @expected() -> (tensor<5x4xf32>) {
    %0 = stablehlo.constant dense<[[4.0, 3.0, 1.0, 2.0], [6.0, 6.0, 1.0, 0.0], [5.0, 5.0, 4.0, 3.0], [4.0, 2.0, 0.0, 0.0], [0.0, 1.0, 2.0, 0.0]]> : tensor<5x4xf32>
    return %0 : tensor<5x4xf32>
  }
}
// -----
module @scatter_0_mul {
  func.func public @scatter_0_mul() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xi32>, tensor<3x1xi32>, tensor<3x4xi32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %1 = stablehlo.multiply %arg3, %arg4 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<5x4xi32>, tensor<3x1xi32>, tensor<3x4xi32>) -> tensor<5x4xi32>
    %want0 = call @expected() : () -> tensor<5x4xi32>
    check.expect_eq %0, %want0 : tensor<5x4xi32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xi32>, tensor<3x1xi32>, tensor<3x4xi32>) {
    %0 = stablehlo.constant dense<[[4, 3, 4, 2], [2, 4, 4, 1], [3, 3, 4, 2], [1, 4, 1, 2], [1, 2, 4, 2]]> : tensor<5x4xi32>
    %1 = stablehlo.constant dense<[[1], [0], [1]]> : tensor<3x1xi32>
    %2 = stablehlo.constant dense<[[4, 1, 3, 3], [4, 0, 0, 4], [0, 4, 0, 3]]> : tensor<3x4xi32>
    return %0, %1, %2 : tensor<5x4xi32>, tensor<3x1xi32>, tensor<3x4xi32>
  }
  func.func private @expected() -> (tensor<5x4xi32>) {
    %0 = stablehlo.constant dense<[[16, 0, 0, 8], [0, 16, 0, 9], [3, 3, 4, 2], [1, 4, 1, 2], [1, 2, 4, 2]]> : tensor<5x4xi32>
    return %0 : tensor<5x4xi32>
  }
}
// -----
module @scatter_0_max {
  func.func public @scatter_0_max() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xf16>, tensor<3x1xi32>, tensor<3x4xf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f16>, %arg4: tensor<f16>):
      %1 = stablehlo.maximum %arg3, %arg4 : tensor<f16>
      stablehlo.return %1 : tensor<f16>
    }) : (tensor<5x4xf16>, tensor<3x1xi32>, tensor<3x4xf16>) -> tensor<5x4xf16>
    %want0 = call @expected() : () -> tensor<5x4xf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xf16>, tensor<5x4xf16>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf16>, tensor<3x1xi32>, tensor<3x4xf16>) {
    %0 = stablehlo.constant dense<[[2.0, 2.0, 3.0, 0.0], [4.0, 2.0, 3.0, 3.0], [0.0, 4.0, 1.0, 0.0], [4.0, 4.0, 2.0, 1.0], [0.0, 2.0, 2.0, 4.0]]> : tensor<5x4xf16>
    %1 = stablehlo.constant dense<[[5], [2], [3]]> : tensor<3x1xi32>
    %2 = stablehlo.constant dense<[[1.0, 0.0, 3.0, 2.0], [1.0, 1.0, 0.0, 0.0], [4.0, 0.0, 4.0, 1.0]]> : tensor<3x4xf16>
    return %0, %1, %2 : tensor<5x4xf16>, tensor<3x1xi32>, tensor<3x4xf16>
  }
  func.func private @expected() -> (tensor<5x4xf16>) {
    %0 = stablehlo.constant dense<[[2.0, 2.0, 3.0, 0.0], [4.0, 2.0, 3.0, 3.0], [1.0, 4.0, 1.0, 0.0], [4.0, 4.0, 4.0, 1.0], [0.0, 2.0, 2.0, 4.0]]> : tensor<5x4xf16>
    return %0 : tensor<5x4xf16>
  }
}
// -----
module @scatter_0_min {
  func.func public @scatter_0_min() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xui8>, tensor<3x1xi32>, tensor<3x4xui8>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<ui8>, %arg4: tensor<ui8>):
      %1 = stablehlo.minimum %arg4, %arg3 : tensor<ui8>
      stablehlo.return %1 : tensor<ui8>
    }) : (tensor<5x4xui8>, tensor<3x1xi32>, tensor<3x4xui8>) -> tensor<5x4xui8>
    %want0 = call @expected() : () -> tensor<5x4xui8>
    check.expect_eq %0, %want0 : tensor<5x4xui8>
    return
  }
  func.func private @inputs() -> (tensor<5x4xui8>, tensor<3x1xi32>, tensor<3x4xui8>) {
    %0 = stablehlo.constant dense<[[0, 1, 0, 2], [4, 3, 2, 0], [1, 4, 4, 4], [3, 2, 1, 0], [4, 0, 0, 3]]> : tensor<5x4xui8>
    %1 = stablehlo.constant dense<[[1], [3], [5]]> : tensor<3x1xi32>
    %2 = stablehlo.constant dense<[[1, 4, 4, 1], [2, 4, 0, 4], [0, 4, 4, 1]]> : tensor<3x4xui8>
    return %0, %1, %2 : tensor<5x4xui8>, tensor<3x1xi32>, tensor<3x4xui8>
  }
  func.func private @expected() -> (tensor<5x4xui8>) {
    %0 = stablehlo.constant dense<[[0, 1, 0, 2], [1, 3, 2, 0], [1, 4, 4, 4], [2, 2, 0, 0], [4, 0, 0, 3]]> : tensor<5x4xui8>
    return %0 : tensor<5x4xui8>
  }
}
// -----
module @scatter_0_set {
  func.func public @scatter_0_set() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xi64>, tensor<3x1xi32>, tensor<3x4xi64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i64>, %arg4: tensor<i64>):
      stablehlo.return %arg4 : tensor<i64>
    }) : (tensor<5x4xi64>, tensor<3x1xi32>, tensor<3x4xi64>) -> tensor<5x4xi64>
    %want0 = call @expected() : () -> tensor<5x4xi64>
    check.expect_eq %0, %want0 : tensor<5x4xi64>
    return
  }
  func.func private @inputs() -> (tensor<5x4xi64>, tensor<3x1xi32>, tensor<3x4xi64>) {
    %0 = stablehlo.constant dense<[[1, 1, 4, 2], [0, 1, 3, 4], [4, 3, 4, 4], [2, 2, 2, 3], [0, 0, 4, 3]]> : tensor<5x4xi64>
    %1 = stablehlo.constant dense<[[4], [2], [4]]> : tensor<3x1xi32>
    %2 = stablehlo.constant dense<[[1, 3, 2, 3], [4, 1, 4, 0], [4, 3, 4, 3]]> : tensor<3x4xi64>
    return %0, %1, %2 : tensor<5x4xi64>, tensor<3x1xi32>, tensor<3x4xi64>
  }
  func.func private @expected() -> (tensor<5x4xi64>) {
    %0 = stablehlo.constant dense<[[1, 1, 4, 2], [0, 1, 3, 4], [4, 1, 4, 0], [2, 2, 2, 3], [4, 3, 4, 3]]> : tensor<5x4xi64>
    return %0 : tensor<5x4xi64>
  }
}
// -----
module @scatter_0_sub {
  func.func public @scatter_0_sub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xf64>, tensor<3x1xi32>, tensor<3x4xf64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %1 = stablehlo.subtract %arg3, %arg4 : tensor<f64>
      stablehlo.return %1 : tensor<f64>
    }) : (tensor<5x4xf64>, tensor<3x1xi32>, tensor<3x4xf64>) -> tensor<5x4xf64>
    %want0 = call @expected() : () -> tensor<5x4xf64>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xf64>, tensor<5x4xf64>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf64>, tensor<3x1xi32>, tensor<3x4xf64>) {
    %0 = stablehlo.constant dense<[[0.0, 0.0, 2.0, 3.0], [1.0, 1.0, 4.0, 4.0], [3.0, 0.0, 3.0, 2.0], [3.0, 0.0, 4.0, 2.0], [4.0, 0.0, 0.0, 1.0]]> : tensor<5x4xf64>
    %1 = stablehlo.constant dense<[[4], [0], [1]]> : tensor<3x1xi32>
    %2 = stablehlo.constant dense<[[0.0, 3.0, 4.0, 2.0], [1.0, 4.0, 3.0, 0.0], [1.0, 1.0, 3.0, 2.0]]> : tensor<3x4xf64>
    return %0, %1, %2 : tensor<5x4xf64>, tensor<3x1xi32>, tensor<3x4xf64>
  }
  func.func private @expected() -> (tensor<5x4xf64>) {
    %0 = stablehlo.constant dense<[[-1.0, -4.0, -1.0, 3.0], [0.0, 0.0, 1.0, 2.0], [3.0, 0.0, 3.0, 2.0], [3.0, 0.0, 4.0, 2.0], [4.0, -3.0, -4.0, -1.0]]> : tensor<5x4xf64>
    return %0 : tensor<5x4xf64>
  }
}
// -----
module @scatter_0_rsub {
  func.func public @scatter_0_rsub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xbf16>, tensor<3x1xi32>, tensor<3x4xbf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<bf16>, %arg4: tensor<bf16>):
      %1 = stablehlo.subtract %arg4, %arg3 : tensor<bf16>
      stablehlo.return %1 : tensor<bf16>
    }) : (tensor<5x4xbf16>, tensor<3x1xi32>, tensor<3x4xbf16>) -> tensor<5x4xbf16>
    %want0 = call @expected() : () -> tensor<5x4xbf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xbf16>, tensor<5x4xbf16>
    return
  }
  func.func private @inputs() -> (tensor<5x4xbf16>, tensor<3x1xi32>, tensor<3x4xbf16>) {
    %0 = stablehlo.constant dense<[[1.0, 3.0, 1.0, 0.0], [4.0, 0.0, 0.0, 2.0], [3.0, 4.0, 0.0, 4.0], [1.0, 0.0, 2.0, 1.0], [4.0, 0.0, 3.0, 4.0]]> : tensor<5x4xbf16>
    %1 = stablehlo.constant dense<[[0], [-1], [1]]> : tensor<3x1xi32>
    %2 = stablehlo.constant dense<[[2.0, 1.0, 4.0, 1.0], [0.0, 2.0, 3.0, 1.0], [2.0, 2.0, 2.0, 0.0]]> : tensor<3x4xbf16>
    return %0, %1, %2 : tensor<5x4xbf16>, tensor<3x1xi32>, tensor<3x4xbf16>
  }
  func.func private @expected() -> (tensor<5x4xbf16>) {
    %0 = stablehlo.constant dense<[[1.0, -2.0, 3.0, 1.0], [-2.0, 2.0, 2.0, -2.0], [3.0, 4.0, 0.0, 4.0], [1.0, 0.0, 2.0, 1.0], [4.0, 0.0, 3.0, 4.0]]> : tensor<5x4xbf16>
    return %0 : tensor<5x4xbf16>
  }
}
// -----
module @scatter_1_add {
  func.func public @scatter_1_add() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xi32>, tensor<3x2xi32>, tensor<3xi32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<5x4xi32>, tensor<3x2xi32>, tensor<3xi32>) -> tensor<5x4xi32>
    %want0 = call @expected() : () -> tensor<5x4xi32>
    check.expect_eq %0, %want0 : tensor<5x4xi32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xi32>, tensor<3x2xi32>, tensor<3xi32>) {
    %0 = stablehlo.constant dense<[[1, 2, 0, 2], [4, 1, 0, 4], [4, 1, 1, 0], [4, 3, 0, 4], [2, 1, 3, 0]]> : tensor<5x4xi32>
    %1 = stablehlo.constant dense<[[0, 2], [2, 4], [-1, 1]]> : tensor<3x2xi32>
    %2 = stablehlo.constant dense<[0, 2, 2]> : tensor<3xi32>
    return %0, %1, %2 : tensor<5x4xi32>, tensor<3x2xi32>, tensor<3xi32>
  }
  func.func private @expected() -> (tensor<5x4xi32>) {
    %0 = stablehlo.constant dense<[[1, 2, 0, 2], [4, 1, 0, 4], [4, 1, 1, 0], [4, 3, 0, 4], [2, 1, 3, 0]]> : tensor<5x4xi32>
    return %0 : tensor<5x4xi32>
  }
}
// -----
module @scatter_1_mul {
  func.func public @scatter_1_mul() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xf16>, tensor<3x2xi32>, tensor<3xf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f16>, %arg4: tensor<f16>):
      %1 = stablehlo.multiply %arg3, %arg4 : tensor<f16>
      stablehlo.return %1 : tensor<f16>
    }) : (tensor<5x4xf16>, tensor<3x2xi32>, tensor<3xf16>) -> tensor<5x4xf16>
    %want0 = call @expected() : () -> tensor<5x4xf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xf16>, tensor<5x4xf16>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf16>, tensor<3x2xi32>, tensor<3xf16>) {
    %0 = stablehlo.constant dense<[[0.0, 2.0, 3.0, 0.0], [1.0, 3.0, 3.0, 4.0], [0.0, 3.0, 4.0, 3.0], [4.0, 3.0, 3.0, 1.0], [1.0, 4.0, 2.0, 0.0]]> : tensor<5x4xf16>
    %1 = stablehlo.constant dense<[[4, 4], [4, -1], [0, 0]]> : tensor<3x2xi32>
    %2 = stablehlo.constant dense<[0.0, 2.0, 4.0]> : tensor<3xf16>
    return %0, %1, %2 : tensor<5x4xf16>, tensor<3x2xi32>, tensor<3xf16>
  }
  func.func private @expected() -> (tensor<5x4xf16>) {
    %0 = stablehlo.constant dense<[[0.0, 2.0, 3.0, 0.0], [1.0, 3.0, 3.0, 4.0], [0.0, 3.0, 4.0, 3.0], [4.0, 3.0, 3.0, 1.0], [1.0, 4.0, 2.0, 0.0]]> : tensor<5x4xf16>
    return %0 : tensor<5x4xf16>
  }
}
// -----
module @scatter_1_max {
  func.func public @scatter_1_max() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xui8>, tensor<3x2xi32>, tensor<3xui8>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<ui8>, %arg4: tensor<ui8>):
      %1 = stablehlo.maximum %arg3, %arg4 : tensor<ui8>
      stablehlo.return %1 : tensor<ui8>
    }) : (tensor<5x4xui8>, tensor<3x2xi32>, tensor<3xui8>) -> tensor<5x4xui8>
    %want0 = call @expected() : () -> tensor<5x4xui8>
    check.expect_eq %0, %want0 : tensor<5x4xui8>
    return
  }
  func.func private @inputs() -> (tensor<5x4xui8>, tensor<3x2xi32>, tensor<3xui8>) {
    %0 = stablehlo.constant dense<[[1, 3, 2, 3], [1, 2, 0, 4], [1, 2, 3, 0], [2, 4, 2, 2], [0, 3, 0, 4]]> : tensor<5x4xui8>
    %1 = stablehlo.constant dense<[[5, 2], [-1, 3], [5, 3]]> : tensor<3x2xi32>
    %2 = stablehlo.constant dense<[4, 2, 4]> : tensor<3xui8>
    return %0, %1, %2 : tensor<5x4xui8>, tensor<3x2xi32>, tensor<3xui8>
  }
  func.func private @expected() -> (tensor<5x4xui8>) {
    %0 = stablehlo.constant dense<[[1, 3, 2, 3], [1, 2, 0, 4], [1, 2, 3, 0], [2, 4, 2, 2], [0, 3, 0, 4]]> : tensor<5x4xui8>
    return %0 : tensor<5x4xui8>
  }
}
// -----
module @scatter_1_min {
  func.func public @scatter_1_min() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xi64>, tensor<3x2xi32>, tensor<3xi64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i64>, %arg4: tensor<i64>):
      %1 = stablehlo.minimum %arg4, %arg3 : tensor<i64>
      stablehlo.return %1 : tensor<i64>
    }) : (tensor<5x4xi64>, tensor<3x2xi32>, tensor<3xi64>) -> tensor<5x4xi64>
    %want0 = call @expected() : () -> tensor<5x4xi64>
    check.expect_eq %0, %want0 : tensor<5x4xi64>
    return
  }
  func.func private @inputs() -> (tensor<5x4xi64>, tensor<3x2xi32>, tensor<3xi64>) {
    %0 = stablehlo.constant dense<[[2, 2, 2, 0], [3, 0, 4, 3], [0, 4, 4, 0], [3, 4, 4, 0], [3, 4, 3, 2]]> : tensor<5x4xi64>
    %1 = stablehlo.constant dense<[[5, 0], [4, 4], [2, -1]]> : tensor<3x2xi32>
    %2 = stablehlo.constant dense<[4, 2, 4]> : tensor<3xi64>
    return %0, %1, %2 : tensor<5x4xi64>, tensor<3x2xi32>, tensor<3xi64>
  }
  func.func private @expected() -> (tensor<5x4xi64>) {
    %0 = stablehlo.constant dense<[[2, 2, 2, 0], [3, 0, 4, 3], [0, 4, 4, 0], [3, 4, 4, 0], [3, 4, 3, 2]]> : tensor<5x4xi64>
    return %0 : tensor<5x4xi64>
  }
}
// -----
module @scatter_1_set {
  func.func public @scatter_1_set() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xf64>, tensor<3x2xi32>, tensor<3xf64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      stablehlo.return %arg4 : tensor<f64>
    }) : (tensor<5x4xf64>, tensor<3x2xi32>, tensor<3xf64>) -> tensor<5x4xf64>
    %want0 = call @expected() : () -> tensor<5x4xf64>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xf64>, tensor<5x4xf64>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf64>, tensor<3x2xi32>, tensor<3xf64>) {
    %0 = stablehlo.constant dense<[[4.0, 4.0, 2.0, 4.0], [1.0, 2.0, 4.0, 2.0], [4.0, 2.0, 3.0, 3.0], [1.0, 3.0, 4.0, 4.0], [4.0, 1.0, 0.0, 2.0]]> : tensor<5x4xf64>
    %1 = stablehlo.constant dense<[[4, -1], [3, 3], [4, -1]]> : tensor<3x2xi32>
    %2 = stablehlo.constant dense<[3.0, 3.0, 2.0]> : tensor<3xf64>
    return %0, %1, %2 : tensor<5x4xf64>, tensor<3x2xi32>, tensor<3xf64>
  }
  func.func private @expected() -> (tensor<5x4xf64>) {
    %0 = stablehlo.constant dense<[[4.0, 4.0, 2.0, 4.0], [1.0, 2.0, 4.0, 2.0], [4.0, 2.0, 3.0, 3.0], [1.0, 3.0, 4.0, 3.0], [4.0, 1.0, 0.0, 2.0]]> : tensor<5x4xf64>
    return %0 : tensor<5x4xf64>
  }
}
// -----
module @scatter_1_sub {
  func.func public @scatter_1_sub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xbf16>, tensor<3x2xi32>, tensor<3xbf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<bf16>, %arg4: tensor<bf16>):
      %1 = stablehlo.subtract %arg3, %arg4 : tensor<bf16>
      stablehlo.return %1 : tensor<bf16>
    }) : (tensor<5x4xbf16>, tensor<3x2xi32>, tensor<3xbf16>) -> tensor<5x4xbf16>
    %want0 = call @expected() : () -> tensor<5x4xbf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xbf16>, tensor<5x4xbf16>
    return
  }
  func.func private @inputs() -> (tensor<5x4xbf16>, tensor<3x2xi32>, tensor<3xbf16>) {
    %0 = stablehlo.constant dense<[[0.0, 3.0, 3.0, 3.0], [2.0, 4.0, 2.0, 1.0], [4.0, 2.0, 4.0, 3.0], [1.0, 0.0, 0.0, 0.0], [0.0, 3.0, 1.0, 4.0]]> : tensor<5x4xbf16>
    %1 = stablehlo.constant dense<[[5, -1], [5, 0], [1, 1]]> : tensor<3x2xi32>
    %2 = stablehlo.constant dense<[1.0, 2.0, 2.0]> : tensor<3xbf16>
    return %0, %1, %2 : tensor<5x4xbf16>, tensor<3x2xi32>, tensor<3xbf16>
  }
  func.func private @expected() -> (tensor<5x4xbf16>) {
    %0 = stablehlo.constant dense<[[0.0, 3.0, 3.0, 3.0], [2.0, 2.0, 2.0, 1.0], [4.0, 2.0, 4.0, 3.0], [1.0, 0.0, 0.0, 0.0], [0.0, 3.0, 1.0, 4.0]]> : tensor<5x4xbf16>
    return %0 : tensor<5x4xbf16>
  }
}
// -----
module @scatter_1_rsub {
  func.func public @scatter_1_rsub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xf32>, tensor<3x2xi32>, tensor<3xf32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.subtract %arg4, %arg3 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<3x2xi32>, tensor<3xf32>) -> tensor<5x4xf32>
    %want0 = call @expected() : () -> tensor<5x4xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xf32>, tensor<5x4xf32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf32>, tensor<3x2xi32>, tensor<3xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 0.0, 3.0, 4.0], [3.0, 3.0, 4.0, 0.0], [1.0, 0.0, 4.0, 4.0], [2.0, 2.0, 1.0, 1.0], [1.0, 3.0, 1.0, 4.0]]> : tensor<5x4xf32>
    %1 = stablehlo.constant dense<[[4, 1], [3, 5], [4, 3]]> : tensor<3x2xi32>
    %2 = stablehlo.constant dense<[1.0, 1.0, 3.0]> : tensor<3xf32>
    return %0, %1, %2 : tensor<5x4xf32>, tensor<3x2xi32>, tensor<3xf32>
  }
  func.func private @expected() -> (tensor<5x4xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 0.0, 3.0, 4.0], [3.0, 3.0, 4.0, 0.0], [1.0, 0.0, 4.0, 4.0], [2.0, 2.0, 1.0, 1.0], [1.0, -2.0, 1.0, -1.0]]> : tensor<5x4xf32>
    return %0 : tensor<5x4xf32>
  }
}
// -----
module @scatter_2_add {
  func.func public @scatter_2_add() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xf16>, tensor<1xi32>, tensor<2x4xf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f16>, %arg4: tensor<f16>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<f16>
      stablehlo.return %1 : tensor<f16>
    }) : (tensor<5x4xf16>, tensor<1xi32>, tensor<2x4xf16>) -> tensor<5x4xf16>
    %want0 = call @expected() : () -> tensor<5x4xf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xf16>, tensor<5x4xf16>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf16>, tensor<1xi32>, tensor<2x4xf16>) {
    %0 = stablehlo.constant dense<[[2.0, 2.0, 3.0, 2.0], [0.0, 2.0, 0.0, 3.0], [3.0, 1.0, 4.0, 0.0], [0.0, 2.0, 4.0, 1.0], [4.0, 3.0, 1.0, 4.0]]> : tensor<5x4xf16>
    %1 = stablehlo.constant dense<[2]> : tensor<1xi32>
    %2 = stablehlo.constant dense<[[2.0, 1.0, 4.0, 1.0], [0.0, 4.0, 2.0, 3.0]]> : tensor<2x4xf16>
    return %0, %1, %2 : tensor<5x4xf16>, tensor<1xi32>, tensor<2x4xf16>
  }
  func.func private @expected() -> (tensor<5x4xf16>) {
    %0 = stablehlo.constant dense<[[2.0, 2.0, 3.0, 2.0], [0.0, 2.0, 0.0, 3.0], [5.0, 2.0, 8.0, 1.0], [0.0, 6.0, 6.0, 4.0], [4.0, 3.0, 1.0, 4.0]]> : tensor<5x4xf16>
    return %0 : tensor<5x4xf16>
  }
}
// -----
module @scatter_2_mul {
  func.func public @scatter_2_mul() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xui8>, tensor<1xi32>, tensor<2x4xui8>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<ui8>, %arg4: tensor<ui8>):
      %1 = stablehlo.multiply %arg3, %arg4 : tensor<ui8>
      stablehlo.return %1 : tensor<ui8>
    }) : (tensor<5x4xui8>, tensor<1xi32>, tensor<2x4xui8>) -> tensor<5x4xui8>
    %want0 = call @expected() : () -> tensor<5x4xui8>
    check.expect_eq %0, %want0 : tensor<5x4xui8>
    return
  }
  func.func private @inputs() -> (tensor<5x4xui8>, tensor<1xi32>, tensor<2x4xui8>) {
    %0 = stablehlo.constant dense<[[3, 1, 1, 4], [4, 3, 2, 4], [2, 3, 1, 4], [3, 4, 3, 2], [2, 3, 3, 2]]> : tensor<5x4xui8>
    %1 = stablehlo.constant dense<[2]> : tensor<1xi32>
    %2 = stablehlo.constant dense<[[3, 2, 1, 0], [3, 4, 0, 2]]> : tensor<2x4xui8>
    return %0, %1, %2 : tensor<5x4xui8>, tensor<1xi32>, tensor<2x4xui8>
  }
  func.func private @expected() -> (tensor<5x4xui8>) {
    %0 = stablehlo.constant dense<[[3, 1, 1, 4], [4, 3, 2, 4], [6, 6, 1, 0], [9, 16, 0, 4], [2, 3, 3, 2]]> : tensor<5x4xui8>
    return %0 : tensor<5x4xui8>
  }
}
// -----
module @scatter_2_max {
  func.func public @scatter_2_max() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xi64>, tensor<1xi32>, tensor<2x4xi64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i64>, %arg4: tensor<i64>):
      %1 = stablehlo.maximum %arg3, %arg4 : tensor<i64>
      stablehlo.return %1 : tensor<i64>
    }) : (tensor<5x4xi64>, tensor<1xi32>, tensor<2x4xi64>) -> tensor<5x4xi64>
    %want0 = call @expected() : () -> tensor<5x4xi64>
    check.expect_eq %0, %want0 : tensor<5x4xi64>
    return
  }
  func.func private @inputs() -> (tensor<5x4xi64>, tensor<1xi32>, tensor<2x4xi64>) {
    %0 = stablehlo.constant dense<[[0, 2, 3, 3], [3, 3, 1, 2], [2, 0, 1, 0], [2, 3, 2, 4], [2, 0, 0, 3]]> : tensor<5x4xi64>
    %1 = stablehlo.constant dense<[1]> : tensor<1xi32>
    %2 = stablehlo.constant dense<[[2, 2, 3, 3], [4, 0, 3, 2]]> : tensor<2x4xi64>
    return %0, %1, %2 : tensor<5x4xi64>, tensor<1xi32>, tensor<2x4xi64>
  }
  func.func private @expected() -> (tensor<5x4xi64>) {
    %0 = stablehlo.constant dense<[[0, 2, 3, 3], [3, 3, 3, 3], [4, 0, 3, 2], [2, 3, 2, 4], [2, 0, 0, 3]]> : tensor<5x4xi64>
    return %0 : tensor<5x4xi64>
  }
}
// -----
module @scatter_2_min {
  func.func public @scatter_2_min() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xf64>, tensor<1xi32>, tensor<2x4xf64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %1 = stablehlo.minimum %arg4, %arg3 : tensor<f64>
      stablehlo.return %1 : tensor<f64>
    }) : (tensor<5x4xf64>, tensor<1xi32>, tensor<2x4xf64>) -> tensor<5x4xf64>
    %want0 = call @expected() : () -> tensor<5x4xf64>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xf64>, tensor<5x4xf64>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf64>, tensor<1xi32>, tensor<2x4xf64>) {
    %0 = stablehlo.constant dense<[[4.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 1.0], [2.0, 0.0, 0.0, 1.0], [0.0, 1.0, 2.0, 2.0], [0.0, 3.0, 1.0, 0.0]]> : tensor<5x4xf64>
    %1 = stablehlo.constant dense<[3]> : tensor<1xi32>
    %2 = stablehlo.constant dense<[[1.0, 4.0, 1.0, 1.0], [4.0, 4.0, 1.0, 2.0]]> : tensor<2x4xf64>
    return %0, %1, %2 : tensor<5x4xf64>, tensor<1xi32>, tensor<2x4xf64>
  }
  func.func private @expected() -> (tensor<5x4xf64>) {
    %0 = stablehlo.constant dense<[[4.0, 1.0, 0.0, 1.0], [1.0, 0.0, 1.0, 1.0], [2.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0], [0.0, 3.0, 1.0, 0.0]]> : tensor<5x4xf64>
    return %0 : tensor<5x4xf64>
  }
}
// -----
module @scatter_2_set {
  func.func public @scatter_2_set() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xbf16>, tensor<1xi32>, tensor<2x4xbf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<bf16>, %arg4: tensor<bf16>):
      stablehlo.return %arg4 : tensor<bf16>
    }) : (tensor<5x4xbf16>, tensor<1xi32>, tensor<2x4xbf16>) -> tensor<5x4xbf16>
    %want0 = call @expected() : () -> tensor<5x4xbf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xbf16>, tensor<5x4xbf16>
    return
  }
  func.func private @inputs() -> (tensor<5x4xbf16>, tensor<1xi32>, tensor<2x4xbf16>) {
    %0 = stablehlo.constant dense<[[3.0, 0.0, 3.0, 4.0], [3.0, 3.0, 4.0, 1.0], [4.0, 2.0, 0.0, 2.0], [2.0, 0.0, 4.0, 4.0], [1.0, 1.0, 4.0, 3.0]]> : tensor<5x4xbf16>
    %1 = stablehlo.constant dense<[5]> : tensor<1xi32>
    %2 = stablehlo.constant dense<[[0.0, 0.0, 0.0, 2.0], [4.0, 1.0, 1.0, 3.0]]> : tensor<2x4xbf16>
    return %0, %1, %2 : tensor<5x4xbf16>, tensor<1xi32>, tensor<2x4xbf16>
  }
  func.func private @expected() -> (tensor<5x4xbf16>) {
    %0 = stablehlo.constant dense<[[3.0, 0.0, 3.0, 4.0], [3.0, 3.0, 4.0, 1.0], [4.0, 2.0, 0.0, 2.0], [2.0, 0.0, 4.0, 4.0], [1.0, 1.0, 4.0, 3.0]]> : tensor<5x4xbf16>
    return %0 : tensor<5x4xbf16>
  }
}
// -----
module @scatter_2_sub {
  func.func public @scatter_2_sub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xf32>, tensor<1xi32>, tensor<2x4xf32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.subtract %arg3, %arg4 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<1xi32>, tensor<2x4xf32>) -> tensor<5x4xf32>
    %want0 = call @expected() : () -> tensor<5x4xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xf32>, tensor<5x4xf32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf32>, tensor<1xi32>, tensor<2x4xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 4.0, 0.0, 3.0], [1.0, 1.0, 0.0, 4.0], [4.0, 1.0, 1.0, 1.0], [4.0, 4.0, 2.0, 3.0], [4.0, 1.0, 2.0, 3.0]]> : tensor<5x4xf32>
    %1 = stablehlo.constant dense<[3]> : tensor<1xi32>
    %2 = stablehlo.constant dense<[[0.0, 3.0, 1.0, 2.0], [2.0, 0.0, 0.0, 0.0]]> : tensor<2x4xf32>
    return %0, %1, %2 : tensor<5x4xf32>, tensor<1xi32>, tensor<2x4xf32>
  }
  func.func private @expected() -> (tensor<5x4xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 4.0, 0.0, 3.0], [1.0, 1.0, 0.0, 4.0], [4.0, 1.0, 1.0, 1.0], [4.0, 1.0, 1.0, 1.0], [2.0, 1.0, 2.0, 3.0]]> : tensor<5x4xf32>
    return %0 : tensor<5x4xf32>
  }
}
// -----
module @scatter_2_rsub {
  func.func public @scatter_2_rsub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xi32>, tensor<1xi32>, tensor<2x4xi32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %1 = stablehlo.subtract %arg4, %arg3 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<5x4xi32>, tensor<1xi32>, tensor<2x4xi32>) -> tensor<5x4xi32>
    %want0 = call @expected() : () -> tensor<5x4xi32>
    check.expect_eq %0, %want0 : tensor<5x4xi32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xi32>, tensor<1xi32>, tensor<2x4xi32>) {
    %0 = stablehlo.constant dense<[[1, 0, 1, 2], [3, 2, 3, 4], [2, 2, 1, 4], [3, 2, 4, 3], [2, 4, 4, 2]]> : tensor<5x4xi32>
    %1 = stablehlo.constant dense<[0]> : tensor<1xi32>
    %2 = stablehlo.constant dense<[[3, 4, 0, 4], [2, 1, 2, 3]]> : tensor<2x4xi32>
    return %0, %1, %2 : tensor<5x4xi32>, tensor<1xi32>, tensor<2x4xi32>
  }
  func.func private @expected() -> (tensor<5x4xi32>) {
    %0 = stablehlo.constant dense<[[2, 4, -1, 2], [-1, -1, -1, -1], [2, 2, 1, 4], [3, 2, 4, 3], [2, 4, 4, 2]]> : tensor<5x4xi32>
    return %0 : tensor<5x4xi32>
  }
}
// -----
module @scatter_3_add {
  func.func public @scatter_3_add() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<6xui8>, tensor<4x1xi32>, tensor<4x2xui8>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<ui8>, %arg4: tensor<ui8>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<ui8>
      stablehlo.return %1 : tensor<ui8>
    }) : (tensor<6xui8>, tensor<4x1xi32>, tensor<4x2xui8>) -> tensor<6xui8>
    %want0 = call @expected() : () -> tensor<6xui8>
    check.expect_eq %0, %want0 : tensor<6xui8>
    return
  }
  func.func private @inputs() -> (tensor<6xui8>, tensor<4x1xi32>, tensor<4x2xui8>) {
    %0 = stablehlo.constant dense<[0, 3, 1, 1, 4, 3]> : tensor<6xui8>
    %1 = stablehlo.constant dense<[[0], [5], [4], [1]]> : tensor<4x1xi32>
    %2 = stablehlo.constant dense<[[1, 4], [4, 1], [0, 3], [2, 4]]> : tensor<4x2xui8>
    return %0, %1, %2 : tensor<6xui8>, tensor<4x1xi32>, tensor<4x2xui8>
  }
  func.func private @expected() -> (tensor<6xui8>) {
    %0 = stablehlo.constant dense<[1, 9, 5, 1, 4, 10]> : tensor<6xui8>
    return %0 : tensor<6xui8>
  }
}
// -----
module @scatter_3_mul {
  func.func public @scatter_3_mul() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<6xi64>, tensor<4x1xi32>, tensor<4x2xi64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i64>, %arg4: tensor<i64>):
      %1 = stablehlo.multiply %arg3, %arg4 : tensor<i64>
      stablehlo.return %1 : tensor<i64>
    }) : (tensor<6xi64>, tensor<4x1xi32>, tensor<4x2xi64>) -> tensor<6xi64>
    %want0 = call @expected() : () -> tensor<6xi64>
    check.expect_eq %0, %want0 : tensor<6xi64>
    return
  }
  func.func private @inputs() -> (tensor<6xi64>, tensor<4x1xi32>, tensor<4x2xi64>) {
    %0 = stablehlo.constant dense<[3, 4, 1, 3, 0, 3]> : tensor<6xi64>
    %1 = stablehlo.constant dense<[[-1], [1], [-1], [0]]> : tensor<4x1xi32>
    %2 = stablehlo.constant dense<[[4, 1], [3, 1], [3, 1], [3, 2]]> : tensor<4x2xi64>
    return %0, %1, %2 : tensor<6xi64>, tensor<4x1xi32>, tensor<4x2xi64>
  }
  func.func private @expected() -> (tensor<6xi64>) {
    %0 = stablehlo.constant dense<[9, 24, 1, 3, 0, 3]> : tensor<6xi64>
    return %0 : tensor<6xi64>
  }
}
// -----
module @scatter_3_max {
  func.func public @scatter_3_max() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<6xf64>, tensor<4x1xi32>, tensor<4x2xf64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %1 = stablehlo.maximum %arg3, %arg4 : tensor<f64>
      stablehlo.return %1 : tensor<f64>
    }) : (tensor<6xf64>, tensor<4x1xi32>, tensor<4x2xf64>) -> tensor<6xf64>
    %want0 = call @expected() : () -> tensor<6xf64>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<6xf64>, tensor<6xf64>
    return
  }
  func.func private @inputs() -> (tensor<6xf64>, tensor<4x1xi32>, tensor<4x2xf64>) {
    %0 = stablehlo.constant dense<[4.0, 3.0, 1.0, 3.0, 3.0, 4.0]> : tensor<6xf64>
    %1 = stablehlo.constant dense<[[1], [0], [4], [-1]]> : tensor<4x1xi32>
    %2 = stablehlo.constant dense<[[4.0, 4.0], [4.0, 4.0], [4.0, 4.0], [4.0, 3.0]]> : tensor<4x2xf64>
    return %0, %1, %2 : tensor<6xf64>, tensor<4x1xi32>, tensor<4x2xf64>
  }
  func.func private @expected() -> (tensor<6xf64>) {
    %0 = stablehlo.constant dense<[4.0, 4.0, 4.0, 3.0, 4.0, 4.0]> : tensor<6xf64>
    return %0 : tensor<6xf64>
  }
}
// -----
module @scatter_3_min {
  func.func public @scatter_3_min() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<6xbf16>, tensor<4x1xi32>, tensor<4x2xbf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<bf16>, %arg4: tensor<bf16>):
      %1 = stablehlo.minimum %arg4, %arg3 : tensor<bf16>
      stablehlo.return %1 : tensor<bf16>
    }) : (tensor<6xbf16>, tensor<4x1xi32>, tensor<4x2xbf16>) -> tensor<6xbf16>
    %want0 = call @expected() : () -> tensor<6xbf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<6xbf16>, tensor<6xbf16>
    return
  }
  func.func private @inputs() -> (tensor<6xbf16>, tensor<4x1xi32>, tensor<4x2xbf16>) {
    %0 = stablehlo.constant dense<[3.0, 2.0, 2.0, 2.0, 4.0, 0.0]> : tensor<6xbf16>
    %1 = stablehlo.constant dense<[[5], [1], [-1], [1]]> : tensor<4x1xi32>
    %2 = stablehlo.constant dense<[[2.0, 3.0], [0.0, 3.0], [2.0, 4.0], [0.0, 2.0]]> : tensor<4x2xbf16>
    return %0, %1, %2 : tensor<6xbf16>, tensor<4x1xi32>, tensor<4x2xbf16>
  }
  func.func private @expected() -> (tensor<6xbf16>) {
    %0 = stablehlo.constant dense<[3.0, 0.0, 2.0, 2.0, 4.0, 0.0]> : tensor<6xbf16>
    return %0 : tensor<6xbf16>
  }
}
// -----
module @scatter_3_set {
  func.func public @scatter_3_set() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<6xf32>, tensor<4x1xi32>, tensor<4x2xf32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<6xf32>, tensor<4x1xi32>, tensor<4x2xf32>) -> tensor<6xf32>
    %want0 = call @expected() : () -> tensor<6xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
    return
  }
  func.func private @inputs() -> (tensor<6xf32>, tensor<4x1xi32>, tensor<4x2xf32>) {
    %0 = stablehlo.constant dense<[1.0, 1.0, 1.0, 4.0, 0.0, 2.0]> : tensor<6xf32>
    %1 = stablehlo.constant dense<[[2], [-1], [1], [4]]> : tensor<4x1xi32>
    %2 = stablehlo.constant dense<[[2.0, 4.0], [2.0, 0.0], [0.0, 0.0], [0.0, 0.0]]> : tensor<4x2xf32>
    return %0, %1, %2 : tensor<6xf32>, tensor<4x1xi32>, tensor<4x2xf32>
  }
  func.func private @expected() -> (tensor<6xf32>) {
    %0 = stablehlo.constant dense<[0.0, 0.0, 0.0, 4.0, 0.0, 0.0]> : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
// -----
module @scatter_3_sub {
  func.func public @scatter_3_sub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<6xi32>, tensor<4x1xi32>, tensor<4x2xi32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %1 = stablehlo.subtract %arg3, %arg4 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<6xi32>, tensor<4x1xi32>, tensor<4x2xi32>) -> tensor<6xi32>
    %want0 = call @expected() : () -> tensor<6xi32>
    check.expect_eq %0, %want0 : tensor<6xi32>
    return
  }
  func.func private @inputs() -> (tensor<6xi32>, tensor<4x1xi32>, tensor<4x2xi32>) {
    %0 = stablehlo.constant dense<[4, 2, 0, 3, 4, 1]> : tensor<6xi32>
    %1 = stablehlo.constant dense<[[3], [1], [0], [5]]> : tensor<4x1xi32>
    %2 = stablehlo.constant dense<[[0, 1], [0, 0], [2, 1], [4, 4]]> : tensor<4x2xi32>
    return %0, %1, %2 : tensor<6xi32>, tensor<4x1xi32>, tensor<4x2xi32>
  }
  func.func private @expected() -> (tensor<6xi32>) {
    %0 = stablehlo.constant dense<[2, 1, 0, 3, 3, -3]> : tensor<6xi32>
    return %0 : tensor<6xi32>
  }
}
// -----
module @scatter_3_rsub {
  func.func public @scatter_3_rsub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<6xf16>, tensor<4x1xi32>, tensor<4x2xf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f16>, %arg4: tensor<f16>):
      %1 = stablehlo.subtract %arg4, %arg3 : tensor<f16>
      stablehlo.return %1 : tensor<f16>
    }) : (tensor<6xf16>, tensor<4x1xi32>, tensor<4x2xf16>) -> tensor<6xf16>
    %want0 = call @expected() : () -> tensor<6xf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<6xf16>, tensor<6xf16>
    return
  }
  func.func private @inputs() -> (tensor<6xf16>, tensor<4x1xi32>, tensor<4x2xf16>) {
    %0 = stablehlo.constant dense<[2.0, 2.0, 2.0, 1.0, 0.0, 2.0]> : tensor<6xf16>
    %1 = stablehlo.constant dense<[[1], [4], [1], [5]]> : tensor<4x1xi32>
    %2 = stablehlo.constant dense<[[2.0, 1.0], [4.0, 0.0], [3.0, 1.0], [1.0, 0.0]]> : tensor<4x2xf16>
    return %0, %1, %2 : tensor<6xf16>, tensor<4x1xi32>, tensor<4x2xf16>
  }
  func.func private @expected() -> (tensor<6xf16>) {
    %0 = stablehlo.constant dense<[2.0, 3.0, 2.0, 1.0, 4.0, 3.0]> : tensor<6xf16>
    return %0 : tensor<6xf16>
  }
}
// -----
module @scatter_4_add {
  func.func public @scatter_4_add() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<2x5x3xi64>, tensor<2x3x1xi32>, tensor<2x3x3xi64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i64>, %arg4: tensor<i64>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<i64>
      stablehlo.return %1 : tensor<i64>
    }) : (tensor<2x5x3xi64>, tensor<2x3x1xi32>, tensor<2x3x3xi64>) -> tensor<2x5x3xi64>
    %want0 = call @expected() : () -> tensor<2x5x3xi64>
    check.expect_eq %0, %want0 : tensor<2x5x3xi64>
    return
  }
  func.func private @inputs() -> (tensor<2x5x3xi64>, tensor<2x3x1xi32>, tensor<2x3x3xi64>) {
    %0 = stablehlo.constant dense<[[[2, 2, 0], [2, 0, 2], [0, 2, 3], [4, 3, 2], [4, 0, 1]], [[2, 1, 0], [4, 3, 1], [3, 3, 1], [0, 4, 3], [4, 0, 3]]]> : tensor<2x5x3xi64>
    %1 = stablehlo.constant dense<[[[3], [-1], [-1]], [[3], [0], [5]]]> : tensor<2x3x1xi32>
    %2 = stablehlo.constant dense<[[[4, 2, 1], [4, 3, 2], [3, 1, 1]], [[3, 1, 1], [0, 0, 2], [0, 2, 2]]]> : tensor<2x3x3xi64>
    return %0, %1, %2 : tensor<2x5x3xi64>, tensor<2x3x1xi32>, tensor<2x3x3xi64>
  }
  func.func private @expected() -> (tensor<2x5x3xi64>) {
    %0 = stablehlo.constant dense<[[[2, 2, 0], [2, 0, 2], [0, 2, 3], [8, 5, 3], [4, 0, 1]], [[2, 1, 2], [4, 3, 1], [3, 3, 1], [3, 5, 4], [4, 0, 3]]]> : tensor<2x5x3xi64>
    return %0 : tensor<2x5x3xi64>
  }
}
// -----
module @scatter_4_mul {
  func.func public @scatter_4_mul() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<2x5x3xf64>, tensor<2x3x1xi32>, tensor<2x3x3xf64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %1 = stablehlo.multiply %arg3, %arg4 : tensor<f64>
      stablehlo.return %1 : tensor<f64>
    }) : (tensor<2x5x3xf64>, tensor<2x3x1xi32>, tensor<2x3x3xf64>) -> tensor<2x5x3xf64>
    %want0 = call @expected() : () -> tensor<2x5x3xf64>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x5x3xf64>, tensor<2x5x3xf64>
    return
  }
  func.func private @inputs() -> (tensor<2x5x3xf64>, tensor<2x3x1xi32>, tensor<2x3x3xf64>) {
    %0 = stablehlo.constant dense<[[[1.0, 0.0, 3.0], [2.0, 1.0, 1.0], [3.0, 1.0, 2.0], [3.0, 3.0, 2.0], [3.0, 1.0, 1.0]], [[0.0, 3.0, 4.0], [2.0, 1.0, 4.0], [2.0, 2.0, 2.0], [4.0, 0.0, 2.0], [2.0, 0.0, 0.0]]]> : tensor<2x5x3xf64>
    %1 = stablehlo.constant dense<[[[0], [5], [4]], [[2], [-1], [-1]]]> : tensor<2x3x1xi32>
    %2 = stablehlo.constant dense<[[[2.0, 2.0, 0.0], [4.0, 3.0, 2.0], [4.0, 0.0, 0.0]], [[3.0, 3.0, 0.0], [2.0, 2.0, 3.0], [2.0, 3.0, 2.0]]]> : tensor<2x3x3xf64>
    return %0, %1, %2 : tensor<2x5x3xf64>, tensor<2x3x1xi32>, tensor<2x3x3xf64>
  }
  func.func private @expected() -> (tensor<2x5x3xf64>) {
    %0 = stablehlo.constant dense<[[[2.0, 0.0, 0.0], [2.0, 1.0, 1.0], [3.0, 1.0, 2.0], [3.0, 3.0, 2.0], [12.0, 0.0, 0.0]], [[0.0, 3.0, 4.0], [2.0, 1.0, 4.0], [6.0, 6.0, 0.0], [4.0, 0.0, 2.0], [2.0, 0.0, 0.0]]]> : tensor<2x5x3xf64>
    return %0 : tensor<2x5x3xf64>
  }
}
// -----
module @scatter_4_max {
  func.func public @scatter_4_max() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<2x5x3xbf16>, tensor<2x3x1xi32>, tensor<2x3x3xbf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<bf16>, %arg4: tensor<bf16>):
      %1 = stablehlo.maximum %arg3, %arg4 : tensor<bf16>
      stablehlo.return %1 : tensor<bf16>
    }) : (tensor<2x5x3xbf16>, tensor<2x3x1xi32>, tensor<2x3x3xbf16>) -> tensor<2x5x3xbf16>
    %want0 = call @expected() : () -> tensor<2x5x3xbf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x5x3xbf16>, tensor<2x5x3xbf16>
    return
  }
  func.func private @inputs() -> (tensor<2x5x3xbf16>, tensor<2x3x1xi32>, tensor<2x3x3xbf16>) {
    %0 = stablehlo.constant dense<[[[4.0, 2.0, 2.0], [4.0, 4.0, 0.0], [0.0, 1.0, 4.0], [0.0, 1.0, 0.0], [4.0, 4.0, 3.0]], [[4.0, 4.0, 1.0], [3.0, 0.0, 0.0], [3.0, 0.0, 0.0], [3.0, 0.0, 3.0], [2.0, 4.0, 2.0]]]> : tensor<2x5x3xbf16>
    %1 = stablehlo.constant dense<[[[4], [-1], [2]], [[1], [-1], [-1]]]> : tensor<2x3x1xi32>
    %2 = stablehlo.constant dense<[[[3.0, 2.0, 4.0], [1.0, 1.0, 4.0], [1.0, 4.0, 0.0]], [[3.0, 4.0, 2.0], [1.0, 0.0, 3.0], [1.0, 3.0, 4.0]]]> : tensor<2x3x3xbf16>
    return %0, %1, %2 : tensor<2x5x3xbf16>, tensor<2x3x1xi32>, tensor<2x3x3xbf16>
  }
  func.func private @expected() -> (tensor<2x5x3xbf16>) {
    %0 = stablehlo.constant dense<[[[4.0, 2.0, 2.0], [4.0, 4.0, 0.0], [1.0, 4.0, 4.0], [0.0, 1.0, 0.0], [4.0, 4.0, 4.0]], [[4.0, 4.0, 1.0], [3.0, 4.0, 2.0], [3.0, 0.0, 0.0], [3.0, 0.0, 3.0], [2.0, 4.0, 2.0]]]> : tensor<2x5x3xbf16>
    return %0 : tensor<2x5x3xbf16>
  }
}
// -----
module @scatter_4_min {
  func.func public @scatter_4_min() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<2x5x3xf32>, tensor<2x3x1xi32>, tensor<2x3x3xf32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.minimum %arg4, %arg3 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2x5x3xf32>, tensor<2x3x1xi32>, tensor<2x3x3xf32>) -> tensor<2x5x3xf32>
    %want0 = call @expected() : () -> tensor<2x5x3xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x5x3xf32>, tensor<2x5x3xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x5x3xf32>, tensor<2x3x1xi32>, tensor<2x3x3xf32>) {
    %0 = stablehlo.constant dense<[[[4.0, 3.0, 4.0], [2.0, 0.0, 4.0], [4.0, 4.0, 3.0], [4.0, 4.0, 4.0], [4.0, 1.0, 4.0]], [[3.0, 2.0, 2.0], [3.0, 3.0, 0.0], [4.0, 1.0, 1.0], [2.0, 0.0, 0.0], [2.0, 4.0, 0.0]]]> : tensor<2x5x3xf32>
    %1 = stablehlo.constant dense<[[[-1], [-1], [-1]], [[0], [1], [5]]]> : tensor<2x3x1xi32>
    %2 = stablehlo.constant dense<[[[3.0, 1.0, 2.0], [0.0, 1.0, 2.0], [0.0, 3.0, 4.0]], [[1.0, 0.0, 1.0], [0.0, 2.0, 1.0], [2.0, 4.0, 3.0]]]> : tensor<2x3x3xf32>
    return %0, %1, %2 : tensor<2x5x3xf32>, tensor<2x3x1xi32>, tensor<2x3x3xf32>
  }
  func.func private @expected() -> (tensor<2x5x3xf32>) {
    %0 = stablehlo.constant dense<[[[4.0, 3.0, 4.0], [2.0, 0.0, 4.0], [4.0, 4.0, 3.0], [4.0, 4.0, 4.0], [4.0, 1.0, 4.0]], [[1.0, 0.0, 1.0], [0.0, 2.0, 0.0], [4.0, 1.0, 1.0], [2.0, 0.0, 0.0], [2.0, 4.0, 0.0]]]> : tensor<2x5x3xf32>
    return %0 : tensor<2x5x3xf32>
  }
}
// -----
module @scatter_4_set {
  func.func public @scatter_4_set() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<2x5x3xi32>, tensor<2x3x1xi32>, tensor<2x3x3xi32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<2x5x3xi32>, tensor<2x3x1xi32>, tensor<2x3x3xi32>) -> tensor<2x5x3xi32>
    %want0 = call @expected() : () -> tensor<2x5x3xi32>
    check.expect_eq %0, %want0 : tensor<2x5x3xi32>
    return
  }
  func.func private @inputs() -> (tensor<2x5x3xi32>, tensor<2x3x1xi32>, tensor<2x3x3xi32>) {
    %0 = stablehlo.constant dense<[[[2, 3, 3], [1, 1, 2], [1, 3, 4], [3, 1, 4], [1, 0, 4]], [[3, 3, 2], [4, 2, 4], [4, 3, 1], [0, 4, 0], [4, 1, 2]]]> : tensor<2x5x3xi32>
    %1 = stablehlo.constant dense<[[[-1], [2], [4]], [[2], [-1], [1]]]> : tensor<2x3x1xi32>
    %2 = stablehlo.constant dense<[[[3, 3, 1], [1, 0, 1], [4, 0, 1]], [[4, 0, 3], [3, 2, 3], [1, 1, 2]]]> : tensor<2x3x3xi32>
    return %0, %1, %2 : tensor<2x5x3xi32>, tensor<2x3x1xi32>, tensor<2x3x3xi32>
  }
  func.func private @expected() -> (tensor<2x5x3xi32>) {
    %0 = stablehlo.constant dense<[[[2, 3, 3], [1, 1, 2], [1, 0, 1], [3, 1, 4], [4, 0, 1]], [[3, 3, 2], [1, 1, 2], [4, 0, 3], [0, 4, 0], [4, 1, 2]]]> : tensor<2x5x3xi32>
    return %0 : tensor<2x5x3xi32>
  }
}
// -----
module @scatter_4_sub {
  func.func public @scatter_4_sub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<2x5x3xf16>, tensor<2x3x1xi32>, tensor<2x3x3xf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f16>, %arg4: tensor<f16>):
      %1 = stablehlo.subtract %arg3, %arg4 : tensor<f16>
      stablehlo.return %1 : tensor<f16>
    }) : (tensor<2x5x3xf16>, tensor<2x3x1xi32>, tensor<2x3x3xf16>) -> tensor<2x5x3xf16>
    %want0 = call @expected() : () -> tensor<2x5x3xf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x5x3xf16>, tensor<2x5x3xf16>
    return
  }
  func.func private @inputs() -> (tensor<2x5x3xf16>, tensor<2x3x1xi32>, tensor<2x3x3xf16>) {
    %0 = stablehlo.constant dense<[[[3.0, 4.0, 2.0], [2.0, 4.0, 4.0], [1.0, 2.0, 4.0], [4.0, 3.0, 1.0], [1.0, 1.0, 3.0]], [[3.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 2.0, 3.0], [2.0, 2.0, 1.0], [0.0, 0.0, 2.0]]]> : tensor<2x5x3xf16>
    %1 = stablehlo.constant dense<[[[-1], [5], [4]], [[3], [5], [5]]]> : tensor<2x3x1xi32>
    %2 = stablehlo.constant dense<[[[4.0, 2.0, 1.0], [1.0, 4.0, 1.0], [1.0, 4.0, 0.0]], [[1.0, 4.0, 3.0], [3.0, 3.0, 3.0], [2.0, 2.0, 4.0]]]> : tensor<2x3x3xf16>
    return %0, %1, %2 : tensor<2x5x3xf16>, tensor<2x3x1xi32>, tensor<2x3x3xf16>
  }
  func.func private @expected() -> (tensor<2x5x3xf16>) {
    %0 = stablehlo.constant dense<[[[3.0, 4.0, 2.0], [2.0, 4.0, 4.0], [1.0, 2.0, 4.0], [4.0, 3.0, 1.0], [0.0, -3.0, 3.0]], [[3.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 2.0, 3.0], [1.0, -2.0, -2.0], [0.0, 0.0, 2.0]]]> : tensor<2x5x3xf16>
    return %0 : tensor<2x5x3xf16>
  }
}
// -----
module @scatter_4_rsub {
  func.func public @scatter_4_rsub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<2x5x3xi16>, tensor<2x3x1xi32>, tensor<2x3x3xi16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i16>, %arg4: tensor<i16>):
      %1 = stablehlo.subtract %arg4, %arg3 : tensor<i16>
      stablehlo.return %1 : tensor<i16>
    }) : (tensor<2x5x3xi16>, tensor<2x3x1xi32>, tensor<2x3x3xi16>) -> tensor<2x5x3xi16>
    %want0 = call @expected() : () -> tensor<2x5x3xi16>
    check.expect_eq %0, %want0 : tensor<2x5x3xi16>
    return
  }
  func.func private @inputs() -> (tensor<2x5x3xi16>, tensor<2x3x1xi32>, tensor<2x3x3xi16>) {
    %0 = stablehlo.constant dense<[[[2, 4, 0], [4, 1, 4], [4, 1, 0], [0, 1, 2], [0, 0, 3]], [[0, 4, 0], [2, 0, 3], [2, 4, 4], [1, 4, 2], [4, 4, 2]]]> : tensor<2x5x3xi16>
    %1 = stablehlo.constant dense<[[[-1], [4], [3]], [[3], [2], [3]]]> : tensor<2x3x1xi32>
    %2 = stablehlo.constant dense<[[[0, 3, 3], [2, 1, 2], [1, 4, 0]], [[1, 2, 2], [3, 0, 1], [1, 2, 0]]]> : tensor<2x3x3xi16>
    return %0, %1, %2 : tensor<2x5x3xi16>, tensor<2x3x1xi32>, tensor<2x3x3xi16>
  }
  func.func private @expected() -> (tensor<2x5x3xi16>) {
    %0 = stablehlo.constant dense<[[[2, 4, 0], [4, 1, 4], [4, 1, 0], [1, 3, -2], [2, 1, -1]], [[0, 4, 0], [2, 0, 3], [1, -4, -3], [1, 4, 0], [4, 4, 2]]]> : tensor<2x5x3xi16>
    return %0 : tensor<2x5x3xi16>
  }
}
// -----
module @scatter_5_add {
  func.func public @scatter_5_add() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xf64>, tensor<2x3xi32>, tensor<2x2x3xf64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<f64>
      stablehlo.return %1 : tensor<f64>
    }) : (tensor<5x4xf64>, tensor<2x3xi32>, tensor<2x2x3xf64>) -> tensor<5x4xf64>
    %want0 = call @expected() : () -> tensor<5x4xf64>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xf64>, tensor<5x4xf64>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf64>, tensor<2x3xi32>, tensor<2x2x3xf64>) {
    %0 = stablehlo.constant dense<[[0.0, 3.0, 2.0, 3.0], [3.0, 1.0, 1.0, 2.0], [2.0, 0.0, 2.0, 1.0], [2.0, 3.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]]> : tensor<5x4xf64>
    %1 = stablehlo.constant dense<[[5, 0, 2], [1, 1, 0]]> : tensor<2x3xi32>
    %2 = stablehlo.constant dense<[[[3.0, 2.0, 4.0], [2.0, 2.0, 1.0]], [[2.0, 1.0, 3.0], [3.0, 1.0, 3.0]]]> : tensor<2x2x3xf64>
    return %0, %1, %2 : tensor<5x4xf64>, tensor<2x3xi32>, tensor<2x2x3xf64>
  }
  func.func private @expected() -> (tensor<5x4xf64>) {
    %0 = stablehlo.constant dense<[[0.0, 3.0, 6.0, 4.0], [5.0, 3.0, 4.0, 5.0], [3.0, 1.0, 2.0, 1.0], [2.0, 3.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0]]> : tensor<5x4xf64>
    return %0 : tensor<5x4xf64>
  }
}
// -----
module @scatter_5_mul {
  func.func public @scatter_5_mul() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xbf16>, tensor<2x3xi32>, tensor<2x2x3xbf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<bf16>, %arg4: tensor<bf16>):
      %1 = stablehlo.multiply %arg3, %arg4 : tensor<bf16>
      stablehlo.return %1 : tensor<bf16>
    }) : (tensor<5x4xbf16>, tensor<2x3xi32>, tensor<2x2x3xbf16>) -> tensor<5x4xbf16>
    %want0 = call @expected() : () -> tensor<5x4xbf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xbf16>, tensor<5x4xbf16>
    return
  }
  func.func private @inputs() -> (tensor<5x4xbf16>, tensor<2x3xi32>, tensor<2x2x3xbf16>) {
    %0 = stablehlo.constant dense<[[4.0, 4.0, 1.0, 0.0], [3.0, 0.0, 1.0, 0.0], [4.0, 4.0, 3.0, 1.0], [0.0, 3.0, 3.0, 2.0], [0.0, 2.0, 2.0, 1.0]]> : tensor<5x4xbf16>
    %1 = stablehlo.constant dense<[[3, 1, 3], [5, 5, 2]]> : tensor<2x3xi32>
    %2 = stablehlo.constant dense<[[[3.0, 2.0, 3.0], [2.0, 3.0, 3.0]], [[2.0, 1.0, 3.0], [1.0, 0.0, 2.0]]]> : tensor<2x2x3xbf16>
    return %0, %1, %2 : tensor<5x4xbf16>, tensor<2x3xi32>, tensor<2x2x3xbf16>
  }
  func.func private @expected() -> (tensor<5x4xbf16>) {
    %0 = stablehlo.constant dense<[[4.0, 4.0, 1.0, 0.0], [3.0, 0.0, 1.0, 0.0], [4.0, 4.0, 3.0, 3.0], [0.0, 3.0, 3.0, 6.0], [0.0, 2.0, 2.0, 1.0]]> : tensor<5x4xbf16>
    return %0 : tensor<5x4xbf16>
  }
}
// -----
module @scatter_5_max {
  func.func public @scatter_5_max() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xf32>, tensor<2x3xi32>, tensor<2x2x3xf32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<5x4xf32>, tensor<2x3xi32>, tensor<2x2x3xf32>) -> tensor<5x4xf32>
    %want0 = call @expected() : () -> tensor<5x4xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xf32>, tensor<5x4xf32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf32>, tensor<2x3xi32>, tensor<2x2x3xf32>) {
    %0 = stablehlo.constant dense<[[2.0, 0.0, 0.0, 1.0], [2.0, 0.0, 2.0, 4.0], [2.0, 0.0, 0.0, 3.0], [0.0, 2.0, 2.0, 0.0], [3.0, 4.0, 3.0, 1.0]]> : tensor<5x4xf32>
    %1 = stablehlo.constant dense<[[5, 1, 1], [2, 5, 3]]> : tensor<2x3xi32>
    %2 = stablehlo.constant dense<[[[1.0, 0.0, 3.0], [0.0, 4.0, 0.0]], [[4.0, 4.0, 4.0], [4.0, 2.0, 3.0]]]> : tensor<2x2x3xf32>
    return %0, %1, %2 : tensor<5x4xf32>, tensor<2x3xi32>, tensor<2x2x3xf32>
  }
  func.func private @expected() -> (tensor<5x4xf32>) {
    %0 = stablehlo.constant dense<[[2.0, 0.0, 0.0, 1.0], [2.0, 0.0, 2.0, 4.0], [2.0, 0.0, 0.0, 3.0], [0.0, 3.0, 2.0, 0.0], [3.0, 4.0, 3.0, 1.0]]> : tensor<5x4xf32>
    return %0 : tensor<5x4xf32>
  }
}
// -----
module @scatter_5_min {
  func.func public @scatter_5_min() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xi32>, tensor<2x3xi32>, tensor<2x2x3xi32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %1 = stablehlo.minimum %arg4, %arg3 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<5x4xi32>, tensor<2x3xi32>, tensor<2x2x3xi32>) -> tensor<5x4xi32>
    %want0 = call @expected() : () -> tensor<5x4xi32>
    check.expect_eq %0, %want0 : tensor<5x4xi32>
    return
  }
  func.func private @inputs() -> (tensor<5x4xi32>, tensor<2x3xi32>, tensor<2x2x3xi32>) {
    %0 = stablehlo.constant dense<[[0, 2, 0, 4], [0, 1, 3, 0], [4, 2, 0, 4], [2, 0, 0, 0], [1, 0, 3, 1]]> : tensor<5x4xi32>
    %1 = stablehlo.constant dense<[[1, 3, 5], [3, 4, 4]]> : tensor<2x3xi32>
    %2 = stablehlo.constant dense<[[[3, 0, 3], [3, 2, 0]], [[0, 2, 3], [3, 3, 2]]]> : tensor<2x2x3xi32>
    return %0, %1, %2 : tensor<5x4xi32>, tensor<2x3xi32>, tensor<2x2x3xi32>
  }
  func.func private @expected() -> (tensor<5x4xi32>) {
    %0 = stablehlo.constant dense<[[0, 2, 0, 4], [0, 1, 3, 0], [4, 2, 0, 4], [2, 0, 0, 0], [1, 0, 3, 0]]> : tensor<5x4xi32>
    return %0 : tensor<5x4xi32>
  }
}
// -----
module @scatter_5_set {
  func.func public @scatter_5_set() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xf16>, tensor<2x3xi32>, tensor<2x2x3xf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f16>, %arg4: tensor<f16>):
      stablehlo.return %arg4 : tensor<f16>
    }) : (tensor<5x4xf16>, tensor<2x3xi32>, tensor<2x2x3xf16>) -> tensor<5x4xf16>
    %want0 = call @expected() : () -> tensor<5x4xf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5x4xf16>, tensor<5x4xf16>
    return
  }
  func.func private @inputs() -> (tensor<5x4xf16>, tensor<2x3xi32>, tensor<2x2x3xf16>) {
    %0 = stablehlo.constant dense<[[2.0, 3.0, 0.0, 2.0], [0.0, 2.0, 2.0, 2.0], [2.0, 2.0, 3.0, 0.0], [3.0, 0.0, 4.0, 0.0], [3.0, 4.0, 1.0, 4.0]]> : tensor<5x4xf16>
    %1 = stablehlo.constant dense<[[3, 2, 0], [3, 1, 0]]> : tensor<2x3xi32>
    %2 = stablehlo.constant dense<[[[1.0, 0.0, 2.0], [2.0, 1.0, 1.0]], [[4.0, 1.0, 0.0], [1.0, 0.0, 4.0]]]> : tensor<2x2x3xf16>
    return %0, %1, %2 : tensor<5x4xf16>, tensor<2x3xi32>, tensor<2x2x3xf16>
  }
  func.func private @expected() -> (tensor<5x4xf16>) {
    %0 = stablehlo.constant dense<[[2.0, 1.0, 0.0, 2.0], [0.0, 4.0, 0.0, 1.0], [2.0, 2.0, 1.0, 0.0], [3.0, 0.0, 4.0, 1.0], [3.0, 4.0, 1.0, 4.0]]> : tensor<5x4xf16>
    return %0 : tensor<5x4xf16>
  }
}
// -----
module @scatter_5_sub {
  func.func public @scatter_5_sub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xi16>, tensor<2x3xi32>, tensor<2x2x3xi16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i16>, %arg4: tensor<i16>):
      %1 = stablehlo.subtract %arg3, %arg4 : tensor<i16>
      stablehlo.return %1 : tensor<i16>
    }) : (tensor<5x4xi16>, tensor<2x3xi32>, tensor<2x2x3xi16>) -> tensor<5x4xi16>
    %want0 = call @expected() : () -> tensor<5x4xi16>
    check.expect_eq %0, %want0 : tensor<5x4xi16>
    return
  }
  func.func private @inputs() -> (tensor<5x4xi16>, tensor<2x3xi32>, tensor<2x2x3xi16>) {
    %0 = stablehlo.constant dense<[[2, 2, 4, 0], [4, 4, 2, 0], [4, 4, 1, 0], [0, 3, 2, 4], [3, 2, 0, 1]]> : tensor<5x4xi16>
    %1 = stablehlo.constant dense<[[3, 4, 4], [-1, 4, 2]]> : tensor<2x3xi32>
    %2 = stablehlo.constant dense<[[[2, 2, 0], [1, 3, 1]], [[4, 0, 4], [0, 3, 0]]]> : tensor<2x2x3xi16>
    return %0, %1, %2 : tensor<5x4xi16>, tensor<2x3xi32>, tensor<2x2x3xi16>
  }
  func.func private @expected() -> (tensor<5x4xi16>) {
    %0 = stablehlo.constant dense<[[2, 2, 4, -4], [4, 4, 2, 0], [4, 4, 1, 0], [0, 3, 2, 4], [3, 2, 0, 1]]> : tensor<5x4xi16>
    return %0 : tensor<5x4xi16>
  }
}
// -----
module @scatter_5_rsub {
  func.func public @scatter_5_rsub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<5x4xi64>, tensor<2x3xi32>, tensor<2x2x3xi64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i64>, %arg4: tensor<i64>):
      %1 = stablehlo.subtract %arg4, %arg3 : tensor<i64>
      stablehlo.return %1 : tensor<i64>
    }) : (tensor<5x4xi64>, tensor<2x3xi32>, tensor<2x2x3xi64>) -> tensor<5x4xi64>
    %want0 = call @expected() : () -> tensor<5x4xi64>
    check.expect_eq %0, %want0 : tensor<5x4xi64>
    return
  }
  func.func private @inputs() -> (tensor<5x4xi64>, tensor<2x3xi32>, tensor<2x2x3xi64>) {
    %0 = stablehlo.constant dense<[[2, 3, 1, 0], [1, 1, 3, 0], [0, 1, 2, 2], [1, 2, 2, 4], [2, 1, 1, 2]]> : tensor<5x4xi64>
    %1 = stablehlo.constant dense<[[2, 4, 0], [1, 0, 4]]> : tensor<2x3xi32>
    %2 = stablehlo.constant dense<[[[0, 0, 4], [1, 0, 4]], [[1, 1, 0], [2, 1, 3]]]> : tensor<2x2x3xi64>
    return %0, %1, %2 : tensor<5x4xi64>, tensor<2x3xi32>, tensor<2x2x3xi64>
  }
  func.func private @expected() -> (tensor<5x4xi64>) {
    %0 = stablehlo.constant dense<[[2, 3, 1, 0], [1, 1, -3, 1], [0, 1, -1, 0], [1, 2, 2, 4], [2, 3, 1, 2]]> : tensor<5x4xi64>
    return %0 : tensor<5x4xi64>
  }
}
// -----
module @scatter_6_add {
  func.func public @scatter_6_add() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<4xbf16>, tensor<i32>, tensor<bf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<bf16>, %arg4: tensor<bf16>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<bf16>
      stablehlo.return %1 : tensor<bf16>
    }) : (tensor<4xbf16>, tensor<i32>, tensor<bf16>) -> tensor<4xbf16>
    %want0 = call @expected() : () -> tensor<4xbf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<4xbf16>, tensor<4xbf16>
    return
  }
  func.func private @inputs() -> (tensor<4xbf16>, tensor<i32>, tensor<bf16>) {
    %0 = stablehlo.constant dense<[4.0, 4.0, 2.0, 1.0]> : tensor<4xbf16>
    %1 = stablehlo.constant dense<2> : tensor<i32>
    %2 = stablehlo.constant dense<3.0> : tensor<bf16>
    return %0, %1, %2 : tensor<4xbf16>, tensor<i32>, tensor<bf16>
  }
  func.func private @expected() -> (tensor<4xbf16>) {
    %0 = stablehlo.constant dense<[4.0, 4.0, 5.0, 1.0]> : tensor<4xbf16>
    return %0 : tensor<4xbf16>
  }
}
// -----
module @scatter_6_mul {
  func.func public @scatter_6_mul() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<4xf32>, tensor<i32>, tensor<f32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.multiply %arg3, %arg4 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<4xf32>, tensor<i32>, tensor<f32>) -> tensor<4xf32>
    %want0 = call @expected() : () -> tensor<4xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<4xf32>, tensor<4xf32>
    return
  }
  func.func private @inputs() -> (tensor<4xf32>, tensor<i32>, tensor<f32>) {
    %0 = stablehlo.constant dense<[2.0, 4.0, 1.0, 1.0]> : tensor<4xf32>
    %1 = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.constant dense<4.0> : tensor<f32>
    return %0, %1, %2 : tensor<4xf32>, tensor<i32>, tensor<f32>
  }
  func.func private @expected() -> (tensor<4xf32>) {
    %0 = stablehlo.constant dense<[2.0, 4.0, 1.0, 1.0]> : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// -----
module @scatter_6_max {
  func.func public @scatter_6_max() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<4xi32>, tensor<i32>, tensor<i32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %1 = stablehlo.maximum %arg3, %arg4 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<4xi32>, tensor<i32>, tensor<i32>) -> tensor<4xi32>
    %want0 = call @expected() : () -> tensor<4xi32>
    check.expect_eq %0, %want0 : tensor<4xi32>
    return
  }
  func.func private @inputs() -> (tensor<4xi32>, tensor<i32>, tensor<i32>) {
    %0 = stablehlo.constant dense<[0, 2, 2, 4]> : tensor<4xi32>
    %1 = stablehlo.constant dense<3> : tensor<i32>
    %2 = stablehlo.constant dense<0> : tensor<i32>
    return %0, %1, %2 : tensor<4xi32>, tensor<i32>, tensor<i32>
  }
  func.func private @expected() -> (tensor<4xi32>) {
    %0 = stablehlo.constant dense<[0, 2, 2, 4]> : tensor<4xi32>
    return %0 : tensor<4xi32>
  }
}
// -----
module @scatter_6_min {
  func.func public @scatter_6_min() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<4xf16>, tensor<i32>, tensor<f16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f16>, %arg4: tensor<f16>):
      %1 = stablehlo.minimum %arg4, %arg3 : tensor<f16>
      stablehlo.return %1 : tensor<f16>
    }) : (tensor<4xf16>, tensor<i32>, tensor<f16>) -> tensor<4xf16>
    %want0 = call @expected() : () -> tensor<4xf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<4xf16>, tensor<4xf16>
    return
  }
  func.func private @inputs() -> (tensor<4xf16>, tensor<i32>, tensor<f16>) {
    %0 = stablehlo.constant dense<[3.0, 3.0, 2.0, 1.0]> : tensor<4xf16>
    %1 = stablehlo.constant dense<-1> : tensor<i32>
    %2 = stablehlo.constant dense<3.0> : tensor<f16>
    return %0, %1, %2 : tensor<4xf16>, tensor<i32>, tensor<f16>
  }
  func.func private @expected() -> (tensor<4xf16>) {
    %0 = stablehlo.constant dense<[3.0, 3.0, 2.0, 1.0]> : tensor<4xf16>
    return %0 : tensor<4xf16>
  }
}
// -----
module @scatter_6_set {
  func.func public @scatter_6_set() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<4xui8>, tensor<i32>, tensor<ui8>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<ui8>, %arg4: tensor<ui8>):
      stablehlo.return %arg4 : tensor<ui8>
    }) : (tensor<4xui8>, tensor<i32>, tensor<ui8>) -> tensor<4xui8>
    %want0 = call @expected() : () -> tensor<4xui8>
    check.expect_eq %0, %want0 : tensor<4xui8>
    return
  }
  func.func private @inputs() -> (tensor<4xui8>, tensor<i32>, tensor<ui8>) {
    %0 = stablehlo.constant dense<[4, 0, 4, 3]> : tensor<4xui8>
    %1 = stablehlo.constant dense<2> : tensor<i32>
    %2 = stablehlo.constant dense<4> : tensor<ui8>
    return %0, %1, %2 : tensor<4xui8>, tensor<i32>, tensor<ui8>
  }
  func.func private @expected() -> (tensor<4xui8>) {
    %0 = stablehlo.constant dense<[4, 0, 4, 3]> : tensor<4xui8>
    return %0 : tensor<4xui8>
  }
}
// -----
module @scatter_6_sub {
  func.func public @scatter_6_sub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<4xi64>, tensor<i32>, tensor<i64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i64>, %arg4: tensor<i64>):
      %1 = stablehlo.subtract %arg3, %arg4 : tensor<i64>
      stablehlo.return %1 : tensor<i64>
    }) : (tensor<4xi64>, tensor<i32>, tensor<i64>) -> tensor<4xi64>
    %want0 = call @expected() : () -> tensor<4xi64>
    check.expect_eq %0, %want0 : tensor<4xi64>
    return
  }
  func.func private @inputs() -> (tensor<4xi64>, tensor<i32>, tensor<i64>) {
    %0 = stablehlo.constant dense<[3, 2, 4, 0]> : tensor<4xi64>
    %1 = stablehlo.constant dense<-1> : tensor<i32>
    %2 = stablehlo.constant dense<4> : tensor<i64>
    return %0, %1, %2 : tensor<4xi64>, tensor<i32>, tensor<i64>
  }
  func.func private @expected() -> (tensor<4xi64>) {
    %0 = stablehlo.constant dense<[3, 2, 4, 0]> : tensor<4xi64>
    return %0 : tensor<4xi64>
  }
}
// -----
module @scatter_6_rsub {
  func.func public @scatter_6_rsub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<4xf64>, tensor<i32>, tensor<f64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %1 = stablehlo.subtract %arg4, %arg3 : tensor<f64>
      stablehlo.return %1 : tensor<f64>
    }) : (tensor<4xf64>, tensor<i32>, tensor<f64>) -> tensor<4xf64>
    %want0 = call @expected() : () -> tensor<4xf64>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<4xf64>, tensor<4xf64>
    return
  }
  func.func private @inputs() -> (tensor<4xf64>, tensor<i32>, tensor<f64>) {
    %0 = stablehlo.constant dense<[3.0, 1.0, 1.0, 2.0]> : tensor<4xf64>
    %1 = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.constant dense<2.0> : tensor<f64>
    return %0, %1, %2 : tensor<4xf64>, tensor<i32>, tensor<f64>
  }
  func.func private @expected() -> (tensor<4xf64>) {
    %0 = stablehlo.constant dense<[3.0, 1.0, 1.0, 2.0]> : tensor<4xf64>
    return %0 : tensor<4xf64>
  }
}
// -----
module @scatter_7_add {
  func.func public @scatter_7_add() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<3x4xf32>, tensor<2x2x2xi32>, tensor<2x2xf32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<2x2x2xi32>, tensor<2x2xf32>) -> tensor<3x4xf32>
    %want0 = call @expected() : () -> tensor<3x4xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x4xf32>, tensor<3x4xf32>
    return
  }
  func.func private @inputs() -> (tensor<3x4xf32>, tensor<2x2x2xi32>, tensor<2x2xf32>) {
    %0 = stablehlo.constant dense<[[2.0, 1.0, 3.0, 0.0], [3.0, 0.0, 1.0, 3.0], [1.0, 4.0, 2.0, 1.0]]> : tensor<3x4xf32>
    %1 = stablehlo.constant dense<[[[0, 2], [0, 0]], [[2, 5], [3, 5]]]> : tensor<2x2x2xi32>
    %2 = stablehlo.constant dense<[[0.0, 0.0], [3.0, 2.0]]> : tensor<2x2xf32>
    return %0, %1, %2 : tensor<3x4xf32>, tensor<2x2x2xi32>, tensor<2x2xf32>
  }
  func.func private @expected() -> (tensor<3x4xf32>) {
    %0 = stablehlo.constant dense<[[2.0, 1.0, 3.0, 0.0], [3.0, 0.0, 1.0, 3.0], [1.0, 4.0, 2.0, 1.0]]> : tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
}
// -----
module @scatter_7_mul {
  func.func public @scatter_7_mul() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<3x4xi32>, tensor<2x2x2xi32>, tensor<2x2xi32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %1 = stablehlo.multiply %arg3, %arg4 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<3x4xi32>, tensor<2x2x2xi32>, tensor<2x2xi32>) -> tensor<3x4xi32>
    %want0 = call @expected() : () -> tensor<3x4xi32>
    check.expect_eq %0, %want0 : tensor<3x4xi32>
    return
  }
  func.func private @inputs() -> (tensor<3x4xi32>, tensor<2x2x2xi32>, tensor<2x2xi32>) {
    %0 = stablehlo.constant dense<[[1, 1, 2, 4], [1, 0, 0, 4], [2, 1, 1, 2]]> : tensor<3x4xi32>
    %1 = stablehlo.constant dense<[[[-1, 5], [-1, 3]], [[2, 1], [2, 0]]]> : tensor<2x2x2xi32>
    %2 = stablehlo.constant dense<[[3, 0], [0, 2]]> : tensor<2x2xi32>
    return %0, %1, %2 : tensor<3x4xi32>, tensor<2x2x2xi32>, tensor<2x2xi32>
  }
  func.func private @expected() -> (tensor<3x4xi32>) {
    %0 = stablehlo.constant dense<[[1, 1, 2, 4], [1, 0, 0, 4], [4, 0, 1, 2]]> : tensor<3x4xi32>
    return %0 : tensor<3x4xi32>
  }
}
// -----
module @scatter_7_max {
  func.func public @scatter_7_max() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<3x4xf16>, tensor<2x2x2xi32>, tensor<2x2xf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f16>, %arg4: tensor<f16>):
      %1 = stablehlo.maximum %arg3, %arg4 : tensor<f16>
      stablehlo.return %1 : tensor<f16>
    }) : (tensor<3x4xf16>, tensor<2x2x2xi32>, tensor<2x2xf16>) -> tensor<3x4xf16>
    %want0 = call @expected() : () -> tensor<3x4xf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x4xf16>, tensor<3x4xf16>
    return
  }
  func.func private @inputs() -> (tensor<3x4xf16>, tensor<2x2x2xi32>, tensor<2x2xf16>) {
    %0 = stablehlo.constant dense<[[4.0, 4.0, 1.0, 3.0], [3.0, 4.0, 3.0, 2.0], [3.0, 4.0, 1.0, 4.0]]> : tensor<3x4xf16>
    %1 = stablehlo.constant dense<[[[4, 5], [2, -1]], [[3, 1], [2, 2]]]> : tensor<2x2x2xi32>
    %2 = stablehlo.constant dense<[[4.0, 3.0], [3.0, 2.0]]> : tensor<2x2xf16>
    return %0, %1, %2 : tensor<3x4xf16>, tensor<2x2x2xi32>, tensor<2x2xf16>
  }
  func.func private @expected() -> (tensor<3x4xf16>) {
    %0 = stablehlo.constant dense<[[4.0, 4.0, 1.0, 3.0], [3.0, 4.0, 3.0, 2.0], [3.0, 4.0, 2.0, 4.0]]> : tensor<3x4xf16>
    return %0 : tensor<3x4xf16>
  }
}
// -----
module @scatter_7_min {
  func.func public @scatter_7_min() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<3x4xui8>, tensor<2x2x2xi32>, tensor<2x2xui8>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<ui8>, %arg4: tensor<ui8>):
      %1 = stablehlo.minimum %arg4, %arg3 : tensor<ui8>
      stablehlo.return %1 : tensor<ui8>
    }) : (tensor<3x4xui8>, tensor<2x2x2xi32>, tensor<2x2xui8>) -> tensor<3x4xui8>
    %want0 = call @expected() : () -> tensor<3x4xui8>
    check.expect_eq %0, %want0 : tensor<3x4xui8>
    return
  }
  func.func private @inputs() -> (tensor<3x4xui8>, tensor<2x2x2xi32>, tensor<2x2xui8>) {
    %0 = stablehlo.constant dense<[[4, 0, 4, 4], [1, 4, 4, 3], [0, 4, 0, 3]]> : tensor<3x4xui8>
    %1 = stablehlo.constant dense<[[[-1, 2], [0, 1]], [[5, -1], [0, 3]]]> : tensor<2x2x2xi32>
    %2 = stablehlo.constant dense<[[3, 3], [1, 4]]> : tensor<2x2xui8>
    return %0, %1, %2 : tensor<3x4xui8>, tensor<2x2x2xi32>, tensor<2x2xui8>
  }
  func.func private @expected() -> (tensor<3x4xui8>) {
    %0 = stablehlo.constant dense<[[4, 0, 4, 4], [1, 4, 4, 3], [0, 4, 0, 3]]> : tensor<3x4xui8>
    return %0 : tensor<3x4xui8>
  }
}
// -----
module @scatter_7_set {
  func.func public @scatter_7_set() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<3x4xi64>, tensor<2x2x2xi32>, tensor<2x2xi64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i64>, %arg4: tensor<i64>):
      stablehlo.return %arg4 : tensor<i64>
    }) : (tensor<3x4xi64>, tensor<2x2x2xi32>, tensor<2x2xi64>) -> tensor<3x4xi64>
    %want0 = call @expected() : () -> tensor<3x4xi64>
    check.expect_eq %0, %want0 : tensor<3x4xi64>
    return
  }
  func.func private @inputs() -> (tensor<3x4xi64>, tensor<2x2x2xi32>, tensor<2x2xi64>) {
    %0 = stablehlo.constant dense<[[2, 2, 4, 4], [0, 4, 4, 2], [0, 3, 3, 4]]> : tensor<3x4xi64>
    %1 = stablehlo.constant dense<[[[1, 2], [0, 1]], [[1, 3], [2, 5]]]> : tensor<2x2x2xi32>
    %2 = stablehlo.constant dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>
    return %0, %1, %2 : tensor<3x4xi64>, tensor<2x2x2xi32>, tensor<2x2xi64>
  }
  func.func private @expected() -> (tensor<3x4xi64>) {
    %0 = stablehlo.constant dense<[[2, 0, 4, 4], [0, 4, 0, 0], [0, 3, 3, 4]]> : tensor<3x4xi64>
    return %0 : tensor<3x4xi64>
  }
}
// -----
module @scatter_7_sub {
  func.func public @scatter_7_sub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<3x4xf64>, tensor<2x2x2xi32>, tensor<2x2xf64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      %1 = stablehlo.subtract %arg3, %arg4 : tensor<f64>
      stablehlo.return %1 : tensor<f64>
    }) : (tensor<3x4xf64>, tensor<2x2x2xi32>, tensor<2x2xf64>) -> tensor<3x4xf64>
    %want0 = call @expected() : () -> tensor<3x4xf64>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x4xf64>, tensor<3x4xf64>
    return
  }
  func.func private @inputs() -> (tensor<3x4xf64>, tensor<2x2x2xi32>, tensor<2x2xf64>) {
    %0 = stablehlo.constant dense<[[0.0, 0.0, 3.0, 1.0], [4.0, 3.0, 3.0, 3.0], [3.0, 1.0, 2.0, 0.0]]> : tensor<3x4xf64>
    %1 = stablehlo.constant dense<[[[3, 5], [1, 5]], [[1, 1], [1, 1]]]> : tensor<2x2x2xi32>
    %2 = stablehlo.constant dense<[[0.0, 3.0], [1.0, 4.0]]> : tensor<2x2xf64>
    return %0, %1, %2 : tensor<3x4xf64>, tensor<2x2x2xi32>, tensor<2x2xf64>
  }
  func.func private @expected() -> (tensor<3x4xf64>) {
    %0 = stablehlo.constant dense<[[0.0, 0.0, 3.0, 1.0], [4.0, -2.0, 3.0, 3.0], [3.0, 1.0, 2.0, 0.0]]> : tensor<3x4xf64>
    return %0 : tensor<3x4xf64>
  }
}
// -----
module @scatter_7_rsub {
  func.func public @scatter_7_rsub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<3x4xbf16>, tensor<2x2x2xi32>, tensor<2x2xbf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<bf16>, %arg4: tensor<bf16>):
      %1 = stablehlo.subtract %arg4, %arg3 : tensor<bf16>
      stablehlo.return %1 : tensor<bf16>
    }) : (tensor<3x4xbf16>, tensor<2x2x2xi32>, tensor<2x2xbf16>) -> tensor<3x4xbf16>
    %want0 = call @expected() : () -> tensor<3x4xbf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x4xbf16>, tensor<3x4xbf16>
    return
  }
  func.func private @inputs() -> (tensor<3x4xbf16>, tensor<2x2x2xi32>, tensor<2x2xbf16>) {
    %0 = stablehlo.constant dense<[[3.0, 0.0, 3.0, 2.0], [0.0, 4.0, 3.0, 4.0], [2.0, 4.0, 0.0, 0.0]]> : tensor<3x4xbf16>
    %1 = stablehlo.constant dense<[[[2, 1], [1, 0]], [[-1, 1], [2, 5]]]> : tensor<2x2x2xi32>
    %2 = stablehlo.constant dense<[[2.0, 3.0], [4.0, 2.0]]> : tensor<2x2xbf16>
    return %0, %1, %2 : tensor<3x4xbf16>, tensor<2x2x2xi32>, tensor<2x2xbf16>
  }
  func.func private @expected() -> (tensor<3x4xbf16>) {
    %0 = stablehlo.constant dense<[[3.0, 0.0, 3.0, 2.0], [3.0, 4.0, 3.0, 4.0], [2.0, -2.0, 0.0, 0.0]]> : tensor<3x4xbf16>
    return %0 : tensor<3x4xbf16>
  }
}
// -----
module @scatter_8_add {
  func.func public @scatter_8_add() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<4x5xi32>, tensor<3xi32>, tensor<4x3xi32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<4x5xi32>, tensor<3xi32>, tensor<4x3xi32>) -> tensor<4x5xi32>
    %want0 = call @expected() : () -> tensor<4x5xi32>
    check.expect_eq %0, %want0 : tensor<4x5xi32>
    return
  }
  func.func private @inputs() -> (tensor<4x5xi32>, tensor<3xi32>, tensor<4x3xi32>) {
    %0 = stablehlo.constant dense<[[4, 2, 0, 1, 4], [1, 1, 1, 3, 0], [4, 1, 4, 4, 3], [1, 2, 0, 2, 4]]> : tensor<4x5xi32>
    %1 = stablehlo.constant dense<[-1, 3, 1]> : tensor<3xi32>
    %2 = stablehlo.constant dense<[[3, 4, 3], [4, 3, 3], [1, 3, 0], [3, 0, 2]]> : tensor<4x3xi32>
    return %0, %1, %2 : tensor<4x5xi32>, tensor<3xi32>, tensor<4x3xi32>
  }
  func.func private @expected() -> (tensor<4x5xi32>) {
    %0 = stablehlo.constant dense<[[4, 5, 0, 5, 4], [1, 4, 1, 6, 0], [4, 1, 4, 7, 3], [1, 4, 0, 2, 4]]> : tensor<4x5xi32>
    return %0 : tensor<4x5xi32>
  }
}
// -----
module @scatter_8_mul {
  func.func public @scatter_8_mul() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<4x5xf16>, tensor<3xi32>, tensor<4x3xf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f16>, %arg4: tensor<f16>):
      %1 = stablehlo.multiply %arg3, %arg4 : tensor<f16>
      stablehlo.return %1 : tensor<f16>
    }) : (tensor<4x5xf16>, tensor<3xi32>, tensor<4x3xf16>) -> tensor<4x5xf16>
    %want0 = call @expected() : () -> tensor<4x5xf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<4x5xf16>, tensor<4x5xf16>
    return
  }
  func.func private @inputs() -> (tensor<4x5xf16>, tensor<3xi32>, tensor<4x3xf16>) {
    %0 = stablehlo.constant dense<[[3.0, 2.0, 0.0, 3.0, 2.0], [1.0, 2.0, 4.0, 1.0, 1.0], [1.0, 4.0, 0.0, 3.0, 2.0], [1.0, 0.0, 1.0, 3.0, 1.0]]> : tensor<4x5xf16>
    %1 = stablehlo.constant dense<[-1, 4, 1]> : tensor<3xi32>
    %2 = stablehlo.constant dense<[[1.0, 1.0, 1.0], [4.0, 2.0, 0.0], [4.0, 2.0, 4.0], [1.0, 3.0, 3.0]]> : tensor<4x3xf16>
    return %0, %1, %2 : tensor<4x5xf16>, tensor<3xi32>, tensor<4x3xf16>
  }
  func.func private @expected() -> (tensor<4x5xf16>) {
    %0 = stablehlo.constant dense<[[3.0, 2.0, 0.0, 3.0, 2.0], [1.0, 0.0, 4.0, 1.0, 2.0], [1.0, 16.0, 0.0, 3.0, 4.0], [1.0, 0.0, 1.0, 3.0, 3.0]]> : tensor<4x5xf16>
    return %0 : tensor<4x5xf16>
  }
}
// -----
module @scatter_8_max {
  func.func public @scatter_8_max() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<4x5xui8>, tensor<3xi32>, tensor<4x3xui8>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<ui8>, %arg4: tensor<ui8>):
      %1 = stablehlo.maximum %arg3, %arg4 : tensor<ui8>
      stablehlo.return %1 : tensor<ui8>
    }) : (tensor<4x5xui8>, tensor<3xi32>, tensor<4x3xui8>) -> tensor<4x5xui8>
    %want0 = call @expected() : () -> tensor<4x5xui8>
    check.expect_eq %0, %want0 : tensor<4x5xui8>
    return
  }
  func.func private @inputs() -> (tensor<4x5xui8>, tensor<3xi32>, tensor<4x3xui8>) {
    %0 = stablehlo.constant dense<[[3, 3, 2, 4, 0], [1, 2, 4, 0, 3], [2, 1, 3, 3, 2], [4, 2, 0, 3, 1]]> : tensor<4x5xui8>
    %1 = stablehlo.constant dense<[3, 1, 0]> : tensor<3xi32>
    %2 = stablehlo.constant dense<[[0, 4, 1], [3, 4, 4], [0, 3, 0], [3, 3, 2]]> : tensor<4x3xui8>
    return %0, %1, %2 : tensor<4x5xui8>, tensor<3xi32>, tensor<4x3xui8>
  }
  func.func private @expected() -> (tensor<4x5xui8>) {
    %0 = stablehlo.constant dense<[[3, 4, 2, 4, 0], [4, 4, 4, 3, 3], [2, 3, 3, 3, 2], [4, 3, 0, 3, 1]]> : tensor<4x5xui8>
    return %0 : tensor<4x5xui8>
  }
}
// -----
module @scatter_8_min {
  func.func public @scatter_8_min() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<4x5xi64>, tensor<3xi32>, tensor<4x3xi64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<i64>, %arg4: tensor<i64>):
      %1 = stablehlo.minimum %arg4, %arg3 : tensor<i64>
      stablehlo.return %1 : tensor<i64>
    }) : (tensor<4x5xi64>, tensor<3xi32>, tensor<4x3xi64>) -> tensor<4x5xi64>
    %want0 = call @expected() : () -> tensor<4x5xi64>
    check.expect_eq %0, %want0 : tensor<4x5xi64>
    return
  }
  func.func private @inputs() -> (tensor<4x5xi64>, tensor<3xi32>, tensor<4x3xi64>) {
    %0 = stablehlo.constant dense<[[0, 2, 1, 4, 0], [4, 0, 1, 4, 3], [0, 2, 2, 1, 1], [3, 0, 0, 4, 1]]> : tensor<4x5xi64>
    %1 = stablehlo.constant dense<[3, 0, 4]> : tensor<3xi32>
    %2 = stablehlo.constant dense<[[3, 1, 1], [4, 2, 1], [1, 0, 3], [3, 0, 0]]> : tensor<4x3xi64>
    return %0, %1, %2 : tensor<4x5xi64>, tensor<3xi32>, tensor<4x3xi64>
  }
  func.func private @expected() -> (tensor<4x5xi64>) {
    %0 = stablehlo.constant dense<[[0, 2, 1, 3, 0], [2, 0, 1, 4, 1], [0, 2, 2, 1, 1], [0, 0, 0, 3, 0]]> : tensor<4x5xi64>
    return %0 : tensor<4x5xi64>
  }
}
// -----
module @scatter_8_set {
  func.func public @scatter_8_set() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<4x5xf64>, tensor<3xi32>, tensor<4x3xf64>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f64>, %arg4: tensor<f64>):
      stablehlo.return %arg4 : tensor<f64>
    }) : (tensor<4x5xf64>, tensor<3xi32>, tensor<4x3xf64>) -> tensor<4x5xf64>
    %want0 = call @expected() : () -> tensor<4x5xf64>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<4x5xf64>, tensor<4x5xf64>
    return
  }
  func.func private @inputs() -> (tensor<4x5xf64>, tensor<3xi32>, tensor<4x3xf64>) {
    %0 = stablehlo.constant dense<[[4.0, 0.0, 2.0, 4.0, 0.0], [4.0, 3.0, 0.0, 2.0, 1.0], [1.0, 0.0, 1.0, 4.0, 3.0], [3.0, 1.0, 2.0, 4.0, 0.0]]> : tensor<4x5xf64>
    %1 = stablehlo.constant dense<[5, 5, 3]> : tensor<3xi32>
    %2 = stablehlo.constant dense<[[3.0, 1.0, 0.0], [3.0, 4.0, 0.0], [3.0, 4.0, 1.0], [2.0, 2.0, 4.0]]> : tensor<4x3xf64>
    return %0, %1, %2 : tensor<4x5xf64>, tensor<3xi32>, tensor<4x3xf64>
  }
  func.func private @expected() -> (tensor<4x5xf64>) {
    %0 = stablehlo.constant dense<[[4.0, 0.0, 2.0, 0.0, 0.0], [4.0, 3.0, 0.0, 0.0, 1.0], [1.0, 0.0, 1.0, 1.0, 3.0], [3.0, 1.0, 2.0, 4.0, 0.0]]> : tensor<4x5xf64>
    return %0 : tensor<4x5xf64>
  }
}
// -----
module @scatter_8_sub {
  func.func public @scatter_8_sub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<4x5xbf16>, tensor<3xi32>, tensor<4x3xbf16>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<bf16>, %arg4: tensor<bf16>):
      %1 = stablehlo.subtract %arg3, %arg4 : tensor<bf16>
      stablehlo.return %1 : tensor<bf16>
    }) : (tensor<4x5xbf16>, tensor<3xi32>, tensor<4x3xbf16>) -> tensor<4x5xbf16>
    %want0 = call @expected() : () -> tensor<4x5xbf16>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<4x5xbf16>, tensor<4x5xbf16>
    return
  }
  func.func private @inputs() -> (tensor<4x5xbf16>, tensor<3xi32>, tensor<4x3xbf16>) {
    %0 = stablehlo.constant dense<[[0.0, 1.0, 3.0, 4.0, 1.0], [3.0, 3.0, 2.0, 3.0, 3.0], [1.0, 0.0, 2.0, 0.0, 4.0], [2.0, 4.0, 4.0, 4.0, 1.0]]> : tensor<4x5xbf16>
    %1 = stablehlo.constant dense<[1, 2, 4]> : tensor<3xi32>
    %2 = stablehlo.constant dense<[[3.0, 0.0, 3.0], [1.0, 1.0, 0.0], [3.0, 1.0, 2.0], [4.0, 3.0, 4.0]]> : tensor<4x3xbf16>
    return %0, %1, %2 : tensor<4x5xbf16>, tensor<3xi32>, tensor<4x3xbf16>
  }
  func.func private @expected() -> (tensor<4x5xbf16>) {
    %0 = stablehlo.constant dense<[[0.0, -2.0, 3.0, 4.0, -2.0], [3.0, 2.0, 1.0, 3.0, 3.0], [1.0, -3.0, 1.0, 0.0, 2.0], [2.0, 0.0, 1.0, 4.0, -3.0]]> : tensor<4x5xbf16>
    return %0 : tensor<4x5xbf16>
  }
}
// -----
module @scatter_8_rsub {
  func.func public @scatter_8_rsub() {
    %arg0, %arg1, %arg2 = call @inputs() : () -> (tensor<4x5xf32>, tensor<3xi32>, tensor<4x3xf32>)
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.subtract %arg4, %arg3 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<4x5xf32>, tensor<3xi32>, tensor<4x3xf32>) -> tensor<4x5xf32>
    %want0 = call @expected() : () -> tensor<4x5xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<4x5xf32>, tensor<4x5xf32>
    return
  }
  func.func private @inputs() -> (tensor<4x5xf32>, tensor<3xi32>, tensor<4x3xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 3.0, 2.0, 3.0, 4.0], [2.0, 4.0, 2.0, 3.0, 4.0], [1.0, 1.0, 3.0, 4.0, 1.0], [2.0, 2.0, 2.0, 2.0, 2.0]]> : tensor<4x5xf32>
    %1 = stablehlo.constant dense<[0, -1, 3]> : tensor<3xi32>
    %2 = stablehlo.constant dense<[[4.0, 4.0, 1.0], [1.0, 3.0, 3.0], [3.0, 3.0, 1.0], [3.0, 2.0, 2.0]]> : tensor<4x3xf32>
    return %0, %1, %2 : tensor<4x5xf32>, tensor<3xi32>, tensor<4x3xf32>
  }
  func.func private @expected() -> (tensor<4x5xf32>) {
    %0 = stablehlo.constant dense<[[3.0, 3.0, 2.0, -2.0, 4.0], [-1.0, 4.0, 2.0, 0.0, 4.0], [2.0, 1.0, 3.0, -3.0, 1.0], [1.0, 2.0, 2.0, 0.0, 2.0]]> : tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
}
// -----
module @scatter_two {
  func.func public @scatter_two() {
    %arg0, %arg1, %arg2, %arg3, %arg4 = call @inputs() : () -> (tensor<4xf32>, tensor<4xi32>, tensor<3x1xi32>, tensor<3xf32>, tensor<3xi32>)
    %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<i32>, %arg7: tensor<f32>, %arg8: tensor<i32>):
      %1 = stablehlo.add %arg5, %arg7 : tensor<f32>
      %2 = stablehlo.multiply %arg6, %arg8 : tensor<i32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
    }) : (tensor<4xf32>, tensor<4xi32>, tensor<3x1xi32>, tensor<3xf32>, tensor<3xi32>) -> (tensor<4xf32>, tensor<4xi32>)
    %want0, %want1 = call @expected() : () -> (tensor<4xf32>, tensor<4xi32>)
    check.expect_close %0#0, %want0, max_ulp_difference = 0 : tensor<4xf32>, tensor<4xf32>
    check.expect_eq %0#1, %want1 : tensor<4xi32>
    return
  }
  func.func private @inputs() -> (tensor<4xf32>, tensor<4xi32>, tensor<3x1xi32>, tensor<3xf32>, tensor<3xi32>) {
    %0 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %1 = stablehlo.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
    %2 = stablehlo.constant dense<[[1], [3], [1]]> : tensor<3x1xi32>
    %3 = stablehlo.constant dense<[5.0, 6.0, 7.0]> : tensor<3xf32>
    %4 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
    return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xi32>, tensor<3x1xi32>, tensor<3xf32>, tensor<3xi32>
  }
  func.func private @expected() -> (tensor<4xf32>, tensor<4xi32>) {
    %0 = stablehlo.constant dense<[1.0, 14.0, 3.0, 10.0]> : tensor<4xf32>
    %1 = stablehlo.constant dense<[10, 60, 30, 80]> : tensor<4xi32>
    return %0, %1 : tensor<4xf32>, tensor<4xi32>
  }
}
