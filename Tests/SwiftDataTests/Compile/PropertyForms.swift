import Foundation
import SwiftData

// Properties as real code writes them. That this file compiles is most of the test.

private func today() -> Date { Date(timeIntervalSinceReferenceDate: 0) }

enum FormState: String, Codable, CaseIterable { case idle, busy }

struct FormAddress: Codable, Equatable {
  var street = ""
  var city = ""
}

@Model
final class PropertyForms {
  // A constant is persisted in place.
  @Attribute(.unique) let id: UUID
  let code: String
  let state: FormState
  let address: FormAddress?

  let width: Int, height: Int
  let nickname, motto: String

  // Access.
  private(set) var readable: Int = 1
  fileprivate var shared: String?
  private var secret = "s"
  internal var plain: Bool = false

  // Only an initial value.
  var count = 0
  var negative = -1
  var ratio = 0.5
  var flag = true
  var text = "text"
  var list = [1, 2, 3]
  var names = ["a"]
  var table = ["a": 1]
  var empty = [String]()
  var emptyTable = [String: Int]()
  var emptySet = Set<String>()
  var created = Date()
  var now = Date.now
  var later = Date(timeIntervalSinceNow: 60)
  var uuid = UUID()
  var uuidText = UUID().uuidString
  var data = Data()
  var link = URL(string: "https://example.com")
  var parsed = Int("3")
  var made = today()
  var current = FormState.idle
  var home = FormAddress()
  var other = FormAddress(street: "s")
  var sum = 60 * 60 * 24
  var joined = "a" + "b"
  var cast = 3 as Int64
  var mixed = [1, 2.5]
  var closure: Int = { 3 }()
  var closureToo = { "x" }()
  var several: [FormState] = FormState.allCases
  var implicit: FormState = .busy

  // Attributes on their own lines, with comments around them.
  /// A documented property.
  @Attribute(.externalStorage)
  // the image
  var image: Data?
  @Attribute(
    .spotlight,
    originalName: "old"
  )
  var title: String = ""
  @Attribute var marked: Int = 0
  @SwiftData.Attribute(.preserveValueOnDeletion) var qualified: String = ""

  // Spellings of types.
  var optional: Optional<String>
  var unwrapped: String!
  var longArray: Array<Int> = []
  var longSet: Set<Int> = []
  var longTable: Dictionary<String, Int> = [:]
  var foundation: Foundation.Date = Foundation.Date()
  var swift: Swift.String = ""
  var nested: [[String]]? = nil
  var tupleFree: (Int) = 3
  var character: Character = "c"
  var optionalState: FormState?
  var states: [FormState]? = []
  var addresses: [String: FormAddress] = [:]

  // Names that need backticks.
  var `default`: Int = 0
  var `class`: String = ""
  var `self`: Int?
  // Names that the generated code uses for its own.
  var index = 0
  var row = ""
  var value: Int?
  var writer = ""
  var operation = ""
  var phase = ""
  var change = FormState.idle
  var newValue = 0
  var initialValue = FormState.idle
  var oldValue = 0
  var SwiftData_ = 0
  var Swift_ = 0

  // Left alone.
  static let shared = "shared"
  static var counter: Int { 0 }
  class var kind: String { "forms" }
  lazy var slow: String = plain ? "a" : "b"
  var computed: String { text + code }
  var computedToo: Int {
    get { count }
    set { count = newValue }
  }
  @Transient var cache: [String: () -> Void] = [:]
  @Transient var cached: AnyObject?
  @Transient
  var described: String { "computed \(count)" }
  @Transient private var a = 1, b = "two"
  @Attribute(.transient) var temporary: Int
  @Attribute(.transient) var temporaryToo: [String] = ["x"]

  init(id: UUID = UUID(), code: String) {
    self.id = id
    self.code = code
    self.state = .idle
    self.address = nil
    self.temporary = 7
    self.optional = nil
    self.width = 2
    self.height = 3
    self.nickname = "n"
    self.motto = "m"
  }

  func touch() -> String {
    secret += "!"
    return "\(secret)\(a)\(b)\(readable)\(slow)"
  }
}

extension PropertyForms {
  convenience init(marked: Int) {
    self.init(code: "marked")
    self.marked = marked
  }

  var lastCharacter: Character? { text.last }
}

// Observers.

@Model
final class ObservedForms {
  var name: String = "" {
    didSet { log.append("didSet \(oldValue) \(name)") }
  }
  var count = 0 {
    willSet { log.append("willSet \(newValue) \(count)") }
    didSet {
      guard oldValue != count else { return }
      log.append("didSet \(oldValue) \(count)")
    }
  }
  var state: FormState = .idle {
    willSet(next) { log.append("will \(next) \(state)") }
    didSet(previous) { log.append("did \(previous) \(state)") }
  }
  /// The observer assigns to its own property, which calls it once only.
  var clamped: Int = 0 {
    didSet { clamped = min(clamped, 10) }
  }
  var touched: Date? {
    didSet { touches += 1 }
  }
  @Transient var touches = 0 {
    didSet { log.append("touches") }
  }
  @Transient var log: [String] = []

  init() {}
}

// Names that the engine, Swift's own protocols or SQL use.

@Model
final class NameForms {
  var description: String = ""
  var debugDescription: String = ""
  var isDeleted: Bool = false
  var hasChanges: Int = 0
  var hash: String = ""
  var schemaMetadata: String = ""
  var state: String = ""
  var entity: FormState = FormState.idle
  var offset: Int = 0
  var key: Int?
  var store: String?
  var keyPath: String?
  var type: String = ""
  var order: Int = 0
  var group: String = ""
  var select: Bool = false
  var table: [Int] = []
  var from: Date?
  var rowid: Int = 0
  var oid: Int = 0
  var `where`: String = ""
  var größe: Double = 0
  var 🐢: Int = 0
  @Relationship(inverse: \NameForms.values) var error: NameForms?
  var values: [NameForms] = []
  init() {}
}

// A type that is no attribute by itself, stored through a transformer; a raw value stored as JSON all the same.

struct PropertyTint: Equatable {
  var hex: Int
}

final class TintTransformer: ValueTransformer {
  override class func allowsReverseTransformation() -> Bool { true }
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? PropertyTint).map { Data("\($0.hex)".utf8) }
  }
  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).flatMap { Int(String(decoding: $0, as: UTF8.self)) }.map(PropertyTint.init(hex:))
  }
}

@Model
final class CodingForms {
  @Attribute(.transformable(by: TintTransformer.self)) var tint: PropertyTint?
  @Attribute(.transformable(by: TintTransformer.self)) var required: PropertyTint = PropertyTint(hex: 1)
  @Attribute(.codable) var state: FormState = FormState.idle
  @Attribute(.codable) var number: Int = 3
  @Attribute(.codable) var date: Date?
  @Attribute(.ephemeral) var draft: String = "none"
  @Attribute(.preserveValueOnDeletion) var kept: String = ""
  init() {}
}

// A deprecated property warns where it is used, not where it is persisted.

@Model
final class DeprecatedForms {
  @available(*, deprecated, message: "use name") var title: String = "t"
  var name: String = ""
  init() {}
}
