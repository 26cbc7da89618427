import CoreMetrics
import Foundation
import SyncProtocol
import UntrustedInput

extension SyncRoute {
  /// All routes. The first route that matches answers a request.
  static let all: [SyncRoute] = service + log + assets + shares + participants

  private static let service: [SyncRoute] = [
    SyncRoute("GET", "health", .anonymous, "health", answer: .text) { service, _ in
      try await service.store.checkHealth()
      return Reply(body: Data("{\"status\":\"ok\"}".utf8))
    },
    SyncRoute("GET", "metrics", .anonymous, "metrics", answer: .text) { service, _ in
      Reply(body: Data(await service.metrics().utf8), type: "text/plain; version=0.0.4")
    },
  ]

  private static let assets: [SyncRoute] = [
    SyncRoute(
      "PUT", "zones/{zone}/assets/{sha256}", query: [.number("offset"), .number("total")], .writer, "assets",
      request: .bytes, answer: .message(AssetState.self)
    ) { service, call in
      guard let offset = try call.number("offset"), let total = try call.number("total") else {
        throw SyncFailure(.invalid, "the query lacks offset=NUMBER&total=NUMBER")
      }
      let state = try await service.store.putAsset(
        call.parameter("sha256"), offset: offset, total: total, try await call.body(), account: call.account,
        zone: call.parameter("zone"))
      return Reply(body: try SyncWire.encode(state))
    },
    SyncRoute(
      "GET", "zones/{zone}/assets/{sha256}", query: [.number("state"), .number("offset")], .reader, "assets",
      answer: .bytes
    ) { service, call in
      let (name, zone) = (call.parameter("sha256"), call.parameter("zone"))
      if try call.number("state") != nil {
        let state = try await service.store.assetState(name, account: call.account, zone: zone)
        return Reply(body: try SyncWire.encode(state))
      }
      let bytes = try await service.store.assetPart(
        name, offset: try call.number("offset") ?? 0, account: call.account, zone: zone)
      return Reply(body: bytes, type: "application/octet-stream")
    },
  ]

  private static let shares: [SyncRoute] = [
    SyncRoute("GET", "shares", query: [.text("since")], .account, "shares", answer: .message(SharesResponse.self)) {
      service, call in
      Reply(body: try SyncWire.encode(try await service.store.shares(of: call.account, since: call.text("since"))))
    },
    .route("POST", "shares", CreateShareRequest.self, .account, "shares") { service, call, request in
      try await service.store.createShare(request, account: call.account)
    },
    .route("POST", "shares/accept", AcceptRequest.self, .account, "shares") { service, call, request -> ShareInfo in
      try await service.store.accept(link: request.link, account: call.account)
    },
    .route("PUT", "shares/key", PublishKeyRequest.self, .account, "shares") { service, call, request -> Done in
      try await service.store.publish(request, account: call.account)
      return Done()
    },
    .route("DELETE", "shares/{zone}", .owner, "shares") { service, call -> Done in
      try await service.store.endShare(call.parameter("zone"), account: call.account)
      return Done()
    },
  ]

  private static let participants: [SyncRoute] = [
    .route("POST", "shares/{zone}/accept", .invited, "shares") { service, call in
      try await service.store.accept(zone: call.parameter("zone"), account: call.account)
    },
    .route("POST", "shares/{zone}/invitations", InviteRequest.self, .owner, "shares") { service, call, request in
      try await service.store.invite(request, to: call.parameter("zone"), account: call.account)
    },
    .route("GET", "shares/{zone}/keys", .reader, "shares") { service, call in
      try await service.store.keys(of: call.parameter("zone"), account: call.account)
    },
    // A participant may wrap the key for itself.
    .route("POST", "shares/{zone}/keys", PutZoneKeysRequest.self, .reader, "shares") { service, call, request -> Done in
      try await service.store.putKeys(request, to: call.parameter("zone"), account: call.account)
      return Done()
    },
    .route("DELETE", "shares/{zone}/participants/{account}", .ownerOrSelf, "shares") { service, call -> Done in
      try await service.store.removeParticipant(
        call.parameter("account"), from: call.parameter("zone"), account: call.account)
      return Done()
    },
  ]
}
