import Foundation

/// A value that one thread at a time uses, with the interface of Synchronization's `Mutex`.
///
/// On Linux, a `Mutex` of Synchronization that threads wait for is handed to the one that waits longest. That thread sleeps, and until the
/// system runs it no other one continues. Once a few threads wait, each operation waits for such a change of threads, and that can last as long
/// as the threads ask (Documentation/decisions/0041-many-at-once.md). A lock of pthreads is free for the thread that asks first.
// @unchecked Sendable because only `withLock` reads or writes the value, while the thread has the mutex, and the two pointers never change.
package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  @usableFromInline let handle: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let value: UnsafeMutablePointer<Value>

  package init(_ value: consuming sending Value) {
    handle = .allocate(capacity: 1)
    handle.initialize(to: pthread_mutex_t())
    pthread_mutex_init(handle, nil)
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    pthread_mutex_destroy(handle)
    handle.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Calls `body` with the value while no other thread does. The thread must not have the lock.
  @inlinable @inline(__always)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(handle)
    defer { pthread_mutex_unlock(handle) }
    return try body(&value.pointee)
  }
}
