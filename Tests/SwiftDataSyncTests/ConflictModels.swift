#if Sync
import SwiftData

@Model final class CellOwner {
  var name: String = ""
  @Relationship(deleteRule: .cascade, inverse: \CellPart.owner) var parts: [CellPart] = []
  @Relationship(deleteRule: .nullify, inverse: \CellGuest.owner) var guests: [CellGuest] = []
  @Relationship(deleteRule: .deny, inverse: \CellTenant.owner) var tenants: [CellTenant] = []
  @Relationship(deleteRule: .cascade) var notes: [CellNote] = []
  @Relationship(deleteRule: .nullify) var links: [CellLink] = []
  init(_ name: String) { self.name = name }
}
@Model final class CellPart {
  var name: String = ""
  var owner: CellOwner?
  init(_ name: String) { self.name = name }
}
@Model final class CellGuest {
  var name: String = ""
  var owner: CellOwner?
  init(_ name: String) { self.name = name }
}
@Model final class CellTenant {
  var name: String = ""
  var owner: CellOwner?
  init(_ name: String) { self.name = name }
}
@Model final class CellNote {
  var name: String = ""
  init(_ name: String) { self.name = name }
}
@Model final class CellLink {
  var name: String = ""
  init(_ name: String) { self.name = name }
}
@Model final class CellUnique {
  @Attribute(.unique) var code: String = ""
  var left: String = ""
  var right: String = ""
  @Relationship(deleteRule: .cascade, inverse: \CellItem.owner) var items: [CellItem] = []
  init(_ code: String) { self.code = code }
}
@Model final class CellItem {
  var name: String = ""
  var owner: CellUnique?
  init(_ name: String) { self.name = name }
}
#endif
