import CBenchRows
import CRaw
import Foundation
import SwiftData

/// The measurement of a number of objects.
struct ObjectResult: Codable {
  let kind: ObjectKind
  let count: Int
  /// Milliseconds by step.
  var steps: [String: Double] = [:]
  /// Milliseconds of the same deletions by SQLite from C.
  var raw: [String: Double] = [:]
  /// The size of the file with all objects.
  var bytes = 0
  /// The peak memory of the process in KiB after all objects were saved.
  var peakMemory: Int64 = 0
}

enum ObjectKind: String, Codable, CaseIterable {
  case simple
  /// Simple objects in saves of 10,000, released after each.
  case chunks
  /// One school per 100 students, three grades each. The count is the number of students.
  case graph
}

/// Creates, saves, reads, changes and deletes objects in a process of its own.
struct ObjectRun {
  static let steps = ["instantiate", "save", "read", "update", "delete", "delete each"]

  let kind: ObjectKind
  let count: Int
  let directory: String

  func run() throws -> ObjectResult {
    var result = ObjectResult(kind: kind, count: count)
    let url = URL(fileURLWithPath: "\(directory)/objects.store")
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) }
    let container = try ModelContainer(
      for: Person.self, Student.self, School.self, Grade.self, configurations: ModelConfiguration(url: url))
    switch kind {
    case .simple: try create(in: container, chunk: count, &result)
    case .chunks: try create(in: container, chunk: 10_000, &result)
    case .graph: try createGraph(in: container, &result)
    }
    result.peakMemory = bench_peak_rss_kib()
    result.bytes = ["", "-wal"].reduce(0) { sum, suffix in
      let size = try? URL(fileURLWithPath: url.path + suffix).resourceValues(forKeys: [.fileSizeKey]).fileSize
      return sum + (size ?? 0)
    }
    if kind == .graph {
      try work(with: Student.self, ModelContext(container), &result)
      try deleteSchoolsInC(&result)
    }
    if kind == .simple {
      try workWithPeople(ModelContext(container), &result)
      try deleteEach(in: container, &result)
      deletePeopleInC(&result)
    }
    return result
  }

  private func measure<T>(_ step: String, _ result: inout ObjectResult, _ body: () throws -> T) rethrows -> T {
    let (value, time) = try Self.time(body)
    result.steps[step, default: 0] += time
    return value
  }

  /// The result of the body, and its milliseconds.
  private static func time<T>(_ body: () throws -> T) rethrows -> (T, Double) {
    let start = bench_now_ns()
    let value = try body()
    return (value, Double(bench_now_ns() - start) / 1e6)
  }

  // MARK: - Deletions one by one, and from C

  private func deleteEach(in container: ModelContainer, _ result: inout ObjectResult) throws {
    let filling = ModelContext(container)
    for number in 0..<count { filling.insert(Person(number)) }
    try filling.save()
    let context = ModelContext(container)
    let people = try context.fetch(FetchDescriptor<Person>())
    try measure("delete each", &result) {
      for person in people { context.delete(person) }
      try context.save()
    }
    guard try context.fetchCount(FetchDescriptor<Person>()) == 0 else { throw Failure("there are people left") }
  }

  private func deletePeopleInC(_ result: inout ObjectResult) {
    let raw = craw_objects_people(rawFile(), Int64(count))
    result.raw["delete each"] = Self.time { craw_objects_delete_people(raw, Int64(count)) }.1
    craw_objects_close(raw)
  }

  private func deleteSchoolsInC(_ result: inout ObjectResult) throws {
    let raw = craw_objects_schools(rawFile(), Int64(count))
    let (left, time) = Self.time { craw_objects_delete_schools(raw) }
    result.raw["delete"] = time
    craw_objects_close(raw)
    guard left == 0 else { throw Failure("the foreign keys left grades") }
  }

  /// The path of a new file.
  private func rawFile() -> String {
    let path = "\(directory)/objects-raw.db"
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    return path
  }

  // MARK: - Steps

  private func create(in container: ModelContainer, chunk: Int, _ result: inout ObjectResult) throws {
    for first in stride(from: 0, to: count, by: chunk) {
      let people = measure("instantiate", &result) { (first..<min(count, first + chunk)).map { Person($0) } }
      let context = ModelContext(container)
      try measure("save", &result) {
        for person in people { context.insert(person) }
        try context.save()
      }
    }
  }

  private func createGraph(in container: ModelContainer, _ result: inout ObjectResult) throws {
    let schools = measure("instantiate", &result) {
      let schools = (0..<max(1, count / 100)).map { School($0) }
      for number in 0..<count { _ = Student(number, school: schools[number % schools.count]) }
      return schools
    }
    let context = ModelContext(container)
    try measure("save", &result) {
      for school in schools { context.insert(school) }
      try context.save()
    }
  }

  private func workWithPeople(_ context: ModelContext, _ result: inout ObjectResult) throws {
    let people = try measure("read", &result) {
      try context.fetch(
        FetchDescriptor<Person>(
          predicate: #Predicate { $0.firstName == "Jane" && $0.age > 20 }, sortBy: [SortDescriptor(\.age)]))
    }
    try measure("update", &result) {
      for person in people { person.age += 1 }
      try context.save()
    }
    try measure("delete", &result) {
      try context.delete(model: Person.self)
      try context.save()
    }
  }

  private func work(with _: Student.Type, _ context: ModelContext, _ result: inout ObjectResult) throws {
    let students = try measure("read", &result) {
      try context.fetch(
        FetchDescriptor<Student>(
          predicate: #Predicate { student in student.grades.contains { $0.subject == .science && $0.mark > 3 } },
          sortBy: [SortDescriptor(\.age)]))
    }
    try measure("update", &result) {
      for student in students { student.age += 1 }
      try context.save()
    }
    try measure("delete", &result) {
      try context.delete(model: School.self)
      try context.save()
      guard try context.fetchCount(FetchDescriptor<Grade>()) == 0 else { throw Failure("the cascade left grades") }
    }
  }
}
