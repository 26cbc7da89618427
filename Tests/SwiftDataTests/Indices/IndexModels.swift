import Foundation
import SwiftData

enum Mapped {
  @Composite
  struct Position: Codable, Hashable {
    var latitude: Double
    var longitude: Double
    var level: Int?
  }

  @Composite
  struct Address: Codable, Hashable {
    var city: String
    var number: Int
    var built: Date?
    var position: Position?

    enum CodingKeys: String, CodingKey {
      case city = "town"
      case number, built, position
    }
  }

  @Model
  final class Region {
    var name: String
    @Relationship(inverse: \Place.region) var places: [Place] = []
    init(_ name: String) { self.name = name }
  }

  @Model
  final class Place {
    #Index<Place>([\.address.city, \.address.number], [\.region, \.name])
    #Unique<Place>([\.region, \.address.city, \.address.number])
    var name: String
    var address: Address
    var region: Region?

    init(_ name: String, _ address: Address, region: Region? = nil) {
      self.name = name
      self.address = address
      self.region = region
    }
  }

  /// Numbers of all kinds, with and without a tree over them.
  @Model
  final class Sample {
    #Index<Sample>(.rtree([\.x, \.y]), .rtree([\.whole]), .rtree([\.date, \.small]), .rtree([\.place.latitude]))
    var x: Double
    var y: Double?
    var whole: Int
    var date: Date
    var small: Float
    var place: Position
    var name: String = ""

    init(x: Double, y: Double?, whole: Int, date: Date, small: Float, place: Position) {
      self.x = x
      self.y = y
      self.whole = whole
      self.date = date
      self.small = small
      self.place = place
    }
  }

  @Model
  class Shape {
    var title: String
    init(title: String) { self.title = title }
  }

  @Model
  final class Circle: Shape {
    #Index<Circle>(.rtree([\.radius]))
    var radius: Double
    init(title: String, radius: Double) {
      self.radius = radius
      super.init(title: title)
    }
  }

  @Model
  final class Square: Shape {
    var radius: Double
    init(title: String, radius: Double) {
      self.radius = radius
      super.init(title: title)
    }
  }
}

/// One class with another kind of index in each version of the program.
enum BinarySpots {
  @Model
  final class Spot {
    #Index<Spot>([\.x])
    var x: Double
    init(_ x: Double) { self.x = x }
  }
}

enum TreeSpots {
  @Model
  final class Spot {
    #Index<Spot>(.rtree([\.x]))
    var x: Double
    init(_ x: Double) { self.x = x }
  }
}

enum WrongIndices {
  @Model
  final class TextTree {
    #Index<TextTree>(.rtree([\.name]))
    var name: String
    init(_ name: String) { self.name = name }
  }

  @Model
  final class WideTree {
    #Index<WideTree>(.rtree([\.a, \.b, \.c, \.d, \.e, \.f]))
    var a = 0.0
    var b = 0.0
    var c = 0.0
    var d = 0.0
    var e = 0.0
    var f = 0.0
    init() {}
  }

  @Model
  final class Through {
    #Index<Through>([\.region.name])
    var region: Goal
    init(_ region: Goal) { self.region = region }
  }

  @Model
  final class Goal {
    var name: String
    @Relationship(inverse: \Through.region) var throughs: [Through] = []
    init(_ name: String) { self.name = name }
  }
}
