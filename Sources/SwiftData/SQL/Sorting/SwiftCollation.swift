/// The text orders that SQLite delegates to Swift.
enum SwiftCollation {
  static func name(of rule: __SortRule) -> String {
    rule == .localized ? "swift_localized" : "swift_localized_standard"
  }
}
