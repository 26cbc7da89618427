#if Sync
import Crypto
import Foundation
import SyncCore
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Suite("Keys of shares") struct KeyTests {
  private let ann = Keyring(secret: "the secret of Ann")
  private let bob = Keyring(secret: "the secret of Bob")
  private let key = ZoneKey(SymmetricKey(size: .bits256))

  private func publicKey(_ keyring: Keyring) -> Data { keyring.account.publicKey.rawRepresentation }

  @Test("A wrapped key opens for its account only, and only as the key of its zone and generation by its sender")
  func wrapping() throws {
    let wrapped = try KeyWrapping.wrap(key, zone: "share-1", generation: 2, for: publicKey(bob), by: ann.account)
    func unwrap(_ zone: String, _ generation: Int, _ sender: Keyring, _ recipient: Keyring) throws -> Data {
      try KeyWrapping.unwrap(
        wrapped, zone: zone, generation: generation, by: publicKey(sender), for: recipient.account
      ).bytes
    }
    #expect(try unwrap("share-1", 2, ann, bob) == key.bytes)
    #expect(throws: (any Error).self) { try unwrap("share-2", 2, ann, bob) }
    #expect(throws: (any Error).self) { try unwrap("share-1", 1, ann, bob) }
    #expect(throws: (any Error).self) { try unwrap("share-1", 2, bob, bob) }
    #expect(throws: (any Error).self) { try unwrap("share-1", 2, ann, ann) }
    #expect(wrapped.range(of: key.bytes) == nil)
  }

  @Test("A value opens with its key, at its record and property only")
  func sealing() throws {
    let (record, place) = (RecordName("r"), Sealing.place(RecordName("r"), "text"))
    let sealed = try key.seal(.text("a"), place)
    #expect(try key.open(sealed, place) == .text("a"))
    #expect(throws: (any Error).self) { try key.open(sealed, Sealing.place(record, "other")) }
    #expect(throws: (any Error).self) { try key.open(sealed, Sealing.place(RecordName("s"), "text")) }
    #expect(throws: (any Error).self) { try ann.open(sealed, place) }
    var knowing = ann
    knowing.set(["share-1": [Data(repeating: 1, count: 32), key.bytes]])
    #expect(try knowing.open(sealed, place) == .text("a"))
    #expect(knowing.newest(.share("1"))?.bytes == key.bytes && knowing.newest(.share("2")) == nil)
  }

  @Test("An encrypted value with a content that no program writes cannot be opened")
  func strangeContent() throws {
    let (zone, place) = (try #require(ann.newest(.account("ann"))), Data("place".utf8))
    let inner = try zone.seal(.text("a"), place)
    for content in [RegisterValue.asset(sha256: "x", size: 0), .sealed(inner)] {
      let sealed = try zone.seal(content, place)
      #expect(throws: ReplicaError.self) { try ann.open(sealed, place) }
    }
  }

  @Test("Devices with one secret have one pair of keys, and fingerprints tell other ones apart")
  func fingerprints() {
    let other = Keyring(secret: "the secret of Ann")
    #expect(publicKey(ann) == publicKey(other) && publicKey(ann) != publicKey(bob))
    let text = Fingerprint.text(of: publicKey(ann))
    #expect(text.split(separator: " ").map(\.count) == [5, 5, 5, 5, 5, 5])
    #expect(text == Fingerprint.text(of: publicKey(other)) && text != Fingerprint.text(of: publicKey(bob)))
  }

  @Test("What a link says behind # is read as it was written, and nothing else is")
  func links() throws {
    let link = LinkKey(generation: 3, key: key, ownerKey: publicKey(ann))
    let read = try #require(LinkKey(link.text))
    #expect(read.generation == 3 && read.key.bytes == key.bytes && read.ownerKey == publicKey(ann))
    #expect(link.text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) })
    for text in ["", "3", "3.a.b", "0." + link.text.dropFirst(2), link.text + ".x", String(link.text.dropLast(4))] {
      #expect(LinkKey(text) == nil, "\(text)")
    }
  }
}
#endif
