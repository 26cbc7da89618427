/// The difference that changed records make in a view: in the rows and in the indices (decision 44).
///
/// The cost depends on what changes in the rows, not on the number of records. The update only reads the source. The caller then writes
/// ``registers``, ``entries`` and ``shown`` to its tables, and the rest to the rows, in this order: ``renamed``, ``deleted``, ``created``,
/// ``changed``, ``lists``. All values name rows by their new keys.
public struct ViewUpdate: Sendable {
  /// A derived to-many of a row.
  public struct ListKey: Hashable, Sendable {
    /// The row.
    public var row: RecordKey
    /// The property.
    public var property: ExactText

    /// Makes a key.
    public init(_ row: RecordKey, _ property: ExactText) { (self.row, self.property) = (row, property) }
  }

  /// A change of a derived to-many. `RowSource.list` reads the list as it is after the change.
  public struct ListChange: Hashable, Sendable {
    /// The members that came, with their places.
    public var arrived: [RecordKey: ExactText] = [:]
    /// The members that left. Among them are deleted rows.
    public var left = Set<RecordKey>()
    /// Whether a member that stays may have another place.
    public var isReordered = false
  }

  /// The change of a record's index entries.
  public struct EntryChange: Hashable, Sendable {
    /// The entries that the record does not have any more.
    public var removed = IndexEntries()
    /// The new entries.
    public var added = IndexEntries()
  }

  /// The registers of each changed record; nil for a record that its zone does not know any more.
  public internal(set) var registers: [RecordKey: Registers?] = [:]
  /// The index entries that change, by record.
  public internal(set) var entries: [RecordKey: EntryChange] = [:]
  /// The row of each record that another row shows than before; nil for a record that is not shown.
  public internal(set) var shown: [RecordKey: RecordKey?] = [:]
  /// The rows that keep their objects and have a new key, by the old key. Old keys and new keys have nothing in common.
  public internal(set) var renamed: [RecordKey: RecordKey] = [:]
  /// The rows that are gone. A row whose class changed is here, and in ``created``.
  public internal(set) var deleted = Set<RecordKey>()
  /// The new rows, without the values of derived to-manys.
  public internal(set) var created: [RecordKey: Row] = [:]
  /// The values that changed in other rows, without the values of derived to-manys.
  public internal(set) var changed: [RecordKey: [ExactText: RowValue]] = [:]
  /// The changes of derived to-manys.
  public internal(set) var lists: [ListKey: ListChange] = [:]

  /// Nothing that changes.
  init() {}

  /// Finds what changed records change.
  /// - Parameters:
  ///   - source: the records and rows before the change.
  ///   - models: the program's models.
  ///   - changes: the registers of each record that changes; nil for a record that goes: the server forgot it, or its zone is gone.
  /// - Throws: an error of the source.
  public init(_ source: some RowSource, _ models: SyncModels, changes: [RecordKey: Registers?]) throws {
    try self.init(source, models, changes: changes, skipping: [])
  }

  /// - Parameter skipping: the steps that are left out. Tests leave out a step to show that a law needs it.
  package init(
    _ source: some RowSource, _ models: SyncModels, changes: [RecordKey: Registers?], skipping: Set<Step>
  ) throws {
    try self.init(ShownRows(source, models), changes: changes, skipping: skipping)
  }

  /// Finds what changed records change, and keeps what it reads in the rows before the change.
  /// - Parameter before: the rows before the change. Nothing of them was read before another change.
  /// - Throws: an error of the source.
  package init(_ before: ShownRows, changes: [RecordKey: Registers?], skipping: Set<Step> = []) throws {
    let updater = try ViewUpdater(before.reader, changes, skipping)
    try updater.run()
    self = updater.update
  }

  /// A step of an update.
  package enum Step: CaseIterable {
    /// Records that lose an owner which hid them are looked at again.
    case lostOwners
    /// A hidden record hides the records that it owns.
    case hiddenOwners
    /// A group is found again from all of its values, also those that it had.
    case formerValues
    /// The groups of later zones are decided again.
    case laterZones
    /// References in other zones are resolved again.
    case otherZones
    /// References to a record that moved or died are resolved again, though the same row shows it.
    case movedTargets
    /// References to a row whose class changed are resolved again.
    case changedClasses
    /// The source that a one-to-one showed instead of another one is looked at again.
    case rivals
    /// A renamed row keeps its object.
    case renames
    /// A list whose members changed their places is read again.
    case places
  }
}

extension RecordSource {
  /// The registers of the records that an entry of the log changes, with the changes.
  /// - Throws: an error of the source.
  public func changes(by entry: ZoneStates.Entry) throws -> [RecordKey: Registers?] {
    var changes: [RecordKey: Registers?] = [:]
    for (zone, part) in entry.parts {
      switch part {
      case .forget(let names): for name in names { changes[RecordKey(zone, name)] = .some(nil) }
      case .change(let records):
        try prepare(records.keys.map { RecordKey(zone, $0) })
        for (name, var registers) in records {
          registers.commit = entry.commit
          let key = RecordKey(zone, name)
          changes[key] = .some((try self.registers(of: key) ?? Registers()).joining(registers))
        }
      }
    }
    return changes
  }
}
