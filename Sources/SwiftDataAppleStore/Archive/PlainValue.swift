import Foundation

/// A value of a property list, a keyed archive or JSON.
package indirect enum PlainValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case real(Double)
  /// A decimal number as text.
  case decimal(String)
  /// Seconds since 2001.
  case date(Double)
  case string(String)
  case data(Data)
  case uuid(UUID)
  case url(String)
  case array([PlainValue])
  case dictionary([String: PlainValue])
  /// An instance of another class. Only the name of the class is read.
  case instance(String)

  package var string: String? { if case .string(let value) = self { value } else { nil } }
  package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  package var array: [PlainValue]? { if case .array(let value) = self { value } else { nil } }
  package var dictionary: [String: PlainValue]? { if case .dictionary(let value) = self { value } else { nil } }

  /// Whether the value contains an instance of another class.
  package var hasInstances: Bool {
    switch self {
    case .instance: true
    case .array(let members): members.contains(where: \.hasInstances)
    case .dictionary(let members): members.values.contains(where: \.hasInstances)
    default: false
    }
  }
}

/// The value as JSON, in `JSONEncoder`'s form: a date is seconds since 2001, data is Base64.
extension PlainValue: Codable {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .array(let members):
      var container = encoder.unkeyedContainer()
      for member in members { try container.encode(member) }
      return
    case .dictionary(let members):
      var container = encoder.container(keyedBy: Key.self)
      for (name, member) in members { try container.encode(member, forKey: Key(stringValue: name)) }
      return
    default: break
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .real(let value), .date(let value): try container.encode(value)
    case .decimal(let value): try container.encode(Decimal(string: value) ?? 0)
    case .string(let value), .url(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .uuid(let value): try container.encode(value)
    case .instance(let name): try container.encode(["$class": name])
    case .array, .dictionary: break
    }
  }

  package init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: Key.self) {
      var members = [String: PlainValue]()
      for key in container.allKeys { members[key.stringValue] = try container.decode(PlainValue.self, forKey: key) }
      self = .dictionary(members)
      return
    }
    if var container = try? decoder.unkeyedContainer() {
      var members = [PlainValue]()
      while !container.isAtEnd { members.append(try container.decode(PlainValue.self)) }
      self = .array(members)
      return
    }
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .real(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Date.self) {
      // Only property lists have dates and data. JSON has numbers and text for them.
      self = .date(value.timeIntervalSinceReferenceDate)
    } else {
      self = .data(try container.decode(Data.self))
    }
  }
}
