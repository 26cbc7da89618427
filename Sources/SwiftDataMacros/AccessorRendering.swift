import SwiftSyntax

// Renders the storage and the accessors of one persisted property.

extension PersistedProperty {
  /// The stored peer of the property.
  func renderedStorage(isolated: Bool) -> DeclSyntax {
    // The engine's members are nonisolated. They touch an object only where its context runs.
    let isolation = isolated ? "nonisolated(unsafe) " : ""
    // Unchecked, because every access ends before other code can run.
    let start = "@exclusivity(unchecked) \(isolation)private final var \(storageName)"
    switch storage {
    case .inPlace(let type): return DeclSyntax(unparsed: "\(start): \(type)")
    case .direct(let type):
      // A variable of a type with a question mark begins as nil, after the initial value of the property was stored.
      let isReset = initialValue.map { !$0.is(NilLiteralExprSyntax.self) } == true && type.hasSuffix("?")
      return DeclSyntax(unparsed: "\(start): \(isReset ? "Swift.Optional<\(type.dropLast())>" : type)")
    case .slot(let type?): return DeclSyntax(unparsed: "\(start): SwiftData.__Slot<\(type)>")
    case .slot(nil):
      return DeclSyntax(unparsed: "\(start) = SwiftData.__Slot(\(initialValue?.trimmedDescription ?? ""))")
    }
  }

  func renderedAccessors(index: String) -> [AccessorDeclSyntax] {
    ([renderedInit(), isSlot ? slotGetter(index) : directGetter(index), setter(index)]
      + (isChangedInPlace ? [modifier(index)] : [])).map { AccessorDeclSyntax(unparsed: $0) }
  }

  /// Whether the property may be a to-many relationship that is changed in place. A property with observers is not,
  /// because an observer receives the complete old and new values.
  private var isChangedInPlace: Bool {
    guard isSlot, willSet == nil, didSet == nil, let writtenType else { return false }
    return (writtenType.optionalWrapped ?? writtenType).arrayElement != nil
  }

  private func renderedInit() -> String {
    let value = isSlot ? "SwiftData.__Slot(initialValue)" : "initialValue"
    return """
      @storageRestrictions(initializes: \(storageName))
      init(initialValue) {
        \(storageName) = \(value)
      }
      """
  }

  private func directGetter(_ index: String) -> String {
    """
    get {
      __willGet(\(index))
      return \(storageName)
    }
    """
  }

  private var settlingLine: String { settling.map { "\n  \($0)" } ?? "" }

  private func slotGetter(_ index: String) -> String {
    """
    get {
      __willGet(\(index))\(settlingLine)
      if \(storageName).isFault {
        __fire(\(index))
      }
      return \(storageName).loaded
    }
    """
  }

  private func setter(_ index: String) -> String {
    // First, because the change records the value so far.
    var lines = [settling, "__willSet(\(index))"].compactMap(\.self)
    if let didSet, didSet.usesParameter {
      lines.append("let \(didSet.parameter) = \(storageName)\(isSlot ? ".loaded" : "")")
    }
    if let willSet {
      let value = willSet.parameter == "newValue" ? "" : "let \(willSet.parameter) = newValue\n"
      lines.append(observer(index, (willSet.usesParameter ? value : "") + willSet.text(for: reference)))
    }
    if isSlot {
      lines.append("let __change = SwiftData.__store(&\(storageName), newValue, self, \(index))")
      lines.append("__didStore(\(index), __change)")
    } else {
      lines.append("\(storageName) = newValue")
      lines.append("__didSet(\(index))")
    }
    if let didSet { lines.append(observer(index, didSet.text(for: reference))) }
    return "set {\n\(lines.joined(separator: "\n").indented)\n}"
  }

  /// A `_modify` accessor, which changes a list without copying it.
  private func modifier(_ index: String) -> String {
    """
    _modify {
      __willGet(\(index))\(settlingLine)
      if \(storageName).isFault {
        __fire(\(index))
      }
      var __lent = SwiftData.__lend(&\(storageName), self, \(index))
      defer {
        __willSet(\(index))
        let __change = SwiftData.__takeBack(&\(storageName), &__lent, self, \(index))
        __didStore(\(index), __change)
      }
      yield &__lent
    }
    """
  }

  /// An assignment to the property inside its own observer does not call the observer again.
  private func observer(_ index: String, _ body: String) -> String { "__observer(\(index)) {\n\(body.indented)\n}" }
}
