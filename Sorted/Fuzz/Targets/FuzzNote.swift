import Foundation
import SwiftData

/// An object with a property of each kind.
@Model final class FuzzNote {
  enum Mood: String, Codable { case calm, loud }
  struct Place: Codable { var x = 0, y = 0.0 }

  @Attribute(.unique) var title: String = ""
  var small: Int8 = 0
  var large: UInt64 = 0
  var number: Int?
  var real: Float = 0
  var price: Decimal = 0
  var date: Date = Date(timeIntervalSince1970: 0)
  var isRead: Bool = false
  var identifier: UUID?
  var link: URL?
  var mood: Mood = FuzzNote.Mood.calm
  var place: Place?
  var tags: [String] = []
  @Attribute(.externalStorage) var cover: Data?
  @Attribute(.allowsCloudEncryption) var secret: String = ""
  var owner: FuzzNote?
  @Relationship(deleteRule: .cascade, inverse: \FuzzNote.owner) var parts: [FuzzNote] = []
  init(_ title: String) { self.title = title }
}
