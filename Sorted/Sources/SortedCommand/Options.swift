import ArgumentParser
import FirestoreClient
import Foundation
import Sorted
import SortedWeb
import SwiftData
import SwiftDataPostgres

/// How to print: what every command takes.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON.")
  var json = false

  /// Prints a value as JSON, or what `text` makes of it.
  func print<T: Encodable>(_ value: T, _ text: (TextRendering) -> String) throws {
    guard json else { return Swift.print(text(TextRendering(width: Terminal.width))) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    Swift.print(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}

extension OutputOptions {
  /// Prints one of many values: a line of JSON, or of text, at once, whoever reads it.
  func printLine<T: Encodable>(_ value: T, _ text: () -> String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    let line = json ? try encoder.encode(value) : Data(text().utf8)
    FileHandle.standardOutput.write(line + Data("\n".utf8))
  }
}

/// Where the store is.
struct StoreOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The file of the store, or postgres://user@host/database. (default: sorted/sorted.store in $XDG_DATA_HOME, or in"
        + " ~/.local/share)", valueName: "file"
    ))
  var store: String?

  /// The URL of a server; nil where the store is a file.
  private var server: String? {
    store.flatMap { Self.isServer($0) ? $0 : nil }
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

  private var url: URL { store.map { URL(fileURLWithPath: $0) } ?? SortedContainer.defaultURL }

  /// Opens the store, made if it is not there.
  func container() throws -> ModelContainer {
    if let server { return try Failure.explained { try Self.container(at: server) } }
    let container = try Failure.explained { try SortedContainer.open(url) }
    for summary in container.migrations where !summary.isEmpty { Terminal.note("\(summary)\n") }
    return container
  }

  /// Opens what the web keeps beside the inbox.
  func webContainer() throws -> ModelContainer {
    try Failure.explained {
      guard let server else { return try WebSchema.open(URL(fileURLWithPath: url.path + "-web")) }
      let configuration = PostgresConfiguration("web", url: server, namespace: "sorted_web")
      return try ModelContainer(for: Schema(versionedSchema: WebSchema.self), configurations: configuration)
    }
  }

  /// Where attached files are kept unless told.
  var webFiles: URL {
    URL(fileURLWithPath: (server == nil ? url : SortedContainer.defaultURL).path + "-files")
  }

  /// Runs something on the inbox of an existing store.
  func withInbox<T>(_ body: (InboxService) throws -> T) throws -> T {
    try withContext { try body(InboxService(context: $0)) }
  }

  /// Runs something on a context of an existing store.
  func withContext<T>(_ body: (ModelContext) throws -> T) throws -> T {
    guard server != nil || FileManager.default.fileExists(atPath: url.path) else {
      throw Failure("there is no store at \(url.path); `sorted import` makes one")
    }
    let context = ModelContext(try container())
    return try Failure.explained { try body(context) }
  }
}

/// What went wrong, for a reader of a terminal.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// Turns the errors of the data layer into failures with their own words.
  static func explained<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch {
      throw of(error)
    }
  }

  /// An error in words for a reader of a terminal; one that has none stays as it is.
  static func of(_ error: any Error) -> any Error {
    switch error {
    case let error as SwiftDataError: Failure(error.description)
    case let error as FirestoreError: Failure(error.description)
    case DataLayerError.invalidData(let details): Failure(details)
    case let error as any LocalizedError: Failure(error.localizedDescription)
    default: error
    }
  }
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

  /// Writes to standard error, so that standard output stays what a program can read.
  static func note(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
