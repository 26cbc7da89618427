import ArgumentParser
import CommandLineSupport
import FirestoreProtocol
import Foundation
import Sorted
import SortedWeb
import SwiftData
import SwiftDataPostgres

/// The output options of every command.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON.")
  var json = false

  /// Prints a value as JSON or as text.
  func print<T: Encodable>(_ value: T, _ text: (TextRendering) -> String) throws {
    guard json else { return Swift.print(text(TextRendering(width: Terminal.width))) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    Swift.print(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}

extension OutputOptions {
  /// Prints one of many values as a line of JSON or text, unbuffered.
  func printLine<T: Encodable>(_ value: T, _ text: () -> String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    let line = json ? try encoder.encode(value) : Data(text().utf8)
    FileHandle.standardOutput.write(line + Data("\n".utf8))
  }
}

/// The options that select a store.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file of the store, or postgres://user@host/database. (default: SORTED_STORE, or sorted/sorted.store in"
        + " $XDG_DATA_HOME, or in ~/.local/share)", valueName: "file"
    ))
  var store: String?

  /// The store that the arguments or the environment name.
  private var place: String? { store ?? EnvironmentVariable.value("SORTED_STORE") }

  /// The URL of a server, or nil if the store is a file.
  private var server: String? {
    place.flatMap { Self.isServer($0) ? $0 : nil }
  }

  static func isServer(_ store: String) -> Bool {
    store.hasPrefix("postgres://") || store.hasPrefix("postgresql://")
  }

  static func configuration(ofServer url: String) -> PostgresConfiguration {
    PostgresConfiguration("sorted", url: url, namespace: "sorted")
  }

  private static func container(at server: String) throws -> ModelContainer {
    try ModelContainer(
      for: SortedContainer.schema, migrationPlan: SortedMigrationPlan.self,
      configurations: [configuration(ofServer: server)])
  }

  /// The file of the store; nil for a database server.
  var file: URL? { server == nil ? url : nil }

  private var url: URL { place.map { URL(fileURLWithPath: $0) } ?? SortedContainer.defaultURL }

  /// Opens the store, and creates it if it does not exist.
  func container() throws -> ModelContainer {
    if let server { return try Failure.explained { try Self.container(at: server) } }
    let container = try Failure.explained { try SortedContainer.open(url) }
    for summary in container.migrations where !summary.isEmpty { Terminal.note("\(summary)\n") }
    return container
  }

  /// Opens the web server's own store, next to the inbox.
  func webContainer() throws -> ModelContainer {
    try Failure.explained {
      guard let server else { return try WebSchema.open(URL(fileURLWithPath: url.path + "-web")) }
      let configuration = PostgresConfiguration("web", url: server, namespace: "sorted_web")
      return try ModelContainer(for: Schema(versionedSchema: WebSchema.self), configurations: configuration)
    }
  }

  /// The default folder of attached files.
  var webFiles: URL {
    URL(fileURLWithPath: (server == nil ? url : SortedContainer.defaultURL).path + "-files")
  }

  /// Runs an operation on the inbox of an existing store, and saves its changes.
  func withInbox<T>(_ body: (InboxService) throws -> T) throws -> T {
    try withContext { context in
      let result = try body(InboxService(context: context))
      try context.save()
      return result
    }
  }

  /// Runs an operation on a context of an existing store.
  func withContext<T>(_ body: (ModelContext) throws -> T) throws -> T {
    guard server != nil || FileManager.default.fileExists(atPath: url.path) else {
      throw Failure("there is no store at \(url.path); `sorted import` or `sorted new` makes one")
    }
    let context = ModelContext(try container())
    return try Failure.explained { try body(context) }
  }
}

/// An error message for a terminal.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// Converts errors of the data layer to failures with their messages.
  static func explained<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch {
      throw of(error)
    }
  }

  /// Converts an error to a failure with its message. An error without a message stays unchanged.
  static func of(_ error: any Error) -> any Error {
    switch error {
    case let error as SwiftDataError: Failure(error.description)
    case let error as FirestoreError: Failure(error.description)
    case DataLayerError.invalidData(let details): Failure(details)
    case let error as CocoaError where error.path != nil: Failure("\(error.path!): \(error.localizedDescription)")
    case let error as any LocalizedError: Failure(error.localizedDescription)
    default: error
    }
  }
}

extension CocoaError {
  /// The file that the error is about.
  fileprivate var path: String? { filePath ?? url?.relativePath }
}

/// The terminal, if there is one.
enum Terminal {
  static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  static var width: Int {
    var size = winsize()
    guard isatty(STDOUT_FILENO) == 1, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return 80
    }
    return Int(size.ws_col)
  }

  /// Writes to standard error, so that standard output stays machine-readable.
  static func note(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
