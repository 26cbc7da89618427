import SwiftSyntax
import SwiftSyntaxBuilder

// The storage and the accessors of one persisted property.

extension PersistedProperty {
  /// The peer that has the value.
  func renderedStorage(isolated: Bool) -> DeclSyntax {
    // The engine's members are nonisolated; they touch an object only where its context is used.
    let isolation = isolated ? "nonisolated(unsafe) " : ""
    // Unchecked because every access is over before anything else can run.
    let start = "@exclusivity(unchecked) \(isolation)private final var \(storageName)"
    switch storage {
    case .inPlace(let type), .direct(let type): return "\(raw: start): \(raw: type)"
    case .slot(let type?): return "\(raw: start): SwiftData.__Slot<\(raw: type)>"
    case .slot(nil): return "\(raw: start) = SwiftData.__Slot(\(raw: initialValue?.trimmedDescription ?? ""))"
    }
  }

  func renderedAccessors(index: String) -> [AccessorDeclSyntax] {
    [renderedInit(), isSlot ? slotGetter(index) : directGetter(index), setter(index)]
      + (isChangedInPlace ? [modifier(index)] : [])
  }

  /// Whether the property may be a to-many. One with observers hears of each value, the old one and the new.
  private var isChangedInPlace: Bool {
    guard isSlot, willSet == nil, didSet == nil, let writtenType else { return false }
    return (writtenType.optionalWrapped ?? writtenType).arrayElement != nil
  }

  private func renderedInit() -> AccessorDeclSyntax {
    let value = isSlot ? "SwiftData.__Slot(initialValue)" : "initialValue"
    return """
      @storageRestrictions(initializes: \(raw: storageName))
      init(initialValue) {
        \(raw: storageName) = \(raw: value)
      }
      """
  }

  private func directGetter(_ index: String) -> AccessorDeclSyntax {
    """
    get {
      __willGet(\(raw: index), \\.\(raw: reference))
      return \(raw: storageName)
    }
    """
  }

  private func slotGetter(_ index: String) -> AccessorDeclSyntax {
    """
    get {
      __willGet(\(raw: index), \\.\(raw: reference))
      if \(raw: storageName).isFault {
        __fire(\(raw: index))
      }
      return \(raw: storageName).loaded
    }
    """
  }

  private func setter(_ index: String) -> AccessorDeclSyntax {
    var lines = ["__willSet(\(index), \\.\(reference))"]
    if let didSet, didSet.usesParameter {
      lines.append("let \(didSet.parameter) = \(storageName)\(isSlot ? ".loaded" : "")")
    }
    if let willSet {
      let value = willSet.parameter == "newValue" ? "" : "let \(willSet.parameter) = newValue\n"
      lines.append(observer(index, (willSet.usesParameter ? value : "") + willSet.text(for: reference)))
    }
    if isSlot {
      lines.append("let __change = SwiftData.__store(&\(storageName), newValue, self, \(index))")
      lines.append("__didSet(\(index), \\.\(reference), __change)")
    } else {
      lines.append("\(storageName) = newValue")
      lines.append("__didSet(\(index), \\.\(reference))")
    }
    if let didSet { lines.append(observer(index, didSet.text(for: reference))) }
    return "set {\n\(raw: lines.joined(separator: "\n"))\n}"
  }

  /// A getter and a setter in one, without a copy of the list in between.
  private func modifier(_ index: String) -> AccessorDeclSyntax {
    """
    _modify {
      __willGet(\(raw: index), \\.\(raw: reference))
      if \(raw: storageName).isFault {
        __fire(\(raw: index))
      }
      var __lent = SwiftData.__lend(&\(raw: storageName), self, \(raw: index))
      defer {
        __willSet(\(raw: index), \\.\(raw: reference))
        let __change = SwiftData.__takeBack(&\(raw: storageName), &__lent, self, \(raw: index))
        __didSet(\(raw: index), \\.\(raw: reference), __change)
      }
      yield &__lent
    }
    """
  }

  /// An assignment to the property inside its own observer does not call the observer again.
  private func observer(_ index: String, _ body: String) -> String { "__observer(\(index)) {\n\(body)\n}" }
}
