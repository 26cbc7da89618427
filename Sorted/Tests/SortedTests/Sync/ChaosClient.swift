import ChildProcesses
import Foundation
import Sorted
import SwiftData
import Testing

/// One user of the chaos: a process that syncs all the time and one that writes, both of which may be killed at any moment.
// @unchecked Sendable because what changes is only touched under the lock.
final class ChaosClient: @unchecked Sendable {
  let user: String
  let store: URL
  private let clockOffset: Int
  private let sorted: SortedProgram
  private let remote: String
  private let lock = NSLock()
  private var watcher: SortedProgram.Started?
  private var writer: SortedProgram.Started?
  private var acknowledgedTexts = [String: String]()
  private var failure: String?

  init(_ user: String, _ folder: TemporaryFolder, clockOffset: Int, remotePort: Int) {
    self.user = user
    self.store = folder.url.appendingPathComponent("\(user).store")
    self.clockOffset = clockOffset
    self.sorted = SortedProgram(dataHome: folder.url)
    self.remote = "http://127.0.0.1:\(remotePort)"
  }

  /// Texts by the identifiers of the messages that the program said were stored.
  var acknowledged: [String: String] { lock.withLock { acknowledgedTexts } }
  /// What went wrong with writing, if anything did.
  var problem: String? { lock.withLock { failure } }

  func run(_ arguments: String...) throws -> SortedProgram.Run {
    try sorted.run(arguments + ["--store", store.path])
  }

  private var syncArguments: [String] {
    ["--user", user, "--remote", remote, "--clock-offset=\(clockOffset)", "--store", store.path, "--json"]
  }

  /// One sync, from its beginning to its end.
  func sync() throws -> SortedProgram.Run { try sorted.run(["sync"] + syncArguments) }

  func startSyncing() throws {
    let started = try sorted.start(["sync", "--watch", "--interval", "0.1"] + syncArguments)
    // Nobody reads what it prints otherwise, and it must not wait for that.
    Thread.detachNewThread { _ = started.process.text() }
    lock.withLock { watcher = started }
  }

  /// As a power failure does, to both processes.
  func kill() {
    let (watcher, writer) = lock.withLock { (self.watcher, self.writer) }
    watcher?.process.send(SIGKILL)
    writer?.process.send(SIGKILL)
    watcher?.process.wait()
  }

  /// Writes until so many messages are acknowledged, in processes of up to 25 each, and starts the next one where one is
  /// killed. Each text is written once.
  func write(_ count: Int, to conversation: String, permits: DispatchSemaphore) {
    var next = 0
    var done = 0
    do {
      while done < count {
        let lines = (next..<(next + min(25, count - done))).map { "\(user) \($0)" }
        next += lines.count
        for _ in lines { permits.wait() }
        let started = try sorted.start(
          ["send", conversation, "--lines", "--json", "--clock-offset=\(clockOffset)", "--store", store.path],
          input: lines.joined(separator: "\n") + "\n")
        lock.withLock { writer = started }
        let output = started.process.text()
        // A line that was cut off is no acknowledgement.
        let stored = output.split(separator: "\n", omittingEmptySubsequences: false)
          .dropLast().compactMap { try? JSONDecoder.dates.decode(MessageSummary.self, from: Data($0.utf8)) }
        lock.withLock { for message in stored { acknowledgedTexts[message.id] = message.text } }
        done += stored.count
        // What a killed writer did not get to is written by the next one, with other texts.
        for _ in 0..<(lines.count - stored.count) { permits.signal() }
        if case .exit(let status) = started.process.wait(), status != 0 {
          throw DataLayerError.saveFailed(try String(contentsOf: started.errors, encoding: .utf8))
        }
      }
    } catch {
      lock.withLock { failure = "\(error)" }
    }
  }

  /// Everything in the store that all stores have to agree on, in the order of the conversation.
  func messages(in conversation: String) throws -> [String] {
    let context = ModelContext(try SortedContainer.open(store))
    return try context.fetch(
      FetchDescriptor<MessageEntity>(
        predicate: #Predicate { $0.conversationID == conversation },
        sortBy: [SortDescriptor(\.createdAt), SortDescriptor(\.id)])
    ).map { message in
      ChaosClient.line(
        message.id, message.senderID, message.text, message.createdAt, message.status.rawValue, message.readBy)
    }
  }

  static func line(
    _ id: String, _ sender: String, _ text: String, _ createdAt: Date, _ status: String, _ readBy: [String]
  ) -> String {
    "\(id)|\(sender)|\(text)|\(Int64((createdAt.timeIntervalSince1970 * 1e6).rounded()))|\(status)|\(readBy.sorted())"
  }
}

extension JSONDecoder {
  static var dates: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }
}
