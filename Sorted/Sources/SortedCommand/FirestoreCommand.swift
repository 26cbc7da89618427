import ArgumentParser
import FirestoreServer
import Foundation

struct FirestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firestore",
    abstract: "Serve Firestore's and Firebase Storage's REST API on this machine. Ctrl-C ends it.",
    discussion: """
      Clients find it by FIRESTORE_EMULATOR_HOST and FIREBASE_STORAGE_EMULATOR_HOST. It checks no signatures: keep it on 127.0.0.1.

      EXAMPLE
        sorted firestore --port 8080 --store documents.store
        sorted firestore --store postgres://localhost/documents --files ~/firestore-files
      """)

  @Option(help: "The port; 0 takes a free one.")
  var port = 8080

  @Option(help: "The address to listen at.")
  var host = "127.0.0.1"

  @Option(
    help: ArgumentHelp(
      "The file of the documents, or postgres://user@host/database; without it they are kept in memory.",
      valueName: "file"))
  var store: String?

  @Option(
    help: ArgumentHelp(
      "The folder for files where the documents are in PostgreSQL; else it is beside the file of the documents.",
      valueName: "folder"))
  var files: String?

  @Option(
    help: ArgumentHelp(
      "Who may read and write what: lines of a path, readers and writers. Without it everybody may do everything.",
      valueName: "file"))
  var rules: String?

  func validate() throws {
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
      // Not print, which keeps it back where nobody is at the terminal.
      let names = ["FIREBASE_STORAGE_EMULATOR_HOST", "FIRESTORE_EMULATOR_HOST"]
      let lines = names.map { "\($0)=\(address):\(port)\n" }.joined()
      FileHandle.standardOutput.write(Data(lines.utf8))
    }
  }
}
