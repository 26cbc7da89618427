import Foundation
import SwiftData

// Models that belong to a global actor.

@MainActor @Model final class MainModel {
  @Attribute(.unique) let id: UUID
  var name: String
  var count = 0 { didSet { total += count } }
  var state: FormState = FormState.idle
  var next: MainModel?
  var items: [MainItem] = []
  var unit = Measure.meters
  @Transient var total = 0
  init(name: String) {
    self.id = UUID()
    self.name = name
  }
  func rename(_ name: String) { self.name = name }
}

enum Measure: String, Codable { case meters, feet }

@Model @MainActor final class MainItem {
  var name: String = ""
  @Relationship(inverse: \MainModel.items) var owner: MainModel?
  let key: Int
  init(key: Int) { self.key = key }
}

@MainActor @Model class MainBase {
  var name: String
  init(name: String) { self.name = name }
}

@MainActor @Model final class MainDerived: MainBase {
  var extra: [String] = []
  init() { super.init(name: "derived") }
}

@globalActor actor DatabaseActor {
  static let shared = DatabaseActor()
}

@DatabaseActor @Model final class DatabaseModel {
  var name: String = ""
  var other: DatabaseModel?
  init() {}
}
