import Foundation
@_spi(Wire) import SyncServer

/// A request to the sync server with a valid token of ann, or of the account that the header `As` names.
///
/// Ann shares a record with bob. Dan is invited. In the body, `LINK` stands for the secret of a link to the share, and `EPOCH` for the
/// epoch of the server.
enum SyncRequestTarget {
  private static let world = Task { try await SyncWorld.make(fill) }

  static var routes: Set<String> { Set(SyncService.routes) }

  /// - Returns: the route that did what it is for.
  static func run(_ bytes: Data) async throws -> Set<String> {
    let (world, link) = try await world.value
    let service = try await world.service()
    let input = RequestInput(bytes)
    var headers = ["Authorization": "Bearer \(try await world.token(input.account ?? "ann"))"]
    for (name, value) in input.headers { headers[name] = value }
    var body = input.body.replacing(Data("LINK".utf8), with: Data(link.utf8))
    if body.range(of: Data("EPOCH".utf8)) != nil {
      let hello = ["Authorization": "Bearer \(try await world.token("ann"))"]
      let answer = await service.answer("POST", "/v2/log/pull", headers: hello, body: Data(first.utf8)).body
      body = body.replacing(Data("EPOCH".utf8), with: Data(try newestEpoch(answer).utf8))
    }
    let request = Task { [headers, body] in
      await service.answer(input.method, input.target, headers: headers, body: body)
    }
    // A request that waits for news need not wait for long.
    let timer = Task {
      try await Task.sleep(for: .milliseconds(20))
      request.cancel()
    }
    let (status, answer) = await request.value
    timer.cancel()
    // A zone may be full. Another 5xx is a case that the server does not know.
    if status >= 500, status != 507 { broken("\(status) \(String(decoding: answer, as: UTF8.self))") }
    if status >= 300 { throw Refused() }
    return SyncService.route(input.method, input.target).map { [$0] } ?? []
  }

  /// The zone of the share follows from the names of the owner and the record, `ann/a`.
  private static let zone = "share-b950955ce5de17c876e409f6dff1c3a3"

  /// The first pull of a client, which the server answers with its epochs.
  private static let first = #"{"cursor":0,"known":[],"loading":{},"unsent":[]}"#

  private struct Epochs: Decodable {
    struct Epoch: Decodable { let name: String }
    let epochs: [Epoch]
  }

  /// Returns the newest epoch of the answer to ``first``.
  private static func newestEpoch(_ answer: Data) throws -> String {
    try JSONDecoder().decode(Epochs.self, from: answer).epochs.last?.name ?? ""
  }

  /// - Returns: the secret of a link.
  private static func fill(_ world: SyncWorld) async throws -> String {
    func send(_ account: String, _ method: String, _ path: String, _ body: String = "") async throws -> Data {
      try await world.send(account, method, path, Data(body.utf8))
    }
    let key = Data(count: 32).base64EncodedString()
    for account in ["ann", "bob"] { _ = try await send(account, "PUT", "shares/key", #"{"key":"\#(key)"}"#) }
    _ = try await send("ann", "POST", "shares", #"{"root":"a","title":"t"}"#)
    for (account, permission) in [("bob", "readWrite"), ("dan", "readOnly")] {
      _ = try await send(
        "ann", "POST", "shares/\(zone)/invitations", #"{"account":"\#(account)","permission":"\#(permission)"}"#)
    }
    _ = try await send("bob", "POST", "shares/\(zone)/accept")
    let wrapped = Data(repeating: 7, count: 80).base64EncodedString()
    _ = try await send(
      "ann", "POST", "shares/\(zone)/keys", #"{"generation":1,"wrapped":{"ann":"\#(wrapped)","bob":"\#(wrapped)"}}"#)
    for zone in ["account-ann", zone] {
      let asset = "zones/\(zone)/assets/2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"
      _ = try await send("ann", "PUT", "\(asset)?offset=0&total=1", "x")
    }
    let epoch = try newestEpoch(try await send("ann", "POST", "log/pull", first))
    _ = try await send(
      "ann", "POST", "log/push", #"{"before":[],"cursor":0,"epoch":"\#(epoch)","transactions":["\#(logged)"]}"#)
    let answer = try await send("ann", "POST", "shares/\(zone)/invitations", #"{"permission":"readOnly"}"#)
    return try JSONDecoder().decode([String: String].self, from: answer)["link"] ?? ""
  }

  /// A transaction: a note with an asset in ann's zone and in the share, and a deletion in the share.
  private static let logged =
    "AggICAgICEgIiAgICAgICAgCAAADYW5uuQEAAQEBYTECBwAAAAAAAAAAAOgDAAAAAAAIRnV6ek5vdGUDAAVjb3ZlcgAGQDJkNzExNjQyYjcyNmIwNDQwMT"
    + "YyN2NhOWZiYWMzMmY1Yzg1MzBmYjE5MDNjYzRkYjAyMjU4NzE3OTIxYTQ4ODEBAAVvd25lcgAIAQFiAAAFdGl0bGUABAFhAQAFcGFydHMBAQFiDQAAATgB"
    + "ACBiOTUwOTU1Y2U1ZGUxN2M4NzZlNDA5ZjZkZmYxYzNhMwEAIGI5NTA5NTVjZTVkZTE3Yzg3NmU0MDlmNmRmZjFjM2EzvgEAAgEBYTECBwAAAAAAAAAAAO"
    + "gDAAAAAAAIRnV6ek5vdGUDAAVjb3ZlcgAGQDJkNzExNjQyYjcyNmIwNDQwMTYyN2NhOWZiYWMzMmY1Yzg1MzBmYjE5MDNjYzRkYjAyMjU4NzE3OTIxYTQ4"
    + "ODEBAAVvd25lcgAIAQFiAAAFdGl0bGUABAFhAQAFcGFydHMBAQFiDQAAATgBACBiOTUwOTU1Y2U1ZGUxN2M4NzZlNDA5ZjZkZmYxYzNhMwEBYgIA"
}
