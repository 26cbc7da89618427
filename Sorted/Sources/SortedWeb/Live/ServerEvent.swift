import Foundation
import NIOCore

/// One message of a stream of events, as `EventSource` reads it.
struct ServerEvent {
  let name: String
  let data: String

  init(_ name: String, _ data: String) {
    self.name = name
    self.data = data
  }

  /// Every line of the data on a line of its own, or its rest would be taken for something else.
  var text: String {
    let lines = data.split(omittingEmptySubsequences: false) { $0.isNewline }
    return "event: \(name)\n" + lines.map { "data: \($0)\n" }.joined() + "\n"
  }

  static func buffer(_ events: [ServerEvent]) -> ByteBuffer {
    ByteBuffer(string: events.map(\.text).joined())
  }

  /// What keeps a connection open, and finds out that it is gone.
  static let heartbeat = ByteBuffer(string: ": \n\n")
}
