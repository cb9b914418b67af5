/// What is known of lists, of which each page is an input.
enum ListPages {
  /// One value for each name, in the order of the first ones.
  static func joined<Value>(
    _ inputs: [(name: String, value: Value)], _ join: (Value, Value) -> Value
  ) -> [(name: String, value: Value)] {
    var joined: [(name: String, value: Value)] = []
    for input in inputs {
      if let last = joined.last, last.name == input.name {
        joined[joined.count - 1].value = join(last.value, input.value)
      } else {
        joined.append(input)
      }
    }
    return joined
  }
}
