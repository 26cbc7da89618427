import SwiftData

/// What the random tests need of a model: a number that names the object for ever, and two attributes to change.
protocol LawObject: PersistentModel {
  var tag: Int { get }
  var number: Int? { get set }
  var text: String { get set }
}

/// The models of the random tests: a hub with a relationship of every shape, and a node related to its own kind.
enum Law {
  @Model final class Hub: LawObject {
    var tag: Int
    var number: Int?
    var text: String = ""
    @Relationship(deleteRule: .nullify, inverse: \Item.hub) var items: [Item] = []
    @Relationship(deleteRule: .cascade, inverse: \Part.hub) var parts: [Part] = []
    @Relationship(deleteRule: .deny, inverse: \Lock.hub) var locks: [Lock] = []
    @Relationship(deleteRule: .noAction, inverse: \Note.hub) var notes: [Note] = []
    @Relationship(inverse: \Label.hubs) var labels: [Label] = []
    /// Nothing leads back.
    var likes: [Item] = []
    var pick: Item?
    @Relationship(inverse: \Badge.hub) var badge: Badge?
    init(tag: Int) { self.tag = tag }
  }

  @Model final class Item: LawObject {
    var tag: Int
    @Attribute(.unique) var number: Int?
    var text: String = ""
    var hub: Hub?
    init(tag: Int) { self.tag = tag }
  }

  @Model final class Part: LawObject {
    #Unique<Part>([\.number, \.text])
    var tag: Int
    var number: Int?
    var text: String = ""
    var hub: Hub
    init(tag: Int, hub: Hub) {
      self.tag = tag
      self.hub = hub
    }
  }

  @Model final class Lock: LawObject {
    var tag: Int
    var number: Int?
    var text: String = ""
    var hub: Hub?
    init(tag: Int) { self.tag = tag }
  }

  @Model final class Note: LawObject {
    var tag: Int
    var number: Int?
    var text: String = ""
    var hub: Hub?
    init(tag: Int) { self.tag = tag }
  }

  @Model final class Label: LawObject {
    var tag: Int
    var number: Int?
    var text: String = ""
    var hubs: [Hub] = []
    init(tag: Int) { self.tag = tag }
  }

  @Model final class Badge: LawObject {
    var tag: Int
    var number: Int?
    var text: String = ""
    var hub: Hub?
    init(tag: Int) { self.tag = tag }
  }

  @Model final class Node: LawObject {
    var tag: Int
    var number: Int?
    var text: String = ""
    var parent: Node?
    @Relationship(deleteRule: .cascade, inverse: \Node.parent) var children: [Node] = []
    var followers: [Node] = []
    @Relationship(inverse: \Node.followers) var following: [Node] = []
    init(tag: Int) { self.tag = tag }
  }
}

enum LawKind: String, CaseIterable {
  case hub, item, part, lock, note, label, badge, node

  var type: any LawObject.Type {
    switch self {
    case .hub: Law.Hub.self
    case .item: Law.Item.self
    case .part: Law.Part.self
    case .lock: Law.Lock.self
    case .note: Law.Note.self
    case .label: Law.Label.self
    case .badge: Law.Badge.self
    case .node: Law.Node.self
    }
  }

  /// A new object; a part needs its hub.
  func make(tag: Int, hub: Law.Hub? = nil) -> any LawObject {
    switch self {
    case .hub: Law.Hub(tag: tag)
    case .item: Law.Item(tag: tag)
    case .part: Law.Part(tag: tag, hub: hub!)
    case .lock: Law.Lock(tag: tag)
    case .note: Law.Note(tag: tag)
    case .label: Law.Label(tag: tag)
    case .badge: Law.Badge(tag: tag)
    case .node: Law.Node(tag: tag)
    }
  }
}

/// One change of a list in place.
enum LawEdit {
  case append([any LawObject])
  case insertFirst(any LawObject)
  case remove(Int)
  case reverse
  case swapEnds
  case moveFirstToEnd
  case removeAll

  func apply<T: LawObject>(to list: inout [T], _ cast: (any LawObject) -> T) {
    switch self {
    case .append(let objects): for object in objects { list.append(cast(object)) }
    case .insertFirst(let object): list.insert(cast(object), at: 0)
    case .remove(let index): list.remove(at: index)
    case .reverse: list.reverse()
    case .swapEnds: if list.count > 1 { list.swapAt(0, list.count - 1) }
    case .moveFirstToEnd: if !list.isEmpty { list.append(list.removeFirst()) }
    case .removeAll: list.removeAll()
    }
  }
}

