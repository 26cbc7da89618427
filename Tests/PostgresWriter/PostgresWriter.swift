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

/// One of several programs that write the same conversations: `PostgresWriter URL NAMESPACE NAME SECONDS`.
///
/// Each message is a save of its own. `+NAME.NUMBER` on a line says that it was acknowledged, `?NAME.NUMBER` that it was
/// refused and that nobody knows more.
@main struct PostgresWriter {
  static let conversations = 5

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let seconds = Double(arguments[4]) else {
      throw CocoaError(.coderValueNotFound)
    }
    let configuration = PostgresConfiguration(
      url: arguments[1], namespace: arguments[2], pool: PostgresPoolOptions(size: 2))
    var container: ModelContainer?
    let end = Date(timeIntervalSinceNow: seconds)
    var number = 0
    while Date() < end {
      number += 1
      let name = "\(arguments[3]).\(number)"
      do {
        let open = try container ?? ModelContainer(for: SharedConversation.self, configurations: configuration)
        container = open
        try write(name, number, arguments[3], ModelContext(open))
        FileHandle.standardOutput.write(Data("+\(name)\n".utf8))
      } catch {
        FileHandle.standardOutput.write(Data("?\(name)\n".utf8))
        FileHandle.standardError.write(Data("\(name): \(String(reflecting: error))\n".utf8))
      }
    }
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
