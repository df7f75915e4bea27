// Each operation of StableHLO in a function of its name that checks itself. test_operations.py has the list: what is read, and what is refused.
func.func @abs() {
  %x = stablehlo.constant dense<[-2, 0, 127]> : tensor<3xi8>
  %y = stablehlo.abs %x : tensor<3xi8>
  check.expect_eq_const %y, dense<[2, 0, 127]> : tensor<3xi8>
  return
}
// -----
func.func @add() {
  %x = stablehlo.constant dense<[1, 2, 127]> : tensor<3xi8>
  %y = stablehlo.constant dense<[1, -2, 1]> : tensor<3xi8>
  %z = stablehlo.add %x, %y : tensor<3xi8>
  check.expect_eq_const %z, dense<[2, 0, -128]> : tensor<3xi8>
  return
}
// -----
func.func @after_all() {
  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all %0, %0 : !stablehlo.token
  %x = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %x, dense<1> : tensor<i32>
  return
}
// -----
func.func @all_gather() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %y, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  return
}
// -----
func.func @all_reduce() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %y, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  return
}
// -----
func.func @all_to_all() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %y, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  return
}
// -----
func.func @and() {
  %x = stablehlo.constant dense<[true, true, false]> : tensor<3xi1>
  %y = stablehlo.constant dense<[true, false, false]> : tensor<3xi1>
  %z = stablehlo.and %x, %y : tensor<3xi1>
  check.expect_eq_const %z, dense<[true, false, false]> : tensor<3xi1>
  return
}
// -----
func.func @atan2() {
  %x = stablehlo.constant dense<[0.0, 1.0, -1.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[-1.0, 0.0, 1.0]> : tensor<3xf32>
  %z = stablehlo.atan2 %x, %y : tensor<3xf32>
  check.expect_almost_eq_const %z, dense<[3.14159274, 1.57079637, -0.785398185]> : tensor<3xf32>
  return
}
// -----
func.func @batch_norm_grad() {
  %x = stablehlo.constant dense<[[1.0], [3.0]]> : tensor<2x1xf32>
  %one = stablehlo.constant dense<1.0> : tensor<1xf32>
  %mean = stablehlo.constant dense<2.0> : tensor<1xf32>
  %dy = stablehlo.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %dx, %ds, %do = "stablehlo.batch_norm_grad"(%x, %one, %mean, %one, %dy) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<1xf32>, tensor<1xf32>)
  check.expect_almost_eq_const %dx, dense<0.0> : tensor<2x1xf32>
  check.expect_almost_eq_const %ds, dense<1.0> : tensor<1xf32>
  check.expect_almost_eq_const %do, dense<3.0> : tensor<1xf32>
  return
}
// -----
func.func @batch_norm_inference() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %one = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %mean = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %y = "stablehlo.batch_norm_inference"(%x, %one, %mean, %mean, %one) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %y, dense<[[1.0, 1.58578646], [3.0, 4.41421366]]> : tensor<2x2xf32>
  return
}
// -----
func.func @batch_norm_training() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %y, %mean, %var = "stablehlo.batch_norm_training"(%x, %one, %one) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>)
  check.expect_almost_eq_const %y, dense<[[0.0, 0.0], [2.0, 2.0]]> : tensor<2x2xf32>
  check.expect_almost_eq_const %mean, dense<[2.0, 3.0]> : tensor<2xf32>
  check.expect_almost_eq_const %var, dense<1.0> : tensor<2xf32>
  return
}
// -----
func.func @bitcast_convert() {
  %x = stablehlo.constant dense<[true, true, false, false, true, false, true, false]> : tensor<8xi1>
  %y = stablehlo.bitcast_convert %x : (tensor<8xi1>) -> tensor<ui8>
  check.expect_eq_const %y, dense<83> : tensor<ui8>
  %z = stablehlo.bitcast_convert %y : (tensor<ui8>) -> tensor<8xi1>
  check.expect_eq %z, %x : tensor<8xi1>
  %f = stablehlo.constant dense<0x01020304> : tensor<f32>
  %b = stablehlo.bitcast_convert %f : (tensor<f32>) -> tensor<4xi8>
  check.expect_eq_const %b, dense<[4, 3, 2, 1]> : tensor<4xi8>
  %g = stablehlo.bitcast_convert %b : (tensor<4xi8>) -> tensor<f32>
  check.expect_eq %g, %f : tensor<f32>
  return
}
// -----
func.func @broadcast() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.broadcast %x, sizes = [2] : (tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %y, dense<[[1, 2], [1, 2]]> : tensor<2x2xi32>
  return
}
// -----
func.func @broadcast_in_dim() {
  %x = stablehlo.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %y = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<2x1xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %y, dense<[[1, 2], [1, 2]]> : tensor<2x2xi32>
  return
}
// -----
func.func @case() {
  %i = stablehlo.constant dense<-1> : tensor<i32>
  %x = stablehlo.constant dense<7> : tensor<i64>
  %y = stablehlo.constant dense<8> : tensor<i64>
  %r = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<i64>
  }, {
    stablehlo.return %y : tensor<i64>
  }) : (tensor<i32>) -> tensor<i64>
  check.expect_eq_const %r, dense<8> : tensor<i64>
  return
}
// -----
func.func @cbrt() {
  %x = stablehlo.constant dense<[8.0, -27.0, 0.0]> : tensor<3xf32>
  %y = stablehlo.cbrt %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[2.0, -3.0, 0.0]> : tensor<3xf32>
  return
}
// -----
func.func @ceil() {
  %x = stablehlo.constant dense<[1.5, -1.5, 2.0]> : tensor<3xf32>
  %y = stablehlo.ceil %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[2.0, -1.0, 2.0]> : tensor<3xf32>
  return
}
// -----
func.func @cholesky() {
  %x = stablehlo.constant dense<[[4.0, 2.0], [2.0, 5.0]]> : tensor<2x2xf32>
  %y = stablehlo.cholesky %x, lower = true : tensor<2x2xf32>
  %d = stablehlo.slice %y [1:2, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
  check.expect_almost_eq_const %d, dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  return
}
// -----
func.func @clamp() {
  %a = stablehlo.constant dense<0> : tensor<i32>
  %x = stablehlo.constant dense<[-1, 3, 9]> : tensor<3xi32>
  %b = stablehlo.constant dense<5> : tensor<i32>
  %y = stablehlo.clamp %a, %x, %b : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %y, dense<[0, 3, 5]> : tensor<3xi32>
  return
}
// -----
func.func @collective_broadcast() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %y, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  return
}
// -----
func.func @collective_permute() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<0> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %y, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  return
}
// -----
func.func @collective_reduce() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = "stablehlo.collective_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %y, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  return
}
// -----
func.func @compare() {
  %x = stablehlo.constant dense<[1.0, 0x7FC00000, -0.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[2.0, 0x7FC00000, 0.0]> : tensor<3xf32>
  %y0 = stablehlo.compare EQ, %x, %y, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %y0, dense<[false, false, true]> : tensor<3xi1>
  %y1 = stablehlo.compare EQ, %x, %y, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %y1, dense<[false, true, false]> : tensor<3xi1>
  return
}
// -----
func.func @complex() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = stablehlo.complex %x, %x : tensor<2xcomplex<f32>>
  check.expect_almost_eq_const %y, dense<[(1.0, 1.0), (2.0, 2.0)]> : tensor<2xcomplex<f32>>
  return
}
// -----
func.func @composite() {
  %x = stablehlo.constant dense<41> : tensor<i32>
  %y = stablehlo.composite "a.b" %x {composite_attributes = {k = 1 : i64}, decomposition = @next, version = 1 : i32} : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %y, dense<42> : tensor<i32>
  return
}
func.func private @next(%arg0: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  %1 = stablehlo.add %arg0, %0 : tensor<i32>
  return %1 : tensor<i32>
}
// -----
func.func @concatenate() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[3]> : tensor<1xi32>
  %z = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xi32>, tensor<1xi32>) -> tensor<3xi32>
  check.expect_eq_const %z, dense<[1, 2, 3]> : tensor<3xi32>
  return
}
// -----
func.func @constant() {
  %x = stablehlo.constant dense<"0x01000000FFFFFFFF"> : tensor<2xi32>
  check.expect_eq_const %x, dense<[1, -1]> : tensor<2xi32>
  return
}
// -----
func.func @convert() {
  %x = stablehlo.constant dense<[1.5, -2.5, 300.0]> : tensor<3xf32>
  %y = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xi8>
  check.expect_eq_const %y, dense<[1, -2, 127]> : tensor<3xi8>
  return
}
// -----
func.func @convolution() {
  %x = stablehlo.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  %w = stablehlo.constant dense<[[[1.0]], [[10.0]]]> : tensor<2x1x1xf32>
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1], pad = [[1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
  check.expect_almost_eq_const %y, dense<[[[10.0], [21.0], [32.0]]]> : tensor<1x3x1xf32>
  return
}
// -----
func.func @cosine() {
  %x = stablehlo.constant dense<[0.0, 1.0, -2.0]> : tensor<3xf32>
  %y = stablehlo.cosine %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[1.0, 0.540302277, -0.416146845]> : tensor<3xf32>
  return
}
// -----
func.func @count_leading_zeros() {
  %x = stablehlo.constant dense<[0, 1, -1]> : tensor<3xi8>
  %y = stablehlo.count_leading_zeros %x : tensor<3xi8>
  check.expect_eq_const %y, dense<[8, 7, 0]> : tensor<3xi8>
  return
}
// -----
func.func @create_token() {
  %0 = stablehlo.create_token : !stablehlo.token
  %1:2 = stablehlo.optimization_barrier %0, %0 : !stablehlo.token, !stablehlo.token
  %x = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %x, dense<1> : tensor<i32>
  return
}
// -----
func.func @cross_replica_sum() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %y, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  return
}
// -----
func.func @custom_call() {
  %x = stablehlo.constant dense<1.0> : tensor<2xf32>
  %y = stablehlo.custom_call @Sharding(%x) {backend_config = "", mhlo.sharding = "{replicated}"} : (tensor<2xf32>) -> tensor<2xf32>
  check.expect_almost_eq_const %y, dense<1.0> : tensor<2xf32>
  return
}
// -----
func.func @divide() {
  %x = stablehlo.constant dense<[7, -7, 1]> : tensor<3xi32>
  %y = stablehlo.constant dense<[2, 2, 0]> : tensor<3xi32>
  %z = stablehlo.divide %x, %y : tensor<3xi32>
  check.expect_eq_const %z, dense<[3, -3, -1]> : tensor<3xi32>
  return
}
// -----
func.func @dot() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = stablehlo.constant dense<[1, 10]> : tensor<2xi32>
  %z = stablehlo.dot %x, %y, precision = [DEFAULT, DEFAULT] : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %z, dense<[21, 43]> : tensor<2xi32>
  return
}
// -----
func.func @dot_general() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>
  %y = stablehlo.constant dense<[[1, 100], [1, 100]]> : tensor<2x2xi8>
  %z = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2xi32>
  check.expect_eq_const %z, dense<[201, 403]> : tensor<2xi32>
  return
}
// -----
func.func @dynamic_broadcast_in_dim() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %n = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
  %y = stablehlo.dynamic_broadcast_in_dim %x, %n, dims = [1] {known_nonexpanding_dimensions = array<i64: 0>} : (tensor<2xi32>, tensor<2xi64>) -> tensor<?x2xi32>
  %z = stablehlo.reverse %y, dims = [1] : tensor<?x2xi32>
  %s = tensor.cast %z : tensor<?x2xi32> to tensor<3x2xi32>
  check.expect_eq_const %s, dense<[[2, 1], [2, 1], [2, 1]]> : tensor<3x2xi32>
  return
}
// -----
func.func @dynamic_conv() {
  %x = stablehlo.constant dense<[[[1.0], [2.0], [3.0]]]> : tensor<1x3x1xf32>
  %w = stablehlo.constant dense<[[[1.0]], [[10.0]]]> : tensor<2x1x1xf32>
  %p = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi64>
  %y = "stablehlo.dynamic_conv"(%x, %w, %p) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64}> : (tensor<1x3x1xf32>, tensor<2x1x1xf32>, tensor<1x2xi64>) -> tensor<1x3x1xf32>
  check.expect_almost_eq_const %y, dense<[[[10.0], [21.0], [32.0]]]> : tensor<1x3x1xf32>
  return
}
// -----
func.func @dynamic_gather() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %i = stablehlo.constant dense<[[2], [9]]> : tensor<2x1xi64>
  %n = stablehlo.constant dense<[1]> : tensor<1xi64>
  %y = "stablehlo.dynamic_gather"(%x, %i, %n) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<3xi32>, tensor<2x1xi64>, tensor<1xi64>) -> tensor<2xi32>
  check.expect_eq_const %y, dense<3> : tensor<2xi32>
  return
}
// -----
func.func @dynamic_iota() {
  %n = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
  %y = stablehlo.dynamic_iota %n, dim = 1 : (tensor<2xi64>) -> tensor<2x2xi32>
  check.expect_eq_const %y, dense<[[0, 1], [0, 1]]> : tensor<2x2xi32>
  return
}
// -----
func.func @dynamic_pad() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %v = stablehlo.constant dense<0> : tensor<i32>
  %l = stablehlo.constant dense<-1> : tensor<1xi64>
  %h = stablehlo.constant dense<2> : tensor<1xi64>
  %i = stablehlo.constant dense<1> : tensor<1xi64>
  %y = stablehlo.dynamic_pad %x, %v, %l, %h, %i : (tensor<2xi32>, tensor<i32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xi32>
  check.expect_eq_const %y, dense<[0, 2, 0, 0]> : tensor<4xi32>
  return
}
// -----
func.func @dynamic_reshape() {
  %x = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %n = stablehlo.constant dense<[2]> : tensor<1xi64>
  %y = stablehlo.dynamic_reshape %x, %n : (tensor<1x2xi32>, tensor<1xi64>) -> tensor<2xi32>
  check.expect_eq_const %y, dense<[1, 2]> : tensor<2xi32>
  return
}
// -----
func.func @dynamic_slice() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %i = stablehlo.constant dense<5> : tensor<i32>
  %y = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %y, dense<[2, 3]> : tensor<2xi32>
  return
}
// -----
func.func @dynamic_update_slice() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %u = stablehlo.constant dense<[8, 9]> : tensor<2xi32>
  %i = stablehlo.constant dense<-1> : tensor<i32>
  %y = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<3xi32>, tensor<2xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %y, dense<[8, 9, 3]> : tensor<3xi32>
  return
}
// -----
func.func @einsum() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = stablehlo.einsum %x, %x, config = "ab,cb->ac" : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %y, dense<[[5, 11], [11, 25]]> : tensor<2x2xi32>
  return
}
// -----
func.func @exponential() {
  %x = stablehlo.constant dense<[0.0, 1.0, 0xFF800000]> : tensor<3xf32>
  %y = stablehlo.exponential %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[1.0, 2.71828175, 0.0]> : tensor<3xf32>
  return
}
// -----
func.func @exponential_minus_one() {
  %x = stablehlo.constant dense<[0.0, 1.0, 0xFF800000]> : tensor<3xf32>
  %y = stablehlo.exponential_minus_one %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[0.0, 1.71828187, -1.0]> : tensor<3xf32>
  return
}
// -----
func.func @fft() {
  %x = stablehlo.constant dense<[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]> : tensor<3xcomplex<f32>>
  %y = stablehlo.fft %x, type = FFT, length = [3] : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  check.expect_almost_eq_const %y, dense<[(6.0, 0.0), (-1.5, 0.866025388), (-1.5, -0.866025388)]> : tensor<3xcomplex<f32>>
  return
}
// -----
func.func @floor() {
  %x = stablehlo.constant dense<[1.5, -1.5, 2.0]> : tensor<3xf32>
  %y = stablehlo.floor %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[1.0, -2.0, 2.0]> : tensor<3xf32>
  return
}
// -----
func.func @gather() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %i = stablehlo.constant dense<[1, 7]> : tensor<2xi32>
  %y = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %y, dense<[[3, 4], [3, 4]]> : tensor<2x2xi32>
  return
}
// -----
func.func @get_dimension_size() {
  %x = stablehlo.constant dense<0> : tensor<2x3xi32>
  %y = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xi32>) -> tensor<i32>
  check.expect_eq_const %y, dense<3> : tensor<i32>
  return
}
// -----
func.func @get_tuple_element() {
  %x = stablehlo.constant dense<1> : tensor<i32>
  %y = stablehlo.constant dense<2.0> : tensor<f32>
  %t = stablehlo.tuple %x, %y : tuple<tensor<i32>, tensor<f32>>
  %e = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tensor<f32>>) -> tensor<f32>
  check.expect_almost_eq_const %e, dense<2.0> : tensor<f32>
  return
}
// -----
func.func @if() {
  %p = stablehlo.constant dense<false> : tensor<i1>
  %x = stablehlo.constant dense<7> : tensor<i64>
  %y = stablehlo.constant dense<8> : tensor<i64>
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<i64>
  }, {
    stablehlo.return %y : tensor<i64>
  }) : (tensor<i1>) -> tensor<i64>
  check.expect_eq_const %r, dense<8> : tensor<i64>
  return
}
// -----
func.func @imag() {
  %x = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>
  %y = stablehlo.imag %x : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
  check.expect_almost_eq_const %y, dense<2.0> : tensor<1xf32>
  return
}
// -----
func.func @iota() {
  %y = stablehlo.iota dim = 0 : tensor<3x1xi8>
  check.expect_eq_const %y, dense<[[0], [1], [2]]> : tensor<3x1xi8>
  return
}
// -----
func.func @is_finite() {
  %x = stablehlo.constant dense<[1.0, 0x7F800000, 0x7FC00000]> : tensor<3xf32>
  %y = stablehlo.is_finite %x : (tensor<3xf32>) -> tensor<3xi1>
  check.expect_eq_const %y, dense<[true, false, false]> : tensor<3xi1>
  return
}
// -----
func.func @log() {
  %x = stablehlo.constant dense<[1.0, 2.71828175, 0.5]> : tensor<3xf32>
  %y = stablehlo.log %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[0.0, 1.0, -0.693147182]> : tensor<3xf32>
  return
}
// -----
func.func @log_plus_one() {
  %x = stablehlo.constant dense<[0.0, 1.71828187, -0.5]> : tensor<3xf32>
  %y = stablehlo.log_plus_one %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[0.0, 1.0, -0.693147182]> : tensor<3xf32>
  return
}
// -----
func.func @logistic() {
  %x = stablehlo.constant dense<[0.0, 1.0, 0x7F800000]> : tensor<3xf32>
  %y = stablehlo.logistic %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[0.5, 0.731058597, 1.0]> : tensor<3xf32>
  return
}
// -----
func.func @map() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = "stablehlo.map"(%x, %x) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.multiply %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
  }) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  check.expect_eq_const %y, dense<[1, 4]> : tensor<2xi32>
  return
}
// -----
func.func @maximum() {
  %x = stablehlo.constant dense<[1.0, 0x7FC00000, 3.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[2.0, 1.0, -3.0]> : tensor<3xf32>
  %z = stablehlo.maximum %x, %y : tensor<3xf32>
  check.expect_almost_eq_const %z, dense<[2.0, 0x7FC00000, 3.0]> : tensor<3xf32>
  return
}
// -----
func.func @minimum() {
  %x = stablehlo.constant dense<[1.0, 0x7FC00000, 3.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[2.0, 1.0, -3.0]> : tensor<3xf32>
  %z = stablehlo.minimum %x, %y : tensor<3xf32>
  check.expect_almost_eq_const %z, dense<[1.0, 0x7FC00000, -3.0]> : tensor<3xf32>
  return
}
// -----
func.func @multiply() {
  %x = stablehlo.constant dense<[2, 16, -128]> : tensor<3xi8>
  %y = stablehlo.constant dense<[3, 16, -1]> : tensor<3xi8>
  %z = stablehlo.multiply %x, %y : tensor<3xi8>
  check.expect_eq_const %z, dense<[6, 0, -128]> : tensor<3xi8>
  return
}
// -----
func.func @negate() {
  %x = stablehlo.constant dense<[1, 0, -128]> : tensor<3xi8>
  %y = stablehlo.negate %x : tensor<3xi8>
  check.expect_eq_const %y, dense<[-1, 0, -128]> : tensor<3xi8>
  return
}
// -----
func.func @not() {
  %x = stablehlo.constant dense<[1, 0, -128]> : tensor<3xi8>
  %y = stablehlo.not %x : tensor<3xi8>
  check.expect_eq_const %y, dense<[-2, -1, 127]> : tensor<3xi8>
  return
}
// -----
func.func @optimization_barrier() {
  %x = stablehlo.constant dense<1> : tensor<i32>
  stablehlo.optimization_barrier()
  %y:2 = stablehlo.optimization_barrier %x, %x : tensor<i32>, tensor<i32>
  check.expect_eq_const %y#1, dense<1> : tensor<i32>
  return
}
// -----
func.func @or() {
  %x = stablehlo.constant dense<[1, 2, 4]> : tensor<3xui8>
  %y = stablehlo.constant dense<[1, 1, 3]> : tensor<3xui8>
  %z = stablehlo.or %x, %y : tensor<3xui8>
  check.expect_eq_const %z, dense<[1, 3, 7]> : tensor<3xui8>
  return
}
// -----
func.func @pad() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %v = stablehlo.constant dense<0> : tensor<i32>
  %y = stablehlo.pad %x, %v, low = [-1], high = [2], interior = [1] : (tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %y, dense<[0, 2, 0, 0]> : tensor<4xi32>
  return
}
// -----
func.func @partition_id() {
  %y = stablehlo.partition_id : tensor<ui32>
  check.expect_eq_const %y, dense<0> : tensor<ui32>
  return
}
// -----
func.func @popcnt() {
  %x = stablehlo.constant dense<[0, 7, -1]> : tensor<3xi8>
  %y = stablehlo.popcnt %x : tensor<3xi8>
  check.expect_eq_const %y, dense<[0, 3, 8]> : tensor<3xi8>
  return
}
// -----
func.func @power() {
  %x = stablehlo.constant dense<[2, 3, -1]> : tensor<3xi32>
  %y = stablehlo.constant dense<[5, -1, 3]> : tensor<3xi32>
  %z = stablehlo.power %x, %y : tensor<3xi32>
  check.expect_eq_const %z, dense<[32, 0, -1]> : tensor<3xi32>
  return
}
// -----
func.func @real() {
  %x = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>
  %y = stablehlo.real %x : (tensor<1xcomplex<f32>>) -> tensor<1xf32>
  check.expect_almost_eq_const %y, dense<1.0> : tensor<1xf32>
  return
}
// -----
func.func @real_dynamic_slice() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %a = stablehlo.constant dense<[1]> : tensor<1xi64>
  %b = stablehlo.constant dense<[4]> : tensor<1xi64>
  %s = stablehlo.constant dense<[2]> : tensor<1xi64>
  %y = stablehlo.real_dynamic_slice %x, %a, %b, %s : (tensor<4xi32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xi32>
  check.expect_eq_const %y, dense<[2, 4]> : tensor<2xi32>
  return
}
// -----
func.func @reduce() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %z = stablehlo.constant dense<10> : tensor<i32>
  %y = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<2x2xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %y, dense<[13, 17]> : tensor<2xi32>
  return
}
// -----
func.func @reduce_precision() {
  %x = stablehlo.constant dense<[1.00390625, 1.01171875]> : tensor<2xf32>
  %y = stablehlo.reduce_precision %x, format = e8m7 : tensor<2xf32>
  check.expect_almost_eq_const %y, dense<[1.0, 1.015625]>  : tensor<2xf32>, tolerance = 0.0
  return
}
// -----
func.func @reduce_scatter() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %y = "stablehlo.reduce_scatter"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_almost_eq_const %y, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  return
}
// -----
func.func @reduce_window() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %y = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<3xi32>
  check.expect_eq_const %y, dense<[1, 5, 4]> : tensor<3xi32>
  return
}
// -----
func.func @remainder() {
  %x = stablehlo.constant dense<[7.0, -7.0, 1.0]> : tensor<3xf32>
  %y = stablehlo.constant dense<[2.0, 2.0, 0x7F800000]> : tensor<3xf32>
  %z = stablehlo.remainder %x, %y : tensor<3xf32>
  check.expect_almost_eq_const %z, dense<[1.0, -1.0, 1.0]> : tensor<3xf32>
  return
}
// -----
func.func @replica_id() {
  %y = stablehlo.replica_id : tensor<ui32>
  check.expect_eq_const %y, dense<0> : tensor<ui32>
  return
}
// -----
func.func @reshape() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = stablehlo.reshape %x : (tensor<2x2xi32>) -> tensor<4xi32>
  check.expect_eq_const %y, dense<[1, 2, 3, 4]> : tensor<4xi32>
  return
}
// -----
func.func @return() {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %x = stablehlo.constant dense<7> : tensor<i64>
  %r:2 = "stablehlo.if"(%p) ({
    "stablehlo.return"(%x, %x) : (tensor<i64>, tensor<i64>) -> ()
  }, {
    stablehlo.return %x, %x : tensor<i64>, tensor<i64>
  }) : (tensor<i1>) -> (tensor<i64>, tensor<i64>)
  check.expect_eq_const %r#1, dense<7> : tensor<i64>
  return
}
// -----
func.func @reverse() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %y = stablehlo.reverse %x, dims = [0] : tensor<3xi32>
  check.expect_eq_const %y, dense<[3, 2, 1]> : tensor<3xi32>
  return
}
// -----
func.func @rng() {
  %a = stablehlo.constant dense<1.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %n = stablehlo.constant dense<[4]> : tensor<1xi64>
  %y = stablehlo.rng %a, %b, %n, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  check.expect_almost_eq_const %y, dense<1.0> : tensor<4xf32>
  return
}
// -----
func.func @rng_bit_generator() {
  %s = stablehlo.constant dense<[8589934593, 3]> : tensor<2xui64>
  %t, %y = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
  check.expect_eq_const %y, dense<[0x8E9A2EAB, 0x3468C1ED, 0x11B78BB9, 0x9D4E5EFC]> : tensor<4xui32>
  check.expect_eq_const %t, dense<[8589934593, 5]> : tensor<2xui64>
  return
}
// -----
func.func @round_nearest_afz() {
  %x = stablehlo.constant dense<[0.5, -2.5, 1.25]> : tensor<3xf32>
  %y = stablehlo.round_nearest_afz %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[1.0, -3.0, 1.0]> : tensor<3xf32>
  return
}
// -----
func.func @round_nearest_even() {
  %x = stablehlo.constant dense<[0.5, -2.5, 1.75]> : tensor<3xf32>
  %y = stablehlo.round_nearest_even %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[0.0, -2.0, 2.0]> : tensor<3xf32>
  return
}
// -----
func.func @rsqrt() {
  %x = stablehlo.constant dense<[1.0, 4.0, 0x7F800000]> : tensor<3xf32>
  %y = stablehlo.rsqrt %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[1.0, 0.5, 0.0]> : tensor<3xf32>
  return
}
// -----
func.func @scatter() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %i = stablehlo.constant dense<[[2], [2], [5]]> : tensor<3x1xi32>
  %u = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %y = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
  }) : (tensor<3xi32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %y, dense<[1, 2, 33]> : tensor<3xi32>
  return
}
// -----
func.func @select() {
  %p = stablehlo.constant dense<true> : tensor<i1>
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
  %z = stablehlo.select %p, %x, %y : tensor<i1>, tensor<2xi32>
  check.expect_eq_const %z, dense<[1, 2]> : tensor<2xi32>
  return
}
// -----
func.func @select_and_scatter() {
  %x = stablehlo.constant dense<[1, 5, 2, 6]> : tensor<4xi32>
  %s = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %y = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %p = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
  }, {
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %q = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %q : tensor<i32>
  }) : (tensor<4xi32>, tensor<2xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %y, dense<[0, 10, 0, 20]> : tensor<4xi32>
  return
}
// -----
func.func @set_dimension_size() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %n = stablehlo.constant dense<2> : tensor<i32>
  %y = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %y, dense<[1, 2]> : tensor<2xi32>
  return
}
// -----
func.func @shift_left() {
  %x = stablehlo.constant dense<[1, -1, 1]> : tensor<3xi8>
  %y = stablehlo.constant dense<[3, 7, 8]> : tensor<3xi8>
  %z = stablehlo.shift_left %x, %y : tensor<3xi8>
  check.expect_eq_const %z, dense<[8, -128, 0]> : tensor<3xi8>
  return
}
// -----
func.func @shift_right_arithmetic() {
  %x = stablehlo.constant dense<[8, -128, -1]> : tensor<3xi8>
  %y = stablehlo.constant dense<[3, 7, 9]> : tensor<3xi8>
  %z = stablehlo.shift_right_arithmetic %x, %y : tensor<3xi8>
  check.expect_eq_const %z, dense<[1, -1, -1]> : tensor<3xi8>
  return
}
// -----
func.func @shift_right_logical() {
  %x = stablehlo.constant dense<[8, -128, -1]> : tensor<3xi8>
  %y = stablehlo.constant dense<[3, 7, 9]> : tensor<3xi8>
  %z = stablehlo.shift_right_logical %x, %y : tensor<3xi8>
  check.expect_eq_const %z, dense<[1, 1, 0]> : tensor<3xi8>
  return
}
// -----
func.func @sign() {
  %x = stablehlo.constant dense<[-2.5, 0.0, 0x7FC00000]> : tensor<3xf32>
  %y = stablehlo.sign %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[-1.0, 0.0, 0x7FC00000]> : tensor<3xf32>
  return
}
// -----
func.func @sine() {
  %x = stablehlo.constant dense<[0.0, 1.0, -2.0]> : tensor<3xf32>
  %y = stablehlo.sine %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[0.0, 0.841470957, -0.909297406]> : tensor<3xf32>
  return
}
// -----
func.func @slice() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %y = stablehlo.slice %x [1:4:2] : (tensor<4xi32>) -> tensor<2xi32>
  check.expect_eq_const %y, dense<[2, 4]> : tensor<2xi32>
  return
}
// -----
func.func @sort() {
  %x = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
  %y = stablehlo.constant dense<[30, 10, 20]> : tensor<3xi32>
  %s:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
      %p = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
  }) : (tensor<3xi32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>)
  check.expect_eq_const %s#1, dense<[30, 20, 10]> : tensor<3xi32>
  return
}
// -----
func.func @sqrt() {
  %x = stablehlo.constant dense<[1.0, 4.0, 2.25]> : tensor<3xf32>
  %y = stablehlo.sqrt %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[1.0, 2.0, 1.5]> : tensor<3xf32>
  return
}
// -----
func.func @subtract() {
  %x = stablehlo.constant dense<[1, 2, -128]> : tensor<3xi8>
  %y = stablehlo.constant dense<[1, -2, 1]> : tensor<3xi8>
  %z = stablehlo.subtract %x, %y : tensor<3xi8>
  check.expect_eq_const %z, dense<[0, 4, 127]> : tensor<3xi8>
  return
}
// -----
func.func @tan() {
  %x = stablehlo.constant dense<[0.0, 1.0, -1.0]> : tensor<3xf32>
  %y = stablehlo.tan %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[0.0, 1.55740774, -1.55740774]> : tensor<3xf32>
  return
}
// -----
func.func @tanh() {
  %x = stablehlo.constant dense<[0.0, 1.0, 0x7F800000]> : tensor<3xf32>
  %y = stablehlo.tanh %x : tensor<3xf32>
  check.expect_almost_eq_const %y, dense<[0.0, 0.761594176, 1.0]> : tensor<3xf32>
  return
}
// -----
func.func @torch_index_select() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %i = stablehlo.constant dense<[1, 0, 1]> : tensor<3xi32>
  %y = "stablehlo.torch_index_select"(%x, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<2x2xi32>, tensor<3xi32>) -> tensor<3x2xi32>
  check.expect_eq_const %y, dense<[[3, 4], [1, 2], [3, 4]]> : tensor<3x2xi32>
  return
}
// -----
func.func @transpose() {
  %x = stablehlo.constant dense<[[1, 2, 3]]> : tensor<1x3xi32>
  %y = stablehlo.transpose %x, dims = [1, 0] : (tensor<1x3xi32>) -> tensor<3x1xi32>
  check.expect_eq_const %y, dense<[[1], [2], [3]]> : tensor<3x1xi32>
  return
}
// -----
func.func @triangular_solve() {
  %x = stablehlo.constant dense<[[2.0, 0.0], [1.0, 4.0]]> : tensor<2x2xf32>
  %y = stablehlo.constant dense<[[2.0], [9.0]]> : tensor<2x1xf32>
  %z = "stablehlo.triangular_solve"(%x, %y) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  check.expect_almost_eq_const %z, dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  return
}
// -----
func.func @tuple() {
  %x = stablehlo.constant dense<1> : tensor<i32>
  %t = stablehlo.tuple %x, %x : tuple<tensor<i32>, tensor<i32>>
  %u = stablehlo.tuple %t : tuple<tuple<tensor<i32>, tensor<i32>>>
  %v = stablehlo.get_tuple_element %u[0] : (tuple<tuple<tensor<i32>, tensor<i32>>>) -> tuple<tensor<i32>, tensor<i32>>
  %e = stablehlo.get_tuple_element %v[1] : (tuple<tensor<i32>, tensor<i32>>) -> tensor<i32>
  check.expect_eq_const %e, dense<1> : tensor<i32>
  return
}
// -----
func.func @unary_einsum() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %y = stablehlo.unary_einsum %x, config = "ab->a" : (tensor<2x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %y, dense<[3, 7]> : tensor<2xi32>
  %z = stablehlo.unary_einsum %x, config = "aa->a" : (tensor<2x2xi32>) -> tensor<2xi32>
  check.expect_eq_const %z, dense<[1, 4]> : tensor<2xi32>
  return
}
// -----
func.func @uniform_dequantize() {
  %x = stablehlo.constant() <{value = dense<[1, 3]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5:1>>
  %y = stablehlo.uniform_dequantize %x : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2xf32>
  check.expect_almost_eq_const %y, dense<[0.0, 1.0]> : tensor<2xf32>
  return
}
// -----
func.func @uniform_quantize() {
  %x = stablehlo.constant dense<[0.25, 100.0]> : tensor<2xf32>
  %y = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5:1>>
  %z = stablehlo.uniform_dequantize %y : (tensor<2x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<2xf32>
  check.expect_almost_eq_const %z, dense<[0.5, 63.0]> : tensor<2xf32>
  return
}
// -----
func.func @while() {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %x = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%a = %i, %b = %x) : tensor<i32>, tensor<i32>
   cond {
    %n = stablehlo.constant dense<5> : tensor<i32>
    %p = stablehlo.compare LT, %a, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %j = stablehlo.add %a, %one : tensor<i32>
    %d = stablehlo.add %b, %b : tensor<i32>
    stablehlo.return %j, %d : tensor<i32>, tensor<i32>
  }
  check.expect_eq_const %r#1, dense<32> : tensor<i32>
  return
}
// -----
func.func @xor() {
  %x = stablehlo.constant dense<[1, 2, 4]> : tensor<3xui8>
  %y = stablehlo.constant dense<[1, 1, 7]> : tensor<3xui8>
  %z = stablehlo.xor %x, %y : tensor<3xui8>
  check.expect_eq_const %z, dense<[0, 3, 3]> : tensor<3xui8>
  return
}
// -----
func.func @async_start() {
  %x = stablehlo.constant dense<1.0> : tensor<2xf32>
  %f = "stablehlo.async_start"(%x) ({
    ^bb0(%a: tensor<2xf32>):
      stablehlo.return %a : tensor<2xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  %y = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  check.expect_almost_eq_const %y, dense<1.0> : tensor<2xf32>
  return
}
// -----
func.func @async_done() {
  %x = stablehlo.constant dense<1.0> : tensor<2xf32>
  %f = "stablehlo.async_start"(%x) ({
    ^bb0(%a: tensor<2xf32>):
      stablehlo.return %a : tensor<2xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  %y = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  check.expect_almost_eq_const %y, dense<1.0> : tensor<2xf32>
  return
}
// -----
func.func @infeed() {
  %t = stablehlo.create_token : !stablehlo.token
  %x, %u = "stablehlo.infeed"(%t) <{infeed_config = "", layout = [[0]]}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  check.expect_almost_eq_const %x, dense<1.0> : tensor<2xf32>
  return
}
// -----
func.func @outfeed() {
  %x = stablehlo.constant dense<1.0> : tensor<2xf32>
  %t = stablehlo.create_token : !stablehlo.token
  %u = "stablehlo.outfeed"(%x, %t) <{outfeed_config = ""}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  check.expect_almost_eq_const %x, dense<1.0> : tensor<2xf32>
  return
}
// -----
func.func @recv() {
  %t = stablehlo.create_token : !stablehlo.token
  %x, %u = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  check.expect_almost_eq_const %x, dense<1.0> : tensor<2xf32>
  return
}
// -----
func.func @send() {
  %x = stablehlo.constant dense<1.0> : tensor<2xf32>
  %t = stablehlo.create_token : !stablehlo.token
  %u = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 2>, is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  check.expect_almost_eq_const %x, dense<1.0> : tensor<2xf32>
  return
}
