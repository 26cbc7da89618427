/// The words after a command's name: `--name value`, and flags without a value.
///
/// A parser of its own, because the library's package would otherwise resolve swift-argument-parser for each client.
struct Arguments {
  private var words: [String]

  init(_ words: [String]) { self.words = words }

  /// Takes an option and its value off the words.
  /// - Returns: nil where the option was not given.
  /// - Throws: `UsageError` where the value is missing or of another type.
  mutating func value<Value: LosslessStringConvertible>(_ name: String) throws -> Value? {
    guard let index = words.firstIndex(of: "--\(name)") else { return nil }
    guard index + 1 < words.count, let value = Value(words[index + 1]) else {
      throw UsageError("--\(name) takes a value of type \(Value.self)")
    }
    words.removeSubrange(index...index + 1)
    return value
  }

  /// Takes an option that has to be given.
  mutating func required<Value: LosslessStringConvertible>(_ name: String) throws -> Value {
    guard let value: Value = try value(name) else { throw UsageError("--\(name) is missing") }
    return value
  }

  /// Takes a flag off the words.
  mutating func flag(_ name: String) -> Bool {
    guard let index = words.firstIndex(of: "--\(name)") else { return false }
    words.remove(at: index)
    return true
  }

  /// - Throws: `UsageError` where a word is left that no command asked for.
  func finish() throws {
    if let word = words.first { throw UsageError("unknown: \(word)") }
  }
}

/// The command line is wrong.
struct UsageError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The reason was printed where it was known.
struct ReportedFailure: Error {}

/// One of the program's commands.
protocol Command {
  static var name: String { get }
  /// Its options, for the list of commands; nil where another command starts it.
  static var usage: String? { get }
  init(_ arguments: inout Arguments) throws
  func run() throws
}

extension Command {
  static var usage: String? { nil }
}
