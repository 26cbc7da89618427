import Foundation
import SwiftData

// Generic code over models.

protocol Titled {
  var title: String { get }
}

@Model final class Movie: Titled {
  @Attribute(.unique) var id: String
  var title: String
  init(id: String, title: String) {
    self.id = id
    self.title = title
  }
}

@Model final class Song: Titled {
  var title: String
  init(title: String) { self.title = title }
}

func titleDescriptor<T: PersistentModel & Titled>(_ type: T.Type, _ title: String) -> FetchDescriptor<T> {
  FetchDescriptor(predicate: #Predicate { $0.title == title })
}

func identityDescriptor<T: PersistentModel>(_ type: T.Type, _ identifier: PersistentIdentifier) -> FetchDescriptor<T> {
  FetchDescriptor(predicate: #Predicate { $0.persistentModelID == identifier })
}

func idDescriptor<T: PersistentModel & Identifiable>(_ type: T.Type, _ id: String) -> FetchDescriptor<T>
where T.ID == String {
  FetchDescriptor(predicate: #Predicate { $0.id == id })
}

final class Repository<Model: PersistentModel> {
  let context: ModelContext
  init(context: ModelContext) { self.context = context }
  func all() throws -> [Model] { try context.fetch(FetchDescriptor<Model>()) }
  func add(_ model: Model) { context.insert(model) }
}
