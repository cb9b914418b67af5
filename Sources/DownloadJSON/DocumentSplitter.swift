package import DownloadCore

/// Splits the text of a JSON document into the members of its object, and the array or object of records that a route leads
/// to into its values, so that a long document is never held whole. The document may be such an array itself.
///
/// It follows quotation marks and brackets only. The parts need not be valid JSON: each has to be parsed.
package struct DocumentSplitter: Sendable {
  package enum Part: Equatable, Sendable {
    /// A key and the text of its value.
    case member(key: [UInt8], PartText)
    /// An array that is split begins on this line. The key is nil where the document is the array. The number of steps
    /// of the route that lead to it.
    case array(key: [UInt8]?, stepCount: Int, line: Int)
    /// An object that is split begins on this line.
    case object(stepCount: Int, line: Int)
    /// The text of a value of that array or object. The key in the object.
    case element(PartText, key: [UInt8]? = nil)
  }

  /// A value as it stands in the document.
  package struct PartText: Equatable, Sendable {
    package var bytes: [UInt8]
    /// The line on which it begins, counted from 1.
    package var line: Int
  }

  package struct Fault: Error, Equatable, Sendable {
    package enum Reason: Equatable, Sendable {
      case syntax(JSONProblem.Syntax)
      /// Longer than a part may be.
      case tooLong
    }

    package let reason: Reason
    /// Counted from 1; that on which the part begins if it is too long.
    package let line: Int
  }

  private enum State: Sendable {
    case beginning
    /// Before a key; `}` may stand there only in an empty object.
    case beforeKey(mayEnd: Bool)
    case key, afterKey, beforeValue, value, afterValue
    /// The value of a key that the route does not lead to, in an object on its way. It is not held.
    case passedValue
    case beforeElement(mayEnd: Bool)
    case element
    case end

    var isPassed: Bool { if case .passedValue = self { true } else { false } }

    var isKey: Bool { if case .key = self { true } else { false } }

    var isValue: Bool {
      switch self {
      case .value, .passedValue, .element: true
      default: false
      }
    }
  }

  /// The most bytes of a part, unless `init` says otherwise.
  package static let maximumPartByteCount = 4 << 20

  /// The most keys of the document's object, which are remembered.
  package static let maximumKeyCount = 10_000

  private let routes: [JSONPath]
  private let isOfRecords: Bool
  private let mayBeArray: Bool
  private let mostBytes: Int
  private var state = State.beginning
  private var isArray = false
  /// The objects around the next byte that are not parts, the outermost one first. Each is on the way of the route.
  private var objects: [Object] = []
  /// The part that is being read.
  private var part = PartText(bytes: [], line: 1)
  private var key: [UInt8] = []
  /// What the route says of the value of `key`: which one, and the number of steps that lead there.
  private var way: (route: Int, stepCount: Int)?
  private var keys: Set<[UInt8]> = []
  private var nesting = Nesting()
  /// The line of the next byte, counted from 1.
  private var line = 1

  private struct Object: Sendable {
    /// The number of steps of the route that lead to it.
    var stepCount: Int
    /// Whether all of its values are parts.
    var isSplit: Bool
    /// The keys so far that the route goes on with.
    var ways: Set<[UInt8]> = []
  }

  /// - Parameters:
  ///   - arrays: the keys of arrays that are split.
  ///   - mayBeArray: whether the document itself may be an array, which is then split.
  ///   - mostBytes: of a part.
  package init(arrays: Set<[UInt8]>, mayBeArray: Bool = false, mostBytes: Int = Self.maximumPartByteCount) {
    routes = arrays.map { JSONPath([$0]) }
    isOfRecords = false
    self.mayBeArray = mayBeArray
    self.mostBytes = mostBytes
  }

  /// - Parameter records: a path whose first array is split, or the object of its first `*`. Of a member elsewhere that is
  ///   longer than a part may be, nothing is told.
  package init(records: [UInt8], mostBytes: Int = Self.maximumPartByteCount) {
    self.init(records: JSONPath(records), mostBytes: mostBytes)
  }

  init(records: JSONPath, mostBytes: Int = Self.maximumPartByteCount) {
    routes = [records]
    isOfRecords = true
    mayBeArray = true
    self.mostBytes = mostBytes
  }

  /// Takes the next bytes of the text. Nothing may follow after a fault.
  ///
  /// - Parameter take: gets the parts that have become complete.
  package mutating func append<Failure: Error>(
    _ bytes: UnsafeRawBufferPointer, _ take: (Result<Part, Fault>) throws(Failure) -> Void
  ) throws(Failure) {
    var index = 0
    while index < bytes.count {
      let found: Result<Part, Fault>?
      switch state {
      case .key, .value, .passedValue, .element:
        let end = nesting.end(of: bytes, from: index, isKey: state.isKey, &line)
        let run = UnsafeRawBufferPointer(rebasing: bytes[index..<end])
        index = end
        if state.isPassed {
          if part.bytes.isEmpty, let first = run.first { part.bytes.append(first) }
        } else if part.bytes.count + run.count > mostBytes, case .value = state, isOfRecords, way == nil {
          part.bytes = [UInt8(ascii: " ")]
          state = .passedValue
        } else if part.bytes.count + run.count > mostBytes {
          return try take(.failure(Fault(reason: .tooLong, line: part.line)))
        } else {
          part.bytes.append(contentsOf: run)
        }
        if end == bytes.count { return }
        found = endPart(before: bytes[end])
      default: found = bytes[index].isJSONBlank ? nil : step(bytes[index])
      }
      if let found {
        try take(found)
        if case .failure = found { return }
      }
      // The first byte of a value belongs to it.
      if state.isValue, part.bytes.isEmpty { continue }
      if bytes[index] == 0x0a { line += 1 }
      index += 1
    }
  }

  /// Whether there was nothing but blanks.
  package var isBlank: Bool { if case .beginning = state { true } else { false } }

  /// What is wrong with a text that ends here; nil for a whole one.
  package var faultOfEnd: Fault? { if case .end = state { nil } else { fault(.syntax(.incomplete)) } }

  private func fault(_ reason: Fault.Reason) -> Fault { Fault(reason: reason, line: line) }

  private func invalid(_ syntax: JSONProblem.Syntax = .invalid) -> Result<Part, Fault> {
    .failure(fault(.syntax(syntax)))
  }

  /// A byte that is not blank, outside of keys and values.
  private mutating func step(_ byte: UInt8) -> Result<Part, Fault>? {
    switch (state, Unicode.Scalar(byte)) {
    case (.beginning, "{"): return open(stepCount: 0)
    case (.beginning, "[") where mayBeArray:
      state = .beforeElement(mayEnd: true)
      isArray = true
      return .success(.array(key: nil, stepCount: 0, line: line))
    case (.beforeKey, "\""): begin(.key)
    case (.beforeKey(mayEnd: true), "}"), (.afterValue, "}"): close()
    case (.afterKey, ":"): state = .beforeValue
    case (.beforeValue, "["):
      guard let way, objects.last?.isSplit == false, !isOfRecords || way.stepCount < routes[way.route].steps.count
      else {
        begin(valueState)
        return nil
      }
      state = .beforeElement(mayEnd: true)
      return .success(.array(key: key, stepCount: way.stepCount, line: line))
    case (.beforeValue, "{"):
      guard let way, objects.last?.isSplit == false, way.stepCount < routes[way.route].steps.count else {
        begin(valueState)
        return nil
      }
      return open(stepCount: way.stepCount)
    case (.afterValue, ","): state = .beforeKey(mayEnd: false)
    case (.beforeElement(mayEnd: true), "]"): state = isArray ? .end : .afterValue
    case (.beforeValue, _), (.beforeElement, _):
      if ",}]".utf8.contains(byte) { return invalid() }
      if case .beforeValue = state { begin(valueState) } else { begin(.element) }
    case (.end, _): return invalid(.textAfterValue)
    default: return invalid()
    }
    return nil
  }

  /// What the value of the last key is: those of the document's object are parts, and so are those of a split one.
  private var valueState: State {
    if objects.last?.isSplit == true { return .element }
    return objects.count == 1 ? .value : .passedValue
  }

  /// An object on the way begins.
  private mutating func open(stepCount: Int) -> Result<Part, Fault>? {
    let isSplit = routes.contains { stepCount < $0.steps.count && $0.steps[stepCount] == .all }
    objects.append(Object(stepCount: stepCount, isSplit: isSplit))
    state = .beforeKey(mayEnd: true)
    return isSplit ? .success(.object(stepCount: stepCount, line: line)) : nil
  }

  private mutating func close() {
    objects.removeLast()
    state = objects.isEmpty ? .end : .afterValue
  }

  private mutating func begin(_ next: State) {
    state = next
    part = PartText(bytes: [], line: line)
    nesting = Nesting(inText: next.isKey)
  }

  /// The byte that ends a key or a value.
  private mutating func endPart(before byte: UInt8) -> Result<Part, Fault>? {
    if state.isKey {
      switch Self.decoded(part.bytes) {
      case .success(let text): key = text
      case .failure(let error): return invalid(error.syntax)
      }
      return endKey()
    }
    while let last = part.bytes.last, last.isJSONBlank { part.bytes.removeLast() }
    if state.isPassed || objects.last?.isSplit == true {
      let isPassed = state.isPassed
      switch byte {
      case UInt8(ascii: ","): state = .beforeKey(mayEnd: false)
      case UInt8(ascii: "}"): close()
      default: return invalid()
      }
      return isPassed ? nil : .success(.element(part, key: key))
    }
    let isElement = if case .element = state { true } else { false }
    switch (Unicode.Scalar(byte), isElement) {
    case (",", true): state = .beforeElement(mayEnd: false)
    case ("]", true): state = isArray ? .end : .afterValue
    case (",", false): state = .beforeKey(mayEnd: false)
    case ("}", false): close()
    default: return invalid()
    }
    return .success(isElement ? .element(part) : .member(key: key, part))
  }

  /// A key is complete.
  private mutating func endKey() -> Result<Part, Fault>? {
    state = .afterKey
    let last = objects.count - 1
    // Two records with one key have the same name, or are two files.
    if objects[last].isSplit { return nil }
    way = nil
    let start = objects[last].stepCount
    for (index, route) in routes.enumerated() where start < route.steps.count {
      if let found = route.keys[start].first(where: { $0.name == key }), !found.isGathered {
        way = (index, start + found.count)
      }
    }
    if last == 0 {
      guard keys.insert(key).inserted else { return invalid(.duplicateKey) }
      guard keys.count <= Self.maximumKeyCount else { return invalid(.manyKeys) }
    } else if way != nil {
      guard objects[last].ways.insert(key).inserted else { return invalid(.duplicateKey) }
    }
    return nil
  }

  /// What a key means that stands in quotation marks.
  private static func decoded(_ key: [UInt8]) -> Result<[UInt8], JSONValue.ParseError> {
    let isPlain = key.allSatisfy { (0x20..<0x7f).contains($0) && $0 != UInt8(ascii: "\\") }
    if isPlain { return .success(key) }
    return JSONValue.parse(value: [UInt8(ascii: "\"")] + key + [UInt8(ascii: "\"")]).map { $0.text ?? [] }
  }

  /// How deep a byte stands in brackets, and whether in a text.
  private struct Nesting: Sendable {
    private var depth = 0
    private var isInText: Bool
    private var isEscaped = false

    init(inText isInText: Bool = false) { self.isInText = isInText }

    /// The index of the byte behind a value, which is a comma or a closing bracket, or of the quotation mark behind a
    /// key; the number of bytes where they end before that.
    ///
    /// - Parameter line: grows by the line feeds before that byte.
    mutating func end(of bytes: UnsafeRawBufferPointer, from start: Int, isKey: Bool, _ line: inout Int) -> Int {
      for index in start..<bytes.count {
        let byte = bytes[index]
        if byte == 0x0a { line += 1 }
        if isEscaped {
          isEscaped = false
        } else if isInText {
          if byte == UInt8(ascii: "\\") { isEscaped = true }
          if byte == UInt8(ascii: "\"") {
            if isKey { return index }
            isInText = false
          }
        } else {
          switch byte {
          case UInt8(ascii: "\""): isInText = true
          case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
          case UInt8(ascii: ","): if depth == 0 { return index }
          case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth == 0 { return index }
            depth -= 1
          default: break
          }
        }
      }
      return bytes.count
    }
  }
}
