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

  /// The labelled messages of the training set.
  ///
  /// - Throws: an error of the file or of a line that is not labelled.
  public static func messages() throws -> [LabelledMessage] {
    try LabelledMessage.read(String(contentsOf: package.appendingPathComponent("Data/messages.tsv"), encoding: .utf8))
  }

  /// The labelled questions of the training set.
  ///
  /// - Throws: an error of the file or of a line that is not labelled.
  public static func questions() throws -> [LabelledQuestion] {
    try LabelledQuestion.read(
      String(contentsOf: package.appendingPathComponent("Data/questions.tsv"), encoding: .utf8))
  }

  /// The messages of the SMS Spam Collection.
  ///
  /// - Throws: an error of the file or of a line that is not labelled.
  public static func spam() throws -> [SpamExample] { try SpamExample.read(String(contentsOf: sms, encoding: .utf8)) }

  /// Whether the SMS Spam Collection is there.
  public static var hasSMS: Bool { FileManager.default.fileExists(atPath: sms.path) }
}
