module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<f32> {jax.buffer_donor = true}, %n: tensor<i32>, %i: tensor<3xi32>, %p: tensor<i1>) -> (tensor<f32> {jax.result_info = "[0]"}, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %k = stablehlo.multiply %x, %x : tensor<f32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %x) : tensor<i32>, tensor<f32>
      cond {
        %1 = stablehlo.compare  LT, %iterArg, %n,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %c_1 = stablehlo.constant dense<1> : tensor<i32>
        %1 = func.call @step(%iterArg_0, %k) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        %2 = stablehlo.add %iterArg, %c_1 : tensor<i32>
        stablehlo.return %2, %1 : tensor<i32>, tensor<f32>
      } loc("loop")
    %a = call @pick(%x, %k, %i) {mhlo.frontend_attributes = {}} : (tensor<f32>, tensor<f32>, tensor<3xi32>) -> tensor<3xf32>
    %r:3 = call @split(%a) : (tensor<3xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
    %b = "stablehlo.if"(%p) ({
      %1 = stablehlo.add %k, %x : tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }, {
      %1 = "stablehlo.if"(%p) ({
        stablehlo.return %k : tensor<f32>
      }, {
        stablehlo.return %x : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    return %0#1, %0#0, %r#0, %r#1, %r#2, %b : tensor<f32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
  func.func private @step(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.add %a, %b : tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @split(%a: tensor<3xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
    %0 = stablehlo.slice %a [0:1] : (tensor<3xf32>) -> tensor<1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1xf32>) -> tensor<f32>
    %2 = stablehlo.slice %a [1:2] : (tensor<3xf32>) -> tensor<1xf32>
    %3 = stablehlo.reshape %2 : (tensor<1xf32>) -> tensor<f32>
    %4 = stablehlo.slice %a [2:3] : (tensor<3xf32>) -> tensor<1xf32>
    %5 = stablehlo.reshape %4 : (tensor<1xf32>) -> tensor<f32>
    return %1, %3, %5 : tensor<f32>, tensor<f32>, tensor<f32>
  }
  func.func private @choose(%i: tensor<i32>, %x: tensor<f32>, %k: tensor<f32>) -> tensor<1xf32> {
    %0 = "stablehlo.case"(%i) ({
      stablehlo.return %x : tensor<f32>
    }, {
      %1 = stablehlo.negate %k : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }, {
      %1 = stablehlo.add %k, %x : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }, {
      %1 = stablehlo.constant dense<7.5> : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    %2 = stablehlo.reshape %0 : (tensor<f32>) -> tensor<1xf32>
    return %2 : tensor<1xf32>
  }
  func.func private @at(%i: tensor<3xi32>, %k: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.dynamic_slice %i, %k, sizes = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<1xi32>
    %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
    return %1 : tensor<i32>
  }
  func.func private @pick(%x: tensor<f32>, %k: tensor<f32>, %i: tensor<3xi32>) -> tensor<3xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %0 = call @at(%i, %c) : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    %1 = call @at(%i, %c_0) : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    %2 = call @at(%i, %c_1) : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    %3 = call @choose(%0, %x, %k) : (tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1xf32>
    %4 = call @choose(%1, %x, %k) : (tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1xf32>
    %5 = call @choose(%2, %x, %k) : (tensor<i32>, tensor<f32>, tensor<f32>) -> tensor<1xf32>
    %6 = stablehlo.concatenate %3, %4, %5, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
    return %6 : tensor<3xf32>
  }
}
