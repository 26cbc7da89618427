import BlockingTests
import CommandLineSupport
import Foundation
import SwiftData
import Testing

@Suite("The command line of swiftdata", .blocking) struct CommandLineTests {
  /// What `--experimental-dump-help` prints.
  private struct Help: Decodable {
    let command: Subcommand
  }

  private struct Subcommand: Decodable {
    let commandName: String
    let abstract: String?
    let subcommands: [Subcommand]?
    let arguments: [Argument]?
  }

  private struct Argument: Decodable {
    struct Name: Decodable {
      let kind: String
      let name: String
    }
    let abstract: String?
    let names: [Name]?
    let valueName: String?
    var longName: String? { names?.first { $0.kind == "long" }.map { "--\($0.name)" } }
  }

  private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func subcommands() throws -> [Subcommand] {
    let text = try Command.run("--experimental-dump-help").output
    let help = try JSONDecoder().decode(Help.self, from: Data(text.utf8))
    return (help.command.subcommands ?? []).filter { $0.commandName != "help" }
  }

  @Test("--version prints the version, which the change log has")
  func version() throws {
    let result = try Command.run("--version")
    #expect(result.status == 0 && result.output == "\(Release.version)\n")
    let log = try String(contentsOf: Self.repository.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
    #expect(log.contains("\n## \(Release.version)"))
  }

  @Test("the page of the command line names each command and each of its options")
  func documentation() throws {
    let page = try String(
      contentsOf: Self.repository.appendingPathComponent("Documentation/command-line.md"), encoding: .utf8)
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }
    let common = ["--help", "--version", "--json", "--namespace"]
    for command in try subcommands() {
      let row = rows.first { $0.hasPrefix("| `\(command.commandName)") }
      guard let row else {
        Issue.record("no row for \(command.commandName)")
        continue
      }
      for option in (command.arguments ?? []).compactMap(\.longName) where !common.contains(option) {
        #expect(row.contains("`\(option)"), "\(command.commandName) \(option)")
      }
    }
  }

