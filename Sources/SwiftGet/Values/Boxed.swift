/// A value behind one reference, copied when it is changed: public structs with many fields stay a pointer wide.
indirect enum Boxed<Value> {
  case value(Value)

  init(_ value: Value) { self = .value(value) }

  var value: Value {
    get {
      switch self {
      case .value(let value): value
      }
    }
    set { self = .value(newValue) }
  }
}

extension Boxed: Sendable where Value: Sendable {}
extension Boxed: Equatable where Value: Equatable {}
extension Boxed: Hashable where Value: Hashable {}
