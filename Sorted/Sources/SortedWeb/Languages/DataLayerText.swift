import Sorted

/// Messages of the data layer, which are English, as phrases of the pages.
enum DataLayerText {
  /// The messages that pages can show. ``PageError`` makes sentences of what the services refuse; the sync's messages stay as
  /// they are.
  static let keys = [
    "The message is empty.", "The message was deleted.", "The message is {1}'s; only who wrote it can change it.",
    "Who left a conversation cannot write there.", "A reaction is one emoji.",
    "A conversation has {1} pinned messages at most.", "There is no message \"{1}\".",
    "There is no page {1}; the conversation has {2}.", "A conversation needs an id and somebody to talk to.",
    "There is a conversation \"{1}\" already.", "The message is sorted for {1}, not for {2}.",
    "Messages cannot be older than {1} days; give 0 or more.", "The text to search for is empty.",
    "Search for {1} words at most.", "Give a day as 2026-01-31.",
    "There is no has:{1}; has:file finds messages with attachments.",
    "the server has no {1}", "the server's data cannot be used: {1}",
    "this store belongs to \"{1}\"; every user needs a store of their own",
    "another sync of {1} is running; wait for its end", "the server has another message with this identifier",
    "the server has the message no longer", "the server answered with code {1}", "{1} did not answer in time",
    "{1} cannot be reached: {2}",
  ]

  /// The phrase of a message, or the message itself if ``keys`` does not have it.
  static func phrase(_ message: String) -> Phrase {
    for key in keys {
      if let values = values(of: key, in: message) { return Phrase(key: key, arguments: values) }
    }
    return Phrase(message)
  }

  /// A message of the sync in the current language. A status of Firestore before it stays, as in "UNAVAILABLE: …".
  static func translated(_ message: String) -> String {
    guard let match = message.prefixMatch(of: #/[A-Z_]+: /#) else { return phrase(message).text }
    return String(match.0) + phrase(String(message[match.range.upperBound...])).text
  }

  /// What stands for `{1}`, `{2}` … in a message, or nil if the message is not made from the key.
  private static func values(of key: String, in message: String) -> [String]? {
    var pieces = key.split(separator: /\{\d\}/, omittingEmptySubsequences: false)[...]
    var rest = message[...]
    guard let first = pieces.popFirst(), rest.hasPrefix(first) else { return nil }
    rest = rest.dropFirst(first.count)
    // A value may contain what follows it in the key, so the last piece has to be at the end.
    guard let last = pieces.popLast() else { return rest.isEmpty ? [] : nil }
    var values: [String] = []
    for piece in pieces {
      guard let range = rest.firstRange(of: piece) else { return nil }
      values.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    guard rest.hasSuffix(last) else { return nil }
    return values + [String(rest.dropLast(last.count))]
  }
}

extension AssistInbox.Reasons {
  /// ``sentence`` in the current language.
  var translated: String {
    guard !isCorrected else { return String(translated: "because you said so") }
    let parts = reasons.map { $0.isWord ? "“\($0.what)”" : Phrase($0.what).text }
    guard let last = parts.last else { return String(translated: "because of no word in particular") }
    let others = parts.dropLast().joined(separator: ", ")
    return others.isEmpty
      ? String(translated: "because of \(last)") : String(translated: "because of \(others) and \(last)")
  }
}
