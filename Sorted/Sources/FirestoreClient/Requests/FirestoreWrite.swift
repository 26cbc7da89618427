/// What has to hold for a write to happen. (REST API v1, `Precondition`.)
public enum FirestorePrecondition: Hashable, Sendable, Codable {
  /// The document is there, or is not.
  case exists(Bool)
  /// The document is there and was last changed then.
  case updateTime(FirestoreTimestamp)

  private enum CodingKeys: String, CodingKey { case exists, updateTime }

  /// Reads the JSON of the REST API.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    if let exists = try container.decodeIfPresent(Bool.self, forKey: .exists) {
      self = .exists(exists)
    } else {
      self = .updateTime(try container.decode(FirestoreTimestamp.self, forKey: .updateTime))
    }
  }

  /// Writes the JSON of the REST API.
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
  /// As ``FirestoreFieldPath/description`` writes them.
  public var fieldPaths: [String]

  /// Makes a mask.
  public init(_ paths: [FirestoreFieldPath]) { fieldPaths = paths.map(\.description) }

  /// Reads the JSON of the REST API, where an empty list may be left out.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    fieldPaths = try container.decodeIfPresent([String].self, forKey: .fieldPaths) ?? []
  }
}

/// A change that the server computes. (REST API v1, `FieldTransform`.)
public struct FirestoreTransform: Hashable, Sendable, Codable {
  /// What becomes of the field.
  public enum Operation: Hashable, Sendable {
    /// The time of the commit.
    case requestTime
    /// The sum. A field that is no number counts as none.
    case increment(FirestoreValue)
    /// The greater one.
    case maximum(FirestoreValue)
    /// The smaller one.
    case minimum(FirestoreValue)
    /// The elements that are not there yet are appended.
    case appendMissing([FirestoreValue])
    /// All elements equal to one of these go.
    case removeAll([FirestoreValue])
  }

  /// As ``FirestoreFieldPath/description`` writes it.
  public var fieldPath: String
  /// What becomes of the field.
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

  /// Reads the JSON of the REST API.
  /// - Throws: `DecodingError` for an operation that there is not.
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

  /// Writes the JSON of the REST API.
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

/// A change of one document. (REST API v1, `Write`.)
public struct FirestoreWrite: Hashable, Sendable, Codable {
  /// The document to write; nil in a deletion.
  public var update: FirestoreDocument?
  /// The name of the document to delete; nil in an update.
  public var delete: String?
  /// Which fields to write; nil replaces the document. A field in the mask and not in the document is removed.
  public var updateMask: FirestoreMask?
  /// What the server computes after the update.
  public var updateTransforms: [FirestoreTransform]?
  /// What has to hold; nil for nothing.
  public var currentDocument: FirestorePrecondition?

  /// Writes a document.
  public static func update(
    _ document: FirestoreDocument, mask: FirestoreMask? = nil, transforms: [FirestoreTransform] = [],
    if precondition: FirestorePrecondition? = nil
  ) -> FirestoreWrite {
    FirestoreWrite(
      update: document, delete: nil, updateMask: mask, updateTransforms: transforms.isEmpty ? nil : transforms,
      currentDocument: precondition)
  }

  /// Deletes a document.
  public static func delete(_ name: String, if precondition: FirestorePrecondition? = nil) -> FirestoreWrite {
    FirestoreWrite(update: nil, delete: name, updateMask: nil, updateTransforms: nil, currentDocument: precondition)
  }
}

/// What a commit did.
public struct FirestoreCommit: Hashable, Sendable, Codable {
  /// What one write did.
  public struct Result: Hashable, Sendable, Codable {
    /// When the document was last changed; nil after a deletion.
    public var updateTime: FirestoreTimestamp?
    /// What the transforms gave, in their order.
    public var transformResults: [FirestoreValue]?

    /// Makes a result.
    public init(updateTime: FirestoreTimestamp?, transformResults: [FirestoreValue]? = nil) {
      self.updateTime = updateTime
      self.transformResults = transformResults
    }
  }

  /// In the order of the writes.
  public var writeResults: [Result]
  /// When all of it happened.
  public var commitTime: FirestoreTimestamp

  /// Makes a commit.
  public init(writeResults: [Result], commitTime: FirestoreTimestamp) {
    self.writeResults = writeResults
    self.commitTime = commitTime
  }

  /// Reads the JSON of the REST API, which leaves out empty lists.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    writeResults = try container.decodeIfPresent([Result].self, forKey: .writeResults) ?? []
    commitTime = try container.decode(FirestoreTimestamp.self, forKey: .commitTime)
  }
}
