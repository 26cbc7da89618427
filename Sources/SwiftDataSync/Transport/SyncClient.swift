#if Sync
import Foundation
import SyncCore
import SyncProtocol
import Synchronization

/// The requests of the protocol.
struct SyncClient: Sendable {
  let transport: any SyncTransport
  let credentials: SyncCredentials

  /// The time that an answer may take, in seconds, in addition to the time of its request on a slow line.
  static let timeout = 30.0
  /// The seconds that a long poll gets beyond its own waiting time. They are few because a long poll detects a dead connection.
  static let waitTimeout = 15.0
  /// The slowest connection that a request must get through, in bytes a second. A push has up to 4 MB, or one transaction of any size.
  static let slowestLine = 16_000.0
  private let patience = Patience()
  private let interrupted = InterruptedDownload()
  private let account = KnownAccount()

  init(transport: any SyncTransport, credentials: SyncCredentials) {
    (self.transport, self.credentials) = (transport, credentials)
  }

  /// Says which account the store syncs as; nil before the server named it.
  func expect(account name: String?) { account.set(name) }

  func pull(_ request: SyncLog.PullRequest) async throws -> SyncLog.PullResponse {
    // The client does not know how large an answer will be. After an answer timed out, the next request gets twice the time.
    do {
      let path = "/v2/log/pull"
      let reply = try await reply("POST", path, try SyncWire.encode(request), timeout: Self.timeout * patience.factor)
      // While answers are large, the next one needs as much time.
      if Double(reply.body.count) < Self.timeout * Self.slowestLine { patience.halve() }
      return try decode(reply, path)
    } catch let error as URLError where error.code == .timedOut {
      patience.double()
      throw error
    }
  }

  func push(_ request: SyncLog.PushRequest) async throws -> SyncLog.PushResponse {
    try await call("POST", "/v2/log/push", try SyncWire.encode(request))
  }

  func wait(_ request: SyncLog.WaitRequest) async throws -> SyncLog.WaitResponse {
    try await call(
      "POST", "/v2/log/wait", try SyncWire.encode(request),
      timeout: request.seconds.clamped(to: 0...60) + Self.waitTimeout)
  }

  // MARK: - Shares

  /// - Parameter version: the list that the client has.
  func shares(since version: String? = nil) async throws -> SharesResponse {
    try await call("GET", "/v2/shares?since=\(escape(version ?? "none"))")
  }

  func createShare(_ request: CreateShareRequest) async throws -> ShareInfo {
    try await call("POST", "/v2/shares", try SyncWire.encode(request))
  }

  func invite(_ request: InviteRequest, to zone: String) async throws -> InviteResponse {
    try await call("POST", "/v2/shares/\(escape(zone))/invitations", try SyncWire.encode(request))
  }

  func accept(link: String) async throws -> ShareInfo {
    try await call("POST", "/v2/shares/accept", try SyncWire.encode(AcceptRequest(link: link)))
  }

  func accept(zone: String) async throws -> ShareInfo { try await call("POST", "/v2/shares/\(escape(zone))/accept") }

  /// Removes another account from a share of this one, or this account from a share of another one.
  func removeParticipant(_ account: String, from zone: String) async throws {
    let _: Done = try await call("DELETE", "/v2/shares/\(escape(zone))/participants/\(escape(account))")
  }

  /// Removes all participants and links of a share.
  func endShare(_ zone: String) async throws { let _: Done = try await call("DELETE", "/v2/shares/\(escape(zone))") }

  // MARK: - Keys

  func keys(of zone: String) async throws -> ZoneKeys { try await call("GET", "/v2/shares/\(escape(zone))/keys") }

  func put(_ request: PutZoneKeysRequest, to zone: String) async throws {
    let _: Done = try await call("POST", "/v2/shares/\(escape(zone))/keys", try SyncWire.encode(request))
  }

  /// Publishes the public key of the account.
  func publish(_ request: PublishKeyRequest) async throws {
    let _: Done = try await call("PUT", "/v2/shares/key", try SyncWire.encode(request))
  }

  // MARK: - Assets

  /// Sends the bytes of an asset that the server does not have, in chunks; a transfer that was interrupted goes on.
  func upload(_ bytes: Data, sha256: String, zone: ZoneName) async throws {
    let path = "/v2/zones/\(escape(zone.text))/assets/\(sha256)"
    // Sending a small asset costs no more than asking whether the server has it.
    var state =
      bytes.count <= SyncWire.assetThreshold
      ? AssetState(size: 0, isComplete: false) : try await call("GET", path + "?state=1")
    // A server that dropped damaged parts asks for all of them again. A faulty one would do so without end.
    var restarts = 0
    var next: Int64 = 0
    while !state.isComplete {
      let size = try state.size.inRange(0...Int64(bytes.count), field: "assets.size")
      guard size < bytes.count else { throw SyncFailure(.invalid, "the server has more of an asset than there is") }
      if size < next { restarts += 1 }
      guard restarts <= 2 else {
        throw SyncFailure(.invalid, "the server does not take the parts of the asset \(sha256)")
      }
      let start = Int(size)
      let end = min(start + SyncWire.chunkSize, bytes.count)
      next = Int64(end)
      state = try await call(
        "PUT", path + "?offset=\(start)&total=\(bytes.count)", bytes[bytes.startIndex + start..<bytes.startIndex + end])
    }
  }

