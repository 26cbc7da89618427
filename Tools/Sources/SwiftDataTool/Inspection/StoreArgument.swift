import ArgumentParser
import CommandLineSupport
import SwiftDataInspection

/// The namespace of a store in a database.
struct NamespaceOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The schema of the PostgreSQL database that holds the store. (default: SWIFTDATA_NAMESPACE, or swiftdata)",
      valueName: "schema"))
  var namespace: String?

  var name: String { namespace ?? EnvironmentVariable.value("SWIFTDATA_NAMESPACE") ?? "swiftdata" }
}

/// The store that a command looks at.
struct StoreArgument: ParsableArguments {
  @Argument(
    help:
      "A store of SwiftData, Core Data or OpenSwiftData, or the URL of a PostgreSQL database. (default: SWIFTDATA_STORE)",
    completion: .file())
  var store: String?
  @OptionGroup var namespace: NamespaceOption

  static let variable = "SWIFTDATA_STORE"

  /// The path or the URL of the store.
  /// - Throws: `ValidationError` if neither the arguments nor the environment name one.
  func location() throws -> String {
    // An empty path would be the folder in which the command runs.
    guard let location = store ?? EnvironmentVariable.value(Self.variable), !location.isEmpty else {
      throw ValidationError("Name a store, or set \(Self.variable).")
    }
    return location
  }

  // An error of `run()` would come with the usage of `swiftdata` instead of the command's.
  func validate() throws { _ = try location() }

  func open() throws -> InspectedStore { try InspectedStore(location(), namespace: namespace.name) }

  /// The arguments of a command that takes a store and one thing more. A single argument is that thing, and the environment names
  /// the store.
  static func location(_ first: String?, and second: String?, _ name: String) throws -> (store: String, other: String) {
    if let first, let second { return (first, second) }
    guard let first else { throw ValidationError("Name a store and \(name).") }
    guard let store = EnvironmentVariable.value(variable) else {
      throw ValidationError(
        "\"\(first)\" is the only argument. Name a store and \(name), or set \(variable) to the store.")
    }
    return (store, first)
  }
}
