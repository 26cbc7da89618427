import AsyncHTTPClient
import FirestoreClient
import FirestoreProtocol
import FirestoreServer
import Foundation
import HTTPServing
import Hummingbird
import Logging
import Testing

@Suite("Documents, from the client to the server and back") struct DocumentTests {
  private func put(_ client: FirestoreClient, _ path: String, _ fields: [String: FirestoreValue]) async throws {
    try await client.commit([.update(.init(name: client.root + "/" + path, fields: fields))])
  }

  @Test("A document comes back with every type of value; one that is not there is not found")
  func get() async throws {
    try await withServer { client in
      let fields: [String: FirestoreValue] = [
        "n": .null, "b": .boolean(false), "i": .integer(.max), "d": .double(0.1), "nan": .double(.nan),
        "t": .timestamp(.init(seconds: 1, nanoseconds: 5_000)), "s": .string("täxt"), "y": .bytes(Data([1])),
        "r": .reference(client.root + "/c/x"), "g": .geoPoint(latitude: 1, longitude: 2),
        "a": .array([.integer(1), .map(["k": .array([])])]), "m": .map(["in.ner": .map([:])]),
      ]
      let name = client.root + "/c ö/a:b%?"
      let commit = try await client.commit([.update(.init(name: name, fields: fields))])
      let document = try await client.document(name)
      #expect(document.name == name)
      #expect(document.updateTime == commit.writeResults[0].updateTime)
      #expect(document.createTime == commit.commitTime)
      guard case .double(let nan)? = document.fields["nan"] else { return #expect(Bool(false)) }
      #expect(nan.isNaN)
      #expect(document.fields.filter { $0.key != "nan" } == fields.filter { $0.key != "nan" })
      #expect(await status { _ = try await client.document(client.root + "/c/none") } == .notFound)
      let both = try await client.documents([client.root + "/c/none", name])
      #expect(both.map { $0?.name } == [nil, name])
    }
  }

  @Test("A collection is listed page by page, in the order of names, without what is below its documents")
  func list() async throws {
    try await withServer { client in
      for number in [3, 1, 2, 5, 4] { try await put(client, "c/\(number)", ["n": .integer(Int64(number))]) }
      try await put(client, "c/1/sub/x", [:])
      try await put(client, "other/x", [:])
      var names = [[String]]()
      var token: String?
      repeat {
        let page = try await client.list("c", of: client.root, pageSize: 2, pageToken: token)
        names.append(page.documents.map { String($0.name.split(separator: "/").last ?? "") })
        token = page.nextPageToken
      } while token != nil
      #expect(names == [["1", "2"], ["3", "4"], ["5"]])
      #expect(try await client.list("sub", of: client.root + "/c/1", pageSize: 9, pageToken: nil).documents.count == 1)
      #expect(try await client.list("none", of: client.root, pageSize: 9, pageToken: nil).documents.isEmpty)
    }
  }

  @Test("A mask writes its fields, removes those that are not given, and leaves the rest; without one all is replaced")
  func mask() async throws {
    try await withServer { client in
      let name = client.root + "/c/a"
      try await put(client, "c/a", ["x": .integer(1), "m": .map(["a": .integer(1), "b": .integer(2)]), "z": .null])
      try await client.commit([
        .update(
          .init(name: name, fields: ["m": .map(["a": .integer(9)]), "x": .integer(5)]),
          mask: .init([.init("m", "a"), .init("m", "b"), .init("z")]))
      ])
      #expect(try await client.document(name).fields == ["x": .integer(1), "m": .map(["a": .integer(9)])])
      try await put(client, "c/a", ["only": .null])
      #expect(try await client.document(name).fields == ["only": .null])
    }
  }

  @Test("Preconditions hold or the whole commit is refused, with Google's status")
  func preconditions() async throws {
    try await withServer { client in
      let name = client.root + "/c/a"
      let document = FirestoreDocument(name: name, fields: ["v": .integer(1)])
      #expect(await status { _ = try await client.commit([.update(document, if: .exists(true))]) } == .notFound)
      let first = try await client.commit([.update(document, if: .exists(false))])
      #expect(await status { _ = try await client.commit([.update(document, if: .exists(false))]) } == .alreadyExists)
      let time = try #require(first.writeResults[0].updateTime)
      let other = FirestoreDocument(name: client.root + "/c/b", fields: [:])
      let changed = FirestoreDocument(name: name, fields: ["v": .integer(2)])
      try await client.commit([.update(changed, if: .updateTime(time))])
      #expect(
        await status { _ = try await client.commit([.update(other), .delete(name, if: .updateTime(time))]) }
          == .failedPrecondition)
      // The first write of the refused commit is not there either.
      #expect(try await client.documents([other.name, name]).map { $0?.fields } == [nil, ["v": .integer(2)]])
      try await client.commit([.delete(name), .delete(name)])
      #expect(await status { _ = try await client.commit([.delete(name, if: .exists(true))]) } == .notFound)
    }
  }

