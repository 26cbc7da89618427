import SwiftData
import Testing

/// Counts the work of something at two sizes, since time on a shared machine says little.
enum Growth {
  /// Expects that twice as many items are at most twice the work.
  /// - Parameter run: does it with so many items, and says how much work that was.
  static func expectLinear(
    _ count: Int = 300, _ what: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ run: (Int) throws -> Int
  ) rethrows {
    let (one, two) = (try run(count), try run(count * 2))
    #expect(two <= one * 2 + one / 10 + 100, what, sourceLocation: sourceLocation)
  }

  /// A context that keeps its indices from the first object on, and compares little at a time.
  static func context(_ types: any PersistentModel.Type...) throws -> ModelContext {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let context = ModelContext(try ModelContainer(for: Schema(types), configurations: configuration))
    context.state.tuning.comparedLength = 16
    return context
  }

  /// The work that a context did in a piece of code.
  static func work(of context: ModelContext, _ body: () throws -> Void) throws -> WorkCounter {
    let before = context.state.work
    try body()
    return context.state.work - before
  }
}

extension WorkCounter {
  fileprivate static func - (left: WorkCounter, right: WorkCounter) -> WorkCounter {
    var result = left
    for counter: WritableKeyPath<WorkCounter, Int> in [
      \.evaluated, \.listed, \.indexedCandidates, \.elements, \.compared, \.registered, \.excluded,
    ] { result[keyPath: counter] -= right[keyPath: counter] }
    return result
  }
}
