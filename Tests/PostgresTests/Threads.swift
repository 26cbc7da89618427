import Foundation
import Synchronization

/// The errors of several threads.
final class Failures: Sendable {
  private let errors = Mutex<[String]>([])
  var all: [String] { errors.withLock { $0 } }

  func collect(_ body: () throws -> Void) {
    do { try body() } catch { errors.withLock { $0.append("\(error)") } }
  }
}

/// A thread of its own: these tests block, and the threads of Swift's concurrency are as few as the cores.
final class Worker: Sendable {
  private let end = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () -> Void) {
    Thread { [end] in
      body()
      end.signal()
    }.start()
  }

  func join() { end.wait() }
}

// @unchecked Sendable because a test hands the value to one worker and does not use it again until that worker has ended.
/// A value that one thread uses after another.
struct Unchecked<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
