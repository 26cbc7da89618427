import ArgumentParser
import Foundation

/// How a command prints its result.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print JSON.")
  var json = false

  func print(_ value: some Encodable, text: () throws -> String) throws {
    try StandardOutput.write(json ? try Self.text(of: value) : try text())
  }

  fileprivate static func text(of value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }
}

/// A list in JSON whose elements are printed as they come.
struct PrintedList {
  private var output = StandardOutput()
  /// The element that a comma or the end follows.
  private var last: String?

  /// - Throws: ``StandardOutput/Failure``, or an error of the encoder.
  mutating func add(_ element: some Encodable) throws {
    let text = try OutputOptions.text(of: element)
    try output.write(last.map { "\($0)," } ?? "[")
    last = "  " + text.replacing("\n", with: "\n  ")
  }

  /// Prints the rest.
  /// - Throws: ``StandardOutput/Failure``.
  mutating func finish() throws {
    if let last { try output.write("\(last)\n]") } else { try output.write("[]") }
    try output.flush()
  }
}

/// Buffered standard output. `print` ignores errors, so that a dump that a full disk cut off would look complete.
struct StandardOutput {
  struct Failure: Error, CustomStringConvertible {
    let code: Int32
    var description: String { "the output cannot be written: \(String(cString: strerror(code)))" }
  }

  private static let size = 1 << 16
  private var buffer: [UInt8] = []

  /// Writes a line alone.
  /// - Throws: ``Failure``.
  static func write(_ line: String) throws {
    var output = StandardOutput()
    try output.write(line)
    try output.flush()
  }

  mutating func write(_ line: String) throws {
    buffer += line.utf8
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= Self.size { try flush() }
  }

  /// Writes what is buffered.
  mutating func flush() throws {
    var done = 0
    while done < buffer.count {
      let count = buffer.withUnsafeBytes {
        Foundation.write(STDOUT_FILENO, $0.baseAddress! + done, $0.count - done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Failure(code: errno) }
      done += count
    }
    buffer.removeAll(keepingCapacity: true)
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
