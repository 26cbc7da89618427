import Foundation
import SwiftData

/// SwiftData model for FAQ library storage.
/// Stores frequently asked questions and their answers.
@Model
public final class FAQEntity {
  // MARK: - Core Properties

  /// Unique FAQ identifier
  @Attribute(.unique) public var id: String

  /// FAQ category (equipment, software, business, etc.)
  public var category: FAQCategory

  /// Question pattern (what the user might ask)
  public var questionPattern: String

  /// Pre-written answer
  public var answer: String

  /// Number of times this FAQ was used
  public var usageCount: Int

  /// Last time this FAQ was used
  public var lastUsedAt: Date?

  /// Is this FAQ enabled?
  public var isEnabled: Bool

  /// Creation timestamp
  public var createdAt: Date

  /// Last update timestamp
  public var updatedAt: Date

  // MARK: - Relationships

  /// Owner user (inverse relationship)
  @Relationship(deleteRule: .nullify, inverse: \UserEntity.faqs)
  public var user: UserEntity?

  // MARK: - Initialization

  /// Makes an answer. Other properties have their defaults.
  public init(
    id: String = UUID().uuidString,
    category: FAQCategory,
    questionPattern: String,
    answer: String,
    createdAt: Date = Date()
  ) {
    self.id = id
    self.category = category
    self.questionPattern = questionPattern
    self.answer = answer
    self.usageCount = 0
    self.isEnabled = true
    self.createdAt = createdAt
    self.updatedAt = createdAt
  }

  // MARK: - Helper Methods

  /// Increment usage count
  public func recordUsage() {
    self.usageCount += 1
    self.lastUsedAt = Date()
    self.updatedAt = Date()
  }

  /// Update FAQ content
  public func update(questionPattern: String? = nil, answer: String? = nil) {
    if let questionPattern = questionPattern {
      self.questionPattern = questionPattern
    }
    if let answer = answer {
      self.answer = answer
    }
    self.updatedAt = Date()
  }
}

// MARK: - Supporting Enums

/// The topic of a question.
public enum FAQCategory: String, Codable, Sendable, CaseIterable {
  case equipment = "Equipment"
  case software = "Software"
  case business = "Business"
  case personal = "Personal"
  case career = "Career"
  case other = "Other"
}
