import Foundation
import Hummingbird
import Sorted
import SwiftData

/// What becomes of old messages and of the room that they took.
struct StorageController: Sendable {
  let site: Site

  func setRetention(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    // Nothing is for ever, and a form without the field is a mistake.
    _ = try form.text("keep")
    let days = try form.number("keep", in: Retention.allowed)
    try await site.write(visit.viewer) { try Retention(access: $0).setDays(days) }
    return Pages.redirect("/administration?done=saved")
  }

  func clean(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, _) = try await site.form(request, context)
    let days = try form.requiredNumber("days", in: Retention.allowed)
    try await cleaning { _ = try RetentionService(context: $0.inbox).deleteMessages(olderThan: days) }
    return Pages.redirect("/administration?done=cleaned")
  }

  func compact(_ request: Request, _ context: WebContext) async throws -> Response {
    let (_, visit) = try await site.form(request, context)
    let desk = site.desk
    try await cleaning { try Retention(access: Access(work: $0, viewer: visit.viewer)).clean() }
    try await desk.write { _ in try desk.inbox.compact() }
    return Pages.redirect("/administration?done=compacted")
  }

  /// Deletes messages, and then the files that nothing shows any more.
  private func cleaning(_ body: @escaping @Sendable (Work) throws -> Void) async throws {
    let files = site.files
    let gone = try await site.desk.write { work in
      let before = try files.used(work.inbox)
      try body(work)
      return before.subtracting(try files.used(work.inbox))
    }
    site.desk.fullThreads.forget()
    files.discard(Array(gone))
  }
}

/// How long the owner wants messages to be kept.
struct Retention {
  let access: Access

  /// How many days it may be.
  static let allowed = 0...36_500

  /// Nil for ever.
  func days() throws -> Int? { try kept()?.days }

  func setDays(_ days: Int?) throws {
    let kept = try kept()
    if let days, let kept {
      kept.days = days
    } else if let days {
      access.work.own.insert(RetentionEntity(userID: access.viewer.userID, days: days))
    } else if let kept {
      access.work.own.delete(kept)
    }
  }

  /// Deletes what may go, if anything ever may.
  func clean() throws {
    guard let days = try days() else { return }
    try RetentionService(context: access.work.inbox).deleteMessages(olderThan: days)
  }

  private func kept() throws -> RetentionEntity? {
    let user = access.viewer.userID
    return try access.work.own.fetch(FetchDescriptor<RetentionEntity>(predicate: #Predicate { $0.userID == user }))
      .first
  }
}
