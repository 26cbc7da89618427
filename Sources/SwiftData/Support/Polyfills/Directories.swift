#if !canImport(ObjectiveC)
  public import Foundation

  // Foundation on Linux has these directories only as `FileManager.urls(for:in:)`. Remove this file once it has them.

  extension URL {
    /// The user's documents, often the place of a store: `ModelConfiguration(url: .documentsDirectory.appending(path: "books.store"))`.
    /// (Apple's documentation, `URL.documentsDirectory`.)
    public static var documentsDirectory: URL { directory(.documentDirectory, orElse: "Documents") }

    /// The directory of files that support the user's programs. (Apple's documentation, `URL.applicationSupportDirectory`.)
    public static var applicationSupportDirectory: URL {
      directory(.applicationSupportDirectory, orElse: ".local/share")
    }

    /// The directory of files that a program can make again. (Apple's documentation, `URL.cachesDirectory`.)
    public static var cachesDirectory: URL { directory(.cachesDirectory, orElse: ".cache") }

    /// A directory of the user, or a path in the home directory if the user's settings do not name it.
    private static func directory(_ kind: FileManager.SearchPathDirectory, orElse path: String) -> URL {
      FileManager.default.urls(for: kind, in: .userDomainMask).first
        ?? homeDirectory.appending(path: path, directoryHint: .isDirectory)
    }
  }
#endif
