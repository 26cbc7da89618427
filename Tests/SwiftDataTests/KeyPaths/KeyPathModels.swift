import Foundation
import SwiftData

protocol Dated {
  var year: Int { get }
}

enum Paths {
  @Model final class Label {
    var name: String
    @Relationship(inverse: \Album.label) var albums: [Album] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Album: Dated {
    var title: String
    var year: Int
    var subtitle: String?
    var label: Label?
    var parent: Album?
    private(set) var plays: Int
    @Relationship(inverse: \Song.album) var songs: [Song] = []
    var others: [Song] = []
    init(_ title: String, _ year: Int, plays: Int = 0) { (self.title, self.year, self.plays) = (title, year, plays) }

    var shown: String { subtitle ?? title }
  }

  @Model class Song: Dated {
    let code: String
    var title: String
    var year: Int
    var album: Album?
    @Relationship(inverse: \Album.others) var other: Album?
    init(_ title: String, _ year: Int, _ album: Album? = nil) {
      (code, self.title, self.year, self.album) = ("\(title)!", title, year, album)
    }

    var group: String { album?.title ?? title }
    var constant: String { album?.title ?? "z" }
    var since: Int { album?.year ?? year }
    var mapped: Int { album.map { $0.year } ?? 9_999 }
    var labelled: String { album?.label?.name ?? title }
    var shifted: Int { (album?.year ?? 0) + 1 }
    var anyAlbum: Album? { album ?? other }
    var owner: PersistentIdentifier { album?.persistentModelID ?? persistentModelID }
    /// A property that a subclass must replace. Whoever reads it ends the program.
    var abstract: String { fatalError("abstract") }
  }

  @Model final class Single: Song {
    var place: Int
    init(_ title: String, _ year: Int, _ album: Album? = nil, place: Int) {
      self.place = place
      super.init(title, year, album)
    }
  }
}
