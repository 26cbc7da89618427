import Foundation

/// Collects the cells that properties write.
package final class ValueWriter: __ColumnWriter {
  package private(set) var values: [SQLValue] = []

  package override init() { super.init() }

  /// Begins to write another property.
  func begin(_ property: __Property) {
    values.removeAll(keepingCapacity: true)
    current = property
  }

  package override func null() { values.append(.null) }
  package override func integer(_ value: Int64) { values.append(.integer(value)) }
  package override func real(_ value: Double) { values.append(.real(value)) }
  package override func text(_ value: String) { values.append(.text(value)) }
  package override func blob(_ value: Data) { values.append(.blob(value)) }

  /// The cells of some properties; empty where one cannot be written.
  package static func values(of object: any PersistentModel, _ properties: [__Property]) -> [SQLValue] {
    let writer = ValueWriter()
    for property in properties {
      writer.current = property
      guard (try? object.__encode(property.index, to: writer)) != nil else { return [] }
    }
    return writer.values
  }
}
