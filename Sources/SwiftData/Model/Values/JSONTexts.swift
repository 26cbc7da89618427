import Foundation

/// The JSON of texts, the most common composite values, without an encoder and a decoder, which take longer to create
/// than a short list takes to write.
enum JSONTexts {
  // Each cast follows a comparison of the type, so it cannot fail.

  /// The text that `JSONEncoder` writes, or nil if a value needs one.
  static func encode<V>(_ value: V) -> Data? {
    if V.self == [String].self { return encode(value as! [String]) }
    if V.self == [String: String].self, (value as! [String: String]).isEmpty { return Data("{}".utf8) }
    return nil
  }

  /// The value that `JSONDecoder` reads, or nil if the text or the type needs one.
  static func decode<V>(_ type: V.Type, from data: Data) -> V? {
    if V.self == [String].self { return data.withUnsafeBytes(texts) as! V? }
    if V.self == [String: String].self, data.elementsEqual("{}".utf8) { return [String: String]() as! V? }
    return nil
  }

  private static func encode(_ texts: [String]) -> Data? {
    var result = Data("[".utf8)
    for (index, text) in texts.enumerated() {
      guard text.utf8.allSatisfy(isPlain) else { return nil }
      result.append(contentsOf: (index == 0 ? "\"" : ",\"").utf8)
      result.append(contentsOf: text.utf8)
      result.append(UInt8(ascii: "\""))
    }
    result.append(UInt8(ascii: "]"))
    return result
  }

  /// The elements of a list that was written without spaces and escapes.
  private static func texts(_ bytes: UnsafeRawBufferPointer) -> [String]? {
    guard bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") else { return nil }
    var result = [String]()
    var rest = bytes.dropFirst().dropLast()
    while !rest.isEmpty {
      if !result.isEmpty {
        guard rest.first == UInt8(ascii: ",") else { return nil }
        rest = rest.dropFirst()
      }
      guard rest.first == UInt8(ascii: "\""),
        let end = rest.dropFirst().firstIndex(where: { !isPlain($0) }), rest[end] == UInt8(ascii: "\""),
        let text = String(validating: rest[..<end].dropFirst(), as: UTF8.self)
      else { return nil }
      result.append(text)
      rest = rest[(end + 1)...]
    }
    return result
  }

  /// Whether a byte stands for itself in a JSON string.
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }
}
