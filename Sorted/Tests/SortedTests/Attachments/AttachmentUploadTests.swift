import FirestoreProtocol
import FirestoreServer
import Foundation
import Sorted
import SwiftData
import Synchronization
import Testing

@Suite("Uploads of attachments") struct AttachmentUploadTests {
  typealias Bench = UploadBench

  @Test("A file arrives whole, with progress after each chunk, and nothing of the upload is left in the store")
  func whole() async throws {
    try await Bench.run { bench in
      let size = 2 * Bench.chunk + 9
      try bench.attach("a", bytes: size)
      let summary = try await bench.service().uploadPending()
      #expect(summary.completed == ["a"])
      #expect(bench.storage.chunks == [Bench.chunk, Bench.chunk, 9])
      let fractions = [0, Bench.chunk, 2 * Bench.chunk, size].map { Double($0) / Double(size) }
      #expect(bench.progress == fractions)
      let (attachment, record) = try bench.stored("a")
      #expect(attachment.uploadStatus == .completed)
      #expect(attachment.uploadProgress == 1)
      #expect(attachment.remoteURL?.hasPrefix("http://") == true)
      #expect(record == nil)
      let arrived = try await bench.storage.contents(of: bench.name("a"))
      #expect(arrived == bench.data(size))
      // What is completed is not sent again.
      try await bench.service().upload("a")
      #expect(bench.storage.chunks.count == 3)
    }
  }

  @Test("An empty file is a file")
  func empty() async throws {
    try await Bench.run { bench in
      try bench.attach("a", bytes: 0)
      #expect(try await bench.service().uploadPending().completed == ["a"])
      let arrived = try await bench.storage.contents(of: bench.name("a"))
      #expect(arrived.isEmpty)
    }
  }

  @Test("A lost answer to a chunk costs nothing: the remote is asked, and no byte goes out twice")
  func lostAnswers() async throws {
    try await Bench.run { bench in
      try bench.attach("a", bytes: 3 * Bench.chunk)
      bench.storage.plan(.send, .answer, nil, .answer)
      #expect(try await bench.service().uploadPending().completed == ["a"])
      #expect(bench.storage.chunks == Array(repeating: Bench.chunk, count: 3))
      let arrived = try await bench.storage.contents(of: bench.name("a"))
      #expect(arrived == bench.data(3 * Bench.chunk))
    }
  }

  @Test("After a lost request a later attempt, in a process of its own, goes on where this one stopped")
  func resumed() async throws {
    try await Bench.run { bench in
      try bench.attach("a", bytes: 3 * Bench.chunk)
      bench.storage.plan(.send, nil, .request)
      #expect(try await bench.service().uploadPending().waiting == ["a"])
      let (attachment, record) = try bench.stored("a")
      #expect(attachment.uploadStatus == .uploading)
      #expect(attachment.uploadError?.contains("UNAVAILABLE") == true)
      #expect(record?.sent == Int64(Bench.chunk))
      #expect(record?.failures == 1)
      #expect(try await bench.service().uploadPending() == .init())
      bench.pass(seconds: 10)
      #expect(try await bench.service().uploadPending().completed == ["a"])
      #expect(bench.storage.chunks.count == 4)
      let arrived = try await bench.storage.contents(of: bench.name("a"))
      #expect(arrived == bench.data(3 * Bench.chunk))
    }
  }

  @Test("A file that was finished while its answer, and all questions after it, were lost is not sent again")
  func lostEnd() async throws {
    try await Bench.run { bench in
      try bench.attach("a", bytes: 10)
      bench.storage.plan(.send, .answer)
      bench.storage.plan(.state, .request)
      #expect(try await bench.service().uploadPending().waiting == ["a"])
      #expect(try await bench.service().uploadPending(ignoringBackoff: true).completed == ["a"])
      #expect(bench.storage.chunks == [10])
    }
  }

  @Test("Three failures without a byte in between leave it failed with its reason; a retry goes on where it stopped")
  func failures() async throws {
    try await Bench.run { bench in
      try bench.attach("a", bytes: 2 * Bench.chunk)
      bench.storage.plan(.send, .request, .request, nil, .request, .request, .request)
      for expected in [1, 2, 1, 2] {
        #expect(try await bench.service().uploadPending(ignoringBackoff: true).waiting == ["a"])
        #expect(try bench.stored("a").1?.failures == expected)
      }
      #expect(try await bench.service().uploadPending(ignoringBackoff: true).failed == ["a"])
      let (attachment, _) = try bench.stored("a")
      #expect(attachment.uploadStatus == .failed)
      #expect(attachment.uploadError?.contains("UNAVAILABLE") == true)
      #expect(try await bench.service().uploadPending(ignoringBackoff: true) == .init())
      try await bench.service().retry("a")
      #expect(try await bench.service().uploadPending().completed == ["a"])
      #expect(try bench.stored("a").0.uploadError == nil)
      // Five lost ones, and each of the two chunks once.
      #expect(bench.storage.chunks.count == 7)
    }
  }

