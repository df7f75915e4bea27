// Programs in the forms that JAX, torch-xla and the authors of StableHLO print, with results by NumPy. Each checks itself.
// -----
module @while_factorial {
  func.func public @while_factorial() {
    %arg0 = call @inputs() : () -> tensor<i64>
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c) : tensor<i64>, tensor<i64>
     cond {
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      %1 = stablehlo.compare  GT, %iterArg, %c_1,  SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.multiply %iterArg_0, %iterArg : tensor<i64>
      %c_1 = stablehlo.constant dense<1> : tensor<i64>
      %2 = stablehlo.subtract %iterArg, %c_1 : tensor<i64>
      stablehlo.return %2, %1 : tensor<i64>, tensor<i64>
    }
    %want0 = call @expected() : () -> tensor<i64>
    check.expect_eq %0#1, %want0 : tensor<i64>
    return
  }
  func.func private @inputs() -> (tensor<i64>) {
    %0 = stablehlo.constant dense<6> : tensor<i64>
    return %0 : tensor<i64>
  }
  func.func private @expected() -> (tensor<i64>) {
    %0 = stablehlo.constant dense<720> : tensor<i64>
    return %0 : tensor<i64>
  }
}
// -----
module @while_nested_captures {
  func.func public @while_nested_captures() {
    %arg0, %x = call @inputs() : () -> (tensor<i32>, tensor<2xf32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%i = %c, %s = %x) : tensor<i32>, tensor<2xf32> attributes {mhlo.frontend_attributes = {a = "b"}} cond {
      %1 = stablehlo.compare LT, %i, %arg0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = stablehlo.while(%j = %c, %t = %s) : tensor<i32>, tensor<2xf32>
       cond {
        %2 = stablehlo.compare LT, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %2 : tensor<i1>
      } do {
        %2 = stablehlo.add %t, %x : tensor<2xf32>
        %3 = stablehlo.add %j, %one : tensor<i32>
        stablehlo.return %3, %2 : tensor<i32>, tensor<2xf32>
      }
      %4 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %4, %1#1 : tensor<i32>, tensor<2xf32>
    }
    %want0 = call @expected() : () -> tensor<2xf32>
    check.expect_close %0#1, %want0, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    return
  }
  func.func private @inputs() -> (tensor<i32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    return %0, %1 : tensor<i32>, tensor<2xf32>
  }
  func.func private @expected() -> (tensor<2xf32>) {
    %0 = stablehlo.constant dense<[7.0, 14.0]> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// -----
module @case__1 {
  func.func public @case__1() {
    %arg0, %x = call @inputs() : () -> (tensor<i32>, tensor<2xf32>)
    %0:2 = "stablehlo.case"(%arg0) ({
      %1 = stablehlo.negate %x : tensor<2xf32>
      stablehlo.return %1, %x : tensor<2xf32>, tensor<2xf32>
    }, {
      %1 = stablehlo.abs %x : tensor<2xf32>
      stablehlo.return %x, %1 : tensor<2xf32>, tensor<2xf32>
    }, {
      %1 = func.call @sq(%x) : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %1, %1 : tensor<2xf32>, tensor<2xf32>
    }) : (tensor<i32>) -> (tensor<2xf32>, tensor<2xf32>)
    %want0, %want1 = call @expected() : () -> (tensor<2xf32>, tensor<2xf32>)
    check.expect_close %0#0, %want0, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    check.expect_close %0#1, %want1, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    return
  }
  func.func private @sq(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @inputs() -> (tensor<i32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<-1> : tensor<i32>
    %1 = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
    return %0, %1 : tensor<i32>, tensor<2xf32>
  }
  func.func private @expected() -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
    %1 = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
    return %0, %1 : tensor<2xf32>, tensor<2xf32>
  }
}
// -----
module @case_0 {
  func.func public @case_0() {
    %arg0, %x = call @inputs() : () -> (tensor<i32>, tensor<2xf32>)
    %0:2 = "stablehlo.case"(%arg0) ({
      %1 = stablehlo.negate %x : tensor<2xf32>
      stablehlo.return %1, %x : tensor<2xf32>, tensor<2xf32>
    }, {
      %1 = stablehlo.abs %x : tensor<2xf32>
      stablehlo.return %x, %1 : tensor<2xf32>, tensor<2xf32>
    }, {
      %1 = func.call @sq(%x) : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %1, %1 : tensor<2xf32>, tensor<2xf32>
    }) : (tensor<i32>) -> (tensor<2xf32>, tensor<2xf32>)
    %want0, %want1 = call @expected() : () -> (tensor<2xf32>, tensor<2xf32>)
    check.expect_close %0#0, %want0, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    check.expect_close %0#1, %want1, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    return
  }
  func.func private @sq(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @inputs() -> (tensor<i32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
    return %0, %1 : tensor<i32>, tensor<2xf32>
  }
  func.func private @expected() -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<[-1.0, 2.0]> : tensor<2xf32>
    %1 = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
    return %0, %1 : tensor<2xf32>, tensor<2xf32>
  }
}
// -----
module @case_1 {
  func.func public @case_1() {
    %arg0, %x = call @inputs() : () -> (tensor<i32>, tensor<2xf32>)
    %0:2 = "stablehlo.case"(%arg0) ({
      %1 = stablehlo.negate %x : tensor<2xf32>
      stablehlo.return %1, %x : tensor<2xf32>, tensor<2xf32>
    }, {
      %1 = stablehlo.abs %x : tensor<2xf32>
      stablehlo.return %x, %1 : tensor<2xf32>, tensor<2xf32>
    }, {
      %1 = func.call @sq(%x) : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %1, %1 : tensor<2xf32>, tensor<2xf32>
    }) : (tensor<i32>) -> (tensor<2xf32>, tensor<2xf32>)
    %want0, %want1 = call @expected() : () -> (tensor<2xf32>, tensor<2xf32>)
    check.expect_close %0#0, %want0, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    check.expect_close %0#1, %want1, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    return
  }
  func.func private @sq(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @inputs() -> (tensor<i32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
    return %0, %1 : tensor<i32>, tensor<2xf32>
  }
  func.func private @expected() -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
    %1 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    return %0, %1 : tensor<2xf32>, tensor<2xf32>
  }
}
// -----
module @case_2 {
  func.func public @case_2() {
    %arg0, %x = call @inputs() : () -> (tensor<i32>, tensor<2xf32>)
    %0:2 = "stablehlo.case"(%arg0) ({
      %1 = stablehlo.negate %x : tensor<2xf32>
      stablehlo.return %1, %x : tensor<2xf32>, tensor<2xf32>
    }, {
      %1 = stablehlo.abs %x : tensor<2xf32>
      stablehlo.return %x, %1 : tensor<2xf32>, tensor<2xf32>
    }, {
      %1 = func.call @sq(%x) : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %1, %1 : tensor<2xf32>, tensor<2xf32>
    }) : (tensor<i32>) -> (tensor<2xf32>, tensor<2xf32>)
    %want0, %want1 = call @expected() : () -> (tensor<2xf32>, tensor<2xf32>)
    check.expect_close %0#0, %want0, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    check.expect_close %0#1, %want1, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    return
  }
  func.func private @sq(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @inputs() -> (tensor<i32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<2> : tensor<i32>
    %1 = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
    return %0, %1 : tensor<i32>, tensor<2xf32>
  }
  func.func private @expected() -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
    %1 = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
    return %0, %1 : tensor<2xf32>, tensor<2xf32>
  }
}
// -----
module @case_3 {
  func.func public @case_3() {
    %arg0, %x = call @inputs() : () -> (tensor<i32>, tensor<2xf32>)
    %0:2 = "stablehlo.case"(%arg0) ({
      %1 = stablehlo.negate %x : tensor<2xf32>
      stablehlo.return %1, %x : tensor<2xf32>, tensor<2xf32>
    }, {
      %1 = stablehlo.abs %x : tensor<2xf32>
      stablehlo.return %x, %1 : tensor<2xf32>, tensor<2xf32>
    }, {
      %1 = func.call @sq(%x) : (tensor<2xf32>) -> tensor<2xf32>
      stablehlo.return %1, %1 : tensor<2xf32>, tensor<2xf32>
    }) : (tensor<i32>) -> (tensor<2xf32>, tensor<2xf32>)
    %want0, %want1 = call @expected() : () -> (tensor<2xf32>, tensor<2xf32>)
    check.expect_close %0#0, %want0, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    check.expect_close %0#1, %want1, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    return
  }
  func.func private @sq(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @inputs() -> (tensor<i32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
    return %0, %1 : tensor<i32>, tensor<2xf32>
  }
  func.func private @expected() -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
    %1 = stablehlo.constant dense<[1.0, 4.0]> : tensor<2xf32>
    return %0, %1 : tensor<2xf32>, tensor<2xf32>
  }
}
// -----
module @if_nested {
  func.func public @if_nested() {
    %p, %q, %x = call @inputs() : () -> (tensor<i1>, tensor<i1>, tensor<f32>)
    %0 = "stablehlo.if"(%p) ({
      %1 = "stablehlo.if"(%q) ({
        stablehlo.return %x : tensor<f32>
      }, {
        %2 = stablehlo.add %x, %x : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }) : (tensor<i1>) -> tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }, {
      stablehlo.return %x : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    %want0 = call @expected() : () -> tensor<f32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<f32>, tensor<f32>
    return
  }
  func.func private @inputs() -> (tensor<i1>, tensor<i1>, tensor<f32>) {
    %0 = stablehlo.constant dense<true> : tensor<i1>
    %1 = stablehlo.constant dense<false> : tensor<i1>
    %2 = stablehlo.constant dense<3.0> : tensor<f32>
    return %0, %1, %2 : tensor<i1>, tensor<i1>, tensor<f32>
  }
  func.func private @expected() -> (tensor<f32>) {
    %0 = stablehlo.constant dense<6.0> : tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
module @if_zero_results {
  func.func public @if_zero_results() {
    %p, %x = call @inputs() : () -> (tensor<i1>, tensor<f32>)
    "stablehlo.if"(%p) ({
      stablehlo.return
    }, {
      stablehlo.return
    }) : (tensor<i1>) -> ()
    %want0 = call @expected() : () -> tensor<f32>
    check.expect_close %x, %want0, max_ulp_difference = 0 : tensor<f32>, tensor<f32>
    return
  }
  func.func private @inputs() -> (tensor<i1>, tensor<f32>) {
    %0 = stablehlo.constant dense<true> : tensor<i1>
    %1 = stablehlo.constant dense<3.0> : tensor<f32>
    return %0, %1 : tensor<i1>, tensor<f32>
  }
  func.func private @expected() -> (tensor<f32>) {
    %0 = stablehlo.constant dense<3.0> : tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
module @while_token {
  func.func public @while_token() {
    %x = call @inputs() : () -> tensor<i32>
    %0 = stablehlo.create_token : !stablehlo.token
    %1:2 = stablehlo.while(%a = %x, %t = %0) : tensor<i32>, !stablehlo.token
     cond {
      %c = stablehlo.constant dense<10> : tensor<i32>
      %2 = stablehlo.compare LT, %a, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.add %a, %a : tensor<i32>
      %3 = stablehlo.after_all %t : !stablehlo.token
      stablehlo.return %2, %3 : tensor<i32>, !stablehlo.token
    }
    %want0 = call @expected() : () -> tensor<i32>
    check.expect_eq %1#0, %want0 : tensor<i32>
    return
  }
  func.func private @inputs() -> (tensor<i32>) {
    %0 = stablehlo.constant dense<3> : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @expected() -> (tensor<i32>) {
    %0 = stablehlo.constant dense<12> : tensor<i32>
    return %0 : tensor<i32>
  }
}
// -----
module @while_generic {
  func.func public @while_generic() {
    %x = call @inputs() : () -> tensor<i32>
    %1 = "stablehlo.while"(%x) ({
    ^bb0(%a: tensor<i32>):
      %c = "stablehlo.constant"() {value = dense<10> : tensor<i32>} : () -> tensor<i32>
      %2 = "stablehlo.compare"(%a, %c) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      "stablehlo.return"(%2) : (tensor<i1>) -> ()
    }, {
    ^bb0(%a: tensor<i32>):
      %2 = "stablehlo.add"(%a, %a) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%2) : (tensor<i32>) -> ()
    }) : (tensor<i32>) -> tensor<i32>
    %want0 = call @expected() : () -> tensor<i32>
    check.expect_eq %1, %want0 : tensor<i32>
    return
  }
  func.func private @inputs() -> (tensor<i32>) {
    %0 = stablehlo.constant dense<3> : tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @expected() -> (tensor<i32>) {
    %0 = stablehlo.constant dense<12> : tensor<i32>
    return %0 : tensor<i32>
  }
}
// -----
module @scan_like {
  func.func public @scan_like() {
    %xs = call @inputs() : () -> tensor<3x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %2:4 = stablehlo.while(%iterArg = %xs, %iterArg_0 = %c, %iterArg_1 = %1, %iterArg_2 = %0) : tensor<3x2xf32>, tensor<i32>, tensor<2xf32>, tensor<3x2xf32>
     cond {
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.compare  LT, %iterArg_0, %c_3,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare  LT, %iterArg_0, %c_3,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %4 = stablehlo.convert %iterArg_0 : tensor<i32>
      %c_4 = stablehlo.constant dense<3> : tensor<i32>
      %5 = stablehlo.add %4, %c_4 : tensor<i32>
      %6 = stablehlo.select %3, %5, %iterArg_0 : tensor<i1>, tensor<i32>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %7 = stablehlo.dynamic_slice %iterArg, %6, %c_5, sizes = [1, 2] : (tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
      %8 = stablehlo.reshape %7 : (tensor<1x2xf32>) -> tensor<2xf32>
      %9:2 = func.call @closed_call(%iterArg_1, %8) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
      %10 = stablehlo.broadcast_in_dim %9#1, dims = [1] : (tensor<2xf32>) -> tensor<1x2xf32>
      %11 = stablehlo.dynamic_update_slice %iterArg_2, %10, %6, %c_5 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %12 = stablehlo.add %iterArg_0, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %12, %9#0, %11 : tensor<3x2xf32>, tensor<i32>, tensor<2xf32>, tensor<3x2xf32>
    }
    %want0, %want1 = call @expected() : () -> (tensor<2xf32>, tensor<3x2xf32>)
    check.expect_close %2#2, %want0, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    check.expect_close %2#3, %want1, max_ulp_difference = 0 : tensor<3x2xf32>, tensor<3x2xf32>
    return
  }
  func.func private @closed_call(%arg0: tensor<2xf32>, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2xf32>
    return %0, %0 : tensor<2xf32>, tensor<2xf32>
  }
  func.func private @inputs() -> (tensor<3x2xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
  func.func private @expected() -> (tensor<2xf32>, tensor<3x2xf32>) {
    %0 = stablehlo.constant dense<[9.0, 12.0]> : tensor<2xf32>
    %1 = stablehlo.constant dense<[[1.0, 2.0], [4.0, 6.0], [9.0, 12.0]]> : tensor<3x2xf32>
    return %0, %1 : tensor<2xf32>, tensor<3x2xf32>
  }
}
// -----
#loc = loc(unknown)
#loc1 = loc("file.py":10:5)
#map = affine_map<(d0, d1) -> (d1, d0)>
!ty = tensor<2xf32>
module @quoted_names {
  func.func public @quoted_names() {
    %x = call @inputs() : () -> tensor<2xf32>
    %0 = call @"my \"fn\""(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %a.b-c$d = stablehlo.add %0, %x : tensor<2xf32> loc("jit(f)/add"(#loc1))
    %want0 = call @expected() : () -> tensor<2xf32>
    check.expect_close %a.b-c$d, %want0, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    return
  }
  func.func private @"my \"fn\""(%arg0: tensor<2xf32>) -> tensor<2xf32> attributes {x.y = [1, 2.5, "s", unit, @foo::@bar, affine_map<(d0) -> (d0)>, {q, r = 3 : i8}]} {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32> loc(callsite("a"("f.py":1:2) at fused<"x">["g.py":3:4 to :9, unknown]))
    return %0 : tensor<2xf32> loc(#loc)
  } loc(unknown)
  func.func private @inputs() -> (tensor<2xf32>) {
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @expected() -> (tensor<2xf32>) {
    %0 = stablehlo.constant dense<[3.0, 6.0]> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
// -----
!ty = tensor<2xf32>
#cc = dense<3.0> : tensor<2xf32>
module @types_alias {
  func.func public @types_alias() {
    %x = call @inputs() : () -> tensor<2xf32>
    %0 = stablehlo.add %x, %x : !ty
    %cst = stablehlo.constant #cc
    %want0, %want1 = call @expected() : () -> (tensor<2xf32>, tensor<2xf32>)
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    check.expect_close %cst, %want1, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    return
  }
  func.func private @inputs() -> (tensor<2xf32>) {
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @expected() -> (tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf32>
    %1 = stablehlo.constant dense<[3.0, 3.0]> : tensor<2xf32>
    return %0, %1 : tensor<2xf32>, tensor<2xf32>
  }
}
// -----
module @hexes {
  func.func public @hexes() {
    %x = call @inputs() : () -> tensor<2xf32>
    %0 = stablehlo.constant dense<"0x0000803F00000040"> : tensor<2xf32>
    %1 = stablehlo.constant dense<[0xFF800000, 0x7FC00000]> : tensor<2xf32>
    %2 = stablehlo.constant dense<"0x803F0040"> : tensor<2xbf16>
    %3 = stablehlo.constant dense<"0x0502"> : tensor<12xi1>
    %4 = stablehlo.constant dense<"0x0100010100000001"> : tensor<8xi1>
    %5 = stablehlo.constant dense<"0x0000803F000000400000404000008040"> : tensor<2xcomplex<f32>>
    %6 = stablehlo.constant dense<"0x0000803F"> : tensor<3xf32>
    %7 = stablehlo.constant dense<0x7F> : tensor<2xi8>
    %8 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    %9 = stablehlo.constant dense<"0x0F03"> : tensor<2xi4>
    %10 = stablehlo.constant dense<(1.0, -2.5)> : tensor<2xcomplex<f64>>
    %11 = stablehlo.constant dense<[(0xFF800000, 1.0), (2.0, 0x7F800000)]> : tensor<2xcomplex<f32>>
    %12 = stablehlo.constant dense<-0.000000e+00> : tensor<f16>
    %13 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
    %14 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
    %15 = stablehlo.constant dense<[0x7C, 0x3C, 0xBC]> : tensor<3xf8E5M2>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9, %want10, %want11, %want12, %want13, %want14, %want15 = call @expected() : () -> (tensor<2xf32>, tensor<2xf32>, tensor<2xbf16>, tensor<12xi1>, tensor<8xi1>, tensor<2xcomplex<f32>>, tensor<3xf32>, tensor<2xi8>, tensor<2xi1>, tensor<2xi4>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f32>>, tensor<f16>, tensor<ui64>, tensor<i64>, tensor<3xf8E5M2>)
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    check.expect_close %1, %want1, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    check.expect_close %2, %want2, max_ulp_difference = 0 : tensor<2xbf16>, tensor<2xbf16>
    check.expect_eq %3, %want3 : tensor<12xi1>
    check.expect_eq %4, %want4 : tensor<8xi1>
    check.expect_close %5, %want5, max_ulp_difference = 0 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
    check.expect_close %6, %want6, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
    check.expect_eq %7, %want7 : tensor<2xi8>
    check.expect_eq %8, %want8 : tensor<2xi1>
    check.expect_eq %9, %want9 : tensor<2xi4>
    check.expect_close %10, %want10, max_ulp_difference = 0 : tensor<2xcomplex<f64>>, tensor<2xcomplex<f64>>
    check.expect_close %11, %want11, max_ulp_difference = 0 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
    check.expect_close %12, %want12, max_ulp_difference = 0 : tensor<f16>, tensor<f16>
    check.expect_eq %13, %want13 : tensor<ui64>
    check.expect_eq %14, %want14 : tensor<i64>
    check.expect_close %15, %want15, max_ulp_difference = 0 : tensor<3xf8E5M2>, tensor<3xf8E5M2>
    return
  }
  func.func private @inputs() -> (tensor<2xf32>) {
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @expected() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xbf16>, tensor<12xi1>, tensor<8xi1>, tensor<2xcomplex<f32>>, tensor<3xf32>, tensor<2xi8>, tensor<2xi1>, tensor<2xi4>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f32>>, tensor<f16>, tensor<ui64>, tensor<i64>, tensor<3xf8E5M2>) {
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %1 = stablehlo.constant dense<[0xFF800000, 0x7FC00000]> : tensor<2xf32>
    %2 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xbf16>
    %3 = stablehlo.constant dense<[true, false, true, false, false, false, false, false, false, true, false, false]> : tensor<12xi1>
    %4 = stablehlo.constant dense<[true, false, true, true, false, false, false, true]> : tensor<8xi1>
    %5 = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
    %6 = stablehlo.constant dense<[1.0, 1.0, 1.0]> : tensor<3xf32>
    %7 = stablehlo.constant dense<[127, 127]> : tensor<2xi8>
    %8 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    %9 = stablehlo.constant dense<[-1, 3]> : tensor<2xi4>
    %10 = stablehlo.constant dense<[(1.0, -2.5), (1.0, -2.5)]> : tensor<2xcomplex<f64>>
    %11 = stablehlo.constant dense<[(0xFF800000, 1.0), (2.0, 0x7F800000)]> : tensor<2xcomplex<f32>>
    %12 = stablehlo.constant dense<-0.0> : tensor<f16>
    %13 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
    %14 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
    %15 = stablehlo.constant dense<[0x7C, 1.0, -1.0]> : tensor<3xf8E5M2>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 : tensor<2xf32>, tensor<2xf32>, tensor<2xbf16>, tensor<12xi1>, tensor<8xi1>, tensor<2xcomplex<f32>>, tensor<3xf32>, tensor<2xi8>, tensor<2xi1>, tensor<2xi4>, tensor<2xcomplex<f64>>, tensor<2xcomplex<f32>>, tensor<f16>, tensor<ui64>, tensor<i64>, tensor<3xf8E5M2>
  }
}
// -----
module @resource {
  func.func public @resource() {
    %x = call @inputs() : () -> tensor<2xf32>
    %0 = stablehlo.constant dense_resource<w> : tensor<2xf32>
    %1 = stablehlo.add %0, %x : tensor<2xf32>
    %want0 = call @expected() : () -> tensor<2xf32>
    check.expect_close %1, %want0, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    return
  }
  func.func private @inputs() -> (tensor<2xf32>) {
    %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @expected() -> (tensor<2xf32>) {
    %0 = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F00000040"
    }
  }
#-}
// -----
module @no_dims_and_empty {
  func.func public @no_dims_and_empty() {
    %x = call @inputs() : () -> tensor<0x3xf32>
    %cst = stablehlo.constant dense<> : tensor<0x3xf32>
    %0 = stablehlo.add %x, %cst : tensor<0x3xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
    %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%0 init: %m) applies stablehlo.maximum across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.transpose %0, dims = [1, 0] : (tensor<0x3xf32>) -> tensor<3x0xf32>
    %4 = stablehlo.dot_general %3, %0, contracting_dims = [1] x [0] : (tensor<3x0xf32>, tensor<0x3xf32>) -> tensor<3x3xf32>
    %5 = stablehlo.concatenate %0, %0, dim = 0 : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
    %6 = stablehlo.pad %0, %z, low = [1, 0], high = [1, 0], interior = [3, 0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6 = call @expected() : () -> (tensor<0x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x0xf32>, tensor<3x3xf32>, tensor<0x3xf32>, tensor<2x3xf32>)
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<0x3xf32>, tensor<0x3xf32>
    check.expect_close %1, %want1, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
    check.expect_close %2, %want2, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
    check.expect_close %3, %want3, max_ulp_difference = 0 : tensor<3x0xf32>, tensor<3x0xf32>
    check.expect_close %4, %want4, max_ulp_difference = 0 : tensor<3x3xf32>, tensor<3x3xf32>
    check.expect_close %5, %want5, max_ulp_difference = 0 : tensor<0x3xf32>, tensor<0x3xf32>
    check.expect_close %6, %want6, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    return
  }
  func.func private @inputs() -> (tensor<0x3xf32>) {
    %0 = stablehlo.constant dense<> : tensor<0x3xf32>
    return %0 : tensor<0x3xf32>
  }
  func.func private @expected() -> (tensor<0x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x0xf32>, tensor<3x3xf32>, tensor<0x3xf32>, tensor<2x3xf32>) {
    %0 = stablehlo.constant dense<> : tensor<0x3xf32>
    %1 = stablehlo.constant dense<[0.0, 0.0, 0.0]> : tensor<3xf32>
    %2 = stablehlo.constant dense<[0xFF800000, 0xFF800000, 0xFF800000]> : tensor<3xf32>
    %3 = stablehlo.constant dense<> : tensor<3x0xf32>
    %4 = stablehlo.constant dense<[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
    %5 = stablehlo.constant dense<> : tensor<0x3xf32>
    %6 = stablehlo.constant dense<[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]> : tensor<2x3xf32>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<0x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3x0xf32>, tensor<3x3xf32>, tensor<0x3xf32>, tensor<2x3xf32>
  }
}
// -----
module @moves {
  func.func public @moves() {
    %x = call @inputs() : () -> tensor<2x3x4xi64>
    %0 = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xi64>) -> tensor<4x2x3xi64>
    %1 = stablehlo.reverse %x, dims = [0, 2] : tensor<2x3x4xi64>
    %2 = stablehlo.slice %x [0:2, 1:3:2, 0:4:3] : (tensor<2x3x4xi64>) -> tensor<2x1x2xi64>
    %3 = stablehlo.broadcast_in_dim %x, dims = [3, 1, 0] : (tensor<2x3x4xi64>) -> tensor<4x3x5x2xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.pad %x, %c, low = [0, -1, 1], high = [1, 0, -2], interior = [0, 1, 2] : (tensor<2x3x4xi64>, tensor<i64>) -> tensor<3x4x9xi64>
    %5 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<2x3x4xi64>, tensor<2x3x4xi64>) -> tensor<2x6x4xi64>
    %6 = stablehlo.iota dim = 1 : tensor<2x3xcomplex<f32>>
    %7 = stablehlo.iota dim = 0 : tensor<3xbf16>
    %8 = stablehlo.reshape %x : (tensor<2x3x4xi64>) -> tensor<24xi64>
    %9 = stablehlo.broadcast %x, sizes = [2] : (tensor<2x3x4xi64>) -> tensor<2x2x3x4xi64>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9 = call @expected() : () -> (tensor<4x2x3xi64>, tensor<2x3x4xi64>, tensor<2x1x2xi64>, tensor<4x3x5x2xi64>, tensor<3x4x9xi64>, tensor<2x6x4xi64>, tensor<2x3xcomplex<f32>>, tensor<3xbf16>, tensor<24xi64>, tensor<2x2x3x4xi64>)
    check.expect_eq %0, %want0 : tensor<4x2x3xi64>
    check.expect_eq %1, %want1 : tensor<2x3x4xi64>
    check.expect_eq %2, %want2 : tensor<2x1x2xi64>
    check.expect_eq %3, %want3 : tensor<4x3x5x2xi64>
    check.expect_eq %4, %want4 : tensor<3x4x9xi64>
    check.expect_eq %5, %want5 : tensor<2x6x4xi64>
    check.expect_close %6, %want6, max_ulp_difference = 0 : tensor<2x3xcomplex<f32>>, tensor<2x3xcomplex<f32>>
    check.expect_close %7, %want7, max_ulp_difference = 0 : tensor<3xbf16>, tensor<3xbf16>
    check.expect_eq %8, %want8 : tensor<24xi64>
    check.expect_eq %9, %want9 : tensor<2x2x3x4xi64>
    return
  }
  func.func private @inputs() -> (tensor<2x3x4xi64>) {
    %0 = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi64>
    return %0 : tensor<2x3x4xi64>
  }
  func.func private @expected() -> (tensor<4x2x3xi64>, tensor<2x3x4xi64>, tensor<2x1x2xi64>, tensor<4x3x5x2xi64>, tensor<3x4x9xi64>, tensor<2x6x4xi64>, tensor<2x3xcomplex<f32>>, tensor<3xbf16>, tensor<24xi64>, tensor<2x2x3x4xi64>) {
    %0 = stablehlo.constant dense<[[[0, 4, 8], [12, 16, 20]], [[1, 5, 9], [13, 17, 21]], [[2, 6, 10], [14, 18, 22]], [[3, 7, 11], [15, 19, 23]]]> : tensor<4x2x3xi64>
    %1 = stablehlo.constant dense<[[[15, 14, 13, 12], [19, 18, 17, 16], [23, 22, 21, 20]], [[3, 2, 1, 0], [7, 6, 5, 4], [11, 10, 9, 8]]]> : tensor<2x3x4xi64>
    %2 = stablehlo.constant dense<[[[4, 7]], [[16, 19]]]> : tensor<2x1x2xi64>
    %3 = stablehlo.constant dense<[[[[0, 12], [0, 12], [0, 12], [0, 12], [0, 12]], [[4, 16], [4, 16], [4, 16], [4, 16], [4, 16]], [[8, 20], [8, 20], [8, 20], [8, 20], [8, 20]]], [[[1, 13], [1, 13], [1, 13], [1, 13], [1, 13]], [[5, 17], [5, 17], [5, 17], [5, 17], [5, 17]], [[9, 21], [9, 21], [9, 21], [9, 21], [9, 21]]], [[[2, 14], [2, 14], [2, 14], [2, 14], [2, 14]], [[6, 18], [6, 18], [6, 18], [6, 18], [6, 18]], [[10, 22], [10, 22], [10, 22], [10, 22], [10, 22]]], [[[3, 15], [3, 15], [3, 15], [3, 15], [3, 15]], [[7, 19], [7, 19], [7, 19], [7, 19], [7, 19]], [[11, 23], [11, 23], [11, 23], [11, 23], [11, 23]]]]> : tensor<4x3x5x2xi64>
    %4 = stablehlo.constant dense<[[[-1, -1, -1, -1, -1, -1, -1, -1, -1], [-1, 4, -1, -1, 5, -1, -1, 6, -1], [-1, -1, -1, -1, -1, -1, -1, -1, -1], [-1, 8, -1, -1, 9, -1, -1, 10, -1]], [[-1, -1, -1, -1, -1, -1, -1, -1, -1], [-1, 16, -1, -1, 17, -1, -1, 18, -1], [-1, -1, -1, -1, -1, -1, -1, -1, -1], [-1, 20, -1, -1, 21, -1, -1, 22, -1]], [[-1, -1, -1, -1, -1, -1, -1, -1, -1], [-1, -1, -1, -1, -1, -1, -1, -1, -1], [-1, -1, -1, -1, -1, -1, -1, -1, -1], [-1, -1, -1, -1, -1, -1, -1, -1, -1]]]> : tensor<3x4x9xi64>
    %5 = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23], [12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x6x4xi64>
    %6 = stablehlo.constant dense<[[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)], [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]]> : tensor<2x3xcomplex<f32>>
    %7 = stablehlo.constant dense<[0.0, 1.0, 2.0]> : tensor<3xbf16>
    %8 = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23]> : tensor<24xi64>
    %9 = stablehlo.constant dense<[[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]], [[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]]> : tensor<2x2x3x4xi64>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<4x2x3xi64>, tensor<2x3x4xi64>, tensor<2x1x2xi64>, tensor<4x3x5x2xi64>, tensor<3x4x9xi64>, tensor<2x6x4xi64>, tensor<2x3xcomplex<f32>>, tensor<3xbf16>, tensor<24xi64>, tensor<2x2x3x4xi64>
  }
}
// -----
module @dyn_slices {
  func.func public @dyn_slices() {
    %x, %a, %b, %c, %u = call @inputs() : () -> (tensor<2x3x4xi64>, tensor<i32>, tensor<ui8>, tensor<i64>, tensor<1x1x2xi64>)
    %0 = stablehlo.dynamic_slice %x, %a, %c, %c, sizes = [1, 2, 2] : (tensor<2x3x4xi64>, tensor<i32>, tensor<i64>, tensor<i64>) -> tensor<1x2x2xi64>
    %1 = stablehlo.dynamic_slice %x, %b, %b, %b, sizes = [1, 2, 2] : (tensor<2x3x4xi64>, tensor<ui8>, tensor<ui8>, tensor<ui8>) -> tensor<1x2x2xi64>
    %2 = stablehlo.dynamic_update_slice %x, %u, %b, %b, %b : (tensor<2x3x4xi64>, tensor<1x1x2xi64>, tensor<ui8>, tensor<ui8>, tensor<ui8>) -> tensor<2x3x4xi64>
    %3 = "stablehlo.dynamic_slice"(%x, %c, %c, %c) <{slice_sizes = dense<[1, 1, 4]> : tensor<3xi64>}> : (tensor<2x3x4xi64>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x1x4xi64>
    %want0, %want1, %want2, %want3 = call @expected() : () -> (tensor<1x2x2xi64>, tensor<1x2x2xi64>, tensor<2x3x4xi64>, tensor<1x1x4xi64>)
    check.expect_eq %0, %want0 : tensor<1x2x2xi64>
    check.expect_eq %1, %want1 : tensor<1x2x2xi64>
    check.expect_eq %2, %want2 : tensor<2x3x4xi64>
    check.expect_eq %3, %want3 : tensor<1x1x4xi64>
    return
  }
  func.func private @inputs() -> (tensor<2x3x4xi64>, tensor<i32>, tensor<ui8>, tensor<i64>, tensor<1x1x2xi64>) {
    %0 = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]]> : tensor<2x3x4xi64>
    %1 = stablehlo.constant dense<-3> : tensor<i32>
    %2 = stablehlo.constant dense<200> : tensor<ui8>
    %3 = stablehlo.constant dense<1> : tensor<i64>
    %4 = stablehlo.constant dense<[[[100, 101]]]> : tensor<1x1x2xi64>
    return %0, %1, %2, %3, %4 : tensor<2x3x4xi64>, tensor<i32>, tensor<ui8>, tensor<i64>, tensor<1x1x2xi64>
  }
  func.func private @expected() -> (tensor<1x2x2xi64>, tensor<1x2x2xi64>, tensor<2x3x4xi64>, tensor<1x1x4xi64>) {
    %0 = stablehlo.constant dense<[[[5, 6], [9, 10]]]> : tensor<1x2x2xi64>
    %1 = stablehlo.constant dense<[[[18, 19], [22, 23]]]> : tensor<1x2x2xi64>
    %2 = stablehlo.constant dense<[[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]], [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 100, 101]]]> : tensor<2x3x4xi64>
    %3 = stablehlo.constant dense<[[[16, 17, 18, 19]]]> : tensor<1x1x4xi64>
    return %0, %1, %2, %3 : tensor<1x2x2xi64>, tensor<1x2x2xi64>, tensor<2x3x4xi64>, tensor<1x1x4xi64>
  }
}
// -----
module @select_scalar {
  func.func public @select_scalar() {
    %p, %a, %b = call @inputs() : () -> (tensor<i1>, tensor<2xf32>, tensor<2xf32>)
    %0 = stablehlo.select %p, %a, %b : tensor<i1>, tensor<2xf32>
    %1 = "stablehlo.select"(%p, %a, %b) : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %2 = stablehlo.select %p, %a, %b : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %want0, %want1, %want2 = call @expected() : () -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    check.expect_close %1, %want1, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    check.expect_close %2, %want2, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    return
  }
  func.func private @inputs() -> (tensor<i1>, tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<false> : tensor<i1>
    %1 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %2 = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
    return %0, %1, %2 : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }
  func.func private @expected() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
    %1 = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
    %2 = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
    return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
// -----
module @clamps {
  func.func public @clamps() {
    %lo, %x, %hi, %hi5 = call @inputs() : () -> (tensor<f32>, tensor<5xf32>, tensor<f32>, tensor<5xf32>)
    %0 = stablehlo.clamp %lo, %x, %hi : (tensor<f32>, tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
    %1 = stablehlo.clamp %x, %x, %hi5 : tensor<5xf32>
    %2 = stablehlo.clamp %lo, %x, %hi5 : (tensor<f32>, tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %want0, %want1, %want2 = call @expected() : () -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
    check.expect_close %1, %want1, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
    check.expect_close %2, %want2, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
    return
  }
  func.func private @inputs() -> (tensor<f32>, tensor<5xf32>, tensor<f32>, tensor<5xf32>) {
    %0 = stablehlo.constant dense<-1.0> : tensor<f32>
    %1 = stablehlo.constant dense<[-5.0, 0.0, 0x7FC00000, 7.0, -0.0]> : tensor<5xf32>
    %2 = stablehlo.constant dense<1.0> : tensor<f32>
    %3 = stablehlo.constant dense<[0.0, -2.0, 1.0, 0x7FC00000, 0.0]> : tensor<5xf32>
    return %0, %1, %2, %3 : tensor<f32>, tensor<5xf32>, tensor<f32>, tensor<5xf32>
  }
  func.func private @expected() -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
    %0 = stablehlo.constant dense<[-1.0, 0.0, 0x7FC00000, 1.0, -0.0]> : tensor<5xf32>
    %1 = stablehlo.constant dense<[-5.0, -2.0, 0x7FC00000, 0x7FC00000, -0.0]> : tensor<5xf32>
    %2 = stablehlo.constant dense<[-1.0, -2.0, 0x7FC00000, 0x7FC00000, -0.0]> : tensor<5xf32>
    return %0, %1, %2 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
  }
}
// -----
module @sort_jax_key {
  func.func public @sort_jax_key() {
    %x = call @inputs() : () -> tensor<8xf32>
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare  EQ, %arg1, %cst,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare  NE, %arg1, %arg1,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare  EQ, %arg2, %cst_2,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare  NE, %arg2, %arg2,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare  LT, %4, %8,  TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    %want0 = call @expected() : () -> tensor<8xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<8xf32>, tensor<8xf32>
    return
  }
  func.func private @inputs() -> (tensor<8xf32>) {
    %0 = stablehlo.constant dense<[3.0, 0x7FC00000, -1.0, 0.0, -0.0, 7.0, 0xFF800000, 3.0]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @expected() -> (tensor<8xf32>) {
    %0 = stablehlo.constant dense<[0xFF800000, -1.0, 0.0, -0.0, 3.0, 3.0, 7.0, 0x7FC00000]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// -----
module @sort_total_lt {
  func.func public @sort_total_lt() {
    %x = call @inputs() : () -> tensor<8xf32>
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.compare  LT, %arg1, %arg2,  TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    %want0 = call @expected() : () -> tensor<8xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<8xf32>, tensor<8xf32>
    return
  }
  func.func private @inputs() -> (tensor<8xf32>) {
    %0 = stablehlo.constant dense<[3.0, 0x7FC00000, -1.0, 0.0, -0.0, 7.0, 0xFF800000, 3.0]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @expected() -> (tensor<8xf32>) {
    %0 = stablehlo.constant dense<[0xFF800000, -1.0, -0.0, 0.0, 3.0, 3.0, 7.0, 0x7FC00000]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// -----
module @sort_total_gt {
  func.func public @sort_total_gt() {
    %x = call @inputs() : () -> tensor<8xf32>
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.compare  GT, %arg1, %arg2,  TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    %want0 = call @expected() : () -> tensor<8xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<8xf32>, tensor<8xf32>
    return
  }
  func.func private @inputs() -> (tensor<8xf32>) {
    %0 = stablehlo.constant dense<[3.0, 0x7FC00000, -1.0, 0.0, -0.0, 7.0, 0xFF800000, 3.0]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @expected() -> (tensor<8xf32>) {
    %0 = stablehlo.constant dense<[0x7FC00000, 7.0, 3.0, 3.0, 0.0, -0.0, -1.0, 0xFF800000]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// -----
module @sort_le {
  func.func public @sort_le() {
    %x = call @inputs() : () -> tensor<3xf32>
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.compare  LE, %arg1, %arg2,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    %want0 = call @expected() : () -> tensor<3xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
    return
  }
  func.func private @inputs() -> (tensor<3xf32>) {
    %0 = stablehlo.constant dense<[3.0, 1.0, 2.0]> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @expected() -> (tensor<3xf32>) {
    %0 = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module @sort_ge {
  func.func public @sort_ge() {
    %x = call @inputs() : () -> tensor<3xf32>
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.compare  GE, %arg1, %arg2,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    %want0 = call @expected() : () -> tensor<3xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
    return
  }
  func.func private @inputs() -> (tensor<3xf32>) {
    %0 = stablehlo.constant dense<[3.0, 1.0, 2.0]> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @expected() -> (tensor<3xf32>) {
    %0 = stablehlo.constant dense<[3.0, 2.0, 1.0]> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module @sort_swapped {
  func.func public @sort_swapped() {
    %x = call @inputs() : () -> tensor<3xf32>
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.compare  LT, %arg2, %arg1,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    %want0 = call @expected() : () -> tensor<3xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
    return
  }
  func.func private @inputs() -> (tensor<3xf32>) {
    %0 = stablehlo.constant dense<[3.0, 1.0, 2.0]> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @expected() -> (tensor<3xf32>) {
    %0 = stablehlo.constant dense<[3.0, 2.0, 1.0]> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// -----
module @sort_abs {
  func.func public @sort_abs() {
    %x = call @inputs() : () -> tensor<5xf32>
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.abs %arg1 : tensor<f32>
      %2 = stablehlo.abs %arg2 : tensor<f32>
      %3 = stablehlo.compare LT, %1, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    }) : (tensor<5xf32>) -> tensor<5xf32>
    %want0 = call @expected() : () -> tensor<5xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
    return
  }
  func.func private @inputs() -> (tensor<5xf32>) {
    %0 = stablehlo.constant dense<[-3.0, -1.0, 2.0, 1.0, 0.5]> : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
  func.func private @expected() -> (tensor<5xf32>) {
    %0 = stablehlo.constant dense<[0.5, -1.0, 1.0, 2.0, -3.0]> : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
}
// -----
module @sort_mod {
  func.func public @sort_mod() {
    %x = call @inputs() : () -> tensor<9xi32>
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %c = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.remainder %arg1, %c : tensor<i32>
      %2 = stablehlo.remainder %arg2, %c : tensor<i32>
      %3 = stablehlo.compare GT, %1, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    }) : (tensor<9xi32>) -> tensor<9xi32>
    %want0 = call @expected() : () -> tensor<9xi32>
    check.expect_eq %0, %want0 : tensor<9xi32>
    return
  }
  func.func private @inputs() -> (tensor<9xi32>) {
    %0 = stablehlo.constant dense<[8, 3, 1, 2, 6, 7, 0, 5, 4]> : tensor<9xi32>
    return %0 : tensor<9xi32>
  }
  func.func private @expected() -> (tensor<9xi32>) {
    %0 = stablehlo.constant dense<[8, 2, 5, 1, 7, 4, 3, 6, 0]> : tensor<9xi32>
    return %0 : tensor<9xi32>
  }
}
// -----
module @sort_two_keys {
  func.func public @sort_two_keys() {
    %a, %b, %c = call @inputs() : () -> (tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xi32>)
    %0:3 = "stablehlo.sort"(%a, %b, %c) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<f32>, %arg4: tensor<f32>, %arg5: tensor<i32>, %arg6: tensor<i32>):
      %1 = stablehlo.compare  LT, %arg1, %arg2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %2 = stablehlo.compare  EQ, %arg1, %arg2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.compare  LT, %arg3, %arg4,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.and %2, %3 : tensor<i1>
      %5 = stablehlo.or %1, %4 : tensor<i1>
      stablehlo.return %5 : tensor<i1>
    }) : (tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xi32>)
    %want0, %want1, %want2 = call @expected() : () -> (tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xi32>)
    check.expect_eq %0#0, %want0 : tensor<2x3xi32>
    check.expect_close %0#1, %want1, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    check.expect_eq %0#2, %want2 : tensor<2x3xi32>
    return
  }
  func.func private @inputs() -> (tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xi32>) {
    %0 = stablehlo.constant dense<[[2, 1, 2], [1, 1, 0]]> : tensor<2x3xi32>
    %1 = stablehlo.constant dense<[[1.0, 5.0, 0.0], [3.0, 2.0, 9.0]]> : tensor<2x3xf32>
    %2 = stablehlo.constant dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi32>
    return %0, %1, %2 : tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xi32>
  }
  func.func private @expected() -> (tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xi32>) {
    %0 = stablehlo.constant dense<[[1, 2, 2], [0, 1, 1]]> : tensor<2x3xi32>
    %1 = stablehlo.constant dense<[[5.0, 0.0, 1.0], [9.0, 2.0, 3.0]]> : tensor<2x3xf32>
    %2 = stablehlo.constant dense<[[1, 2, 0], [5, 4, 3]]> : tensor<2x3xi32>
    return %0, %1, %2 : tensor<2x3xi32>, tensor<2x3xf32>, tensor<2x3xi32>
  }
}
// -----
module @sort_multi_first_key {
  func.func public @sort_multi_first_key() {
    %a, %b = call @inputs() : () -> (tensor<2x2xi32>, tensor<2x2xi1>)
    %0:2 = "stablehlo.sort"(%a, %b) ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i1>, %arg4: tensor<i1>):
      %1 = stablehlo.compare  LT, %arg1, %arg2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<2x2xi32>, tensor<2x2xi1>) -> (tensor<2x2xi32>, tensor<2x2xi1>)
    %want0, %want1 = call @expected() : () -> (tensor<2x2xi32>, tensor<2x2xi1>)
    check.expect_eq %0#0, %want0 : tensor<2x2xi32>
    check.expect_eq %0#1, %want1 : tensor<2x2xi1>
    return
  }
  func.func private @inputs() -> (tensor<2x2xi32>, tensor<2x2xi1>) {
    %0 = stablehlo.constant dense<[[2, 1], [1, 3]]> : tensor<2x2xi32>
    %1 = stablehlo.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
    return %0, %1 : tensor<2x2xi32>, tensor<2x2xi1>
  }
  func.func private @expected() -> (tensor<2x2xi32>, tensor<2x2xi1>) {
    %0 = stablehlo.constant dense<[[1, 1], [2, 3]]> : tensor<2x2xi32>
    %1 = stablehlo.constant dense<[[false, false], [true, true]]> : tensor<2x2xi1>
    return %0, %1 : tensor<2x2xi32>, tensor<2x2xi1>
  }
}
// -----
module @argmax_jax {
  func.func public @argmax_jax() {
    %x = call @inputs() : () -> tensor<2x3xf32>
    %0 = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%x init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare  GT, %arg1, %arg3,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare  NE, %arg1, %arg1,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare  EQ, %arg1, %arg3,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare  LT, %arg2, %arg4,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    %want0, %want1 = call @expected() : () -> (tensor<2xf32>, tensor<2xi32>)
    check.expect_close %1#0, %want0, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    check.expect_eq %1#1, %want1 : tensor<2xi32>
    return
  }
  func.func private @inputs() -> (tensor<2x3xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 5.0, 5.0], [0x7FC00000, 2.0, 0x7FC00000]]> : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func private @expected() -> (tensor<2xf32>, tensor<2xi32>) {
    %0 = stablehlo.constant dense<[5.0, 0x7FC00000]> : tensor<2xf32>
    %1 = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    return %0, %1 : tensor<2xf32>, tensor<2xi32>
  }
}
// -----
module @reduce_odd_body {
  func.func public @reduce_odd_body() {
    %x = call @inputs() : () -> tensor<2x3xi32>
    %c = stablehlo.constant dense<7> : tensor<i32>
    %0 = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<2x3xi32>, tensor<i32>) -> tensor<3xi32>
     reducer(%a: tensor<i32>, %b: tensor<i32>)  {
      %1 = stablehlo.multiply %a, %c : tensor<i32>
      %2 = stablehlo.add %1, %b : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }
    %want0 = call @expected() : () -> tensor<3xi32>
    check.expect_eq %0, %want0 : tensor<3xi32>
    return
  }
  func.func private @inputs() -> (tensor<2x3xi32>) {
    %0 = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func private @expected() -> (tensor<3xi32>) {
    %0 = stablehlo.constant dense<[354, 362, 370]> : tensor<3xi32>
    return %0 : tensor<3xi32>
  }
}
// -----
module @reduce_generic_two {
  func.func public @reduce_generic_two() {
    %x, %y = call @inputs() : () -> (tensor<2x2xf32>, tensor<2x2xi32>)
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = "stablehlo.reduce"(%x, %y, %z, %c) ({
    ^bb0(%a: tensor<f32>, %b: tensor<i32>, %d: tensor<f32>, %e: tensor<i32>):
      %1 = stablehlo.add %a, %d : tensor<f32>
      %2 = stablehlo.multiply %e, %b : tensor<i32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
    }) {dimensions = dense<1> : tensor<1xi64>} : (tensor<2x2xf32>, tensor<2x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
    %want0, %want1 = call @expected() : () -> (tensor<2xf32>, tensor<2xi32>)
    check.expect_close %0#0, %want0, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    check.expect_eq %0#1, %want1 : tensor<2xi32>
    return
  }
  func.func private @inputs() -> (tensor<2x2xf32>, tensor<2x2xi32>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    %1 = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
    return %0, %1 : tensor<2x2xf32>, tensor<2x2xi32>
  }
  func.func private @expected() -> (tensor<2xf32>, tensor<2xi32>) {
    %0 = stablehlo.constant dense<[3.0, 7.0]> : tensor<2xf32>
    %1 = stablehlo.constant dense<[2, 12]> : tensor<2xi32>
    return %0, %1 : tensor<2xf32>, tensor<2xi32>
  }
}
// -----
module @reduce_widening {
  func.func public @reduce_widening() {
    %x, %h = call @inputs() : () -> (tensor<2x2xi8>, tensor<2xbf16>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%x init: %c) across dimensions = [1] : (tensor<2x2xi8>, tensor<i32>) -> tensor<2xi32>
     reducer(%a: tensor<i32>, %b: tensor<i32>)  {
      %1 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = "stablehlo.reduce"(%h, %z) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2xbf16>, tensor<f32>) -> tensor<f32>
    %want0, %want1 = call @expected() : () -> (tensor<2xi32>, tensor<f32>)
    check.expect_eq %0, %want0 : tensor<2xi32>
    check.expect_close %2, %want1, max_ulp_difference = 0 : tensor<f32>, tensor<f32>
    return
  }
  func.func private @inputs() -> (tensor<2x2xi8>, tensor<2xbf16>) {
    %0 = stablehlo.constant dense<[[100, 100], [50, 27]]> : tensor<2x2xi8>
    %1 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xbf16>
    return %0, %1 : tensor<2x2xi8>, tensor<2xbf16>
  }
  func.func private @expected() -> (tensor<2xi32>, tensor<f32>) {
    %0 = stablehlo.constant dense<[200, 77]> : tensor<2xi32>
    %1 = stablehlo.constant dense<3.0> : tensor<f32>
    return %0, %1 : tensor<2xi32>, tensor<f32>
  }
}
// -----
module @pool_jax {
  func.func public @pool_jax() {
    %x = call @inputs() : () -> tensor<1x4x4x1xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %cst) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [1, 0], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<1x4x4x1xf32>, tensor<f32>) -> tensor<1x2x2x1xf32>
    %want0 = call @expected() : () -> tensor<1x2x2x1xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>
    return
  }
  func.func private @inputs() -> (tensor<1x4x4x1xf32>) {
    %0 = stablehlo.constant dense<[[[[0.0], [1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0], [7.0]], [[8.0], [9.0], [10.0], [11.0]], [[12.0], [13.0], [14.0], [15.0]]]]> : tensor<1x4x4x1xf32>
    return %0 : tensor<1x4x4x1xf32>
  }
  func.func private @expected() -> (tensor<1x2x2x1xf32>) {
    %0 = stablehlo.constant dense<[[[[4.0], [6.0]], [[12.0], [14.0]]]]> : tensor<1x2x2x1xf32>
    return %0 : tensor<1x2x2x1xf32>
  }
}
// -----
module @cummax_rev {
  func.func public @cummax_rev() {
    %x = call @inputs() : () -> tensor<5xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %cst) <{padding = dense<[[0, 4]]> : tensor<1x2xi64>, window_dimensions = array<i64: 5>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
    %want0 = call @expected() : () -> tensor<5xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
    return
  }
  func.func private @inputs() -> (tensor<5xf32>) {
    %0 = stablehlo.constant dense<[1.0, 3.0, 0x7FC00000, 2.0, 0.0]> : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
  func.func private @expected() -> (tensor<5xf32>) {
    %0 = stablehlo.constant dense<[0x7FC00000, 0x7FC00000, 0x7FC00000, 2.0, 0.0]> : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
}
// -----
module @composite_decomp {
  func.func public @composite_decomp() {
    %x = call @inputs() : () -> tensor<2x3xf32>
    %0 = stablehlo.composite "my.op" %x {composite_attributes = {n = 1 : i32, flag = false, name = "s"}, decomposition = @my.op.impl, version = 3 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = "stablehlo.composite"(%0) <{composite_attributes = {}, decomposition = @my.op.impl, name = "other.op", version = 0 : i32}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.composite "chlo.erf" %1 {decomposition = @nope, version = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %want0 = call @expected() : () -> tensor<2x3xf32>
    check.expect_close %1, %want0, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    return
  }
  func.func private @my.op.impl(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func private @nope(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    return %arg0 : tensor<2x3xf32>
  }
  func.func private @inputs() -> (tensor<2x3xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func private @expected() -> (tensor<2x3xf32>) {
    %0 = stablehlo.constant dense<[[4.0, 8.0, 12.0], [16.0, 20.0, 24.0]]> : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}
// -----
module @tuples {
  func.func public @tuples() {
    %x, %y = call @inputs() : () -> (tensor<2x3xf32>, tensor<1xi32>)
    %0 = stablehlo.tuple %x, %y : tuple<tensor<2x3xf32>, tensor<1xi32>>
    %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2x3xf32>, tensor<1xi32>>) -> tensor<1xi32>
    %2 = "stablehlo.get_tuple_element"(%0) <{index = 0 : i32}> : (tuple<tensor<2x3xf32>, tensor<1xi32>>) -> tensor<2x3xf32>
    %3 = "stablehlo.tuple"(%0, %1) : (tuple<tensor<2x3xf32>, tensor<1xi32>>, tensor<1xi32>) -> tuple<tuple<tensor<2x3xf32>, tensor<1xi32>>, tensor<1xi32>>
    %4 = stablehlo.get_tuple_element %3[0] : (tuple<tuple<tensor<2x3xf32>, tensor<1xi32>>, tensor<1xi32>>) -> tuple<tensor<2x3xf32>, tensor<1xi32>>
    %5 = stablehlo.get_tuple_element %4[0] : (tuple<tensor<2x3xf32>, tensor<1xi32>>) -> tensor<2x3xf32>
    %want0, %want1, %want2 = call @expected() : () -> (tensor<1xi32>, tensor<2x3xf32>, tensor<2x3xf32>)
    check.expect_eq %1, %want0 : tensor<1xi32>
    check.expect_close %2, %want1, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    check.expect_close %5, %want2, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x3xf32>, tensor<1xi32>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %1 = stablehlo.constant dense<[1]> : tensor<1xi32>
    return %0, %1 : tensor<2x3xf32>, tensor<1xi32>
  }
  func.func private @expected() -> (tensor<1xi32>, tensor<2x3xf32>, tensor<2x3xf32>) {
    %0 = stablehlo.constant dense<[1]> : tensor<1xi32>
    %1 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %2 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    return %0, %1, %2 : tensor<1xi32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
}
// -----
module @barrier {
  func.func public @barrier() {
    %x, %y = call @inputs() : () -> (tensor<2x3xf32>, tensor<1xi32>)
    %0:2 = stablehlo.optimization_barrier %x, %y : tensor<2x3xf32>, tensor<1xi32>
    %1:2 = "stablehlo.optimization_barrier"(%0#0, %0#1) : (tensor<2x3xf32>, tensor<1xi32>) -> (tensor<2x3xf32>, tensor<1xi32>)
    %want0, %want1 = call @expected() : () -> (tensor<2x3xf32>, tensor<1xi32>)
    check.expect_close %1#0, %want0, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    check.expect_eq %1#1, %want1 : tensor<1xi32>
    return
  }
  func.func private @inputs() -> (tensor<2x3xf32>, tensor<1xi32>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %1 = stablehlo.constant dense<[1]> : tensor<1xi32>
    return %0, %1 : tensor<2x3xf32>, tensor<1xi32>
  }
  func.func private @expected() -> (tensor<2x3xf32>, tensor<1xi32>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %1 = stablehlo.constant dense<[1]> : tensor<1xi32>
    return %0, %1 : tensor<2x3xf32>, tensor<1xi32>
  }
}
// -----
module @sharding {
  sdy.mesh @mesh = <["x"=1]>
  func.func public @sharding() {
    %x = call @inputs() : () -> tensor<2x3xf32>
    %0 = stablehlo.custom_call @Sharding(%x) {backend_config = "", mhlo.sharding = "{devices=[1,1]<=[1]}"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.custom_call @annotate_device_placement(%1) {has_side_effect = true, mhlo.frontend_attributes = {_xla_buffer_placement = "pinned_host"}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %3 = sdy.sharding_constraint %2 <@mesh, [{}, {"x"}]> : tensor<2x3xf32>
    %4 = stablehlo.custom_call @LayoutConstraint(%3) {api_version = 4 : i32, operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %5 = sdy.manual_computation(%4) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<2x3xf32>) {
      %6 = stablehlo.add %arg1, %arg1 : tensor<2x3xf32>
      sdy.return %6 : tensor<2x3xf32>
    } : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %want0 = call @expected() : () -> tensor<2x3xf32>
    check.expect_close %5, %want0, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x3xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func private @expected() -> (tensor<2x3xf32>) {
    %0 = stablehlo.constant dense<[[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]]> : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}
// -----
module @shape_assert {
  func.func public @shape_assert() {
    %x = call @inputs() : () -> tensor<2x3xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    stablehlo.custom_call @shape_assertion(%c, %c_0) {api_version = 2 : i32, error_message = "Input {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
    %want0 = call @expected() : () -> tensor<i32>
    check.expect_eq %0, %want0 : tensor<i32>
    return
  }
  func.func private @inputs() -> (tensor<2x3xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func private @expected() -> (tensor<i32>) {
    %0 = stablehlo.constant dense<3> : tensor<i32>
    return %0 : tensor<i32>
  }
}
// -----
module @dot_m {
  func.func public @dot_m() {
    %x, %y = call @inputs() : () -> (tensor<2x3xf32>, tensor<3x4xf32>)
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %1 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %2 = stablehlo.einsum %x, %y, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %3 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %want0, %want1, %want2, %want3 = call @expected() : () -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x4xf32>, tensor<2x4xf32>
    check.expect_close %1, %want1, max_ulp_difference = 0 : tensor<2x4xf32>, tensor<2x4xf32>
    check.expect_close %2, %want2, max_ulp_difference = 0 : tensor<2x4xf32>, tensor<2x4xf32>
    check.expect_close %3, %want3, max_ulp_difference = 0 : tensor<2x4xf32>, tensor<2x4xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x3xf32>, tensor<3x4xf32>) {
    %0 = stablehlo.constant dense<[[-3.0, 3.0, 1.0], [-1.0, -4.0, 2.0]]> : tensor<2x3xf32>
    %1 = stablehlo.constant dense<[[-1.0, 3.0, -1.0, 1.0], [-3.0, 0.0, -4.0, 2.0], [-4.0, 2.0, 2.0, 0.0]]> : tensor<3x4xf32>
    return %0, %1 : tensor<2x3xf32>, tensor<3x4xf32>
  }
  func.func private @expected() -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
    %0 = stablehlo.constant dense<[[-10.0, -7.0, -7.0, 3.0], [5.0, 1.0, 21.0, -9.0]]> : tensor<2x4xf32>
    %1 = stablehlo.constant dense<[[-10.0, -7.0, -7.0, 3.0], [5.0, 1.0, 21.0, -9.0]]> : tensor<2x4xf32>
    %2 = stablehlo.constant dense<[[-10.0, -7.0, -7.0, 3.0], [5.0, 1.0, 21.0, -9.0]]> : tensor<2x4xf32>
    %3 = stablehlo.constant dense<[[-10.0, -7.0, -7.0, 3.0], [5.0, 1.0, 21.0, -9.0]]> : tensor<2x4xf32>
    return %0, %1, %2, %3 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
  }
}
// -----
module @dot_bm {
  func.func public @dot_bm() {
    %x, %y = call @inputs() : () -> (tensor<2x3x4xf32>, tensor<2x4x5xf32>)
    %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %2 = stablehlo.einsum %x, %y, config = "abc,acd->abd" : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %3 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %want0, %want1, %want2, %want3 = call @expected() : () -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>)
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x3x5xf32>, tensor<2x3x5xf32>
    check.expect_close %1, %want1, max_ulp_difference = 0 : tensor<2x3x5xf32>, tensor<2x3x5xf32>
    check.expect_close %2, %want2, max_ulp_difference = 0 : tensor<2x3x5xf32>, tensor<2x3x5xf32>
    check.expect_close %3, %want3, max_ulp_difference = 0 : tensor<2x3x5xf32>, tensor<2x3x5xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x3x4xf32>, tensor<2x4x5xf32>) {
    %0 = stablehlo.constant dense<[[[3.0, 1.0, 3.0, 2.0], [4.0, -4.0, -4.0, 1.0], [2.0, 2.0, 3.0, -1.0]], [[3.0, 0.0, -3.0, -2.0], [3.0, 1.0, 3.0, 4.0], [3.0, -2.0, 1.0, 0.0]]]> : tensor<2x3x4xf32>
    %1 = stablehlo.constant dense<[[[-2.0, 4.0, 4.0, 0.0, -3.0], [-1.0, -1.0, 2.0, 4.0, -4.0], [-4.0, -3.0, -4.0, 3.0, -2.0], [-3.0, -4.0, -4.0, 3.0, 4.0]], [[-3.0, 2.0, 3.0, 4.0, 4.0], [2.0, 4.0, 4.0, -2.0, -1.0], [1.0, 2.0, 0.0, -3.0, -4.0], [3.0, 0.0, 2.0, -2.0, -3.0]]]> : tensor<2x4x5xf32>
    return %0, %1 : tensor<2x3x4xf32>, tensor<2x4x5xf32>
  }
  func.func private @expected() -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>) {
    %0 = stablehlo.constant dense<[[[-25.0, -6.0, -6.0, 19.0, -11.0], [9.0, 28.0, 20.0, -25.0, 16.0], [-15.0, 1.0, 4.0, 14.0, -24.0]], [[-18.0, 0.0, 5.0, 25.0, 30.0], [8.0, 16.0, 21.0, -7.0, -13.0], [-12.0, 0.0, 1.0, 13.0, 10.0]]]> : tensor<2x3x5xf32>
    %1 = stablehlo.constant dense<[[[-25.0, -6.0, -6.0, 19.0, -11.0], [9.0, 28.0, 20.0, -25.0, 16.0], [-15.0, 1.0, 4.0, 14.0, -24.0]], [[-18.0, 0.0, 5.0, 25.0, 30.0], [8.0, 16.0, 21.0, -7.0, -13.0], [-12.0, 0.0, 1.0, 13.0, 10.0]]]> : tensor<2x3x5xf32>
    %2 = stablehlo.constant dense<[[[-25.0, -6.0, -6.0, 19.0, -11.0], [9.0, 28.0, 20.0, -25.0, 16.0], [-15.0, 1.0, 4.0, 14.0, -24.0]], [[-18.0, 0.0, 5.0, 25.0, 30.0], [8.0, 16.0, 21.0, -7.0, -13.0], [-12.0, 0.0, 1.0, 13.0, 10.0]]]> : tensor<2x3x5xf32>
    %3 = stablehlo.constant dense<[[[-25.0, -6.0, -6.0, 19.0, -11.0], [9.0, 28.0, 20.0, -25.0, 16.0], [-15.0, 1.0, 4.0, 14.0, -24.0]], [[-18.0, 0.0, 5.0, 25.0, 30.0], [8.0, 16.0, 21.0, -7.0, -13.0], [-12.0, 0.0, 1.0, 13.0, 10.0]]]> : tensor<2x3x5xf32>
    return %0, %1, %2, %3 : tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>
  }
}
// -----
module @dot_multi {
  func.func public @dot_multi() {
    %x, %y = call @inputs() : () -> (tensor<2x3x4x5xf32>, tensor<5x3x2xf32>)
    %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [2], contracting_dims = [1, 3] x [1, 0], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4x5xf32>, tensor<5x3x2xf32>) -> tensor<2x4xf32>
    %1 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [1, 3], rhs_contracting_dimensions = [1, 0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2x3x4x5xf32>, tensor<5x3x2xf32>) -> tensor<2x4xf32>
    %2 = stablehlo.einsum %x, %y, config = "abcd,dba->ac" : (tensor<2x3x4x5xf32>, tensor<5x3x2xf32>) -> tensor<2x4xf32>
    %3 = stablehlo.dot_general %x, %y, batching_dims = [0] x [2], contracting_dims = [1, 3] x [1, 0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3x4x5xf32>, tensor<5x3x2xf32>) -> tensor<2x4xf32>
    %want0, %want1, %want2, %want3 = call @expected() : () -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x4xf32>, tensor<2x4xf32>
    check.expect_close %1, %want1, max_ulp_difference = 0 : tensor<2x4xf32>, tensor<2x4xf32>
    check.expect_close %2, %want2, max_ulp_difference = 0 : tensor<2x4xf32>, tensor<2x4xf32>
    check.expect_close %3, %want3, max_ulp_difference = 0 : tensor<2x4xf32>, tensor<2x4xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x3x4x5xf32>, tensor<5x3x2xf32>) {
    %0 = stablehlo.constant dense<[[[[3.0, -3.0, 3.0, -3.0, -3.0], [3.0, -4.0, 1.0, 2.0, -2.0], [-3.0, 1.0, 2.0, 2.0, 3.0], [2.0, -1.0, 4.0, 1.0, 3.0]], [[-4.0, -1.0, 2.0, -4.0, 2.0], [-2.0, -1.0, -4.0, 3.0, 3.0], [4.0, 3.0, -4.0, -3.0, -1.0], [4.0, 4.0, -2.0, 3.0, 0.0]], [[2.0, 1.0, 4.0, 4.0, 0.0], [4.0, -4.0, -3.0, -4.0, 4.0], [3.0, -3.0, 0.0, 3.0, 1.0], [2.0, -3.0, -3.0, -1.0, -4.0]]], [[[3.0, 4.0, -1.0, -4.0, 4.0], [-3.0, 4.0, 4.0, -4.0, 2.0], [4.0, 1.0, 4.0, 0.0, -1.0], [1.0, -3.0, 0.0, -1.0, -4.0]], [[0.0, -2.0, 2.0, -2.0, -2.0], [0.0, -3.0, -1.0, -2.0, 2.0], [-2.0, 3.0, 4.0, 2.0, 4.0], [0.0, -3.0, -1.0, -3.0, -4.0]], [[-2.0, -1.0, -3.0, 3.0, -1.0], [-1.0, -2.0, -2.0, -3.0, -3.0], [-3.0, 1.0, -4.0, 0.0, -3.0], [-4.0, 0.0, -2.0, -1.0, -4.0]]]]> : tensor<2x3x4x5xf32>
    %1 = stablehlo.constant dense<[[[0.0, -3.0], [3.0, -2.0], [-1.0, -4.0]], [[-1.0, 4.0], [-2.0, 1.0], [-4.0, -3.0]], [[-2.0, 0.0], [-2.0, -1.0], [2.0, -3.0]], [[3.0, -1.0], [-1.0, 1.0], [-4.0, -4.0]], [[4.0, 4.0], [-4.0, 0.0], [2.0, -4.0]]]> : tensor<5x3x2xf32>
    return %0, %1 : tensor<2x3x4x5xf32>, tensor<5x3x2xf32>
  }
  func.func private @expected() -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
    %0 = stablehlo.constant dense<[[-56.0, 19.0, 33.0, 13.0], [33.0, 73.0, 26.0, 7.0]]> : tensor<2x4xf32>
    %1 = stablehlo.constant dense<[[-56.0, 19.0, 33.0, 13.0], [33.0, 73.0, 26.0, 7.0]]> : tensor<2x4xf32>
    %2 = stablehlo.constant dense<[[-56.0, 19.0, 33.0, 13.0], [33.0, 73.0, 26.0, 7.0]]> : tensor<2x4xf32>
    %3 = stablehlo.constant dense<[[-56.0, 19.0, 33.0, 13.0], [33.0, 73.0, 26.0, 7.0]]> : tensor<2x4xf32>
    return %0, %1, %2, %3 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
  }
}
// -----
module @dot_outer {
  func.func public @dot_outer() {
    %x, %y = call @inputs() : () -> (tensor<2xf32>, tensor<3xf32>)
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [] x [], precision = [HIGHEST, DEFAULT] : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %1 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [], rhs_contracting_dimensions = []>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %2 = stablehlo.einsum %x, %y, config = "a,b->ab" : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %3 = stablehlo.dot_general %x, %y, contracting_dims = [] x [], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %want0, %want1, %want2, %want3 = call @expected() : () -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    check.expect_close %1, %want1, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    check.expect_close %2, %want2, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    check.expect_close %3, %want3, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    return
  }
  func.func private @inputs() -> (tensor<2xf32>, tensor<3xf32>) {
    %0 = stablehlo.constant dense<[0.0, 2.0]> : tensor<2xf32>
    %1 = stablehlo.constant dense<[-1.0, 4.0, 1.0]> : tensor<3xf32>
    return %0, %1 : tensor<2xf32>, tensor<3xf32>
  }
  func.func private @expected() -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
    %0 = stablehlo.constant dense<[[0.0, 0.0, 0.0], [-2.0, 8.0, 2.0]]> : tensor<2x3xf32>
    %1 = stablehlo.constant dense<[[0.0, 0.0, 0.0], [-2.0, 8.0, 2.0]]> : tensor<2x3xf32>
    %2 = stablehlo.constant dense<[[0.0, 0.0, 0.0], [-2.0, 8.0, 2.0]]> : tensor<2x3xf32>
    %3 = stablehlo.constant dense<[[0.0, 0.0, 0.0], [-2.0, 8.0, 2.0]]> : tensor<2x3xf32>
    return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
}
// -----
module @dot_vec {
  func.func public @dot_vec() {
    %x, %y = call @inputs() : () -> (tensor<4xf32>, tensor<4xf32>)
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], precision = [HIGHEST, DEFAULT] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    %1 = "stablehlo.dot_general"(%x, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    %2 = stablehlo.einsum %x, %y, config = "a,a->" : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    %3 = stablehlo.dot_general %x, %y, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    %want0, %want1, %want2, %want3 = call @expected() : () -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<f32>, tensor<f32>
    check.expect_close %1, %want1, max_ulp_difference = 0 : tensor<f32>, tensor<f32>
    check.expect_close %2, %want2, max_ulp_difference = 0 : tensor<f32>, tensor<f32>
    check.expect_close %3, %want3, max_ulp_difference = 0 : tensor<f32>, tensor<f32>
    return
  }
  func.func private @inputs() -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.constant dense<[-4.0, -3.0, 2.0, -2.0]> : tensor<4xf32>
    %1 = stablehlo.constant dense<[3.0, 0.0, 0.0, 1.0]> : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @expected() -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
    %0 = stablehlo.constant dense<-14.0> : tensor<f32>
    %1 = stablehlo.constant dense<-14.0> : tensor<f32>
    %2 = stablehlo.constant dense<-14.0> : tensor<f32>
    %3 = stablehlo.constant dense<-14.0> : tensor<f32>
    return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
}
// -----
module @dot_types {
  func.func public @dot_types() {
    %x, %y, %b, %u, %v = call @inputs() : () -> (tensor<2x2xi8>, tensor<2x1xi8>, tensor<1x2xbf16>, tensor<2xui8>, tensor<1x2xf8E4M3FN>)
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2xi8>, tensor<2x1xi8>) -> tensor<2x1xi32>
    %1 = stablehlo.dot_general %b, %b, contracting_dims = [1] x [1] : (tensor<1x2xbf16>, tensor<1x2xbf16>) -> tensor<1x1xf32>
    %2 = stablehlo.dot %u, %u : (tensor<2xui8>, tensor<2xui8>) -> tensor<ui32>
    %3 = stablehlo.dot_general %v, %v, contracting_dims = [1] x [1] : (tensor<1x2xf8E4M3FN>, tensor<1x2xf8E4M3FN>) -> tensor<1x1xf32>
    %4 = stablehlo.dot %x, %y, precision = [DEFAULT, DEFAULT] : (tensor<2x2xi8>, tensor<2x1xi8>) -> tensor<2x1xi8>
    %want0, %want1, %want2, %want3, %want4 = call @expected() : () -> (tensor<2x1xi32>, tensor<1x1xf32>, tensor<ui32>, tensor<1x1xf32>, tensor<2x1xi8>)
    check.expect_eq %0, %want0 : tensor<2x1xi32>
    check.expect_close %1, %want1, max_ulp_difference = 0 : tensor<1x1xf32>, tensor<1x1xf32>
    check.expect_eq %2, %want2 : tensor<ui32>
    check.expect_close %3, %want3, max_ulp_difference = 0 : tensor<1x1xf32>, tensor<1x1xf32>
    check.expect_eq %4, %want4 : tensor<2x1xi8>
    return
  }
  func.func private @inputs() -> (tensor<2x2xi8>, tensor<2x1xi8>, tensor<1x2xbf16>, tensor<2xui8>, tensor<1x2xf8E4M3FN>) {
    %0 = stablehlo.constant dense<[[100, -128], [7, 3]]> : tensor<2x2xi8>
    %1 = stablehlo.constant dense<[[127], [-128]]> : tensor<2x1xi8>
    %2 = stablehlo.constant dense<[[1.5, 2.0]]> : tensor<1x2xbf16>
    %3 = stablehlo.constant dense<[200, 255]> : tensor<2xui8>
    %4 = stablehlo.constant dense<[[1.5, 2.0]]> : tensor<1x2xf8E4M3FN>
    return %0, %1, %2, %3, %4 : tensor<2x2xi8>, tensor<2x1xi8>, tensor<1x2xbf16>, tensor<2xui8>, tensor<1x2xf8E4M3FN>
  }
  func.func private @expected() -> (tensor<2x1xi32>, tensor<1x1xf32>, tensor<ui32>, tensor<1x1xf32>, tensor<2x1xi8>) {
    %0 = stablehlo.constant dense<[[29084], [505]]> : tensor<2x1xi32>
    %1 = stablehlo.constant dense<[[6.25]]> : tensor<1x1xf32>
    %2 = stablehlo.constant dense<105025> : tensor<ui32>
    %3 = stablehlo.constant dense<[[6.25]]> : tensor<1x1xf32>
    %4 = stablehlo.constant dense<[[-100], [-7]]> : tensor<2x1xi8>
    return %0, %1, %2, %3, %4 : tensor<2x1xi32>, tensor<1x1xf32>, tensor<ui32>, tensor<1x1xf32>, tensor<2x1xi8>
  }
}
// -----
module @bnorm {
  func.func public @bnorm() {
    %x, %s, %o, %m, %v = call @inputs() : () -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
    %0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{epsilon = 0.000000e+00 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x2xf32>
    %1:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 1.000000e-03 : f32, feature_index = 2 : i64}> : (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
    %want0, %want1, %want2, %want3 = call @expected() : () -> (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>)
    check.expect_almost_eq %0, %want0, tolerance = 1.1e-04 : tensor<2x2x2xf32>
    check.expect_almost_eq %1#0, %want1, tolerance = 3.9e-05 : tensor<2x2x2xf32>
    check.expect_almost_eq %1#1, %want2, tolerance = 5.3e-05 : tensor<2xf32>
    check.expect_almost_eq %1#2, %want3, tolerance = 6.8e-05 : tensor<2xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 9.0]]]> : tensor<2x2x2xf32>
    %1 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %2 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf32>
    %3 = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
    %4 = stablehlo.constant dense<[4.0, 1.0]> : tensor<2xf32>
    return %0, %1, %2, %3, %4 : tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
  func.func private @expected() -> (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<[[[-1.0, -3.0], [0.0, 1.0]], [[1.0, 5.0], [2.0, 11.0]]]> : tensor<2x2x2xf32>
    %1 = stablehlo.constant dense<[[[-1.3415066, -1.513327], [-0.4471689, 0.033335783]], [[0.4471689, 1.5799985], [1.3415066, 3.8999927]]]> : tensor<2x2x2xf32>
    %2 = stablehlo.constant dense<[4.0, 5.25]> : tensor<2xf32>
    %3 = stablehlo.constant dense<[5.0, 6.6875]> : tensor<2xf32>
    return %0, %1, %2, %3 : tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<2xf32>, tensor<2xf32>
  }
}
// -----
module @map_op {
  func.func public @map_op() {
    %x, %y = call @inputs() : () -> (tensor<2x3xf32>, tensor<2x3xf32>)
    %0 = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.constant dense<2.0> : tensor<f32>
      %1 = stablehlo.multiply %a, %c : tensor<f32>
      %2 = stablehlo.subtract %1, %b : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %want0 = call @expected() : () -> tensor<2x3xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %1 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
  }
  func.func private @expected() -> (tensor<2x3xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}
// -----
module @rprec {
  func.func public @rprec() {
    %x = call @inputs() : () -> tensor<8xf32>
    %0 = stablehlo.reduce_precision %x, format = e5m10 : tensor<8xf32>
    %1 = stablehlo.reduce_precision %x, format = e8m7 : tensor<8xf32>
    %2 = "stablehlo.reduce_precision"(%x) <{exponent_bits = 8 : i32, mantissa_bits = 23 : i32}> : (tensor<8xf32>) -> tensor<8xf32>
    %want0, %want1, %want2 = call @expected() : () -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<8xf32>, tensor<8xf32>
    check.expect_close %1, %want1, max_ulp_difference = 0 : tensor<8xf32>, tensor<8xf32>
    check.expect_close %2, %want2, max_ulp_difference = 0 : tensor<8xf32>, tensor<8xf32>
    return
  }
  func.func private @inputs() -> (tensor<8xf32>) {
    %0 = stablehlo.constant dense<[1.0039062, -3.3, 1.0e-40, 65519.0, 65520.0, 0x7FC00000, 0x7F800000, 6.0e-08]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @expected() -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = stablehlo.constant dense<[1.0039062, -3.3007812, 0.0, 65504.0, 0x7F800000, 0x7FC00000, 0x7F800000, 0.0]> : tensor<8xf32>
    %1 = stablehlo.constant dense<[1.0, -3.296875, 9.1835e-41, 65536.0, 65536.0, 0x7FC00000, 0x7F800000, 6.0070306e-08]> : tensor<8xf32>
    %2 = stablehlo.constant dense<[1.0039062, -3.3, 1.0e-40, 65519.0, 65520.0, 0x7FC00000, 0x7F800000, 6.0e-08]> : tensor<8xf32>
    return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// -----
module @bitcasts {
  func.func public @bitcasts() {
    %x, %y, %z, %c = call @inputs() : () -> (tensor<2xf32>, tensor<2x4xui8>, tensor<1xi64>, tensor<1xcomplex<f32>>)
    %0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2xi32>
    %1 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2x4xui8>
    %2 = stablehlo.bitcast_convert %y : (tensor<2x4xui8>) -> tensor<2xf32>
    %3 = stablehlo.bitcast_convert %z : (tensor<1xi64>) -> tensor<1x2xui32>
    %4 = stablehlo.bitcast_convert %y : (tensor<2x4xui8>) -> tensor<2x4x2xui4>
    %5 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2x2xbf16>
    %6 = stablehlo.bitcast_convert %c : (tensor<1xcomplex<f32>>) -> tensor<1xcomplex<f32>>
    %7 = stablehlo.bitcast_convert %3 : (tensor<1x2xui32>) -> tensor<1xf64>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7 = call @expected() : () -> (tensor<2xi32>, tensor<2x4xui8>, tensor<2xf32>, tensor<1x2xui32>, tensor<2x4x2xui4>, tensor<2x2xbf16>, tensor<1xcomplex<f32>>, tensor<1xf64>)
    check.expect_eq %0, %want0 : tensor<2xi32>
    check.expect_eq %1, %want1 : tensor<2x4xui8>
    check.expect_close %2, %want2, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    check.expect_eq %3, %want3 : tensor<1x2xui32>
    check.expect_eq %4, %want4 : tensor<2x4x2xui4>
    check.expect_close %5, %want5, max_ulp_difference = 0 : tensor<2x2xbf16>, tensor<2x2xbf16>
    check.expect_close %6, %want6, max_ulp_difference = 0 : tensor<1xcomplex<f32>>, tensor<1xcomplex<f32>>
    check.expect_close %7, %want7, max_ulp_difference = 0 : tensor<1xf64>, tensor<1xf64>
    return
  }
  func.func private @inputs() -> (tensor<2xf32>, tensor<2x4xui8>, tensor<1xi64>, tensor<1xcomplex<f32>>) {
    %0 = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
    %1 = stablehlo.constant dense<[[1, 2, 3, 4], [0, 0, 128, 63]]> : tensor<2x4xui8>
    %2 = stablehlo.constant dense<[-1]> : tensor<1xi64>
    %3 = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>
    return %0, %1, %2, %3 : tensor<2xf32>, tensor<2x4xui8>, tensor<1xi64>, tensor<1xcomplex<f32>>
  }
  func.func private @expected() -> (tensor<2xi32>, tensor<2x4xui8>, tensor<2xf32>, tensor<1x2xui32>, tensor<2x4x2xui4>, tensor<2x2xbf16>, tensor<1xcomplex<f32>>, tensor<1xf64>) {
    %0 = stablehlo.constant dense<[1065353216, -1073741824]> : tensor<2xi32>
    %1 = stablehlo.constant dense<[[0, 0, 128, 63], [0, 0, 0, 192]]> : tensor<2x4xui8>
    %2 = stablehlo.constant dense<[1.5399896e-36, 1.0]> : tensor<2xf32>
    %3 = stablehlo.constant dense<[[4294967295, 4294967295]]> : tensor<1x2xui32>
    %4 = stablehlo.constant dense<[[[1, 0], [2, 0], [3, 0], [4, 0]], [[0, 0], [0, 0], [0, 8], [15, 3]]]> : tensor<2x4x2xui4>
    %5 = stablehlo.constant dense<[[0.0, 1.0], [0.0, -2.0]]> : tensor<2x2xbf16>
    %6 = stablehlo.constant dense<[(1.0, 2.0)]> : tensor<1xcomplex<f32>>
    %7 = stablehlo.constant dense<[0x7FF8000000000000]> : tensor<1xf64>
    return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2xi32>, tensor<2x4xui8>, tensor<2xf32>, tensor<1x2xui32>, tensor<2x4x2xui4>, tensor<2x2xbf16>, tensor<1xcomplex<f32>>, tensor<1xf64>
  }
}
// -----
module @sel_scat {
  func.func public @sel_scat() {
    %x, %s = call @inputs() : () -> (tensor<3x3xf32>, tensor<2x2xf32>)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = "stablehlo.select_and_scatter"(%x, %s, %cst) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.compare  GE, %arg1, %arg2,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }, {
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<3x3xf32>, tensor<2x2xf32>, tensor<f32>) -> tensor<3x3xf32>
    %want0 = call @expected() : () -> tensor<3x3xf32>
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x3xf32>, tensor<3x3xf32>
    return
  }
  func.func private @inputs() -> (tensor<3x3xf32>, tensor<2x2xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 5.0, 3.0], [9.0, 2.0, 8.0], [4.0, 4.0, 0.0]]> : tensor<3x3xf32>
    %1 = stablehlo.constant dense<[[2.0, 3.0], [1.0, 4.0]]> : tensor<2x2xf32>
    return %0, %1 : tensor<3x3xf32>, tensor<2x2xf32>
  }
  func.func private @expected() -> (tensor<3x3xf32>) {
    %0 = stablehlo.constant dense<[[0.0, 0.0, 0.0], [3.0, 0.0, 7.0], [0.0, 0.0, 0.0]]> : tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
}
// -----
module @fft_fft_7 {
  func.func public @fft_fft_7() {
    %x = call @inputs() : () -> tensor<2x7xcomplex<f64>>
    %0 = stablehlo.fft %x, type = FFT, length = [7] : (tensor<2x7xcomplex<f64>>) -> tensor<2x7xcomplex<f64>>
    %want0 = call @expected() : () -> tensor<2x7xcomplex<f64>>
    check.expect_almost_eq %0, %want0, tolerance = 5.3e-12 : tensor<2x7xcomplex<f64>>
    return
  }
  func.func private @inputs() -> (tensor<2x7xcomplex<f64>>) {
    %0 = stablehlo.constant dense<[[(0.08229186612716916, -0.542791870640899), (1.7989992301457534, 0.12424713542015912), (-0.39614053041389063, -1.8689870874381547), (-0.21173031778943865, 0.021277643835543144), (0.0793709941333931, 0.10273796020804157), (1.005520494651668, 0.6224986114518901), (-0.2875935809547487, 0.3092743003403864)], [(-0.4365914827584129, 0.7717776154755547), (0.2537373606441843, -0.9943756131385594), (1.2498472087876555, 0.6602886510183212), (-0.416565435932181, -1.6512569638236714), (-1.277652251622201, -0.5968541812774073), (-0.1308513963358957, 1.105857448839561), (0.623763132298492, 0.851183379839743)]]> : tensor<2x7xcomplex<f64>>
    return %0 : tensor<2x7xcomplex<f64>>
  }
  func.func private @expected() -> (tensor<2x7xcomplex<f64>>) {
    %0 = stablehlo.constant dense<[[(2.0707181558999057, -1.2317433068230332), (-1.6007336138698791, -0.24540146346911357), (0.0787306278117077, -2.3089173596407604), (0.9181810861017713, -3.455548722552765), (-2.658266400279187, -0.020751495003864306), (-1.8498998188114149, 3.4311379797184887), (3.61731302603728, 0.03168127328475469)], [(-0.1343128649183587, 0.14662033693354193), (-0.9468432787092746, 0.8845770138472042), (-3.4779581818495657, -0.5562402315478039), (-1.6328757552025, 2.9027394645352174), (1.3278542973573355, 2.101691002070114), (-1.914764923442828, -3.8223120476326224), (3.7227603274563004, 3.745367770123231)]]> : tensor<2x7xcomplex<f64>>
    return %0 : tensor<2x7xcomplex<f64>>
  }
}
// -----
module @fft_fft_8 {
  func.func public @fft_fft_8() {
    %x = call @inputs() : () -> tensor<2x8xcomplex<f64>>
    %0 = stablehlo.fft %x, type = FFT, length = [8] : (tensor<2x8xcomplex<f64>>) -> tensor<2x8xcomplex<f64>>
    %want0 = call @expected() : () -> tensor<2x8xcomplex<f64>>
    check.expect_almost_eq %0, %want0, tolerance = 8.1e-12 : tensor<2x8xcomplex<f64>>
    return
  }
  func.func private @inputs() -> (tensor<2x8xcomplex<f64>>) {
    %0 = stablehlo.constant dense<[[(-1.8530139843897926, 0.27040122988729115), (0.5884176623353239, -0.6755243772111741), (-0.43080228767571965, 0.831553759483734), (-0.7779212006140349, -1.1656098487162097), (0.20445320686653481, 1.3633889951981013), (0.12890809713691617, 0.3563611993886431), (1.3943221727811774, 2.424738389106895), (-1.441975518609771, -1.6513100001179244)], [(-0.4283761626487952, -0.09551857310923698), (-0.14254520739113477, -1.2855500358708225), (-1.8406313429052836, -0.1399241221606185), (1.1730940844306155, 0.43511420797926476), (1.756085887607632, -0.9195142527052586), (-0.62511989710298, -1.4350772441506012), (0.3815532399707075, -1.7337679288327537), (-0.26910628695698346, 0.22085289280436593)]]> : tensor<2x8xcomplex<f64>>
    return %0 : tensor<2x8xcomplex<f64>>
  }
  func.func private @expected() -> (tensor<2x8xcomplex<f64>>) {
    %0 = stablehlo.constant dense<[[(-2.1876118521693657, 1.7539993470193562), (-4.1814982205814415, -1.1354381050585889), (-0.1143239916171126, -4.559724402201283), (-0.7058589978168857, -2.6394967073687696), (0.8175300673337658, 8.026165400332687), (-3.119805421177536, 2.5997114953507623), (-5.109837333640319, 1.3147205551908088), (-0.22270612544944735, -3.1967277441666453)], [(0.004954315003777965, -4.953385056045661), (-1.0119387386453371, 1.6393848385502499), (-0.5898065529116416, 2.5303121271466233), (-2.8425106981622297, -2.7134364752825433), (-0.26769107095525657, -0.8240646975700749), (-0.1692977485232473, 4.452975686393776), (6.163382208698467, -0.8129936767888701), (-4.7141010156948955, -0.08294133127739522)]]> : tensor<2x8xcomplex<f64>>
    return %0 : tensor<2x8xcomplex<f64>>
  }
}
// -----
module @fft_ifft_6 {
  func.func public @fft_ifft_6() {
    %x = call @inputs() : () -> tensor<2x6xcomplex<f64>>
    %0 = stablehlo.fft %x, type = IFFT, length = [6] : (tensor<2x6xcomplex<f64>>) -> tensor<2x6xcomplex<f64>>
    %want0 = call @expected() : () -> tensor<2x6xcomplex<f64>>
    check.expect_almost_eq %0, %want0, tolerance = 1.2e-12 : tensor<2x6xcomplex<f64>>
    return
  }
  func.func private @inputs() -> (tensor<2x6xcomplex<f64>>) {
    %0 = stablehlo.constant dense<[[(1.2766907986927296, 1.4375255926601447), (1.1718821391201832, -0.7761577399792198), (0.03375359913436464, -0.3660937926131038), (-0.9616653772653441, -0.6752188274196901), (-0.36329692701267274, 1.3177607937198326), (-1.507890710749208, 1.2466016502499169)], [(-1.5763462762873433, -0.2902878268806411), (1.0659444941812506, 2.299392727793735), (-0.27814878318401204, 0.02640738413905812), (0.314441516736664, -1.2159340754805035), (-0.27350567994765285, -2.0333257583952613), (1.3249204005210136, -0.14375006981088342)]]> : tensor<2x6xcomplex<f64>>
    return %0 : tensor<2x6xcomplex<f64>>
  }
  func.func private @expected() -> (tensor<2x6xcomplex<f64>>) {
    %0 = stablehlo.constant dense<[[(-0.05842107967999122, 0.3640696127696468), (0.9075242366346546, 0.7561233468749743), (0.15688359013662412, 0.33802447194685753), (0.37413690328479837, 0.4323279184859777), (0.05905020025705986, -0.32094070209627695), (-0.1624830519404163, -0.13207905532103476)], [(0.09621761200332002, -0.22624960310574932), (-0.71985551139285, 0.4631043342509958), (-0.4189254127805145, -0.30014045212128704), (-0.8055511918096558, -0.5394857972731986), (-0.30824457899814506, -0.22672089595353587), (0.5800128066905021, 0.539204587322134)]]> : tensor<2x6xcomplex<f64>>
    return %0 : tensor<2x6xcomplex<f64>>
  }
}
// -----
module @rfft {
  func.func public @rfft() {
    %x = call @inputs() : () -> tensor<3x8xf32>
    %0 = stablehlo.fft %x, type =  RFFT, length = [3, 8] : (tensor<3x8xf32>) -> tensor<3x5xcomplex<f32>>
    %1 = "stablehlo.fft"(%0) <{fft_length = array<i64: 3, 8>, fft_type = #stablehlo<fft_type IRFFT>}> : (tensor<3x5xcomplex<f32>>) -> tensor<3x8xf32>
    %want0, %want1 = call @expected() : () -> (tensor<3x5xcomplex<f32>>, tensor<3x8xf32>)
    check.expect_almost_eq %0, %want0, tolerance = 7.9e-05 : tensor<3x5xcomplex<f32>>
    check.expect_almost_eq %1, %want1, tolerance = 2.2e-05 : tensor<3x8xf32>
    return
  }
  func.func private @inputs() -> (tensor<3x8xf32>) {
    %0 = stablehlo.constant dense<[[0.32132, -0.5866035, 0.36309552, 1.1950847, -0.059823543, 0.84289414, 1.6645751, 0.49771592], [-0.5805693, 0.43180412, 0.536691, 2.1374528, -0.43456894, -1.5503832, 0.29880205, 0.32579416], [-0.41567907, 0.5647276, 0.31822398, 1.2110095, -0.83510995, -0.7024489, -0.022564733, -0.50778705]]> : tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
  func.func private @expected() -> (tensor<3x5xcomplex<f32>>, tensor<3x8xf32>) {
    %0 = stablehlo.constant dense<[[(5.0136523, 0.0), (-1.0481093, -3.5535607), (-5.163254, 5.8592796), (2.3572574, -4.9991646), (-2.704868, 0.0)], [(3.8505611, -1.3463675), (-1.5657179, 4.6142306), (2.3060393, -0.5114447), (1.0651362, 2.1945674), (1.8625479, 0.0031888802)], [(3.8505611, 1.3463675), (-0.75450724, 4.3968487), (-2.441308, -1.0383052), (2.2328022, 0.45323834), (1.8625479, -0.0031888802)]]> : tensor<3x5xcomplex<f32>>
    %1 = stablehlo.constant dense<[[0.32132, -0.5866035, 0.36309552, 1.1950847, -0.059823543, 0.84289414, 1.6645751, 0.49771592], [-0.5805693, 0.43180412, 0.536691, 2.1374528, -0.43456894, -1.5503832, 0.29880205, 0.32579416], [-0.41567907, 0.5647276, 0.31822398, 1.2110095, -0.83510995, -0.7024489, -0.022564733, -0.50778705]]> : tensor<3x8xf32>
    return %0, %1 : tensor<3x5xcomplex<f32>>, tensor<3x8xf32>
  }
}
// -----
module @chol {
  func.func public @chol() {
    %x = call @inputs() : () -> tensor<2x3x3xf32>
    %0 = stablehlo.cholesky %x, lower = true : tensor<2x3x3xf32>
    %c = stablehlo.iota dim = 1 : tensor<2x3x3xi32>
    %d = stablehlo.iota dim = 2 : tensor<2x3x3xi32>
    %p = stablehlo.compare GE, %c, %d : (tensor<2x3x3xi32>, tensor<2x3x3xi32>) -> tensor<2x3x3xi1>
    %z = stablehlo.constant dense<0.0> : tensor<2x3x3xf32>
    %1 = stablehlo.select %p, %0, %z : tensor<2x3x3xi1>, tensor<2x3x3xf32>
    %want0 = call @expected() : () -> tensor<2x3x3xf32>
    check.expect_almost_eq %1, %want0, tolerance = 3.1e-05 : tensor<2x3x3xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x3x3xf32>) {
    %0 = stablehlo.constant dense<[[[4.9515343, 2.2101395, 0.940991], [2.2101395, 6.584507, 1.0156512], [0.940991, 1.0156512, 3.6894677]], [[4.3091354, -0.00605559, 0.92647016], [-0.00605559, 4.7164826, 1.1123545], [0.92647016, 1.1123545, 10.034791]]]> : tensor<2x3x3xf32>
    return %0 : tensor<2x3x3xf32>
  }
  func.func private @expected() -> (tensor<2x3x3xf32>) {
    %0 = stablehlo.constant dense<[[[2.2252042, 0.0, 0.0], [0.9932299, 2.3660095, 0.0], [0.42287847, 0.25174695, 1.8566811]], [[2.0758457, 0.0, 0.0], [-0.0029171677, 2.1717446, 0.0], [0.44630975, 0.5127935, 3.0939686]]]> : tensor<2x3x3xf32>
    return %0 : tensor<2x3x3xf32>
  }
}
// -----
module @trisolve {
  func.func public @trisolve() {
    %a, %b = call @inputs() : () -> (tensor<2x3x3xf32>, tensor<2x3x2xf32>)
    %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3x3xf32>, tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
    %want0 = call @expected() : () -> tensor<2x3x2xf32>
    check.expect_almost_eq %0, %want0, tolerance = 1.0e-04 : tensor<2x3x2xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x3x3xf32>, tensor<2x3x2xf32>) {
    %0 = stablehlo.constant dense<[[[4.9515343, 2.2101395, 0.940991], [2.2101395, 6.584507, 1.0156512], [0.940991, 1.0156512, 3.6894677]], [[4.3091354, -0.00605559, 0.92647016], [-0.00605559, 4.7164826, 1.1123545], [0.92647016, 1.1123545, 10.034791]]]> : tensor<2x3x3xf32>
    %1 = stablehlo.constant dense<[[[0.7253857, 1.2772561], [-0.8594166, 0.024978282], [-0.1906513, 1.1478232]], [[0.3916192, 0.42777172], [0.55181247, 1.9756085], [0.69232106, 0.90267694]]]> : tensor<2x3x2xf32>
    return %0, %1 : tensor<2x3x3xf32>, tensor<2x3x2xf32>
  }
  func.func private @expected() -> (tensor<2x3x2xf32>) {
    %0 = stablehlo.constant dense<[[[0.21101828, 0.21855493], [-0.12255031, -0.044194505], [-0.051674474, 0.31110808]], [[0.07618931, 0.08048932], [0.10072523, 0.39765796], [0.06899208, 0.089954734]]]> : tensor<2x3x2xf32>
    return %0 : tensor<2x3x2xf32>
  }
}
// -----
module @topk {
  func.func public @topk() {
    %x = call @inputs() : () -> tensor<5xf32>
    %v, %k = chlo.top_k(%x, k = 3) : tensor<5xf32> -> (tensor<3xf32>, tensor<3xi32>)
    %0:2 = stablehlo.custom_call @mhlo.topk(%x) {mhlo.attributes = {k = 2 : i64, largest = true}, mhlo.version = 1 : i64} : (tensor<5xf32>) -> (tensor<2xf32>, tensor<2xi32>)
    %want0, %want1, %want2, %want3 = call @expected() : () -> (tensor<3xf32>, tensor<3xi32>, tensor<2xf32>, tensor<2xi32>)
    check.expect_close %v, %want0, max_ulp_difference = 0 : tensor<3xf32>, tensor<3xf32>
    check.expect_eq %k, %want1 : tensor<3xi32>
    check.expect_close %0#0, %want2, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    check.expect_eq %0#1, %want3 : tensor<2xi32>
    return
  }
  func.func private @inputs() -> (tensor<5xf32>) {
    %0 = stablehlo.constant dense<[3.0, 0x7FC00000, 5.0, 5.0, 1.0]> : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
  func.func private @expected() -> (tensor<3xf32>, tensor<3xi32>, tensor<2xf32>, tensor<2xi32>) {
    %0 = stablehlo.constant dense<[0x7FC00000, 5.0, 5.0]> : tensor<3xf32>
    %1 = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
    %2 = stablehlo.constant dense<[0x7FC00000, 5.0]> : tensor<2xf32>
    %3 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    return %0, %1, %2, %3 : tensor<3xf32>, tensor<3xi32>, tensor<2xf32>, tensor<2xi32>
  }
}
// -----
module @onedevice {
  func.func public @onedevice() {
    %x = call @inputs() : () -> tensor<2x3xf32>
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.partition_id : tensor<ui32>
    %2 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %3 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %4 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>, scatter_dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %5 = "stablehlo.all_to_all"(%x) <{concat_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>, split_count = 1 : i64, split_dimension = 1 : i64}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %6 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %7 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %8 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %10 = "stablehlo.cross-replica-sum"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %11:2 = "stablehlo.all_gather"(%x, %x) <{all_gather_dim = 1 : i64, replica_groups = dense<> : tensor<0x0xi64>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9, %want10 = call @expected() : () -> (tensor<ui32>, tensor<ui32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
    check.expect_eq %0, %want0 : tensor<ui32>
    check.expect_eq %1, %want1 : tensor<ui32>
    check.expect_close %2, %want2, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    check.expect_close %3, %want3, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    check.expect_close %4, %want4, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    check.expect_close %5, %want5, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    check.expect_close %6, %want6, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    check.expect_close %7, %want7, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    check.expect_close %8, %want8, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    check.expect_close %10, %want9, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    check.expect_close %11#1, %want10, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x3xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func private @expected() -> (tensor<ui32>, tensor<ui32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
    %0 = stablehlo.constant dense<0> : tensor<ui32>
    %1 = stablehlo.constant dense<0> : tensor<ui32>
    %2 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %3 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %4 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %5 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %6 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %7 = stablehlo.constant dense<[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]> : tensor<2x3xf32>
    %8 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %9 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %10 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<ui32>, tensor<ui32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
}
// -----
module @quant {
  func.func public @quant() {
    %x = call @inputs() : () -> tensor<5xf32>
    %0 = stablehlo.uniform_quantize %x : (tensor<5xf32>) -> tensor<5x!quant.uniform<i8:f32, 0.5:-3>>
    %1 = stablehlo.uniform_dequantize %0 : (tensor<5x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<5xf32>
    %2 = stablehlo.add %0, %0 : tensor<5x!quant.uniform<i8:f32, 0.5:-3>>
    %3 = stablehlo.uniform_dequantize %2 : (tensor<5x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<5xf32>
    %4 = stablehlo.bitcast_convert %0 : (tensor<5x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<5xi8>
    %5 = "stablehlo.uniform_quantize"(%0) : (tensor<5x!quant.uniform<i8:f32, 0.5:-3>>) -> tensor<5x!quant.uniform<u8<0:200>:f32, 2.500000e-01:10>>
    %6 = stablehlo.uniform_dequantize %5 : (tensor<5x!quant.uniform<u8<0:200>:f32, 2.500000e-01:10>>) -> tensor<5xf32>
    %7 = stablehlo.constant() <{value = dense<3> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
    %8 = stablehlo.uniform_dequantize %7 : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2xf32>
    %want0, %want1, %want2, %want3, %want4 = call @expected() : () -> (tensor<5xf32>, tensor<5xf32>, tensor<5xi8>, tensor<5xf32>, tensor<2xf32>)
    check.expect_close %1, %want0, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
    check.expect_close %3, %want1, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
    check.expect_eq %4, %want2 : tensor<5xi8>
    check.expect_close %6, %want3, max_ulp_difference = 0 : tensor<5xf32>, tensor<5xf32>
    check.expect_close %8, %want4, max_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>
    return
  }
  func.func private @inputs() -> (tensor<5xf32>) {
    %0 = stablehlo.constant dense<[-1.0, 0.26, 0.75, 3.0, 100.0]> : tensor<5xf32>
    return %0 : tensor<5xf32>
  }
  func.func private @expected() -> (tensor<5xf32>, tensor<5xf32>, tensor<5xi8>, tensor<5xf32>, tensor<2xf32>) {
    %0 = stablehlo.constant dense<[-1.0, 0.5, 0.5, 3.0, 65.0]> : tensor<5xf32>
    %1 = stablehlo.constant dense<[-2.0, 1.0, 1.0, 6.0, 65.0]> : tensor<5xf32>
    %2 = stablehlo.constant dense<[-5, -2, -2, 3, 127]> : tensor<5xi8>
    %3 = stablehlo.constant dense<[-1.0, 0.5, 0.5, 3.0, 47.5]> : tensor<5xf32>
    %4 = stablehlo.constant dense<[1.5, 1.5]> : tensor<2xf32>
    return %0, %1, %2, %3, %4 : tensor<5xf32>, tensor<5xf32>, tensor<5xi8>, tensor<5xf32>, tensor<2xf32>
  }
}
// -----
module @quant_axis {
  func.func public @quant_axis() {
    %x = call @inputs() : () -> tensor<2x2xf32>
    %0 = stablehlo.uniform_quantize %x : (tensor<2x2xf32>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1,0.25}>>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<2x2x!quant.uniform<i8:f32:1, {0.5:1,0.25}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1,0.25}>>
    %2 = stablehlo.uniform_dequantize %1 : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5:1,0.25}>>) -> tensor<2x2xf32>
    %want0 = call @expected() : () -> tensor<2x2xf32>
    check.expect_close %2, %want0, max_ulp_difference = 0 : tensor<2x2xf32>, tensor<2x2xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x2xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
  func.func private @expected() -> (tensor<2x2xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 3.0], [2.0, 4.0]]> : tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}
// -----
module @rbg {
  func.func public @rbg() {
    %s = call @inputs() : () -> tensor<2xui64>
    %0, %1 = stablehlo.rng_bit_generator %s, algorithm =  THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2x3xui32>)
    %2:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
    %want0, %want1, %want2, %want3 = call @expected() : () -> (tensor<2xui64>, tensor<2x3xui32>, tensor<2xui64>, tensor<5xui32>)
    check.expect_eq %0, %want0 : tensor<2xui64>
    check.expect_eq %1, %want1 : tensor<2x3xui32>
    check.expect_eq %2#0, %want2 : tensor<2xui64>
    check.expect_eq %2#1, %want3 : tensor<5xui32>
    return
  }
  func.func private @inputs() -> (tensor<2xui64>) {
    %0 = stablehlo.constant dense<[8589934593, 3]> : tensor<2xui64>
    return %0 : tensor<2xui64>
  }
  func.func private @expected() -> (tensor<2xui64>, tensor<2x3xui32>, tensor<2xui64>, tensor<5xui32>) {
    %0 = stablehlo.constant dense<[8589934593, 6]> : tensor<2xui64>
    %1 = stablehlo.constant dense<[[2392469163, 297241529, 4189447344], [879280621, 2639159036, 3771441878]]> : tensor<2x3xui32>
    %2 = stablehlo.constant dense<[8589934593, 5]> : tensor<2xui64>
    %3 = stablehlo.constant dense<[3207431045, 2392782618, 4039464091, 952724969, 1604974423]> : tensor<5xui32>
    return %0, %1, %2, %3 : tensor<2xui64>, tensor<2x3xui32>, tensor<2xui64>, tensor<5xui32>
  }
}
// -----
module @dyns {
  func.func public @dyns() {
    %x = call @inputs() : () -> tensor<2x3xf32>
    %c = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
    %0 = stablehlo.dynamic_reshape %x, %c : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
    %c1 = stablehlo.constant dense<[2, 2, 3]> : tensor<3xi64>
    %1 = stablehlo.dynamic_broadcast_in_dim %x, %c1, dims = [1, 2] {known_expanding_dimensions = array<i64>, known_nonexpanding_dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x2x3xf32>
    %2 = stablehlo.dynamic_iota %c, dim = 0 : (tensor<2xi32>) -> tensor<3x2xi64>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %lo = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
    %hi = stablehlo.constant dense<[1, -1]> : tensor<2xi64>
    %in = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
    %3 = stablehlo.dynamic_pad %x, %z, %lo, %hi, %in : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x5xf32>
    %st = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
    %en = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
    %sd = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %4 = stablehlo.real_dynamic_slice %x, %st, %en, %sd : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x1xf32>
    %n = stablehlo.constant dense<3> : tensor<i32>
    %5 = stablehlo.set_dimension_size %x, %n, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
    %6 = stablehlo.dynamic_reshape %x, %c : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
    %7 = stablehlo.reshape %6 : (tensor<?x?xf32>) -> tensor<6xf32>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6 = call @expected() : () -> (tensor<3x2xf32>, tensor<2x2x3xf32>, tensor<3x2xi64>, tensor<3x5xf32>, tensor<2x1xf32>, tensor<2x3xf32>, tensor<6xf32>)
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3x2xf32>, tensor<3x2xf32>
    check.expect_close %1, %want1, max_ulp_difference = 0 : tensor<2x2x3xf32>, tensor<2x2x3xf32>
    check.expect_eq %2, %want2 : tensor<3x2xi64>
    check.expect_close %3, %want3, max_ulp_difference = 0 : tensor<3x5xf32>, tensor<3x5xf32>
    check.expect_close %4, %want4, max_ulp_difference = 0 : tensor<2x1xf32>, tensor<2x1xf32>
    check.expect_close %5, %want5, max_ulp_difference = 0 : tensor<2x3xf32>, tensor<2x3xf32>
    check.expect_close %7, %want6, max_ulp_difference = 0 : tensor<6xf32>, tensor<6xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x3xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func private @expected() -> (tensor<3x2xf32>, tensor<2x2x3xf32>, tensor<3x2xi64>, tensor<3x5xf32>, tensor<2x1xf32>, tensor<2x3xf32>, tensor<6xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
    %1 = stablehlo.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<2x2x3xf32>
    %2 = stablehlo.constant dense<[[0, 0], [1, 1], [2, 2]]> : tensor<3x2xi64>
    %3 = stablehlo.constant dense<[[0.0, 1.0, 0.0, 2.0, 0.0], [0.0, 4.0, 0.0, 5.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<3x5xf32>
    %4 = stablehlo.constant dense<[[2.0], [5.0]]> : tensor<2x1xf32>
    %5 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    %6 = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<3x2xf32>, tensor<2x2x3xf32>, tensor<3x2xi64>, tensor<3x5xf32>, tensor<2x1xf32>, tensor<2x3xf32>, tensor<6xf32>
  }
}
// -----
module @chlos {
  func.func public @chlos() {
    %x = call @inputs() : () -> tensor<3xf32>
    %0 = chlo.erf %x : tensor<3xf32> -> tensor<3xf32>
    %1 = chlo.erfc %x : tensor<3xf32> -> tensor<3xf32>
    %2 = chlo.sinh %x : tensor<3xf32> -> tensor<3xf32>
    %3 = chlo.cosh %x : tensor<3xf32> -> tensor<3xf32>
    %4 = chlo.asinh %x : tensor<3xf32> -> tensor<3xf32>
    %5 = chlo.atan %x : tensor<3xf32> -> tensor<3xf32>
    %6 = chlo.square %x : tensor<3xf32> -> tensor<3xf32>
    %7 = chlo.tan %x : tensor<3xf32> -> tensor<3xf32>
    %8 = chlo.lgamma %x : tensor<3xf32> -> tensor<3xf32>
    %9 = chlo.digamma %x : tensor<3xf32> -> tensor<3xf32>
    %10 = chlo.bessel_i1e %x : tensor<3xf32> -> tensor<3xf32>
    %20 = chlo.broadcast_add %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %21 = chlo.is_inf %x : tensor<3xf32> -> tensor<3xi1>
    %c = chlo.constant dense<2.0> : tensor<f32>
    %22 = chlo.broadcast_multiply %x, %c {broadcast_dimensions = array<i64>} : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %23 = chlo.next_after %x, %x : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    %24 = chlo.broadcast_compare %x, %c {comparison_direction = #chlo<comparison_direction LT>} : (tensor<3xf32>, tensor<f32>) -> tensor<3xi1>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7 = call @expected() : () -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xf32>, tensor<3xi1>)
    check.expect_almost_eq %0, %want0, tolerance = 1.0e-06 : tensor<3xf32>
    check.expect_almost_eq %2, %want1, tolerance = 3.7e-06 : tensor<3xf32>
    check.expect_almost_eq %4, %want2, tolerance = 1.5e-06 : tensor<3xf32>
    check.expect_almost_eq %6, %want3, tolerance = 4.0e-06 : tensor<3xf32>
    check.expect_almost_eq %20, %want4, tolerance = 4.0e-06 : tensor<3xf32>
    check.expect_eq %21, %want5 : tensor<3xi1>
    check.expect_almost_eq %22, %want6, tolerance = 4.0e-06 : tensor<3xf32>
    check.expect_eq %24, %want7 : tensor<3xi1>
    return
  }
  func.func private @inputs() -> (tensor<3xf32>) {
    %0 = stablehlo.constant dense<[0.5, -0.25, 2.0]> : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @expected() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xf32>, tensor<3xi1>) {
    %0 = stablehlo.constant dense<[0.5204999, -0.2763264, 0.9953223]> : tensor<3xf32>
    %1 = stablehlo.constant dense<[0.5210953, -0.25261232, 3.6268604]> : tensor<3xf32>
    %2 = stablehlo.constant dense<[0.4812118, -0.24746646, 1.4436355]> : tensor<3xf32>
    %3 = stablehlo.constant dense<[0.25, 0.0625, 4.0]> : tensor<3xf32>
    %4 = stablehlo.constant dense<[1.0, -0.5, 4.0]> : tensor<3xf32>
    %5 = stablehlo.constant dense<[false, false, false]> : tensor<3xi1>
    %6 = stablehlo.constant dense<[1.0, -0.5, 4.0]> : tensor<3xf32>
    %7 = stablehlo.constant dense<[true, true, false]> : tensor<3xi1>
    return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xf32>, tensor<3xi1>
  }
}
// -----
module @mhlo_prefix {
  func.func public @mhlo_prefix() {
    %x = call @inputs() : () -> tensor<2x3xf32>
    %0 = mhlo.add %x, %x : tensor<2x3xf32>
    %1 = "mhlo.transpose"(%0) {permutation = dense<[1, 0]> : tensor<2xi64>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %2 = mhlo.constant dense<1.0> : tensor<f32>
    %3 = "mhlo.broadcast_in_dim"(%2) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>) -> tensor<3x2xf32>
    %4 = mhlo.maximum %1, %3 : tensor<3x2xf32>
    %want0 = call @expected() : () -> tensor<3x2xf32>
    check.expect_close %4, %want0, max_ulp_difference = 0 : tensor<3x2xf32>, tensor<3x2xf32>
    return
  }
  func.func private @inputs() -> (tensor<2x3xf32>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func private @expected() -> (tensor<3x2xf32>) {
    %0 = stablehlo.constant dense<[[2.0, 8.0], [4.0, 10.0], [6.0, 12.0]]> : tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}
// -----
module @arith {
  func.func public @arith() {
    %x = call @inputs() : () -> tensor<2xi32>
    %c = arith.constant dense<3> : tensor<2xi32>
    %0 = stablehlo.add %x, %c : tensor<2xi32>
    %1 = tensor.cast %0 : tensor<2xi32> to tensor<?xi32>
    %2 = tensor.cast %1 : tensor<?xi32> to tensor<2xi32>
    %want0 = call @expected() : () -> tensor<2xi32>
    check.expect_eq %2, %want0 : tensor<2xi32>
    return
  }
  func.func private @inputs() -> (tensor<2xi32>) {
    %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
  func.func private @expected() -> (tensor<2xi32>) {
    %0 = stablehlo.constant dense<[4, 5]> : tensor<2xi32>
    return %0 : tensor<2xi32>
  }
}
