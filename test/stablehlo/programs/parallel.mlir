// Programs of several processes that run side by side, and what they exchange.
module @rows_and_columns {
  func.func @each(%x: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<1xi32>) {
    %rows = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %0 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %0 : tensor<i32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
    %all = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %0 = stablehlo.maximum %a, %b : tensor<i32>
      stablehlo.return %0 : tensor<i32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2xi32>) -> tensor<2xi32>
    %ids = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %0 = stablehlo.multiply %a, %b : tensor<i32>
      stablehlo.return %0 : tensor<i32>
    }) {replica_groups = dense<[[0, 3], [2, -1]]> : tensor<2x2xi64>, use_global_device_ids,
        channel_handle = #stablehlo.channel_handle<handle = 2, type = 0>} : (tensor<2xi32>) -> tensor<2xi32>
    %gathered = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<4xi32>
    %parts = "stablehlo.reduce_scatter"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %0 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %0 : tensor<i32>
    }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<1xi32>
    return %rows, %all, %ids, %gathered, %parts : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<1xi32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    %c = stablehlo.constant dense<[5, 6]> : tensor<2xi32>
    %d = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
    %r:20 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@each, @each], [@each, @each]]}
      : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
      -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<1xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<1xi32>,
          tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<1xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<4xi32>, tensor<1xi32>)
    check.expect_eq_const %r#0, dense<[6, 8]> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<[7, 8]> : tensor<2xi32>
    check.expect_eq_const %r#2, dense<[7, 16]> : tensor<2xi32>
    check.expect_eq_const %r#3, dense<[5, 6, 1, 2]> : tensor<4xi32>
    check.expect_eq_const %r#4, dense<[6]> : tensor<1xi32>
    check.expect_eq_const %r#5, dense<[10, 12]> : tensor<2xi32>
    check.expect_eq_const %r#7, dense<[0, 0]> : tensor<2xi32>
    check.expect_eq_const %r#8, dense<[7, 8, 3, 4]> : tensor<4xi32>
    check.expect_eq_const %r#9, dense<[10]> : tensor<1xi32>
    check.expect_eq_const %r#12, dense<[5, 6]> : tensor<2xi32>
    check.expect_eq_const %r#14, dense<[8]> : tensor<1xi32>
    check.expect_eq_const %r#17, dense<[7, 16]> : tensor<2xi32>
    check.expect_eq_const %r#19, dense<[12]> : tensor<1xi32>
    return
  }
}
// -----
module @pieces {
  func.func @each(%x: tensor<2x2xi32>) -> (tensor<4x1xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<ui32>, tensor<ui32>) {
    %0 = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (tensor<2x2xi32>) -> tensor<4x1xi32>
    %1 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 2, type = 0>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %2 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>,
      channel_handle = #stablehlo.channel_handle<handle = 3, type = 0>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %3 = stablehlo.replica_id : tensor<ui32>
    %4 = stablehlo.partition_id : tensor<ui32>
    return %0, %1, %2, %3, %4 : tensor<4x1xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<ui32>, tensor<ui32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
    %b = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
    %r:10 = "interpreter.run_parallel"(%a, %b) <{programs = [[@each, @each]]}> : (tensor<2x2xi32>, tensor<2x2xi32>)
      -> (tensor<4x1xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<ui32>, tensor<ui32>, tensor<4x1xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<ui32>, tensor<ui32>)
    check.expect_eq_const %r#0, dense<[[1], [3], [5], [7]]> : tensor<4x1xi32>
    check.expect_eq_const %r#1, dense<0> : tensor<2x2xi32>
    check.expect_eq %r#2, %b : tensor<2x2xi32>
    check.expect_eq_const %r#5, dense<[[2], [4], [6], [8]]> : tensor<4x1xi32>
    check.expect_eq %r#6, %a : tensor<2x2xi32>
    check.expect_eq %r#7, %b : tensor<2x2xi32>
    check.expect_eq_const %r#8, dense<0> : tensor<ui32>
    check.expect_eq_const %r#9, dense<1> : tensor<ui32>
    return
  }
}
// -----
module @roots {
  func.func @each(%x: tensor<2xi32>, %root: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
    %y = stablehlo.add %x, %x : tensor<2xi32>
    %0:2 = "stablehlo.collective_broadcast"(%x, %y, %root) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}
      : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
    %1 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[1]]> : tensor<1x1xi64>} : (tensor<2xi32>) -> tensor<2xi32>
    %2 = "stablehlo.collective_reduce"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %3 = stablehlo.minimum %a, %b : tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
    return %0#0, %0#1, %1, %2 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %b = stablehlo.constant dense<[3, 1]> : tensor<2xi32>
    %root = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %r:8 = "interpreter.run_parallel"(%a, %root, %b, %root) {programs = [[@each], [@each]]} : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
      -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
    check.expect_eq %r#0, %b : tensor<2xi32>
    check.expect_eq_const %r#1, dense<[2, 4]> : tensor<2xi32>
    check.expect_eq_const %r#2, dense<0> : tensor<2xi32>
    check.expect_eq_const %r#3, dense<0> : tensor<2xi32>
    check.expect_eq %r#4, %b : tensor<2xi32>
    check.expect_eq_const %r#5, dense<[2, 4]> : tensor<2xi32>
    check.expect_eq %r#6, %b : tensor<2xi32>
    check.expect_eq_const %r#7, dense<1> : tensor<2xi32>
    return
  }
}
// -----
module @mesh {
  func.func @each(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>) {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %2 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "a", size = 2>, #stablehlo.mesh_axis<name = "b", size = 2>]>,
        axes = [#stablehlo.axis_ref<name = "a">]>} : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %2 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) {replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "a", size = 4>]>,
        axes = [#stablehlo.axis_ref<name = "a", sub_axis_info = (2)2>]>} : (tensor<i32>) -> tensor<i32>
    return %0, %1 : tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<1> : tensor<i32>
    %b = stablehlo.constant dense<2> : tensor<i32>
    %c = stablehlo.constant dense<4> : tensor<i32>
    %d = stablehlo.constant dense<8> : tensor<i32>
    %r:8 = "interpreter.run_parallel"(%a, %b, %c, %d) {programs = [[@each], [@each], [@each], [@each]]} : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
      -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq_const %r#0, dense<5> : tensor<i32>
    check.expect_eq_const %r#1, dense<3> : tensor<i32>
    check.expect_eq_const %r#2, dense<10> : tensor<i32>
    check.expect_eq_const %r#3, dense<3> : tensor<i32>
    check.expect_eq_const %r#4, dense<5> : tensor<i32>
    check.expect_eq_const %r#5, dense<12> : tensor<i32>
    return
  }
}
// -----
module @from_one_to_another {
  func.func @one(%x: tensor<2xi32>, %t: !stablehlo.token) -> !stablehlo.token {
    %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
    %y = stablehlo.negate %x : tensor<2xi32>
    %1 = "stablehlo.send"(%y, %0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true}> : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
    return %1 : !stablehlo.token
  }
  func.func @another(%t: !stablehlo.token) -> (tensor<2xi32>, tensor<2xi32>, !stablehlo.token) {
    %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    %1:2 = "stablehlo.recv"(%0#1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    %2:2 = "stablehlo.infeed"(%1#1) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    %3 = stablehlo.add %1#0, %2#0 : tensor<2xi32>
    %4 = "stablehlo.outfeed"(%3, %2#1) <{outfeed_config = ""}> : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
    return %0#0, %3, %4 : tensor<2xi32>, tensor<2xi32>, !stablehlo.token
  }
  func.func @fed() -> tensor<2xi32> {
    %0 = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %t = stablehlo.after_all : !stablehlo.token
    %r:4 = "interpreter.run_parallel"(%t, %x, %t) {infeed = [@fed], programs = [[@another], [@one]]} : (!stablehlo.token, tensor<2xi32>, !stablehlo.token)
      -> (tensor<2xi32>, tensor<2xi32>, !stablehlo.token, !stablehlo.token)
    check.expect_eq_const %r#0, dense<[-1, -2]> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<[11, 22]> : tensor<2xi32>
    return
  }
}
