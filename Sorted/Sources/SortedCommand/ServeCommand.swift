import ArgumentParser
import Foundation
import Sorted
import SortedNetwork
import SortedSync
import SortedWeb
import SwiftData
import SwiftDataPostgres

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Show the inbox in a web browser. Ctrl-C ends it.",
    discussion: """
      Open the printed address, which signs in this browser once. With
      --remote the inbox syncs continuously with Firestore, with --sync
      with `swiftdata sync-server`. With --accounts others can sign up and
      see the conversations that they take part in.

      EXAMPLE
        sorted serve --sample
        sorted serve --store inbox.store --port 8080
        sorted serve --store inbox.store --sync http://127.0.0.1:8787
      """)

  @Option(help: "The port. 0 chooses a free one.")
  var port = 8080

  @Option(
    help: "The address to listen at. For another than this machine's, use --tls-certificate or a proxy that encrypts.")
  var host = "127.0.0.1"

  @Flag(help: "Serve a generated inbox and delete it afterwards.")
  var sample = false

  @Flag(help: "Allow people to sign up.")
  var accounts = false

  @Option(
    help: ArgumentHelp(
      "A host name to answer to, for example inbox.example.org. Repeatable. Other hosts are rejected.",
      valueName: "host"))
  var name: [String] = []

  @Option(
    help: ArgumentHelp(
      "A certificate with its chain in PEM, for encrypted connections over HTTP/2 and HTTP/1.1. Needs --tls-key.",
      valueName: "file"))
  var tlsCertificate: String?

  @Option(help: ArgumentHelp("The private key of the certificate, in PEM without a passphrase.", valueName: "file"))
  var tlsKey: String?

  @Option(
    help: ArgumentHelp(
      "The IP address of a trusted reverse proxy, which sets X-Forwarded-For and X-Forwarded-Proto. Repeatable.",
      valueName: "address"))
  var trustedProxy: [String] = []

  @Option(help: ArgumentHelp("The folder of attached files. (default: next to the store)", valueName: "folder"))
  var files: String?

  @Option(help: ArgumentHelp("The sync server, as in http://127.0.0.1:8787.", valueName: "url"))
  var sync: String?

  @OptionGroup var token: TokenOptions
  @OptionGroup var remote: RemoteOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard !sample || store.store == nil else { throw ValidationError("--sample cannot be combined with --store.") }
    guard sync == nil || !(sample || accounts) && remote.isUnused else {
      throw ValidationError("--sync is for the inbox of one person, without --accounts, --sample and --remote")
    }
    guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535") }
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key are used together")
    }
  }

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sorted-serve-\(UUID().uuidString)")
    defer { if sample { try? FileManager.default.removeItem(at: folder) } }
    let shared = try sync.map { try store.sharedInbox($0, token, user: remote.user) }
    let stores = try sample ? Failure.explained { try WebSample.stores(in: folder) } : webStores(shared?.container)
    var options = WebOptions(
      host: host, port: port, hasAccounts: accounts, files: stores.files, names: name, tls: tls,
      links: HTTPLinkClient(), trustedProxies: trustedProxy)
    options.meaning = try Failure.explained { try MeaningModel.installed() }
    let coordinator: (any InboxSync)? =
      if let shared { await SharedInboxCoordinator(shared) } else { try await coordinator(stores.inbox) }
    let syncing = coordinator.map { coordinator in Task { await coordinator.run(interval: 2) } }
    defer { syncing?.cancel() }
    let worker = AssistWorker(container: stores.inbox, meaning: options.meaning)
    let classification = Task { await worker.run() }
    defer { classification.cancel() }
    do {
      let server = try await SortedWebServer(inbox: stores.inbox, own: stores.own, options: options, sync: coordinator)
      try await server.run { port in
        Announcement(host: host, port: port, token: server.token, isEncrypted: tls != nil, hasAccounts: accounts)
          .write()
      }
    } catch {
      throw Failure.of(error)
    }
  }

  private var tls: TLSFiles? {
    guard let tlsCertificate, let tlsKey else { return nil }
    return TLSFiles(certificates: URL(fileURLWithPath: tlsCertificate), privateKey: URL(fileURLWithPath: tlsKey))
  }

  /// - Parameter shared: the inbox, where it is open already.
  private func webStores(_ shared: ModelContainer?) throws -> WebSample.Stores {
    let inbox = try shared ?? store.container()
    let own = try store.webContainer()
    let place = files.map { URL(fileURLWithPath: $0) } ?? store.webFiles
    return (inbox, own, place)
  }

  @MainActor
  private func coordinator(_ container: ModelContainer) throws -> BackgroundSyncCoordinator? {
    guard remote.remote != nil || remote.user != nil else { return nil }
    let database = try Failure.explained { try remote.database() }
    return BackgroundSyncCoordinator(
      container: container, database: database, userID: try Failure.explained { try remote.userID(of: container) },
      reachability: remote.reachability(of: database))
  }
}
