import Foundation
import SwiftData
import Synchronization

extension StoreGuarantee {
  static let identities: [StoreGuarantee] = [
    StoreGuarantee("identities.temporary", "An identifier is temporary until the first save and the same from then on.")
    {
      store in
      let context = store.context
      let book = Book("B")
      context.insert(book)
      try expect(book.persistentModelID.isTemporary, "it is not temporary before the save")
      try context.save()
      let identifier = book.persistentModelID
      try expect(!identifier.isTemporary, "it is temporary after the save")
      book.title = "C"
      try context.save()
      try expectEqual(book.persistentModelID, identifier, "the identifier after a second save")
      try expectEqual(try store.context.only(Book.self).persistentModelID, identifier, "the identifier elsewhere")
    },
    StoreGuarantee("identities.one", "A context has one object per identifier, however it is reached.") { store in
      let context = try store.saved(Book("B", author: Author("A")))
      let book = try context.only(Book.self)
      let author = try context.only(Author.self)
      try expect(book.author === author && author.books.first === book, "a relationship leads to another object")
      try expect(context.model(for: book.persistentModelID) === book, "the identifier leads to another object")
      let registered: Author? = context.registeredModel(for: author.persistentModelID)
      try expect(registered === author, "another object is registered")
    },
    StoreGuarantee("identities.lookup", "A new context finds a model by its identifier.") { store in
      let writer = store.context
      let books = (0..<3).map { Book("\($0)", pages: $0) }
      for book in books { writer.insert(book) }
      try writer.save()
      let context = store.context
      let found = context.model(for: books[1].persistentModelID) as? Book
      try expectEqual(found?.pages, 1, "what the identifier leads to")
      let identifiers = [books[2].persistentModelID, books[0].persistentModelID]
      let some = try context.fetch(
        FetchDescriptor<Book>(predicate: #Predicate { identifiers.contains($0.persistentModelID) }))
      try expectEqual(Set(some.map(\.pages)), [0, 2], "what a list of identifiers leads to")
    },
    StoreGuarantee("identities.codable", "An identifier still finds its model after encoding and decoding.") { store in
      let writer = store.context
      let book = Book("B", pages: 4)
      writer.insert(book)
      try writer.save()
      let data = try JSONEncoder().encode(book.persistentModelID)
      let identifier = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
      try expectEqual(identifier, book.persistentModelID, "the decoded identifier")
      try expectEqual((store.context.model(for: identifier) as? Book)?.pages, 4, "what it leads to")
    },
    StoreGuarantee("identities.unique", "No identifier is reused, also after deletions.") { store in
      let context = store.context
      var seen = Set<PersistentIdentifier>()
      for round in 0..<5 {
        for number in 0..<4 { context.insert(Single(round * 10 + number)) }
        try context.save()
        for single in try context.all(Single.self) {
          try expect(seen.insert(single.persistentModelID).inserted, "\(single.persistentModelID) came twice")
          context.delete(single)
        }
        try context.save()
      }
    },
    StoreGuarantee("identities.gone", "The identifier of a deleted model finds no model.") { store in
      let context = try store.saved(Single(1))
      let single = try context.only(Single.self)
      let identifier = single.persistentModelID
      context.delete(single)
      try context.save()
      try expect(store.context.model(for: identifier).modelContext == nil, "it leads to a model of the context")
    },
    StoreGuarantee(
      "identities.upsert", "A new model whose unique value is taken updates the stored model.",
      requiredFeature: .uniqueness
    ) { store in
      let context = try store.saved(Account("x", 1), Account("y", 2))
      let stored = try context.fetch(FetchDescriptor<Account>(predicate: #Predicate { $0.code == "x" }))[0]
      let writer = store.context
      let new = Account("x", 10)
      writer.insert(new)
      try writer.save()
      try expectEqual(new.persistentModelID, stored.persistentModelID, "the identifier of the new model")
      let found = try store.context.fetch(FetchDescriptor<Account>(sortBy: [SortDescriptor(\.code)]))
      try expectEqual(found.map(\.amount), [10, 2], "the amounts")
      _ = try context.fetch(FetchDescriptor<Account>())
      try expectEqual(stored.amount, 10, "the amount where it was read before")
    },
    StoreGuarantee(
      "identities.upsertInOneSave", "Two new models with the same unique value become one.",
      requiredFeature: .uniqueness
    ) { store in
      let context = store.context
      context.insert(Account("x", 1))
      context.insert(Account("x", 2))
      try context.save()
      try expectEqual(try store.context.all(Account.self).map(\.amount), [2], "the amounts")
      try expectEqual(try context.all(Account.self).map(\.amount), [2], "the amounts where they were saved")
    },
    StoreGuarantee(
      "identities.upsertOfObject", "After an upsert, the inserted model and the context's model of the row are one.",
      requiredFeature: .uniqueness
    ) { store in
      let context = try store.saved(Account("x", 1), Account("y", 2))
      let known = try context.fetch(FetchDescriptor<Account>(predicate: #Predicate { $0.code == "x" }))[0]
      let new = Account("x", 10)
      context.insert(new)
      try context.save()
      try expectEqual([known.amount, new.amount], [10, 10], "the amounts after the save")
      new.amount = 11
      try expectEqual(known.amount, 11, "the amount after a change of the inserted model")
      known.amount = 12
      try expectEqual(new.amount, 12, "the amount after a change of the context's model")
      let pending = try context.fetch(FetchDescriptor<Account>(sortBy: [SortDescriptor(\.code)]))
      try expectEqual(pending.map(\.amount), [12, 2], "the amounts with an unsaved change")
      try expect(pending[0] === known, "a fetch returns another model than the context's")
      try context.save()
      try expectEqual(Set(try store.context.all(Account.self).map(\.amount)), [12, 2], "the stored amounts")
      new.amount = 13
      context.rollback()
      try expectEqual([known.amount, new.amount], [12, 12], "the amounts after a rollback")
      context.delete(new)
      try expect(known.isDeleted && new.isDeleted, "only one of them is deleted")
      try context.save()
      try expectEqual(try context.all(Account.self).map(\.code), ["y"], "the accounts after the deletion")
    },
    StoreGuarantee(
      "identities.reassigned", "A model whose unique value is assigned again is still updated by a new model with it.",
      requiredFeature: .uniqueness
    ) { store in
      let context = try store.saved(Account("x", 1))
      try context.only(Account.self).code = "x"
      context.insert(Account("x", 2))
      try context.save()
      try expectEqual(try store.context.all(Account.self).map(\.amount), [2], "the amounts")
    },
  ]

  static let saves: [StoreGuarantee] = [
    StoreGuarantee(
      "saves.reopened", "Saved models are there when the store is opened again.", requiredFeature: .persistence
    ) {
      store in
      let author = Author("A")
      author.books = [Book("b", pages: 2, rating: 1.5), Book("a")]
      author.books[0].tags = [Tag("T")]
      let writer = store.context
      writer.insert(author)
      try writer.save()
      let identifier = author.persistentModelID
      let context = ModelContext(try store.reopened())
      let found = try context.only(Author.self)
      try expectEqual(found.persistentModelID, identifier, "the identifier")
      try expectEqual(found.books.map(\.title), ["b", "a"], "the books")
      try expectEqual(found.books[0].rating, 1.5, "the rating")
      try expectEqual(found.books[0].tags.map(\.name), ["T"], "the tags")
      found.books[1].pages = 9
      context.insert(Book("c", author: found))
      try context.save()
      let again = try ModelContext(try store.reopened()).only(Author.self)
      try expectEqual(again.books.map(\.pages), [2, 9, 0], "the pages after a second time")
    },
    StoreGuarantee("saves.unsaved", "Unsaved models are not in the store.") { store in
      let context = try store.saved(Single(1))
      context.insert(Single(2))
      try context.only(Single.self, where: 1).number = 3
      try expectEqual(try store.context.all(Single.self).map(\.number), [1], "the numbers elsewhere")
    },
    StoreGuarantee("saves.atomic", "A refused save changes neither the store nor the memory.") { store in
      let context = try store.saved(Item("x", Invoice(1)), Single(1))
      let item = try context.only(Item.self)
      let single = try context.only(Single.self)
      single.number = 2
      context.insert(Single(5))
      item.name = "y"
      item.invoice.items.removeAll()
      try expectThrows("the save") { try context.save() }
      try expect(context.hasChanges && single.number == 2 && item.name == "y", "the unsaved changes are gone")
      let reader = store.context
      try expectEqual(try reader.all(Single.self).map(\.number), [1], "the stored numbers")
      try expectEqual(try reader.only(Item.self).name, "x", "the stored name")
      context.rollback()
      try expectEqual(single.number, 1, "the number after the rollback")
      single.number = 7
      try context.save()
      try expectEqual(try store.context.all(Single.self).map(\.number), [7], "the numbers after another save")
    },
    StoreGuarantee("saves.rollback", "A rollback discards inserts, changes and deletions.") { store in
      let author = Author("A")
      author.books = [Book("x"), Book("y")]
      let context = try store.saved(author)
      let found = try context.only(Author.self)
      let books = found.books
      found.name = "B"
      context.delete(books[0])
      context.insert(Book("z", author: found))
      context.rollback()
      try expect(!context.hasChanges, "there is something unsaved")
      try expectEqual(found.name, "A", "the name")
      try expectEqual(found.books.map(\.title), ["x", "y"], "the books")
      try context.save()
      try expectEqual(try store.context.only(Author.self).books.map(\.title), ["x", "y"], "the stored books")
    },
    StoreGuarantee("saves.undo", "Undo reverts changes, and a save stores the reverted values.") { store in
      let context = try store.saved(Single(1))
      context.undoManager = UndoManager()
      let single = try context.only(Single.self)
      single.number = 2
      context.processPendingChanges()
      context.delete(single)
      context.processPendingChanges()
      context.undoManager?.undo()
      try expectEqual(single.number, 2, "the number after one undo")
      context.undoManager?.undo()
      try expectEqual(single.number, 1, "the number after two")
      try context.save()
      try expectEqual(try store.context.all(Single.self).map(\.number), [1], "the stored numbers")
    },
    StoreGuarantee("saves.notification", "A save posts the identifiers that it inserted, updated and deleted.") {
      store in
      let context = try store.saved(Single(1), Single(2))
      let singles = try context.fetch(FetchDescriptor<Single>(sortBy: [SortDescriptor(\.number)]))
      let (changed, deleted) = (singles[0].persistentModelID, singles[1].persistentModelID)
      let told = Mutex<[String: [PersistentIdentifier]]>([:])
      let token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
        let lists = ($0.userInfo ?? [:]).compactMap { key, value in
          (value as? [PersistentIdentifier]).map { ("\(key)", $0) }
        }
        told.withLock { $0 = Dictionary(uniqueKeysWithValues: lists) }
      }
      defer { NotificationCenter.default.removeObserver(token) }
      let new = Single(3)
      context.insert(new)
      singles[0].number = 4
      context.delete(singles[1])
      try context.save()
      let lists = told.withLock { $0 }
      try expectEqual(lists["inserted"], [new.persistentModelID], "what was inserted")
      try expectEqual(lists["updated"], [changed], "what was updated")
      try expectEqual(lists["deleted"], [deleted], "what was deleted")
    },
    StoreGuarantee("saves.empty", "The store stays usable after all data is deleted.") { store in
      let context = try store.library()
      store.container.deleteAllData()
      try expectEqual(try store.context.fetchCount(FetchDescriptor<Book>()), 0, "the count")
      _ = context
      _ = try store.library()
      try expectEqual(try store.context.fetchCount(FetchDescriptor<Book>()), 16, "the count afterwards")
    },
    StoreGuarantee("saves.batchUpdate", "A batch update changes the matching models and commits at once.") { store in
      let context = try store.library()
      let matching = try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 5 }))
      let count = try context.update(model: Book.self, where: #Predicate { $0.pages > 5 }, set: .assign(\.pages, 500))
      try expectEqual(count, matching, "the number of updated books")
      let found = try store.context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.pages == 500 }))
      try expectEqual(found, matching, "the number of books with the new value")
      try expectLaw(context, "where it was updated", where: #Predicate<Book> { $0.pages == 500 })
    },
    StoreGuarantee("saves.history", "A save is one transaction in the history.", requiredFeature: .history) { store in
      let context = store.context
      context.author = "me"
      context.insert(Single(1))
      context.insert(Single(2))
      try context.save()
      let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      try expectEqual(all.count, 1, "the number of transactions")
      try expectEqual(all[0].author, "me", "the author")
      try expectEqual(all[0].changes.count, 2, "the number of changes")
    },
    StoreGuarantee(
      "saves.historyFetches", "A fetch of the history returns what Swift would compute over all transactions.",
      requiredFeature: .history
    ) { store in
      let context = store.context
      // "e\u{301}" equals "é", and the Kelvin sign equals "K".
      for (number, author) in ["import", nil, "é", "e\u{301}", "K", "\u{212A}", "import", "zoë", nil, "user"]
        .enumerated()
      {
        context.author = author
        for _ in 0...number % 3 { context.insert(Single(number)) }
        try context.save()
      }
      try HistoryLaw.verify(context)
    },
  ]

  static let contexts: [StoreGuarantee] = [
    StoreGuarantee("contexts.seen", "A context sees another context's saves, also in registered objects.") { store in
      let one = try store.saved(Author("A"))
      let author = try one.only(Author.self)
      try expectEqual(author.books.count, 0, "the number of books")
      let two = store.context
      let other = try two.only(Author.self)
      other.name = "B"
      two.insert(Book("new", author: other))
      try two.save()
      try expectEqual(try one.fetchCount(FetchDescriptor<Book>()), 1, "the count of books")
      try expectEqual(author.name, "B", "the name")
      try expectEqual(author.books.map(\.title), ["new"], "the books")
    },
    StoreGuarantee("contexts.merged", "Two contexts that change different properties of one model both win.") {
      store in
      let one = try store.saved(Book("B", pages: 1))
      let two = store.context
      let (first, second) = (try one.only(Book.self), try two.only(Book.self))
      first.title = "C"
      second.pages = 2
      try one.save()
      try two.save()
      let found = try store.context.only(Book.self)
      try expectEqual(found.title, "C", "the title")
      try expectEqual(found.pages, 2, "the pages")
    },
    StoreGuarantee("contexts.later", "If two contexts change the same property, the later save wins.") { store in
      let one = try store.saved(Single(1))
      let two = store.context
      let (first, second) = (try one.only(Single.self), try two.only(Single.self))
      first.number = 2
      second.number = 3
      try two.save()
      try one.save()
      try expectEqual(try store.context.only(Single.self).number, 2, "the number")
      try expectEqual(try two.only(Single.self).number, 2, "the number in the other context")
    },
    StoreGuarantee("contexts.lists", "If two contexts add to one list, it has both additions.") { store in
      let one = try store.saved(Author("A"))
      let two = store.context
      let (first, second) = (try one.only(Author.self), try two.only(Author.self))
      _ = (first.books.count, second.books.count)
      first.books.append(Book("x"))
      second.books.append(Book("y"))
      try one.save()
      try two.save()
      try expectEqual(Set(try store.context.only(Author.self).books.map(\.title)), ["x", "y"], "the books")
    },
    StoreGuarantee(
      "contexts.gone", "A save with changes of a model that another context deleted throws and writes nothing."
    ) {
      store in
      let one = try store.saved(Single(1))
      let two = store.context
      let kept = try one.only(Single.self)
      kept.number = 2
      two.delete(try two.only(Single.self))
      try two.save()
      one.insert(Single(3))
      do {
        try one.save()
        try expect(false, "the save succeeded")
      } catch SwiftDataError.staleObject {}
      try expectEqual(kept.number, 2, "the unsaved number")
      try expectEqual(try store.context.fetchCount(FetchDescriptor<Single>()), 0, "the count")
      one.rollback()
      try expect(kept.modelContext == nil && !one.hasChanges, "it is still there after the rollback")
      one.insert(Single(4))
      try one.save()
      try expectEqual(try store.context.only(Single.self).number, 4, "the number of the next save")
    },
    StoreGuarantee("contexts.concurrent", "Contexts that save on several threads at once lose nothing.") { store in
      _ = try store.saved(Author("A"))
      let problems = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        do {
          let context = ModelContext(store.container)
          let author = try context.only(Author.self)
          for round in 0..<6 {
            context.insert(Book("\(thread).\(round)", pages: round, author: author))
            if round % 2 == 0 { author.name += "\(thread)" }
            try context.save()
          }
        } catch {
          problems.withLock { $0.append("\(error)") }
        }
      }
      try expectEqual(problems.withLock { $0 }, [], "what went wrong")
      let context = store.context
      let titles = (0..<4).flatMap { thread in (0..<6).map { "\(thread).\($0)" } }
      try expectEqual(try context.all(Book.self).map(\.title).sorted(), titles, "the books")
      try expectEqual(try context.only(Author.self).books.map(\.title).sorted(), titles, "the books of the author")
    },
    StoreGuarantee("contexts.outlived", "Objects stay readable after their context is gone.") { store in
      _ = try store.saved(Book("B", author: Author("A")))
      let book = try { try store.context.only(Book.self) }()
      try expectEqual(book.author?.name, "A", "the author")
      try expectEqual(book.author?.books.map(\.title), ["B"], "the author's books")
    },
    StoreGuarantee("contexts.live", "A live result follows unsaved changes and saves of other contexts.") { store in
      let (context, other) = (store.context, store.context)
      let live = try ResultsObserver<Single, Never>(
        filterBy: #Predicate { $0.number > 1 }, sortBy: [SortDescriptor(\.number)], modelContext: context)
      for number in [3, 1, 2] { context.insert(Single(number)) }
      try expectEqual(live.results.map(\.number), [2, 3], "with unsaved models")
      try context.save()
      try other.only(Single.self, where: 1).number = 5
      other.delete(try other.only(Single.self, where: 2))
      try expectEqual(live.results.map(\.number), [2, 3], "before the other context saves")
      try other.save()
      try expectEqual(live.results.map(\.number), [3, 5], "after it saved")
      live.results[0].number = 0
      try expectEqual(live.results.map(\.number), [5], "with an unsaved change")
      context.rollback()
      try expectEqual(live.results.map(\.number), [3, 5], "after the rollback")
    },
  ]
}

extension ModelContext {
  fileprivate func only(_ type: Single.Type, where number: Int) throws -> Single {
    let found = try fetch(FetchDescriptor<Single>(predicate: #Predicate { $0.number == number }))
    try expectEqual(found.count, 1, "the number of matches")
    return found[0]
  }
}
