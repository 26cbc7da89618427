import Foundation
import NIOCore
import Sorted
import SortedWeb

/// Serves the web pages over a sample inbox, which it deletes afterwards (`make run`). It is built without TLS, sync, PostgreSQL and previews
/// of links, which take a third of the time of a first build.
@main
struct SortedDemo {
  static func main() async {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sorted-demo-\(UUID().uuidString)")
    let argument = CommandLine.arguments.dropFirst().first ?? "8080"
    guard let port = Int(argument), (1...65_535).contains(port) else {
      fail("\"\(argument)\" is not a port. Give a number from 1 to 65535: make run PORT=9000")
    }
    do {
      defer { try? FileManager.default.removeItem(at: folder) }
      try await serve(folder, port)
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
      fail("Port \(port) is in use. Choose another one: make run PORT=9000")
    } catch {
      fail((error as? any LocalizedError)?.errorDescription ?? "\(error)")
    }
  }

  private static func serve(_ folder: URL, _ port: Int) async throws {
    let stores = try WebSample.stores(in: folder)
    let classification = Task { await AssistWorker(container: stores.inbox, meaning: nil).run() }
    defer { classification.cancel() }
    let options = WebOptions(port: port, files: stores.files)
    let server = try await SortedWebServer(inbox: stores.inbox, own: stores.own, options: options)
    try await server.run { port in
      Announcement(host: options.host, port: port, token: server.token, isEncrypted: false, hasAccounts: false).write()
    }
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("sorted-demo: \(message)\n".utf8))
    exit(1)
  }
}
