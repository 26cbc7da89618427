/// Any JSON. A property has this type if the store does not say what form its JSON has. (Our own.)
///
/// `swiftdata models` prints it for such properties. You can replace it by a `Codable` type of your own.
public indirect enum JSONValue: Hashable, Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// Any other number.
  case number(Double)
  /// A text.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object.
  case object([String: JSONValue])
}

extension JSONValue: Codable {
  private init(_ value: PlainValue) {
    switch value {
    case .bool(let value): self = .bool(value)
    case .integer(let value): self = .integer(value)
    case .real(let value), .date(let value): self = .number(value)
    case .string(let value), .url(let value), .decimal(let value): self = .string(value)
    case .uuid(let value): self = .string(value.uuidString)
    case .data(let value): self = .string(value.base64EncodedString())
    case .array(let members): self = .array(members.map(JSONValue.init))
    case .dictionary(let members): self = .object(members.mapValues(JSONValue.init))
    case .null, .instance: self = .null
    }
  }

  private var plain: PlainValue {
    switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .number(let value): .real(value)
    case .string(let value): .string(value)
    case .array(let members): .array(members.map(\.plain))
    case .object(let members): .dictionary(members.mapValues(\.plain))
    }
  }

  /// Reads any JSON.
  /// - Throws: what the decoder throws.
  public init(from decoder: any Decoder) throws { self.init(try PlainValue(from: decoder)) }

  /// Writes the JSON.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws { try plain.encode(to: encoder) }
}
