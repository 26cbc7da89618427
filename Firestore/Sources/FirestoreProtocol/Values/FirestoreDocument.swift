/// A document with its name and fields. (REST API v1, `Document`.)
public struct FirestoreDocument: Hashable, Sendable, Codable {
  /// The full name: `projects/…/databases/…/documents/…`.
  public var name: String
  /// The fields by name. A field path leads into maps.
  public var fields: [String: FirestoreValue]
  /// The creation time. Nil in requests.
  public var createTime: FirestoreTimestamp?
  /// The time of the last change. Nil in requests.
  public var updateTime: FirestoreTimestamp?

  /// Makes a document.
  public init(
    name: String, fields: [String: FirestoreValue], createTime: FirestoreTimestamp? = nil,
    updateTime: FirestoreTimestamp? = nil
  ) {
    self.name = name
    self.fields = fields
    self.createTime = createTime
    self.updateTime = updateTime
  }

  /// Decodes the JSON of the REST API, which omits empty fields.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    name = try container.decodeIfPresent(String.self, forKey: .name) ?? ""
    fields = try container.decodeIfPresent([String: FirestoreValue].self, forKey: .fields) ?? [:]
    createTime = try container.decodeIfPresent(FirestoreTimestamp.self, forKey: .createTime)
    updateTime = try container.decodeIfPresent(FirestoreTimestamp.self, forKey: .updateTime)
  }
}

/// The path of a field: its name, preceded by the keys of the maps around it.
public struct FirestoreFieldPath: Hashable, Sendable, CustomStringConvertible {
  /// The keys from the outside in. Never empty.
  public var segments: [String]

  /// Makes a path from unescaped names.
  public init(_ first: String, _ others: String...) { segments = [first] + others }

  /// Parses a path: names of letters, digits and `_`, others in backquotes, separated by dots. Returns nil for anything
  /// else.
  public init?(parsing text: String) {
    var segments = [String]()
    // By scalars, as the server reads it: for Swift, a backquote with a combining mark is another character.
    var rest = text.unicodeScalars[...]
    repeat {
      if !segments.isEmpty { rest.removeFirst() }
      guard let segment = Self.segment(&rest) else { return nil }
      segments.append(segment)
    } while rest.first == "."
    guard rest.isEmpty else { return nil }
    self.segments = segments
  }

  private static func segment(_ rest: inout Substring.UnicodeScalarView) -> String? {
    guard rest.first == "`" else {
      let name = Substring(rest.prefix { $0 != "." })
      rest.removeFirst(name.unicodeScalars.count)
      return isSimple(name) ? String(name) : nil
    }
    rest.removeFirst()
    var name = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == "`" { return name.isEmpty ? nil : String(name) }
      if scalar != "\\" {
        name.append(scalar)
      } else if let escaped = rest.popFirst() {
        name.append(escaped)
      }
    }
    return nil
  }

  private static func isSimple(_ name: some StringProtocol) -> Bool {
    guard let first = name.unicodeScalars.first, !("0"..."9").contains(first) else { return false }
    return name.unicodeScalars.allSatisfy {
      $0.isASCII && ($0.properties.isAlphabetic || $0 == "_" || ("0"..."9").contains($0))
    }
  }

  /// The path in the form of the REST API.
  public var description: String {
    segments.map { name in
      if Self.isSimple(name) { return name }
      return "`" + name.unicodeScalars.map { $0 == "\\" || $0 == "`" ? "\\\($0)" : String($0) }.joined() + "`"
    }.joined(separator: ".")
  }
}
