import SwiftData

private enum V1 {
  @Model class Event {
    var title: String
    init(_ title: String) { self.title = title }
  }
  @Model final class Work: Event {
    var cost: Int = 1
    override init(_ title: String) { super.init(title) }
  }
  @Model final class Party: Event {
    var cost: Int = 2
    var guests: Int = 1
    var place: String?
    override init(_ title: String) { super.init(title) }
  }
}

/// Work gets a property that Party has.
private enum Both {
  @Model class Event {
    var title: String
    init(_ title: String) { self.title = title }
  }
  @Model final class Work: Event {
    var cost: Int = 1
    var guests: Int = 9
    override init(_ title: String) { super.init(title) }
  }
  @Model final class Party: Event {
    var cost: Int = 2
    var guests: Int = 1
    var place: String?
    override init(_ title: String) { super.init(title) }
  }
}

/// Two properties of Party become properties of Work, which are others.
private enum Moved {
  @Model class Event {
    var title: String
    init(_ title: String) { self.title = title }
  }
  @Model final class Work: Event {
    var cost: Int = 1
    var guests: Int = 9
    var place: String = "office"
    override init(_ title: String) { super.init(title) }
  }
  @Model final class Party: Event {
    var cost: Int = 2
    override init(_ title: String) { super.init(title) }
  }
}

/// A property is renamed in one of two siblings.
private enum Renamed {
  @Model class Event {
    var title: String
    init(_ title: String) { self.title = title }
  }
  @Model final class Work: Event {
    @Attribute(originalName: "cost") var budget: Int = 1
    override init(_ title: String) { super.init(title) }
  }
  @Model final class Party: Event {
    var cost: Int = 2
    var guests: Int = 1
    var place: String?
    override init(_ title: String) { super.init(title) }
  }
}

package struct Money: Codable, Equatable {
  var cents: Int
}

/// A property is replaced by one of another type in one of two siblings.
private enum Retyped {
  @Model class Event {
    var title: String
    init(_ title: String) { self.title = title }
  }
  @Model final class Work: Event {
    @Attribute(originalName: "never") var cost: Money = Money(cents: 7)
    override init(_ title: String) { super.init(title) }
  }
  @Model final class Party: Event {
    var cost: Int = 2
    var guests: Int = 1
    var place: String?
    override init(_ title: String) { super.init(title) }
  }
}

/// The siblings' property is their superclass's.
private enum Raised {
  @Model class Event {
    var title: String
    var cost: Int = 5
    var guests: Int = 6
    init(_ title: String) { self.title = title }
  }
  @Model final class Work: Event {
    override init(_ title: String) { super.init(title) }
  }
  @Model final class Party: Event {
    var place: String?
    override init(_ title: String) { super.init(title) }
  }
}

private enum Inherited {
  @Model class Event {
    var title: String
    var note: String?
    init(_ title: String) { self.title = title }
  }
  @Model final class Party: Event {
    override init(_ title: String) { super.init(title) }
  }
}

/// Properties of Party take the values that it inherited, and inherited ones keep the names.
private enum Lowered {
  @Model class Event {
    var title: String = "none"
    var note: String?
    init(_ title: String) { self.title = title }
  }
  @Model final class Party: Event {
    @Attribute(originalName: "title") var heading: String = ""
    @Attribute(originalName: "note") var remark: String?
    override init(_ title: String) { super.init(title) }
  }
}

/// The inherited property has no default for Party.
private enum Required {
  @Model class Event {
    var title: String
    var note: String?
    init(_ title: String) { self.title = title }
  }
  @Model final class Party: Event {
    @Attribute(originalName: "title") var heading: String = ""
    override init(_ title: String) { super.init(title) }
  }
}

private enum Pair1 {
  @Model class Event {
    var a: String
    var b: String
    init(_ number: Int) { (a, b) = ("a\(number)", "b\(number)") }
  }
  @Model final class Work: Event {
    override init(_ number: Int) { super.init(number) }
  }
  @Model final class Party: Event {
    override init(_ number: Int) { super.init(number) }
  }
}

