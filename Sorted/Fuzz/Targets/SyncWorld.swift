import Foundation
import SwiftData
@_spi(Wire) import SyncServer

/// A sync server without limits of time, for the inputs of one target. Its store is a copy of a template, so that no input changes what
/// the next one finds.
actor SyncWorld {
  /// A server, and the token of the newest save before the input.
  private struct Copy {
    let service: SyncService
    let store: URL
    let start: DefaultHistoryToken
  }

  private let folder: URL
  private let keys: TokenKeys
  private let template: URL
  private var tokens: [String: String] = [:]
  private var copy: Copy?

  /// - Parameter fill: makes what the server has at the start of each input.
  /// - Returns: the world, and what `fill` returns.
  static func make<Result: Sendable>(
    _ fill: (SyncWorld) async throws -> Result
  ) async throws -> (world: SyncWorld, filled: Result) {
    let world = try await SyncWorld()
    let result = try await fill(world)
    try await world.keep()
    return (world, result)
  }

  private init() async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-sync-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    template = folder.appendingPathComponent("template.store")
    keys = try await TokenKeys([("fuzz", "0123456789abcdef0123456789abcdef")])
  }

  /// Makes the template of what the server has now.
  private func keep() throws {
    guard let copy else { broken("no server") }
    try Self.copy(copy.store, to: template)
  }

  /// A server with what the template has.
  func service() throws -> SyncService {
    // The template is being made.
    if let copy, !FileManager.default.fileExists(atPath: template.path) { return copy.service }
    if let copy {
      if try copy.service.newestSave() == copy.start { return copy.service }
      self.copy = nil
      try Self.remove(copy.store)
    }
    return try open()
  }

  private func open() throws -> SyncService {
    let store = folder.appendingPathComponent("\(UUID().uuidString).store")
    if FileManager.default.fileExists(atPath: template.path) { try Self.copy(template, to: store) }
    var limits = ServerLimits()
    (limits.burst, limits.requestsPerSecond) = (1e15, 1e15)
    (limits.zoneSize, limits.assetSize) = (1 << 22, 1 << 18)
    let service = try SyncService(store: store.path, keys: keys, limits: limits)
    copy = Copy(service: service, store: store, start: try service.newestSave())
    return service
  }

  func token(_ account: String) async throws -> String {
    if let token = tokens[account] { return token }
    let token = try await keys.token(for: account, seconds: 1_000_000)
    tokens[account] = token
    return token
  }

  /// Makes a part of the template.
  func send(_ account: String, _ method: String, _ path: String, _ body: Data = Data()) async throws -> Data {
    let headers = ["Authorization": "Bearer \(try await token(account))"]
    let (status, answer) = try await service().answer(method, "/v2/\(path)", headers: headers, body: body)
    guard status == 200 else { broken("\(method) \(path): \(status) \(String(decoding: answer, as: UTF8.self))") }
    return answer
  }

  private static func copy(_ store: URL, to other: URL) throws {
    for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: store.path + suffix) {
      try FileManager.default.copyItem(atPath: store.path + suffix, toPath: other.path + suffix)
    }
  }

  private static func remove(_ store: URL) throws {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.path + suffix) }
  }
}
