import Foundation
import SwiftData

// The models of most tests: a music library, with each kind of relationship.

@Model
final class Artist {
  @Attribute(.unique) var name: String
  var country: String?
  @Relationship(deleteRule: .cascade, inverse: \Album.artist) var albums: [Album] = []

  init(name: String, country: String? = nil) {
    self.name = name
    self.country = country
  }
}

@Model
final class Album {
  var title: String
  var year: Int
  var artist: Artist?
  @Relationship(deleteRule: .nullify, inverse: \Track.album) var tracks: [Track] = []

  init(title: String, year: Int = 2000, artist: Artist? = nil) {
    self.title = title
    self.year = year
    self.artist = artist
  }
}

@Model
final class Track {
  @Attribute(.unique) var id: String
  var title: String
  var seconds: Double
  var plays: Int = 0
  var mood: Mood = Mood.calm
  var album: Album?
  @Relationship(inverse: \Tag.tracks) var tags: [Tag] = []

  init(id: String = UUID().uuidString, title: String, seconds: Double = 180, album: Album? = nil) {
    self.id = id
    self.title = title
    self.seconds = seconds
    self.album = album
  }
}

@Model
final class Tag {
  var name: String
  var tracks: [Track] = []

  init(name: String) { self.name = name }
}

enum Mood: String, Codable, CaseIterable {
  case calm, wild
}

@Model
final class Listener {
  var name: String
  @Relationship(inverse: \Listener.following) var followers: [Listener] = []
  var following: [Listener] = []

  init(name: String) { self.name = name }
}

@Model
final class RecordShop {
  var name: String
  /// Nothing leads back: a track may be in many libraries.
  var favourites: [Track] = []
  var cover: Album?

  init(name: String) { self.name = name }
}
