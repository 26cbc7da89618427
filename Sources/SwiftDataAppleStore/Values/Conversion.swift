import Foundation
import SwiftData

/// Converts the cells of one attribute to a cell of our layout, and back.
struct Conversion: Sendable {
  /// Makes our cell. Nil if `expression` makes it, or if the cell is the same.
  let read: Converter?
  /// The cells of the attribute's columns.
  let write: @Sendable (SQLValue) throws -> [SQLValue]
  /// Whether data may be in a file next to the store.
  var isExternal = false
  /// The SQL that makes our cell from a column. Nil if the cell is the same.
  var expression: (@Sendable (String) -> String)?

  static let same = Conversion(read: nil) { [$0] }

  /// In Core Data every number except 0 is true. The engine accepts only 0 and 1.
  static let bool = Conversion(read: nil, write: { [$0] }, expression: { "(\($0) <> 0)" })

  /// An empty text is not a URL and becomes nil.
  private static let optionalURL = Conversion(read: nil, write: { [$0] }, expression: { "nullif(\($0), '')" })

  /// The conversion of an attribute that our stores keep as one value, raw value or blob.
  static func plain(_ attribute: AppleAttribute) -> Conversion {
    if let type = attribute.archivedType, let name = attribute.valueClass { return archived(type, as: name) }
    let type = attribute.rawValue?.type ?? attribute.type
    switch type {
    case .decimal: return decimal
    case .bool: return bool
    case .url where attribute.isOptional: return optionalURL
    case .binary where attribute.isExternal: return external
    default: return same
    }
  }

  // MARK: - Decimal numbers

  /// Apple's frameworks store a decimal number as an integer or a floating-point number. Our stores keep it as text.
  private static let decimal = Conversion(
    read: { cells in
      switch cells.first {
      case .integer(let value): .text(Decimal(value).description)
      case .real(let value): .text(decimalText(value))
      case let cell: cell ?? .null
      }
    },
    write: { cell in
      guard case .text(let text) = cell else { return [cell] }
      return [try decimalCell(text)]
    })

  /// - Throws: `SwiftDataError/unwritableValue` for NaN, which SQLite keeps as NULL.
  static func decimalCell(_ text: String) throws -> SQLValue {
    if let whole = Int64(text) { return .integer(whole) }
    guard let number = Double(text), !number.isNaN else {
      throw SwiftDataError(
        .unwritableValue, message: "Apple's store format cannot hold the decimal number \(text); use nil instead")
    }
    return .real(number)
  }

  /// The shortest text that stands for the number.
  static func decimalText(_ value: Double) -> String {
    Decimal(string: "\(value)")?.description ?? "NaN"
  }

  // MARK: - Archives

  /// The conversion of keyed archives of one of Foundation's classes. Other bytes stay as they are, and a fetch reports them.
  private static func archived(_ type: AppleType, as className: String) -> Conversion {
    Conversion(
      read: { cells in
        guard case .blob(let bytes)? = cells.first, let archive = try? KeyedArchive([UInt8](bytes)),
          let value = try? archive.plainValue()
        else { return cells.first ?? .null }
        switch (value, type) {
        case (.null, _): return .null
        case (.date(let seconds), .date): return .real(seconds)
        case (.uuid(let uuid), .uuid): return .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case (.url(let text), .url), (.string(let text), .string): return .text(text)
        case (.data(let data), .binary): return .blob(data)
        default: return .blob(bytes)
        }
      },
      write: { cell in
        let value: PlainValue
        switch (cell, type) {
        case (.real(let seconds), .date): value = .date(seconds)
        case (.integer(let seconds), .date): value = .date(Double(seconds))
        case (.blob(let bytes), .uuid) where bytes.count == 16:
          value = .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        case (.text(let text), .url): value = .url(text)
        case (.text(let text), .string): value = .string(text)
        case (.blob(let data), .binary): value = .data(data)
        default: return [cell]
        }
        return [ObjectArchive.data(value, className).map(SQLValue.blob) ?? cell]
      })
  }

  // MARK: - External data

