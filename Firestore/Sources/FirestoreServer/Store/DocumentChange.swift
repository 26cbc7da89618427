import FirestoreProtocol

/// A received write, including the older form that contains only transforms.
struct CommitWrite: Decodable {
  struct OnlyTransform: Decodable {
    let document: String
    let fieldTransforms: [FirestoreTransform]
  }

  let update: FirestoreDocument?
  let delete: String?
  let transform: OnlyTransform?
  let updateMask: FirestoreMask?
  let updateTransforms: [FirestoreTransform]?
  let currentDocument: FirestorePrecondition?

  init(update: FirestoreDocument, mask: FirestoreMask? = nil, if precondition: FirestorePrecondition? = nil) {
    self.update = update
    self.delete = nil
    self.transform = nil
    self.updateMask = mask
    self.updateTransforms = nil
    self.currentDocument = precondition
  }

  init(delete: String, if precondition: FirestorePrecondition?) {
    self.update = nil
    self.delete = delete
    self.transform = nil
    self.updateMask = nil
    self.updateTransforms = nil
    self.currentDocument = precondition
  }

  /// The document's name. Empty if the write does nothing.
  var name: String { update?.name ?? delete ?? transform?.document ?? "" }
}

/// The result of a write on a document's fields.
struct DocumentChange {
  var fields: [String: FirestoreValue]
  /// Nil without transforms.
  var transformResults: [FirestoreValue]?

  init(_ write: CommitWrite, old: [String: FirestoreValue], time: FirestoreTimestamp) throws {
    fields = old
    if let update = write.update { try apply(update, write.updateMask) }
    let transforms = (write.updateTransforms ?? []) + (write.transform?.fieldTransforms ?? [])
    guard !transforms.isEmpty else { return }
    transformResults = try transforms.map { transform in
      let path = try FieldAccess.path(transform.fieldPath).segments[...]
      let (value, result) = try Self.apply(
        transform.operation, to: FieldAccess.value(path, in: fields), time)
      FieldAccess.set(value, at: path, in: &fields)
      return result
    }
  }

  private mutating func apply(_ update: FirestoreDocument, _ mask: FirestoreMask?) throws {
    guard let mask else { return fields = update.fields }
    for text in mask.fieldPaths {
      let path = try FieldAccess.path(text).segments[...]
      FieldAccess.set(FieldAccess.value(path, in: update.fields), at: path, in: &fields)
    }
  }

  // MARK: - Transforms

  /// - Returns: the new value, and the value in the answer, which is null for arrays.
  private static func apply(
    _ operation: FirestoreTransform.Operation, to old: FirestoreValue?, _ time: FirestoreTimestamp
  ) throws -> (FirestoreValue, FirestoreValue) {
    switch operation {
    case .requestTime: return (.timestamp(time), .timestamp(time))
    case .increment(let operand):
      let sum = try sum(old, operand)
      return (sum, sum)
    case .maximum(let operand):
      let value = try extreme(old, operand, .less)
      return (value, value)
    case .minimum(let operand):
      let value = try extreme(old, operand, .greater)
      return (value, value)
    case .appendMissing(let values):
      var elements = elements(old)
      for value in values where !elements.contains(where: { ValueOrder.compare($0, value) == .equal }) {
        elements.append(value)
      }
      return (.array(elements), .null)
    case .removeAll(let values):
      let left = elements(old).filter { element in !values.contains { ValueOrder.compare($0, element) == .equal } }
      return (.array(left), .null)
    }
  }

  private static func elements(_ value: FirestoreValue?) -> [FirestoreValue] {
    if case .array(let values)? = value { return values }
    return []
  }

  /// The sum. Integers saturate at 64 bits.
  private static func sum(_ old: FirestoreValue?, _ operand: FirestoreValue) throws -> FirestoreValue {
    switch (old, operand) {
    case (.integer(let left)?, .integer(let right)):
      let (sum, overflows) = left.addingReportingOverflow(right)
      return .integer(overflows ? (right > 0 ? .max : .min) : sum)
    case (.integer(let left)?, .double(let right)): return .double(Double(left) + right)
    case (.double(let left)?, .integer(let right)): return .double(left + Double(right))
    case (.double(let left)?, .double(let right)): return .double(left + right)
    case (_, .integer), (_, .double): return operand
    default: throw FirestoreError(.invalidArgument, "increment takes a number")
    }
  }

  /// The operand if the old value is not a number or compares accordingly, else the old value.
  private static func extreme(
    _ old: FirestoreValue?, _ operand: FirestoreValue, _ relation: ValueOrder.Result
  ) throws -> FirestoreValue {
    guard ValueOrder.haveOneType(operand, .integer(0)) else {
      throw FirestoreError(.invalidArgument, "maximum and minimum take a number")
    }
    guard let old, ValueOrder.haveOneType(old, operand) else { return operand }
    // As in Firestore, NaN is both minimum and maximum.
    if ValueOrder.isNaN(operand) || ValueOrder.isNaN(old) { return .double(.nan) }
    return ValueOrder.compare(old, operand) == relation ? operand : old
  }
}
