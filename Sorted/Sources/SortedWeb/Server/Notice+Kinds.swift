import Foundation

extension Notice {
  /// The fields of an address that it reads.
  static let fields = ["done", "of"]

  /// What can be said of the action before, by what the address says of it. Only known words are shown.
  init?(_ query: Query) {
    guard let done = query["done"], let words = Self.words[done] else { return nil }
    text = words.text.text
    undo = words.undo.flatMap { name in query["of"].flatMap { Self.place($0) }.map { "\($0)/\(name)" } }
    undoName = words.name
  }

  /// The address of a conversation, or of a message by both identifiers with a dot between; nil for what is neither.
  private static func place(_ names: String) -> String? {
    let slugs = names.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard (1...2).contains(slugs.count), slugs.allSatisfy({ (try? Slug.decode($0)) != nil }) else { return nil }
    return "/c/" + slugs.joined(separator: "/m/")
  }

  private static let words: [String: (text: Phrase, undo: String?, name: String?)] = [
    "deleted": ("Conversation deleted.", "restore", nil),
    "archived": ("Conversation archived.", "set", "unarchive"),
    "unarchived": ("Conversation is back in the list.", nil, nil),
    "accepted": ("Not spam. The conversation stays in the list.", nil, nil),
    "restored": ("Conversation restored.", nil, nil),
    "saved": ("Saved.", nil, nil),
    "draft": ("Draft saved.", nil, nil),
    "left": ("You left the group.", nil, nil),
    "message-hidden": ("Message deleted for you.", "restore", nil),
    "message-deleted": ("Message deleted for everybody.", "restore", nil),
    "blocked": ("Blocked. Neither of you can write to the other.", nil, nil),
    "unblocked": ("Unblocked.", nil, nil),
    "pinned": ("Message pinned.", nil, nil),
    "unpinned": ("Message unpinned.", nil, nil),
    "password": ("The password was changed. Other browsers are signed out.", nil, nil),
    "session": ("That browser is signed out.", nil, nil),
    "sessions": ("The person is signed out everywhere.", nil, nil),
    "message-restored": ("Message restored.", nil, nil),
    "retry": ("Trying again.", nil, nil),
    "cleaned": ("Old messages were deleted.", nil, nil),
    "compacted": ("The store was compacted.", nil, nil),
  ]

  /// An address that says what was done.
  static func path(_ path: String, done: String, of slug: String? = nil) -> String {
    var path = stripped(path)
    path += path.contains("?") ? "&" : "?"
    path += "done=\(done)"
    if let slug { path += "&of=\(slug)" }
    return path
  }

  /// An address without what was done before.
  static func stripped(_ path: String) -> String {
    let parts = path.split(separator: "?", maxSplits: 1)
    guard parts.count == 2 else { return path }
    let rest = parts[1].split(separator: "&").filter { !$0.hasPrefix("done=") && !$0.hasPrefix("of=") }
    return parts[0] + (rest.isEmpty ? "" : "?" + rest.joined(separator: "&"))
  }
}
