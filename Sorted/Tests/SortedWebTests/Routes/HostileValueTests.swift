import Foundation
import Testing

@testable import SortedWeb

/// Feeds each part, field and header of each route with values that break programs. The routes are those that the router is built
/// from, so a new route is covered when it is written.
@Suite("Hostile values, B3", .serialized, .timeLimit(.minutes(20))) struct HostileValueTests {
  /// What is fed to each number and each text.
  static let values: [(name: String, bytes: Data)] = {
    let texts: [(name: String, text: String)] = [
      ("the least number", "\(Int.min)"), ("the greatest number", "\(Int.max)"),
      ("a number above all", "9223372036854775808"), ("zero", "0"), ("minus one", "-1"), ("NaN", "nan"),
      ("infinity", "inf"), ("nothing", ""), ("deep nesting", String(repeating: "[*_> ", count: 3_000)),
    ]
    return texts.map { (name: $0.name, bytes: Data($0.text.utf8)) } + [
      (name: "invalid UTF-8", bytes: Data([0x61, 0xFF, 0xFE, 0xC0, 0x80, 0xED, 0xA0, 0x80])),
      (name: "a megabyte", bytes: Data(repeating: UInt8(ascii: "7"), count: 1 << 20)),
    ]
  }()

  /// The headers that the server reads, and those that servers often read.
  private static let headers = [
    "Accept-Language", "Content-Length", "Content-Type", "Cookie", "Host", "If-Modified-Since", "If-None-Match",
    "Last-Event-ID", "Origin", "Range", "Sec-Fetch-Mode", "Sec-Purpose", "User-Agent", "X-Forwarded-For",
    "X-Forwarded-Proto", "X-Live",
  ]

  /// A value of a header in which a number or a text of its own stands.
  private static func headerValues(_ name: String, _ value: String) -> [String] {
    switch name {
    case "Accept-Language": [value, "he;q=\(value), en;q=0.5"]
    case "Content-Type": [value, "multipart/form-data; boundary=\(value)"]
    case "Cookie": [value, "zone=\(value); language=\(value); sorted-80=\(value)"]
    case "Host": [value, "localhost:\(value)"]
    case "Range": [value, "bytes=\(value)-\(value)"]
    default: [value]
    }
  }

  /// The person for whom a route does what it is for.
  static func person(for route: Route, _ world: RouteWorld) async throws -> String {
    var refusals: [String] = []
    for person in ["ann", "me"] {
      let answer = try await world.send(try world.call(route), as: person)
      if route.method == .post, answer.status < 400 { try world.fill() }
      if answer.status < 400, answer["Location"]?.hasPrefix("/sign-in?") != true { return person }
      refusals.append("\(person): \(answer.status) \(String(decoding: answer.body.suffix(400), as: UTF8.self))")
    }
    Issue.record("Correct the example of \(route.method) \(route.path) in RouteWorld. \(refusals)")
    return "ann"
  }

  /// All requests that have one value in one place.
  private static func calls(
    _ good: RouteWorld.Call, _ name: String, _ bytes: Data
  ) -> [(call: RouteWorld.Call, what: String)] {
    var calls: [(call: RouteWorld.Call, what: String)] = []
    func add(_ what: String, _ change: (inout RouteWorld.Call) -> Void) {
      var call = good
      change(&call)
      calls.append((call, "\(what) is \(name)"))
    }
    // The parser of HTTP takes no head of a megabyte; another test sends one over a connection.
    let isLong = bytes.count > 100_000
    for part in isLong ? [] : good.route.parameters {
      // Most identifiers are encoded, and bytes that are no UTF-8 cannot be one.
      let isText = String(data: bytes, encoding: .utf8) != nil
      add(part) { $0.parameters[part] = isText ? Slug.encode(bytes) : RouteWorld.escaped(bytes) }
    }
    for field in isLong ? [] : good.route.query {
      add(field) { $0.query = [field: bytes] }
    }
    // All forms have the token, and one place checks it.
    let token = good.route.path == "sync" ? [Route.token] : []
    for field in good.route.form + token { add(field) { $0.form[field] = bytes } }
    return calls
  }

  /// Each field gets each third value in `make test`, and the fields take turns, so that each value is fed to many fields.
  /// `make test-all` feeds each field with each value.
  private static let step = ProcessInfo.processInfo.environment["TEST_ALL"] == nil ? 3 : 1

  @Test("No value in a path, an address or a form ends the server, hangs it or makes it fail")
  func fields() async throws {
    try await RouteWorld.with { world in
      var (fields, requests) = (0, 0)
      for (turn, route) in world.routes.enumerated() {
        let person = try await Self.person(for: route, world)
        let good = try world.call(route)
        fields += route.parameters.count + route.query.count + route.form.count
        var hasChanged = false
        for (number, (name, bytes)) in Self.values.enumerated() {
          for (place, (call, what)) in Self.calls(good, name, bytes).enumerated() {
            guard (turn + number + place).isMultiple(of: Self.step) else { continue }
            requests += 1
            let answer = try await world.send(call, as: person)
            hasChanged = hasChanged || route.method == .post && answer.status < 400
            #expect(answer.status < 500, "\(route.method) \(route.path): \(what): \(answer.status)")
            #expect(!answer.headers.contains { $0.name == "Set-Cookie" && $0.value.contains("b=c") })
          }
        }
        if hasChanged { try world.fill() }
      }
      print("hostile values: \(world.routes.count) routes, \(fields) fields, \(requests) requests")
      #expect(world.routes.count >= 60 && fields >= 100)
    }
  }

  @Test("A head of a megabyte ends the connection and not the server")
  func longHead() async throws {
    try await WebFixture.run { web in
      var owner = try await web.owner()
      let text = String(repeating: "7", count: 1 << 20)
      for path in ["/?filter=\(text)", "/c/\(text)", "/search?q=\(text)"] {
        if let answer = try? await owner.get(path) { #expect((400..<500).contains(answer.status)) }
      }
      if let answer = try? await owner.get("/", headers: ["Accept-Language": text]) {
        #expect((400..<500).contains(answer.status))
      }
      #expect(try await owner.get("/health").status == 200)
    }
  }

  @Test("No value of a header ends the server, hangs it or makes it fail")
  func headers() async throws {
    try await RouteWorld.with { world in
      var requests = 0
      let routes = world.routes.filter {
        ["bin", "session", "files/:file", "c/:conversation/send"].contains($0.path)
      }
      #expect(routes.count == 4)
      for route in routes {
        let person = try await Self.person(for: route, world)
        for header in Self.headers {
          for (name, bytes) in Self.values where bytes.count < 100_000 {
            // Bytes that are no UTF-8 reach the server repaired.
            for value in Self.headerValues(header, String(decoding: bytes, as: UTF8.self)) {
              var call = try world.call(route)
              call.headers = [(header, value)]
              requests += 1
              let answer = try await world.send(call, as: person)
              #expect(answer.status < 500, "\(route.path): \(header) is \(name): \(answer.status)")
            }
          }
        }
        if route.method == .post { try world.fill() }
      }
      print("hostile headers: \(routes.count) routes, \(Self.headers.count) headers, \(requests) requests")
    }
  }

  @Test("A value that is not a number, or is out of bounds, is refused with the name of its field")
  func numbers() async throws {
    // Every field that is a number, and how it stands in its field.
    let numbers: [(path: String, field: String, text: @Sendable (String) -> String)] = [
      ("/", "opportunity", { $0 }), ("c/:conversation", "from", { $0 }), ("c/:conversation", "opportunity", { $0 }),
      ("search", "opportunity", { $0 }), ("administration", "days", { $0 }), ("settings/clean", "days", { $0 }),
      ("settings/retention", "keep", { $0 }), ("c/:conversation/read", "upTo", { $0 }),
      ("events", "threads", { "\(Slug.encode(RouteWorld.group)):\($0):" }),
      ("events", "threads", { "\(Slug.encode(RouteWorld.group)):1:\($0)" }),
    ]
    try await RouteWorld.with { world in
      for (path, field, text) in numbers {
        let route = try #require(world.routes.first { $0.path == path })
        let person = try await Self.person(for: route, world)
        for value in ["\(Int.min)", "\(Int.max)", "9223372036854775808", "nan", "inf", "1e3", "0x10", "１", "1.5"] {
          var call = try world.call(route)
          if route.method == .get { call.query[field] = Data(text(value).utf8) }
          if route.method == .post { call.form[field] = Data(text(value).utf8) }
          let answer = try await world.send(call, as: person)
          #expect(answer.status == 400, "\(path) \(field) \(value)")
          let page = String(decoding: answer.body, as: UTF8.self)
          #expect(page.contains("“\(field)” is a whole number from"), "\(path) \(field) \(value)")
        }
      }
      var call = try world.call(try #require(world.routes.first { $0.path == "c/:conversation" }))
      call.query = ["from": Data("1".utf8), "to": Data("\(Int.min)".utf8)]
      #expect(try await world.send(call, as: "ann").status == 400)
    }
  }

  @Test("A handler reads no field that its route does not have")
  func undeclared() async throws {
    let route = Route.post("x", for: .visitors, form: ["a"]) { request, context in
      let form = try await Form(request, context, maximumUpload: 100)
      let query = Query(request, context)
      return Pages.html("\(form["a"] ?? "") \(form["b"] ?? "none") \(query["c"] ?? "none")")
    }
    try await RouteWorld.with { world in
      let router = world.server.site.router(.init(label: "test"))
      router.add([route])
      let answer = try await RequestAnswers(router, .init(label: "test")).answer(
        "POST", "/x?c=3", headers: [("Content-Type", "application/x-www-form-urlencoded")], body: Data("a=1&b=2".utf8))
      #expect(String(decoding: answer.body, as: UTF8.self) == "1 none none")
    }
  }
}
