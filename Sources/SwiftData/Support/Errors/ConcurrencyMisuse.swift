import Foundation
import Logging

/// Reports the misuse of a context across threads.
///
/// A debug build of the library logs each place once with its call stack (swift-log, `SwiftData.Concurrency`). The
/// environment variable `SWIFTDATA_CONCURRENCY_DEBUG=1`, in any build, and
/// ``ModelConfiguration/trapsOnConcurrencyMisuse`` stop the program instead, as Core Data's
/// `-com.apple.CoreData.ConcurrencyDebug 1` does. `SWIFTDATA_CONCURRENCY_DEBUG=0` silences a debug build.
struct ConcurrencyMisuse: Sendable {
  let isReported: Bool
  private let traps: Bool

  // Not `ProcessInfo.environment`, which makes a dictionary of all variables.
  private static let environment = getenv("SWIFTDATA_CONCURRENCY_DEBUG").map { String(cString: $0) }

  init(trapsOnMisuse: Bool) {
    traps = trapsOnMisuse || Self.environment == "1"
    #if DEBUG
      isReported = traps || Self.environment != "0"
    #else
      isReported = traps
    #endif
  }

  /// The call stacks seen so far, and the reported places.
  private static let known = Lock<(stacks: Set<[UInt]>, places: Set<UInt>)>(([], []))

  func report(_ message: String) {
    if traps { fatalError("SwiftData: \(message)") }
    let addresses = Thread.callStackReturnAddresses.map(\.uintValue)
    // Symbol lookup is slow, so a known stack returns early.
    guard Self.known.withLock({ $0.stacks.insert(addresses).inserted }) else { return }
    let frames = zip(addresses, Thread.callStackSymbols).map { address, line in
      Frame(address: address, line: line, symbol: SymbolNames.symbol(at: UInt64(address)) ?? Self.symbol(in: line))
    }
    // The first function that is surely the program's.
    let place = frames.first { $0.isOfProgram } ?? frames.last
    guard let place, Self.known.withLock({ $0.places.insert(place.address).inserted }) else { return }
    let stack = frames.map(\.text).joined(separator: "\n")
    Logger(label: "SwiftData.Concurrency").error("\(message)\n\(stack)")
  }

  /// One call of a stack.
  private struct Frame {
    let address: UInt
    /// As the system writes it.
    let line: String
    let symbol: String?

    /// Whether the function is neither of this module, nor of an extension in it, nor of the standard library.
    var isOfProgram: Bool {
      guard let symbol, symbol.hasPrefix("$s") else { return false }
      let isOwn = symbol.hasPrefix("$s9SwiftData") || symbol.contains("9SwiftDataE")
      return !isOwn
        && !["$sS", "$ss", "$s10Foundation", "$s20FoundationEssentials", "$s15Synchronization"].contains {
          symbol.hasPrefix($0)
        }
    }

    /// The line with the name as it is written in the source.
    var text: String {
      guard let symbol, let name = Demangling.demangled(symbol) else { return line }
      return line.contains(symbol) ? line.replacingOccurrences(of: symbol, with: name) : "\(line) \(name)"
    }
  }

  private static func symbol(in line: String) -> String? {
    guard let start = line.firstRange(of: "$s")?.lowerBound else { return nil }
    return String(line[start...].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" })
  }
}
