/// What `model(for:)` returns for an identifier of a class that the container's schema lacks: an object without a
/// context and without properties, so that asking cannot trap.
@Model final class UnknownModel {
  init() {}
}
