import SwiftData

/// The lock of this module, in the place of Synchronization's.
typealias Mutex<Value: ~Copyable> = Lock<Value>
