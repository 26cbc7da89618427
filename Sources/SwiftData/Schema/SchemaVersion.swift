extension Schema {
  /// The version of a schema, in three parts.
  ///
  /// Versions compare part by part, the first one first. (Apple's documentation, `Schema.Version`.)
  public struct Version: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    /// Changes when stores need a migration that somebody writes.
    public let major: Int
    /// Changes when the schema grows.
    public let minor: Int
    /// Changes when nothing but a detail does.
    public let patch: Int

    /// Makes a version from its parts.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    /// The parts with dots between them: `1.2.0`.
    public var description: String { "\(major).\(minor).\(patch)" }

    public static func < (left: Version, right: Version) -> Bool {
      (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }
  }
}
