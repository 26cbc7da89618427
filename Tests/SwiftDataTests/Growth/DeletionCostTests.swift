import Foundation
import Testing

@testable import SwiftData

private enum Yard {
  @Model final class Leaf {
    var number: Int
    init(number: Int) { self.number = number }
  }

  @Model final class Tree {
    var branches: [Branch] = []
    init() {}
  }

  @Model final class Branch {
    @Relationship(inverse: \Tree.branches) var tree: Tree?
    init() {}
  }
}

@Suite("The cost of deletions one by one") struct DeletionCostTests {
  /// The objects that a context still refers to weakly after their deletion was saved.
  private func departed<M: PersistentModel>(_ make: (Int) -> M) throws -> Int {
    let context = try Growth.context(Yard.Leaf.self, Yard.Tree.self)
    let objects = (0..<50).map(make)
    for object in objects { context.insert(object) }
    try context.save()
    for object in objects { context.delete(object) }
    try context.save()
    return withExtendedLifetime(objects) { context.state.departed.objects.count }
  }

  @Test("A weak reference, which slows an object, is made only to objects with relationships, which could leak")
  func weakReferences() throws {
    #expect(try departed { Yard.Leaf(number: $0) } == 0)
    #expect(try departed { _ in Yard.Branch() } == 50)
  }
}
