import ArgumentParser
import FirestoreServer
import Foundation

struct FirestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firestore",
    abstract: "Serve Firestore's REST API on this machine, so that no account is needed. Ctrl-C ends it.",
    discussion: """
      Clients find it by FIRESTORE_EMULATOR_HOST. It asks nobody who they are: keep it on 127.0.0.1.

      EXAMPLE
        sorted firestore --port 8080
      """)

  @Option(help: "The port; 0 takes a free one.")
  var port = 8080

  @Option(help: "The address to listen at.")
  var host = "127.0.0.1"

  @Option(help: ArgumentHelp("The file of the documents; without it they are kept in memory.", valueName: "file"))
  var store: String?

  func run() async throws {
    let server = try Failure.explained {
      try FirestoreServer(store: store.map { URL(fileURLWithPath: $0) }, host: host, port: port)
    }
    let address = host
    try await server.run { port in
      // Not print, which keeps it back where nobody is at the terminal.
      FileHandle.standardOutput.write(Data("FIRESTORE_EMULATOR_HOST=\(address):\(port)\n".utf8))
    }
  }
}
