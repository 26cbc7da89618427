import SwiftIfConfig
import SwiftSyntax

/// A build with the given `-D` conditions and nothing else to ask for.
struct TestConfiguration: BuildConfiguration {
  let conditions: Set<String>

  func isCustomConditionSet(name: String) -> Bool { conditions.contains(name) }
  func hasFeature(name: String) -> Bool { false }
  func hasAttribute(name: String) -> Bool { false }
  func canImport(importPath: [(TokenSyntax, String)], version: CanImportVersion) -> Bool { false }
  func isActiveTargetOS(name: String) -> Bool { name == "Linux" }
  func isActiveTargetArchitecture(name: String) -> Bool { false }
  func isActiveTargetEnvironment(name: String) -> Bool { false }
  func isActiveTargetRuntime(name: String) -> Bool { false }
  func isActiveTargetPointerAuthentication(name: String) -> Bool { false }
  func isActiveTargetObjectFormat(name: String) throws -> Bool { false }
  var targetPointerBitWidth: Int { 64 }
  var targetAtomicBitWidths: [Int] { [] }
  var endianness: Endianness { .little }
  var languageVersion: VersionTuple { VersionTuple(6, 0) }
  var compilerVersion: VersionTuple { VersionTuple(6, 3) }
}
