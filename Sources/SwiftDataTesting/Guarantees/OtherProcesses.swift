import Foundation
import SwiftData

extension StoreGuarantee {
  /// The other process is another container of the same store, which knows nothing of the first one.
  static let otherProcesses: [StoreGuarantee] = [
    StoreGuarantee(
      "processes.ends", "A model that gets into another's list changes nothing else that another process saved there.",
      requiredFeature: .persistence
    ) { store in
      let context = try store.saved(Author("A"))
      let author = try context.only(Author.self)
      let other = ModelContext(try store.reopened())
      try other.only(Author.self).name = "B"
      try other.save()
      context.insert(Book("new", author: author))
      try context.save()
      let found = try ModelContext(try store.reopened()).only(Author.self)
      try expectEqual(found.name, "B", "the name")
      try expectEqual(found.books.map(\.title), ["new"], "the books")
    },
    StoreGuarantee(
      "processes.moved", "A new order of a list leaves a model where another process moved it.",
      requiredFeature: .persistence
    ) { store in
      let (one, two) = (Author("1"), Author("2"))
      let context = store.context
      context.insert(Book("z", author: two))
      try context.save()
      for title in ["a", "b", "c"] { context.insert(Book(title, author: one)) }
      try context.save()
      let other = ModelContext(try store.reopened())
      let moved = try other.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == "b" }))[0]
      moved.author = try other.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == "2" }))[0]
      one.books = one.books.reversed()
      try other.save()
      try context.save()
      let found = try ModelContext(try store.reopened()).fetch(
        FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
      try expectEqual(Set(found[0].books.map(\.title)), ["a", "c"], "the books of the first author")
      try expectEqual(found[1].books.map(\.title), ["z", "b"], "the books of the second author")
    },
  ]
}
