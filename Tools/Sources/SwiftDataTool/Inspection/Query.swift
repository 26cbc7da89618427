import ArgumentParser
import CommandLineSupport
import SwiftDataInspection

struct Query: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the rows of a SELECT.",
    usage: "swiftdata query [<store>] <sql> [--namespace <schema>] [--json]",
    discussion: """
      The statement reads one state of the store and changes nothing. A class hierarchy has a table, a property a column. A column \
      is shown as its property's type says: a date as ISO 8601, a UUID as text, data as Base64. An expression is shown as it is. \
      Rows are printed as they come. The first \(TextTable.window) decide how wide the columns of the table are.

      EXAMPLE
        swiftdata query app.store 'SELECT title, released FROM Album ORDER BY released'
        swiftdata query app.store 'SELECT count(*) AS albums FROM Album' --json
      """)

  @Argument(
    help:
      "A store of SwiftData, Core Data or OpenSwiftData, or the URL of a PostgreSQL database. (default: SWIFTDATA_STORE)",
    completion: .file())
  var store: String?
  @Argument(help: "The statement, in quotes.")
  var sql: String?
  @OptionGroup var namespace: NamespaceOption
  @OptionGroup var output: OutputOptions

  func validate() throws { _ = try location() }

  private func location() throws -> (store: String, other: String) {
    try StoreArgument.location(store, and: sql, "the statement")
  }

  func run() throws {
    let (store, sql) = try location()
    let opened = try InspectedStore(store, namespace: namespace.name)
    if output.json {
      var names = [String]()
      var list = PrintedList()
      try opened.query(sql, columns: { names = $0 }) { row in
        try list.add(Dictionary(uniqueKeysWithValues: zip(names, row)))
      }
      try list.finish()
    } else {
      var table = TextTable(columns: [])
      var standardOutput = StandardOutput()
      try opened.query(sql, columns: { table = TextTable(columns: $0) }) { row in
        for line in table.add(row) { try standardOutput.write(line) }
      }
      for line in table.finish() { try standardOutput.write(line) }
      try standardOutput.flush()
    }
  }
}
