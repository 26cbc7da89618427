import Foundation
import Sorted
import SwiftData

/// What stands above the list: what needs an answer, and the ways to sort the list.
struct SortingView {
  struct Waiting {
    let waitingAddress: String
    let waitingName: String
    let waitingText: String
    let waitingKind: String
    let waitingLabel: String
  }

  /// "12 need an answer: 2 urgent, 3 business."; nil where nothing does.
  let headline: String?
  let waiting: [Waiting]
  let hasWaiting: Bool
  let tabs: [ListView.Tab]

  /// As many are named; the headline counts all of them.
  private static let shown = 8

  /// - Throws: `SwiftDataError`.
  init(_ access: Access, _ filter: ListFilter, _ standings: Standings) throws {
    let assist = AssistInbox(context: access.work.inbox)
    let sight = try access.sight(of: nil, Array(standings.places.values))
    let digest = try assist.digest(for: access.viewer.userID) {
      access.sees($0) && standings[$0].lists(unread: 0).contains(ListFilter.Kind.all.rawValue)
    } seeing: {
      sight.seen($0) != nil
    }
    headline = digest.needAnswer.isEmpty ? nil : Self.headline(digest).text
    waiting = digest.needAnswer.prefix(Self.shown).map { item in
      Waiting(
        waitingAddress: "/c/\(Slug.encode(item.conversationID))", waitingName: item.name,
        waitingText: String(item.text.prefix(120)), waitingKind: item.category?.rawValue ?? "question",
        waitingLabel: Phrase((item.category?.rawValue ?? "question").capitalized).text)
    }
    hasWaiting = !waiting.isEmpty
    let categories: [(Phrase, MessageCategory)] = [
      ("Urgent", .urgent), ("Business", .business), ("Fans", .fan), ("Spam", .spam),
    ]
    let aside = standings.setAside.count
    var tabs = categories.map { title, category in
      Self.tab(title, filter.category == category && filter.order == .latest, category == .spam ? aside : nil) {
        $0.category = category
      }
    }
    tabs.append(Self.tab("Opportunities", filter.order == .opportunity) { $0.order = .opportunity })
    self.tabs = tabs
  }

  private static func headline(_ digest: Digest) -> Phrase {
    let (count, urgent) = (digest.needAnswer.count, digest.needAnswer.count { $0.category == .urgent })
    let business = digest.needAnswer.count { $0.category == .business }
    switch (count, urgent, business) {
    case (1, 0, 0): return "1 needs an answer."
    case (1, 1, _): return "1 needs an answer: 1 urgent."
    case (1, _, _): return "1 needs an answer: 1 business."
    case (_, 0, 0): return "\(count) need an answer."
    case (_, _, 0): return "\(count) need an answer: \(urgent) urgent."
    case (_, 0, _): return "\(count) need an answer: \(business) business."
    default: return "\(count) need an answer: \(urgent) urgent, \(business) business."
    }
  }

  private static func tab(
    _ title: Phrase, _ isChosen: Bool, _ count: Int? = nil, _ change: (inout ListFilter) -> Void
  ) -> ListView.Tab {
    ListView.Tab(
      tabTitle: title.text, address: "/" + (isChosen ? ListFilter() : ListFilter().with(change)).address,
      isChosen: isChosen, tabCount: count.map { ListView.TabCount(count: $0, isNone: $0 == 0) })
  }
}
