import Foundation
import Hummingbird
import Sorted
import SwiftData

/// The profile, the switches and the sessions.
struct SettingsController: Sendable {
  let site: Site

  struct SettingsPage {
    struct Session {
      let sessionName: String
      let agentName: String
      let seen: String
      let seenISO: String
      let isThis: Bool
    }
    struct Theme {
      let theme: String
      let themeTitle: String
      let isChosen: Bool
    }
    struct LanguageChoice {
      let language: String
      let languageTitle: String
      let isChosen: Bool
    }
    struct Switch {
      let name: String
      let label: String
      let explanation: String
      let isOn: Bool
    }

    let displayName: String
    let initials: String
    let hue: Int
    let picture: String?
    let email: String
    let switches: [Switch]
    let themes: [Theme]
    let languages: [LanguageChoice]
    let sessions: [Session]
    let isOwner: Bool
    let isMember: Bool
  }

  /// Where the owner signs in another browser.
  struct DoorPage {
    let address: String
  }

  /// The name of the switch that allows previews of links.
  private static let previews = "previews"

  /// The fields of the form of the switches.
  static let switches = Feature.allCases.map(\.rawValue) + [previews]

  func show(_ request: Request, _ context: WebContext) async throws -> Response {
    let visit = try context.signedIn()
    let (site, clock) = (site, PageClock(request))
    let page = try await site.read(visit.viewer) { access in
      Rendered(pages: site.pages, page: try settings(access, visit, clock))
    }
    return page.response("settings", "Settings", try await site.view(request, visit, section: "settings"))
  }

  /// The owner alone decides what the store remembers, and there is nothing to decide without the sentence model.
  private func features(for viewer: Viewer) -> [Feature] {
    Feature.allCases.filter { $0 != .meaning || site.options.meaning != nil && viewer.isOwner }
  }

  func saveProfile(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let name = try form.text("name", maximum: 100).trimmingCharacters(in: .whitespacesAndNewlines)
    let email = try form.text("email", maximum: 200).trimmingCharacters(in: .whitespacesAndNewlines)
    guard !name.isEmpty else { throw PageError.invalid("A profile needs a name.") }
    try await site.write(visit.viewer) { access in
      let user = try access.user()
      user.updateProfile(displayName: name)
      user.email = email
    }
    return Pages.redirect("/settings?done=saved")
  }

  func saveSwitches(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let values = try features(for: visit.viewer).map { ($0, try form.flag($0.rawValue)) }
    let showsPreviews = try form.flag(Self.previews)
    try await site.write(visit.viewer) { access in
      let user = try access.user()
      for (feature, value) in values { user[keyPath: feature.property] = value }
      user.updatedAt = Date()
      if !user.allowSupermemoryStorage, access.viewer.isOwner {
        try access.work.inbox.delete(model: MessageVectorEntity.self)
      }
      try AssistInbox(context: access.work.inbox).judgeAgain(for: user.id)
      if site.fetcher.client != nil { try access.makeLook().showsLinkPreviews = showsPreviews }
    }
    return Pages.redirect("/settings?done=saved")
  }

  func saveLook(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    let theme = try form.text("theme", maximum: 20)
    guard Look.themes.contains(theme) else { throw PageError.invalid("There is no theme of that name.") }
    let language = form["language"] ?? ""
    guard language.isEmpty || Language(rawValue: language) != nil else {
      throw PageError.invalid("There is no language of that name.")
    }
    try await site.write(visit.viewer) { access in
      let look = try access.makeLook()
      look.theme = theme
      look.language = language
    }
    var response = Pages.redirect("/settings?done=saved")
    response.setCookie(Language.cookie(language, isSecure: context.isSecure))
    return response
  }

  func sync(_ request: Request, _ context: WebContext) async throws -> Response {
    let (form, visit) = try await site.form(request, context)
    if visit.viewer.isOwner {
      _ = try await site.write(visit.viewer) { try InboxService(context: $0.work.inbox).retry() }
    }
    site.syncSoon()
    return Pages.redirect(Notice.path(site.back(form), done: "retry"))
  }

  /// None where the server has no client that fetches links.
  private func previewSwitch(_ look: Look) -> [SettingsPage.Switch] {
    guard site.fetcher.client != nil else { return [] }
    return [
      SettingsPage.Switch(
        name: Self.previews, label: String(translated: "Show previews of links"),
        explanation: String(
          translated: "The server fetches the pages that messages link to, and pictures of other servers."),
        isOn: look.showsLinkPreviews)
    ]
  }

