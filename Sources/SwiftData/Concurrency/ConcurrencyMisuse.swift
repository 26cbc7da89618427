import Foundation
import Logging
import Synchronization

/// What is done about a context in the wrong hands.
///
/// A debug build of the library logs it (swift-log, `SwiftData.Concurrency`), once for each place in the program that does
/// it, with the call stack. The environment variable `SWIFTDATA_CONCURRENCY_DEBUG=1`, in any build, and
/// ``ModelConfiguration/trapsOnConcurrencyMisuse`` stop the program instead, as Core Data's
/// `-com.apple.CoreData.ConcurrencyDebug 1` does; `SWIFTDATA_CONCURRENCY_DEBUG=0` keeps a debug build silent.
struct ConcurrencyMisuse: Sendable {
  let isReported: Bool
  private let traps: Bool

  private static let environment = ProcessInfo.processInfo.environment["SWIFTDATA_CONCURRENCY_DEBUG"]

  init(trapsOnMisuse: Bool) {
    traps = trapsOnMisuse || Self.environment == "1"
    #if DEBUG
      isReported = traps || Self.environment != "0"
    #else
      isReported = traps
    #endif
  }

  /// The call stacks that were seen, and the places that were reported.
  private static let known = Mutex<(stacks: Set<[UInt]>, places: Set<[UInt]>)>(([], []))

  func report(_ message: String) {
    if traps { fatalError("SwiftData: \(message)") }
    let addresses = Thread.callStackReturnAddresses.map(\.uintValue)
    // Names take long to look up, so that a stack that was seen before is left at once.
    guard Self.known.withLock({ $0.stacks.insert(addresses).inserted }) else { return }
    let lines = Thread.callStackSymbols
    let outside = lines.drop { Self.symbol(in: $0).map(Self.isOwn) ?? true }
    // Up to the first frame that is surely the program's or the system's; functions that are not exported have no symbol.
    let place = Array(addresses.prefix(outside.isEmpty ? addresses.count : outside.startIndex + 1))
    guard Self.known.withLock({ $0.places.insert(place).inserted }) else { return }
    let stack = lines.map(Self.readable).joined(separator: "\n")
    Logger(label: "SwiftData.Concurrency").error("\(message)\n\(stack)")
  }

  private static func symbol(in line: String) -> Substring? {
    guard let start = line.firstRange(of: "$s")?.lowerBound else { return nil }
    return line[start...].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
  }

  /// Whether a function is of this module, or of an extension in it.
  private static func isOwn(_ symbol: Substring) -> Bool {
    symbol.hasPrefix("$s9SwiftData") || symbol.contains("9SwiftDataE")
  }

  /// A line of a call stack with the name as it is written in the source.
  private static func readable(_ line: String) -> String {
    guard let symbol = symbol(in: line), let name = Demangling.demangled(String(symbol)) else { return line }
    return line.replacingCharacters(in: symbol.startIndex..<symbol.endIndex, with: name)
  }
}
