func.func @main(%t: tensor<3x4xf32>, %j: tensor<3x4xi32>) -> (tensor<3xf32>, tensor<3xi32>, tensor<3xi64>, tensor<3xi32>, tensor<4xi32>) {
  %i = stablehlo.iota dim = 1 : tensor<3x4xi32>
  %l = stablehlo.iota dim = 1 : tensor<3x4xi64>
  %k = stablehlo.iota dim = 0 : tensor<3x4xi32>
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %inf = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %d = stablehlo.constant dense<0> : tensor<i64>
  %m0:2 = stablehlo.reduce(%t init: %ninf), (%i init: %c) across dimensions = [1] : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%p: tensor<f32>, %x: tensor<f32>) (%q: tensor<i32>, %y: tensor<i32>)  {
    %2 = stablehlo.compare  GT, %p, %x,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.compare NE, %p, %p, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.or %2, %3 : tensor<i1>
    %5 = stablehlo.compare  EQ, %p, %x,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.compare  LT, %q, %y,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.and %5, %6 : tensor<i1>
    %8 = stablehlo.or %4, %7 : tensor<i1>
    %9 = stablehlo.select %4, %p, %x : tensor<i1>, tensor<f32>
    %10 = stablehlo.select %8, %q, %y : tensor<i1>, tensor<i32>
    stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
  }
  %m1:2 = stablehlo.reduce(%t init: %inf), (%l init: %d) across dimensions = [1] : (tensor<3x4xf32>, tensor<3x4xi64>, tensor<f32>, tensor<i64>) -> (tensor<3xf32>, tensor<3xi64>)
   reducer(%p: tensor<f32>, %x: tensor<f32>) (%q: tensor<i64>, %y: tensor<i64>)  {
    %2 = stablehlo.compare  LT, %p, %x,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.compare NE, %p, %p, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.or %2, %3 : tensor<i1>
    %5 = stablehlo.compare  EQ, %p, %x,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.compare  LT, %q, %y,  SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %7 = stablehlo.and %5, %6 : tensor<i1>
    %8 = stablehlo.or %4, %7 : tensor<i1>
    %9 = stablehlo.select %4, %p, %x : tensor<i1>, tensor<f32>
    %10 = stablehlo.select %8, %q, %y : tensor<i1>, tensor<i64>
    stablehlo.return %9, %10 : tensor<f32>, tensor<i64>
  }
  %m2:2 = stablehlo.reduce(%j init: %least), (%i init: %c) across dimensions = [1] : (tensor<3x4xi32>, tensor<3x4xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
   reducer(%p: tensor<i32>, %x: tensor<i32>) (%q: tensor<i32>, %y: tensor<i32>)  {
    %2 = stablehlo.compare  GT, %p, %x,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.compare  EQ, %p, %x,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.compare  LT, %q, %y,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.and %5, %6 : tensor<i1>
    %8 = stablehlo.or %2, %7 : tensor<i1>
    %9 = stablehlo.select %2, %p, %x : tensor<i1>, tensor<i32>
    %10 = stablehlo.select %8, %q, %y : tensor<i1>, tensor<i32>
    stablehlo.return %9, %10 : tensor<i32>, tensor<i32>
  }
  %m3:2 = stablehlo.reduce(%j init: %least), (%k init: %c) across dimensions = [0] : (tensor<3x4xi32>, tensor<3x4xi32>, tensor<i32>, tensor<i32>) -> (tensor<4xi32>, tensor<4xi32>)
   reducer(%p: tensor<i32>, %x: tensor<i32>) (%q: tensor<i32>, %y: tensor<i32>)  {
    %2 = stablehlo.compare  LT, %p, %x,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.compare  EQ, %p, %x,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.compare  LT, %q, %y,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.and %5, %6 : tensor<i1>
    %8 = stablehlo.or %2, %7 : tensor<i1>
    %9 = stablehlo.select %2, %p, %x : tensor<i1>, tensor<i32>
    %10 = stablehlo.select %8, %q, %y : tensor<i1>, tensor<i32>
    stablehlo.return %9, %10 : tensor<i32>, tensor<i32>
  }
  return %m0#0, %m0#1, %m1#1, %m2#1, %m3#1 : tensor<3xf32>, tensor<3xi32>, tensor<3xi64>, tensor<3xi32>, tensor<4xi32>
}