/// a becomes b, and each subclass has a property with the values of the former b.
private enum Pair2 {
  @Model class Event {
    @Attribute(originalName: "a") var b: String = "none"
    init() {}
  }
  @Model final class Work: Event {
    @Attribute(originalName: "b") var c: String = "none"
    override init() { super.init() }
  }
  @Model final class Party: Event {
    @Attribute(originalName: "b") var d: String = "none"
    override init() { super.init() }
  }
}

private enum Unique {
  @Model class Event {
    var title: String
    init(_ title: String) { self.title = title }
  }
  @Model final class Ticket: Event {
    @Attribute(.unique) var code: String
    init(_ title: String, _ code: String) {
      self.code = code
      super.init(title)
    }
  }
  @Model final class Visit: Event {
    var code: String
    init(_ title: String, _ code: String) {
      self.code = code
      super.init(title)
    }
  }
  @Model class Holiday: Event {
    #Unique<Holiday>([\.title])
    var days: Int = 1
    override init(_ title: String) { super.init(title) }
  }
  @Model final class Feast: Holiday {
    var food: String = "cake"
    override init(_ title: String) { super.init(title) }
  }
}

extension MigrationCase {
  private static func seed(_ store: any CaseStore) throws {
    let context = try store.open(V1.Event.self, V1.Work.self, V1.Party.self)
    let (work, party) = (V1.Work("work"), V1.Party("party"))
    work.cost = 11
    (party.cost, party.guests, party.place) = (22, 30, "garden")
    for object in [work, party, V1.Event("event")] { context.insert(object) }
    try context.save()
  }

