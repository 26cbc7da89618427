import Foundation
import Testing

@testable import SwiftData

private enum Shaped {
  enum Mood: String, Codable { case calm, wild }

  @Model final class Animal {
    var name: String
    var nickname: String?
    var age: Int
    var weight: Double
    var isTame: Bool
    var mood: Mood
    var born: Date

    init(_ name: String, nickname: String? = nil, age: Int, weight: Double = 1, isTame: Bool, mood: Mood = .calm) {
      self.name = name
      self.nickname = nickname
      self.age = age
      self.weight = weight
      self.isTame = isTame
      self.mood = mood
      self.born = Date(timeIntervalSinceReferenceDate: Double(age))
    }
  }
}

private enum Grown {
  @Model final class Tree {
    var name: String
    @Relationship(inverse: \Branch.tree) var branches: [Branch] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Branch {
    var tree: Tree
    @Relationship(inverse: \Leaf.branch) var leaves: [Leaf] = []
    init(_ tree: Tree) { self.tree = tree }
  }

  @Model final class Leaf {
    var branch: Branch
    init(_ branch: Branch) { self.branch = branch }
  }
}

/// Classes with the same columns.
private enum SameColumns {
  protocol Item: PersistentModel { var name: String { get } }

  @Model final class Tag: Item {
    var name: String
    init(_ name: String) { self.name = name }
  }

  @Model final class Category: Item {
    var name: String
    init(_ name: String) { self.name = name }
  }

  @Model final class Rank: Item {
    var name: String
    init(_ name: String) { self.name = name }
  }
}

extension Int {
  fileprivate var distance: Int { abs(self) }
}

/// A fetch whose shape was seen before takes its SQL from then and brings its own values.
@Suite struct QueryShapeTests {
  private let context: ModelContext
  private let animals: [Shaped.Animal]

  init() throws {
    context = try memoryContext(Shaped.Animal.self)
    animals = [
      Shaped.Animal("ant", nickname: "a", age: 1, weight: 0.5, isTame: false, mood: .wild),
      Shaped.Animal("bee", age: 2, weight: .nan, isTame: false),
      Shaped.Animal("cat", nickname: "c", age: 3, weight: 4, isTame: true),
      Shaped.Animal("dog", age: 4, weight: .infinity, isTame: true, mood: .wild),
      Shaped.Animal("caf\u{e9}", nickname: "e\u{301}", age: 5, isTame: true),
    ]
    for animal in animals { context.insert(animal) }
    try context.save()
  }

