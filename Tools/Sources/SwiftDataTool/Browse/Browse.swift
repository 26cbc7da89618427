import ArgumentParser
import Foundation
import Hummingbird
import SwiftDataInspection

struct Browse: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show a store in a web page: classes, objects, relationships to follow, and a filter.",
    discussion:
      "The page is served on this machine alone, until Ctrl-C. The store is only read, unless --edit is given.")

  @OptionGroup var store: StoreArgument
  @Option(help: "The port of the page. 0 takes a free one.")
  var port = 8085
  @Flag(help: "Allow changes of attributes, in a file of OpenSwiftData.")
  var edit = false
  @Flag(help: "Print the address as JSON.")
  var json = false

  func validate() throws { try validatePort(port) }

  func run() async throws {
    let opened = try store.open()
    if edit { try opened.checkEditable() }
    let json = json
    let application = BrowseServer(store: opened, isEditable: edit).application(port: port) { port in
      let address = "http://127.0.0.1:\(port)/"
      print(json ? "{\"address\":\"\(address)\"}" : "\(opened.location) is shown at \(address); stop with Ctrl-C")
      fflush(nil)
    }
    try await application.runService()
  }
}
