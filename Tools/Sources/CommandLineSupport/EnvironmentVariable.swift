import Foundation

/// Reads environment variables, which give a command what each call would repeat.
public enum EnvironmentVariable {
  /// Returns the value of a variable. Nil if it is not set or empty.
  public static func value(_ name: String) -> String? {
    guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else { return nil }
    return value
  }
}
