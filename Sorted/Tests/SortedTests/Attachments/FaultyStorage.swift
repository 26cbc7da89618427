import FirestoreClient
import FirestoreProtocol
import Foundation
import Synchronization

/// A storage whose network fails as a test says, before or after the server has heard.
final class FaultyStorage: RemoteStorage {
  enum Fault {
    /// The request is lost.
    case request
    /// The server does it, and its answer is lost.
    case answer
    /// The request is refused for good.
    case refusal
    /// What has arrived is said to have another checksum.
    case checksum
  }
  enum Call: Hashable { case begin, state, send, file }

  private let storage: FirebaseStorage
  private let faults = Mutex<[Call: [Fault?]]>([:])
  private let sent = Mutex<[Int]>([])
  private let beforeChunk = Mutex<(@Sendable (Int) -> Void)?>(nil)

  init(_ storage: FirebaseStorage) { self.storage = storage }

  /// The bytes of each chunk that went out, whatever became of it.
  var chunks: [Int] { sent.withLock { $0 } }

  /// Calls with the number of each chunk, from 1, before it goes out.
  func onChunk(_ body: @escaping @Sendable (Int) -> Void) { beforeChunk.withLock { $0 = body } }

  /// One for each of the next calls; nil lets it be.
  func plan(_ call: Call, _ planned: Fault?...) { faults.withLock { $0[call, default: []] += planned } }

  private func attempt<Result>(_ call: Call, _ body: () async throws -> Result) async throws -> Result {
    let fault = faults.withLock { faults -> Fault? in
      guard faults[call]?.isEmpty == false else { return nil }
      return faults[call]?.removeFirst()
    }
    switch fault {
    case .request: throw FirestoreError(.unavailable, "the request was lost")
    case .refusal: throw FirestoreError(.permissionDenied, "no")
    case .answer:
      _ = try await body()
      throw FirestoreError(.deadlineExceeded, "the answer was lost")
    case .checksum, nil: return try await body()
    }
  }

  func beginUpload(_ name: String, contentType: String, length: Int64) async throws -> String {
    try await attempt(.begin) { try await storage.beginUpload(name, contentType: contentType, length: length) }
  }

  func state(ofUpload upload: String) async throws -> UploadState {
    try await attempt(.state) { try await storage.state(ofUpload: upload) }
  }

  func send(_ chunk: Data, at offset: Int64, isLast: Bool, toUpload upload: String) async throws -> UploadState {
    let number = sent.withLock { sent in
      sent.append(chunk.count)
      return sent.count
    }
    beforeChunk.withLock { $0 }?(number)
    return try await attempt(.send) { try await storage.send(chunk, at: offset, isLast: isLast, toUpload: upload) }
  }

  func cancelUpload(_ upload: String) async throws { try await storage.cancelUpload(upload) }

  func file(_ name: String) async throws -> RemoteFile {
    let isWrong = faults.withLock { faults in
      guard case .checksum?? = faults[.file]?.first else { return false }
      faults[.file]?.removeFirst()
      return true
    }
    var file = try await attempt(.file) { try await storage.file(name) }
    if isWrong { file.md5Hash = "wrong" }
    return file
  }

  func contents(of name: String) async throws -> Data { try await storage.contents(of: name) }
  func delete(_ name: String) async throws { try await storage.delete(name) }
  func downloadURL(of file: RemoteFile) -> String? { storage.downloadURL(of: file) }
}
