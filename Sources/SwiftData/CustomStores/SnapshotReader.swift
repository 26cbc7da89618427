/// Reads a snapshot for the initializer that decodes rows.
final class SnapshotReader: __RowReader {
  // The other initializer sets it immediately.
  private var contents: SnapshotContents! = nil
  private var keyOf: (PersistentIdentifier) -> Int64 = { _ in 0 }

  /// - Parameter key: maps an identifier to its key in the context's identity map.
  convenience init(_ contents: SnapshotContents, key: @escaping (PersistentIdentifier) -> Int64) {
    self.init(entity: contents.entity)
    self.contents = contents
    self.keyOf = key
    carriesValues = true
  }

  override var isStrict: Bool { true }

  override func value(_ index: Int) -> Any? {
    if case .value(let value) = contents.fields[index] { value } else { nil }
  }

  /// Whether the snapshot has a value, which may be nil.
  override func has(_ index: Int) -> Bool { contents.fields[index] != nil }

  override func faultKey(_ index: Int) -> Int64? {
    guard !entity.properties[index].isAttribute else { return nil }
    if case .toOne(let target?) = contents.fields[index] { return keyOf(target) }
    return 0
  }
}
