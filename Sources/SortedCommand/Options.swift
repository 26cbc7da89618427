import ArgumentParser
import Foundation
import Sorted
import SwiftData

/// Where the store is and how to print: what every command takes.
struct InboxOptions: ParsableArguments {
  @Option(help: "The file of the store. Default: sorted.store in the user's data folder.")
  var store: String?

  @Flag(help: "Print JSON.")
  var json = false

  /// Opens the store, made if it is not there.
  func container() throws -> ModelContainer {
    try Failure.explained { try SortedContainer.open(store.map { URL(fileURLWithPath: $0) }) }
  }

  /// Runs something on the inbox of an existing store.
  func withInbox<T>(_ body: (InboxService) throws -> T) throws -> T {
    if let store, !FileManager.default.fileExists(atPath: store) {
      throw Failure("there is no store at \(store); `sorted import` makes one")
    }
    let context = ModelContext(try container())
    return try Failure.explained { try body(InboxService(context: context)) }
  }

  /// Prints a value as JSON, or what `text` makes of it.
  func output<T: Encodable>(_ value: T, _ text: (TextRendering) -> String) throws {
    guard json else { return print(text(TextRendering(width: Terminal.width))) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    print(String(decoding: try encoder.encode(value), as: UTF8.self))
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
    } catch let error as SwiftDataError {
      throw Failure(error.description)
    } catch let error as DataLayerError {
      switch error {
      case .invalidData(let details): throw Failure(details)
      default: throw Failure(error.localizedDescription)
      }
    } catch let error as CocoaError {
      throw Failure(error.localizedDescription)
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
