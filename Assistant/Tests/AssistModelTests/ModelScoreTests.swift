import AssistFixtures
import AssistModel
import Foundation
import Testing

@Suite("The shipped weights") struct ModelScoreTests {
  private func isHeldOut(_ text: String) -> Bool { Fold.of(text) == Fold.heldOut }

  /// The messages of the test half of `inbox.tsv` with their classifications.
  private func testHalf() throws -> [(message: LabelledMessage, found: Classification)] {
    let model = try MessageModel.shipped()
    var extractor = FeatureExtractor()
    return try AssistData.inbox().filter { Fold.isTest($0.text) }.map {
      ($0, model.classify(extractor.features(of: $0.text)))
    }
  }

  private func share<Element>(_ elements: [Element], _ isRight: (Element) -> Bool) -> Double {
    Double(elements.count(where: isRight)) / Double(elements.count)
  }

  @Test("Messages of the test half, which they have not seen, get the labels of Data/scores.md, nearly as often")
  func inbox() throws {
    let messages = try testHalf()
    #expect(messages.count > 300)
    #expect(share(messages) { $0.message.labels.kind == $0.found.kind } >= 0.74)
    let harmless = messages.filter { $0.message.labels.kind != .spam }
    #expect(share(harmless) { $0.found.kind == .spam } <= 0.01)
    #expect(share(harmless) { $0.message.labels.sentiment == $0.found.sentiment } >= 0.79)
    let urgent = messages.filter { $0.message.labels.kind == .urgent }
    #expect(share(urgent) { $0.found.kind == .urgent } >= 0.9)
    let spam = messages.filter { $0.message.labels.kind == .spam }
    #expect(share(spam) { $0.found.kind == .spam } >= 0.74)
    let business = messages.filter { $0.message.labels.opportunity != nil }
    #expect(share(business) { abs($0.message.labels.opportunity! - $0.found.opportunity) <= 15 } >= 0.82)
  }

  @Test("A stored answer is drafted for more than six in ten questions that it covers, and seldom without one")
  func drafts() throws {
    let matcher = QuestionMatcher(try AssistData.answers(), model: try MessageModel.shipped())
    var extractor = FeatureExtractor()
    let messages = try testHalf().filter { $0.found.kind != .spam }.map(\.message)
    let drafts = messages.map { ($0, matcher.match($0.text, &extractor)?.id) }
    #expect(share(drafts.filter { $0.0.asks != nil }) { $0.0.asks == $0.1 } >= 0.64)
    #expect(share(drafts.filter { $0.0.asks == nil }) { $0.1 != nil } <= 0.018)
  }

  @Test(
    "They say nothing about most messages of strangers, in SMS that did not train them",
    .enabled(if: AssistData.hasSMS, "the SMS Spam Collection is not beside the repository"))
  func silence() throws {
    let model = try MessageModel.shipped()
    var extractor = FeatureExtractor()
    let strangers = try AssistData.spam().filter { !$0.isSpam && isHeldOut($0.text) }
    let guessed = strangers.filter { model.classify(extractor.features(of: $0.text)).kind != .none }
    #expect(strangers.count > 800)
    #expect(Double(guessed.count) / Double(strangers.count) <= 0.15)
  }

  @Test("The test half is half of the inbox, and none of its texts is in the training data")
  func halves() throws {
    let inbox = try AssistData.inbox()
    let (test, training) = (inbox.filter { Fold.isTest($0.text) }, inbox.filter { !Fold.isTest($0.text) })
    #expect(inbox.count >= 600 && abs(test.count - training.count) < inbox.count / 10)
    let known = Set((try AssistData.messages() + AssistData.lessons() + AssistData.letters() + training).map(\.text))
    #expect(test.allSatisfy { !known.contains($0.text) })
    #expect(Set(inbox.map(\.language)) == ["en", "de", "es", "fr", "he"])
    #expect(Double(inbox.count(where: \.isHard)) / Double(inbox.count) > 0.3)
    let answers = Set(try AssistData.answers().map(\.id))
    #expect(inbox.compactMap(\.asks).allSatisfy(answers.contains))
  }

  /// The runs of five letters of a text.
  private func runs(_ text: String) -> Set<String> {
    let letters = Array(text.lowercased())
    return Set((0..<max(1, letters.count - 4)).map { String(letters[$0..<min(letters.count, $0 + 5)]) })
  }

  @Test(
    "The letters are in five languages, have hard ones in each, and are no messages of the test half in other words")
  func letters() throws {
    let letters = try AssistData.letters()
    #expect(letters.count > 1_600 && letters.count { $0.isInformed } < 300)
    for language in ["en", "de", "es", "fr", "he"] {
      let spoken = letters.filter { $0.language == language }
      #expect(spoken.count > 250 && spoken.count(where: \.isHard) > 50)
      #expect(Set(spoken.map(\.labels.kind)) == Set(Kind.allCases))
    }
    let answers = Set(try AssistData.answers().map(\.id))
    #expect(letters.compactMap(\.asks).allSatisfy(answers.contains))
    let test = try AssistData.inbox().filter { Fold.isTest($0.text) }.map { runs($0.text) }
    for letter in letters {
      let own = runs(letter.text)
      let isNear = test.contains { Double(own.intersection($0).count) >= 0.6 * Double(min(own.count, $0.count)) }
      #expect(!isNear, "\(letter.id)")
    }
  }

  @Test(
    "Spam among SMS that they have not seen is found with nearly the F1 of Data/scores.md",
    .enabled(if: AssistData.hasSMS, "the SMS Spam Collection is not beside the repository"))
  func spam() throws {
    let model = try MessageModel.shipped()
    var extractor = FeatureExtractor()
    var (found, invented, missed) = (0, 0, 0)
    for message in try AssistData.spam() where isHeldOut(message.text) {
      let isSpam = model.classify(extractor.features(of: message.text)).kind == .spam
      if isSpam && message.isSpam { found += 1 }
      if isSpam && !message.isSpam { invented += 1 }
      if !isSpam && message.isSpam { missed += 1 }
    }
    #expect(found > 100)
    #expect(2 * Double(found) / Double(2 * found + invented + missed) >= 0.96)
  }

  @Test("They have about a megabyte, and a file that is not theirs is refused")
  func file() throws {
    let data = try MessageModel.shipped().data
    #expect(data.count < 1_010_000)
    #expect(try MessageModel(data).data == data)
    #expect(throws: WeightsError.self) { try MessageModel(data.dropLast()) }
    #expect(throws: WeightsError.self) { try MessageModel(Data(repeating: 7, count: data.count)) }
  }

  @Test("The same messages train the same weights, byte by byte; another message trains others")
  func determinism() throws {
    let messages = Array(try AssistData.messages().prefix(40))
    let answers = try AssistData.answers()
    func train(_ messages: [LabelledMessage]) -> Data {
      var builder = ModelBuilder()
      return builder.build(messages, spam: [], answers: answers).data
    }
    let first = train(messages)
    #expect(train(messages) == first)
    #expect(train(Array(messages.dropLast())) != first)
  }

  @Test("The two passes over our messages agree on nearly all categories")
  func agreement() throws {
    let messages = try AssistData.messages() + AssistData.inbox()
    #expect(messages.count >= 600)
    #expect(Set(messages.map(\.id)).count == messages.count)
    #expect(Set(messages.map(\.text)).count == messages.count)
    #expect(Double(messages.count { $0.first.kind == $0.second.kind }) / Double(messages.count) > 0.95)
  }
}
