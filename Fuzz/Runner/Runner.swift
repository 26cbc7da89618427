import Dispatch
import Foundation
import FuzzTargets

/// libFuzzer's entry: `FUZZ_TARGET` names what is fuzzed.
private let target: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    // libFuzzer calls from C: there is nobody to throw to, and nothing to fuzz.
    fatalError("FUZZ_TARGET is one of \(FuzzTarget.allCases.map(\.rawValue))")
  }
  return target
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let done = DispatchSemaphore(value: 0)
  Task {
    // A refusal is what most inputs deserve.
    try? await target.run(bytes)
    done.signal()
  }
  done.wait()
  return 0
}
