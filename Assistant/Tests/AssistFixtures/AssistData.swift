public import AssistModel
public import Foundation

/// The training set of the repository, and the SMS collection where it lies next to the repository.
public enum AssistData {
  private static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent()  // AssistFixtures
    .deletingLastPathComponent()  // Tests
    .deletingLastPathComponent()  // Assistant
  /// The SMS Spam Collection, which is not part of the repository.
  public static let sms = package.appendingPathComponent("../../shared/data/sms-spam/SMSSpamCollection.tsv")
    .standardizedFileURL

  /// Reference pieces and vectors of the sentence model.
  public static let sentences = package.appendingPathComponent("Data/sentences.json")

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: package.appendingPathComponent("Data/\(name)"), encoding: .utf8)
  }

  /// The labelled messages of the training set in English.
  ///
  /// - Throws: an error of the file or of a line that is not labelled.
  public static func messages() throws -> [LabelledMessage] { try LabelledMessage.read(text("messages.tsv")) }

  /// The training messages in five languages that have the labels of one pass.
  ///
  /// - Throws: an error of the file or of a line that is not labelled.
  public static func lessons() throws -> [LabelledMessage] { try LabelledMessage.readLessons(text("lessons.tsv")) }

  /// The further training messages in five languages, which have the labels of one pass.
  ///
  /// - Throws: an error of the file or of a line that is not labelled.
  public static func letters() throws -> [LabelledMessage] { try LabelledMessage.readLetters(text("letters.tsv")) }

  /// The messages in five languages that train and test. `Fold.isTest` splits off the test half.
  ///
  /// - Throws: an error of the file or of a line that is not labelled.
  public static func inbox() throws -> [LabelledMessage] { try LabelledMessage.readInbox(text("inbox.tsv")) }

  /// The stored answers of a person who writes in five languages.
  ///
  /// - Throws: an error of the file.
  public static func answers() throws -> [QuestionMatcher.Question] { try StoredAnswers.read(text("answers.tsv")) }

  /// The labelled questions of the training set.
  ///
  /// - Throws: an error of the file or of a line that is not labelled.
  public static func questions() throws -> [LabelledQuestion] {
    try LabelledQuestion.read(text("questions.tsv"))
  }

  /// The messages of the SMS Spam Collection.
  ///
  /// - Throws: an error of the file or of a line that is not labelled.
  public static func spam() throws -> [SpamExample] { try SpamExample.read(String(contentsOf: sms, encoding: .utf8)) }

  /// Whether the SMS Spam Collection is there.
  public static var hasSMS: Bool { FileManager.default.fileExists(atPath: sms.path) }
}
