/// A query of a collection. (REST API v1, `StructuredQuery`.)
public struct FirestoreQuery: Hashable, Sendable, Codable {
  /// The collections to query.
  public struct CollectionSelector: Hashable, Sendable, Codable {
    /// The name of the collection. Nil with `allDescendants` means all.
    public var collectionId: String?
    /// Whether to include collections of that name at any depth, not only directly below the parent.
    public var allDescendants: Bool?
    /// Makes a selector.
    public init(collectionId: String?, allDescendants: Bool? = nil) {
      self.collectionId = collectionId
      self.allDescendants = allDescendants
    }
  }

  /// A field, by its path in the form of ``FirestoreFieldPath/description``, or `__name__`.
  public struct FieldReference: Hashable, Sendable, Codable {
    /// The path.
    public var fieldPath: String
    /// Makes a reference.
    public init(_ fieldPath: String) { self.fieldPath = fieldPath }
  }

  /// The fields to return. None returns names only.
  public struct Projection: Hashable, Sendable, Codable {
    /// The fields. Nil or empty returns names only.
    public var fields: [FieldReference]?
    /// Makes a projection.
    public init(fields: [FieldReference]) { self.fields = fields }
  }

  /// A sort criterion.
  public struct Order: Hashable, Sendable, Codable {
    /// The direction.
    public enum Direction: String, Sendable, Codable {
      case unspecified = "DIRECTION_UNSPECIFIED"
      case ascending = "ASCENDING"
      case descending = "DESCENDING"

      /// Decodes the name or the number.
      /// - Throws: `DecodingError` for an unknown one.
      public init(from decoder: any Decoder) throws {
        self = try decodeEnum(decoder, [.unspecified, .ascending, .descending], first: 0)
      }
    }
    /// The field to sort by. Documents without it are not found.
    public var field: FieldReference
    /// The direction. Nil is ascending.
    public var direction: Direction?
    /// Makes a criterion.
    public init(_ fieldPath: String, _ direction: Direction = .ascending) {
      self.field = FieldReference(fieldPath)
      self.direction = direction
    }
  }

  /// A position in the order.
  public struct Cursor: Hashable, Sendable, Codable {
    /// Values for the first criteria of the order.
    public var values: [FirestoreValue]?
    /// Whether the position is just before or just after these values.
    public var before: Bool?
    /// Makes a cursor.
    public init(_ values: [FirestoreValue], before: Bool) {
      self.values = values
      self.before = before
    }
  }

  /// The fields to return, or nil for whole documents.
  public var select: Projection?
  /// The collection selector. Only one is supported.
  public var from: [CollectionSelector]?
  /// The filter.
  public var `where`: FirestoreFilter?
  /// The explicit criteria. The fields of inequalities and the name follow implicitly.
  public var orderBy: [Order]?
  /// The first position.
  public var startAt: Cursor?
  /// The last position.
  public var endAt: Cursor?
  /// The number of results to skip.
  public var offset: Int?
  /// The maximum number of results.
  public var limit: Int?

  /// Makes a query of one collection.
  public init(
    _ collection: String, where filter: FirestoreFilter? = nil, orderBy: [Order] = [], startAt: Cursor? = nil,
    endAt: Cursor? = nil, offset: Int? = nil, limit: Int? = nil
  ) {
    self.from = [CollectionSelector(collectionId: collection)]
    self.where = filter
    self.orderBy = orderBy.isEmpty ? nil : orderBy
    self.startAt = startAt
    self.endAt = endAt
    self.offset = offset
    self.limit = limit
  }
}

/// A condition on documents. (REST API v1, `Filter`.)
public indirect enum FirestoreFilter: Hashable, Sendable, Codable {
  /// A comparison of a field with a value.
  public enum Operator: String, Sendable, Codable {
    case lessThan = "LESS_THAN"
    case lessThanOrEqual = "LESS_THAN_OR_EQUAL"
    case greaterThan = "GREATER_THAN"
    case greaterThanOrEqual = "GREATER_THAN_OR_EQUAL"
    case equal = "EQUAL"
    case notEqual = "NOT_EQUAL"
    case arrayContains = "ARRAY_CONTAINS"
    case `in` = "IN"
    case arrayContainsAny = "ARRAY_CONTAINS_ANY"
    case notIn = "NOT_IN"

    /// Decodes the name or the number.
    /// - Throws: `DecodingError` for an unknown one.
    public init(from decoder: any Decoder) throws {
      self = try decodeEnum(
        decoder,
        [
          .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual, .arrayContains, .in,
          .arrayContainsAny, .notIn,
        ], first: 1)
    }
  }

  /// A test of a field.
  public enum UnaryOperator: String, Sendable, Codable {
    case isNaN = "IS_NAN"
    case isNull = "IS_NULL"
    case isNotNaN = "IS_NOT_NAN"
    case isNotNull = "IS_NOT_NULL"

    /// Decodes the name or the number.
    /// - Throws: `DecodingError` for an unknown one.
    public init(from decoder: any Decoder) throws {
      self = try decodeEnum(decoder, [.isNaN, .isNull, .isNotNaN, .isNotNull], first: 2)
    }
  }

  case field(String, Operator, FirestoreValue)
  case unary(String, UnaryOperator)
  case and([FirestoreFilter])
  case or([FirestoreFilter])

  private enum CodingKeys: String, CodingKey { case fieldFilter, unaryFilter, compositeFilter }
  private struct FieldFilter: Codable {
    var field: FirestoreQuery.FieldReference
    var op: Operator
    var value: FirestoreValue
  }
  private struct UnaryFilter: Codable {
    var field: FirestoreQuery.FieldReference
    var op: UnaryOperator
  }
  private struct CompositeFilter: Codable {
    enum Operator: String, Codable {
      case and = "AND"
      case or = "OR"
      init(from decoder: any Decoder) throws { self = try decodeEnum(decoder, [.and, .or], first: 1) }
    }
    var op: Operator
    var filters: [FirestoreFilter]?
  }

  /// Decodes the JSON of the REST API.
  /// - Throws: `DecodingError` for an unknown operator.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let filter = try container.decodeIfPresent(FieldFilter.self, forKey: .fieldFilter) {
      self = .field(filter.field.fieldPath, filter.op, filter.value)
    } else if let filter = try container.decodeIfPresent(UnaryFilter.self, forKey: .unaryFilter) {
      self = .unary(filter.field.fieldPath, filter.op)
    } else {
      let filter = try container.decode(CompositeFilter.self, forKey: .compositeFilter)
      self = filter.op == .and ? .and(filter.filters ?? []) : .or(filter.filters ?? [])
    }
  }

  /// Encodes the JSON of the REST API.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .field(let path, let op, let value):
      try container.encode(FieldFilter(field: .init(path), op: op, value: value), forKey: .fieldFilter)
    case .unary(let path, let op): try container.encode(UnaryFilter(field: .init(path), op: op), forKey: .unaryFilter)
    case .and(let filters): try container.encode(CompositeFilter(op: .and, filters: filters), forKey: .compositeFilter)
    case .or(let filters): try container.encode(CompositeFilter(op: .or, filters: filters), forKey: .compositeFilter)
    }
  }
}
