import Foundation
import SwiftData

enum Inspected {
  @Composite
  struct Address: Codable, Hashable {
    var city: String
    var floor: Int
    var position: Position
  }

  @Composite
  struct Position: Codable, Hashable {
    var latitude: Double
    var longitude: Double
  }

  /// Has one index of each kind.
  @Model
  final class Parcel {
    #Index<Parcel>([\.sender, \.sent], [\.address.city], [\.address.position.latitude])
    #Index<Parcel>(.rtree([\.width, \.height]))
    #Unique<Parcel>([\.depot, \.number])
    @Attribute(.unique) var code: String
    @Attribute(.indexed) var weight: Int
    var sender: String
    var sent: Date
    var note: String
    var price: Double
    var number: Int
    var width: Double
    var height: Double
    var address: Address
    var depot: Depot?

    init(
      _ code: String, weight: Int = 1, number: Int = 0, size: (Double, Double) = (1, 1), address: Address? = nil,
      depot: Depot? = nil
    ) {
      self.code = code
      self.weight = weight
      self.sender = "s\(weight)"
      self.sent = Date(timeIntervalSinceReferenceDate: Double(weight))
      self.note = "n"
      self.price = 1
      self.number = number
      self.width = size.0
      self.height = size.1
      self.address = address ?? Address(city: "c\(weight)", floor: 1, position: Position(latitude: 1, longitude: 2))
      self.depot = depot
    }
  }

  @Model
  final class Depot {
    var name: String
    @Relationship(inverse: \Parcel.depot) var parcels: [Parcel] = []
    init(_ name: String) { self.name = name }
  }
}
