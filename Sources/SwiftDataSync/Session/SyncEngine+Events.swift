#if Sync
import Foundation
import SyncProtocol

extension SyncEngine {
  func begin(_ kind: SyncEvent.Kind) -> SyncEvent {
    let event = SyncEvent(id: UUID(), kind: kind, configuration: configuration, start: Date())
    tell(event)
    return event
  }

  func end(_ event: SyncEvent, _ error: (any Error)?) {
    var event = event
    event.end = Date()
    event.error = error.map(SyncError.init)
    tell(event)
  }

  func event<T>(_ kind: SyncEvent.Kind, _ body: (inout SyncEvent) throws -> T) throws -> T {
    var event = begin(kind)
    do {
      let result = try body(&event)
      end(event, nil)
      return result
    } catch {
      end(event, error)
      throw error
    }
  }

  private func tell(_ event: SyncEvent) {
    for subscriber in subscribers.values { subscriber.yield(event) }
    NotificationCenter.default.post(name: Self.eventChanged, object: self, userInfo: ["event": event])
  }
}
#endif