  /// Fetches what Swift finds, every time.
  private func agree(_ predicate: Predicate<Shaped.Animal>, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let found = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.age)]))
    let expected = try animals.filter { try predicate.evaluate($0) }
    #expect(found.map(\.name) == expected.map(\.name), sourceLocation: sourceLocation)
  }

  @Test("A page, a partial fetch, identifiers and marked rows of one shape have statements of their own")
  func statements() throws {
    let all = ["ant", "bee", "cat", "dog", "caf\u{e9}"]
    func descriptor(_ limit: Int?, _ offset: Int?) -> FetchDescriptor<Shaped.Animal> {
      var descriptor = FetchDescriptor<Shaped.Animal>(
        predicate: #Predicate { $0.age > 0 }, sortBy: [SortDescriptor(\.age)])
      (descriptor.fetchLimit, descriptor.fetchOffset) = (limit, offset)
      return descriptor
    }
    func names(_ limit: Int?, _ offset: Int?) throws -> [String] {
      try context.fetch(descriptor(limit, offset)).map(\.name)
    }
    // Twice, since the second round finds the statements of the first.
    for _ in 0..<2 {
      for limit in [nil, 1, 2, 3, 4, 5] {
        #expect(try names(limit, nil) == Array(all.prefix(limit ?? 5)))
        #expect(try names(limit, 2) == Array(all.dropFirst(2).prefix(limit ?? 5)))
      }
      #expect(try context.fetchIdentifiers(descriptor(2, nil)) == animals.prefix(2).map(\.persistentModelID))
      #expect(try context.fetch(descriptor(2, nil), after: animals[1]).map(\.name) == ["cat", "dog"])
      var partial = descriptor(2, nil)
      partial.propertiesToFetch = [\.name]
      let other = ModelContext(context.container)
      #expect(try other.fetch(partial).map(\.name) == ["ant", "bee"])
      #expect(try other.fetch(partial).map(\.nickname) == ["a", nil])
      try other.delete(model: Shaped.Animal.self, where: #Predicate { $0.age == 1 })
      #expect(try other.fetch(descriptor(2, nil)).map(\.name) == ["bee", "cat"])
    }
  }

  @Test("A predicate that names no variable finds the objects of its own class, in each kind of fetch")
  func withoutVariable() throws {
    let context = try memoryContext(SameColumns.Tag.self, SameColumns.Category.self, SameColumns.Rank.self)
    for name in ["a", "b", "c"] { context.insert(SameColumns.Tag(name)) }
    context.insert(SameColumns.Category("x"))
    context.insert(SameColumns.Rank("r"))
    context.insert(SameColumns.Rank("s"))
    try context.save()
    let other = ModelContext(context.container)
    func check<M: SameColumns.Item>(_: M.Type, _ names: [String]) throws {
      let isOn = true
      for predicate in [
        #Predicate<M> { _ in true }, Predicate<M>(all: []), #Predicate<M> { _ in isOn == true }, Predicate<M>.true,
      ] {
        let descriptor = FetchDescriptor<M>(predicate: predicate)
        #expect(try other.fetch(descriptor).map(\.name) == names)
        #expect(
          try other.fetchIdentifiers(descriptor).map(\.entityName) == names.map { _ in Schema.entityName(for: M.self) })
        #expect(try other.fetchIdentifiers(descriptor).count == names.count)
        #expect(try other.fetchCount(descriptor) == names.count)
        var enumerated = [String]()
        try other.enumerate(descriptor) { enumerated.append($0.name) }
        #expect(enumerated == names)
      }
    }
    for _ in 0..<2 {
      try check(SameColumns.Tag.self, ["a", "b", "c"])
      try check(SameColumns.Category.self, ["x"])
      try check(SameColumns.Rank.self, ["r", "s"])
    }
  }

  @Test("Texts, numbers and dates of one shape are those of the fetch at hand")
  func values() throws {
    for name in ["ant", "bee", "caf\u{e9}", "cafe\u{301}", "", "no such"] { try agree(#Predicate { $0.name == name }) }
    for age in [1, 4, -3, .max] { try agree(#Predicate { $0.age == age }) }
    for age in [1, 3, 9] { try agree(#Predicate { $0.age < age || $0.age == age }) }
    for weight in [0.5, 4, .nan, .infinity, -.infinity] { try agree(#Predicate { $0.weight <= weight }) }
    for age in 0..<5 {
      let date = Date(timeIntervalSinceReferenceDate: Double(age))
      try agree(#Predicate { $0.born > date })
    }
  }

  @Test("Two values stay in their places, also after two that were equal")
  func twoValues() throws {
    for (low, high) in [(2, 2), (1, 3), (3, 1), (2, 4)] {
      try agree(#Predicate { $0.age >= low && $0.age <= high })
    }
  }

  @Test("nil, truth and cases make other conditions than the values before them")
  func otherConditions() throws {
    for nickname in ["a", nil, "c", "\u{e9}", nil] as [String?] { try agree(#Predicate { $0.nickname == nickname }) }
    for nickname in ["a", nil] as [String?] { try agree(#Predicate { $0.nickname != nickname }) }
    for isTame in [true, false, true] { try agree(#Predicate { $0.isTame == isTame && $0.age > 1 }) }
    for mood in [Shaped.Mood.calm, .wild] { try agree(#Predicate { $0.mood == mood }) }
    for wanted in [true, false] { try agree(#Predicate { wanted || $0.age == 2 }) }
  }

  @Test("Comparisons of one type are told apart by what they compare and how")
  func operators() throws {
    let (three, four) = (3, 4)
    try agree(#Predicate { $0.age < three })
    try agree(#Predicate { $0.age > four })
    try agree(#Predicate { $0.age <= three })
    try agree(#Predicate { $0.age >= four })
    let text = "cat"
    try agree(#Predicate { $0.name == text })
    try agree(#Predicate { $0.name > text })
  }

  @Test("What a key path finds in a captured value is not the value")
  func memberOfCapturedValue() throws {
    // As Foundation's own macro writes it; ours looks into the value at once.
    for number in [3, -3, 4, -4] {
      try agree(
        Predicate<Shaped.Animal> {
          PredicateExpressions.build_Equal(
            lhs: PredicateExpressions.build_KeyPath(root: PredicateExpressions.build_Arg($0), keyPath: \.age),
            rhs: PredicateExpressions.build_KeyPath(root: PredicateExpressions.build_Arg(number), keyPath: \.distance))
        })
    }
  }

  @Test("The order is part of the shape")
  func order() throws {
    let one = 1
    func names(_ sort: [SortDescriptor<Shaped.Animal>]) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: #Predicate { $0.age > one && $0.age < 5 }, sortBy: sort)).map(\.name)
    }
    #expect(try names([SortDescriptor(\.age)]) == ["bee", "cat", "dog"])
    #expect(try names([SortDescriptor(\.age, order: .reverse)]) == ["dog", "cat", "bee"])
    #expect(try names([SortDescriptor(\.isTame, order: .reverse), SortDescriptor(\.name)]) == ["cat", "dog", "bee"])
  }

  @Test("A limit and an offset are not")
  func limits() throws {
    let zero = 0
    for limit in [nil, 1, 2, 0] as [Int?] {
      for offset in [nil, 1, 9] as [Int?] {
        var descriptor = FetchDescriptor<Shaped.Animal>(
          predicate: #Predicate { $0.age > zero }, sortBy: [SortDescriptor(\.age)])
        (descriptor.fetchLimit, descriptor.fetchOffset) = (limit, offset)
        let expected = animals.dropFirst(offset ?? 0).prefix(limit ?? .max)
        #expect(try context.fetch(descriptor).map(\.name) == expected.map(\.name))
        #expect(try context.fetchCount(descriptor) == expected.count)
      }
    }
  }

  @Test("A text that is not in normal form changes the comparisons that were known")
  func nonNFC() throws {
    func count(_ name: String) throws -> Int {
      try context.fetchCount(FetchDescriptor<Shaped.Animal>(predicate: #Predicate { $0.name == name }))
    }
    #expect(try count("e\u{301}mu") == 0)
    #expect(try count("cat") == 1)
    context.insert(Shaped.Animal("e\u{301}mu", age: 9, isTame: false))
    try context.save()
    #expect(try count("\u{e9}mu") == 1)
    #expect(try count("cat") == 1)
  }

  @Test("Pending changes are laid over what a known shape finds")
  func pendingChanges() throws {
    for age in [1, 2] {
      animals[0].age = age
      try agree(#Predicate { $0.age == age })
    }
  }

  @Test("After a fetch whose text was kept, an unsaved change that any row may depend on is seen")
  func farChange() throws {
    let context = try memoryContext(Grown.Tree.self, Grown.Branch.self, Grown.Leaf.self)
    let tree = Grown.Tree("oak")
    context.insert(Grown.Leaf(Grown.Branch(tree)))
    try context.save()
    func leaves(_ name: String) throws -> Int {
      try context.fetch(FetchDescriptor<Grown.Leaf>(predicate: #Predicate { $0.branch.tree.name == name })).count
    }
    #expect(try leaves("oak") == 1)
    #expect(try leaves("oak") == 1)
    tree.name = "elm"
    #expect(try leaves("elm") == 1)
    #expect(try leaves("oak") == 0)
  }
}
