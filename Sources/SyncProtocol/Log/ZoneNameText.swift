// The text of a zone's name in messages and in paths of requests.

extension ZoneName {
  /// The name as text: `account-NAME` or `share-NAME`.
  public var text: String { (isShare ? "share-" : "account-") + name.text }

  /// Reads ``text``; nil for a text without one of the two prefixes.
  ///
  /// The prefix ends with a scalar value and not with a character: a combining mark that follows is a part of the name.
  public init?(text: String) {
    if text.utf8.starts(with: "account-".utf8) {
      self = .account(ExactText(String(text.unicodeScalars.dropFirst("account-".count))))
    } else if text.utf8.starts(with: "share-".utf8) {
      self = .share(ExactText(String(text.unicodeScalars.dropFirst("share-".count))))
    } else {
      return nil
    }
  }
}

extension ZoneName: Codable, CodingKeyRepresentable {
  /// Decodes ``text``.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let zone = ZoneName(text: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text.prefix(40))\" is not the name of a zone")
    }
    self = zone
  }

  /// Encodes ``text``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// The text as the key of a JSON object.
  public var codingKey: any CodingKey { Key(stringValue: text) }
  /// Reads the key of a JSON object.
  public init?<T: CodingKey>(codingKey: T) { self.init(text: codingKey.stringValue) }
}
