/// The result of `model(for:)` for an identifier of an unknown class: an object without a context and properties, so
/// that the call cannot trap.
@Model final class UnknownModel {
  init() {}
}
