import FirestoreProtocol

/// Access rules. Each line is one rule with three columns: a path, readers, writers. `#` begins a comment.
///
///     users/{uid}/**    {uid}      {uid}
///     public/**         anyone     nobody
///     **                signed-in  signed-in
///
/// The first matching rule decides. Without a match, access is denied. In a path, `{name}` and `*` match one segment,
/// and a final `**` matches any number of segments, including none. Readers and writers are `anyone`, `signed-in`,
/// `nobody`, or `{name}`: the user whose identifier is that segment.
struct AccessRules: Sendable {
  enum Access: String {
    case read, write
  }
  private enum Party {
    case anyone, signedIn, nobody
    case part(String)
  }
  private struct Rule {
    let parts: [Substring]
    let isOpen: Bool
    let readers: Party
    let writers: Party
  }

  private let rules: [Rule]

  /// - Throws: ``FirestoreError`` with status `invalidArgument`, the line, and the problem.
  init(parsing text: String) throws {
    rules = try text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
      let columns = line.prefix { $0 != "#" }.split { $0.isWhitespace }
      if columns.isEmpty { return nil }
      do {
        return try Self.rule(columns)
      } catch let error as FirestoreError {
        throw FirestoreError(error.status, "line \(index + 1) of the rules: \(error.message)")
      }
    }
  }

  private static func rule(_ columns: [Substring]) throws -> Rule {
    guard columns.count == 3 else {
      throw FirestoreError(.invalidArgument, "a rule has a path, readers and writers, with blanks between them")
    }
    var parts = columns[0].split(separator: "/")
    let isOpen = parts.last == "**"
    if isOpen { parts.removeLast() }
    guard !parts.contains("**") else { throw FirestoreError(.invalidArgument, "** is the last part of a path") }
    return Rule(
      parts: parts, isOpen: isOpen, readers: try party(columns[1], parts), writers: try party(columns[2], parts))
  }

  private static func party(_ text: Substring, _ parts: [Substring]) throws -> Party {
    switch text {
    case "anyone": return .anyone
    case "signed-in": return .signedIn
    case "nobody": return .nobody
    default:
      guard isVariable(text), parts.contains(text) else {
        throw FirestoreError(
          .invalidArgument, "\"\(text)\" is not anyone, signed-in, nobody, or a {name} of the path")
      }
      return .part(String(text))
    }
  }

  private static func isVariable(_ part: Substring) -> Bool { part.hasPrefix("{") && part.hasSuffix("}") }

  /// - Parameter path: the path of a document from its outermost collection on.
  /// - Throws: ``FirestoreError`` with status `permissionDenied`.
  func check(_ access: Access, _ path: String, by identity: Identity) throws {
    if identity == .owner { return }
    let path = path.split(separator: "/")
    let isAllowed = rules.first { Self.fits($0, path) }.map { rule in
      Self.allows(access == .read ? rule.readers : rule.writers, identity, rule, path)
    }
    if isAllowed != true {
      throw FirestoreError(
        .permissionDenied, "Missing or insufficient permissions: no rule lets this user \(access.rawValue) it.")
    }
  }

  private static func fits(_ rule: Rule, _ path: [Substring]) -> Bool {
    guard rule.isOpen ? path.count >= rule.parts.count : path.count == rule.parts.count else { return false }
    return zip(rule.parts, path).allSatisfy { $0 == "*" || isVariable($0) || $0.utf8.elementsEqual($1.utf8) }
  }

  private static func allows(_ party: Party, _ identity: Identity, _ rule: Rule, _ path: [Substring]) -> Bool {
    switch (party, identity) {
    case (.anyone, _), (.signedIn, .user): return true
    case (.part(let name), .user(let user)):
      return zip(rule.parts, path).contains { $0 == name && $1.utf8.elementsEqual(user.utf8) }
    default: return false
    }
  }
}
