import Testing

@testable import SwiftData

@Suite struct ObjectPlacesTests {
  private final class Object {}

  @Test("A random series of additions and removals leaves what a dictionary has")
  func random() {
    var random = SystemRandomNumberGenerator()
    let ids = (0..<300).map { _ in Object() }
    for _ in 0..<20 {
      var places = ObjectPlaces()
      var known: [ObjectIdentifier: Int] = [:]
      var next = 0
      for _ in 0..<3000 {
        let id = ObjectIdentifier(ids.randomElement(using: &random)!)
        switch Int.random(in: 0..<300, using: &random) {
        case 0:
          places.removeAll(keepsCapacity: Bool.random(using: &random))
          (known, next) = ([:], 0)
        case 1..<180 where known[id] == nil:
          known[id] = next
          if places.append(id) != next { Issue.record("an object got another place than the next") }
          next += 1
        case 180...:
          if places.remove(id) != known.removeValue(forKey: id) { Issue.record("an object had another place") }
        default: if places[id] != known[id] { Issue.record("an object is at another place") }
        }
        if places.count != known.count { Issue.record("the objects are miscounted") }
      }
      for object in ids { #expect(places[ObjectIdentifier(object)] == known[ObjectIdentifier(object)]) }
    }
  }
}
