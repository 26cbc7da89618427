/// Transports errors of encrypted columns through SQLite, which supports only text.
enum EncryptionErrors {
  private static let codes: [(prefix: String, code: SwiftDataError.Code)] = [
    ("SwiftData key: ", .encryptionKey), ("SwiftData value: ", .unreadableValue),
  ]

  static func text(of error: SwiftDataError) -> String {
    (codes.first { $0.code == error.code }?.prefix ?? "") + (error.message ?? "")
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
    return SwiftDataError(known.code, message: text.dropFirst(known.prefix.count) + advice, sql: sql)
  }
}
