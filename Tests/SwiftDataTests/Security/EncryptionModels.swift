import Foundation
import SwiftData

/// Models with secrets of every form.
enum Secrets {
  enum Mood: String, Codable { case calm, wild }

  struct Place: Codable, Equatable {
    var city: String
    var zip: Int
  }

  @Model final class Person {
    var name: String
    @Attribute(.allowsCloudEncryption) var diary: String
    @Attribute(.allowsCloudEncryption) var nick: String?
    @Attribute(.allowsCloudEncryption) var pin: Int
    @Attribute(.allowsCloudEncryption) var weight: Double?
    @Attribute(.allowsCloudEncryption) var born: Date
    @Attribute(.allowsCloudEncryption) var code: UUID
    @Attribute(.allowsCloudEncryption) var isShy: Bool
    @Attribute(.allowsCloudEncryption) var mood: Mood
    @Attribute(.allowsCloudEncryption) var place: Place
    @Attribute(.allowsCloudEncryption) var words: [String]
    @Attribute(.allowsCloudEncryption) var bytes: Data
    @Attribute(.externalStorage, .allowsCloudEncryption) var photo: Data?
    @Relationship(inverse: \Pet.owner) var pets: [Pet] = []

    init(_ name: String, diary: String, pin: Int = 0) {
      self.name = name
      self.diary = diary
      self.pin = pin
      nick = pin % 2 == 0 ? nil : "nick \(pin)"
      weight = pin % 3 == 0 ? nil : Double(pin) / 7
      born = Date(timeIntervalSinceReferenceDate: Double(pin) * 1000)
      code = UUID()
      isShy = pin % 2 == 0
      mood = pin % 2 == 0 ? .calm : .wild
      place = Place(city: "city \(pin)", zip: pin)
      words = ["w\(pin)", diary]
      bytes = Data(diary.utf8)
    }
  }

  @Model final class Pet {
    @Attribute(.allowsCloudEncryption) var chip: String
    var owner: Person?
    init(chip: String, owner: Person?) { (self.chip, self.owner) = (chip, owner) }
  }

  @Model final class Unique {
    @Attribute(.unique, .allowsCloudEncryption) var secret: String
    init(_ secret: String) { self.secret = secret }
  }

  @Model final class Indexed {
    #Index<Indexed>([\.secret])
    @Attribute(.allowsCloudEncryption) var secret: String
    init(_ secret: String) { self.secret = secret }
  }

  @Model final class Searchable {
    @Attribute(.spotlight, .allowsCloudEncryption) var secret: String
    init(_ secret: String) { self.secret = secret }
  }

  @Model final class Remembered {
    @Attribute(.preserveValueOnDeletion, .allowsCloudEncryption) var secret: String
    init(_ secret: String) { self.secret = secret }
  }
}

/// The next version of ``Secrets``.
enum LaterSecrets {
  @Model final class Person {
    var name: String
    @Attribute(.allowsCloudEncryption, originalName: "diary") var journal: String
    @Attribute(.allowsCloudEncryption) var pin: Int?
    var weight: Double?
    var rank: Int = 7
    init(_ name: String, journal: String, pin: Int) { (self.name, self.journal, self.pin) = (name, journal, pin) }
  }
}

extension TemporaryStore {
  /// Every file of the store, as bytes.
  func contents() throws -> [(name: String, bytes: Data)] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
    return try (files?.allObjects as? [URL] ?? []).filter { !$0.hasDirectoryPath }
      .map { ($0.lastPathComponent, try Data(contentsOf: $0)) }
  }
}
