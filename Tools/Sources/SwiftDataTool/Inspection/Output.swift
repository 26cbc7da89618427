import ArgumentParser
import Foundation

/// How a command prints its result.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON.")
  var json = false

  func print(_ value: some Encodable, text: () throws -> String) throws {
    guard json else { return Swift.print(try text()) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    Swift.print(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}

/// Shows the progress of a command on standard error, if that is a terminal.
struct ProgressBar {
  private let isShown = isatty(STDERR_FILENO) == 1
  private let width = 30

  func show(_ name: String, _ done: Int, _ count: Int) {
    guard isShown, count > 0 else { return }
    let filled = width * done / count
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
    FileHandle.standardError.write(Data("\r[\(bar)] \(done)/\(count) \(name.prefix(40))\u{1B}[K".utf8))
    if done == count { FileHandle.standardError.write(Data("\n".utf8)) }
  }
}
