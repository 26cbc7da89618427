import Foundation
import Sorted
import SwiftData

/// From changes of a result to events.
extension LiveHub {
  func followList(_ viewer: Viewer) async throws {
    let work = desk.now()
    let access = Access(work: work, viewer: viewer)
    for try await update in work.inbox.values(for: access.everything) {
      isWatching(.list(viewer), 0)
      var gone: [ServerEvent] = []
      var changed: [ConversationEntity] = []
      for change in update.changes {
        switch change {
        case .delete(let conversation, _): gone.append(ServerEvent("gone", Slug.encode(conversation.id)))
        case .insert(let conversation, _), .move(let conversation, _, _), .update(let conversation, _):
          changed.append(conversation)
        }
      }
      if !gone.isEmpty { noteStaleSorting(viewer) }
      publish(try gone + rows(of: changed, viewer), to: .list(viewer))
      try await Task.sleep(for: Self.pace)
    }
  }

  /// What people keep about conversations changes their rows as well.
  func followPlaces(_ viewer: Viewer) async throws {
    let work = desk.now()
    let user = viewer.userID
    let places = FetchDescriptor<PlaceEntity>(predicate: #Predicate { $0.userID == user })
    for try await update in work.own.values(for: places) {
      isWatching(.list(viewer), 1)
      let ids = update.changes.map { change in
        switch change {
        case .delete(let place, _), .insert(let place, _), .move(let place, _, _), .update(let place, _):
          place.conversationID
        }
      }
      let conversations = try Access(work: desk.now(), viewer: viewer).conversations(ids)
      publish(try rows(of: conversations, viewer), to: .list(viewer))
      try await Task.sleep(for: Self.pace)
    }
  }

  /// A message is judged after it arrived, and may be judged again. The conversation does not change with it.
  func followJudgements(_ viewer: Viewer) async throws {
    let work = desk.now()
    var newest = FetchDescriptor<MessageEntity>(sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    newest.fetchLimit = ThreadReader.watchedCount
    var known: [String: String] = [:]
    for try await update in work.inbox.values(for: newest) {
      isWatching(.list(viewer), 3)
      // Reactions and read marks change messages as well, and no row.
      var judged = Set<String>()
      var labels: [String: String] = [:]
      for message in update.results {
        let label = "\(message.category?.rawValue ?? "") \(message.opportunityScore ?? 0) \(message.needsAnswer)"
        labels[message.id] = label
        if let former = known[message.id], former != label { judged.insert(message.conversationID) }
      }
      known = labels
      let conversations = try Access(work: desk.now(), viewer: viewer).conversations(Array(judged))
      publish(try rows(of: conversations, viewer), to: .list(viewer))
      try await Task.sleep(for: Self.pace)
    }
  }

  /// The counts of the tabs and what needs an answer, at most once in a second. A row that changes says that they may be others.
  func followSorting(_ viewer: Viewer) async throws {
    var last: SortingView?
    while true {
      let isStale = hasStaleSorting(viewer)
      if isStale || last == nil {
        let access = Access(work: desk.now(), viewer: viewer)
        let standings = try access.standings()
        let sorting = try Sorting(access, standings)
        let everything = try access.isAlone ? nil : access.work.inbox.fetch(access.everything)
        let view = try SortingView(access, ListFilter(), sorting, standings, everything: everything)
        if let last, !last.isSame(as: view) {
          // The rows of those that lead the list now, which a page may not have.
          let leads = sorting.leads.filter { !last.leads.contains(Slug.encode($0.id)) }
          publish([try view.event] + (try rowEvents(of: leads, viewer)), to: .list(viewer))
        }
        last = view
      }
      isWatching(.list(viewer), 4)
      try await Task.sleep(for: isStale ? .seconds(1) : .milliseconds(200))
    }
  }

  /// The same of messages that are spam, also of old ones: their conversations go out of sight.
  func followSpam(_ viewer: Viewer) async throws {
    let work = desk.now()
    let category = MessageCategory.spam
    var spam = FetchDescriptor<MessageEntity>(
      predicate: #Predicate { $0.category == category }, sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    spam.fetchLimit = ThreadReader.watchedCount
    for try await update in work.inbox.values(for: spam) {
      isWatching(.list(viewer), 2)
      let ids = Set(
        update.changes.map { change in
          switch change {
          case .delete(let message, _), .insert(let message, _), .move(let message, _, _), .update(let message, _):
            message.conversationID
          }
        })
      let conversations = try Access(work: desk.now(), viewer: viewer).conversations(Array(ids))
      publish(try rows(of: conversations, viewer), to: .list(viewer))
      try await Task.sleep(for: Self.pace)
    }
  }

  /// The rows of conversations that changed. The sorting of the list may change with them.
  private func rows(of conversations: [ConversationEntity], _ viewer: Viewer) throws -> [ServerEvent] {
    guard !conversations.isEmpty else { return [] }
    noteStaleSorting(viewer)
    return try rowEvents(of: conversations, viewer)
  }

  /// They are read with contexts of their own: what is watched is only read where it belongs.
  private func rowEvents(of conversations: [ConversationEntity], _ viewer: Viewer) throws -> [ServerEvent] {
    guard !conversations.isEmpty else { return [] }
    let access = Access(work: desk.now(), viewer: viewer)
    let standings = try access.standings()
    let listed = conversations.filter { !standings[$0].isDeleted }
    let ids = listed.map(\.id)
    let sight = try access.sight(of: ids, ids.compactMap { standings.places[$0] })
    let unread = try UnreadCounts(listed, standings.places, sight, access)
    let last = try LastMessages(listed, sight, access)
    let judged = try LastFromOthers(listed, sight, access)
    try access.work.people.read(listed.flatMap { ConversationRow.people(of: $0) })
    return conversations.map { conversation in
      let standing = standings[conversation]
      guard !standing.isDeleted else { return ServerEvent("gone", Slug.encode(conversation.id)) }
      let row = ConversationRow(
        conversation, standing, standings.places[conversation.id], access, PageClock(), last: last[conversation],
        judged: judged[conversation], unread: unread[conversation])
      return ServerEvent("row", pages.render("row", row))
    }
  }

  func followThread(_ viewer: Viewer, _ id: String) async throws {
    let context = desk.now().inbox
    for try await update in context.values(for: ThreadReader.watched(id)) {
      isWatching(.thread(viewer, id), 0)
      // The participants may have changed meanwhile.
      let scene = try scene(id, viewer, update.changes)
      // More may have come at once than is watched: what went by is read by the pages.
      guard update.changes.count(where: { if case .insert = $0 { true } else { false } }) < ThreadReader.watchedCount
      else {
        publish([ServerEvent("thread-changed", Slug.encode(id))], to: .thread(viewer, id))
        try await Task.sleep(for: Self.pace)
        continue
      }
      let oldest = update.results.count == ThreadReader.watchedCount ? update.results.last?.createdAt : nil
      let events: [ServerEvent] = update.changes.compactMap { change in
        switch change {
        case .delete(let message, _):
          // Those that newer ones pushed out of the watched stretch are still there.
          if let oldest, message.createdAt <= oldest { return nil }
          return Self.gone(message.id, in: id)
        case .insert(let message, _), .move(let message, _, _), .update(let message, _):
          return event(of: message, scene)
        }
      }
      publish(events, to: .thread(viewer, id))
      try await Task.sleep(for: Self.pace)
    }
  }

  func followStretch(_ viewer: Viewer, _ id: String, _ dates: ClosedRange<Date>) async throws {
    let context = desk.now().inbox
    for try await update in context.values(for: ThreadReader.range(id, dates)) {
      isWatching(.stretch(viewer, id, dates), 0)
      let scene = try scene(id, viewer, update.changes)
      let events = update.changes.map { change in
        switch change {
        case .delete(let message, _): Self.gone(message.id, in: id)
        case .insert(let message, _), .move(let message, _, _), .update(let message, _):
          event(of: message, scene)
        }
      }
      publish(events, to: .stretch(viewer, id, dates))
      try await Task.sleep(for: Self.pace)
    }
  }

  /// What changed messages are shown in, with the messages that they answer.
  /// - Throws: ``PageError/notFound`` where the viewer does not see the conversation any more.
  private func scene(
    _ id: String, _ viewer: Viewer, _ changes: [ModelContext.ResultsUpdate<MessageEntity>.Change]
  ) throws -> ThreadScene {
    let access = Access(work: desk.now(), viewer: viewer)
    var scene = try ThreadScene(access, try access.conversation(id))
    let shown = changes.compactMap { change in
      switch change {
      case .delete: nil as MessageEntity?
      case .insert(let message, _), .move(let message, _, _), .update(let message, _): message
      }
    }
    try scene.quote(scene.sight.seen(shown), access.work.inbox)
    return scene
  }

  private func event(of message: MessageEntity, _ scene: ThreadScene) -> ServerEvent {
    guard let seen = scene.sight.seen(message) else { return Self.gone(message.id, in: message.conversationID) }
    return ServerEvent("message", pages.render("message", MessageRow(seen, scene)))
  }

  static func gone(_ id: String, in conversationID: String) -> ServerEvent {
    ServerEvent("message-gone", "\(Slug.encode(conversationID)) \(Slug.encode(id))")
  }
}
