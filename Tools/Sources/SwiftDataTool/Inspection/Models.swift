import ArgumentParser
import Foundation
import SwiftDataInspection

struct Models: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print @Model declarations that open a store of SwiftData or Core Data.",
    discussion:
      "With --from-realm-json, the declarations open the import of a JSON file that Realm Studio saved.")

  @OptionGroup var store: StoreArgument
  @Flag(help: "Read a JSON file that Realm Studio saved, instead of a store.")
  var fromRealmJson = false
  @OptionGroup var output: OutputOptions

  private struct Result: Encodable {
    let classes: [String]
    let source: String
  }

  func run() throws {
    let result: Result
    if fromRealmJson {
      let export = try RealmImport(URL(fileURLWithPath: store.location()))
      result = Result(classes: export.classNames, source: export.declarations)
    } else {
      let opened = try store.open()
      result = Result(classes: opened.classNames, source: try opened.source())
    }
    try output.print(result) { String(result.source.dropLast()) }
  }
}
