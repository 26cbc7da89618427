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
    var subscribers: [UUID: Subscriber] = [:]
    /// Whether a pooler blocks notifications, so that the history is polled.
    var isPolling = false
  }
  /// The connection, with what it does.
  private struct Link {
    var connection: PostgresConnection?
    /// The channels that it listens to.
    var channels: Set<String> = []
    /// The last time the server was heard.
    var lastAnswer = ContinuousClock.now
  }

  /// Where its stores are read, one after the other.
  let queue = DispatchQueue(label: "SwiftData.SaveListener", qos: .utility)
  private let servers: PostgresServers
  private let application: String
  /// Nothing waits for the server while it is held: containers that open and close need it.
  private let state = Lock(State())
  /// Held by the queue alone, also while it waits for the server. Who has it may take ``state``.
  private let link = Lock(Link())

  init(_ servers: PostgresServers, application: String) { (self.servers, self.application) = (servers, application) }

  /// - Parameter store: distinguishes this opened store from the same one opened elsewhere.
  func begin(_ store: UUID, channel: String) {
    state.withLock { state in
      if state.subscribers[store] != nil { return state.subscribers[store]!.watchers += 1 }
      // The next look listens to the channel before it reports changes.
      state.subscribers[store] = Subscriber(channel: channel)
    }
  }

  func end(_ store: UUID) {
    let isUnused = state.withLock { state in
      guard let subscriber = state.subscribers[store] else { return false }
      state.subscribers[store]!.watchers -= 1
      guard subscriber.watchers == 1 else { return false }
      state.subscribers[store] = nil
      return state.subscribers.isEmpty
    }
    if isUnused { queue.async { [weak self] in self?.closeUnused() } }
  }

  /// Closes the connection if no store needs it.
  private func closeUnused() {
    link.withLock { link in
      if state.withLock({ $0.subscribers.isEmpty }) { link = Link() }
    }
  }

  /// Whether there may be external saves since the last call that returned true. Called on ``queue``.
  /// - Throws: ``PostgresError`` if there is no connection. The next call opens another.
  func hasChanges(_ store: UUID) throws -> Bool {
    let isPolling = state.withLock { $0.isPolling }
    if !isPolling {
      try link.withLock { link in
        do {
          try listen(&link)
        } catch {
          link = Link()
          throw error
        }
      }
    }
    return state.withLock { state in
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

  private func listen(_ link: inout Link) throws {
    let isNew = link.connection == nil
    let connection = try link.connection ?? connect()
    if connection.isPooled {
      state.withLock { $0.isPolling = true }
      return
    }
    link.connection = connection
    let wanted = state.withLock { Set($0.subscribers.values.map(\.channel)) }
    for channel in wanted.subtracting(link.channels) { try connection.script("LISTEN \(channel.quotedIdentifier)") }
    for channel in link.channels.subtracting(wanted) { try connection.script("UNLISTEN \(channel.quotedIdentifier)") }
    link.channels = wanted
    if isNew { link.lastAnswer = .now }
    var heard = try connection.notifications()
    // A server that vanished silently is checked from time to time.
    if heard.isEmpty, ContinuousClock.now - link.lastAnswer > .seconds(servers.options.answerTimeout.asWait) {
      try connection.script("SELECT 1")
      heard = try connection.notifications()
      link.lastAnswer = .now
    }
    if !heard.isEmpty { link.lastAnswer = .now }
    guard isNew || !heard.isEmpty else { return }
    state.withLock { state in
      for (store, subscriber) in state.subscribers {
        // The server told no one of the saves before a new connection listened.
        let isHeard = heard.contains { $0.channel == subscriber.channel && $0.payload != store.uuidString }
        if isNew || isHeard { state.subscribers[store]!.hasChanges = true }
      }
    }
  }

  private func connect() throws -> PostgresConnection {
    try PostgresConnection(servers, namespace: "public", application: application, log: nil)
  }
}
