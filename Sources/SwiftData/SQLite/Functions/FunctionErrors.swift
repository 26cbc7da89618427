/// Transports errors of SQL functions through SQLite, which supports only text.
enum FunctionErrors {
  private static let codes: [(prefix: String, code: SwiftDataError.Code)] = [
    ("SwiftData key: ", .encryptionKey), ("SwiftData value: ", .unreadableValue),
  ]

  /// Between the entity, the property and the message. No name contains it.
  private static let separator: Character = "\u{1F}"

  static func text(of error: SwiftDataError) -> String {
    (codes.first { $0.code == error.code }?.prefix ?? "")
      + [error.entity ?? "", error.property ?? "", error.message ?? ""].joined(separator: String(separator))
  }

  /// Returns nil for the text of any other error.
  static func error(of text: String, _ layout: StoreLayout?, place: String, sql: String?) -> SwiftDataError? {
    if let column = SealedColumns.column(ofMessage: text) {
      let property = layout?.property(ofColumn: column.column, in: column.table)
      return SwiftDataError(
        .newerSchema, entity: property?.entity ?? column.table, property: property?.name ?? column.column,
        message:
          "another program encrypts it since this program opened \(place); end this program, and start it with models"
          + " that agree and with the key. Nothing was saved", sql: sql)
    }
    guard let known = codes.first(where: { text.hasPrefix($0.prefix) }) else { return nil }
    let advice =
      known.code == .encryptionKey
      ? "; add it to ModelConfiguration.previousEncryptionKeys. Nothing was lost or changed" : ""
    let parts = text.dropFirst(known.prefix.count).split(
      separator: separator, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    func name(_ part: Substring) -> String? { part.isEmpty ? nil : String(part) }
    return SwiftDataError(
      known.code, entity: name(parts[0]), property: name(parts[1]), message: parts[2] + advice, sql: sql)
  }
}
