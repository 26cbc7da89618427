import Foundation

// Access to snapshots for programs that copy from one store to another.

@_spi(StoreCopy) extension FetchDescriptor {
  /// Limits the descriptor to stored properties. Snapshots then omit to-many relationships, because each could contain
  /// all models of another class.
  public mutating func leaveOutLists() {
    propertiesToFetch = T.__entity.properties.filter(\.isStored).compactMap { $0.keyPath as? PartialKeyPath<T> }
  }
}

@_spi(StoreCopy) extension DefaultSnapshot {
  /// The value of an attribute, or nil if it is nil or the class has no attribute of this name.
  public func attribute(_ name: String) -> Any? {
    guard let property = contents.entity.properties.first(where: { $0.name == name }),
      case .value(let value)? = contents[property]
    else { return nil }
    return value
  }

  /// Calls `body` with the cell of each property except to-many relationships, in declaration order.
  /// - Parameters:
  ///   - naming: a replacement for a related model, whose key is valid in its own store only.
  ///   - body: receives the kind of the cell (0 null, 1 integer, 2 real, 3 text, 4 blob) and its bytes.
  public func forEachCell(
    naming: (PersistentIdentifier) -> String, _ body: (_ kind: UInt8, _ bytes: UnsafeRawBufferPointer) -> Void
  ) {
    for property in contents.entity.properties where !property.isToMany {
      switch contents[property] {
      case .value(let value?): Self.withCell(of: value, property, body)
      case .toOne(let target?): SQLValue.text(naming(target)).withKindAndBytes(body)
      case .value(nil), .toOne(nil), .toMany, nil: SQLValue.null.withKindAndBytes(body)
      }
    }
  }

  private static func withCell(
    of value: Any, _ property: __Property, _ body: (_ kind: UInt8, _ bytes: UnsafeRawBufferPointer) -> Void
  ) {
    let cell: SQLValue =
      switch value {
      // Most values are of these types, and a general cell costs several casts.
      case let text as String: .text(text)
      case let date as Date: .real(date.timeIntervalSinceReferenceDate)
      case let number as Int: .integer(Int64(number))
      default: ScalarType(of: property).cell(of: value) ?? .null
      }
    cell.withKindAndBytes(body)
  }
}

extension SQLValue {
  fileprivate func withKindAndBytes(_ body: (UInt8, UnsafeRawBufferPointer) -> Void) {
    switch self {
    case .null: body(0, UnsafeRawBufferPointer(start: nil, count: 0))
    case .integer(let number): withUnsafeBytes(of: number.littleEndian) { body(1, $0) }
    case .real(let number): withUnsafeBytes(of: number.bitPattern.littleEndian) { body(2, $0) }
    case .text(var text): text.withUTF8 { body(3, UnsafeRawBufferPointer($0)) }
    case .blob(let data): data.withUnsafeBytes { body(4, $0) }
    }
  }
}