  @Test("A refusal is final, and does not keep the others from being sent")
  func refusal() async throws {
    try await Bench.run { bench in
      try bench.attach("a", bytes: 10)
      try bench.attach("b", bytes: 20)
      bench.storage.plan(.begin, .refusal)
      let summary = try await bench.service().uploadPending()
      #expect(summary.failed == ["a"])
      #expect(summary.completed == ["b"])
      #expect(try bench.stored("a").0.uploadError?.contains("PERMISSION_DENIED") == true)
    }
  }

  @Test("An unreachable remote ends the run, so that the others keep their attempts")
  func unreachable() async throws {
    try await Bench.run { bench in
      try bench.attach("a", bytes: 10)
      try bench.attach("b", bytes: 20)
      bench.storage.plan(.begin, .request)
      #expect(try await bench.service().uploadPending().waiting == ["a"])
      #expect(bench.storage.chunks.isEmpty)
      #expect(try bench.stored("b").0.uploadError == nil)
    }
  }

  @Test("What has arrived damaged is deleted there and sent anew")
  func checksum() async throws {
    try await Bench.run { bench in
      try bench.attach("a", bytes: 10)
      bench.storage.plan(.file, .checksum)
      #expect(try await bench.service().uploadPending().waiting == ["a"])
      await #expect(throws: FirestoreError.self) { try await bench.storage.contents(of: bench.name("a")) }
      #expect(try await bench.service().uploadPending(ignoringBackoff: true).completed == ["a"])
      #expect(bench.storage.chunks == [10, 10])
    }
  }

  @Test("A file that has changed since its upload began is sent from its beginning")
  func changedFile() async throws {
    try await Bench.run { bench in
      try bench.attach("a", bytes: 2 * Bench.chunk)
      bench.storage.plan(.send, nil, .request)
      _ = try await bench.service().uploadPending()
      let changed = Data(bench.data(2 * Bench.chunk).reversed())
      try changed.write(to: bench.url("a"))
      #expect(try await bench.service().uploadPending(ignoringBackoff: true).completed == ["a"])
      let arrived = try await bench.storage.contents(of: bench.name("a"))
      #expect(arrived == changed)
    }
  }

  @Test("What may not be sent is failed before anything goes out, with what to do")
  func limits() async throws {
    try await Bench.run { bench in
      try bench.attach("large", bytes: 101, type: .image, mimeType: "image/png")
      try bench.attach("script", bytes: 1, type: .document, mimeType: "application/x-sh")
      try bench.attach("disguised", bytes: 1, type: .image, mimeType: "text/html")
      try bench.attach("gone", bytes: 1)
      try FileManager.default.removeItem(at: bench.url("gone"))
      var limits = AttachmentLimits.standard
      limits.maximumSize[.image] = 100
      #expect(try await bench.service(limits: limits).uploadPending().failed.count == 4)
      #expect(try bench.stored("large").0.uploadError?.contains("100 are allowed") == true)
      #expect(try bench.stored("script").0.uploadError?.contains("application/x-sh") == true)
      #expect(try bench.stored("disguised").0.uploadError?.contains("text/html") == true)
      #expect(try bench.stored("gone").0.uploadError?.contains("cannot be read") == true)
      #expect(bench.storage.chunks.isEmpty)
    }
  }

  @Test("Two that ask for the same upload share it; one that is deleted meanwhile leaves nothing behind")
  func concurrency() async throws {
    try await Bench.run { bench in
      try bench.attach("a", bytes: 4 * Bench.chunk)
      let service = bench.service()
      async let first: Void = service.upload("a")
      async let second: Void = service.upload("a")
      _ = try await (first, second)
      #expect(bench.storage.chunks.count == 4)

      try bench.attach("b", bytes: 10)
      bench.storage.plan(.send, .request)
      _ = try await service.uploadPending()
      try bench.delete("b")
      await #expect(throws: AttachmentUploadError.noSuchAttachment("b")) { try await service.upload("b") }
      let left = try ModelContext(bench.container).fetchCount(FetchDescriptor<AttachmentUploadEntity>())
      #expect(left == 0)
    }
  }
}
