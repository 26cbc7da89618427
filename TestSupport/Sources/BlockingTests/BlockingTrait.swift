import ChildProcesses
import Testing

/// Runs tests that wait for processes on threads of their own.
public struct BlockingTrait: SuiteTrait, TestTrait, TestScoping {
  /// The trait of a suite applies to each of its tests.
  public var isRecursive: Bool { true }

  /// Runs a test on threads of its own.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ThreadExecutor.shared) { try await function() }
  }
}

extension Trait where Self == BlockingTrait {
  /// The trait of tests that wait for processes. `ThreadExecutor` says why they need it.
  public static var blocking: Self { Self() }
}
