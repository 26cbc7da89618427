import Foundation
import Sorted
import SwiftData
import Testing

@Suite("The states of a message") struct MessageStateTests {
  private typealias Event = MessageState.Event

  /// The table of the documentation: for each state what each event leads to, in the order of `Event.allCases`, with a
  /// dash for what cannot happen.
  private static let table: [String: String] = [
    //                   accepted          changed            delivered          read          failed           retried
    "sending/pending": "sent/synced       sending/pending    -                  -             sending/failed    -",
    "sending/synced": "-                  -                  -                  -             -                 -",
    "sending/failed":
      "sent/synced        sending/pending    -                  -             sending/failed    sending/pending",
    "sent/pending": "sent/synced          sent/pending       delivered/pending  read/pending  sent/failed       -",
    "sent/synced": "-                     sent/pending       delivered/synced   read/synced   -                 -",
    "sent/failed":
      "sent/synced           sent/pending       delivered/failed   read/failed   sent/failed       sent/pending",
    "delivered/pending": "delivered/synced delivered/pending delivered/pending  read/pending  delivered/failed  -",
    "delivered/synced": "-                delivered/pending  delivered/synced   read/synced   -                 -",
    "delivered/failed":
      "delivered/synced delivered/pending delivered/failed read/failed delivered/failed delivered/pending",
    "read/pending": "read/synced          read/pending       read/pending       read/pending  read/failed       -",
    "read/synced": "-                     read/pending       read/synced        read/synced   -                 -",
    "read/failed":
      "read/synced           read/pending       read/failed        read/failed   read/failed       read/pending",
  ]

  private static let all = MessageStatus.allCases.flatMap { status in
    SyncStatus.allCases.map { MessageState(status, $0) }
  }

  @Test("Every event in every state leads where the table says, or cannot happen", arguments: all)
  func transitions(state: MessageState) throws {
    let row = try #require(Self.table[state.description]).split(separator: " ").map(String.init)
    try #require(row.count == Event.allCases.count)
    for (event, expected) in zip(Event.allCases, row) {
      #expect(state.after(event)?.description ?? "-" == expected, "\(state) \(event)")
    }
  }

  @Test("The table has all states, a message never goes back, and only what was not sent cannot be synced")
  func completeness() {
    #expect(Set(Self.table.keys) == Set(Self.all.map(\.description)))
    #expect(Self.all.filter { !$0.isLegal } == [MessageState(.sending, .synced)])
    for state in Self.all {
      for event in Event.allCases {
        guard let next = state.after(event) else { continue }
        #expect(next.status >= state.status && next.isLegal)
      }
    }
  }

  @Test("The table is the documentation's")
  func documentation() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Documentation/sync.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    for (state, row) in Self.table where state != "sending/synced" {
      let cells = ([state] + row.split(separator: " ").map(String.init)).joined(separator: " | ")
      #expect(text.contains("| \(cells) |"), "\(state)")
    }
  }

  @Test("The methods of the guide and of the inbox move a message along the table")
  func methods() throws {
    let message = MessageEntity(conversationID: "c", senderID: "a", text: "x")
    #expect(message.state.description == "sending/pending")
    message.markAsFailed(error: "e")
    #expect(message.state.description == "sending/failed" && message.isPendingSync)
    message.retry()
    #expect(message.state.description == "sending/pending" && message.retryCount == 0 && message.syncError == nil)
    message.retry()
    #expect(message.state.description == "sending/pending")
    message.status = .sent
    message.markAsSynced()
    message.edit(text: "y")
    #expect(message.state.description == "sent/pending" && message.pendingFields == ["text"])
    message.edit(text: "y")
    #expect(message.pendingFields == ["text"])
    message.markAsSynced()
    message.markAsRead(by: "a", participants: ["a", "b"])
    #expect(message.state.description == "sent/synced", "nobody reads an own message")
    message.markAsRead(by: "b", participants: ["a", "b", "c"])
    #expect(message.state.description == "delivered/pending" && message.readBy == ["b"])
    message.markAsRead(by: "c", participants: ["a", "b", "c"])
    #expect(message.state.description == "read/pending" && message.readBy == ["b", "c"])
  }
}
