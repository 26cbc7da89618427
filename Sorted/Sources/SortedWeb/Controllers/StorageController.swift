import Foundation
import Hummingbird
import Sorted
import SwiftData

/// What becomes of old messages and of the room that they took.
struct StorageController: Sendable {
  let site: Site

  func setRetention(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let text = try form.text("keep", maximum: 10).trimmingCharacters(in: .whitespaces)
    let days = text.isEmpty ? nil : try Retention.days(text)
    try Self.checkOwner(visit)
    try await site.write(visit.viewer) { try Retention(access: $0).setDays(days) }
    return Pages.redirect("/settings?done=saved")
  }

  func clean(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let days = try Retention.days(try form.text("days", maximum: 10))
    try Self.checkOwner(visit)
    try await cleaning { _ = try RetentionService(context: $0.inbox).deleteMessages(olderThan: days) }
    return Pages.redirect("/settings?done=cleaned")
  }

  func compact(_ request: Request, _ context: WebContext) async throws -> Response {
    let (_, visit) = try await site.form(request, context)
    try Self.checkOwner(visit)
    let desk = site.desk
    try await cleaning { try Retention(access: Access(work: $0, viewer: visit.viewer)).clean() }
    try await desk.write { _ in try StoreFile(desk.inbox)?.compact() }
    return Pages.redirect("/settings?done=compacted")
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

  private static func checkOwner(_ visit: Visit) throws {
    guard visit.viewer.isOwner else {
      throw PageError(.forbidden, "Not yours", "Only the owner of the store can do that.")
    }
  }
}

/// How long the owner wants messages to be kept.
struct Retention {
  let access: Access

  /// - Throws: ``PageError`` for what is no number of days.
  static func days(_ text: String) throws -> Int {
    guard let days = Int(text), (0...36_500).contains(days) else {
      throw PageError.invalid("Give a number of days from 0 to 36500.")
    }
    return days
  }

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
