import BlockingTests
import ChildProcesses
import Foundation
import SwiftData
import SwiftDataPostgres
import Testing

private enum Typed {
  @Model final class Sample {
    var name: String
    var date: Date
    var identifier: UUID
    var isOpen: Bool
    var amount: Double
    var bytes: Data
    var tags: [String]
    init(_ name: String) {
      self.name = name
      date = Date(timeIntervalSinceReferenceDate: 0.5)
      identifier = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")!
      (isOpen, amount, bytes, tags) = (true, 1.5, Data([1, 2, 3]), ["a", "b"])
    }
  }
}

@Suite("swiftdata query and history", .blocking) struct QueryTests {
  private static let hasServer = ProcessInfo.processInfo.environment["POSTGRES_URL"] != nil
  private let url = ProcessInfo.processInfo.environment["POSTGRES_URL"] ?? ""

  private func json(_ result: Command.Result) throws -> [[String: Any]] {
    #expect(result.status == 0, "\(result.errors)")
    return try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
  }

  private func fill(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(Typed.Sample("a\nb"))
    try context.save()
  }

  /// Both databases show the same values.
  private func checkValues(_ store: String, _ options: String...) throws {
    let sql = "SELECT name, date, identifier, \"isOpen\", amount, bytes, tags, 1 AS one, NULL AS none FROM \"Sample\""
    let row = try #require(try json(try Command.run(["query", store, sql, "--json"] + options)).first)
    #expect(row["name"] as? String == "a\nb")
    #expect(row["date"] as? String == "2001-01-01T00:00:00.500Z")
    #expect(row["identifier"] as? String == "00112233-4455-6677-8899-AABBCCDDEEFF")
    #expect(row["isOpen"] as? Bool == true)
    #expect(row["amount"] as? Double == 1.5)
    #expect(row["bytes"] as? String == "AQID")
    #expect(row["tags"] as? [String] == ["a", "b"])
    #expect(row["one"] as? Int == 1)
    #expect(row["none"] is NSNull)
    let table = try Command.run(["query", store, "SELECT name, amount, amount FROM \"Sample\" -- all"] + options)
    #expect(
      table.output == "name  amount  amount (2)\n----  ------  ----------\na\\nb     1.5         1.5\n",
      "\(table.errors)")
    // A terminal would take the escape for a command.
    let escape = try Command.run(["query", store, "SELECT '\u{1B}[2J\u{9B}' AS \"\u{1B}c\""] + options)
    #expect(
      escape.output == "\\u{1B}c\n---------------\n\\u{1B}[2J\\u{9B}\n", "\(escape.output) \(escape.errors)")
    let numbered = "SELECT 1 AS a, 2 AS a, 3 AS \"a (2)\", 4 AS a"
    let names = try #require(try json(try Command.run(["query", store, numbered, "--json"] + options)).first)
    #expect(names.mapValues { $0 as? Int } == ["a": 1, "a (2)": 2, "a (2) (2)": 3, "a (3)": 4])
    #expect(
      try json(try Command.run(["query", store, "SELECT name FROM \"Sample\" WHERE false", "--json"] + options)).isEmpty
    )
  }

  /// Rows are printed before the statement has an end, which these have not.
  private func checkEndless(_ store: String, _ options: String...) throws {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i, 'a row' AS t FROM n"
    for form in [[], ["--json"]] {
      let process = try Command.start(["query", store, endless] + form + options)
      defer {
        process.send(SIGKILL)
        process.wait()
      }
      var text = ""
      while !text.contains("5000") {
        let data = process.output!.availableData
        try #require(!data.isEmpty, "the command ended: \(text.suffix(1_000))")
        text += String(decoding: data, as: UTF8.self)
      }
      let lines = text.split(separator: "\n")
      #expect(
        form.isEmpty ? lines[2] == "   1  a row" : lines[1...3] == ["  {", "    \"i\" : 1,", "    \"t\" : \"a row\""])
    }
    let wider =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)"
      + " SELECT i, CASE WHEN i > 1200 THEN 'much wider' ELSE 'a' END AS t FROM n"
    let lines = try Command.run(["query", store, wider] + options).output.split(separator: "\n")
    #expect(lines.count == 1_502)
    #expect([lines[0], lines[1], lines[2], lines[1_501]] == ["   i  t", "----  -", "   1  a", "1500  much wider"])
  }

  /// No statement changes anything.
  private func checkRefusals(_ store: String, _ statements: [String], _ options: String...) throws {
    for sql in statements {
      let result = try Command.run(["query", store, sql] + options)
      #expect(result.status == 2 && result.output.isEmpty, "\(sql): \(result.output)")
      #expect(result.errors.contains("the statement is refused"), "\(sql): \(result.errors)")
    }
    let count = try json(try Command.run(["query", store, "SELECT count(*) AS n FROM \"Sample\"", "--json"] + options))
    #expect(count.first?["n"] as? Int == 1)
  }

  @Test("query shows the values of a file by their types, and refuses every statement that is not one SELECT")
  func file() throws {
    let folder = try Music.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("s.store")
    try fill(try ModelContainer(for: Typed.Sample.self, configurations: ModelConfiguration(url: store)))
    try checkValues(store.path)
    try checkEndless(store.path)
    let other = folder.appendingPathComponent("other").path
    try checkRefusals(
      store.path,
      [
        "DELETE FROM Sample", "UPDATE Sample SET amount = 2", "DROP TABLE Sample", "ATTACH '\(other)' AS o", "BEGIN",
        "VACUUM INTO '\(other)'", "PRAGMA journal_mode = DELETE", "SELECT 1; DELETE FROM Sample", "", "SELEC 1",
        "SELECT nothing FROM Sample", "INSERT INTO Sample (name) VALUES ('x') RETURNING name",
      ])
    #expect(!FileManager.default.fileExists(atPath: other))
  }

  @Test(
    "query shows the values of a PostgreSQL store by their types, and refuses every statement that is not one SELECT",
    .enabled(if: hasServer, "needs POSTGRES_URL"))
  func server() throws {
    let namespace = "query_\(UUID().uuidString.prefix(8).lowercased())"
    let container = try ModelContainer(
      for: Schema([Typed.Sample.self]), configurations: [PostgresConfiguration(url: url, namespace: namespace)])
    defer { try? container.erase() }
    try fill(container)
    try checkValues(url, "--namespace", namespace)
    try checkEndless(url, "--namespace", namespace)
    let sql = "SELECT 12345678901234567890.5::numeric AS n, now() > '2020-01-01' AS late, ARRAY[1, 2] AS list;"
    let row = try #require(try json(try Command.run("query", url, sql, "--json", "--namespace", namespace)).first)
    #expect(row["n"] as? String == "12345678901234567890.5")
    #expect(row["late"] as? Bool == true)
    #expect(row["list"] as? String == "{1,2}")
    try checkRefusals(
      url,
      [
        "DELETE FROM \"Sample\"", "WITH d AS (DELETE FROM \"Sample\" RETURNING 1) SELECT * FROM d",
        "COPY \"Sample\" TO STDOUT",
        "SELECT 1) AS q; DELETE FROM \"Sample\"; SELECT * FROM (SELECT 1", "COMMIT",
        "SELECT nextval('\"Sample#keys\"')", "",
      ], "--namespace", namespace)
  }

  // MARK: - History

  private func save(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    context.author = "ann"
    let album = Album("Blue Train")
    context.insert(album)
    for index in 0..<3 { context.insert(Track("t\(index)", 1, album)) }
    try context.save()
    context.author = nil
    album.released = Date(timeIntervalSinceReferenceDate: 0)
    context.delete(album.tracks[0])
    try context.save()
  }

  private func checkHistory(_ store: String, _ options: String...) throws {
    let all = try json(try Command.run(["history", store, "--json"] + options))
    try #require(all.count == 2)
    func changes(_ index: Int) -> [String] {
      (all[index]["changes"] as? [[String: Any]] ?? []).map { change in
        "\(change["entity"] ?? "") \(change["count"] ?? "") \(change["kind"] ?? "")"
      }
    }
    #expect(all[1]["author"] as? String == "ann" && all[0]["author"] == nil)
    #expect(changes(1) == ["Album 1 inserted", "Track 3 inserted"])
    #expect(changes(0).contains("Album 1 updated") && changes(0).contains("Track 1 deleted"), "\(changes(0))")
    let text = try Command.run(["history", store, "--limit", "1"] + options).output
    #expect(text.contains("Track  1 deleted") && !text.contains("by ann"), "\(text)")
    #expect(try Command.run(["history", store, "--since", "1d"] + options).output.contains("by ann"))
    #expect(try Command.run(["history", store, "--since", "2999-01-01"] + options).output == "no saves\n")
    for time in ["yesterday", "-1h", "1x"] {
      #expect(try Command.run(["history", store, "--since=\(time)"] + options).status == 2, "\(time)")
    }
  }

  @Test("history lists the saves of a file with their authors and what they changed")
  func historyOfFile() throws {
    let folder = try Music.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("s.store")
    try save(try Music.container(store))
    try checkHistory(store.path)
    #expect(try Command.run("history", store.path).output.contains("Album  1 updated: released"))
  }

  @Test(
    "history lists the saves of a PostgreSQL store with their authors and what they changed",
    .enabled(if: hasServer, "needs POSTGRES_URL"))
  func historyOfServer() throws {
    let namespace = "history_\(UUID().uuidString.prefix(8).lowercased())"
    let container = try ModelContainer(
      for: Schema([Album.self, Track.self]), configurations: [PostgresConfiguration(url: url, namespace: namespace)])
    defer { try? container.erase() }
    try save(container)
    try checkHistory(url, "--namespace", namespace)
  }

  @Test("history reads a store of Apple's frameworks")
  func historyOfApple() throws {
    let text = try Command.run("history", try Music.store().path)
    #expect(text.status == 0 && text.output.contains("  Track  3 inserted\n"), "\(text.output) \(text.errors)")
  }
}
