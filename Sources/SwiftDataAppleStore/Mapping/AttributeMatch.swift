import Foundation
import SwiftData

/// Decides whether a property can be read from an attribute, and how.
enum AttributeMatch {
  /// Nil if their types differ.
  static func conversion(
    _ property: __Property, _ attribute: AppleAttribute, isInferred: Bool
  ) -> Conversion? {
    guard case .attribute(_, let encoding) = property.kind else { return nil }
    switch encoding {
    case .transformed: return isBytes(attribute) || isInferred ? .plain(attribute) : nil
    case .json: return json(property, attribute)
    case .direct, .rawValue:
      let family = ValueFamily(property)
      let stored = attribute.rawValue ?? attribute
      // Without a model, an INTEGER column can hold integers or truth values, and a BLOB column can hold UUIDs.
      if isInferred, let loose = inferred(family, stored) { return loose }
      // The bytes of a cell, whatever they are.
      if family == .data, attribute.type == .transformable, attribute.archivedType != .binary { return .same }
      if property.bareType is Character.Type, stored.type == .string { return .plain(attribute) }
      return fits(family, property.bareType, stored) ? .plain(attribute) : nil
    }
  }

  private static func isBytes(_ attribute: AppleAttribute) -> Bool {
    attribute.type == .transformable || attribute.type == .binary
  }

  private static func inferred(_ family: ValueFamily, _ attribute: AppleAttribute) -> Conversion? {
    switch (family, attribute.type) {
    case (.bool, .int64): .bool
    case (.integer, .int64), (.unsigned, .int64), (.real, .double), (.date, .date), (.text, .string),
      (.url, .string), (.data, .binary), (.uuid, .binary):
      .same
    case (.decimal, .decimal): .plain(attribute)
    default: nil
    }
  }

  private static func fits(_ family: ValueFamily, _ type: any Any.Type, _ attribute: AppleAttribute) -> Bool {
    switch (family, attribute.archivedType ?? attribute.type) {
    case (.integer, .int16), (.integer, .int32), (.integer, .int64), (.unsigned, .int16), (.unsigned, .int32),
      (.unsigned, .int64):
      return width(of: type).map { $0 >= width(of: attribute.type) } ?? true
    case (.bool, .bool), (.real, .double), (.real, .float), (.date, .date), (.decimal, .decimal), (.text, .string),
      (.uuid, .uuid), (.url, .url), (.url, .string), (.text, .url), (.data, .binary), (.data, .transformable),
      (.data, .undefined), (.data, .objectID):
      return true
    default: return false
    }
  }

  private static func width(of type: AppleType) -> Int {
    switch type {
    case .int16: 16
    case .int32: 32
    default: 64
    }
  }

  /// The width of an integer type that Core Data has too. Nil for other types, which accept every attribute and refuse values
  /// that do not fit.
  private static func width(of type: any Any.Type) -> Int? {
    func raw<R: RawRepresentable>(_: R.Type) -> any Any.Type { R.RawValue.self }
    switch (type as? any RawRepresentable.Type).map({ raw($0) }) ?? type {
    case is Int16.Type: return 16
    case is Int32.Type: return 32
    case is Int.Type, is Int64.Type: return 64
    default: return nil
    }
  }

  // MARK: - JSON

  private static func json(_ property: __Property, _ attribute: AppleAttribute) -> Conversion? {
    guard let type = property.bareType as? any Codable.Type else { return nil }
    guard attribute.type == .composite || isBytes(attribute) else { return nil }
    let keys = CompositeMembers.attributes(of: property.bareType).map { $0.map(key) }
    let guessesKeys = attribute.type == .composite && keys != nil && !CompositeMembers.isKnown(property.bareType)
    return .json(
      attribute, keys: keys, form: form(type, guessesKeys: guessesKeys),
      archive: ObjectArchive(attribute, property.bareType))
  }

  private static func key(_ member: Schema.Attribute) -> CompositeKey {
    let name = String(describing: member.valueType)
    let isData = member.valueType == Data.self || member.valueType == Data?.self || name == "Optional<Data>"
    let parts = (member as? Schema.CompositeAttribute)?.properties.map(key)
    return CompositeKey(name: member.name, isData: isData, members: parts)
  }

  private static func form<T: Codable>(_ type: T.Type, guessesKeys: Bool) -> JSONForm {
    TypedJSONForm(type, guessesKeys: guessesKeys)
  }
}

/// Writes the types of attributes in Swift.
enum SwiftTypes {
  /// The type of an attribute's property without the optional. Nil if the type has no counterpart in Swift.
  static func name(_ type: AppleType) -> String? {
    switch type {
    case .int16: "Int16"
    case .int32: "Int32"
    case .int64: "Int"
    case .decimal: "Decimal"
    case .double: "Double"
    case .float: "Float"
    case .string: "String"
    case .bool: "Bool"
    case .date: "Date"
    case .binary: "Data"
    case .uuid: "UUID"
    case .url: "URL"
    case .transformable, .composite, .undefined, .objectID: nil
    }
  }

  static func describe(_ attribute: AppleAttribute) -> String {
    if let name = name(attribute.rawValue?.type ?? attribute.type) {
      return attribute.rawValue == nil ? "a value of type \(name)" : "an enum with raw values of type \(name)"
    }
    switch attribute.type {
    case .transformable: return "transformable\(attribute.valueClass.map { " (\($0))" } ?? "")"
    case .composite where attribute.isEnum:
      return "an enum with the cases \(attribute.elements.map(\.name).joined(separator: ", "))"
    case .composite: return "a struct of \(attribute.elements.map(\.name).joined(separator: ", "))"
    default: return "of a type that is not read"
    }
  }

  static func declaration(_ attribute: AppleAttribute) -> String {
    let mark = attribute.isOptional ? "?" : ""
    let type = name(attribute.rawValue?.type ?? attribute.archivedType ?? attribute.type)
    return
      "var \(attribute.name): \(type.map { $0 + mark } ?? (attribute.type == .composite ? "a Codable type" : "Data" + mark))"
  }
}
