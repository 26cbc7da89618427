#if Sync
import SyncCore
import SyncProtocol

/// The places of a list's members, as the view has them and a capture writes them.
struct CapturedList {
  private let capture: StoreCapture
  private let owner: RecordKey
  private let model: SyncModels.Property
  private let edges: [RecordKey: [(member: RecordName, edge: Edge)]]
  /// For a derived to-many: the edges that hold the order.
  private let orders: [RecordName: [(member: RecordName, edge: Edge)]]

  init(_ capture: StoreCapture, _ owner: RecordKey, _ model: SyncModels.Property) throws {
    (self.capture, self.owner, self.model) = (capture, owner, model)
    edges = try capture.edges(of: owner, model)
    orders = Dictionary(
      grouping: try capture.view.edges(model, of: owner).filter { $0.edge.place != nil }.map { ($0.member, $0.edge) },
      by: \.member)
  }

  /// The to-one of a member that leads to the owner.
  private func inverse(_ member: RecordKey) throws -> SyncModels.Property? {
    guard case .list(let entity, let inverse, _) = model.kind else { return nil }
    let actual = try capture.view.entity(of: member) ?? capture.changes[member]?.born?.value
    return capture.models[actual ?? entity, inverse]
  }

  /// The edges that have the place of a member, as the view has them: by their names, with their hints.
  private func edges(
    of member: RecordKey
  ) throws -> [(name: RecordName, hint: ZoneName?, place: Stamped<Place>?)] {
    if case .members = model.kind {
      if let known = edges[member] { return known.map { ($0.member, $0.edge.hint, $0.edge.place) } }
    } else {
      let known = Set(try capture.records(of: member).map(\.name)).sorted().flatMap { orders[$0] ?? [] }
      if !known.isEmpty { return known.map { ($0.member, $0.edge.hint, $0.edge.place) } }
    }
    let reference = try capture.link(owner.zone, member)
    return [(reference.name, reference.hint, nil)]
  }

  func place(of member: RecordKey) throws -> ExactText? {
    guard case .list = model.kind else {
      let written = capture.changes[owner]?.edges[model.wire] ?? [:]
      let places = try edges(of: member).flatMap { [$0.place, written[$0.name]?.place] }
      return places.compactMap(\.self).max()?.value.key
    }
    guard let inverse = try inverse(member) else { return nil }
    if case .text(let place)? = capture.changes[member]?.fields[inverse.placeField]?.value { return place }
    return try capture.view.place(inverse, of: member)
  }

  func setPlace(_ place: ExactText, of member: RecordKey) throws {
    let time = capture.time
    guard case .list = model.kind else {
      for edge in try edges(of: member) {
        try capture.setPlace(owner, model.wire, edge.name, Stamped(time, Place(place, hint: edge.hint)))
      }
      return
    }
    guard let field = try inverse(member)?.placeField else { return }
    try capture.write(member) { $0.fields[field] = Stamped(time, .text(place)) }
  }
}

extension StoreCapture {
  /// Sets the place of an edge, also in place of one that the capture has set already.
  fileprivate func setPlace(
    _ key: RecordKey, _ property: WireName, _ member: RecordName, _ place: Stamped<Place>
  ) throws {
    try write(key) { registers in
      var members = registers.edges[property] ?? [:]
      members[member, default: Edge()].place = place
      registers.edges[property] = members
    }
  }
}
#endif
