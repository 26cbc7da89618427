import Foundation

private let starting = NSLock()

/// Makes the pipes of a child process and starts it, while no other thread does. Every test starts its processes with it.
///
/// Foundation lets a child close the descriptors that are open just before it starts. A pipe that another thread makes between that moment
/// and the start stays open in the child, and so does the socket by which Foundation learns that a process has ended. A test that
/// reads such a pipe to its end, or waits for such a process, then waits for the end of the wrong child, which may be a server.
/// - Parameter start: makes the pipes and runs the process.
public func startingProcess<Result>(_ start: () throws -> Result) rethrows -> Result {
  try starting.withLock(start)
}
