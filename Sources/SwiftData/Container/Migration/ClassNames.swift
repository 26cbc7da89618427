/// Maps the classes of a new layout to the classes of the store's former layout.
///
/// Classes keep their names, with one exception: in the versions of a plan, names may differ by a version number at the
/// end, as `ItemV1` and `Item`.
struct ClassNames {
  private let old: LayoutRecord
  private let new: LayoutRecord
  /// Old names by new names.
  private var formers: [String: String] = [:]
  /// New names by old names.
  private var presents: [String: String] = [:]

  init(old: LayoutRecord, new: LayoutRecord, areVersions: Bool) {
    self.old = old
    self.new = new
    let oldNames = old.tables.flatMap(\.classes)
    let newNames = new.tables.flatMap(\.classes)
    for name in newNames where oldNames.contains(name) { formers[name] = name }
    if areVersions {
      for name in newNames where formers[name] == nil {
        let base = Self.withoutVersion(name)
        let candidates = oldNames.filter { !newNames.contains($0) && Self.withoutVersion($0) == base }
        let rivals = newNames.filter { formers[$0] == nil && Self.withoutVersion($0) == base }
        if candidates.count == 1, rivals.count == 1 { formers[name] = candidates[0] }
      }
    }
    presents = Dictionary(formers.map { ($0.value, $0.key) }) { first, _ in first }
  }

  /// The old names of a table's classes.
  func oldNames(of table: LayoutRecord.Table) -> [String: String] {
    formers.filter { table.classes.contains($0.key) }
  }

  /// The new name of an old class, or nil if no new class has its rows.
  func newName(of former: String) -> String? { presents[former] }

  /// Whether the store has a new class.
  func isKnown(_ name: String) -> Bool { formers[name] != nil }

  /// Whether some new class has the rows of an old one.
  func isContinued(_ former: String) -> Bool { presents[former] != nil }

  /// The table that had the rows of a new table: the one of its first class that the store knows. That is not the root if
  /// the classes gained a superclass.
  func oldTable(for name: String) -> LayoutRecord.Table? {
    guard let former = new.table(named: name)?.classes.lazy.compactMap({ formers[$0] }).first else { return nil }
    return old.tables.first { $0.classes.contains(former) }
  }

  /// The new tables that have rows of an old table. They are several if subclasses lost their superclass.
  func newTables(of old: LayoutRecord.Table) -> [LayoutRecord.Table] {
    new.tables.filter { oldTable(for: $0.name)?.name == old.name }
  }

  private static func withoutVersion(_ name: String) -> Substring {
    let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
    let stem = name.dropLast(digits)
    return digits > 0 && stem.hasSuffix("V") && stem.count > 1 ? stem.dropLast() : name[...]
  }
}
