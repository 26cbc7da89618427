import FirestoreClient
import FirestoreProtocol
import Foundation
import Testing

@Suite("Queries, from the client to the server and back") struct QueryTests {
  /// Documents a to j: `n` of mixed types, `g` their group, `l` a list.
  private func fill(_ client: FirestoreClient) async throws {
    let values: [FirestoreValue?] = [
      .integer(3), .double(1.5), .integer(1), .string("1"), .null, .double(.nan), .boolean(true), nil, .integer(3),
      .array([.integer(3)]),
    ]
    let writes = values.enumerated().map { index, value in
      let letter = String(UnicodeScalar(UInt8(97 + index)))
      var fields: [String: FirestoreValue] = [
        "g": .integer(Int64(index % 2)), "l": .array([.integer(Int64(index)), .string(letter)]),
        "m": .map(["in": .string(letter)]),
      ]
      fields["n"] = value
      return FirestoreWrite.update(.init(name: client.root + "/c/" + letter, fields: fields))
    }
    try await client.commit(writes)
    try await client.commit([.update(.init(name: client.root + "/c/a/c/deep", fields: ["n": .integer(2)]))])
  }

  private func ids(_ client: FirestoreClient, _ query: FirestoreQuery) async throws -> String {
    try await client.run(query, of: client.root).map { String($0.name.split(separator: "/").last ?? "") }.joined()
  }

  @Test("Filters compare within a type only, and find no documents without the field")
  func filters() async throws {
    try await withServer { client in
      try await fill(client)
      func found(_ filter: FirestoreFilter) async throws -> String {
        try await ids(client, .init("c", where: filter, orderBy: [.init("__name__")]))
      }
      #expect(try await found(.field("n", .equal, .double(3))) == "ai")
      #expect(try await found(.field("n", .lessThan, .integer(3))) == "bc")
      #expect(try await found(.field("n", .lessThanOrEqual, .integer(3))) == "abci")
      #expect(try await found(.field("n", .greaterThan, .double(1.5))) == "ai")
      #expect(try await found(.field("n", .greaterThanOrEqual, .string(""))) == "d")
      #expect(try await found(.field("n", .notEqual, .integer(3))) == "bcdfgj")
      #expect(try await found(.field("n", .in, .array([.integer(1), .string("1")]))) == "cd")
      #expect(try await found(.field("n", .notIn, .array([.integer(1), .string("1")]))) == "abfgij")
      #expect(try await found(.field("n", .arrayContains, .double(3))) == "j")
      #expect(try await found(.field("l", .arrayContainsAny, .array([.string("a"), .integer(9)]))) == "aj")
      #expect(try await found(.field("m.in", .equal, .string("e"))) == "e")
      #expect(try await found(.unary("n", .isNull)) == "e")
      #expect(try await found(.unary("n", .isNaN)) == "f")
      #expect(try await found(.unary("n", .isNotNull)) == "abcdfgij")
      #expect(try await found(.unary("n", .isNotNaN)) == "abcdgij")
      #expect(try await found(.and([.field("g", .equal, .integer(0)), .field("n", .equal, .integer(3))])) == "ai")
      #expect(try await found(.or([.field("n", .equal, .integer(1)), .unary("n", .isNull)])) == "ce")
      #expect(await status { _ = try await found(.field("n", .in, .array([]))) } == .invalidArgument)
    }
  }

  @Test("The order is by type, then by value, then by name, either way")
  func order() async throws {
    try await withServer { client in
      try await fill(client)
      #expect(try await ids(client, .init("c", orderBy: [.init("n")])) == "egfcbaidj")
      #expect(try await ids(client, .init("c", orderBy: [.init("n", .descending)])) == "jdiabcfge")
      #expect(try await ids(client, .init("c", orderBy: [.init("g", .descending), .init("n")])) == "fbdjegcai")
      // An inequality brings its order along.
      #expect(
        try await ids(client, .init("c", where: .field("n", .lessThan, .integer(9)))) == "cbai")
    }
  }

  @Test("Cursors, offset and limit cut the order")
  func cursors() async throws {
    try await withServer { client in
      try await fill(client)
      func found(_ start: FirestoreQuery.Cursor?, _ end: FirestoreQuery.Cursor?, offset: Int? = nil, limit: Int? = nil)
        async throws -> String
      {
        try await ids(
          client, .init("c", orderBy: [.init("n")], startAt: start, endAt: end, offset: offset, limit: limit))
      }
      #expect(try await found(.init([.integer(3)], before: true), nil) == "aidj")
      #expect(try await found(.init([.integer(3)], before: false), nil) == "dj")
      #expect(try await found(nil, .init([.integer(3)], before: true)) == "egfcb")
      #expect(try await found(nil, .init([.integer(3)], before: false)) == "egfcbai")
      let place = FirestoreValue.reference(client.root + "/c/a")
      #expect(try await found(.init([.integer(3), place], before: false), nil) == "idj")
      #expect(try await found(nil, nil, offset: 2, limit: 3) == "fcb")
      #expect(try await found(nil, nil, offset: 20) == "")
      #expect(
        await status { _ = try await found(.init([.null, .null, .null], before: true), nil) } == .invalidArgument)
    }
  }

  @Test("A query asks one collection below its parent, or all of a name; a projection leaves fields out")
  func scope() async throws {
    try await withServer { client in
      try await fill(client)
      let below = try await client.run(.init("c"), of: client.root + "/c/a")
      #expect(below.map(\.name) == [client.root + "/c/a/c/deep"])
      var query = FirestoreQuery("c", where: .field("n", .equal, .integer(2)))
      #expect(try await client.run(query, of: client.root).isEmpty)
      query.from = [.init(collectionId: "c", allDescendants: true)]
      #expect(try await client.run(query, of: client.root).map(\.name) == [client.root + "/c/a/c/deep"])
      var projected = FirestoreQuery("c", limit: 1)
      projected.select = .init(fields: [.init("m.in"), .init("none")])
      #expect(try await client.run(projected, of: client.root).map(\.fields) == [["m": .map(["in": .string("a")])]])
      projected.select = .init(fields: [.init("__name__")])
      #expect(try await client.run(projected, of: client.root).map(\.fields) == [[:]])
    }
  }
}
