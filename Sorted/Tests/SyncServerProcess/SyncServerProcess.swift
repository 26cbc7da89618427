import Foundation
import SyncServer

/// A sync server in a process of its own, for tests that kill it: `SyncServerProcess STORE KEYS PORT` prints its port.
@main
enum SyncServerProcess {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let service = try SyncService(store: arguments[1], keys: try await TokenKeys(file: arguments[2]))
    try await service.run(port: Int(arguments[3]) ?? 0) { port in
      print(port)
      fflush(nil)
    }
  }
}
