import ArgumentParser
import CommandLineSupport
import Foundation
import SwiftDataInspection

struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy a store and its external data as they are at one moment.",
    usage: "swiftdata backup [<store>] <destination> [--namespace <schema>] [--json]",
    discussion: """
      Other programs may save meanwhile. The destination gets its name when the copy is complete and on the disk. A file is copied to a file, which opens like the store. A PostgreSQL database is copied by pg_dump to an \
      archive for pg_restore. The exit code is 1 if the store lacks external files that its rows name.

      EXAMPLE
        swiftdata backup app.store backups/monday.store
        swiftdata backup postgres:///app backups/monday.dump
      """)

  @Argument(
    help: "A store of OpenSwiftData, or the URL of a PostgreSQL database. (default: SWIFTDATA_STORE)",
    completion: .file())
  var store: String?
  @Argument(help: "The new file.", completion: .file())
  var destination: String?
  @OptionGroup var namespace: NamespaceOption
  @OptionGroup var output: OutputOptions

  func validate() throws { _ = try location() }

  private func location() throws -> (store: String, other: String) {
    try StoreArgument.location(store, and: destination, "the destination")
  }

  func run() throws {
    let (store, destination) = try location()
    let url = URL(fileURLWithPath: destination)
    let opened = try InspectedStore(store, namespace: namespace.name)
    guard opened.kind != .postgres else {
      let dump = try PostgresDump(store, namespace: namespace.name, opened)
      try dump.write(to: url)
      return try output.print(["source": opened.location, "destination": url.path]) {
        "\(opened.location) is backed up in \(url.path); pg_restore reads it"
      }
    }
    let result = try opened.backUp(to: url)
    try output.print(result) { result.text }
    if !result.missing.isEmpty { throw ExitStatus.found }
  }
}
