extension ModelContainer {
  /// Returns the space of deleted rows to the disk. SQLite keeps that space for new rows otherwise. (Not Apple's.)
  ///
  /// SQLite writes the file again and then truncates the write-ahead log. Saves of all programs wait meanwhile. Stores in memory and other
  /// kinds of stores do nothing: a PostgreSQL server returns space itself.
  /// - Throws: ``SwiftDataError/storeLocked`` if another program holds the file for longer than ``ModelConfiguration/lockTimeout``,
  ///   ``SwiftDataError/storeFull`` if the disk has no room for a second copy, ``SwiftDataError/storeReadOnly``. The store is unchanged then.
  /// - Complexity: reads and writes the whole file.
  public func compact() throws {
    for store in core.stores { try store.compact() }
  }
}
