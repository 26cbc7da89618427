import SwiftData

/// Work on many messages. A sync or another process may delete one between the fetch and the save.
enum MeanwhileDeleted {
  /// Does work in a context of its own, again if an object that it changed was deleted.
  static func readingAgain<T>(_ work: () throws -> T) throws -> T {
    for _ in 0..<10 {
      do { return try work() } catch SwiftDataError.staleObject {}
    }
    return try work()
  }
}
