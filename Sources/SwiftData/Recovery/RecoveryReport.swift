import Foundation

extension ModelContainer {
  /// What ``ModelContainer/recover(from:to:for:)`` could read of a damaged store, and what it could not. (Not Apple's.)
  public struct RecoveryReport: Sendable, Codable, CustomStringConvertible {
    /// The objects of one class hierarchy.
    public struct Entity: Sendable, Codable {
      /// The name of the root class; of a table of pairs, that of the table.
      public let name: String
      /// Whether it is a table of pairs, which keeps a many-to-many relationship, and not of objects.
      public let isRelationship: Bool
      /// How many objects are in the new store.
      public internal(set) var recovered = 0
      /// The objects that are not, with the reason.
      public internal(set) var lost: [Loss] = []
    }

    /// Objects that could not be recovered.
    public struct Loss: Sendable, Codable, CustomStringConvertible {
      /// Why.
      public let reason: String
      /// How many; nil where nothing that can be read says it.
      public let count: Int?
      /// Some of the keys that the store had them under, up to 100.
      public let keys: [Int64]

      init(_ reason: String, count: Int?, keys: some Sequence<Int64> = []) {
        (self.reason, self.count, self.keys) = (reason, count, Array(keys.prefix(100)))
      }

      /// The number and the reason.
      public var description: String { "\(count.map(String.init) ?? "an unknown number of") lost: \(reason)" }
    }

    /// The class hierarchies and the tables of pairs, by name.
    public internal(set) var entities: [Entity] = []
    /// How many values of `.externalStorage` attributes have no file any more; they are empty in the new store.
    public internal(set) var missingFiles = 0
    /// What else the reader should know: damage that lost no object, and what was made anew.
    public internal(set) var notes: [String] = []

    /// Whether every object is in the new store, as far as the damaged one tells.
    public var isComplete: Bool { missingFiles == 0 && entities.allSatisfy(\.lost.isEmpty) }

    /// A line for each class.
    public var description: String {
      var lines = entities.map { entity in
        ([("\(entity.name): \(entity.recovered) recovered")] + entity.lost.map(\.description)).joined(separator: "; ")
      }
      if missingFiles > 0 { lines.append("\(missingFiles) external files are missing; the values are empty") }
      return (lines + notes).joined(separator: "\n")
    }
  }
}
