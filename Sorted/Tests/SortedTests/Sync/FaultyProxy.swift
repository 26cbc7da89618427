import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Passes TCP connections on to a server, and breaks some of them just when the server has answered: what was asked for has
/// happened, and whoever asked does not learn of it.
// @unchecked Sendable because what changes is only touched under the condition's lock.
final class FaultyProxy: @unchecked Sendable {
  let port: Int
  private let listener: Int32
  private let target: Int
  private let condition = NSCondition()
  private var generator: SeededGenerator
  private var dropRate = 0.0
  private var answers = 0
  private(set) var dropped = 0

  init(to target: Int, seed: UInt64) throws {
    self.target = target
    generator = SeededGenerator(seed)
    let open = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var (address, length) = Self.address(0)
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(open, $0, length) }
    }
    try #require(bound == 0 && listen(open, 64) == 0)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(open, $0, &length) }
    }
    listener = open
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { self.acceptAll() }
  }

  /// Ends the proxy; connections that are open go on until their ends close them.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  func setDropRate(_ rate: Double) { condition.withLock { dropRate = rate } }

  /// Waits until so many answers more have come by.
  func waitForAnswers(_ count: Int) {
    condition.lock()
    defer { condition.unlock() }
    let goal = answers + count
    while answers < goal { condition.wait() }
  }

  private static func address(_ port: Int) -> (sockaddr_in, socklen_t) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return (address, socklen_t(MemoryLayout<sockaddr_in>.size))
  }

  private func acceptAll() {
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { break }
      let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var (address, length) = Self.address(target)
      let connected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(server, $0, length) }
      }
      let pair = Pair(client: client, server: server)
      guard connected == 0 else { continue }
      Thread.detachNewThread { self.pump(from: client, to: server, of: pair) { true } }
      Thread.detachNewThread { self.pump(from: server, to: client, of: pair) { self.passes() } }
    }
    close(listener)
  }

  /// Whether an answer goes on.
  private func passes() -> Bool {
    condition.withLock {
      answers += 1
      condition.broadcast()
      if Double.random(in: 0..<1, using: &generator) < dropRate {
        dropped += 1
        return false
      }
      return true
    }
  }

  private func pump(from source: Int32, to target: Int32, of pair: Pair, _ passes: () -> Bool) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(source, &buffer, buffer.count, 0)
      guard count > 0, passes() else { break }
      var sent = 0
      while sent < count {
        let written = buffer.withUnsafeBytes {
          send(target, $0.baseAddress! + sent, count - sent, Int32(MSG_NOSIGNAL))
        }
        guard written > 0 else { return pair.end() }
        sent += written
      }
    }
    pair.end()
  }

  /// Two sockets, closed when neither of the pumps uses them any more.
  private final class Pair: Sendable {
    let client: Int32
    let server: Int32
    init(client: Int32, server: Int32) {
      self.client = client
      self.server = server
    }
    func end() {
      shutdown(client, Int32(SHUT_RDWR))
      shutdown(server, Int32(SHUT_RDWR))
    }
    deinit {
      close(client)
      close(server)
    }
  }
}

/// Numbers that look random, the same for the same seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
