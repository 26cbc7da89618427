import Foundation
import SwiftData

/// What the bits of `ZCOLUMNS` stand for: the properties of an entity in the order in which Apple's frameworks count them.
///
/// To-ones by name, hidden keys of to-manys without inverse, attributes by name with a bit for each element of a
/// composite, to-manys by name; the most significant bit comes first.
struct ChangeBits: Sendable {
  /// The property of each bit; nil for a hidden key.
  let properties: [String?]

  init(_ entity: AppleEntity, _ model: AppleModel) {
    var properties = [String?]()
    properties += entity.relationships.filter { !$0.isToMany && !$0.isTransient }.map(\.name)
    let lineage = Set(model.lineage(of: entity.name).map(\.name))
    let hidden = model.entities.reduce(0) { count, owner in
      count
        + model.ownRelationships(of: owner).count { relationship in
          relationship.isToMany && relationship.inverse == nil && !relationship.isTransient
            && lineage.contains(relationship.destination)
        }
    }
    properties += Array(repeating: nil, count: hidden)
    for attribute in entity.attributes where !attribute.isTransient {
      properties += Array(repeating: attribute.name, count: Self.width(attribute))
    }
    properties += entity.relationships.filter { $0.isToMany && !$0.isTransient }.map(\.name)
    self.properties = properties
  }

  private static func width(_ attribute: AppleAttribute) -> Int {
    attribute.type == .composite ? attribute.elements.reduce(0) { $0 + width($1) } : 1
  }

  /// The properties whose bits are set.
  func names(in bits: Data) -> [String] {
    var result = [String]()
    for (index, name) in properties.enumerated() where index / 8 < bits.count {
      guard bits[bits.startIndex + index / 8] & (0x80 >> UInt8(index % 8)) != 0, let name, result.last != name else {
        continue
      }
      result.append(name)
    }
    return result
  }

  /// The bits of some properties.
  func bits(of names: Set<String>) -> Data {
    var bytes = [UInt8](repeating: 0, count: (properties.count + 7) / 8)
    for (index, name) in properties.enumerated() {
      if let name, names.contains(name) { bytes[index / 8] |= 0x80 >> UInt8(index % 8) }
    }
    return Data(bytes)
  }
}
