/// e to the power of `x`, from additions and multiplications alone.
///
/// The C library's `exp` differs in the last bit between versions. Training must give the same weights on every machine.
func exponential(_ x: Float) -> Float {
  if x < -80 { return 0 }
  let x = Double(min(x, 80))
  // e^x = 2^k · e^r with |r| <= ln(2)/2, where 12 terms of the series are exact in single precision.
  let k = (x * 1.442_695_040_888_963_4).rounded()
  let r = x - k * 0.693_147_180_559_945_3
  var term = 1.0
  var sum = 1.0
  for n in 1...12 {
    term *= r / Double(n)
    sum += term
  }
  return Float(Double(sign: .plus, exponent: Int(k), significand: 1) * sum)
}
