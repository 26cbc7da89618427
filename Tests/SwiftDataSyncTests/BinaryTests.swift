#if Sync
import Foundation
import SyncProtocol
import Testing

@testable import SwiftDataSync

@Suite("Transactions and states as bytes") struct BinaryTests {
  private func time(_ number: Int64, _ replica: UInt64 = 7) -> HybridTime {
    HybridTime(milliseconds: 1_800_000_000_000 + number, counter: UInt16(truncatingIfNeeded: number), replica: replica)
  }

  private let values: [FieldValue] = [
    .null, .integer(0), .integer(-1), .integer(.min), .integer(.max), .real(0), .real(-.infinity),
    .real(Double.leastNonzeroMagnitude),
    .text(""), .text("שלום \u{1F600}\u{0}"), .data(Data()), .data(Data(0...255)),
    .record(RecordName("018f0000-0000-7000-8000-0123456789ab")), .record(RecordName("018F0000-no-uuid")),
    .asset(sha256: String(repeating: "a", count: 64), size: 1 << 40), .sealed(Data([1, 2, 3])),
  ]

  private var transaction: SyncTransaction {
    var changes: [RecordChange] = []
    for number in 0..<20 {
      var change = RecordChange(
        RecordName(number == 3 ? "r" : "018f0000-0000-7000-8000-0000000000\(10 + number)"), "Note \(number % 3)")
      for (index, value) in values.enumerated() where index % 4 == number % 4 {
        change.fields["p\(index)"] = FieldWrite(value, time(Int64(number / 4)), over: index < 8 ? nil : time(1, 9))
      }
      if number % 5 == 0 { change.deleted = time(99) }
      if number % 2 == 0 {
        var write = MemberWrite()
        write.add = number % 4 == 0 ? time(5) : nil
        write.remove = number % 4 == 0 ? nil : [time(1), time(2, 3)]
        write.place = FieldWrite(.text("8"), time(6), over: nil)
        change.members = ["list": [RecordName("m"): write], "empty": [:]]
      }
      changes.append(change)
    }
    return SyncTransaction(id: UUID(), replica: .max, changes: changes)
  }

  @Test("A transaction is read as it was written, and equal ones are equal bytes")
  func transactions() throws {
    let transaction = transaction
    #expect(try SyncTransaction(encoded: transaction.encoded) == transaction)
    #expect(transaction.encoded == transaction.encoded)
    let entry = LogEntry(sequence: 1, account: "a", transaction: transaction)
    #expect(try SyncWire.decode(LogEntry.self, from: try SyncWire.encode(entry)).transaction == transaction)
    for value in values { #expect(try FieldValue(encoded: value.encoded) == value) }
    let nan = try FieldValue(encoded: FieldValue.real(.nan).encoded)
    guard case .real(let number) = nan else { throw ReplicaError(description: "no number") }
    #expect(number.isNaN)
  }

  @Test("A state is read as it was written")
  func states() throws {
    var state = RecordState(entity: "Note")
    for (index, value) in values.enumerated() {
      state.fields["p\(index)"] = .init(value: value, time: time(Int64(index)))
    }
    state.members["list"] = [
      RecordName("m"): .init(tags: [time(1), time(2, 3)], place: .init(value: .text("8"), time: time(3))),
      RecordName("n"): .init(tags: [time(4)], inversePlace: .init(value: .text("9"), time: time(5))),
    ]
    (state.deleted, state.alias, state.isAway) = (time(8), RecordName("other"), true)
    #expect(try RecordState(encoded: state.encoded) == state)
    let empty = RecordState(entity: "")
    #expect(try RecordState(encoded: empty.encoded) == empty)
  }

  @Test("Bytes that end early, go on, or were changed never stop the reader, and are refused or read as something else")
  func damaged() throws {
    let bytes = transaction.encoded
    for end in 0..<bytes.count {
      #expect(throws: DecodingError.self) { try SyncTransaction(encoded: bytes.prefix(end)) }
    }
    #expect(throws: DecodingError.self) { try SyncTransaction(encoded: bytes + [0]) }
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      var changed = bytes
      for _ in 0..<3 {
        changed[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      _ = try? SyncTransaction(encoded: changed)
    }
    // A count of 2^60 things in a few bytes.
    let huge = bytes.prefix(25) + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]
    #expect(throws: DecodingError.self) { try SyncTransaction(encoded: Data(huge)) }
  }
}
#endif