  /// After a first byte of 1, the cell contains the data. After 2, it contains the name of a file.
  private static let external = Conversion(
    read: { cells in
      guard case .blob(let data)? = cells.first, let first = data.first else { return cells.first ?? .null }
      switch first {
      case 1: return .blob(Data(data.dropFirst()))
      case 2:
        let name = String(decoding: data.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
        return ExternalName(name) == nil ? .blob(data) : .text(name)
      default: return .blob(data)
      }
    },
    write: { cell in
      switch cell {
      case .blob(let data): return [.blob(Data([1]) + data)]
      case .text(let name): return [.blob(Data([2]) + Data(name.utf8) + Data([0]))]
      default: return [cell]
      }
    }, isExternal: true)

  // MARK: - JSON

  /// The conversion of an attribute whose property our stores keep as JSON.
  /// - Parameters:
  ///   - keys: the coding keys of a struct's members, and which members are data. If nil, the names of the elements are
  ///     the keys.
  ///   - archive: writes the values of an app whose transformer expects one of Foundation's classes.
  static func json(
    _ attribute: AppleAttribute, keys: [CompositeKey]? = nil, form: JSONForm = JSONForm(),
    archive: ObjectArchive? = nil
  ) -> Conversion {
    let shape = CompositeShape(attribute, keys: keys)
    let isComposite = attribute.type == .composite
    let isOptional = attribute.isOptional
    return Conversion(
      read: { cells in
        let value: PlainValue
        if isComposite {
          var rest = cells[...]
          value = shape.value(&rest, isOptional: isOptional)
        } else {
          guard case .blob(let bytes)? = cells.first else { return cells.first ?? .null }
          guard let plain = Archives.plainValue(bytes), !plain.hasInstances else { return .blob(bytes) }
          value = plain
        }
        if value == .null { return .null }
        guard let encoded = try? JSONCoding.encode(value) else { return cells.first ?? .null }
        // Not JSON text, so that a fetch reports the value.
        guard let canonical = form.canonical(encoded) else { return .blob(encoded) }
        return .text(String(decoding: canonical, as: UTF8.self))
      },
      write: { cell in
        guard case .text(let text) = cell else {
          return Array(repeating: .null, count: isComposite ? shape.columnCount : 1)
        }
        if let archive { return [.blob(try archive.archive(text))] }
        if !isComposite { return [.blob(attribute.type == .binary ? Data(text.utf8) : Archives.archive(ofJSON: text))] }
        var cells = [SQLValue]()
        try shape.write(try JSONCoding.decode(PlainValue.self, from: Data(text.utf8)), to: &cells)
        return cells
      })
  }
}

/// A member of a struct in JSON.
struct CompositeKey: Sendable {
  let name: String
  let isData: Bool
  var members: [CompositeKey]?
}

/// The parts of a composite attribute.
indirect enum CompositeShape: Sendable {
  case value(AppleType, isData: Bool)
  /// An enum without raw values. Each case has a column or more, which are empty unless the value is this case. They contain
  /// the associated values. A case without associated values has no payload, and its column contains its name.
  case cases([(name: String, payload: CompositeShape?)])
  case members([(key: String, shape: CompositeShape, isOptional: Bool)])

  init(_ attribute: AppleAttribute, keys: [CompositeKey]? = nil, isData: Bool = false) {
    guard attribute.type == .composite else {
      self = .value(attribute.type, isData: isData)
      return
    }
    if let raw = attribute.rawValue {
      self = .value(raw.type, isData: isData)
    } else if attribute.hasCases {
      self = .cases(attribute.elements.map { ($0.name, attribute.isPlainCase($0) ? nil : CompositeShape($0)) })
    } else {
      // Coding keys that differ from the names of the properties are in the order of the properties.
      let isSameOrder = keys?.count == attribute.elements.count
      self = .members(
        attribute.elements.enumerated().map { index, element in
          let key = keys?.first { $0.name == element.name } ?? (isSameOrder ? keys?[index] : nil)
          return (
            key?.name ?? element.name,
            CompositeShape(element, keys: key?.members, isData: key?.isData ?? false),
            element.isOptional || !Self.mayBeEmpty(element)
          )
        })
    }
  }

  /// Whether a composite is a struct whose values may all be nil.
  static func mayBeEmpty(_ attribute: AppleAttribute) -> Bool {
    attribute.type == .composite && !attribute.isEnum
      && attribute.elements.allSatisfy { $0.isOptional || mayBeEmpty($0) }
  }

  var columnCount: Int {
    switch self {
    case .value: 1
    case .cases(let cases): cases.reduce(0) { $0 + ($1.payload?.columnCount ?? 1) }
    case .members(let members): members.reduce(0) { $0 + $1.shape.columnCount }
    }
  }

  /// Removes the composite's cells from the front of `cells` and returns their value.
  func value(_ cells: inout ArraySlice<SQLValue>, isOptional: Bool) -> PlainValue {
    switch self {
    case .value(let type, let isData): return Self.value(cells.popFirst() ?? .null, type, isData: isData)
    case .cases(let cases):
      var result = PlainValue.null
      for (name, payload) in cases {
        var value = PlainValue.null
        if let payload {
          value = Self.associated(payload.value(&cells, isOptional: true))
        } else if let cell = cells.popFirst(), cell != .null {
          value = .dictionary([:])
        }
        if value != .null, result == .null {
          result = .dictionary([name: value])
        }
      }
      return result
    case .members(let members):
      var result = [String: PlainValue]()
      let own = cells
      for (key, shape, isOptional) in members {
        let value = shape.value(&cells, isOptional: isOptional)
        if value != .null { result[key] = value }
      }
      let isAbsent = isOptional && own.prefix(own.count - cells.count).allSatisfy { $0 == .null }
      return isAbsent || isOptional && result.isEmpty ? .null : .dictionary(result)
    }
  }

  /// The associated values of a case, in the form in which Swift encodes them.
  private static func associated(_ value: PlainValue) -> PlainValue {
    switch value {
    case .null, .dictionary: value
    default: .dictionary(["_0": value])
    }
  }

  private static func value(_ cell: SQLValue, _ type: AppleType, isData: Bool) -> PlainValue {
    switch (cell, type) {
    case (.null, _): return .null
    case (.integer(let value), .bool): return .bool(value != 0)
    case (.integer(let value), .double), (.integer(let value), .float), (.integer(let value), .date):
      return .real(Double(value))
    case (.integer(let value), .decimal): return .decimal(String(value))
    case (.real(let value), .decimal): return .decimal(Conversion.decimalText(value))
    case (.integer(let value), _): return .integer(value)
    case (.real(let value), _): return .real(value)
    case (.text(let value), _): return .string(value)
    case (.blob(let value), .uuid) where value.count == 16:
      return .uuid(value.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    case (.blob(let value), _):
      if isData { return .data(value) }
      return Archives.plainValue(value) ?? .data(value)
    }
  }

  // MARK: - Writing

  func write(_ value: PlainValue, to cells: inout [SQLValue]) throws {
    switch self {
    case .value(let type, let isData): cells.append(try Self.cell(value, type, isData: isData))
    case .cases(let cases):
      let chosen = value.dictionary?.keys.first ?? value.string
      for (name, payload) in cases {
        guard let payload else {
          cells.append(name == chosen ? .text(name) : .null)
          continue
        }
        let values = value.dictionary?[name]?.dictionary ?? [:]
        let isValue = if case .value = payload { true } else { false }
        let content = isValue ? values["_0"] ?? .null : .dictionary(values)
        try payload.write(name == chosen ? content : .null, to: &cells)
        // The columns of the case are what tells it.
        if name == chosen, cells.suffix(payload.columnCount).allSatisfy({ $0 == .null }) {
          throw SwiftDataError(
            .unwritableValue,
            message:
              "the associated values of the case \(name) are all nil, and the file keeps only the associated values"
          )
        }
      }
    case .members(let members):
      let known = Set(members.map(\.key))
      if let other = value.dictionary?.keys.first(where: { !known.contains($0) }) {
        throw SwiftDataError(
          .unwritableValue,
          message: "a struct is coded under the key \(other), for which the file has no place; if the struct has coding"
            + " keys of its own, mark it with @Composite, so that they are known")
      }
      for (key, shape, _) in members { try shape.write(value.dictionary?[key] ?? .null, to: &cells) }
    }
  }

  private static func cell(_ value: PlainValue, _ type: AppleType, isData: Bool) throws -> SQLValue {
    switch (value, type) {
    case (.null, _): return .null
    case (_, .binary), (_, .transformable):
      if isData, let text = value.string { return .blob(Data(base64Encoded: text) ?? Data(text.utf8)) }
      let json = try JSONCoding.encode(value)
      return .blob(type == .binary ? json : Archives.archive(ofJSON: String(decoding: json, as: UTF8.self)))
    case (.bool(let value), _): return .integer(value ? 1 : 0)
    case (.integer(let value), .double), (.integer(let value), .float), (.integer(let value), .date):
      return .real(Double(value))
    case (.integer(let value), _): return .integer(value)
    case (.real(let value), _), (.date(let value), _): return .real(value)
    case (.string(let text), .uuid):
      guard let uuid = UUID(uuidString: text) else { return .text(text) }
      return .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
    case (.string(let text), _): return .text(text)
    default: return .text(String(decoding: try JSONCoding.encode(value), as: UTF8.self))
    }
  }
}

/// Converts JSON to the form in which the engine writes a property. This base class leaves it unchanged.
// @unchecked Sendable because it has no state.
class JSONForm: @unchecked Sendable {
  /// The JSON in this form, or nil if the type does not take all of it.
  func canonical(_ data: Data) -> Data? { data }
}

/// The form in which a type encodes itself. JSON that does not decode as the type stays unchanged, and a fetch reports it.
// @unchecked Sendable because it is immutable.
final class TypedJSONForm<T: Codable>: JSONForm, @unchecked Sendable {
  /// Whether the names of the properties are taken for the keys. A struct without `@Composite` may have other ones.
  private let guessesKeys: Bool

  init(_: T.Type, guessesKeys: Bool) { self.guessesKeys = guessesKeys }

  override func canonical(_ data: Data) -> Data? {
    guard let value = try? JSONCoding.decode(T.self, from: data), let encoded = try? JSONCoding.encode(value) else {
      return data
    }
    return guessesKeys && !Self.keys(of: data).isSubset(of: Self.keys(of: encoded)) ? nil : encoded
  }

  private static func keys(of json: Data) -> Set<String> {
    Set((try? JSONCoding.decode(PlainValue.self, from: json))?.dictionary?.keys.map { $0 } ?? [])
  }
}
