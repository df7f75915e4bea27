func.func @main(%x: tensor<2xf32>, %i: tensor<2xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.no_such_thing"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = mhlo.add %x, %x : tensor<2xf32>
  %2 = "stablehlo.no_such_thing"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = stablehlo.custom_call @lapack_sgesdd_ffi(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %4 = "stablehlo.add"(%x, %x) {colour = 1 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %5 = stablehlo.reshape %x : (tensor<2xf32>) -> tensor<3xf32>
  %6 = "stablehlo.abs"(%x) : (tensor<2xf32>) -> tensor<3xf32>
  %7 = stablehlo.constant dense<__elided__> : tensor<2xf32>
  %8 = stablehlo.add %7, %x : tensor<2xf32>
  %9 = stablehlo.add %2, %x : tensor<2xf32>
  %10 = call @nowhere(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %9 : tensor<2xf32>
}
