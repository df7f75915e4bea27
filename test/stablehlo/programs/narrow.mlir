// Elementwise operations, conversions and reductions of the narrow element types, with results by NumPy.
// -----
module @arith_i4 {
  func.func public @arith_i4() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<7xi4>, tensor<7xi4>)
    %0 = stablehlo.add %arg0, %arg1 : tensor<7xi4>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<7xi4>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<7xi4>
    %3 = stablehlo.maximum %arg0, %arg1 : tensor<7xi4>
    %4 = stablehlo.minimum %arg0, %arg1 : tensor<7xi4>
    %5 = stablehlo.and %arg0, %arg1 : tensor<7xi4>
    %6 = stablehlo.or %arg0, %arg1 : tensor<7xi4>
    %7 = stablehlo.xor %arg0, %arg1 : tensor<7xi4>
    %8 = stablehlo.not %arg0 : tensor<7xi4>
    %9 = stablehlo.negate %arg0 : tensor<7xi4>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9 = call @expected() : () -> (tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>)
    check.expect_eq %0, %want0 : tensor<7xi4>
    check.expect_eq %1, %want1 : tensor<7xi4>
    check.expect_eq %2, %want2 : tensor<7xi4>
    check.expect_eq %3, %want3 : tensor<7xi4>
    check.expect_eq %4, %want4 : tensor<7xi4>
    check.expect_eq %5, %want5 : tensor<7xi4>
    check.expect_eq %6, %want6 : tensor<7xi4>
    check.expect_eq %7, %want7 : tensor<7xi4>
    check.expect_eq %8, %want8 : tensor<7xi4>
    check.expect_eq %9, %want9 : tensor<7xi4>
    return
  }
  func.func private @inputs() -> (tensor<7xi4>, tensor<7xi4>) {
    %0 = stablehlo.constant dense<[-6, -6, 4, -1, 1, 1, 3]> : tensor<7xi4>
    %1 = stablehlo.constant dense<[-8, -1, -6, -2, 6, 0, -7]> : tensor<7xi4>
    return %0, %1 : tensor<7xi4>, tensor<7xi4>
  }
  func.func private @expected() -> (tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>) {
    %0 = stablehlo.constant dense<[2, -7, -2, -3, 7, 1, -4]> : tensor<7xi4>
    %1 = stablehlo.constant dense<[2, -5, -6, 1, -5, 1, -6]> : tensor<7xi4>
    %2 = stablehlo.constant dense<[0, 6, -8, 2, 6, 0, -5]> : tensor<7xi4>
    %3 = stablehlo.constant dense<[-6, -1, 4, -1, 6, 1, 3]> : tensor<7xi4>
    %4 = stablehlo.constant dense<[-8, -6, -6, -2, 1, 0, -7]> : tensor<7xi4>
    %5 = stablehlo.constant dense<[-8, -6, 0, -2, 0, 0, 1]> : tensor<7xi4>
    %6 = stablehlo.constant dense<[-6, -1, -2, -1, 7, 1, -5]> : tensor<7xi4>
    %7 = stablehlo.constant dense<[2, 5, -2, 1, 7, 1, -6]> : tensor<7xi4>
    %8 = stablehlo.constant dense<[5, 5, -5, 0, -2, -2, -4]> : tensor<7xi4>
    %9 = stablehlo.constant dense<[6, 6, -4, 1, -1, -1, -3]> : tensor<7xi4>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>
  }
}
// -----
module @div_i4 {
  func.func public @div_i4() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<9xi4>, tensor<9xi4>)
    %0 = stablehlo.divide %arg0, %arg1 : tensor<9xi4>
    %1 = stablehlo.remainder %arg0, %arg1 : tensor<9xi4>
    %want0, %want1 = call @expected() : () -> (tensor<9xi4>, tensor<9xi4>)
    check.expect_eq %0, %want0 : tensor<9xi4>
    check.expect_eq %1, %want1 : tensor<9xi4>
    return
  }
  func.func private @inputs() -> (tensor<9xi4>, tensor<9xi4>) {
    %0 = stablehlo.constant dense<[0, -6, 4, 7, 7, 1, 5, -3, -6]> : tensor<9xi4>
    %1 = stablehlo.constant dense<[0, 1, 2, 3, 0, 5, 7, 1, 0]> : tensor<9xi4>
    return %0, %1 : tensor<9xi4>, tensor<9xi4>
  }
  func.func private @expected() -> (tensor<9xi4>, tensor<9xi4>) {
    %0 = stablehlo.constant dense<[-1, -6, 2, 2, -1, 0, 0, -3, -1]> : tensor<9xi4>
    %1 = stablehlo.constant dense<[0, 0, 0, 1, 7, 1, 5, 0, -6]> : tensor<9xi4>
    return %0, %1 : tensor<9xi4>, tensor<9xi4>
  }
}
// -----
module @shift_i4 {
  func.func public @shift_i4() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<7xi4>, tensor<7xi4>)
    %0 = stablehlo.shift_left %arg0, %arg1 : tensor<7xi4>
    %1 = stablehlo.shift_right_logical %arg0, %arg1 : tensor<7xi4>
    %2 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<7xi4>
    %3 = stablehlo.popcnt %arg0 : tensor<7xi4>
    %4 = stablehlo.count_leading_zeros %arg0 : tensor<7xi4>
    %want0, %want1, %want2, %want3, %want4 = call @expected() : () -> (tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>)
    check.expect_eq %0, %want0 : tensor<7xi4>
    check.expect_eq %1, %want1 : tensor<7xi4>
    check.expect_eq %2, %want2 : tensor<7xi4>
    check.expect_eq %3, %want3 : tensor<7xi4>
    check.expect_eq %4, %want4 : tensor<7xi4>
    return
  }
  func.func private @inputs() -> (tensor<7xi4>, tensor<7xi4>) {
    %0 = stablehlo.constant dense<[0, -1, 2, 7, -4, 5, -6]> : tensor<7xi4>
    %1 = stablehlo.constant dense<[0, 1, 2, 3, 3, 4, 5]> : tensor<7xi4>
    return %0, %1 : tensor<7xi4>, tensor<7xi4>
  }
  func.func private @expected() -> (tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>) {
    %0 = stablehlo.constant dense<[0, -2, -8, -8, 0, 0, 0]> : tensor<7xi4>
    %1 = stablehlo.constant dense<[0, 7, 0, 0, 1, 0, 0]> : tensor<7xi4>
    %2 = stablehlo.constant dense<[0, -1, 0, 0, -1, 0, -1]> : tensor<7xi4>
    %3 = stablehlo.constant dense<[0, 4, 1, 3, 2, 2, 2]> : tensor<7xi4>
    %4 = stablehlo.constant dense<[4, 0, 2, 1, 0, 1, 0]> : tensor<7xi4>
    return %0, %1, %2, %3, %4 : tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>, tensor<7xi4>
  }
}
// -----
module @pow_i4 {
  func.func public @pow_i4() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<8xi4>, tensor<8xi4>)
    %0 = stablehlo.power %arg0, %arg1 : tensor<8xi4>
    %want0 = call @expected() : () -> tensor<8xi4>
    check.expect_eq %0, %want0 : tensor<8xi4>
    return
  }
  func.func private @inputs() -> (tensor<8xi4>, tensor<8xi4>) {
    %0 = stablehlo.constant dense<[-3, 4, -5, 2, -1, 0, 7, 5]> : tensor<8xi4>
    %1 = stablehlo.constant dense<[0, 1, 2, 3, -1, -2, 0, 7]> : tensor<8xi4>
    return %0, %1 : tensor<8xi4>, tensor<8xi4>
  }
  func.func private @expected() -> (tensor<8xi4>) {
    %0 = stablehlo.constant dense<[1, 4, -7, -8, -1, 0, 1, -3]> : tensor<8xi4>
    return %0 : tensor<8xi4>
  }
}
// -----
module @sgn_i4 {
  func.func public @sgn_i4() {
    %arg0 = call @inputs() : () -> tensor<7xi4>
    %0 = stablehlo.abs %arg0 : tensor<7xi4>
    %1 = stablehlo.sign %arg0 : tensor<7xi4>
    %want0, %want1 = call @expected() : () -> (tensor<7xi4>, tensor<7xi4>)
    check.expect_eq %0, %want0 : tensor<7xi4>
    check.expect_eq %1, %want1 : tensor<7xi4>
    return
  }
  func.func private @inputs() -> (tensor<7xi4>) {
    %0 = stablehlo.constant dense<[0, -1, 2, 7, -4, 5, -6]> : tensor<7xi4>
    return %0 : tensor<7xi4>
  }
  func.func private @expected() -> (tensor<7xi4>, tensor<7xi4>) {
    %0 = stablehlo.constant dense<[0, 1, 2, 7, 4, 5, 6]> : tensor<7xi4>
    %1 = stablehlo.constant dense<[0, -1, 1, 1, -1, 1, -1]> : tensor<7xi4>
    return %0, %1 : tensor<7xi4>, tensor<7xi4>
  }
}
// -----
module @red_i4 {
  func.func public @red_i4() {
    %arg0 = call @inputs() : () -> tensor<3x4xi4>
    %c = stablehlo.constant dense<0> : tensor<i4>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<3x4xi4>, tensor<i4>) -> tensor<3xi4>
    %1 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.maximum across dimensions = [0] : (tensor<3x4xi4>, tensor<i4>) -> tensor<4xi4>
    %2 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.or across dimensions = [0, 1] : (tensor<3x4xi4>, tensor<i4>) -> tensor<i4>
    %3 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.xor across dimensions = [0] : (tensor<3x4xi4>, tensor<i4>) -> tensor<4xi4>
    %c_0 = stablehlo.constant dense<1> : tensor<i4>
    %4 = stablehlo.reduce(%arg0 init: %c_0) applies stablehlo.multiply across dimensions = [1] : (tensor<3x4xi4>, tensor<i4>) -> tensor<3xi4>
    %c_1 = stablehlo.constant dense<-1> : tensor<i4>
    %5 = stablehlo.reduce(%arg0 init: %c_1) applies stablehlo.and across dimensions = [1] : (tensor<3x4xi4>, tensor<i4>) -> tensor<3xi4>
    %want0, %want1, %want2, %want3, %want4, %want5 = call @expected() : () -> (tensor<3xi4>, tensor<4xi4>, tensor<i4>, tensor<4xi4>, tensor<3xi4>, tensor<3xi4>)
    check.expect_eq %0, %want0 : tensor<3xi4>
    check.expect_eq %1, %want1 : tensor<4xi4>
    check.expect_eq %2, %want2 : tensor<i4>
    check.expect_eq %3, %want3 : tensor<4xi4>
    check.expect_eq %4, %want4 : tensor<3xi4>
    check.expect_eq %5, %want5 : tensor<3xi4>
    return
  }
  func.func private @inputs() -> (tensor<3x4xi4>) {
    %0 = stablehlo.constant dense<[[5, 0, 7, 7], [-6, -5, -4, 0], [5, -1, 7, -3]]> : tensor<3x4xi4>
    return %0 : tensor<3x4xi4>
  }
  func.func private @expected() -> (tensor<3xi4>, tensor<4xi4>, tensor<i4>, tensor<4xi4>, tensor<3xi4>, tensor<3xi4>) {
    %0 = stablehlo.constant dense<[3, 1, -8]> : tensor<3xi4>
    %1 = stablehlo.constant dense<[5, 0, 7, 7]> : tensor<4xi4>
    %2 = stablehlo.constant dense<-1> : tensor<i4>
    %3 = stablehlo.constant dense<[-6, 4, -4, -6]> : tensor<4xi4>
    %4 = stablehlo.constant dense<[0, 0, -7]> : tensor<3xi4>
    %5 = stablehlo.constant dense<[0, 0, 5]> : tensor<3xi4>
    return %0, %1, %2, %3, %4, %5 : tensor<3xi4>, tensor<4xi4>, tensor<i4>, tensor<4xi4>, tensor<3xi4>, tensor<3xi4>
  }
}
// -----
module @arith_i16 {
  func.func public @arith_i16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<7xi16>, tensor<7xi16>)
    %0 = stablehlo.add %arg0, %arg1 : tensor<7xi16>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<7xi16>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<7xi16>
    %3 = stablehlo.maximum %arg0, %arg1 : tensor<7xi16>
    %4 = stablehlo.minimum %arg0, %arg1 : tensor<7xi16>
    %5 = stablehlo.and %arg0, %arg1 : tensor<7xi16>
    %6 = stablehlo.or %arg0, %arg1 : tensor<7xi16>
    %7 = stablehlo.xor %arg0, %arg1 : tensor<7xi16>
    %8 = stablehlo.not %arg0 : tensor<7xi16>
    %9 = stablehlo.negate %arg0 : tensor<7xi16>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9 = call @expected() : () -> (tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>)
    check.expect_eq %0, %want0 : tensor<7xi16>
    check.expect_eq %1, %want1 : tensor<7xi16>
    check.expect_eq %2, %want2 : tensor<7xi16>
    check.expect_eq %3, %want3 : tensor<7xi16>
    check.expect_eq %4, %want4 : tensor<7xi16>
    check.expect_eq %5, %want5 : tensor<7xi16>
    check.expect_eq %6, %want6 : tensor<7xi16>
    check.expect_eq %7, %want7 : tensor<7xi16>
    check.expect_eq %8, %want8 : tensor<7xi16>
    check.expect_eq %9, %want9 : tensor<7xi16>
    return
  }
  func.func private @inputs() -> (tensor<7xi16>, tensor<7xi16>) {
    %0 = stablehlo.constant dense<[-26882, -2641, 20947, 12519, 23370, -29186, -184]> : tensor<7xi16>
    %1 = stablehlo.constant dense<[-30537, -20220, 22667, -27973, 5758, -31448, -12537]> : tensor<7xi16>
    return %0, %1 : tensor<7xi16>, tensor<7xi16>
  }
  func.func private @expected() -> (tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>) {
    %0 = stablehlo.constant dense<[8117, -22861, -21922, -15454, 29128, 4902, -12721]> : tensor<7xi16>
    %1 = stablehlo.constant dense<[3655, 17579, -1720, -25044, 17612, 2262, 12353]> : tensor<7xi16>
    %2 = stablehlo.constant dense<[-8302, -10820, -2671, 30397, 19052, 9648, 13048]> : tensor<7xi16>
    %3 = stablehlo.constant dense<[-26882, -2641, 22667, 12519, 23370, -29186, -184]> : tensor<7xi16>
    %4 = stablehlo.constant dense<[-30537, -20220, 20947, -27973, 5758, -31448, -12537]> : tensor<7xi16>
    %5 = stablehlo.constant dense<[-32586, -20220, 20611, 4259, 4682, -31448, -12544]> : tensor<7xi16>
    %6 = stablehlo.constant dense<[-24833, -2641, 23003, -19713, 24446, -29186, -177]> : tensor<7xi16>
    %7 = stablehlo.constant dense<[7753, 17579, 2392, -23972, 19764, 2262, 12367]> : tensor<7xi16>
    %8 = stablehlo.constant dense<[26881, 2640, -20948, -12520, -23371, 29185, 183]> : tensor<7xi16>
    %9 = stablehlo.constant dense<[26882, 2641, -20947, -12519, -23370, 29186, 184]> : tensor<7xi16>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>
  }
}
// -----
module @div_i16 {
  func.func public @div_i16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<9xi16>, tensor<9xi16>)
    %0 = stablehlo.divide %arg0, %arg1 : tensor<9xi16>
    %1 = stablehlo.remainder %arg0, %arg1 : tensor<9xi16>
    %want0, %want1 = call @expected() : () -> (tensor<9xi16>, tensor<9xi16>)
    check.expect_eq %0, %want0 : tensor<9xi16>
    check.expect_eq %1, %want1 : tensor<9xi16>
    return
  }
  func.func private @inputs() -> (tensor<9xi16>, tensor<9xi16>) {
    %0 = stablehlo.constant dense<[28360, -11969, -12514, -26920, 18001, -21453, -72, -31157, -31323]> : tensor<9xi16>
    %1 = stablehlo.constant dense<[0, 1, 2, 3, 0, 5, 7, 1, 0]> : tensor<9xi16>
    return %0, %1 : tensor<9xi16>, tensor<9xi16>
  }
  func.func private @expected() -> (tensor<9xi16>, tensor<9xi16>) {
    %0 = stablehlo.constant dense<[-1, -11969, -6257, -8973, -1, -4290, -10, -31157, -1]> : tensor<9xi16>
    %1 = stablehlo.constant dense<[28360, 0, 0, -1, 18001, -3, -2, 0, -31323]> : tensor<9xi16>
    return %0, %1 : tensor<9xi16>, tensor<9xi16>
  }
}
// -----
module @shift_i16 {
  func.func public @shift_i16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<7xi16>, tensor<7xi16>)
    %0 = stablehlo.shift_left %arg0, %arg1 : tensor<7xi16>
    %1 = stablehlo.shift_right_logical %arg0, %arg1 : tensor<7xi16>
    %2 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<7xi16>
    %3 = stablehlo.popcnt %arg0 : tensor<7xi16>
    %4 = stablehlo.count_leading_zeros %arg0 : tensor<7xi16>
    %want0, %want1, %want2, %want3, %want4 = call @expected() : () -> (tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>)
    check.expect_eq %0, %want0 : tensor<7xi16>
    check.expect_eq %1, %want1 : tensor<7xi16>
    check.expect_eq %2, %want2 : tensor<7xi16>
    check.expect_eq %3, %want3 : tensor<7xi16>
    check.expect_eq %4, %want4 : tensor<7xi16>
    return
  }
  func.func private @inputs() -> (tensor<7xi16>, tensor<7xi16>) {
    %0 = stablehlo.constant dense<[22224, -32255, -2209, -4771, -24432, 9498, 15678]> : tensor<7xi16>
    %1 = stablehlo.constant dense<[0, 1, 2, 3, 15, 16, 5]> : tensor<7xi16>
    return %0, %1 : tensor<7xi16>, tensor<7xi16>
  }
  func.func private @expected() -> (tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>) {
    %0 = stablehlo.constant dense<[22224, 1026, -8836, 27368, 0, 0, -22592]> : tensor<7xi16>
    %1 = stablehlo.constant dense<[22224, 16640, 15831, 7595, 1, 0, 489]> : tensor<7xi16>
    %2 = stablehlo.constant dense<[22224, -16128, -553, -597, -1, 0, 489]> : tensor<7xi16>
    %3 = stablehlo.constant dense<[7, 3, 13, 11, 4, 6, 10]> : tensor<7xi16>
    %4 = stablehlo.constant dense<[1, 0, 0, 0, 0, 2, 2]> : tensor<7xi16>
    return %0, %1, %2, %3, %4 : tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>, tensor<7xi16>
  }
}
// -----
module @pow_i16 {
  func.func public @pow_i16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<8xi16>, tensor<8xi16>)
    %0 = stablehlo.power %arg0, %arg1 : tensor<8xi16>
    %want0 = call @expected() : () -> tensor<8xi16>
    check.expect_eq %0, %want0 : tensor<8xi16>
    return
  }
  func.func private @inputs() -> (tensor<8xi16>, tensor<8xi16>) {
    %0 = stablehlo.constant dense<[7, -5, 6, -8, -6, 1, 5, 6]> : tensor<8xi16>
    %1 = stablehlo.constant dense<[0, 1, 2, 3, 5, 7, 0, 2]> : tensor<8xi16>
    return %0, %1 : tensor<8xi16>, tensor<8xi16>
  }
  func.func private @expected() -> (tensor<8xi16>) {
    %0 = stablehlo.constant dense<[1, -5, 36, -512, -7776, 1, 1, 36]> : tensor<8xi16>
    return %0 : tensor<8xi16>
  }
}
// -----
module @sgn_i16 {
  func.func public @sgn_i16() {
    %arg0 = call @inputs() : () -> tensor<7xi16>
    %0 = stablehlo.abs %arg0 : tensor<7xi16>
    %1 = stablehlo.sign %arg0 : tensor<7xi16>
    %want0, %want1 = call @expected() : () -> (tensor<7xi16>, tensor<7xi16>)
    check.expect_eq %0, %want0 : tensor<7xi16>
    check.expect_eq %1, %want1 : tensor<7xi16>
    return
  }
  func.func private @inputs() -> (tensor<7xi16>) {
    %0 = stablehlo.constant dense<[22224, -32255, -2209, -4771, -24432, 9498, 15678]> : tensor<7xi16>
    return %0 : tensor<7xi16>
  }
  func.func private @expected() -> (tensor<7xi16>, tensor<7xi16>) {
    %0 = stablehlo.constant dense<[22224, 32255, 2209, 4771, 24432, 9498, 15678]> : tensor<7xi16>
    %1 = stablehlo.constant dense<[1, -1, -1, -1, -1, 1, 1]> : tensor<7xi16>
    return %0, %1 : tensor<7xi16>, tensor<7xi16>
  }
}
// -----
module @red_i16 {
  func.func public @red_i16() {
    %arg0 = call @inputs() : () -> tensor<3x4xi16>
    %c = stablehlo.constant dense<0> : tensor<i16>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<3x4xi16>, tensor<i16>) -> tensor<3xi16>
    %1 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.maximum across dimensions = [0] : (tensor<3x4xi16>, tensor<i16>) -> tensor<4xi16>
    %2 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.or across dimensions = [0, 1] : (tensor<3x4xi16>, tensor<i16>) -> tensor<i16>
    %3 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.xor across dimensions = [0] : (tensor<3x4xi16>, tensor<i16>) -> tensor<4xi16>
    %c_0 = stablehlo.constant dense<1> : tensor<i16>
    %4 = stablehlo.reduce(%arg0 init: %c_0) applies stablehlo.multiply across dimensions = [1] : (tensor<3x4xi16>, tensor<i16>) -> tensor<3xi16>
    %c_1 = stablehlo.constant dense<-1> : tensor<i16>
    %5 = stablehlo.reduce(%arg0 init: %c_1) applies stablehlo.and across dimensions = [1] : (tensor<3x4xi16>, tensor<i16>) -> tensor<3xi16>
    %want0, %want1, %want2, %want3, %want4, %want5 = call @expected() : () -> (tensor<3xi16>, tensor<4xi16>, tensor<i16>, tensor<4xi16>, tensor<3xi16>, tensor<3xi16>)
    check.expect_eq %0, %want0 : tensor<3xi16>
    check.expect_eq %1, %want1 : tensor<4xi16>
    check.expect_eq %2, %want2 : tensor<i16>
    check.expect_eq %3, %want3 : tensor<4xi16>
    check.expect_eq %4, %want4 : tensor<3xi16>
    check.expect_eq %5, %want5 : tensor<3xi16>
    return
  }
  func.func private @inputs() -> (tensor<3x4xi16>) {
    %0 = stablehlo.constant dense<[[15726, -31003, -5420, 19996], [1834, -20306, 11853, -26680], [12930, -31591, -9155, -13568]]> : tensor<3x4xi16>
    return %0 : tensor<3x4xi16>
  }
  func.func private @expected() -> (tensor<3xi16>, tensor<4xi16>, tensor<i16>, tensor<4xi16>, tensor<3xi16>, tensor<3xi16>) {
    %0 = stablehlo.constant dense<[-701, 32237, 24152]> : tensor<3xi16>
    %1 = stablehlo.constant dense<[15726, 0, 11853, 19996]> : tensor<4xi16>
    %2 = stablehlo.constant dense<-1> : tensor<i16>
    %3 = stablehlo.constant dense<[2246, -19758, 6308, 4820]> : tensor<4xi16>
    %4 = stablehlo.constant dense<[-21216, 23008, 3584]> : tensor<3xi16>
    %5 = stablehlo.constant dense<[4, 8, 0]> : tensor<3xi16>
    return %0, %1, %2, %3, %4, %5 : tensor<3xi16>, tensor<4xi16>, tensor<i16>, tensor<4xi16>, tensor<3xi16>, tensor<3xi16>
  }
}
// -----
module @arith_ui4 {
  func.func public @arith_ui4() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<7xui4>, tensor<7xui4>)
    %0 = stablehlo.add %arg0, %arg1 : tensor<7xui4>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<7xui4>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<7xui4>
    %3 = stablehlo.maximum %arg0, %arg1 : tensor<7xui4>
    %4 = stablehlo.minimum %arg0, %arg1 : tensor<7xui4>
    %5 = stablehlo.and %arg0, %arg1 : tensor<7xui4>
    %6 = stablehlo.or %arg0, %arg1 : tensor<7xui4>
    %7 = stablehlo.xor %arg0, %arg1 : tensor<7xui4>
    %8 = stablehlo.not %arg0 : tensor<7xui4>
    %9 = stablehlo.negate %arg0 : tensor<7xui4>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9 = call @expected() : () -> (tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>)
    check.expect_eq %0, %want0 : tensor<7xui4>
    check.expect_eq %1, %want1 : tensor<7xui4>
    check.expect_eq %2, %want2 : tensor<7xui4>
    check.expect_eq %3, %want3 : tensor<7xui4>
    check.expect_eq %4, %want4 : tensor<7xui4>
    check.expect_eq %5, %want5 : tensor<7xui4>
    check.expect_eq %6, %want6 : tensor<7xui4>
    check.expect_eq %7, %want7 : tensor<7xui4>
    check.expect_eq %8, %want8 : tensor<7xui4>
    check.expect_eq %9, %want9 : tensor<7xui4>
    return
  }
  func.func private @inputs() -> (tensor<7xui4>, tensor<7xui4>) {
    %0 = stablehlo.constant dense<[13, 12, 10, 4, 1, 12, 5]> : tensor<7xui4>
    %1 = stablehlo.constant dense<[3, 0, 2, 0, 6, 4, 7]> : tensor<7xui4>
    return %0, %1 : tensor<7xui4>, tensor<7xui4>
  }
  func.func private @expected() -> (tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>) {
    %0 = stablehlo.constant dense<[0, 12, 12, 4, 7, 0, 12]> : tensor<7xui4>
    %1 = stablehlo.constant dense<[10, 12, 8, 4, 11, 8, 14]> : tensor<7xui4>
    %2 = stablehlo.constant dense<[7, 0, 4, 0, 6, 0, 3]> : tensor<7xui4>
    %3 = stablehlo.constant dense<[13, 12, 10, 4, 6, 12, 7]> : tensor<7xui4>
    %4 = stablehlo.constant dense<[3, 0, 2, 0, 1, 4, 5]> : tensor<7xui4>
    %5 = stablehlo.constant dense<[1, 0, 2, 0, 0, 4, 5]> : tensor<7xui4>
    %6 = stablehlo.constant dense<[15, 12, 10, 4, 7, 12, 7]> : tensor<7xui4>
    %7 = stablehlo.constant dense<[14, 12, 8, 4, 7, 8, 2]> : tensor<7xui4>
    %8 = stablehlo.constant dense<[2, 3, 5, 11, 14, 3, 10]> : tensor<7xui4>
    %9 = stablehlo.constant dense<[3, 4, 6, 12, 15, 4, 11]> : tensor<7xui4>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>
  }
}
// -----
module @div_ui4 {
  func.func public @div_ui4() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<9xui4>, tensor<9xui4>)
    %0 = stablehlo.divide %arg0, %arg1 : tensor<9xui4>
    %1 = stablehlo.remainder %arg0, %arg1 : tensor<9xui4>
    %want0, %want1 = call @expected() : () -> (tensor<9xui4>, tensor<9xui4>)
    check.expect_eq %0, %want0 : tensor<9xui4>
    check.expect_eq %1, %want1 : tensor<9xui4>
    return
  }
  func.func private @inputs() -> (tensor<9xui4>, tensor<9xui4>) {
    %0 = stablehlo.constant dense<[9, 4, 8, 9, 10, 9, 0, 3, 12]> : tensor<9xui4>
    %1 = stablehlo.constant dense<[0, 1, 2, 3, 0, 5, 7, 1, 0]> : tensor<9xui4>
    return %0, %1 : tensor<9xui4>, tensor<9xui4>
  }
  func.func private @expected() -> (tensor<9xui4>, tensor<9xui4>) {
    %0 = stablehlo.constant dense<[15, 4, 4, 3, 15, 1, 0, 3, 15]> : tensor<9xui4>
    %1 = stablehlo.constant dense<[9, 0, 0, 0, 10, 4, 0, 0, 12]> : tensor<9xui4>
    return %0, %1 : tensor<9xui4>, tensor<9xui4>
  }
}
// -----
module @shift_ui4 {
  func.func public @shift_ui4() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<7xui4>, tensor<7xui4>)
    %0 = stablehlo.shift_left %arg0, %arg1 : tensor<7xui4>
    %1 = stablehlo.shift_right_logical %arg0, %arg1 : tensor<7xui4>
    %2 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<7xui4>
    %3 = stablehlo.popcnt %arg0 : tensor<7xui4>
    %4 = stablehlo.count_leading_zeros %arg0 : tensor<7xui4>
    %want0, %want1, %want2, %want3, %want4 = call @expected() : () -> (tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>)
    check.expect_eq %0, %want0 : tensor<7xui4>
    check.expect_eq %1, %want1 : tensor<7xui4>
    check.expect_eq %2, %want2 : tensor<7xui4>
    check.expect_eq %3, %want3 : tensor<7xui4>
    check.expect_eq %4, %want4 : tensor<7xui4>
    return
  }
  func.func private @inputs() -> (tensor<7xui4>, tensor<7xui4>) {
    %0 = stablehlo.constant dense<[9, 4, 5, 14, 11, 5, 4]> : tensor<7xui4>
    %1 = stablehlo.constant dense<[0, 1, 2, 3, 3, 4, 5]> : tensor<7xui4>
    return %0, %1 : tensor<7xui4>, tensor<7xui4>
  }
  func.func private @expected() -> (tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>) {
    %0 = stablehlo.constant dense<[9, 8, 4, 0, 8, 0, 0]> : tensor<7xui4>
    %1 = stablehlo.constant dense<[9, 2, 1, 1, 1, 0, 0]> : tensor<7xui4>
    %2 = stablehlo.constant dense<[9, 2, 1, 15, 15, 0, 0]> : tensor<7xui4>
    %3 = stablehlo.constant dense<[2, 1, 2, 3, 3, 2, 1]> : tensor<7xui4>
    %4 = stablehlo.constant dense<[0, 1, 1, 0, 0, 1, 1]> : tensor<7xui4>
    return %0, %1, %2, %3, %4 : tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>, tensor<7xui4>
  }
}
// -----
module @pow_ui4 {
  func.func public @pow_ui4() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<8xui4>, tensor<8xui4>)
    %0 = stablehlo.power %arg0, %arg1 : tensor<8xui4>
    %want0 = call @expected() : () -> tensor<8xui4>
    check.expect_eq %0, %want0 : tensor<8xui4>
    return
  }
  func.func private @inputs() -> (tensor<8xui4>, tensor<8xui4>) {
    %0 = stablehlo.constant dense<[1, 6, 5, 3, 5, 4, 4, 5]> : tensor<8xui4>
    %1 = stablehlo.constant dense<[0, 1, 2, 3, 5, 7, 0, 2]> : tensor<8xui4>
    return %0, %1 : tensor<8xui4>, tensor<8xui4>
  }
  func.func private @expected() -> (tensor<8xui4>) {
    %0 = stablehlo.constant dense<[1, 6, 9, 11, 5, 0, 1, 9]> : tensor<8xui4>
    return %0 : tensor<8xui4>
  }
}
// -----
module @red_ui4 {
  func.func public @red_ui4() {
    %arg0 = call @inputs() : () -> tensor<3x4xui4>
    %c = stablehlo.constant dense<0> : tensor<ui4>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<3x4xui4>, tensor<ui4>) -> tensor<3xui4>
    %1 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.maximum across dimensions = [0] : (tensor<3x4xui4>, tensor<ui4>) -> tensor<4xui4>
    %2 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.or across dimensions = [0, 1] : (tensor<3x4xui4>, tensor<ui4>) -> tensor<ui4>
    %3 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.xor across dimensions = [0] : (tensor<3x4xui4>, tensor<ui4>) -> tensor<4xui4>
    %c_0 = stablehlo.constant dense<1> : tensor<ui4>
    %4 = stablehlo.reduce(%arg0 init: %c_0) applies stablehlo.multiply across dimensions = [1] : (tensor<3x4xui4>, tensor<ui4>) -> tensor<3xui4>
    %c_1 = stablehlo.not %c : tensor<ui4>
    %5 = stablehlo.reduce(%arg0 init: %c_1) applies stablehlo.and across dimensions = [1] : (tensor<3x4xui4>, tensor<ui4>) -> tensor<3xui4>
    %want0, %want1, %want2, %want3, %want4, %want5 = call @expected() : () -> (tensor<3xui4>, tensor<4xui4>, tensor<ui4>, tensor<4xui4>, tensor<3xui4>, tensor<3xui4>)
    check.expect_eq %0, %want0 : tensor<3xui4>
    check.expect_eq %1, %want1 : tensor<4xui4>
    check.expect_eq %2, %want2 : tensor<ui4>
    check.expect_eq %3, %want3 : tensor<4xui4>
    check.expect_eq %4, %want4 : tensor<3xui4>
    check.expect_eq %5, %want5 : tensor<3xui4>
    return
  }
  func.func private @inputs() -> (tensor<3x4xui4>) {
    %0 = stablehlo.constant dense<[[12, 8, 6, 4], [4, 15, 2, 1], [9, 5, 1, 8]]> : tensor<3x4xui4>
    return %0 : tensor<3x4xui4>
  }
  func.func private @expected() -> (tensor<3xui4>, tensor<4xui4>, tensor<ui4>, tensor<4xui4>, tensor<3xui4>, tensor<3xui4>) {
    %0 = stablehlo.constant dense<[14, 6, 7]> : tensor<3xui4>
    %1 = stablehlo.constant dense<[12, 15, 6, 8]> : tensor<4xui4>
    %2 = stablehlo.constant dense<15> : tensor<ui4>
    %3 = stablehlo.constant dense<[1, 2, 5, 13]> : tensor<4xui4>
    %4 = stablehlo.constant dense<[0, 8, 8]> : tensor<3xui4>
    %5 = stablehlo.constant dense<[0, 0, 0]> : tensor<3xui4>
    return %0, %1, %2, %3, %4, %5 : tensor<3xui4>, tensor<4xui4>, tensor<ui4>, tensor<4xui4>, tensor<3xui4>, tensor<3xui4>
  }
}
// -----
module @arith_ui16 {
  func.func public @arith_ui16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<7xui16>, tensor<7xui16>)
    %0 = stablehlo.add %arg0, %arg1 : tensor<7xui16>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<7xui16>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<7xui16>
    %3 = stablehlo.maximum %arg0, %arg1 : tensor<7xui16>
    %4 = stablehlo.minimum %arg0, %arg1 : tensor<7xui16>
    %5 = stablehlo.and %arg0, %arg1 : tensor<7xui16>
    %6 = stablehlo.or %arg0, %arg1 : tensor<7xui16>
    %7 = stablehlo.xor %arg0, %arg1 : tensor<7xui16>
    %8 = stablehlo.not %arg0 : tensor<7xui16>
    %9 = stablehlo.negate %arg0 : tensor<7xui16>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9 = call @expected() : () -> (tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>)
    check.expect_eq %0, %want0 : tensor<7xui16>
    check.expect_eq %1, %want1 : tensor<7xui16>
    check.expect_eq %2, %want2 : tensor<7xui16>
    check.expect_eq %3, %want3 : tensor<7xui16>
    check.expect_eq %4, %want4 : tensor<7xui16>
    check.expect_eq %5, %want5 : tensor<7xui16>
    check.expect_eq %6, %want6 : tensor<7xui16>
    check.expect_eq %7, %want7 : tensor<7xui16>
    check.expect_eq %8, %want8 : tensor<7xui16>
    check.expect_eq %9, %want9 : tensor<7xui16>
    return
  }
  func.func private @inputs() -> (tensor<7xui16>, tensor<7xui16>) {
    %0 = stablehlo.constant dense<[32611, 32511, 27519, 57758, 34375, 7097, 33046]> : tensor<7xui16>
    %1 = stablehlo.constant dense<[57389, 54795, 24331, 57759, 5961, 49044, 40587]> : tensor<7xui16>
    return %0, %1 : tensor<7xui16>, tensor<7xui16>
  }
  func.func private @expected() -> (tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>) {
    %0 = stablehlo.constant dense<[24464, 21770, 51850, 49981, 40336, 56141, 8097]> : tensor<7xui16>
    %1 = stablehlo.constant dense<[40758, 43252, 3188, 65535, 28414, 23589, 57995]> : tensor<7xui16>
    %2 = stablehlo.constant dense<[1127, 40693, 49013, 65314, 43839, 3572, 43762]> : tensor<7xui16>
    %3 = stablehlo.constant dense<[57389, 54795, 27519, 57759, 34375, 49044, 40587]> : tensor<7xui16>
    %4 = stablehlo.constant dense<[32611, 32511, 24331, 57758, 5961, 7097, 33046]> : tensor<7xui16>
    %5 = stablehlo.constant dense<[24609, 22027, 19211, 57758, 1601, 7056, 32770]> : tensor<7xui16>
    %6 = stablehlo.constant dense<[65391, 65279, 32639, 57759, 38735, 49085, 40863]> : tensor<7xui16>
    %7 = stablehlo.constant dense<[40782, 43252, 13428, 1, 37134, 42029, 8093]> : tensor<7xui16>
    %8 = stablehlo.constant dense<[32924, 33024, 38016, 7777, 31160, 58438, 32489]> : tensor<7xui16>
    %9 = stablehlo.constant dense<[32925, 33025, 38017, 7778, 31161, 58439, 32490]> : tensor<7xui16>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>
  }
}
// -----
module @div_ui16 {
  func.func public @div_ui16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<9xui16>, tensor<9xui16>)
    %0 = stablehlo.divide %arg0, %arg1 : tensor<9xui16>
    %1 = stablehlo.remainder %arg0, %arg1 : tensor<9xui16>
    %want0, %want1 = call @expected() : () -> (tensor<9xui16>, tensor<9xui16>)
    check.expect_eq %0, %want0 : tensor<9xui16>
    check.expect_eq %1, %want1 : tensor<9xui16>
    return
  }
  func.func private @inputs() -> (tensor<9xui16>, tensor<9xui16>) {
    %0 = stablehlo.constant dense<[546, 29811, 24935, 28073, 16957, 55837, 54131, 9030, 50015]> : tensor<9xui16>
    %1 = stablehlo.constant dense<[0, 1, 2, 3, 0, 5, 7, 1, 0]> : tensor<9xui16>
    return %0, %1 : tensor<9xui16>, tensor<9xui16>
  }
  func.func private @expected() -> (tensor<9xui16>, tensor<9xui16>) {
    %0 = stablehlo.constant dense<[65535, 29811, 12467, 9357, 65535, 11167, 7733, 9030, 65535]> : tensor<9xui16>
    %1 = stablehlo.constant dense<[546, 0, 1, 2, 16957, 2, 0, 0, 50015]> : tensor<9xui16>
    return %0, %1 : tensor<9xui16>, tensor<9xui16>
  }
}
// -----
module @shift_ui16 {
  func.func public @shift_ui16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<7xui16>, tensor<7xui16>)
    %0 = stablehlo.shift_left %arg0, %arg1 : tensor<7xui16>
    %1 = stablehlo.shift_right_logical %arg0, %arg1 : tensor<7xui16>
    %2 = stablehlo.shift_right_arithmetic %arg0, %arg1 : tensor<7xui16>
    %3 = stablehlo.popcnt %arg0 : tensor<7xui16>
    %4 = stablehlo.count_leading_zeros %arg0 : tensor<7xui16>
    %want0, %want1, %want2, %want3, %want4 = call @expected() : () -> (tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>)
    check.expect_eq %0, %want0 : tensor<7xui16>
    check.expect_eq %1, %want1 : tensor<7xui16>
    check.expect_eq %2, %want2 : tensor<7xui16>
    check.expect_eq %3, %want3 : tensor<7xui16>
    check.expect_eq %4, %want4 : tensor<7xui16>
    return
  }
  func.func private @inputs() -> (tensor<7xui16>, tensor<7xui16>) {
    %0 = stablehlo.constant dense<[40430, 12145, 27115, 18329, 34619, 8563, 32728]> : tensor<7xui16>
    %1 = stablehlo.constant dense<[0, 1, 2, 3, 15, 16, 5]> : tensor<7xui16>
    return %0, %1 : tensor<7xui16>, tensor<7xui16>
  }
  func.func private @expected() -> (tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>) {
    %0 = stablehlo.constant dense<[40430, 24290, 42924, 15560, 32768, 0, 64256]> : tensor<7xui16>
    %1 = stablehlo.constant dense<[40430, 6072, 6778, 2291, 1, 0, 1022]> : tensor<7xui16>
    %2 = stablehlo.constant dense<[40430, 6072, 6778, 2291, 65535, 0, 1022]> : tensor<7xui16>
    %3 = stablehlo.constant dense<[11, 9, 10, 8, 9, 7, 11]> : tensor<7xui16>
    %4 = stablehlo.constant dense<[0, 2, 1, 1, 0, 2, 1]> : tensor<7xui16>
    return %0, %1, %2, %3, %4 : tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>, tensor<7xui16>
  }
}
// -----
module @pow_ui16 {
  func.func public @pow_ui16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<8xui16>, tensor<8xui16>)
    %0 = stablehlo.power %arg0, %arg1 : tensor<8xui16>
    %want0 = call @expected() : () -> tensor<8xui16>
    check.expect_eq %0, %want0 : tensor<8xui16>
    return
  }
  func.func private @inputs() -> (tensor<8xui16>, tensor<8xui16>) {
    %0 = stablehlo.constant dense<[0, 1, 6, 4, 2, 6, 2, 1]> : tensor<8xui16>
    %1 = stablehlo.constant dense<[0, 1, 2, 3, 5, 7, 0, 2]> : tensor<8xui16>
    return %0, %1 : tensor<8xui16>, tensor<8xui16>
  }
  func.func private @expected() -> (tensor<8xui16>) {
    %0 = stablehlo.constant dense<[1, 1, 36, 64, 32, 17792, 1, 1]> : tensor<8xui16>
    return %0 : tensor<8xui16>
  }
}
// -----
module @red_ui16 {
  func.func public @red_ui16() {
    %arg0 = call @inputs() : () -> tensor<3x4xui16>
    %c = stablehlo.constant dense<0> : tensor<ui16>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<3x4xui16>, tensor<ui16>) -> tensor<3xui16>
    %1 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.maximum across dimensions = [0] : (tensor<3x4xui16>, tensor<ui16>) -> tensor<4xui16>
    %2 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.or across dimensions = [0, 1] : (tensor<3x4xui16>, tensor<ui16>) -> tensor<ui16>
    %3 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.xor across dimensions = [0] : (tensor<3x4xui16>, tensor<ui16>) -> tensor<4xui16>
    %c_0 = stablehlo.constant dense<1> : tensor<ui16>
    %4 = stablehlo.reduce(%arg0 init: %c_0) applies stablehlo.multiply across dimensions = [1] : (tensor<3x4xui16>, tensor<ui16>) -> tensor<3xui16>
    %c_1 = stablehlo.not %c : tensor<ui16>
    %5 = stablehlo.reduce(%arg0 init: %c_1) applies stablehlo.and across dimensions = [1] : (tensor<3x4xui16>, tensor<ui16>) -> tensor<3xui16>
    %want0, %want1, %want2, %want3, %want4, %want5 = call @expected() : () -> (tensor<3xui16>, tensor<4xui16>, tensor<ui16>, tensor<4xui16>, tensor<3xui16>, tensor<3xui16>)
    check.expect_eq %0, %want0 : tensor<3xui16>
    check.expect_eq %1, %want1 : tensor<4xui16>
    check.expect_eq %2, %want2 : tensor<ui16>
    check.expect_eq %3, %want3 : tensor<4xui16>
    check.expect_eq %4, %want4 : tensor<3xui16>
    check.expect_eq %5, %want5 : tensor<3xui16>
    return
  }
  func.func private @inputs() -> (tensor<3x4xui16>) {
    %0 = stablehlo.constant dense<[[58960, 751, 61785, 4427], [52859, 30132, 8221, 63860], [28040, 2899, 47223, 64940]]> : tensor<3x4xui16>
    return %0 : tensor<3x4xui16>
  }
  func.func private @expected() -> (tensor<3xui16>, tensor<4xui16>, tensor<ui16>, tensor<4xui16>, tensor<3xui16>, tensor<3xui16>) {
    %0 = stablehlo.constant dense<[60387, 24000, 12030]> : tensor<3xui16>
    %1 = stablehlo.constant dense<[58960, 30132, 61785, 64940]> : tensor<4xui16>
    %2 = stablehlo.constant dense<65535> : tensor<ui16>
    %3 = stablehlo.constant dense<[17827, 31752, 26931, 5523]> : tensor<4xui16>
    %4 = stablehlo.constant dense<[55568, 15728, 49888]> : tensor<3xui16>
    %5 = stablehlo.constant dense<[64, 16, 2048]> : tensor<3xui16>
    return %0, %1, %2, %3, %4, %5 : tensor<3xui16>, tensor<4xui16>, tensor<ui16>, tensor<4xui16>, tensor<3xui16>, tensor<3xui16>
  }
}
// -----
module @convert_i4 {
  func.func public @convert_i4() {
    %arg0 = call @inputs() : () -> tensor<9xi4>
    %0 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xi4>
    %1 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xi8>
    %2 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xi16>
    %3 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xi32>
    %4 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xi64>
    %5 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xui4>
    %6 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xui8>
    %7 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xui16>
    %8 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xui32>
    %9 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xui64>
    %10 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xf8E4M3FN>
    %11 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xf8E5M2>
    %12 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xbf16>
    %13 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xf16>
    %14 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xf32>
    %15 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xf64>
    %16 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xi1>
    %17 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xcomplex<f32>>
    %18 = stablehlo.convert %arg0 : (tensor<9xi4>) -> tensor<9xcomplex<f64>>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9, %want10, %want11, %want12, %want13, %want14, %want15, %want16, %want17, %want18 = call @expected() : () -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>)
    check.expect_eq %0, %want0 : tensor<9xi4>
    check.expect_eq %1, %want1 : tensor<9xi8>
    check.expect_eq %2, %want2 : tensor<9xi16>
    check.expect_eq %3, %want3 : tensor<9xi32>
    check.expect_eq %4, %want4 : tensor<9xi64>
    check.expect_eq %5, %want5 : tensor<9xui4>
    check.expect_eq %6, %want6 : tensor<9xui8>
    check.expect_eq %7, %want7 : tensor<9xui16>
    check.expect_eq %8, %want8 : tensor<9xui32>
    check.expect_eq %9, %want9 : tensor<9xui64>
    check.expect_close %10, %want10, max_ulp_difference = 0 : tensor<9xf8E4M3FN>, tensor<9xf8E4M3FN>
    check.expect_close %11, %want11, max_ulp_difference = 0 : tensor<9xf8E5M2>, tensor<9xf8E5M2>
    check.expect_close %12, %want12, max_ulp_difference = 0 : tensor<9xbf16>, tensor<9xbf16>
    check.expect_close %13, %want13, max_ulp_difference = 0 : tensor<9xf16>, tensor<9xf16>
    check.expect_close %14, %want14, max_ulp_difference = 0 : tensor<9xf32>, tensor<9xf32>
    check.expect_close %15, %want15, max_ulp_difference = 0 : tensor<9xf64>, tensor<9xf64>
    check.expect_eq %16, %want16 : tensor<9xi1>
    check.expect_close %17, %want17, max_ulp_difference = 0 : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>
    check.expect_close %18, %want18, max_ulp_difference = 0 : tensor<9xcomplex<f64>>, tensor<9xcomplex<f64>>
    return
  }
  func.func private @inputs() -> (tensor<9xi4>) {
    %0 = stablehlo.constant dense<[1, 6, 0, 6, -3, 6, 7, 4, 5]> : tensor<9xi4>
    return %0 : tensor<9xi4>
  }
  func.func private @expected() -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>) {
    %0 = stablehlo.constant dense<[1, 6, 0, 6, -3, 6, 7, 4, 5]> : tensor<9xi4>
    %1 = stablehlo.constant dense<[1, 6, 0, 6, -3, 6, 7, 4, 5]> : tensor<9xi8>
    %2 = stablehlo.constant dense<[1, 6, 0, 6, -3, 6, 7, 4, 5]> : tensor<9xi16>
    %3 = stablehlo.constant dense<[1, 6, 0, 6, -3, 6, 7, 4, 5]> : tensor<9xi32>
    %4 = stablehlo.constant dense<[1, 6, 0, 6, -3, 6, 7, 4, 5]> : tensor<9xi64>
    %5 = stablehlo.constant dense<[1, 6, 0, 6, 13, 6, 7, 4, 5]> : tensor<9xui4>
    %6 = stablehlo.constant dense<[1, 6, 0, 6, 253, 6, 7, 4, 5]> : tensor<9xui8>
    %7 = stablehlo.constant dense<[1, 6, 0, 6, 65533, 6, 7, 4, 5]> : tensor<9xui16>
    %8 = stablehlo.constant dense<[1, 6, 0, 6, 4294967293, 6, 7, 4, 5]> : tensor<9xui32>
    %9 = stablehlo.constant dense<[1, 6, 0, 6, 18446744073709551613, 6, 7, 4, 5]> : tensor<9xui64>
    %10 = stablehlo.constant dense<[1.0, 6.0, 0.0, 6.0, -3.0, 6.0, 7.0, 4.0, 5.0]> : tensor<9xf8E4M3FN>
    %11 = stablehlo.constant dense<[1.0, 6.0, 0.0, 6.0, -3.0, 6.0, 7.0, 4.0, 5.0]> : tensor<9xf8E5M2>
    %12 = stablehlo.constant dense<[1.0, 6.0, 0.0, 6.0, -3.0, 6.0, 7.0, 4.0, 5.0]> : tensor<9xbf16>
    %13 = stablehlo.constant dense<[1.0, 6.0, 0.0, 6.0, -3.0, 6.0, 7.0, 4.0, 5.0]> : tensor<9xf16>
    %14 = stablehlo.constant dense<[1.0, 6.0, 0.0, 6.0, -3.0, 6.0, 7.0, 4.0, 5.0]> : tensor<9xf32>
    %15 = stablehlo.constant dense<[1.0, 6.0, 0.0, 6.0, -3.0, 6.0, 7.0, 4.0, 5.0]> : tensor<9xf64>
    %16 = stablehlo.constant dense<[true, true, false, true, true, true, true, true, true]> : tensor<9xi1>
    %17 = stablehlo.constant dense<[(1.0, 0.0), (6.0, 0.0), (0.0, 0.0), (6.0, 0.0), (-3.0, 0.0), (6.0, 0.0), (7.0, 0.0), (4.0, 0.0), (5.0, 0.0)]> : tensor<9xcomplex<f32>>
    %18 = stablehlo.constant dense<[(1.0, 0.0), (6.0, 0.0), (0.0, 0.0), (6.0, 0.0), (-3.0, 0.0), (6.0, 0.0), (7.0, 0.0), (4.0, 0.0), (5.0, 0.0)]> : tensor<9xcomplex<f64>>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18 : tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>
  }
}
// -----
module @convert_i16 {
  func.func public @convert_i16() {
    %arg0 = call @inputs() : () -> tensor<9xi16>
    %0 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xi4>
    %1 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xi8>
    %2 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xi16>
    %3 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xi32>
    %4 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xi64>
    %5 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xui4>
    %6 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xui8>
    %7 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xui16>
    %8 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xui32>
    %9 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xui64>
    %10 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xf8E4M3FN>
    %11 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xf8E5M2>
    %12 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xbf16>
    %13 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xf16>
    %14 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xf32>
    %15 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xf64>
    %16 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xi1>
    %17 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xcomplex<f32>>
    %18 = stablehlo.convert %arg0 : (tensor<9xi16>) -> tensor<9xcomplex<f64>>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9, %want10, %want11, %want12, %want13, %want14, %want15, %want16, %want17, %want18 = call @expected() : () -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>)
    check.expect_eq %0, %want0 : tensor<9xi4>
    check.expect_eq %1, %want1 : tensor<9xi8>
    check.expect_eq %2, %want2 : tensor<9xi16>
    check.expect_eq %3, %want3 : tensor<9xi32>
    check.expect_eq %4, %want4 : tensor<9xi64>
    check.expect_eq %5, %want5 : tensor<9xui4>
    check.expect_eq %6, %want6 : tensor<9xui8>
    check.expect_eq %7, %want7 : tensor<9xui16>
    check.expect_eq %8, %want8 : tensor<9xui32>
    check.expect_eq %9, %want9 : tensor<9xui64>
    check.expect_close %10, %want10, max_ulp_difference = 0 : tensor<9xf8E4M3FN>, tensor<9xf8E4M3FN>
    check.expect_close %11, %want11, max_ulp_difference = 0 : tensor<9xf8E5M2>, tensor<9xf8E5M2>
    check.expect_close %12, %want12, max_ulp_difference = 0 : tensor<9xbf16>, tensor<9xbf16>
    check.expect_close %13, %want13, max_ulp_difference = 0 : tensor<9xf16>, tensor<9xf16>
    check.expect_close %14, %want14, max_ulp_difference = 0 : tensor<9xf32>, tensor<9xf32>
    check.expect_close %15, %want15, max_ulp_difference = 0 : tensor<9xf64>, tensor<9xf64>
    check.expect_eq %16, %want16 : tensor<9xi1>
    check.expect_close %17, %want17, max_ulp_difference = 0 : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>
    check.expect_close %18, %want18, max_ulp_difference = 0 : tensor<9xcomplex<f64>>, tensor<9xcomplex<f64>>
    return
  }
  func.func private @inputs() -> (tensor<9xi16>) {
    %0 = stablehlo.constant dense<[-28512, 19582, 23462, -16646, -31494, -30846, 18348, -2198, -15194]> : tensor<9xi16>
    return %0 : tensor<9xi16>
  }
  func.func private @expected() -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>) {
    %0 = stablehlo.constant dense<[0, -2, 6, -6, -6, 2, -4, -6, 6]> : tensor<9xi4>
    %1 = stablehlo.constant dense<[-96, 126, -90, -6, -6, -126, -84, 106, -90]> : tensor<9xi8>
    %2 = stablehlo.constant dense<[-28512, 19582, 23462, -16646, -31494, -30846, 18348, -2198, -15194]> : tensor<9xi16>
    %3 = stablehlo.constant dense<[-28512, 19582, 23462, -16646, -31494, -30846, 18348, -2198, -15194]> : tensor<9xi32>
    %4 = stablehlo.constant dense<[-28512, 19582, 23462, -16646, -31494, -30846, 18348, -2198, -15194]> : tensor<9xi64>
    %5 = stablehlo.constant dense<[0, 14, 6, 10, 10, 2, 12, 10, 6]> : tensor<9xui4>
    %6 = stablehlo.constant dense<[160, 126, 166, 250, 250, 130, 172, 106, 166]> : tensor<9xui8>
    %7 = stablehlo.constant dense<[37024, 19582, 23462, 48890, 34042, 34690, 18348, 63338, 50342]> : tensor<9xui16>
    %8 = stablehlo.constant dense<[4294938784, 19582, 23462, 4294950650, 4294935802, 4294936450, 18348, 4294965098, 4294952102]> : tensor<9xui32>
    %9 = stablehlo.constant dense<[18446744073709523104, 19582, 23462, 18446744073709534970, 18446744073709520122, 18446744073709520770, 18348, 18446744073709549418, 18446744073709536422]> : tensor<9xui64>
    %10 = stablehlo.constant dense<[0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F]> : tensor<9xf8E4M3FN>
    %11 = stablehlo.constant dense<[-28672.0, 20480.0, 24576.0, -16384.0, -32768.0, -32768.0, 16384.0, -2048.0, -14336.0]> : tensor<9xf8E5M2>
    %12 = stablehlo.constant dense<[-28544.0, 19584.0, 23424.0, -16640.0, -31488.0, -30848.0, 18304.0, -2192.0, -15168.0]> : tensor<9xbf16>
    %13 = stablehlo.constant dense<[-28510.0, 19580.0, 23460.0, -16640.0, -31490.0, -30850.0, 18350.0, -2198.0, -15190.0]> : tensor<9xf16>
    %14 = stablehlo.constant dense<[-28512.0, 19582.0, 23462.0, -16646.0, -31494.0, -30846.0, 18348.0, -2198.0, -15194.0]> : tensor<9xf32>
    %15 = stablehlo.constant dense<[-28512.0, 19582.0, 23462.0, -16646.0, -31494.0, -30846.0, 18348.0, -2198.0, -15194.0]> : tensor<9xf64>
    %16 = stablehlo.constant dense<[true, true, true, true, true, true, true, true, true]> : tensor<9xi1>
    %17 = stablehlo.constant dense<[(-28512.0, 0.0), (19582.0, 0.0), (23462.0, 0.0), (-16646.0, 0.0), (-31494.0, 0.0), (-30846.0, 0.0), (18348.0, 0.0), (-2198.0, 0.0), (-15194.0, 0.0)]> : tensor<9xcomplex<f32>>
    %18 = stablehlo.constant dense<[(-28512.0, 0.0), (19582.0, 0.0), (23462.0, 0.0), (-16646.0, 0.0), (-31494.0, 0.0), (-30846.0, 0.0), (18348.0, 0.0), (-2198.0, 0.0), (-15194.0, 0.0)]> : tensor<9xcomplex<f64>>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18 : tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>
  }
}
// -----
module @convert_ui4 {
  func.func public @convert_ui4() {
    %arg0 = call @inputs() : () -> tensor<9xui4>
    %0 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xi4>
    %1 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xi8>
    %2 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xi16>
    %3 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xi32>
    %4 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xi64>
    %5 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xui4>
    %6 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xui8>
    %7 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xui16>
    %8 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xui32>
    %9 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xui64>
    %10 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xf8E4M3FN>
    %11 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xf8E5M2>
    %12 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xbf16>
    %13 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xf16>
    %14 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xf32>
    %15 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xf64>
    %16 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xi1>
    %17 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xcomplex<f32>>
    %18 = stablehlo.convert %arg0 : (tensor<9xui4>) -> tensor<9xcomplex<f64>>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9, %want10, %want11, %want12, %want13, %want14, %want15, %want16, %want17, %want18 = call @expected() : () -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>)
    check.expect_eq %0, %want0 : tensor<9xi4>
    check.expect_eq %1, %want1 : tensor<9xi8>
    check.expect_eq %2, %want2 : tensor<9xi16>
    check.expect_eq %3, %want3 : tensor<9xi32>
    check.expect_eq %4, %want4 : tensor<9xi64>
    check.expect_eq %5, %want5 : tensor<9xui4>
    check.expect_eq %6, %want6 : tensor<9xui8>
    check.expect_eq %7, %want7 : tensor<9xui16>
    check.expect_eq %8, %want8 : tensor<9xui32>
    check.expect_eq %9, %want9 : tensor<9xui64>
    check.expect_close %10, %want10, max_ulp_difference = 0 : tensor<9xf8E4M3FN>, tensor<9xf8E4M3FN>
    check.expect_close %11, %want11, max_ulp_difference = 0 : tensor<9xf8E5M2>, tensor<9xf8E5M2>
    check.expect_close %12, %want12, max_ulp_difference = 0 : tensor<9xbf16>, tensor<9xbf16>
    check.expect_close %13, %want13, max_ulp_difference = 0 : tensor<9xf16>, tensor<9xf16>
    check.expect_close %14, %want14, max_ulp_difference = 0 : tensor<9xf32>, tensor<9xf32>
    check.expect_close %15, %want15, max_ulp_difference = 0 : tensor<9xf64>, tensor<9xf64>
    check.expect_eq %16, %want16 : tensor<9xi1>
    check.expect_close %17, %want17, max_ulp_difference = 0 : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>
    check.expect_close %18, %want18, max_ulp_difference = 0 : tensor<9xcomplex<f64>>, tensor<9xcomplex<f64>>
    return
  }
  func.func private @inputs() -> (tensor<9xui4>) {
    %0 = stablehlo.constant dense<[0, 3, 2, 1, 9, 2, 5, 5, 0]> : tensor<9xui4>
    return %0 : tensor<9xui4>
  }
  func.func private @expected() -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>) {
    %0 = stablehlo.constant dense<[0, 3, 2, 1, -7, 2, 5, 5, 0]> : tensor<9xi4>
    %1 = stablehlo.constant dense<[0, 3, 2, 1, 9, 2, 5, 5, 0]> : tensor<9xi8>
    %2 = stablehlo.constant dense<[0, 3, 2, 1, 9, 2, 5, 5, 0]> : tensor<9xi16>
    %3 = stablehlo.constant dense<[0, 3, 2, 1, 9, 2, 5, 5, 0]> : tensor<9xi32>
    %4 = stablehlo.constant dense<[0, 3, 2, 1, 9, 2, 5, 5, 0]> : tensor<9xi64>
    %5 = stablehlo.constant dense<[0, 3, 2, 1, 9, 2, 5, 5, 0]> : tensor<9xui4>
    %6 = stablehlo.constant dense<[0, 3, 2, 1, 9, 2, 5, 5, 0]> : tensor<9xui8>
    %7 = stablehlo.constant dense<[0, 3, 2, 1, 9, 2, 5, 5, 0]> : tensor<9xui16>
    %8 = stablehlo.constant dense<[0, 3, 2, 1, 9, 2, 5, 5, 0]> : tensor<9xui32>
    %9 = stablehlo.constant dense<[0, 3, 2, 1, 9, 2, 5, 5, 0]> : tensor<9xui64>
    %10 = stablehlo.constant dense<[0.0, 3.0, 2.0, 1.0, 9.0, 2.0, 5.0, 5.0, 0.0]> : tensor<9xf8E4M3FN>
    %11 = stablehlo.constant dense<[0.0, 3.0, 2.0, 1.0, 8.0, 2.0, 5.0, 5.0, 0.0]> : tensor<9xf8E5M2>
    %12 = stablehlo.constant dense<[0.0, 3.0, 2.0, 1.0, 9.0, 2.0, 5.0, 5.0, 0.0]> : tensor<9xbf16>
    %13 = stablehlo.constant dense<[0.0, 3.0, 2.0, 1.0, 9.0, 2.0, 5.0, 5.0, 0.0]> : tensor<9xf16>
    %14 = stablehlo.constant dense<[0.0, 3.0, 2.0, 1.0, 9.0, 2.0, 5.0, 5.0, 0.0]> : tensor<9xf32>
    %15 = stablehlo.constant dense<[0.0, 3.0, 2.0, 1.0, 9.0, 2.0, 5.0, 5.0, 0.0]> : tensor<9xf64>
    %16 = stablehlo.constant dense<[false, true, true, true, true, true, true, true, false]> : tensor<9xi1>
    %17 = stablehlo.constant dense<[(0.0, 0.0), (3.0, 0.0), (2.0, 0.0), (1.0, 0.0), (9.0, 0.0), (2.0, 0.0), (5.0, 0.0), (5.0, 0.0), (0.0, 0.0)]> : tensor<9xcomplex<f32>>
    %18 = stablehlo.constant dense<[(0.0, 0.0), (3.0, 0.0), (2.0, 0.0), (1.0, 0.0), (9.0, 0.0), (2.0, 0.0), (5.0, 0.0), (5.0, 0.0), (0.0, 0.0)]> : tensor<9xcomplex<f64>>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18 : tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>
  }
}
// -----
module @convert_ui16 {
  func.func public @convert_ui16() {
    %arg0 = call @inputs() : () -> tensor<9xui16>
    %0 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xi4>
    %1 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xi8>
    %2 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xi16>
    %3 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xi32>
    %4 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xi64>
    %5 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xui4>
    %6 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xui8>
    %7 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xui16>
    %8 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xui32>
    %9 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xui64>
    %10 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xf8E4M3FN>
    %11 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xf8E5M2>
    %12 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xbf16>
    %13 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xf16>
    %14 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xf32>
    %15 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xf64>
    %16 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xi1>
    %17 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xcomplex<f32>>
    %18 = stablehlo.convert %arg0 : (tensor<9xui16>) -> tensor<9xcomplex<f64>>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9, %want10, %want11, %want12, %want13, %want14, %want15, %want16, %want17, %want18 = call @expected() : () -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>)
    check.expect_eq %0, %want0 : tensor<9xi4>
    check.expect_eq %1, %want1 : tensor<9xi8>
    check.expect_eq %2, %want2 : tensor<9xi16>
    check.expect_eq %3, %want3 : tensor<9xi32>
    check.expect_eq %4, %want4 : tensor<9xi64>
    check.expect_eq %5, %want5 : tensor<9xui4>
    check.expect_eq %6, %want6 : tensor<9xui8>
    check.expect_eq %7, %want7 : tensor<9xui16>
    check.expect_eq %8, %want8 : tensor<9xui32>
    check.expect_eq %9, %want9 : tensor<9xui64>
    check.expect_close %10, %want10, max_ulp_difference = 0 : tensor<9xf8E4M3FN>, tensor<9xf8E4M3FN>
    check.expect_close %11, %want11, max_ulp_difference = 0 : tensor<9xf8E5M2>, tensor<9xf8E5M2>
    check.expect_close %12, %want12, max_ulp_difference = 0 : tensor<9xbf16>, tensor<9xbf16>
    check.expect_close %13, %want13, max_ulp_difference = 0 : tensor<9xf16>, tensor<9xf16>
    check.expect_close %14, %want14, max_ulp_difference = 0 : tensor<9xf32>, tensor<9xf32>
    check.expect_close %15, %want15, max_ulp_difference = 0 : tensor<9xf64>, tensor<9xf64>
    check.expect_eq %16, %want16 : tensor<9xi1>
    check.expect_close %17, %want17, max_ulp_difference = 0 : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>
    check.expect_close %18, %want18, max_ulp_difference = 0 : tensor<9xcomplex<f64>>, tensor<9xcomplex<f64>>
    return
  }
  func.func private @inputs() -> (tensor<9xui16>) {
    %0 = stablehlo.constant dense<[20099, 37881, 46720, 141, 25627, 25219, 20921, 20790, 55143]> : tensor<9xui16>
    return %0 : tensor<9xui16>
  }
  func.func private @expected() -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>) {
    %0 = stablehlo.constant dense<[3, -7, 0, -3, -5, 3, -7, 6, 7]> : tensor<9xi4>
    %1 = stablehlo.constant dense<[-125, -7, -128, -115, 27, -125, -71, 54, 103]> : tensor<9xi8>
    %2 = stablehlo.constant dense<[20099, -27655, -18816, 141, 25627, 25219, 20921, 20790, -10393]> : tensor<9xi16>
    %3 = stablehlo.constant dense<[20099, 37881, 46720, 141, 25627, 25219, 20921, 20790, 55143]> : tensor<9xi32>
    %4 = stablehlo.constant dense<[20099, 37881, 46720, 141, 25627, 25219, 20921, 20790, 55143]> : tensor<9xi64>
    %5 = stablehlo.constant dense<[3, 9, 0, 13, 11, 3, 9, 6, 7]> : tensor<9xui4>
    %6 = stablehlo.constant dense<[131, 249, 128, 141, 27, 131, 185, 54, 103]> : tensor<9xui8>
    %7 = stablehlo.constant dense<[20099, 37881, 46720, 141, 25627, 25219, 20921, 20790, 55143]> : tensor<9xui16>
    %8 = stablehlo.constant dense<[20099, 37881, 46720, 141, 25627, 25219, 20921, 20790, 55143]> : tensor<9xui32>
    %9 = stablehlo.constant dense<[20099, 37881, 46720, 141, 25627, 25219, 20921, 20790, 55143]> : tensor<9xui64>
    %10 = stablehlo.constant dense<[0x7F, 0x7F, 0x7F, 144.0, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F]> : tensor<9xf8E4M3FN>
    %11 = stablehlo.constant dense<[20480.0, 40960.0, 49152.0, 128.0, 24576.0, 24576.0, 20480.0, 20480.0, 57344.0]> : tensor<9xf8E5M2>
    %12 = stablehlo.constant dense<[20096.0, 37888.0, 46592.0, 141.0, 25600.0, 25216.0, 20864.0, 20736.0, 55040.0]> : tensor<9xbf16>
    %13 = stablehlo.constant dense<[20100.0, 37900.0, 46720.0, 141.0, 25630.0, 25220.0, 20930.0, 20780.0, 55140.0]> : tensor<9xf16>
    %14 = stablehlo.constant dense<[20099.0, 37881.0, 46720.0, 141.0, 25627.0, 25219.0, 20921.0, 20790.0, 55143.0]> : tensor<9xf32>
    %15 = stablehlo.constant dense<[20099.0, 37881.0, 46720.0, 141.0, 25627.0, 25219.0, 20921.0, 20790.0, 55143.0]> : tensor<9xf64>
    %16 = stablehlo.constant dense<[true, true, true, true, true, true, true, true, true]> : tensor<9xi1>
    %17 = stablehlo.constant dense<[(20099.0, 0.0), (37881.0, 0.0), (46720.0, 0.0), (141.0, 0.0), (25627.0, 0.0), (25219.0, 0.0), (20921.0, 0.0), (20790.0, 0.0), (55143.0, 0.0)]> : tensor<9xcomplex<f32>>
    %18 = stablehlo.constant dense<[(20099.0, 0.0), (37881.0, 0.0), (46720.0, 0.0), (141.0, 0.0), (25627.0, 0.0), (25219.0, 0.0), (20921.0, 0.0), (20790.0, 0.0), (55143.0, 0.0)]> : tensor<9xcomplex<f64>>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18 : tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>
  }
}
// -----
module @convert_f8e4m3fn {
  func.func public @convert_f8e4m3fn() {
    %arg0 = call @inputs() : () -> tensor<9xf8E4M3FN>
    %0 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xi4>
    %1 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xi8>
    %2 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xi16>
    %3 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xi32>
    %4 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xi64>
    %5 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xui4>
    %6 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xui8>
    %7 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xui16>
    %8 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xui32>
    %9 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xui64>
    %10 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xf8E4M3FN>
    %11 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xf8E5M2>
    %12 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xbf16>
    %13 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xf16>
    %14 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xf32>
    %15 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xf64>
    %16 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xi1>
    %17 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xcomplex<f32>>
    %18 = stablehlo.convert %arg0 : (tensor<9xf8E4M3FN>) -> tensor<9xcomplex<f64>>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9, %want10, %want11, %want12, %want13, %want14, %want15, %want16, %want17, %want18 = call @expected() : () -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>)
    check.expect_eq %0, %want0 : tensor<9xi4>
    check.expect_eq %1, %want1 : tensor<9xi8>
    check.expect_eq %2, %want2 : tensor<9xi16>
    check.expect_eq %3, %want3 : tensor<9xi32>
    check.expect_eq %4, %want4 : tensor<9xi64>
    check.expect_eq %5, %want5 : tensor<9xui4>
    check.expect_eq %6, %want6 : tensor<9xui8>
    check.expect_eq %7, %want7 : tensor<9xui16>
    check.expect_eq %8, %want8 : tensor<9xui32>
    check.expect_eq %9, %want9 : tensor<9xui64>
    check.expect_close %10, %want10, max_ulp_difference = 0 : tensor<9xf8E4M3FN>, tensor<9xf8E4M3FN>
    check.expect_close %11, %want11, max_ulp_difference = 0 : tensor<9xf8E5M2>, tensor<9xf8E5M2>
    check.expect_close %12, %want12, max_ulp_difference = 0 : tensor<9xbf16>, tensor<9xbf16>
    check.expect_close %13, %want13, max_ulp_difference = 0 : tensor<9xf16>, tensor<9xf16>
    check.expect_close %14, %want14, max_ulp_difference = 0 : tensor<9xf32>, tensor<9xf32>
    check.expect_close %15, %want15, max_ulp_difference = 0 : tensor<9xf64>, tensor<9xf64>
    check.expect_eq %16, %want16 : tensor<9xi1>
    check.expect_close %17, %want17, max_ulp_difference = 0 : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>
    check.expect_close %18, %want18, max_ulp_difference = 0 : tensor<9xcomplex<f64>>, tensor<9xcomplex<f64>>
    return
  }
  func.func private @inputs() -> (tensor<9xf8E4M3FN>) {
    %0 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 104.0, -7.0, 0x7F, 3.0, 0.1015625]> : tensor<9xf8E4M3FN>
    return %0 : tensor<9xf8E4M3FN>
  }
  func.func private @expected() -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>) {
    %0 = stablehlo.constant dense<[0, 0, 1, -2, 7, -7, 0, 3, 0]> : tensor<9xi4>
    %1 = stablehlo.constant dense<[0, 0, 1, -2, 104, -7, 0, 3, 0]> : tensor<9xi8>
    %2 = stablehlo.constant dense<[0, 0, 1, -2, 104, -7, 0, 3, 0]> : tensor<9xi16>
    %3 = stablehlo.constant dense<[0, 0, 1, -2, 104, -7, 0, 3, 0]> : tensor<9xi32>
    %4 = stablehlo.constant dense<[0, 0, 1, -2, 104, -7, 0, 3, 0]> : tensor<9xi64>
    %5 = stablehlo.constant dense<[0, 0, 1, 0, 15, 0, 0, 3, 0]> : tensor<9xui4>
    %6 = stablehlo.constant dense<[0, 0, 1, 0, 104, 0, 0, 3, 0]> : tensor<9xui8>
    %7 = stablehlo.constant dense<[0, 0, 1, 0, 104, 0, 0, 3, 0]> : tensor<9xui16>
    %8 = stablehlo.constant dense<[0, 0, 1, 0, 104, 0, 0, 3, 0]> : tensor<9xui32>
    %9 = stablehlo.constant dense<[0, 0, 1, 0, 104, 0, 0, 3, 0]> : tensor<9xui64>
    %10 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 104.0, -7.0, 0x7F, 3.0, 0.1015625]> : tensor<9xf8E4M3FN>
    %11 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 96.0, -7.0, 0x7E, 3.0, 0.09375]> : tensor<9xf8E5M2>
    %12 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 104.0, -7.0, 0x7FC0, 3.0, 0.1015625]> : tensor<9xbf16>
    %13 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 104.0, -7.0, 0x7E00, 3.0, 0.10156]> : tensor<9xf16>
    %14 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 104.0, -7.0, 0x7FC00000, 3.0, 0.1015625]> : tensor<9xf32>
    %15 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 104.0, -7.0, 0x7FF8000000000000, 3.0, 0.1015625]> : tensor<9xf64>
    %16 = stablehlo.constant dense<[false, false, true, true, true, true, true, true, true]> : tensor<9xi1>
    %17 = stablehlo.constant dense<[(0.0, 0.0), (-0.0, 0.0), (1.5, 0.0), (-2.5, 0.0), (104.0, 0.0), (-7.0, 0.0), (0x7FC00000, 0.0), (3.0, 0.0), (0.1015625, 0.0)]> : tensor<9xcomplex<f32>>
    %18 = stablehlo.constant dense<[(0.0, 0.0), (-0.0, 0.0), (1.5, 0.0), (-2.5, 0.0), (104.0, 0.0), (-7.0, 0.0), (0x7FF8000000000000, 0.0), (3.0, 0.0), (0.1015625, 0.0)]> : tensor<9xcomplex<f64>>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18 : tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>
  }
}
// -----
module @convert_f8e5m2 {
  func.func public @convert_f8e5m2() {
    %arg0 = call @inputs() : () -> tensor<9xf8E5M2>
    %0 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xi4>
    %1 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xi8>
    %2 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xi16>
    %3 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xi32>
    %4 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xi64>
    %5 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xui4>
    %6 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xui8>
    %7 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xui16>
    %8 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xui32>
    %9 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xui64>
    %10 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xf8E4M3FN>
    %11 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xf8E5M2>
    %12 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xbf16>
    %13 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xf16>
    %14 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xf32>
    %15 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xf64>
    %16 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xi1>
    %17 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xcomplex<f32>>
    %18 = stablehlo.convert %arg0 : (tensor<9xf8E5M2>) -> tensor<9xcomplex<f64>>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9, %want10, %want11, %want12, %want13, %want14, %want15, %want16, %want17, %want18 = call @expected() : () -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>)
    check.expect_eq %0, %want0 : tensor<9xi4>
    check.expect_eq %1, %want1 : tensor<9xi8>
    check.expect_eq %2, %want2 : tensor<9xi16>
    check.expect_eq %3, %want3 : tensor<9xi32>
    check.expect_eq %4, %want4 : tensor<9xi64>
    check.expect_eq %5, %want5 : tensor<9xui4>
    check.expect_eq %6, %want6 : tensor<9xui8>
    check.expect_eq %7, %want7 : tensor<9xui16>
    check.expect_eq %8, %want8 : tensor<9xui32>
    check.expect_eq %9, %want9 : tensor<9xui64>
    check.expect_close %10, %want10, max_ulp_difference = 0 : tensor<9xf8E4M3FN>, tensor<9xf8E4M3FN>
    check.expect_close %11, %want11, max_ulp_difference = 0 : tensor<9xf8E5M2>, tensor<9xf8E5M2>
    check.expect_close %12, %want12, max_ulp_difference = 0 : tensor<9xbf16>, tensor<9xbf16>
    check.expect_close %13, %want13, max_ulp_difference = 0 : tensor<9xf16>, tensor<9xf16>
    check.expect_close %14, %want14, max_ulp_difference = 0 : tensor<9xf32>, tensor<9xf32>
    check.expect_close %15, %want15, max_ulp_difference = 0 : tensor<9xf64>, tensor<9xf64>
    check.expect_eq %16, %want16 : tensor<9xi1>
    check.expect_close %17, %want17, max_ulp_difference = 0 : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>
    check.expect_close %18, %want18, max_ulp_difference = 0 : tensor<9xcomplex<f64>>, tensor<9xcomplex<f64>>
    return
  }
  func.func private @inputs() -> (tensor<9xf8E5M2>) {
    %0 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 96.0, -7.0, 0x7E, 3.0, 0.09375]> : tensor<9xf8E5M2>
    return %0 : tensor<9xf8E5M2>
  }
  func.func private @expected() -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>) {
    %0 = stablehlo.constant dense<[0, 0, 1, -2, 7, -7, 0, 3, 0]> : tensor<9xi4>
    %1 = stablehlo.constant dense<[0, 0, 1, -2, 96, -7, 0, 3, 0]> : tensor<9xi8>
    %2 = stablehlo.constant dense<[0, 0, 1, -2, 96, -7, 0, 3, 0]> : tensor<9xi16>
    %3 = stablehlo.constant dense<[0, 0, 1, -2, 96, -7, 0, 3, 0]> : tensor<9xi32>
    %4 = stablehlo.constant dense<[0, 0, 1, -2, 96, -7, 0, 3, 0]> : tensor<9xi64>
    %5 = stablehlo.constant dense<[0, 0, 1, 0, 15, 0, 0, 3, 0]> : tensor<9xui4>
    %6 = stablehlo.constant dense<[0, 0, 1, 0, 96, 0, 0, 3, 0]> : tensor<9xui8>
    %7 = stablehlo.constant dense<[0, 0, 1, 0, 96, 0, 0, 3, 0]> : tensor<9xui16>
    %8 = stablehlo.constant dense<[0, 0, 1, 0, 96, 0, 0, 3, 0]> : tensor<9xui32>
    %9 = stablehlo.constant dense<[0, 0, 1, 0, 96, 0, 0, 3, 0]> : tensor<9xui64>
    %10 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 96.0, -7.0, 0x7F, 3.0, 0.09375]> : tensor<9xf8E4M3FN>
    %11 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 96.0, -7.0, 0x7E, 3.0, 0.09375]> : tensor<9xf8E5M2>
    %12 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 96.0, -7.0, 0x7FC0, 3.0, 0.09375]> : tensor<9xbf16>
    %13 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 96.0, -7.0, 0x7E00, 3.0, 0.09375]> : tensor<9xf16>
    %14 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 96.0, -7.0, 0x7FC00000, 3.0, 0.09375]> : tensor<9xf32>
    %15 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 96.0, -7.0, 0x7FF8000000000000, 3.0, 0.09375]> : tensor<9xf64>
    %16 = stablehlo.constant dense<[false, false, true, true, true, true, true, true, true]> : tensor<9xi1>
    %17 = stablehlo.constant dense<[(0.0, 0.0), (-0.0, 0.0), (1.5, 0.0), (-2.5, 0.0), (96.0, 0.0), (-7.0, 0.0), (0x7FC00000, 0.0), (3.0, 0.0), (0.09375, 0.0)]> : tensor<9xcomplex<f32>>
    %18 = stablehlo.constant dense<[(0.0, 0.0), (-0.0, 0.0), (1.5, 0.0), (-2.5, 0.0), (96.0, 0.0), (-7.0, 0.0), (0x7FF8000000000000, 0.0), (3.0, 0.0), (0.09375, 0.0)]> : tensor<9xcomplex<f64>>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18 : tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>
  }
}
// -----
module @convert_bf16 {
  func.func public @convert_bf16() {
    %arg0 = call @inputs() : () -> tensor<9xbf16>
    %0 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xi4>
    %1 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xi8>
    %2 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xi16>
    %3 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xi32>
    %4 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xi64>
    %5 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xui4>
    %6 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xui8>
    %7 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xui16>
    %8 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xui32>
    %9 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xui64>
    %10 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xf8E4M3FN>
    %11 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xf8E5M2>
    %12 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xbf16>
    %13 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xf16>
    %14 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xf32>
    %15 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xf64>
    %16 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xi1>
    %17 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xcomplex<f32>>
    %18 = stablehlo.convert %arg0 : (tensor<9xbf16>) -> tensor<9xcomplex<f64>>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9, %want10, %want11, %want12, %want13, %want14, %want15, %want16, %want17, %want18 = call @expected() : () -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>)
    check.expect_eq %0, %want0 : tensor<9xi4>
    check.expect_eq %1, %want1 : tensor<9xi8>
    check.expect_eq %2, %want2 : tensor<9xi16>
    check.expect_eq %3, %want3 : tensor<9xi32>
    check.expect_eq %4, %want4 : tensor<9xi64>
    check.expect_eq %5, %want5 : tensor<9xui4>
    check.expect_eq %6, %want6 : tensor<9xui8>
    check.expect_eq %7, %want7 : tensor<9xui16>
    check.expect_eq %8, %want8 : tensor<9xui32>
    check.expect_eq %9, %want9 : tensor<9xui64>
    check.expect_close %10, %want10, max_ulp_difference = 0 : tensor<9xf8E4M3FN>, tensor<9xf8E4M3FN>
    check.expect_close %11, %want11, max_ulp_difference = 0 : tensor<9xf8E5M2>, tensor<9xf8E5M2>
    check.expect_close %12, %want12, max_ulp_difference = 0 : tensor<9xbf16>, tensor<9xbf16>
    check.expect_close %13, %want13, max_ulp_difference = 0 : tensor<9xf16>, tensor<9xf16>
    check.expect_close %14, %want14, max_ulp_difference = 0 : tensor<9xf32>, tensor<9xf32>
    check.expect_close %15, %want15, max_ulp_difference = 0 : tensor<9xf64>, tensor<9xf64>
    check.expect_eq %16, %want16 : tensor<9xi1>
    check.expect_close %17, %want17, max_ulp_difference = 0 : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>
    check.expect_close %18, %want18, max_ulp_difference = 0 : tensor<9xcomplex<f64>>, tensor<9xcomplex<f64>>
    return
  }
  func.func private @inputs() -> (tensor<9xbf16>) {
    %0 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 100.5, -7.0, 0x7FC0, 3.0, 0.10009765625]> : tensor<9xbf16>
    return %0 : tensor<9xbf16>
  }
  func.func private @expected() -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>) {
    %0 = stablehlo.constant dense<[0, 0, 1, -2, 7, -7, 0, 3, 0]> : tensor<9xi4>
    %1 = stablehlo.constant dense<[0, 0, 1, -2, 100, -7, 0, 3, 0]> : tensor<9xi8>
    %2 = stablehlo.constant dense<[0, 0, 1, -2, 100, -7, 0, 3, 0]> : tensor<9xi16>
    %3 = stablehlo.constant dense<[0, 0, 1, -2, 100, -7, 0, 3, 0]> : tensor<9xi32>
    %4 = stablehlo.constant dense<[0, 0, 1, -2, 100, -7, 0, 3, 0]> : tensor<9xi64>
    %5 = stablehlo.constant dense<[0, 0, 1, 0, 15, 0, 0, 3, 0]> : tensor<9xui4>
    %6 = stablehlo.constant dense<[0, 0, 1, 0, 100, 0, 0, 3, 0]> : tensor<9xui8>
    %7 = stablehlo.constant dense<[0, 0, 1, 0, 100, 0, 0, 3, 0]> : tensor<9xui16>
    %8 = stablehlo.constant dense<[0, 0, 1, 0, 100, 0, 0, 3, 0]> : tensor<9xui32>
    %9 = stablehlo.constant dense<[0, 0, 1, 0, 100, 0, 0, 3, 0]> : tensor<9xui64>
    %10 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 104.0, -7.0, 0x7F, 3.0, 0.1015625]> : tensor<9xf8E4M3FN>
    %11 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 96.0, -7.0, 0x7E, 3.0, 0.09375]> : tensor<9xf8E5M2>
    %12 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 100.5, -7.0, 0x7FC0, 3.0, 0.10009765625]> : tensor<9xbf16>
    %13 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 100.5, -7.0, 0x7E00, 3.0, 0.1001]> : tensor<9xf16>
    %14 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 100.5, -7.0, 0x7FC00000, 3.0, 0.100097656]> : tensor<9xf32>
    %15 = stablehlo.constant dense<[0.0, -0.0, 1.5, -2.5, 100.5, -7.0, 0x7FF8000000000000, 3.0, 0.10009765625]> : tensor<9xf64>
    %16 = stablehlo.constant dense<[false, false, true, true, true, true, true, true, true]> : tensor<9xi1>
    %17 = stablehlo.constant dense<[(0.0, 0.0), (-0.0, 0.0), (1.5, 0.0), (-2.5, 0.0), (100.5, 0.0), (-7.0, 0.0), (0x7FC00000, 0.0), (3.0, 0.0), (0.100097656, 0.0)]> : tensor<9xcomplex<f32>>
    %18 = stablehlo.constant dense<[(0.0, 0.0), (-0.0, 0.0), (1.5, 0.0), (-2.5, 0.0), (100.5, 0.0), (-7.0, 0.0), (0x7FF8000000000000, 0.0), (3.0, 0.0), (0.10009765625, 0.0)]> : tensor<9xcomplex<f64>>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18 : tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>
  }
}
// -----
module @convert_i1 {
  func.func public @convert_i1() {
    %arg0 = call @inputs() : () -> tensor<9xi1>
    %0 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xi4>
    %1 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xi8>
    %2 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xi16>
    %3 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xi32>
    %4 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xi64>
    %5 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xui4>
    %6 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xui8>
    %7 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xui16>
    %8 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xui32>
    %9 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xui64>
    %10 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xf8E4M3FN>
    %11 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xf8E5M2>
    %12 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xbf16>
    %13 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xf16>
    %14 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xf32>
    %15 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xf64>
    %16 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xi1>
    %17 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xcomplex<f32>>
    %18 = stablehlo.convert %arg0 : (tensor<9xi1>) -> tensor<9xcomplex<f64>>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9, %want10, %want11, %want12, %want13, %want14, %want15, %want16, %want17, %want18 = call @expected() : () -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>)
    check.expect_eq %0, %want0 : tensor<9xi4>
    check.expect_eq %1, %want1 : tensor<9xi8>
    check.expect_eq %2, %want2 : tensor<9xi16>
    check.expect_eq %3, %want3 : tensor<9xi32>
    check.expect_eq %4, %want4 : tensor<9xi64>
    check.expect_eq %5, %want5 : tensor<9xui4>
    check.expect_eq %6, %want6 : tensor<9xui8>
    check.expect_eq %7, %want7 : tensor<9xui16>
    check.expect_eq %8, %want8 : tensor<9xui32>
    check.expect_eq %9, %want9 : tensor<9xui64>
    check.expect_close %10, %want10, max_ulp_difference = 0 : tensor<9xf8E4M3FN>, tensor<9xf8E4M3FN>
    check.expect_close %11, %want11, max_ulp_difference = 0 : tensor<9xf8E5M2>, tensor<9xf8E5M2>
    check.expect_close %12, %want12, max_ulp_difference = 0 : tensor<9xbf16>, tensor<9xbf16>
    check.expect_close %13, %want13, max_ulp_difference = 0 : tensor<9xf16>, tensor<9xf16>
    check.expect_close %14, %want14, max_ulp_difference = 0 : tensor<9xf32>, tensor<9xf32>
    check.expect_close %15, %want15, max_ulp_difference = 0 : tensor<9xf64>, tensor<9xf64>
    check.expect_eq %16, %want16 : tensor<9xi1>
    check.expect_close %17, %want17, max_ulp_difference = 0 : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>
    check.expect_close %18, %want18, max_ulp_difference = 0 : tensor<9xcomplex<f64>>, tensor<9xcomplex<f64>>
    return
  }
  func.func private @inputs() -> (tensor<9xi1>) {
    %0 = stablehlo.constant dense<[false, true, true, false, true, false, false, true, true]> : tensor<9xi1>
    return %0 : tensor<9xi1>
  }
  func.func private @expected() -> (tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>) {
    %0 = stablehlo.constant dense<[0, 1, 1, 0, 1, 0, 0, 1, 1]> : tensor<9xi4>
    %1 = stablehlo.constant dense<[0, 1, 1, 0, 1, 0, 0, 1, 1]> : tensor<9xi8>
    %2 = stablehlo.constant dense<[0, 1, 1, 0, 1, 0, 0, 1, 1]> : tensor<9xi16>
    %3 = stablehlo.constant dense<[0, 1, 1, 0, 1, 0, 0, 1, 1]> : tensor<9xi32>
    %4 = stablehlo.constant dense<[0, 1, 1, 0, 1, 0, 0, 1, 1]> : tensor<9xi64>
    %5 = stablehlo.constant dense<[0, 1, 1, 0, 1, 0, 0, 1, 1]> : tensor<9xui4>
    %6 = stablehlo.constant dense<[0, 1, 1, 0, 1, 0, 0, 1, 1]> : tensor<9xui8>
    %7 = stablehlo.constant dense<[0, 1, 1, 0, 1, 0, 0, 1, 1]> : tensor<9xui16>
    %8 = stablehlo.constant dense<[0, 1, 1, 0, 1, 0, 0, 1, 1]> : tensor<9xui32>
    %9 = stablehlo.constant dense<[0, 1, 1, 0, 1, 0, 0, 1, 1]> : tensor<9xui64>
    %10 = stablehlo.constant dense<[0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0]> : tensor<9xf8E4M3FN>
    %11 = stablehlo.constant dense<[0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0]> : tensor<9xf8E5M2>
    %12 = stablehlo.constant dense<[0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0]> : tensor<9xbf16>
    %13 = stablehlo.constant dense<[0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0]> : tensor<9xf16>
    %14 = stablehlo.constant dense<[0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0]> : tensor<9xf32>
    %15 = stablehlo.constant dense<[0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0]> : tensor<9xf64>
    %16 = stablehlo.constant dense<[false, true, true, false, true, false, false, true, true]> : tensor<9xi1>
    %17 = stablehlo.constant dense<[(0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (0.0, 0.0), (1.0, 0.0), (0.0, 0.0), (0.0, 0.0), (1.0, 0.0), (1.0, 0.0)]> : tensor<9xcomplex<f32>>
    %18 = stablehlo.constant dense<[(0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (0.0, 0.0), (1.0, 0.0), (0.0, 0.0), (0.0, 0.0), (1.0, 0.0), (1.0, 0.0)]> : tensor<9xcomplex<f64>>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18 : tensor<9xi4>, tensor<9xi8>, tensor<9xi16>, tensor<9xi32>, tensor<9xi64>, tensor<9xui4>, tensor<9xui8>, tensor<9xui16>, tensor<9xui32>, tensor<9xui64>, tensor<9xf8E4M3FN>, tensor<9xf8E5M2>, tensor<9xbf16>, tensor<9xf16>, tensor<9xf32>, tensor<9xf64>, tensor<9xi1>, tensor<9xcomplex<f32>>, tensor<9xcomplex<f64>>
  }
}
// -----
module @unary_f8e4m3fn {
  func.func public @unary_f8e4m3fn() {
    %arg0 = call @inputs() : () -> tensor<13xf8E4M3FN>
    %0 = stablehlo.exponential %arg0 : tensor<13xf8E4M3FN>
    %1 = stablehlo.log %arg0 : tensor<13xf8E4M3FN>
    %2 = stablehlo.sine %arg0 : tensor<13xf8E4M3FN>
    %3 = stablehlo.cosine %arg0 : tensor<13xf8E4M3FN>
    %4 = stablehlo.tanh %arg0 : tensor<13xf8E4M3FN>
    %5 = stablehlo.sqrt %arg0 : tensor<13xf8E4M3FN>
    %6 = stablehlo.rsqrt %arg0 : tensor<13xf8E4M3FN>
    %7 = stablehlo.exponential_minus_one %arg0 : tensor<13xf8E4M3FN>
    %8 = stablehlo.log_plus_one %arg0 : tensor<13xf8E4M3FN>
    %9 = stablehlo.logistic %arg0 : tensor<13xf8E4M3FN>
    %10 = stablehlo.cbrt %arg0 : tensor<13xf8E4M3FN>
    %11 = stablehlo.floor %arg0 : tensor<13xf8E4M3FN>
    %12 = stablehlo.ceil %arg0 : tensor<13xf8E4M3FN>
    %13 = stablehlo.round_nearest_even %arg0 : tensor<13xf8E4M3FN>
    %14 = stablehlo.abs %arg0 : tensor<13xf8E4M3FN>
    %15 = stablehlo.negate %arg0 : tensor<13xf8E4M3FN>
    %16 = stablehlo.tan %arg0 : tensor<13xf8E4M3FN>
    %17 = stablehlo.sign %arg0 : tensor<13xf8E4M3FN>
    %18 = stablehlo.round_nearest_afz %arg0 : tensor<13xf8E4M3FN>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9, %want10, %want11, %want12, %want13, %want14, %want15, %want16, %want17, %want18 = call @expected() : () -> (tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>)
    check.expect_almost_eq %0, %want0, tolerance = 7.1e+00 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %1, %want1, tolerance = 1.7e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %2, %want2, tolerance = 1.3e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %3, %want3, tolerance = 1.3e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %4, %want4, tolerance = 1.3e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %5, %want5, tolerance = 2.5e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %6, %want6, tolerance = 2.5e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %7, %want7, tolerance = 6.6e+00 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %8, %want8, tolerance = 2.1e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %9, %want9, tolerance = 1.3e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %10, %want10, tolerance = 2.4e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %11, %want11, tolerance = 7.6e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %12, %want12, tolerance = 7.6e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %13, %want13, tolerance = 7.6e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %14, %want14, tolerance = 7.6e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %15, %want15, tolerance = 7.6e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %16, %want16, tolerance = 1.8e+00 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %17, %want17, tolerance = 1.3e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %18, %want18, tolerance = 7.6e-01 : tensor<13xf8E4M3FN>
    return
  }
  func.func private @inputs() -> (tensor<13xf8E4M3FN>) {
    %0 = stablehlo.constant dense<[0.5, -0.0, 0.0, 1.5, -2.5, 2.5, -0.75, 3.0, 4.0, 0x7F, 0.25, -6.0, -0.5]> : tensor<13xf8E4M3FN>
    return %0 : tensor<13xf8E4M3FN>
  }
  func.func private @expected() -> (tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>) {
    %0 = stablehlo.constant dense<[1.625, 1.0, 1.0, 4.5, 0.0859375, 12.0, 0.46875, 20.0, 56.0, 0x7F, 1.25, 0.001953125, 0.625]> : tensor<13xf8E4M3FN>
    %1 = stablehlo.constant dense<[-0.6875, 0x7F, 0x7F, 0.40625, 0x7F, 0.9375, 0x7F, 1.125, 1.375, 0x7F, -1.375, 0x7F, 0x7F]> : tensor<13xf8E4M3FN>
    %2 = stablehlo.constant dense<[0.46875, -0.0, 0.0, 1.0, -0.625, 0.625, -0.6875, 0.140625, -0.75, 0x7F, 0.25, 0.28125, -0.46875]> : tensor<13xf8E4M3FN>
    %3 = stablehlo.constant dense<[0.875, 1.0, 1.0, 0.0703125, -0.8125, -0.8125, 0.75, -1.0, -0.625, 0x7F, 1.0, 0.9375, 0.875]> : tensor<13xf8E4M3FN>
    %4 = stablehlo.constant dense<[0.46875, -0.0, 0.0, 0.875, -1.0, 1.0, -0.625, 1.0, 1.0, 0x7F, 0.25, -1.0, -0.46875]> : tensor<13xf8E4M3FN>
    %5 = stablehlo.constant dense<[0.6875, -0.0, 0.0, 1.25, 0x7F, 1.625, 0x7F, 1.75, 2.0, 0x7F, 0.5, 0x7F, 0x7F]> : tensor<13xf8E4M3FN>
    %6 = stablehlo.constant dense<[1.375, 0x7F, 0x7F, 0.8125, 0x7F, 0.625, 0x7F, 0.5625, 0.5, 0x7F, 2.0, 0x7F, 0x7F]> : tensor<13xf8E4M3FN>
    %7 = stablehlo.constant dense<[0.625, -0.0, 0.0, 3.5, -0.9375, 11.0, -0.5, 20.0, 52.0, 0x7F, 0.28125, -1.0, -0.40625]> : tensor<13xf8E4M3FN>
    %8 = stablehlo.constant dense<[0.40625, -0.0, 0.0, 0.9375, 0x7F, 1.25, -1.375, 1.375, 1.625, 0x7F, 0.21875, 0x7F, -0.6875]> : tensor<13xf8E4M3FN>
    %9 = stablehlo.constant dense<[0.625, 0.5, 0.5, 0.8125, 0.078125, 0.9375, 0.3125, 0.9375, 1.0, 0x7F, 0.5625, 0.001953125, 0.375]> : tensor<13xf8E4M3FN>
    %10 = stablehlo.constant dense<[0.8125, -0.0, 0.0, 1.125, -1.375, 1.375, -0.9375, 1.5, 1.625, 0x7F, 0.625, -1.875, -0.8125]> : tensor<13xf8E4M3FN>
    %11 = stablehlo.constant dense<[0.0, -0.0, 0.0, 1.0, -3.0, 2.0, -1.0, 3.0, 4.0, 0x7F, 0.0, -6.0, -1.0]> : tensor<13xf8E4M3FN>
    %12 = stablehlo.constant dense<[1.0, -0.0, 0.0, 2.0, -2.0, 3.0, -0.0, 3.0, 4.0, 0x7F, 1.0, -6.0, -0.0]> : tensor<13xf8E4M3FN>
    %13 = stablehlo.constant dense<[0.0, -0.0, 0.0, 2.0, -2.0, 2.0, -1.0, 3.0, 4.0, 0x7F, 0.0, -6.0, -0.0]> : tensor<13xf8E4M3FN>
    %14 = stablehlo.constant dense<[0.5, 0.0, 0.0, 1.5, 2.5, 2.5, 0.75, 3.0, 4.0, 0x7F, 0.25, 6.0, 0.5]> : tensor<13xf8E4M3FN>
    %15 = stablehlo.constant dense<[-0.5, 0.0, -0.0, -1.5, 2.5, -2.5, 0.75, -3.0, -4.0, 0x7F, -0.25, 6.0, 0.5]> : tensor<13xf8E4M3FN>
    %16 = stablehlo.constant dense<[0.5625, -0.0, 0.0, 14.0, 0.75, -0.75, -0.9375, -0.140625, 1.125, 0x7F, 0.25, 0.28125, -0.5625]> : tensor<13xf8E4M3FN>
    %17 = stablehlo.constant dense<[1.0, 0.0, 0.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 0x7F, 1.0, -1.0, -1.0]> : tensor<13xf8E4M3FN>
    %18 = stablehlo.constant dense<[1.0, -0.0, 0.0, 2.0, -3.0, 3.0, -1.0, 3.0, 4.0, 0x7F, 0.0, -6.0, -1.0]> : tensor<13xf8E4M3FN>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18 : tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>
  }
}
// -----
module @binary_f8e4m3fn {
  func.func public @binary_f8e4m3fn() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>)
    %0 = stablehlo.add %arg0, %arg1 : tensor<13xf8E4M3FN>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<13xf8E4M3FN>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<13xf8E4M3FN>
    %3 = stablehlo.divide %arg0, %arg1 : tensor<13xf8E4M3FN>
    %4 = stablehlo.power %arg0, %arg1 : tensor<13xf8E4M3FN>
    %5 = stablehlo.atan2 %arg0, %arg1 : tensor<13xf8E4M3FN>
    %6 = stablehlo.maximum %arg0, %arg1 : tensor<13xf8E4M3FN>
    %7 = stablehlo.minimum %arg0, %arg1 : tensor<13xf8E4M3FN>
    %8 = stablehlo.remainder %arg0, %arg1 : tensor<13xf8E4M3FN>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8 = call @expected() : () -> (tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>)
    check.expect_almost_eq %0, %want0, tolerance = 7.6e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %1, %want1, tolerance = 7.6e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %2, %want2, tolerance = 1.0e+00 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %3, %want3, tolerance = 7.6e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %4, %want4, tolerance = 2.0e+00 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %5, %want5, tolerance = 4.1e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %6, %want6, tolerance = 5.1e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %7, %want7, tolerance = 7.6e-01 : tensor<13xf8E4M3FN>
    check.expect_almost_eq %8, %want8, tolerance = 1.3e-01 : tensor<13xf8E4M3FN>
    return
  }
  func.func private @inputs() -> (tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>) {
    %0 = stablehlo.constant dense<[0.5, -0.0, 0.0, 1.5, -2.5, 2.5, -0.75, 3.0, 4.0, 0x7F, 0.25, -6.0, -0.5]> : tensor<13xf8E4M3FN>
    %1 = stablehlo.constant dense<[1.0, -3.0, 0.5, 0x7F, 2.0, -1.0, 0.25, -0.5, 2.0, 1.0, 0.0, -0.0, 3.0]> : tensor<13xf8E4M3FN>
    return %0, %1 : tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>
  }
  func.func private @expected() -> (tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>) {
    %0 = stablehlo.constant dense<[1.5, -3.0, 0.5, 0x7F, -0.5, 1.5, -0.5, 2.5, 6.0, 0x7F, 0.25, -6.0, 2.5]> : tensor<13xf8E4M3FN>
    %1 = stablehlo.constant dense<[-0.5, 3.0, -0.5, 0x7F, -4.5, 3.5, -1.0, 3.5, 2.0, 0x7F, 0.25, -6.0, -3.5]> : tensor<13xf8E4M3FN>
    %2 = stablehlo.constant dense<[0.5, 0.0, 0.0, 0x7F, -5.0, -2.5, -0.1875, -1.5, 8.0, 0x7F, 0.0, 0.0, -1.5]> : tensor<13xf8E4M3FN>
    %3 = stablehlo.constant dense<[0.5, 0.0, 0.0, 0x7F, -1.25, -2.5, -3.0, -6.0, 2.0, 0x7F, 0x7F, 0x7F, -0.171875]> : tensor<13xf8E4M3FN>
    %4 = stablehlo.constant dense<[0.5, 0x7F, 0.0, 0x7F, 6.0, 0.40625, 0x7F, 0.5625, 16.0, 0x7F, 1.0, 1.0, -0.125]> : tensor<13xf8E4M3FN>
    %5 = stablehlo.constant dense<[0.46875, -3.25, 0.0, 0x7F, -0.875, 2.0, -1.25, 1.75, 1.125, 0x7F, 1.625, -1.625, -0.171875]> : tensor<13xf8E4M3FN>
    %6 = stablehlo.constant dense<[1.0, -0.0, 0.5, 0x7F, 2.0, 2.5, 0.25, 3.0, 4.0, 0x7F, 0.25, -0.0, 3.0]> : tensor<13xf8E4M3FN>
    %7 = stablehlo.constant dense<[0.5, -3.0, 0.0, 0x7F, -2.5, -1.0, -0.75, -0.5, 2.0, 0x7F, 0.0, -6.0, -0.5]> : tensor<13xf8E4M3FN>
    %8 = stablehlo.constant dense<[0.5, -0.0, 0.0, 0x7F, -0.5, 0.5, -0.0, 0.0, 0.0, 0x7F, 0x7F, 0x7F, -0.5]> : tensor<13xf8E4M3FN>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>
  }
}
// -----
module @compare_f8e4m3fn {
  func.func public @compare_f8e4m3fn() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>)
    %0 = stablehlo.compare  EQ, %arg0, %arg1,  FLOAT : (tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>) -> tensor<13xi1>
    %1 = stablehlo.compare  NE, %arg0, %arg1,  FLOAT : (tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>) -> tensor<13xi1>
    %2 = stablehlo.compare  GE, %arg0, %arg1,  FLOAT : (tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>) -> tensor<13xi1>
    %3 = stablehlo.compare  GT, %arg0, %arg1,  FLOAT : (tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>) -> tensor<13xi1>
    %4 = stablehlo.compare  LE, %arg0, %arg1,  FLOAT : (tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>) -> tensor<13xi1>
    %5 = stablehlo.compare  LT, %arg0, %arg1,  FLOAT : (tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>) -> tensor<13xi1>
    %want0, %want1, %want2, %want3, %want4, %want5 = call @expected() : () -> (tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>)
    check.expect_eq %0, %want0 : tensor<13xi1>
    check.expect_eq %1, %want1 : tensor<13xi1>
    check.expect_eq %2, %want2 : tensor<13xi1>
    check.expect_eq %3, %want3 : tensor<13xi1>
    check.expect_eq %4, %want4 : tensor<13xi1>
    check.expect_eq %5, %want5 : tensor<13xi1>
    return
  }
  func.func private @inputs() -> (tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>) {
    %0 = stablehlo.constant dense<[0.5, -0.0, 0.0, 1.5, -2.5, 2.5, -0.75, 3.0, 4.0, 0x7F, 0.25, -6.0, -0.5]> : tensor<13xf8E4M3FN>
    %1 = stablehlo.constant dense<[1.0, -3.0, 0.5, 0x7F, 2.0, -1.0, 0.25, -0.5, 2.0, 1.0, 0.0, -0.0, 3.0]> : tensor<13xf8E4M3FN>
    return %0, %1 : tensor<13xf8E4M3FN>, tensor<13xf8E4M3FN>
  }
  func.func private @expected() -> (tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>) {
    %0 = stablehlo.constant dense<[false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<13xi1>
    %1 = stablehlo.constant dense<[true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<13xi1>
    %2 = stablehlo.constant dense<[false, true, false, false, false, true, false, true, true, false, true, false, false]> : tensor<13xi1>
    %3 = stablehlo.constant dense<[false, true, false, false, false, true, false, true, true, false, true, false, false]> : tensor<13xi1>
    %4 = stablehlo.constant dense<[true, false, true, false, true, false, true, false, false, false, false, true, true]> : tensor<13xi1>
    %5 = stablehlo.constant dense<[true, false, true, false, true, false, true, false, false, false, false, true, true]> : tensor<13xi1>
    return %0, %1, %2, %3, %4, %5 : tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>
  }
}
// -----
module @fin_f8e4m3fn {
  func.func public @fin_f8e4m3fn() {
    %arg0 = call @inputs() : () -> tensor<13xf8E4M3FN>
    %0 = stablehlo.is_finite %arg0 : (tensor<13xf8E4M3FN>) -> tensor<13xi1>
    %1 = chlo.is_inf %arg0 : tensor<13xf8E4M3FN> -> tensor<13xi1>
    %want0, %want1 = call @expected() : () -> (tensor<13xi1>, tensor<13xi1>)
    check.expect_eq %0, %want0 : tensor<13xi1>
    check.expect_eq %1, %want1 : tensor<13xi1>
    return
  }
  func.func private @inputs() -> (tensor<13xf8E4M3FN>) {
    %0 = stablehlo.constant dense<[0.5, -0.0, 0.0, 1.5, -2.5, 2.5, -0.75, 3.0, 4.0, 0x7F, 0.25, -6.0, -0.5]> : tensor<13xf8E4M3FN>
    return %0 : tensor<13xf8E4M3FN>
  }
  func.func private @expected() -> (tensor<13xi1>, tensor<13xi1>) {
    %0 = stablehlo.constant dense<[true, true, true, true, true, true, true, true, true, false, true, true, true]> : tensor<13xi1>
    %1 = stablehlo.constant dense<[false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<13xi1>
    return %0, %1 : tensor<13xi1>, tensor<13xi1>
  }
}
// -----
module @fred_f8e4m3fn {
  func.func public @fred_f8e4m3fn() {
    %arg0 = call @inputs() : () -> tensor<3x3xf8E4M3FN>
    %cst = stablehlo.constant dense<-448.0> : tensor<f8E4M3FN>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f8E4M3FN>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<3x3xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<3xf8E4M3FN>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<3x3xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<3xf8E4M3FN>
    %2 = stablehlo.reduce(%arg0 init: %cst_0) across dimensions = [0] : (tensor<3x3xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<3xf8E4M3FN>
     reducer(%arg1: tensor<f8E4M3FN>, %arg2: tensor<f8E4M3FN>)  {
      %3 = stablehlo.minimum %arg1, %arg2 : tensor<f8E4M3FN>
      stablehlo.return %3 : tensor<f8E4M3FN>
    }
    %want0, %want1, %want2 = call @expected() : () -> (tensor<3xf8E4M3FN>, tensor<3xf8E4M3FN>, tensor<3xf8E4M3FN>)
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3xf8E4M3FN>, tensor<3xf8E4M3FN>
    check.expect_close %1, %want1, max_ulp_difference = 0 : tensor<3xf8E4M3FN>, tensor<3xf8E4M3FN>
    check.expect_close %2, %want2, max_ulp_difference = 0 : tensor<3xf8E4M3FN>, tensor<3xf8E4M3FN>
    return
  }
  func.func private @inputs() -> (tensor<3x3xf8E4M3FN>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0, -3.0], [4.0, 0x7F, 0.5], [-0.0, 0.0, -0.0]]> : tensor<3x3xf8E4M3FN>
    return %0 : tensor<3x3xf8E4M3FN>
  }
  func.func private @expected() -> (tensor<3xf8E4M3FN>, tensor<3xf8E4M3FN>, tensor<3xf8E4M3FN>) {
    %0 = stablehlo.constant dense<[2.0, 0x7F, 0.0]> : tensor<3xf8E4M3FN>
    %1 = stablehlo.constant dense<[0.0, 0x7F, 0.0]> : tensor<3xf8E4M3FN>
    %2 = stablehlo.constant dense<[-0.0, 0x7F, -3.0]> : tensor<3xf8E4M3FN>
    return %0, %1, %2 : tensor<3xf8E4M3FN>, tensor<3xf8E4M3FN>, tensor<3xf8E4M3FN>
  }
}
// -----
module @unary_f8e5m2 {
  func.func public @unary_f8e5m2() {
    %arg0 = call @inputs() : () -> tensor<13xf8E5M2>
    %0 = stablehlo.exponential %arg0 : tensor<13xf8E5M2>
    %1 = stablehlo.log %arg0 : tensor<13xf8E5M2>
    %2 = stablehlo.sine %arg0 : tensor<13xf8E5M2>
    %3 = stablehlo.cosine %arg0 : tensor<13xf8E5M2>
    %4 = stablehlo.tanh %arg0 : tensor<13xf8E5M2>
    %5 = stablehlo.sqrt %arg0 : tensor<13xf8E5M2>
    %6 = stablehlo.rsqrt %arg0 : tensor<13xf8E5M2>
    %7 = stablehlo.exponential_minus_one %arg0 : tensor<13xf8E5M2>
    %8 = stablehlo.log_plus_one %arg0 : tensor<13xf8E5M2>
    %9 = stablehlo.logistic %arg0 : tensor<13xf8E5M2>
    %10 = stablehlo.cbrt %arg0 : tensor<13xf8E5M2>
    %11 = stablehlo.floor %arg0 : tensor<13xf8E5M2>
    %12 = stablehlo.ceil %arg0 : tensor<13xf8E5M2>
    %13 = stablehlo.round_nearest_even %arg0 : tensor<13xf8E5M2>
    %14 = stablehlo.abs %arg0 : tensor<13xf8E5M2>
    %15 = stablehlo.negate %arg0 : tensor<13xf8E5M2>
    %16 = stablehlo.tan %arg0 : tensor<13xf8E5M2>
    %17 = stablehlo.sign %arg0 : tensor<13xf8E5M2>
    %18 = stablehlo.round_nearest_afz %arg0 : tensor<13xf8E5M2>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9, %want10, %want11, %want12, %want13, %want14, %want15, %want16, %want17, %want18 = call @expected() : () -> (tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>)
    check.expect_almost_eq %0, %want0, tolerance = 5.0e+00 : tensor<13xf8E5M2>
    check.expect_almost_eq %1, %want1, tolerance = 3.8e-01 : tensor<13xf8E5M2>
    check.expect_almost_eq %2, %want2, tolerance = 2.5e-01 : tensor<13xf8E5M2>
    check.expect_almost_eq %3, %want3, tolerance = 2.5e-01 : tensor<13xf8E5M2>
    check.expect_almost_eq %4, %want4, tolerance = 2.5e-01 : tensor<13xf8E5M2>
    check.expect_almost_eq %5, %want5, tolerance = 4.4e-01 : tensor<13xf8E5M2>
    check.expect_almost_eq %6, %want6, tolerance = 5.1e-01 : tensor<13xf8E5M2>
    check.expect_almost_eq %7, %want7, tolerance = 5.0e+00 : tensor<13xf8E5M2>
    check.expect_almost_eq %8, %want8, tolerance = 3.8e-01 : tensor<13xf8E5M2>
    check.expect_almost_eq %9, %want9, tolerance = 2.5e-01 : tensor<13xf8E5M2>
    check.expect_almost_eq %10, %want10, tolerance = 4.4e-01 : tensor<13xf8E5M2>
    check.expect_almost_eq %11, %want11, tolerance = 1.5e+00 : tensor<13xf8E5M2>
    check.expect_almost_eq %12, %want12, tolerance = 1.5e+00 : tensor<13xf8E5M2>
    check.expect_almost_eq %13, %want13, tolerance = 1.5e+00 : tensor<13xf8E5M2>
    check.expect_almost_eq %14, %want14, tolerance = 1.5e+00 : tensor<13xf8E5M2>
    check.expect_almost_eq %15, %want15, tolerance = 1.5e+00 : tensor<13xf8E5M2>
    check.expect_almost_eq %16, %want16, tolerance = 3.5e+00 : tensor<13xf8E5M2>
    check.expect_almost_eq %17, %want17, tolerance = 2.5e-01 : tensor<13xf8E5M2>
    check.expect_almost_eq %18, %want18, tolerance = 1.5e+00 : tensor<13xf8E5M2>
    return
  }
  func.func private @inputs() -> (tensor<13xf8E5M2>) {
    %0 = stablehlo.constant dense<[0.5, -0.0, 0.0, 1.5, -2.5, 2.5, -0.75, 3.0, 0x7C, 0x7E, 0.25, -6.0, -0.5]> : tensor<13xf8E5M2>
    return %0 : tensor<13xf8E5M2>
  }
  func.func private @expected() -> (tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>) {
    %0 = stablehlo.constant dense<[1.75, 1.0, 1.0, 4.0, 0.078125, 12.0, 0.5, 20.0, 0x7C, 0x7E, 1.25, 0.00244140625, 0.625]> : tensor<13xf8E5M2>
    %1 = stablehlo.constant dense<[-0.75, 0xFC, 0xFC, 0.375, 0x7E, 0.875, 0x7E, 1.0, 0x7C, 0x7E, -1.5, 0x7E, 0x7E]> : tensor<13xf8E5M2>
    %2 = stablehlo.constant dense<[0.5, -0.0, 0.0, 1.0, -0.625, 0.625, -0.625, 0.15625, 0x7E, 0x7E, 0.25, 0.25, -0.5]> : tensor<13xf8E5M2>
    %3 = stablehlo.constant dense<[0.875, 1.0, 1.0, 0.078125, -0.75, -0.75, 0.75, -1.0, 0x7E, 0x7E, 1.0, 1.0, 0.875]> : tensor<13xf8E5M2>
    %4 = stablehlo.constant dense<[0.4375, -0.0, 0.0, 0.875, -1.0, 1.0, -0.625, 1.0, 1.0, 0x7E, 0.25, -1.0, -0.4375]> : tensor<13xf8E5M2>
    %5 = stablehlo.constant dense<[0.75, -0.0, 0.0, 1.25, 0x7E, 1.5, 0x7E, 1.75, 0x7C, 0x7E, 0.5, 0x7E, 0x7E]> : tensor<13xf8E5M2>
    %6 = stablehlo.constant dense<[1.5, 0xFC, 0x7C, 0.875, 0x7E, 0.625, 0x7E, 0.625, 0.0, 0x7E, 2.0, 0x7E, 0x7E]> : tensor<13xf8E5M2>
    %7 = stablehlo.constant dense<[0.625, -0.0, 0.0, 3.5, -0.875, 12.0, -0.5, 20.0, 0x7C, 0x7E, 0.3125, -1.0, -0.375]> : tensor<13xf8E5M2>
    %8 = stablehlo.constant dense<[0.375, -0.0, 0.0, 0.875, 0x7E, 1.25, -1.5, 1.5, 0x7C, 0x7E, 0.21875, 0x7E, -0.75]> : tensor<13xf8E5M2>
    %9 = stablehlo.constant dense<[0.625, 0.5, 0.5, 0.875, 0.078125, 0.875, 0.3125, 1.0, 1.0, 0x7E, 0.5, 0.00244140625, 0.375]> : tensor<13xf8E5M2>
    %10 = stablehlo.constant dense<[0.75, -0.0, 0.0, 1.25, -1.25, 1.25, -0.875, 1.5, 0x7C, 0x7E, 0.625, -1.75, -0.75]> : tensor<13xf8E5M2>
    %11 = stablehlo.constant dense<[0.0, -0.0, 0.0, 1.0, -3.0, 2.0, -1.0, 3.0, 0x7C, 0x7E, 0.0, -6.0, -1.0]> : tensor<13xf8E5M2>
    %12 = stablehlo.constant dense<[1.0, -0.0, 0.0, 2.0, -2.0, 3.0, -0.0, 3.0, 0x7C, 0x7E, 1.0, -6.0, -0.0]> : tensor<13xf8E5M2>
    %13 = stablehlo.constant dense<[0.0, -0.0, 0.0, 2.0, -2.0, 2.0, -1.0, 3.0, 0x7C, 0x7E, 0.0, -6.0, -0.0]> : tensor<13xf8E5M2>
    %14 = stablehlo.constant dense<[0.5, 0.0, 0.0, 1.5, 2.5, 2.5, 0.75, 3.0, 0x7C, 0x7E, 0.25, 6.0, 0.5]> : tensor<13xf8E5M2>
    %15 = stablehlo.constant dense<[-0.5, 0.0, -0.0, -1.5, 2.5, -2.5, 0.75, -3.0, 0xFC, 0x7E, -0.25, 6.0, 0.5]> : tensor<13xf8E5M2>
    %16 = stablehlo.constant dense<[0.5, -0.0, 0.0, 14.0, 0.75, -0.75, -0.875, -0.15625, 0x7E, 0x7E, 0.25, 0.3125, -0.5]> : tensor<13xf8E5M2>
    %17 = stablehlo.constant dense<[1.0, 0.0, 0.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 0x7E, 1.0, -1.0, -1.0]> : tensor<13xf8E5M2>
    %18 = stablehlo.constant dense<[1.0, -0.0, 0.0, 2.0, -3.0, 3.0, -1.0, 3.0, 0x7C, 0x7E, 0.0, -6.0, -1.0]> : tensor<13xf8E5M2>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18 : tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>
  }
}
// -----
module @binary_f8e5m2 {
  func.func public @binary_f8e5m2() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<13xf8E5M2>, tensor<13xf8E5M2>)
    %0 = stablehlo.add %arg0, %arg1 : tensor<13xf8E5M2>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<13xf8E5M2>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<13xf8E5M2>
    %3 = stablehlo.divide %arg0, %arg1 : tensor<13xf8E5M2>
    %4 = stablehlo.power %arg0, %arg1 : tensor<13xf8E5M2>
    %5 = stablehlo.atan2 %arg0, %arg1 : tensor<13xf8E5M2>
    %6 = stablehlo.maximum %arg0, %arg1 : tensor<13xf8E5M2>
    %7 = stablehlo.minimum %arg0, %arg1 : tensor<13xf8E5M2>
    %8 = stablehlo.remainder %arg0, %arg1 : tensor<13xf8E5M2>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8 = call @expected() : () -> (tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>)
    check.expect_almost_eq %0, %want0, tolerance = 1.5e+00 : tensor<13xf8E5M2>
    check.expect_almost_eq %1, %want1, tolerance = 1.5e+00 : tensor<13xf8E5M2>
    check.expect_almost_eq %2, %want2, tolerance = 1.3e+00 : tensor<13xf8E5M2>
    check.expect_almost_eq %3, %want3, tolerance = 1.5e+00 : tensor<13xf8E5M2>
    check.expect_almost_eq %4, %want4, tolerance = 1.5e+00 : tensor<13xf8E5M2>
    check.expect_almost_eq %5, %want5, tolerance = 7.6e-01 : tensor<13xf8E5M2>
    check.expect_almost_eq %6, %want6, tolerance = 7.6e-01 : tensor<13xf8E5M2>
    check.expect_almost_eq %7, %want7, tolerance = 1.5e+00 : tensor<13xf8E5M2>
    check.expect_almost_eq %8, %want8, tolerance = 2.5e-01 : tensor<13xf8E5M2>
    return
  }
  func.func private @inputs() -> (tensor<13xf8E5M2>, tensor<13xf8E5M2>) {
    %0 = stablehlo.constant dense<[0.5, -0.0, 0.0, 1.5, -2.5, 2.5, -0.75, 3.0, 0x7C, 0x7E, 0.25, -6.0, -0.5]> : tensor<13xf8E5M2>
    %1 = stablehlo.constant dense<[1.0, -3.0, 0.5, 0x7E, 2.0, -1.0, 0.25, -0.5, 2.0, 1.0, 0.0, -0.0, 3.0]> : tensor<13xf8E5M2>
    return %0, %1 : tensor<13xf8E5M2>, tensor<13xf8E5M2>
  }
  func.func private @expected() -> (tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>) {
    %0 = stablehlo.constant dense<[1.5, -3.0, 0.5, 0x7E, -0.5, 1.5, -0.5, 2.5, 0x7C, 0x7E, 0.25, -6.0, 2.5]> : tensor<13xf8E5M2>
    %1 = stablehlo.constant dense<[-0.5, 3.0, -0.5, 0x7E, -4.0, 3.5, -1.0, 3.5, 0x7C, 0x7E, 0.25, -6.0, -3.5]> : tensor<13xf8E5M2>
    %2 = stablehlo.constant dense<[0.5, 0.0, 0.0, 0x7E, -5.0, -2.5, -0.1875, -1.5, 0x7C, 0x7E, 0.0, 0.0, -1.5]> : tensor<13xf8E5M2>
    %3 = stablehlo.constant dense<[0.5, 0.0, 0.0, 0x7E, -1.25, -2.5, -3.0, -6.0, 0x7C, 0x7E, 0x7C, 0x7C, -0.15625]> : tensor<13xf8E5M2>
    %4 = stablehlo.constant dense<[0.5, 0xFC, 0.0, 0x7E, 6.0, 0.375, 0x7E, 0.625, 0x7C, 0x7E, 1.0, 1.0, -0.125]> : tensor<13xf8E5M2>
    %5 = stablehlo.constant dense<[0.4375, -3.0, 0.0, 0x7E, -0.875, 2.0, -1.25, 1.75, 1.5, 0x7E, 1.5, -1.5, -0.15625]> : tensor<13xf8E5M2>
    %6 = stablehlo.constant dense<[1.0, -0.0, 0.5, 0x7E, 2.0, 2.5, 0.25, 3.0, 0x7C, 0x7E, 0.25, -0.0, 3.0]> : tensor<13xf8E5M2>
    %7 = stablehlo.constant dense<[0.5, -3.0, 0.0, 0x7E, -2.5, -1.0, -0.75, -0.5, 2.0, 0x7E, 0.0, -6.0, -0.5]> : tensor<13xf8E5M2>
    %8 = stablehlo.constant dense<[0.5, -0.0, 0.0, 0x7E, -0.5, 0.5, -0.0, 0.0, 0x7E, 0x7E, 0x7E, 0x7E, -0.5]> : tensor<13xf8E5M2>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>, tensor<13xf8E5M2>
  }
}
// -----
module @compare_f8e5m2 {
  func.func public @compare_f8e5m2() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<13xf8E5M2>, tensor<13xf8E5M2>)
    %0 = stablehlo.compare  EQ, %arg0, %arg1,  FLOAT : (tensor<13xf8E5M2>, tensor<13xf8E5M2>) -> tensor<13xi1>
    %1 = stablehlo.compare  NE, %arg0, %arg1,  FLOAT : (tensor<13xf8E5M2>, tensor<13xf8E5M2>) -> tensor<13xi1>
    %2 = stablehlo.compare  GE, %arg0, %arg1,  FLOAT : (tensor<13xf8E5M2>, tensor<13xf8E5M2>) -> tensor<13xi1>
    %3 = stablehlo.compare  GT, %arg0, %arg1,  FLOAT : (tensor<13xf8E5M2>, tensor<13xf8E5M2>) -> tensor<13xi1>
    %4 = stablehlo.compare  LE, %arg0, %arg1,  FLOAT : (tensor<13xf8E5M2>, tensor<13xf8E5M2>) -> tensor<13xi1>
    %5 = stablehlo.compare  LT, %arg0, %arg1,  FLOAT : (tensor<13xf8E5M2>, tensor<13xf8E5M2>) -> tensor<13xi1>
    %want0, %want1, %want2, %want3, %want4, %want5 = call @expected() : () -> (tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>)
    check.expect_eq %0, %want0 : tensor<13xi1>
    check.expect_eq %1, %want1 : tensor<13xi1>
    check.expect_eq %2, %want2 : tensor<13xi1>
    check.expect_eq %3, %want3 : tensor<13xi1>
    check.expect_eq %4, %want4 : tensor<13xi1>
    check.expect_eq %5, %want5 : tensor<13xi1>
    return
  }
  func.func private @inputs() -> (tensor<13xf8E5M2>, tensor<13xf8E5M2>) {
    %0 = stablehlo.constant dense<[0.5, -0.0, 0.0, 1.5, -2.5, 2.5, -0.75, 3.0, 0x7C, 0x7E, 0.25, -6.0, -0.5]> : tensor<13xf8E5M2>
    %1 = stablehlo.constant dense<[1.0, -3.0, 0.5, 0x7E, 2.0, -1.0, 0.25, -0.5, 2.0, 1.0, 0.0, -0.0, 3.0]> : tensor<13xf8E5M2>
    return %0, %1 : tensor<13xf8E5M2>, tensor<13xf8E5M2>
  }
  func.func private @expected() -> (tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>) {
    %0 = stablehlo.constant dense<[false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<13xi1>
    %1 = stablehlo.constant dense<[true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<13xi1>
    %2 = stablehlo.constant dense<[false, true, false, false, false, true, false, true, true, false, true, false, false]> : tensor<13xi1>
    %3 = stablehlo.constant dense<[false, true, false, false, false, true, false, true, true, false, true, false, false]> : tensor<13xi1>
    %4 = stablehlo.constant dense<[true, false, true, false, true, false, true, false, false, false, false, true, true]> : tensor<13xi1>
    %5 = stablehlo.constant dense<[true, false, true, false, true, false, true, false, false, false, false, true, true]> : tensor<13xi1>
    return %0, %1, %2, %3, %4, %5 : tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>
  }
}
// -----
module @fin_f8e5m2 {
  func.func public @fin_f8e5m2() {
    %arg0 = call @inputs() : () -> tensor<13xf8E5M2>
    %0 = stablehlo.is_finite %arg0 : (tensor<13xf8E5M2>) -> tensor<13xi1>
    %1 = chlo.is_inf %arg0 : tensor<13xf8E5M2> -> tensor<13xi1>
    %want0, %want1 = call @expected() : () -> (tensor<13xi1>, tensor<13xi1>)
    check.expect_eq %0, %want0 : tensor<13xi1>
    check.expect_eq %1, %want1 : tensor<13xi1>
    return
  }
  func.func private @inputs() -> (tensor<13xf8E5M2>) {
    %0 = stablehlo.constant dense<[0.5, -0.0, 0.0, 1.5, -2.5, 2.5, -0.75, 3.0, 0x7C, 0x7E, 0.25, -6.0, -0.5]> : tensor<13xf8E5M2>
    return %0 : tensor<13xf8E5M2>
  }
  func.func private @expected() -> (tensor<13xi1>, tensor<13xi1>) {
    %0 = stablehlo.constant dense<[true, true, true, true, true, true, true, true, false, false, true, true, true]> : tensor<13xi1>
    %1 = stablehlo.constant dense<[false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<13xi1>
    return %0, %1 : tensor<13xi1>, tensor<13xi1>
  }
}
// -----
module @fred_f8e5m2 {
  func.func public @fred_f8e5m2() {
    %arg0 = call @inputs() : () -> tensor<3x3xf8E5M2>
    %cst = stablehlo.constant dense<0xFC> : tensor<f8E5M2>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f8E5M2>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<3x3xf8E5M2>, tensor<f8E5M2>) -> tensor<3xf8E5M2>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<3x3xf8E5M2>, tensor<f8E5M2>) -> tensor<3xf8E5M2>
    %2 = stablehlo.reduce(%arg0 init: %cst_0) across dimensions = [0] : (tensor<3x3xf8E5M2>, tensor<f8E5M2>) -> tensor<3xf8E5M2>
     reducer(%arg1: tensor<f8E5M2>, %arg2: tensor<f8E5M2>)  {
      %3 = stablehlo.minimum %arg1, %arg2 : tensor<f8E5M2>
      stablehlo.return %3 : tensor<f8E5M2>
    }
    %want0, %want1, %want2 = call @expected() : () -> (tensor<3xf8E5M2>, tensor<3xf8E5M2>, tensor<3xf8E5M2>)
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3xf8E5M2>, tensor<3xf8E5M2>
    check.expect_close %1, %want1, max_ulp_difference = 0 : tensor<3xf8E5M2>, tensor<3xf8E5M2>
    check.expect_close %2, %want2, max_ulp_difference = 0 : tensor<3xf8E5M2>, tensor<3xf8E5M2>
    return
  }
  func.func private @inputs() -> (tensor<3x3xf8E5M2>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0, -3.0], [4.0, 0x7E, 0.5], [-0.0, 0.0, -0.0]]> : tensor<3x3xf8E5M2>
    return %0 : tensor<3x3xf8E5M2>
  }
  func.func private @expected() -> (tensor<3xf8E5M2>, tensor<3xf8E5M2>, tensor<3xf8E5M2>) {
    %0 = stablehlo.constant dense<[2.0, 0x7E, 0.0]> : tensor<3xf8E5M2>
    %1 = stablehlo.constant dense<[0.0, 0x7E, 0.0]> : tensor<3xf8E5M2>
    %2 = stablehlo.constant dense<[-0.0, 0x7E, -3.0]> : tensor<3xf8E5M2>
    return %0, %1, %2 : tensor<3xf8E5M2>, tensor<3xf8E5M2>, tensor<3xf8E5M2>
  }
}
// -----
module @unary_bf16 {
  func.func public @unary_bf16() {
    %arg0 = call @inputs() : () -> tensor<13xbf16>
    %0 = stablehlo.exponential %arg0 : tensor<13xbf16>
    %1 = stablehlo.log %arg0 : tensor<13xbf16>
    %2 = stablehlo.sine %arg0 : tensor<13xbf16>
    %3 = stablehlo.cosine %arg0 : tensor<13xbf16>
    %4 = stablehlo.tanh %arg0 : tensor<13xbf16>
    %5 = stablehlo.sqrt %arg0 : tensor<13xbf16>
    %6 = stablehlo.rsqrt %arg0 : tensor<13xbf16>
    %7 = stablehlo.exponential_minus_one %arg0 : tensor<13xbf16>
    %8 = stablehlo.log_plus_one %arg0 : tensor<13xbf16>
    %9 = stablehlo.logistic %arg0 : tensor<13xbf16>
    %10 = stablehlo.cbrt %arg0 : tensor<13xbf16>
    %11 = stablehlo.floor %arg0 : tensor<13xbf16>
    %12 = stablehlo.ceil %arg0 : tensor<13xbf16>
    %13 = stablehlo.round_nearest_even %arg0 : tensor<13xbf16>
    %14 = stablehlo.abs %arg0 : tensor<13xbf16>
    %15 = stablehlo.negate %arg0 : tensor<13xbf16>
    %16 = stablehlo.tan %arg0 : tensor<13xbf16>
    %17 = stablehlo.sign %arg0 : tensor<13xbf16>
    %18 = stablehlo.round_nearest_afz %arg0 : tensor<13xbf16>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8, %want9, %want10, %want11, %want12, %want13, %want14, %want15, %want16, %want17, %want18 = call @expected() : () -> (tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>)
    check.expect_almost_eq %0, %want0, tolerance = 1.6e-01 : tensor<13xbf16>
    check.expect_almost_eq %1, %want1, tolerance = 1.1e-02 : tensor<13xbf16>
    check.expect_almost_eq %2, %want2, tolerance = 7.9e-03 : tensor<13xbf16>
    check.expect_almost_eq %3, %want3, tolerance = 7.9e-03 : tensor<13xbf16>
    check.expect_almost_eq %4, %want4, tolerance = 7.9e-03 : tensor<13xbf16>
    check.expect_almost_eq %5, %want5, tolerance = 1.4e-02 : tensor<13xbf16>
    check.expect_almost_eq %6, %want6, tolerance = 1.6e-02 : tensor<13xbf16>
    check.expect_almost_eq %7, %want7, tolerance = 1.5e-01 : tensor<13xbf16>
    check.expect_almost_eq %8, %want8, tolerance = 1.1e-02 : tensor<13xbf16>
    check.expect_almost_eq %9, %want9, tolerance = 7.9e-03 : tensor<13xbf16>
    check.expect_almost_eq %10, %want10, tolerance = 1.4e-02 : tensor<13xbf16>
    check.expect_almost_eq %11, %want11, tolerance = 4.7e-02 : tensor<13xbf16>
    check.expect_almost_eq %12, %want12, tolerance = 4.7e-02 : tensor<13xbf16>
    check.expect_almost_eq %13, %want13, tolerance = 4.7e-02 : tensor<13xbf16>
    check.expect_almost_eq %14, %want14, tolerance = 4.7e-02 : tensor<13xbf16>
    check.expect_almost_eq %15, %want15, tolerance = 4.7e-02 : tensor<13xbf16>
    check.expect_almost_eq %16, %want16, tolerance = 1.1e-01 : tensor<13xbf16>
    check.expect_almost_eq %17, %want17, tolerance = 7.9e-03 : tensor<13xbf16>
    check.expect_almost_eq %18, %want18, tolerance = 4.7e-02 : tensor<13xbf16>
    return
  }
  func.func private @inputs() -> (tensor<13xbf16>) {
    %0 = stablehlo.constant dense<[0.5, -0.0, 0.0, 1.5, -2.5, 2.5, -0.75, 3.0, 0x7F80, 0x7FC0, 0.25, -6.0, -0.5]> : tensor<13xbf16>
    return %0 : tensor<13xbf16>
  }
  func.func private @expected() -> (tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>) {
    %0 = stablehlo.constant dense<[1.6484375, 1.0, 1.0, 4.46875, 0.08203125, 12.1875, 0.47265625, 20.125, 0x7F80, 0x7FC0, 1.28125, 0.002471923828125, 0.60546875]> : tensor<13xbf16>
    %1 = stablehlo.constant dense<[-0.69140625, 0xFF80, 0xFF80, 0.40625, 0x7FC0, 0.91796875, 0x7FC0, 1.1015625, 0x7F80, 0x7FC0, -1.3828125, 0x7FC0, 0x7FC0]> : tensor<13xbf16>
    %2 = stablehlo.constant dense<[0.478515625, -0.0, 0.0, 0.99609375, -0.59765625, 0.59765625, -0.6796875, 0.1416015625, 0x7FC0, 0x7FC0, 0.2470703125, 0.279296875, -0.478515625]> : tensor<13xbf16>
    %3 = stablehlo.constant dense<[0.87890625, 1.0, 1.0, 0.07080078125, -0.80078125, -0.80078125, 0.73046875, -0.98828125, 0x7FC0, 0x7FC0, 0.96875, 0.9609375, 0.87890625]> : tensor<13xbf16>
    %4 = stablehlo.constant dense<[0.462890625, -0.0, 0.0, 0.90625, -0.98828125, 0.98828125, -0.63671875, 0.99609375, 1.0, 0x7FC0, 0.2451171875, -1.0, -0.462890625]> : tensor<13xbf16>
    %5 = stablehlo.constant dense<[0.70703125, -0.0, 0.0, 1.2265625, 0x7FC0, 1.578125, 0x7FC0, 1.734375, 0x7F80, 0x7FC0, 0.5, 0x7FC0, 0x7FC0]> : tensor<13xbf16>
    %6 = stablehlo.constant dense<[1.4140625, 0xFF80, 0x7F80, 0.81640625, 0x7FC0, 0.6328125, 0x7FC0, 0.578125, 0.0, 0x7FC0, 2.0, 0x7FC0, 0x7FC0]> : tensor<13xbf16>
    %7 = stablehlo.constant dense<[0.6484375, -0.0, 0.0, 3.484375, -0.91796875, 11.1875, -0.52734375, 19.125, 0x7F80, 0x7FC0, 0.283203125, -0.99609375, -0.392578125]> : tensor<13xbf16>
    %8 = stablehlo.constant dense<[0.40625, -0.0, 0.0, 0.91796875, 0x7FC0, 1.25, -1.3828125, 1.3828125, 0x7F80, 0x7FC0, 0.22265625, 0x7FC0, -0.69140625]> : tensor<13xbf16>
    %9 = stablehlo.constant dense<[0.62109375, 0.5, 0.5, 0.81640625, 0.07568359375, 0.92578125, 0.3203125, 0.953125, 1.0, 0x7FC0, 0.5625, 0.002471923828125, 0.376953125]> : tensor<13xbf16>
    %10 = stablehlo.constant dense<[0.79296875, -0.0, 0.0, 1.1484375, -1.359375, 1.359375, -0.91015625, 1.4453125, 0x7F80, 0x7FC0, 0.62890625, -1.8203125, -0.79296875]> : tensor<13xbf16>
    %11 = stablehlo.constant dense<[0.0, -0.0, 0.0, 1.0, -3.0, 2.0, -1.0, 3.0, 0x7F80, 0x7FC0, 0.0, -6.0, -1.0]> : tensor<13xbf16>
    %12 = stablehlo.constant dense<[1.0, -0.0, 0.0, 2.0, -2.0, 3.0, -0.0, 3.0, 0x7F80, 0x7FC0, 1.0, -6.0, -0.0]> : tensor<13xbf16>
    %13 = stablehlo.constant dense<[0.0, -0.0, 0.0, 2.0, -2.0, 2.0, -1.0, 3.0, 0x7F80, 0x7FC0, 0.0, -6.0, -0.0]> : tensor<13xbf16>
    %14 = stablehlo.constant dense<[0.5, 0.0, 0.0, 1.5, 2.5, 2.5, 0.75, 3.0, 0x7F80, 0x7FC0, 0.25, 6.0, 0.5]> : tensor<13xbf16>
    %15 = stablehlo.constant dense<[-0.5, 0.0, -0.0, -1.5, 2.5, -2.5, 0.75, -3.0, 0xFF80, 0x7FC0, -0.25, 6.0, 0.5]> : tensor<13xbf16>
    %16 = stablehlo.constant dense<[0.546875, -0.0, 0.0, 14.125, 0.74609375, -0.74609375, -0.9296875, -0.142578125, 0x7FC0, 0x7FC0, 0.255859375, 0.291015625, -0.546875]> : tensor<13xbf16>
    %17 = stablehlo.constant dense<[1.0, 0.0, 0.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0, 0x7FC0, 1.0, -1.0, -1.0]> : tensor<13xbf16>
    %18 = stablehlo.constant dense<[1.0, -0.0, 0.0, 2.0, -3.0, 3.0, -1.0, 3.0, 0x7F80, 0x7FC0, 0.0, -6.0, -1.0]> : tensor<13xbf16>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18 : tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>
  }
}
// -----
module @binary_bf16 {
  func.func public @binary_bf16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<13xbf16>, tensor<13xbf16>)
    %0 = stablehlo.add %arg0, %arg1 : tensor<13xbf16>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<13xbf16>
    %2 = stablehlo.multiply %arg0, %arg1 : tensor<13xbf16>
    %3 = stablehlo.divide %arg0, %arg1 : tensor<13xbf16>
    %4 = stablehlo.power %arg0, %arg1 : tensor<13xbf16>
    %5 = stablehlo.atan2 %arg0, %arg1 : tensor<13xbf16>
    %6 = stablehlo.maximum %arg0, %arg1 : tensor<13xbf16>
    %7 = stablehlo.minimum %arg0, %arg1 : tensor<13xbf16>
    %8 = stablehlo.remainder %arg0, %arg1 : tensor<13xbf16>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6, %want7, %want8 = call @expected() : () -> (tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>)
    check.expect_almost_eq %0, %want0, tolerance = 4.7e-02 : tensor<13xbf16>
    check.expect_almost_eq %1, %want1, tolerance = 4.7e-02 : tensor<13xbf16>
    check.expect_almost_eq %2, %want2, tolerance = 3.9e-02 : tensor<13xbf16>
    check.expect_almost_eq %3, %want3, tolerance = 4.7e-02 : tensor<13xbf16>
    check.expect_almost_eq %4, %want4, tolerance = 4.9e-02 : tensor<13xbf16>
    check.expect_almost_eq %5, %want5, tolerance = 2.5e-02 : tensor<13xbf16>
    check.expect_almost_eq %6, %want6, tolerance = 2.4e-02 : tensor<13xbf16>
    check.expect_almost_eq %7, %want7, tolerance = 4.7e-02 : tensor<13xbf16>
    check.expect_almost_eq %8, %want8, tolerance = 7.9e-03 : tensor<13xbf16>
    return
  }
  func.func private @inputs() -> (tensor<13xbf16>, tensor<13xbf16>) {
    %0 = stablehlo.constant dense<[0.5, -0.0, 0.0, 1.5, -2.5, 2.5, -0.75, 3.0, 0x7F80, 0x7FC0, 0.25, -6.0, -0.5]> : tensor<13xbf16>
    %1 = stablehlo.constant dense<[1.0, -3.0, 0.5, 0x7FC0, 2.0, -1.0, 0.25, -0.5, 2.0, 1.0, 0.0, -0.0, 3.0]> : tensor<13xbf16>
    return %0, %1 : tensor<13xbf16>, tensor<13xbf16>
  }
  func.func private @expected() -> (tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>) {
    %0 = stablehlo.constant dense<[1.5, -3.0, 0.5, 0x7FC0, -0.5, 1.5, -0.5, 2.5, 0x7F80, 0x7FC0, 0.25, -6.0, 2.5]> : tensor<13xbf16>
    %1 = stablehlo.constant dense<[-0.5, 3.0, -0.5, 0x7FC0, -4.5, 3.5, -1.0, 3.5, 0x7F80, 0x7FC0, 0.25, -6.0, -3.5]> : tensor<13xbf16>
    %2 = stablehlo.constant dense<[0.5, 0.0, 0.0, 0x7FC0, -5.0, -2.5, -0.1875, -1.5, 0x7F80, 0x7FC0, 0.0, 0.0, -1.5]> : tensor<13xbf16>
    %3 = stablehlo.constant dense<[0.5, 0.0, 0.0, 0x7FC0, -1.25, -2.5, -3.0, -6.0, 0x7F80, 0x7FC0, 0x7F80, 0x7F80, -0.1669921875]> : tensor<13xbf16>
    %4 = stablehlo.constant dense<[0.5, 0xFF80, 0.0, 0x7FC0, 6.25, 0.400390625, 0x7FC0, 0.578125, 0x7F80, 0x7FC0, 1.0, 1.0, -0.125]> : tensor<13xbf16>
    %5 = stablehlo.constant dense<[0.462890625, -3.140625, 0.0, 0x7FC0, -0.89453125, 1.953125, -1.25, 1.734375, 1.5703125, 0x7FC0, 1.5703125, -1.5703125, -0.1650390625]> : tensor<13xbf16>
    %6 = stablehlo.constant dense<[1.0, -0.0, 0.5, 0x7FC0, 2.0, 2.5, 0.25, 3.0, 0x7F80, 0x7FC0, 0.25, -0.0, 3.0]> : tensor<13xbf16>
    %7 = stablehlo.constant dense<[0.5, -3.0, 0.0, 0x7FC0, -2.5, -1.0, -0.75, -0.5, 2.0, 0x7FC0, 0.0, -6.0, -0.5]> : tensor<13xbf16>
    %8 = stablehlo.constant dense<[0.5, -0.0, 0.0, 0x7FC0, -0.5, 0.5, -0.0, 0.0, 0x7FC0, 0x7FC0, 0x7FC0, 0x7FC0, -0.5]> : tensor<13xbf16>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>
  }
}
// -----
module @compare_bf16 {
  func.func public @compare_bf16() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<13xbf16>, tensor<13xbf16>)
    %0 = stablehlo.compare  EQ, %arg0, %arg1,  FLOAT : (tensor<13xbf16>, tensor<13xbf16>) -> tensor<13xi1>
    %1 = stablehlo.compare  NE, %arg0, %arg1,  FLOAT : (tensor<13xbf16>, tensor<13xbf16>) -> tensor<13xi1>
    %2 = stablehlo.compare  GE, %arg0, %arg1,  FLOAT : (tensor<13xbf16>, tensor<13xbf16>) -> tensor<13xi1>
    %3 = stablehlo.compare  GT, %arg0, %arg1,  FLOAT : (tensor<13xbf16>, tensor<13xbf16>) -> tensor<13xi1>
    %4 = stablehlo.compare  LE, %arg0, %arg1,  FLOAT : (tensor<13xbf16>, tensor<13xbf16>) -> tensor<13xi1>
    %5 = stablehlo.compare  LT, %arg0, %arg1,  FLOAT : (tensor<13xbf16>, tensor<13xbf16>) -> tensor<13xi1>
    %want0, %want1, %want2, %want3, %want4, %want5 = call @expected() : () -> (tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>)
    check.expect_eq %0, %want0 : tensor<13xi1>
    check.expect_eq %1, %want1 : tensor<13xi1>
    check.expect_eq %2, %want2 : tensor<13xi1>
    check.expect_eq %3, %want3 : tensor<13xi1>
    check.expect_eq %4, %want4 : tensor<13xi1>
    check.expect_eq %5, %want5 : tensor<13xi1>
    return
  }
  func.func private @inputs() -> (tensor<13xbf16>, tensor<13xbf16>) {
    %0 = stablehlo.constant dense<[0.5, -0.0, 0.0, 1.5, -2.5, 2.5, -0.75, 3.0, 0x7F80, 0x7FC0, 0.25, -6.0, -0.5]> : tensor<13xbf16>
    %1 = stablehlo.constant dense<[1.0, -3.0, 0.5, 0x7FC0, 2.0, -1.0, 0.25, -0.5, 2.0, 1.0, 0.0, -0.0, 3.0]> : tensor<13xbf16>
    return %0, %1 : tensor<13xbf16>, tensor<13xbf16>
  }
  func.func private @expected() -> (tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>) {
    %0 = stablehlo.constant dense<[false, false, false, false, false, false, false, false, false, false, false, false, false]> : tensor<13xi1>
    %1 = stablehlo.constant dense<[true, true, true, true, true, true, true, true, true, true, true, true, true]> : tensor<13xi1>
    %2 = stablehlo.constant dense<[false, true, false, false, false, true, false, true, true, false, true, false, false]> : tensor<13xi1>
    %3 = stablehlo.constant dense<[false, true, false, false, false, true, false, true, true, false, true, false, false]> : tensor<13xi1>
    %4 = stablehlo.constant dense<[true, false, true, false, true, false, true, false, false, false, false, true, true]> : tensor<13xi1>
    %5 = stablehlo.constant dense<[true, false, true, false, true, false, true, false, false, false, false, true, true]> : tensor<13xi1>
    return %0, %1, %2, %3, %4, %5 : tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>
  }
}
// -----
module @fin_bf16 {
  func.func public @fin_bf16() {
    %arg0 = call @inputs() : () -> tensor<13xbf16>
    %0 = stablehlo.is_finite %arg0 : (tensor<13xbf16>) -> tensor<13xi1>
    %1 = chlo.is_inf %arg0 : tensor<13xbf16> -> tensor<13xi1>
    %want0, %want1 = call @expected() : () -> (tensor<13xi1>, tensor<13xi1>)
    check.expect_eq %0, %want0 : tensor<13xi1>
    check.expect_eq %1, %want1 : tensor<13xi1>
    return
  }
  func.func private @inputs() -> (tensor<13xbf16>) {
    %0 = stablehlo.constant dense<[0.5, -0.0, 0.0, 1.5, -2.5, 2.5, -0.75, 3.0, 0x7F80, 0x7FC0, 0.25, -6.0, -0.5]> : tensor<13xbf16>
    return %0 : tensor<13xbf16>
  }
  func.func private @expected() -> (tensor<13xi1>, tensor<13xi1>) {
    %0 = stablehlo.constant dense<[true, true, true, true, true, true, true, true, false, false, true, true, true]> : tensor<13xi1>
    %1 = stablehlo.constant dense<[false, false, false, false, false, false, false, false, true, false, false, false, false]> : tensor<13xi1>
    return %0, %1 : tensor<13xi1>, tensor<13xi1>
  }
}
// -----
module @fred_bf16 {
  func.func public @fred_bf16() {
    %arg0 = call @inputs() : () -> tensor<3x3xbf16>
    %cst = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<3x3xbf16>, tensor<bf16>) -> tensor<3xbf16>
    %1 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<3x3xbf16>, tensor<bf16>) -> tensor<3xbf16>
    %2 = stablehlo.reduce(%arg0 init: %cst_0) across dimensions = [0] : (tensor<3x3xbf16>, tensor<bf16>) -> tensor<3xbf16>
     reducer(%arg1: tensor<bf16>, %arg2: tensor<bf16>)  {
      %3 = stablehlo.minimum %arg1, %arg2 : tensor<bf16>
      stablehlo.return %3 : tensor<bf16>
    }
    %want0, %want1, %want2 = call @expected() : () -> (tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>)
    check.expect_close %0, %want0, max_ulp_difference = 0 : tensor<3xbf16>, tensor<3xbf16>
    check.expect_close %1, %want1, max_ulp_difference = 0 : tensor<3xbf16>, tensor<3xbf16>
    check.expect_close %2, %want2, max_ulp_difference = 0 : tensor<3xbf16>, tensor<3xbf16>
    return
  }
  func.func private @inputs() -> (tensor<3x3xbf16>) {
    %0 = stablehlo.constant dense<[[1.0, 2.0, -3.0], [4.0, 0x7FC0, 0.5], [-0.0, 0.0, -0.0]]> : tensor<3x3xbf16>
    return %0 : tensor<3x3xbf16>
  }
  func.func private @expected() -> (tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>) {
    %0 = stablehlo.constant dense<[2.0, 0x7FC0, 0.0]> : tensor<3xbf16>
    %1 = stablehlo.constant dense<[0.0, 0x7FC0, 0.0]> : tensor<3xbf16>
    %2 = stablehlo.constant dense<[-0.0, 0x7FC0, -3.0]> : tensor<3xbf16>
    return %0, %1, %2 : tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>
  }
}
// -----
module @i1_ops {
  func.func public @i1_ops() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<4xi1>, tensor<4xi1>)
    %0 = stablehlo.add %arg0, %arg1 : tensor<4xi1>
    %1 = stablehlo.multiply %arg0, %arg1 : tensor<4xi1>
    %2 = stablehlo.maximum %arg0, %arg1 : tensor<4xi1>
    %3 = stablehlo.minimum %arg0, %arg1 : tensor<4xi1>
    %4 = stablehlo.and %arg0, %arg1 : tensor<4xi1>
    %5 = stablehlo.or %arg0, %arg1 : tensor<4xi1>
    %6 = stablehlo.xor %arg0, %arg1 : tensor<4xi1>
    %want0, %want1, %want2, %want3, %want4, %want5, %want6 = call @expected() : () -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>)
    check.expect_eq %0, %want0 : tensor<4xi1>
    check.expect_eq %1, %want1 : tensor<4xi1>
    check.expect_eq %2, %want2 : tensor<4xi1>
    check.expect_eq %3, %want3 : tensor<4xi1>
    check.expect_eq %4, %want4 : tensor<4xi1>
    check.expect_eq %5, %want5 : tensor<4xi1>
    check.expect_eq %6, %want6 : tensor<4xi1>
    return
  }
  func.func private @inputs() -> (tensor<4xi1>, tensor<4xi1>) {
    %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
    %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
    return %0, %1 : tensor<4xi1>, tensor<4xi1>
  }
  func.func private @expected() -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
    %0 = stablehlo.constant dense<[false, true, true, true]> : tensor<4xi1>
    %1 = stablehlo.constant dense<[false, false, false, true]> : tensor<4xi1>
    %2 = stablehlo.constant dense<[false, true, true, true]> : tensor<4xi1>
    %3 = stablehlo.constant dense<[false, false, false, true]> : tensor<4xi1>
    %4 = stablehlo.constant dense<[false, false, false, true]> : tensor<4xi1>
    %5 = stablehlo.constant dense<[false, true, true, true]> : tensor<4xi1>
    %6 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
  }
}
// -----
module @i1_cmp_eq {
  func.func public @i1_cmp_eq() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<4xi1>, tensor<4xi1>)
    %0 = stablehlo.compare EQ, %arg0, %arg1, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %want0 = call @expected() : () -> tensor<4xi1>
    check.expect_eq %0, %want0 : tensor<4xi1>
    return
  }
  func.func private @inputs() -> (tensor<4xi1>, tensor<4xi1>) {
    %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
    %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
    return %0, %1 : tensor<4xi1>, tensor<4xi1>
  }
  func.func private @expected() -> (tensor<4xi1>) {
    %0 = stablehlo.constant dense<[true, false, false, true]> : tensor<4xi1>
    return %0 : tensor<4xi1>
  }
}
// -----
module @i1_cmp_ne {
  func.func public @i1_cmp_ne() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<4xi1>, tensor<4xi1>)
    %0 = stablehlo.compare NE, %arg0, %arg1, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %want0 = call @expected() : () -> tensor<4xi1>
    check.expect_eq %0, %want0 : tensor<4xi1>
    return
  }
  func.func private @inputs() -> (tensor<4xi1>, tensor<4xi1>) {
    %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
    %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
    return %0, %1 : tensor<4xi1>, tensor<4xi1>
  }
  func.func private @expected() -> (tensor<4xi1>) {
    %0 = stablehlo.constant dense<[false, true, true, false]> : tensor<4xi1>
    return %0 : tensor<4xi1>
  }
}
// -----
module @i1_cmp_ge {
  func.func public @i1_cmp_ge() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<4xi1>, tensor<4xi1>)
    %0 = stablehlo.compare GE, %arg0, %arg1, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %want0 = call @expected() : () -> tensor<4xi1>
    check.expect_eq %0, %want0 : tensor<4xi1>
    return
  }
  func.func private @inputs() -> (tensor<4xi1>, tensor<4xi1>) {
    %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
    %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
    return %0, %1 : tensor<4xi1>, tensor<4xi1>
  }
  func.func private @expected() -> (tensor<4xi1>) {
    %0 = stablehlo.constant dense<[true, false, true, true]> : tensor<4xi1>
    return %0 : tensor<4xi1>
  }
}
// -----
module @i1_cmp_gt {
  func.func public @i1_cmp_gt() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<4xi1>, tensor<4xi1>)
    %0 = stablehlo.compare GT, %arg0, %arg1, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %want0 = call @expected() : () -> tensor<4xi1>
    check.expect_eq %0, %want0 : tensor<4xi1>
    return
  }
  func.func private @inputs() -> (tensor<4xi1>, tensor<4xi1>) {
    %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
    %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
    return %0, %1 : tensor<4xi1>, tensor<4xi1>
  }
  func.func private @expected() -> (tensor<4xi1>) {
    %0 = stablehlo.constant dense<[false, false, true, false]> : tensor<4xi1>
    return %0 : tensor<4xi1>
  }
}
// -----
module @i1_cmp_le {
  func.func public @i1_cmp_le() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<4xi1>, tensor<4xi1>)
    %0 = stablehlo.compare LE, %arg0, %arg1, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %want0 = call @expected() : () -> tensor<4xi1>
    check.expect_eq %0, %want0 : tensor<4xi1>
    return
  }
  func.func private @inputs() -> (tensor<4xi1>, tensor<4xi1>) {
    %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
    %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
    return %0, %1 : tensor<4xi1>, tensor<4xi1>
  }
  func.func private @expected() -> (tensor<4xi1>) {
    %0 = stablehlo.constant dense<[true, true, false, true]> : tensor<4xi1>
    return %0 : tensor<4xi1>
  }
}
// -----
module @i1_cmp_lt {
  func.func public @i1_cmp_lt() {
    %arg0, %arg1 = call @inputs() : () -> (tensor<4xi1>, tensor<4xi1>)
    %0 = stablehlo.compare LT, %arg0, %arg1, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %want0 = call @expected() : () -> tensor<4xi1>
    check.expect_eq %0, %want0 : tensor<4xi1>
    return
  }
  func.func private @inputs() -> (tensor<4xi1>, tensor<4xi1>) {
    %0 = stablehlo.constant dense<[false, false, true, true]> : tensor<4xi1>
    %1 = stablehlo.constant dense<[false, true, false, true]> : tensor<4xi1>
    return %0, %1 : tensor<4xi1>, tensor<4xi1>
  }
  func.func private @expected() -> (tensor<4xi1>) {
    %0 = stablehlo.constant dense<[false, true, false, false]> : tensor<4xi1>
    return %0 : tensor<4xi1>
  }
}