  @Test("each command begins with a verb, each option has a sentence")
  func voice() throws {
    for command in try subcommands() {
      let abstract = command.abstract ?? ""
      let verb = abstract.prefix { $0 != " " }
      #expect(!verb.hasSuffix("s") && verb.first?.isUppercase == true && abstract.hasSuffix("."), "\(abstract)")
      for argument in command.arguments ?? [] {
        let text = argument.abstract ?? ""
        #expect(
          text.first?.isUppercase == true && (text.hasSuffix(".") || text.hasSuffix(")")),
          "\(command.commandName): \(text)")
      }
    }
  }

  @Test("completion scripts are generated for each shell", arguments: ["bash", "zsh", "fish"])
  func completion(shell: String) throws {
    let result = try Command.run("--generate-completion-script", shell)
    #expect(result.status == 0)
    for word in ["sync-server", "backup", "--since"] where shell != "fish" {
      #expect(result.output.contains(word), "\(word)")
    }
    #expect(result.output.contains("sync-server"))
  }

  @Test("0 says that all is well, 1 that something was found, 2 that the command could not work")
  func exitCodes() throws {
    let folder = try Music.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("s.store").path
    let context = ModelContext(try Music.container(URL(fileURLWithPath: store)))
    context.insert(Album("a"))
    try context.save()
    let copy = folder.appendingPathComponent("copy.store").path
    #expect(try Command.run("backup", store, copy).status == 0)
    for (arguments, status) in [
      (["--help"], 0), (["help", "diff"], 0), (["check", store], 0), (["diff", store, copy], 0), (["check"], 2),
      (["check", store, "--none"], 2), (["none"], 2), (["check", "/none"], 2), (["diff", store, "/none"], 2),
      (["query", store, "SELECT"], 2), (["dump", store, "--entity", "None"], 2), (["help", "help"], 0), (["help"], 0),
      (["--help", "diff"], 0), (["diff", "--help"], 0), ([], 0), (["help", "none"], 2), (["help", "diff", "none"], 2),
      (["none", "--help"], 2), (["--help", "none"], 2), (["--version", "none"], 2), (["check", ""], 2),
      (["diff", store, copy, "--limit=-1"], 2),
    ] as [([String], Int32)] {
      let result = try Command.run(arguments)
      #expect(result.status == status, "\(arguments): \(result.errors)")
      #expect(result.errors.isEmpty == (status == 0), "\(arguments): \(result.errors)")
    }
    context.insert(Album("b"))
    try context.save()
    #expect(try Command.run("diff", store, copy).status == 1)
  }

  @Test("a word that is not a command is named, with the usage of the program")
  func unknownCommand() throws {
    for (arguments, name) in [
      (["none"], "none"), (["help", "none"], "none"), (["help", "diff", "none"], "diff none"),
    ] {
      let errors = try Command.run(arguments).errors
      #expect(errors.hasPrefix("Error: There is no command '\(name)'.\nUsage: swiftdata"), "\(errors)")
    }
  }

  @Test(
    "a missing argument is named, with the usage of its command",
    arguments: [
      (["check"], "Name a store, or"), (["query"], "Name a store and the statement."),
      (["query", "a.store"], #""a.store" is the only argument. Name a store and the statement, or"#),
      (["backup", "a.store"], #""a.store" is the only argument. Name a store and the destination, or"#),
      (["diff", "a.store"], #""a.store" is the only argument. Name a store and the second store, or"#),
    ])
  func missing(arguments: [String], message: String) throws {
    let result = try Command.run(arguments)
    #expect(result.status == 2)
    #expect(result.errors.contains(message), "\(result.errors)")
    #expect(result.errors.contains("Usage: swiftdata \(arguments[0]) "), "\(result.errors)")
  }

  @Test("environment variables name what each call repeats, and arguments come first")
  func environment() throws {
    let folder = try Music.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("s.store").path
    _ = try Music.container(URL(fileURLWithPath: store))
    let named = ["SWIFTDATA_STORE": store]
    #expect(try Command.run("check", environment: named).status == 0)
    #expect(try Command.run("check", "/none", environment: named).status == 2)
    #expect(try Command.run("query", "SELECT 1", environment: named).output == "1\n-\n1\n")
    let copy = folder.appendingPathComponent("copy.store").path
    #expect(try Command.run("backup", copy, environment: named).status == 0)
    #expect(try Command.run("diff", copy, environment: named).status == 0)
    let missing = try Command.run("check", environment: ["SWIFTDATA_STORE": ""])
    #expect(missing.status == 2 && missing.errors.contains("set SWIFTDATA_STORE"), "\(missing.errors)")
    let keys = folder.appendingPathComponent("keys").path
    try "k1 0123456789abcdef0123456789abcdef\n".write(toFile: keys, atomically: true, encoding: .utf8)
    #expect(try Command.run("sync-token", "ann", environment: ["SWIFTDATA_SYNC_KEYS": keys]).status == 0)
    let none = try Command.run("sync-token", "ann", environment: ["SWIFTDATA_SYNC_KEYS": ""])
    #expect(none.status == 2 && none.errors.contains("SWIFTDATA_SYNC_KEYS"), "\(none.errors)")
  }

  @Test("a time is a day, a moment or an age, and nothing follows it")
  func moments() throws {
    let day = try #require(Moment(argument: "2001-01-02")).date
    #expect(day.timeIntervalSinceReferenceDate == 86_400)
    for (text, seconds) in [
      ("2001-01-01T00:00:01Z", 1), ("2001-01-01T00:00:01.5Z", 1.5), ("2001-01-01T01:00:00+01:00", 0),
    ] as [(String, Double)] {
      #expect(Moment(argument: text)?.date.timeIntervalSinceReferenceDate == seconds, "\(text)")
    }
    let before = Date(timeIntervalSinceNow: -7200)
    let ago = try #require(Moment(argument: "2h")).date
    #expect(before <= ago && ago <= Date(timeIntervalSinceNow: -7200))
    for text in ["", "2001-01-02x", "2001-01-02T", "2001-01-01T00:00:01", "-1h", "h", "1.5h", "2001-13-01", "1y"] {
      #expect(Moment(argument: text) == nil, "\(text)")
    }
  }

  @Test("sizes have the units of GNU's commands")
  func sizes() {
    for (text, bytes) in [
      ("0", 0), ("4096", 4096), ("10MB", 10_000_000), ("1.5kB", 1500), ("10M", 10 << 20), ("2GiB", 2 << 30),
      ("1 TB", 1_000_000_000_000),
      ("7b", 7),
    ] as [(String, Int64)] { #expect(ByteCount(argument: text)?.bytes == bytes, "\(text)") }
    for text in ["", "MB", "-1", "1e3", "1.", ".5", "1PB", "1 000", "99999999T", "1MBs", "nan", "0x10"] {
      #expect(ByteCount(argument: text) == nil, "\(text)")
    }
    for bytes in [0, 1, 1024, 1536, 10 << 30, 3 << 40] as [Int64] {
      #expect(ByteCount(argument: ByteCount(bytes).defaultValueDescription)?.bytes == bytes)
    }
  }
}