/// A relationship as the random tests know it: what it is, and how the object's property is read and written.
struct LawRelation {
  enum Rule { case nullify, cascade, deny, noAction }

  let name: String
  let source: LawKind
  let destination: LawKind
  let isToMany: Bool
  var isRequired = false
  let rule: Rule
  let inverse: String?
  let read: (any LawObject) -> [any LawObject]
  let write: (any LawObject, [any LawObject]) -> Void
  /// Changes a to-many in place, by the steps that lead to another list.
  let edit: (any LawObject, LawEdit) -> Void

  private static func many<M: LawObject, T: LawObject>(
    _ name: String, _ source: LawKind, _ keyPath: ReferenceWritableKeyPath<M, [T]>, _ destination: LawKind,
    _ inverse: String?, _ rule: Rule = .nullify, inPlace: @escaping (M, (inout [T]) -> Void) -> Void
  ) -> LawRelation {
    LawRelation(
      name: name, source: source, destination: destination, isToMany: true, rule: rule, inverse: inverse,
      read: { ($0 as! M)[keyPath: keyPath] }, write: { ($0 as! M)[keyPath: keyPath] = $1.map { $0 as! T } },
      edit: { owner, edit in inPlace(owner as! M) { list in edit.apply(to: &list) { $0 as! T } } })
  }

  private static func one<M: LawObject, T: LawObject>(
    _ name: String, _ source: LawKind, _ keyPath: ReferenceWritableKeyPath<M, T?>, _ destination: LawKind,
    _ inverse: String?
  ) -> LawRelation {
    LawRelation(
      name: name, source: source, destination: destination, isToMany: false, rule: .nullify, inverse: inverse,
      read: { ($0 as! M)[keyPath: keyPath].map { [$0] } ?? [] },
      write: { ($0 as! M)[keyPath: keyPath] = $1.first.map { $0 as! T } }, edit: { _, _ in })
  }

  nonisolated(unsafe) static let shared = all()  // never changed; its closures hold key paths alone

  static func all() -> [LawRelation] {
    var partHub = LawRelation(
      name: "Part.hub", source: .part, destination: .hub, isToMany: false, rule: .nullify, inverse: "Hub.parts",
      read: { [($0 as! Law.Part).hub] }, write: { ($0 as! Law.Part).hub = $1[0] as! Law.Hub },
      edit: { _, _ in })
    partHub.isRequired = true
    return [
      many("Hub.items", .hub, \Law.Hub.items, .item, "Item.hub", inPlace: { $1(&$0.items) }),
      many("Hub.parts", .hub, \Law.Hub.parts, .part, "Part.hub", .cascade, inPlace: { $1(&$0.parts) }),
      many("Hub.locks", .hub, \Law.Hub.locks, .lock, "Lock.hub", .deny, inPlace: { $1(&$0.locks) }),
      many("Hub.notes", .hub, \Law.Hub.notes, .note, "Note.hub", .noAction, inPlace: { $1(&$0.notes) }),
      many("Hub.labels", .hub, \Law.Hub.labels, .label, "Label.hubs", inPlace: { $1(&$0.labels) }),
      many("Hub.likes", .hub, \Law.Hub.likes, .item, nil, inPlace: { $1(&$0.likes) }),
      one("Hub.pick", .hub, \Law.Hub.pick, .item, nil),
      one("Hub.badge", .hub, \Law.Hub.badge, .badge, "Badge.hub"),
      one("Item.hub", .item, \Law.Item.hub, .hub, "Hub.items"),
      partHub,
      one("Lock.hub", .lock, \Law.Lock.hub, .hub, "Hub.locks"),
      one("Note.hub", .note, \Law.Note.hub, .hub, "Hub.notes"),
      many("Label.hubs", .label, \Law.Label.hubs, .hub, "Hub.labels", inPlace: { $1(&$0.hubs) }),
      one("Badge.hub", .badge, \Law.Badge.hub, .hub, "Hub.badge"),
      one("Node.parent", .node, \Law.Node.parent, .node, "Node.children"),
      many("Node.children", .node, \Law.Node.children, .node, "Node.parent", .cascade, inPlace: { $1(&$0.children) }),
      many("Node.followers", .node, \Law.Node.followers, .node, "Node.following", inPlace: { $1(&$0.followers) }),
      many("Node.following", .node, \Law.Node.following, .node, "Node.followers", inPlace: { $1(&$0.following) }),
    ]
  }
}