  /// Brings the bytes of an asset, in chunks; a transfer that was interrupted goes on.
  func download(sha256: String, size: Int, zone: ZoneName) async throws -> Data {
    var bytes = interrupted.take(sha256)
    defer { if bytes.count < size { interrupted.keep(sha256, bytes) } }
    while bytes.count < size {
      let path = "/v2/zones/\(escape(zone.text))/assets/\(sha256)?offset=\(bytes.count)"
      let part = try await reply("GET", path, nil).body
      guard !part.isEmpty else {
        throw SyncFailure(.missingAsset, "the server has not all of the asset \(sha256)")
      }
      // A server that sends single bytes would be asked for each of them.
      let expected = min(SyncWire.chunkSize, size - bytes.count)
      guard part.count == expected else {
        throw SyncFailure(.invalid, "a part of the asset \(sha256) has \(part.count) bytes, not \(expected)")
      }
      bytes.append(part)
    }
    guard UserStore.sha256(bytes) == sha256 else {
      throw SyncFailure(.invalid, "the bytes of the asset \(sha256) are damaged; they are fetched again")
    }
    return bytes
  }

  // MARK: - Calls

  func call<Response: Decodable>(
    _ method: String, _ path: String, _ body: Data? = nil, timeout: Double = timeout
  ) async throws -> Response {
    try decode(try await reply(method, path, body, timeout: timeout), path)
  }

  private func decode<Response: Decodable>(_ reply: SyncReply, _ path: String) throws -> Response {
    do {
      return try SyncWire.decode(Response.self, from: reply.body)
    } catch {
      let reason = (error as? DecodingError).map(SyncWire.reason) ?? "\(error)"
      throw SyncFailure(
        .invalid,
        "the answer to \(path.prefix { $0 != "?" }) is not a message of sync; check the URL of the server. \(reason)"
      )
    }
  }

  func reply(_ method: String, _ path: String, _ body: Data?, timeout: Double = timeout) async throws -> SyncReply {
    var headers = [SyncWire.versionHeader: String(SyncLog.version), "Content-Type": "application/json"]
    headers["Authorization"] = "Bearer \(try await token())"
    if let name = account.name { headers[SyncWire.accountHeader] = escape(name) }
    let request = SyncRequest(
      method: method, path: path, headers: headers, body: body,
      timeout: .seconds(timeout + Double(body?.count ?? 0) / Self.slowestLine))
    let reply = try await transport.send(request)
    guard reply.status < 300 else {
      throw (try? SyncWire.decode(SyncFailure.self, from: reply.body))
        ?? SyncFailure(
          reply.status >= 500 ? .unavailable : .invalid,
          "the server answered with the status \(reply.status); check the URL of the server, and its log")
    }
    return reply
  }

  private func token() async throws -> String {
    do {
      // A token that comes from a file or a shell often ends with a line break.
      let token = try await credentials.token().trimmingCharacters(in: .whitespacesAndNewlines)
      guard token.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
        throw SyncFailure(
          .unauthorized, "the token has a character that no token has; take it as swiftdata sync-token prints it")
      }
      return token
    } catch let error where error is SyncFailure || error is URLError || error is CancellationError {
      // The function could not reach its own server, or the engine was paused meanwhile.
      throw error
    } catch {
      throw SyncFailure(.unauthorized, "the function of SyncCredentials(token:) failed: \(error)")
    }
  }

  func escape(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "-._"))) ?? text
  }
}

/// How many times as long as usual an answer with changes may take.
private final class Patience: Sendable {
  /// Four minutes: no longer than the pause between two tries can be.
  private static let most = 8.0
  private let value = Mutex(1.0)

  var factor: Double { value.withLock { $0 } }
  func double() { value.withLock { $0 = min(Self.most, $0 * 2) } }
  func halve() { value.withLock { $0 = max(1, $0 / 2) } }
}

/// The account that a store syncs as.
private final class KnownAccount: Sendable {
  private let value = Mutex<String?>(nil)

  var name: String? { value.withLock { $0 } }
  func set(_ name: String?) { value.withLock { $0 = name } }
}

/// The received bytes of the asset whose download was interrupted last.
private final class InterruptedDownload: Sendable {
  private let value = Mutex<(sha256: String, bytes: Data)?>(nil)

  /// The bytes that have come of an asset. They are not kept any longer.
  func take(_ sha256: String) -> Data {
    value.withLock { kept in
      defer { kept = nil }
      return kept?.sha256 == sha256 ? kept!.bytes : Data()
    }
  }

  func keep(_ sha256: String, _ bytes: Data) { value.withLock { $0 = (sha256, bytes) } }
}
#endif
