import ChildProcesses
import Testing

/// Runs tests that wait for processes on threads of their own.
struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
  }
}

extension Trait where Self == BlockingTrait {
  /// Of tests that wait for processes: ``ThreadExecutor`` says why.
  static var blocking: Self { Self() }
}
