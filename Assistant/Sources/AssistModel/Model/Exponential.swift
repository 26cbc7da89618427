/// Returns e to the power of `x`, computed with additions and multiplications only.
///
/// The `exp` functions of C libraries differ in the last bit, and training must give the same weights on every machine.
func exponential(_ x: Double) -> Double {
  if x < -80 { return 0 }
  let x = min(x, 80)
  // e^x = 2^k · e^r with |r| <= ln(2)/2. In this range 12 terms of the series are exact to 15 digits.
  let k = (x * 1.442_695_040_888_963_4).rounded()
  let r = x - k * 0.693_147_180_559_945_3
  var term = 1.0
  var sum = 1.0
  for n in 1...12 {
    term *= r / Double(n)
    sum += term
  }
  return Double(sign: .plus, exponent: Int(k), significand: 1) * sum
}

/// Returns e to the power of `x` in single precision.
func exponential(_ x: Float) -> Float { Float(exponential(Double(x))) }

/// Converts scores (logits) to probabilities in place.
func softmax(_ scores: inout [Float]) {
  let top = scores.max() ?? 0
  var sum: Float = 0
  for index in scores.indices {
    scores[index] = exponential(scores[index] - top)
    sum += scores[index]
  }
  for index in scores.indices { scores[index] /= sum }
}

/// Returns the probability for a score (logit).
func sigmoid(_ score: Float) -> Float { 1 / (1 + exponential(-score)) }
