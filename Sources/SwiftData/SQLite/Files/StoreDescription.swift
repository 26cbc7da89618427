import Foundation

/// The metadata of a store's file about its tables, at one moment.
///
/// A program that has the file open compares a later description with the one at its opening. A difference in its own tables means that
/// another program migrated them.
struct StoreDescription: Sendable {
  /// The checksum of the metadata. Nil in a file of an earlier version.
  let fingerprint: String?
  private let texts: [String: String]

  init(_ texts: [String: String]) { (fingerprint, self.texts) = (texts[Metadata.fingerprintKey], texts) }

  /// Whether a program can go on with its tables although another program wrote the metadata again.
  /// - Parameters:
  ///   - own: the tables of the program.
  ///   - opening: the description when the program opened the file.
  func suits(_ own: LayoutRecord, since opening: StoreDescription) -> Bool {
    // The rows of another version may mean something else in the same columns.
    guard texts["version"] == opening.texts["version"] else { return false }
    guard ["layout", "retained"].contains(where: { texts[$0] != opening.texts[$0] }) else { return true }
    guard let present = layout, let former = opening.layout else { return false }
    let part = former.part { own.table(named: $0.name) != nil }
    return part.tables.allSatisfy { table in present.table(named: table.name).map { $0.continues(table) } ?? false }
      && Set(present.pairTables).isSuperset(of: part.pairTables.filter(own.pairTables.contains))
      && part.relationships.allSatisfy { relationship in
        !own.relationships.contains(relationship) || present.relationships.contains(relationship)
      }
      && !present.relationships.contains { relationship in
        let known = part.relationships.first { $0.table == relationship.table && $0.name == relationship.name }
        return part.relationships.contains { other in
          other.table == relationship.table && other.name != relationship.name
            && relationship.takes(from: other.name, since: known)
        }
      }
  }

  /// The tables of all models, also of those that the last program did not list.
  private var layout: LayoutRecord? {
    func decode(_ key: String) -> LayoutRecord? {
      texts[key].flatMap { try? JSONCoding.decode(LayoutRecord.self, from: Data($0.utf8)) }
    }
    guard let live = decode("layout"), let retained = decode("retained") else { return nil }
    return live.union(retained)
  }
}

extension LayoutRecord.Table {
  /// Whether a program that knows the former table can read and write this one. It may have further columns.
  fileprivate func continues(_ former: LayoutRecord.Table) -> Bool {
    hasDiscriminator == former.hasDiscriminator && Set(classes).isSuperset(of: former.classes)
      && former.columns.allSatisfy { known in column(named: known.name).map { $0.continues(known) } ?? false }
      && !columns.contains { column in
        let known = former.column(named: column.name)
        return former.columns.contains { other in
          other.name != column.name && column.takes(from: other.propertyName, since: known)
        }
      }
  }
}

extension LayoutRecord.Column {
  fileprivate func continues(_ former: LayoutRecord.Column) -> Bool {
    self == former && valueType == former.valueType && isExternal == former.isExternal
  }

  /// Whether values of another property moved here.
  fileprivate func takes(from property: String, since known: LayoutRecord.Column?) -> Bool {
    formerNames?.contains(property) == true && known?.formerNames?.contains(property) != true
  }
}

extension LayoutRecord.Relationship {
  fileprivate func takes(from property: String, since known: LayoutRecord.Relationship?) -> Bool {
    formerNames?.contains(property) == true && known?.formerNames?.contains(property) != true
  }
}
