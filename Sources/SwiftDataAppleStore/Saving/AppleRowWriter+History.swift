import Foundation
import SwiftData

// The history, in a file that keeps one, and the versions of rows.

extension AppleRowWriter {
  /// Numbers count the transactions of the file's history; 0 in a file without one.
  func newestTransaction() throws -> Int64 {
    guard file.tables["ATRANSACTION"] != nil,
      case .integer(let newest)?? = try connection.rows("SELECT max(Z_PK) FROM main.ATRANSACTION").first?.first
    else { return 0 }
    return newest
  }

  func write(_ history: inout HistoryRecorder, author: String?) throws {
    let runs = history.take()
    guard !runs.isEmpty else { return }
    for run in runs where run.kind == .update { try raiseVersions(of: run) }
    guard file.tables["ATRANSACTION"] != nil, file.tables["ACHANGE"] != nil, file.tables["ATRANSACTIONSTRING"] != nil
    else { return }
    let transaction = try takeHistoryKeys(1, "TRANSACTION", 16_002, "ATRANSACTION")
    let strings = try [author, HistoryRecorder.program, HistoryRecorder.process].map { try $0.map(string) ?? .null }
    try connection.run(
      """
      INSERT INTO main.ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP) VALUES \
      (\(transaction), 16002, \(bind: strings[0]), \(bind: strings[1]), \(bind: strings[2]), \
      \(bind: .real(Date().timeIntervalSinceReferenceDate)))
      """)
    let count = runs.reduce(0) { $0 + Int($1.count) }
    var key = try takeHistoryKeys(count, "CHANGE", 16_001, "ACHANGE")
    for run in runs {
      guard let member = member(named: run.entity), let number = file.numbers[member.entity],
        let entity = file.model.entity(named: member.entity)
      else { continue }
      var bits = SQLValue.null
      if run.kind == .update {
        bits = .blob(ChangeBits(entity, file.model).bits(of: Self.names(run, member, entity)))
      }
      for offset in 0..<run.count {
        var columns = ["Z_PK", "Z_ENT", "Z_OPT", "ZCHANGETYPE", "ZENTITY", "ZENTITYPK", "ZTRANSACTIONID", "ZCOLUMNS"]
        var cells: [SQLValue] = [
          .integer(key), .integer(16_001), .null, .integer(run.kind.rawValue), .integer(number),
          .integer(run.first + offset), .integer(transaction), bits,
        ]
        if run.kind == .delete {
          for (index, cell) in (tombstones[Row(entity: member.name, key: run.first + offset)] ?? []).enumerated()
          where file.tables["ACHANGE"]?["ZTOMBSTONE\(index)"] != nil {
            columns.append("ZTOMBSTONE\(index)")
            cells.append(cell)
          }
        }
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        try connection.run(
          SQLFragment("INSERT INTO main.ACHANGE (\(columns.joined(separator: ", "))) VALUES (\(marks))", cells))
        key += 1
      }
    }
  }

  private func member(named name: String) -> ViewMapping.Class? {
    mapping.tables.lazy.flatMap(\.classes).first { $0.name == name }
  }

  /// `Z_OPT` counts the saves of a row.
  private func raiseVersions(of run: HistoryRecorder.Run) throws {
    guard let member = member(named: run.entity) else { return }
    let table = file.columns.table(of: member.entity)
    try connection.run(
      """
      UPDATE main.\(name: table) SET Z_OPT = coalesce(Z_OPT, 0) + 1 \
      WHERE Z_PK BETWEEN \(bind: .integer(run.first)) AND \(bind: .integer(run.first + run.count - 1))
      """)
  }

  /// The names that the file has for the properties of a run.
  private static func names(
    _ run: HistoryRecorder.Run, _ member: ViewMapping.Class, _ entity: AppleEntity
  ) -> Set<String> {
    let names = run.propertiesJSON.flatMap { try? JSONCoding.decode([String].self, from: Data($0.utf8)) } ?? []
    return Set(
      names.map { name in
        switch member.properties.first(where: { $0.property == name })?.source {
        case .attribute(let attribute, _, _): attribute.name
        case .toOne(let relationship, _, _): relationship.name
        case .position, nil: name
        }
      })
  }

  private func takeHistoryKeys(_ count: Int, _ name: String, _ number: Int64, _ table: String) throws -> Int64 {
    let rows = try connection.rows(
      "SELECT max(coalesce(Z_MAX, 0), coalesce((SELECT max(Z_PK) FROM main.\(name: table)), 0)) FROM main.Z_PRIMARYKEY WHERE Z_ENT = \(number)"
    )
    var last = Int64(0)
    if case .integer(let value)? = rows.first?[0] {
      last = value
    } else {
      try connection.run(
        """
        INSERT INTO main.Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (\(number), \(bind: .text(name)), 0, \
        coalesce((SELECT max(Z_PK) FROM main.\(name: table)), 0))
        """)
      if case .integer(let value)? = try connection.rows("SELECT Z_MAX FROM main.Z_PRIMARYKEY WHERE Z_ENT = \(number)")
        .first?[0]
      {
        last = value
      }
    }
    let (end, overflow) = last.addingReportingOverflow(Int64(count))
    guard !overflow else { throw SwiftDataError(.storeDamaged, message: "the history's keys are used up (\(name))") }
    try connection.run("UPDATE main.Z_PRIMARYKEY SET Z_MAX = \(end) WHERE Z_ENT = \(number)")
    return last + 1
  }

  /// The key of a text that transactions name.
  private func string(_ text: String) throws -> SQLValue {
    let known = try connection.rows("SELECT Z_PK FROM main.ATRANSACTIONSTRING WHERE ZNAME = \(bind: .text(text))")
    if let cell = known.first?.first { return cell }
    let key = try takeHistoryKeys(1, "TRANSACTIONSTRING", 16_003, "ATRANSACTIONSTRING")
    try connection.run(
      """
      INSERT INTO main.ATRANSACTIONSTRING (Z_PK, Z_ENT, Z_OPT, ZNAME) \
      VALUES (\(key), 16003, 1, \(bind: .text(text)))
      """)
    return .integer(key)
  }
}
