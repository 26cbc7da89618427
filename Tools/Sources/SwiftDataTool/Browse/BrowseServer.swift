import Foundation
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SwiftDataInspection

/// Serves the pages of a store.
struct BrowseServer: Sendable {
  let store: InspectedStore
  let isEditable: Bool
  /// A form must send this secret back, so that another page in the same browser cannot change the store.
  private let secret = UUID().uuidString

  init(store: InspectedStore, isEditable: Bool) { (self.store, self.isEditable) = (store, isEditable) }

  func application(port: Int, onStart: @escaping @Sendable (Int) -> Void) -> some ApplicationProtocol {
    var logger = Logger(label: "swiftdata.browse")
    logger.logLevel = .error
    return Application(
      responder: BodilessHead(router.buildResponder()),
      configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in onStart(channel.localAddress?.port ?? port) }, logger: logger)
  }

  var router: Router<BasicRequestContext> {
    let router = Router(context: BasicRequestContext.self)
    let (store, secret, isEditable) = (store, secret, isEditable)
    let pages = BrowsePages(store: store, secret: isEditable ? secret : nil)
    router.get("/") { _, _ in try Self.answer { try pages.overview() } }
    router.get("/:entity") { request, context in
      let entity = context.parameters.get("entity")?.removingPercentEncoding ?? ""
      let query = request.uri.queryParameters
      return try Self.answer {
        try pages.objects(
          of: entity, after: query["after"].flatMap { Int64($0) }, property: query["property"].map(String.init),
          text: query["text"].map(String.init))
      }
    }
    router.get("/:entity/:key") { _, context in
      let entity = context.parameters.get("entity")?.removingPercentEncoding ?? ""
      return try Self.answer { try pages.object(of: entity, key: context.parameters.get("key", as: Int64.self) ?? 0) }
    }
    router.post("/:entity/:key") { request, context in
      guard isEditable else { return Response(status: .forbidden) }
      let entity = context.parameters.get("entity")?.removingPercentEncoding ?? ""
      let key = context.parameters.get("key", as: Int64.self) ?? 0
      let body = try await request.body.collect(upTo: 1 << 20)
      let form = Self.form(String(buffer: body))
      guard form["secret"] == secret, let property = form["property"] else { return Response(status: .forbidden) }
      // Browsers send line ends as the network has them.
      let value = form["value"]?.replacingOccurrences(of: "\r\n", with: "\n", options: .literal) ?? ""
      return try Self.answer {
        try store.change(entity, key, property: property, to: form["isNil"] == "on" ? nil : value)
        return try pages.object(of: entity, key: key)
      }
    }
    return router
  }

  /// Makes a page. An error becomes a page with its description.
  private static func answer(_ body: () throws -> String) throws -> Response {
    do {
      return page(try body(), .ok)
    } catch let error as BrowsePages.NotFound {
      return page(BrowsePages.page("Not found", BrowsePages.escaped(error.text)), .notFound)
    } catch {
      return page(BrowsePages.page("Error", BrowsePages.escaped("\(error)")), .unprocessableContent)
    }
  }

  private static func page(_ html: String, _ status: HTTPResponse.Status) -> Response {
    Response(
      status: status,
      headers: [
        .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
        .init("Content-Security-Policy")!: "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
        .init("X-Content-Type-Options")!: "nosniff", .init("Referrer-Policy")!: "no-referrer",
      ],
      body: .init(byteBuffer: ByteBuffer(string: html)))
  }

  /// The fields of a form as a browser sends it.
  static func form(_ body: String) -> [String: String] {
    var result = [String: String]()
    for field in body.split(separator: "&") {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? ""
      }
      result[parts[0]] = parts.count > 1 ? parts[1] : ""
    }
    return result
  }
}
