#if Sync
import Foundation
import SwiftData

// A model of each kind of relationship.

enum SimPriority: String, Codable, CaseIterable { case low, high, urgent }

struct SimPlace: Codable, Hashable {
  var city = ""
  var floor = 0
}

@Model
final class SimProject {
  var title: String = ""
  @Relationship(deleteRule: .cascade, inverse: \SimTask.project) var tasks: [SimTask] = []
  @Relationship(deleteRule: .nullify, inverse: \SimPerson.projects) var people: [SimPerson] = []
  @Relationship(deleteRule: .cascade, originalName: "tags") var labels: [SimLabel] = []
  init(title: String) { self.title = title }
}

@Model
class SimTask {
  var title: String = ""
  var priority: SimPriority = SimPriority.low
  @Attribute(originalName: "effort") var estimate: Double?
  var due: Date?
  var place: SimPlace = SimPlace()
  @Attribute(.externalStorage) var attachment: Data?
  var project: SimProject?
  @Relationship(deleteRule: .nullify, inverse: \SimTask.subtasks) var parent: SimTask?
  @Relationship(deleteRule: .nullify) var subtasks: [SimTask] = []
  @Attribute(.ephemeral) var isSelected = false
  init(title: String) { self.title = title }
}

@Model
final class SimBug: SimTask {
  var severity: Int = 0
  override init(title: String) { super.init(title: title) }
}

@Model
final class SimPerson {
  @Attribute(.unique, originalName: "address") var email: String = ""
  var name: String = ""
  var projects: [SimProject] = []
  @Relationship(deleteRule: .nullify, inverse: \SimBadge.person) var badge: SimBadge?
  init(email: String) { self.email = email }
}

@Model
final class SimBadge {
  var number: Int = 0
  @Relationship(originalName: "owner") var person: SimPerson?
  init(number: Int) { self.number = number }
}

@Model
final class SimLabel {
  var text: String = ""
  init(text: String) { self.text = text }
}

/// One of two that every save changes together.
@Model
final class SimHalf {
  @Attribute(.unique) var side: String = ""
  var value: Int = 0
  init(side: String) { self.side = side }
}

/// Never changed or deleted. Its maker had seen `after`.
@Model
final class SimMark {
  var id: UUID = UUID()
  var after: UUID?
  init(id: UUID, after: UUID?) { (self.id, self.after) = (id, after) }
}

let simulationModels: [any PersistentModel.Type] = [
  SimProject.self, SimTask.self, SimBug.self, SimPerson.self, SimBadge.self, SimLabel.self, SimHalf.self, SimMark.self,
]

/// The version of the program of a node.
enum SimulatedProgram {
  /// It lacks properties, a case of an enum and entities.
  case old
  /// Properties have other names.
  case former
  case current

  var models: [any PersistentModel.Type] {
    switch self {
    case .old: SimulationOld.models
    case .former: SimulationFormer.models
    case .current: simulationModels
    }
  }
}

/// The models of a version of the program in which an attribute, a unique attribute, a to-one and a list that owns its members have other
/// names.
enum SimulationFormer {
  @Model
  final class SimProject {
    var title: String = ""
    @Relationship(deleteRule: .cascade, inverse: \SimTask.project) var tasks: [SimTask] = []
    @Relationship(deleteRule: .nullify, inverse: \SimPerson.projects) var people: [SimPerson] = []
    @Relationship(deleteRule: .cascade) var tags: [SimLabel] = []
    init(title: String) { self.title = title }
  }

  @Model
  class SimTask {
    var title: String = ""
    var priority: SimPriority = SimPriority.low
    var effort: Double?
    var due: Date?
    var place: SimPlace = SimPlace()
    @Attribute(.externalStorage) var attachment: Data?
    var project: SimProject?
    @Relationship(deleteRule: .nullify, inverse: \SimTask.subtasks) var parent: SimTask?
    @Relationship(deleteRule: .nullify) var subtasks: [SimTask] = []
    @Attribute(.ephemeral) var isSelected = false
    init(title: String) { self.title = title }
  }

  @Model
  final class SimBug: SimTask {
    var severity: Int = 0
    override init(title: String) { super.init(title: title) }
  }

  @Model
  final class SimPerson {
    @Attribute(.unique) var address: String = ""
    var name: String = ""
    var projects: [SimProject] = []
    @Relationship(deleteRule: .nullify, inverse: \SimBadge.owner) var badge: SimBadge?
    init(address: String) { self.address = address }
  }

  @Model
  final class SimBadge {
    var number: Int = 0
    var owner: SimPerson?
    init(number: Int) { self.number = number }
  }

  static let models: [any PersistentModel.Type] = [
    SimProject.self, SimTask.self, SimBug.self, SimPerson.self, SimBadge.self, SimLabel.self, SimHalf.self,
    SimMark.self,
  ]
}

/// The models of an older version of the program: it lacks properties, a case of an enum and entities.
enum SimulationOld {
  enum SimPriority: String, Codable, CaseIterable { case low, high }

  @Model
  final class SimProject {
    var title: String = ""
    @Relationship(deleteRule: .cascade, inverse: \SimTask.project) var tasks: [SimTask] = []
    init(title: String) { self.title = title }
  }

  @Model
  class SimTask {
    var title: String = ""
    var priority: SimPriority = SimPriority.low
    var project: SimProject?
    @Relationship(deleteRule: .nullify, inverse: \SimTask.subtasks) var parent: SimTask?
    @Relationship(deleteRule: .nullify) var subtasks: [SimTask] = []
    init(title: String) { self.title = title }
  }

  @Model
  final class SimHalf {
    @Attribute(.unique) var side: String = ""
    var value: Int = 0
    init(side: String) { self.side = side }
  }

  @Model
  final class SimMark {
    var id: UUID = UUID()
    var after: UUID?
    init(id: UUID, after: UUID?) { (self.id, self.after) = (id, after) }
  }

  static let models: [any PersistentModel.Type] = [
    SimProject.self, SimTask.self, SimHalf.self, SimMark.self,
  ]
}
#endif
