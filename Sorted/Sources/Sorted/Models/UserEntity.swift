import Foundation
import SwiftData

/// SwiftData model for local user data, preferences, and FAQ library.
/// Stores current user profile and AI feature settings.
@Model
public final class UserEntity {
  // MARK: - Core Properties

  /// Unique user identifier (matches Firebase Auth UID)
  @Attribute(.unique) public var id: String

  /// User email address
  public var email: String

  /// Display name
  public var displayName: String

  /// Profile photo URL
  public var photoURL: String?

  /// Account creation timestamp
  public var createdAt: Date

  /// Last profile update timestamp
  public var updatedAt: Date

  // MARK: - AI Preferences

  /// Enable auto-categorization
  public var enableCategorization: Bool

  /// Enable smart reply drafts
  public var enableSmartReply: Bool

  /// Enable FAQ auto-detection
  public var enableFAQ: Bool

  /// Enable sentiment analysis
  public var enableSentiment: Bool

  /// Enable opportunity scoring
  public var enableOpportunityScoring: Bool

  /// Allow Supermemory storage (privacy setting)
  public var allowSupermemoryStorage: Bool

  // MARK: - FAQ Library

  /// User's FAQ library (cascade delete)
  @Relationship(deleteRule: .cascade)
  public var faqs: [FAQEntity]

  // MARK: - Initialization

  /// Makes a user. Other properties have their defaults.
  public init(
    id: String,
    email: String,
    displayName: String,
    photoURL: String? = nil,
    createdAt: Date = Date()
  ) {
    self.id = id
    self.email = email
    self.displayName = displayName
    self.photoURL = photoURL
    self.createdAt = createdAt
    self.updatedAt = createdAt

    // Default AI preferences (all enabled)
    self.enableCategorization = true
    self.enableSmartReply = true
    self.enableFAQ = true
    self.enableSentiment = true
    self.enableOpportunityScoring = true
    self.allowSupermemoryStorage = true

    self.faqs = []
  }

  // MARK: - Helper Methods

  /// Update profile information
  public func updateProfile(displayName: String? = nil, photoURL: String? = nil) {
    if let displayName = displayName {
      self.displayName = displayName
    }
    if let photoURL = photoURL {
      self.photoURL = photoURL
    }
    self.updatedAt = Date()
  }

  /// Toggle AI feature
  public func setAIFeature(_ feature: AIFeature, enabled: Bool) {
    switch feature {
    case .categorization:
      self.enableCategorization = enabled
    case .smartReply:
      self.enableSmartReply = enabled
    case .faq:
      self.enableFAQ = enabled
    case .sentiment:
      self.enableSentiment = enabled
    case .opportunityScoring:
      self.enableOpportunityScoring = enabled
    }
    self.updatedAt = Date()
  }
}

// MARK: - Supporting Enums

/// An AI feature that the user can switch.
public enum AIFeature: Sendable {
  case categorization
  case smartReply
  case faq
  case sentiment
  case opportunityScoring
}
