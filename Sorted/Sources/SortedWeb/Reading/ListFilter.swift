import Foundation
import Sorted

/// Which conversations a list shows.
struct ListFilter: Hashable, Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case all, unread
    /// What needs an answer, the most urgent first.
    case waiting
    case pinned, archived
  }

  var kind = Kind.all
  /// With a label of this category; together with a mood or an opportunity, and in a search: with such a message.
  var category: MessageCategory?
  /// With a message of this mood.
  var sentiment: MessageSentiment?
  /// With a message whose opportunity score is this at least.
  var opportunity: Int?
  /// How the list is ordered.
  var order = ConversationOrder.latest

  /// Whether it asks for more than the state of the conversations.
  var readsMessages: Bool { category != nil || sentiment != nil || opportunity != nil || order != .latest }

  /// The fields of an address that it reads.
  static let fields = ["category", "filter", "opportunity", "sentiment", "sort"]

  /// - Throws: ``PageError`` for what is no filter.
  init(_ query: Query) throws {
    func value<T: RawRepresentable>(_ key: String) throws -> T? where T.RawValue == String {
      guard let text = query[key], !text.isEmpty else { return nil }
      guard let value = T(rawValue: text) else { throw PageError.invalid("There is no \(key) of that name.") }
      return value
    }
    kind = try value("filter") ?? .all
    category = try value("category")
    sentiment = try value("sentiment")
    order = try value("sort") ?? .latest
    opportunity = try query.number("opportunity", in: 0...100)
  }

  init() {}

  /// As the part of an address after the question mark, without what is as usual.
  var address: String {
    var parts: [String] = []
    if kind != .all { parts.append("filter=\(kind.rawValue)") }
    if let category { parts.append("category=\(category.rawValue)") }
    if let sentiment { parts.append("sentiment=\(sentiment.rawValue)") }
    if let opportunity { parts.append("opportunity=\(opportunity)") }
    if order != .latest { parts.append("sort=\(order.rawValue)") }
    return parts.isEmpty ? "" : "?" + parts.joined(separator: "&")
  }

  /// The same with one thing changed.
  func with(_ change: (inout ListFilter) -> Void) -> ListFilter {
    var copy = self
    change(&copy)
    return copy
  }
}
