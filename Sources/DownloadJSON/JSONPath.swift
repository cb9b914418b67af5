import DownloadCore

/// A path to a value in a JSON document: names with dots between them.
///
///     path = step *( "." step )
///     step = name [ "[]" ] / "*"
///
/// A name is a key. Names may contain dots, so several steps together are a key, too; the longest one counts. A name that
/// leads through an array leads to each of its elements, and `*` to every value of an object or an array. Behind `[]` the
/// values of an array belong to one record; otherwise each is a record.
struct JSONPath: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    case name([UInt8])
    /// `name[]`
    case gathered([UInt8])
    /// `*`
    case all

    var name: [UInt8]? {
      switch self {
      case .name(let name), .gathered(let name): name
      case .all: nil
      }
    }
  }

  /// One key that several steps may make.
  struct Key: Hashable, Sendable {
    let name: [UInt8]
    /// The number of steps.
    let count: Int
    let isGathered: Bool
  }

  /// As written.
  let text: [UInt8]
  let steps: [Step]
  /// The keys that may stand for the steps from each one on, the longest one first; none for `*`.
  let keys: [[Key]]

  init(_ text: [UInt8]) {
    let steps: [Step] = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { step in
      if step.elementsEqual("*".utf8) { return .all }
      return step.count > 2 && step.suffix(2).elementsEqual("[]".utf8)
        ? .gathered(Array(step.dropLast(2))) : .name(Array(step))
    }
    self.init(text, steps)
  }

  /// A path of names that may contain dots.
  init(_ names: [[UInt8]]) {
    self.init(Array(names.joined(separator: CollectionOfOne(UInt8(ascii: ".")))), names.map(Step.name))
  }

  private init(_ text: [UInt8], _ steps: [Step]) {
    self.text = text
    self.steps = steps
    keys = steps.indices.map { start in
      var keys: [Key] = []
      var name: [UInt8] = []
      for index in start..<steps.count {
        guard let part = steps[index].name else { break }
        if index > start { name.append(UInt8(ascii: ".")) }
        name += part
        let isGathered = if case .gathered = steps[index] { true } else { false }
        keys.append(Key(name: name, count: index + 1 - start, isGathered: isGathered))
        if isGathered { break }
      }
      return keys.reversed()
    }
  }

  /// The first steps.
  func prefix(_ count: Int) -> JSONPath { JSONPath(text, Array(steps.prefix(count))) }

  /// The number of steps behind the last `*`; nil for a path without one.
  var lastAll: Int? { steps.lastIndex(of: .all).map { $0 + 1 } }

  /// The number of steps up to the first `[]`, with that; all of them in a path without one.
  var recordStepCount: Int {
    steps.firstIndex { if case .gathered = $0 { true } else { false } }.map { $0 + 1 } ?? steps.count
  }

  func commonStepCount(with other: JSONPath) -> Int { zip(steps, other.steps).prefix { $0 == $1 }.count }

  func begins(with other: JSONPath, _ count: Int) -> Bool { commonStepCount(with: other) >= count }

  /// Whether the step behind so many ones is `*`, or a name.
  func isAll(at index: Int) -> Bool { index < steps.count && steps[index] == .all }
  func isName(at index: Int) -> Bool { index < steps.count && steps[index] != .all }

  /// The value of a key of an object that stands for steps from this one on, and the number of those behind it.
  func value(in object: JSONValue, from index: Int) -> (value: JSONValue, next: Int, isGathered: Bool)? {
    for key in keys[index] {
      if let value = object[key.name[...]] { return (value, index + key.count, key.isGathered) }
    }
    return nil
  }

  /// Collects the values where the path leads.
  ///
  /// - Parameters:
  ///   - index: the step that the value is before.
  ///   - isSplit: becomes true where one step leads to several values.
  func collect(_ value: JSONValue, from index: Int, into values: inout [JSONValue], isSplit: inout Bool) {
    guard index < steps.count else { return values.append(value) }
    if let elements = value.elements {
      isSplit = true
      let next = steps[index] == .all ? index + 1 : index
      for element in elements { collect(element, from: next, into: &values, isSplit: &isSplit) }
    } else if steps[index] == .all {
      isSplit = true
      for member in value.members { collect(member.value, from: index + 1, into: &values, isSplit: &isSplit) }
    } else if let (value, next, _) = self.value(in: value, from: index) {
      collect(value, from: next, into: &values, isSplit: &isSplit)
    }
  }
}
