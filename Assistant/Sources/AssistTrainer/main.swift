import AssistModel
import Foundation

// usage: assist-trainer [--check | --tune]
//
// Trains the weights of Sorted's assistant, scores them, and writes the weights and the scores. With --check it writes nothing, and
// fails if the recipe gives other weights than the weights in the repository. With --tune it writes nothing and scores the cross-validation of
// the training data alone, so that nothing is tuned on the test half.

/// The folder Assistant/ of the repository.
let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()
let weights = package.appendingPathComponent("Sources/AssistModel/Weights/weights.bin")
let sms =
  ProcessInfo.processInfo.environment["SMS_SPAM"].map { URL(fileURLWithPath: $0) }
  ?? package.appendingPathComponent("../../shared/data/sms-spam/SMSSpamCollection.tsv").standardizedFileURL

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("assist-trainer: \(message)\n".utf8))
  exit(1)
}

func read(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

guard FileManager.default.fileExists(atPath: sms.path) else {
  fail(
    "there is no SMS Spam Collection at \(sms.path); download it as Assistant/README.md says, and set SMS_SPAM to its path"
  )
}
func data(_ name: String) throws -> String { try read(package.appendingPathComponent("Data/\(name)")) }

/// Every tenth chat message of the IRC archive, without its time and its author.
func chat() throws -> [String] {
  let folder = package.appendingPathComponent("../../shared/data/ubuntu-irc").standardizedFileURL.path
  let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  let lines = try names.filter { $0.hasSuffix(".raw.txt") }.sorted().flatMap {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)")), as: UTF8.self)
      .split(separator: "\n").filter { $0.hasPrefix("[") && $0.dropFirst(7).hasPrefix(" <") }
  }
  return lines.enumerated().filter { $0.offset % 10 == 0 }.compactMap {
    $0.element.split(separator: ">", maxSplits: 1).dropFirst().first.map { String($0.dropFirst()) }
  }
}

let inbox = try LabelledMessage.readInbox(data("inbox.tsv"))
let corpus = Corpus(
  messages: try LabelledMessage.read(data("messages.tsv")) + LabelledMessage.readLessons(data("lessons.tsv"))
    + LabelledMessage.readLetters(data("letters.tsv")) + inbox.filter { !Fold.isTest($0.text) },
  test: inbox.filter { Fold.isTest($0.text) }, spam: try SpamExample.read(read(sms)),
  questions: try LabelledQuestion.read(data("questions.tsv")), answers: try StoredAnswers.read(data("answers.tsv")),
  chat: try chat())
let validation = CrossValidation(corpus: corpus)

if CommandLine.arguments.contains("--check") {
  guard try Data(contentsOf: weights) == validation.shipped().data else {
    fail("the recipe gives other weights than \(weights.path); run make train and commit the files that it writes")
  }
  print("The recipe gives the committed weights, byte for byte.")
} else if CommandLine.arguments.contains("--tune") {
  let result = validation.run { print($0) }
  let model = validation.shipped()
  let report = Report(
    corpus: corpus, result: result, questions: validation.questions(model), test: nil, chat: model.kinds(corpus.chat))
  print(result.inbox.wrong.joined(separator: "\n"))
  print(report.summary)
  print(result.inbox.table)
} else {
  let result = validation.run { print($0) }
  let model = validation.shipped()
  try model.data.write(to: weights)
  var test = InboxScores()
  test.add(corpus.test, model, corpus.answers)
  let report = Report(
    corpus: corpus, result: result, questions: validation.questions(model), test: test, chat: model.kinds(corpus.chat))
  try report.markdown.write(to: package.appendingPathComponent("Data/scores.md"), atomically: true, encoding: .utf8)
  print(report.summary)
  print(test.table)
}
