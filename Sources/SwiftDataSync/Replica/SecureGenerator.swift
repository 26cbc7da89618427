#if Sync
#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Random numbers for names, which no one can guess. The system is asked for many at once, because each question is a system call.
struct SecureGenerator: RandomNumberGenerator {
  private var numbers: [UInt64] = []
  /// The most bytes that the system gives at once.
  private static let size = 256

  mutating func next() -> UInt64 {
    if numbers.isEmpty {
      var system = SystemRandomNumberGenerator()
      var block = [UInt64](repeating: 0, count: Self.size / 8)
      guard getentropy(&block, Self.size) == 0 else { return system.next() }
      numbers = block
    }
    return numbers.removeLast()
  }
}

/// Random numbers of any generator.
struct AnyGenerator: RandomNumberGenerator {
  private var base: any RandomNumberGenerator
  init(_ base: any RandomNumberGenerator) { self.base = base }
  mutating func next() -> UInt64 { base.next() }
}
#endif
