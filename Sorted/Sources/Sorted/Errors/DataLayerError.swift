import Foundation

/// Standardized error handling for SwiftData operations.
public enum DataLayerError: LocalizedError, Equatable {
  case fetchFailed(String)
  case saveFailed(String)
  case deleteFailed(String)
  case syncFailed(String)
  case invalidData(String)

  /// The failed operation with details.
  public var errorDescription: String? {
    switch self {
    case .fetchFailed(let details):
      return "Failed to fetch data: \(details)"
    case .saveFailed(let details):
      return "Failed to save data: \(details)"
    case .deleteFailed(let details):
      return "Failed to delete data: \(details)"
    case .syncFailed(let details):
      return "Failed to sync data: \(details)"
    case .invalidData(let details):
      return "Invalid data: \(details)"
    }
  }
}
