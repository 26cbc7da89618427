import ArgumentParser
import FirestoreClient
import Foundation
import Sorted
import SortedWeb
import SwiftData
import SwiftDataPostgres

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Show the inbox in a web browser. Ctrl-C ends it.",
    discussion: """
      Open the address that it prints: its token signs this browser in. With
      --remote the inbox is kept in sync all the while. With --accounts others
      sign up, and see the conversations that they take part in.

      EXAMPLE
        sorted serve --sample
        sorted serve --store inbox.store --port 8080
      """)

  @Option(help: "The port; 0 takes a free one.")
  var port = 8080

  @Option(
    help: "The address to listen at. There is no encryption: keep it on this machine, or behind a proxy that has it.")
  var host = "127.0.0.1"

  @Flag(help: "Show a generated inbox, which is gone afterwards.")
  var sample = false

  @Flag(help: "Let people sign up.")
  var accounts = false

  @Option(help: ArgumentHelp("Where attached files are kept. (default: beside the store)", valueName: "folder"))
  var files: String?

  @OptionGroup var remote: RemoteOptions
  @OptionGroup var store: StoreOptions

  func validate() throws {
    guard !sample || store.store == nil else { throw ValidationError("--sample makes a store of its own") }
    guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535") }
  }

  func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sorted-serve-\(UUID().uuidString)")
    defer { if sample { try? FileManager.default.removeItem(at: folder) } }
    let stores = try sample ? sampleStores(folder) : webStores()
    let options = WebOptions(host: host, port: port, hasAccounts: accounts, files: stores.files)
    let coordinator = try await coordinator(stores.inbox)
    let syncing = coordinator.map { coordinator in Task { await coordinator.run(interval: 2) } }
    defer { syncing?.cancel() }
    do {
      let server = try await SortedWebServer(inbox: stores.inbox, own: stores.own, options: options, sync: coordinator)
      try await server.run { port in announce(port, server.token) }
    } catch {
      throw Failure.of(error)
    }
  }

  private typealias Stores = (inbox: ModelContainer, own: ModelContainer, files: URL)

  private func sampleStores(_ folder: URL) throws -> Stores {
    try Failure.explained {
      let inbox = try SortedContainer.open(folder.appendingPathComponent("inbox.store"))
      try WebSample.fill(ModelContext(inbox))
      return (
        inbox, try WebSchema.open(folder.appendingPathComponent("web.store")), folder.appendingPathComponent("files")
      )
    }
  }

  private func webStores() throws -> Stores {
    let inbox = try store.container()
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

  private func announce(_ port: Int, _ token: String) {
    let shown = host.contains(":") ? "[\(host)]" : host
    let lines = """
      Your inbox is at

        http://\(shown):\(port)/?token=\(token)

      Open it in a browser: click a conversation to read it, write below it and press Enter;
      the icons beside each conversation pin, mute, archive and delete it, and ? shows the keys.
      \(accounts ? "Others sign up at http://\(shown):\(port)/sign-up\n" : "")Ctrl-C ends it.

      """
    // Not print, which keeps it back where nobody is at the terminal.
    FileHandle.standardOutput.write(Data(lines.utf8))
  }
}
