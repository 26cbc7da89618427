/// The kind of a message. Lists of the probabilities of kinds have this order.
public enum Kind: String, CaseIterable, Sendable, Codable {
  case fan
  case business
  case spam
  case urgent
  case none
}
