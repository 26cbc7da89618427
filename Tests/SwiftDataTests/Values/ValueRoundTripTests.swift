import Foundation
import SwiftData
import Testing

/// Values that went to a file and came back in another container.
@Suite struct ValueRoundTripTests {
  /// Saves what `fill` sets, opens the file anew and hands the stored object to `check`.
  private func roundTrip<M: PersistentModel>(
    _ make: @autoclosure () -> M, fill: (M) -> Void, check: (M, TemporaryStore) throws -> Void
  ) throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try store.container(M.self))
      let model = make()
      fill(model)
      context.insert(model)
      try context.save()
    }
    let context = ModelContext(try store.container(M.self))
    let found = try context.fetch(FetchDescriptor<M>())
    try check(try #require(found.first), store)
    #expect(found.count == 1)
    #expect(!context.hasChanges)
  }

  @Test("Integers keep their extremes, smallest and largest")
  func integers() throws {
    try roundTrip(Values.Numbers()) { model in
      (model.int, model.int8, model.int16, model.int32, model.int64) = (.min, .min, .min, .min, .min)
      (model.uint, model.uint8, model.uint16, model.uint32, model.uint64) = (.max, .max, .max, .max, .max)
      (model.optionalInt, model.optionalInt8, model.optionalInt16) = (.max, .max, .max)
      (model.optionalInt32, model.optionalInt64) = (.max, .max)
      (model.optionalUInt, model.optionalUInt8, model.optionalUInt16) = (0, 0, 0)
      (model.optionalUInt32, model.optionalUInt64) = (0, UInt64(Int64.max) + 1)
      model.bool = true
      model.optionalBool = false
    } check: { model, store throws in
      #expect(model.int == .min && model.int8 == .min && model.int16 == .min)
      #expect(model.int32 == .min && model.int64 == .min)
      #expect(model.uint == .max && model.uint8 == .max && model.uint16 == .max)
      #expect(model.uint32 == .max && model.uint64 == .max)
      #expect(model.optionalInt == .max && model.optionalInt8 == .max && model.optionalInt16 == .max)
      #expect(model.optionalInt32 == .max && model.optionalInt64 == .max)
      #expect(model.optionalUInt == 0 && model.optionalUInt8 == 0 && model.optionalUInt16 == 0)
      #expect(model.optionalUInt32 == 0 && model.optionalUInt64 == UInt64(Int64.max) + 1)
      #expect(model.bool && model.optionalBool == false)
      #expect(
        try store.shell("SELECT int, typeof(int), bool, uint8 FROM Numbers") == "-9223372036854775808|integer|1|255")
    }
  }

  @Test("What is optional and nil is null in the store and nil again")
  func nilValues() throws {
    try roundTrip(Values.Numbers()) { _ in
    } check: { model, store throws in
      #expect(model.optionalBool == nil && model.optionalInt == nil && model.optionalInt8 == nil)
      #expect(model.optionalInt16 == nil && model.optionalInt32 == nil && model.optionalInt64 == nil)
      #expect(model.optionalUInt == nil && model.optionalUInt8 == nil && model.optionalUInt16 == nil)
      #expect(model.optionalUInt32 == nil && model.optionalUInt64 == nil && model.optionalFloat == nil)
      #expect(model.optionalDouble == nil && model.optionalDecimal == nil)
      #expect(try store.shell("SELECT typeof(optionalInt), typeof(optionalDouble) FROM Numbers") == "null|null")
    }
    try roundTrip(Values.Others()) { _ in
    } check: { model, store throws in
      #expect(model.optionalDate == nil && model.optionalUUID == nil && model.optionalData == nil)
      #expect(model.optionalPlain == nil && model.optionalShape == nil && model.optionalFlags == nil)
      #expect(model.address == nil && model.data == Data())
      #expect(try store.shell("SELECT typeof(optionalData), typeof(data), length(data) FROM Others") == "null|blob|0")
    }
    try roundTrip(Values.Texts()) { _ in
    } check: { model, _ in
      #expect(model.optionalString == nil && model.optionalCharacter == nil && model.optionalURL == nil)
      #expect(model.optionalColor == nil && model.optionalLevel == nil)
    }
  }

  @Test(
    "A Double comes back as it was, bit by bit",
    arguments: [
      .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
      .leastNormalMagnitude, 0.1, 1 / 3, .pi, -1e-300, 9_007_199_254_740_992, 1e15, -5, 0,
    ] as [Double])
  func doubles(_ value: Double) throws {
    try roundTrip(Values.Numbers()) { model in
      (model.double, model.optionalDouble, model.float) = (value, value, Float(value))
      model.optionalFloat = Float(value)
    } check: { model, _ in
      #expect(model.double.bitPattern == value.bitPattern)
      #expect(model.optionalDouble?.bitPattern == value.bitPattern)
      // -1e-300 is negative zero as a Float, which comes back as zero (see below).
      #expect(model.float.bitPattern == Float(value).bitPattern || (model.float == 0 && Float(value) == 0))
      #expect(model.optionalFloat == Float(value))
    }
  }

  @Test("NaN is kept apart from nil, and negative zero equals zero")
  func specialDoubles() throws {
    try roundTrip(Values.Numbers()) { model in
      (model.double, model.float, model.optionalDouble, model.optionalFloat) = (.nan, .nan, .nan, -0.0)
    } check: { model, store throws in
      #expect(model.double.isNaN && model.float.isNaN && model.optionalDouble?.isNaN == true)
      // SQLite keeps whole numbers of REAL columns as integers, which have no negative zero.
      #expect(model.optionalFloat == 0)
      #expect(try store.shell("SELECT double FROM Numbers") == "nan")
    }
  }

  @Test(
    "A Decimal keeps all of its digits",
    arguments: [
      "0", "-0.1", "0.10", "12345678901234567890123456789012345678", "-99999999999999999999999999999999999999",
      "0.00000000000000000000000000000000000001", "3.1415926535897932384626433832795028841", "1e100", "1e-100",
      "123456789012345678901234567890.12345678",
    ])
  func decimals(_ text: String) throws {
    let value = try #require(Decimal(string: text))
    try roundTrip(Values.Numbers()) { model in
      (model.decimal, model.optionalDecimal) = (value, value)
    } check: { model, _ in
      #expect(model.decimal == value)
      #expect(model.optionalDecimal == value)
    }
  }

  @Test("A Decimal that is not a number is not a number again")
  func decimalNaN() throws {
    try roundTrip(Values.Numbers()) { model in
      (model.decimal, model.optionalDecimal) = (.nan, .nan)
      model.decimal = Decimal.greatestFiniteMagnitude
    } check: { model, _ in
      #expect(model.optionalDecimal?.isNaN == true)
      #expect(model.decimal == Decimal.greatestFiniteMagnitude)
    }
  }

  @Test(
    "A String comes back scalar by scalar",
    arguments: [
      "", " ", "\0", "a\0b\0", "é", "e\u{301}", "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{FEFF}x", "\r\n",
      "'\"; DROP TABLE Texts; --", "\u{10FFFF}", "\u{FFFD}", "[]", "null", "שלום",
      String(repeating: "x", count: 70_000),
    ])
  func strings(_ value: String) throws {
    try roundTrip(Values.Texts()) { model in
      (model.string, model.optionalString) = (value, value)
    } check: { model, _ in
      #expect(Array(model.string.unicodeScalars) == Array(value.unicodeScalars))
      #expect(model.optionalString.map { Array($0.unicodeScalars) } == Array(value.unicodeScalars))
    }
  }

  @Test(
    "A Character may be made of several scalars",
    arguments: ["a", "\0", "e\u{301}\u{323}", "👨‍👩‍👧", "\r\n", "🇮🇸"] as [Character])
  func characters(_ value: Character) throws {
    try roundTrip(Values.Texts()) { model in
      (model.character, model.optionalCharacter) = (value, value)
    } check: { model, _ in
      #expect(Array(model.character.unicodeScalars) == Array(value.unicodeScalars))
      #expect(model.optionalCharacter == value)
    }
  }

  @Test(
    "A URL keeps its text and its base",
    arguments: [
      URL(string: "https://example.com/a%20b?q=1#f")!, URL(string: "mailto:a@b.c")!, URL(string: "relative/path")!,
      URL(string: "child?x=1", relativeTo: URL(string: "https://example.com/parent/"))!,
      URL(fileURLWithPath: "/tmp/ä ö"), URL(fileURLWithPath: "/tmp/", isDirectory: true),
      URL(string: "data:text/plain;base64,QQ==")!, URL(string: "https://münchen.example/straße")!,
    ])
  func urls(_ value: URL) throws {
    try roundTrip(Values.Texts()) { model in
      (model.url, model.optionalURL) = (value, value)
    } check: { model, _ in
      #expect(model.url == value)
      #expect(model.url.absoluteString == value.absoluteString)
      #expect(model.optionalURL?.baseURL == value.baseURL)
    }
  }

  @Test("Dates before the epoch and far away keep every bit")
  func dates() throws {
    let dates = [
      Date.distantPast, .distantFuture, Date(timeIntervalSince1970: 0), Date(timeIntervalSinceReferenceDate: 0.1),
      Date(timeIntervalSinceReferenceDate: 781_234_567.123_456_7), Date(timeIntervalSinceReferenceDate: .infinity),
      Date(timeIntervalSinceReferenceDate: -.greatestFiniteMagnitude),
    ]
    for date in dates {
      try roundTrip(Values.Others()) { model in
        (model.date, model.optionalDate) = (date, date)
      } check: { model, _ in
        #expect(model.date == date)
        #expect(model.optionalDate == date)
      }
    }
  }

  @Test("Enums are stored by their raw value, option sets too")
  func rawValues() throws {
    try roundTrip(Values.Texts()) { model in
      (model.color, model.level, model.optionalColor, model.optionalLevel) = (.green, .high, .empty, .low)
    } check: { model, store throws in
      #expect(model.color == .green && model.level == .high)
      #expect(model.optionalColor == .empty && model.optionalLevel == .low)
      let sql = "SELECT color, level, optionalColor = '', optionalLevel FROM Texts"
      #expect(try store.shell(sql) == "grün|9000000000000|1|-1")
    }
    try roundTrip(Values.Others()) { model in
      (model.flags, model.optionalFlags) = ([.one, .two], [])
    } check: { model, store throws in
      #expect(model.flags == [.one, .two] && model.optionalFlags == [])
      #expect(try store.shell("SELECT flags, optionalFlags FROM Others") == "3|0")
    }
  }

  @Test("Identifiers and data are stored as bytes; empty data is not nil")
  func bytes() throws {
    let uuid = UUID()
    let data = Data((0...255).map { UInt8($0) })
    try roundTrip(Values.Others()) { model in
      (model.uuid, model.optionalUUID, model.data, model.optionalData) = (uuid, uuid, data, Data())
    } check: { model, store throws in
      #expect(model.uuid == uuid && model.optionalUUID == uuid)
      #expect(model.data == data && model.optionalData == Data())
      let hex = uuid.uuidString.replacingOccurrences(of: "-", with: "")
      #expect(try store.shell("SELECT hex(uuid), length(data), typeof(optionalData) FROM Others") == "\(hex)|256|blob")
    }
  }

  @Test("Enums with payloads and nested structs are stored as JSON")
  func codables() throws {
    let address = Values.Address(
      street: .init(name: "O'Connell \"St\" \\ é", number: nil), lines: ["", "\0"],
      shape: .group([.point, .circle(radius: .infinity), .label("\u{2028}", size: .min)]), since: .distantPast,
      weight: .nan)
    try roundTrip(Values.Others()) { model in
      (model.plain, model.optionalPlain) = (.south, .north)
      (model.shape, model.optionalShape) = (.circle(radius: 0.1), .group([]))
      model.address = address
    } check: { model, store throws in
      #expect(model.plain == .south && model.optionalPlain == .north)
      #expect(model.shape == .circle(radius: 0.1) && model.optionalShape == .group([]))
      let found = try #require(model.address)
      #expect(found.street == address.street && found.lines == address.lines && found.shape == address.shape)
      #expect(found.since == .distantPast && found.weight.isNaN)
      #expect(try store.shell("SELECT json_extract(shape, '$.circle.radius') FROM Others") == "0.1")
    }
  }

  @Test("Collections come back with their holes, extremes and order")
  func collections() throws {
    let id = UUID()
    let address = Values.Address(
      street: .init(name: "a", number: 1), lines: [], shape: .point, since: nil, weight: -1.5)
    let base = URL(string: "https://example.com/a/")!
    try roundTrip(Values.Collections()) { model in
      model.ints = [.min, 0, .max]
      model.doubles = [0.1, .infinity, -.infinity, .nan, -0.0, Double.leastNonzeroMagnitude]
      model.uints = [.max]
      model.strings = ["", "\0", "e\u{301}"]
      model.holes = [nil, 1, nil]
      model.optionalStrings = []
      model.dates = [.distantFuture, Date(timeIntervalSinceReferenceDate: 0.1)]
      model.uuids = [id]
      model.datas = [Data(), Data([0, 255])]
      model.urls = [base]
      model.decimals = [Decimal(string: "12345678901234567890123456789012345678")!, Decimal(string: "0.1")!]
      model.colors = [.empty, .red]
      model.shapes = [.point, .label("", size: 0)]
      model.addresses = [address]
      model.nested = [[], [1], []]
      model.set = ["a", "", "é"]
      model.colorSet = [.red, .green]
      model.byName = ["": 1, "a.b": -2]
      model.byNumber = [-1: "minus", .max: "max"]
      model.byColor = [.green: .circle(radius: 1)]
      model.byUUID = [id: ["x"]]
    } check: { model, _ in
      #expect(model.ints == [.min, 0, .max])
      #expect(model.doubles.count == 6 && model.doubles[3].isNaN && model.doubles[1...2] == [.infinity, -.infinity])
      #expect(
        model.doubles[0] == 0.1 && model.doubles[4].sign == .minus && model.doubles[5] == Double.leastNonzeroMagnitude)
      #expect(model.uints == [.max])
      #expect(
        model.strings.map { Array($0.unicodeScalars) } == ["", "\0", "e\u{301}"].map { Array($0.unicodeScalars) })
      #expect(model.holes == [nil, 1, nil])
      #expect(model.optionalStrings == [])
      #expect(model.dates == [.distantFuture, Date(timeIntervalSinceReferenceDate: 0.1)])
      #expect(model.uuids == [id] && model.datas == [Data(), Data([0, 255])] && model.urls == [base])
      #expect(model.decimals == [Decimal(string: "12345678901234567890123456789012345678")!, Decimal(string: "0.1")!])
      #expect(model.colors == [.empty, .red] && model.shapes == [.point, .label("", size: 0)])
      #expect(model.addresses == [address] && model.nested == [[], [1], []])
      #expect(model.set == ["a", "", "é"] && model.colorSet == [.red, .green])
      #expect(model.byName == ["": 1, "a.b": -2] && model.byNumber == [-1: "minus", .max: "max"])
      #expect(model.byColor == [.green: .circle(radius: 1)] && model.byUUID == [id: ["x"]])
    }
  }

  @Test("Values set after the first save are stored too, and nil again after them")
  func updates() throws {
    let store = try TemporaryStore()
    let context = ModelContext(try store.container(Values.Others.self, Values.Collections.self))
    let others = Values.Others()
    let collections = Values.Collections()
    context.insert(others)
    context.insert(collections)
    try context.save()
    others.optionalShape = .point
    others.optionalData = Data()
    collections.ints.append(1)
    collections.byName["a", default: 0] += 2
    collections.optionalStrings = ["x"]
    try context.save()
    let reader = ModelContext(try store.container(Values.Others.self, Values.Collections.self))
    var found = try #require(try reader.fetch(FetchDescriptor<Values.Others>()).first)
    #expect(found.optionalShape == .point && found.optionalData == Data())
    let list = try #require(try reader.fetch(FetchDescriptor<Values.Collections>()).first)
    #expect(list.ints == [1] && list.byName == ["a": 2] && list.optionalStrings == ["x"])
    (others.optionalShape, others.optionalData, collections.optionalStrings) = (nil, nil, nil)
    try context.save()
    let again = ModelContext(try store.container(Values.Others.self, Values.Collections.self))
    found = try #require(try again.fetch(FetchDescriptor<Values.Others>()).first)
    #expect(found.optionalShape == nil && found.optionalData == nil)
    #expect(try again.fetch(FetchDescriptor<Values.Collections>()).first?.optionalStrings == nil)
  }
}
