import Testing

/// Where a bundle of tests starts.
///
/// Without this file SwiftPM writes one, which searches the compiler's index for tests of XCTest. There are none here, and CI builds
/// without an index, because making it takes a quarter of the compiler's time.
@main
struct TestRunner {
  static func main() async {
    await Testing.__swiftPMEntryPoint() as Never
  }
}
