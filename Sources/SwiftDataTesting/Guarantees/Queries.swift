import Foundation
import SwiftData

extension StoreFixture {
  /// Saves books that cover all queries and returns a context that has not loaded them.
  func library() throws -> ModelContext {
    let writer = context
    let authors = ["Émile", "emile", "Zoë", ""].map(Author.init)
    let tags = ["new", "old"].map(Tag.init)
    let titles = [
      "alpha", "Beta", "beta", "\u{e9}tude", "e\u{301}tude", "Étude", "a", "", "z", "ähnlich", "zebra", "10", "9",
      "a%b",
      "a_b", "日本",
    ]
    for (index, title) in titles.enumerated() {
      let rating: Double? = index % 3 == 0 ? nil : Double(index % 5) - 1.5
      let book = Book(title, pages: index * 37 % 11, rating: rating, author: index % 4 == 3 ? nil : authors[index % 4])
      book.tags = index % 5 == 0 ? tags : index % 2 == 0 ? [tags[0]] : []
      writer.insert(book)
    }
    for author in authors { writer.insert(author) }
    try writer.save()
    return context
  }
}

extension StoreGuarantee {
  static let queries: [StoreGuarantee] = [
    StoreGuarantee("queries.all", "A fetch without a predicate returns every model of the class and no other.") {
      store in
      let context = try store.library()
      try expectEqual(try context.fetchCount(FetchDescriptor<Book>()), 16, "the number of books")
      try expectEqual(try context.all(Author.self).count, 4, "the number of authors")
      try expectEqual(try context.all(Pin.self).count, 0, "the number of what was never saved")
    },
    StoreGuarantee("queries.equality", "== and != find what Swift finds, nil included.") { store in
      let context = try store.library()
      try expectLaw(context, "==", where: #Predicate<Book> { $0.title == "beta" })
      try expectLaw(context, "!=", where: #Predicate<Book> { $0.title != "beta" })
      try expectLaw(context, "optional ==", where: #Predicate<Book> { $0.rating == 0.5 })
      try expectLaw(context, "optional !=", where: #Predicate<Book> { $0.rating != 0.5 })
      try expectLaw(context, "== nil", where: #Predicate<Book> { $0.rating == nil })
      try expectLaw(context, "!= nil", where: #Predicate<Book> { $0.rating != nil })
    },
    StoreGuarantee("queries.comparison", "<, <=, > and >= find what Swift finds, for numbers and for text.") { store in
      let context = try store.library()
      try expectLaw(context, "<", where: #Predicate<Book> { $0.pages < 5 })
      try expectLaw(context, ">=", where: #Predicate<Book> { $0.pages >= 5 })
      try expectLaw(context, "text <", where: #Predicate<Book> { $0.title < "b" })
      try expectLaw(context, "text >", where: #Predicate<Book> { $0.title > "a" })
      try expectLaw(context, "of an optional", where: #Predicate<Book> { ($0.rating ?? 0) <= 0 })
    },
    StoreGuarantee("queries.logic", "&&, || and ! combine as in Swift.") { store in
      let context = try store.library()
      try expectLaw(context, "&&", where: #Predicate<Book> { $0.pages > 3 && $0.rating != nil })
      try expectLaw(context, "||", where: #Predicate<Book> { $0.pages > 8 || $0.title == "" })
      try expectLaw(context, "!", where: #Predicate<Book> { !($0.pages > 3 && $0.rating == nil) })
    },
    StoreGuarantee(
      "queries.text", "contains and starts(with:) treat every character literally, including SQL wildcards."
    ) { store in
      let context = try store.library()
      try expectLaw(context, "contains", where: #Predicate<Book> { $0.title.contains("a") })
      try expectLaw(context, "contains %", where: #Predicate<Book> { $0.title.contains("%") })
      try expectLaw(context, "contains nothing", where: #Predicate<Book> { $0.title.contains("") })
      try expectLaw(context, "starts", where: #Predicate<Book> { $0.title.starts(with: "a_") })
      try expectLaw(context, "localized", where: #Predicate<Book> { $0.title.localizedStandardContains("ETUDE") })
    },
    StoreGuarantee("queries.unicode", "Canonically equivalent strings are equal.") { store in
      let context = try store.library()
      let composed = "\u{e9}tude"
      let found = try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.title == composed }))
      try expectEqual(found, 2, "the number of texts that equal é, in either form")
      try expectLaw(context, "decomposed", where: #Predicate<Book> { $0.title == "e\u{301}tude" })
    },
    StoreGuarantee("queries.arithmetic", "Arithmetic in a predicate follows Swift.") { store in
      let context = try store.library()
      try expectLaw(context, "+", where: #Predicate<Book> { $0.pages + 2 > 7 })
      try expectLaw(context, "%", where: #Predicate<Book> { $0.pages % 3 == 1 })
      try expectLaw(context, "double", where: #Predicate<Book> { ($0.rating ?? 1) * 2 < 1 })
    },
    StoreGuarantee("queries.toOne", "A predicate reads through a to-one relationship.") { store in
      let context = try store.library()
      try expectLaw(context, "a member", where: #Predicate<Book> { $0.author?.name == "Zoë" })
      try expectLaw(context, "none", where: #Predicate<Book> { $0.author == nil })
      try expectLaw(context, "not", where: #Predicate<Book> { $0.author?.name != "emile" })
    },
    StoreGuarantee("queries.toMany", "A predicate counts, searches and filters a to-many relationship.") { store in
      let context = try store.library()
      try expectLaw(context, "isEmpty", where: #Predicate<Book> { $0.tags.isEmpty })
      try expectLaw(context, "count", where: #Predicate<Book> { $0.tags.count == 2 })
      try expectLaw(context, "contains", where: #Predicate<Book> { book in book.tags.contains { $0.name == "old" } })
      try expectLaw(
        context, "allSatisfy", where: #Predicate<Author> { author in author.books.allSatisfy { $0.pages > 1 } })
    },
    StoreGuarantee("queries.captured", "A predicate compares with captured models, identifiers and lists.") { store in
      let context = try store.library()
      let author = try context.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))[2]
      let identifier = author.persistentModelID
      let titles = ["a", "z", "none"]
      try expectLaw(context, "identifier", where: #Predicate<Book> { $0.author?.persistentModelID == identifier })
      try expectLaw(context, "own", where: #Predicate<Author> { $0.persistentModelID == identifier })
      try expectLaw(context, "list", where: #Predicate<Book> { titles.contains($0.title) })
    },
    StoreGuarantee("queries.structs", "A predicate reads members of a stored struct and raw values of enums.") {
      store in
      let one = Everything("one")
      one.address = .init(city: "Rome", number: 4)
      one.level = .high
      let context = try store.saved(one, Everything("two"))
      try expectLaw(context, "member", where: #Predicate<Everything> { $0.address.city == "Rome" })
      let high: TestModels.Level? = .high
      try expectLaw(context, "enum", where: #Predicate<Everything> { $0.level == high })
    },
    StoreGuarantee("queries.identifiers", "Counts and lists of identifiers agree with the fetch.") { store in
      let context = try store.library()
      try expectLaw(
        context, "predicate, order and bounds", where: #Predicate<Book> { $0.pages > 2 },
        sortedBy: [SortDescriptor(\.title)], limit: 4, offset: 2)
      try expectLaw(context, "bounds alone", where: #Predicate<Book> { $0.pages > 2 }, limit: 3)
    },
    StoreGuarantee("queries.aggregates", "Counts, sums, averages and extremes are what Swift computes.") { store in
      let context = try store.library()
      let books = try context.all(Book.self)
      let (count, sum, least) = try context.fetch(
        FetchDescriptor<Book>(), computing: .count, .sum(\.pages), .minimum(\.title))
      try expectEqual(count, books.count, "the count")
      try expectEqual(sum, books.reduce(0) { $0 + $1.pages }, "the sum")
      try expectEqual(least, books.map(\.title).min(), "the least title")
      let groups = try context.fetch(FetchDescriptor<Book>(), groupedBy: \.pages, computing: .count)
      let expected = Dictionary(grouping: books, by: \.pages).mapValues(\.count)
      try expectEqual(Dictionary(uniqueKeysWithValues: groups.map { ($0, $1) }), expected, "the groups")
    },
    StoreGuarantee("queries.selection", "Selected properties can be read without creating models.") { store in
      let context = try store.library()
      let descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title), SortDescriptor(\.pages)])
      let rows = try context.fetch(descriptor, selecting: \.title, \.author?.name)
      let books = try context.fetch(descriptor)
      try expectEqual(rows.map { $0.0 }, books.map(\.title), "the titles")
      try expectEqual(rows.map { $0.1 }, books.map { $0.author?.name }, "the names")
    },
    StoreGuarantee("queries.subclasses", "A fetch of a class includes its subclasses, each as its own type.") { store in
      let context = try store.saved(Vehicle(wheels: 2), Car(brand: "A"), Car(brand: "B"))
      try expectEqual(try context.all(Vehicle.self).count, 3, "the number of vehicles")
      try expectEqual(Set(try context.all(Car.self).map(\.brand)), ["A", "B"], "the brands of cars")
      try expectEqual(try context.fetchCount(FetchDescriptor<Car>()), 2, "the count of cars")
      try expectEqual(
        try context.fetch(FetchDescriptor<Vehicle>(predicate: #Predicate { $0.wheels == 4 })).compactMap { $0 as? Car }
          .count, 2, "the number of cars among vehicles")
    },
  ]

  static let orders: [StoreGuarantee] = [
    StoreGuarantee("orders.ascending", "A sort orders as Swift sorts, forward and in reverse.") { store in
      let context = try store.library()
      try expectLaw(context, "numbers", sortedBy: [SortDescriptor<Book>(\.pages)])
      try expectLaw(context, "reverse", sortedBy: [SortDescriptor<Book>(\.pages, order: .reverse)])
    },
    StoreGuarantee("orders.text", "Text sorts by Swift's `<`, or by the comparator that the descriptor names.") {
      store in
      let context = try store.library()
      try expectLaw(context, "lexical", sortedBy: [SortDescriptor<Book>(\.title, comparator: .lexical)])
      try expectLaw(context, "standard", sortedBy: [SortDescriptor<Book>(\.title, comparator: .localizedStandard)])
    },
    StoreGuarantee("orders.nil", "Nil sorts first, in reverse last.") { store in
      let context = try store.library()
      try expectLaw(context, "forward", sortedBy: [SortDescriptor<Book>(\.rating)])
      try expectLaw(context, "reverse", sortedBy: [SortDescriptor<Book>(\.rating, order: .reverse)])
      let descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.rating)])
      try expectEqual(try context.fetch(descriptor)[0].rating, nil, "the first rating")
    },
    StoreGuarantee("orders.several", "The second sort descriptor breaks ties of the first.") { store in
      let context = try store.library()
      try expectLaw(
        context, "two", sortedBy: [SortDescriptor<Book>(\.rating, order: .reverse), SortDescriptor(\.title)])
    },
    StoreGuarantee("orders.related", "A sort reads through a to-one relationship.") { store in
      let context = try store.library()
      try expectLaw(context, "related", sortedBy: [SortDescriptor<Book>(\.author?.name), SortDescriptor(\.title)])
    },
    StoreGuarantee("orders.bounds", "Limit and offset apply to the sorted result, also beyond its end.") { store in
      let context = try store.library()
      for (limit, offset) in [(3, 0), (0, 0), (3, 14), (100, 100), (5, 5)] {
        try expectLaw(
          context, "limit \(limit), offset \(offset)",
          sortedBy: [SortDescriptor<Book>(\.title), SortDescriptor(\.pages)],
          limit: limit, offset: offset)
      }
      try expectLaw(context, "offset alone", sortedBy: [SortDescriptor<Book>(\.title)], offset: 7)
    },
    StoreGuarantee("orders.stable", "Two equal fetches return the same order, sorted or not.") { store in
      let context = try store.library()
      let first = try context.all(Book.self).map(\.persistentModelID)
      try expectEqual(try store.context.all(Book.self).map(\.persistentModelID), first, "the second fetch")
    },
    StoreGuarantee("orders.pages", "Keyset pages and batches cover the result exactly once, in order.") { store in
      let context = try store.library()
      var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages), SortDescriptor(\.title)])
      let all = try context.fetch(descriptor)
      descriptor.fetchLimit = 5
      var paged = try context.fetch(descriptor)
      while let last = paged.last {
        let page = try context.fetch(descriptor, after: last)
        if page.isEmpty { break }
        paged += page
      }
      try expect(paged.elementsEqual(all, by: ===), "the pages are not the whole")
      descriptor.fetchLimit = nil
      let batches = try context.fetch(descriptor, batchSize: 3)
      try expect(Array(batches).elementsEqual(all, by: ===), "the batches are not the whole")
      var walked = [Book]()
      try context.enumerate(descriptor, batchSize: 4) { walked.append($0) }
      try expect(walked.elementsEqual(all, by: ===), "the enumeration is not the whole")
    },
  ]

  static let pendingChanges: [StoreGuarantee] = [
    StoreGuarantee("pending.inserted", "Unsaved models are found, sorted and counted.") { store in
      let context = try store.library()
      context.insert(Book("aa", pages: 4, rating: 0.5))
      try expectLaw(context, "filter", where: #Predicate<Book> { $0.pages == 4 })
      try expectLaw(context, "order", sortedBy: [SortDescriptor<Book>(\.title), SortDescriptor(\.pages)], limit: 5)
      try expectEqual(try context.fetchCount(FetchDescriptor<Book>()), 17, "the count with an unsaved book")
      try expectEqual(try store.context.fetchCount(FetchDescriptor<Book>()), 16, "the count elsewhere")
    },
    StoreGuarantee("pending.changed", "Unsaved values decide which models match and how they sort.") { store in
      let context = try store.library()
      let books = try context.all(Book.self)
      books[3].pages = 1_000
      books[5].title = "0"
      try expectLaw(context, "filter", where: #Predicate<Book> { $0.pages >= 1_000 })
      try expectLaw(context, "order", sortedBy: [SortDescriptor<Book>(\.title), SortDescriptor(\.pages)])
      try expectEqual(
        try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pages == 1_000 })).first?.persistentModelID,
        books[3].persistentModelID, "what matches by an unsaved value")
    },
    StoreGuarantee("pending.deleted", "Unsaved deletions are excluded, also from limits and counts.") { store in
      let context = try store.library()
      let order = [SortDescriptor<Book>(\.title), SortDescriptor(\.pages)]
      let books = try context.fetch(FetchDescriptor<Book>(sortBy: order))
      context.delete(books[0])
      var descriptor = FetchDescriptor<Book>(sortBy: order)
      descriptor.fetchLimit = 3
      try expect(try context.fetch(descriptor).elementsEqual(books[1...3], by: ===), "the limit counts a deleted one")
      try expectEqual(try context.fetchCount(FetchDescriptor<Book>()), 15, "the count")
    },
    StoreGuarantee("pending.related", "An unsaved change of a related model decides which models match.") { store in
      let context = try store.library()
      for author in try context.all(Author.self) where author.name == "Zoë" { author.name = "new" }
      try expectLaw(context, "through a to-one", where: #Predicate<Book> { $0.author?.name == "new" })
      let tag = try context.all(Tag.self)[0]
      try context.all(Book.self)[1].tags.append(tag)
      try expectLaw(context, "through a to-many", where: #Predicate<Book> { !$0.tags.isEmpty })
    },
    StoreGuarantee("pending.excluded", "A fetch without pending changes uses stored values only.") { store in
      let context = try store.library()
      let book = try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == "zebra" }))[0]
      book.title = "other"
      context.insert(Book("zebra"))
      var descriptor = FetchDescriptor<Book>(predicate: #Predicate { $0.title == "zebra" })
      descriptor.includePendingChanges = false
      let found = try context.fetch(descriptor)
      try expectEqual(found.count, 1, "the number of stored zebras")
      try expect(found.first === book, "another object than the stored one")
      try expectEqual(try context.fetchCount(descriptor), 1, "the count of stored zebras")
    },
    StoreGuarantee("pending.kept", "A fetch does not overwrite unsaved changes.") { store in
      let context = try store.library()
      let book = try context.all(Book.self)[0]
      book.pages = -1
      for _ in 0..<2 { _ = try context.all(Book.self) }
      try expectEqual(book.pages, -1, "the unsaved value")
    },
  ]
}
