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
  @Relationship(deleteRule: .cascade) var labels: [SimLabel] = []
  init(title: String) { self.title = title }
}

@Model
class SimTask {
  var title: String = ""
  var priority: SimPriority = SimPriority.low
  var estimate: Double?
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
  @Attribute(.unique) var email: String = ""
  var name: String = ""
  var projects: [SimProject] = []
  @Relationship(deleteRule: .nullify, inverse: \SimBadge.person) var badge: SimBadge?
  init(email: String) { self.email = email }
}

@Model
final class SimBadge {
  var number: Int = 0
  var person: SimPerson?
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
