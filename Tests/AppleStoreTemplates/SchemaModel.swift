import Foundation
import SwiftData
import SwiftDataAppleStore

/// The model that Apple's frameworks would make of some classes.
enum SchemaModel {
  /// - Parameter isOrdered: whether lists keep their order, as those of Core Data can.
  static func model(of schema: Schema, enums: [String: [String]], isOrdered: Bool) -> AppleModel {
    var model = AppleModel(versionIdentifiers: ["1.0.0"], entities: [])
    for entity in schema.runtimeEntities {
      var result = AppleEntity(name: entity.name)
      result.superName = entity.superentity?.name
      for property in entity.properties {
        if property.isAttribute {
          guard property.isStored else { continue }
          result.attributes.append(attribute(property, enums["\(entity.name).\(property.name)"]))
          if property.attribute?.isUnique == true { result.uniqueness.append([property.name]) }
        } else {
          var relationship = relationship(property, in: entity)
          relationship.isOrdered = isOrdered && relationship.isToMany && relationship.inverse != nil
          result.relationships.append(relationship)
        }
      }
      result.uniqueness += entity.uniquenessConstraints
      result.attributes.sort { $0.name < $1.name }
      result.relationships.sort { $0.name < $1.name }
      model.entities.append(result)
    }
    model.entities.sort { $0.name < $1.name }
    return model
  }

  private static func attribute(_ property: __Property, _ cases: [String]?) -> AppleAttribute {
    var result = AppleAttribute(name: property.name, type: .string)
    result.isOptional = property.isOptional
    if property.isExternal { result.flags |= 4 }
    if property.attribute?.options.contains(.preserveValueOnDeletion) == true { result.flags |= 16 }
    guard case .attribute(_, let encoding) = property.kind else { return result }
    switch encoding {
    case .direct: result.type = type(of: property.bareType)
    case .rawValue:
      result.type = .composite
      result.isEnum = true
      func raw<R: RawRepresentable>(_: R.Type) -> any Any.Type { R.RawValue.self }
      let raw = (property.bareType as? any RawRepresentable.Type).map { raw($0) } ?? String.self
      result.elements = [AppleAttribute(name: property.name, type: type(of: raw))]
    case .transformed: result.type = .transformable
    case .json:
      if let cases {
        (result.type, result.isEnum, result.enumCases) = (.composite, true, cases)
        result.elements = cases.map { AppleAttribute(name: $0, type: .string) }
      } else if let members = CompositeMembers.attributes(of: property.bareType) {
        result.type = .composite
        result.elements = members.map(element)
      } else {
        result.type = .transformable
        result.valueClass = "\(property.bareType)"
        result.transformer = "NSSecureUnarchiveFromData"
      }
    }
    return result
  }

  private static func element(_ member: Schema.Attribute) -> AppleAttribute {
    var result = AppleAttribute(name: member.name, type: .binary)
    if let composite = member as? Schema.CompositeAttribute {
      result.type = .composite
      result.elements = composite.properties.map(element)
    } else {
      let bare = (member.valueType as? any __OptionalValue.Type)?.__wrapped ?? member.valueType
      if bare is any __ColumnValue.Type { result.type = type(of: bare) }
    }
    return result
  }

  private static func type(of type: any Any.Type) -> AppleType {
    switch type {
    case is Bool.Type: .bool
    case is Int8.Type, is UInt8.Type, is Int16.Type: .int16
    case is UInt16.Type, is Int32.Type: .int32
    case is Int.Type, is Int64.Type, is UInt32.Type, is UInt64.Type, is UInt.Type: .int64
    case is Double.Type: .double
    case is Float.Type: .float
    case is Date.Type: .date
    case is Decimal.Type: .decimal
    case is UUID.Type: .uuid
    case is URL.Type: .url
    case is Data.Type: .binary
    default: .string
    }
  }

  private static func relationship(_ property: __Property, in entity: __Entity) -> AppleRelationship {
    let info = RelationshipInfo.of(property, in: entity)
    var result = AppleRelationship(name: property.name, destination: info.destination.name)
    result.inverse = info.inverse?.name
    result.isToMany = property.isToMany
    result.maximum = property.isToMany ? 0 : 1
    result.isOptional = property.isOptional || property.isToMany
    switch info.deleteRule {
    case .cascade: result.deleteRule = .cascade
    case .deny: result.deleteRule = .deny
    case .noAction: result.deleteRule = .noAction
    default: result.deleteRule = .nullify
    }
    return result
  }
}
