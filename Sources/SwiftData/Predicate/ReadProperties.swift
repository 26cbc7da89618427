/// The persisted properties that a statement reads, of the rows that it is about and of what they are related to.
///
/// Lowering notes them. They decide which unsaved changes a result has to be asked about again.
package struct ReadProperties {
  struct Read {
    let property: __Property
    /// The class through which it is read.
    let entity: __Entity
    /// Whether it is one of the row itself. Otherwise it belongs to what a relationship leads to.
    let isOfRow: Bool
  }

  private(set) var all: [Read] = []

  /// Whether it reads anything but attributes of the row.
  var hasRelationships: Bool { all.contains { !$0.property.isAttribute } }

  mutating func note(_ property: __Property, of object: ObjectReference) {
    note(Read(property: property, entity: object.entity, isOfRow: object.key.sql == "t0._pk"))
  }

  private mutating func note(_ read: Read) {
    let isKnown = all.contains {
      $0.property === read.property && $0.entity === read.entity && $0.isOfRow == read.isOfRow
    }
    if !isKnown { all.append(read) }
  }

  static func + (left: ReadProperties, right: ReadProperties) -> ReadProperties {
    var result = left
    for read in right.all { result.note(read) }
    return result
  }
}
