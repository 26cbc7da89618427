import BlockingTests
import Foundation
import Sorted
import SwiftData
import Testing

@Suite("The assistant's commands", .blocking) struct AssistCommandTests {
  private let folder: TemporaryFolder
  private let sorted: SortedProgram

  init() throws {
    folder = try TemporaryFolder()
    sorted = SortedProgram(dataHome: folder.url)
  }

  private func run(_ arguments: String...) throws -> SortedProgram.Run {
    try sorted.run(arguments + ["--store", folder.store.path])
  }

  private func json(_ run: SortedProgram.Run) throws -> [String: Any] {
    run.expectSuccess()
    return try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
  }

  private func importMessages() throws {
    let lines = [
      ("a", "dana", "We'd like to sponsor two videos, budget 4,500 EUR each. What are your rates?"),
      ("b", "eve", "Please call me right now, she is in the hospital!!"),
      ("c", "tom", "See you at six then"),
    ].map {
      #"{"conversation":"\#($0)","sender":"\#($1)","text":"\#($2)","createdAt":"2026-01-31T09:30:00Z","id":"1"}"#
    }
    let file = try folder.write("m.ndjson", lines.joined(separator: "\n"))
    try run("import", "ndjson", file.path).expectSuccess()
  }

  @Test("An import sorts its messages, and lists, reasons, corrections and the digest follow from that")
  func commands() throws {
    try importMessages()
    #expect(try run("list", "--category", "urgent").output.contains("hospital"))
    #expect(!(try run("list", "--category", "urgent").output.contains("six")))
    #expect(try run("list", "--sort", "opportunity").output.contains("sponsor"))
    let id = try #require(
      try folder.context().fetch(FetchDescriptor<MessageEntity>()).first { $0.text.contains("six") }?.id)
    let why = try json(run("assist", "--explain", id, "--json"))
    #expect(why["category"] as? String == "none")
    #expect((why["sentence"] as? String)?.hasPrefix("because ") == true)
    #expect(try run("assist", "--correct", id, "urgent").output == "\(id): urgent\n")
    #expect(try run("list", "--category", "urgent").output.contains("six"))
    #expect(try run("assist", "--explain", id).output.hasPrefix("urgent, 100 % sure, because you said so."))
    let digest = try run("digest", "--days", "36500")
    #expect(digest.output.hasPrefix("3 need an answer: 2 urgent, 1 business.\n"))
    let items = try #require(try json(run("digest", "--days", "36500", "--json"))["needAnswer"] as? [[String: Any]])
    #expect(items.count == 3)
  }

  @Test("A store that an older version filled is sorted by assist, all of it anew by --all")
  func older() throws {
    try importMessages()
    let context = try folder.context()
    try context.update(model: MessageEntity.self, set: .assign(\.assistVersion, 0))
    #expect(try json(run("assist", "--json"))["sorted"] as? Int == 3)
    #expect(try json(run("assist", "--json"))["sorted"] as? Int == 0)
    let all = try json(run("assist", "--all", "--json"))
    #expect(all["sorted"] as? Int == 3)
    #expect((all["categories"] as? [String: Int])?["urgent"] == 1)
  }

  @Test("A message, a category or a store that is not there is an error with the remedy")
  func errors() throws {
    #expect(try run("assist").errors.contains("there is no store"))
    try importMessages()
    #expect(try run("assist", "--explain", "nothing").errors.contains("there is no message \"nothing\""))
    #expect(
      try run("assist", "--correct", "x", "friend").errors.contains("give one of fan, business, spam, urgent, none"))
    #expect(try run("assist", "--correct", "x").status == 2)
  }
}
