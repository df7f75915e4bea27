!t = tensor<2xf32>
func.func @main() -> (tensor<2x2xi32>, tensor<3xf32>, tensor<4xf32>, tensor<3xi16>, tensor<2x2xf32>, tensor<9xi1>, tensor<3xi1>, tensor<2xcomplex<f32>>, tensor<0x2xf32>, tensor<2xf64>, tensor<2xui64>, tensor<2xf32>) {
  %0 = stablehlo.constant dense<[[1, -2], [0x10, 4]]> : tensor<2x2xi32>
  %1 = stablehlo.constant dense<1.5> : tensor<3xf32>
  %2 = stablehlo.constant dense<[0xFF800000, 0x7FC00000, -3.5E-7, 16777217.0]> : tensor<4xf32>
  %3 = "stablehlo.constant"() <{value = dense<"0x0100FEFF0002"> : tensor<3xi16>}> : () -> tensor<3xi16>
  %4 = stablehlo.constant dense<"0x0000C03F"> : tensor<2x2xf32>
  %5 = stablehlo.constant dense<"0x5501"> : tensor<9xi1>
  %6 = stablehlo.constant dense<[true, false, 1]> : tensor<3xi1>
  %7 = stablehlo.constant dense<[(1.0, -2.0), (0.0, 0.5)]> : tensor<2xcomplex<f32>>
  %8 = stablehlo.constant dense<> : tensor<0x2xf32>
  %9 = stablehlo.constant dense_resource<w> : tensor<2xf64>
  %10 = stablehlo.constant dense<[18446744073709551615, 0]> : tensor<2xui64>
  %11 = stablehlo.constant {a.b = 1 : i64} dense<[1.0, 2.0]> : !t
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : tensor<2x2xi32>, tensor<3xf32>, tensor<4xf32>, tensor<3xi16>, tensor<2x2xf32>, tensor<9xi1>, tensor<3xi1>, tensor<2xcomplex<f32>>, tensor<0x2xf32>, tensor<2xf64>, tensor<2xui64>, tensor<2xf32>
}
{-#
  dialect_resources: {
    builtin: {
      w: "0x08000000000000000000F03F00000000000000C0"
    }
  }
#-}