  private func settings(_ access: Access, _ visit: Visit, _ clock: PageClock) throws -> SettingsPage {
    let id = access.viewer.userID
    let context = access.work.inbox
    let user = try context.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.id == id })).first
    let isOwner = access.viewer.isOwner
    let look = try Look(access.work, id)
    return SettingsPage(
      displayName: user?.displayName ?? id, initials: Avatar.initials(user?.displayName ?? id),
      hue: Avatar.hue(id), picture: user?.picture, email: user?.email ?? "",
      switches: features(for: visit.viewer).map { feature in
        SettingsPage.Switch(
          name: feature.rawValue, label: feature.label.text, explanation: feature.explanation.text,
          isOn: user?[keyPath: feature.property] ?? true)
      }
        + previewSwitch(look),
      themes: Look.themes.map { theme in
        SettingsPage.Theme(theme: theme, themeTitle: Self.title(ofTheme: theme).text, isChosen: theme == look.theme)
      },
      languages: [
        SettingsPage.LanguageChoice(
          language: "", languageTitle: String(translated: "As the browser"), isChosen: look.language.isEmpty)
      ]
        + Language.allCases.map {
          SettingsPage.LanguageChoice(
            language: $0.rawValue, languageTitle: $0.name, isChosen: $0.rawValue == look.language)
        },
      sessions: try access.work.sessions(of: id).filter { $0.isOwner == isOwner }.map { session in
        SettingsPage.Session(
          sessionName: session.shortName, agentName: Self.browser(session.agent), seen: clock.full(session.seenAt),
          seenISO: session.seenAt.formatted(.iso8601), isThis: session.tokenDigest == visit.session)
      },
      isOwner: isOwner, isMember: !isOwner)
  }
}

extension SettingsController {
  fileprivate static func title(ofTheme theme: String) -> Phrase {
    switch theme {
    case "light": "Light"
    case "dark": "Dark"
    case "contrast": "High contrast"
    default: "As the system"
    }
  }

  /// A browser and a system, as far as the browser tells.
  fileprivate static func browser(_ agent: String) -> String {
    let browsers = [("Edg/", "Edge"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari")]
    let systems = [
      ("Android", "Android"), ("iPhone", "iPhone"), ("iPad", "iPad"), ("Windows", "Windows"), ("Mac OS", "macOS"),
      ("Linux", "Linux"),
    ]
    let browser = browsers.first { agent.contains($0.0) }?.1 ?? String(translated: "A browser")
    return systems.first { agent.contains($0.0) }.map { String(translated: "\(browser) on \($0.1)") } ?? browser
  }
}

/// A switch of the profile.
private enum Feature: String, CaseIterable, Sendable {
  case categorization, smartReply, faq, sentiment, opportunity, meaning

  var property: ReferenceWritableKeyPath<UserEntity, Bool> {
    switch self {
    case .categorization: \.enableCategorization
    case .smartReply: \.enableSmartReply
    case .faq: \.enableFAQ
    case .sentiment: \.enableSentiment
    case .opportunity: \.enableOpportunityScoring
    case .meaning: \.allowSupermemoryStorage
    }
  }

  var label: Phrase {
    switch self {
    case .categorization: "Sort messages into categories"
    case .smartReply: "Suggest replies"
    case .faq: "Recognise frequent questions"
    case .sentiment: "Read the mood of messages"
    case .opportunity: "Score business opportunities"
    case .meaning: "Remember what messages mean"
    }
  }

  var explanation: Phrase {
    switch self {
    case .categorization: "Fan, business, urgent, spam."
    case .smartReply: "Your answer to a frequent question, addressed by name. Tab takes it."
    case .faq: "Offers your answer when a person asks again."
    case .sentiment: "Positive, negative, urgent."
    case .opportunity: "From 0 to 100."
    case .meaning: "For the search by meaning. It stays on this machine. Switched off, what was remembered is deleted."
    }
  }
}

extension Access {
  /// The look of the viewer's pages, made where nothing was chosen yet.
  fileprivate func makeLook() throws -> LookEntity {
    let user = viewer.userID
    let kept = try work.own.fetch(FetchDescriptor<LookEntity>(predicate: #Predicate { $0.userID == user })).first
    if let kept { return kept }
    let look = LookEntity(userID: user)
    work.own.insert(look)
    return look
  }
}
