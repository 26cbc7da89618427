import Foundation
import SwiftData

/// How Sorted sets up its store (story 0.4).
public enum SortedContainer {
  /// The models of the app.
  public static var schema: Schema {
    Schema([
      MessageEntity.self,
      ConversationEntity.self,
      UserEntity.self,
      AttachmentEntity.self,
      FAQEntity.self,
    ])
  }

  /// Opens the store in a file, made if it is not there; nil is the default place of the app.
  /// - Throws: `SwiftDataError`, the file untouched.
  public static func open(_ url: URL? = nil) throws -> ModelContainer {
    let schema = schema
    let configuration =
      url.map { ModelConfiguration(schema: schema, url: $0) }
      ?? ModelConfiguration("sorted", schema: schema, isStoredInMemoryOnly: false, allowsSave: true)
    return try ModelContainer(for: schema, configurations: [configuration])
  }

  /// A store in memory, for previews and tests.
  /// - Throws: `SwiftDataError`.
  public static func inMemory() throws -> ModelContainer {
    let schema = schema
    let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
    return try ModelContainer(for: schema, configurations: [configuration])
  }
}
