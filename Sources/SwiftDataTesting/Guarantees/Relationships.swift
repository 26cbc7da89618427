import Foundation
import SwiftData

extension StoreGuarantee {
  static let relationships: [StoreGuarantee] = [
    StoreGuarantee("relationships.toOne", "A to-one relationship comes back, whether set or nil.") { store in
      let author = Author("A")
      let context = try store.saved(Book("with", author: author), Book("without"))
      let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
      try expectEqual(books.map { $0.author?.name }, ["A", nil], "the authors")
    },
    StoreGuarantee("relationships.order", "A to-many relationship keeps the order of its array.") { store in
      let author = Author("A")
      author.books = ["c", "a", "b"].map { Book($0) }
      let context = try store.saved(author)
      let found = try context.only(Author.self)
      try expectEqual(found.books.map(\.title), ["c", "a", "b"], "the books")
      found.books.reverse()
      try context.save()
      try expectEqual(try store.context.only(Author.self).books.map(\.title), ["b", "a", "c"], "the reversed books")
    },
    StoreGuarantee("relationships.inverse", "Both sides of a relationship agree, before the save and after it.") {
      store in
      let context = store.context
      let (author, book) = (Author("A"), Book("B"))
      context.insert(author)
      context.insert(book)
      book.author = author
      try expect(author.books.first === book, "the other side does not know before the save")
      try context.save()
      let reader = store.context
      let found = try reader.only(Author.self)
      try expectEqual(found.books.map(\.title), ["B"], "the books after the save")
      try expect(try reader.only(Book.self).author === found, "another author after the save")
    },
    StoreGuarantee(
      "relationships.unloaded", "A list that is not loaded yet includes objects related from the other side."
    ) { store in
      let context = try store.saved(Author("A"), Book("first"))
      let (author, book) = (try context.only(Author.self), try context.only(Book.self))
      book.author = author
      try context.save()
      let second = store.context
      let other = Book("second", author: try second.only(Author.self))
      second.insert(other)
      try second.save()
      try expectEqual(try store.context.only(Author.self).books.map(\.title), ["first", "second"], "the books")
    },
    StoreGuarantee("relationships.move", "An object that moves to another owner is in one list only.") { store in
      let (one, two) = (Author("1"), Author("2"))
      one.books = [Book("x"), Book("y")]
      let context = try store.saved(one, two)
      let authors = try context.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
      let book = authors[0].books[0]
      book.author = authors[1]
      try expectEqual(authors.map { $0.books.map(\.title) }, [["y"], ["x"]], "the lists before the save")
      try context.save()
      let found = try store.context.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
      try expectEqual(found.map { $0.books.map(\.title) }, [["y"], ["x"]], "the lists after the save")
    },
    StoreGuarantee("relationships.remove", "An object removed from a list has no owner.") { store in
      let author = Author("A")
      author.books = [Book("x"), Book("y")]
      let context = try store.saved(author)
      try context.only(Author.self).books.removeFirst()
      try context.save()
      let reader = store.context
      try expectEqual(try reader.only(Author.self).books.map(\.title), ["y"], "the books")
      let orphan = try reader.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.author == nil }))
      try expectEqual(orphan.map(\.title), ["x"], "the books without an author")
    },
    StoreGuarantee("relationships.manyToMany", "Many-to-many relationships are the same from both sides.") { store in
      let books = ["a", "b", "c"].map { Book($0) }
      let tags = ["x", "y"].map(Tag.init)
      books[0].tags = [tags[1], tags[0]]
      books[1].tags = [tags[1]]
      let context = try store.saved(books[0], books[1], books[2], tags[0])
      let order = [SortDescriptor<Book>(\.title)]
      let found = try context.fetch(FetchDescriptor<Book>(sortBy: order))
      try expectEqual(found.map { $0.tags.map(\.name) }, [["y", "x"], ["y"], []], "the tags")
      let tag = try context.fetch(FetchDescriptor<Tag>(predicate: #Predicate { $0.name == "y" }))[0]
      tag.books.removeAll { $0.title == "a" }
      tag.books.append(found[2])
      try context.save()
      let again = try store.context.fetch(FetchDescriptor<Book>(sortBy: order))
      try expectEqual(again.map { $0.tags.map(\.name) }, [["x"], ["y"], ["y"]], "the tags after the change")
    },
    StoreGuarantee("relationships.oneToOne", "A one-to-one relationship releases its former partner.") { store in
      let (one, two, passport) = (Person("1"), Person("2"), Passport(7))
      one.passport = passport
      let context = try store.saved(one, two)
      let people = try context.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)]))
      people[1].passport = try context.only(Passport.self)
      try context.save()
      let reader = store.context
      let found = try reader.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)]))
      try expectEqual(found.map { $0.passport?.number }, [nil, 7], "the passports")
      try expectEqual(try reader.only(Passport.self).person?.name, "2", "the person of the passport")
    },
    StoreGuarantee("relationships.self", "A class can be related to itself.") { store in
      let root = Node("root")
      for name in ["a", "b"] { root.children.append(Node(name)) }
      root.children[0].children = [Node("leaf")]
      let context = try store.saved(root)
      let leaf = try context.fetch(FetchDescriptor<Node>(predicate: #Predicate { $0.name == "leaf" }))[0]
      try expectEqual(leaf.parent?.parent?.name, "root", "the grandparent")
      try expectEqual(leaf.parent?.parent?.children.map(\.name), ["a", "b"], "the children of the root")
    },
    StoreGuarantee("relationships.oneSided", "Relationships without an inverse come back.") { store in
      let places = ["p", "q"].map(Place.init)
      let pin = Pin("x", places[0])
      pin.others = [places[1], places[0]]
      let context = try store.saved(pin, Pin("y", places[0]))
      let pins = try context.fetch(FetchDescriptor<Pin>(sortBy: [SortDescriptor(\.label)]))
      try expectEqual(pins.map { $0.place?.name }, ["p", "p"], "the places")
      try expectEqual(pins.map { $0.others.map(\.name) }, [["q", "p"], []], "the other places")
    },
    StoreGuarantee("relationships.subclasses", "A relationship to a class holds its subclasses.") { store in
      let garage = Garage("G")
      garage.vehicles = [Car(brand: "A"), Vehicle(wheels: 2)]
      let context = try store.saved(garage)
      let found = try context.only(Garage.self).vehicles
      try expectEqual(found.map { ($0 as? Car)?.brand }, ["A", nil], "the brands")
      let car = try store.context.only(Car.self)
      try expectEqual(car.garage?.name, "G", "the garage of the car")
    },
    StoreGuarantee("relationships.required", "A model cannot be saved without a required target.") { store in
      let context = try store.saved(Item("x", Invoice(1)))
      let item = try context.only(Item.self)
      try expectEqual(item.invoice.number, 1, "the required target")
      item.invoice.items.removeAll()
      try expectThrows("a save without the required target") { try context.save() }
      try expectEqual(try store.context.only(Item.self).invoice.number, 1, "the stored target")
    },
    StoreGuarantee("relationships.graph", "Inserting one model inserts all models reachable from it.") { store in
      let root = Node("0")
      var last = root
      for depth in 1...50 {
        let next = Node("\(depth)")
        next.parent = last
        last = next
      }
      let context = try store.saved(last)
      try expectEqual(try context.fetchCount(FetchDescriptor<Node>()), 51, "the number of nodes")
    },
    StoreGuarantee("relationships.loop", "A loop over many models reads the right target of each.") { store in
      let writer = store.context
      for index in 0..<300 {
        let author = Author("\(index)")
        author.books = (0..<index % 4).map { Book("\(index).\($0)") }
        writer.insert(author)
      }
      try writer.save()
      let context = store.context
      for author in try context.all(Author.self) {
        let index = Int(author.name) ?? -1
        try expectEqual(author.books.map(\.title), (0..<index % 4).map { "\(index).\($0)" }, "the books of \(index)")
      }
      for book in try store.context.all(Book.self) {
        try expect(book.title.hasPrefix((book.author?.name ?? "?") + "."), "\(book.title) has another author")
      }
    },
    StoreGuarantee("relationships.prefetch", "A prefetched relationship has the same objects.") { store in
      let context = try store.library()
      var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title), SortDescriptor(\.pages)])
      let plain = try context.fetch(descriptor).map { ($0.author?.name ?? "-") + $0.tags.map(\.name).joined() }
      descriptor.relationshipKeyPathsForPrefetching = [\.author, \.tags]
      let prefetched = try store.context.fetch(descriptor).map {
        ($0.author?.name ?? "-") + $0.tags.map(\.name).joined()
      }
      try expectEqual(prefetched, plain, "the prefetched relationships")
    },
  ]

  static let deletions: [StoreGuarantee] = [
    StoreGuarantee("deletions.cascade", "Deleting a model deletes the targets of cascading relationships.") { store in
      let root = Node("root")
      root.children = [Node("a"), Node("b")]
      root.children[0].children = [Node("c")]
      let context = try store.saved(root, Node("other"))
      context.delete(try context.fetch(FetchDescriptor<Node>(predicate: #Predicate { $0.name == "root" }))[0])
      try context.save()
      try expectEqual(try store.context.all(Node.self).map(\.name), ["other"], "what is left")
    },
    StoreGuarantee("deletions.nullify", "Deleting a model clears the relationships that lead to it.") { store in
      let (author, tag) = (Author("A"), Tag("T"))
      let book = Book("B", author: author)
      book.tags = [tag]
      let context = try store.saved(book)
      context.delete(try context.only(Tag.self))
      context.delete(try context.only(Book.self))
      try context.save()
      let reader = store.context
      try expectEqual(try reader.only(Author.self).books.count, 0, "the number of books of the author")
      try expectEqual(try reader.all(Tag.self).count, 0, "the number of tags")
    },
    StoreGuarantee("deletions.deny", "A denied deletion makes the whole save fail.") { store in
      let safe = Safe("S")
      safe.jewels = [Jewel("J")]
      let context = try store.saved(safe)
      context.insert(Single(1))
      context.delete(try context.only(Safe.self))
      try expectThrows("the save of a denied deletion") { try context.save() }
      let reader = store.context
      try expectEqual(try reader.only(Safe.self).jewels.map(\.name), ["J"], "the jewels")
      try expectEqual(try reader.all(Single.self).count, 0, "the number of what the save would have inserted")
      try context.only(Jewel.self).safe = nil
      try context.save()
      try expectEqual(try store.context.all(Safe.self).count, 0, "the number of safes after the second save")
    },
    StoreGuarantee("deletions.noAction", "With the rule noAction, a relationship to a deleted model reads as nil.") {
      store in
      let club = Club("C")
      club.members = [Member("M")]
      let context = try store.saved(club)
      context.delete(try context.only(Club.self))
      try context.save()
      let reader = store.context
      try expect(try reader.only(Member.self).club == nil, "the club is still there")
      let found = try reader.fetchCount(FetchDescriptor<Member>(predicate: #Predicate { $0.club == nil }))
      try expectEqual(found, 1, "the count of members without a club")
    },
    StoreGuarantee("deletions.oneSided", "A deleted model leaves lists without an inverse too.") { store in
      let place = Place("P")
      let pin = Pin("x", place)
      pin.others = [place, Place("Q")]
      let context = try store.saved(pin)
      context.delete(try context.fetch(FetchDescriptor<Place>(predicate: #Predicate { $0.name == "P" }))[0])
      try context.save()
      for context in [context, store.context] {
        let found = try context.only(Pin.self)
        try expect(found.place == nil, "the place is still there")
        try expectEqual(found.others.map(\.name), ["Q"], "the other places")
        let count = try context.fetchCount(FetchDescriptor<Pin>(predicate: #Predicate { $0.place == nil }))
        try expectEqual(count, 1, "the count of pins without a place")
      }
    },
    StoreGuarantee("deletions.state", "A deleted model is `isDeleted` until the save, and keeps its last values.") {
      store in
      let context = try store.saved(Book("B", pages: 3))
      let book = try context.only(Book.self)
      let identifier = book.persistentModelID
      context.delete(book)
      try expect(book.isDeleted && book.modelContext === context, "it does not say that it is deleted")
      try context.save()
      try expect(!book.isDeleted && book.modelContext == nil, "it still says that it is deleted")
      try expectEqual(book.pages, 3, "its last value")
      try expectEqual(book.persistentModelID, identifier, "its identifier")
    },
    StoreGuarantee("deletions.batch", "A batch delete removes exactly the matching models at the save.") {
      store in
      let writer = store.context
      for number in 0..<20 { writer.insert(Single(number)) }
      try writer.save()
      let context = store.context
      try context.delete(model: Single.self, where: #Predicate { $0.number >= 5 })
      try expectEqual(try store.context.fetchCount(FetchDescriptor<Single>()), 20, "the count before the save")
      try expectEqual(try context.fetchCount(FetchDescriptor<Single>()), 5, "the count where it was deleted")
      try context.save()
      try expectEqual(Set(try store.context.all(Single.self).map(\.number)), Set(0..<5), "what is left")
      try context.delete(model: Single.self)
      try context.save()
      try expectEqual(try store.context.fetchCount(FetchDescriptor<Single>()), 0, "the count after the second")
    },
    StoreGuarantee("deletions.batchRules", "A batch delete obeys the delete rules and can be rolled back.") { store in
      let context = try store.library()
      try context.delete(model: Author.self, where: #Predicate { $0.name == "Zoë" })
      context.rollback()
      try expectEqual(try context.fetchCount(FetchDescriptor<Author>()), 4, "the count after the rollback")
      let left = try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.author?.name != "Zoë" }))
      try context.delete(model: Author.self, where: #Predicate { $0.name == "Zoë" })
      try context.save()
      try expectEqual(try store.context.fetchCount(FetchDescriptor<Book>()), left, "the count of books that are left")
      try context.delete(model: Safe.self)
      try context.save()
    },
  ]
}
