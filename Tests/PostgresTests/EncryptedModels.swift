import Foundation
import SwiftData

/// Models with encrypted attributes of every form.
enum Sealed {
  enum Mood: String, Codable { case calm, wild }

  struct Place: Codable, Equatable {
    var city: String
    var zip: Int
  }

  @Model final class Person {
    @Attribute(.unique) var name: String
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

    init(_ name: String, diary: String, pin: Int) {
      self.name = name
      self.diary = diary
      self.pin = pin
      nick = pin % 2 == 0 ? nil : "nick \(pin)"
      weight = pin == 5 ? .nan : pin % 3 == 0 ? nil : Double(pin) / 7
      born = Date(timeIntervalSinceReferenceDate: Double(pin) * 1000)
      code = UUID(uuidString: "00000000-0000-0000-0000-0000000000\(pin % 90 + 10)")!
      isShy = pin % 2 == 0
      mood = pin % 2 == 0 ? .calm : .wild
      place = Place(city: "city \(pin)", zip: pin)
      words = ["w\(pin)", diary]
      bytes = Data(diary.utf8)
      photo = pin == 0 ? Data(repeating: 0x41, count: 300_000) : Data("small photo \(pin)".utf8)
    }
  }

  @Model final class Pet {
    @Attribute(.allowsCloudEncryption) var chip: String
    var owner: Person?
    init(chip: String, owner: Person?) { (self.chip, self.owner) = (chip, owner) }
  }

  @Model class Base {
    var number: Int
    @Attribute(.allowsCloudEncryption) var secret: String
    init(_ number: Int) { (self.number, secret) = (number, "secret of a base \(number)") }
  }

  @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
  @Model final class Derived: Base {
    @Attribute(.allowsCloudEncryption) var more: String?
    init(derived number: Int) {
      more = "more of \(number)"
      super.init(number)
    }
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

/// A class in versions that differ in what is encrypted.
enum Versions {
  enum Plain {
    @Model final class Note {
      var name: String
      @Attribute(.spotlight, .preserveValueOnDeletion) var text: String
      var rank: Int = 0
      init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
    }
  }

  enum Encrypted {
    @Model final class Note {
      var name: String
      @Attribute(.allowsCloudEncryption) var text: String
      var rank: Int = 0
      init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
    }
  }

  enum Grown {
    @Model final class Note {
      var name: String
      @Attribute(.allowsCloudEncryption, originalName: "text") var body: String
      @Attribute(.allowsCloudEncryption) var added: String = "secret default"
      @Attribute(.allowsCloudEncryption) var maybe: Int?
      @Attribute(.allowsCloudEncryption) var key: UUID = UUID()
      var rank: Int = 0
      init(_ name: String, _ body: String) { (self.name, self.body) = (name, body) }
    }
  }

  enum Reduced {
    @Model final class Note {
      var name: String
      var rank: Int = 0
      init(_ name: String) { self.name = name }
    }
  }

  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [NoteV1.self] }
    @Model final class NoteV1 {
      var name: String
      @Attribute(.allowsCloudEncryption) var text: String
      init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [NoteV2.self] }
    @Model final class NoteV2 {
      var name: String
      @Attribute(.allowsCloudEncryption, originalName: "text") var body: String
      @Attribute(.allowsCloudEncryption) var length: Int = 0
      init(_ name: String, _ body: String) { (self.name, self.body) = (name, body) }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: V1.self, toVersion: V2.self,
          willMigrate: { context in
            for note in try context.fetch(FetchDescriptor<V1.NoteV1>()) { note.text += " (willMigrate)" }
          },
          didMigrate: { context in
            for note in try context.fetch(FetchDescriptor<V2.NoteV2>()) { note.length = note.body.count }
          })
      ]
    }
  }
}
