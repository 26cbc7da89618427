public import Foundation

/// A value of any of Firestore's types. (REST API v1, `Value`.)
public indirect enum FirestoreValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case timestamp(FirestoreTimestamp)
  case string(String)
  case bytes(Data)
  /// The full name of a document: `projects/…/databases/…/documents/…`.
  case reference(String)
  /// Latitude and longitude in degrees.
  case geoPoint(latitude: Double, longitude: Double)
  case array([FirestoreValue])
  case map([String: FirestoreValue])
}

extension FirestoreValue: Codable {
  private enum Key: String, CodingKey {
    case nullValue, booleanValue, integerValue, doubleValue, timestampValue, stringValue, bytesValue, referenceValue
    case geoPointValue, arrayValue, mapValue
  }

  private struct Point: Codable {
    var latitude: Double?
    var longitude: Double?
  }
  private struct List: Codable { var values: [FirestoreValue]? }
  private struct Fields: Codable { var fields: [String: FirestoreValue]? }

  /// Decodes the JSON of the REST API.
  /// - Throws: `DecodingError` if the value has no type, or several.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    guard let key = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "a value must have exactly one of the known types"))
    }
    switch key {
    case .nullValue: self = .null
    case .booleanValue: self = .boolean(try container.decode(Bool.self, forKey: key))
    case .integerValue: self = .integer(try Self.integer(container, key))
    case .doubleValue: self = .double(try Self.double(container, key))
    case .timestampValue: self = .timestamp(try container.decode(FirestoreTimestamp.self, forKey: key))
    case .stringValue: self = .string(try container.decode(String.self, forKey: key))
    case .bytesValue: self = .bytes(try Self.bytes(container, key))
    case .referenceValue: self = .reference(try container.decode(String.self, forKey: key))
    case .geoPointValue:
      let point = try container.decode(Point.self, forKey: key)
      self = .geoPoint(latitude: point.latitude ?? 0, longitude: point.longitude ?? 0)
    case .arrayValue: self = .array(try container.decode(List.self, forKey: key).values ?? [])
    case .mapValue: self = .map(try container.decode(Fields.self, forKey: key).fields ?? [:])
    }
  }

  /// Encodes the JSON of the REST API. Integers, and numbers that JSON lacks, are strings.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .null: try container.encodeNil(forKey: .nullValue)
    case .boolean(let value): try container.encode(value, forKey: .booleanValue)
    case .integer(let value): try container.encode(String(value), forKey: .integerValue)
    case .double(let value):
      if value.isFinite {
        try container.encode(value, forKey: .doubleValue)
      } else {
        let text = value.isNaN ? "NaN" : value > 0 ? "Infinity" : "-Infinity"
        try container.encode(text, forKey: .doubleValue)
      }
    case .timestamp(let value): try container.encode(value, forKey: .timestampValue)
    case .string(let value): try container.encode(value, forKey: .stringValue)
    case .bytes(let value): try container.encode(value.base64EncodedString(), forKey: .bytesValue)
    case .reference(let value): try container.encode(value, forKey: .referenceValue)
    case .geoPoint(let latitude, let longitude):
      try container.encode(Point(latitude: latitude, longitude: longitude), forKey: .geoPointValue)
    case .array(let values): try container.encode(List(values: values), forKey: .arrayValue)
    case .map(let fields): try container.encode(Fields(fields: fields), forKey: .mapValue)
    }
  }

  private static func integer(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws -> Int64 {
    if let number = try? container.decode(Int64.self, forKey: key) { return number }
    guard let number = Int64(try container.decode(String.self, forKey: key)) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "no 64-bit integer")
    }
    return number
  }

  private static func double(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws -> Double {
    if let number = try? container.decode(Double.self, forKey: key) { return number }
    switch try container.decode(String.self, forKey: key) {
    case "NaN": return .nan
    case "Infinity": return .infinity
    case "-Infinity": return -.infinity
    case let text:
      guard let number = Double(text) else {
        throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "no number")
      }
      return number
    }
  }

  private static func bytes(_ container: KeyedDecodingContainer<Key>, _ key: Key) throws -> Data {
    // Both base64 alphabets are allowed, with and without padding.
    var text = try container.decode(String.self, forKey: key)
      .replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    text += String(repeating: "=", count: (4 - text.count % 4) % 4)
    guard let data = Data(base64Encoded: text) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "no base64")
    }
    return data
  }
}
