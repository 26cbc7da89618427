import Foundation
import SwiftData

extension StoreGuarantee {
  /// Saves an object for each value and expects the same values back.
  private static func roundTrip<V: Equatable>(
    _ keyPath: ReferenceWritableKeyPath<Everything, V>, _ values: [V], _ store: StoreFixture,
    isSame: (V, V) -> Bool = { $0 == $1 }
  ) throws {
    let writer = store.context
    var identifiers = [PersistentIdentifier]()
    for value in values {
      let object = Everything()
      object[keyPath: keyPath] = value
      writer.insert(object)
      try writer.save()
      identifiers.append(object.persistentModelID)
    }
    let reader = store.context
    for (value, identifier) in zip(values, identifiers) {
      guard let object = reader.model(for: identifier) as? Everything else {
        throw GuaranteeFailure("\(identifier) is not there")
      }
      let found = object[keyPath: keyPath]
      try expect(
        isSame(found, value), "\(keyPath): \(String(reflecting: value)) came back as \(String(reflecting: found))")
    }
  }

  static let values: [StoreGuarantee] = [
    StoreGuarantee("values.bool", "Booleans come back as they were saved.") { store in
      try roundTrip(\.bool, [true, false], store)
    },
    StoreGuarantee("values.integers", "Integers of all widths come back, including the smallest and the greatest.") {
      store in
      try roundTrip(\.int, [.min, -1, 0, 1, .max], store)
      try roundTrip(\.int8, [.min, .max], store)
      try roundTrip(\.int16, [.min, .max], store)
      try roundTrip(\.int32, [.min, .max], store)
      try roundTrip(\.int64, [.min, .max, 1 << 53 + 1], store)
      try roundTrip(\.uint8, [.max], store)
      try roundTrip(\.uint16, [.max], store)
      try roundTrip(\.uint32, [.max], store)
      try roundTrip(\.uint64, [.max, 1 << 63], store)
    },
    StoreGuarantee(
      "values.floats",
      "Floating-point numbers come back bit for bit, including infinities and NaN; negative zero may become zero."
    ) { store in
      func isSame(_ left: Double, _ right: Double) -> Bool {
        left.isNaN ? right.isNaN : left == right
      }
      try roundTrip(
        \.double,
        [
          0.1, -0.0, .pi, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity,
          -.infinity, .nan, 1e300, 1.0 / 3,
        ], store, isSame: isSame)
      try roundTrip(\.float, [0.1, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.infinity], store)
    },
    StoreGuarantee("values.decimals", "Decimal numbers come back with all their digits.") { store in
      let texts = ["0", "0.1", "-12345678901234567890.123456789", "1e-100", "99999999999999999999999999999999999999"]
      try roundTrip(\.decimal, texts.compactMap { Decimal(string: $0) } + [.nan], store) { left, right in
        left.isNaN ? right.isNaN : left == right
      }
    },
    StoreGuarantee("values.strings", "Text comes back scalar by scalar, in any script and of any length.") { store in
      let texts = [
        "", "a", " \n\t ", "e\u{301}", "\u{e9}", "👩‍👩‍👧‍👦", "العربية", "漢字", "a\u{0}b", "\u{feff}x", "\"\\/'%_",
        String(repeating: "long ", count: 20_000),
      ]
      try roundTrip(\.string, texts, store) { $0.unicodeScalars.elementsEqual($1.unicodeScalars) }
    },
    StoreGuarantee("values.characters", "Characters come back, also characters of several scalars.") { store in
      try roundTrip(\.character, ["a", "ß", "🇩🇪", "\u{e9}"], store)
    },
    StoreGuarantee("values.dates", "Dates come back bit for bit, in any century.") { store in
      let dates = [
        Date(timeIntervalSinceReferenceDate: 0.1), .distantPast, .distantFuture,
        Date(timeIntervalSinceReferenceDate: 785_000_000.123_456_789), Date(timeIntervalSince1970: -1e9),
      ]
      try roundTrip(\.date, dates, store)
      try roundTrip(\.optionalDate, dates.map { $0 } + [nil], store)
    },
    StoreGuarantee("values.uuids", "UUIDs come back.") { store in
      let uuid = UUID(uuidString: "00000000-0000-0000-0000-000000000000")!
      try roundTrip(\.uuid, [UUID(), uuid], store)
    },
    StoreGuarantee("values.urls", "URLs come back; a relative URL keeps its base.") { store in
      let base = URL(string: "https://example.org/a/b")!
      let urls = [base, URL(string: "?q=%20x#f", relativeTo: base)!, URL(fileURLWithPath: "/tmp/ä b")]
      try roundTrip(\.url, urls, store) {
        $0.absoluteString == $1.absoluteString && $0.relativeString == $1.relativeString
      }
    },
    StoreGuarantee("values.data", "Data comes back: empty, all 256 byte values, a megabyte.") { store in
      let values = [Data(), Data(0...255), Data(repeating: 0xa5, count: 1 << 20)]
      try roundTrip(\.data, values, store)
      try roundTrip(\.optionalData, values.map { $0 } + [nil], store)
    },
    StoreGuarantee("values.enums", "Enums are stored by raw value and come back.") { store in
      try roundTrip(\.color, TestModels.Color.allCases, store)
      try roundTrip(\.level, [.low, .high, nil], store)
    },
    StoreGuarantee("values.structs", "Codable structs come back with their members.") { store in
      let address = TestModels.Address(city: "Łódź \"x\"", number: nil, tags: ["", "a"])
      try roundTrip(\.address, [address, .init(city: "", number: .min)], store)
      try roundTrip(\.optionalAddress, [address, nil], store)
    },
    StoreGuarantee("values.collections", "Arrays and dictionaries of values come back complete and in order.") {
      store in
      try roundTrip(\.numbers, [[], [3, 1, 2, 1], Array(0..<1_000)], store)
      try roundTrip(\.words, [[:], ["": 0, "é": 1, "a.b": .max]], store)
    },
    StoreGuarantee("values.nil", "Nil stays distinct from zero, from the empty string and from a default.") { store in
      try roundTrip(\.optionalInt, [nil, 0, .min], store)
      try roundTrip(\.optionalString, [nil, "", "nil"], store)
      try roundTrip(\.optionalDouble, [nil, 0], store)
      try roundTrip(\.optionalWithDefault, [nil, 7, 0], store)
    },
    StoreGuarantee("values.change", "A changed value replaces the saved one; other values stay.") { store in
      let context = try store.saved(Everything("one"))
      let object = try context.only(Everything.self)
      let uuid = object.uuid
      object.optionalInt = 5
      try context.save()
      object.optionalInt = nil
      object.string = "two"
      try context.save()
      let found = try store.context.only(Everything.self)
      try expectEqual(found.optionalInt, nil, "the changed optional")
      try expectEqual(found.string, "two", "the changed text")
      try expectEqual(found.uuid, uuid, "the untouched value")
      try expectEqual(found.name, "one", "the untouched name")
    },
  ]
}
