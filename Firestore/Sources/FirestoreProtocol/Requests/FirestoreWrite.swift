/// A condition for a write. (REST API v1, `Precondition`.)
public enum FirestorePrecondition: Hashable, Sendable, Codable {
  /// The document exists, or does not.
  case exists(Bool)
  /// The document exists and has this update time.
  case updateTime(FirestoreTimestamp)

  private enum CodingKeys: String, CodingKey { case exists, updateTime }

  /// Decodes the JSON of the REST API.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let exists = try container.decodeIfPresent(Bool.self, forKey: .exists) {
      self = .exists(exists)
    } else {
      self = .updateTime(try container.decode(FirestoreTimestamp.self, forKey: .updateTime))
    }
  }

  /// Encodes the JSON of the REST API.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .exists(let exists): try container.encode(exists, forKey: .exists)
    case .updateTime(let time): try container.encode(time, forKey: .updateTime)
    }
  }
}

/// A list of field paths. (REST API v1, `DocumentMask`.)
public struct FirestoreMask: Hashable, Sendable, Codable {
  /// The paths, in the form of ``FirestoreFieldPath/description``.
  public var fieldPaths: [String]

  /// Makes a mask.
  public init(_ paths: [FirestoreFieldPath]) { fieldPaths = paths.map(\.description) }

  /// Decodes the JSON of the REST API, which may omit an empty list.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    fieldPaths = try container.decodeIfPresent([String].self, forKey: .fieldPaths) ?? []
  }
}

/// A change that the server computes. (REST API v1, `FieldTransform`.)
public struct FirestoreTransform: Hashable, Sendable, Codable {
  /// The operation.
  public enum Operation: Hashable, Sendable {
    /// Sets the time of the commit.
    case requestTime
    /// Adds a number. A field that is not a number counts as zero.
    case increment(FirestoreValue)
    /// Keeps the greater value.
    case maximum(FirestoreValue)
    /// Keeps the smaller value.
    case minimum(FirestoreValue)
    /// Appends the elements that are missing.
    case appendMissing([FirestoreValue])
    /// Removes all equal elements.
    case removeAll([FirestoreValue])
  }

  /// The field, in the form of ``FirestoreFieldPath/description``.
  public var fieldPath: String
  /// The operation.
  public var operation: Operation

  /// Makes a transform.
  public init(_ path: FirestoreFieldPath, _ operation: Operation) {
    self.fieldPath = path.description
    self.operation = operation
  }

  private enum CodingKeys: String, CodingKey {
    case fieldPath, setToServerValue, increment, maximum, minimum, appendMissingElements, removeAllFromArray
  }
  private struct List: Codable { var values: [FirestoreValue]? }
  private enum ServerValue: String, Codable {
    case requestTime = "REQUEST_TIME"
    init(from decoder: any Decoder) throws { self = try decodeEnum(decoder, [.requestTime], first: 1) }
  }

  /// Decodes the JSON of the REST API.
  /// - Throws: `DecodingError` for an unknown operation.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    fieldPath = try container.decode(String.self, forKey: .fieldPath)
    if let value = try container.decodeIfPresent(FirestoreValue.self, forKey: .increment) {
      operation = .increment(value)
    } else if let value = try container.decodeIfPresent(FirestoreValue.self, forKey: .maximum) {
      operation = .maximum(value)
    } else if let value = try container.decodeIfPresent(FirestoreValue.self, forKey: .minimum) {
      operation = .minimum(value)
    } else if let list = try container.decodeIfPresent(List.self, forKey: .appendMissingElements) {
      operation = .appendMissing(list.values ?? [])
    } else if let list = try container.decodeIfPresent(List.self, forKey: .removeAllFromArray) {
      operation = .removeAll(list.values ?? [])
    } else if try container.decodeIfPresent(ServerValue.self, forKey: .setToServerValue) != nil {
      operation = .requestTime
    } else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "the transform of \(fieldPath) has no known operation"))
    }
  }

  /// Encodes the JSON of the REST API.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(fieldPath, forKey: .fieldPath)
    switch operation {
    case .requestTime: try container.encode(ServerValue.requestTime, forKey: .setToServerValue)
    case .increment(let value): try container.encode(value, forKey: .increment)
    case .maximum(let value): try container.encode(value, forKey: .maximum)
    case .minimum(let value): try container.encode(value, forKey: .minimum)
    case .appendMissing(let values): try container.encode(List(values: values), forKey: .appendMissingElements)
    case .removeAll(let values): try container.encode(List(values: values), forKey: .removeAllFromArray)
    }
  }
}

/// A write of one document. (REST API v1, `Write`.)
public struct FirestoreWrite: Hashable, Sendable, Codable {
  /// The document to write, or nil in a deletion.
  public var update: FirestoreDocument?
  /// The name of the document to delete, or nil in an update.
  public var delete: String?
  /// The fields to write, or nil to replace the document. A field in the mask that the document lacks is removed.
  public var updateMask: FirestoreMask?
  /// The transforms to apply after the update.
  public var updateTransforms: [FirestoreTransform]?
  /// The precondition, or nil for none.
  public var currentDocument: FirestorePrecondition?

  /// Makes a write of a document.
  public static func update(
    _ document: FirestoreDocument, mask: FirestoreMask? = nil, transforms: [FirestoreTransform] = [],
    if precondition: FirestorePrecondition? = nil
  ) -> FirestoreWrite {
    FirestoreWrite(
      update: document, delete: nil, updateMask: mask, updateTransforms: transforms.isEmpty ? nil : transforms,
      currentDocument: precondition)
  }

  /// Makes a deletion of a document.
  public static func delete(_ name: String, if precondition: FirestorePrecondition? = nil) -> FirestoreWrite {
    FirestoreWrite(update: nil, delete: name, updateMask: nil, updateTransforms: nil, currentDocument: precondition)
  }
}

/// The result of a commit.
public struct FirestoreCommit: Hashable, Sendable, Codable {
  /// The result of one write.
  public struct Result: Hashable, Sendable, Codable {
    /// The time of the last change, or nil after a deletion.
    public var updateTime: FirestoreTimestamp?
    /// The results of the transforms, in order.
    public var transformResults: [FirestoreValue]?

    /// Makes a result.
    public init(updateTime: FirestoreTimestamp?, transformResults: [FirestoreValue]? = nil) {
      self.updateTime = updateTime
      self.transformResults = transformResults
    }
  }

  /// The results, in the order of the writes.
  public var writeResults: [Result]
  /// The time of the commit.
  public var commitTime: FirestoreTimestamp

  /// Makes a commit.
  public init(writeResults: [Result], commitTime: FirestoreTimestamp) {
    self.writeResults = writeResults
    self.commitTime = commitTime
  }

  /// Decodes the JSON of the REST API, which omits empty lists.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    writeResults = try container.decodeIfPresent([Result].self, forKey: .writeResults) ?? []
    commitTime = try container.decode(FirestoreTimestamp.self, forKey: .commitTime)
  }
}
