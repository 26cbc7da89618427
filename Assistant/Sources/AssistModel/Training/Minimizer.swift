/// Minimizes a smooth convex function by L-BFGS (Liu and Nocedal, 1989): Newton's method with a curvature that the last steps show.
///
/// It runs on one thread and uses additions, multiplications, divisions and square roots in a fixed order, so the result is the same on
/// every machine, bit by bit.
struct Minimizer {
  /// The number of steps whose curvature is remembered.
  static let memory = 8

  /// The largest number of steps.
  var steps = 100
  /// The search ends when the gradient is this much shorter than the first one.
  var precision = 1e-3

  /// A function with its gradient. The function writes the gradient at a point and returns its value there.
  typealias Function = (_ point: [Double], _ gradient: inout [Double]) -> Double

  private struct Curvature {
    let move: [Double]
    let change: [Double]
    /// The product of the move and the change of the gradient. It is positive.
    let product: Double
  }

  /// Moves a point to the minimum of a function.
  func minimize(_ point: inout [Double], _ function: Function) {
    var gradient = [Double](repeating: 0, count: point.count)
    var value = function(point, &gradient)
    let goal = Self.product(gradient, gradient) * precision * precision
    var history: [Curvature] = []
    var next = point
    var nextGradient = gradient
    for _ in 0..<steps where Self.product(gradient, gradient) > goal {
      let direction = Self.direction(gradient, history)
      let slope = Self.product(gradient, direction)
      // Without curvature the length of the gradient says nothing about the distance.
      var length = history.isEmpty ? 1 / Self.product(gradient, gradient).squareRoot() : 1
      var nextValue = 0.0
      var isLower = false
      for _ in 0..<40 where !isLower {
        for index in point.indices { next[index] = point[index] + length * direction[index] }
        nextValue = function(next, &nextGradient)
        isLower = nextValue <= value + 1e-4 * length * slope
        length /= 2
      }
      // Rounding errors hide a smaller decrease.
      guard isLower else { return }
      let move = zip(next, point).map { $0 - $1 }
      let change = zip(nextGradient, gradient).map { $0 - $1 }
      let product = Self.product(move, change)
      if product > 0 { history.append(Curvature(move: move, change: change, product: product)) }
      if history.count > Self.memory { history.removeFirst() }
      swap(&point, &next)
      swap(&gradient, &nextGradient)
      value = nextValue
    }
  }

  /// Returns the direction of the next step: the negative gradient, corrected by the curvature.
  private static func direction(_ gradient: [Double], _ history: [Curvature]) -> [Double] {
    var direction = gradient.map { -$0 }
    var shares: [Double] = []
    for step in history.reversed() {
      let share = product(step.move, direction) / step.product
      add(-share, step.change, to: &direction)
      shares.append(share)
    }
    if let last = history.last {
      let scale = last.product / product(last.change, last.change)
      for index in direction.indices { direction[index] *= scale }
    }
    for (step, share) in zip(history, shares.reversed()) {
      let other = product(step.change, direction) / step.product
      add(share - other, step.move, to: &direction)
    }
    return direction
  }

  private static func product(_ a: [Double], _ b: [Double]) -> Double {
    var sum = 0.0
    for index in a.indices { sum += a[index] * b[index] }
    return sum
  }

  private static func add(_ factor: Double, _ vector: [Double], to result: inout [Double]) {
    for index in result.indices { result[index] += factor * vector[index] }
  }
}
