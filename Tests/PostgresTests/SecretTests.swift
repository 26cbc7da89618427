import Foundation
import SwiftData
import SwiftDataPostgres
import SwiftDataPostgresShards
import Testing

@Suite struct SecretTests {
  @Model final class Entry {
    var name: String
    init(_ name: String) { self.name = name }
  }

  private func expectNothingTold(_ texts: [String], _ secret: String) {
    for text in texts { #expect(!text.contains(secret), "\(text)") }
  }

  @Test("A configuration shows its server and not the password of its URL")
  func configuration() {
    for url in [
      "postgres://me:topsecret@db.example:5433/app", "postgres://db.example:5433/app?user=me&password=topsecret",
    ] {
      let configuration = PostgresConfiguration(url: url)
      var dumped = ""
      dump(configuration, to: &dumped)
      let texts = ["\(configuration)", String(reflecting: configuration), dumped]
      expectNothingTold(texts, "topsecret")
      for text in texts { #expect(text.contains("db.example:5433/app")) }
    }
  }

  @Test("Partitions show their servers and not the passwords of the URLs")
  func partitions() {
    let partitions = PostgresPartitions.hashed(
      by: \Entry.name, count: 4, shards: ["postgres://me:topsecret@db.example:5433/app"])
    var dumped = ""
    dump(partitions, to: &dumped)
    let texts = ["\(partitions)", String(reflecting: partitions), dumped]
    expectNothingTold(texts, "topsecret")
    for text in texts { #expect(text.contains("db.example:5433/app")) }
  }

  @Test(
    "A shard that is not there is named without the password",
    .enabled(if: PostgresServer.isThere, PostgresServer.reason))
  func unreachableShard() throws {
    let store = TestStore()
    var configuration = store.configuration
    configuration.partitions = [
      .hashed(by: \Entry.name, count: 2, shards: ["postgres://me:topsecret@127.0.0.1:1/app?connect_timeout=5"])
    ]
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Schema([Entry.self]), configurations: configuration)
    }
    let told = error.map { ["\($0)", String(reflecting: $0), $0.localizedDescription] } ?? []
    expectNothingTold(told, "topsecret")
    #expect(told.first?.contains("127.0.0.1") == true)
  }

  @Test("A server that is not there is named without the password")
  func unreachable() throws {
    // Nobody listens at port 1.
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(
        for: Schema([Entry.self]),
        configurations: PostgresConfiguration(url: "postgres://me:topsecret@127.0.0.1:1/app?connect_timeout=5"))
    }
    let told = error.map { ["\($0)", String(reflecting: $0), $0.localizedDescription] } ?? []
    expectNothingTold(told, "topsecret")
    #expect(told.first?.contains("127.0.0.1") == true)
  }

  @Test(
    "A URL that libpq reads otherwise than it was meant is refused, with advice and nothing of the password",
    arguments: [
      "postgres://me:top@secret@host/app", "postgres://me:top/secret@host/app",
      "postgres://me:12/secret@host/app", "postgres://me:top%zzsecret@host/app", "postgres://me:top%00secret@host/app",
      "postgres://host/app?password=secret&secret",
      "postgres://me:secret@host:port/app",
      "postgres://me:top secret@[host/app",
    ])
  func unreadable(_ url: String) throws {
    let configuration = PostgresConfiguration("ours", url: url)
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: Schema([Entry.self]), configurations: configuration)
    }
    let told = error.map { ["\($0)", String(reflecting: $0), $0.localizedDescription] } ?? []
    expectNothingTold(told + ["\(configuration)", String(reflecting: configuration)], "secret")
    #expect(told.first?.contains("%40") == true && told.first?.contains("\"ours\"") == true)
  }
}
