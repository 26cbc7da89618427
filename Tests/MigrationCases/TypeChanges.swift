import SwiftData

private enum Grade: String, Codable { case low, high }
private enum Rank: Int, Codable { case first = 1, second }
private struct Look: Codable { var size: Int = 0 }
private struct Wide: Codable { var zoom: Int = 0 }

private enum Raw {
  @Model final class Card {
    var grade: String
    var rank: Int
    var number: Int = 300
    var look = Look()
    init(_ grade: String, _ rank: Int) { (self.grade, self.rank) = (grade, rank) }
  }
}

private enum Typed {
  @Model final class Card {
    var grade: Grade
    var rank: Rank
    var number: Int16
    var look = Look()
    init() { (grade, rank, number) = (.low, .first, 1) }
  }
}

private enum Narrow {
  @Model final class Card {
    var grade: String
    var rank: Int
    var number: Int8 = 1
    var look = Look()
    init() { (grade, rank) = ("", 1) }
  }
}

private enum Other {
  @Model final class Card {
    var grade: String
    var rank: Int
    var number: Int = 300
    var look = Wide()
    init() { (grade, rank) = ("", 1) }
  }
}

private enum Unsigned {
  @Model final class Count {
    var number: UInt64
    init(_ number: UInt64) { self.number = number }
  }
}

private enum Signed {
  @Model final class Count {
    var number: Int8
    init() { number = 0 }
  }
}

extension MigrationCase {
  /// Opens a store with some cards with models that give the properties other types, and then again with the former ones.
  private static func change(
    _ cards: [(String, Int)], to type: any PersistentModel.Type, _ store: any CaseStore,
    _ describe: (ModelContext) throws -> [String]
  ) throws -> [String] {
    do {
      let context = try store.open(Raw.Card.self)
      for (grade, rank) in cards { context.insert(Raw.Card(grade, rank)) }
      try context.save()
    }
    do {
      return try describe(store.open(type))
    } catch let error as SwiftDataError {
      let left = try store.open(Raw.Card.self).fetchCount(FetchDescriptor<Raw.Card>())
      return ["\(error.entity ?? "?").\(error.property ?? "?")", "\(left) left"]
    }
  }

  package static var typeChanges: [MigrationCase] {
    var cases = [MigrationCase]()
    cases.append(
      MigrationCase("Raw values become enums, and integers become narrower, if all fit", expects: ["high first 300"]) {
        store in
        try change([("high", 1)], to: Typed.Card.self, store) { context in
          try texts(context, Typed.Card.self) { "\($0.grade) \($0.rank) \($0.number)" }
        }
      })
    cases.append(
      MigrationCase("A text that is no case of the enum is refused", expects: ["Card.grade", "2 left"]) { store in
        try change([("high", 1), ("middle", 1)], to: Typed.Card.self, store) { _ in ["opened"] }
      })
    cases.append(
      MigrationCase("A number that is no case of the enum is refused", expects: ["Card.rank", "2 left"]) { store in
        try change([("high", 1), ("low", 3)], to: Typed.Card.self, store) { _ in ["opened"] }
      })
    cases.append(
      MigrationCase("A number that the narrower type lacks is refused", expects: ["Card.number", "1 left"]) { store in
        try change([("high", 1)], to: Narrow.Card.self, store) { _ in ["opened"] }
      })
    cases.append(
      MigrationCase("A value that another struct cannot read is refused", expects: ["Card.look", "1 left"]) { store in
        try change([("high", 1)], to: Other.Card.self, store) { _ in ["opened"] }
      })
    // Its bits are those of a small negative number, and the other one fits 64 bits only.
    for number in [UInt64.max, UInt64(Int64.max)] {
      cases.append(
        MigrationCase(
          "An unsigned \(number) that a narrower type lacks is refused", expects: ["Count.number", "1 left"]
        ) {
          store in
          do {
            let context = try store.open(Unsigned.Count.self)
            context.insert(Unsigned.Count(number))
            try context.save()
          }
          do {
            return try texts(store.open(Signed.Count.self), Signed.Count.self) { "\($0.number)" }
          } catch let error as SwiftDataError {
            let left = try store.open(Unsigned.Count.self).fetchCount(FetchDescriptor<Unsigned.Count>())
            return ["\(error.entity ?? "?").\(error.property ?? "?")", "\(left) left"]
          }
        })
    }
    return cases
  }
}
