import AssistModel
import Foundation

// usage: assist-trainer [--check]
//
// Trains the weights of Sorted's assistant, scores them, and writes the weights and the scores. With --check it writes nothing, and
// fails if the recipe gives other weights than the weights in the repository.

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
let corpus = Corpus(
  messages: try LabelledMessage.read(read(package.appendingPathComponent("Data/messages.tsv"))),
  spam: try SpamExample.read(read(sms)),
  questions: try LabelledQuestion.read(read(package.appendingPathComponent("Data/questions.tsv"))))
let validation = CrossValidation(corpus: corpus)

if CommandLine.arguments.contains("--check") {
  let fold = Fold.heldOut
  var builder = ModelBuilder()
  let model = builder.build(
    corpus.messages.filter { Fold.of($0.text) != fold }, spam: corpus.spam.filter { Fold.of($0.text) != fold },
    questions: corpus.questions)
  guard try Data(contentsOf: weights) == model.data else {
    fail("the recipe gives other weights than \(weights.path); run make train and commit the files that it writes")
  }
  print("The recipe gives the committed weights, byte for byte.")
} else {
  let result = validation.run { print($0) }
  guard let model = result.shipped else { fail("no model was trained") }
  try model.data.write(to: weights)
  let report = Report(corpus: corpus, result: result, questions: validation.questions(model))
  try report.markdown.write(to: package.appendingPathComponent("Data/scores.md"), atomically: true, encoding: .utf8)
  print(report.summary)
}
