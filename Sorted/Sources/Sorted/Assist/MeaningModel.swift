import AssistModel
import Foundation
import SwiftData
import Synchronization

/// The sentence model where it is installed (`sorted assist --install`), and the vectors of the texts that it is asked for often.
package final class MeaningModel: Sendable {
  private let encoder: SentenceEncoder
  private let remembered = Mutex<[String: [Float]]>([:])
  /// How many texts are remembered: 3 MB.
  private static let maximumRemembered = 2_000

  package init(_ encoder: SentenceEncoder) { self.encoder = encoder }

  /// The folder of the model: `$SORTED_MODELS`, or `models` next to the default store, with the model's name and version.
  package static var folder: URL {
    let home = ProcessInfo.processInfo.environment["SORTED_MODELS"].map { URL(fileURLWithPath: $0) }
    return (home ?? SortedContainer.defaultURL.deletingLastPathComponent().appendingPathComponent("models"))
      .appendingPathComponent("all-MiniLM-L6-v2-\(SentenceEncoder.version)")
  }

  /// The model, or nil where none is installed. Loading it takes 0.1 s and 45 MB.
  /// - Throws: `WeightsError` where its files are damaged; the error of the file system.
  package static func installed() throws -> MeaningModel? {
    guard FileManager.default.fileExists(atPath: folder.path) else { return nil }
    return MeaningModel(try SentenceEncoder(folder: folder))
  }

  /// The vectors of texts, each of length 1.
  func vectors(of texts: [String]) -> [[Float]] { encoder.vectors(of: texts) }

  /// The same for texts that are asked for again, such as the wordings of questions.
  func rememberedVectors(of texts: [String]) -> [[Float]] {
    let known = remembered.withLock { $0 }
    let new = Array(Set(texts.filter { known[$0] == nil }))
    let found = Dictionary(zip(new, vectors(of: new)), uniquingKeysWith: { first, _ in first })
    remembered.withLock { remembered in
      if remembered.count + found.count > Self.maximumRemembered { remembered.removeAll() }
      remembered.merge(found) { $1 }
    }
    return texts.map { found[$0] ?? known[$0]! }
  }

  /// The vectors of the parts of a message. The first part is the whole message.
  /// - Parameter whole: the vector of the whole message.
  func vectors(of parts: [String], knowing whole: MeaningVector) -> [[Float]] {
    [whole.floats] + vectors(of: Array(parts.dropFirst()))
  }

  /// Whether the owner of a store allows it to keep what messages mean.
  /// - Throws: `SwiftDataError`.
  package static func isAllowed(in context: ModelContext) throws -> Bool {
    let owner = try LocalUser.id(in: context)
    let user = try context.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.id == owner })).first
    return user?.allowSupermemoryStorage ?? true
  }

  /// Whether a store has vectors of this program's model.
  /// - Throws: `SwiftDataError`.
  package static func hasVectors(in context: ModelContext) throws -> Bool {
    let version = SentenceEncoder.version
    var some = FetchDescriptor<MessageVectorEntity>(predicate: #Predicate { $0.version == version })
    some.fetchLimit = 1
    return try !context.fetch(some, selecting: \.id).isEmpty
  }
}
