extension Schema {
  /// The version of a schema, in three parts that compare from left to right. (Apple's documentation,
  /// `Schema.Version`.)
  public struct Version: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    /// Changes if stores need a custom migration.
    public let major: Int
    /// Changes if the schema grows.
    public let minor: Int
    /// Changes for details.
    public let patch: Int

    /// Makes a version from its parts.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    /// The parts with dots between them: `1.2.0`.
    public var description: String { "\(major).\(minor).\(patch)" }

    /// Compares part by part, the first one first.
    public static func < (left: Version, right: Version) -> Bool {
      (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
  }
}
