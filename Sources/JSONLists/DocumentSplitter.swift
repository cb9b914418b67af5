/// Splits the text of a JSON object into its members, and one array among them into its elements, so that a long document
/// is never held whole.
///
/// It follows quotation marks and brackets only. The parts need not be valid JSON: each has to be parsed.
package struct DocumentSplitter: Sendable {
  package enum Part: Equatable, Sendable {
    /// A key as it stands between its quotation marks, and the text of its value.
    case member(key: [UInt8], text: [UInt8])
    /// The text of an element of the array, without line breaks.
    case element([UInt8])
  }

  package enum Fault: Error, Equatable, Sendable {
    /// The text is no JSON object.
    case invalid
    case incomplete
    case textAfterObject
    case duplicateKey([UInt8])
    /// Longer than a part may be.
    case tooLong
  }

  private enum State: Sendable {
    case beginning
    /// Before a key; `}` may stand there only in an empty object.
    case beforeKey(mayEnd: Bool)
    case key, afterKey, beforeValue, value, afterValue
    case beforeElement(mayEnd: Bool)
    case element
    case end
  }

  private let array: [UInt8]
  private let mostBytes: Int
  private var state = State.beginning
  /// The part that is being read.
  private var text: [UInt8] = []
  private var key: [UInt8] = []
  private var keys: Set<[UInt8]> = []
  private var nesting = Nesting()
  /// Whether the object has the array, which may be empty.
  package private(set) var hasArray = false

  /// - Parameters:
  ///   - array: the key of the array that is split.
  ///   - mostBytes: of a part.
  package init(array: StaticString, mostBytes: Int = 4 << 20) {
    self.array = array.withUTF8Buffer { Array($0) }
    self.mostBytes = mostBytes
  }

  /// Takes the next bytes of the text.
  ///
  /// - Parameter take: gets the parts that have become complete.
  package mutating func append<Failure: Error>(
    _ bytes: UnsafeRawBufferPointer, _ take: (Result<Part, Fault>) throws(Failure) -> Void
  ) throws(Failure) {
    for byte in bytes {
      switch step(byte) {
      case nil: continue
      case .success(let part)?: try take(.success(part))
      case .failure(let fault)?: return try take(.failure(fault))
      }
    }
  }

  /// What is wrong with a text that ends here; nil for a whole one.
  package var faultOfEnd: Fault? { if case .end = state { nil } else { .incomplete } }

  private mutating func step(_ byte: UInt8) -> Result<Part, Fault>? {
    switch state {
    case .key:
      if nesting.follow(byte) { return collect(byte) }
      guard keys.insert(text).inserted else { return .failure(.duplicateKey(text)) }
      key = text
      state = .afterKey
      return nil
    case .value, .element:
      if nesting.isOpen || !",}]".utf8.contains(byte) {
        _ = nesting.follow(byte)
        return collect(byte)
      }
      return endPart(before: byte)
    default: return JSONText.isBlank(byte) ? nil : stepBetween(byte)
    }
  }

  /// A byte that is not blank, outside of values.
  private mutating func stepBetween(_ byte: UInt8) -> Result<Part, Fault>? {
    switch (state, Unicode.Scalar(byte)) {
    case (.beginning, "{"): state = .beforeKey(mayEnd: true)
    case (.beforeKey, "\""):
      state = .key
      text = []
      nesting = Nesting(inText: true)
    case (.beforeKey(mayEnd: true), "}"), (.afterValue, "}"): state = .end
    case (.afterKey, ":"): state = .beforeValue
    case (.beforeValue, "[") where key == array:
      state = .beforeElement(mayEnd: true)
      hasArray = true
    case (.afterValue, ","): state = .beforeKey(mayEnd: false)
    case (.beforeElement(mayEnd: true), "]"): state = .afterValue
    case (.beforeValue, _), (.beforeElement, _):
      if ",}]".utf8.contains(byte) { return .failure(.invalid) }
      if case .beforeValue = state { state = .value } else { state = .element }
      text = []
      nesting = Nesting()
      return step(byte)
    case (.end, _): return .failure(.textAfterObject)
    default: return .failure(.invalid)
    }
    return nil
  }

  private mutating func collect(_ byte: UInt8) -> Result<Part, Fault>? {
    if text.count >= mostBytes { return .failure(.tooLong) }
    // A line break is no part of a text, so it is a blank here.
    text.append(byte == 0x0a || byte == 0x0d ? 0x20 : byte)
    return nil
  }

  private mutating func endPart(before byte: UInt8) -> Result<Part, Fault>? {
    while let last = text.last, JSONText.isBlank(last) { text.removeLast() }
    let isElement = if case .element = state { true } else { false }
    switch (Unicode.Scalar(byte), isElement) {
    case (",", true): state = .beforeElement(mayEnd: false)
    case ("]", true): state = .afterValue
    case (",", false): state = .beforeKey(mayEnd: false)
    case ("}", false): state = .end
    default: return .failure(.invalid)
    }
    return .success(isElement ? .element(text) : .member(key: key, text: text))
  }

  /// How deep a byte stands in brackets, and whether in a text.
  private struct Nesting: Sendable {
    private var depth = 0
    private var isInText: Bool
    private var isEscaped = false

    init(inText isInText: Bool = false) { self.isInText = isInText }

    var isOpen: Bool { depth > 0 || isInText }

    /// - Returns: whether it is open behind the byte.
    mutating func follow(_ byte: UInt8) -> Bool {
      if isInText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInText = false
        }
        return isOpen
      }
      switch byte {
      case UInt8(ascii: "\""): isInText = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
      default: break
      }
      return isOpen
    }
  }
}
