import Foundation
import HTTPTypes
import Hummingbird
import Mustache

/// The templates and what belongs to every page.
struct Pages: Sendable {
  private let library: MustacheLibrary
  private let assetVersion: String

  /// - Throws: where the bundle is not beside the program.
  init() async throws {
    guard let folder = Bundle.module.path(forResource: "Templates", ofType: nil) else {
      throw CocoaError(.fileNoSuchFile)
    }
    library = try await MustacheLibrary(directory: folder)
    assetVersion = try Assets.version
  }

  /// What every page shows beside its own.
  struct Frame {
    let title: String
    let formToken: String
    let userID: String?
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
    _ template: String, _ title: String, _ page: Any, _ view: PageView, status code: HTTPResponse.Status = .ok
  ) -> Response {
    let frame = Frame(
      title: title, formToken: view.visit?.formToken ?? "", userID: view.visit?.viewer.userID,
      isSignedIn: view.visit != nil, hasAccounts: view.hasAccounts, assetVersion: assetVersion, path: view.path,
      section: [view.section: true], notice: view.notice, status: view.status, page: page)
    return Self.html(render(template, frame), code)
  }

  /// A part of a page.
  func render(_ template: String, _ value: Any) -> String {
    // A template that is not there is a fault of this module, which its tests would show.
    library.render(value, withTemplate: template) ?? ""
  }

  static func html(_ text: String, _ code: HTTPResponse.Status = .ok) -> Response {
    Response(
      status: code, headers: [.contentType: "text/html; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: text)))
  }

  static func redirect(_ path: String) -> Response { Response(status: .seeOther, headers: [.location: path]) }

  /// After a change: a page, or nothing where a script asked, which hears of the change as everybody does.
  static func done(_ request: Request, _ path: String) -> Response {
    request.headers[live] == nil ? redirect(path) : Response(status: .noContent)
  }

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
}

/// What was just done, and how to undo it.
struct Notice {
  let text: String
  /// Where the form of the undo goes; nil where there is none.
  let undo: String?
  /// Of the value that the form needs; nil where it needs none.
  let undoName: String?
}
