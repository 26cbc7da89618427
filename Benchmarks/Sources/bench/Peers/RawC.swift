import BenchKit
import CBenchRows
import CRaw
import Foundation

/// The SQLite C API from C. Source rows are C structs, strings go into an arena.
final class RawC: Peer {
  static let name = "raw C"
  let db: OpaquePointer
  private var prepared: UnsafeMutablePointer<bench_row>?

  init(path: String, trace: Bool) { db = craw_open(path) }
  func close() {
    prepared?.deallocate()
    prepared = nil
    craw_close(db)
  }
  var statements: Int? { Int(craw_statements(db)) }

  func prepare(_ source: RowSource) {
    prepared?.deallocate()
    let rows = UnsafeMutablePointer<bench_row>.allocate(capacity: source.count)
    for k in 0..<source.count { bench_make_row(Int64(source.from + k), rows + k) }
    prepared = rows
  }
  func createConversations() { craw_insert_conversations(db) }
  func insert(_ source: RowSource) {
    craw_insert(db, prepared, Int64(source.from), Int64(source.count))
  }

  private func withStrings(_ s: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Int64) -> Int64 {
    let copies = s.map { UnsafePointer(strdup($0)!) as UnsafePointer<CChar>? }
    defer { for c in copies { free(UnsafeMutablePointer(mutating: c)) } }
    return copies.withUnsafeBufferPointer { body($0.baseAddress!) }
  }
  func fetchAll() -> Int64 { craw_fetch_all(db) }
  func fetchTwo() -> Int64 { craw_fetch_two(db) }
  func pointFetch(_ ids: [String]) -> Int64 { withStrings(ids) { craw_point(db, $0, Int64(ids.count), 0) } }
  func pointFetchSeparately(_ ids: [String]) -> Int64 {
    withStrings(ids) { craw_point(db, $0, Int64(ids.count), 1) }
  }
  func page(_ conversations: [String], limit: Int) -> Int64 {
    withStrings(conversations) { craw_page(db, $0, Int64(conversations.count), Int64(limit)) }
  }
  func load(_ n: Int) { craw_load(db, Int64(n)) }
  func updateLoaded() { _ = craw_update_loaded(db) }
  func relationLazy(_ n: Int) -> Int64 { craw_relation(db, Int64(n), 0) }
  func relationEager(_ n: Int) -> Int64 { craw_relation(db, Int64(n), 1) }
  func deleteHalf() { _ = craw_delete_half(db) }
  func tinyTransactions() { _ = craw_tiny(db) }
  func tinyTransactionsWithHistory() { _ = craw_tiny_with_history(db) }
  func count() -> Int64 { craw_count(db) }
  func search(_ needle: String) -> Int64 { craw_search(db, needle) }
}
