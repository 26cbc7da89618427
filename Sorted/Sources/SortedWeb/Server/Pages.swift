import Foundation
import HTTPTypes
import Hummingbird
import Mustache
import SwiftData

/// The templates and what belongs to every page.
struct Pages: Sendable {
  private let libraries: [Language: MustacheLibrary]
  private let assetVersion: String
  private let maximumUpload: Int

  /// - Parameter maximumUpload: as much as a form with files may have, in bytes.
  /// - Throws: where the bundle is not beside the program.
  init(maximumUpload: Int = 25 << 20) async throws {
    self.maximumUpload = maximumUpload
    guard let folder = Bundle.module.path(forResource: "Templates", ofType: nil) else {
      throw CocoaError(.fileNoSuchFile)
    }
    var libraries: [Language: MustacheLibrary] = [:]
    for language in Language.allCases { libraries[language] = try Self.library(folder, language) }
    self.libraries = libraries
    assetVersion = try Assets.version
  }

  /// Mustache's own escaping misses a quote with a combining mark. Each template names this one in its first line.
  private struct Escaping: MustacheContentType {
    static let name = "SORTED"

    func escapeText(_ text: String) -> String { MessageText.escaped(text) }
  }

  /// The templates of a folder with the texts of a language.
  private static func library(_ folder: String, _ language: Language) throws -> MustacheLibrary {
    MustacheContentTypes.register(Escaping(), named: Escaping.name)
    var library = MustacheLibrary()
    // An address without the version would be asked for again every five minutes, and a page whose request is cut has no icons.
    let icons = "/assets/\(try Assets.version)/icons.svg"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasSuffix(".mustache") {
      let template = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
        .replacing("/assets/icons.svg", with: icons)
      try library.register(
        "{{% CONTENT_TYPE:\(Escaping.name) }}\n" + Catalogue.translated(template: template, in: language),
        named: String(name.dropLast(".mustache".count)))
    }
    return library
  }

  /// What every page shows beside its own.
  struct Frame {
    let title: String
    let language: String
    let direction: String
    let formToken: String
    let userID: String?
    /// What this browser keeps the account's messages and drafts by.
    let account: String
    let theme: String
    let maximumText: Int
    let maximumUpload: Int
    let showsPreviews: Bool
    let isSignedIn: Bool
    let hasAccounts: Bool
    let assetVersion: String
    let path: String
    let section: [String: Bool]
    let notice: Notice?
    let status: StatusLine?
    let page: Any
  }

  func page(
    _ template: String, _ title: Phrase, _ page: Any, _ view: PageView, status code: HTTPResponse.Status = .ok
  ) -> Response {
    let frame = Frame(
      title: title.text, language: Language.current.rawValue, direction: Language.current.direction,
      formToken: view.visit?.formToken ?? "", userID: view.visit?.viewer.userID,
      account: view.account, theme: view.look.theme, maximumText: Form.maximumText,
      maximumUpload: maximumUpload,
      showsPreviews: view.look.showsLinkPreviews, isSignedIn: view.visit != nil,
      hasAccounts: view.hasAccounts, assetVersion: assetVersion, path: view.path,
      section: [view.section: true], notice: view.notice, status: view.status, page: page)
    return Self.html(render(template, frame), code)
  }

  /// A part of a page, in the current language.
  func render(_ template: String, _ value: Any) -> String {
    // A template that is not there is a fault of this module, which its tests would show.
    libraries[Language.current]?.render(TemplateValues.value(of: value) ?? value, withTemplate: template) ?? ""
  }

  static func html(_ text: String, _ code: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: code, headers: [.contentType: "text/html; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }

  static func redirect(_ path: String) -> Response { Response(status: .seeOther, headers: [.location: path]) }

  /// After a change: a page, or nothing where a script asked, which hears of the change as everybody does.
  static func done(_ request: Request, _ path: String) -> Response {
    isFromScript(request) ? Response(status: .noContent) : redirect(path)
  }

  /// Whether a script asked, which hears of changes as everybody does.
  static func isFromScript(_ request: Request) -> Bool { request.headers[live] != nil }

  private static let live = HTTPField.Name("X-Live")!
}

/// For whom a page is, and where.
struct PageView {
  var visit: Visit?
  var hasAccounts: Bool
  /// Where its forms come back to.
  var path: String
  /// Which part of the navigation it belongs to.
  var section: String
  var notice: Notice?
  var status: StatusLine?
  var look = Look()
  /// The site's name.
  var site: String

  /// A name for the account on this server, for the browser's own store; empty without a session.
  var account: String { visit.map { Self.account($0.viewer, site) } ?? "" }

  static func account(_ viewer: Viewer, _ site: String) -> String { Slug.encode("\(site)/\(viewer.userID)") }
}

/// The look and the language of a person's pages.
struct Look: Sendable {
  static let themes = ["auto", "light", "dark", "contrast"]
  var theme = "auto"
  /// The language of the settings, as `en`; empty for the browser's.
  var language = ""
  /// Whether the server may fetch the pages that messages link to.
  var showsLinkPreviews = false

  init() {}

  /// - Throws: `SwiftDataError`.
  init(_ work: Work, _ userID: String) throws {
    let kept = try work.own.fetch(FetchDescriptor<LookEntity>(predicate: #Predicate { $0.userID == userID })).first
    guard let kept else { return }
    if Self.themes.contains(kept.theme) { theme = kept.theme }
    language = kept.language
    showsLinkPreviews = kept.showsLinkPreviews
  }
}

/// What was just done, and how to undo it.
struct Notice {
  let text: String
  /// The address of the undo's form, or nil without an undo.
  let undo: String?
  /// The value that the form needs, or nil.
  let undoName: String?
}
