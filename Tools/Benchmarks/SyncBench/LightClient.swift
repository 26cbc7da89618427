import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import SyncProtocol

/// A connection to a server that costs little, so that one process can have a thousand of them.
struct LightClient {
  typealias Channel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

  private var inbound: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator
  private let outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>
  private let token: String

  /// Connects, and closes the connection after the body.
  static func with<Result: Sendable>(
    port: Int, token: String, _ body: @Sendable @escaping (inout LightClient) async throws -> Result
  ) async throws -> Result {
    let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .connect(host: "127.0.0.1", port: port) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHTTPClientHandlers()
          return try Channel(wrappingChannelSynchronously: channel)
        }
      }
    return try await channel.executeThenClose { inbound, outbound in
      var client = LightClient(inbound: inbound.makeAsyncIterator(), outbound: outbound, token: token)
      return try await body(&client)
    }
  }

  /// Sends a request and waits for the body of the answer.
  mutating func send(_ method: HTTPMethod, _ path: String, _ body: Data? = nil) async throws -> Data {
    var head = HTTPRequestHead(version: .http1_1, method: method, uri: path)
    head.headers = [
      "Host": "127.0.0.1", "Authorization": "Bearer \(token)", SyncWire.versionHeader: String(SyncLog.version),
      "Content-Length": String(body?.count ?? 0),
    ]
    try await outbound.write(.head(head))
    if let body { try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: body)))) }
    try await outbound.write(.end(nil))
    var (answer, status) = (Data(), HTTPResponseStatus.ok)
    while let part = try await inbound.next() {
      switch part {
      case .head(let head): status = head.status
      case .body(let bytes): answer.append(contentsOf: bytes.readableBytesView)
      case .end:
        guard status == .ok else { throw SyncFailure(.unavailable, String(decoding: answer, as: UTF8.self)) }
        return answer
      }
    }
    throw SyncFailure(.unavailable, "the server closed the connection")
  }
}

extension LightClient {
  /// Sends a message and reads the answer.
  mutating func call<Answer: Decodable>(
    _ path: String, _ message: some Encodable, _ type: Answer.Type
  ) async throws -> Answer {
    try SyncWire.decode(type, from: try await send(.POST, "/v2/log/\(path)", SyncWire.encode(message)))
  }

  /// Returns the newest epoch of the server.
  mutating func epoch() async throws -> UUID {
    let hello = SyncLog.PullRequest(cursor: 0, epoch: nil, known: [])
    let answer = try await call("pull", hello, SyncLog.PullResponse.self)
    guard let epoch = answer.epochs?.last else { throw SyncFailure(.invalid, "the server has no epoch") }
    return epoch.name
  }

  /// Pushes transactions.
  /// - Throws: also the reason why the server refused one.
  mutating func push(_ transactions: [SyncLog.Transaction], _ epoch: UUID) async throws {
    let request = SyncLog.PushRequest(cursor: 0, epoch: epoch, transactions: transactions)
    if let refusal = try await call("push", request, SyncLog.PushResponse.self).refusal { throw refusal }
  }
}

extension SyncLog.Transaction {
  /// New objects in the zone of an account.
  /// - Parameter fields: the values of each object.
  init(inserting fields: [[WireName: RegisterValue]], into account: String) {
    var random = SystemRandomNumberGenerator()
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    let time = HybridTime(milliseconds: now, counter: 0, replica: 1)
    let records = fields.map { fields in
      var registers = Registers()
      registers.born = Stamped(time, "BenchItem")
      registers.fields = fields.mapValues { Stamped(time, $0) }
      return (RecordName(milliseconds: now, using: &random), registers)
    }
    self.init(
      id: UUID(), parts: [.account(ExactText(account)): Dictionary(records) { first, _ in first }])
  }
}