  @Test("Transforms are computed by the server, after the update, and their results are in the answer")
  func transforms() async throws {
    try await withServer { client in
      let name = client.root + "/c/a"
      func transform(_ path: FirestoreFieldPath, _ operation: FirestoreTransform.Operation) async throws
        -> FirestoreValue?
      {
        let commit = try await client.commit([
          .update(.init(name: name, fields: [:]), mask: .init([]), transforms: [.init(path, operation)])
        ])
        return commit.writeResults[0].transformResults?.first
      }
      #expect(try await transform(.init("n"), .increment(.integer(5))) == .integer(5))
      #expect(try await transform(.init("n"), .increment(.integer(.max))) == .integer(.max))
      #expect(try await transform(.init("d", "e"), .increment(.double(0.5))) == .double(0.5))
      #expect(try await transform(.init("d", "e"), .increment(.integer(1))) == .double(1.5))
      #expect(try await transform(.init("d", "e"), .maximum(.integer(1))) == .double(1.5))
      #expect(try await transform(.init("d", "e"), .minimum(.integer(1))) == .integer(1))
      #expect(try await transform(.init("l"), .appendMissing([.integer(1), .integer(2), .double(1)])) == .null)
      #expect(try await transform(.init("l"), .removeAll([.double(2)])) == .null)
      let time = try #require(try await transform(.init("t"), .requestTime))
      let fields = try await client.document(name).fields
      #expect(fields["l"] == .array([.integer(1)]))
      #expect(fields["t"] == time)
      #expect(fields["d"] == .map(["e": .integer(1)]))
      #expect(await status { _ = try await transform(.init("n"), .increment(.string("1"))) } == .invalidArgument)
    }
  }

