import Dispatch
import Foundation
import SwiftData

/// Listens for saves to the stores of a server, on one connection that all stores with shared pools use.
///
/// A notification only says that a store changed; the history has the changes. A lost connection therefore loses nothing.
final class SaveListener: Sendable {
  /// A watched store.
  private struct Subscriber {
    let channel: String
    var watchers = 1
    /// Whether a notification arrived since the history was read.
    var hasChanges = true
    /// The last time the history was read, if there are no notifications.
    var lastRead = ContinuousClock.now
  }
  private struct State {
    var connection: PostgresConnection?
    /// Whether a pooler blocks notifications, so that the history is polled.
    var isPolling = false
    var subscribers: [UUID: Subscriber] = [:]
    /// The last time the server was heard.
    var lastAnswer = ContinuousClock.now
  }

  /// Where its stores are read, one after the other.
  let queue = DispatchQueue(label: "SwiftData.SaveListener", qos: .utility)
  private let servers: PostgresServers
  private let application: String
  private let state = Lock(State())

  init(_ servers: PostgresServers, application: String) { (self.servers, self.application) = (servers, application) }

  /// - Parameter store: distinguishes this opened store from the same one opened elsewhere.
  func begin(_ store: UUID, channel: String) {
    state.withLock { state in
      if state.subscribers[store] != nil { return state.subscribers[store]!.watchers += 1 }
      state.subscribers[store] = Subscriber(channel: channel)
      do {
        try state.connection?.script("LISTEN \(channel.quotedIdentifier)")
      } catch {
        state.connection = nil
      }
    }
  }

  func end(_ store: UUID) {
    state.withLock { state in
      guard let subscriber = state.subscribers[store] else { return }
      state.subscribers[store]!.watchers -= 1
      guard subscriber.watchers == 1 else { return }
      state.subscribers[store] = nil
      if state.subscribers.isEmpty {
        state.connection = nil
      } else if !state.subscribers.values.contains(where: { $0.channel == subscriber.channel }) {
        _ = try? state.connection?.script("UNLISTEN \(subscriber.channel.quotedIdentifier)")
      }
    }
  }

  /// Whether there may be external saves since the last call that returned true.
  /// - Throws: ``PostgresError`` if there is no connection. The next call opens another.
  func hasChanges(_ store: UUID) throws -> Bool {
    try state.withLock { state in
      do {
        if !state.isPolling { try listen(&state) }
      } catch {
        state.connection = nil
        throw error
      }
      guard let subscriber = state.subscribers[store] else { return false }
      let now = ContinuousClock.now
      let isDue = state.isPolling && now - subscriber.lastRead >= .seconds(1)
      guard subscriber.hasChanges || isDue else { return false }
      state.subscribers[store]!.hasChanges = false
      state.subscribers[store]!.lastRead = now
      return true
    }
  }

  /// Keeps a notification whose changes could not be read.
  func keepChanges(_ store: UUID) { state.withLock { $0.subscribers[store]?.hasChanges = true } }

  private func listen(_ state: inout State) throws {
    let connection = try state.connection ?? connect(&state)
    guard !state.isPolling else { return }
    var heard = try connection.notifications()
    // A server that vanished silently is checked from time to time.
    if heard.isEmpty, ContinuousClock.now - state.lastAnswer > .seconds(servers.options.answerTimeout.asWait) {
      try connection.script("SELECT 1")
      heard = try connection.notifications()
      state.lastAnswer = .now
    }
    if !heard.isEmpty { state.lastAnswer = .now }
    for (channel, payload) in heard {
      for (store, subscriber) in state.subscribers
      where subscriber.channel == channel && payload != store.uuidString {
        state.subscribers[store]!.hasChanges = true
      }
    }
  }

  private func connect(_ state: inout State) throws -> PostgresConnection {
    let connection = try PostgresConnection(servers, namespace: "public", application: application, log: nil)
    for store in state.subscribers.keys { state.subscribers[store]!.hasChanges = true }
    if connection.isPooled {
      state.isPolling = true
      return connection
    }
    for channel in Set(state.subscribers.values.map(\.channel)) {
      try connection.script("LISTEN \(channel.quotedIdentifier)")
    }
    state.connection = connection
    state.lastAnswer = .now
    return connection
  }
}
