import AppleStoreTemplates
import BlockingTests
import ChildProcesses
import Foundation
import SwiftData
import SwiftDataAppleStore
import SwiftDataPostgres
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("swiftdata", .blocking) struct CommandTests {
  private func json(_ text: String) throws -> Any { try JSONSerialization.jsonObject(with: Data(text.utf8)) }

  @Test("inspect says what an Apple store is, as text and as JSON")
  func inspect() throws {
    let file = try Music.store()
    let text = try Command.run("inspect", file.path)
    #expect(try Command.run("inspect", file.absoluteString).output == text.output)
    #expect(text.status == 0)
    for part in [
      "Apple store", "Album  1 objects in ZALBUM", "tracks -> [Track], inverse album, delete rule cascade",
      "integrity   ok",
    ] {
      #expect(text.output.contains(part), "\(text.output)")
    }
    let report = try #require(try json(try Command.run("inspect", file.path, "--json").output) as? [String: Any])
    let entities = try #require(report["entities"] as? [[String: Any]])
    #expect(entities.map { $0["count"] as? Int } == [1, 3])
    #expect(report["kind"] as? String == "apple")
  }

  @Test("import copies everything, again without doubling, and the copy equals the file")
  func importing() throws {
    let file = try Music.store(tracks: 1_200)
    let copy = file.deletingLastPathComponent().appendingPathComponent("copy.store")
    for isRepeated in [false, true] {
      let result = try Command.run("import", file.path, "--into", copy.path, "--json")
      #expect(result.status == 0, "\(result.errors)")
      let report = try #require(try json(result.output) as? [String: Any])
      #expect(report["isRepeated"] as? Bool == isRepeated)
      #expect(report["losses"] as? [String] == [])
    }
    #expect(try Command.run("diff", file.path, copy.path).output == "the stores are equal\n")
    #expect(try Command.run("check", copy.path).output == "nothing is wrong\n")
    #expect(try Command.run("inspect", copy.path).output.contains("models      version 1.0.0, format"))
    let container = try ModelContainer(
      for: Schema([Album.self, Track.self]), configurations: [ModelConfiguration(url: copy)])
    #expect(container.migrations.isEmpty)
    let context = ModelContext(container)
    #expect(try context.fetchCount(FetchDescriptor<Track>()) == 1_200)
    #expect(try context.fetch(FetchDescriptor<Album>())[0].tracks.count == 1_200)
    context.insert(Album("Another"))
    try context.save()
    let refused = try Command.run("import", file.path, "--into", copy.path)
    #expect(refused.status == 2)
    #expect(refused.errors.contains("--replace"))
    #expect(try Command.run("import", file.path, "--into", copy.path, "--replace").status == 0)
    #expect(try Command.run("diff", file.path, copy.path).status == 0)
  }

  @Test("dump prints a line for each object, with its relationships")
  func dump() throws {
    let lines = try Command.run("dump", try Music.store().path).output.split(separator: "\n")
    #expect(lines.count == 4)
    let album = try #require(try json(String(lines[0])) as? [String: Any])
    let properties = try #require(album["properties"] as? [String: Any])
    #expect(properties["title"] as? String == "Blue <Train>")
    #expect(properties["tracks"] as? [Int] == [1, 2, 3])
    #expect(properties["released"] as? String == "2000-12-31T23:43:20.000Z")
  }

  @Test("diff names the objects and properties that differ")
  func diff() throws {
    let (first, second) = (try Music.store(), try Music.store(tracks: 4))
    let result = try Command.run("diff", first.path, second.path)
    #expect(result.status == 1)
    #expect(result.output.contains("+ Track 4"))
    #expect(result.output.contains("~ Album 1: tracks"))
  }

  @Test("diagram draws boxes and lines; names are escaped")
  func diagram() throws {
    let file = try Music.store()
    let mermaid = try Command.run("diagram", file.path).output
    #expect(mermaid.hasPrefix("erDiagram"))
    #expect(mermaid.contains("Album |o--o{ Track : \"tracks / album\""))
    let svg = try Command.run("diagram", file.path, "--format", "svg").output
    #expect(svg.contains(">1 tracks / album *</text>"))
    #expect(svg.hasSuffix("</svg>\n"))
  }

  @Test("What is no store ends with an error that says so")
  func noStore() throws {
    let file = try Music.folder().appendingPathComponent("text")
    try Data("no database, but long enough to be looked at as if it were one".utf8).write(to: file)
    for command in ["inspect", "models", "dump", "check", "diagram"] {
      let result = try Command.run(command, file.path)
      #expect(result.status == 2)
      #expect(result.errors.contains("is not an SQLite database"), "\(command): \(result.errors)")
    }
  }

  @Test("An output that cannot be written ends the command with an error", .enabled(if: access("/dev/full", W_OK) == 0))
  func fullDisk() throws {
    let file = try Music.store(tracks: 1_200).path
    let copy = try Music.folder().appendingPathComponent("copy.store").path
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    defer { try? full.close() }
    let commands = ["inspect", "models", "check", "diagram"].flatMap { [[$0, file], [$0, file, "--json"]] }
    for arguments in commands + [["dump", file], ["diff", file, file], ["import", file, "--into", copy]] {
      let result = Command.result(of: try Command.start(arguments, output: .descriptor(full.fileDescriptor)))
      #expect(result.status == 2, "\(arguments)")
      #expect(
        result.errors.contains("the output cannot be written: No space left on device"),
        "\(arguments): \(result.errors)")
    }
  }

  @Test("dump prints external data, and ends with 1 and the names where files are missing")
  func externalData() throws {
    let file = try Music.folder().appendingPathComponent("covers.store")
    try AppleStoreTemplate(for: [Cover.self]).make(at: file)
    let container = try ModelContainer(
      for: Schema([Cover.self]), configurations: [AppleStoreConfiguration(url: file, allowsSave: true)])
    let context = ModelContext(container)
    let picture = Data(repeating: 7, count: 200_000)
    context.insert(Cover(picture))
    try context.save()
    let whole = try Command.run("dump", file.path)
    #expect(whole.status == 0, "\(whole.errors)")
    #expect(whole.output.contains("\"picture\":\"\(picture.base64EncodedString())\""))
    let folder = file.deletingLastPathComponent().appendingPathComponent(".covers_SUPPORT/_EXTERNAL_DATA")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
    try FileManager.default.removeItem(at: folder)
    let rest = try Command.run("dump", file.path)
    #expect(rest.status == 1)
    #expect(rest.output.contains("\"entity\":\"Cover\",\"key\":1"))
    #expect(rest.errors == "Cover.picture of 1: the file \(name) is missing from \(folder.path)\n")
  }

  @Test("import and models read Realm Studio's JSON")
  func realm() throws {
    let file = try Music.folder().appendingPathComponent("realm.json")
    try Data(
      """
      {"Track": [{"name": "a", "length": 1.5}, {"name": "b", "length": 2}],
       "Album": [{"title": "x", "tracks": [{"name": "b", "length": 2}], "released": "2001-01-01T00:00:00.000Z"}]}
      """.utf8
    ).write(to: file)
    let models = try Command.run("models", file.path, "--from-realm-json").output
    #expect(models.contains("  var length: Double\n"))
    #expect(models.contains("  var tracks: [Track] = []\n"))
    let target = file.deletingLastPathComponent().appendingPathComponent("realm.store")
    for isRepeated in [false, true] {
      let result = try Command.run("import", file.path, "--from-realm-json", "--into", target.path, "--json")
      #expect(result.status == 0, "\(result.errors)")
      let report = try #require(try json(result.output) as? [String: Any])
      #expect(report["isRepeated"] as? Bool == isRepeated)
    }
    let dump = try Command.run("dump", target.path).output
    #expect(dump.contains("\"released\":\"2001-01-01T00:00:00.000Z\""))
    #expect(dump.contains("\"tracks\":[2]"))
    #expect(try Command.run("check", target.path).output == "nothing is wrong\n")
    #expect(try Command.run("import", file.path, "--into", target.path).errors.contains("is not an SQLite database"))
  }

  @Test(
    "dump, diff and browse read a PostgreSQL store by its URL",
    .enabled(if: ProcessInfo.processInfo.environment["POSTGRES_URL"] != nil, "needs POSTGRES_URL"))
  func postgres() async throws {
    let url = ProcessInfo.processInfo.environment["POSTGRES_URL"] ?? ""
    let namespace = "tool_\(UUID().uuidString.prefix(8).lowercased())"
    let models = Schema([Album.self, Track.self])
    let server = try ModelContainer(
      for: models, configurations: [PostgresConfiguration(url: url, namespace: namespace)])
    defer { try? server.erase() }
    let file = try Music.store(tracks: 700)
    let source = try ModelContainer(for: models, configurations: [AppleStoreConfiguration(url: file)])
    let writer = ModelContext(server)
    // The objects get the same keys, because they are inserted in the order of the file's.
    for album in try ModelContext(source).fetch(FetchDescriptor<Album>()) {
      let copy = Album(album.title + " \u{0}e\u{301}")
      copy.released = album.released
      writer.insert(copy)
      for track in album.tracks.sorted(by: { $0.seconds < $1.seconds }) {
        writer.insert(Track(track.name, track.seconds, copy))
      }
    }
    try writer.save()
    let dump = try Command.run("dump", url, "--namespace", namespace)
    #expect(dump.status == 0, "\(dump.errors)")
    let lines = dump.output.split(separator: "\n")
    #expect(lines.count == 701)
    let album = try #require(try json(String(lines[0])) as? [String: Any])
    let properties = try #require(album["properties"] as? [String: Any])
    #expect(
      (properties["title"] as? String)?.unicodeScalars.elementsEqual("Blue <Train> \u{0}e\u{301}".unicodeScalars)
        == true)
    #expect((properties["tracks"] as? [Int])?.count == 700)
    let same = try Command.run("diff", url, url, "--namespace", namespace)
    #expect(same.output == "the stores are equal\n", "\(same.errors)")
    let differing = try Command.run("diff", file.path, url, "--namespace", namespace)
    #expect(differing.status == 1)
    #expect(differing.output.contains("title"), "\(differing.output.prefix(300)) \(differing.errors)")
    let process = try Command.start(["browse", url, "--namespace", namespace, "--port", "0", "--json"])
    defer { process.send(SIGTERM) }
    let line = process.line()
    let address = try #require((try json(line) as? [String: String])?["address"])
    func get(_ path: String) async throws -> String {
      String(decoding: try await URLSession.shared.data(from: URL(string: address + path)!).0, as: UTF8.self)
    }
    #expect(try await get("Album").contains("Blue &lt;Train&gt;"))
    #expect(try await get("Track?property=name&text=T699").contains(">t699<"))
  }

  @Test("browse serves classes, objects, links and filters on this machine, and changes nothing without --edit")
  func browse() async throws {
    let file = try Music.store()
    let process = try Command.start(["browse", file.path, "--port", "0", "--json"])
    defer { process.send(SIGTERM) }
    let line = process.line()
    let address = try #require((try json(line) as? [String: String])?["address"])
    func get(_ path: String) async throws -> (String, Int) {
      let (data, response) = try await URLSession.shared.data(from: URL(string: address + path)!)
      return (String(decoding: data, as: UTF8.self), (response as? HTTPURLResponse)?.statusCode ?? 0)
    }
    #expect(try await get("").0.contains("<a href=\"/Album\">Album</a>"))
    #expect(try await get("Album").0.contains("Blue &lt;Train&gt;"))
    #expect(try await get("Track?property=name&text=T1").0.contains("/Track/2\""))
    #expect(try await !get("Track?property=name&text=T1").0.contains("/Track/1\""))
    let album = try await get("Album/1").0
    #expect(album.contains("<a href=\"/Track/3\">3</a>"))
    #expect(!album.contains("<form"))
    #expect(try await get("Nothing").1 == 404)
    #expect(try await get("Album/99").1 == 404)
    var post = URLRequest(url: URL(string: address + "Album/1")!)
    (post.httpMethod, post.httpBody) = ("POST", Data("property=title&value=x".utf8))
    let (_, response) = try await URLSession.shared.data(for: post)
    #expect((response as? HTTPURLResponse)?.statusCode == 403)
  }

  @Test("sync-token makes no token for a name that the server refuses")
  func accountNames() throws {
    let keys = try Music.folder().appendingPathComponent("keys")
    try "k1 0123456789abcdef0123456789abcdef\n".write(to: keys, atomically: true, encoding: .utf8)
    for name in ["", "a/b", String(repeating: "a", count: 129)] {
      let refused = try Command.run("sync-token", name, "--keys", keys.path)
      #expect(refused.status == 2 && refused.output.isEmpty, "\(name)")
      #expect(refused.errors.contains("1 to 128 bytes and no slash"), "\(refused.errors)")
    }
    #expect(try Command.run("sync-token", "ann@example.org", "--keys", keys.path).status == 0)
  }

  @Test("an option that takes a number refuses one that it cannot use, and says which it takes")
  func numbers() throws {
    let folder = try Music.folder()
    let (keys, store) = (folder.appendingPathComponent("keys").path, folder.appendingPathComponent("s.store").path)
    try "k1 0123456789abcdef0123456789abcdef\n".write(toFile: keys, atomically: true, encoding: .utf8)
    let server = ["sync-server", "--store", store, "--keys", keys]
    let cases = [
      (server + ["--port", "99999"], "--port takes 0 to 65535"), (server + ["--port=-1"], "--port takes 0 to 65535"),
      (server + ["--port", "0", "--quota", "0"], "--quota takes a size above 0"),
      (server + ["--port", "0", "--quota", "10 parsecs"], "is invalid for '--quota <size>'"),
      (["browse", try Music.store().path, "--port", "65536"], "--port takes 0 to 65535"),
      (["sync-token", "ann", "--keys", keys, "--days", "nan"], "--days takes a number above 0, at most 36500"),
      (["sync-token", "ann", "--keys", keys, "--days", "1e300"], "--days takes a number above 0, at most 36500"),
      (["sync-token", "ann", "--keys", keys, "--days=-1"], "--days takes a number above 0, at most 36500"),
    ]
    for (arguments, message) in cases {
      let process = try Command.start(arguments)
      // A command that accepts the number serves until it is stopped.
      DispatchQueue.global().asyncAfter(deadline: .now() + 300) { process.send(SIGTERM) }
      let result = Command.result(of: process)
      #expect(result.output.isEmpty, "\(arguments)")
      #expect(result.status == 2 && result.errors.contains(message), "\(arguments): \(result.errors)")
    }
  }

  @Test("a file of keys that cannot be read is named, with what belongs into it")
  func missingKeys() throws {
    let keys = try Music.folder().appendingPathComponent("none").path
    let refused = try Command.run("sync-token", "ann", "--keys", keys)
    #expect(refused.status == 2)
    #expect(refused.errors.contains("the file of keys \(keys) cannot be read") && !refused.errors.contains("NSURL"))
  }
}
