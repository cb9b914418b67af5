/// A line of `fetch.txt`.
package struct BagFetchLine: Hashable, Sendable {
  /// Counted from 1.
  package var lineNumber: Int
  /// Without its fragment.
  package var url: [UInt8]
  /// Those of the URL's fragment. At most one per algorithm.
  package var digests: [ContentDigest]
  /// Bytes; nil where it is not known.
  package var length: Int64?
  package var path: BagPath
}

/// Parses `fetch.txt`, the URLs of payload files that a bag does not hold (RFC 8493 section 2.2.3).
///
///     line   = url 1*blank length 1*blank name
///     length = 1*DIGIT / "-"
///     blank  = SP / HTAB
///
/// Empty lines and lines that begin with `#` are passed over.
package struct BagFetchParser: LineParser {
  package typealias Element = BagFetchLine

  package var lines = LineSplitter()

  package init() {}

  package func parsed(_ line: ArraySlice<UInt8>) throws(ListProblem) -> BagFetchLine {
    guard let fields = Self.fields(of: line) else { throw .bag(.notFetchLine) }
    if fields.url.contains(where: \.isControl) { throw .controlCharacter }
    guard URLScheme.begins(fields.url) else { throw .notURL(Array(fields.url)) }
    var length: Int64?
    if !fields.length.elementsEqual(CollectionOfOne(UInt8(ascii: "-"))) {
      length = Int64(digits: fields.length)
      if length == nil { throw .bag(.notLength(Array(fields.length))) }
    }
    let (url, digests) = try URLFragment.split(fields.url)
    return BagFetchLine(
      lineNumber: lines.lineNumber, url: Array(url), digests: digests, length: length,
      path: try BagPath(fields.name, in: .payload))
  }

  private typealias Fields = (url: ArraySlice<UInt8>, length: ArraySlice<UInt8>, name: ArraySlice<UInt8>)

  private static func fields(of line: ArraySlice<UInt8>) -> Fields? {
    let url = line.prefix { !$0.isSpace }
    let behindURL = line[url.endIndex...].drop(while: \.isSpace)
    let length = behindURL.prefix { !$0.isSpace }
    let name = behindURL[length.endIndex...].drop(while: \.isSpace)
    return name.isEmpty ? nil : (url, length, name)
  }

  /// Whether the line can be nothing but one of a `fetch.txt`.
  static func isOne(_ line: ArraySlice<UInt8>) -> Bool {
    guard let fields = fields(of: line.drop(while: \.isSpace)), URLScheme.begins(fields.url) else {
      return false
    }
    let isLength =
      fields.length.allSatisfy(\.isDigit) || fields.length.elementsEqual(CollectionOfOne(UInt8(ascii: "-")))
    return isLength && (try? BagPath(fields.name, in: .payload)) != nil
  }
}

/// A `fetch.txt` without its bag, as a list: nothing but lengths is known of its files.
package struct BagFetchListParser: ListParser {
  private var lines = BagFetchParser()

  package init() {}

  package mutating func append(_ bytes: UnsafeRawBufferPointer) { lines.append(bytes) }

  package mutating func end() { lines.end() }

  package mutating func next() throws(ListError) -> ListEntry? {
    guard let line = try lines.next() else { return nil }
    return ListEntry(line, out: BagPath.decodingPercents(line.path.key))
  }
}

extension ListEntry {
  /// - Parameter out: the name of the file, relative to the bag.
  package init(_ line: BagFetchLine, out: [UInt8]) {
    self.init(lineNumber: line.lineNumber)
    urls = [line.url]
    digests = line.digests
    size = line.length
    self.out = out
    hasEncodedLineBreaks = true
  }
}
