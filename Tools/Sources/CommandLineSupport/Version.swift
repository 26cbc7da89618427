/// The release that the commands of this repository are built from.
public enum Release {
  /// The version, which `swiftdata --version` and `sorted --version` print. The change log has a section for it.
  public static let version = "0.1.0"
}
