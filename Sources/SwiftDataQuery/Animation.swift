public import Foundation

/// SwiftUI's type for animations. Code such as `@Query(sort: \.date, animation: .default)` compiles, but nothing is
/// animated.
public struct Animation: Hashable, Sendable {
  private init() {}

  /// Stands for SwiftUI's `default`.
  public static let `default` = Animation()
  /// Stands for SwiftUI's `linear`.
  public static let linear = Animation()
  /// Stands for SwiftUI's `easeIn`.
  public static let easeIn = Animation()
  /// Stands for SwiftUI's `easeOut`.
  public static let easeOut = Animation()
  /// Stands for SwiftUI's `easeInOut`.
  public static let easeInOut = Animation()
  /// Stands for SwiftUI's `spring`.
  public static let spring = Animation()
  /// Stands for SwiftUI's `interactiveSpring`.
  public static let interactiveSpring = Animation()
  /// Stands for SwiftUI's `interpolatingSpring`.
  public static let interpolatingSpring = Animation()
  /// Stands for SwiftUI's `smooth`.
  public static let smooth = Animation()
  /// Stands for SwiftUI's `snappy`.
  public static let snappy = Animation()
  /// Stands for SwiftUI's `bouncy`.
  public static let bouncy = Animation()

  /// Stands for SwiftUI's `linear(duration:)`.
  public static func linear(duration: TimeInterval) -> Animation { Animation() }
  /// Stands for SwiftUI's `easeIn(duration:)`.
  public static func easeIn(duration: TimeInterval) -> Animation { Animation() }
  /// Stands for SwiftUI's `easeOut(duration:)`.
  public static func easeOut(duration: TimeInterval) -> Animation { Animation() }
  /// Stands for SwiftUI's `easeInOut(duration:)`.
  public static func easeInOut(duration: TimeInterval) -> Animation { Animation() }
  /// Stands for SwiftUI's `timingCurve(_:_:_:_:duration:)`.
  public static func timingCurve(
    _ p1x: Double, _ p1y: Double, _ p2x: Double, _ p2y: Double, duration: TimeInterval = 0.35
  ) -> Animation { Animation() }
  /// Stands for SwiftUI's `spring(response:dampingFraction:blendDuration:)`.
  public static func spring(
    response: Double = 0.5, dampingFraction: Double = 0.825, blendDuration: TimeInterval = 0
  ) -> Animation { Animation() }
  /// Stands for SwiftUI's `spring(duration:bounce:blendDuration:)`.
  public static func spring(
    duration: TimeInterval = 0.5, bounce: Double = 0, blendDuration: Double = 0
  ) -> Animation { Animation() }
  /// Stands for SwiftUI's `interactiveSpring(response:dampingFraction:blendDuration:)`.
  public static func interactiveSpring(
    response: Double = 0.15, dampingFraction: Double = 0.86, blendDuration: TimeInterval = 0.25
  ) -> Animation { Animation() }
  /// Stands for SwiftUI's `interpolatingSpring(mass:stiffness:damping:initialVelocity:)`.
  public static func interpolatingSpring(
    mass: Double = 1, stiffness: Double, damping: Double, initialVelocity: Double = 0
  ) -> Animation { Animation() }
  /// Stands for SwiftUI's `smooth(duration:extraBounce:)`.
  public static func smooth(duration: TimeInterval = 0.5, extraBounce: Double = 0) -> Animation { Animation() }
  /// Stands for SwiftUI's `snappy(duration:extraBounce:)`.
  public static func snappy(duration: TimeInterval = 0.5, extraBounce: Double = 0) -> Animation { Animation() }
  /// Stands for SwiftUI's `bouncy(duration:extraBounce:)`.
  public static func bouncy(duration: TimeInterval = 0.5, extraBounce: Double = 0) -> Animation { Animation() }

  /// Returns the same animation.
  public func delay(_ delay: TimeInterval) -> Animation { self }
  /// Returns the same animation.
  public func speed(_ speed: Double) -> Animation { self }
  /// Returns the same animation.
  public func repeatCount(_ repeatCount: Int, autoreverses: Bool = true) -> Animation { self }
  /// Returns the same animation.
  public func repeatForever(autoreverses: Bool = true) -> Animation { self }
}

/// SwiftUI's type for the context of a change. It has no effect.
public struct Transaction: Sendable {
  /// The animation of the change.
  public var animation: Animation?
  /// Whether views may not animate the change themselves.
  public var disablesAnimations = false

  /// A transaction without an animation.
  public init() {}

  /// A transaction with an animation.
  public init(animation: Animation?) { self.animation = animation }
}
