/// Returns the natural logarithm of a positive number, computed with basic arithmetic only (see ``exponential(_:)``).
func logarithm(_ x: Double) -> Double {
  let exponent = Double(x.exponent)
  // ln m = 2·artanh((m - 1) / (m + 1)) for the significand 1 <= m < 2.
  let t = (x.significand - 1) / (x.significand + 1)
  var power = t
  var sum = 0.0
  for n in stride(from: 1.0, through: 25, by: 2) {
    sum += power / n
    power *= t * t
  }
  return 2 * sum + exponent * 0.693_147_180_559_945_3
}

/// Returns the natural logarithm of a positive number in single precision.
func logarithm(_ x: Float) -> Float { Float(logarithm(Double(x))) }
