import Dispatch
import Foundation
import FuzzTargets

/// libFuzzer's entry point. `FUZZ_TARGET` names the target.
private let target: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    // libFuzzer calls this from C, so it cannot throw.
    fatalError("FUZZ_TARGET is one of \(FuzzTarget.allCases.map(\.rawValue))")
  }
  return target
}()

/// `int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*UserCb)(const uint8_t *Data, size_t Size))`.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<Arguments>,
  _ one: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The arguments of a C program.
public typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

/// SwiftPM names an executable's entry point `MODULE_main`, so libFuzzer's own `main` is never called.
@_cdecl("FuzzRunner_main")
public func main(_ count: CInt, _ arguments: Arguments) -> CInt {
  var (count, arguments) = (count, arguments)
  return runFuzzer(&count, &arguments, fuzzOne)
}

/// Runs the target on one input. libFuzzer calls this function.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let done = DispatchSemaphore(value: 0)
  Task {
    // Most inputs are rejected with an error.
    try? await target.run(bytes)
    done.signal()
  }
  done.wait()
  return 0
}

/// C calls this too. Without its dictionary there is nothing to fuzz with.
private let mutation: Mutation = {
  do { return try Mutation() } catch { fatalError("Fuzz/dictionary: \(error)") }
}()

/// `size_t LLVMFuzzerMutate(uint8_t *Data, size_t Size, size_t MaxSize)`: libFuzzer's own mutations.
@_silgen_name("LLVMFuzzerMutate")
private func mutateBytes(_ start: UnsafeMutablePointer<UInt8>?, _ count: Int, _ capacity: Int) -> Int

/// Half of the mutations are libFuzzer's. The others know where numbers and names begin and end.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ start: UnsafeMutablePointer<UInt8>?, _ count: Int, _ capacity: Int, _ seed: CUnsignedInt) -> Int {
  guard let start, seed.isMultiple(of: 2) else { return mutateBytes(start, count, capacity) }
  var random = FuzzRandom(seed: UInt64(seed))
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  let changed = mutation.of(bytes, others: [bytes], &random).prefix(capacity)
  UnsafeMutableBufferPointer(start: start, count: capacity).update(fromContentsOf: changed)
  return changed.count
}