  @Test("What changes nothing keeps the time of the last change, and times never go back")
  func times() async throws {
    try await withServer { client in
      var last: FirestoreTimestamp?
      for number in 0..<20 {
        let commit = try await client.commit([
          .update(.init(name: client.root + "/c/a", fields: ["n": .integer(Int64(number))]))
        ])
        if let last { #expect(commit.commitTime > last) }
        last = commit.commitTime
      }
      let same = try await client.commit([.update(.init(name: client.root + "/c/a", fields: ["n": .integer(19)]))])
      #expect(same.writeResults[0].updateTime == last)
    }
  }

  @Test("A server with a file has its documents when it is started again")
  func file() async throws {
    try await withFolder { folder in
      let store = folder.appendingPathComponent("firestore.store")
      try await withServer(store: store) { try await put($0, "c/a", ["x": .integer(1)]) }
      try await withServer(store: store) { client in
        let document = try await client.document(client.root + "/c/a")
        #expect(document.fields == ["x": .integer(1)])
      }
    }
  }

  @Test("A request that waits for a connection is not given up after the time that connecting may take")
  func queue() async throws {
    let slow = CallbackResponder<BasicRequestContext> { _, _ in
      try await Task.sleep(for: .milliseconds(800))
      return Response(status: .ok, body: .init(byteBuffer: .init(string: #"{"name":"a","fields":{}}"#)))
    }
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let quiet = logger
    try await withRunning { onRunning in
      let server = Application(
        responder: slow, server: .endingAccepted(), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { await onRunning($0.localAddress?.port ?? 0) }, logger: quiet)
      try await server.runService(gracefulShutdownSignals: [])
    } _: { port in
      var configuration = HTTPClient.Configuration(timeout: .init(connect: .seconds(2)))
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1
      let connections = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
      let client = FirestoreClient(project: "p", baseURL: "http://127.0.0.1:\(port)", client: connections)
      let impatient = FirestoreClient(
        project: "p", baseURL: "http://127.0.0.1:\(port)", client: connections, timeout: .milliseconds(150))
      // One of them is sent and the others wait; the last one waits longer than connecting may take.
      let found = await withTaskGroup(of: FirestoreError.Status?.self) { group in
        for _ in 0..<4 { group.addTask { await status { _ = try await client.document("a") } } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(found == [nil, nil, nil, nil])
      #expect(await status { _ = try await impatient.document("a") } == .deadlineExceeded)
      try await connections.shutdown()
    }
  }

  @Test("Fifty clients that add one at once lose none")
  func parallel() async throws {
    try await withServer { client in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<50 {
          group.addTask {
            try await client.commit([
              .update(
                .init(name: client.root + "/c/a", fields: [:]), mask: .init([]),
                transforms: [.init(.init("n"), .increment(.integer(1)))])
            ])
          }
        }
        try await group.waitForAll()
      }
      #expect(try await client.document(client.root + "/c/a").fields == ["n": .integer(50)])
    }
  }

  @Test("What a query has kept in memory follows every commit, and no refused one")
  func cache() async throws {
    try await withServer { client in
      func found() async throws -> [String: FirestoreValue] {
        let documents = try await client.run(.init("c"), of: client.root)
        return Dictionary(uniqueKeysWithValues: documents.map { (String($0.name.suffix(1)), $0.fields["n"] ?? .null) })
      }
      #expect(try await found().isEmpty)
      try await put(client, "c/a", ["n": .integer(1)])
      try await put(client, "c/b", ["n": .integer(2)])
      try await put(client, "c/a/c/z", ["n": .integer(9)])
      #expect(try await found() == ["a": .integer(1), "b": .integer(2)])
      let changed = FirestoreDocument(name: client.root + "/c/a", fields: ["n": .integer(5)])
      #expect(
        await status {
          try await client.commit([.update(changed), .delete(client.root + "/c/none", if: .exists(true))])
        } == .notFound)
      #expect(try await found() == ["a": .integer(1), "b": .integer(2)])
      try await client.commit([.update(changed), .delete(client.root + "/c/b")])
      #expect(try await found() == ["a": .integer(5)])
    }
  }

  @Test("A server that is not there is unavailable, which may be retried; a wrong name may not")
  func errors() async throws {
    let absent = FirestoreClient(project: "p", baseURL: "http://127.0.0.1:9", environment: [:])
    let error = await #expect(throws: FirestoreError.self) { _ = try await absent.document(absent.root + "/c/a") }
    #expect(error?.status == .unavailable)
    #expect(error?.isRetryable == true)
    #expect(await !absent.isReachable())
    try await withServer { client in
      #expect(await client.isReachable(within: .minutes(1)))
      let error = await #expect(throws: FirestoreError.self) {
        _ = try await client.commit([.update(.init(name: client.root + "/c", fields: [:]))])
      }
      #expect(error?.status == .invalidArgument)
      #expect(error?.isRetryable == false)
      #expect(error?.message.contains("/c\"") == true)
    }
  }

  @Test("Names and texts that Swift takes for the same are different documents and different values")
  func bytes() async throws {
    try await withServer { client in
      let (composed, decomposed) = ("\u{E9}", "e\u{301}")
      try await put(client, "c/" + composed, ["t": .string(composed)])
      try await put(client, "c/" + decomposed, ["t": .string(decomposed)])
      let page = try await client.list("c", of: client.root, pageSize: 9, pageToken: nil)
      #expect(page.documents.map { Array($0.name.utf8.suffix(3)) } == [Array(decomposed.utf8), Array("/\u{E9}".utf8)])
      try await put(client, "c/" + composed, ["t": .string(decomposed)])
      guard case .string(let text)? = try await client.document(client.root + "/c/" + composed).fields["t"] else {
        return #expect(Bool(false))
      }
      #expect(text.utf8.elementsEqual(decomposed.utf8))
      #expect(try await client.run(.init("c", orderBy: [.init("__name__")]), of: client.root).count == 2)
    }
  }

  @Test("Writes of one commit see each other: made, changed, deleted and made again")
  func oneCommit() async throws {
    try await withServer { client in
      let name = client.root + "/c/a"
      func write(_ number: Int64, _ precondition: FirestorePrecondition) -> FirestoreWrite {
        .update(.init(name: name, fields: ["n": .integer(number)]), if: precondition)
      }
      _ = try await client.run(.init("c"), of: client.root)
      try await client.commit([write(1, .exists(false)), write(2, .exists(true))])
      #expect(try await client.document(name).fields == ["n": .integer(2)])
      try await client.commit([.delete(name), write(3, .exists(false)), .delete(name), write(4, .exists(false))])
      #expect(try await client.document(name).fields == ["n": .integer(4)])
      #expect(try await client.run(.init("c"), of: client.root).map(\.fields) == [["n": .integer(4)]])
      try await client.commit([write(5, .exists(true)), .delete(name)])
      #expect(try await client.run(.init("c"), of: client.root).isEmpty)
    }
  }
}
