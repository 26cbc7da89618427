import Foundation
import SwiftData
import Testing

/// Predicates as a person writes them.
@Suite
struct PredicateTests {
  private let context: ModelContext
  private let items: [Specimen]

  init() throws {
    var objects = [any PersistentModel]()
    items = nastyTexts.enumerated().map { index, text in
      let item = Specimen(serial: index)
      item.title = text
      item.note = index % 3 == 0 ? nil : nastyTexts[(index * 7) % nastyTexts.count]
      item.number = index - 5
      item.maybe = index % 2 == 0 ? nil : index
      item.real = index % 5 == 0 ? .nan : Double(index) / 4
      item.flag = index % 2 == 0
      item.answer = [true, false, nil][index % 3]
      item.words = Array(nastyTexts.prefix(index % 5))
      item.level = Rank.allCases[index % 3]
      item.mood = [Tint.red, .green, nil][index % 3]
      return item
    }
    objects += items
    for number in 0..<4 {
      let drawer = Drawer(name: nastyTexts[number * 3], size: number == 1 ? nil : number, isLocked: number % 2 == 0)
      objects.append(drawer)
      let sticker = Sticker(text: nastyTexts[number + 5], weight: number == 2 ? nil : Double(number))
      if number < 2 { drawer.cabinet = Cabinet(row: number, sticker: sticker) }
      for item in items where item.serial % 5 == number { item.drawer = drawer }
      for item in items where item.serial % 4 <= number { item.stickers.append(sticker) }
    }
    context = try SwiftDataTests.context(saving: objects)
  }

  @Test("Text compares as Swift compares it")
  func texts() throws {
    for text in nastyTexts {
      try expectAgreement(#Predicate { $0.title == text }, in: context)
      try expectAgreement(#Predicate { $0.title != text }, in: context)
      try expectAgreement(#Predicate { $0.note == text }, in: context)
      try expectAgreement(#Predicate { $0.note != text }, in: context)
      try expectAgreement(#Predicate { $0.title < text }, in: context)
      try expectAgreement(#Predicate { $0.title >= text }, in: context)
      try expectAgreement(#Predicate { $0.title.contains(text) }, in: context)
      try expectAgreement(#Predicate { $0.title.starts(with: text) }, in: context)
      try expectAgreement(#Predicate { $0.note?.contains(text) == true }, in: context)
      try expectAgreement(#Predicate { $0.note?.contains(text) ?? true }, in: context)
      try expectAgreement(#Predicate { $0.words.contains(text) }, in: context)
    }
    try expectAgreement(#Predicate { $0.title.count > 1 }, in: context)
    try expectAgreement(#Predicate { $0.title.isEmpty }, in: context)
    try expectAgreement(#Predicate { $0.title < $0.note ?? "m" }, in: context)
  }

  @Test("Numbers compare as Swift compares them, NaN included")
  func numbers() throws {
    try expectAgreement(#Predicate { $0.real > 1 }, in: context)
    try expectAgreement(#Predicate { !($0.real > 1) }, in: context)
    try expectAgreement(#Predicate { $0.real == $0.real }, in: context)
    try expectAgreement(#Predicate { $0.number * 2 > 5 && $0.number % 3 == 1 }, in: context)
    try expectAgreement(#Predicate { ($0.maybe ?? 0) + 1 > 5 }, in: context)
    try expectAgreement(#Predicate { (1...5).contains($0.number) }, in: context)
    try expectAgreement(#Predicate { $0.maybe! > 3 }, in: context)
    try expectAgreement(#Predicate { !($0.maybe! > 3) }, in: context)
    try expectAgreement(#Predicate { $0.maybe == nil || $0.maybe! > 3 }, in: context)
  }

  @Test("A chain that ends at nil is nil, even if it would compare with NaN")
  func chainsBesideNaN() throws {
    try expectAgreement(
      #Predicate { specimen in (specimen.ratio.flatMap { specimen.real == $0 }) ?? true }, in: context)
    try expectAgreement(
      #Predicate { specimen in (specimen.ratio.flatMap { specimen.real > $0 }) ?? true }, in: context)
    try expectAgreement(
      #Predicate { specimen in (specimen.ratio.flatMap { $0 < specimen.real }) ?? true }, in: context)
    let none = Double.nan
    try expectAgreement(#Predicate { specimen in (specimen.ratio.flatMap { $0 < none }) ?? true }, in: context)
  }

  @Test("Relationships are followed")
  func relationships() throws {
    try expectAgreement(#Predicate { $0.drawer == nil }, in: context)
    try expectAgreement(#Predicate { $0.drawer?.isLocked == true }, in: context)
    try expectAgreement(#Predicate { $0.drawer?.isLocked != true }, in: context)
    try expectAgreement(#Predicate { $0.drawer?.cabinet?.row == 1 }, in: context)
    try expectAgreement(#Predicate { $0.drawer?.cabinet?.sticker.text != "e" }, in: context)
    try expectAgreement(#Predicate { $0.stickers.contains { $0.text == "K" } }, in: context)
    try expectAgreement(#Predicate { $0.stickers.allSatisfy { $0.weight != nil } }, in: context)
    try expectAgreement(#Predicate { $0.stickers.filter { $0.text > "a" }.count > 1 }, in: context)
    try expectAgreement(#Predicate { $0.stickers.isEmpty }, in: context)
    try expectAgreement(#Predicate { $0.drawer?.specimens.count ?? 0 > 3 }, in: context)
    try expectAgreement(
      #Predicate { item in item.stickers.contains { $0.specimens.contains { $0.number == item.number } } },
      in: context
    )
  }

  @Test("Identifiers compare by identity")
  func identifiers() throws {
    let id = items[3].persistentModelID
    try expectAgreement(#Predicate { $0.persistentModelID == id }, in: context)
    try expectAgreement(#Predicate { $0.persistentModelID != id }, in: context)
    let drawer = items[1].drawer!.persistentModelID
    try expectAgreement(#Predicate { $0.drawer?.persistentModelID == drawer }, in: context)
    try expectAgreement(#Predicate { $0.drawer?.persistentModelID != drawer }, in: context)
    let set = Set(items.prefix(7).map(\.persistentModelID))
    try expectAgreement(#Predicate { set.contains($0.persistentModelID) }, in: context)
    let fresh = Specimen(serial: 99).persistentModelID
    try expectAgreement(#Predicate { $0.persistentModelID == fresh }, in: context)
  }
}
