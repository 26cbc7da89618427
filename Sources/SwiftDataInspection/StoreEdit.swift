import Foundation
import SwiftData
import SwiftDataAppleStore

extension InspectedStore {
  /// Checks that attributes of the store can be changed.
  /// - Throws: `SwiftDataError` for every store that is not a file of OpenSwiftData.
  public func checkEditable() throws {
    guard kind == .sqlite else {
      throw SwiftDataError(
        .unsupportedFeature,
        message:
          "\"\(location)\" is not edited: only files of OpenSwiftData are. `swiftdata import` makes one of a store"
          + " of Apple's frameworks")
    }
  }

  /// Changes an attribute of an object. The history does not record it.
  /// - Parameter text: the value as a page shows it, or nil.
  /// - Throws: `SwiftDataError` if the text is not a value of the attribute, or another object has the unique value.
  public func change(_ entity: String, _ key: Int64, property: String, to text: String?) throws {
    try checkEditable()
    guard let table = table(of: entity), let column = columns(of: entity).first(where: { $0.propertyName == property }),
      column.family != .key
    else {
      throw SwiftDataError(
        .unsupportedKeyPath, entity: entity, property: property, message: "there is no such attribute")
    }
    guard encryption?.contains(table.name, column.name) != true else {
      throw SwiftDataError(
        .unsupportedFeature, entity: entity, property: property,
        message: "the attribute is encrypted, and this tool has no key; change it in the program")
    }
    guard let cell = text == nil ? .null : Self.cell(text!, column), cell != .null || !column.isRequired else {
      throw SwiftDataError(
        .unwritableValue, entity: entity, property: property,
        message: text == nil
          ? "the attribute must have a value"
          : "\"\(text!)\" is not a value of the attribute's type,"
            + " \(column.valueType.isEmpty ? column.family.rawValue : column.valueType)")
    }
    let access = FileAccess(URL(fileURLWithPath: location), isWritable: true) {
      try $0.expectOwnStore()
      try $0.execute("PRAGMA foreign_keys = ON")
    }
    try access.write { connection in
      let count = try connection.run(
        """
        UPDATE \(name: table.name) SET \(name: column.name) = \(bind: cell) \
        WHERE _pk = \(bind: .integer(key)) AND \(condition(entity, in: table))
        """)
      guard count == 1 else {
        throw SwiftDataError(.staleObject, entity: entity, message: "the object with the key \(key) was deleted")
      }
      if case .text(let text) = cell, !text.unicodeScalars.allSatisfy(\.isASCII) {
        try connection.run(
          """
          INSERT OR IGNORE INTO _swiftdata_denormalized (column_name) \
          SELECT \(bind: .text("\(table.name).\(column.name)")) WHERE swift_nfc(\(bind: cell)) IS NOT \(bind: cell)
          """)
      }
    }
  }

  /// The cell of a text that is a whole value of the column's type.
  private static func cell(_ text: String, _ column: LayoutRecord.Column) -> SQLValue? {
    switch column.family {
    case .bool: return ["true": .integer(1), "false": .integer(0)][text]
    case .integer:
      let narrow: [String: any FixedWidthInteger.Type] = [
        "Int8": Int8.self, "Int16": Int16.self, "Int32": Int32.self, "UInt8": UInt8.self, "UInt16": UInt16.self,
        "UInt32": UInt32.self,
      ]
      func isInRange<I: FixedWidthInteger>(_: I.Type) -> Bool { I(text) != nil }
      guard narrow[column.valueType].map({ isInRange($0) }) ?? true else { return nil }
      return Int64(text).map(SQLValue.integer)
    case .unsigned: return UInt64(text).map { .integer(Int64(bitPattern: $0)) }
    case .real: return Double(text).flatMap { $0.isFinite ? .real($0) : nil }
    case .date:
      let date =
        (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
        ?? (try? Date.ISO8601FormatStyle().parse(text))
      return date.map { .real($0.timeIntervalSinceReferenceDate) }
    case .text: return .text(text)
    case .decimal:
      // `Decimal(string:)` reads as much of the text as it can.
      guard text.wholeMatch(of: /[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil else { return nil }
      return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).flatMap {
        $0.isNaN ? nil : .text($0.description)
      }
    case .url: return URL(string: text).map { .text($0.absoluteString) }
    case .uuid: return UUID(uuidString: text).map { uuid in .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) }) }
    case .data: return Data(base64Encoded: text).map(SQLValue.blob)
    case .json:
      guard let value = try? JSONCoding.decode(JSONValue.self, from: Data(text.utf8)),
        let data = try? JSONCoding.encode(value)
      else { return nil }
      return .text(String(decoding: data, as: UTF8.self))
    case .transformed, .key, .position, .mixed: return nil
    }
  }
}
