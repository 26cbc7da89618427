import Foundation
import SwiftData
import Testing

@Model private final class Thermometer {
  var number: Int
  var value: Double
  init(number: Int, value: Double) { (self.number, self.value) = (number, value) }
}

@Suite struct SectionTitleTests {
  @Test("Models whose title is NaN are one section")
  func notANumber() throws {
    let context = try memoryContext(Thermometer.self)
    for (number, value) in [(1, 2.5), (2, .nan), (3, 0.5), (4, .nan)] {
      context.insert(Thermometer(number: number, value: value))
    }
    try context.save()
    let observer = try ResultsObserver(
      FetchDescriptor<Thermometer>(sortBy: [SortDescriptor(\.number)]), Sectioning<Thermometer, Double>(\.value),
      context, nil)
    let sections = try #require(observer.sections)
    #expect(sections.count == 3)
    #expect(sections.first { $0.title.isNaN }?.map(\.number) == [2, 4])
    for model in observer.results { #expect(observer.indexPath(for: model).flatMap(observer.element) === model) }
  }
}
