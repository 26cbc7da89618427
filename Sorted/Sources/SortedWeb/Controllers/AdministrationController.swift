import Foundation
import Hummingbird
import Sorted
import SwiftData

/// What the owner of a server looks after: who has an account, and the store. It shows no text of any conversation.
struct AdministrationController: Sendable {
  let site: Site

  struct Page {
    struct Person {
      let name: String
      let personSlug: String
      let since: String
      let sinceISO: String
      /// Nil for a person who is signed in nowhere.
      let seen: String?
      let seenISO: String?
      let browsers: String
      let canEnd: Bool
    }

    let hasAccounts: Bool
    let people: [Person]
    let peopleCount: String
    let storeSize: String
    let canCompact: Bool
    let counts: String
    let days: Int
    /// After how many days messages may go; nil where they are kept for ever.
    let retention: Int?
    /// What a clean-up would do, or nil without a request for it.
    let preview: String?
  }

  /// As many accounts are listed, the newest first.
  private static let maximumPeople = 500

  func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let visit = try context.signedIn()
    let days = try Query(request, context).number("days", in: Retention.allowed)
    let (site, clock) = (site, PageClock(request))
    let page = try await site.read(visit.viewer) { access in
      Rendered(pages: site.pages, page: try contents(access, clock, days: days))
    }
    return page.response("administration", "Administration", try await site.view(request, visit, section: "settings"))
  }

  /// Ends the sessions of a person, as after a lost device.
  func endSessions(_ request: Request, _ context: WebContext) async throws -> Response {
    let (_, visit) = try await site.form(request, context)
    let person = try context.id("person")
    guard person != visit.viewer.userID else { throw PageError.notFound }
    let sessions = try await site.desk.read { work in
      try work.sessions(of: person).filter { !$0.isOwner }.map(\.tokenDigest)
    }
    try await site.sessions.end(sessions)
    await site.hub.end(sessions: sessions, "ended")
    return Pages.redirect("/administration?done=sessions")
  }

  private func contents(_ access: Access, _ clock: PageClock, days: Int?) throws -> Page {
    let context = access.work.inbox
    let file = StoreFile(site.desk.inbox)
    let retention = try Retention(access: access).days()
    let preview = try days.map { try RetentionService(context: context).preview(olderThan: $0) }
    let messages = try context.fetchCount(FetchDescriptor<MessageEntity>())
    let conversations = try context.fetchCount(FetchDescriptor<ConversationEntity>())
    let accounts = try access.work.own.fetchCount(FetchDescriptor<AccountEntity>())
    return Page(
      hasAccounts: access.work.setting.hasAccounts,
      people: access.work.setting.hasAccounts ? try people(access, clock) : [],
      peopleCount: accounts == 1 ? String(translated: "1 account") : String(translated: "\(accounts) accounts"),
      storeSize: file.map { $0.size.formatted(.byteCount(style: .file)) } ?? String(translated: "On a database server"),
      canCompact: file != nil, counts: String(translated: "\(messages) messages in \(conversations) conversations"),
      days: days ?? retention ?? 90, retention: retention,
      preview: preview.map {
        String(translated: "\($0.deleted) messages would be deleted, \($0.stayed) old ones would stay.")
      })
  }

  private func people(_ access: Access, _ clock: PageClock) throws -> [Page.Person] {
    var newest = FetchDescriptor<AccountEntity>(sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    newest.fetchLimit = Self.maximumPeople
    let accounts = try access.work.own.fetch(newest)
    let (ids, now) = (accounts.map(\.userID), Date())
    let sessions = try access.work.own.fetch(
      FetchDescriptor<SessionEntity>(
        predicate: #Predicate { ids.contains($0.userID) && !$0.isOwner && $0.expiresAt > now }))
    let byPerson = Dictionary(grouping: sessions, by: \.userID)
    return accounts.map { account in
      let own = byPerson[account.userID] ?? []
      let seen = own.map(\.seenAt).max()
      return Page.Person(
        name: account.userID, personSlug: Slug.encode(account.userID), since: clock.day(account.createdAt),
        sinceISO: account.createdAt.formatted(.iso8601), seen: seen.map(clock.full),
        seenISO: seen.map { $0.formatted(.iso8601) },
        browsers: own.count == 1
          ? String(translated: "1 browser is signed in") : String(translated: "\(own.count) browsers are signed in"),
        canEnd: !own.isEmpty)
    }
  }
}
