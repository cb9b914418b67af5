/// A value behind one reference, copied when it is changed: public structs with many fields stay a pointer wide.
struct Boxed<Value> {
  private final class Box {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  init(_ value: Value) { box = Box(value) }

  var value: Value {
    get { box.value }
    _modify {
      makeUnique()
      yield &box.value
    }
  }

  // Otherwise each place that changes a field would have the code of a copy.
  @inline(never) private mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&box) { box = Box(box.value) }
  }
}

/// Only what has the one reference to the box changes it.
extension Boxed: @unchecked Sendable where Value: Sendable {}

extension Boxed: Equatable where Value: Equatable {
  static func == (left: Boxed, right: Boxed) -> Bool { left.box === right.box || left.value == right.value }
}

extension Boxed: Hashable where Value: Hashable {
  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
