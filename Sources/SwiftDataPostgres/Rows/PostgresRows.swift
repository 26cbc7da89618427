import CLibPQ
import Foundation
import SwiftData

/// The rows of a statement, for decoding models.
final class PostgresRows: SQLRows {
  private let result: PostgresResult
  // Unchecked, because reading a cell accesses no other state of the reader.
  @exclusivity(unchecked) private var row: Int32 = -1
  /// The kind of each column's cells unless NULL.
  private let kinds: [__CellKind]
  /// Whether to convert text from its stored form. The text of models is in `_given` instead.
  private let restoresText: Bool
  /// The column with text that the server has in another form, or -1.
  private let givenColumn: Int32
  /// The index of each column of the table, for the names in that column.
  private let places: [String: Int32]
  /// The columns that only the program can read.
  private let coded: [(place: Int32, property: String, codec: ColumnCodec)]
  /// Cells of this row that replace the server's.
  @exclusivity(unchecked) private var replaced: [Int32: SQLValue] = [:]

  /// - Parameter rows: the mapping of the selected table, or nil if the statement selects values.
  init(_ result: PostgresResult, of rows: EntityRows?, entity: __Entity) {
    self.result = result
    kinds = result.columns.kinds
    restoresText = rows == nil
    givenColumn = rows?.givenColumn ?? -1
    places = rows?.places ?? [:]
    coded = rows?.coded ?? []
    super.init(entity: entity)
  }

  @available(*, unavailable)
  override init(entity: __Entity) { preconditionFailure("rows come with a result") }

  override func next() throws -> Bool {
    row += 1
    guard row < result.count else { return false }
    countRow()
    if !replaced.isEmpty { replaced = [:] }
    try decode()
    if givenColumn >= 0, !result.isNull(row, givenColumn) {
      for (name, text) in ServerCell.decode(given: result.value(Int(row), Int(givenColumn))) {
        guard let place = places[name] else { continue }
        let isJSON = result.types[Int(place)] == PostgresType.jsonb.rawValue
        if ServerCell.isOriginal(text, of: result.value(Int(row), Int(place)), isJSON: isJSON) {
          replaced[place] = .text(text)
        }
      }
    }
    return true
  }

  private func decode() throws {
    for (place, property, codec) in coded where !result.isNull(row, place) {
      do {
        replaced[place] = try codec.decode(result.value(Int(row), Int(place)))
      } catch let error as SwiftDataError {
        throw SwiftDataError(
          error.code, entity: entity.name, property: property, message: error.message, underlying: error)
      }
    }
  }

  override func kind(_ column: Int32) -> __CellKind {
    if !replaced.isEmpty, let value = replaced[column] { return value.kind }
    return result.isNull(row, column) ? .null : kinds[Int(column)]
  }

  override func int64(_ column: Int32) -> Int64 {
    if !replaced.isEmpty, case .integer(let value)? = replaced[column] { return value }
    return result.integer(Int(row), Int(column))
  }

  override func double(_ column: Int32) -> Double {
    if !replaced.isEmpty, let value = replaced[column] {
      switch value {
      case .real(let value): return value
      case .integer(let value): return Double(value)
      default: return 0
      }
    }
    return kinds[Int(column)] == .integer ? Double(int64(column)) : result.real(Int(row), Int(column))
  }

  override func string(_ column: Int32) -> String {
    if !replaced.isEmpty, case .text(let value)? = replaced[column] { return value }
    let text = String(decoding: result.textBytes(row, column), as: UTF8.self)
    return restoresText && result.isText(Int(column)) ? StoredText.text(ofStored: text) : text
  }

  override func shortText(_ column: Int32) -> __ShortText? {
    guard replaced.isEmpty, !restoresText else { return nil }
    return __ShortText(result.textBytes(row, column).bindMemory(to: UInt8.self))
  }

  override func data(_ column: Int32) -> Data {
    if !replaced.isEmpty, case .blob(let value)? = replaced[column] { return value }
    return Data(result.bytes(Int(row), Int(column)))
  }

  /// The server stores large data in the row.
  override func externalData(_ reference: String) throws -> Data {
    throw SwiftDataError(.io, entity: entity.name, message: "the row names an external file, and its store has none")
  }
}

extension SQLValue {
  fileprivate var kind: __CellKind {
    switch self {
    case .null: .null
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }
}

extension PostgresResult {
  static func kind(_ type: UInt32) -> __CellKind {
    switch type {
    case PostgresType.bigint.rawValue, 23, 21, PostgresType.bool.rawValue: .integer
    case PostgresType.float8.rawValue: .real
    case PostgresType.bytea.rawValue, PostgresType.uuid.rawValue: .blob
    default: .text
    }
  }

  func isNull(_ row: Int32, _ column: Int32) -> Bool { isNull(Int(row), Int(column)) }

  /// The bytes of a text, without the version byte of jsonb.
  func textBytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer {
    let bytes = bytes(Int(row), Int(column))
    guard types[Int(column)] == PostgresType.jsonb.rawValue, !bytes.isEmpty else { return bytes }
    return UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
  }
}
