import Foundation
import SwiftData

typealias Path<Root, Member> = ReferenceWritableKeyPath<Root, Member> & Sendable
typealias ReadPath<Root, Member> = KeyPath<Root, Member> & Sendable

/// What the test knows about a class: how to make, fill and read its objects, and what to ask about them.
protocol AnyKind {
  var name: String { get }
  var superclass: String? { get }
  var type: any PersistentModel.Type { get }
  /// The sets of properties that the class declares unique.
  var uniques: [[String]] { get }
  /// The to-many relationships whose order the program does not set.
  var unorderedLists: [String] { get }
  var properties: [String] { get }

  /// A new object with random attributes.
  func make(_ serial: Int, _ random: inout Random) -> any PersistentModel
  /// Whether an object is of this class and of no subclass.
  func isClass(of object: any PersistentModel) -> Bool
  /// The object without its class.
  func read(_ object: any PersistentModel) -> Object
  /// Gives the attributes that are not unique new values.
  func change(_ object: any PersistentModel, _ random: inout Random)
  /// Sets the relationships to some of the objects.
  func connect(_ object: any PersistentModel, to others: [any PersistentModel], _ random: inout Random)
  /// The models of this class and of no subclass.
  func models(in context: ModelContext) throws -> [any PersistentModel]
  /// The random fetches that differ from Swift's `filter` and `sorted`.
  func disagreements(_ context: ModelContext, _ random: inout Random, questions: Int) throws -> [String]
}

/// A property of a class.
struct Field<Root> {
  let name: String
  var isUnique = false
  var isUnorderedList = false
  let read: (Root) -> Value
  /// Nil for a relationship.
  var fill: ((Root, inout Random) -> Void)?
  /// Nil for an attribute.
  var connect: ((Root, [any PersistentModel], inout Random) -> Void)?
}

/// A predicate about one property with a value that is random or that an object has.
struct Question<Root: PersistentModel> {
  let text: String
  let ask: ([Root], inout Random) -> Predicate<Root>
}

final class Kind<Root: PersistentModel>: AnyKind {
  let name: String
  let superclass: String?
  let uniques: [[String]]
  private let serial: Path<Root, Int>
  private let create: () -> Root
  private(set) var fields: [Field<Root>] = []
  private(set) var questions: [Question<Root>] = []
  private(set) var orders: [(text: String, order: (SortOrder) -> SortDescriptor<Root>)] = []

  init(
    _ name: String, of superclass: String? = nil, _ serial: Path<Root, Int>, unique: [[String]] = [],
    create: @escaping () -> Root
  ) {
    (self.name, self.superclass, self.uniques) = (name, superclass, unique)
    (self.serial, self.create) = (serial, create)
    ordered("serial", serial)
  }

  var type: any PersistentModel.Type { Root.self }
  var unorderedLists: [String] { fields.filter(\.isUnorderedList).map(\.name) }

  var properties: [String] { fields.map(\.name) }

  func add(_ field: Field<Root>) {
    var field = field
    field.isUnique = field.name == "serial" || uniques.contains { $0.contains(field.name) }
    fields.append(field)
  }
  func add(_ questions: [Question<Root>]) { self.questions += questions }
  func add(_ text: String, _ order: @escaping (SortOrder) -> SortDescriptor<Root>) { orders.append((text, order)) }

  // MARK: - Objects

  func make(_ serial: Int, _ random: inout Random) -> any PersistentModel {
    let object = create()
    for field in fields { field.fill?(object, &random) }
    object[keyPath: self.serial] = serial
    return object
  }

  func isClass(of object: any PersistentModel) -> Bool { Swift.type(of: object) == Root.self }

  func read(_ object: any PersistentModel) -> Object {
    let root = object as! Root
    return Object(
      kind: name, serial: root[keyPath: serial],
      values: Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.read(root)) }))
  }

  func change(_ object: any PersistentModel, _ random: inout Random) {
    for field in fields where !field.isUnique { field.fill?(object as! Root, &random) }
  }

  func connect(_ object: any PersistentModel, to others: [any PersistentModel], _ random: inout Random) {
    for field in fields { field.connect?(object as! Root, others, &random) }
  }

  func models(in context: ModelContext) throws -> [any PersistentModel] {
    try context.fetch(FetchDescriptor<Root>(sortBy: [SortDescriptor(serial)])).filter { isClass(of: $0) }
  }

  // MARK: - Fetches

  func disagreements(_ context: ModelContext, _ random: inout Random, questions count: Int) throws -> [String] {
    let all = try context.fetch(FetchDescriptor<Root>(sortBy: [SortDescriptor(serial)]))
    var result = [String]()
    for number in 0..<count {
      let question = random.pick(questions)
      var predicate = question.ask(all, &random)
      var text = question.text
      if number % 4 == 3 {
        let other = random.pick(questions)
        let isAll = random.chance(50)
        let both = [predicate, other.ask(all, &random)]
        predicate = isAll ? Predicate(all: both) : Predicate(any: both)
        text += "\(isAll ? " && " : " || ")\(other.text)"
      }
      let order = random.pick(orders)
      let sorting = number % 2 == 0 ? [order.order(random.chance(50) ? .forward : .reverse)] : []
      let descriptors = sorting + [SortDescriptor(serial)]
      if !sorting.isEmpty { text += " by \(order.text)" }
      let expected = all.filter { (try? predicate.evaluate($0)) ?? false }.sorted(using: descriptors)
      result += difference(text, predicate, descriptors, expected, context)
    }
    return result
  }

  private func difference(
    _ text: String, _ predicate: Predicate<Root>, _ order: [SortDescriptor<Root>], _ expected: [Root],
    _ context: ModelContext
  ) -> [String] {
    let wanted = expected.map { $0[keyPath: serial] }
    do {
      let got = try context.fetch(FetchDescriptor(predicate: predicate, sortBy: order)).map { $0[keyPath: serial] }
      return got == wanted ? [] : ["\(name): \(text) finds \(got), expected \(wanted): \(predicate)"]
    } catch {
      return ["\(name): \(text) throws \(error), expected \(wanted): \(predicate)"]
    }
  }
}
