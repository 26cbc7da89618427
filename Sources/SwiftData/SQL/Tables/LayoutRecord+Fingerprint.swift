extension LayoutRecord {
  /// Adds all that the record's JSON has.
  package func add(to sum: inout Fingerprint) {
    sum.combine(tables.count)
    for table in tables { table.add(to: &sum) }
    sum.combine(pairTables.count)
    for pairs in pairTables { sum.combine([pairs.name, pairs.source, pairs.target]) }
    sum.combine(relationships.count)
    for relationship in relationships {
      sum.combine([relationship.table, relationship.name, relationship.destination])
      sum.combine(relationship.entity)
      sum.combine(relationship.target)
      sum.combine(relationship.formerNames != nil)
      sum.combine(relationship.formerNames ?? [])
      switch relationship.storage {
      case .foreignKey(let column): sum.combine(["key", column])
      case .inverse(let column): sum.combine(["inverse", column])
      case .pairs(let table, let isForward):
        sum.combine(["pairs", table])
        sum.combine(isForward)
      }
    }
  }
}

extension LayoutRecord.Table {
  fileprivate func add(to sum: inout Fingerprint) {
    sum.combine(name)
    sum.combine(classes)
    sum.combine(superclasses?.count)
    for (name, superclass) in (superclasses ?? [:]).sorted(by: { $0.key < $1.key }) { sum.combine([name, superclass]) }
    sum.combine(hasDiscriminator)
    sum.combine(columns.count)
    for column in columns {
      sum.combine(column.name)
      sum.combine(column.entity)
      sum.combine(column.property)
      sum.combine(column.affinity?.rawValue)
      sum.combine(column.isRequired)
      sum.combine(column.isOptional != nil)
      sum.combine(column.isOptional == true)
      sum.combine(column.reference?.table)
      sum.combine(column.reference?.setsNull == true)
      sum.combine(column.family.rawValue)
      sum.combine(column.valueType)
      for (name, type) in (column.parts ?? [:]).sorted(by: { $0.key < $1.key }) { sum.combine([name, type]) }
      sum.combine(column.isExternal)
      sum.combine(column.formerNames != nil)
      sum.combine(column.formerNames ?? [])
      sum.combine(column.isMixed == true)
    }
    sum.combine(indices.count)
    for index in indices {
      sum.combine(index.columns)
      sum.combine(index.isUnique)
      sum.combine(index.expressions != nil)
      sum.combine(index.expressions ?? [])
      for names in [index.keyPaths, index.classes] {
        sum.combine(names != nil)
        sum.combine(names ?? [])
      }
      sum.combine(index.formerName)
      sum.combine(index.numbers ?? [])
    }
  }
}
