func.func @mulhi() {
  %0 = stablehlo.constant dense<[100, -100, 127, -128, -1]> : tensor<5xi8>
  %1 = stablehlo.constant dense<[100, 100, 127, -128, 1]> : tensor<5xi8>
  %2 = chlo.mulhi %0, %1 : tensor<5xi8>, tensor<5xi8> -> tensor<5xi8>
  check.expect_eq_const %2, dense<[39, -40, 63, 64, -1]> : tensor<5xi8>
  %3 = stablehlo.constant dense<[-1, 9223372036854775807, -9223372036854775808, 123456789012345678]> : tensor<4xi64>
  %4 = stablehlo.constant dense<[-1, 9223372036854775807, -9223372036854775808, -987654321098765432]> : tensor<4xi64>
  %5 = "chlo.mulhi"(%3, %4) : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  check.expect_eq_const %5, dense<[0, 4611686018427387903, 4611686018427387904, -6609981178781635]> : tensor<4xi64>
  return
}
// -----
func.func @scan_dim1() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %k = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %b = stablehlo.add %k, %k : tensor<2xi32>
  %z = stablehlo.constant dense<0> : tensor<2xi32>
  %0:2 = chlo.scan(%x) inits(%z) dimension=1 attributes {is_reverse = true} {
  ^bb0(%a: tensor<2xi32>, %s: tensor<2xi32>):
    %1 = stablehlo.add %a, %s : tensor<2xi32>
    %2 = stablehlo.add %1, %b : tensor<2xi32>
    stablehlo.return %2, %1 : tensor<2xi32>, tensor<2xi32>
  } : (tensor<2x3xi32>, tensor<2xi32>) -> (tensor<2x3xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[[26, 25, 23], [55, 51, 46]]> : tensor<2x3xi32>
  check.expect_eq_const %0#1, dense<[6, 15]> : tensor<2xi32>
  return
}
// -----
func.func @scan_generic() {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "chlo.scan"(%x, %z) <{dimension = 0 : i64, is_associative = false, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
  ^bb0(%a: tensor<i32>, %s: tensor<i32>):
    %1 = stablehlo.add %a, %s : tensor<i32>
    stablehlo.return %1, %1 : tensor<i32>, tensor<i32>
  }) : (tensor<4xi32>, tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<[1, 3, 6, 10]> : tensor<4xi32>
  %p = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %1 = chlo.broadcast_select %p, %0#0, %z : (tensor<4xi1>, tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
  check.expect_eq_const %1, dense<[1, 0, 6, 0]> : tensor<4xi32>
  return
}
