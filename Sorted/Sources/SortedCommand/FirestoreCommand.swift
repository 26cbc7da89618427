import ArgumentParser
import FirestoreServer
import Foundation

struct FirestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firestore",
    abstract: "Serve Firestore's and Firebase Storage's REST API on this machine. Ctrl-C ends it.",
    discussion: """
      Set FIRESTORE_EMULATOR_HOST and FIREBASE_STORAGE_EMULATOR_HOST for clients.
      The server does not check signatures: keep it on 127.0.0.1.

      EXAMPLE
        sorted firestore --port 8080 --store documents.store
        sorted firestore --store postgres://localhost/documents --files ~/firestore-files
      """)

  @Option(help: "The port. 0 chooses a free one.")
  var port = 8080

  @Option(help: "The address to listen at.")
  var host = "127.0.0.1"

  @Option(
    help: ArgumentHelp(
      "The file of the documents, or postgres://user@host/database. (default: in memory)",
      valueName: "file"))
  var store: String?

  @Option(
    help: ArgumentHelp(
      "The folder of uploaded files. Required with PostgreSQL. (default: next to the file of the documents)",
      valueName: "folder"))
  var files: String?

  @Option(
    help: ArgumentHelp(
      "The access rules: lines with a path, readers and writers. Without rules, every client may read and write.",
      valueName: "file"))
  var rules: String?

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("--port is 0 to 65535") }
    guard (store.map(StoreOptions.isServer) ?? false) == (files != nil) else {
      throw ValidationError("--files belongs to a --store that begins with postgres://, which needs it")
    }
  }

  func run() async throws {
    let server = try Failure.explained {
      let rules = try rules.map { try String(contentsOfFile: $0, encoding: .utf8) }
      guard let store, let files else {
        return try FirestoreServer(store: store.map { URL(fileURLWithPath: $0) }, rules: rules, host: host, port: port)
      }
      return try FirestoreServer(
        postgres: store, files: URL(fileURLWithPath: files), rules: rules, host: host, port: port)
    }
    let address = host
    try await server.run { port in
      // `print` buffers its output if it is not a terminal.
      let names = ["FIREBASE_STORAGE_EMULATOR_HOST", "FIRESTORE_EMULATOR_HOST"]
      let lines = names.map { "\($0)=\(address):\(port)\n" }.joined()
      FileHandle.standardOutput.write(Data(lines.utf8))
    }
  }
}
