import FaultyFiles
import Foundation
import Logging
import Sorted
import SwiftData

/// The disk is full, or fails, during an import: chunks that were saved stay, and the same import brings the rest.
///
/// A process of its own, because the calls that fail take the place of the C library's in all of it.
///
///     ImportFaults EVERY   EVERY is every how many of the calls fails
@main
enum ImportFaults {
  private static let count = 300

  static func main() {
    LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
    let every = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("import-faults-\(UUID().uuidString)").resolvingSymlinksInPath()
    do {
      let refused = try run(in: folder, every: every)
      try FileManager.default.removeItem(at: folder)
      print("\(refused) imports failed, and each was finished by the same import")
    } catch {
      print("FAILED: \(error)\n  in \(folder.path)")
      exit(EXIT_FAILURE)
    }
  }

  /// - Returns: how many imports failed.
  private static func run(in folder: URL, every: Int) throws -> Int {
    // What is put into the folder itself is not looked at.
    let watched = folder.appendingPathComponent("watched")
    try FileManager.default.createDirectory(at: watched, withIntermediateDirectories: true)
    let archive = folder.appendingPathComponent("archive.ndjson")
    let lines = (0..<count).map {
      "{\"id\": \"\($0)\", \"conversation\": \"c\($0 % 5)\", \"sender\": \"s\($0 % 7)\", \"text\": \"message \($0)\","
        + " \"createdAt\": \(1_700_000_000 + $0)}"
    }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: archive)
    faulty_watch(watched.path)
    var refused = 0
    for fault in Fault.all {
      var skipped = 0
      while try fails(fault, skipped, archive, watched.appendingPathComponent("store")) {
        refused += 1
        // Where not each is asked for, calls that come late fail less often.
        skipped += every == 1 ? 1 : every * (1 + skipped / 20)
      }
    }
    return refused
  }

  /// - Returns: whether a call failed.
  private static func fails(_ fault: Fault, _ skipped: Int, _ archive: URL, _ place: URL) throws -> Bool {
    try? FileManager.default.removeItem(at: place)
    let url = place.appendingPathComponent("inbox.store")
    func run() throws {
      _ = try ImportSession(container: try SortedContainer.open(url), chunkSize: 50).run(NDJSONReader(path: archive))
    }
    let outcome = fault.during(skipped, run)
    if let error = outcome.error { try fault.require(error) }
    try run()
    let context = ModelContext(try SortedContainer.open(url))
    let texts = Set(try context.fetch(FetchDescriptor<MessageEntity>()).map(\.text))
    guard texts == Set((0..<count).map { "message \($0)" }) else {
      throw Difference("\(fault.name) after \(skipped) calls of an import: \(texts.count) of \(count) messages")
    }
    return outcome.fired
  }
}

/// A way for a call to fail.
private struct Fault {
  let name: String
  let kinds: UInt32
  let error: Int32
  /// Whether all later calls fail too, until somebody mends it.
  let persists: Bool

  static let all = [
    Fault(name: "disk full", kinds: UInt32(faulty_write | faulty_mkdir), error: ENOSPC, persists: true),
    Fault(name: "write error", kinds: UInt32(faulty_write), error: EIO, persists: false),
    Fault(name: "sync error", kinds: UInt32(faulty_sync), error: EIO, persists: false),
  ]

  /// Runs something in which the call after `skipped` others fails.
  /// - Returns: the error that came of it, and whether a call failed at all.
  func during(_ skipped: Int, _ body: () throws -> Void) -> (error: (any Error)?, fired: Bool) {
    faulty_arm(kinds, Int64(skipped), error, persists ? 1 : 0)
    do {
      try body()
      return (nil, faulty_disarm() > 0)
    } catch {
      return (error, faulty_disarm() > 0)
    }
  }

  /// Whether an error says what went wrong to somebody who knows nothing of SQLite.
  func require(_ error: any Error) throws {
    guard let error = error as? SwiftDataError else { throw Difference("\(name): \(error) is no SwiftDataError") }
    // What connections share cannot grow; SQLite does not say why.
    if error.code.description == "storeFull", error.description.contains("or fails") { return }
    let codes: Set<String> = self.error == ENOSPC ? ["storeFull"] : ["io", "storeReadOnly", "storeLocked"]
    guard codes.contains(error.code.description) else { throw Difference("\(name): \(error.debugDescription)") }
  }
}

private struct Difference: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
