import Testing

@testable import SwiftData

@Suite struct OrderedDictionaryTests {
  @Test("A random series of changes leaves what a list of pairs has, in its order")
  func random() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<40 {
      var dictionary: OrderedDictionary<Int, [Int]> = [:]
      var list = [(key: Int, value: [Int])]()
      for step in 0..<400 {
        let key = Int.random(in: 0..<40, using: &random)
        let index = list.firstIndex { $0.key == key }
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
          dictionary[key] = [step]
          if let index { list[index].value = [step] } else { list.append((key, [step])) }
        case 1:
          dictionary[key, default: []].append(step)
          if let index { list[index].value.append(step) } else { list.append((key, [step])) }
        case 2:
          dictionary[key]?.append(step)
          if let index { list[index].value.append(step) }
        case 3:
          dictionary[key] = nil
          if let index { list.remove(at: index) }
        default:
          guard step % 20 == 0 else { continue }
          dictionary.removeAll { $0.key % 3 == 0 }
          list.removeAll { $0.key % 3 == 0 }
        }
        #expect(dictionary[key] == list.first { $0.key == key }?.value)
        #expect(dictionary.count == list.count && dictionary.isEmpty == list.isEmpty)
      }
      #expect(Array(dictionary.keys) == list.map(\.key))
      #expect(Array(dictionary.values) == list.map(\.value))
      #expect(dictionary.map(\.value) == list.map(\.value))
    }
  }

  @Test("Groups come in the order of their first members")
  func groups() {
    let groups = OrderedDictionary(grouping: [3, 10, 4, 13, 20], by: { $0 % 10 })
    #expect(Array(groups.keys) == [3, 0, 4])
    #expect(Array(groups.values) == [[3, 13], [10, 20], [4]])
  }

  @Test("What is put into a queue comes out in order, also when both go on for long")
  func queue() {
    var queue = Queue<Int>()
    var next = 0
    for round in 0..<100 {
      for number in 0..<(round % 7) { queue.append(round * 10 + number) }
      if round % 2 == 0, let first = queue.popFirst() {
        #expect(first >= next)
        next = first
      }
    }
    while let first = queue.popFirst() {
      #expect(first >= next)
      next = first
    }
    #expect(queue.isEmpty && next == 99 * 10)
  }
}
