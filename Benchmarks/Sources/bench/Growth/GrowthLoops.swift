import BenchKit
import CBenchRows
import Foundation
import SwiftData

@Model final class Branch {
  @Attribute(.unique) var name: String
  @Relationship(inverse: \Leaf.branch) var leaves: [Leaf] = []
  init(name: String) { self.name = name }
}

@Model final class Leaf {
  @Attribute(.unique) var id: UUID
  var number: Int
  var branch: Branch?
  @Relationship(inverse: \Mark.leaves) var marks: [Mark] = []
  init(_ number: Int) {
    id = Self.id(number)
    self.number = number
  }

  static func id(_ number: Int) -> UUID {
    withUnsafeBytes(of: (UInt64(number).bigEndian, UInt64(0x9E37_79B9_7F4A_7C15 &* UInt64(number + 1)))) {
      UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }
}

@Model final class Mark {
  var number: Int
  var leaves: [Leaf] = []
  init(_ number: Int) { self.number = number }
}

/// Ordinary loops that save only at the end. Their cost per item must not grow with the number of items.
struct GrowthLoops {
  let count: Int

  static let measures = [
    ("find", "µs to find or create, unsaved"), ("find, clean", "µs of the same fetch without unsaved objects"),
    ("link", "µs to append to a parent's list, the count read"),
    ("link back", "µs to set the parent, its list loaded"), ("pair", "µs a pair of a many-to-many, saved"),
    ("edit", "µs to append, take out and move in a list"), ("edit, saved", "µs the same, with a save"),
  ]

  func measure() throws -> [String: Double] {
    [
      "find": try find(), "find, clean": try find(creating: false), "link": try link(byList: true),
      "link back": try link(byList: false), "pair": try pair(),
      "edit": try edit(rounds: 30, saving: false), "edit, saved": try edit(rounds: 10, saving: true),
    ]
  }

  private func context() throws -> ModelContext {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    return ModelContext(try ModelContainer(for: Branch.self, Mark.self, configurations: configuration))
  }

  private func microseconds(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
    let start = bench_now_ns()
    try body()
    return Double(bench_now_ns() - start) / 1000 / Double(count)
  }

  /// - Parameter creating: false fetches and inserts nothing.
  private func find(creating: Bool = true) throws -> Double {
    let context = try context()
    return try microseconds(count) {
      for number in 0..<count {
        let id = Leaf.id(number)
        let descriptor = FetchDescriptor<Leaf>(predicate: #Predicate { $0.id == id })
        if let found = try context.fetch(descriptor).first {
          found.number += 1
        } else if creating {
          context.insert(Leaf(number))
        }
      }
    }
  }

  private func link(byList: Bool) throws -> Double {
    let context = try context()
    let branch = Branch(name: "a")
    context.insert(branch)
    try context.save()
    guard branch.leaves.isEmpty else { throw Failure("a new branch has leaves") }
    var sum = 0
    let cost = microseconds(count) {
      for number in 0..<count {
        if byList { branch.leaves.append(Leaf(number)) } else { Leaf(number).branch = branch }
        sum += branch.leaves.count
      }
    }
    guard sum == count * (count + 1) / 2 else { throw Failure("\(branch.leaves.count) of \(count) leaves were linked") }
    return cost
  }

  /// Pairs as many objects on one side as on the other.
  private func pair() throws -> Double {
    let context = try context()
    let side = Int(Double(count).squareRoot())
    let (leaves, marks) = ((0..<side).map { Leaf($0) }, (0..<side).map { Mark($0) })
    for leaf in leaves { context.insert(leaf) }
    for mark in marks { context.insert(mark) }
    return try microseconds(side * side) {
      for leaf in leaves { for mark in marks { leaf.marks.append(mark) } }
      try context.save()
    }
  }

  /// Edits a stored list of `count` elements.
  private func edit(rounds: Int, saving: Bool) throws -> Double {
    let context = try context()
    let branch = Branch(name: "a")
    context.insert(branch)
    branch.leaves = (0..<count).map { Leaf($0) }
    try context.save()
    func run(_ number: Int) throws {
      branch.leaves.append(Leaf(count + number))
      branch.leaves.remove(at: count / 2)
      branch.leaves.insert(branch.leaves.removeLast(), at: count / 3)
      if saving { try context.save() }
    }
    // The first round creates the index of a long list and its positions.
    try run(0)
    return try microseconds(rounds * 3) { for round in 1...rounds { try run(round) } }
  }
}
