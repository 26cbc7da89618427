import Foundation
import SwiftData

// The models of published measurements: a small flat class, and a graph of three.

/// Three values, no relationships.
@Model
final class Person {
  var firstName: String
  var surname: String
  var age: Int

  init(_ number: Int) {
    firstName = ["Jane", "John", "Ida", "Omar"][number % 4]
    surname = "Surname \(number)"
    age = number % 100
  }
}

enum Subject: String, Codable, CaseIterable { case mathematics, science, history }

/// A student of a school, with a unique identifier and grades that cascade.
@Model
final class Student {
  @Attribute(.unique) let id: UUID
  var firstName: String
  var surname: String
  var age: Int
  var school: School?
  @Relationship(deleteRule: .cascade, inverse: \Grade.student) var grades: [Grade] = []

  init(_ number: Int, school: School) {
    id = UUID()
    firstName = ["Jane", "John", "Ida", "Omar"][number % 4]
    surname = "Surname \(number)"
    age = number % 100
    self.school = school
    grades = Subject.allCases.map { Grade($0, number % 6) }
  }
}

@Model
final class School {
  @Attribute(.unique) let id: UUID
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Student.school) var students: [Student] = []

  init(_ number: Int) {
    id = UUID()
    name = "School \(number)"
  }
}

@Model
final class Grade {
  @Attribute(.unique) let id: UUID
  var subject: Subject
  var mark: Int
  var student: Student?

  init(_ subject: Subject, _ mark: Int) {
    id = UUID()
    self.subject = subject
    self.mark = mark
  }
}
