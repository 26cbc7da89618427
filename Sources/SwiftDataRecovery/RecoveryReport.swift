public import SwiftData

extension ModelContainer {
  /// The result of ``ModelContainer/recover(from:to:for:)``: recovered and lost objects. (Not Apple's.)
  public struct RecoveryReport: Sendable, Codable, CustomStringConvertible {
    /// The objects of one class hierarchy.
    public struct Entity: Sendable, Codable {
      /// The name of the root class, or of the table for a table of pairs.
      public let name: String
      /// Whether it is a table of pairs, which stores a many-to-many relationship.
      public let isRelationship: Bool
      /// The number of objects in the new store.
      public internal(set) var recovered = 0
      /// The lost objects with reasons.
      public internal(set) var lost: [Loss] = []
    }

    /// Objects that could not be recovered.
    public struct Loss: Sendable, Codable, CustomStringConvertible {
      /// The reason.
      public let reason: String
      /// The number of objects, or nil if it is unknown.
      public let count: Int?
      /// The primary keys of the first 100.
      public let keys: [Int64]

      init(_ reason: String, count: Int?, keys: some Sequence<Int64> = []) {
        (self.reason, self.count, self.keys) = (reason, count, Array(keys.prefix(100)))
      }

      /// The number and the reason.
      public var description: String { "\(count.map(String.init) ?? "an unknown number of") lost: \(reason)" }
    }

    /// The class hierarchies and the tables of pairs, by name.
    public internal(set) var entities: [Entity] = []
    /// The number of `.externalStorage` values whose file is missing. They are empty in the new store.
    public internal(set) var missingFiles = 0
    /// Other facts: damage without a lost object, and what was recreated.
    public internal(set) var notes: [String] = []

    /// Whether every object is in the new store, as far as the damaged store shows.
    public var isComplete: Bool { missingFiles == 0 && entities.allSatisfy(\.lost.isEmpty) }

    /// One line per class.
    public var description: String {
      var lines = entities.map { entity in
        ([("\(entity.name): \(entity.recovered) recovered")] + entity.lost.map(\.description)).joined(separator: "; ")
      }
      if missingFiles > 0 { lines.append("\(missingFiles) external files are missing; the values are empty") }
      return (lines + notes).joined(separator: "\n")
    }
  }
}
