import ChildProcesses
import Foundation
import SwiftDataPostgres
import Testing

/// Several `PostgresWriter`s that write to one store, each a process of its own.
final class Writers {
  /// What a writer said of one save.
  struct Line {
    let name: String
    let isAcknowledged: Bool
    /// In seconds since 1970.
    let time: Double
  }

  private var processes: [(process: ChildProcess, output: URL)] = []
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Writers-\(UUID().uuidString)")
  /// The writers end when it is gone.
  private var mark: URL { folder.appendingPathComponent("writing") }

  /// The writers write until ``finish()``.
  init(_ count: Int, url: String, _ namespace: String) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    _ = FileManager.default.createFile(atPath: mark.path, contents: nil)
    // The program is beside the tests.
    let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("PostgresWriter")
    for number in 0..<count {
      let output = folder.appendingPathComponent("\(number)")
      _ = FileManager.default.createFile(atPath: output.path, contents: nil)
      let errors = folder.appendingPathComponent("\(number).errors")
      _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
      let files = [try FileHandle(forWritingTo: output), try FileHandle(forWritingTo: errors)]
      defer { withExtendedLifetime(files) {} }
      let process = try ChildProcess(
        program.path, [url, namespace, "w\(number)", mark.path], output: .descriptor(files[0].fileDescriptor),
        errors: .descriptor(files[1].fileDescriptor))
      processes.append((process, output))
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// What they said so far.
  func lines() throws -> [Line] {
    let lines = try processes.flatMap { try String(contentsOf: $0.output, encoding: .utf8).split(separator: "\n") }
    return lines.compactMap { line in
      let words = line.dropFirst().split(separator: " ")
      guard words.count == 2, let time = Double(words[1]) else { return nil }
      return Line(name: String(words[0]), isAcknowledged: line.hasPrefix("+"), time: time)
    }
  }

  /// What they wrote to the standard error: the errors of refused saves.
  func errors() throws -> String {
    try processes.map { try String(contentsOf: $0.output.appendingPathExtension("errors"), encoding: .utf8) }
      .joined()
  }

  /// Lets them write for some seconds, and on a busy machine for longer: until so many further saves are acknowledged.
  /// - Parameter disturb: called again and again. Between two calls a writer says something.
  func write(for seconds: Double, acknowledging count: Int, _ disturb: () -> Void = {}) throws {
    let (end, goal) = (Date(timeIntervalSinceNow: seconds), try lines().acknowledged.count + count)
    while try Date() < end || lines().acknowledged.count < goal {
      let before = try lines().count
      disturb()
      while try lines().count == before {
        try Task.checkCancellation()
        Thread.sleep(forTimeInterval: 0.02)
      }
    }
  }

  /// Ends the writers.
  /// - Returns: all that they said.
  func finish() throws -> [Line] {
    try? FileManager.default.removeItem(at: mark)
    for (process, _) in processes { process.wait() }
    return try lines()
  }
}

extension [Writers.Line] {
  /// The names of the saves with each outcome.
  var acknowledged: [String] { filter(\.isAcknowledged).map(\.name) }
  var refused: [String] { filter { !$0.isAcknowledged }.map(\.name) }

  /// Checks that each acknowledged save is in the store once, and once in the history, and that nothing else is there but
  /// saves whose outcome was reported as unknown.
  func expectExactlyOnce(in store: TestStore, at location: SourceLocation = #_sourceLocation) throws {
    let unknown = Set(refused)
    let texts = try store.sql("SELECT text FROM \"SharedMessage\"")
    let stored = (0..<texts.count).compactMap { texts.text($0, 0) }
    #expect(Set(stored).count == stored.count, sourceLocation: location)
    #expect(Set(acknowledged).subtracting(stored).isEmpty, "acknowledged and not there", sourceLocation: location)
    #expect(
      Set(stored).subtracting(acknowledged).subtracting(unknown).isEmpty, "there and never written",
      sourceLocation: location)
    // One transaction of the history for each, numbered without a gap, and none twice.
    let saves = try store.sql("SELECT author, id FROM _swiftdata_history ORDER BY id")
    #expect((0..<saves.count).compactMap { saves.text($0, 0) }.sorted() == stored.sorted(), sourceLocation: location)
    #expect(
      (0..<saves.count).map { saves.integer($0, 1) } == (1...).prefix(saves.count).map { Int64($0) },
      sourceLocation: location)
    // The fifth message of a writer is in the same conversation as its tenth. A busy machine may not come so far.
    let conversations = Set(stored.compactMap { $0.split(separator: ".").last.flatMap { Int($0) } }.map { $0 % 5 })
    #expect(
      try store.sql("SELECT 1 FROM \"SharedConversation\"").count == conversations.count, sourceLocation: location)
    #expect(
      try store.sql("SELECT 1 FROM \"SharedMessage\" WHERE conversation IS NULL").count == 0, sourceLocation: location)
    print("\(acknowledged.count) saves acknowledged, \(unknown.count) unknown")
  }
}
