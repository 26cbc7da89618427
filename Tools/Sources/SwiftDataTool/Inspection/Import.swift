import ArgumentParser
import Foundation
import SwiftDataInspection

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copy a store of SwiftData or Core Data, or an export of Realm Studio, into a store of OpenSwiftData.",
    discussion:
      "A second import of the same file replaces the first. `swiftdata models` prints the classes that open the store.")

  @OptionGroup var store: StoreArgument
  @Option(
    name: .customLong("into"), help: ArgumentHelp("The file of the new store.", valueName: "file"), completion: .file())
  var target: String
  @Flag(help: "Read a JSON file that Realm Studio saved, instead of a store.")
  var fromRealmJson = false
  @Flag(help: "Overwrite changes made to the store since the last import.")
  var replace = false
  @OptionGroup var output: OutputOptions

  func run() throws {
    let bar = ProgressBar()
    let url = URL(fileURLWithPath: target)
    let result: StoreImport
    if fromRealmJson {
      var export = try RealmImport(URL(fileURLWithPath: store.location()))
      result = try export.copy(into: url, replaces: replace, progress: bar.show)
    } else {
      result = try store.open().copy(into: url, replaces: replace, progress: bar.show)
    }
    try output.print(result) { result.text }
  }
}
