import Foundation
@_spi(StoreCopy) import SwiftData

/// Copies the inbox between two stores of any kind, in chunks.
///
/// It can be stopped and run again: models are matched by `id`, and an equal model in the target is only read. The
/// source must not change meanwhile. (Not in the guide.)
public struct StoreCopy<Source: DataStore, Target: DataStore>
where Source.Snapshot == DefaultSnapshot, Target.Snapshot == DefaultSnapshot {
  private let source: Source
  private let target: Target
  private let state: EditingState
  private let size: Int
  /// The identifiers of referenced models in the source, with those in the target and their `id`.
  private var targets: [PersistentIdentifier: PersistentIdentifier] = [:]
  private var names: [PersistentIdentifier: String] = [:]

  /// Makes a copy that has not started.
  /// - Parameters:
  ///   - source: the store to read.
  ///   - target: the store to write.
  ///   - state: the author in the target's history.
  ///   - chunk: the number of models per save.
  public init(from source: Source, to target: Target, state: EditingState, chunk: Int = 2_000) {
    self.source = source
    self.target = target
    self.state = state
    self.size = max(1, chunk)
  }

  /// Copies all missing models, then compares both stores.
  /// - Parameter progress: called with the class and the number of its finished models.
  /// - Returns: a result per class.
  /// - Throws: `SwiftDataError`, and `DataLayerError.invalidData` for a model without an id. Copied models stay, and
  ///   another run continues.
  /// - Complexity: memory for the identifiers of all models.
  public mutating func run(_ progress: (_ entity: String, _ done: Int) -> Void = { _, _ in }) throws
    -> [StoreCopyResult]
  {
    // Referenced models come first.
    var results = [
      try copy(UserEntity.self, progress) { ids in #Predicate { ids.contains($0.id) } },
      try copy(FAQEntity.self, progress) { ids in #Predicate { ids.contains($0.id) } },
      try copy(ConversationEntity.self, progress) { ids in #Predicate { ids.contains($0.id) } },
      try copy(MessageEntity.self, progress) { ids in #Predicate { ids.contains($0.id) } },
      try copy(AttachmentEntity.self, progress) { ids in #Predicate { ids.contains($0.id) } },
      try copy(SyncStateEntity.self, progress) { ids in #Predicate { ids.contains($0.id) } },
      try copy(SyncConflictEntity.self, progress) { ids in #Predicate { ids.contains($0.id) } },
      try copy(AttachmentUploadEntity.self, progress) { ids in #Predicate { ids.contains($0.attachmentID) } },
      try copy(AssistCorrectionEntity.self, progress) { ids in #Predicate { ids.contains($0.id) } },
      try copy(MessageVectorEntity.self, progress) { ids in #Predicate { ids.contains($0.id) } },
    ]
    try compare(UserEntity.self, &results[0])
    try compare(FAQEntity.self, &results[1])
    try compare(ConversationEntity.self, &results[2])
    try compare(MessageEntity.self, &results[3])
    try compare(AttachmentEntity.self, &results[4])
    try compare(SyncStateEntity.self, &results[5])
    try compare(SyncConflictEntity.self, &results[6])
    try compare(AttachmentUploadEntity.self, &results[7])
    try compare(AssistCorrectionEntity.self, &results[8])
    try compare(MessageVectorEntity.self, &results[9])
    return results
  }

  // MARK: - Copying

  private mutating func copy<M: PersistentModel>(
    _ type: M.Type, _ progress: (String, Int) -> Void, named: ([String]) -> Predicate<M>
  ) throws -> StoreCopyResult {
    var result = StoreCopyResult(entity: "\(type)")
    // No model of an empty class needs to be looked up.
    let isEmpty = try count(type, target, limit: 1) == 0
    var last: PersistentIdentifier?
    while true {
      let chunk = try snapshots(type, source, after: last)
      let contents = try chunk.map(Content.init)
      let there = isEmpty ? [:] : try found(type, contents, named)
      var missing = [DefaultSnapshot]()
      for (snapshot, content) in zip(chunk, contents) {
        names[snapshot.persistentIdentifier] = content.id
        if let known = there[content.id] { targets[snapshot.persistentIdentifier] = known.identifier }
        let fingerprint = content.fingerprint(names)
        result.sourceChecksum &+= fingerprint
        if there[content.id]?.fingerprint == fingerprint { continue }
        // Relationships refer to models that were copied before. Lists follow from the other side.
        missing.append(
          snapshot.copy(persistentIdentifier: snapshot.persistentIdentifier, remappedIdentifiers: targets))
      }
      if !missing.isEmpty {
        let saved = try target.save(DataStoreSaveChangesRequest(editingState: state, inserted: missing))
        for (old, new) in saved.remappedIdentifiers {
          targets[old] = new
          names[new] = names[old]
        }
      }
      result.written += missing.count
      result.sourceCount += chunk.count
      if !chunk.isEmpty { progress(result.entity, result.sourceCount) }
      last = chunk.last?.persistentIdentifier
      if chunk.count < size { return result }
    }
  }

  /// The target's versions of some models, by `id`.
  private mutating func found<M: PersistentModel>(
    _ type: M.Type, _ contents: [Content], _ named: ([String]) -> Predicate<M>
  ) throws -> [String: (identifier: PersistentIdentifier, fingerprint: UInt64)] {
    var descriptor = FetchDescriptor<M>(predicate: named(contents.map(\.id)))
    descriptor.leaveOutLists()
    let request = DataStoreFetchRequest(descriptor: descriptor, editingState: state)
    let snapshots = try target.fetch(request).fetchedSnapshots
    var result = [String: (identifier: PersistentIdentifier, fingerprint: UInt64)]()
    for snapshot in snapshots {
      let content = try Content(snapshot)
      names[snapshot.persistentIdentifier] = content.id
      result[content.id] = (snapshot.persistentIdentifier, content.fingerprint(names))
    }
    return result
  }

  /// The page of models after another one, in the order of insertion.
  ///
  /// Identifiers of a class have that order, and both databases find one by their primary key. An offset would read
  /// all rows before the page.
  private func snapshots<M: PersistentModel, Store: DataStore>(
    _ type: M.Type, _ store: Store, after last: PersistentIdentifier?
  ) throws -> [DefaultSnapshot] where Store.Snapshot == DefaultSnapshot {
    var descriptor = FetchDescriptor<M>()
    if let last { descriptor.predicate = #Predicate<M> { $0.persistentModelID > last } }
    descriptor.fetchLimit = size
    descriptor.leaveOutLists()
    return try store.fetch(DataStoreFetchRequest(descriptor: descriptor, editingState: state)).fetchedSnapshots
  }

  private func count<M: PersistentModel, Store: DataStore>(
    _ type: M.Type, _ store: Store, limit: Int? = nil
  ) throws -> Int {
    var descriptor = FetchDescriptor<M>()
    descriptor.fetchLimit = limit
    return try store.fetchCount(DataStoreFetchRequest(descriptor: descriptor, editingState: state))
  }

  // MARK: - Comparing

  /// Reads the target, and counts the source again.
  private func compare<M: PersistentModel>(_ type: M.Type, _ result: inout StoreCopyResult) throws {
    result.sourceCount = try count(type, source)
    var last: PersistentIdentifier?
    while true {
      let chunk = try snapshots(type, target, after: last)
      // The sum does not depend on the order.
      for snapshot in chunk { result.targetChecksum &+= try Content(snapshot).fingerprint(names) }
      result.targetCount += chunk.count
      last = chunk.last?.persistentIdentifier
      if chunk.count < size { return }
    }
  }
}

/// The result of copying one class, and both stores' contents afterwards.
public struct StoreCopyResult: Sendable, Codable {
  /// The name of the class.
  public let entity: String
  /// The number of written models. The others existed already.
  public internal(set) var written = 0
  /// The number of models in the source.
  public internal(set) var sourceCount = 0
  /// The number of models in the target.
  public internal(set) var targetCount = 0
  /// The checksum over all values of the source.
  public internal(set) var sourceChecksum: UInt64 = 0
  /// The checksum over all values of the target.
  public internal(set) var targetChecksum: UInt64 = 0
  /// Whether both stores have the same contents.
  public var isVerified: Bool { sourceCount == targetCount && sourceChecksum == targetChecksum }
}

/// The contents of a snapshot, independent of the store's identifiers.
private struct Content {
  let id: String
  private let snapshot: DefaultSnapshot

  init(_ snapshot: DefaultSnapshot) throws {
    self.snapshot = snapshot
    guard let id = (snapshot.attribute("id") ?? snapshot.attribute("attachmentID")) as? String else {
      throw DataLayerError.invalidData(
        "a \(snapshot.persistentIdentifier.entityName) without an id cannot be found again in the other store")
    }
    self.id = id
  }

  /// A hash of the cells of all properties in order, with related models by `id`. Lists follow from the other side.
  func fingerprint(_ names: [PersistentIdentifier: String]) -> UInt64 {
    var hash = Fingerprint()
    snapshot.forEachCell(naming: { names[$0] ?? "?" }) { kind, bytes in hash.add(kind, bytes) }
    return hash.value
  }
}

/// A hash like FNV-1a, but of words of eight bytes.
private struct Fingerprint {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  /// Adds the kind of the cell and its length, then its bytes.
  mutating func add(_ kind: UInt8, _ bytes: UnsafeRawBufferPointer) {
    add(UInt64(bytes.count) << 8 | UInt64(kind))
    var place = 0
    while place + 8 <= bytes.count {
      add(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      place += 8
    }
    guard place < bytes.count else { return }
    add(bytes[place...].reduce(0) { $0 << 8 | UInt64($1) })
  }

  private mutating func add(_ word: UInt64) {
    value = (value ^ word) &* 0x100_0000_01b3
    // Multiplication carries differences to higher bits only.
    value ^= value >> 32
  }
}
