import Foundation

/// The names of everything that a store makes in its database: tables, columns, indices, constraints.
///
/// A table has the name of its root class, and a column the name of its property. Every other name contains a mark that no
/// name of a program contains, so no generated name equals a program's name or another generated name:
///
/// - `Party.guests`: the column of a property that the subclass `Party` declares, or the table with the pairs of a list;
/// - `shelf#position`: something that the store makes for a table or column;
/// - `Book#title,year#unique`: an index, with its columns;
/// - `address@city`: a member of a composite value in the name of an index, or a partition (`Book@0`).
///
/// Names of programs are escaped where they would be ambiguous:
///
/// - `%2E`: a mark in a name, which only names in backticks can contain, and the first letter of a reserved name;
/// - `URL^111`: a property whose class has another one that differs by case only. SQLite ignores the case of ASCII letters.
///   A 1 stands for each upper-case letter;
/// - `item^`: a class whose name begins with a lower-case letter;
/// - `…~1a2b`: a name that PostgreSQL would truncate, with a hash of the whole name.
///
/// ``LayoutRecord/validateNames(ignoringCase:)`` refuses the only names that remain equal: the names of
/// classes that differ by the case of later letters.
package enum TableNames {
  /// The table of an entity, which is the table of its root class.
  package static func table(for entity: __Entity) -> String { entity.root.tableName }

  /// The column of a property.
  package static func column(for property: __Property) -> String { property.column }

  /// The table of a root class.
  package static func table(ofClass name: String) -> String {
    let isReserved = hasPrefix(name, "_swiftdata") || hasPrefix(name, "sqlite_")
    let escaped = escape(name, isReserved: isReserved)
    return fit(isLower(name.utf8.first ?? 0) ? escaped + "^" : escaped)
  }

  /// The column of a property.
  /// - Parameters:
  ///   - owner: the class that declares the property.
  ///   - isRoot: whether that class has no superclass.
  ///   - names: all properties that the class declares.
  package static func column(_ name: String, of owner: String, isRoot: Bool, among names: [String]) -> String {
    guard isRoot else { return fit(table(ofClass: owner) + "." + distinct(name, among: names, isReserved: false)) }
    return fit(distinct(name, among: names, isReserved: isReservedColumn(name)))
  }

  /// The table with the pairs of a list, named by the end whose property is given.
  package static func pairs(_ name: String, of owner: String, among names: [String]) -> String {
    column(name, of: owner, isRoot: false, among: names)
  }

  /// The column with the order of a to-many relationship, in the table of its inverse.
  package static func position(of column: String) -> String { fit(column + "#position") }

  /// An index or constraint.
  /// - Parameters:
  ///   - kind: `index`, `unique` and so on.
  ///   - owner: the class whose rows it concerns; nil for all rows.
  package static func index(of table: String, _ columns: [String], _ kind: String, owner: String? = nil) -> String {
    fit(
      "\(table)#\(columns.joined(separator: ","))#\(kind)" + (owner.map { "#" + escape($0, isReserved: false) } ?? ""))
  }

  /// Something that the store makes for a table or a column.
  package static func part(_ part: String, of name: String) -> String { fit("\(name)#\(part)") }

  /// A partition of a table.
  package static func partition(_ index: Int, of table: String) -> String { fit("\(table)@\(index)") }

  /// A member of a composite value.
  static func member(_ member: String, of column: String) -> String { column + "@" + escape(member, isReserved: false) }

  // MARK: - Escapes

  /// PostgreSQL truncates longer names, in bytes.
  package static let limit = 63

  /// A name that PostgreSQL does not truncate. Different long names have different hashes.
  static func fit(_ name: String) -> String {
    guard name.utf8.count > limit else { return name }
    // FNV-1a, which is the same in every process and version, unlike Swift's hashes.
    let hash = name.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    let end = "~" + String(hash, radix: 36)
    var start = name
    while start.utf8.count + end.utf8.count > limit { start.removeLast() }
    return start + end
  }

  /// The name with its marks as hexadecimal numbers, and its first byte too if it is reserved.
  private static func escape(_ name: String, isReserved: Bool) -> String {
    guard isReserved || name.utf8.contains(where: isMark) else { return name }
    var bytes = [UInt8]()
    for (place, byte) in name.utf8.enumerated() {
      if isMark(byte) || place == 0 && isReserved {
        bytes += "%".utf8
        if byte < 16 { bytes += "0".utf8 }
        bytes += String(byte, radix: 16, uppercase: true).utf8
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "%"), UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: "#"), UInt8(ascii: "@"),
      UInt8(ascii: "^"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// The escaped name, with the case of its letters if another name differs by case only. Of such names, the one with the
  /// first lower-case letter stays plain.
  private static func distinct(_ name: String, among names: [String], isReserved: Bool) -> String {
    let escaped = escape(name, isReserved: isReserved)
    let rivals = names.filter { $0.utf8.count == name.utf8.count && isEqualIgnoringCase($0, name) }
    guard rivals.contains(where: { name.utf8.lexicographicallyPrecedes($0.utf8) }) else { return escaped }
    var upper = [UInt8]()
    for byte in name.utf8 where isLower(byte) || isUpper(byte) { upper.append(isUpper(byte) ? 1 : 0) }
    return escaped + "^" + upper.map(String.init).joined()
  }

  private static func isLower(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }
  private static func isUpper(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }
  private static func folded(_ byte: UInt8) -> UInt8 { isUpper(byte) ? byte | 0x20 : byte }

  private static func isEqualIgnoringCase(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8) { folded($0) == folded($1) }
  }

  private static func hasPrefix(_ name: String, _ prefix: String) -> Bool {
    name.utf8.count >= prefix.utf8.count && zip(name.utf8, prefix.utf8).allSatisfy { folded($0) == $1 }
  }

  /// The name without the case of its ASCII letters, as SQLite compares names.
  static func folded(_ name: String) -> String {
    name.utf8.contains(where: isUpper) ? String(decoding: name.utf8.map(folded), as: UTF8.self) : name
  }

  /// Columns that the store or the databases have in each table. SQLite finds the key by three other names too.
  private static let reservedColumns = [
    "_pk", "_entity", "_given", "rowid", "_rowid_", "oid", "ctid", "xmin", "xmax", "cmin", "cmax", "tableoid",
  ]

  private static func isReservedColumn(_ name: String) -> Bool {
    name.utf8.count <= 8 && reservedColumns.contains { isEqualIgnoringCase($0, name) }
  }
}
