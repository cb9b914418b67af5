/// A URL that stands for several, as in curl: `{a,b}` are alternatives, `[1-9]`, `[001-100:5]` and `[a-f]` ranges with an
/// optional step.
///
/// A backslash takes the meaning from one of `{}[],`. The brackets of an IPv6 address are no range. The last part varies
/// fastest.
package struct URLGlob: Hashable, Sendable {
  package enum Problem: Error, Hashable, Sendable {
    /// The opening brace or bracket that is not closed.
    case unclosed(UInt8)
    /// A closing brace or bracket without an opening one.
    case unopened(UInt8)
    case nested
    case malformedRange([UInt8])
    /// More than `mostURLs`.
    case tooMany
  }

  private enum Part: Hashable {
    case text([UInt8])
    case alternatives([[UInt8]])
    /// - Parameter width: digits, zeros before the number included.
    case numbers(first: Int, step: Int, count: Int, width: Int)
    case letters(first: UInt8, step: Int, count: Int)

    var count: Int {
      switch self {
      case .text: 1
      case .alternatives(let texts): texts.count
      case .numbers(_, _, let count, _), .letters(_, _, let count): count
      }
    }

    func append(_ index: Int, to url: inout [UInt8]) {
      switch self {
      case .text(let text): url += text
      case .alternatives(let texts): url += texts[index]
      case .numbers(let first, let step, _, let width):
        let digits = Array(String(first + index * step).utf8)
        url += Array(repeating: UInt8(ascii: "0"), count: max(0, width - digits.count)) + digits
      case .letters(let first, let step, _): url.append(first + UInt8(index * step))
      }
    }
  }

  private let parts: [Part]
  /// The number of URLs; at least 1.
  package let count: Int

  package static let mostURLs = 10_000_000

  /// A URL whose braces and brackets mean nothing.
  package init(plain url: [UInt8]) {
    parts = [.text(url)]
    count = 1
  }

  package init(_ pattern: [UInt8]) throws(Problem) {
    var parts: [Part] = []
    var text: [UInt8] = []
    var rest = pattern[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\\") where rest.first.map(Self.isSpecial) ?? false: text.append(rest.removeFirst())
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        let content = try Self.content(of: byte, in: &rest)
        if byte == UInt8(ascii: "["), Self.isAddress(content, after: text) {
          text += [byte] + content + [UInt8(ascii: "]")]
          continue
        }
        parts.append(.text(text))
        text = []
        parts.append(byte == UInt8(ascii: "[") ? try Self.range(content) : .alternatives(Self.alternatives(content)))
      case UInt8(ascii: "]"), UInt8(ascii: "}"): throw .unopened(byte)
      default: text.append(byte)
      }
    }
    parts.append(.text(text))
    var count = 1
    for part in parts {
      let (product, overflows) = count.multipliedReportingOverflow(by: part.count)
      guard !overflows, product <= Self.mostURLs else { throw .tooMany }
      count = product
    }
    self.parts = parts
    self.count = count
  }

  /// - Parameter index: 0..<count.
  package subscript(index: Int) -> [UInt8] {
    var (left, indices) = (index, [Int](repeating: 0, count: parts.count))
    for (position, part) in parts.enumerated().reversed() {
      indices[position] = left % part.count
      left /= part.count
    }
    var url: [UInt8] = []
    for (part, index) in zip(parts, indices) { part.append(index, to: &url) }
    return url
  }

  // MARK: Parsing

  private static func isSpecial(_ byte: UInt8) -> Bool { "{}[],\\".utf8.contains(byte) }

  /// The bytes up to the closing brace or bracket, with their backslashes.
  private static func content(of opening: UInt8, in rest: inout ArraySlice<UInt8>) throws(Problem) -> ArraySlice<UInt8>
  {
    let closing = opening == UInt8(ascii: "[") ? UInt8(ascii: "]") : UInt8(ascii: "}")
    var index = rest.startIndex
    while index < rest.endIndex, rest[index] != closing {
      if rest[index] == opening { throw .nested }
      index += rest[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard index < rest.endIndex else { throw .unclosed(opening) }
    defer { rest = rest[(index + 1)...] }
    return rest[..<index]
  }

  private static func isAddress(_ content: ArraySlice<UInt8>, after text: [UInt8]) -> Bool {
    (text.ends(with: "://") || text.last == UInt8(ascii: "@")) && content.contains(UInt8(ascii: ":"))
      && content.allSatisfy { Hexadecimal.value(of: $0) != nil || ":.%".utf8.contains($0) }
  }

  private static func alternatives(_ content: ArraySlice<UInt8>) -> [[UInt8]] {
    var texts: [[UInt8]] = [[]]
    var rest = content
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), let next = rest.first, isSpecial(next) {
        texts[texts.count - 1].append(rest.removeFirst())
      } else if byte == UInt8(ascii: ",") {
        texts.append([])
      } else {
        texts[texts.count - 1].append(byte)
      }
    }
    return texts
  }

  private static func range(_ content: ArraySlice<UInt8>) throws(Problem) -> Part {
    let problem = Problem.malformedRange(Array(content))
    let halves = content.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    let ends = halves[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard halves.count <= 2, ends.count == 2, let step = halves.count == 2 ? number(halves[1]) : 1, step > 0 else {
      throw problem
    }
    if let first = number(ends[0]), let last = number(ends[1]), first <= last {
      let hasZeros = ends[0].count > 1 && ends[0].first == UInt8(ascii: "0")
      return .numbers(first: first, step: step, count: (last - first) / step + 1, width: hasZeros ? ends[0].count : 1)
    }
    guard ends[0].count == 1, ends[1].count == 1, let first = ends[0].first, let last = ends[1].first, first.isLetter,
      last.isLetter, first <= last, (first | 0x20 == first) == (last | 0x20 == last)
    else { throw problem }
    return .letters(first: first, step: step, count: Int(last - first) / step + 1)
  }

  private static func number(_ text: ArraySlice<UInt8>) -> Int? {
    guard !text.isEmpty, text.count <= 18, text.allSatisfy(\.isDigit) else { return nil }
    return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
  }
}

extension [UInt8] {
  fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
