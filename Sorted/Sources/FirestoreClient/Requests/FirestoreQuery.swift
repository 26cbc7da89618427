/// What to find in a collection. (REST API v1, `StructuredQuery`.)
public struct FirestoreQuery: Hashable, Sendable, Codable {
  /// Where to look.
  public struct CollectionSelector: Hashable, Sendable, Codable {
    /// The name of the collection; nil, with `allDescendants`, for all.
    public var collectionId: String?
    /// Whether collections of the name at any depth count, or only the one directly below the parent.
    public var allDescendants: Bool?
    /// Makes a selector.
    public init(collectionId: String?, allDescendants: Bool? = nil) {
      self.collectionId = collectionId
      self.allDescendants = allDescendants
    }
  }

  /// A field, by its path as ``FirestoreFieldPath/description`` writes it, or `__name__`.
  public struct FieldReference: Hashable, Sendable, Codable {
    /// The path.
    public var fieldPath: String
    /// Makes a reference.
    public init(_ fieldPath: String) { self.fieldPath = fieldPath }
  }

  /// Which fields to return; none returns only names.
  public struct Projection: Hashable, Sendable, Codable {
    /// Nil or empty is the name alone.
    public var fields: [FieldReference]?
    /// Makes a projection.
    public init(fields: [FieldReference]) { self.fields = fields }
  }

  /// One criterion of the order.
  public struct Order: Hashable, Sendable, Codable {
    /// Which way.
    public enum Direction: String, Sendable, Codable {
      case unspecified = "DIRECTION_UNSPECIFIED"
      case ascending = "ASCENDING"
      case descending = "DESCENDING"

      /// Reads the name or the number.
      /// - Throws: `DecodingError` for one that there is not.
      public init(from decoder: any Decoder) throws {
        self = try decodeEnum(decoder, [.unspecified, .ascending, .descending], first: 0)
      }
    }
    /// What is compared; documents without it are not found.
    public var field: FieldReference
    /// Nil is ascending.
    public var direction: Direction?
    /// Makes a criterion.
    public init(_ fieldPath: String, _ direction: Direction = .ascending) {
      self.field = FieldReference(fieldPath)
      self.direction = direction
    }
  }

  /// A place in the order.
  public struct Cursor: Hashable, Sendable, Codable {
    /// For the first criteria of the order, at most as many as there are.
    public var values: [FirestoreValue]?
    /// Whether it is just before what has these values, or just after.
    public var before: Bool?
    /// Makes a cursor.
    public init(_ values: [FirestoreValue], before: Bool) {
      self.values = values
      self.before = before
    }
  }

  /// What to return; nil for whole documents.
  public var select: Projection?
  /// One selector.
  public var from: [CollectionSelector]?
  /// What has to hold.
  public var `where`: FirestoreFilter?
  /// Before the implicit ones: the fields of inequalities, then the name.
  public var orderBy: [Order]?
  /// Where the results begin.
  public var startAt: Cursor?
  /// Where the results end.
  public var endAt: Cursor?
  /// How many to leave out.
  public var offset: Int?
  /// How many at most.
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

/// What has to hold for a document. (REST API v1, `Filter`.)
public indirect enum FirestoreFilter: Hashable, Sendable, Codable {
  /// How a field compares with a value.
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

    /// Reads the name or the number.
    /// - Throws: `DecodingError` for one that there is not.
    public init(from decoder: any Decoder) throws {
      self = try decodeEnum(
        decoder,
        [
          .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual, .arrayContains, .in,
          .arrayContainsAny, .notIn,
        ], first: 1)
    }
  }

  /// What a field is.
  public enum UnaryOperator: String, Sendable, Codable {
    case isNaN = "IS_NAN"
    case isNull = "IS_NULL"
    case isNotNaN = "IS_NOT_NAN"
    case isNotNull = "IS_NOT_NULL"

    /// Reads the name or the number.
    /// - Throws: `DecodingError` for one that there is not.
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

  /// Reads the JSON of the REST API.
  /// - Throws: `DecodingError` for an operator that there is not.
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

  /// Writes the JSON of the REST API.
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
