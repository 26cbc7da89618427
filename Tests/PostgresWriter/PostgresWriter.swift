import Foundation
import SwiftData
import SwiftDataPostgres

@Model final class SharedConversation {
  @Attribute(.unique) var number: Int
  var saves = 0
  var lastWriter = ""
  @Relationship(deleteRule: .cascade, inverse: \SharedMessage.conversation) var messages: [SharedMessage] = []
  init(_ number: Int) { self.number = number }
}

@Model final class SharedMessage {
  @Attribute(.unique) var text: String
  var conversation: SharedConversation?
  init(_ text: String, _ conversation: SharedConversation?) {
    self.text = text
    self.conversation = conversation
  }
}

/// One of several programs that write the same conversations: `PostgresWriter URL NAMESPACE NAME END`, where END is a number of
/// seconds, or a file: the program writes as long as it exists.
///
/// Each message is a save of its own. `+NAME.NUMBER TIME` on a line says that it was acknowledged, and when, in seconds since
/// 1970; `?NAME.NUMBER TIME` that it was refused and that its outcome is unknown.
@main struct PostgresWriter {
  static let conversations = 5

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5 else { throw CocoaError(.coderValueNotFound) }
    let configuration = PostgresConfiguration(
      url: arguments[1], namespace: arguments[2],
      pool: PostgresPoolOptions(size: 2, timeout: .seconds(600), answerTimeout: .seconds(1)))
    var container: ModelContainer?
    let end = Double(arguments[4]).map { Date(timeIntervalSinceNow: $0) }
    func isOver() -> Bool { end.map { Date() >= $0 } ?? !FileManager.default.fileExists(atPath: arguments[4]) }
    var number = 0
    while !isOver() {
      number += 1
      let name = "\(arguments[3]).\(number)"
      do {
        let open = try container ?? ModelContainer(for: SharedConversation.self, configurations: configuration)
        container = open
        try write(name, number, arguments[3], ModelContext(open))
        report("+", name)
      } catch {
        report("?", name)
        FileHandle.standardError.write(Data("\(name): \(String(reflecting: error))\n".utf8))
      }
    }
  }

  private static func report(_ outcome: String, _ name: String) {
    let line = "\(outcome)\(name) \(String(format: "%.3f", Date().timeIntervalSince1970))\n"
    FileHandle.standardOutput.write(Data(line.utf8))
  }

  private static func write(_ name: String, _ number: Int, _ writer: String, _ context: ModelContext) throws {
    context.author = name
    let wanted = number % conversations
    let found = try context.fetch(
      FetchDescriptor<SharedConversation>(predicate: #Predicate { $0.number == wanted }))
    let conversation = found.first ?? SharedConversation(wanted)
    if found.isEmpty { context.insert(conversation) }
    conversation.lastWriter = writer
    context.insert(SharedMessage(name, conversation))
    try context.save()
  }
}
