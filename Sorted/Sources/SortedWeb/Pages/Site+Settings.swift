import Foundation
import Hummingbird
import Sorted
import SwiftData

extension Site {
  /// The profile, the switches and the store.
  struct SettingsPage {
    struct Switch {
      let name: String
      let label: String
      let explanation: String
      let isOn: Bool
    }

    let displayName: String
    let email: String
    let switches: [Switch]
    let isOwner: Bool
    let storeSize: String
    let canCompact: Bool
    let counts: String
    let days: Int
    /// After how many days messages may go; nil where they are kept for ever.
    let retention: Int?
    /// What a clean-up would do; nil where nobody asked.
    let preview: String?
  }

  func addSettings(to router: Router<WebContext>) {
    router.get("settings") { request, context in
      let visit = try context.signedIn()
      let days = try Query(request)["days"].map { try Retention.days($0) }
      let page = try await read(visit.viewer) { access in
        Rendered(pages: pages, page: try settings(access, days: days))
      }
      return page.response("settings", "Settings", try await view(request, visit, section: "settings"))
    }
    router.post("settings/profile") { request, context in
      let (form, visit) = try await form(request, context)
      let name = try form.text("name", maximum: 100).trimmingCharacters(in: .whitespacesAndNewlines)
      let email = try form.text("email", maximum: 200).trimmingCharacters(in: .whitespacesAndNewlines)
      guard !name.isEmpty else { throw PageError.invalid("A profile needs a name.") }
      try await write(visit.viewer) { access in
        let user = try access.user()
        user.updateProfile(displayName: name)
        user.email = email
      }
      return Pages.redirect("/settings?done=saved")
    }
    router.post("settings/switches") { request, context in
      let (form, visit) = try await form(request, context)
      let values = try Feature.allCases.map { ($0, try form.flag($0.rawValue)) }
      try await write(visit.viewer) { access in
        let user = try access.user()
        for (feature, value) in values { user[keyPath: feature.property] = value }
        user.updatedAt = Date()
      }
      return Pages.redirect("/settings?done=saved")
    }
    addStorage(to: router)
    router.post("sync") { request, context in
      let (form, visit) = try await form(request, context)
      if visit.viewer.isOwner {
        _ = try await write(visit.viewer) { try InboxService(context: $0.work.inbox).retry() }
      }
      syncSoon()
      return Pages.redirect(Notice.path(back(form), done: "retry"))
    }
  }

  private func settings(_ access: Access, days: Int?) throws -> SettingsPage {
    let id = access.viewer.userID
    let context = access.work.inbox
    let user = try context.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.id == id })).first
    let isOwner = access.viewer.isOwner
    let file = isOwner ? StoreFile(desk.inbox) : nil
    let retention = try Retention(access: access).days()
    let preview = try days.flatMap { isOwner ? try RetentionService(context: context).preview(olderThan: $0) : nil }
    let messages = isOwner ? try context.fetchCount(FetchDescriptor<MessageEntity>()) : 0
    let conversations = try context.fetchCount(access.everything)
    return SettingsPage(
      displayName: user?.displayName ?? id, email: user?.email ?? "",
      switches: Feature.allCases.map { feature in
        SettingsPage.Switch(
          name: feature.rawValue, label: feature.label, explanation: feature.explanation,
          isOn: user?[keyPath: feature.property] ?? true)
      },
      isOwner: isOwner, storeSize: file.map { $0.size.formatted(.byteCount(style: .file)) } ?? "On a database server",
      canCompact: file != nil, counts: "\(messages) messages in \(conversations) conversations",
      days: days ?? retention ?? 90,
      retention: retention,
      preview: preview.map { "\($0.deleted) messages would be deleted, \($0.stayed) old ones would stay." })
  }
}

/// A switch of the profile.
private enum Feature: String, CaseIterable, Sendable {
  case categorization, smartReply, faq, sentiment, opportunity, memory

  var property: ReferenceWritableKeyPath<UserEntity, Bool> {
    switch self {
    case .categorization: \.enableCategorization
    case .smartReply: \.enableSmartReply
    case .faq: \.enableFAQ
    case .sentiment: \.enableSentiment
    case .opportunity: \.enableOpportunityScoring
    case .memory: \.allowSupermemoryStorage
    }
  }

  var label: String {
    switch self {
    case .categorization: "Sort messages into categories"
    case .smartReply: "Suggest replies"
    case .faq: "Recognise frequent questions"
    case .sentiment: "Read the mood of messages"
    case .opportunity: "Score business opportunities"
    case .memory: "Remember conversations outside this store"
    }
  }

  var explanation: String {
    switch self {
    case .categorization: "Fan, business, urgent, spam."
    case .smartReply: "A draft in your voice."
    case .faq: "Offers your answer when somebody asks again."
    case .sentiment: "Positive, negative, urgent."
    case .opportunity: "From 0 to 100."
    case .memory: "Privacy: off keeps what you write in this store."
    }
  }
}
