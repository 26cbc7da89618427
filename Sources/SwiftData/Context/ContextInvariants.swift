#if DEBUG
  /// The invariants of a context, for tests.
  package struct ContextInvariants {
    private let context: ContextState

    package init(of context: ContextState) { self.context = context }

    /// Violations: one sentence each, or none.
    /// - Complexity: visits every object and fires no fault.
    package func violations() -> [String] {
      let registered = context.identityMaps.flatMap(\.objects)
      return problems(ofRegistered: registered) + problemsOfUnsaved() + problemsOfIndices()
        + (registered + Array(context.inserted.values)).flatMap(problemsOfRelationships)
    }

    private func name(_ object: any PersistentModel) -> String {
      let key = object.__state.key
      return "\(type(of: object).__entity.name) \(key == 0 ? "\(ObjectIdentifier(object))" : "\(key)")"
    }

    // MARK: - Sets

    private func problems(ofRegistered objects: [any PersistentModel]) -> [String] {
      objects.flatMap { object in
        let (flags, id, key) = (object.__state.flags, ObjectIdentifier(object), object.__state.key)
        let root = (try? context.core.table(for: type(of: object).__entity))?.root
        return [
          object.__state.context === context ? nil : "the registered \(name(object)) belongs to another context",
          root.flatMap { context.registered(root: $0, key: key) } === object
            ? nil : "\(name(object)) is not at its key",
          flags.contains(.inserted) ? "the registered \(name(object)) counts as new" : nil,
          flags.contains(.changed) == (context.changed[id] != nil) ? nil : "\(name(object)) is changed, or is not",
          flags.contains(.deleted) == (context.deleted[id] != nil) ? nil : "\(name(object)) is deleted, or is not",
        ].compactMap(\.self)
      }
    }

    private func problemsOfUnsaved() -> [String] {
      let new = context.inserted.values.flatMap { object in
        [
          object.__state.context === context ? nil : "the new \(name(object)) belongs to another context",
          object.__state.flags.contains(.inserted) && object.__state.key == 0 ? nil : "\(name(object)) is not new",
          context.changed[ObjectIdentifier(object)] == nil && context.deleted[ObjectIdentifier(object)] == nil
            ? nil : "the new \(name(object)) is changed or deleted as well",
        ]
      }
      let stored = (context.changed.values.map(\.object) + context.deleted.values).map { object in
        isRegistered(object) ? nil : "\(name(object)) is unsaved and not the registered object of a row"
      }
      let originals = context.changed.values.map { change in
        change.properties.indices == change.originals.map(\.index).sorted()
          ? nil : "the old values of \(name(change.object)) do not belong to the changed properties"
      }
      return (new + stored + originals).compactMap(\.self) + context.inserted.problems(name)
        + context.deleted.problems(name)
        + context.changed.problems { self.name($0.object) }
    }

    private func isRegistered(_ object: any PersistentModel) -> Bool {
      guard object.__state.context === context, let table = try? context.core.table(for: type(of: object).__entity)
      else { return false }
      return context.registered(root: table.root, key: object.__state.key) === object
    }

    private func problemsOfIndices() -> [String] {
      var found = [String]()
      context.unsavedIndices.forEach { entity, property, index in
        let objects = (Array(context.inserted.values) + context.changed.values.map(\.object))
          .filter { ObjectIdentifier(type(of: $0).__entity) == entity }
        found += objects.filter { !index.knows(ObjectIdentifier($0)) }.map { "an index misses \(name($0))" }
        found += index.problems { context.queries.unsavedObject($0) }.map { object in
          "the index of \(type(of: object).__entity.properties[property].name) is wrong about \(name(object))"
        }
      }
      return found
    }

    // MARK: - Relationships

    private func problemsOfRelationships(_ object: any PersistentModel) -> [String] {
      // A deleted object keeps its values, also if another save deleted its row.
      if object.__state.flags.contains(.deleted) || context.hasDeletedRow(object) { return [] }
      let entity = type(of: object).__entity
      return entity.properties.filter { !$0.isAttribute }.flatMap { property -> [String] in
        guard let targets = object.relationship(property).targets else { return [] }
        var found = [String]()
        if property.isToMany, object.relationship(property).verify() != nil {
          found.append("\(property.name) of \(name(object)) is not what was noted")
        }
        if Set(targets.map { ObjectIdentifier($0) }).count < targets.count {
          found.append("\(property.name) of \(name(object)) has a target twice")
        }
        let seconds = targets.filter { target in
          target.__state.aliased != nil
            || target.__state.context === context && !target.__state.flags.contains(.inserted) && !isRegistered(target)
        }
        found += seconds.map { "\(property.name) of \(name(object)) has another object than the one of \(name($0))" }
        guard let inverse = RelationshipInfo.of(property, in: entity).inverse else { return found }
        let strangers = targets.filter { target in
          target.__state.context === context && !target.__state.flags.contains(.deleted)
            && !isKnown(object, to: target, inverse)
        }
        // A required to-one still shows the object that released it, until the next save throws.
        if !object.__state.flags.contains(.orphaned) {
          found += strangers.map { "\(property.name) of \(name(object)) has \(name($0)), which does not know it" }
        }
        return found
      }
    }

    /// Whether the other side contains an object, or is not loaded.
    private func isKnown(_ object: any PersistentModel, to target: any PersistentModel, _ inverse: __Property) -> Bool {
      switch target.relationship(inverse).membership(of: object) {
      case .fault(let key): inverse.isToMany || key == object.__state.key
      case .contained: true
      case nil, .absent: false
      }
    }
  }
#endif
