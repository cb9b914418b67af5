/// A value behind one reference, copied when it is changed: public structs with many fields stay a pointer wide.
struct Boxed<Value> {
  private final class Storage {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private var storage: Storage

  init(_ value: Value) { storage = Storage(value) }

  var value: Value {
    get { storage.value }
    _modify {
      makeUnique()
      yield &storage.value
    }
  }

  // Otherwise each place that changes a field would have the code of a copy.
  @inline(never) private mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.value) }
  }
}

/// Only what has the one reference to the storage changes it.
extension Boxed: @unchecked Sendable where Value: Sendable {}

extension Boxed: Equatable where Value: Equatable {
  static func == (left: Boxed, right: Boxed) -> Bool { left.storage === right.storage || left.value == right.value }
}

extension Boxed: Hashable where Value: Hashable {
  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
