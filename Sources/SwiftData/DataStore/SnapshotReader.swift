/// Lets a model be made of a snapshot by the initialiser that decodes rows.
final class SnapshotReader: __RowReader {
  // The other initialiser sets it at once.
  private var contents: SnapshotContents! = nil
  private var keyOf: (PersistentIdentifier) -> Int64 = { _ in 0 }

  /// - Parameter key: the key that stands for an identifier in the context's identity map.
  convenience init(_ contents: SnapshotContents, key: @escaping (PersistentIdentifier) -> Int64) {
    self.init(entity: contents.entity)
    self.contents = contents
    self.keyOf = key
  }

  override var carriesValues: Bool { true }
  override var isStrict: Bool { true }

  override func value(_ index: Int) -> Any? {
    if case .value(let value) = contents.fields[index] { value } else { nil }
  }

  /// Whether the snapshot has a value, nil included.
  override func has(_ index: Int) -> Bool { contents.fields[index] != nil }

  override func faultKey(_ index: Int) -> Int64? {
    guard !entity.properties[index].isAttribute else { return nil }
    if case .toOne(let target?) = contents.fields[index] { return keyOf(target) }
    return 0
  }
}
