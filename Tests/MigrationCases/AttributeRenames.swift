import SwiftData

private enum V1 {
  @Model final class R {
    var a: String = ""
    var b: String = ""
    init(_ a: String, _ b: String) {
      self.a = a
      self.b = b
    }
  }
}

/// b takes the name of a, which goes.
private enum TakeOver {
  @Model final class R {
    @Attribute(originalName: "b") var a: String = "default"
    init() {}
  }
}

private enum Exchange {
  @Model final class R {
    @Attribute(originalName: "b") var a: String = "default"
    @Attribute(originalName: "a") var b: String = "default"
    init() {}
  }
}

/// a becomes x, and b becomes a.
private enum Chain {
  @Model final class R {
    @Attribute(originalName: "a") var x: String = "default"
    @Attribute(originalName: "b") var a: String = "default"
    init() {}
  }
}

/// a becomes b, and b becomes c.
private enum Shift {
  @Model final class R {
    @Attribute(originalName: "a") var b: String = "default"
    @Attribute(originalName: "b") var c: String = "default"
    init() {}
  }
}

/// x has another name again, and still the first one as its original.
private enum Again {
  @Model final class R {
    @Attribute(originalName: "a") var y: String = "default"
    @Attribute(originalName: "b") var a: String = "default"
    init() {}
  }
}

/// a is renamed, and a new property has its name.
private enum Replaced {
  @Model final class R {
    @Attribute(originalName: "a") var x: String = "default"
    var a: String = "new"
    var b: String = ""
    init() {}
  }
}

private enum Twice {
  @Model final class R {
    @Attribute(originalName: "a") var x: String = "default"
    @Attribute(originalName: "a") var y: String = "default"
    init() {}
  }
}

private enum Typed1 {
  @Model final class T {
    var count: Int = 0
    @Attribute(.unique) var name: String = ""
    init(_ count: Int, _ name: String) {
      self.count = count
      self.name = name
    }
  }
}

/// The property of another type takes the name.
private enum Typed2 {
  @Model final class T {
    @Attribute(.unique, originalName: "name") var count: String = "default"
    @Attribute(originalName: "count") var number: Int = -1
    init() {}
  }
}

private enum Text1 {
  @Model final class T {
    @Attribute(.spotlight, .preserveValueOnDeletion) var a: String = ""
    @Attribute(.spotlight, .preserveValueOnDeletion) var b: String = ""
    init(_ a: String, _ b: String) {
      self.a = a
      self.b = b
    }
  }
}

private enum Text2 {
  @Model final class T {
    @Attribute(.spotlight, .preserveValueOnDeletion, originalName: "b") var a: String = ""
    @Attribute(.spotlight, .preserveValueOnDeletion, originalName: "a") var b: String = ""
    init() {}
  }
}

extension MigrationCase {
  private static func seed(_ store: any CaseStore) throws {
    let context = try store.open(V1.R.self)
    context.insert(V1.R("1", "2"))
    try context.save()
  }

  static var attributeRenames: [MigrationCase] {
    // One statement for each case. The compiler takes minutes for them as one literal.
    var cases = [MigrationCase]()
    cases.append(
      MigrationCase("A property takes the name of one that goes", expects: ["2"]) { store in
        try seed(store)
        return try store.open(TakeOver.R.self).fetch(FetchDescriptor<TakeOver.R>()).map(\.a)
      })
    cases.append(
      MigrationCase("Two properties exchange their names, once", expects: ["2 1", "2 1"]) { store in
        try seed(store)
        return try (0..<2).flatMap { _ in
          try texts(store.open(Exchange.R.self), Exchange.R.self) { "\($0.a) \($0.b)" }
        }
      })
    cases.append(
      MigrationCase("A property is renamed, and another takes its name, once", expects: ["1 2", "1 2"]) { store in
        try seed(store)
        return try (0..<2).flatMap { _ in
          try texts(store.open(Chain.R.self), Chain.R.self) { "\($0.x) \($0.a)" }
        }
      })
    cases.append(
      MigrationCase("Each property takes the name of the next", expects: ["1 2"]) { store in
        try seed(store)
        return try texts(store.open(Shift.R.self), Shift.R.self) { "\($0.b) \($0.c)" }
      })
    cases.append(
      MigrationCase("A renamed property is renamed again, with its first name as its original", expects: ["1 2"]) {
        store in
        try seed(store)
        _ = try store.open(Chain.R.self)
        return try texts(store.open(Again.R.self), Again.R.self) { "\($0.y) \($0.a)" }
      })
    cases.append(
      MigrationCase(
        "A new property with the former name of a renamed one starts with its default", expects: ["1 new 2"]
      ) {
        store in
        try seed(store)
        return try texts(store.open(Replaced.R.self), Replaced.R.self) { "\($0.x) \($0.a) \($0.b)" }
      })
    cases.append(
      MigrationCase("Two properties that name one as their original are refused", expects: ["R", "1 2"]) { store in
        try seed(store)
        do {
          _ = try store.open(Twice.R.self)
          return ["opened"]
        } catch let error as SwiftDataError {
          let kept = try texts(store.open(V1.R.self), V1.R.self) { "\($0.a) \($0.b)" }
          return [error.entity ?? ""] + kept
        }
      })
    cases.append(
      MigrationCase("A property of another type takes the name, and stays unique", expects: ["n 5", "n 6"]) { store in
        do {
          let context = try store.open(Typed1.T.self)
          context.insert(Typed1.T(5, "n"))
          try context.save()
        }
        let context = try store.open(Typed2.T.self)
        let before = try texts(context, Typed2.T.self) { "\($0.count) \($0.number)" }
        let new = Typed2.T()
        (new.count, new.number) = ("n", 6)
        context.insert(new)
        try context.save()
        return before
          + (try texts(ModelContext(context.container), Typed2.T.self) { "\($0.count) \($0.number)" })
      })
    cases.append(
      MigrationCase(
        "Exchanged texts keep their original form, are found by their words, and the history knows their names",
        expects: ["2 \u{61}\u{308}1", "1", "0", "[\"a\"]"]
      ) { store in
        do {
          let context = try store.open(Text1.T.self)
          let text = Text1.T("\u{61}\u{308}1", "2")
          context.insert(text)
          try context.save()
          for value in ["3", "2"] {
            text.b = value
            try context.save()
          }
        }
        let context = try store.open(Text2.T.self)
        let found = try context.fetch(FetchDescriptor<Text2.T>())
        let same = found.map { "\($0.a) \($0.b)" }.filter { $0.utf8.elementsEqual("2 \u{61}\u{308}1".utf8) }
        let hits = try context.fetchCount(FetchDescriptor<Text2.T>(predicate: #Predicate { $0.b == "\u{E4}1" }))
        let others = try context.fetchCount(FetchDescriptor<Text2.T>(predicate: #Predicate { $0.a == "\u{E4}1" }))
        let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
        let names = history.last?.changes.compactMap { change -> [String]? in
          guard case .update(let update as DefaultHistoryUpdate<Text2.T>) = change else { return nil }
          return update.updatedAttributes.contains(\Text2.T.a) ? ["a"] : ["b"]
        }
        return same + ["\(hits)", "\(others)", "\(names?.last ?? [])"]
      })
    return cases
  }
}
