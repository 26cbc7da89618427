import Foundation

extension __Property {
  /// Transforms a value to bytes with the property's value transformer. Nil stays nil.
  /// - Throws: ``SwiftDataError/unwritableValue`` if the transformer is not registered or returns no data.
  package func transform(_ value: Any) throws -> Data? {
    var value = value
    while let optional = value as? any __OptionalValue {
      guard let unwrapped = optional.__unwrapped else { return nil }
      value = unwrapped
    }
    let transformer = try transformer(orThrow: .unwritableValue, in: entityName)
    let result =
      transformer is NSSecureUnarchiveFromDataTransformer
      ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)
    if let data = result as? Data { return data }
    if let data = result as? NSData { return Data(referencing: data) }
    throw SwiftDataError(
      .unwritableValue,
      entity: entityName,
      property: name,
      message: "\(type(of: transformer)) made \(result.map { "a \(type(of: $0))" } ?? "nil") of a "
        + "\(type(of: value)); a store needs Data"
    )
  }

  /// Transforms stored bytes back to a value with the property's value transformer. Nil stays nil.
  /// - Throws: ``SwiftDataError/unreadableValue`` if the transformer is not registered or cannot reverse the bytes.
  package func reverseTransform(_ data: Data?, in entity: __Entity) throws -> Any? {
    guard let data else { return nil }
    let transformer = try transformer(orThrow: .unreadableValue, in: entity.name)
    if transformer is NSSecureUnarchiveFromDataTransformer { return transformer.transformedValue(data) }
    guard type(of: transformer).allowsReverseTransformation() else {
      throw SwiftDataError(
        .unreadableValue,
        entity: entity.name,
        property: name,
        message: "\(type(of: transformer)) does not allow the reverse transformation, which reading needs"
      )
    }
    return transformer.reverseTransformedValue(data)
  }

  private func transformer(orThrow code: SwiftDataError.Code, in entityName: String) throws -> ValueTransformer {
    let name = attribute?.transformerName ?? ""
    if let transformer = ValueTransformer.registered(NSValueTransformerName(name)) { return transformer }
    throw SwiftDataError(
      code,
      entity: entityName,
      property: self.name,
      message: "no value transformer is registered under the name \"\(name)\"; call "
        + "ValueTransformer.setValueTransformer(_:forName:) before the container is used"
    )
  }
}
