import Foundation
import Hummingbird
import Sorted
import SwiftData

/// What happens while a page is open.
struct EventsController: Sendable {
  let site: Site

  /// More conversations than a browser has open.
  private static let maximumThreads = 24

  func stream(_ request: Request, _ context: WebContext) async throws -> Response {
    let visit = try context.signedIn()
    try site.streams.admit(visit.session)
    let topics = try await topics(Query(request, context), visit.viewer)
    return EventStream.response(
      try await site.hub.subscribe(topics, visit.viewer, session: visit.session, until: context.closed))
  }

  /// What the tabs of a browser want to hear of: `threads` has the conversations that they show, each with the first and
  /// the last time of what is on the page: `thread:first:last,…`. No last time is the newest message.
  private func topics(_ query: Query, _ viewer: Viewer) async throws -> [LiveHub.Topic] {
    let whole: [LiveHub.Topic] = [.list(viewer), .status(viewer)]
    let threads = (query["threads"] ?? "").split(separator: ",").prefix(Self.maximumThreads).map(String.init)
    guard !threads.isEmpty else { return whole }
    // Tabs of one conversation share one range of it.
    var ids: Set<String> = []
    var ranges: [String: Shown] = [:]
    for thread in threads {
      let (id, range) = try Self.shown(thread)
      ids.insert(id)
      if let range { ranges[id] = ranges[id]?.union(range) ?? range }
    }
    let (all, shown) = (ids, ranges)
    return try await site.read(viewer) { access in
      whole + (try all.flatMap { try Self.topics(of: $0, shown[$0], access) })
    }
  }

  /// What pages show of a conversation.
  private struct Shown {
    let first: Date
    /// Nil is the newest message.
    let last: Date?

    func union(_ other: Shown) -> Shown {
      let last = last.flatMap { last in other.last.map { max(last, $0) } }
      return Shown(first: min(first, other.first), last: last)
    }
  }

  private static func shown(_ thread: String) throws -> (id: String, range: Shown?) {
    let parts = thread.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let id = try Slug.decode(parts[0])
    guard parts.count == 3, !parts[1].isEmpty else { return (id, nil) }
    let first = try PageClock.date(parts[1], isLast: false, field: "threads")
    let last = try parts[2].isEmpty ? nil : PageClock.date(parts[2], isLast: true, field: "threads")
    return (id, Shown(first: first, last: last))
  }

  /// - Returns: nothing for a conversation that is not there: other tabs of the browser have theirs.
  private static func topics(of id: String, _ range: Shown?, _ access: Access) throws -> [LiveHub.Topic] {
    guard try ifThere({ try access.conversation(id) }) != nil else { return [] }
    let topics: [LiveHub.Topic] = [.thread(access.viewer, id)]
    guard let range else { return topics }
    let reader = ThreadReader(context: access.work.inbox, conversationID: id, sight: try access.sight(of: [id]))
    guard let watched = try reader.watchedRange(range.first, range.last) else { return topics }
    return topics + [.stretch(access.viewer, id, watched)]
  }

  /// Tells the other readers of the conversation that the viewer is writing. The server stores nothing of it.
  func typing(_ request: Request, _ context: WebContext) async throws -> Response {
    let (_, visit) = try await site.form(request, context)
    let id = try context.id("conversation")
    let name = try await site.read(visit.viewer) { access -> String? in
      let conversation = try access.conversation(id)
      guard try !access.isBlocked(in: conversation) else { return nil }
      try access.work.people.read(conversation.participantIDs)
      return access.work.people.name(visit.viewer.userID)
    }
    guard let name else { return Response(status: .noContent) }
    let event = ServerEvent("typing", try Self.json(["thread": Slug.encode(id), "name": name]))
    await site.hub.tell(event, thread: id, except: visit.viewer.userID)
    return Response(status: .noContent)
  }

  static func json(_ value: [String: String]) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }
}
