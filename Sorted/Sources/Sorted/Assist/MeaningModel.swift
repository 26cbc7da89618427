import AssistModel
import Foundation
import SwiftData
import Synchronization

/// The installed sentence model (`sorted assist --install`), with a cache for the vectors of frequent texts.
package final class MeaningModel: Sendable {
  private let encoder: SentenceEncoder
  private let cache = Mutex<[String: [Float]]>([:])
  /// The largest number of texts in the cache, whose vectors take 3 MB.
  private static let cacheCapacity = 2_000

  package init(_ encoder: SentenceEncoder) { self.encoder = encoder }

  /// The folder of the model. It is in `$SORTED_MODELS`, or in `models` next to the default store, and has the model's name and version.
  package static var folder: URL {
    let home = ProcessInfo.processInfo.environment["SORTED_MODELS"].map { URL(fileURLWithPath: $0) }
    return (home ?? SortedContainer.defaultURL.deletingLastPathComponent().appendingPathComponent("models"))
      .appendingPathComponent("all-MiniLM-L6-v2-\(SentenceEncoder.version)")
  }

  /// Loads the installed model; nil if none is installed. Loading takes 0.1 s and 45 MB.
  /// - Throws: `WeightsError` if the files are damaged; the error of the file system.
  package static func installed() throws -> MeaningModel? {
    guard FileManager.default.fileExists(atPath: folder.path) else { return nil }
    return MeaningModel(try SentenceEncoder(folder: folder))
  }

  /// Encodes texts as vectors of the norm 1.
  func vectors(of texts: [String]) -> [[Float]] { encoder.vectors(of: texts) }

  /// Encodes texts through the cache, for texts that recur, such as the wordings of questions.
  func cachedVectors(of texts: [String]) -> [[Float]] {
    let cached = cache.withLock { $0 }
    let new = Array(Set(texts.filter { cached[$0] == nil }))
    let found = Dictionary(zip(new, vectors(of: new)), uniquingKeysWith: { first, _ in first })
    cache.withLock { cache in
      if cache.count + found.count > Self.cacheCapacity { cache.removeAll() }
      cache.merge(found) { $1 }
    }
    return texts.map { found[$0] ?? cached[$0]! }
  }

  /// Encodes the parts of a message. The first part is the whole message, whose embedding exists already.
  /// - Parameter whole: the embedding of the whole message.
  func vectors(of parts: [String], whole: Embedding) -> [[Float]] {
    [whole.floats] + vectors(of: Array(parts.dropFirst()))
  }

  /// Returns whether the owner of a store allows it to keep embeddings.
  /// - Throws: `SwiftDataError`.
  package static func isAllowed(in context: ModelContext) throws -> Bool {
    let owner = try LocalUser.id(in: context)
    let user = try context.fetch(FetchDescriptor<UserEntity>(predicate: #Predicate { $0.id == owner })).first
    return user?.allowSupermemoryStorage ?? true
  }

  /// Returns whether a store has embeddings of this program's model.
  /// - Throws: `SwiftDataError`.
  package static func hasVectors(in context: ModelContext) throws -> Bool {
    let version = SentenceEncoder.version
    var some = FetchDescriptor<MessageVectorEntity>(predicate: #Predicate { $0.version == version })
    some.fetchLimit = 1
    return try !context.fetch(some, selecting: \.id).isEmpty
  }
}
