/// Which class of a store's former layout each class of the new one was.
///
/// Classes keep their names. One exception: in the versions of a plan, the names of a class may differ by a number of
/// the version at their end, as `ItemV1` and `Item` do in the seeds.
struct ClassNames {
  private let old: LayoutRecord
  private let new: LayoutRecord
  /// Old names by new names.
  private var formers: [String: String] = [:]

  init(old: LayoutRecord, new: LayoutRecord, areVersions: Bool) {
    self.old = old
    self.new = new
    let olds = old.tables.flatMap(\.classes)
    let news = new.tables.flatMap(\.classes)
    for name in news where olds.contains(name) { formers[name] = name }
    guard areVersions else { return }
    for name in news where formers[name] == nil {
      let base = Self.withoutVersion(name)
      let candidates = olds.filter { !news.contains($0) && Self.withoutVersion($0) == base }
      let rivals = news.filter { formers[$0] == nil && Self.withoutVersion($0) == base }
      if candidates.count == 1, rivals.count == 1 { formers[name] = candidates[0] }
    }
  }

  /// The old name of each class of a table that has one.
  func oldNames(of table: LayoutRecord.Table) -> [String: String] {
    formers.filter { table.classes.contains($0.key) }
  }

  /// The table that had the rows of a new table.
  func oldTable(for name: String) -> LayoutRecord.Table? {
    guard let root = new.table(named: name)?.classes.first, let former = formers[root] else { return nil }
    return old.tables.first { $0.classes.contains(former) }
  }

  private static func withoutVersion(_ name: String) -> Substring {
    let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
    let stem = name.dropLast(digits)
    return digits > 0 && stem.hasSuffix("V") && stem.count > 1 ? stem.dropLast() : name[...]
  }
}
