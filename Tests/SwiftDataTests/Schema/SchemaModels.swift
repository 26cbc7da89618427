import Foundation
import SwiftData

/// Models for the tests of schemas: a small travel agency with a class hierarchy.
enum Agency {
  @Model
  class Trip {
    #Unique<Trip>([\.name, \.start])
    #Index<Trip>([\.start], [\.name, \.price])

    @Attribute(.unique) var code: String
    @Attribute(originalName: "title") var name: String
    var start: Date
    var price: Double = 9.5
    var note: String?
    @Attribute(.ephemeral) var isSelected = false
    @Relationship(deleteRule: .cascade, minimumModelCount: 1, maximumModelCount: 20, inverse: \Stop.trip)
    var stops: [Stop] = []

    init(code: String, name: String, start: Date) {
      self.code = code
      self.name = name
      self.start = start
    }
  }

  @Model
  final class BusinessTrip: Trip {
    #Index<BusinessTrip>([\.company, \.name])

    var company: String
    var client: Client?

    init(code: String, name: String, start: Date, company: String) {
      self.company = company
      super.init(code: code, name: name, start: start)
    }
  }

  @Model
  final class Stop {
    var city: String
    var days: Int
    var trip: Trip?

    init(city: String, days: Int) {
      self.city = city
      self.days = days
    }
  }

  @Model
  final class Client {
    @Attribute(.indexed, .originalName("fullName")) var name: String
    @Attribute(.transformable(by: CapitalTransformer.self)) var badge: String?
    let since: Date

    init(name: String, since: Date) {
      self.name = name
      self.since = since
    }
  }
}

/// Stores a text in capitals, to show what was stored.
final class CapitalTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSData.self }
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data($0.uppercased().utf8) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(decoding: $0, as: UTF8.self) }
  }
}