  static var siblingValues: [MigrationCase] {
    // One statement for each case. The compiler takes minutes for them as one literal.
    var cases = [MigrationCase]()
    cases.append(
      MigrationCase("A sibling that gains a property gets its default", expects: ["9", "30"]) { store in
        try seed(store)
        let context = try store.open(Both.Event.self, Both.Work.self, Both.Party.self)
        return try texts(context, Both.Work.self) { "\($0.guests)" }
          + texts(context, Both.Party.self) { "\($0.guests)" }
      })
    cases.append(
      MigrationCase("A property that moves to a sibling starts with its default", expects: ["9 office 11", "22", "3"]) {
        store in
        try seed(store)
        let context = try store.open(Moved.Event.self, Moved.Work.self, Moved.Party.self)
        return try texts(context, Moved.Work.self) { "\($0.guests) \($0.place) \($0.cost)" }
          + texts(context, Moved.Party.self) { "\($0.cost)" }
          + ["\(context.fetch(FetchDescriptor<Moved.Event>()).count)"]
      })
    cases.append(
      MigrationCase("A property is renamed in one sibling", expects: ["11", "22 30 garden"]) { store in
        try seed(store)
        let context = try store.open(Renamed.Event.self, Renamed.Work.self, Renamed.Party.self)
        return try texts(context, Renamed.Work.self) { "\($0.budget)" }
          + texts(context, Renamed.Party.self) { "\($0.cost) \($0.guests) \($0.place ?? "nil")" }
      })
    cases.append(
      MigrationCase("A property has another type in one sibling", expects: ["7", "22"]) { store in
        try seed(store)
        let context = try store.open(Retyped.Event.self, Retyped.Work.self, Retyped.Party.self)
        return try texts(context, Retyped.Work.self) { "\($0.cost.cents)" }
          + texts(context, Retyped.Party.self) { "\($0.cost)" }
      })
    cases.append(
      MigrationCase(
        "A property of siblings moves to their superclass and back",
        expects: ["event 5 6", "party 22 30", "work 11 6", "work 11", "party 22 30 garden"]
      ) { store in
        try seed(store)
        let raised: [String]
        do {
          let context = try store.open(Raised.Event.self, Raised.Work.self, Raised.Party.self)
          raised = try texts(context, Raised.Event.self, sortBy: [SortDescriptor(\.title)]) {
            "\($0.title) \($0.cost) \($0.guests)"
          }
        }
        let context = try store.open(V1.Event.self, V1.Work.self, V1.Party.self)
        return try raised + texts(context, V1.Work.self) { "\($0.title) \($0.cost)" }
          + texts(context, V1.Party.self) {
            "\($0.title) \($0.cost) \($0.guests) \($0.place ?? "nil")"
          }
      })
    cases.append(
      MigrationCase(
        "An inherited property starts anew where the subclass's own takes its values",
        expects: ["Event title refused", "event e", "party p", "event e", "none nil", "party p none nil"]
      ) { store in
        do {
          let context = try store.open(Inherited.Event.self, Inherited.Party.self)
          let (event, party) = (Inherited.Event("event"), Inherited.Party("party"))
          (event.note, party.note) = ("e", "p")
          for object in [event, party] { context.insert(object) }
          try context.save()
        }
        var found = [String]()
        do {
          _ = try store.open(Required.Event.self, Required.Party.self)
        } catch let error as SwiftDataError {
          found.append("\(error.entity ?? "") \(error.property ?? "") refused")
        }
        do {
          let context = try store.open(Inherited.Event.self, Inherited.Party.self)
          found += try texts(context, Inherited.Event.self, sortBy: [SortDescriptor(\.title)]) {
            "\($0.title) \($0.note ?? "nil")"
          }
        }
        let context = try store.open(Lowered.Event.self, Lowered.Party.self)
        found += try texts(context, Lowered.Event.self, sortBy: [SortDescriptor(\.title)]) {
          "\($0.title) \($0.note ?? "nil")"
        }
        return found
          + (try texts(context, Lowered.Party.self) {
            "\($0.heading) \($0.remark ?? "nil") \($0.title) \($0.note ?? "nil")"
          })
      })
    cases.append(
      MigrationCase(
        "A property takes the name of an inherited one whose values go to the subclasses",
        expects: ["a0", "a1", "a2", "a1 b1", "a2 b2"]
      ) { store in
        do {
          let context = try store.open(Pair1.Event.self, Pair1.Work.self, Pair1.Party.self)
          for object in [Pair1.Event(0), Pair1.Work(1), Pair1.Party(2)] { context.insert(object) }
          try context.save()
        }
        let context = try store.open(Pair2.Event.self, Pair2.Work.self, Pair2.Party.self)
        return try texts(context, Pair2.Event.self, sortBy: [SortDescriptor(\.b)]) { $0.b }
          + texts(context, Pair2.Work.self) { "\($0.b) \($0.c)" }
          + texts(context, Pair2.Party.self) { "\($0.b) \($0.d)" }
      })
    cases.append(
      MigrationCase(
        "Unique values of a subclass are its own and its subclasses'",
        expects: ["visits 2", "tickets 1", "events 1", "holidays 1", "Holiday refused", "Feast holidays 2"]
      ) { store in
        let context = try store.open(
          Unique.Event.self, Unique.Ticket.self, Unique.Visit.self, Unique.Holiday.self, Unique.Feast.self)
        for _ in 0..<2 {
          context.insert(Unique.Visit("v", "same"))
          context.insert(Unique.Ticket("t", "same"))
          context.insert(Unique.Holiday("v"))
          try context.save()
        }
        context.insert(Unique.Event("v"))
        try context.save()
        let events = try context.fetch(FetchDescriptor<Unique.Event>())
        func count(_ type: Unique.Event.Type) -> Int { events.filter { Swift.type(of: $0) == type }.count }
        var found = [
          "visits \(count(Unique.Visit.self))", "tickets \(count(Unique.Ticket.self))",
          "events \(count(Unique.Event.self))", "holidays \(count(Unique.Holiday.self))",
        ]
        // A feast is a holiday, and cannot take the place of one.
        context.insert(Unique.Feast("v"))
        do { try context.save() } catch let error as SwiftDataError {
          found.append(error.code == SwiftDataError.uniquenessViolation.code ? "Holiday refused" : "\(error)")
        }
        context.rollback()
        context.insert(Unique.Feast("w"))
        try context.save()
        return found + ["Feast holidays \(try context.fetchCount(FetchDescriptor<Unique.Holiday>()))"]
      })
    return cases
  }
}
