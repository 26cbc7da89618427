import Foundation
import SyncProtocol

extension SyncRoute {
  /// The routes of the log of all zones. They need no access to a zone: an account reads the zones that it may read, and a push to another
  /// zone is refused in its answer.
  static let log: [SyncRoute] = [
    SyncRoute(
      "POST", "log/pull", .account, "pull", request: .message(SyncLog.PullRequest.self),
      answer: .message(SyncLog.PullResponse.self)
    ) { service, call in
      let request = try SyncWire.decode(SyncLog.PullRequest.self, from: try await call.body())
      return Reply(body: try await service.store.pull(request, account: call.account))
    },
    .route("POST", "log/push", SyncLog.PushRequest.self, .account, "push") {
      service, call, request -> SyncLog.PushResponse in
      let (response, zones) = try await service.store.push(request, account: call.account)
      if !zones.isEmpty { await service.watch.wake(zones) }
      return response
    },
    .route("POST", "log/wait", SyncLog.WaitRequest.self, .account, "wait") { service, call, request in
      try await service.wait(request, call.account)
    },
  ]
}
